"""Computes the scores of one run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ragharness.scores import buckets as bucket
from ragharness.scores import failures as failure
from ragharness.scores import spending as spent
from ragharness.scores.epochs import stability, widened
from ragharness.scores.metrics import metrics
from ragharness.scores.notes import asked_again, no_blind, not_yet_graded, provenance
from ragharness.scores.schema import FORMAT, Axes, References, Retrieval, Scores, Versions
from ragharness.scores.tally import outcomes
from ragharness.scores.verdict import conclude

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ragharness.records import Question, Record
    from ragharness.scores.metrics import Part
    from ragharness.scores.tally import Outcome
    from ragharness.store import Call, Run, RunFolder, Session


def score_folder(folder: RunFolder, blind: int | None = None, blind_note: str = "") -> Scores:
    """Return the scores of a run on disk; raises RunNotUsable where it is damaged."""
    return score(
        folder.run,
        folder.sessions(),
        folder.questions(),
        folder.records(),
        name=folder.name,
        folder=str(folder.path),
        blind=blind,
        blind_note=blind_note,
        superseded=folder.superseded(),
        waiting=sum(1 for _ in folder.waiting()),
    )


def score(
    run: Run,
    sessions: Sequence[Session],
    questions: Sequence[Question],
    records: Iterable[Record],
    *,
    name: str,
    folder: str = "",
    blind: int | None = None,
    blind_note: str = "",
    superseded: Sequence[Call] = (),
    waiting: int = 0,
) -> Scores:
    """Return every number of a run's report: a pure function of what its folder holds.

    ``superseded`` are calls whose questions were asked again, ``waiting`` answers without a verdict so far;
    ``blind`` is the count of the reference that reads nothing (see ``scores.references``).
    Raises RunNotUsable for records of other questions.
    """
    settings, epochs = run.settings, run.settings.epochs
    all_of = outcomes(questions, records, epochs)
    n = len(all_of)
    asked = [each for each in all_of if each.status != "not_asked"]
    counts = bucket.count_buckets(all_of)
    errors, desired = failure.errors(all_of), bucket.desired(all_of)
    unacceptable = counts["wrong"] + counts["unsupported"]
    concluded = conclude(all_of, desired, unacceptable, errors, run.takes, run.shortfall)
    return Scores(
        format=FORMAT,
        result=not concluded.reasons,
        verdict=concluded.kind,
        sentence=concluded.sentence,
        reasons=concluded.reasons,
        run=name,
        folder=folder,
        corpus=settings.corpus,
        split=settings.split,
        pipeline=settings.pipeline,
        takes=run.takes,
        retriever=settings.retriever,
        questions=n,
        asked=len(asked),
        ungraded=n - sum(counts.values()),
        statuses=bucket.count_statuses(all_of),
        buckets=counts,
        rows=widened(bucket.count_rows(all_of), epochs),
        intervals=widened(bucket.intervals(counts, n), epochs),
        desired=widened(desired, epochs),
        references=References(
            best_possible=len(asked),
            refuse=sum(each.question.wanted == "refused" for each in asked),
            blind=blind,
            blind_note=blind_note,
        ),
        axes=widened(Axes(**_computed("axes", all_of)), epochs),
        retrieval=widened(retrieval(all_of, settings.k if run.takes == "passages" else None), epochs),
        failures=failure.failures(all_of),
        errors=errors,
        problems=failure.problems(all_of),
        misses=failure.misses(all_of),
        seconds=spent.wall_seconds((*all_of, *superseded), sessions),
        timing=spent.timing(all_of),
        spending=spent.spending(all_of),
        sessions=len(sessions),
        notes=[
            *run.notes,
            *provenance(run, all_of),
            *([asked_again(len(superseded))] if superseded else []),
            *([not_yet_graded(waiting)] if waiting else []),
            *([no_blind(blind_note)] if blind is None and blind_note else []),
        ],
        versions=Versions(
            ragharness=run.ragharness, python=run.python, platform=run.platform, grader=settings.grader
        ),
        created=run.created,
        epochs=epochs,
        stability=stability(all_of, epochs),
        tags=list(run.tags),
        pipeline_settings=settings.pipeline_settings,
    )


def retrieval(outcomes: Sequence[Outcome], k: int | None) -> Retrieval:
    """Return how well the evidence was retrieved, before anybody read it.

    Over the questions whose evidence is in reach; one that failed or was not asked counts as not found.
    """
    within = [each for each in outcomes if each.question.wanted == "correct" and each.question.evidence]
    return Retrieval(n=len(within), k=k, **_computed("retrieval", within, k))


def _computed(part: Part, outcomes: Sequence[Outcome], k: int | None = None) -> dict[str, Any]:
    return {each.name: each.compute(outcomes, k) for each in metrics(part)}
