"""A run and its sessions: what is left to ask, its folder chosen or continued, every question asked."""

from __future__ import annotations

import platform
from collections.abc import Callable, Iterator
from datetime import datetime, timezone
from itertools import chain
from pathlib import Path
from typing import NamedTuple

from ragharness import __version__
from ragharness.config import RunConfig
from ragharness.corpus.download.remote import place_of
from ragharness.errors import RunNotUsable
from ragharness.runner.context import RunContext, in_fair_order, load_context
from ragharness.runner.execution import execute
from ragharness.runner.grading import Pending, threads_for
from ragharness.runner.limits import Limits, Progress
from ragharness.runner.question import Attempt
from ragharness.runner.run_folder import RunFolder
from ragharness.runner.run_schema import FORMAT, Run, Session, differences
from ragharness.runner.run_search import find_finished, find_unfinished, new_folder
from ragharness.support.concurrency import Spending
from ragharness.support.files import cache_folder
from ragharness.support.messages import without_secrets

Say = Callable[[str], None]


class SessionResult(NamedTuple):
    """How a session ended."""

    given_up: int = 0
    """Calls that timed out and are still running."""
    reason: str = ""
    """Why it ended before every question was answered; empty: it did not."""


class Plan(NamedTuple):
    """Calls that a run will make, failed ones not repeated."""

    calls: int
    cost: float | None
    """US dollars at most; None: what a call costs is not known."""


def plan(config: RunConfig, on_progress: Callable[..., None] | None = None) -> Plan:
    """Return what is left of the run with these options; answers that are kept between runs cost nothing.

    Raises RagharnessError where the run could not begin.
    """
    context = load_context(config, on_progress, cache_folder())
    settings, again = context.settings, config.retry_errors
    folder = find_unfinished(settings, again=again) or find_finished(settings)
    done = set() if folder is None else folder.kept() - (folder.failed() if again else set())
    left = [
        (question, epoch)
        for question in context.questions.questions
        for epoch in range(settings.epochs)
        if (question.id, epoch) not in done
    ]
    costs = [cost for question, epoch in left for cost in _costs(context, Attempt(question, epoch))]
    known = [each for each in costs if each is not None]
    return Plan(len(costs), sum(known) if len(known) == len(costs) else None)


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
    """Return what a run needs and the folder that it is written to; raises RagharnessError without either.

    ``reuse``: a finished run with equal settings is taken, too.
    """
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
    """Return the run to write: the named one, the newest unfinished one with equal settings, or a new one.

    With ``retry_errors`` a run with failed questions counts as unfinished. Raises RunNotUsable for a
    folder that holds something else, StorageError where none can be made.
    """
    out, fresh, again = place_of(config.out) if config.out else None, config.fresh, config.retry_errors
    tags = tuple(map(without_secrets, config.tag))
    if out is not None and (out / "run.json").is_file():
        folder = _named(context, say, out, fresh, again)
        _say_tags(folder, tags, say)
        return folder
    if out is None and not fresh:
        found = find_unfinished(context.settings, tags=tags, again=again)
        if found is not None:
            say(f"continuing {found.path}: {progress_summary(found)} (--fresh starts a new run)")
            return found
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
        return SessionResult()
    session = Session(
        started=datetime.now(timezone.utc).isoformat(),
        command=command,
        concurrency=config.concurrency,
        timeout=config.timeout,
        answered=0,
    )
    with folder.writing(session, again=again) as journals:
        if journals.recovered:
            say(f"the last line of {folder.path}/records.jsonl was incomplete: its question is asked again")
        spent = _spent(folder) if config.max_cost is not None else ()
        limits = Limits(
            retries=config.retries,
            max_failures=config.max_failures,
            rpm=config.rpm,
            max_time=config.seconds,
            spending=Spending(config.max_cost, *spent),
        )
        done, graded = journals.answers.keys, journals.records.keys
        jobs = [
            (question, epoch)
            for epoch in range(context.settings.epochs)
            for question in in_fair_order(context.questions.questions)
            if (question.id, epoch) not in done
        ]
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
    """Return the progress of a run in words: ``60 of 130 are answered``."""
    settings, failed = folder.run.settings, len(folder.failed())
    epochs = f" in {settings.epochs} epochs" if settings.epochs > 1 else ""
    failures = f" ({failed} failed)" if failed else ""
    return f"{len(folder.kept())} of {settings.records} are answered{epochs}{failures}"


def _spent(folder: RunFolder) -> tuple[float, int]:
    """Return what all calls of a run cost as far as it is known, and how many they were.

    Those whose records were replaced are among them.
    """
    records = chain(folder.history(), folder.waiting())
    usages = (record.answer.usage for record in records if record.answer and record.attempts)
    costs = [each.cost for each in usages if each and each.cost is not None and not each.from_cache]
    return sum(costs), len(costs)


def _say_tags(folder: RunFolder, tags: tuple[str, ...], say: Say) -> None:
    if more := [tag for tag in tags if tag not in folder.run.tags]:
        say(f"--tag {' '.join(more)} is not added: a run keeps the tags that it started with")


def _named(context: RunContext, say: Say, out: Path, fresh: bool, again: bool) -> RunFolder:
    folder = RunFolder.open(out)
    unlike = differences(context.settings, folder.run.settings)
    help_text = "name another folder with --out, or leave --out out"
    if unlike:
        raise RunNotUsable(
            f"expected a run of the same settings in {out}, found {'; '.join(unlike)}", help=help_text
        )
    if fresh:
        raise RunNotUsable(f"expected no run in {out} with --fresh, found one", help=help_text)
    done = folder.finished and not (again and folder.failed())
    say(
        f"{out} is finished: nothing left to ask" if done else f"continuing {out}: {progress_summary(folder)}"
    )
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
