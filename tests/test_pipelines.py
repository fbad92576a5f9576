"""Loading the system under test, telling its signature, and reading what it returns."""

from __future__ import annotations

import asyncio
import dataclasses
import functools
import inspect
import json
import math
import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragharness.errors import PipelineNotUsable, UnknownName
from ragharness.pipelines import load_pipeline, read_answer
from ragharness.pipelines._answers import (
    CITATION_LIMIT,
    PASSAGE_LIMIT,
    PASSAGE_TEXT_LIMIT,
    TEXT_LIMIT,
)
from ragharness.records import Answer, Hit, Passage, Record, Usage

PASSAGE = Passage("doc#1", "doc", "A title", 0, 4, "text")

MODULE = """
import asyncio, functools
from ragharness import Answer, Passage

def passages(question, passages): return f"{question}|{passages[0].id}"
def contexts(q, contexts): return f"{q}|{contexts[0].id}"
def annotated(q, found: "list[Passage]"): return f"{q}|{found[0].id}"
def keyword(question, *, documents): return f"{question}|{documents[0].id}"
def reversed_order(passages, question): return f"{question}|{passages[0].id}"
def with_defaults(question, temperature=0.5, docs=None): return f"{question}|{docs[0].id}"
def retrieve(question, retrieve): return f"{question}|{retrieve(question, 1)[0].id}"
def annotated_search(q, find: "Callable[[str, int], list[Passage]]"): return f"{q}|{find(q, 1)[0].id}"
def own(question): return f"{question}|own"
def own_with_default(question, model="tiny"): return f"{question}|own"
def own_with_extras(question, **options): return f"{question}|own"
def _helper(prefix, question, passages): return f"{question}|{passages[0].id}"
partial = functools.partial(_helper, "x")

async def asynchronous(question, passages): return f"{question}|{passages[0].id}"
def returns_awaitable(question, passages): return asynchronous(question, passages)
def stream(question, passages):
    yield question
    yield "|" + passages[0].id
async def async_stream(question, passages):
    yield question
    yield "|" + passages[0].id
async def returns_stream(question, passages): return stream(question, passages)

class Class:
    def __init__(self, model="tiny"): pass
    def __call__(self, question, passages): return f"{question}|{passages[0].id}"
    def method(self, question, passages): return f"{question}|{passages[0].id}"
    @staticmethod
    def static(question, passages): return f"{question}|{passages[0].id}"
class AsyncClass:
    async def __call__(self, question, passages): return f"{question}|{passages[0].id}"
class AsyncChild(AsyncClass): pass

instance = Class()
def factory(model="tiny"): return Class()
def logged(function):
    @functools.wraps(function)
    def wrapper(*args, **kwargs): return function(*args, **kwargs)
    return wrapper
decorated = logged(passages)

# what cannot be used
number = 3
def two_required(question, passages, api_key): return ""
def both(question, passages, retrieve): return ""
def unknown_second(question, thing): return ""
def context_as_text(question, context: str): return ""
def anything(*args, **kwargs): return ""
def returns_text(): return "no pipeline"
def failing_factory(): raise RuntimeError("no model here")
async def async_factory(): return Class()
class NeedsArguments:
    def __init__(self, key): pass
class NotCallable: pass
class Fails:
    def __init__(self): raise ValueError("bad key")
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A current folder with a module, its own search path, and no module left behind."""
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mymod.py").write_text(MODULE)
    known = set(sys.modules)
    yield tmp_path
    for name in set(sys.modules) - known:
        del sys.modules[name]


def ask(spec: str, question: str = "Q?") -> object:
    pipeline = load_pipeline(spec)
    returned = pipeline.call(question, [PASSAGE], lambda query, k: [PASSAGE][:k])
    if not inspect.isawaitable(returned):
        assert not pipeline.is_async
        return returned

    async def wait() -> object:
        return await returned

    return asyncio.run(wait())


