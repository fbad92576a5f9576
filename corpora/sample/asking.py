"""Words questions about the sample documents, as ``questions.toml`` has them."""

from __future__ import annotations

import sys
from collections import Counter, defaultdict
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from ragharness.records import Kind, Question

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ragharness.corpus import Corpus
    from ragharness.records import Evidence, Fact


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

    def __init__(self, corpus: Corpus) -> None:
        self.wordings = load_wordings()
        self.documents = {each.id: each for each in corpus.documents}
        self.facts: dict[str, dict[str, Fact]] = defaultdict(dict)
        for fact in corpus.facts:
            self.facts[fact.document][fact.topic] = fact
        self.usual = Counter((fact.topic, fact.answers) for fact in corpus.facts if fact.kind == "yesno")
        pairs = self.wordings.neighbours
        self.neighbour = {**pairs, **{other: one for one, other in pairs.items()}}

    def details(self, document: str) -> dict[str, str]:
        """Return the names that wordings about a document may use."""
        return next((fact.details for fact in self.facts[document].values() if fact.details), {})

    def excerpt(self, span: Evidence) -> str:
        """Return the text of a span."""
        return self.documents[span.document].text[span.start : span.end]

    def names(self, document: str) -> Iterator[tuple[int, str]]:
        """Yield the number of a wording and how it calls the document: by its handle or paraphrase."""
        each = self.documents[document]
        yield from ((1, each.handle), (2, each.handle), (3, each.paraphrase))


@cache
def load_wordings() -> Wordings:
    """Return the content of ``questions.toml``."""
    text = Path(__file__).with_name("questions.toml").read_text(encoding="utf-8")
    return msgspec.convert(tomllib.loads(text), Wordings)


def asked_topic(book: Book, document: str, topic: str) -> Iterator[Question]:
    """Yield a yes/no topic in both forms and all wordings, without an answer."""
    told = book.wordings.topics[topic]
    for form, texts, yes_means in (("positive", told.positive, True), ("negative", told.negative, False)):
        for wording, name in book.names(document):
            yield Question(
                id="",
                text=texts[wording - 1].format(name=name, **book.details(document)),
                stratum="grounded",
                kind="yesno",
                answerable=False,
                document=document,
                topic=topic,
                form="positive" if form == "positive" else "negative",
                wording=wording,
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
        yield Question(
            id="",
            text=texts[wording - 1].format(**{**details, "name": name}),
            stratum="grounded",
            kind=fact.kind,
            answerable=False,
            document=document,
            topic=topic,
            wording=wording,
            unit=fact.unit,
            date_precision=fact.date_precision,
        )
