"""The parts of ``--pipeline llm``: prompts, service APIs, prices, the answer cache."""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from ragharness.errors import UnusableReply, UsageError
from ragharness.language.tables import regex
from ragharness.pipelines._services import (
    Client,
    Headers,
    address,
    is_page,
    json_of,
    message_of,
    must_be_allowed,
)
from ragharness.pipelines.llm_client.prices import Price, find_price
from ragharness.pipelines.llm_client.prompting import Message
from ragharness.pipelines.llm_client.services import (
    Anthropic,
    ErrorReply,
    Form,
    OpenAI,
    Reply,
    Sampling,
    Service,
    encode,
)
from ragharness.records import Usage
from ragharness.support.files import expand_home, write_atomic
from ragharness.support.options import Options

if TYPE_CHECKING:
    import httpx


FORMAT = 1
"""Raised when a kept reply changes its meaning."""

MAX_TOKENS = 512
"""Tokens of a reply at most, unless the user says otherwise."""

MAX_TOKENS_THINKING = 8192
"""The same for models that think first: their thoughts count."""

_BYTES_OF_TOKEN = 3
"""Fewer than a token of English has, so that an estimate is one from above."""

CONNECT_SECONDS = 10.0
"""How long a service may take to accept a connection; how long it may write is for the run to say."""

_HOSTS = {"openai": "https://api.openai.com/v1", "anthropic": "https://api.anthropic.com/v1"}
_KEYS = {"api.openai.com": "OPENAI_API_KEY", "api.anthropic.com": "ANTHROPIC_API_KEY"}
"""The key of a service is sent to that service alone; any other host gets one only by ``key-env``."""

_THINKING = regex(r"o\d|gpt-(?:[5-9]|\d\d)|claude")
"""Models that think first and take no temperature, by the beginnings of their makers' names."""


class ReplyCache:
    """Replies by the request that they answer: the address and the bytes that were sent, never a key.

    Files rather than a database: writing one is a rename, so that threads and processes cannot harm each
    other, and a file that is torn or altered is as good as none.
    """

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder

    def find(self, address: str, request: bytes) -> tuple[Reply, float] | None:
        """Return the reply and the seconds that its call took; None where none is kept."""
        path = self._path(address, request)
        try:
            held: Any = json.loads(path.read_bytes()) if path else None
            reply, seconds = Reply(**held["reply"]), float(held["seconds"])
            whole = held["digest"] == _digest(held["reply"], seconds)
        except (OSError, ValueError, TypeError, KeyError, RecursionError):
            return None
        return (reply, seconds) if whole else None

    def keep(self, address: str, request: bytes, reply: Reply, seconds: float) -> None:
        """Keep a reply; a cache that cannot be written is no error."""
        path = self._path(address, request)
        if path is None:
            return
        told = asdict(reply)
        content = {"reply": told, "seconds": seconds, "digest": _digest(told, seconds)}
        with suppress(OSError):
            write_atomic(path, json.dumps(content).encode(), private=True)

    def _path(self, address: str, request: bytes) -> Path | None:
        if self._folder is None:
            return None
        key = hashlib.sha256(f"{FORMAT}\n{address}\n".encode() + request).hexdigest()
        return self._folder / key[:2] / f"{key[2:]}.json"


def _digest(reply: dict[str, Any], seconds: float) -> str:
    known = {field.name: reply.get(field.name) for field in fields(Reply)}
    return hashlib.sha256(json.dumps([known, seconds], sort_keys=True).encode()).hexdigest()


class Said(NamedTuple):
    """What a model replied to a request, whether as JSON was asked for, and what the call took."""

    reply: Reply
    usage: Usage
    as_json: bool
    request: bytes
    seconds: float


@dataclass
class Endpoint:
    """A model where it is served; each request is sent once."""

    client: Client
    service: Service
    api: str
    url: httpx.URL
    model: str
    key_name: str
    sampling: Sampling
    structured: str
    forms: tuple[bool, ...]
    """Whether to ask for a structured reply; of two, the second once the first was refused."""
    price: Price | None
    cache: ReplyCache
    written: Callable[[str], str]
    """How a setting is given, up to its value."""

    def request(
        self,
        instruction: str,
        messages: Sequence[Message],
        form: Form | None,
        sampling: Sampling | None = None,
    ) -> bytes:
        """Return the bytes to send."""
        return encode(self.service.body(self.model, instruction, messages, sampling or self.sampling, form))

    def recall(self, request: Callable[[bool], bytes], vote: int = 0) -> Said | None:
        """Return the reply that an earlier call gave to the very same request, or None.

        ``request`` makes the bytes, for a structured reply or for a plain one. ``vote`` tells replies to
        equal requests apart.
        """
        for as_json in self.forms:
            sent = request(as_json)
            found = self.cache.find(self._address(vote), sent)
            if found is not None:
                reply, seconds = found
                return Said(reply, self._usage(reply, seconds, from_cache=True), as_json, sent, seconds)
        return None

    def estimate(self, request: Callable[[bool], bytes]) -> Usage:
        """Return the most that a call will use: its bytes as tokens, and as long a reply as is allowed."""
        prompt = len(request(self.forms[0])) // _BYTES_OF_TOKEN
        completion = self.sampling.max_tokens
        return Usage(prompt, completion, None if self.price is None else self.price.cost(prompt, completion))

    async def ask(self, request: Callable[[bool], bytes]) -> Said:
        """Ask the model.

        Raises TemporaryFailure for what another try may mend, AccessRefused for what no request can escape,
        and UnusableReply for no reply of the API.
        """
        as_json, *others = self.forms
        sent = request(as_json)
        reply, seconds = await self._sent(sent)
        if isinstance(reply, ErrorReply) and others and reply.of_structure:
            # The service cannot do it: no later request asks for it either.
            self.forms = (False,)
            as_json, sent = False, request(False)
            reply, seconds = await self._sent(sent)
        if isinstance(reply, ErrorReply):
            raise reply.error()
        return Said(reply, self._usage(reply, seconds), as_json, sent, seconds)

    def keep(self, said: Said, vote: int = 0) -> None:
        """Keep a reply for the next time that the same is asked."""
        self.cache.keep(self._address(vote), said.request, said.reply, said.seconds)

    def _address(self, vote: int) -> str:
        return f"{self.client.where}#{vote}" if vote else self.client.where

    async def _sent(self, request: bytes) -> tuple[Reply | ErrorReply, float]:
        """Send it once; return the reply, or why there is none, and the seconds that it took."""
        began = time.perf_counter()
        got = await self.client.ask(content=request)
        seconds = time.perf_counter() - began
        if not got.is_success:
            return ErrorReply(got, self.model, self.key_name, self.written), seconds
        text = got.text()
        if is_page(text):
            raise UnusableReply(f"expected JSON of {got.where}, found a web page: {message_of(text)}")
        return self.service.read(json_of(text)), seconds

    def _usage(self, reply: Reply, seconds: float, *, from_cache: bool = False) -> Usage:
        prompt, completion, cost = reply.prompt_tokens, reply.completion_tokens, reply.cost
        if cost is None and self.price is not None and prompt is not None and completion is not None:
            cost = self.price.cost(prompt, completion, reply.cached_tokens)
        return Usage(prompt, completion, cost, round(seconds, 6), from_cache)


