"""The ``human`` grader: labels that people gave to these very answers.

Setting, as ``--grader-option human.labels=PATH``: a file of labels, or a folder of one file an annotator, as
``ragharness label`` writes them: a JSON object a line with ``question``, ``bucket``, and ``answer``, a digest
of the answer's text. What several people say otherwise, and what nobody labelled, stays open; ``adjudicated``
settles it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from hashlib import blake2b
from pathlib import Path
from typing import Any

import msgspec
from msgspec.structs import replace

from ragharness.errors import UsageError
from ragharness.graders import GraderContext
from ragharness.graders.reading.answer import read_citations
from ragharness.records import ADJUDICATED, Answer, Bucket, Passage, Question, Reading
from ragharness.support.files import expand_home, text_digest

VERSION = "1"

Key = tuple[str, str]  # question, digest of the answer's text


class _Label(msgspec.Struct):
    question: str
    answer: str
    bucket: Bucket | None = None
    epoch: int = 0


class HumanGrader:
    """Gives the primitives that lead to the bucket that people chose."""

    name = "human"

    def __init__(self, labels: dict[Key, dict[str, Bucket]], version: str) -> None:
        self.version = version
        self._labels = labels

    def read(
        self, question: Question, answer: Answer, retrieved: Sequence[Passage], supporting: frozenset[str]
    ) -> Reading:
        """Reading of people's bucket; open where they differ or none is known."""
        _, reading = read_citations(question, answer, retrieved, supporting)
        labels = self._labels.get((question.id, text_digest(answer.text)), {})
        buckets = {labels[ADJUDICATED]} if ADJUDICATED in labels else set(labels.values())
        if len(buckets) != 1:
            opinions = ", ".join(f"{name}: {bucket}" for name, bucket in sorted(labels.items()))
            why = f"people differ ({opinions})" if labels else "nobody has labelled it"
            return replace(reading, status="needs_review", unreadable=why)
        (bucket,) = buckets
        if bucket == "correct" and not question.answerable:
            why = "people call it correct, and the question has no answer in the corpus"
            return replace(reading, status="needs_review", unreadable=why)
        return replace(reading, **_PRIMITIVES[bucket])


_PRIMITIVES: dict[Bucket, dict[str, Any]] = {  # bucket -> primitives that the decision table takes to it
    "correct": {
        "committed": True, "match": "match", "evidence_retrieved": True, "any_valid_support": True,
    },
    "wrong": {"committed": True, "match": "mismatch", "evidence_retrieved": True},
    "unsupported": {"committed": True, "match": "match"},
    "refused": {"refusal": True},
}  # fmt: skip


def build(context: GraderContext) -> HumanGrader:
    """Grader; raises UsageError without labels, or for a line that is none."""
    options = context.options
    labels = options.text("labels")
    if not labels:
        raise UsageError(
            "expected the labels of people for the grader 'human', found none",
            help=f"{options.written('labels')}runs/RUN/labels",
        )
    path = expand_home(labels)
    files = sorted(path.glob("*.jsonl")) if path.is_dir() else [path]
    by_answer: defaultdict[Key, dict[str, Bucket]] = defaultdict(dict)
    digest = blake2b(digest_size=6)
    for file in files:
        digest.update(_read(file, by_answer))
    if not by_answer:
        raise UsageError(f"expected labels in {path}, found none", help="ragharness label RUN")
    return HumanGrader(dict(by_answer), f"{VERSION} ({len(by_answer)} labels, {digest.hexdigest()})")


def _read(file: Path, by_answer: defaultdict[Key, dict[str, Bucket]]) -> bytes:
    """Add the labels of one annotator, the last of each answer; returns the bytes."""
    try:
        content = file.read_bytes()
    except OSError as error:
        raise UsageError(f"expected labels in {file}, found: {error.strerror or error}") from error
    for number, line in enumerate(content.split(b"\n"), start=1):
        if not line.strip():
            continue
        try:
            label = msgspec.json.decode(line, type=_Label)
        except msgspec.MsgspecError as error:
            raise UsageError(f"expected a label in line {number} of {file}, found: {error}") from error
        key = (label.question, label.answer)
        if label.bucket is None:
            by_answer[key].pop(file.stem, None)
        else:
            by_answer[key][file.stem] = label.bucket
    return content
