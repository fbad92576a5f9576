"""One model in three roles, within a budget: writes questions, answers without or from other passages."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple, cast

from ragharness.corpus.alignment import fold
from ragharness.errors import UnusableReply, UsageError
from ragharness.language.words import words
from ragharness.pipelines import Context, Pipeline, load_pipeline, read_answer
from ragharness.questions.values import kind_of, read_answers
from ragharness.records import Passage, Usage
from ragharness.support.concurrency import Spending
from ragharness.support.http import retry
from ragharness.support.options import Options
from ragquestions.wording.statement import Asked


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
        return await retry(lambda: self._tried(pipeline, question, passages), ATTEMPTS)

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


LONGEST_ANSWER = 8
"""Words of an answer that rules can compare."""

_LONGEST_QUESTION = 60
_SHORTEST_QUOTE = 15
"""Letters and digits."""

_POINTS = re.compile(
    r"\b(?:passages?|excerpts?|the text|above|below|the following"
    r"|this (?:document|report|section|table|year))\b",
    re.IGNORECASE,
)
_OBJECT = re.compile(r"\{.*\}", re.DOTALL)


class Written(NamedTuple):
    """A question as the model wrote it, its answer as it is compared, and the quote that states it."""

    asked: Asked
    quote: str


def read_written(reply: str, passage: Passage) -> Written | str:
    """Return the question of a reply, or the reason why it cannot be used."""
    found = _OBJECT.search(reply)
    try:
        row = json.loads(found[0]) if found else None
    except (ValueError, RecursionError):
        row = None
    if not isinstance(row, dict):
        return "no JSON object came back"
    question, answer, quote = (_text(row.get(name)) for name in ("question", "answer", "quote"))
    if not question:
        return "the passage states nothing to ask about"
    return _fault(question, answer, quote, passage) or _read(question, answer, quote)


def _text(value: object) -> str:
    return " ".join(str(value).split()) if isinstance(value, (str, int, float)) else ""


def _fault(question: str, answer: str, quote: str, passage: Passage) -> str:
    if not question.endswith("?") or len(question.split()) > _LONGEST_QUESTION:
        return "it is no single question"
    if _POINTS.search(question):
        return "the question points to the passage"
    if not answer or len(answer.split()) > LONGEST_ANSWER:
        return "the answer is missing or too long to be compared"
    if f" {' '.join(words(answer))} " in f" {' '.join(words(question))} ":
        return "the question holds its answer"
    if len(fold(quote)) < _SHORTEST_QUOTE or fold(quote) not in fold(passage.text):
        return "the quote does not stand in the passage"
    if fold(answer) not in fold(quote):
        return "the quote does not state the answer"
    return ""


def _read(question: str, answer: str, quote: str) -> Written | str:
    kind = kind_of("", [answer], question)
    if kind == "yesno" or kind == "list":
        return "a yes or no is not asked for"
    try:
        values, unit, precision = read_answers(kind, [answer], "")
    except ValueError as error:
        return str(error)
    return Written(Asked(question, kind, values[0], unit, precision), quote)
