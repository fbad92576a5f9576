"""An answer taken apart: its sentences with their citations, headings and source lists set aside."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from ragharness.graders.reading.records import AnswerSentence
from ragharness.graders.reading.refusal import does, find_decline, is_question
from ragharness.language.markup import MARK, Marked, mark, normalise, resolve
from ragharness.language.tables import phrases, regex
from ragharness.language.words import concepts_of, is_english, raw_words, sentences
from ragharness.records import Answer, Passage, Question, Reading

_LINE_START = regex(
    r"^[ \t]*(?P<hash>#{1,6}[ \t]+)?(?P<bullet>(?:[-*•·–—+▪◦‣]|\(?(?:\d{1,2}|[a-z])[.)])[ \t]+)?"
)
_RULE = regex(r"^[\s|:+=_*-]*$")
_EMPHASIS = regex(r"\*\*?\*?|__|~~")
_BOLD_LINE = regex("^\\s*(?:\\*\\*|__)[^*_]+(?:\\*\\*|__)[\\s:\ue000-\uf8ff]*$")
_LABEL = regex(
    rf"^\W*(?:{phrases('answers', 'label_adjectives')}\s+)?{phrases('answers', 'labels')}"
    r"\s*(?:\([^()]{0,40}\))?\s*(?::|—|–|\s-\s)\s*",
    re.IGNORECASE,
)
_SOURCES = regex(
    rf"^\W*(?:{phrases('answers', 'source_adjectives')}\s+)?{phrases('answers', 'source_labels')}"
    r"\s*(?:[:\-–—]|$)\s*",
    re.IGNORECASE,
)
_BARE_ANSWER = regex(rf"^\W*{phrases('answers', 'bare_answers')}\W*$", re.IGNORECASE)
_WORD = regex(r"[^\W_]")
_FIGURE = regex(r"\d[\d,.]*")
_MARKS = regex(r"[\W_]+")
_BLANKS = regex(r"\s\s+")
_BEFORE_POINT = regex(r"\s+([.,;:!?])")
_MOST_IN_HEADING = 14
_PIECE = regex(r"(?s).{1,1500}(?:\s|$)|.{1,1500}")
"""Longer runs without an end are read in pieces, so that reading stays linear in the length."""
LONG_COPY = 120  # words copied from the passages: the answer is what is said besides
_LEAST_SENTENCE = 5
OVERLONG_SENTENCES = 200
OVERLONG_CHARACTERS = 20_000


@dataclass
class ParsedAnswer:
    """Everything that the reading of an answer works on."""

    sentences: list[AnswerSentence]
    citations: tuple[str, ...]  # all ids cited anywhere, each once, in order of appearance
    english: bool
    flags: list[str] = field(default_factory=list)

    @property
    def text(self) -> str:
        """The sentences, citation marks left out, one a line."""
        return "\n".join(each.text for each in self.sentences)

    @property
    def blank(self) -> bool:
        """Whether no sentence has a letter or a digit."""
        return not self.sentences


def parse_answer(answer: Answer, question: str, known: Sequence[str]) -> ParsedAnswer:
    """Take an answer apart; ``known`` are the ids of the passages it got, in order."""
    plain = normalise(answer.text)
    marked = mark(plain.text, known)
    listed, by_place = resolve([*(answer.citations or ()), *(plain.citations or ())], known)
    english = is_english(MARK.sub(" ", marked.text))
    found, trailing = _Parser(marked, question, english=english).parse()
    _share_citations(found)
    own = tuple(dict.fromkeys(id_ for each in found for id_ in each.citations))
    # A list beside the text that repeats its marks says nothing of the sentences without one.
    at_end = tuple(dict.fromkeys((*trailing, *(id_ for id_ in listed if id_ not in own))))
    for each in found:
        if not each.citations and not each.heading:
            each.citations = at_end
    flags = ["positional_citations"] if marked.positional or by_place else []
    if len(found) > OVERLONG_SENTENCES or len(answer.text) > OVERLONG_CHARACTERS:
        flags.append("overlong")
    return ParsedAnswer(found, tuple(dict.fromkeys((*own, *trailing, *listed))), english, flags)


def _share_citations(found: list[AnswerSentence]) -> None:
    """Give marks to the items below "They are [x]:" and to the sentence before "This is set out in [x]"."""
    lead: tuple[str, ...] = ()
    for before, each in itertools.pairwise([AnswerSentence("", ""), *found]):
        if not each.item:
            lead = each.citations if each.text.endswith(":") else ()
        each.citations = each.citations or lead
        if each.citations and not before.citations and does("attribution", each.text):
            before.citations = each.citations


class _Parser:
    def __init__(self, marked: Marked, question: str, *, english: bool) -> None:
        self.marked = marked
        self.english = english
        self.asked = concepts_of(question)
        self.found: list[AnswerSentence] = []
        self.trailing: list[str] = []
        self.header: list[str] = []
        self.context = ""
        self.in_sources = False

    def parse(self) -> tuple[list[AnswerSentence], list[str]]:
        """Sentences, and the ids of source lists and of lines that only cite."""
        above = ""
        for line in self.marked.text.split("\n"):
            if not _RULE.match(line):
                self._read_line(line)
            elif "|" in line:
                self.header = _cells(above)
            above = line
        return _join_bare_answers(self.found), self.trailing

    def _read_line(self, line: str) -> None:
        start = _LINE_START.match(line)
        body = line[start.end() :] if start else line
        item = bool(start and start["bullet"])
        heading = bool(start and start["hash"]) or _BOLD_LINE.match(line) is not None
        if body.count("|") >= 2:
            body, item = _read_row(body, self.header), True
        else:
            self.header = []
        body = _EMPHASIS.sub("", body).strip()
        said = MARK.sub("", body).strip(" .,;:|-–—()[]")
        sources = _SOURCES.match(body)
        if sources and len(raw_words(MARK.sub("", body[sources.end() :]))) <= 3:
            self.in_sources = True
            self.trailing += self.marked.cited(body)
        elif not said or (self.in_sources and MARK.search(body)):
            self.trailing += self.marked.cited(body)
        else:
            self.in_sources = False
            heading = heading and len(raw_words(body)) <= _MOST_IN_HEADING
            self._read_sentences(body, item=item, heading=heading)
            self.context = said if heading else self.context

    def _read_sentences(self, body: str, *, item: bool, heading: bool) -> None:
        label = _LABEL.match(body)
        body = body[label.end() :] if label else body
        for start, end in sentences(body) if self.english else [(0, len(body))]:
            for piece in _PIECE.findall(body, start, end):
                text = _BEFORE_POINT.sub(r"\1", _BLANKS.sub(" ", MARK.sub("", piece))).strip()
                ids = self.marked.cited(piece)
                if not _WORD.search(text):
                    self.trailing += ids
                elif not self._restates(text):
                    self.found.append(AnswerSentence(text, piece, ids, heading, item, self.context))

    def _restates(self, text: str) -> bool:
        """Whether a sentence only repeats the question."""
        if not is_question(text) or does("asks_back", text) or find_decline(text):
            return False
        said = concepts_of(text)
        return len(said & self.asked) >= 0.6 * len(said)


def _join_bare_answers(found: list[AnswerSentence]) -> list[AnswerSentence]:
    """Join a bare "Yes." or "No." with the sentence after it."""
    joined: list[AnswerSentence] = []
    for each in found:
        if joined and not joined[-1].citations and _BARE_ANSWER.match(joined[-1].text):
            word = joined.pop().text.rstrip(" .:!,;–—-")
            each.text, each.marked, each.heading = f"{word}. {each.text}", f"{word}. {each.marked}", False
        joined.append(each)
    return joined


def _cells(row: str) -> list[str]:
    return [_EMPHASIS.sub("", cell).strip() for cell in row.strip().strip("|").split("|")]


def _read_row(row: str, header: Sequence[str]) -> str:
    """A table row below its header as "Sales, 2023 = 5; Sales, 2022 = 4", any other as its cells."""
    label, *cells = _cells(row)
    figures = [cell for cell in cells if MARK.sub("", cell).strip(" -–—")]
    if len(header) != len(cells) + 1 or not figures:
        return " | ".join(filter(None, (label, *cells)))
    said = (
        f"{label}, {name} = {cell}" for name, cell in zip(header[1:], cells, strict=True) if cell in figures
    )
    return "; ".join(said) + " " + "".join(cell for cell in cells if cell not in figures)


def is_quoted_row(text: str) -> bool:
    """Whether a sentence is a row of two figures or more, with nothing that tells its columns."""
    return text.count(" | ") >= 2 and " = " not in text and len(_FIGURE.findall(text)) >= 2


def is_quoted_table(text: str) -> bool:
    """Whether a sentence is several rows of a table run together: more than a label and four years."""
    return text.count(" | ") >= 4 and len(_FIGURE.findall(text)) >= 6


def own_sentences(parts: Sequence[AnswerSentence], passages: Sequence[Passage]) -> list[AnswerSentence]:
    """Sentences of an answer; where it copies passages at length, those of its own."""
    long = {each.text for each in parts if len(each.text.split()) >= _LEAST_SENTENCE}
    if sum(len(text.split()) for text in long) < LONG_COPY:
        return list(parts)
    texts = [_squeezed(passage.text) for passage in passages]
    copied = {text for text in long if any(_squeezed(text) in each for each in texts)}
    at_length = sum(len(text.split()) for text in copied) >= LONG_COPY
    return [each for each in parts if not (at_length and each.text in copied)]


@lru_cache(maxsize=512)
def _squeezed(text: str) -> str:
    """The letters and digits of a text, so that markup and line breaks make no difference."""
    return _MARKS.sub("", text).casefold()


FIRST_CITATIONS = 3  # only so many citations of the answer claim count: citing everything must not win


def read_citations(
    question: Question, answer: Answer, retrieved: Sequence[Passage], supporting: frozenset[str]
) -> tuple[ParsedAnswer, Reading]:
    """Answer taken apart, and a reading of its citations alone, for graders that read by no rules."""
    passages = {passage.id for passage in retrieved}
    parsed = parse_answer(answer, question.text, [passage.id for passage in retrieved])
    cited = parsed.citations
    return parsed, Reading(
        status="no_answer" if parsed.blank else "ok",
        evidence_retrieved=not supporting.isdisjoint(passages),
        n_citations=len(cited),
        all_cited_retrieved=passages.issuperset(cited) if cited else None,
        flags=tuple(parsed.flags),
        extra=None,
        quality_unknown=True,
    )


def claim_citations(evidence: str, parsed: ParsedAnswer) -> tuple[str, ...]:
    """First citations of the sentences that hold the words that decided, else of the answer."""
    words = evidence.strip(" .\"'").casefold()
    holding = [sentence for sentence in parsed.sentences if words and words in sentence.text.casefold()]
    if holding:
        return tuple(mark for sentence in holding for mark in sentence.citations[:FIRST_CITATIONS])
    return parsed.citations[:FIRST_CITATIONS]
