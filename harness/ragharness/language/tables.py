"""The words of a language, read from its tables: ``en/<family>.toml``, one file for each family of words."""

from __future__ import annotations

import re
import sys
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, cast

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

if TYPE_CHECKING:
    from collections.abc import Iterable

Table = dict[str, "str | list[str] | dict[str, str] | dict[str, list[str]]"]


@lru_cache(maxsize=32)
def table(family: str, language: str = "en") -> Table:
    """Return one family of words of a language; raises ``FileNotFoundError`` for one that has no table."""
    path = Path(__file__).with_name(language) / f"{family}.toml"
    return cast("Table", tomllib.loads(path.read_text("utf-8")))


def word_set(words: str) -> frozenset[str]:
    """Return the words of a table written as one string."""
    return frozenset(words.split())


@lru_cache(maxsize=128)
def words_of(family: str, key: str) -> frozenset[str]:
    """Return the words of one entry, written as a list of strings or as one string with blanks between."""
    entry = table(family)[key]
    return word_set(entry) if isinstance(entry, str) else frozenset(entry)


def phrases(family: str, key: str) -> str:
    """Return the phrases of one entry as one group of alternatives for a pattern."""
    return any_of(cast("list[str]", table(family)[key]))


def any_of(listed: Iterable[str]) -> str:
    r"""Return phrases as one group of alternatives; they may hold patterns, a blank stands for ``\s+``."""
    return "(?:" + "|".join(re.sub(r" +", r"\\s+", phrase) for phrase in listed) + ")"


@lru_cache(maxsize=256)
def pattern(family: str, key: str, shape: str = r"\b{}\b") -> re.Pattern[str]:
    """Return the pattern of the phrases of one entry; ``shape`` says what stands around them."""
    return re.compile(shape.replace("{}", phrases(family, key)), re.IGNORECASE)
