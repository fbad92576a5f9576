"""Reads what a clause states about a proposition: by the readers of the corpora, else the general one.

A corpus whose propositions are of a kind of their own has a ``propositions.py`` beside its parser, whose
``read(clause, proposition)`` returns None for a proposition that it does not know.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Protocol, cast

from ragharness.language.polarity import Statement, read_statement
from ragharness.support import resources


class Reader(Protocol):
    """Reads clauses on the propositions of one corpus."""

    def __call__(self, clause: str, proposition: str) -> Statement | None:
        """Return what a clause states of a proposition; None: the proposition is not of this kind."""


def read(clause: str, proposition: str) -> Statement:
    """Return what a clause states of a proposition, by the first reader that knows such propositions."""
    for reader in _readers():
        stated = reader(clause, proposition)
        if stated is not None:
            return stated
    return read_statement(clause, proposition)


@lru_cache(maxsize=1)
def _readers() -> tuple[Reader, ...]:
    """The readers on the shelf; loaded when the first yes/no question is read."""
    files = sorted((resources.root() / "corpora").glob("*/propositions.py"))
    return tuple(cast("Reader", resources.load_module(file).read) for file in files)
