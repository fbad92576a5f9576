"""Annual reports split into their items, without tags: as edgar-crawler and EDGAR-CORPUS write them."""

from __future__ import annotations

import heapq
import io
import re
from collections import Counter
from collections.abc import Collection, Iterator
from datetime import date
from hashlib import sha256
from operator import itemgetter
from pathlib import Path
from typing import NamedTuple

from ragharness.corpus.download.obtaining import files_in
from ragharness.corpus.folders.text import plain_lines, unwrapped
from ragharness.errors import CorruptDownload, MissingExtra
from ragharness.support.files import LocatedRow, data_rows

PLAIN = frozenset({".json", ".jsonl", ".parquet"})
SUFFIXES = PLAIN | {".zip"}
_LARGEST = 4_000_000_000  # bytes of a file above which it is none of these


class Row(NamedTuple):
    """A row, and where it stands: "10-K.zip/10-K/one.json", "test.jsonl:12"."""

    file: str
    source: str
    content: dict[str, object]  # empty for what is no row at all
    problem: str = ""


def rows_in(folder: Path, split: str) -> Iterator[Row]:
    """Yield every row in a folder, or in one file, in the order of the names; of a split only its files.

    A file that cannot be read is a row with a problem.
    """
    for path in files_in(folder, SUFFIXES):
        name = path.name if path == folder else path.relative_to(folder).as_posix()
        if split and path.stem != split:
            continue
        try:
            for source, content, problem in _of_path(path, name):
                yield Row(name, source, content if isinstance(content, dict) else {}, problem)
        except OSError as error:
            yield Row(name, name, {}, f"it cannot be read ({error.strerror or error})")
        except (CorruptDownload, MissingExtra) as error:
            yield Row(name, name, {}, str(error))


def _of_path(path: Path, name: str) -> Iterator[LocatedRow]:
    if (size := path.stat().st_size) > _LARGEST:
        yield name, None, f"expected at most {_LARGEST} bytes, found {size}"
    elif path.suffix.casefold() == ".zip":
        from ragharness.corpus.download.archives import read_members

        for member, content in read_members(path, PLAIN):
            yield from data_rows(io.BytesIO(content), f"{name}/{member}")
    else:
        with path.open("rb") as file:
            yield from data_rows(file, name)


DEFAULT_SUBSET = 120  # filings that are read when no number is asked for: a run takes minutes
ITEMS = {
    "1": "Business", "1A": "Risk Factors", "1B": "Unresolved Staff Comments", "1C": "Cybersecurity",
    "2": "Properties", "3": "Legal Proceedings", "4": "", "5": "Market for the Registrant's Common Equity",
    "6": "", "7": "Management's Discussion and Analysis", "7A": "Market Risk", "8": "Financial Statements",
    "9": "Changes in and Disagreements with Accountants", "9A": "Controls and Procedures",
    "9B": "Other Information", "9C": "", "10": "Directors and Officers", "11": "Executive Compensation",
    "12": "Security Ownership", "13": "", "14": "", "15": "", "16": "",
}  # fmt: skip
"""The items of the form with a heading for a text that lacks one; "" where a number changed its meaning."""
_KEY = re.compile(r"(?:item|section)[_ ]?(\d{1,2}[a-c]?)", re.IGNORECASE)
_HEADING = re.compile(r"items?\s*\d{1,2}\s*\(?[a-c]?\)?(?=[\s.:,;–—-]|$)[\s.:–—-]*", re.IGNORECASE)
_PART = re.compile(r"part\s+(?:[1-4]|i{1,3}|iv)\.?", re.IGNORECASE)
_FURNITURE = re.compile(
    r"(?i)(?:[A-Z]{1,2}\s?-\s?)?\d{0,3}|[\W_]+|[A-Z]{1,2}\s?-"
    r"|table of contents|index to (?:consolidated )?financial statements",
)  # lines that are the number of a page, a rule, what a table left behind, or a link at the head of pages
_LINK = re.compile(r"^(?i:table of contents|index to (?:consolidated )?financial statements)\s+(?=[A-Z])")
_MARK = re.compile(r"[•●▪◦·]|\(?(?:\d{1,2}|[a-z])\)|\*{1,3}")  # before an item of a list, or a note
_RUNNING = re.compile(r"(?i)notes to (?:the )?(?:consolidated )?financial statements\W*(?:continued)?\W*")
_OFTEN, _SHORT = 8, 8  # times and words of a line in capitals that is the head of pages
_WRAPPED = 100  # characters that no line exceeds in a text that was wrapped at a width
_THIRD = 3  # one line in three of such a text goes on in the middle of a sentence
_MANY = 20  # lines from which their lengths tell how a text was written
_LONGEST_HEADING = 30  # words of a line that may be the heading of an item
_FEWEST = 50  # words below which there is nothing to read
_NAME = re.compile(
    r"(?P<cik>\d{1,10})_(?:(?P<form>[A-Za-z0-9-]{2,12})_)?(?P<year>(?:19|20)\d\d)(?:_(?P<accession>\d{10}-?\d\d-?\d{6}))?(?=\.|$)"
)  # how the files are called: 718413_1993.txt, 1000180_10K_2010_0001000180-10-000008.htm
_FORM = re.compile(r"(?:FORM)?(10|20|40)-?([KF])(?:-?(405|SB40|SB|T405|T))?(?:[-/_]?(A))?")


