"""The result of a calibration as terminal text and as a JSON value."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ragharness.analysis.calibration.measuring import OUTCOMES, Calibration, Confusion, Difference, rates
from ragharness.analysis.metrics import Share
from ragharness.reports.text import aligned, labelled, one_line, paragraph, rate

_TOLD = {
    "false_correct": ("false correct", "of our corrects"),
    "false_wrong": ("false wrong", "of people's corrects"),
    "needs_review": ("needs review", "of all answers"),
    "refusal_recall": ("refusal recall", "of people's refusals"),
    "refusal_precision": ("refusal precision", "of our refusals"),
    "agreement_all": ("agreement, all", "review counts against it"),
    "agreement_graded": ("agreement, graded", "without review"),
}
_KINDS = ("yesno", "number", "date", "text", "list", "sentence", "no gold")
_HEADS = {"needs_review": "review", "no_answer": "none"}
_SELDOM = ("unsupported", "no_answer")
_ANSWER = 400
"""Characters of an answer that are shown."""
_LABEL = 10


def calibration_lines(found: Calibration, name: str, width: int) -> list[str]:
    """Return the confusion, the rates, both by kind of gold, and the differences asked for."""
    whole = rates(found.confusion)
    lines = [f"{found.n:,} answers of {name}   grader {found.grader}", ""]
    lines += aligned(_confusion(found.confusion))
    cells = [(*_TOLD[key], value) for key, value in whole._asdict().items()]
    told = [_rate(label, share, what) for label, what, share in cells]
    lines += ["", *_fitting((told, [row[:-1] for row in told]), width, left=(0, 3, 4))]
    lines += ["", *_fitting((_by_kind(found, _half_width), _by_kind(found)), width)]
    note = "in brackets: 95% confidence intervals, assuming one answer per question"
    lines += ["", *paragraph(note, width)]
    for each in found.differences:
        lines += ["", *_difference(each, width)]
    return lines


def calibration_facts(found: Calibration, *, show: bool = False) -> dict[str, Any]:
    """Return the same as a JSON value; rates are fractions, null where nothing was counted."""
    facts = {"grader": found.grader, **_facts(found.confusion)}
    facts["by_kind"] = {kind: _facts(found.by_kind[kind]) for kind in _sorted(found)}
    if show:
        facts["differences"] = [_difference_facts(each) for each in found.differences]
    return facts


def _facts(confusion: Confusion) -> dict[str, Any]:
    shares = rates(confusion)._asdict()
    return {
        "n": sum(sum(row.values()) for row in confusion.values()),
        "confusion": confusion,
        **{key: share.count / share.n if share and share.n else None for key, share in shares.items()},
        "intervals": {key: share and _share(share) for key, share in shares.items()},
    }


def _share(share: Share) -> dict[str, float | None]:
    return {"count": share.count, "n": share.n, "low": share.low, "high": share.high}


def _difference_facts(each: Difference) -> dict[str, Any]:
    asked, verdict = each.labelled, each.verdict
    return {
        "id": asked.question.id,
        "question": asked.question.text,
        "answers": list(asked.golds),
        "kind": asked.shape,
        "answer": asked.answer.text,
        "label": asked.label,
        "verdict": verdict.bucket or verdict.status,
        "reason": verdict.reason,
        "why": verdict.why,
    }


def _confusion(confusion: Confusion) -> list[Sequence[str]]:
    """People's labels against outcomes; what no answer came out as is left out if it is seldom."""
    met = [each for each in OUTCOMES if each not in _SELDOM or any(row[each] for row in confusion.values())]
    rows: list[Sequence[str]] = [("PEOPLE", *(_HEADS.get(each, each) for each in met), "all")]
    for label, row in confusion.items():
        rows.append((label, *(str(row[outcome]) for outcome in met), str(sum(row.values()))))
    return rows


def _rate(label: str, share: Share | None, what: str) -> Sequence[str]:
    if share is None:
        return label, "", "n/a", "", "no such human label"
    return label, f"{share.count}/{share.n}", rate(share, 1), _interval(share), what


def _interval(share: Share) -> str:
    if share.low is None or share.high is None:
        return ""
    return f"[{100 * share.low:.1f}-{100 * share.high:.1f}]"


def _by_kind(found: Calibration, more: Callable[[Share], str] = lambda _: "") -> list[Sequence[str]]:
    """Rates for each kind of gold, under headings of two lines; ``more`` is said beside each."""
    rows: list[Sequence[str]] = [
        ("", "", "false", "false", "", "agreed", "agreed"),
        ("GOLD", "N", "correct", "wrong", "review", "of all", "graded"),
    ]
    for kind in _sorted(found):
        each = rates(found.by_kind[kind])
        shares = each.false_correct, each.false_wrong, each.needs_review, each.agreement_all
        cells = [f"{rate(share, 1)}{more(share)}" for share in (*shares, each.agreement_graded)]
        rows.append((kind, str(each.needs_review.n), *cells))
    return rows


def _half_width(share: Share) -> str:
    """Return half the width of an interval, which fits a column."""
    return "" if share.low is None or share.high is None else f" +-{50 * (share.high - share.low):.0f}"


def _fitting(
    tables: Sequence[Sequence[Sequence[str]]], width: int, left: tuple[int, ...] = (0,)
) -> list[str]:
    """Return the first of some tables that fits, or the last."""
    drawn = [aligned(rows, left) for rows in tables]
    return next((lines for lines in drawn if max(map(len, lines)) <= width), drawn[-1])


def _sorted(found: Calibration) -> list[str]:
    return sorted(found.by_kind, key=_KINDS.index)


def _difference(each: Difference, width: int) -> list[str]:
    asked, verdict = each.labelled, each.verdict
    outcome = verdict.bucket or verdict.status.replace("_", " ")
    rows = [
        (asked.question.id, f"people: {asked.label}   grader: {outcome} ({verdict.reason})"),
        ("question", one_line(asked.question.text, _ANSWER)),
        ("gold", one_line(" | ".join(asked.golds) or "none", _ANSWER)),
        ("answer", _cut(asked.answer.text)),
        ("because", one_line(verdict.why, _ANSWER)),
    ]
    (first, told), *rest = rows
    lines = [f"{one_line(first, width - 2)}", *labelled("", told, width, _LABEL)]
    return lines + [line for label, text in rest for line in labelled(label, text, width, _LABEL)]


def _cut(text: str) -> str:
    """Return the beginning and the end of a long answer: what it concludes stands at either."""
    flat = one_line(text, len(text) + 1)
    if len(flat) <= _ANSWER:
        return flat
    half = _ANSWER // 2
    return f"{flat[:half].rsplit(' ', 1)[0]} [...] {flat[-half:].partition(' ')[2]}"
