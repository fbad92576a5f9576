"""Sentences, list items and clauses of a text, with their places."""

from __future__ import annotations

import re

from ragharness.language.tables import phrases, regex, words_of
from ragharness.language.words import remembered

Span = tuple[int, int]

_OPENING = "`«»‘“„「『《‹"
_UNQUOTED = dict.fromkeys(map(ord, _OPENING), " ")
_MOST_LOOKED_AT = 10**8
"""Characters: sentencex looks for the end of each quotation from its beginning, all along the line."""

_LINE = regex(r"[^\n]+")
_INSIDE = regex(r"[^\w\s,;()'’\"“”$%&/\ue000-\uf8ff-].")
"""A sentence can end only at a mark that is none of these and no citation, with more behind it."""
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
    for low, high in _boundaries(line):
        core = line[low:high].strip()
        start = low + line[low:high].find(core)
        if core and found and _UNFINISHED.search(line[slice(*found[-1])]):
            found[-1] = (found[-1][0], start + len(core))
        elif core:
            found.append((start, start + len(core)))
    return [(offset + start, offset + end) for start, end in found]


def _boundaries(line: str) -> list[Span]:
    if not _INSIDE.search(line):
        return [(0, len(line))]
    from sentencex import get_sentence_boundaries

    if len(line) ** 2 > _MOST_LOOKED_AT and max(map(line.count, _OPENING)) * len(line) > _MOST_LOOKED_AT:
        line = line.translate(_UNQUOTED)
    return [(each["start_index"], each["end_index"]) for each in get_sentence_boundaries("en", line)]


@remembered
def clauses(text: str) -> tuple[Span, ...]:
    """Return (start, end) of the clauses of a text in order; together they hold all of it but the joints."""
    found: list[Span] = []
    start = 0
    for boundary in _BOUNDARY.finditer(text):
        # "CEO: ..." and "2018 - ..." name what follows.
        if not (_LABEL_END.match(boundary[0]) and _is_label(text, start, boundary.start())):
            found += _with_lead(text, start, boundary.start())
            start = boundary.end()
    return (*found, *_with_lead(text, start, len(text)))


def clause_at(text: str, place: int) -> Span:
    """Return (start, end) of the clause that a place stands in; of the whole text where it is in a joint."""
    return next(((low, high) for low, high in clauses(text) if low <= place < high), (0, len(text)))


def _is_label(text: str, start: int, end: int) -> bool:
    """Say whether what stands before a colon or dash names what follows it."""
    named = len(text[start:end].split()) <= 4 and not _ANSWERS.match(text, start)
    return named or _YEAR_ENDS.search(text, max(start, end - 12), end) is not None


def _with_lead(text: str, start: int, end: int) -> list[Span]:
    """The clause at a place, in two where it begins with a subordinate one ("Although it ended, ...")."""
    lead = _SUBORDINATE.match(text[start:end])
    middle = start + lead.end() if lead else start
    return [(low, high) for low, high in ((start, middle), (middle, end)) if text[low:high].strip()]
