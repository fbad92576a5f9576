"""``Scores``: the JSON of ``run --json`` and ``scores.json``, causes of misses, and the verdict on a run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple, Protocol

import msgspec
from msgspec import Meta, Struct, defstruct
from msgspec.structs import force_setattr

from ragharness.analysis.intervals import sign_test
from ragharness.analysis.metrics import PARTS, Outcome, Part, Share, Span, Tally, how_many, metrics
from ragharness.records import BUCKETS, Citations, Failure
from ragharness.support.messages import error_line, message_kind

FORMAT = 2  # the version of this layout
ROW_NAMES = {  # of a report, by the stratum and target of their questions
    "grounded/correct": "plain",
    "grounded/wrong": "tempting",
    "grounded/unsupported": "withheld",
    "grounded/refused": "does-not-say",
    "unanswerable": "unanswerable",
    "adversarial": "adversarial",
    "null_retrieval": "null",
}

VerdictKind = Literal["not_a_result", "not_better", "not_clearly_better", "misleads", "good"]


class MetricValues(dict[str, Any]):
    """Values of metrics by name, also as attributes; those that nothing here declares stay as read."""

    def __getattr__(self, metric: str) -> Any:
        try:
            return self[metric]
        except KeyError:
            raise AttributeError(f"no value of {metric!r}: known are {', '.join(self)}") from None


if TYPE_CHECKING:
    from ragharness.runner.grading import GradingContext
    from ragharness.runner.run_folder import RunFolder

    _Values = MetricValues
else:
    # What is read is made MetricValues in __post_init__.
    _Values = dict[str, Any]


def part_schema(part: Part, template: str) -> dict[str, Any]:
    """JSON Schemas of a part of the scores and of what it refers to, by name, with every known metric."""
    about, fields = "Metrics beside the bucket, over graded answers only.", list[Any]()
    if part == "retrieval":
        about = "Retrieval metrics, over the questions whose gold evidence is in the index and not withheld."
        depth = Annotated[int | None, Meta(description="Null: the pipeline decides how much it retrieves.")]
        fields = [("n", int), ("k", depth)]
    for metric in metrics(part):  # older results have fewer of them
        fields.append((metric.name, Annotated[metric.type, Meta(description=metric.sentence)], None))
    whole = defstruct(part.capitalize(), fields, namespace={"__doc__": about}, kw_only=True)
    _, schemas = msgspec.json.schema_components([whole], ref_template=template)
    for described in schemas[part.capitalize()]["properties"].values():
        described.pop("default", None)
    return schemas


class Row(Struct, kw_only=True):
    """Outcomes of the questions of one row (question type); the five counts add up to n."""

    n: int = 0
    desired: Share = Share(count=0, n=0, low=None, high=None)
    correct: int = 0
    wrong: int = 0
    unsupported: int = 0
    refused: int = 0
    ungraded: int = 0

    def add(self, bucket: str | None, times: int = 1) -> None:
        """Count a bucket that so many questions came out in; None: ungraded."""
        self.n += times
        name = bucket if bucket in BUCKETS else "ungraded"
        setattr(self, name, getattr(self, name) + times)


class Desired(Struct, frozen=True, kw_only=True):
    """Answers in the desired bucket of their question; ungraded ones are not."""

    total: Share
    answer: Share  # of the questions that should be answered: correct
    refusal: Share  # of the questions that should be refused: refused
    needless_refusals: int  # refused although it should be answered


class Intervals(Struct, frozen=True, kw_only=True):
    """Each bucket as a share of all questions: from none to all of the ungraded answers added."""

    correct: Span
    wrong: Span
    unsupported: Span
    refused: Span
    unacceptable: Span  # wrong or unsupported
    at_most: dict[str, float]
    """For unacceptable buckets that never occurred: the exact upper limit of their rate."""


class References(Struct, frozen=True, kw_only=True):
    """Answers as desired that baselines reach on the same questions, of those that were asked."""

    best_possible: int  # questions asked times epochs: the denominator of all three
    refuse: int  # refusing everything that was asked
    blind: int | None  # the baseline that sees no documents; null: it could not run
    blind_note: str = ""


class Failures(Struct, kw_only=True):
    """Causes of the misses; each miss has exactly one."""

    retriever_missed: int = 0
    misread: int = 0
    miscited: int = 0
    refused_though_found: int = 0
    answered_without_evidence: int = 0
    pipeline_error: int = 0
    timeout: int = 0
    no_answer: int = 0
    needs_review: int = 0
    not_asked: int = 0


class ErrorGroup(Struct, frozen=True, kw_only=True):
    """Failures of one type whose messages differ only in quotations and numbers."""

    type: str
    message: str  # the message of the first question, in full
    where: str = ""  # file and line of the pipeline's own code
    questions: list[str]


class ProblemGroup(Struct, frozen=True, kw_only=True):
    """A malformed result of the pipeline that was graded all the same."""

    problem: str  # the message of the first question
    questions: list[str]


class Stability(Struct, frozen=True, kw_only=True):
    """How stable the outcome of a question is across epochs; shares of questions."""

    epochs: int
    same_bucket: Share  # graded in every epoch, and in the same bucket
    always_desired: Share
    ever_desired: Share


class Miss(Struct, frozen=True, kw_only=True):
    """One question without the desired outcome."""

    question: str
    row: str
    came_out: str  # a bucket, or the status of an answer that is not graded
    reason: str


class Timing(Struct, frozen=True, kw_only=True):
    """Seconds per pipeline call; a time-out counts its limit, calls that raised are left out."""

    median: float | None  # null: no call returned or timed out
    p95: float | None
    longest: float | None


class Spending(Struct, frozen=True, kw_only=True):
    """Usage as reported by the pipeline; null is unknown, never zero."""

    known: int  # answers made for this run that reported any usage
    from_cache: int = 0  # answers taken from a cache: they cost nothing
    prompt_tokens: int | None
    completion_tokens: int | None
    cost: float | None


class Judging(Struct, frozen=True, kw_only=True):
    """Replies of judges to the answers of a run, unreadable ones included; null is unknown, never zero."""

    replies: int
    from_cache: int  # those of earlier calls: they cost nothing
    prompt_tokens: int | None
    completion_tokens: int | None
    cost: float | None


class Versions(Struct, frozen=True, kw_only=True):
    """Versions that made the run."""

    ragharness: str
    python: str
    platform: str
    grader: str


class Scores(Struct, frozen=True, kw_only=True):
    """Every number of a run's report."""

    format: int
    result: bool  # false: the numbers below say nothing about the pipeline
    verdict: VerdictKind
    sentence: str  # the verdict in words: the first and last line of reports
    reasons: list[str]  # why it is no result, and what to do
    run: str  # the name of the run folder
    folder: str
    corpus: str
    split: str
    pipeline: str
    takes: str  # how the pipeline gets passages: passages, retrieve or own
    retriever: str
    questions: int  # questions times epochs: the denominator of everything
    asked: int
    ungraded: int  # questions without a bucket, those not yet asked included
    statuses: dict[str, int]
    buckets: dict[str, int]
    rows: dict[str, Row]  # outcomes by question type
    intervals: Intervals
    desired: Desired
    references: References
    axes: _Values
    retrieval: _Values
    failures: Failures
    errors: list[ErrorGroup]
    problems: list[ProblemGroup]
    misses: list[Miss]  # worst first
    seconds: float  # wall time of all sessions of the run
    timing: Timing
    spending: Spending
    sessions: int
    notes: list[str]
    versions: Versions
    created: str
    calibration: str = "NOT calibrated"  # whether people's labels say how far the grader can be believed
    epochs: int = 1  # how often each question was asked
    stability: Stability | None = None  # null where each question was asked once
    citations: Citations = "auto"  # what had to support an answer; ``retrieved``: attribution was not tested
    judging: Judging | None = None  # null where no judge was asked
    tags: list[str] = []
    pipeline_settings: dict[str, str | int | float] = {}
    """Settings that answers depend on: model, prompt, address and others."""

    def __post_init__(self) -> None:
        for part in PARTS:
            values = getattr(self, part)
            if not isinstance(values, MetricValues):
                types = {metric.name: metric.type for metric in metrics(part)}
                typed = ((name, msgspec.convert(values[name], types.get(name, Any))) for name in values)
                force_setattr(self, part, MetricValues(typed))


