"""Free text: what is measured of it, how it is weighed, and what the thresholds make of it."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragharness.errors import UsageError
from ragharness.graders import load_grader
from ragharness.graders.reading.measures import measure
from ragharness.graders.reading.texts import another_name, load_weights, operating_point, score
from ragharness.graders.rules import measures_of
from ragharness.language.matching import fold, tokens
from ragharness.questions.values import typed
from ragharness.records import Answer, Question, Reading

CAPITAL = Question(
    id="q", text="What is the capital of Ruritania?", stratum="grounded", kind="text", answerable=True,
    answers=("Strelsau",),
)  # fmt: skip
MARGIN = "Operating margin fell to 17.2% because freight costs and wages rose while prices stayed flat."


def reading(question: Question, answer: str, false_correct: float | None = None) -> Reading:
    return load_grader("rules", false_correct).read(question, Answer(text=answer), [], frozenset())


def asked(text: str, gold: str) -> Question:
    read = typed("", [gold], "", text)
    return Question(
        id="q", text=text, stratum="grounded", kind=read.kind, answerable=True, answers=read.answers,
        aliases=read.reasons, proposition=read.proposition,
    )  # fmt: skip


def test_the_weights_are_those_of_the_measures() -> None:
    weights = load_weights()
    assert set(weights.weights) == set(weights.means) == set(measures_of(CAPITAL, Answer(text="Strelsau.")))
    assert weights.answers > 5000


def test_what_is_stated_outweighs_what_is_not() -> None:
    right = score(measures_of(CAPITAL, Answer(text="The capital of Ruritania is Strelsau.")))
    wrong = score(measures_of(CAPITAL, Answer(text="The capital of Ruritania is Zenda.")))
    assert right.probability > 0.95
    assert wrong.probability < 0.2
    sizes = [abs(points) for _, points in wrong.weighed]
    assert sizes == sorted(sizes, reverse=True)
    heaviest, points = wrong.weighed[0]
    assert heaviest == "words"
    assert points < 0
    assert dict(wrong.weighed)["words"] < dict(right.weighed)["words"]


@settings(max_examples=60)
@given(st.text(max_size=60), st.lists(st.text(max_size=30), max_size=4), st.text(max_size=200))
def test_measures_are_finite_whatever_the_text(question: str, golds: list[str], answer: str) -> None:
    found = measure(question, golds, answer)
    assert all(math.isfinite(value) and 0 <= value <= 12 for value in found.values())


def test_words_are_compared_without_case_accents_plurals_and_numerals() -> None:
    assert tokens(fold("The Cafés of King Henry VIII")) == tokens(fold("cafe of king Henry 8"))
    assert tokens(fold("sung byZelda")) == ["sung", "by", "zelda"]
    assert tokens(fold("McCoy")) == ["mccoy"]


def test_a_lower_rate_of_false_corrects_asks_for_more() -> None:
    thresholds = [operating_point(rate)[1] for rate in (0.005, 0.0075, 0.01, 0.015, 0.02, 0.05)]
    assert thresholds == sorted(thresholds, reverse=True)
    assert operating_point(0.0175)[1] == pytest.approx((thresholds[3] + thresholds[4]) / 2)
    with pytest.raises(
        UsageError, match=r"expected a rate of false corrects from 0\.0025 to 0\.05, found 0\.5"
    ):
        operating_point(0.5)


def test_the_operating_point_is_part_of_the_version_and_moves_verdicts() -> None:
    assert load_grader("rules").version == load_grader("rules", 0.0095).version
    assert load_grader("rules", 0.02).version.endswith("(false correct 0.02)")
    answer = (
        "The capital is Strelsau or so they say, in the days of the fifth Rudolf, who was crowned in Zenda."
    )
    likely = reading(CAPITAL, answer).score
    assert likely is not None
    strict, loose = reading(CAPITAL, answer, 0.0025), reading(CAPITAL, answer, 0.05)
    assert (strict.match, loose.match) != ("match", "none")


@pytest.mark.parametrize(
    ("answer", "gold", "other"),
    [
        ("The House Committee on Coasts and Fisheries.", "Senate Committee on Coasts and Fisheries", True),
        ("Notices go to 21 Quay Street.", "12 Quay Street", True),
        ("The Senate Committee on Coasts and Fisheries.", "Senate Committee on Coasts and Fisheries", False),
        ("Robert J. Anderson", "Robert James Anderson", False),
        ("The Cheyenne River and the Belle Fourche River.", "Belle Fourche and Cheyenne", False),
        ("Zenda", "Strelsau", False),
    ],
)
def test_a_name_with_another_word_in_its_place(answer: str, gold: str, *, other: bool) -> None:
    assert bool(another_name(answer, [gold])) == other


def test_another_name_is_never_taken_for_the_gold() -> None:
    question = asked("Which committee held the hearing?", "Senate Committee on Coasts and Fisheries")
    read = reading(question, "The House Committee on Coasts and Fisheries held the hearing.")
    assert read.match != "match"


def test_a_sentence_as_gold_is_right_with_its_figures_and_most_of_its_words_and_never_wrong() -> None:
    question = asked("Why did the margin change?", MARGIN)
    held = "The operating margin fell to 17.2% as freight costs and wages rose and prices stayed flat."
    assert reading(question, held).match == "match"
    for open_ in ("Because of currency effects.", held.replace("17.2", "16.1")):
        read = reading(question, open_)
        assert read.match == "none"
        assert "sentence" in read.unreadable


def test_a_sentence_as_gold_makes_nothing_wrong_beside_a_decline() -> None:
    question = asked("Why did the operating margin fall in 2023?", MARGIN)
    said = "The excerpt does not say why. Based on it, operating margin fell as a result of two acquisitions."
    read = reading(question, said)
    assert (read.status, read.match) == ("needs_review", "none")


def test_a_yes_whose_gold_gives_reasons_needs_them() -> None:
    question = asked("Did the margin fall?", "Yes. It fell by 310 basis points because of freight costs.")
    assert question.kind == "yesno"
    assert reading(question, "Yes, it fell by 310 basis points due to freight costs.").match == "match"
    assert "reasons" in reading(question, "Yes, it fell by 2 points.").unreadable
    assert reading(question, "No, the margin did not fall.").match == "mismatch"
    bare = asked("Did the margin fall?", "Yes")
    assert reading(bare, "Yes, it fell by 2 points.").match == "match"
