"""Retrievers of the user's own: how they are found and asked, what is read; nothing withheld returns."""

from __future__ import annotations

import json
import re
import textwrap
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from conftest import ROOT
from ragharness.corpus.alignment import passage_at, span_id
from ragharness.corpus.loading import Corpus, load_corpus
from ragharness.corpus.passages import EvidenceIndex, PassageSet, build_passages, withhold
from ragharness.errors import RetrieverNotUsable, UnknownName, UsageError
from ragharness.records import Document, Evidence, Passage
from ragharness.retrievers import build_retriever
from ragharness.retrievers._own import IndexMapper
from ragharness.support.options import Options

if TYPE_CHECKING:
    from commands import Verb

TEXT = (
    "The lease of the northern warehouse begins on the first of May. "
    "The tenant pays four thousand crowns every month in advance. "
    "Either side may end the lease with a notice of ninety days. "
    "Repairs of the roof are the business of the landlord alone."
)
OTHER = (
    "The ferry to the outer islands sails at dawn on working days. "
    "A crossing takes about fifty minutes when the sea is calm."
)
CORPUS = Corpus(
    "toy", "", (Document(id="d1", title="Lease", text=TEXT), Document(id="d2", title="Ferry", text=OTHER))
)
WHOLE = build_passages(CORPUS.documents, 10)
SECRET = WHOLE.by_id["d1#3"]
INDEX = withhold(WHOLE, [], [Evidence("d1", SECRET.start, SECRET.end)])


def own(code: str, folder: Path, name: str = "mine", passages: PassageSet = INDEX) -> Any:
    path = folder / f"own_{len(list(folder.iterdir()))}.py"
    path.write_text(textwrap.dedent(code), encoding="utf-8")
    return build_retriever(f"{path}:{name}", passages, EvidenceIndex(CORPUS))


def ids(code: str, folder: Path, k: int = 5, **more: Any) -> list[str]:
    return [hit.passage.id for hit in own(code, folder, **more).retrieve("roof", k)]


FORMS = {
    "a function": "def mine(query, k): return ['d1#4', 'd2#1'][:k]",
    "other names": "def mine(text, *, top_k=3): return ['d1#4', 'd2#1', 'd1#1'][:top_k]",
    "keywords in another order": "def mine(k, query): return ['d1#4', 'd2#1'][:k] if query == 'roof' else []",
    "without k": "def mine(query): return ['d1#4', 'd2#1', 'd1#1']",
    "anything": "def mine(*given): return ['d1#4', 'd2#1'][:given[1]]",
    "asynchronous": "async def mine(query, k): return ['d1#4', 'd2#1'][:k]",
    "a generator": "def mine(query, k):\n    yield 'd1#4'\n    yield 'd2#1'\n    yield 'd1#1'",
    "an object with __call__": """
        class Any:
            def __call__(self, query, k): return ['d1#4', 'd2#1']
        mine = Any()""",
    "a class with retrieve": """
        class mine:
            def retrieve(self, query, k): return ['d1#4', 'd2#1']""",
    "an object with search": """
        class Any:
            def search(self, q, limit): return ['d1#4', 'd2#1'][:limit]
        mine = Any()""",
    "an object with invoke": """
        class Any:
            def invoke(self, input, config=None, **more):
                assert config is None
                return ['d1#4', 'd2#1', 'd1#2']
        mine = Any()""",
    "an object without readable parameters": """
        class Any:
            __signature__ = "none"
            def __call__(self, query, k): return ['d1#4', 'd2#1'][:k]
        mine = Any()""",
    "a factory of nothing": "def mine(model='x'): return lambda query, k: ['d1#4', 'd2#1']",
    "a factory of passages": """
        def mine(passages):
            def find(query, k):
                return sorted(passages, key=lambda p: query not in p.text)[:1] + ['d2#1']
            return find""",
    "a class of passages": """
        class mine:
            def __init__(self, docs, weight=1): self.docs = docs
            def retrieve(self, query, k): return [p.id for p in self.docs if query in p.text] + ['d2#1']""",
}


@pytest.mark.parametrize("form", FORMS)
def test_every_form_of_a_retriever_is_asked(form: str, tmp_path: Path) -> None:
    assert ids(FORMS[form], tmp_path, k=2) == ["d1#4", "d2#1"]


