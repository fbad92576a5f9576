"""Displayed values to their meaning: the Inline XBRL transformations that filings use.

Names and meanings are those of the Transformation Rules Registry of XBRL International (versions 1 to 5) and
of the SEC's own registry; versions differ in spelling only.
"""

from __future__ import annotations

import re
from decimal import Decimal, InvalidOperation

from ragharness.language.numerals import read_words

_LONGEST = 60
"""Characters above which no text is a number."""

_GROUPS = re.compile(r"[\s,\u00a0'`\u2019]")
_PLAIN = re.compile(r"[0-9]+(?:\.[0-9]*)?|\.[0-9]+")
_ZERO = frozenset({"fixedzero", "zerodash", "numdash"})
_COMMA = frozenset({"numcommadecimal", "numcommadecimalapos", "numcomma", "numdotcomma", "numspacecomma"})
"""Rules by which the comma stands before the fraction; the names of version 1 give groups, then fraction."""
_WORDS = frozenset({"numwordsen"})
_ORDER = 30
"""Powers of ten above which a scale is a mistake."""

_DIGITS = 21
"""Digits above which a value is one; the world's money has 15 before the point."""


def amount(text: str, format_name: str, scale: str, sign: str) -> Decimal | None:
    """Return the value of a displayed number: text x 10^scale with its sign; None where it cannot be read."""
    shown = displayed(text, format_name)
    if shown is None:
        return None
    try:
        power = int(scale or 0)
    except ValueError:
        return None
    if abs(power) > _ORDER or len(shown.as_tuple().digits) > _DIGITS:
        return None
    value = shown.scaleb(power)
    if value and value.adjusted() >= _DIGITS:
        return None
    return -value if sign == "-" and value else value


def displayed(text: str, format_name: str) -> Decimal | None:
    """Return the number that a text shows under a rule ("ixt:num-dot-decimal"), before its scale."""
    rule = format_name.rpartition(":")[2].replace("-", "").casefold()
    if rule in _ZERO:
        return Decimal(0)
    text = text.strip()
    if not text or len(text) > _LONGEST:
        return None
    if rule in _WORDS:
        return _in_words(text)
    if rule in _COMMA:
        text = text.replace(".", "").replace(",", ".")
    bare = _GROUPS.sub("", text)
    try:
        return Decimal(bare) if _PLAIN.fullmatch(bare) else None
    except InvalidOperation:
        return None


def _in_words(text: str) -> Decimal | None:
    if text.casefold() in {"no", "none", "nil", "zero"}:
        return Decimal(0)
    found = read_words(text, 0)
    return found[1] if found is not None and found[0] == len(text) else displayed(text, "")
