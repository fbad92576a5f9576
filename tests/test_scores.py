"""Every number of the scores against counts made by hand, and against planted mixtures."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

import pytest
from msgspec.structs import replace

import run_fakes as fake
from ragharness.analysis.intervals import wilson
from ragharness.analysis.scores import ROW_NAMES, Scores
from ragharness.analysis.scoring import score
from ragharness.errors import RunNotUsable
from ragharness.records import BUCKETS, ROWS, Answer, Failure, Record, Retrieved, Usage
from ragharness.runner.run_folder import Call

QUESTIONS = fake.questions()
OUTCOMES = (*BUCKETS, "error", "timeout", "no_answer", "needs_review")


def scored(records: Sequence[Record], **run: object) -> Scores:
    return score(fake.run(**run), [fake.session()], QUESTIONS, records, name="r", blind=48)


def by_outcome(outcomes: Sequence[str], *, found: bool = True) -> list[Record]:
    pairs = zip(QUESTIONS, outcomes, strict=True)
    return [fake.record(question, outcome, found=found) for question, outcome in pairs]


@pytest.mark.parametrize("seed", range(20))
def test_a_planted_mixture_is_counted_exactly_in_any_order(seed: int) -> None:
    chooser = random.Random(seed)
    outcomes = chooser.choices(OUTCOMES, k=130)
    records = by_outcome(outcomes)
    expected = scored(records)
    chooser.shuffle(records)
    result = scored(records)
    assert result == expected
    assert result.buckets == {bucket: outcomes.count(bucket) for bucket in BUCKETS}
    assert result.ungraded == sum(outcome not in BUCKETS for outcome in outcomes)
    for name in ROWS:
        places = [outcomes[i] for i, question in enumerate(QUESTIONS) if question.row == name]
        row = result.rows[ROW_NAMES[name]]
        assert row.n == len(places)
        assert [row.correct, row.wrong, row.unsupported, row.refused] == [
            places.count(bucket) for bucket in BUCKETS
        ]
        assert row.ungraded == sum(place not in BUCKETS for place in places)
    failures = result.failures
    assert sum(getattr(failures, field) for field in failures.__struct_fields__) == (
        130 - result.desired.total.count
    )
    assert len(result.misses) == 130 - result.desired.total.count


def test_the_perfect_run() -> None:
    result = scored([fake.record(question, question.wanted) for question in QUESTIONS])
    assert result.buckets == {"correct": 60, "wrong": 0, "unsupported": 0, "refused": 70}
    assert (result.desired.answer.count, result.desired.answer.n) == (60, 60)
    assert (result.desired.refusal.count, result.desired.refusal.n) == (70, 70)
    assert (result.references.best_possible, result.references.refuse, result.references.blind) == (
        130,
        70,
        48,
    )
    assert result.misses == []
    assert result.intervals.at_most["unacceptable"] == pytest.approx(0.0280, abs=5e-5)


def test_always_refusing_is_acceptable_everywhere_and_right_on_seventy() -> None:
    result = scored(by_outcome(["refused"] * 130))
    assert result.intervals.unacceptable.count == 0
    assert result.desired.total.count == 70
    assert result.failures.refused_though_found == 60
    assert result.axes.over_refusal.count == result.axes.over_refusal_all.count == 60
    assert result.axes.under_refusal.count == 0


def test_an_empty_run_has_the_whole_set_as_its_denominator() -> None:
    result = scored([])
    assert (result.questions, result.asked, result.ungraded) == (130, 0, 130)
    assert result.statuses["not_asked"] == result.failures.not_asked == 130
    assert (result.desired.total.count, result.desired.total.n) == (0, 130)
    assert (result.retrieval.any_evidence.count, result.retrieval.n) == (0, 60)
    assert result.retrieval.mrr == 0
    assert result.axes.refusal_quality.mean is None
    assert result.misses == []


def test_errors_count_against_every_rate() -> None:
    result = scored(by_outcome(["correct"] * 30 + ["error"] * 30 + ["refused"] * 70))
    assert (result.desired.answer.count, result.desired.answer.n) == (30, 60)
    low, high = wilson(30, 60)
    assert (result.desired.answer.low, result.desired.answer.high) == (low, high)
    assert result.errors[0].questions == [f"q{number:03d}" for number in range(31, 61)]
    assert result.intervals.correct.n == 130


def test_failures_of_one_kind_are_one_group_with_the_first_message_whole() -> None:
    messages = [
        "no answer to 'Who?' after 3 s",
        "no answer to 'What is \"it\", the party\\'s?' after 12.5 s",
        "a user's own",
        "a user's old",
        "no answer to 'Why?' after 7 s",
    ]
    records = [
        replace(fake.record(question, "error"), failure=Failure("KeyError", message))
        for question, message in zip(QUESTIONS, messages, strict=False)
    ]
    records.append(replace(fake.record(QUESTIONS[5], "error"), failure=Failure("OSError", messages[0])))
    groups = [(group.type, group.message, group.questions) for group in scored(records).errors]
    assert groups == [
        ("KeyError", messages[0], ["q001", "q002", "q005"]),
        ("KeyError", messages[2], ["q003"]),
        ("KeyError", messages[3], ["q004"]),
        ("OSError", messages[0], ["q006"]),
    ]
    odd = ("cited 3 ids", "cited 4 ids")
    (group,) = scored([replace(fake.record(QUESTIONS[0], "correct"), problems=odd)]).problems
    assert (group.problem, group.questions) == (odd[0], ["q001"])


def test_the_pace_counts_time_outs_and_is_unknown_where_everything_failed() -> None:
    late = [replace(fake.record(question, "timeout"), seconds=60.0) for question in QUESTIONS[:3]]
    assert scored(late).timing.median == 60.0
    assert scored([*late, *by_outcome(["refused"] * 130)[3:7]]).timing.median == 0.5
    timing = scored(by_outcome(["error"] * 130)).timing
    assert (timing.median, timing.p95, timing.longest) == (None, None, None)


@pytest.mark.parametrize(
    ("index", "outcome", "found", "place"),
    [
        (0, "wrong", False, "retriever_missed"),
        (0, "refused", False, "retriever_missed"),
        (0, "unsupported", False, "retriever_missed"),
        (0, "wrong", True, "misread"),
        (0, "unsupported", True, "miscited"),
        (0, "refused", True, "refused_though_found"),
        (70, "wrong", False, "answered_without_evidence"),
        (70, "unsupported", False, "answered_without_evidence"),
        (125, "correct", True, "answered_without_evidence"),
        (0, "error", True, "pipeline_error"),
        (0, "timeout", True, "timeout"),
        (70, "no_answer", True, "no_answer"),
        (70, "needs_review", True, "needs_review"),
    ],
)
def test_each_miss_belongs_to_one_place(index: int, outcome: str, found: bool, place: str) -> None:
    records = [fake.record(question, question.wanted) for question in QUESTIONS]
    records[index] = fake.record(QUESTIONS[index], outcome, found=found)
    failures = scored(records).failures
    counts = {field: getattr(failures, field) for field in failures.__struct_fields__}
    assert {field: count for field, count in counts.items() if count} == {place: 1}


def test_the_worst_come_first() -> None:
    outcomes = (
        ["refused", "unsupported", "error", "wrong", "needs_review"] + ["correct"] * 55 + ["refused"] * 70
    )
    result = scored(by_outcome(outcomes))
    assert [miss.question for miss in result.misses] == ["q004", "q002", "q003", "q005", "q001"]


def test_the_axes() -> None:
    plain: dict[str, Any] = {"citation_exists": None, "citation_supports": None}
    records = [
        fake.record(QUESTIONS[0], "correct", extra_claim_count=2, flags=("hedged",)),
        fake.record(QUESTIONS[1], "correct", citation_supports="no", flags=("mixed", "hedged")),
        fake.record(QUESTIONS[2], "unsupported", **plain, extra_claim_count=1),
        fake.record(QUESTIONS[3], "refused", refusal_quality=3),
        fake.record(QUESTIONS[4], "refused", refusal_quality=0, found=False),
        fake.record(QUESTIONS[5], "needs_review", citation_exists="no", extra_claim_count=9),
    ]
    axes = scored(records).axes
    assert (axes.citation_exists.yes, axes.citation_exists.no, axes.citation_exists.null) == (2, 0, 3)
    assert (axes.citation_supports.yes, axes.citation_supports.no) == (1, 1)
    assert (axes.extra_claim_count.sum, axes.extra_claim_count.n, axes.extra_claim_count.answers) == (3, 5, 2)
    assert (axes.refusal_quality.mean, axes.refusal_quality.n) == (1.5, 2)
    assert axes.refusal_quality.distribution == {"0": 1, "1": 0, "2": 0, "3": 1}
    assert (axes.over_refusal.count, axes.over_refusal.n) == (1, 4)  # the fifth is ungraded
    assert (axes.over_refusal_all.count, axes.over_refusal_all.n) == (2, 60)
    assert (axes.hedged, axes.mixed) == (2, 1)


def test_retrieval_counts_the_questions_with_evidence_in_reach() -> None:
    import msgspec

    # Ranks of the gold spans, passages that hold one, rank of the document.
    found_at = [((1, 3), 2, 1), ((0, 2), 3, 2), ((4,), 1, 2), ((0,), 1, 3), ((), 0, 0)]
    records = [
        msgspec.structs.replace(
            fake.record(question, "correct"),
            evidence_ranks=ranks,
            evidence_passages=n,
            document_rank=document,
        )
        for question, (ranks, n, document) in zip(QUESTIONS, found_at, strict=False)
    ]
    # A withheld question's evidence is not in the index: it must not enter.
    records.append(fake.record(QUESTIONS[65], "refused", found=False))
    found = scored(records).retrieval
    assert (found.n, found.k) == (60, 5)
    assert found.any_evidence.count == 3
    assert found.all_evidence.count == 2
    assert found.evidence_first.count == 1
    assert found.document.count == 4
    assert (found.evidence_in_document.count, found.evidence_in_document.n) == (3, 4)
    assert found.mrr == pytest.approx((1 + 1 / 2 + 1 / 4) / 60)
    # (1 + 1/2) / (1 + .63093), .63093 / (1 + .63093 + 1/2), (1 / log2 5) / 1, 0, 0
    assert found.ndcg == pytest.approx((0.919721 + 0.296082 + 0.430677) / 60, abs=1e-6)
    assert scored(records, takes="retrieve").retrieval.k is None


def test_a_pipeline_with_its_own_passages_is_named_as_unforced() -> None:
    assert scored([], takes="passages").notes == []
    asked = [each for each in QUESTIONS if each.withheld][:3]
    bare, bringing, citing = (fake.record(each, "unsupported", found=each != asked[0]) for each in asked)
    brought = (Retrieved("d1#1", 0.0),)
    citing = replace(citing, retrieved=brought, answer=Answer(text="So [d1#1].", citations=("d1#1",)))
    empty = next(each for each in QUESTIONS if each.stratum == "null_retrieval")
    filled = replace(fake.record(empty, "unsupported"), retrieved=brought)
    records = [bare, replace(bringing, retrieved=brought), citing, filled]
    (note,) = scored(records, takes="own").notes
    assert "ignore the rows withheld and null" in note
    assert f"Of 20 withheld questions, 2 came with the withheld evidence, 1 citing it ({asked[2].id})" in note
    assert (
        "; 10 of 10 null_retrieval questions could not be forced, 1 came with passages, 1 with some" in note
    )
    assert (
        "the document asked about. 1 of 4 answers came without passages. The blind baseline is graded over"
        in note
    )


def test_spending_is_unknown_rather_than_zero() -> None:
    import msgspec

    records = [fake.record(question, "refused") for question in QUESTIONS[:3]]
    assert scored(records).spending.cost == pytest.approx(0.003)
    assert scored(records).spending.completion_tokens is None
    assert records[0].answer
    silent = [
        msgspec.structs.replace(each, answer=msgspec.structs.replace(records[0].answer, usage=None))
        for each in records
    ]
    assert scored(silent).spending.cost is None
    zero = msgspec.structs.replace(records[0].answer, usage=Usage(cost=0.0))
    assert scored([msgspec.structs.replace(records[0], answer=zero)]).spending.cost == 0.0


def test_wall_time_adds_the_sessions_without_the_time_between() -> None:
    import msgspec

    sessions = [fake.session(), fake.session(started="2026-11-21T15:00:00+00:00", answered=1)]
    records = [
        fake.record(QUESTIONS[0], "correct"),
        msgspec.structs.replace(fake.record(QUESTIONS[1], "correct"), started="2026-11-21T15:00:04+00:00"),
    ]
    result = score(fake.run(), sessions, QUESTIONS, records, name="r")
    assert result.seconds == pytest.approx(10.5 + 4.5)
    assert result.sessions == 2
    replaced = [Call("2026-11-21T12:00:40+00:00", 2.5)]
    again = score(fake.run(), sessions, QUESTIONS, records, name="r", superseded=replaced)
    assert again.seconds == pytest.approx(42.5 + 4.5)
    assert "(--retry-errors): 1." in again.notes[-1]


def test_records_of_other_questions_are_refused() -> None:
    stranger = fake.record(fake.question("q999"), "correct")
    with pytest.raises(RunNotUsable, match="'q999'"):
        scored([stranger])
