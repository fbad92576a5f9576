"""What an answer commits to, in one record."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, NamedTuple

from ragharness.language.words import content

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ragharness.graders.reading.answer import AnswerSentence
    from ragharness.records import Match, Score

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
    equals: str = ""
    """The distractor that it is."""
    negated: bool = False
    scale_implied: bool = False
    loose: bool = False
    """It counts only when nothing better is there: a bare number for money, a part of a name."""
    foreign_unit: bool = False
    named: bool = False
    """It is a name or phrase, no number or date."""
    related: bool = False
    """It only says whose deputy, parent or successor the answer is."""
    rival: str = ""
    """Another name joined to this one ("Delaware or New York")."""
    either: bool = False
    """The two are joined by "or": one of them is meant."""
    alternative: bool = False
    """It is offered beside another value as what it may be instead ("or")."""
    near: bool = False
    """It differs from the gold only as far as rounding on the way makes it."""
    elsewhere: tuple[str, ...] = ()
    """What it belongs to as a distractor; for the right value, what all distractors belong to."""


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
        return frozenset(content(f"{text[: self.candidate.start]} {text[self.candidate.end :]}"))


@dataclass
class Outcome:
    """The committed answer of a text, compared with the gold; ``committed`` False: there is none."""

    committed: bool = False
    match: Match = "none"
    value: str = ""
    contradiction: bool = False
    imprecise: bool = False
    incomplete: bool = False
    partial_then_declined: bool = False
    unreadable: str = ""
    entries: list[Entry] = field(default_factory=list)
    """All values of the question's kind, in the slot or not."""
    calculates: bool = False
    """Whether the text shows a calculation."""
    denied: bool = False
    """It only says what the answer is not, and names the gold."""
    score: Score | None = None
    parts: list[AnswerSentence] = field(default_factory=list)
    """The sentences that carry the answer."""
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
        self.parts = list(
            {id(part): part for part in [*self.parts, *(each.part for each in entries)]}.values()
        )

    def holds(self, part: AnswerSentence) -> bool:
        """Return whether a sentence is one of those that carry the answer."""
        if len(self._known) != len(self.parts):
            self._known = frozenset(map(id, self.parts))
        return id(part) in self._known
