"""Made-up runs to compare: in memory as the gate keeps them, or as folders on disk."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from msgspec.structs import replace

import run_fakes as fake
from ragharness.analysis.sides import Asked, Mark, Side
from ragharness.records import Question, Record
from ragharness.runner.run_folder import RunFolder


def mark(outcome: str, quality: int | None = None, claims: int | None = 0, content: str = "") -> Mark:
    """Return a mark of a bucket, or of a status without one."""
    if outcome in ("correct", "wrong", "unsupported", "refused"):
        graded = 2 if outcome == "refused" and quality is None else quality
        return Mark(outcome, "ok", graded, claims, None if outcome == "refused" else True)
    return Mark(None, outcome, None, None, None, content)


def side(marks: Mapping[str, Sequence[Mark] | Mark], name: str = "run", **settings: Any) -> Side:
    """Return a run as the gate reads it; one document for every third question."""
    held = {key: (each,) if isinstance(each, Mark) else tuple(each) for key, each in marks.items()}
    epochs = len(next(iter(held.values()))) if held else 1
    asked = {
        key: Asked("grounded/correct", "correct", f"d{place // 3}", hash(key))
        for place, key in enumerate(held)
    }
    made = fake.settings(questions=len(held), epochs=epochs, **settings)
    return Side(fake.run(settings=made), name, asked, held)


def outcomes(text: str) -> dict[str, Mark]:
    """Return marks from letters: c, w, u, r, and ? for an answer that needs review."""
    names = {"c": "correct", "w": "wrong", "u": "unsupported", "r": "refused", "?": "needs_review"}
    return {f"q{place:03d}": mark(names[letter]) for place, letter in enumerate(text, 1)}


def folder(
    path: Path, buckets: Mapping[str, Any], questions: Sequence[Question] | None = None, **settings: Any
) -> RunFolder:
    """Return a run on disk in which questions have these outcomes, and all others the desired one."""
    asked = fake.questions() if questions is None else questions
    records = [fake.record(each, buckets.get(each.id, each.wanted)) for each in asked]
    return written(path, asked, records, **settings)


def written(
    path: Path, questions: Sequence[Question], records: Iterable[Record], **settings: Any
) -> RunFolder:
    """Return a run on disk with these records."""
    run = fake.run(settings=fake.settings(questions=len(questions), **settings))
    found = RunFolder.create(path, run, questions)
    found.replace_records(records)
    return found


def epochs_of(record: Record, *others: Record) -> list[Record]:
    """Return records as the epochs of one question."""
    return [replace(each, epoch=place) for place, each in enumerate((record, *others))]
