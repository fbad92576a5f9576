"""Statements that can be asked about, with question, place and distractors nearby."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from decimal import Decimal
from functools import cached_property
from hashlib import sha256
from itertools import chain, zip_longest
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
    tempting: tuple[tuple[str, int, int], ...]  # other answers of the same kind and unit near by, with places
    elsewhere: bool = False  # whether another document says the same: withholding this one keeps nothing back
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
    for document in sorted((each for each in documents if each.handle), key=lambda each: draw(each.id)):
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
    chosen = []
    for statement in sorted(_one_question_each(found), key=_rank):
        taken[statement.form] += 1
        if not statement.form or taken[statement.form] <= _PER_FORM:
            chosen.append(statement)
    return chosen[:_PER_DOCUMENT]


def _facts(document: Document, every: SentenceIndex, *, technical: bool) -> Iterator[Statement]:
    """Yield what is asked for by a name, with the answers nearest to it that its like have."""
    found = [fact for fact in facts(document.text, every, technical=technical) if not every.repeats(fact)]
    alike: defaultdict[str, list[Fact]] = defaultdict(list)
    for fact in found:
        alike[_KIND.get(fact.form, fact.form)].append(fact)
    for asked, start, end, form, turns_on, _ in found:
        near = sorted(alike[_KIND.get(form, form)], key=lambda other: (abs(other.start - start), other.start))
        others = {
            other.asked.answer: (other.asked.answer, other.start, other.end)
            for other in near[:_NEIGHBOURS]
            if other.asked.unit == asked.unit and not _overlap(asked.answer, other.asked.answer)
        }
        tempting = () if form == LETTERS else tuple(others.values())[:_TEMPTING]
        yield Statement(document, start, end, asked, tempting, form=form, turns_on=turns_on)


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
    worded = [asked for asked in ask(sentence, lower) if not _ODD.search(asked.question)]
    return worded or [*filter(None, [cloze(sentence)])]


_SPECIAL = re.compile(r"__\w+__")  # a name of Python's that would lose its underscores as emphasis does
_ODD = re.compile(
    r"\bthe (?!company|agreement|country|state|world|nation|government|public)[a-z]+['’]s\b|\bthat (?:study|survey|report|review|audit|case|group|time)\b"
    r"|\b(?:did|does|do|was|were|is|are|has|have|had) the (?!company|agreement)[a-z]+ (?!of\b|for\b|on\b|to\b|in\b|at\b|between\b)[a-z]+(?:ed|en|e|s|t|d|r|y)?\b(?: (?:in|on|by|to|for|at|with|as)\b|\?)"
    r"|\b(\w+) \1\b|\bof (?:that|those|these) [a-z]+\b(?! (?:who|which|that)\b)"
    r"|\bthe [a-z]+ of (?:its|their|his|her)\b"
)  # what a question stumbles over ("account for for 2025"), or leans on ("of that merchandise")


def _one_question_each(found: Iterable[Statement]) -> list[Statement]:
    """Statements whose questions are asked by no other of them."""
    groups: defaultdict[str, list[Statement]] = defaultdict(list)
    for statement in found:
        groups[" ".join(words(statement.asked.question))].append(statement)
    single = [group[0] for group in groups.values() if len(group) == 1]
    # The same figure about the same things is one statement in two wordings: either could be cited.
    amounts: defaultdict[tuple[str, str], list[Asked]] = defaultdict(list)
    for statement in single:
        amounts[statement.asked.answer, statement.asked.unit].append(statement.asked)
    return [
        statement
        for statement in single
        if statement.form
        or statement.asked.kind != "number"
        or not any(
            _alike(statement.asked, other)
            for other in amounts[statement.asked.answer, statement.asked.unit]
            if other is not statement.asked
        )
    ]


def _alike(one: Asked, other: Asked) -> bool:
    first, second = content_words(one.about), content_words(other.about)
    # A quoted statement has words enough to have two in common with any other.
    needed = ceil(SAME * min(len(first), len(second))) if one.left or other.left else 0
    return first != second and len(first & second) >= max(SHARED, needed)


def draw(text: str) -> str:
    """Draw from a text alone."""
    return sha256(text.encode()).hexdigest()


def _rank(statement: Statement) -> str:
    key = f"{statement.document.id}|{statement.start}|{statement.asked.question}"
    # What can be worded comes before what needs a gap; what tempts is rarer, and so comes first.
    return f"{bool(statement.asked.left):d}{not statement.tempting:d}{draw(key)}"


def facts(text: str, every: SentenceIndex, *, technical: bool) -> Iterator[Fact]:
    """Yield the facts of a text; ``turns_on`` of each is a pattern."""
    for each in _every_fact(text, every, technical=technical):
        escaped = each.form not in _PATTERNS
        yield each._replace(turns_on=re.escape(each.turns_on)) if escaped else each


_PATTERNS = frozenset({"law", "dated"})  # forms whose facts tell by a pattern what a text must have


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
    found: defaultdict[str, list[tuple[str, str, int, int]]] = defaultdict(list)
    for start, end in sentences(text):
        sentence = text[start:end]
        for match in _LETTERS.finditer("" if NOTE.search(sentence) else sentence):
            name, short = _spelled(match["name"], match["short"]), match["short"]
            listed = rf"\b{short}\b\W+{re.escape(name.split(' ')[0])}\b"
            if name and not re.search(listed, text, re.IGNORECASE):
                found[short].append((short, name, start, end))
    yield from (places[0] for places in found.values() if len(places) == 1)


def _spelled(name: str, short: str) -> str:
    """End of a name whose initials are the letters, in their order; empty where they are not."""
    parts = name.split()
    letters = [letter for letter in short if letter.isalpha()]
    for first in range(len(parts)):
        said = (part for part in parts[first:] if part not in _SMALL)
        initials = [piece[0].upper() for part in said for piece in part.split("-") if piece]
        if initials == letters and parts[first] not in _SMALL:
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
        holders: defaultdict[str, list[int]] = defaultdict(list)
        for place, content in enumerate(self.content):
            for word in content:
                holders[word].append(place)
        return holders

    def says_once(self, asked: Asked, place: int) -> bool:
        """Whether no other sentence says the same, or what might be meant instead."""
        wanted = content_words(asked.about)
        if len(wanted) < 2:
            return False
        years = set(_YEAR.findall(asked.about))
        figures = set(FIGURE.findall(self.said[place]))
        for other in {other for word in wanted for other in self.holders.get(word, ()) if other != place}:
            share = len(wanted & self.content[other]) / len(wanted)
            said = self.said[other]
            if share < SAME or not states_figure(said):
                continue
            if asked.kind == "number" and share < ALIKE and figures.isdisjoint(FIGURE.findall(said)):
                continue
            theirs = set(_YEAR.findall(said))
            if not years or not theirs or years & theirs:
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
        dates = (
            iso(date)
            for date in find_dates(sentence)
            if date.year and precision(date) == asked.precision
            if not (date.fiscal or date.quarter or date.ambiguous)
        )
        for value in dates if asked.kind == "date" else amounts(asked, sentence):
            if value != asked.answer:
                yield value, *self.spans[place]


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
    watched: defaultdict[str, list[int]] = defaultdict(list)
    common = Counter(chain.from_iterable((*wanted, *figures)))
    for number, (words_of, figures_of) in enumerate(zip(wanted, figures, strict=True)):
        rare = sorted(words_of, key=lambda word: (common[word], word))
        few = len(rare) - ceil(ALIKE * len(rare)) + 1
        rarest = sorted(figures_of, key=lambda figure: (common[figure], figure))[:1]
        for key in (*rare[:few], *rarest):
            watched[key].append(number)
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
                same = len(wanted[number] & content) >= share * len(wanted[number])
                if same and found[number].document.id != document.id:
                    heard.add(number)
    marked = [each._replace(elsewhere=number in heard) for number, each in enumerate(found)]
    # What many documents call by the same letters is known without any of them.
    named = [
        letters
        for letters in marked
        if letters.form == LETTERS
        if not any(letters.asked.answer in each.text for each in documents if each.id != letters.document.id)
    ]
    return [*(each for each in marked if each.form != LETTERS), *named[:MOST_LETTERS]]
