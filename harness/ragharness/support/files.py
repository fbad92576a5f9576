"""Atomic writes, locks, and cached results that are verified by a digest."""

from __future__ import annotations

import errno
import hashlib
import json
import os
import secrets
import shlex
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from mmap import ACCESS_READ, mmap
from pathlib import Path
from typing import IO, TYPE_CHECKING

import msgspec

from ragharness.errors import StorageError

if TYPE_CHECKING:
    from typing_extensions import Buffer

_DIGEST_SIZE = 32
_LENGTH = 8
_BEGINNING = 40
"""Letters of the target's name in that of the temporary file; a file system may allow 255 bytes in all."""


def open_own(path: Path, flags: int, mode: int = 0o644) -> int:
    """Open a file to be written and return its handle; raises StorageError where it is a link, or no file.

    Whoever handed the folder over may have put a link there, to any file of the user's.
    """
    with suppress(FileNotFoundError):
        found = path.lstat().st_mode
        if not stat.S_ISREG(found):
            what = "symbolic link" if stat.S_ISLNK(found) else "folder, device or pipe"
            raise StorageError(
                f"expected a plain file at {path}, found a {what}: nothing is written through it",
                help=f"see where it came from, then: rm {shlex.quote(str(path))}",
            )
    return os.open(path, flags | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0), mode)


@contextmanager
def new_file(
    target: Path, *, name: str = "", durable: bool = False, private: bool = False
) -> Iterator[IO[bytes]]:
    """Open a temporary file that takes the target's name on success and vanishes on failure.

    The temporary name is unique. ``name`` gives another where writers take turns: what a killed one left is
    overwritten then. ``durable``: on the disk before it takes the target's name. ``private``: to be read by
    this user alone.
    """
    mode, flags = 0o600 if private else 0o666, os.O_TRUNC if name else os.O_EXCL
    name = name or f".{target.name[:_BEGINNING]}.{os.getpid()}-{secrets.token_hex(4)}"
    temporary = target.with_name(name)
    handle = open_own(temporary, os.O_WRONLY | os.O_CREAT | flags, mode)
    try:
        with os.fdopen(handle, "wb") as file:
            yield file
            if durable:
                file.flush()
                os.fsync(file.fileno())
        temporary.replace(target)
    except BaseException:
        with suppress(OSError):
            temporary.unlink()
        raise


def read_plain(path: Path) -> bytes:
    """Return what a file holds; raises OSError, for a pipe too, which would be waited for without end."""
    handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    with os.fdopen(handle, "rb") as file:
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            raise OSError(errno.EINVAL, "not a plain file", str(path))
        return file.read()


def expanded(written: str | os.PathLike[str]) -> Path:
    """Return a path with its ``~`` filled in; as it is written where that is nobody's home."""
    return Path(os.path.expanduser(written))  # noqa: PTH111 (that of Path raises)


def private_folder(path: Path) -> None:
    """Make a folder that is missing, and those above it, each to be read by this user alone."""
    if not path.is_dir() and path != path.parent:
        private_folder(path.parent)
        path.mkdir(mode=0o700, exist_ok=True)


def write_whole(target: Path, content: bytes, *, private: bool = False) -> None:
    """Write a file, and its folder where there is none, so that nobody ever sees half of it."""
    if private:
        private_folder(target.parent)
    target.parent.mkdir(parents=True, exist_ok=True)
    with new_file(target, private=private) as file:
        file.write(content)


def try_lock(handle: int) -> bool:
    """Lock an open file until it is closed, or its process ends; returns False where another one holds it.

    Raises OSError where files cannot be locked.
    """
    try:
        if sys.platform == "win32":
            import msvcrt

            # One byte far behind whatever is written there, so that it stays readable for others.
            os.lseek(handle, 1 << 20, os.SEEK_SET)
            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
            os.lseek(handle, 0, os.SEEK_SET)
        else:
            import fcntl

            # Not lockf: that falls as soon as anything in this process has read the file and closes it.
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        if error.errno in {errno.EACCES, errno.EAGAIN, errno.EDEADLK}:
            return False
        raise
    return True


_HELD: dict[Path, int] = {}
"""Locks of this process and their handles."""


