"""The file formats: a JSON Schema of each, made from the types that read and write it.

Where a reader takes more than a type can say, the type stands here: the keys that it needs, and others.
"""

from __future__ import annotations

import ast
import inspect
import json
import re
import sys
from itertools import pairwise
from pathlib import Path
from typing import Any, Literal, NamedTuple

import msgspec
from msgspec import Struct

from ragharness.analysis.baselines import Baseline, Outcome
from ragharness.analysis.calibrating import Note
from ragharness.analysis.compare import Comparison
from ragharness.analysis.gate import Decision, Entry
from ragharness.analysis.labels import Design, Label
from ragharness.analysis.metrics import PARTS
from ragharness.analysis.rules import Gates
from ragharness.analysis.scores import Scores, part_schema
from ragharness.questions.questionset import QuestionSetMetadata
from ragharness.records import Bucket, Kind, Question, Record, Status, Usage, YesNo
from ragharness.rubrics.rubric import Item, Opinion, Rubric
from ragharness.rubrics.scoring import RubricScores
from ragharness.runner.run_folder import Run, Session

FOLDER = Path(__file__).parent / "schemas"


class RecordedAnswer(Struct, kw_only=True, omit_defaults=True):
    """An answer made elsewhere; ``text``, ``citations`` and ``passages`` have further names."""

    id: str = ""
    """Of the question; or give its text."""
    question: str = ""
    epoch: int = 0
    text: str
    citations: list[str | int | dict[str, Any]] | None = None
    """Passage ids; null: they are read from the text."""
    confidence: float | None = None
    passages: list[str | dict[str, Any]] | None = None
    """What it was made from."""
    usage: Usage | None = None


class Gold(Struct, kw_only=True, omit_defaults=True):
    """A question of a gold set."""

    qid: str | int
    question: str = ""
    answerable: bool
    gold_claim_substr: list[str] = []
    """One of them must be in the claim."""
    gold_citations: list[str] = []
    """One of them must be cited."""


class Claim(Struct, kw_only=True, omit_defaults=True):
    """What the system said."""

    claim: str = ""
    citations: list[str] = []


class Trace(Struct, kw_only=True, omit_defaults=True):
    """What a system retrieved and answered."""

    qid: str | int
    retrieved_ids: list[str] = []
    answer_json: Claim


class LabelledAnswer(Struct, kw_only=True, omit_defaults=True):
    """An answer with what a person says of it: a label or a bucket, and axes."""

    id: str = ""
    question: str
    answers: list[str] | str
    """The accepted golds; in one text they are separated by ``|``."""
    answer: str
    label: Literal["correct", "incorrect", "refusal", ""] = ""
    """Required unless there is a bucket."""
    bucket: Bucket | None = None
    kind: Literal["", "yesno", "number", "date", "text", "list"] = ""
    unit: str = ""
    passages: list[str | dict[str, Any]] = []
    evidence: list[str] | None = None
    """Ids of the passages that hold the gold; null: all of them."""
    citations: list[str] | None = None
    citation_exists: YesNo | None = None
    citation_supports: YesNo | None = None
    refusal_quality: int | None = None
    extra_claim_count: int | None = None


class CaseQuestion(Struct, kw_only=True, omit_defaults=True):
    """The question of a case: the fields of a question, and the passages that hold its evidence."""

    text: str
    kind: Kind
    answerable: bool
    gold_evidence: list[str] = []


class CasePassage(Struct, kw_only=True, omit_defaults=True):
    """A passage that the pipeline got."""

    id: str
    text: str
    document: str = ""
    title: str = ""


class CaseAnswer(Struct, kw_only=True, omit_defaults=True):
    """The answer that is graded."""

    text: str | None = None
    citations: list[str] | None = None
    status: Status | None = "ok"


class Case(Struct, kw_only=True, omit_defaults=True):
    """A question, an answer, and the verdict expected."""

    id: str = ""
    question: CaseQuestion
    retrieved: list[CasePassage]
    answer: CaseAnswer
    expected: dict[str, Any]
    """The fields of the verdict that are compared."""


class Cases(Struct, kw_only=True, omit_defaults=True):
    """A file of grading cases."""

    about: str = ""
    cases: list[Case]


class Kept(NamedTuple):
    """A format: what its file holds, and where it is used and explained."""

    type: Any
    file: str
    used: str
    explained: str
    """A page of the documentation, with the heading."""
    ours: bool = False
    """Whether ragharness writes it."""


