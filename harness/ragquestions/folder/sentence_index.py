"""The sentences of a text, compared by their content words: what says the same, what stands near."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from decimal import Decimal
from functools import cached_property
from math import ceil
from typing import TYPE_CHECKING

from ragharness.language.dates import find_dates
from ragharness.language.numbers import find_quantities
from ragharness.language.words import sentences
from ragharness.records import Document
from ragquestions.folder.facts import FIGURE, LETTERS, NOTE, Fact, content_words, states_figure
from ragquestions.wording import Asked
from ragquestions.wording.dates import iso, precision

if TYPE_CHECKING:
    from ragquestions.folder.statements import Statement

_LIKELY = 50
"""How many times larger or smaller a figure may be to be taken for another."""

NEAR = 6
"""Sentences before and after a statement in which another figure is near enough to be taken for it."""

SAME = 0.6
"""Share of a question's content words from which another sentence may be saying the same."""

ALIKE = 0.8
"""The same where that sentence has other figures: it may state another fact in like words."""

SHARED = 2
"""Telling words that two statements with the same figure have in common when they state one fact."""

_YEAR = re.compile(r"(?<!\d)(?:1[89]|20)\d\d(?!\d)")


class SentenceIndex:
    """The sentences of a text, and what each of them is compared by."""

    def __init__(self, text: str, start: int = 0, end: int | None = None) -> None:
        self.spans = [(start + one, start + other) for one, other in sentences(text[start:end])]
        self.said = [" ".join(text[one:other].split()) for one, other in self.spans]

    @cached_property
    def lower(self) -> list[str]:
        """Each in lower case."""
        return [each.lower() for each in self.said]

    @cached_property
    def content(self) -> list[frozenset[str]]:
        """The content words of each."""
        return [content_words(each) for each in self.said]

    @cached_property
    def holders(self) -> dict[str, list[int]]:
        """The sentences that have a content word."""
        holders: dict[str, list[int]] = {}
        for place, each in enumerate(self.content):
            for word in each:
                holders.setdefault(word, []).append(place)
        return holders

    def says_once(self, asked: Asked, place: int) -> bool:
        """Whether no other sentence says the same, or what might be meant instead."""
        wanted = content_words(asked.about)
        if len(wanted) < 2:
            return False
        years = set(_YEAR.findall(asked.about))
        others = {other for word in wanted for other in self.holders.get(word, ()) if other != place}
        figures = set(FIGURE.findall(self.said[place]))
        for other in others:
            share = len(wanted & self.content[other]) / len(wanted)
            said = self.said[other]
            if share < SAME or not states_figure(said):
                continue
            if asked.kind == "number" and share < ALIKE and not figures & set(FIGURE.findall(said)):
                continue
            theirs = set(_YEAR.findall(said))
            if not (years and theirs and not years & theirs):
                return False
        return True

    def repeats(self, fact: Fact) -> bool:
        """Whether another sentence, outside the fact's own place, says the same."""
        outside = [
            place for place, (start, end) in enumerate(self.spans) if end <= fact.start or start >= fact.end
        ]
        if fact.marks:
            return any(all(mark in self.lower[place] for mark in fact.marks) for place in outside)
        wanted = content_words(fact.asked.about)
        near = {place for word in wanted for place in self.holders.get(word, ())}
        return any(len(wanted & self.content[place]) >= SAME * len(wanted) for place in near & set(outside))

    def near(self, asked: Asked, place: int) -> list[tuple[str, int, int]]:
        """Return what stands near by and is of the same kind: another amount of money, another day."""
        places = range(max(0, place - NEAR), min(len(self.spans), place + NEAR + 1))
        return [each for other in places if other != place for each in self._others(asked, other)]

    def akin(self, asked: Asked, place: int) -> list[tuple[str, int, int]]:
        """Return what is of the same kind in the nearest sentence that speaks of like things."""
        wanted = content_words(asked.about)
        near = range(max(0, place - 10 * NEAR), min(len(self.content), place + 10 * NEAR))
        like = (other for other in near if len(self.content[other] & wanted) >= SHARED)
        nearest = sorted((other for other in like if other != place), key=lambda other: abs(other - place))
        return next(filter(None, (list(self._others(asked, other)) for other in nearest)), [])

    def _others(self, asked: Asked, place: int) -> Iterator[tuple[str, int, int]]:
        sentence = self.said[place]
        if (asked.kind == "number" and not asked.unit) or NOTE.search(sentence):
            return
        for value in _dates(asked, sentence) if asked.kind == "date" else amounts(asked, sentence):
            if value != asked.answer:
                yield value, *self.spans[place]


def _dates(asked: Asked, sentence: str) -> Iterator[str]:
    for each in find_dates(sentence):
        same = each.year and precision(each) == asked.precision
        if same and not (each.fiscal or each.quarter or each.ambiguous):
            yield iso(each)


def amounts(asked: Asked, sentence: str) -> Iterator[str]:
    """Yield the amounts of a text that have the unit of an answer, and about its size."""
    unit, _, scale = asked.unit.partition(" ")
    for each in find_quantities(sentence):
        if each.unit == unit and not (each.bound or each.range or each.year):
            value = each.value / (1_000_000 if scale == "million" else 1)
            if _LIKELY * value >= Decimal(asked.answer) and _LIKELY * Decimal(asked.answer) >= value:
                yield f"{value.normalize():f}"


MOST_LETTERS = 5
"""Abbreviations that are asked about: what letters stand for is soon guessed."""


def with_echoes(found: list[Statement], documents: Iterable[Document]) -> list[Statement]:
    """Mark the statements that another document makes too; every text is read once.

    What shares enough words with a statement has one of its rarest words, what has its figures the rarest
    of them: only such pairs are compared.
    """
    wanted = [content_words(each.asked.about) for each in found]
    figures = [set(FIGURE.findall(each.document.text[each.start : each.end])) for each in found]
    watched: dict[str, list[int]] = {}
    common = Counter(word for words_of in (*wanted, *figures) for word in words_of)
    for number, (words_of, figures_of) in enumerate(zip(wanted, figures, strict=True)):
        rare = sorted(words_of, key=lambda word: (common[word], word))
        few = len(rare) - ceil(ALIKE * len(rare)) + 1
        rarest = sorted(figures_of, key=lambda figure: (common[figure], figure))[:1]
        for key in (*rare[:few], *rarest):
            watched.setdefault(key, []).append(number)
    in_words = {number for number, each in enumerate(found) if each.form}
    heard: set[int] = set()
    for document in documents:
        for start, end in sentences(document.text):
            said = document.text[start:end]
            figured = states_figure(said)
            if not (figured or in_words):
                continue
            content, theirs = content_words(said), set(FIGURE.findall(said))
            near = {number for key in watched.keys() & (content | theirs) for number in watched[key]}
            near = near if figured else near & in_words
            for number in near - heard:
                share = SAME if figures[number] and figures[number] <= theirs else ALIKE
                if (
                    len(wanted[number] & content) >= share * len(wanted[number])
                    and found[number].document.id != document.id
                ):
                    heard.add(number)
    marked = [each._replace(elsewhere=number in heard) for number, each in enumerate(found)]
    # What many documents call by the same letters is known without any of them.
    plain = [each for each in marked if each.form != LETTERS]
    named = [each for each in marked if each.form == LETTERS and not _common(each, documents)]
    return [*plain, *named[:MOST_LETTERS]]


def _common(statement: Statement, documents: Iterable[Document]) -> bool:
    return any(statement.asked.answer in each.text for each in documents if each.id != statement.document.id)
