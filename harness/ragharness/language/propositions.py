"""A proposition, or a yes/no question, taken apart: its modality, its verb and what it is about."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from ragharness.language.modality import Modality, find_cues, is_negated
from ragharness.language.sentences import sentences
from ragharness.language.tables import regex, words_of
from ragharness.language.words import STOPWORDS, concept, content, generic_concepts

WORD = regex(r"[^\W_]+(?:['’][^\W_]+)?")
"""A word as the readings see it."""
_AUXILIARY = regex(
    r"(?:^|,\s+|\bthat\s+)(?:and\s+|so\s+)?"
    r"(?P<aux>may|might|can|could|must|shall|should|will|would|is|are|was|were|does|do|did|has|have|had)\s+",
    re.IGNORECASE,
)
_NAME = regex(r"(?<!^)(?<![.!?]\s)\b(?:[A-Z][\w’'&.-]*|\w*\d\w*)")
"""What identifies a statement's subject or its time: an answer may leave it out or say it otherwise."""
YEAR = regex(r"(?:\b|FY\s?)((?:19|20)\d\d)\b", re.IGNORECASE)
_MODALS = ("may", "might", "can", "could", "must", "shall", "should", "will")
_DOCUMENT = regex(
    r"\s+(?:under|according\s+to|pursuant\s+to|based\s+on)\s+"
    r"(?=[^?]*(?:[A-Z]|\d{4}|\b(?:agreement|nda|contract|form|letter|report)\b)).*$",
    re.DOTALL,
)
"""Where a question names its document at its end."""


class Frame(NamedTuple):
    """A proposition taken apart."""

    modality: Modality
    predicates: frozenset[str]
    """The concept of the verb; of a plain fact, all of its concepts."""
    objects: frozenset[str]
    """What distinguishes it from other statements with the same verb."""
    names: frozenset[str] = frozenset()
    years: frozenset[str] = frozenset()


@lru_cache(maxsize=4096)
def frame(proposition: str, weak: frozenset[str] = frozenset()) -> Frame:
    """Return a proposition taken apart; ``weak`` concepts distinguish nothing."""
    weak |= frozenset(map(concept, words_of("propositions", "weak"))) | generic_concepts()
    cues = find_cues(proposition)
    if not cues:
        modality: Modality = "not_fact" if is_negated(proposition) else "fact"
        everything = frozenset(content(proposition)) - weak
        named = frozenset(content(" ".join(_NAME.findall(proposition))))
        years = frozenset(YEAR.findall(proposition))
        return Frame(modality, everything - named or everything, frozenset(), named, years)
    rest = proposition[cues[0].end :]
    predicates = _verb(rest)
    return Frame(cues[0].modality, predicates, frozenset(content(rest)) - predicates - weak)


def _verb(rest: str) -> frozenset[str]:
    """The concept of the first word that says something, adverbs passed over."""
    for word in WORD.findall(rest.casefold()):
        if word not in STOPWORDS and not word.endswith("ly"):
            return frozenset((concept(word),))
    return frozenset()


@lru_cache(maxsize=1024)
def interrogative(question: str) -> str:
    """Return the clause of a question that asks, without what leads up to it or follows ("If not, why?")."""
    asking = (question[start:end] for start, end in sentences(question))
    return next(
        (each for each in asking if each.rstrip().endswith("?") and _AUXILIARY.search(each)), question
    )


@lru_cache(maxsize=1024)
def statement_of(question: str) -> str:
    """Return the statement that "yes" to a question affirms; empty when it is no yes/no question."""
    question = interrogative(question)
    found = _AUXILIARY.search(question)
    if not found:
        return ""
    asked = question[found.end() :].rstrip("? ")
    rest = _DOCUMENT.sub("", asked)
    rest = " ".join([rest, *YEAR.findall(asked[len(rest) :])])
    if found["aux"].casefold() not in _MODALS:
        # Here even a first word with a capital is a name.
        return f"that {rest}"
    verb = _verb_at(rest)
    return "" if verb is None else f"{rest[:verb]}{found['aux'].casefold()} {rest[verb:]}"


def _verb_at(text: str) -> int | None:
    """Where the verb stands behind its subject: at the first word that can be none of the subject's."""
    subjects, articles = words_of("propositions", "subjects"), words_of("propositions", "articles")
    before = ""
    for word in WORD.finditer(text):
        if word.group().islower() and word.group() not in subjects and before not in articles:
            return word.start()
        before = word.group().casefold()
    return None
