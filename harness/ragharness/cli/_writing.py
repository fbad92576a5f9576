"""``ragharness questions build --model``: prints the cost, writes the set, reports what was rejected."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from ragharness.cli._console import print_lines
from ragharness.console import Live

if TYPE_CHECKING:
    from ragharness.corpus import Corpus
    from ragharness.questions import QuestionSet
    from ragharness.writing import Plan


def write_set(
    corpus: Corpus,
    model: str,
    base_url: str,
    options: tuple[str, ...],
    size: int,
    seed: int,
    *,
    dry_run: bool,
    max_cost: float | None = None,
    offline: bool = False,
) -> QuestionSet | None:
    """Return the set that a model wrote; None after saying what it would cost."""
    from ragharness.cli._command import resume_command
    from ragharness.download import cache_folder, is_offline
    from ragharness.errors import QuestionsNotUsable, UsageError
    from ragharness.options import Options
    from ragharness.writing import plan, write_questions
    from ragharness.writing.model import Model

    if not corpus.folder:
        raise UsageError(
            f"expected a folder of your own documents for --model, found the corpus {corpus.id}",
            help=f"ragharness questions build --corpus {corpus.id} builds its set without a model",
        )
    if max_cost is not None and not 0 < max_cost < math.inf:
        raise UsageError(f"expected --max-cost above 0, found {max_cost:g}")
    given = Options.parse(options, flag="--model-option").starting("")
    settings = {**given, "model": model, **({"base-url": base_url} if base_url else {})}
    live = Live()
    live.say(cost_line(plan(corpus, size, seed), model, settings))
    if dry_run:
        return None
    writer = Model(settings, cache_folder() / "answers", offline=offline or is_offline(), max_cost=max_cost)
    try:
        outcome = write_questions(corpus, writer, size, seed, live.fetching)
    except QuestionsNotUsable as error:
        if "--max-cost" in str(error):
            raise QuestionsNotUsable(
                f"{error}; paid answers are kept", help=resume_command(raised=True)
            ) from error
        raise
    finally:
        live.clear()
    budget = writer.budget
    live.say(
        f"{outcome.believed} of {outcome.written} verified; {budget.calls} calls"
        + (f", {budget.spent:.4f} USD in total, earlier calls included" if budget.spent else "")
    )
    if outcome.stopped:
        live.say(
            f"stopped: {outcome.stopped}; paid answers are kept\ncontinue with: {resume_command(raised=True)}"
        )
    print_lines(
        [f"not believed: {reason}: {question}" for _, question, reason in outcome.rejected if question][:10]
    )
    return outcome.questions


def cost_line(wanted: Plan, model: str, settings: dict[str, str]) -> str:
    """Return in words how many calls are needed and what they cost by the price table."""
    from ragharness.pipelines.llm import list_price

    price = list_price(model, settings.get("base-url", ""), settings.get("prices", ""))
    told = "cost unknown: no price is listed for this model"
    if price is not None:
        dollars = (wanted.prompt_tokens * price.input + wanted.completion_tokens * price.output) / 1_000_000
        told = f"about {dollars:.2f} USD (price of {price.seen})"
    return (
        f"{model}: up to {wanted.calls} calls about {len(wanted.passages)} passages, about"
        f" {wanted.prompt_tokens} tokens in and {wanted.completion_tokens} out, {told}"
    )