@pytest.mark.parametrize(
    ("attribute", "takes", "is_async"),
    [
        ("passages", "passages", False),
        ("contexts", "passages", False),
        ("annotated", "passages", False),
        ("keyword", "passages", False),
        ("reversed_order", "passages", False),
        ("with_defaults", "passages", False),
        ("retrieve", "retrieve", False),
        ("annotated_search", "retrieve", False),
        ("own", "own", False),
        ("own_with_default", "own", False),
        ("own_with_extras", "own", False),
        ("partial", "passages", False),
        ("asynchronous", "passages", True),
        ("returns_awaitable", "passages", False),
        ("stream", "passages", False),
        ("async_stream", "passages", True),
        ("returns_stream", "passages", True),
        ("Class", "passages", False),
        ("AsyncClass", "passages", True),
        ("AsyncChild", "passages", True),
        ("instance", "passages", False),
        ("instance.method", "passages", False),
        ("Class.static", "passages", False),
        ("factory", "passages", False),
        ("decorated", "passages", False),
    ],
)
def test_every_kind_of_callable_is_loaded_and_called_rightly(
    folder: Path, attribute: str, takes: str, is_async: bool
) -> None:
    pipeline = load_pipeline(f"mymod:{attribute}")
    assert (pipeline.takes, pipeline.is_async, pipeline.name) == (takes, is_async, f"mymod.{attribute}")
    assert ask(f"mymod:{attribute}") == ("Q?|own" if takes == "own" else "Q?|doc#1")


@pytest.mark.parametrize(
    ("attribute", "message"),
    [
        ("number", "expected something callable at mymod:number, found an object of type int"),
        ("two_required", "'api_key' that nothing is known for"),
        ("both", "'passages' and 'retrieve' at once"),
        ("unknown_second", "'thing' that nothing is known for"),
        ("context_as_text", "'context' as text; it gets a list of passages"),
        ("anything", "no parameter for the question"),
        (
            "returns_text",
            "mymod:returns_text takes no question, and returns an object of type str",
        ),
        ("failing_factory", r"failed: RuntimeError: no model here \(.*mymod.py, line \d+\)"),
        (
            "async_factory",
            "mymod:async_factory takes no question, and returns an object of type coroutine",
        ),
        (
            "NeedsArguments",
            "mymod:NeedsArguments to be made from nothing, found that it needs 'key'",
        ),
        ("NotCallable", "mymod:NotCallable is a class without __call__"),
        ("Fails", r"failed: ValueError: bad key \(.*mymod.py, line \d+\)"),
        ("pasages", "found no such name; did you mean passages"),
        ("Class.methd", "expected 'methd' in mymod.Class, found no such name; did you mean method"),
    ],
)
def test_what_cannot_be_used_is_said_in_a_sentence(folder: Path, attribute: str, message: str) -> None:
    with pytest.raises(PipelineNotUsable, match=message) as caught:
        load_pipeline(f"mymod:{attribute}")
    assert caught.value.help
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("mymdo:passages", "expected a module 'mymdo', found none in .*; did you mean mymod"),
        ("mymod.sub:passages", "expected a package at 'mymod', found a module"),
        (
            "pkg.missng:answer",
            "expected a module 'pkg.missng', found none in the package 'pkg'; did you mean missing",
        ),
        ("mymdo.py:passages", r"expected a Python file at mymdo.py, found none; did you mean mymod.py"),
        ("pkg.py:answer", "found a folder"),
        ("mymod:", "expected the name of a function behind the colon"),
        (":answer", "expected the name of a function behind the colon"),
        ("mymod:not a name", "expected the name of a function behind the colon"),
        (
            "./mymod:passages",
            r"a file that ends in .py before the colon, found './mymod'; did you mean mymod.py",
        ),
        ("ftp://localhost:8000/answer", "expected the name of a function behind the colon"),
    ],
)
def test_a_wrong_place_is_said_in_a_sentence(folder: Path, spec: str, message: str) -> None:
    (folder / "pkg").mkdir()
    (folder / "pkg" / "__init__.py").write_text("")
    (folder / "pkg" / "missing.py").write_text("")
    (folder / "pkg.py").mkdir()
    with pytest.raises(PipelineNotUsable, match=message) as caught:
        load_pipeline(spec)
    assert caught.value.help


