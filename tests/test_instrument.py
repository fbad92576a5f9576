"""Proof that the instrument is right: pipelines of known behaviour over whole question sets, exact counts.

Every pipeline here knows the gold, so what each answer is worth is known beforehand. The oracle retriever
hands over the evidence, so that only the answer decides.
"""

from __future__ import annotations

import random
from collections import Counter
from decimal import Decimal
from typing import TYPE_CHECKING

import msgspec
import pytest

import ragharness as rh
from ragharness.config import RunConfig
from ragharness.corpus.passages import build_passages
from ragharness.pipelines import Pipeline
from ragharness.pipelines._own import signature_of
from ragharness.records import Record
from ragharness.runner.execution import execute
from ragharness.runner.scheduler import QuestionRunner
from ragharness.runner.session import RunContext, load_context
from reports import real_reports

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from ragharness.records import Passage, Question

    Behaviour = Callable[[Question, Sequence[Passage], "World"], str]

SEEDS = 50


class World:
    """A corpus with its questions and the oracle retriever, and what is known of each question."""

    def __init__(self, bench: RunContext) -> None:
        self.bench = bench
        self.questions = bench.questions.questions
        self.by_text = {question.text: question for question in self.questions}
        assert len(self.by_text) == len(self.questions)
        self.all_passages = build_passages(bench.corpus.documents)

    def gold(self, question: Question, passages: Sequence[Passage]) -> str:
        """Return the id of the first passage that holds gold evidence."""
        supporting = self.bench.grading.evidence.supporting(question, passages)
        return next(passage.id for passage in passages if passage.id in supporting)

    def other(self, question: Question, passages: Sequence[Passage]) -> str:
        """Return the id of a retrieved passage without gold evidence."""
        supporting = self.bench.grading.evidence.supporting(question, passages)
        return next(passage.id for passage in reversed(passages) if passage.id not in supporting)

    def run(self, behaviour: Behaviour, questions: Sequence[Question] = (), k: int = 5) -> dict[str, Record]:
        """Ask every question of a pipeline that behaves so; returns the records by question id."""

        def answer(question: str, passages: list[Passage]) -> str:
            return behaviour(self.by_text[question], passages, self)

        pipeline = Pipeline(
            answer,
            "known",
            spec="known",
            fingerprint="",
            is_async=False,
            signature=signature_of(answer, "known"),
        )
        runner = QuestionRunner(pipeline, self.bench.runner.retriever, self.bench.grading, k)
        answers: list[Record] = []
        jobs = [(question, 0) for question in questions or self.questions]
        execute(jobs, runner, answers.append, concurrency=4)
        return {answer.question: self.bench.grading.graded(answer) for answer in answers}


@pytest.fixture(scope="module", params=["sample", "contractnli", "edgar", "govreport"])
def world(request: pytest.FixtureRequest) -> World:
    if request.param == "contractnli":
        folder: Path = request.getfixturevalue("contractnli_folder")
        return World(load_context(RunConfig(corpus="contractnli", source=str(folder), retriever="oracle")))
    if request.param == "edgar":
        filings: Path = request.getfixturevalue("edgar_folder")
        return World(load_context(RunConfig(corpus="edgar", source=str(filings), retriever="oracle")))
    if request.param == "govreport":
        made = request.getfixturevalue("tmp_path_factory").mktemp("reports")
        reports = real_reports(request.getfixturevalue("shared"), made)
        return World(load_context(RunConfig(corpus="govreport", source=str(reports), retriever="oracle")))
    return World(load_context(RunConfig(retriever="oracle")))


def value(question: Question) -> str:
    """Return the gold answer as a person would write it."""
    if question.kind == "yesno":
        return question.answers[0].capitalize()
    if question.kind == "list":
        return " and ".join(question.answers)
    if question.kind == "number":
        currency, _, scale = question.unit.partition(" ")
        if currency == "USD":
            return f"${question.answers[0]} {scale}".strip()
        return f"{question.answers[0]} {question.unit}".strip()
    return question.answers[0]


