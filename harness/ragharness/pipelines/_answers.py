"""Parses the result of a pipeline: an ``Answer`` or None, and a sentence for everything malformed.

A string is the text. A mapping or an object is read by its keys or attributes: the text is the first of
``TEXT_KEYS`` that holds one (or holds an object whose own text is one), and beside it ``citations`` or
``sources``, ``confidence``, ``usage`` and passages. What LangChain's chains and LlamaIndex's engines return
is read so, too. Nothing odd is passed over in silence, and nothing that a pipeline returns can stop a run.
"""

from __future__ import annotations

import inspect

from ragharness.pipelines import _parts
from ragharness.pipelines._brought import passages_of
from ragharness.pipelines._parts import MISSING, Get, kind_of
from ragharness.records import Answer

TEXT_KEYS = ("text", "answer", "response", "output", "result", "content")
CITATION_KEYS = ("citations", "sources")
USAGE_KEYS = ("usage", "usage_metadata")

PROBLEM_LIMIT = 20
"""Sentences kept about one answer."""


def read_answer(returned: object) -> tuple[Answer | None, tuple[str, ...]]:
    """Return the answer, None when there is nothing usable, and what was wrong; never raises."""
    problems: list[str] = []
    try:
        answer = _answer(returned, problems)
    except (Exception, SystemExit) as error:  # noqa: BLE001 (the object is the user's and may do anything)
        answer = None
        problems.append(f"reading what the pipeline returned raised {kind_of(error)}")
    return answer, tuple(dict.fromkeys(problems))[:PROBLEM_LIMIT]


def _answer(returned: object, problems: list[str]) -> Answer | None:
    if isinstance(returned, str):
        return Answer(text=_parts.clean(returned, problems, "the text"))
    if inspect.iscoroutine(returned):
        returned.close()
    get = _parts.getter(returned)
    text, carrier = _text(get, problems) if get is not None else (None, None)
    if get is None or text is None:
        problems.append(f"expected a string, a dict with a text or an Answer, found {kind_of(returned)}")
        return None
    gets = [get, *([carrier] if carrier is not None else [])]
    # What a framework calls sources beside the passages that it found are those again, not citations.
    found_apart = any(isinstance(get(name), list) for name in ("source_nodes", "source_documents"))
    citation_keys = CITATION_KEYS[:1] if found_apart else CITATION_KEYS
    return Answer(
        text=_parts.clean(text, problems, "the text"),
        citations=_parts.citations_of(_first(gets, citation_keys), problems),
        confidence=_parts.confidence_of(_first(gets, ("confidence",)), problems),
        passages=passages_of(get, problems),
        usage=_parts.usage_of(_first(gets, USAGE_KEYS), problems),
    )


def _first(gets: list[Get], names: tuple[str, ...]) -> object:
    """Return the first value that is there and not None, else None."""
    values = (get(name) for get in gets for name in names)
    return next((value for value in values if value is not MISSING and value is not None), None)


def _text(get: Get, problems: list[str]) -> tuple[str | None, Get | None]:
    """Return the text, and how to look into the object that carries it where that is another."""
    held = {name: value for name in TEXT_KEYS if (value := get(name)) is not MISSING and not _method(value)}
    if not held and isinstance(messages := get("messages"), list) and messages:
        held = {"messages": messages[-1]}
    texts = {name: text for name, value in held.items() if (text := _own_text(value)) is not None}
    for name, value in held.items():
        if name not in texts:
            problems.append(f"{name!r}: expected text, found {kind_of(value)}")
    if not texts:
        return None, None
    name, text = next(iter(texts.items()))
    if any(other != text for other in texts.values()):
        problems.append(f"several texts were returned ({', '.join(texts)}); {name!r} was read")
    return text, _parts.getter(held[name])


def _own_text(value: object) -> str | None:
    """Return a value that is text, or the text that it carries, as a message or a structured answer does."""
    if isinstance(value, str):
        return str.__str__(value)
    if isinstance(value, list):
        return _of_blocks(value)
    get = _parts.getter(value)
    if get is None:
        return None
    inner = _first([get], ("content", "text", "answer"))
    if isinstance(inner, list):
        return _of_blocks(inner)
    return str.__str__(inner) if isinstance(inner, str) else None


def _of_blocks(blocks: list[object]) -> str | None:
    """Return the text of a message that comes in blocks, thoughts and calls of tools left out."""
    gets = [_parts.getter(each) for each in blocks]
    if not blocks or not all(get is not None and isinstance(get("type"), str) for get in gets):
        return None
    texts = [text for get in gets if get is not None and isinstance(text := get("text"), str)]
    return "".join(texts) if texts else None


def _method(value: object) -> bool:
    return inspect.ismethod(value) or inspect.isfunction(value)
