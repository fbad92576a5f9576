"""One question end to end: retrieve, call the pipeline, parse its result, grade, make the record."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from msgspec.structs import replace

from ragharness.buckets import grade
from ragharness.evidence import ENOUGH
from ragharness.pipelines import read_answer
from ragharness.placing import Placer, complaints, unique
from ragharness.records import Failure, Hit, Passage, Record, Retrieved
from ragharness.runner.failures import describe
from ragharness.runner.ground import named
from ragharness.runner.wire import Told, check_query

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ragharness.corpus import Corpus
    from ragharness.evidence import EvidenceIndex
    from ragharness.graders import Grader
    from ragharness.passages import PassageSet
    from ragharness.pipelines import Pipeline
    from ragharness.records import Answer, Question, Status
    from ragharness.retrievers import Retriever
    from ragharness.runner.isolation import Isolation
    from ragharness.runner.turn import Turn


class Read(NamedTuple):
    """What a pipeline returned, read: a record without verdict, and what was retrieved for it."""

    record: Record
    hits: Sequence[Hit]
    final: bool = False
    """Whether there is nothing to grade."""


@dataclass(frozen=True)
class Examiner:
    """Everything that a question meets on its way to a record."""

    pipeline: Pipeline
    retriever: Retriever
    grader: Grader
    evidence: EvidenceIndex
    corpus: Corpus
    passages: PassageSet
    """The whole corpus, with what the index leaves out: a pipeline of its own may bring any of it."""
    k: int = 5
    isolation: Isolation | None = None
    """The processes of the pipeline, if it has any of its own."""

    def recall(self, turn: Turn) -> Answer | None:
        """Retrieve what the pipeline is handed; returns its answer if that is known without a call.

        Of several epochs only the first is answered from memory: the others are asked to see what changes.
        """
        pipeline, question = self.pipeline, turn.question
        if self.isolation:
            self.isolation.ready()
        if pipeline.takes == "passages" and turn.handed is None:
            turn.watched = time.monotonic()
            turn.handed = self._retrieve(question, question.text, self.k)
            turn.watched = 0.0
            turn.add(turn.handed)
        if pipeline.recall is None or turn.epoch or turn.attempt > 1 or pipeline.takes == "retrieve":
            return None
        answer = pipeline.recall(question.text, [hit.passage for hit in turn.handed or ()])
        if answer is not None:
            turn.attempt = 0
            turn.stamp()
        return answer

    def call(self, turn: Turn) -> Any:
        """Give the question to the pipeline; returns what it returns, an awaitable if it is asynchronous."""
        question = turn.question

        def retrieve(query: str, k: int = self.k) -> list[Passage]:
            hits = self._retrieve(question, query, k)
            turn.add(hits)
            return [hit.passage for hit in hits]

        handed = [hit.passage for hit in turn.handed or ()]
        turn.begin()
        ask = self.isolation.ask if self.isolation else self.pipeline.call
        return ask(question.text, handed, retrieve)

    def conclude(self, turn: Turn, returned: object) -> Record:
        """Read and grade what the pipeline returned; never raises."""
        return self.graded(turn, self.read(turn, returned))

    def read(self, turn: Turn, returned: object) -> Read:
        """Read what the pipeline returned; never raises."""
        try:
            read = (returned.answer, returned.problems) if isinstance(returned, Told) else None
            answer, problems = read or read_answer(returned)
        except Exception as error:  # noqa: BLE001 (a strange object must not lose the record)
            failure = describe(error, "while reading what was returned")
            return Read(self._record(turn, "error", failure=failure), (), final=True)
        hits = turn.retrieved()
        if answer is not None and self.pipeline.takes == "own":
            hits, more = self._own(answer)
            problems += more
        return Read(self._record(turn, "needs_review", hits, answer=answer, problems=problems), hits)

    def graded(self, turn: Turn, read: Read) -> Record:
        """Grade an answer that was read; never raises."""
        record, hits, final = read
        if final:
            return record
        try:
            passages = [hit.passage for hit in hits]
            supporting = self.evidence.supporting(turn.question, passages)
            verdict = grade(self.grader, turn.question, record.answer, passages, supporting)
        except Exception as error:  # noqa: BLE001 (the answer is paid for: it is kept whatever the grader does)
            failure = describe(error, f"in the grader {named(self.grader)}")
            return replace(record, status="error", failure=failure)
        return replace(record, status=verdict.status, verdict=verdict)

    def fail(self, turn: Turn, error: BaseException) -> Record:
        """Record that the pipeline raised."""
        return self._record(turn, "error", turn.retrieved(), failure=describe(error))

    def time_out(self, turn: Turn, limit: float) -> Record:
        """Record that pipeline or retriever took too long; it counts as having worked for the limit."""
        turn.seconds = limit
        what = "no answer" if turn.began else f"the retriever {self.retriever.name} found nothing"
        return self._record(
            turn, "timeout", turn.retrieved(), failure=Failure("TimeoutError", f"{what} after {limit:g} s")
        )

    def _retrieve(self, question: Question, query: str, k: int) -> list[Hit]:
        check_query(query, k)
        # Emptied here, not in the retrievers: whatever retrieves, these questions get nothing.
        if question.stratum == "null_retrieval":
            return []
        return self.retriever.retrieve(query, k, question)

    @cached_property
    def _placer(self) -> Placer:
        return Placer(self.corpus, self.passages)

    def _own(self, answer: Answer) -> tuple[list[Hit], tuple[str, ...]]:
        """Return the pipeline's own passages and what is wrong with them."""
        placed = [self._placer.place(passage) for passage in unique(answer.passages or ())]
        return [Hit(each.passage, 0.0) for each in placed], complaints(placed)

    def _record(
        self,
        turn: Turn,
        status: Status,
        hits: Sequence[Hit] = (),
        *,
        answer: Answer | None = None,
        problems: tuple[str, ...] = (),
        failure: Failure | None = None,
    ) -> Record:
        question = turn.question
        return Record(
            question=question.id,
            row=question.row,
            wanted=question.wanted,
            status=status,
            epoch=turn.epoch,
            retrieved=tuple(
                Retrieved(hit.passage.id, float(hit.score) if math.isfinite(hit.score) else 0.0)
                for hit in hits
            ),
            evidence_ranks=self._evidence_ranks(question, hits),
            evidence_passages=(
                0 if self.pipeline.takes == "own" else self.evidence.holders(question, self.passages)
            ),
            document_rank=self._document_rank(question, hits),
            answer=answer,
            failure=failure,
            problems=(*turn.problems, *problems),
            seconds=round(turn.seconds, 6),
            attempts=turn.attempt,
            started=turn.started,
        )

    def _evidence_ranks(self, question: Question, hits: Sequence[Hit]) -> tuple[int, ...]:
        return tuple(
            next(
                (
                    rank
                    for rank, hit in enumerate(hits, start=1)
                    if self.evidence.coverage(hit.passage, span) >= ENOUGH
                ),
                0,
            )
            for span in question.evidence
        )

    def _document_rank(self, question: Question, hits: Sequence[Hit]) -> int:
        # A question of the user's own need not name its document: its evidence does.
        asked = [question.document] if question.document else [span.document for span in question.evidence]
        wanted = {self.corpus.canonical(each) for each in asked}
        ranks = (
            rank
            for rank, hit in enumerate(hits, start=1)
            if any(self.corpus.canonical(place.document) in wanted for place in hit.passage.places)
        )
        return next(ranks, 0)
