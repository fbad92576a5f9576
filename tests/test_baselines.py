"""Published baselines: a rerun is compared outcome by outcome, and a change of any kind is found."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import ragharness as rh
from conftest import ROOT
from ragharness.analysis.baselines import (
    Outcome,
    add_baseline,
    load_baseline,
    load_baselines,
    outcome_difference,
    verify,
)
from ragharness.analysis.matrix import read_grid
from ragharness.errors import UsageError
from ragharness.records import Retrieved
from ragharness.support import resources

if TYPE_CHECKING:
    from commands import Verb

FEW = 26


@pytest.fixture
def own_shelf(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the folder of baselines of a shelf that a test may change."""
    for kind in ("corpora", "questionsets", "rubrics"):
        (tmp_path / "shelf" / kind).mkdir(parents=True)
        for each in (ROOT / kind).iterdir():
            (tmp_path / "shelf" / kind / each.name).symlink_to(each)
    (tmp_path / "shelf" / "baselines").mkdir()
    monkeypatch.setattr(resources, "root", lambda: tmp_path / "shelf")
    monkeypatch.setenv("RAGHARNESS_CACHE", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)
    return tmp_path / "shelf" / "baselines"


@pytest.fixture
def published(own_shelf: Path) -> Path:
    """Return the folder of a baseline made now."""
    run = rh.run("extractive", retriever="bm25", out="made", progress=False)
    return own_shelf / add_baseline(run, own_shelf).id


def rewrite(folder: Path, change: Callable[[dict[str, object]], None]) -> None:
    """Change the first outcome of a baseline."""
    path = folder / "records.jsonl.gz"
    first, *rest = gzip.decompress(path.read_bytes()).splitlines()
    outcome = json.loads(first)
    change(outcome)
    path.write_bytes(gzip.compress(b"\n".join([json.dumps(outcome).encode(), *rest])))


def test_a_baseline_comes_out_again(published: Path) -> None:
    (baseline,) = load_baselines("sample")
    assert (baseline.id, baseline.reproduces) == ("sample-extractive-bm25", "bytes")
    assert verify(baseline, rh.run).status == "reproduced"
    with pytest.raises(UsageError, match="known: sample"):
        load_baselines("contractnli")


def test_no_text_of_the_corpus_is_in_it(published: Path) -> None:
    held = gzip.decompress((published / "records.jsonl.gz").read_bytes()).decode()
    records = map(json.loads, (published.parents[2] / "made" / "records.jsonl").read_text().splitlines())
    texts = [record["answer"]["text"] for record in records]
    assert texts
    assert not any(text[:40] in held for text in texts)
    assert not any(text[:40] in (published / "result.json").read_text() for text in texts)


@pytest.mark.parametrize(
    ("field", "value"), [("outcome", "unsupported"), ("answer", "0" * 64), ("retrieved", []), ("reason", "X")]
)
def test_a_change_is_found(published: Path, field: str, value: object) -> None:
    rewrite(published, lambda outcome: outcome.update({field: value}))
    found = verify(load_baseline(published.name), rh.run)
    assert found.status == "differs"
    assert found.found[0].startswith(f"q001: {field}")


def test_a_baseline_of_another_grader_is_graded_anew(published: Path) -> None:
    path = published / "baseline.toml"
    path.write_text(path.read_text().replace("rules@", "rules@0"))
    assert verify(load_baseline(published.name), rh.run).status == "other version"
    rewrite(published, lambda outcome: outcome.update(outcome="unsupported"))
    check = verify(load_baseline(published.name), rh.run)
    assert check.status == "other version"
    assert "decides 1 of its 130 answers otherwise" in check.found[0]
    rewrite(published, lambda outcome: outcome.update(answer="0" * 64))
    assert verify(load_baseline(published.name), rh.run).status == "differs"


def test_a_baseline_of_other_questions_is_not_compared(published: Path) -> None:
    path = published / "baseline.toml"
    made = load_baseline(published.name).settings.question_set
    path.write_text(path.read_text().replace(made, "0" * len(made)))
    check = verify(load_baseline(published.name), rh.run)
    assert check.status == "other version"
    assert "made with the questions 00000000" in check.found[0]


def outcome(*retrieved: tuple[str, float], answer: str = "a") -> Outcome:
    hits = tuple(Retrieved(*each) for each in retrieved)
    return Outcome(question="q1", row="adversarial", outcome="correct", retrieved=hits, answer=answer)


