"""``Labelling``: what a person is shown of an answer, and the way through a sample.

Shown are question, gold, evidence in context and answer, never the verdict. Every label is on disk before the
next answer comes.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime, timezone
from pathlib import Path
from threading import Lock

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from ragharness.analysis.labels import (
    LONGEST_COMMENT,
    MOST_QUALITY,
    Label,
    answered,
    append_label,
    labels_folder,
    open_design,
    path_of,
    read_design,
    read_labels,
    read_people,
    spread_of,
)
from ragharness.errors import AlreadyLabelled, UsageError
from ragharness.graders.reading.answer import sources_of
from ragharness.language.citations import Source, mark
from ragharness.questions.values import gold_words
from ragharness.records import ADJUDICATED, Bucket, Evidence, Passage, Question, Record, YesNo
from ragharness.runner.grading import GradingContext
from ragharness.runner.journal import Key
from ragharness.runner.run_folder import RunFolder
from ragharness.support.files import exclusive_lock, text_digest

_CONTEXT = 320  # characters of a document on either side of its gold evidence
_BRACKET = re.compile(r"\[{1,2}[^\[\]\n]{1,300}\]{1,2}")
Spans = list["Piece"]


class Piece(Struct, frozen=True, omit_defaults=True):
    """A piece of a text: plain, gold evidence, or a citation of some passages."""

    text: str
    gold: bool = False
    cites: tuple[str, ...] = ()


class Shown(Struct, frozen=True, omit_defaults=True):
    """A text with its marks: a passage that the pipeline was given, or gold evidence in its document."""

    name: str
    title: str
    text: Spans
    cited: bool = False
    gold: bool = False  # of a passage: it holds gold evidence; of evidence: it was among the passages given


class Item(Struct, frozen=True, kw_only=True):
    """What is shown of one answer."""

    question: str
    epoch: int
    asked: str
    gold: str
    notes: list[str]  # what else the question set knows: tempting answers, what was withheld
    answer: Spans
    passages: list[Shown]
    evidence: list[Shown]


def item_of(record: Record, grading: GradingContext) -> Item:
    """What is shown of one answer; nothing of it comes from the verdict."""
    question = grading.question_of(record)
    passages = grading.passages_of(record)
    answer = record.answer.text if record.answer else ""
    apart = (record.answer and record.answer.citations) or ()
    sources = sources_of(passages)
    pieces = _pieces(answer, sources)
    cited = {name for piece in pieces for name in piece.cites} | set(mark("", sources, apart).passages)
    covered = grading.evidence.covered(question, passages)
    gold = grading.evidence.supporting(question, passages)
    return Item(
        question=question.id,
        epoch=record.epoch,
        asked=question.text,
        gold=gold_words(question) or "None: the documents do not state it.",
        notes=[*_notes(question), *([f"cited apart: {', '.join(apart)}"] if apart else [])],
        answer=pieces,
        passages=[
            Shown(p.id, p.title, _marked(p, question.evidence, grading), p.id in cited, p.id in gold)
            for p in passages
        ],
        evidence=[_evidence(*span, grading) for span in zip(question.evidence, covered, strict=True)],
    )


def _notes(question: Question) -> list[str]:
    notes = [
        f"tempting: {lure.value}" + f" ({lure.about})" * bool(lure.about) for lure in question.distractors
    ]
    if question.world_answers:
        notes.append(f"true, but not in the documents: {'; '.join(question.world_answers)}")
    if question.withheld:
        notes.append(f"the {question.withheld} with the evidence was withheld from the pipeline")
    if question.stratum == "null_retrieval":
        notes.append("the pipeline was given no passages")
    return notes


def _pieces(answer: str, sources: Sequence[Source]) -> Spans:
    """Answer in pieces, its citation marks apart."""
    found: Spans = []
    end = 0
    for bracket in _BRACKET.finditer(answer):
        if ids := mark(bracket[0], sources).passages:
            found += [Piece(answer[end : bracket.start()]), Piece(bracket[0], cites=ids)]
            end = bracket.end()
    return [piece for piece in (*found, Piece(answer[end:])) if piece.text]


def _marked(passage: Passage, evidence: Iterable[Evidence], grading: GradingContext) -> Spans:
    """Passage with its gold evidence marked, where it is a piece of the document as it stands."""
    corpus = grading.corpus
    document = corpus.document(passage.document).text if passage.document else ""
    if document[passage.start : passage.end] != passage.text:
        return [Piece(passage.text)]
    same = corpus.canonical(passage.document)
    spans = sorted(
        (max(0, span.start - passage.start), min(len(passage.text), span.end - passage.start))
        for span in evidence
        if corpus.canonical(span.document) == same and span.start < passage.end and passage.start < span.end
    )
    pieces: Spans = []
    end = 0
    for start, stop in spans:
        start = max(start, end)  # noqa: PLW2901 (evidence may overlap)
        if start < stop:
            pieces += [Piece(passage.text[end:start]), Piece(passage.text[start:stop], gold=True)]
            end = stop
    return [piece for piece in (*pieces, Piece(passage.text[end:])) if piece.text]


def _evidence(span: Evidence, given: bool, grading: GradingContext) -> Shown:
    document = grading.corpus.document(span.document)
    text, first, last = document.text, max(0, span.start - _CONTEXT), span.end + _CONTEXT
    # Words stay whole.
    before = text[first : span.start].partition(" ")[2] if first else text[: span.start]
    after = text[span.end : last].rpartition(" ")[0] if last < len(text) else text[span.end :]
    pieces = [
        Piece(f"… {before}" if first else before),
        Piece(text[span.start : span.end], gold=True),
        Piece(f"{after} …" if last < len(text) else after),
    ]
    return Shown(span.document, document.title, [each for each in pieces if each.text], gold=given)


class Given(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a person says of an answer, as a page or a program hands it over."""

    bucket: Bucket
    citation_supports: YesNo | None = None
    refusal_quality: int | None = None
    extra_claim_count: int | None = None
    comment: str = ""


