"""Terms of BM25: words cut to their first letters, so that inflected forms match.

Truncation is the plainest stemmer, needs no list of any language, and at five letters does as well as the
rule-based ones (McNamee and Mayfield, Information Retrieval 7, 2004). Words with a digit (years, amounts,
numbers of clauses) stay whole. Over the answerable questions that can be asked, evidence is among the best
five passages for 72 instead of 67 of 100 on ContractNLI's test split and for 85 instead of 83 on the sample.
"""

from __future__ import annotations

from ragharness.language.tokens import words

LETTERS = 5
"""Letters that are kept of a word."""


def terms(text: str) -> list[str]:
    """Return the terms of a text in order: its ``language.tokens.words``, those of letters alone cut."""
    return [word[:LETTERS] if word.isalpha() else word for word in words(text)]
