"""Every file format has a schema, made from its types, and real files of each kind keep to it."""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import pytest
import yaml

import ragharness as rh
from conftest import ROOT
from ragharness.analysis.labelled import labelled_answer
from ragharness.runner.run_folder import RunFolder
from ragharness.support import resources
from ragharness.traces import scorer as traces

if TYPE_CHECKING:
    from commands import Verb

jsonschema: Any = pytest.importorskip("jsonschema")
FORMATS: Any = resources.load_module(ROOT / "docs" / "formats.py")
FENCES = re.compile(r"^```(\w+)\n(.*?)^```$", re.DOTALL | re.MULTILINE)


def published(name: str) -> Any:
    return json.loads((FORMATS.FOLDER / f"{name}.json").read_text(encoding="utf-8"))


def lines(path: Path) -> Iterator[Any]:
    return (json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line)


def toml(path: Path) -> Any:
    return msgspec.toml.decode(path.read_bytes())


def fenced(page: str, language: str) -> list[str]:
    return [
        code for kind, code in FENCES.findall((ROOT / "docs" / page).read_text("utf-8")) if kind == language
    ]


def committed() -> Iterator[tuple[str, Any]]:
    """Yield the kind and content of real files in the checkout."""
    for path in sorted(ROOT.glob("questionsets/*/questions.jsonl")):
        yield from (("question", each) for each in lines(path))
        yield "question-set", toml(path.with_name("questionset.toml"))
    for path in sorted(ROOT.glob("baselines/*/baseline.toml")):
        yield "baseline", toml(path)
        yield "scores", json.loads(path.with_name("result.json").read_bytes())
        kept = gzip.decompress(path.with_name("records.jsonl.gz").read_bytes())
        yield from (("baseline-outcome", json.loads(line)) for line in kept.splitlines()[::9])
    for path in sorted(ROOT.glob("rubrics/*/rubric.yaml")):
        yield "rubric", yaml.safe_load(path.read_bytes())
        yield from (("output", each["item"]) for each in lines(path.with_name("examples.jsonl")))
    for path in sorted(ROOT.glob("tests/cases/*.json")):
        yield "cases", json.loads(path.read_bytes())
    for name in ("labelled.jsonl", "near_misses.jsonl"):
        yield from (("labelled-answer", each) for each in lines(ROOT / "tests" / "cases" / name))
    yield "labelled-answer", json.loads(fenced("calibration.md", "json")[0].splitlines()[0])
    yield "gates", toml(ROOT / "harness/ragharness/cli/_project/gate.toml.txt")
    yield from (("gates", msgspec.toml.decode(code)) for code in fenced("gate.md", "toml"))
    yield "question", json.loads(fenced("questions.md", "json")[0])


def made(verb: Verb, home: Path) -> Iterator[tuple[str, Any]]:
    """Yield the kind and content of files that the program writes or prints."""
    assert verb("run", "--out", "base", "--retriever", "bm25").code == 0
    assert verb("run", "--out", "mine").code == 0
    ann = rh.label(home / "mine", "ann", sample=40)
    while item := ann.next():
        ann.save(item.question, "refused")
    verb("calibrate", "mine")
    yield "calibration", json.loads((home / "mine" / "calibration.json").read_bytes())
    yield "gate-decision", json.loads(verb("gate", "base", "mine", "--json").output)
    yield "comparison", json.loads(verb("compare", "base", "mine", "--json").output)
    rubric = verb("grade", "mine", "--rubric", "four-bucket-1.0", "--base", "base", "--json")
    yield "rubric-scores", json.loads(rubric.output)
    (home / "people.jsonl").write_text(json.dumps(OPINION), encoding="utf-8")
    told = verb("grade", "mine", "--rubric", "four-bucket-1.0", "--people", "people.jsonl")
    assert "1 scores by people are of no output and dimension here" in told.output + told.errors
    yield "opinion", OPINION
    yield "run", json.loads((home / "mine" / "run.json").read_bytes())
    yield "scores", json.loads((home / "mine" / "scores.json").read_bytes())
    for kind, name in (
        ("session", "sessions"), ("record", "records"), ("question", "questions"), ("gate-attempt", "gate"),
        ("label", "labels/ann"),
    ):  # fmt: skip
        yield from ((kind, each) for each in lines(home / "mine" / f"{name}.jsonl"))
    yield "label-sample", json.loads((home / "mine" / "labels" / "design.json").read_bytes())
    recorded = [{"id": each["question"], **each["answer"]} for each in lines(home / "mine" / "records.jsonl")]
    (home / "answers.jsonl").write_text("\n".join(map(json.dumps, recorded)), encoding="utf-8")
    assert verb("run", "--pipeline", "replay:answers.jsonl", "--out", "again").code == 0
    assert {each.status for each in RunFolder.open(home / "again").records()} <= {"ok", "needs_review"}
    yield from (("answer", each) for each in recorded)
    yield from (("gold", each) for each in GOLD)
    yield from (("trace", each) for each in TRACES)


