"""Which of an answer's values stand in the question's slot: its entity, period and attribute."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING

from ragharness.graders.reading.attributes import Slot, attribute, fit_of, spelled_out
from ragharness.graders.reading.owners import (
    is_about_other,
    is_for_other,
    is_given_elsewhere,
    is_of_another_rank,
    is_other_entity,
)
from ragharness.graders.reading.periods import OTHER_PERIOD, is_compared, is_other_period
from ragharness.graders.reading.silence import speaks_of_question
from ragharness.language.dates import find_dates
from ragharness.language.declines import find_decline
from ragharness.language.patterns import regex
from ragharness.language.sentences import clauses
from ragharness.language.words import content

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ragharness.graders.reading.candidate import Candidate
    from ragharness.graders.reading.profile import Profile

MOST_VALUES = 40
"""A sentence with more values is a dump that asserts them all."""
_FORMER = regex(
    r"\b(?:(?:before|until|till|prior\s+to)\s+(?:\w+\s+)?\d{4}|formerly|previously|originally|no\s+longer(?!\s+than)|used\s+to|in\s+the\s+past|at\s+first|once\s+was|antes\s+de|fr[uü]her|auparavant)\b",
    re.IGNORECASE,
)
_PHRASE_END = regex(r",\s|\band\b|\bwhile\b|\)")
_CHANGE = regex(
    r"\b(?:ris(?:e|es|ing)|rose|gr[eo]w(?:s|ing)?|increas\w+|f[ae]ll(?:s|ing)?|decreas\w+|declin\w+|dropp?\w*|climb\w*|jump\w*|improv\w+|(?<!made\s)(?<!make\s)(?<!makes\s)(?<!making\s)up|down|gain\w*|an\s+increase\s+of|a\s+decrease\s+of)\s+(?:by\s+|of\s+)?(?:about\s+|approximately\s+|some\s+|roughly\s+)?[$€£]?$",
    re.IGNORECASE,
)
_ASKS_CHANGE = regex(
    r"\b(?:ris(?:e|en)|rose|grow(?:n|th)?|grew|increas\w+|f[ae]ll(?:en)?|decreas\w+|declin\w+|drop\w*|climb\w*|jump\w*|improv\w+|gain\w*|chang\w+|higher|lower|differ\w*|more|less|up|down)\b",
    re.IGNORECASE,
)
_ASKS_AMOUNT = regex(
    r"\b(?:by\s+how\s+much|how\s+much\s+(?:did|has|have)\b[^?]*\b(?:increas|decreas|gr[eo]w|rise|rose|fall|fell|declin|drop|chang)\w*|(?:increase|decrease|growth|change|decline|rise|drop|fall)\s+(?:in|of))\b",
    re.IGNORECASE,
)
_LEVEL = regex(r"\b(?:to|from)\s+(?:about\s+|approximately\s+|some\s+|roughly\s+)?[^\w\s]*$", re.IGNORECASE)
_SPREAD = regex(r"\bfrom\b[^;]{3,40}?\b(?:to|until|till|through)\b", re.IGNORECASE)
_ASKS_END = regex(r"\b(?:expir\w*|end|ends|ended|terminat\w*|until|matur\w*|laps\w*)\b", re.IGNORECASE)
_ASKS_START = regex(r"\b(?:effect\w*|start\w*|beg[iau]n\w*|commenc\w*|enter\w*)\b", re.IGNORECASE)
_POINTS = regex(r"percentage\s+points?|basis\s+points?", re.IGNORECASE)
_RESPECTIVELY = regex(
    r"\b(?:respectively|respectivamente|beziehungsweise|bzw\.|respectivement)", re.IGNORECASE
)
_PRONOUN = regex(
    r"^\W*(?:it|its|they|their|this|that|he|she|these|those|es|ello|sie|il|elle)\b", re.IGNORECASE
)
_ALTERNATIVE = regex(
    r"^\W*(?:or|oder|o|ou|and\s*/\s*or|possibly|perhaps|maybe|alternatively)\W*$|\b(?:or|oder|ou|alternatively|perhaps|possibly|maybe)\W*(?:\w+\W+){0,2}$",
    re.IGNORECASE,
)
_DIFFERENCE = regex(
    r"\s*(?:\([^()]{1,20}\)\s*)?(?:above|below|(?:more|less|higher|lower|greater|fewer|larger|smaller)\s+than)\s+(?:the|its|their|what|last|in|FY|fiscal|prior|that|those|was|were|a\s+year|\d{4})\b",
    re.IGNORECASE,
)
"""What follows a difference: "$70 million above the request"."""
_INCLUDED = regex(
    r"\b(?:including|included|among\s+(?:it|them))\s+(?:an?\s+)?(?:about\s+|some\s+)?[^\w\s]*$",
    re.IGNORECASE,
)
"""What opens a part of a sum: "including $1.9 million for bridges"."""
_ASIDE = regex(
    r"\b(?:for\s+(?:reference|comparison|context)|by\s+(?:comparison|contrast))\W{1,3}$", re.IGNORECASE
)
"""The end of a label that gives a value for something else: "Adjusted, for reference: $790 million"."""
_EXACTLY = regex(
    r"^[\s,;(—–-]*(?:or\s+)?(?:more\s+)?(?:exactly|precisely|to\s+be\s+(?:exact|precise)|specifically|namely)[\s,:]*\S{0,2}$",
    re.IGNORECASE,
)
"""Before the same value in full: "about $100 million, exactly $90 million"."""
_ARRIVES = regex(
    r"\b(?:to|auf|a|à|hasta)\s+(?:(?:about|approximately|some|roughly|rund|etwa)\s+)?[^\w\s]*$", re.IGNORECASE
)
_BARE_JOINT = regex(r"^\W*(?:and|und|y|et|/)\W*$", re.IGNORECASE)
_ROLE_PREPOSITION = regex(r"\b(?:from|with|to|against|before|after|under)\s+(?:the\s+)?$", re.IGNORECASE)


def place_candidates(
    text: str,
    found: Sequence[Candidate],
    profile: Profile,
    *,
    context: str = "",
    carried: bool = False,
    dates: bool = False,
) -> list[Slot]:
    """Say for each value of a sentence whether it stands in the question's slot.

    ``context`` is the heading above; ``carried``: the sentence's pronoun points to another entity.
    """
    if len(found) > MOST_VALUES:
        return ["in"] * len(found)
    spans = clauses(text)
    respectively = _pair(text, found, profile) if len(found) > 1 and _by_order(text, found) else None
    slots: list[Slot] = []
    for index, candidate in enumerate(found):
        span = next(((low, high) for low, high in spans if low <= candidate.start < high), (0, len(text)))
        if speaks_of_question(text[span[0] : span[1]], profile) is not None and not _is_the_decline(
            candidate
        ):
            slots.append("out")
            continue
        if respectively is not None:
            slots.append(respectively[index])
            continue
        slots.append(_slot(text, span, index, found, profile, context, carried, dates))
    return slots


def _is_level(region: str, profile: Profile) -> bool:
    """Say whether a value is what something rose to or from, where the question asks by how much it rose."""
    return _ASKS_AMOUNT.search(profile.question) is not None and _LEVEL.search(region) is not None


def _other_end(clause: str, at: int, profile: Profile) -> bool:
    """Say whether a date is the other end of "from A to B" than the one asked for."""
    spread = _SPREAD.search(clause)
    if spread is None or not spread.start() < at:
        return False
    if at < spread.end():
        return _ASKS_END.search(profile.question) is not None
    return _ASKS_START.search(profile.question) is not None


def _by_order(text: str, found: Sequence[Candidate]) -> bool:
    """Say whether values are given in a row for things named in a row before ("A and B were 5 and 6")."""
    if _RESPECTIVELY.search(text):
        return True
    gaps = [text[left.end : right.start] for left, right in pairwise(found)]
    return all(_BARE_JOINT.match(gap) or not gap.strip(" ,") for gap in gaps) and bool(
        _BARE_JOINT.match(gaps[-1])
    )


def _is_the_decline(candidate: Candidate) -> bool:
    """Say whether the gold itself is worded like a decline ("no evidence of fraud")."""
    return candidate.relation == "match" and find_decline(candidate.written) is not None


def _pair(text: str, found: Sequence[Candidate], profile: Profile) -> list[Slot] | None:
    """Read "A, B and C in 2022, 2023 and 2024, respectively" by order."""
    years = [
        date.year
        for date in find_dates(text)
        if date.year and not any(each.start <= date.start < each.end for each in found)
    ]
    if profile.years and len(years) == len(found):
        return ["in" if year in profile.years else "out" for year in years]
    head = re.split(r"\b(?:was|were|is|are|amounted|totaled|totalled|stood)\b", text, maxsplit=1)[0]
    items = [each for each in re.split(r",\s*(?:and\s+)?|\band\b", head) if each.strip()]
    if len(items) == len(found):
        scores = [len(frozenset(content(item)) & profile.focus) for item in items]
        best = max(scores)
        if best and scores.count(best) == 1:
            return ["in" if score == best else "out" for score in scores]
    return None


def _slot(
    text: str,
    span: tuple[int, int],
    index: int,
    found: Sequence[Candidate],
    profile: Profile,
    context: str,
    carried: bool,
    dates: bool,
) -> Slot:
    candidate = found[index]
    if candidate.related or _ASIDE.search(text, max(0, span[0] - 24), candidate.start):
        return "out"
    clause = text[span[0] : span[1]]
    inside = [each for each in found if span[0] <= each.start < span[1]]
    if is_compared(text, span, candidate, inside, dates) or _FORMER.search(
        clause[: candidate.start - span[0]]
    ):
        return "out"
    left = max([span[0], *(each.end for each in inside if each.start < candidate.start)])
    right = min(
        [max(span[1], candidate.end), *(each.start for each in inside if each.start > candidate.start)]
    )
    region = text[left : candidate.start]
    after = text[candidate.end : right]
    if right < span[1] and ")" not in after:
        # "5.53 (basic: 5.66)": the bracket is the next value's.
        after = after.partition("(")[0]
    if not dates and is_other_period(text, span, candidate, inside, profile, context):
        return "out"
    if (OTHER_PERIOD.search(region) and (left == span[0] or not _ARRIVES.search(region))) or (
        OTHER_PERIOD.search(after) and right == span[1] and not dates
    ):
        return "out"
    if carried and _PRONOUN.match(clause):
        return "out"
    first = left == span[0]
    beside = clause if len(inside) == 1 else f"{region} {_PHRASE_END.split(after, maxsplit=1)[0]}"
    if _is_level(region, profile) or (dates and _other_end(clause, candidate.start - span[0], profile)):
        return "out"
    if _CHANGE.search(text[span[0] : candidate.start]) or _POINTS.search(candidate.written):
        return "out" if not _ASKS_CHANGE.search(profile.question) else "in"
    phrase = frozenset(content(_PHRASE_END.split(after, maxsplit=1)[0])) if candidate.named else frozenset()
    claimed = bool(phrase & profile.acronyms) or (bool(profile.focus) and profile.focus <= phrase)
    if (is_about_other(candidate, beside, profile) and not claimed) or is_given_elsewhere(
        candidate, beside, profile
    ):
        return "out"
    if is_other_entity(clause, profile, [(each.start - span[0], each.end - span[0]) for each in inside]):
        return "out"
    if candidate.named and (
        is_for_other(region, after, profile) or is_of_another_rank(f"{region} | {after}", profile)
    ):
        return "out"
    if not first and (_ALTERNATIVE.search(region) or _BARE_JOINT.match(region)):
        candidate.alternative = _ALTERNATIVE.search(region) is not None
        return "in"
    if not first and _EXACTLY.search(region):
        return "in"
    if not dates and (_DIFFERENCE.match(after) or (not first and _INCLUDED.search(region))):
        return "in" if _ASKS_CHANGE.search(profile.question) and not _INCLUDED.search(region) else "out"
    if not first and candidate.named and _ROLE_PREPOSITION.search(region):
        return "out"
    if not first and not dates and _ARRIVES.search(region):
        # "rose from 4 to 5": what rose stands before the first of the two.
        region, first = text[span[0] : inside[0].start], True
    said_of = spelled_out(region if region.strip(" ,:;-–—(*") else after, profile)
    candidate.fit, candidate.strange = fit_of(said_of, profile)
    return attribute(
        said_of,
        clause,
        profile,
        first=first,
        alone=len(inside) == 1,
        context=context,
    )
