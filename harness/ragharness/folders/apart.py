"""Reads files that may be slow or huge in a subprocess with a limit of time and memory.

The process reads one file after another; where it runs out of time or dies, the file is named and the next
one gets a new process.
"""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from ragharness.folders.formats import Parsed, left_out, may_run_away, parse
from ragharness.support.process import Child, ProcessDied, claim_pipes, receive, send

if TYPE_CHECKING:
    from typing_extensions import Self

    from ragharness.folders.finding import Found

SECONDS = 120.0
"""Of one file; one of thousands of pages is read in less."""

MEMORY = 4 * 1024**3
"""Bytes of address space of the process, where the system can limit it."""

_PROGRAM = "from ragharness.folders.apart import serve; serve()"


class _Job(msgspec.Struct):
    name: str
    path: bytes
    """As the system writes it: it need not be text."""
    ending: str
    memory: int


_JOBS = msgspec.msgpack.Decoder(_Job)
_PARSED = msgspec.msgpack.Decoder(Parsed)


class Reader:
    """Reads files: what may run away in the process apart, anything else here."""

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

    def read(self, file: Found, ending: str) -> Parsed:
        """Return the documents of a file; none, with the reason, where it cannot be read."""
        if not sys.executable or not may_run_away(file.path, file.size, ending):
            return parse(file.name, file.path, ending)
        return self._asked(_Job(file.name, os.fsencode(file.path.absolute()), ending, self._memory))

    def _asked(self, job: _Job) -> Parsed:
        child, self._child = self._child or self._started(), None
        try:
            with child.within(self._seconds):
                parsed = child.ask(job, _PARSED)
        except ProcessDied as death:
            if child.late:
                return left_out(job.name, f"it takes longer than {self._seconds:g} seconds to read")
            return left_out(job.name, f"its reader broke down over it or ran out of memory ({death})")
        self._child = child
        return parsed

    def _started(self) -> Child:
        self._child = Child("it", _PROGRAM, quiet=True)
        return self._child


def serve() -> None:
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
