"""Pipelines: load the system under test, call it, and parse its results.

``module:attribute`` and ``path/file.py:attribute`` name the user's own. Every other kind (a service, a
command, recorded answers, the reference generators) is one file in this package, found by the first word of
the name, with ``build(context, argument)``, which returns a callable of one of the same three signatures, or
a ``BuiltPipeline`` that says more about it. Packages publish one under the entry points
``ragharness.pipelines``.
"""

from __future__ import annotations

import hashlib
import inspect
import shlex
from collections.abc import AsyncIterable, Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ragharness import __version__
from ragharness.corpus.loading import Corpus
from ragharness.corpus.passages import PassageSet
from ragharness.errors import PipelineNotUsable, UnknownName, UsageError
from ragharness.pipelines._answers import TEXT_LIMIT, Parsed, read_answer
from ragharness.pipelines._own import Signature, Takes, load_own, signature_of
from ragharness.pipelines.adapters import is_async
from ragharness.questions.questionset import QuestionSet
from ragharness.records import Answer, Passage, Usage
from ragharness.support import plugins
from ragharness.support.messages import redact
from ragharness.support.options import Options
from ragharness.support.process import Processes

__all__ = [
    "BuiltPipeline", "Context", "Parsed", "Pipeline", "Signature", "Takes", "load_pipeline", "pipeline_kinds",
    "read_answer", "refuse_argument",
]  # fmt: skip
_SAME_MODULE = {"https": ("http", "build_encrypted"), "scripted": ("replay", "build")}
"""Kinds that another's module builds: an encrypted connection, and the name under which tests replay."""

_HELP = (
    "give your own as package.module:function, path/to/file.py:function, http://HOST/PATH, cmd:COMMAND"
    " or replay:FILE"
)


@dataclass(frozen=True)
class Context:
    """Everything that a kind of pipeline may use besides the question; a user's pipeline never gets it."""

    corpus: Corpus
    questions: QuestionSet
    passages: PassageSet
    options: Options = field(default_factory=Options)  # settings of ``--pipeline-option``
    cache: Path | None = None  # a folder that may hold answers between runs
    k: int = 5  # how many passages the run retrieves for a question


@dataclass(frozen=True)
class BuiltPipeline:
    """A callable of one of the three signatures with its settings, as the module of a kind returns it."""

    function: Callable[..., object]
    name: str = ""  # for headings and folders, not yet safe as a file name; empty: that of its module
    settings: Mapping[str, str | int | float] = field(default_factory=dict)
    """Settings that the answers depend on; they are stored with the run, so no secret is among them."""
    source: bytes = b""  # further input of the fingerprint: the bytes of a file that answers come from
    recall: Callable[[str, Sequence[Passage]], Answer | None] | None = None
    """Returns the answer that is already known to a question and passages, or None; costs no call."""
    estimate: Callable[[str, Sequence[Passage]], Usage] | None = None  # the most that a call will use
    processes: Processes[Any] | None = None  # those that answer, each for the thread that asks it


@dataclass(frozen=True, kw_only=True)
class Pipeline(BuiltPipeline):
    """The system under test, ready to be called."""

    spec: str  # how the user named it, without what may be secret
    fingerprint: str  # a hash of the source file: another fingerprint, other answers to expect
    is_async: bool  # whether to call it on the event loop rather than in a thread
    signature: Signature

    @property
    def takes(self) -> Takes:
        """Its second input: ``passages``, ``retrieve``, or none, as it retrieves its ``own``."""
        return self.signature.takes

    def call(
        self,
        question: str,
        passages: Sequence[Passage] = (),
        retrieve: Callable[[str, int], list[Passage]] | None = None,
    ) -> object:
        """Ask one question; whatever ``is_async`` says, an awaitable result still has to be awaited.

        A generator of strings is read to its end and joined. Raises what the pipeline raises.
        """
        material = list(passages) if self.takes == "passages" else retrieve
        values = {"question": question, "material": material}
        returned = self.signature.binding.call(self.function, values)
        if inspect.isawaitable(returned) or inspect.isasyncgen(returned):
            return settled(returned)
        return whole(returned)


