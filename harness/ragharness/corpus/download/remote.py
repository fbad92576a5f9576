"""Folders behind URLs that fsspec knows (``s3://bucket/docs``): copied to the cache folder, runs back again.

Everything else reads and writes the copy. Beside it is noted how each file stood on both sides when it was
last copied, so that only what changed goes over, and what changed on both sides is no one's to overwrite.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path, PurePosixPath
from typing import Any

from ragharness.corpus.download.pinned import is_remote
from ragharness.errors import MissingExtra, StorageError, UsageError
from ragharness.support.files import cache_folder, new_file, private_folder

_LAST = "run.json"
"""Copied last: where it is, the rest of a run is."""

_STAMPS = ("ETag", "etag", "md5Hash", "LastModified", "mtime", "created")
"""What tells two states of a remote file apart, the most exact first."""

_OPEN: dict[Path, Mirror] = {}
"""The copies of this process by their folders."""


def fetched(url: str, *, offline: bool = False, fresh: bool = False) -> Path:
    """Return the copy of a remote folder, brought up to date once in a process; ``fresh``: now.

    ``offline``: as it was left. Raises MissingExtra, UsageError for a URL that nobody knows, StorageError.
    """
    path = _place(url)
    if offline:
        return path
    if path not in _OPEN or fresh:
        mirror = _OPEN[path] = Mirror(url, path)
        mirror.pull()
    return path


def place_of(name: str | Path) -> Path:
    """Return the folder of a name; for a URL its copy here, as it is there now; raises as ``fetched``."""
    return fetched(str(name), fresh=True) if is_remote(str(name)) else Path(name)


def send(path: Path) -> None:
    """Copy what changed in a folder back to where it was fetched from, if it was; raises StorageError."""
    if (mirror := _OPEN.get(path)) is not None:
        mirror.push()


def _place(url: str) -> Path:
    name = re.sub(r"[^\w.-]+", "-", PurePosixPath(url.rstrip("/")).name)
    return (
        cache_folder().absolute()
        / "remote"
        / hashlib.sha256(url.rstrip("/").encode()).hexdigest()[:16]
        / name
    )


class Mirror:
    """A remote folder and its copy."""

    def __init__(self, url: str, path: Path) -> None:
        try:
            import fsspec
        except ImportError as error:
            raise MissingExtra(url, "remote") from error
        self._url, self._path = url, path
        self._noted = path.with_name(f"{path.name}.json")
        try:
            self._files, self._root = fsspec.core.url_to_fs(url.rstrip("/"))
        except (ImportError, ValueError) as error:
            raise UsageError(f"expected a URL that fsspec can open, found {url}: {error}") from error

    def pull(self) -> None:
        """Fetch what changed there, and drop what is gone there; what changed here alone stays."""
        with self._told("read"):
            private_folder(self._path)
            there, notes = self._listed(), self._notes()
            for name, stamp in there.items():
                noted_there, noted_here = notes.get(name, ("", ""))
                here = _stamp(self._path / name)
                if stamp == noted_there and here:
                    continue
                if here not in {noted_here, ""}:
                    raise StorageError(
                        f"expected {self._url}/{name} to be changed there or in {self._path}, found both",
                        help=f"keep one of them: rm -r {self._path} gives up this one",
                    )
                self._fetch(name)
                notes[name] = (stamp, _stamp(self._path / name))
            for name in notes.keys() - there.keys():
                if _stamp(self._path / name) == notes[name][1]:
                    (self._path / name).unlink()
                del notes[name]
            self._note(notes)

    def push(self) -> None:
        """Copy what changed here, and drop there what is gone here."""
        with self._told("write"):
            notes = self._notes()
            names = {
                each.relative_to(self._path).as_posix(): each
                for each in self._path.rglob("*")
                if each.is_file() and each.name != "lock" and each.suffix != ".new" and each.name[0] != "."
            }
            for name in sorted(names, key=lambda each: (each == _LAST, each)):
                if (here := _stamp(names[name])) != notes.get(name, ("", ""))[1]:
                    self._files.put_file(str(names[name]), f"{self._root}/{name}")
                    self._files.invalidate_cache()
                    notes[name] = (_state(self._files.info(f"{self._root}/{name}")), here)
            for name in notes.keys() - names.keys():
                with suppress(FileNotFoundError):
                    self._files.rm_file(f"{self._root}/{name}")
                del notes[name]
            self._note(notes)

    def _listed(self) -> dict[str, str]:
        self._files.invalidate_cache()
        found = {}
        for place, told in self._files.find(self._root, detail=True).items():
            name = place[len(self._root) :].lstrip("/")
            if not name or place.endswith("/"):
                continue
            if ".." in PurePosixPath(name).parts or "\\" in name:
                raise StorageError(f"expected files within {self._url}, found {name!r}")
            found[name] = _state(told)
        return found

    def _fetch(self, name: str) -> None:
        target = self._path / name
        private_folder(target.parent)
        with new_file(target) as file, self._files.open(f"{self._root}/{name}", "rb") as source:
            while block := source.read(1 << 20):
                file.write(block)

    def _notes(self) -> dict[str, tuple[str, str]]:
        with suppress(OSError, ValueError):
            read = json.loads(self._noted.read_text(encoding="utf-8"))
            return {name: (there, here) for name, (there, here) in read.items()}
        return {}

    def _note(self, notes: Mapping[str, tuple[str, str]]) -> None:
        with new_file(self._noted) as file:
            file.write(json.dumps(notes).encode())

    @contextmanager
    def _told(self, what: str) -> Iterator[None]:
        try:
            yield
        except StorageError:
            raise
        except Exception as error:  # each file system of fsspec raises its own
            raise StorageError(
                f"expected to {what} {self._url}, found: {type(error).__name__}: {error}",
                help=f"check address and credentials and repeat the command; {self._path} keeps the copy",
            ) from error


def _state(told: Mapping[str, Any]) -> str:
    stamp = next((str(told[name]) for name in _STAMPS if told.get(name)), "")
    return f"{told.get('size')} {stamp}"


def _stamp(path: Path) -> str:
    """Return how a file of the copy stands; empty: there is none."""
    with suppress(OSError):
        found = path.stat()
        return f"{found.st_size} {found.st_mtime_ns}"
    return ""
