"""The process of an isolated pipeline: loads it and answers one question after another.

Standard output and input are taken away from the pipeline before it is loaded, so that nothing that it or its
children print or read gets between the messages. The process ends when the harness does.
"""

from __future__ import annotations

import asyncio
import inspect
import os
import sys
from contextlib import suppress
from pathlib import Path
from queue import SimpleQueue
from threading import Lock, Thread
from typing import TYPE_CHECKING, Any, BinaryIO

from ragharness.errors import AccessRefused, RagharnessError
from ragharness.pipelines import load_pipeline, read_answer
from ragharness.records import Failure
from ragharness.runner import wire
from ragharness.runner.failures import Reported, describe
from ragharness.runner.retrying import Passing, judge

if TYPE_CHECKING:
    from ragharness.pipelines import Pipeline
    from ragharness.records import Passage


def main() -> None:
    """Serve one pipeline until the parent process closes the pipe."""
    incoming, outgoing = _claimed_streams()
    _offer_to_die_first()
    line = _Line(incoming, outgoing)
    load = line.next()
    if not isinstance(load, wire.Load):
        return
    try:
        pipeline = load_pipeline(load.spec)
    except RagharnessError as error:
        line.send(wire.Unusable(str(error), error.help))
        return
    line.send(wire.Ready(pipeline.name, pipeline.fingerprint, pipeline.takes))
    server = _Server(pipeline, line)
    while True:
        asked = line.next()
        if isinstance(asked, wire.Ask):
            line.send(server.answer(asked))


class _Line:
    """The two pipes; a thread listens, so that the end of the other side is noticed during any call."""

    def __init__(self, incoming: BinaryIO, outgoing: BinaryIO) -> None:
        self._incoming = incoming
        self._outgoing = outgoing
        self._inbox: SimpleQueue[wire.Message] = SimpleQueue()
        Thread(target=self._listen, daemon=True).start()

    def next(self) -> wire.Message:
        return self._inbox.get()

    def send(self, message: wire.Message) -> None:
        try:
            wire.send(self._outgoing, message)
        except OSError:
            os._exit(0)

    def _listen(self) -> None:
        try:
            while True:
                self._inbox.put(wire.receive(self._incoming))
        except BaseException:  # noqa: BLE001 (whatever ends the line ends the process)
            os._exit(0)


class _Server:
    def __init__(self, pipeline: Pipeline, line: _Line) -> None:
        self._pipeline = pipeline
        self._line = line
        self._seeking = Lock()
        self._number = 0
        # One loop for all questions: clients and locks of an asynchronous pipeline belong to one.
        self._loop: asyncio.AbstractEventLoop | None = None

    def answer(self, asked: wire.Ask) -> wire.Told | wire.Failed:
        self._number += 1
        number = self._number

        def retrieve(query: str, k: int = 5) -> list[Passage]:
            return self._retrieve(number, query, k)

        try:
            returned = self._settled(self._pipeline.call(asked.question, asked.passages, retrieve))
            answer, problems = read_answer(returned)
        except BaseException as error:  # noqa: BLE001 (SystemExit of a pipeline included)
            return _failed(error)
        finally:
            with self._seeking:
                # What a thread of the pipeline's still looks for belongs to no question any more.
                self._number += 1
        return wire.Told(answer, problems, _memory())

    def _settled(self, returned: object) -> object:
        if not inspect.isawaitable(returned):
            return returned
        if self._loop is None:
            self._loop = asyncio.new_event_loop()
            asyncio.set_event_loop(self._loop)

        async def wait() -> Any:
            return await returned

        return self._loop.run_until_complete(wait())

    def _retrieve(self, number: int, query: str, k: int) -> list[Passage]:
        wire.check_query(query, k)
        with self._seeking:
            if number != self._number:
                raise RuntimeError("retrieve was called after the question was answered")
            self._line.send(wire.Seek(query, k))
            found = self._line.next()
        if isinstance(found, wire.NotFound):
            raise Reported(found.failure)
        return list(found.passages) if isinstance(found, wire.Found) else []


def _failed(error: BaseException) -> wire.Failed:
    fate = judge(error)
    failure = describe(error)
    if isinstance(fate, AccessRefused):
        return wire.Failed(Failure(failure.type, str(fate)), "refused", None, fate.help, _memory())
    if isinstance(fate, Passing):
        return wire.Failed(failure, "passing", fate.retry_after, "", _memory())
    return wire.Failed(failure, "", None, "", _memory())


def _claimed_streams() -> tuple[BinaryIO, BinaryIO]:
    """Return the pipes and put nothing and standard error in the place of standard input and output."""
    incoming, outgoing = os.dup(0), os.dup(1)
    empty = os.open(os.devnull, os.O_RDONLY)
    os.dup2(empty, 0)
    os.dup2(2, 1)
    os.close(empty)
    sys.stdin = open(0, encoding="utf-8", closefd=False)  # noqa: SIM115 (it stays open)
    sys.stdout = sys.stderr
    return os.fdopen(incoming, "rb"), os.fdopen(outgoing, "wb")


def _offer_to_die_first() -> None:
    """Where memory runs out, let Linux end this process and its children rather than others."""
    with suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text("1000", encoding="ascii")


def _memory() -> int:
    """Return the memory of this process in bytes, or the most that it has had; 0 where neither is said."""
    with suppress(OSError, ValueError, IndexError):
        # Not the peak where there is a choice: a child begins with that of its parent.
        pages = Path("/proc/self/statm").read_text(encoding="ascii").split()[1]
        return int(pages) * os.sysconf("SC_PAGE_SIZE")
    try:
        import resource
    except ImportError:
        return 0
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most if sys.platform == "darwin" else 1024 * most
