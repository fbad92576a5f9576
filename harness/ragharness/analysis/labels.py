"""People's labels of a run's answers: which answers they get, a file for each person, what several say."""

from __future__ import annotations

import hashlib
import math
import os
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from pathlib import Path
from typing import Literal, NamedTuple

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from ragharness.analysis.agreement import Coefficient, ac1, alpha, kappa, neyman
from ragharness.errors import UsageError
from ragharness.records import ADJUDICATED, BUCKETS, Bucket, Record, YesNo
from ragharness.runner.journal import UNREADABLE, Key, disk, line_of, mend, open_to_append, write_whole
from ragharness.runner.run_folder import RunFolder
from ragharness.runner.run_search import slug
from ragharness.support.files import atomic_file, exclusive_lock, read_plain, text_digest

FOLDER = "labels"  # the folder of a run that holds its sample and a file for each annotator
MOST_QUALITY = 3
LONGEST_COMMENT = 4000


class Label(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One line of an annotator's file; the last line about an answer stands."""

    question: str
    epoch: int = 0
    bucket: Bucket | None = None  # None: the answer was skipped, or its label taken back
    skipped: bool = False
    citation_supports: YesNo | None = None
    refusal_quality: int | None = None
    extra_claim_count: int | None = None
    comment: str = ""
    by: str
    at: str = ""
    answer: str = ""  # a digest of the answer's text: the label is of this answer, not of one that came later

    @property
    def key(self) -> Key:
        """The answer that it is about."""
        return self.question, self.epoch


class Answered(NamedTuple):
    """One answer of a run that people can label."""

    key: Key
    row: str
    outcome: str  # the grader's bucket, or ``needs_review``
    digest: str


_LABEL = msgspec.json.Decoder(Label)


def answered(records: Iterable[Record]) -> list[Answered]:
    """Answers with a text of a run, by question and epoch: what a sample is drawn from."""
    return sorted(
        Answered(
            (record.question, record.epoch),
            record.row,
            (record.verdict and record.verdict.bucket) or "needs_review",
            text_digest(record.answer.text),
        )
        for record in records
        if record.answer is not None and record.answer.text.strip()
    )


def labels_folder(folder: RunFolder) -> Path:
    """Where the labels of a run lie."""
    return folder.path / FOLDER


def path_of(folder: Path, annotator: str) -> Path:
    """File of an annotator; raises UsageError for a name that no file can have."""
    name = slug(annotator, "")
    if not name:
        raise UsageError(f"expected a name with letters or digits, found {annotator!r}", help="--as NAME")
    return folder / f"{name}.jsonl"


def read_labels(path: Path) -> dict[Key, Label]:
    """Labels of a file as they stand, skipped ones too, but no torn last line; raises UsageError."""
    with disk(path, "read"):
        *lines, _ = read_plain(path).split(b"\n")
    labels: dict[Key, Label] = {}
    number = 0
    try:
        for number, line in enumerate(lines, start=1):  # noqa: B007
            label = _LABEL.decode(line)
            # The latest comes last, so that undoing takes it back first.
            labels.pop(label.key, None)
            labels[label.key] = label
    except UNREADABLE as error:
        message = f"expected a label in line {number} of {path}, found: {error}"
        raise UsageError(message, help="remove that line; its answer is then shown again") from error
    return labels


def append_label(path: Path, label: Label) -> None:
    """Write one label so that it is on the disk when this returns; raises StorageError."""
    with disk(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        mend(path, _LABEL)
        file = open_to_append(path)
        try:
            write_whole(file, line_of(label))
            os.fsync(file)
        finally:
            os.close(file)


Labels = dict["Key", "Label"]


class Pair(NamedTuple):
    """Two annotators over the answers that both labelled."""

    one: str
    other: str
    n: int
    agreed: int
    kappa: Coefficient | None
    ac1: Coefficient | None


class People(NamedTuple):
    """Everybody's labels of a run."""

    by_annotator: dict[str, Labels]  # labels with a bucket, but for those that settle disagreements
    adjudicated: Labels

    @property
    def names(self) -> tuple[str, ...]:
        """The annotators."""
        return tuple(self.by_annotator)

    def of(self, key: Key) -> list[Label]:
        """Labels of one answer, those that settle it left out."""
        return [labels[key] for labels in self.by_annotator.values() if key in labels]

    def disputed(self) -> list[Key]:
        """Answers that annotators put into different buckets, settled or not."""
        keys = dict.fromkeys(key for labels in self.by_annotator.values() for key in labels)
        return [key for key in keys if len({label.bucket for label in self.of(key)}) > 1]

    def open(self) -> list[Key]:
        """Disputed answers that nobody has settled."""
        return [key for key in self.disputed() if key not in self.adjudicated]

    def standing(self) -> Labels:
        """The label that stands for each answer; a disputed one has none until it is settled."""
        disputed = set(self.disputed())
        labels: Labels = {}
        for given in reversed(self.by_annotator.values()):
            labels |= given
        return {key: label for key, label in labels.items() if key not in disputed} | self.adjudicated

    def alpha(self) -> float | None:
        """Krippendorff's alpha over the answers that two annotators or more labelled."""
        keys = dict.fromkeys(key for labels in self.by_annotator.values() for key in labels)
        return alpha([[label.bucket for label in self.of(key)] for key in keys])

    def pairs(self) -> list[Pair]:
        """Agreement of each two annotators who labelled an answer in common."""
        pairs = []
        for one, other in combinations(self.by_annotator, 2):
            first, second = self.by_annotator[one], self.by_annotator[other]
            counts = Counter((first[key].bucket, second[key].bucket) for key in first if key in second)
            table = [[counts[row, column] for column in BUCKETS] for row in BUCKETS]
            agreed = sum(counts[bucket, bucket] for bucket in BUCKETS)
            if counts:
                pairs.append(Pair(one, other, counts.total(), agreed, kappa(table), ac1(table)))
        return pairs


def labels_told(folder: RunFolder, record: Record) -> list[str]:
    """What each annotator said of an answer, and how a disagreement was settled, in words."""
    path = labels_folder(folder)
    if record.answer is None or not any(path.glob("*.jsonl")):
        return []
    key = record.question, record.epoch
    people, _ = read_people(path, {key: text_digest(record.answer.text)})
    labels = [(label.by, label) for label in people.of(key)]
    if settled := people.adjudicated.get(key):
        labels.append((f"settled by {settled.by}", settled))
    return [f"{by}: {label.bucket}" + f" ({label.comment})" * bool(label.comment) for by, label in labels]


def read_people(path: Path, digests: Mapping[Key, str] | None = None) -> tuple[People, int]:
    """Labels in a file or in all files of a folder, and how many are left out.

    ``digests``: of the answers as they are; a label of an answer that changed since, or of none, is left out.
    Raises UsageError where there is no such file, and for lines that cannot be read.
    """
    files = sorted(path.glob("*.jsonl")) if path.is_dir() else [path]
    if not files or not files[0].is_file():
        raise UsageError(f"expected labels in {path}, found none", help="ragharness label RUN")
    stale = 0
    by_annotator: dict[str, Labels] = {}
    for file in files:
        labels = {key: label for key, label in read_labels(file).items() if label.bucket is not None}
        changed = {key for key in labels if digests is not None and digests.get(key) != labels[key].answer}
        by_annotator[file.stem] = {key: label for key, label in labels.items() if key not in changed}
        stale += len(changed)
    settled = by_annotator.pop(ADJUDICATED, {}) if path.is_dir() else {}
    return People(by_annotator, settled), stale


Strata = Literal["none", "row", "bucket"]
STRATA: tuple[Strata, ...] = ("none", "row", "bucket")
DEFAULT_SAMPLE = 60
LEAST = 5  # answers of each stratum, where it has so many
_FORMAT = 1
_FILE = "design.json"


class Drawn(Struct, frozen=True, array_like=True):
    """One answer of the sample."""

    question: str
    epoch: int
    stratum: str

    @property
    def key(self) -> Key:
        """The answer."""
        return self.question, self.epoch


class Design(Struct, frozen=True, kw_only=True):
    """How a sample was drawn: what correcting a rate by it needs to know."""

    format: int = _FORMAT
    run: str
    created: str  # when the run was made, by which a folder with another name is known again
    question_set: str
    grader: str  # whose buckets the strata are, where they are buckets
    population: str  # a digest of the answers that it was drawn from
    strata: Strata
    seed: int
    sizes: dict[str, int]  # answers in each stratum
    drawn: dict[str, int]  # answers of each stratum in the sample
    items: tuple[Drawn, ...]  # in the order in which they are labelled


def population_digest(answers: Sequence[Answered]) -> str:
    """Digest of which answers a run has, whatever their verdicts."""
    content = msgspec.json.encode([(answer.key, answer.digest) for answer in answers])
    return hashlib.blake2b(content, digest_size=16).hexdigest()


def read_design(path: Path) -> Design | None:
    """Design beside some labels; None where there is none. Raises UsageError if unreadable."""
    file = path / _FILE
    if not file.is_file():
        return None
    with disk(file, "read"):
        content = file.read_bytes()
    try:
        return msgspec.json.decode(content, type=Design)
    except msgspec.MsgspecError as error:
        message = f"expected the design of a sample in {file}, found: {error}"
        raise UsageError(message, help=_ANEW.format(path)) from error


def open_design(
    folder: RunFolder,
    answers: Sequence[Answered],
    *,
    sample: int = 0,
    strata: str = "",
    seed: int | None = None,
    deviations: Mapping[str, float] | None = None,
) -> Design:
    """Sample of a run, drawn now where there is none, and enlarged to ``sample`` answers.

    ``deviations`` of the grader's errors by stratum decide where it grows. Raises UsageError for another way
    of drawing than the one that was begun with, and where the answers have changed since.
    """
    place = folder.path / FOLDER
    if strata and strata not in STRATA:
        raise UsageError(f"expected --strata {', '.join(STRATA)}, found {strata!r}")
    if sample < 0:
        raise UsageError(f"expected --sample of at least 1, found {sample}")
    if not answers:
        raise UsageError(f"expected answers to label in {folder.path}, found none", help="ragharness run")
    with disk(place):
        place.mkdir(exist_ok=True)
    with exclusive_lock(place / "lock", help="repeat the command: somebody was drawing the sample"):
        known = read_design(place)
        if known is not None:
            _check(known, strata, seed, answers, place)
            if sample <= len(known.items):
                return known
            if known.strata == "bucket" and known.grader != folder.run.settings.grader:
                raise UsageError(
                    f"expected verdicts of {known.grader}, by whose buckets the sample was drawn,"
                    f" found those of {folder.run.settings.grader}",
                    help=f"ragharness grade {folder.name} --grader NAME, or {_ANEW.format(place)}",
                )
        design = known or _empty(folder, answers, strata or "none", seed or 0)
        design = enlarged(design, answers, sample or DEFAULT_SAMPLE, deviations or {})
        with disk(place), atomic_file(place / _FILE, durable=True) as file:
            file.write(msgspec.json.format(msgspec.json.encode(design)) + b"\n")
    return design


def stratum_of(answer: Answered, strata: str) -> str:
    """Stratum of an answer."""
    return {"row": answer.row, "bucket": answer.outcome}.get(strata, "all")


def enlarged(design: Design, answers: Sequence[Answered], n: int, deviations: Mapping[str, float]) -> Design:
    """The sample with more answers, ``n`` altogether as far as the strata allow."""
    drawn = Counter(item.stratum for item in design.items)
    deviation = [deviations.get(name, 1.0) for name in design.sizes]
    least = LEAST if len(design.sizes) > 1 else 0
    allotted = neyman(list(design.sizes.values()), deviation, n, least)
    allocation = dict(zip(design.sizes, allotted, strict=True))
    strata = {answer.key: stratum_of(answer, design.strata) for answer in answers}
    items = {item.key: item for item in design.items}
    tickets = {key: f"{design.seed}:{key[0]}:{key[1]}".encode() for key in strata}
    order = sorted(strata, key=lambda key: hashlib.sha256(tickets[key]).digest())
    for key in order:
        stratum = strata[key]
        if key not in items and drawn[stratum] < allocation.get(stratum, 0):
            items[key] = Drawn(*key, stratum)
            drawn[stratum] += 1
    sampled = tuple(items[key] for key in order if key in items)
    return replace(design, drawn={name: drawn[name] for name in design.sizes}, items=sampled)


def _empty(folder: RunFolder, answers: Sequence[Answered], strata: Strata, seed: int) -> Design:
    settings = folder.run.settings
    return Design(
        run=folder.name,
        created=folder.run.created,
        question_set=settings.question_set,
        grader=settings.grader,
        population=population_digest(answers),
        strata=strata,
        seed=seed,
        sizes=dict(sorted(Counter(stratum_of(answer, strata) for answer in answers).items())),
        drawn={},
        items=(),
    )


_ANEW = "keep the folder {0} elsewhere and repeat the command: it draws a new sample"


def _check(known: Design, strata: str, seed: int | None, answers: Sequence[Answered], place: Path) -> None:
    for name, asked, begun in (("--strata", strata or None, known.strata), ("--seed", seed, known.seed)):
        if asked is not None and asked != begun:
            message = f"expected {name} {begun}, with which the sample was drawn, found {asked}"
            raise UsageError(message, help=_ANEW.format(place))
    if known.population != population_digest(answers):
        raise UsageError(
            f"expected the {sum(known.sizes.values())} answers from which the sample in {place} was drawn,"
            f" found {len(answers)} answers, or others",
            help=_ANEW.format(place),
        )


def spread_of(design: Design, answers: Sequence[Answered], labels: Mapping[Key, Label]) -> dict[str, float]:
    """Deviation of being labelled otherwise than graded, by stratum; rates are never 0 or 1."""
    outcomes = {answer.key: answer.outcome for answer in answers}
    labelled, apart = Counter[str](), Counter[str]()
    for item in design.items:
        if item.key in labels and item.key in outcomes:
            labelled[item.stratum] += 1
            apart[item.stratum] += labels[item.key].bucket != outcomes[item.key]
    rates = {name: (apart[name] + 1) / (labelled[name] + 2) for name in design.sizes}
    return {name: math.sqrt(rate * (1 - rate)) for name, rate in rates.items()}
