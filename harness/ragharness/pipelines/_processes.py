"""Processes driven over pipes, one question at a time; a failing one is killed with all that it started.

They belong to an event loop. A call that is cancelled, as the run does when a question takes too long, ends
its process; the next question gets a new one.
"""

from __future__ import annotations

import asyncio
import errno
import os
import shlex
import subprocess
import time
from contextlib import suppress
from typing import TYPE_CHECKING, cast

from ragharness.errors import AccessRefused, UnusableReply
from ragharness.pipelines._wire import EXCERPT, REPLY_LIMIT, excerpt, too_long
from ragharness.support.process import begun, end_group, ending

if TYPE_CHECKING:
    from collections.abc import Sequence

STDERR_KEPT = 4000
"""Bytes at the end of a process's standard error that are kept for the message of its failure."""

GRACE = 0.3
"""Seconds that a process gets to end by itself once its input is closed."""

_PROMPT = 1.0
"""Seconds to wait for the exit status of a process that has closed its output."""


class Process(asyncio.SubprocessProtocol):
    """One process; everything that it says is read as it comes."""

    def __init__(self) -> None:
        self.used = 0
        """Questions that it was given."""
        self._transport: asyncio.SubprocessTransport
        self._said = bytearray()
        self._searched = 0
        self._errors = bytearray()
        self._open = {1, 2}
        self._exited = asyncio.Event()
        self._news = asyncio.Event()
        self._begun = time.monotonic()

    @classmethod
    async def start(cls, words: Sequence[str]) -> Process:
        """Start a command in our environment.

        Raises AccessRefused for what the system cannot run, UnusableReply where it cannot at the moment.
        """
        # Python's output must not be held back in a buffer.
        environment = {**os.environ, "PYTHONUNBUFFERED": "1"}
        try:
            _, process = await asyncio.get_running_loop().subprocess_exec(
                cls, *words, env=environment, stdin=subprocess.PIPE, start_new_session=True
            )
        except OSError as error:
            said = f"the command cannot be started: {error.strerror or error}"
            if error.errno in (errno.ENOENT, errno.EACCES, errno.ENOEXEC):
                # A script without a first line like #!/bin/sh, or one that names no interpreter that is here.
                found = shlex.join(words)
                raise AccessRefused(said, help=f"name its interpreter, like cmd:python {found}") from error
            raise UnusableReply(said) from error
        return process

    @property
    def is_silent(self) -> bool:
        """Whether it is alive, and silent as one is that has not been asked."""
        return not (self._said or 1 not in self._open or self._exited.is_set())

    @property
    def status(self) -> int | None:
        """The exit status; below 0 the number of the signal that ended it; None: it has not ended."""
        return self._transport.get_returncode()

    @property
    def age(self) -> float:
        """Seconds since it was started."""
        return time.monotonic() - self._begun

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Keep the transport."""
        assert isinstance(transport, asyncio.SubprocessTransport)
        self._transport = transport
        begun(transport.get_pid())

    def pipe_data_received(self, fd: int, data: bytes) -> None:
        """Take what it says: the end of its standard error, and no more output than a reply may have."""
        if fd == 2:
            self._errors = (self._errors + data)[-STDERR_KEPT:]
            return
        self._said += data
        if len(self._said) > REPLY_LIMIT:
            self.kill()
        self._news.set()

    def pipe_connection_lost(self, fd: int, exc: Exception | None) -> None:  # noqa: ARG002
        """Note the end of its output."""
        self._open.discard(fd)
        self._news.set()
        self._finish()

    def process_exited(self) -> None:
        """Note its end."""
        self._exited.set()
        self._finish()

    def write(self, content: bytes, *, last: bool = False) -> None:
        """Write to its standard input; ``last`` closes it."""
        self.used += 1
        self._pipe(0).write(content)
        if last:
            self._pipe(0).close()

    async def read_line(self) -> bytes | None:
        """Return its next line, None when it has no more to say; raises UnusableReply for an endless one."""
        while True:
            end = self._said.find(b"\n", self._searched)
            if end >= 0:
                line = bytes(self._said[:end])
                del self._said[: end + 1]
                self._searched = 0
                if line.strip():
                    return line
                continue
            self._searched = len(self._said)
            if self._searched > REPLY_LIMIT:
                raise too_long()
            if 1 not in self._open:
                return bytes(self._said) or None
            self._news.clear()
            await self._news.wait()

    async def read_all(self) -> bytes:
        """Return all that it says until its end; raises UnusableReply for too much."""
        while 1 in self._open and len(self._said) <= REPLY_LIMIT:
            self._news.clear()
            await self._news.wait()
        if len(self._said) > REPLY_LIMIT:
            raise too_long()
        return bytes(self._said)

    async def failure(self) -> str:
        """Return how it ended, and what it last wrote to standard error."""
        how = ending(await self.ended())
        written = excerpt(self._errors.decode("utf-8", "replace"), STDERR_KEPT)
        return f"{how}; its standard error ends: {written[-EXCERPT:]}" if written else how

    async def ended(self) -> int | None:
        """Return the exit status once its output is closed; None when it lives on all the same."""
        await self.ends_within(_PROMPT)
        return self.status

    async def ends_within(self, seconds: float) -> bool:
        """Wait for its end, at most so long; whether it came."""
        with suppress(asyncio.TimeoutError):
            await asyncio.wait_for(self._exited.wait(), seconds)
        return self._exited.is_set()

    def kill(self) -> None:
        """End it and everything that it started, now."""
        end_group(self._transport.get_pid())
        # The transport itself is closed when the process is reaped: before, it would reap it too.
        for fd in range(3):
            self._pipe(fd).close()

    def _pipe(self, fd: int) -> asyncio.WriteTransport:
        return cast("asyncio.WriteTransport", self._transport.get_pipe_transport(fd))

    def _finish(self) -> None:
        if self._exited.is_set() and not self._open:
            self._transport.close()

    async def close(self) -> None:
        """Close its input, let it end by itself for a moment, then end it."""
        self._pipe(0).close()
        await self.ends_within(GRACE)
        self.kill()
        await self.ends_within(GRACE)
