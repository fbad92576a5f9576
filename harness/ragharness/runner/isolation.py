"""A pipeline in separate processes, and what is said to them: one per worker, killed at the time-out."""

from __future__ import annotations

from threading import Lock, get_ident
from typing import TYPE_CHECKING, cast

import msgspec
from msgspec import Struct

from ragharness.errors import AccessRefused, PipelineNotUsable, TemporaryFailure, UsageError
from ragharness.pipelines import Pipeline, pipeline_kinds
from ragharness.pipelines._own import Signature
from ragharness.records import Answer, Failure, Passage
from ragharness.runner.failures import Reported, describe
from ragharness.support.process import Child, ProcessDied

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ragharness.pipelines._own import Takes

    Retrieve = Callable[[str, int], list[Passage]]

_STARTUP = 600.0
"""Time limit in seconds for loading the pipeline in a process."""

_GROWTH = 1 << 30
"""Bytes by which a process may grow after its first answer before it is replaced."""

_PROGRAM = "from ragharness.runner.worker import main; main()"


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
    fate: str = ""
    """``passing``, ``cut`` (passing: no service answered), ``refused`` or nothing."""
    retry_after: float | None = None
    help: str = ""
    memory: int = 0


Message = Load | Ready | Unusable | Ask | RetrieveRequest | Found | Result | Failed
MESSAGES = msgspec.msgpack.Decoder(Message)


class Isolation:
    """The processes of one pipeline, at most one per calling thread."""

    def __init__(self, spec: str) -> None:
        head, colon, _ = spec.partition(":")
        if not colon or head in pipeline_kinds():
            raise UsageError(
                f"expected your own pipeline, module:name or file.py:name, with --isolate, found {spec!r}",
                help=f"drop --isolate: {head} runs none of your code in this process",
            )
        self._spec = spec
        self._lock = Lock()
        self._cells: dict[int, Cell] = {}
        self._closed = False
        first = Cell(spec)
        self._spare: Cell | None = first
        signature = Signature(cast("Takes", first.ready.takes))
        self.pipeline = Pipeline(spec, first.ready.name, first.ready.fingerprint, False, self.ask, signature)
        """What the harness must know of it; asked through ``ask``, not through ``Pipeline.call``."""

    def ready(self) -> None:
        """Have a process for the calling thread; raises PipelineNotUsable where none can be had."""
        if get_ident() in self._cells:
            return
        with self._lock:
            cell, self._spare = self._spare, None
        cell = cell or Cell(self._spec)
        with self._lock:
            self._cells[get_ident()] = cell
            closed = self._closed
        if closed:
            cell.kill()

    def ask(self, question: str, passages: Sequence[Passage], retrieve: Retrieve) -> Result:
        """Ask the process of the calling thread; raises what the pipeline raised, or ProcessDied."""
        self.ready()
        cell = self._cells[get_ident()]
        try:
            told = cell.answer(question, passages, retrieve)
        except ProcessDied:
            self.leave()
            raise
        if cell.growth(told.memory) > _GROWTH:
            self.leave()
        if isinstance(told, Failed):
            raise _raised(told)
        return told

    def kill(self, worker: int) -> None:
        """Kill the process of a thread at its time-out; its ``ask`` raises."""
        if cell := self._cells.get(worker):
            cell.kill()

    def leave(self) -> None:
        """Let the process of the calling thread go."""
        with self._lock:
            cell = self._cells.pop(get_ident(), None)
        if cell:
            cell.end()

    def open(self) -> None:
        """Allow processes again after ``close``."""
        self._closed = False

    def close(self) -> None:
        """Kill every process."""
        with self._lock:
            self._closed = True
            spare, self._spare = self._spare, None
            for cell in self._cells.values():
                cell.kill()
        if spare:
            spare.end()


class Cell(Child):
    """One process, loaded; raises PipelineNotUsable where its pipeline cannot be."""

    def __init__(self, spec: str) -> None:
        super().__init__("the pipeline's process", _PROGRAM)
        self._settled: int | None = None
        self.ready = self._loaded(spec)

    def answer(self, question: str, passages: Sequence[Passage], retrieve: Retrieve) -> Result | Failed:
        """Return the answer to one question, retrieving what is looked for; raises ProcessDied."""
        message = self.ask(Ask(question, tuple(passages)), MESSAGES)
        while isinstance(message, RetrieveRequest):
            message = self.say(_retrieved(message, retrieve), MESSAGES)
        assert isinstance(message, (Result, Failed))
        return message

    def growth(self, memory: int) -> int:
        """Return the bytes by which the process has grown since its first answer, which may load a model."""
        if self._settled is None:
            self._settled = memory
        return memory - self._settled

    def _loaded(self, spec: str) -> Ready:
        try:
            with self.within(_STARTUP):
                message = self.ask(Load(spec), MESSAGES)
        except ProcessDied as death:
            raise PipelineNotUsable(
                f"expected {spec} to load in a separate process, found: {death}",
                help="run it once without --isolate to see the error",
            ) from None
        if isinstance(message, Ready):
            return message
        self.end()
        assert isinstance(message, Unusable)
        raise PipelineNotUsable(message.message, help=message.help)


def _retrieved(message: RetrieveRequest, retrieve: Retrieve) -> Found:
    try:
        return Found(tuple(retrieve(message.query, message.k)))
    except Exception as error:  # noqa: BLE001 (it is raised again where the pipeline called retrieve)
        return Found(failure=describe(error))


def _raised(told: Failed) -> Exception:
    if told.fate == "refused":
        return AccessRefused(told.failure.message, help=told.help)
    reported = Reported(told.failure)
    if told.fate == "passing":
        reported.__cause__ = TemporaryFailure(told.failure.message, retry_after=told.retry_after)
    elif told.fate == "cut":
        reported.__cause__ = ConnectionError(told.failure.message)
    return reported
