"""Finds the evidence of a user's question in a corpus: by a quote, else by its answer."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import TYPE_CHECKING

from ragharness.language.dates import find_dates
from ragharness.language.numbers import find_quantities
from ragharness.language.sentences import sentences
from ragharness.language.tokens import words
from ragharness.passages import build_passages
from ragharness.placing import Placer
from ragharness.placing.naming import DocumentNames
from ragharness.questions.asking.dates import iso
from ragharness.questions.values import read_amount, read_date
from ragharness.records import Evidence, Passage

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ragharness.corpus import Corpus

ENOUGH = 0.5
"""Share of a question's words that the sentence with its answer must have, to be what was meant."""

_SHORTEST = 3
_ASKING = frozenset(
    "what when how many much which who where does did was were the according and for".split()  # noqa: SIM905
)


class Locator:
    """Finds places in one corpus; the texts are indexed at the first quote."""

    def __init__(self, corpus: Corpus) -> None:
        self._corpus = corpus
        self._names = DocumentNames(corpus)
        self._placer = Placer(corpus, build_passages(corpus.documents))

    def document(self, name: str) -> str:
        """Return the id of the document that a name means; empty: of none."""
        return self._names.find(name)

    def quoted(self, quote: str, document: str) -> Evidence | None:
        """Return where a quote stands, however it was wrapped; None: nowhere, or in several documents."""
        brought = Passage("", document, "", 0, 0, quote)
        placed = self._placer.place(brought)
        if placed.how != "text" or (document and placed.passage.document != document):
            return None
        return placed.passage.places[0]

    def held(self, question: str, quote: str, document: str) -> Evidence | None:
        """Return the sentence that holds a quote too short to be placed by itself; None: several documents."""
        search = _search(quote)
        places = []
        for each in [self._corpus.document(document)] if document else self._corpus.documents:
            if search.search(each.text):
                places += [
                    (_share(question, each.text[start:end]), Evidence(each.id, start, end))
                    for start, end in sentences(each.text)
                    if search.search(each.text[start:end])
                ]
        if len({place.document for _, place in places}) != 1:
            return None
        return max(places, key=lambda each: (each[0], -each[1].start))[1]

    def stated(self, question: str, spellings: Sequence[str], document: str) -> Evidence | None:
        """Return the sentence with one spelling of the answer that shares most words with the question."""
        wanted = _wanted(question)
        answer = Answer(spellings)
        best: tuple[float, Evidence] | None = None
        for each in [self._corpus.document(document)] if document else self._corpus.documents:
            if not answer.may_stand_in(each.text):
                continue
            named = wanted - frozenset(words(each.title))
            for start, end in sentences(each.text):
                sentence = each.text[start:end]
                if answer.stands_in(sentence):
                    asked = named or wanted
                    share = len(asked & frozenset(words(sentence))) / max(1, len(asked))
                    if share >= ENOUGH and (best is None or share > best[0]):
                        best = share, Evidence(each.id, start, end)
        return best[1] if best else None


class Answer:
    """Finds an answer in a text as it is written, or as another spelling of the same number or date."""

    def __init__(self, spellings: Sequence[str]) -> None:
        self._searches = [_search(each) for each in spellings if each]
        amounts = [amount for each in spellings if (amount := read_amount(each, ""))]
        self._values = {Decimal(value) for value, unit in amounts if not unit}
        self._dates = {date for each in spellings if (date := read_date(each)) and not each.isdecimal()}

    def may_stand_in(self, text: str) -> bool:
        """Whether it is worth looking at each sentence of a text."""
        return bool(self._values or self._dates) or self._written(text)

    def stands_in(self, sentence: str) -> bool:
        """Whether a sentence holds it."""
        if self._written(sentence):
            return True
        if self._values and any(each.value in self._values for each in find_quantities(sentence)):
            return True
        return bool(self._dates) and any(
            iso(each) in self._dates for each in find_dates(sentence) if each.year
        )

    def _written(self, text: str) -> bool:
        return any(search.search(text) for search in self._searches)


def _wanted(question: str) -> frozenset[str]:
    return frozenset(word for word in words(question) if len(word) >= _SHORTEST) - _ASKING


def _share(question: str, sentence: str) -> float:
    wanted = _wanted(question)
    return len(wanted & frozenset(words(sentence))) / max(1, len(wanted))


def _search(spelling: str) -> re.Pattern[str]:
    inner = r"\s+".join(map(re.escape, spelling.split()))
    return re.compile(rf"(?<![\w.,]){inner}(?![\w]|[.,]\d)", re.IGNORECASE)
