"""A language model behind an API: its settings, requests, replies, their cache and their cost."""

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
from ragharness.pipelines.llm_client.prompting import Message
from ragharness.pipelines.llm_client.services import (
    Anthropic,
    ErrorReply,
    Form,
    OpenAI,
    Price,
    Reply,
    Request,
    Sampling,
    Service,
    encode,
    find_price,
)
from ragharness.records import Usage
from ragharness.support.files import write_atomic
from ragharness.support.options import Options

if TYPE_CHECKING:
    import httpx

FORMAT = 1  # raised when a cached reply changes its meaning
MAX_TOKENS = 512  # tokens of a reply at most, unless the user says otherwise
MAX_TOKENS_THINKING = 8192  # the same for models that think first: their thoughts count
CONNECT_SECONDS = 10.0  # for a service to accept a connection; how long it may write, the run says
_BYTES_OF_TOKEN = 3  # fewer than a token of English has, so that an estimate is one from above
_HOSTS = {"openai": "https://api.openai.com/v1", "anthropic": "https://api.anthropic.com/v1"}
_KEYS = {"api.openai.com": "OPENAI_API_KEY", "api.anthropic.com": "ANTHROPIC_API_KEY"}
"""The key of a service is sent to that service alone; any other host gets one only by ``key-env``."""

_THINKING = regex(r"o\d|gpt-(?:[5-9]|\d\d)|claude")  # models that think first and take no temperature


class ReplyCache:
    """Replies by the request that they answer: the address and the bytes that were sent, never a key.

    Files rather than a database: writing one is a rename, so that threads and processes cannot harm each
    other, and a file that is torn or altered is as good as none.
    """

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder

    def find(self, address: str, request: bytes) -> tuple[Reply, float] | None:
        """The reply and the seconds that its call took; None where none is cached."""
        path = self._path(address, request)
        try:
            content: Any = json.loads(path.read_bytes()) if path else None
            reply, seconds = Reply(**content["reply"]), float(content["seconds"])
            sound = content["digest"] == _digest(content["reply"], seconds)
        except (OSError, ValueError, TypeError, KeyError, RecursionError):
            return None
        return (reply, seconds) if sound else None

    def store(self, address: str, request: bytes, reply: Reply, seconds: float) -> None:
        """Store a reply; a cache that cannot be written is no error."""
        if path := self._path(address, request):
            fields = asdict(reply)
            content = {"reply": fields, "seconds": seconds, "digest": _digest(fields, seconds)}
            with suppress(OSError):
                write_atomic(path, json.dumps(content).encode(), private=True)

    def _path(self, address: str, request: bytes) -> Path | None:
        if self._folder is None:
            return None
        key = hashlib.sha256(f"{FORMAT}\n{address}\n".encode() + request).hexdigest()
        return self._folder / key[:2] / f"{key[2:]}.json"


def _digest(reply: dict[str, Any], seconds: float) -> str:
    values = {field.name: reply.get(field.name) for field in fields(Reply)}
    return hashlib.sha256(json.dumps([values, seconds], sort_keys=True).encode()).hexdigest()


class Completion(NamedTuple):
    """A model's reply to a request, whether as JSON was asked for, and what the call took."""

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
    forms: tuple[bool, ...]  # whether to ask for a structured reply; the second once the first was refused
    price: Price | None
    cache: ReplyCache
    written: Callable[[str], str]  # how a setting is given, up to its value

    def request(
        self,
        instruction: str,
        messages: Sequence[Message],
        form: Form | None,
        sampling: Sampling | None = None,
    ) -> bytes:
        """The bytes to send."""
        request = Request(self.model, instruction, messages, sampling or self.sampling, form)
        return encode(self.service.body(request))

    def recall(self, request: Callable[[bool], bytes], vote: int = 0) -> Completion | None:
        """The reply that an earlier call gave to the very same request, or None.

        ``request`` makes the bytes, for a structured reply or for a plain one. ``vote`` tells replies to
        equal requests apart.
        """
        for as_json in self.forms:
            content = request(as_json)
            if cached := self.cache.find(self._address(vote), content):
                reply, seconds = cached
                return Completion(reply, self._usage(reply, seconds, True), as_json, content, seconds)
        return None

    def estimate(self, request: Callable[[bool], bytes]) -> Usage:
        """The most that a call will use: its bytes as tokens, and as long a reply as is allowed."""
        prompt = len(request(self.forms[0])) // _BYTES_OF_TOKEN
        completion = self.sampling.max_tokens
        return Usage(prompt, completion, None if self.price is None else self.price.cost(prompt, completion))

    async def ask(self, request: Callable[[bool], bytes]) -> Completion:
        """Ask the model.

        Raises TemporaryFailure for what another try may mend, AccessRefused for what no request can escape,
        and UnusableReply for no reply of the API.
        """
        as_json = self.forms[0]
        content = request(as_json)
        reply, seconds = await self._send(content)
        if isinstance(reply, ErrorReply) and len(self.forms) > 1 and reply.of_structure:
            # The service cannot do it: no later request asks for it either.
            self.forms = (False,)
            as_json, content = False, request(False)
            reply, seconds = await self._send(content)
        if isinstance(reply, ErrorReply):
            raise reply.error()
        return Completion(reply, self._usage(reply, seconds), as_json, content, seconds)

    def store(self, completion: Completion, vote: int = 0) -> None:
        """Store a reply for the next time that the same is asked."""
        self.cache.store(self._address(vote), completion.request, completion.reply, completion.seconds)

    def _address(self, vote: int) -> str:
        return f"{self.client.where}#{vote}" if vote else self.client.where

    async def _send(self, content: bytes) -> tuple[Reply | ErrorReply, float]:
        """Send it once; return the reply, or why there is none, and the seconds that it took."""
        began = time.perf_counter()
        reply = await self.client.ask(content=content)
        seconds = time.perf_counter() - began
        if not reply.is_success:
            return ErrorReply(reply, self.model, self.key_name, self.written), seconds
        text = reply.text()
        if is_page(text):
            raise UnusableReply(f"expected JSON of {reply.where}, found a web page: {message_of(text)}")
        return self.service.read(json_of(text)), seconds

    def _usage(self, reply: Reply, seconds: float, from_cache: bool = False) -> Usage:
        prompt, completion, cost = reply.prompt_tokens, reply.completion_tokens, reply.cost
        if cost is None and self.price is not None and prompt is not None and completion is not None:
            cost = self.price.cost(prompt, completion, reply.cached_tokens)
        return Usage(prompt, completion, cost, round(seconds, 6), from_cache)


