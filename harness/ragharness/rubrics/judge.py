"""The method ``llm_judge``: one structured prompt, N votes, every reply kept."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from statistics import fmean, variance
from typing import Annotated, Any, NamedTuple, Protocol

import msgspec
from msgspec import Meta, Struct

from ragharness.errors import TemporaryFailure, UnusableReply, UsageError
from ragharness.graders.judging.prompts import fenced
from ragharness.graders.judging.replies import object_of
from ragharness.graders.judging.votes import TOKEN, Asker, Taken, until_read
from ragharness.pipelines._llm.prompting import Message
from ragharness.records import Usage
from ragharness.rubrics.items import Item, Votes
from ragharness.rubrics.rubric import JUDGED, Check, Rubric
from ragharness.support.options import Options

_PROMPT = Path(__file__).parent / "prompts" / "judge.txt"
_OUTPUT, _REPLY = 1500, 200
"""Characters of an input with its output, and tokens of a reply, roughly."""

_SYSTEM = "You are a strict, fair judge. You reply with JSON alone."


class Said(NamedTuple):
    """A reply of the judge and what it took."""

    text: str
    usage: Usage = Usage()


class Judge(Protocol):
    """What replies to a prompt; many threads may ask at once."""

    name: str
    """The model, recorded with every score."""

    def ask(self, prompt: str, vote: int = 0) -> Said:
        """Return the reply to a prompt; raises UnusableReply, TemporaryFailure."""


class Reply(Struct, frozen=True):
    """The JSON of a reply; one of evidence and requirements must be there."""

    score: Annotated[float, Meta(ge=0, le=10)]
    rationale: Annotated[str, Meta(pattern=r"\S")]
    evidence: list[Any] = []
    requirements: list[Any] = []


def prompt_of(asked: Check, item: Item) -> str:
    """Return the judge's prompt: dimension, definition, quoted inputs, the flaw first, JSON."""
    parts = {
        "Input": item.input,
        "Context": "\n".join(f"[{each.id}] {each.text}" for each in item.passages),
        "Earlier messages": "\n".join(f"{each.role}: {each.content}" for each in item.messages),
        "Tool calls": "\n".join(item.calls),
        "Expected": item.expected,
        "Output": item.text,
    }
    shown = [f"{name}:\n{fenced(text)}" for name, text in parts.items() if text or name == "Output"]
    return _PROMPT.read_text(encoding="utf-8").format(
        name=getattr(asked, "name", "") or asked.id,
        definition=asked.description,
        prompt=asked.prompt.strip(),
        inputs="\n\n".join(shown),
    )


def read_reply(text: str) -> Reply | None:
    """Return a reply's JSON; None where it cannot be read."""
    try:
        reply = msgspec.convert(object_of(text), Reply)
    except msgspec.ValidationError:
        return None
    return reply if reply.evidence or reply.requirements else None


def take_votes(judge: Judge, asked: Check, item: Item) -> Votes:
    """Return the votes of a judge on one output."""
    prompt, wanted, taken = prompt_of(asked, item), asked.votes or 1, Taken()

    def ask(vote: int) -> Said | str:
        nonlocal taken
        try:
            said = judge.ask(prompt, vote)
        except (UnusableReply, TemporaryFailure) as error:
            taken += Taken(calls=1, cost=None)
            return f"no reply: {error}"
        spent = Taken.by(said.usage)
        taken += msgspec.structs.replace(spent, cost=0.0) if said.usage.from_cache else spent
        return said

    voted = [until_read(ask, lambda said: read_reply(said.text), vote, wanted) for vote in range(wanted)]
    found = [reply for _, reply in voted if reply]
    scores = tuple(each.score for each in found)
    mean = fmean(scores) if len(scores) == wanted else None
    spread = variance(scores) if len(scores) > 1 else None
    raw = tuple(each if isinstance(each, str) else each.text for replies, _ in voted for each in replies)
    return Votes(scores, mean, spread, raw, found[0].rationale if found else "", taken)


def estimate(rubric: Rubric, count: int, model: str = "") -> dict[str, Taken]:
    """Return what so many outputs will take, by ``model`` where no judge is named; advice, no limit."""
    from ragharness.pipelines._llm.endpoint import price_of

    found = {}
    for each in (each for each in rubric.asked if each.method == JUDGED):
        calls, named = count * (each.votes or 1), each.model or model
        tokens = calls * len(prompt_of(each, Item(output="x" * _OUTPUT))) // TOKEN
        price = price_of(named) if named else None
        cost = price.cost(tokens, calls * _REPLY) if price else None
        found[each.id] = Taken(calls, tokens, calls * _REPLY, cost)
    return found


class ModelJudge:
    """Any model that the pipeline ``llm`` can ask; settings are those of docs/llm.md."""

    def __init__(self, given: Mapping[str, str], cache: Path | None = None, *, offline: bool = False) -> None:
        """Raises UsageError for settings that cannot be meant."""
        from ragharness.pipelines._llm.endpoint import connect

        settings = {"max-tokens": "1024", **given, "structured": "off"}
        options = Options(settings, flag="--judge", offline=offline)
        self.name = options.text("model")
        if not self.name:
            told = "expected the name of a model that judges, found none"
            raise UsageError(told, help="--judge model=NAME")
        self._asker = Asker(connect(options, self.name, cache and cache / "llm", "the judge"))

    def ask(self, prompt: str, vote: int = 0) -> Said:
        """Return the reply, kept from an earlier call for the same vote; a busy service is waited for."""
        request = self._asker.request(_SYSTEM, [Message("user", prompt)], None, vote)
        said = self._asker.kept(request) or self._asker.ask(request)
        return Said(said.reply.text, said.usage)
