"""The words of a language, read from its tables: ``en/<family>.toml``, one file for each family of words."""

from __future__ import annotations

import re
import sys
from functools import lru_cache
from itertools import groupby
from pathlib import Path
from typing import Any, cast

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

from collections.abc import Iterable, Iterator

Table = dict[str, "str | list[str] | dict[str, str] | dict[str, list[str]]"]
_METHODS = ("search", "match", "fullmatch", "finditer", "findall", "sub", "subn", "split")
WHOLE = r"\b{}\b"  # the shape of a phrase that stands as whole words


def regex(source: str, flags: int = 0) -> re.Pattern[str]:
    """Pattern like ``re.compile(source, flags)``, compiled at its first use: all at once would take 0.2 s."""
    return cast("re.Pattern[str]", _Late(source, flags))


class _Late:
    def __init__(self, source: str, flags: int) -> None:
        self._compiled_from = source, flags

    def __getattr__(self, name: str) -> Any:
        compiled = re.compile(*self._compiled_from)
        # They are found before this method is: later calls cost what those of the pattern itself cost.
        vars(self).update({method: getattr(compiled, method) for method in _METHODS})
        return getattr(compiled, name)


@lru_cache(maxsize=32)
def table(family: str, language: str = "en") -> Table:
    """One family of words of a language; raises ``FileNotFoundError`` for one that has no table."""
    path = Path(__file__).with_name(language) / f"{family}.toml"
    return cast("Table", tomllib.loads(path.read_text("utf-8")))


def word_set(words: str) -> frozenset[str]:
    """Words of a table written as one string."""
    return frozenset(words.split())


@lru_cache(maxsize=128)
def words_of(family: str, key: str) -> frozenset[str]:
    """Words of one entry, written as a list of strings or as one string with blanks between."""
    entry = table(family)[key]
    return word_set(entry) if isinstance(entry, str) else frozenset(entry)


def phrases(family: str, entry: str) -> str:
    """Phrases of one entry as one group of alternatives; ``{name}`` stands for another entry."""
    outer, _, inner = entry.partition(".")
    listed = cast("dict[str, list[str]]", table(family)[outer])[inner] if inner else table(family)[outer]
    joined = any_of([listed] if isinstance(listed, str) else cast("list[str]", listed))
    return re.sub(r"\{([a-z_]+)\}", lambda found: phrases(family, found[1]), joined)


def any_of(listed: Iterable[str]) -> str:
    r"""Phrases as a group of alternatives; a blank stands for ``\s+``, ``’`` for either apostrophe."""
    written = (re.sub(r" +", r"\\s+", phrase) for phrase in listed)
    # Alternatives that share their beginning are in a group of their own: it is tried once for all of them.
    runs = (run for _, run in groupby(written, lambda phrase: phrase[:2]))
    joined = "|".join(f"(?:{'|'.join(run)})" for run in runs)
    return re.sub(r"(?<!')’(?!')", "['’]", f"(?:{joined})")


@lru_cache(maxsize=512)
def pattern(family: str, entry: str, shape: str = "{}") -> re.Pattern[str]:
    """Pattern of the phrases of one entry; ``shape`` says what stands around them."""
    return re.compile(shape.replace("{}", phrases(family, entry)), re.IGNORECASE)


@lru_cache(maxsize=512)
def _folded(family: str, entry: str) -> tuple[re.Pattern[str], bool]:
    """The pattern of an entry, and whether it is for lower case: matching case for case is twice as fast."""
    source = phrases(family, entry)
    lower = re.search(r"[A-Z]|\(\?-i", re.sub(r"\\.", "", source)) is None
    return re.compile(source, 0 if lower else re.IGNORECASE), lower


def finds(family: str, entry: str, text: str) -> Iterator[re.Match[str]]:
    """Where a text holds a phrase of one entry of a table, in order."""
    compiled, lower = _folded(family, entry)
    low = text.lower() if lower else text
    # Few letters change the length of a text: "İ".
    return compiled.finditer(low) if len(low) == len(text) else pattern(family, entry).finditer(text)


def holds(family: str, entry: str, text: str) -> bool:
    """Whether a text holds a phrase of one entry of a table."""
    compiled, lower = _folded(family, entry)
    return compiled.search(text.lower() if lower else text) is not None
