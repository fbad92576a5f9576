"""The search for further statements of an answer, and for figures from which a withheld one follows."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ragharness.corpus.loading import Corpus, load_corpus
from ragharness.corpus.passages import build_passages
from ragharness.records import Evidence, Question
from ragquestions.derivations import derived
from ragquestions.statements import Search

PARTS = {
    "gold": "The Harbor Act provided $18.8 million for repairs of quays in 2021, as the board had asked.",
    "table": "Repairs of quays, in thousands\nTotal, Harbor Act | 24,838 | 18,809 | 24,438",
    "rounded": "Under the Harbor Act about $19 million was provided for repairs of quays.",
    "other": "The Canal Act provided $17.2 million for locks.",
    "stranger": "Visitors spent $18.8 million on ices and lemonade.",
    "words": "Thirty-six pilots were examined on their knowledge of the harbor.",
    "digits": "We examined 36 pilots.",
    "plain": "There are 36 benches along the promenade.",
    "list": "Harbor Safety: Examination of Pilots Needs More Care. HS-21-7. Dunmere: March 9, 2021.",
    "wrong day": "Harbor Safety: Examination of Pilots Needs More Care. HS-22-1. Dunmere: May 9, 2022.",
}


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    folder = tmp_path_factory.mktemp("harbor")
    for number, text in enumerate(PARTS.values()):
        (folder / f"part {number}.txt").write_text(f"{text}\n", encoding="utf-8")
    return load_corpus(str(folder))


def met(corpus: Corpus, **asked: Any) -> list[str]:
    """Return which parts state the answer."""
    question = Question(id="q", stratum="grounded", target="correct", answerable=True, **asked)
    places = Search(corpus).places(question, build_passages(corpus.documents).passages)
    return [list(PARTS)[int(place.passage.document.removeprefix("part_"))] for place in places]


def test_a_figure_is_met_in_digits_rounded_and_in_the_scale_of_a_table(corpus: Corpus) -> None:
    asked = "How much did the Harbor Act provide for repairs of quays?"
    found = met(corpus, text=asked, kind="number", answers=("18.8",), unit="USD million")
    assert found == ["gold", "table", "rounded"]


def test_a_count_is_met_in_words_but_not_where_it_counts_something_else(corpus: Corpus) -> None:
    found = met(corpus, text="How many pilots were examined?", kind="number", answers=("36",))
    assert found == ["words", "digits"]


def test_a_date_is_met_in_a_list_of_references(corpus: Corpus) -> None:
    asked = "When was the report on the examination of pilots published?"
    found = met(corpus, text=asked, kind="date", answers=("2021-03",), date_precision="month")
    assert found == ["list"]


INCOME = """Year ended | 2024 | 2023
Gross profit | 17,450 | 17,660
Research and development | 4,540 | 3,969
Selling, general and administrative | 5,150 | 4,800
Restructuring | 684 | 177
Income from operations | 7,076 | 8,891"""
LEFT = {
    "gross": "Total gross profit | $17,450 | $17,660",
    "research": "Research and development | 4,540 | 3,969",
    "selling": "Selling, general and administrative | 5,150 | 4,800",
    "restructuring": "Restructuring and other | 684 | 177",
    "change": "Income from operations decreased $1,815 million compared to last year.",
    "earlier": "Income from operations in 2023 | 8,891",
}


def follows(tmp_path: Path, *names: str) -> list[tuple[str, str]]:
    for name in names:
        (tmp_path / f"{name}.txt").write_text(LEFT[name], encoding="utf-8")
    left = build_passages(load_corpus(str(tmp_path)).documents).passages
    question = Question(
        id="q",
        text="How much income from operations did the company report?",
        stratum="grounded",
        target="unsupported",
        kind="number",
        answerable=True,
        answers=("7076",),
        unit="USD million",
        withheld="clause",
        evidence=(Evidence("d", INCOME.index("Income"), len(INCOME)),),
    )
    return list(derived(question, INCOME, left))


def test_a_withheld_figure_follows_from_four_that_are_left(tmp_path: Path) -> None:
    [(how, told)] = follows(tmp_path, "gross", "research", "selling", "restructuring")
    assert how == "derivable"
    assert all(figure in told for figure in ("17450", "4540", "5150", "684"))


def test_it_does_not_follow_where_one_of_them_is_gone(tmp_path: Path) -> None:
    assert follows(tmp_path, "gross", "research", "selling") == []


def test_a_stated_change_gives_it_with_the_earlier_figure(tmp_path: Path) -> None:
    [(how, told)] = follows(tmp_path, "change", "earlier")
    assert how == "change"
    assert "8891" in told
    assert "$1,815 million" in told


def test_a_change_alone_does_not(tmp_path: Path) -> None:
    assert follows(tmp_path, "change") == []
