"""What a report states of one thing, asked of another of its things, of which it does not say it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import msgspec

from .book import asked
from .lines import stems
from .things import AFTER_NAME, BEFORE_NAME, NO_NOUN, apart, near, things

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ragharness.records import Document, Fact, Question

    from .things import Thing

_FEWEST = 2
"""Words of a question without which a report does not answer it."""


def swapped(document: Document, facts: Sequence[Fact]) -> Iterator[Question]:
    """Yield figures and dates, each asked of the first thing near which words of the question are not said."""
    every = [(each, near(each, document.text)) for each in things(document.text)]
    for fact, own in _of_one_thing(facts, [each for each, _ in every]):
        wanted = stems(re.sub(own.pattern, "", fact.details["ask"]))
        for other, told in every:
            unsaid = sorted(wanted - stems(told))
            if other.sort != own.sort or other == own or len(unsaid) < _FEWEST:
                continue
            words = "|".join(rf"\b{re.escape(each)}" for each in unsaid)
            for question in asked(fact, document, f"swapped {fact.topic}", _put(fact, own, other.name)):
                yield msgspec.structs.replace(
                    question,
                    target="refused",
                    absence_patterns=tuple(apart(other, words)),
                    absence_scope="document",
                    note=f"the report says it of the {own.name}",
                )
            break


def _of_one_thing(facts: Sequence[Fact], known: Sequence[Thing]) -> Iterator[tuple[Fact, Thing]]:
    """Yield the figures and dates of which the question names one thing alone."""
    for fact in facts:
        text = fact.details["ask"]
        named = [each for each in known if re.search(BEFORE_NAME + each.pattern + NO_NOUN, text)]
        if fact.kind != "text" and len(named) == 1 and not re.search(named[0].pattern + AFTER_NAME, text):
            yield fact, named[0]


def _put(fact: Fact, own: Thing, name: str) -> str:
    return re.sub(rf"(?:\b[Tt]he )?{own.pattern}", f"the {name}", fact.details["ask"], count=1)
