"""Text of a filing, the pieces of it that passages must not cut, and its cover.

The cover is what its Inline XBRL says of itself (``dei:``), each item with its period.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from datetime import date
from itertools import groupby
from typing import NamedTuple

from lxml import etree

from ragharness.corpus.pages import Block, Layout, Mark, attribute, local_name, read_tree
from ragharness.language.words import sentences

Span = tuple[int, int]
WHOLE_TABLE = 300  # words up to which a table is one piece: its figures keep the heads of their columns
_PIECE = 120  # words of a piece of a larger table
_WHOLE_PARAGRAPH = 60  # words up to which a paragraph is not cut into sentences
_REACH = 3  # blocks before and after a page's end among which its furniture is looked for
_OFTEN = 3  # pages that must share a line before it is taken for a running head
_SHORTEST = 40  # characters of a paragraph that may go on behind a page's end
_LONGEST_LINE = 140
_DIGITS = re.compile(r"\d+")
_NUMBER = re.compile(
    r"(?:page\s*)?(?:[A-Z]{1,2}-)?[-–—|\s]*\d{1,4}[-–—|\s]*(?:of\s+\d+)?|table of contents", re.IGNORECASE
)
_SCALE = re.compile(
    r"\b(?:in|amounts|dollars)\b.*\b(?:millions?|thousands?|billions?)\b|\bexcept\b", re.IGNORECASE
)  # what a table's figures are counted in stands above it on many pages, and must stay
_BLANKS = re.compile(r"\s+")
_DATE = re.compile(r"\s*(\d{4}-\d\d-\d\d)")
_LONGEST_TEXT = 2000  # characters that the text of a fact may have: longer ones are whole notes
_YEARS = range(1900, 2200)  # years of which a filing may speak; later ones are mistakes
_CHAINED = 200  # continuations that one fact may have: a chain that is longer runs in a circle


class Context(NamedTuple):
    """Period of a tagged item, in ISO days; ``start`` is empty for a point in time."""

    start: str
    end: str
    dimensions: int = 0  # members of axes (segments, ...) to which it is limited; 0: the whole company


class CoverItem(NamedTuple):
    """One item of the cover as it is tagged."""

    concept: str  # with its prefix: ``dei:EntityRegistrantName``
    text: str
    context: Context


class Page(NamedTuple):
    """A filing laid out as text; offsets are into ``text``."""

    root: etree._Element
    text: str
    blocks: Sequence[Block]
    spans: Sequence[Span]  # where each block stands
    marks: Sequence[Mark]  # where elements stand in the lines of blocks


class Filing(NamedTuple):
    """A filing read: its text, in pieces that passages must not cut, and what its cover says."""

    text: str
    pieces: tuple[Span, ...]  # sentences, rows and whole tables, in order
    cover: tuple[CoverItem, ...]
    period: Context | None  # the period that it reports on; None without ``dei:DocumentPeriodEndDate``


def read_page(content: bytes) -> Page:
    """Page of a filing without page numbers and running heads; raises CorruptDownload for what is no page."""
    root = read_tree(content)
    layout = Layout(root)
    blocks = _without_furniture(layout.blocks)
    text, spans = _written(blocks)
    return Page(root, text, blocks, spans, layout.marks)


def read_filing(content: bytes) -> Filing:
    """Text and cover of a filing; raises CorruptDownload for what is no page."""
    return filing_of(read_page(content))


def filing_of(page: Page) -> Filing:
    """Text and cover of a page."""
    cover = read_cover(page.root)
    return Filing(page.text, tuple(_pieces(page.text, page.blocks, page.spans)), cover, fiscal_period(cover))


def _written(blocks: Sequence[Block]) -> tuple[str, list[Span]]:
    """Text of all blocks with their spans; each line learns its offset."""
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
    for table, group in groupby(zip(blocks, spans, strict=True), key=lambda pair: pair[0].table):
        rows = [span for _, span in group]
        if table:
            yield from _table_pieces(text, rows)
            continue
        for start, end in rows:
            if text.count(" ", start, end) < _WHOLE_PARAGRAPH:
                yield start, end
            else:
                yield from ((start + begin, start + stop) for begin, stop in sentences(text[start:end]))


def _table_pieces(text: str, rows: Sequence[Span]) -> Iterator[Span]:
    """A table whole or, a larger one, in pieces of rows of about equal size."""
    sizes = [text.count(" ", start, end) + 1 for start, end in rows]
    limit = WHOLE_TABLE if sum(sizes) <= WHOLE_TABLE else _PIECE
    begin, size = 0, 0
    for index, count in enumerate(sizes):
        if size and size + count > limit:
            yield rows[begin][0], rows[index - 1][1]
            begin, size = index, 0
        size += count
    yield rows[begin][0], rows[-1][1]


def _without_furniture(blocks: Sequence[Block]) -> list[Block]:
    """The blocks without page numbers and without short lines that stand at the edge of many pages."""
    rows = Counter(block.table for block in blocks if block.table)
    edges = list(_edges(blocks))
    often = Counter(
        key
        for edge in edges
        for key in {_key(blocks[index]) for index in edge if _may_go(blocks[index], rows)}
    )
    furniture: set[int] = set()
    for edge in edges:
        for index in edge:
            block = blocks[index]
            repeated = _NUMBER.fullmatch(block.text.strip()) or often[_key(block)] >= _OFTEN
            if not (repeated and _may_go(block, rows)):
                break
            furniture.add(index)
    return _joined(blocks, furniture)


def _joined(blocks: Sequence[Block], furniture: set[int]) -> list[Block]:
    """The other blocks; a paragraph that a page's end cut in two becomes one again."""
    text_blocks: list[Block] = []
    turned = False
    for index, block in enumerate(blocks):
        turned = turned or block.begins_page
        if index in furniture:
            continue
        before = text_blocks[-1] if text_blocks else None
        if turned and before is not None and not (before.table or block.table) and _goes_on(before, block):
            (_, line), *others = block.lines
            before.lines += [(" ", line), *others]
        else:
            text_blocks.append(block)
        turned = False
    return text_blocks


