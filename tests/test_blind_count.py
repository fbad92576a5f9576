"""The reference beside every result: counted once for one retrieval, and again for another."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from msgspec.structs import replace

from ragharness.config import RunConfig
from ragharness.records import Record, Retrieved
from ragharness.runner.grading import GradingContext, blind_count
from ragharness.runner.session import RunContext, load_context

if TYPE_CHECKING:
    from commands import Verb


@pytest.fixture(scope="module")
def bench() -> RunContext:
    return load_context(RunConfig())


def records_of(bench: RunContext, k: int) -> list[Record]:
    """Return records as a run leaves them, with nothing but what was retrieved."""
    made = []
    for question in bench.questions.questions[:40]:
        hits = bench.runner.retriever.retrieve(question.text, k, question)
        found = tuple(Retrieved(hit.passage.id, hit.score) for hit in hits)
        made.append(
            Record(
                question=question.id, row=question.row, wanted=question.wanted, status="ok", retrieved=found
            )
        )
    return made


def test_the_count_is_kept_for_the_retrieval_that_it_follows_from(
    bench: RunContext, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    few, many = records_of(bench, 1), records_of(bench, 5)
    expected = blind_count(bench.grading, lambda: few)
    other = blind_count(bench.grading, lambda: many)
    assert blind_count(bench.grading, lambda: few, tmp_path) == expected
    assert blind_count(bench.grading, lambda: many, tmp_path) == other

    def refuse(*arguments: object) -> None:
        raise AssertionError(arguments)

    monkeypatch.setattr(GradingContext, "verdict", refuse)
    assert blind_count(bench.grading, lambda: reversed(few), tmp_path) == expected
    assert blind_count(bench.grading, lambda: many, tmp_path) == other
    assert blind_count(bench.grading, lambda: few[1:], tmp_path)[0] is None


@pytest.mark.parametrize("content", [b"", b"many", b"\xff\x00"])
def test_a_spoiled_count_is_counted_again(bench: RunContext, tmp_path: Path, content: bytes) -> None:
    records = records_of(bench, 2)
    expected = blind_count(bench.grading, lambda: records, tmp_path)
    (path,) = tmp_path.iterdir()
    whole = path.read_bytes()
    path.write_bytes(content)
    assert blind_count(bench.grading, lambda: records, tmp_path) == expected
    assert [each.read_bytes() for each in tmp_path.iterdir()] == [whole]


def test_passages_that_a_pipeline_brought_are_part_of_what_the_count_follows_from(
    bench: RunContext, tmp_path: Path
) -> None:
    records = records_of(bench, 1)
    from ragharness.records import Answer, Passage

    def with_passage(text: str) -> Iterator[Record]:
        brought = (Passage("own#1", "", "A title", 0, 0, text),)
        for record in records:
            yield replace(record, answer=Answer(text="Yes.", passages=brought))

    blind_count(bench.grading, lambda: with_passage("one"), tmp_path)
    blind_count(bench.grading, lambda: with_passage("two"), tmp_path)
    assert len(list(tmp_path.iterdir())) == 2


def test_a_run_on_disk_counts_what_the_run_counted(verb: Verb) -> None:
    counts = [
        json.loads(verb(*command, "--json").output)["references"]["blind"]
        for command in (("run", "--out", "r", "--quiet"), ("grade", "r"))
    ]
    assert counts[0] == counts[1] == 60
