"""``Run``: a run in Python, with its scores, questions, reports and DataFrame."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from ragharness.download import cache_folder
from ragharness.errors import UnknownName, UsageError
from ragharness.evidence import EvidenceIndex
from ragharness.passages import build_passages
from ragharness.placing import at_places
from ragharness.reports import load_format, read_scores, show_question
from ragharness.runner import blind_count
from ragharness.scores import Scores, score_folder

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from ragharness.corpus import Corpus
    from ragharness.records import Question, Record
    from ragharness.runner import Ground
    from ragharness.scores.values import Share
    from ragharness.store import RunFolder, Settings


class RunVerdict(NamedTuple):
    """The headline counts of a run, with intervals."""

    graded: bool
    """Whether every question was asked and has a bucket; if not, the counts below are partial."""
    not_graded: int
    as_wanted: Share
    """Answers in the desired bucket, of all questions."""
    unacceptable: Share
    """Wrong or unsupported answers, of all questions."""
    refuse_everything: int
    """``as_wanted`` of a pipeline that refuses every question."""


class QuestionResult:
    """One question of a run with its record of every epoch."""

    def __init__(self, run: Run, question: Question, records: tuple[Record, ...]) -> None:
        self.question = question
        self.records = records
        """One per epoch; empty: not asked yet."""
        self._run = run

    @property
    def bucket(self) -> str | None:
        """The bucket of the first epoch; None: not graded."""
        verdict = self.records[0].verdict if self.records else None
        return verdict.bucket if verdict else None

    def explain(self, width: int = 80) -> str:
        """Return gold answer, evidence, retrieved passages, answer, verdict and its reason as text."""
        told = [self._run.told(self.question, record, width) for record in self.records or (None,)]
        return "\n".join(told)

    def __repr__(self) -> str:
        return self.explain()


class Run:
    """A run folder, read on demand; notebooks show its report."""

    def __init__(self, folder: RunFolder, corpus: Corpus | None = None) -> None:
        self.folder = folder
        self._corpus = corpus

    @property
    def path(self) -> Path:
        """The run's folder."""
        return self.folder.path

    @property
    def settings(self) -> Settings:
        """The settings of the run."""
        return self.folder.run.settings

    @cached_property
    def scores(self) -> Scores:
        """Every number of the report."""
        return scores_of(self.folder)

    @property
    def verdict(self) -> RunVerdict:
        """The headline counts of the run."""
        scores = self.scores
        return RunVerdict(
            graded=not scores.not_graded,
            not_graded=scores.not_graded,
            as_wanted=scores.wanted.total,
            unacceptable=scores.intervals.unacceptable,
            refuse_everything=scores.references.refuse,
        )

    @cached_property
    def questions(self) -> dict[str, QuestionResult]:
        """The questions by id, in their order."""
        records: dict[str, list[Record]] = {}
        for record in sorted(self.folder.records(), key=lambda each: each.epoch):
            records.setdefault(record.question, []).append(record)
        return {
            each.id: QuestionResult(self, each, tuple(records.get(each.id, ())))
            for each in self.folder.questions()
        }

    def __getitem__(self, question: str) -> QuestionResult:
        if question not in self.questions:
            raise UnknownName(f"question of {self.folder.name}", question, self.questions)
        return self.questions[question]

    def __iter__(self) -> Iterator[QuestionResult]:
        return iter(self.questions.values())

    def __len__(self) -> int:
        return len(self.questions)

    def to_pandas(self) -> Any:
        """Return a DataFrame with one row per record; raises UsageError without pandas."""
        try:
            import pandas as pd
        except ImportError as error:
            raise UsageError("expected pandas, found none", help="pip install pandas") from error
        return pd.DataFrame([_row(each.question, record) for each in self for record in each.records])

    def told(self, question: Question, record: Record | None, width: int) -> str:
        """Return a question with one of its records as text; with the corpus' texts where it is known."""
        if self._corpus is None:
            return show_question(question, record, width=width)
        passages, evidence = self._passages
        own = (record.answer.passages or ()) if record and record.answer else ()
        named = (
            passages.get(hit.id) or at_places(hit.id, self._corpus)
            for hit in (record.retrieved if record else ())
        )
        retrieved = {passage.id: passage for passage in named if passage is not None}
        gold = evidence.supporting(question, [*retrieved.values(), *own])
        known = {**passages, **retrieved}
        return show_question(question, record, corpus=self._corpus, passages=known, gold=gold, width=width)

    @cached_property
    def _passages(self) -> Any:
        assert self._corpus is not None
        built = build_passages(self._corpus.documents, self.settings.passage_words)
        return built.by_id, EvidenceIndex(self._corpus)

    def __repr__(self) -> str:
        return load_format("terminal")(self.scores)

    def _repr_html_(self) -> str:
        from markdown_it import MarkdownIt

        reader = MarkdownIt("commonmark", {"html": False}).enable("table")
        return str(reader.render(load_format("markdown")(self.scores)))


def _row(question: Question, record: Record) -> dict[str, object]:
    verdict = record.verdict
    return {
        "question": question.id,
        "row": question.row,
        "kind": question.kind,
        "wanted": question.wanted,
        "epoch": record.epoch,
        "status": record.status,
        "bucket": verdict.bucket if verdict else None,
        "reason": verdict.reason if verdict else None,
        "answer": record.answer.text if record.answer else None,
        "seconds": record.seconds,
    }


def count(folder: RunFolder, ground: Ground, *, cache: bool = True) -> Scores:
    """Count a run's records, with what the blind reference reaches on its questions, and keep the scores."""
    blind, note = blind_count(ground, folder.records, cache_folder() / "references" if cache else None)
    return keep(folder, score_folder(folder, blind, note))


def keep(folder: RunFolder, scores: Scores) -> Scores:
    """Write the scores into the run's folder and return them."""
    folder.write("scores.json", load_format("json")(scores).encode())
    return scores


def scores_of(folder: RunFolder) -> Scores:
    """Return a run's scores, counted anew from its records; what the blind reference reached is kept."""
    try:
        kept = read_scores((folder.path / "scores.json").read_bytes())
    except (OSError, msgspec.MsgspecError):
        return score_folder(folder, None, "not computed: the run is not finished")
    known = kept.references
    scores = score_folder(folder, known.blind, known.blind_note)
    if scores.asked == kept.asked or known.blind is None:
        return scores
    # Beside counts of other questions it would mislead.
    return score_folder(
        folder, None, f"it was counted when {kept.asked} were asked; continuing the run counts it again"
    )
