"""Metrics and report formats are files: one more of them is enough, and each says what it is."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import ragharness
import run_fakes as fake
from commands import process
from conftest import ROOT
from ragharness.analysis.metrics import Metric, Part, metrics
from ragharness.analysis.scoring import score
from ragharness.reports import words

if TYPE_CHECKING:
    from commands import Verb

PACKAGE = Path(ragharness.__file__).parent
PARTS: tuple[Part, ...] = ("axes", "retrieval")
ALL = [metric for part in PARTS for metric in metrics(part)]

NEW = '''"""Mean number of passages."""

from ragharness.analysis.metrics import Metric, mean

METRIC = Metric(
    part="{part}",
    label="passages {{top}}",
    short="passages {{top}}",
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
import sys
import run_fakes as fake
from ragharness.reports.formats import load_format
from ragharness.analysis.scores import Scores, read_scores
from ragharness.analysis.scoring import score

sys.path.insert(0, sys.argv[1])
import formats
import update

records = [fake.record(question, "refused") for question in fake.questions()]
scores = score(fake.run(), [], fake.questions(), records, name="r")
texts = [load_format(name)(scores, detail=True) for name in ("json", "terminal", "markdown")]
assert read_scores(texts[0].encode()) == scores
assert "### contractnli" in update.baselines()
print(json.dumps([*texts, formats.schema(Scores)]))
"""


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """Return the folder ``harness`` of a clone, to put files into."""
    clone = tmp_path / "clone"
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(PACKAGE, clone / "harness" / "ragharness", ignore=ignored)
    for name in ("corpora", "questionsets", "baselines", "rubrics"):
        (clone / name).symlink_to(ROOT / name)
    return clone / "harness"


@pytest.mark.parametrize(("part", "remark"), [("retrieval", ""), ("axes", ""), ("axes", "at a time")])
def test_a_file_is_all_that_a_new_metric_takes(
    copy: Path, part: str, remark: str, verb: Verb, tmp_path: Path
) -> None:
    verb("run", "--pipeline", "refuse", "--out", "old")
    file = copy / "ragharness" / "analysis" / "metrics" / "passages.py"
    file.write_text(NEW.format(part=part, remark=remark), encoding="utf-8")
    path = os.pathsep.join((str(copy), str(ROOT / "tests")))
    done = subprocess.run(
        [sys.executable, "-c", PRINTED, str(ROOT / "docs")],
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
    assert "passages" not in described.get("required", []), "older results have none"

    shutil.copytree(tmp_path / "old", tmp_path / "kept")
    assert "passages" not in json.loads((tmp_path / "old" / "scores.json").read_bytes())[part]
    for command in (["report", "old", "--all"], ["gate", "old", "kept"], ["baseline", "list"]):
        assert process(tmp_path, *command, PYTHONPATH=str(copy)).returncode == 0, command


@pytest.mark.parametrize("metric", ALL, ids=lambda each: each.name)
def test_a_metric_says_what_it_is(metric: Metric) -> None:
    assert (PACKAGE / "analysis" / "metrics" / f"{metric.name}.py").exists()
    assert metric.sentence.endswith(".")
    assert metric.source
    assert metric.label


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


COUNTS = '''"""The buckets as two columns."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ragharness.analysis.scores import Scores


def render(scores: Scores, *, width: int = 80, **_: object) -> str:
    """Return a line a bucket."""
    return "".join(f"{name},{count}\\n" for name, count in scores.buckets.items())
'''


def test_a_file_is_all_that_a_new_report_format_takes(tmp_path: Path, copy: Path, verb: Verb) -> None:
    (copy / "ragharness" / "reports" / "formats" / "counts.py").write_text(COUNTS, encoding="utf-8")
    verb("run", "--pipeline", "refuse")
    done = process(tmp_path, "report", "--format", "counts", PYTHONPATH=str(copy))
    assert done.stdout == "correct,0\nwrong,0\nunsupported,0\nrefused,130\n"
    shown = process(tmp_path, "report", "--help", PYTHONPATH=str(copy)).stdout
    assert "counts, csv" in " ".join(shown.split())


def test_a_format_is_named_in_full_or_in_short_and_once(verb: Verb) -> None:
    verb("run", "--pipeline", "refuse")
    for name, short in (("markdown", "--markdown"), ("json", "--json")):
        assert verb("report", "--format", name).output == verb("report", short).output
        assert verb("report", "--format", name, short).code == 0
    assert verb("report", "--format", "terminal").output == verb("report").output
    both = verb("report", "--format", "json", "--markdown")
    assert (both.code, both.errors.splitlines()[0]) == (
        3,
        "error: expected one report format, found json and markdown",
    )
    unknown = verb("report", "--format", "markdwn")
    assert (unknown.code, unknown.errors.splitlines()) == (
        3,
        [
            "error: no report format is named 'markdwn'; did you mean markdown?",
            "help:  ragharness report --help",
        ],
    )
    assert "known: csv, datasets, html, json" in verb("report", "--format", "q").errors