def _goes_on(before: Block, block: Block) -> bool:
    return block.text[:1].islower() and len(before.text) > _SHORTEST and before.text[-1:] not in ".:;!?•"


def _edges(blocks: Sequence[Block]) -> Iterator[range]:
    """For each end of a page the blocks next to it, outwards: those above, then those below."""
    for index, block in enumerate(blocks):
        if block.begins_page:
            yield range(index - 1, max(-1, index - 1 - _REACH), -1)
            yield range(index, min(len(blocks), index + _REACH))
    if blocks:
        yield range(min(len(blocks), _REACH))
        yield range(len(blocks) - 1, max(-1, len(blocks) - 1 - _REACH), -1)


def _may_go(block: Block, rows: Counter[int]) -> bool:
    text = block.text
    return len(text) <= _LONGEST_LINE and rows[block.table] <= _REACH and not _SCALE.search(text)


def _key(block: Block) -> str:
    return _DIGITS.sub("0", block.text).casefold()


class TaggedElements:
    """Elements of a filing that carry Inline XBRL tags, by their kind."""

    def __init__(self, root: etree._Element) -> None:
        parts: dict[str, list[etree._Element]] = {"context": [], "unit": [], "continuation": []}
        self.tagged: list[tuple[str, etree._Element]] = []
        """Numbers (``nonfraction``) and texts (``nonnumeric``) in the order of the page."""
        for element in root.iter():
            name = local_name(element)
            if name in parts:
                parts[name].append(element)
            elif name in {"nonfraction", "nonnumeric"} and not _is_nil(element):
                self.tagged.append((name, element))
        self.contexts = _contexts(parts["context"])
        self.units = parts["unit"]
        self._continuations = {element.get("id", ""): element for element in parts["continuation"]}

    def text(self, element: etree._Element) -> str:
        """Text of an element with its continuations, up to the length of a fact."""
        pieces = [visible_text(element)]
        following = attribute(element, "continuedAt")
        for _ in range(_CHAINED):
            if not following or following not in self._continuations or sum(map(len, pieces)) > _LONGEST_TEXT:
                break
            pieces.append(visible_text(self._continuations[following]))
            following = attribute(self._continuations[following], "continuedAt")
        return " ".join(filter(None, pieces))[:_LONGEST_TEXT]


def read_cover(root: etree._Element) -> tuple[CoverItem, ...]:
    """Items of the cover in the order of the page; those without a readable context or text are left out."""
    elements = TaggedElements(root)
    return tuple(
        CoverItem(attribute(element, "name"), text, elements.contexts[attribute(element, "contextRef")])
        for name, element in elements.tagged
        if name == "nonnumeric"
        and attribute(element, "name").startswith("dei:")
        and attribute(element, "contextRef") in elements.contexts
        and (text := elements.text(element))
    )


def fiscal_period(cover: Iterable[CoverItem]) -> Context | None:
    """Period that the filing reports on: the context of ``dei:DocumentPeriodEndDate``."""
    ends = (item.context for item in cover if item.concept == "dei:DocumentPeriodEndDate")
    dated = [context for context in ends if context.end]
    whole = [context for context in dated if not context.dimensions]
    return next(iter(whole or dated), None)


def visible_text(element: etree._Element) -> str:
    """Text within an element, without what it excludes, up to the length of a fact."""
    if not len(element):
        return _BLANKS.sub(" ", element.text or "").strip()
    pieces: list[str] = []
    size = 0
    walk = etree.iterwalk(element, events=("start", "end"))
    for event, part in walk:
        if event == "start" and local_name(part) == "exclude":
            walk.skip_subtree()
            continue
        piece = part.text if event == "start" else part.tail if part is not element else ""
        pieces.append(piece or "")
        size += len(pieces[-1])
        if size > 4 * _LONGEST_TEXT:
            break
    return _BLANKS.sub(" ", "".join(pieces)).strip()


def _is_nil(element: etree._Element) -> bool:
    return any(
        key.rpartition("}")[2].rpartition(":")[2] == "nil" and value.strip() in {"true", "1"}
        for key, value in element.items()
    )


def _contexts(elements: Iterable[etree._Element]) -> dict[str, Context]:
    contexts: dict[str, Context] = {}
    for element in elements:
        days = {"startdate": "", "enddate": "", "instant": ""}
        dimensions = 0
        for part in element.iter():
            name = local_name(part)
            if name in days:
                days[name] = _day(part.text or "")
            dimensions += name in {"explicitmember", "typedmember"}
        end = days["instant"] or days["enddate"]
        if end and element.get("id"):
            contexts[element.get("id", "")] = Context(days["startdate"], end, dimensions)
    return contexts


def _day(text: str) -> str:
    """Day that a text begins with, ISO; "" for none that a filing may speak of."""
    match = _DATE.match(text)
    try:
        return match[1] if match and date.fromisoformat(match[1]).year in _YEARS else ""
    except ValueError:
        return ""
