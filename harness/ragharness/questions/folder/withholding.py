"""Whether the answer of a statement is gone once its passage, or its document, is withheld."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from ragharness.passages import build_passages, withhold
from ragharness.questions.folder.content_words import content_words

if TYPE_CHECKING:
    from ragharness.corpus import Corpus
    from ragharness.passages import PassageSet
    from ragharness.questions.folder.statements import Statement
    from ragharness.records import Document, Passage

_OF_NAMES = frozenset({"version", "requirement", "row"})
"""Forms that ask for a property of a name: what names it may tell the property, in a heading or a list."""

_NEAR = 0.5
"""Share of a question's content words from which another document's passage with the answer tells it."""


class Withholding:
    """Looks through a folder for what would still tell an answer; letters and digits alone are compared."""

    def __init__(self, corpus: Corpus) -> None:
        self._letters = {each.id: _letters(each.text) for each in corpus.documents}
        self._documents = {each.id: each for each in corpus.documents}

    def of_document(self, statement: Statement) -> bool:
        """Whether no other document tells it: of what a name has, none that holds the name."""
        if statement.form.split(" ")[0] not in {*_OF_NAMES, "organised"}:
            return True
        key = _letters(_name(statement))
        return not any(key in text for name, text in self._letters.items() if name != statement.document.id)

    def of_clause(self, statement: Statement) -> bool:
        """Whether neither another document nor the rest of its own tells it.

        The rest must lack a content word of the question, or the name that is asked for.
        """
        if not self.of_document(statement):
            return False
        left = withhold(_set_of(statement.document), (), statement.evidence).passages
        wanted = content_words(statement.asked.about)
        if statement.asked.kind != "text":
            return all(len(wanted & _content(each)) < len(wanted) for each in left)
        key = _letters(_name(statement))
        if statement.form == "default" and len(statement.asked.answer) > _LONGEST_FLAG:
            value = _letters(statement.asked.answer)
            return not any(key in text and value in text for text in map(_letters_of, left))
        if any(key in _letters_of(each) for each in left):
            return False
        others = (name for name, text in self._letters.items() if key in text)
        return not any(
            key in _letters_of(each) and len(wanted & _content(each)) >= _NEAR * len(wanted)
            for name in others
            if name != statement.document.id
            for each in _set_of(self._documents[name]).passages
        )


_LONGEST_FLAG = 5
"""Letters of "False": whether a flag is set is told by much."""


def _name(statement: Statement) -> str:
    """Return the name that tells an answer: the answer itself, or what it is a property of."""
    if statement.form.split(" ")[0] in {*_OF_NAMES, "default", "organised"}:
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
