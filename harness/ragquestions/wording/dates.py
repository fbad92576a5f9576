"""Builds the question for a statement with one date."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from ragharness.language.dates import DateMention, find_dates
from ragharness.language.tables import regex
from ragquestions.wording.grammar import (
    CLAUSE,
    SECOND_VERB,
    base_of_past,
    is_participle,
    is_rest,
    is_subject,
    joined,
    lowered,
)
from ragquestions.wording.statement import PlainStatement, Precision

_PASSIVE = regex(
    r"(?P<subject>.+?)\s+(?P<be>was|were)\s+(?:first\s+|originally\s+|initially\s+)?(?P<verb>[a-z]+)(?P<middle>(?:\s+\S+){0,8}?)\s+(?:in|on)\s+$"
)
_ACTIVE = regex(
    r"(?P<subject>.+?)\s+(?:first\s+)?(?P<verb>[a-z]+)(?P<middle>(?:\s+\S+){1,10}?)\s+(?:in|on)\s+$"
)
_LED = regex(
    r"(?P<subject>(?:\S+\s+){0,11}?\S+)\s+(?:(?P<be>was|were)\s+)?(?P<verb>[a-z]+)(?P<rest>(?:,?\s[\w.'’&/-]+){1,22})$"
)
_SAYING = regex(r"\b(?:that|which|who)\b")
_AND_VERB = regex(
    r",|\band\s+(?:\w+ly\s+)?(?:\w+ed|was|were|is|are|has|had|made|took|began|gave)\b|\b(?:but|while|because|although)\b"
)
_FRONT_DATE = regex(r"(?:in|on)\s+[A-Z0-9][\w ,.]*")
_AFTER_DATE = regex(r"(?:\s+(?:by|under|as|to|through|with|at|for)\s[^;]+)?")
_NAME_WITH_YEAR = regex(
    r"(?<=Act of )\d{4}|(?<=Act, )\d{4}|(?<=Amendments of )\d{4}|(?<=Plan of )\d{4}|(?<=Year )\d{4}|(?<=FY)\d{4}|(?<=fiscal year )\d{4}"
    r"|(?<=[Tt]he )\d{4}(?=\s[A-Za-z]+)"
)
"""Years that are part of a name."""
_ODD_MIDDLE = regex(
    r"\b(?:about|approximately|roughly|nearly|estimated|in|average|twice|\w+ly)\b|[$%,]|\bpercent\b|\d\s"
)
_LASTING = frozenset(
    "have be remain average need consist total contain represent account include increase decrease decline fall grow rise cost vary range own use employ receive".split()  # noqa: SIM905
)
"""Verbs of states and of whole years: nobody asks when they happened."""


def dates(said: PlainStatement, lower: Callable[[str], bool]) -> Iterator[tuple[str, DateMention]]:
    """Yield questions with the dates that answer them."""
    if said.when:
        found = _dates_in(said.when)
        if (
            _FRONT_DATE.fullmatch(said.when)
            and len(found) == 1
            and not find_dates(without_named_years(said.text))
        ):
            asked = _when_led(said.text, lower)
            bare = said._replace(when="")
            if asked and (question := joined(asked, bare)):
                yield question, found[0]
        return
    text = without_named_years(said.text)
    found = _dates_in(text)
    if len(found) != 1 or len(find_dates(text)) != 1:
        return
    before, after = said.text[: found[0].start], said.text[found[0].end :]
    if not _AFTER_DATE.fullmatch(after) or not is_rest(after):
        return
    asked = _when(before, after, lower)
    if asked and (question := joined(asked, said)):
        yield question, found[0]


def iso(date: DateMention) -> str:
    """Return a date as precise as it was written: "2024", "2024-03", "2024-03-01"."""
    parts = [f"{date.year:04d}", *(f"{part:02d}" for part in (date.month, date.day) if part)]
    return "-".join(parts)


def precision(date: DateMention) -> Precision:
    """Return how precise a date was written."""
    return "day" if date.day else "month" if date.month else "year"


def without_named_years(text: str) -> str:
    """Return a text of the same length in which the years of names are no years: "the Act of xxxx"."""
    return _NAME_WITH_YEAR.sub("xxxx", text)


def _dates_in(text: str) -> list[DateMention]:
    return [
        each
        for each in find_dates(text)
        if each.year and not each.fiscal and not each.quarter and not each.ambiguous
    ]


def _when_led(text: str, lower: Callable[[str], bool]) -> str:
    """Word "In 1994, X established Y ...": all behind the verb may stay as it is."""
    found = _LED.match(text)
    if not found or not is_subject(found["subject"]) or _ODD_MIDDLE.search(found["rest"]):
        return ""
    if SECOND_VERB.search(_SAYING.split(found["rest"], maxsplit=1)[0]):
        return ""
    subject = lowered(found["subject"], lower)
    if found["be"]:
        fits = _is_passive(found["verb"]) and not _AND_VERB.search(found["rest"])
        return f"When {found['be']} {subject} {found['verb']}{found['rest']}" if fits else ""
    base = base_of_past(found["verb"])
    if not base or base in _LASTING or _AND_VERB.search(found["rest"]):
        return ""
    return f"When did {subject} {base}{found['rest']}"


def _when(before: str, after: str, lower: Callable[[str], bool]) -> str:
    passive = _PASSIVE.fullmatch(before)
    if passive:
        middle = passive["middle"]
        fits = _is_passive(passive["verb"]) and is_subject(passive["subject"]) and not _second_thought(middle)
        subject = lowered(passive["subject"], lower)
        return f"When {passive['be']} {subject} {passive['verb']}{middle}{after}" if fits else ""
    active = _ACTIVE.fullmatch(before)
    if active and is_subject(active["subject"]) and not _second_thought(active["middle"]):
        base = base_of_past(active["verb"])
        if base and base not in _LASTING:
            return f"When did {lowered(active['subject'], lower)} {base}{active['middle']}{after}"
    return ""


def _is_passive(word: str) -> bool:
    return is_participle(word) or (word.endswith("ed") and len(word) > len("seed"))


def _second_thought(words: str) -> bool:
    return bool(SECOND_VERB.search(words) or CLAUSE.search(words) or _ODD_MIDDLE.search(words))
