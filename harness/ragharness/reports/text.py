"""Text of all reports: foreign texts made safe, lines laid out, tables in several formats, numbers."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import TYPE_CHECKING, Literal

from ragharness.errors import UnknownName

if TYPE_CHECKING:  # the metrics cost time, and every command line prints
    from ragharness.analysis.metrics import Share, YesNoAxis

_UNPRINTABLE = re.compile(  # control characters, direction marks, what has no width, surrogates
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff\ud800-\udfff"
    r"\U000e0000-\U000e007f]"
)
_MARKDOWN = re.compile(r"([\\`*_{}\[\]<>#|~$&!])")
Tone = Literal["good", "bad", "unclear"]
_TONES = {"good": "\x1b[1;32m", "bad": "\x1b[1;31m", "unclear": "\x1b[1;33m"}
_PLAIN = "\x1b[0m"
_COLOUR = re.compile(f"({'|'.join(map(re.escape, (*_TONES.values(), _PLAIN)))})")
LONGEST = 400  # characters of a cell or sentence of a table


def coloured(text: str, tone: Tone | Literal[""], colour: bool) -> str:
    """Text in the colour of its tone, or plain where colours are not wanted."""
    return f"{_TONES[tone]}{text}{_PLAIN}" if colour and tone else text


def printable(text: str) -> str:
    """Text without what could steer a terminal or hide, just before it is printed; our colours stay."""
    if text.isascii() and text.isprintable():
        return text
    parts = _COLOUR.split(text)
    return "".join(part if at % 2 else _UNPRINTABLE.sub("", part) for at, part in enumerate(parts))


def clean(text: str) -> str:
    """Text of a pipeline or corpus without what could steer a terminal or hide; line breaks stay."""
    return _UNPRINTABLE.sub("", text.replace("\r\n", "\n").replace("\r", "\n").replace("\t", " "))


def one_line(text: str, width: int = 80) -> str:
    """Cleaned text on one line, cut at ``width`` characters."""
    flat = " ".join(clean(text).split())
    return flat if len(flat) <= width else flat[: max(0, width - 3)].rstrip() + "..."


def escaped(text: str, width: int = 200) -> str:
    """Foreign text on one line with Markdown's special characters escaped."""
    return _MARKDOWN.sub(r"\\\1", one_line(text, width))


def paragraph(text: str, width: int, indent: str = "") -> list[str]:
    """Cleaned text as lines of at most ``width`` characters, its own line breaks kept."""
    lines: list[str] = []
    for part in clean(text).strip().split("\n"):
        wrapped = textwrap.wrap(
            part, max(20, width), initial_indent=indent, subsequent_indent=indent, break_on_hyphens=False
        )
        lines += wrapped or [""]
    return lines


def labelled(label: str, text: str, width: int, size: int) -> list[str]:
    """Label with its text wrapped beside it; the text begins at column ``size``."""
    first_line, *more = paragraph(text, width, " " * size) or [""]
    return [f"{label:<{size}}{first_line.strip()}".rstrip(), *more]


def flow(items: Iterable[str], width: int, label: str = "", gap: str = "   ") -> list[str]:
    """Items in lines, never broken inside one, under a label of the first line."""
    lines = [label]
    empty = True
    for item in items:
        if not empty and len(lines[-1]) + len(gap) + len(item) > width:
            lines.append(" " * len(label))
            empty = True
        lines[-1] += item if empty else gap + item
        empty = False
    return [] if len(lines) == 1 and empty else [line.rstrip() for line in lines]


