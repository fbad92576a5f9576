# ruff: noqa: E501 (a pattern reads better with one group of alternatives a line)
"""An answer taken apart: its sentences with their citations, headings and source lists set aside."""

from __future__ import annotations

import itertools
import re
from copy import copy
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING

from ragharness.graders.reading.answer import EMPHASIS, cells_of, row_of
from ragharness.graders.reading.languages import language_of
from ragharness.language import acts
from ragharness.language.citations import MARK, Marked, mark, resolve
from ragharness.language.declines import Decline, find_decline
from ragharness.language.normalise import normalise
from ragharness.language.patterns import regex
from ragharness.language.sentences import sentences
from ragharness.language.words import STOPWORDS, content, raw_words

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ragharness.records import Answer

_LINE_START = regex(
    r"^[ \t]*(?P<quote>>[ \t]*)*(?P<hash>#{1,6}[ \t]+)?(?P<bullet>(?:[-*•·–—+▪◦‣][ \t]+|\(?\d{1,2}[.)][ \t]+|\(?[a-z][.)][ \t]+))?(?:\[[ xX]\][ \t]+)?"
)
_RULE = regex(r"^[\s|:+=_*-]*$")
_BOLD_LINE = regex("^\\s*(?:\\*\\*|__)[^*_]+(?:\\*\\*|__)[\\s:\ue000-\uf8ff]*$")
_ANSWER_LABEL = regex(
    r"^\W*(?:(?:final|short|direct|brief|my|the|quick|concise)\s+)?(?:answer|response|conclusion|result|verdict|summary|tl;?dr|bottom\s+line|a|output|key\s+finding|explanation|reasoning|rationale|justification|analysis|note|details?|"
    r"respuesta|conclusi[oó]n|antwort|fazit|ergebnis|erl[aä]uterung|begr[uü]ndung|r[eé]ponse|explication)\s*(?:\([^()]{0,40}\))?\s*(?::|—|–|\s-\s)\s*",
    re.IGNORECASE,
)
_SOURCES = regex(
    r"^\W*(?:(?:the|my|key|cited|used|supporting|relevant)\s+)?(?:sources?|references?|citations?|cited(?:\s+passages?)?|passages?(?:\s+(?:cited|used))?|evidence|footnotes?|bibliography|works\s+cited|source\s+(?:passages?|documents?|ids?)|"
    r"fuentes?|referencias?|citas?|quellen?(?:angaben?)?|belege?|nachweise?|r[eé]f[eé]rences?|passage\s+ids?)(?:\s+(?:used|cited|consulted|utilizadas?|utilis[eé]e?s))?\s*(?:[:\-–—]|$)\s*",
    re.IGNORECASE,
)
_YES_NO = regex(
    r"^\W*(?:yes|no|yep|yeah|nope|correct|incorrect|true|false|s[ií]|ja|nein|oui|non|affirmative|negative|absolutely|indeed|certainly|not\s+necessarily|not\s+really)\W*$",
    re.IGNORECASE,
)
_SEMICOLON = regex("(?<=[\ue000-\uf8ff]);\\s+(?=[^;\ue000-\uf8ff]*[\ue000-\uf8ff])")
_PROSE = regex(r"[^\W\d_][^\d_\[\](){}<>#?*:|`~^\n\u3010\ue000-\uf8ff]{0,200}")
"""One line of words: without marks, figures, headings or a question, none of which could be read alone."""
_WORDY = regex(r"[^\W_]")
LONGEST_SENTENCE = 1500
"""Longer runs without an end are read in pieces, so that reading stays linear in the length."""
OVERLONG_SENTENCES = 200
OVERLONG_CHARACTERS = 20_000


@dataclass
class AnswerSentence:
    """One sentence, list item or table row of an answer."""

    text: str
    """Without citation marks, emphasis and list signs."""
    marked: str
    """The same with one private-use character for each citation."""
    citations: tuple[str, ...] = ()
    heading: bool = False
    item: bool = False
    line: int = 0
    context: str = ""
    """The heading above it, for list items and table rows."""
    decline: Decline | None = None
    borrowed: bool = False
    """Its citations come from a list at the end or from the dict, not from marks of its own."""


