"""``Label``: what one person says of one answer, its append-only files, and what several say together."""

from __future__ import annotations

import hashlib
import math
import os
from collections import Counter, defaultdict
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

FOLDER = "labels"
"""The folder of a run that holds its sample and a file for each annotator."""

MOST_QUALITY = 3
LONGEST_COMMENT = 4000


class Label(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One line of an annotator's file; the last line about an answer stands."""

    question: str
    epoch: int = 0
    bucket: Bucket | None = None
    """None: the answer was skipped, or its label taken back."""
    skipped: bool = False
    citation_supports: YesNo | None = None
    refusal_quality: int | None = None
    extra_claim_count: int | None = None
    comment: str = ""
    by: str
    at: str = ""
    answer: str = ""
    """A digest of the answer's text: the label is of this answer, not of one that came later."""

    @property
    def key(self) -> Key:
        """The answer that it is about."""
        return self.question, self.epoch


class Answered(NamedTuple):
    """One answer of a run that people can label."""

    key: Key
    row: str
    outcome: str
    """The grader's bucket, or ``needs_review``."""
    digest: str


_LABEL = msgspec.json.Decoder(Label)


def answered(records: Iterable[Record]) -> list[Answered]:
    """Return the answers with a text of a run, by question and epoch: what a sample is drawn from."""
    found = [
        Answered(
            (each.question, each.epoch),
            each.row,
            (each.verdict and each.verdict.bucket) or "needs_review",
            text_digest(each.answer.text),
        )
        for each in records
        if each.answer is not None and each.answer.text.strip()
    ]
    return sorted(found, key=lambda each: each.key)


def labels_folder(folder: RunFolder) -> Path:
    """Return where the labels of a run lie."""
    return folder.path / FOLDER


def path_of(folder: Path, annotator: str) -> Path:
    """Return the file of an annotator; raises UsageError for a name that no file can have."""
    name = slug(annotator, "")
    if not name:
        raise UsageError(f"expected a name with letters or digits, found {annotator!r}", help="--as NAME")
    return folder / f"{name}.jsonl"


def read_labels(path: Path) -> dict[Key, Label]:
    """Return the labels of one file as they stand, skipped ones and those taken back included.

    A torn last line counts as not written. Raises UsageError with the line that cannot be read.
    """
    with disk(path, "read"):
        *lines, _ = read_plain(path).split(b"\n")
    found: dict[Key, Label] = {}
    number = 0
    try:
        for number, line in enumerate(lines, start=1):  # noqa: B007
            label = _LABEL.decode(line)
            # The latest comes last, so that undoing takes it back first.
            found.pop(label.key, None)
            found[label.key] = label
    except UNREADABLE as error:
        raise UsageError(
            f"expected a label in line {number} of {path}, found: {error}",
            help="remove that line; its answer is then shown again",
        ) from error
    return found


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

    by_annotator: dict[str, Labels]
    """Labels with a bucket, by annotator; those that settle disagreements are not among them."""
    adjudicated: Labels

    @property
    def names(self) -> tuple[str, ...]:
        """The annotators."""
        return tuple(self.by_annotator)

    def of(self, key: Key) -> list[Label]:
        """Return the labels of one answer, those that settle it left out."""
        return [labels[key] for labels in self.by_annotator.values() if key in labels]

    def disputed(self) -> list[Key]:
        """Return the answers that annotators put into different buckets, settled or not."""
        keys = dict.fromkeys(key for labels in self.by_annotator.values() for key in labels)
        return [key for key in keys if len({label.bucket for label in self.of(key)}) > 1]

    def open(self) -> list[Key]:
        """Return the disputed answers that nobody has settled."""
        return [key for key in self.disputed() if key not in self.adjudicated]

    def standing(self) -> Labels:
        """Return the label that stands for each answer; a disputed one has none until it is settled."""
        disputed = set(self.disputed())
        found = {
            key: label
            for labels in reversed(self.by_annotator.values())
            for key, label in labels.items()
            if key not in disputed
        }
        return found | self.adjudicated

    def alpha(self) -> float | None:
        """Return Krippendorff's alpha over the answers that two annotators or more labelled."""
        keys = dict.fromkeys(key for labels in self.by_annotator.values() for key in labels)
        return alpha([[label.bucket for label in self.of(key)] for key in keys])

    def pairs(self) -> list[Pair]:
        """Return the agreement of each two annotators who labelled an answer in common."""
        found = []
        for one, other in combinations(self.by_annotator, 2):
            first, second = self.by_annotator[one], self.by_annotator[other]
            common = [key for key in first if key in second]
            table = [[0] * len(BUCKETS) for _ in BUCKETS]
            for key in common:
                a, b = first[key].bucket, second[key].bucket
                if a is not None and b is not None:
                    table[BUCKETS.index(a)][BUCKETS.index(b)] += 1
            agreed = sum(table[place][place] for place in range(len(BUCKETS)))
            if common:
                found.append(Pair(one, other, len(common), agreed, kappa(table), ac1(table)))
        return found


def labels_told(folder: RunFolder, record: Record) -> list[str]:
    """Return what each annotator said of an answer, and how a disagreement was settled, in words."""
    place = labels_folder(folder)
    if record.answer is None or not any(place.glob("*.jsonl")):
        return []
    key = record.question, record.epoch
    people, _ = read_people(place, {key: text_digest(record.answer.text)})
    settled = [people.adjudicated[key]] if key in people.adjudicated else []
    told = [(each.by, each) for each in people.of(key)]
    told += [(f"settled by {each.by}", each) for each in settled]
    return [f"{who}: {each.bucket}" + (f" ({each.comment})" if each.comment else "") for who, each in told]


def read_people(path: Path, digests: Mapping[Key, str] | None = None) -> tuple[People, int]:
    """Return the labels in a file or in all files of a folder, and how many are left out.

    ``digests``: of the answers as they are; a label of an answer that changed since, or of none, is left out.
    Raises UsageError where there is no such file, and for lines that cannot be read.
    """
    files = sorted(path.glob("*.jsonl")) if path.is_dir() else [path]
    if not files or not files[0].is_file():
        raise UsageError(f"expected labels in {path}, found none", help="ragharness label RUN")
    stale = 0
    found: dict[str, Labels] = {}
    for file in files:
        kept: Labels = {}
        for key, label in read_labels(file).items():
            if label.bucket is not None and (digests is None or digests.get(key) == label.answer):
                kept[key] = label
            elif label.bucket is not None:
                stale += 1
        found[file.stem] = kept
    settled = found.pop(ADJUDICATED, {}) if path.is_dir() else {}
    return People(found, settled), stale


Strata = Literal["none", "row", "bucket"]
STRATA: tuple[Strata, ...] = ("none", "row", "bucket")
DEFAULT_SAMPLE = 60
LEAST = 5
"""Answers of each stratum, where it has so many."""

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
    created: str
    """When the run was made, by which a folder with another name is known again."""
    question_set: str
    grader: str
    """Whose buckets the strata are, where they are buckets."""
    population: str
    """A digest of the answers that it was drawn from."""
    strata: Strata
    seed: int
    sizes: dict[str, int]
    """Answers in each stratum."""
    drawn: dict[str, int]
    """Answers of each stratum in the sample."""
    items: tuple[Drawn, ...]
    """In the order in which they are labelled."""


def population_digest(answers: Sequence[Answered]) -> str:
    """Return a digest of which answers a run has, whatever their verdicts."""
    told = msgspec.json.encode([(each.key, each.digest) for each in answers])
    return hashlib.blake2b(told, digest_size=16).hexdigest()


def read_design(path: Path) -> Design | None:
    """Return the design beside some labels; None where there is none. Raises UsageError if unreadable."""
    file = path / _FILE
    if not file.is_file():
        return None
    with disk(file, "read"):
        content = file.read_bytes()
    try:
        return msgspec.json.decode(content, type=Design)
    except msgspec.MsgspecError as error:
        raise UsageError(
            f"expected the design of a sample in {file}, found: {error}", help=_ANEW.format(path)
        ) from error


def open_design(
    folder: RunFolder,
    answers: Sequence[Answered],
    *,
    sample: int = 0,
    strata: str = "",
    seed: int | None = None,
    deviations: Mapping[str, float] | None = None,
) -> Design:
    """Return the sample of a run, drawn now where there is none, and enlarged to ``sample`` answers.

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
            _same(known, strata, seed, answers, place)
            if sample <= len(known.items):
                return known
            if known.strata == "bucket" and known.grader != folder.run.settings.grader:
                raise UsageError(
                    f"expected verdicts of {known.grader}, by whose buckets the sample was drawn,"
                    f" found those of {folder.run.settings.grader}",
                    help=f"ragharness grade {folder.name} --grader NAME, or {_ANEW.format(place)}",
                )
        begun = known or _empty(folder, answers, strata or "none", seed or 0)
        design = enlarged(begun, answers, sample or DEFAULT_SAMPLE, deviations or {})
        with disk(place), atomic_file(place / _FILE, durable=True) as file:
            file.write(msgspec.json.format(msgspec.json.encode(design)) + b"\n")
    return design


def stratum_of(answer: Answered, strata: str) -> str:
    """Return the stratum of an answer."""
    return {"row": answer.row, "bucket": answer.outcome}.get(strata, "all")


def allocation(
    sizes: Mapping[str, int], n: int, deviations: Mapping[str, float], least: Mapping[str, int]
) -> dict[str, int]:
    """Return how many answers of each stratum a sample of ``n`` has; never fewer than ``least``."""
    spread = [deviations.get(name, 1.0) for name in sizes]
    found = neyman(list(sizes.values()), spread, n, LEAST if len(sizes) > 1 else 0)
    return {name: max(count, least.get(name, 0)) for name, count in zip(sizes, found, strict=True)}


def enlarged(design: Design, answers: Sequence[Answered], n: int, deviations: Mapping[str, float]) -> Design:
    """Return the sample with more answers, ``n`` altogether as far as the strata allow."""
    held = Counter(each.stratum for each in design.items)
    wanted = allocation(design.sizes, n, deviations, held)
    members = {each.key: stratum_of(each, design.strata) for each in answers}
    taken = {each.key: each for each in design.items}
    order = sorted(members, key=lambda key: _ticket(design.seed, key))
    for key in order:
        name = members[key]
        if key not in taken and held[name] < wanted.get(name, 0):
            taken[key] = Drawn(*key, name)
            held[name] += 1
    return replace(
        design,
        drawn={name: held[name] for name in design.sizes},
        items=tuple(taken[key] for key in order if key in taken),
    )


def _empty(folder: RunFolder, answers: Sequence[Answered], strata: Strata, seed: int) -> Design:
    settings = folder.run.settings
    sizes = Counter(stratum_of(each, strata) for each in answers)
    return Design(
        run=folder.name,
        created=folder.run.created,
        question_set=settings.question_set,
        grader=settings.grader,
        population=population_digest(answers),
        strata=strata,
        seed=seed,
        sizes=dict(sorted(sizes.items())),
        drawn={},
        items=(),
    )


def _ticket(seed: int, key: Key) -> bytes:
    return hashlib.sha256(f"{seed}:{key[0]}:{key[1]}".encode()).digest()


_ANEW = "keep the folder {0} elsewhere and repeat the command: it draws a new sample"


def _same(known: Design, strata: str, seed: int | None, answers: Sequence[Answered], place: Path) -> None:
    for name, asked, begun in (("--strata", strata or None, known.strata), ("--seed", seed, known.seed)):
        if asked is not None and asked != begun:
            raise UsageError(
                f"expected {name} {begun}, with which the sample was drawn, found {asked}",
                help=_ANEW.format(place),
            )
    if known.population != population_digest(answers):
        raise UsageError(
            f"expected the {sum(known.sizes.values())} answers from which the sample in {place} was drawn,"
            f" found {len(answers)} answers, or others",
            help=_ANEW.format(place),
        )


def spread_of(design: Design, answers: Sequence[Answered], labels: Mapping[Key, Label]) -> dict[str, float]:
    """Return the deviation of being labelled otherwise than graded, by stratum; rates are never 0 or 1."""
    outcomes = {each.key: each.outcome for each in answers}
    found: dict[str, list[bool]] = defaultdict(list)
    for each in design.items:
        if each.key in labels and each.key in outcomes:
            found[each.stratum].append(labels[each.key].bucket != outcomes[each.key])
    return {name: _deviation(sum(found[name]), len(found[name])) for name in design.sizes}


def _deviation(apart: int, n: int) -> float:
    rate = (apart + 1) / (n + 2)
    return math.sqrt(rate * (1 - rate))
