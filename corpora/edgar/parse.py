"""Filings to documents and facts: every annual report in a folder, with Inline XBRL or split into items."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from datetime import date
from decimal import Decimal
from pathlib import Path

from ragharness.corpus.download.obtaining import files_in, pages_in
from ragharness.corpus.filings.facts import Tagged
from ragharness.corpus.filings.reading import Filing, read_filing
from ragharness.corpus.filings.tree import LARGEST, is_whole, looks_like_html
from ragharness.errors import CorruptDownload, UsageError
from ragharness.records import Document, Evidence, Fact
from ragharness.support.cores import on_all_cores

from . import items as _items
from . import naming
from .places import plain

_SCALES = {3: "thousand", 6: "million", 9: "billion", 12: "trillion"}
_COVER = {
    "dei:EntityIncorporationStateCountryCode",
    "dei:EntityTaxIdentificationNumber",
    "dei:EntityAddressCityOrTown",
    "dei:AuditorName",
    "dei:AuditorLocation",
    "dei:EntityFileNumber",
}
"""What the cover and the auditor's page say in words."""

_NUMBERS_OF_THE_COVER = {"dei:EntityPublicFloat", "dei:EntityCommonStockSharesOutstanding"}
_OTHER_KINDS = frozenset({".gz", ".tgz", ".tar", ".pdf", ".xml", ".xbrl", ".doc", ".docx"})
"""Files that may hold filings, and are not read."""

_A_YEAR = range(350, 381)
"""Days from one fiscal year's end to the next: 52 or 53 weeks, or a calendar year."""

_SLACK = 0.006
"""Two tagged values of one thing that differ by less were only rounded differently."""


def parse(folder: Path, split: str) -> tuple[list[Document], list[Fact], list[str]]:
    """Return the documents and facts of all filings in a folder, and sentences about what was left out.

    ``split``: of rows in items one of several files ("test"), and how many of them ("test:30", ":all").
    """
    name, _, asked = split.partition(":")
    pages: list[tuple[str, Filing]] = []
    left_out: list[str] = []
    texts: dict[str, str] = {}
    paths = pages_in(folder) if not name else []
    for path, read in zip(paths, on_all_cores(_read, paths), strict=True):
        file = path.relative_to(folder).as_posix()
        if isinstance(read, str):
            left_out.append(f"{file} is left out: {read}")
        elif read.text in texts:
            left_out.append(f"{file} is left out: it says the same as {texts[read.text]}")
        else:
            texts[read.text] = file
            pages.append((file, read))
    most = 0 if asked == "all" else int(asked or _items.DEFAULT_SUBSET)
    items = _items.read(folder, name, most, naming.ANNUAL)
    left_out += items.notices
    if not items.filings and asked:
        raise UsageError(
            f"filings as pages are always read whole, found --subset {asked}", help="leave --subset out"
        )
    if not pages and not items.filings:
        reasons = (*left_out, *(f"{file} is left out: {each}" for file, each in items.others.items()))
        told = f"; {reasons[0]}" if reasons else ""
        raise ValueError(f"expected annual reports with Inline XBRL or in items, found none{told}")
    left_out += _others(folder, items.others)
    of_pages = [naming.name_of(file, filing) for file, filing in pages]
    titles = {each.title.casefold() for each in of_pages}
    in_items = []
    for filing in items.filings:
        called = _called(filing)
        if called.title.casefold() in titles:
            left_out.append(
                f"{filing.place} is left out: the same filing is there as a page, with its figures"
            )
        else:
            in_items.append((called, filing))
    names = naming.told_apart([*of_pages, *(called for called, _ in in_items)])
    documents: list[Document] = []
    facts: list[Fact] = []
    for called, (file, page) in zip(names, pages, strict=False):
        documents.append(_document(called, page.text, file, page.pieces))
        facts += _facts(called, page)
    for called, (_, filing) in zip(names[len(pages) :], in_items, strict=True):
        documents.append(_document(called, filing.text, filing.place))
    return documents, facts, left_out


def _called(filing: _items.Filing) -> naming.Name:
    """Return the name of a filing in items."""
    if filing.period and (filing.company or filing.cik in naming.curated()):
        return naming.named(filing.cik, filing.company, filing.form, filing.period, filing.text)
    return naming.named_by_year(
        filing.cik, filing.company, filing.form, filing.year or filing.period[:4], filing.text
    )


def _document(
    name: naming.Name, text: str, source: str, segments: tuple[tuple[int, int], ...] = ()
) -> Document:
    return Document(
        id=name.id,
        title=name.title,
        text=text,
        segments=segments,
        handle=name.title if name.alone else "",
        paraphrase=name.paraphrase if name.alone else "",
        source=source,
    )


