"""Every question that could be asked about the sample corpus: its facts in our wording, its silences, traps.

``asking.py`` words them and knows how the documents write an answer; ``traps.py`` makes the questions that
only look answerable.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

import msgspec

from ragharness.corpus.loading import Corpus
from ragharness.language.words import words
from ragharness.records import Distractor, Document, Fact, Question
from ragquestions.candidates import Scope, silent, unanswered, ways

from .asking import Book, aliases, asked_silence, asked_topic, asked_value, in_unit, spellings
from .traps import traps

if TYPE_CHECKING:
    from .asking import Absent

VERSION = 4
"""Raised whenever the candidates change; kept with every frozen set."""

_EXCEPTION = re.compile(
    r"save that|other than|except|nevertheless|not even|whether or not|without asking|does not waive"
    r"|does not extend|requires notice but no|does not keep .* from|no duty to|so long as",
    re.IGNORECASE,
)
"""Words by which a clause turns its own rule round."""

_SKEWED = 1 / 3
"""An answer is against the usual one when at most this share of the documents gives it."""


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
    found += traps(book)
    return [each for each in found if not _gives_itself_away(each)]


def _stated(book: Book, fact: Fact, topic: str) -> Iterator[Question]:
    """Yield a fact as a question to be answered, withheld, and asked of an empty retrieval."""
    yesno = fact.kind == "yesno"
    if yesno:
        asked = asked_topic(book, fact.document, topic)
    else:
        asked = asked_value(book, fact, fact.document, topic)
    distractors = () if yesno else _distractors(book, fact)
    tempting = _temptation(book, fact) if yesno else ""
    document = _may_withhold(book, fact, "document")
    clause = fact.evidence if _may_withhold(book, fact, "clause") else ()
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
            aliases=aliases(fact),
            evidence=fact.evidence,
        )
        note = f"tempting: {distractors[0].about}" if distractors else ""
        yield from ways(known, false=distractors, note=note, document=document, clause=clause)


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
    value = in_unit(other.answers[0], other.unit, fact.unit)
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
    return not any(re.search(pattern, rest, re.IGNORECASE) for pattern in spellings(fact))


def _without(document: Document, fact: Fact) -> str:
    text = document.text
    for span in sorted(fact.evidence, reverse=True):
        text = text[: span.start] + " ... " + text[span.end :]
    return text


def _silent(book: Book, fact: Fact) -> Iterator[Question]:
    """Yield a document's silence on a yes/no topic; the builder tests whether it is silent."""
    if patterns := book.wordings.topics[fact.topic].silence:
        for asked in asked_silence(book, fact.document, fact.topic):
            yield silent(asked, patterns, "document")


def _unsaid(book: Book, document: str) -> Iterator[Question]:
    """Yield what other documents of the genre say and this one does not."""
    genre = document.split("-", 1)[0]
    for topic, absent in book.wordings.unsaid[genre].items():
        text = book.documents[document].text
        said = any(re.search(pattern, text, re.IGNORECASE) for pattern in absent.patterns)
        if said or topic in book.facts[document]:
            continue
        yield from _absent(book, document, topic, absent, "document")


def _unasked(book: Book, document: str) -> Iterator[Question]:
    """Yield what nothing in the corpus touches."""
    for topic, absent in book.wordings.unasked[document.split("-", 1)[0]].items():
        yield from _absent(book, document, topic, absent, "corpus")


def _absent(book: Book, document: str, topic: str, absent: Absent, scope: Scope) -> Iterator[Question]:
    details = {"noun": "recommendations", **book.details(document)}
    if topic == "research":
        details["line"] = "research and development expense"
    texts = absent.ask or book.wordings.values["line" if topic == "research" else topic]
    for wording, name in book.names(document):
        text = texts[wording - 1].format(**{**details, "name": name})
        asked = unanswered(text, absent.kind, document, topic, wording)
        yield silent(msgspec.structs.replace(asked, proposition=absent.proposition), absent.patterns, scope)


def _gives_itself_away(question: Question) -> bool:
    """Whether a question contains its answer, as "LAS-23-041" contains the number 23."""
    if question.kind == "yesno":
        return False
    text = f" {' '.join(words(question.text))} "
    return any(f" {' '.join(words(answer))} " in text for answer in question.answers)