def false_value(question: Question) -> str:
    """Return what is certainly not the gold answer: the opposite, or a distractor."""
    if question.kind == "yesno":
        return "No" if question.answers[0] == "yes" else "Yes"
    if question.distractors:
        return value(msgspec.structs.replace(question, answers=(question.distractors[0].value,)))
    if question.kind == "date":
        return f"{int(question.answers[0][:4]) - 3}{question.answers[0][4:]}"
    if question.kind == "text":
        return "Zorbl"
    # Half as much again: far from the gold in every unit, and as many digits.
    false = msgspec.structs.replace(question, answers=(str(Decimal(question.answers[0]) * 3 / 2),))
    return value(false)


def wants_answer(question: Question) -> bool:
    return question.wanted == "correct"


def in_the_world(question: Question) -> bool:
    """Whether the answer is known although the index or the retrieval lacks its evidence."""
    return question.answerable and not wants_answer(question)


def decline(passages: Sequence[Passage]) -> str:
    """Refuse as a careful pipeline does: why, what is nearest, what to do next."""
    if not passages:
        return (
            "I can't answer this: nothing was retrieved for the question. Please check the original document."
        )
    nearest = ", ".join(f"[{passage.id}]" for passage in passages[:2])
    return (
        "I don't have evidence for that, as none of the retrieved passages states it. "
        f"The closest passages are {nearest}; you may want to check the full document."
    )


def oracle(question: Question, passages: Sequence[Passage], world: World) -> str:
    if wants_answer(question):
        return f"{value(question)} [{world.gold(question, passages)}]."
    return decline(passages)


def refuse(question: Question, passages: Sequence[Passage], world: World) -> str:
    return decline(passages)


def uncited(question: Question, passages: Sequence[Passage], world: World) -> str:
    return f"{value(question)}." if wants_answer(question) else decline(passages)


def invented_citation(question: Question, passages: Sequence[Passage], world: World) -> str:
    return f"{value(question)} [no-such-document#7]." if wants_answer(question) else decline(passages)


def wrong_passage(question: Question, passages: Sequence[Passage], world: World) -> str:
    if wants_answer(question):
        return f"{value(question)} [{world.other(question, passages)}]."
    return decline(passages)


def false_answer(question: Question, passages: Sequence[Passage], world: World) -> str:
    if wants_answer(question):
        return f"{false_value(question)} [{world.gold(question, passages)}]."
    return decline(passages)


def outside_knowledge(question: Question, passages: Sequence[Passage], world: World) -> str:
    return f"{value(question)}." if in_the_world(question) else oracle(question, passages, world)


def hedger(question: Question, passages: Sequence[Passage], world: World) -> str:
    if wants_answer(question):
        said = value(question) if question.kind != "yesno" else value(question).lower()
        gold = world.gold(question, passages)
        return f"I could not find an explicit statement on this question, but the answer is {said} [{gold}]."
    return decline(passages)


def shotgun(question: Question, passages: Sequence[Passage], world: World) -> str:
    if wants_answer(question):
        gold = world.gold(question, passages)
        return f"It is either {value(question)} [{gold}] or {false_value(question)} [{gold}]."
    return decline(passages)


def cite_everything(question: Question, passages: Sequence[Passage], world: World) -> str:
    if not wants_answer(question):
        return decline(passages)
    supporting = world.bench.grading.evidence.supporting(question, passages)
    ordered = sorted(passages, key=lambda passage: passage.id in supporting)
    return f"{value(question)} {''.join(f'[{passage.id}]' for passage in ordered)}."


def buckets(records: dict[str, Record]) -> Counter[str]:
    return Counter(outcome(record) for record in records.values())


def outcome(record: Record) -> str:
    if record.verdict is None or record.verdict.bucket is None:
        return record.status
    return record.verdict.bucket


