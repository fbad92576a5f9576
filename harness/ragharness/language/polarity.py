# ruff: noqa: E501 (a pattern reads better with one group of alternatives a line)
"""What a clause says of a proposition: it affirms it, denies it, is silent on it, or cannot be read."""

from __future__ import annotations

import re
from typing import NamedTuple

from ragharness.language.coverage import coverage_of, read_coverage
from ragharness.language.modality import Modality, find_cues, is_negated, negations
from ragharness.language.opposites import mirrored, plain_verbs
from ragharness.language.patterns import regex
from ragharness.language.propositions import EXCEPTION, FREE_FROM, Frame, frame
from ragharness.language.sentences import clauses
from ragharness.language.special import CONSENT, OBJECT_PRONOUN, WORD, read_special
from ragharness.language.verdicts import Polarity, compare
from ragharness.language.words import concept, content, generic_concepts

_EXEMPTION = regex(
    r"\b(?:not|n['’]t|never|no)\s+(?:\w+\s+)?(?:include|appl(?:y|ies)|extend|cover|impose|breach|violat)\w*|\b(?:excludes?|excluded|exempt\w*|exception|carve[sd]?)\b",
    re.IGNORECASE,
)
_SILENCE = regex(
    r"\b(?:not|n['’]t|never|no|nothing|none|nowhere|nobody|nor|without|neither)\b[^.;]{0,40}?\b(?:mention|address(?:es|ed)?\b|specif(?:y|ies|ied)|stat(?:es?|ed|ing)\b(?!\s+(?:law|agenc))|discuss(?:es|ed)?\b|says?\b|said\b|cover\w*\s+(?:this|the\s+(?:topic|issue|question))|speak|"
    r"deals?\s+with|refers?\s+to|reference\s+to|touch|indicates?\b|contain\w*\s+(?:any\s+)?(?:information|mention|reference|provision|language|clause)|silent)",
    re.IGNORECASE,
)
_SILENT_WORD = regex(r"\b(?:is|are|remains?)\s+silent\b|\bsilent\s+(?:on|about|as\s+to)\b", re.IGNORECASE)
_DEICTIC = regex(
    r"\b(?:this|that|it|so|such|doing\s+so|do\s+so|the\s+(?:answer|practice|action|activity|conduct)|these|those|they|which)\b",
    re.IGNORECASE,
)
_EXCEPTION_FOR = regex(
    r",?\s*\b(?:but|and|though)\s+(?:it\s+|the\s+\w+\s+)?(?:makes?|provides?|contains?|allows?)\s+an?\s+exceptions?\s+for\s+",
    re.IGNORECASE,
)
_UNIVERSAL = regex(r"\b(?:all|every|each)\b", re.IGNORECASE)
_PARTLY = regex(
    r"(?<!every\s)(?<!each\s)\b(?:one|two|three|four|five|six|seven|eight|nine|ten|\d+|some|most|half|several|many|part)\s+of\s+(?:the|our|its|their|these|those|them|\w+)\b|\b(?:all|everything|every\s+\w+|each\s+\w+)\s+(?:but|except)\b|\bnot\s+(?:all|every)\b",
    re.IGNORECASE,
)
_ANYONE = regex(
    r"\b(?:third\s+(?:part(?:y|ies)|persons?)|outsiders?|any(?:one|body)|(?:any\s+)?other\s+(?:part(?:y|ies)|persons?|people))\b",
    re.IGNORECASE,
)
_INDIRECT = frozenset(("mark", "survive", "include"))
"""Verbs that a clause may speak of without naming them ("unmarked", "ends", "excluded")."""
_TO_NOBODY = regex(r"(?<!and )\b(?:to|with|for)\s+[\"“'‘]?(?:no\b|nobody|no\s+one|none)", re.IGNORECASE)
_PLAIN_CUE = regex(
    r"\b(?:it|this|that|so|which)\b.*\b(?:prohibited|forbidden|allowed|permitted|required|barred|banned|permissible|from\s+doing\s+so)\b",
    re.IGNORECASE,
)
_AUDIENCES = frozenset(
    content(
        """
    employee consultant affiliate competitor public anyone anybody subsidiary lender customer
    """
    )
)


class Statement(NamedTuple):
    """What a clause says of a proposition."""

    polarity: Polarity
    strong: bool = False
    """Whether it names the action together with its object, so that it cannot be about something else."""


def read_polarity(clause: str, proposition: str) -> Polarity:
    """Say what a clause, an answer's or a contract's, states of a proposition in plain English.

    A statement that something is not addressed is "silent"; so is a clause about something else.
    """
    return read_statement(clause, proposition).polarity


def read_statement(clause: str, proposition: str) -> Statement:
    """Say what a clause states of a proposition, and how surely it is about it."""
    covered = coverage_of(proposition)
    if covered is not None:
        affirmed = read_coverage(clause, covered)
        if affirmed is not None:
            return Statement("affirms" if affirmed else "denies", strong=True)
    if (
        _UNIVERSAL.search(proposition)
        and _PARTLY.search(clause)
        and len(frozenset(content(proposition)) & frozenset(content(clause))) >= 2
    ):
        return Statement("denies", strong=True)
    return read_frame(clause, frame(proposition))


def read_frame(clause: str, said: Frame) -> Statement:
    """Say what a clause states of a proposition that is already taken apart."""
    clause = plain_verbs(_EXCEPTION_FOR.sub(" except for ", clause))
    readings = [
        reading
        for start, end in clauses(clause)
        if (reading := _read_part(clause[start:end], said)).polarity != "silent"
    ]
    decided = [reading for reading in readings if reading.polarity != "unclear"]
    decided = [reading for reading in decided if reading.strong] or decided
    if len({reading.polarity for reading in decided}) == 1:
        return decided[0]
    return Statement("unclear" if readings else "silent")


