"""Citations of a text: ids, documents, pages, numbers of a source list, quotations; what each names."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property, lru_cache
from typing import NamedTuple
from urllib.parse import unquote

from ragharness.language.tables import phrases, regex
from ragharness.language.words import raw_words, squeeze

_FIRST = 0xE000
_MOST = 6000
MARK = regex("[\ue000-\uf8ff]")  # a citation inside a marked text; ``Marked.ids`` tells what it stands for
MOST_DOCUMENTS = 3  # of a citation that names no single one, such as a page alone: citing all must not win
_LOCATOR = 3  # words that may stand beside the name of a document in a mark: ", Section 4"
_LEAST_NAME = 2  # letters and digits of a name of a document
_SHOWN = 60  # characters of a quotation by which it is named
_LEAST_QUOTED = 5  # words of a quotation that cites its passage; fewer are a term
_LEAST_BEHIND = 2  # the same of one that is a sentence of its own behind what is said
_BRACKET = regex(r"\[{1,2}([^\[\]\n]{1,300})\]{1,2}(?:\(([^()\n]{0,300})\))?")
_ROUND = regex(r"\(((?:[^()\n]|\([^()\n]{0,100}\)){2,300})\)")
_GROUPS = (regex(r"\s*[;|]\s*"), regex(r"\s*(?:[,;|&/†]|\band\b)\s*"))
"""What parts the citations of one mark: a title may hold commas."""
_LABEL = regex(rf"^(?:{phrases('answers', 'citation_labels')}\b\.?\s*[:#]?\s*)+", re.IGNORECASE)
_NUMBERED = regex(r"(\d{1,3})(?:\s*[-–]\s*(\d{1,3}))?")
_LOOKS_LIKE_ID = regex(r"(?=.*\d)(?=.*[A-Za-z#_])(?!(?:Q|FY|CY)\d+$)[\w.:#/@+-]{2,100}", re.IGNORECASE)
_HASHED = r"[A-Za-z][\w.:-]{0,80}#\d{1,6}\b"
_NAMED = regex(r"(?=.*\d)(?=.*(?:[^\W\d]|#)).{2,}", re.DOTALL)
_EMPHASIS = regex(r"\*\*?|__")
_GOES_ON = regex(r"\s+[A-Z\d]")
_URL = regex(r"((?:https?://|www\.)[^\s\"'<>\[\]“”\ue000-\uf8ff]{3,500}(?<![.,;:!?)]))")
_FILE = regex(r"[^/\\\n]{1,120}\.[A-Za-z][A-Za-z0-9]{1,5}")
_EXTENSION = regex(r"\.[A-Za-z][A-Za-z0-9]{1,5}$")
_PAGE = regex(
    r"(?P<name>.*?)[\s,;:(\[–—-]*(?:\bpp?\.?|\bpages?|\bpg\.?|[#?&]page=)\s*"
    r"(?P<page>\d{1,5})(?:\s*[-–]\s*(?P<last>\d{1,5}))?[)\]]?",
    re.IGNORECASE | re.DOTALL,
)
_PAGE_OF = regex(r"((?:p\.|pp\.|pages?)\s*\d{1,5})\s+of\s+(?:the\s+)?(.{2,300})", re.IGNORECASE)
_BARE_PAGE = regex(r"\b((?:p\.|pp\.|pages?)\s*\d{1,5})\b", re.IGNORECASE)
_DEFINITION = regex(r"^[ \t]*(?:[-*][ \t]*)?\[\^?(\w{1,10})\][:.]?[ \t]+([^\n]{1,600})$", re.MULTILINE)
_USE = regex(r"\[\^?(\w{1,10})\]")
SOURCES = regex(
    rf"^\W*(?:{phrases('answers', 'source_adjectives')}\s+)?{phrases('answers', 'source_labels')}"
    r"\s*(?:[:\-–—]|$)\s*",
    re.IGNORECASE,
)  # what stands above or before a list of sources
_LISTED = regex(
    r"^[ \t]*(?P<sign>[-*•·][ \t]*)?(?:\[?\^?(?P<number>\d{1,2})[\].):]+[ \t]+)?(?P<source>[^\n]{2,600})$"
)
_HEADS = regex(rf"\b{phrases('answers', 'source_labels')}", re.IGNORECASE)
_INLINE = regex(
    rf"(?:(?<=[.!?)\]\"”])[ \t]+|[ \t]+[–—-][ \t]+)\W?{phrases('answers', 'source_labels')}:[ \t]*"
    r"([^\n]{2,600})$",
    re.IGNORECASE | re.MULTILINE,
)
_ALONE = regex(r"(?:^|(?<=[.!?:)\]])[ \t]+|[ \t]\()[\"“«]([^\n]{8,1000})[\"”»][) \t.]*$", re.MULTILINE)
"""A quotation that is a sentence of its own, or stands between round brackets."""
_QUOTED = regex(r"[\"“«]([^\"“”«»\n]{20,1000})[\"”»]")
_OMITTED = regex(r"\s*(?:\[?(?:\.\.\.|…)\]?|[\[\]])\s*")
_WRAPPED = regex(
    rf"\(\s*(?:{phrases('answers', 'wrapping')}\b[:.]?\s*)?([\ue000-\uf8ff,; ]+)\)", re.IGNORECASE
)
_AFTER_STOP = regex(
    "([.!?](?<!^\\d.)(?<!\n\\d.)['\"”’)*_]*)[ \\t]*((?:[\ue000-\uf8ff][ \\t,;]*)+)(?![ \\t]*[a-z])"
)
_STRIPPED = " \t\"'`*_.^“”’‘"

Put = Callable[[Sequence[str]], str]  # what puts the marks of some citations into a text


class Source(NamedTuple):
    """A passage as citations may name it."""

    id: str
    document: str = ""  # what tells its document from others
    names: tuple[str, ...] = ()  # of its document: id, title, file, address
    page: str = ""
    text: str = ""


class Quotation(NamedTuple):
    """Words of a passage in quotation marks."""

    start: int
    end: int  # behind its quotation mark
    cited: list[str]
    alone: tuple[str, ...]  # its words, squeezed, where it is a sentence of its own


class Marked(NamedTuple):
    """A text in which each citation is one character of the private-use area."""

    text: str
    ids: tuple[str, ...]  # the id behind each mark, in order of the characters from U+E000 on
    listed: tuple[str, ...]  # those of the list that came beside the text
    members: dict[str, tuple[str, ...]]  # passages behind each citation that is no passage's id
    flags: tuple[str, ...] = ()
    quotations: tuple[str, ...] = ()  # what is quoted as a citation and stands alone, squeezed

    @property
    def passages(self) -> tuple[str, ...]:
        """Ids of passages that are cited anywhere, and whatever else is cited."""
        names = (*self.cited(self.text), *self.listed)
        return tuple(dict.fromkeys(id_ for name in names for id_ in self.members.get(name, (name,))))

    def cited(self, piece: str) -> tuple[str, ...]:
        """Ids cited in a piece of the marked text, in order, each once."""
        return tuple(dict.fromkeys(self.ids[ord(mark) - _FIRST] for mark in MARK.findall(piece)))


@lru_cache(maxsize=8192)
def name_forms(name: str) -> tuple[str, ...]:
    """How a name is compared: whole, as the last part of a path or URL, and without a file extension."""
    path = re.split(r"[?#]", unquote(name.partition("://")[2]))[0] if "://" in name else name
    last = re.split(r"[/\\]", path.rstrip("/\\"))[-1]
    forms = (squeeze(form) for form in (name, last, _EXTENSION.sub("", last), _EXTENSION.sub("", name)))
    return tuple(filter(None, forms))


@lru_cache(maxsize=8192)
def _file_of(name: str) -> str:
    """Last part of a path, if it is the name of a file; else ""."""
    last = re.split(r"[/\\]", name)[-1]
    return last if _FILE.fullmatch(last) else ""


class _Resolver:
    """Turns what is cited into ids of passages, and into names for several at once."""

    def __init__(self, sources: Sequence[Source], *, strict: bool) -> None:
        self.sources = sources
        self.known = list(dict.fromkeys(source.id for source in sources))
        self.names: dict[str, list[str]] = {id_.casefold(): [id_] for id_ in reversed(self.known)}
        self.integers = any(id_.isdigit() for id_ in self.known)
        self.strict = strict
        self.positional = False
        self.members: dict[str, tuple[str, ...]] = {}
        self._written: dict[tuple[str, ...], str] = {}

    @cached_property
    def by_name(self) -> dict[str, list[Source]]:
        by_form: dict[str, list[Source]] = {}
        for source in () if self.strict else self.sources:
            forms = (form for name in source.names for form in name_forms(name))
            for form in dict.fromkeys(forms):
                if len(form) >= _LEAST_NAME and not form.isdigit():
                    by_form.setdefault(form, []).append(source)
        return by_form

    @cached_property
    def written(self) -> list[str]:
        """Names of documents as they stand in texts, files without their folders too; the longest first."""
        names = {name for source in self.sources if not self.strict for name in source.names}
        return sorted({*names, *map(_file_of, names)} - {""}, key=lambda name: (-len(name), name))

    @cached_property
    def paged(self) -> bool:
        return not self.strict and any(source.page for source in self.sources)

    def named(self, written: str) -> list[str]:
        """Citation of a document or a page; none for any other text."""
        if self.strict:
            return []
        if of := _PAGE_OF.match(written):
            written = f"{of[2]}, {of[1]}"
        page = _PAGE.fullmatch(written)
        name = page["name"].strip(_STRIPPED + ",;:([") if page else ""
        if page and name.casefold() in self.names:
            return self.names[name.casefold()]
        within = (self._of(name) if name else self.sources if self.paged else []) if page else []
        if page and within:
            low, high = int(page["page"]), int(page["last"] or page["page"])
            pages = {str(number) for number in range(low, min(high, low + 30) + 1)}
            on_page = [source for source in within if source.page in pages]
            # What has no pages is cited as a whole; a page that was not retrieved is no page of it.
            whole = [] if any(source.page for source in within) else within
            return self._as(written, on_page or whole) or [written]
        return self._as(written, self._of(written))

    def _of(self, written: str) -> list[Source]:
        """Passages of the document that a text names."""
        return next((self.by_name[form] for form in name_forms(written) if form in self.by_name), [])

    def _as(self, written: str, sources: Iterable[Source]) -> list[str]:
        """Citation of some passages: the id of a single one, else the name that was written first."""
        within = list(sources)
        documents = list(dict.fromkeys(source.document for source in within))[:MOST_DOCUMENTS]
        ids = tuple(dict.fromkeys(source.id for source in within if source.document in documents))
        if len(ids) < 2:
            return list(ids)
        name = self._written.setdefault(ids, written)
        self.members[name] = ids
        return [name]

    def one(self, token: str, *, known: bool = False) -> list[str]:
        """Ids that one token names, the known ones alone if that is wanted; nothing for no citation."""
        bare = token.strip(_STRIPPED)
        if bare.casefold() not in self.names:
            bare = _LABEL.sub("", bare).strip()
        if bare.casefold() in self.names and not (known and bare.isdigit()):
            return self.names[bare.casefold()]
        if numbered := _NUMBERED.fullmatch(bare):
            start, stop = int(numbered[1]), int(numbered[2] or numbered[1])
            ranks = () if known else range(start, min(stop, start + 30) + 1)
            return [id_ for rank in ranks for id_ in self._at(rank)]
        if ids := self.named(bare) or self.named(token.strip()):
            return ids
        address = _URL.fullmatch(bare)
        if address and not self.strict:
            for part in re.split(r"[/?&=]", unquote(bare))[::-1]:
                if part.casefold() in self.names:
                    return self.names[part.casefold()]
        phantom = not known and (address or _LOOKS_LIKE_ID.fullmatch(bare))
        return [bare] if phantom else []

    def _at(self, rank: int) -> list[str]:
        digits = str(rank)
        if self.integers:
            return [digits]
        if digits in self.names:  # a footnote, or a number of a source list
            return self.names[digits]
        self.positional = True
        return [self.known[rank - 1] if 1 <= rank <= len(self.known) else digits]

    def many(self, inside: str, *, known: bool = False) -> list[str]:
        """Ids that the inside of a mark names; ``known``: it is a mark only if all of it is known."""
        if ids := self.one(inside, known=known):
            return ids
        parts: list[list[str]] = []
        for parting in _GROUPS:
            parts = [self.one(token, known=known) for token in parting.split(inside) if token]
            if len(parts) > 1 and all(parts):
                return [id_ for part in parts for id_ in part]
        ids, others = self.among(inside)
        if ids and others <= _LOCATOR * len(ids):
            return ids
        return [] if known else [id_ for part in parts for id_ in part]

    def among(self, text: str) -> tuple[list[str], int]:
        """Documents, with their pages, among the words of a text, and how many words it has besides."""
        folded = text.casefold()
        present = [name for name in self.written if len(name) > 1 and name.casefold() in folded]
        if not present:
            return [], len(text)
        ids: list[str] = []
        remainder, end = "", 0
        named = "|".join(map(re.escape, present))
        for match in re.finditer(rf"(?<![\w-])(?:{named})(?![\w-])", text, re.IGNORECASE):
            page = _PAGE.match(text, match.end())
            page = None if page and page["name"] else page
            # "Annual Report 2023" is not the document "Annual Report".
            another = " " in match[0] and not page and _GOES_ON.match(text, match.end())
            if match.start() >= end and not another:
                ids += self.named(match[0] + (page[0] if page else ""))
                remainder, end = remainder + text[end : match.start()], page.end() if page else match.end()
        return list(dict.fromkeys(ids)), len(raw_words(remainder + text[end:]))

    def scan(self, text: str) -> list[str]:
        """Citations in an entry of a source list: addresses, ids, names of documents with their pages."""
        if ids := self.many(text, known=True):
            return ids
        ids = [id_ for address in _URL.findall(text) for id_ in self.one(address, known=True)]
        ids += [id_ for bare in _bare_ids(self.known, text).findall(text) for id_ in self.one(bare)]
        return list(dict.fromkeys(ids)) or self.among(text)[0]

    def define(self, text: str, put: Put) -> str:
        """Read footnotes and source lists ("[1]: p4", "Sources: 1. Title"); what is used leaves the text."""
        uses = Counter(_USE.findall(text) if "[" in text else ())

        def read(entry: re.Match[str]) -> str:
            ids = self.scan(entry[2]) if uses[entry[1]] >= 2 else []
            self.names |= {entry[1].casefold(): ids} if ids else {}
            return "" if ids else entry[0]

        text = _DEFINITION.sub(read, text) if uses else text
        if self.strict or not _HEADS.search(text):
            return text
        lines: list[str] = []
        sources: list[tuple[int, str, list[str], str]] = []
        within = False
        for line in text.split("\n"):
            plain = _EMPHASIS.sub("", line)
            head = SOURCES.match(plain)
            entry = _LISTED.match(plain[head.end() :] if head else plain) if head or within else None
            sentence = entry and not (head or entry["sign"] or entry["number"]) and line.rstrip()[-1] in ".!?"
            ids = self.scan(entry["source"]) if entry and not sentence else []
            number = (entry["number"] or "") if entry else ""
            within = bool(head or ids or number or (within and not line.strip()))
            # Ids without brackets are marked later, whatever stands beside them.
            if entry and (ids or number) and not _bare_ids(self.known, line).search(line):
                sources.append((len(lines), number, ids, line))
                lines.append(head[0] if head else "")
            else:
                lines.append(line)
        uses = Counter(_USE.findall("\n".join(lines)))
        cited = any(ids and uses[number] for _, number, ids, _ in sources)
        for index, number, ids, line in sources:
            if number and cited:
                # Of a list that names documents, what is not known is a source all the same.
                self.names[number] = ids or [line.strip()[:_SHOWN]]
            else:
                lines[index] = lines[index] + put(ids) if ids else line
        return _INLINE.sub(lambda source: self._inline(source, put), "\n".join(lines))

    def _inline(self, source: re.Match[str], put: Put) -> str:
        """A source behind a sentence ("It is five. Source: Title.") as its mark."""
        for end in [stop.end() for stop in re.finditer(r"[.!?](?=\s|$)|$", source[1])][::-1]:
            if ids := self.many(source[1][:end].rstrip(" .!?"), known=True):
                return f" {put(ids)}{source[1][end:]}"
        return source[0]

    def files(self, text: str) -> re.Pattern[str] | None:
        files = [name for name in self.written if name in text and _FILE.fullmatch(name)]
        pattern = rf"(?<![\w/.-])({'|'.join(map(re.escape, files))})(?![\w/-])"
        return re.compile(pattern) if files else None

    def quotations(self, text: str, question: str) -> list[Quotation]:
        """Quotations of passages: those that stand alone, and those in sentences."""
        question_words, quotations = squeeze(question), list[Quotation]()
        texts = [(source, squeeze(source.text)) for source in self.sources]
        for pattern in (_ALONE, _QUOTED):
            for match in pattern.finditer(text):
                behind = pattern is _ALONE and text[: match.start()].strip()
                least = _LEAST_BEHIND if behind else _LEAST_QUOTED
                pieces = [piece for piece in _OMITTED.split(match[1]) if len(piece.split()) >= least]
                squeezed = tuple(map(squeeze, pieces))
                start, end = match.span(1)
                overlaps = any(earlier.start < end and start < earlier.end for earlier in quotations)
                if overlaps or not squeezed or squeezed[0] in question_words or any(map(self._of, pieces)):
                    continue
                holding = [source for source, whole in texts if all(map(whole.__contains__, squeezed))]
                if cited := self._as(match[1][:_SHOWN], holding):
                    alone = squeezed if pattern is _ALONE else ()
                    quotations.append(Quotation(start, end + 1, cited, alone))
        return sorted(quotations)


def _bare_ids(known: Sequence[str], text: str) -> re.Pattern[str]:
    """Match ids without brackets: known ones with a digit and a letter or #, and what looks like "c1#3"."""
    marked = (id_ for id_ in known if id_ in text and _NAMED.search(id_))
    names = "|".join([*map(re.escape, sorted(marked, key=len, reverse=True)), _HASHED])
    return re.compile(rf"(?<![\w#/&-])(?:{names})(?![\w#]|[-.]\w)")


