"""The Python interface: run, load, compare and gate runs; load corpora and questions; grade one answer."""

from __future__ import annotations

import asyncio
from dataclasses import fields
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from ragharness import comparing
from ragharness import corpus as corpora
from ragharness import questions as question_sets
from ragharness.calibration import judge, labelled_answer
from ragharness.comparisons import GateResult, RunComparison
from ragharness.config import RunConfig
from ragharness.console import Live
from ragharness.download import cache_folder
from ragharness.errors import UnknownName, UsageError
from ragharness.graders import load_grader
from ragharness.results import Run, count
from ragharness.runner import ask_all, open_run
from ragharness.store import find_run

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from ragharness.comparing import Gates
    from ragharness.corpus import Corpus
    from ragharness.questions import QuestionSet
    from ragharness.records import Answer, Passage, Question, Verdict
    from ragharness.store import RunFolder


def run(pipeline: str | Callable[..., Any] = "extractive", *, progress: bool = True, **options: Any) -> Run:
    """Run a pipeline on a question set, grade the answers, and return the run.

    ``pipeline`` is a callable or whatever ``--pipeline`` takes; ``options`` are the fields of ``RunConfig``.
    A run that was broken off is continued. Raises RagharnessError with what was expected and found.
    """
    config = _config(pipeline=pipeline, **options)
    live = Live(quiet=not progress)
    try:
        context, folder = open_run(config, live.say, on_progress=live.fetching)
        ask_all(context, config, folder, live.say, on_progress=live.progress)
    finally:
        live.clear()
    count(folder, context.grading)
    return Run(folder, context.grading)


async def arun(
    pipeline: str | Callable[..., Any] = "extractive", *, progress: bool = True, **options: Any
) -> Run:
    """``run`` for use within a running event loop."""
    return await asyncio.to_thread(run, pipeline, progress=progress, **options)


def load_run(run: str | Path = "") -> Run:
    """Return a run by its path or the start of its name (default: the newest); raises RunNotUsable."""
    return Run(find_run(str(run)))


def gate(
    base: str | Path | Run,
    candidate: str | Path | Run,
    gates: str | Path | Gates = "",
    *,
    record: bool = True,
) -> GateResult:
    """Return whether the candidate may ship in the place of the base.

    ``gates`` are a ``gate.toml``, its settings as ``name=value,...``, or ``Gates``; without ``record`` the
    attempt is not counted. Raises RagharnessError with what was expected and found.
    """
    chosen = gates if isinstance(gates, comparing.Gates) else comparing.read_gates(str(gates))
    return GateResult(comparing.gate(_folder(base), _folder(candidate), chosen, record=record))


def compare(*runs: str | Path | Run) -> RunComparison:
    """Return two runs or more side by side, the others against the first; raises NotComparable."""
    return RunComparison(comparing.compare([_folder(each) for each in runs]))


def load_corpus(
    corpus: str | Path = "sample", *, split: str = "", source: str = "", offline: bool = False
) -> Corpus:
    """Return a listed corpus, or one from a folder of your documents; raises CorpusUnavailable."""
    return corpora.load_corpus(str(corpus), split=split, source=source, offline=offline)


def load_questions(corpus: str | Path | Corpus = "sample", questions: Path | None = None) -> QuestionSet:
    """Return the question set of a corpus, or your own questions about it; raises QuestionsNotUsable."""
    about = corpus if isinstance(corpus, corpora.Corpus) else load_corpus(corpus)
    return question_sets.load_questions(about, path=questions)


def grade(
    question: Question | str,
    answer: Answer | str,
    passages: Sequence[Passage | str] = (),
    *,
    golds: Sequence[str] = (),
    grader: str = "rules",
    grader_option: Sequence[str] = (),
) -> Verdict:
    """Return the verdict on one answer; ``grader`` and ``grader_option`` are those of ``RunConfig``.

    ``golds`` are the accepted answers where ``question`` is a text; without any a refusal is wanted. Each of
    ``passages`` counts as holding the evidence; without any, the answer alone is judged. Raises UsageError
    for what cannot be read.
    """
    row: dict[str, Any] = {
        "question": question if isinstance(question, str) else question.text,
        "answers": list(golds),
        "answer": answer if isinstance(answer, str) else answer.text,
        "citations": None if isinstance(answer, str) else answer.citations and list(answer.citations),
        "passages": [
            each if isinstance(each, str) else {"id": each.id, "title": each.title, "text": each.text}
            for each in passages
        ],
        "label": "correct",
    }
    try:
        read = labelled_answer(row)
    except ValueError as error:
        raise UsageError(str(error)) from error
    if not isinstance(question, str):
        read = replace(read, question=question)
    chosen = load_grader(grader, settings=grader_option, cache=cache_folder() / "answers")
    return judge(chosen, read)


def _folder(run: str | Path | Run) -> RunFolder:
    return run.folder if isinstance(run, Run) else find_run(str(run))


def _config(**options: Any) -> RunConfig:
    known = {each.name for each in fields(RunConfig)}
    for name in options.keys() - known:
        raise UnknownName("option of a run", name, sorted(known))
    return RunConfig(**options)
