"""Settings, options and functions that have a heading of their own: defaults and versions."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ragharness.questions.asking.statement import Asked
from ragharness.questions.folder.facts import NAME, VERSION, Fact, Line, is_name, lines_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_DEFAULT = re.compile(
    r"(?:Default(?: value)?s?(?: to)?|The default(?: value)? is):?\s+(?P<value>\S.{0,60}?)\.?"
)
_INLINE = re.compile(
    rf"(?:The\s+)?(?P<name>{NAME})(?:\s+(?:option|parameter|argument|setting|attribute|flag|key|variable|keyword))?"
    r"(?:\s+(?:is|has)\s[^.;]{3,80}?,?\s+and)?\s+defaults\s+to\s+(?P<value>[^\s,;]+(?:\s[^\s,;]+){0,3}?)(?=\.?$|,|\s(?:and|if|when|but|which|for|in)\b)"
)
_ADDED = re.compile(rf"(?:Added|New) in (?:version )?v?(?P<version>{VERSION})\.?(?P<rest>:.*)?")
_DEPRECATED = re.compile(rf"Deprecated (?:since|in) (?:version )?v?(?P<version>{VERSION})(?P<rest>\W.*)?")
_PART = re.compile(
    rf"(?:Added|Changed|New) in (?:version )?v?(?P<version>{VERSION}):\s+(?:Added\s+(?:the\s+)?(?P<one>[a-z]\w+|{NAME})\s+(?P<kind>parameter|argument|option|method|attribute|keyword)"
    rf"|The\s+(?P<other>[a-z]\w+|{NAME})\s+(?P<sort>parameter|argument|option|method|attribute|keyword)\s+(?:was|has been)\s+added)\.?"
)
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
    """Yield what is stated below the headings of names, and defaults that a sentence states."""
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
    told = any(each.match(text) for each in (_DEFAULT, _ADDED, _DEPRECATED, _PART))
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
    for each in below:
        if found := _DEPRECATED.fullmatch(each.text):
            asked = Asked(f"Since which version has {told} been deprecated?", "text", found["version"])
            yield Fact(asked, line.start, each.end, "version", name, (name.lower(), "deprecated"))
        elif found := _PART.fullmatch(each.text):
            part, kind = found["one"] or found["other"], found["kind"] or found["sort"]
            asked = Asked(
                f"In which version was the {kind} {part} of {told} added?", "text", found["version"]
            )
            yield Fact(asked, line.start, each.end, "version", name, (name.lower(), part.lower(), "version"))


_SOON = 5


def inline_default(sentence: str, start: int) -> Iterator[Fact]:
    """Yield the default that one sentence states of the name that it begins with."""
    found = _INLINE.match(sentence)
    if found and is_name(found["name"]) and (value := _value(found["value"])):
        name = found["name"]
        asked = Asked(f"What does {name} default to?", "text", value)
        yield Fact(asked, start, start + len(sentence), "default", name, (name.lower(), "default"))


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
