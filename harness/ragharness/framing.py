"""Messages between two processes: each with its length and the number of the question before it."""

from __future__ import annotations

import struct
from typing import BinaryIO

_HEAD = struct.Struct(">QQ")

_LONGEST = 1 << 30
"""Bytes of a message; whatever announces more is none."""


class NotAMessage(Exception):
    """Something wrote between the messages."""


def send_frame(stream: BinaryIO, number: int, content: bytes) -> None:
    """Write one message about the question of this number; raises OSError where nobody reads any more."""
    stream.write(_HEAD.pack(len(content), number) + content)
    stream.flush()


def receive_frame(stream: BinaryIO) -> tuple[int, bytes]:
    """Read the number of a question and a message about it.

    Raises EOFError where the other side is gone, in the middle of one too, and NotAMessage.
    """
    length, number = _HEAD.unpack(_exactly(stream, _HEAD.size))
    if length > _LONGEST:
        raise NotAMessage
    return number, _exactly(stream, length)


def _exactly(stream: BinaryIO, length: int) -> bytes:
    content = stream.read(length)
    if len(content) < length:
        raise EOFError("the other side is gone")
    return content
