"""Processes that are asked one question after the other over pipes.

``Program`` runs any command as the head of a group that is ended as a whole; what a message is, its caller
says. ``Processes`` has one for each thread that asks.
"""

from __future__ import annotations

import os
import select
import signal
import struct
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from threading import Lock, get_ident
from typing import Any, BinaryIO, Generic, Protocol, TypeVar

import msgspec

from ragharness.errors import AccessRefused
from ragharness.support.guard import GUARD

T = TypeVar("T")
P = TypeVar("P", bound="Mortal")

GRACE = 0.3
"""Seconds that a process gets to end by itself once its input is closed."""

STDERR_KEPT = 4000
"""Bytes at the end of a process's standard error that are kept for the message of its failure."""

LONGEST = 1 << 30
"""Bytes that a process may say and nobody has taken."""

_BLOCK = 1 << 16
_DRAINED = 64
"""Blocks that are read at most to find the end of its standard error."""

_LOOK = 1.0
"""Seconds between two looks whether a process was killed: somebody beyond its group may hold its output."""


class ProcessDied(Exception):
    """A process ended instead of answering, by itself or by us."""


class Mortal(Protocol):
    """A process, here or on another machine, that can be ended."""

    def kill(self) -> None:
        """Kill it; whoever waits for it then meets its end."""

    def end(self, grace: float = 0.0) -> int:
        """Let it end by itself, then kill it; returns its exit status."""
        ...


class Program:
    """A process that reads and writes; all that it says is read while somebody waits for some of it."""

    def __init__(
        self, words: Sequence[str], *, errors: int | None = None, limit: int = LONGEST, **environment: str
    ) -> None:
        """``errors``: where its standard error goes; raises OSError for what the system cannot run.

        One that says more than ``limit`` bytes at once is killed.
        """
        self.used = 0
        """Questions that it was given."""
        self.said = bytearray()
        """What it has said and nobody has taken."""
        self.begun = time.monotonic()
        self.killed = False
        """Whether we ended it."""
        self._limit = limit
        self._errors = bytearray()
        self._unsent = b""
        self._last = False
        self._process: subprocess.Popen[bytes] = subprocess.Popen(  # noqa: S603 (no shell reads the words)
            words,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
            bufsize=0,
            start_new_session=True,
            env={**os.environ, **GUARD.mark(), **environment},
        )
        GUARD.watch(self._process.pid)
        self._poll = select.poll()
        self._streams: dict[int, Any] = {}
        for stream, event in (
            (self._process.stdin, 0),
            (self._process.stdout, select.POLLIN),
            (self._process.stderr, select.POLLIN),
        ):
            if stream is not None:
                os.set_blocking(stream.fileno(), False)
                self._streams[stream.fileno()] = stream
                self._poll.register(stream.fileno(), event)
        self._input: int = self._process.stdin.fileno()  # type: ignore[union-attr]
        self._output: int = self._process.stdout.fileno()  # type: ignore[union-attr]

    def write(self, content: bytes, *, last: bool = False) -> None:
        """Write to its standard input, the rest of it while it is heard; ``last`` closes it then."""
        self.used += 1
        self._unsent += content
        self._last = last
        self._send()

    def hear(self, found: Callable[[bytearray], T | None], seconds: float | None = None) -> T | None:
        """Return what ``found`` takes from what it has said, as soon as it is there; None after its end.

        Raises TimeoutError.
        """
        until = None if seconds is None else time.monotonic() + seconds
        while (message := found(self.said)) is None:
            if self._output not in self._streams or self.killed:
                return None
            left = _LOOK if until is None else min(_LOOK, until - time.monotonic())
            if left < 0:
                raise TimeoutError
            self._move(left)
        return message

    def is_silent(self, seconds: float) -> bool:
        """Whether it lives on for so long, saying nothing."""
        with suppress(TimeoutError):
            self.hear(lambda said: said or None, seconds)
            return False
        return self._input in self._streams and self._process.poll() is None

    def ended(self, seconds: float) -> int | None:
        """Return its exit status once it has one, None when it lives on for so long."""
        until = time.monotonic() + seconds
        with suppress(TimeoutError):
            self.hear(lambda _: None, seconds)
        with suppress(subprocess.TimeoutExpired):
            return self._process.wait(max(0.0, until - time.monotonic()))
        return None

    def errors(self) -> bytes:
        """Return the end of what it wrote to standard error."""
        for _ in range(_DRAINED):
            if not self._move(0):
                break
        return bytes(self._errors)

    def kill(self) -> None:
        """Kill the process and all that it started, once: later its number may be another's.

        Whoever waits for it then meets its end.
        """
        if not self.killed:
            self.killed = True
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(self._process.pid, signal.SIGKILL)
            GUARD.forget(self._process.pid)

    def end(self, grace: float = 0.0) -> int:
        """Let it end by itself, then kill it, clear away what is left, and return its exit status."""
        if grace and self._input in self._streams:
            self._close(self._input)
            self.ended(grace)
        self.kill()
        status = self._process.wait()
        for stream in tuple(self._streams):
            self._close(stream)
        return status

    def _move(self, seconds: float) -> bool:
        """Write and read what is possible within so long; returns whether anything was."""
        ready = self._poll.poll(1000 * seconds)
        for stream, event in ready:
            if stream == self._input:
                self._send()
                if event & ~select.POLLOUT and self._input in self._streams:
                    # It reads no more.
                    self._close(self._input)
                continue
            read = os.read(stream, _BLOCK)
            if not read:
                self._close(stream)
            elif stream == self._output:
                self.said += read
                if len(self.said) > self._limit:
                    self.kill()
            else:
                self._errors = (self._errors + read)[-STDERR_KEPT:]
        return bool(ready)

    def _send(self) -> None:
        if self._input not in self._streams:
            return
        try:
            self._unsent = self._unsent[os.write(self._input, self._unsent) :] if self._unsent else b""
        except BlockingIOError:
            pass
        except OSError:
            # It reads no more: what it still says tells why.
            self._unsent, self._last = b"", True
        if not self._unsent and self._last:
            self._close(self._input)
        else:
            self._poll.modify(self._input, select.POLLOUT if self._unsent else 0)

    def _close(self, stream: int) -> None:
        self._poll.unregister(stream)
        with suppress(OSError):
            self._streams.pop(stream).close()


