"""Answers into records, without pipeline or index: one, those of a run as they come, a run again."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from pathlib import Path
from threading import Lock
from typing import NamedTuple

from msgspec import json
from msgspec.structs import replace

from ragharness import __version__
from ragharness.config import DEFAULT_SEED
from ragharness.corpus.alignment import Aligner, Alignment, passage_at, with_unique_ids
from ragharness.corpus.loading import Corpus, load_corpus, manifest
from ragharness.corpus.passages import EvidenceIndex, PassageSet, cached_passages
from ragharness.errors import AccessRefused, RagharnessError, RunNotUsable
from ragharness.graders import Grader, load_grader, waits
from ragharness.graders.verdicts import attributed, grade
from ragharness.pipelines import Context, load_pipeline, read_answer
from ragharness.pipelines.refuse import refusal
from ragharness.questions.questionset import QuestionSet, shipped_priors
from ragharness.records import Answer, Citations, Passage, Question, Record, Verdict
from ragharness.runner.journal import Journal
from ragharness.runner.limits import Progress, describe
from ragharness.runner.run_folder import RunFolder
from ragharness.support.concurrency import map_in_order
from ragharness.support.files import read_cached, write_cached

Grading = Callable[[Iterable[Record]], Iterator[Record]]  # what yields each answer with its verdict, in order
_KEPT = 200  # counts of the blind baseline that are kept in the cache folder; the oldest go first


@dataclass(frozen=True)
class GradingContext:
    """Grades answers to the questions of one set."""

    corpus: Corpus
    questions: QuestionSet
    passages: PassageSet  # those of the whole corpus, with what an index leaves out
    evidence: EvidenceIndex
    grader: Grader
    citations: Citations = "auto"

    def graded(self, record: Record) -> Record:
        """Record with its verdict; one without an answer to grade stays as it is.

        What a grader raises is kept in the record; only AccessRefused, which no answer escapes, is raised.
        """
        if record.status == "timeout" or (record.answer is None and record.failure is not None):
            return record
        question = self.question_of(record)
        try:
            verdict = self.verdict(question, record.answer, self.passages_of(record))
        except AccessRefused:
            raise
        except Exception as error:  # noqa: BLE001 (the answer is paid for: it is kept whatever the grader does)
            failure = describe(error, f"in the grader {named(self.grader)}")
            return replace(record, status="error", verdict=None, failure=failure)
        return replace(record, status=verdict.status, verdict=verdict, failure=None)

    def question_of(self, record: Record) -> Question:
        """Question that a record answers; raises RunNotUsable where it is none of the run's."""
        try:
            return self.questions.by_id[record.question]
        except KeyError:
            message = f"expected answers to the questions of the run, found one to {record.question}"
            raise RunNotUsable(message, help="remove its line from records.jsonl, or answers.jsonl") from None

    def verdict(self, question: Question, answer: Answer | None, passages: Sequence[Passage]) -> Verdict:
        """Verdict on one answer, given the passages that its pipeline had."""
        supporting = self.evidence.supporting(question, passages)
        return grade(self.grader, question, answer, passages, supporting, citations=self.citations)

    def passages_of(self, record: Record) -> list[Passage]:
        """Passages that the pipeline had, in the order of the record."""
        # An id of the pipeline's own may be one of ours by chance: where it brought passages, they are meant.
        own = {alignment.passage.id: alignment.passage for alignment in self.placed(record.answer)}
        passages = (
            own.get(hit.id) or self.passages.by_id.get(hit.id) or passage_at(hit.id, self.corpus)
            for hit in record.retrieved
        )
        return [passage for passage in passages if passage is not None]

    def placed(self, answer: Answer | None) -> list[Alignment]:
        """Passages that an answer brought, each with its place in the corpus."""
        if answer is None or not answer.passages:
            return []
        return [self._aligner.align(passage) for passage in with_unique_ids(answer.passages)]

    @cached_property
    def _aligner(self) -> Aligner:
        return Aligner(self.corpus, self.passages)


