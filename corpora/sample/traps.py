"""Questions that only look answerable: twins, other years, a neighbour's clause, false premises."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date
from typing import TYPE_CHECKING

import msgspec

from ragharness.records import Distractor, Fact, Question
from ragquestions.candidates import Scope, trap, unanswered

from .asking import asked_silence, asked_value

if TYPE_CHECKING:
    from .asking import Book


def traps(book: Book) -> list[Question]:
    """Return every adversarial question; none has an answer in the corpus."""
    return [
        *_premises(book),
        *_borrowed_topics(book),
        *_borrowed_findings(book),
        *_twin_agreements(book),
        *_other_dates(book),
        *_other_years(book),
        *_twin_reports(book),
    ]


def _adversarial(
    question: Question, patterns: list[str], scope: Scope, note: str, *tempting: Fact
) -> Question:
    false = (
        Distractor(fact.answers[0], f"{fact.topic} of {fact.document}", fact.evidence)
        for fact in tempting
        if (fact.kind, fact.unit) == (question.kind, question.unit)
    )
    return trap(question, patterns, scope, note, *false)


def _premises(book: Book) -> Iterator[Question]:
    """Yield questions that take for granted what the document denies."""
    for document, facts in book.facts.items():
        for topic, premise in book.wordings.premises.items():
            if topic not in facts or facts[topic].answers != (premise.when,):
                continue
            tempting = [facts[premise.tempt]] if premise.tempt in facts else []
            for wording, name in book.names(document):
                text = premise.ask[wording - 1].format(**{**book.details(document), "name": name})
                unit = tempting[0].unit if tempting else ""
                question = unanswered(text, premise.kind, document, f"premise-{topic}", wording, unit=unit)
                note = "the document denies the premise"
                yield _adversarial(question, premise.patterns, "document", note, *tempting)


def _borrowed_topics(book: Book) -> Iterator[Question]:
    """Yield clauses that only a document's near neighbour has."""
    for document, neighbour in book.neighbour.items():
        for topic, fact in book.facts[document].items():
            other = book.facts[neighbour].get(topic)
            patterns = book.wordings.topics[topic].silence if topic in book.wordings.topics else []
            if fact.kind == "yesno" and not fact.answers and other and other.answers and patterns:
                for question in asked_silence(book, document, topic):
                    yield _adversarial(
                        question,
                        patterns,
                        "document",
                        f"its neighbour {neighbour} has such a clause, this document has none",
                    )


def _borrowed_findings(book: Book) -> Iterator[Question]:
    """Yield findings of a neighbouring report, asked of the one that does not have them."""
    for document, neighbour in book.neighbour.items():
        own = book.details(document)
        for topic, patterns in book.wordings.borrowed.items():
            fact = book.facts[neighbour].get(topic)
            if fact and topic not in book.facts[document]:
                asked = fact.details["ask"].replace(fact.details["short"], own["short"])
                moved = msgspec.structs.replace(fact, details={**fact.details, "ask": asked})
                for question in asked_value(book, moved, document, f"borrowed-{topic}"):
                    yield _adversarial(question, patterns, "document", f"only {neighbour} says so", fact)


def _renamed(book: Book, fact: Fact, wording: int, name: str, topic: str, **details: str) -> Question:
    """Return one wording of a fact's question about a document that does not exist."""
    moved = msgspec.structs.replace(fact, details={**fact.details, **details})
    asked = list(asked_value(book, moved, fact.document, topic))[wording % 2]
    handle = book.documents[fact.document].handle
    return msgspec.structs.replace(asked, text=asked.text.replace(handle, name), document="", wording=0)


def _genre(book: Book, genre: str) -> list[str]:
    return [document for document in book.documents if document.startswith(genre)]


def _twin_agreements(book: Book) -> Iterator[Question]:
    """Yield agreements between two parties who each signed one, but not with each other."""
    documents = _genre(book, "nda")
    topics = book.wordings.twins["nda"]
    for index, document in enumerate(documents):
        other = documents[(index + 5) % len(documents)]
        one, two = book.details(document)["one"], book.details(other)["two"]
        name = book.documents[document].handle.replace(book.details(document)["two"], two)
        for shift in range(2):
            topic = topics[(index + shift * 3) % len(topics)]
            fact, second = book.facts[document].get(topic), book.facts[other].get(topic)
            if fact and second:
                question = _renamed(book, fact, index + shift, name, "twin-agreement")
                pattern = rf"{re.escape(one)}[^\n]*{re.escape(two)}"
                yield _adversarial(question, [pattern], "corpus", "no such agreement exists", fact, second)


def _other_dates(book: Book) -> Iterator[Question]:
    """Yield the right parties with a date on which they signed nothing."""
    topics = ["governing_law", "term", "survival", "courts"]
    for index, document in enumerate(_genre(book, "nda")):
        signed = date.fromisoformat(book.facts[document]["effective_date"].answers[0])
        wrong = signed.replace(year=signed.year - 3)
        spelled = f"{wrong:%B} {wrong.day}, {wrong.year}"
        patterns = [spelled, f"{wrong.day} {wrong:%B %Y}"]
        fact = book.facts[document][topics[index % len(topics)]]
        name = f"{book.documents[document].handle} dated {spelled}"
        question = _renamed(book, fact, index, name, "other-date")
        yield _adversarial(question, patterns, "corpus", "the agreement of the two bears another date", fact)


def _other_years(book: Book) -> Iterator[Question]:
    """Yield annual reports of a year that the corpus does not have, about figures that it has for others."""
    topics = book.wordings.twins["annual"]
    for index, document in enumerate(_genre(book, "annual")):
        details = book.details(document)
        year = int(details["year"]) - 5 - index % 2
        gap = int(details["end"][-4:]) - int(details["year"])
        end = f"{details['end'][:-4]}{year + gap}"
        fact = book.facts[document][topics[index % len(topics)]]
        name = book.documents[document].handle.replace(details["year"], str(year))
        question = _renamed(book, fact, index, name, "other-year", end=end)
        patterns = [f"fiscal {year}\\b.*{re.escape(details['short'])}", re.escape(end)]
        yield _adversarial(question, patterns, "corpus", "the corpus holds other years only", fact)


def _twin_reports(book: Book) -> Iterator[Question]:
    """Yield reports that do not exist, named much like one that does."""
    for index, (document, (name, topic, pattern)) in enumerate(book.wordings.twin_reports.items()):
        fact = book.facts[document][topic]
        question = _renamed(book, fact, index, name, "twin-report")
        yield _adversarial(question, [pattern], "corpus", "no such report exists", fact)
