"""Questions that only look answerable: other years, companies of like names, things that never were."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date, timedelta
from typing import TYPE_CHECKING

import msgspec

from ragharness.records import Distractor, Fact, Question
from ragquestions.candidates import trap, unanswered

from .filed import load_concepts, load_silences, silent, wordings
from .naming import possessive, spoken

if TYPE_CHECKING:
    from .filed import Concept, Filed

_TOPICS = (
    "revenue", "net_income", "operating_income", "eps_diluted", "assets", "operating_cash", "cash",
    "income_tax", "public_float", "shares_outstanding", "lease_payments", "payables",
    "unrecognized_compensation", "current_assets", "lease_interest", "buybacks",
)  # fmt: skip
"""Figures that annual reports have."""

_LOOK_ALIKES = ("Capital", "Energy", "Financial", "Logistics", "Realty", "Health", "Mining")
"""What a company of another trade may be called besides the name of one that everybody knows."""

_YEARS = (1, -4, -5)
"""The year after a company's last filing here, and years that its first one no longer compares with."""

_KINDS = 4
"""Topics over which the look-alikes are spread, so that the other traps are asked as often."""


def traps(filings: list[Filed]) -> list[Question]:
    """Return every adversarial question; none has an answer in the corpus."""
    found: list[Question] = []
    ordered = sorted(filings, key=lambda filed: filed.end)
    latest = {filed.cik: filed for filed in ordered}
    first = {filed.cik: filed for filed in reversed(ordered)}
    for index, filed in enumerate(filings):
        for shift, years in enumerate(_YEARS):
            if (latest if years > 0 else first)[filed.cik] is filed:
                found += _other_year(filed, index + 5 * shift, shift, years)
        if latest[filed.cik] is filed:
            word = _LOOK_ALIKES[sum(map(ord, filed.short)) % len(_LOOK_ALIKES)]
            by_rule = (f"{filed.short} {word}", rf"{re.escape(filed.short)} {word}\b")
            found += _twins(filed, index, load_silences().twins.get(filed.cik, [by_rule]))
        found += _premises(filed)
    return found


def _other_year(filed: Filed, index: int, shift: int, years: int) -> Iterator[Question]:
    """Yield the annual report of a year near by that the corpus does not have, about figures that it has."""
    figure = _figure(filed, index)
    if figure is None:
        return
    fact, concept = figure
    end = spoken(_years_later(date.fromisoformat(filed.end), years).isoformat())
    names = {
        "title": re.sub(r"ended .*", f"ended {end}", filed.document.title),
        "paraphrase": re.sub(r"ended .*", f"ended {end}", filed.document.paraphrase),
    }
    number, text = list(wordings(filed, concept.ask, **names))[index % 3]
    # Every annual report says on its cover which year it is for.
    pattern = rf"for the (?:fiscal )?year ended:? {re.escape(end)}"
    note = "the corpus holds other years only"
    yield _trap(text, filed.document.title, fact, number, f"other-year-{shift + 1}", [pattern], note)


def _twins(filed: Filed, index: int, twins: list[tuple[str, str]]) -> Iterator[Question]:
    """Yield annual reports of companies that are not in the corpus but sound as if they were."""
    for shift, (name, pattern) in enumerate(twins):
        figure = _figure(filed, index + shift + 3)
        if figure is None:
            continue
        fact, concept = figure
        names = {
            "title": filed.document.title.replace(filed.short, name, 1),
            "paraphrase": f"{possessive(name)} {filed.document.paraphrase.partition(' ')[2]}",
        }
        if filed.short.endswith("s") or " " in filed.short:
            names["paraphrase"] = re.sub(
                r"^.*?['’]s? (?=fiscal|transition)", f"{possessive(name)} ", filed.document.paraphrase
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
    asked = unanswered(text, fact.kind, "", topic, wording, unit=fact.unit)
    return trap(asked, patterns, "corpus", note, tempting)


def _years_later(day: date, years: int) -> date:
    """Return the end of another fiscal year: the same date, or the same day of the week next to it.

    Who does not close at the end of a month closes on a day of the week.
    """
    after = day + timedelta(1)
    if after.day == 1:
        return after.replace(year=after.year + years) - timedelta(1)
    other = day.replace(year=day.year + years)
    return other + timedelta((day.weekday() - other.weekday() + 3) % 7 - 3)
