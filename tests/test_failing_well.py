"""Runs that go wrong: they stop early, say why first, name the user's own line, and never exit with 0."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from commands import pipeline
from ragharness.records import Answer, Failure, Passage
from ragharness.runner.limits import Limits, describe
from ragharness.runner.run_folder import RunFolder
from ragharness.support.messages import message_kind
from test_runner import ask, question

if TYPE_CHECKING:
    from commands import Verb

BROKEN = """
def helper(found):
    return found["context"]

def answer(question, passages):
    return helper({})
"""


def test_calls_that_all_fail_alike_end_the_run_early(tmp_path: Path, verb: Verb) -> None:
    done = verb("run", "--pipeline", pipeline(tmp_path, BROKEN), "--out", "r")
    assert done.code == 2
    sentence = "Not a result: every call failed with KeyError: 'context' (mine.py:3)"
    assert done.output.splitlines()[0] == sentence
    assert "stopped: the first 10 calls failed alike: KeyError: 'context' (mine.py:3)" in done.errors
    assert "--retry-errors" in done.errors
    records = list(RunFolder.open(tmp_path / "r").records())
    assert 10 <= len(records) <= 20
    assert "line 3, in helper" in (records[0].failure.traceback if records[0].failure else "")
    shown = verb("show", records[0].question, "r").output
    assert "KeyError: 'context' (mine.py:3)" in shown
    assert 'return found["context"]' in shown
    assert "runner" not in shown


def test_everything_is_asked_where_that_is_wished(tmp_path: Path, verb: Verb) -> None:
    spec = pipeline(tmp_path, BROKEN)
    done = verb("run", "--pipeline", spec, "--max-failures", "0", "--json")
    scores = json.loads(done.output)
    assert (done.code, scores["result"], scores["statuses"]["error"]) == (2, False, 130)
    assert scores["intervals"]["unacceptable"]["high"] == 1.0
    for verbs in (("report",), ("score",), ("report", "--json")):
        assert verb(*verbs).code == 2


def test_a_service_that_nobody_answers_for_is_not_asked_for_long(tmp_path: Path, verb: Verb) -> None:
    spec = pipeline(
        tmp_path,
        """
        def answer(question, passages):
            with open("calls", "a") as file:
                file.write("x")
            raise ConnectionError("vector db is down")
        """,
    )
    done = verb("run", "--pipeline", spec)
    assert done.code == 2
    assert 10 <= len((tmp_path / "calls").read_text()) <= 20
    assert done.output.splitlines()[0].startswith("Not a result: every call failed with ConnectionError")


@pytest.mark.parametrize(
    ("ends", "stopped"),
    [
        ("aaa", True),
        ("aab", False),
        ("baaaa", False),
        (".aaaa", False),
        ("aa.aa", False),
        ("aa", False),
    ],
)
def test_only_the_first_calls_count_and_only_alike(ends: str, stopped: bool) -> None:
    limits = Limits(max_failures=3)
    reasons = [
        limits.failed(None if end == "." else Failure("ValueError", f"{end} of '{number}'"))
        for number, end in enumerate(ends)
    ]
    assert any(reasons) == stopped


def test_messages_that_were_cut_off_are_of_one_kind() -> None:
    cut = "422: expected a list at 'body', found \"Which laws govern the agr"
    other = "422: expected a list at 'body', found \"What is the term of the"
    assert message_kind(cut) == message_kind(other) != message_kind("422: expected a list")


def test_the_place_is_the_user_s_own_line(tmp_path: Path) -> None:
    def through_a_library() -> None:
        json.loads("{")

    try:
        through_a_library()
    except ValueError as error:
        found = describe(error)
    assert found.where.startswith("test_failing_well.py:")
    assert "json" in found.traceback


@pytest.mark.parametrize("text", ["None", "null", '"null"', " None. "])
def test_the_text_of_an_unset_value_is_no_answer(text: str) -> None:
    from ragharness.graders import load_grader

    def status(*golds: str, kind: Any = "text") -> str:
        asked = question(1, answers=golds, kind=kind)
        return load_grader().read(asked, Answer(text=text), [], frozenset()).status

    assert status("two years") == "no_answer"
    assert status("no", kind="yesno") == "no_answer"
    assert status("none") != "no_answer"


def awaiting() -> Callable[..., object]:
    async def answer(question: str, retrieve: Callable[..., list[Passage]]) -> str:
        found = await retrieve(question, 1)  # type: ignore[misc]
        assert found == retrieve(question, 1)
        return f"It is two years [{found[0].id}]."

    return answer


def test_what_is_retrieved_may_be_awaited() -> None:
    assert {record.status for record in ask(awaiting(), 4)} == {"ok"}


def test_limits_are_checked_in_one_go_and_before_anything_is_asked(tmp_path: Path, verb: Verb) -> None:
    run = ("run", "--pipeline", "refuse", "--limit", "26", "--gates")
    kept = verb(*run, "unacceptable<=0.05,refused>=0.9")
    assert kept.code == 0, kept.errors
    assert "pass" in kept.errors
    missed = verb(*run, "over_refusal<=0.1")
    assert (missed.code, "FAIL" in missed.errors) == (1, True)
    (tmp_path / "gate.toml").write_text('[thresholds]\nover_refusal = "<= 10%"\n')
    assert verb(*run, "gate.toml").code == 1
    unknown = verb(*run, "overrefusal<=0.1", "--out", "none")
    assert unknown.code == 3
    assert "over_refusal" in unknown.errors
    assert not (tmp_path / "none").exists()


# -- the list of runs


def test_runs_are_listed_with_their_verdicts_and_found_by_any_part(tmp_path: Path, verb: Verb) -> None:
    assert "expected runs in the folder runs, found none" in verb("runs").errors
    verb("run", "--pipeline", "refuse", "--retriever", "null")
    verb("run", "--pipeline", "refuse", "--tag", "base line")
    assert (tmp_path / "runs" / ".gitignore").read_text() == "*\n"
    lines = verb("runs").output.splitlines()
    assert lines[0].split()[0].endswith("_sample_refuse_fields_base-line")
    assert lines[1] == "  sample  refuse  fields k=5  [base line]"
    assert lines[2] == "  Not better than refusing everything: 70 against 70 of 130 as desired"
    assert lines[3].split()[0].endswith("_sample_refuse_null")
    listed = json.loads(verb("runs", "--json").output)
    assert [each["retriever"] for each in listed] == ["fields", "null"]
    assert {each["result"] for each in listed} == {True}
    for name in ("refuse_null", "base line", "base-line"):
        assert verb("report", name).code == 0
    assert "which matches" in verb("report", "refuse").errors
