"""Rubrics and the scores by them as tables: the total never stands without its dimensions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragharness.reports.tables import Section, render

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ragharness.graders.judging.votes import Taken
    from ragharness.reports.text import Tone
    from ragharness.rubrics.checking import Change
    from ragharness.rubrics.rubric import Header, Rubric
    from ragharness.rubrics.scores import DimensionScore, RubricScores, ScoresBeside
    from ragharness.store import RunFolder

_TONES: dict[str, Tone] = {"pass": "good", "fail": "bad", "incomplete": "unclear"}
_CAME = {True: "pass", False: "FAIL", None: "open"}
_TAKEN = ("dimension", "calls", "tokens", "cost", "each")
_SHOWN = 10
"""Outputs that fail and are named."""


def header(rubric: Header) -> str:
    """Return id, version, owner and hash in one line."""
    return f"rubric {rubric.id} {rubric.version}, owner {rubric.owner}, hash {rubric.hash}"


def rubric_scores_sections(found: RubricScores) -> list[Section]:
    """Return the report: header, dimensions, verdict, what fails, and what each dimension took."""
    head = ["dimension", "weight", "share", "score", "threshold", "passed", ""]
    people = any(each.effective is not None for each in found.dimensions)
    rows = [_row(each)[: None if people else -1] for each in found.dimensions]
    total = _number(found.total, 1)
    gates = [each.id for each in found.dimensions if each.gate and each.passes is False]
    why = f" (a failed gate fails it whatever the total: {', '.join(gates)})" if gates else ""
    told = [f"{found.verdict.upper()}{why}: {found.outputs} outputs, weighted total {total} of 100"]
    models = [f"judge: {found.judge}"] * bool(found.judge)
    models += [f"embedding: {found.embedding}"] * bool(found.embedding)
    marks = [
        [item.id, mark.dimension, mark.told or mark.status.replace("_", " ")]
        for item in found.items
        for mark in item.marks
        if mark.passes is not True and mark.status != "not_applicable"
    ]
    more = [["", "", f"and {len(marks) - _SHOWN} more"]] if len(marks) > _SHOWN else []
    left = frozenset({0, 1, 2})
    took = [
        [each.id, each.method, *_taken(each.taken, found.outputs), _number(each.variance, 2, "")]
        for each in found.dimensions
    ]
    return [
        Section("", [header(found.rubric), *models], [*head, *["with people"] * people], rows),
        Section("", told, tone=_TONES[found.verdict]),
        Section("", found.notes),
        Section("Outputs that do not pass", (), ("output", "dimension", "why"), marks[:_SHOWN] + more, left),
        Section(
            "Appendix: what each dimension took",
            (),
            ("dimension", "method", *_TAKEN[1:], "variance"),
            took,
            frozenset({0, 1}),
        ),
    ]


def _row(each: DimensionScore) -> list[str]:
    count = sum(each.outputs.values()) - each.outputs.get("not_applicable", 0)
    return [
        each.id,
        "gate" if each.gate else _number(each.weight, 2),
        _number(each.share, 3, ""),
        _number(each.mean, 1),
        "" if each.gate else _number(each.threshold, 0),
        f"{each.passed}/{count}",
        _CAME[each.passes] if count else "n/a",
        _number(each.effective, 1, ""),
    ]


def _number(value: float | None, places: int, missing: str = "none") -> str:
    return missing if value is None else f"{value:.{places}f}"


def _taken(taken: Taken, outputs: int) -> list[str]:
    tokens = taken.prompt_tokens + taken.completion_tokens
    cost = taken.cost
    costs = ["unknown"] * 2 if cost is None else [f"${cost:.4g}", f"${cost / max(1, outputs):.2g}"]
    return [f"{taken.calls:,}", f"{tokens:,}", *costs]


def rubric_sections(rubric: Rubric) -> list[Section]:
    """Return a rubric: every dimension with its method, both weights, and its threshold."""
    head = ["dimension", "method", "weight", "normalised", "threshold", "description"]
    rows = [
        [
            each.id,
            each.method + "*" * bool(each.method_from),
            "gate" if each.gate else _number(each.weight, 2),
            _number(rubric.normalised.get(each.id), 4, ""),
            "" if each.gate else _number(each.threshold, 0),
            each.description,
        ]
        for each in rubric.dimensions
    ]
    sums = sum(each.weight or 0 for each in rubric.dimensions)
    told = [f"status {rubric.status}; the weights sum to {sums:.2f} as written and to 1 normalised"]
    if rubric.parent:
        told.append(f"{rubric.change_class} change of {rubric.parent}")
    told += [f"* {each.id}: method from {each.method_from}" for each in rubric.dimensions if each.method_from]
    policy = rubric.safety_policy
    checks = [[each.id, each.method, each.human or "no person", each.description] for each in policy.checks]
    names = ("check", "method", "human", "description")
    return [
        Section("", [header(rubric.header), *told], head, rows, left=frozenset({0, 1, 5})),
        Section(f"Safety policy {policy.reference}", (), names, checks, frozenset(range(4))),
    ]


def cost_section(title: str, costs: Mapping[str, Taken], outputs: int) -> Section:
    """Return what dimensions will take; advice only."""
    rows = [[name, *_taken(taken, outputs)] for name, taken in costs.items()]
    told = [f"{title}: estimated for {outputs:,} outputs; everything else runs without calls"]
    return Section("", told, _TAKEN, rows)


def change_section(changes: Sequence[Change], size: str | None) -> Section:
    """Return what differs between two versions."""
    return Section(f"{size or 'no'} change", (), ("class", "difference"), changes, frozenset({0, 1}))


def scores_beside_section(found: ScoresBeside) -> Section:
    """Return two scores side by side, under the banner where the rubrics differ."""
    both = {**found.dimensions, **({"weighted total": found.totals} if found.totals else {})}
    rows = [[name, *(_number(each, 1) for each in pair)] for name, pair in both.items()]
    head = ("dimension", *(f"{each.id} {each.version}" for each in found.rubrics))
    told = [found.banner] if found.banner else []
    return Section("", [*told, *map(header, found.rubrics)], head, rows, tone="unclear" if told else "")


def rubrics_of(folder: RunFolder, form: str, width: int = 80) -> list[str]:
    """Return what every rubric said of a run that was scored by it, in a format of tables."""
    if not (kept := sorted(folder.path.glob("rubric-*.json"))):
        return []
    from ragharness.rubrics.scores import read_scores

    found = map(read_scores, kept)
    return [render(rubric_scores_sections(each), form, width).rstrip() for each in found]