@contextmanager
def exclusive(path: Path, help: str) -> Iterator[None]:  # noqa: A002 (the word users see)
    """Hold the lock file; raises StorageError when another writer has it; ``help`` is the next command."""
    path = path.parent.resolve() / path.name
    if path in _HELD:
        raise _in_use(path, os.getpid(), help)
    handle = open_own(path, os.O_RDWR | os.O_CREAT)
    _HELD[path] = handle
    try:
        if not try_lock(handle):
            raise _in_use(path, _holder(handle), help)
        os.ftruncate(handle, 0)
        os.write(handle, str(os.getpid()).encode())
        yield
    finally:
        # A copy of this process has let go of it already.
        if _HELD.pop(path, None) is not None:
            os.close(handle)


def _let_go() -> None:
    """Close the locks in a copy of this process, which would keep them after its death."""
    while _HELD:
        os.close(_HELD.popitem()[1])


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_let_go)


def _holder(handle: int) -> int:
    text = os.pread(handle, 20, 0) if hasattr(os, "pread") else b""
    return int(text) if text.isdigit() else 0


def _in_use(path: Path, process: int, help: str) -> StorageError:  # noqa: A002
    who = f"process {process}" if process else "another process"
    return StorageError(
        f"expected {path.parent} to be free, found {who} writing there",
        help=help,
    )


def cache_folder() -> Path:
    """Return the folder for what is kept between runs: RAGHARNESS_CACHE, or the user's cache folder."""
    if chosen := os.environ.get("RAGHARNESS_CACHE"):
        return expanded(chosen)
    from platformdirs import user_cache_path

    return user_cache_path("ragharness", appauthor=False)


def kept(path: Path) -> bytes | None:
    """Return what ``keep`` wrote there, or None when there is nothing that can be believed."""
    try:
        with path.open("rb") as file:
            digest, content = file.read(_DIGEST_SIZE), file.read()
        # The time of the last use decides what stays.
        os.utime(path)
    except OSError:
        return None
    return content if digest == _digest(path.name, content) else None


def kept_mapped(path: Path) -> tuple[bytes, memoryview] | None:
    """Return what ``keep`` wrote, and what is ``behind`` it, mapped: the reader verifies that."""
    try:
        with path.open("rb") as file:
            content = memoryview(mmap(file.fileno(), 0, access=ACCESS_READ))
        os.utime(path)
    except (OSError, ValueError):
        return None
    begin = _DIGEST_SIZE + _LENGTH
    end = begin + int.from_bytes(content[_DIGEST_SIZE:begin], "little")
    if content[:_DIGEST_SIZE] != _digest(path.name, content[_DIGEST_SIZE:end]):
        return None
    return bytes(content[begin:end]), content[end:]


def keep(path: Path, content: bytes, *behind: Buffer, most: int, alike: str = "*") -> None:
    """Keep a private result, and the ``most`` latest used of those ``alike``; failing to write is no error.

    The digest does not cover what lies ``behind``: numbers that are mapped, so that nobody reads all of them.
    """
    if behind:
        content += bytes(-len(content) % _LENGTH)  # they begin where the processor wants them to
        content = len(content).to_bytes(_LENGTH, "little") + content
    with suppress(OSError):
        private_folder(path.parent)
        with new_file(path, private=True) as file:
            file.write(_digest(path.name, content))
            for part in (content, *behind):
                file.write(part)
        # What is hidden is not finished.
        files = [each for each in path.parent.glob(alike) if not each.name.startswith(".")]
        for old in sorted(files, key=lambda each: each.stat().st_mtime_ns, reverse=True)[most:]:
            old.unlink(missing_ok=True)


def hash_code(*rooms: Path) -> str:
    """Return a hash of the programs and tables of some packages, or of single files: they decide a result."""
    digest = hashlib.sha256()
    for room in rooms:
        for path in sorted([*room.rglob("*.py"), *room.rglob("*.toml")]) if room.is_dir() else [room]:
            digest.update(path.read_bytes())
    return digest.hexdigest()


def _digest(name: str, content: bytes | memoryview) -> bytes:
    """Cover the name too, so that a renamed file is as good as none."""
    digest = hashlib.blake2b(name.encode(), digest_size=_DIGEST_SIZE)
    digest.update(content)
    return digest.digest()


def digest_of(text: str) -> str:
    """Return the digest of a text by which a label knows its answer."""
    return hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=8).hexdigest()


def json_of(value: object) -> bytes:
    """Return a value as JSON; half of a character, which code of the user's may give, becomes "?"."""
    try:
        return msgspec.json.encode(value)
    except UnicodeEncodeError:
        text = json.dumps(msgspec.to_builtins(value), ensure_ascii=False, separators=(",", ":"))
        return text.encode("utf-8", "replace")
