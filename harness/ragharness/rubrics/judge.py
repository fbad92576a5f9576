"""The method ``llm_judge``: one structured prompt, N votes, every reply kept."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from statistics import fmean, variance
from typing import Annotated, Any, NamedTuple, Protocol, cast

import msgspec
from msgspec import Meta, Struct

from ragharness.errors import TemporaryFailure, UnusableReply, UsageError
from ragharness.graders.judging import REPLIES, TOKEN, Asker, Taken, fenced, objects_of
from ragharness.pipelines.llm_client import Completion
from ragharness.pipelines.llm_client.prompting import Message
from ragharness.records import Usage
from ragharness.rubrics.rubric import JUDGED, Check, Item, Rubric
from ragharness.support.options import Options

_PROMPT = Path(__file__).parent / "prompts" / "judge.txt"
_SYSTEM = "You are a strict, fair judge. You reply with JSON alone."
_OUTPUT, _REPLY = 1500, 200  # rough characters of an input with its output, and tokens of a reply


class Said(NamedTuple):
    """A reply of the judge and its usage."""

    text: str
    usage: Usage = Usage()


class Judge(Protocol):
    """A model that replies to prompts; many threads may ask at once."""

    name: str  # the model, recorded with every score

    def ask(self, prompt: str, vote: int = 0) -> Said | str:
        """Reply to a prompt; raises UnusableReply, TemporaryFailure."""


class FunctionJudge(NamedTuple):
    """A function from a prompt to a reply, as a judge."""

    name: str
    ask: Callable[..., Said | str]


def as_judge(judge: Any) -> Judge:
    """A judge, or a function from a prompt to a reply as one."""
    name = getattr(judge, "__name__", "function")
    return cast(
        "Judge", judge if hasattr(judge, "ask") else FunctionJudge(name, lambda prompt, _: judge(prompt))
    )


class Reply(Struct, frozen=True):
    """The JSON of a reply; one of evidence and requirements must be there."""

    score: Annotated[float, Meta(ge=0, le=10)]
    rationale: Annotated[str, Meta(pattern=r"\S")]
    evidence: list[Any] = []
    requirements: list[Any] = []


class Votes(Struct, frozen=True):
    """The votes on one output: one that cannot be read makes them invalid, never 0."""

    scores: tuple[float, ...]
    mean: float | None
    variance: float | None  # sample variance; None for one vote
    raw: tuple[str, ...]  # every reply, including unreadable ones
    rationale: str = ""
    taken: Taken = Taken()


def prompt_of(check: Check, item: Item) -> str:
    """The judge's prompt: dimension, definition, quoted inputs, the flaw first, JSON."""
    parts = {
        "Input": item.input,
        "Context": "\n".join(f"[{passage.id}] {passage.text}" for passage in item.passages),
        "Earlier messages": "\n".join(f"{message.role}: {message.content}" for message in item.messages),
        "Tool calls": "\n".join(item.calls),
        "Expected": item.expected,
        "Output": item.text,
    }
    inputs = [f"{name}:\n{fenced(text)}" for name, text in parts.items() if text or name == "Output"]
    return _PROMPT.read_text(encoding="utf-8").format(
        name=getattr(check, "name", "") or check.id,
        definition=check.description,
        prompt=check.prompt.strip(),
        inputs="\n\n".join(inputs),
    )


def read_reply(text: str) -> Reply | None:
    """The JSON of a reply; None where it cannot be read."""
    objects = objects_of(text)
    try:
        reply = msgspec.convert(objects[0] if len(objects) == 1 else None, Reply)
    except msgspec.ValidationError:
        return None
    return reply if reply.evidence or reply.requirements else None


def take_votes(judge: Judge, check: Check, item: Item) -> Votes:
    """The votes of a judge on one output."""
    prompt, count, taken = prompt_of(check, item), check.votes or 1, Taken()
    raw: list[str] = []
    replies: list[Reply] = []
    for vote in range(count):
        for attempt in range(REPLIES):
            try:
                answer = judge.ask(prompt, vote + attempt * count)
            except (UnusableReply, TemporaryFailure) as error:
                taken += Taken(calls=1, cost=None)
                raw.append(f"no reply: {error}")
                break
            text, usage = (answer, Usage()) if isinstance(answer, str) else answer
            spent = Taken.by(usage)
            taken += msgspec.structs.replace(spent, cost=0.0) if usage.from_cache else spent
            raw.append(text)
            if (reply := read_reply(text)) is not None:
                replies.append(reply)
                break
    scores = tuple(reply.score for reply in replies)
    mean = fmean(scores) if len(scores) == count else None
    spread = variance(scores) if len(scores) > 1 else None
    return Votes(scores, mean, spread, tuple(raw), replies[0].rationale if replies else "", taken)


def estimate(rubric: Rubric, count: int, model: str = "") -> dict[str, Taken]:
    """Estimated calls, tokens and cost of so many outputs by dimension; ``model`` where no judge is named."""
    from ragharness.pipelines.llm_client import price_of

    estimates = {}
    for check in (check for check in rubric.all_checks if check.method == JUDGED):
        calls, judge = count * (check.votes or 1), check.model or model
        tokens = calls * len(prompt_of(check, Item(output="x" * _OUTPUT))) // TOKEN
        price = price_of(judge) if judge else None
        cost = price.cost(tokens, calls * _REPLY) if price else None
        estimates[check.id] = Taken(calls, tokens, calls * _REPLY, cost)
    return estimates


class ModelJudge:
    """Any model that the pipeline ``llm`` can ask; settings are those of docs/llm.md."""

    def __init__(
        self, settings: Mapping[str, str], cache: Path | None = None, *, offline: bool = False
    ) -> None:
        """Raises UsageError for invalid settings."""
        from ragharness.pipelines.llm_client import MAX_TOKENS_THINKING, connect

        written = {**settings, "structured": "off"}
        options = Options(written, flag="--judge", offline=offline)
        self.name = options.text("model")
        if not self.name:
            raise UsageError("the judge has no model", help="--judge model=NAME")
        folder = cache and cache / "llm"
        self._asker = Asker(connect(options, self.name, folder, "the judge", max_tokens=MAX_TOKENS_THINKING))

    def ask(self, prompt: str, vote: int = 0) -> Said:
        """Reply to a prompt, kept from an earlier call for the same vote; a busy service is waited for."""
        request = self._asker.request(_SYSTEM, [Message("user", prompt)], None, vote)
        completion = self._asker.cached(request, _readable) or self._asker.ask(request, _readable)
        return Said(completion.reply.text, completion.usage)


def _readable(completion: Completion) -> bool:
    return completion.reply.ended == "complete" and read_reply(completion.reply.text) is not None
