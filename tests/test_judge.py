"""The grader ``judge`` against a scripted model on loopback: primitives, votes, cache, cost, failures."""

from __future__ import annotations

import json
import shutil
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from msgspec.structs import replace

import judge_model
import ragharness as rh
from answering import Answering, Reply
from judge_model import Model, judge, labelled
from ragharness.errors import AccessRefused, UsageError
from ragharness.graders import Grader, cost_lines, load_grader
from ragharness.graders.judge import truth_of
from ragharness.graders.judging import FOLDER, read_reply
from ragharness.graders.verdicts import grade
from ragharness.records import Answer, Distractor, Passage, Question, Reading, Verdict

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


def test_one_call_decides_and_the_quality_of_a_refusal_is_an_axis(server: Answering, model: Model) -> None:
    found = verdict(judge(server), "I cannot say.")
    assert (found.bucket, found.refusal_quality, model.decisions) == ("refused", None, ["answer"])
    grader = judge(server, wanted="judge,refusal_quality=judge")
    assert verdict(grader, "I cannot say.").refusal_quality == 2
    model.replies = {"quality": ["no"] * 3}
    assert verdict(grader, "I cannot say.").refusal_quality is None


NUMBERS = replace(QUESTION, kind="list", answers=("two years", "a month"))
TEMPTING = replace(ABSENT, distractors=(Distractor("two years", "another deed"),))
KNOWN = replace(ABSENT, world_answers=("two years",))
POLAR = replace(QUESTION, kind="yesno", answers=("no",), proposition="It may be copied.", yes_means=False)


@pytest.mark.parametrize(
    ("label", "question", "bucket", "reason"),
    [
        ("agrees", QUESTION, "correct", "SUPPORTED"),
        ("Cannot_Tell", QUESTION, None, "UNREADABLE"),
        ("partly", QUESTION, "wrong", "IMPRECISE"),
        ("partly", NUMBERS, "wrong", "INCOMPLETE"),
        ("partly", POLAR, None, "UNREADABLE"),
        ("refuses", TEMPTING, "refused", "DECLINED"),
        ("agrees", TEMPTING, "wrong", "DISTRACTOR"),
        ("differs", TEMPTING, "unsupported", "NO_EVIDENCE_IN_CORPUS"),
        ("agrees", KNOWN, "unsupported", "OUTSIDE_KNOWLEDGE"),
        ("differs", KNOWN, "wrong", "MISMATCH"),
        ("partly", ABSENT, "unsupported", "NO_EVIDENCE_IN_CORPUS"),
    ],
)
def test_what_follows_from_a_label(
    server: Answering, model: Model, label: str, question: Question, bucket: str | None, reason: str
) -> None:
    model.replies = {"answer": [labelled(label)]}
    found = verdict(judge(server), "So it is [deed#1].", question)
    assert (found.bucket, found.reason) == (bucket, reason)


@pytest.mark.parametrize(
    ("fields", "truth"),
    [
        ({}, "The answer is: two years."),
        ({"unit": "USD", "answers": ("5", "6")}, "The answer is any one of these: 5 USD; 6 USD."),
        ({"aliases": {"two years": ("24 months",)}}, "The answer is: two years (that is: 24 months)."),
        ({"kind": "list", "answers": ("a", "b")}, "The answer is all of these: a; b."),
        ({"kind": "list", "answers": ("a",), "all_required": False}, "The answer is any of these: a."),
        (
            {"distractors": (Distractor("one", "a lease"),)},
            "The answer is: two years.\nIt is not: one (a lease).",
        ),
        ({"answerable": False, "answers": ()}, "The documents do not answer the question."),
        (
            {"answerable": False, "answers": (), "distractors": (Distractor("9", "x"),)},
            "The documents do not answer the question. Results to compare with: 9 (x).",
        ),
    ],
)
def test_the_gold_is_shown_as_true_statements(fields: dict[str, Any], truth: str) -> None:
    assert truth_of(replace(QUESTION, **fields)) == truth


@pytest.mark.parametrize(
    ("answer", "yes_means", "holds"),
    [("yes", True, "true"), ("no", True, "false"), ("yes", False, "false"), ("no", False, "true")],
)
def test_a_proposition_is_shown_as_true_or_false(answer: str, yes_means: bool, holds: str) -> None:
    question = replace(POLAR, answers=(answer,), yes_means=yes_means)
    assert truth_of(question) == f"It is {holds} that: It may be copied.\nThe answer is: {answer}."