def test_a_bare_name_that_is_no_reference_pipeline_names_the_nearest() -> None:
    with pytest.raises(UnknownName, match="did you mean scripted") as caught:
        load_pipeline("scriptd")
    assert "module:function" in caught.value.help


@pytest.mark.parametrize(
    ("source", "message"),
    [
        (
            "import json\n\nimport no_such_dependency\n",
            r"ModuleNotFoundError: .*no_such_dependency.* \(.*broken.py, line 3\)",
        ),
        ("def answer(question:\n", r"SyntaxError: .* \(.*broken.py, line 1\)"),
        ("import json\njson.loads('{')\n", r"JSONDecodeError: .* \(.*broken.py, line 2\)"),
        ("import sys\nsys.exit('usage: ...')\n", r"SystemExit: usage: ... \(.*broken.py, line 2\)"),
        ("from mymod import nothing_there\n", r"ImportError: .* \(.*broken.py, line 1\)"),
    ],
)
@pytest.mark.parametrize("spec", ["broken:answer", "broken.py:answer"])
def test_an_error_inside_the_users_module_names_file_and_line(
    folder: Path, source: str, message: str, spec: str
) -> None:
    (folder / "broken.py").write_text(source)
    for _ in range(2):
        with pytest.raises(PipelineNotUsable, match=message):
            load_pipeline(spec)


def test_a_file_is_loaded_from_anywhere_with_its_folder_importable(folder: Path) -> None:
    place = folder / "my project" / "rag: v2"
    place.mkdir(parents=True)
    (place / "helper_of_it.py").write_text("WORD = 'helped'")
    (place / "json.py").write_text("from helper_of_it import WORD\ndef answer(question): return WORD")
    (place / "two words.py").write_text(
        "class A:\n    class B:\n        @staticmethod\n        def answer(question): return 'b'"
    )
    assert ask("my project/rag: v2/json.py:answer") == "helped"
    assert sys.modules["json"] is json, "a standard module must not be replaced"
    assert ask(f"{place}/two words.py:A.B.answer") == "b"


@pytest.mark.parametrize("spec", ["same:answer", "same.py:answer"])
def test_a_second_pipeline_of_the_same_name_comes_from_its_own_folder(
    folder: Path, monkeypatch: pytest.MonkeyPatch, spec: str
) -> None:
    for name in ("one", "two", "one"):
        place = folder / name
        (place / "parts").mkdir(parents=True, exist_ok=True)
        (place / "parts" / "__init__.py").write_text("")
        (place / "parts" / "word.py").write_text(f"WORD = {name!r}")
        (place / "same.py").write_text("from parts.word import WORD\ndef answer(question): return WORD")
        monkeypatch.chdir(place)
        assert ask(spec) == name


def test_dataclasses_and_a_second_loading_work_in_a_file(folder: Path) -> None:
    (folder / "data.py").write_text(
        "from __future__ import annotations\nimport dataclasses\n"
        "@dataclasses.dataclass\nclass Reply:\n    text: str\n    calls: dataclasses.KW_ONLY = 0\n"
        "def answer(question): return Reply(question)\n"
    )
    assert read_answer(ask("data.py:answer"))[0] == Answer(text="Q?")
    assert load_pipeline("data.py:answer").function is load_pipeline("data.py:answer").function
    assert load_pipeline("data.py:answer").function is load_pipeline("data:answer").function


def test_the_fingerprint_follows_the_source(folder: Path) -> None:
    (folder / "other.py").write_text("from mymod import passages\ndef own(question): return ''")
    first = load_pipeline("other.py:passages").fingerprint
    assert load_pipeline("other.py:own").fingerprint != load_pipeline("mymod:own").fingerprint
    (folder / "mymod.py").write_text(MODULE + "\n# another version")
    assert load_pipeline("other.py:passages").fingerprint != first, "the defining file counts"


