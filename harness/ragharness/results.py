"""Results in Python: a run with its scores, questions and reports; gate, comparison, matrix, calibration."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace as dataclass_replace
from functools import cached_property, partial
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from ragharness.analysis.calibrating import Note, standing, write_note
from ragharness.analysis.scores import Scores, read_scores, written
from ragharness.analysis.scoring import score_folder, with_blind
from ragharness.errors import RagharnessError, UnknownName, UsageError
from ragharness.graders import load_grader
from ragharness.records import Question, Record
from ragharness.reports.formats import load_format
from ragharness.reports.text import render
from ragharness.runner.grading import blind_count, grading_context, had
from ragharness.support.files import cache_folder, read_plain

if TYPE_CHECKING:
    from ragharness.analysis.calibrating import BucketFigures
    from ragharness.analysis.compare import Comparison
    from ragharness.analysis.gate import Decision
    from ragharness.analysis.matrix import Effect, Matrix, MatrixCell
    from ragharness.analysis.measuring import Metrics
    from ragharness.analysis.metrics import Share, Span
    from ragharness.analysis.rules import RuleResult
    from ragharness.analysis.scores import VerdictKind
    from ragharness.reports.text import Section
    from ragharness.runner.grading import GradingContext
    from ragharness.runner.run_folder import RunFolder, Settings


class RunVerdict(NamedTuple):
    """The verdict on a run and its headline counts, with intervals."""

    result: bool  # False: the counts say nothing about the pipeline; ``reasons`` say why
    kind: VerdictKind
    sentence: str
    reasons: list[str]
    desired: Share  # answers in the desired bucket, of all questions
    unacceptable: Span  # wrong or unsupported, of all questions; up to ``most`` where some are ungraded
    refuse_everything: int  # answers in the desired bucket of a pipeline that refuses every question


class QuestionResult:
    """One question of a run with its record of every epoch."""

    def __init__(self, run: Run, question: Question, records: tuple[Record, ...]) -> None:
        self.question = question
        self.records = records  # of each epoch asked so far; an answer that waits for grading has no verdict
        self.epochs = run.settings.epochs  # how often the run asks each question
        self._run = run

    @property
    def bucket(self) -> str | None:
        """The bucket of the first epoch; None: not graded."""
        verdict = self.records[0].verdict if self.records else None
        return verdict.bucket if verdict else None

    def explain(self, width: int = 80, *, passages: bool = False) -> str:
        """Gold answer, evidence, what was retrieved (``passages``: its texts), answer, verdict and reason."""
        if self.epochs == 1 or not self.records:
            return self._explain_epoch(self.records[0] if self.records else None, width, passages)
        return "\n".join(
            f"epoch {record.epoch + 1} of {self.epochs}\n\n{self._explain_epoch(record, width, passages)}"
            for record in self.records
        )

    def _explain_epoch(self, record: Record | None, width: int, texts: bool) -> str:
        from ragharness.analysis.labels import labels_told
        from ragharness.reports.show import show_question

        grading = self._run.grading
        labels = labels_told(self._run.folder, record) if record else []
        show = partial(show_question, self.question, record, width=width, texts=texts, said=labels)
        if grading is None:
            return show()
        retrieved = grading.passages_of(record) if record else []
        passages = {**grading.passages.by_id, **{passage.id: passage for passage in retrieved}}
        gold = grading.evidence.supporting(self.question, retrieved)
        return show(corpus=grading.corpus, passages=passages, gold=gold)

    def __repr__(self) -> str:
        return self.explain()


class Run:
    """A run folder, read on demand; notebooks show its report."""

    def __init__(self, folder: RunFolder, grading: GradingContext | None = None) -> None:
        self.folder = folder
        if grading is not None:
            self.grading = grading

    @cached_property
    def grading(self) -> GradingContext | None:
        """The corpus and what grades on it; None if it is not on this machine or has changed since."""
        try:
            return grading_context(self.folder, offline=True)
        except RagharnessError:
            return None

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
            result=scores.result,
            kind=scores.verdict,
            sentence=scores.sentence,
            reasons=scores.reasons,
            desired=scores.desired.total,
            unacceptable=scores.intervals.unacceptable,
            refuse_everything=scores.references.refuse,
        )

    def metrics(self, *names: str, judge: object = None, **settings: Any) -> Metrics:
        """Metrics that others published, all of them without names: docs/metrics.md lists them.

        ``judge`` says whether an answer refuses: a function from prompt to reply, an object with ``invoke``,
        or ``FILE.py:NAME`` of one; ``settings`` are ``answerable`` and ``weights``. Raises UsageError.
        """
        from ragharness.analysis.measuring import metrics_of, wanted_of

        return metrics_of(self.folder, wanted_of({"metrics": list(names), **settings}), judge)

    @cached_property
    def questions(self) -> dict[str, QuestionResult]:
        """The questions by id, in their order."""
        records: dict[str, list[Record]] = {}
        for record in self._records():
            records.setdefault(record.question, []).append(record)
        return {
            question.id: QuestionResult(self, question, _in_order(records.get(question.id, ())))
            for question in self.folder.questions()
        }

    def _records(self) -> Iterator[Record]:
        return chain(self.folder.records(), self.folder.waiting())

    def __getitem__(self, name: str) -> QuestionResult:
        questions = {question.id: question for question in self.folder.questions()}
        if name not in questions:
            path = self.path / "questions.jsonl"
            raise UnknownName(f"question of {self.folder.name}", name, questions, help=f"they are in {path}")
        records = (record for record in self._records() if record.question == name)
        return QuestionResult(self, questions[name], _in_order(records))

    def __iter__(self) -> Iterator[QuestionResult]:
        return iter(self.questions.values())

    def __len__(self) -> int:
        return len(self.questions)

    def to_pandas(self) -> Any:
        """A DataFrame with one row per record; raises UsageError without pandas."""
        try:
            import pandas as pd
        except ImportError as error:
            message = "to_pandas() needs pandas, which is not installed"
            raise UsageError(message, help="pip install pandas") from error
        from ragharness.reports.formats import COLUMNS, flat_records

        return pd.DataFrame(flat_records(self), columns=list(COLUMNS))

    def __repr__(self) -> str:
        return str(load_format("terminal")(self.scores))

    def _repr_html_(self) -> str:
        from ragharness.reports.page import notebook

        return notebook(self.scores)


def _in_order(records: Iterable[Record]) -> tuple[Record, ...]:
    """The last record of each epoch, in their order."""
    by_epoch = {record.epoch: record for record in records}
    return tuple(by_epoch[epoch] for epoch in sorted(by_epoch))


def count(folder: RunFolder, grading: GradingContext, *, cache: bool = True) -> Scores:
    """Count a run's records, with the blind reference on the same questions, and keep the scores."""
    times: Counter[bytes] = Counter()
    scores = _scored(folder, None, "", lambda record: times.update((had(record),)))
    cached = cache_folder() / "references" if cache else None
    # The reference is measured as the run is, but by the rules: no model is asked about answers of ours.
    citations = folder.run.citations
    grading = dataclass_replace(grading, citations=citations, grader=load_grader(citations=citations))
    return keep(folder, with_blind(scores, *blind_count(grading, folder.records, cached, times)))


