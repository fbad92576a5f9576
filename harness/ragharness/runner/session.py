"""A run and its sessions: what it needs is loaded, its folder chosen or continued, every question asked."""

from __future__ import annotations

import hashlib
import platform
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from datetime import datetime, timezone
from functools import partial
from itertools import chain, product
from pathlib import Path
from typing import Any, NamedTuple

from ragharness import __version__
from ragharness.config import RunConfig
from ragharness.corpus.download.pinned import is_offline, is_remote
from ragharness.corpus.download.remote import local_folder
from ragharness.corpus.loading import Corpus, load_corpus
from ragharness.corpus.passages import EvidenceIndex, cached_passages, withhold
from ragharness.errors import RunNotUsable, UnknownName, UsageError
from ragharness.graders import load_grader
from ragharness.pipelines import Context, Pipeline, load_pipeline
from ragharness.questions.loading import load_questions
from ragharness.questions.questionset import QuestionSet, shortfall
from ragharness.records import Question
from ragharness.retrievers import build_retriever
from ragharness.runner.execution import execute
from ragharness.runner.grading import Grading, GradingContext, Pending, attribute, named, threads_for
from ragharness.runner.limits import Limits, Progress
from ragharness.runner.run_folder import FORMAT, Run, RunFolder, Session, Settings, differences
from ragharness.runner.run_search import find_finished, find_unfinished, new_folder
from ragharness.runner.scheduler import Attempt, QuestionRunner
from ragharness.support.concurrency import Spending
from ragharness.support.files import cache_folder
from ragharness.support.messages import redact
from ragharness.support.options import Options

Setting = str | int | float
Say = Callable[[str], None]


@dataclass(frozen=True)
class RunContext:
    """What asks the questions of a run, and what grades their answers."""

    runner: QuestionRunner
    grading: GradingContext
    settings: Settings
    shortfall: str = ""  # why the questions can carry no result; empty: they can
    source: str = ""  # where the corpus was read from; empty: from where it always is
    elsewhere: Grading | None = None  # what grades on other machines; None: this process does

    @property
    def corpus(self) -> Corpus:
        """The corpus that is asked about."""
        return self.grading.corpus

    @property
    def questions(self) -> QuestionSet:
        """The questions of the run: all of the set, or those that were chosen."""
        return self.grading.questions


def load_context(
    config: RunConfig, on_progress: Callable[..., None] | None = None, cache: Path | None = None
) -> RunContext:
    """Load what a run needs; ``cache`` is a folder for indexes and answers. Raises RagharnessError."""
    offline = config.offline or is_offline()
    corpus = load_corpus(
        str(config.corpus),
        split=config.part,
        source=config.source,
        offline=config.offline,
        on_progress=on_progress,
    )
    own = Path(config.questions) if config.questions else None
    questions = load_questions(corpus, path=own, size=config.size, seed=config.seed)
    lacking = shortfall(questions) if corpus.folder and own is None else ""
    passages = cached_passages(corpus, config.passage_words)
    evidence = EvidenceIndex(corpus)
    indexed = withhold(passages, questions.withheld_documents, questions.withheld_spans)
    parsed = partial(Options.parse, on_progress=on_progress, offline=offline)
    options = parsed(config.retriever_option, flag="--retriever-option")
    retriever = build_retriever(
        config.retriever, indexed, evidence, cache and cache / "indexes", options, config.rerank
    )
    options = parsed(config.pipeline_options, flag="--pipeline-option")
    store = cache and cache / "answers"
    context = Context(corpus, questions, indexed, options, store, config.k)
    pipeline, cluster = _load_pipeline(config, context)
    grader = load_grader(
        config.grader,
        settings=config.grader_option,
        confirm=config.confirm,
        ask_all=config.all_graders,
        offline=offline,
        cache=store,
        citations=config.citations,
    )
    # What is withheld, and so what is found, is that of the whole set: a part of it is asked as in the whole.
    questions = choose(questions, config.only, config.limit, config.sample_seed)
    grading = GradingContext(corpus, questions, passages, evidence, grader, config.citations)
    runner = QuestionRunner(pipeline, retriever, grading, config.k)
    settings = Settings(
        corpus=corpus.id,
        split=corpus.split,
        corpus_hash=corpus.hash,
        question_set=questions.hash,
        questions=len(questions.questions),
        retriever=redact(retriever.name),
        retriever_settings=_shown(retriever.settings),
        k=config.k,
        passage_words=config.passage_words,
        pipeline=redact(pipeline.spec),
        pipeline_fingerprint=pipeline.fingerprint,
        pipeline_settings=_shown(pipeline.settings),
        grader=named(grader),
        citations=config.citations,
        epochs=config.epochs,
    )
    elsewhere: Grading | None = cluster and cluster.grader(config, grading)
    source = config.source
    if source and not is_remote(source):
        # It is to be found from any working folder.
        source = str(Path(source).resolve()) if Path(source).exists() else ""
    return RunContext(runner, grading, settings, lacking, source, elsewhere)


