"""Settings of the user: ``name=value``, read by type, unknown ones being errors; and files in TOML."""

from __future__ import annotations

import json
import math
import sys
from pathlib import Path
from typing import Any

from ragharness.errors import UnknownName, UsageError

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

from collections.abc import Callable, Iterable, Mapping

_LONGEST_LINE = 10_000
"""Characters: a name of many parts is read in quadratic time, and stands on one line."""

_YES, _NO = ("yes", "true", "on", "1"), ("no", "false", "off", "0")


class Options:
    """Named settings; whoever reads them says at the end that nothing else was expected."""

    def __init__(
        self,
        values: Mapping[str, str] | None = None,
        *,
        flag: str = "--option",
        on_progress: Callable[..., None] | None = None,
        offline: bool = False,
        prefix: str = "",
    ) -> None:
        """``prefix``: what stands before each name where the user writes it."""
        self._values = dict(values or {})
        self._asked: list[str] = []
        self._flag = flag
        self._prefix = prefix
        self.on_progress = on_progress
        """Called as (what, done, total[, unit]) during long preparation; without a unit they are bytes."""
        self.offline = offline
        """Whether nothing may be fetched."""

    @classmethod
    def parse(
        cls,
        texts: Iterable[str],
        *,
        flag: str,
        on_progress: Callable[..., None] | None = None,
        offline: bool = False,
    ) -> Options:
        """Read ``name=value`` texts; raises UsageError for another shape or a name given twice."""
        values: dict[str, str] = {}
        for text in texts:
            name, equals, value = text.partition("=")
            name = name.strip().replace("_", "-").lower()
            if not equals or not name:
                raise UsageError(f"expected {flag} NAME=VALUE, found {text!r}")
            if name in values:
                raise UsageError(f"expected {flag} {name}=... once, found it twice")
            values[name] = value
        return cls(values, flag=flag, on_progress=on_progress, offline=offline)

    def written(self, name: str) -> str:
        """Return how a setting is given, up to its value."""
        return f"{self._flag} {self._prefix}{name}="

    def text(self, name: str, default: str = "") -> str:
        """Return a setting as it was given."""
        self._asked.append(name)
        return self._values.get(name, default)

    def starting(self, prefix: str) -> dict[str, str]:
        """Return the settings whose names begin so, by the rest of their names in alphabetical order."""
        found = sorted(name for name in self._values if name.startswith(prefix) and name != prefix)
        self._asked += [f"{prefix}...", *found]
        return {name.removeprefix(prefix): self._values[name] for name in found}

    def choice(self, name: str, default: str, known: Iterable[str]) -> str:
        """Return a setting that is one of the known words; raises UnknownName."""
        value = self.text(name, default)
        if value not in (names := list(known)):
            raise UnknownName(name, value, names)
        return value

    def whole(self, name: str, default: int, least: int = 0) -> int:
        """Return a whole number of at least ``least``; raises UsageError."""
        value = self.text(name, str(default)).replace("_", "")
        if len(value) > 18 or not value.removeprefix("-").isdecimal() or int(value) < least:
            raise UsageError(f"expected {self.written(name)} a whole number from {least}, found {value!r}")
        return int(value)

    def number(self, name: str, default: float, least: float = 0.0) -> float:
        """Return a finite number of at least ``least``; raises UsageError."""
        value = self.text(name, repr(default))
        try:
            number = float(value)
        except ValueError:
            number = math.nan
        if not least <= number < math.inf:
            raise UsageError(f"expected {self.written(name)} a number from {least:g}, found {value!r}")
        return number

    def flag(self, name: str, default: bool) -> bool:
        """Return yes or no; raises UsageError."""
        value = self.text(name, "yes" if default else "no").lower()
        if value not in _YES + _NO:
            raise UsageError(f"expected {self.written(name)}yes or no, found {value!r}")
        return value in _YES

    def finish(self, what: str) -> None:
        """Raise UnknownName for a setting that nothing asked for; ``what`` takes the settings."""
        for name in self._values:
            if name not in self._asked:
                if not self._asked:
                    raise UsageError(f"{what} takes no settings, found {self.written(name)}...")
                raise UnknownName(f"setting of {what}", name, self._asked)


def read_toml(path: str | Path, example: str) -> dict[str, Any]:
    """Return what a file of settings holds; raises UsageError with ``example`` as the next step."""
    try:
        text = Path(path).read_text(encoding="utf-8")
        if any(len(line) > _LONGEST_LINE for line in text.splitlines()):
            raise ValueError(f"a line of more than {_LONGEST_LINE:,} characters")  # noqa: TRY301
        held: dict[str, Any] = tomllib.loads(text)
    except (OSError, ValueError, RecursionError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise UsageError(f"expected a readable {path}, found: {reason}", help=example) from error
    return held


def to_toml(table: dict[str, Any]) -> str:
    """Return a table as TOML; tables within it come last, with their names in quotation marks."""
    # A JSON string or list is a TOML string or array.
    lines = [f"{key} = {_value(value)}" for key, value in table.items() if not isinstance(value, dict)]
    for key, value in table.items():
        if isinstance(value, dict):
            lines += ["", f"[{key}]", *(f'"{name}" = {_value(each)}' for name, each in value.items())]
    return "\n".join([*lines, ""])


def _value(value: Any) -> str:
    if isinstance(value, dict):
        inner = ", ".join(f'"{name}" = {_value(each)}' for name, each in value.items())
        return f"{{ {inner} }}" if inner else "{}"
    return json.dumps(value, ensure_ascii=False)