class Pending:
    """Turns the answers of a run into its records, one at a time, in whichever thread has time for it."""

    def __init__(
        self, answers: Iterator[Record | None], context: GradingContext, records: Journal, progress: Progress
    ) -> None:
        self._answers = answers
        self._context = context
        self._records = records
        self._progress = progress
        self._lock = Lock()

    def step(self) -> bool:
        """Grade the next answer; returns False if there is none so far."""
        with self._lock:
            answer = next(self._answers)
            if answer is None:
                return False
            self._keep(self._context.graded(answer))
            return True

    def rest(self, threads: int, elsewhere: Grading | None = None) -> Iterator[None]:
        """Grade every answer that is left, several at once, here or on other machines; yield after each."""
        answers = iter(lambda: next(self._answers), None)
        grade_all = elsewhere or (lambda records: map_in_order(self._context.graded, records, threads))
        for record in grade_all(answers):
            self._keep(record)
            yield

    def _keep(self, record: Record) -> None:
        self._records.append(record)
        self._progress.count(record)


def named(grader: Grader) -> str:
    """Grader's name and version as runs keep it."""
    return f"{grader.name}@{grader.version}"


def grading_context(
    folder: RunFolder, *, source: str = "", offline: bool = False, grader: Grader | None = None
) -> GradingContext:
    """What a run on disk can be graded on; raises RunNotUsable when its corpus has changed."""
    settings = folder.run.settings
    source = source or folder.run.source
    corpus = load_corpus(settings.corpus, split=settings.split, source=source, offline=offline)
    if corpus.hash != settings.corpus_hash:
        raise _of_another_state(corpus, folder)
    rows, priors = folder.questions(), shipped_priors(corpus.id)
    questions = QuestionSet(
        corpus.id, corpus.split, corpus.hash, DEFAULT_SEED, len(rows), rows, priors=priors
    )
    passages = cached_passages(corpus, settings.passage_words)
    grader = grader or load_grader(citations=settings.citations)
    return GradingContext(corpus, questions, passages, EvidenceIndex(corpus), grader, settings.citations)


def _of_another_state(corpus: Corpus, folder: RunFolder) -> RunNotUsable:
    run = folder.run
    states = f"({run.settings.corpus_hash[:8]}), found {corpus.hash[:8]}"
    if corpus.folder:
        message = f"expected the documents of {corpus.id} as they were in the run {folder.name} {states}"
        return RunNotUsable(message, help="restore them, or name a folder that still holds them: --from PATH")
    if not manifest(corpus.id).embedded:
        message = f"expected {corpus.id} in the state of the run {folder.name} {states}"
        return RunNotUsable(message, help="name the copy that the run used: --from PATH")
    return RunNotUsable(
        f"expected the {corpus.id} that the run {folder.name} was made with {states}: the {corpus.id} is part"
        f" of ragharness and was changed since that run, which ragharness {run.ragharness} made"
        f" (this is {__version__})",
        help="run it again on the current one: ragharness run",
    )


def threads_for(grader: Grader, concurrency: int) -> int:
    """How many answers a grader reads at once."""
    return concurrency if waits(grader) else 1


class Change(NamedTuple):
    """An answer that came out otherwise."""

    question: str
    was: str
    now: str


def regrade(
    folder: RunFolder, grading: GradingContext, concurrency: int = 1
) -> tuple[RunFolder, list[Change]]:
    """Replace all verdicts of a run, and give those that wait for one theirs.

    A grader that waits for a service reads ``concurrency`` answers at once. Returns the run and the answers
    that came out otherwise. Raises StorageError when the folder is in use or cannot be
    written, AccessRefused where the service of a grader cannot be asked; the verdicts stay as they were then.
    """
    threads = threads_for(grading.grader, concurrency)
    with folder.rewriting():
        before = list(map(came_out, folder.history()))
        answers = chain(folder.history(), folder.waiting())
        folder.replace_records(map_in_order(grading.graded, answers, threads))
        settings = replace(folder.run.settings, grader=named(grading.grader), citations=grading.citations)
        folder = folder.with_run(replace(folder.run, settings=settings, uncited=False))
        _attribute(folder)
    after = ((record.question, came_out(record)) for record in folder.history())
    pairs = zip(before, after, strict=False)
    return folder, [Change(question, was, now) for was, (question, now) in pairs if was != now]


def attribute(folder: RunFolder) -> None:
    """Measure a run by what was retrieved where no answer of it cites, and by its citations where one does.

    Raises StorageError when the folder is in use or cannot be written.
    """
    if folder.run.uncited or _is_uncited(folder):
        with folder.rewriting():
            _attribute(folder)


