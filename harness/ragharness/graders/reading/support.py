"""Whether a cited passage supports the sentence that cites it, by words and values alone."""

from __future__ import annotations

import re
from decimal import Decimal
from functools import lru_cache
from typing import TYPE_CHECKING, cast

from ragharness.language.comparing import compare_quantity
from ragharness.language.dates import find_dates
from ragharness.language.modality import find_cues
from ragharness.language.numbers import Quantity, find_quantities
from ragharness.language.patterns import regex
from ragharness.language.polarity import read_statement
from ragharness.language.sentences import sentences
from ragharness.language.tables import phrases, table, words_of
from ragharness.language.words import STOPWORDS, concept, content, generic_concepts, raw_words

if TYPE_CHECKING:
    from ragharness.records import Passage

ENOUGH = 0.5
"""Share of a claim's content words that a passage must hold to entail it."""
_QUOTED = 6
"""Words from which on a wording is a quotation, not a turn of phrase that stands there by chance."""
_NEAR = Decimal("1.25")
_MORE = regex(rf"\b{phrases('support', 'more')}\s+\W*$", re.IGNORECASE)
_LESS = regex(rf"\b{phrases('support', 'less')}\s+\W*$", re.IGNORECASE)
_LEAD_IN = regex(
    rf"^\W*(?:the|this)\s+{phrases('support', 'quoted_things')}\s+"
    r"(?:says|states|reads|provides)(?:\s+that)?\s*:\s*",
    re.IGNORECASE,
)
_JOINED_NAME = regex(r"\b[A-Z]\w+[–-][A-Z]\w+")
_NOUN = regex(r"\W{1,2}([a-z]{3,})")


def entails(passage: Passage, claim: str) -> bool:
    """Say whether a passage states a claim: its content words, all its values, and nothing to the contrary.

    What stands in it word for word is stated, and so is the number of a list item quoted alone ("1.").
    """
    if quotes(passage, claim):
        return True
    words = _meant(_JOINED_NAME.sub(" ", claim)) - generic_concepts() - _light()
    words = frozenset(word for word in words if not word.isdigit())
    held = _meant(f"{passage.title} {passage.text}")
    if words and len(words & held) < ENOUGH * len(words):
        return False
    opposites = cast("dict[str, str]", table("support")["opposites"])
    if any(one in words and one not in held and other in held for one, other in opposites.items()):
        return False
    if not words and not find_quantities(claim):
        return False
    if not _holds_values(passage.text, claim):
        return False
    if not find_cues(claim) or _on_consent(passage.text, claim):
        return True
    return read_statement(passage.text, claim).polarity != "denies"


def quotes(passage: Passage, claim: str) -> bool:
    """Say whether a claim stands in a passage word for word; a few words must be a sentence or line there."""
    claim = _LEAD_IN.sub("", claim)
    said = raw_words(claim)
    if len(said) >= _QUOTED:
        return f" {' '.join(said)} " in f" {' '.join(raw_words(passage.text))} "
    inner = r"\s+".join(map(re.escape, claim.split()))
    end = "" if claim.rstrip()[-1:] in {".", "!", "?"} else r"[.!?]?[^\S\n]*(?:\n|$)"
    return bool(said) and re.search(rf"(?:^|\n\s*|[.!?]\s+){inner}(?!\w){end}", passage.text) is not None


def _meant(text: str) -> frozenset[str]:
    """The content words of a text, those that restate each other under one name."""
    return frozenset(_alike().get(word, word) for word in content(text))


@lru_cache(maxsize=1)
def _alike() -> dict[str, str]:
    groups = cast("dict[str, str]", table("support")["alike"])
    return {concept(member): name for name, members in groups.items() for member in members.split()}


@lru_cache(maxsize=1)
def _light() -> frozenset[str]:
    return frozenset(map(concept, words_of("support", "light")))


