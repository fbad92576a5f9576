"""``Fact``: what a document states that is asked for by a name; names and content words of texts."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from ragharness.language.words import words
from ragquestions.wording.statement import Asked, points_elsewhere

FIGURE = re.compile(r"\d[\d,.]*\d|\d")
_SHORTEST = 4
"""Shortest content word, in letters."""

_DULL = frozenset(
    "what when many much percentage does were have been that this with from during into than under amount fiscal year total million billion percent".split()  # noqa: SIM905
)
_STATED = re.compile(
    r"\d|\b(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|\w+teen|\w+ty|hundred|percent)\b",
    re.IGNORECASE,
)


def states_figure(sentence: str) -> bool:
    """Whether a sentence has a figure in it, in digits or in words."""
    return _STATED.search(sentence) is not None


def content_words(text: str) -> frozenset[str]:
    """Return the content words of a text in the singular."""
    return frozenset(
        word.removesuffix("s") for word in words(text) if len(word) >= _SHORTEST and word not in _DULL
    )


class Fact(NamedTuple):
    """A question that a place of a document answers."""

    asked: Asked
    start: int
    end: int
    form: str
    """What sort of question it is: only another of its sort is taken for it."""
    turns_on: str = ""
    """The name without which a document says nothing of it."""
    marks: tuple[str, ...] = ()
    """Words that say the same where they stand together, in lower case; empty: content words are compared."""


AGREEMENT_FORMS = frozenset({"law", "dated", "organised"})
"""Forms that only contracts have."""

NOTE = re.compile(r"^[|^\[]|https?:|\bet al\b|\bibid\b", re.IGNORECASE)
"""A footnote or a row of a table: what it names is not what its document is about."""
LETTERS = "letters"
"""The form of abbreviations."""

NAME = (
    r"(?:--[a-z][\w-]*[a-z0-9]|[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+|[a-z]+(?:_[a-z0-9]+)+(?:\(\))?|[a-z]\w+\(\)"
    r"|[A-Z]?[a-zA-Z_]\w+(?:\.[a-zA-Z_]\w+)+(?:\(\))?|[A-Z][a-z0-9]+(?:[A-Z][a-z0-9]+)+(?:\(\))?)"
)
"""A name that only a program has: an option, a setting, a function, a class, a module."""

VERSION = r"\d{1,4}(?:\.\d{1,4}){1,3}(?:\.?(?:a|b|rc|post|dev)\d{1,3})?"

_LINE = re.compile(r"[^\n]+")
_NAMED = re.compile(NAME)
_SIGNATURE = re.compile(
    rf"(?:class |async |def |@)?(?P<name>{NAME}|[a-z]\w+(?=\())(?P<call>\((?:[^()]|\([^()]*\))*\))?"
)
_FILE = re.compile(
    r"\.(?:py|com|org|net|io|html?|txt|md|rst|cfg|toml|ini|json|ya?ml|e\.g|i\.e)\b", re.IGNORECASE
)


class Line(NamedTuple):
    """A line of a text, and the name that it consists of, if any."""

    text: str
    start: int
    end: int
    name: str = ""
    """As it is written, a function with its parentheses; empty: the line is no heading of a name."""
    calls: bool = False


def lines_of(text: str) -> Iterator[Line]:
    """Yield the lines of a text that are not blank."""
    for found in _LINE.finditer(text):
        said = found[0].strip()
        if said:
            start = found.start() + found[0].index(said)
            heading = _SIGNATURE.fullmatch(said) if len(said) < _LONGEST_HEADING else None
            heading = None if _EXAMPLE.search(said) else heading
            name = heading["name"] if heading and not _FILE.search(heading["name"]) else ""
            calls = bool(heading and (heading["call"] or heading["name"].endswith("()")))
            yield Line(said, start, start + len(said), name.removesuffix("()"), calls)


_LONGEST_HEADING = 160
_EXAMPLE = re.compile(r"\(\s|\([\"']")
"""What calls a function, and does not define it."""


def is_name(words: str) -> bool:
    """Whether words are one name of a program, and not that of a file or a site."""
    return _NAMED.fullmatch(words) is not None and not _FILE.search(words)


_LEANING = re.compile(
    r"\b(?:you|your|we|our|us|it|its|they|them|their|this|these|those|he|she|his|her|such|above|below|following|same|here|"
    r"former|latter|respectively|therefore|however|otherwise|instead|see|e\.g|i\.e|etc|example|now|also|too|again|then|so|another|other|others|both|either)\b"
    r"|\bthe (?:first|second|third|last|next|previous|new|given|specified|resulting|corresponding|current|above|block|note|section|code|snippet|tutorial|page)\b|n['’]t\b",
    re.IGNORECASE,
)
_THAT = re.compile(
    r"\bthat (?:function|method|class|file|object|value|name|option|setting|way|case|study|survey|review|program|one)\b"
)
_UNPAIRED = re.compile(r"[()\[\]{}\"“”<>|\\`*=;:]|--\s|\s[-–—]\s|—|\.\.|https?|\?")
_DANGLING = re.compile(
    r"\b(?:a|an|the|of|in|on|for|to|by|with|from|at|as|and|or|is|are|be|via|using|like|into|if|when|that|which)$"
)
_TWICE = re.compile(r"\b(\w+) \1\b", re.IGNORECASE)


def stands_alone(words: str) -> bool:
    """Whether words say what they mean without the text around them, and are plain running text."""
    return not (
        _LEANING.search(words)
        or _THAT.search(words)
        or _UNPAIRED.search(words)
        or _DANGLING.search(words)
        or _TWICE.search(words)
        or points_elsewhere(words)
    )