def connect(
    options: Options,
    model: str,
    folder: Path | None,
    what: str,
    *,
    temperature: str = "0",
    max_tokens: int = MAX_TOKENS,
) -> Endpoint:
    """A model by its settings; ``what`` takes them, ``folder`` holds its replies.

    ``temperature`` is the default of models that take one, ``max_tokens`` that of models that answer at once.
    Raises UsageError for a setting that cannot be meant, or a key that is absent.
    """
    api = options.choice("api", _api_of(model), _HOSTS)
    url = _base_of(options.text("base-url") or _HOSTS[api])
    # The newer name, which OpenAI's thinking models insist on, is unknown to many servers that speak its API.
    limit_name = "max_completion_tokens" if url.host == "api.openai.com" else "max_tokens"
    service: Service = Anthropic() if api == "anthropic" else OpenAI(limit_name)
    sampling = _sampling(options, model, api, url.host, temperature, max_tokens)
    structured = options.choice("structured", "auto", ("auto", "on", "off"))
    price = find_price(model, str(url), options.text("prices"))
    cache = ReplyCache(folder if options.flag("cache", default=True) else None)
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
    return Endpoint(
        client, service, api, url, model, key_name, sampling, structured, forms, price, cache, options.written
    )


def price_of(model: str, base_url: str = "", prices: str = "") -> Price | None:
    """The price of a model where it is served, or None if unlisted."""
    return find_price(model, str(_base_of(base_url or _HOSTS[_api_of(model)])), prices)


def local(written: Callable[[str], str]) -> str:
    """How a server of the user's own is named."""
    return f"for a server of your own: {written('base-url')}http://127.0.0.1:8080/v1"


def _api_of(model: str) -> str:
    return "anthropic" if model.startswith("claude") else "openai"


def _base_of(written: str) -> httpx.URL:
    """The base of an API's paths: what stands before ``/chat/completions`` or ``/messages``."""
    url = address(written)
    if url.scheme not in ("http", "https") or url.query:
        raise UsageError(f"{written[:200]!r} is no base URL: write it like {_HOSTS['openai']}")
    path = url.path.rstrip("/").removesuffix(OpenAI.path).removesuffix(Anthropic.path)
    return url.copy_with(path=path or "/v1")


def _sampling(options: Options, model: str, api: str, host: str, usual: str, max_tokens: int) -> Sampling:
    thinks = host in _KEYS and _THINKING.match(model) is not None
    temperature, seed = None, None
    if options.text("temperature", "none" if thinks else usual) != "none":
        temperature = options.number("temperature", float(usual))
    # Anthropic's API has no seed.
    if options.text("seed", "none" if thinks or api == "anthropic" else "0") != "none":
        seed = options.whole("seed", 0)
    limit = options.whole("max-tokens", MAX_TOKENS_THINKING if thinks else max_tokens, least=1)
    return Sampling(temperature, seed, limit)


def _key_name(key_env: str, host: str, written: Callable[[str], str]) -> str:
    """The environment variable that holds the key; empty: none is sent."""
    name = "" if key_env == "none" else key_env or _KEYS.get(host, "")
    if name and not os.environ.get(name, "").strip():
        raise UsageError(
            f"the environment variable {name}, for the key of {host}, is not set",
            help=f"export {name}=..., or name another variable: {written('key-env')}NAME; {local(written)}",
        )
    return name
