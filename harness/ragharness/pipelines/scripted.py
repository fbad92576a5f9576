"""The reference generator that answers from a file: the fake for tests, and for answers made elsewhere.

The file is a JSON list or JSON lines of objects with "id" or "question" (which question), and "text"; every
other key of an ``Answer`` is taken too. A question that the file does not hold raises UnansweredError, which
the run records.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from ragharness.errors import UsageError
from ragharness.pipelines._made import Made

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ragharness.pipelines import Context
    from ragharness.records import Passage

_HELP = 'write a JSON list, or one object a line, like {"id": "q001", "text": "Yes. [doc#1]"}'


class UnansweredError(LookupError):
    """The file holds no answer to a question."""


def build(context: Context, argument: str) -> Made:
    """Return the pipeline that looks its answers up in the file ``argument``; raises UsageError."""
    if not argument:
        raise UsageError("the reference pipeline 'scripted' needs a file: scripted:answers.jsonl", help=_HELP)
    texts = {question.id: question.text for question in context.questions.questions}
    answers: dict[str, dict[str, Any]] = {}
    for entry in _entries(Path(argument)):
        key = entry.get("question") or texts.get(str(entry.get("id")), "")
        answers[str(key)] = entry

    def answer(question: str, passages: Sequence[Passage]) -> dict[str, Any]:  # noqa: ARG001
        if question not in answers:
            raise UnansweredError(f"{argument} holds no answer to: {question}")
        return answers[question]

    return Made(answer, source=Path(argument).read_bytes())


def _entries(path: Path) -> list[dict[str, Any]]:
    try:
        content = path.read_bytes()
    except OSError as error:
        raise UsageError(f"expected a file of answers at {path}: {error.strerror}", help=_HELP) from error
    try:
        entries = msgspec.convert(_decoded(content), list[dict[str, Any]])
    except msgspec.MsgspecError as error:
        raise UsageError(
            f"expected answers as JSON objects in {path}, found otherwise: {error}", help=_HELP
        ) from error
    if not entries:
        raise UsageError(f"expected answers as JSON objects in {path}, found none", help=_HELP)
    return entries


def _decoded(content: bytes) -> Any:
    if content.lstrip()[:1] == b"[":
        return msgspec.json.decode(content)
    return [msgspec.json.decode(line) for line in content.splitlines() if line.strip()]
