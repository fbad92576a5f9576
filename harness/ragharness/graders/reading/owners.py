# ruff: noqa: E501 (a pattern reads better with one group of alternatives a line)
"""Values that belong to another entity or attribute: a distractor's own, a neighbour's, another company's."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ragharness.graders.reading.attributes import NEUTRAL
from ragharness.graders.reading.periods import OTHER_PERIOD
from ragharness.language.patterns import regex
from ragharness.language.sentences import clauses
from ragharness.language.words import STOPWORDS, content, generic_concepts, raw_words, remembered

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ragharness.graders.reading.candidate import Candidate
    from ragharness.graders.reading.profile import Profile

_CAPITAL = regex(r"\b[A-ZÀ-Ý][\w&'’.-]*")
_FOR = regex(r"\b(?:on\s+behalf\s+of|[Ff]or)\s+(?:the\s+)?((?:[A-ZÀ-Ý][\w&'’-]*\s?)+)")
_FOR_NEXT = regex(r"[ ,(]*(?:(?:signed|acted|acts|signs|did\s+so|is)\s+)?(?:on\s+behalf\s+of|[Ff]or)\b")
_TITLE = regex(r"(?:[A-ZÀ-Ý][\w.-]*\s+){1,3}")
"""Capitalised words right before a name: "Director Maria Alvarez"."""
_CAPITAL_RUN = regex(r"[A-ZÀ-Ý][\w&'’-]*(?:\s+(?:(?:of|and|for)\s+(?:the\s+)?)?[A-ZÀ-Ý][\w&'’-]*)+")

_RANK = regex(r"\b(vice|deputy|assistant|associate|acting|interim|co)[-\s]+([a-z]{4,})", re.IGNORECASE)


def is_about_other(candidate: Candidate, region: str, profile: Profile) -> bool:
    """Say whether a value is given as that of the distractor's own entity, period or attribute."""
    if not candidate.about:
        return False
    own = _own_words(candidate.about, profile)
    here = frozenset(content(region)) | _digits(region)
    initials = _acronym(candidate.about)
    if not own:
        return False
    if profile.years and any(word.isdigit() for word in own):
        # The years beside the value decide, not the distractor's label.
        return False
    plain = candidate.about.islower() and not OTHER_PERIOD.search(candidate.about)
    if plain and profile.focus and len(profile.focus & here) * 2 > len(profile.focus):
        return own <= here and not profile.focus <= here
    return len(own & here) * 2 >= len(own) or initials in here


def _own_words(about: str, profile: Profile) -> frozenset[str]:
    """The words that tell a distractor's entity or attribute from the question's."""
    own = (frozenset(content(about)) | _digits(about)) - generic_concepts() - profile.words
    return own - profile.kindred or own


def is_given_elsewhere(candidate: Candidate, region: str, profile: Profile) -> bool:
    """Say whether the right value is given as that of a distractor's attribute ("Holloway was the CFO")."""
    if candidate.relation != "match" or not candidate.elsewhere:
        return False
    here = frozenset(content(region)) | _digits(region)
    if profile.focus <= here or here & profile.acronyms:
        return False
    for about in candidate.elsewhere:
        own = _own_words(about, profile)
        if any(word.isdigit() for word in own) or OTHER_PERIOD.search(about):
            continue
        # The words that only one of the two attributes has decide, not those that they share.
        if own and own <= here and not here & (profile.focus - frozenset(content(about))):
            return True
        if _initials(about) in here:
            return True
    return False


def _initials(text: str) -> str:
    """Return the first letters of a phrase of three words or more ("chief financial officer": cfo)."""
    words = [word for word in raw_words(text) if word not in STOPWORDS]
    return "".join(word[0] for word in words) if len(words) > 2 else "\0"


def _acronym(text: str) -> str:
    """Return the initials of a run of capitalised words ("Chief Financial Officer": cfo); empty for fewer than two."""
    initials = "".join(word[0] for word in re.findall(r"\b[A-Z][a-z]+", text))
    return initials.casefold() if len(initials) > 1 else ""


