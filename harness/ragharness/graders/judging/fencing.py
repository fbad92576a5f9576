"""Untrusted text as quoted lines: nothing in it can end the quotation or look like a turn of the model's.

Every line of it begins with ``MARK``, which no line of a prompt does. What a chat template might take for its
own (``<|im_start|>``, ``</s>``, ``[INST]``) is written with other signs, and characters that nobody sees
(of direction, of no width, of the tag block) are left out: a model would read what a person does not.
"""

from __future__ import annotations

import re
import unicodedata

MARK = "| "
EMPTY = "(empty)"

_SEEN = frozenset("\t")
_UNSEEN = frozenset(("Cc", "Cf", "Cn", "Co", "Cs"))
_TAG = re.compile(r"[<＜﹤](?=[^\s\d=])")
_TURN = re.compile(r"\[(/?[A-Z][A-Z_]{2,})\]")


def fenced(text: str) -> str:
    """Return a text as quoted lines."""
    lines = [_plain(line) for line in text.splitlines()]
    while lines and not lines[-1].strip():
        lines.pop()
    return "\n".join(MARK + line for line in lines) or MARK + EMPTY


def outside(prompt: str) -> str:
    """Return what a prompt says itself: its lines that are not quoted."""
    return "\n".join(line for line in prompt.split("\n") if not line.startswith(MARK.rstrip()))


def _plain(line: str) -> str:
    if not (line.isascii() and line.isprintable()):
        line = "".join(each for each in line if each in _SEEN or unicodedata.category(each) not in _UNSEEN)
    return _TURN.sub(r"(\1)", _TAG.sub("&lt;", line))
