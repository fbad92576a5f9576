"""Questions about filings without tags: what they state in words, as a folder of the user's own is asked."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from ragharness.language.units import is_currency
from ragharness.questions import folder

if TYPE_CHECKING:
    from ragharness.corpus import Corpus
    from ragharness.records import Question

_SIZE = 200
"""Questions for which statements of filings without tags are looked for."""


def plainly_stated(corpus: Corpus) -> list[Question]:
    """Return what can be asked about filings without tags: what they state in words, as a user's own."""
    tagged = {fact.document for fact in corpus.facts}
    untagged = tuple(each for each in corpus.documents if each.id not in tagged)
    if not untagged:
        return []
    handles = {each.id: each.handle for each in untagged}
    scaled = {each.id for each in untagged if _IN_THOUSANDS.search(each.text)}
    found = folder.candidates(replace(corpus, documents=untagged), _SIZE)
    # A trap has the topic of what was really asked about, so its unit tells as well.
    return [
        each
        for each in found
        if not (_may_be_in_thousands(each) and _source(each) in scaled)
        and not _CHANGE.search(each.text.replace(handles[each.document], ""))
    ]


def _may_be_in_thousands(question: Question) -> bool:
    """Whether a figure could be one of a statement in thousands: "$2,623" that means 2.6 million."""
    if question.kind != "number" or "per share" in question.text:
        return False
    return is_currency(question.unit) or (not question.unit and bool(_SHARES.search(question.text)))


def _source(question: Question) -> str:
    """Return the filing that states what is asked: another one, if told, where that is asked of this one."""
    told = re.match(r"of (?!another )(\S+) ", question.topic)
    return told[1] if told else question.document


_CHANGE = re.compile(
    r"\b[Hh]ow much did\b(?!.*\b(?:19|20)\d\d\b).* (?:increase|decrease|decline|grow|rise|fall|drop)\b"
)
"""A change without its year: a report compares three years with each other."""

_IN_THOUSANDS = re.compile(r"\bin (?:thousands|millions)\b|\b000[’']?s\b", re.IGNORECASE)
_SHARES = re.compile(r"\b(?:shares|options|warrants|units|awards)\b", re.IGNORECASE)
