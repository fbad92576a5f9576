"""``Note``: what a calibration found, kept with its run and bound to what it is of."""

from __future__ import annotations

from typing import Literal

import msgspec
from msgspec import Struct

from ragharness.runner.run_folder import RunFolder, Settings

FILE = "calibration.json"
FORMAT = 1
NONE = "NOT calibrated"
LEAST_GOLD = 5
"""Labelled answers of a bucket under which its count is not corrected."""

Method = Literal["", "difference", "rogan-gladen"]


class Bound(Struct, frozen=True, kw_only=True):
    """What a calibration holds for: it says nothing of another grader, or of other answers."""

    grader: str
    """Name and version; of a model its own name and its prompt's version are part of it."""
    model: str
    """That of the pipeline, where it names one."""
    prompt: str
    question_set: str
    corpus_hash: str


class Rate(Struct, frozen=True, kw_only=True):
    """A share of labelled answers, weighted by how they were drawn; null where nothing was counted."""

    count: int
    n: int
    rate: float | None
    low: float | None
    high: float | None


class Interval(Struct, frozen=True, kw_only=True):
    """A corrected rate: of all questions of the run, in answers, or of the long run."""

    value: float
    low: float
    high: float


class BucketFigures(Struct, frozen=True, kw_only=True):
    """One bucket: how well the grader finds it, and how many answers really are in it."""

    people: int
    """Labelled answers that people put there."""
    grader: int
    """Answers of the run that the grader put there, labelled or not."""
    recall: Rate
    """Of those that people put there, the grader's."""
    precision: Rate
    """Of those that the grader put there, people's."""
    corrected: Interval | None = None
    """How many answers of the run are in the bucket."""
    long_run: Interval | None = None
    """The share in the population that the answers are a sample of (PPI++)."""
    why_not: str = ""
    """Why there is no corrected count; empty: there is one."""
    needed: int | None = None
    """Labels for +-5 points in this run, those given included; None: not known."""
    needed_long_run: int | None = None
    """The same for the long run; None: no number of labels is enough."""


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


class Agreement(Struct, frozen=True, kw_only=True):
    """Grader and people over the answers that both gave a bucket."""

    n: int
    accuracy: Rate
    kappa: float | None
    kappa_interval: tuple[float, float] | None
    ac1: float | None
    ac1_interval: tuple[float, float] | None
    alpha: float | None


class Note(Struct, frozen=True, kw_only=True):
    """The JSON of ``ragharness calibrate RUN``."""

    format: int = FORMAT
    calibrated: bool
    sentence: str
    """What reports say."""
    reasons: list[str]
    """Why it is not calibrated."""
    notes: list[str]
    """What limits how the figures can be read."""
    run: str
    labels_of: str
    """The run whose answers were labelled."""
    made: str
    bound: Bound
    questions: int
    """Questions times epochs: the denominator of every rate."""
    answers: int
    """Answers of the run that can be labelled."""
    labelled: int
    unlabelled: int
    """Answers of the sample without a label."""
    annotators: list[str]
    strata: str
    seed: int | None
    method: Method
    confusion: dict[str, dict[str, int]]
    """People's bucket -> the grader's, or ``needs_review`` -> labelled answers."""
    buckets: dict[str, BucketFigures]
    agreement: Agreement
    more: int | None
    """Labels that are missing for +-5 points in every bucket."""
    next: list[str]
    """Questions to label next."""
    disagreements: list[Disagreement]


def bound_of(settings: Settings) -> Bound:
    """What a calibration of such a run is bound to."""
    told = settings.pipeline_settings
    return Bound(
        grader=settings.grader,
        model=str(told.get("model", "")),
        prompt=str(told.get("prompt", "")),
        question_set=settings.question_set,
        corpus_hash=settings.corpus_hash,
    )


def read_note(folder: RunFolder) -> Note | None:
    """Note of a run; None where it has none that can be read."""
    try:
        return msgspec.json.decode((folder.path / FILE).read_bytes(), type=Note)
    except (OSError, msgspec.MsgspecError):
        return None


def write_note(folder: RunFolder, note: Note, markdown: str) -> None:
    """Keep a note with its run, as JSON and as Markdown; raises StorageError."""
    folder.write(FILE, msgspec.json.format(msgspec.json.encode(note)) + b"\n")
    folder.write("calibration.md", markdown.encode())


def standing(folder: RunFolder) -> tuple[bool, str]:
    """Whether the grader is calibrated on a run, and the sentence that says so."""
    note = read_note(folder)
    if note is None:
        return False, NONE
    now = bound_of(folder.run.settings)
    for name in Bound.__struct_fields__:
        was, found = getattr(note.bound, name), getattr(now, name)
        if was != found:
            return False, f"{NONE}: the labels are for {name.replace('_', ' ')} {was[:16]}, not {found[:16]}"
    return note.calibrated, note.sentence
