"""The answers that need a person, with what each grader said, as terminal text and as a JSON value."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from ragharness.reports.text import labelled, one_line, paragraph

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ragharness.records import Opinion, Record, Verdict

_LABEL = 14
_WHY = 300
"""Characters of a reason that are shown."""


def review_facts(records: Iterable[Record]) -> dict[str, Any]:
    """Return who decided how many answers, and the answers that are open or on which graders differ."""
    decided: Counter[str] = Counter()
    answers = []
    for record in records:
        verdict = record.verdict
        if verdict is None:
            continue
        if verdict.bucket is not None:
            decided[_name(verdict.grader)] += 1
        differ = "disagreement" in verdict.flags
        if verdict.status == "needs_review" or differ:
            answers.append(
                {
                    "question": record.question,
                    "epoch": record.epoch,
                    "reason": "graders differ" if differ else "nobody decided",
                    "answer": record.answer.text if record.answer else "",
                    "said": _said(verdict),
                }
            )
    return {"decided": dict(sorted(decided.items())), "answers": answers}


def review_lines(facts: dict[str, Any], width: int) -> list[str]:
    """Return the same as text."""
    told = ", ".join(f"{name} {count}" for name, count in facts["decided"].items())
    lines = paragraph(f"decided by: {told or 'nobody'}", width)
    if not facts["answers"]:
        return [*lines, "nothing is open, and no graders differ"]
    reasons = Counter(each["reason"] for each in facts["answers"])
    lines += paragraph("; ".join(f"{reason}: {count}" for reason, count in sorted(reasons.items())), width)
    for each in facts["answers"]:
        lines += ["", f"{each['question']}   {each['reason']}"]
        lines += labelled("  answer", one_line(each["answer"], _WHY), width, _LABEL)
        for one in each["said"]:
            outcome = one["bucket"] or one["status"].replace("_", " ")
            lines += labelled(
                f"  {_short(one['grader'])}", one_line(f"{outcome}: {one['why']}", _WHY), width, _LABEL
            )
    return lines


def _said(verdict: Verdict) -> list[dict[str, Any]]:
    """Return what each grader said; where none decided, they are all among the others."""
    open_to_all = verdict.bucket is None and verdict.others
    asked: list[Verdict | Opinion] = [*([] if open_to_all else [verdict]), *verdict.others]
    return [
        {
            "grader": each.grader,
            "bucket": each.bucket,
            "status": each.status,
            "why": each.why,
            "scores": {made.decision: made.mean for made in each.judgements},
        }
        for each in asked
    ]


def _name(grader: str) -> str:
    return grader.partition("@")[0]


def _short(grader: str) -> str:
    return _name(grader)[: _LABEL - 4]
