"""Formatting of numbers and foreign texts, shared by all reports."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Container, Iterable, Sequence
from itertools import zip_longest
from typing import Literal

from ragharness.analysis.metrics import Share, YesNoAxis

_UNPRINTABLE = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff\ud800-\udfff"
    r"\U000e0000-\U000e007f]"
)
"""Control characters (an escape sequence starts with one), direction marks, what has no width, surrogates."""

_MARKDOWN = re.compile(r"([\\`*_{}\[\]<>#|~$&!])")

Tone = Literal["good", "bad", "unclear"]

_TONES = {"good": "\x1b[1;32m", "bad": "\x1b[1;31m", "unclear": "\x1b[1;33m"}
_PLAIN = "\x1b[0m"
_COLOUR = re.compile(f"({'|'.join(map(re.escape, (*_TONES.values(), _PLAIN)))})")


def coloured(text: str, tone: Tone | Literal[""], colour: bool) -> str:
    """Return a text in the colour of its tone, or plain where colours are not wanted."""
    return f"{_TONES[tone]}{text}{_PLAIN}" if colour and tone else text


def printable(text: str) -> str:
    """Return what is about to be printed without what could steer a terminal or hide; our colours stay."""
    if text.isascii() and text.isprintable():
        return text
    parts = _COLOUR.split(text)
    return "".join(part if at % 2 else _UNPRINTABLE.sub("", part) for at, part in enumerate(parts))


def clean(text: str) -> str:
    """Return a text of a pipeline or corpus without what could steer a terminal or hide; line breaks stay."""
    return _UNPRINTABLE.sub("", text.replace("\r\n", "\n").replace("\r", "\n").replace("\t", " "))


def one_line(text: str, width: int = 80) -> str:
    """Return a cleaned text on one line, cut at ``width`` characters."""
    flat = " ".join(clean(text).split())
    return flat if len(flat) <= width else flat[: max(0, width - 3)].rstrip() + "..."


def escaped(text: str, width: int = 200) -> str:
    """Return a foreign text on one line with Markdown's special characters escaped."""
    return _MARKDOWN.sub(r"\\\1", one_line(text, width))


def paragraph(text: str, width: int, indent: str = "") -> list[str]:
    """Return a cleaned text as lines of at most ``width`` characters, its own line breaks kept."""
    lines: list[str] = []
    for part in clean(text).strip().split("\n"):
        wrapped = textwrap.wrap(
            part, max(20, width), initial_indent=indent, subsequent_indent=indent, break_on_hyphens=False
        )
        lines += wrapped or [""]
    return lines


def labelled(label: str, text: str, width: int, size: int) -> list[str]:
    """Return a label with its text wrapped beside it; the text begins at column ``size``."""
    first, *rest = paragraph(text, width, " " * size) or [""]
    return [f"{label:<{size}}{first.strip()}".rstrip(), *rest]


def flow(items: Iterable[str], width: int, label: str = "", gap: str = "   ") -> list[str]:
    """Return items in lines, never broken inside one, under a label of the first line."""
    lines = [label]
    empty = True
    for item in items:
        if not empty and len(lines[-1]) + len(gap) + len(item) > width:
            lines.append(" " * len(label))
            empty = True
        lines[-1] += item if empty else gap + item
        empty = False
    return [] if len(lines) == 1 and empty else [line.rstrip() for line in lines]


def rate(share: Share, places: int = 0) -> str:
    """Return a rate in percent; never a rounded 0 or 100 that is not one."""
    if share.n == 0:
        return "n/a"
    percent, least = round(100 * share.count / share.n, places), 10**-places
    if percent == 0 and share.count:
        return f"<{least:g}%"
    missing = percent == 100 and share.count < share.n
    return f">{100 - least:g}%" if missing else f"{percent:.{places}f}%"


