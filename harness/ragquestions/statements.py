"""Finds statements of an answer in a corpus, by what they say: whatever built the question is not asked."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from decimal import Decimal
from functools import cache, cached_property
from itertools import chain
from typing import NamedTuple

from ragharness.corpus.loading import Corpus
from ragharness.corpus.passages import EvidenceIndex
from ragharness.corpus.propositions import read
from ragharness.language.dates import DateMention, compare_date, find_dates
from ragharness.language.matching import find_alias
from ragharness.language.numbers import Quantity, find_quantities
from ragharness.language.units import in_base, is_duration, read_unit
from ragharness.language.words import STOPWORDS, concepts_of, content, generic_concepts, sentences
from ragharness.records import Document, Passage, Question
from ragquestions.derivations import heads_in, heads_of_answer, stems_of_answer

# The share of the question's own words, rare ones weighing more, that a statement has in or above it; of a
# figure of three digits or more, which hardly stands anywhere by chance, less.
ENOUGH, ENOUGH_OF_A_FIGURE = 0.25, 0.12
ENOUGH_OF_A_CLAUSE = 0.4  # the same of a clause that is read as a yes or no
FRAME = concepts_of("according accordance fiscal year years ended end stand abbreviation report")
ALIKE = 0.6  # the share of content words that two sentences have in common that say the same
BEFORE, BESIDE = 400, 300  # characters read above a row (head and caption), and of a line before its sentence
LEAST_DIGITS = 2
_ROUND = 1000
_EXPLAINED = re.compile(
    r"((?:[A-Z][\w’'-]*,?\s(?:(?:of|and|the|for|in|to)\s)*){2,9})[(“\"]+([A-Z][A-Z&]+)[)”\"]"
)

_SHORT = re.compile(r"[“\"]([A-Z][A-Z&.-]{1,9})[”\"]")  # an abbreviation that a question asks about


class Place(NamedTuple):
    """A sentence or row of a passage that states the answer, and the answer as it stands there."""

    passage: Passage
    text: str
    stated: str
    share: float
    start: int
    end: int


class Search:
    """Finds statements of answers in one corpus."""

    def __init__(self, corpus: Corpus) -> None:
        self.corpus = corpus
        self.evidence = EvidenceIndex(corpus)
        self._units: dict[str, list[_Unit]] = {}
        self._heads: dict[str, frozenset[str]] = {}
        self._weights = cache(_weights)
        self._names = cache(_names)

    def places(self, question: Question, passages: Sequence[Passage]) -> list[Place]:
        """First place in each passage that states the answer, passages in order."""
        found = []
        heads, stems = heads_of_answer(question), stems_of_answer(question)
        words: dict[str, dict[str, float]] = {}
        for passage in passages:
            # Most passages are done with by the first digits of their numbers, or the first letters of names.
            if heads and passage.id not in self._heads:
                self._heads[passage.id] = heads_in(passage.text)
            if heads and heads.isdisjoint(self._heads[passage.id]):
                continue
            if stems and not any(map(passage.text.casefold().__contains__, stems)):
                continue
            document = self.corpus.document(passage.document)
            if passage.document not in words:
                words[passage.document] = self._wanted(question, document)
            wanted = words[passage.document]
            if passage.id not in self._units:
                self._units[passage.id] = [_Unit(passage, *each) for each in _units(passage)]
            told = (
                self._place(question, passage, document, unit, wanted)
                for unit in self._units[passage.id]
                if not (heads and heads.isdisjoint(unit.heads))
            )
            best = max(filter(None, told), key=lambda each: each.share, default=None)
            found += [best] if best is not None else []
        return found

    def _place(
        self, question: Question, passage: Passage, document: Document, unit: _Unit, wanted: dict[str, float]
    ) -> Place | None:
        start, end, text = unit.start, unit.end, unit.text
        if question.kind == "yesno":
            share = self._says_the_same(question, text, wanted)
            return Place(passage, text, "", share, start, end) if share else None
        whole = passage.text if question.kind == "list" else text
        above = document.text[max(0, start - BEFORE) : start]
        stated = _stated(question, unit, whole, above)
        if not stated:
            return None
        if "|" not in text:
            line = document.text.rfind("\n", 0, start) + 1
            whole = document.text[max(line, start - BESIDE) : start] + whole
        inside, around = self._concepts(whole, document, wanted), self._concepts(above, document, wanted)
        weights = (
            weight * (1 if word in inside else 0.5 if word in around else 0)
            for word, weight in wanted.items()
        )
        share = sum(weights) / (sum(wanted.values()) or 1)
        digits = sum(map(str.isdigit, stated))
        # A row that rounds to the answer may be about anything.
        exact = "|" not in text or digits <= sum(map(str.isdigit, question.answers[0]))
        figure = question.kind == "number" and digits > LEAST_DIGITS and exact
        if not inside or share < (ENOUGH_OF_A_FIGURE if figure else ENOUGH):
            return None
        return Place(passage, " ".join(whole.split()), stated, share, start, end)

    def _concepts(self, text: str, document: Document, wanted: dict[str, float]) -> set[str]:
        """Which wanted words a text has; a name in full has those of its abbreviation."""
        said = set(content(text))
        found = said & wanted.keys()
        for short, words in self._names(document.text).items():
            if not wanted.keys().isdisjoint(short) and len(words & said) >= ALIKE * len(words):
                found |= set(short) & wanted.keys()
        return found

    def _wanted(self, question: Question, document: Document) -> dict[str, float]:
        """Words that the question asks with, weighed; the document's names are no part of them."""
        names = {
            word for name in (document.title, document.handle, document.paraphrase) for word in content(name)
        }
        every = set(content(question.text)) - generic_concepts() - FRAME
        weights = self._weights(document.text)
        known = sorted(word for word in every if word in weights and not word.isdigit())
        return {word: weights[word] for word in [each for each in known if each not in names] or known}

    def _says_the_same(self, question: Question, text: str, wanted: dict[str, float]) -> float:
        """How near a text is to gold evidence, or to a question that it settles as the gold does."""
        said = set(content(text))
        golds = [
            set(content(self.corpus.document(span.document).text[span.start : span.end]))
            for span in question.evidence
        ]
        near = max((len(said & gold) / len(said | gold) for gold in golds if len(gold) > 3), default=0.0)
        if near >= ALIKE:
            return near
        if not question.proposition:
            return 0.0
        affirmed = (question.answers[0] == "yes") == question.yes_means
        share = sum(wanted[word] for word in said & wanted.keys()) / (sum(wanted.values()) or 1)
        if share < ENOUGH_OF_A_CLAUSE:
            return 0.0
        stated = read(text, question.proposition)
        return share if stated.strong and stated.polarity == ("affirms" if affirmed else "denies") else 0.0


