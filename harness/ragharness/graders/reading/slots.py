# ruff: noqa: E501 (a pattern reads better with one group of alternatives a line)
"""Which of an answer's values stand in the question's slot: its entity, period and attribute."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Literal

from ragharness.graders.reading.silence import speaks_of_question
from ragharness.language.clauses import clauses
from ragharness.language.dates import find_dates
from ragharness.language.declines import find_decline
from ragharness.language.memory import remembered
from ragharness.language.vocabulary import STOPWORDS, content, generic_concepts, raw_words

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ragharness.graders.reading.candidates import Candidate
    from ragharness.graders.reading.profile import Profile

Slot = Literal["in", "weak", "stray", "out"]
"""``in``: asserted in the slot; ``weak``: nothing speaks against it; ``stray``: another attribute, it seems;
``out``: a comparison, another entity or another period."""

MOST_VALUES = 40
"""A sentence with more values is a dump that asserts them all."""

_COMPARISON = re.compile(
    r"\b(?:up\s+from|down\s+from|compared\s+(?:with|to)|in\s+comparison\s+(?:with|to)|in\s+contrast\s+(?:with|to)|versus|vs\.?|as\s+against|against|relative\s+to|as\s+opposed\s+to|rather\s+than|instead\s+of|unlike|"
    r"(?:more|less|higher|lower|greater|fewer|larger|smaller|longer|shorter|later|earlier)\s+than(?=\s+(?:the|in|last|that|its|fiscal|\d{4}))|"
    r"(?:increas|decreas|ris|rose|grew|grow|fell|fall|declin|improv|drop|climb|jump|chang|extend|shorten|reduc|rais|amend|mov)\w*\s+(?:\w+\s+){0,4}?from|not\s+to\s+be\s+confused\s+with|exceed\w*|surpass\w*|"
    r"frente\s+a|en\s+comparaci[oó]n\s+con|desde|gegen[uü]ber|im\s+vergleich\s+(?:zu|mit)|verglichen\s+mit|statt|par\s+rapport\s+[aà]|contre|au\s+lieu\s+de|previously|formerly|originally|earlier\s+figure)\b",
    re.IGNORECASE,
)
_FROM_TO = re.compile(r"\bfrom\b([^;]{1,60}?)\bto\b", re.IGNORECASE)
_OTHER_PERIOD = re.compile(
    r"\b(?:prior|previous|preceding|last|past|earlier|following|next|subsequent)\s+(?:fiscal\s+|calendar\s+|financial\s+)?(?:year|quarter|month|period)|\b(?:the\s+)?year\s+(?:before|earlier|ago)|\ba\s+year\s+(?:earlier|ago|before)\b",
    re.IGNORECASE,
)
_FORMER = re.compile(
    r"\b(?:(?:before|until|till|prior\s+to)\s+(?:\w+\s+)?\d{4}|formerly|previously|originally|no\s+longer(?!\s+than)|used\s+to|in\s+the\s+past|at\s+first|once\s+was|antes\s+de|fr[uü]her|auparavant)\b",
    re.IGNORECASE,
)
_MOVED_TO = re.compile(
    r"\b(?:increas|decreas|ris|rose|grew|grow|fell|fall|declin|improv|drop|climb|jump|chang|went|rais|reduc)\w*\b[^;]*?\bto\b[^;]*?\bfrom\b",
    re.IGNORECASE,
)
_PHRASE_END = re.compile(r",\s|\band\b|\bwhile\b|\)")
_CHANGE = re.compile(
    r"\b(?:ris(?:e|es|ing)|rose|gr[eo]w(?:s|ing)?|increas\w+|f[ae]ll(?:s|ing)?|decreas\w+|declin\w+|dropp?\w*|climb\w*|jump\w*|improv\w+|up|down|gain\w*|an\s+increase\s+of|a\s+decrease\s+of)\s+(?:by\s+|of\s+)?(?:about\s+|approximately\s+|some\s+|roughly\s+)?[$€£]?$",
    re.IGNORECASE,
)
_POINTS = re.compile(r"percentage\s+points?|basis\s+points?", re.IGNORECASE)
_RESPECTIVELY = re.compile(
    r"\b(?:respectively|respectivamente|beziehungsweise|bzw\.|respectivement)", re.IGNORECASE
)
_PRONOUN = re.compile(
    r"^\W*(?:it|its|they|their|this|that|he|she|these|those|es|ello|sie|il|elle)\b", re.IGNORECASE
)
_CAPITAL = re.compile(r"\b[A-ZÀ-Ý][\w&'’.-]*")
_ALTERNATIVE = re.compile(
    r"^\W*(?:or|oder|o|ou|and\s*/\s*or|possibly|perhaps|maybe|alternatively)\W*$|\b(?:or|oder|ou|alternatively|perhaps|possibly|maybe)\W*(?:\w+\W+){0,2}$",
    re.IGNORECASE,
)
_NEUTRAL = frozenset(
    content(
        "is was be amount about approximately roughly around exactly total figure value reported according passage passages based year years month months day "
        "days period provided stated states state shows show says say million billion thousand percent usd dollars us yes answer found given specified listed "
        "document indicate indicates indicated confirmed set note short also initial full table row first only namely specifically explicitly equal equals "
        "mean means correspond corresponds stand stands come comes certain following last lasts run runs "
        "probably likely presumably possibly typically usually generally normally commonly guess believe think suspect assume suppose estimate recall "
        "vermutlich wahrscheinlich waren etwa rund ungefähr probablemente aproximadamente unos probablement environ "
        "general knowledge background best standard common practice industry market"
    )
)


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
    respectively = _pair(text, found, profile) if len(found) > 1 and _RESPECTIVELY.search(text) else None
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
    clause = text[span[0] : span[1]]
    inside = [each for each in found if span[0] <= each.start < span[1]]
    if _compared(text, span, candidate, inside, dates) or _FORMER.search(clause[: candidate.start - span[0]]):
        return "out"
    left = max([span[0], *(each.end for each in inside if each.start < candidate.start)])
    right = min([span[1], *(each.start for each in inside if each.start > candidate.start)])
    region = text[left : candidate.start]
    after = text[candidate.end : right]
    if not dates and _other_period(text, span, candidate, inside, profile, context):
        return "out"
    if _OTHER_PERIOD.search(region) or (_OTHER_PERIOD.search(after) and right == span[1] and not dates):
        return "out"
    if carried and _PRONOUN.match(clause):
        return "out"
    first = left == span[0]
    beside = clause if len(inside) == 1 else f"{region} {re.split(_PHRASE_END, after, maxsplit=1)[0]}"
    if _CHANGE.search(text[span[0] : candidate.start]) or _POINTS.search(candidate.written):
        return "out" if not _CHANGE.search(profile.question) else "in"
    if _about_other(candidate, beside, profile):
        return "out"
    if _other_entity(clause, profile, [(each.start - span[0], each.end - span[0]) for each in inside]):
        return "out"
    if not first and _ALTERNATIVE.search(region):
        return "in"
    return _attribute(
        region if region.strip(" ,:;-–—(*") else after,
        clause,
        profile,
        first=first,
        alone=len(inside) == 1,
        context=context,
    )


def _compared(
    text: str, span: tuple[int, int], candidate: Candidate, inside: Sequence[Candidate], dates: bool
) -> bool:
    """Say whether a value follows a comparing word in its clause."""
    clause = text[span[0] : span[1]]
    at = candidate.start - span[0]
    for cue in _COMPARISON.finditer(clause):
        if cue.start() >= at:
            break
        leading = not clause[: cue.start()].strip(" \"'(,*")
        comma = re.search(r"(?<!\d),\s|\),?\s", clause[cue.end() : at]) if leading else None
        if comma and any(each.start >= span[0] + cue.end() + comma.start() for each in inside):
            continue
        if (
            not leading
            and re.search(r"\bto\b", clause[cue.end() : at])
            and cue.group().casefold().endswith("from")
        ):
            continue
        return True
    moved = _MOVED_TO.search(clause)
    if moved and moved.end() <= at and any(each.start < span[0] + moved.end() for each in inside):
        return True
    if not dates:
        for pair in _FROM_TO.finditer(clause):
            low, high = span[0] + pair.start(1), span[0] + pair.end(1)
            if low <= candidate.start < high and any(each.start >= high for each in inside):
                return True
    return False


def _other_period(
    text: str,
    span: tuple[int, int],
    candidate: Candidate,
    inside: Sequence[Candidate],
    profile: Profile,
    context: str,
) -> bool:
    if not profile.years:
        return False
    years = [(start + span[0], year) for start, year in _years(text[span[0] : span[1]])]
    years = [each for each in years if not any(value.start <= each[0] < value.end for value in inside)]
    if not years:
        heading = [date.year for date in find_dates(context) if date.year] if context else []
        return bool(heading) and not any(year in profile.years for year in heading)
    following = min((value.start for value in inside if value.start > candidate.start), default=span[1])
    before = max((value.end for value in inside if value.end <= candidate.start), default=span[0])
    after = [year for start, year in years if candidate.end <= start < following]
    ahead = [year for start, year in years if before <= start < candidate.start]
    near = after[:1] or ahead[-1:]
    if len(inside) > 1 and ahead and after and not _each_followed(inside, years):
        # "In 2023 sales were 5 and in 2024 they were 6": each value's year stands before it.
        near = ahead[-1:]
    if not near and len({year for _, year in years}) == 1:
        near = [years[0][1]]
    if len(inside) == 1 and (ahead or after):
        return not any(year in profile.years for year in ahead + after)
    return bool(near) and near[0] not in profile.years


@remembered
def _years(text: str) -> tuple[tuple[int, int], ...]:
    """Where a clause names which years."""
    return tuple((date.start, date.year) for date in find_dates(text) if date.year)


def _each_followed(values: Sequence[Candidate], years: Sequence[tuple[int, int]]) -> bool:
    """Say whether after each value, and before the next one, a year is written."""
    ends = [*(each.start for each in values[1:]), 1 << 60]
    return all(
        any(value.end <= start < end for start, _ in years) for value, end in zip(values, ends, strict=True)
    )


def _about_other(candidate: Candidate, region: str, profile: Profile) -> bool:
    """Say whether a value is given as that of the distractor's own entity, period or attribute."""
    if not candidate.about:
        return False
    own = (frozenset(content(candidate.about)) | _digits(candidate.about)) - generic_concepts()
    own -= profile.words
    if len(own) > 1 or candidate.about.isupper():
        own |= frozenset((_acronym(candidate.about),)) - {""}
    here = frozenset(content(region)) | _digits(region)
    if not own:
        return False
    if profile.years and any(word.isdigit() for word in own):
        # The years beside the value decide, not the distractor's label.
        return False
    plain = candidate.about.islower() and not _OTHER_PERIOD.search(candidate.about)
    if plain and profile.focus and len(profile.focus & here) * 2 > len(profile.focus):
        return False
    return len(own & here) * 2 >= len(own) or (_acronym(candidate.about) in here)


