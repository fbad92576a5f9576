"""What came of a question, without the texts: kept with published baselines and compared with a new run."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from ragharness.records import Record, Retrieved, YesNo

_TIE = 1e-4
"""Scores of a dense retriever that differ by less are tied."""
_DIGITS = 6
"""Decimals of a score that are kept: sums in another order differ behind them."""
_TOLD = ("reason", "citation_exists", "citation_supports", "refusal_quality", "extra_claim_count")
"""What a verdict says besides its bucket."""


class Outcome(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What came of one question: a record without its texts."""

    question: str
    row: str
    outcome: str
    """The bucket, or the status of what has none."""
    reason: str = ""
    epoch: int = 0
    retrieved: tuple[Retrieved, ...] = ()
    evidence_ranks: tuple[int, ...] = ()
    cited: tuple[str, ...] = ()
    citation_exists: YesNo | None = None
    citation_supports: YesNo | None = None
    refusal_quality: int | None = None
    extra_claim_count: int | None = None
    answer: str = ""
    """SHA-256 of its text; empty: there is none."""

    @classmethod
    def of(cls, record: Record) -> Outcome:
        """Return the outcome of a record."""
        verdict, text = record.verdict, record.answer.text if record.answer else ""
        told: dict[str, Any] = {name: getattr(verdict, name) for name in _TOLD} if verdict else {}
        return cls(
            question=record.question,
            row=record.row,
            outcome=(verdict and verdict.bucket) or record.status,
            epoch=record.epoch,
            retrieved=tuple(Retrieved(each.id, round(each.score, _DIGITS)) for each in record.retrieved),
            evidence_ranks=record.evidence_ranks,
            cited=tuple(sorted(record.cited)),
            answer=sha256(text.encode()).hexdigest() if text else "",
            **told,
        )


def outcome_difference(was: Outcome, now: Outcome, *, loosely: bool) -> str:
    """Return in what an outcome differs; empty: in nothing. ``loosely`` lets tied passages change places."""
    if loosely:
        if not _same_up_to_ties(was.retrieved, now.retrieved):
            return f"{was.question}: other passages retrieved"
        if [each.id for each in was.retrieved] != [each.id for each in now.retrieved]:
            return ""  # the answer may follow the passages
        now = replace(now, retrieved=was.retrieved)
    fields = [name for name in was.__struct_fields__ if getattr(was, name) != getattr(now, name)]
    came = f"({was.outcome} before, now {now.outcome})"
    return f"{was.question}: {', '.join(fields)} {came}" if fields else ""


def _same_up_to_ties(was: Sequence[Retrieved], now: Sequence[Retrieved]) -> bool:
    """Return whether two rankings are one, but for passages with nearly the same score."""
    if len(was) != len(now):
        return False
    scores = {each.id: each.score for each in was}
    least = was[-1].score if was else 0.0
    return all(
        abs(a.score - b.score) <= _TIE and abs(scores.get(b.id, least) - b.score) <= _TIE
        for a, b in zip(was, now, strict=True)
    )
