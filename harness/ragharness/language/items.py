"""The items of a list that a text names, leaves out and adds."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from ragharness.language.matching import AliasHit, find_alias, normalise
from ragharness.language.patterns import regex
from ragharness.language.tables import word_set


class Items(NamedTuple):
    """Which items of a list an answer names, which it leaves out, and what it names besides."""

    found: tuple[str, ...]
    missing: tuple[str, ...]
    extra: tuple[str, ...]


def match_items(text: str, items: Sequence[str], aliases: Mapping[str, Sequence[str]] | None = None) -> Items:
    """Return which items a text names (or their aliases), which not, and what it enumerates besides."""
    hits: list[AliasHit] = []
    found: list[str] = []
    missing: list[str] = []
    for item in items:
        here = find_alias(text, (item, *(aliases or {}).get(item, ())))
        (found if here else missing).append(item)
        hits += here
    return Items(tuple(found), tuple(missing), tuple(_extras(text, hits[:_MOST_HITS], items)))


_MOST_HITS = 200
_DECORATION = regex(r"\[[^\[\]]{0,80}\]|【[^】]{0,80}】")
_LEADING = regex(
    r"(?:[\s\-*•–\"'“”()]|\(?\d{1,2}[.)]\s|(?:the|a|an|both|also|either|and|or|as well as)\s)+", re.IGNORECASE
)
_SEPARATOR = regex(
    r"\s*(?:[,;\n|]|(?<!\w)(?:and|or|as well as|along with|plus|y|e|und|sowie|et|ou)(?!\w)"
    r"|\(?\d{1,2}\)\s)\s*"
)
_NO_ITEM_START = word_set(
    "in on under according for at as by per within from to with of namely yes no however overall thus others "
    "other etc more so if here there this that these those it they en según nach laut selon dans"
)
_SENTENCE_END = regex(r"[.!?](?=\s|$)")
_VERBS = word_set(
    "is are was were be been has have had does do did can may must shall will would should could means mean "
    "includes include lists states mentions administer administers administered which who that"
)
_NOUNS_TOO = word_set("lists states means")
"""Verbs that end an item as a noun ("customer lists")."""


def _extras(text: str, hits: list[AliasHit], items: Sequence[str]) -> list[str]:
    """Pieces of the enumeration around the hits that look like items and are none."""
    if not hits:
        return []
    hits.sort()
    longest = max(len(normalise(item).split()) for item in items)
    capital = all(item[:1].isupper() or item[:1].isdigit() for item in items) and not all(
        text[hit.start].islower() for hit in hits[1:] or hits
    )
    extras: list[str] = []
    first = _enumerated_from(text, hits[0].start)
    for gap in _gaps(text, hits, first, _region_end(text, hits[-1].end)):
        piece = _DECORATION.sub("", gap)
        piece = piece[_leading(piece) :].rstrip(" .*\"'“”)\n\t:")
        words = normalise(piece).split()
        plain = words[:-1] if len(words) > 1 and words[-1] in _NOUNS_TOO else words
        fits = 0 < len(words) <= longest + 1 and _VERBS.isdisjoint(plain) and words[0] not in _NO_ITEM_START
        if fits and (not capital or piece[0].isupper()):
            extras.append(piece)
    return extras


def _leading(piece: str) -> int:
    match = _LEADING.match(piece)
    return match.end() if match is not None else 0


def _enumerated_from(text: str, first: int) -> int:
    """Where the enumeration begins: before its first hit only when that one stands in a row."""
    start = _region_start(text, first)
    cuts = [cut.end() for cut in _SEPARATOR.finditer(text, start, first)]
    piece = text[max(cuts, default=start) : first]
    decorated = piece[_leading(piece) :].strip(" .*\"'“”():")
    return first if decorated else start


def _region_start(text: str, first: int) -> int:
    """Where the enumeration may begin: after a colon or sentence end, or at the first bullet of its list."""
    colon = max(text.rfind(mark, 0, first) for mark in (":", ". ", "? ", "! "))
    return colon + 1


def _region_end(text: str, last: int) -> int:
    """Where it ends: with the sentence, or with the last of the bullets that follow."""
    end = _SENTENCE_END.search(text, last)
    stop = end.start() if end is not None else len(text)
    while (
        text[stop : stop + 1] == "."
        and text[stop + 1 : stop + 2] == "\n"
        and text[stop + 2 : stop + 3] in "-*•"
    ):
        end = _SENTENCE_END.search(text, stop + 2)
        stop = end.start() if end is not None else len(text)
    return stop


def _gaps(text: str, hits: list[AliasHit], start: int, end: int) -> Iterator[str]:
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
