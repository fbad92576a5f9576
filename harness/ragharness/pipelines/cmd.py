"""A pipeline that is a command: asked over its standard input, answering on its standard output.

It is kept alive: a question is one line of JSON, ``{"id", "question", "passages"}``, and so is the reply.
As many processes run as questions are asked at once. With ``mode=once`` a process is started for each
question, reads it from standard input as it is, writes its answer, and ends. ``takes=own`` sends no passages.
"""

from __future__ import annotations

import errno
import re
import shlex
import shutil
import subprocess
import time
from collections.abc import Sequence
from itertools import count
from pathlib import Path
from threading import Lock
from typing import Any

import msgspec

from ragharness.errors import AccessRefused, PipelineNotUsable, RagharnessError, UnusableReply
from ragharness.pipelines import BuiltPipeline, Context
from ragharness.pipelines._services import (
    EXCERPT,
    REPLY_LIMIT,
    excerpt,
    is_secret,
    json_of,
    text_of,
    too_long,
)
from ragharness.records import Passage
from ragharness.support.process import STDERR_TAIL, Processes, Program, describe_exit

SCRIPT_LIMIT = 2**20  # bytes up to which a file on the command line is its source; interpreters are larger
_PATIENCE, _LONGEST = 0.5, 20.0
"""Seconds beside twice the age of one that ended, for another to end unasked; above the second: not tried."""

_PROMPT = 1.0  # seconds to wait for the exit status of a process that has closed its output
_SILENCE = 0.02  # seconds before the next question, where replies have no ids: output until then is none
_DIGITS = 20  # of an id that are looked at: Python reads no number of thousands
_SHELL = frozenset({"|", "||", ">", ">>", "<", "<<", "&", "&&", ";", "2>", "2>&1", "2>/dev/null", "|&"})
_SUBSTITUTED = re.compile(r"\$\(|`|[^;'\"]+;$")  # words that only a shell understands
_HELP = "name it like cmd:./answer.sh (after chmod +x) or 'cmd:python answer.py --fast'; no shell runs it"


def build(context: Context, argument: str) -> BuiltPipeline:
    """The pipeline that the command ``argument`` is; raises PipelineNotUsable."""
    words = words_of(argument)
    mode = context.options.choice("mode", "lines", ("lines", "once"))
    takes = context.options.choice("takes", "passages" if mode == "lines" else "own", ("passages", "own"))
    command = Once(words) if mode == "once" else Lines(words)
    files = [Path(word) for word in words if _is_script(Path(word))]
    return BuiltPipeline(
        command.ask if takes == "passages" else command.ask_alone,
        processes=command.processes,
        name=(files[-1] if files else Path(words[0])).name,
        settings={"mode": mode, "takes": takes},
        source=b"\n".join(file.read_bytes() for file in files),
    )


def words_of(argument: str) -> list[str]:
    """The words of a command; raises PipelineNotUsable for one that is none or holds a secret."""
    try:
        words = shlex.split(argument)
    except ValueError as error:
        raise PipelineNotUsable(f"{argument!r} is no command: {error}", help=_HELP) from error
    if not words:
        raise PipelineNotUsable("no command stands after 'cmd:'", help=_HELP)
    if shell := _for_a_shell(argument):
        raise PipelineNotUsable(
            f"no shell runs the command, so {shell!r} would be one of its arguments",
            help=f"wrap it: --pipeline {shlex.quote(f'cmd:bash -c {shlex.quote(argument)}')}",
        )
    _must_hold_no_secret(words)
    if shutil.which(words[0]) is None:
        problem = "may not be executed" if Path(words[0]).is_file() else "is no command here"
        raise PipelineNotUsable(f"{words[0]!r} {problem}", help=_HELP)
    return words


def _must_hold_no_secret(words: list[str]) -> None:
    """Refuse ``--token VALUE``, ``--token=VALUE``, ``TOKEN=VALUE``."""
    for word, after in zip(words, [*words[1:], ""], strict=True):
        name, written_out, value = word.partition("=")
        if not written_out and word.startswith("-") and not after.startswith("-"):
            value = after
        if is_secret(name.lstrip("-"), value):
            raise PipelineNotUsable(
                f"the command, which is kept with the run, holds the secret {name} in plain text",
                help="put it into a variable, which the command inherits: export NAME=...",
            )


def _for_a_shell(argument: str) -> str:
    """The first word without quotes that means something to a shell alone; empty: there is none."""
    try:
        written = shlex.split(argument, posix=False)
    except ValueError:
        return ""
    return next((word for word in written if word in _SHELL or _SUBSTITUTED.match(word)), "")