def _acronym(text: str) -> str:
    """Return the initials of a run of capitalised words ("Chief Financial Officer": cfo); empty for fewer than two."""
    initials = "".join(word[0] for word in re.findall(r"\b[A-Z][a-z]+", text))
    return initials.casefold() if len(initials) > 1 else ""


def _digits(text: str) -> frozenset[str]:
    return frozenset(word for word in raw_words(text) if word.isdigit())


def _other_entity(clause: str, profile: Profile, values: Sequence[tuple[int, int]] = ()) -> bool:
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
    subject = head[0][0].casefold().rstrip(".'’").removesuffix("'s").removesuffix("’s")
    if (
        subject in STOPWORDS
        or subject in generic_concepts()
        or not frozenset(content(subject)) - generic_concepts() - _NEUTRAL
    ):
        return False
    if frozenset(content(subject)) & (profile.words | profile.kindred):
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


def _attribute(region: str, clause: str, profile: Profile, *, first: bool, alone: bool, context: str) -> Slot:
    """Compare the words that introduce a value with those of the question."""
    words = frozenset(content(region)) - generic_concepts() - _NEUTRAL
    words = frozenset(word for word in words if not word.isdigit())
    whole = frozenset(content(clause)) | frozenset(content(context))
    relevant = profile.focus | profile.kindred
    named = frozenset(concept for name in profile.names for concept in content(name))
    relevant |= profile.acronyms
    shared = words & relevant
    strange = words - relevant - named - profile.words
    if not words:
        return "in" if first else "weak"
    opening = next((word for word in content(region) if word in words), "")
    if opening in strange and not shared & profile.focus and not shared & profile.acronyms:
        labelled = region.rstrip().endswith((":", "|", "–"))
        return "stray" if len(words) > 1 or not first or labelled else "weak"
    if shared and (len(shared) >= len(strange) or (profile.focus and profile.focus <= words)):
        return "in"
    if not strange:
        return "in" if words & named or shared else "weak"
    if alone and len(whole & profile.focus) * 2 >= max(1, len(profile.focus)):
        return "in"
    if len(strange) == 1 and not shared:
        return "weak" if first and not region.rstrip().endswith((":", "|", "–")) else "stray"
    return "stray"


def is_other_entity(clause: str, profile: Profile) -> bool:
    """Say whether a sentence's subject is a named entity that the question does not ask about."""
    return _other_entity(clause, profile)


def is_neighbours(text: str, candidate: Candidate, profile: Profile) -> bool:
    """Say whether a value beside a decline belongs to a neighbour whose name is part of what was asked.

    "The director is Maria Alvarez; a deputy director is not named": the clause names the director and leaves out "deputy".
    """
    low, high = next(
        ((low, high) for low, high in clauses(text) if low <= candidate.start < high), (0, len(text))
    )
    here = frozenset(content(text[low:high]))
    missing = profile.focus - here
    return any(first in missing and last in here for first, last in profile.qualified) and (
        len(profile.focus & here) == 1
    )
