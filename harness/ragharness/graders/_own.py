"""The user's own grader: an object with ``read``, or a function of the same four arguments."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, cast

import msgspec

from ragharness.errors import CodeNotUsable
from ragharness.pipelines.adapters import described, find
from ragharness.records import Answer, Passage, Question, Reading

_HELP = "docs/graders.md shows one: it returns a Reading, a dict of its fields, or None"


class OwnGrader:
    """Calls code of the user's; what it returns is read with distrust."""

    def __init__(self, spec: str) -> None:
        """Raises CodeNotUsable for what cannot be imported, found or called."""
        code = find(spec)
        made = code.value() if isinstance(code.value, type) else code.value
        function = getattr(made, "read", made)
        if not callable(function):
            raise CodeNotUsable(f"expected a grader in {spec}, found {described(code.value)}", help=_HELP)
        self.name = spec
        self.version = str(getattr(made, "version", code.fingerprint[:12]))
        self.waits = bool(getattr(made, "waits", False))
        self._read = cast("Callable[..., object]", function)

    def read(
        self, question: Question, answer: Answer, retrieved: Sequence[Passage], supporting: frozenset[str]
    ) -> Reading:
        """Return what the user's code reads; None from it leaves the answer open.

        Raises CodeNotUsable for what is no reading, and what the code raises.
        """
        read: Any = self._read(question, answer, retrieved, supporting)
        if read is None:
            return Reading(status="needs_review", unreadable=f"{self.name} leaves it open")
        try:
            return msgspec.convert(msgspec.to_builtins(read), Reading, strict=True)
        except (msgspec.ValidationError, TypeError) as error:
            raise CodeNotUsable(
                f"expected a reading from {self.name}, found {described(read)}: {error}", help=_HELP
            ) from error
