"""Reads government reports in every layout in which they come; by default a subset, chosen by their ids.

Rows of what people asked of them (GovReport-QS) may hold reports, too.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from hashlib import sha256
from pathlib import Path

from ragharness.corpus.download.obtaining import files_in
from ragharness.errors import CorruptDownload
from ragharness.records import Document

from .layouts import Pair, Row, identified, made, reports_in
from .reports import Name, Report, name_reports

SUFFIXES = (".json", ".jsonl", ".md", ".parquet")
DEFAULT_SUBSET = 120  # reports read when no number is asked for: a run over them takes minutes
_SHORTEST = 200  # words below which a text is no report
_SPLITS = {"test": ("test",), "validation": ("validation", "valid", "dev"), "train": ("train",)}


def parse(folder: Path, split: str) -> tuple[list[Document], list[str]]:
    """Documents of a split ("test", "test:300"), and sentences about what was left out.

    Raises CorruptDownload where a folder holds no report at all.
    """
    name, _, subset = split.partition(":")
    reports, people, notices = read_reports(folder, name)
    if not reports:
        raise CorruptDownload(
            f"expected government reports (Markdown of CRS or GAO, JSON of the archive, rows with a document)"
            f" in {folder}, found none",
            help="ragharness corpus show govreport",
        )
    most = len(reports) if subset == "all" else int(subset or DEFAULT_SUBSET)
    drawn = sorted(reports, key=lambda report: sha256(report.number.encode()).hexdigest())
    chosen = sorted(drawn[:most], key=lambda report: report.number)
    if len(chosen) < len(reports):
        notices.append(f"{len(chosen)} of {len(reports)} reports are read; --subset all reads every one")
    documents = list(map(_document, chosen, name_reports(chosen)))
    return documents, [*notices, *people.notices(reports, chosen)]


def read_reports(folder: Path, split: str) -> tuple[list[Report], People, list[str]]:
    """Reports of a split, each once, what people asked of them, and sentences about the files."""
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
        names = ", ".join(sorted(set(strange))[:3])
        notices.append(f"left out, no report: {names}{' ...' if len(set(strange)) > 3 else ''}")
    if twice:
        notices.append(f"left out, there already: {twice}")
    return list(reports.values()), people, notices


def _of_split(files: list[Path], split: str) -> list[Path]:
    """Files named for a split; all of them where none is."""
    return [path for path in files if _split_of(path) == split] or files


def _split_of(path: Path) -> str:
    """Split that a file, or its folder, is named for; empty for none."""
    named = (re.split(r"[\W_]", path.stem)[0], path.parent.name)
    return next((split for split, marks in _SPLITS.items() if any(name in marks for name in named)), "")


def _members(folder: Path, split: str) -> set[str]:
    """Ids that the original archive counts among a split; none without its lists."""
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
        id=document_id(report),
        title=named.title,
        text=report.body,
        handle=named.handle,
        paraphrase=named.paraphrase,
        genre="government report",
        source=report.source,
    )


def document_id(report: Report) -> str:
    """Id of a report in the corpus."""
    plain = re.sub(r"[^a-z0-9-]+", "-", report.number.casefold()).strip("-")
    return plain or f"report-{sha256(report.body.encode()).hexdigest()[:8]}"


SOURCE = "GovReport-QS"  # where the pairs come from; in the details of what is asked
_NAMED = 5  # faults, and ids without a report, that are named; the rest is counted


class People:
    """The pairs of a folder by the number of their report."""

    def __init__(self) -> None:
        self._rows: dict[str, list[Row]] = {}
        self._faults: list[str] = []

    def take(self, row: Row) -> None:
        """Keep a row of pairs."""
        self._faults += row.faults
        if row.name:
            self._rows.setdefault(identified(row.name)[1].casefold(), []).append(row)

    def reports(self) -> Iterator[Report]:
        """Yield the reports that the rows hold themselves, one for each id."""
        for rows in self._rows.values():
            whole = next((row for row in rows if row.body), None)
            summary = "\n".join(dict.fromkeys(row.summary for row in rows))
            if whole and (report := made(whole.name, whole.body, summary, "", SOURCE)):
                yield report

    def pairs(self, report: Report) -> list[Pair]:
        """What people asked of a report, each question with its answer once."""
        rows = self._rows.get(report.number.casefold(), ())
        # Both ways in which the rows are published may be there.
        return list({(pair.question, pair.answer): pair for row in rows for pair in row.pairs}.values())

    def notices(self, reports: Sequence[Report], chosen: Sequence[Report]) -> list[str]:
        """Sentences about rows that cannot be used; ``chosen`` are the reports that the corpus has."""
        numbers = {report.number.casefold() for report in reports}
        read = {report.number.casefold() for report in chosen}
        strange = [rows[0].name for key, rows in sorted(self._rows.items()) if key not in numbers]
        unread = len(numbers & self._rows.keys() - read)
        notices = [f"left out of {SOURCE}, {fault}" for fault in self._faults[:_NAMED]]
        if len(self._faults) > _NAMED:
            notices.append(f"left out of {SOURCE}: {len(self._faults) - _NAMED} more faults like these")
        if strange:
            more = f" and {len(strange) - _NAMED} more" if len(strange) > _NAMED else ""
            notices.append(f"{SOURCE} asks of reports that are not here: {', '.join(strange[:_NAMED])}{more}")
        if unread:
            notices.append(f"{SOURCE} asks of {unread} more reports, outside the part that is read")
        return notices
