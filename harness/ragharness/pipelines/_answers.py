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
    first_of,
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
    """One sentence for everything malformed."""


def read_answer(returned: object) -> Parsed:
    """The answer and what was wrong with it; never raises."""
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
    # What a framework calls sources beside the passages of its retriever are those again, not citations.
    has_passages = any(isinstance(get(name), list) for name in ("source_nodes", "source_documents"))
    citation_keys = ("citations",) if has_passages else ("citations", "sources")
    return Answer(
        text=clean(text, problems, "the text"),
        citations=citations_of(first_of(gets, citation_keys), problems),
        confidence=confidence_of(first_of(gets, ("confidence",)), problems),
        passages=passages_of(get, problems),
        usage=usage_of(first_of(gets, ("usage", "usage_metadata")), problems),
    )


def _text(get: Get, problems: list[str]) -> tuple[str | None, Get | None]:
    """The text, and how to look into the object that carries it where that is another."""
    values = {
        name: value
        for name in TEXT_KEYS
        if (value := get(name)) is not MISSING and not inspect.isroutine(value)
    }
    if not values and isinstance(messages := get("messages"), list) and messages:
        values = {"messages": messages[-1]}
    texts = {name: text for name, value in values.items() if (text := _carried_text(value)) is not None}
    problems += [
        f"{name!r}: expected text, found {kind_of(value)}"
        for name, value in values.items()
        if name not in texts
    ]
    if not texts:
        return None, None
    name, text = next(iter(texts.items()))
    if len(set(texts.values())) > 1:
        problems.append(f"several texts were returned ({', '.join(texts)}); {name!r} was read")
    return text, getter(values[name])


def _carried_text(value: object) -> str | None:
    """A value that is text, or the text that it carries, as a message or a structured answer does."""
    get = getter(value)
    inner = first_of([get], ("content", "text", "answer")) if get is not None else value
    if isinstance(inner, list):
        return _of_blocks(inner)
    return str.__str__(inner) if isinstance(inner, str) else None


def _of_blocks(blocks: list[object]) -> str | None:
    """The text of a message that comes in blocks, thoughts and calls of tools left out."""
    gets = [getter(block) for block in blocks]
    if not blocks or not all(get is not None and isinstance(get("type"), str) for get in gets):
        return None
    texts = [text for get in gets if get is not None and isinstance(text := get("text"), str)]
    return "".join(texts) if texts else None


def passages_of(get: Get, problems: list[str]) -> tuple[Passage, ...] | None:
    """The passages of an answer, without those that have neither a text nor a place."""
    value = _listed(get, problems)
    if value is None:
        return None
    entries = list(islice(iter(value), PASSAGE_LIMIT + 1))
    if len(entries) > PASSAGE_LIMIT:
        problems.append(f"passages holds more than {PASSAGE_LIMIT:,} entries; the rest was left out")
        del entries[PASSAGE_LIMIT:]
    read = [_passage(entry, number, problems) for number, entry in enumerate(entries, start=1)]
    passages = tuple(passage for passage in read if passage is not None)
    if len(passages) < len(read):
        problems.append(
            f"passages: expected a text in each, or an id, {len(read) - len(passages)} of {len(read)} had"
            " neither and were left out"
        )
    return passages


def _listed(get: Get, problems: list[str]) -> Sequence[object] | None:
    """The list of passages; an agent's are what its tools have found before its last message."""
    for key in PASSAGES_KEYS:
        value = get(key)
        if isinstance(value, (list, tuple)):
            return value
        # Only "passages" cannot mean anything else: a "context" is often the text of a prompt.
        if key == "passages" and value is not MISSING and value is not None:
            problems.append(f"passages: expected a list, found {kind_of(value)}; they were left out")
    messages = get("messages")
    passages: list[object] = []
    for message in messages if isinstance(messages, list) else ():
        if (get_part := getter(message)) is not None and isinstance(get_part("artifact"), (list, tuple)):
            passages += get_part("artifact")
    return passages or None


