"""Rubrics and the scores by them as tables: the total never stands without its dimensions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ragharness.graders.judging import Taken
from ragharness.reports.text import Section, Tone, render
from ragharness.rubrics.registry import Change
from ragharness.rubrics.rubric import Dimension, Header, Rubric
from ragharness.rubrics.scoring import DimensionScore, RubricScores, ScoresBeside, read_scores
from ragharness.runner.run_folder import RunFolder

_TONES: dict[str, Tone] = {"pass": "good", "fail": "bad", "incomplete": "unclear"}
_STATES = {True: "pass", False: "FAIL", None: "open"}
_TAKEN = ("calls", "tokens", "cost", "each")
_SHOWN = 10  # outputs that fail and are named


def rubric_scores_sections(found: RubricScores) -> list[Section]:
    """Report: header, dimensions, verdict, what fails, and what each dimension took."""
    head = ["dimension", "weight", "share", "score", "threshold", "passed", "", "with people"]
    rows = []
    for row in found.dimensions:
        count = sum(row.outputs.values()) - row.outputs.get("not_applicable", 0)
        weight, threshold = _limits(row)
        figures = [row.id, weight, _number(row.share, 3, ""), _number(row.mean, 1), threshold]
        state = _STATES[row.passes] if count else "n/a"
        rows.append([*figures, f"{row.passed}/{count}", state, _number(row.effective, 1, "")])
    last = None if any(row.effective is not None for row in found.dimensions) else -1
    gates = [row.id for row in found.dimensions if row.gate and row.passes is False]
    why = f" (a failed gate fails it whatever the total: {', '.join(gates)})" if gates else ""
    total = f"{found.outputs} outputs, weighted total {_number(found.total, 1)} of 100"
    models = [f"judge: {found.judge}"] * bool(found.judge)
    models += [f"embedding: {found.embedding}"] * bool(found.embedding)
    marks = [
        [item.id, mark.dimension, mark.told or mark.status.replace("_", " ")]
        for item in found.items
        for mark in item.marks
        if mark.passes is not True and mark.status != "not_applicable"
    ]
    more = [["", "", f"and {len(marks) - _SHOWN} more"]] if len(marks) > _SHOWN else []
    took = [
        [row.id, row.method, *_taken(row.taken, found.outputs), _number(row.variance, 2, "")]
        for row in found.dimensions
    ]
    failing, appendix = "Outputs that do not pass", "Appendix: what each dimension took"
    return [
        Section("", [header(found.rubric), *models], head[:last], [row[:last] for row in rows]),
        Section("", [f"{found.verdict.upper()}{why}: {total}"], tone=_TONES[found.verdict]),
        Section("", found.notes),
        Section(failing, (), ("output", "dimension", "why"), marks[:_SHOWN] + more, frozenset({0, 1, 2})),
        Section(appendix, (), ("dimension", "method", *_TAKEN, "variance"), took, frozenset({0, 1})),
    ]


def rubric_sections(rubric: Rubric) -> list[Section]:
    """Rubric: every dimension with its method, both weights, and its threshold."""
    rows = []
    for row in rubric.dimensions:
        weight, threshold = _limits(row)
        rows.append([row.id, row.method, weight, _number(rubric.normalised.get(row.id), 4, ""), threshold])
    total = sum(row.weight or 0 for row in rubric.dimensions)
    notes = [f"status {rubric.status}; the weights sum to {total:.2f} as written and to 1 normalised"]
    notes += [f"{rubric.change_class} change of {rubric.parent}"] if rubric.parent else []
    descriptions = [
        [row.id, row.description + f" (method from: {row.method_from})" * bool(row.method_from)]
        for row in rubric.dimensions
    ]
    policy = rubric.safety_policy
    checks = [[row.id, row.method, row.human or "no person", row.description] for row in policy.checks]
    head = ("dimension", "method", "weight", "normalised", "threshold")
    names = ("check", "method", "human", "description")
    return [
        Section("", [header(rubric.header), *notes], head, rows, frozenset({0, 1})),
        Section("What each asks", (), ("dimension", "description"), descriptions, frozenset({0, 1})),
        Section(f"Safety policy {policy.reference}", (), names, checks, frozenset(range(4))),
    ]


def header(rubric: Header) -> str:
    """Id, version, owner and hash in one line."""
    return f"rubric {rubric.id} {rubric.version}, owner {rubric.owner}, hash {rubric.hash}"


def _limits(row: Dimension | DimensionScore) -> tuple[str, str]:
    return ("gate", "") if row.gate else (_number(row.weight, 2), _number(row.threshold, 0))


def _number(value: float | None, places: int, missing: str = "none") -> str:
    return missing if value is None else f"{value:.{places}f}"


def _taken(taken: Taken, outputs: int) -> list[str]:
    tokens, cost = taken.prompt_tokens + taken.completion_tokens, taken.cost
    costs = ["unknown"] * 2 if cost is None else [f"${cost:.4g}", f"${cost / max(1, outputs):.2g}"]
    return [f"{taken.calls:,}", f"{tokens:,}", *costs]


def cost_section(title: str, costs: Mapping[str, Taken], outputs: int) -> Section:
    """What dimensions will take; advice only."""
    rows = [[name, *_taken(taken, outputs)] for name, taken in costs.items()]
    note = f"{title}: estimated for {outputs:,} outputs; everything else runs without calls"
    return Section("", [note], ("dimension", *_TAKEN), rows)


def change_section(changes: Sequence[Change]) -> Section:
    """What differs between two versions."""
    title = f"{changes[0].weight if changes else 'no'} change"
    return Section(title, (), ("class", "difference"), changes, frozenset({0, 1}))


def scores_beside_section(found: ScoresBeside) -> Section:
    """Two scores side by side, under the banner where the rubrics differ."""
    pairs = {**found.dimensions, **({"weighted total": found.totals} if found.totals else {})}
    rows = [[name, *(_number(score, 1) for score in pair)] for name, pair in pairs.items()]
    head = ("dimension", *(f"{rubric.id} {rubric.version}" for rubric in found.rubrics))
    notes = [*filter(None, [found.banner]), *map(header, found.rubrics)]
    return Section("", notes, head, rows, tone="unclear" if found.banner else "")


def rubrics_of(folder: RunFolder, form: str, width: int = 80) -> list[str]:
    """What every rubric said of a run that was scored by it, in a format of tables."""
    return [render(rubric_scores_sections(scores), form, width).rstrip() for scores in scores_of(folder)]


def scores_of(folder: RunFolder) -> list[RubricScores]:
    """Scores of every rubric by which a run was scored."""
    return list(map(read_scores, sorted(folder.path.glob("rubric-*.json"))))
