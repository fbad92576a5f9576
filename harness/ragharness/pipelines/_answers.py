"""Parses the result of a pipeline: an ``Answer`` or None, and a sentence for everything malformed.

A string is the text. A mapping or an object is read by its keys or attributes: the text is the first of
``TEXT_KEYS`` that holds one (or holds an object whose own text is one), and beside it ``citations`` or
``sources``, ``confidence``, ``usage`` and passages. What LangChain's chains and LlamaIndex's engines return
is read so, too. Nothing odd is passed over in silence, and nothing that a pipeline returns can stop a run.

A passage is a text alone, or what ``adapters.fields`` reads; one without an id gets one made of its document
and where it begins.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from ragharness.language.tables import regex
from ragharness.pipelines.adapters.fields import (
    ID_LIMIT,
    MISSING,
    Get,
    first,
    getter,
    identifier,
    number_of,
    passage_of,
    split_score,
)
from ragharness.records import Answer, Passage, Usage

TEXT_LIMIT = 1_000_000
"""Characters of an answer that a record keeps; graders read all of them."""

PASSAGE_TEXT_LIMIT = 20_000
"""Characters kept of a passage that the pipeline brought."""

CITATION_LIMIT = 1000
PASSAGE_LIMIT = 1000

PROBLEM_LIMIT = 20
"""Sentences kept about one answer."""

TEXT_KEYS = ("text", "answer", "response", "output", "result", "content")

PASSAGES_KEYS = ("passages", "source_nodes", "source_documents", "contexts", "context", "documents")
"""Where passages are looked for; the first that holds a list is read."""

_ID = regex(r"\S{1,100}")
"""A lone string of this shape is the id of a passage, any other a passage's text."""

_SURROGATE = regex("[\ud800-\udfff]")
_CONTROL = regex(r"[\x00-\x08\x0e-\x1f\x7f]")


class Parsed(NamedTuple):
    """An answer that was read, in another process perhaps: None when there was nothing usable."""

    answer: Answer | None
    problems: tuple[str, ...]
    """What was wrong."""


def read_answer(returned: object) -> Parsed:
    """Return the answer and what was wrong; never raises."""
    if isinstance(returned, Parsed):
        return returned
    problems: list[str] = []
    try:
        answer = _answer(returned, problems)
    except BaseException as error:  # noqa: BLE001 (the object is the user's and may do anything)
        answer = None
        problems.append(f"reading what the pipeline returned raised {kind_of(error)}")
    return Parsed(answer, tuple(dict.fromkeys(problems))[:PROBLEM_LIMIT])


def _answer(returned: object, problems: list[str]) -> Answer | None:
    if isinstance(returned, str):
        return Answer(text=clean(returned, problems, "the text"))
    if inspect.iscoroutine(returned):
        returned.close()
    get = getter(returned)
    text, carrier = _text(get, problems) if get is not None else (None, None)
    if get is None or text is None:
        problems.append(f"expected a string, a dict with a text or an Answer, found {kind_of(returned)}")
        return None
    gets = [get, *([carrier] if carrier is not None else [])]
    # What a framework calls sources beside the passages that it found are those again, not citations.
    found_apart = any(isinstance(get(name), list) for name in ("source_nodes", "source_documents"))
    citation_keys = ("citations",) if found_apart else ("citations", "sources")
    return Answer(
        text=clean(text, problems, "the text"),
        citations=citations_of(first(gets, citation_keys), problems),
        confidence=confidence_of(first(gets, ("confidence",)), problems),
        passages=passages_of(get, problems),
        usage=usage_of(first(gets, ("usage", "usage_metadata")), problems),
    )


def _text(get: Get, problems: list[str]) -> tuple[str | None, Get | None]:
    """Return the text, and how to look into the object that carries it where that is another."""
    found = {name: get(name) for name in TEXT_KEYS}
    held = {name: it for name, it in found.items() if it is not MISSING and not inspect.isroutine(it)}
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
    return text, getter(held[name])


def _own_text(value: object) -> str | None:
    """Return a value that is text, or the text that it carries, as a message or a structured answer does."""
    get = getter(value)
    inner = first([get], ("content", "text", "answer")) if get is not None else value
    if isinstance(inner, list):
        return _of_blocks(inner)
    return str.__str__(inner) if isinstance(inner, str) else None


def _of_blocks(blocks: list[object]) -> str | None:
    """Return the text of a message that comes in blocks, thoughts and calls of tools left out."""
    gets = [getter(each) for each in blocks]
    if not blocks or not all(get is not None and isinstance(get("type"), str) for get in gets):
        return None
    texts = [text for get in gets if get is not None and isinstance(text := get("text"), str)]
    return "".join(texts) if texts else None


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
    found: list[object] = []
    for message in messages if isinstance(messages, list) else ():
        of_message = getter(message)
        artifact = of_message("artifact") if of_message is not None else None
        found += artifact if isinstance(artifact, (list, tuple)) else ()
    return found or None


def _passage(value: object, number: int, problems: list[str]) -> Passage | None:
    try:
        value, _ = split_score(value)
        if isinstance(value, str):
            return _of_text(str.__str__(value), number, problems)
        said = passage_of(value)
        if said is None:
            return None
        names = (said.document, said.title)
        document, title = (clean(each, problems, "a name in a passage", ID_LIMIT) for each in names)
        made = said.id or (f"{document}@{said.start}" if document else f"passage-{number}")
        name = clean(made, problems, "the id of a passage")
        text = clean(said.text, problems, "the text of a passage", PASSAGE_TEXT_LIMIT)
        return Passage(name, document, title, said.start, said.end, text)
    except Exception:  # noqa: BLE001 (one odd object must not lose the answer)
        return None


def _of_text(text: str, number: int, problems: list[str]) -> Passage | None:
    if _ID.fullmatch(text):
        return Passage(clean(text, problems, "the id of a passage"), "", "", 0, 0, "")
    kept = clean(text, problems, "the text of a passage", PASSAGE_TEXT_LIMIT)
    return Passage(f"passage-{number}", "", "", 0, 0, kept) if text.strip() else None


def kind_of(value: object) -> str:
    """Return the name of a value's type, whatever the type makes of it."""
    name = type.__dict__["__name__"].__get__(type(value))
    return "None" if value is None else clean(str(name)[:80], [], "")


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
    number = number_of(value)
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
    read, written = (None if amount is None else int(amount) for amount in (prompt, completion))
    return Usage(read, written, cost, seconds, get("from_cache") is True)


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


def _amount(get: Get, names: tuple[str, ...], problems: list[str]) -> float | None:
    found = first([get], names)
    if found is None:
        return None
    number = number_of(found)
    if number is None or not 0 <= number < 2**53:
        problems.append(f"usage: expected a number of at least 0 as {names[0]}, found {kind_of(found)}")
        return None
    return number