def _shown(settings: Mapping[str, Setting]) -> dict[str, Setting]:
    """Settings as they are written down, and compared with those written down before."""
    return {name: redact(value) if isinstance(value, str) else value for name, value in settings.items()}


def _load_pipeline(config: RunConfig, context: Context) -> tuple[Pipeline, Any]:
    """Pipeline, and the cluster that its workers are on; None: it runs on this machine."""
    if config.engine == "local" and not config.isolate:
        return load_pipeline(config.pipeline, context), None
    cluster = None
    if config.engine == "local":
        from ragharness.runner.isolation import Isolation

        pipeline = Isolation(config.pipeline).pipeline
    else:
        from ragharness.runner.cluster import Cluster, Workers

        cluster = Cluster(Options.parse(config.engine_option, flag="--engine-option"))
        pipeline = Workers(config.pipeline, cluster).pipeline
    context.options.finish(f"the pipeline {config.pipeline!r}")
    return pipeline, cluster


def choose(questions: QuestionSet, only: Iterable[str] = (), limit: int = 0, seed: int = 0) -> QuestionSet:
    """Questions named in ``only`` (commas part them), at most ``limit`` of them, in their order.

    An empty ``only`` and a ``limit`` of 0 leave all. Raises UnknownName for an id that is not in the set.
    """
    named = {name for part in only for name in map(str.strip, part.split(",")) if name}
    for name in sorted(named - questions.by_id.keys()):
        raise UnknownName("question", name, questions.by_id, help="ragharness questions show")
    if only and not named:
        raise UsageError("expected --only ID,... with the id of a question, found none")
    chosen = named or questions.by_id.keys()
    if limit:
        candidates = [question for question in questions.questions if question.id in chosen]
        chosen = {question.id for question in in_fair_order(candidates, seed)[:limit]}
    if len(chosen) == len(questions.questions):
        return questions
    indices = [index for index, question in enumerate(questions.questions) if question.id in chosen]
    return replace(
        questions,
        questions=tuple(questions.questions[index] for index in indices),
        places=tuple(questions.places[index] for index in indices) if questions.places else (),
    )


def in_fair_order(questions: Sequence[Question], seed: int = 0) -> list[Question]:
    """Questions so that the first ones, however many, are a fair sample, the rows in proportion.

    The questions of each row are shuffled by the hash of seed and id and spread evenly from 0 to 1. A larger
    sample of the same seed holds every smaller one.
    """
    rows: dict[str, list[Question]] = defaultdict(list)
    for question in questions:
        rows[question.row].append(question)
    ranked = []
    for row, members in rows.items():
        members.sort(key=lambda question: hashlib.sha256(f"{seed}:{question.id}".encode()).digest())
        ranked += [
            ((rank + 0.5) / len(members), -len(members), row, question.id, question)
            for rank, question in enumerate(members)
        ]
    return [question for *_, question in sorted(ranked, key=lambda entry: entry[:-1])]


class SessionResult(NamedTuple):
    """How a session ended."""

    given_up: int = 0  # calls that timed out and are still running
    reason: str = ""  # why it ended before every question was answered; empty: it did not


