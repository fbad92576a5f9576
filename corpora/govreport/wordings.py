"""``questions.toml``: what is asked besides a report's own statements."""

from __future__ import annotations

import sys
from functools import cache
from pathlib import Path
from typing import Literal

import msgspec

from ragharness.records import Kind

from .things import Sort

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib


class Silence(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a report is silent about."""

    patterns: list[str]
    ask: list[str]
    kind: Kind
    unit: str = ""
    thing: Literal["", "agency", "law", "program"] = ""
    """The sort of thing that is asked about: nothing is said of it near any mention of that thing."""


class Wordings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The whole file."""

    unsaid: dict[str, Silence]
    strangers: dict[Sort, list[str]]
    premises: dict[str, list[str]]
    sisters: dict[str, list[tuple[str, str]]]


@cache
def load_wordings() -> Wordings:
    """Return the content of ``questions.toml``."""
    text = Path(__file__).with_name("questions.toml").read_text(encoding="utf-8")
    return msgspec.convert(tomllib.loads(text), Wordings)
