"""The items of a list answer: named, left out, added, or explicitly declined."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ragharness.graders.reading.declining import speaks_of_question
from ragharness.graders.reading.outcome import Outcome
from ragharness.graders.reading.values import read_values
from ragharness.language.declines import find_decline
from ragharness.language.items import match_items
from ragharness.language.matching import find_alias
from ragharness.language.modality import negated
from ragharness.language.patterns import regex
from ragharness.language.sentences import clauses
from ragharness.language.tables import phrases

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ragharness.graders.reading.answer import AnswerSentence
    from ragharness.graders.reading.profile import Profile
    from ragharness.records import Question

_ALSO = regex(rf"\b{phrases('values', 'also')}\b", re.IGNORECASE)
_REST = regex(rf"\b{phrases('values', 'rest')}\b", re.IGNORECASE)
_CONTRARY = regex(rf"{phrases('values', 'contrary')}\b", re.IGNORECASE)
_APART = regex(
    r",\s+(?:(?:which|who)\s+(?:is|are|was|were)\s+)?\w+(?:ed|en)\s+(?:by|with|to|from|under)\s+(?:the\s+|an?\s+)?$",
    re.IGNORECASE,
)
"""What follows is no item: "the Offices of Grants and Health, overseen by the Office of Audits"."""


def read_list(
    parts: Sequence[AnswerSentence], question: Question, profile: Profile, *, declined: bool
) -> Outcome:
    """Return the items that an answer names, compared with the wanted ones as sets."""
    text = "\n".join(filter(None, (_listing(part, question, profile) for part in parts)))
    items = match_items(text, question.answers, question.aliases)
    found = [item for item in items.found if _affirmed(text, _names(question, item))]
    false = [each.value for each in question.distractors if _affirmed(text, [each.value], apart=_APART)]
    added = [each for each in items.extra if not _CONTRARY.match(each)]
    if not found and not false:
        outcome = read_values(parts, question, profile, declined=declined)
        if items.found and not outcome.committed:
            outcome.committed, outcome.match, outcome.parts = True, "mismatch", list(parts[:1])
        return outcome
    outcome = Outcome(committed=True, value=", ".join([*found, *false, *added]))
    named = [*(name for item in found for name in _names(question, item)), *false]
    outcome.parts = [part for part in parts if find_alias(part.text, named)]
    if false:
        outcome.match = "distractor"
    elif added:
        outcome.match = "mismatch"
    elif len(found) == len(question.answers) or not question.all_required:
        outcome.match = "match"
    else:
        outcome.match = "partial"
        outcome.partial_then_declined = any(_declines_rest(part, question, profile) for part in parts)
        outcome.incomplete = not outcome.partial_then_declined
    return outcome


def _declines_rest(part: AnswerSentence, question: Question, profile: Profile) -> bool:
    """Say whether a sentence declines the items that it does not name."""
    names = [name for item in question.answers for name in _names(question, item)]
    for low, high in clauses(part.text):
        clause = part.text[low:high]
        about = speaks_of_question(clause, profile)
        of_rest = about == "about" or _REST.search(clause) or find_alias(clause, names)
        if about is not None and of_rest and find_decline(clause) is not None:
            return True
    return False


def _listing(part: AnswerSentence, question: Question, profile: Profile) -> str:
    """The clauses of a sentence that list: with a wanted item, or an addition ("it also includes")."""
    text, spans = part.text, clauses(part.text)
    names = [name for item in question.answers for name in _names(question, item)]
    whole = part.item or len(spans) == 1
    said = [text[low:high] for low, high in spans]
    kept = [
        each
        for each in said
        if speaks_of_question(each, profile) is None
        and (whole or find_alias(each, names) or _ALSO.search(each))
    ]
    return text if len(kept) == len(spans) else "; ".join(kept)


def _names(question: Question, item: str) -> tuple[str, ...]:
    return (item, *question.aliases.get(item, ()))


def _affirmed(text: str, names: Sequence[str], apart: re.Pattern[str] | None = None) -> bool:
    return any(
        not negated(text, hit.start) and not (apart and apart.search(text, max(0, hit.start - 60), hit.start))
        for hit in find_alias(text, names)
    )
