"""Settings as ``name=value``, read by type, where unknown ones are errors; and files in TOML."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from ragharness.errors import UnknownName, UsageError

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

_LONGEST_LINE = 10_000  # characters: a name of many parts is read in quadratic time, and stands on one line
_YES, _NO = ("yes", "true", "on", "1"), ("no", "false", "off", "0")


class Options:
    """Named settings; after reading them, ``finish`` refuses those that nothing asked for."""

    def __init__(
        self,
        values: Mapping[str, str] | None = None,
        *,
        flag: str = "--option",
        on_progress: Callable[..., None] | None = None,
        offline: bool = False,
        prefix: str = "",
    ) -> None:
        """``prefix``: part of each name where the user writes it."""
        self._values = dict(values or {})
        self._names_read: list[str] = []
        self._flag = flag
        self._prefix = prefix
        self.on_progress = on_progress
        """Called as (what, done, total[, unit]) during long preparation; without a unit they are bytes."""
        self.offline = offline  # whether nothing may be fetched

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
                raise UsageError(f"{flag} takes NAME=VALUE, not {text!r}")
            if name in values:
                raise UsageError(f"{flag} {name}=... is given twice")
            values[name] = value
        return cls(values, flag=flag, on_progress=on_progress, offline=offline)

    def written(self, name: str) -> str:
        """A setting as the user writes it, up to its value."""
        return f"{self._flag} {self._prefix}{name}="

    def text(self, name: str, default: str = "") -> str:
        """A setting as it was given."""
        self._names_read.append(name)
        return self._values.get(name, default)

    def starting(self, prefix: str) -> dict[str, str]:
        """The settings whose names begin so, by the remainder of their names in alphabetical order."""
        names = sorted(name for name in self._values if name.startswith(prefix) and name != prefix)
        self._names_read += [f"{prefix}...", *names]
        return {name.removeprefix(prefix): self._values[name] for name in names}

    def choice(self, name: str, default: str, choices: Iterable[str]) -> str:
        """A setting that is one of the choices; raises UnknownName."""
        value = self.text(name, default)
        if value not in (names := list(choices)):
            raise UnknownName(name, value, names)
        return value

    def whole(self, name: str, default: int, least: int = 0) -> int:
        """A whole number of at least ``least``; raises UsageError."""
        value = self.text(name, str(default)).replace("_", "")
        if len(value) > 18 or not value.removeprefix("-").isdecimal() or int(value) < least:
            raise UsageError(f"{self.written(name)} takes a whole number from {least}, not {value!r}")
        return int(value)

    def number(self, name: str, default: float, least: float = 0.0) -> float:
        """A finite number of at least ``least``; raises UsageError."""
        value = self.text(name, repr(default))
        try:
            number = float(value)
        except ValueError:
            number = math.nan
        if not least <= number < math.inf:
            raise UsageError(f"{self.written(name)} takes a number from {least:g}, not {value!r}")
        return number

    def flag(self, name: str, default: bool) -> bool:
        """Yes or no; raises UsageError."""
        value = self.text(name, "yes" if default else "no").lower()
        if value not in _YES + _NO:
            raise UsageError(f"{self.written(name)} takes yes or no, not {value!r}")
        return value in _YES

    def finish(self, what: str) -> None:
        """Raise UnknownName for a setting that nothing asked for; ``what`` takes the settings."""
        for name in self._values:
            if name not in self._names_read:
                if not self._names_read:
                    raise UsageError(f"{what} takes no settings such as {self.written(name)}...")
                raise UnknownName(f"setting of {what}", name, self._names_read)


def read_toml(path: str | Path, example: str) -> dict[str, Any]:
    """The content of a file of settings; raises UsageError with ``example`` as the next step."""
    try:
        text = Path(path).read_text(encoding="utf-8")
        if any(len(line) > _LONGEST_LINE for line in text.splitlines()):
            raise ValueError(f"a line of more than {_LONGEST_LINE:,} characters")  # noqa: TRY301
        table: dict[str, Any] = tomllib.loads(text)
    except (OSError, ValueError, RecursionError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise UsageError(f"cannot read {path}: {reason}", help=example) from error
    return table


def to_toml(table: dict[str, Any]) -> str:
    """A table as TOML; tables within it come last, with their names in quotation marks."""
    # A JSON string or list is a TOML string or array.
    lines = [f"{key} = {_value(value)}" for key, value in table.items() if not isinstance(value, dict)]
    for key, value in table.items():
        if isinstance(value, dict):
            lines += ["", f"[{key}]", *(f'"{name}" = {_value(inner)}' for name, inner in value.items())]
    return "\n".join([*lines, ""])


def _value(value: Any) -> str:
    if isinstance(value, dict):
        pairs = ", ".join(f'"{name}" = {_value(inner)}' for name, inner in value.items())
        return f"{{ {pairs} }}" if pairs else "{}"
    return json.dumps(value, ensure_ascii=False)
