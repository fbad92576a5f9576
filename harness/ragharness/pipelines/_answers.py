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
from collections.abc import Iterable, Sequence
from itertools import chain, islice
from typing import NamedTuple

from ragharness.language.tables import regex
from ragharness.pipelines.adapters import fields
from ragharness.pipelines.adapters.fields import MISSING, Get
from ragharness.records import Answer, Passage, Usage

TEXT_LIMIT = 1_000_000  # characters of an answer that a record keeps; graders read all of them
PASSAGE_TEXT_LIMIT = 20_000  # characters kept of a passage that the pipeline brought
CITATION_LIMIT = 1000
PASSAGE_LIMIT = 1000
PROBLEM_LIMIT = 20  # sentences kept about one answer
TEXT_KEYS = ("text", "answer", "response", "output", "result", "content")
PASSAGES_KEYS = ("passages", "source_nodes", "source_documents", "contexts", "context", "documents")
"""Where passages are looked for; the first that holds a list is read."""

_ID = regex(r"\S{1,100}")  # a lone string of this shape is the id of a passage, any other a passage's text
_SURROGATE = regex("[\ud800-\udfff]")
_CONTROL = regex(r"[\x00-\x08\x0e-\x1f\x7f]")


class Parsed(NamedTuple):
    """An answer that was read, in another process perhaps: None when there was nothing usable."""

    answer: Answer | None
    problems: tuple[str, ...]  # one sentence for everything malformed


def read_answer(returned: object) -> Parsed:
    """The answer and what was wrong with it; never raises."""
    if isinstance(returned, Parsed):
        return returned
    reader = _Reader()
    try:
        answer = reader.answer(returned)
    except BaseException as error:  # noqa: BLE001 (the object is the user's and may do anything)
        answer = None
        reader.problem(f"reading what the pipeline returned raised {_kind(error)}")
    return Parsed(answer, tuple(dict.fromkeys(reader.problems))[:PROBLEM_LIMIT])


