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
from statistics import fmean, variance
from threading import Lock
from typing import Any, NamedTuple, TypeVar

from msgspec import Struct

from ragharness.errors import TemporaryFailure, UnusableReply, UsageError
from ragharness.language.tables import regex
from ragharness.pipelines.llm_client import Completion, Endpoint
from ragharness.pipelines.llm_client.prompting import Message, read_sections
from ragharness.pipelines.llm_client.services import Form
from ragharness.records import Judgement, Usage, Vote
from ragharness.support.concurrency import Background
from ragharness.support.http import retry

MARK = "| "
EMPTY = "(empty)"

_SEEN = frozenset("\t")
_UNSEEN = frozenset(("Cc", "Cf", "Cn", "Co", "Cs"))
_TAG = re.compile(r"[<＜﹤](?=[^\s\d=])")
_TURN = re.compile(r"\[(/?[A-Z][A-Z_]{2,})\]")


def fenced(text: str) -> str:
    """Text as quoted lines."""
    lines = [_plain(line) for line in text.splitlines()]
    while lines and not lines[-1].strip():
        lines.pop()
    return "\n".join(MARK + line for line in lines) or MARK + EMPTY


def outside(prompt: str) -> str:
    """Lines of a prompt that are not quoted."""
    return "\n".join(line for line in prompt.split("\n") if not line.startswith(MARK.rstrip()))


def _plain(line: str) -> str:
    if not (line.isascii() and line.isprintable()):
        line = "".join(char for char in line if char in _SEEN or unicodedata.category(char) not in _UNSEEN)
    return _TURN.sub(r"(\1)", _TAG.sub("&lt;", line))


FOLDER = Path(__file__).parent / "prompts"
DECISIONS = ("refusal", "answer", "support", "claims", "quality")

_PLACE = regex(r"(?m)^\{([a-z]+)\}$")
_TEXT: dict[str, Any] = {"type": "string"}
_FLAG: dict[str, Any] = {"type": "boolean"}


def _object(**properties: dict[str, Any]) -> dict[str, Any]:
    required = list(properties)
    return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}


def _form(name: str, **last: dict[str, Any]) -> Form:
    """Form of a reply that names the flaw before it judges anything."""
    return Form(name, _object(flaw=_TEXT, rationale=_TEXT, evidence=_TEXT, **last))


_SCORE = {"type": "integer", "minimum": 0, "maximum": 10}
_JUDGEMENTS = {"type": "string", "enum": ["REFUSED", "NOT REFUSED"]}
_CLAIMS = {"type": "array", "items": _object(claim=_TEXT, supported=_FLAG)}
FORMS: dict[str, Form] = {
    "refusal": Form("refusal", _object(reasoning=_TEXT, span=_TEXT, judgement=_JUDGEMENTS)),
    "answer": _form("answer", score=_SCORE),
    "support": _form("support", score=_SCORE),
    "claims": _form("claims", claims=_CLAIMS),
    "quality": _form("quality", explained=_FLAG, nearest=_FLAG, next_step=_FLAG, urgency=_FLAG),
}


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


def digest_of(prompts: Mapping[str, JudgePrompt]) -> str:
    """One digest of all prompts."""
    return hashlib.sha256("".join(prompt.digest for prompt in prompts.values()).encode()).hexdigest()[:8]


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
    named = dict(sections)
    ours = FOLDER / f"{decision}.txt"
    required = _PLACE.findall(dict(read_sections(ours.read_text(encoding="utf-8"), ours)[1])["user"])
    present = _PLACE.findall(named.get("user", ""))
    if sorted(present) != sorted(required):
        places = ", ".join(f"{{{name}}}" for name in sorted(required))
        raise UsageError(
            f"expected {places} on lines of their own in the section user of {path}, found"
            f" {', '.join(present) or 'none'}",
            help=f"copy {ours}",
        )
    digest = hashlib.sha256(content).hexdigest()[:8]
    return JudgePrompt(decision, version, digest, named.get("system", ""), named["user"])


_EMPHASIS = regex(r"[*_\[\]\"`]")
_JUDGEMENT = regex(r"(?im)^\W*judge?ment\W*:\W*(NOT\s+REFUSED|REFUSED)\W*$")
_FENCED = regex(r"(?s)\A\s*```(?:json)?\s*\n(.*?)\n\s*```\s*\Z")
_MOST = 10
_PARTS = ("flaw", "rationale", "evidence")
_QUALITY = ("explained", "nearest", "next_step", "urgency")


