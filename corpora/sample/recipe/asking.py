"""Words questions about the sample documents, as ``questions.toml`` has them; spells answers as they do."""

from __future__ import annotations

import re
from calendar import month_name
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path

import msgspec

from ragharness.corpus.loading import Corpus
from ragharness.records import Evidence, Kind, Question
from ragquestions.candidates import unanswered
from ragquestions.recipes import Fact


class Topic(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How a yes/no topic is asked about."""

    proposition: str
    positive: list[str]
    negative: list[str]
    silence: list[str] = []


class Absent(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A topic on which a document, or the whole corpus, is silent."""

    patterns: list[str]
    ask: list[str] = []
    kind: Kind = "number"
    proposition: str = ""


class Premise(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A question that takes for granted what a document with this answer denies."""

    when: str
    patterns: list[str]
    ask: list[str]
    kind: Kind = "number"
    tempt: str = ""


class Wordings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """``questions.toml``."""

    topics: dict[str, Topic]
    values: dict[str, list[str]]
    unasked: dict[str, dict[str, Absent]]
    unsaid: dict[str, dict[str, Absent]]
    premises: dict[str, Premise]
    borrowed: dict[str, list[str]]
    neighbours: dict[str, str]
    twins: dict[str, list[str]]
    twin_reports: dict[str, tuple[str, str, str]]


class Book:
    """The corpus with what the recipe looks up again and again."""

    def __init__(self, corpus: Corpus, facts: Sequence[Fact]) -> None:
        self.wordings = load_wordings()
        self.documents = {each.id: each for each in corpus.documents}
        self.facts: dict[str, dict[str, Fact]] = defaultdict(dict)
        for fact in facts:
            self.facts[fact.document][fact.topic] = fact
        self.usual = Counter((fact.topic, fact.answers) for fact in facts if fact.kind == "yesno")
        pairs = self.wordings.neighbours
        self.neighbour = {**pairs, **{other: one for one, other in pairs.items()}}

    def details(self, document: str) -> dict[str, str]:
        """Names that wordings about a document may use."""
        return next((fact.details for fact in self.facts[document].values() if fact.details), {})

    def excerpt(self, span: Evidence) -> str:
        """Text of a span."""
        return self.documents[span.document].text[span.start : span.end]

    def names(self, document: str) -> Iterator[tuple[int, str]]:
        """Yield the number of a wording and how it calls the document: by its handle or paraphrase."""
        each = self.documents[document]
        yield from ((1, each.handle), (2, each.handle), (3, each.paraphrase))


@cache
def load_wordings() -> Wordings:
    """Content of ``questions.toml``."""
    return msgspec.toml.decode(Path(__file__).with_name("questions.toml").read_bytes(), type=Wordings)


def asked_topic(book: Book, document: str, topic: str) -> Iterator[Question]:
    """Yield a yes/no topic in both forms and all wordings, without an answer."""
    told = book.wordings.topics[topic]
    for texts, yes_means in ((told.positive, True), (told.negative, False)):
        for wording, name in book.names(document):
            text = texts[wording - 1].format(name=name, **book.details(document))
            yield msgspec.structs.replace(
                unanswered(text, "yesno", document, topic, wording),
                form="positive" if yes_means else "negative",
                proposition=told.proposition,
                yes_means=yes_means,
            )


def asked_silence(book: Book, document: str, topic: str) -> Iterator[Question]:
    """Yield the wordings of a yes/no topic that can be asked of a document without it.

    To "Does the report say ...?" the answer would be no. Of an agreement nothing is asked: where it neither
    allows nor forbids a thing, the thing is allowed, or the general duty of secrecy covers it.
    """
    if document.startswith("nda"):
        return iter(())
    return (each for each in asked_topic(book, document, topic) if not each.text.startswith("Does "))


def asked_value(book: Book, fact: Fact, document: str, topic: str) -> Iterator[Question]:
    """Yield the question for a fact's value in all wordings, asked of a document, without an answer."""
    values = book.wordings.values
    if fact.topic == "event":
        texts = values["event"]
    elif "ask" in fact.details:
        texts = values["finding"]
    elif "line" in fact.details:
        texts = values["ratio" if fact.unit == "percent" else "line"]
    else:
        texts = values[fact.topic]
    details = dict(fact.details)
    if "ask" in details:
        details["Ask"] = details["ask"][0].upper() + details["ask"][1:]
    for wording, name in book.names(document):
        text, precision = texts[wording - 1].format(**{**details, "name": name}), fact.date_precision
        yield unanswered(text, fact.kind, document, topic, wording, unit=fact.unit, precision=precision)


_LEADING = re.compile(r"^(?:the )?(?:State|Commonwealth|city) of |^(?:Dr\.|Prof\.|Ing\.|Dr\.-Ing\.) |^the ")


def aliases(fact: Fact) -> dict[str, tuple[str, ...]]:
    """Shorter spellings of text and list answers that mean the same in the document."""
    if fact.kind not in {"text", "list"}:
        return {}
    found: dict[str, tuple[str, ...]] = {}
    for answer in fact.answers:
        short = {_LEADING.sub("", answer)}
        if fact.topic == "seat":
            short.add(answer.split(",")[0])
        if fact.topic == "committee":
            short.add(answer.split(" ", 1)[1])
        short |= set(fact.details.get("also", answer).split(" / "))
        if answer == "England and Wales":
            short |= {"English law", "law of England"}
        if short - {answer}:
            found[answer] = tuple(sorted(short - {answer}))
    return found


_ONES = (
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
    "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen",
)  # fmt: skip
_TENS = ("", "", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")

_UNITS = {
    "percent": r" per ?cent",
    "years": r"(?: \(\d+\))? years?",
    "months": r"(?: \(\d+\))? months?",
    "days": " days",
}


def spellings(fact: Fact) -> list[str]:
    """Regular expressions for the ways in which the sample documents write the fact's answers."""
    if fact.kind == "date":
        return [_date_pattern(answer) for answer in fact.answers]
    if fact.kind != "number":
        return [rf"\b{re.escape(_LEADING.sub('', answer))}\b" for answer in fact.answers]
    return [_number_pattern(answer, fact.unit) for answer in fact.answers]


def in_unit(value: str, unit: str, wanted: str) -> str:
    """Value in another unit of time; empty where the units do not compare."""
    if unit == wanted:
        return value
    if (unit, wanted) == ("years", "months"):
        return str(int(value) * 12)
    return f"{int(value) / 12:g}" if (unit, wanted) == ("months", "years") else ""


def _number_pattern(answer: str, unit: str) -> str:
    whole, _, decimals = answer.partition(".")
    value = float(answer)
    forms = {answer, f"{int(whole):,}" + (f".{decimals}" if decimals else "")}
    if not decimals and value < 100:
        forms.add(_spelled(int(whole)))
    if unit == "USD million" and value >= 1000:
        forms.add(f"{value / 1000:g} billion")
    if unit == "" and value >= 100_000:
        forms.add(f"{value / 1_000_000:g} million")
    tail = _UNITS.get(unit, r"(?![\d.,]*\d)")
    return rf"(?<![\d.,$-])\$?(?:{'|'.join(map(re.escape, sorted(forms)))}){tail}"


def _spelled(number: int) -> str:
    tens, ones = divmod(number, 10)
    if number < len(_ONES):
        return _ONES[number]
    return _TENS[tens] + (f"-{_ONES[ones]}" if ones else "")


def _date_pattern(iso: str) -> str:
    if len(iso) == 4:  # a year
        return rf"\b{iso}\b"
    year, month, day = iso.split("-")
    name = month_name[int(month)]
    return rf"\b(?:{name} {int(day)}, {year}|{int(day)} {name} {year})\b"
