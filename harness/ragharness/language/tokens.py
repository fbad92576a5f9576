"""Words of a text: the one tokenizer that retrieval, evidence overlap and matching share."""

from __future__ import annotations

import unicodedata

from ragharness.language.tables import regex

_WORD = regex(r"\w+")


def words(text: str) -> list[str]:
    r"""Return the case-folded runs of word characters (``\w+``) of the NFKC-normalised text."""
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text)
    return _WORD.findall(text.casefold())