@dataclass
class ParsedAnswer:
    """Everything that the reading of an answer works on."""

    parts: list[AnswerSentence]
    citations: tuple[str, ...]
    """All ids cited anywhere, each once, in order of appearance."""
    flags: list[str] = field(default_factory=list)
    blank: bool = False
    language: str = "en"

    @property
    def text(self) -> str:
        """The sentences, citation marks left out, one a line."""
        return "\n".join(part.text for part in self.parts)


def parse_answer(answer: Answer, question: str, known: Sequence[str]) -> ParsedAnswer:
    """Take an answer apart; ``known`` are the ids of the passages it got, in order."""
    if not answer.citations and _PROSE.fullmatch(answer.text):
        read = _prose(answer.text)
        return ParsedAnswer([copy(part) for part in read.parts], (), [], read.blank, read.language)
    return _dissect(answer.text, answer.citations or (), question, known)


@lru_cache(maxsize=1024)
def _prose(text: str) -> ParsedAnswer:
    """Take a short answer in plain words apart, which neither question nor passages change; read once."""
    return _dissect(text, (), "", ())


def _dissect(text: str, citations: Sequence[str], question: str, known: Sequence[str]) -> ParsedAnswer:
    plain = normalise(text)
    marked = mark(plain.text, known)
    positional = marked.positional
    stated = [*citations, *(plain.citations or ())]
    listed, by_place = resolve(stated, known)
    language = language_of(MARK.sub(" ", marked.text))
    parts, trailing = _parts(marked, question, language or "en")
    positional = positional or by_place
    anatomy = ParsedAnswer(parts, (), language=language)
    _lead_in(parts)
    _lend_back(parts)
    own = tuple(dict.fromkeys(id_ for part in parts for id_ in part.citations))
    # A list beside the text that repeats its marks says nothing of the sentences without one.
    beside = [id_ for id_ in listed if id_ not in own]
    _attach(parts, tuple(dict.fromkeys((*trailing, *beside))), own)
    anatomy.citations = tuple(dict.fromkeys((*own, *trailing, *listed)))
    if positional:
        anatomy.flags.append("positional_citations")
    if len(parts) > OVERLONG_SENTENCES or len(text) > OVERLONG_CHARACTERS:
        anatomy.flags.append("overlong")
    anatomy.blank = not any(_WORDY.search(part.text) for part in parts)
    return anatomy


def _lead_in(parts: list[AnswerSentence]) -> None:
    """Give the citations of "The applicants are [x]:" to the list items below it that have none of their own."""
    lead: AnswerSentence | None = None
    for part in parts:
        if not part.item:
            opens = part.text.rstrip().endswith((":", "are", "is", "following")) or part.heading
            lead = part if part.citations and opens else None
        elif lead is not None and not part.citations:
            part.citations, part.borrowed = lead.citations, True


def _lend_back(parts: Sequence[AnswerSentence]) -> None:
    """Give the marks of a sentence that only says where the answer stands to the sentence before it."""
    for before, part in itertools.pairwise(parts):
        if not before.citations and not before.heading and acts.is_attribution(part.text):
            before.citations, before.borrowed = part.citations, True


def _attach(parts: list[AnswerSentence], trailing: tuple[str, ...], own: tuple[str, ...]) -> None:
    """Give the citations of a list at the end to every sentence that has no mark of its own."""
    if not trailing:
        return
    bare = [part for part in parts if not part.citations and not part.heading]
    for part in bare:
        part.citations, part.borrowed = trailing, True
    left = tuple(id_ for id_ in trailing if id_ not in own)
    if not bare and left and parts:
        parts[0].citations += left