class Processes(Generic[P]):
    """At most one process for each thread that asks; another thread, which watches the clock, may kill it."""

    eager = False
    """Whether all are of use from the start: they compute elsewhere."""

    def __init__(self, start: Callable[[], P]) -> None:
        self._start = start
        self._lock = Lock()
        self._held: dict[int, P] = {}
        self._closed = False

    def own(self) -> P:
        """Return the process of the calling thread, started if it has none.

        Raises as starting does, AccessRefused where the system has no room for one more.
        """
        if (held := self._held.get(get_ident())) is not None:
            return held
        try:
            started = self._start()
        except OSError as error:
            raise AccessRefused(
                f"expected room for a process beside {len(self._held)} others, found: {error.strerror}",
                help="choose a smaller --concurrency, or raise the limits (ulimit -n, ulimit -u)",
            ) from error
        with self._lock:
            self._held[get_ident()] = started
            closed = self._closed
        if closed:
            started.kill()
        return started

    def admits(self) -> bool:
        """Wait until the calling thread may take a question; False: there will be no process for it."""
        return True

    def ready(self) -> None:
        """Do what is to be done before the time limit of a question starts."""

    def leave(self, grace: float = GRACE) -> None:
        """End the process of the calling thread."""
        if process := self._held.get(get_ident()):
            process.end(grace)
            with self._lock:
                del self._held[get_ident()]

    def kill(self, thread: int) -> None:
        """Kill the process of a thread, whose question then fails."""
        if process := self._held.get(thread):
            process.kill()

    def open(self) -> None:
        """Allow processes again after ``close``."""
        self._closed = False

    def close(self) -> None:
        """Give threads a moment to end theirs, then kill every process."""
        until = time.monotonic() + 2 * GRACE
        while self._held and time.monotonic() < until:
            time.sleep(GRACE / 100)
        with self._lock:
            self._closed = True
            for process in self._held.values():
                process.kill()


