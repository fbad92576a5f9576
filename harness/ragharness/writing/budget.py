"""The budget for writing a question set, checked before every call."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragharness.errors import UsageError
from ragharness.spending import Spending

if TYPE_CHECKING:
    from ragharness.records import Usage


class BudgetUsedUp(Exception):
    """No further call may be bought."""


class Budget:
    """US dollars for one set, what earlier sessions paid for its answers included."""

    def __init__(self, most: float | None = None) -> None:
        """``most``: None means no limit."""
        self._spending = Spending(most)
        self.calls = 0
        """Calls of this session."""
        self._flying = 0

    @property
    def most(self) -> float | None:
        """The limit in US dollars; None: there is none."""
        return self._spending.most

    @property
    def spent(self) -> float:
        """US dollars so far."""
        return self._spending.spent

    def earlier(self, usage: Usage | None) -> None:
        """Count an answer that was paid for before."""
        if usage is not None and usage.cost is not None:
            self._spending.add(usage.cost)

    def take(self) -> None:
        """Ask for one call; raises BudgetUsedUp where it might cost more than is left."""
        if not self._spending.allows(self._flying):
            raise BudgetUsedUp
        self._flying += 1

    def give_back(self) -> None:
        """The call that was asked for came to nothing."""
        self._flying -= 1

    def charge(self, usage: Usage | None) -> None:
        """Count the call that was made; raises UsageError where a limit is set and its cost is not known."""
        self._flying -= 1
        self.calls += 1
        if usage is not None and usage.cost is not None:
            self._spending.add(usage.cost)
        elif self.most is not None:
            raise UsageError(
                "expected every answer to report its cost because of --max-cost, found one that does"
                " not: an unknown cost cannot be kept within a budget",
                help="drop --max-cost, or give a price table: --model-option prices=FILE (docs/llm.md)",
            )

    @property
    def told(self) -> str:
        """That it is used up, in words."""
        return f"--max-cost {self.most:g} is used up (${self.spent:.4g} spent)"