def _parts(marked: Marked, question: str, language: str) -> tuple[list[AnswerSentence], list[str]]:
    parts: list[AnswerSentence] = []
    trailing: list[str] = []
    context, in_sources = "", False
    asked = frozenset(content(question))
    lines = marked.text.split("\n")
    header: list[str] = []
    for number, raw in enumerate(lines):
        if not raw.strip() or (len(raw) < 400 and _RULE.match(raw)):
            in_sources = in_sources and number + 1 < len(lines)
            continue
        start = _LINE_START.match(raw)
        body = raw[start.end() :] if start else raw
        item = bool(start and start["bullet"])
        heading = bool(start and start["hash"]) or (_BOLD_LINE.match(raw) is not None and not item)
        if body.count("|") >= 2 or body.strip().startswith("|"):
            body, item = row_of(body, header), True
            if number + 1 < len(lines) and "-" in lines[number + 1] and _RULE.match(lines[number + 1]):
                header = cells_of(raw)
        else:
            header = []
        body = EMPHASIS.sub("", body).strip()
        without = MARK.sub("", body).strip(" .,;:|-–—()[]")
        ids = marked.cited(body)
        sources = _SOURCES.match(body)
        if sources and len(raw_words(MARK.sub("", body[sources.end() :]))) <= 3:
            trailing += ids
            in_sources = True
            continue
        if (not without and parts) or (in_sources and ids and (item or len(body) < 300)):
            trailing += ids
            continue
        in_sources = False
        heading = heading and len(raw_words(body)) <= 14
        _read_line(parts, body, marked, (number, item, heading, context, language), asked)
        if heading:
            context = without
    return _join_words(parts), trailing


def _read_line(
    parts: list[AnswerSentence],
    body: str,
    marked: Marked,
    place: tuple[int, bool, bool, str, str],
    asked: frozenset[str],
) -> None:
    number, item, heading, context, language = place
    label = _ANSWER_LABEL.match(body)
    if label:
        body = body[label.end() :]
    for start, end in sentences(body, language):
        for piece in _pieces(body[start:end]):
            text = re.sub(r"\s+([.,;:!?])", r"\1", re.sub(r"\s{2,}", " ", MARK.sub("", piece))).strip()
            ids = marked.cited(piece)
            if not text.strip(" .,;:()[]\"'"):
                if parts and parts[-1].line == number:
                    parts[-1].citations = tuple(dict.fromkeys((*parts[-1].citations, *ids)))
                    parts[-1].marked += piece
                    continue
                if not ids:
                    continue
            if _restates(text, asked, heading=heading):
                before = _BEFORE_ECHO.match(text)
                if not before or find_decline(before[0]) is None:
                    continue
                # "I found nothing about: What is ...?" declines, though its end is the question.
                text = text.rstrip(" ?\"'*”") + "."
            parts.append(AnswerSentence(text, piece, ids, heading, item, number, context, find_decline(text)))


_BEFORE_ECHO = regex(r"[^:\"“«„—–?]{4,120}(?=[:\"“«„—–])")


def _pieces(sentence: str) -> list[str]:
    """Cut a sentence where both sides of a semicolon carry citations, and where it is longer than any sentence."""
    if len(sentence) <= LONGEST_SENTENCE:
        return _SEMICOLON.split(sentence) if ";" in sentence else [sentence]
    pieces: list[str] = []
    while len(sentence) > LONGEST_SENTENCE:
        cut = sentence.rfind(" ", LONGEST_SENTENCE // 2, LONGEST_SENTENCE) + 1 or LONGEST_SENTENCE
        pieces.append(sentence[:cut])
        sentence = sentence[cut:]
    return [*pieces, sentence]


def _restates(text: str, asked: frozenset[str], *, heading: bool) -> bool:
    """Say whether a sentence only repeats the question."""
    if not (
        text.rstrip(" \"'*”").endswith("?") or heading or text.casefold().startswith(("q:", "question:"))
    ):
        return False
    words = frozenset(content(text)) - {"question", "q"}
    if _YES_NO.match(text) or not words:
        return False
    if text.rstrip(" \"'*”").endswith("?") and not acts.asks_back(text):
        return len(words & asked) >= 0.6 * len(words)
    return heading and len(words) > 3 and words <= asked


def _join_words(parts: list[AnswerSentence]) -> list[AnswerSentence]:
    """Join a bare "Yes." or "No." with the sentence after it."""
    joined: list[AnswerSentence] = []
    for part in parts:
        before = joined[-1] if joined else None
        if before and _YES_NO.match(before.text) and not before.citations and not (before.item and part.item):
            word = before.text.rstrip(" .:!,;–—-")
            part.text, part.marked = f"{word}. {part.text}", f"{word}. {part.marked}"
            part.heading = False
            joined[-1] = part
        else:
            joined.append(part)
    return joined


def is_bare_answer(text: str) -> bool:
    """Say whether a sentence is nothing but yes or no."""
    return _YES_NO.match(text) is not None


def has_words(text: str) -> bool:
    """Say whether a text holds any word that says something."""
    return any(word not in STOPWORDS for word in raw_words(text))