ROOF = "Repairs of the roof are the business of the landlord alone."
RETURNED = {
    "ids": "['d1#4']",
    "pairs": "[('d1#4', 0.5)]",
    "lists of two": "[['d1#4', 0.5]]",
    "dicts": "[{'id': 'd1#4', 'score': 0.5}]",
    "a string that is a text": f"[({ROOF!r}, 0.5)]",
    "text alone": f"[{{'text': {ROOF!r}, 'score': 0.5}}]",
    "text of other line breaks": f"[({{'text': {ROOF.replace(' the ', chr(10) + 'the  ')!r}}}, 0.5)]",
    "offsets": f"[D(id='x', document='d1', start={TEXT.index('Repairs')}, end={len(TEXT)}, score=0.5)]",
    "a document with metadata": f"[(D(page_content={ROOF!r}, metadata={{'source': 'd1'}}), 0.5)]",
    "a node with a score": f"[D(score=0.5, node=D(node_id='n7', text={ROOF!r}))]",
    "a hit in a dict with an id of its own": "[{'id': 'hit-1', 'passage': {'id': 'd1#4'}, 'score': 0.5}]",
    "a place alone": f"[({{'document': 'd1', 'start': {TEXT.index('Repairs')}, 'end': {len(TEXT)}}}, 0.5)]",
    "a match with its text in the metadata": f"[({{'id': 'v7', 'metadata': {{'text': {ROOF!r}}}}}, 0.5)]",
    "a hit of ours": "[Hit(Passage('d1#4', '', '', 0, 0, ''), 0.5)]",
    "an array": "Array([['d1#4', 0.5]])",
}
HELPERS = """
from types import SimpleNamespace as D
from ragharness.records import Hit, Passage
class Array:
    def __init__(self, rows): self.rows = rows
    def tolist(self): return self.rows
"""


@pytest.mark.parametrize("form", RETURNED)
def test_whatever_names_a_passage_is_read_with_its_score(form: str, tmp_path: Path) -> None:
    code = f"{HELPERS}\ndef mine(query, k): return {RETURNED[form]}"
    (hit,) = own(code, tmp_path).retrieve("roof", 3)
    assert hit.passage == WHOLE.by_id["d1#4"]
    assert hit.score == (0.0 if form == "ids" else 0.5)


def test_whole_numbers_are_positions_in_the_list_that_was_handed_over(tmp_path: Path) -> None:
    code = "def mine(passages): return lambda query, k: [2, 0, -1, 99]"
    retriever = own(code, tmp_path)
    hits = retriever.retrieve("roof", 5)
    assert [hit.passage.id for hit in hits] == [INDEX.passages[2].id, INDEX.passages[0].id]
    assert hits.problems == (
        "2 of 4 retrieved passages are in no document of the corpus and were left out: -1, 99",
    )


def test_what_several_documents_say_is_told_apart_from_what_none_says() -> None:
    shared = "This wording stands in both documents, word for word."
    corpus = Corpus(
        "own",
        "",
        tuple(Document(id=each, title=each, text=f"{shared} {each}") for each in ("one", "two")),
    )
    mapping = IndexMapper(build_passages(corpus.documents), corpus)
    hits = mapping.hits(
        [
            (Passage("x", "", "", 0, 0, shared), 1.0),
            (Passage("y", "", "", 0, 0, "Nobody ever wrote this sentence."), 0.5),
        ],
        5,
    )
    assert hits == []
    assert [each.split(" and were")[0] for each in hits.problems] == [
        "1 of 2 retrieved passages stand in several documents of the corpus and name none",
        "1 of 2 retrieved passages are in no document of the corpus",
    ]


def test_a_passage_comes_once_and_no_more_than_k_come(tmp_path: Path) -> None:
    code = "def mine(query, k): return ['d1#4', 'd1#4', 'd1#1', 'd1#2', 'd2#1']"
    assert ids(code, tmp_path, k=3) == ["d1#4", "d1#1", "d1#2"]


def test_passages_of_other_boundaries_are_the_corpus_s_words_under_the_name_of_their_place(
    tmp_path: Path,
) -> None:
    start, end = TEXT.index("begins"), TEXT.index("every month")
    code = f"def mine(query, k): return [{{'id': 'mine-1', 'text': {TEXT[start:end].upper()!r}}}]"
    (hit,) = own(code, tmp_path).retrieve("x", 5)
    assert hit.passage.id == f"d1@{start}-{end - 1}"
    assert hit.passage.text == TEXT[start : end - 1]
    assert passage_at(hit.passage.id, CORPUS) == hit.passage


