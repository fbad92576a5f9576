# ruff: noqa: E501 (a pattern reads better with one group of alternatives a line)
"""The items of a list answer: named, left out, added, or explicitly declined."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ragharness.graders.reading.outcome import Outcome
from ragharness.graders.reading.silence import speaks_of_question
from ragharness.graders.reading.values import read_values
from ragharness.language.declines import find_decline
from ragharness.language.items import match_items
from ragharness.language.matching import find_alias, negated
from ragharness.language.patterns import regex
from ragharness.language.sentences import clauses

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ragharness.graders.reading.answer import AnswerSentence
    from ragharness.graders.reading.profile import Profile
    from ragharness.records import Question

_ALSO = regex(
    r"\b(?:also|additionally|in\s+addition|as\s+well|plus|further|besides|including|another|tambi[eé]n|auch|aussi)\b",
    re.IGNORECASE,
)
_CONTRARY = regex(
    r"^(?:dis\w+ed|rejected|excluded|not|except|other\s+than|but\s+not|without|unlike)\b", re.IGNORECASE
)
_ASIDE = regex(
    r"\b(?:and|plus)\s+(?:\w+\s+){0,3}?(?:others?|another|more|second|third|further)\b[^.;]{0,40}?\b(?:that|which|whom?)\b(?=[^.;]*\b(?:not|n['’]t|cannot|nowhere)\b)",
    re.IGNORECASE,
)
_APART = regex(
    r",\s+(?:(?:which|who)\s+(?:is|are|was|were)\s+)?\w+(?:ed|en)\s+(?:by|with|to|from|under)\s+(?:the\s+|an?\s+)?$",
    re.IGNORECASE,
)
"""What follows is no item: "the Offices of Grants and Health, overseen by the Office of Audits"."""
_REST = regex(
    r"\b(?:others?|rest|remaining|remainder|second|third|further|additional|another|more|full|complete|whole|entire|all\s+of|any\s+other|else|missing|dem[aá]s|otr[oa]s?|resto|weitere[nrs]?|[uü]brigen|andere[nrs]?|autres?|reste)\b",
    re.IGNORECASE,
)


def read_list(
    parts: Sequence[AnswerSentence], question: Question, profile: Profile, *, declined: bool
) -> Outcome:
    """Compare the items that an answer names with the wanted ones, as sets."""
    if not question.answers:
        return read_values(parts, question, profile, declined=declined)
    kept: list[str] = []
    rest_declined = False
    for part in parts:
        for start, end in clauses(part.text):
            clause = part.text[start:end]
            about = speaks_of_question(clause, profile)
            names = find_alias(clause, _names(question, question.answers))
            if about is None:
                continue
            if _REST.search(clause) or about == "about" or names:
                rest_declined = rest_declined or find_decline(clause) is not None
        kept.append(_listing(part, question, profile))
    text = "\n".join(each for each in kept if each)
    items = match_items(text, question.answers, question.aliases)
    found = [item for item in items.found if _affirmed(text, _names(question, [item]))]
    extras = [each for each in items.extra if not _CONTRARY.match(each)]
    wrong = [each for each in question.distractors if _affirmed(text, [each.value], apart=_APART)]
    outcome = Outcome(seen=bool(items.found or wrong))
    if not found and not wrong:
        return _nothing_found(parts, question, profile, declined=declined, denied=bool(items.found))
    outcome.committed = True
    outcome.parts = [
        part
        for part in parts
        if find_alias(part.text, [*_names(question, found), *(each.value for each in wrong)])
    ]
    outcome.value = ", ".join([*found, *(each.value for each in wrong), *extras])
    _judge(outcome, question, found, wrong=bool(wrong), extra=bool(extras), declined=rest_declined)
    return outcome


def _judge(
    outcome: Outcome, question: Question, found: Sequence[str], *, wrong: bool, extra: bool, declined: bool
) -> None:
    complete = len(found) == len(question.answers) or not question.all_required
    if wrong:
        outcome.match = "distractor"
    elif extra:
        outcome.match = "mismatch"
    elif complete and found:
        outcome.match = "match"
    elif declined:
        outcome.match, outcome.partial_then_declined = "partial", True
    else:
        outcome.match, outcome.incomplete = "partial", True


def _nothing_found(
    parts: Sequence[AnswerSentence], question: Question, profile: Profile, *, declined: bool, denied: bool
) -> Outcome:
    outcome = read_values(parts, question, profile, declined=declined)
    if denied and not outcome.committed:
        outcome.committed, outcome.match = True, "mismatch"
        outcome.parts = list(parts[:1])
    return outcome


def _names(question: Question, items: Sequence[str]) -> list[str]:
    names = list(items)
    for item in items:
        names += question.aliases.get(item, ())
    return names


def _affirmed(text: str, names: Sequence[str], apart: re.Pattern[str] | None = None) -> bool:
    return any(
        not negated(text, hit.start)
        and not (apart is not None and apart.search(text, max(0, hit.start - 60), hit.start))
        for hit in find_alias(text, names)
    )


def _listing(part: AnswerSentence, question: Question, profile: Profile) -> str:
    """The clauses of a sentence that list: those with a wanted item, list items, and additions ("it also includes")."""
    text = part.text
    spans = clauses(text)
    names = _names(question, question.answers)
    aside = _ASIDE.search(text)
    if aside and find_alias(text[: aside.start()], names):
        # "The Office of Grants and another that the passages do not name".
        return text[: aside.start()]
    kept = [
        text[low:high]
        for low, high in spans
        if speaks_of_question(text[low:high], profile) is None
        and (
            part.item or len(spans) == 1 or find_alias(text[low:high], names) or _ALSO.search(text[low:high])
        )
    ]
    return text if len(kept) == len(spans) else "; ".join(kept)
