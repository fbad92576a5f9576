"""Reads a judge's reply; what cannot be read is None, never a score."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, NamedTuple

from ragharness.language.tables import regex

_EMPHASIS = regex(r"[*_\[\]\"`]")
_JUDGEMENT = regex(r"(?im)^\W*judge?ment\W*:\W*(NOT\s+REFUSED|REFUSED)\W*$")
_FENCED = regex(r"(?s)\A\s*```(?:json)?\s*\n(.*?)\n\s*```\s*\Z")
_MOST = 10
_PARTS = ("flaw", "rationale", "evidence")
_QUALITY = ("explained", "nearest", "next_step", "urgency")


class Found(NamedTuple):
    """What a reply says: its score, the words that it rests on, and what else the decision asks for."""

    score: float
    evidence: str = ""
    facts: tuple[tuple[str, Any], ...] = ()


def read_reply(decision: str, text: str) -> Found | None:
    """Return what a reply to a decision says; None: it cannot be read."""
    return _READERS[decision](text)


def _refusal(text: str) -> Found | None:
    held = object_of(text)
    if held is not None:
        said = held.get("judgement")
        text = f"Judgement: {said}" if isinstance(said, str) else ""
    found = _JUDGEMENT.findall(_EMPHASIS.sub("", text))
    if not found:
        return None
    span = held.get("span") if held else ""
    return Found(0.0 if found[-1].upper().startswith("NOT") else 1.0, span if isinstance(span, str) else "")


def _scored(text: str) -> Found | None:
    held = _whole(text)
    score = held.get("score") if held else None
    if held is None or isinstance(score, bool) or not isinstance(score, (int, float)):
        return None
    return Found(float(score), str(held["evidence"])) if 0 <= score <= _MOST else None


def _quality(text: str) -> Found | None:
    held = _whole(text)
    if held is None or not all(isinstance(held.get(name), bool) for name in _QUALITY):
        return None
    facts = {name: bool(held[name]) for name in _QUALITY}
    explained, nearest, next_step, urgency = facts.values()
    good = int(explained or nearest or next_step)
    if explained and (nearest or next_step):
        good = 3 if nearest and next_step and not urgency else 2
    return Found(float(good), str(held["evidence"]), tuple(facts.items()))


def _claims(text: str) -> Found | None:
    held = _whole(text)
    listed = held.get("claims") if held else None
    if held is None or not isinstance(listed, list):
        return None
    claims = []
    for each in listed:
        claim = each.get("claim") if isinstance(each, dict) else None
        supported = each.get("supported") if isinstance(each, dict) else None
        if not isinstance(claim, str) or not isinstance(supported, bool):
            return None
        claims.append((claim, supported))
    return Found(float(sum(not holds for _, holds in claims)), str(held["evidence"]), tuple(claims))


_READERS: dict[str, Callable[[str], Found | None]] = {
    "refusal": _refusal,
    "answer": _scored,
    "support": _scored,
    "claims": _claims,
    "quality": _quality,
}


def _whole(text: str) -> dict[str, Any] | None:
    """Return an object with the texts that every decision but the refusal asks for."""
    held = object_of(text)
    return held if held and all(isinstance(held.get(name), str) for name in _PARTS) else None


def object_of(text: str) -> dict[str, Any] | None:
    """Return the one JSON object that a reply is, in a code fence or without."""
    code = _FENCED.match(text)
    try:
        held = json.loads(code[1] if code else text)
    except (ValueError, RecursionError):
        return None
    return held if isinstance(held, dict) else None
