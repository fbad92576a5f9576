"""Exceptions of the project: each says what is wrong and the next command.

The command line ends with the ``exit_code`` of the class: 3, or 2 where runs cannot be compared.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Sequence
from itertools import takewhile
from typing import Any

CPU_TORCH = "pip install torch --index-url https://download.pytorch.org/whl/cpu"
_LISTED = 8  # known names in the message about an unknown one


class RagharnessError(Exception):
    """The root: ``str(error)`` is one readable sentence, ``help`` names the next command."""

    exit_code = 3

    def __init__(self, message: str, *, help: str = "") -> None:  # noqa: A002 (the word users see)
        super().__init__(message)
        self.help = help


class UsageError(RagharnessError):
    """An option, a name or a file of the user's is wrong."""


class UnknownName(UsageError):
    """A name that is not among the known ones; offers the nearest."""

    def __init__(self, what: str, name: str, known: Iterable[str], *, help: str = "") -> None:  # noqa: A002
        names = sorted(set(known))
        near = nearest(name, names)
        more = f" and {len(names) - _LISTED} more" if len(names) > _LISTED else ""
        hint = f"did you mean {' or '.join(near)}?" if near else f"known: {', '.join(names[:_LISTED])}{more}"
        super().__init__(f"no {what} is named {name!r}; {hint}", help=help)


def nearest(name: str, known: Sequence[str]) -> list[str]:
    """Up to three names like a name, the likest first; of equals the same number, then the same beginning."""

    def distance(candidate: str) -> tuple[float, bool, int, str]:
        ratio = difflib.SequenceMatcher(None, candidate, name).ratio()
        same_letters = takewhile(lambda pair: pair[0] == pair[1], zip(candidate, name, strict=False))
        return -ratio, _unpadded(candidate) != _unpadded(name), -len(list(same_letters)), candidate

    near = difflib.get_close_matches(name, known, n=len(known) or 1, cutoff=0.5)
    return sorted(near, key=distance)[:3]


def _unpadded(name: str) -> str:
    return re.sub(r"0+(?=\d)", "", name)


class CodeNotUsable(UsageError):
    """The user's own code cannot be imported, found or called."""


class PipelineNotUsable(CodeNotUsable):
    """The system under test cannot be loaded or called."""


class RetrieverNotUsable(CodeNotUsable):
    """A retriever of the user's cannot be loaded or called, or returns what cannot be read."""


class QuestionsNotUsable(UsageError):
    """A question file that is empty, malformed, or changed after its freeze."""


class RubricNotUsable(UsageError):
    """A rubric that is malformed, breaks a rule, is a draft, or was changed after its use."""


class AlreadyLabelled(UsageError):
    """The answer was labelled meanwhile, in another tab: nothing is overwritten."""


class TemporaryFailure(RagharnessError):
    """A pipeline's service is busy or away for the moment; ``retry_after`` is the wait that it asked for."""

    def __init__(self, message: str, *, retry_after: float | None = None, help: str = "") -> None:  # noqa: A002
        super().__init__(message, help=help)
        self.retry_after = retry_after  # seconds; None: it did not say


class AccessRefused(RagharnessError):
    """A pipeline's service takes no such credentials, or its command ends unasked: the run stops at once."""


class UnusableReply(RagharnessError):
    """A pipeline's service, process or file gave nothing that holds an answer to this one question."""

    def __init__(self, message: str, *, help: str = "", answer: Any = None) -> None:  # noqa: A002
        super().__init__(message, help=help)
        self.answer = answer  # the ``Answer`` given all the same, not to be graded: it may have cost money


def install_command(extra: str) -> str:
    """The command that installs an extra; torch comes without CUDA, which is several gigabytes."""
    torch = f"{CPU_TORCH} && " if extra == "dense" else ""
    return f"{torch}pip install 'ragharness[{extra}]'"


class MissingExtra(RagharnessError):
    """An optional dependency is not installed."""

    def __init__(self, feature: str, extra: str) -> None:
        message = f"{feature} needs the extra {extra!r}, which is not installed"
        super().__init__(message, help=install_command(extra))


class CorpusUnavailable(RagharnessError):
    """A corpus that is not cached and could not be fetched."""


class CorruptDownload(CorpusUnavailable):
    """A download that is truncated, altered, or must not be unpacked."""


class StorageError(RagharnessError):
    """The disk is read-only or full, or a folder is in use."""


class RunNotUsable(StorageError):
    """A folder that is no run, or one of another version or of other settings."""


class NotComparable(RagharnessError):
    """Runs over different questions, corpora or graders."""

    exit_code = 2