class Said(Struct, frozen=True, kw_only=True):
    """What one annotator said of an answer, shown where a disagreement is settled."""

    by: str
    bucket: Bucket | None
    comment: str


class Progress(Struct, frozen=True):
    """How far an annotator is."""

    labelled: int
    skipped: int
    total: int


class State(Struct, frozen=True, kw_only=True):
    """What the page shows: the next answer, or None when all are labelled."""

    annotator: str
    progress: Progress
    item: Item | None
    draft: Label | None = None  # the label that was just taken back
    said: list[Said] = []


class Labelling:
    """The answers that one person labels, in their order; thread-safe."""

    def __init__(
        self,
        folder: Path,
        annotator: str,
        keys: Sequence[Key],
        records: Mapping[Key, Record],
        grading: GradingContext,
        *,
        adjudicate: bool = False,
    ) -> None:
        self.annotator = annotator
        self.keys = tuple(keys)
        self.path = path_of(folder, ADJUDICATED if adjudicate else annotator)
        if self.path.stem == ADJUDICATED and not adjudicate:
            message = f"expected a name of yours, found {annotator!r}, which settles disagreements"
            raise UsageError(message, help="ragharness label RUN --adjudicate")
        self._folder, self._records, self._grading = folder, records, grading
        self._adjudicates = adjudicate
        self._known = set(keys)
        self._lock = Lock()
        known = read_labels(self.path) if self.path.is_file() else {}
        # The label of an answer that changed since is none.
        self._labels = {key: label for key, label in known.items() if label.answer == self._digest(key)}
        self._draft: Label | None = None

    @contextmanager
    def held(self) -> Iterator[None]:
        """Hold the annotator's file: no second process shows the same answers; raises StorageError."""
        self.path.parent.mkdir(exist_ok=True)
        help_text = "label in the page that is open, or under another name: --as NAME"
        with exclusive_lock(self.path.with_suffix(".lock"), help=help_text):
            yield

    @property
    def labels(self) -> list[Label]:
        """The labels as they stand."""
        with self._lock:
            return [label for label in self._labels.values() if label.bucket]

    @property
    def progress(self) -> Progress:
        """How many answers of the sample have a label, and how many were skipped."""
        mine = [self._labels[key] for key in self.keys if key in self._labels]
        labelled = sum(label.bucket is not None for label in mine)
        return Progress(labelled, sum(label.skipped for label in mine), len(self.keys))

    def state(self) -> State:
        """What is to be shown now."""
        with self._lock:
            key = self._next()
            draft = self._draft if self._draft is not None and self._draft.key == key else None
            return State(
                annotator=self.annotator,
                progress=self.progress,
                item=self.item(key) if key else None,
                draft=draft,
                said=[
                    Said(by=label.by, bucket=label.bucket, comment=label.comment)
                    for label in (read_people(self._folder)[0].of(key) if key and self._adjudicates else ())
                ],
            )

    def item(self, key: Key) -> Item:
        """What is shown of one answer."""
        return item_of(self._records[key], self._grading)

    def next(self) -> Item | None:
        """Next answer without a label, those skipped last; None when all have one."""
        return self.state().item

    def save(self, question: str, given: Given | str, epoch: int = 0) -> None:
        """Write a label; raises AlreadyLabelled, UsageError for what is no label, StorageError."""
        values = msgspec.structs.asdict(checked(given if isinstance(given, Given) else {"bucket": given}))
        with self._lock:
            self._write(self._label(self._open(question, epoch), **values))

    def skip(self, question: str, epoch: int = 0) -> None:
        """Leave an answer for later; raises AlreadyLabelled, UsageError, StorageError."""
        with self._lock:
            self._write(self._label(self._open(question, epoch), skipped=True))

    def undo(self) -> bool:
        """Take back the last label or skip; returns False where there is none."""
        with self._lock:
            for label in reversed(self._labels.values()):
                if label.bucket or label.skipped:
                    self._write(self._label(label.key))
                    self._draft = label
                    return True
            return False

    def _next(self) -> Key | None:
        if self._draft is not None:
            return self._draft.key
        mine = self._labels
        fresh = (key for key in self.keys if key not in mine or not (mine[key].bucket or mine[key].skipped))
        later = (key for key, label in mine.items() if label.skipped and key in self._known)
        return next(fresh, None) or next(later, None)

    def _open(self, question: str, epoch: int) -> Key:
        key = question, epoch
        if key not in self._known:
            raise UsageError(f"{question!r}, epoch {epoch}, is not an answer of the sample")
        label = self._labels.get(key)
        if label is not None and label.bucket:
            raise AlreadyLabelled(f"{question} is already labelled {label.bucket}, perhaps in another tab")
        return key

    def _label(self, key: Key, **values: object) -> Label:
        now = datetime.now(timezone.utc).isoformat(timespec="seconds")
        made = Label(question=key[0], epoch=key[1], by=self.annotator, at=now, answer=self._digest(key))
        return replace(made, **values)

    def _write(self, label: Label) -> None:
        append_label(self.path, label)
        # The latest comes last.
        self._labels.pop(label.key, None)
        self._labels[label.key] = label
        self._draft = None

    def _digest(self, key: Key) -> str:
        record = self._records.get(key)
        return text_digest(record.answer.text) if record is not None and record.answer is not None else ""