def mark(
    text: str,
    sources: Sequence[Source],
    listed: Iterable[str] = (),
    *,
    question: str = "",
    strict: bool = False,
) -> Marked:
    """Replace the citations of a text by marks; a mark after a full stop moves before it.

    ``sources``: the passages retrieved. Bare numbers are places among them unless ids are numbers, or places
    in ``listed``, what was cited beside the text, where that names documents. A quotation cites only where
    nothing else does, and what the ``question`` holds is none. ``strict``: passages are cited by id alone.
    """
    resolver = _Resolver(sources, strict=strict)
    ids: list[str] = []
    tokens = list(filter(None, (citation.strip().strip("[]()") for citation in listed)))
    entries = [resolver.one(token) or resolver.scan(token) or [token] for token in tokens]
    if not resolver.integers and not any(token.casefold() in resolver.names for token in tokens):
        resolver.names |= {
            str(rank): entry
            for rank, (token, entry) in enumerate(zip(tokens, entries, strict=True), 1)
            if not _NUMBERED.fullmatch(token)
        }
    for token, entry in zip(tokens, entries, strict=True):
        behind = tuple(id_ for name in entry for id_ in resolver.members.get(name, (name,)))
        if entry != [token] and not set(behind).difference(resolver.known):
            resolver.members[token] = behind

    def put(cited: Sequence[str]) -> str:
        start = len(ids)
        ids.extend(cited[: max(0, _MOST - len(ids))])
        return "".join(chr(_FIRST + index) for index in range(start, len(ids)))

    def bracket(match: re.Match[str]) -> str:
        target = resolver.one((match[2] or "").strip(" #"), known=True) if match[2] else []
        return match[1] + put(target) if target else put(resolver.many(match[1])) or match[0]

    def if_known(match: re.Match[str]) -> str:
        return put(resolver.many(match[1], known=True)) or match[0]

    def paged(match: re.Match[str]) -> str:
        of = _PAGE_OF.match(match.string, match.start())
        behind = of[2].casefold() if of else ""
        name = next((name for name in resolver.written if behind.startswith(name.casefold())), "")
        return put(resolver.named(f"{name}, {match[1]}" if name else match[1])) or match[0]

    text = resolver.define(text, put) if "[" in text or ":" in text or "\n" in text else text
    if "[" in text:
        text = _BRACKET.sub(bracket, text)
    if "#" in text or any(id_ in text for id_ in resolver.known):
        text = _bare_ids(resolver.known, text).sub(lambda match: put([match[0]]), text)
    if not strict:
        text = _ROUND.sub(if_known, text) if "(" in text else text
        text = _URL.sub(if_known, text) if "://" in text or "www." in text else text
        if files := resolver.files(text):
            text = files.sub(if_known, text)
        text = _BARE_PAGE.sub(paged, text) if resolver.paged else text
    quotations = [] if ids or entries or strict else resolver.quotations(text, question)
    for quotation in reversed(quotations):
        before, quoted = text[: quotation.start - 1].rstrip(), text[quotation.start - 1 : quotation.end]
        remainder = text[quotation.end :]
        if before.endswith("(") and remainder.startswith(")"):  # "It is five ("the fee is five")."
            text = f"{before[:-1]}{put(quotation.cited)}{remainder[1:]}"
            continue
        apart = f"{before} {put(quotation.cited)}\n" if before and quotation.alone else ""
        text = f"{apart or text[: quotation.start - 1]}{quoted}{put(quotation.cited)}{remainder}"
    if ids:
        text = _WRAPPED.sub(lambda match: "".join(MARK.findall(match[1])), text)
        text = _AFTER_STOP.sub(lambda match: "".join(MARK.findall(match[2])) + match[1] + " ", text)
    flags = [("positional_citations", resolver.positional), ("quotations", bool(quotations))]
    return Marked(
        text,
        tuple(ids),
        tuple(dict.fromkeys(id_ for entry in entries for id_ in entry)),
        resolver.members,
        tuple(flag for flag, holds in flags if holds),
        tuple(words for quotation in quotations for words in quotation.alone),
    )
