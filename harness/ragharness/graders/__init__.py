"""Graders: each reads an answer into primitives; found by the name of its file."""

from __future__ import annotations

import pkgutil
from importlib import import_module
from typing import TYPE_CHECKING, Protocol, cast

from ragharness.errors import UnknownName

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ragharness.records import Answer, Passage, Question, Reading


class Grader(Protocol):
    """What reads an answer; deciding the bucket is the same for all (``ragharness.buckets``)."""

    @property
    def name(self) -> str:
        """The name under which it is chosen and recorded."""

    @property
    def version(self) -> str:
        """Changes whenever the same answer could be read differently."""

    def read(
        self, question: Question, answer: Answer, retrieved: Sequence[Passage], supporting: frozenset[str]
    ) -> Reading:
        """Return the primitives of an answer; ``supporting``: ids of the passages that hold gold evidence."""


def grader_names() -> list[str]:
    """Return the names of all graders: the modules beside this one."""
    return sorted(found.name for found in pkgutil.iter_modules(__path__) if not found.ispkg)


def load_grader(name: str = "rules", false_correct: float | None = None) -> Grader:
    """Return a grader by name, at another operating point where one is asked for.

    ``false_correct`` is the share of its *correct* verdicts that may be false. Raises ``UnknownName`` with
    the nearest names, ``UsageError`` for a rate that the grader has no threshold for.
    """
    if name not in grader_names():
        raise UnknownName("grader", name, grader_names())
    built = import_module(f"{__name__}.{name}")
    return cast(
        "Grader", built.build() if false_correct is None else built.build(false_correct=false_correct)
    )
