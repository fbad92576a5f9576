"""Aliases, lists and denials in answers."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragharness.graders.reading.values import match_items
from ragharness.language.matching import find_alias, is_code
from ragharness.language.polarity import negated

HELD = [
    ("It is governed by the laws of the State of Delaware.", "State of Delaware", "State of Delaware"),
    ("Delaware's law governs.", "Delaware", "Delaware's"),
    ("DELAWARE", "Delaware", "DELAWARE"),
    ("on a need-to-know basis", "need to know", "need-to-know"),
    ("on a need to know basis", "need-to-know", "need to know"),
    ("by Smith & Sons", "Smith and Sons", "Smith & Sons"),
    ("by Smith and Sons", "Smith & Sons", "Smith and Sons"),
    ("the U.S. courts", "US courts", "U.S. courts"),
    ("the US courts", "U.S. courts", "US courts"),
    ("the **Office of the Grants**.", "Office of Grants", "Office of the Grants"),
    ("its subsidiary", "subsidiaries", "subsidiary"),
    ("the court", "courts", "court"),
    ("the businesses", "business", "businesses"),
    ("“Oslo”", "Oslo", "Oslo"),
    ("ｏｓｌｏ", "Oslo", "ｏｓｌｏ"),
    ("C", "C", "C"),
    ("The Agreement runs for three (3) years.", "3 years", "three (3) years"),
    ("It lasts thirty-six months", "three years", "thirty-six months"),
    ("a three-year term", "three years", "three-year"),
    ("within 30 days of the request", "thirty (30) days of request", "30 days of the request"),
    ("a fee of USD 5,000 per year", "$5,000", "USD 5,000"),
    ("signed March 1st, 2021", "1 March 2021", "March 1st, 2021"),
    ("fifty percent (50%)", "50%", "fifty percent (50%)"),
    ("in 1987 in Turku", "1987", "1987"),
    ("la ley de España", "ley España", None),
    ("Oslo-based", "Oslo", "Oslo"),
    ("a student of Texas A&M.", "Texas A&M", "Texas A&M"),
    ("from 1718 - 1779", "1718-1779", "1718 - 1779"),
    ("There are 5 of them", "five", "5"),
    ("King Edward the Eighth", "Edward VIII", "Edward the Eighth"),
    ("Edward 8th", "Edward VIII", "Edward 8th"),
    ("Henry VIII", "Henry the Eighth", "Henry VIII"),
]


@pytest.mark.parametrize(("text", "alias", "written"), HELD)
def test_an_alias_is_held(text: str, alias: str, written: str | None) -> None:
    found = [text[hit.start : hit.end] for hit in find_alias(text, [alias])]
    assert found == ([] if written is None else [written])


@pytest.mark.parametrize(
    ("text", "alias"),
    [
        ("Oslofjord", "Oslo"), ("It lasts three months", "three years"), ("three years and six months",
        "three years"),
        ("13 years", "3 years"), ("3.5 years", "3 years"), ("30 days", "one month"), ("a partial answer",
        "art"),
        ("give it to us", "US"), ("", "Oslo"), ("Oslo", ""), ("Office. Of other grants", "Office of Grants"),
        ("€5,000", "$5,000"), ("in 21987", "1987"), ("2 March 2021", "1 March 2021"), ("1,000", "1"),
    ],
)  # fmt: skip
def test_an_alias_is_not_held(text: str, alias: str) -> None:
    assert find_alias(text, [alias]) == []


def test_the_longest_of_overlapping_aliases_stays() -> None:
    hits = find_alias("The Office of Grants in Oslo", ["Office", "Office of Grants", "Oslo"])
    assert [hit.alias for hit in hits] == ["Office of Grants", "Oslo"]


OFFICES = ("Office of Rural Health", "Office of Grants")
LISTS = [
    ("The Office of Grants and the Office of Rural Health [g1#5].", OFFICES, (), ()),
    ("The program is administered by the Office of Grants [g1#5].", OFFICES, ("Office of Rural Health",), ()),
    (
        "The Office of Grants, the Office of Rural Health, and the Office of Women [g1#5].",
        OFFICES,
        (),
        ("Office of Women",),
    ),
    (
        "The Office of Women, the Office of Grants and the Office of Rural Health.",
        OFFICES,
        (),
        ("Office of Women",),
    ),
    (
        "They are:\n- Office of Grants\n- Office of Rural Health\n- Office of Women",
        OFFICES,
        (),
        ("Office of Women",),
    ),
    ("They are:\n1. **Office of Grants** [a#1]\n2. **Office of Rural Health** [a#2]", OFFICES, (), ()),
    ("Both the Office of Grants and the Office of Rural Health administer it.", OFFICES, (), ()),
    ("red, green and blue", ("red", "green"), (), ("blue",)),
    ("red and green", ("red", "green"), (), ()),
    ("In Norway, Oslo and Bergen, and others, administer it.", ("Oslo", "Bergen"), (), ()),
    ("Oslo and Bergen, which are in Norway (see Rome).", ("Oslo", "Bergen"), (), ()),
    ("1) Oslo 2) Bergen 3) Rome", ("Oslo", "Bergen"), (), ("Rome",)),
    ("Smith & Sons, Jones", ("Smith and Sons", "Jones"), (), ()),
    ("nothing of the kind", ("red", "green"), ("red", "green"), ()),
]


@pytest.mark.parametrize(("text", "items", "missing", "extra"), LISTS)
def test_items_of_a_list(
    text: str, items: tuple[str, ...], missing: tuple[str, ...], extra: tuple[str, ...]
) -> None:
    result = match_items(text, items)
    assert (result.missing, result.extra) == (missing, extra)
    assert result.found == tuple(item for item in items if item not in missing)


def test_an_item_is_found_by_its_alias() -> None:
    assert match_items("ORH and OG", OFFICES, {OFFICES[0]: ("ORH",), OFFICES[1]: ("OG",)}).missing == ()


@pytest.mark.parametrize(
    ("text", "denied"),
    [
        ("The term is not three years", True), ("It isn't three years", True), ("It isn’t three years", True),
        ("It does not last three years", True), ("never three years", True), ("without three years", True),
        ("not more than three years", False), ("no later than three years", False),
        ("not only three years", False),
        ("no fewer than three years", False), ("not less than three years", False),
        ("no longer than three years", False),
        ("not necessarily three years", False), ("No, three years", False),
        ("It is not renewed. Three years", False),
        ("It is not renewed, and lasts three years", False), ("It is not five but three years", False),
        ("It was not said by anyone how it lasts three years", False), ("No. Three years", False),
        ("shall not exceed three years", False), ("three years", False),
    ],
)  # fmt: skip
def test_denied_values(text: str, denied: bool) -> None:
    assert negated(text, text.lower().index("three")) is denied


@given(st.text(max_size=80), st.text(max_size=20), st.integers(0, 80))
def test_any_text_and_alias_are_taken(text: str, alias: str, start: int) -> None:
    for hit in find_alias(text, [alias]):
        assert 0 <= hit.start < hit.end <= len(text)
    match_items(text, [alias])
    negated(text, min(start, len(text)))


@given(
    st.lists(
        st.sampled_from(["Oslo", "Bergen", "Grants", "Health", "need", "agency"]), min_size=1, max_size=4
    )
)
def test_an_alias_is_found_in_any_dress(words: list[str]) -> None:
    alias = " ".join(words)
    text = "It says, the «" + "-".join(words).upper() + "»!"
    (hit,) = find_alias(text, [alias])
    assert text[hit.start : hit.end] == "-".join(words).upper()


@pytest.mark.parametrize("piece", ["three years ", "not ", "Oslo, ", "the ", "-", "[", "and "])
def test_a_long_text_takes_linear_time(piece: str) -> None:
    text = (piece * 100_000)[:100_000]
    begin = time.process_time()
    find_alias(text, ["three years", "the Oslo", "not and"])
    match_items(text, ["Oslo", "Bergen"])
    negated(text, 99_999)
    assert time.process_time() - begin < 2


@pytest.mark.parametrize("code", ["77-0019522", "0000320193", "001-34756"])
def test_a_code_is_compared_by_its_digits(code: str) -> None:
    assert [hit.alias for hit in find_alias(f"The number is {code}.", [code])] == [code]
    assert find_alias(f"The number is {code[:-1]}9.", [code]) == []
    assert is_code(code)


@pytest.mark.parametrize("text", ["2024-03-01", "2019-2024", "10-12", "391035", "000"])
def test_what_counts_or_dates_is_no_code(text: str) -> None:
    assert not is_code(text)
