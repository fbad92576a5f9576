"""Claims without a citation in the graded answers."""

from typing import Annotated

from msgspec import Meta, Struct

from ragharness.analysis.metrics import Metric, graded, mean


class ExtraClaims(Struct, frozen=True, kw_only=True):
    """Claims without a citation in the graded answers."""

    sum: int
    mean: float | None
    n: int
    answers: Annotated[int, Meta(description="Answers with at least one.")]


def _claims(counts: list[int]) -> ExtraClaims:
    answers = sum(count > 0 for count in counts)
    return ExtraClaims(sum=sum(counts), mean=mean(counts), n=len(counts), answers=answers)


METRIC = Metric(
    part="axes",
    label="uncited claims",
    short="uncited claims",
    words=lambda found: f"{found.sum} in {found.answers} answer{'s' * (found.answers != 1)}",
    range=(0, None),
    higher_is_better=False,
    source="the rubric, as settled in docs/scoring.md",
    type=ExtraClaims,
    compute=lambda outcomes, _: _claims(
        [n for each in graded(outcomes) if (n := each.extra_claim_count) is not None]
    ),
)
