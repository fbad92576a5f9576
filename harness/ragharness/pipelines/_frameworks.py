"""Objects called by a method: a chain by ``invoke``, a query engine by ``query``, a chat by ``chat``.

Told by their methods, so that no framework is imported. What they return is read by ``_answers``.
"""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any

from ragharness.pipelines._shape import QUESTION_NAMES

if TYPE_CHECKING:
    from collections.abc import Callable

METHODS = ("invoke", "query", "chat", "ainvoke", "aquery", "achat")
"""The ways to ask, in the order in which they are tried."""


def asked_by_method(found: Any) -> Callable[..., object] | None:
    """Return a pipeline that asks the object, or None for one that is called, or that has no such method."""
    if inspect.isclass(found) or inspect.isroutine(found):
        return None
    # A chain of the older kind may be called, too, but means something else by it.
    is_chain = callable(getattr(found, "invoke", None)) and callable(getattr(found, "ainvoke", None))
    if callable(found) and not is_chain:
        return None
    name = next((each for each in METHODS if callable(getattr(found, each, None))), "")
    if not name:
        return None
    method = getattr(found, name)
    wrap = _input_of(found) if name.endswith("invoke") else str
    if not name.startswith("a"):
        return lambda question: method(wrap(question))

    async def answer(question: str) -> object:
        return await method(wrap(question))

    return answer


def _input_of(chain: Any) -> Callable[[str], object]:
    """Return how a chain wants its question: as a text, under a name, or as the message of a conversation."""
    schema = _schema_of(chain)
    fields = schema.get("properties") or {}
    if schema.get("type") != "object" or not fields:
        return str
    if "messages" in fields:
        return lambda question: {"messages": [{"role": "user", "content": question}]}
    required = schema.get("required") or list(fields)
    named = [each for each in (*required, *fields) if each.lower() in QUESTION_NAMES]
    name = next(iter(named), required[0])
    empty: dict[str, list[object]] = {each: [] for each in required if each == "chat_history"}
    return lambda question: {**empty, name: question}


def _schema_of(chain: Any) -> dict[str, Any]:
    ask = getattr(chain, "get_input_jsonschema", None)
    try:
        schema = ask() if callable(ask) else {}
    except Exception:  # noqa: BLE001 (a chain of parts without types has none to give)
        return {}
    return schema if isinstance(schema, dict) else {}
