"""The ``rules`` grader on labelled answers, on minimal pairs, and on whatever text a pipeline may return."""

from __future__ import annotations

import time
from pathlib import Path
from typing import NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragharness.graders import load_grader
from ragharness.graders.verdicts import CaseResult, check_cases, grade
from ragharness.records import Answer, Distractor, Passage, Question, Verdict

CASES = sorted((Path(__file__).parent / "cases").glob("*.json"))
GRADER = load_grader("rules")

LEFT_TO_A_PERSON = {
    "y164",  # a leading word against a clause that the patterns do not tie to the proposition
    "l018",  # every item denied
    "r023",  # an answer behind two clauses that decline and generalise
    "r100",  # silence with what there is instead, in words that share the attribute
    "r201",  # the holder of another rank, then silence on the one asked about
    "y038",  # "says nothing against" is no silence
    "a045",  # the value, and another for another case, which the passage contradicts
    "n055",  # "not less than four years": a bound, where the passage states the term itself
    "n095",  # "made up": a verb that neither the question nor the passage has
    "t063",  # "pointed to": another one
}
"""Cases that the rules are known not to read as a careful person does; none of them ends as correct."""


NOT_SUPPORTED = {"a031", "t060", "z003", "z057", "z063", "z068", "z088", "b38"}
"""A paraphrase, another voice or a row of a table that the scorer of support calls not supported."""
SUPPORTED = {"r101", "y170", "z093", "z098", "b33", "b49"}
"""What a passage says of a neighbour in nearly the same words, and the scorer calls supported."""


def differing(path: Path) -> dict[str, CaseResult]:
    """Cases that come out otherwise than expected, errors of the scorer of support aside, which are few."""
    failed = {result.case.id: result for result in check_cases(path, GRADER) if result.differences}
    for id_, result in tuple(failed.items()):
        wanted, said = result.differences.get("citation_supports", (None, None))
        known = {"undetermined": True, "no": id_ in NOT_SUPPORTED, "yes": id_ in SUPPORTED}
        if set(result.differences) == {"citation_supports"} and wanted and known.get(said, False):
            del failed[id_]
    return failed


def test_support_is_seldom_left_open_in_the_labelled_cases() -> None:
    said = [
        (result.case.expected["citation_supports"], result.verdict.citation_supports)
        for path in CASES
        for result in check_cases(path, GRADER)
        if result.case.expected.get("citation_supports")
    ]
    assert len(said) > 100
    assert sum(got == "undetermined" for _, got in said) < 0.15 * len(said)
    assert sum(got == wanted for wanted, got in said) > 0.75 * len(said)


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_the_labelled_cases(path: Path) -> None:
    failed = differing(path)
    assert set(failed) <= LEFT_TO_A_PERSON, [
        failed[id_].differences for id_ in set(failed) - LEFT_TO_A_PERSON
    ]
    assert not [id_ for id_, result in failed.items() if result.verdict.bucket == "correct"]


IN_SPANISH = {"b47", "b48"}
"""Answers in Spanish: no labelled answer says how often the rules would read the language right."""


@pytest.mark.parametrize("name", ["bucket_cases.json", "model_style_cases.json"])
def test_the_shared_cases_from_their_text(shared: Path, name: str) -> None:
    path = shared / "spec" / "cases" / name
    assert len(list(check_cases(path, GRADER))) >= 20
    failed = differing(path)
    assert set(failed) <= IN_SPANISH, failed
    assert {result.verdict.status for result in failed.values()} <= {"needs_review"}


class Setting(NamedTuple):
    """A question with what was retrieved for it."""

    question: Question
    passages: dict[str, str]
    supporting: frozenset[str]


