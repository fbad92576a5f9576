"""What every grader is, and what may be asked of one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ragharness.records import Answer, Passage, Question, Reading


class Grader(Protocol):
    """What reads an answer; deciding the bucket is the same for all (``ragharness.buckets``).

    One that has a true ``waits`` is read from several threads at once. One that has ``read_axis`` can give an
    axis to what another one read, and one that has ``cost_lines`` says what its calls took.
    """

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


def waits(grader: Grader) -> bool:
    """Whether a grader waits for others, so that several answers are read at once."""
    return bool(getattr(grader, "waits", False))


def cost_lines(grader: Grader) -> list[str]:
    """Return what the calls of a grader took so far; empty: it makes none."""
    told = getattr(grader, "cost_lines", None)
    return list(told()) if told else []
