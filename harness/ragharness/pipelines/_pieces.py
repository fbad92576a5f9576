"""What the reference generator without a model can quote of a passage: its sentences and rows of figures."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterator
from operator import itemgetter
from typing import NamedTuple

from ragharness.corpus.headings import SEPARATOR, SHORT, is_figure
from ragharness.corpus.loading import Corpus
from ragharness.language.sentences import sentences, without_number
from ragharness.language.tables import regex
from ragharness.language.words import content
from ragharness.records import Passage

SHORTEST = 3
"""Words of the shortest sentence that can state something; shorter ones are headings and labels."""

LETTERS = 5
"""Letters that are compared: an auditor has audited."""

_YEAR = regex(r"(?<!\d)(?:19|20)\d\d(?!\d)")
_SCALE = regex(r"\bin (?:thousands|millions|billions)\b", re.IGNORECASE)
_UNSCALED = regex(r"\bper (?:\w+ )?share\b|\bEPS\b|\b(?:rate|margin)\b", re.IGNORECASE)
_NOTE = regex(r"\s*\([^)]*\)")
_NO_SENTENCE = regex(
    r"^(?:table|figure|exhibit|appendix)\s+[\dIVXA-Z]+[:.]| \| |##|:$|^\(.*\)$", re.IGNORECASE
)
_ABOUT_IT = regex(r"(?:It|They|This|These|He|She|Its|Their|Those|His|Her|The following)\b")
_LISTS = regex(r"The following\b")
_PHRASES = {
    "commencing": "into force",
    "utmost": "up to|at most|not exceed|no more than|largest",
    "particular": "above all|is named|are named|as named|such as|namely|expressly|specifically",
}
_ALIKE = {
    "commencing": "effective start begin commence",
    "leading": "head led leader",
    "utmost": "maximum highest",
    "particular": "especially",
}
"""What says the same of a value in question and answer, as phrases and as words."""
_ONE_WORD = {
    f" {phrase} ": f" {name} " for name, phrases in _PHRASES.items() for phrase in phrases.split("|")
}


class Row(NamedTuple):
    """A row of figures with what stands above it."""

    label: str
    """Its first cell, without notes in brackets."""
    figures: tuple[str, ...]
    heads: tuple[str, ...]
    """The heads of its figures; empty when no line above it fits them."""
    above: str
    """The lines above its table and the heads: what the table is about, and in what it counts."""
    group: str = ""
    """The line that heads its group of rows."""

    def under(self, years: frozenset[str]) -> str:
        """Return a sentence with the figure of the one column that is headed by one of the years, or ""."""
        columns = [
            (head, figure)
            for head, figure in zip(self.heads, self.figures, strict=False)
            if years & years_of(head)
        ]
        if len(columns) != 1 or not any(map(str.isdigit, columns[0][1])):
            return ""
        head, figure = columns[0]
        unscaled = "%" in figure or _UNSCALED.search(f"{self.group} {self.label}")
        scale = [] if unscaled else _SCALE.findall(self.above)
        label = f"{self.group} {self.label}".strip()
        return f'{label}: {figure}{f" ({scale[-1].lower()})" if scale else ""} under "{head}"'


def years_of(text: str) -> frozenset[str]:
    """Return the years that a text names."""
    return frozenset(_YEAR.findall(text))


def rows(text: str) -> Iterator[Row]:
    """Yield the rows of figures of every table in a text, in order."""
    before = ""
    for block in text.split("\n\n"):
        lines = block.split("\n")
        above, heads, group = [before], tuple[str, ...](), ""
        for line in lines:
            cells = tuple(" ".join(cell.split()) for cell in line.split(SEPARATOR))
            count = len(cells)
            while count and is_figure(cells[count - 1]):
                count -= 1
            if 0 < count < len(cells):
                figures = cells[count:]
                fitting = heads if len(heads) == len(figures) else ()
                yield Row(_NOTE.sub("", cells[0]).strip(), figures, fitting, " ".join(above), group)
                continue
            above.append(line)
            heads_rows = (
                len(cells) == 1 and line[:1] != "(" and not years_of(line) and len(line.split()) <= SHORT
            )
            group = line if heads_rows else ""
            if len(cells) > 1 or years_of(line):
                # "(in millions) | 2024 | 2023": the first cell heads the labels.
                heads = cells if years_of(cells[0]) else cells[1:]
        before = lines[-1] if len(lines) == 1 else ""


class Piece(NamedTuple):
    """What can be quoted: a sentence, perhaps with the one before it, or a figure of a row."""

    text: str
    words: frozenset[str]
    row: Row | None = None
    own: str = ""
    """The sentence without the one before it."""


class Pieces:
    """The pieces of passages, each passage read once."""

    def __init__(self, corpus: Corpus) -> None:
        self._corpus = corpus
        self._read: dict[str, list[Piece]] = {}

    def of(self, passage: Passage) -> list[Piece]:
        """Return the rows of a passage, then its sentences."""
        if passage.id not in self._read:
            self._read[passage.id] = [*_rows_of(passage), *self._sentences_of(passage)]
        return self._read[passage.id]

    def _sentences_of(self, passage: Passage) -> Iterator[Piece]:
        before = ""
        for sentence in self._sentences(passage):
            said = f"{before} {sentence}" if before and _ABOUT_IT.match(sentence) else sentence
            # What leads into a list says nothing that the list does not.
            yield Piece(sentence if _LISTS.match(sentence) else said, keys(said), own=sentence)
            before = sentence

    def _sentences(self, passage: Passage) -> Iterator[str]:
        start, end = passage.start, passage.end
        document = self._corpus.document(passage.document)
        first = bisect_right(document.segments, start, key=itemgetter(1))
        inside = document.segments[first : bisect_left(document.segments, end, key=itemgetter(0))]
        texts = [document.text[max(first, start) : min(last, end)] for first, last in inside]
        for text in texts or [passage.text]:
            for sentence in _split(text):
                if len(sentence.split()) >= SHORTEST and not (
                    sentence.isupper() or _NO_SENTENCE.search(sentence)
                ):
                    yield sentence


def _split(text: str) -> Iterator[str]:
    for start, end in sentences(text):
        # Behind the number of an item more than one sentence may stand.
        sentence = " ".join(text[start:end].split())
        item = without_number(sentence)
        yield from [item] if item is sentence else [item[first:last] for first, last in sentences(item)]


def _rows_of(passage: Passage) -> list[Piece]:
    found = list(rows(f"{passage.heading}\n{passage.text}".strip()))
    times = Counter((row.group, row.label) for row in found)
    # Which of two rows with the same label (of two segments, say) is meant, the label does not tell.
    return [
        Piece(f"{row.group} {row.label}".strip(), keys(f"{row.label} {row.above}"), row)
        for row in found
        if times[row.group, row.label] == 1
    ]


def keys(text: str) -> frozenset[str]:
    """Return the concepts of a text's content words, cut to ``LETTERS``; what says the same has one key."""
    text = f" {text} "
    for phrase, name in _ONE_WORD.items():
        if phrase in text:
            text = text.replace(phrase, name)
    cut = {concept[:LETTERS] for concept in content(text)}
    return frozenset(_ONE_KEY.get(key, key) for key in cut)


def _cut(text: str) -> list[str]:
    return [concept[:LETTERS] for concept in content(text)]


_ONE_KEY = {key: _cut(name)[0] for name, alike in _ALIKE.items() for key in _cut(alike)}
