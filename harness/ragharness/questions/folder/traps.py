"""Questions with a false premise: bodies, settings and versions that do not exist, years of which nothing is said."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Literal

from msgspec.structs import replace

from ragharness.questions.folder.absent_topics import BODIES
from ragharness.questions.folder.facts import TECHNICAL_FORMS
from ragharness.questions.folder.wording import draw, worded
from ragharness.records import Distractor

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ragharness.corpus import Corpus
    from ragharness.questions.folder.statements import Statement
    from ragharness.records import Question

OF_PUBLICATIONS = (
    ("addendum to", r"\baddend(?:um|a)\b"),
    ("errata sheet for", r"\berrat(?:um|a)\b"),
    ("supplement to", r"\bsupplements?\b"),
)
"""Texts beside a document that do not exist, with what would name them."""

OF_AGREEMENTS = (("addendum to", r"\baddend(?:um|a)\b"), ("amendment to", r"\bamendments?\b"))
"""The same for contracts."""

_YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")
_BODY = re.compile(
    r"(?<=[ “])(?P<article>the )?(?P<name>(?:[A-Z][\w&’'-]*\s+(?:of\s+|for\s+|and\s+|on\s+|the\s+)*)*(?:[A-Z][A-Z&]{1,7}|Department|Office|Agency|Bureau|Commission|Administration|Service|Board|Council|Committee|Institute|Company|Corporation|Corp|Inc|Group|Bank|Center|Court|Congress|University|Association|Foundation|Ministry|Treasury|Authority)(?:\s+(?:of|for|on)\s+(?:the\s+)?[A-Z][\w&-]*(?:\s+(?:and\s+)?[A-Z][\w&-]*)*)?)(?P<own>['’]s)?(?= [a-z])"
)
_AFTER = re.compile(r"\b(?:did|does|do|was|were|has|had|have|will) $|“$")
"""What stands before the subject of a question, or of a statement that it quotes."""

_NAME_FORMS = frozenset({"default", "version"})
"""Forms whose question turns on the name of a setting or a function."""

_BUMPED = range(4, 40)
"""By how much the last number of a version is raised, until no text has it."""


class Traps:
    """Makes questions with a false premise out of true statements."""

    def __init__(
        self, found: Sequence[Statement], corpus: Corpus, volumes: Sequence[tuple[str, str]]
    ) -> None:
        """``volumes``: what texts beside a document are called, and a pattern that would find them."""
        self._corpus = corpus
        self._volumes = volumes
        names = {_plain(each.turns_on) for each in found if each.form in _NAME_FORMS}
        self._names = sorted(each for each in names if "_" in each)

    def about(self, statement: Statement) -> Iterator[Question]:
        """Yield the traps that a statement gives."""
        if statement.form in _NAME_FORMS:
            yield from self._renamed(statement)
        elif statement.form == "release":
            yield from self._unreleased(statement)
        elif statement.form not in TECHNICAL_FORMS:
            yield from self._swapped(statement)

    def _renamed(self, statement: Statement) -> Iterator[Question]:
        """Yield the question about a name that is made of the parts of two, and that no text has."""
        name = _plain(statement.turns_on)
        head, joint, _ = name.rpartition("_")
        first = int(draw(statement.document.id + statement.topic), 16)
        for step in range(min(len(self._names), _TRIES) if joint else 0):
            tail = self._names[(first + step * 31) % len(self._names)].rpartition("_")[2]
            invented = f"{head}_{tail}"
            if tail.isupper() == head.isupper() and self._unknown(invented):
                text = statement.asked.question.replace(name, invented)
                note = f"there is no {invented}"
                yield from _trap(statement, text, re.escape(invented), note, scope="corpus")
                return

    def _unreleased(self, statement: Statement) -> Iterator[Question]:
        version = _plain(statement.turns_on)
        head, _, last = version.rpartition(".")
        for more in _BUMPED if last.isdecimal() else ():
            invented = f"{head}.{int(last) + more}"
            if invented not in statement.document.text:
                text = statement.asked.question.replace(version, invented)
                note = f"nothing is said of a version {invented}"
                yield from _trap(statement, text, rf"(?<![\d.]){re.escape(invented)}(?!\d)", note)
                return

    def _unknown(self, name: str) -> bool:
        return not any(name.casefold() in each.text.casefold() for each in self._corpus.documents)

    def _swapped(self, statement: Statement) -> Iterator[Question]:
        """Yield the question with a body that does not exist, or with a year of which the document says nothing."""
        document, text = statement.document, statement.asked.question
        if body := body_in(text):
            invented = _invented(statement, self._corpus)
            if invented:
                before, after = text[: body.start()], text[body.end() :]
                article = "The" if before.endswith("“") else "the"
                swapped = f"{before}{article} {invented}{body['own'] or ''}{after}"
                note = f"no such body: {invented}"
                yield from _trap(statement, swapped, re.escape(invented), note, scope="corpus")
            return
        if self._volumes:
            volume, pattern = self._volumes[int(draw(statement.topic + document.id), 16) % len(self._volumes)]
            yield from _trap(statement, text, pattern, f"there is no {volume} it", volume=volume)
        years = _YEAR.findall(text)
        if len(years) == 1 and statement.asked.kind == "number":
            other = next((each for each in _years(int(years[0])) if each not in document.text), "")
            if other:
                swapped, pattern = text.replace(years[0], other), rf"(?<!\d){other}(?!\d)"
                yield from _trap(statement, swapped, pattern, f"nothing is said of {other}")


_TRIES = 40


def body_in(question: str) -> re.Match[str] | None:
    """Return the body that a question is about, if any."""
    bodies = (each for each in _BODY.finditer(question) if _AFTER.search(question[: each.start()]))
    return next(bodies, None)


def _plain(pattern: str) -> str:
    """Return the name that an escaped pattern stands for."""
    return re.sub(r"\\(.)", r"\1", pattern)


def _trap(
    statement: Statement,
    text: str,
    pattern: str,
    note: str,
    *,
    scope: Literal["document", "corpus"] = "document",
    volume: str = "",
) -> Iterator[Question]:
    asked = statement.asked
    true = Distractor(asked.answer, "what was really asked about", statement.evidence)
    for plain in worded(statement.document, statement.topic, asked._replace(question=text), volume):
        yield replace(
            plain,
            stratum="adversarial",
            distractors=(true,),
            absence_patterns=(pattern,),
            absence_scope=scope,
            note=note,
        )


def _years(year: int) -> list[str]:
    """Return the years around one, the nearest first; a later one only where the time has come."""
    return [str(each) for step in range(1, 12) for each in (year - step, year + step)]


def _invented(statement: Statement, corpus: Corpus) -> str:
    """Return the name of a body that no document of the folder mentions; empty where all are."""
    first = int(draw(statement.document.id + statement.topic), 16)
    for step in range(len(BODIES)):
        name = BODIES[(first + step) % len(BODIES)]
        if not any(name.split()[0] in each.text for each in corpus.documents):
            return name
    return ""
