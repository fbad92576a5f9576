"""What is left to ask of a run, and the most that it will cost."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ragharness.download import cache_folder
from ragharness.runner.attempt import Attempt
from ragharness.runner.context import load_context
from ragharness.store import find_finished, find_unfinished

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ragharness.config import RunConfig
    from ragharness.runner.context import RunContext


class Plan(NamedTuple):
    """Calls that a run will make, failed ones not repeated."""

    calls: int
    cost: float | None
    """US dollars at most; None: what a call costs is not known."""


def plan(config: RunConfig, on_progress: Callable[..., None] | None = None) -> Plan:
    """Return what is left of the run with these options; answers that are kept between runs cost nothing.

    Raises RagharnessError where the run could not begin.
    """
    context = load_context(config, on_progress, cache_folder())
    settings, again = context.settings, config.retry_errors
    folder = find_unfinished(settings, again=again) or find_finished(settings)
    done = set() if folder is None else folder.kept() - (folder.failed() if again else set())
    left = [
        (question, epoch)
        for question in context.questions.questions
        for epoch in range(settings.epochs)
        if (question.id, epoch) not in done
    ]
    costs = [cost for question, epoch in left for cost in _costs(context, Attempt(question, epoch))]
    known = [each for each in costs if each is not None]
    return Plan(len(costs), sum(known) if len(known) == len(costs) else None)


def _costs(context: RunContext, attempt: Attempt) -> Iterator[float | None]:
    """Yield the most that a call costs, None where nobody knows; nothing for an answer that is kept."""
    runner = context.runner
    if runner.pipeline.estimate is None:
        yield None
        return
    try:
        if runner.recall(attempt) is not None:
            return
    except Exception:  # noqa: BLE001 (a retriever of the user's fails when it is asked, not here)
        yield None
        return
    passages = [hit.passage for hit in attempt.handed or ()]
    yield runner.pipeline.estimate(attempt.question.text, passages).cost
