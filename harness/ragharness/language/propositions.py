# ruff: noqa: E501 (a pattern reads better with one group of alternatives a line)
"""A proposition, or a yes/no question, taken apart: its modality, its verb and what it is about."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from ragharness.language.modality import Modality, find_cues, is_negated, negations
from ragharness.language.opposites import plain_verbs
from ragharness.language.patterns import regex
from ragharness.language.words import STOPWORDS, concept, content, generic_concepts

_WORD = regex(r"[^\W_]+(?:['’][^\W_]+)?")
EXCEPTION = regex(
    r"\b(?:except(?:\s+(?:that|for|as|to|where|when|if|in))?|other\s+than|unless|save\s+(?:for|that|as|to)|apart\s+from|aside\s+from|"
    r"with\s+the\s+exception\s+of|excluding|but\s+for|beyond)\b",
    re.IGNORECASE,
)
"""What opens an exception to a rule."""
_WITHOUT_CONSENT = regex(
    r"\bwithout\s+(?:[\w’'-]+\s+){0,4}?(?:consent|permission|approval|authori[sz]ation|agreement|asking|leave)\b"
    r"|\bunless\s+(?:[\w’'-]+\s+){0,4}?(?:consents?|permission|approv(?:al|es)|authori[sz](?:ation|es)|agrees?)\b",
    re.IGNORECASE,
)
ONLY = regex(
    r"\b(?:only|solely|exclusively|nothing\s+but|strictly\s+(?:for|to)|(?:limited|restricted|confined)\s+to|limits?|restricts?)\b",
    re.IGNORECASE,
)
"""What narrows a rule to what follows."""
NOT_ONLY = regex(
    r"\b(?:not|n['’]t|never)\s+(?:\w+\s+)?(?:only|solely|exclusively|limited|restricted|confined|just)\b|\bwithout\s+limit|\bbeyond\b|\balso\b|\bas\s+well\b"
    r"|\bnon-?technical\b|\bbroad(?:er|ly)?\b",
    re.IGNORECASE,
)
"""What widens a rule beyond what is named."""
FREE_FROM = regex(
    r"\b(?:free\s+from|outside\s+(?:of\s+)?(?:the|its|any|this)|exempt\s+from|excluded\s+from|not\s+subject\s+to)\b",
    re.IGNORECASE,
)
_LIGHT_VERBS = frozenset(concept(word) for word in ("make", "create", "take", "engage", "perform", "carry"))
_WEAK = frozenset(
    content(
        """
    confidential proprietary receive recipient disclose discloser sensitive certain circumstances case
    expressly purpose time right obligation object fact embody evaluation person value representative
    """
    )
)
_CONFIDENTIAL = frozenset((concept("confidential"), concept("proprietary"), "secret"))


class Frame(NamedTuple):
    """A proposition taken apart."""

    modality: Modality
    predicates: frozenset[str]
    """Concepts of the verb (alternatives joined by "or" are all in it)."""
    objects: frozenset[str]
    """What distinguishes it from other statements with the same verb."""
    only: bool
    exception: bool
    unconditional: bool
    """It says "without consent", so that a condition of consent denies it."""
    concepts: frozenset[str]


@lru_cache(maxsize=4096)
def frame(proposition: str) -> Frame:
    """Take a proposition apart into modality, verb and objects."""
    unconditional = _WITHOUT_CONSENT.search(proposition) is not None
    if unconditional:
        proposition = _WITHOUT_CONSENT.sub(" ", proposition)
    proposition = plain_verbs(proposition)
    exception = EXCEPTION.search(proposition)
    main = proposition[: exception.start()] if exception else proposition
    if exception and not find_cues(main) and find_cues(proposition):
        main = proposition
    only = bool(ONLY.search(main)) and not NOT_ONLY.search(main)
    cues = find_cues(main)
    if cues:
        cue = next((each for each in cues if main[each.start : each.end].islower()), cues[0])
        modality, rest = cue.modality, main[cue.end :]
    else:
        free = FREE_FROM.search(main) is not None
        modality, rest = (
            ("not_fact" if is_negated(main, negations(main)) != free else "fact"),
            FREE_FROM.sub(" ", main),
        )
    predicates = _verbs(rest) if cues else frozenset()
    if cues and not predicates:
        # "is copying forbidden?": what is forbidden stands before the word that forbids it.
        rest = main[: cue.start]
        predicates = frozenset(content(rest)) - generic_concepts() - _WEAK
    everything = frozenset(content(main)) - generic_concepts()
    objects = (everything if not cues else frozenset(content(rest)) - generic_concepts()) - predicates - _WEAK
    if not cues:
        everything = frozenset(content(rest)) - generic_concepts()
        predicates = everything - _WEAK or everything
    elif predicates <= _CONFIDENTIAL:
        predicates |= {"include"}
    if unconditional:
        objects -= {"consent", "prior", "special", "specif"}
    return Frame(modality, predicates, objects, only, exception is not None, unconditional, everything)


def _verbs(rest: str) -> frozenset[str]:
    found: list[str] = []
    words = _WORD.findall(rest.casefold())
    for place, word in enumerate(words):
        if word in ("or", "and", "and/or") and found:
            following = [each for each in words[place + 1 : place + 2] if each not in STOPWORDS]
            return frozenset([*found, *(concept(each) for each in following)])
        if (
            word in STOPWORDS
            or word.endswith("ly")
            or (word == "reverse" and "reverse" not in found and found)
        ):
            if found and found[-1] not in _LIGHT_VERBS:
                break
            continue
        if found and found[-1] not in _LIGHT_VERBS and found[-1] != "reverse":
            break
        found.append(concept(word))
        if found[0] in _LIGHT_VERBS and len(found) > 1:
            return frozenset(found[1:])
    return frozenset(found[:2] if found[:1] == ["reverse"] else found)


_AUXILIARY = regex(
    r"(?:^|,\s+|\bthat\s+)(?:and\s+|so\s+)?(?P<aux>may|might|can|could|must|shall|should|will|would|is|are|was|were|does|do|did|has|have)\s+",
    re.IGNORECASE,
)
"""What denies that a duty reaches something."""
_SUBJECTS = frozenset(
    [
        "the",
        "a",
        "an",
        "any",
        "some",
        "all",
        "of",
        "and",
        "or",
        "its",
        "their",
        "his",
        "her",
        "own",
        "each",
        "either",
        "both",
        "every",
        "party",
        "parties",
        "recipient",
        "recipients",
        "discloser",
        "receiving",
        "disclosing",
        "receiver",
        "provider",
        "owner",
        "other",
        "side",
        "agreement",
        "contract",
        "nda",
        "document",
        "company",
        "employee",
        "it",
        "they",
        "there",
        "we",
        "you",
        "i",
        "under",
        "this",
        "that",
        "such",
        "information",
        "confidential",
        "proprietary",
    ]
)


_DOCUMENT = regex(
    r"\s+(?:under|according\s+to|pursuant\s+to)\s+(?=[^?]*(?:[A-Z]|\d{4}|\b(?:agreement|nda|contract|form|letter|report)\b)).*$",
    re.DOTALL,
)
"""Where a question names its document at its end."""


@lru_cache(maxsize=1024)
def question_frame(question: str) -> Frame | None:
    """Take a yes/no question apart as if it were the statement that "yes" affirms; None when it is no such question."""
    found = _AUXILIARY.search(question)
    if not found:
        return None
    condition = _WITHOUT_CONSENT.search(question[: found.start() + 1])
    rest = _DOCUMENT.sub("", question[found.end() :].rstrip("? "))
    auxiliary = found["aux"].casefold()
    if auxiliary in ("may", "might", "can", "could", "must", "shall", "should", "will", "would"):
        verb = re.search(r"\bbe\b", rest) or next(
            (
                word
                for word in _WORD.finditer(rest)
                if word.group().islower() and word.group() not in _SUBJECTS
            ),
            None,
        )
        if verb is None:
            return None
        modal = {"might": "may", "could": "can", "would": "will"}.get(auxiliary, auxiliary)
        rest = f"{rest[: verb.start()]}{modal} {rest[verb.start() :]}"
    return frame(f"{rest} {condition.group()}" if condition else rest)