def reasons(records: dict[str, Record], questions: Sequence[Question]) -> Counter[str]:
    verdicts = [records[question.id].verdict for question in questions]
    return Counter(verdict.reason for verdict in verdicts if verdict is not None)


def misfits(records: dict[str, Record], world: World, expected: Callable[[Question], str]) -> list[str]:
    """Return a line for every record that did not come out as expected: what to read when a test fails."""
    lines = []
    for question in world.questions:
        record = records.get(question.id)
        if record is not None and outcome(record) != expected(question):
            text = record.answer.text if record.answer else record.failure
            why = record.verdict.why if record.verdict else ""
            lines.append(
                f"{question.id} {question.kind} {outcome(record)}: {question.text!r} -> {text!r} ({why})"
            )
    return lines


def wanted(question: Question) -> str:
    return question.wanted


def test_oracle_is_right_everywhere(world: World) -> None:
    records = world.run(oracle)
    assert misfits(records, world, wanted) == []
    assert buckets(records) == {"correct": 60, "refused": 70}
    refusals = [record.verdict for record in records.values() if record.wanted == "refused"]
    assert {verdict.refusal_quality for verdict in refusals if verdict} == {3}
    answers = [record.verdict for record in records.values() if record.wanted == "correct"]
    assert {(v.citation_exists, v.extra_claim_count) for v in answers if v} == {("yes", 0)}
    # Support does not follow the bucket: a bare "Yes" is undetermined where its passage argues in other words.
    supports = Counter(verdict.citation_supports for verdict in answers if verdict)
    assert supports["no"] <= 6, supports
    assert supports["yes"] >= 48, supports


def test_always_refusing_is_refused_everywhere(world: World) -> None:
    records = world.run(refuse)
    assert buckets(records) == {"refused": 130}
    flags = Counter(flag for record in records.values() if record.verdict for flag in record.verdict.flags)
    assert flags == {"over_refusal": 60, "retrieval_miss": 30}


@pytest.mark.parametrize(
    ("behaviour", "bucket", "reason"),
    [
        (uncited, "unsupported", "UNCITED"),
        (invented_citation, "unsupported", "PHANTOM_CITATION"),
        (wrong_passage, "unsupported", "MISCITED"),
        (cite_everything, "unsupported", "MISCITED"),
        (hedger, "correct", "SUPPORTED"),
    ],
)
def test_right_answers_by_their_citations(
    world: World, behaviour: Behaviour, bucket: str, reason: str
) -> None:
    records = world.run(behaviour, k=8)
    asked = [question for question in world.questions if wants_answer(question)]
    expected = bucket
    if behaviour is cite_everything:
        # With gold in many passages one of the first three may hold it: those answers are rightly correct.
        asked = [question for question in asked if rivals(world, question, k=8) >= 3]
        assert len(asked) >= 30
    if behaviour is wrong_passage:
        # Where every passage holds gold there is none to cite wrongly.
        asked = [question for question in asked if rivals(world, question, k=8)]
        assert len(asked) >= 55
    chosen = {question.id for question in asked}
    assert misfits({k: v for k, v in records.items() if k in chosen}, world, lambda _: expected) == []
    assert reasons(records, asked) == {reason: len(asked)}
    assert buckets({k: v for k, v in records.items() if v.wanted == "refused"}) == {"refused": 70}
    if behaviour is hedger:
        assert all("hedged" in verdict.flags for q in asked if (verdict := records[q.id].verdict))


def rivals(world: World, question: Question, k: int) -> int:
    """Return how many of the passages that the question gets hold no gold evidence."""
    hits = world.bench.runner.retriever.retrieve(question.text, k, question)
    passages = [hit.passage for hit in hits]
    return len(passages) - len(world.bench.grading.evidence.supporting(question, passages))


def has_false_value(question: Question) -> bool:
    return question.kind in ("yesno", "number", "date") or bool(question.distractors)