def keep(folder: RunFolder, scores: Scores) -> Scores:
    """Write the scores into the run's folder and return them."""
    folder.write("scores.json", written(scores))
    return scores


def keep_metrics(folder: RunFolder, metrics: Metrics) -> Metrics:
    """Write third-party metrics into the run's folder, beside its scores, and return them."""
    folder.write("metrics.json", msgspec.json.format(msgspec.json.encode(metrics)) + b"\n")
    return metrics


def calibrated(folder: RunFolder, labels: Path | None = None) -> Note:
    """Calibrate a run's grader by people's labels and keep the note with the run; raises as calibrate_run."""
    from ragharness.analysis.calibrating import calibrate_run
    from ragharness.reports.people import people_sections

    note = calibrate_run(folder, labels)
    write_note(folder, note, render(people_sections(note), "markdown"))
    return note


def scores_of(folder: RunFolder) -> Scores:
    """A run's scores, counted anew from its records; the result of the blind reference is kept."""
    try:
        cached = read_scores(read_plain(folder.path / "scores.json"))
    except (OSError, msgspec.MsgspecError):
        return _scored(folder, None, "not computed: the run is not finished")
    blind = cached.references
    scores = _scored(folder, blind.blind, blind.blind_note)
    if scores.asked == cached.asked or blind.blind is None:
        return scores
    # Beside counts of other questions it would mislead.
    note = f"it was counted when {cached.asked} were asked; continuing the run counts it again"
    return _scored(folder, None, note)


def _scored(
    folder: RunFolder, blind: int | None, note: str, see: Callable[[Record], object] | None = None
) -> Scores:
    _, calibration = standing(folder)
    return replace(score_folder(folder, blind, note, see), calibration=calibration)


