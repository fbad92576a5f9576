"""Which of a sentence's values stand in the question's slot: its entity, its period, its attribute."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from ragharness.graders.reading.records import Candidate, Profile, Slot
from ragharness.graders.reading.refusal import find_decline, speaks_of_question
from ragharness.language.dates import find_dates
from ragharness.language.numbers import find_quantities
from ragharness.language.tables import phrases, regex, words_of
from ragharness.language.words import clause_at, concepts_of, content, generic_concepts, raw_words

MOST_VALUES = 40  # a sentence with more asserts them all; looking at each would take square time
NEUTRAL = concepts_of(" ".join(words_of("values", "neutral")))
_CHANGING = rf"\b{phrases('values', 'changing')}\w*"
_COMPARING = regex(rf"\b{phrases('values', 'comparing')}(?!\w)", re.IGNORECASE)
_MOVED_TO = regex(rf"{_CHANGING}[^;]*?\bto\b[^;]*?\bfrom\b", re.IGNORECASE)
_FROM_TO = regex(r"\bfrom\b[^;]{1,60}?\b(?:to|until|till|through)\b", re.IGNORECASE)
_ARRIVES = regex(r"\bto\s+(?:\w+\s+)?[^\w\s]*$", re.IGNORECASE)
_LEAVES = regex(r"\bfrom\s+(?:\w+\s+)?[^\w\s]*$", re.IGNORECASE)
_FORMER = regex(rf"\b{phrases('values', 'former')}(?!\w)", re.IGNORECASE)
_NOW = regex(rf"\b{phrases('values', 'now')}\b", re.IGNORECASE)
_ALTERNATIVE = regex(r"\b(?:or|alternatively|perhaps|possibly|maybe)\W*(?:\w+\W+){0,2}$", re.IGNORECASE)
_REACH = 100  # so far behind the value before it an "or" offers another one
_BARE_JOINT = regex(r"^\W*(?:and|/)\W*$", re.IGNORECASE)
_PHRASE_END = regex(r",\s|\band\b|\bwhile\b|\)|\((?=(?:FY|fiscal\s)?\d{4}\s?[:=])", re.IGNORECASE)
_FOR = regex(r"\b(?:on\s+behalf\s+of|[Ff]or)\s+(?:the\s+)?((?:[A-ZÀ-Ý][\w&'’-]*\s?)+)")
_RANK = regex(r"\b(vice|deputy|assistant|associate|acting|interim|co)[-\s]+([a-z]{4,})", re.IGNORECASE)
_OTHER_PERIOD = regex(rf"\b{phrases('values', 'other_period')}", re.IGNORECASE)
_ASKS_END = regex(r"\b(?:expir\w*|end|ends|ended|terminat\w*|until|matur\w*|laps\w*)\b", re.IGNORECASE)


class Place(NamedTuple):
    """A value where it stands: in its clause, between its neighbours."""

    value: Candidate
    inside: Sequence[Candidate]  # the values of its clause
    clause: str
    low: int  # where the clause begins in the sentence
    before: str  # what stands between the value before it, or the start of the clause, and this one
    after: str
    text: str
    context: str  # the heading above
    profile: Profile

    @property
    def at(self) -> int:
        """Where the value begins in its clause."""
        return self.value.start - self.low

    @property
    def first(self) -> bool:
        """Whether no other value stands before it in its clause."""
        return self.value is self.inside[0]

    @property
    def beside(self) -> str:
        """What is said of this value: the clause when it is alone there, else the words next to it."""
        if len(self.inside) == 1:
            return self.clause
        return f"{self.before} {_PHRASE_END.split(self.after, maxsplit=1)[0]}"


def place_values(text: str, found: Sequence[Candidate], profile: Profile, *, context: str) -> list[Slot]:
    """Place of each value of a sentence in relation to the question's slot."""
    if len(found) > MOST_VALUES:
        return ["in"] * len(found)
    by_order = _by_order(text, found, profile)
    slots: list[Slot] = []
    for index, value in enumerate(found):
        low, high = clause_at(text, value.start)
        if speaks_of_question(text[low:high], profile) and not find_decline(value.written):
            slots.append("out")
        elif by_order:
            slots.append(by_order[index])
        else:
            inside = [each for each in found if low <= each.start < high]
            here = inside.index(value)
            before = text[inside[here - 1].end if here else low : value.start]
            end = inside[here + 1].start if value is not inside[-1] else max(high, value.end)
            after = text[value.end : end]
            place = Place(value, inside, text[low:high], low, before, after, text, context, profile)
            if value.related or any(says(place) for says in _OUTSIDE):
                slots.append("out")
            else:
                # "5 or 6", "5 and 6": both stand where the first one does.
                near = here > 0 and len(before) <= _REACH
                value.alternative = near and _ALTERNATIVE.search(before) is not None
                joined = value.alternative or (here > 0 and _BARE_JOINT.match(before))
                slot = slots[-1] if joined else _attribute(place)
                # In brackets behind another: "$9 million ($5 million for staff and ...)".
                aside = slot == "in" and index and before.rfind("(") > before.rfind(")")
                slots.append("weak" if aside else slot)
    return slots


