"""Which of the values in an answer it asserts in the question's slot."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ragharness.graders.reading.answer import AnswerSentence
from ragharness.graders.reading.attributes import Slot
from ragharness.graders.reading.candidate import Candidate
from ragharness.language.patterns import regex

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ragharness.records import Question

_YEAR = regex(r"\b\d{4}\b")


class Entry(NamedTuple):
    """A value, the sentence that states it, and where it stands to the question."""

    part: AnswerSentence
    candidate: Candidate
    slot: Slot


def choose(entries: Sequence[Entry], question: Question) -> list[Entry]:
    """Return the entries that an answer asserts in the question's slot."""
    return _unasked(_surest(entries), question)


def _surest(entries: Sequence[Entry]) -> list[Entry]:
    """The entries that count as asserted in the slot: the surest sort that there is."""
    usable = [each for each in entries if each.slot != "out"]
    if any(not each.candidate.loose for each in usable):
        usable = [each for each in usable if not each.candidate.loose]
    if any(not each.candidate.foreign_unit for each in usable):
        usable = [each for each in usable if not each.candidate.foreign_unit]
    for slot in ("in", "weak"):
        chosen = [each for each in usable if each.slot == slot]
        if chosen:
            return chosen
    return [each for each in usable if each.candidate.relation == "match"]


def _unasked(chosen: list[Entry], question: Question) -> list[Entry]:
    """Leave out the years that the question itself names, where another date answers it."""
    if question.kind != "date":
        return chosen
    asked = frozenset(_YEAR.findall(question.text))
    own = [
        each for each in chosen if each.candidate.written not in asked or each.candidate.relation == "match"
    ]
    return own or chosen
