"""Sentences about a name of a program: which one does it, and what it requires; what is asked is copied."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ragharness.questions.asking.statement import Asked
from ragharness.questions.folder.content_words import content_words
from ragharness.questions.folder.facts import NAME, Fact, is_name, stands_alone

if TYPE_CHECKING:
    from collections.abc import Iterator

_NOUNS = (
    "option|setting|parameter|argument|attribute|property|method|function|class|command|module|package|flag|variable|"
    "environment variable|decorator|exception|header|middleware|field|key|object|library|signal|hook|extension|filter|"
    "context manager|config key|configuration value|type|interface|subcommand|plugin|directive|handler|backend|fixture|keyword|test|tag"
)
_VERBS = (
    "is used to|is used for|is raised when|is called when|is sent when|returns|specifies|controls|sets|determines|"
    "defines|provides|creates|allows|enables|disables|contains|represents|holds|stores|takes|accepts|raises|handles|reads|"
    "writes|loads|makes|adds|removes|generates|implements|supports|runs|starts|stops|shows|prints|displays|tells|indicates|"
    "configures|registers|converts|parses|wraps|sends|opens|closes|checks|ensures|gives|turns|maps|renders|manages|lets|requires"
)
_SUBJECT = re.compile(
    rf"(?:The\s+)?(?P<name>{NAME})(?:\s+(?P<noun>{_NOUNS}))?\s+(?P<does>(?:{_VERBS})\s[^\n]{{12,170}}?)\.?"
)
_AT_LEAST = re.compile(
    r"(?:The\s+)?(?P<who>[A-Z][\w.-]*\w)\s+(?:officially\s+|currently\s+)?(?P<verb>requires|supports|needs)\s+(?P<what>[A-Z][\w.-]*[a-z])\s+"
    r"(?:version\s+)?(?:>=\s*)?(?P<version>\d+\.\d+(?:\.\d+)?)(?:\s*\+|\s+(?:and|or)\s+(?:newer|later|higher|above|up))"
)

_SHORTEST_ABOUT = 3


def asked_of(sentence: str, start: int) -> Iterator[Fact]:
    """Yield the facts of one sentence."""
    yield from _subject(sentence, start)
    yield from _requirement(sentence, start)


def _subject(sentence: str, start: int) -> Iterator[Fact]:
    found = _SUBJECT.fullmatch(sentence)
    if not found or not is_name(found["name"]):
        return
    name, does = found["name"].removesuffix("()"), found["does"]
    if name.rsplit(".", 1)[-1].lower() in does.lower() or not _tells(does):
        return
    if kind := _which(found):
        yield Fact(Asked(f"{kind} {does}?", "text", name), start, start + len(sentence), "subject", name)


def _which(found: re.Match[str]) -> str:
    """Return what a name is; empty where that is not said: of "what" there may be many."""
    if found["noun"]:
        return f"Which {found['noun']}"
    if found["name"].startswith("--"):
        return "Which option"
    return "Which function or method" if found["name"].endswith("()") else ""


def _requirement(sentence: str, start: int) -> Iterator[Fact]:
    found = _AT_LEAST.match(sentence)
    if found:
        what, who = found["what"], found["who"]
        asked = Asked(
            f"What is the minimum version of {what} that {who} {found['verb']}?", "text", found["version"]
        )
        yield Fact(asked, start, start + len(sentence), "requirement", who, (what.lower(), found["version"]))


_LONGEST = 40


def _tells(words: str) -> bool:
    return (
        stands_alone(words)
        and len(content_words(words)) >= _SHORTEST_ABOUT
        and len(words.split()) <= _LONGEST
    )
