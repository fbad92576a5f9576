"""Files: atomic writes, locks of folders, cached results verified by a digest, rows of JSON and Parquet."""

from __future__ import annotations

import errno
import fcntl
import hashlib
import json
import os
import secrets
import shlex
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from mmap import ACCESS_READ, mmap
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import msgspec

from ragharness.errors import MissingExtra, StorageError, UsageError

if TYPE_CHECKING:
    from typing_extensions import Buffer

LocatedRow = tuple[str, object, str]  # location ("test.jsonl:12"), row, problem; empty: none
_BATCH = 32  # rows of Parquet in memory at once: one may have a megabyte
_DIGEST_SIZE = 32
_LENGTH_SIZE = 8
_NAME_PART = 40  # letters of the target in the temporary file's name: 255 bytes may be the most


def open_plain(path: Path, flags: int, mode: int = 0o644) -> int:
    """Open a file to be written and return its handle; raises StorageError where it is a link, or no file.

    Whoever handed the folder over may have put a link there, to any file of the user's.
    """
    with suppress(FileNotFoundError):
        mode_bits = path.lstat().st_mode
        if not stat.S_ISREG(mode_bits):
            kind = "symbolic link" if stat.S_ISLNK(mode_bits) else "folder, device or pipe"
            raise StorageError(
                f"{path} is a {kind}, not a plain file: nothing is written through it",
                help=f"see where it came from, then: rm {shlex.quote(str(path))}",
            )
    return os.open(path, flags | os.O_NOFOLLOW, mode)


@contextmanager
def atomic_file(
    target: Path, *, name: str = "", durable: bool = False, private: bool = False
) -> Iterator[IO[bytes]]:
    """Temporary file that takes the target's name on success and vanishes on failure.

    The temporary name is unique. ``name`` gives another where writers take turns: what a killed one left is
    overwritten then. ``durable``: on the disk before it takes the target's name. ``private``: readable by
    this user alone.
    """
    mode, flags = 0o600 if private else 0o666, os.O_TRUNC if name else os.O_EXCL
    name = name or f".{target.name[:_NAME_PART]}.{os.getpid()}-{secrets.token_hex(4)}"
    temporary = target.with_name(name)
    handle = open_plain(temporary, os.O_WRONLY | os.O_CREAT | flags, mode)
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
    """The content of a file; raises OSError, for a pipe too, which would be waited for without end."""
    handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    with os.fdopen(handle, "rb") as file:
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            raise OSError(errno.EINVAL, "not a plain file", str(path))
        return file.read()


def expand_home(path: str | os.PathLike[str]) -> Path:
    """A path with its ``~`` filled in; unchanged where that is nobody's home."""
    return Path(os.path.expanduser(path))  # noqa: PTH111 (that of Path raises)


def make_private_folder(path: Path) -> None:
    """Make a missing folder and its missing parents, readable by this user alone."""
    if not path.is_dir() and path != path.parent:
        make_private_folder(path.parent)
        path.mkdir(mode=0o700, exist_ok=True)


def write_atomic(target: Path, content: bytes, *, private: bool = False) -> None:
    """Write a file, and its folder where there is none, so that nobody ever sees half of it."""
    if private:
        make_private_folder(target.parent)
    target.parent.mkdir(parents=True, exist_ok=True)
    with atomic_file(target, private=private) as file:
        file.write(content)


def try_lock(handle: int) -> bool:
    """Lock an open file until it is closed or its process ends; returns False if it is locked already.

    Raises OSError where files cannot be locked.
    """
    try:
        # Not lockf: that falls as soon as anything in this process has read the file and closes it.
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        if error.errno in {errno.EACCES, errno.EAGAIN, errno.EDEADLK}:
            return False
        raise
    return True


_LOCKS: dict[Path, int] = {}  # handles of the locks of this process