OPINION = {
    "item": "q000", "dimension": "none", "score": 8, "reason": "read it", "who": "Kim", "when": "2026-11-22",
}  # fmt: skip
GOLD = [
    {"qid": "a", "question": "?", "answerable": True, "gold_claim_substr": ["12 books"], "gold_citations": ["p#1"]},
    {"qid": "b", "answerable": False},
]  # fmt: skip
TRACES = [
    {"qid": "a", "retrieved_ids": ["p#1"], "answer_json": {"claim": "12 books.", "citations": ["p#1"]}},
    {"qid": "b", "answer_json": {"claim": "not in context"}},
]


def test_the_published_schemas_are_those_of_the_types() -> None:
    assert {path.stem for path in FORMATS.FOLDER.iterdir()} == set(FORMATS.KINDS)
    for name, made in FORMATS.schemas().items():
        assert published(name) == json.loads(json.dumps(made)), "run python docs/update.py"
        jsonschema.Draft202012Validator.check_schema(made)


def test_real_files_of_every_kind_keep_to_their_schema(verb: Verb, tmp_path: Path) -> None:
    validators = {name: jsonschema.Draft202012Validator(published(name)) for name in FORMATS.KINDS}
    seen = set()
    for name, content in (*committed(), *made(verb, tmp_path)):
        wrong = next(validators[name].iter_errors(content), None)
        assert wrong is None, (name, wrong.message, content)
        seen.add(name)
    assert seen == set(FORMATS.KINDS)


@pytest.mark.parametrize("name", FORMATS.KINDS)
def test_a_file_without_what_it_must_have_is_none(name: str) -> None:
    schema = published(name)
    needed = schema["$defs"][schema["$ref"].rpartition("/")[2]].get("required", [])
    assert jsonschema.Draft202012Validator(schema).is_valid({}) == (not needed)
    assert not jsonschema.Draft202012Validator(schema).is_valid([])


def test_what_the_schemas_of_loose_readers_demand_their_readers_demand() -> None:
    assert traces.score(GOLD, TRACES).verdict == "pass"
    for key in published("gold")["$defs"]["Gold"]["required"]:
        with pytest.raises(traces.TraceError, match=key):
            traces.score([{name: value for name, value in GOLD[0].items() if name != key}], TRACES)
    for key in published("trace")["$defs"]["Trace"]["required"]:
        found = traces.score(GOLD[:1], [{name: value for name, value in TRACES[0].items() if name != key}])
        assert found.missing or found.unread, key
    row = json.loads(fenced("calibration.md", "json")[0].splitlines()[0])
    assert labelled_answer(row).label == "correct"
    for key in published("labelled-answer")["$defs"]["LabelledAnswer"]["required"]:
        with pytest.raises(ValueError, match=f"expected a field '{key}'"):
            labelled_answer({name: value for name, value in row.items() if name != key})


def test_the_example_of_the_page_finds_a_mistake(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (code,) = fenced("formats.md", "python")
    (tmp_path / "docs").symlink_to(ROOT / "docs")
    monkeypatch.chdir(tmp_path)
    text = (ROOT / "questionsets" / "sample" / "questions.jsonl").read_text(encoding="utf-8")
    (tmp_path / "questions.jsonl").write_text(text, encoding="utf-8")
    exec(code)
    (tmp_path / "questions.jsonl").write_text(text.replace('"kind"', '"sort"', 1), encoding="utf-8")
    with pytest.raises(jsonschema.ValidationError, match="'kind' is a required property"):
        exec(code, {})
