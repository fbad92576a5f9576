"""What a passage stands under: sections, and of a table its title, unit, column heads and groups."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from ragharness.corpus.passages import Outline, PassageSet, faults, split_document
from ragharness.records import Document

FILING = """Item 8. Financial Statements

CONSOLIDATED BALANCE SHEETS

(in millions, except per share data)

December 31,
2022 | 2023
ASSETS
Cash | $53,888 | $73,387
Current liabilities:
Accounts payable | $79,600 | $84,981

Note 5 - Commitments

We buy goods. Future payments as of December 31, 2023 are as follows:

Year | Amount
2024 | $12
Total | $20

Leases

We lease buildings and land under contracts that are not cancellable.

PART III

Item 10. Directors

They are named in the proxy statement, which we file within the time that is given."""


def above(mark: str, text: str = FILING) -> list[str]:
    return Outline(text).above(text.index(mark)).splitlines()


def test_a_row_stands_under_the_title_the_unit_the_columns_and_the_group() -> None:
    table = [
        "Item 8. Financial Statements",
        "CONSOLIDATED BALANCE SHEETS",
        "(in millions, except per share data)",
        "December 31,",
        "2022 | 2023",
        "ASSETS",
    ]
    assert above("Cash |") == table
    assert above("Accounts payable") == [*table, "Current liabilities:"]


def test_a_head_stands_under_what_is_before_it() -> None:
    assert above("2022 | 2023") == above("Cash |")[:4]
    assert above("(in millions") == above("Cash |")[:2]


def test_the_sentence_that_leads_into_a_table_is_its_title() -> None:
    lead = "Future payments as of December 31, 2023 are as follows:"
    assert above("Total |") == ["Note 5 - Commitments", lead, "Year | Amount"]
    assert above("Year |") == ["Note 5 - Commitments", lead]


def test_after_a_table_only_the_sections_are_left() -> None:
    assert above("We lease") == ["Note 5 - Commitments", "Leases"]
    assert above("We buy") == ["Note 5 - Commitments"]


def test_a_section_ends_those_below_it() -> None:
    assert above("They are named") == ["Item 10. Directors"]
    assert above("Leases") == ["Note 5 - Commitments"]
    assert above("Item 8.") == []


def test_rows_of_words_are_no_heads() -> None:
    text = "\n".join(
        ["Exhibit | Description", "4.1x | Indenture", *(f"4.{n}x | Supplement" for n in range(2, 9))]
    )
    assert above("4.8x", text)[0] == "Exhibit | Description"
    assert len(above("4.8x", text)) <= 3


def test_pieces_of_a_long_table_are_cut_between_rows_and_each_knows_the_heads() -> None:
    rows = [f"Product number {n} of the list | {n},000 | {n + 1},000" for n in range(60)]
    text = "\n".join(["Sales by product", "(in thousands)", "Product | 2024 | 2023", *rows])
    document = Document(id="d", title="T", text=text)
    first, *others = split_document(document)
    assert len(others) > 2
    assert first.heading == ""
    for each in others:
        assert each.heading == "Sales by product\n(in thousands)\nProduct | 2024 | 2023"
        assert set(each.text.split("\n")) <= set(rows)
    assert not faults(document, [first, *others])


def test_another_heading_is_another_index() -> None:
    one, other = (
        Document(id="d", title="T", text=f"{head}\n\n" + "Some words here. " * 60)
        for head in ("Aa Bb", "Cc Dd")
    )
    first, second = (PassageSet(tuple(split_document(each)[1:]), 120) for each in (one, other))
    assert [each.text for each in first.passages] == [each.text for each in second.passages]
    assert first.key != second.key


LINES = st.lists(
    st.sampled_from(
        ["", "ITEM 1", "Heading", "a | 1", "x | 2024", "(in millions)", "Total:", "A sentence. So:", "- b"]
    ),
    max_size=30,
)


@given(lines=LINES, at=st.integers(-3, 400))
def test_headings_are_lines_from_before_in_order_and_none_twice(lines: list[str], at: int) -> None:
    text = "\n".join(lines)
    found = [line for line in Outline(text).above(at).split("\n") if line]
    pattern = ".*".join(re.escape(line) for line in found)
    assert re.search(pattern, text[: max(at, 0) + 20], re.DOTALL)
