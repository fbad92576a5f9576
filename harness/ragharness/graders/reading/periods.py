"""Values that stand in a comparison or belong to another period than the one asked about."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ragharness.language.dates import find_dates
from ragharness.language.patterns import regex
from ragharness.language.words import remembered

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ragharness.graders.reading.candidate import Candidate
    from ragharness.graders.reading.profile import Profile

_COMPARISON = regex(
    r"\b(?:up\s+from|down\s+from|compared\s+(?:with|to)|in\s+comparison\s+(?:with|to)|in\s+contrast\s+(?:with|to)|versus|vs\.?|as\s+against|against|relative\s+to|as\s+opposed\s+to|rather\s+than|instead\s+of|unlike|"
    r"(?:more|less|higher|lower|greater|fewer|larger|smaller|longer|shorter|later|earlier)\s+than(?=\s+(?:the|in|last|that|its|fiscal|\d{4}))|"
    r"(?:increas|decreas|ris|rose|grew|grow|fell|fall|declin|improv|drop|climb|jump|chang|extend|shorten|reduc|rais|amend|mov)\w*\s+(?:\w+\s+){0,4}?from|not\s+to\s+be\s+confused\s+with|for\s+(?:reference|comparison|context)|by\s+(?:way\s+of\s+)?(?:comparison|contrast)|(?<!not\s)(?<!n't\s)(?<!n’t\s)exceed\w*|surpass\w*|"
    r"frente\s+a|en\s+comparaci[oó]n\s+con|desde|gegen[uü]ber|im\s+vergleich\s+(?:zu|mit)|verglichen\s+mit|statt|par\s+rapport\s+[aà]|contre|au\s+lieu\s+de|previously|formerly|originally|earlier\s+figure)\b",
    re.IGNORECASE,
)
_FROM_TO = regex(
    r"\bfrom\b([^;]{1,60}?)\bto\b|\bvon\b([^;]{1,60}?)\bauf\b|\b(?:pas|aument|augment|sub|crec|disminu|cay)\w*\s+de\b([^;]{1,60}?)\s(?:a|à)\s",
    re.IGNORECASE,
)
OTHER_PERIOD = regex(
    r"\bvorjahr(?:es)?\b|\b(?:el\s+)?a[nñ]o\s+anterior\b|\bejercicio\s+anterior\b|\b(?:ann[eé]e|exercice)\s+pr[eé]c[eé]dente?\b|\b(?:prior|previous|preceding|last|past|earlier|following|next|subsequent)\s+(?:fiscal\s+|calendar\s+|financial\s+)?(?:year|quarter|month|period)|\b(?:the\s+)?year\s+(?:before|earlier|ago)|\ba\s+year\s+(?:earlier|ago|before)\b",
    re.IGNORECASE,
)
_MOVED_TO = regex(
    r"\b(?:increas|decreas|ris|rose|grew|grow|fell|fall|declin|improv|drop|climb|jump|chang|went|rais|reduc)\w*\b[^;]*?\bto\b[^;]*?\bfrom\b",
    re.IGNORECASE,
)
_AGAINST = regex(
    r"\b(?:over|than(?:\s+in)?|versus|vs\.?|against|compared\s+(?:to|with))\s+(?:fiscal\s+|the\s+year\s+)?$",
    re.IGNORECASE,
)
"""A year behind it is what a value is measured against ("5.1% over 2022")."""
_LABELS = regex(r"(?:FY|fiscal\s+)?\d{4}\s*[:=]", re.IGNORECASE)
"""A year that names the value after it: "(2022: $5 million)"."""
_ASIDE = regex(r",?\s+(?:who|which|whose|having|since|after|as\s+of|until)\b", re.IGNORECASE)


def is_compared(
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
            low, high = span[0] + pair.start(pair.lastindex or 0), span[0] + pair.end(pair.lastindex or 0)
            if low <= candidate.start < high and any(each.start >= high for each in inside):
                return True
    return False


def is_other_period(
    text: str,
    span: tuple[int, int],
    candidate: Candidate,
    inside: Sequence[Candidate],
    profile: Profile,
    context: str,
) -> bool:
    """Say whether the years beside a value are none that the question asks about."""
    if not profile.years:
        return False
    years = [(start + span[0], year) for start, year in _years(text[span[0] : span[1]])]
    years = [each for each in years if not any(value.start <= each[0] < value.end for value in inside)]
    last = max((value.end for value in inside), default=span[0])
    years = [
        each
        for each in years
        if each[0] < last or not _AGAINST.search(text, max(span[0], each[0] - 24), each[0])
    ]
    aside = _ASIDE.search(text, candidate.end, span[1]) if candidate.named else None
    if aside:
        # "Jane Holloway, who took over in 2019": the year is not that of the answer.
        years = [each for each in years if each[0] < aside.start()]
    if profile.shifted and years:
        years = _shifted(text, years, profile)
    if not years:
        heading = [date.year for date in find_dates(context) if date.year] if context else []
        return bool(heading) and not any(year in profile.years for year in heading)
    following = min((value.start for value in inside if value.start > candidate.start), default=span[1])
    before = max((value.end for value in inside if value.end <= candidate.start), default=span[0])
    after = [
        year
        for start, year in years
        if candidate.end <= start < following and not _LABELS.match(text, start, following)
    ]
    ahead = [year for start, year in years if before <= start < candidate.start]
    near = after[:1] or ahead[-1:]
    of_kind = [each for each in inside if not each.foreign_unit]
    if len(inside) > 1 and ahead and after and not _each_followed(of_kind or inside, years):
        # "In 2023 sales were 5 and in 2024 they were 6": each value's year stands before it.
        near = ahead[-1:]
    lone = not near and len({year for _, year in years}) == 1
    compared = lone and _COMPARISON.search(text, candidate.end, max(candidate.end, years[0][0]))
    if lone and not compared and not _LABELS.match(text, years[0][0]):
        near = [years[0][1]]
    if len(inside) == 1 and (ahead or after):
        return not any(year in profile.years for year in ahead + after)
    return bool(near) and near[0] not in profile.years


@remembered
def _years(text: str) -> tuple[tuple[int, int], ...]:
    """Where a clause names which years."""
    return tuple((date.start, date.year) for date in find_dates(text) if date.year)


def _shifted(text: str, years: list[tuple[int, int]], profile: Profile) -> list[tuple[int, int]]:
    """Call "fiscal 2023" by the year asked about when that is the business year that ends in early 2024."""
    if any(year in profile.years for _, year in years):
        return years
    fiscal = {date.start for date in find_dates(text) if date.fiscal}
    return [
        (start, year + 1) if start in fiscal and year + 1 in profile.shifted else (start, year)
        for start, year in years
    ]


def _each_followed(values: Sequence[Candidate], years: Sequence[tuple[int, int]]) -> bool:
    """Say whether after each value, and before the next one, a year is written."""
    ends = [*(each.start for each in values[1:]), 1 << 60]
    return all(
        any(value.end <= start < end for start, _ in years) for value, end in zip(values, ends, strict=True)
    )
