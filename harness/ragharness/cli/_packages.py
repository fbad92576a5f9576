"""Installed and required packages, read from their metadata without importing them."""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, requires, version
from importlib.util import find_spec

DISTRIBUTION = "ragharness"

_REQUIREMENT = re.compile(r"([A-Za-z0-9._-]+)\s*(?:>=\s*([0-9.]+))?[^;]*(?:;\s*(.*))?")
_EXTRA = re.compile(r"extra\s*==\s*['\"]([^'\"]+)['\"]")
_PYTHON_BELOW = re.compile(r"python_version\s*<\s*['\"](\d+)\.(\d+)['\"]")

_MODULES = {"faiss-cpu": "faiss"}
"""Packages whose import name is not theirs with underscores."""


@dataclass(frozen=True)
class Package:
    """One requirement, and the version that is here: empty for none, ``?`` where it does not say."""

    name: str
    least: str
    extra: str
    here: str

    @property
    def is_old(self) -> bool:
        """Whether it is here in a version that is too old."""
        return bool(self.here) and _numbers(self.here) < _numbers(self.least)


def packages() -> list[Package] | None:
    """Return every package that is asked for, those of the base with the extra ""; None: not installed."""
    try:
        texts = requires(DISTRIBUTION) or []
    except PackageNotFoundError:
        return None
    return [package for text in texts if (package := _read(text)) is not None]


def installed(name: str) -> str:
    """Return the version of a package that is here, "?" where it does not say, else an empty text."""
    try:
        return version(name)
    except PackageNotFoundError:
        # Other installers bring the module without the metadata that pip writes.
        return "?" if find_spec(_MODULES.get(name, name.replace("-", "_"))) else ""


def _read(text: str) -> Package | None:
    found = _REQUIREMENT.match(text)
    if found is None:
        return None
    name, least, marker = found[1], found[2] or "", found[3] or ""
    below = _PYTHON_BELOW.search(marker)
    if below and sys.version_info >= (int(below[1]), int(below[2])):
        return None
    extra = _EXTRA.search(marker)
    return Package(name, least, extra[1] if extra else "", installed(name))


def _numbers(written: str) -> tuple[int, ...]:
    """Return a version as numbers up to the first part that is none; an unknown one counts as new enough."""
    if written == "?":
        return (sys.maxsize,)
    numbers: list[int] = []
    for part in written.split("."):
        digits = re.match(r"\d+", part)
        if digits is None:
            break
        numbers.append(int(digits[0]))
        if digits[0] != part:
            break
    while numbers and not numbers[-1]:
        numbers.pop()
    return tuple(numbers)
