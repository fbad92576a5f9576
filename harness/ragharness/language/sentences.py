"""Sentences and list items of a text, with their places."""

from __future__ import annotations

from ragharness.language.patterns import regex

_LINE = regex(r"[^\n]+")
_UNFINISHED = regex(r"\b(?:Mio|Mrd|Tsd|Mill|bzw|ca|approx|incl|excl|z\.\s?B|d\.\s?h)\.$")
"""Abbreviations that end no sentence."""
_INSIDE = regex(r"[^\w\s,;()'’\"“”$%&/-].")
"""A sentence can end only where a mark stands that is none of these, with something behind it."""
_MARKER = regex(r"\W?(?:\d{1,3}(?:\.\d{1,3})*|[A-Za-z]|[ivxlc]{1,5})?[.):]?|[-*\u2022\u2013\u2014]+")
"""A list item's number, letter or bullet: it belongs to what follows it on its line."""


_NUMBER = regex(r"\W?(?:\d{1,3}(?:\.\d{1,3})*|[A-Za-z]|[ivxlc]{1,5})[.):]{1,2}\s+(?=\S)")


def without_number(sentence: str) -> str:
    """Return a sentence without the list number or letter before it ("5. ", "(a) ")."""
    found = _NUMBER.match(sentence)
    return sentence[found.end() :] if found else sentence


def sentences(text: str, language: str = "en") -> list[tuple[int, int]]:
    """Return (start, end) of each sentence in order, trimmed; a line break always ends one.

    ``language`` is a two-letter code: abbreviations and ordinals ("14. Juni") differ.
    """
    return [span for line in _LINE.finditer(text) for span in _of_line(line[0], line.start(), language)]


def _of_line(line: str, offset: int, language: str) -> list[tuple[int, int]]:
    if not _INSIDE.search(line):
        start = offset + len(line) - len(line.lstrip())
        core = line.strip()
        return [(start, start + len(core))] if core else []
    from sentencex import get_sentence_boundaries

    found: list[tuple[int, int]] = []
    marker = -1
    for boundary in get_sentence_boundaries(language, line):
        piece = line[boundary["start_index"] : boundary["end_index"]]
        core = piece.strip()
        if not core:
            continue
        start = boundary["start_index"] + len(piece) - len(piece.lstrip())
        end = start + len(core)
        if marker >= 0:
            start, marker = marker, -1
        if _UNFINISHED.search(core) and line[end:].strip():
            marker = start
            continue
        if _MARKER.fullmatch(core) and line[end:].strip():
            marker = start
            continue
        found.append((offset + start, offset + end))
    return found
