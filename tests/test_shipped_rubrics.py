"""The shipped rubrics have the facts of their source, and score their examples as expected."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import pytest
import yaml

from conftest import ROOT
from judging_fakes import ScriptedJudge
from ragharness.rubrics.registry import check, find_rubric
from ragharness.rubrics.rubric import Item, Opinion, Rubric
from ragharness.rubrics.scoring import Means, score
from ragharness.support import resources

if TYPE_CHECKING:
    from commands import Verb

NAMES = resources.names("rubrics")
FACTS: dict[str, Any] = yaml.safe_load(
    (ROOT / "tests" / "golden" / "starter_rubrics.yaml").read_text("utf-8")
)
STARTERS = {each["title"]: each for each in FACTS["starter_rubrics"].values()}
HASHES = json.loads((ROOT / "tests" / "golden" / "rubric_hashes.json").read_text("utf-8"))
METHODS = {"Claim pipeline": ("claim_pipeline", "groundedness"), "Safety layer": ("safety_layer",)}


def rubric(name: str) -> Rubric:
    return find_rubric(name).rubric


def examples() -> list[tuple[str, dict[str, Any]]]:
    return [
        (name, json.loads(line))
        for name in NAMES
        for line in (resources.folder("rubrics", name) / "examples.jsonl").read_text("utf-8").splitlines()
    ]


@pytest.mark.parametrize("name", NAMES)
def test_shipped_rubrics_are_active_and_without_problems(name: str) -> None:
    loaded = find_rubric(name)
    assert loaded.rubric.status == "active"
    assert [str(each) for each in check(loaded) if not each.advice] == []
    assert loaded.rubric.title == name


def test_a_shipped_version_never_changes() -> None:
    assert {name: rubric(name).hash for name in NAMES} == HASHES, "branch it"


@pytest.mark.parametrize("title", STARTERS)
def test_the_starters_have_the_facts_of_the_brief(title: str) -> None:
    (ours,) = [rubric(name) for name in NAMES if rubric(name).name == title]
    rows = STARTERS[title]["dimensions"]
    assert [each.name for each in ours.dimensions] == [row["name"] for row in rows]
    for each, row in zip(ours.dimensions, rows, strict=True):
        assert (each.weight, each.threshold, each.gate) == (row["weight"], row["threshold"], row["gate"])
        if row["gate"]:
            assert each.id not in ours.normalised
        else:
            assert ours.normalised[each.id] == pytest.approx(row["weight_normalised"], abs=5e-7)
        if row["method_stated"] in ("deterministic", "llm_judge"):
            assert (each.method, each.method_from) == (row["method_stated"], "")
        else:
            assert each.method_from, "a method that the source leaves out is filled in visibly"
    assert sum(each.weight or 0 for each in ours.dimensions) == pytest.approx(
        STARTERS[title]["weight_sum_as_written"]
    )


def test_the_reference_dimensions_have_their_defaults() -> None:
    rows = FACTS["reference_dimensions"]["dimensions"]
    ours = rubric("reference-dimensions-1.0").dimensions
    assert [each.name for each in ours] == [row["name"] for row in rows]
    for each, row in zip(ours, rows, strict=True):
        found = (each.weight, each.threshold, each.gate)
        assert found == (row["default_weight"], row["default_threshold"], row["gate"])
        assert each.method in METHODS.get(row["default_method"], ("llm_judge",))


def test_the_starters_take_the_reference_method_that_their_source_points_to() -> None:
    reference = {each.name: each.method for each in rubric("reference-dimensions-1.0").dimensions}
    for name in NAMES:
        rows = {row["name"]: row for row in STARTERS.get(rubric(name).name, {"dimensions": ()})["dimensions"]}
        for each in rubric(name).dimensions:
            named = rows.get(each.name, {}).get("reference_dimension")
            if named:
                assert (each.method, each.method_from) == (
                    reference[named],
                    f"the reference dimension {named}",
                )


@pytest.mark.parametrize(
    ("name", "example"), examples(), ids=lambda each: each if isinstance(each, str) else each["item"]["id"]
)
def test_examples_come_out_as_expected(name: str, example: dict[str, Any]) -> None:
    item = msgspec.convert(example["item"], Item)
    people = {
        (item.id, each): Opinion(item.id, each, score, "read", "reader", "2026-11-22")
        for each, score in example["people"].items()
    }
    found = score(rubric(name), [item], Means(ScriptedJudge(example["judge"]), people=people))
    failed = [each.dimension for each in found.items[0].marks if each.passes is False]
    assert (found.verdict, sorted(failed)) == (
        example["expected"]["verdict"],
        sorted(example["expected"]["failed"]),
    ), [(m.dimension, m.status, m.score100, m.told) for m in found.items[0].marks if m.passes is not True]


@pytest.mark.parametrize("name", NAMES)
def test_every_rubric_has_good_bad_and_gate_violating_examples(name: str) -> None:
    gates = {each.id for each in rubric(name).dimensions if each.gate}
    expected = [each["expected"] for other, each in examples() if other == name]
    assert any(each["verdict"] == "pass" for each in expected)
    assert any(each["failed"] and not gates & set(each["failed"]) for each in expected)
    assert any(gates & set(each["failed"]) for each in expected)


def test_every_report_of_a_run_tells_what_its_rubrics_said(tmp_path: Path, verb: Verb) -> None:
    verb("run", "--limit", "13", "--out", "scored", "--rubric", "four-bucket-1.0")
    (kept,) = (tmp_path / "scored").glob("rubric-*.json")
    hashed = json.loads(kept.read_text())["rubric"]["hash"]
    for form in ("terminal", "markdown", "html"):
        verb("report", "scored", "--format", form, "--out", f"report.{form}")
        told = (tmp_path / f"report.{form}").read_text()
        assert f"rubric four-bucket 1.0, owner ragharness, hash {hashed}" in told, form
        assert "what each dimension took" in told.lower(), form
    (told,) = json.loads(verb("report", "scored", "--json").output)["rubrics"]
    assert (told["rubric"]["hash"], told["rubric"]["owner"]) == (hashed, "ragharness")
    assert all("taken" in each for each in told["dimensions"])
    kept.unlink()
    assert "rubrics" not in json.loads(verb("report", "scored", "--json").output)
    assert hashed not in verb("report", "scored").output
