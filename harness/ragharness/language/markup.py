"""An answer's text as it is to be read: no reasoning, no JSON, plain typography, citations marked."""

from __future__ import annotations

import ast
import json
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple, cast

from ragharness.language.tables import phrases, regex, table

_SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789")
_SUPERSCRIPT = regex(r"(?<=[a-z.,;:)\]%\"”][a-z.,;:)\]%\"”])[⁰¹²³⁴⁵⁶⁷⁸⁹]+|(?<=\d[.,;])[⁰¹²³⁴⁵⁶⁷⁸⁹]+")
_BRACKETS = str.maketrans("【】〔〕⟦⟧〖〗", "[][][][]")
_UNSEEN = regex(r"[\ue000-\uf8ff\u200b-\u200f\u2060\ufeff\ufffd]")
_COLOUR = regex(r"\x1b\[[\d;]*m")
_REASONING = regex(rf"[<\[◁](?P<close>/?){phrases('answers', 'reasoning_tags')}\s*[>\]▷]", re.IGNORECASE)
_TAG = regex(r"</?[a-zA-Z][\w-]{0,20}(?:\s[^<>]{0,120})?/?>")
_FENCE = regex(r"^[ \t]*(?:```|~~~)[\w+-]*[ \t]*$", re.MULTILINE)
_LOST_MARK = regex(r"[1-9](?<=(?:\bin|\w,)\s(?:1[5-9]|20)\d\d.)\d?(?=[.,;]|$)")
"""The numbers of footnotes that were glued to a year: "on 10 May, 200712."."""
_LOST_BLANK = regex(r"(?=[A-Z])(?<=\b[oi]n)(?=[A-Z][a-z]{2,8} \d)")
"""Where it is missing before a date: "onMarch 6"."""
_LARGEST_OBJECT = 200_000
_OPENING = "\"'“”‘«„*_("
_BEFORE_MARK = regex(r"[\"'“”’»*_)]{0,4}[ \t,:–—-]{0,3}(?=[\[\u3010])")
"""What may stand between a title and the citation mark of its passage."""

Fields = dict[str, object]


class Normalised(NamedTuple):
    """The text to read, and the citations that stood beside it in a JSON object (None: there was none)."""

    text: str
    citations: tuple[str, ...] | None = None


def normalise(text: str) -> Normalised:
    """Text of an answer without reasoning, fences, markup tags and colours, in NFKC."""
    if "\x1b" in text:
        text = _COLOUR.sub("", text)
    if not text.isascii():
        text = _UNSEEN.sub("", text)
        text = _SUPERSCRIPT.sub(lambda found: f"[{found[0].translate(_SUPERSCRIPTS)}]", text)
        text = unicodedata.normalize("NFKC", text.translate(_BRACKETS))
    text = _LOST_MARK.sub("", _LOST_BLANK.sub(" ", text))
    text = _FENCE.sub("", _without_reasoning(text)).replace("`", "")
    citations: tuple[str, ...] | None = None
    if "{" in text and len(text) <= _LARGEST_OBJECT:
        text, citations = _open_object(text)
    return Normalised(_TAG.sub(" ", text).strip(), citations)


def _without_reasoning(text: str) -> str:
    """Drop what stands between reasoning tags; a tag without its partner reaches to that end of the text."""
    tags = list(_REASONING.finditer(text))
    if not tags:
        return text
    before = "" if tags[0]["close"] else text[: tags[0].start()]
    after = text[tags[-1].end() :] if tags[-1]["close"] else ""
    return f"{before}\n{after}"


def _open_object(text: str) -> tuple[str, tuple[str, ...] | None]:
    """Put what the object in a text says after what stands around it."""
    start, end = text.find("{"), text.rfind("}") + 1
    loaded: object = None
    try:
        loaded, end = json.JSONDecoder(strict=False).raw_decode(text, start)
    except (ValueError, RecursionError):
        try:
            loaded = ast.literal_eval(text[start:end])
        except (ValueError, SyntaxError, RecursionError, MemoryError, TypeError):
            return text, None
    fields = _fields(loaded)
    if not _present("answer_keys", fields):
        return text, None
    around = f"{text[:start].strip(' [')}\n{text[end:].strip(' ]')}".strip(" \n:")
    listed = _present("citation_keys", fields)
    return f"{around}\n{_say(loaded)}".strip(), _ids(listed[0]) if listed else None


def _fields(loaded: object) -> Fields:
    """The fields of an object by their case-folded names; none for anything else."""
    fields = cast("dict[object, object]", loaded) if isinstance(loaded, dict) else {}
    return {str(key).casefold(): value for key, value in fields.items()}


def _present(family: str, fields: Fields) -> list[object]:
    """The values of those keys of a family that an object has."""
    return [fields[key] for key in cast("list[str]", table("answers")[family]) if key in fields]


def _say(value: object) -> str:
    """A value as sentences; of an object, its answer and its reasons."""
    if isinstance(value, dict):
        fields = _fields(value)
        parts = [*_present("answer_keys", fields)[:1], *_present("reason_keys", fields)]
        return "\n".join(filter(None, map(_say, parts))) if parts else str(value)
    if isinstance(value, (list, tuple)):
        return "\n".join(f"- {_say(element)}" for element in value)
    if isinstance(value, bool):
        return "Yes." if value else "No."
    return "" if value is None else str(value)


def _ids(value: object) -> tuple[str, ...]:
    """The ids in a field of citations: one or several, bare or in objects."""
    listed = value if isinstance(value, (list, tuple)) else [value]
    ids = ((_present("id_keys", _fields(id_)) or [""])[0] if isinstance(id_, dict) else id_ for id_ in listed)
    return tuple(str(id_) for id_ in ids if id_ not in (None, ""))


