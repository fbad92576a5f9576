"""The benchmark of a confirming judge: what follows from a judge that is always, or never, of people's opinion."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from conftest import ROOT
from ragharness.analysis.labelled import Labelled, read_labelled


def _benchmark() -> Any:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "path", [str(ROOT / "benchmarks"), *sys.path])
        import confirm

        return confirm


BENCHMARK = _benchmark()
ROWS = [
    ("correct", "It lasts two years [p1]."),
    ("unsupported", "It lasts two years [p2]."),
    ("wrong", "It lasts two years under the renewal, which is not the one asked about [p1]."),
    ("wrong", "It lasts six years [p1]."),
    ("refused", "The passages do not say how long it lasts."),
]


@pytest.fixture
def answers(tmp_path: Path) -> list[Labelled]:
    passages = [{"id": "p1", "text": "It lasts two years."}, {"id": "p2", "text": "Notices are in writing."}]
    row = {"question": "How long does it last?", "answers": ["two years"], "passages": passages}
    lines = [{**row, "bucket": bucket, "answer": text, "evidence": ["p1"]} for bucket, text in ROWS]
    path = tmp_path / "a.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return read_labelled(path)


def figures(answers: list[Labelled], chain: str, agreement: float) -> Any:
    votes = BENCHMARK.SimulatedVotes(answers, agreement, 0)
    grader = BENCHMARK.chains(BENCHMARK.RememberedRules(), votes)[chain]
    return BENCHMARK.figures(answers, grader, votes)


def test_a_judge_of_people_s_opinion_confirms_without_a_false_correct(answers: list[Labelled]) -> None:
    alone = figures(answers, "--grader judge", 1)
    assert (alone["same_bucket"], alone["calls"], alone["review"]) == (1, 130, 0)
    confirmed = figures(answers, "--confirm judge", 1)
    assert (confirmed["false_correct"], confirmed["other_bucket"]) == (0, 0)
    assert 0 < confirmed["calls"] < 130


def test_a_judge_that_is_never_right_costs_reviews_and_no_right_verdict(answers: list[Labelled]) -> None:
    confirmed = figures(answers, "--confirm judge", 0)
    assert confirmed["review"] > 0
    assert confirmed["right_condemned"] == confirmed["refusals_condemned"] == 0
    assert figures(answers, "--grader judge", 0)["right_condemned"] == 1


def test_without_passages_support_is_taken_as_given_by_both(tmp_path: Path) -> None:
    row = {"question": "How long does it last?", "answers": ["two years"]}
    lines = [{**row, "label": "correct", "answer": "It lasts two years."}]
    path = tmp_path / "a.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    assert figures(read_labelled(path), "--confirm judge", 1)["same_bucket"] == 1


def test_the_kept_figures_are_of_both_files() -> None:
    kept = json.loads((ROOT / "benchmarks" / "confirm.json").read_text("utf-8"))
    assert set(kept) >= {"prose-answers/answers", "cases/near_misses"}
    for measured in kept.values():
        chains = {(row["chain"], row["agreement"]) for row in measured["rows"]}
        assert len(chains) == 1 + 3 * len(BENCHMARK.AGREEMENTS)
