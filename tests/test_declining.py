"""Refusals: which answers decline the question, which only a side point, and what stands beside a decline."""

from __future__ import annotations

import time

import pytest

from ragharness.graders.reading.refusal import Refusal, read_refusal
from ragharness.language.words import sentences
from ragharness.records import Kind, Question

MARGIN = "What was Calder Ridge's operating margin in fiscal 2023?"


def refusal(
    text: str, question: str = MARGIN, kind: Kind = "number", answers: tuple[str, ...] = ()
) -> Refusal:
    asked = Question(
        id="q",
        text=question,
        stratum="grounded",
        target="correct",
        kind=kind,
        answerable=bool(answers),
        answers=answers,
    )
    return read_refusal([text[start:end] for start, end in sentences(text)], asked)


REFUSED = {
    "the speaker cannot": "I am not able to determine the operating margin for fiscal 2023.",
    "no access": "As an AI model I don't have access to company filings, so I can't tell you.",
    "absence": "There is no information about the operating margin of Calder Ridge in the passages.",
    "silence": "The excerpt does not give an operating margin for Calder Ridge.",
    "what is necessary": "The excerpt does not provide the information needed to answer the question.",
    "missing input": "You have not provided the income statement. Please share it so that I can work out the margin.",
    "impossible without": "Without the revenue for fiscal 2023 it is impossible to calculate the operating margin.",
    "how to find it": "I do not have access to the filing. You can find the operating margin in the annual report, on the page of the income statement.",
    "how to work it out": "I cannot calculate the margin. Divide the operating income by revenue. Multiply the result by 100.",
    "a recipe alone": "To determine the operating margin, you would need to look at the income statement of fiscal 2023.",
    "background": "The passages do not state the operating margin. Such filings typically list operating income and revenue. The margin is a measure of profitability.",
    "an example": "I do not have the figures. For example, if revenue were $200 million and operating income $30 million, the margin would be 15%.",
    "a formula": "I cannot compute it from what is given. The formula is: Operating margin = operating income / revenue",
    "partial figures": "The documents give revenue of $412 million but not the operating income, so the operating margin cannot be computed.",
    "figures before a decline": "Revenue was $412 million in fiscal 2023. Operating income is not stated, so I cannot calculate the operating margin.",
}  # fmt: skip
COMMITTED = {
    "a side point is not known": "The operating margin was 12.4%. The text does not say how it compares with peers.",
    "a hedge, then the answer": "I cannot be certain, but based on the income statement the operating margin is 12.4%.",
    "a guess": "The passages do not state the operating margin, but it is probably about 12%.",
    "a conclusion": "The operating margin is not stated directly. Therefore, the operating margin was 12.4%.",
    "an estimate": "The margin is not given. I would estimate 12%.",
    "working shown": "To find the margin we need income and revenue. Operating margin = 51.1 / 412 = 12.4%",
    "no access, but it knows": "As an AI model I don't have access to live data. However, the operating margin was 12.4% in fiscal 2023.",
}  # fmt: skip


@pytest.mark.parametrize("text", REFUSED.values(), ids=REFUSED.keys())
def test_a_refusal_offers_nothing(text: str) -> None:
    found = refusal(text)
    assert (found.declined, found.sure) == (True, True)


@pytest.mark.parametrize("text", COMMITTED.values(), ids=COMMITTED.keys())
def test_an_answer_beside_a_decline_is_left_to_be_read(text: str) -> None:
    assert not refusal(text).sure


WHETHER = "Did Calder Ridge pay a dividend in fiscal 2023?"


@pytest.mark.parametrize(
    ("text", "sure"),
    [
        ("To determine whether Calder Ridge paid a dividend, you would need to check its cash flow statement.", True),
        ("I have no access to its filings. If a dividend was paid, it would be listed under financing activities.", True),
        ("To answer this, I looked at the cash flow statement: Calder Ridge paid a dividend.", False),
        ("I couldn't find the amount, but yes, it paid a dividend.", False),
        ("It did not pay a dividend.", False),
        ("There were no dividends in fiscal 2023.", False),
    ],
)  # fmt: skip
def test_whether_something_happened(text: str, sure: bool) -> None:
    assert refusal(text, WHETHER, "text", ("No",)).sure is sure


FOUND = "What did the inspector find about fraud?"


def test_absence_may_be_the_answer() -> None:
    assert not refusal("No evidence of fraud.", FOUND, "text", ("no evidence of fraud",)).declined
    assert refusal("No evidence is given on that.", FOUND, "text", ("no evidence of fraud",)).declined
    books = "The Harlow edition holds seven books that are not included in the Brent edition."
    assert not refusal(
        books, "Which books are in the Harlow edition?", "text", ("seven further books",)
    ).declined


CONTRACT = "Under the Halden Agreement, must the receiving party return or destroy confidential information?"


@pytest.mark.parametrize(
    ("text", "silent"),
    [
        ("The agreement imposes no duty to return or destroy confidential information.", True),
        ("The agreement does not require the receiving party to return confidential information.", True),
        ("Nothing in the agreement obliges the receiving party to destroy confidential information.", True),
        ("No. The agreement contains no clause on returning confidential information.", True),
        ("No return-or-destroy obligation is included in this agreement.", True),
        ("There is no obligation to destroy information in this agreement.", True),
        ("The agreement sets no return duty, so the receiving party may keep it.", False),
        ("The receiving party must return it within ten days.", False),
        ("The receiving party shall not keep confidential information.", False),
    ],
)  # fmt: skip
def test_silence_on_a_clause_in_any_wording(text: str, silent: bool) -> None:
    assert refusal(text, CONTRACT, "yesno").sure is silent


APPROVED = "How many drugs did the Bureau of Grants approve under the Lowland Act?"


@pytest.mark.parametrize(
    ("text", "corrected"),
    [
        ("It was the Ministry, not the Bureau of Grants, that approved drugs under the Lowland Act; the Ministry approved four.", True),
        ("The Bureau of Grants did not approve any drugs; the Ministry of Health approved four in 2020.", True),
        ("The Bureau of Grants approved four drugs, not five.", False),
        ("The Bureau of Grants approved four drugs.", False),
    ],
)  # fmt: skip
def test_a_corrected_premise_stays_one_whatever_it_adds(text: str, corrected: bool) -> None:
    found = refusal(text, APPROVED)
    assert (found.premise_corrected, found.sure) == (corrected, corrected)


def test_an_answer_from_another_document() -> None:
    asked = "When did the visits end according to report AB-26-553?"
    other = "I have no report AB-26-553. The report AB-26-551 says that the visits ended in September 2024."
    found = refusal(other, asked, "date")
    assert found.declined
    assert found.sure
    assert not refusal(
        "The report AB-26-553 says that the visits ended in September 2024.", asked, "date"
    ).declined


def test_a_question_back_is_no_decline() -> None:
    found = refusal("I'm not sure what you mean. Do you mean the gross or the operating margin?")
    assert found.clarification


@pytest.mark.parametrize(
    "text", ["I do not know. " * 6_500, "The margin of the company and " * 3_400], ids=["short", "one"]
)
def test_reading_is_linear_in_the_length(text: str) -> None:
    started = time.process_time()
    refusal(text)
    assert time.process_time() - started < 1.0
