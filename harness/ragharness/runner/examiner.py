"""One question: retrieve, call the pipeline, read what it returned, grade, make the record."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from datetime import datetime, timezone
from threading import Lock
from typing import TYPE_CHECKING, Any

from ragharness.buckets import grade
from ragharness.evidence import ENOUGH
from ragharness.pipelines import read_answer
from ragharness.records import Failure, Hit, Passage, Record, Retrieved
from ragharness.runner.failures import describe
from ragharness.runner.ground import named
from ragharness.runner.placing import place

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ragharness.corpus import Corpus
    from ragharness.evidence import EvidenceIndex
    from ragharness.graders import Grader
    from ragharness.passages import PassageSet
    from ragharness.pipelines import Pipeline
    from ragharness.records import Answer, Question, Status, Verdict
    from ragharness.retrievers import Retriever


class Turn:
    """One question in flight: its worker or the clock settles it, never both."""

    def __init__(self, question: Question) -> None:
        self.question = question
        self.began = 0.0
        """Monotonic time of the pipeline's call; 0.0: not called yet."""
        self.started = ""
        self.seconds = 0.0
        self.task: Any = None
        """The asyncio task that answers it, if one does."""
        self._hits: dict[str, Hit] = {}
        self._adding = Lock()
        self._settling = Lock()

    def begin(self) -> None:
        """Start the clock: from here on the pipeline works."""
        self.started = datetime.now(timezone.utc).isoformat()
        self.began = time.monotonic()

    def settle(self) -> bool:
        """Claim the right to decide what comes of it; True for the first caller only."""
        if not self._settling.acquire(blocking=False):
            return False
        self.seconds = time.monotonic() - self.began if self.began else 0.0
        return True

    @property
    def settled(self) -> bool:
        """Whether the pipeline's part is over."""
        return self._settling.locked()

    def add(self, hits: Sequence[Hit]) -> None:
        """Remember what was retrieved, in order, a passage once."""
        with self._adding:
            for hit in hits:
                self._hits.setdefault(hit.passage.id, hit)

    def retrieved(self) -> list[Hit]:
        """Return what was retrieved so far."""
        with self._adding:
            return list(self._hits.values())


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

    def call(self, turn: Turn) -> Any:
        """Give the question to the pipeline; returns what it returns, an awaitable if it is asynchronous."""
        question = turn.question
        handed: list[Passage] = []
        if self.pipeline.takes == "passages":
            hits = self._retrieve(question, question.text, self.k)
            turn.add(hits)
            handed = [hit.passage for hit in hits]

        def retrieve(query: str, k: int = self.k) -> list[Passage]:
            hits = self._retrieve(question, query, k)
            turn.add(hits)
            return [hit.passage for hit in hits]

        turn.begin()
        return self.pipeline.call(question.text, handed, retrieve)

    def conclude(self, turn: Turn, returned: object) -> Record:
        """Read and grade what the pipeline returned; never raises."""
        try:
            answer, problems = read_answer(returned)
        except Exception as error:  # noqa: BLE001 (a strange object must not lose the record)
            return self._record(turn, "error", failure=describe(error, "while reading what was returned"))
        hits = turn.retrieved()
        if answer is not None and self.pipeline.takes == "own":
            hits, more = self._own(answer)
            problems += more
        return self._graded(turn, answer, hits, problems)

    def fail(self, turn: Turn, error: BaseException) -> Record:
        """Record that the pipeline raised."""
        return self._record(turn, "error", turn.retrieved(), failure=describe(error))

    def time_out(self, turn: Turn, limit: float) -> Record:
        """Record that the pipeline did not answer in time; it counts as having worked for the limit."""
        turn.seconds = limit
        return self._record(
            turn, "timeout", turn.retrieved(), failure=Failure("TimeoutError", f"no answer after {limit:g} s")
        )

    def _retrieve(self, question: Question, query: object, k: object) -> list[Hit]:
        if not isinstance(query, str) or not isinstance(k, int) or k < 1:
            raise TypeError(
                f"retrieve(query, k) takes a text and a number from 1, found {query!r:.80} and {k!r:.80}"
            )
        # Emptied here, not in the retrievers: whatever retrieves, these questions get nothing.
        if question.stratum == "null_retrieval":
            return []
        return self.retriever.retrieve(query, k, question)

    def _own(self, answer: Answer) -> tuple[list[Hit], tuple[str, ...]]:
        """Return the pipeline's own passages and what is wrong with them."""
        placed, foreign = place(answer.passages or (), self.corpus, self.passages)
        hits = [Hit(passage, 0.0) for passage in placed]
        if not foreign:
            return hits, ()
        return hits, (f"passages that the corpus does not hold where they say: {', '.join(foreign)[:200]}",)

    def _graded(
        self, turn: Turn, answer: Answer | None, hits: Sequence[Hit], problems: tuple[str, ...]
    ) -> Record:
        try:
            passages = [hit.passage for hit in hits]
            supporting = self.evidence.supporting(turn.question, passages)
            verdict = grade(self.grader, turn.question, answer, passages, supporting)
        except Exception as error:  # noqa: BLE001 (the answer is paid for: it is kept whatever the grader does)
            failure = describe(error, f"in the grader {named(self.grader)}")
            return self._record(turn, "error", hits, answer=answer, problems=problems, failure=failure)
        return self._record(turn, verdict.status, hits, answer=answer, problems=problems, verdict=verdict)

    def _record(
        self,
        turn: Turn,
        status: Status,
        hits: Sequence[Hit] = (),
        *,
        answer: Answer | None = None,
        problems: tuple[str, ...] = (),
        verdict: Verdict | None = None,
        failure: Failure | None = None,
    ) -> Record:
        question = turn.question
        return Record(
            question=question.id,
            row=question.row,
            wanted=question.wanted,
            status=status,
            retrieved=tuple(
                Retrieved(hit.passage.id, float(hit.score) if math.isfinite(hit.score) else 0.0)
                for hit in hits
            ),
            evidence_ranks=self._evidence_ranks(question, hits),
            document_rank=self._document_rank(question, hits),
            answer=answer,
            failure=failure,
            problems=problems,
            verdict=verdict,
            seconds=round(turn.seconds, 6),
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
        if not question.document:
            return 0
        wanted = self.corpus.canonical(question.document)
        ranks = (
            rank
            for rank, hit in enumerate(hits, start=1)
            if self.corpus.canonical(hit.passage.document) == wanted
        )
        return next(ranks, 0)
