"""The reference generator without a model: it quotes the sentence that holds most of what is asked.

Where the question names a document, only its passages are read. A sentence scores the share of the question's
subject words that it holds, each weighed by how few sentences hold it; one that begins with "it" stands with
the sentence before, a row with the heads of its table. Nothing is answered below the least share for the kind
of value asked for, without such a value or the question's year, names and numbers, where two rows differ, or
where two documents that the question may mean say as much.
Of a table one figure is quoted, with its row, group and column. A yes/no question is answered where the best
sentence affirms or denies it. All else is a refusal that names the nearest passages.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from math import fsum, log
from operator import itemgetter
from typing import NamedTuple

from ragharness.corpus.loading import Corpus
from ragharness.corpus.passages import SEPARATOR, SHORT, is_figure
from ragharness.corpus.propositions import read
from ragharness.language.tables import regex
from ragharness.language.words import content, generic_concepts, sentences, without_number, words
from ragharness.pipelines import Context, refuse_argument
from ragharness.pipelines._question import (
    NAME,
    Titles,
    core,
    holds,
    kind_asked,
    names_in,
    proposition,
    subject,
)
from ragharness.pipelines.refuse import refusal
from ragharness.records import Passage

LEAST = 0.5  # the least share of what is asked

MORE = {"": 0.7, "list": 0.6, "money": 0.7, "name": 0.7, "percent": 0.6}
"""The same for some kinds of value; money stands beside some words of most questions about a filing."""

ROW = 0.6  # the same of a row
UNSEEN = 0.5  # discount on the weight of a word that no sentence holds: it may be said in other words
SHORTEST = 3  # words of the shortest sentence that can state something; others are headings and labels
LETTERS = 5  # letters that are compared: an auditor has audited
_UNTABLED = ("", "claim", "date", "list", "name", "place")  # the kinds that no figure of a table answers

_DISTINGUISHING = frozenset({"before", "after", "other"})
"""Words without a subject of their own that make another row of it: income before taxes, other income."""

_NEGATED = regex(r"\b(?:without|free (?:of|from)|below|no|none|not)\b", re.IGNORECASE)
"""Words with which "yes" denies something: what a sentence says to that is not for simple rules."""

_YEAR = regex(r"(?<!\d)(?:19|20)\d\d(?!\d)")
_SCALE = regex(r"\bin (?:thousands|millions|billions)\b", re.IGNORECASE)
_UNSCALED = regex(r"\bper (?:\w+ )?share\b|\bEPS\b|\b(?:rate|margin)\b", re.IGNORECASE)
_NOTE = regex(r"\s*\([^)]*\)")
_NO_SENTENCE = regex(
    r"^(?:table|figure|exhibit|appendix)\s+[\dIVXA-Z]+[:.]| \| |##|:$|^\(.*\)$", re.IGNORECASE
)
_REFERS_BACK = regex(r"(?:It|They|This|These|He|She|Its|Their|Those|His|Her|The following)\b")
_LEADS_IN = regex(r"The following\b")

_SYNONYMOUS_PHRASES = {
    "commencing": "into force",
    "utmost": "up to|at most|not exceed|no more than|largest",
    "particular": "above all|is named|are named|as named|such as|namely|expressly|specifically",
}
_SYNONYMS = {  # phrases and words that say the same of a value in question and answer
    "commencing": "effective start begin commence",
    "leading": "head led leader",
    "utmost": "maximum highest",
    "particular": "especially",
}

_WORD_OF_PHRASE = {
    f" {phrase} ": f" {word} "
    for word, phrases in _SYNONYMOUS_PHRASES.items()
    for phrase in phrases.split("|")
}


def _cut(text: str) -> list[str]:
    return [concept[:LETTERS] for concept in content(text)]


_KEY_OF_SYNONYM = {key: _cut(word)[0] for word, synonyms in _SYNONYMS.items() for key in _cut(synonyms)}

_ASKING = frozenset(  # they ask for a kind of value or speak of the document: an answer does without them
    concept[:LETTERS]
    for concept in (
        *generic_concepts(),
        *content("say give report name list state city place date day month year kind title number amount"),
        *content("type two three author firm person official percentage"),
    )
)


class Row(NamedTuple):
    """A row of figures with what stands above it."""

    label: str  # its first cell, without notes in brackets
    figures: tuple[str, ...]
    heads: tuple[str, ...]  # the heads of its figures; empty when no line above it fits them
    above: str  # the lines above its table and the heads: what the table is about, and in what it counts
    group: str  # the line that heads its group of rows

    def under(self, years: frozenset[str]) -> str:
        """A sentence with the figure of the one column that is headed by one of the years, or ""."""
        pairs = zip(self.heads, self.figures, strict=False)
        columns = [(head, figure) for head, figure in pairs if years & years_of(head)]
        if len(columns) != 1 or not any(map(str.isdigit, columns[0][1])):
            return ""
        head, figure = columns[0]
        label = f"{self.group} {self.label}".strip()
        unscaled = "%" in figure or _UNSCALED.search(label)
        scale = [] if unscaled else _SCALE.findall(self.above)
        return f'{label}: {figure}{f" ({scale[-1].lower()})" if scale else ""} under "{head}"'


class Piece(NamedTuple):
    """A quotable sentence, perhaps with the one before it, or figure of a row."""

    text: str
    words: frozenset[str]
    row: Row | None = None
    sentence: str = ""  # the sentence without the one before it


class Candidate(NamedTuple):
    """A piece that can answer, with its share of what is asked."""

    score: float
    figure: str  # the figure of a row, without its label; "" for a sentence
    rank: int
    text: str
    passage: Passage


class Extractive:
    """Answers with the best sentence of the passages, or refuses."""

    def __init__(self, corpus: Corpus) -> None:
        self._titles = Titles(corpus)
        self._corpus = corpus
        self._pieces: dict[str, list[Piece]] = {}

    def __call__(self, question: str, passages: Sequence[Passage]) -> str:
        """The answer with its citation, or a refusal that names the nearest passages."""
        best = self._best(question, passages)
        claim = proposition(question)
        if best is None or (claim and _NEGATED.search(claim)):
            return refusal(passages)
        quotation = f"{best.text} [{best.passage.id}]"
        if not claim:
            return quotation
        polarity = read(best.text, claim).polarity
        if polarity not in ("affirms", "denies"):
            return refusal(passages)
        return f"{'Yes' if polarity == 'affirms' else 'No'}. {quotation}"

    def _best(self, question: str, passages: Sequence[Passage]) -> Candidate | None:
        candidates = self._candidates(question, passages)
        if not candidates:
            return None
        # Of equals, a row comes first, then what is in the better passage, or earlier in it.
        best = max(candidates, key=lambda piece: (piece.score, bool(piece.figure), -piece.rank))
        equals = [candidate for candidate in candidates if candidate.score == best.score]
        figures = {candidate.figure for candidate in equals if candidate.figure}
        # Two documents that the question may mean say as much of it: it does not tell which one is asked.
        unclear = len({candidate.passage.document for candidate in equals}) > 1
        return None if unclear or (best.figure and len(figures) > 1) else best

    def _candidates(self, question: str, passages: Sequence[Passage]) -> list[Candidate]:
        """The pieces that hold enough of what is asked, and a value of the kind asked for."""
        kind, topic = kind_asked(question), subject(question)
        names, naming = names_in(topic), names_in(question)
        sought = keys(topic) - _ASKING or keys(topic)
        titles = self._titles.named(question, passages)
        passages = [passage for passage in passages if passage.title in titles]
        passages = [passage for passage in passages if self._titles.fits(naming - names, passage)]
        # The document's name says which passages to read, not what to look for in them.
        sought = sought - keys(" ".join(titles)) or sought
        ranked = enumerate(passages)
        pieces = [(rank, passage, piece) for rank, passage in ranked for piece in self._pieces_of(passage)]
        counts = Counter(word for *_, piece in pieces for word in piece.words & sought)
        weights = {
            word: (1 if counts[word] else UNSEEN) * log(1 + (len(pieces) + 1) / (counts[word] + 1))
            for word in sought
        }
        # An exact sum is the same in every order of the words.
        whole = fsum(weights.values()) or 1
        candidates = []
        for rank, passage, piece in pieces:
            score = fsum(weights[word] for word in sought if word in piece.words) / whole
            enough = score >= (ROW if piece.row else MORE.get(kind, LEAST))
            text = _answering(piece, kind, question) if enough else ""
            # A row says little by itself: what is around its table counts too.
            around = f"{passage.title} {passage.heading} {passage.text if piece.row else text}"
            if text and names <= frozenset(words(around)):
                figure = text.rpartition(": ")[2].partition(" ")[0].strip("$") if piece.row else ""
                candidates.append(Candidate(score, figure, rank, text, passage))
        return candidates

    def _pieces_of(self, passage: Passage) -> list[Piece]:
        """The rows of a passage, then its sentences; each passage is read once."""
        if passage.id not in self._pieces:
            self._pieces[passage.id] = [*_rows_of(passage), *self._sentences_of(passage)]
        return self._pieces[passage.id]

    def _sentences_of(self, passage: Passage) -> Iterator[Piece]:
        before = ""
        for sentence in self._statements(passage):
            text = f"{before} {sentence}" if before and _REFERS_BACK.match(sentence) else sentence
            # What leads into a list says nothing that the list does not.
            yield Piece(sentence if _LEADS_IN.match(sentence) else text, keys(text), sentence=sentence)
            before = sentence

    def _statements(self, passage: Passage) -> Iterator[str]:
        document = self._corpus.document(passage.document)
        start = bisect_right(document.segments, passage.start, key=itemgetter(1))
        end = bisect_left(document.segments, passage.end, key=itemgetter(0))
        texts = [
            document.text[max(begin, passage.start) : min(stop, passage.end)]
            for begin, stop in document.segments[start:end]
        ]
        for text in texts or [passage.text]:
            for sentence in _split(text):
                is_label = sentence.isupper() or _NO_SENTENCE.search(sentence)
                if len(sentence.split()) >= SHORTEST and not is_label:
                    yield sentence


def build(context: Context, argument: str) -> Callable[[str, Sequence[Passage]], str]:
    """The extractive pipeline."""
    refuse_argument("extractive", argument)
    return Extractive(context.corpus)


def _answering(piece: Piece, kind: str, question: str) -> str:
    """The part of a piece that can answer; "" when it lacks the year or the kind of value asked for."""
    years = years_of(core(question))
    if piece.row is None:
        stated = years_of(piece.text)
        off = kind != "claim" and years and stated and not years & stated
        if kind == "name":
            question_words = frozenset(words(question))
            off = off or all(name.casefold() in question_words for name in NAME.findall(piece.sentence))
        return piece.text if not off and holds(piece.sentence, kind, question) else ""
    label = keys(piece.row.label)
    if kind in _UNTABLED or not label or label - keys(question):
        return ""
    if _DISTINGUISHING & (set(words(piece.row.label)) ^ set(words(core(question)))):
        return ""
    text = piece.row.under(years or years_of(question))
    return text if holds(text, kind, question) else ""


def _split(text: str) -> Iterator[str]:
    for start, end in sentences(text):
        # Behind the number of an item more than one sentence may stand.
        sentence = " ".join(text[start:end].split())
        item = without_number(sentence)
        yield from [item] if item is sentence else [item[begin:stop] for begin, stop in sentences(item)]


def _rows_of(passage: Passage) -> list[Piece]:
    table_rows = list(rows(f"{passage.heading}\n{passage.text}".strip()))
    counts = Counter((row.group, row.label) for row in table_rows)
    # Which of two rows with the same label (of two segments, say) is meant, the label does not tell.
    clear = (row for row in table_rows if counts[row.group, row.label] == 1)
    return [Piece(f"{row.group} {row.label}".strip(), keys(f"{row.label} {row.above}"), row) for row in clear]


def rows(text: str) -> Iterator[Row]:
    """The rows of figures of every table in a text, in order."""
    before = ""
    for block in text.split("\n\n"):
        lines = block.split("\n")
        above, heads, group = [before], tuple[str, ...](), ""
        for line in lines:
            cells = tuple(" ".join(cell.split()) for cell in line.split(SEPARATOR))
            count = len(cells)
            while count and is_figure(cells[count - 1]):
                count -= 1
            if 0 < count < len(cells):
                figures = cells[count:]
                fitting = heads if len(heads) == len(figures) else ()
                yield Row(_NOTE.sub("", cells[0]).strip(), figures, fitting, " ".join(above), group)
                continue
            above.append(line)
            is_short = len(cells) == 1 and len(line.split()) <= SHORT
            group = line if is_short and line[:1] != "(" and not years_of(line) else ""
            if len(cells) > 1 or years_of(line):
                # "(in millions) | 2024 | 2023": the first cell heads the labels.
                heads = cells if years_of(cells[0]) else cells[1:]
        before = lines[-1] if len(lines) == 1 else ""


def years_of(text: str) -> frozenset[str]:
    """The years that a text names."""
    return frozenset(_YEAR.findall(text))


def keys(text: str) -> frozenset[str]:
    """The concepts of a text's content words, cut to ``LETTERS``; what says the same has one key."""
    text = f" {text} "
    for phrase, word in _WORD_OF_PHRASE.items():
        if phrase in text:
            text = text.replace(phrase, word)
    return frozenset(_KEY_OF_SYNONYM.get(key, key) for key in _cut(text))
