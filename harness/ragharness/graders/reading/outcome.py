"""What an answer commits to, in one record."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ragharness.graders.reading.answer import AnswerSentence
    from ragharness.records import Match


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
    seen: bool = False
    """A value of the question's kind stands somewhere in the text, in the slot or not."""
    parts: list[AnswerSentence] = field(default_factory=list)
    """The sentences that carry the answer."""
    flags: list[str] = field(default_factory=list)
    spans: dict[int, list[tuple[int, int]]] = field(default_factory=dict)
    """Places of the committed values, by the identity of their part."""
    _known: frozenset[int] = frozenset()

    def holds(self, part: AnswerSentence) -> bool:
        """Say whether a sentence is one of those that carry the answer."""
        if len(self._known) != len(self.parts):
            self._known = frozenset(map(id, self.parts))
        return id(part) in self._known
