"""One call of the pipeline in flight."""

from __future__ import annotations

import time
from datetime import datetime, timezone
from threading import Lock
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ragharness.records import Hit, Question


class Turn:
    """One attempt at a question: its worker or the clock settles it, never both."""

    def __init__(
        self, question: Question, epoch: int = 0, attempt: int = 1, handed: list[Hit] | None = None
    ) -> None:
        self.question = question
        self.epoch = epoch
        self.attempt = attempt
        """Which call of the pipeline for this question it is; 0: the answer was recalled without one."""
        self.handed = handed
        """What was retrieved for the pipeline before its first call; None: nothing yet."""
        self.watched = 0.0
        """Monotonic time since which the clock runs; 0.0: it does not, as when the rate is waited for."""
        self.began = 0.0
        """Monotonic time of the pipeline's call; 0.0: not called yet."""
        self.started = ""
        self.seconds = 0.0
        self.charged = False
        """Whether its cost is taken from the budget; until then it counts as under way."""
        self.task: Any = None
        """The asyncio task that answers it, if one does."""
        self.worker = 0
        """The thread that answers it, if one does."""
        self.problems: dict[str, None] = {}
        """What was wrong with what a retriever of the user's returned, in order, each sentence once."""
        self._hits: dict[str, Hit] = {}
        self._adding = Lock()
        self._settling = Lock()
        self.add(handed or ())

    def begin(self) -> None:
        """Start the clock: from here on the pipeline works."""
        self.stamp()
        self.began = self.watched = time.monotonic()

    def stamp(self) -> None:
        """Note when it was its turn."""
        self.started = datetime.now(timezone.utc).isoformat()

    def again(self) -> Turn:
        """Return the next attempt; what was handed over stays."""
        return Turn(self.question, self.epoch, self.attempt + 1, self.handed)

    def settle(self) -> bool:
        """Claim the right to decide what comes of it; True for the first caller only."""
        if not self._settling.acquire(blocking=False):
            return False
        self.seconds = time.monotonic() - self.began if self.began else 0.0
        return True

    @property
    def settled(self) -> bool:
        """Whether the pipeline's part is over."""
        return self._settling.locked()

    def add(self, hits: Sequence[Hit]) -> None:
        """Remember what was retrieved, in order, a passage once."""
        with self._adding:
            for hit in hits:
                self._hits.setdefault(hit.passage.id, hit)
            self.problems.update(dict.fromkeys(getattr(hits, "problems", ())))

    def retrieved(self) -> list[Hit]:
        """Return what was retrieved so far."""
        with self._adding:
            return list(self._hits.values())
