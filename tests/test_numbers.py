"""Amounts as people and models write them, found where they stand and compared with the gold."""

from __future__ import annotations

import time
from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragharness.language.matching import compare_quantity
from ragharness.language.numbers import Quantity, find_quantities
from ragharness.language.units import UNITS, Measure, read_unit


def rows(text: str) -> list[tuple[str, str, str]]:
    """(written, value, unit) of every amount; values without trailing zeros."""
    return [(text[q.start : q.end], f"{q.value.normalize():f}", q.unit) for q in find_quantities(text)]


ONE = [
    # plain figures and separators
    ("The Company has 12,345 employees.", "12,345", "12345", ""),
    ("It has 1,234,567 users", "1,234,567", "1234567", ""),
    ("a ratio of 0.214", "0.214", "0.214", ""),
    ("a ratio of .5 exactly", ".5", "0.5", ""),
    ("It is 1'234'567 in all", "1'234'567", "1234567", ""),
    ("1 234 567 people", "1 234 567", "1234567", ""),
    ("The value is 1.234", "1.234", "1.234", ""),
    # signs
    ("a change of -5", "-5", "-5", ""),
    ("a change of −5.2%", "−5.2%", "-5.2", "percent"),
    ("a change of minus 5 percent", "5 percent", "-5", "percent"),
    ("Net income | (1,234) |", "(1,234)", "-1234", ""),
    ("net income of $(1,234) million", "$(1,234) million", "-1234000000", "USD"),
    ("a margin of (12)%", "(12)%", "-12", "percent"),
    ("a margin of (1.5%)", "(1.5%)", "-1.5", "percent"),
    ("the fee ($1,234) is due", "$1,234", "1234", "USD"),
    # money
    ("$391.0 billion", "$391.0 billion", "391000000000", "USD"),
    ("$391,035 million", "$391,035 million", "391035000000", "USD"),
    ("$1.2bn", "$1.2bn", "1200000000", "USD"),
    ("$5k", "$5k", "5000", "USD"),
    ("$5 M", "$5 M", "5000000", "USD"),
    ("$5mm", "$5mm", "5000000", "USD"),
    ("US$ 5 million", "US$ 5 million", "5000000", "USD"),
    ("USD 5 million", "USD 5 million", "5000000", "USD"),
    ("5 million USD", "5 million USD", "5000000", "USD"),
    ("5 million U.S. dollars", "5 million U.S. dollars", "5000000", "USD"),
    ("five million dollars", "five million dollars", "5000000", "USD"),
    ("-$5", "-$5", "-5", "USD"),
    ("C$5", "C$5", "5", "CAD"),
    ("subject to a minimum of £5,000", "£5,000", "5000", "GBP"),
    ("$3M", "$3M", "3000000", "USD"),
    ("100 yen", "100 yen", "100", "JPY"),
    ("five thousand dollars ($5,000)", "five thousand dollars ($5,000)", "5000", "USD"),
    ("$1.23 billion (1,230 million)", "$1.23 billion (1,230 million)", "1230000000", "USD"),
    # percent
    ("21.4 %", "21.4 %", "21.4", "percent"),
    ("21.4 per cent", "21.4 per cent", "21.4", "percent"),
    ("2 percentage points", "2 percentage points", "2", "percent"),
    ("25 basis points", "25 basis points", "0.25", "percent"),
    ("25 bps", "25 bps", "0.25", "percent"),
    ("fifty percent (50%) or more", "fifty percent (50%)", "50", "percent"),
    # durations
    ("three years", "three years", "3", "years"),
    ("three (3) years", "three (3) years", "3", "years"),
    ("3 (three) years", "3 (three) years", "3", "years"),
    ("3-year term", "3-year", "3", "years"),
    ("a thirty-six month term", "thirty-six month", "36", "months"),
    ("thirty (30) business days", "thirty (30) business days", "30", "business days"),
    ("5 working days", "5 working days", "5", "business days"),
    ("twelve (12) consecutive calendar months", "twelve (12) consecutive calendar months", "12", "months"),
    ("after such twelve month period", "twelve month", "12", "months"),
    ("forty-eight (48) hours", "forty-eight (48) hours", "48", "hours"),
    ("two years and six months", "two years and six months", "30", "months"),
    ("1 year, 6 months", "1 year, 6 months", "18", "months"),
    ("two and a half years", "two and a half years", "2.5", "years"),
    ("2½ years", "2½ years", "2.5", "years"),
    ("2 1/2 years", "2 1/2 years", "2.5", "years"),
    ("two decades", "two decades", "20", "years"),
    # words
    ("twenty-five", "twenty-five", "25", ""),
    ("one hundred and twenty", "one hundred and twenty", "120", ""),
    ("three hundred forty-five thousand six hundred and one",) * 2 + ("345601", ""),
    ("five hundred and twenty thousand (520,000)",) * 2 + ("520000", ""),
    ("a dozen", "a dozen", "12", ""),
    ("two dozen", "two dozen", "24", ""),
    ("a hundred", "a hundred", "100", ""),
    ("half a million", "half a million", "500000", ""),
    ("two and a half million", "two and a half million", "2500000", ""),
    ("One.", "One", "1", ""),
    ("It is 2020 employees.", "2020", "2020", ""),
    ("391,035 (in millions)", "391,035", "391035000000", ""),
    ("**42**", "42", "42", ""),
    ("16M people", "16M", "16000000", ""),
    ("3.5M of them", "3.5M", "3500000", ""),
    ("10X as much", "10", "10", ""),
    ("The answer is 12.", "12", "12", ""),
]  # fmt: skip