def test_frozen_golds_are_shown_right_way_round() -> None:
    """Negative questions of the frozen set: the proposition is true where their answer denies."""
    for question in rh.load_questions(rh.load_corpus("sample")).questions:
        if question.kind == "yesno" and question.answerable:
            first, *_, last = truth_of(question).split("\n")
            affirms = (question.answers == ("yes",)) == (question.form == "positive")
            assert first == f"It is {'true' if affirms else 'false'} that: {question.proposition}"
            assert last == f"The answer is: {question.answers[0]}."


def test_a_question_that_is_its_own_proposition_is_not_repeated() -> None:
    question = replace(POLAR, text="Is it so?", proposition="Is it so", aliases={"no": ("No, it ended.",)})
    assert truth_of(question) == "The answer is: no (that is: No, it ended.)."


def test_evidence_and_cited_passages_are_shown(server: Answering) -> None:
    other = Passage("lease#2", "lease", "Lease", 0, 20, "It lasts nine years" + "!" * 3000)
    answer = Answer(text="It is two years [deed#1] [lease#2].")
    grade(judge(server), QUESTION, answer, [PASSAGE, other], frozenset({"deed#1"}))
    text = judge_model.asked_text(server.asked[0])
    before, _, after = text.partition("Passages that the answer cites:")
    assert "| [deed#1] Deed\n| It lasts two years" in before
    assert "| [lease#2] Lease\n| It lasts nine years" in after
    assert "deed#1] Deed" not in after
    assert len(text) < 8000


def test_a_quote_counts_as_whole_words(server: Answering, model: Model) -> None:
    """The quote "no" is the second sentence's, not a part of "not" in the first; its citation counts."""
    model.replies = {"answer": [labelled("agrees", "No [deed#1]")] * 2}
    text = "It is not clear from the lease [lease#2] [lease#3] [lease#4]. No [deed#1]."
    found = [PASSAGE, *(replace(PASSAGE, id=f"lease#{number}") for number in (2, 3, 4))]
    read = grade(judge(server), POLAR, Answer(text=text), found, frozenset({"deed#1"}))
    assert (read.bucket, read.value) == ("correct", "No")


@pytest.mark.parametrize("raw", ["", "ten", "{}", '{"score": 10}', '{"label": 10}', "[10]", '"agrees"'])
def test_what_cannot_be_read_is_undetermined(server: Answering, model: Model, raw: str) -> None:
    model.replies = {"answer": [raw] * 3}
    found = verdict(judge(server), "It is two years [deed#1].")
    assert (found.status, found.bucket) == ("needs_review", None)
    assert "undetermined" in found.why
    (vote,) = found.judgements[-1].votes
    assert (vote.label, vote.raw, vote.rejected) == (None, raw, (raw, raw))
    assert model.decisions.count("answer") == 3


def test_a_reply_that_can_be_read_at_last_counts(server: Answering, model: Model) -> None:
    model.replies = {"answer": ["what?", labelled("agrees")]}
    found = verdict(judge(server), "It is six years [deed#1].")
    assert found.bucket == "correct"
    (vote,) = found.judgements[-1].votes
    assert (vote.rejected, [usage.prompt_tokens for usage in vote.usages]) == (("what?",), [100, 100])


def cut_off() -> Reply:
    reply = judge_model.said(labelled("agrees"))
    reply.value["choices"][0]["finish_reason"] = "length"
    return reply


def test_a_reply_that_was_cut_off_is_not_read_and_says_what_to_set(server: Answering, model: Model) -> None:
    model.replies = {"answer": [cut_off()]}
    found = verdict(judge(server), "It is two years [deed#1].")
    assert (found.status, model.decisions) == ("needs_review", ["answer"])
    assert "cut off after 8192 tokens; --grader-option judge.max-tokens=16384" in found.why
    assert server.asked[0].json["max_tokens"] == 8192


