"""Which document of a corpus a question names, for the reference generator that reads only that one."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from ragharness.language.tokens import words
from ragharness.pipelines._proposition import CODE, names_in

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ragharness.corpus import Corpus
    from ragharness.records import Passage

NAMED = 0.5
"""The share of a title that a question must hold to name the document; a word of n titles weighs 1/n."""


class Titles:
    """The titles of a corpus."""

    def __init__(self, corpus: Corpus) -> None:
        self._words = {document.title: frozenset(words(document.title)) for document in corpus.documents}
        self._common = Counter(word for title in self._words.values() for word in title)

    def named(self, question: str, passages: Sequence[Passage]) -> str:
        """Return the title that the question names, though none of its passages may be here; "" for none."""
        asked = frozenset(words(question))
        titles = self._words | {each.title: frozenset(words(each.title)) for each in passages}
        numbers = {word for word in names_in(question) if self._common[word] == 1 and CODE.fullmatch(word)}
        shares = {title: 1.0 if numbers & own else self._share(own, asked) for title, own in titles.items()}
        said = question.casefold()
        title = max(shares, key=lambda each: (shares[each], each.casefold() in said), default="")
        # Where the question is vague about the name, the first passage must be of the same document.
        least = NAMED / 2 if passages and passages[0].title == title else NAMED
        return title if shares.get(title, 0.0) >= least else ""

    def _share(self, title: frozenset[str], asked: frozenset[str]) -> float:
        weights = {word: 1 / (self._common[word] or 1) for word in title}
        return sum(weights[word] for word in title & asked) / (sum(weights.values()) or 1)