_INSIDE = r"\^?[\w./:#-]{1,64}(?:\s?[,;]\s?[\w./:#-]{1,64}){0,8}\s?"
_CITED = regex(
    rf"\[(?=[^\],;]{{0,64}}[\d#]){_INSIDE}\]|\((?=[^)]{{0,64}}#){_INSIDE}\)|【[^】]{{0,64}}】"
    r"|https?://\S+|www\.\S+"
)
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
    ids: tuple[str, ...]  # the id behind each mark, in order of the characters from U+E000 on
    positional: bool  # whether bare numbers were read as places in the list of passages

    def cited(self, piece: str) -> tuple[str, ...]:
        """Ids cited in a piece of the marked text, in order, each once."""
        return tuple(dict.fromkeys(self.ids[ord(mark) - _FIRST] for mark in MARK.findall(piece)))


class _Resolver:
    """Turns the inside of a mark into ids."""

    def __init__(self, known: Sequence[str]) -> None:
        self.known = known
        self.names = {id_.casefold(): id_ for id_ in reversed(known)}
        self.integers = any(id_.isdigit() for id_ in known)
        self.positional = False

    def one(self, token: str) -> list[str]:
        """Ids that one token names; nothing when it is no citation."""
        bare = token.strip(_STRIPPED)
        if bare.casefold() not in self.names:
            bare = _LABEL.sub("", bare).strip()
        if bare.casefold() in self.names:
            return [self.names[bare.casefold()]]
        if numbered := _NUMBERED.fullmatch(bare):
            start, stop = int(numbered[1]), int(numbered[2] or numbered[1])
            return [self._at(rank) for rank in range(start, min(stop, start + 30) + 1)]
        return [bare] if _LOOKS_LIKE_ID.fullmatch(bare) else []

    def _at(self, rank: int) -> str:
        digits = str(rank)
        if self.integers:
            return digits
        # A footnote's number has a name of its own.
        self.positional = self.positional or digits not in self.names
        return self.names.get(digits) or (self.known[rank - 1] if 1 <= rank <= len(self.known) else digits)

    def many(self, inside: str) -> list[str]:
        """Ids that the inside of a mark names."""
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
    marked = (id_ for id_ in known if id_ in text and _NAMED.search(id_))
    names = "|".join([*map(re.escape, sorted(marked, key=len, reverse=True)), _HASHED])
    return re.compile(rf"(?<![\w#/&-])(?:{names})(?![\w#]|[-.]\w)")


def resolve(citations: Sequence[str], known: Sequence[str]) -> tuple[tuple[str, ...], bool]:
    """Ids that a list of citations names, and whether bare numbers were read as places."""
    resolver = _Resolver(known)
    tokens = filter(None, (citation.strip().strip("[]()") for citation in citations))
    ids = [id_ for token in tokens for id_ in resolver.one(token) or [token]]
    return tuple(dict.fromkeys(ids)), resolver.positional


def mark(text: str, known: Sequence[str]) -> Marked:
    """Replace the citations of a text by marks; a mark after a full stop moves before it.

    ``known``: the ids of the retrieved passages; bare numbers are places in it unless ids are numbers.
    """
    resolver = _Resolver(known)
    ids: list[str] = []

    def put(cited: Sequence[str]) -> str:
        start = len(ids)
        ids.extend(cited[: max(0, _MOST - len(ids))])
        return "".join(chr(_FIRST + index) for index in range(start, len(ids)))

    def bracket(match: re.Match[str]) -> str:
        target = (match[2] or "").strip(" #").casefold()
        if target in resolver.names:
            return match[1] + put([resolver.names[target]])
        return put(resolver.many(match[1])) or match[0]

    if "[" in text:
        text = _BRACKET.sub(bracket, resolver.define(text))
    if "#" in text or any(id_ in text for id_ in known):
        text = _bare_ids(known, text).sub(lambda found: put([found[0]]), text)
    text = _WRAPPED.sub(lambda found: "".join(MARK.findall(found[1])), text)
    text = _AFTER_STOP.sub(lambda found: "".join(MARK.findall(found[2])) + found[1] + " ", text)
    return Marked(text, tuple(ids), resolver.positional)


def without_labels(text: str, titles: Iterable[str]) -> str:
    """Text with "this document" for titles right before a citation mark: they name its passage.

    ``"Annual Report 2023" [annual-1#4]`` cites a passage; it states neither a report nor a year.
    """
    # The longest first: a title may begin another one. No pattern of the titles: to compile one takes long.
    named = sorted((title for title in set(titles) if title.strip() and title in text), key=len, reverse=True)
    labels = [(_quoted_from(text, start), end) for title in named for start, end in _labels(text, title)]
    written, position = [], 0
    for start, end in sorted(labels, key=lambda label: label[0]):
        if start >= position:
            written += [text[position:start], "this document "]
            position = end
    return "".join([*written, text[position:]])


def _labels(text: str, title: str) -> Iterator[tuple[int, int]]:
    """Yield where a title stands before a citation mark, and where the mark begins."""
    start = text.find(title)
    while start >= 0:
        if ends := _BEFORE_MARK.match(text, start + len(title)):
            yield start, ends.end()
        start = text.find(title, start + 1)


def _quoted_from(text: str, start: int) -> int:
    """Where the quotation marks before a place begin."""
    before = text[max(0, start - 4) : start]
    return start - len(before) + len(before.rstrip(_OPENING))


def without_marks(text: str) -> str:
    """Text with web addresses and citation marks ([c1#3], [12], 【p4】, (c1#3)) blotted out."""
    return _CITED.sub(lambda mark: "]" * len(mark[0]), text)
