"""The scores as JSON, and the schema that they keep to."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec

from ragharness.scores import Scores

SCHEMA = Path(__file__).parents[1] / "scores.schema.json"
"""The published JSON Schema, shipped with the package."""


def render(scores: Scores, **_: object) -> str:
    """Return the scores as indented JSON, ending with a line break."""
    return msgspec.json.format(msgspec.json.encode(scores)).decode() + "\n"


def read_scores(content: bytes) -> Scores:
    """Return the scores that ``render`` wrote; raises msgspec.MsgspecError for anything else."""
    return msgspec.json.decode(content, type=Scores)


def schema() -> dict[str, Any]:
    """Return the JSON Schema of the scores, from which the published file is written."""
    head = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Scores of a ragharness run",
    }
    return {**head, **msgspec.json.schema(Scores)}
