"""Fit of questions to a corpus: what makes a set unusable with it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ragharness.corpus.loading import Corpus
from ragharness.errors import UnknownName
from ragharness.language.words import words
from ragharness.questions.questionset import QuestionSet
from ragharness.records import ROWS

_QUOTED = 40
"""Characters of a text that are quoted in a finding."""

_LISTED = 20
"""Lines with the same id or text that are told."""


class Finding(NamedTuple):
    """A property that does not hold; ``question`` is empty when it concerns the whole set."""

    rule: str
    question: str
    message: str


def misfits(questions: QuestionSet, corpus: Corpus) -> list[Finding]:
    """Return what makes a set unusable with a corpus: doubles, unknown rows, documents or spans."""
    return [*_unique(questions), *_rows(questions), *_strangers(questions, corpus)]


def _rows(questions: QuestionSet) -> Iterator[Finding]:
    for each in questions.questions:
        if each.row not in ROWS:
            expected = f"expected a stratum and target of {', '.join(ROWS)}"
            yield Finding("row", each.id, f"{expected}, found {each.row}")


def _strangers(questions: QuestionSet, corpus: Corpus) -> Iterator[Finding]:
    for each in questions.questions:
        for name in sorted({each.document, *(span.document for span in each.evidence)} - {""}):
            try:
                length = len(corpus.document(name).text)
            except UnknownName:
                yield Finding("evidence", each.id, f"expected a document of {corpus.id}, found {name!r}")
                continue
            for span in each.evidence:
                if span.document == name and not 0 <= span.start < span.end <= length:
                    found = f"{span.start}-{span.end} of {length} characters"
                    yield Finding("evidence", each.id, f"expected a span inside {name}, found {found}")


def _unique(questions: QuestionSet) -> Iterator[Finding]:
    """No id or text is missing or there twice."""
    every = questions.questions
    for place, each in zip(_places(questions), every, strict=True):
        if not each.id:
            yield Finding("ids", "", f"expected an id in {_unit(questions)} {place}, found none")
        if not words(each.text):
            yield Finding("texts", each.id, f"expected a question with words, found {each.text[:_QUOTED]!r}")
    yield from _doubles("id", [each.id for each in every], questions)
    yield from _doubles("text", [" ".join(words(each.text)) for each in every], questions)


def _doubles(what: str, keys: Sequence[str], questions: QuestionSet) -> Iterator[Finding]:
    found: dict[str, list[int]] = {}
    for number, key in enumerate(keys):
        found.setdefault(key, []).append(number)
    places = _places(questions)
    for key, numbers in found.items():
        if key and len(numbers) > 1:
            *most, last = [str(places[number]) for number in numbers[:_LISTED]]
            last = last if len(numbers) <= _LISTED else f"{len(numbers) - _LISTED + 1} more"
            told = f"{_unit(questions)}s {', '.join(most)} and {last}"
            first = questions.questions[numbers[0]].id
            yield Finding(f"unique {what}s", first, f"the same {what} stands in {told}")


def _places(questions: QuestionSet) -> Sequence[int]:
    return questions.places or range(1, len(questions.questions) + 1)


def _unit(questions: QuestionSet) -> str:
    return "line" if questions.places else "question"
