"""A pipeline that is a command: asked over its standard input, answering on its standard output.

It is kept alive: a question is one line of JSON, ``{"id", "question", "passages"}``, and so is the reply.
As many processes run as questions are asked at once. With ``mode=once`` a process is started for each
question, reads it from standard input as it is, writes its answer, and ends. ``takes=own`` sends no passages.
"""

from __future__ import annotations

import asyncio
import re
import shlex
import shutil
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from ragharness.errors import AccessRefused, PipelineNotUsable, RagharnessError, UnusableReply
from ragharness.pipelines import BuiltPipeline
from ragharness.pipelines._processes import Process
from ragharness.pipelines._wire import is_secret, json_of, text_of
from ragharness.support.background import PerLoop

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ragharness.pipelines import Context
    from ragharness.records import Passage

SCRIPT_LIMIT = 2**20
"""Bytes of a file on the command line up to which it counts as the source; interpreters are larger."""

_PATIENCE, _LONGEST = 0.5, 20.0
"""Seconds beside twice the age of one that ended, for another to end unasked; above the second: not tried."""

_HEARING = 0.002
"""Seconds to hear what one said unasked: it must not be taken for the reply to the next question."""


_SHELL = frozenset({"|", "||", ">", ">>", "<", "<<", "&", "&&", ";", "2>", "2>&1", "2>/dev/null", "|&"})
_SUBSTITUTED = re.compile(r"\$\(|`|[^;'\"]+;$")
"""Words that only a shell understands."""

_HELP = "name it like cmd:./answer.sh (after chmod +x) or 'cmd:python answer.py --fast'; no shell runs it"


def build(context: Context, argument: str) -> BuiltPipeline:
    """Return the pipeline that the command ``argument`` is; raises PipelineNotUsable."""
    words = words_of(argument)
    mode = context.options.choice("mode", "lines", ("lines", "once"))
    takes = context.options.choice("takes", "passages" if mode == "lines" else "own", ("passages", "own"))
    command = Once(words) if mode == "once" else Lines(words)
    files = [Path(word) for word in words if _is_script(Path(word))]
    return BuiltPipeline(
        command.ask if takes == "passages" else command.ask_alone,
        name=(files[-1] if files else Path(words[0])).name,
        settings={"mode": mode, "takes": takes},
        source=b"\n".join(file.read_bytes() for file in files),
    )


def words_of(argument: str) -> list[str]:
    """Return the words of a command; raises PipelineNotUsable for one that is none or holds a secret."""
    try:
        words = shlex.split(argument)
    except ValueError as error:
        raise PipelineNotUsable(f"expected a command, found {argument!r}: {error}", help=_HELP) from error
    if not words:
        raise PipelineNotUsable("expected a command after 'cmd:', found nothing", help=_HELP)
    if shell := _for_a_shell(argument):
        raise PipelineNotUsable(
            f"expected a command and its arguments, found {shell!r}: no shell runs it",
            help=f"wrap it: --pipeline {shlex.quote(f'cmd:bash -c {shlex.quote(argument)}')}",
        )
    _must_hold_no_secret(words)
    if shutil.which(words[0]) is None:
        found = f"the file {words[0]!r}" if Path(words[0]).is_file() else f"no {words[0]!r}"
        raise PipelineNotUsable(f"expected a command that may be executed, found {found}", help=_HELP)
    return words


def _must_hold_no_secret(words: list[str]) -> None:
    """Raise for ``--token VALUE``, ``--token=VALUE``, ``TOKEN=VALUE``: the command is kept with the run."""
    for word, after in zip(words, [*words[1:], ""], strict=True):
        name, written_out, value = word.partition("=")
        if not written_out and word.startswith("-") and not after.startswith("-"):
            value = after
        if is_secret(name.lstrip("-"), value):
            raise PipelineNotUsable(
                f"expected no secret in the command, which is kept with the run, found {name} in plain text",
                help="put it into a variable, which the command inherits: export NAME=...",
            )


def _for_a_shell(argument: str) -> str:
    """Return the first word without quotes that means something to a shell alone; empty: there is none."""
    try:
        written = shlex.split(argument, posix=False)
    except ValueError:
        return ""
    return next((word for word in written if word in _SHELL or _SUBSTITUTED.match(word)), "")


