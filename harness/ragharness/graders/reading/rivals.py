# ruff: noqa: E501 (a pattern reads better with one group of alternatives a line)
"""What stands beside a name and makes it another answer: "A or B", "A and B", "A's deputy, B", "B succeeded A"."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from ragharness.language.patterns import regex
from ragharness.language.words import STOPWORDS, content, raw_words

if TYPE_CHECKING:
    from collections.abc import Sequence

_NAME = r"[A-ZÀ-Ý][\w&'’-]*(?:\.(?=\s+[A-Z]))?(?:\s+(?:of\s+(?:the\s+)?|and\s+(?=[A-Z][\w-]+\s+(?:Affairs|Services|Development|Administration)\b))?[A-ZÀ-Ý][\w&'’-]*\.?)*"
_LEAD = r"(?:(?:possibly|perhaps|maybe|alternatively|else|also|that|those|by|of|in|under|from|the|an?|laws?|state|commonwealth|province|republic|director|mr\.?|mrs\.?|ms\.?|dr\.?)\s+){0,6}"
_AFTER = regex(
    rf"(?P<tail>\s+laws?|\s+courts?)?(?P<chain>(?:,\s+{_NAME})*)\s*(?P<comma>,?)\s*[(]?(?P<joint>\band/or\b|\bor\b|\band\b|/|\bas\s+well\s+as\b|\bjointly\s+with\b)\s*(?P<lead>(?i:{_LEAD}))(?P<name>{_NAME})"
)
_BEFORE = regex(
    rf"(?P<name>{_NAME})(?:\s+laws?)?(?P<comma>,?)\s*(?P<joint>\band/or\b|\bor\b|\band\b|/)\s*(?i:{_LEAD})$"
)
_CLOSES = regex(
    r"\s*(?:[.,;:!?)\]\"'”]|$|\n|(?:laws?|jointly|together|both|of|in|for|with|under|to|on|as|at|alike|respectively)\b)"
)
_ENDS = regex(r"\s*(?:[.,;:!?)\]\"'”]|$|\n|(?:laws?|jointly|together|alike)\b)")
_RESPECTIVELY = regex(r"\brespectively\b", re.IGNORECASE)
_FIRST_WORD = regex(r"(?<![.!?]\s)\b([A-ZÀ-Ý][\w’'-]+)\s+$")
_VERB_FOLLOWS = regex(r"\s+[a-z]")
_BETWEEN = regex(r"\bbetween\b[^.;]*$", re.IGNORECASE)
_OPENS = regex(r"^\W*(?:(?:both|either|the|laws?|of|state|by|director|mr|ms|mrs|dr)\b\W*)*$", re.IGNORECASE)
_NO_RIVAL = frozenset(
    [
        "section",
        "sections",
        "article",
        "articles",
        "clause",
        "exhibit",
        "appendix",
        "annex",
        "schedule",
        "table",
        "figure",
        "note",
        "passage",
        "document",
        "agreement",
        "act",
        "director",
        "president",
        "chief",
        "officer",
        "chair",
        "chairman",
        "chairwoman",
        "head",
        "secretary",
        "manager",
        "minister",
        "ceo",
        "cfo",
        "coo",
        "administrator",
        "commissioner",
        "january",
        "february",
        "march",
        "april",
        "may",
        "june",
        "july",
        "august",
        "september",
        "october",
        "november",
        "december",
        "q1",
        "q2",
        "q3",
        "q4",
        "inc",
        "llc",
        "ltd",
        "corp",
        "co",
        "plc",
        "united",
        "states",
        "usa",
        "us",
        "u.s",
    ]
)
_RELATIVE = r"(?:deputy|predecessors?|successors?|brother|sister|wife|husband|son|daughter|father|mother|assistant|aide|adviser|advisor|lawyer|attorney|boss|colleague|spouse|widow|parent(?:\s+company)?|subsidiar(?:y|ies)|affiliates?|holding\s+company|owner|shareholders?|inspector\s+general|supplier|customer|competitor|rival|counterpart|chief\s+of\s+staff|general\s+counsel|spokes(?:man|woman|person))"
_POSSESSED = regex(rf"(?:['’]s?|['’])\s+(?:\w+\s+)?{_RELATIVE}\b", re.IGNORECASE)
_OF_WHOM = regex(
    rf"\b(?:{_RELATIVE}\s+(?:of|to)|succeed(?:ed|s|ing)|replac(?:ed|es|ing)|t(?:ook|akes|aking)\s+over\s+from|follow(?:ed|s|ing)|took\s+the\s+place\s+of)\s+(?:the\s+|mr\.?\s+|ms\.?\s+|director\s+)?$",
    re.IGNORECASE,
)
_RELATION_WORD = regex(
    rf"\b(?:{_RELATIVE}|succe\w+|replac\w+|follow\w*|t(?:ake|ook)\s+over)\b", re.IGNORECASE
)
_DENIED_AFTER = regex(
    r"(?P<tail>(?:\s+[a-z]+){0,3}?)\s+(?:does|do|did|is|was|are|were|has|have|will|shall)(?:\s+not|n['’]t)\b(?P<rest>[^,;.]*)"
)


REACH = 160
"""So far from a name a second one is looked for, so that endless lists stay cheap."""


def rival_of(text: str, start: int, end: int, gold: frozenset[str], question: str) -> str:
    """Return a second name joined to the one at ``start:end`` ("Delaware or New York"); empty when there is none.

    ``gold`` are the words of all accepted spellings: a shorter or longer form of the same name is no rival.
    """
    if not any(letter.isupper() for letter in text[start:end]) or _RESPECTIVELY.search(text):
        return ""
    after = _AFTER.match(text, end, end + REACH)
    if after and _joins_after(text, start, after) and _differs(after["name"], gold, question):
        return after["name"]
    before = _BEFORE.search(text[max(0, start - REACH) : start])
    if before and _joins_before(text, start, end, before) and _differs(before["name"], gold, question):
        return before["name"]
    return ""


def _joins_after(text: str, start: int, found: re.Match[str]) -> bool:
    if found["joint"] in ("or", "and/or", "/"):
        return True
    if _BETWEEN.search(text[:start]):
        return False
    closed = _CLOSES.match(text, found.end()) is not None
    opens = _OPENS.match(text[:start]) is not None
    # "by the Department, and Congress funds them" begins a clause; "Alvarez and Smith head it" joins subjects.
    return closed or (opens and not found["comma"] and _VERB_FOLLOWS.match(text, found.end()) is not None)


def _joins_before(text: str, start: int, end: int, found: re.Match[str]) -> bool:
    if found["joint"] in ("or", "and/or", "/"):
        return True
    ahead = text[: start - len(found[0])]
    if _BETWEEN.search(ahead):
        return False
    return _OPENS.match(ahead) is not None or (not found["comma"] and _ENDS.match(text, end) is not None)


@lru_cache(maxsize=512)
def _known(question: str) -> frozenset[str]:
    return frozenset(content(question))


def _differs(name: str, gold: frozenset[str], question: str) -> bool:
    words = [word.strip(".'’") for word in raw_words(name)]
    kept = [word for word in words if word not in _NO_RIVAL and len(word) > 1]
    if not kept or all(word.removesuffix("'s") in gold for word in kept):
        return False
    initials = "".join(word[0] for word in sorted(gold))
    if len(kept) == 1 and name.isupper() and sorted(kept[0]) == sorted(set(kept[0]) & set(initials)):
        return False
    return not frozenset(content(" ".join(kept))) <= _known(question)


def is_relation_only(text: str, start: int, end: int, question: str) -> bool:
    """Say whether a name only says whose deputy, parent or successor the answer is."""
    if _POSSESSED.match(text, end) or (
        text[end - 1] in "s'’" and _POSSESSED.match(text, _bare_end(text, end))
    ):
        related = True
    else:
        related = _OF_WHOM.search(text[max(0, start - 60) : start]) is not None
    return related and not _RELATION_WORD.search(question)


def _bare_end(text: str, end: int) -> int:
    """Where a name ends without its possessive ending."""
    for ending in ("'s", "’s", "'", "’"):
        if text[:end].endswith(ending):
            return end - len(ending)
    return end


def is_namesake(text: str, start: int, written: str, gold: Sequence[str]) -> bool:
    """Say whether a short form of a name has another first word than the long one ("House Committee", not "Senate")."""
    before = _FIRST_WORD.search(text, max(0, start - 40), start)
    if before is None or before[1].casefold() in STOPWORDS:
        return False
    known = {word for each in gold for word in raw_words(each)}
    longer = [each for each in gold if each.casefold().endswith(f" {written.casefold()}")]
    first = [_FIRST_WORD.search(each[: -len(written)]) for each in longer]
    return any(first) and before[1].casefold() not in known and not before[1].isupper()


def is_denied_after(text: str, end: int, question: str) -> bool:
    """Say whether what follows a name denies of it what was asked ("Delaware law does not govern it")."""
    found = _DENIED_AFTER.match(text, end)
    if found is None:
        return False
    return frozenset(content(found["rest"])) <= _known(question)
