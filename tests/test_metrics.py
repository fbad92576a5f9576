"""Metrics and report formats are files: one more of them is enough, and each says what it is."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import ragharness
import run_fakes as fake
from conftest import ROOT
from ragharness.reports import words
from ragharness.scores import score
from ragharness.scores.metrics import Metric, Part, metrics

PACKAGE = Path(ragharness.__file__).parent
PARTS: tuple[Part, ...] = ("axes", "retrieval")
ALL = [metric for part in PARTS for metric in metrics(part)]

NEW = '''"""Passages that the pipeline had."""

from ragharness.scores.metrics import Metric, mean

METRIC = Metric(
    name="passages",
    part="{part}",
    order=90,
    sentence="Mean number of passages.",
    label="passages {{top}}",
    short="passages {{top}}",
    place=90,
    remark="{remark}",
    range=(0, None),
    higher_is_better=False,
    source="this test",
    type=float | None,
    compute=lambda outcomes, _: mean([4.25 for _ in outcomes]),
)
'''
PRINTED = """
import json
import run_fakes as fake
from ragharness.reports import json_report, markdown_report, read_scores, terminal_report
from ragharness.reports.json import schema
from ragharness.scores import score

records = [fake.record(question, "refused") for question in fake.questions()]
scores = score(fake.run(), [], fake.questions(), records, name="r")
assert read_scores(json_report(scores).encode()) == scores
print(json.dumps([json_report(scores), terminal_report(scores), markdown_report(scores), schema()]))
"""


@pytest.mark.parametrize(("part", "remark"), [("retrieval", ""), ("axes", ""), ("axes", "at a time")])
def test_a_file_is_all_that_a_new_metric_takes(tmp_path: Path, part: str, remark: str) -> None:
    shutil.copytree(PACKAGE, tmp_path / "ragharness", ignore=shutil.ignore_patterns("__pycache__"))
    file = tmp_path / "ragharness" / "scores" / "metrics" / "passages.py"
    file.write_text(NEW.format(part=part, remark=remark), encoding="utf-8")
    path = os.pathsep.join((str(tmp_path), str(ROOT / "tests")))
    done = subprocess.run(
        [sys.executable, "-c", PRINTED],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYTHONPATH": path},
    )
    told, terminal, markdown, schema = json.loads(done.stdout)
    assert json.loads(told)[part]["passages"] == 4.25
    assert "passages in top 5" in terminal
    assert f"4.250 {remark}".rstrip() in terminal
    assert "| passages in top 5 | 4.250 |\n" in markdown
    described = schema["$defs"][part.capitalize()]
    assert described["properties"]["passages"]["description"] == "Mean number of passages."
    assert described["required"][-1] == "passages"


@pytest.mark.parametrize("metric", ALL, ids=lambda each: each.name)
def test_a_metric_says_what_it_is(metric: Metric) -> None:
    assert (PACKAGE / "scores" / "metrics" / f"{metric.name}.py").exists()
    assert metric.sentence.endswith(".")
    assert metric.source
    assert metric.label
    assert bool(metric.short) == bool(metric.place)


def test_no_two_metrics_of_a_part_have_one_place() -> None:
    for part in PARTS:
        assert len({each.order for each in metrics(part)}) == len(metrics(part))
        places = [each.place for each in metrics(part) if each.place]
        assert len(set(places)) == len(places)


def least_and_greatest(value: Any) -> tuple[float, float]:
    """Return the limits of what a value says."""
    if hasattr(value, "low"):
        return value.low, value.high
    value = getattr(value, "mean", value)
    return value, value


def test_every_value_is_in_the_range_that_its_metric_declares() -> None:
    flags = ("hedged", "mixed")
    records = [
        fake.record(each, "refused" if number % 3 else "correct", flags=flags, extra_claim_count=number)
        for number, each in enumerate(fake.questions())
    ]
    scores = score(fake.run(), [], fake.questions(), records, name="r")
    for part in PARTS:
        for metric, value in words.measured(scores, part):
            low, high = least_and_greatest(value)
            least, most = metric.range
            assert least <= low <= high <= (most or float("inf")), metric.name
