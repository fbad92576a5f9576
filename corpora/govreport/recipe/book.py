"""The reports with what they state, and how a question about one is worded.

Of a report that people read, what it states and is silent about is theirs, line by line of ``read.jsonl``.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from functools import cache
from hashlib import sha256
from itertools import cycle
from pathlib import Path
from typing import Literal

import msgspec

from ragharness.corpus.loading import Corpus
from ragharness.records import Document, Kind, Question
from ragquestions import recipes
from ragquestions.recipes import Fact, Precision, Scope, unanswered

from .findings import names as names_in
from .lines import Found, Sort, apart, facts_of, lines, near, stems, things

_DIGITS = 16  # digits of a text's sha256 that tell it from another text of the same report


class Read(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A question to one report: with ``answer`` what it states, else what it is silent about."""

    report: str
    text: str  # the first digits of the sha256 of the text that was read
    ask: str
    kind: Kind
    answer: str = ""
    also: tuple[str, ...] = ()  # other names of a text; a number as a table states it, more exactly
    unit: str = ""
    precision: Literal["", "year", "month", "day"] = ""
    evidence: tuple[tuple[int, int], ...] = ()  # every place that states it
    near: tuple[tuple[str, int, int], ...] = ()  # values that tempt, each with its place
    stays: bool = False  # the answer follows from other places: it cannot be withheld alone
    absent: tuple[str, ...] = ()  # patterns without a hit in the report
    nowhere: bool = False  # no report of the corpus says it


_READ = msgspec.json.Decoder(Read).decode_lines(Path(__file__).with_name("read.jsonl").read_bytes())


def read_in(document: Document) -> list[Read]:
    """Questions of people who read this text; none where it, or its report, was not read."""
    text = sha256(document.text.encode()).hexdigest()[:_DIGITS]
    return [row for row in _READ if (row.report, row.text) == (document.id, text)]


def stated(document: Document) -> Iterator[Fact]:
    """What people read in a report, each with the question that they asked."""
    rows = (row for row in read_in(document) if row.answer)
    findings = (
        Found(
            row.ask, row.kind, row.answer, row.unit, row.precision, row.evidence, row.near,
            also_summary=False, alone=not row.stays, also=row.also,
        )
        for row in rows
    )  # fmt: skip
    return facts_of(document.id, ((finding, {"stated": "read"}) for finding in findings))


def silent(document: Document) -> Iterator[Question]:
    """Yield what people looked for in a report and did not find, in all wordings."""
    for place, row in enumerate((each for each in read_in(document) if not each.answer), 1):
        silence = Silence([*row.absent], in_all(row.ask), row.kind, row.unit, precision=row.precision)
        scope: Scope = "corpus" if row.nowhere else "document"
        yield from ask_silence(document, f"unsaid-{row.kind}-{place:02}", silence, scope)


_SAYS_TOO = 0.5  # share of a question's words with which another report's sentence gives its value away


class Book:
    """The corpus with what the recipe looks up again and again."""

    def __init__(self, corpus: Corpus, facts: Iterable[Fact]) -> None:
        self.documents = {each.id: each for each in corpus.documents}
        self.facts: dict[str, list[Fact]] = defaultdict(list)
        for fact in facts:
            self.facts[fact.document].append(fact)
        self.facts |= {name: read for name, each in self.documents.items() if (read := list(stated(each)))}
        self.lines = cache(lambda document: lines(self.documents[document].text))  # sentences of a report

    def elsewhere(self, fact: Fact) -> bool:
        """Whether another report states the fact's value in a sentence of much the same words."""
        others = [name for name in self.documents if name != fact.document]
        if fact.kind == "text":
            names = [each.casefold() for each in (*fact.answers, *aliases_of(fact).get(fact.answers[0], ()))]
            texts = (self.documents[each].text.casefold() for each in others if self._tells(each, fact))
            return any(name in text for text in texts for name in names)
        wanted = stems(fact.details["ask"])
        named = names_in(fact.details["ask"], "GAO")
        value = ("date" if fact.kind == "date" else fact.unit), fact.answers[0]
        return any(
            value in line.values
            and (len(wanted & line.stems) >= _SAYS_TOO * len(wanted) or (named and named <= line.stems))
            for name in others
            for line in self.lines(name)
        )

    def _tells(self, document: str, fact: Fact) -> bool:
        """Whether a report may tell who did something; what letters stand for, it tells anywhere."""
        if "also" not in fact.details:
            return True
        wanted = stems(fact.details["ask"])
        return any(len(wanted & each.stems) >= _SAYS_TOO * len(wanted) for each in self.lines(document))


