"""Objects of a JSON file, however they are laid out: an array, an object a line, or one after the other."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import msgspec

from ragharness.errors import UsageError

if TYPE_CHECKING:
    from pathlib import Path


def json_rows(path: Path, what: str, *, holders: tuple[str, ...] = ("data",)) -> list[Any]:
    """Return the objects of a file; raises UsageError without any, ``what`` being what was expected.

    One object that has a list under one of ``holders`` stands for that list.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"expected {what} in {path}, found {error}") from error
    found = _whole(text)
    if found is None:
        try:
            found = [
                _line(line, number, path) for number, line in enumerate(text.split("\n"), 1) if line.strip()
            ]
        except UsageError:
            found = _one_after_the_other(text)
            if not found:
                raise
    if isinstance(found, dict):
        held = next((found[name] for name in holders if isinstance(found.get(name), list)), None)
        found = [found] if held is None else held
    if not isinstance(found, list) or not found:
        raise UsageError(f"expected {what} in {path}, found none")
    return found


def _whole(text: str) -> Any:
    try:
        return msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError):
        return None


def _one_after_the_other(text: str) -> list[Any]:
    """Return objects that each take several lines; nothing where one cannot be read."""
    decoder, found, at = json.JSONDecoder(), [], len(text) - len(text.lstrip())
    end = len(text.rstrip())
    while at < end:
        try:
            past = decoder.raw_decode(text, at)[1]
            found.append(msgspec.json.decode(text[at:past]))
        except (ValueError, RecursionError):
            return []
        at = past
        while at < end and text[at].isspace():
            at += 1
    return found


def _line(line: str, number: int, path: Path) -> Any:
    try:
        return msgspec.json.decode(line)
    except (msgspec.DecodeError, RecursionError):
        raise UsageError(f"expected JSON in {path}, line {number}, found {line.strip()[:40]!r}") from None
