"""Decision table: from a reading of an answer to its verdict, that is the bucket and the axes beside it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from ragharness.graders import Grader
from ragharness.records import Answer, Bucket, Opinion, Passage, Question, Reading, Status, Verdict, YesNo


class Row(NamedTuple):
    """Row of the table: the first whose condition holds decides."""

    number: int
    applies: Callable[[Question, Reading], bool]
    bucket: Bucket | None
    reason: Callable[[Question, Reading], str]
    why: str  # a sentence for people; {value}, {gold}, {unreadable} and {status} are filled in


def _always(reason: str) -> Callable[[Question, Reading], str]:
    return lambda _question, _reading: reason


def _withheld(question: Question, reading: Reading) -> bool:
    withheld = bool(question.withheld) or question.stratum == "null_retrieval"
    return withheld and not reading.evidence_retrieved


def _fault(_question: Question, reading: Reading) -> str:
    if reading.imprecise:
        return "IMPRECISE"
    if reading.match == "partial":
        return "INCOMPLETE"
    return "DISTRACTOR" if reading.match == "distractor" else "MISMATCH"


def _citation_fault(_question: Question, reading: Reading) -> str:
    if reading.n_citations == 0 or reading.claim_cited is False:
        return "UNCITED"
    return "PHANTOM_CITATION" if reading.all_cited_retrieved is False else "MISCITED"


TABLE: tuple[Row, ...] = (
    Row(0, lambda q, r: r.status in ("error", "timeout"), None, lambda q, r: r.status.upper(),
        "The pipeline gave no answer ({status})."),
    Row(1, lambda q, r: r.status == "no_answer", None, _always("EMPTY"),
        "The answer holds nothing but blanks, citations or punctuation, or is the text of an unset value."),
    Row(2, lambda q, r: r.status == "needs_review" or bool(r.unreadable), None, _always("UNREADABLE"),
        "The grader cannot read the answer: {unreadable}."),
    Row(3, lambda q, r: not r.committed and r.premise_corrected, "refused", _always("PREMISE_CORRECTED"),
        "It says that what the question takes for granted is not so, and commits to nothing else."),
    Row(4, lambda q, r: not r.committed and r.refusal, "refused", _always("DECLINED"),
        "It declines, or says that the point is not addressed, and commits to no answer."),
    Row(5, lambda q, r: not r.committed and r.clarification, "refused", _always("CLARIFICATION"),
        "It asks what the question means instead of answering."),
    Row(6, lambda q, r: not r.committed, "wrong", _always("NON_RESPONSIVE"),
        "It neither answers nor declines: no value and no word of the question's in it."),
    Row(7, lambda q, r: r.contradiction, "wrong", _always("CONTRADICTION"),
        "It contradicts itself or the passage that it cites ({value})."),
    Row(8, lambda q, r: not q.answerable and r.match == "world", "unsupported", _always("OUTSIDE_KNOWLEDGE"),
        "{value} is right in the world, but the corpus does not state it."),
    Row(9, lambda q, r: not q.answerable and r.match in ("distractor", "mismatch"), "wrong", _fault,
        "The corpus does not answer the question, and {value} is false."),
    Row(10, lambda q, r: not q.answerable, "unsupported", _always("NO_EVIDENCE_IN_CORPUS"),
        "It commits to {value}, and nothing in the corpus decides the question."),
    Row(11, lambda q, r: q.kind == "yesno" and _withheld(q, r), "unsupported",
        _always("EVIDENCE_NOT_RETRIEVED"),
        "It answers {value} although the evidence was kept from it, whatever the right answer is."),
    Row(12, lambda q, r: r.match in ("mismatch", "distractor") or r.imprecise or (
            r.match == "partial" and not r.partial_then_declined), "wrong", _fault,
        "It says {value}; the answer is {gold}."),
    Row(13, lambda q, r: r.partial_then_declined, "refused", _always("PARTIAL_THEN_DECLINED"),
        "It gives part of the list ({value}) and declines the rest."),
    Row(14, lambda q, r: not r.evidence_retrieved, "unsupported", _always("EVIDENCE_NOT_RETRIEVED"),
        "{value} is right, but no gold evidence was retrieved."),
    Row(15, lambda q, r: r.match == "match" and r.any_valid_support, "correct", _always("SUPPORTED"),
        "{value} is right, and one of the first three citations of the claim holds the evidence."),
    Row(16, lambda q, r: True, "unsupported", _citation_fault,
        "{value} is right and its evidence was retrieved, but no citation of the claim holds it."),
)  # fmt: skip


def decide(question: Question, reading: Reading, *, grader: str = "") -> Verdict:
    """Verdict on a reading: the first row of ``TABLE`` that applies, the flags and the axes."""
    row = next(row for row in TABLE if row.applies(question, reading))
    graded = row.bucket is not None
    others = tuple(_opinion(question, other_reading) for other_reading in reading.others)
    flags = _flags(row, question, reading) if graded else tuple(sorted(set(reading.flags)))
    if any(opinion.bucket not in (None, row.bucket) for opinion in others):
        flags = tuple(sorted({*flags, "disagreement"}))
    cited = graded and reading.n_citations > 0
    return Verdict(
        status="needs_review" if row.number == 2 else reading.status,
        bucket=row.bucket,
        reason=row.reason(question, reading),
        flags=flags,
        citation_exists=_yes_no(reading.all_cited_retrieved if cited else None),
        citation_supports=_yes_no(reading.all_cited_support if cited else None),
        refusal_quality=_quality(reading) if row.bucket == "refused" else None,
        extra_claim_count=reading.extra if graded else None,
        match=reading.match if graded else "none",
        evidence_retrieved=reading.evidence_retrieved,
        decided_by=row.number,
        why=_explain(row, question, reading),
        grader=reading.by or grader,
        value=reading.value,
        score=reading.score,
        sentences=reading.sentences,
        others=others,
        axes_by=reading.axes_by,
        judgements=reading.judgements,
    )


def _opinion(question: Question, reading: Reading) -> Opinion:
    verdict = decide(question, reading)
    return Opinion(**{name: getattr(verdict, name) for name in Opinion.__struct_fields__})


def grade(
    grader: Grader,
    question: Question,
    answer: Answer | None,
    retrieved: Sequence[Passage],
    supporting: frozenset[str],
    status: Status = "ok",
) -> Verdict:
    """Read an answer and decide; ``supporting`` are the ids of retrieved passages that hold gold evidence."""
    if answer is None or status != "ok":
        retrieved_evidence = any(passage.id in supporting for passage in retrieved)
        status = "no_answer" if status == "ok" else status
        reading = Reading(status=status, evidence_retrieved=retrieved_evidence)
    else:
        reading = grader.read(question, answer, retrieved, supporting)
    return decide(question, reading, grader=f"{grader.name}@{grader.version}")


def _yes_no(value: bool | None) -> YesNo | None:
    return None if value is None else "yes" if value else "no"


def _flags(row: Row, question: Question, reading: Reading) -> tuple[str, ...]:
    flags = set(reading.flags)
    if reading.committed and reading.refusal and row.number != 13:
        flags.add("hedged")
    if reading.committed and not question.answerable:
        flags.add("under_refusal")
    if question.answerable and not reading.evidence_retrieved:
        flags.add("retrieval_miss")
    if row.number == 4 and question.answerable and reading.evidence_retrieved:
        flags.add("over_refusal")
    if row.number == 5:
        flags.add("clarification")
    return tuple(sorted(flags))


def _quality(reading: Reading) -> int | None:
    """0 to 3: explains why (E), names what there is (K), offers a next step (N), without false urgency."""
    if reading.quality_unknown:
        return None
    explained, nearest, next_step = reading.explained, reading.nearest, reading.next_step
    if explained and nearest and next_step and not reading.urgency:
        return 3
    if explained and (nearest or next_step):
        return 2
    return int(explained or nearest or next_step)


def _explain(row: Row, question: Question, reading: Reading) -> str:
    gold = ", ".join(question.answers[: 1 if question.kind != "list" else None])
    unit = f" {question.unit}" if question.unit and gold else ""
    return row.why.format(
        value=repr(reading.value) if reading.value else "an answer",
        gold=f"{gold}{unit}",
        unreadable=reading.unreadable or "no reason recorded",
        status=reading.status,
    )
