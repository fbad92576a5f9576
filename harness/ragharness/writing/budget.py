"""The budget for writing a question set, checked before every call."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from ragharness.errors import UsageError
from ragharness.support.calls import Spending

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ragharness.records import Usage


class BudgetUsedUp(Exception):
    """No further call may be bought."""


class Budget(Spending):
    """US dollars for one set, what earlier sessions paid for its answers included."""

    calls = 0
    """Calls of this session that came to something."""
    _flying = 0

    def earlier(self, usage: Usage | None) -> None:
        """Count an answer that was paid for before."""
        if usage is not None and usage.cost is not None:
            self.add(usage.cost)

    @contextmanager
    def call(self) -> Iterator[Callable[[Usage | None], None]]:
        """Make one call, and be given what charges it; raises BudgetUsedUp where it might cost too much."""
        if not self.allows(self._flying):
            raise BudgetUsedUp
        self._flying += 1
        try:
            yield self._charge
        finally:
            self._flying -= 1

    def _charge(self, usage: Usage | None) -> None:
        """Count the call that was made; raises UsageError where a limit is set and its cost is not known."""
        self.calls += 1
        self.earlier(usage)
        if self.most is not None and (usage is None or usage.cost is None):
            raise UsageError(
                "expected every answer to report its cost because of --max-cost, found one that does"
                " not: an unknown cost cannot be kept within a budget",
                help="drop --max-cost, or give a price table: --model-option prices=FILE (docs/llm.md)",
            )

    @property
    def told(self) -> str:
        """That it is used up, in words."""
        return f"--max-cost {self.most:g} is used up (${self.spent:.4g} spent)"