WAYS_IN = {
    "its id": "'d1#3'",
    "its text": repr(SECRET.text),
    "its text in another case": repr(SECRET.text.upper()),
    "its text under an id of the index": f"{{'id': 'd1#1', 'text': {SECRET.text!r}}}",
    "the whole document": f"{{'id': 'all', 'text': {TEXT!r}}}",
    "offsets": f"{{'id': 'x', 'document': 'd1', 'start': {SECRET.start}, 'end': {SECRET.end}}}",
    "offsets that reach into it": f"{{'id': 'x', 'document': 'd1', 'start': 70, 'end': {SECRET.start + 6}}}",
    "the name of its place": f"'d1@{SECRET.start}-{SECRET.end}'",
}


@pytest.mark.parametrize("way", WAYS_IN)
def test_withheld_evidence_never_comes_back(way: str, tmp_path: Path) -> None:
    entry = WAYS_IN[way]
    if way.startswith("its text") and not entry.startswith("{"):
        entry = f"{{'text': {entry}}}"
    retriever = own(f"def mine(query, k): return [{entry}, 'd2#1']", tmp_path)
    hits = retriever.retrieve("notice", 5)
    assert [hit.passage.id for hit in hits] == ["d2#1"]
    (problem,) = hits.problems
    assert problem.startswith("1 of 2 retrieved passages hold what the index leaves out")


def test_of_a_text_put_together_nothing_withheld_is_handed_on(tmp_path: Path) -> None:
    mixed = f"Summary. {TEXT[SECRET.start :]} {OTHER}"
    hits = own(f"def mine(query, k): return [{{'text': {mixed!r}}}, 'd2#1']", tmp_path).retrieve("x", 5)
    assert "d2#1" in {hit.passage.id for hit in hits}
    assert not any("ninety" in hit.passage.text for hit in hits)