def test_a_builtin_without_a_readable_signature_is_refused(folder: Path) -> None:
    with pytest.raises(PipelineNotUsable, match="readable parameters at builtins:max"):
        load_pipeline("builtins:max")


def test_a_stream_without_end_is_cut(folder: Path) -> None:
    (folder / "endless.py").write_text(
        "def answer(question):\n    while True: yield 'word ' * 1000\n"
        "async def later(question):\n    while True: yield 'word ' * 1000\n"
        "def mixed(question):\n    yield 'a'\n    yield 3\n"
    )
    for name in ("answer", "later"):
        answer, problems = read_answer(ask(f"endless:{name}"))
        assert answer is not None
        assert len(answer.text) == TEXT_LIMIT
        assert "characters" in problems[0]
    assert read_answer(ask("endless:mixed")) == (
        None,
        ("expected a string, a dict with a text or an Answer, found list",),
    )


# -- reading what came back


@dataclasses.dataclass
class Reply:
    text: object
    citations: object = None


class Message:
    """Like a chat message: its text is in .content."""

    content = "Yes."


class Raises(dict[str, object]):
    """Every access through Python raises."""

    def __getitem__(self, key: str) -> object:
        raise RuntimeError

    def get(self, *args: object) -> object:
        raise RuntimeError

    def __iter__(self) -> Iterator[str]:
        raise RuntimeError

    def __contains__(self, key: object) -> bool:
        raise RuntimeError


class Hostile:
    """Pretends to be text and raises whenever it is looked at."""

    @property
    def text(self) -> str:
        raise SystemExit(3)

    @property  # type: ignore[misc]
    def __class__(self) -> Any:
        return str

    def __str__(self) -> str:
        raise RuntimeError


Yes = Answer(text="Yes.")


@pytest.mark.parametrize(
    ("returned", "answer"),
    [
        ("Yes.", Yes),
        ("", Answer(text="")),
        (Yes, Yes),
        ({"text": "Yes."}, Yes),
        ({"answer": "Yes.", "model": "tiny"}, Yes),
        ({"response": "Yes."}, Yes),
        ({"output": "Yes."}, Yes),
        ({"answer": Message()}, Yes),
        (Message(), Yes),
        (SimpleNamespace(response="Yes."), Yes),
        (Reply("Yes."), Yes),
        (Raises(text="Yes."), Yes),
        (Reply("Yes.", ["a#1"]), Answer(text="Yes.", citations=("a#1",))),
        ({"text": "Yes.", "citations": []}, Answer(text="Yes.", citations=())),
        ({"text": "Yes.", "citations": ("a#1", "b#2")}, Answer(text="Yes.", citations=("a#1", "b#2"))),
        ({"text": "Yes.", "sources": ["a#1"]}, Answer(text="Yes.", citations=("a#1",))),
        ({"text": "Yes.", "sources": [{"id": "a#1"}]}, Answer(text="Yes.", citations=("a#1",))),
        (
            {"text": "Yes.", "sources": [3, PASSAGE, Hit(PASSAGE, 1.0), {"passage_id": "a#1"}, [" b#2 "]]},
            Answer(text="Yes.", citations=("3", "doc#1", "doc#1", "a#1", "b#2")),
        ),
        ({"text": "Yes.", "citations": None}, Yes),
        ({"text": "Yes.", "confidence": 1}, Answer(text="Yes.", confidence=1.0)),
        (
            {"text": "Yes.", "usage": {"input_tokens": 7, "completion_tokens": 0, "cost": 0.5}},
            Answer(text="Yes.", usage=Usage(7, 0, 0.5)),
        ),
        ({"text": "Yes.", "passages": [PASSAGE]}, Answer(text="Yes.", passages=(PASSAGE,))),
        (
            {"text": "Yes.", "passages": [{"id": "x", "text": "t", "start": 3}]},
            Answer(text="Yes.", passages=(Passage("x", "", "", 3, 4, "t"),)),
        ),
        (
            Answer(
                text="Yes.", citations=("a",), confidence=0.5, passages=(PASSAGE,), usage=Usage(1, 2, None)
            ),
            Answer(
                text="Yes.", citations=("a",), confidence=0.5, passages=(PASSAGE,), usage=Usage(1, 2, None)
            ),
        ),
    ],
)
def test_good_answers_are_read_without_a_problem(returned: object, answer: Answer) -> None:
    assert read_answer(returned) == (answer, ())


