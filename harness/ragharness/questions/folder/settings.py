"""Settings, options and functions that have a heading of their own: defaults and versions."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ragharness.questions.asking.statement import Asked
from ragharness.questions.folder.facts import VERSION, Fact, Line, lines_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_DEFAULT = re.compile(
    r"(?:Default(?: value)?s?(?: to)?|The default(?: value)? is):?\s+(?P<value>\S.{0,60}?)\.?"
)
_ADDED = re.compile(rf"(?:Added|New) in (?:version )?v?(?P<version>{VERSION})\.?(?P<rest>:.*)?")
_DATED = re.compile(r"(?:Added|New|Changed|Deprecated) (?:in|since)\b")
_VALUE = re.compile(r"[\"'“‘]?(?P<bare>[\w./:%+-](?:[\w ./:%+()=,-]*[\w)%])?)[\"'”’]?")
_TITLE = re.compile(r"[A-Z][a-z]+(?: [A-Za-z][a-z]+)+")
"""The heading that follows where a default is left open."""
_NO_VALUE = frozenset(
    {"none", "null", "n/a", "empty", "unset", "not set", "undefined", "no default", "the", "a"}
)
_LOOKED_AT = 8
"""Lines below a name that belong to it, unless another name comes first."""
_FAR = 900
"""Characters from a name to what is said of it, so that one passage may hold both."""


def settings(text: str) -> Iterator[Fact]:
    """Yield what is stated below the headings of names."""
    every = list(lines_of(text))
    for place, line in enumerate(every):
        if line.name:
            below = []
            for each in every[place + 1 : place + 1 + _LOOKED_AT]:
                if each.name or each.end - line.start > _FAR or _is_heading(each.text):
                    break
                below.append(each)
            yield from _of_name(line, below)


def _is_heading(text: str) -> bool:
    """Whether a line looks like the heading of something else."""
    told = any(each.match(text) for each in (_DEFAULT, _DATED))
    return not told and _HEADING.fullmatch(text) is not None


_HEADING = re.compile(r"[A-Z][\w,'’()/-]*(?: [\w,'’()/-]+){0,8}")


def _of_name(line: Line, below: Sequence[Line]) -> Iterator[Fact]:
    name = line.name
    told = f"{name}()" if line.calls else name
    defaults = [(each, found) for each in below if (found := _DEFAULT.fullmatch(each.text))]
    if len(defaults) == 1 and not line.calls and (value := _value(defaults[0][1]["value"])):
        asked = Asked(f"What is the default of {name}?", "text", value)
        yield Fact(asked, line.start, defaults[0][0].end, "default", name, (name.lower(), "default"))
    added = [(each, found) for each in below if (found := _ADDED.fullmatch(each.text))]
    plain = [(each, found) for each, found in added if not found["rest"]]
    if len(added) == 1 and plain and plain[0][0] in below[:_SOON]:
        asked = Asked(f"In which version was {told} added?", "text", plain[0][1]["version"])
        yield Fact(asked, line.start, plain[0][0].end, "version", name, (name.lower(), "version"))


_SOON = 5


def _value(words: str) -> str:
    """Return a value as an answer gives it; empty for one that no rule can compare."""
    found = _VALUE.fullmatch(words.strip().rstrip(".,"))
    bare = found["bare"] if found else ""
    fits = (
        bare.lower() not in _NO_VALUE
        and not _TITLE.fullmatch(bare)
        and len(bare.split()) <= _LONGEST_VALUE
        and re.search(r"\w", bare)
    )
    return (
        bare
        if fits and not re.search(r"\b(?:the|of|it|that|this|value|same|your|see|is|are|if)\b", bare)
        else ""
    )


_LONGEST_VALUE = 3
