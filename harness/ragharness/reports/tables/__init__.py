"""Tables with a line or two about each, for all that is not the report of one run; one file a format.

A format's module has ``render(sections, *, width, colour)``; it is found by its name. JSON is no format of
tables: it is the value itself.
"""

from __future__ import annotations

import pkgutil
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Literal

from ragharness.errors import UnknownName

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ragharness.reports.text import Tone

LONGEST = 400
"""Characters of a cell or sentence."""


@dataclass(frozen=True)
class Section:
    """A heading, sentences, and a table under them; each of the three may be missing."""

    title: str = ""
    told: Sequence[str] = ()
    head: Sequence[str] = ()
    rows: Sequence[Sequence[str]] = ()
    left: frozenset[int] = frozenset({0})
    """Columns that begin alike; the numbers of the others end alike."""
    tone: Tone | Literal[""] = ""
    """The colour of its sentences on a terminal."""


def table_formats() -> list[str]:
    """Return the names of the formats, in alphabetical order."""
    return sorted(found.name for found in pkgutil.iter_modules(__path__))


def render(sections: Sequence[Section], form: str, width: int = 80, *, colour: bool = False) -> str:
    """Return sections in one of the formats, ending with a line break; raises UnknownName."""
    if form not in table_formats():
        raise UnknownName("format of tables", form, [*table_formats(), "json"])
    text: str = import_module(f"{__name__}.{form}").render(sections, width=width, colour=colour)
    return text.strip("\n") + "\n"


def limits(found: tuple[float, float] | None, scale: float = 100) -> str:
    """Return an interval of a difference, in points unless ``scale`` is 1; empty where there is none."""
    if found is None:
        return ""
    places = 1 if scale > 1 else 2
    return f"[{scale * found[0]:+.{places}f},{scale * found[1]:+.{places}f}]"


def p_value(value: float) -> str:
    """Return a p value, never a rounded 0."""
    return "<.001" if value < 0.001 else f"{value:.3f}".removeprefix("0")
