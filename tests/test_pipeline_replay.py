"""Recorded answers: what a run wrote is graded as it was, and what cannot be told apart is refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from ragharness.corpus.loading import load_corpus
from ragharness.corpus.passages import build_passages
from ragharness.errors import UnusableReply, UsageError
from ragharness.pipelines import Context, Pipeline, load_pipeline, read_answer
from ragharness.questions.loading import load_questions
from ragharness.support.options import Options

if TYPE_CHECKING:
    from commands import Verb

CORPUS = load_corpus("sample")
QUESTIONS = load_questions(CORPUS, size=13)
FIRST, SECOND = QUESTIONS.questions[:2]


def load(spec: str, **chosen: str) -> Pipeline:
    return load_pipeline(
        spec, Context(CORPUS, QUESTIONS, build_passages(CORPUS.documents, 120), Options(chosen))
    )


def lines(path: Path, *entries: dict[str, Any]) -> str:
    path.write_text("".join(json.dumps(entry) + "\n" for entry in entries), encoding="utf-8")
    return f"replay:{path}"


def record(question: str, text: str | None, epoch: int = 0, **more: Any) -> dict[str, Any]:
    made = {
        "question": question,
        "row": "grounded/correct",
        "wanted": "correct",
        "status": "ok",
        "epoch": epoch,
    }
    return {**made, **({} if text is None else {"answer": {"text": text}}), **more}


def bare(line: bytes) -> dict[str, Any]:
    """A record without times and without what only the run's own retriever knows."""
    read: dict[str, Any] = json.loads(line)
    for name in ("seconds", "started", "attempts", "evidence_passages"):
        read.pop(name, None)
    read["answer"].pop("passages", None)
    return read | {"retrieved": [each["id"] for each in read.get("retrieved", ())]}


@pytest.mark.parametrize("retriever", ["fields", "oracle"])
def test_a_replayed_run_comes_out_as_the_run_did(verb: Verb, tmp_path: Path, retriever: str) -> None:
    shared = ("run", "--quiet", "--json", "--size", "26")
    first = verb(*shared, "--out", "first", "--retriever", retriever)
    # What is retrieved now does not matter: the recorded passages are those that are graded.
    again = verb(*shared, "--out", "again", "--pipeline", "replay:first", "--retriever", "null")
    assert (first.code, again.code) == (0, 0), again.errors
    assert (json.loads(again.output)["takes"], json.loads(again.output)["problems"]) == ("own", [])
    notes = " ".join(json.loads(again.output)["notes"])
    assert "from a recorded run" in notes
    assert "ignore the rows withheld and null" not in notes
    assert "recorded passages" in verb("report", "again").output
    other = verb(
        *shared, "--seed", "5", "--out", "other", "--pipeline", "replay:first", "--retriever", "null"
    )
    assert "ignore the rows withheld and null" in " ".join(json.loads(other.output)["notes"])
    part = ("--limit", "9")
    verb(*shared, *part, "--out", "part", "--retriever", retriever)
    partly = verb(*shared, *part, "--out", "partly", "--pipeline", "replay:part", "--retriever", "null")
    assert "from a recorded run" in " ".join(json.loads(partly.output)["notes"])
    was, now = (
        sorted((tmp_path / name / "records.jsonl").read_bytes().splitlines()) for name in ("first", "again")
    )
    assert len(was) == 26
    assert [bare(line) for line in now] == [bare(line) for line in was]


def test_answers_without_passages_are_graded_with_those_of_now(tmp_path: Path) -> None:
    spec = lines(
        tmp_path / "answers.jsonl", {"id": FIRST.id, "text": "Yes."}, {"question": SECOND.text, "text": "No."}
    )
    pipeline = load(spec)
    assert pipeline.takes == "passages"
    assert [pipeline.call(each.text) for each in (FIRST, SECOND)] == [
        {"id": FIRST.id, "text": "Yes."},
        {"question": SECOND.text, "text": "No."},
    ]
    brought = {"id": FIRST.id, "text": "Yes.", "passages": [{"id": "x", "text": "y"}]}
    assert load(lines(tmp_path / "own.jsonl", brought)).takes == "own"