@contextmanager
def exclusive_lock(path: Path, help: str) -> Iterator[None]:  # noqa: A002 (the word users see)
    """Hold the lock file; raises StorageError when another writer has it; ``help`` is the next command."""
    path = path.parent.resolve() / path.name
    if path in _LOCKS:
        raise _in_use(path, os.getpid(), help)
    handle = open_plain(path, os.O_RDWR | os.O_CREAT)
    _LOCKS[path] = handle
    try:
        if not try_lock(handle):
            writer = os.pread(handle, 20, 0)
            raise _in_use(path, int(writer) if writer.isdigit() else 0, help)
        os.ftruncate(handle, 0)
        os.write(handle, str(os.getpid()).encode())
        yield
    finally:
        # A fork of this process has closed it already.
        if _LOCKS.pop(path, None) is not None:
            os.close(handle)


def _in_use(path: Path, process: int, help: str) -> StorageError:  # noqa: A002
    writer = f"process {process}" if process else "another process"
    return StorageError(f"{path.parent} is in use: {writer} is writing there", help=help)


def _close_locks() -> None:
    """Close the locks in a fork of this process, which would keep them after its death."""
    while _LOCKS:
        os.close(_LOCKS.popitem()[1])


os.register_at_fork(after_in_child=_close_locks)


def cache_folder() -> Path:
    """The folder for results that are kept between runs: RAGHARNESS_CACHE, or the user's cache folder."""
    if path := os.environ.get("RAGHARNESS_CACHE"):
        return expand_home(path)
    from platformdirs import user_cache_path

    return user_cache_path("ragharness", appauthor=False)


def read_cached(path: Path) -> bytes | None:
    """The content that ``write_cached`` stored, or None when it is missing or damaged."""
    try:
        with path.open("rb") as file:
            digest, content = file.read(_DIGEST_SIZE), file.read()
        # The time of the last use decides what stays.
        os.utime(path)
    except OSError:
        return None
    return content if digest == _digest(path.name, content) else None


def read_cached_mapped(path: Path) -> tuple[bytes, memoryview] | None:
    """The content that ``write_cached`` stored, and its mapped ``attachments``, which the reader verifies."""
    try:
        with path.open("rb") as file:
            content = memoryview(mmap(file.fileno(), 0, access=ACCESS_READ))
        os.utime(path)
    except (OSError, ValueError):
        return None
    begin = _DIGEST_SIZE + _LENGTH_SIZE
    end = begin + int.from_bytes(content[_DIGEST_SIZE:begin], "little")
    if content[:_DIGEST_SIZE] != _digest(path.name, content[_DIGEST_SIZE:end]):
        return None
    return bytes(content[begin:end]), content[end:]


def write_cached(path: Path, content: bytes, *attachments: Buffer, most: int, alike: str = "*") -> None:
    """Keep a private result, and the ``most`` latest used of those ``alike``; failing to write is no error.

    The digest does not cover attachments: numbers that are mapped, so that nobody reads all of them.
    """
    if attachments:
        content += bytes(-len(content) % _LENGTH_SIZE)  # they begin where the processor wants them to
        content = len(content).to_bytes(_LENGTH_SIZE, "little") + content
    with suppress(OSError):
        make_private_folder(path.parent)
        with atomic_file(path, private=True) as file:
            file.write(_digest(path.name, content))
            for part in (content, *attachments):
                file.write(part)
        # A hidden file is not finished.
        files = [file for file in path.parent.glob(alike) if not file.name.startswith(".")]
        for old in sorted(files, key=lambda file: file.stat().st_mtime_ns, reverse=True)[most:]:
            old.unlink(missing_ok=True)


def _digest(name: str, content: bytes | memoryview) -> bytes:
    """Digest of content and name, so that a renamed file is as good as none."""
    digest = hashlib.blake2b(name.encode(), digest_size=_DIGEST_SIZE)
    digest.update(content)
    return digest.digest()


def hash_code(*rooms: Path) -> str:
    """Hash of the code and tables of some packages, or of single files: they decide a result."""
    digest = hashlib.sha256()
    for room in rooms:
        for path in sorted([*room.rglob("*.py"), *room.rglob("*.toml")]) if room.is_dir() else [room]:
            digest.update(path.read_bytes())
    return digest.hexdigest()