def pipeline_kinds() -> list[str]:
    """First words of names that are not the user's own code, in alphabetical order."""
    return sorted({*plugins.names("pipelines", __name__), *_SAME_MODULE})


def load_pipeline(pipeline: object, context: Context | None = None) -> Pipeline:
    """Load a pipeline by its name, or take one that is handed over; all but the user's own need ``context``.

    Raises UnknownName for a bare name that is none of theirs, and PipelineNotUsable for what cannot be
    imported, found or called.
    """
    if isinstance(pipeline, str):
        head, colon, argument = pipeline.partition(":")
        if head in pipeline_kinds():
            return _of_kind(pipeline, head, argument, context)
        if not colon:
            raise _no_function(pipeline)
    if context is not None:
        context.options.finish(f"the pipeline {pipeline!r}")
    code, function = load_own(pipeline)
    return Pipeline(
        function,
        code.name,
        spec=code.spec,
        fingerprint=code.fingerprint,
        is_async=is_async(function),
        signature=signature_of(function, code.spec),
    )


def refuse_argument(name: str, argument: str) -> None:
    """Raise UsageError for what stands behind the name of a reference pipeline that takes nothing."""
    if argument:
        message = f"the reference pipeline {name!r} takes no argument after its name, found {argument!r}"
        raise UsageError(message)


def _no_function(name: str) -> UsageError:
    from ragharness.pipelines.adapters import functions_beside

    if not (functions := functions_beside(name)):
        return UnknownName("pipeline", name, pipeline_kinds(), help=_HELP)
    file = name if name.endswith(".py") else f"{name}.py"
    message = f"{name!r} names no function: write {name}:FUNCTION; {file} has {', '.join(functions)}"
    return PipelineNotUsable(message, help=f"--pipeline {shlex.quote(f'{name}:{functions[0]}')}")


def _of_kind(spec: str, name: str, argument: str, context: Context | None) -> Pipeline:
    if context is None:
        raise UsageError(f"the pipeline {name!r} needs a corpus and its questions; none were given")
    module_name, build = _SAME_MODULE.get(name, (name, "build"))
    module = plugins.load("pipelines", __name__, module_name, build)
    built = getattr(module, build)(context, argument)
    built = built if isinstance(built, BuiltPipeline) else BuiltPipeline(built)
    context.options.finish(f"the pipeline {name!r}")
    source = Path(module.__file__).read_bytes() + built.source
    return Pipeline(
        # What belongs into the fingerprint alone may hold a secret.
        **{**vars(built), "name": built.name or name, "source": b""},
        spec=redact(spec),
        fingerprint=hashlib.sha256(__version__.encode() + b"\n" + source).hexdigest(),
        is_async=is_async(built.function),
        signature=signature_of(built.function, spec),
    )


def whole(returned: object) -> object:
    """The joined text of a generator of strings, and anything else as it is."""
    if not inspect.isgenerator(returned):
        return returned
    stream = _Stream()
    for piece in returned:
        if stream.is_full_with(piece):
            returned.close()
            break
    return stream.joined()


async def settled(returned: Awaitable[object] | AsyncIterable[object]) -> object:
    """The final value of an awaitable, streams joined."""
    value: Any = await returned if inspect.isawaitable(returned) else returned
    if not inspect.isasyncgen(value):
        return whole(value)
    stream = _Stream()
    async for piece in value:
        if stream.is_full_with(piece):
            await value.aclose()
            break
    return stream.joined()


class _Stream:
    def __init__(self) -> None:
        self._pieces: list[object] = []
        self._length = 0

    def is_full_with(self, piece: object) -> bool:
        """Add a piece; whether a record would not keep any further one."""
        self._pieces.append(piece)
        self._length += len(piece) if isinstance(piece, str) else 1
        return self._length > TEXT_LIMIT

    def joined(self) -> object:
        """The text; pieces that are none as they came, so that the reader can name what it found."""
        texts = [piece for piece in self._pieces if isinstance(piece, str)]
        return "".join(texts) if len(texts) == len(self._pieces) else self._pieces
