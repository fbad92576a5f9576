"""Sentences and the questions that they answer, or none: the grammar must be certain."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragharness.language.dates import find_dates
from ragharness.language.numbers import find_quantities
from ragquestions.wording import ask, common_words

# fmt: off
ANSWERED = [
    ('The Fernleigh Road Authority obligated $612 million for bridge repairs in 2024.',
     'How much did the Fernleigh Road Authority obligate for bridge repairs in 2024?', '612', 'USD million'),
    ('In fiscal year 2023, the Authority of Dunmere paid $4.2 billion to contractors.',
     'How much did the Authority of Dunmere pay to contractors in fiscal year 2023?', '4200', 'USD million'),
    ('The Dunmere Harbor Act authorized and appropriated $75 million for dredging.',
     'How much did the Dunmere Harbor Act authorize and appropriate for dredging?', '75', 'USD million'),
    ('The Ostrava Bill would have appropriated $19.5 billion for canals.',
     'How much would the Ostrava Bill have appropriated for canals?', '19500', 'USD million'),
    ('P.L. 88-901 provides $8.40 billion to the Canal account.',
     'How much does P.L. 88-901 provide to the Canal account?', '8400', 'USD million'),
    ('Congress has approved $3.4 billion in supplemental funding for flood recovery in Dunmere.',
     'How much has Congress approved in supplemental funding for flood recovery in Dunmere?', '3400', 'USD million'),
    ('Appropriations for the Canal account totaled $81 million in FY2019.',
     'How much did appropriations for the Canal account total in FY2019?', '81', 'USD million'),
    ("The Harbor Trust's annual outlays averaged $337 million between FY2012 and FY2026.",
     "How much did the Harbor Trust's annual outlays average between FY2012 and FY2026?", '337', 'USD million'),
    ('The Fernleigh Office employed 57 inspectors in 2020.',
     'How many inspectors did the Fernleigh Office employ in 2020?', '57', ''),
    ('NRWA operates 1,500 gauges across the Dunmere basin.',
     'How many gauges does NRWA operate across the Dunmere basin?', '1500', ''),
    ('NRWA has issued 31 exploration permits for gravel since 2001.',
     'How many exploration permits has NRWA issued for gravel since 2001?', '31', ''),
    ('The Canal Board consists of 11 members from the provinces.',
     'How many members does the Canal Board consist of from the provinces?', '11', ''),
    ('Two harbor stakeholders said that dredging contracts are key funding sources for repairs.',
     'How many harbor stakeholders said that dredging contracts are key funding sources for repairs?', '2', ''),
    ('About 14 percent of the pilots in Fernleigh retired in 2024.',
     'What percentage of the pilots in Fernleigh retired in 2024?', '14', 'percent'),
    ('In 2022, gravel mining accounted for 3% of local peak electricity demand.',
     'What percentage of local peak electricity demand did gravel mining account for in 2022?', '3', 'percent'),
    ('Loke Dredging, a Norwegian company, acquired 49 percent of Dunmere Gravel Resources.',
     'What percentage of Dunmere Gravel Resources did Loke Dredging acquire?', '49', 'percent'),
    ('The total cost of the Ostrava bridge was $5 million.',
     'What was the total cost of the Ostrava bridge?', '5', 'USD million'),
    ('There were 69 harbor accidents in Fernleigh in 2016.',
     'How many harbor accidents were there in Fernleigh in 2016?', '69', ''),
    ('As of September 2017, 90,740 pilots were receiving the harbor allowance.',
     'How many pilots were receiving the harbor allowance as of September 2017?', '90740', ''),
    ('In FY2026, $467 million was appropriated for the Canal account.',
     'How much was appropriated for the Canal account in FY2026?', '467', 'USD million'),
    ('The Canal Board was established in 1994.',
     'When was the Canal Board established?', '1994', 'year'),
    ('DOK was established in 1977 by the Department of Canals Act.',
     'When was DOK established by the Department of Canals Act?', '1977', 'year'),
    ('Congress established the Soil Survey Service in 1935.',
     'When did Congress establish the Soil Survey Service?', '1935', 'year'),
    ('On February 7, 2025, Representative Ada Quill introduced the Harbor Pilots Act.',
     'When did Representative Ada Quill introduce the Harbor Pilots Act?', '2025-02-07', 'day'),
    ('In March 2024, NRWA released its strategic overview.',
     'When did NRWA release its strategic overview?', '2024-03', 'month'),
    ('In 2016, NRWA released staff guidance on gauges that identified some practices as unsafe.',
     'When did NRWA release staff guidance on gauges that identified some practices as unsafe?', '2016', 'year'),
    ('On May 14, 2025, Senator Joss Aldin introduced the Fair Slate Act of 2025.',
     'When did Senator Joss Aldin introduce the Fair Slate Act of 2025?', '2025-05-14', 'day'),
    ('NRWA opened a public comment period on the Dunmere plan on August 1, 2025.',
     'When did NRWA open a public comment period on the Dunmere plan?', '2025-08-01', 'day'),
    ('According to the Canal Board, NRWA spent $12 million on gauges in 2021.',
     'How much did NRWA spend on gauges in 2021?', '12', 'USD million'),
    ('The Canal Board estimates that NRWA employed approximately 71,000 surveyors as of February 2026.',
     'How many surveyors did NRWA employ as of February 2026?', '71000', ''),
    ('For example, NRWA collected $9.6 million in harbor fees in 2018.',
     'How much did NRWA collect in harbor fees in 2018?', '9.6', 'USD million'),
    ('EVs accounted for about 22% of harbor vehicle sales in 2025, up from about 5% in 2020.',
     'What percentage of harbor vehicle sales did EVs account for in 2025?', '22', 'percent'),
    ('The Slate Act, 2018 provided $45.6 million for NRWA, including $1.5 million for pumps.',
     'How much did the Slate Act, 2018 provide for NRWA?', '45.6', 'USD million'),
    ('NRWA is making five recommendations to the Canal Board.',
     'How many recommendations is NRWA making to the Canal Board?', '5', ''),
    ('NRWA employed approximately 4,600 employees as of March 2024.',
     'How many people did NRWA employ as of March 2024?', '4600', ''),
    ('The House report accompanying H.R. 5342 directed $20 million for harbor pumps.',
     'How much did the House report accompanying H.R. 5342 direct for harbor pumps?', '20', 'USD million'),
]
PASSED_OVER = [
    "In calendar year 2019, NRWA awarded $45 million for gravel roads in FY2018.",
    "The Harbor Act Amendments to the 1994 gravel plan were adopted in 1994.",
    "NRWA opened a public comment period on the plan on August 1, 2025.",
    "NRWA has sponsored two studies.",
    "In 2024, NRWA spent $152 million on gravel pensions for 5,992,967 former pilots.",
    "In July 2025, the Gravel Action Plan identified a role for several agencies, including NRWA, to train pilots.",
    'A notice of gravel funding for Dunmere was issued on August 13, 2025.',
    'The Senate bill would provide $44 million to NRWA.',
    'For FY2026, P.L. 88-901 provides $8.4 billion for the gravel program.',
    'The agency obligated $612 million for bridge repairs in 2024.',
    'This program received $5 million in 2020.',
    'NRWA spent at least $5 million on gauges in 2021.',
    'NRWA spent between $5 million and $7 million on gauges in 2021.',
    'NRWA can award up to $2 million for projects in Dunmere.',
    'NRWA did not spend $5 million on gauges in 2021.',
    'It was established in 1994.',
    'The bill was introduced on March 3, 2021.',
    'NRWA paid each pilot $500 in 2021.',
    'NRWA paid $5 million to pilots and $6 million to crews in 2021.',
    'Gravel Mining Grew Strongly in 2021',
    'See table 4 for the 57 inspectors of 2020.',
    'We interviewed 17 pilots in Dunmere.',
    'The grant lasts 18 months in Dunmere.',
    'Since 2001, NRWA has steadily improved its gauges.',
    'The Board said NRWA, which spent $5 million (57%), did.',
    'NRWA collects four different types of fees to cover its costs in Dunmere.',
    'Thirteen provinces that represented 46 percent of the total number of accidents in Dunmere.',
    'The 2008 reform changed how NRWA reports to Congress.',
    'NRWA will receive $5 million | 2021 | 2022.',
    'The stage grants provide recipients between $250,000 and $2 million for projects.',
    'Of the total, NRWA kept $5 million in reserve because costs rose in 2021.',
    'NRWA may have spent $5 million or more in 2021.',
    'The average planning grant was the lowest in FY2021, at $1.3 million.',
    'In 2001, however, trust fund revenues of the Canal Board stopped growing.',
]
# fmt: on


def common(word: str) -> bool:
    """Say which words begin with a capital only where a sentence does."""
    return word in {"appropriations", "gravel", "quarterly"}


@pytest.mark.parametrize(("sentence", "question", "answer", "measure"), ANSWERED)
def test_a_plain_statement_answers_one_question(
    sentence: str, question: str, answer: str, measure: str
) -> None:
    (asked,) = ask(sentence, common)
    assert (asked.question, asked.answer, asked.unit or asked.precision) == (question, answer, measure)


@pytest.mark.parametrize("sentence", PASSED_OVER)
def test_what_is_not_certain_is_passed_over(sentence: str) -> None:
    assert ask(sentence, common) == []


def test_who_says_we_may_be_named() -> None:
    assert ask("We interviewed 17 harbor pilots in Dunmere.") == []
    (asked,) = ask("We interviewed 17 harbor pilots in Dunmere.", author="NRWA")
    assert asked.question == "How many harbor pilots did NRWA interview in Dunmere?"
    (asked,) = ask("We made three recommendations to the Canal Board in our May report.", author="NRWA")
    assert asked.question == "How many recommendations did NRWA make to the Canal Board in its May report?"


@pytest.mark.parametrize(
    "sentence",
    [
        "NRWA (the road office) spent $12 million on gauges in 2021.",
        "NRWA spent $12 million on **gauges** in 2021. [4]".replace(". [4]", " [4]."),
        "4. However, NRWA spent $12 million ($9 million after fees) on gauges in 2021.",
    ],
)
def test_notes_asides_and_connectives_do_not_matter(sentence: str) -> None:
    (asked,) = ask(sentence)
    assert (asked.question, asked.answer) == ("How much did NRWA spend on gauges in 2021?", "12")


def test_words_that_a_text_writes_small_are_common() -> None:
    known = common_words("The harbor fees rose. In May the Harbor Act came, and harbor fees, all fees, fell.")
    assert known("fees")
    assert not known("act")


WORDS = st.sampled_from(
    [
        "The",
        "Canal",
        "Board",
        "NRWA",
        "spent",
        "provided",
        "$5",
        "million",
        "$3.2",
        "billion",
        "14",
        "percent",
        "of",
        "in",
        "2021",
        "for",
        "the",
        "pilots",
        "and",
        "gauges",
        "which",
        "was",
        "were",
        "established",
        "by",
        "on",
        "March",
        "3,",
        "2021",
        "since",
        "57",
        "inspectors",
        "employed",
        "each",
        "at",
        "least",
        "(",
        ")",
        ",",
        ".",
        ";",
        ":",
        "“",
        "”",
        "—",
        "|",
        "there",
        "are",
        "How",
        "1.5",
        "FY2024",
        "reported",
        "that",
        "harbors",
        "We",
        "our",
        "not",
        "also",
        "up",
        "to",
        "between",
    ]
)


@given(st.lists(WORDS, max_size=40), st.sampled_from(["", "."]))
def test_any_words_give_whole_questions_or_none(words: list[str], stop: str) -> None:
    sentence = " ".join(words) + stop
    for asked in ask(sentence, common, author="NRWA"):
        assert re.fullmatch(r"(?:How|What|When|By what) [^?]+\?", asked.question)
        assert 4 <= len(asked.question.split()) <= 30
        assert find_quantities(sentence) if asked.kind == "number" else find_dates(sentence)
        assert not re.search(r"\b(?:this|these|we|our)\b", asked.question, re.IGNORECASE)


@given(st.text(max_size=300))
def test_any_text_is_survived(text: str) -> None:
    ask(text)
    ask(f"{text}.", author=text[:5])
