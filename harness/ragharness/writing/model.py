"""One model in three roles, within a budget: writes questions, answers without or from other passages."""

from __future__ import annotations

from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from ragharness.errors import UnusableReply, UsageError
from ragharness.options import Options
from ragharness.pipelines import Context, load_pipeline, read_answer
from ragharness.spending import Spending
from ragharness.support.http import retried

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from ragharness.pipelines import Pipeline
    from ragharness.records import Passage, Usage


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


PROMPTS = Path(__file__).parent / "prompts"
ATTEMPTS = 5
"""Calls for one reply before it is given up."""


class Model:
    """Asks; what it cost so far is in ``budget``."""

    def __init__(
        self,
        settings: Mapping[str, str],
        cache: Path | None,
        *,
        offline: bool = False,
        max_cost: float | None = None,
    ) -> None:
        """Raises UsageError for settings that cannot be meant; ``max_cost``: US dollars."""
        self._settings = dict(settings)
        self._cache = cache
        self._offline = offline
        self._parts = {name: self._part(name) for name in ("write", "closed", "elsewhere")}
        self.budget = Budget(max_cost)

    def _part(self, name: str) -> Pipeline:
        given = {"structured": "off", **self._settings, "prompt": str(PROMPTS / f"{name}.txt")}
        options = Options(given, flag="--model-option", offline=self._offline)
        nothing = cast("Any", None)
        return load_pipeline("llm", Context(nothing, nothing, nothing, options, self._cache))

    @property
    def name(self) -> str:
        """The model."""
        return str(self._parts["write"].settings.get("model", ""))

    async def ask(self, part: str, question: str, passages: Sequence[Passage] = ()) -> str:
        """Return what the model says, from the cache where it was asked before; "" for an unusable reply.

        Raises BudgetUsedUp, AccessRefused, and TemporaryFailure when the service stays away.
        """
        pipeline = self._parts[part]
        kept = pipeline.recall(question, passages) if pipeline.recall else None
        if kept is not None:
            answer, _ = read_answer(kept)
            self.budget.earlier(answer.usage if answer else None)
            return answer.text if answer else ""
        return await retried(lambda: self._tried(pipeline, question, passages), ATTEMPTS)

    async def _tried(self, pipeline: Pipeline, question: str, passages: Sequence[Passage]) -> str:
        with self.budget.call() as charge:
            try:
                answer, _ = read_answer(await cast("Any", pipeline.call(question, passages)))
            except UnusableReply as unusable:
                if unusable.answer is not None:
                    charge(unusable.answer.usage)
                return ""
            charge(answer.usage if answer else None)
            return answer.text if answer else ""