@pytest.mark.parametrize(("text", "written", "value", "unit"), ONE)
def test_one_amount(text: str, written: str, value: str, unit: str) -> None:
    assert rows(text) == [(written, value, unit)]


NONE = [
    "The term is stated [c1#3].", "as in [12], [3][4] and 【p4】 and (c1#3)", "see [^2]",
    "Section 4.2 and Art. 5",
    "Item 7 of Exhibit 10.1", "clause 3(b)", "Sections 1, 2, 3, 4 and 17 survive", "§ 5 and §§ 6",
    "pages 3-5",
    "COVID-19 and 10-K and p4", "the 3rd party", "call 555-123-4567", "at 16:30",
    "1 March 2021", "March 1st, 2021", "2021-03-01", "in FY2023 and Q3 2021", "fiscal 2023",
    "a 5/16 specification",
    "https://example.org/2021/12 has it", "no one may", "one of the parties", "each one", "either one",
    "version 1.2.3", "a year and a half",
    "one another", "the first half of the term", "The dog barks.", "", "(a) the first; (b) the other",
    "once a court so orders",
    "they seize assets", "number 52109405", "Rule 144 applies", "two-thirds of it", "v.7",
]  # fmt: skip


@pytest.mark.parametrize("text", NONE)
def test_no_amount(text: str) -> None:
    assert rows(text) == []


MANY = [
    ("between 3 and 5 years", [("3", "3", "years"), ("5 years", "5", "years")]),
    ("three to five years", [("three", "3", "years"), ("five years", "5", "years")]),
    ("five (5) to ten (10) years", [("five (5)", "5", "years"), ("ten (10) years", "10", "years")]),
    ("$3 to $5 million", [("$3", "3000000", "USD"), ("$5 million", "5000000", "USD")]),
    ("$500,000 to $1 million", [("$500,000", "500000", "USD"), ("$1 million", "1000000", "USD")]),
    ("3-5%", [("3", "3", "percent"), ("5%", "5", "percent")]),
    ("30 or 60 days", [("30", "30", "days"), ("60 days", "60", "days")]),
    ("three (5) years", [("three", "3", ""), ("5", "5", "")]),
    ("1. Three years\n2. Five years", [("Three years", "3", "years"), ("Five years", "5", "years")]),
    ("one hundred and two hundred", [("one hundred", "100", ""), ("two hundred", "200", "")]),
    ("12% ($3 million)", [("12%", "12", "percent"), ("$3 million", "3000000", "USD")]),
    ("For the most part, 46 percent", [("46 percent", "46", "percent")]),
    ("Under Section 4, 30 days", [("30 days", "30", "days")]),
    ("three years and 30 days", [("three years", "3", "years"), ("30 days", "30", "days")]),
    ("$391.0 billion in fiscal 2024, up from $383.3 billion in fiscal 2023",
     [("$391.0 billion", "391000000000", "USD"), ("$383.3 billion", "383300000000", "USD")]),
    ("The term is three years [c1#3]; five years [c1#7].", [("three years", "3", "years"), ("five years",
    "5", "years")]),
    ("Total | $ 391,035 | $ 383,285 | (in millions)",
     [("$ 391,035", "391035000000", "USD"), ("$ 383,285", "383285000000", "USD")]),
]  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), MANY)
def test_several_amounts(text: str, expected: list[tuple[str, str, str]]) -> None:
    assert rows(text) == expected


