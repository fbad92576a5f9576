"""Questions that a model writes: each is verified, costed, cached; the model is a server on loopback."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from answering import Answering, Asked, Reply
from own_folder import write_folder
from ragharness.corpus.loading import load_corpus
from ragharness.records import Passage
from ragquestions.checks import check_questions
from ragquestions.llm_author import Model, plan, read_written, write_questions

if TYPE_CHECKING:
    from commands import Verb

STATED = re.compile(
    r"The (?P<office>[A-Z]\w+ [A-Z]\w+ [A-Z]\w+) (?P<verb>\w+) (?P<count>\d+) (?P<things>\w+) in (?P<year>\d{4})\."
)


def said(text: str) -> Reply:
    message = {"role": "assistant", "content": text}
    usage = {"prompt_tokens": 100, "completion_tokens": 20}
    return Reply({"choices": [{"message": message, "finish_reason": "stop"}], "usage": usage})


class Writer:
    """Answers as a model might: writes from the passage, knows nothing, finds nothing elsewhere."""

    def __init__(self) -> None:
        self.known: dict[str, str] = {}
        """What it answers without a passage, by a part of the question."""
        self.elsewhere: dict[str, str] = {}
        self.quote = "{0}"
        self.cost: float | None = None
        """US dollars that the service says it takes for a call."""

    def __call__(self, asked: Asked) -> Reply:
        reply = self.reply(asked)
        if self.cost is not None:
            reply.value["usage"]["cost"] = self.cost
        return reply

    def reply(self, asked: Asked) -> Reply:
        system, user = (each["content"] for each in asked.json["messages"])
        if "write questions" in system:
            found = STATED.search(" ".join(user.split()))
            if not found:
                return said('{"question": ""}')
            question = f"How many {found['things']} did the {found['office']} have in {found['year']}?"
            row = {"question": question, "answer": found["count"], "quote": self.quote.format(found[0])}
            return said(f"Here it is:\n```json\n{json.dumps(row)}\n```")
        answers = self.known if "from what you know" in system else self.elsewhere
        return said(next((answer for part, answer in answers.items() if part in user), "I do not know."))


@pytest.fixture
def writer() -> Writer:
    return Writer()


@pytest.fixture
def server(writer: Writer) -> Iterator[Answering]:
    with Answering(writer) as running:
        yield running


@pytest.fixture(scope="module")
def reports(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_folder(tmp_path_factory.mktemp("reports"), 24)


def settings(server: Answering) -> dict[str, str]:
    return {"model": "m-1", "base-url": server.url("/v1")}


def test_a_set_is_written_verified_and_kept(
    server: Answering, writer: Writer, reports: Path, tmp_path: Path
) -> None:
    corpus = load_corpus(str(reports))
    writer.known = {"Brackwater": "I think it is 45.", "Corvale": "It is 5."}
    model = Model(settings(server), tmp_path)
    outcome = write_questions(corpus, model, 26, 1)
    assert check_questions(outcome.questions, corpus) == []
    assert outcome.believed >= 10
    texts = [each.text for each in outcome.questions.questions]
    assert not any("Aldermere Library Trust" in text and "in 45" in text for text in texts)
    calls = len(server.asked)
    assert 0 < calls <= plan(corpus, 26, 1).calls
    again = write_questions(corpus, Model(settings(server), tmp_path), 26, 1)
    assert again.questions.lines == outcome.questions.lines
    assert len(server.asked) == calls


def test_what_is_known_or_said_elsewhere_is_not_believed(
    server: Answering, writer: Writer, reports: Path
) -> None:
    corpus = load_corpus(str(reports))
    believed = write_questions(corpus, Model(settings(server), None), 26, 1)
    one = next(each for each in believed.questions.questions if each.answerable)
    office = re.search(r"the (\w+ \w+ \w+) have", one.text)
    assert office
    writer.known = {office[1]: f"{one.answers[0]}."}
    reasons = _reasons(corpus, server, office[1])
    assert "it is answered without the passage" in reasons
    writer.known, writer.elsewhere = {}, {office[1]: f"There were {one.answers[0]}."}
    assert "another passage answers it too" in _reasons(corpus, server, office[1])
    writer.elsewhere = {office[1]: "There were 77777."}
    assert "another passage answers it differently" in _reasons(corpus, server, office[1])


def _reasons(corpus: object, server: Answering, office: str) -> set[str]:
    outcome = write_questions(corpus, Model(settings(server), None), 26, 1)  # type: ignore[arg-type]
    return {reason for _, question, reason in outcome.rejected if office in question}


PASSAGE = Passage("a#1", "a", "A", 0, 65, "The crane was built in 1907 and lifts 40 percent of the stone.")


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ({"question": "How much does the crane lift?", "answer": "40 percent", "quote": PASSAGE.text}, ""),
        (
            {
                "question": "How much does the crane lift?",
                "answer": "40 percent",
                "quote": "It lifts 40 percent of sand.",
            },
            "quote",
        ),
        (
            {"question": "How much does the crane lift?", "answer": "50 percent", "quote": PASSAGE.text},
            "state the answer",
        ),
        (
            {"question": "What does the crane of 1907 lift?", "answer": "1907", "quote": PASSAGE.text},
            "holds its answer",
        ),
        (
            {"question": "What does the passage say?", "answer": "40 percent", "quote": PASSAGE.text},
            "points to",
        ),
        (
            {"question": "The crane lifts", "answer": "40 percent", "quote": PASSAGE.text},
            "no single question",
        ),
        ({"question": ""}, "nothing to ask"),
        ({"question": [1]}, "nothing to ask"),
        ([], "no JSON object"),
    ],
)
def test_what_is_written_is_read_with_distrust(row: object, reason: str) -> None:
    found = read_written(json.dumps(row), PASSAGE)
    if reason:
        assert isinstance(found, str)
        assert reason in found
    else:
        assert not isinstance(found, str)
        assert (found.asked.kind, found.asked.answer) == ("number", "40")


def test_the_command_says_the_cost_first_and_writes_a_file_to_read(
    server: Answering, reports: Path, verb: Verb, tmp_path: Path
) -> None:
    given = (
        "questions",
        "build",
        "--corpus",
        str(reports),
        "--size",
        "26",
        "--model",
        "m-1",
        "--base-url",
        server.url("/v1"),
    )
    dry = verb(*given, "--dry-run")
    assert (dry.code, server.asked) == (0, [])
    assert re.search(r"up to \d+ calls about \d+ passages, about \d+ tokens", dry.errors)
    assert "no price is listed" in dry.errors
    done = verb(*given, "--out", "written.jsonl")
    assert done.code == 0, done.errors
    assert "written by m-1" in " ".join(done.output.split())
    assert verb("questions", "check", "--corpus", str(reports), "--questions", "written.jsonl").code == 0
    frozen = verb("questions", "freeze", "--corpus", str(reports), "--questions", "written.jsonl")
    assert frozen.code == 0, frozen.output + frozen.errors
    assert verb("run", "--corpus", str(reports), "--quiet").code == 2  # so few are no result
    assert verb("questions", "build", "--model", "m-1").code == 3


def test_a_budget_ends_the_writing_and_what_was_paid_for_is_kept(
    server: Answering, writer: Writer, reports: Path, verb: Verb
) -> None:
    writer.cost = 0.01
    whole = ("questions", "build", "--corpus", str(reports), "--size", "52", "--model", "m-1")
    given = (*whole, "--base-url", server.url("/v1"))
    none = verb(*given, "--max-cost", "0.05")
    assert none.code == 3
    assert 0 < len(server.asked) <= 5
    assert "--max-cost 0.05 is used up" in " ".join(none.errors.split())
    assert "--max-cost 0.1" in none.errors  # the command that goes on, with twice as much
    paid = len(server.asked)
    some = verb(*given, "--max-cost", "0.6")
    assert some.code == 0, some.errors
    assert paid < len(server.asked) <= 60
    assert "stopped early" in " ".join(some.output.split())
    assert "continue with: ragharness questions build" in " ".join(some.errors.split())
    bodies = [asked.body for asked in server.asked]
    rest = verb(*given)
    assert rest.code == 0
    assert "stopped" not in rest.output + rest.errors
    assert not {asked.body for asked in server.asked[len(bodies) :]} & set(bodies)
    calls = len(server.asked)
    # A set whose answers are all there costs nothing more.
    assert "stopped" not in verb(*given, "--max-cost", "0.01").errors
    assert len(server.asked) == calls


def test_a_budget_needs_to_know_what_a_call_costs(server: Answering, reports: Path, verb: Verb) -> None:
    given = (
        "questions",
        "build",
        "--corpus",
        str(reports),
        "--model",
        "m-1",
        "--base-url",
        server.url("/v1"),
    )
    unknown = verb(*given, "--max-cost", "1")
    assert unknown.code == 3
    assert "expected every answer to report its cost" in " ".join(unknown.errors.split())
    assert "expected --max-cost above 0" in verb(*given, "--max-cost", "-1").errors
