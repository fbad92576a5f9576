"""A pipeline in separate processes, one per worker, killed at the time-out: messages and both their ends."""

from __future__ import annotations

import asyncio
import inspect
import os
import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from threading import Lock
from typing import Any, BinaryIO, TypeVar, cast

import msgspec
from msgspec import Struct

from ragharness.errors import AccessRefused, PipelineNotUsable, RagharnessError, TemporaryFailure, UsageError
from ragharness.pipelines import (
    Parsed,
    Pipeline,
    Signature,
    Takes,
    load_pipeline,
    pipeline_kinds,
    read_answer,
)
from ragharness.pipelines.adapters import Binding, search_path
from ragharness.records import Answer, Failure, Passage
from ragharness.runner.limits import Passing, Reported, describe, judge
from ragharness.runner.scheduler import Passages, check_query, end_copy
from ragharness.support.process import Child, ProcessDied, Processes, claim_pipes, receive, send

Retrieve = Callable[[str, int], list[Passage]]

T = TypeVar("T")
_STARTUP = 600.0  # time limit in seconds for loading the pipeline in a process
_GROWTH = 1 << 30  # bytes by which a process may grow after its first answer before it is replaced
_PROGRAM = "from ragharness.runner.isolation import main; main()"


class Load(Struct, frozen=True, tag=True):
    """Request: load the pipeline of this name."""

    spec: str


class Ready(Struct, frozen=True, tag=True):
    """The pipeline is loaded."""

    name: str
    fingerprint: str
    takes: str


class Unusable(Struct, frozen=True, tag=True):
    """The pipeline cannot be loaded."""

    message: str
    help: str


class Ask(Struct, frozen=True, tag=True):
    """Request: answer this question."""

    question: str
    passages: tuple[Passage, ...]


class RetrieveRequest(Struct, frozen=True, tag=True):
    """Request of the pipeline: retrieve for the current question."""

    query: str
    k: int


class Found(Struct, frozen=True, tag=True):
    """The retrieved passages, or the exception that retrieving raised."""

    passages: tuple[Passage, ...] = ()
    failure: Failure | None = None


class Result(Struct, frozen=True, tag=True):
    """The parsed result of the pipeline."""

    answer: Answer | None
    problems: tuple[str, ...]
    memory: int


class Failed(Struct, frozen=True, tag=True):
    """The exception of the pipeline; ``fate``: whether it is transient."""

    failure: Failure
    fate: str = ""  # ``passing``, ``cut`` (passing: no service answered), ``refused`` or nothing
    retry_after: float | None = None
    help: str = ""
    memory: int = 0


Message = Load | Ready | Unusable | Ask | RetrieveRequest | Found | Result | Failed
MESSAGES = msgspec.msgpack.Decoder(Message)


