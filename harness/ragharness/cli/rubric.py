"""``ragharness rubric``: list, show, check, branch and compare rubrics, and say what they will cost."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ragharness.cli import add_group
from ragharness.cli._options import FORM, JSON, completion, form_of, print_facts, print_lines, print_report

if TYPE_CHECKING:
    from ragharness.reports.text import Section
    from ragharness.rubrics.rubric import Loaded
    from ragharness.rubrics.scoring import Means, RubricScores
    from ragharness.runner.run_folder import RunFolder

    Prepared = tuple[Loaded, Means]

EXIT_PROBLEMS = 1
_RUBRIC = typer.Argument(
    ..., metavar="RUBRIC", help="Name of a rubric, or its file.", autocompletion=completion("rubric")
)
_MODEL = typer.Option("", "--model", help="Judge model, for its price.")
_OUTPUTS = typer.Option(1000, "--outputs", metavar="N", help="Outputs to score.")


def register(app: typer.Typer) -> None:
    """Add the group."""
    group = add_group(app, "rubric", "List, show, check, branch and compare rubrics.", "rubric list")
    group.command("list")(listed)
    for verb in (show, check, branch, cost, diff):
        group.command(verb.__name__)(verb)


def listed(form: str = FORM, as_json: bool = JSON) -> None:
    """List the rubrics of this folder and those that come with ragharness.

    Example: ragharness rubric list
    """
    from ragharness.errors import RubricNotUsable
    from ragharness.reports.progress import Live
    from ragharness.reports.text import Section
    from ragharness.rubrics.registry import rubric_names
    from ragharness.rubrics.rubric import read_rubric

    rubrics = {}
    for name, path in rubric_names().items():
        try:
            rubrics[name] = read_rubric(path).rubric
        except RubricNotUsable as error:  # noqa: PERF203 (a few files)
            Live().tell(f"left out: {error}")
    rows = [[n, r.status, str(len(r.dimensions)), r.owner, r.name] for n, r in rubrics.items()]
    head = ("rubric", "status", "dimensions", "owner", "name")
    _print(rubrics, [Section("", (), head, rows, frozenset({0, 1, 3, 4}))], form, as_json)


def show(rubric: str = _RUBRIC, form: str = FORM, as_json: bool = JSON) -> None:
    """Show a rubric: dimensions, methods, weights as written and normalised, thresholds, safety checks.

    Example: ragharness rubric show rag-answer-1.0
    """
    from ragharness.reports.rubric import rubric_sections
    from ragharness.rubrics.registry import find_rubric

    content = find_rubric(rubric).rubric
    facts = {"header": content.header, "normalised": content.normalised, "rubric": content}
    _print(facts, rubric_sections(content), form, as_json)


def check(rubric: str = _RUBRIC, as_json: bool = JSON) -> int:
    """Say what keeps a rubric from being activated: line, expected, found. Exit code 1: something does.

    Example: ragharness rubric check rubric.yaml
    """
    from ragharness.rubrics import registry

    loaded = registry.find_rubric(rubric)
    problems = registry.check(loaded, registry.parent_of(loaded))
    wrong = sum(not problem.advice for problem in problems)
    lines = [f"{'advice' if problem.advice else 'error'}: {loaded.path}, {problem}" for problem in problems]
    counts = f"{wrong} problem{'s' * (wrong != 1)}, {len(problems) - wrong} advised"
    facts = [problem._asdict() for problem in problems]
    print_facts(facts, [*lines, f"{loaded.rubric.title}: {counts}"], as_json=as_json)
    return EXIT_PROBLEMS if wrong else 0


def branch(
    rubric: str = _RUBRIC,
    claim: str = typer.Option("", "--as", metavar="CLASS", help="patch, minor or major: checked."),
    out: Annotated[Path | None, typer.Option("--out", metavar="FILE", help="Where to write it.")] = None,
) -> None:
    """Write a new version of a rubric as a draft; edits of a used version move into it.

    Example: ragharness rubric branch rag-answer-1.0 --as minor --out rubric.yaml
    """
    from ragharness.rubrics import registry

    draft = registry.branch(rubric, claim, out)
    lines = [f"{draft.title} ({draft.change_class}): {draft.path}"]
    lines += [f"  {change.told}" for change in draft.changes]
    lines += [f"{draft.restored} is again as it was used"] if draft.restored else []
    print_lines([*lines, f"edit it, then: ragharness rubric check {draft.path}, and write status: active"])


def cost(
    rubric: str = _RUBRIC,
    outputs: int = _OUTPUTS,
    model: str = _MODEL,
    form: str = FORM,
    as_json: bool = JSON,
) -> None:
    """Estimate the calls, tokens and cost of each dimension; advice, nothing is blocked.

    Example: ragharness rubric cost rag-answer-1.0 --outputs 500
    """
    from ragharness.reports.rubric import cost_section
    from ragharness.rubrics import judge, registry

    content = registry.find_rubric(rubric).rubric
    costs = judge.estimate(content, outputs, model)
    _print(costs, [cost_section(content.title, costs, outputs)], form, as_json)


def diff(
    first: str = typer.Argument(
        ..., metavar="FIRST", help="Rubric, or scores as JSON.", autocompletion=completion("rubric")
    ),
    second: str = typer.Argument(
        ..., metavar="SECOND", help="The other one.", autocompletion=completion("rubric")
    ),
    outputs: int = _OUTPUTS,
    model: str = _MODEL,
    form: str = FORM,
    as_json: bool = JSON,
) -> None:
    """Compare two rubrics, with the class of the change and its cost; or two scores kept as JSON.

    Example: ragharness rubric diff rag-answer-1.0 rubric.yaml
    """
    from ragharness.reports.rubric import change_section, cost_section, scores_beside_section
    from ragharness.rubrics import judge, registry, scoring

    if first.endswith(".json") and second.endswith(".json"):
        beside = scoring.compare_scores(*(scoring.read_scores(Path(name)) for name in (first, second)))
        _print(beside, [scores_beside_section(beside)], form, as_json)
        return
    rubrics = [registry.find_rubric(name).rubric for name in (first, second)]
    changes = registry.changes(*rubrics)
    costs = [judge.estimate(rubric, outputs, model) for rubric in rubrics]
    size = changes[0].weight if changes else None
    facts = {"change_class": size, "changes": [change._asdict() for change in changes], "costs": costs}
    spent = [cost_section(rubric.title, taken, outputs) for rubric, taken in zip(rubrics, costs, strict=True)]
    _print(facts, [change_section(changes), *spent], form, as_json)


def _print(value: object, sections: list[Section], form: str, as_json: bool) -> None:
    print_report(value, sections, form_of(form, as_json=as_json))


EXIT = {"pass": 0, "fail": 1, "incomplete": 2}

RUBRIC: Any = typer.Option(
    "",
    "--rubric",
    metavar="NAME|FILE",
    help="Also score by this rubric.",
    autocompletion=completion("rubric"),
)
JUDGE: Any = typer.Option(
    None, "--judge", metavar="NAME=VALUE", help="Setting of its judge (model=...); repeatable."
)
PEOPLE: Any = typer.Option(None, "--people", metavar="FILE", help="JSONL of people's scores, kept alongside.")
BASE: Any = typer.Option(
    "",
    "--base",
    metavar="RUN",
    help="Run that the ship gate of a rubric compares with.",
    autocompletion=completion("run"),
)


def prepare(rubric: str, judge: list[str] | None, people: Path | None, *, offline: bool) -> Prepared:
    """Active rubric and what its methods need, before anything is asked; raises RagharnessError."""
    from ragharness.rubrics import registry, scoring
    from ragharness.rubrics.judge import ModelJudge
    from ragharness.rubrics.rubric import read_opinions
    from ragharness.support.files import cache_folder
    from ragharness.support.options import Options

    loaded = registry.open_active(rubric)
    settings = Options.parse(judge or (), flag="--judge").starting("")
    model = ModelJudge(settings, cache_folder(), offline=offline) if settings else None
    means = scoring.Means(model, people=read_opinions(people) if people else {})
    return loaded, scoring.needs(loaded.rubric, means)


def score_by(
    prepared: Prepared, of: RunFolder | Path, base: str = "", *, offline: bool, source: str
) -> tuple[RubricScores, list[Section]]:
    """Scores of a run, kept in its folder, or of a file of outputs, and the report of them."""
    import msgspec

    from ragharness.analysis.gate import gate
    from ragharness.analysis.rules import read_gates
    from ragharness.reports.rubric import rubric_scores_sections
    from ragharness.rubrics import registry, scoring
    from ragharness.rubrics.rubric import items_of_run, read_items
    from ragharness.runner.grading import grading_context
    from ragharness.runner.run_search import find_run

    loaded, means = prepared
    if isinstance(of, Path):
        items = read_items(of)
    else:
        grading = grading_context(of, source=source, offline=offline)
        verdict = gate(find_run(base), of, read_gates(""), record=False).verdict if base else ""
        records = ((record, grading.passages_of(record)) for record in of.records())
        items = list(items_of_run(of.questions(), records, verdict))
    registry.mark_used(loaded)
    scores = scoring.score(loaded.rubric, items, means)
    if not isinstance(of, Path):
        of.write(f"rubric-{loaded.rubric.title}.yaml", loaded.text.encode())
        of.write(f"rubric-{loaded.rubric.title}.json", msgspec.json.format(msgspec.json.encode(scores)))
    return scores, rubric_scores_sections(scores)