def _on_consent(text: str, claim: str) -> bool:
    """Say whether both make it depend on consent: "needs consent", "not without consent"."""
    return "consent" in content(text) and "consent" in content(claim) and "without" in raw_words(text)


def _holds_values(text: str, claim: str) -> bool:
    stated = find_quantities(text)
    dates = find_dates(claim)
    for quantity in find_quantities(claim):
        if quantity.year and any(date.start <= quantity.start < date.end for date in dates):
            continue
        if not any(_same(each, quantity) or _bounds(claim, quantity, each) for each in stated):
            return False
    held = [(each.year, each.month, each.day) for each in find_dates(text)]
    for date in dates:
        said = tuple(part for part in (date.year, date.month, date.day) if part is not None)
        # A coarser date is as true as the day: "in March 2021" for 1 March 2021.
        if (date.year, date.month, date.day) not in held and not any(
            each[: len(said)] == said for each in held
        ):
            return False
    return True


def _bounds(claim: str, quantity: Quantity, stated: Quantity) -> bool:
    """Say whether an amount is a near bound of the stated one ("more than 600" of 612)."""
    if quantity.unit != stated.unit or quantity.value <= 0 or stated.value <= 0:
        return False
    before = claim[max(0, quantity.start - 24) : quantity.start]
    if _MORE.search(before):
        return quantity.value <= stated.value <= quantity.value * _NEAR
    return bool(_LESS.search(before)) and stated.value <= quantity.value <= stated.value * _NEAR


def _same(stated: Quantity, said: Quantity) -> bool:
    if stated.value == said.value and (stated.unit == said.unit or not stated.unit or not said.unit):
        return True
    return compare_quantity(stated.value, stated.unit or said.unit, said)[0] == "match"


def contradicts(passage: Passage, claim: str) -> bool:
    """Say whether a passage states another value of the same thing, or denies what a claim says of it.

    Deliberately hard to please: the claim's words must nearly all stand in one sentence of the passage.
    """
    if " ".join(raw_words(claim)) in " ".join(raw_words(passage.text)):
        return False
    said = [each for each in find_quantities(claim) if not each.year]
    valued = frozenset(word for each in said for word in content(claim[each.start : each.end]))
    words = frozenset(word for word in content(claim) if not word.isdigit()) - generic_concepts() - valued
    if len(words) < 2:
        return False
    for start, end in sentences(passage.text):
        sentence = passage.text[start:end]
        shared = len(words & frozenset(content(sentence))) / len(words)
        if said and shared >= 0.75 and _other_values(sentence, said):
            return True
        if not said and len(words) >= 3 and shared >= 0.9:
            statement = read_statement(sentence, claim)
            if statement.polarity == "denies" and statement.strong:
                return True
    return False


def _other_values(sentence: str, said: list[Quantity]) -> bool:
    stated = [each for each in find_quantities(sentence) if not each.year]
    return any(
        any(each.unit == quantity.unit for each in stated)
        and not any(_same(each, quantity) for each in stated)
        for quantity in said
    )


def miscounts(passage: Passage, claim: str, unit: str = "") -> bool:
    """Say whether a passage counts the same things otherwise ("28 operators" where it states 22 and 19).

    What the question's ``unit`` names is measured, not counted: a report has many numbers of shares.
    """
    counted = _counts(passage.text)
    measured = frozenset(map(concept, unit.split()))
    return any(
        noun in counted and not any(_same(each, quantity) for each in counted[noun])
        for noun, quantities in _counts(claim).items()
        if noun not in measured
        for quantity in quantities
    )


def _counts(text: str) -> dict[str, list[Quantity]]:
    found: dict[str, list[Quantity]] = {}
    for quantity in find_quantities(text):
        noun = _NOUN.match(text, quantity.end)
        if noun and not quantity.unit and not quantity.year and noun[1] not in STOPWORDS:
            found.setdefault(concept(noun[1]), []).append(quantity)
    return found
