"""Further statements become evidence, or the question is not asked; what is withheld is gone."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from ragharness.corpus.loading import load_corpus
from ragharness.records import Evidence, Question
from ragquestions.corpus_index import Completion, CorpusIndex

FILLER = "The board met in the old customs house and spoke of many other matters at length. " * 12
ACT = "The Harbor Act provided $18.8 million for repairs of quays in 2021."
AGAIN = "In 2021 the Harbor Act provided $18.8 million for the repairs of quays."
EXACT = "Provided by the Harbor Act for repairs of quays in 2021, in thousands | 18,809 |"
MAYBE = "Repairs came to $18.8 million, said the chair."


def asked(tmp_path: Path, *more: str, **other: Any) -> tuple[Completion, Question]:
    """Return a corpus of one document that states the answer, and then something more, and the question."""
    text = f"\n\n{FILLER}\n\n".join((ACT, *more, "The end."))
    (tmp_path / "harbor.txt").write_text(text, encoding="utf-8")
    index = CorpusIndex(load_corpus(str(tmp_path)))
    (document,) = index.corpus.documents
    start = document.text.index(ACT)
    question = Question(
        id="q",
        stratum="grounded",
        answerable=True,
        document=document.id,
        text="How much did the Harbor Act provide for repairs of quays?",
        kind="number",
        answers=("18.8",),
        unit="USD million",
        evidence=(Evidence(document.id, start, start + len(ACT)),),
        **{"target": "correct", **other},
    )
    return index.completion, question


def test_what_says_the_same_becomes_evidence(tmp_path: Path) -> None:
    completion, question = asked(tmp_path, AGAIN)
    whole = completion.completed(question)
    assert whole is not None
    text = completion.corpus.documents[0].text
    assert [text[span.start : span.end] for span in whole.evidence] == [ACT, AGAIN]


def test_the_version_of_another_name_is_no_evidence(tmp_path: Path) -> None:
    told = "UPLOAD_USER\n\nAdded in version 2.17.0"
    completion, question = asked(tmp_path, told, told.replace("UPLOAD_USER", "RETRY_LEVEL"))
    start = completion.corpus.documents[0].text.index(told)
    of_version = {"kind": "text", "text": "In which version was UPLOAD_USER added?", "answers": ("2.17.0",)}
    span = Evidence(question.document, start, start + len(told))
    whole = completion.completed(replace(question, evidence=(span,), unit="", **of_version))
    assert whole is not None
    assert whole.evidence == (span,)


def test_a_more_exact_figure_is_accepted(tmp_path: Path) -> None:
    completion, question = asked(tmp_path, EXACT)
    whole = completion.completed(question)
    assert whole is not None
    assert whole.answers == ("18.8", "18.809")


def test_a_question_whose_answer_may_stand_elsewhere_is_not_asked(tmp_path: Path) -> None:
    completion, question = asked(tmp_path, MAYBE)
    assert completion.elsewhere(question)
    assert completion.completed(question) is None


def test_a_question_that_nothing_else_answers_stays_as_it_is(tmp_path: Path) -> None:
    completion, question = asked(tmp_path)
    assert completion.completed(question) == question


@pytest.mark.parametrize(("more", "gone"), [((), True), ((MAYBE,), False)])
def test_a_withheld_answer_is_gone_or_the_question_is_not_asked(
    more: tuple[str, ...], gone: bool, tmp_path: Path
) -> None:
    completion, question = asked(tmp_path, *more, target="unsupported", withheld="clause")
    assert (completion.left(question) == "") is gone
    assert (completion.completed(question) is not None) is gone