CONTRACT = {
    "c1#3": "This Agreement shall remain in force for a period of three (3) years from the Effective Date of 1 March 2021.",
    "c1#7": "Each party shall keep the Confidential Information secret for five (5) years after termination.",
    "c1#11": "Notices shall be sent to the legal department in Oslo.",
}
SHARING = {
    "p4": "The Receiving Party may disclose Confidential Information to those of its employees who need to know it.",
    "p3": "The Receiving Party shall use the Confidential Information solely for the Purpose.",
}
TERM = Setting(
    Question(id="term", text="How long does the Agreement remain in force?", kind="text", stratum="grounded",
             answerable=True, answers=("three years", "3 years"), distractors=(Distractor("five years"),)),
    CONTRACT, frozenset({"c1#3"}),
)  # fmt: skip
MISSED = TERM._replace(passages={id_: text for id_, text in CONTRACT.items() if id_ != "c1#3"})
DATE = Setting(
    Question(id="date", text="What is the Effective Date?", kind="date", stratum="grounded", answerable=True,
             answers=("2021-03-01",), date_precision="day"),
    CONTRACT, frozenset({"c1#3"}),
)  # fmt: skip
PENALTY = Setting(
    Question(id="penalty", text="What penalty applies to a late notice under the Agreement?", kind="text",
             stratum="unanswerable", answerable=False),
    {"c1#11": CONTRACT["c1#11"], "c1#7": CONTRACT["c1#7"]}, frozenset(),
)  # fmt: skip
MAY = Setting(
    Question(id="may", text="May the receiving party share Confidential Information with its employees?", kind="yesno",
             stratum="grounded", answerable=True, answers=("yes",),
             proposition="The receiving party may share Confidential Information with its employees."),
    SHARING, frozenset({"p4"}),
)  # fmt: skip
BARRED = Setting(
    Question(id="barred", text="Is the receiving party prevented from sharing Confidential Information with its employees?",
             kind="yesno", stratum="grounded", answerable=True, answers=("no",), yes_means=False,
             proposition="The receiving party may share Confidential Information with its employees."),
    SHARING, frozenset({"p4"}),
)  # fmt: skip
SALES = Setting(
    Question(id="sales", text="What were Borealis Oy's net sales in fiscal 2024, in millions of euros?", kind="number",
             stratum="grounded", answerable=True, answers=("391035",), unit="EUR million",
             distractors=(Distractor("383285", "fiscal 2023"),)),
    {"f12": "Net sales | 391,035 | 383,285 (EUR million; fiscal 2024, 2023)"}, frozenset({"f12"}),
)  # fmt: skip

TRIES: list[tuple[Setting, str, str]] = [
    (TERM, "**Three years** [c1#3]", "correct"),
    (
        TERM,
        "According to passage c1#3, the Agreement remains in force for a period of three (3) years.",
        "correct",
    ),
    (TERM, "The Agreement remains in force for three years.[^1]\n\n[^1]: c1#3", "correct"),
    (
        TERM,
        "The Agreement remains in force for three years.\n\n**Sources:**\n- [c1#3] This Agreement shall ...",
        "correct",
    ),
    (TERM, "<think>Five years? No.</think>It lasts three years [c1#3].", "correct"),
    (TERM, "<think>Five years? No.", "no_answer"),
    (TERM, "Three years [2].", "unsupported"),
    (
        TERM,
        "While secrecy lasts five years [c1#7], the Agreement itself remains in force for three years [c1#3].",
        "correct",
    ),
    (TERM, "Not more than three years [c1#3].", "correct"),
    (TERM, "The Agreement does not remain in force for three years [c1#3].", "wrong"),
    (TERM, "Between three and five years [c1#3].", "wrong"),
    (TERM, "Three years, not five [c1#3].", "correct"),
    (TERM, "Il contratto resta in vigore per un periodo di tre anni a partire dalla firma.", "needs_review"),
    (TERM, "It remains in force for a limited period.", "needs_review"),
    (MISSED, "I don't know, but typically such agreements run for three years.", "needs_review"),
    (MISSED, "Five years [c1#7].", "wrong"),
    (DATE, "March 1, 2021 [c1#3]", "correct"),
    (DATE, "In 2021 [c1#3].", "wrong"),
    (DATE, "01/03/2021 [c1#3]", "needs_review"),
    (PENALTY, "There is no penalty.", "refused"),
    (PENALTY, "A fee of $500 applies [c1#11].", "unsupported"),
    (PENALTY, "Which agreement do you mean?", "refused"),
    (MAY, "It may [p4].", "correct"),
    (MAY, "Disclosure is prohibited except to employees who need to know [p4].", "correct"),
    (MAY, "The receiving party is not allowed to share it with employees [p4].", "wrong"),
    (MAY, "Yes, it may not [p4].", "needs_review"),
    (MAY, "Yes and no.", "needs_review"),
    (MAY, "No. The passages do not address sharing with employees.", "refused"),
    (MAY, '{"answer": true, "sources": ["p4"]}', "correct"),
    (BARRED, "Nothing prevents it from sharing with employees [p4].", "correct"),
    (BARRED, "Yes, sharing with employees is prohibited [p4].", "wrong"),
    (BARRED, "Absolutely not. Employees may receive it [p4].", "correct"),
    (SALES, "Net sales rose from €383.3 billion to €391.0 billion [f12].", "correct"),
    (SALES, "In 2023: 383,285; in 2024: 391,035 [f12].", "correct"),
    (SALES, "$391,035 million [f12]", "wrong"),
    (SALES, "Net sales grew 2% to €391,035 million in fiscal 2024 [f12].", "correct"),
    (SALES, "Net sales were €391,035 thousand [f12].", "wrong"),
]