class Plan(NamedTuple):
    """Calls that a run will make, failed ones not repeated."""

    calls: int
    cost: float | None  # US dollars at most; None: what a call costs is not known


def plan(config: RunConfig, on_progress: Callable[..., None] | None = None) -> Plan:
    """What is left of the run with these options; kept answers cost nothing. Raises RagharnessError."""
    context = load_context(config, on_progress, cache_folder())
    settings, again = context.settings, config.retry_errors
    folder = find_unfinished(settings, again=again) or find_finished(settings)
    done = set() if folder is None else folder.kept() - (folder.failed() if again else set())
    costs = [
        cost
        for question, epoch in product(context.questions.questions, range(settings.epochs))
        if (question.id, epoch) not in done
        for cost in _costs(context, Attempt(question, epoch))
    ]
    known_costs = [cost for cost in costs if cost is not None]
    return Plan(len(costs), sum(known_costs) if len(known_costs) == len(costs) else None)


def _costs(context: RunContext, attempt: Attempt) -> Iterator[float | None]:
    """Yield the most that a call costs, None where nobody knows; nothing for an answer that is kept."""
    runner = context.runner
    if runner.pipeline.estimate is None:
        yield None
        return
    try:
        if runner.recall(attempt) is not None:
            return
    except Exception:  # noqa: BLE001 (a retriever of the user's fails when it is asked, not here)
        yield None
        return
    passages = [hit.passage for hit in attempt.handed or ()]
    yield runner.pipeline.estimate(attempt.question.text, passages).cost


def open_run(
    config: RunConfig,
    say: Say,
    *,
    on_progress: Callable[..., None] | None = None,
    command: tuple[str, ...] = (),
    reuse: bool = False,
) -> tuple[RunContext, RunFolder]:
    """What a run needs, and its folder; ``reuse``: a finished one, too. Raises RagharnessError."""
    context = load_context(config, on_progress, cache_folder())
    for note in context.questions.notes:
        say(note)
    finished = find_finished(context.settings) if reuse else None
    if finished is not None:
        return context, finished
    return context, choose_folder(context, config, say, command=command)


def choose_folder(
    context: RunContext, config: RunConfig, say: Say, *, command: tuple[str, ...] = ()
) -> RunFolder:
    """Run to write: the named one, the newest unfinished one with equal settings, or a new one.

    With ``retry_errors`` a run with failed questions counts as unfinished. Raises RunNotUsable for a
    folder that holds something else, StorageError where none can be made.
    """
    out, fresh, again = local_folder(config.out) if config.out else None, config.fresh, config.retry_errors
    tags = tuple(map(redact, config.tag))
    if out is not None and (out / "run.json").is_file():
        folder = _named(context, say, out, fresh, again)
        if more := [tag for tag in tags if tag not in folder.run.tags]:
            say(f"--tag {' '.join(more)} is not added: a run keeps the tags that it started with")
        return folder
    if out is None and not fresh:
        unfinished = find_unfinished(context.settings, tags=tags, again=again)
        if unfinished is not None:
            say(f"continuing {unfinished.path}: {progress_summary(unfinished)} (--fresh starts a new run)")
            return unfinished
        if again:
            say("no run with these settings has failed questions: starting a new one")
    if out is None:
        settings = context.settings
        model = str(settings.pipeline_settings.get("model", ""))
        name = context.runner.pipeline.name
        parts = (settings.corpus, name, "" if model in name else model, settings.retriever, *tags)
        out = new_folder(parts, datetime.now().astimezone())
    folder = RunFolder.create(out, _description(context, command, tags), context.questions.questions)
    # Another process may have made one there at the same moment.
    return folder if folder.run.settings == context.settings else _named(context, say, out, fresh, again)


