"""The recipes of docs/recipes against the real libraries: run by ``.ci/frameworks``, not by the main command.

Their stand-ins for models are replaced, as a reader would: by embeddings that find shared words, and by a
model that cites the first passage.
"""

from __future__ import annotations

import hashlib
import importlib.util
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from ragharness.config import RunConfig
from ragharness.pipelines import load_pipeline, read_answer
from ragharness.pipelines._own import asked_by_method
from ragharness.runner.execution import execute
from ragharness.runner.scheduler import QuestionRunner
from ragharness.runner.session import RunContext, load_context

if TYPE_CHECKING:
    from ragharness.records import Question, Record

RECIPES = Path(__file__).resolve().parents[2] / "docs" / "recipes"
WORD = re.compile(r"\w+")
REPLY = "Yes. The documents say that this is so [1]."


def words_hashed(text: str, size: int = 512) -> list[float]:
    """Return a vector in which texts that share words lie near each other."""
    vector = [0.0] * size
    for word in set(WORD.findall(text.lower())):
        vector[int(hashlib.sha256(word.encode()).hexdigest(), 16) % size] += min(len(word), 9) ** 2 / 10
    return vector


@pytest.fixture
def langchain(monkeypatch: pytest.MonkeyPatch) -> None:
    import langchain_core.embeddings
    import langchain_core.language_models
    from langchain_core.messages import AIMessage, BaseMessage
    from langchain_core.outputs import ChatGeneration, ChatResult

    class Words(langchain_core.embeddings.Embeddings):
        def __init__(self, size: int) -> None: ...

        def embed_query(self, text: str) -> list[float]:
            return words_hashed(text)

        def embed_documents(self, texts: list[str]) -> list[list[float]]:
            return [words_hashed(text) for text in texts]

    class Model(langchain_core.language_models.FakeListChatModel):
        def _generate(self, messages: list[BaseMessage], *args: Any, **kwargs: Any) -> Any:
            usage: Any = {"input_tokens": 40, "output_tokens": 9, "total_tokens": 49}
            return ChatResult(generations=[ChatGeneration(message=AIMessage(REPLY, usage_metadata=usage))])

    monkeypatch.setattr(langchain_core.embeddings, "DeterministicFakeEmbedding", Words)
    monkeypatch.setattr(langchain_core.language_models, "FakeListChatModel", Model)


@pytest.fixture
def llamaindex(monkeypatch: pytest.MonkeyPatch) -> None:
    import llama_index.core
    import llama_index.core.llms
    from llama_index.core.base.llms.types import CompletionResponse

    class Words(llama_index.core.MockEmbedding):
        def _get_query_embedding(self, query: str) -> list[float]:
            return words_hashed(query)

        def _get_text_embedding(self, text: str) -> list[float]:
            return words_hashed(text)

        async def _aget_query_embedding(self, query: str) -> list[float]:
            return words_hashed(query)

    class Model(llama_index.core.llms.MockLLM):
        def complete(self, prompt: str, formatted: bool = False, **kwargs: Any) -> CompletionResponse:
            return CompletionResponse(text=REPLY)

    monkeypatch.setattr(llama_index.core, "MockEmbedding", Words)
    monkeypatch.setattr(llama_index.core.llms, "MockLLM", Model)


@pytest.fixture(scope="module")
def bench() -> RunContext:
    return load_context(RunConfig())


def run(bench: RunContext, spec: str) -> list[tuple[Question, Record]]:
    """Ask all questions of a recipe; returns them with their records."""
    pipeline = load_pipeline(f"{RECIPES}/{spec}")
    runner = QuestionRunner(pipeline, bench.runner.retriever, bench.grading)
    answers: list[Record] = []
    questions = bench.questions.questions
    execute([(each, 0) for each in questions], runner, answers.append, concurrency=2)
    by_id = {answer.question: bench.grading.graded(answer) for answer in answers}
    return [(question, by_id[question.id]) for question in questions]