def judge(setting: Setting, text: str) -> Verdict:
    passages = [
        Passage(id_, id_.partition("#")[0], "", 0, len(body), body) for id_, body in setting.passages.items()
    ]
    return grade(GRADER, setting.question, Answer(text=text), passages, setting.supporting)


@pytest.mark.parametrize(("setting", "text", "wanted"), TRIES)
def test_answers_as_models_write_them(setting: Setting, text: str, wanted: str) -> None:
    verdict = judge(setting, text)
    assert (verdict.bucket or verdict.status) == wanted, verdict.why


def test_the_fourth_citation_does_not_count() -> None:
    text = "The Agreement remains in force for three years [c1#11][c1#7][c9#9][c1#3]."
    assert judge(TERM, text).bucket == "unsupported"
    assert judge(TERM, text.replace("[c9#9]", "")).bucket == "correct"


def test_sentences_carry_their_support() -> None:
    verdict = judge(TERM, "Three years [c1#3]. Notices go to the legal department in Oslo [c1#11].")
    assert [sentence.citation_support for sentence in verdict.sentences] == [(True,), (True,)]
    assert all(sentence.is_claim for sentence in verdict.sentences)
    assert verdict.value == "Three years"


def test_what_stands_word_for_word_in_its_passage_is_supported() -> None:
    other = "The older Agreement remains in force for a period of five years."
    setting = TERM._replace(passages={**CONTRACT, "c1#9": other})
    quoted = judge(setting, f"{other} [c1#9]")
    assert (quoted.bucket, quoted.citation_supports) == ("wrong", "yes")
    for changed in (f"{other} [c1#11]", f"{other} [c1#9]".replace("five", "six")):
        assert judge(setting, changed).citation_supports == "no"


def test_a_sentence_that_says_where_the_answer_stands_lends_its_mark() -> None:
    assert judge(TERM, "It lasts three years. This is set out in the term clause [c1#3].").bucket == "correct"


def test_the_number_of_a_quoted_list_item_is_supported() -> None:
    listed = TERM._replace(passages={"c1#3": f"1. {CONTRACT['c1#3']}"})
    assert judge(listed, f"The document says: 1. {CONTRACT['c1#3']} [c1#3]").citation_supports == "yes"


SETTINGS = [TERM, DATE, PENALTY, MAY, SALES]
PIECES = st.sampled_from(
    ["Yes", "No", ". ", "\n", " three years", " [c1#3]", " [1]", "not ", " may ", "| a | b |", "**", "{", "}", '"answer":',
     " I could not find ", " 391,035", " million", " unless ", " 2021", "(", ")", "<think>", "</think>", "- ", ": ", "?", "😀"]
)  # fmt: skip


@settings(max_examples=150)
@given(
    st.one_of(
        st.text(st.characters(exclude_categories=["Cs"]), max_size=300),
        st.lists(PIECES, max_size=40).map("".join),
    )
)
def test_any_text_gets_a_verdict(text: str) -> None:
    for setting in SETTINGS:
        first = judge(setting, text)
        assert first == judge(setting, text)
        assert first.status in ("ok", "no_answer", "needs_review")


