"""A pipeline in separate processes, and what is said to them: one per worker, killed at the time-out."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any, TypeVar, cast

import msgspec
from msgspec import Struct

from ragharness.errors import AccessRefused, PipelineNotUsable, TemporaryFailure, UsageError
from ragharness.pipelines import Parsed, Pipeline, pipeline_kinds
from ragharness.pipelines._own import Signature, Takes
from ragharness.pipelines.adapters import Binding
from ragharness.pipelines.adapters.modules import search_path
from ragharness.records import Answer, Failure, Passage
from ragharness.runner.failures import Reported, describe
from ragharness.support.process import Child, ProcessDied, Processes

Retrieve = Callable[[str, int], list[Passage]]

T = TypeVar("T")

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


class Isolation(Processes["Cell"]):
    """The processes of one pipeline; raises PipelineNotUsable where it cannot be loaded in one."""

    def __init__(
        self, spec: str, start: Callable[[str], Cell] | None = None, flag: str = "--isolate"
    ) -> None:
        """``start`` loads the pipeline of a name in another process, a child of this one by default."""
        super().__init__(self._loaded)
        head, colon, _ = spec.partition(":")
        if not colon or head in pipeline_kinds():
            raise UsageError(
                f"expected your own pipeline, module:name or file.py:name, with {flag}, found {spec!r}",
                help=f"drop {flag}: {head} runs none of your code in this process",
            )
        self._spec = spec
        self._new = start or ChildCell
        self._spare: list[Cell] = []
        first = self._new(spec)
        self._spare.append(first)
        ready = first.ready
        signature = Signature(cast("Takes", ready.takes), Binding(("question", "material")))
        self.pipeline = Pipeline(
            spec, ready.name, ready.fingerprint, False, self._answer, signature, processes=self
        )
        """What the harness must know of it."""

    def ready(self) -> None:
        """Have a process for the calling thread; raises PipelineNotUsable where none can be had."""
        self.own()

    def ask(self, question: str, passages: Sequence[Passage], retrieve: Retrieve | None = None) -> Parsed:
        """Ask the process of the calling thread; raises what the pipeline raised, or ProcessDied."""
        cell = self.own()
        try:
            told = cell.answer(question, passages, retrieve)
        except ProcessDied:
            self.leave(grace=0)
            raise
        if cell.growth(told.memory) > _GROWTH:
            self.leave()
        if isinstance(told, Failed):
            raise _raised(told)
        return Parsed(told.answer, told.problems)

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
    """One process with a pipeline, wherever it runs: what is said to it, not how."""

    ready: Ready
    _settled: int | None = None

    @abstractmethod
    def ask(self, message: object, decoder: msgspec.msgpack.Decoder[T], seconds: float | None = None) -> T:
        """Ask the next question and return the first message about it; raises as ``say`` does."""

    @abstractmethod
    def say(self, message: object, decoder: msgspec.msgpack.Decoder[T], seconds: float | None = None) -> T:
        """Say more about the same question and return the next message about it.

        Raises ProcessDied, and TimeoutError after so long.
        """

    @abstractmethod
    def kill(self) -> None:
        """Kill it; whoever waits for it then meets its end."""

    @abstractmethod
    def end(self, grace: float = 0.0) -> int:
        """Let it end by itself, then kill it; returns its exit status."""

    def answer(
        self, question: str, passages: Sequence[Passage], retrieve: Retrieve | None
    ) -> Result | Failed:
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

    def load(self, spec: str) -> Ready:
        """Load a pipeline; raises PipelineNotUsable where it cannot be."""
        try:
            message = self.ask(Load(spec), MESSAGES, _STARTUP)
        except (ProcessDied, TimeoutError) as failure:
            found = str(failure) or f"nothing after {_STARTUP:g} seconds"
            raise PipelineNotUsable(
                f"expected {spec} to load in a separate process, found: {found}",
                help="run it once without --isolate to see the error",
            ) from None
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


def _retrieved(message: RetrieveRequest, retrieve: Retrieve | None) -> Found:
    try:
        assert retrieve, "it is given passages"
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
