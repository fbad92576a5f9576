"""Whether the next call fits the budget: one rule for runs and for writing question sets."""

from __future__ import annotations

_ROUNDING = 1 + 1e-9
"""Ten times ten cents are a dollar, whatever binary fractions say."""


class Spending:
    """US dollars spent under a limit; not safe to be changed by two threads at once."""

    def __init__(self, most: float | None = None, spent: float = 0.0, priced: int = 0) -> None:
        """``most``: None means no limit; ``priced``: the calls that cost what is ``spent``."""
        self.most = most
        self.spent = spent
        self._priced = priced

    def add(self, cost: float) -> None:
        """Count a call that was paid for."""
        self.spent += cost
        self._priced += 1

    def allows(self, flying: int = 0) -> bool:
        """Say whether one more call may be bought while ``flying`` are under way."""
        if self.most is None:
            return True
        # Those under way and the next one are taken to cost the mean of those before.
        mean = self.spent / self._priced if self._priced else 0.0
        return self.spent < self.most and self.spent + (flying + 1) * mean <= self.most * _ROUNDING
