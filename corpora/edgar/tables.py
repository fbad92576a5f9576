"""The wordings as they are written down: ``concepts.toml``, ``silences.toml``, ``lines.toml``."""

from __future__ import annotations

import sys
from functools import cache
from pathlib import Path

import msgspec

from ragharness.records import Kind

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

HERE = Path(__file__).parent


class Concept(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How something tagged is asked about."""

    tags: list[str]
    ask: list[str]
    near: list[str] = []
    differs: list[str] = []
    beside: list[str] = []
    also: str = ""
    """Other words by which filings speak of it."""
    absent: list[str] = []
    """Patterns of which a filing that lacks it has none; empty where none can lack it."""
    rolls: bool = False
    """Whether it follows from last year's and what came and went: never withheld in part."""
    unit: str = ""
    """What it is counted in where a filing lacks it; empty: as that filing counts its assets."""


class Silence(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A topic on which every filing is silent, or what did not happen to one."""

    patterns: list[str]
    ask: list[str]
    kind: Kind
    unit: str = ""
    needs: str = ""
    """What a filing must speak of often for the question to be a natural one."""


class Silences(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """``silences.toml``."""

    unasked: dict[str, Silence]
    premises: dict[str, Silence]
    twins: dict[str, list[tuple[str, str]]]


@cache
def load_concepts() -> dict[str, Concept]:
    """Return the content of ``concepts.toml``."""
    told = tomllib.loads((HERE / "concepts.toml").read_text(encoding="utf-8"))
    return msgspec.convert(told, dict[str, Concept])


@cache
def load_silences() -> Silences:
    """Return the content of ``silences.toml``."""
    return msgspec.convert(tomllib.loads((HERE / "silences.toml").read_text(encoding="utf-8")), Silences)


@cache
def load_lines() -> dict[str, str]:
    """Return the content of ``lines.toml``."""
    told = tomllib.loads((HERE / "lines.toml").read_text(encoding="utf-8"))
    return msgspec.convert(told, dict[str, str])
