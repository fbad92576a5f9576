"""Finds the gold evidence of a user's question: by its quote, else by its answer."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ragharness.language.sentences import sentences
from ragharness.language.tokens import words
from ragharness.passages import build_passages
from ragharness.placing import Placer
from ragharness.placing.naming import Names
from ragharness.records import Evidence, Passage

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ragharness.corpus import Corpus
    from ragharness.records import Document

ENOUGH = 0.5
"""Share of a question's words that the sentence with its answer must have, to be what was meant."""

_SHORTEST = 3


class Locator:
    """Finds places in one corpus; the texts are indexed at the first quote."""

    def __init__(self, corpus: Corpus) -> None:
        self.corpus = corpus
        self._names = Names(corpus)
        self._placer = Placer(corpus, build_passages(corpus.documents))

    def document(self, name: str) -> str:
        """Return the id of the document that a name means; empty: of none."""
        return self._names.find(name)

    def quoted(self, quote: str, document: str) -> Evidence | None:
        """Return where a quote stands, however it was wrapped; None: nowhere, or in several documents."""
        brought = Passage("", document, "", 0, 0, quote)
        placed = self._placer.place(brought)
        if placed.how != "text" or (document and placed.passage.document != document):
            return None
        return placed.passage.places[0]

    def stated(self, question: str, spellings: Sequence[str], document: str) -> Evidence | None:
        """Return the sentence with one spelling of the answer that shares most words with the question."""
        wanted = frozenset(word for word in words(question) if len(word) >= _SHORTEST) - _ASKING
        searches = [_search(each) for each in spellings if each]
        best: tuple[float, Evidence] | None = None
        for each in self._searched(document):
            if not any(search.search(each.text) for search in searches):
                continue
            named = wanted - frozenset(words(each.title))
            for start, end in sentences(each.text):
                sentence = each.text[start:end]
                if any(search.search(sentence) for search in searches):
                    asked = named or wanted
                    share = len(asked & frozenset(words(sentence))) / max(1, len(asked))
                    if share >= ENOUGH and (best is None or share > best[0]):
                        best = share, Evidence(each.id, start, end)
        return best[1] if best else None

    def _searched(self, document: str) -> Iterable[Document]:
        return [self.corpus.document(document)] if document else self.corpus.documents


_ASKING = frozenset(
    [
        "what",
        "when",
        "how",
        "many",
        "much",
        "which",
        "who",
        "where",
        "does",
        "did",
        "was",
        "were",
        "the",
        "according",
        "and",
        "for",
    ]
)


def _search(spelling: str) -> re.Pattern[str]:
    inner = r"\s+".join(map(re.escape, spelling.split()))
    return re.compile(rf"(?<![\w.,]){inner}(?![\w]|[.,]\d)", re.IGNORECASE)
