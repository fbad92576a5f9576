"""Parses the result of a pipeline: an ``Answer`` or None, and a sentence for everything malformed.

A string is the text. A mapping or an object is read by its keys or attributes: the text is the first of
``TEXT_KEYS`` that holds one (or holds an object whose own text is one), and beside it ``citations`` or
``sources``, ``confidence``, ``usage`` and passages. What LangChain's chains and LlamaIndex's engines return
is read so, too. Nothing odd is passed over in silence, and nothing that a pipeline returns can stop a run.

A passage is a text alone, a dict or an object with a text and an id, a LangChain ``Document``, a LlamaIndex
node with or without its score: told by their attributes, so that neither library is imported. What it says of
its place may stand in its ``metadata``; one without an id gets one made of its document and where it begins.
"""

from __future__ import annotations

import inspect
from itertools import islice
from typing import TYPE_CHECKING

from ragharness.language.tables import regex
from ragharness.pipelines import _parts
from ragharness.pipelines._parts import (
    ID_LIMIT,
    MISSING,
    PASSAGE_LIMIT,
    PASSAGE_TEXT_LIMIT,
    Get,
    clean,
    kind_of,
)
from ragharness.records import Answer, Passage

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

TEXT_KEYS = ("text", "answer", "response", "output", "result", "content")
CITATION_KEYS = ("citations", "sources")
USAGE_KEYS = ("usage", "usage_metadata")

PROBLEM_LIMIT = 20
"""Sentences kept about one answer."""

PASSAGES_KEYS = ("passages", "source_nodes", "source_documents", "contexts", "context", "documents")
"""Where passages are looked for; the first that holds a list is read."""

PASSAGE_TEXT_KEYS = ("text", "page_content", "content")
ID_KEYS = ("id", "passage_id", "chunk_id", "node_id", "id_")
DOCUMENT_KEYS = ("document", "document_id", "doc_id", "ref_doc_id", "source", "file_name", "file_path", "url")
TITLE_KEYS = ("title", "document_title")
START_KEYS = ("start", "start_index", "start_char_idx")
END_KEYS = ("end", "end_index", "end_char_idx")

_ID = regex(r"\S{1,100}")
"""A lone string of this shape is the id of a passage, any other a passage's text."""


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


def passages_of(get: Get, problems: list[str]) -> tuple[Passage, ...] | None:
    """Return the passages of an answer, without those that have neither a text nor a place."""
    value = _listed(get, problems)
    if value is None:
        return None
    found = list(islice(iter(value), PASSAGE_LIMIT + 1))
    if len(found) > PASSAGE_LIMIT:
        problems.append(f"passages holds more than {PASSAGE_LIMIT:,} entries; the rest was left out")
    read = [_passage(each, number, problems) for number, each in enumerate(found[:PASSAGE_LIMIT], start=1)]
    kept = tuple(each for each in read if each is not None)
    if len(kept) < len(read):
        problems.append(
            f"passages: expected a text in each, or an id, {len(read) - len(kept)} of {len(read)} had neither"
            " and were left out"
        )
    return kept


def _listed(get: Get, problems: list[str]) -> Sequence[object] | None:
    """Return the list of passages; an agent's are what its tools have found before its last message."""
    for key in PASSAGES_KEYS:
        value = get(key)
        if isinstance(value, (list, tuple)):
            return value
        # Only "passages" cannot mean anything else: a "context" is often the text of a prompt.
        if key == "passages" and value is not MISSING and value is not None:
            problems.append(f"passages: expected a list, found {kind_of(value)}; they were left out")
    messages = get("messages")
    found = [_artifact(each) for each in messages] if isinstance(messages, list) else []
    return [each for listed in found for each in listed] if any(found) else None


def _artifact(message: object) -> Sequence[object]:
    get = _parts.getter(message)
    artifact = get("artifact") if get is not None else None
    return artifact if isinstance(artifact, (list, tuple)) else ()


def _passage(value: object, number: int, problems: list[str]) -> Passage | None:
    if isinstance(value, tuple) and len(value) == 2 and isinstance(value[1], (int, float)):
        value = value[0]  # a document with its score
    if isinstance(value, str):
        return _of_text(str.__str__(value), number, problems)
    try:
        return _of_object(value, number, problems)
    except Exception:  # noqa: BLE001 (one odd object must not lose the answer)
        return None


def _of_text(text: str, number: int, problems: list[str]) -> Passage | None:
    if _ID.fullmatch(text):
        return Passage(clean(text, problems, "the id of a passage"), "", "", 0, 0, "")
    kept = clean(text, problems, "the text of a passage", PASSAGE_TEXT_LIMIT)
    return Passage(f"passage-{number}", "", "", 0, 0, kept) if text.strip() else None


def _of_object(value: object, number: int, problems: list[str]) -> Passage | None:
    gets = list(_lookups(value))
    text = next((each for each in _values(gets, PASSAGE_TEXT_KEYS) if isinstance(each, str)), "")
    named = (_parts.identifier(each) for each in _values(gets, ID_KEYS))
    name = next((each.strip() for each in named if each and each.strip() and len(each) <= ID_LIMIT), "")
    document, title = _words(gets, DOCUMENT_KEYS, problems), _words(gets, TITLE_KEYS, problems)
    start = _offset(gets, START_KEYS)
    # An end before the start says nothing; a start alone says where the text begins.
    end = max(_offset(gets, END_KEYS) or (start + len(text) if _has(gets, START_KEYS) else 0), start)
    if not text.strip() and not name and not (document and end > start):
        return None
    kept = clean(text, problems, "the text of a passage", PASSAGE_TEXT_LIMIT)
    made = name or (f"{document}@{start}" if document else f"passage-{number}")
    return Passage(clean(made, problems, "the id of a passage"), document, title, start, end, kept)


def _lookups(value: object) -> Iterator[Get]:
    """Yield how to look into a passage: itself, what it wraps, and the metadata of either."""
    get = _parts.getter(value)
    if get is None:
        return
    wrapped = next((each for name in ("node", "passage", "document") if _is_object(each := get(name))), None)
    for each in (value, wrapped):
        inner = _parts.getter(each) if each is not None else None
        if inner is not None:
            yield inner
            metadata = _parts.getter(inner("metadata"))
            if metadata is not None:
                yield metadata


def _is_object(value: object) -> bool:
    return value is not MISSING and _parts.getter(value) is not None


def _values(gets: Sequence[Get], names: Sequence[str]) -> Iterator[object]:
    for name in names:
        for get in gets:
            value = get(name)
            if value is not MISSING and value is not None:
                yield value


def _words(gets: Sequence[Get], names: Sequence[str], problems: list[str]) -> str:
    found = next((each for each in _values(gets, names) if isinstance(each, str) and each.strip()), "")
    return clean(found, problems, "a name in a passage", ID_LIMIT)


def _has(gets: Sequence[Get], names: Sequence[str]) -> bool:
    return any(isinstance(each, int) for each in _values(gets, names))


def _offset(gets: Sequence[Get], names: Sequence[str]) -> int:
    found = (each for each in _values(gets, names) if isinstance(each, int) and 0 <= each < 2**53)
    return int(next(found, 0))
