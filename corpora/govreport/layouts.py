"""The layouts in which reports come: rows of the hub, the original archive's JSON, Markdown."""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING

from ragharness.support.rows import data_rows

from . import markdown, pairs
from .naming import Report

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    Read = Report | pairs.Row | None

_ID, _BODY, _SUMMARY = ("id", "report_id"), ("document", "report", "input"), ("summary", "outputs")
"""Names of the columns: the hub's data set, its mirror, collections that took rows from it."""

_LARGEST = 400_000_000
"""Bytes of a file above which it is none of these."""

_DEEPEST = 40
"""Sections within sections: reports have six at most."""


def reports_in(files: Iterable[Path]) -> Iterator[tuple[Path, Read]]:
    """Yield every report of the files, and every row of pairs, with its file; None for what holds neither.

    Raises MissingExtra for Parquet without its reader, OSError where a file cannot be read.
    """
    for path in files:
        found = 0
        if path.stat().st_size <= _LARGEST:
            for report in _of_file(path):
                found += 1
                yield path, report
        if not found:
            yield path, None


def _of_file(path: Path) -> Iterator[Read]:
    if path.suffix.casefold() == ".md":
        yield markdown.read(path.read_text(encoding="utf-8", errors="replace"), path.name)
        return
    with path.open("rb") as file:
        for place, content, _ in data_rows(file, path.name):
            # A lone object may be a file of the archive.
            lone = content if isinstance(content, dict) and place == path.name else {}
            yield _of_archive(lone, path) or _row(content, place)


def _row(row: object, place: str) -> Read:
    """Return a row of columns as a report, or as the pairs that it holds."""
    if pairs.is_row(row):
        return pairs.read(row, place)
    if not isinstance(row, dict):
        return None
    name, body, summary, title = (_column(row, names) for names in (_ID, _BODY, _SUMMARY, ("title",)))
    return made(name, body, summary, title, place)


def made(name: str, body: str, summary: str, title: str, source: str) -> Report | None:
    """Return a report by the id that a row gives it; None without a text."""
    if not body.strip():
        return None
    agency, number = identified(name)
    return Report(
        number=number or f"report-{sha256(body.encode()).hexdigest()[:8]}",
        agency=(agency or _agency(name)).upper(),
        title=title,
        body=body,
        summary=summary,
        source=source,
    )


def identified(name: str) -> tuple[str, str]:
    """Return the agency and the number of an id: ("CRS", "R45100") of "CRS_R45100"."""
    return (name[:3], name[4:]) if name[:4].upper() in _PREFIXES else ("", name)


_PREFIXES = ("CRS_", "GAO_", "CRS-")


def _agency(name: str) -> str:
    if name.upper().startswith("GAO"):
        return "GAO"
    return "CRS" if name[:1] == "R" and name[-5:].isdigit() else ""


def _column(row: dict[str, object], names: tuple[str, ...]) -> str:
    value = next((row[name] for name in names if name in row), "")
    if isinstance(value, list):
        value = next(iter(value), "")
    return value if isinstance(value, str) else ""


def _of_archive(content: dict[str, object], path: Path) -> Report | None:
    """Return a file of the original archive as a report: sections within sections."""
    sections = content.get("reports", content.get("report"))
    number = _column(content, ("id",))
    if not isinstance(sections, (list, dict)) or not number.strip():
        return None
    gao = "report" in content
    summary = content.get("highlight" if gao else "summary") or content.get("fastfact", "")
    return Report(
        number=number.upper(),
        agency="GAO" if gao else "CRS",
        title=" ".join(_column(content, ("title",)).split()),
        date=_date(_column(content, ("published_date", "released_date"))),
        body="\n\n".join(_flat(sections)),
        summary="\n".join(_flat(summary)),
        source=path.name,
    )


def _flat(part: object, depth: int = 0) -> Iterator[str]:
    """Yield titles and paragraphs of nested sections in reading order."""
    if depth > _DEEPEST:
        return
    if isinstance(part, str):
        if line := " ".join(part.split()):
            yield line
    elif isinstance(part, list):
        for each in part:
            yield from _flat(each, depth + 1)
    elif isinstance(part, dict):
        for name in ("section_title", "paragraphs", "subsections"):
            yield from _flat(part.get(name, ""), depth + 1)


def _date(text: str) -> str:
    from ragharness.language.dates import find_dates

    found = next((each for each in find_dates(text) if each.year and each.month and each.day), None)
    return f"{found.year:04d}-{found.month:02d}-{found.day:02d}" if found else ""
