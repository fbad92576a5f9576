"""An answer taken apart: its sentences with their citations, headings and source lists set aside."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from msgspec.structs import replace

from ragharness.graders.reading.records import AnswerSentence
from ragharness.graders.reading.refusal import does, find_decline, is_question
from ragharness.language.citations import MARK, SOURCES, Marked, Source, mark
from ragharness.language.markup import normalise
from ragharness.language.tables import phrases, regex
from ragharness.language.words import concepts_of, is_english, raw_words, squeeze, whole_sentences
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
_BARE_ANSWER = regex(rf"^\W*{phrases('answers', 'bare_answers')}\W*$", re.IGNORECASE)
_WORD = regex(r"[^\W_]")
_FIGURE = regex(r"\d[\d,.]*")
_BLANKS = regex(r"\s\s+")
_BEFORE_POINT = regex(r"\s+([.,;:!?])")
_MOST_IN_HEADING = 14
_PIECE = regex(r"(?s).{1,1500}(?:\s|$)|.{1,1500}")  # so that reading stays linear in the length
LONG_COPY = 120  # words copied from the passages: the answer is what is said besides
_LEAST_SENTENCE = 5
_LEADING = regex(r"^\W*(?:yes|no)\b\W*", re.IGNORECASE)
OVERLONG_SENTENCES = 200
OVERLONG_CHARACTERS = 20_000


@dataclass
class ParsedAnswer:
    """Everything that the reading of an answer works on."""

    sentences: list[AnswerSentence]
    citations: tuple[str, ...]  # all ids cited anywhere, each once, in order of appearance
    english: bool
    flags: list[str] = field(default_factory=list)
    members: dict[str, tuple[str, ...]] = field(default_factory=dict)  # passages behind a document or page

    def cited_texts(self, retrieved: Sequence[Passage]) -> dict[str, Passage]:
        """What each citation may name: passages by id, and those of a document or page as one."""
        passages = {passage.id: passage for passage in retrieved}
        for name, ids in self.members.items():
            members = [passages[id_] for id_ in ids]
            text = "\n\n".join(passage.text for passage in members)
            passages[name] = replace(members[0], id=name, text=text)
        return passages

    def supporting(self, ids: frozenset[str]) -> frozenset[str]:
        """Ids of passages, and the citations that name one of them among others."""
        return ids | {name for name, members in self.members.items() if not ids.isdisjoint(members)}

    @property
    def text(self) -> str:
        """The sentences, citation marks left out, one a line."""
        return "\n".join(each.text for each in self.sentences)

    @property
    def blank(self) -> bool:
        """Whether no sentence has a letter or a digit."""
        return not self.sentences


def parse_answer(
    answer: Answer, question: str, retrieved: Sequence[Passage], *, strict: bool = False
) -> ParsedAnswer:
    """Take an answer apart; ``retrieved`` are the passages that it got, in order.

    ``strict``: citations are ids of passages, or their places; nothing else is read as one.
    """
    plain = normalise(answer.text)
    apart = (*(answer.citations or ()), *(plain.citations or ()))
    marked = mark(plain.text, sources_of(retrieved), apart, question=question, strict=strict)
    english = is_english(MARK.sub(" ", marked.text))
    found, trailing = _Parser(marked, question, english=english).parse()
    _share_citations(found)
    own = tuple(dict.fromkeys(id_ for each in found for id_ in each.citations))
    # A list beside the text that repeats its marks says nothing of the sentences without one.
    at_end = tuple(dict.fromkeys((*trailing, *(id_ for id_ in marked.listed if id_ not in own))))
    for each in found:
        if not each.citations and not each.heading:
            each.citations = at_end
    flags = list(marked.flags)
    if len(found) > OVERLONG_SENTENCES or len(answer.text) > OVERLONG_CHARACTERS:
        flags.append("overlong")
    cited = tuple(dict.fromkeys((*own, *trailing, *marked.listed)))
    return ParsedAnswer(found, cited, english, flags, marked.members)


def sources_of(retrieved: Sequence[Passage]) -> list[Source]:
    """Passages as citations may name them."""
    return [
        Source(p.id, p.document or p.id, (p.document, p.title, *p.names), p.page, p.text) for p in retrieved
    ]


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
        self.line = 0
        self.in_sources = False

    def parse(self) -> tuple[list[AnswerSentence], list[str]]:
        """Sentences, and the ids of source lists and of lines that only cite."""
        lines = self.marked.text.split("\n")
        for self.line, (line, below) in enumerate(itertools.pairwise([*lines, ""])):
            if "|" in line and "|" in below and _RULE.match(below):
                self.header = _cells(line)
            elif not _RULE.match(line):
                self._read_line(line)
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
        sources = SOURCES.match(body)
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
        body = body[label.end() :] if (label := _LABEL.match(body)) else body
        for start, end in whole_sentences(body) if self.english else [(0, len(body))]:
            for piece in _PIECE.findall(body, start, end):
                text = _BEFORE_POINT.sub(r"\1", _BLANKS.sub(" ", MARK.sub("", piece))).strip()
                ids = self.marked.cited(piece)
                if not _WORD.search(text):
                    self.trailing += ids
                elif not self._restates(text):
                    part = AnswerSentence(text, piece, ids, heading, item, self.context, self.line)
                    part.quotation = self._quotes(part)
                    self.found.append(part)

    def _quotes(self, part: AnswerSentence) -> bool:
        """Whether a sentence is nothing but a quotation that is a citation, or goes on with one."""
        before = self.found[-1] if self.found else part
        goes_on = before.quotation and before.line == part.line
        said = squeeze(part.text) if goes_on or part.text[0] in '"“«(' else ""
        return bool(said) and any(said in quotation for quotation in self.marked.quotations)

    def _restates(self, text: str) -> bool:
        if not is_question(text) or does("asks_back", text) or find_decline(text):
            return False
        said = concepts_of(text)
        return len(said & self.asked) >= 0.6 * len(said)


def _join_bare_answers(found: list[AnswerSentence]) -> list[AnswerSentence]:
    """Join a bare "Yes." or "No." with the sentence after it."""
    joined: list[AnswerSentence] = []
    for each in found:
        bare = joined and not (joined[-1].citations or each.quotation)
        if bare and _BARE_ANSWER.match(joined[-1].text):
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
    columns = zip(header[1:], cells, strict=True)
    named = "; ".join(f"{label}, {name} = {cell}" for name, cell in columns if cell in figures)
    return f"{named} {''.join(cell for cell in cells if cell not in figures)}"


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
    texts = [squeeze(passage.text) for passage in passages]
    copied = {text for text in long if any(squeeze(text) in each for each in texts)}
    at_length = sum(len(text.split()) for text in copied) >= LONG_COPY
    return [each for each in parts if not (at_length and each.text in copied)]


def is_copied(parts: Sequence[AnswerSentence], passages: Iterable[Passage]) -> bool:
    """Whether an answer is nothing but sentences of passages, a leading yes or no apart."""
    texts = [squeeze(passage.text) for passage in passages]
    bodies = [_LEADING.sub("", part.text) for part in parts]
    long = all(len(body.split()) > _LEAST_SENTENCE for body in bodies)
    return bool(bodies) and long and all(any(squeeze(body) in text for text in texts) for body in bodies)


FIRST_CITATIONS = 3  # only so many citations of the answer claim count: citing everything must not win


def read_citations(
    question: Question,
    answer: Answer,
    retrieved: Sequence[Passage],
    supporting: frozenset[str],
    *,
    strict: bool = False,
) -> tuple[ParsedAnswer, Reading]:
    """Answer taken apart, and a reading of its citations alone, for graders that read by no rules."""
    parsed = parse_answer(answer, question.text, retrieved, strict=strict)
    cited, texts = parsed.citations, parsed.cited_texts(retrieved)
    return parsed, Reading(
        status="no_answer" if parsed.blank else "ok",
        evidence_retrieved=not supporting.isdisjoint(texts),
        n_citations=len(cited),
        all_cited_retrieved=texts.keys() >= set(cited) if cited else None,
        flags=tuple(parsed.flags),
        extra=None,
        quality_unknown=True,
        members=parsed.members,
    )


def claim_citations(
    answering: Sequence[AnswerSentence], justifying: Sequence[AnswerSentence]
) -> tuple[str, ...]:
    """First citations of the sentences that answer, filled up from those that justify the answer."""
    cited = dict.fromkeys(name for part in answering for name in part.citations[:FIRST_CITATIONS])
    others = dict.fromkeys(name for part in justifying for name in part.citations if name not in cited)
    return (*cited, *tuple(others)[: max(0, FIRST_CITATIONS - len(cited))])


def claim_citations_by(evidence: str, parsed: ParsedAnswer) -> tuple[str, ...]:
    """Citations of the claim in the words that decided, as whole words, else in any words."""
    words = f" {' '.join(raw_words(evidence))} "
    spoken = [(part, f" {' '.join(raw_words(part.text))} ") for part in parsed.sentences]
    holding = [part for part, text in spoken if words.strip() and words in text]
    return claim_citations(holding, parsed.sentences) or parsed.citations[:FIRST_CITATIONS]


def lend_citations(
    parts: Sequence[AnswerSentence],
    claims: Sequence[bool],
    idle: Sequence[bool],
    supports: Callable[[int], tuple[bool | None, ...]],
) -> None:
    """Give the citations at the end of a run of sentences to those before it that they support.

    ``idle`` is a sentence that says nothing ("I hope this helps [x]"): all its citations are those before it.
    """
    run: list[int] = []
    for number, part in enumerate(parts):
        if run and part.line != parts[run[-1]].line:
            run = []
        if not part.citations:
            run += [number] if claims[number] else []
            continue
        for index in run:
            parts[index].citations = part.citations
            may_support = zip(part.citations, supports(index), strict=True)
            stated = tuple(mark for mark, holds in may_support if holds is not False)
            parts[index].citations = stated or (part.citations if idle[number] else ())
        if run and idle[number]:
            part.citations = ()
        run = []
