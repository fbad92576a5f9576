"""The reference generator without a model: it quotes the sentence that holds most of what is asked.

Where the question names a document, only its passages are read. A sentence scores the share of the question's
subject words that it holds, each weighed by how few sentences hold it; one that begins with "it" stands with
the sentence before, a row with the heads of its table. Nothing is answered below the least share for the kind
of value asked for, without such a value or the question's year, names and numbers, or where two rows differ.
Of a table one figure is quoted, with its row, group and column. A yes/no question is answered where the best
sentence affirms or denies it. All else is a refusal that names the nearest passages.
"""

from __future__ import annotations

import re
from collections import Counter
from math import log
from typing import TYPE_CHECKING, NamedTuple

from ragharness.language.sentences import sentences, without_number
from ragharness.language.tables import regex
from ragharness.language.tokens import words
from ragharness.language.words import content, generic_concepts
from ragharness.pipelines import refuse_argument
from ragharness.pipelines._proposition import NAME, core, holds, kind_asked, names_in, proposition
from ragharness.pipelines._rows import Row, rows, years_of
from ragharness.pipelines._titles import Titles
from ragharness.pipelines.refuse import refusal
from ragharness.readers import read

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from ragharness.corpus import Corpus
    from ragharness.pipelines import Context
    from ragharness.records import Passage

LEAST = {"claim": 0.5, "date": 0.5, "count": 0.6, "amount": 0.5, "percent": 0.6, "money": 0.7, "name": 0.7}
"""The least share for each kind of value; money stands beside some words of most questions about a filing."""

ROW = 0.6
"""The same of a row."""

SHORTEST = 3
"""Words of the shortest sentence that can state something; shorter ones are headings and labels."""

LETTERS = 5
"""Letters that are compared: an auditor has audited."""

_NO_SENTENCE = regex(
    r"^(?:table|figure|exhibit|appendix)\s+[\dIVXA-Z]+[:.]| \| |##|:$|^\(.*\)$", re.IGNORECASE
)
_TELLING = frozenset({"before", "after", "other"})
"""Words without a subject of their own that make another row of it: income before taxes, other income."""
_ABOUT_IT = regex(r"(?:It|They|This|These|He|She|Its|Their|Those|His|Her)\b")
_TURNED = regex(r"\b(?:without|free (?:of|from)|below|no|none|not)\b", re.IGNORECASE)
"""Words with which "yes" denies something: what a sentence says to that is not for simple rules."""

_ASKING = frozenset(
    concept[:LETTERS]
    for concept in (
        *generic_concepts(),
        *content("say give report name list state city place date day month year kind title number amount"),
    )
)
"""Words that ask for a kind of value or speak of the document: an answer does without them."""


class _Piece(NamedTuple):
    """What can be quoted: a sentence, perhaps with the one before it, or a figure of a row."""

    text: str
    words: frozenset[str]
    row: Row | None = None


class _Found(NamedTuple):
    """A piece that can answer, with its share of what is asked."""

    score: float
    figure: str
    """What a row says, without its label; "" for a sentence."""
    rank: int
    said: str
    passage: Passage


class Extractive:
    """Answers with the best sentence of the passages, or refuses."""

    def __init__(self, corpus: Corpus) -> None:
        self._corpus = corpus
        self._titles = Titles(corpus)
        self._read: dict[str, list[_Piece]] = {}

    def __call__(self, question: str, passages: Sequence[Passage]) -> str:
        """Return the answer with its citation, or a refusal that says why."""
        best = self._best(question, passages)
        claim = proposition(question)
        if best is None or (claim and _TURNED.search(claim)):
            return refusal(passages)
        quoted = f"{without_number(best.said)} [{best.passage.id}]"
        if not claim:
            return quoted
        polarity = read(best.said, claim).polarity
        if polarity not in ("affirms", "denies"):
            return refusal(passages)
        return f"{'Yes' if polarity == 'affirms' else 'No'}. {quoted}"

    def _best(self, question: str, passages: Sequence[Passage]) -> _Found | None:
        found = self._found(question, passages)
        if not found:
            return None
        # Of equals, a row comes first, then what is in the better passage, or earlier in it.
        best = max(found, key=lambda each: (each.score, bool(each.figure), -each.rank))
        rivals = {each.figure for each in found if each.figure and each.score == best.score}
        return None if best.figure and len(rivals) > 1 else best

    def _found(self, question: str, passages: Sequence[Passage]) -> list[_Found]:
        """Return the pieces that hold enough of what is asked, and a value of the kind asked for."""
        kind, names = kind_asked(question), names_in(question)
        asked = _keys(core(question)) - _ASKING or _keys(core(question))
        title = self._titles.named(question, passages)
        if title:
            passages = [passage for passage in passages if passage.title == title]
            # The document's name says which passages to read, not what to look for in them.
            asked = asked - _keys(title) or asked
        pieces = [(rank, each, piece) for rank, each in enumerate(passages) for piece in self._pieces(each)]
        often = Counter(word for *_, piece in pieces for word in piece.words & asked)
        weights = {word: log(1 + (len(pieces) + 1) / (often[word] + 1)) for word in asked}
        found = []
        for rank, passage, piece in pieces:
            score = sum(weights[word] for word in asked if word in piece.words) / (sum(weights.values()) or 1)
            said = (
                _said(piece, kind, question) if score >= (ROW if piece.row else LEAST[kind or "name"]) else ""
            )
            # A row says little by itself: what is around its table counts too.
            around = f"{passage.title} {passage.heading} {passage.text if piece.row else said}"
            if said and names <= frozenset(words(around)):
                figure = said.rpartition(": ")[2].partition(" ")[0].strip("$") if piece.row else ""
                found.append(_Found(score, figure, rank, said, passage))
        return found

    def _pieces(self, passage: Passage) -> list[_Piece]:
        read = self._read.get(passage.id)
        if read is None:
            found = list(rows(f"{passage.heading}\n{passage.text}".strip()))
            times = Counter((row.group, row.label) for row in found)
            # Which of two rows with the same label (of two segments, say) is meant, the label does not tell.
            read = [
                _Piece(f"{row.group} {row.label}".strip(), _keys(f"{row.label} {row.above}"), row)
                for row in found
                if times[row.group, row.label] == 1
            ]
            before = ""
            for sentence in self._sentences(passage):
                said = f"{before} {sentence}" if before and _ABOUT_IT.match(sentence) else sentence
                read.append(_Piece(said, _keys(said)))
                before = sentence
            self._read[passage.id] = read
        return read

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


def build(context: Context, argument: str) -> Callable[[str, Sequence[Passage]], str]:
    """Return the extractive pipeline."""
    refuse_argument("extractive", argument)
    return Extractive(context.corpus)


def _keys(text: str) -> frozenset[str]:
    return frozenset(concept[:LETTERS] for concept in content(text))


def _said(piece: _Piece, kind: str, question: str) -> str:
    """Return what of a piece can answer; "" when it lacks the year or the kind of value asked for."""
    years = years_of(core(question))
    if piece.row is None:
        others = years_of(piece.text)
        off = kind != "claim" and years and others and not years & others
        if kind == "":
            asked = frozenset(words(question))
            off = off or not any(name.casefold() not in asked for name in NAME.findall(piece.text))
        return piece.text if not off and holds(piece.text, kind) else ""
    label = _keys(piece.row.label)
    if kind in ("", "claim", "date") or not label or label - _keys(question):
        return ""
    if _TELLING & frozenset(words(piece.row.label)) != _TELLING & frozenset(words(core(question))):
        return ""
    said = piece.row.under(years or years_of(question))
    return said if holds(said, kind) else ""