class Command:
    """A command that replies: one that ends unasked is told from one that a question ended."""

    def __init__(self, words: Sequence[str]) -> None:
        self._words = words
        self._proven = False
        """Whether a process replied, or lived without being asked."""
        self._refused = ""
        """How one ended that was asked nothing."""
        self._pools: PerLoop[_Pool] = PerLoop(_Pool, _Pool.close)

    async def ask_alone(self, question: str) -> Any:
        """Return the command's reply to a question without passages; raises UnusableReply."""
        return await self._reply({"question": question})

    async def ask(self, question: str, passages: Sequence[Passage]) -> Any:
        """Return the command's reply to a question with passages; raises UnusableReply."""
        return await self._reply({"question": question, "passages": list(passages)})

    async def _reply(self, request: dict[str, Any]) -> Any:
        raise NotImplementedError

    async def _failure_of(self, process: Process) -> RagharnessError:
        """Return what to raise for a process that ended without a reply: UnusableReply, or AccessRefused.

        Until one has replied, another is started and asked nothing: if it ends too, no question can be asked.
        """
        failure = await process.failure()
        seconds = _PATIENCE + 2 * process.age
        pool = await self._pools.get()
        async with pool.gate:
            if not self._proven and not self._refused and seconds < _LONGEST:
                unasked = await Process.start(self._words)
                try:
                    self._proven = not await unasked.ends_within(seconds)
                    self._refused = "" if self._proven else await unasked.failure()
                finally:
                    pool.end(unasked)
        if self._refused and not self._proven:
            return AccessRefused(
                f"before the first question the command {self._refused}",
                help=f"run it by itself: {shlex.join(self._words)}",
            )
        return UnusableReply(f"the command {failure}")


class Lines(Command):
    """Processes that answer line by line; one that does anything else is replaced."""

    def __init__(self, words: Sequence[str]) -> None:
        super().__init__(words)
        self._numbers = count(1)

    async def _reply(self, request: dict[str, Any]) -> Any:
        number = str(next(self._numbers))
        sent = msgspec.json.encode({"id": number, **request}) + b"\n"
        pool = await self._pools.get()
        process, line = await self._exchange(pool, sent)
        try:
            reply = _value(line, process, number)
        except UnusableReply:
            # Whatever it says next belongs to no question.
            pool.end(process)
            raise
        self._proven = True
        pool.held.append(process)
        return reply

    async def _exchange(self, pool: _Pool, sent: bytes) -> tuple[Process, bytes]:
        """Return the line that a process replied; one that had ended in peace meanwhile is replaced."""
        while True:
            process = await pool.waiting() or await Process.start(self._words)
            try:
                process.write(sent)
                line = await process.read_line()
                if line is not None:
                    return process, line
                status = await process.ended()
                problem = await self._failure_of(process) if status != 0 or process.used == 1 else None
            except BaseException:
                pool.end(process)
                raise
            pool.end(process)
            if problem is not None:
                raise problem


class _Pool:
    """The processes of one event loop."""

    def __init__(self) -> None:
        self.held: list[Process] = []
        """Those that wait for a question, or, one for each, work on theirs."""
        self.gate = asyncio.Lock()
        """Held by the one that tries whether the command lives unasked."""
        self._ended: list[Process] = []

    async def waiting(self) -> Process | None:
        """Return a process that waits for a question; those that ended, or spoke without being asked, go."""
        if self.held:
            await asyncio.sleep(_HEARING)
        while self.held:
            process = self.held.pop()
            if process.is_silent:
                return process
            self.end(process)
        return None

    def end(self, process: Process) -> None:
        """End a process; the loop must not be closed before the system has said that it is gone."""
        process.kill()
        self._ended = [*(each for each in self._ended if each.status is None), process]

    async def close(self) -> None:
        """End all, and see them gone."""
        await asyncio.gather(*(process.close() for process in (*self.held, *self._ended)))


class Once(Command):
    """A process for each question, which is written as it is unless it has passages."""

    async def _reply(self, request: dict[str, Any]) -> Any:
        sent = msgspec.json.encode(request) if "passages" in request else request["question"].encode()
        pool = await self._pools.get()
        process = await Process.start(self._words)
        pool.held.append(process)
        try:
            process.write(sent + b"\n", last=True)
            said = await process.read_all()
            if await process.ended() != 0:
                raise await self._failure_of(process)
            self._proven = True
        finally:
            pool.held.remove(process)
            pool.end(process)
        text = text_of(said).strip()
        return json_of(text) if text.startswith("{") else text


def _is_script(path: Path) -> bool:
    try:
        return path.is_file() and path.stat().st_size <= SCRIPT_LIMIT
    except (OSError, ValueError):
        return False


def _value(line: bytes, process: Process, number: str) -> Any:
    try:
        reply = json_of(text_of(line))
    except UnusableReply as error:
        first = process.used == 1
        raise UnusableReply(
            f"{error} as its {'first ' if first else ''}line on standard output, which is for replies alone"
            + ("; a program that answers once and ends takes mode=once" if first else "")
        ) from error
    if isinstance(reply, dict) and str(reply.get("id", number)) != number:
        raise UnusableReply(f"expected the reply to {number}, found the one to {reply['id']!r:.40}")
    return reply
