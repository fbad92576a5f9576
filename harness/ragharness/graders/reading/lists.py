"""The items of a list answer: named, left out, added, or explicitly declined."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from ragharness.graders.reading.declining import find_decline, speaks_of_question
from ragharness.graders.reading.records import Outcome
from ragharness.graders.reading.values import read_values
from ragharness.language.matching import AliasHit, find_alias
from ragharness.language.polarity import negated
from ragharness.language.sentences import clauses
from ragharness.language.tables import WHOLE, pattern, regex, words_of
from ragharness.language.words import raw_words

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ragharness.graders.reading.answer import AnswerSentence
    from ragharness.graders.reading.records import Profile
    from ragharness.records import Question

_MOST_HITS = 200
_DECORATION = regex(r"\[[^\[\]]{0,80}\]|【[^】]{0,80}】|\([A-Z]\w+ \d{1,3}\)")
_LEADING = regex(
    r"(?:[\s\-*•–\"'“”()]|\(?\d{1,2}[.)]\s|(?:the|a|an|both|also|either|and|or|as well as)\s)+", re.IGNORECASE
)
_MARKS = " .*\"'“”():\n\t"
_SEPARATOR = regex(
    r"\s*(?:[,;\n|]|(?<!\w)(?:and|or|as well as|along with|plus)(?!\w)|(?<!\w\s)\(?\d{1,2}\)\s)\s*"
)
_SENTENCE_END = regex(r"[.!?](?=\s|$)(?!\n[-*•])")
_APART = regex(
    r",\s+(?:(?:which|who)\s+(?:is|are|was|were)\s+)?\w+(?:ed|en)\s+(?:by|with|to|from|under)\s+(?:the\s+|an?\s+)?$",
    re.IGNORECASE,
)
"""What follows is no item: "the Offices of Grants and Health, overseen by the Office of Audits"."""


class Items(NamedTuple):
    """Which items of a list an answer names, which it leaves out, and what it names besides."""

    found: tuple[str, ...]
    missing: tuple[str, ...]
    extra: tuple[str, ...]


def read_list(
    parts: Sequence[AnswerSentence], question: Question, profile: Profile, *, declined: bool
) -> Outcome:
    """Return the items that an answer names, compared with the wanted ones as sets."""
    names = {item: (item, *question.aliases.get(item, ())) for item in question.answers}
    wanted = [name for each in names.values() for name in each]
    text = "\n".join(filter(None, (_listing(part, wanted, profile) for part in parts)))
    items = match_items(text, question.answers, question.aliases)
    found = [
        item
        for item in items.found
        if any(not negated(text, hit.start) for hit in find_alias(text, names[item]))
    ]
    false = [each.value for each in question.distractors if _is_listed(text, each.value)]
    added = [each for each in items.extra if not pattern("values", "contrary", r"{}\b").match(each)]
    if not found and not false:
        return read_values(parts, question, profile, declined=declined)
    outcome = Outcome(committed=True, value=", ".join([*found, *false, *added]))
    named = [*(name for item in found for name in names[item]), *false]
    outcome.parts = [part for part in parts if find_alias(part.text, named)]
    if false:
        outcome.match = "distractor"
    elif added:
        outcome.match = "mismatch"
    elif len(found) == len(question.answers) or not question.all_required:
        outcome.match = "match"
    else:
        outcome.match = "partial"
        outcome.partial_then_declined = any(_declines_rest(part.text, wanted, profile) for part in parts)
        outcome.incomplete = not outcome.partial_then_declined
    return outcome


def _is_listed(text: str, false: str) -> bool:
    """Say whether a text lists a false item, and does not only mention or deny it."""
    return any(
        not negated(text, hit.start) and not _APART.search(text, max(0, hit.start - 60), hit.start)
        for hit in find_alias(text, [false])
    )


def _declines_rest(text: str, wanted: Sequence[str], profile: Profile) -> bool:
    """Say whether a sentence declines the items that it does not name."""
    for low, high in clauses(text):
        clause = text[low:high]
        about = speaks_of_question(clause, profile)
        of_rest = (
            about == "about" or pattern("values", "rest", WHOLE).search(clause) or find_alias(clause, wanted)
        )
        if about is not None and of_rest and find_decline(clause) is not None:
            return True
    return False


def _listing(part: AnswerSentence, wanted: Sequence[str], profile: Profile) -> str:
    """The clauses of a sentence that list: with a wanted item, or an addition ("it also includes")."""
    said = [part.text[low:high] for low, high in clauses(part.text)]
    whole = part.item or len(said) == 1
    kept = [
        each
        for each in said
        if speaks_of_question(each, profile) is None
        and (whole or find_alias(each, wanted) or pattern("values", "also", WHOLE).search(each))
    ]
    return part.text if len(kept) == len(said) else "; ".join(kept)


def match_items(text: str, items: Sequence[str], aliases: Mapping[str, Sequence[str]] | None = None) -> Items:
    """Return which items a text names (or their aliases), which not, and what it enumerates besides."""
    hits = {item: find_alias(text, (item, *(aliases or {}).get(item, ()))) for item in items}
    found = tuple(item for item in items if hits[item])
    missing = tuple(item for item in items if not hits[item])
    places = sorted(hit for item in found for hit in hits[item])[:_MOST_HITS]
    return Items(found, missing, tuple(_extras(text, places, items)) if places else ())


def _extras(text: str, hits: list[AliasHit], items: Sequence[str]) -> list[str]:
    """Pieces of the enumeration around the hits that look like items and are none."""
    longest = max(len(raw_words(item)) for item in items)
    capital = all(item[:1].isupper() or item[:1].isdigit() for item in items) and not all(
        text[hit.start].islower() for hit in hits[1:] or hits
    )
    start, end = _enumerated_from(text, hits[0].start), _SENTENCE_END.search(text, hits[-1].end)
    # Hits are blanked out: what is left between two separators is no wanted item.
    rest = list(text[: end.start() if end else len(text)])
    for hit in hits:
        rest[hit.start : hit.end] = "\0" * (hit.end - hit.start)
    pieces = (_bare(_DECORATION.sub("", each)) for each in _SEPARATOR.split("".join(rest[start:])))
    return [
        piece
        for piece in pieces
        if "\0" not in piece and _is_item(piece, longest) and (not capital or piece[0].isupper())
    ]


def _is_item(piece: str, longest: int) -> bool:
    """Say whether words look like an item: few, no verb, no opening of another phrase."""
    words = raw_words(piece)
    if not 0 < len(words) <= longest + 1 or words[0] in words_of("values", "opens_no_item"):
        return False
    # "customer lists": such a verb ends an item as a noun.
    body = words[:-1] if len(words) > 1 and words[-1] in ("lists", "states", "means") else words
    return words_of("values", "no_item").isdisjoint(body)


def _bare(piece: str) -> str:
    """A piece without bullets, numbers and joining words at its head, and without marks at its end."""
    leading = _LEADING.match(piece)
    return (piece[leading.end() :] if leading else piece).rstrip(_MARKS)


def _enumerated_from(text: str, first: int) -> int:
    """Where the enumeration begins: before its first hit only when that one stands in a row."""
    start = max(text.rfind(mark, 0, first) for mark in (":", ". ", "? ", "! ")) + 1
    return first if _bare(_SEPARATOR.split(text[start:first])[-1]).strip(_MARKS) else start
