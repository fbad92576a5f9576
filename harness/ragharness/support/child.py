"""A process of Python that runs code of ours, and both sides of what is said to it.

Each message has its length before it, and the number of the question that it is about.
"""

from __future__ import annotations

import os
import struct
import subprocess
import sys
from typing import BinaryIO, TypeVar

import msgspec

from ragharness.support.process import LONGEST, ProcessDied, Program, ending

T = TypeVar("T")

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
