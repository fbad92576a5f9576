"""One question whole: what was asked, what was found, what was answered, and why it was judged so."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragharness.reports import words
from ragharness.reports.text import clean, labelled, milliseconds, one_line, paragraph

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from ragharness.corpus import Corpus
    from ragharness.records import Evidence, Passage, Question, Record, Retrieved, Verdict

_LABEL = 11
_BODY = " " * _LABEL


def show_question(
    question: Question,
    record: Record | None,
    *,
    corpus: Corpus | None = None,
    passages: Mapping[str, Passage] | None = None,
    gold: Collection[str] = (),
    width: int = 80,
) -> str:
    """Return everything about one question of a run as plain text, ending with a line break.

    ``gold`` are the ids of passages that hold gold evidence. Without a corpus the texts are left out.
    """
    parts = [_asked(question, record, width), _gold(question, corpus, width)]
    if record is None:
        parts.append(_field("answer", "not asked yet", width))
    else:
        parts += [
            _retrieved(record, passages or {}, gold, width),
            _answer(record, width),
            _verdict(question, record, width),
        ]
    return "\n\n".join("\n".join(part) for part in parts if part) + "\n"


def _field(label: str, text: str, width: int) -> list[str]:
    return labelled(label, text, width, _LABEL)


def _asked(question: Question, record: Record | None, width: int) -> list[str]:
    row, out = words.ROW_NAMES[question.row], ""
    if record is not None:
        bucket = record.verdict.bucket if record.verdict else None
        out = f"came out {bucket or record.status.replace('_', ' ')}, "
    wish = "an answer" if question.wanted == "correct" else "a refusal"
    return [
        f"{clean(question.id)}   built for {row}, {out}wanted {wish}",
        *_field("", words.BUILT_FOR[question.row], width),
        "",
        *_field("question", question.text, width),
    ]


def _gold(question: Question, corpus: Corpus | None, width: int) -> list[str]:
    lines = _field("gold", _answers(question), width)
    if question.withheld:
        lines += _field("", f"withheld from the index: the {question.withheld}", width)
    for distractor in question.distractors:
        about = f" ({distractor.about})" if distractor.about else ""
        lines += _field("distractor", f"{distractor.value}{about}", width)
    if question.world_answers:
        lines += _field("world", "right outside the corpus: " + "; ".join(question.world_answers), width)
    if question.absence_patterns:
        where = question.absence_scope or "corpus"
        lines += _field("absent", f"no hit in the {where}: {'  '.join(question.absence_patterns)}", width)
    for span in question.evidence:
        lines += _evidence(span, corpus, width)
    return lines


def _answers(question: Question) -> str:
    if not question.answers:
        return "none: nothing states it"
    joint = " and " if question.kind == "list" else " or "
    unit = f" {question.unit}" if question.unit else ""
    text = joint.join(question.answers) + unit
    if question.proposition:
        holds = (question.answers[0] == "yes") == question.yes_means
        text += f" (this {'holds' if holds else 'does not hold'}: {question.proposition})"
    return text


def _evidence(span: Evidence, corpus: Corpus | None, width: int) -> list[str]:
    place = f"{span.document} characters {span.start}-{span.end}"
    if corpus is None:
        return _field("evidence", place, width)
    document = corpus.document(span.document)
    head = _field("evidence", f"{place} of {document.title}", width)
    return [*head, *paragraph(document.text[span.start : span.end], width, _BODY + "| ")]


def _retrieved(
    record: Record, passages: Mapping[str, Passage], gold: Collection[str], width: int
) -> list[str]:
    if not record.retrieved:
        return _field("retrieved", "nothing", width)
    own = {passage.id: passage for passage in (record.answer and record.answer.passages) or ()}
    cited = record.cited
    lines = []
    for rank, hit in enumerate(record.retrieved, start=1):
        label = "retrieved" if rank == 1 else ""
        lines += _passage(
            label, rank, hit, own.get(hit.id) or passages.get(hit.id), hit.id in gold, cited, width
        )
    missing = sorted(cited - {hit.id for hit in record.retrieved})
    if missing:
        lines += _field("", f"cited, but not retrieved: {', '.join(missing)}", width)
    return lines


def _passage(
    label: str,
    rank: int,
    hit: Retrieved,
    passage: Passage | None,
    is_gold: bool,
    cited: Collection[str],
    width: int,
) -> list[str]:
    marks = [name for name, holds in (("GOLD", is_gold), ("CITED", hit.id in cited)) if holds]
    head = f"{label:<{_LABEL}}{rank:>2}  {hit.score:>8.3f}  {'  '.join([clean(hit.id), *marks])}"
    room = width - len(head) - 2
    if passage and passage.title and room > 10:
        head += f"  {one_line(passage.title, room)}"
    return [head, *(paragraph(passage.text, width, _BODY + "| ") if passage else [])]


def _answer(record: Record, width: int) -> list[str]:
    if record.failure:
        lines = _field("failed", f"{record.failure.type}: {record.failure.message}", width)
    else:
        lines = []
    if record.answer is not None:
        lines += _field("answer", record.answer.text or "(empty)", width)
        if record.answer.citations is not None:
            lines += _field(
                "", f"citations given apart: {', '.join(record.answer.citations) or 'none'}", width
            )
        if record.answer.confidence is not None:
            lines += _field("", f"confidence {record.answer.confidence:g}", width)
    for problem in record.problems:
        lines += _field("problem", problem, width)
    return [*lines, *_field("took", milliseconds(record.seconds), width)]


def _verdict(question: Question, record: Record, width: int) -> list[str]:
    verdict = record.verdict
    if verdict is None:
        return _field("verdict", f"none: {record.status.replace('_', ' ')}", width)
    rule = f", rule {verdict.decided_by} of the decision table" if verdict.decided_by >= 0 else ""
    outcome = verdict.bucket or f"not graded ({verdict.status.replace('_', ' ')})"
    lines = _field("verdict", f"{outcome}, {verdict.reason}{rule}, by {verdict.grader or 'no grader'}", width)
    if verdict.why:
        lines += _field("why", verdict.why, width)
    lines += _field("read as", _reading(question, verdict), width)
    lines += _field("axes", _axes(verdict), width)
    if verdict.flags:
        lines += _field("flags", ", ".join(verdict.flags), width)
    return lines


def _reading(question: Question, verdict: Verdict) -> str:
    value = f"commits to {verdict.value!r}; " if verdict.value else ""
    found = "its evidence was retrieved" if verdict.evidence_retrieved else "its evidence was not retrieved"
    return (
        f"{value}match with the gold: {verdict.match}; {found if question.evidence else 'it has no evidence'}"
    )


def _axes(verdict: Verdict) -> str:
    return "; ".join(
        f"{name} {'n/a' if value is None else value}"
        for name, value in (
            ("citation exists", verdict.citation_exists),
            ("citation supports", verdict.citation_supports),
            ("uncited claims", verdict.extra_claim_count),
            ("refusal quality", verdict.refusal_quality),
        )
    )
