"""The claims of an output, as the grader ``rules`` reads them, and whether a source states them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragharness.graders.reading.answer import parse_answer
from ragharness.graders.reading.axes import entails, quotes, role_of
from ragharness.graders.reading.records import Outcome, profile_of
from ragharness.records import Answer, Question
from ragharness.rubrics.items import json_object

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ragharness.graders.reading.answer import AnswerSentence
    from ragharness.records import Passage
    from ragharness.rubrics.items import Item


def cited(item: Item) -> list[tuple[str, bool]]:
    """Return each citation of a claim, and whether its piece of the context states the claim."""
    pieces = {each.id: each for each in item.passages}
    return [
        (mark, mark in pieces and is_stated(part.text, [pieces[mark]]))
        for part in claims_of(item)
        for mark in part.citations
    ]


def claims_of(item: Item, field: str = "") -> list[AnswerSentence]:
    """Return the sentences of an output, or of one field of a JSON output, that claim something."""
    text = str((json_object(item.text) or {}).get(field, "")) if field else item.text
    asked = Question(id=item.id, text=item.input, stratum="grounded", kind="text", answerable=True)
    parsed = parse_answer(Answer(text=text), item.input, [each.id for each in item.passages])
    profile, nothing = profile_of(asked), Outcome()
    return [part for part in parsed.sentences if role_of(part, nothing, profile, refusing=False) == "claim"]


def is_stated(claim: str, sources: Sequence[Passage]) -> bool:
    """Return whether a source quotes a claim or entails it."""
    return any(quotes(each, claim) or entails(each, claim) for each in sources)
