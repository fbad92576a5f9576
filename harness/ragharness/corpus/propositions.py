"""What a clause states about a proposition: by the reader of a corpus that knows it, else in general.

A corpus with its own kind of propositions has a ``propositions.py`` beside its parser. Its function
``read(clause, proposition)`` returns None for propositions of any other kind. These readers are used for
every yes/no question, whichever corpus it is about.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

from ragharness.language.polarity import Statement, read_statement
from ragharness.support import resources


def read(clause: str, proposition: str) -> Statement:
    """What a clause states of a proposition, by the first reader that knows such propositions."""
    for read_known in _readers():
        if (statement := read_known(clause, proposition)) is not None:
            return statement
    return read_statement(clause, proposition)


@lru_cache(maxsize=1)
def _readers() -> list[Callable[[str, str], Statement | None]]:
    """Readers of the corpora, loaded when the first yes/no question is read."""
    files = sorted((resources.root() / "corpora").glob("*/propositions.py"))
    return [resources.load_module(file).read for file in files]
