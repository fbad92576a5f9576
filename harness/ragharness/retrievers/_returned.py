"""Parses the results of a user's retriever: passages or their names, each with a score.

An entry is an id, a pair of one with its score, or an object or dict with an ``id`` or a ``text``, such as
our own passages and hits, and the documents and nodes of LangChain and LlamaIndex.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from itertools import islice
from numbers import Real
from typing import Any

from ragharness.errors import RetrieverNotUsable
from ragharness.importing import described
from ragharness.records import Passage

MOST = 1000
"""Entries that are read; more than any ``k`` asks for."""

_HOLDERS = ("passage", "node", "document", "chunk")
_IDS = ("id", "passage_id", "chunk_id", "node_id", "id_")
_TEXTS = ("text", "page_content", "content")
_DOCUMENTS = ("document", "document_id", "doc_id", "source", "file_name")
_STARTS = ("start", "start_char_idx", "start_index")
_ENDS = ("end", "end_char_idx")

Get = Callable[[str], Any]


def read(returned: object, spec: str) -> list[tuple[Passage, float]]:
    """Return each entry as a passage, which may be no more than an id, with its score (0: none was given).

    Raises RetrieverNotUsable for what is no list and for an entry that names nothing.
    """
    as_list = getattr(returned, "tolist", None)
    entries = as_list() if callable(as_list) else returned
    if isinstance(entries, (str, bytes, Mapping)) or not isinstance(entries, Iterable):
        raise _unreadable(f"a list of passages or ids from {spec}", entries)
    return [_entry(each, spec) for each in islice(entries, MOST)]


def _entry(value: Any, spec: str) -> tuple[Passage, float]:
    score: object = None
    if isinstance(value, (tuple, list)) and len(value) == 2 and _is_number(value[1]):
        value, score = value
    elif not isinstance(value, (str, int)):
        score = _first(_getter(value), ("score", "similarity"))
    for _ in range(2):
        if isinstance(value, Passage) or _is_id(value):
            break
        inner = _first(_getter(value), _HOLDERS)
        # A dict may name its document beside its text: that is no passage.
        if inner is None or isinstance(inner, (str, int)):
            break
        value = inner
    passage = _passage(value)
    if passage is None:
        raise _unreadable(f"an id, a passage, or a pair with a score in the list from {spec}", value)
    return passage, float(score) if isinstance(score, Real) and _is_number(score) else 0.0


def _passage(value: Any) -> Passage | None:
    if isinstance(value, Passage):
        return value
    if _is_id(value):
        return Passage(str(value), "", "", 0, 0, "")
    get = _getter(value)
    found, text = _first(get, _IDS), _first(get, _TEXTS)
    name = str(found) if _is_id(found) else ""
    text = text if isinstance(text, str) else ""
    if not name and not text:
        return None
    more = _first(get, ("metadata",))
    if isinstance(more, Mapping):
        get = _either(get, more)
    document, title = _first(get, _DOCUMENTS), _first(get, ("title",))
    start, end = (_offset(_first(get, names)) for names in (_STARTS, _ENDS))
    if start is None:
        start = end = 0
    return Passage(
        name,
        document if isinstance(document, str) else "",
        title if isinstance(title, str) else "",
        start,
        max(start, end if end is not None else start + len(text)),
        text,
    )


def _getter(value: Any) -> Get:
    if isinstance(value, Mapping):
        return value.get
    return lambda name: getattr(value, name, None)


def _either(get: Get, more: Mapping[str, Any]) -> Get:
    def found(name: str) -> Any:
        value = get(name)
        return more.get(name) if value is None else value

    return found


def _first(get: Get, names: tuple[str, ...]) -> Any:
    return next((value for value in map(get, names) if value is not None), None)


def _is_number(value: object) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool)


def _is_id(value: object) -> bool:
    return (isinstance(value, str) and bool(value)) or (
        isinstance(value, int) and not isinstance(value, bool)
    )


def _offset(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


def _unreadable(expected: str, found: object) -> RetrieverNotUsable:
    return RetrieverNotUsable(f"expected {expected}, found {described(found)}", help="see docs/retrieval.md")
