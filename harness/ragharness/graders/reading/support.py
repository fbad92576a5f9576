# ruff: noqa: E501 (a pattern reads better with one group of alternatives a line)
"""Whether a cited passage supports the sentence that cites it, by words and values alone."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ragharness.language.dates import find_dates
from ragharness.language.modality import find_cues
from ragharness.language.numbers import Quantity, compare_quantity, find_quantities
from ragharness.language.polarity import read_statement
from ragharness.language.sentences import sentences
from ragharness.language.vocabulary import STOPWORDS, concept, content, generic_concepts

if TYPE_CHECKING:
    from ragharness.records import Passage

ENOUGH = 0.5
"""Share of a claim's content words that a passage must hold to entail it."""


_JOINED_NAME = re.compile(r"\b[A-Z]\w+[–-][A-Z]\w+")
_NOUN = re.compile(r"\W{1,2}([a-z]{3,})")


def entails(passage: Passage, claim: str) -> bool:
    """Say whether a passage states a claim: its content words, all its values, and nothing to the contrary."""
    words = frozenset(content(_JOINED_NAME.sub(" ", claim))) - generic_concepts()
    words = frozenset(word for word in words if not word.isdigit())
    held = frozenset(content(f"{passage.title} {passage.text}"))
    if words and len(words & held) < ENOUGH * len(words):
        return False
    if not words and not find_quantities(claim):
        return False
    if not _holds_values(passage.text, claim):
        return False
    return not find_cues(claim) or read_statement(passage.text, claim).polarity != "denies"


def _holds_values(text: str, claim: str) -> bool:
    stated = find_quantities(text)
    for quantity in find_quantities(claim):
        if not any(_same(each, quantity) for each in stated):
            return False
    dates = {(each.year, each.month, each.day) for each in find_dates(text)}
    years = {each.year for each in find_dates(text)}
    return all(
        (date.year, date.month, date.day) in dates or (date.month is None and date.year in years)
        for date in find_dates(claim)
    )


def _same(stated: Quantity, said: Quantity) -> bool:
    unit = stated.unit or said.unit
    if stated.value == said.value and (stated.unit == said.unit or not stated.unit or not said.unit):
        return True
    return compare_quantity(stated.value, unit, said)[0] == "match"


def contradicts(passage: Passage, claim: str) -> bool:
    """Say whether a passage states another value of the same thing, or denies what a claim says of it.

    Deliberately hard to please: the claim's words must nearly all stand in one sentence of the passage.
    """
    words = frozenset(content(claim)) - generic_concepts()
    said = [each for each in find_quantities(claim) if not each.year]
    valued = frozenset(word for each in said for word in content(claim[each.start : each.end]))
    words = frozenset(word for word in words if not word.isdigit()) - valued
    if len(words) < 2:
        return False
    for start, end in sentences(passage.text):
        sentence = passage.text[start:end]
        held = frozenset(content(sentence))
        if len(words & held) < 0.75 * len(words):
            continue
        stated = [each for each in find_quantities(sentence) if not each.year]
        if said and stated and _other_values(stated, said):
            return True
        if not said and len(words) >= 3 and len(words & held) >= 0.9 * len(words):
            statement = read_statement(sentence, claim)
            if statement.polarity == "denies" and statement.strong:
                return True
    return False


def miscounts(passage: Passage, claim: str) -> bool:
    """Say whether a passage counts the same things otherwise ("28 operators" where it states 22 and 19)."""
    counted = _counts(passage.text)
    return any(
        noun in counted and not any(_same(each, quantity) for each in counted[noun])
        for noun, quantities in _counts(claim).items()
        for quantity in quantities
    )


def _counts(text: str) -> dict[str, list[Quantity]]:
    found: dict[str, list[Quantity]] = {}
    for quantity in find_quantities(text):
        noun = _NOUN.match(text, quantity.end)
        if noun and not quantity.unit and not quantity.year and noun[1] not in STOPWORDS:
            found.setdefault(concept(noun[1]), []).append(quantity)
    return found


def _other_values(stated: list[Quantity], said: list[Quantity]) -> bool:
    for quantity in said:
        rivals = [each for each in stated if each.unit == quantity.unit]
        if rivals and not any(_same(each, quantity) for each in stated):
            return True
    return False
