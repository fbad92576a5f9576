"""The recipe of every folder of the user's: figures, dates and short definitions of unknown documents.

A statement is worded as a question where the grammar of that is certain, else quoted with a gap; it is asked
about only where nothing else in its document says the same or might be meant instead. What wants a refusal
(``refusals.py``) is something that its document speaks of, and does not say.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from msgspec.structs import replace

from ragharness.language.dates import find_dates
from ragharness.language.tokens import words
from ragharness.questions.asking.dates import iso
from ragharness.questions.folder.facts import AGREEMENT_FORMS
from ragharness.questions.folder.refusals import Refusals
from ragharness.questions.folder.silences import worded
from ragharness.questions.folder.statements import statements
from ragharness.questions.folder.withholding import Withholding
from ragharness.records import Distractor, Evidence, Question

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ragharness.corpus import Corpus
    from ragharness.questions.folder.statements import Statement
    from ragharness.records import Question

VERSION = 8
"""Raised whenever the candidates change; kept with every frozen set."""

NOTE = "Made from your own documents: the questions repeat words of theirs."

PER_QUESTION = 8
"""Statements looked at for one question of the set: enough to choose from, whatever the folder holds."""


def candidates(corpus: Corpus, size: int) -> list[Question]:
    """Return what can be asked for a set of ``size`` questions, in two wordings each."""
    return candidates_about(statements(corpus.documents, PER_QUESTION * size), corpus)


def candidates_about(found: Iterable[Statement], corpus: Corpus) -> list[Question]:
    """Return what can be asked about some statements, and of what the folder lacks."""
    once = (
        each for each in found if not (each.elsewhere and each.asked.left)
    )  # a quotation of two documents
    found = sorted(once, key=lambda each: each.document.id)
    contracts = 3 * sum(each.form in AGREEMENT_FORMS for each in found) > len(found)
    refusals, withholding = Refusals(found, corpus, contracts=contracts), Withholding(corpus)
    questions = [question for each in found for question in _stated(each, withholding)]
    questions += (question for each in found for question in refusals.about(each))
    questions += refusals.of_documents()
    return [each for each in questions if not _tells(each)]


def _stated(statement: Statement, withholding: Withholding) -> Iterator[Question]:
    """Yield a statement as a question to be answered, withheld, and asked of an empty retrieval."""
    document = statement.document
    false = tuple(
        Distractor(value, "another of its kind near by", (Evidence(document.id, start, end),))
        for value, start, end in dict.fromkeys(statement.tempting)
    )
    by_document = not statement.elsewhere and withholding.of_document(statement)
    by_clause = by_document and withholding.of_clause(statement)
    for plain in worded(document, statement.topic, statement.asked):
        known = replace(
            plain,
            answerable=True,
            answers=_spellings(statement),
            evidence=statement.evidence,
        )
        if false:
            note = "tempting: another of its kind near by"
            yield replace(known, target="wrong", distractors=false[:3], note=note)
        yield replace(known, target="correct")
        if by_document:
            yield replace(known, target="unsupported", withheld="document")
        if by_clause:
            yield replace(known, target="unsupported", withheld="clause")
        yield replace(known, stratum="null_retrieval")


def _spellings(statement: Statement) -> tuple[str, ...]:
    """Return an answer as the document writes it, then as others do: 1_000 is 1000, version 3.1 is 3.1.0."""
    answer = statement.asked.answer
    if re.fullmatch(r"\d+(?:_\d{3})+", answer):
        return answer, answer.replace("_", ""), answer.replace("_", ",")
    if statement.form.startswith("version") and re.fullmatch(r"\d+\.\d+", answer):
        return answer, f"{answer}.0"
    return (answer,)


_YEAR = 4


def _tells(question: Question) -> bool:
    """Whether the wording holds the answer, or the false one: in the document's name, say."""
    text = f" {' '.join(words(question.text))} "
    values = (*question.answers, *(each.value for each in question.distractors))
    if any(f" {' '.join(words(each))} " in text for each in values):
        return True
    if question.kind != "date":
        return False
    if any(len(value) > _YEAR and value.replace("-", "") in text for value in values):
        return True  # "10-K 20240928"
    named = [iso(each) for each in find_dates(question.text) if each.year]
    return any(each.startswith(value) for each in named for value in values)