def test_tied_passages_may_change_places() -> None:
    was = outcome(("a", 0.9), ("b", 0.50001), ("c", 0.5))
    tied = outcome(("a", 0.9), ("c", 0.50001), ("b", 0.5), answer="b")
    assert outcome_difference(was, tied, loosely=True) == ""
    assert outcome_difference(was, tied, loosely=False).startswith("q1: retrieved, answer")
    cut = outcome(("a", 0.9), ("b", 0.50001), ("new", 0.50003))
    assert outcome_difference(was, cut, loosely=True) == ""
    swapped = outcome(("b", 0.9), ("a", 0.50001), ("c", 0.5))
    assert outcome_difference(was, swapped, loosely=True) == "q1: other passages retrieved"
    assert outcome_difference(was, outcome(("a", 0.9)), loosely=True) == "q1: other passages retrieved"
    other = outcome(("a", 0.9), ("b", 0.50001), ("c", 0.5), answer="b")
    assert outcome_difference(was, other, loosely=True) == "q1: answer (correct before, now correct)"


def test_a_model_needs_its_server_and_its_file(published: Path) -> None:
    path = published / "baseline.toml"
    told = path.read_text().replace('"pipeline" = "extractive"', '"pipeline" = "llm"')
    path.write_text(told.replace('reproduces = "bytes"', 'reproduces = "intervals"'))
    baseline = load_baseline(published.name)
    assert verify(baseline, rh.run).status == "not checked"
    assert verify(baseline, rh.run).found[0].startswith(f"{baseline.id} needs --base-url")
    other = verify(baseline, rh.run, base_url="http://127.0.0.1:9/v1", model_sha256="f" * 64)
    assert other.status == "differs"


def test_buckets_outside_their_intervals_are_found(published: Path) -> None:
    path = published / "baseline.toml"
    path.write_text(path.read_text().replace('reproduces = "bytes"', 'reproduces = "intervals"'))
    assert verify(load_baseline(published.name), rh.run).status == "reproduced"
    scores = json.loads((published / "result.json").read_text())
    scores["buckets"]["refused"] -= 60
    (published / "result.json").write_text(json.dumps(scores))
    found = verify(load_baseline(published.name), rh.run)
    assert found.status == "differs"
    assert found.found[0].startswith("refused: ")


def test_a_run_that_proves_nothing_is_refused(own_shelf: Path) -> None:
    def answer(question: str) -> str:
        return "I don't know."

    part = rh.run("extractive", limit=FEW, out="part", progress=False)
    with pytest.raises(UsageError, match=r"other questions .* than the frozen ones of sample"):
        add_baseline(part, own_shelf)
    own = rh.run(answer, out="own", progress=False)
    made = add_baseline(own, own_shelf, "mine")
    assert made.reproduces == "reported"
    assert verify(made, rh.run).status == "not checked"
    with pytest.raises(UsageError, match="a baseline gets a new folder"):
        add_baseline(own, own_shelf, "mine")


def test_verdicts_that_were_changed_by_hand_are_refused(own_shelf: Path) -> None:
    run = rh.run("extractive", out="bent", progress=False)
    path = run.path / "records.jsonl"
    path.write_text(path.read_text().replace('"bucket":"wrong"', '"bucket":"correct"', 1))
    with pytest.raises(UsageError, match=r"today.s grader decides 1 answers otherwise"):
        add_baseline(rh.load_run(run.path), own_shelf)


def test_the_matrix_of_hosted_models_can_be_run() -> None:
    cells = read_grid(ROOT / "baselines" / "hosted.toml").cells
    assert {each.config.pipeline for each in cells} == {"llm"}
    assert {each.config.pipeline_option for each in cells} == {
        ("prompt=refusal-6shot",),
        ("prompt=open-6shot",),
    }


def test_the_command_line(published: Path, verb: Verb) -> None:
    assert "sample-extractive-bm25" in verb("baseline", "list").output
    assert verb("baseline", "verify").code == 0
    rewrite(published, lambda outcome: outcome.update(outcome="wrong"))
    done = verb("baseline", "verify", "--json")
    assert (done.code, json.loads(done.output)[0]["status"]) == (1, "differs")
    assert verb("baseline", "verify", "--corpus", "edgar").code == 3
    assert "as desired" in verb("baseline", "run", published.name).output
    added = verb("baseline", "add", "made", "--id", "again")
    assert added.output == "baselines/again: every outcome must come out again\n"
    assert verb("baseline", "run", "nix").code == 3


def test_the_hash_of_a_model_is_compared_with_baselines_of_a_model_alone(published: Path) -> None:
    (baseline,) = load_baselines("sample")
    assert verify(baseline, rh.run, model_sha256="0" * 64).status == "reproduced"
