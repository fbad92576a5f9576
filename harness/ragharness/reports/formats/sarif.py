"""The misses as SARIF 2.1.0, at the lines of their questions in ``questions.jsonl``."""

from __future__ import annotations

import json
from typing import Any

from ragharness.analysis.scores.schema import Scores
from ragharness.records import Question, Record
from ragharness.reports import words
from ragharness.reports.rows import RunOnDisk, answered, outcome
from ragharness.reports.text import one_line

_RULES = {
    "wrong": ("error", "The answer is false, or that of another question."),
    "unsupported": ("warning", "The answer is not backed by retrieved and cited evidence."),
    "refused": ("note", "Refused although it should be answered."),
    "correct": ("note", "Answered although it should be refused."),
    **{status: ("warning", f"Ungraded: {one}.") for status, (one, _) in words.STATUS_NAMES.items()},
}
_LONGEST = 1000


def render(scores: Scores, *, run: RunOnDisk, **_: object) -> str:
    """Return the SARIF log: one result for each record without the desired outcome."""
    lines = {each.id: number for number, each in enumerate(run.folder.questions(), start=1)}
    results = [
        _result(question, record, lines[question.id])
        for question, record in answered(run)
        if outcome(record) != question.wanted
    ]
    rules = [
        {"id": name, "shortDescription": {"text": told}, "defaultConfiguration": {"level": level}}
        for name, (level, told) in _RULES.items()
    ]
    driver = {"name": "ragharness", "version": scores.versions.ragharness, "rules": rules}
    log = {
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{"tool": {"driver": driver}, "results": results}],
    }
    return json.dumps(log, indent=1, ensure_ascii=False) + "\n"


def _result(question: Question, record: Record | None, line: int) -> dict[str, Any]:
    out = outcome(record)
    why = record.verdict.why if record and record.verdict else ""
    told = f"{record.failure.type}: {record.failure.message}" if record and record.failure else why
    epoch = record.epoch if record else 0
    place = {"artifactLocation": {"uri": "questions.jsonl"}, "region": {"startLine": line}}
    return {
        "ruleId": out,
        "level": _RULES[out][0],
        "message": {"text": one_line(f"{question.id}: {question.text} {told}".strip(), _LONGEST)},
        "locations": [{"physicalLocation": place}],
        "partialFingerprints": {"question/v1": f"{question.id}#{epoch}"},
        "properties": {
            "row": question.row,
            "reason": record.verdict.reason if record and record.verdict else "",
        },
    }
