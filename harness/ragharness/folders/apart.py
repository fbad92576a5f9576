"""Reads files that may be slow or huge in a subprocess with a limit of time and memory.

The process reads one file after another; where it runs out of time or dies, the file is named and the next
one gets a new process.
"""

from __future__ import annotations

import os
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from threading import Timer
from typing import TYPE_CHECKING, BinaryIO, cast

import msgspec

from ragharness.folders.formats import Parsed, left_out, may_run_away, parse
from ragharness.framing import receive_frame, send_frame

if TYPE_CHECKING:
    from typing_extensions import Self

    from ragharness.folders.finding import Found

SECONDS = 120.0
"""Of one file; one of thousands of pages is read in less."""

MEMORY = 4 * 1024**3
"""Bytes of address space of the process, where the system can limit it."""

_PROGRAM = "import sys; sys.path[:] = {path!r}; from ragharness.folders.apart import serve; serve()"
"""With the path of this process, that of the working folder is not on it: a file there is no library."""


class _Job(msgspec.Struct):
    name: str
    path: bytes
    """As the system writes it: it need not be text."""
    ending: str
    memory: int


class Reader:
    """Reads files: what may run away in the process apart, anything else here."""

    def __init__(self, seconds: float = SECONDS, memory: int = MEMORY) -> None:
        """``seconds`` and ``memory`` (bytes) are the limits of one file."""
        self._seconds = seconds
        self._memory = memory
        self._process: subprocess.Popen[bytes] | None = None
        self._late = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._end()

    def read(self, file: Found, ending: str) -> Parsed:
        """Return the documents of a file; none, with the reason, where it cannot be read."""
        if not sys.executable or not may_run_away(file.path, file.size, ending):
            return parse(file.name, file.path, ending)
        return self._asked(_Job(file.name, os.fsencode(file.path.absolute()), ending, self._memory))

    def _asked(self, job: _Job) -> Parsed:
        process = self._process or self._started()
        self._late = False
        patience = Timer(self._seconds, self._too_late, [process])
        patience.daemon = True
        patience.start()
        try:
            send_frame(cast("BinaryIO", process.stdin), msgspec.msgpack.encode(job))
            return msgspec.msgpack.decode(receive_frame(cast("BinaryIO", process.stdout)), type=Parsed)
        except (OSError, EOFError, msgspec.MsgspecError):
            code = self._end()
        except BaseException:
            self._end()
            raise
        finally:
            patience.cancel()
        if self._late:
            return left_out(job.name, f"it takes longer than {self._seconds:g} seconds to read")
        return left_out(job.name, f"its reader broke down over it or ran out of memory (exit code {code})")

    def _started(self) -> subprocess.Popen[bytes]:
        self._process = subprocess.Popen(  # noqa: S603 (our own program)
            [sys.executable, "-c", _PROGRAM.format(path=sys.path)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        return self._process

    def _too_late(self, process: subprocess.Popen[bytes]) -> None:
        self._late = True
        process.kill()

    def _end(self) -> int:
        process, self._process = self._process, None
        if process is None:
            return 0
        with suppress(OSError):
            cast("BinaryIO", process.stdin).close()
        with suppress(subprocess.TimeoutExpired):
            process.wait(0 if self._late else 1)
        process.kill()
        code = process.wait()
        cast("BinaryIO", process.stdout).close()
        return code


def serve() -> None:
    """Read the files that the other side names, one after another; ends with its pipe."""
    incoming, outgoing = sys.stdin.buffer, sys.stdout.buffer
    sys.stdout = sys.stderr
    limited = False
    while True:
        try:
            job = msgspec.msgpack.decode(receive_frame(incoming), type=_Job)
        except EOFError:
            return
        if not limited:
            _limit(job.memory)
            limited = True
        parsed = parse(job.name, Path(os.fsdecode(job.path)), job.ending)
        send_frame(outgoing, msgspec.msgpack.encode(parsed))


def _limit(memory: int) -> None:
    with suppress(ImportError, OSError, ValueError):
        import resource

        _, hard = resource.getrlimit(resource.RLIMIT_AS)
        resource.setrlimit(resource.RLIMIT_AS, (memory, hard))
