"""Processes that are spoken to over pipes: each the head of a group that is ended as a whole.

``Child`` runs code of ours and is asked by messages. Each message has its length before it, and the number of
the question that it is about.
"""

from __future__ import annotations

import atexit
import os
import signal
import struct
import subprocess
import sys
from contextlib import contextmanager, suppress
from threading import Timer
from typing import TYPE_CHECKING, Any, BinaryIO, TypeVar

import msgspec

if TYPE_CHECKING:
    from collections.abc import Iterator

T = TypeVar("T")

_HEAD = struct.Struct(">QQ")
_LONGEST = 1 << 30
"""Bytes of a message; whatever announces more is none."""

_HOME = os.getpid()
_living: set[int] = set()
"""Process groups to end when the interpreter does."""


class ProcessDied(Exception):
    """A process ended instead of answering, by itself or by us."""


def send(stream: BinaryIO, number: int, message: object) -> None:
    """Write one message about the question of this number; raises OSError where nobody reads any more."""
    content = msgspec.msgpack.encode(message)
    stream.write(_HEAD.pack(len(content), number) + content)
    stream.flush()


def receive(stream: BinaryIO, decoder: msgspec.msgpack.Decoder[T]) -> tuple[int, T]:
    """Read the number of a question and a message about it.

    Raises EOFError where the other side is gone, in the middle of a message too, and msgspec.MsgspecError.
    """
    length, number = _HEAD.unpack(_exactly(stream, _HEAD.size))
    if length > _LONGEST:
        raise msgspec.DecodeError
    return number, decoder.decode(_exactly(stream, length))


def _exactly(stream: BinaryIO, length: int) -> bytes:
    content = stream.read(length)
    if len(content) < length:
        raise EOFError("the other side is gone")
    return content


class Child:
    """A process of Python that is asked one question after the other."""

    def __init__(self, name: str, program: str, *, quiet: bool = False) -> None:
        """``quiet``: what it writes to standard error goes nowhere."""
        self._name = name
        # With the path of this process, that of the working folder is not on it: a file there is no library.
        program = f"import sys; sys.path[:] = {sys.path!r}; {program}"
        self._process: subprocess.Popen[bytes] = subprocess.Popen(  # noqa: S603 (our own program)
            [sys.executable, "-c", program],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL if quiet else None,
            start_new_session=True,
        )
        begun(self._process.pid)
        self._incoming: Any = self._process.stdout
        self._outgoing: Any = self._process.stdin
        self._number = 0
        self.late = False
        """Whether it was killed for taking too long."""

    def ask(self, message: object, decoder: msgspec.msgpack.Decoder[T]) -> T:
        """Ask the next question and return the first message about it; raises ProcessDied."""
        self._number += 1
        return self.say(message, decoder)

    def say(self, message: object, decoder: msgspec.msgpack.Decoder[T]) -> T:
        """Say more about the same question and return the next message about it; raises ProcessDied."""
        try:
            send(self._outgoing, self._number, message)
            while True:
                number, heard = receive(self._incoming, decoder)
                if number == self._number:
                    return heard
                # Nobody waits for it any more.
        except msgspec.MsgspecError:
            self.end()
            raise ProcessDied(f"{self._name} was ended: something wrote between its messages") from None
        except (EOFError, OSError):
            raise ProcessDied(f"{self._name} {ending(self.end())} instead of answering") from None
        except BaseException:
            self.end()
            raise

    @contextmanager
    def within(self, seconds: float) -> Iterator[None]:
        """Kill the process if this takes longer; whoever waits for it then meets the end of its pipe."""
        patience = Timer(seconds, self._give_up)
        patience.daemon = True
        patience.start()
        try:
            yield
        finally:
            patience.cancel()

    def _give_up(self) -> None:
        self.late = True
        self.kill()

    def kill(self) -> None:
        """Kill the process and all that it started."""
        end_group(self._process.pid)

    def wait(self) -> int:
        """Wait for the end of the process and return its exit status."""
        return self._process.wait()

    def end(self) -> int:
        """Kill the process, clear away what is left of it, and return its exit status."""
        self.kill()
        status = self.wait()
        for stream in (self._incoming, self._outgoing):
            with suppress(OSError):
                stream.close()
        return status


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


def ending(status: int | None) -> str:
    """Return how a process ended: below 0 is a signal; None: it lives on without its output."""
    if status is not None and status < 0:
        with suppress(ValueError):
            return f"was ended by {signal.Signals(-status).name}"
    return "closed its output" if status is None else f"ended with exit status {status}"


def begun(group: int) -> None:
    """Note a process that was started in a session of its own, where Ctrl-C does not reach it."""
    _living.add(group)


def end_group(group: int) -> None:
    """End a process and all that it started, once: later its number may be another's."""
    if group in _living:
        _living.discard(group)
        with suppress(ProcessLookupError, PermissionError):
            if hasattr(os, "killpg"):
                os.killpg(group, signal.SIGKILL)
            else:
                os.kill(group, signal.SIGTERM)


@atexit.register
def _end_all() -> None:
    # A copy that somebody forked started none of them.
    for group in tuple(_living) if os.getpid() == _HOME else ():
        end_group(group)