def _read_part(part: str, said: Frame) -> Statement:
    polarity = _polarity(part, said)
    if polarity not in ("affirms", "denies"):
        return Statement(polarity)
    concepts = frozenset(content(part))
    said = mirrored(said, part) or said
    if said.modality in ("fact", "not_fact"):
        return Statement(polarity, len(said.predicates & concepts) * 5 >= len(said.predicates) * 4)
    named = bool(said.predicates & concepts) and (
        said.objects <= concepts or OBJECT_PRONOUN.search(part) is not None
    )
    pointed = len(concepts - generic_concepts()) <= 2 and _PLAIN_CUE.search(part) is not None
    strong = named or pointed
    return Statement(polarity, strong)


def _polarity(part: str, said: Frame) -> Polarity:
    if not _touches(part, said) or _silence(part):
        return "silent"
    exception = EXCEPTION.search(part)
    main = part[: exception.start()] if exception else part
    special = read_special(part, main, said)
    if special:
        return special
    other = mirrored(said, part)
    if other is not None:
        return _polarity(part, other)
    place = _place(main, part, said)
    if exception and not said.exception:
        verdict = _read_exception(main, part[exception.end() :], exception.group(), place, said)
        if verdict:
            return verdict
    return "silent" if place is None else compare(_modality_at(main, place, said), said)


def _touches(part: str, said: Frame) -> bool:
    """Say, cheaply, whether a clause can be about a proposition at all: it shares a word or points to something."""
    if said.unconditional or said.only or not _INDIRECT.isdisjoint(said.predicates):
        return True
    shared = said.concepts | said.predicates | said.objects
    return not shared.isdisjoint(content(part)) or _DEICTIC.search(part) is not None


def _read_exception(
    main: str, rest: str, joint: str, place: tuple[int, int] | None, said: Frame
) -> Polarity | None:
    """Read "not ... except X": what X names is permitted; a condition of consent leaves the ban."""
    held = frozenset(content(rest))
    inside, outside = said.objects & held, said.objects & frozenset(content(_ANYONE.sub(" ", main)))
    if place is None:
        if said.predicates & held:
            return _read_part(rest, said).polarity
        banned = any(cue.modality == "forbid" for cue in find_cues(main))
        return compare("permit", said) if inside and not outside and banned else None
    if _modality_at(main, place, said) not in ("forbid", "not_fact") or joint.casefold().strip(
        ", "
    ).startswith("but not"):
        return None
    if "circumstanc" in said.concepts or (inside and not outside):
        return compare("permit", said)
    if CONSENT.search(rest):
        return None
    if said.unconditional and not inside and not outside:
        return compare("permit", said)
    if joint.casefold().startswith("unless"):
        # A condition that is no consent: "not unless it is marked" permits what is marked.
        return compare("permit", said) if said.modality in ("permit", "fact") else "unclear"
    return "unclear" if inside else None


def _silence(main: str) -> bool:
    found = _SILENCE.search(main) or _SILENT_WORD.search(main)
    return found is not None


def _place(main: str, whole: str, said: Frame) -> tuple[int, int] | None:
    """Where a clause speaks of the proposition's action: the verb, its objects, or a word that points to it."""
    concepts = [
        (found.start(), found.end(), concept(found.group().casefold())) for found in WORD.finditer(main)
    ]
    present = {name for _, _, name in concepts}
    around = frozenset(content(whole))
    verbs = [(start, end) for start, end, name in concepts if name in said.predicates]
    if verbs and (len(said.predicates) < 3 or len(said.predicates & present) * 2 >= len(said.predicates)):
        rivals = (around & _AUDIENCES) - said.objects
        if rivals and said.objects & _AUDIENCES and not said.objects & around:
            return None
        last = said.modality in ("fact", "not_fact") and len(said.predicates) > 1
        return verbs[-1 if last else 0]
    if (
        said.objects
        and len(said.objects & present) * 2 > len(said.objects)
        and (find_cues(main) or said.modality == "fact" or said.predicates == {"include"})
    ):
        return next((start, end) for start, end, name in concepts if name in said.objects)
    if find_cues(main) and len(frozenset(content(main)) - generic_concepts()) <= 6:
        pointed = _DEICTIC.search(main)
        if pointed:
            return (len(main), len(main))
    return None


def _modality_at(main: str, place: tuple[int, int], said: Frame) -> Modality:
    cues = find_cues(main)
    before = [cue for cue in cues if cue.start < place[0]]
    after = [cue for cue in cues if cue.start >= place[1]]
    following = negations(main[place[1] : place[1] + 25])
    if before:
        cue = before[-1]
        modality: Modality = cue.modality
        nots = sum(cue.end <= each.start() < place[0] for each in negations(main))
        if nots % 2 and modality in ("permit", "require"):
            return "forbid"
    elif after:
        modality = after[0].modality
    else:
        if _EXEMPTION.search(main[: place[0]]) and "include" not in said.predicates:
            return "permit"
        freed = said.modality in ("fact", "not_fact") and FREE_FROM.search(main) is not None
        modality = "not_fact" if is_negated(main, negations(main[: place[0]])) != freed else "fact"
    if _TO_NOBODY.search(main, place[1]) and modality in ("permit", "require", "fact"):
        return "forbid" if modality != "fact" else "not_fact"
    if (
        following
        and following[0].group().lower() in ("no", "nobody", "none", "nothing")
        and modality in ("permit", "require", "fact")
    ):
        return "forbid" if modality != "fact" else "not_fact"
    return modality