def test_unreadable_replies_are_not_kept(server: Answering, model: Model, tmp_path: Path) -> None:
    model.replies = {"answer": [cut_off(), "what?", "what?", "what?"]}
    for _ in range(2):
        assert verdict(judge(server, cache=tmp_path), "It is two years [deed#1].").status == "needs_review"
    assert len(server.asked) == 4
    for _ in range(2):
        assert verdict(judge(server, cache=tmp_path), "It is two years [deed#1].").bucket == "correct"
    assert len(server.asked) == 5


@pytest.mark.parametrize(
    ("reply", "told", "calls"),
    [
        (lambda: judge_model.said("As an assistant, I like it."), "expected JSON with a label, found", 12),
        (cut_off, "cut off after 8192 tokens", 4),
        (lambda: Reply("<html>", 200), "found a web page", 4),
    ],
)
def test_so_many_alike_stop_it_with_the_cause(reply: Any, told: str, calls: int) -> None:
    with Answering(lambda _: reply()) as server:
        grader = judge(server, "max-failures=4")
        for _ in range(3):
            assert verdict(grader, "It is two years.").status == "needs_review"
        with pytest.raises(AccessRefused, match="failed alike 4 times in a row") as caught:
            verdict(grader, "It is two years.")
        assert told in str(caught.value)
        assert len(server.asked) == calls
        patient = judge(server, "max-failures=0")
        assert {verdict(patient, "It is two years.").status for _ in range(12)} == {"needs_review"}


def test_failures_of_other_kinds_or_after_a_good_reply_do_not_stop_it(
    server: Answering, model: Model
) -> None:
    model.replies = {"answer": [*["?"] * 6, cut_off(), *["?"] * 6, labelled("agrees"), *["?"] * 6]}
    grader = judge(server, "max-failures=3")
    found = [verdict(grader, "It is two years [deed#1].").status for _ in range(8)]
    assert found == ["needs_review"] * 5 + ["ok"] + ["needs_review"] * 2


@pytest.mark.parametrize(
    "text",
    [
        '{"label": "differs"}',
        '```json\n{"reason": "r", "label": "differs"}\n```',
        'Here it is:\n```\n{"label": "Differs"}\n```\nI hope {this} helps.',
        '<think>{"label": "agrees"}? No.</think>{"label": "differs"}',
        '{"label": "differs"}\n{"label": "differs"}',
        '{"note": {"label": "agrees"}} {"label": "differs"}',
        "{" * 5000 + '{"label": "differs"}',
    ],
)
def test_json_is_read_whatever_stands_around_it(text: str) -> None:
    reply = read_reply("answer", text)
    assert reply
    assert reply.label == "differs"


@pytest.mark.parametrize(
    ("decision", "text"),
    [
        ("answer", '{"label": "supported"}'),
        ("answer", '{"label": "agrees"} or {"label": "differs"}'),
        ("answer", '{"label": ["agrees"]}'),
        ("answer", '{"a":' * 5000),
        ("support", '{"label": "agrees"}'),
        ("quality", '{"explained": true}'),
        ("claims", '{"claims": [{"claim": "a", "supported": "no"}]}'),
        ("claims", '{"claims": 3}'),
    ],
)
def test_what_says_two_things_or_another_one_is_not_read(decision: str, text: str) -> None:
    assert read_reply(decision, text) is None


def test_votes_are_kept_with_the_label_that_they_agree_on(server: Answering, model: Model) -> None:
    model.replies = {"answer": [labelled(label) for label in ("differs", "agrees", "agrees")]}
    found = verdict(judge(server, "votes=3"), "It is two years [deed#1].")
    (made,) = found.judgements
    assert (made.label, [vote.label for vote in made.votes]) == ("agrees", ["differs", "agrees", "agrees"])
    assert json.loads(made.votes[2].raw)["label"] == "agrees"
    assert found.bucket == "correct"
    sent = [asked.json for asked in server.asked]
    assert [each["seed"] for each in sent] == [0, 1, 2]
    assert {each["temperature"] for each in sent} == {0.7}


@pytest.mark.parametrize(
    "replies",
    [
        [labelled(label) for label in ("agrees", "differs", "refuses")],
        [labelled("cannot tell")] * 3,
        [labelled("agrees"), labelled("agrees"), "?", "?", "?"],
    ],
)
def test_split_or_open_votes_are_left_to_a_person(
    server: Answering, model: Model, replies: list[Any]
) -> None:
    model.replies = {"answer": replies}
    found = verdict(judge(server, "votes=3"), "It is two years [deed#1].")
    assert (found.status, found.bucket) == ("needs_review", None)


