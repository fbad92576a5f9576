"""What golds are: kinds guessed, units that the question states, and what the rules cannot decide."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from ragharness.questions.import_table import read_table
from ragharness.questions.values import (
    asks_money,
    asks_when,
    interrogative,
    is_polar,
    kind_of,
    stated_unit,
    typed,
    undecidable,
)

if TYPE_CHECKING:
    from commands import Verb


@pytest.mark.parametrize(
    ("question", "clause"),
    [
        ("Is it long?", "Is it long?"),
        ("who wrote it", "who wrote it"),
        ("Did net sales rise? If they did not, say why.", "Did net sales rise?"),
        ("See page 3. Did Acme Inc. grow in 2022? Say why.", "Did Acme Inc. grow in 2022?"),
        ("Answer as an analyst: has it paid a dividend?", "has it paid a dividend?"),
        ("?", "?"),
    ],
)  # fmt: skip
def test_the_clause_that_asks(question: str, clause: str) -> None:
    assert interrogative(question) == clause


@pytest.mark.parametrize(
    ("question", "polar"),
    [
        ("Is it long?", True),
        ("do you need a permit", True),
        ("Based on its report, does Acme own the plant? If not, who does?", True),
        ("Hasn't Acme paid a dividend?", True),
        ("Which plant does Acme own?", False),
        ("Of the plants that Acme owns, which has it sold?", False),
        ("When it closed, what did Acme do?", False),
        ("What if it is long, is it dear?", False),
        ("Name the plant.", False),
    ],
)
def test_polar_questions(question: str, polar: bool) -> None:
    assert is_polar(question) is polar


@pytest.mark.parametrize(
    ("question", "unit"),
    [
        ("What is its debt? Answer in USD millions.", "USD million"),
        ("What is its debt (in USD billions)?", "USD billion"),
        ("What is its debt, in billions of dollars?", "USD billion"),
        ("What is its debt in $ thousands?", "USD thousand"),
        ("What is its output in billions?", "billion"),
        ("What is its margin? Answer in units of percents.", "percent"),
        ("What is its margin in %?", "percent"),
        ("What is the prize, in pounds sterling?", "GBP"),
        ("How many years did it last?", "years"),
        ("How many business days is the notice?", "days"),
        ("How many plants has it?", ""),
        ("What is its debt?", ""),
    ],
)
def test_the_unit_that_a_question_states(question: str, unit: str) -> None:
    assert stated_unit(question) == unit


@pytest.mark.parametrize(
    ("given", "unit", "question", "answers", "read"),
    [
        (["$1577.00"], "", "What is its debt? Answer in USD millions.", ("1577",), "USD million"),
        (["$8.70"], "", "What is its debt? Answer in USD billions.", ("8.7",), "USD billion"),
        (["$1.577 billion"], "", "What is its debt, in USD millions?", ("1577",), "USD million"),
        (["1577"], "", "What is its debt, in USD millions?", ("1577",), "USD million"),
        (["$5"], "", "What is its debt in billions?", ("5",), "USD billion"),
        (["21.4%"], "", "What is its margin, in units of percents?", ("21.4",), "percent"),
        (["21.4%"], "", "What is its share in billions?", ("21.4",), "percent"),
        (["56"], "", "How many years did it last?", ("56",), "years"),
        (["$391,035 million"], "USD million", "What are its sales?", ("391035",), "USD million"),
        (["$391,035 million"], "", "What are its sales?", ("391035",), "USD million"),
        (["$75,000"], "", "What is the fee?", ("75000",), "USD"),
        (["291 episodes", "291"], "", "How many episodes are there?", ("291",), ""),
        (["The 1"], "", "Which number is it?", ("1",), ""),
        (["9.5x"], "", "What is the multiple?", ("9.5",), ""),
    ],
)
def test_numbers_take_the_scale_of_the_question(
    given: list[str], unit: str, question: str, answers: tuple[str, ...], read: str
) -> None:
    found = typed("", given, unit, question)
    assert (found.kind, found.answers, found.unit) == ("number", answers, read)


@pytest.mark.parametrize(
    ("given", "question", "answers", "precision"),
    [
        (["1981", "January 17, 1981"], "When was it sung?", ("1981", "1981-01-17"), "year"),
        (["1981", "81"], "When was it sung?", ("1981",), "year"),
        (["in 1876", "1876"], "when was it planted", ("1876",), "year"),
        (["Wednesday, 5 September 1666"], "When did it end?", ("1666-09-05",), ""),
        (["Wednesday, 5 September 1666"], "On what day did it end?", ("1666-09-05",), "day"),
        (["September 1666"], "In which month did it end?", ("1666-09",), "month"),
    ],
)
def test_dates(given: list[str], question: str, answers: tuple[str, ...], precision: str) -> None:
    found = typed("", given, "", question)
    assert (found.kind, found.answers, found.precision) == ("date", answers, precision)


@pytest.mark.parametrize(
    ("given", "question", "kind"),
    [
        (["Yes, it has 900 pages."], "Is it long?", "yesno"),
        (["No. It is short."], "Is it long? If not, say how long it is.", "yesno"),
        (["Yes"], "Who sang it?", "yesno"),
        (["Yes, We Can"], "Who sang it?", "text"),
        (["No. 5"], "Is it No. 4 or No. 5?", "text"),
        (["Norway"], "Is it Norway?", "text"),
        (["Yes, it is.", "long"], "Is it long?", "text"),
        (["7 a.m."], "What time does it open?", "text"),
        (["78.5°W"], "Where is it?", "text"),
        (["Category 4"], "What category was it?", "text"),
        (["1981", "81"], "How many pages has it?", "number"),
        (["1981"], "How many years did it last?", "number"),
        (["12 plants"], "How many has it?", "text"),
        (["one apple"], "What was eaten?", "text"),
        ([], "What was eaten?", "text"),
        ([], "Was it eaten?", "yesno"),
    ],
)
def test_kinds(given: list[str], question: str, kind: str) -> None:
    assert kind_of("", given, question) == kind


def test_the_explanation_behind_yes_is_dropped() -> None:
    found = typed("", ["Yes. It has 900 pages."], "", "Is it long? If not, say how long it is.")
    assert (found.answers, found.proposition) == (("yes",), "Is it long")


def test_golds_that_fit_no_guessed_kind_are_texts_and_a_named_kind_is_held_to() -> None:
    assert typed("", ["$5", "5 euros"], "", "How much?").kind == "text"
    with pytest.raises(ValueError, match="expected answers in one unit, found EUR, USD"):
        typed("number", ["$5", "5 euros"], "", "How much?")


def test_what_is_asked() -> None:
    assert asks_when("When did it end?")
    assert not asks_when("How many years did it last?")
    assert asks_money("What is its net income in 2022?")
    assert not asks_money("What is its net income margin?")
    assert not asks_money("Who paid the price?")


@pytest.mark.parametrize(
    ("gold", "question", "why"),
    [
        ("Ann Lee", "Who wrote it?", ""),
        ("There are none", "Which are listed?", ""),
        ("the Old Man and the Sea", "Which book is it?", ""),
        ("Its sales have fallen since May", "What happened?", "sentence"),
        ("lower prices, higher costs and a strike at the port", "What drove it?", "sentence"),
        ("1577", "What is its net income?", "no unit"),
        ("1577", "What is its net income in USD millions?", ""),
        ("1577", "How many shares were sold at this price?", ""),
        ("Yes, it has 900 pages and is long.", "Is it long?", ""),
    ],
)
def test_golds_that_the_rules_cannot_decide(tmp_path: Path, gold: str, question: str, why: str) -> None:
    content = json.dumps({"question": question, "answer": [gold]}).encode()
    (found,) = read_table(content, tmp_path / "q.jsonl").questions
    assert undecidable(found) == why


def test_a_short_gold_beside_a_sentence_can_be_decided(tmp_path: Path) -> None:
    answers = ["The segment that shrank most is that of consumers.", "consumers"]
    content = json.dumps({"question": "Which segment shrank?", "answer": answers}).encode()
    assert undecidable(read_table(content, tmp_path / "q.jsonl").questions[0]) == ""


def test_loading_and_checking_say_how_many(verb: Verb, tmp_path: Path) -> None:
    folder = tmp_path / "docs"
    folder.mkdir()
    text = "Ann Lee wrote the book. The book sold well because it was short and cheap."
    (folder / "a.txt").write_text(f"The book\n\n{text}\n", encoding="utf-8")
    rows = [
        {"id": "a", "question": "Who wrote the book?", "answer": "Ann Lee", "evidence": text[:23]},
        {
            "id": "b",
            "question": "Why did the book sell?",
            "answer": "It sold well because it was short and cheap.",
            "evidence": "The book sold well because it was short and cheap.",
        },
    ]  # fmt: skip
    (tmp_path / "q.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    told = verb("questions", "check", "--corpus", "docs", "--questions", "q.jsonl").output
    assert "1 of 2 golds are sentences, which the rules leave to review" in " ".join(told.split())
    done = verb("questions", "check", "--corpus", "docs", "--questions", "q.jsonl", "--json")
    assert json.loads(done.output)["undecidable"] == {"b": "sentence"}
    ran = verb("run", "--corpus", "docs", "--questions", "q.jsonl", "--pipeline", "refuse")
    assert "1 of 2 golds are sentences" in ran.errors
