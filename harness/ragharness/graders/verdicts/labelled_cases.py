"""Labelled cases: answers with the verdict expected of a grader, and where its own differs."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple, cast

import msgspec

from ragharness.errors import UsageError
from ragharness.graders import Grader
from ragharness.graders.verdicts import grade
from ragharness.records import Answer, Distractor, Passage, Question, Status, Verdict

_QUESTION_KEYS = (
    "text", "kind", "stratum", "answerable", "answers", "aliases", "aliases_by_lang", "all_required", "unit",
    "date_precision", "world_answers", "proposition", "yes_means", "withheld", "note", "target",
)  # fmt: skip


class Case(NamedTuple):
    """Question, answer and passages with the expected fields of the verdict."""

    id: str
    question: Question
    retrieved: tuple[Passage, ...]
    supporting: frozenset[str]
    answer: Answer
    status: Status
    expected: dict[str, Any]


class CaseResult(NamedTuple):
    """Verdict of a grader on a case, and where it differs from the expected one."""

    case: Case
    verdict: Verdict
    differences: dict[str, tuple[Any, Any]]  # key -> (expected, got), only where they differ


def load_cases(path: Path) -> list[Case]:
    """Cases of a file; raises ``UsageError`` when it is not of their shape."""
    try:
        raw = msgspec.json.decode(path.read_bytes())
    except OSError as error:
        raise UsageError(f"no file of cases can be read at {path}: {error.strerror or error}") from error
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise UsageError(f"expected JSON in {path}, found: {error}") from error
    listed = raw.get("cases") if isinstance(raw, dict) else raw
    if not isinstance(listed, list) or not listed:
        raise UsageError(
            f'expected an object with a list "cases" in {path}, found none',
            help="see tests/cases/README.md for the shape",
        )
    return [_case(raw_case, number, path) for number, raw_case in enumerate(listed, 1)]


def _case(raw: object, number: int, path: Path) -> Case:
    try:
        fields = cast("dict[str, Any]", raw)
        asked, answer = fields["question"], fields["answer"]
        question = msgspec.convert(
            {
                "id": str(fields.get("id", number)),
                "stratum": "grounded",
                **{key: asked[key] for key in _QUESTION_KEYS if asked.get(key) is not None},
                "distractors": [_distractor(distractor) for distractor in asked.get("distractors") or ()],
            },
            Question,
        )
        text, citations = answer.get("text") or "", answer.get("citations")
        return Case(
            id=question.id,
            question=question,
            retrieved=tuple(map(_passage, fields["retrieved"])),
            supporting=frozenset(asked.get("gold_evidence") or ()),
            answer=Answer(text=text, citations=None if citations is None else tuple(map(str, citations))),
            status=answer.get("status") or "ok",
            expected=dict(fields["expected"]),
        )
    except (KeyError, TypeError, AttributeError, msgspec.ValidationError) as error:
        name = raw.get("id", number) if isinstance(raw, dict) else number
        raise UsageError(
            f"case {name} of {path} is not of the expected shape: {error}",
            help="see tests/cases/README.md for the shape",
        ) from error


def _distractor(raw: object) -> object:
    if isinstance(raw, str):
        return {"value": raw}
    fields = cast("dict[str, Any]", raw)
    return {key: value for key, value in fields.items() if key in Distractor.__struct_fields__}


def _passage(raw: dict[str, Any]) -> Passage:
    document = raw["id"].rpartition("#")[0] or raw["id"]
    text = raw["text"]
    return Passage(raw["id"], raw.get("document", document), raw.get("title", ""), 0, len(text), text)


def check_cases(path: Path, grader: Grader) -> Iterator[CaseResult]:
    """Results of all cases of a file, or of a folder's JSON files; the keys of ``expected`` are compared."""
    for file in sorted(path.glob("*.json")) if path.is_dir() else (path,):
        for case in load_cases(file):
            verdict = grade(grader, case.question, case.answer, case.retrieved, case.supporting, case.status)
            yield CaseResult(case, verdict, differences(verdict, case.expected))


def differences(verdict: Verdict, expected: dict[str, Any]) -> dict[str, tuple[Any, Any]]:
    """Expected keys in which a verdict differs; flags are compared as sets."""
    got = msgspec.to_builtins(verdict)
    got = {name: got.get(name, getattr(verdict, name)) for name in Verdict.__struct_fields__}
    differing: dict[str, tuple[Any, Any]] = {}
    for key, value in expected.items():
        actual = got.get(key)
        same = sorted(actual or ()) == sorted(value or ()) if key == "flags" else actual == value
        if not same:
            differing[key] = (value, actual)
    return differing
