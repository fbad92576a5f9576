"""Parses the text after ``cmd:`` into the words of an executable command."""

from __future__ import annotations

import os
import re
import shlex
import shutil
from pathlib import Path

from ragharness.errors import PipelineNotUsable
from ragharness.pipelines._headers import is_secret
from ragharness.pipelines._replies import excerpt

_SHELL = frozenset({"|", "||", ">", ">>", "<", "<<", "&", "&&", ";", "2>", "2>&1", "2>/dev/null", "|&"})
_SUBSTITUTED = re.compile(r"\$\(|`|[^;'\"]+;$")
"""Words that only a shell understands."""

_HELP = "name it like cmd:./answer.sh or 'cmd:python answer.py --fast'; no shell runs it"

_HEAD = 256
"""Bytes at the beginning of a file that tell a program from a text: the line that the system itself reads."""

_INTERPRETERS = {".py": "python", ".js": "node", ".rb": "ruby", ".pl": "perl", ".bash": "bash"}


def words_of(argument: str) -> list[str]:
    """Return the words of a command; raises PipelineNotUsable for one that the system cannot start."""
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
    program = shutil.which(words[0])
    if program is None:
        place = Path(words[0])
        if place.is_file():
            if place.name == words[0] and os.access(place, os.X_OK):
                beside = shlex.join([f"./{words[0]}", *words[1:]])
                raise PipelineNotUsable(
                    f"expected a command, found {words[0]!r}, a file in this folder, not on the search path",
                    help=f"--pipeline {shlex.quote(f'cmd:{beside}')}",
                )
            raise PipelineNotUsable(
                f"expected a command that may be executed, found {words[0]}", help=f"chmod +x {words[0]}"
            )
        raise PipelineNotUsable(f"expected a command, found no {words[0]!r}", help=_HELP)
    if os.name == "posix":
        _must_have_an_interpreter(Path(program), words)
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


def _must_have_an_interpreter(program: Path, words: list[str]) -> None:
    """Raise where the system would refuse a script: its first line names no interpreter that is here."""
    try:
        with program.open("rb") as file:
            head = file.read(_HEAD)
    except OSError:  # a program that may be executed but not read
        return
    # "#!" is read by the system itself; binary programs have a NUL byte early on.
    interpreter = head.partition(b"\n")[0].removeprefix(b"#!").strip(b" \t").partition(b" ")[0]
    name = os.fsdecode(interpreter)
    if head.startswith(b"#!") and not Path(name).exists():
        windows = f"the file has Windows line ends: sed -i 's/\\r$//' {shlex.quote(words[0])}"
        raise PipelineNotUsable(
            f"expected the first line of {words[0]} to name an interpreter, found no {name!r}",
            help=windows if name.endswith("\r") else _through(words),
        )
    if not head.startswith(b"#!") and b"\0" not in head:
        first = excerpt(head.partition(b"\n")[0].decode("utf-8", "replace"), 60)
        raise PipelineNotUsable(
            f"expected a program, or a script that begins with a line like #!/bin/sh, found {words[0]}"
            + (f" that begins with {first!r}" if first else " without anything in it"),
            help=_through(words),
        )


def _through(words: list[str]) -> str:
    """Return the line that names the interpreter itself."""
    command = shlex.join([_INTERPRETERS.get(Path(words[0]).suffix, "sh"), *words])
    return f"name the interpreter: --pipeline {shlex.quote(f'cmd:{command}')}"


def _for_a_shell(argument: str) -> str:
    """Return the first word without quotes that means something to a shell alone; empty: there is none."""
    try:
        written = shlex.split(argument, posix=False)
    except ValueError:
        return ""
    return next((word for word in written if word in _SHELL or _SUBSTITUTED.match(word)), "")