class _Result:
    """A result that prints as text, shows in notebooks as tables with a picture, and turns into JSON."""

    def __init__(self, report: Struct) -> None:
        self.report: Any = report  # everything that the command prints with ``--json``

    def _sections(self) -> Sequence[Section]:
        raise NotImplementedError

    def _buckets(self) -> dict[str, dict[str, int]]:
        """Counts of the picture, a bar for each run; without any there is none."""
        return {}

    def to_dict(self) -> dict[str, Any]:
        """The JSON that the command prints with ``--json``."""
        content: dict[str, Any] = msgspec.to_builtins(self.report)
        return content

    def __repr__(self) -> str:
        return render(self._sections(), "text")

    def _repr_html_(self) -> str:
        from markdown_it import MarkdownIt

        from ragharness.reports.page import bars

        counts = self._buckets()
        # HTML within it is escaped.
        markdown = MarkdownIt("commonmark", {"html": False}).enable("table")
        tables = markdown.render(render(self._sections(), "markdown"))
        return f"{bars(counts) if counts else ''}{tables}"


class GateResult(_Result):
    """Whether a change may ship."""

    report: Decision

    @property
    def ships(self) -> bool:
        """Whether the verdict is ``ship``."""
        return self.report.ships

    @property
    def verdict(self) -> str:
        """One of ship, reject, incomplete, not comparable."""
        return self.report.verdict

    @property
    def reasons(self) -> list[str]:
        """Why it does not ship; empty if it does."""
        return self.report.reasons

    @property
    def rules(self) -> dict[str, RuleResult]:
        """The rules by name: ``rules["wrong"].passes``."""
        return {rule.name: rule for rule in self.report.rules}

    @property
    def newly_wrong(self) -> list[str]:
        """Questions that are wrong in the candidate but not in the base."""
        return [outcome.question for outcome in self.report.newly_wrong]

    def _sections(self) -> Sequence[Section]:
        from ragharness.reports.compare import gate_sections

        return gate_sections(self.report)

    def _buckets(self) -> dict[str, dict[str, int]]:
        names = {"base": f"base {self.report.base}", "candidate": f"candidate {self.report.candidate}"}
        return {names[side]: counts for side, counts in self.report.buckets.items()}


class RunComparison(_Result):
    """Runs side by side."""

    report: Comparison

    @property
    def flips(self) -> dict[str, tuple[str, str]]:
        """Questions that changed outcome in the second run, worse first, with both outcomes."""
        return {flip.question: (flip.was, flip.now) for flip in self.report.against[0].flips}

    @property
    def worse(self) -> list[str]:
        """Questions with a worse outcome in the second run, worst first."""
        return [flip.question for flip in self.report.against[0].flips if flip.worse]

    def _sections(self) -> Sequence[Section]:
        from ragharness.reports.compare import compare_sections

        return compare_sections(self.report)

    def _buckets(self) -> dict[str, dict[str, int]]:
        return {f"{letter} {scores.run}": _counts(scores) for letter, scores in self.report.runs.items()}


class MatrixResult(_Result):
    """The cells of a matrix and the effects of its axes."""

    report: Matrix

    @property
    def cells(self) -> list[MatrixCell]:
        """The cells in the order of the file: values, run folder, scores, or the error."""
        return self.report.cells

    @property
    def effects(self) -> list[Effect]:
        """Effect of each value of an axis against its first, the strongest first."""
        return self.report.effects

    @property
    def result(self) -> bool:
        """Whether every cell has a result."""
        return all(cell.result for cell in self.report.cells)

    def _sections(self) -> Sequence[Section]:
        from ragharness.reports.compare import matrix_sections

        return matrix_sections(self.report)

    def _buckets(self) -> dict[str, dict[str, int]]:
        return {
            f"{number} {' '.join(cell.values.values())}": _counts(cell.scores)
            for number, cell in enumerate(self.report.cells, 1)
            if cell.scores
        }


def _counts(scores: Scores) -> dict[str, int]:
    return {**scores.buckets, "ungraded": scores.ungraded}


class RunCalibration(_Result):
    """How far a run's verdicts can be believed, by people's labels of its answers."""

    report: Note

    @property
    def calibrated(self) -> bool:
        """Whether the counts could be corrected."""
        return self.report.calibrated

    @property
    def reasons(self) -> list[str]:
        """Why they could not; empty if they could."""
        return self.report.reasons

    @property
    def buckets(self) -> dict[str, BucketFigures]:
        """Recall, precision and corrected count by bucket: ``buckets["wrong"].recall.rate``."""
        return self.report.buckets

    def _sections(self) -> Sequence[Section]:
        from ragharness.reports.people import people_sections

        return people_sections(self.report)
