"""A report as every layout gives it, and how a person names it: by title and number, else by what it is about."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from datetime import date
from itertools import takewhile
from typing import NamedTuple

from msgspec import Struct


class Report(Struct, frozen=True, kw_only=True):
    """A report; what a layout does not tell is empty."""

    number: str  # "R45100", "GAO-18-403"; empty: the rows carry none
    agency: str = ""  # "CRS" or "GAO"
    title: str = ""
    date: str = ""  # when it was published, ISO
    body: str
    summary: str = ""
    source: str = ""


class Name(NamedTuple):
    """``title`` is unique; the other two are empty where nothing fits."""

    title: str
    handle: str
    paraphrase: str


_TERM = re.compile(
    r"\b(?P<name>[A-Z][\w’'&.-]+(?:\s+(?:(?:of|the|and|for|in|on|to|de)\s+)?[A-Z][\w’'&.-]+){1,7}|[A-Z]\w+ [a-z]+ [a-z]+)\s+\((?P<short>[A-Z][A-Za-z&-]{1,9})\)"
)
_PHRASE = re.compile(r"(?<=[a-z,] )[A-Z][a-z]+(?:\s+(?:(?:of|the|and|for)\s+)?[A-Z][a-z]+){1,5}")
_VAGUE = re.compile(
    r"^(?:United States|Federal Register|Members? of Congress|House of Representatives|Supreme Court|White House|Fiscal Year|Public Law|U\.S\.|Department of|Chief Executive|President\b|Committee on|House Administration|\w+ Administration$|\w+ Congress$)(?:\b|$)|\bGAO\b|\bCRS\b|Government Accountability Office|Congressional Research Service"
)
_WITHOUT_ARTICLE = re.compile(
    r"\b(?:Assistance|Compensation|Development|Education|Enforcement|Funding|Insurance|Management|Planning|Prevention|Protection|Research|Security|Technology|Training)(?: \(\w+\))?$"
)  # what is no single thing takes no article: "the report on Combat-Related Special Compensation"
_OFTEN = 0.002  # how often, for each word of a report, what it is about is named at least
_MOST = 140  # characters of a title that a person repeats, if need be
_LONG, _WORDS = 60, 2  # characters from which a title is called by its head, and the words of that


def name_reports(reports: list[Report]) -> list[Name]:
    """Name for each report; what only a subject tells is no handle where another has the same."""
    subjects = [report.title or _subject(report) for report in reports]
    often = Counter(subject.casefold() for subject in subjects)
    heads = Counter(subject.partition(":")[0].casefold() for subject in subjects)
    names: list[Name] = []
    for report, subject in zip(reports, subjects, strict=True):
        number = _known_number(report)
        alone = subject and often[subject.casefold()] == 1
        head = report.title.partition(":")[0]
        short = len(report.title) > _LONG and len(head.split()) >= _WORDS and heads[head.casefold()] == 1
        named = _named(report, subject, number, head if short else report.title)
        names.append(named if number or alone else Name(report.number, "", ""))
    taken: Counter[str] = Counter()
    unique: list[Name] = []
    for name in names:
        taken[name.title.casefold()] += 1
        again = taken[name.title.casefold()]
        unique.append(name if again == 1 else Name(f"{name.title} ({again})", "", ""))
    return unique


def _known_number(report: Report) -> str:
    """How the number is said ("CRS Report R45100", "GAO-18-403"); empty for a made one."""
    if report.number.startswith("report-"):
        return ""
    if report.agency == "GAO":
        return report.number if report.number.upper().startswith("GAO") else f"GAO-{report.number}"
    return f"CRS Report {report.number}" if report.agency == "CRS" else report.number


def _named(report: Report, subject: str, known: str, said: str) -> Name:
    body = {"CRS": "CRS", "GAO": "GAO"}.get(report.agency, "government")
    if not report.title:
        mass = _WITHOUT_ARTICLE.search(subject) and not re.search(r"\b(?:of|for)\b", subject)
        article = "" if mass else "the "
        about = f"{body} report on {article}{subject}" if subject else ""
        both = about and known
        title = f"{about} ({known})" if both else about or known
        return Name(title[:1].upper() + title[1:], known or f"the {about}", f"the {about}" if both else "")
    quoted = said.replace("“", "‘").replace("”", "’")
    handle = f"the {body} report “{quoted}”" if len(quoted) <= _MOST else known
    when = f" of {_spoken(report.date)}" if report.date else ""
    return Name(
        f"{report.title} ({known})" if known else report.title,
        handle or report.title,
        f"{known}{when}" if known else "",
    )


def _spoken(iso: str) -> str:
    day = date.fromisoformat(iso)
    # A first of the month is how catalogues write a month.
    return f"{day:%B} {day.day}, {day.year}" if day.day > 1 else f"{day:%B} {day.year}"


def _subject(report: Report) -> str:
    """Named thing that the summary introduces and the body speaks of most, again and again; or nothing."""
    head = " ".join((report.summary[:2500] or report.body[:2500]).split())
    counts = {
        f"{match['name']} ({match['short']})": report.body.count(match["short"])
        for match in _TERM.finditer(head)
    }
    phrases = {match[0] for match in _PHRASE.finditer(head)}
    counts |= {phrase: report.body.count(phrase) for phrase in phrases}
    least = max(2, _OFTEN * len(report.body.split()))
    telling = {name: count for name, count in counts.items() if not _VAGUE.search(name) and count >= least}
    best = max(telling, key=lambda name: (telling[name], name), default="")
    return re.sub(r"^(?:The|the|Since the|In the)\s+", "", best)


_CRS = re.compile(r"^\*\*Report No\.:\*\*\s*(?P<number>[\w-]+)", re.MULTILINE)
_CRS_DATE = re.compile(r"^\*\*Publication Date:\*\*\s*(\d\d)/(\d\d)/(\d{4})", re.MULTILINE)
_GAO = re.compile(
    r"^\*\*Report:\*\*\s*(?P<number>GAO-[\w-]+)(?:\s*\|\s*\*\*Published:\*\*\s*(?P<date>\d{4}-\d\d-\d\d))?",
    re.MULTILINE,
)
_TITLE = re.compile(r"^#\s+(?P<title>\S.*)$", re.MULTILINE)
_LINK = re.compile(r"!?\[(?P<text>[^\[\]]*)\]\((?:[^()\s]|\([^()\s]*\))*\)")
_FIGURE = re.compile(r"\*\[(?:Figure|Table|Image)[^\]]*\]\*")
_EMPHASIS = re.compile(r"\*+|(?<![\w])_{1,2}(?=\S)|(?<=\S)_{1,2}(?![\w])|_{3,}|\\(?=[*_#])")
_HEADING = re.compile(r"^#{1,6}\s+")
_NOTE_MARK = re.compile(r"\s?\[\d{1,3}\](?=[\s.,;:)”\"]|$)")
_GLUED_MARK = re.compile(
    r"(?<=[a-z%)\]][.,;:])\d{1,3}(?=\s|$)|(?<=[a-z)%][.,;][\"”’])\d{1,3}(?=\s|$)|(?<=[\"”’])\d{1,3}(?=[\s,;]|$)|(?<=[a-z]{2})\d{1,3}(?=\s|$)"
)
_AFTER_YEAR = re.compile(r"\b((?:FY)?(?:19|20)\d\d[.,;])\d{1,3}(?=\s|$)")
_SPACED_MARK = re.compile(r"(?<=[.;”\"]) \d{1,3}(?=\s+[A-Z]|$)")
_PAGE = re.compile(r"^(?:Page [ivx\d]+\b.*|.*\bPage [ivx\d]+|GAO-\d\d-\d+\w*(?: .{0,80})?)$")
_NOTE = re.compile(r"^\d{1,3} (?=[A-Z“\"'‘\[(_])")
_FRONT = re.compile(r"necessary if you wish to\s+reproduce this material separately\.", re.IGNORECASE)
_BACK = re.compile(r"^[#*\s]*GAO[’']s Mission\b", re.MULTILINE)
_SECTION = re.compile(r"^###\s+(?P<name>.+)$", re.MULTILINE)
_RULE = re.compile(r"^-{3,}\s*$", re.MULTILINE)
_FINISHED = re.compile(r"[.!?:;][\"”’)]*$")
_PROSE = 15  # words of a line from which it is no navigation


def read_markdown(text: str, name: str) -> Report | None:
    """Report, or None where the text is neither a CRS nor a GAO report; ``name`` is the file's."""
    text = text.replace("\r\n", "\n").replace("\xa0", " ").replace("\u200b", "")
    if match := _CRS.search(text):
        return _crs(text, match["number"], name)
    if match := _GAO.search(text):
        return _gao(text, match["number"].rstrip("-"), match["date"] or "", name)
    return None


