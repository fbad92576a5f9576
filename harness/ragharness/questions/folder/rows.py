"""Rows of tables: what stands in a column beside a label."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

from ragharness.language.tokens import words
from ragharness.questions.asking.statement import Asked
from ragharness.questions.folder.facts import Fact

if TYPE_CHECKING:
    from collections.abc import Iterator

_LINE = re.compile(r"[^\n]+")
_HEADER = re.compile(r"(?!(?:Yes|No|Total)\b)[A-Z][A-Za-z][\w /()-]{1,40}")
_LABEL = re.compile(r"[\w“-][\w .,’'()/&:=-]{2,50}")
_VALUE = re.compile(r"(?=.*[A-Za-z])[\w“‘'-][\w .,’'()/&:%+-]{0,60}")
_NO_VALUE = re.compile(r"(?:yes|no|none|n/?a|not \w+|same|see\b.*|total|x)$", re.IGNORECASE)
_FEWEST, _MOST_WORDS = 3, 6
_HEADER_WORDS = 2
"""A longer one is a cell: the table has no header."""


def rows(text: str) -> Iterator[Fact]:
    """Yield a question for each short text of a table, where no other row of the document might be meant."""
    found = list(_rows(text))
    asked = Counter(each.asked.question for each in found)
    yield from (each for each in found if asked[each.asked.question] == 1)


def _rows(text: str) -> Iterator[Fact]:
    for table in _tables(text):
        (_, header), *body = table
        labels = Counter(cells[0].casefold() for _, cells in body)
        short = all(len(each.split()) <= _HEADER_WORDS for each in header[1:])
        if not short or len(set(header)) < len(header) or not all(map(_HEADER.fullmatch, header[1:])):
            continue
        if any(len(cells) != len(header) for _, cells in body):
            continue  # which column a cell stands in is not certain
        for column in range(1, len(header)):
            values = Counter(cells[column].casefold() for _, cells in body)
            for start, cells in body:
                label, value = cells[0], cells[column]
                if labels[label.casefold()] == 1 and _fits(label, value, values):
                    asked = Asked(
                        f"What does the table list under “{header[column]}” for “{label}”?", "text", value
                    )
                    marks = (label.casefold(), value.casefold())
                    yield Fact(
                        asked, start, start + len(" | ".join(cells)), f"row {header[column]}", label, marks
                    )


def _fits(label: str, value: str, values: Counter[str]) -> bool:
    return (
        _LABEL.fullmatch(label) is not None
        and _VALUE.fullmatch(value) is not None
        and not _NO_VALUE.fullmatch(value)
        and len(value.split()) <= _MOST_WORDS
        and any(letter.isalpha() for letter in label)
        and frozenset(words(label)).isdisjoint(words(value))
        and values[value.casefold()] * 2 <= max(2, sum(values.values()))
    )


def _tables(text: str) -> Iterator[list[tuple[int, list[str]]]]:
    """Yield tables as rows with their places: lines one below the other whose cells are parted by bars."""
    table: list[tuple[int, list[str]]] = []
    last = -1
    for found in _LINE.finditer(text):
        cells = found[0].split(" | ")
        if len(cells) > 1 and found.start() == last + 1:
            table.append((found.start(), [each.strip() for each in cells]))
        else:
            if len(table) >= _FEWEST:
                yield table
            table = [(found.start(), [each.strip() for each in cells])] if len(cells) > 1 else []
        last = found.end()
    if len(table) >= _FEWEST:
        yield table