def test_a_question_is_known_by_its_text_before_its_id(tmp_path: Path) -> None:
    spec = lines(tmp_path / "a.jsonl", {"id": FIRST.id, "question": SECOND.text, "text": "of another set"})
    assert load(spec).call(SECOND.text)
    with pytest.raises(UnusableReply, match="holds no answer to"):
        load(spec).call(FIRST.text)


def test_a_run_of_another_set_with_the_same_ids_answers_only_its_own_questions(tmp_path: Path) -> None:
    lines(
        tmp_path / "questions.jsonl", {"id": FIRST.id, "text": SECOND.text}, {"id": "q999", "text": "Other?"}
    )
    spec = lines(tmp_path / "records.jsonl", record(FIRST.id, "Yes."), record("q999", "No."))
    for named in (spec, f"replay:{tmp_path}"):
        assert read_answer(load(named).call(SECOND.text))[0].text == "Yes."  # type: ignore[union-attr]
        with pytest.raises(UnusableReply, match="holds no answer to"):
            load(named).call(FIRST.text)


def test_what_failed_fails_again_and_what_was_no_answer_is_none(tmp_path: Path) -> None:
    failure = {"type": "TimeoutError", "message": "no answer after 60 s"}
    spec = lines(
        tmp_path / "records.jsonl",
        record(FIRST.id, None, status="timeout", failure=failure),
        record(SECOND.id, None, status="no_answer", problems=["found None"]),
    )
    pipeline = load(spec)
    with pytest.raises(UnusableReply, match="recorded as failed, TimeoutError: no answer after 60 s"):
        pipeline.call(FIRST.text)
    assert pipeline.call(SECOND.text) is None


def test_an_answer_stands_before_a_failure_and_epochs_are_chosen(tmp_path: Path) -> None:
    failure = {"type": "E", "message": "m"}
    spec = lines(
        tmp_path / "records.jsonl",
        record(FIRST.id, None, failure=failure),
        record(FIRST.id, "asked again"),
        record(FIRST.id, None, failure=failure),
        record(FIRST.id, "of the second epoch", epoch=1),
    )
    assert read_answer(load(spec).call(FIRST.text))[0].text == "asked again"  # type: ignore[union-attr]
    second = load(spec, epoch="1")
    assert read_answer(second.call(FIRST.text))[0].text == "of the second epoch"  # type: ignore[union-attr]
    assert (second.settings, second.fingerprint) == ({"epoch": 1}, load(spec).fingerprint)


def test_two_answers_to_one_question_are_refused(tmp_path: Path) -> None:
    same = {"id": FIRST.id, "text": "Yes."}
    load(lines(tmp_path / "same.jsonl", same, same))
    with pytest.raises(UsageError, match=f"answers '{FIRST.id}' twice: entries 1 and 2") as caught:
        load(lines(tmp_path / "two.jsonl", same, {**same, "text": "No."}))
    assert "epoch" in caught.value.help


@pytest.mark.parametrize(
    "entry",
    [record("q", "x", retrieved=3), record("q", "x", retrieved=[{}]), record("q", None, failure="x"),
     {**record("q", None), "answer": {"passages": 1}}],
)  # fmt: skip
def test_a_damaged_record_is_named(tmp_path: Path, entry: dict[str, Any]) -> None:
    with pytest.raises(UsageError, match=r"entry 2 of .*records\.jsonl is no record of a run: "):
        load(lines(tmp_path / "records.jsonl", record(FIRST.id, "Yes."), entry))


@pytest.mark.parametrize(
    "entry",
    [{"id": [1], "text": "x"}, {"id": None, "question": None}, {"text": "x"}, {"epoch": "x", "text": "x"}],
)
def test_entries_of_no_question_are_passed_over(tmp_path: Path, entry: dict[str, Any]) -> None:
    pipeline = load(lines(tmp_path / "records.jsonl", entry, {"id": FIRST.id, "text": "Yes."}))
    assert pipeline.call(FIRST.text)
