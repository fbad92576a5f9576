"""The words that the readings of propositions look for, from ``words.toml``."""

from __future__ import annotations

import re
import sys
from functools import lru_cache
from pathlib import Path
from typing import cast

from ragharness.language.tables import any_of
from ragharness.language.words import content

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

_TABLE = tomllib.loads(Path(__file__).with_name("words.toml").read_text("utf-8"))


@lru_cache(maxsize=64)
def says(family: str, entry: str) -> re.Pattern[str]:
    """Return the pattern of the phrases of an entry, with word boundaries where they mark none themselves."""
    listed = cast("list[str]", _TABLE[family][entry])
    marked = any("\\b" in each[:8] or each.startswith("n’") for each in listed)
    return re.compile(any_of(listed) if marked else rf"\b{any_of(listed)}\b", re.IGNORECASE)


@lru_cache(maxsize=8)
def concepts(entry: str) -> frozenset[str]:
    """Return the concepts of the words of an entry."""
    return frozenset(content(cast("str", _TABLE[entry])))


def verbs() -> list[str]:
    """Return the verbs that have other wordings."""
    return list(_TABLE["verbs"])
