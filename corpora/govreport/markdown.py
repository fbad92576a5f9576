"""Reports as Markdown, as converters of congress.gov pages and GAO's PDFs write them: body, summary, name."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import date

from .naming import Report

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
_PROSE = 15
"""Words of a line from which it is no navigation."""


def read(text: str, name: str) -> Report | None:
    """Return a report, or None where the text is neither a CRS nor a GAO report; ``name`` is the file's."""
    text = text.replace("\r\n", "\n").replace("\xa0", " ").replace("\u200b", "")
    if found := _CRS.search(text):
        return _crs(text, found["number"], name)
    if found := _GAO.search(text):
        return _gao(text, found["number"].rstrip("-"), found["date"] or "", name)
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
    body = _until(lines[start:], {"# footnotes"})
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
    found = _TITLE.search(text)
    return " ".join(plain(found["title"]).split()) if found else number


def _first_prose(lines: list[str], number: str) -> int:
    """Return the first line that is a sentence of the report: no navigation, no table of contents."""
    for index, line in enumerate(lines):
        bare = line.strip()
        if f"({number})" in bare:  # the title once more, run together with the date
            continue
        if len(plain(bare).split()) >= _PROSE and bare[:1] not in "[-|#>" and not bare.startswith("**"):
            return index
    return 0


def _until(lines: list[str], ends: set[str]) -> list[str]:
    stop = next((index for index, line in enumerate(lines) if line.strip().casefold() in ends), len(lines))
    return lines[:stop]


def _lines(lines: Iterable[str]) -> list[str]:
    """Return paragraphs that stand on one line each, without marks; empty ones go."""
    cleaned = (_without_marks(plain(_HEADING.sub("", line))) for line in lines if not _RULE.match(line))
    return [line for line in (" ".join(each.split()) for each in cleaned) if line]


def plain(text: str) -> str:
    """Return Markdown text without links, emphasis and references to figures left in the PDF."""
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
    back = [found.start() for found in _BACK.finditer(body) if found.start() > len(body) // 2]
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
    """Return the paragraphs of wrapped pages: lines joined, notes and page numbers gone, breaks mended."""
    found: list[str] = []
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
        open_one = _open(found) if line[0].islower() and not heading else None
        if open_one is None:
            found.append(line)
        else:
            found[open_one] = f"{found[open_one]} {line}"
    return found


def _open(paragraphs: list[str]) -> int | None:
    """Return the place of a paragraph that a page end broke off, among the last three; else None."""
    for place in range(len(paragraphs) - 1, max(-1, len(paragraphs) - 4), -1):
        if len(paragraphs[place].split()) >= _PROSE:
            return None if _FINISHED.search(paragraphs[place]) else place
    return None
