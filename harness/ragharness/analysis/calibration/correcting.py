"""Labels with the run that they are of, and the counts of a run corrected by them, or why they cannot be."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from ragharness.analysis.calibration.note import LEAST_GOLD, Disagreement, Interval
from ragharness.analysis.labels.labels import Answered, Label, People, answered, read_people
from ragharness.analysis.labels.sampling import LEAST, Design, read_design, stratum_of
from ragharness.analysis.statistics.correcting import (
    Estimate,
    Part,
    correlation,
    difference,
    labels_needed,
    ppi,
)
from ragharness.errors import RunNotUsable
from ragharness.records import BUCKETS, Bucket
from ragharness.runner.journal import Key
from ragharness.runner.run_folder import RunFolder

LEAST_LABELS = 30
"""Labels under which nothing is corrected, unless they are all that there is."""


class Pair(NamedTuple):
    """One labelled answer: people's bucket, the grader's outcome, its stratum and weight."""

    people: Bucket
    grader: str
    stratum: str = "all"
    weight: float = 1.0


class Corrected(NamedTuple):
    """What correcting one bucket came to."""

    in_run: Interval | None
    long_run: Interval | None
    why_not: str
    needed: int | None
    needed_long_run: int | None


def weights(design: Design, strata: Sequence[str]) -> list[float]:
    """Return how many answers each labelled one stands for; those of a stratum stand for it alike."""
    labelled = Counter(strata)
    return [design.sizes[each] / labelled[each] for each in strata]


def refusals(design: Design, pairs: Sequence[Pair]) -> list[str]:
    """Return why labels of a sample correct nothing; empty: they do."""
    population = sum(design.sizes.values())
    if len(pairs) < min(LEAST_LABELS, population):
        return [f"{len(pairs)} answers are labelled, at least {min(LEAST_LABELS, population)} are needed"]
    found = []
    for name, size in design.sizes.items():
        n = sum(pair.stratum == name for pair in pairs)
        if n < min(LEAST, size):
            found.append(
                f"{n} answers of the stratum {name} are labelled, at least {min(LEAST, size)} are needed"
            )
    return found


def by_difference(
    design: Design, answers: Sequence[Answered], pairs: Sequence[Pair], questions: int
) -> dict[Bucket, Corrected]:
    """Return each bucket of a run corrected by the labels of a sample of its own answers."""
    graded = _graded(design, answers)
    return {bucket: _corrected(bucket, design, graded, pairs, questions) for bucket in BUCKETS}


def _corrected(
    bucket: Bucket,
    design: Design,
    graded: Mapping[str, Mapping[str, int]],
    pairs: Sequence[Pair],
    questions: int,
) -> Corrected:
    population = sum(design.sizes.values())
    people = [int(pair.people == bucket) for pair in pairs]
    grader = [int(pair.grader == bucket) for pair in pairs]
    parts = [
        Part(
            size,
            graded[name][bucket],
            [y for y, pair in zip(people, pairs, strict=True) if pair.stratum == name],
            [f for f, pair in zip(grader, pairs, strict=True) if pair.stratum == name],
        )
        for name, size in design.sizes.items()
    ]
    found = difference(parts)
    likeness = correlation(people, grader, [pair.weight for pair in pairs])
    rate = min(1.0, max(0.0, found.value))
    floor = min(LEAST_LABELS, population)
    near, far = (labels_needed(rate, likeness, population, finite=finite) for finite in (True, False))
    needed = [None if each is None else max(floor, each) for each in (near, far)]
    if few := _too_few(sum(people)):
        return Corrected(None, None, few, needed[0], needed[1])
    return Corrected(
        _interval(found, population, questions), _interval(ppi(parts), 1, 1), "", needed[0], needed[1]
    )


def _graded(design: Design, answers: Sequence[Answered]) -> dict[str, Counter[str]]:
    """Return the grader's outcomes in each stratum."""
    found = {name: Counter[str]() for name in design.sizes}
    for each in answers:
        found[stratum_of(each, design.strata)][each.outcome] += 1
    return found


def _too_few(n: int) -> str:
    return f"too few: {n} labelled, {LEAST_GOLD} needed" if n < LEAST_GOLD else ""


def _interval(found: Estimate, scale: float, most: float) -> Interval:
    """Return an estimate cut at what can be, in answers."""
    values = (min(most, max(0.0, scale * end)) for end in (found.value, found.low, found.high))
    value, low, high = values
    return Interval(value=value, low=low, high=high)


REVIEW = "needs_review"


class Source(NamedTuple):
    """Labels, and the run whose answers they are of."""

    folder: RunFolder
    answers: list[Answered]
    design: Design | None
    people: People
    standing: dict[Key, Label]
    stale: int


def read_source(folder: RunFolder, answers: list[Answered], place: Path) -> Source:
    """Return the labels in a file or folder with their run; raises RunNotUsable, UsageError."""
    home = place if place.is_dir() else place.parent
    design = read_design(home)
    if design is not None and design.created != folder.run.created:
        if not (home.parent / "run.json").is_file():
            raise RunNotUsable(
                f"expected the labels in {place} within the folder of their run {design.run}, found none:"
                " its verdicts say what the grader makes of labelled answers",
                help="put the labels back into runs/RUN/labels",
            )
        folder = RunFolder.open(home.parent)
        answers = answered(folder.records())
    digests = {each.key: each.digest for each in answers}
    people, stale = read_people(place, digests)
    sampled = {each.key for each in design.items} if design else digests.keys()
    standing = {key: label for key, label in people.standing().items() if key in sampled}
    return Source(folder, answers, design, people, standing, stale)


def pairs_of(source: Source) -> list[Pair]:
    """Return people's bucket and the grader's of each labelled answer, with its weight."""
    strata = {each.key: each.stratum for each in source.design.items} if source.design else {}
    outcomes = {each.key: each.outcome for each in source.answers}
    keys = [key for key in outcomes if key in source.standing]
    drawn = [strata.get(key, "all") for key in keys]
    heavy = weights(source.design, drawn) if source.design else [1.0] * len(keys)
    return [
        Pair(bucket, outcomes[key], stratum, weight)
        for key, stratum, weight in zip(keys, drawn, heavy, strict=True)
        if (bucket := source.standing[key].bucket) is not None
    ]


def unlabelled(source: Source) -> list[str]:
    """Return the questions of the sample without a label that stands, in the order of labelling."""
    items = source.design.items if source.design else ()
    return [each.question for each in items if each.key not in source.standing]


def disagreements(source: Source) -> list[Disagreement]:
    """Return the answers on which people and the grader differ, those about *wrong* first, reviews last."""
    asked = {each.id: each for each in source.folder.each_question()}
    found = []
    for record in source.folder.records():
        label = source.standing.get((record.question, record.epoch))
        outcome = (record.verdict and record.verdict.bucket) or REVIEW
        if label is None or label.bucket is None or label.bucket == outcome or record.answer is None:
            continue
        question, verdict = asked[record.question], record.verdict
        found.append(
            Disagreement(
                question=record.question,
                epoch=record.epoch,
                asked=question.text,
                gold=" | ".join(question.answers) or "none",
                answer=record.answer.text,
                people=label.bucket,
                comment=label.comment,
                grader=outcome,
                reason=verdict.reason if verdict else "",
                why=verdict.why if verdict else "",
            )
        )
    return sorted(found, key=_worst_first)


def _worst_first(each: Disagreement) -> tuple[bool, bool, str, int]:
    return each.grader == REVIEW, "wrong" not in (each.people, each.grader), each.question, each.epoch
