"""Filings to documents: every annual report in a folder, with Inline XBRL or split into items."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path
from string import capwords
from unicodedata import normalize

import msgspec

from ragharness.corpus.download.obtaining import files_in, pages_in
from ragharness.corpus.filings import Filing, read_filing
from ragharness.corpus.pages import LARGEST, is_whole, looks_like_html
from ragharness.errors import CorruptDownload, UsageError
from ragharness.records import Document
from ragharness.support.concurrency import map_on_cores

from . import items as _items

_OTHER_KINDS = frozenset({".gz", ".tgz", ".tar", ".pdf", ".xml", ".xbrl", ".doc", ".docx"})  # not read


def parse(folder: Path, split: str) -> tuple[list[Document], list[str]]:
    """Documents of all filings in a folder, and sentences about what was left out.

    ``split``: of rows in items one of several files ("test"), and how many of them ("test:30", ":all").
    """
    part, _, subset = split.partition(":")
    pages: list[tuple[str, Filing]] = []
    left_out: list[str] = []
    texts: dict[str, str] = {}
    paths = [] if part else pages_in(folder)
    for path, read in zip(paths, map_on_cores(_read, paths), strict=True):
        file = path.relative_to(folder).as_posix()
        if isinstance(read, str):
            left_out.append(f"{file} is left out: {read}")
        elif read.text in texts:
            left_out.append(f"{file} is left out: it says the same as {texts[read.text]}")
        else:
            texts[read.text] = file
            pages.append((file, read))
    most = 0 if subset == "all" else int(subset or _items.DEFAULT_SUBSET)
    items = _items.read(folder, part, most, ANNUAL)
    left_out += items.notices
    if not items.filings and subset:
        raise UsageError(
            f"filings as pages are always read whole, found --subset {subset}", help="leave --subset out"
        )
    if not pages and not items.filings:
        reasons = (*left_out, *(f"{file} is left out: {problem}" for file, problem in items.others.items()))
        reason = f"; {reasons[0]}" if reasons else ""
        raise ValueError(f"expected annual reports with Inline XBRL or in items, found none{reason}")
    left_out += _others(folder, items.others)
    names = [name_of(file, filing) for file, filing in pages]
    titles = {name.title.casefold() for name in names}
    contents = [(page.text, file, page.pieces) for file, page in pages]
    for filing in items.filings:
        name = _called(filing)
        if name.title.casefold() in titles:
            problem = "the same filing is there as a page, with its figures"
            left_out.append(f"{filing.source} is left out: {problem}")
        else:
            names.append(name)
            contents.append((filing.text, filing.source, ()))
    return list(map(_document, told_apart(names), contents)), left_out


def _called(filing: _items.Filing) -> Name:
    if filing.period and (filing.company or filing.cik in CURATED):
        return named(filing.cik, filing.company, filing.form, filing.period, filing.text)
    year = filing.year or filing.period[:4]
    return named_by_year(filing.cik, filing.company, filing.form, year, filing.text)


def _document(name: Name, content: tuple[str, str, tuple[tuple[int, int], ...]]) -> Document:
    text, source, segments = content
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
    counts = Counter(Path(file).suffix.casefold() for file in files | set(without_items))
    if counts:
        kinds = ", ".join(f"{number} {kind}" for kind, number in sorted(counts.items()))
        yield (
            f"other files are left out ({kinds}): filings are read from .htm, .html, .xhtml and .txt,"
            " those in items from .json, .jsonl, .parquet and .zip"
        )


def _read(path: Path) -> Filing | str:
    """Filing that a page is, or why it is none."""
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
    kind = form(filing)
    if kind not in ANNUAL:
        return f"its form is {kind or 'not named'}, no annual report"
    if not is_whole(content):
        return "it is cut off: its end (</html>) is missing, and what it does not say cannot be known"
    if len(filing.text.split()) < 10:
        return "it has no text"
    return filing


_COMPANIES: dict[str, dict[str, str]]
_COMPANIES = msgspec.toml.decode(Path(__file__).with_name("companies.toml").read_bytes())
CURATED = {cik: (row["company"], row["short"]) for cik, row in _COMPANIES.items()}  # names that people use
ANNUAL = frozenset(
    f"{form}{amended}"
    for form in ("10-K", "10-K405", "10-KSB", "10-KSB40", "10-KT", "10-KT405", "20-F", "40-F")
    for amended in ("", "/A")
)  # forms that are annual reports
_CAPITALS = 4  # letters up to which a name that its filing has in capitals only is an abbreviation
_SYMBOL = re.compile(r"(?!(?:N/?A|NONE)$)[A-Z][A-Z0-9./-]{0,9}", re.IGNORECASE)
_SUFFIX = re.compile(
    r"(?i)[\s,]+(?:incorporated|inc|corporation|corp|company|companies|co|limited|ltd|plc|llc|lp|n\.?v|s\.?a|ag|se|holdings?)\.?$",
)
_STATE = re.compile(r"\s*[/\\](?:[A-Za-z ]{2,12}[/\\]?)?\s*$")
_UNSAFE = re.compile(r"[^a-z0-9]+")


@dataclass(frozen=True)
class Name:
    """The names of one filing."""

    id: str
    title: str
    paraphrase: str
    company: str  # as a person writes it: "Apple Inc."
    short: str  # as a person says it: "Apple"
    cik: str
    form: str
    alone: bool = True  # whether no other filing has its title: questions are asked about it


def told_apart(names: Sequence[Name]) -> list[Name]:
    """Names; what would repeat gets a number behind it and is not asked about."""
    periods = Counter(name.paraphrase.casefold() for name in names)
    ids = Counter(name.id for name in names)
    titles = Counter(name.title.casefold() for name in names)
    seen: Counter[str] = Counter()
    unique: list[Name] = []
    for name in names:
        seen[name.id] += 1
        number = seen[name.id]
        id_ = name.id if ids[name.id] == 1 else f"{name.id}-{number}"
        doubled = titles[name.title.casefold()] > 1
        title = f"{name.title} ({id_})" if doubled else name.title
        # A report and its amendment are of one fiscal year.
        amended = periods[name.paraphrase.casefold()] > 1
        paraphrase = f"{name.paraphrase} ({name.form})" if amended else name.paraphrase
        unique.append(replace(name, id=id_, title=title, paraphrase=paraphrase, alone=not doubled))
    return unique


def form(filing: Filing) -> str:
    """Form of a filing as the SEC writes it ("10-K/A"); "" where it names none."""
    name = next((item.text for item in filing.cover if item.concept == "dei:DocumentType"), "")
    return re.sub(r"\s|^form", "", name, flags=re.IGNORECASE).upper()


def spoken(iso: str) -> str:
    """Date as it is written in English: September 28, 2024."""
    day = date.fromisoformat(iso)
    return f"{day:%B} {day.day}, {day.year}"


def possessive(name: str) -> str:
    """Name as an owner: "Apple's"."""
    return f"{name}'" if name.endswith("s") else f"{name}'s"


def name_of(file: str, filing: Filing) -> Name:
    """Name of a filing with tags, from its cover; ``file`` serves where it names nobody."""
    # The first one that is about the registrant itself, else about one of several.
    cover = sorted(filing.cover, key=lambda item: bool(item.context.dimensions))
    texts = {item.concept: item.text for item in reversed(cover)}
    cik = texts.get("dei:EntityCentralIndexKey", "").lstrip("0")
    registrant = texts.get("dei:EntityRegistrantName", "") or file.rpartition(".")[0]
    symbols = (item.text for item in cover if item.concept == "dei:TradingSymbol")
    symbol = next(filter(_SYMBOL.fullmatch, symbols), "")
    end = filing.period.end if filing.period else ""
    return named(cik, registrant, form(filing), end, filing.text, symbol=symbol)


def named(cik: str, registrant: str, kind: str, end: str, text: str, *, symbol: str = "") -> Name:
    """Name of a filing from what its cover or the register says; ``end``: of its period, ISO."""
    company, short = CURATED.get(cik) or _readable(registrant, text)
    try:
        period = spoken(end)
    except ValueError:
        period = end
    year = f"{'transition period' if kind.startswith('10-KT') else 'fiscal year'} ended {period}"
    return _made(symbol or short, end[:7], f"{short} {kind} for the {year}", year, company, short, cik, kind)


def named_by_year(cik: str, registrant: str, kind: str, year: str, text: str) -> Name:
    """Name of a filing of which the year alone is known, and perhaps not even the company."""
    if not registrant and cik not in CURATED:
        who = f"the company with CIK {cik}"
        return _made(f"cik-{cik}", year, f"{kind} of {year} of {who}", "", who, who, cik, kind)
    company, short = CURATED.get(cik) or _readable(registrant, text)
    return _made(short, year, f"{short} {kind} of {year}", "", company, short, cik, kind)


def _made(
    key: str, period: str, title: str, year: str, company: str, short: str, cik: str, kind: str
) -> Name:
    return Name(
        id=f"{_UNSAFE.sub('-', _plain(key).casefold()).strip('-') or 'filing'}-{period}",
        title=title,
        paraphrase=f"{possessive(short)} {year}" if year else title,
        company=company,
        short=short,
        cik=cik,
        form=kind,
    )


def _readable(registrant: str, text: str) -> tuple[str, str]:
    """Registered name and its short form: "ADOBE INC." is Adobe Inc., and Adobe.

    ``text``: the filing, which writes a name in capitals as people do.
    """
    company = _STATE.sub("", " ".join(registrant.split())).strip(" ,")
    capitals = company.isupper()
    short = company
    while (shorter := _SUFFIX.sub("", short).strip(" ,.&")) != short and shorter:
        short = shorter
    short = re.sub(r"^The\s+", "", short, flags=re.IGNORECASE) or company
    if not short.isupper():
        return company, short
    return capwords(company) if capitals else company, _as_written(short, text)


def _as_written(name: str, text: str) -> str:
    """Name in capitals as a text writes it most often otherwise: "UNITEDHEALTH" is UnitedHealth."""
    # The register leaves out points, hyphens, apostrophes and accents.
    words = (re.sub(r"(?<=[A-Z]{3})S$", "['’]?S", re.escape(word)) for word in _plain(name).split())
    letters = r"[\s.,&’'-]{1,3}".join(words)
    matches = re.finditer(rf"(?<!\w){letters}(?!\w)", _plain(text), re.IGNORECASE)
    spellings = Counter(" ".join(text[match.start() : match.end()].split()) for match in matches)
    for spelling, _ in spellings.most_common():
        if not (spelling.isupper() or spelling[0].islower()):
            return spelling
    if len(name) <= _CAPITALS or (not name.isalpha() and " " not in name):
        return name
    return re.sub(r"(?<= )(?:Of|And|The|For|In|On|De)(?= )", lambda match: match[0].lower(), capwords(name))


def _plain(text: str) -> str:
    """Text without accents, of the same length."""
    return "".join(normalize("NFD", letter)[0] if letter > "\x7f" else letter for letter in text)
