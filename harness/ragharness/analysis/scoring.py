"""Computes the scores of one run, and the notes that limit how they can be read."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from ragharness.analysis.intervals import clopper_pearson, quantile, wilson
from ragharness.analysis.metrics import (
    Metric,
    Outcome,
    Part,
    Share,
    Span,
    Tally,
    YesNoAxis,
    how_many,
    metrics,
    seconds_at,
    share,
    span,
    unusable_metrics,
)
from ragharness.analysis.scores import (
    FORMAT,
    ROW_NAMES,
    Desired,
    Intervals,
    Judging,
    MetricValues,
    References,
    Row,
    Scores,
    Spending,
    Stability,
    Timing,
    Versions,
    conclude,
    error_groups,
    failures,
    misses,
    problem_groups,
)
from ragharness.errors import CodeNotUsable
from ragharness.records import BUCKETS, ROWS, Question, Record
from ragharness.runner.run_folder import Call, Run, RunFolder, Session

RECORDED = "recorded_takes"  # setting of a replay: how the pipeline of the recorded run got its passages
_RECORDED_NOTE = (
    "answers and passages come from a recorded run of the same questions, for which the harness retrieved:"
    " what was withheld or empty there is withheld and empty here"
)
_NAMED = 10  # questions that are named; the rest is counted


def score_folder(
    folder: RunFolder,
    blind: int | None = None,
    blind_note: str = "",
    see: Callable[[Record], object] | None = None,
) -> Scores:
    """Scores of a run on disk; ``see`` is shown each record. Raises RunNotUsable if damaged."""
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
    """Every number of a run's report: a pure function of what its folder holds.

    ``superseded`` are calls whose questions were asked again (all of them once ``records`` are read),
    ``waiting`` answers without a verdict so far;
    ``blind`` is the count of the reference that reads nothing (see ``scores.references``).
    Raises RunNotUsable for records of other questions.
    """
    settings, epochs = run.settings, run.settings.epochs
    tally = Tally(questions, epochs).add(records)
    outcomes, counts = tally.outcomes, Counter(tally.outcomes)
    n = len(outcomes)
    asked = Counter({outcome: n for outcome, n in counts.items() if outcome.status != "not_asked"})
    buckets = _counts(counts, "bucket", BUCKETS)
    errors = error_groups(tally)
    desired = Desired(
        total=_as_wanted(counts, "correct", "refused"),
        answer=_as_wanted(counts, "correct"),
        refusal=_as_wanted(counts, "refused"),
        needless_refusals=how_many(counts, lambda outcome: outcome.answer_wanted and outcome.refused),
    )
    unacceptable = buckets["wrong"] + buckets["unsupported"]
    concluded = conclude(counts, desired, unacceptable, errors, run.takes, run.shortfall)
    k = settings.k if run.takes == "passages" else None
    failed = unusable_metrics()
    return Scores(
        format=FORMAT,
        result=not concluded.reasons,
        verdict=concluded.kind,
        sentence=concluded.sentence + _untested(run) * (not concluded.reasons),
        reasons=concluded.reasons,
        run=name,
        folder=folder,
        corpus=settings.corpus,
        split=settings.split,
        pipeline=settings.pipeline,
        takes=run.takes,
        retriever=settings.retriever,
        questions=n,
        asked=asked.total(),
        ungraded=n - sum(buckets.values()),
        statuses=_counts(counts, "status", STATUSES),
        buckets=buckets,
        rows=widened(by_row(counts), epochs),
        intervals=widened(bucket_intervals(buckets, n), epochs),
        desired=widened(desired, epochs),
        references=References(
            best_possible=asked.total(),
            refuse=how_many(asked, lambda outcome: outcome.wanted == "refused"),
            blind=blind,
            blind_note=blind_note,
        ),
        axes=widened(_computed("axes", outcomes, None, failed), epochs),
        retrieval=widened(retrieval(outcomes, k, failed), epochs),
        failures=failures(counts),
        errors=errors,
        problems=problem_groups(tally),
        misses=misses(tally),
        seconds=wall_seconds(
            (
                *zip(tally.started, tally.seconds, strict=True),
                *((seconds_at(call.started), call.seconds) for call in superseded if call.started),
            ),
            sessions,
        ),
        timing=timing(tally),
        spending=spending(tally),
        judging=judging(tally),
        sessions=len(sessions),
        notes=[
            *run.notes,
            *([_own_passages(run, tally)] if run.takes == "own" else []),
            *_notes(len(superseded), waiting),
            *_without_blind(blind, blind_note),
            *failed,
        ],
        versions=Versions(
            ragharness=run.ragharness, python=run.python, platform=run.platform, grader=settings.grader
        ),
        created=run.created,
        epochs=epochs,
        stability=stability(outcomes, epochs),
        citations=run.citations,
        tags=list(run.tags),
        pipeline_settings=settings.pipeline_settings,
    )


def _untested(run: Run) -> str:
    """What the headline of a run says that is measured by what was retrieved."""
    if run.citations != "retrieved":
        return ""
    return f"; {'no citations' if run.uncited else 'citations not required'}: attribution not tested"


def retrieval(outcomes: Sequence[Outcome], k: int | None, failed: list[str] | None = None) -> MetricValues:
    """How well evidence in reach was retrieved; of a question that failed or was not asked it was not."""
    within = [outcome for outcome in outcomes if outcome.wanted == "correct" and outcome.located]
    return MetricValues(
        n=len(within), k=k, **_computed("retrieval", within, k, [] if failed is None else failed)
    )


def _computed(part: Part, outcomes: Sequence[Outcome], k: int | None, failed: list[str]) -> MetricValues:
    """Values of the metrics of a part; of a published one that fails, a sentence is added to ``failed``."""

    def value(metric: Metric) -> Any:
        try:
            return metric.compute(outcomes, k)
        except CodeNotUsable as error:
            failed.append(str(error))
            return error

    values = ((metric.name, value(metric)) for metric in metrics(part))
    return MetricValues((name, value) for name, value in values if not isinstance(value, CodeNotUsable))


def with_blind(scores: Scores, blind: int | None, note: str) -> Scores:
    """Scores with what the blind reference reached, or why it could not, where that came later."""
    references = replace(scores.references, blind=blind, blind_note=note)
    return replace(scores, references=references, notes=[*scores.notes, *_without_blind(blind, note)])


def _without_blind(blind: int | None, note: str) -> list[str]:
    return [f"blind is n/a: {note}"] if blind is None and note else []


def _notes(superseded: int, waiting: int) -> list[str]:
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


def _own_passages(run: Run, tally: Tally) -> str:
    """Where the passages came from that the harness did not retrieve, and which rows to ignore then."""
    if run.settings.pipeline_settings.get(RECORDED) in ("passages", "retrieve"):
        return _RECORDED_NOTE
    withheld = [outcome for outcome in tally.outcomes if outcome.withheld]
    citing = [name for name, _ in tally.named(lambda outcome: outcome.withheld and outcome.evidence_cited)]
    brought = sum(outcome.evidence_found for outcome in withheld)
    emptied = [outcome for outcome in tally.outcomes if outcome.row == "null_retrieval"]
    filled = sum(outcome.passages > 0 for outcome in emptied)
    about = sum(outcome.document_rank > 0 or outcome.evidence_found for outcome in emptied)
    more = f" and {len(citing) - _NAMED} more" if len(citing) > _NAMED else ""
    named = f" ({', '.join(citing[:_NAMED])}{more})" if citing else ""
    failed = ("not_asked", "error", "timeout")
    answered = [outcome for outcome in tally.outcomes if outcome.status not in failed]
    bare = sum(outcome.passages == 0 for outcome in answered)
    without = f". {bare} of {len(answered)} answers came without passages" if bare else ""
    return (
        "the pipeline retrieves its own passages, so the harness can neither withhold evidence nor force an"
        f" empty retrieval: ignore the rows withheld and null. Of {len(withheld)} withheld questions,"
        f" {brought} came with the withheld evidence, {len(citing)} citing it{named}; {len(emptied)} of"
        f" {len(emptied)} null_retrieval questions could not be forced, {filled} came with passages,"
        f" {about} with some of the document asked about{without}. The blind baseline is graded over"
        " the same passages, so its count is not comparable with runs for which the harness retrieves"
    )


STATUSES = ("ok", "no_answer", "needs_review", "error", "timeout", "not_asked")


def by_row(outcomes: Counter[Outcome]) -> dict[str, Row]:
    """Counts of each of the seven rows, also of those that the set does not use."""
    rows = {name: Row() for name in ROWS}
    desired = dict.fromkeys(ROWS, 0)
    for outcome, times in outcomes.items():
        rows[outcome.row].add(outcome.bucket, times)
        desired[outcome.row] += times * outcome.as_wanted
    for name, row in rows.items():
        row.desired = share(desired[name], row.n)
    return {ROW_NAMES[name]: row for name, row in rows.items()}


def _counts(outcomes: Counter[Outcome], attribute: str, values: Sequence[str]) -> dict[str, int]:
    counts: Counter[str | None] = Counter()
    for outcome, times in outcomes.items():
        counts[getattr(outcome, attribute)] += times
    return {value: counts[value] for value in values}


def bucket_intervals(buckets: dict[str, int], n: int) -> Intervals:
    """Buckets with their intervals over all questions."""
    unacceptable = buckets["wrong"] + buckets["unsupported"]
    bad = {"wrong": buckets["wrong"], "unsupported": buckets["unsupported"], "unacceptable": unacceptable}
    ungraded = n - sum(buckets.values())
    never = [name for name, count in bad.items() if count == 0 and n and not ungraded]
    return Intervals(
        **{bucket: span(count, ungraded, n) for bucket, count in buckets.items()},
        unacceptable=span(unacceptable, ungraded, n),
        at_most=dict.fromkeys(never, clopper_pearson(0, n)[1]),
    )


def _as_wanted(outcomes: Counter[Outcome], *wanted: str) -> Share:
    hits = how_many(outcomes, lambda outcome: outcome.as_wanted and outcome.wanted in wanted)
    return share(hits, how_many(outcomes, lambda outcome: outcome.wanted in wanted))


def stability(outcomes: Sequence[Outcome], epochs: int) -> Stability | None:
    """How many questions came out the same in every epoch; None where there is one epoch only.

    ``outcomes`` hold the epochs of each question next to each other. A question that is not graded in some
    epoch did not come out the same.
    """
    if epochs == 1:
        return None
    groups = [outcomes[first : first + epochs] for first in range(0, len(outcomes), epochs)]
    same = [group for group in groups if len({outcome.bucket for outcome in group}) == 1 and group[0].bucket]
    wanted = sum(group[0].as_wanted for group in same)
    return Stability(
        epochs=epochs,
        same_bucket=share(len(same), len(groups)),
        always_desired=share(wanted, len(groups)),
        ever_desired=share(sum(any(outcome.as_wanted for outcome in group) for group in groups), len(groups)),
    )


def widened(part: Any, epochs: int) -> Any:
    """Part of the scores with the intervals of dependent answers."""
    if epochs == 1:
        return part
    if isinstance(part, (Share, YesNoAxis)):
        count, n = (part.count, part.n) if isinstance(part, Share) else (part.yes, part.yes + part.no)
        most = part.most if isinstance(part, Span) else count
        return replace(part, low=_limits(count, n, epochs)[0], high=_limits(most, n, epochs)[1])
    if isinstance(part, dict):
        return {name: widened(value, epochs) for name, value in part.items()}
    if isinstance(part, Struct):
        fields = {name: widened(getattr(part, name), epochs) for name in part.__struct_fields__}
        if isinstance(part, Intervals):
            limit = clopper_pearson(0, part.correct.n // epochs)[1]
            fields["at_most"] = dict.fromkeys(part.at_most, limit)
        return replace(part, **fields)
    return part


def _limits(count: int, n: int, epochs: int) -> tuple[float | None, float | None]:
    return wilson(count / epochs, n / epochs) if n else (None, None)


Number = TypeVar("Number", int, float)


def timing(tally: Tally) -> Timing:
    """Quantiles of the times of calls that returned or timed out; answers without a call took none."""
    timed = zip(tally.seconds, tally.outcomes, strict=True)
    seconds = sorted(took for took, outcome in timed if outcome.called)
    if not seconds:
        return Timing(median=None, p95=None, longest=None)
    return Timing(median=quantile(seconds, 0.5), p95=quantile(seconds, 0.95), longest=seconds[-1])


def spending(tally: Tally) -> Spending:
    """Sums of what the answers said that they used; those of earlier calls are not paid again."""
    reported = [tally.usages[number] for number in sorted(tally.usages)]
    usages = [usage for usage in reported if not usage.from_cache]
    return Spending(
        known=len(usages),
        from_cache=len(reported) - len(usages),
        prompt_tokens=_sum(usage.prompt_tokens for usage in usages),
        completion_tokens=_sum(usage.completion_tokens for usage in usages),
        cost=_sum(usage.cost for usage in usages),
    )


def judging(tally: Tally) -> Judging | None:
    """Sums over the votes of judges; None: there is none."""
    votes = [vote for number in sorted(tally.votes) for vote in tally.votes[number]]
    if not votes:
        return None
    usages = [usage for vote in votes for usage in vote.usages]
    paid = [usage for usage in usages if not usage.from_cache]
    return Judging(
        replies=sum(1 + len(vote.rejected) for vote in votes),
        from_cache=len(usages) - len(paid),
        prompt_tokens=_sum(usage.prompt_tokens for usage in paid),
        completion_tokens=_sum(usage.completion_tokens for usage in paid),
        cost=_sum(usage.cost for usage in paid),
    )


def wall_seconds(calls: Iterable[tuple[float, float]], sessions: Sequence[Session]) -> float:
    """How long the sessions took together, killed ones too, each from its start to its last answer's end."""
    starts = sorted(seconds_at(session.started) for session in sessions)
    ends = [0.0] * len(starts)
    for start, seconds in calls:
        number = bisect_right(starts, start) - 1
        if number >= 0 and start + seconds > ends[number]:
            ends[number] = start + seconds
    return sum(max(0.0, end - start) for start, end in zip(starts, ends, strict=True))


def _sum(values: Iterable[Number | None]) -> Number | None:
    numbers = [value for value in values if value is not None]
    return sum(numbers) if numbers else None
