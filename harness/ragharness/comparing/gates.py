"""``gate.toml``: what a change must keep to beside the five rules, read and checked."""

from __future__ import annotations

import operator
import re
import sys
from pathlib import Path
from typing import Any, Literal

import msgspec
from msgspec import Struct

from ragharness.errors import UnknownName, UsageError

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

DIFFERENCES = ("corpus", "question_set", "grader", "epochs")
"""What must be the same in both runs, unless it is allowed by name."""

_SHAPE = re.compile(r"\s*([A-Za-z][\w-]*)\s*(<=|>=|=)\s*(.*?)\s*")
_LIMIT = re.compile(r"\s*(<=|>=)?\s*([-+]?\d*\.?\d+(?:[eE][-+]?\d+)?)\s*(%?)\s*")
_SWITCHES = ("no_new_wrong", "allow_refusal_shift", "citation_supports", "calibrated")
_YES = {"yes": True, "true": True, "no": False, "false": False}
_EXAMPLE = "--gates 'no_new_wrong=yes,over_refusal<=0.1', or a gate.toml (docs/gate.md)"


class Gates(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The settings of the gate; the five rules always hold."""

    no_new_wrong: bool = False
    """Reject if any question is newly wrong, also if as many others were fixed."""
    allow_refusal_shift: bool = False
    """A correct answer that becomes a refusal does not count against the change."""
    citation_supports: bool = False
    """The rate of answers whose citations all support may not fall."""
    calibrated: bool = False
    """Both runs must be calibrated by people's labels (``ragharness calibrate RUN``)."""
    epochs: Literal["majority", "any"] = "majority"
    """Which bucket a question has that was asked several times."""
    allow: tuple[str, ...] = ()
    """Differences between the runs that are accepted, by name."""
    thresholds: dict[str, float | str] = {}
    """Limits of the candidate's own figures: a number, or a text such as ``"<= 0.1"``."""


class Limit(Struct, frozen=True):
    """A limit of one figure; without a sign it is meant in the figure's own direction."""

    sign: Literal["", "<=", ">="]
    value: float

    def holds(self, value: float) -> bool:
        """Whether a value keeps to it."""
        return bool((operator.le if self.sign == "<=" else operator.ge)(value, self.value))


def read_gates(text: str) -> Gates:
    """Return the gates from a file's path or from ``name=value,...``; raises UsageError."""
    if not text.strip():
        return Gates()
    if text.endswith(".toml") or Path(text).is_file():
        return _checked(_from_file(Path(text)), text)
    values: dict[str, Any] = {"thresholds": {}}
    for part in filter(str.strip, text.split(",")):
        found = _SHAPE.fullmatch(part)
        if found is None:
            raise UsageError(f"expected name=value, found {part.strip()!r}", help=_EXAMPLE)
        name, sign, value = found[1].replace("-", "_"), found[2], found[3]
        if name in values or name in values["thresholds"]:
            raise UsageError(f"expected {name} once, found it twice", help=_EXAMPLE)
        if name in _SWITCHES and value.lower() not in _YES:
            raise UsageError(f"expected {name}=yes or no, found {value!r}", help=_EXAMPLE)
        if name in _SWITCHES:
            values[name] = _YES[value.lower()]
        elif name == "allow":
            values[name] = value.split("+")
        elif name == "epochs":
            values[name] = value
        else:
            values["thresholds"][name] = value if sign == "=" else f"{sign}{value}"
    return _checked(values, "--gates")


def limit_of(name: str, given: float | str) -> Limit:
    """Return a threshold as it was given; raises UsageError."""
    found = _LIMIT.fullmatch(str(given))
    if found is None:
        raise UsageError(f"expected {name} with a limit such as 0.1, <= 0.1 or >= 90%, found {given!r}")
    sign: Any = found[1] or ""
    return Limit(sign, float(found[2]) / (100 if found[3] else 1))


def _from_file(path: Path) -> Any:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise UsageError(f"expected a readable {path}, found: {reason}", help=_EXAMPLE) from error


def _checked(values: Any, where: str) -> Gates:
    for name in values:
        if name not in Gates.__struct_fields__:
            raise UnknownName("setting of the gate", name, Gates.__struct_fields__)
    try:
        gates = msgspec.convert(values, Gates)
    except msgspec.ValidationError as error:
        raise UsageError(f"expected gates in {where}, found: {error}", help=_EXAMPLE) from error
    for name in gates.allow:
        if name not in DIFFERENCES:
            raise UnknownName("difference to allow", name, DIFFERENCES)
    for name, given in gates.thresholds.items():
        limit_of(name, given)
    return gates
