"""``--engine ray``: a pipeline in workers of a Ray cluster, and grading as its tasks; the rest stays here.

A worker is a process that serves one pipeline, as with ``--isolate``, but Ray places it and carries what is
said. The pipeline is loaded there alone. Grading is sent in batches: one record is less work than a message.
"""

from __future__ import annotations

import os
import pickle
import sys
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import islice
from pathlib import Path
from queue import SimpleQueue
from threading import Lock, Thread
from typing import Any, TypeVar

import msgspec

from ragharness import __version__
from ragharness.config import RunConfig
from ragharness.errors import AccessRefused, MissingExtra, PipelineNotUsable, TemporaryFailure, UsageError
from ragharness.graders import load_grader, waits
from ragharness.questions.questionset import QuestionSet
from ragharness.records import Question, Record
from ragharness.runner.grading import Grading, GradingContext
from ragharness.runner.isolation import MESSAGES, Cell, Isolation, Line, Message, serve
from ragharness.support.options import Options
from ragharness.support.process import ProcessDied

T = TypeVar("T")
BATCH = 64  # records that are graded by one task


class Cluster:
    """A Ray cluster: this process's, a named one, or one started here; raises MissingExtra, UsageError."""

    def __init__(self, options: Options) -> None:
        try:
            import ray
        except ImportError as error:
            raise MissingExtra("--engine ray", "ray") from error
        self.ray: Any = ray
        address = options.text("address", os.environ.get("RAY_ADDRESS", ""))
        # Fractions are as good as whole numbers: Ray counts by them.
        self._needs = {"num_cpus": options.number("cpus", 1.0), "num_gpus": options.number("gpus", 0.0)}
        options.finish("--engine ray")
        self._members: set[Any] = set()
        self._closed = False
        self._lock = Lock()
        # Ray would tell its makers that it is used.
        os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
        try:
            if not ray.is_initialized():
                dashboard = None if address else False
                ray.init(address=address or "local", logging_level="ERROR", include_dashboard=dashboard)
        except Exception as error:  # Ray raises what it likes, a bare Exception too
            raise UsageError(
                f"expected a Ray cluster at {address or 'this machine'}, found: {str(error).strip()}",
                help="repeat the command; start one with ray start --head, or leave the address out",
            ) from error

    def member(self) -> Any:
        """New worker, which gets its place as soon as there is room; raises ProcessDied."""
        with self._lock:
            if self._closed:
                raise ProcessDied("the run has ended")
            member = self.ray.remote(**self._needs)(Member).remote(*_here())
            self._members.add(member)
        return member

    def dismiss(self, member: Any) -> None:
        """End a worker, waiting for its place or not."""
        with self._lock:
            self._members.discard(member)
        with suppress(Exception):
            # It may be gone, and the cluster with it.
            self.ray.kill(member)

    def open(self) -> None:
        """Allow workers again after ``close``."""
        self._closed = False

    def close(self) -> None:
        """End every worker."""
        with self._lock:
            self._closed, members = True, tuple(self._members)
        for member in members:
            self.dismiss(member)

    def grader(self, config: RunConfig, grading: GradingContext) -> Grading | None:
        """What grades on the cluster; None for a grader that waits for a service: threads do here."""
        return None if waits(grading.grader) else GradingTasks(self, config, grading).graded


class Workers(Isolation):
    """The workers of a pipeline on a cluster, each of them asked by one thread."""

    eager = True

    def __init__(self, spec: object, cluster: Cluster) -> None:
        self._cluster = cluster
        super().__init__(spec, lambda name: RemoteCell(name, cluster), "--engine ray")

    def admits(self) -> bool:
        """Wait for a worker before a question is taken, which others may have meanwhile."""
        try:
            self.current()
        except ProcessDied:
            return False
        return True

    def open(self) -> None:
        """Allow workers again after ``close``."""
        super().open()
        self._cluster.open()

    def close(self) -> None:
        """End every worker, also those that have no place yet."""
        super().close()
        self._cluster.close()


class RemoteCell(Cell):
    """A worker of a cluster, loaded; raises PipelineNotUsable where its pipeline cannot be, ProcessDied."""

    def __init__(self, spec: str, cluster: Cluster) -> None:
        self._cluster = cluster
        self._member = cluster.member()
        version = self._got(self._member.version.remote(), None)
        if version != __version__:
            message = f"expected ragharness {__version__} on the workers of Ray, found {version}"
            raise PipelineNotUsable(message, help=f"there: pip install ragharness=={__version__}")
        self.ready = self.load(spec)

    def say(self, message: object, decoder: msgspec.msgpack.Decoder[T], seconds: float | None = None) -> T:
        """Next message about the same question; raises ProcessDied, which may pass: others may answer."""
        reply = self._member.say.remote(self._number, msgspec.msgpack.encode(message))
        return decoder.decode(self._got(reply, seconds))

    def kill(self) -> None:
        """End it; whoever waits for it then meets its end."""
        self._cluster.dismiss(self._member)

    def end(self, grace: float = 0.0) -> int:  # noqa: ARG002 (it has nothing to finish)
        """End it."""
        self.kill()
        return 0

    def _got(self, reply: Any, seconds: float | None) -> Any:
        errors = self._cluster.ray.exceptions
        try:
            return self._cluster.ray.get(reply, timeout=seconds)
        except errors.GetTimeoutError:
            self.kill()
            raise TimeoutError from None
        except errors.RayError as error:
            self.kill()
            gone = TemporaryFailure("another worker may answer")
            raise ProcessDied(f"its worker on Ray is gone: {str(error).splitlines()[0]}") from gone