@pytest.mark.parametrize(
    "piece", ["a", "no ", "[", "{", "1,", "2021 ", "<think>", "may not ", "[^1]: c1#3 x\n", "up from $5 "]
)
def test_huge_answers_are_read_in_time(piece: str) -> None:
    started = time.process_time()
    assert "overlong" in judge(TERM, piece * (100_000 // len(piece))).flags or piece == "<think>"
    assert time.process_time() - started < 10


ASKED = "How long does the Alpha NDA last?"


@pytest.mark.parametrize(
    ("text", "bucket"),
    [
        (f"I could not find anything about: {ASKED}", "refused"),
        (f"I don't know: {ASKED}", "refused"),
        (f'Sorry, the passages say nothing about "{ASKED}".', "refused"),
        (f"No information on: {ASKED}", "refused"),
        (f"You asked: {ASKED} Three years.", "unsupported"),
        (ASKED, None),
    ],
)
def test_a_decline_that_repeats_the_question_is_a_decline(text: str, bucket: str | None) -> None:
    question = Question(
        id="q", text=ASKED, stratum="grounded", kind="number", answerable=True, answers=("3",), unit="years"
    )
    assert grade(GRADER, question, Answer(text=text), [], frozenset()).bucket == bucket


TABLE = (
    "Interest income | $267 | $29 | $238 | 821% Interest expense | (262) | (236) | (26) | 11% "
    "Other, net | (48) | 107 | (155) | (145)%"
)


@pytest.mark.parametrize(
    ("text", "came_out"),
    [
        (f"{TABLE} [c#1]", "needs_review"),
        ("Interest income | $267 | $29 [c#1]", "correct"),
        (f"Interest income was $267 million [c#1]. {TABLE} [c#1]", "correct"),
        (f"Interest income was $29 million [c#1]. {TABLE} [c#1]", "wrong"),
    ],
)
def test_a_quoted_table_names_no_figure(text: str, came_out: str) -> None:
    question = Question(
        id="q",
        text="In Norvale's fiscal year 2023, how much interest income did the company earn?",
        stratum="grounded",
        kind="number",
        answerable=True,
        answers=("267",),
        unit="USD million",
    )
    passage = Passage("c#1", "c", "Norvale", 0, len(TABLE), TABLE)
    verdict = grade(GRADER, question, Answer(text=text), [passage], frozenset({"c#1"}))
    assert (verdict.bucket or verdict.status) == came_out, verdict.why


@pytest.mark.parametrize(
    ("text", "bucket"),
    [
        ("The agency was set up in 1972 under the 1953 plan. [c#1]", "correct"),
        ("The agency was set up in 1971 under the 1953 plan. [c#1]", "wrong"),
        ("1953 [c#1]", "wrong"),
        ("In 1972 or in 1974. [c#1]", "wrong"),
    ],
)
def test_a_year_that_the_question_names_is_not_the_answer(text: str, bucket: str) -> None:
    question = Question(
        id="q",
        text="When was the agency set up under the 1953 plan?",
        stratum="grounded",
        kind="date",
        answerable=True,
        answers=("1972",),
        date_precision="year",
    )
    passage = Passage("c#1", "c", "Plans", 0, 60, "The agency was set up in 1972 under the 1953 plan.")
    assert grade(GRADER, question, Answer(text=text), [passage], frozenset({"c#1"})).bucket == bucket


LONG = " ".join(
    f"Clause {name} says that each party keeps the information of the other one secret for {years} years after it was received, "
    f"that a notice takes effect half a day after it was sent, and that records of {name} are kept for {years} months."
    for name, years in (("Alder", "five"), ("Birch", "seven"), ("Cedar", "four"))
)


@pytest.mark.parametrize("words", ["", "The documents say:\n\n"])
def test_passages_copied_at_length_commit_to_none_of_their_values(words: str) -> None:
    setting = TERM._replace(passages={**CONTRACT, "c1#3": f"{CONTRACT['c1#3']} {LONG}"})
    assert judge(setting, f"{words}{LONG} [c1#3]").status == "needs_review"
    assert judge(setting, f"Three years [c1#3]. {LONG}").bucket == "correct"
    assert judge(setting, f"Five years [c1#3]. {LONG}").bucket == "wrong"
    assert judge(setting, f"I could not find how long it lasts. {LONG} [c1#3]").bucket == "refused"


def test_the_same_sentence_over_and_over_is_no_copy() -> None:
    assert judge(TERM, f"{CONTRACT['c1#3']} [c1#3] " * 40).bucket == "correct"


@pytest.mark.parametrize(
    "piece", ["The Agreement lasts three years [c1#3]. ", "Neither party may end it. ", "$5 or 6, "]
)
def test_hundred_kilobytes_of_prose_are_read_in_time(piece: str) -> None:
    started = time.process_time()
    for setting in (TERM, MAY, SALES):
        judge(setting, piece * (100_000 // len(piece)))
    assert time.process_time() - started < 10


@pytest.mark.parametrize(
    ("text", "came_out"),
    [
        ("Senator Roe introduced the Quay Act (S. 1761) on 14 May 2025 [c#1].", "correct"),
        ("The Quay Act (H.R. 1988) was introduced on 14 May 2025 [c#1].", "correct"),
        ("The Quay Act (P.L. 119-2031) was introduced on 14 May 2025 [c#1].", "correct"),
        ("The Quay Act was introduced on 14 May 2025 or on 14 May 1988 [c#1].", "wrong"),
        ("Its costs for fiscal years 2023 through 2025 are not known [c#1].", "refused"),
    ],
)
def test_the_number_of_a_bill_and_a_span_of_years_are_no_dates(text: str, came_out: str) -> None:
    question = Question(
        id="q", text="When was the Quay Act introduced?", stratum="grounded", kind="date", answerable=True,
        answers=("2025-05-14",), date_precision="day",
    )  # fmt: skip
    passage = Passage("c#1", "c", "Quays", 0, 50, "The Quay Act was introduced on May 14, 2025.")
    verdict = grade(GRADER, question, Answer(text=text), [passage], frozenset({"c#1"}))
    assert (verdict.bucket or verdict.status) == came_out, verdict.why


@pytest.mark.parametrize(
    ("text", "came_out"),
    [
        ("The report directed $90 million for quays, $70 million above the request [c#1].", "correct"),
        ("The report directed $90 million for quays, including $70 million for locks [c#1].", "correct"),
        ("The report directed $70 million for quays, $20 million more than the request [c#1].", "wrong"),
        ("The report directed $90 million for quays, or $70 million [c#1].", "wrong"),
    ],
)
def test_a_difference_and_a_part_are_no_second_answer(text: str, came_out: str) -> None:
    question = Question(
        id="q", text="How much did the report direct for quays, in millions of dollars?", stratum="grounded",
        kind="number", answerable=True, answers=("90",), unit="USD million",
    )  # fmt: skip
    passage = Passage("c#1", "c", "Quays", 0, 50, "The report directed $90 million for quays.")
    assert grade(GRADER, question, Answer(text=text), [passage], frozenset({"c#1"})).bucket == came_out


@pytest.mark.parametrize(
    ("row", "gold", "bucket"),
    [
        ("Total current liabilities | 69,300 | 81,814", "69300", "correct"),
        ("Total current liabilities | 69,300 | 81,814", "81814", None),
        ("Total current liabilities | 69,300 | 81,814", "12345", "wrong"),
        ("Net income (loss) | $30,425 | $(2,722)", "30425", "correct"),
        ("Net income (loss) | $30,425 | $(2,722)", "-2722", None),
        ("Net income (loss) was $30,425 million.", "30425", "correct"),
        ("Net loss was $30,425 million.", "30425", "wrong"),
        ("The profit or loss of the year was $30,425 million.", "30425", "correct"),
        ("Valuation allowance | (7,485) | (7,815)", "7485", "correct"),
    ],
)
def test_a_quoted_row_gives_its_first_figure(row: str, gold: str, bucket: str | None) -> None:
    asked = "What {} does the filing report for the year ended December 31, 2024, in millions of dollars?"
    label = row.split(" |")[0].split(" was")[0].replace(" (loss)", "").replace("loss", "income").lower()
    question = Question(id="row", text=asked.format(label), kind="number", stratum="grounded", answerable=True,
                        answers=(gold,), unit="USD million")  # fmt: skip
    passage = Passage("c#1", "c", "C", 0, len(row), row)
    verdict = grade(GRADER, question, Answer(text=f"{row} [c#1]"), [passage], frozenset({"c#1"}))
    assert verdict.bucket == bucket