class Command:
    """A command that replies: one that ends unasked is told from one that a question ended."""

    def __init__(self, words: Sequence[str]) -> None:
        self._words = words
        self.processes = Processes(self._started)
        self._gate = Lock()  # held by the one that tries whether the command lives unasked
        self._proven = False  # whether a process replied, or lived without being asked
        self._refused = ""  # how one ended that was asked nothing

    def ask_alone(self, question: str) -> Any:
        """The command's reply to a question without passages; raises UnusableReply."""
        return self._reply({"question": question})

    def ask(self, question: str, passages: Sequence[Passage]) -> Any:
        """The command's reply to a question with passages; raises UnusableReply."""
        return self._reply({"question": question, "passages": list(passages)})

    def _reply(self, request: dict[str, Any]) -> Any:
        raise NotImplementedError

    def _started(self) -> Program:
        """Start the command; raises AccessRefused for what the system cannot run, OSError without room."""
        try:
            # Python's output must not be held back in a buffer.
            return Program(self._words, errors=subprocess.PIPE, limit=REPLY_LIMIT, PYTHONUNBUFFERED="1")
        except OSError as error:
            if error.errno not in (errno.ENOENT, errno.EACCES, errno.ENOEXEC):
                raise
            # A script without a first line like #!/bin/sh, or one that names no interpreter that is here.
            raise AccessRefused(
                f"the command cannot be started: {error.strerror}",
                help=f"name its interpreter, like cmd:python {shlex.join(self._words)}",
            ) from error

    def _end_of(self, process: Program) -> RagharnessError:
        """The exception for a process that ended without a reply: UnusableReply, or AccessRefused.

        Until one has replied, another is started and asked nothing: if it ends too, no question can be asked.
        """
        how = _how_ended(process)
        seconds = _PATIENCE + 2 * (time.monotonic() - process.started_at)
        with self._gate:
            if not (self._proven or self._refused or process.killed) and seconds < _LONGEST:
                unasked = self._started()
                try:
                    self._proven = unasked.exit_status(seconds) is None
                    self._refused = "" if self._proven else _how_ended(unasked)
                finally:
                    unasked.end()
        if self._refused and not (self._proven or process.killed):
            message = f"before the first question the command {self._refused}"
            return AccessRefused(message, help=f"run it by itself: {shlex.join(self._words)}")
        return UnusableReply(f"the command {how}")


class Lines(Command):
    """Processes that answer line by line; one that does anything else is replaced."""

    def __init__(self, words: Sequence[str]) -> None:
        super().__init__(words)
        self._numbers = count(1)
        self._numbered = True  # whether all replies had the id of their question

    def _reply(self, request: dict[str, Any]) -> Any:
        number = next(self._numbers)
        try:
            reply = self._exchange(number, msgspec.json.encode({"id": str(number), **request}) + b"\n")
        except BaseException:
            # Whatever it writes next belongs to no question.
            self.processes.end_current(grace=0)
            raise
        self._proven = True
        return reply

    def _exchange(self, number: int, sent: bytes) -> Any:
        """The reply of a process; one that ended in peace before, or wrote unasked, is replaced."""
        while True:
            process = self.processes.current()
            if not process.questions or self._numbered or process.is_silent(_SILENCE):
                process.write(sent)
                while (line := process.wait_for(_Line())) is not None:
                    reply = _value(line, is_first=process.questions == 1)
                    name = str(reply.get("id", "")) if isinstance(reply, dict) else ""
                    self._numbered = self._numbered and bool(name)
                    if name in ("", str(number)):
                        return reply
                    if not (name[:_DIGITS].isdecimal() and 0 < int(name[:_DIGITS]) < number):
                        raise UnusableReply(f"expected the reply to {number}, found the one to {name!r:.40}")
                    # An earlier question is answered twice.
                if process.exit_status(_PROMPT) != 0 or process.questions == 1:
                    raise self._end_of(process)
            self.processes.end_current(grace=0)


class _Line:
    """Takes a line that is not blank from the output of a process."""

    def __init__(self) -> None:
        self._searched = 0

    def __call__(self, output: bytearray) -> bytes | None:
        while (end := output.find(b"\n", self._searched)) >= 0:
            line = bytes(output[:end])
            del output[: end + 1]
            self._searched = 0
            if line.strip():
                return line
        self._searched = len(output)
        if self._searched >= REPLY_LIMIT:
            raise too_long()
        return None


class Once(Command):
    """A process for each question, which is written as it is unless it has passages."""

    def _reply(self, request: dict[str, Any]) -> Any:
        sent = msgspec.json.encode(request) if "passages" in request else request["question"].encode()
        process = self.processes.current()
        try:
            process.write(sent + b"\n", last=True)
            process.wait_for(lambda _: None)
            if len(process.output) > REPLY_LIMIT:
                raise too_long()
            if process.exit_status(_PROMPT) != 0:
                raise self._end_of(process)
            self._proven = True
            output = bytes(process.output)
        finally:
            self.processes.end_current(grace=0)
        text = text_of(output).strip()
        return json_of(text) if text.startswith("{") else text


def _how_ended(process: Program) -> str:
    """How a process ended, with the end of its standard error."""
    how = describe_exit(process.exit_status(_PROMPT))
    written = excerpt(process.stderr_tail().decode("utf-8", "replace"), STDERR_TAIL)
    return f"{how}; its standard error ends: {written[-EXCERPT:]}" if written else how


def _is_script(path: Path) -> bool:
    try:
        return path.is_file() and path.stat().st_size <= SCRIPT_LIMIT
    except (OSError, ValueError):
        return False


def _value(line: bytes, *, is_first: bool) -> Any:
    try:
        return json_of(text_of(line))
    except UnusableReply as error:
        line_name = f"its {'first ' if is_first else ''}line on standard output, which is for replies alone"
        remedy = "; a program that answers once and ends takes mode=once" if is_first else ""
        raise UnusableReply(f"{error} as {line_name}{remedy}") from error