class RunOnDisk(Protocol):
    """What a format that tells of single questions is given, and a baseline is made of."""

    @property
    def folder(self) -> RunFolder:
        """Settings, questions and records."""

    @property
    def scores(self) -> Scores:
        """Every number of the report."""

    @property
    def grading(self) -> GradingContext | None:
        """The corpus and its passages; None if it is not on this machine or has changed since."""


def written(scores: Scores | dict[str, Any]) -> bytes:
    """Scores, or what more is told with them, as indented JSON that ends with a line break."""
    return msgspec.json.format(msgspec.json.encode(scores)) + b"\n"


def read_scores(content: bytes) -> Scores:
    """Scores that ``written`` gave; raises msgspec.MsgspecError for anything else."""
    return msgspec.json.decode(content, type=Scores)


# Misses in the order in which they are worth reading: false answers before missing ones.
_SEVERITY = ("wrong", "unsupported", "error", "timeout", "no_answer", "needs_review", "refused", "correct")


def failures(outcomes: Counter[Outcome]) -> Failures:
    """Number of misses by cause; each miss has exactly one."""
    causes: Counter[str] = Counter()
    for outcome, times in outcomes.items():
        if not outcome.as_wanted:
            causes[_cause(outcome)] += times
    return Failures(**causes)


def _cause(outcome: Outcome) -> str:
    if outcome.bucket is None:
        return "pipeline_error" if outcome.status == "error" else outcome.status
    if outcome.wanted == "refused":
        return "answered_without_evidence"
    if not outcome.evidence_found:
        return "retriever_missed"
    return {"wrong": "misread", "unsupported": "miscited"}.get(outcome.bucket, "refused_though_found")