class Filing(NamedTuple):
    """One annual report in items."""

    source: str
    cik: str
    company: str  # as the register has it; "" where it is not said
    form: str
    period: str  # the last day of the period reported on, ISO; "" where it is not said
    year: str  # the year by which its collection files it
    accession: str
    text: str

    @property
    def draw(self) -> str:
        """What decides whether it is among a part of the filings: the same on every machine."""
        return sha256(f"{self.cik} {self.form} {self.year} {self.accession}".encode()).hexdigest()


class Read(NamedTuple):
    """The filings of a folder, the sentences about rows left out, and the files that hold no such row."""

    filings: list[Filing]
    notices: list[str]
    others: dict[str, str]  # files without a filing in items, with what is wrong with each


def read(folder: Path, split: str, most: int, annual: Collection[str]) -> Read:
    """At most ``most`` of the filings in items (0: every one), those with the smallest hash."""
    heap: list[tuple[int, str, Filing]] = []
    sources: dict[bytes, str] = {}
    notices: list[tuple[str, str]] = []
    others: dict[str, str] = {}
    holding: set[str] = set()
    for row in rows_in(folder, split):
        keys = _keys(row.content)
        if keys:
            holding.add(row.file)
        filing = (_filing(row, keys, annual) if keys else row.problem) or "it holds no items of a filing"
        if not isinstance(filing, str):
            content = sha256(filing.text.encode()).digest()
            if (twin := sources.setdefault(content, row.source)) == row.source:
                ranked = (-int(filing.draw[:15], 16), row.source, filing)
                heapq.heappush(heap, ranked)
                if most and len(heap) > most:
                    heapq.heappop(heap)
                continue
            filing = f"it says the same as {twin}"
        others.setdefault(row.file, filing)
        notices.append((row.file, f"{row.source} is left out: {filing}"))
    remarks = [remark for file, remark in notices if file in holding]
    if len(heap) < len(sources):
        part = f"{len(heap)} of {len(sources)}"
        remarks.append(f"{part} filings in items are read; --subset all reads every one")
    filings = [filing for *_, filing in sorted(heap, key=itemgetter(1))]
    return Read(filings, remarks, {file: others[file] for file in others if file not in holding})


def _keys(content: dict[str, object]) -> dict[str, str]:
    """Keys of a row that hold items, by the items' numbers ("7A"); none for any other row."""
    matches = ((_KEY.fullmatch(key), key) for key in content)
    return {match[1].upper(): key for match, key in matches if match}


