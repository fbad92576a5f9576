"""Passages as objects of any library, read by their keys or attributes: no library is imported.

A passage may be a dict, an object, a LangChain ``Document``, a LlamaIndex node with or without its score, or
something that holds one of these. Its place may stand in its ``metadata``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from numbers import Real
from typing import Any, TypeGuard

from ragharness.records import Passage

TEXT_KEYS = ("text", "page_content", "content")
ID_KEYS = ("id", "passage_id", "chunk_id", "node_id", "id_")
DOCUMENT_KEYS = ("document", "document_id", "doc_id", "ref_doc_id", "source", "file_name", "file_path", "url")
TITLE_KEYS = ("title", "document_title")
NAME_KEYS = ("file", "filename", "path", "uri", "link")
PAGE_KEYS = ("page_label", "page_number", "page")
START_KEYS = ("start", "start_index", "start_char_idx")
END_KEYS = ("end", "end_index", "end_char_idx")
SCORE_KEYS = ("score", "similarity")
HOLDERS = ("node", "passage", "chunk")
ID_LIMIT = 500  # characters of an id; anything longer is none
MISSING: Any = object()
Get = Callable[[str], Any]
_BASIC = (str, bytes, bytearray, int, float, complex, list, tuple, set, frozenset, type)
_LARGEST = 2**53
_MOST_NAMES = 8  # further names of a passage's document that are kept
_PAGE = 20  # characters of the number of a page


def getter(source: object) -> Get | None:
    """How to look up a name in a mapping or object (MISSING: not there), or None for neither."""
    if source is MISSING or source is None:
        return None
    if isinstance(source, dict):
        return lambda name: dict.get(source, name, MISSING)
    if isinstance(source, Mapping):
        return lambda name: source.get(name, MISSING)
    if isinstance(source, _BASIC) and not hasattr(source, "_fields"):
        return None
    return lambda name: getattr(source, name, MISSING)


def first_of(gets: Sequence[Get], names: Sequence[str], accepts: Callable[[Any], bool] | None = None) -> Any:
    """The first accepted value under the names, a name everywhere before the next; None: no such."""
    for name in names:
        for get in gets:
            value = get(name)
            if value is not MISSING and value is not None and (accepts is None or accepts(value)):
                return value
    return None


def is_number(value: object) -> TypeGuard[Real]:
    """Whether a value is a number; True and False are none."""
    return isinstance(value, Real) and not isinstance(value, bool)


def identifier(value: object) -> str | None:
    """The id that a value is or carries: text, a whole number, a passage, a hit, a dict with an id."""
    for _ in range(2):
        if isinstance(value, str):
            return str.__str__(value)
        if isinstance(value, int) and not isinstance(value, bool) and abs(value) < 10**18:
            return f"{int(value)}"
        get = getter(value)
        if get is None:
            return None
        value = first_of(
            [get], (*ID_KEYS, "source", "passage", "node", *DOCUMENT_KEYS, *TITLE_KEYS, *NAME_KEYS)
        )
    return identifier(value) if isinstance(value, (str, int)) else None


def split_score(value: object) -> tuple[Any, float]:
    """A passage without its score, and the score; 0 where it has none."""
    score: object = None
    if isinstance(value, (tuple, list)) and len(value) == 2 and is_number(value[1]):
        value, score = value
    elif (get := getter(value)) is not None:
        score = first_of([get], SCORE_KEYS)
    return value, number_of(score) or 0.0


def number_of(value: object) -> float | None:
    """A number as Python computes with it; None for anything else."""
    if is_number(value):
        with suppress(OverflowError, ValueError):
            return float(value)
    return None


def passage_of(value: object) -> Passage | None:
    """An object read as a passage, what it lacks empty; None: no text, no id and no place."""
    gets = list(_lookups(value))
    text = first_of(gets, TEXT_KEYS, lambda value: isinstance(value, str)) or ""
    name = (identifier(first_of(gets, ID_KEYS, _is_id)) or "").strip()
    document = first_of(gets, DOCUMENT_KEYS, _is_word) or ""
    title = first_of(gets, TITLE_KEYS, _is_word) or ""
    start, end = first_of(gets, START_KEYS, _is_offset), first_of(gets, END_KEYS, _is_offset)
    # An end before the start says nothing; a start alone says where the text begins.
    end = max(end or (0 if start is None else start + len(text)), start or 0)
    if not text.strip() and not name and not (document and end > (start or 0)):
        return None
    names = (get(key) for key in (*DOCUMENT_KEYS, *TITLE_KEYS, *NAME_KEYS) for get in gets)
    others = tuple(dict.fromkeys(n for n in names if _is_word(n) and n not in (document, title)))[
        :_MOST_NAMES
    ]
    page = identifier(first_of(gets, PAGE_KEYS, _is_id)) or ""
    return Passage(name, document, title, int(start or 0), int(end), text, names=others, page=page[:_PAGE])


def _lookups(value: object) -> Iterator[Get]:
    """Lookups into a passage: what it holds, itself, its document, and the metadata of each."""
    get = getter(value)
    if get is None:
        return
    inner_passage = next((inner for name in HOLDERS if getter(inner := get(name)) is not None), None)
    # What stands under "document" may be the passage, or the document that a passage is from.
    for source in (inner_passage, value, get("document")):
        if (get := getter(source)) is not None:
            yield get
            if (get_metadata := getter(get("metadata"))) is not None:
                yield get_metadata


def _is_word(value: object) -> bool:
    return isinstance(value, str) and bool(value.strip())


def _is_id(value: object) -> bool:
    name = identifier(value)
    return name is not None and bool(name.strip()) and len(name) <= ID_LIMIT


def _is_offset(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < _LARGEST
