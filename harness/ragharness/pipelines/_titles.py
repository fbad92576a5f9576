"""Which document of a corpus a question names, for the reference generator that reads only that one."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import numpy as np

from ragharness.language.tokens import words
from ragharness.language.words import content, generic_concepts
from ragharness.pipelines._proposition import CODE, names_in

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ragharness.corpus import Corpus
    from ragharness.records import Passage

NAMED = 0.5
"""The share of a title that a question must hold to name the document; a word of n titles weighs 1/n."""


OPENING = 45
"""Words at the beginning of a document that name it: a cover, the parties of a contract."""

PAGE = 300
"""Words of a document's first page, which says in full what its title abbreviates."""

_BITS = 1e-9
"""More than sums in another order differ by."""


class Titles:
    """The titles of a corpus."""

    def __init__(self, corpus: Corpus) -> None:
        self._corpus = corpus
        self._words = {document.title: naming_words(document.title) for document in corpus.documents}
        self._common = Counter(word for title in self._words.values() for word in title)
        self._titles = list(self._words)
        holders: dict[str, list[int]] = {}
        for row, own in enumerate(self._words.values()):
            for word in own:
                holders.setdefault(word, []).append(row)
        self._holders = {word: np.array(rows) for word, rows in holders.items()}
        self._whole = np.array([self._held(own) or 1 for own in self._words.values()])

    def named(self, question: str, passages: Sequence[Passage]) -> frozenset[str]:
        """Return the titles that the question may mean: the one that it names, or those nearest to that."""
        asked = naming_words(question)
        numbers = {word for word in names_in(question) if self._common[word] == 1 and CODE.fullmatch(word)}
        titles = {each: self._words[each] for each in self._nearest(asked, numbers)}
        titles |= {each.title: naming_words(each.title) for each in passages}
        shares = {title: 1.0 if numbers & own else self._share(own, asked) for title, own in titles.items()}
        best = max(shares.values(), default=0.0)
        if best >= NAMED:
            named = frozenset(title for title, share in shares.items() if share == best)
            said = question.casefold()
            return frozenset(title for title in named if title.casefold() in said) or named
        # Where the question is vague about the name: those of the passages that have most of its words.
        held = {
            each.title: self._held((titles[each.title] | naming_words(self._first(each, OPENING))) & asked)
            for each in passages
        }
        return frozenset(each for each, score in held.items() if score == max(held.values()))

    def fits(self, names: frozenset[str], passage: Passage) -> bool:
        """Return whether the title or the first page of a document holds the names by which it is called."""
        left = names.difference(words(passage.title)) if names else names
        return not left or left <= frozenset(
            words(f"{self._first(passage, PAGE)} {passage.heading} {passage.text}")
        )

    def _first(self, passage: Passage, count: int) -> str:
        """Return the first words of a passage's document."""
        text = self._corpus.document(passage.document).text[: count * 20]
        return " ".join(text.split()[:count])

    def _nearest(self, asked: frozenset[str], numbers: set[str]) -> set[str]:
        """Return the titles with the largest share, to the last bits, and those with one of the numbers."""
        shares = np.zeros(len(self._titles))
        for word in asked & self._holders.keys():
            shares[self._holders[word]] += 1 / self._common[word]
        shares /= self._whole
        near = shares >= max(NAMED, shares.max(initial=0.0)) - _BITS
        rows = near.nonzero()[0].tolist()
        return {self._titles[row] for row in (*rows, *(int(self._holders[each][0]) for each in numbers))}

    def _held(self, words_held: frozenset[str]) -> float:
        return sum(1 / (self._common[word] or 1) for word in sorted(words_held))

    def _share(self, title: frozenset[str], asked: frozenset[str]) -> float:
        return self._held(title & asked) / (self._held(title) or 1)


def naming_words(text: str) -> frozenset[str]:
    """Return the words of a text without those that any document goes by: "the company" names none."""
    return frozenset(word for word in words(text) if not generic_concepts().issuperset(content(word)))
