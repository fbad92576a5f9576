"""``Attempt``: one attempt at a question."""

from __future__ import annotations

import time
from datetime import datetime, timezone
from threading import Lock
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ragharness.records import Hit, Question


class Attempt:
    """One attempt at a question, settled by its worker or by the time limit, never by both."""

    def __init__(
        self, question: Question, epoch: int = 0, number: int = 1, handed: list[Hit] | None = None
    ) -> None:
        self.question = question
        self.epoch = epoch
        self.number = number
        """The number of the attempt, from 1; 0: a cached answer."""
        self.handed = handed
        """What was retrieved for the pipeline before its first call; None: nothing yet."""
        self.watched = 0.0
        """Monotonic time when the time limit started; 0.0: not started."""
        self.began = 0.0
        """Monotonic time of the pipeline's call; 0.0: not called yet."""
        self.started = ""
        self.seconds = 0.0
        self.task: Any = None
        """Its call on the event loop, if the pipeline is asynchronous."""
        self.worker = 0
        """The thread that answers it, if one does."""
        self.problems: dict[str, None] = {}
        """What was wrong with what a retriever of the user's returned, in order, each sentence once."""
        self._hits: dict[str, Hit] = {}
        self._adding = Lock()
        self._settling = Lock()
        self.add(handed or ())

    def begin(self) -> None:
        """Start the time limit of the pipeline."""
        self.stamp()
        self.began = self.watched = time.monotonic()

    def stamp(self) -> None:
        """Record the start time."""
        self.started = datetime.now(timezone.utc).isoformat()

    def again(self) -> Attempt:
        """Return the next attempt, with the same retrieved passages."""
        return Attempt(self.question, self.epoch, self.number + 1, self.handed)

    def settle(self) -> bool:
        """Claim the right to settle the attempt; True for the first caller only."""
        if not self._settling.acquire(blocking=False):
            return False
        self.seconds = time.monotonic() - self.began if self.began else 0.0
        return True

    @property
    def settled(self) -> bool:
        """Whether the pipeline has finished."""
        return self._settling.locked()

    def add(self, hits: Sequence[Hit]) -> None:
        """Add retrieved passages in order, each one once."""
        with self._adding:
            for hit in hits:
                self._hits.setdefault(hit.passage.id, hit)
            self.problems.update(dict.fromkeys(getattr(hits, "problems", ())))

    def retrieved(self) -> list[Hit]:
        """Return what was retrieved so far."""
        with self._adding:
            return list(self._hits.values())
