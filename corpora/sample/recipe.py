"""Every question that could be asked about the sample corpus: its facts in our wording, its silences, traps.

``questions.toml`` holds the wordings; ``traps.py`` makes the questions that only look answerable,
``spelling.py`` knows how the documents write an answer.
"""

from __future__ import annotations

import re
import sys
from collections import Counter, defaultdict
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from ragharness import shelf
from ragharness.language.tokens import words
from ragharness.records import Distractor, Document, Evidence, Fact, Kind, Question

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ragharness.corpus import Corpus

VERSION = 2
"""Raised whenever the candidates change; kept with every frozen set."""

HERE = Path(__file__).parent
_SPELLING = shelf.load_module(HERE / "spelling.py")

_EXCEPTION = re.compile(
    r"save that|other than|except|nevertheless|not even|need not|whether or not|without asking|does not waive"
    r"|does not extend|requires notice but no|does not keep .* from|no duty to|so long as",
    re.IGNORECASE,
)
"""Words by which a clause turns its own rule round."""

_SKEWED = 1 / 3
"""An answer is against the usual one when at most this share of the documents gives it."""


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


def candidates(corpus: Corpus) -> list[Question]:
    """Return every question about the sample documents, in all wordings, without ids."""
    book = Book(corpus)
    found: list[Question] = []
    for document, facts in book.facts.items():
        numbers = iter(range(1, 100))
        for fact in facts.values():
            topic = f"finding-{next(numbers)}" if "trap" in fact.details else fact.topic
            found += _stated(book, fact, topic) if fact.answers else _silent(book, fact)
        found += _unsaid(book, document)
        found += _unasked(book, document)
    found += shelf.load_module(HERE / "traps.py").traps(book, asked_value, _asked_silence)
    return [each for each in found if not _gives_itself_away(each)]


@cache
def load_wordings() -> Wordings:
    """Return the content of ``questions.toml``."""
    return msgspec.convert(tomllib.loads((HERE / "questions.toml").read_text(encoding="utf-8")), Wordings)


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


def _asked_silence(book: Book, document: str, topic: str) -> Iterator[Question]:
    """Yield the wordings of a yes/no topic that can be asked of a document without it."""
    return (each for each in asked_topic(book, document, topic) if not _answers_itself(each))


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


def _stated(book: Book, fact: Fact, topic: str) -> Iterator[Question]:
    """Yield a fact as a question to be answered, withheld, and asked of an empty retrieval."""
    yesno = fact.kind == "yesno"
    if yesno:
        asked = asked_topic(book, fact.document, topic)
    else:
        asked = asked_value(book, fact, fact.document, topic)
    distractors = () if yesno else _distractors(book, fact)
    tempting = _temptation(book, fact) if yesno else ""
    ways = [way for way in ("document", "clause") if _may_withhold(book, fact, way)]
    for question in asked:
        answers = fact.answers
        if yesno and not question.yes_means:
            answers = ("no",) if fact.answers == ("yes",) else ("yes",)
        if tempting:
            opposite = "no" if answers == ("yes",) else "yes"
            distractors = (Distractor(opposite, about=tempting),)
        known = msgspec.structs.replace(
            question,
            answerable=True,
            answers=answers,
            aliases=_SPELLING.aliases(fact),
            evidence=fact.evidence,
        )
        yield msgspec.structs.replace(
            known,
            target="wrong" if distractors else "correct",
            distractors=distractors,
            note=f"tempting: {distractors[0].about}" if distractors else "",
        )
        for way in ways:
            yield msgspec.structs.replace(
                known, target="unsupported", withheld="document" if way == "document" else "clause"
            )
        yield msgspec.structs.replace(known, stratum="null_retrieval")


def _temptation(book: Book, fact: Fact) -> str:
    """Return why a careless reader would answer a yes/no question otherwise; empty when nothing misleads."""
    opposite = ("no",) if fact.answers == ("yes",) else ("yes",)
    same, others = book.usual[fact.topic, fact.answers], book.usual[fact.topic, opposite]
    if same <= _SKEWED * (same + others):
        return f"{others} of the {same + others} documents that settle this say otherwise"
    if any(_EXCEPTION.search(book.excerpt(span)) for span in fact.evidence):
        return "part of the clause, read alone, says otherwise"
    return ""


_RIVALS: dict[str, tuple[str, str]] = {
    "term": ("survival", "how long secrecy lasts after the end"),
    "survival": ("term", "how long the agreement itself lasts"),
    "return_days": ("termination_days", "the notice for early termination"),
    "termination_days": ("return_days", "the time to return or destroy material"),
    "oral_days": ("return_days", "the time to return or destroy material"),
    "coordinator_one": ("coordinator_two", "the other party's contact"),
    "coordinator_two": ("coordinator_one", "the other party's contact"),
    "signatory_one": ("signatory_two", "the other party's signatory"),
    "signatory_two": ("signatory_one", "the other party's signatory"),
    "auditor_date": ("event", "the date of the subsequent event"),
    "event": ("auditor_date", "the date of the auditor's report"),
}
"""The fact of the same document that a careless reader takes for another one, and what it is."""