def test_what_the_corpus_does_not_hold_is_left_out_and_said(tmp_path: Path) -> None:
    code = (
        "def mine(query, k): return ['d9#1', {'text': 'The moon is made of green cheese, they say.'}, 'd2#1']"
    )
    hits = own(code, tmp_path).retrieve("moon", 5)
    assert [hit.passage.id for hit in hits] == ["d2#1"]
    assert hits.problems[0].startswith("2 of 3 retrieved passages are in no document of the corpus")


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ("mine = 7", "found an object of type int"),
        ("def mine(query, k, index): return []", "found one that needs index"),
        ("def mine(passages, index): return []", "needs 'index'"),
        ("def mine(passages): return 7", "found an object of type int"),
        ("async def mine(passages): return 7", "found an object of type coroutine"),
        ("def mine(passages): raise KeyError('no index')", "KeyError: 'no index' .*line 1"),
        ("def other(query, k): return []", "expected 'mine' in"),
        ("import nothing_of_that_name", "ModuleNotFoundError"),
    ],
)
def test_what_is_no_retriever_is_refused_with_a_sentence(code: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(RetrieverNotUsable, match=message):
        own(code, tmp_path)


@pytest.mark.parametrize(
    ("returned", "found"),
    [
        ("None", "None"),
        ("'d1#4'", "an object of type str"),
        ("{'d1#4': 0.5}", "an object of type dict"),
        ("[None]", "None"),
        ("[3.5]", "an object of type float"),
        ("[{'score': 1}]", "an object of type dict"),
    ],
)
def test_what_cannot_be_read_raises_with_what_was_expected(returned: str, found: str, tmp_path: Path) -> None:
    retriever = own(f"def mine(query, k): return {returned}", tmp_path)
    with pytest.raises(RetrieverNotUsable, match=f"^expected .* found {found}"):
        retriever.retrieve("roof", 5)


def test_its_source_is_among_the_settings(tmp_path: Path) -> None:
    first = own("def mine(query, k): return []", tmp_path)
    again = own("def mine(query, k): return []", tmp_path)
    other = own("def mine(query, k): return ['d1#1']", tmp_path)
    assert first.settings == again.settings != other.settings
    assert len(str(first.settings["source"])) == 32


def test_settings_and_names_that_nobody_takes_are_refused(tmp_path: Path) -> None:
    (tmp_path / "own.py").write_text("def mine(query, k): return []", encoding="utf-8")
    with pytest.raises(UsageError, match="takes no settings"):
        build_retriever(f"{tmp_path}/own.py:mine", INDEX, None, None, Options({"a": "1"}))
    with pytest.raises(UnknownName) as failure:
        build_retriever("own", INDEX)
    assert "package.module:function" in failure.value.help


def test_names_of_places_are_read_back_and_others_are_none() -> None:
    places = [Evidence("d1", 4, 9), Evidence("d1", 20, 31)]
    passage = passage_at(span_id(places), CORPUS)
    assert passage is not None
    assert list(passage.places) == places
    assert passage.text == f"{TEXT[4:9]}\n{TEXT[20:31]}"
    for name in ("d1#1", "d1@9-4", "d1@0-9999", "d9@0-4", "d1@0-4+", "@0-4"):
        assert passage_at(name, CORPUS) is None


# -- whole runs


def example() -> str:
    page = (ROOT / "docs" / "retrieval.md").read_text(encoding="utf-8")
    (code,) = re.findall(r"^```python\n(.*?)^```$", page, re.DOTALL | re.MULTILINE)
    return str(code)


def test_the_example_of_the_documentation_runs_and_finds_evidence(tmp_path: Path, verb: Verb) -> None:
    (tmp_path / "mysearch.py").write_text(example(), encoding="utf-8")
    done = verb("run", "--retriever", "mysearch:build", "--size", "26", "--json", "--out", "run")
    assert done.code == 0, done.errors
    scores = json.loads(done.output)
    assert scores["retriever"] == "mysearch:build"
    assert scores["retrieval"]["any_evidence"]["count"] > scores["retrieval"]["n"] / 2
    assert scores["problems"] == []
    graded = verb("grade", "run", "--json")
    assert json.loads(graded.output)["retrieval"] == scores["retrieval"]


CHEAT = """
from ragharness.corpus.loading import load_corpus
TEXTS = [document for document in load_corpus("sample").documents]
def find(query, k):
    words = set(query.lower().split())
    found = [(d, at) for d in TEXTS for at in range(0, len(d.text), 600)]
    text = lambda p: p[0].title + ' ' + p[0].text[p[1]:p[1] + 600]
    found.sort(key=lambda p: -len(words & set(text(p).lower().split())))
    return [{"id": f"{d.id}/{at}", "text": d.text[at:at + 600]} for d, at in found[:k]]
"""


def test_a_retriever_over_the_whole_corpus_gets_no_withheld_evidence_into_a_run(
    tmp_path: Path, verb: Verb
) -> None:
    (tmp_path / "cheat.py").write_text(CHEAT, encoding="utf-8")
    done = verb("run", "--retriever", "cheat:find", "--size", "26", "--json", "--out", "run")
    assert done.code == 0, done.errors
    scores = json.loads(done.output)
    assert any("hold what the index leaves out" in each["problem"] for each in scores["problems"])
    questions = {
        each["id"]: each
        for each in map(json.loads, Path("run/questions.jsonl").read_text(encoding="utf-8").splitlines())
    }
    records = list(map(json.loads, Path("run/records.jsonl").read_text(encoding="utf-8").splitlines()))
    corpus = load_corpus("sample")
    assert any("@" in hit["id"] for each in records for hit in each.get("retrieved", ()))
    for record in records:
        question = questions[record["question"]]
        for hit in record.get("retrieved", ()):
            passage = passage_at(hit["id"], corpus)
            for span in question.get("evidence", ()) if question.get("withheld") else ():
                assert (
                    passage is None
                    or passage.document != span["document"]
                    or (passage.end <= span["start"] or span["end"] <= passage.start)
                )
    before = scores["buckets"]
    assert json.loads(verb("grade", "run", "--json").output)["buckets"] == before
    shown = verb("show", records[0]["question"], "run")
    assert shown.code == 0


def test_another_source_is_another_run(tmp_path: Path, verb: Verb) -> None:
    path = tmp_path / "mysearch.py"
    path.write_text("def find(query, k): return []", encoding="utf-8")
    command = ("run", "--retriever", "mysearch.py:find", "--size", "26", "--json", "--out", "run")
    assert verb(*command).code == 0
    path.write_text("def find(query, k): return list()", encoding="utf-8")
    changed = verb(*command)
    assert changed.code == 3
    assert "retriever settings" in changed.errors


def test_a_retriever_that_returns_nothing_readable_is_an_error_of_each_question(
    tmp_path: Path, verb: Verb
) -> None:
    code = (
        "def find(query, k):\n    if 'lease' in query.lower(): raise ValueError('index lost')\n    return []"
    )
    (tmp_path / "broken.py").write_text(f"{code}\ndef none(query, k): return None", encoding="utf-8")
    done = verb("run", "--retriever", "broken:none", "--size", "26", "--json", "--max-failures", "0")
    scores = json.loads(done.output)
    assert scores["statuses"]["error"] == scores["questions"] - sum(
        row["n"] for name, row in scores["rows"].items() if name == "null"
    )
    assert "expected a list of passages or ids" in scores["errors"][0]["message"]
