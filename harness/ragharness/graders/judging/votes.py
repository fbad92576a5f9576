"""Asks a model N times about one decision, keeps every reply, counts what the calls took."""

from __future__ import annotations

import asyncio
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from statistics import fmean, variance
from threading import Lock
from typing import NamedTuple, TypeVar

from msgspec import Struct

from ragharness.errors import TemporaryFailure, UnusableReply
from ragharness.graders.judging.prompts import FORMS, JudgePrompt
from ragharness.graders.judging.replies import Found, read_reply
from ragharness.pipelines._llm.endpoint import Endpoint, Said
from ragharness.pipelines._llm.prompting import Message
from ragharness.pipelines._llm.services import Form
from ragharness.records import Judgement, Usage, Vote
from ragharness.support.background import Background
from ragharness.support.http import retried

S = TypeVar("S")
T = TypeVar("T")

ATTEMPTS = 5
"""Calls for one reply of a service that is busy."""

TIMEOUT = 120.0
"""Seconds that a reply may take."""

REPLIES = 3
"""Replies for one vote before it counts as one that cannot be read."""

TOKEN = 4
"""Characters of a token, roughly."""

_REPLY = 160
"""Tokens of a reply, roughly."""


class Decided(NamedTuple):
    """A judgement, and the votes that could be read."""

    judgement: Judgement
    found: tuple[Found, ...]


class Taken(Struct, frozen=True):
    """What calls took; the cost is None as soon as that of one of them is not known."""

    calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cost: float | None = 0.0

    def __add__(self, other: Taken) -> Taken:
        """Return both together."""
        cost = None if self.cost is None or other.cost is None else self.cost + other.cost
        prompt = self.prompt_tokens + other.prompt_tokens
        return Taken(self.calls + other.calls, prompt, self.completion_tokens + other.completion_tokens, cost)

    @classmethod
    def by(cls, usage: Usage) -> Taken:
        """Return what one call took."""
        return cls(1, usage.prompt_tokens or 0, usage.completion_tokens or 0, usage.cost)


class Request(NamedTuple):
    """What is sent for a structured reply or for a plain one, and which of equal requests it is."""

    content: Callable[[bool], bytes]
    vote: int


class Asker:
    """One model, asked from many threads; each vote is a call of its own, and kept."""

    def __init__(self, endpoint: Endpoint, timeout: float = TIMEOUT) -> None:
        self.endpoint = endpoint
        self._timeout = timeout
        self._loop = Background(endpoint)

    def request(self, system: str, messages: Sequence[Message], form: Form | None, vote: int) -> Request:
        """Return the request of one vote: with another seed, or of another number where there is none."""
        sampling = self.endpoint.sampling
        if sampling.seed is not None:
            sampling, vote = replace(sampling, seed=sampling.seed + vote), 0

        def content(as_json: bool) -> bytes:
            return self.endpoint.request(system, messages, form if as_json else None, sampling)

        return Request(content, vote)

    def kept(self, request: Request) -> Said | None:
        """Return the reply that an earlier call gave; None: there was none."""
        return self.endpoint.recall(*request)

    def ask(self, request: Request) -> Said:
        """Return the model's reply, a busy service waited for; raises TemporaryFailure, UnusableReply."""
        said = self._loop.run(retried(partial(self._asked, request.content), ATTEMPTS))
        self.endpoint.keep(said, request.vote)
        return said

    async def _asked(self, content: Callable[[bool], bytes]) -> Said:
        try:
            return await asyncio.wait_for(self.endpoint.ask(content), self._timeout)
        except (TimeoutError, asyncio.TimeoutError):
            raise TemporaryFailure(f"no reply within {self._timeout:g} seconds") from None


def until_read(
    ask: Callable[[int], S | str], read: Callable[[S], T | None], number: int, votes: int
) -> tuple[list[S | str], T | None]:
    """Return the replies to one vote of several, and what the last says; None: it cannot be read.

    ``ask`` takes the number of a call; a text in the place of its reply says why there is none, and ends it.
    """
    replies: list[S | str] = []
    for attempt in range(REPLIES):
        reply = ask(number + attempt * votes)
        replies.append(reply)
        found = None if isinstance(reply, str) else read(reply)
        if found is not None or isinstance(reply, str):
            return replies, found
    return replies, None


class Votes:
    """Asks one endpoint about decisions; many threads may ask at once."""

    def __init__(
        self,
        endpoint: Endpoint,
        prompts: Mapping[str, JudgePrompt],
        *,
        votes: int,
        timeout: float,
        dry_run: bool,
    ) -> None:
        self._asker = Asker(endpoint, timeout)
        self._price = endpoint.price
        self._prompts = prompts
        self._votes = votes
        self._lock = Lock()
        self.dry_run = dry_run
        self.taken: defaultdict[str, Taken] = defaultdict(Taken)
        self._kept: Counter[str] = Counter()

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
        def ask(vote: int) -> Said | str:
            return self._said(prompt, texts, vote)

        def read(said: Said) -> Found | None:
            # What was cut off may have been about to say something else.
            return read_reply(prompt.decision, said.reply.text) if said.reply.ended == "complete" else None

        replies, found = until_read(ask, read, number, self._votes)
        *rejected, raw = [each if isinstance(each, str) else each.reply.text for each in replies]
        usage = next((each.usage for each in reversed(replies) if not isinstance(each, str)), None)
        return Vote(raw, found.score if found else None, usage, tuple(rejected)), found

    def _said(self, prompt: JudgePrompt, texts: Mapping[str, str], number: int) -> Said | str:
        """Return a reply, kept or new, or why there is none."""
        request = self._asker.request(prompt.system, prompt.messages(texts), FORMS[prompt.decision], number)
        kept = self._asker.kept(request)
        if kept is not None:
            with self._lock:
                self._kept[prompt.decision] += 1
                self.taken[prompt.decision] += Taken()
            return kept
        if self.dry_run:
            tokens = len(request.content(True)) // TOKEN
            cost = self._price.cost(tokens, _REPLY) if self._price else None
            self._took(prompt.decision, Taken(1, tokens, _REPLY, cost))
            return "not asked: a dry run"
        try:
            said = self._asker.ask(request)
        except (TemporaryFailure, UnusableReply) as error:
            return f"no reply: {error}"
        self._took(prompt.decision, Taken.by(said.usage))
        return said

    def _took(self, decision: str, taken: Taken) -> None:
        with self._lock:
            self.taken[decision] += taken

    def cost_lines(self) -> list[str]:
        """Return for each decision the calls, the tokens and the cost, of a dry run as estimates."""
        would = "would take up to" if self.dry_run else "took"
        lines = []
        for decision, taken in sorted(self.taken.items()):
            price = self._price
            told = "cost unknown" if taken.cost is None else f"{taken.cost:.4f} USD"
            source = f" ({price.source})" if price and taken.cost is not None else ""
            lines.append(
                f"judge, {decision}: {would} {taken.calls} calls"
                f" ({self._kept[decision]} more are kept from earlier),"
                f" {taken.prompt_tokens} tokens in, {taken.completion_tokens} out, {told}{source}"
            )
        return lines