def test_structured_output_asks_for_the_flaw_first_and_plain_text_where_there_is_none(model: Model) -> None:
    def reply(asked: Any) -> Reply:
        return Reply({"error": "response_format"}, 400) if "response_format" in asked.json else model(asked)

    with Answering(reply) as server:
        assert verdict(judge(server), "It is two years [deed#1].").bucket == "correct"
    first = server.asked[0].body.decode()
    assert first.index('"reason": {') < first.index('"evidence": {') < first.index('"label": {')
    assert "response_format" not in server.asked[-1].json


def test_kept_replies_are_asked_for_once(server: Answering, tmp_path: Path) -> None:
    first = judge(server, "votes=3", cache=tmp_path)
    before = verdict(first, "It is two years [deed#1].")
    calls = len(server.asked)
    again = judge(server, "votes=3", cache=tmp_path)
    after = verdict(again, "It is two years [deed#1].")
    assert (calls, len(server.asked)) == (3, 3)
    assert (after.bucket, after.judgements[0].label) == (before.bucket, "agrees")
    assert "0 calls (3 more are kept" in cost_lines(again)[0]


def test_replies_to_another_version_of_a_prompt_are_not_used(server: Answering, tmp_path: Path) -> None:
    shutil.copytree(FOLDER, tmp_path / "mine")
    path = tmp_path / "mine" / "answer.txt"
    path.write_text(path.read_text("utf-8").replace("version: 3", "version: 4").replace("Hedged", "Doubtful"))
    own = f"prompts={tmp_path / 'mine'}"
    for calls, settings in enumerate(([], [own]), start=1):
        for _ in range(2):
            grader = judge(server, *settings, cache=tmp_path)
            verdict(grader, "It is two years [deed#1].")
            assert len(server.asked) == calls
    assert grader.version != judge(server).version
    path.write_text(path.read_text("utf-8").replace("{truth}", "{gold}"))
    with pytest.raises(UsageError, match=r"expected \{answer\}, \{cited\}, .* in the section user"):
        judge(server, own)