def _attribute(folder: RunFolder) -> None:
    uncited = _is_uncited(folder)
    records = ((record, _attributed(record, uncited)) for record in folder.history())
    if any(before is not after for before, after in records):
        folder.replace_records(_attributed(record, uncited) for record in folder.history())
    if uncited != folder.run.uncited:
        folder.with_run(replace(folder.run, uncited=uncited))


def _attributed(record: Record, uncited: bool) -> Record:
    verdict = record.verdict and attributed(record.verdict, by_retrieval=uncited)
    return record if verdict is record.verdict else replace(record, verdict=verdict)


def _is_uncited(folder: RunFolder) -> bool:
    """Whether no answer that commits cites; quotations are citations where every second answer has one."""
    answers = quoting = 0
    for record in folder.records() if folder.run.settings.citations == "auto" else ():
        if (verdict := record.verdict) and verdict.bucket != "refused":
            cites = bool(record.cited) or verdict.citation_exists is not None
            if cites and "quotations" not in verdict.flags:
                return False
            answers += verdict.bucket is not None
            quoting += cites
    return answers > 2 * quoting


def dry_run(folder: RunFolder, grading: GradingContext) -> None:
    """Grade all answers of a run and keep nothing; the grader counts what it would ask."""
    for record in chain(folder.history(), folder.waiting()):
        grading.graded(record)


def came_out(record: Record) -> str:
    """Record's bucket, or its status without one."""
    return (record.verdict and record.verdict.bucket) or record.status


def blind_count(
    grading: GradingContext,
    records: Callable[[], Iterable[Record]],
    cache: Path | None = None,
    times: Counter[bytes] | None = None,
) -> tuple[int | None, str]:
    """How many answers of ``blind`` are as desired, or None and why it could not run.

    The count follows from what was retrieved and from the code that grades; ``cache`` is a folder that keeps
    it, so that a run of the same retrieval does not pay for it again. ``times`` is how often each question
    stands there with the same passages, by ``had``, where that is known: epochs repeat them.
    """
    times = Counter(map(had, records())) if times is None else times
    path = cache and cache / f"blind-{_key(grading, times)}.count"
    if path and (cached := read_cached(path)):
        return int(cached), ""
    try:
        count = _count(grading, records(), times)
    except RagharnessError as error:
        return None, str(error)
    except Exception as error:  # noqa: BLE001 (a grader of the user's may raise anything)
        return None, describe(error, f"in the grader {named(grading.grader)}").message
    if path:
        write_cached(path, str(count).encode(), most=_KEPT, alike="blind-*.count")
    return count, ""


def _count(grading: GradingContext, records: Iterable[Record], times: Counter[bytes]) -> int:
    pipeline = load_pipeline("blind", Context(grading.corpus, grading.questions, grading.passages))

    def reaches(record: Record) -> bool:
        question, passages = grading.question_of(record), grading.passages_of(record)
        reply = pipeline.call(question.text, passages)
        if question.wanted == "correct" and reply == refusal(passages):
            return False
        return grading.verdict(question, read_answer(reply)[0], passages).bucket == question.wanted

    count = 0
    for record in records:
        if alike := times.pop(had(record), 0):
            count += alike * reaches(record)
            if not times:
                break
    return count


def had(record: Record) -> bytes:
    """Hash of a question and the passages that its pipeline had."""
    brought = (record.answer and record.answer.passages) or ()
    both = json.encode((record.question, [hit.id for hit in record.retrieved], brought))
    return hashlib.sha256(both).digest()


def _key(grading: GradingContext, times: Counter[bytes]) -> str:
    """Name for all that the count follows from, whatever the order of the records."""
    package = Path(__file__).parents[1]
    code = [
        (path.name, status.st_size, status.st_mtime_ns)
        for room in ("", "corpus", "language", "graders", "graders/reading", "graders/verdicts", "pipelines")
        for path in sorted((package / room).glob("*.py"))
        for status in (path.stat(),)
    ]
    parts = (
        code,
        grading.corpus.hash,
        grading.questions.hash,
        grading.passages.words,
        grading.citations,
        named(grading.grader),
        sum(int.from_bytes(digest, "big") * count for digest, count in times.items()),
    )
    return hashlib.sha256(repr(parts).encode()).hexdigest()[:32]
