"""Dates in many spellings, found where they stand and compared at the precision asked for."""

from __future__ import annotations

import time
from datetime import date

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragharness.language.dates import DateMention, compare_date, find_dates

Row = tuple[str, int | None, int | None, int | None]


def rows(text: str) -> list[Row]:
    return [(text[d.start : d.end], d.year, d.month, d.day) for d in find_dates(text)]


FOUND = [
    ("The Effective Date is March 1st, 2021 [c1#3].", "March 1st, 2021", 2021, 3, 1),
    ("dated 1 March 2021", "1 March 2021", 2021, 3, 1),
    ("as of the 1st day of March, 2021", "1st day of March, 2021", 2021, 3, 1),
    ("this 27th day of September, 1999", "27th day of September, 1999", 1999, 9, 27),
    ("2021-03-01", "2021-03-01", 2021, 3, 1),
    ("2021-03-01T10:00:00Z", "2021-03-01", 2021, 3, 1),
    ("2021/03/01", "2021/03/01", 2021, 3, 1),
    ("25/03/2021", "25/03/2021", 2021, 3, 25),
    ("03/25/2021", "03/25/2021", 2021, 3, 25),
    ("Mar 2021", "Mar 2021", 2021, 3, None),
    ("in March of 2021.", "March of 2021", 2021, 3, None),
    ("in March, 2021.", "March, 2021", 2021, 3, None),
    ("2021-03", "2021-03", 2021, 3, None),
    ("founded in 2021.", "2021", 2021, None, None),
    ("(2021)", "2021", 2021, None, None),
    ("FY2023", "FY2023", 2023, None, None),
    ("FY 23", "FY 23", 2023, None, None),
    ("fiscal 2023", "fiscal 2023", 2023, None, None),
    ("fiscal year 2023", "fiscal year 2023", 2023, None, None),
    ("Q3 2021", "Q3 2021", 2021, None, None),
    ("third quarter of fiscal 2021", "third quarter of fiscal 2021", 2021, None, None),
    ("until May 31 , 2015 (the", "May 31 , 2015", 2015, 5, 31),
    ("Sept. 5, 2021", "Sept. 5, 2021", 2021, 9, 5),
    ("1-Mar-2021", "1-Mar-2021", 2021, 3, 1),
    ("the fiscal year ended September 28, 2024, it", "September 28, 2024", 2024, 9, 28),
    ("on 28 September", "28 September", None, 9, 28),
    ("November 4th, 1998", "November 4th, 1998", 1998, 11, 4),
    ("the Act of 1934, as amended", "1934", 1934, None, None),
]


@pytest.mark.parametrize(("text", "written", "year", "month", "day"), FOUND)
def test_one_date(text: str, written: str, year: int | None, month: int | None, day: int | None) -> None:
    assert rows(text) == [(written, year, month, day)]


@pytest.mark.parametrize(
    "text",
    ["It may 5 times", "the parties may 30 days later", "$2021", "2000 days", "2,021 people", "2021%",
    "Section 1999",
     "[2021]", "[c1-2021#3]", "cnli-2021", "COVID-2021", "2021.5", "12345", "555-123-2021",
     "version 1.2.3", "march on",
     "no. 2021 of", "32/13/2021", "", "Jan said so"],
)  # fmt: skip
def test_no_date(text: str) -> None:
    assert rows(text) == []


def test_several_dates_in_order() -> None:
    text = "From March 1, 2021 to 3 April 2022; amended 2023-05-06 and in 2024, over 2019-2020."
    assert [row[1:] for row in rows(text)] == [
        (2021, 3, 1), (2022, 4, 3), (2023, 5, 6), (2024, None, None), (2019, None, None), (2020, None, None),
    ]  # fmt: skip


