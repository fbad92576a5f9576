"""Writes a question set with a model: chooses passages, verifies questions, keeps to the budget."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from hashlib import sha256
from typing import NamedTuple

from ragharness.corpus.alignment import Aligner
from ragharness.corpus.loading import Corpus
from ragharness.corpus.passages import build_passages
from ragharness.errors import QuestionsNotUsable
from ragharness.graders import load_grader
from ragharness.questions.questionset import QuestionSet
from ragharness.records import Answer, Passage, Question
from ragharness.retrievers import Retriever, build_retriever
from ragquestions.building import compose
from ragquestions.folder import candidates_about
from ragquestions.folder.statements import Statement, statement_at
from ragquestions.llm_author.model import BudgetUsedUp, Model, read_written
from ragquestions.wording import Asked

SPARE = 1.6
"""Passages that are asked about for one question that is wanted: some are not believed."""

ANSWERED = 90 / 130
"""Share of a set's questions that need a statement; the others ask for what is not there."""

OTHERS = 5
"""Passages that must not answer a question."""

AT_ONCE = 4
CALLS = 3
_SHORTEST = 30
"""Words of a passage that can state something."""

_OVERHEAD = 260
"""Tokens of the instructions of a call, roughly."""

_TOKEN = 4
"""Characters of a token, roughly."""


class Plan(NamedTuple):
    """What writing would take; an estimate from above."""

    passages: tuple[Passage, ...]
    calls: int
    prompt_tokens: int
    completion_tokens: int


class Outcome(NamedTuple):
    """A set, and why written questions are not in it."""

    questions: QuestionSet
    written: int
    believed: int
    rejected: tuple[tuple[str, str, str], ...]
    """Passage id, question, reason."""
    stopped: str = ""
    """What ended the writing before every passage was asked about; empty: nothing."""


def plan(corpus: Corpus, size: int, seed: int) -> Plan:
    """Return which passages would be asked about for a set of ``size``, documents in turn."""
    passages = build_passages(corpus.documents)
    turns: list[tuple[int, str, Passage]] = []
    for document in (each for each in corpus.documents if each.handle):
        own = [each for each in passages.of(document.id) if len(each.text.split()) >= _SHORTEST]
        ranked = sorted((sha256(f"{seed}|{each.id}".encode()).hexdigest(), each) for each in own)
        turns += ((turn, rank, each) for turn, (rank, each) in enumerate(ranked))
    turns.sort(key=lambda each: each[:2])
    chosen = tuple(each for _, _, each in turns[: round(SPARE * ANSWERED * size) + 1])
    own_tokens = sum(len(each.text) for each in chosen) // _TOKEN
    return Plan(
        chosen,
        CALLS * len(chosen),
        (1 + OTHERS) * own_tokens + CALLS * _OVERHEAD * len(chosen),
        160 * len(chosen),
    )


def write_questions(
    corpus: Corpus,
    model: Model,
    size: int,
    seed: int,
    on_progress: Callable[..., None] | None = None,
) -> Outcome:
    """Return a set whose grounded questions the model wrote, each verified.

    Where the model's budget ends the writing, the set is made of what was believed until then. Raises
    AccessRefused or TemporaryFailure of the service, QuestionsNotUsable where too few are believed.
    """
    wanted = plan(corpus, size, seed)
    writer = _Writer(corpus, model, len(wanted.passages), on_progress)
    results = asyncio.run(writer.all_of(wanted.passages))
    found = [each for each in results if isinstance(each, Statement)]
    rejected = tuple(each for each in results if isinstance(each, tuple) and not isinstance(each, Statement))
    asked = len(found) + len(rejected)
    stopped = ""
    if asked < len(results):
        stopped = f"{model.budget.told}, {asked} of {len(results)} passages are asked about"
    single = _single(found)
    try:
        questions = compose(corpus, candidates_about(single, corpus), size, seed)
    except QuestionsNotUsable as error:
        if not stopped:
            raise
        raise QuestionsNotUsable(f"{stopped}; {error}", help=error.help) from error
    told = Counter(reason for _, _, reason in rejected)
    reasons = "; ".join(f"{count} as {reason}" for reason, count in told.most_common(4))
    note = f"written by {model.name} about {asked} passages, {len(single)} believed"
    early = (f"stopped early: {stopped}",) if stopped else ()
    notes = (note + (f" (left out: {reasons})" if reasons else ""), *early, *questions.notes)
    return Outcome(replace(questions, notes=notes), asked, len(single), rejected, stopped)