def _filing(row: Row, keys: dict[str, str], annual: Collection[str]) -> Filing | str:
    """Row as a filing, or why it is none."""
    match = _NAME.search(_field(row.content, "filename"))
    named = match.groupdict("") if match else {}
    form = normal_form(_field(row.content, "filing_type", "form", "form_type") or named.get("form", ""))
    if form and form not in annual:
        return f"its form is {form}, no annual report"
    text = _text(row.content, keys)
    if len(text.split()) < _FEWEST:
        return f"its items have fewer than {_FEWEST} words"
    numbers = (_field(row.content, "cik"), named.get("cik", ""))
    cik = next((number for number in numbers if re.fullmatch(r"\d{1,10}", number)), "").lstrip("0")
    period = _day(_field(row.content, "period_of_report", "period"))
    year = _field(row.content, "year") or named.get("year", "") or period[:4]
    company = " ".join(_field(row.content, "company", "company_name").split())
    if not (company or cik):
        return "it says neither its company nor its register number (company, cik, filename)"
    if not (period or re.fullmatch(r"(?:19|20)\d\d", year)):
        return "it says neither its period nor its year (period_of_report, year, filename)"
    return Filing(row.source, cik, company, form or "10-K", period, year, named.get("accession", ""), text)


def normal_form(written: str) -> str:
    """Form as the SEC writes it: "10-K405" for 10K405, "10-K/A" for 10-K-A; others as they are."""
    plain = "".join(written.split()).upper()
    match = _FORM.fullmatch(plain)
    if not match:
        return plain
    number, letter, kind, amended = match.groups(default="")
    return f"{number}-{letter}{kind}{'/A' if amended else ''}"


def _field(content: dict[str, object], *names: str) -> str:
    """First of some fields that says anything, as text."""
    values = (content.get(name) for name in names)
    texts = (str(value).strip() for value in values if isinstance(value, str | int))
    return next(filter(None, texts), "")


def _day(written: str) -> str:
    """Date as ISO: of 2010-01-03, 20100103 or 2010-01-03 00:00:00; "" of anything else."""
    match = re.match(r"(\d{4})-?(\d\d)-?(\d\d)(?!\d)", written)
    try:
        return date(*map(int, match.groups())).isoformat() if match else ""
    except ValueError:
        return ""


def _text(content: dict[str, object], keys: dict[str, str]) -> str:
    """Items in the order of the form, each under its heading, without the heads of pages."""
    order = sorted(keys, key=lambda item: (int(re.sub(r"\D", "", item)), item))
    contents = {item: content[keys[item]] for item in order}
    items = {item: _lines(value) for item, value in contents.items() if isinstance(value, str)}
    often = Counter(line for lines in items.values() for line in lines)
    bodies = (
        (item, [line for line in lines if not _heads_pages(line, often[line])])
        for item, lines in items.items()
    )
    return "\n\n".join("\n".join(_headed(item, body)) for item, body in bodies if body)


def _heads_pages(line: str, times: int) -> bool:
    if _RUNNING.fullmatch(line):
        return times > 1
    return times >= _OFTEN and line.isupper() and len(line.split()) <= _SHORT


def _lines(text: str) -> list[str]:
    """Paragraphs of an item, one a line, without what stands on every page."""
    lines = [" ".join(line.split()) for line in plain_lines(text)]
    full = [line for line in lines if line]
    going_on = sum(line[0].islower() for line in full)
    if len(full) >= _MANY and max(map(len, full)) <= _WRAPPED and going_on * _THIRD >= len(full):
        full = [line for line in unwrapped(text).split("\n") if line]
    paragraphs: list[str] = []
    mark = ""
    for line in (_LINK.sub("", line) for line in full):
        if _MARK.fullmatch(line):
            mark = f"{line} "
        elif not (_FURNITURE.fullmatch(line) or _PART.fullmatch(line)):
            paragraphs.append(mark + line)
            mark = ""
    return paragraphs


def _headed(item: str, lines: list[str]) -> list[str]:
    """Item with its heading on one line: "ITEM 1A." and "RISK FACTORS" are two in many filings."""
    heading = _HEADING.match(lines[0])
    if not heading:
        return [f"Item {item}. {ITEMS.get(item, '')}".rstrip(), *lines]
    if heading.end() == len(lines[0]) and len(lines) > 1 and len(lines[1].split()) <= _LONGEST_HEADING:
        return [f"{lines[0]} {lines[1]}", *lines[2:]]
    return lines
