"""Questions that want a refusal: each is a stated fact asked where, or when, nothing is said of it.

Every one is about something that its document does speak of, so that nobody who knows it would be surprised:
a name that it mentions, a version of its own series, a year or a body beside the one that it states.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from ragharness.corpus.loading import Corpus
from ragharness.records import Document, Question
from ragquestions.folder.agreements import OF_PARTIES, TERMS, parties
from ragquestions.folder.facts import NAME, VERSION, is_name, lines_of
from ragquestions.folder.rows import AMOUNT
from ragquestions.folder.silences import (
    Scope,
    Silence,
    draw,
    either,
    refused,
    said_of,
    trap,
    unanswerable,
)
from ragquestions.folder.swaps import Swaps
from ragquestions.wording.statement import Asked

if TYPE_CHECKING:
    from ragquestions.folder.statements import Statement

VOLUMES = (
    ("addendum to", r"\baddend(?:um|a)\b"),
    ("first amendment to", r"\b(?:first|second) amendment\b|\bamendment (?:no|number)\b|\bas amended\b"),
)
"""Texts beside a contract that do not exist, with what would name them."""

_OTHERS = 8
"""Documents of which one statement is asked."""

_STEMS = {
    "default": r"default|initial|unless|\b(?:en|dis)abl",
    "version": r"version|\bnew in\b|\bsince\b|\d\.\d",
    "removed": r"remov|delet|drop|\bgone\b|no longer|deprecat|obsolet|replac|renam",
}
"""What would say something of a name, by what is asked of it."""

_HEADING = re.compile(rf"^\W*(?:[Vv]ersion |[A-Z]\w+ )?v?({VERSION})\b", re.MULTILINE)
_HISTORY = 4
"""Headings with a version from which a text is a history of changes."""

_BESIDE = r"{name}[^\n]*(?:{stems})|(?:{stems})[^\n]*(?::\s*(?:\n[^\n]{{0,80}}){{0,12}}?)?{name}"
"""What is said of a name in its paragraph, or above a list that it stands in."""

_SAYS = re.compile(r"Default|(?:\S+\s+){5}")
"""A line that says something of the name above it: another heading is shorter."""

_SECTION = r"\n(?!default)[^\n_()]{3,60}\n+(?:added|new) in (?:version )?v?\d[^\n]*(?s:.{0,4000})"
"""A version under the heading of a section that a name stands in."""

_ADDED = re.compile(
    rf"Which version (?:added|introduced) (?:the |an? )?(?P<name>{NAME})(?= (?:parameter|argument|option|method|function|class|decorator|attribute|to|for|as|which)\b|\?)"
)


class Refusals:
    """Makes questions without an answer out of the statements of a folder."""

    def __init__(self, found: Sequence[Statement], corpus: Corpus, *, contracts: bool) -> None:
        """``contracts``: whether the folder is one of agreements."""
        self._corpus = corpus
        self._contracts = contracts
        self._swaps = Swaps(corpus)
        self._named = [each for each in corpus.documents if each.handle]
        self._history = {each.id for each in corpus.documents if len(_HEADING.findall(each.text)) >= _HISTORY}
        self._rows: dict[tuple[str, str], set[str]] = {}
        self._versions: dict[str, set[str]] = {}
        told = {each.document.id for each in found if each.form in {"default", "version"}}
        self._references = told - self._history
        for each in found:
            if each.form.startswith("row"):
                self._rows.setdefault((each.document.id, each.form), set()).add(each.turns_on)
            elif each.form == "release":
                listed = _HEADING.findall(each.document.text)
                self._versions.setdefault(each.document.id, set(listed))

    def about(self, statement: Statement) -> Iterator[Question]:
        """Yield the questions that a statement gives."""
        for each in self._elsewhere(statement):
            yield from refused(each)
        if statement.form == "release":
            for each in self._unreleased(statement):
                yield from either(each, statement)
        elif statement.form == "version":
            for each in self._never(statement):
                yield from trap(each, statement)
        elif statement.form in {"", AMOUNT}:
            for each in self._swaps.of_another_year(statement) if statement.asked.kind == "number" else ():
                yield from (*refused(each), *either(each, statement))
            for each in () if statement.form else self._swaps.of_another(statement):
                yield from trap(each, statement)
                if not statement.asked.left:
                    yield from (*refused(each), *unanswerable(each))
        elif self._contracts and statement.form in {"law", "dated", "organised"}:
            for volume, pattern in VOLUMES:
                topic, note = f"{statement.topic} {volume}", f"there is no {volume} it"
                silence = Silence(statement.document, topic, statement.asked, pattern, note, volume=volume)
                yield from trap(silence, statement)

    def of_documents(self) -> Iterator[Question]:
        """Yield what documents of the folder's kind are asked, and these do not say."""
        for document in self._named:
            if self._contracts:
                for topic, (asked, pattern) in TERMS.items():
                    yield from refused(Silence(document, topic, asked, pattern, "not agreed here"))
                for party in parties(document.text):
                    yield from self._of_party(party, document)
            elif self._history and document.id in self._references:
                for silence in self._unversioned(document):
                    yield from refused(silence)
                    if silence.scope == "corpus":
                        yield from unanswerable(silence)

    def _of_party(self, party: str, document: Document) -> Iterator[Question]:
        for topic, (asked, stems) in OF_PARTIES.items():
            told = asked._replace(question=asked.question.replace("{name}", party))
            pattern = said_of(r"\s+".join(map(re.escape, party.split())), stems)
            note = f"nothing of it is said of {party}"
            yield from unanswerable(Silence(document, f"{topic} {party}", told, pattern, note, "corpus"))

    def _elsewhere(self, statement: Statement) -> Iterator[Silence]:
        """Yield the question of one document asked of others, those first that speak most of its subject."""
        home, asked = statement.document.id, statement.asked
        if statement.form == "change" and (added := _ADDED.match(asked.question)):
            asked = asked._replace(question=f"In which version was {added['name']} added?")
            statement = statement._replace(form="version", turns_on=re.escape(added["name"]))
        fits = ((each, self._fit(statement, each)) for each in self._named if each.id != home)
        found = [(-fit[0], draw(each.id + statement.topic), each, fit[1]) for each, fit in fits if fit]
        for _, _, document, pattern in sorted(found, key=lambda each: each[:2])[:_OTHERS]:
            topic = f"of another {draw(asked.question)}"
            yield Silence(document, topic, asked, pattern, f"stated in {home}, not here")

    def _fit(self, statement: Statement, other: Document) -> tuple[int, str] | None:
        """Return how much another document speaks of a statement's subject, and a pattern of what it lacks."""
        form, turns_on = statement.form.split(" ")[0], statement.turns_on
        if form in {"default", "version"}:
            if other.id in self._history:
                return None
            count = len(re.findall(rf"(?<![\w.]){turns_on}(?!\w)", other.text))
            return (count, said_of(turns_on, _STEMS[form])) if count else None
        if form == "release":
            series = re.escape(_plain(turns_on).rpartition(".")[0])
            near = sum(re.match(rf"{series}\.\d+$", each) is not None for each in self._of(other))
            return (near, rf"(?<![\d.]){turns_on}(?![\d.])") if near > 1 else None
        if form == "row":
            shared = (
                self._rows.get((other.id, statement.form), set())
                & self._rows[statement.document.id, statement.form]
            )
            return (len(shared), turns_on) if len(shared) > 1 else None
        if form in {"law", "dated"}:
            return 1, turns_on
        return None

    def _of(self, document: Document) -> set[str]:
        return self._versions.get(document.id, set())

    def _unreleased(self, statement: Statement) -> Iterator[Silence]:
        """Yield the release of a version that would follow the last one of a series that has ended."""
        version, own = _plain(statement.turns_on), self._of(statement.document)
        head, _, last = version.rpartition(".")
        newest = max(own, key=_parts, default="")
        invented = f"{head}.{int(last) + 1}" if last.isdecimal() else ""
        later = [each for each in own if each.startswith(f"{head}.") and _parts(each) > _parts(version)]
        if not invented or later or _parts(version) >= _parts(newest) or newest.startswith(f"{head}."):
            return
        asked = statement.asked._replace(question=statement.asked.question.replace(version, invented))
        pattern = rf"(?<![\d.]){re.escape(invented)}(?!\d)"
        topic, note = f"release {invented}", f"nothing is said of a version {invented}"
        corpus = not any(re.search(pattern, each.text) for each in self._corpus.documents)
        scope: Scope = "corpus" if corpus else "document"
        yield Silence(statement.document, topic, asked, pattern, note, scope)

    def _never(self, statement: Statement) -> Iterator[Silence]:
        """Yield the question when a name was removed that is still there."""
        if not statement.asked.question.endswith(" added?") or " of " in statement.asked.question:
            return
        name, stems = statement.turns_on, _STEMS["removed"]
        # A name may stand on a line of its own: below what is said of several, or above it.
        below = rf"(?:{stems})[^\n]*(?:\n[^\n]{{0,60}}){{0,12}}?{name}"
        pattern = rf"{name}[^\n]*(?:\n[^\n]*){{0,2}}?(?:{stems})|{below}"
        for what in ("removed", "deprecated"):
            asked = statement.asked._replace(
                question=statement.asked.question.replace(" added?", f" {what}?")
            )
            topic, note = f"{statement.topic} {what}", f"it is not said to be {what}"
            yield Silence(statement.document, topic, asked, pattern, note, "corpus")

    def _unversioned(self, document: Document) -> Iterator[Silence]:
        """Yield the version that added a name with a heading of its own, below which none is said."""
        version = re.compile(_STEMS["version"], re.IGNORECASE)
        lines = list(lines_of(document.text))
        heads = [number for number, line in enumerate(lines) if line.name]
        below = zip(heads, [*heads[1:], len(lines)], strict=True)
        dated = [any(version.search(each.text) for each in lines[start:end]) for start, end in below]
        told_of = {lines[number].name for number, told in zip(heads, dated, strict=True) if told}
        of_new = False  # whether the last class is said to be of a version, so that its methods are, too
        for number, told_here in zip(heads, dated, strict=True):
            line = lines[number]
            if line.name[0].isupper() and not line.name.isupper():
                of_new = told_here
            asks = is_name(line.name) and any(
                map(_SAYS.match, (each.text for each in lines[number + 1 : number + 2]))
            )
            if not asks or line.name in told_of or (of_new and line.name.islower()):
                continue
            bare = rf"(?<![\w.]){re.escape(line.name)}(?!\w)"
            listed = any(re.search(bare, self._corpus.document(each).text) for each in self._history)
            told = f"{line.name}()" if line.calls else line.name
            asked = Asked(f"In which version was {told} added?", "text", "")
            beside = _BESIDE.format(name=bare, stems=_STEMS["version"])
            topic, note = f"version of {line.name}", f"no version is said of {told}"
            scope: Scope = "document" if listed else "corpus"
            yield Silence(document, topic, asked, f"{beside}|{_SECTION}{bare}", note, scope)


def _plain(pattern: str) -> str:
    """Return the name that an escaped pattern stands for."""
    return re.sub(r"\\(.)", r"\1", pattern)


def _parts(version: str) -> tuple[int, ...]:
    return tuple(map(int, re.findall(r"\d+", version)))
