"""Which values an answer commits to: its conclusion, not its working or the figures of the question."""

from __future__ import annotations

import time

import pytest

import ragharness
from ragharness.graders import load_grader
from ragharness.graders.reading.answer import parse_answer
from ragharness.graders.reading.records import profile_of
from ragharness.graders.reading.values import read_list, read_values
from ragharness.graders.verdicts import grade
from ragharness.questions.values import Precision
from ragharness.records import Answer, Distractor, Kind, Passage, Question

GRADER = load_grader("rules")


def asked(
    kind: Kind, text: str, *answers: str, unit: str = "", about: tuple[str, str] | None = None
) -> Question:
    precisions: tuple[Precision, ...] = ("year", "month", "day")
    precision: Precision = precisions[len(answers[0]) // 3 - 1] if kind == "date" else ""
    distractors = (Distractor(*about),) if about else ()
    return Question(
        id="q", text=text, stratum="grounded", kind=kind, answerable=True, answers=answers, unit=unit,
        date_precision=precision, distractors=distractors,
    )  # fmt: skip


def outcome(question: Question, text: str) -> str:
    passage = Passage("c#1", "c", "C", 0, 0, "")
    verdict = grade(GRADER, question, Answer(text=f"{text} [c#1]"), [passage], frozenset({"c#1"}))
    return verdict.bucket or verdict.status


RATIO = asked("number", "What was Norvale's working capital ratio in fiscal 2016?", "0.68")
MARGIN = asked("number", "What was Norvale's three-year average margin, in percent?", "6.2", unit="percent")
CAPITAL = asked("number", "What was Norvale's working capital in fiscal 2021?", "5818", unit="USD million")
EPISODES = asked("number", "How many episodes does season 4 of Harbour Lights have?", "23")
AGE = asked("number", "How old was Ada Brandt when she died?", "56")
INCOME = asked("number", "What operating income did Norvale report in 2024?", "7076", unit="USD million")
RELEASE = asked("date", "When did the film Harbour Lights come out?", "2018-02-09")
EXPIRY = asked("date", "When does the lease expire?", "2027-06-30")
AUTHOR = asked("text", "Who is the author of Harbour Lights?", "Ann Reed", about=("Tom Vane", "its editor"))
SUMS = "Current assets: $19,815 million\nCurrent liabilities: $13,997 million\n"

COMMITTED = [
    (RATIO, "The ratio is 0.68 (5,121.3 / 7,491.5).", "correct"),
    (RATIO, "The ratio is 5,121.3 / 7,491.5 = 0.68.", "correct"),
    (RATIO, "The ratio is 5,121.3 / 7,491.5 = 0.86.", "wrong"),
    (RATIO, "Divide assets by liabilities. The ratio is 0.68.", "correct"),
    (MARGIN, "The average is (6.0% + 6.3% + 6.2%) / 3 = 6.2%.", "correct"),
    (MARGIN, "The average is (6.0% + 6.4% + 6.2%) / 3 = 6.3%.", "needs_review"),
    (MARGIN, "The average margin was 6.3%.", "wrong"),
    (MARGIN, "The average margin was $6.3 million.", "needs_review"),
    (CAPITAL, f"{SUMS}Therefore, working capital was $5,818 million.", "correct"),
    (CAPITAL, f"{SUMS}Therefore, working capital was $6,818 million.", "wrong"),
    (CAPITAL, "Working capital was $5,818 million. Therefore, it was $6,818 million.", "needs_review"),
    (EPISODES, "Season 4 of Harbour Lights has 23 episodes.", "correct"),
    (EPISODES, "Season 4 of Harbour Lights has 21 episodes.", "wrong"),
    (AGE, "She was 56 years old.", "correct"),
    (AGE, "She was 65 years old.", "wrong"),
    (INCOME, "Interest income increased $503 million, or 47%, in fiscal 2024.", "wrong"),
    (RELEASE, "It is a film of 2018. It came out on 9 February 2018.", "correct"),
    (RELEASE, "The song came out in 2001, the film on 9 February 2018.", "correct"),
    (RELEASE, "It came out on 9 February 2018 or on 9 March 2018.", "wrong"),
    (AUTHOR, "It was originally written by Ann Reed.", "correct"),
    (AUTHOR, "Formerly the author was Ann Reed, now it is Tom Vane.", "wrong"),
    (AUTHOR, "It was written by Ann Reed and Bo Lind.", "needs_review"),
    (AUTHOR, "It was written by Ann Reed or Bo Lind.", "wrong"),
    (AUTHOR, "The author is Ann Reed's sister, Bo Lind.", "wrong"),
]


@pytest.mark.parametrize(("question", "text", "came_out"), COMMITTED)
def test_an_answer_commits_to_its_conclusion(question: Question, text: str, came_out: str) -> None:
    assert outcome(question, text) == came_out


@pytest.mark.parametrize(
    "moved", ["narrowed", "was revised", "shrank", "edged down", "was up", "fell", "reset"]
)
@pytest.mark.parametrize(("before", "now"), [("6.5%", "6.2%"), ("6.2%", "6.5%")])
def test_of_a_movement_its_end_is_meant(moved: str, before: str, now: str) -> None:
    expected = "correct" if now == "6.2%" else "wrong"
    assert outcome(MARGIN, f"It {moved} from {before} to {now}.") == expected
    assert outcome(MARGIN, f"It {moved} to {now} from {before}.") == expected


@pytest.mark.parametrize(
    ("question", "text", "came_out"),
    [
        (MARGIN, "The margin is not given. Dividing 62 by 1,000 gives 6.2%.", "correct"),
        (MARGIN, "The margin is not given. Dividing 62 by 900 gives 6.9%.", "needs_review"),
        (MARGIN, "The average margin is not given. The average margin was therefore 6.9%.", "wrong"),
        (
            EXPIRY,
            "While the passages don't include the full lease, it expires on 30 June 2027.",
            "needs_review",
        ),
        (RELEASE, "The passages don't say when it came out. A song was recorded in May 2019.", "refused"),
        (AUTHOR, "The author is Ann Reed. The passages give no details of her life.", "correct"),
        (AUTHOR, "The passages do not name the author.", "refused"),
    ],
)
def test_what_answers_beside_a_decline_is_no_refusal(question: Question, text: str, came_out: str) -> None:
    assert outcome(question, text) == came_out


@pytest.mark.parametrize(
    ("question", "golds", "text", "came_out"),
    [
        ("What is the fee for early repayment?", (), "2%", "unsupported"),
        ("How many branches are there?", (), "There are 412 branches.", "unsupported"),
        ("What is the fee for early repayment?", (), "The passages do not give it.", "refused"),
        ("What did the bank spend on security?", ("6.7",), "$6.7 million", "needs_review"),
        ("How many museums applied?", ("400",), "90 percent", "wrong"),
        ("Is the facility secured?", ("no",), "There are no pledges.", "needs_review"),
        ("May the borrower prepay without penalty?", ("yes",), "A prepayment fee applies.", "needs_review"),
        ("May the borrower prepay without penalty?", ("yes",), "It may prepay at any time.", "correct"),
        ("Who is the chief executive?", ("Tom Hale",), "Anna Berg; it is no longer Tom Hale.", "wrong"),
        ("How long is the term?", ("5 years",), "It is no longer than 5 years.", "correct"),
        ("What was the loss for the year?", ("£12.4 million",), "(£12.4m)", "correct"),
        ("What was the profit for the year?", ("£12.4 million",), "(£12.4m)", "wrong"),
        ("Who signed the lease?", ("Ann Reed",), "Redacted.", "refused"),
    ],
)
def test_questions_as_a_user_asks_them(
    question: str, golds: tuple[str, ...], text: str, came_out: str
) -> None:
    verdict = ragharness.grade(question, text, golds=golds)
    assert (verdict.bucket or verdict.status) == came_out


@pytest.mark.parametrize(
    "piece",
    ["5 ", "$5 or 6, ", "1 March 2021 ", "Ann Reed and Bo Lind, ", "= 5 / 6 ", "from 5 to 6 ", "so 5; "],
)
@pytest.mark.parametrize("question", [CAPITAL, RELEASE, AUTHOR], ids=lambda each: each.kind)
def test_long_texts_of_values_take_linear_time(question: Question, piece: str) -> None:
    answer = Answer(text=piece * (100_000 // len(piece)))
    parts = parse_answer(answer, question.text, ()).sentences
    begin = time.process_time()
    read_values(parts, question, profile_of(question), declined=False)
    read_list(parts, question, profile_of(question))
    assert time.process_time() - begin < 2
