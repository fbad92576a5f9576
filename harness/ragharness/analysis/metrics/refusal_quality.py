"""The quality of refusals, 0 to 3."""

from msgspec import Struct

from ragharness.analysis.metrics import Metric, graded, mean


class RefusalQuality(Struct, frozen=True, kw_only=True):
    """The quality of refusals, 0 to 3."""

    mean: float | None
    n: int
    distribution: dict[str, int]


def _quality(grades: list[int]) -> RefusalQuality:
    counts = {str(grade): grades.count(grade) for grade in range(4)}
    return RefusalQuality(mean=mean(grades), n=len(grades), distribution=counts)


METRIC = Metric(
    part="axes",
    label="refusal quality",
    short="refusal quality",
    words=lambda found: "n/a" if found.mean is None else f"{found.mean:.2f} of 3, mean of {found.n}",
    range=(0, 3),
    source="the rubric, as settled in docs/scoring.md",
    type=RefusalQuality,
    compute=lambda outcomes, _: _quality(
        [grade for each in graded(outcomes) if (grade := each.refusal_quality) is not None]
    ),
)