def ask_all(
    context: RunContext,
    config: RunConfig,
    folder: RunFolder,
    say: Say,
    *,
    command: tuple[str, ...] = (),
    on_progress: Callable[[Progress], None] | None = None,
) -> SessionResult:
    """Ask every question without an answer in the folder and grade the answers; returns how it ended.

    Raises StorageError when the folder is in use or cannot be written, AccessRefused when the pipeline's
    service refuses its credentials, UsageError for a budget that cannot be kept, KeyboardInterrupt when
    interrupted.
    """
    again = config.retry_errors
    if folder.finished and not (again and folder.failed()):
        attribute(folder)
        return SessionResult()
    now = datetime.now(timezone.utc).isoformat()
    session = Session(
        started=now, command=command, concurrency=config.concurrency, timeout=config.timeout, answered=0
    )
    with ExitStack() as ended:
        ended.callback(attribute, folder)
        journals = ended.enter_context(folder.writing(session, again=again))
        if journals.recovered:
            say(f"the last line of {folder.path}/records.jsonl was incomplete: its question is asked again")
        calls = chain(folder.history(), folder.waiting()) if config.max_cost is not None else ()
        usages = (call.answer.usage for call in calls if call.answer and call.attempts)
        costs = [usage.cost for usage in usages if usage and usage.cost is not None and not usage.from_cache]
        limits = Limits(
            retries=config.retries,
            max_failures=config.max_failures,
            rpm=config.rpm,
            max_time=config.seconds,
            spending=Spending(config.max_cost, sum(costs), len(costs)),
        )
        done, graded = journals.answers.keys, journals.records.keys
        order = product(range(context.settings.epochs), in_fair_order(context.questions.questions))
        jobs = [(question, epoch) for epoch, question in order if (question.id, epoch) not in done]
        progress = Progress(context.settings.records, answered=len(done))
        for record in folder.records():
            if (record.question, record.epoch) in graded:
                progress.count(record)
        threads = threads_for(context.grading.grader, config.concurrency)
        grading = Pending(folder.follow(), context.grading, journals.records, progress)
        given_up = execute(
            jobs,
            context.runner,
            journals.answers.append,
            concurrency=config.concurrency,
            timeout=config.timeout,
            limits=limits,
            progress=progress,
            on_progress=on_progress,
            say=say,
            meanwhile=None if threads > 1 or context.elsewhere else grading.step,
        )
        journals.answers.check()
        for _ in grading.rest(threads, context.elsewhere):
            if on_progress:
                on_progress(progress)
        journals.records.check()
    return SessionResult(given_up, limits.reason if progress.answered < progress.total else "")


def progress_summary(folder: RunFolder) -> str:
    """Progress of a run in words: ``60 of 130 are answered``."""
    settings, failed = folder.run.settings, len(folder.failed())
    epochs = f" in {settings.epochs} epochs" if settings.epochs > 1 else ""
    failures = f" ({failed} failed)" if failed else ""
    return f"{len(folder.kept())} of {settings.records} are answered{epochs}{failures}"


def _named(context: RunContext, say: Say, out: Path, fresh: bool, again: bool) -> RunFolder:
    folder = RunFolder.open(out)
    unlike = differences(context.settings, folder.run.settings)
    help_text = "name another folder with --out, or leave --out out"
    if unlike:
        message = f"expected a run of the same settings in {out}, found {'; '.join(unlike)}"
        raise RunNotUsable(message, help=help_text)
    if fresh:
        raise RunNotUsable(f"expected no run in {out} with --fresh, found one", help=help_text)
    if folder.finished and not (again and folder.failed()):
        say(f"{out} is finished: nothing left to ask")
    else:
        say(f"continuing {out}: {progress_summary(folder)}")
    return folder


def _description(context: RunContext, command: tuple[str, ...], tags: tuple[str, ...]) -> Run:
    return Run(
        format=FORMAT,
        ragharness=__version__,
        python=platform.python_version(),
        platform=platform.platform(),
        created=datetime.now(timezone.utc).isoformat(),
        command=command,
        settings=context.settings,
        pipeline_name=context.runner.pipeline.name,
        takes=context.runner.pipeline.takes,
        tags=tags,
        notes=tuple(context.questions.notes),
        shortfall=context.shortfall,
        source=context.source,
    )
