"""``ragharness grade``: regrade a run, or check labelled cases against their expected outcomes."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast, get_args

import typer

from ragharness.cli import _options as shared
from ragharness.cli.rubric import BASE, EXIT, JUDGE, PEOPLE, RUBRIC, prepare, score_by
from ragharness.errors import UnknownName, UsageError
from ragharness.records import Citations

if TYPE_CHECKING:
    from ragharness.graders import Grader
    from ragharness.graders.verdicts import CaseResult
    from ragharness.runner.grading import Change

EXIT_DIFFERENT = 1
_LISTED = 20  # changed verdicts that are named; the rest is counted


def grade(
    run: str = shared.RUN,
    cases: Annotated[
        Path | None,
        typer.Option("--cases", metavar="FILE|FOLDER", help="Grade labelled cases instead of a run."),
    ] = None,
    grader: str = shared.GRADER,
    grader_option: list[str] | None = shared.GRADER_OPTION,
    confirm: str = shared.CONFIRM,
    all_graders: bool = shared.ALL_GRADERS,
    false_correct: float | None = shared.FALSE_CORRECT,
    citations: str = typer.Option(
        "", "--citations", metavar="NAME", help="As in ragharness run (default: as the run was graded)."
    ),
    rubric: str = RUBRIC,
    judge: list[str] | None = JUDGE,
    people: Path | None = PEOPLE,
    base: str = BASE,
    concurrency: int = shared.CONCURRENCY,
    dry_run: bool = shared.DRY_RUN,
    source: str = shared.SOURCE,
    offline: bool = shared.OFFLINE,
    json: bool = typer.Option(False, "--json", help="Print the results as JSON."),
) -> int:
    """Regrade a run, check the grader on labelled cases, or score a run or a JSONL file by a rubric.

    Regrading never calls the pipeline. Exit code 1: with --cases a case differs, with --rubric it fails.

    Example: ragharness grade --grader rules,mine.py:read
    """
    if rubric:
        return _by_rubric(rubric, run, judge, people, base, source=source, offline=offline, as_json=json)
    from ragharness.corpus.download.pinned import is_offline
    from ragharness.graders import load_grader
    from ragharness.support.files import cache_folder

    if cases is not None and run:
        raise UsageError(f"name a run or --cases, not both: {run} and {cases}")
    reading = citations_of(citations, run if cases is None else None)
    chosen = load_grader(
        grader,
        false_correct,
        grader_option or (),
        confirm=confirm,
        ask_all=all_graders,
        offline=offline or is_offline(),
        cache=cache_folder() / "answers",
        dry_run=dry_run,
        citations=reading,
    )
    if cases is not None:
        return _grade_cases(cases, chosen, as_json=json)
    if dry_run:
        return _dry_run(run, chosen, source=source, offline=offline)
    threads = max(1, concurrency)
    return grade_run(run, chosen, reading, source=source, offline=offline, as_json=json, concurrency=threads)


def citations_of(name: str, run: str | None) -> Citations:
    """Reading of citations by its name, else that of a run; raises UnknownName, RunNotUsable."""
    from ragharness.runner.run_search import find_run

    if not name:
        return "auto" if run is None else find_run(run).run.settings.citations
    if name not in get_args(Citations):
        raise UnknownName("reading of citations", name, get_args(Citations))
    return cast("Citations", name)


def _dry_run(run: str, grader: Grader, *, source: str, offline: bool) -> int:
    from ragharness.cli._options import print_lines
    from ragharness.graders import cost_lines
    from ragharness.runner.grading import dry_run, grading_context
    from ragharness.runner.run_search import find_run

    folder = find_run(run)
    dry_run(folder, grading_context(folder, source=source, offline=offline, grader=grader))
    print_lines(cost_lines(grader) or [f"{grader.name} calls no service: nothing is spent"])
    return 0


def _by_rubric(
    rubric: str, of: str, judge: list[str] | None, people: Path | None, base: str, *,
    source: str, offline: bool, as_json: bool,
) -> int:  # fmt: skip
    """Print the scores of a run, or of a file of outputs that no run of ours made."""
    from ragharness.cli._options import print_report
    from ragharness.runner.run_search import find_run

    prepared = prepare(rubric, judge, people, offline=offline)
    outputs = Path(of) if of.endswith(".jsonl") else find_run(of)
    scores, sections = score_by(prepared, outputs, base, offline=offline, source=source)
    print_report(scores, sections, "json" if as_json else "text")
    return EXIT[scores.verdict]


def _grade_cases(path: Path, grader: Grader, *, as_json: bool) -> int:
    from ragharness.cli._options import print_lines
    from ragharness.graders.verdicts import check_cases

    results = list(check_cases(path, grader))
    different = [result for result in results if result.differences]
    agreed = len(results) - len(different)
    summary = f"{agreed} of {len(results)} cases as expected, {len(different)} different"
    print_lines([_as_json(results)] if as_json else [*map(_as_text, different), summary])
    return EXIT_DIFFERENT if different else 0


def _as_text(result: CaseResult) -> str:
    lines = [f"{result.case.id}  {' '.join(result.case.answer.text.split())[:160]}"]
    for key, (expected, actual) in result.differences.items():
        lines.append(f"    {key}: expected {_show(expected)}, got {_show(actual)}")
    lines.append(f"    row {result.verdict.decided_by}: {result.verdict.why}")
    return "\n".join(lines)


def _show(value: Any) -> str:
    return ", ".join(map(str, value)) or "none" if isinstance(value, (list, tuple)) else str(value)


def _as_json(results: list[CaseResult]) -> str:
    import msgspec

    rows = [
        {
            "id": result.case.id,
            "as_expected": not result.differences,
            "differences": {
                key: dict(zip(("expected", "got"), pair, strict=True))
                for key, pair in result.differences.items()
            },
            "verdict": result.verdict,
        }
        for result in results
    ]
    return msgspec.json.format(msgspec.json.encode(rows), indent=2).decode()


def grade_run(
    run: str,
    grader: Grader,
    citations: Citations,
    *,
    source: str = "",
    offline: bool = False,
    as_json: bool = False,
    concurrency: int = 1,
) -> int:
    """Give every answer of a run the verdict of a grader of today, and print what changed and the report."""
    from ragharness.cli._options import exit_code, print_scores, results_only
    from ragharness.graders import cost_lines
    from ragharness.reports.progress import Live
    from ragharness.results import count
    from ragharness.runner.grading import grading_context, regrade
    from ragharness.runner.run_search import find_run

    live = Live()
    folder = find_run(run)
    grading = grading_context(folder, source=source, offline=offline, grader=grader)
    grading = replace(grading, citations=citations)
    folder, changed = regrade(folder, grading, concurrency)
    live.say("\n".join([_summary(changed), *cost_lines(grader)]))
    scores = count(folder, grading, cache=False)
    with results_only() as output:
        print_scores(scores, output, as_json=as_json, reference=run)
    return exit_code(scores)


def _summary(changed: list[Change]) -> str:
    listed = (f"  {change.question}  {change.was} -> {change.now}" for change in changed[:_LISTED])
    more = [f"  and {len(changed) - _LISTED} more"] if len(changed) > _LISTED else []
    return "\n".join([f"{len(changed)} verdicts changed", *listed, *more])
