"""A run's verdicts against people's labels, and the ``Note`` of what was found, kept with its run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import datetime, timezone
from pathlib import Path
from typing import Literal, NamedTuple

import msgspec
from msgspec import Struct

from ragharness.analysis.agreement import (
    REVIEW,
    Agreement,
    Estimate,
    Pair,
    Part,
    Rate,
    agreement_of,
    confusion,
    correlation,
    difference,
    labels_needed,
    ppi,
    rate_of,
    weighted,
)
from ragharness.analysis.labels import (
    LEAST,
    Answered,
    Design,
    Label,
    People,
    answered,
    enlarged,
    labels_folder,
    population_digest,
    read_design,
    read_people,
    spread_of,
    stratum_of,
)
from ragharness.errors import RunNotUsable, UsageError
from ragharness.records import BUCKETS, Bucket
from ragharness.runner.journal import Key
from ragharness.runner.run_folder import RunFolder, Settings

FILE = "calibration.json"
FORMAT = 1
NONE = "NOT calibrated"
LEAST_GOLD = 5  # labelled answers of a bucket under which its count is not corrected
LEAST_LABELS = 30  # labels under which nothing is corrected, unless they are all that there is
Method = Literal["", "difference", "rogan-gladen"]


class Bound(Struct, frozen=True, kw_only=True):
    """What a calibration holds for: it says nothing of another grader, or of other answers."""

    grader: str  # name and version; of a model its own name and its prompt's version are part of it
    model: str  # that of the pipeline, where it names one
    prompt: str
    question_set: str
    corpus_hash: str


class Interval(Struct, frozen=True, kw_only=True):
    """A corrected rate: of all questions of the run, in answers, or of the long run."""

    value: float
    low: float
    high: float


class BucketFigures(Struct, frozen=True, kw_only=True):
    """One bucket: how well the grader finds it, and how many answers really are in it."""

    people: int  # labelled answers that people put there
    grader: int  # answers of the run that the grader put there, labelled or not
    recall: Rate  # of those that people put there, the grader's
    precision: Rate  # of those that the grader put there, people's
    corrected: Interval | None = None  # how many answers of the run are in the bucket
    long_run: Interval | None = None  # the share in the population that the answers are a sample of (PPI++)
    why_not: str = ""  # why there is no corrected count; empty: there is one
    needed: int | None = None  # labels for +-5 points in this run, those given included; None: not known
    needed_long_run: int | None = None  # the same for the long run; None: no number of labels is enough


class Disagreement(Struct, frozen=True, kw_only=True):
    """An answer that people and the grader put into different buckets."""

    question: str
    epoch: int
    asked: str
    gold: str
    answer: str
    people: str
    comment: str
    grader: str
    reason: str
    why: str


class Note(Struct, frozen=True, kw_only=True):
    """The JSON of ``ragharness calibrate RUN``."""

    format: int = FORMAT
    calibrated: bool
    sentence: str  # what reports say
    reasons: list[str]  # why it is not calibrated
    notes: list[str]  # what limits how the figures can be read
    run: str
    labels_of: str  # the run whose answers were labelled
    made: str
    bound: Bound
    questions: int  # questions times epochs: the denominator of every rate
    answers: int  # answers of the run that can be labelled
    labelled: int
    unlabelled: int  # answers of the sample without a label
    annotators: list[str]
    strata: str
    seed: int | None
    method: Method
    confusion: dict[str, dict[str, int]]
    """People's bucket -> the grader's, or ``needs_review`` -> labelled answers."""
    buckets: dict[str, BucketFigures]
    agreement: Agreement
    more: int | None  # labels that are missing for +-5 points in every bucket
    next: list[str]  # questions to label next
    disagreements: list[Disagreement]


def bound_of(settings: Settings) -> Bound:
    """What a calibration of such a run is bound to."""
    return Bound(
        grader=settings.grader,
        model=str(settings.pipeline_settings.get("model", "")),
        prompt=str(settings.pipeline_settings.get("prompt", "")),
        question_set=settings.question_set,
        corpus_hash=settings.corpus_hash,
    )


def write_note(folder: RunFolder, note: Note, markdown: str) -> None:
    """Keep a note with its run, as JSON and as Markdown; raises StorageError."""
    folder.write(FILE, msgspec.json.format(msgspec.json.encode(note)) + b"\n")
    folder.write("calibration.md", markdown.encode())


def standing(folder: RunFolder) -> tuple[bool, str]:
    """Whether the grader is calibrated on a run, and the sentence that says so."""
    try:
        note = msgspec.json.decode((folder.path / FILE).read_bytes(), type=Note)
    except (OSError, msgspec.MsgspecError):
        return False, NONE
    now = bound_of(folder.run.settings)
    for name in Bound.__struct_fields__:
        was, found = getattr(note.bound, name), getattr(now, name)
        if was != found:
            return False, f"{NONE}: the labels are for {name.replace('_', ' ')} {was[:16]}, not {found[:16]}"
    return note.calibrated, note.sentence


class Correction(NamedTuple):
    """What correcting one bucket came to, as ``BucketFigures`` has it."""

    corrected: Interval | None = None
    long_run: Interval | None = None
    why_not: str = "not calibrated"
    needed: int | None = None
    needed_long_run: int | None = None


def refusals(design: Design, pairs: Sequence[Pair]) -> list[str]:
    """Why labels of a sample correct nothing; empty: they do."""
    population = sum(design.sizes.values())
    if len(pairs) < min(LEAST_LABELS, population):
        return [f"{len(pairs)} answers are labelled, at least {min(LEAST_LABELS, population)} are needed"]
    least = {name: min(LEAST, size) for name, size in design.sizes.items()}
    labelled = Counter(pair.stratum for pair in pairs)
    return [
        f"{labelled[name]} answers of the stratum {name} are labelled, at least {n} are needed"
        for name, n in least.items()
        if labelled[name] < n
    ]


def _corrected(
    bucket: Bucket, design: Design, answers: Sequence[Answered], pairs: Sequence[Pair], questions: int
) -> Correction:
    graded = Counter(stratum_of(answer, design.strata) for answer in answers if answer.outcome == bucket)
    population = sum(design.sizes.values())
    people = [int(pair.people == bucket) for pair in pairs]
    grader = [int(pair.grader == bucket) for pair in pairs]
    parts = []
    for name, size in design.sizes.items():
        labelled = [number for number, pair in enumerate(pairs) if pair.stratum == name]
        ours, theirs = ([labels[number] for number in labelled] for labels in (people, grader))
        parts.append(Part(size, graded[name], ours, theirs))
    estimate = difference(parts)
    likeness = correlation(people, grader, [pair.weight for pair in pairs])
    rate = min(1.0, max(0.0, estimate.value))
    floor = min(LEAST_LABELS, population)
    needs = (labels_needed(rate, likeness, population, finite=finite) for finite in (True, False))
    needed = [None if n is None else max(floor, n) for n in needs]
    if sum(people) < LEAST_GOLD:
        return Correction(None, None, f"too few: {sum(people)} labelled, {LEAST_GOLD} needed", *needed)
    in_run, long_run = _interval(estimate, population, questions), _interval(ppi(parts), 1, 1)
    return Correction(in_run, long_run, "", *needed)


def _interval(estimate: Estimate, scale: float, most: float) -> Interval:
    """Estimate cut at what can be, in answers."""
    ends = (estimate.value, estimate.low, estimate.high)
    value, low, high = (min(most, max(0.0, scale * end)) for end in ends)
    return Interval(value=value, low=low, high=high)


class Source(NamedTuple):
    """Labels, and the run whose answers they are of."""

    folder: RunFolder
    answers: list[Answered]
    design: Design | None
    people: People
    standing: dict[Key, Label]
    stale: int


def read_source(folder: RunFolder, answers: list[Answered], place: Path) -> Source:
    """Labels in a file or folder with their run; raises RunNotUsable, UsageError."""
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
    """People's bucket and the grader's of each labelled answer; those of a stratum stand for it alike."""
    strata = {item.key: item.stratum for item in source.design.items} if source.design else {}
    standing = source.standing
    labels = {answer: standing[answer.key].bucket for answer in source.answers if answer.key in standing}
    labelled = Counter(strata.get(answer.key, "all") for answer in labels)
    pairs = []
    for answer, bucket in labels.items():
        stratum = strata.get(answer.key, "all")
        weight = source.design.sizes[stratum] / labelled[stratum] if source.design else 1.0
        if bucket is not None:
            pairs.append(Pair(bucket, answer.outcome, stratum, weight))
    return pairs


def unlabelled(source: Source) -> list[str]:
    """Questions of the sample without a label that stands, in the order of labelling."""
    items = source.design.items if source.design else ()
    return [each.question for each in items if each.key not in source.standing]


def disagreements(source: Source) -> list[Disagreement]:
    """Answers on which people and the grader differ, those about *wrong* first, reviews last."""
    asked = {question.id: question for question in source.folder.each_question()}
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
    found.sort(key=lambda answer: (answer.question, answer.epoch))
    return sorted(found, key=lambda a: (a.grader == REVIEW, "wrong" not in (a.people, a.grader)))


_OTHER_RUN = "n/a: labels of another run correct no counts"
_NEXT = 10  # questions to label next that are named


def calibrate_run(folder: RunFolder, labels: Path | None = None) -> Note:
    """How far a run's verdicts can be believed, by people's labels of some of its answers.

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
        message = f"expected labels of answers of the run {source.folder.name} in {place}, found none"
        raise UsageError(message, help=f"ragharness label {source.folder.name}")
    reasons = _reasons(source, pairs, folder)
    notes = _notes(source, pairs, same=same)
    questions = folder.run.settings.records
    method: Method = ""
    corrections = dict.fromkeys(BUCKETS, Correction())
    if not reasons and same and source.design:
        method, about = "difference", (source.design, answers, pairs, questions)
        corrections = {bucket: _corrected(bucket, *about) for bucket in BUCKETS}
    elif not reasons:
        reasons += _not_recognised(pairs)
        corrections = dict.fromkeys(BUCKETS, Correction(why_not=_OTHER_RUN))
    figures: dict[str, BucketFigures] = {
        bucket: _figures(bucket, pairs, answers, corrections[bucket]) for bucket in BUCKETS
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
        command = f"ragharness label {labelled.name} --adjudicate"
        found.append(f"annotators disagree on {len(waiting)} answers: {command}")
    return found + refusals(design, pairs)


def _not_recognised(pairs: Sequence[Pair]) -> list[str]:
    """Why labels of another run say too little: the grader must recognise most of every bucket."""
    rows = dict(zip(BUCKETS, weighted(pairs), strict=True))
    absent = [f"no labelled answer is {bucket}" for bucket, row in rows.items() if not sum(row)]
    few = [
        f"the grader recognises {row[i]:g} of {sum(row):g} {bucket}, at most half"
        for i, (bucket, row) in enumerate(rows.items())
        if row[i] <= sum(row) / 2
    ]
    return (absent or few)[:1]


def _notes(source: Source, pairs: Sequence[Pair], *, same: bool) -> list[str]:
    left, reviews = len(unlabelled(source)), sum(pair.grader == REVIEW for pair in pairs)
    notes = {
        f"the labels are of the run {source.folder.name}: what the grader makes of each bucket is taken"
        " to be the same here": not same,
        f"labels of answers that have changed since: {source.stale}, left out": source.stale,
        f"answers of the sample without a label: {left}, taken to be like the others": left,
        f"labelled answers that the grader left to review: {reviews}; they count against recall, and not"
        " in accuracy, kappa, AC1 and alpha": reviews,
        "strata were not drawn alike: each answer counts as many as it stands for": (
            len({pair.weight for pair in pairs}) > 1
        ),
    }
    return [note for note, holds in notes.items() if holds]


def _more(
    source: Source, figures: dict[str, BucketFigures], pairs: Sequence[Pair]
) -> tuple[int | None, list[str]]:
    """How many labels are missing for +-5 points in every bucket, and which come next."""
    needed = [each.needed for each in figures.values()]
    most = max((each for each in needed if each is not None), default=len(pairs))
    more = max(0, most - len(pairs))
    if not more or source.design is None:
        return more, []
    spread = spread_of(source.design, source.answers, source.standing)
    grown = enlarged(source.design, source.answers, most, spread)
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


def _figures(
    bucket: Bucket, pairs: Sequence[Pair], answers: Sequence[Answered], correction: Correction
) -> BucketFigures:
    people = [pair for pair in pairs if pair.people == bucket]
    grader = [pair for pair in pairs if pair.grader == bucket]
    return BucketFigures(
        people=len(people),
        grader=sum(answer.outcome == bucket for answer in answers),
        recall=rate_of(people, lambda pair: pair.grader == bucket),
        precision=rate_of(grader, lambda pair: pair.people == bucket),
        **correction._asdict(),
    )
