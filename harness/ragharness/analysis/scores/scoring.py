"""Computes the scores of one run, and the notes that limit how they can be read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence

from msgspec.structs import replace

from ragharness.analysis.metrics import Part, how_many, metrics, unusable_metrics
from ragharness.analysis.scores import counts
from ragharness.analysis.scores.schema import FORMAT, MetricValues, References, Scores, Versions
from ragharness.analysis.scores.tally import Outcome, Tally, seconds_at
from ragharness.analysis.scores.verdict import conclude, error_groups, failures, misses, problem_groups
from ragharness.records import Question, Record
from ragharness.runner.run_folder import RunFolder
from ragharness.runner.run_schema import Call, Run, Session

RECORDED = "recorded_takes"
"""The setting in which a replay says how the pipeline of the recorded run got its passages."""

_RECORDED_NOTE = (
    "answers and passages come from a recorded run of the same questions, for which the harness retrieved:"
    " what was withheld or empty there is withheld and empty here"
)

_NAMED = 10
"""Questions that are named; the rest is counted."""


def score_folder(
    folder: RunFolder,
    blind: int | None = None,
    blind_note: str = "",
    see: Callable[[Record], object] | None = None,
) -> Scores:
    """Return the scores of a run on disk, and show ``see`` each record; raises RunNotUsable if damaged."""
    superseded: list[Call] = []
    records = folder.records(superseded)
    return score(
        folder.run,
        folder.sessions(),
        folder.checked_questions(),
        _shown(records, see) if see else records,
        name=folder.name,
        folder=str(folder.path),
        blind=blind,
        blind_note=blind_note,
        superseded=superseded,
        waiting=sum(1 for _ in folder.waiting()),
    )


def _shown(records: Iterable[Record], see: Callable[[Record], object]) -> Iterator[Record]:
    for record in records:
        see(record)
        yield record


def score(
    run: Run,
    sessions: Sequence[Session],
    questions: Iterable[Question],
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

    ``superseded`` are calls whose questions were asked again (all of them once ``records`` are read),
    ``waiting`` answers without a verdict so far;
    ``blind`` is the count of the reference that reads nothing (see ``scores.references``).
    Raises RunNotUsable for records of other questions.
    """
    settings, epochs = run.settings, run.settings.epochs
    tally = Tally(questions, epochs).add(records)
    all_of, found = tally.outcomes, Counter(tally.outcomes)
    n = len(all_of)
    asked = how_many(found, lambda each: each.status != "not_asked")
    buckets = counts.by_bucket(found)
    errors, desired = error_groups(tally), counts.desired(found)
    unacceptable = buckets["wrong"] + buckets["unsupported"]
    concluded = conclude(found, desired, unacceptable, errors, run.takes, run.shortfall)
    k = settings.k if run.takes == "passages" else None
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
        asked=asked,
        ungraded=n - sum(buckets.values()),
        statuses=counts.by_status(found),
        buckets=buckets,
        rows=counts.widened(counts.by_row(found), epochs),
        intervals=counts.widened(counts.intervals(buckets, n), epochs),
        desired=counts.widened(desired, epochs),
        references=References(
            best_possible=asked,
            refuse=how_many(found, lambda each: each.status != "not_asked" and each.wanted == "refused"),
            blind=blind,
            blind_note=blind_note,
        ),
        axes=counts.widened(_computed("axes", all_of), epochs),
        retrieval=counts.widened(retrieval(all_of, k), epochs),
        failures=failures(found),
        errors=errors,
        problems=problem_groups(tally),
        misses=misses(tally),
        seconds=counts.wall_seconds(
            (
                *zip(tally.started, tally.seconds, strict=True),
                *((seconds_at(each.started), each.seconds) for each in superseded if each.started),
            ),
            sessions,
        ),
        timing=counts.timing(tally),
        spending=counts.spending(tally),
        sessions=len(sessions),
        notes=[
            *run.notes,
            *_provenance(run, tally),
            *_notes(len(superseded), waiting),
            *_without_blind(blind, blind_note),
            *unusable_metrics(),
        ],
        versions=Versions(
            ragharness=run.ragharness, python=run.python, platform=run.platform, grader=settings.grader
        ),
        created=run.created,
        epochs=epochs,
        stability=counts.stability(all_of, epochs),
        tags=list(run.tags),
        pipeline_settings=settings.pipeline_settings,
    )