def _crs(text: str, number: str, name: str) -> Report:
    when = _CRS_DATE.search(text)
    lines = text.split("\n")
    start = _first_prose(lines, number)
    summary: list[str] = []
    heads = [index for index, line in enumerate(lines) if line.strip().casefold() == "summary"]
    if heads:
        stop = next((index for index in range(heads[0], len(lines)) if _RULE.match(lines[index])), heads[0])
        summary, start = lines[heads[0] + 1 : stop], stop + 1
    body = takewhile(lambda line: line.strip().casefold() != "# footnotes", lines[start:])
    return Report(
        number=number,
        agency="CRS",
        title=_title(text, number),
        date=_iso(when[3], when[1], when[2]) if when else "",
        body="\n\n".join(_lines(body)),
        summary="\n".join(_lines(summary)),
        source=name,
    )


def _iso(year: str, month: str, day: str) -> str:
    try:
        return date(int(year), int(month), int(day)).isoformat()
    except ValueError:
        return ""


def _title(text: str, number: str) -> str:
    match = _TITLE.search(text)
    return " ".join(plain(match["title"]).split()) if match else number


def _first_prose(lines: list[str], number: str) -> int:
    """First line that is a sentence of the report: no navigation, no table of contents."""
    for index, line in enumerate(lines):
        bare = line.strip()
        if f"({number})" in bare:  # the title once more, run together with the date
            continue
        if len(plain(bare).split()) >= _PROSE and bare[:1] not in "[-|#>" and not bare.startswith("**"):
            return index
    return 0