@pytest.mark.parametrize("behaviour", [false_answer, shotgun])
def test_false_answers_are_wrong(world: World, behaviour: Behaviour) -> None:
    asked = [question for question in world.questions if wants_answer(question) and has_false_value(question)]
    assert len(asked) >= 40
    records = world.run(behaviour, asked)
    assert misfits(records, world, lambda _: "wrong") == []
    assert buckets(records) == {"wrong": len(asked)}


def test_the_tempting_row_holds_a_false_answer_for_every_question(world: World) -> None:
    asked = [question for question in world.questions if question.target == "wrong"]
    assert len(asked) == 20
    assert all(has_false_value(question) for question in asked)
    assert buckets(world.run(false_answer, asked)) == {"wrong": 20}


def test_knowing_the_answer_without_evidence_is_unsupported(world: World) -> None:
    records = world.run(outside_knowledge)
    assert misfits(records, world, lambda q: "unsupported" if in_the_world(q) else q.wanted) == []
    assert buckets(records) == {"correct": 60, "unsupported": 30, "refused": 40}


def test_answering_what_no_document_says_is_never_acceptable(world: World) -> None:
    def answer(question: Question, passages: Sequence[Passage], world: World) -> str:
        if question.distractors:
            return f"{question.distractors[0].value} [{passages[0].id}]."
        if question.kind == "yesno":
            return f"Yes [{passages[0].id}]."
        made_up = {"number": "17", "date": "1999-01-31", "list": "Zorbl and Quendt"}
        return f"{made_up.get(question.kind, 'Zorbl')} [{passages[0].id}]."

    asked = [question for question in world.questions if not question.answerable]
    records = world.run(answer, asked)
    assert len(asked) == 40
    expected = {question.id: "wrong" if question.distractors else "unsupported" for question in asked}
    assert misfits(records, world, lambda question: expected[question.id]) == []
    assert all("under_refusal" in record.verdict.flags for record in records.values() if record.verdict)


def test_planted_mixes_are_counted_exactly(world: World) -> None:
    """Plant m wrong, n unsupported and r refused answers at random places, for many seeds."""
    answerable = [
        question
        for question in world.questions
        if wants_answer(question) and has_false_value(question) and rivals(world, question, k=5)
    ]
    for seed in range(SEEDS):
        rng = random.Random(seed)
        m, n, r = (rng.randint(0, len(answerable) // 3) for _ in range(3))
        ways: list[Behaviour] = [false_answer for _ in range(m)]
        ways += [rng.choice([uncited, wrong_passage]) for _ in range(n)]
        ways += [refuse for _ in range(r)]
        ways += [oracle] * (len(answerable) - len(ways))
        rng.shuffle(ways)
        plan = dict(zip((question.id for question in answerable), ways, strict=True))
        order = list(world.questions)
        rng.shuffle(order)

        def planted(question: Question, passages: Sequence[Passage], world: World) -> str:
            return plan.get(question.id, oracle)(question, passages, world)  # noqa: B023 (used within this turn)

        counted = buckets(world.run(planted, order))
        expected = Counter({"wrong": m, "unsupported": n, "refused": 70 + r, "correct": 60 - m - n - r})
        assert counted == +expected, f"seed {seed}"


CUT_OFF = {
    "contractnli": {"q019", "q026", "q079"},  # the half of a clause: the exception stands in another sentence
    "edgar": {"q035", "q121"},  # rounded further than the tolerance; an expense of the same size
}


def test_a_sentence_of_the_evidence_is_never_wrong(world: World) -> None:
    texts = {each.id: each.text for each in world.bench.corpus.documents}
    quoted = [
        (question, rh.grade(question, texts[each.document][each.start : each.end]))
        for question in world.questions
        if question.answerable
        for each in question.evidence
    ]
    wrong = {question.id for question, verdict in quoted if verdict.bucket in ("wrong", "refused")}
    assert wrong <= CUT_OFF.get(world.bench.corpus.id, set())
    assert len(quoted) > len(world.questions) / 2
    assert sum(verdict.bucket == "correct" for _, verdict in quoted) > 0.7 * len(quoted)