def _others(folder: Path, without_items: Iterable[str]) -> Iterator[str]:
    """Yield a sentence about files that may hold filings but are neither pages, submissions nor items."""
    files = {path.relative_to(folder).as_posix() for path in files_in(folder, _OTHER_KINDS)}
    found = Counter(Path(file).suffix.casefold() for file in files | set(without_items))
    if found:
        kinds = ", ".join(f"{number} {kind}" for kind, number in sorted(found.items()))
        yield (
            f"other files are left out ({kinds}): filings are read from .htm, .html, .xhtml and .txt,"
            " those in items from .json, .jsonl, .parquet and .zip"
        )


def _read(path: Path) -> Filing | str:
    """Return the filing that a page is, or why it is none."""
    try:
        size = path.stat().st_size
        if size > LARGEST:
            return f"expected a filing of at most {LARGEST} bytes, found {size}"
        content = path.read_bytes()
    except OSError as error:
        return f"it cannot be read ({error.strerror})"
    if not looks_like_html(content):
        return "it is no web page and no complete submission"
    try:
        filing = read_filing(content)
    except CorruptDownload as error:
        return str(error)
    if filing.period is None:
        return "it carries no Inline XBRL that names its period (dei:DocumentPeriodEndDate)"
    form = naming.form(filing)
    if form not in naming.ANNUAL:
        return f"its form is {form or 'not named'}, no annual report"
    if not is_whole(content):
        return "it is cut off: its end (</html>) is missing, and what it does not say cannot be known"
    if len(filing.text.split()) < 10:
        return "it has no text"
    return filing


def _facts(name: naming.Name, filing: Filing) -> Iterator[Fact]:
    """Yield what is tagged for the whole company, its year and the year before."""
    told = {"company": name.company, "short": name.short, "cik": name.cik}
    told["period"] = filing.period.end if filing.period else ""
    groups: dict[tuple[str, str, str], list[Tagged]] = defaultdict(list)
    for each in filing.facts:
        if each.row and not each.context.dimensions and _wanted(each, filing):
            groups[each.concept, each.context.start, each.context.end].append(each)
    for (concept, start, end), found in groups.items():
        details = {"start": start, "end": end, **told}
        if found[0].value is None:
            yield from _text(name.id, concept, found, details)
        else:
            yield from _number(name.id, concept, found, details)


def _wanted(each: Tagged, filing: Filing) -> bool:
    period = filing.period
    if each.concept.startswith("dei:"):
        return each.concept in (_NUMBERS_OF_THE_COVER if each.value is not None else _COVER)
    if each.value is None or period is None:
        return False
    start, end = each.context.start, each.context.end
    if start and abs(_days(start, end) - _days(period.start, period.end)) > _A_YEAR[-1] - 365:
        return False
    return end == period.end or _days(end, period.end) in _A_YEAR


def _days(start: str, end: str) -> int:
    try:
        return (date.fromisoformat(end) - date.fromisoformat(start)).days
    except ValueError:
        return -1


def _text(document: str, concept: str, found: list[Tagged], details: dict[str, str]) -> Iterator[Fact]:
    text = found[0].text.strip(" ,;")
    if all(each.text.strip(" ,;").casefold() == text.casefold() for each in found) and text:
        yield Fact(
            document=document,
            topic=concept,
            kind="text",
            answers=(text,),
            evidence=_evidence(document, found),
            details=details,
        )


def _number(document: str, concept: str, found: list[Tagged], details: dict[str, str]) -> Iterator[Fact]:
    """Yield the fact in the scale of its most exact place; nothing where the page contradicts itself."""
    exact = max(found, key=lambda each: (len(each.text.strip()), -each.scale))
    value = exact.value
    if value is None or any(each.value is None or not _same(each.value, value) for each in found):
        return
    shown, unit = _shown(value, exact)
    yield Fact(
        document=document,
        topic=concept,
        kind="number",
        answers=(shown,),
        evidence=_evidence(document, [exact, *(each for each in found if each is not exact)]),
        unit=unit,
        details=details | {"value": f"{value:f}", "text": exact.text},
    )


def _same(one: Decimal, other: Decimal) -> bool:
    return one == other or float(abs(one - other)) <= _SLACK * float(max(abs(one), abs(other)))


def _shown(value: Decimal, exact: Tagged) -> tuple[str, str]:
    """Return the value as the page counts it, and in what: ("391035", "USD million")."""
    if exact.unit == "pure" and exact.scale == -2:
        return plain(value.scaleb(2)), "percent"
    scale = _SCALES.get(exact.scale, "")
    shown = plain(value.scaleb(-exact.scale) if scale else value)
    if exact.unit == "shares":
        return shown, f"{scale} shares".strip()
    unit = "" if exact.unit == "pure" else exact.unit
    return shown, f"{unit} {scale}".strip()


def _evidence(document: str, found: Iterable[Tagged]) -> tuple[Evidence, ...]:
    rows = dict.fromkeys(each.row for each in found if each.row)
    return tuple(Evidence(document, *row) for row in rows)
