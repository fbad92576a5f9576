"""The decision table: one row at a time, from primitives alone."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragharness.errors import UsageError
from ragharness.graders import Grader, grader_names, load_grader
from ragharness.graders.verdicts import TABLE, decide, differences, grade, load_cases
from ragharness.records import BUCKETS, Question, Reading

TEXT = Question(
    id="q", text="How long?", stratum="grounded", kind="text", answerable=True, answers=("three years",)
)
YES = msgspec.structs.replace(TEXT, kind="yesno", answers=("yes",))
WITHHELD = msgspec.structs.replace(YES, withheld="clause")
EMPTIED = msgspec.structs.replace(YES, stratum="null_retrieval")
OPEN = msgspec.structs.replace(TEXT, answerable=False, answers=(), stratum="unanswerable")


def said(**primitives: Any) -> Reading:
    return Reading(**{"committed": True, "match": "match", "evidence_retrieved": True, **primitives})


ROWS: list[tuple[int, Question, Reading, str | None, str, set[str]]] = [
    (0, TEXT, Reading(status="timeout"), None, "TIMEOUT", set()),
    (0, TEXT, Reading(status="error"), None, "ERROR", set()),
    (1, TEXT, Reading(status="no_answer"), None, "EMPTY", set()),
    (2, TEXT, said(unreadable="why"), None, "UNREADABLE", set()),
    (3, OPEN, Reading(premise_corrected=True, refusal=True), "refused", "PREMISE_CORRECTED", set()),
    (4, OPEN, Reading(refusal=True), "refused", "DECLINED", set()),
    (4, TEXT, Reading(refusal=True, evidence_retrieved=True), "refused", "DECLINED", {"over_refusal"}),
    (4, TEXT, Reading(refusal=True), "refused", "DECLINED", {"retrieval_miss"}),
    (5, OPEN, Reading(clarification=True), "refused", "CLARIFICATION", {"clarification"}),
    (6, TEXT, Reading(non_responsive=True, evidence_retrieved=True), "wrong", "NON_RESPONSIVE", set()),
    (7, TEXT, said(contradiction=True, any_valid_support=True), "wrong", "CONTRADICTION", set()),
    (7, OPEN, said(contradiction=True, match="world"), "wrong", "CONTRADICTION", {"under_refusal"}),
    (8, OPEN, said(match="world"), "unsupported", "OUTSIDE_KNOWLEDGE", {"under_refusal"}),
    (9, OPEN, said(match="distractor"), "wrong", "DISTRACTOR", {"under_refusal"}),
    (9, OPEN, said(match="mismatch"), "wrong", "MISMATCH", {"under_refusal"}),
    (10, OPEN, said(match="none"), "unsupported", "NO_EVIDENCE_IN_CORPUS", {"under_refusal"}),
    (11, WITHHELD, said(match="mismatch", evidence_retrieved=False), "unsupported", "EVIDENCE_NOT_RETRIEVED",
     {"retrieval_miss"}),
    (11, EMPTIED, said(evidence_retrieved=False), "unsupported", "EVIDENCE_NOT_RETRIEVED", {"retrieval_miss"}),
    (12, WITHHELD, said(match="mismatch"), "wrong", "MISMATCH", set()),
    (12, YES, said(match="mismatch", evidence_retrieved=False), "wrong", "MISMATCH", {"retrieval_miss"}),
    (12, TEXT, said(match="distractor"), "wrong", "DISTRACTOR", set()),
    (12, TEXT, said(match="mismatch", imprecise=True), "wrong", "IMPRECISE", set()),
    (12, TEXT, said(match="partial", incomplete=True), "wrong", "INCOMPLETE", set()),
    (13, TEXT, said(match="partial", partial_then_declined=True, refusal=True), "refused", "PARTIAL_THEN_DECLINED",
     set()),
    (14, TEXT, said(evidence_retrieved=False, any_valid_support=True), "unsupported", "EVIDENCE_NOT_RETRIEVED",
     {"retrieval_miss"}),
    (15, TEXT, said(n_citations=1, any_valid_support=True), "correct", "SUPPORTED", set()),
    (15, TEXT, said(n_citations=1, any_valid_support=True, refusal=True), "correct", "SUPPORTED", {"hedged"}),
    (16, TEXT, said(), "unsupported", "UNCITED", set()),
    (16, TEXT, said(n_citations=1, claim_cited=False, all_cited_retrieved=True), "unsupported", "UNCITED", set()),
    (16, TEXT, said(n_citations=1, all_cited_retrieved=False), "unsupported", "PHANTOM_CITATION", set()),
    (16, TEXT, said(n_citations=1, all_cited_retrieved=True), "unsupported", "MISCITED", set()),
]  # fmt: skip


@pytest.mark.parametrize(("row", "question", "reading", "bucket", "reason", "flags"), ROWS)
def test_row(
    row: int, question: Question, reading: Reading, bucket: str | None, reason: str, flags: set[str]
) -> None:
    verdict = decide(question, reading, grader="rules@1")
    assert (verdict.decided_by, verdict.bucket, verdict.reason) == (row, bucket, reason)
    assert set(verdict.flags) == flags
    assert "{" not in verdict.why
    assert len(verdict.why) > 20


def test_the_table_has_every_row_once_in_order() -> None:
    assert [row.number for row in TABLE] == list(range(17))
    assert {row for row, *_ in ROWS} == set(range(17))


@pytest.mark.parametrize(
    ("explained", "nearest", "next_step", "urgency", "quality"),
    [
        (True, True, True, False, 3),
        (True, True, True, True, 2),
        (True, True, False, False, 2),
        (True, False, True, False, 2),
        (False, True, True, False, 1),
        (True, False, False, False, 1),
        (False, False, True, False, 1),
        (False, False, False, False, 0),
        (False, False, False, True, 0),
    ],
)
def test_refusal_quality(
    explained: bool, nearest: bool, next_step: bool, urgency: bool, quality: int
) -> None:
    reading = Reading(
        refusal=True, explained=explained, nearest=nearest, next_step=next_step, urgency=urgency
    )
    assert decide(OPEN, reading).refusal_quality == quality


readings = st.builds(
    Reading,
    status=st.sampled_from(["ok", "no_answer", "needs_review", "error", "timeout"]),
    refusal=st.booleans(),
    committed=st.booleans(),
    match=st.sampled_from(["match", "mismatch", "distractor", "world", "partial", "none"]),
    contradiction=st.booleans(),
    imprecise=st.booleans(),
    partial_then_declined=st.booleans(),
    premise_corrected=st.booleans(),
    clarification=st.booleans(),
    evidence_retrieved=st.booleans(),
    n_citations=st.integers(0, 5),
    all_cited_retrieved=st.sampled_from([None, True, False]),
    any_valid_support=st.booleans(),
    unreadable=st.sampled_from(["", "why"]),
)


@settings(max_examples=400)
@given(readings, st.sampled_from([TEXT, YES, WITHHELD, EMPTIED, OPEN]))
def test_every_reading_has_one_verdict(reading: Reading, question: Question) -> None:
    verdict = decide(question, reading)
    assert (verdict.bucket is None) == (verdict.status != "ok")
    if verdict.bucket is None:
        assert (verdict.citation_exists, verdict.extra_claim_count, verdict.refusal_quality) == (
            None,
            None,
            None,
        )
        return
    assert verdict.bucket in BUCKETS
    assert (verdict.refusal_quality is not None) == (verdict.bucket == "refused")
    if verdict.bucket == "correct":
        assert question.answerable
        assert reading.committed
        assert reading.match == "match"
        assert reading.evidence_retrieved
        assert reading.any_valid_support
        assert not reading.contradiction


def test_the_shared_cases_from_their_primitives(shared: Path) -> None:
    path = shared / "spec" / "cases" / "bucket_cases.json"
    raw = {case["id"]: case for case in json.loads(path.read_text(encoding="utf-8"))["cases"]}
    for case in load_cases(path):
        given_facts = dict(raw[case.id]["primitives"])
        given_facts["clarification"] = given_facts.pop("clarifies", False)
        reading = msgspec.convert(given_facts, Reading)
        assert differences(decide(case.question, reading), case.expected) == {}, case.id


def test_an_answer_that_never_came_is_not_read() -> None:
    class Unreadable:
        name, version = "unreadable", "1"

        def read(self, *_: Any) -> Reading:
            raise AssertionError

    grader: Grader = Unreadable()
    assert grade(grader, TEXT, None, (), frozenset()).status == "no_answer"
    assert grade(grader, TEXT, None, (), frozenset(), "timeout").reason == "TIMEOUT"


def test_graders_are_found_by_their_files() -> None:
    assert grader_names() == ["human", "judge", "nli", "rules"]
    assert load_grader("rules").name == "rules"
    for name in ("human", "judge", "nli"):
        with pytest.raises(UsageError, match=f"for the grader '{name}', found none"):
            load_grader(name)