def checked(values: object) -> Given:
    """Label as it was given; raises UsageError with what is wrong."""
    try:
        given = values if isinstance(values, Given) else msgspec.convert(values, Given)
    except msgspec.ValidationError as error:
        raise UsageError(f"this is not a label: {error}", help="docs/calibration.md") from error
    quality, claims = given.refusal_quality, given.extra_claim_count
    if quality is not None and not 0 <= quality <= MOST_QUALITY:
        raise UsageError(f"expected a refusal quality from 0 to {MOST_QUALITY}, found {quality}")
    if claims is not None and claims < 0:
        raise UsageError(f"expected a number of uncited claims from 0 up, found {claims}")
    if len(given.comment) > LONGEST_COMMENT:
        raise UsageError(f"the comment has {len(given.comment)} characters, at most {LONGEST_COMMENT} fit")
    if given.bucket == "refused":
        return replace(given, citation_supports=None, extra_claim_count=None)
    return replace(given, refusal_quality=None)


def open_labelling(
    folder: RunFolder,
    annotator: str,
    grading: GradingContext,
    *,
    sample: int = 0,
    strata: str = "",
    seed: int | None = None,
    adjudicate: bool = False,
) -> Labelling:
    """One person's labelling of a run; with ``adjudicate`` of the answers that others disagree on.

    Raises UsageError for another sample than the one that was drawn, and where nothing is to be settled.
    """
    answers, place = answered(folder.records()), labels_folder(folder)
    known, grown = read_design(place), {}
    if known and sample > len(known.items) and any(place.glob("*.jsonl")):
        grown = spread_of(known, answers, read_people(place)[0].standing())
    design = open_design(folder, answers, sample=sample, strata=strata, seed=seed, deviations=grown)
    keys = [each.key for each in design.items]
    if adjudicate:
        people, _ = read_people(place, {each.key: each.digest for each in answers})
        disputed = set(people.disputed())
        keys = [key for key in keys if key in disputed]
        if not keys:
            message = (
                f"expected answers to settle, found none that {len(people.names)} annotators disagree on"
            )
            raise UsageError(message, help=f"ragharness label {folder.name} --as NAME")
    wanted = set(keys)
    keyed = (((record.question, record.epoch), record) for record in folder.records())
    records = {key: record for key, record in keyed if key in wanted}
    return Labelling(place, annotator, keys, records, grading, adjudicate=adjudicate)