def _passage(value: object, number: int, problems: list[str]) -> Passage | None:
    try:
        value, _ = split_score(value)
        if isinstance(value, str):
            return _of_text(str.__str__(value), number, problems)
        passage = passage_of(value)
        if passage is None:
            return None
        document = clean(passage.document, problems, "a name in a passage", ID_LIMIT)
        title = clean(passage.title, problems, "a name in a passage", ID_LIMIT)
        name = passage.id or (f"{document}@{passage.start}" if document else f"passage-{number}")
        name = clean(name, problems, "the id of a passage")
        text = clean(passage.text, problems, "the text of a passage", PASSAGE_TEXT_LIMIT)
        return Passage(name, document, title, passage.start, passage.end, text)
    except Exception:  # noqa: BLE001 (one odd object must not lose the answer)
        return None


def _of_text(text: str, number: int, problems: list[str]) -> Passage | None:
    if _ID.fullmatch(text):
        return Passage(clean(text, problems, "the id of a passage"), "", "", 0, 0, "")
    cleaned = clean(text, problems, "the text of a passage", PASSAGE_TEXT_LIMIT)
    return Passage(f"passage-{number}", "", "", 0, 0, cleaned) if text.strip() else None


def kind_of(value: object) -> str:
    """The name of a value's type, whatever the type makes of it."""
    name = type.__dict__["__name__"].__get__(type(value))
    return "None" if value is None else clean(str(name)[:80], [], "")


def clean(value: str, problems: list[str], name: str, limit: int = TEXT_LIMIT) -> str:
    """A plain string that can be written as UTF-8, at most ``limit`` characters of it."""
    text = str.__str__(value)
    if len(text) > limit:
        problems.append(f"{name} has {len(text):,} characters; the first {limit:,} are kept")
        text = text[:limit]
    if not text.isascii() and _SURROGATE.search(text):
        problems.append(f"{name} holds surrogate characters; those that stand alone became U+FFFD")
        text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if controls := sorted(set(_CONTROL.findall(text))):
        listed = ", ".join(f"U+{ord(character):04X}" for character in controls[:5])
        problems.append(f"{name} holds control characters: {listed}")
    return text


def citations_of(value: object, problems: list[str]) -> tuple[str, ...] | None:
    """The cited ids in order, or None where there are none to read."""
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
    entries = list(islice(_flat(value), CITATION_LIMIT + 1))
    if len(entries) > CITATION_LIMIT:
        problems.append(f"citations holds more than {CITATION_LIMIT:,} entries; the rest was left out")
        del entries[CITATION_LIMIT:]
    ids = [name for entry in entries if (name := _citation(entry, problems)) is not None]
    if isinstance(value, (set, frozenset)) and len(ids) > 1:
        problems.append("citations is a set, which has no order; they were read in alphabetical order")
        ids.sort()
    return tuple(ids)


def confidence_of(value: object, problems: list[str]) -> float | None:
    """A finite number from 0 to 1, or None."""
    if value is None:
        return None
    number = number_of(value)
    if number is None or not 0 <= number <= 1:
        shape = kind_of(value) if number is None else f"{number:g}"
        problems.append(f"confidence: expected a number from 0 to 1, found {shape}; it was left out")
        return None
    return number


def usage_of(value: object, problems: list[str]) -> Usage | None:
    """Tokens, cost and the time of the call, each None where it cannot be read."""
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
    name = identifier(value)
    if name is None or not name.strip() or len(name) > ID_LIMIT:
        shape = kind_of(value) if name is None else f"one of {len(name):,} characters"
        problems.append(f"citations: expected passage ids, found {shape}; it was left out")
        return None
    return clean(name, problems, "a citation").strip()


def _amount(get: Get, names: tuple[str, ...], problems: list[str]) -> float | None:
    value = first_of([get], names)
    if value is None:
        return None
    number = number_of(value)
    if number is None or not 0 <= number < 2**53:
        problems.append(f"usage: expected a number of at least 0 as {names[0]}, found {kind_of(value)}")
        return None
    return number