def test_people_and_a_confirming_judge_are_compared(verb: Verb, server: Answering, tmp_path: Path) -> None:
    row = {"question": "How long?", "answers": ["two years"], "bucket": "correct", "passages": ["Two years."]}
    lines = [
        {**row, "answer": "It lasts 2 years [p1]."},
        {**row, "answer": "I cannot say.", "bucket": "refused"},
    ]
    (tmp_path / "a.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    command = ("calibrate", "--answers", "a.jsonl", "--confirm", "judge", *options(server), "--json")
    found = verb(*command)
    assert "took 1 calls" in found.errors
    facts = json.loads(found.output)
    assert (facts["buckets"]["correct"]["correct"], facts["buckets"]["refused"]["refused"]) == (1, 1)
    assert facts["grader"].startswith("rules,judge@")


def test_the_cost_is_told_by_decision(server: Answering, tmp_path: Path) -> None:
    prices = tmp_path / "prices.toml"
    prices.write_text('[[price]]\nmodel = "m"\ninput = 10\noutput = 100\n')
    grader = judge(server, f"prices={prices}")
    verdict(grader, "It is two years [deed#1].")
    took = "judge, answer: took 1 calls (0 more are kept from earlier), 100 tokens in, 20 out, 0.0030 USD"
    assert cost_lines(grader) == [f"{took} (your price table)"]
    dry = load_grader(
        "rules,judge",
        settings=["judge.model=m", f"judge.base-url={server.url('/v1')}", f"judge.prices={prices}"],
        dry_run=True,
    )
    calls = len(server.asked)
    verdict(dry, "Perhaps it is about the years of the lease")
    told = cost_lines(dry)
    assert len(server.asked) == calls
    assert [line.split(":")[0] for line in told] == ["judge, answer"]
    assert all("would take about 1 calls" in line and "USD" in line for line in told)
    axis = load_grader(
        "rules,judge,citation_supports=judge",
        settings=["judge.model=m", f"judge.base-url={server.url('/v1')}"],
        dry_run=True,
    )
    verdict(axis, "Perhaps it is about the years of the lease [deed#1]")
    assert any(line.startswith("judge, support: would take about 1 calls") for line in cost_lines(axis))


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


def test_a_slow_judge_leaves_it_open(model: Model) -> None:
    def reply(asked: Any) -> Reply:
        time.sleep(0.3)
        return model(asked)

    with Answering(reply) as server:
        found = verdict(judge(server, "timeout=0.01"), "It is two years [deed#1].")
        assert (found.status, "no reply within 0.01 seconds" in found.why) == ("needs_review", True)
        assert verdict(judge(server, "timeout=9"), "It is two years [deed#1].").bucket == "correct"


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
        assert "would take about" in dry.output
        assert len(server.asked) == calls


def options(server: Answering) -> list[str]:
    return ["--grader-option", "judge.model=m", "--grader-option", f"judge.base-url={server.url('/v1')}"]


def test_baselines_are_graded_by_rules_and_every_call_is_told(
    verb: Verb, server: Answering, tmp_path: Path
) -> None:
    assert verb("run", "--limit", "20").code == 0
    (path,) = tmp_path.glob("runs/*/records.jsonl")
    by_rules = [json.loads(line) for line in path.read_text().splitlines()]
    dry = verb("grade", "--grader", "judge", *options(server), "--dry-run")
    assert ("about 20 calls" in dry.output, len(server.asked)) == (True, 0)
    done = verb("grade", "--grader", "judge", *options(server))
    assert ("took 20 calls" in done.errors, len(server.asked)) == (True, 20)
    assert "judge 20 replies" in done.output
    judging = json.loads(verb("report", "--json").output)["judging"]
    assert (judging["replies"], judging["from_cache"], judging["prompt_tokens"]) == (20, 0, 2000)
    judged = [json.loads(line)["verdict"] for line in path.read_text().splitlines()]
    assert {each["judgements"][0]["decision"] for each in judged} == {"answer"}
    confirmed = verb("grade", "--confirm", "judge", *options(server))
    assert "0 calls" in confirmed.errors
    doubtful = [
        each
        for each in by_rules
        if each["verdict"]["bucket"] in ("correct", "unsupported", None)
        or each["answer"]["text"].startswith(("Yes", "No"))
    ]
    assert f"({len(doubtful)} more are kept from earlier)" in confirmed.errors
    assert 0 < len(doubtful) < 20
    again = verb("grade")
    assert "judge" not in again.errors
    assert [json.loads(line)["verdict"]["bucket"] for line in path.read_text().splitlines()] == [
        each["verdict"]["bucket"] for each in by_rules
    ]


def test_a_model_of_the_pipeline_is_named_as_a_judge(verb: Verb, server: Answering) -> None:
    address = server.url("/v1")
    done = verb("run", "--limit", "6", "--pipeline", "llm:m", "--base-url", address)
    chain = "--grader rules,judge" if "review" in done.output else "--confirm judge"
    start = done.output.index("ragharness grade")
    command = done.output[start:].split("\ngrader")[0].replace("\\\n", " ").split("\n")[0]
    assert command.split()[2:] == [
        *chain.split(), "--grader-option", "judge.model=m", "--grader-option", f"judge.base-url={address}",
    ]  # fmt: skip
    judged = verb(*command.split()[1:])
    assert judged.code in (0, 2), judged.errors
    assert "judge, answer: took" in judged.errors
    assert "ragharness grade" not in judged.output


def test_a_judge_whose_replies_fail_alike_stops_grading_with_the_cause(verb: Verb, tmp_path: Path) -> None:
    assert verb("run", "--limit", "20").code == 0
    (records,) = tmp_path.glob("runs/*/records.jsonl")
    before = records.read_bytes()
    with Answering(lambda _: cut_off()) as server:
        done = verb("grade", "--grader", "judge", *options(server), "--concurrency", "1")
        assert (done.code, len(server.asked)) == (3, 10)
    assert "failed alike 10 times in a row: no reply: it was cut off after 8192 tokens" in done.errors
    assert records.read_bytes() == before


@pytest.mark.parametrize(
    "settings", [["accept=8"], ["votes=0"], ["max-failures=-1"], ["nothing=1"], ["prompts=/nowhere"]]
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