def error_groups(tally: Tally) -> list[ErrorGroup]:
    """Failures by type and message, most frequent first, with their first message."""
    first: dict[str, Failure] = {}
    texts: dict[Failure, str] = {}
    failed = []
    for question, outcome in tally.named(lambda outcome: outcome.failure):
        if outcome.failure:
            # Outcomes share what failed alike: so do the texts made of it, in long runs too.
            failure = tally.failure(outcome.failure)
            text = texts.setdefault(outcome.failure, f"{failure.type} {failure.where}: {failure.message}")
            first.setdefault(text, failure)
            failed.append((text, question))
    groups = ((first[text], ids) for text, ids in _grouped(failed))
    return [ErrorGroup(type=f.type, message=f.message, where=f.where, questions=ids) for f, ids in groups]


def problem_groups(tally: Tally) -> list[ProblemGroup]:
    """Malformed results by kind, most frequent first, with the first of each."""
    named = tally.named(lambda outcome: outcome.problems)
    groups = _grouped([(problem, question) for question, outcome in named for problem in outcome.problems])
    return [ProblemGroup(problem=text, questions=ids) for text, ids in groups]


def _grouped(texts: Sequence[tuple[str, str]]) -> list[tuple[str, list[str]]]:
    """The first of the texts that differ only in quotations and numbers, with the ids of all."""
    groups: dict[str, tuple[str, list[str]]] = {}
    for text, question in texts:
        _, ids = groups.setdefault(message_kind(text), (text, []))
        if question not in ids[-1:]:
            ids.append(question)
    return sorted(groups.values(), key=lambda group: -len(group[1]))


def misses(tally: Tally) -> list[Miss]:
    """Misses among the questions asked, worst first; epochs of a question that went alike are one."""
    missed = tally.named(lambda outcome: not outcome.as_wanted and outcome.status != "not_asked")
    distinct = dict.fromkeys(
        Miss(
            question=question,
            row=outcome.row,
            came_out=outcome.bucket or outcome.status,
            reason=outcome.failure.type if outcome.failure else outcome.reason,
        )
        for question, outcome in missed
    )
    return sorted(distinct, key=lambda miss: _SEVERITY.index(miss.came_out))


