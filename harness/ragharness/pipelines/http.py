"""A pipeline behind a URL: a question is one request, made from a JSON template, its reply the answer.

Settings: ``method``, ``template``, ``header-NAME`` (a value in which ``ENV:VARIABLE`` stands for what that
environment variable holds, so that no key is written down), and dotted paths to the parts of a reply:
``answer``, ``citations``, ``passages``, ``confidence``, ``usage``. Time limits and repetition are the run's.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

from ragharness.errors import PipelineNotUsable, UnusableReply
from ragharness.pipelines import BuiltPipeline, Context
from ragharness.pipelines._services import (
    Client,
    address,
    failure,
    is_page,
    message_of,
    must_be_allowed,
    must_listen,
)
from ragharness.pipelines._template import PARTS, Paths, Template
from ragharness.pipelines._wire import Headers, json_of
from ragharness.records import Passage

METHODS = ("POST", "GET", "PUT", "PATCH")
TEMPLATE = '{"question": "{question}"}'
"""What is sent when no template is given: such a pipeline retrieves for itself."""


def build(context: Context, argument: str) -> BuiltPipeline:
    """Return the pipeline at ``http:argument``; raises PipelineNotUsable."""
    return build_at(context, f"http:{argument}")


def build_encrypted(context: Context, argument: str) -> BuiltPipeline:
    """Return the pipeline at ``https:argument``; raises PipelineNotUsable."""
    return build_at(context, f"https:{argument}")


def build_at(context: Context, written: str) -> BuiltPipeline:
    """Return the pipeline at a URL at which somebody listens; raises PipelineNotUsable."""
    options = context.options
    url = address(written)
    method = options.choice("method", "POST", METHODS)
    template = Template(options.text("template", TEMPLATE))
    if method == "GET" and not template.text.startswith("{"):
        raise PipelineNotUsable("expected a template that is an object for method=GET: it becomes the query")
    places = {name: options.text(name) for name in ("answer", *PARTS)}
    headers = Headers(options.starting("header-"))
    headers.hide(url.query.decode("ascii", "replace"))
    options.finish(f"the pipeline {written.partition(':')[0]!r}")
    must_be_allowed(url, offline=options.offline)
    must_listen(url)
    endpoint = Endpoint(Client(url, headers, {}), method, template, Paths(**places), context.k)
    settings = {name: path for name, path in places.items() if path} | headers.settings
    return BuiltPipeline(
        endpoint.ask if template.takes_passages else endpoint.ask_alone,
        name=f"{url.netloc.decode()}{url.path}",
        settings={"method": method, "template": template.text, **settings},
        # The query may hold a secret: it counts, but it is not written down.
        source=url.query,
    )


@dataclass(frozen=True)
class Endpoint:
    """Asks questions of one service: what is sent and where its reply holds the answer."""

    client: Client
    method: str
    template: Template
    paths: Paths
    k: int

    async def ask_alone(self, question: str) -> Any:
        """Return what the pipeline answered out of what it knows itself."""
        return await self.ask(question, ())

    async def ask(self, question: str, passages: Sequence[Passage]) -> Any:
        """Return what the pipeline answered.

        Raises AccessRefused, TemporaryFailure for what another try may mend, and UnusableReply for the rest.
        """
        value = self.template.fill(question, passages, self.k)
        if self.method == "GET":
            reply = await self.client.ask("GET", query=_query(value))
        else:
            reply = await self.client.ask(self.method, content=msgspec.json.encode(value))
        text = reply.text()
        if not reply.is_success:
            raise failure(reply, text)
        kind = reply.headers.get("content-type", "").partition(";")[0].strip().lower()
        return self.paths.read(value_of(kind, text))


def value_of(kind: str, text: str) -> Any:
    """Return the JSON value or the plain text of a reply of this content type; raises UnusableReply."""
    if kind == "text/event-stream":
        raise UnusableReply("expected one reply, found a stream of events: ask for one without streaming")
    if is_page(text):
        raise UnusableReply(f"expected JSON or plain text, found a web page: {message_of(text)}")
    if kind.endswith(("json", "javascript")) or text.lstrip()[:1] in ("{", "["):
        return json_of(text)
    return text


def _query(value: dict[str, Any]) -> dict[str, Any]:
    """Return a filled template as a query takes it: texts, numbers, lists of them, anything else as JSON."""

    def plain(part: Any) -> Any:
        return json.dumps(part, ensure_ascii=False) if isinstance(part, (dict, list)) else part

    return {
        key: [plain(each) for each in part] if isinstance(part, list) else plain(part)
        for key, part in value.items()
    }
