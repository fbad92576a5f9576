"""Sentences, list items and clauses of a text, with their places."""

from __future__ import annotations

import re

from ragharness.language.patterns import regex
from ragharness.language.tables import phrases, words_of
from ragharness.language.words import remembered

Span = tuple[int, int]

_LINE = regex(r"[^\n]+")
_INSIDE = regex(r"[^\w\s,;()'’\"“”$%&/-].")
"""A sentence can end only where a mark stands that is none of these, with something behind it."""
_UNFINISHED = regex(
    rf"\b{phrases('sentences', 'unfinished')}\.$"
    r"|^(?:\W?(?:\d{1,3}(?:\.\d{1,3})*|[A-Za-z]|[ivxlc]{1,5})?[.):]?|[-*\u2022\u2013\u2014]+)$"
)
"""An abbreviation, or a list item's number, letter or bullet: what follows on the line goes on with it."""
_NUMBER = regex(r"\W?(?:\d{1,3}(?:\.\d{1,3})*|[A-Za-z]|[ivxlc]{1,5})[.):]{1,2}\s+(?=\S)")

_ABBREVIATED = "".join(rf"(?<!\b{each})" for each in sorted(words_of("sentences", "abbreviations")))
_BOUNDARY = regex(
    rf"""
      [;:]\s+ | (?=[.!?]\s)(?<!\b[a-z]){_ABBREVIATED}[.!?]\s+ | \n+ | \s+[—–]\s*|\s+--?\s+|—
    | ,?\s+\b{phrases("sentences", "contrasts")}\b,?\s+
    | ,\s+(?:and\s+)?{phrases("sentences", "conclusions")}\b(?:\s+that)?,?\s+
    | ,\s+and\s+(?={phrases("sentences", "subjects")}\b)
    """,
    re.IGNORECASE | re.VERBOSE,
)
_SUBORDINATE = regex(rf"^\W*{phrases('sentences', 'subordinators')}\b[^,;]{{3,200}},\s+", re.IGNORECASE)
_LABEL_END = regex(r"\s*[:—–-]")
_ANSWERS = regex(rf"\W*{phrases('sentences', 'answering')}\b", re.IGNORECASE)
_YEAR_ENDS = regex(r"(?<!\bin )(?<!\bof )\b(?:19|20)\d\d$")


def without_number(sentence: str) -> str:
    """Return a sentence without the list number or letter before it ("5. ", "(a) ")."""
    found = _NUMBER.match(sentence)
    return sentence[found.end() :] if found else sentence


def sentences(text: str) -> list[Span]:
    """Return (start, end) of each sentence in order, trimmed; a line break always ends one."""
    return [span for line in _LINE.finditer(text) for span in _of_line(line[0], line.start())]


def _of_line(line: str, offset: int) -> list[Span]:
    found: list[Span] = []
    begun: int | None = None
    for low, high in _boundaries(line):
        core = line[low:high].strip()
        if not core:
            continue
        start = line.index(core, low) if begun is None else begun
        begun, end = None, line.index(core, low) + len(core)
        if _UNFINISHED.search(core) and line[end:].strip():
            begun = start
        else:
            found.append((offset + start, offset + end))
    return found


def _boundaries(line: str) -> list[Span]:
    if not _INSIDE.search(line):
        return [(0, len(line))]
    from sentencex import get_sentence_boundaries

    return [(each["start_index"], each["end_index"]) for each in get_sentence_boundaries("en", line)]


@remembered
def clauses(text: str) -> tuple[Span, ...]:
    """Return (start, end) of the clauses of a text in order; together they hold all of it but the joints."""
    found: list[Span] = []
    start = 0
    for boundary in _BOUNDARY.finditer(text):
        if _LABEL_END.match(boundary.group()) and _is_label(text, start, boundary.start()):
            # "CEO: ..." and "2018 - ..." name what follows.
            continue
        found += _with_lead(text, start, boundary.start())
        start = boundary.end()
    return (*found, *_with_lead(text, start, len(text)))


def _is_label(text: str, start: int, end: int) -> bool:
    """Say whether what stands before a colon or dash names what follows it."""
    if _YEAR_ENDS.search(text, max(start, end - 12), end):
        return True
    return len(text[start:end].split()) <= 4 and not _ANSWERS.match(text, start)


def _with_lead(text: str, start: int, end: int) -> list[Span]:
    """The clause at a place, in two where it begins with a subordinate one ("Although it ended, ...")."""
    if not text[start:end].strip():
        return []
    lead = _SUBORDINATE.match(text[start:end])
    if lead and lead.end() < end - start:
        return [(start, start + lead.end()), (start + lead.end(), end)]
    return [(start, end)]
