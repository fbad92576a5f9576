"""What people say of an output: kept beside a score, never on top of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import msgspec
from msgspec import Meta, Struct

from ragharness.errors import UsageError

if TYPE_CHECKING:
    from pathlib import Path

_Text = Annotated[str, Meta(min_length=1)]


class Opinion(Struct, frozen=True, forbid_unknown_fields=True):
    """One person's score of one dimension or safety check."""

    item: _Text
    dimension: _Text
    score: Annotated[float, Meta(ge=0, le=10)]
    """From 0 to 10; of a gate 10 passes."""
    reason: _Text
    who: _Text
    when: _Text


def read_opinions(path: Path) -> tuple[Opinion, ...]:
    """Return the opinions of a JSONL file, of several on the same the last; raises UsageError."""
    found: dict[tuple[str, str], Opinion] = {}
    try:
        lines = path.read_bytes().splitlines()
    except OSError as error:
        raise UsageError(f"expected opinions of people in {path}, found: {error.strerror}") from error
    number = 1
    try:
        for number, line in enumerate(lines, 1):  # noqa: B007 (told below)
            if line.strip():
                opinion = msgspec.json.decode(line, type=Opinion)
                found[opinion.item, opinion.dimension] = opinion
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise UsageError(
            f"expected item, dimension, score, reason, who, when in line {number} of {path}, found: {error}"
        ) from error
    return tuple(found.values())