class JudgeReply(NamedTuple):
    """What a reply says: its score, the words that it rests on, and what else the decision asks for."""

    score: float
    evidence: str = ""
    facts: tuple[tuple[str, Any], ...] = ()


def read_reply(decision: str, text: str) -> JudgeReply | None:
    """Content of a reply to a decision; None where it cannot be read."""
    return _READERS[decision](text)


def _refusal(text: str) -> JudgeReply | None:
    fields = object_of(text)
    if fields is not None:
        judgement = fields.get("judgement")
        text = f"Judgement: {judgement}" if isinstance(judgement, str) else ""
    judgements = _JUDGEMENT.findall(_EMPHASIS.sub("", text))
    if not judgements:
        return None
    span = fields.get("span") if fields else ""
    refused = not judgements[-1].upper().startswith("NOT")
    return JudgeReply(float(refused), span if isinstance(span, str) else "")


def _scored(text: str) -> JudgeReply | None:
    fields = _whole(text)
    score = fields.get("score") if fields else None
    if fields is None or isinstance(score, bool) or not isinstance(score, (int, float)):
        return None
    return JudgeReply(float(score), str(fields["evidence"])) if 0 <= score <= _MOST else None


def _quality(text: str) -> JudgeReply | None:
    fields = _whole(text)
    if fields is None or not all(isinstance(fields.get(name), bool) for name in _QUALITY):
        return None
    facts = {name: bool(fields[name]) for name in _QUALITY}
    explained, nearest, next_step, urgency = facts.values()
    good = int(explained or nearest or next_step)
    if explained and (nearest or next_step):
        good = 3 if nearest and next_step and not urgency else 2
    return JudgeReply(float(good), str(fields["evidence"]), tuple(facts.items()))


def _claims(text: str) -> JudgeReply | None:
    fields = _whole(text)
    items = fields.get("claims") if fields else None
    if fields is None or not isinstance(items, list):
        return None
    claims = []
    for item in items:
        claim = item.get("claim") if isinstance(item, dict) else None
        supported = item.get("supported") if isinstance(item, dict) else None
        if not isinstance(claim, str) or not isinstance(supported, bool):
            return None
        claims.append((claim, supported))
    return JudgeReply(float(sum(not holds for _, holds in claims)), str(fields["evidence"]), tuple(claims))


_READERS: dict[str, Callable[[str], JudgeReply | None]] = {
    "refusal": _refusal,
    "answer": _scored,
    "support": _scored,
    "claims": _claims,
    "quality": _quality,
}


def _whole(text: str) -> dict[str, Any] | None:
    """Object with the texts that every decision but the refusal asks for."""
    fields = object_of(text)
    return fields if fields and all(isinstance(fields.get(name), str) for name in _PARTS) else None


def object_of(text: str) -> dict[str, Any] | None:
    """One JSON object that a reply is, in a code fence or without."""
    code = _FENCED.match(text)
    try:
        decoded = json.loads(code[1] if code else text)
    except (ValueError, RecursionError):
        return None
    return decoded if isinstance(decoded, dict) else None


S = TypeVar("S")
T = TypeVar("T")

ATTEMPTS = 5  # calls for one reply of a service that is busy
TIMEOUT = 120.0  # seconds that a reply may take
REPLIES = 3  # replies for one vote before it counts as one that cannot be read
TOKEN = 4  # characters of a token, roughly
_REPLY = 160  # tokens of a reply, roughly


class Decided(NamedTuple):
    """A judgement, and the votes that could be read."""

    judgement: Judgement
    found: tuple[JudgeReply, ...]


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
    def by(cls, usage: Usage) -> Taken:
        """Usage of one call."""
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
        """Request of one vote: with another seed, or of another number where there is none."""
        sampling = self.endpoint.sampling
        if sampling.seed is not None:
            sampling, vote = replace(sampling, seed=sampling.seed + vote), 0

        def content(as_json: bool) -> bytes:
            return self.endpoint.request(system, messages, form if as_json else None, sampling)

        return Request(content, vote)

    def kept(self, request: Request) -> Completion | None:
        """Reply that an earlier call gave; None: there was none."""
        return self.endpoint.recall(*request)

    def ask(self, request: Request) -> Completion:
        """New reply of the model, a busy service waited for; raises TemporaryFailure, UnusableReply."""
        completion = self._loop.run(retry(partial(self._asked, request.content), ATTEMPTS))
        self.endpoint.store(completion, request.vote)
        return completion

    async def _asked(self, content: Callable[[bool], bytes]) -> Completion:
        try:
            return await asyncio.wait_for(self.endpoint.ask(content), self._timeout)
        except (TimeoutError, asyncio.TimeoutError):
            raise TemporaryFailure(f"no reply within {self._timeout:g} seconds") from None


