"""``ragharness grade``: regrade a run, or check labelled cases against their expected outcomes."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ragharness.cli._options import FALSE_CORRECT, OFFLINE, RUN, SOURCE
from ragharness.errors import UsageError

if TYPE_CHECKING:
    from ragharness.cases import CaseResult
    from ragharness.graders import Grader

EXIT_DIFFERENT = 1


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("grade")(grade)


def grade(
    run: str = RUN,
    cases: Annotated[
        Path | None, typer.Option("--cases", metavar="FILE", help="Grade labelled cases instead of a run.")
    ] = None,
    grader: str = typer.Option("rules", "--grader", help="Grader to use."),
    false_correct: float | None = FALSE_CORRECT,
    source: str = SOURCE,
    offline: bool = OFFLINE,
    json: bool = typer.Option(False, "--json", help="Print the results as JSON."),
) -> int:
    """Regrade a run, or check the grader on labelled cases.

    Regrading never calls the pipeline. With --cases, exit code 1 means that a case differs.
    """
    from ragharness.graders import load_grader

    if cases is not None:
        if run:
            raise UsageError(f"expected a run or --cases, found both: {run} and {cases}")
        return _grade_cases(cases, load_grader(grader, false_correct), as_json=json)
    from ragharness.cli._regrading import grade_run

    grade_run(run, load_grader(grader, false_correct), source=source, offline=offline, as_json=json)
    return 0


def _grade_cases(path: Path, grader: Grader, *, as_json: bool) -> int:
    from ragharness.cases import check_cases

    results = list(check_cases(path, grader))
    different = [result for result in results if result.differences]
    if as_json:
        typer.echo(_as_json(results))
    else:
        for result in different:
            typer.echo(_as_text(result))
        agreed = len(results) - len(different)
        typer.echo(f"{agreed} of {len(results)} cases as expected, {len(different)} different")
    return EXIT_DIFFERENT if different else 0


def _as_text(result: CaseResult) -> str:
    lines = [f"{result.case.id}  {' '.join(result.case.answer.text.split())[:160]}"]
    for key, (wanted, got) in result.differences.items():
        lines.append(f"    {key}: expected {_show(wanted)}, got {_show(got)}")
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
                key: {"expected": wanted, "got": got} for key, (wanted, got) in result.differences.items()
            },
            "verdict": result.verdict,
        }
        for result in results
    ]
    return msgspec.json.format(msgspec.json.encode(rows), indent=2).decode()
