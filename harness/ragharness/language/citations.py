# ruff: noqa: E501 (a pattern reads better with one group of alternatives a line)
"""Citation marks in an answer: found, resolved to passage ids, and kept in the text as single characters."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from ragharness.language.patterns import regex

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_FIRST = 0xE000
_MOST = 6000
MARK = regex("[\ue000-\uf8ff]")
"""A citation mark inside a marked text; ``Marked.ids`` tells what it stands for."""

_BRACKET = regex(r"\[{1,2}([^\[\]\n]{1,300})\]{1,2}(?:\(([^()\n]{0,300})\))?")
_PAREN = regex(r"\(([^()\[\]\n]{1,200})\)")
_SPLIT = regex(r"\s*(?:[,;|&/]|\band\b|\by\b|\bund\b|\bet\b)\s*")
_PREFIX = regex(
    r"^(?:(?:see|cf\.?|also|source|sources|passage|passages|doc|document|documents|ref|reference|chunk|context|id|citation|cited|per|from|snippet|excerpt|"
    r"fuente|fuentes|pasaje|quelle|quellen|siehe|voir|passage\s+id|vgl\.?)\b\.?\s*[:#]?\s*)+",
    re.IGNORECASE,
)
_NUMBERED = regex(r"^\^?(\d{1,3})$")
_RANGE = regex(r"^(\d{1,3})\s*[-–]\s*(\d{1,3})$")
_LOOKS_LIKE_ID = regex(r"^(?=[^\s]*\d)(?=[^\s]*[A-Za-z#_])[\w.:#/@+-]{2,100}$")
_HASHED = regex(r"(?<![\w#/&])[A-Za-z][\w.:-]{0,80}#\d{1,6}\b")
_NAMED = regex(r"(?=.*\d)(?=.*(?:[^\W\d]|#)).{2,}", re.DOTALL)
_NOT_AN_ID = regex(
    r"^(?:Q[1-4]|[FC]Y\W?\d{2,4}|\d+(?:st|nd|rd|th|[kmbx%])|v\d[\d.]*|[A-Z]{1,3}\$[\d.,]+.*)$", re.IGNORECASE
)
_DEFINITION = regex(r"^[ \t]*(?:[-*][ \t]*)?\[\^?(\w{1,10})\][:.]?[ \t]+([^\n]{1,600})$", re.MULTILINE)
_USE = regex(r"\[\^?(\w{1,10})\]")
_WRAPPED = regex(
    "\\(\\s*(?:(?:see|source|sources|cf\\.?|ref|per|from|passage|passages|citation|citations|also|and|quelle|siehe|fuente|voir|véase|ver|vgl\\.?)\\b[:.]?\\s*|[,;:&\\s])*"
    "((?:[\ue000-\uf8ff][\\s,;&]*(?:and\\s+)?)+)\\)",
    re.IGNORECASE,
)
_AFTER_STOP = regex("([.!?。][\"'”’)*_]*)[ \\t]*((?:[\ue000-\uf8ff][ \\t,;]*)+)(?![ \\t]*[a-zà-ÿ])")
_UNNAMED = "this document "
_OPENING = "\"'“”‘«„*_("
_TO_MARK = regex(r"[\"'“”’»*_)]*[ \t,:–—-]{0,3}[\[\u3010]")
_LIST_NUMBER = regex(r"(?:^|\n)[ \t]*\(?\w{1,2}$")
_NUMBER_WORD_BEFORE = regex(r"[a-z]+\s*$", re.IGNORECASE)


class Marked(NamedTuple):
    """A text in which each citation is one character of the private-use area."""

    text: str
    ids: tuple[str, ...]
    """The id behind each mark, in order of the characters from U+E000 on."""
    positional: bool
    """Whether bare numbers were read as places in the list of passages."""

    def cited(self, piece: str) -> tuple[str, ...]:
        """Return the ids cited in a piece of the marked text, in order, each once."""
        found = (self.ids[ord(mark) - _FIRST] for mark in MARK.findall(piece))
        return tuple(dict.fromkeys(found))


class _Resolver:
    """Turns the inside of a mark into ids."""

    def __init__(self, known: Sequence[str]) -> None:
        self.known = known
        self.by_fold = {each.casefold(): each for each in reversed(known)}
        self.integers = any(each.isdigit() for each in known)
        self.definitions: dict[str, str] = {}
        self.positional = False

    def one(self, token: str) -> list[str]:
        """Return the ids that one token names; nothing when it is no citation."""
        token = token.strip(" \t\"'`*_.†“”’‘")
        if "†" in token:
            return next((ids for piece in token.split("†")[::-1] if (ids := self.one(piece))), [])
        if (found := self.by_fold.get(token.casefold())) is not None:
            return [found]
        bare = _PREFIX.sub("", token).strip()
        if bare != token and (found := self.by_fold.get(bare.casefold())) is not None:
            return [found]
        number = _NUMBERED.match(bare)
        if number:
            return self._numbered(number[1])
        if (span := _RANGE.match(bare)) and int(span[1]) < int(span[2]) <= int(span[1]) + 30:
            return [
                id_ for place in range(int(span[1]), int(span[2]) + 1) for id_ in self._numbered(str(place))
            ]
        if bare.lstrip("^") in self.definitions:
            return [self.definitions[bare.lstrip("^")]]
        if bare and _LOOKS_LIKE_ID.match(bare) and not _NOT_AN_ID.match(bare):
            return [bare]
        return []

    def _numbered(self, digits: str) -> list[str]:
        if digits in self.definitions:
            return [self.definitions[digits]]
        if self.integers:
            return [digits]
        self.positional = True
        place = int(digits)
        return [self.known[place - 1]] if 1 <= place <= len(self.known) else [digits]

    def many(self, inside: str) -> list[str]:
        """Return the ids that the inside of a mark names."""
        whole = self.one(inside)
        if whole:
            return whole
        ids = [id_ for token in _SPLIT.split(inside) for id_ in self.one(token)]
        if not ids and " " in inside.strip():
            each = [self.one(token) for token in inside.split()]
            ids = [id_ for found in each for id_ in found] if all(each) else []
        return ids

    def certain(self, inside: str) -> list[str]:
        """Like ``many`` for round brackets, where only known ids and ids with a # are citations."""
        ids: list[str] = []
        whole = self.by_fold.get(_PREFIX.sub("", inside.strip()).casefold())
        if whole and not (whole.isdigit() and inside.strip() == whole):
            return [whole]
        labelled = _PREFIX.match(inside.strip())
        for token in _SPLIT.split(inside):
            bare = _PREFIX.sub("", token.strip(" .\"'`*_")).strip()
            known = self.by_fold.get(bare.casefold())
            if known and (not known.isdigit() or labelled):
                ids.append(known)
            elif _HASHED.fullmatch(bare):
                ids.append(bare)
            elif (
                labelled
                and _NUMBERED.match(bare)
                and not re.match(r"\s*(?:see|per|from|id|also)\b", inside, re.IGNORECASE)
            ):
                ids.extend(self._numbered(bare))
        return ids


