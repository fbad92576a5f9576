"""Finds runs: the newest, one by a part of its name or a tag, or the unfinished one to continue."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from contextlib import suppress
from datetime import datetime
from difflib import get_close_matches
from pathlib import Path

from ragharness.corpus.download.pinned import is_remote
from ragharness.corpus.download.remote import local_folder
from ragharness.errors import RunNotUsable, StorageError, UnknownName, UsageError
from ragharness.runner.run_folder import RunFolder, Settings
from ragharness.support.files import make_private_folder

RUNS = Path("runs")  # where runs lie unless a folder is named
_LISTED = 8  # runs that are named where several could be meant
_SLUG = 40  # the longest part of a folder's name that comes from a pipeline's


def new_folder(parts: Iterable[str], now: datetime, root: Path = RUNS) -> Path:
    """Make an empty run folder that nobody else has, named by ``parts``; raises StorageError."""
    name = "_".join((f"{now:%Y%m%d-%H%M%S}", *filter(None, (slug(part, "") for part in parts))))
    number = 1
    while True:
        path = root / (name if number == 1 else f"{name}_{number}")
        try:
            make_private_folder(root)
            path.mkdir(mode=0o700)
            # The runs stay out of version control unless the user decides otherwise.
            with suppress(FileExistsError), (root / ".gitignore").open("x") as file:
                file.write("*\n")
        except FileExistsError:
            if not root.is_dir():
                raise StorageError(f"expected the folder {root}, found a file", help="--out FOLDER") from None
            number += 1
        except OSError as error:
            message = f"expected to make the folder {path}, found: {error.strerror or error}"
            raise StorageError(message, help="name a writable folder with --out FOLDER") from error
        else:
            return path


def slug(name: str, default: str = "pipeline") -> str:
    """Name as part of a folder's: bare letters, digits, dots, dashes; else the default."""
    letters = unicodedata.normalize("NFKD", name)
    bare = "".join(letter for letter in letters if not unicodedata.combining(letter))
    return re.sub(r"[^A-Za-z0-9.-]+", "-", bare).strip("-.")[-_SLUG:].strip("-.") or default


def find_unfinished(
    settings: Settings, root: Path = RUNS, *, tags: tuple[str, ...] = (), again: bool = False
) -> RunFolder | None:
    """Newest run of these settings and tags with unanswered questions, with ``again`` also failed ones."""
    alike = (run for run in list_runs(root) if run.run.settings == settings and {*tags} <= {*run.run.tags})
    return next((run for run in alike if not run.finished or (again and run.failed())), None)


def find_finished(settings: Settings, root: Path = RUNS) -> RunFolder | None:
    """Newest run with these settings in which every question is answered."""
    alike = (folder for folder in list_runs(root) if folder.run.settings == settings)
    return next((folder for folder in alike if folder.finished), None)


def find_run(name: str = "", root: Path = RUNS) -> RunFolder:
    """Run by its path, a part of its name or a tag under ``root``; the newest when none is named.

    Raises RunNotUsable, UnknownName with the nearest names, or UsageError with the newest ones.
    """
    if is_remote(name):
        return RunFolder.open(local_folder(name))
    if name and (Path(name) / "run.json").is_file():
        return RunFolder.open(Path(name))
    runs = list_runs(root)
    if not runs and name and Path(name).is_dir():
        return RunFolder.open(Path(name))
    if not runs:
        what = f"a run named {name!r}" if name else "a run"
        raise RunNotUsable(f"expected {what} in the folder {root}, found none", help="ragharness run")
    if not name:
        return runs[0]
    matching = [folder for folder in runs if name in folder.name or name in folder.run.tags]
    exact = [folder for folder in matching if name in (folder.name, *folder.run.tags)]
    if len(exact or matching) == 1:
        return (exact or matching)[0]
    if Path(name).is_dir():
        return RunFolder.open(Path(name))
    if matching:
        message = f"expected a part of one run's name, found {name!r}, which matches {_newest(matching)}"
        raise UsageError(message, help="ragharness runs")
    names = [folder.name for folder in runs]
    if get_close_matches(name, names, cutoff=0.5):
        raise UnknownName("run", name, names)
    raise UsageError(f"no run is named {name!r}; known runs, newest first: {_newest(runs)}")


def run_before(run: RunFolder, root: Path = RUNS) -> RunFolder:
    """Newest run older than this one; raises RunNotUsable."""
    older = [folder for folder in list_runs(root) if folder.run.created < run.run.created]
    if not older:
        message = f"expected a run before {run.name} in the folder {root}, found none"
        raise RunNotUsable(message, help="name both: ragharness gate BASE CANDIDATE")
    return older[0]


def _newest(runs: Sequence[RunFolder]) -> str:
    """Names of the first runs, which are the newest, and how many more there are."""
    names = ", ".join(folder.name for folder in runs[:_LISTED])
    return f"{names} and {len(runs) - _LISTED} more" if len(runs) > _LISTED else names


def list_runs(root: Path = RUNS) -> list[RunFolder]:
    """Readable runs, the newest first."""
    folders = []
    for path in root.glob("*/run.json"):
        # Another version's or user's or a damaged one is refused when it is named, not when it lies there.
        with suppress(StorageError):
            folders.append(RunFolder.open(path.parent))
    return sorted(folders, key=lambda folder: (folder.run.created, folder.name), reverse=True)