@pytest.mark.parametrize(
    ("returned", "answer", "problem"),
    [
        ("a\ud83d\ude00b\ud800c", Answer(text="a😀b\ufffdc"), "surrogate"),
        ("a\x00b\x1b", Answer(text="a\x00b\x1b"), "control characters: U+0000, U+001B"),
        ("x" * (TEXT_LIMIT + 5), Answer(text="x" * TEXT_LIMIT), "1,000,005 characters"),
        (
            {"text": "Yes.", "answer": "No."},
            Yes,
            "several texts were returned (text, answer); 'text' was read",
        ),
        ({"text": 3, "answer": "Yes."}, Yes, "'text': expected text, found int"),
        ({"text": "Yes.", "confidence": math.nan}, Yes, "found nan"),
        ({"text": "Yes.", "confidence": math.inf}, Yes, "found inf"),
        ({"text": "Yes.", "confidence": 87}, Yes, "from 0 to 1, found 87"),
        ({"text": "Yes.", "confidence": "high"}, Yes, "found str"),
        ({"text": "Yes.", "confidence": True}, Yes, "found bool"),
        ({"text": "Yes.", "confidence": 10**400}, Yes, "found int"),
        ({"text": "Yes.", "usage": 12}, Yes, "usage: expected a dict of tokens and cost, found int"),
        ({"text": "Yes.", "usage": {"prompt_tokens": -1}}, Yes, "at least 0 as prompt_tokens"),
        ({"text": "Yes.", "usage": {}}, Yes, "usage holds none of"),
        ({"text": "Yes.", "citations": "a#1"}, Answer(text="Yes.", citations=("a#1",)), "single one"),
        ({"text": "Yes.", "citations": {"id": "a#1"}}, Answer(text="Yes.", citations=("a#1",)), "single one"),
        ({"text": "Yes.", "citations": {"a#1": 0.3}}, Yes, "expected a list of passage ids, found dict"),
        ({"text": "Yes.", "citations": 2.5}, Yes, "expected a list of passage ids, found float"),
        (
            {"text": "Yes.", "citations": [{"page": 3}, "a#1"]},
            Answer(text="Yes.", citations=("a#1",)),
            "found dict",
        ),
        ({"text": "Yes.", "citations": [None, "a#1"]}, Answer(text="Yes.", citations=("a#1",)), "found None"),
        (
            {"text": "Yes.", "citations": [b"a", "a#1"]},
            Answer(text="Yes.", citations=("a#1",)),
            "found bytes",
        ),
        ({"text": "Yes.", "citations": ["", "a#1"]}, Answer(text="Yes.", citations=("a#1",)), "0 characters"),
        ({"text": "Yes.", "citations": ["x" * 9999]}, Answer(text="Yes.", citations=()), "9,999 characters"),
        ({"text": "Yes.", "citations": {"b", "a"}}, Answer(text="Yes.", citations=("a", "b")), "is a set"),
        (
            {"text": "Yes.", "citations": ["a"] * (CITATION_LIMIT + 1)},
            Answer(text="Yes.", citations=("a",) * CITATION_LIMIT),
            "more than 1,000 entries",
        ),
        (
            {"text": "Yes.", "citations": ["a\udc00"]},
            Answer(text="Yes.", citations=("a\ufffd",)),
            "surrogate",
        ),
        ({"text": "Yes.", "passages": "doc#1"}, Yes, "passages: expected a list, found str"),
        (
            {"text": "Yes.", "passages": [" ", PASSAGE, {"page": 3}, 4.5]},
            Answer(text="Yes.", passages=(PASSAGE,)),
            "3 of 4 had neither",
        ),
        (
            {"text": "Yes.", "passages": [PASSAGE] * (PASSAGE_LIMIT + 1)},
            Answer(text="Yes.", passages=(PASSAGE,) * PASSAGE_LIMIT),
            "more than 1,000 entries",
        ),
        (
            {"text": "Yes.", "passages": [{"id": "x", "text": "t" * (PASSAGE_TEXT_LIMIT + 1), "end": -4}]},
            Answer(text="Yes.", passages=(Passage("x", "", "", 0, 0, "t" * PASSAGE_TEXT_LIMIT),)),
            "20,001 characters",
        ),
        (Answer(text=3), None, "'text': expected text, found int"),  # type: ignore[arg-type]
        (Answer(text="Yes.", citations="ab"), Answer(text="Yes.", citations=("ab",)), "single one"),  # type: ignore[arg-type]
        (None, None, "expected a string, a dict with a text or an Answer, found None"),
        (b"Yes.", None, "found bytes"),
        (42, None, "found int"),
        (True, None, "found bool"),
        (["Yes."], None, "found list"),
        (("Yes.", ["a#1"]), None, "found tuple"),
        ({}, None, "found dict"),
        ({"text": None}, None, "'text': expected text, found None"),
        ({"reply": "Yes."}, None, "found dict"),
        (Answer, None, "found StructMeta"),
        (iter(["Yes."]), None, "found list_iterator"),
    ],
)
def test_odd_answers_give_a_named_problem(returned: object, answer: Answer | None, problem: str) -> None:
    read, problems = read_answer(returned)
    assert read == answer
    assert problem in " / ".join(problems)