def _distractors(book: Book, fact: Fact) -> tuple[Distractor, ...]:
    """Return false answers near the fact: last year's figure, the next line, the other period."""
    found: list[Distractor] = []
    details, facts = fact.details, book.facts[fact.document]
    if "before" in details:
        period = details.get("end_before") or f"fiscal year {details.get('before_year')}"
        found.append(Distractor(details["before"], f"the figure for {period}", fact.evidence))
    if "neighbour" in details:
        line = details.get("neighbour_line") or details.get("neighbour_row", "")
        found.append(Distractor(details["neighbour"], line, facts[details["neighbour_topic"]].evidence))
    if details.get("trap"):
        other = facts[details["trap"]]
        found += _false(fact, other, f"the answer to: {other.details['ask']}")
    rival, about = _RIVALS.get(fact.topic, ("", ""))
    if rival in facts:
        found += _false(fact, facts[rival], about)
    neighbour = book.neighbour.get(fact.document, "")
    twin = book.facts[neighbour].get(fact.topic) if neighbour else None
    if twin and "before" not in details:
        about = f"the {book.documents[neighbour].handle}"
        if fact.kind == "list":
            found += [Distractor(each, about, twin.evidence) for each in twin.answers]
        else:
            found += _false(fact, twin, about)
    unlike = {each.value: each for each in reversed(found) if each.value not in fact.answers}
    return tuple(reversed(unlike.values()))


def _false(fact: Fact, other: Fact, about: str) -> list[Distractor]:
    """Return another fact's value as a false answer in the fact's own unit, where units compare."""
    value = _SPELLING.in_unit(other.answers[0], other.unit, fact.unit)
    return [Distractor(value, about, other.evidence)] if value else []


def _may_withhold(book: Book, fact: Fact, way: str) -> bool:
    """Whether the answer is gone from the index when the document, or the fact's sentences, are withheld."""
    neighbour = book.neighbour.get(fact.document, "")
    if fact.document.startswith("nda") and neighbour:
        return False
    rest = book.documents[neighbour].text if neighbour else ""
    if fact.kind == "yesno":
        return not neighbour
    if way == "clause":
        rest += _without(book.documents[fact.document], fact)
    return not any(re.search(pattern, rest, re.IGNORECASE) for pattern in _SPELLING.spellings(fact))


def _without(document: Document, fact: Fact) -> str:
    text = document.text
    for span in sorted(fact.evidence, reverse=True):
        text = text[: span.start] + " ... " + text[span.end :]
    return text


def _silent(book: Book, fact: Fact) -> Iterator[Question]:
    """Yield a document's silence on a yes/no topic; the builder tests whether it is silent."""
    patterns = tuple(book.wordings.topics[fact.topic].silence)
    if patterns:
        for asked in _asked_silence(book, fact.document, fact.topic):
            yield msgspec.structs.replace(
                asked, target="refused", absence_patterns=patterns, absence_scope="document"
            )


def _answers_itself(question: Question) -> bool:
    """Whether "no" would be right of a silent document, as of "Does the report say ...?"."""
    return question.text.startswith("Does ")


def _unsaid(book: Book, document: str) -> Iterator[Question]:
    """Yield what other documents of the genre say and this one does not."""
    genre = document.split("-", 1)[0]
    for topic, absent in book.wordings.unsaid[genre].items():
        text = book.documents[document].text
        said = any(re.search(pattern, text, re.IGNORECASE) for pattern in absent.patterns)
        if said or topic in book.facts[document]:
            continue
        for question in _absent(book, document, topic, absent):
            yield msgspec.structs.replace(question, target="refused", absence_scope="document")


def _unasked(book: Book, document: str) -> Iterator[Question]:
    """Yield what nothing in the corpus touches."""
    for topic, absent in book.wordings.unasked[document.split("-", 1)[0]].items():
        for question in _absent(book, document, topic, absent):
            yield msgspec.structs.replace(question, stratum="unanswerable", absence_scope="corpus")


def _absent(book: Book, document: str, topic: str, absent: Absent) -> Iterator[Question]:
    details = {"noun": "recommendations", **book.details(document)}
    if topic == "research":
        details["line"] = "research and development expense"
    texts = absent.ask or book.wordings.values["line" if topic == "research" else topic]
    for wording, name in book.names(document):
        yield Question(
            id="",
            text=texts[wording - 1].format(**{**details, "name": name}),
            stratum="grounded",
            kind=absent.kind,
            answerable=False,
            document=document,
            topic=topic,
            wording=wording,
            proposition=absent.proposition,
            absence_patterns=tuple(absent.patterns),
        )


def _gives_itself_away(question: Question) -> bool:
    """Whether a question contains its answer, as "LAS-23-041" contains the number 23."""
    if question.kind == "yesno":
        return False
    text = f" {' '.join(words(question.text))} "
    return any(f" {' '.join(words(answer))} " in text for answer in question.answers)
