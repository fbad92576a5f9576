"""Natural prose: reasons, exceptions, concessions and next steps as strong models write them."""

from __future__ import annotations

from pathlib import Path

import pytest

import ragharness
from ragharness.records import Passage, Verdict

CLAUSE = Passage(
    "deed#4", "deed", "Deed of Confidence of Harcourt Mills", 0, 300,
    "The Recipient shall not disclose the Drawings to any person other than those of its employees who need them"
    " for the Purpose, and shall keep them in strict confidence.",
)  # fmt: skip
EXCEPTION = Passage(
    "deed#2", "deed", "Deed of Confidence of Harcourt Mills", 0, 200,
    "Representatives means a party's advisers and agents, to whom the Drawings may be shown without consent.",
)  # fmt: skip
NEIGHBOUR = Passage(
    "lease#9", "lease", "Lease between Colne and Marsh", 0, 100,
    "The tenant shall confirm an oral notice in writing within twenty-one (21) days.",
)  # fmt: skip


def verdict(question: str, answer: str, *golds: str, passages: tuple[Passage, ...] = ()) -> Verdict:
    return ragharness.grade(question, answer, passages, golds=golds)


MAY = "May the Recipient show the Drawings to outside advisers without consent under the Deed of Harcourt Mills?"


@pytest.mark.parametrize(
    "silence",
    [
        "The clause makes no provision for advisers.",
        "The deed does not provide for sharing them with advisers.",
        "Advisers are no permitted recipients, and the clause makes no provision for them without consent.",
        "The clause contains no exception for outside advisers.",
        "It doesn't mention advisers or agents as permitted recipients.",
        "No exception is made for advisers.",
        "There is no carve-out for advisers.",
    ],
)
def test_a_leading_no_with_its_rule_stands_before_what_the_clause_does_not_provide(silence: str) -> None:
    answer = (
        f"No. The Recipient may not disclose the Drawings other than to its employees [deed#4]. {silence}"
    )
    found = verdict(MAY, answer, "no", passages=(CLAUSE,))
    assert (found.bucket, found.reason) == ("correct", "SUPPORTED")


def test_no_and_only_silence_is_a_refusal() -> None:
    found = verdict(MAY, "No. The passages do not mention advisers.", passages=(CLAUSE,))
    assert found.bucket == "refused"


def test_the_exception_after_the_rule_is_cited_for_the_answer() -> None:
    answer = (
        "No. Although the Recipient generally may not disclose the Drawings to anybody without consent [deed#4],"
        " that is subject to an exception. They may be shown to Representatives, who include advisers and"
        " agents [deed#2]. So consent is not needed for an adviser."
    )
    question = "Does every disclosure of the Drawings to an outside adviser need consent?"
    found = verdict(question, answer, "no", passages=(EXCEPTION, CLAUSE))
    assert (found.bucket, found.reason) == ("correct", "SUPPORTED")


@pytest.mark.parametrize(
    ("answer", "gold"),
    [
        ("Yes. It allows copies, but only as needed. It doesn't make this subject to consent.", "yes"),
        ("Yes. Although copies generally need consent, that rule doesn't apply to copies for the Purpose.", "yes"),
        ("No. All copies have to be destroyed. The clause contains no exception for back-up copies.", "no"),
    ],
)  # fmt: skip
def test_reasons_and_concessions_withdraw_no_leading_word(answer: str, gold: str) -> None:
    found = verdict("May the Recipient make copies of the Drawings without consent?", answer, gold)
    assert found.bucket == "correct"


def test_a_word_that_its_own_sentence_contradicts_needs_review() -> None:
    question = "Has the agency carried out the recommendation?"
    found = verdict(question, "Yes, it has agreed to carry it out but has not yet done so.", "yes")
    assert found.bucket is None


@pytest.mark.parametrize("gold", [("21",), ("45",), ()])
def test_a_neighbour_named_as_another_contract_answers_nothing(gold: tuple[str, ...]) -> None:
    answer = (
        "The passages from the Deed don't say within how many days an oral disclosure must be confirmed in"
        " writing. The only time limit of that kind comes from a different contract, the lease of Colne and"
        " Marsh, which asks for a written notice within twenty-one (21) days [lease#9]; it shouldn't be read"
        " across. Please check section 1 of the Deed."
    )
    question = "Within how many days must an oral disclosure be confirmed in writing under the Deed of Harcourt Mills?"
    found = verdict(question, answer, *gold, passages=(NEIGHBOUR,))
    assert found.bucket == "refused"


@pytest.mark.parametrize(
    "answer",
    [
        "I don't see a Rowell 10-K: they are all from Rowan's. If you meant Rowan, its earnings were $2.16 [rowan#3].",
        "There is no Rowell 10-K among the passages; they come from Rowan's. If Rowan was meant, it is $2.16.",
    ],
)  # fmt: skip
def test_a_corrected_premise_is_a_refusal_whatever_was_meant_instead(answer: str) -> None:
    passage = Passage(
        "rowan#3", "rowan", "Rowan 10-K", 0, 60, "Diluted earnings per share were $2.16 in fiscal 2022."
    )
    question = (
        "According to the Rowell 10-K for fiscal 2022, what were the company's diluted earnings per share?"
    )
    assert verdict(question, answer, passages=(passage,)).bucket == "refused"