def _by_order(text: str, found: Sequence[Candidate], profile: Profile) -> list[Slot]:
    """Read "A, B and C in 2022, 2023 and 2024, respectively" by order; empty: it is no such sentence."""
    gaps = [text[left.end : right.start] for left, right in pairwise(found)]
    row = [bool(_BARE_JOINT.match(gap)) or not gap.strip(" ,") for gap in gaps]
    if len(found) < 2 or not (all(row) or "respectively" in text):
        return []
    years = [
        date.year
        for date in find_dates(text)
        if date.year and not any(each.start <= date.start < each.end for each in found)
    ]
    if profile.years and len(years) == len(found):
        return ["in" if year in profile.years else "out" for year in years]
    return []


def _is_compared(place: Place) -> bool:
    """As in "... up from 5", "compared with 5", "from 5 to 6", "to 6 from 5"."""
    clause, at = place.clause, place.at
    for cue in _COMPARING.finditer(clause, 0, at):
        ends = re.search(r",\s(?!\d)|\)\s", clause[cue.end() : at])
        if cue[0][-4:] == "from" and _ARRIVES.search(place.before):
            continue
        leading = not clause[: cue.start()].strip(" \"'(,*")
        if not (leading and ends) and cue[0].casefold() not in place.profile.question.casefold():
            return True
    if not place.first and _LEAVES.search(place.before):
        former = place.inside[place.inside.index(place.value) - 1]
        if _ARRIVES.search(clause, 0, former.start - place.low):
            return True
    moved = _MOVED_TO.search(clause, 0, at)
    if moved or place.profile.kind == "date":
        return moved is not None
    spans = (pair.span() for pair in _FROM_TO.finditer(clause))
    return any(low < at < high <= place.inside[-1].start - place.low for low, high in spans)


def _is_former(place: Place) -> bool:
    """As in "Formerly 5, now 6": only where something else is given for now."""
    cue = _FORMER.search(place.clause, 0, place.at)
    return cue is not None and (cue[0][-1].isdigit() or _NOW.search(place.text, place.value.end) is not None)


def _is_other_end(place: Place) -> bool:
    """The start of "from A to B" where the end is asked for."""
    spread = _FROM_TO.search(place.clause) if place.profile.kind == "date" else None
    before_end = spread is not None and spread.start() < place.at < spread.end()
    return before_end and _ASKS_END.search(place.profile.question) is not None


def _is_other_period(place: Place) -> bool:
    """The years or words beside it name no period that the question asks about."""
    if _OTHER_PERIOD.search(place.before) and (place.first or not _ARRIVES.search(place.before)):
        return True
    if place.profile.kind == "date":
        return False
    after = _OTHER_PERIOD.search(place.after)
    # "$9 million, up 16% on the year before": it is said of the figure nearer to it.
    if place.value is place.inside[-1] and after and not find_quantities(place.after[: after.start()]):
        return True
    # The years of the heading count where nothing beside the value names one.
    years = _years(place.beside) or _years(place.context)
    return bool(years and place.profile.years) and place.profile.years.isdisjoint(years)


def _is_distractors(place: Place) -> bool:
    """It is given as that of a distractor's entity or attribute ("Holloway was the CFO")."""
    profile, here = place.profile, _words(place.beside)
    right = place.value.relation == "match"
    for about in place.value.elsewhere:
        own = _words(about) - generic_concepts() - profile.words
        own = own - profile.kindred or own
        # Of periods the years beside the value decide, not the distractor's label.
        if not own or any(word.isdigit() for word in own):
            continue
        # Of the right value only the words that one of the two attributes has decide.
        clear = own <= here and not here & (profile.focus - _words(about))
        if clear or (not right and len(own & here) * 2 >= len(own)):
            return True
    return False


def _is_for_another(place: Place) -> bool:
    """As in "Signed for B by ..." or "The vice-chair is B", where A or the chair is asked about."""
    profile = place.profile
    if profile.kind not in ("text", "list"):
        return False
    named = _FOR.search(place.after) if _FOR.search(profile.question) else None
    return (named is not None and profile.words.isdisjoint(content(named[1]))) or any(
        rank[1].casefold() not in profile.question.casefold()
        and not profile.focus.isdisjoint(content(rank[2]))
        for rank in _RANK.finditer(f"{place.before} | {place.after}")
    )


_OUTSIDE = (_is_compared, _is_former, _is_other_end, _is_other_period, _is_distractors, _is_for_another)


def _attribute(place: Place) -> Slot:
    """Compare the words that introduce a value with those of the question."""
    profile, first, region = place.profile, place.first, place.before
    if not first and place.profile.kind != "date" and _ARRIVES.search(region):
        # "rose from 4 to 5": what rose stands before the first of the two.
        region, first = place.text[place.low : place.inside[0].start], True
    region = region if region.strip(" ,:;-–—(*") else place.after
    empty = generic_concepts() | NEUTRAL
    words = [word for word in content(region) if not word.isdigit() and word not in empty]
    if not words:
        return "in" if first else "weak"
    known = profile.words | profile.kindred
    attribute = profile.focus | profile.acronyms
    if not attribute.isdisjoint(words) or (words[0] in known and not profile.kindred.isdisjoint(words)):
        return "in"
    return "weak" if known.issuperset(words) or (first and len(words) == 1) else "stray"


def _words(text: str) -> frozenset[str]:
    return concepts_of(text) | frozenset(word for word in raw_words(text) if word.isdigit())


def _years(text: str) -> list[int]:
    return [date.year for date in find_dates(text) if date.year]