@pytest.mark.parametrize(
    ("text", "bound", "approximate"),
    [
        ("at least three years", "at_least", False), ("no less than 3 years", "at_least", False),
        ("more than $5", "at_least", False), ("up to 5%", "at_most", False), ("no more than 30 days",
        "at_most", False),
        ("not more than three years", "at_most", False), ("no later than 30 days", "at_most", False),
        ("within thirty (30) days", "at_most", False), ("about $1.2 billion", "", True),
        ("roughly 5 years", "", True), ("over $1 billion", "at_least", True), ("50% or more", "at_least",
        False),
        ("a period of three years", "", False),
    ],
)  # fmt: skip
def test_bounds_leave_the_value_alone(text: str, bound: str, approximate: bool) -> None:
    (quantity,) = find_quantities(text)
    assert (quantity.bound, quantity.approximate) == (bound, approximate)


def test_a_unit_that_was_read_is_read_again() -> None:
    canonical = {measure.unit for measure in UNITS.values()}
    assert [unit for unit in sorted(canonical) if read_unit(unit) != Measure(unit)] == []


def test_ranges_years_and_digits_are_marked() -> None:
    assert [q.range for q in find_quantities("between 3 and 5 years")] == ["low", "high"]
    assert [q.range for q in find_quantities("three and five years")] == ["", ""]
    assert [q.year for q in find_quantities("in 2021, 2,021 or 2021 days")] == [True, False, False]
    assert [q.significant for q in find_quantities("391.0 1200 0.0214 twenty 1,234.50")] == [4, 2, 3, 1, 6]
    assert [q.scaled for q in find_quantities("$5 million and $5")] == [True, False]


COMPARED = [
    ("391035", "USD million", "$391.0 billion", "match", False),
    ("391035", "USD million", "$391,035 million", "match", False),
    ("391035", "USD million", "$391 billion", "match", False),
    ("391035", "USD million", "$391.1 billion", "mismatch", False),
    ("391035", "USD million", "$383,285 million", "mismatch", False),
    ("391035", "USD million", "391,035", "match", True),
    ("391035", "USD million", "$ 391,035", "match", True),
    ("391035", "USD million", "391,035 million", "match", False),
    ("391035", "USD million", "€391,035 million", "other_unit", False),
    ("391035", "USD million", "39.1035%", "other_unit", False),
    ("1234.5", "USD million", "about $1.23 billion", "match", False),
    ("1234.5", "USD million", "$1.2 billion", "mismatch", False),
    ("1234.5", "USD million", "$1,234,500,000", "match", False),
    ("1234.5", "USD million", "1180.2", "mismatch", False),
    ("-1234", "USD million", "a loss, i.e. income of (1,234)", "match", True),
    ("21.4", "percent", "0.214", "match", False),
    ("21.4", "percent", "21.4%", "match", False),
    ("21.4", "percent", "21.4", "match", False),
    ("21.4", "percent", "21%", "mismatch", False),
    ("21.4", "percent", "21.43%", "match", False),
    ("0.5", "percent", "0.5", "match", False),
    ("50", "percent", "0.5", "match", False),
    ("50", "percent", "half of it", "match", False),
    ("3", "years", "three (3) years", "match", False),
    ("3", "years", "36 months", "match", False),
    ("3", "years", "3", "match", False),
    ("3", "years", "three", "match", False),
    ("3", "years", "30 months", "mismatch", False),
    ("3", "years", "3 months", "mismatch", False),
    ("3", "years", "$3", "other_unit", False),
    ("1", "months", "30 days", "mismatch", False),
    ("14", "days", "two weeks", "match", False),
    ("2", "days", "48 hours", "match", False),
    ("1", "years", "365 days", "mismatch", False),
    ("5", "business days", "5 days", "mismatch", False),
    ("2.5", "years", "two and a half years", "match", False),
    ("120", "employees", "one hundred and twenty", "match", False),
    ("120", "", "121", "mismatch", False),
    ("12345", "", "12,345", "match", False),
    ("12345", "", "about 12,300", "match", False),
    ("12345", "", "12,000", "mismatch", False),
    ("2021", "", "2021", "match", False),
    ("2021", "", "2020", "mismatch", False),
    ("2021", "year", "2020", "mismatch", False),
    ("0", "", "zero", "match", False),
    ("0", "", "1", "mismatch", False),
    ("5", "USD thousand", "$5,000", "match", False),
    # the answer is the more exact one
    ("5466", "USD million", "$5,466.312 million", "match", False),
    ("5466", "USD million", "$5,466.612 million", "mismatch", False),
    ("5466", "USD million", "5,466.312", "match", True),
    ("6.2", "percent", "6.17%", "match", False),
    ("6.2", "percent", "6.14%", "mismatch", False),
    ("6.20", "percent", "6.203%", "match", False),
    ("6.20", "percent", "6.213%", "mismatch", False),
    ("18800", "USD million", "$18,809 million", "match", False),
    ("18800", "USD million", "$18,851 million", "mismatch", False),
    ("18800", "", "18,809", "match", False),
    ("5", "percent", "5.4%", "mismatch", False),
    ("10.0", "percent", "9.96%", "match", False),
    ("120", "employees", "120.3", "mismatch", False),
    ("2100", "", "2104", "mismatch", False),
    ("10", "years", "10.02 years", "mismatch", False),
    ("nonsense", "", "5", "mismatch", False),
    ("NaN", "", "5", "mismatch", False),
]


