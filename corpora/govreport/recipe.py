"""Every question that could be asked about the reports: what they state, what they do not, and traps.

``findings.py`` words what a report states when the corpus is read; ``book.py`` frames that as a question
about the report, ``questions.toml`` words what reports do not say, ``traps.py`` makes the questions that only
look answerable.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import msgspec

from ragharness.corpus.loading import Corpus
from ragharness.language.words import words
from ragharness.records import Distractor, Document, Evidence, Fact, Question
from ragquestions.candidates import ways

from .book import Book, aliases_of, asked, read_in, silent
from .lines import stems
from .silences import load_wordings, strange, unsaid
from .things import AFTER_NAME, BEFORE_NAME, NO_NOUN, apart, near, things
from .traps import traps

if TYPE_CHECKING:
    from .things import Thing

VERSION = 6
"""Raised whenever the candidates change; kept with every frozen set."""

WEIGHTS = {"text": 3}
"""What letters stand for is soon guessed: the others have three turns for one of it."""

NOTE = (
    "Questions about what a report states repeat words of that report, a work of the US government;"
    " all other wording is this project's (Apache-2.0). Offsets and values come from the reports."
)
"""What the card of a frozen set says of its text."""

_NAMED = ("agency", "official")
"""Sorts of answers that are names: what tempts is another one."""
_ABOUT = {True: "another figure of the same sentence", False: "a figure of a sentence about nearly the same"}


def candidates(corpus: Corpus) -> list[Question]:
    """Return every question about the reports, in all wordings, without ids."""
    book, wordings = Book(corpus), load_wordings()
    found: list[Question] = []
    for document in corpus.documents:
        if not document.handle:
            continue
        for fact in book.facts[document.id]:
            found += _stated(book, fact)
        if read_in(document):
            found += silent(document)
        elif book.facts[document.id]:
            # A report of which nothing is asked with an answer would tell what is asked without one.
            found += unsaid(document, wordings.unsaid)
            found += swapped(document, book.facts[document.id])
            found += strange(document, wordings.strangers)
    found += traps(book, wordings.sisters, wordings.premises)
    return [each for each in found if not _gives_itself_away(each)]


def _stated(book: Book, fact: Fact) -> Iterator[Question]:
    """Yield a fact as a question to be answered, withheld, and asked of an empty retrieval."""
    distractors = tuple(_near(fact))
    elsewhere = book.elsewhere(fact)
    clause = fact.evidence if "alone" in fact.details and not elsewhere else ()
    worded = f"worded by {fact.details['worded']}" if "worded" in fact.details else ""
    tempting = f"tempting: {distractors[0].about}" if distractors else ""
    for question in asked(fact, book.documents[fact.document], fact.topic):
        known = msgspec.structs.replace(
            question,
            answerable=True,
            answers=fact.answers,
            aliases=aliases_of(fact),
            evidence=fact.evidence,
            note=worded,
        )
        note = "; ".join(filter(None, (tempting, worded)))
        yield from ways(known, false=distractors, note=note, document=not elsewhere, clause=clause)


def _near(fact: Fact) -> Iterator[Distractor]:
    """Yield the values of sentences that come near; where they stand tells whose they are."""
    for name, told in sorted(fact.details.items()):
        if not name.startswith("near"):
            continue
        value, start, end = told.rsplit(maxsplit=2)
        same = any(own.start <= int(start) and int(end) <= own.end for own in fact.evidence)
        sort = fact.topic.partition("-")[0]
        about = f"another {sort}, named close by" if sort in _NAMED else _ABOUT[same]
        yield Distractor(
            value,
            about.replace("figure", "date") if fact.kind == "date" else about,
            (Evidence(fact.document, int(start), int(end)),),
        )


def _gives_itself_away(question: Question) -> bool:
    """Whether a question contains its answer, as "FY2026" in a title contains the year."""
    text = f" {' '.join(words(question.text))} "
    return any(f" {' '.join(words(answer))} " in text for answer in question.answers) or any(
        len(answer) == len("2026") and answer in question.text for answer in question.answers
    )


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
