"""What the reader of a report must know before trusting its rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ragharness.scores.tally import Outcome

_NAMED = 10
"""Questions that are named; the rest is counted."""


def asked_again(superseded: int) -> str:
    """Return how many failures were replaced by later answers."""
    return (
        f"asked again after a failure (--retry-errors): {superseded}. The last record of a question counts;"
        " those before it stay in records.jsonl"
    )


def own_passages(outcomes: Sequence[Outcome]) -> str:
    """Return what does not hold for a pipeline that brings its own passages, with how often it showed."""
    withheld = [each for each in outcomes if each.question.withheld]
    cited = [each.question.id for each in withheld if each.evidence_cited]
    brought = sum(each.evidence_found for each in withheld)
    emptied = [each for each in outcomes if each.question.stratum == "null_retrieval"]
    filled = sum(each.document_rank > 0 or each.evidence_found for each in emptied)
    more = f" and {len(cited) - _NAMED} more" if len(cited) > _NAMED else ""
    named = f" ({', '.join(cited[:_NAMED])}{more})" if cited else ""
    return (
        "the pipeline brings its own passages: nothing could be withheld from it or emptied for it, so the"
        f" rows withheld and null do not mean what they say. Of {len(withheld)} withheld questions, {brought}"
        f" came with the withheld evidence, {len(cited)} citing it{named}; of {len(emptied)} null questions,"
        f" {filled} came with passages of the document asked about"
    )
