"""Processes that are asked one question after the other over pipes.

``Program`` runs any command as the head of a group that is ended as a whole; its caller says what a message
is. ``Child`` is one of Python: each message has its length before it and the number of its question.
``Processes`` holds one for each thread that asks.
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
P = TypeVar("P", bound="Terminable")
GRACE = 0.3  # seconds in which a process may end by itself once its input is closed
STDERR_TAIL = 4000  # bytes of a process's standard error that the message of its failure may quote
LONGEST = 1 << 30  # bytes of output that nobody has taken
_BLOCK = 1 << 16
_DRAINED = 64  # blocks that are read at most to find the end of its standard error
_POLL_PAUSE = 1.0  # seconds between checks for a kill: one outside the group may hold the output
_HEAD = struct.Struct(">QQ")


class ProcessDied(Exception):
    """A process ended instead of answering, by itself or by us."""


class Terminable(Protocol):
    """A process, here or on another machine, that can be ended."""

    def kill(self) -> None:
        """Kill it; whoever waits for it then meets its end."""

    def end(self, grace: float = 0.0) -> int:
        """Let it end by itself, then kill it; returns its exit status."""
        ...


class Program:
    """A running command; its output is read while somebody waits for some of it."""

    def __init__(
        self, words: Sequence[str], *, errors: int | None = None, limit: int = LONGEST, **environment: str
    ) -> None:
        """``errors``: where its standard error goes; raises OSError for what the system cannot run.

        One whose output exceeds ``limit`` bytes is killed.
        """
        self.questions = 0  # questions that it was given
        self.output = bytearray()  # output that nobody has taken yet
        self.started_at = time.monotonic()
        self.killed = False  # whether we ended it
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
        """Write to its standard input, the remainder while its output is awaited; ``last`` closes it then."""
        self.questions += 1
        self._unsent += content
        self._last = last
        self._send()

    def wait_for(self, parse: Callable[[bytearray], T | None], seconds: float | None = None) -> T | None:
        """Block until ``parse`` takes a message from the output; None after the end of the process.

        Raises TimeoutError.
        """
        until = None if seconds is None else time.monotonic() + seconds
        while (message := parse(self.output)) is None:
            if self._output not in self._streams or self.killed:
                return None
            remaining = _POLL_PAUSE if until is None else min(_POLL_PAUSE, until - time.monotonic())
            if remaining < 0:
                raise TimeoutError
            self._transfer(remaining)
        return message

    def is_silent(self, seconds: float) -> bool:
        """Whether it lives on for so long without any output."""
        with suppress(TimeoutError):
            self.wait_for(lambda output: output or None, seconds)
            return False
        return self._input in self._streams and self._process.poll() is None

    def exit_status(self, seconds: float) -> int | None:
        """Its exit status once it has one, None when it lives on for so long."""
        until = time.monotonic() + seconds
        with suppress(TimeoutError):
            self.wait_for(lambda _: None, seconds)
        with suppress(subprocess.TimeoutExpired):
            return self._process.wait(max(0.0, until - time.monotonic()))
        return None

    def stderr_tail(self) -> bytes:
        """The end of what it wrote to standard error."""
        for _ in range(_DRAINED):
            if not self._transfer(0):
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
        """Let it end by itself, then kill it with all that it started, and return its exit status."""
        if grace and self._input in self._streams:
            self._close(self._input)
            self.exit_status(grace)
        self.kill()
        status = self._process.wait()
        for stream in tuple(self._streams):
            self._close(stream)
        return status

    def _transfer(self, seconds: float) -> bool:
        """Write and read what is possible within so long; returns whether anything was."""
        ready = self._poll.poll(1000 * seconds)
        for stream, event in ready:
            if stream == self._input:
                self._send()
                if event & ~select.POLLOUT and self._input in self._streams:
                    # It reads no more.
                    self._close(self._input)
                continue
            block = os.read(stream, _BLOCK)
            if not block:
                self._close(stream)
            elif stream == self._output:
                self.output += block
                if len(self.output) > self._limit:
                    self.kill()
            else:
                self._errors = (self._errors + block)[-STDERR_TAIL:]
        return bool(ready)

    def _send(self) -> None:
        if self._input not in self._streams:
            return
        try:
            self._unsent = self._unsent[os.write(self._input, self._unsent) :] if self._unsent else b""
        except BlockingIOError:
            pass
        except OSError:
            # It reads no more: its remaining output tells why.
            self._unsent, self._last = b"", True
        if not self._unsent and self._last:
            self._close(self._input)
        else:
            self._poll.modify(self._input, select.POLLOUT if self._unsent else 0)

    def _close(self, stream: int) -> None:
        self._poll.unregister(stream)
        with suppress(OSError):
            self._streams.pop(stream).close()


def describe_exit(status: int | None) -> str:
    """How a process ended: below 0 is a signal; None: it lives on without its output."""
    if status is not None and status < 0:
        with suppress(ValueError):
            return f"was ended by {signal.Signals(-status).name}"
    return "closed its output" if status is None else f"ended with exit status {status}"


class Processes(Generic[P]):
    """At most one process for each thread that asks; another thread, which watches the clock, may kill it."""

    eager = False  # whether all are of use from the start: they compute elsewhere

    def __init__(self, start: Callable[[], P]) -> None:
        self._start = start
        self._lock = Lock()
        self._by_thread: dict[int, P] = {}
        self._closed = False

    def current(self) -> P:
        """The process of the calling thread, started if it has none.

        Raises as starting does, AccessRefused where the system has no room for one more.
        """
        if (process := self._by_thread.get(get_ident())) is not None:
            return process
        try:
            process = self._start()
        except OSError as error:
            raise AccessRefused(
                f"cannot start a process beside {len(self._by_thread)} others: {error.strerror}",
                help="choose a smaller --concurrency, or raise the limits (ulimit -n, ulimit -u)",
            ) from error
        with self._lock:
            self._by_thread[get_ident()] = process
            closed = self._closed
        if closed:
            process.kill()
        return process

    def admits(self) -> bool:
        """Wait until the calling thread may take a question; False: there will be no process for it."""
        return True

    def ready(self) -> None:
        """Prepare before the time limit of a question starts."""

    def end_current(self, grace: float = GRACE) -> None:
        """End the process of the calling thread."""
        if process := self._by_thread.get(get_ident()):
            process.end(grace)
            with self._lock:
                del self._by_thread[get_ident()]

    def kill(self, thread: int) -> None:
        """Kill the process of a thread, whose question then fails."""
        if process := self._by_thread.get(thread):
            process.kill()

    def open(self) -> None:
        """Allow processes again after ``close``."""
        self._closed = False

    def close(self) -> None:
        """Give threads a moment to end theirs, then kill every process."""
        until = time.monotonic() + 2 * GRACE
        while self._by_thread and time.monotonic() < until:
            time.sleep(GRACE / 100)
        with self._lock:
            self._closed = True
            for process in self._by_thread.values():
                process.kill()


class Child(Program):
    """A process of Python that is asked by numbered messages."""

    def __init__(self, name: str, program: str, *, quiet: bool = False) -> None:
        """``quiet``: its standard error is discarded."""
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

        def parse(output: bytearray) -> tuple[T] | None:
            while (packet := _take(output)) is not None:
                number, content = packet
                reply = decoder.decode(content)
                # Nobody waits for what is about an earlier question.
                if number == self._number:
                    return (reply,)
            return None

        self.write(_packed(self._number, message))
        try:
            reply = self.wait_for(parse, seconds)
        except msgspec.MsgspecError:
            self.end()
            raise ProcessDied(f"{self._name} was ended: something wrote between its messages") from None
        except BaseException:
            self.end()
            raise
        if reply is None:
            raise ProcessDied(f"{self._name} {describe_exit(self.end())} instead of answering")
        return reply[0]


def _packed(number: int, message: object) -> bytes:
    content = msgspec.msgpack.encode(message)
    return _HEAD.pack(len(content), number) + content


def _take(output: bytearray) -> tuple[int, bytes] | None:
    """Take the first message and its number from the output; raises DecodeError for anything else."""
    if len(output) < _HEAD.size:
        return None
    length, number = _HEAD.unpack_from(output)
    if length > LONGEST:
        raise msgspec.DecodeError
    end = _HEAD.size + length
    if len(output) < end:
        return None
    content = bytes(output[_HEAD.size : end])
    del output[:end]
    return number, content


def send(stream: BinaryIO, number: int, message: object) -> None:
    """Write a message about the question of this number; raises OSError where nobody reads any more."""
    stream.write(_packed(number, message))
    stream.flush()


def receive(stream: BinaryIO, decoder: msgspec.msgpack.Decoder[T]) -> tuple[int, T]:
    """Read the number of a question and a message about it; raises EOFError where the harness is gone."""
    length, number = _HEAD.unpack(_read_exactly(stream, _HEAD.size))
    return number, decoder.decode(_read_exactly(stream, length))


def _read_exactly(stream: BinaryIO, length: int) -> bytes:
    content = stream.read(length)
    if len(content) < length:
        raise EOFError("the other side is gone")
    return content


def claim_pipes() -> tuple[BinaryIO, BinaryIO]:
    """Standard input and output of a child, replaced by an empty input and standard error.

    Nothing that its code or its children print or read then gets between the messages.
    """
    incoming, outgoing = os.dup(0), os.dup(1)
    empty = os.open(os.devnull, os.O_RDONLY)
    os.dup2(empty, 0)
    os.dup2(2, 1)
    os.close(empty)
    sys.stdin = open(0, encoding="utf-8", closefd=False)  # noqa: SIM115 (it stays open)
    sys.stdout = sys.stderr
    return os.fdopen(incoming, "rb"), os.fdopen(outgoing, "wb")
