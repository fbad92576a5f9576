"""Reads government reports in every layout in which they come; by default a subset, chosen by their ids.

The layouts are rows of the hub, the original archive's JSON and Markdown. Rows of what people asked of the
reports (GovReport-QS) may hold reports, too.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any, TypeGuard

from msgspec import Struct

from ragharness.corpus.download.obtaining import files_in
from ragharness.errors import CorruptDownload
from ragharness.records import Document
from ragharness.support.files import data_rows

from .reports import Name, Report, name_reports, read_markdown

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
    files = [path for path in every if _split_of(path) == split] or every  # no file is named for a split
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


def _split_of(path: Path) -> str:
    """Split that a file, or its folder, is named for; empty for none."""
    named = (re.split(r"[\W_]", path.stem)[0], path.parent.name)
    return next((split for split, marks in _SPLITS.items() if any(name in marks for name in named)), "")


def _members(folder: Path, split: str) -> set[str]:
    """Ids that the original archive counts among a split; none without its lists."""
    marks = _SPLITS.get(split, (split,))
    lists = (path for path in files_in(folder, (".ids",)) if path.stem.rpartition("_")[2] in marks)
    text = "\n".join(path.read_text(encoding="utf-8") for path in lists)
    return {line.strip().casefold() for line in text.splitlines()}


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


_ID, _BODY, _SUMMARY = ("id", "report_id"), ("document", "report", "input"), ("summary", "outputs")  # columns
_LARGEST = 400_000_000  # bytes of a file above which it is none of these
_DEEPEST = 40  # sections within sections: reports have six at most


def reports_in(files: Iterable[Path]) -> Iterator[tuple[Path, Read]]:
    """Yield every report of the files, and every row of pairs, with its file; None for what holds neither.

    Raises MissingExtra for Parquet without its reader, OSError where a file cannot be read.
    """
    for path in files:
        empty = True
        for report in _of_file(path) if path.stat().st_size <= _LARGEST else ():
            empty = False
            yield path, report
        if empty:
            yield path, None


def _of_file(path: Path) -> Iterator[Read]:
    if path.suffix.casefold() == ".md":
        yield read_markdown(path.read_text(encoding="utf-8", errors="replace"), path.name)
        return
    with path.open("rb") as file:
        for source, content, _ in data_rows(file, path.name):
            # A lone object may be a file of the archive.
            lone = content if isinstance(content, dict) and source == path.name else {}
            yield _of_archive(lone, path) or _row(content, source)


def _row(row: object, place: str) -> Read:
    """Row of columns as a report, or as the pairs that it holds."""
    if not isinstance(row, dict):
        return None
    if _PAIRS in row:
        return read_pairs(row, place)
    name, body, summary, title = (_column(row, names) for names in (_ID, _BODY, _SUMMARY, ("title",)))
    return made(name, body, summary, title, place)


def made(name: str, body: str, summary: str, title: str, source: str) -> Report | None:
    """Report by the id that a row gives it; None without a text."""
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
    """Agency and the number of an id: ("CRS", "R45100") of "CRS_R45100"."""
    return (name[:3], name[4:]) if name[:4].upper() in ("CRS_", "GAO_", "CRS-") else ("", name)


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
    """File of the original archive as a report: sections within sections."""
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
        for section in part:
            yield from _flat(section, depth + 1)
    elif isinstance(part, dict):
        for name in ("section_title", "paragraphs", "subsections"):
            yield from _flat(part.get(name, ""), depth + 1)


def _date(text: str) -> str:
    from ragharness.language.dates import find_dates

    day = next((date for date in find_dates(text) if date.year and date.month and date.day), None)
    return f"{day.year:04d}-{day.month:02d}-{day.day:02d}" if day else ""


_PAIRS, _SECTIONS = "question_summary_pairs", "document_sections"
_QUESTION, _ANSWER = "question", "summary"
_PARENT, _PARAGRAPH = "parent_pair_index", "summary_paragraph_index"
_NO_PARENT = -1


class Pair(Struct, frozen=True, kw_only=True):
    """What one person asked and what answers it."""

    question: str
    answer: str
    before: str = ""  # the questions and answers that this one asks on from; empty: it begins a tree


class Row(Struct, frozen=True, kw_only=True):
    """One row; ``faults`` says in a sentence each what of it cannot be used."""

    name: str  # the report's id as the row gives it; empty: it gives none
    pairs: tuple[Pair, ...] = ()
    body: str = ""  # the report itself, where the row has its sections
    faults: tuple[str, ...] = ()

    @property
    def summary(self) -> str:
        """The pieces of the official summary that are answers, each once."""
        return "\n".join(dict.fromkeys(pair.answer for pair in self.pairs))


Read = Report | Row | None  # a report, a row of pairs, or neither


def read_pairs(row: dict[str, Any], place: str) -> Row:
    """What a row holds; ``place`` is how its faults call it ("test_pairs.jsonl:3")."""
    name = row.get("doc_id")
    if not isinstance(name, str) or not name.strip():
        return Row(name="", faults=(f"{place}: expected the id of a report in doc_id, found {_shown(name)}",))
    faults: list[str] = []
    pairs = tuple(_pairs(row, place, faults))
    return Row(name=name.strip(), pairs=pairs, body=_body(row, place, faults), faults=tuple(faults))


def _pairs(row: dict[str, Any], place: str, faults: list[str]) -> Iterator[Pair]:
    structs = _structs(row[_PAIRS], (_QUESTION, _ANSWER, _PARENT), f"{place}: {_PAIRS}", faults)
    trees: dict[int, list[tuple[dict[str, Any], str]]] = defaultdict(list)
    for number, pair in enumerate(structs):
        where = f"{place}: pair {number}"
        paragraph = pair.get(_PARAGRAPH, row.get(_PARAGRAPH))
        if not _whole(paragraph):
            faults.append(f"{where}: expected a number in {_PARAGRAPH}, found {_shown(paragraph)}")
            # Parents are counted within a paragraph: of this one nothing more is known.
            return
        trees[paragraph].append((pair, where))
    for tree in trees.values():
        for pair, where in tree:
            if fault := _fault(pair, len(tree)):
                faults.append(f"{where}: {fault}")
                continue
            before = _before(pair, [member for member, _ in tree])
            if before is None:
                faults.append(f"{where}: its parents cannot be read, or go round")
                continue
            yield Pair(question=_words(pair[_QUESTION]), answer=_words(pair[_ANSWER]), before=before)


def _fault(pair: dict[str, Any], count: int) -> str:
    for name in (_QUESTION, _ANSWER):
        if not isinstance(pair[name], str) or not pair[name].strip():
            return f"expected words in {name}, found {_shown(pair[name])}"
    parent = pair[_PARENT]
    if not _whole(parent) or not _NO_PARENT <= parent < count:
        return f"expected -1 or the place of another pair of {count} in {_PARENT}, found {_shown(parent)}"
    return ""


def _before(pair: dict[str, Any], tree: list[dict[str, Any]]) -> str | None:
    """What a pair asks on from, the nearest first; None where its parents go round or are faulty."""
    texts: list[str] = []
    seen = {id(pair)}
    while pair[_PARENT] != _NO_PARENT:
        pair = tree[pair[_PARENT]]
        if id(pair) in seen or _fault(pair, len(tree)):
            return None
        seen.add(id(pair))
        texts += [_words(pair[_QUESTION]), _words(pair[_ANSWER])]
    return " ".join(texts)


def _body(row: dict[str, Any], place: str, faults: list[str]) -> str:
    """Sections one below the other; empty where the row has none that can be read."""
    if row.get(_SECTIONS) is None:
        return ""
    lines: list[str] = []
    for section in _structs(row[_SECTIONS], ("title", "paragraphs"), f"{place}: {_SECTIONS}", faults):
        title, paragraphs = section["title"], section["paragraphs"]
        texts = paragraphs if isinstance(paragraphs, list) else [paragraphs]
        if not all(isinstance(text, str) for text in (title, *texts)):
            faults.append(f"{place}: the sections of the report are no texts")
            return ""
        lines += [title, *(line for text in texts for line in text.split("\n"))]
    return "\n\n".join(line for text in lines if (line := _words(text)))


def _structs(value: object, names: tuple[str, ...], where: str, faults: list[str]) -> list[dict[str, Any]]:
    """List of structs, or a struct of lists, as the former; empty where it is neither."""
    fault, wanted = "", ", ".join(names)
    if isinstance(value, dict):
        lists = {name: column for name, column in value.items() if isinstance(column, list)}
        lengths = {name: len(column) for name, column in lists.items()}
        if missing := [name for name in names if name not in lists]:
            fault = f"expected lists of {wanted}, found none of {', '.join(missing)}"
        elif len(set(lengths.values())) > 1:
            counted = ", ".join(f"{count} of {name}" for name, count in lengths.items())
            fault = f"expected lists of one length, found {counted}"
        else:
            return [dict(zip(lists, row, strict=True)) for row in zip(*lists.values(), strict=True)]
    elif not isinstance(value, list):
        fault = f"expected a list, found {_shown(value)}"
    else:
        present = (each if isinstance(each, dict) else () for each in value)
        lacking = ([name for name in names if name not in struct] for struct in present)
        if not (missing := next(filter(None, lacking), [])):
            return list(value)
        fault = f"expected {wanted} in each, found none of {', '.join(missing)}"
    faults.append(f"{where}: {fault}")
    return []


def _whole(value: object) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool)


def _words(text: str) -> str:
    return " ".join(text.split())


def _shown(value: object) -> str:
    text = " ".join(repr(value).split())
    return text if len(text) <= 40 else f"{text[:40]}..."
