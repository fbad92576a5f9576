"""Whether a text that holds the gold gives it for what was asked, and says nothing contrary to it."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ragharness.graders.reading.answer import AnswerSentence
from ragharness.graders.reading.candidates import accepted
from ragharness.graders.reading.measures import BRACKETS
from ragharness.graders.reading.records import Profile
from ragharness.language.matching import find_alias, fold, own_words, tokens
from ragharness.language.polarity import contrary
from ragharness.language.tables import phrases, regex
from ragharness.language.words import concept, concepts_of, content, generic_concepts, raw_words
from ragharness.records import Question

_INNER_NAME = regex(r"(?<=[a-z,] )[A-Z]\w+")
"""A capitalised word within a sentence."""
_CONTRASTS = regex(
    rf"(?:;|,?\s{phrases('sentences', 'contrasts')}\b|,\swhich\s(?:can|may|could)\b)\s", re.IGNORECASE
)
_OPENING = 4
"""Characters that a title before a name takes."""


def of_another(parts: Sequence[AnswerSentence], gold: Sequence[str], profile: Profile) -> bool:
    """Say whether the gold stands in a clause that says less of what is asked than one with another answer.

    "Ash LLP was counsel to the underwriters, while Oak LLP advised the issuer" names Ash, and Oak besides.
    """
    if len(parts) == 1 and not _CONTRASTS.search(parts[0].text):
        return contrary(concepts_of(profile.question), concepts_of(parts[0].text))
    own = [part.text for part in parts if find_alias(part.text, gold)]
    told = any(_answers(part.text, profile) for part in parts if part.text not in own)
    return bool(own) and all(_says_of_another(text, gold, profile, told=told) for text in own)


def _answers(text: str, profile: Profile) -> bool:
    """Say whether a piece of a text says something new of what is asked."""
    words = concepts_of(text) - generic_concepts()
    return len(words & profile.focus) > 1 and bool(words - profile.words - profile.kindred)


def _says_of_another(text: str, gold: Sequence[str], profile: Profile, *, told: bool) -> bool:
    """Say whether a sentence gives a gold for something else; ``told``: another one says what is asked."""
    apart = answering = begins = False
    for part in _CONTRASTS.split(text):
        found, said = find_alias(part, gold), content(part)
        if not found:
            answering |= _answers(part, profile)
        elif contrary(concepts_of(profile.question), frozenset(said)):
            return True
        elif not profile.focus.isdisjoint(said):
            return False
        else:
            own = frozenset(said) - generic_concepts() - profile.words - profile.kindred
            apart |= len(own) > max(len(content(each)) for each in gold)
            begins |= found[0].start <= _OPENING
    return apart and (answering or (told and begins))


def differs(said: str, question: Question, *, named: bool = False) -> bool:
    """Say whether an answer lacks a figure of every gold, or has the contrary of a word of it.

    ``named``: or names something else and lacks a name of the gold ("the Aviation unit", "the Marine unit").
    """
    folded, asked = fold(said), frozenset(tokens(fold(question.text)))
    here = frozenset(tokens(folded))
    concepts, names = frozenset(map(concept, raw_words(said))), names_in(said) - asked
    for gold in (BRACKETS.sub("", gold) for gold in accepted(question)):
        own, wanted = own_words(gold, asked), names_in(gold) - asked
        # A year may have the number of a source behind it ("20011").
        lacking = any(word[0].isdigit() and word not in (folded if len(word) > 3 else here) for word in own)
        other = named and not wanted <= here and not names <= frozenset(own)
        if not (lacking or other or contrary(frozenset(map(concept, raw_words(gold))), concepts)):
            return False
    return True


def names_in(text: str) -> frozenset[str]:
    """Return the words of a text that are capitalised within a sentence, as they are compared."""
    return frozenset(tokens(fold(" ".join(_INNER_NAME.findall(text)))))
