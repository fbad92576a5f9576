"""What reading an answer needs to know of its question."""

from __future__ import annotations

import itertools
import re
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple, cast

from ragharness.language.dates import find_dates
from ragharness.language.polarity import frame
from ragharness.language.tables import any_of, regex, table, words_of
from ragharness.language.words import content, generic_concepts, raw_words

if TYPE_CHECKING:
    from ragharness.records import Question

_NAME = regex(r"(?<![.!?]\s)(?<!^)\b[A-ZÀ-Ý][\w&'’.-]*")
_WHICH_OF = regex(r"\bwhich\s+(\w+)\s+(?!of\b)", re.IGNORECASE)
_TITLE = regex(r"[A-Z][a-z]+(?:\s+[A-Z][a-z]+)+")


class Profile(NamedTuple):
    """A question's words, sorted by what they do."""

    words: frozenset[str]
    """Concepts of its content words."""
    focus: frozenset[str]
    """Those that name the attribute asked for: no names, no document words, no years."""
    kindred: frozenset[str]
    """Words that the sort of question brings with it ("how long": term, period, ...)."""
    names: frozenset[str]
    """Case-folded capitalised words: the entities it asks about."""
    years: frozenset[int]
    acronyms: frozenset[str]
    """Initials of the capitalised runs in it ("Chief Executive Officer": ceo)."""
    qualified: frozenset[tuple[str, str]]
    """Neighbouring words of the attribute ("deputy director"): the first narrows the second."""
    question: str
    stated: bool
    """Whether the question carries a proposition of its own."""
    kind: str
    proposition: str
    yes_means: bool
    modality: str


def profile_of(question: Question) -> Profile:
    """Return the profile of a question; cached by its text."""
    return _profile(question.text, question.proposition, question.yes_means, question.kind)


def bare_name(word: str) -> str:
    """Return a capitalised word case-folded, without a full stop or a possessive ending."""
    return word.casefold().rstrip(".'’").removesuffix("'s").removesuffix("’s")


@lru_cache(maxsize=1024)
def _profile(text: str, proposition: str, yes_means: bool, kind: str) -> Profile:
    names = frozenset(map(bare_name, _NAME.findall(text))) - words_of("questions", "common_capitals")
    words = frozenset(content(text)) | (frozenset(content(proposition)) if kind == "yesno" else frozenset())
    named = frozenset(concept for name in names for concept in content(name))
    if kind in ("text", "list"):
        # "Which office administers ...": the office is the answer, not the attribute.
        named |= frozenset(content(" ".join(_WHICH_OF.findall(text))))
    numbers = frozenset(word for word in raw_words(text) if word.isdigit())
    focus = words - named - generic_concepts() - numbers
    initials = ("".join(word[0] for word in run.split()) for run in _TITLE.findall(text))
    stated = proposition or text
    return Profile(
        words=words,
        focus=focus,
        kindred=_kindred(text),
        names=names,
        years=frozenset(date.year for date in find_dates(text) if date.year),
        acronyms=frozenset(each.casefold() for each in initials),
        qualified=_qualified(text, focus),
        question=text,
        stated=bool(proposition),
        kind=kind,
        proposition=stated,
        yes_means=yes_means,
        modality=frame(stated).modality if kind == "yesno" else "",
    )


@lru_cache(maxsize=1)
def _sorts() -> list[tuple[re.Pattern[str], frozenset[str]]]:
    rows = cast("list[dict[str, list[str] | str]]", table("questions")["sorts"])
    return [
        (regex(rf"\b{any_of(row['asks'])}\b", re.IGNORECASE), frozenset(content(str(row["brings"]))))
        for row in rows
    ]


def _kindred(text: str) -> frozenset[str]:
    return frozenset[str]().union(*(brought for asks, brought in _sorts() if asks.search(text)))


def _qualified(text: str, focus: frozenset[str]) -> frozenset[tuple[str, str]]:
    ordered = [content(word)[:1] for word in raw_words(text)]
    return frozenset(
        (first[0], last[0])
        for first, last in itertools.pairwise(ordered)
        if first and last and first[0] in focus and last[0] in focus
    )
