"""Removes page numbers, running heads and feet, which cut sentences in two."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ragharness.filings.lines import Block

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