@pytest.mark.parametrize(("gold", "unit", "text", "relation", "implied"), COMPARED)
def test_compared_with_the_gold(gold: str, unit: str, text: str, relation: str, implied: bool) -> None:
    (quantity,) = find_quantities(text)
    assert compare_quantity(gold, unit, quantity) == (relation, implied)


def _written(value: Decimal, style: str) -> str:
    english = f"{value:,}"
    return {
        "en": english,
        "plain": f"{value}",
        "si": english.replace(",", "\u202f"),
        "ch": english.replace(",", "'"),
    }[style]


@given(
    st.integers(0, 10**12),
    st.integers(0, 99),
    st.sampled_from(["en", "plain", "si", "ch"]),
    st.sampled_from(
        [("$%s", "USD"), ("%s €", "EUR"), ("%s%%", "percent"), ("%s years", "years"), ("GBP %s", "GBP")]
    ),
)
def test_what_is_written_is_found_and_matches(
    whole: int, cents: int, style: str, form: tuple[str, str]
) -> None:
    value = Decimal(f"{whole}.{cents:02d}")
    written = form[0] % _written(value, style)
    (quantity,) = find_quantities(f"The figure is {written} in all.")
    assert (quantity.value, quantity.unit) == (value, form[1])
    assert compare_quantity(str(value), form[1], quantity) == ("match", False)
    assert compare_quantity(str(value * 2 + 1), form[1], quantity)[0] == "mismatch"


@given(st.decimals(Decimal("0.01"), Decimal(10**9), places=3), st.integers(1, 9))
def test_a_rounded_figure_matches_within_half_a_percent(gold: Decimal, digits: int) -> None:
    rounded = Decimal(f"{gold:.{digits - 1}e}")
    (quantity,) = find_quantities(f"about ${rounded:f}")
    near = abs(gold - rounded) <= gold * Decimal("0.005")
    assert compare_quantity(gold, "USD", quantity)[0] == ("match" if near else "mismatch")


PIECES = "3 three ( ) % $ - . , million years and a half 1,2 [ ] # of to é ½ 2021 \n".split(" ")  # noqa: SIM905


@given(st.text(max_size=200) | st.lists(st.sampled_from(PIECES)).map(" ".join))
@settings(max_examples=150)
def test_any_text_is_read_and_offsets_fit(text: str) -> None:
    end = 0
    for quantity in find_quantities(text):
        assert end <= quantity.start < quantity.end <= len(text)
        end = quantity.end
        assert isinstance(quantity, Quantity)
        assert compare_quantity("3", "years", quantity)[0] in {"match", "mismatch", "other_unit"}


def test_many_words_before_a_unit_are_survived() -> None:
    assert rows("1" + " calendar" * 5000) == [("1", "1", "")]
    assert compare_quantity("0." + "12345" * 8, "percent", find_quantities("0.123451%")[0])[0] == "match"


HOSTILE = [
    "1 ",
    "1,",
    "1.",
    "$",
    "three ",
    "three (3) ",
    "1.234 ",
    "one hundred and ",
    "(",
    "[",
    "in millions ",
    "-",
    "1-",
    "§ 1, ",
    "1",
    "a ",
]


@pytest.mark.parametrize("piece", HOSTILE)
def test_a_long_text_takes_linear_time(piece: str) -> None:
    def seconds(size: int) -> float:
        text = (piece * size)[:size] + " million 5"
        begin = time.process_time()
        find_quantities(text)
        return time.process_time() - begin

    assert seconds(100_000) < max(0.5, 25 * seconds(10_000))
