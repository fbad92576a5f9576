"""The process of an isolated pipeline: loads it and answers one question after another."""

from __future__ import annotations

import asyncio
import inspect
import os
import sys
from abc import ABC, abstractmethod
from contextlib import suppress
from pathlib import Path
from threading import Lock
from typing import Any, BinaryIO

from ragharness.errors import AccessRefused, RagharnessError
from ragharness.pipelines import Pipeline, load_pipeline, read_answer
from ragharness.records import Failure, Passage
from ragharness.runner import isolation
from ragharness.runner.failures import Passing, Reported, describe, judge
from ragharness.runner.question import Passages, check_query
from ragharness.runner.scheduler import end_copy
from ragharness.support.process import claim_pipes, receive, send


def main() -> None:
    """Serve one pipeline until the other side is gone."""
    incoming, outgoing = claim_pipes()
    _offer_to_die_first()
    serve(_Line(incoming, outgoing))


def serve(line: Line) -> None:
    """Load the pipeline that is asked for and answer until the other side is gone."""
    number, load = line.next()
    assert isinstance(load, isolation.Load)
    try:
        pipeline = load_pipeline(load.spec)
    except RagharnessError as error:
        line.send(number, isolation.Unusable(str(error), error.help))
        return
    line.send(number, isolation.Ready(pipeline.name, pipeline.fingerprint, pipeline.takes))
    server = _Server(pipeline, line)
    while True:
        number, asked = line.next()
        if isinstance(asked, isolation.Ask):
            line.send(number, server.answer(number, asked))


class Line(ABC):
    """What is heard and said, by the process that was started alone."""

    def __init__(self) -> None:
        self._process = os.getpid()

    @abstractmethod
    def next(self) -> tuple[int, isolation.Message]:
        """Return the next message and the number of its question."""

    @abstractmethod
    def send(self, number: int, message: isolation.Message) -> None:
        """Say something about the question of this number."""

    @property
    def copied(self) -> bool:
        """Whether this is a copy of the process, which the pipeline forked."""
        return os.getpid() != self._process

    def end_copy(self, error: BaseException | None = None) -> None:
        """End this process if it is a copy: only the first one answers."""
        end_copy(self._process, error)


class _Line(Line):
    """The two pipes of a child."""

    def __init__(self, incoming: BinaryIO, outgoing: BinaryIO) -> None:
        super().__init__()
        self._incoming = incoming
        self._outgoing = outgoing

    def next(self) -> tuple[int, isolation.Message]:
        try:
            return receive(self._incoming, isolation.MESSAGES)
        except BaseException:  # noqa: BLE001 (whatever ends the line ends the process)
            os._exit(0)

    def send(self, number: int, message: isolation.Message) -> None:
        self.end_copy()
        try:
            send(self._outgoing, number, message)
        except OSError:
            os._exit(0)


class _Server:
    def __init__(self, pipeline: Pipeline, line: Line) -> None:
        self._pipeline = pipeline
        self._line = line
        self._seeking = Lock()
        self._number = 0
        # One loop for all questions: clients and locks of an asynchronous pipeline belong to one.
        self._loop: asyncio.AbstractEventLoop | None = None

    def answer(self, number: int, asked: isolation.Ask) -> isolation.Result | isolation.Failed:
        self._number = number

        def retrieve(query: str, k: int = 5) -> list[Passage]:
            return self._retrieve(number, query, k)

        try:
            returned = self._settled(self._pipeline.call(asked.question, asked.passages, retrieve))
            answer, problems = read_answer(returned)
        except BaseException as error:  # noqa: BLE001 (SystemExit of a pipeline included)
            self._line.end_copy(error)
            return _failed(error)
        finally:
            self._line.end_copy()
            with self._seeking:
                # What a thread of the pipeline's still looks for belongs to no question any more.
                self._number = 0
        return isolation.Result(answer, problems, _memory())

    def _settled(self, returned: object) -> object:
        if not inspect.isawaitable(returned):
            return returned
        if self._loop is None:
            self._loop = asyncio.new_event_loop()
            asyncio.set_event_loop(self._loop)

        async def wait() -> Any:
            return await returned

        task = self._loop.create_task(wait())
        # Raised by the task and not through the loop: the traceback is that of a call without it.
        self._loop.run_until_complete(asyncio.wait([task]))
        return task.result()

    def _retrieve(self, number: int, query: str, k: int) -> list[Passage]:
        check_query(query, k)
        if self._line.copied:
            raise RuntimeError("retrieve was called in a process that the pipeline forked")
        with self._seeking:
            if number != self._number:
                raise RuntimeError("retrieve was called after the question was answered")
            # A lone surrogate cannot be sent; in no process does it find anything.
            sent = query.encode("utf-8", "replace").decode("utf-8")
            self._line.send(number, isolation.RetrieveRequest(sent, k))
            _, found = self._line.next()
        assert isinstance(found, isolation.Found)
        if found.failure:
            raise Reported(found.failure)
        return Passages(found.passages)


def _failed(error: BaseException) -> isolation.Failed:
    fate, failure = judge(error), describe(error)
    if isinstance(fate, AccessRefused):
        refused = Failure(failure.type, str(fate))
        return isolation.Failed(refused, "refused", help=fate.help, memory=_memory())
    if isinstance(fate, Passing):
        kind = "cut" if fate.cut else "passing"
        return isolation.Failed(failure, kind, fate.retry_after, memory=_memory())
    return isolation.Failed(failure, memory=_memory())


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
