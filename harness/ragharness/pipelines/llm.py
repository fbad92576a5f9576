"""A language model as generator: any service of OpenAI's chat completions, or of Anthropic's messages.

``llm`` or ``llm:MODEL``. Settings: ``model``, ``base-url``, ``api``, ``key-env``, ``prompt``,
``temperature``, ``seed``, ``max-tokens``, ``structured``, ``prices``, ``cache``; docs/llm.md says what each
does. Plain HTTP serves both APIs: the clients of their makers repeat failed requests by themselves, and hide
the bytes that are sent, which name an answer in the cache.
"""

from __future__ import annotations

import os
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ragharness.errors import UnusableReply, UsageError
from ragharness.language.tables import regex
from ragharness.pipelines import BuiltPipeline
from ragharness.pipelines._headers import Headers
from ragharness.pipelines._llm.cache import ReplyCache
from ragharness.pipelines._llm.errors import ErrorReply, too_long
from ragharness.pipelines._llm.prices import Price, find_price
from ragharness.pipelines._llm.prompting import DEFAULT, Prompt, load_prompt
from ragharness.pipelines._llm.services import (
    Anthropic,
    OpenAI,
    Reply,
    Sampling,
    Service,
    encode,
    parse_structured,
)
from ragharness.pipelines._replies import json_of
from ragharness.pipelines._services import Client, address, is_page, message_of, must_be_allowed
from ragharness.records import Answer, Usage

if TYPE_CHECKING:
    from collections.abc import Sequence

    import httpx

    from ragharness.options import Options
    from ragharness.pipelines import Context, Setting
    from ragharness.records import Passage

MAX_TOKENS = 512
"""Tokens of an answer at most, unless the user says otherwise."""

MAX_TOKENS_THINKING = 8192
"""The same for models that think first: their thoughts count."""

CONNECT_SECONDS = 10.0
"""How long a service may take to accept a connection; how long it may write is for the run to say."""

_BYTES_OF_TOKEN = 3
"""Fewer than a token of English has, so that an estimate is one from above."""

_HOSTS = {"openai": "https://api.openai.com/v1", "anthropic": "https://api.anthropic.com/v1"}
_KEYS = {"api.openai.com": "OPENAI_API_KEY", "api.anthropic.com": "ANTHROPIC_API_KEY"}
"""The key of a service is sent to that service alone; any other host gets one only by ``key-env``."""

_THINKING = regex(r"o\d|gpt-(?:[5-9]|\d\d)|claude")
"""Models that think first and take no temperature, by the beginnings of their makers' names."""

_LOCAL = "for a server of your own: --pipeline-option base-url=http://127.0.0.1:8080/v1"


def build(context: Context, argument: str) -> BuiltPipeline:
    """Return the generator; raises UsageError for a setting that cannot be meant, or a key that is absent."""
    options = context.options
    model = _model(options.text("model"), argument)
    api = options.choice("api", "anthropic" if model.startswith("claude") else "openai", _HOSTS)
    url = _endpoint(options.text("base-url") or _HOSTS[api])
    service: Service = Anthropic() if api == "anthropic" else OpenAI(_limit_name(url.host))
    prompt = load_prompt(options.text("prompt", DEFAULT))
    sampling = _sampling(options, model, api, url.host)
    structured = options.choice("structured", "auto", ("auto", "on", "off"))
    price = find_price(model, str(url), _table(options.text("prices")))
    caching = options.flag("cache", default=True)
    cache = ReplyCache(context.cache / "llm" if context.cache and caching else None)
    key_env = options.text("key-env")
    # A misspelt setting is told before a key that is absent: whoever mends that one would come back.
    options.finish("the pipeline 'llm'")
    must_be_allowed(url, offline=options.offline)
    key_name = _key_name(key_env, url.host)
    headers = Headers({service.key_header: service.key_value.format(f"ENV:{key_name}")} if key_name else {})
    client = Client(
        url.copy_with(path=url.path.rstrip("/") + service.path),
        headers,
        service.headers,
        connect_seconds=CONNECT_SECONDS,
        if_absent="start the server, or correct --base-url",
    )
    forms = {"auto": (True, False), "on": (True,), "off": (False,)}[structured]
    generator = Generator(client, service, model, key_name, prompt, sampling, forms, price, cache)
    return BuiltPipeline(
        generator.answer,
        name=f"llm-{model}",
        settings=_settings(api, url, model, prompt, sampling, structured),
        source=_source(),
        recall=generator.recall,
        estimate=generator.estimate,
    )


