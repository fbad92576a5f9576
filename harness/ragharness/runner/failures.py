"""Exceptions of pipelines and graders as stored in records: short, printable, without secrets."""

from __future__ import annotations

from ragharness.privacy import without_secrets
from ragharness.records import Failure

_LONGEST = 2000
"""Characters of an exception's message that are kept."""


class Reported(Exception):
    """An exception of another process, of which only what a record keeps has come over."""

    def __init__(self, failure: Failure) -> None:
        super().__init__(failure.message)
        self.failure = failure


def describe(error: BaseException, where: str = "") -> Failure:
    """Return an exception's type and message, with where it happened if not in the pipeline; never raises."""
    if isinstance(error, Reported):
        return error.failure
    kind = type(error).__name__
    try:
        message = str(error)
    except Exception:  # noqa: BLE001 (an exception that cannot even be printed)
        message = "(its message cannot be read)"
    message = without_secrets(message[: 2 * _LONGEST])[:_LONGEST]
    message = message.encode("utf-8", "replace").decode("utf-8")
    return Failure(f"{kind} {where}".strip(), message)