def aligned(
    rows: Sequence[Sequence[str]], left: Container[int] = (0,), width: int = 0, *, headed: bool = False
) -> list[str]:
    """Return rows of cells as lines of equal columns; those of ``left`` begin alike, the others end alike.

    Where they are wider than ``width`` (0: any), the texts of ``left`` and the heads are wrapped, then the
    columns move together, and at last those that do not fit stand below, beside the first one again.
    """
    sizes, gap = [max(map(len, column)) for column in zip(*rows, strict=True)], 2
    wide = sizes
    if width and sum(wide) + gap * (len(wide) - 1) > width:
        for gap in (2, 1):
            sizes = _squeezed(rows, left, wide, width - gap * (len(wide) - 1), headed)
            if sum(sizes) + gap * (len(sizes) - 1) <= width:
                break
        else:
            if len(wide) > 2:
                return _parted(rows, left, wide, width, headed)
    lines = []
    for number, row in enumerate(rows):
        cells = [
            _wrapped(cell, size) if place in left or (headed and not number) else [cell]
            for place, (cell, size) in enumerate(zip(row, sizes, strict=True))
        ]
        for parts in zip_longest(*cells, fillvalue=""):
            padded = (
                part.ljust(size) if place in left else part.rjust(size)
                for place, (part, size) in enumerate(zip(parts, sizes, strict=True))
            )
            lines.append((" " * gap).join(padded).rstrip())
    return lines


def _wrapped(cell: str, size: int) -> list[str]:
    if len(cell) <= size:
        return [cell]
    return textwrap.wrap(cell, max(1, size), break_long_words=False, break_on_hyphens=False) or [""]


def _squeezed(
    rows: Sequence[Sequence[str]], left: Container[int], wide: Sequence[int], room: int, headed: bool
) -> list[int]:
    """Return the sizes of columns that are wrapped until they fit the room, or as far as words allow."""
    sizes = list(wide)
    while sum(sizes) > room:
        narrower = [
            max(
                len(line)
                for number, row in enumerate(rows)
                for line in (
                    _wrapped(row[place], size - 1)
                    if place in left or (headed and not number)
                    else [row[place]]
                )
            )
            for place, size in enumerate(sizes)
        ]
        saved, place = max(
            (size - least, place) for place, (size, least) in enumerate(zip(sizes, narrower, strict=True))
        )
        if saved <= 0:
            break
        sizes[place] = narrower[place]
    return sizes


def _parted(
    rows: Sequence[Sequence[str]], left: Container[int], wide: Sequence[int], width: int, headed: bool
) -> list[str]:
    """Return a table in two, the first column in both."""
    fit = 2
    while sum(wide[: fit + 1]) + 2 * fit <= width:
        fit += 1
    rest = [0, *range(fit, len(wide))]
    return [
        *aligned([row[:fit] for row in rows], left, width, headed=headed),
        "",
        *aligned(
            [[row[place] for place in rest] for row in rows],
            [number for number, place in enumerate(rest) if place in left],
            width,
            headed=headed,
        ),
    ]


def interval(share: Share | YesNoAxis) -> str:
    """Return a 95 % interval in whole percent."""
    if share.low is None or share.high is None:
        return ""
    return f"[{round(100 * share.low)}-{round(100 * share.high)}]"


def counted(share: Share) -> str:
    """Return a share as count, n and interval."""
    return f"{share.count}/{share.n} {interval(share)}".rstrip()


def fraction(value: float | None) -> str:
    """Return a mean between 0 and 1 with three places."""
    return "n/a" if value is None else f"{value:.3f}"


def yes_of(axis: YesNoAxis) -> str:
    """Return how many are yes of those to which the axis applies."""
    return f"{axis.yes}/{axis.yes + axis.no} {interval(axis)}".rstrip()


def duration(seconds: float) -> str:
    """Return a readable time: 0.8s, 12s, 3m12s, 2h05m."""
    if seconds < 9.95:
        return f"{seconds:.1f}s"
    whole = round(seconds)
    if whole < 60:
        return f"{whole}s"
    minutes, rest = divmod(whole, 60)
    return f"{minutes}m{rest:02d}s" if minutes < 60 else f"{minutes // 60}h{minutes % 60:02d}m"


def milliseconds(seconds: float) -> str:
    """Return a short time: 0.4ms, 12ms, 1.3s, 2m05s; never a rounded 0."""
    if seconds < 0.00005:
        return "under 0.1ms"
    if seconds < 0.00995:
        return f"{1000 * seconds:.1f}ms"
    return f"{1000 * seconds:.0f}ms" if seconds < 0.9995 else duration(seconds)


def money(cost: float | None) -> str:
    """Return dollars; empty when unknown."""
    if cost is None:
        return ""
    return f"${cost:.2f}" if cost >= 0.995 or cost == 0 else f"${cost:.2g}"


def ids(names: Sequence[str], most: int = 5) -> str:
    """Return the first ids and how many more there are."""
    shown = ", ".join(clean(name) for name in names[:most])
    return f"{shown} and {len(names) - most} more" if len(names) > most else shown
