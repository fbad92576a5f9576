"""Exceptions of pipelines and graders as records keep them: short, printable, without secrets."""

from __future__ import annotations

import os
import re
from functools import lru_cache

from ragharness.download import public_urls
from ragharness.records import Failure

_LONGEST = 2000
"""Characters of an exception's message that are kept."""

_SECRET_NAME = re.compile(r"KEY|TOKEN|SECRET|PASSWORD|CREDENTIAL", re.IGNORECASE)
_SHORTEST_SECRET = 8
"""Shorter values of such variables ("1", "true") are no secrets and would hit ordinary words."""


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


def without_secrets(text: str) -> str:
    """Return the text without the values of secret environment variables, logins and queries of URLs."""
    for name, value in _secrets(tuple(sorted(os.environ.items()))):
        text = text.replace(value, f"[{name}]")
    return public_urls(text)


@lru_cache(maxsize=4)
def _secrets(environment: tuple[tuple[str, str], ...]) -> tuple[tuple[str, str], ...]:
    return tuple(
        (name, value)
        for name, value in environment
        if _SECRET_NAME.search(name) and len(value) >= _SHORTEST_SECRET
    )
