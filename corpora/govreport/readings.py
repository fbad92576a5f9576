"""What people read in reports, line by line of ``read.jsonl``: what a report states and where, on what it is silent."""

from __future__ import annotations

from collections import defaultdict
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import msgspec

from ragharness.records import Evidence, Fact, Kind, Question

from .silences import names, worded

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ragharness.records import Document

FILE = Path(__file__).with_name("read.jsonl")
_DIGITS = 16
"""Digits of a text's sha256 that tell it from another text of the same report."""


class Read(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A question to one report: with ``answer`` what it states, else what it is silent about."""

    report: str
    text: str
    """The first digits of the sha256 of the text that was read."""
    ask: str
    kind: Kind
    answer: str = ""
    also: tuple[str, ...] = ()
    """Other names of a text; a number as a table states it, more exactly."""
    unit: str = ""
    precision: Literal["", "year", "month", "day"] = ""
    evidence: tuple[tuple[int, int], ...] = ()
    """Every place that states it."""
    near: tuple[tuple[str, int, int], ...] = ()
    """Values that tempt, each with its place."""
    stays: bool = False
    """The answer follows from other places: it cannot be withheld alone."""
    absent: tuple[str, ...] = ()
    """Patterns without a hit in the report."""
    nowhere: bool = False
    """No report of the corpus says it."""


@cache
def _rows() -> dict[tuple[str, str], list[Read]]:
    found: dict[tuple[str, str], list[Read]] = defaultdict(list)
    for line in FILE.read_bytes().splitlines():
        row = msgspec.json.decode(line, type=Read)
        found[row.report, row.text].append(row)
    return found


def read_in(document: Document) -> list[Read]:
    """Return the questions of people who read this text; none where it, or its report, was not read."""
    text = sha256(document.text.encode()).hexdigest()
    return _rows().get((document.id, text[:_DIGITS]), [])


def stated(document: Document) -> Iterator[Fact]:
    """Yield what people read in a report, each with the question that they asked."""
    numbers: dict[str, int] = {}
    for row in read_in(document):
        if not row.answer:
            continue
        numbers[row.kind] = numbers.get(row.kind, 0) + 1
        near = {
            f"near{place}": f"{value} {start} {end}" for place, (value, start, end) in enumerate(row.near, 1)
        }
        yield Fact(
            document=document.id,
            topic=f"{row.kind}-{numbers[row.kind]:02}",
            kind=row.kind,
            answers=(row.answer, *row.also) if row.kind == "number" else (row.answer,),
            evidence=tuple(Evidence(document.id, start, end) for start, end in sorted(row.evidence)),
            unit=row.unit,
            date_precision=row.precision,
            details={
                "ask": row.ask,
                "stated": "read",
                **({} if row.stays else {"alone": "yes"}),
                **({"also": "|".join(row.also)} if row.also and row.kind == "text" else {}),
                **near,
            },
        )


def silent(document: Document) -> Iterator[Question]:
    """Yield what people looked for in a report and did not find, in all wordings."""
    for place, row in enumerate((each for each in read_in(document) if not each.answer), 1):
        for wording, report in names(document):
            yield Question(
                id="",
                text=worded(row.ask, wording, report),
                stratum="unanswerable" if row.nowhere else "grounded",
                target="" if row.nowhere else "refused",
                kind=row.kind,
                answerable=False,
                document=document.id,
                topic=f"unsaid-{row.kind}-{place:02}",
                wording=wording,
                unit=row.unit,
                date_precision=row.precision,
                absence_patterns=row.absent,
                absence_scope="corpus" if row.nowhere else "document",
            )
