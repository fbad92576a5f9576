"""Decision table, from a reading to its bucket and axes; labelled cases that graders are checked with."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple, TypeVar, cast

import msgspec
from msgspec.structs import replace

from ragharness.errors import UsageError
from ragharness.graders import Grader
from ragharness.records import (
    Answer,
    Bucket,
    Citations,
    Distractor,
    Opinion,
    Passage,
    Question,
    Reading,
    Status,
    Supports,
    Verdict,
    YesNo,
)

Said = TypeVar("Said", Opinion, Verdict)


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
    withheld = question.withheld or question.stratum == "null_retrieval"
    return bool(withheld) and not reading.evidence_retrieved


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


_DISPUTED = Row(2, lambda q, r: False, None, _always("DISPUTED"), "The graders differ: {unreadable}.")


def decide(question: Question, reading: Reading, *, grader: str = "") -> Verdict:
    """Verdict on a reading: the first row of ``TABLE`` that applies, the flags and the axes."""
    row = next(row for row in TABLE if row.applies(question, reading))
    others = tuple(_opinion(question, other_reading) for other_reading in reading.others)
    against = [view for view in others if reading.confirmed_by and view.grader == reading.confirmed_by]
    if any(opinion.bucket not in (None, row.bucket) for opinion in against):
        own = _opinion(question, replace(reading, others=()))
        sides = (f"{view.grader.partition('@')[0]} says {view.bucket}" for view in (own, *against))
        reasons = [f": {made.reason}" for opinion in against for made in opinion.judgements if made.reason]
        why = "".join([", ".join(sides), *reasons[:1]])
        row, others = _DISPUTED, (own, *others)
        reading = replace(reading, unreadable=why, by="", judgements=())
    graded = row.bucket is not None
    flags = _flags(row, question, reading) if graded else tuple(sorted(set(reading.flags)))
    if any(opinion.bucket not in (None, row.bucket) for opinion in others):
        flags = tuple(sorted({*flags, "disagreement"}))
    cited = graded and reading.n_citations > 0
    supports: Supports | None = "undetermined" if reading.sentences else None
    return Verdict(
        status="needs_review" if row.number == 2 else reading.status,
        bucket=row.bucket,
        reason=row.reason(question, reading),
        flags=flags,
        citation_exists=_yes_no(reading.all_cited_retrieved if cited else None),
        citation_supports=_yes_no(reading.all_cited_support) or supports if cited else None,
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
        members=reading.members,
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
    *,
    citations: Citations = "auto",
) -> Verdict:
    """Read an answer and decide; ``supporting`` are the ids of retrieved passages that hold gold evidence."""
    if answer is None or status != "ok":
        retrieved_evidence = any(passage.id in supporting for passage in retrieved)
        status = "no_answer" if status == "ok" else status
        reading = Reading(status=status, evidence_retrieved=retrieved_evidence)
    else:
        reading = grader.read(question, answer, retrieved, supporting)
    verdict = decide(question, reading, grader=f"{grader.name}@{grader.version}")
    return attributed(verdict, by_retrieval=True) if citations == "retrieved" else verdict


_CITED, _RETRIEVED = TABLE[-1], "RETRIEVED"
_FAULTS = ("UNCITED", "PHANTOM_CITATION", "MISCITED")


def attributed(verdict: Verdict, *, by_retrieval: bool) -> Verdict:
    """Verdict where what was retrieved supports a right answer, or where the answer has to cite it."""
    others = tuple(_attributed(opinion, verdict, by_retrieval=by_retrieval) for opinion in verdict.others)
    changed = _attributed(verdict, verdict, by_retrieval=by_retrieval)
    if changed is verdict and others == verdict.others:
        return verdict
    differs = any(opinion.bucket not in (None, changed.bucket) for opinion in others)
    flags = {*verdict.flags} - {"disagreement"} | ({"disagreement"} if differs else set())
    row = 15 if changed.reason == _RETRIEVED else 16 if changed.reason in _FAULTS else verdict.decided_by
    return replace(changed, others=others, flags=tuple(sorted(flags)), decided_by=row)


def _attributed(opinion: Said, verdict: Verdict, *, by_retrieval: bool) -> Said:
    if opinion.grader.startswith("human@") or (opinion is verdict and verdict.match != "match"):
        return opinion
    value = repr(opinion.value) if opinion.value else "an answer"
    if by_retrieval and opinion.reason in _FAULTS:
        why = f"{value} is right, and its evidence was retrieved; it need not be cited."
        return replace(opinion, bucket="correct", reason=_RETRIEVED, why=why)
    if not by_retrieval and opinion.reason == _RETRIEVED:
        reason = "UNCITED" if verdict.citation_exists is None else "MISCITED"
        return replace(opinion, bucket="unsupported", reason=reason, why=_CITED.why.format(value=value))
    return opinion


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


_QUESTION_KEYS = (
    "text", "kind", "stratum", "answerable", "answers", "aliases", "aliases_by_lang", "all_required", "unit",
    "date_precision", "world_answers", "proposition", "yes_means", "withheld", "note", "target",
)  # fmt: skip


class Case(NamedTuple):
    """Question, answer and passages with the expected fields of the verdict."""

    id: str
    question: Question
    retrieved: tuple[Passage, ...]
    supporting: frozenset[str]
    answer: Answer
    status: Status
    expected: dict[str, Any]


class CaseResult(NamedTuple):
    """Verdict of a grader on a case, and where it differs from the expected one."""

    case: Case
    verdict: Verdict
    differences: dict[str, tuple[Any, Any]]  # key -> (expected, got), only where they differ


def load_cases(path: Path) -> list[Case]:
    """Cases of a file; raises ``UsageError`` when it is not of their shape."""
    try:
        raw = msgspec.json.decode(path.read_bytes())
    except OSError as error:
        raise UsageError(f"no file of cases can be read at {path}: {error.strerror or error}") from error
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise UsageError(f"expected JSON in {path}, found: {error}") from error
    listed = raw.get("cases") if isinstance(raw, dict) else raw
    if not isinstance(listed, list) or not listed:
        raise UsageError(
            f'expected an object with a list "cases" in {path}, found none',
            help="see tests/cases/README.md for the shape",
        )
    return [_case(raw_case, number, path) for number, raw_case in enumerate(listed, 1)]


def _case(raw: object, number: int, path: Path) -> Case:
    try:
        fields = cast("dict[str, Any]", raw)
        asked, answer = fields["question"], fields["answer"]
        question = msgspec.convert(
            {
                "id": str(fields.get("id", number)),
                "stratum": "grounded",
                **{key: asked[key] for key in _QUESTION_KEYS if asked.get(key) is not None},
                "distractors": [_distractor(distractor) for distractor in asked.get("distractors") or ()],
            },
            Question,
        )
        text, citations = answer.get("text") or "", answer.get("citations")
        return Case(
            id=question.id,
            question=question,
            retrieved=tuple(map(_passage, fields["retrieved"])),
            supporting=frozenset(asked.get("gold_evidence") or ()),
            answer=Answer(text=text, citations=None if citations is None else tuple(map(str, citations))),
            status=answer.get("status") or "ok",
            expected=dict(fields["expected"]),
        )
    except (KeyError, TypeError, AttributeError, msgspec.ValidationError) as error:
        name = raw.get("id", number) if isinstance(raw, dict) else number
        raise UsageError(
            f"case {name} of {path} is not of the expected shape: {error}",
            help="see tests/cases/README.md for the shape",
        ) from error


def _distractor(raw: object) -> object:
    if isinstance(raw, str):
        return {"value": raw}
    fields = cast("dict[str, Any]", raw)
    return {key: value for key, value in fields.items() if key in Distractor.__struct_fields__}


def _passage(raw: dict[str, Any]) -> Passage:
    document = raw["id"].rpartition("#")[0] or raw["id"]
    text = raw["text"]
    return Passage(raw["id"], raw.get("document", document), raw.get("title", ""), 0, len(text), text)


def check_cases(path: Path, grader: Grader) -> Iterator[CaseResult]:
    """Results of all cases of a file, or of a folder's JSON files; the keys of ``expected`` are compared."""
    for file in sorted(path.glob("*.json")) if path.is_dir() else (path,):
        for case in load_cases(file):
            verdict = grade(grader, case.question, case.answer, case.retrieved, case.supporting, case.status)
            yield CaseResult(case, verdict, differences(verdict, case.expected))


def differences(verdict: Verdict, expected: dict[str, Any]) -> dict[str, tuple[Any, Any]]:
    """Expected keys in which a verdict differs; flags are compared as sets."""
    got = msgspec.to_builtins(verdict)
    got = {name: got.get(name, getattr(verdict, name)) for name in Verdict.__struct_fields__}
    differing: dict[str, tuple[Any, Any]] = {}
    for key, value in expected.items():
        actual = got.get(key)
        if sorted(actual or ()) != sorted(value or ()) if key == "flags" else actual != value:
            differing[key] = (value, actual)
    return differing
