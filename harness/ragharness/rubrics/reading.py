"""Reads a rubric's file: YAML with the line of every value, no construct that could surprise."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from ragharness.errors import RubricNotUsable
from ragharness.rubrics.rubric import Rubric

_LONGEST = 1_000_000
_PLACE = re.compile(r" - at `(?:key in )?([^`]*)`$")


class Loaded(NamedTuple):
    """A rubric and where each of its values stands."""

    rubric: Rubric
    lines: dict[str, int]
    """The line of each value by its path: ``$.dimensions[0].weight``."""
    text: str
    path: Path

    def line(self, place: str) -> int:
        """Return the line of a value, of what it belongs to where it is missing."""
        while place and place not in self.lines:
            place = place[: max(place.rfind("."), place.rfind("["))]
        return self.lines.get(place, 1)


def read_rubric(path: Path) -> Loaded:
    """Return the rubric of a file; raises RubricNotUsable with line, expected and found."""
    try:
        with path.open("rb") as file:
            content = file.read(_LONGEST + 1)
        text = content.decode("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise RubricNotUsable(f"expected a rubric in UTF-8 at {path}, found: {error}") from error
    if len(content) > _LONGEST:
        raise RubricNotUsable(f"expected a rubric of at most {_LONGEST:,} bytes, found more in {path}")
    return parse(text, path)


def parse(text: str, path: Path) -> Loaded:
    """Return the rubric of a text; ``path`` names it in errors. Raises RubricNotUsable."""
    import yaml

    lines: dict[str, int] = {"$": 1}
    try:
        _refuse_references(text, path)
        _note(yaml.compose(text, Loader=yaml.SafeLoader), "$", lines, path)
        plain = yaml.safe_load(text)
    except yaml.YAMLError as error:
        mark: Any = getattr(error, "problem_mark", None)
        said = getattr(error, "problem", None) or str(error).splitlines()[0]
        raise _refused(path, mark.line + 1 if mark is not None else 1, "YAML", str(said)) from error
    except (RecursionError, ValueError, OverflowError, TypeError, AttributeError) as error:
        raise _refused(path, 1, "a rubric", f"what YAML cannot build: {error}") from error
    try:
        rubric = msgspec.convert(plain, Rubric)
    except msgspec.ValidationError as error:
        told = str(error)
        place = _PLACE.search(told)
        line = Loaded(Rubric(), lines, text, path).line(place[1] if place else "$")
        raise RubricNotUsable(f"{path}, line {line}: {told[:1].lower()}{told[1:]}", help=_HELP) from error
    return Loaded(rubric, lines, text, path)


_HELP = "docs/rubrics.md lists the fields of a rubric"


def _refused(path: Path, line: int, expected: str, found: str) -> RubricNotUsable:
    return RubricNotUsable(f"{path}, line {line}: expected {expected}, found {found}", help=_HELP)


def _refuse_references(text: str, path: Path) -> None:
    """Raise for a value that stands for another: a few lines of them unfold to gigabytes."""
    import yaml

    for event in yaml.parse(text, Loader=yaml.SafeLoader):
        mark: Any = event.start_mark
        if isinstance(event, yaml.AliasEvent):
            raise _refused(path, mark.line + 1, "every value written out", f"*{event.anchor}")


def _note(node: Any, place: str, lines: dict[str, int], path: Path) -> None:
    """Note the line of every value below a node; raises RubricNotUsable for a field given twice."""
    import yaml

    if node is None:
        raise _refused(path, 1, "a rubric", "an empty file")
    lines.setdefault(place, node.start_mark.line + 1)
    if isinstance(node, yaml.SequenceNode):
        for number, each in enumerate(node.value):
            _note(each, f"{place}[{number}]", lines, path)
    elif isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            name, line = f"{place}.{key.value}", key.start_mark.line + 1
            if name in lines:
                raise _refused(path, line, f"{key.value} once", "it twice")
            lines[name] = line
            _note(value, name, lines, path)
