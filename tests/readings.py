"""What readers wrote of the frozen questions: ``questionsets/<set>/reading.jsonl``."""

from __future__ import annotations

from typing import Literal

import msgspec

from ragharness.support import resources


class Reader(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What one reader answered before the gold was shown, and said beside it."""

    answer: str
    agrees: bool
    verdict: Literal["pass", "fault", "doubtful"]
    remark: str


class Reading(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One question, by its line: two readers, or none yet."""

    id: str
    question_sha256: str
    readers: tuple[Reader, ...]
    date: str
    mended: str
    """What was changed since, or why the question stands against a reader."""


def readings(name: str) -> list[Reading]:
    """Return the readings of a frozen set, in its order."""
    lines = (resources.folder("questionsets", name) / "reading.jsonl").read_bytes().splitlines()
    return [msgspec.json.decode(line, type=Reading) for line in lines]


def words_of_readers(name: str) -> list[str]:
    """Return all that is written in the readings of a set."""
    told = [each.mended for each in readings(name)]
    return told + [
        text for each in readings(name) for one in each.readers for text in (one.answer, one.remark)
    ]
