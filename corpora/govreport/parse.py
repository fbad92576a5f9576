"""Reads government reports in every layout in which they come; by default a subset, chosen by their ids.

What people asked of them (GovReport-QS) is joined with reports by id, and it is told why others give no question.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from hashlib import sha256
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

from ragharness.corpus.download.obtaining import files_in
from ragharness.errors import CorruptDownload
from ragharness.records import Document, Fact
from ragharness.support.cores import on_all_cores

from . import certain
from .findings import findings
from .layouts import identified, made, reports_in
from .lines import facts_of
from .naming import name_reports
from .pairs import Row

if TYPE_CHECKING:
    from .lines import Found
    from .naming import Name, Report

SUFFIXES = (".json", ".jsonl", ".md", ".parquet")
DEFAULT_SUBSET = 120
"""Reports read when no number is asked for: a run over them takes minutes."""

_SHORTEST = 200
"""Words below which a text is no report."""

_SPLITS = {"test": ("test",), "validation": ("validation", "valid", "dev"), "train": ("train",)}


def parse(folder: Path, split: str) -> tuple[list[Document], list[Fact], list[str]]:
    """Return the documents of a split ("test", "test:300"), what they state, and what was left out.

    Raises CorruptDownload where a folder holds no report at all.
    """
    name, _, asked = split.partition(":")
    reports, people, notices = _read(folder, name)
    if not reports:
        raise CorruptDownload(
            f"expected government reports (Markdown of CRS or GAO, JSON of the archive, rows with a document)"
            f" in {folder}, found none",
            help="ragharness corpus show govreport",
        )
    most = len(reports) if asked == "all" else int(asked or DEFAULT_SUBSET)
    drawn = sorted(reports, key=lambda each: sha256(each.number.encode()).hexdigest())
    chosen = sorted(drawn[:most], key=lambda each: each.number)
    if len(chosen) < len(reports):
        notices.append(f"{len(chosen)} of {len(reports)} reports are read; --subset all reads every one")
    documents = list(map(_document, chosen, name_reports(chosen)))
    asked_of = map(people.asked, chosen, documents)
    facts = on_all_cores(_facts, list(zip(chosen, documents, asked_of, strict=True)))
    return documents, list(chain.from_iterable(facts)), [*notices, *people.notices(reports)]


def _read(folder: Path, split: str) -> tuple[list[Report], People, list[str]]:
    """Return the reports of a split, each once, what people asked of them, and sentences about the files."""
    every = files_in(folder, SUFFIXES)
    files = _of_split(every, split)
    people = People()
    members = _members(folder, split)
    reports: dict[str, Report] = {}
    texts: set[str] = set()
    strange: list[str] = []
    twice = 0
    for path, report in reports_in(files):
        if isinstance(report, Row):
            people.take(report)
        elif report is None or len(report.body.split()) < _SHORTEST:
            strange.append(path.name)
        elif members and report.number.casefold() not in members:
            continue
        elif report.number in reports or report.body in texts:
            twice += 1
        else:
            reports[report.number] = report
            texts.add(report.body)
    for _, row in reports_in([path for path in every if path not in files and not _split_of(path)]):
        if isinstance(row, Row):
            people.take(row)
    for report in people.reports():
        if len(report.body.split()) >= _SHORTEST and (not members or report.number.casefold() in members):
            reports.setdefault(report.number, report)
    notices = []
    if strange and reports:
        told = ", ".join(sorted(set(strange))[:3])
        notices.append(f"left out, no report: {told}{' ...' if len(set(strange)) > 3 else ''}")
    if twice:
        notices.append(f"left out, there already: {twice}")
    return list(reports.values()), people, notices


def _of_split(files: list[Path], split: str) -> list[Path]:
    """Return the files named for a split; all of them where none is."""
    return [path for path in files if _split_of(path) == split] or files


def _split_of(path: Path) -> str:
    """Return the split that a file, or its folder, is named for; empty for none."""
    named = (re.split(r"[\W_]", path.stem)[0], path.parent.name)
    return next((split for split, marks in _SPLITS.items() if any(each in marks for each in named)), "")


def _members(folder: Path, split: str) -> set[str]:
    """Return the ids that the original archive counts among a split; none without its lists."""
    lists = [
        path
        for path in files_in(folder, (".ids",))
        if path.stem.rpartition("_")[2] in _SPLITS.get(split, (split,))
    ]
    return {
        line.strip().casefold() for path in lists for line in path.read_text(encoding="utf-8").splitlines()
    }


def _document(report: Report, named: Name) -> Document:
    return Document(
        id=_id(report),
        title=named.title,
        text=report.body,
        handle=named.handle,
        paraphrase=named.paraphrase,
        genre="government report",
        source=report.source,
    )


def _id(report: Report) -> str:
    plain = re.sub(r"[^a-z0-9-]+", "-", report.number.casefold()).strip("-")
    return plain or f"report-{sha256(report.body.encode()).hexdigest()[:8]}"


def _facts(read: tuple[Report, Document, tuple[Found, ...]]) -> list[Fact]:
    """Return what people asked, then what else the report states, each with its question."""
    report, document, asked = read
    if not document.handle:
        return []
    taken = {start for each in asked for start, _ in each.places}
    other = findings(report.body, report.summary, report.agency, document.title)
    new = (each for each in other if taken.isdisjoint(start for start, _ in each.places))
    found = [(each, {"worded": SOURCE}) for each in asked] + [(each, {}) for each in new]
    for each, told in found:
        told["stated"] = "summary and body" if each.also_summary else "body"
    return list(facts_of(document.id, found))


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
            self._rows.setdefault(identified(row.name)[1].casefold(), []).append(row)

    def reports(self) -> Iterator[Report]:
        """Yield the reports that the rows hold themselves, one for each id."""
        for rows in self._rows.values():
            whole = next((each for each in rows if each.body), None)
            summary = "\n".join(dict.fromkeys(each.summary for each in rows))
            if whole and (report := made(whole.name, whole.body, summary, "", SOURCE)):
                yield report

    def asked(self, report: Report, document: Document) -> tuple[Found, ...]:
        """Return what people asked of a report that its text answers for certain, as findings."""
        rows = self._rows.get(report.number.casefold(), ())
        self._read.add(report.number.casefold())
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
        here = {each.number.casefold() for each in reports}
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
