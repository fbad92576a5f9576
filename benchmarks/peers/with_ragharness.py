"""The ten answers through this harness: the real questions of the frozen set, and a pipeline that replays."""

from __future__ import annotations

import tempfile
import time
from pathlib import Path
from typing import Any

import msgspec
from common import CASES, hand_back

import ragharness as rh
from ragharness.corpus.loading import load_corpus
from ragharness.questions.loading import load_questions

KNOWN = {each["question"]: each for each in CASES}
TIMEOUT = 1.0


def answer(question: str) -> dict[str, Any]:
    """Return the recorded answer with its passages; the one that is missing takes too long."""
    case = KNOWN[question]
    if case["answer"] is None:
        time.sleep(3 * TIMEOUT)
    return {"text": case["answer"], "passages": case["passages"]}


def main() -> None:
    wanted = {each["id"] for each in CASES}
    asked = [each for each in load_questions(load_corpus("sample")).questions if each.id in wanted]
    with tempfile.TemporaryDirectory() as place:
        questions = Path(place) / "questions.jsonl"
        questions.write_bytes(b"\n".join(map(msgspec.json.encode, asked)))
        run = rh.run(
            answer,
            corpus="sample",
            questions=questions,
            out=Path(place) / "run",
            timeout=TIMEOUT,
            progress=False,
        )
        records = [each.records[0] for each in run]
        sentence = run.scores.sentence
    outcome: dict[str, object] = {}
    reason: dict[str, object] = {}
    for record in records:
        verdict = record.verdict
        outcome[record.question] = (verdict and verdict.bucket) or f"ungraded: {record.status}"
        reason[record.question] = verdict.reason if verdict else ""
    hand_back(rh.__version__, {"bucket": outcome, "reason": reason}, [sentence])


if __name__ == "__main__":
    main()
