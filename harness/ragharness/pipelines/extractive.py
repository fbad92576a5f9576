"""The reference generator without a model: it quotes the sentence that holds most of what is asked.

Where the question names a document, only its passages are read. A sentence scores the share of the question's
subject words that it holds, each weighed by how few sentences hold it; one that begins with "it" stands with
the sentence before, a row with the heads of its table. Nothing is answered below the least share for the kind
of value asked for, without such a value or the question's year, names and numbers, where two rows differ, or
where two documents that the question may mean say as much.
Of a table one figure is quoted, with its row, group and column. A yes/no question is answered where the best
sentence affirms or denies it. All else is a refusal that names the nearest passages.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from math import fsum, log
from typing import NamedTuple

from ragharness.corpus.loading import Corpus
from ragharness.language.propositions import read
from ragharness.language.tables import regex
from ragharness.language.words import content, generic_concepts, words
from ragharness.pipelines import Context, refuse_argument
from ragharness.pipelines._asked import NAME, Titles, core, holds, kind_asked, names_in, proposition, subject
from ragharness.pipelines._pieces import LETTERS, Piece, Pieces, keys, years_of
from ragharness.pipelines.refuse import refusal
from ragharness.records import Passage

LEAST = 0.5
"""The least share of what is asked."""

MORE = {"": 0.7, "list": 0.6, "money": 0.7, "name": 0.7, "percent": 0.6}
"""The same for some kinds of value; money stands beside some words of most questions about a filing."""

UNSEEN = 0.5
"""What a word that no sentence holds weighs, of what it would weigh: it may be said in other words."""

_UNTABLED = ("", "claim", "date", "list", "name", "place")
"""The kinds that no figure of a table answers."""

ROW = 0.6
"""The same of a row."""

_TELLING = frozenset({"before", "after", "other"})
"""Words without a subject of their own that make another row of it: income before taxes, other income."""
_TURNED = regex(r"\b(?:without|free (?:of|from)|below|no|none|not)\b", re.IGNORECASE)
"""Words with which "yes" denies something: what a sentence says to that is not for simple rules."""

_ASKING = frozenset(
    concept[:LETTERS]
    for concept in (
        *generic_concepts(),
        *content("say give report name list state city place date day month year kind title number amount"),
        *content("type two three author firm person official percentage"),
    )
)
"""Words that ask for a kind of value or speak of the document: an answer does without them."""


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
        self._titles = Titles(corpus)
        self._pieces = Pieces(corpus)

    def __call__(self, question: str, passages: Sequence[Passage]) -> str:
        """Return the answer with its citation, or a refusal that says why."""
        best = self._best(question, passages)
        claim = proposition(question)
        if best is None or (claim and _TURNED.search(claim)):
            return refusal(passages)
        quoted = f"{best.said} [{best.passage.id}]"
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
        equals = [each for each in found if each.score == best.score]
        figures = {each.figure for each in equals if each.figure}
        # Two documents that the question may mean say as much of it: it does not tell which one is asked.
        unclear = len({each.passage.document for each in equals}) > 1
        return None if unclear or (best.figure and len(figures) > 1) else best

    def _found(self, question: str, passages: Sequence[Passage]) -> list[_Found]:
        """Return the pieces that hold enough of what is asked, and a value of the kind asked for."""
        kind, asked_of = kind_asked(question), subject(question)
        names, naming = names_in(asked_of), names_in(question)
        sought = keys(asked_of)
        asked = sought - _ASKING or sought
        titles = self._titles.named(question, passages)
        passages = [
            each for each in passages if each.title in titles and self._titles.fits(naming - names, each)
        ]
        # The document's name says which passages to read, not what to look for in them.
        asked = asked - keys(" ".join(titles)) or asked
        pieces = [
            (rank, each, piece) for rank, each in enumerate(passages) for piece in self._pieces.of(each)
        ]
        often = Counter(word for *_, piece in pieces for word in piece.words & asked)
        weights = {
            word: (1 if often[word] else UNSEEN) * log(1 + (len(pieces) + 1) / (often[word] + 1))
            for word in asked
        }
        # An exact sum is the same in every order of the words.
        whole = fsum(weights.values()) or 1
        found = []
        for rank, passage, piece in pieces:
            score = fsum(weights[word] for word in asked if word in piece.words) / whole
            said = (
                _said(piece, kind, question) if score >= (ROW if piece.row else MORE.get(kind, LEAST)) else ""
            )
            # A row says little by itself: what is around its table counts too.
            around = f"{passage.title} {passage.heading} {passage.text if piece.row else said}"
            if said and names <= frozenset(words(around)):
                figure = said.rpartition(": ")[2].partition(" ")[0].strip("$") if piece.row else ""
                found.append(_Found(score, figure, rank, said, passage))
        return found


def build(context: Context, argument: str) -> Callable[[str, Sequence[Passage]], str]:
    """Return the extractive pipeline."""
    refuse_argument("extractive", argument)
    return Extractive(context.corpus)


def _said(piece: Piece, kind: str, question: str) -> str:
    """Return what of a piece can answer; "" when it lacks the year or the kind of value asked for."""
    years = years_of(core(question))
    if piece.row is None:
        others = years_of(piece.text)
        off = kind != "claim" and years and others and not years & others
        if kind == "name":
            asked = frozenset(words(question))
            off = off or not any(name.casefold() not in asked for name in NAME.findall(piece.own))
        return piece.text if not off and holds(piece.own, kind, question) else ""
    label = keys(piece.row.label)
    if kind in _UNTABLED or not label or label - keys(question):
        return ""
    if _TELLING & frozenset(words(piece.row.label)) != _TELLING & frozenset(words(core(question))):
        return ""
    said = piece.row.under(years or years_of(question))
    return said if holds(said, kind, question) else ""