def _single(found: Sequence[Statement]) -> list[Statement]:
    """Return the statements without those that share a question or a place with another."""
    kept: dict[object, Statement] = {}
    for each in found:
        kept.setdefault((each.document.id, each.start), each)
    questions = Counter((each.document.id, each.asked.question.casefold()) for each in kept.values())
    return [
        each for each in kept.values() if questions[each.document.id, each.asked.question.casefold()] == 1
    ]


class _Writer:
    """Writes and verifies; a few passages at a time."""

    def __init__(
        self, corpus: Corpus, model: Model, total: int, on_progress: Callable[..., None] | None
    ) -> None:
        self._corpus = corpus
        self._model = model
        self._passages = build_passages(corpus.documents)
        self._retriever: Retriever = build_retriever("bm25", self._passages)
        self._aligner = Aligner(corpus, self._passages)
        self._grader = load_grader()
        self._total = total
        self._done = 0
        self._on_progress = on_progress

    async def all_of(self, passages: Sequence[Passage]) -> list[Statement | tuple[str, str, str] | None]:
        """Return for each passage its statement, or (passage, question, reason); None: not asked about."""
        room = asyncio.Semaphore(AT_ONCE)

        async def one(passage: Passage) -> Statement | tuple[str, str, str] | None:
            async with room:
                try:
                    result = await self._one(passage)
                except BudgetUsedUp:
                    return None
            self._done += 1
            if self._on_progress is not None:
                self._on_progress("writing questions", self._done, self._total, "passages")
            return result

        return list(await asyncio.gather(*map(one, passages)))

    async def _one(self, passage: Passage) -> Statement | tuple[str, str, str]:
        order = f"The passage is from the document {passage.title!r}. Write the question."
        written = read_written(await self._model.ask("write", order, [passage]), passage)
        if isinstance(written, str):
            return passage.id, "", written
        asked = written.asked
        placed = self._aligner.align(Passage("", passage.document, "", passage.start, 0, written.quote))
        place = next((each for each in placed.passage.places if each.document == passage.document), None)
        if placed.outcome != "text" or place is None:
            return passage.id, asked.question, "the quote is not found in its document"
        reason = await self._doubt(passage, asked, place.start, place.end)
        if reason:
            return passage.id, asked.question, reason
        document = self._corpus.document(passage.document)
        return statement_at(document, place.start, place.end, asked)

    async def _doubt(self, passage: Passage, asked: Asked, start: int, end: int) -> str:
        named = f'According to "{passage.title}": {asked.question}'
        if self._matches(await self._model.ask("closed", named), asked):
            return "it is answered without the passage"
        hits = self._retriever.retrieve(named, OTHERS + 3)
        others = [
            hit.passage
            for hit in hits
            if not (
                hit.passage.document == passage.document
                and hit.passage.start < end
                and start < hit.passage.end
            )
        ][:OTHERS]
        said = await self._model.ask("elsewhere", named, others)
        if self._matches(said, asked):
            return "another passage answers it too"
        return "another passage answers it differently" if self._answers(said, asked) else ""

    def _matches(self, said: str, asked: Asked) -> bool:
        return bool(said) and self._read(said, asked)[0] == "match"

    def _answers(self, said: str, asked: Asked) -> bool:
        match, refusal = self._read(said, asked)
        return bool(said) and not refusal and match in {"mismatch", "world", "distractor", "partial"}

    def _read(self, said: str, asked: Asked) -> tuple[str, bool]:
        question = Question(
            id="q",
            text=asked.question,
            stratum="grounded",
            target="correct",
            kind=asked.kind,
            answerable=True,
            answers=(asked.answer,),
            unit=asked.unit,
            date_precision=asked.precision,
        )
        reading = self._grader.read(question, Answer(text=said), (), frozenset())
        return reading.match, reading.refusal