def aligned(
    rows: Sequence[Sequence[str]], left: Container[int] = (0,), width: int = 0, *, headed: bool = False
) -> list[str]:
    """Rows of cells as lines of equal columns; those of ``left`` begin alike, the others end alike.

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
                return _in_two(rows, left, wide, width, headed)
    lines = []
    for number, row in enumerate(rows):
        cells = [
            _wrapped(cell, size) if column in left or (headed and not number) else [cell]
            for column, (cell, size) in enumerate(zip(row, sizes, strict=True))
        ]
        for parts in zip_longest(*cells, fillvalue=""):
            padded = (
                part.ljust(size) if column in left else part.rjust(size)
                for column, (part, size) in enumerate(zip(parts, sizes, strict=True))
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
    """Sizes of columns that are wrapped until they fit the room, or as far as words allow."""

    def narrower(column: int, size: int) -> int:
        parts = (
            _wrapped(row[column], size - 1) if column in left or (headed and not number) else [row[column]]
            for number, row in enumerate(rows)
        )
        return max(len(line) for lines in parts for line in lines)

    sizes = list(wide)
    while sum(sizes) > room:
        saved, column = max((size - narrower(column, size), column) for column, size in enumerate(sizes))
        if saved <= 0:
            break
        sizes[column] -= saved
    return sizes


def _in_two(
    rows: Sequence[Sequence[str]], left: Container[int], wide: Sequence[int], width: int, headed: bool
) -> list[str]:
    """Table in two parts, the first column in both."""
    fit = 2
    while sum(wide[: fit + 1]) + 2 * fit <= width:
        fit += 1
    below = [0, *range(fit, len(wide))]
    begin_alike = [number for number, column in enumerate(below) if column in left]
    return [
        *aligned([row[:fit] for row in rows], left, width, headed=headed),
        "",
        *aligned([[row[column] for column in below] for row in rows], begin_alike, width, headed=headed),
    ]


@dataclass(frozen=True)
class Section:
    """A heading, sentences, and a table under them; each of the three may be missing."""

    title: str = ""
    told: Sequence[str] = ()
    head: Sequence[str] = ()
    rows: Sequence[Sequence[str]] = ()
    left: frozenset[int] = frozenset({0})  # columns that begin alike; the numbers of the others end alike
    tone: Tone | Literal[""] = ""  # the colour of its sentences on a terminal


def table_formats() -> list[str]:
    """Names of the formats of tables; JSON is none of them: it is the value itself."""
    return ["csv", "markdown", "text"]


def render(sections: Sequence[Section], form: str, width: int = 80, *, colour: bool = False) -> str:
    """Sections in a format, as wide and coloured as given, ending with a line break; raises UnknownName."""
    if form not in table_formats():
        raise UnknownName("format of tables", form, [*table_formats(), "json"])
    if form == "csv":
        text = _csv(sections)
    elif form == "markdown":
        text = "\n\n".join(part for n, section in enumerate(sections) for part in _markdown(section, n == 0))
    else:
        text = "\n\n".join("\n".join(_text(section, width, colour)) for section in sections)
    return text.strip("\n") + "\n"


def _csv(sections: Sequence[Section]) -> str:
    """Begin every line with the title of its table, or with ``note`` before a sentence."""
    import csv
    import io

    written = io.StringIO()
    lines = csv.writer(written, lineterminator="\n")
    for section in sections:
        lines.writerows(["note", one_line(sentence, LONGEST)] for sentence in section.told)
        if section.rows:
            lines.writerow(["table", *section.head])
            lines.writerows([section.title, *_flat(row)] for row in section.rows)
    return written.getvalue()


def _markdown(section: Section, first: bool) -> list[str]:
    """Paragraphs, with what is foreign in them escaped."""
    parts = [f"{'#' if first else '##'} {escaped(section.title)}"] if section.title else []
    parts += [escaped(sentence, LONGEST) for sentence in section.told]
    if section.rows:
        head = section.head or [""] * len(section.rows[0])
        rule = ["---" if column in section.left else "---:" for column in range(len(head))]
        head, *rows = ([escaped(cell, LONGEST) for cell in row] for row in (head, *section.rows))
        parts.append("\n".join(f"| {' | '.join(row)} |" for row in (head, rule, *rows)))
    return parts


def _text(section: Section, width: int, colour: bool) -> list[str]:
    lines = [section.title.upper()] if section.title else []
    for sentence in section.told:
        wrapped = paragraph(one_line(sentence, LONGEST), width)
        lines += [coloured(line, section.tone, colour) for line in wrapped]
    if section.rows:
        rows = [_flat(row) for row in section.rows]
        head = [cell.upper() for cell in section.head]
        lines += aligned([head, *rows] if any(head) else rows, section.left, width, headed=any(head))
    return lines


def _flat(row: Sequence[str]) -> list[str]:
    return [one_line(cell, LONGEST) for cell in row]


def rate(share: Share, places: int = 0) -> str:
    """Rate in percent; never a rounded 0 or 100 that is not one."""
    if share.n == 0:
        return "n/a"
    percent, least = round(100 * share.count / share.n, places), 10**-places
    if percent == 0 and share.count:
        return f"<{least:g}%"
    missing = percent == 100 and share.count < share.n
    return f">{100 - least:g}%" if missing else f"{percent:.{places}f}%"


def interval(share: Share | YesNoAxis) -> str:
    """95 % interval in whole percent."""
    if share.low is None or share.high is None:
        return ""
    return f"[{round(100 * share.low)}-{round(100 * share.high)}]"


def counted(share: Share) -> str:
    """Share as count, n and interval."""
    return f"{share.count}/{share.n} {interval(share)}".rstrip()


def fraction(value: float | None) -> str:
    """Mean between 0 and 1 with three places."""
    return "n/a" if value is None else f"{value:.3f}"


def yes_of(axis: YesNoAxis) -> str:
    """How many are yes of those to which the axis applies, and how many are left open."""
    left_open = f", {axis.undetermined} undetermined" if axis.undetermined else ""
    return f"{axis.yes}/{axis.n} {interval(axis)}".rstrip() + left_open


def limits(bounds: tuple[float, float] | None, scale: float = 100) -> str:
    """Interval of a difference, in points unless ``scale`` is 1; empty where there is none."""
    if bounds is None:
        return ""
    places = 1 if scale > 1 else 2
    return f"[{scale * bounds[0]:+.{places}f},{scale * bounds[1]:+.{places}f}]"


def p_value(value: float) -> str:
    """P value, never a rounded 0."""
    return "<.001" if value < 0.001 else f"{value:.3f}".removeprefix("0")


def duration(seconds: float) -> str:
    """Readable time: 0.8s, 12s, 3m12s, 2h05m."""
    if seconds < 9.95:
        return f"{seconds:.1f}s"
    whole = round(seconds)
    if whole < 60:
        return f"{whole}s"
    minutes, over = divmod(whole, 60)
    return f"{minutes}m{over:02d}s" if minutes < 60 else f"{minutes // 60}h{minutes % 60:02d}m"


def milliseconds(seconds: float) -> str:
    """Short time: 0.4ms, 12ms, 1.3s, 2m05s; never a rounded 0."""
    if seconds < 0.00005:
        return "under 0.1ms"
    if seconds < 0.00995:
        return f"{1000 * seconds:.1f}ms"
    return f"{1000 * seconds:.0f}ms" if seconds < 0.9995 else duration(seconds)


def money(cost: float | None) -> str:
    """Dollars; empty when unknown."""
    if cost is None:
        return ""
    return f"${cost:.2f}" if cost >= 0.995 or cost == 0 else f"${cost:.2g}"


def ids(names: Sequence[str], most: int = 5) -> str:
    """First ids and how many more there are."""
    listed = ", ".join(clean(name) for name in names[:most])
    return f"{listed} and {len(names) - most} more" if len(names) > most else listed
