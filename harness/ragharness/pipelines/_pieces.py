"""What the reference generator without a model can quote of a passage: its sentences and rows of figures."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from ragharness.language.sentences import sentences
from ragharness.language.tables import regex
from ragharness.language.words import content
from ragharness.pipelines._rows import Row, rows

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ragharness.corpus import Corpus
    from ragharness.records import Passage

SHORTEST = 3
"""Words of the shortest sentence that can state something; shorter ones are headings and labels."""

LETTERS = 5
"""Letters that are compared: an auditor has audited."""

_NO_SENTENCE = regex(
    r"^(?:table|figure|exhibit|appendix)\s+[\dIVXA-Z]+[:.]| \| |##|:$|^\(.*\)$", re.IGNORECASE
)
_ABOUT_IT = regex(r"(?:It|They|This|These|He|She|Its|Their|Those|His|Her)\b")


class Piece(NamedTuple):
    """What can be quoted: a sentence, perhaps with the one before it, or a figure of a row."""

    text: str
    words: frozenset[str]
    row: Row | None = None


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
            yield Piece(said, keys(said))
            before = sentence

    def _sentences(self, passage: Passage) -> Iterator[str]:
        start, end = passage.start, passage.end
        document = self._corpus.document(passage.document)
        inside = [span for span in document.segments if span[0] < end and start < span[1]]
        texts = [document.text[max(first, start) : min(last, end)] for first, last in inside]
        for text in texts or [passage.text]:
            for first, last in sentences(text):
                sentence = " ".join(text[first:last].split())
                if len(sentence.split()) >= SHORTEST and not (
                    sentence.isupper() or _NO_SENTENCE.search(sentence)
                ):
                    yield sentence


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
    """Return the concepts of a text's content words, cut to ``LETTERS``."""
    return frozenset(concept[:LETTERS] for concept in content(text))
