"""Cleans the parts of an answer; every malformed one adds a sentence to ``problems``."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import islice
from numbers import Real
from typing import Any

from ragharness.language.tables import regex
from ragharness.records import Usage

TEXT_LIMIT = 1_000_000
"""Characters of an answer that a record keeps; graders read all of them."""

PASSAGE_TEXT_LIMIT = 20_000
"""Characters kept of a passage that the pipeline brought."""

ID_LIMIT = 500
"""Characters of a citation; anything longer is no id."""

CITATION_LIMIT = 1000
PASSAGE_LIMIT = 1000

MISSING: Any = object()
Get = Callable[[str], object]

_SURROGATE = regex("[\ud800-\udfff]")
_CONTROL = regex(r"[\x00-\x08\x0e-\x1f\x7f]")
_ID_KEYS = ("id", "passage_id", "chunk_id", "node_id", "source")
_BASIC = (str, bytes, bytearray, int, float, complex, list, tuple, set, frozenset, type, type(None))


def kind_of(value: object) -> str:
    """Return the name of a value's type, whatever the type makes of it."""
    name = type.__dict__["__name__"].__get__(type(value))
    return "None" if value is None else clean(str(name)[:80], [], "")


def getter(source: object) -> Get | None:
    """Return how to look up a name in a mapping or object (MISSING: not there), or None for neither."""
    if isinstance(source, dict):
        return lambda name: dict.get(source, name, MISSING)
    if isinstance(source, Mapping):
        return lambda name: source.get(name, MISSING)
    if isinstance(source, _BASIC) and not hasattr(source, "_fields"):
        return None
    return lambda name: getattr(source, name, MISSING)


def clean(value: str, problems: list[str], name: str, limit: int = TEXT_LIMIT) -> str:
    """Return a plain string that can be written as UTF-8, at most ``limit`` characters of it."""
    text = str.__str__(value)
    if len(text) > limit:
        problems.append(f"{name} has {len(text):,} characters; the first {limit:,} are kept")
        text = text[:limit]
    if not text.isascii() and _SURROGATE.search(text):
        problems.append(f"{name} holds surrogate characters; those that stand alone became U+FFFD")
        text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    odd = sorted(set(_CONTROL.findall(text)))
    if odd:
        problems.append(
            f"{name} holds control characters: {', '.join(f'U+{ord(each):04X}' for each in odd[:5])}"
        )
    return text


def citations_of(value: object, problems: list[str]) -> tuple[str, ...] | None:
    """Return the cited ids in order, or None where there are none to read."""
    if value is None:
        return None
    if isinstance(value, str) or identifier(value) is not None:
        problems.append("citations is a single one, not a list; it was read as one id")
        value = [value]
    if not isinstance(value, (list, tuple, set, frozenset)):
        problems.append(
            f"citations: expected a list of passage ids, found {kind_of(value)}; they were left out"
        )
        return None
    found = list(islice(_flat(value), CITATION_LIMIT + 1))
    if len(found) > CITATION_LIMIT:
        problems.append(f"citations holds more than {CITATION_LIMIT:,} entries; the rest was left out")
    kept = [_citation(each, problems) for each in found[:CITATION_LIMIT]]
    ids = [each for each in kept if each is not None]
    if isinstance(value, (set, frozenset)) and len(ids) > 1:
        problems.append("citations is a set, which has no order; they were read in alphabetical order")
        ids.sort()
    return tuple(ids)


def confidence_of(value: object, problems: list[str]) -> float | None:
    """Return a finite number from 0 to 1, or None."""
    if value is None:
        return None
    number = _number(value)
    if number is None or not 0 <= number <= 1:
        found = kind_of(value) if number is None else f"{number:g}"
        problems.append(f"confidence: expected a number from 0 to 1, found {found}; it was left out")
        return None
    return number


def usage_of(value: object, problems: list[str]) -> Usage | None:
    """Return tokens, cost and the time of the call, each None where it cannot be read."""
    if value is None:
        return None
    get = getter(value)
    if get is None:
        problems.append(f"usage: expected a dict of tokens and cost, found {kind_of(value)}; it was left out")
        return None
    prompt = _amount(get, ("prompt_tokens", "input_tokens"), problems)
    completion = _amount(get, ("completion_tokens", "output_tokens"), problems)
    cost = _amount(get, ("cost", "total_cost"), problems)
    seconds = _amount(get, ("seconds",), problems)
    if prompt is completion is cost is seconds is None:
        problems.append("usage holds none of prompt_tokens, completion_tokens, cost and seconds")
        return None
    return Usage(
        None if prompt is None else int(prompt),
        None if completion is None else int(completion),
        cost,
        seconds,
        get("from_cache") is True,
    )


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
        held = (get(name) for name in (*_ID_KEYS, "passage", "node"))
        value = next((each for each in held if each is not MISSING and each is not None), None)
    return identifier(value) if isinstance(value, (str, int)) else None


def _flat(values: Iterable[object]) -> Iterator[object]:
    for value in values:
        if isinstance(value, (list, tuple)):
            yield from value
        else:
            yield value


def _citation(value: object, problems: list[str]) -> str | None:
    found = identifier(value)
    if found is None or not found.strip() or len(found) > ID_LIMIT:
        shape = kind_of(value) if found is None else f"one of {len(found):,} characters"
        problems.append(f"citations: expected passage ids, found {shape}; it was left out")
        return None
    return clean(found, problems, "a citation").strip()


def _number(value: object) -> float | None:
    if isinstance(value, bool) or not isinstance(value, Real):
        return None
    try:
        return float(value)
    except (OverflowError, ValueError):
        return None


def _amount(get: Get, names: tuple[str, ...], problems: list[str]) -> float | None:
    found = next((each for each in map(get, names) if each is not MISSING and each is not None), None)
    if found is None:
        return None
    number = _number(found)
    if number is None or not 0 <= number < 2**53:
        problems.append(f"usage: expected a number of at least 0 as {names[0]}, found {kind_of(found)}")
        return None
    return number
