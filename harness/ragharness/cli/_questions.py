"""The output of ``ragharness questions``: sets, findings and questions as lines of text or JSON values."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from ragharness.analysis.scores import ROW_NAMES
from ragharness.errors import UnknownName
from ragharness.records import ROWS, Question
from ragharness.reports.text import aligned, labelled, one_line, paragraph

if TYPE_CHECKING:
    from ragharness.corpus.loading import Corpus
    from ragharness.questions.questionset import QuestionSet

_LABEL = 12


def set_facts(questions: QuestionSet) -> dict[str, Any]:
    """Set as a JSON value."""
    return {
        "corpus": questions.corpus,
        "split": questions.split,
        "corpus_hash": questions.corpus_hash,
        "seed": questions.seed,
        "asked_for": questions.size,
        "hash": questions.hash,
        "frozen": questions.frozen,
        "notes": list(questions.notes),
        "rows": _rows(questions),
        "questions": [question_facts(question) for question in questions.questions],
    }


def set_content(questions: QuestionSet, path: Path) -> bytes:
    """Set as a file holds it: as a table where its name ends in .parquet, else as JSON Lines."""
    if path.suffix != ".parquet":
        return questions.lines
    from ragharness.reports.formats.parquet import questions_parquet

    return questions_parquet(questions.questions)


def question_facts(question: Question) -> dict[str, Any]:
    """One question as a JSON value, with its row and the bucket it is built for."""
    facts: dict[str, Any] = msgspec.to_builtins(question)
    return {**facts, "row": question.row, "wanted": question.wanted}


def set_lines(questions: QuestionSet, width: int) -> list[str]:
    """What a set is and how many questions each row has."""
    name = f"{questions.corpus} {questions.split}".rstrip()
    topics = {
        row: len({question.topic for question in questions.questions if question.row == row}) for row in ROWS
    }
    cells = [("ROW", "QUESTIONS", "TOPICS")]
    cells += [(row, str(count), str(topics[row])) for row, count in _rows(questions).items()]
    head = f"{name}: {len(questions.questions)} questions, seed {questions.seed}, hash {questions.hash[:12]}"
    return [
        *paragraph(head, width),
        *(line for note in questions.notes for line in labelled("note:", note, width, 6)),
        "",
        *aligned(cells),
    ]


def table(questions: QuestionSet, width: int) -> list[str]:
    """Each question with its id, type and gold answer, its text below."""
    rows = [
        (
            question.id,
            ROW_NAMES[question.row] + (f" ({question.withheld})" if question.withheld else ""),
            _gold(question),
        )
        for question in questions.questions
    ]
    head, *lines = aligned([("ID", "TYPE", "GOLD"), *rows], left=range(3))
    texts = (paragraph(question.text, width, "      ") for question in questions.questions)
    return [head, *(line for name, text in zip(lines, texts, strict=True) for line in (name, *text))]


def pick(questions: QuestionSet, wanted: str) -> Question:
    """Question with that id; raises UnknownName with the nearest ids."""
    try:
        return questions.by_id[wanted]
    except KeyError:
        raise UnknownName("question", wanted, questions.by_id, help="ragharness questions show") from None


def question_lines(question: Question, corpus: Corpus | None, width: int) -> list[str]:
    """One question whole; the text of its evidence too when the corpus is on this machine."""
    rows = [
        ("id", question.id),
        ("question", question.text),
        ("row", question.row),
        ("wanted", question.wanted),
        ("gold", " or ".join(question.answers)),
        ("proposition", question.proposition),
        ("yes means", "" if not question.proposition else "so" if question.yes_means else "not so"),
        ("document", _titled(question.document, corpus)),
        ("topic", question.topic),
        ("withheld", question.withheld),
        ("note", question.note),
    ]
    rows += [("tempting", f"{distractor.value}: {distractor.about}") for distractor in question.distractors]
    if question.absence_patterns:
        rows.append(("no hit in", f"the {question.absence_scope}: " + "  ".join(question.absence_patterns)))
    lines = [line for label, value in rows if value for line in labelled(label, value, width, _LABEL)]
    for span in question.evidence:
        lines += ["", f"evidence    {span.document} {span.start}-{span.end}"]
        if corpus is not None:
            text = corpus.document(span.document).text[span.start : span.end]
            lines += paragraph(" ".join(text.split()), width, "  ")
    return lines


def _rows(questions: QuestionSet) -> dict[str, int]:
    counts = Counter(question.row for question in questions.questions)
    return {row: counts[row] for row in ROWS}


def _gold(question: Question) -> str:
    return one_line(" or ".join(question.answers))[:12] if question.answers else "-"


def _titled(document: str, corpus: Corpus | None) -> str:
    if not document or corpus is None:
        return document
    return f"{document} {corpus.document(document).title}"
