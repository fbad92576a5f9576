"""Prompts of the judge, one versioned file a decision; its replies, and its votes.

Untrusted texts are quoted line by line: nothing in them can end the quotation or look like a turn of the
model's, for every line begins with ``MARK``, which no line of a prompt does. What a chat template might take
for its own (``<|im_start|>``, ``</s>``, ``[INST]``) is written with other signs, and characters that nobody
sees (of direction, of no width, of the tag block) are left out: a model would read what a person does not.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from threading import Lock
from typing import Any, NamedTuple

from msgspec import Struct

from ragharness.errors import AccessRefused, TemporaryFailure, UnusableReply, UsageError
from ragharness.language.tables import regex
from ragharness.pipelines.llm_client import Completion, Endpoint
from ragharness.pipelines.llm_client.prompting import Message, read_sections
from ragharness.pipelines.llm_client.services import Form
from ragharness.records import Judgement, Usage, Vote
from ragharness.support.concurrency import Background
from ragharness.support.http import retry
from ragharness.support.messages import message_kind

MARK = "| "
EMPTY = "(empty)"

_UNSEEN = frozenset(("Cc", "Cf", "Cn", "Co", "Cs"))
_TAG = re.compile(r"[<＜﹤](?=[^\s\d=])")
_TURN = re.compile(r"\[(/?[A-Z][A-Z_]{2,})\]")


def fenced(text: str) -> str:
    """Text as quoted lines."""
    lines = [_plain(line) for line in text.splitlines()]
    while lines and not lines[-1].strip():
        lines.pop()
    return "\n".join(MARK + line for line in lines) or MARK + EMPTY


def _plain(line: str) -> str:
    if not (line.isascii() and line.isprintable()):
        line = "".join(char for char in line if char == "\t" or unicodedata.category(char) not in _UNSEEN)
    return _TURN.sub(r"(\1)", _TAG.sub("&lt;", line))


FOLDER = Path(__file__).parent / "prompts"
LABELS: dict[str, tuple[str, ...]] = {
    "answer": ("refuses", "agrees", "partly", "differs", "cannot tell"),
    "support": ("supported", "not supported", "cannot tell"),
}  # decision -> the labels of its replies

QUALITY = ("explained", "nearest", "next_step", "urgency")  # facts of a refusal; those that hold label it

_PLACE = regex(r"(?m)^\{([a-z]+)\}$")
_TEXT: dict[str, Any] = {"type": "string"}
_FLAG: dict[str, Any] = {"type": "boolean"}


def _object(**properties: dict[str, Any]) -> dict[str, Any]:
    required = list(properties)
    return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}


def _form(name: str, **last: dict[str, Any]) -> Form:
    """Form of a reply that gives its reason before it judges."""
    return Form(name, _object(reason=_TEXT, evidence=_TEXT, **last))


FORMS: dict[str, Form] = {
    **{name: _form(name, label={**_TEXT, "enum": list(labels)}) for name, labels in LABELS.items()},
    "claims": _form("claims", claims={"type": "array", "items": _object(claim=_TEXT, supported=_FLAG)}),
    "quality": _form("quality", **dict.fromkeys(QUALITY, _FLAG)),
}
DECISIONS = tuple(FORMS)


@dataclass(frozen=True)
class JudgePrompt:
    """One prompt: its text before and after the quoted ones."""

    decision: str
    version: str
    digest: str
    system: str
    user: str

    @property
    def identity(self) -> str:
        """Its version, and the digest of its file: another digest, other judgements to expect."""
        return f"{self.decision} version {self.version} ({self.digest})"

    def messages(self, texts: Mapping[str, str]) -> list[Message]:
        """Turn of the user, every text in its place as quoted lines."""
        quoted = {name: fenced(text) for name, text in texts.items()}
        return [Message("user", _PLACE.sub(lambda match: quoted[match[1]], self.user))]


def load_prompts(folder: Path = FOLDER) -> dict[str, JudgePrompt]:
    """Prompts of a folder, which must have one for each decision; raises UsageError."""
    return {decision: _load(folder / f"{decision}.txt", decision) for decision in DECISIONS}


def _load(path: Path, decision: str) -> JudgePrompt:
    try:
        content = path.read_bytes()
        text = content.decode("utf-8-sig").replace("\r\n", "\n")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(
            f"expected a prompt file in UTF-8 at {path}, found: {error}",
            help=f"copy the prompts from {FOLDER}",
        ) from error
    version, sections = read_sections(text, path)
    named, ours = dict(sections), FOLDER / f"{decision}.txt"
    own = dict(read_sections(ours.read_text(encoding="utf-8"), ours)[1])
    required, present = (sorted(_PLACE.findall(texts.get("user", ""))) for texts in (own, named))
    if present != required:
        places = ", ".join(f"{{{name}}}" for name in required)
        message = f"expected {places} on lines of their own in the section user of {path}, found {present}"
        raise UsageError(message, help=f"copy {ours}")
    digest = hashlib.sha256(content).hexdigest()[:8]
    return JudgePrompt(decision, version, digest, named.get("system", ""), named["user"])


class JudgeReply(NamedTuple):
    """Content of a reply: its label, the words that it rests on, and the reason."""

    label: str = ""
    evidence: str = ""
    reason: str = ""


def read_reply(decision: str, text: str) -> JudgeReply | None:
    """Content of a reply to a decision; None where it cannot be read, or says two things."""
    replies = [_content(decision, fields) for fields in objects_of(text)]
    readable = [reply for reply in replies if reply is not None]
    return readable[0] if len({reply.label for reply in readable}) == 1 else None


def _content(decision: str, fields: dict[str, Any]) -> JudgeReply | None:
    label = " ".join(re.split(r"[\s_-]+", str(fields.get("label", "")).strip().lower()))
    flags: list[object] = []
    if decision == "quality":
        flags = [fields.get(name) for name in QUALITY]
        label = ", ".join(name for name, holds in zip(QUALITY, flags, strict=True) if holds) or "none"
    elif decision == "claims":
        # The number of claims without support.
        claims = fields.get("claims")
        listed = claims if isinstance(claims, list) else [None]
        flags = [claim.get("supported") if isinstance(claim, dict) else None for claim in listed]
        label = str(flags.count(False))
    if label not in LABELS.get(decision, (label,)) or not all(isinstance(flag, bool) for flag in flags):
        return None
    return JudgeReply(label, *(str(fields.get(name) or "") for name in ("evidence", "reason")))


def objects_of(text: str) -> list[dict[str, Any]]:
    """JSON objects of a reply, whatever stands around them: a code fence, prose, thoughts before it."""
    text = text.rpartition("</think>")[2]
    objects, start = [], text.find("{")
    while start >= 0:
        try:
            decoded, end = json.JSONDecoder().raw_decode(text, start)
            objects.append(decoded)
        except (ValueError, RecursionError):
            end = start + 1
        start = text.find("{", end)
    return objects


ATTEMPTS = 5  # calls for one reply of a service that is busy
TIMEOUT = 120.0  # seconds that a reply may take
REPLIES = 3  # replies for one vote before it counts as one that cannot be read
MAX_FAILURES = 10  # decisions in a row that fail alike before the run stops
AGREED = 2 / 3  # share of the votes that must say the same; else they are split
TOKEN = 4  # characters of a token, roughly
_REPLY = 120  # tokens of a reply, roughly
_NO_REPLY = "no reply"  # what the words for a reply that did not come begin with


class Taken(Struct, frozen=True):
    """What calls took; the cost is None as soon as that of one of them is not known."""

    calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cost: float | None = 0.0

    def __add__(self, other: Taken) -> Taken:
        """Sum of both."""
        cost = None if self.cost is None or other.cost is None else self.cost + other.cost
        prompt = self.prompt_tokens + other.prompt_tokens
        return Taken(self.calls + other.calls, prompt, self.completion_tokens + other.completion_tokens, cost)

    @classmethod
    def by(cls, usage: Usage, calls: int = 1) -> Taken:
        """Usage of one reply, and the calls that it took."""
        return cls(calls, usage.prompt_tokens or 0, usage.completion_tokens or 0, usage.cost)


Readable = Callable[[Completion], bool]  # whether a reply says what was asked for
Request = tuple[Callable[[bool], bytes], int]  # content for a structured reply or a plain one, number of vote


class Asker:
    """One model, asked from many threads; each vote is a call of its own."""

    def __init__(self, endpoint: Endpoint, timeout: float = TIMEOUT) -> None:
        self.endpoint = endpoint
        self._timeout = timeout
        self._loop = Background(endpoint)

    def request(self, system: str, messages: Sequence[Message], form: Form | None, vote: int) -> Request:
        """Request of one vote: with another seed, or of another number where there is none."""
        sampling = self.endpoint.sampling
        if sampling.seed is not None:
            sampling, vote = replace(sampling, seed=sampling.seed + vote), 0

        def content(as_json: bool) -> bytes:
            return self.endpoint.request(system, messages, form if as_json else None, sampling)

        return content, vote

    def cached(self, request: Request, readable: Readable) -> Completion | None:
        """Readable reply that an earlier call gave; None: there was none."""
        completion = self.endpoint.recall(*request)
        return completion if completion is not None and readable(completion) else None

    def ask(self, request: Request, readable: Readable) -> Completion:
        """New reply, a busy service waited for; only one that can be read is kept.

        Raises TemporaryFailure, UnusableReply, AccessRefused.
        """
        content, vote = request
        completion = self._loop.run(retry(partial(self._asked, content), ATTEMPTS))
        if readable(completion):
            self.endpoint.store(completion, vote)
        return completion

    async def _asked(self, content: Callable[[bool], bytes]) -> Completion:
        try:
            return await asyncio.wait_for(self.endpoint.ask(content), self._timeout)
        except (TimeoutError, asyncio.TimeoutError):
            raise TemporaryFailure(f"no reply within {self._timeout:g} seconds") from None


class Votes:
    """Asks one endpoint about decisions; many threads may ask at once."""

    def __init__(
        self,
        endpoint: Endpoint,
        prompts: Mapping[str, JudgePrompt],
        *,
        votes: int = 1,
        timeout: float = TIMEOUT,
        max_failures: int = MAX_FAILURES,
        dry_run: bool = False,
    ) -> None:
        self.dry_run = dry_run
        self._endpoint = endpoint
        self._asker = Asker(endpoint, timeout)
        self._prompts = prompts
        self._votes = votes
        self._max_failures = max_failures
        self._failure, self._failures = "", 0  # kind of the last decisions' failure, and how many they were
        self._lock = Lock()
        self._taken: defaultdict[str, Taken] = defaultdict(Taken)
        self._cached: Counter[str] = Counter()

    def decide(self, decision: str, texts: Mapping[str, str], about: str = "") -> Judgement:
        """Every vote on a decision; raises AccessRefused where no call can succeed."""
        prompt = self._prompts[decision]
        voted = [self._vote(prompt, texts, number) for number in range(self._votes)]
        judgement = partial(Judgement, decision=decision, prompt=prompt.identity, about=about)
        if self.dry_run:
            return judgement(reason="not asked: a dry run")
        votes = tuple(vote for vote, _ in voted)
        unread = [vote.raw for vote in votes if vote.label is None]
        self._count("" if len(unread) < len(votes) else unread[0])
        if unread:
            why = unread[0] if unread[0].startswith(_NO_REPLY) else "a reply of the judge cannot be read"
            return judgement(votes=votes, reason=why)
        label, count = Counter(vote.label for vote in votes).most_common(1)[0]
        if count < AGREED * len(votes):
            split = ", ".join(str(vote.label) for vote in votes)
            return judgement(votes=votes, reason=f"the judge's votes are {split}")
        reply = next(reply for _, reply in voted if reply and reply.label == label)
        return judgement(votes=votes, label=reply.label, reason=reply.reason, evidence=reply.evidence)

    def _vote(
        self, prompt: JudgePrompt, texts: Mapping[str, str], number: int
    ) -> tuple[Vote, JudgeReply | None]:
        replies: list[str] = []
        usages: list[Usage] = []
        content = None

        def readable(completion: Completion) -> bool:
            # What was cut off may have been about to say something else.
            text, ended = completion.reply.text, completion.reply.ended
            return ended == "complete" and read_reply(prompt.decision, text) is not None

        for attempt in range(REPLIES):
            completion = self._reply(prompt, texts, number + attempt * self._votes, readable)
            if isinstance(completion, str):
                replies.append(completion)
                break
            usages.append(completion.usage)
            if completion.reply.ended != "complete":
                replies.append(f"{_NO_REPLY}: {self._unfinished(completion.reply.ended)}")
                break
            replies.append(completion.reply.text)
            content = read_reply(prompt.decision, replies[-1])
            if content is not None:
                break
        *rejected, raw = replies
        return Vote(raw, content.label if content else None, tuple(usages), tuple(rejected)), content

    def _reply(
        self, prompt: JudgePrompt, texts: Mapping[str, str], number: int, readable: Readable
    ) -> Completion | str:
        """Reply, cached or new, or why there is none."""
        decision, calls = prompt.decision, 0
        request = self._asker.request(prompt.system, prompt.messages(texts), FORMS[decision], number)
        cached = self._asker.cached(request, readable)
        if cached is not None or self.dry_run:
            tokens, price = len(request[0](True)) // TOKEN, self._endpoint.price
            cost = price.cost(tokens, _REPLY) if price else None
            self._took(decision, Taken(1, tokens, _REPLY, cost) if cached is None else None)
            return cached or _NO_REPLY

        def content(as_json: bool) -> bytes:
            nonlocal calls
            calls += 1
            return request[0](as_json)

        try:
            completion = self._asker.ask((content, request[1]), readable)
        except (TemporaryFailure, UnusableReply) as error:
            self._took(decision, Taken(calls, cost=None))
            return f"{_NO_REPLY}: {error}"
        self._took(decision, Taken.by(completion.usage, calls))
        return completion

    def _unfinished(self, ended: str) -> str:
        if ended != "length":
            return "a content filter blocked it" if ended == "filtered" else "its prompt fills the context"
        limit, written = self._endpoint.sampling.max_tokens, self._endpoint.written("max-tokens")
        return f"it was cut off after {limit} tokens; {written}{2 * limit} allows more"

    def _count(self, failure: str) -> None:
        """Stop where so many decisions in a row fail alike; empty: this one did not. Raises AccessRefused."""
        kind = message_kind(failure) if failure.startswith(_NO_REPLY) else failure and "unreadable"
        with self._lock:
            self._failures = self._failures + 1 if kind and kind == self._failure else int(bool(kind))
            self._failure = kind
            stops = 0 < self._max_failures <= self._failures
        if stops:
            unreadable = f"expected JSON with a label, found {failure[:100]!r}"
            raise AccessRefused(
                f"the judge {self._endpoint.model!r} failed alike {self._max_failures} times in a row:"
                f" {unreadable if kind == 'unreadable' else failure}",
                help=f"correct its settings, such as {self._endpoint.written('max-tokens')}N, or its model",
            )

    def _took(self, decision: str, taken: Taken | None) -> None:
        """Add what calls took; None: the reply was cached."""
        with self._lock:
            self._cached[decision] += taken is None
            self._taken[decision] += taken or Taken()

    def cost_lines(self) -> list[str]:
        """Calls, tokens and cost of each decision, as lines of text; estimates in a dry run."""
        would = "would take about" if self.dry_run else "took"
        lines = []
        for decision, taken in sorted(self._taken.items()):
            price = self._endpoint.price
            cost = "cost unknown" if taken.cost is None else f"{taken.cost:.4f} USD"
            source = f" ({price.source})" if price and taken.cost is not None else ""
            lines.append(
                f"judge, {decision}: {would} {taken.calls} calls"
                f" ({self._cached[decision]} more are kept from earlier),"
                f" {taken.prompt_tokens} tokens in, {taken.completion_tokens} out, {cost}{source}"
            )
        return lines