def retrieval(outcomes: Sequence[Outcome], k: int | None) -> MetricValues:
    """How well the evidence was retrieved, before anybody read it.

    Over the questions whose evidence is in reach; one that failed or was not asked counts as not found.
    """
    within = [each for each in outcomes if each.wanted == "correct" and each.located]
    return MetricValues(n=len(within), k=k, **_computed("retrieval", within, k))


def _computed(part: Part, outcomes: Sequence[Outcome], k: int | None = None) -> MetricValues:
    return MetricValues({metric.name: metric.compute(outcomes, k) for metric in metrics(part)})


def with_blind(scores: Scores, blind: int | None, note: str) -> Scores:
    """Return scores that were counted without it with what the blind reference reached, or why not."""
    references = replace(scores.references, blind=blind, blind_note=note)
    return replace(scores, references=references, notes=[*scores.notes, *_without_blind(blind, note)])


def _without_blind(blind: int | None, note: str) -> list[str]:
    return [f"blind is n/a: {note}"] if blind is None and note else []


def _notes(superseded: int, waiting: int) -> list[str]:
    """Return what failed at first and what waits for grading."""
    notes = []
    if superseded:
        notes.append(
            f"asked again after a failure (--retry-errors): {superseded}. The last record of a question"
            " counts; earlier ones stay in records.jsonl"
        )
    if waiting:
        notes.append(
            f"answered but not graded yet: {waiting}. They wait in answers.jsonl and count as not asked;"
            " continuing the run grades them"
        )
    return notes


def _provenance(run: Run, tally: Tally) -> list[str]:
    """Return where the passages came from, if the harness did not retrieve them in this run."""
    if run.takes != "own":
        return []
    if run.settings.pipeline_settings.get(RECORDED) in ("passages", "retrieve"):
        return [_RECORDED_NOTE]
    return [_own_passages(tally)]


def _own_passages(tally: Tally) -> str:
    """Return which rows to ignore for a pipeline with its own passages, with the counts that show it."""
    withheld = [each for each in tally.outcomes if each.withheld]
    cited = [question for question, _ in tally.named(lambda each: each.withheld and each.evidence_cited)]
    brought = sum(each.evidence_found for each in withheld)
    emptied = [each for each in tally.outcomes if each.row == "null_retrieval"]
    filled = sum(each.passages > 0 for each in emptied)
    about = sum(each.document_rank > 0 or each.evidence_found for each in emptied)
    more = f" and {len(cited) - _NAMED} more" if len(cited) > _NAMED else ""
    named = f" ({', '.join(cited[:_NAMED])}{more})" if cited else ""
    bare = _bare(tally.outcomes)
    return (
        "the pipeline retrieves its own passages, so the harness can neither withhold evidence nor force an"
        f" empty retrieval: ignore the rows withheld and null. Of {len(withheld)} withheld questions,"
        f" {brought} came with the withheld evidence, {len(cited)} citing it{named}; {len(emptied)} of"
        f" {len(emptied)} null_retrieval questions could not be forced, {filled} came with passages,"
        f" {about} with some of the document asked about{bare}. The blind baseline is graded over"
        " the same passages, so its count is not comparable with runs for which the harness retrieves"
    )


def _bare(outcomes: Sequence[Outcome]) -> str:
    """Return how many answers came without passages; their retrieval and citations cannot be scored."""
    answered = [each for each in outcomes if each.status not in ("not_asked", "error", "timeout")]
    bare = sum(each.passages == 0 for each in answered)
    return f". {bare} of {len(answered)} answers came without passages" if bare else ""