COMPARED = [
    ("2021-03-01", "day", "March 1st, 2021", "match"),
    ("2021-03-01", "", "1 March 2021", "match"),
    ("2021-03-01", "day", "2 March 2021", "mismatch"),
    ("2021-03-01", "day", "March 2021", "coarser"),
    ("2021-03-01", "day", "2021", "coarser"),
    ("2021-03-01", "day", "1 March", "coarser"),
    ("2021-03-01", "day", "2 March", "mismatch"),
    ("2021-03-01", "day", "2020", "mismatch"),
    ("2021-03-01", "day", "01/03/2021", "ambiguous"),
    ("2021-03-01", "day", "03/01/2021", "ambiguous"),
    ("2021-03-01", "day", "04/01/2021", "mismatch"),
    ("2021-03-03", "day", "03/03/2021", "match"),
    ("2021-03-25", "day", "03/25/2021", "match"),
    ("2021-03-01", "year", "01/03/2021", "match"),
    ("2021-03-01", "month", "01/03/2021", "ambiguous"),
    ("2021-03-01", "month", "31 March 2021", "match"),
    ("2021-03", "", "March 2021", "match"),
    ("2021-03", "", "4 March 2021", "match"),
    ("2021-03", "", "Q1 2021", "coarser"),
    ("2021-03", "", "Q3 2021", "mismatch"),
    ("2021-03", "", "Q3 FY2021", "coarser"),
    ("2021", "", "March 2021", "match"),
    ("2021", "year", "FY2021", "match"),
    ("2021", "year", "2022", "mismatch"),
    ("unknown", "", "2022", "mismatch"),
]


@pytest.mark.parametrize(("gold", "precision", "text", "relation"), COMPARED)
def test_compared_with_the_gold(gold: str, precision: str, text: str, relation: str) -> None:
    (mention,) = find_dates(text)
    assert compare_date(gold, precision, mention) == relation


STYLES = [
    lambda d: d.isoformat(),
    lambda d: f"{d:%B} {d.day}, {d.year}",
    lambda d: f"{d.day} {d:%b} {d.year}",
    lambda d: f"{d:%b}. {d.day}, {d.year}",
    lambda d: f"{d.day} {d:%B} {d.year}",
]


@given(st.dates(date(1600, 1, 1), date(2199, 12, 31)), st.sampled_from(STYLES))
def test_what_is_written_is_found_and_matches(day: date, style: object) -> None:
    assert callable(style)
    written = style(day)
    text = f"It was signed on {written}, as [c1#3] says."
    (mention,) = find_dates(text)
    assert text[mention.start : mention.end] == written
    assert compare_date(day.isoformat(), "day", mention) == "match"
    assert compare_date(f"{day.year + 1}-01-01", "day", mention) == "mismatch"


@given(st.dates(date(1600, 1, 1), date(2199, 12, 31)), st.sampled_from(["/", "-"]), st.booleans())
def test_day_and_month_in_doubt_never_match_in_silence(day: date, mark: str, day_first: bool) -> None:
    first, second = (day.day, day.month) if day_first else (day.month, day.day)
    (mention,) = find_dates(f"{first:02d}{mark}{second:02d}{mark}{day.year}")
    sure = day.day > 12 or day.day == day.month
    assert compare_date(day.isoformat(), "day", mention) == ("match" if sure else "ambiguous")


PIECES = "1 March 2021 may Q3 FY 23 - / . , of the first 1.3.2021 [ ] § \n é".split(" ")  # noqa: SIM905


@given(st.text(max_size=200) | st.lists(st.sampled_from(PIECES)).map(" ".join))
@settings(max_examples=150)
def test_any_text_is_read_and_dates_do_not_overlap(text: str) -> None:
    end = 0
    for mention in find_dates(text):
        assert isinstance(mention, DateMention)
        assert end <= mention.start < mention.end <= len(text)
        end = mention.end


@pytest.mark.parametrize(
    "piece", ["2021 ", "1/", "March 1, ", "may ", "twenty-", "FY ", "1 ", "2021-03 ", "1. "]
)
def test_a_long_text_takes_linear_time(piece: str) -> None:
    def seconds(size: int) -> float:
        text = (piece * size)[:size] + " March 2021"
        begin = time.process_time()
        find_dates(text)
        return time.process_time() - begin

    assert seconds(100_000) < max(0.5, 25 * seconds(10_000))
