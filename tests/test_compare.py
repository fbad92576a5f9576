"""Runs side by side: what flipped, how it moved, and what differs; other questions are refused."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from msgspec.structs import replace

import ragharness as rh
import run_fakes as fake
from gate_fakes import epochs_of, folder, written
from ragharness.analysis.compare import UNGRADED, Comparison, compare
from ragharness.analysis.scoring import score_folder
from ragharness.errors import NotComparable, UnknownName, UsageError
from ragharness.records import BUCKETS
from ragharness.reports.compare import compare_sections
from ragharness.reports.text import Section, aligned, counted, money, render, table_formats

if TYPE_CHECKING:
    from commands import Verb

BASE = {"q001": "wrong", "q002": "refused", "q003": "unsupported", "q004": "needs_review", "q100": "wrong"}
OTHER = {"q001": "correct", "q002": "wrong", "q003": "wrong", "q005": "refused", "q100": "needs_review"}


@pytest.fixture
def found(tmp_path: Path) -> Comparison:
    return compare([folder(tmp_path / "a", BASE), folder(tmp_path / "b", OTHER, k=9, pipeline="new:answer")])


def test_flips_are_listed_worse_first(found: Comparison) -> None:
    (against,) = found.against
    assert [(each.question, each.was, each.now, each.worse) for each in against.flips] == [
        ("q002", "refused", "wrong", True),
        ("q003", "unsupported", "wrong", True),
        ("q005", "correct", "refused", True),
        ("q100", "wrong", UNGRADED, False),
        ("q004", UNGRADED, "correct", False),
        ("q001", "wrong", "correct", False),
    ]


def test_flows_count_every_question_once(found: Comparison) -> None:
    flows = found.against[0].flows
    assert sum(n for row in flows.values() for n in row.values()) == 130
    assert flows["wrong"] == {**dict.fromkeys((*BUCKETS, UNGRADED), 0), "correct": 1, UNGRADED: 1}
    assert flows["correct"]["refused"] == 1


def test_changes_are_paired_over_what_is_graded_in_both(found: Comparison) -> None:
    wrong = found.against[0].changes[0]
    assert (wrong.outcome, wrong.gained, wrong.lost) == ("wrong", 2, 1)
    assert wrong.difference == pytest.approx(1 / 128)
    assert wrong.p == 1.0


def test_columns_say_what_the_reports_say(tmp_path: Path, found: Comparison) -> None:
    for letter, name in zip("AB", ("a", "b"), strict=True):
        assert found.runs[letter] == score_folder(rh.load_run(tmp_path / name).folder)
    text = " ".join(render(compare_sections(found), "text").split())
    over = [each.axes.over_refusal for each in found.runs.values()]
    assert f"over-refusal {counted(over[0])} {counted(over[1])} lower" in text
    assert f"cost {money(found.runs['A'].spending.cost)} {money(found.runs['B'].spending.cost)}" in text


def test_settings_that_differ_are_named_and_no_others(found: Comparison) -> None:
    assert found.settings == {"k": ["5", "9"], "pipeline": ["mine:answer", "new:answer"]}


def test_runs_on_other_questions_are_refused(tmp_path: Path, verb: Verb) -> None:
    folder(tmp_path / "runs" / "a", {})
    folder(tmp_path / "runs" / "b", {}, question_set="a" * 64)
    folder(tmp_path / "runs" / "c", {}, corpus_hash="a" * 64)
    done = verb("compare", "a", "b")
    assert (done.code, done.output) == (2, "")
    assert "expected runs on the same questions" in done.errors
    assert "help:" in done.errors
    with pytest.raises(NotComparable, match="corpus"):
        rh.compare(tmp_path / "runs" / "a", tmp_path / "runs" / "c")
    with pytest.raises(UsageError, match="expected 2 to 26 runs, found 1"):
        rh.compare(tmp_path / "runs" / "a")


def test_another_grader_is_a_warning(tmp_path: Path) -> None:
    runs = [folder(tmp_path / "a", {}), folder(tmp_path / "b", {}, grader="rules 2")]
    assert "grader: rules 1 in A, rules 2 in B" in compare(runs).warnings[0]
    assert "READ WITH CARE" in render(compare_sections(compare(runs)), "text").upper()


def test_epochs_are_compared_by_their_majority(tmp_path: Path) -> None:
    asked = fake.questions()[:2]

    def run(name: str, *buckets: str) -> Any:
        records = [each for q in asked for each in epochs_of(*(fake.record(q, bucket) for bucket in buckets))]
        return written(tmp_path / name, asked, records, epochs=3)

    found = compare([run("a", "correct", "wrong", "correct"), run("b", "wrong", "correct", "wrong")])
    assert [(each.was, each.now) for each in found.against[0].flips] == [("correct", "wrong")] * 2
    assert found.runs["A"].questions == 6


WIDE = [
    ["", "base", "candidate figure", "change", "95% CI", "p"],
    *(
        [name, "1234", "5678", "+4444", "[-12.3,+45.6]", "<.001"]
        for name in ("wrong", "refused although found")
    ),
]


def test_a_column_without_a_word_is_squeezed_too() -> None:
    assert max(map(len, aligned([["", *row] for row in [*WIDE, [""] * 6][1:]], width=30))) <= 30


@pytest.mark.parametrize("width", [80, 60, 50, 40, 30])
def test_tables_fit_the_width_and_lose_no_word(width: int) -> None:
    lines = aligned(WIDE, width=width, headed=True)
    assert max(map(len, lines)) <= width
    words = " ".join(lines).split()
    assert all(words.count(word) >= 1 for row in WIDE for cell in row for word in cell.split())
    assert words.count("[-12.3,+45.6]") == 2


def test_a_table_that_fits_is_not_touched() -> None:
    assert aligned(WIDE, width=max(map(len, aligned(WIDE))), headed=True) == aligned(WIDE)


def test_a_table_too_wide_to_wrap_stands_in_parts_beside_its_first_column() -> None:
    assert aligned([["", "one", "two"], ["a", "11111", "22222"]], width=9, headed=True) == [
        "     one", "a  11111", "", "     two", "a  22222",
    ]  # fmt: skip


def test_every_format_has_the_same_figures(tmp_path: Path, verb: Verb) -> None:
    folder(tmp_path / "runs" / "a", BASE)
    folder(tmp_path / "runs" / "b_50%_{x}", OTHER)
    folder(tmp_path / "runs" / "c", {})
    shown = {
        form: verb("compare", "a", "b", "c", "--format", form).output for form in (*table_formats(), "json")
    }
    found = json.loads(shown["json"])
    assert list(found["runs"]) == ["A", "B", "C"]
    assert len(found["against"]) == 2
    rows = list(csv.reader(io.StringIO(shown["csv"])))
    counts = {row[1]: row[2:] for row in rows if row[0] == "What came out"}
    for bucket in BUCKETS:
        expected = [str(each["buckets"][bucket]) for each in found["runs"].values()]
        assert counts[bucket] == expected
        assert f"| {bucket} | {' | '.join(expected)} |" in shown["markdown"]
        assert f"{bucket} {' '.join(expected)}" in " ".join(shown["text"].split())
    for runs in (("a", "c"), ("a", "c", "a", "c")):
        assert max(map(len, verb("compare", *runs).output.splitlines())) <= 80
    assert (
        verb("compare", "a", "c", "--markdown").output
        == verb("compare", "a", "c", "--format", "markdown").output
    )
    assert verb("compare", "a", "c", "--format", "markdwn").code == 3
    assert render([Section(told=("Ship.",), tone="good")], "text", colour=True) == "\x1b[1;32mShip.\x1b[0m\n"
    with pytest.raises(UnknownName, match="markdown"):
        render([], "markdwn")


def test_python_has_the_same(tmp_path: Path) -> None:
    asked = [replace(each, id=f"<i>{each.id}|") for each in fake.questions()]
    runs = [folder(tmp_path / "a", {}, asked), folder(tmp_path / "b", {"<i>q001|": "wrong"}, asked)]
    found = rh.compare(runs[0].path, rh.load_run(runs[1].path))
    assert found.flips == {"<i>q001|": ("correct", "wrong")}
    assert found.worse == ["<i>q001|"]
    assert found.to_dict()["against"][0]["letter"] == "B"
    assert "WHAT CAME OUT" in repr(found)
    assert "<svg" in found._repr_html_()
    assert "<i>" not in found._repr_html_()


def test_a_run_equals_itself(tmp_path: Path) -> None:
    run = folder(tmp_path / "a", BASE)
    found = compare([run, run])
    assert (found.against[0].flips, found.settings, found.warnings) == ([], {}, [])
    assert all(each.p == 1 and each.gained == each.lost == 0 for each in found.against[0].changes)