class Isolation(Processes["Cell"]):
    """The processes of one pipeline; raises PipelineNotUsable where it cannot be loaded in one."""

    def __init__(
        self, spec: object, start: Callable[[str], Cell] | None = None, flag: str = "--isolate"
    ) -> None:
        """``start`` loads the pipeline of a name in another process, a child of this one by default."""
        super().__init__(self._loaded)
        if not isinstance(spec, str):
            raise UsageError(
                f"expected an importable pipeline with {flag}, found an object of this process",
                help="name it, so that another process can import it: pipeline='package.module:name'",
            )
        head, colon, _ = spec.partition(":")
        if not colon or head in pipeline_kinds():
            message = f"expected your own pipeline, module:name or file.py:name, with {flag}, found {spec!r}"
            raise UsageError(message, help=f"drop {flag}: {head} runs none of your code in this process")
        self._spec = spec
        self._new = start or ChildCell
        self._spare = [self._new(spec)]
        ready = self._spare[0].ready
        signature = Signature(cast("Takes", ready.takes), Binding(("question", "material")))
        self.pipeline = Pipeline(  # what the harness must know of it
            self._answer,
            ready.name,
            processes=self,
            spec=spec,
            fingerprint=ready.fingerprint,
            is_async=False,
            signature=signature,
        )

    def ready(self) -> None:
        """Have a process for the calling thread; raises PipelineNotUsable where none can be had."""
        self.current()

    def ask(self, question: str, passages: Sequence[Passage], retrieve: Retrieve | None = None) -> Parsed:
        """Ask the process of the calling thread; raises what the pipeline raised, or ProcessDied."""
        cell = self.current()
        try:
            reply = cell.answer(question, passages, retrieve)
        except ProcessDied:
            self.end_current(grace=0)
            raise
        if cell.growth(reply.memory) > _GROWTH:
            self.end_current()
        if isinstance(reply, Failed):
            raise _raised(reply)
        return Parsed(reply.answer, reply.problems)

    def close(self) -> None:
        """End every process."""
        super().close()
        while self._spare:
            self._spare.pop().end()

    def _answer(self, question: str, material: Any) -> Parsed:
        if self.pipeline.takes == "passages":
            return self.ask(question, material)
        return self.ask(question, (), material)

    def _loaded(self) -> Cell:
        try:
            return self._spare.pop()
        except IndexError:
            return self._new(self._spec)


class Cell(ABC):
    """Process with a pipeline, wherever it runs: its messages, not how they travel."""

    ready: Ready
    _number = 0
    _settled: int | None = None

    def ask(self, message: object, decoder: msgspec.msgpack.Decoder[T], seconds: float | None = None) -> T:
        """Ask the next question and return the first message about it; raises as ``say`` does."""
        self._number += 1
        return self.say(message, decoder, seconds)

    @abstractmethod
    def say(self, message: object, decoder: msgspec.msgpack.Decoder[T], seconds: float | None = None) -> T:
        """Next message about the same question; raises ProcessDied, and TimeoutError after so long."""

    @abstractmethod
    def kill(self) -> None:
        """Kill it; whoever waits for it then meets its end."""

    @abstractmethod
    def end(self, grace: float = 0.0) -> int:
        """Let it end by itself, then kill it; returns its exit status."""

    def answer(
        self, question: str, passages: Sequence[Passage], retrieve: Retrieve | None
    ) -> Result | Failed:
        """Answer to one question, retrieving what is looked for; raises ProcessDied."""
        message = self.ask(Ask(question, tuple(passages)), MESSAGES)
        while isinstance(message, RetrieveRequest):
            try:
                assert retrieve, "it is given passages"
                reply = Found(tuple(retrieve(message.query, message.k)))
            except Exception as error:  # noqa: BLE001 (it is raised again where the pipeline called retrieve)
                reply = Found(failure=describe(error))
            message = self.say(reply, MESSAGES)
        assert isinstance(message, (Result, Failed))
        return message

    def growth(self, memory: int) -> int:
        """Bytes by which the process has grown since its first answer, which may load a model."""
        if self._settled is None:
            self._settled = memory
        return memory - self._settled

    def load(self, spec: str) -> Ready:
        """Load a pipeline; raises PipelineNotUsable where it cannot be."""
        try:
            message = self.ask(Load(spec), MESSAGES, _STARTUP)
        except (ProcessDied, TimeoutError) as failure:
            found = str(failure) or f"nothing after {_STARTUP:g} seconds"
            message = f"expected {spec} to load in a separate process, found: {found}"
            raise PipelineNotUsable(message, help="run it once without --isolate to see the error") from None
        if isinstance(message, Ready):
            return message
        self.end()
        assert isinstance(message, Unusable)
        raise PipelineNotUsable(message.message, help=message.help)


class ChildCell(Child, Cell):
    """A child of this process, loaded; raises PipelineNotUsable where its pipeline cannot be."""

    def __init__(self, spec: str) -> None:
        super().__init__("the pipeline's process", f"sys.path[:] = {search_path()!r}; {_PROGRAM}")
        self.ready = self.load(spec)