class _Reader:
    """Reads one answer and notes everything malformed."""

    def __init__(self) -> None:
        self.problems: list[str] = []
        self.problem = self.problems.append

    def answer(self, returned: object) -> Answer | None:
        if isinstance(returned, str):
            return Answer(text=self._clean(returned, "the text"))
        if inspect.iscoroutine(returned):
            returned.close()
        get = fields.getter(returned)
        text, carrier = self._text(get) if get is not None else (None, None)
        if get is None or text is None:
            self.problem(f"expected a string, a dict with a text or an Answer, found {_kind(returned)}")
            return None
        gets = [get, *([carrier] if carrier is not None else [])]
        # What a framework calls sources beside the passages of its retriever are those again, not citations.
        has_passages = any(isinstance(get(name), list) for name in ("source_nodes", "source_documents"))
        citation_keys = ("citations",) if has_passages else ("citations", "sources")
        return Answer(
            text=self._clean(text, "the text"),
            citations=self._citations(fields.first_of(gets, citation_keys)),
            confidence=self._confidence(fields.first_of(gets, ("confidence",))),
            passages=self._passages(get),
            usage=self._usage(fields.first_of(gets, ("usage", "usage_metadata"))),
        )

    def _text(self, get: Get) -> tuple[str | None, Get | None]:
        """The text, and how to look into the object that carries it where that is another."""
        pairs = ((name, get(name)) for name in TEXT_KEYS)
        values = {name: text for name, text in pairs if text is not MISSING and not inspect.isroutine(text)}
        if not values and isinstance(messages := get("messages"), list) and messages:
            values = {"messages": messages[-1]}
        texts = {name: text for name, value in values.items() if (text := _carried_text(value)) is not None}
        for name, value in values.items():
            if name not in texts:
                self.problem(f"{name!r}: expected text, found {_kind(value)}")
        if not texts:
            return None, None
        name, text = next(iter(texts.items()))
        if len(set(texts.values())) > 1:
            self.problem(f"several texts were returned ({', '.join(texts)}); {name!r} was read")
        return text, fields.getter(values[name])

    def _passages(self, get: Get) -> tuple[Passage, ...] | None:
        """The passages of an answer, without those that have neither a text nor a place."""
        values = self._listed_passages(get)
        if values is None:
            return None
        entries = self._limited(values, PASSAGE_LIMIT, "passages")
        read = [self._passage(entry, number) for number, entry in enumerate(entries, start=1)]
        passages = tuple(passage for passage in read if passage is not None)
        if missing := len(read) - len(passages):
            self.problem(
                f"passages: expected a text in each, or an id, {missing} of {len(read)} had neither and were"
                " left out"
            )
        return passages

    def _listed_passages(self, get: Get) -> Sequence[object] | None:
        """The list of passages; an agent's are those that its tools returned before its last message."""
        for key in PASSAGES_KEYS:
            value = get(key)
            if isinstance(value, (list, tuple)):
                return value
            # Only "passages" cannot mean anything else: a "context" is often the text of a prompt.
            if key == "passages" and value is not MISSING and value is not None:
                self.problem(f"passages: expected a list, found {_kind(value)}; they were left out")
        messages = get("messages")
        gets = [fields.getter(message) for message in messages] if isinstance(messages, list) else []
        artifacts = [get("artifact") for get in gets if get is not None]
        lists = [artifact for artifact in artifacts if isinstance(artifact, (list, tuple))]
        return [passage for artifact in lists for passage in artifact] or None

    def _passage(self, value: object, number: int) -> Passage | None:
        try:
            value, _ = fields.split_score(value)
            if isinstance(value, str):
                text = str.__str__(value)
                if _ID.fullmatch(text):
                    return Passage(self._clean(text, "the id of a passage"), "", "", 0, 0, "")
                passage = Passage(f"passage-{number}", "", "", 0, 0, text) if text.strip() else None
            else:
                passage = fields.passage_of(value)
            if passage is None:
                return None
            document = self._clean(passage.document, "a name in a passage", fields.ID_LIMIT)
            title = self._clean(passage.title, "a name in a passage", fields.ID_LIMIT)
            name = passage.id or (f"{document}@{passage.start}" if document else f"passage-{number}")
            name = self._clean(name, "the id of a passage")
            text = self._clean(passage.text, "the text of a passage", PASSAGE_TEXT_LIMIT)
            names = tuple(
                self._clean(written, "a name in a passage", fields.ID_LIMIT) for written in passage.names
            )
            page = self._clean(passage.page, "the page of a passage")
            return Passage(name, document, title, passage.start, passage.end, text, names=names, page=page)
        except Exception:  # noqa: BLE001 (one odd object must not lose the answer)
            return None

    def _citations(self, value: object) -> tuple[str, ...] | None:
        if value is None:
            return None
        if isinstance(value, str) or fields.identifier(value) is not None:
            self.problem("citations is a single one, not a list; it was read as one id")
            value = [value]
        if not isinstance(value, (list, tuple, set, frozenset)):
            self.problem(
                f"citations: expected a list of passage ids, found {_kind(value)}; they were left out"
            )
            return None
        nested = (entry if isinstance(entry, (list, tuple)) else (entry,) for entry in value)
        entries = self._limited(chain.from_iterable(nested), CITATION_LIMIT, "citations")
        ids = [name for entry in entries if (name := self._citation(entry)) is not None]
        if isinstance(value, (set, frozenset)) and len(ids) > 1:
            self.problem("citations is a set, which has no order; they were read in alphabetical order")
            ids.sort()
        return tuple(ids)

    def _citation(self, value: object) -> str | None:
        name = fields.identifier(value)
        if name and (get := fields.getter(value)) and fields.first_of([get], fields.ID_KEYS) is None:
            page = fields.identifier(fields.first_of([get], fields.PAGE_KEYS))
            name += f", p. {page}" if page else ""
        if name is None or not name.strip() or len(name) > fields.ID_LIMIT:
            shape = _kind(value) if name is None else f"one of {len(name):,} characters"
            self.problem(f"citations: expected passage ids, found {shape}; it was left out")
            return None
        return self._clean(name, "a citation").strip()

    def _confidence(self, value: object) -> float | None:
        number = fields.number_of(value)
        if value is not None and (number is None or not 0 <= number <= 1):
            shape = _kind(value) if number is None else f"{number:g}"
            self.problem(f"confidence: expected a number from 0 to 1, found {shape}; it was left out")
            return None
        return number

    def _usage(self, value: object) -> Usage | None:
        if value is None:
            return None
        get = fields.getter(value)
        if get is None:
            self.problem(f"usage: expected a dict of tokens and cost, found {_kind(value)}; it was left out")
            return None
        prompt = self._amount(get, "prompt_tokens", "input_tokens")
        completion = self._amount(get, "completion_tokens", "output_tokens")
        cost = self._amount(get, "cost", "total_cost")
        seconds = self._amount(get, "seconds")
        if prompt is completion is cost is seconds is None:
            self.problem("usage holds none of prompt_tokens, completion_tokens, cost and seconds")
            return None
        prompt, completion = (None if count is None else int(count) for count in (prompt, completion))
        return Usage(prompt, completion, cost, seconds, get("from_cache") is True)

    def _amount(self, get: Get, *names: str) -> float | None:
        value = fields.first_of([get], names)
        number = fields.number_of(value)
        if value is not None and (number is None or not 0 <= number < 2**53):
            self.problem(f"usage: expected a number of at least 0 as {names[0]}, found {_kind(value)}")
            return None
        return number

    def _limited(self, values: Iterable[object], limit: int, name: str) -> list[object]:
        entries = list(islice(iter(values), limit + 1))
        if len(entries) > limit:
            self.problem(f"{name} holds more than {limit:,} entries; the rest was left out")
        return entries[:limit]

    def _clean(self, value: str, name: str, limit: int = TEXT_LIMIT) -> str:
        """A plain string that can be written as UTF-8, at most ``limit`` characters of it."""
        text = str.__str__(value)
        if len(text) > limit:
            self.problem(f"{name} has {len(text):,} characters; the first {limit:,} are kept")
            text = text[:limit]
        if not text.isascii() and _SURROGATE.search(text):
            self.problem(f"{name} holds surrogate characters; those that stand alone became U+FFFD")
            text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        if controls := sorted(set(_CONTROL.findall(text))):
            listed = ", ".join(f"U+{ord(character):04X}" for character in controls[:5])
            self.problem(f"{name} holds control characters: {listed}")
        return text


def _carried_text(value: object) -> str | None:
    """A value that is text, or the text that it carries, as a message or a structured answer does."""
    get = fields.getter(value)
    inner = fields.first_of([get], ("content", "text", "answer")) if get is not None else value
    if isinstance(inner, list):
        return _of_blocks(inner)
    return str.__str__(inner) if isinstance(inner, str) else None


def _of_blocks(blocks: list[object]) -> str | None:
    """The text of a message that comes in blocks, thoughts and calls of tools left out."""
    gets = [fields.getter(block) for block in blocks]
    if not blocks or not all(get is not None and isinstance(get("type"), str) for get in gets):
        return None
    texts = [text for get in gets if get is not None and isinstance(text := get("text"), str)]
    return "".join(texts) if texts else None


def _kind(value: object) -> str:
    """The name of a value's type, whatever the type makes of it."""
    name = type.__dict__["__name__"].__get__(type(value))
    return "None" if value is None else _Reader()._clean(str(name)[:80], "")  # noqa: SLF001
