"""Reads files that may be slow or huge in a subprocess with a limit of time and memory.

The process reads one file after another; where it runs out of time or dies, the file is named and the next
one gets a new process.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from ragharness.corpus.folders.drafts import Parsed, left_out
from ragharness.support.child import Child, claim_pipes, receive, send
from ragharness.support.process import ProcessDied

if TYPE_CHECKING:
    from typing_extensions import Self

SECONDS = 120.0
"""Of one file; one of thousands of pages is read in less."""

MEMORY = 4 * 1024**3
"""Bytes of address space of the process, where the system can limit it."""

_PROGRAM = (
    "from ragharness.corpus.folders.formats import parse;"
    " from ragharness.corpus.folders.subprocess_reader import serve; serve(parse)"
)


class _Job(msgspec.Struct):
    name: str
    path: bytes
    """As the system writes it: it need not be text."""
    ending: str
    memory: int


_JOBS = msgspec.msgpack.Decoder(_Job)
_PARSED = msgspec.msgpack.Decoder(Parsed)


class SubprocessReader:
    """Reads files in a process apart."""

    def __init__(self, seconds: float = SECONDS, memory: int = MEMORY) -> None:
        """``seconds`` and ``memory`` (bytes) are the limits of one file."""
        self._seconds = seconds
        self._memory = memory
        self._child: Child | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._child:
            self._child.end()

    def read(self, name: str, path: Path, ending: str) -> Parsed:
        """Return the documents of a file; none, with the reason, where it cannot be read."""
        job = _Job(name, os.fsencode(path.absolute()), ending, self._memory)
        child, self._child = self._child or self._started(), None
        try:
            parsed = child.ask(job, _PARSED, self._seconds)
        except TimeoutError:
            return left_out(name, f"it takes longer than {self._seconds:g} seconds to read")
        except ProcessDied as death:
            return left_out(name, f"its reader broke down over it or ran out of memory ({death})")
        self._child = child
        return parsed

    def _started(self) -> Child:
        self._child = Child("it", _PROGRAM, quiet=True)
        return self._child


def serve(parse: Callable[[str, Path, str], Parsed]) -> None:
    """Read the files that the other side names, one after another; ends with its pipe."""
    incoming, outgoing = claim_pipes()
    limited = False
    while True:
        try:
            number, job = receive(incoming, _JOBS)
        except EOFError:
            return
        if not limited:
            _limit(job.memory)
            limited = True
        send(outgoing, number, parse(job.name, Path(os.fsdecode(job.path)), job.ending))


def _limit(memory: int) -> None:
    with suppress(ImportError, OSError, ValueError):
        import resource

        _, hard = resource.getrlimit(resource.RLIMIT_AS)
        resource.setrlimit(resource.RLIMIT_AS, (memory, hard))
