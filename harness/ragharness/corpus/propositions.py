"""What a clause states about a proposition: by the reader of a corpus that knows it, else in general.

A corpus with its own kind of propositions has a ``propositions.py`` beside its parser. Its function
``read(clause, proposition)`` returns None for propositions of any other kind. These readers are used for
every yes/no question, whichever corpus it is about.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Protocol, cast

from ragharness.language.polarity import Statement, read_statement
from ragharness.support import resources


class Reader(Protocol):
    """Reader of clauses about the propositions of one corpus."""

    def __call__(self, clause: str, proposition: str) -> Statement | None:
        """What a clause states of a proposition; None for a proposition of another kind."""


def read(clause: str, proposition: str) -> Statement:
    """What a clause states of a proposition, by the first reader that knows such propositions."""
    for reader in _readers():
        stated = reader(clause, proposition)
        if stated is not None:
            return stated
    return read_statement(clause, proposition)


@lru_cache(maxsize=1)
def _readers() -> tuple[Reader, ...]:
    """Readers of the corpora, loaded when the first yes/no question is read."""
    files = sorted((resources.root() / "corpora").glob("*/propositions.py"))
    return tuple(cast("Reader", resources.load_module(file).read) for file in files)
