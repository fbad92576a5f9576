"""The items of a list that a text names, leaves out and adds."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from ragharness.language.matching import AliasHit, find_alias, normalise
from ragharness.language.patterns import regex
from ragharness.language.tables import words_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

_MOST_HITS = 200
_DECORATION = regex(r"\[[^\[\]]{0,80}\]|【[^】]{0,80}】")
_LEADING = regex(
    r"(?:[\s\-*•–\"'“”()]|\(?\d{1,2}[.)]\s|(?:the|a|an|both|also|either|and|or|as well as)\s)+", re.IGNORECASE
)
_SEPARATOR = regex(r"\s*(?:[,;\n|]|(?<!\w)(?:and|or|as well as|along with|plus)(?!\w)|\(?\d{1,2}\)\s)\s*")
_SENTENCE_END = regex(r"[.!?](?=\s|$)(?!\n[-*•])")


class Items(NamedTuple):
    """Which items of a list an answer names, which it leaves out, and what it names besides."""

    found: tuple[str, ...]
    missing: tuple[str, ...]
    extra: tuple[str, ...]


def match_items(text: str, items: Sequence[str], aliases: Mapping[str, Sequence[str]] | None = None) -> Items:
    """Return which items a text names (or their aliases), which not, and what it enumerates besides."""
    hits = {item: find_alias(text, (item, *(aliases or {}).get(item, ()))) for item in items}
    found = tuple(item for item in items if hits[item])
    missing = tuple(item for item in items if not hits[item])
    places = sorted(hit for item in found for hit in hits[item])[:_MOST_HITS]
    return Items(found, missing, tuple(_extras(text, places, items)) if places else ())


def _extras(text: str, hits: list[AliasHit], items: Sequence[str]) -> list[str]:
    """Pieces of the enumeration around the hits that look like items and are none."""
    longest = max(len(normalise(item).split()) for item in items)
    capital = all(item[:1].isupper() or item[:1].isdigit() for item in items) and not all(
        text[hit.start].islower() for hit in hits[1:] or hits
    )
    end = _SENTENCE_END.search(text, hits[-1].end)
    extras: list[str] = []
    for gap in _gaps(text, hits, _enumerated_from(text, hits[0].start), end.start() if end else len(text)):
        piece = _bare(_DECORATION.sub("", gap)).rstrip(" .*\"'“”)\n\t:")
        if _is_item(normalise(piece).split(), longest) and (not capital or piece[0].isupper()):
            extras.append(piece)
    return extras


def _is_item(words: Sequence[str], longest: int) -> bool:
    """Say whether words look like an item: few, no verb, no opening of another phrase."""
    if not 0 < len(words) <= longest + 1 or words[0] in words_of("values", "opens_no_item"):
        return False
    # "customer lists": such a verb ends an item as a noun.
    body = words[:-1] if len(words) > 1 and words[-1] in ("lists", "states", "means") else words
    return words_of("values", "no_item").isdisjoint(body)


def _bare(piece: str) -> str:
    """A piece without bullets, numbers and joining words at its head."""
    leading = _LEADING.match(piece)
    return piece[leading.end() :] if leading else piece


def _enumerated_from(text: str, first: int) -> int:
    """Where the enumeration begins: before its first hit only when that one stands in a row."""
    start = max(text.rfind(mark, 0, first) for mark in (":", ". ", "? ", "! ")) + 1
    cuts = [cut.end() for cut in _SEPARATOR.finditer(text, start, first)]
    return first if _bare(text[max(cuts, default=start) : first]).strip(" .*\"'“”():") else start


def _gaps(text: str, hits: Sequence[AliasHit], start: int, end: int) -> Iterator[str]:
    """The pieces between separators that hold no hit."""
    edges = [start]
    place = 0
    for cut in _SEPARATOR.finditer(text, start, end):
        while place < len(hits) and hits[place].end <= cut.start():
            place += 1
        if place == len(hits) or cut.start() < hits[place].start:
            edges += cut.span()
    edges.append(end)
    place = 0
    for low, high in zip(edges[::2], edges[1::2], strict=True):
        while place < len(hits) and hits[place].end <= low:
            place += 1
        if (place == len(hits) or hits[place].start >= high) and low < high:
            yield text[low:high]
