"""Whether the answer of a statement is gone once its passage, or its document, is withheld."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from ragharness.language.dates import find_dates
from ragharness.language.units import is_duration
from ragharness.passages import build_passages, withhold
from ragharness.questions.asking.dates import iso
from ragharness.questions.folder.facts import content_words
from ragharness.questions.folder.rows import AMOUNT
from ragharness.questions.folder.sentence_index import SHARED, amounts

if TYPE_CHECKING:
    from ragharness.corpus import Corpus
    from ragharness.passages import PassageSet
    from ragharness.questions.folder.statements import Statement
    from ragharness.records import Document, Passage

_PROPERTIES: dict[str, tuple[str, ...]] = {
    "default": ("default", "enabl", "disabl"),
    "version": ("version", "added", "introduc"),
    "release": (),
    "requirement": (),
    AMOUNT: (),
}
"""Forms that ask for a property of a name, with the words that tell it beside the name, as its value does."""

_OF_NAMES = frozenset({*_PROPERTIES, "organised", "row"})

_IN_WORDS = frozenset({"gap", "subject", "change"})
"""Forms that ask for a name by what is said of it: elsewhere it tells nothing beside other words."""


class Withholding:
    """Looks through a folder for what would still tell an answer; letters and digits alone are compared."""

    def __init__(self, corpus: Corpus) -> None:
        self._letters = {each.id: _letters(each.text) for each in corpus.documents}
        self._corpus = corpus

    def of_document(self, statement: Statement) -> bool:
        """Whether no other document tells what a name, or its property, is."""
        if statement.form.split(" ")[0] not in _OF_NAMES | _IN_WORDS:
            return True
        wanted = _letters(_name(statement)), _letters(_value(statement))
        return not any(
            _tells(each, statement)
            for name, text in self._letters.items()
            if name != statement.document.id and any(each in text for each in wanted)
            for each in _set_of(self._corpus.document(name)).passages
        )

    def of_clause(self, statement: Statement) -> bool:
        """Whether neither another document nor the rest of its own tells it.

        The rest must lack a content word of the question, and the same period of time, or the name.
        """
        if not self.of_document(statement):
            return False
        left = withhold(_set_of(statement.document), (), statement.evidence).passages
        asked, wanted = statement.asked, content_words(statement.asked.about)
        if statement.form.split(" ")[0] in _PROPERTIES:
            return not any(_tells(each, statement) for each in left)
        if asked.kind != "text":
            periods = left if is_duration(asked.unit) else ()
            again = any(asked.answer in amounts(asked, each.text) for each in periods)
            return not again and all(len(wanted & _content(each)) < len(wanted) for each in left)
        key = _letters(_name(statement))
        return not any(key in _letters_of(each) for each in left)


def _tells(passage: Passage, statement: Statement) -> bool:
    """Whether a passage lets one know an answer: by its value, or by its name beside words of the question."""
    form, text, key = statement.form.split(" ")[0], _letters_of(passage), _letters(_name(statement))
    if form == "release":
        told = re.search(rf"(?<![\d.]){statement.turns_on}(?!\.?\d)", passage.text)
        near = statement.asked.answer[: len("2024-03")]
        return told is not None and any(
            iso(each).startswith(near) for each in find_dates(passage.text) if each.year
        )
    if form in _PROPERTIES:
        value = _letters(_value(statement))
        alone = form == "default" and len(value) > _LONGEST_FLAG
        # A list of changes names what came ("Add jitter"), and the version far above it.
        words_for = (value, *_PROPERTIES[form], *([f"add{key}"] if form == "version" else ()))
        named = key in text and any(each in text for each in words_for)
        return named or (alone and value in text and form in text)
    beside = content_words(statement.asked.about) & _content(passage)
    return key in text and (form not in _IN_WORDS or len(beside) >= SHARED)


def _value(statement: Statement) -> str:
    """Return what a passage that tells an answer has: of a dotted name its last part."""
    is_value = statement.form.split(" ")[0] in _PROPERTIES
    return re.sub(r".*\.(?=[A-Za-z])", "", statement.asked.answer) if is_value else _name(statement)


_LONGEST_FLAG = 5
"""Letters of "False": a longer value is known by itself."""


def _name(statement: Statement) -> str:
    """Return the name that tells an answer: the answer itself, or what it is a property of."""
    if statement.form.split(" ")[0] in _OF_NAMES:
        return re.sub(r"\\(.)", r"\1", statement.turns_on)
    return statement.asked.answer.rsplit(".", 1)[-1] if statement.form != "change" else statement.asked.answer


def _letters(text: str) -> str:
    return re.sub(r"[\W_]+", "", text.lower())


@lru_cache(maxsize=256)
def _set_of(document: Document) -> PassageSet:
    return build_passages([document])


@lru_cache(maxsize=8192)
def _letters_of(passage: Passage) -> str:
    return _letters(passage.text)


@lru_cache(maxsize=8192)
def _content(passage: Passage) -> frozenset[str]:
    return content_words(passage.text)