class Member:
    """The far side of a ``RemoteCell``: what Ray makes an actor of."""

    def __init__(self, *here: Any) -> None:
        _enter(*here)
        self._line = _Queues()
        Thread(target=serve, args=(self._line,), daemon=True).start()

    def version(self) -> str:
        """Version of this package."""
        return __version__

    def say(self, number: int, content: bytes) -> bytes:
        """Hear a message about the question of this number and return the next one about it."""
        self._line.heard.put((number, MESSAGES.decode(content)))
        # Nobody waits for what is about an earlier question.
        return next(said for about, said in iter(self._line.said.get, None) if about == number)


class _Queues(Line):
    """What is heard and said by a worker, from one thread of it to another."""

    def __init__(self) -> None:
        super().__init__()
        self.heard: SimpleQueue[tuple[int, Message]] = SimpleQueue()
        self.said: SimpleQueue[tuple[int, bytes]] = SimpleQueue()

    def next(self) -> tuple[int, Message]:
        return self.heard.get()

    def send(self, number: int, message: Message) -> None:
        self.end_copy()
        self.said.put((number, msgspec.msgpack.encode(message)))


class GradingTasks:
    """Grades records as tasks of a cluster; corpus and passages go there once."""

    def __init__(self, cluster: Cluster, config: RunConfig, grading: GradingContext) -> None:
        self._ray = cluster.ray
        self._questions = grading
        self._flying = max(2, config.concurrency)
        known = (config, grading.corpus, grading.passages, grading.evidence)
        self._known = self._ray.put(pickle.dumps(known, pickle.HIGHEST_PROTOCOL))

    def graded(self, records: Iterable[Record]) -> Iterator[Record]:
        """Yield each record with its verdict, in order; so many batches at once as calls of the pipeline."""
        task = self._ray.remote(_grade)
        remaining = iter(records)
        lists: Iterator[list[Record]] = iter(lambda: [*islice(remaining, BATCH)], [])
        batches = (task.remote(_here(), [self._known], self._packed(batch)) for batch in lists)
        flying = deque(islice(batches, self._flying))
        while flying:
            yield from _RECORDS.decode(self._got(flying.popleft()))
            flying.extend(islice(batches, 1))

    def _packed(self, batch: Sequence[Record]) -> bytes:
        questions = {record.question: self._questions.question_of(record) for record in batch}
        return msgspec.msgpack.encode((tuple(questions.values()), tuple(batch)))

    def _got(self, batch: Any) -> Any:
        try:
            return self._ray.get(batch)
        except self._ray.exceptions.RayTaskError as error:
            raise error.cause if isinstance(error.cause, AccessRefused) else error from None


_RECORDS = msgspec.msgpack.Decoder(tuple[Record, ...])
_BATCH = msgspec.msgpack.Decoder(tuple[tuple[Question, ...], tuple[Record, ...]])
_HELD: dict[str, GradingContext] = {}  # what this worker grades on


def _grade(here: tuple[Any, ...], known: list[Any], batch: bytes) -> bytes:
    import ray

    key = known[0].hex()
    if key not in _HELD:
        _enter(*here)
        _HELD.clear()
        config, corpus, passages, evidence = pickle.loads(ray.get(known[0]))  # noqa: S301 (our own)
        grader = load_grader(
            config.grader,
            settings=config.grader_option,
            confirm=config.confirm,
            ask_all=config.all_graders,
            offline=config.offline,
            citations=config.citations,
        )
        nobody = QuestionSet(corpus.id, corpus.split, corpus.hash, 0, 0, ())
        _HELD[key] = GradingContext(corpus, nobody, passages, evidence, grader, config.citations)
    grading = _HELD[key]
    questions, records = _BATCH.decode(batch)
    # Those of the batch alone: a worker need not hold a million.
    grading.questions.by_id.clear()
    grading.questions.by_id.update({question.id: question for question in questions})
    return msgspec.msgpack.encode(list(map(grading.graded, records)))


def _here() -> tuple[str, tuple[str, ...]]:
    """Where modules and files are found: the working folder, and the path of this process."""
    return str(Path.cwd()), tuple(sys.path)


def _enter(folder: str, path: Sequence[str]) -> None:
    """Find modules and files as the harness does, where this machine has the same folders."""
    with suppress(OSError):
        os.chdir(folder)
    sys.path += [entry for entry in path if entry not in sys.path]
