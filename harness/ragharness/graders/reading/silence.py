# ruff: noqa: E501 (a pattern reads better with one group of alternatives a line)
"""Whether a decline is about the question that was asked."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Literal

from ragharness.language import acts
from ragharness.language.dates import find_dates
from ragharness.language.decline_words import DECLINE_WORDS
from ragharness.language.declines import Decline, find_decline
from ragharness.language.modality import negations
from ragharness.language.numbers import find_quantities
from ragharness.language.patterns import regex
from ragharness.language.sentences import clauses
from ragharness.language.words import concept, content, generic_concepts, raw_words

if TYPE_CHECKING:
    from ragharness.graders.reading.profile import Profile

Verdict = Literal["about", "near", "other"]
"""``about``: the question; ``near``: most likely the question; ``other``: something else."""

_EMPTY = frozenset(concept(word) for word in DECLINE_WORDS)
_STEM = 5
"""Letters that make two words kin ("charitable", "charities")."""
_HEDGED_SEARCH = regex(
    r"\b(?:explicit|exact|specific|direct|express|precise|definitive|definite|single|clear)\w*\b",
    re.IGNORECASE,
)
_FIRST_PERSON = regex(r"\b(?:i|we|ich|wir|je|nous)\b", re.IGNORECASE)
_ELLIPTICAL = regex(
    r"^\W*(?:and\s+|but\s+)?(?:not|nothing|none|no)\b(?!\s+(?:only|just|necessarily|more|less|later|earlier|until|unless|without|to\s+exceed)\b)",
    re.IGNORECASE,
)
_NEVER_DONE = regex(
    r"\b(?:has|have|had|was|were|is|are)(?:\s+not|n['’]t|\s+never)\s+(?:been\s+|yet\s+|ever\s+)*\w+(?:ed|en|de|ld|ht|t)\b",
    re.IGNORECASE,
)
_RATHER = regex(
    r"\b(?:rather\s+than|instead\s+of|(?:and|but|,)\s+not)\s+((?:[\w'’-]+\s*){1,8}?)(?=[.,;:!?()]|$)",
    re.IGNORECASE,
)
_ANAPHOR = regex(
    r"\b(?:lo|esto|eso|al\s+respecto|sobre\s+ello|dazu|dar[uü]ber|hierzu|das|dies|es|cela|ceci|[cç]a|le|sujet)\b|\bl['’]\w",
    re.IGNORECASE,
)
_TREATS = regex(r"\b(?:cover|address|discuss|deal|mention|concern|touch|talk|speak)\w*\b", re.IGNORECASE)
_AFTERTHOUGHT = regex(r",\s+(?:which|that|who|only|and\s+only|just)\b")
_OWNED = regex(r"['’]s\s+((?:\w+\s+)?\w+)")
_OF = regex(r"\b(\w+)\s+of\s+(?:the|its|this|that|any|an?|[A-Z])")
_ABSENT = regex(
    r"""
      ^\W*(?:(?:in|under|according\s+to|based\s+on)\b[^,]{1,60},\s*)?no\s+(?:[\w'’-]+\s+){1,5}?(?:is|are|was|were|has|have|applies|apply|exists?)\b
    | \bthere(?:\s+(?:is|are|was|were)|['’]s)\s+no\b
    | \b(?:does|do|did)(?:\s+not|n['’]t)\s+(?:\w+ly\s+)?(?:set|impose|establish|prescribe|fix|provide|have|contain|include|carry|promise|require|stipulate|foresee|call|name|list|offer|recommend|make|give|grant|define|state|levy|charge|specify)\b
    | \b(?:sets?|makes?|imposes?|contains?|has|have|provides?|includes?|establishes|prescribes?|fixes|names?|lists?|offers?|carries|foresees|stipulates?|charges?|promises?|gives?)\s+no\b
    """,
    re.IGNORECASE | re.VERBOSE,
)


def speaks_of_question(clause: str, profile: Profile) -> Verdict | None:
    """Say whether a clause declines the question asked or something else; None: it is no decline."""
    return _verdict(clause, profile)


def verdicts(text: str, profile: Profile) -> list[tuple[str, Verdict | None]]:
    """Return the clauses of a sentence, each with whether it declines the question asked."""
    found: list[tuple[str, Verdict | None]] = []
    before = ""
    for start, end in clauses(text):
        clause = text[start:end]
        verdict = speaks_of_question(clause, profile)
        if verdict is None and (
            (before and _falls_silent(before, clause, profile)) or leaves_out(clause, profile)
        ):
            verdict = "about"
        found.append((clause, verdict))
        before = clause
    return found


def leaves_out(clause: str, profile: Profile) -> bool:
    """Say whether a pointer sets what was asked apart from what it names ("they deal with notices, not with the term")."""
    if profile.kind == "yesno" or not acts.is_pointer(clause):
        return False
    apart = _set_apart(clause)
    return bool(apart) and apart <= profile.words | profile.kindred


def _set_apart(clause: str) -> frozenset[str]:
    """The words of what a clause sets apart ("rather than an acquisition")."""
    return frozenset(
        word
        for found in _RATHER.finditer(clause)
        for word in content(found[1])
        if word not in generic_concepts() and word != "one"
    )


def _falls_silent(before: str, clause: str, profile: Profile) -> bool:
    """Say whether a clause takes back what a pointer has named ("they give the figure for 2022, but not for 2023")."""
    if not _ELLIPTICAL.match(clause) or len(raw_words(clause)) > 14 or not acts.is_pointer(before):
        return False
    if profile.kind == "yesno" and not _TREATS.search(before):
        return False
    words = frozenset(content(clause)) | frozenset(str(date.year) for date in find_dates(clause))
    asked = profile.words | profile.kindred | frozenset(str(year) for year in profile.years)
    return bool(words & asked)


@lru_cache(maxsize=4096)
def _verdict(clause: str, profile: Profile) -> Verdict | None:
    decline = find_decline(clause)
    if decline is None:
        return "about" if profile.kind != "yesno" and _denies_existence(clause, profile) else None
    if decline.foreign:
        return "about" if _ANAPHOR.search(clause) and len(raw_words(clause)) <= 9 else "near"
    cut = _AFTERTHOUGHT.search(clause, decline.end)
    object_words = clause[: cut.start()] if cut else clause
    words = frozenset(content(object_words)) - _EMPTY - generic_concepts()
    if not words:
        return "about"
    return _weigh(object_words, words, decline, profile)


def _weigh(clause: str, words: frozenset[str], decline: Decline, profile: Profile) -> Verdict:
    known = profile.words | profile.kindred
    begun = {word[:_STEM] for word in known if len(word) >= _STEM}
    shared = frozenset(word for word in words if word in known or word[:_STEM] in begun)
    if len(shared) * 5 >= len(words) * 2:
        return "near" if _other_head(clause, known) else "about"
    if decline.kind == "inability" and _FIRST_PERSON.search(clause) and _HEDGED_SEARCH.search(clause):
        return "about"
    return "other"


def _other_head(clause: str, known: frozenset[str]) -> bool:
    """Say whether what is declined is another attribute of the same thing ("the officer's age", "the age of ...")."""
    for found in (*_OWNED.finditer(clause), *_OF.finditer(clause)):
        head = frozenset(content(found[1])) - _EMPTY - generic_concepts()
        if head and not head & known:
            return True
    return False


def _denies_existence(clause: str, profile: Profile) -> bool:
    """Say whether a clause says that there is no such thing as was asked for ("sets no penalty")."""
    found = _ABSENT.search(clause)
    if not found or any(not each.year for each in find_quantities(clause)):
        return False
    denied = clause[found.start() : found.end() + 80] if not clause.casefold().startswith("no ") else clause
    words = frozenset(content(denied)) - generic_concepts() - _EMPTY
    shared = words & profile.focus
    return (
        bool(shared)
        and len(words & (profile.words | profile.kindred)) * 5 >= len(words) * 2
        and not _other_thing(denied, profile)
    )


def denies_premise(text: str, profile: Profile) -> bool:
    """Say whether a sentence denies, in the question's own words, what an open question takes for granted."""
    if profile.kind == "yesno":
        return False
    for start, end in clauses(text):
        clause = text[start:end]
        words = frozenset(content(clause)) - generic_concepts()
        shared = words & profile.words
        if not find_decline(clause) and negations(clause):
            enough = 1 if _NEVER_DONE.search(clause) and shared == words else 2
            if len(shared) >= enough and len(shared) * 5 >= len(words) * 4:
                return True
        set_apart = _set_apart(clause)
        if set_apart and set_apart <= profile.words and words - profile.words:
            return True
    return False


def _other_thing(denied: str, profile: Profile) -> bool:
    """Say whether the thing denied is qualified by a word that the question does not know ("no e-mail address")."""
    found = re.search(r"(?:no|a|an|any)\s+([\w-]+)\s+([\w-]+)\s*$", denied.rstrip(" ."))
    if not found:
        return False
    first, last = frozenset(content(found[1])), frozenset(content(found[2]))
    return bool(first) and not first & (profile.words | profile.kindred) and bool(last & profile.words)
