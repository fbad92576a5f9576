"""Length-prefixed messages between two processes."""

from __future__ import annotations

from typing import BinaryIO

_LENGTH = 8


def send_frame(stream: BinaryIO, content: bytes) -> None:
    """Write one message; raises OSError where nobody reads any more."""
    stream.write(len(content).to_bytes(_LENGTH, "big") + content)
    stream.flush()


def receive_frame(stream: BinaryIO) -> bytes:
    """Read one message; raises EOFError where the other side is gone, in the middle of one too."""
    return _exactly(stream, int.from_bytes(_exactly(stream, _LENGTH), "big"))


def _exactly(stream: BinaryIO, length: int) -> bytes:
    content = stream.read(length)
    if len(content) < length:
        raise EOFError("the other side is gone")
    return content
