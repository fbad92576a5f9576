"""Reads government reports in every layout in which they come; by default a subset, chosen by their ids."""

from __future__ import annotations

import re
from hashlib import sha256
from typing import TYPE_CHECKING

from ragharness.download import files_in
from ragharness.errors import CorruptDownload
from ragharness.records import Document, Evidence, Fact

from .findings import findings
from .layouts import reports_in
from .naming import name_reports
from .pairs import Row
from .people import SOURCE, People

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from .lines import Found
    from .naming import Name
    from .report import Report

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
    chosen = sorted(sorted(reports, key=_draw)[:most], key=lambda each: each.number)
    if len(chosen) < len(reports):
        notices.append(f"{len(chosen)} of {len(reports)} reports are read; --subset all reads every one")
    documents: list[Document] = []
    facts: list[Fact] = []
    for report, named in zip(chosen, name_reports(chosen), strict=True):
        document = _document(report, named)
        documents.append(document)
        facts += _facts(report, document, people.asked(report, document))
    return documents, facts, [*notices, *people.notices(reports)]


def _draw(report: Report) -> str:
    return sha256(report.number.encode()).hexdigest()


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


def _facts(report: Report, document: Document, asked: tuple[Found, ...]) -> Iterator[Fact]:
    """Yield what people asked, then what else the report states, each with its question."""
    if not document.handle:
        return
    numbers: dict[str, int] = {}
    taken = {start for each in asked for start, _ in each.places}
    other = findings(report.body, report.summary, report.agency, document.title)
    for found in (*asked, *(each for each in other if taken.isdisjoint(start for start, _ in each.places))):
        sort = found.sort or found.kind
        numbers[sort] = numbers.get(sort, 0) + 1
        near = {
            f"near{place}": f"{value} {start} {end}"
            for place, (value, start, end) in enumerate(found.near, 1)
        }
        yield Fact(
            document=document.id,
            topic=f"{sort}-{numbers[sort]:02}",
            kind=found.kind,
            answers=(found.answer,),
            evidence=tuple(Evidence(document.id, start, end) for start, end in sorted(found.places)),
            unit=found.unit,
            date_precision=found.precision,
            details={
                "ask": found.ask,
                "stated": "summary and body" if found.also_summary else "body",
                **({"alone": "yes"} if found.alone else {}),
                **({"also": "|".join(found.also)} if found.also else {}),
                **({"worded": SOURCE} if found in asked else {}),
                **near,
            },
        )
