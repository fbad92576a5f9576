"""Streamed answers: generators of strings, joined up to the length limit of a record."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any

from ragharness.pipelines._parts import TEXT_LIMIT

if TYPE_CHECKING:
    from collections.abc import AsyncIterable, Awaitable


def whole(returned: object) -> object:
    """Return the joined text of a generator of strings, and anything else as it is."""
    if not inspect.isgenerator(returned):
        return returned
    pieces: list[object] = []
    length = 0
    for piece in returned:
        pieces.append(piece)
        length += len(piece) if isinstance(piece, str) else 1
        if length > TEXT_LIMIT:
            returned.close()
            break
    return _joined(pieces)


async def settled(returned: Awaitable[object] | AsyncIterable[object]) -> object:
    """Return what an awaitable gives in the end, streams joined."""
    value: Any = await returned if inspect.isawaitable(returned) else returned
    if not inspect.isasyncgen(value):
        return whole(value)
    pieces: list[object] = []
    length = 0
    async for piece in value:
        pieces.append(piece)
        length += len(piece) if isinstance(piece, str) else 1
        if length > TEXT_LIMIT:
            await value.aclose()
            break
    return _joined(pieces)


def _joined(pieces: list[object]) -> object:
    texts = [piece for piece in pieces if isinstance(piece, str)]
    # Pieces that are no text are handed on as they came, so that the reader can name what it found.
    return "".join(texts) if len(texts) == len(pieces) else pieces
