"""Statements that can be asked about, with question, place and distractors nearby."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from decimal import Decimal
from functools import cached_property
from hashlib import sha256
from itertools import zip_longest
from math import ceil
from typing import NamedTuple

from ragharness.language.dates import find_dates, iso
from ragharness.language.numbers import find_quantities
from ragharness.language.words import sentences, words
from ragharness.records import Document, Evidence
from ragquestions.folder.facts import (
    FIGURE,
    LETTERS,
    NOTE,
    Fact,
    agreement_facts,
    content_words,
    states_figure,
)
from ragquestions.folder.programs import asked_of, changes, is_technical, names_left_out, settings
from ragquestions.folder.rows import amounts_listed, cloze, rows
from ragquestions.grammar import Asked
from ragquestions.wording import ask, common_words, precision


class Statement(NamedTuple):
    """A sentence that answers a question."""

    document: Document
    start: int
    end: int
    asked: Asked
    tempting: tuple[tuple[str, int, int], ...]
    """Another answer of the same kind and unit near by, with its place."""
    elsewhere: bool = False
    """Whether another document says the same, so that withholding this one keeps nothing back."""
    form: str = ""  # what sort of fact it is; empty: a figure or date of running text
    turns_on: str = ""  # a pattern that a text which says something of it must have; empty: none is known

    @property
    def topic(self) -> str:
        """What it is about: its place, of which there is one."""
        return f"{self.asked.kind} at {self.start} {self.form}".rstrip()

    @property
    def evidence(self) -> tuple[Evidence]:
        """Its place, as a question keeps it."""
        return (Evidence(self.document.id, self.start, self.end),)


def statements(documents: Sequence[Document], most: int) -> list[Statement]:
    """At most ``most`` statements, documents in turn, those that are said once in their document."""
    technical = is_technical(documents)
    found: list[list[Statement]] = []
    for document in sorted((each for each in documents if each.handle), key=lambda each: _draw(each.id)):
        found.append(_of_document(document, technical=technical))
        if sum(map(len, found)) >= ENOUGH * most:
            break
    turns = [each for turn in zip_longest(*found) for each in turn if each is not None]
    return with_echoes(turns[:most], documents)


def statement_at(document: Document, start: int, end: int, asked: Asked) -> Statement:
    """Statement whose question somebody else wrote, with what is near it."""
    around = SentenceIndex(document.text, max(0, start - _AROUND), end + _AROUND)
    place = next((number for number, span in enumerate(around.spans) if span[1] > start), 0)
    near = [each for each in around.near(asked, place) if each[2] <= start or each[1] >= end]
    return Statement(document, start, end, asked, tuple(near))


_AROUND = 800  # characters before and after it in which something near is looked for
ENOUGH = 2  # statements that are found for one that is taken; then no further document is looked at
_PER_DOCUMENT = 40  # statements of one document at most: a long one is no better known by more of them


_PER_FORM = 15  # the same of one form: a list of settings or of releases shall not be half of a set


def _of_document(document: Document, *, technical: bool) -> list[Statement]:
    every = SentenceIndex(document.text)
    lower = common_words(document.text)
    found = [
        Statement(
            document, *every.spans[place], asked, tuple(every.near(asked, place) or every.akin(asked, place))
        )
        for place, sentence in enumerate(every.said)
        for asked in _asked(sentence, lower)
        if every.says_once(asked, place)
    ]
    found += _facts(document, every, technical=technical)
    taken: Counter[str] = Counter()
    kept = []
    for each in sorted(_one_question_each(found), key=_rank):
        taken[each.form] += 1
        if not each.form or taken[each.form] <= _PER_FORM:
            kept.append(each)
    return kept[:_PER_DOCUMENT]


def _facts(document: Document, every: SentenceIndex, *, technical: bool) -> Iterator[Statement]:
    """Yield what is asked for by a name, with the answers nearest to it that its like have."""
    found = [each for each in facts(document.text, every, technical=technical) if not every.repeats(each)]
    alike: dict[str, list[Fact]] = {}
    for each in found:
        alike.setdefault(_KIND.get(each.form, each.form), []).append(each)
    for each in found:
        start = each.start
        near = sorted(
            alike[_KIND.get(each.form, each.form)], key=lambda other: (abs(other.start - start), other.start)
        )
        others = {
            other.asked.answer: (other.asked.answer, other.start, other.end)
            for other in near[:_NEIGHBOURS]
            if other.asked.unit == each.asked.unit and not _overlap(each.asked.answer, other.asked.answer)
        }
        tempting = () if each.form == LETTERS else tuple(others.values())[:_TEMPTING]
        yield Statement(
            document, each.start, each.end, each.asked, tempting, form=each.form, turns_on=each.turns_on
        )


_NEIGHBOURS, _TEMPTING = 12, 3
_KIND = {"law": "place", "organised": "place"}  # forms whose answers are taken for one another


def _overlap(one: str, other: str) -> bool:
    """Whether one answer is part of the other."""
    first, second = f" {' '.join(words(one))} ", f" {' '.join(words(other))} "
    return first in second or second in first


def _asked(sentence: str, lower: Callable[[str], bool]) -> list[Asked]:
    """Questions of a sentence; it is asked about by a gap only where it gives no other."""
    if not states_figure(sentence) or _SPECIAL.search(sentence):
        return []
    worded = [each for each in ask(sentence, lower) if not _ODD.search(each.question)]
    gap = None if worded else cloze(sentence)
    return [gap] if gap else worded


_SPECIAL = re.compile(r"__\w+__")  # a name of Python's that would lose its underscores as emphasis does
_ODD = re.compile(
    r"\bthe (?!company|agreement|country|state|world|nation|government|public)[a-z]+['’]s\b|\bthat (?:study|survey|report|review|audit|case|group|time)\b"
    r"|\b(?:did|does|do|was|were|is|are|has|have|had) the (?!company|agreement)[a-z]+ (?!of\b|for\b|on\b|to\b|in\b|at\b|between\b)[a-z]+(?:ed|en|e|s|t|d|r|y)?\b(?: (?:in|on|by|to|for|at|with|as)\b|\?)"
    r"|\b(\w+) \1\b|\bof (?:that|those|these) [a-z]+\b(?! (?:who|which|that)\b)"
    r"|\bthe [a-z]+ of (?:its|their|his|her)\b"
)  # what a question stumbles over ("account for for 2025"), or leans on ("of that merchandise")


def _one_question_each(found: Iterable[Statement]) -> list[Statement]:
    """Statements whose questions are asked by no other of them."""
    groups: dict[str, list[Statement]] = {}
    for each in found:
        groups.setdefault(" ".join(words(each.asked.question)), []).append(each)
    single = [group[0] for group in groups.values() if len(group) == 1]
    # The same figure about the same things is one statement in two wordings: either could be cited.
    amounts: dict[tuple[str, str], list[Asked]] = {}
    for each in single:
        amounts.setdefault((each.asked.answer, each.asked.unit), []).append(each.asked)
    return [
        each
        for each in single
        if each.form or not _again(each.asked, amounts[each.asked.answer, each.asked.unit])
    ]


def _again(asked: Asked, others: Iterable[Asked]) -> bool:
    return asked.kind == "number" and any(_alike(asked, other) for other in others if other is not asked)


def _alike(one: Asked, other: Asked) -> bool:
    first, second = content_words(one.about), content_words(other.about)
    # A quoted statement has words enough to have two in common with any other.
    needed = ceil(SAME * min(len(first), len(second))) if one.left or other.left else 0
    return first != second and len(first & second) >= max(SHARED, needed)


def _draw(text: str) -> str:
    return sha256(text.encode()).hexdigest()


def _rank(statement: Statement) -> str:
    key = f"{statement.document.id}|{statement.start}|{statement.asked.question}"
    # What can be worded comes before what needs a gap; what tempts is rarer, and so comes first.
    return f"{bool(statement.asked.left):d}{not statement.tempting:d}{_draw(key)}"


def facts(text: str, every: SentenceIndex, *, technical: bool) -> Iterator[Fact]:
    """Yield the facts of a text; ``turns_on`` of each is a pattern."""
    for each in _every_fact(text, every, technical=technical):
        escaped = each.form not in _PATTERNS
        yield each._replace(turns_on=re.escape(each.turns_on)) if escaped else each


_PATTERNS = frozenset({"law", "dated"})
"""Forms whose facts tell by a pattern what a text must have, not by a name."""


def _every_fact(text: str, every: SentenceIndex, *, technical: bool) -> Iterator[Fact]:
    yield from settings(text)
    yield from changes(text)
    yield from rows(text)
    yield from amounts_listed(text)
    yield from agreement_facts(text)
    for (start, end), sentence in zip(every.spans, every.said, strict=True):
        found = list(asked_of(sentence, start)) or (names_left_out(sentence, start) if technical else ())
        yield from (each._replace(end=end) for each in found)
    for short, name, start, end in short_definitions(text):
        asked = Asked(f"What does the abbreviation {short} stand for?", "text", name)
        yield Fact(asked, start, end, LETTERS, short, (short.lower(), name.lower()))


_LETTERS = re.compile(
    r"(?P<name>(?:[A-Z][\w'’&-]*)(?:\s+(?:(?:of|the|for|and|on|in|to)\s+){0,2}[A-Z][\w'’&-]*){1,8})\s+\((?:the\s+)?[\"“]?(?P<short>[A-Z][A-Z&-]{1,8}[A-Z])[\"”]?\)"
)
_SMALL = frozenset({"of", "the", "for", "and", "on", "in", "to"})


def short_definitions(text: str) -> Iterator[tuple[str, str, int, int]]:
    """Yield the letters that a text gives once for a name, the name, and the place of the sentence that does."""
    found: dict[str, list[tuple[str, str, int, int]]] = {}
    for start, end in sentences(text):
        sentence = text[start:end]
        for match in _LETTERS.finditer("" if NOTE.search(sentence) else sentence):
            name, short = _spelled(match["name"], match["short"]), match["short"]
            listed = rf"\b{short}\b\W+{re.escape(name.split(' ')[0])}\b"
            if name and not re.search(listed, text, re.IGNORECASE):
                found.setdefault(short, []).append((short, name, start, end))
    yield from (each[0] for each in found.values() if len(each) == 1)


def _spelled(name: str, short: str) -> str:
    """End of a name whose initials are the letters, in their order; empty where they are not."""
    parts = name.split()
    letters = [letter for letter in short if letter.isalpha()]
    for first in range(len(parts)):
        initials = [
            piece[0] for part in parts[first:] if part not in _SMALL for piece in part.split("-") if piece
        ]
        if [each.upper() for each in initials] == letters and parts[first] not in _SMALL:
            return " ".join(parts[first:])
    return ""


_LIKELY = 50  # how many times larger or smaller a figure may be to be taken for another
NEAR = 6  # sentences before and after a statement in which another figure is near enough to be taken for it
SAME = 0.6  # share of a question's content words from which another sentence may be saying the same
ALIKE = 0.8  # the same where that sentence has other figures: it may state another fact in like words
SHARED = 2  # telling words that two statements with the same figure have in common when they state one fact
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
        """What stands near by and is of the same kind: another amount of money, another day."""
        places = range(max(0, place - NEAR), min(len(self.spans), place + NEAR + 1))
        return [each for other in places if other != place for each in self._others(asked, other)]

    def akin(self, asked: Asked, place: int) -> list[tuple[str, int, int]]:
        """What is of the same kind in the nearest sentence that speaks of like things."""
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


MOST_LETTERS = 5  # abbreviations that are asked about: what letters stand for is soon guessed


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