def test_a_compound_with_a_point_does_not_end_a_sentence() -> None:
    answer = (
        "Unremitted earnings of the company's non-U.S. subsidiaries were $4.8 billion [k#3]. They are held in"
        " Acme Inc.-owned funds [k#3]."
    )
    passage = Passage(
        "k#3", "k", "10-K", 0, 80, "Unremitted earnings of non-U.S. subsidiaries were $4.8 billion."
    )
    question = "How large were the unremitted earnings of the company's non-U.S. subsidiaries?"
    found = verdict(question, answer, "$4.8 billion", passages=(passage,))
    assert (found.bucket, found.extra_claim_count, len(found.sentences)) == ("correct", 0, 2)


NEXT_STEPS = [
    "You'll find the figure in Item 8 of the full report.",
    "You'd need the income tax note for that.",
    "It would be on the balance sheet.",
    "If you send me the balance sheet, I can work it out.",
    "That is usually in the proxy statement.",
    "A lawyer or the full agreement could confirm this.",
    "The agency's award database would have it.",
    "See Harcourt's proxy statement.",
    "If a right to terminate exists, it would have to be in a side letter.",
    "Try the amendments, if any.",
    "It's worth asking the Council.",
    "The signed original should show it.",
]


@pytest.mark.parametrize("step", NEXT_STEPS)
def test_a_next_step_is_counted_as_one_and_as_no_claim(step: str) -> None:
    question = "What was the company's tax rate in fiscal 2023?"
    found = verdict(question, f"The passages do not give the tax rate. {step}", passages=(CLAUSE,))
    assert (found.bucket, found.extra_claim_count, found.refusal_quality) == ("refused", 0, 2)


@pytest.mark.parametrize(
    ("question", "answer", "gold"),
    [
        ("Are margins historically consistent (not fluctuating more than 2%)?",
         "Margins have been consistent, fluctuating within 2%.", "yes"),
        ("Is it a high growth company?", "The figures do not indicate that it is a high growth company.", "no"),
        ("Did any single customer account for a tenth of sales?", "None did.", "no"),
        ("Did any single customer account for a tenth of sales?", "No single customer reached a tenth of sales.", "no"),
        ("How many months does the no-poaching duty last?", "The no-poaching duty lasts one year.", "12 months"),
        ("Has the agency implemented the recommendation?",
         "The agency has agreed to implement the recommendation, but has not yet done so.", "no"),
        ("Did the agency concur with the recommendations?",
         "The agency concurred with none of the recommendations.", "no"),
    ],
)  # fmt: skip
def test_a_negation_belongs_to_what_it_governs(question: str, answer: str, gold: str) -> None:
    assert verdict(question, answer, gold).bucket == "correct"


@pytest.mark.parametrize(
    ("question", "answer", "gold"),
    [
        ("What is special about Laos among its neighbours?", "It is without a coastline", "a coastline"),
        ("Who won the prize in 1932?", "The winner in 1932 (not 1934) was James Chadwick", "James Chadwick"),
        ("What do they lack?", "They have no coastline.", "coastline"),
    ],
)
def test_the_gold_is_never_called_wrong(question: str, answer: str, gold: str) -> None:
    assert verdict(question, answer, gold).bucket != "wrong"


@pytest.mark.parametrize("opening", ["Yes, but only within narrow limits.", "Yes, that's right."])
def test_an_opening_that_a_cited_sentence_explains_is_no_claim(opening: str) -> None:
    answer = f"{opening} The Drawings may be shown to advisers and agents [deed#2]."
    found = verdict(MAY, answer, "yes", passages=(EXCEPTION,))
    assert (found.bucket, found.extra_claim_count) == ("correct", 0)


def test_the_header_of_a_table_is_no_claim() -> None:
    passage = Passage("r#1", "r", "Report", 0, 60, "Analyzers: 36.9 in fiscal 2023 and 33.5 in fiscal 2022.")
    answer = (
        "| Segment | Fiscal 2023 | Fiscal 2022 |\n|---|---|---|\n| Analyzers | 36.9 | 33.5 [r#1] |\n\n"
        "So Analyzers brought in $36.9 million in fiscal 2023 [r#1]."
    )
    question = "What did the Analyzers segment bring in in fiscal 2023, in millions of dollars?"
    found = verdict(question, answer, "$36.9 million", passages=(passage,))
    assert (found.bucket, found.extra_claim_count) == ("correct", 0)


@pytest.mark.parametrize(
    ("answer", "bucket"),
    [
        ("As a language model I have no access to its filings. The ratio is debt over equity.", "refused"),
        ("I couldn't work this out: neither the debt nor the equity appears in what I was handed.", "refused"),
        ("The pages stop before the balance sheet, so there is no way of telling.", "refused"),
        ("Debt was $30 million and equity $60 million, so it was 0.5. What it was before isn't said.", "correct"),
        ("0.5 [p1]. I can't say how it compares with its peers.", "correct"),
    ],
)  # fmt: skip
def test_declines_in_words_of_their_own(answer: str, bucket: str) -> None:
    passage = Passage(
        "p1", "p", "Report", 0, 60, "Debt was $30 million, equity $60 million; the ratio was 0.5."
    )
    found = verdict("What was its debt to equity ratio in 2021?", answer, "0.5", passages=(passage,))
    assert found.bucket in (bucket, "unsupported" if bucket == "correct" else bucket)


def test_the_weights_are_small() -> None:
    weights = Path(ragharness.__file__).parent / "graders" / "reading" / "acts.json"
    assert weights.stat().st_size <= 100_000
