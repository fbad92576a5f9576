"""Questions about rows of accounts: which label, period and amount, and what is passed over."""

from __future__ import annotations

from pathlib import Path

import pytest

from ragharness.corpus.folders.reading import read_folder
from ragharness.corpus.loading import load_corpus
from ragquestions.folder import candidates
from ragquestions.folder.rows import amounts_listed

STATEMENT = """Fenwick Corp.

Consolidated statements of operations (in millions)

Year Ended December 31,
2021 | 2022 | 2023
Research and development | $1,210 | $1,340 | $1,401
Selling expenses | 15.5 | (2.0) | 17
Cost of sales | 300 | 310 | 320
Changes in operating assets and liabilities:
Prepaid expenses | 4 | 5 | 6

Operating expenses (in millions):

2021 | 2022 | 2023
Research and development | $1,210 | $1,340 | $1,401
Cost of sales | 31% | 30% | 29%
Other expenses | $7 | $8 | $9

Notes (in millions):

2021 | 2022 | 2023
Interest expense | $3 | $4 | $5
"""


def asked(text: str) -> dict[str, str]:
    """Return the answers by what is asked for."""
    prefix = "What amount is reported for "
    return {each.asked.question.removeprefix(prefix): each.asked.answer for each in amounts_listed(text)}


def test_a_label_that_means_one_thing_is_asked_about_in_every_year() -> None:
    assert asked(STATEMENT) == {
        "“Research and development” in 2021?": "1210",
        "“Research and development” in 2022?": "1340",
        "“Research and development” in 2023?": "1401",
        "“Selling expenses” in 2021?": "15.5",
        "“Selling expenses” in 2023?": "17",
        "“Interest expense” in 2021?": "3",
        "“Interest expense” in 2022?": "4",
        "“Interest expense” in 2023?": "5",
    }


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Notes (in millions)", "Notes"),  # in what, nobody says
        ("Notes (in millions)", "Notes (in millions) as of December 31"),  # a balance has a day
        ("Interest expense", "Gains"),  # of what?
        ("Interest expense | $3 | $4 | $5", "Interest expense | $3 | $4"),  # which columns?
        ("Interest expense", "Interest expense per share"),
        (
            "Interest expense | $3 | $4 | $5",
            "Interest expense | $3 | $4 | $5\nValuation allowance | 1 | 1 | 1",
        ),
        ("Notes (in millions):\n\n2021 | 2022 | 2023", "Notes (in millions):\n\n2017 | 2018 | 2019"),
    ],
)
def test_a_row_is_passed_over_where_label_unit_or_column_is_uncertain(old: str, new: str) -> None:
    head, _, notes = STATEMENT.partition("Notes")
    text = f"{head}{('Notes' + notes).replace(old, new)}"
    assert not any("Interest" in each or "Gains" in each for each in asked(text))


def test_days_and_thousands_are_read() -> None:
    table = "March 31, 2023 | March 31, 2024\nTrade receivables | $12,500 | $9,750\n"
    text = "".join(f"Balance sheet {number} (in thousands)\n{table}\n" for number in range(3))
    assert asked(text) == {
        "“Trade receivables” as of March 31, 2023?": "12.5",
        "“Trade receivables” as of March 31, 2024?": "9.75",
    }
    ended = text.replace("(in thousands)\n", "(in thousands)\nYears ended\n")
    assert "“Trade receivables” for the year ended March 31, 2023?" in asked(ended)


def test_a_year_is_not_refused_that_heads_a_column_far_above(tmp_path: Path) -> None:
    rows = [["", "2021", "2022", "2023"]]
    rows += [[f"Cost of goods of kind {each}", f"${each}1", f"{each}2", f"{each}3"] for each in range(10, 40)]
    rows += [["Advertising expense", "$610", "$620", "$630"]]
    cells = "".join(f"<tr>{''.join(f'<td>{cell}</td>' for cell in row)}</tr>" for row in rows)
    after = "Nothing else is said of the accounts here. " * 20
    table = f"<p>Costs (in millions)</p><table>{cells}</table><p>{after}</p>"
    page = f"<html><title>Annual report</title><body><p>In 2023 all went well.</p>{table * 3}</body></html>"
    (tmp_path / "report.html").write_text(page)
    questions = candidates(load_corpus(str(tmp_path)), 130)
    refused = {each.text for each in questions if not each.answerable and "Advertising" in each.text}
    assert refused
    assert not any(f"in {year}" in each for year in (2021, 2022, 2023) for each in refused)


def test_a_mark_of_the_program_is_no_title(tmp_path: Path) -> None:
    page = "<html><head><title>abcd-20231231</title></head><body><p>Revenue rose.</p></body></html>"
    (tmp_path / "ABCD_FY2023_10-K.html").write_text(page)
    assert [each.title for each in read_folder(tmp_path).documents] == ["ABCD FY2023 10-K"]
