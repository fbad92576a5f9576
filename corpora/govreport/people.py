"""What people asked of the reports: pairs joined with reports by id, and why others give no question."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from . import certain
from .layouts import identified, made

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ragharness.records import Document

    from .lines import Found
    from .pairs import Row
    from .report import Report

SOURCE = "GovReport-QS"
"""Where the pairs come from; in the details of what is asked."""

_NAMED = 5
"""Faults, and ids without a report, that are named; the rest is counted."""


class People:
    """The pairs of a folder by the number of their report."""

    def __init__(self) -> None:
        self._rows: dict[str, list[Row]] = {}
        self._faults: list[str] = []
        self._left_out: Counter[str] = Counter()
        self._read: set[str] = set()
        self._given = 0

    def take(self, row: Row) -> None:
        """Keep a row of pairs."""
        self._faults += row.faults
        if row.name:
            self._rows.setdefault(_key(identified(row.name)[1]), []).append(row)

    def reports(self) -> Iterator[Report]:
        """Yield the reports that the rows hold themselves, one for each id."""
        for rows in self._rows.values():
            whole = next((each for each in rows if each.body), None)
            summary = "\n".join(dict.fromkeys(each.summary for each in rows))
            if whole and (report := made(whole.name, whole.body, summary, "", SOURCE)):
                yield report

    def asked(self, report: Report, document: Document) -> tuple[Found, ...]:
        """Return what people asked of a report that its text answers for certain, as findings."""
        rows = self._rows.get(_key(report.number), ())
        self._read.add(_key(report.number))
        # Both ways in which the rows are published may be there.
        pairs = list({(each.question, each.answer): each for row in rows for each in row.pairs}.values())
        if not pairs:
            return ()
        if not document.handle:
            self._left_out[certain.NAMELESS] += len(pairs)
            return ()
        outcome = certain.certain(pairs, report.body, report.summary, report.agency)
        self._left_out += outcome.left_out
        self._given += len(outcome.found)
        return outcome.found

    def notices(self, reports: Sequence[Report]) -> list[str]:
        """Return sentences about pairs that give questions, and about those that do not."""
        here = {_key(each.number) for each in reports}
        strange = [each[0].name for key, each in sorted(self._rows.items()) if key not in here]
        unread = sum(key in here and key not in self._read for key in self._rows)
        told = [f"left out of {SOURCE}, {fault}" for fault in self._faults[:_NAMED]]
        if len(self._faults) > _NAMED:
            told.append(f"left out of {SOURCE}: {len(self._faults) - _NAMED} more faults like these")
        if strange:
            more = f" and {len(strange) - _NAMED} more" if len(strange) > _NAMED else ""
            told.append(f"{SOURCE} asks of reports that are not here: {', '.join(strange[:_NAMED])}{more}")
        if unread:
            told.append(f"{SOURCE} asks of {unread} more reports, outside the part that is read")
        every = self._given + self._left_out.total()
        if every:
            others = ", ".join(
                f"{self._left_out[reason]} {reason}" for reason in certain.REASONS if self._left_out[reason]
            )
            rest = f"; of the others {others}" if others else ""
            told.append(f"{self._given} of {every} pairs of {SOURCE} give questions{rest}")
        return told


def _key(number: str) -> str:
    return number.casefold()