def text_digest(text: str) -> str:
    """Digest of a text, by which a label knows its answer."""
    return hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=8).hexdigest()


def to_json(value: object) -> bytes:
    """A value as JSON; half of a character, which code of the user's may give, becomes "?"."""
    try:
        return msgspec.json.encode(value)
    except UnicodeEncodeError:
        text = json.dumps(msgspec.to_builtins(value), ensure_ascii=False, separators=(",", ":"))
        return text.encode("utf-8", "replace")


def json_rows(path: Path, content: str, *, holders: tuple[str, ...] = ("data",)) -> list[Any]:
    """The objects of a file; raises UsageError without any, ``content`` being what it should hold.

    One object that has a list under one of ``holders`` stands for that list.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"cannot read {path}: {getattr(error, 'strerror', None) or error}") from error
    rows: Any = None
    with suppress(msgspec.DecodeError, RecursionError):
        rows = msgspec.json.decode(text)
    if rows is None:
        try:
            rows = [_line(line, n, path) for n, line in enumerate(text.split("\n"), 1) if line.strip()]
        except UsageError:
            rows = _consecutive_objects(text)
            if not rows:
                raise
    if isinstance(rows, dict):
        rows = next((rows[name] for name in holders if isinstance(rows.get(name), list)), [rows])
    if not isinstance(rows, list) or not rows:
        raise UsageError(f"{path} holds no {content}")
    return rows


def _consecutive_objects(text: str) -> list[Any]:
    """Objects that each take several lines; nothing where one cannot be read."""
    decoder, rows, start = json.JSONDecoder(), [], len(text) - len(text.lstrip())
    end = len(text.rstrip())
    while start < end:
        try:
            stop = decoder.raw_decode(text, start)[1]
            rows.append(msgspec.json.decode(text[start:stop]))
        except (ValueError, RecursionError):
            return []
        start = stop
        while start < end and text[start].isspace():
            start += 1
    return rows


def _line(line: str, number: int, path: Path) -> Any:
    try:
        return msgspec.json.decode(line)
    except (msgspec.DecodeError, RecursionError):
        raise UsageError(f"line {number} of {path} is not JSON: {line.strip()[:40]!r}") from None


def data_rows(file: IO[bytes], name: str) -> Iterator[LocatedRow]:
    """Yield the rows of a JSON, JSON Lines or Parquet file, by the end of its name; a lone object is one.

    An unreadable row comes with its problem. Raises MissingExtra for Parquet without its reader.
    """
    if name.casefold().endswith(".parquet"):
        yield from _parquet_rows(file, name)
    elif name.casefold().endswith(".jsonl"):
        for number, line in enumerate(file, 1):
            if line.strip():
                yield _decoded(line, f"{name}:{number}")
    else:
        _, content, problem = _decoded(file.read(), name)
        if isinstance(content, list):
            yield from ((f"{name}:{number}", row, "") for number, row in enumerate(content, 1))
        else:
            yield name, content, problem


def _decoded(content: bytes, location: str) -> LocatedRow:
    try:
        return location, msgspec.json.decode(content.removeprefix(b"\xef\xbb\xbf")), ""
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as error:
        return location, None, f"it is no JSON ({error})"


def _parquet_rows(file: IO[bytes], name: str) -> Iterator[LocatedRow]:
    try:
        from pyarrow import ArrowException, parquet
    except ImportError:
        raise MissingExtra(f"reading {name}", "hub") from None
    number = 0
    try:
        for batch in parquet.ParquetFile(file).iter_batches(batch_size=_BATCH):
            for row in batch.to_pylist():
                number += 1
                yield f"{name}:{number}", row, ""
    except (ArrowException, ValueError) as error:
        yield name, None, f"it is no Parquet ({' '.join(str(error).split())[:120]})"