def _digits(text: str) -> frozenset[str]:
    return frozenset(word for word in raw_words(text) if word.isdigit())


def is_other_entity(clause: str, profile: Profile, values: Sequence[tuple[int, int]] = ()) -> bool:
    """Say whether a clause speaks of a named entity that is not the question's."""
    if not profile.names:
        return False
    names = [found[0].rstrip(".'’") for found in _CAPITAL.finditer(clause)]
    folded = [name.casefold().removesuffix("'s").removesuffix("’s") for name in names]
    if any(name in profile.names for name in folded if name not in _COMPANY_FORMS):
        return False
    head = list(_CAPITAL.finditer(clause))
    if head and head[0][0] in ("The", "For", "At", "In"):
        head = head[1:]
    if not head or clause[: head[0].start()].strip(" \"'(*").casefold() not in (
        "",
        "the",
        "for",
        "at",
        "while",
        "in",
    ):
        return False
    if any(low <= head[0].start() < high for low, high in values):
        return False
    if any(_TITLE.fullmatch(clause[head[0].start() : low]) for low, _ in values if low > head[0].start()):
        return False
    subject = head[0][0].casefold().rstrip(".'’").removesuffix("'s").removesuffix("’s")
    if (
        subject in STOPWORDS
        or subject in generic_concepts()
        or not frozenset(content(subject)) - generic_concepts() - NEUTRAL
    ):
        return False
    if frozenset(content(subject)) & (profile.words | profile.kindred):
        return False
    run = _CAPITAL_RUN.match(clause, head[0].start())
    if run and frozenset(content(run[0])) & profile.focus:
        # "The Appropriations Act was enacted": the name of the act that was asked about.
        return False
    opens = not clause[: head[0].start()].strip(" \"'(*")
    return not opens or re.match(r"[ –-]+[A-Z]|['’]s\b", clause[head[0].end() :]) is not None


_COMPANY_FORMS = frozenset(
    [
        "inc",
        "corp",
        "ltd",
        "llc",
        "plc",
        "oy",
        "gmbh",
        "ag",
        "co",
        "company",
        "corporation",
        "limited",
        "sa",
        "ab",
        "as",
        "nv",
        "bv",
    ]
)


def is_for_other(before: str, after: str, profile: Profile) -> bool:
    """Say whether the words around a name say it of another party than the question's ("Signed for B by ...")."""
    asked = _behalf(profile.question)
    said = (_behalf(after) if _FOR_NEXT.match(after) else frozenset()) or _behalf(before)
    return bool(asked and said) and asked.isdisjoint(said)


def is_of_another_rank(around: str, profile: Profile) -> bool:
    """Say whether the words around a name give it a rank beside the one asked for ("the vice-chair is B")."""
    asked = profile.question.casefold()
    return any(
        found[1].casefold() not in asked and not profile.focus.isdisjoint(content(found[2]))
        for found in _RANK.finditer(around)
    )


@remembered
def _behalf(text: str) -> frozenset[str]:
    """The words of the names for which something is done."""
    return frozenset(word for found in _FOR.finditer(text) for word in content(found[1]))


_THEY = regex(r"\W*(?:it|they|this|these)\b", re.IGNORECASE)
"""A clause with such a subject speaks of what was asked."""


def is_neighbours(text: str, candidate: Candidate, profile: Profile, unit: str = "") -> bool:
    """Say whether a value beside a decline belongs to a neighbour whose name is part of what was asked.

    "The director is Maria Alvarez; a deputy director is not named": the clause names the director and leaves out "deputy".
    The question's ``unit`` names nobody ("457 million shares").
    """
    low, high = next(
        ((low, high) for low, high in clauses(text) if low <= candidate.start < high), (0, len(text))
    )
    if _THEY.match(text, low):
        return False
    here = frozenset(content(text[low:high])) - frozenset(content(unit))
    missing = profile.focus - here
    return any(first in missing and last in here for first, last in profile.qualified) and (
        len(profile.focus & here) == 1
    )
