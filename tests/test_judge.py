"""The grader ``judge`` against a scripted model on loopback: primitives, votes, cache, cost, failures."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import judge_model
from answering import Answering, Reply
from judge_model import PARTS, Model, judge
from ragharness.errors import AccessRefused, UsageError
from ragharness.graders import Grader, cost_lines, load_grader
from ragharness.graders.judging import read_reply
from ragharness.graders.verdicts import grade
from ragharness.records import Answer, Passage, Question, Reading, Verdict

if TYPE_CHECKING:
    from commands import Verb

PASSAGE = Passage("deed#1", "deed", "Deed", 0, 20, "It lasts two years")
QUESTION = Question(
    id="q", text="How long?", stratum="grounded", target="correct", kind="text", answerable=True,
    answers=("two years",),
)  # fmt: skip
ABSENT = Question(id="a", text="How long?", stratum="unanswerable", kind="text", answerable=False)


@pytest.fixture
def model() -> Model:
    return Model()


@pytest.fixture
def server(model: Model) -> Iterator[Answering]:
    with Answering(model) as running:
        yield running


def verdict(grader: Grader, text: str, question: Question = QUESTION) -> Verdict:
    return grade(grader, question, Answer(text=text), [PASSAGE], frozenset({"deed#1"}))


@pytest.mark.parametrize(
    ("text", "question", "bucket", "reason"),
    [
        ("It is two years [deed#1].", QUESTION, "correct", "SUPPORTED"),
        ("It is two years.", QUESTION, "unsupported", "UNCITED"),
        ("It is two years [deed#7].", QUESTION, "unsupported", "PHANTOM_CITATION"),
        ("It is six years [deed#1].", QUESTION, "wrong", "MISMATCH"),
        ("I cannot say.", QUESTION, "refused", "DECLINED"),
        ("It is six years [deed#1].", ABSENT, "unsupported", "NO_EVIDENCE_IN_CORPUS"),
        ("[deed#1]", QUESTION, None, "EMPTY"),
    ],
)
def test_the_table_decides_on_its_primitives(
    server: Answering, text: str, question: Question, bucket: str | None, reason: str
) -> None:
    found = verdict(judge(server), text, question)
    assert (found.bucket, found.reason) == (bucket, reason)


def test_the_quality_of_a_refusal_is_asked(server: Answering, model: Model) -> None:
    assert verdict(judge(server), "I cannot say.").refusal_quality == 2
    model.replies = {"quality": ["no"] * 3}
    found = verdict(judge(server), "I cannot say.")
    assert (found.bucket, found.refusal_quality) == ("refused", None)


@pytest.mark.parametrize("raw", ["", "ten", "{}", '{"score": 10}', '{"flaw": "", "score": "10"}', "[10]"])
def test_what_cannot_be_read_is_undetermined(server: Answering, model: Model, raw: str) -> None:
    model.replies = {"answer": [raw] * 3}
    found = verdict(judge(server), "It is two years [deed#1].")
    assert (found.status, found.bucket) == ("needs_review", None)
    assert "undetermined" in found.why
    (vote,) = found.judgements[-1].votes
    assert (vote.score, vote.raw, vote.rejected) == (None, raw, (raw, raw))
    assert model.decisions.count("answer") == 3


def test_a_reply_that_can_be_read_at_last_counts(server: Answering, model: Model) -> None:
    model.replies = {"answer": ["what?", {**PARTS, "score": 10}]}
    found = verdict(judge(server), "It is six years [deed#1].")
    assert found.bucket == "correct"
    assert found.judgements[-1].votes[0].rejected == ("what?",)


def test_a_reply_that_was_cut_off_is_not_read(server: Answering, model: Model) -> None:
    cut = judge_model.said({**PARTS, "score": 10})
    cut.value["choices"][0]["finish_reason"] = "length"
    model.replies = {"answer": [cut] * 3}
    assert verdict(judge(server), "It is two years [deed#1].").status == "needs_review"


def test_votes_are_kept_with_mean_and_variance(server: Answering, model: Model) -> None:
    model.replies = {"answer": [{**PARTS, "score": score} for score in (10, 9, 8)]}
    found = verdict(judge(server, "votes=3"), "It is two years [deed#1].")
    made = found.judgements[-1]
    assert (made.mean, made.variance, [vote.score for vote in made.votes]) == (9, 1, [10, 9, 8])
    assert json.loads(made.votes[2].raw)["score"] == 8
    assert found.bucket == "correct"
    sent = [asked.json for asked in server.asked]
    assert [each["seed"] for each in sent] == [0, 1, 2] * 2
    assert {each["temperature"] for each in sent} == {0.7}


@pytest.mark.parametrize(
    ("decision", "replies"),
    [
        ("answer", [{**PARTS, "score": score} for score in (10, 0, 10)]),
        ("answer", [{**PARTS, "score": 5}] * 3),
        ("refusal", ["Judgement: REFUSED", "Judgement: NOT REFUSED", "?", "?", "?"]),
    ],
)
def test_split_or_middling_votes_are_left_to_a_person(
    server: Answering, model: Model, decision: str, replies: list[Any]
) -> None:
    model.replies = {decision: replies}
    found = verdict(judge(server, "votes=3"), "It is two years [deed#1].")
    assert (found.status, found.bucket) == ("needs_review", None)


@pytest.mark.parametrize(
    ("text", "score"),
    [
        ("Judgement: REFUSED", 1),
        ("Judgement: NOT REFUSED", 0),
        ("**Judgement:** REFUSED", 1),
        ("It is NOT REFUSED, some say.\n**Judgment**: `REFUSED`", 1),
        ("Judgement: NOT  REFUSED", 0),
        ("judgement: not refused.", 0),
        ('{"reasoning": "x", "span": "y", "judgement": "NOT REFUSED"}', 0),
        ("Judgement: REFUSED\nJudgement: NOT REFUSED", 0),
        ("Judgement: UNREFUSED", None),
        ("REFUSED", None),
        ("The judgement: REFUSED is what I would not say", None),
        ("Judgement: REFUSED or NOT REFUSED", None),
        ("", None),
    ],
)
def test_the_judgement_of_a_refusal(text: str, score: float | None) -> None:
    found = read_reply("refusal", text)
    assert (found and found.score) == score


@pytest.mark.parametrize("score", [-1, 11, True, None, "5", float("nan")])
def test_a_score_that_is_none_is_not_read(score: object) -> None:
    assert read_reply("answer", json.dumps({**PARTS, "score": score})) is None


def test_a_code_fence_is_taken_off_and_prose_is_not() -> None:
    held = json.dumps({**PARTS, "score": 7})
    assert read_reply("answer", f"```json\n{held}\n```") == read_reply("answer", held)
    assert read_reply("answer", f"Here it is: {held}") is None


def test_structured_output_asks_for_the_flaw_first_and_plain_text_where_there_is_none(model: Model) -> None:
    def reply(asked: Any) -> Reply:
        return Reply({"error": "response_format"}, 400) if "response_format" in asked.json else model(asked)

    with Answering(reply) as server:
        assert verdict(judge(server), "It is two years [deed#1].").bucket == "correct"
    first = server.asked[0].body.decode()
    assert first.index('"reasoning": {') < first.index('"span": {') < first.index('"judgement": {')
    assert "response_format" not in server.asked[-1].json


def test_kept_replies_are_asked_for_once(server: Answering, tmp_path: Path) -> None:
    first = judge(server, "votes=3", cache=tmp_path)
    before = verdict(first, "It is two years [deed#1].")
    calls = len(server.asked)
    again = judge(server, "votes=3", cache=tmp_path)
    after = verdict(again, "It is two years [deed#1].")
    assert (calls, len(server.asked)) == (6, 6)
    assert (after.bucket, after.judgements[0].mean) == (before.bucket, before.judgements[0].mean)
    assert "0 calls (3 more are kept" in cost_lines(again)[0]


def test_the_cost_is_told_by_decision(server: Answering, tmp_path: Path) -> None:
    prices = tmp_path / "prices.toml"
    prices.write_text('[[price]]\nmodel = "m"\ninput = 10\noutput = 100\n')
    grader = judge(server, f"prices={prices}")
    verdict(grader, "It is two years [deed#1].")
    assert cost_lines(grader) == [
        f"judge, {name}: took 1 calls (0 more are kept from earlier), 100 tokens in, 20 out,"
        " 0.0030 USD (your price table)"
        for name in ("answer", "refusal")
    ]
    dry = load_grader(
        "rules,judge",
        settings=["judge.model=m", f"judge.base-url={server.url('/v1')}", f"judge.prices={prices}"],
        dry_run=True,
    )
    calls = len(server.asked)
    verdict(dry, "Perhaps it is about the years of the lease")
    told = cost_lines(dry)
    assert len(server.asked) == calls
    assert [line.split(":")[0] for line in told] == ["judge, answer", "judge, quality", "judge, refusal"]
    assert all("would take up to 1 calls" in line and "USD" in line for line in told)
    axis = load_grader(
        "rules,judge,citation_supports=judge",
        settings=["judge.model=m", f"judge.base-url={server.url('/v1')}"],
        dry_run=True,
    )
    verdict(axis, "Perhaps it is about the years of the lease [deed#1]")
    assert any(line.startswith("judge, support: would take up to 1 calls") for line in cost_lines(axis))


def test_a_busy_service_is_asked_again_and_one_that_stays_busy_leaves_it_open(model: Model) -> None:
    busy = [Reply("", 503, {"Retry-After-Ms": "1"})] * 2

    def reply(asked: Any) -> Reply:
        return busy.pop() if busy else model(asked)

    with Answering(reply) as server:
        assert verdict(judge(server), "It is two years [deed#1].").bucket == "correct"
        busy += [Reply("", 503, {"Retry-After-Ms": "1"})] * 5
        found = verdict(judge(server), "It is two years [deed#1].")
        assert (found.status, found.bucket) == ("needs_review", None)
        assert "no reply" in found.why


def test_refused_credentials_stop_it(model: Model) -> None:
    with Answering(lambda _: Reply({"error": "no"}, 401)) as server, pytest.raises(AccessRefused) as caught:
        verdict(judge(server), "It is two years.")
    assert "--grader-option judge.key-env=" in caught.value.help


def test_support_is_an_axis_of_its_own(server: Answering) -> None:
    grader = judge(server, wanted="rules,citation_supports=judge,extra_claim_count=judge")
    found = verdict(grader, "The deed lasts two years [deed#1].")
    assert (found.bucket, found.citation_supports, found.extra_claim_count) == ("correct", "yes", 1)
    assert found.grader.startswith("rules@")
    assert {axis: name.split("@")[0] for axis, name in found.axes_by} == {
        "citation_supports": "judge",
        "extra_claim_count": "judge",
    }
    assert [made.decision for made in found.judgements] == ["support", "claims"]


def test_it_reads_many_answers_at_once(model: Model, verb: Verb) -> None:
    flying: list[int] = []
    most = 0

    def reply(asked: Any) -> Reply:
        nonlocal most
        flying.append(1)
        most = max(most, len(flying))
        time.sleep(0.05)
        flying.pop()
        return model(asked)

    with Answering(reply) as server:
        wanted = ["--grader", "judge", "--grader-option", "judge.model=m"]
        wanted += ["--grader-option", f"judge.base-url={server.url('/v1')}"]
        done = verb("run", "--limit", "16", "--concurrency", "6", *wanted)
        assert done.code == 0, done.errors
        assert most == 6
        calls = len(server.asked)
        again = verb("grade", *wanted, "--concurrency", "6")
        assert again.code == 0, again.errors
        assert len(server.asked) == calls
        assert "more are kept from earlier" in again.errors
        dry = verb("grade", *wanted, "--grader-option", "judge.votes=3", "--dry-run")
        assert "would take up to" in dry.output
        assert len(server.asked) == calls


@pytest.mark.parametrize(
    "settings", [["accept=2", "reject=8"], ["votes=0"], ["nothing=1"], ["prompts=/nowhere"]]
)
def test_a_setting_that_cannot_be_meant(server: Answering, settings: list[str]) -> None:
    with pytest.raises(UsageError):
        judge(server, *settings)


def test_without_a_model_it_says_how_to_name_one() -> None:
    with pytest.raises(UsageError) as caught:
        load_grader("judge")
    assert "--grader-option judge.model=NAME" in caught.value.help


def test_an_axis_that_it_cannot_read(server: Answering) -> None:
    grader: Any = judge(server)
    with pytest.raises(UsageError, match="citation_exists"):
        grader.read_axis("citation_exists", Reading(), QUESTION, Answer(text="x"), [])


def test_a_judge_that_cannot_be_asked_leaves_the_verdicts_as_they_were(verb: Verb, tmp_path: Path) -> None:
    assert verb("run", "--limit", "6").code == 0
    (records,) = tmp_path.glob("runs/*/records.jsonl")
    before = records.read_bytes()
    with Answering(lambda _: Reply({"error": "no"}, 401)) as server:
        wanted = ["--grader", "judge", "--grader-option", "judge.model=m"]
        wanted += ["--grader-option", f"judge.base-url={server.url('/v1')}"]
        done = verb("grade", *wanted)
        assert (done.code, "requires a key" in done.errors) == (3, True)
        assert records.read_bytes() == before
        # A run keeps the answers that are paid for.
        done = verb("run", "--limit", "6", "--fresh", *wanted)
        assert (done.code, "6 of 6 are answered" in done.errors) == (3, True)