def _raised(reply: Failed) -> Exception:
    if reply.fate == "refused":
        return AccessRefused(reply.failure.message, help=reply.help)
    reported = Reported(reply.failure)
    if reply.fate == "passing":
        reported.__cause__ = TemporaryFailure(reply.failure.message, retry_after=reply.retry_after)
    elif reply.fate == "cut":
        reported.__cause__ = ConnectionError(reply.failure.message)
    return reported


def main() -> None:
    """Serve one pipeline until the other side is gone."""
    incoming, outgoing = claim_pipes()
    # Where memory runs out, Linux is to end this process and its children rather than others.
    with suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text("1000", encoding="ascii")
    serve(_Pipes(incoming, outgoing))


def serve(line: Line) -> None:
    """Load the pipeline that is asked for and answer until the other side is gone."""
    number, load = line.next()
    assert isinstance(load, Load)
    try:
        pipeline = load_pipeline(load.spec)
    except RagharnessError as error:
        line.send(number, Unusable(str(error), error.help))
        return
    line.send(number, Ready(pipeline.name, pipeline.fingerprint, pipeline.takes))
    server = _Server(pipeline, line)
    while True:
        number, request = line.next()
        if isinstance(request, Ask):
            line.send(number, server.answer(number, request))


class Line(ABC):
    """Message channel of a worker process, used by the process that was started alone."""

    def __init__(self) -> None:
        self._process = os.getpid()

    @abstractmethod
    def next(self) -> tuple[int, Message]:
        """Next message and the number of its question."""

    @abstractmethod
    def send(self, number: int, message: Message) -> None:
        """Say something about the question of this number."""

    @property
    def copied(self) -> bool:
        """Whether this is a copy of the process, which the pipeline forked."""
        return os.getpid() != self._process

    def end_copy(self, error: BaseException | None = None) -> None:
        """End this process if it is a copy: only the first one answers."""
        end_copy(self._process, error)


class _Pipes(Line):
    """The two pipes of a child."""

    def __init__(self, incoming: BinaryIO, outgoing: BinaryIO) -> None:
        super().__init__()
        self._incoming = incoming
        self._outgoing = outgoing

    def next(self) -> tuple[int, Message]:
        try:
            return receive(self._incoming, MESSAGES)
        except BaseException:  # noqa: BLE001 (whatever ends the line ends the process)
            os._exit(0)

    def send(self, number: int, message: Message) -> None:
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

    def answer(self, number: int, request: Ask) -> Result | Failed:
        self._number = number

        def retrieve(query: str, k: int = 5) -> list[Passage]:
            return self._retrieve(number, query, k)

        try:
            returned = self._settled(self._pipeline.call(request.question, request.passages, retrieve))
            answer, problems = read_answer(returned)
        except BaseException as error:  # noqa: BLE001 (SystemExit of a pipeline included)
            self._line.end_copy(error)
            return _failed(error)
        finally:
            self._line.end_copy()
            with self._seeking:
                # What a thread of the pipeline's still looks for belongs to no question any more.
                self._number = 0
        return Result(answer, problems, _memory())

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
            text = query.encode("utf-8", "replace").decode("utf-8")
            self._line.send(number, RetrieveRequest(text, k))
            _, reply = self._line.next()
        assert isinstance(reply, Found)
        if reply.failure:
            raise Reported(reply.failure)
        return Passages(reply.passages)


def _failed(error: BaseException) -> Failed:
    fate, failure = judge(error), describe(error)
    match fate:
        case AccessRefused():
            return Failed(Failure(failure.type, str(fate)), "refused", help=fate.help, memory=_memory())
        case Passing():
            return Failed(failure, "cut" if fate.cut else "passing", fate.retry_after, memory=_memory())
    return Failed(failure, memory=_memory())


def _memory() -> int:
    """Memory of this process in bytes, or the most that it has had; 0 where neither is said."""
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
