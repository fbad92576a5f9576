"""Rubrics and the scores by them as tables: the total never stands without its dimensions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragharness.reports.tables import Section

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ragharness.reports.text import Tone
    from ragharness.rubrics.changes import Change
    from ragharness.rubrics.comparing import ScoresBeside
    from ragharness.rubrics.judge import Taken
    from ragharness.rubrics.rubric import Header, Rubric
    from ragharness.rubrics.scores import DimensionScore, RubricScores

_TONES: dict[str, Tone] = {"pass": "good", "fail": "bad", "incomplete": "unclear"}
_SHOWN = 10
"""Outputs that fail and are named."""


def header(rubric: Header) -> str:
    """Return id, version, owner and hash in one line."""
    return f"rubric {rubric.id} {rubric.version}, owner {rubric.owner}, hash {rubric.hash}"


def rubric_scores_sections(found: RubricScores) -> list[Section]:
    """Return the report: header, dimensions, verdict, what fails, and what each dimension took."""
    head = ["dimension", "method", "weight", "share", "score", "threshold", "passed", "", "with people"]
    rows = [_row(each) for each in found.dimensions]
    total = "none" if found.total is None else f"{found.total:.1f}"
    gates = [each.id for each in found.dimensions if each.gate and each.passes is False]
    why = f" (a failed gate fails it whatever the total: {', '.join(gates)})" if gates else ""
    told = [f"{found.verdict.upper()}{why}: {found.outputs} outputs, weighted total {total} of 100"]
    models = [
        f"{what}: {name}" for what, name in (("judge", found.judge), ("embedding", found.embedding)) if name
    ]
    return [
        Section("", [header(found.rubric), *models], head, rows, left=frozenset({0, 1})),
        Section("", told, tone=_TONES[found.verdict]),
        Section("", found.notes),
        Section(
            "Outputs that do not pass",
            (),
            ("output", "dimension", "why"),
            _failing(found),
            frozenset({0, 1, 2}),
        ),
        _appendix(found),
    ]


def _row(each: DimensionScore) -> list[str]:
    came = {True: "pass", False: "FAIL", None: "open"}[each.passes]
    applies = set(each.outputs) - {"not_applicable"}
    count = sum(each.outputs.values()) - each.outputs.get("not_applicable", 0)
    return [
        each.id,
        each.method,
        "gate" if each.gate else _number(each.weight, 2),
        "" if each.share is None else f"{each.share:.3f}",
        _number(each.mean, 1),
        "" if each.gate else _number(each.threshold, 0),
        f"{each.passed}/{count}",
        came if applies else "n/a",
        "" if each.effective is None else f"{each.effective:.1f}",
    ]


def _number(value: float | None, places: int) -> str:
    return "none" if value is None else f"{value:.{places}f}"


def _failing(found: RubricScores) -> list[list[str]]:
    marks = [
        [item.id, mark.dimension, mark.told or mark.status.replace("_", " ")]
        for item in found.items
        for mark in item.marks
        if mark.passes is not True and mark.status != "not_applicable"
    ]
    more = len(marks) - _SHOWN
    return [*marks[:_SHOWN], *([["", "", f"and {more} more"]] if more > 0 else [])]


def _appendix(found: RubricScores) -> Section:
    head = ["dimension", "calls", "tokens", "cost", "an output", "vote variance"]
    rows = []
    for each in found.dimensions:
        spread = "" if each.variance is None else f"{each.variance:.2f}"
        rows.append([*_taken(each.id, each.taken, found.outputs), spread])
    return Section("Appendix: what each dimension took", (), head, rows)


def _taken(name: str, taken: Taken, outputs: int) -> list[str]:
    tokens = taken.prompt_tokens + taken.completion_tokens
    if taken.cost is None:
        return [name, f"{taken.calls:,}", f"{tokens:,}", "unknown", "unknown"]
    return [
        name,
        f"{taken.calls:,}",
        f"{tokens:,}",
        f"${taken.cost:.4g}",
        f"${taken.cost / max(1, outputs):.2g}",
    ]


def rubric_sections(rubric: Rubric, header_of: Header) -> list[Section]:
    """Return a rubric: every dimension with its method, both weights, and its threshold."""
    head = ["dimension", "method", "weight", "normalised", "threshold", "description"]
    rows = [
        [
            each.id,
            each.method + ("*" if each.method_from else ""),
            "gate" if each.gate else _number(each.weight, 2),
            f"{rubric.normalised[each.id]:.4f}" if each.id in rubric.normalised else "",
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
    checked = Section(
        f"Safety policy {policy.reference}", (), ("check", "method", "human", ""), checks, frozenset(range(4))
    )
    return [Section("", [header(header_of), *told], head, rows, left=frozenset({0, 1, 5})), checked]


def cost_section(title: str, costs: Mapping[str, Taken], outputs: int) -> Section:
    """Return what dimensions will take; advice only."""
    rows = [_taken(name, taken, outputs) for name, taken in costs.items()]
    told = [f"{title}: estimated for {outputs:,} outputs; everything else runs without calls"]
    return Section("", told, ("dimension", "calls", "tokens", "cost", "an output"), rows)


def change_section(changes: Sequence[Change], size: str | None) -> Section:
    """Return what differs between two versions."""
    rows = [[each.weight, each.told] for each in changes]
    return Section(f"{size or 'no'} change", (), ("class", "difference"), rows, frozenset({0, 1}))


def scores_beside_section(found: ScoresBeside) -> Section:
    """Return two scores side by side, under the banner where the rubrics differ."""
    first, second = found.rubrics
    both = {**found.dimensions, **({"weighted total": found.totals} if found.totals else {})}
    rows = [[name, *(_number(each, 1) for each in pair)] for name, pair in both.items()]
    head = ("dimension", f"{first.id} {first.version}", f"{second.id} {second.version}")
    told = [found.banner] if found.banner else []
    return Section("", [*told, header(first), header(second)], head, rows, tone="unclear" if told else "")