def connect(
    options: Options, model: str, folder: Path | None, what: str, *, temperature: str = "0"
) -> Endpoint:
    """Return a model by its settings; ``what`` takes them, ``folder`` keeps its replies.

    ``temperature`` is the default of models that take one.
    Raises UsageError for a setting that cannot be meant, or a key that is absent.
    """
    api = options.choice("api", "anthropic" if model.startswith("claude") else "openai", _HOSTS)
    url = base_of(options.text("base-url") or _HOSTS[api])
    service: Service = Anthropic() if api == "anthropic" else OpenAI(_limit_name(url.host))
    sampling = _sampling(options, model, api, url.host, temperature)
    structured = options.choice("structured", "auto", ("auto", "on", "off"))
    price = find_price(model, str(url), _table(options.text("prices")))
    caching = options.flag("cache", default=True)
    cache = ReplyCache(folder if caching else None)
    key_env = options.text("key-env")
    # A misspelt setting is told before a key that is absent: whoever mends that one would come back.
    options.finish(what)
    must_be_allowed(url, offline=options.offline)
    key_name = _key_name(key_env, url.host, options.written)
    headers = Headers({service.key_header: service.key_value.format(f"ENV:{key_name}")} if key_name else {})
    client = Client(
        url.copy_with(path=url.path.rstrip("/") + service.path),
        headers,
        service.headers,
        connect_seconds=CONNECT_SECONDS,
        if_absent="start the server, or correct the base URL",
    )
    forms = {"auto": (True, False), "on": (True,), "off": (False,)}[structured]
    written = options.written
    return Endpoint(
        client, service, api, url, model, key_name, sampling, structured, forms, price, cache, written
    )


def base_of(written: str) -> httpx.URL:
    """Return the base of an API's paths: what stands before ``/chat/completions`` or ``/messages``."""
    url = address(written)
    if url.scheme not in ("http", "https") or url.query:
        raise UsageError(f"expected a base URL like {_HOSTS['openai']}, found {written[:200]!r}")
    path = url.path.rstrip("/")
    for ending in (OpenAI.path, Anthropic.path):
        path = path.removesuffix(ending)
    return url.copy_with(path=path or "/v1")


def price_of(model: str, base_url: str = "", prices: str = "") -> Price | None:
    """Return what a model costs where it is served; None: nobody says."""
    api = "anthropic" if model.startswith("claude") else "openai"
    return find_price(model, str(base_of(base_url or _HOSTS[api])), _table(prices))


def _limit_name(host: str) -> str:
    # The newer name, which OpenAI's thinking models insist on, is unknown to many servers that speak its API.
    return "max_completion_tokens" if host == "api.openai.com" else "max_tokens"


def _sampling(options: Options, model: str, api: str, host: str, usual: str) -> Sampling:
    thinks = host in _KEYS and _THINKING.match(model) is not None
    temperature = _unless_none(options, "temperature", "none" if thinks else usual)
    # Anthropic's API has no seed.
    seed = _unless_none(options, "seed", "none" if thinks or api == "anthropic" else "0")
    limit = options.whole("max-tokens", MAX_TOKENS_THINKING if thinks else MAX_TOKENS, least=1)
    return Sampling(temperature, None if seed is None else int(seed), limit)


def _unless_none(options: Options, name: str, default: str) -> float | None:
    if options.text(name, default) == "none":
        return None
    return (
        options.number(name, float(default)) if name == "temperature" else options.whole(name, int(default))
    )


def _table(given: str) -> Path | None:
    return expand_home(given) if given else None


def local(written: Callable[[str], str]) -> str:
    """Return how a server of the user's own is named."""
    return f"for a server of your own: {written('base-url')}http://127.0.0.1:8080/v1"


def _key_name(given: str, host: str, written: Callable[[str], str]) -> str:
    """Return the environment variable that holds the key; empty: none is sent."""
    name = "" if given == "none" else given or _KEYS.get(host, "")
    if name and not os.environ.get(name, "").strip():
        raise UsageError(
            f"expected the key of {host} in the environment variable {name}, found none",
            help=f"export {name}=..., or name another variable: {written('key-env')}NAME; {local(written)}",
        )
    return name