def asked(fact: Fact, document: Document, topic: str, ask: str = "", name: str = "") -> Iterator[Question]:
    """Yield a fact's question in all wordings, asked of a report, without an answer.

    ``ask`` and ``name`` replace the question's own words and what the report is called.
    """
    ask, precision = ask or fact.details["ask"], fact.date_precision
    by_year = re.sub(r"^When\b", "In what year", ask) if precision == "year" else ask
    for wording, report in [(1, name), (2, name)] if name else names(document):
        text = worded(ask if wording == OWN_WORDS else by_year, wording, report)
        yield unanswered(text, fact.kind, document.id, topic, wording, unit=fact.unit, precision=precision)


def aliases_of(fact: Fact) -> dict[str, tuple[str, ...]]:
    """Written-out name with one of its plurals as a singular: "Inspector General"."""
    if fact.kind != "text":
        return {}
    name = fact.answers[0]
    if "also" in fact.details:
        return {name: tuple(fact.details["also"].split("|"))}
    plurals = re.finditer(r"(?<=[a-rt-z])s\b(?![’'])", name)
    singular = tuple(f"{name[: match.start()]}{name[match.end() :]}" for match in plurals)
    return {name: singular} if singular else {}


class Silence(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a report is silent about."""

    patterns: list[str]
    ask: list[str]
    kind: Kind
    unit: str = ""
    thing: Literal["", "agency", "law", "program"] = ""  # what it is about; no mention of it says it
    precision: Precision = ""  # of a date; empty: a year


class Wordings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The whole file."""

    unsaid: dict[str, Silence]
    strangers: dict[Sort, list[str]]
    strange: dict[Sort, list[tuple[str, Literal["date", "number"], str]]]
    premises: dict[str, list[str]]
    sisters: dict[str, list[tuple[str, str]]]


WORDINGS = msgspec.toml.decode(Path(__file__).with_name("questions.toml").read_bytes(), type=Wordings)
OWN_WORDS = 2  # wordings that name a report by its handle; the third uses its number


def names(document: Document) -> Iterator[tuple[int, str]]:
    """Yield the number of a wording and how it calls the report."""
    yield from ((number, document.handle) for number in range(1, OWN_WORDS + 1))
    if document.paraphrase:
        yield OWN_WORDS + 1, document.paraphrase


def worded(ask: str, wording: int, report: str) -> str:
    """Question with the report that it is asked of: in front, or behind."""
    if wording == OWN_WORDS:
        return f"{ask.rstrip('?')}, according to {report}?"
    return f"According to {report}, {ask[0].lower()}{ask[1:]}"


def in_all(ask: str) -> list[str]:
    """Question in all wordings, with a place for the report in each."""
    return [worded(ask, wording, "{report}") for wording in range(1, OWN_WORDS + 2)]


def unsaid(document: Document) -> Iterator[Question]:
    """Yield what a report could say of a thing that it names and does not; of one thing and topic."""
    texts = {thing: near(thing, document.text) for thing in things(document.text)}
    for topic, silence in sorted(WORDINGS.unsaid.items(), key=lambda pair: _drawn(document.id, pair[0])):
        pattern = "|".join(silence.patterns)
        of_sort = [thing for thing in texts if thing.sort == silence.thing]
        if fitting := [each for each in of_sort if not re.search(pattern, texts[each], re.IGNORECASE)]:
            thing = min(fitting, key=lambda each: _drawn(topic, each.name))
            texts_of_thing = [each.replace("{thing}", f"the {thing.name}") for each in silence.ask]
            about = msgspec.structs.replace(silence, patterns=apart(thing, pattern), ask=texts_of_thing)
            yield from ask_silence(document, topic, about, "document")
            return


def strange(document: Document) -> Iterator[Question]:
    """Yield laws, agencies and programs of which no report speaks, asked about as the grammar asks of others."""
    for sort, strangers in WORDINGS.strangers.items():
        for name, (ask, kind, unit) in zip(strangers, cycle(WORDINGS.strange[sort]), strict=False):
            texts = in_all(ask.replace("{thing}", f"the {name}"))
            yield from ask_silence(document, name, Silence([re.escape(name)], texts, kind, unit), "corpus")


def _drawn(*words: str) -> str:
    return sha256("|".join(words).encode()).hexdigest()


def ask_silence(document: Document, topic: str, silence: Silence, scope: Scope) -> Iterator[Question]:
    """Yield a silence; whether the text is silent indeed is tested when the question is picked."""
    kind, unit = silence.kind, silence.unit
    precision = silence.precision or ("year" if kind == "date" else "")
    for wording, report in names(document):
        text = silence.ask[wording - 1].format(report=report)
        question = unanswered(text, kind, document.id, topic, wording, unit=unit, precision=precision)
        yield recipes.silent(question, silence.patterns, scope)
