"""One session of a run: choose or continue its folder and ask every question without a record."""

from __future__ import annotations

import platform
from datetime import datetime, timezone
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from ragharness import __version__
from ragharness.errors import RunNotUsable
from ragharness.privacy import without_secrets
from ragharness.runner.allowance import Allowance, Progress
from ragharness.runner.execution import execute
from ragharness.runner.ground import regrade
from ragharness.store import FORMAT, Run, RunFolder, Session, differences, find_unfinished, new_folder

if TYPE_CHECKING:
    from collections.abc import Callable

    from ragharness.config import RunConfig
    from ragharness.runner.context import RunContext

    Say = Callable[[str], None]


class Ended(NamedTuple):
    """How a session ended."""

    given_up: int = 0
    """Calls that timed out and are still running."""
    reason: str = ""
    """Why it ended before every question was answered; empty: it did not."""


def choose_folder(
    context: RunContext, config: RunConfig, say: Say, *, command: tuple[str, ...] = ()
) -> RunFolder:
    """Return the run to write: the named one, the newest unfinished one with equal settings, or a new one.

    With ``retry_errors`` a run with failed questions counts as unfinished. Raises RunNotUsable for a
    folder that holds something else, StorageError where none can be made.
    """
    out, fresh, again = Path(config.out) if config.out else None, config.fresh, config.retry_errors
    tags = tuple(map(without_secrets, config.tag))
    if out is not None and (out / "run.json").is_file():
        folder = _named(context, say, out, fresh, again)
        _say_tags(folder, tags, say)
        return folder
    if out is None and not fresh:
        found = find_unfinished(context.settings, again=again)
        if found is not None:
            say(f"continuing {found.path}: {how_far(found)} (--fresh starts a new run)")
            _say_tags(found, tags, say)
            return found
        if again:
            say("no run with these settings has failed questions: starting a new one")
    if out is None:
        now = datetime.now().astimezone()
        out = new_folder(context.settings.corpus, context.examiner.pipeline.name, now, tags=tags)
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
) -> Ended:
    """Ask every question that has no record in the folder; returns how the session ended.

    Raises StorageError when the folder is in use or cannot be written, AccessRefused when the pipeline's
    service refuses its credentials, UsageError for a budget that cannot be kept, KeyboardInterrupt when
    interrupted.
    """
    again = config.retry_errors
    if folder.finished and not (again and folder.failed()):
        return Ended()
    session = Session(
        started=datetime.now(timezone.utc).isoformat(),
        command=command,
        concurrency=config.concurrency,
        timeout=config.timeout,
        answered=0,
    )
    with folder.writing(session, again=again) as journal:
        if journal.recovered:
            say(f"the last line of {folder.path}/records.jsonl was incomplete: its question is asked again")
        for _, record in regrade(context.ground, folder.waiting()):
            journal.append(record)
        spent, priced = _spent(folder) if config.max_cost is not None else (0.0, 0)
        allowance = Allowance(
            retries=config.retries,
            rpm=config.rpm,
            max_cost=config.max_cost,
            max_time=config.seconds,
            spent=spent,
            priced=priced,
        )
        done = set(journal.answered)
        jobs = [
            (question, epoch)
            for epoch in range(context.settings.epochs)
            for question in context.questions.questions
            if (question.id, epoch) not in done
        ]
        progress = Progress(context.settings.records)
        progress.resume(each for each in folder.records() if (each.question, each.epoch) in done)
        given_up = execute(
            jobs,
            context.examiner,
            journal.append,
            keep=journal.keep,
            concurrency=config.concurrency,
            timeout=config.timeout,
            allowance=allowance,
            progress=progress,
            on_progress=on_progress,
            say=say,
        )
        journal.check()
    return Ended(given_up, allowance.reason if progress.answered < progress.total else "")


def how_far(folder: RunFolder) -> str:
    """Return the progress of a run in words: ``60 of 130 are answered``."""
    settings, failed = folder.run.settings, len(folder.failed())
    epochs = f" in {settings.epochs} epochs" if settings.epochs > 1 else ""
    failures = f" ({failed} failed)" if failed else ""
    return f"{len(folder.kept())} of {settings.records} are answered{epochs}{failures}"


def _spent(folder: RunFolder) -> tuple[float, int]:
    """Return what all calls of a run cost as far as it is known, and how many they were.

    Those whose records were replaced are among them.
    """
    usages = (record.answer.usage for record in folder.history() if record.answer and record.attempts)
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
    say(f"{out} is finished: nothing left to ask" if done else f"continuing {out}: {how_far(folder)}")
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
        pipeline_name=context.examiner.pipeline.name,
        takes=context.examiner.pipeline.takes,
        tags=tags,
        notes=tuple(context.questions.notes),
    )
