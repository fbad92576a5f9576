"""The method ``llm_judge``: one structured prompt, N votes, every reply kept."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from statistics import fmean, variance
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import msgspec
from msgspec import Struct

from ragharness.errors import TemporaryFailure, UnusableReply, UsageError
from ragharness.graders.judging.prompts import fenced
from ragharness.records import Usage
from ragharness.rubrics.rubric import SCALE

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ragharness.rubrics.items import Item
    from ragharness.rubrics.rubric import Check

REPLIES = 3
"""Replies for one vote before it counts as one that cannot be read."""

ATTEMPTS = 5
"""Calls for one reply of a service that is busy."""

_PROMPTS = Path(__file__).parent / "prompts"
_PLACE = re.compile(r"\{(name|definition|prompt|inputs)\}")
_FENCED = re.compile(r"(?s)\A\s*```(?:json)?\s*\n(.*?)\n\s*```\s*\Z")


_SYSTEM = "You are a strict, fair judge. You reply with JSON alone."


class Said(NamedTuple):
    """A reply of the judge and what it took."""

    text: str
    usage: Usage = Usage()


class Judge(Protocol):
    """What replies to a prompt; many threads may ask at once."""

    @property
    def name(self) -> str:
        """The model, recorded with every score."""

    def ask(self, prompt: str, vote: int = 0) -> Said:
        """Return the reply to a prompt; raises UnusableReply, TemporaryFailure."""


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


class Reply(Struct, frozen=True):
    """The JSON of a reply; one of evidence and requirements must be there."""

    score: float
    rationale: str
    evidence: list[Any] = []
    requirements: list[Any] = []


class Votes(Struct, frozen=True):
    """The votes on one output: a vote that cannot be read makes them invalid, never 0."""

    scores: tuple[float, ...]
    mean: float | None
    variance: float | None
    """Of the sample; None for one vote."""
    raw: tuple[str, ...]
    """Every reply, those too that cannot be read."""
    rationale: str = ""
    taken: Taken = Taken()


def prompt_of(asked: Check, item: Item) -> str:
    """Return the judge's prompt: dimension, definition, quoted inputs, the flaw first, JSON."""
    parts = {
        "Input": item.input,
        "Context": "\n".join(f"[{each.id}] {each.text}" for each in item.passages),
        "Earlier messages": "\n".join(f"{each.role}: {each.content}" for each in item.messages),
        "Tool calls": "\n".join(msgspec.json.encode(each).decode() for each in item.tool_calls or ()),
        "Expected": item.expected,
        "Output": item.text,
    }
    inputs = "\n\n".join(
        f"{name}:\n{fenced(text)}" for name, text in parts.items() if text or name == "Output"
    )
    name = getattr(asked, "name", "") or asked.id
    values = {"name": name, "definition": asked.description, "prompt": asked.prompt.strip(), "inputs": inputs}
    template = (_PROMPTS / "judge.txt").read_text(encoding="utf-8")
    return _PLACE.sub(lambda found: values[found[1]], template)


def read_reply(text: str) -> Reply | None:
    """Return a reply's JSON; None where it cannot be read."""
    code = _FENCED.match(text)
    try:
        reply = msgspec.json.decode(code[1] if code else text, type=Reply)
    except (msgspec.MsgspecError, UnicodeError, RecursionError):
        return None
    whole = 0 <= reply.score <= SCALE and reply.rationale.strip() and (reply.evidence or reply.requirements)
    return reply if whole else None


def take_votes(judge: Judge, asked: Check, item: Item) -> Votes:
    """Return the votes of a judge on one output."""
    prompt, wanted = prompt_of(asked, item), asked.votes or 1
    found: list[Reply] = []
    raw: list[str] = []
    taken = Taken()
    for vote in range(wanted):
        for attempt in range(REPLIES):
            said, spent = _said(judge, prompt, vote + attempt * wanted)
            taken += spent
            raw.append(said)
            reply = read_reply(said)
            if reply is not None:
                found.append(reply)
                break
    scores = tuple(each.score for each in found)
    mean = fmean(scores) if len(scores) == wanted else None
    spread = variance(scores) if len(scores) > 1 else None
    return Votes(scores, mean, spread, tuple(raw), found[0].rationale if found else "", taken)


def _said(judge: Judge, prompt: str, vote: int) -> tuple[str, Taken]:
    try:
        text, usage = judge.ask(prompt, vote)
    except (UnusableReply, TemporaryFailure) as error:
        return f"no reply: {error}", Taken(calls=1, cost=None)
    cost = 0.0 if usage.from_cache else usage.cost
    return text, Taken(1, usage.prompt_tokens or 0, usage.completion_tokens or 0, cost)


class ModelJudge:
    """Any model that the pipeline ``llm`` can ask; settings are those of docs/llm.md."""

    def __init__(
        self, settings: Mapping[str, str], cache: Path | None = None, *, offline: bool = False
    ) -> None:
        """Raises UsageError for settings that cannot be meant."""
        from ragharness.options import Options
        from ragharness.pipelines._llm.endpoint import connect
        from ragharness.support.background import Background

        given = {"max-tokens": "1024", **settings, "structured": "off"}
        options = Options(given, flag="--judge", offline=offline)
        self.name = options.text("model")
        if not self.name:
            raise UsageError(
                "expected the name of a model that judges, found none", help="--judge model=NAME"
            )
        self._endpoint = connect(options, self.name, cache and cache / "llm", "the judge")
        self._loop = Background(self._endpoint)

    def ask(self, prompt: str, vote: int = 0) -> Said:
        """Return the reply, kept from an earlier call for the same vote; a busy service is waited for."""
        from ragharness.pipelines._llm.prompting import Message
        from ragharness.support.http import retried

        sampling = self._endpoint.sampling
        if sampling.seed is not None:
            sampling, vote = replace(sampling, seed=sampling.seed + vote), 0

        def request(_: bool) -> bytes:
            return self._endpoint.request(_SYSTEM, [Message("user", prompt)], None, sampling)

        said = self._endpoint.recall(request, vote)
        if said is None:
            said = self._loop.run(retried(lambda: self._endpoint.ask(request), ATTEMPTS))
            self._endpoint.keep(said, vote)
        return Said(said.reply.text, said.usage)
