"""What objects of any library say of a passage, told by their keys or attributes: no library is imported.

A passage may be a dict, an object, a LangChain ``Document``, a LlamaIndex node with or without its score, or
something that holds one of these. What it says of its place may stand in its ``metadata``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from numbers import Real
from typing import Any, TypeGuard

from ragharness.records import Passage

TEXT_KEYS = ("text", "page_content", "content")
ID_KEYS = ("id", "passage_id", "chunk_id", "node_id", "id_")
DOCUMENT_KEYS = ("document", "document_id", "doc_id", "ref_doc_id", "source", "file_name", "file_path", "url")
TITLE_KEYS = ("title", "document_title")
START_KEYS = ("start", "start_index", "start_char_idx")
END_KEYS = ("end", "end_index", "end_char_idx")
SCORE_KEYS = ("score", "similarity")
HOLDERS = ("node", "passage", "chunk")

ID_LIMIT = 500
"""Characters of an id; anything longer is none."""

MISSING: Any = object()
Get = Callable[[str], Any]

_BASIC = (str, bytes, bytearray, int, float, complex, list, tuple, set, frozenset, type, type(None))
_LARGEST = 2**53


def getter(source: object) -> Get | None:
    """Return how to look up a name in a mapping or object (MISSING: not there), or None for neither."""
    if isinstance(source, dict):
        return lambda name: dict.get(source, name, MISSING)
    if isinstance(source, Mapping):
        return lambda name: source.get(name, MISSING)
    if isinstance(source, _BASIC) and not hasattr(source, "_fields"):
        return None
    return lambda name: getattr(source, name, MISSING)


def values(gets: Sequence[Get], names: Sequence[str]) -> Iterator[object]:
    """Yield what stands under the names, the first name everywhere before the second."""
    for name in names:
        for get in gets:
            value = get(name)
            if value is not MISSING and value is not None:
                yield value


def first(gets: Sequence[Get], names: Sequence[str]) -> Any:
    """Return the first of the values, or None."""
    return next(values(gets, names), None)


def is_number(value: object) -> TypeGuard[Real]:
    """Whether a value is a number; True and False are none."""
    return isinstance(value, Real) and not isinstance(value, bool)


def identifier(value: object) -> str | None:
    """Return the id that a value is or carries: text, a whole number, a passage, a hit, a dict with an id."""
    for _ in range(2):
        if isinstance(value, str):
            return str.__str__(value)
        if isinstance(value, int) and not isinstance(value, bool) and abs(value) < 10**18:
            return f"{int(value)}"
        get = getter(value)
        if get is None:
            return None
        value = first([get], (*ID_KEYS, "source", "passage", "node"))
    return identifier(value) if isinstance(value, (str, int)) else None


def split_score(value: object) -> tuple[Any, float]:
    """Return a passage without its score, and the score; 0 where it has none."""
    score: object = None
    if isinstance(value, (tuple, list)) and len(value) == 2 and is_number(value[1]):
        value, score = value
    elif (get := getter(value)) is not None:
        score = first([get], SCORE_KEYS)
    return value, float(score) if is_number(score) else 0.0


def passage_of(value: object) -> Passage | None:
    """Return what an object says of a passage, the rest empty; None: no text, no id and no place."""
    gets = list(_lookups(value))
    text = next((each for each in values(gets, TEXT_KEYS) if isinstance(each, str)), "")
    ids = (identifier(each) for each in values(gets, ID_KEYS))
    name = next((each.strip() for each in ids if each and each.strip() and len(each) <= ID_LIMIT), "")
    document, title = _words(gets, DOCUMENT_KEYS), _words(gets, TITLE_KEYS)
    start, end = _offset(gets, START_KEYS), _offset(gets, END_KEYS)
    # An end before the start says nothing; a start alone says where the text begins.
    end = max(end or (0 if start is None else start + len(text)), start or 0)
    if not text.strip() and not name and not (document and end > (start or 0)):
        return None
    return Passage(name, document, title, start or 0, end, text)


def _lookups(value: object) -> Iterator[Get]:
    """Yield how to look into a passage: what it holds, itself, its document, and the metadata of each."""
    get = getter(value)
    if get is None:
        return
    held = next((each for name in HOLDERS if (each := get(name)) is not MISSING and getter(each)), None)
    # What stands under "document" may be the passage, or the document that a passage is from.
    for each in (held, value, get("document")):
        inner = getter(each) if each is not MISSING else None
        if inner is not None:
            yield inner
            if (metadata := getter(inner("metadata"))) is not None:
                yield metadata


def _words(gets: Sequence[Get], names: Sequence[str]) -> str:
    return next((each for each in values(gets, names) if isinstance(each, str) and each.strip()), "")


def _offset(gets: Sequence[Get], names: Sequence[str]) -> int | None:
    numbers = (each for each in values(gets, names) if isinstance(each, int) and not isinstance(each, bool))
    return next((int(each) for each in numbers if 0 <= each < _LARGEST), None)
