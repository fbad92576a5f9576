"""The recipe of every folder of the user's: figures, dates and short definitions of unknown documents.

A statement is worded as a question where the grammar of that is certain, else quoted with a gap; it is asked
about only where nothing else in its document says the same or might be meant instead. What wants a refusal
(``refusals.py``) is something that its document speaks of, and does not say.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragharness.questions.folder.recipe import candidates_about
from ragharness.questions.folder.statements import statements

if TYPE_CHECKING:
    from ragharness.corpus import Corpus
    from ragharness.records import Question

VERSION = 8
"""Raised whenever the candidates change; kept with every frozen set."""

NOTE = "Made from your own documents: the questions repeat words of theirs."

PER_QUESTION = 8
"""Statements looked at for one question of the set: enough to choose from, whatever the folder holds."""


def candidates(corpus: Corpus, size: int) -> list[Question]:
    """Return what can be asked for a set of ``size`` questions, in two wordings each."""
    return candidates_about(statements(corpus.documents, PER_QUESTION * size), corpus)
