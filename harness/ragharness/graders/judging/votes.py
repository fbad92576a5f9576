"""``Votes``: asks a model N times about one decision, keeps every reply, counts what the calls took."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from dataclasses import dataclass, replace
from functools import partial
from statistics import fmean, variance
from threading import Lock
from typing import TYPE_CHECKING, NamedTuple

from ragharness.errors import TemporaryFailure, UnusableReply
from ragharness.graders.judging.prompts import FORMS
from ragharness.graders.judging.replies import Found, read_reply
from ragharness.records import Judgement, Vote
from ragharness.support.background import Background
from ragharness.support.http import retried

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from ragharness.graders.judging.prompts import JudgePrompt
    from ragharness.pipelines._llm.endpoint import Endpoint, Said

ATTEMPTS = 5
"""Calls for one reply of a service that is busy."""

REPLIES = 3
"""Replies for one vote before it counts as one that cannot be read."""

_TOKEN = 4
"""Characters of a token, roughly."""

_REPLY = 160
"""Tokens of a reply, roughly."""


class Decided(NamedTuple):
    """A judgement, and the votes that could be read."""

    judgement: Judgement
    found: tuple[Found, ...]


@dataclass
class Taken:
    """What the calls about one decision took; ``cost`` is None as soon as one of them is not known."""

    calls: int = 0
    cached: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cost: float | None = 0.0

    def add(self, prompt: int | None, completion: int | None, cost: float | None) -> None:
        """Count one call."""
        self.calls += 1
        self.prompt_tokens += prompt or 0
        self.completion_tokens += completion or 0
        self.cost = None if self.cost is None or cost is None else self.cost + cost


class Votes:
    """Asks one endpoint; many threads may ask at once."""

    def __init__(
        self,
        endpoint: Endpoint,
        prompts: Mapping[str, JudgePrompt],
        *,
        votes: int,
        timeout: float,
        dry_run: bool,
    ) -> None:
        self._endpoint = endpoint
        self._prompts = prompts
        self._votes = votes
        self._timeout = timeout
        self._loop = Background(endpoint)
        self._lock = Lock()
        self.dry_run = dry_run
        self.taken: defaultdict[str, Taken] = defaultdict(Taken)

    def decide(self, decision: str, texts: Mapping[str, str], about: str = "") -> Decided:
        """Return every vote on a decision; raises AccessRefused where no call can succeed."""
        prompt = self._prompts[decision]
        voted = [self._vote(prompt, texts, number) for number in range(self._votes)]
        found = tuple(each for _, each in voted if each is not None)
        scores = [each.score for each in found]
        judgement = Judgement(
            decision=decision,
            prompt=prompt.identity,
            about=about,
            votes=() if self.dry_run else tuple(vote for vote, _ in voted),
            mean=fmean(scores) if scores else None,
            variance=variance(scores) if len(scores) > 1 else None,
        )
        return Decided(judgement, found)

    def _vote(self, prompt: JudgePrompt, texts: Mapping[str, str], number: int) -> tuple[Vote, Found | None]:
        raws: list[str] = []
        usage = None
        for attempt in range(REPLIES):
            said = self._said(prompt, texts, number + attempt * self._votes)
            if isinstance(said, str):
                raws.append(said)
                break
            raws.append(said.reply.text)
            usage = said.usage
            # What was cut off may have been about to say something else.
            found = read_reply(prompt.decision, said.reply.text) if said.reply.ended == "complete" else None
            if found is not None:
                return Vote(raws[-1], found.score, usage, tuple(raws[:-1])), found
        return Vote(raws[-1], None, usage, tuple(raws[:-1])), None

    def _said(self, prompt: JudgePrompt, texts: Mapping[str, str], number: int) -> Said | str:
        """Return a reply, kept or new, or why there is none."""
        messages, form = prompt.messages(texts), FORMS[prompt.decision]
        sampling, vote = self._endpoint.sampling, number
        if sampling.seed is not None:
            sampling, vote = replace(sampling, seed=sampling.seed + number), 0

        def request(as_json: bool) -> bytes:
            return self._endpoint.request(prompt.system, messages, form if as_json else None, sampling)

        kept = self._endpoint.recall(request, vote)
        if kept is not None:
            with self._lock:
                self.taken[prompt.decision].cached += 1
            return kept
        if self.dry_run:
            self._estimate(prompt.decision, request(True))
            return "not asked: a dry run"
        try:
            said = self._loop.run(retried(partial(self._asked, request), ATTEMPTS))
        except (TemporaryFailure, UnusableReply) as error:
            return f"no reply: {error}"
        with self._lock:
            usage = said.usage
            self.taken[prompt.decision].add(usage.prompt_tokens, usage.completion_tokens, usage.cost)
        self._endpoint.keep(said, vote)
        return said

    async def _asked(self, request: Callable[[bool], bytes]) -> Said:
        try:
            return await asyncio.wait_for(self._endpoint.ask(request), self._timeout)
        except (TimeoutError, asyncio.TimeoutError):
            raise TemporaryFailure(f"no reply within {self._timeout:g} seconds") from None

    def _estimate(self, decision: str, request: bytes) -> None:
        prompt, price = len(request) // _TOKEN, self._endpoint.price
        cost = price.cost(prompt, _REPLY) if price else None
        with self._lock:
            self.taken[decision].add(prompt, _REPLY, cost)

    def cost_lines(self) -> list[str]:
        """Return for each decision the calls, the tokens and the cost, of a dry run as estimates."""
        would = "would take up to" if self.dry_run else "took"
        lines = []
        for decision, taken in sorted(self.taken.items()):
            price = self._endpoint.price
            told = "cost unknown" if taken.cost is None else f"{taken.cost:.4f} USD"
            source = f" ({price.source})" if price and taken.cost is not None else ""
            lines.append(
                f"judge, {decision}: {would} {taken.calls} calls"
                f" ({taken.cached} more are kept from earlier),"
                f" {taken.prompt_tokens} tokens in, {taken.completion_tokens} out, {told}{source}"
            )
        return lines
