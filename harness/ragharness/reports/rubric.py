"""Rubrics and the scores by them as tables: the total never stands without its dimensions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ragharness.graders.judging import Taken
from ragharness.reports.text import Section, Tone, render
from ragharness.rubrics.registry import Change
from ragharness.rubrics.rubric import Dimension, Header, Rubric
from ragharness.rubrics.scoring import DimensionScore, RubricScores, ScoresBeside
from ragharness.runner.run_folder import RunFolder

_TONES: dict[str, Tone] = {"pass": "good", "fail": "bad", "incomplete": "unclear"}
_CAME = {True: "pass", False: "FAIL", None: "open"}
_TAKEN = ("calls", "tokens", "cost", "each")
_SHOWN = 10  # outputs that fail and are named


def rubric_scores_sections(found: RubricScores) -> list[Section]:
    """Report: header, dimensions, verdict, what fails, and what each dimension took."""
    head = ["dimension", "weight", "share", "score", "threshold", "passed", "", "with people"]
    rows = []
    for each in found.dimensions:
        count = sum(each.outputs.values()) - each.outputs.get("not_applicable", 0)
        weight, threshold = _limits(each)
        row = [each.id, weight, _number(each.share, 3, ""), _number(each.mean, 1), threshold]
        came = _CAME[each.passes] if count else "n/a"
        rows.append([*row, f"{each.passed}/{count}", came, _number(each.effective, 1, "")])
    last = None if any(each.effective is not None for each in found.dimensions) else -1
    gates = [each.id for each in found.dimensions if each.gate and each.passes is False]
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
        [each.id, each.method, *_taken(each.taken, found.outputs), _number(each.variance, 2, "")]
        for each in found.dimensions
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
    for each in rubric.dimensions:
        weight, threshold = _limits(each)
        rows.append([each.id, each.method, weight, _number(rubric.normalised.get(each.id), 4, ""), threshold])
    sums = sum(each.weight or 0 for each in rubric.dimensions)
    told = [f"status {rubric.status}; the weights sum to {sums:.2f} as written and to 1 normalised"]
    told += [f"{rubric.change_class} change of {rubric.parent}"] if rubric.parent else []
    asked = [
        [each.id, each.description + f" (method from: {each.method_from})" * bool(each.method_from)]
        for each in rubric.dimensions
    ]
    policy = rubric.safety_policy
    checks = [[each.id, each.method, each.human or "no person", each.description] for each in policy.checks]
    head = ("dimension", "method", "weight", "normalised", "threshold")
    names = ("check", "method", "human", "description")
    return [
        Section("", [header(rubric.header), *told], head, rows, frozenset({0, 1})),
        Section("What each asks", (), ("dimension", "description"), asked, frozenset({0, 1})),
        Section(f"Safety policy {policy.reference}", (), names, checks, frozenset(range(4))),
    ]


def header(rubric: Header) -> str:
    """Id, version, owner and hash in one line."""
    return f"rubric {rubric.id} {rubric.version}, owner {rubric.owner}, hash {rubric.hash}"


def _limits(each: Dimension | DimensionScore) -> tuple[str, str]:
    return ("gate", "") if each.gate else (_number(each.weight, 2), _number(each.threshold, 0))


def _number(value: float | None, places: int, missing: str = "none") -> str:
    return missing if value is None else f"{value:.{places}f}"


def _taken(taken: Taken, outputs: int) -> list[str]:
    tokens, cost = taken.prompt_tokens + taken.completion_tokens, taken.cost
    costs = ["unknown"] * 2 if cost is None else [f"${cost:.4g}", f"${cost / max(1, outputs):.2g}"]
    return [f"{taken.calls:,}", f"{tokens:,}", *costs]


def cost_section(title: str, costs: Mapping[str, Taken], outputs: int) -> Section:
    """What dimensions will take; advice only."""
    rows = [[name, *_taken(taken, outputs)] for name, taken in costs.items()]
    told = f"{title}: estimated for {outputs:,} outputs; everything else runs without calls"
    return Section("", [told], ("dimension", *_TAKEN), rows)


def change_section(changes: Sequence[Change]) -> Section:
    """What differs between two versions."""
    title = f"{changes[0].weight if changes else 'no'} change"
    return Section(title, (), ("class", "difference"), changes, frozenset({0, 1}))


def scores_beside_section(found: ScoresBeside) -> Section:
    """Two scores side by side, under the banner where the rubrics differ."""
    both = {**found.dimensions, **({"weighted total": found.totals} if found.totals else {})}
    rows = [[name, *(_number(each, 1) for each in pair)] for name, pair in both.items()]
    head = ("dimension", *(f"{each.id} {each.version}" for each in found.rubrics))
    told = [*filter(None, [found.banner]), *map(header, found.rubrics)]
    return Section("", told, head, rows, tone="unclear" if found.banner else "")


def rubrics_of(folder: RunFolder, form: str, width: int = 80) -> list[str]:
    """What every rubric said of a run that was scored by it, in a format of tables."""
    return [render(rubric_scores_sections(each), form, width).rstrip() for each in scores_of(folder)]


def scores_of(folder: RunFolder) -> list[RubricScores]:
    """Scores of every rubric by which a run was scored."""
    if not (kept := sorted(folder.path.glob("rubric-*.json"))):
        return []
    from ragharness.rubrics.scoring import read_scores

    return list(map(read_scores, kept))
