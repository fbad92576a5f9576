"""What is known of a question, the values that an answer states, and what the answer commits to."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Literal, NamedTuple, cast

from ragharness.language.dates import find_dates
from ragharness.language.polarity import frame
from ragharness.language.tables import any_of, regex, table, words_of
from ragharness.language.words import concepts_of, content, generic_concepts, raw_words
from ragharness.records import Match, Question, Score

_NAME = regex(r"(?<![.!?]\s)(?<!^)\b[A-ZÀ-Ý][\w&'’.-]*")
_WHICH_OF = regex(r"\bwhich\s+(\w+)\s+(?!of\b)", re.IGNORECASE)
_SORTS = [
    (regex(rf"\b{any_of(row['asks'])}\b", re.IGNORECASE), concepts_of(str(row["brings"])))
    for row in cast("list[dict[str, list[str] | str]]", table("questions")["sorts"])
]  # how a question asks, and the words that such questions bring with them
_TITLE = regex(r"[A-Z][a-z]+(?:\s+[A-Z][a-z]+)+")


class Profile(NamedTuple):
    """A question's words, sorted by what they do."""

    words: frozenset[str]  # concepts of its content words
    focus: frozenset[str]  # those that name the attribute asked for: no names, no document words, no years
    kindred: frozenset[str]  # words that the sort of question brings with it ("how long": term, period, ...)
    names: frozenset[str]  # case-folded capitalised words: the entities it asks about
    years: frozenset[int]
    acronyms: frozenset[str]  # initials of the capitalised runs in it ("Chief Executive Officer": ceo)
    qualified: frozenset[tuple[str, str]]  # neighbouring words of the attribute ("deputy director")
    question: str
    kind: str
    proposition: str
    yes_means: bool
    modality: str


def profile_of(question: Question) -> Profile:
    """Profile of a question; cached by its text."""
    return _profile(question.text, question.proposition, question.yes_means, question.kind)


@lru_cache(maxsize=1024)
def _profile(text: str, proposition: str, yes_means: bool, kind: str) -> Profile:
    bare = (word.casefold().rstrip(".'’") for word in _NAME.findall(text))
    names = frozenset(word.removesuffix("'s").removesuffix("’s") for word in bare)
    names -= words_of("questions", "common_capitals")
    words = concepts_of(text) | (concepts_of(proposition) if kind == "yesno" else frozenset())
    named = frozenset(concept for name in names for concept in content(name))
    if kind in ("text", "list"):
        # "Which office administers ...": the office is the answer, not the attribute.
        named |= concepts_of(" ".join(_WHICH_OF.findall(text)))
    numbers = frozenset(word for word in raw_words(text) if word.isdigit())
    focus = words - named - generic_concepts() - numbers
    initials = ("".join(word[0] for word in run.split()) for run in _TITLE.findall(text))
    ordered = [content(word)[:1] for word in raw_words(text)]
    neighbours = ((*first, *last) for first, last in itertools.pairwise(ordered) if first and last)
    stated = proposition or text
    return Profile(
        words=words,
        focus=focus,
        kindred=frozenset[str]().union(*(brought for asks, brought in _SORTS if asks.search(text))),
        names=names,
        years=frozenset(date.year for date in find_dates(text) if date.year),
        acronyms=frozenset(each.casefold() for each in initials),
        qualified=frozenset((word, head) for word, head in neighbours if word in focus and head in focus),
        question=text,
        kind=kind,
        proposition=stated,
        yes_means=yes_means,
        modality=frame(stated).modality if kind == "yesno" else "",
    )


@dataclass
class AnswerSentence:
    """One sentence, list item or table row of an answer."""

    text: str  # without citation marks, emphasis and list signs
    marked: str  # the same with one private-use character for each citation
    citations: tuple[str, ...] = ()
    heading: bool = False
    item: bool = False
    context: str = ""  # the heading above it
    line: int = 0  # its line, or paragraph, in the answer
    quotation: bool = False  # whether it is nothing but words of a passage, quoted as a citation


Relation = Literal["match", "mismatch", "distractor", "world", "imprecise", "ambiguous"]
Slot = Literal["in", "weak", "stray", "out"]
"""``in``: asserted in the slot; ``weak``: nothing speaks against it; ``stray``: another attribute, it seems;
``out``: a comparison, another entity or another period."""


@dataclass
class Candidate:
    """A value in a sentence and how it compares."""

    start: int
    end: int
    relation: Relation
    written: str
    equals: str = ""  # the distractor that it is
    negated: bool = False
    scale_implied: bool = False
    loose: bool = False  # it counts only when nothing better does: a bare number for money, part of a name
    foreign_unit: bool = False
    of_another: bool = False  # it counts something else than the question, and answers nothing
    related: bool = False  # it only says whose deputy, parent or successor the answer is
    rival: str = ""  # another name joined to this one ("Delaware or New York")
    either: bool = False  # the two are joined by "or": one of them is meant
    alternative: bool = False  # it is offered beside another value as what it may be instead ("or")
    near: bool = False  # it differs from the gold only as far as rounding on the way makes it
    elsewhere: tuple[str, ...] = ()  # to what it belongs as a distractor; the right value: what all belong to


class Entry(NamedTuple):
    """A value, the sentence that states it, and where it stands to the question."""

    part: AnswerSentence
    candidate: Candidate
    slot: Slot

    @property
    def right(self) -> bool:
        """Whether it equals the gold."""
        return self.candidate.relation == "match"

    @property
    def may_answer(self) -> bool:
        """Whether it is the gold, stated where it may be the answer."""
        return self.right and self.slot != "out" and not (self.candidate.related or self.candidate.negated)

    @property
    def frame(self) -> frozenset[str]:
        """The words of its sentence around it."""
        text = self.part.text
        return concepts_of(f"{text[: self.candidate.start]} {text[self.candidate.end :]}")


@dataclass
class Outcome:
    """The committed answer of a text, compared with the gold; ``committed`` False: there is none."""

    committed: bool = False
    match: Match = "none"
    value: str = ""
    contradiction: bool = False
    imprecise: bool = False
    partial_then_declined: bool = False
    unreadable: str = ""
    entries: list[Entry] = field(default_factory=list)  # values of the question's kind, in the slot or out
    calculates: bool = False  # whether the text shows a calculation
    denied: bool = False  # it only says what the answer is not, and names the gold
    score: Score | None = None
    parts: list[AnswerSentence] = field(default_factory=list)  # the sentences that carry the answer
    flags: list[str] = field(default_factory=list)
    _known: frozenset[int] = frozenset()

    def commit(self, entries: Sequence[Entry]) -> None:
        """Take the first value as the committed answer."""
        self.committed, self.value = True, entries[0].candidate.written
        self.carry(entries)

    def leave(self, why: str) -> None:
        """Leave the answer to a person."""
        self.committed, self.unreadable = False, why

    def carry(self, entries: Iterable[Entry]) -> None:
        """Take note of the sentences and places of committed values."""
        parts = [*self.parts, *(entry.part for entry in entries)]
        self.parts = list({id(part): part for part in parts}.values())

    def holds(self, part: AnswerSentence) -> bool:
        """Whether a sentence is one of those that carry the answer."""
        if len(self._known) != len(self.parts):
            self._known = frozenset(map(id, self.parts))
        return id(part) in self._known
