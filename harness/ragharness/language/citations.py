"""Citation marks in an answer: found, resolved to passage ids, and kept in the text as single characters."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from ragharness.language.tables import phrases, regex

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_FIRST = 0xE000
_MOST = 6000
MARK = regex("[\ue000-\uf8ff]")
"""A citation mark inside a marked text; ``Marked.ids`` tells what it stands for."""

_BRACKET = regex(r"\[{1,2}([^\[\]\n]{1,300})\]{1,2}(?:\(([^()\n]{0,300})\))?")
_SPLIT = regex(r"\s*(?:[,;|&/†]|\band\b)\s*")
_LABEL = regex(rf"^(?:{phrases('answers', 'citation_labels')}\b\.?\s*[:#]?\s*)+", re.IGNORECASE)
_NUMBERED = regex(r"(\d{1,3})(?:\s*[-–]\s*(\d{1,3}))?")
_LOOKS_LIKE_ID = regex(r"(?=.*\d)(?=.*[A-Za-z#_])(?!(?:Q|FY|CY)\d+$)[\w.:#/@+-]{2,100}", re.IGNORECASE)
_HASHED = r"[A-Za-z][\w.:-]{0,80}#\d{1,6}\b"
_NAMED = regex(r"(?=.*\d)(?=.*(?:[^\W\d]|#)).{2,}", re.DOTALL)
_DEFINITION = regex(r"^[ \t]*(?:[-*][ \t]*)?\[\^?(\w{1,10})\][:.]?[ \t]+([^\n]{1,600})$", re.MULTILINE)
_USE = regex(r"\[\^?(\w{1,10})\]")
_WRAPPED = regex(
    rf"\(\s*(?:{phrases('answers', 'wrapping')}\b[:.]?\s*)?([\ue000-\uf8ff,; ]+)\)", re.IGNORECASE
)
_AFTER_STOP = regex(
    "([.!?](?<!^\\d.)(?<!\n\\d.)['\"”’)*_]*)[ \\t]*((?:[\ue000-\uf8ff][ \\t,;]*)+)(?![ \\t]*[a-z])"
)
_STRIPPED = " \t\"'`*_.^“”’‘"


class Marked(NamedTuple):
    """A text in which each citation is one character of the private-use area."""

    text: str
    ids: tuple[str, ...]
    """The id behind each mark, in order of the characters from U+E000 on."""
    positional: bool
    """Whether bare numbers were read as places in the list of passages."""

    def cited(self, piece: str) -> tuple[str, ...]:
        """Return the ids cited in a piece of the marked text, in order, each once."""
        return tuple(dict.fromkeys(self.ids[ord(mark) - _FIRST] for mark in MARK.findall(piece)))


class _Resolver:
    """Turns the inside of a mark into ids."""

    def __init__(self, known: Sequence[str]) -> None:
        self.known = known
        self.names = {each.casefold(): each for each in reversed(known)}
        self.integers = any(each.isdigit() for each in known)
        self.positional = False

    def one(self, token: str) -> list[str]:
        """Return the ids that one token names; nothing when it is no citation."""
        token = token.strip(_STRIPPED)
        bare = _LABEL.sub("", token).strip()
        for name in (token, bare):
            if name.casefold() in self.names:
                return [self.names[name.casefold()]]
        if found := _NUMBERED.fullmatch(bare):
            first, last = int(found[1]), int(found[2] or found[1])
            return [self._at(place) for place in range(first, min(last, first + 30) + 1)]
        return [bare] if _LOOKS_LIKE_ID.fullmatch(bare) else []

    def _at(self, place: int) -> str:
        digits = str(place)
        if self.integers:
            return digits
        # A footnote's number has a name of its own.
        self.positional = self.positional or digits not in self.names
        return self.names.get(digits) or (self.known[place - 1] if 1 <= place <= len(self.known) else digits)

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
            named = bare.search(found[2])
            if uses[found[1]] < 2 or not named:
                return found[0]
            self.names[found[1].casefold()] = named[0]
            return ""

        return _DEFINITION.sub(read, text)


def _bare_ids(known: Sequence[str], text: str) -> re.Pattern[str]:
    """Match ids without brackets: known ones with a digit and a letter or #, and what looks like "c1#3"."""
    marked = (each for each in known if each in text and _NAMED.search(each))
    names = "|".join([*map(re.escape, sorted(marked, key=len, reverse=True)), _HASHED])
    return re.compile(rf"(?<![\w#/&-])(?:{names})(?![\w#]|[-.]\w)")


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
        target = (found[2] or "").strip(" #").casefold()
        if target in resolver.names:
            return found[1] + put([resolver.names[target]])
        return put(resolver.many(found[1])) or found[0]

    if "[" in text:
        text = _BRACKET.sub(bracket, resolver.define(text))
    if "#" in text or any(each in text for each in known):
        text = _bare_ids(known, text).sub(lambda found: put([found[0]]), text)
    text = _WRAPPED.sub(lambda found: "".join(MARK.findall(found[1])), text)
    text = _AFTER_STOP.sub(lambda found: "".join(MARK.findall(found[2])) + found[1] + " ", text)
    return Marked(text, tuple(ids), resolver.positional)


def without_labels(text: str, titles: Iterable[str]) -> str:
    """Return the text with "this document" for titles right before a citation mark: they name its passage.

    ``"Annual Report 2023" [annual-1#4]`` cites a passage; it states neither a report nor a year.
    """
    # The longest first: a title may begin another one.
    named = sorted((each for each in set(titles) if each.strip() and each in text), key=len, reverse=True)
    any_title = "|".join(map(re.escape, named))
    label = rf"[\"'“”‘«„*_(]{{0,4}}(?:{any_title})[\"'“”’»*_)]{{0,4}}[ \t,:–—-]{{0,3}}(?=[\[\u3010])"
    return re.sub(label, "this document ", text) if named else text
