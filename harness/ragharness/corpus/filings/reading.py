"""Parses one filing: readable text, pieces that passages must not cut, and its cover."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from ragharness.corpus.filings.cover import Context, CoverItem, Span, fiscal_period, read_cover
from ragharness.corpus.filings.layout import Block, Mark, lay_out
from ragharness.corpus.filings.tree import read_tree
from ragharness.language.words import sentences

if TYPE_CHECKING:
    from lxml.etree import _Element

WHOLE_TABLE = 300
"""Words up to which a table stays in one piece, so that its figures keep the heads of their columns."""

_PIECE = 120
"""Words of a piece of a larger table."""

_WHOLE_PARAGRAPH = 60
"""Words up to which a paragraph is not cut into sentences."""

_REACH = 3
"""Blocks before and after a page's end among which its furniture is looked for."""

_OFTEN = 3
"""Pages that must share a line before it is taken for a running head."""

_SHORTEST = 40
"""Characters of a paragraph that may go on behind a page's end."""

_LONGEST = 140
_DIGITS = re.compile(r"\d+")
_NUMBER = re.compile(
    r"(?:page\s*)?(?:[A-Z]{1,2}-)?[-–—|\s]*\d{1,4}[-–—|\s]*(?:of\s+\d+)?|table of contents", re.IGNORECASE
)
_SCALE = re.compile(
    r"\b(?:in|amounts|dollars)\b.*\b(?:millions?|thousands?|billions?)\b|\bexcept\b", re.IGNORECASE
)
"""What a table's figures are counted in stands above it on many pages, and must stay."""


class Page(NamedTuple):
    """A filing laid out as text; offsets are into ``text``."""

    root: _Element
    text: str
    blocks: Sequence[Block]
    spans: Sequence[Span]
    """Where each block stands."""
    marks: Sequence[Mark]
    """Where elements stand in the lines of blocks."""


class Filing(NamedTuple):
    """A filing read: its text, in pieces that passages must not cut, and what its cover says."""

    text: str
    pieces: tuple[Span, ...]
    """Sentences, rows and whole tables, in order."""
    cover: tuple[CoverItem, ...]
    period: Context | None
    """The period that it reports on; None without ``dei:DocumentPeriodEndDate``."""


def read_page(content: bytes) -> Page:
    """Page of a filing without page numbers and running heads; raises CorruptDownload for what is no page."""
    root = read_tree(content)
    page = lay_out(root)
    blocks = without_furniture(page.blocks)
    text, spans = _written(blocks)
    return Page(root, text, blocks, spans, page.marks)


def read_filing(content: bytes) -> Filing:
    """Text and cover of a filing; raises CorruptDownload for what is no page."""
    return filing_of(read_page(content))


def filing_of(page: Page) -> Filing:
    """Text and cover of a page."""
    cover = read_cover(page.root)
    return Filing(page.text, tuple(_pieces(page.text, page.blocks, page.spans)), cover, fiscal_period(cover))


def _written(blocks: Sequence[Block]) -> tuple[str, list[Span]]:
    """Return the text of all blocks with their spans, and tell each line where it stands."""
    parts: list[str] = []
    spans: list[Span] = []
    position, table = 0, 0
    for block in blocks:
        if parts:
            gap = "\n" if block.table and block.table == table else "\n\n"
            parts.append(gap)
            position += len(gap)
        begin, table = position, block.table
        for separator, line in block.lines:
            position += len(separator)
            line.start = position
            position += len(line.text)
            parts += (separator, line.text)
        spans.append((begin, position))
    return "".join(parts), spans


def _pieces(text: str, blocks: Sequence[Block], spans: Sequence[Span]) -> Iterator[Span]:
    position = 0
    while position < len(blocks):
        table = blocks[position].table
        if not table:
            yield from _of_paragraph(text, spans[position])
            position += 1
            continue
        last = position
        while last < len(blocks) and blocks[last].table == table:
            last += 1
        yield from _of_table(text, spans[position:last])
        position = last


def _of_paragraph(text: str, span: Span) -> Iterator[Span]:
    start, end = span
    if text.count(" ", start, end) < _WHOLE_PARAGRAPH:
        yield span
        return
    for first, last in sentences(text[start:end]):
        yield start + first, start + last


def _of_table(text: str, rows: Sequence[Span]) -> Iterator[Span]:
    """Yield a table whole or, a larger one, in pieces of rows of about equal size."""
    sizes = [text.count(" ", start, end) + 1 for start, end in rows]
    limit = WHOLE_TABLE if sum(sizes) <= WHOLE_TABLE else _PIECE
    first, size = 0, 0
    for index, count in enumerate(sizes):
        if size and size + count > limit:
            yield rows[first][0], rows[index - 1][1]
            first, size = index, 0
        size += count
    yield rows[first][0], rows[-1][1]


def without_furniture(blocks: Sequence[Block]) -> list[Block]:
    """Return the blocks without page numbers and without short lines that stand at the edge of many pages."""
    rows = Counter(block.table for block in blocks if block.table)
    edges = list(_edges(blocks))
    often = Counter(
        key
        for edge in edges
        for key in {_key(blocks[index]) for index in edge if _may_go(blocks[index], rows)}
    )
    gone: set[int] = set()
    for edge in edges:
        for index in edge:
            block = blocks[index]
            if not _may_go(block, rows):
                break
            if not _NUMBER.fullmatch(block.text.strip()) and often[_key(block)] < _OFTEN:
                break
            gone.add(index)
    return _joined(blocks, gone)


def _joined(blocks: Sequence[Block], gone: set[int]) -> list[Block]:
    """Return the blocks that stay; a paragraph that a page's end cut in two becomes one again."""
    kept: list[Block] = []
    turned = False
    for index, block in enumerate(blocks):
        turned = turned or block.begins_page
        if index in gone:
            continue
        before = kept[-1] if kept else None
        if turned and before is not None and not (before.table or block.table) and _goes_on(before, block):
            before.lines += [
                (" ", line) if number == 0 else (separator, line)
                for number, (separator, line) in enumerate(block.lines)
            ]
        else:
            kept.append(block)
        turned = False
    return kept


def _goes_on(before: Block, block: Block) -> bool:
    return block.text[:1].islower() and len(before.text) > _SHORTEST and before.text[-1:] not in ".:;!?•"


def _edges(blocks: Sequence[Block]) -> Iterator[range]:
    """Yield for each end of a page the blocks next to it, outwards: those above, then those below."""
    for index, block in enumerate(blocks):
        if block.begins_page:
            yield range(index - 1, max(-1, index - 1 - _REACH), -1)
            yield range(index, min(len(blocks), index + _REACH))
    if blocks:
        yield range(min(len(blocks), _REACH))
        yield range(len(blocks) - 1, max(-1, len(blocks) - 1 - _REACH), -1)


def _may_go(block: Block, rows: Counter[int]) -> bool:
    text = block.text
    return len(text) <= _LONGEST and rows[block.table] <= _REACH and not _SCALE.search(text)


def _key(block: Block) -> str:
    return _DIGITS.sub("0", block.text).casefold()