MOST_UNGRADED = 0.2  # the share of ungraded answers above which a run is no result [choice]
ALPHA = 0.05  # the p value up to which a pipeline counts as clearly better than refusing everything [choice]
NOT_IN_CORPUS = "passages that the corpus does not hold"  # beginning of a problem of passages not found there


class Conclusion(NamedTuple):
    """The verdict of a run."""

    kind: VerdictKind
    sentence: str
    reasons: list[str]  # why it is no result, and what to do about it; empty for a result


def conclude(
    outcomes: Counter[Outcome],
    desired: Desired,
    unacceptable: int,
    errors: Sequence[ErrorGroup],
    takes: str,
    shortfall: str = "",
) -> Conclusion:
    """Verdict on a run; ``shortfall`` is why its questions can carry no result.

    A result is compared with refusing everything, question by question (sign test): what it answers correctly
    is gained, what it should refuse and does not is lost.
    """
    n = outcomes.total()
    reasons = _passage_faults(outcomes) if takes == "own" else []
    ungraded = how_many(outcomes, lambda outcome: outcome.bucket is None)
    if ungraded > MOST_UNGRADED * n or any(outcome.status == "not_asked" for outcome in outcomes):
        reasons += _why_ungraded(outcomes, errors)
    if reasons := reasons + ([shortfall] if shortfall else []):
        return Conclusion("not_a_result", f"Not a result: {reasons[0]}", reasons)
    gained, lost = desired.answer.count, desired.refusal.n - desired.refusal.count
    against = f"{desired.total.count} against {desired.refusal.n} of {n} as desired"
    if gained <= lost:
        return Conclusion("not_better", f"Not better than refusing everything: {against}", [])
    if sign_test(gained, lost) > ALPHA:
        return Conclusion("not_clearly_better", f"Not clearly better than refusing everything: {against}", [])
    answers = f"Answers {gained} of {desired.answer.n}"
    if unacceptable:
        return Conclusion("misleads", f"{answers}, but {unacceptable} of {n} answers would mislead", [])
    return Conclusion("good", f"{answers} and none of {n} would mislead", [])


def _passage_faults(outcomes: Counter[Outcome]) -> list[str]:
    """What is wrong with the passages that a pipeline brings, if all of them are without use."""
    brought = [outcome for outcome in outcomes if outcome.judged and outcome.passages]
    unknown = (any(note.startswith(NOT_IN_CORPUS) for note in outcome.problems) for outcome in brought)
    if brought and all(unknown) and not any(outcome.document_rank for outcome in brought):
        return ["no passage of the pipeline is in the corpus. If it has documents of its own: --corpus PATH"]
    claimed = how_many(outcomes, lambda outcome: outcome.judged and outcome.bucket != "refused")
    if claimed and not brought:
        without = f"{claimed} of {claimed} answers came without the passages that they rest on."
        return [f"{without} Return the documents too: docs/pipelines.md"]
    return []


def _why_ungraded(outcomes: Counter[Outcome], errors: Sequence[ErrorGroup]) -> list[str]:
    n = outcomes.total()
    counts: Counter[str] = Counter()
    for outcome, times in outcomes.items():
        if outcome.bucket is None:
            counts[outcome.status] += times
    failed, unasked = counts["error"] + counts["timeout"], counts["not_asked"]
    reasons = []
    if failed:
        calls = "every call" if failed == n - unasked else f"{failed} of {n} calls"
        first, most = errors[0], "" if len(errors) == 1 else ", most often"
        reasons.append(f"{calls} failed{most} with {error_line(first.type, first.message, first.where)}")
    texts = {
        "needs_review": "{0} of {1} answers need review: a judge or a person has to decide",
        "no_answer": "{0} of {1} answers are empty",
        "not_asked": "{0} of {1} questions were not asked: the same command continues",
    }
    met = sorted(filter(counts.__getitem__, texts), key=lambda status: -counts[status])
    return reasons + [texts[status].format(counts[status], n) for status in met]