KINDS: dict[str, Kept] = {
    "question": Kept(
        Question, "`questions.jsonl`", "`run --questions FILE`", "questions.md#a-file-of-your-own"
    ),
    "answer": Kept(
        RecordedAnswer, "`.jsonl`", "`run --pipeline replay:FILE`", "pipelines.md#recorded-answers"
    ),
    "gold": Kept(Gold, "`.jsonl`", "`score --gold FILE`", "traces.md#the-files"),
    "trace": Kept(Trace, "`.jsonl`", "`score --trace FILE`", "traces.md#the-files"),
    "output": Kept(Item, "`.jsonl`", "`grade FILE --rubric NAME`", "rubrics.md"),
    "opinion": Kept(Opinion, "`.jsonl`", "`grade --people FILE`", "rubrics.md"),
    "labelled-answer": Kept(
        LabelledAnswer, "`.jsonl`", "`calibrate --answers FILE`", "calibration.md#labelled-files"
    ),
    "cases": Kept(Cases, "`.json`", "`grade --cases FILE`", "scoring.md"),
    "rubric": Kept(Rubric, "`.yaml`", "`grade --rubric FILE`", "rubrics.md"),
    "gates": Kept(Gates, "`gate.toml`", "`gate --gates FILE`", "gate.md"),
    "run": Kept(Run, "`run.json`", "`runs show`", "runs.md#the-folder", ours=True),
    "session": Kept(Session, "`sessions.jsonl`", "`report`", "runs.md#the-folder", ours=True),
    "record": Kept(
        Record,
        "`records.jsonl`, `answers.jsonl`",
        "`grade`, `score`, `report`",
        "runs.md#a-record",
        ours=True,
    ),
    "scores": Kept(Scores, "`scores.json`", "`run --json`, `report --json`", "runs.md#the-scores", ours=True),
    "label": Kept(
        Label, "`runs/RUN/labels/NAME.jsonl`", "`label`, `calibrate RUN`", "calibration.md", ours=True
    ),
    "label-sample": Kept(
        Design, "`runs/RUN/labels/design.json`", "`label`, `calibrate RUN`", "calibration.md", ours=True
    ),
    "calibration": Kept(Note, "`calibration.json`", "`calibrate RUN`", "calibration.md", ours=True),
    "gate-attempt": Kept(Entry, "`gate.jsonl`", "`gate`", "gate.md", ours=True),
    "gate-decision": Kept(Decision, "printed", "`gate --json`", "gate.md", ours=True),
    "comparison": Kept(Comparison, "printed", "`compare --json`", "gate.md", ours=True),
    "rubric-scores": Kept(RubricScores, "printed", "`grade --rubric NAME --json`", "rubrics.md", ours=True),
    "question-set": Kept(
        QuestionSetMetadata, "`questionset.toml`", "`questions freeze`", "questions.md", ours=True
    ),
    "baseline": Kept(Baseline, "`baseline.toml`", "`baseline`", "baselines.md", ours=True),
    "baseline-outcome": Kept(Outcome, "`records.jsonl.gz`", "`baseline verify`", "baselines.md", ours=True),
}


def schemas() -> dict[str, dict[str, Any]]:
    """JSON Schema of every format by its name."""
    return {name: schema(entry.type) for name, entry in KINDS.items()}


def schema(of: type[Struct]) -> dict[str, Any]:
    """JSON Schema of a type, with what its source says of each field."""
    made = msgspec.json.schema(of)
    for kind in _structs(msgspec.inspect.type_info(of)):
        texts, properties = _field_texts(kind), made["$defs"][kind.__name__].get("properties", {})
        for name in properties.keys() & texts.keys():
            properties[name] = {"description": texts[name], **properties[name]}
    if "Scores" in made["$defs"]:
        for part in PARTS:
            # The values of metrics are a mapping, so that a stored result outlives the list of them.
            made["$defs"]["Scores"]["properties"][part] = {"$ref": f"#/$defs/{part.capitalize()}"}
            made["$defs"] |= part_schema(part, "#/$defs/{name}")
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **made}


def _structs(info: Any, seen: dict[type, None] | None = None) -> dict[type, None]:
    """Every Struct that a type is made of."""
    seen = {} if seen is None else seen
    inner = [getattr(info, name, None) for name in ("item_type", "key_type", "value_type", "type")]
    inner += [*getattr(info, "types", ()), *getattr(info, "item_types", ())]
    if isinstance(info, msgspec.inspect.StructType) and info.cls not in seen:
        seen[info.cls] = None
        inner += [part.type for part in info.fields]
    for part in inner:
        if isinstance(part, msgspec.inspect.Type):
            _structs(part, seen)
    return seen


def _field_texts(kind: type) -> dict[str, str]:
    """Texts under the fields of a class and of those that it inherits from, or behind them as comments."""
    texts: dict[str, str] = {}
    for base in reversed(kind.__mro__):
        if not base.__module__.startswith(("ragharness", __name__)):
            continue
        source = inspect.getsource(sys.modules[base.__module__])
        lines = source.split("\n")
        tree = ast.parse(source)
        body = next(at.body for at in tree.body if isinstance(at, ast.ClassDef) and at.name == base.__name__)
        for field, text in pairwise([*body, ast.Pass()]):
            if not isinstance(field, ast.AnnAssign) or not isinstance(field.target, ast.Name):
                continue
            if isinstance(text, ast.Expr) and isinstance(text.value, ast.Constant):
                texts[field.target.id] = " ".join(str(text.value.value).split())
            elif comment := re.search(r"  # (?!noqa|type:)(.+)", lines[(field.end_lineno or 0) - 1]):
                texts[field.target.id] = f"{comment[1][0].upper()}{comment[1][1:]}."
    return texts


def table(*, ours: bool) -> str:
    """Formats that people write, or those that ragharness writes, as a table."""
    head = ["what", "file", "used by", *([] if ours else ["must have"]), "schema"]
    rows = [head, ["---"] * len(head)]
    for name, entry in KINDS.items():
        if entry.ours == ours:
            made = schema(entry.type)
            needed = made["$defs"][entry.type.__name__].get("required", ())
            must = ", ".join(f"`{field}`" for field in needed) or "nothing"
            what = f"[{name.replace('-', ' ')}]({entry.explained})"
            link = f"[{name}](schemas/{name}.json)"
            rows.append([what, entry.file, entry.used, *([] if ours else [must]), link])
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def write() -> None:
    """Write the schemas again."""
    FOLDER.mkdir(exist_ok=True)
    for old in FOLDER.glob("*.json"):
        old.unlink()
    for name, made in schemas().items():
        (FOLDER / f"{name}.json").write_text(json.dumps(made, indent=2) + "\n", encoding="utf-8")
