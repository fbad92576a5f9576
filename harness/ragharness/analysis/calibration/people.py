"""A run's verdicts against people's labels of its answers, or of another run's."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from datetime import datetime, timezone
from pathlib import Path

from ragharness.analysis.calibration.correcting import (
    REVIEW,
    Corrected,
    Pair,
    Source,
    by_difference,
    disagreements,
    pairs_of,
    read_source,
    refusals,
    unlabelled,
)
from ragharness.analysis.calibration.note import NONE, Agreement, BucketFigures, Method, Note, Rate, bound_of
from ragharness.analysis.labels.labels import Answered, answered, labels_folder
from ragharness.analysis.labels.sampling import enlarged, population_digest, spread_of
from ragharness.analysis.statistics.agreement import ac1, alpha, kappa
from ragharness.analysis.statistics.intervals import wilson
from ragharness.errors import UsageError
from ragharness.records import BUCKETS, Bucket
from ragharness.runner.run_folder import RunFolder

_OTHER_RUN = "labels of another run correct no counts"
_NEXT = 10
"""Questions to label next that are named."""


def calibrate_run(folder: RunFolder, labels: Path | None = None) -> Note:
    """Return how far a run's verdicts can be believed, by people's labels of some of its answers.

    ``labels`` is a file or folder of labels (default: those of the run). Labels of another run say how well
    the grader recognises each bucket, and correct no counts. Raises UsageError where there are no labels,
    RunNotUsable for damaged runs.
    """
    place = labels or labels_folder(folder)
    answers = answered(folder.records())
    source = read_source(folder, answers, place)
    same = source.folder.run.created == folder.run.created
    pairs = pairs_of(source)
    if not pairs:
        raise UsageError(
            f"expected labels of answers of the run {source.folder.name} in {place}, found none",
            help=f"ragharness label {source.folder.name}",
        )
    reasons = _reasons(source, pairs, folder)
    notes = _notes(source, pairs, same=same)
    questions = folder.run.settings.records
    method: Method = ""
    corrected: dict[Bucket, Corrected] = {}
    if not reasons and same and source.design:
        method, corrected = "difference", by_difference(source.design, answers, pairs, questions)
    elif not reasons:
        reasons += _not_recognised(pairs)
        corrected = dict.fromkeys(BUCKETS, Corrected(None, None, _OTHER_RUN, None, None))
    figures: dict[str, BucketFigures] = {
        bucket: figures_of(bucket, pairs, answers, corrected.get(bucket)) for bucket in BUCKETS
    }
    agreement = agreement_of(pairs)
    told = _sentence(figures, agreement, source, pairs, answers)
    left = unlabelled(source)
    more, following = _more(source, figures, pairs) if method == "difference" else (None, left[:_NEXT])
    return Note(
        calibrated=not reasons,
        sentence=f"{NONE}: {reasons[0]}" if reasons else told,
        reasons=reasons,
        notes=notes,
        run=folder.name,
        labels_of=source.folder.name,
        made=datetime.now(timezone.utc).isoformat(timespec="seconds"),
        bound=bound_of(folder.run.settings),
        questions=questions,
        answers=len(answers),
        labelled=len(pairs),
        unlabelled=len(left),
        annotators=list(source.people.names),
        strata=source.design.strata if source.design else "unknown",
        seed=source.design.seed if source.design else None,
        method=method,
        confusion=confusion(pairs),
        buckets=figures,
        agreement=agreement,
        more=more,
        next=following,
        disagreements=disagreements(source),
    )


def _reasons(source: Source, pairs: Sequence[Pair], folder: RunFolder) -> list[str]:
    """Return why the labels correct nothing."""
    design, labelled = source.design, source.folder
    if design is None:
        return ["the labels have no design.json beside them, so how the answers were chosen is not known"]
    theirs, ours = labelled.run.settings.grader, folder.run.settings.grader
    found = []
    if theirs != ours:
        found.append(f"the labelled run was graded by {theirs}, this one by {ours}")
    if design.population != population_digest(source.answers):
        found.append("answers of the run have changed since the sample was drawn")
    if design.strata == "bucket" and design.grader != theirs:
        found.append(f"the sample was drawn by the buckets of {design.grader}, the verdicts are of {theirs}")
    if waiting := source.people.open():
        found.append(
            f"annotators disagree on {len(waiting)} answers: ragharness label {labelled.name} --adjudicate"
        )
    return found + refusals(design, pairs)


def _not_recognised(pairs: Sequence[Pair]) -> list[str]:
    """Return why labels of another run say too little: the grader must recognise most of every bucket."""
    rows = dict(zip(BUCKETS, weighted(pairs), strict=True))
    hits = {bucket: row[BUCKETS.index(bucket)] for bucket, row in rows.items()}
    return [f"no labelled answer is {bucket}" for bucket, row in rows.items() if not sum(row)][:1] or [
        f"the grader recognises {hits[bucket]:g} of {sum(row):g} {bucket}, at most half"
        for bucket, row in rows.items()
        if hits[bucket] <= sum(row) / 2
    ][:1]


def _notes(source: Source, pairs: Sequence[Pair], *, same: bool) -> list[str]:
    found = []
    if not same:
        found.append(
            f"the labels are of the run {source.folder.name}: what the grader makes of each bucket is taken"
            " to be the same here"
        )
    if source.stale:
        found.append(f"labels of answers that have changed since: {source.stale}, left out")
    if left := unlabelled(source):
        found.append(f"answers of the sample without a label: {len(left)}, taken to be like the others")
    if reviews := sum(pair.grader == REVIEW for pair in pairs):
        found.append(
            f"labelled answers that the grader left to review: {reviews}; they count against recall, and not"
            " in accuracy, kappa, AC1 and alpha"
        )
    if len({pair.weight for pair in pairs}) > 1:
        found.append("strata were not drawn alike: each answer counts as many as it stands for")
    return found


def _more(
    source: Source, figures: dict[str, BucketFigures], pairs: Sequence[Pair]
) -> tuple[int | None, list[str]]:
    """Return how many labels are missing for +-5 points in every bucket, and which come next."""
    needed = [each.needed for each in figures.values()]
    most = max((each for each in needed if each is not None), default=len(pairs))
    more = max(0, most - len(pairs))
    design = source.design
    if not more or design is None:
        return more, []
    spread = spread_of(design, source.answers, source.standing)
    grown = enlarged(design, source.answers, most, spread)
    return more, [each.question for each in grown.items if each.key not in source.standing][:_NEXT]


def _sentence(
    figures: dict[str, BucketFigures],
    agreement: Agreement,
    source: Source,
    pairs: Sequence[Pair],
    answers: Sequence[Answered],
) -> str:
    recall = figures["wrong"].recall
    told = f"{recall.count}/{recall.n} wrong answers found"
    if recall.rate is not None and recall.low is not None and recall.high is not None:
        told += f" [{100 * recall.low:.0f}-{100 * recall.high:.0f}%]"
    people = len(source.people.names)
    by = f"{people} {'person' if people == 1 else 'people'}"
    of = f"of {len(answers)} " if len(source.answers) == len(answers) else ""
    alike = "" if agreement.kappa is None else f", kappa {agreement.kappa:.2f}"
    return f"calibrated: {len(pairs)} {of}answers labelled by {by}, {told}{alike}"


def figures_of(
    bucket: Bucket, pairs: Sequence[Pair], answers: Sequence[Answered], corrected: Corrected | None
) -> BucketFigures:
    """Return recall, precision and corrected counts of one bucket."""
    mine = [pair for pair in pairs if pair.people == bucket]
    theirs = [pair for pair in pairs if pair.grader == bucket]
    return BucketFigures(
        people=len(mine),
        grader=sum(each.outcome == bucket for each in answers),
        recall=_rate(mine, lambda pair: pair.grader == bucket),
        precision=_rate(theirs, lambda pair: pair.people == bucket),
        corrected=corrected.in_run if corrected else None,
        long_run=corrected.long_run if corrected else None,
        why_not=corrected.why_not if corrected else "not calibrated",
        needed=corrected.needed if corrected else None,
        needed_long_run=corrected.needed_long_run if corrected else None,
    )


def _rate(pairs: Sequence[Pair], hit: Callable[[Pair], bool]) -> Rate:
    """Return a weighted share with Wilson's interval on the effective number of answers (Kish 1965)."""
    hits = [pair for pair in pairs if hit(pair)]
    total = math.fsum(pair.weight for pair in pairs)
    if not total:
        return Rate(count=0, n=0, rate=None, low=None, high=None)
    value = math.fsum(pair.weight for pair in hits) / total
    effective = total * total / math.fsum(pair.weight**2 for pair in pairs)
    low, high = wilson(min(effective, value * effective), effective)
    return Rate(count=len(hits), n=len(pairs), rate=value, low=low, high=high)