def _bare_ids(known: Sequence[str], text: str) -> re.Pattern[str] | None:
    """Match known ids that stand in running text without brackets: those with both a digit and a letter or #."""
    marked = [each for each in known if each in text and _NAMED.search(each)]
    if not marked:
        return None
    names = "|".join(re.escape(each) for each in sorted(marked, key=lambda each: (-len(each), each)))
    return re.compile(rf"(?<![\w#-])(?:{names})(?![\w#]|[-.]\w)")


def resolve(citations: Sequence[str], known: Sequence[str]) -> tuple[tuple[str, ...], bool]:
    """Return the ids that a list of citations names, and whether bare numbers were read as places."""
    resolver = _Resolver(known)
    ids: list[str] = []
    for each in citations:
        token = each.strip().strip("[]()")
        ids += resolver.one(token) or ([token] if token else [])
    return tuple(dict.fromkeys(ids)), resolver.positional


def mark(text: str, known: Sequence[str]) -> Marked:
    """Replace the citations of a text by marks; a mark after a full stop moves before it.

    ``known`` are the ids of the retrieved passages, in order: bare numbers mean places in it when no id is an integer.
    """
    resolver = _Resolver(known)
    ids: list[str] = []

    def put(found: list[str]) -> str:
        first = len(ids)
        ids.extend(found[: max(0, _MOST - len(ids))])
        return "".join(chr(_FIRST + place) for place in range(first, len(ids)))

    def bracket(found: re.Match[str]) -> str:
        named = resolver.many(found[1])
        if found[2] is not None:
            link = resolver.by_fold.get(found[2].strip(" #").casefold())
            if link:
                return put([link]) if named else found[1] + put([link])
            return put(named) if named else f"{found[1]}"
        return put(named) if named else found[0]

    def paren(found: re.Match[str]) -> str:
        named = resolver.certain(found[1])
        return put(named) if named else found[0]

    if "[" in text:
        text = _define(text, resolver)
        text = _BRACKET.sub(bracket, text)
    if "(" in text:
        text = _PAREN.sub(paren, text)
    bare = _bare_ids(known, text)
    if bare is not None:
        text = bare.sub(lambda found: put([found[0]]), text)
    if "#" in text:
        text = _HASHED.sub(lambda found: put([found[0]]), text)
    if ids:
        text = _WRAPPED.sub(lambda found: "".join(MARK.findall(found[1])), text)
        text = _AFTER_STOP.sub(_before_stop, text)
    return Marked(text, tuple(ids), resolver.positional)


def _before_stop(found: re.Match[str]) -> str:
    """Put the marks behind a full stop before it, unless the stop belongs to the number of a list item."""
    if _LIST_NUMBER.search(found.string, max(0, found.start() - 8), found.start()):
        return found[0]
    return "".join(MARK.findall(found[2])) + found[1] + " "


def _define(text: str, resolver: _Resolver) -> str:
    """Read footnotes and numbered source lists ("[1]: p4", "[^a]: see p4") and take them out of the text."""
    if not _DEFINITION.search(text):
        return text
    uses = Counter(_USE.findall(text))

    def read(found: re.Match[str]) -> str:
        label, rest = found[1], found[2]
        used = uses[label] > 1
        bare = _bare_ids(resolver.known, rest)
        named = (bare.search(rest) if bare else None) or _HASHED.search(rest)
        inner = _BRACKET.search(rest)
        target = named[0] if named else next(iter(resolver.many(inner[1])), "") if inner else ""
        if not (used and target) or label.casefold() in resolver.by_fold:
            return found[0]
        resolver.definitions[label] = target
        return ""

    return _DEFINITION.sub(read, text)


def without_labels(text: str, titles: Iterable[str]) -> str:
    """Return the text with "this document" for titles right before a citation mark: they name its passage.

    ``"Annual Report 2023" [annual-1#4]`` cites a passage; it states neither a report nor a year.
    """
    if "[" not in text and "\u3010" not in text:
        return text
    # The longest first: a title may begin another one.
    for title in sorted(set(titles), key=lambda title: (-len(title), title)):
        place = text.find(title) if title.strip() else -1
        while place >= 0:
            end = place + len(title)
            mark = _TO_MARK.match(text, end)
            if mark:
                before = text[:place].rstrip(_OPENING)
                end = len(before) + len(_UNNAMED)
                text = before + _UNNAMED + text[mark.end() - 1 :]
            place = text.find(title, end)
    return text
