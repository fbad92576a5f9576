"""The scores as JSON."""

from __future__ import annotations

import msgspec

from ragharness.scores import Scores


def render(scores: Scores, **_: object) -> str:
    """Return the scores as indented JSON, ending with a line break."""
    return msgspec.json.format(msgspec.json.encode(scores)).decode() + "\n"


def read_scores(content: bytes) -> Scores:
    """Return the scores that ``render`` wrote; raises msgspec.MsgspecError for anything else."""
    return msgspec.json.decode(content, type=Scores)