def ending(status: int | None) -> str:
    """Return how a process ended: below 0 is a signal; None: it lives on without its output."""
    if status is not None and status < 0:
        with suppress(ValueError):
            return f"was ended by {signal.Signals(-status).name}"
    return "closed its output" if status is None else f"ended with exit status {status}"


_HEAD = struct.Struct(">QQ")


class Child(Program):
    """A process of Python that is asked by numbered messages."""

    def __init__(self, name: str, program: str, *, quiet: bool = False) -> None:
        """``quiet``: what it writes to standard error goes nowhere."""
        self._name = name
        # With the path of this process, that of the working folder is not on it: a file there is no library.
        program = f"import sys; sys.path[:] = {sys.path!r}; {program}"
        super().__init__([sys.executable, "-c", program], errors=subprocess.DEVNULL if quiet else None)
        self._number = 0

    def ask(self, message: object, decoder: msgspec.msgpack.Decoder[T], seconds: float | None = None) -> T:
        """Ask the next question and return the first message about it; raises as ``say`` does."""
        self._number += 1
        return self.say(message, decoder, seconds)

    def say(self, message: object, decoder: msgspec.msgpack.Decoder[T], seconds: float | None = None) -> T:
        """Say more about the same question and return the next message about it.

        Raises ProcessDied, and TimeoutError after so long; the process has been ended then.
        """

        def found(said: bytearray) -> tuple[T] | None:
            while (taken := _take(said)) is not None:
                number, content = taken
                heard = decoder.decode(content)
                # Nobody waits for what is about an earlier question.
                if number == self._number:
                    return (heard,)
            return None

        self.write(_packed(self._number, message))
        try:
            heard = self.hear(found, seconds)
        except msgspec.MsgspecError:
            self.end()
            raise ProcessDied(f"{self._name} was ended: something wrote between its messages") from None
        except BaseException:
            self.end()
            raise
        if heard is None:
            raise ProcessDied(f"{self._name} {ending(self.end())} instead of answering")
        return heard[0]


def _packed(number: int, message: object) -> bytes:
    content = msgspec.msgpack.encode(message)
    return _HEAD.pack(len(content), number) + content


def _take(said: bytearray) -> tuple[int, bytes] | None:
    """Take the first message, with its number, from what was said; raises DecodeError for what is none."""
    if len(said) < _HEAD.size:
        return None
    length, number = _HEAD.unpack_from(said)
    if length > LONGEST:
        raise msgspec.DecodeError
    end = _HEAD.size + length
    if len(said) < end:
        return None
    content = bytes(said[_HEAD.size : end])
    del said[:end]
    return number, content


def send(stream: BinaryIO, number: int, message: object) -> None:
    """Write one message about the question of this number; raises OSError where nobody reads any more."""
    stream.write(_packed(number, message))
    stream.flush()


def receive(stream: BinaryIO, decoder: msgspec.msgpack.Decoder[T]) -> tuple[int, T]:
    """Read the number of a question and a message about it; raises EOFError where the harness is gone."""
    length, number = _HEAD.unpack(_exactly(stream, _HEAD.size))
    return number, decoder.decode(_exactly(stream, length))


def _exactly(stream: BinaryIO, length: int) -> bytes:
    content = stream.read(length)
    if len(content) < length:
        raise EOFError("the other side is gone")
    return content


def claim_pipes() -> tuple[BinaryIO, BinaryIO]:
    """Return standard input and output of a child; nothing and standard error take their place.

    Whatever its code or the children of that print or read, it does not get between the messages.
    """
    incoming, outgoing = os.dup(0), os.dup(1)
    empty = os.open(os.devnull, os.O_RDONLY)
    os.dup2(empty, 0)
    os.dup2(2, 1)
    os.close(empty)
    sys.stdin = open(0, encoding="utf-8", closefd=False)  # noqa: SIM115 (it stays open)
    sys.stdout = sys.stderr
    return os.fdopen(incoming, "rb"), os.fdopen(outgoing, "wb")
