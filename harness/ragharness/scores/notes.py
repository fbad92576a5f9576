"""The notes of a report: what limits how its rows can be read."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ragharness.scores.tally import Outcome
    from ragharness.store import Run

RECORDED = "recorded_takes"
"""The setting in which a replay says how the pipeline of the recorded run got its passages."""

_RECORDED_NOTE = (
    "answers and passages come from a recorded run of the same questions, for which the harness retrieved:"
    " what was withheld or empty there is withheld and empty here"
)

_NAMED = 10
"""Questions that are named; the rest is counted."""


def asked_again(superseded: int) -> str:
    """Return a note on failures that were replaced by later answers."""
    return (
        f"asked again after a failure (--retry-errors): {superseded}. The last record of a question counts;"
        " earlier ones stay in records.jsonl"
    )


def not_yet_graded(waiting: int) -> str:
    """Return a note on answers that are on disk but not graded yet."""
    return (
        f"answered but not graded yet: {waiting}. They wait in answers.jsonl and count as not asked;"
        " continuing the run grades them"
    )


def no_blind(reason: str) -> str:
    """Return why there is no count of the blind baseline."""
    return f"blind is n/a: {reason}"


def provenance(run: Run, outcomes: Sequence[Outcome]) -> list[str]:
    """Return where the passages came from, if the harness did not retrieve them in this run."""
    if run.takes != "own":
        return []
    if run.settings.pipeline_settings.get(RECORDED) in ("passages", "retrieve"):
        return [_RECORDED_NOTE]
    return [own_passages(outcomes)]


def own_passages(outcomes: Sequence[Outcome]) -> str:
    """Return which rows to ignore for a pipeline with its own passages, with the counts that show it."""
    withheld = [each for each in outcomes if each.question.withheld]
    cited = [each.question.id for each in withheld if each.evidence_cited]
    brought = sum(each.evidence_found for each in withheld)
    emptied = [each for each in outcomes if each.question.stratum == "null_retrieval"]
    filled = sum(each.passages > 0 for each in emptied)
    about = sum(each.document_rank > 0 or each.evidence_found for each in emptied)
    more = f" and {len(cited) - _NAMED} more" if len(cited) > _NAMED else ""
    named = f" ({', '.join(cited[:_NAMED])}{more})" if cited else ""
    return (
        "the pipeline retrieves its own passages, so the harness can neither withhold evidence nor force an"
        f" empty retrieval: ignore the rows withheld and null. Of {len(withheld)} withheld questions,"
        f" {brought} came with the withheld evidence, {len(cited)} citing it{named}; {len(emptied)} of"
        f" {len(emptied)} null_retrieval questions could not be forced, {filled} came with passages,"
        f" {about} with some of the document asked about{_bare(outcomes)}. The blind baseline is graded over"
        " the same passages, so its count is not comparable with runs for which the harness retrieves"
    )


def _bare(outcomes: Sequence[Outcome]) -> str:
    """Return how many answers came without passages; their retrieval and citations cannot be scored."""
    answered = [each for each in outcomes if each.status not in ("not_asked", "error", "timeout")]
    bare = sum(each.passages == 0 for each in answered)
    return f". {bare} of {len(answered)} answers came without passages" if bare else ""
