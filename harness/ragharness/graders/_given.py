"""What graders that read by no rules share: an answer taken apart, and whose citations count."""

from __future__ import annotations

from collections.abc import Sequence

from ragharness.graders.reading.answer import FIRST_CITATIONS, ParsedAnswer, parse_answer
from ragharness.records import Answer, Passage, Question, Reading


def read_given(
    question: Question, answer: Answer, retrieved: Sequence[Passage], supporting: frozenset[str]
) -> tuple[ParsedAnswer, Reading]:
    """Return an answer taken apart, and a reading that says nothing of what it means."""
    passages = {passage.id for passage in retrieved}
    parsed = parse_answer(answer, question.text, [passage.id for passage in retrieved])
    cited = parsed.citations
    return parsed, Reading(
        status="no_answer" if parsed.blank else "ok",
        evidence_retrieved=not supporting.isdisjoint(passages),
        n_citations=len(cited),
        all_cited_retrieved=passages.issuperset(cited) if cited else None,
        flags=tuple(parsed.flags),
        extra=None,
        quality_unknown=True,
    )


def claim_citations(evidence: str, parsed: ParsedAnswer) -> tuple[str, ...]:
    """Return the first citations of the sentences that hold the words that decided, else of the answer."""
    words = evidence.strip(" .\"'").casefold()
    holding = [each for each in parsed.sentences if words and words in each.text.casefold()]
    if holding:
        return tuple(mark for each in holding for mark in each.citations[:FIRST_CITATIONS])
    return parsed.citations[:FIRST_CITATIONS]