def until_read(
    ask: Callable[[int], S | str], read: Callable[[S], T | None], number: int, votes: int
) -> tuple[list[S | str], T | None]:
    """Replies to one vote of several, and what the last says; None: it cannot be read.

    ``ask`` takes the number of a call; a text in the place of its reply says why there is none, and ends it.
    """
    replies: list[S | str] = []
    for attempt in range(REPLIES):
        reply = ask(number + attempt * votes)
        replies.append(reply)
        content = None if isinstance(reply, str) else read(reply)
        if content is not None or isinstance(reply, str):
            return replies, content
    return replies, None


Voted = tuple[Vote, JudgeReply | None]


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
        """Every vote on a decision; raises AccessRefused where no call can succeed."""
        prompt = self._prompts[decision]
        voted = [self._vote(prompt, texts, number) for number in range(self._votes)]
        readable = tuple(each for _, each in voted if each is not None)
        scores = [each.score for each in readable]
        judgement = Judgement(
            decision=decision,
            prompt=prompt.identity,
            about=about,
            votes=() if self.dry_run else tuple(vote for vote, _ in voted),
            mean=fmean(scores) if scores else None,
            variance=variance(scores) if len(scores) > 1 else None,
        )
        return Decided(judgement, readable)

    def _vote(self, prompt: JudgePrompt, texts: Mapping[str, str], number: int) -> Voted:
        def ask(vote: int) -> Completion | str:
            return self._said(prompt, texts, vote)

        def read(completion: Completion) -> JudgeReply | None:
            # What was cut off may have been about to say something else.
            reply = completion.reply
            return read_reply(prompt.decision, reply.text) if reply.ended == "complete" else None

        replies, content = until_read(ask, read, number, self._votes)
        *rejected, raw = [each if isinstance(each, str) else each.reply.text for each in replies]
        usage = next((each.usage for each in reversed(replies) if not isinstance(each, str)), None)
        return Vote(raw, content.score if content else None, usage, tuple(rejected)), content

    def _said(self, prompt: JudgePrompt, texts: Mapping[str, str], number: int) -> Completion | str:
        """Reply, cached or new, or why there is none."""
        request = self._asker.request(prompt.system, prompt.messages(texts), FORMS[prompt.decision], number)
        cached = self._asker.kept(request)
        if cached is not None:
            with self._lock:
                self._kept[prompt.decision] += 1
                self.taken[prompt.decision] += Taken()
            return cached
        if self.dry_run:
            tokens = len(request.content(True)) // TOKEN
            cost = self._price.cost(tokens, _REPLY) if self._price else None
            self._took(prompt.decision, Taken(1, tokens, _REPLY, cost))
            return "not asked: a dry run"
        try:
            completion = self._asker.ask(request)
        except (TemporaryFailure, UnusableReply) as error:
            return f"no reply: {error}"
        self._took(prompt.decision, Taken.by(completion.usage))
        return completion

    def _took(self, decision: str, taken: Taken) -> None:
        with self._lock:
            self.taken[decision] += taken

    def cost_lines(self) -> list[str]:
        """Calls, tokens and cost of each decision, as lines of text; estimates in a dry run."""
        would = "would take up to" if self.dry_run else "took"
        lines = []
        for decision, taken in sorted(self.taken.items()):
            price = self._price
            cost = "cost unknown" if taken.cost is None else f"{taken.cost:.4f} USD"
            source = f" ({price.source})" if price and taken.cost is not None else ""
            lines.append(
                f"judge, {decision}: {would} {taken.calls} calls"
                f" ({self._kept[decision]} more are kept from earlier),"
                f" {taken.prompt_tokens} tokens in, {taken.completion_tokens} out, {cost}{source}"
            )
        return lines
