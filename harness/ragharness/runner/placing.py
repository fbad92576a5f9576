"""Passages that pipelines bring: believed only as far as the corpus says the same at the place they name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragharness.records import Passage

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ragharness.corpus import Corpus
    from ragharness.passages import PassageSet


def place(brought: Iterable[Passage], corpus: Corpus, ours: PassageSet) -> tuple[list[Passage], list[str]]:
    """Return the passages as grading may use them, and the ids of those that the corpus does not hold.

    A known id means our passage of that id; a passage of other boundaries must quote its document; anything
    else keeps its text and loses its place, so that it can be cited and supports nothing.
    """
    placed, foreign = [], []
    for passage in brought:
        known = ours.by_id.get(passage.id)
        if known is None and not _is_quoted(passage, corpus):
            foreign.append(passage.id)
            known = Passage(passage.id, "", passage.title, 0, 0, passage.text)
        placed.append(known or passage)
    return placed, foreign


def _is_quoted(passage: Passage, corpus: Corpus) -> bool:
    text = next((each.text for each in corpus.documents if each.id == passage.document), "")
    return bool(passage.text) and text[passage.start : passage.end] == passage.text
