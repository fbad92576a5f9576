"""From a bench to a run folder with every question answered: choosing the folder, continuing, asking."""

from __future__ import annotations

import platform
from datetime import datetime, timezone
from typing import TYPE_CHECKING

from ragharness import __version__
from ragharness.errors import RunNotUsable
from ragharness.runner.execution import execute
from ragharness.runner.progress import Progress
from ragharness.store import FORMAT, Run, RunFolder, Session, differences, find_unfinished, new_folder

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from ragharness.runner.bench import Bench, Wishes

    Say = Callable[[str], None]


def choose_folder(
    bench: Bench, say: Say, *, out: Path | None = None, fresh: bool = False, command: tuple[str, ...] = ()
) -> RunFolder:
    """Return the run to write: the named one, the newest unfinished one with equal settings, or a new one.

    Raises RunNotUsable for a folder that holds something else, StorageError where none can be made.
    """
    if out is not None and (out / "run.json").is_file():
        return _named(bench, say, out, fresh)
    if out is None and not fresh:
        found = find_unfinished(bench.settings)
        if found is not None:
            say(f"continuing {found.path}: {how_far(found)} (--fresh starts anew)")
            return found
    if out is None:
        now = datetime.now().astimezone()
        out = new_folder(bench.settings.corpus, bench.examiner.pipeline.name, now)
    return RunFolder.create(out, _description(bench, command), bench.questions.questions)


def ask_all(
    bench: Bench,
    wishes: Wishes,
    folder: RunFolder,
    say: Say,
    *,
    command: tuple[str, ...] = (),
    on_progress: Callable[[Progress], None] | None = None,
) -> int:
    """Ask every question that has no record in the folder; returns how many calls were given up.

    Raises StorageError when the folder is in use or cannot be written, KeyboardInterrupt when interrupted.
    """
    if folder.finished:
        return 0
    questions = bench.questions.questions
    session = Session(
        started=datetime.now(timezone.utc).isoformat(),
        command=command,
        concurrency=wishes.concurrency,
        timeout=wishes.timeout,
        answered=0,
    )
    with folder.writing(session) as journal:
        if journal.recovered:
            say(f"the last line of {folder.path}/records.jsonl was torn: its question is asked again")
        progress = Progress(len(questions))
        progress.resume(folder.records())
        given_up = execute(
            [(question, 0) for question in questions if (question.id, 0) not in journal.answered],
            bench.examiner,
            journal.append,
            concurrency=wishes.concurrency,
            timeout=wishes.timeout,
            progress=progress,
            on_progress=on_progress,
        )
        journal.check()
    return given_up


def how_far(folder: RunFolder) -> str:
    """Return how many questions of a run are answered, in words."""
    return f"{len(folder.answered())} of {folder.run.settings.questions} are answered"


def _named(bench: Bench, say: Say, out: Path, fresh: bool) -> RunFolder:
    folder = RunFolder.open(out)
    unlike = differences(bench.settings, folder.run.settings)
    help_text = "name another folder with --out, or leave --out away"
    if unlike:
        raise RunNotUsable(
            f"expected a run of the same settings in {out}, found {'; '.join(unlike)}", help=help_text
        )
    if fresh:
        raise RunNotUsable(f"expected no run in {out} to start anew, found one", help=help_text)
    done = folder.finished
    say(f"{out} is finished: nothing is asked again" if done else f"continuing {out}: {how_far(folder)}")
    return folder


def _description(bench: Bench, command: tuple[str, ...]) -> Run:
    return Run(
        format=FORMAT,
        ragharness=__version__,
        python=platform.python_version(),
        platform=platform.platform(),
        created=datetime.now(timezone.utc).isoformat(),
        command=command,
        settings=bench.settings,
        pipeline_name=bench.examiner.pipeline.name,
        takes=bench.examiner.pipeline.takes,
        notes=tuple(bench.questions.notes),
    )