def confusion(pairs: Sequence[Pair]) -> dict[str, dict[str, int]]:
    """Return how many labelled answers of each of people's buckets came out as what."""
    counts = Counter((pair.people, pair.grader) for pair in pairs)
    return {row: {each: counts[row, each] for each in (*BUCKETS, REVIEW)} for row in BUCKETS}


def weighted(pairs: Sequence[Pair]) -> list[list[float]]:
    """Return people's buckets against the grader's, each answer by its weight, adding up to their number."""
    graded = [pair for pair in pairs if pair.grader in BUCKETS]
    scale = len(graded) / (math.fsum(pair.weight for pair in graded) or 1.0)
    table = [[0.0] * len(BUCKETS) for _ in BUCKETS]
    for pair in graded:
        table[BUCKETS.index(pair.people)][BUCKETS.index(pair.grader)] += scale * pair.weight
    return table


def agreement_of(pairs: Sequence[Pair]) -> Agreement:
    """Return the agreement of people and grader over the answers that both gave a bucket."""
    graded = [pair for pair in pairs if pair.grader in BUCKETS]
    table = weighted(pairs)
    one, other = kappa(table), ac1(table)
    return Agreement(
        n=len(graded),
        accuracy=_rate(graded, lambda pair: pair.people == pair.grader),
        kappa=one.value if one else None,
        kappa_interval=(one.low, one.high) if one else None,
        ac1=other.value if other else None,
        ac1_interval=(other.low, other.high) if other else None,
        alpha=alpha([(pair.people, pair.grader) for pair in graded]),
    )
