"""Parses the passages that come with an answer, in the shapes that libraries use.

A text alone, a dict or an object with a text and an id, a LangChain ``Document``, a LlamaIndex node with or
without its score: told by their attributes, so that neither library is imported. What a passage says of its
place may stand in its ``metadata``; one without an id gets one made of its document and where it begins.
"""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from ragharness.language.tables import regex
from ragharness.pipelines import _parts
from ragharness.pipelines._parts import ID_LIMIT, MISSING, PASSAGE_LIMIT, PASSAGE_TEXT_LIMIT, clean, kind_of
from ragharness.records import Passage

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ragharness.pipelines._parts import Get

KEYS = ("passages", "source_nodes", "source_documents", "contexts", "context", "documents")
"""Where passages are looked for; the first that holds a list is read."""

TEXT_KEYS = ("text", "page_content", "content")
ID_KEYS = ("id", "passage_id", "chunk_id", "node_id", "id_")
DOCUMENT_KEYS = ("document", "document_id", "doc_id", "ref_doc_id", "source", "file_name", "file_path", "url")
TITLE_KEYS = ("title", "document_title")
START_KEYS = ("start", "start_index", "start_char_idx")
END_KEYS = ("end", "end_index", "end_char_idx")

_ID = regex(r"\S{1,100}")
"""A lone string of this shape is the id of a passage, any other a passage's text."""


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
    for key in KEYS:
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
    text = next((each for each in _values(gets, TEXT_KEYS) if isinstance(each, str)), "")
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
