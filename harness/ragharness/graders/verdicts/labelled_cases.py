"""Labelled cases: questions and answers with expected outcomes, and how a grader differs from them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple, cast

import msgspec

from ragharness.errors import UsageError
from ragharness.graders import Grader
from ragharness.graders.verdicts.buckets import grade
from ragharness.records import Answer, Distractor, Passage, Question, Status, Verdict

_QUESTION_KEYS = (
    "text", "kind", "stratum", "answerable", "answers", "aliases", "aliases_by_lang", "all_required", "unit",
    "date_precision", "world_answers", "proposition", "yes_means", "withheld", "note", "target",
)  # fmt: skip


class Case(NamedTuple):
    """One labelled example."""

    id: str
    question: Question
    retrieved: tuple[Passage, ...]
    supporting: frozenset[str]
    answer: Answer
    status: Status
    expected: dict[str, Any]
    primitives: dict[str, Any]


class CaseResult(NamedTuple):
    """How a grader judged a case."""

    case: Case
    verdict: Verdict
    differences: dict[str, tuple[Any, Any]]  # key -> (expected, got), only where they differ


def load_cases(path: Path) -> list[Case]:
    """Read a file of cases; raises ``UsageError`` when it is not of their shape."""
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
    return [_case(each, place, path) for place, each in enumerate(listed, 1)]


def _case(raw: object, place: int, path: Path) -> Case:
    try:
        found = cast("dict[str, Any]", raw)
        asked = found["question"]
        question = msgspec.convert(
            {
                "id": str(found.get("id", place)),
                "stratum": "grounded",
                **{key: asked[key] for key in _QUESTION_KEYS if asked.get(key) is not None},
                "distractors": [_distractor(each) for each in asked.get("distractors") or ()],
            },
            Question,
        )
        said = found["answer"]
        return Case(
            id=question.id,
            question=question,
            retrieved=tuple(_passage(each) for each in found["retrieved"]),
            supporting=frozenset(asked.get("gold_evidence") or ()),
            answer=Answer(text=said.get("text") or "", citations=_citations(said)),
            status=said.get("status") or "ok",
            expected=dict(found["expected"]),
            primitives=dict(found.get("primitives") or {}),
        )
    except (KeyError, TypeError, AttributeError, msgspec.ValidationError) as error:
        name = raw.get("id", place) if isinstance(raw, dict) else place
        raise UsageError(
            f"case {name} of {path} is not of the expected shape: {error}",
            help="see tests/cases/README.md for the shape",
        ) from error


def _distractor(raw: object) -> object:
    if isinstance(raw, str):
        return {"value": raw}
    given = cast("dict[str, Any]", raw)
    return {key: each for key, each in given.items() if key in Distractor.__struct_fields__}


def _citations(said: dict[str, Any]) -> tuple[str, ...] | None:
    given = said.get("citations")
    return None if given is None else tuple(str(each) for each in given)


def _passage(raw: dict[str, Any]) -> Passage:
    document = raw["id"].rpartition("#")[0] or raw["id"]
    text = raw["text"]
    return Passage(raw["id"], raw.get("document", document), raw.get("title", ""), 0, len(text), text)


def check_cases(path: Path, grader: Grader) -> Iterator[CaseResult]:
    """Grade every case of a file, or of a folder's JSON files; one result a case.

    The keys of ``expected`` are compared.
    """
    for file in sorted(path.glob("*.json")) if path.is_dir() else (path,):
        for case in load_cases(file):
            verdict = grade(grader, case.question, case.answer, case.retrieved, case.supporting, case.status)
            yield CaseResult(case, verdict, differences(verdict, case.expected))


def differences(verdict: Verdict, expected: dict[str, Any]) -> dict[str, tuple[Any, Any]]:
    """Return the expected keys in which a verdict differs; flags are compared as sets."""
    got = msgspec.to_builtins(verdict)
    got = {name: got.get(name, getattr(verdict, name)) for name in Verdict.__struct_fields__}
    found: dict[str, tuple[Any, Any]] = {}
    for key, wanted in expected.items():
        actual = got.get(key)
        same = sorted(actual or ()) == sorted(wanted or ()) if key == "flags" else actual == wanted
        if not same:
            found[key] = (wanted, actual)
    return found
