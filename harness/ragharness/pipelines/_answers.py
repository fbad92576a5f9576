"""What a pipeline returned, read with distrust: an ``Answer`` or none, and a sentence for every oddity.

A string is the text. A mapping or an object is read by its keys or attributes: the text is the first of
``TEXT_KEYS`` that holds one (or holds an object whose own text is one), and beside it ``citations`` or
``sources``, ``confidence``, ``usage`` and ``passages``. Nothing odd is passed over in silence, and nothing
that a pipeline returns can stop a run.
"""

from __future__ import annotations

import inspect

from ragharness.pipelines import _parts
from ragharness.pipelines._parts import MISSING, Get, kind_of
from ragharness.records import Answer

TEXT_KEYS = ("text", "answer", "response", "output", "result", "content")
CITATION_KEYS = ("citations", "sources")

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
    text = _text(get, problems) if get is not None else None
    if get is None or text is None:
        problems.append(f"expected a string, a dict with a text or an Answer, found {kind_of(returned)}")
        return None
    return Answer(
        text=_parts.clean(text, problems, "the text"),
        citations=_parts.citations_of(_first(get, CITATION_KEYS), problems),
        confidence=_parts.confidence_of(_first(get, ("confidence",)), problems),
        passages=_parts.passages_of(_first(get, ("passages",)), problems),
        usage=_parts.usage_of(_first(get, ("usage",)), problems),
    )


def _first(get: Get, names: tuple[str, ...]) -> object:
    """Return the first value that is there and not None, else None."""
    return next((value for value in map(get, names) if value is not MISSING and value is not None), None)


def _text(get: Get, problems: list[str]) -> str | None:
    held = {name: value for name in TEXT_KEYS if (value := get(name)) is not MISSING}
    texts = {name: text for name, value in held.items() if (text := _own_text(value)) is not None}
    for name, value in held.items():
        if name not in texts:
            problems.append(f"{name!r}: expected text, found {kind_of(value)}")
    if not texts:
        return None
    name, text = next(iter(texts.items()))
    if any(other != text for other in texts.values()):
        problems.append(f"several texts were returned ({', '.join(texts)}); {name!r} was read")
    return text


def _own_text(value: object) -> str | None:
    """Return a value that is text, or the text that it carries (a chat message does)."""
    if isinstance(value, str):
        return str.__str__(value)
    get = _parts.getter(value)
    inner = _first(get, ("content", "text")) if get is not None else None
    return str.__str__(inner) if isinstance(inner, str) else None
