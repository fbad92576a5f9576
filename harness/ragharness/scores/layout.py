"""``Scores``: the JSON that ``run --json`` prints and ``scores.json`` keeps, field by field."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, TypeVar

from msgspec import Meta, Struct, defstruct

from ragharness.records import BUCKETS, ROW_NAMES
from ragharness.scores.metrics import metrics
from ragharness.scores.values import Share

if TYPE_CHECKING:
    from collections.abc import Callable

    from ragharness.scores.metrics import Part

FORMAT = 1
"""The version of this layout."""

AnyStruct = TypeVar("AnyStruct", bound=type[Struct])


def _holding(part: Part) -> Callable[[AnyStruct], AnyStruct]:
    """Give a struct one more field a metric, behind its own."""

    def extended(base: AnyStruct) -> AnyStruct:
        fields = [
            (each.name, Annotated[each.type, Meta(description=each.sentence)]) for each in metrics(part)
        ]
        told = {"__doc__": base.__doc__}
        return defstruct(  # type: ignore[return-value]
            base.__name__, fields, bases=(base,), namespace=told, module=__name__, frozen=True, kw_only=True
        )

    return extended


class Row(Struct, kw_only=True):
    """What came of the questions of one row; the five counts add up to n."""

    n: int = 0
    correct: int = 0
    wrong: int = 0
    unsupported: int = 0
    refused: int = 0
    not_graded: int = 0

    def add(self, bucket: str | None) -> None:
        """Count one question's bucket; None is not graded."""
        self.n += 1
        name = bucket if bucket in BUCKETS else "not_graded"
        setattr(self, name, getattr(self, name) + 1)


class Wanted(Struct, frozen=True, kw_only=True):
    """Answers in the bucket that their question is built for."""

    total: Share
    answer: Annotated[Share, Meta(description="Of the questions whose evidence is in reach: correct.")]
    refusal: Annotated[Share, Meta(description="Of the questions that want a refusal: refused.")]
    rows: dict[str, Share]


class Intervals(Struct, frozen=True, kw_only=True):
    """Each bucket of all questions asked, with its interval."""

    correct: Share
    wrong: Share
    unsupported: Share
    refused: Share
    unacceptable: Annotated[Share, Meta(description="Wrong or unsupported.")]
    at_most: Annotated[
        dict[str, float],
        Meta(
            description="For unacceptable buckets that were never seen: the exact upper limit of their rate."
        ),
    ]


class References(Struct, frozen=True, kw_only=True):
    """How many answers as wanted others would reach on the same questions, of those that were asked."""

    best_possible: Annotated[
        int, Meta(description="Questions times epochs that were asked: the base of all three.")
    ]
    refuse: Annotated[int, Meta(description="Refusing everything that was asked.")]
    blind: Annotated[
        int | None, Meta(description="The reference generator that reads nothing; null: could not run.")
    ]
    blind_note: str = ""


@_holding("axes")
class Axes(Struct, frozen=True, kw_only=True):
    """What is measured beside the bucket; over graded answers only."""

    if TYPE_CHECKING:

        def __getattr__(self, metric: str) -> Any: ...


@_holding("retrieval")
class Retrieval(Struct, frozen=True, kw_only=True):
    """Where the evidence was found, over the questions whose evidence is in the index and not held back."""

    n: int
    k: Annotated[int | None, Meta(description="Null: the pipeline decides how much it retrieves.")]

    if TYPE_CHECKING:

        def __getattr__(self, metric: str) -> Any: ...


class Failures(Struct, kw_only=True):
    """Where each question that did not come out as wanted belongs; they add up."""

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
    message: Annotated[str, Meta(description="That of the first question, whole.")]
    questions: list[str]


class ProblemGroup(Struct, frozen=True, kw_only=True):
    """Something odd about what the pipeline returned, which was graded all the same."""

    problem: Annotated[str, Meta(description="As it was said of the first question.")]
    questions: list[str]


class Stability(Struct, frozen=True, kw_only=True):
    """How alike the answers to one question came out, over the questions; those of every epoch count."""

    epochs: int
    same_bucket: Annotated[Share, Meta(description="Graded in every epoch, and in the same bucket.")]
    always_as_wanted: Share
    ever_as_wanted: Share


class Miss(Struct, frozen=True, kw_only=True):
    """One question that did not come out as wanted."""

    question: str
    row: str
    came_out: Annotated[str, Meta(description="A bucket, or the status of an answer that is not graded.")]
    reason: str


class Timing(Struct, frozen=True, kw_only=True):
    """Seconds of the pipeline's calls, a time-out with its limit; those that raised are left out."""

    median: Annotated[float | None, Meta(description="Null: no call returned or was given up.")]
    p95: float | None
    longest: float | None


class Spending(Struct, frozen=True, kw_only=True):
    """What pipelines said that they used; null is unknown, never zero."""

    known: Annotated[int, Meta(description="Answers that said anything and were made for this run.")]
    from_cache: Annotated[int, Meta(description="Answers of earlier calls: nothing was spent on them.")] = 0
    prompt_tokens: int | None
    completion_tokens: int | None
    cost: float | None


class Versions(Struct, frozen=True, kw_only=True):
    """With what the run was made."""

    ragharness: str
    python: str
    platform: str
    grader: str


class Scores(Struct, frozen=True, kw_only=True):
    """Every number of a run's report."""

    format: int
    run: Annotated[str, Meta(description="The name of the run folder.")]
    folder: str
    corpus: str
    split: str
    pipeline: str
    takes: Annotated[str, Meta(description="How the pipeline gets passages: passages, retrieve or own.")]
    retriever: str
    questions: Annotated[int, Meta(description="Questions times epochs: the denominator of everything.")]
    asked: int
    not_graded: Annotated[int, Meta(description="Questions without a bucket, those not yet asked included.")]
    statuses: dict[str, int]
    buckets: dict[str, int]
    by_target: Annotated[
        dict[str, Row], Meta(description="What the questions were built for, and what came out.")
    ]
    intervals: Intervals
    wanted: Wanted
    references: References
    axes: Axes
    retrieval: Retrieval
    failures: Failures
    errors: list[ErrorGroup]
    problems: list[ProblemGroup]
    misses: Annotated[list[Miss], Meta(description="The worst first.")]
    seconds: Annotated[float, Meta(description="Wall time of all sessions of the run.")]
    timing: Timing
    spending: Spending
    sessions: int
    notes: list[str]
    versions: Versions
    created: str
    epochs: Annotated[int, Meta(description="How often each question was asked.")] = 1
    stability: Annotated[Stability | None, Meta(description="Null where each question was asked once.")] = (
        None
    )
    tags: list[str] = []
    pipeline_settings: Annotated[
        dict[str, str | int | float],
        Meta(description="What answers depend on besides the pipeline: model, prompt, address and others."),
    ] = {}

    @property
    def rows(self) -> dict[str, Row]:
        """``by_target`` by the rows' names in reports: ``rows["tempting"]``."""
        return {ROW_NAMES[key]: row for key, row in self.by_target.items()}
