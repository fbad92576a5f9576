"""Whether a cited passage supports the sentence that cites it, by words and values alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragharness.language.amounts import compare_quantity
from ragharness.language.dates import find_dates
from ragharness.language.modality import find_cues
from ragharness.language.numbers import Quantity, find_quantities
from ragharness.language.patterns import regex
from ragharness.language.polarity import read_statement
from ragharness.language.sentences import sentences
from ragharness.language.words import STOPWORDS, concept, content, generic_concepts, raw_words

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ragharness.records import Passage

ENOUGH = 0.5
"""Share of a claim's content words that a passage must hold to entail it."""
_QUOTED = 6
"""Words from which on a wording is a quotation, not a turn of phrase that stands there by chance."""
_NEARLY_ALL = 0.75
"""Share of a claim's words that one sentence must hold to contradict its figure."""
_JOINED_NAME = regex(r"\b[A-Z]\w+[–-][A-Z]\w+")
"""Names of two parties stand for their contract, which no passage of it repeats."""
_NOUN = regex(r"\W{1,2}([a-z]{3,})")


def entails(passage: Passage, claim: str) -> bool:
    """Say whether a passage states a claim: half of its words, all its values, nothing to the contrary."""
    words = _subject(_JOINED_NAME.sub(" ", claim))
    held = frozenset(content(f"{passage.title} {passage.text}"))
    if len(words & held) < ENOUGH * len(words) or not (words or find_quantities(claim)):
        return False
    if not _holds_values(passage.text, claim):
        return False
    return not find_cues(claim) or read_statement(passage.text, claim).polarity != "denies"


def quotes(passage: Passage, claim: str) -> bool:
    """Say whether a claim of some length stands in a passage word for word."""
    said = raw_words(claim)
    return len(said) >= _QUOTED and f" {' '.join(said)} " in f" {' '.join(raw_words(passage.text))} "


def _subject(text: str) -> frozenset[str]:
    """What a text is about: its content words without figures and without words for any document."""
    return frozenset(word for word in content(text) if not word.isdigit()) - generic_concepts()


def _holds_values(text: str, claim: str) -> bool:
    """Say whether a text states every amount and date of a claim."""
    stated = find_quantities(text)
    dates = find_dates(claim)
    for quantity in find_quantities(claim):
        dated = quantity.year and any(date.start <= quantity.start < date.end for date in dates)
        if not dated and not any(_same(each, quantity) for each in stated):
            return False
    held = [(each.year, each.month, each.day) for each in find_dates(text)]
    # A coarser date is as true as the day: "in March 2021" for 1 March 2021.
    return all(
        any(
            each.year in (None, year) and each.month in (None, month) and each.day in (None, day)
            for year, month, day in held
        )
        for each in dates
    )


def _same(stated: Quantity, said: Quantity) -> bool:
    return compare_quantity(stated.value, stated.unit or said.unit, said)[0] == "match"


def contradicts(passage: Passage, claim: str) -> bool:
    """Say whether one sentence of a passage states another value of what a claim is about."""
    said = [each for each in find_quantities(claim) if not each.year]
    words = _subject(claim) - frozenset(
        word for each in said for word in content(claim[each.start : each.end])
    )
    if len(words) < 2:
        return False
    for start, end in sentences(passage.text):
        sentence = passage.text[start:end]
        if len(words & frozenset(content(sentence))) < _NEARLY_ALL * len(words):
            continue
        stated = [each for each in find_quantities(sentence) if not each.year]
        if any(
            _differs(quantity, [each for each in stated if each.unit == quantity.unit]) for quantity in said
        ):
            return True
    return False


def miscounts(passage: Passage, claim: str, unit: str = "") -> bool:
    """Say whether a passage counts the same things otherwise ("28 operators" where it states 22 and 19).

    What the question's ``unit`` names is measured, not counted: a report has many numbers of shares.
    """
    counted = _counts(passage.text)
    measured = frozenset(map(concept, unit.split()))
    return any(
        noun not in measured and _differs(quantity, counted.get(noun, ()))
        for noun, quantities in _counts(claim).items()
        for quantity in quantities
    )


def _counts(text: str) -> dict[str, list[Quantity]]:
    """The bare amounts of a text by the noun behind each."""
    found: dict[str, list[Quantity]] = {}
    for quantity in find_quantities(text):
        noun = _NOUN.match(text, quantity.end)
        if noun and not quantity.unit and not quantity.year and noun[1] not in STOPWORDS:
            found.setdefault(concept(noun[1]), []).append(quantity)
    return found


def _differs(quantity: Quantity, stated: Sequence[Quantity]) -> bool:
    return bool(stated) and not any(_same(each, quantity) for each in stated)