def _lines(lines: Iterable[str]) -> list[str]:
    """Paragraphs that stand on one line each, without marks; empty ones go."""
    cleaned = (_without_marks(plain(_HEADING.sub("", line))) for line in lines if not _RULE.match(line))
    return [line for line in (" ".join(line.split()) for line in cleaned) if line]


def plain(text: str) -> str:
    """Markdown text without links, emphasis and references to figures left in the PDF."""
    for _ in range(2 * ("](" in text)):  # a link's text may hold a link
        text = _LINK.sub(r"\g<text>", text)
    return _EMPHASIS.sub("", _FIGURE.sub("", text))


def _without_marks(text: str) -> str:
    return _AFTER_YEAR.sub(r"\1", _GLUED_MARK.sub("", _NOTE_MARK.sub("", text)))


def _gao(text: str, number: str, published: str, name: str) -> Report:
    head, summary = _RULE.split(text, maxsplit=1)[-1], ""
    if head.lstrip().startswith("## Highlights"):
        parts = _RULE.split(head, maxsplit=1)
        highlights, head = parts[0], parts[1] if len(parts) > 1 else ""
        summary = "\n".join(_paragraphs(_SECTION.sub("", highlights.replace("## Highlights", ""))))
    front = _FRONT.search(head[: len(head) // 3])
    body = head[front.end() :] if front else head
    back = [match.start() for match in _BACK.finditer(body) if match.start() > len(body) // 2]
    return Report(
        number=number,
        agency="GAO",
        title=_title(text, number),
        date=published,
        body="\n\n".join(_paragraphs(body[: back[0]] if back else body)),
        summary=summary,
        source=name,
    )


def _paragraphs(text: str) -> list[str]:
    """Paragraphs of wrapped pages: lines joined, notes and page numbers gone, breaks mended."""
    paragraphs: list[str] = []
    for block in re.split(r"\n\s*\n", text):
        lines = [line.strip() for line in block.split("\n")]
        bare = "\n".join(line for line in lines if line and not _PAGE.match(plain(line)))
        if _NOTE.match(plain(bare)) or not bare:
            continue
        heading = bool(_HEADING.match(bare))
        joined = re.sub(r"(?<=\w)-\n(?=[a-z])", "-", plain(_HEADING.sub("", bare)))
        line = _SPACED_MARK.sub("", _without_marks(" ".join(joined.split())))
        if not line:
            continue
        broken_off = _open(paragraphs) if line[0].islower() and not heading else None
        if broken_off is None:
            paragraphs.append(line)
        else:
            paragraphs[broken_off] += f" {line}"
    return paragraphs


def _open(paragraphs: list[str]) -> int | None:
    """Index of a paragraph that a page end broke off, among the last three; else None."""
    for index in range(len(paragraphs) - 1, max(-1, len(paragraphs) - 4), -1):
        if len(paragraphs[index].split()) >= _PROSE:
            return None if _FINISHED.search(paragraphs[index]) else index
    return None
