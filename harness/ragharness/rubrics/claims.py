"""The claims of an output and what states them, by the machinery of the ``rules`` grader."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragharness.graders.reading.answer import parse_answer
from ragharness.graders.reading.axes import contradicts, entails, quotes, role_of
from ragharness.graders.reading.records import Outcome, profile_of
from ragharness.records import Answer, Question
from ragharness.rubrics.items import Marked, json_object
from ragharness.rubrics.rubric import SCALE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ragharness.graders.reading.answer import AnswerSentence
    from ragharness.records import Passage
    from ragharness.rubrics.items import Item

_SHOWN = 80


def claims(item: Item, field: str = "") -> list[AnswerSentence]:
    """Return the sentences of an output, or of one field of a JSON output, that claim something."""
    text = str((json_object(item.text) or {}).get(field, "")) if field else item.text
    asked = Question(id=item.id, text=item.input, stratum="grounded", kind="text", answerable=True)
    parsed = parse_answer(Answer(text=text), item.input, [each.id for each in item.passages])
    profile, nothing = profile_of(asked), Outcome()
    return [part for part in parsed.sentences if role_of(part, nothing, profile, refusing=False) == "claim"]


def grounded(item: Item, *, against: Sequence[str], field: str = "") -> Marked | None:
    """Score the share of claims that the named sources state; None without sources or claims."""
    sources, said = item.sources(against), claims(item, field)
    if not sources or not said:
        return None
    left = [part.text for part in said if not _stated(part.text, sources)]
    return _marked(len(said), left, "not stated")


def invented(item: Item, *, against: Sequence[str], field: str = "") -> Marked | None:
    """Score the share of claims that something given states and nothing given denies."""
    sources, said = item.sources(against), claims(item, field)
    if not said:
        return None
    left = [
        part.text
        for part in said
        if not _stated(part.text, sources) or any(contradicts(each, part.text) for each in sources)
    ]
    return _marked(len(said), left, "unsupported")


def cited(item: Item) -> list[tuple[str, bool]]:
    """Return each citation of a claim, and whether its piece of the context states the claim."""
    pieces = {each.id: each for each in item.passages}
    return [
        (mark, mark in pieces and _stated(part.text, [pieces[mark]]))
        for part in claims(item)
        for mark in part.citations
    ]


def _stated(claim: str, sources: Sequence[Passage]) -> bool:
    return any(quotes(each, claim) or entails(each, claim) for each in sources)


def _marked(count: int, left: list[str], what: str) -> Marked:
    told = f"{len(left)} of {count} claims {what}: {left[0][:_SHOWN]!r}" if left else ""
    return Marked(SCALE * (count - len(left)) / count, told)