@dataclass
class Generator:
    """Asks one model."""

    client: Client
    service: Service
    model: str
    key_name: str
    prompt: Prompt
    sampling: Sampling
    forms: tuple[bool, ...]
    """Whether to ask for a structured reply; of two, the second once the first was refused."""
    price: Price | None
    cache: ReplyCache

    def recall(self, question: str, passages: Sequence[Passage]) -> Answer | None:
        """Return the answer that an earlier call gave to the very same request, or None."""
        for as_json in self.forms:
            found = self.cache.find(self.client.where, self._request(question, passages, as_json))
            if found is not None:
                return self._answer(*found, as_json, from_cache=True)
        return None

    def estimate(self, question: str, passages: Sequence[Passage]) -> Usage:
        """Return the most that a call will use: its bytes as tokens, and as long an answer as is allowed."""
        prompt = len(self._request(question, passages, self.forms[0])) // _BYTES_OF_TOKEN
        completion = self.sampling.max_tokens
        cost = None if self.price is None else self.price.cost(prompt, completion)
        return Usage(prompt, completion, cost)

    async def answer(self, question: str, passages: Sequence[Passage]) -> Answer:
        """Ask the model.

        Raises TemporaryFailure for what another try may mend, AccessRefused for what no question can escape,
        and UnusableReply, with what was paid for, for an answer that must not be graded.
        """
        as_json, *others = self.forms
        request = self._request(question, passages, as_json)
        reply, seconds = await self._ask(request)
        if isinstance(reply, ErrorReply) and others and reply.of_structure:
            # The service cannot do it: no later question asks for it either.
            self.forms = (False,)
            as_json, request = False, self._request(question, passages, False)
            reply, seconds = await self._ask(request)
        if isinstance(reply, ErrorReply):
            raise reply.error()
        answer = self._answer(reply, seconds, as_json)
        problem = self._problem(reply, answer)
        if problem is not None:
            raise problem
        if answer.text.strip():
            self.cache.keep(self.client.where, request, reply, seconds)
        return answer

    async def _ask(self, request: bytes) -> tuple[Reply | ErrorReply, float]:
        """Send it once; return the reply, or why there is none, and the seconds that it took."""
        began = time.perf_counter()
        got = await self.client.ask(content=request)
        seconds = time.perf_counter() - began
        if not got.is_success:
            return ErrorReply(got, self.model, self.key_name), seconds
        text = got.text()
        if is_page(text):
            raise UnusableReply(f"expected JSON of {got.where}, found a web page: {message_of(text)}")
        return self.service.read(json_of(text)), seconds

    def _request(self, question: str, passages: Sequence[Passage], as_json: bool) -> bytes:
        instruction = self.prompt.instruction(as_json)
        messages = self.prompt.messages(question, passages, as_json)
        return encode(self.service.body(self.model, instruction, messages, self.sampling, as_json))

    def _answer(self, reply: Reply, seconds: float, as_json: bool, *, from_cache: bool = False) -> Answer:
        text, citations = parse_structured(reply.text) if as_json else (reply.text, None)
        prompt, completion, cost = reply.prompt_tokens, reply.completion_tokens, reply.cost
        if cost is None and self.price is not None and prompt is not None and completion is not None:
            cost = self.price.cost(prompt, completion, reply.cached_tokens)
        usage = Usage(prompt, completion, cost, round(seconds, 6), from_cache)
        return Answer(text=text, citations=citations, usage=usage)

    def _problem(self, reply: Reply, answer: Answer) -> UnusableReply | None:
        """Return what to raise for a reply that is not what the model had to say."""
        if reply.ended == "length":
            return UnusableReply(
                f"the answer was cut off after {self.sampling.max_tokens} tokens",
                help="--pipeline-option max-tokens=N allows for more",
                answer=answer,
            )
        if reply.ended == "filtered":
            return UnusableReply(
                f"the content filter of {self.client.where} cut the answer off", answer=answer
            )
        if reply.ended == "context":
            return too_long(self.model, "it ended where the context was full", answer)
        return None


def _model(given: str, argument: str) -> str:
    if given and argument and given != argument:
        raise UsageError(f"expected one model, found {argument!r} and {given!r}")
    if not (given or argument):
        raise UsageError(
            "expected the name of a model for the pipeline 'llm', found none",
            help=f"ragharness run --pipeline llm --pipeline-option model=NAME; {_LOCAL}",
        )
    return given or argument


def _endpoint(written: str) -> httpx.URL:
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
    return find_price(model, str(_endpoint(base_url or _HOSTS[api])), _table(prices))


def _limit_name(host: str) -> str:
    # The newer name, which OpenAI's thinking models insist on, is unknown to many servers that speak its API.
    return "max_completion_tokens" if host == "api.openai.com" else "max_tokens"


def _sampling(options: Options, model: str, api: str, host: str) -> Sampling:
    thinks = host in _KEYS and _THINKING.match(model) is not None
    temperature = _unless_none(options, "temperature", "none" if thinks else "0")
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
    return Path(given).expanduser() if given else None


def _key_name(given: str, host: str) -> str:
    """Return the environment variable that holds the key; empty: none is sent."""
    name = "" if given == "none" else given or _KEYS.get(host, "")
    if name and not os.environ.get(name, "").strip():
        raise UsageError(
            f"expected the key of {host} in the environment variable {name}, found none",
            help=f"export {name}=..., or name another variable: --pipeline-option key-env=NAME; {_LOCAL}",
        )
    return name


def _settings(
    api: str, url: httpx.URL, model: str, prompt: Prompt, sampling: Sampling, structured: str
) -> dict[str, Setting]:
    return {
        "model": model,
        "api": api,
        "base_url": str(url),
        "prompt": f"{prompt.name} version {prompt.version}",
        "prompt_digest": prompt.digest,
        "temperature": "none" if sampling.temperature is None else sampling.temperature,
        "seed": "none" if sampling.seed is None else sampling.seed,
        "max_tokens": sampling.max_tokens,
        "structured": structured,
    }


def _source() -> bytes:
    """Return the code that makes requests and reads replies: other code, other answers to expect."""
    folder = Path(__file__).parent / "_llm"
    return b"\n".join((folder / f"{name}.py").read_bytes() for name in ("prompting", "services"))
