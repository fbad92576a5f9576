"""A pipeline in separate processes, and what is said to them: one per worker, killed at the time-out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import msgspec
from msgspec import Struct

from ragharness.adapters import Binding
from ragharness.adapters.modules import search_path
from ragharness.errors import AccessRefused, PipelineNotUsable, TemporaryFailure, UsageError
from ragharness.pipelines import Parsed, Pipeline, pipeline_kinds
from ragharness.pipelines._own import Signature
from ragharness.records import Answer, Failure, Passage
from ragharness.runner.failures import Reported, describe
from ragharness.support.child import Child
from ragharness.support.process import ProcessDied, Processes

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


class Isolation(Processes["Cell"]):
    """The processes of one pipeline; raises PipelineNotUsable where it cannot be loaded in one."""

    def __init__(self, spec: str) -> None:
        super().__init__(self._loaded)
        head, colon, _ = spec.partition(":")
        if not colon or head in pipeline_kinds():
            raise UsageError(
                f"expected your own pipeline, module:name or file.py:name, with --isolate, found {spec!r}",
                help=f"drop --isolate: {head} runs none of your code in this process",
            )
        self._spec = spec
        self._spare: list[Cell] = []
        first = Cell(spec)
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
            return Cell(self._spec)


class Cell(Child):
    """One process, loaded; raises PipelineNotUsable where its pipeline cannot be."""

    def __init__(self, spec: str) -> None:
        super().__init__("the pipeline's process", f"sys.path[:] = {search_path()!r}; {_PROGRAM}")
        self._settled: int | None = None
        self.ready = self._loaded(spec)

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

    def _loaded(self, spec: str) -> Ready:
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
