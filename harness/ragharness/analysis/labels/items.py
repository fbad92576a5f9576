"""One answer as an annotator sees it: question, gold, evidence in context, answer; never the verdict."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from msgspec import Struct

from ragharness.language.markup import mark
from ragharness.records import Evidence, Passage, Question, Record
from ragharness.runner.grading import GradingContext

_CONTEXT = 320
"""Characters of a document on either side of its gold evidence."""

_BRACKET = re.compile(r"\[{1,2}[^\[\]\n]{1,300}\]{1,2}")

Spans = list["Piece"]


class Piece(Struct, frozen=True, omit_defaults=True):
    """A piece of a text: plain, gold evidence, or a citation of some passages."""

    text: str
    gold: bool = False
    cites: tuple[str, ...] = ()


class Shown(Struct, frozen=True, omit_defaults=True):
    """A text with its marks: a passage that the pipeline was given, or gold evidence in its document."""

    name: str
    title: str
    text: Spans
    cited: bool = False
    gold: bool = False
    """Of a passage: it holds gold evidence; of evidence: it was among the passages given."""


class Item(Struct, frozen=True, kw_only=True):
    """What is shown of one answer."""

    question: str
    epoch: int
    asked: str
    gold: str
    notes: list[str]
    """What else the question set knows: tempting answers, what was withheld."""
    answer: Spans
    passages: list[Shown]
    evidence: list[Shown]


def item_of(record: Record, grading: GradingContext) -> Item:
    """Return what is shown of one answer; nothing of it comes from the verdict."""
    question = grading.question_of(record)
    passages = grading.passages_of(record)
    answer = record.answer.text if record.answer else ""
    apart = (record.answer and record.answer.citations) or ()
    told = _pieces(answer, [passage.id for passage in passages])
    cited = {name for piece in told for name in piece.cites} | set(apart)
    given = grading.evidence.found(question, passages)
    supporting = grading.evidence.supporting(question, passages)
    return Item(
        question=question.id,
        epoch=record.epoch,
        asked=question.text,
        gold=_gold(question),
        notes=[*_notes(question), *([f"cited apart: {', '.join(apart)}"] if apart else [])],
        answer=told,
        passages=[
            Shown(
                each.id,
                each.title,
                _marked(each, question.evidence, grading),
                each.id in cited,
                each.id in supporting,
            )
            for each in passages
        ],
        evidence=[
            _evidence(span, found, grading) for span, found in zip(question.evidence, given, strict=True)
        ],
    )


def _gold(question: Question) -> str:
    if not question.answers:
        return "None: the documents do not state it."
    unit = f" {question.unit}" if question.unit else ""
    text = (" and " if question.kind == "list" else " or ").join(question.answers) + unit
    if question.proposition:
        holds = (question.answers[0] == "yes") == question.yes_means
        text += f", which {'affirms' if holds else 'denies'}: {question.proposition}"
    return text


def _notes(question: Question) -> list[str]:
    notes = [
        f"tempting: {each.value}" + (f" ({each.about})" if each.about else "")
        for each in question.distractors
    ]
    if question.world_answers:
        notes.append(f"true, but not in the documents: {'; '.join(question.world_answers)}")
    if question.withheld:
        notes.append(f"the {question.withheld} with the evidence was withheld from the pipeline")
    if question.stratum == "null_retrieval":
        notes.append("the pipeline was given no passages")
    return notes


def _pieces(answer: str, known: Sequence[str]) -> Spans:
    """Return an answer in pieces, its citation marks apart."""
    found: Spans = []
    end = 0
    for bracket in _BRACKET.finditer(answer):
        if ids := mark(bracket[0], known).ids:
            found += [Piece(answer[end : bracket.start()]), Piece(bracket[0], cites=ids)]
            end = bracket.end()
    return [piece for piece in (*found, Piece(answer[end:])) if piece.text]


def _marked(passage: Passage, evidence: Iterable[Evidence], grading: GradingContext) -> Spans:
    """Return a passage with its gold evidence marked, where it is a piece of the document as it stands."""
    corpus = grading.corpus
    document = corpus.document(passage.document).text if passage.document else ""
    if document[passage.start : passage.end] != passage.text:
        return [Piece(passage.text)]
    same = corpus.canonical(passage.document)
    spans = [
        (max(0, each.start - passage.start), min(len(passage.text), each.end - passage.start))
        for each in evidence
        if corpus.canonical(each.document) == same and each.start < passage.end and passage.start < each.end
    ]
    return _highlighted(passage.text, spans)


def _evidence(span: Evidence, given: bool, grading: GradingContext) -> Shown:
    document = grading.corpus.document(span.document)
    text, first, last = document.text, max(0, span.start - _CONTEXT), span.end + _CONTEXT
    # Words stay whole.
    before = text[first : span.start].partition(" ")[2] if first else text[: span.start]
    after = text[span.end : last].rpartition(" ")[0] if last < len(text) else text[span.end :]
    pieces = [
        Piece(f"… {before}" if first else before),
        Piece(text[span.start : span.end], gold=True),
        Piece(f"{after} …" if last < len(text) else after),
    ]
    return Shown(span.document, document.title, [each for each in pieces if each.text], gold=given)


def _highlighted(text: str, spans: Iterable[tuple[int, int]]) -> Spans:
    found: Spans = []
    end = 0
    for start, stop in sorted(spans):
        start = max(start, end)  # noqa: PLW2901 (evidence may overlap)
        if start < stop:
            found += [Piece(text[end:start]), Piece(text[start:stop], gold=True)]
            end = stop
    return [piece for piece in (*found, Piece(text[end:])) if piece.text]
