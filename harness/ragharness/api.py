"""The Python interface: run, load, label, calibrate, compare and gate runs; grade one answer."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, overload

from msgspec import ValidationError, convert, to_builtins
from msgspec.structs import replace

from ragharness.analysis.compare import compare as compare_runs
from ragharness.analysis.gate import gate as gate_runs
from ragharness.analysis.labelled import judge as judge_by_labels
from ragharness.analysis.labelled import labelled_answer
from ragharness.analysis.matrix import Matrix, MatrixCell, main_effects, read_grid
from ragharness.analysis.rules import Gates, read_gates
from ragharness.config import RunConfig
from ragharness.corpus import loading as corpora
from ragharness.errors import RagharnessError, UnknownName, UsageError
from ragharness.graders import load_grader
from ragharness.pipelines import read_answer
from ragharness.questions.loading import load_questions as questions_of
from ragharness.records import Answer, Citations, Passage, Question, Verdict
from ragharness.reports.compare import plan_sections
from ragharness.reports.progress import Live
from ragharness.reports.text import render
from ragharness.results import GateResult, MatrixResult, Run, RunCalibration, RunComparison, calibrated, count
from ragharness.runner.grading import grading_context
from ragharness.runner.run_search import find_run, run_before
from ragharness.runner.session import ask_all, open_run, plan
from ragharness.support.files import cache_folder

if TYPE_CHECKING:
    from ragharness.analysis.labelling import Labelling
    from ragharness.analysis.matrix import Cell
    from ragharness.corpus.loading import Corpus
    from ragharness.questions.questionset import QuestionSet
    from ragharness.rubrics.judge import Judge
    from ragharness.rubrics.scoring import RubricScores
    from ragharness.runner.run_folder import RunFolder


def run(pipeline: str | Callable[..., Any] = "extractive", *, progress: bool = True, **options: Any) -> Run:
    """Run a pipeline on a question set and grade the answers.

    ``pipeline`` is a callable or whatever ``--pipeline`` takes; ``options`` are the fields of ``RunConfig``.
    An interrupted run is continued. Raises RagharnessError.
    """
    names = [option.name for option in fields(RunConfig)]
    for name in options.keys() - set(names):
        raise UnknownName("option of a run", name, names)
    return _run(RunConfig(pipeline=pipeline, **options), Live(quiet=not progress))


async def arun(
    pipeline: str | Callable[..., Any] = "extractive", *, progress: bool = True, **options: Any
) -> Run:
    """``run`` for use within a running event loop."""
    return await asyncio.to_thread(run, pipeline, progress=progress, **options)


def matrix(file: str | Path, *, dry_run: bool = False, progress: bool = True) -> MatrixResult:
    """Run every cell of a ``matrix.toml`` that is not finished, and compare them.

    An error in a cell stays in that cell. ``dry_run`` only counts the remaining calls and estimates their
    largest cost. Raises UsageError for an invalid file.
    """
    grid = read_grid(Path(file))
    live = Live(quiet=not progress)
    try:
        cells = [_plan_cell(cell, live) for cell in grid.cells]
        result = Matrix(axes=grid.axes, cells=cells)
        if dry_run:
            return MatrixResult(result)
        live.say(render(plan_sections(result), "text").rstrip())
        runs = []
        for number, (cell, planned) in enumerate(zip(grid.cells, cells, strict=True), 1):
            if planned.error:
                continue
            live.say(f"cell {number} of {len(cells)}: {cell.name}")
            cells[number - 1], run = _run_cell(cell, planned, live)
            if run is not None:
                runs.append((cell.values, run.folder))
    finally:
        live.clear()
    return MatrixResult(replace(result, effects=main_effects(grid.axes, runs)))


def load_run(run: str | Path = "") -> Run:
    """A run by its path, a part of its name or a tag (default: the newest); raises RunNotUsable."""
    return Run(find_run(str(run)))


def gate(
    base: str | Path | Run = "",
    candidate: str | Path | Run = "",
    gates: str | Path | Gates = "",
    *,
    record: bool = True,
) -> GateResult:
    """Decide whether the candidate (default: the newest run) may replace the base (the one before it).

    ``gates`` are a ``gate.toml``, its settings as ``name=value,...``, or ``Gates``; without ``record`` the
    attempt is not counted. Raises RagharnessError.
    """
    settings = gates if isinstance(gates, Gates) else read_gates(str(gates))
    after = _folder(candidate)
    before = run_before(after) if base == "" else _folder(base)
    return GateResult(gate_runs(before, after, settings, record=record))


def compare(*runs: str | Path | Run) -> RunComparison:
    """Two runs or more side by side, the others against the first; raises NotComparable."""
    return RunComparison(compare_runs([_folder(run) for run in runs]))


def label(
    run: str | Path | Run,
    annotator: str,
    *,
    sample: int = 0,
    strata: str = "",
    seed: int | None = None,
    adjudicate: bool = False,
) -> Labelling:
    """One person's labelling of a run: ``next()`` shows an answer, ``save()`` keeps its label.

    A sample is drawn once and kept with the run. Raises UsageError for a different sample, and RunNotUsable
    without the corpus.
    """
    from ragharness.analysis.labelling import open_labelling

    folder = _folder(run)
    options: dict[str, Any] = {"sample": sample, "strata": strata, "seed": seed, "adjudicate": adjudicate}
    return open_labelling(folder, annotator, grading_context(folder), **options)


def calibrate(run: str | Path | Run, labels: str | Path = "") -> RunCalibration:
    """Accuracy of a run's verdicts by people's labels; a note is kept with the run.

    ``labels`` is a file or folder of labels, also of another run (default: the run's own). Raises UsageError
    where there are none.
    """
    return RunCalibration(calibrated(_folder(run), Path(labels) if labels else None))


def load_corpus(
    corpus: str | Path = "sample", *, split: str = "", source: str = "", offline: bool = False
) -> Corpus:
    """A listed corpus, or one from a folder of your documents; raises CorpusUnavailable."""
    return corpora.load_corpus(str(corpus), split=split, source=source, offline=offline)


def load_questions(corpus: str | Path | Corpus = "sample", questions: Path | None = None) -> QuestionSet:
    """The question set of a corpus, or your own questions about it; raises QuestionsNotUsable."""
    about = corpus if isinstance(corpus, corpora.Corpus) else load_corpus(corpus)
    return questions_of(about, path=questions)


@overload
def grade(
    question: Question | str,
    answer: Answer | str | Mapping[str, Any],
    passages: Sequence[Passage | str] = ...,
    *,
    golds: Sequence[str] = ...,
    evidence: Sequence[str] | None = ...,
    grader: str = ...,
    grader_option: Sequence[str] = ...,
    confirm: str = ...,
    citations: Citations = ...,
) -> Verdict: ...
@overload
def grade(
    question: Question | str,
    answer: Answer | str | Mapping[str, Any],
    passages: Sequence[Passage | str] = ...,
    *,
    golds: Sequence[str] = ...,
    rubric: str,
    judge: Judge | Callable[[str], str] | None = ...,
    more: Mapping[str, Any] | None = ...,
    people: Sequence[Mapping[str, Any]] = ...,
) -> RubricScores: ...


def grade(
    question: Question | str,
    answer: Answer | str | Mapping[str, Any],
    passages: Sequence[Passage | str] = (),
    *,
    golds: Sequence[str] = (),
    evidence: Sequence[str] | None = None,
    grader: str = "rules",
    grader_option: Sequence[str] = (),
    confirm: str = "",
    citations: Citations = "auto",
    rubric: str = "",
    judge: Judge | Callable[[str], str] | None = None,
    more: Mapping[str, Any] | None = None,
    people: Sequence[Mapping[str, Any]] = (),
) -> Verdict | RubricScores:
    """The verdict on one answer, or its scores by a rubric; grader and citations as in ``RunConfig``.

    ``golds`` are the accepted answers where ``question`` is a text; without any a refusal is desired. The
    ``answer`` is what a pipeline returns: a text, a dict with ``text`` and ``citations``, an ``Answer``.
    ``evidence`` are the ids of the ``passages`` that hold the gold (default: all of them); without both, the
    answer alone is judged. For a rubric, ``judge`` replies to its prompts, a function or an object with
    ``ask(prompt, vote)``; ``more`` holds ``messages``, ``tool_calls`` and ``facts``, and ``people`` the
    opinions of persons, as in its files. Raises UsageError.
    """
    returned, problems = read_answer(answer)
    if returned is None:
        raise UsageError(f"expected an answer, found: {'; '.join(problems)}")
    cache = cache_folder() / "answers"
    chosen = load_grader(grader, settings=grader_option, confirm=confirm, cache=cache, citations=citations)
    text = question if isinstance(question, str) else question.text

    def verdict() -> Verdict:
        row: dict[str, Any] = {
            "question": text,
            "answers": list(golds),
            "answer": returned.text,
            "citations": returned.citations and list(returned.citations),
            "passages": list(to_builtins(passages or returned.passages or ())),
            "evidence": None if evidence is None else list(evidence),
            "label": "correct",
        }
        try:
            labelled = labelled_answer(row)
        except ValueError as error:
            raise UsageError(str(error)) from error
        if not isinstance(question, str):
            labelled = replace(labelled, question=question)
        return judge_by_labels(chosen, labelled, citations)

    if not rubric:
        return verdict()
    from ragharness.rubrics import registry, scoring
    from ragharness.rubrics.judge import as_judge
    from ragharness.rubrics.rubric import Item, Opinion

    loaded = registry.open_active(rubric)
    registry.mark_used(loaded)
    context = [p if isinstance(p, str) else {"id": p.id, "title": p.title, "text": p.text} for p in passages]
    expected = "; ".join(golds or (() if isinstance(question, str) else question.answers))
    row = {"id": "1", "input": text, "output": returned.text, "context": context, "expected": expected}
    try:
        item = convert({**row, **(more or {})}, Item)
        opinions = [convert({"item": item.id, **opinion}, Opinion) for opinion in people]
    except ValidationError as error:
        raise UsageError(f"more and people must be as in the files of a rubric: {error}") from error
    if golds or not isinstance(question, str):
        item = replace(item, verdict=verdict())
    by_row = {(opinion.item, opinion.dimension): opinion for opinion in opinions}
    means = scoring.Means(as_judge(judge) if judge else None, people=by_row)
    return scoring.score(loaded.rubric, [item], means)


def _run(config: RunConfig, live: Live, *, reuse: bool = False) -> Run:
    try:
        context, folder = open_run(config, live.say, on_progress=live.fetching, reuse=reuse)
        ask_all(context, config, folder, live.say, on_progress=live.progress)
    finally:
        live.clear()
    count(folder, context.grading)
    return Run(folder, context.grading)


def _plan_cell(cell: Cell, live: Live) -> MatrixCell:
    try:
        remaining = plan(cell.config, live.fetching)
    except RagharnessError as error:
        return MatrixCell(values=cell.values, calls=None, cost=None, error=_with_help(error))
    return MatrixCell(values=cell.values, calls=remaining.calls, cost=remaining.cost)


def _run_cell(cell: Cell, planned: MatrixCell, live: Live) -> tuple[MatrixCell, Run | None]:
    try:
        run = _run(cell.config, live, reuse=True)
    except RagharnessError as error:
        return replace(planned, error=_with_help(error)), None
    return replace(planned, run=str(run.path), scores=run.scores), run


def _with_help(error: RagharnessError) -> str:
    return f"{error} ({error.help})" if error.help else str(error)


def _folder(run: str | Path | Run) -> RunFolder:
    return run.folder if isinstance(run, Run) else find_run(str(run))
