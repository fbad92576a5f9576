"""Questions that only look answerable: other years, companies of like names, things that never were."""

from __future__ import annotations

import re
from datetime import date, timedelta
from typing import TYPE_CHECKING

import msgspec

from ragharness.records import Distractor, Question

from .filed import silent, wordings
from .tables import load_concepts, load_silences

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ragharness.records import Fact

    from .filed import Filed
    from .tables import Concept

_TOPICS = (
    "revenue", "net_income", "operating_income", "eps_diluted", "assets", "operating_cash", "cash",
    "income_tax",
)  # fmt: skip
"""Figures that every annual report has."""

_YEARS_AGO = (9, 11, 14)
_KINDS = 4
"""Topics over which the look-alikes are spread, so that the other traps are asked as often."""


def traps(filings: list[Filed]) -> list[Question]:
    """Return every adversarial question; none has an answer in the corpus."""
    found: list[Question] = []
    latest = {filed.cik: filed for filed in sorted(filings, key=lambda filed: filed.end)}
    for index, filed in enumerate(filings):
        found += _other_years(filed, index)
        if latest[filed.cik] is filed:
            found += _twins(filed, index, load_silences().twins.get(filed.cik, []))
        found += _premises(filed)
    return found


def _other_years(filed: Filed, index: int) -> Iterator[Question]:
    """Yield annual reports of a year that the corpus does not have, about figures that it has for others."""
    for shift, ago in enumerate(_YEARS_AGO):
        figure = _figure(filed, index + shift)
        if figure is None:
            continue
        fact, concept = figure
        end = _years_before(date.fromisoformat(filed.end), ago)
        spoken = f"{end:%B} {end.day}, {end.year}"
        names = {
            "title": re.sub(r"ended .*", f"ended {spoken}", filed.document.title),
            "paraphrase": re.sub(r"ended .*", f"ended {spoken}", filed.document.paraphrase),
            "end": spoken,
        }
        number, text = list(wordings(filed, concept.ask, **names))[(index + shift) % 3]
        yield _trap(
            text,
            filed.document.title,
            fact,
            number,
            f"other-year-{shift + 1}",
            [re.escape(spoken)],
            "the corpus holds other years only",
        )


def _twins(filed: Filed, index: int, twins: list[tuple[str, str]]) -> Iterator[Question]:
    """Yield annual reports of companies that are not in the corpus but sound as if they were."""
    for shift, (name, pattern) in enumerate(twins):
        figure = _figure(filed, index + shift + 3)
        if figure is None:
            continue
        fact, concept = figure
        possessive = f"{name}'" if name.endswith("s") else f"{name}'s"
        names = {
            "title": filed.document.title.replace(filed.short, name, 1),
            "paraphrase": f"{possessive} {filed.document.paraphrase.partition(' ')[2]}",
        }
        if filed.short.endswith("s") or " " in filed.short:
            names["paraphrase"] = re.sub(
                r"^.*?['’]s? (?=fiscal|transition)", f"{possessive} ", filed.document.paraphrase
            )
        number, text = list(wordings(filed, concept.ask, **names))[(index + shift) % 3]
        yield _trap(
            text,
            filed.document.title,
            fact,
            number,
            f"twin-{(index + shift) % _KINDS + 1}",
            [pattern],
            "no filing of that company is in the corpus",
        )


def _premises(filed: Filed) -> Iterator[Question]:
    """Yield what a filing would tell if it had happened."""
    for key, premise in load_silences().premises.items():
        for question in silent(filed, f"premise-{key}", premise, "document"):
            note = "nothing of the kind is in the filing"
            yield msgspec.structs.replace(question, stratum="adversarial", target="", note=note)


def _figure(filed: Filed, index: int) -> tuple[Fact, Concept] | None:
    for step in range(len(_TOPICS)):
        concept = load_concepts()[_TOPICS[(index + step) % len(_TOPICS)]]
        fact = next((fact for fact in map(filed.now, concept.tags) if fact is not None), None)
        if fact is not None and float(fact.details["value"]) > 0:
            return fact, concept
    return None


def _trap(
    text: str, near: str, fact: Fact, wording: int, topic: str, patterns: list[str], note: str
) -> Question:
    """Return a question about what does not exist; ``near`` is the filing whose figure tempts."""
    tempting = Distractor(fact.answers[0], f"the figure in the {near}", fact.evidence[:1])
    return Question(
        id="",
        text=text,
        stratum="adversarial",
        kind=fact.kind,
        answerable=False,
        topic=topic,
        wording=wording,
        unit=fact.unit,
        distractors=(tempting,),
        absence_patterns=tuple(patterns),
        absence_scope="corpus",
        note=note,
    )


def _years_before(day: date, years: int) -> date:
    """Return the end of an earlier fiscal year: the same date, or the same day of the week next to it.

    Who does not close at the end of a month closes on a day of the week.
    """
    after = day + timedelta(1)
    if after.day == 1:
        return after.replace(year=after.year - years) - timedelta(1)
    earlier = day.replace(year=day.year - years)
    return earlier + timedelta((day.weekday() - earlier.weekday() + 3) % 7 - 3)