def test_an_object_that_lies_and_raises_is_no_answer() -> None:
    read, problems = read_answer(Hostile())
    assert read is None
    assert "raised" in problems[0]


def test_a_coroutine_that_nobody_awaited_is_closed_and_named() -> None:
    async def answer() -> str:
        return "Yes."

    read, problems = read_answer(answer())
    assert read is None
    assert "found coroutine" in problems[0]


class Odd:
    """An object whose attributes are whatever is given."""

    def __init__(self, **held: object) -> None:
        self.__dict__.update(held)


LEAVES = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.complex_numbers()
    | st.text(st.characters(exclude_categories=()))
    | st.binary(max_size=9)
    | st.sampled_from(
        [PASSAGE, Yes, Answer, object(), Hostile(), Raises(id="a"), len, math, functools.partial(len)]
    )
)
KEYS = st.sampled_from(
    [
        "text",
        "answer",
        "citations",
        "sources",
        "confidence",
        "usage",
        "passages",
        "id",
        "prompt_tokens",
        "cost",
        "start",
    ]
)
VALUES = st.recursive(
    LEAVES,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.lists(inner, max_size=3).map(tuple)
        | st.dictionaries(KEYS, inner, max_size=5)
        | st.dictionaries(KEYS, inner, max_size=4).map(lambda held: Odd(**held))
        | st.dictionaries(KEYS, inner, max_size=4).map(Raises)
    ),
    max_leaves=12,
)


@given(VALUES | st.dictionaries(KEYS, VALUES, min_size=3))
def test_whatever_is_returned_can_be_read_and_recorded(returned: object) -> None:
    answer, problems = read_answer(returned)
    assert answer is not None or problems
    record = Record(
        question="q001", row="adversarial", wanted="refused", status="ok", answer=answer, problems=problems
    )
    written = msgspec.json.encode(record)
    assert msgspec.json.decode(written, type=Record) == record
