"""What the reader of a report must know before trusting its rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ragharness.scores.tally import Outcome
    from ragharness.store import Run

RECORDED = "recorded_takes"
"""The setting in which a replay says how the pipeline of the recorded run got its passages."""

_RECORDED_NOTE = (
    "the answers and the passages before them are those of a recorded run of the same questions, in which the"
    " harness retrieved: what it withheld or emptied there is withheld and empty here"
)

_NAMED = 10
"""Questions that are named; the rest is counted."""


def asked_again(superseded: int) -> str:
    """Return how many failures were replaced by later answers."""
    return (
        f"asked again after a failure (--retry-errors): {superseded}. The last record of a question counts;"
        " those before it stay in records.jsonl"
    )


def not_yet_graded(waiting: int) -> str:
    """Return how many of the questions that count as not asked have an answer on disk."""
    return (
        f"answered but not graded yet: {waiting}. They wait in answers.jsonl and count as not asked; the"
        " command of the run grades them"
    )


def no_blind(reason: str) -> str:
    """Return why there is no count of the reference that reads nothing."""
    return f"blind is n/a: {reason}"


def provenance(run: Run, outcomes: Sequence[Outcome]) -> list[str]:
    """Return whose passages the answers had where the harness did not retrieve them in this run."""
    if run.takes != "own":
        return []
    if run.settings.pipeline_settings.get(RECORDED) in ("passages", "retrieve"):
        return [_RECORDED_NOTE]
    return [own_passages(outcomes)]


def own_passages(outcomes: Sequence[Outcome]) -> str:
    """Return what does not hold for a pipeline that brings its own passages, with how often it showed."""
    withheld = [each for each in outcomes if each.question.withheld]
    cited = [each.question.id for each in withheld if each.evidence_cited]
    brought = sum(each.evidence_found for each in withheld)
    emptied = [each for each in outcomes if each.question.stratum == "null_retrieval"]
    filled = sum(each.passages > 0 for each in emptied)
    about = sum(each.document_rank > 0 or each.evidence_found for each in emptied)
    more = f" and {len(cited) - _NAMED} more" if len(cited) > _NAMED else ""
    named = f" ({', '.join(cited[:_NAMED])}{more})" if cited else ""
    return (
        "the pipeline brings its own passages: nothing could be withheld from it or emptied for it, so the"
        f" rows withheld and null do not mean what they say. Of {len(withheld)} withheld questions, {brought}"
        f" came with the withheld evidence, {len(cited)} citing it{named}; {len(emptied)} of {len(emptied)}"
        f" null_retrieval questions could not be forced, {filled} came with passages, {about} with some of"
        f" the document asked about{_bare(outcomes)}. Blind is graded over the same passages:"
        " its count is not that of a pipeline that the harness retrieves for"
    )


def _bare(outcomes: Sequence[Outcome]) -> str:
    """Return how many answers came without any passage: their retrieval and citations cannot be judged."""
    answered = [each for each in outcomes if each.status not in ("not_asked", "error", "timeout")]
    bare = sum(each.passages == 0 for each in answered)
    return f". {bare} of {len(answered)} answers came without passages" if bare else ""
