"""Folders behind URLs that fsspec knows (``s3://bucket/docs``): copied to the cache folder, runs back again.

Everything else reads and writes the copy. Notes beside it tell how each file stood on both sides when it was
last copied, so that only what changed goes over, and what changed on both sides is no one's to overwrite.
"""

from __future__ import annotations

import hashlib
import json
import re
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path, PurePosixPath
from typing import Any

from ragharness.corpus.download.pinned import is_remote
from ragharness.errors import MissingExtra, StorageError, UsageError
from ragharness.support.files import atomic_file, cache_folder, make_private_folder

_LAST = "run.json"  # copied last: where it is, the whole run is
_STAMPS = ("ETag", "etag", "md5Hash", "LastModified", "mtime", "created")  # the most exact first
_MIRRORS: dict[Path, _Mirror] = {}  # the copies of this process by their folders


def fetch_folder(url: str, *, offline: bool = False, fresh: bool = False) -> Path:
    """Copy of a remote folder, brought up to date once in a process; ``fresh``: now.

    ``offline``: as it was left. Raises MissingExtra, UsageError for a URL that nobody knows, StorageError.
    """
    url_path = url.rstrip("/")
    name = re.sub(r"[^\w.-]+", "-", PurePosixPath(url_path).name)
    digest = hashlib.sha256(url_path.encode()).hexdigest()[:16]
    path = cache_folder().absolute() / "remote" / digest / name
    if not offline and (path not in _MIRRORS or fresh):
        mirror = _MIRRORS[path] = _Mirror(url, path)
        mirror.pull()
    return path


def local_folder(name: str | Path) -> Path:
    """The folder of a name; for a URL its copy here, as it is there now; raises as ``fetch_folder``."""
    return fetch_folder(str(name), fresh=True) if is_remote(str(name)) else Path(name)


def send_back(path: Path) -> None:
    """Copy what changed in a folder back to where it was fetched from, if it was; raises StorageError."""
    if (mirror := _MIRRORS.get(path)) is not None:
        mirror.push()


class _Mirror:
    """A remote folder and its copy."""

    def __init__(self, url: str, path: Path) -> None:
        try:
            import fsspec
        except ImportError as error:
            raise MissingExtra(url, "remote") from error
        self._url, self._path = url, path
        self._notes_path = path.with_name(f"{path.name}.json")
        try:
            self._files, self._root = fsspec.core.url_to_fs(url.rstrip("/"))
        except (ImportError, ValueError) as error:
            raise UsageError(f"fsspec cannot open the URL {url}: {error}") from error

    def pull(self) -> None:
        """Fetch what changed there, and drop what is gone there; what changed here alone stays."""
        with self._translated_errors("read"):
            make_private_folder(self._path)
            remote, notes = self._remote_states(), self._read_notes()
            for name, state in remote.items():
                noted_remote, noted_local = notes.get(name, ("", ""))
                local = _local_state(self._path / name)
                if state == noted_remote and local:
                    continue
                if local not in {noted_local, ""}:
                    raise StorageError(
                        f"{name} was changed both in {self._url} and in {self._path}",
                        help=f"keep one of them: rm -r {self._path} gives up this one",
                    )
                target = self._path / name
                make_private_folder(target.parent)
                with atomic_file(target) as file, self._files.open(f"{self._root}/{name}", "rb") as source:
                    shutil.copyfileobj(source, file)
                notes[name] = (state, _local_state(self._path / name))
            for name in notes.keys() - remote.keys():
                if _local_state(self._path / name) == notes[name][1]:
                    (self._path / name).unlink()
                del notes[name]
            self._write_notes(notes)

    def push(self) -> None:
        """Copy what changed here, and drop there what is gone here."""
        with self._translated_errors("write"):
            notes = self._read_notes()
            paths = {
                path.relative_to(self._path).as_posix(): path
                for path in self._path.rglob("*")
                if path.is_file() and path.name != "lock" and path.suffix != ".new" and path.name[0] != "."
            }
            for name in sorted(paths, key=lambda name: (name == _LAST, name)):
                if (local := _local_state(paths[name])) != notes.get(name, ("", ""))[1]:
                    self._files.put_file(str(paths[name]), f"{self._root}/{name}")
                    self._files.invalidate_cache()
                    notes[name] = (_remote_state(self._files.info(f"{self._root}/{name}")), local)
            for name in notes.keys() - paths.keys():
                with suppress(FileNotFoundError):
                    self._files.rm_file(f"{self._root}/{name}")
                del notes[name]
            self._write_notes(notes)

    def _remote_states(self) -> dict[str, str]:
        self._files.invalidate_cache()
        states = {}
        for path, info in self._files.find(self._root, detail=True).items():
            name = path[len(self._root) :].lstrip("/")
            if not name or path.endswith("/"):
                continue
            if ".." in PurePosixPath(name).parts or "\\" in name:
                raise StorageError(f"{self._url} lists {name!r}, which leads out of it")
            states[name] = _remote_state(info)
        return states

    def _read_notes(self) -> dict[str, tuple[str, str]]:
        with suppress(OSError, ValueError):
            notes = json.loads(self._notes_path.read_text(encoding="utf-8"))
            return {name: (remote, local) for name, (remote, local) in notes.items()}
        return {}

    def _write_notes(self, notes: Mapping[str, tuple[str, str]]) -> None:
        with atomic_file(self._notes_path) as file:
            file.write(json.dumps(notes).encode())

    @contextmanager
    def _translated_errors(self, verb: str) -> Iterator[None]:
        try:
            yield
        except StorageError:
            raise
        except Exception as error:  # each file system of fsspec raises its own
            raise StorageError(
                f"cannot {verb} {self._url}: {type(error).__name__}: {error}",
                help=f"check address and credentials and repeat the command; {self._path} keeps the copy",
            ) from error


def _remote_state(info: Mapping[str, Any]) -> str:
    stamp = next((str(info[name]) for name in _STAMPS if info.get(name)), "")
    return f"{info.get('size')} {stamp}"


def _local_state(path: Path) -> str:
    """Size and time of a file of the copy; "" for none."""
    with suppress(OSError):
        stat = path.stat()
        return f"{stat.st_size} {stat.st_mtime_ns}"
    return ""
