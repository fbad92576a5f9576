"""What a report does not say of what it names, and what no report says; ``questions.toml`` words it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Literal

import msgspec

from ragharness.records import Document, Kind, Question
from ragquestions import candidates
from ragquestions.candidates import Precision, Scope, unanswered

from .things import Sort, apart, near, things


class Silence(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a report is silent about."""

    patterns: list[str]
    ask: list[str]
    kind: Kind
    unit: str = ""
    thing: Literal["", "agency", "law", "program"] = ""
    """The sort of thing that is asked about: nothing is said of it near any mention of that thing."""
    precision: Precision = ""
    """Of a date; empty: a year."""


class Wordings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The whole file."""

    unsaid: dict[str, Silence]
    strangers: dict[Sort, list[str]]
    premises: dict[str, list[str]]
    sisters: dict[str, list[tuple[str, str]]]


@cache
def load_wordings() -> Wordings:
    """Return the content of ``questions.toml``."""
    return msgspec.toml.decode(Path(__file__).with_name("questions.toml").read_bytes(), type=Wordings)


_STRANGE: dict[Sort, list[tuple[str, Literal["date", "number"], str]]] = {
    "law": [
        ("When was {thing} signed into law?", "date", ""),
        ("How much did {thing} provide for grants to states in FY2024?", "number", "USD million"),
        ("When did Congress amend {thing} to extend its deadlines?", "date", ""),
        ("How many violations of {thing} did officials identify?", "number", ""),
    ],
    "agency": [
        ("When did Congress establish {thing}?", "date", ""),
        ("How many recommendations did GAO make to {thing}?", "number", ""),
        ("When did {thing} issue a final rule on its procedures?", "date", ""),
        ("How much did the FY2026 budget request propose for {thing}?", "number", "USD million"),
    ],
    "program": [
        ("When was {thing} authorized for the first time?", "date", ""),
        ("How much was appropriated for {thing} in FY2026?", "number", "USD million"),
        ("When did GAO report on {thing}?", "date", ""),
        ("What percentage of the funding of {thing} did states receive?", "number", "percent"),
    ],
}
_MOST = 1
"""Topics on which one report is asked for what it does not say."""
OWN_WORDS = 2
"""Wordings that name a report by its handle; the third uses its number."""


def names(document: Document) -> Iterator[tuple[int, str]]:
    """Yield the number of a wording and how it calls the report."""
    yield from ((number, document.handle) for number in range(1, OWN_WORDS + 1))
    if document.paraphrase:
        yield OWN_WORDS + 1, document.paraphrase


def worded(ask: str, wording: int, report: str) -> str:
    """Return a question with the report that it is asked of: in front, or behind."""
    if wording == OWN_WORDS:
        return f"{ask.rstrip('?')}, according to {report}?"
    return f"According to {report}, {ask[0].lower()}{ask[1:]}"


def in_all(ask: str) -> list[str]:
    """Return a question in all wordings, with a place for the report in each."""
    return [worded(ask, wording, "{report}") for wording in range(1, OWN_WORDS + 2)]


def unsaid(document: Document, silences: Mapping[str, Silence]) -> Iterator[Question]:
    """Yield what a report could say of a thing that it names and does not; one thing for each topic."""
    known = [(each, near(each, document.text)) for each in things(document.text)]
    given = 0
    for topic, silence in sorted(silences.items(), key=lambda each: _drawn(document.id, each[0])):
        if given == _MOST:
            return
        said = "|".join(silence.patterns)
        fitting = [
            thing
            for thing, told in known
            if thing.sort == silence.thing and not re.search(said, told, re.IGNORECASE)
        ]
        if not fitting:
            continue
        given += 1
        thing = min(fitting, key=lambda each: _drawn(topic, each.name))
        about = msgspec.structs.replace(
            silence,
            patterns=apart(thing, said),
            ask=[each.replace("{thing}", f"the {thing.name}") for each in silence.ask],
        )
        yield from silent(document, topic, about, "document")


def strange(document: Document, strangers: Mapping[Sort, Sequence[str]]) -> Iterator[Question]:
    """Yield laws, agencies and programs of which no report speaks, asked about as the grammar asks of others."""
    for sort, known in strangers.items():
        for place, name in enumerate(known):
            ask, kind, unit = _STRANGE[sort][place % len(_STRANGE[sort])]
            asked = in_all(ask.replace("{thing}", f"the {name}"))
            yield from silent(document, name, Silence([re.escape(name)], asked, kind, unit), "corpus")


def _drawn(*words: str) -> str:
    return sha256("|".join(words).encode()).hexdigest()


def silent(document: Document, topic: str, silence: Silence, scope: Scope) -> Iterator[Question]:
    """Yield a silence; whether the text is silent indeed is tested when the question is picked."""
    for wording, report in names(document):
        text = silence.ask[wording - 1].format(report=report)
        precision = silence.precision or ("year" if silence.kind == "date" else "")
        asked = unanswered(
            text, silence.kind, document.id, topic, wording, unit=silence.unit, precision=precision
        )
        yield candidates.silent(asked, silence.patterns, scope)