def _names(text: str) -> dict[tuple[str, ...], frozenset[str]]:
    """Abbreviations that a text explains, with the words of their names."""
    return {
        content(match[2]): concepts_of(" ".join(match[1].split()[-len(match[2]) - 2 :]))
        for match in _EXPLAINED.finditer(text)
    }


def _weights(text: str) -> dict[str, float]:
    pieces = [set(content(line)) for line in text.split("\n") if line.strip()]
    counts = Counter(word for piece in pieces for word in piece if word not in STOPWORDS)
    return {word: math.log(1 + len(pieces) / count) for word, count in counts.items()}


class _Unit:
    """A row or sentence of a passage, with the amounts and dates in it, read once."""

    def __init__(self, passage: Passage, start: int, end: int) -> None:
        self.start, self.end = passage.start + start, passage.start + end
        self.text = passage.text[start:end]

    @cached_property
    def heads(self) -> frozenset[str]:
        return heads_in(self.text)

    @cached_property
    def quantities(self) -> Sequence[Quantity]:
        return find_quantities(self.text)

    @cached_property
    def dates(self) -> Sequence[DateMention]:
        return find_dates(self.text)


def _units(passage: Passage) -> Iterator[tuple[int, int]]:
    """Yield the rows of tables and the sentences of a passage."""
    position = 0
    for line in passage.text.split("\n"):
        if "|" in line:
            yield position, position + len(line)
        else:
            yield from ((position + start, position + end) for start, end in sentences(line))
        position += len(line) + 1


def _stated(question: Question, unit: _Unit, text: str, above: str) -> str:
    """Answer as a unit states it, a list as its text does; empty: it does not."""
    if question.kind == "number":
        quantities = (each for each in unit.quantities if _same(question, each, text, above))
        return next((text[each.start : each.end].strip() for each in quantities), "")
    if question.kind == "date":
        gold, precision = question.answers[0], question.date_precision
        dates = (each for each in unit.dates if compare_date(gold, precision, each) in {"match", "ambiguous"})
        return next((text[each.start : each.end] for each in dates), "")
    if question.kind == "list":
        every = [find_alias(text, (item, *question.aliases.get(item, ()))) for item in question.answers]
        return ", ".join(question.answers) if all(every) else ""
    if (short := _SHORT.search(question.text)) and short[1] not in text:
        return ""
    hits = find_alias(text, [*question.answers, *chain.from_iterable(question.aliases.values())])
    return text[hits[0].start : hits[0].end] if hits else ""


def _same(question: Question, quantity: Quantity, text: str, above: str) -> bool:
    """Whether an amount is the gold one: as written, rounded to two digits or more, in a table's scale."""
    unit, factor = read_unit(question.unit)
    gold = Decimal(question.answers[0].replace(",", "")) * factor
    if quantity.year or (quantity.unit and unit and quantity.unit != unit and not is_duration(unit)):
        return False
    if is_duration(unit):
        return in_base(gold, unit) == in_base(quantity.value, quantity.unit or unit)
    if bool(quantity.unit) != bool(unit) and not ("|" in text or quantity.scaled or factor == 1):
        return False
    if unit == "percent" and quantity.unit != "percent" and "%" not in text + above:
        return False
    free = "|" in text and not quantity.scaled and unit != "percent"
    scales = (1, 1000, 1_000_000) if free else (1,)
    value = abs(quantity.value) if "|" in text else quantity.value
    # The zeros of 430 are as written, those of 18,800 may be rounded.
    written = Decimal(question.answers[0].replace(",", ""))
    exact = len((written if abs(written) < _ROUND else gold.normalize()).as_tuple().digits)
    least = min(exact, quantity.significant)
    rounds = least >= LEAST_DIGITS and (abs(gold) >= 100 or gold != gold.to_integral_value())
    # Rows of one scale are not rounded against each other: 4,140 is not 4,137, nor 433 430.
    return any(
        gold == amount
        or (
            rounds and not (free and scale == factor) and f"{gold:.{least - 1}e}" == f"{amount:.{least - 1}e}"
        )
        for scale in scales
        for amount in [value * scale]
    )