def held(bench: RunContext, question: Question, text: str) -> bool:
    """Whether a text has four fifths of the words of a gold span, in their order: a search of its own."""
    had = " ".join(WORD.findall(text))
    for span in question.evidence:
        words = WORD.findall(bench.corpus.document(span.document).text[span.start : span.end])
        least = -(-len(words) * 4 // 5)
        if any(" ".join(words[first : first + least]) in had for first in range(len(words) - least + 1)):
            return True
    return False


def check(bench: RunContext, asked: list[tuple[Question, Record]]) -> None:
    """Compare what was scored with a search for the gold text in the passages that were brought."""
    found = 0
    for question, record in asked:
        assert record.failure is None
        assert record.problems == ()
        assert record.answer
        assert record.answer.text == REPLY
        passages = record.answer.passages or ()
        assert len(passages) == len(record.retrieved) == 5
        in_document = [
            each for each in passages if bench.corpus.canonical(each.document) == question.document
        ]
        expected = [held(bench, question, each.text) for each in passages if each in in_document]
        assert any(record.evidence_ranks) == any(expected), question.id
        found += any(record.evidence_ranks)
        assert record.verdict
        assert record.cited == {passages[0].id}
    assert found > 10


def test_a_langchain_chain_is_a_pipeline(langchain: None, bench: RunContext) -> None:
    check(bench, run(bench, "langchain_chain.py:chain"))


def test_a_langchain_model_takes_the_harness_retriever(langchain: None, bench: RunContext) -> None:
    for question, record in run(bench, "langchain_retrieve.py:answer"):
        assert record.failure is None
        assert record.answer
        assert record.answer.text == REPLY
        assert record.answer.usage
        assert (record.answer.usage.prompt_tokens, record.answer.usage.completion_tokens) == (40, 9)
        assert len(record.retrieved) == (0 if question.stratum == "null_retrieval" else 5)


def test_a_llamaindex_engine_is_a_pipeline(llamaindex: None, bench: RunContext) -> None:
    check(bench, run(bench, "llamaindex_engine.py:engine"))


def recipe(name: str) -> Any:
    spec = importlib.util.spec_from_file_location(name, RECIPES / f"{name}.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_other_langchain_objects_are_read(langchain: None, tmp_path: Path) -> None:
    from langchain.agents import create_agent
    from langchain_classic.chains import RetrievalQA
    from langchain_core.messages import AIMessage
    from langchain_core.output_parsers import StrOutputParser
    from langchain_core.runnables import RunnablePassthrough

    made = recipe("langchain_chain")
    retriever = made.index.as_retriever(search_kwargs={"k": 3})
    line = {"context": retriever, "input": RunnablePassthrough()} | made.prompt | made.model
    qa = RetrievalQA.from_chain_type(made.model, retriever=retriever, return_source_documents=True)
    program = "from held import objects\n" + "".join(f"{name} = objects[{name!r}]\n" for name in NAMES)
    (tmp_path / "mine.py").write_text(program)
    (tmp_path / "held.py").write_text("objects = {}")
    sys.path.insert(0, str(tmp_path))
    import held  # type: ignore[import-not-found]

    type(made.model).bind_tools = lambda self, *_, **__: self
    agent = create_agent(made.model, tools=[])
    held.objects.update(line=line, text=line | StrOutputParser(), qa=qa, agent=agent)
    for name, passages in zip(NAMES, (None, None, 3, None), strict=True):
        answer, problems = read_answer(load_pipeline(f"{tmp_path}/mine.py:{name}").call("What is the rent?"))
        assert answer
        assert (answer.text, problems) == (REPLY, ())
        assert (answer.passages and len(answer.passages)) == passages
    thinking = AIMessage([{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": REPLY}])
    answer, problems = read_answer({"answer": thinking, "context": []})
    assert answer
    assert (answer.text, answer.passages, problems) == (REPLY, (), ())


NAMES = ("line", "text", "qa", "agent")


def test_other_llamaindex_engines_are_read(llamaindex: None) -> None:
    made = recipe("llamaindex_engine")
    model = sys.modules["llama_index.core.llms"].MockLLM()  # type: ignore[attr-defined]
    engine = made.index.as_query_engine(llm=model, similarity_top_k=2)
    answer, problems = read_answer(asked_by_method(engine)("What is the rent?"))  # type: ignore[misc]
    assert answer
    assert answer.text == REPLY
    assert problems == ()
    for passage in answer.passages or ():
        text = next(each.text for each in made.texts if each.doc_id == passage.document)
        assert text[passage.start : passage.end] == passage.text
