"""Sentences and list items of a text, with their places."""

from __future__ import annotations

import re

_LINE = re.compile(r"[^\n]+")


def sentences(text: str) -> list[tuple[int, int]]:
    """Return (start, end) of each sentence in order, trimmed; a line break always ends one."""
    from sentencex import get_sentence_boundaries

    found: list[tuple[int, int]] = []
    for line in _LINE.finditer(text):
        for boundary in get_sentence_boundaries("en", line[0]):
            start, end = boundary["start_index"], boundary["end_index"]
            piece = line[0][start:end]
            begin = line.start() + start + len(piece) - len(piece.lstrip())
            if piece.strip():
                found.append((begin, begin + len(piece.strip())))
    return found
