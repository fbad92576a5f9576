"""Citation marks in an answer: found, resolved to passage ids, and kept in the text as single characters."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from ragharness.language.patterns import regex
from ragharness.language.tables import phrases

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_FIRST = 0xE000
_MOST = 6000
MARK = regex("[\ue000-\uf8ff]")
"""A citation mark inside a marked text; ``Marked.ids`` tells what it stands for."""

_BRACKET = regex(r"\[{1,2}([^\[\]\n]{1,300})\]{1,2}(?:\(([^()\n]{0,300})\))?")
_SPLIT = regex(r"\s*(?:[,;|&/]|\band\b)\s*")
_LABEL = regex(rf"^(?:{phrases('answers', 'citation_labels')}\b\.?\s*[:#]?\s*)+", re.IGNORECASE)
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
    rf"\(\s*(?:{phrases('answers', 'wrapping')}\b[:.]?\s*|[,;:&\s])*"
    "((?:[\ue000-\uf8ff][\\s,;&]*(?:and\\s+)?)+)\\)",
    re.IGNORECASE,
)
_AFTER_STOP = regex("([.!?。][\"'”’)*_]*)[ \\t]*((?:[\ue000-\uf8ff][ \\t,;]*)+)(?![ \\t]*[a-zà-ÿ])")
_LIST_NUMBER = regex(r"(?:^|\n)[ \t]*\(?\w{1,2}$")
_STRIPPED = " \t\"'`*_.†“”’‘"


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
        token = token.strip(_STRIPPED)
        if "†" in token:
            return next((ids for piece in token.split("†")[::-1] if (ids := self.one(piece))), [])
        bare = _LABEL.sub("", token).strip()
        for name in (token, bare):
            if name.casefold() in self.by_fold:
                return [self.by_fold[name.casefold()]]
        if number := _NUMBERED.match(bare):
            return self._numbered(number[1])
        if (span := _RANGE.match(bare)) and int(span[1]) < int(span[2]) <= int(span[1]) + 30:
            places = range(int(span[1]), int(span[2]) + 1)
            return [id_ for place in places for id_ in self._numbered(str(place))]
        if bare.lstrip("^") in self.definitions:
            return [self.definitions[bare.lstrip("^")]]
        return [bare] if _LOOKS_LIKE_ID.match(bare) and not _NOT_AN_ID.match(bare) else []

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
        return self.one(inside) or [id_ for token in _SPLIT.split(inside) for id_ in self.one(token)]

    def define(self, text: str) -> str:
        """Read footnotes and source lists ("[1]: p4", "[^a]: see p4") and take them out of the text."""
        if not _DEFINITION.search(text):
            return text
        uses = Counter(_USE.findall(text))
        bare = _bare_ids(self.known, text)

        def read(found: re.Match[str]) -> str:
            named = bare.search(found[2]) if bare else None
            if uses[found[1]] < 2 or not named:
                return found[0]
            self.definitions[found[1]] = named[0]
            return ""

        return _DEFINITION.sub(read, text)


def _bare_ids(known: Sequence[str], text: str) -> re.Pattern[str] | None:
    """Match the known ids that stand in a text without brackets: those with a digit and a letter or #."""
    marked = [each for each in known if each in text and _NAMED.search(each)]
    if not marked:
        return None
    names = "|".join(re.escape(each) for each in sorted(marked, key=lambda each: (-len(each), each)))
    return re.compile(rf"(?<![\w#-])(?:{names})(?![\w#]|[-.]\w)")


def resolve(citations: Sequence[str], known: Sequence[str]) -> tuple[tuple[str, ...], bool]:
    """Return the ids that a list of citations names, and whether bare numbers were read as places."""
    resolver = _Resolver(known)
    tokens = filter(None, (each.strip().strip("[]()") for each in citations))
    ids = [id_ for token in tokens for id_ in resolver.one(token) or [token]]
    return tuple(dict.fromkeys(ids)), resolver.positional


def mark(text: str, known: Sequence[str]) -> Marked:
    """Replace the citations of a text by marks; a mark after a full stop moves before it.

    ``known``: the ids of the retrieved passages; bare numbers are places in it unless ids are numbers.
    """
    resolver = _Resolver(known)
    ids: list[str] = []

    def put(found: Sequence[str]) -> str:
        first = len(ids)
        ids.extend(found[: max(0, _MOST - len(ids))])
        return "".join(chr(_FIRST + place) for place in range(first, len(ids)))

    def bracket(found: re.Match[str]) -> str:
        target = found[2]
        if target and (link := resolver.by_fold.get(target.strip(" #").casefold())):
            return found[1] + put([link])
        return put(resolver.many(found[1])) or (found[0] if target is None else found[1])

    if "[" in text:
        text = _BRACKET.sub(bracket, resolver.define(text))
    if bare := _bare_ids(known, text):
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


def without_labels(text: str, titles: Iterable[str]) -> str:
    """Return the text with "this document" for titles right before a citation mark: they name its passage.

    ``"Annual Report 2023" [annual-1#4]`` cites a passage; it states neither a report nor a year.
    """
    # The longest first: a title may begin another one.
    named = sorted(
        {each for each in titles if each.strip() and each in text}, key=lambda each: (-len(each), each)
    )
    if not named:
        return text
    any_title = "|".join(map(re.escape, named))
    label = rf"[\"'“”‘«„*_(]{{0,4}}(?:{any_title})[\"'“”’»*_)]{{0,4}}[ \t,:–—-]{{0,3}}(?=[\[\u3010])"
    return re.sub(label, "this document ", text)
