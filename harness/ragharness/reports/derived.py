"""Metrics of others as tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragharness.reports.tables import Section
from ragharness.scores.derived import derived

if TYPE_CHECKING:
    from ragharness.scores.measuring import Metrics


def metric_sections(found: Metrics, not_a_result: str = "") -> list[Section]:
    """Return how many answers were graded, the metrics, and the figures of each that has some."""
    graded = len(found.questions)
    every = graded + found.ungraded + len(found.undecided)
    told = f"{graded} of {every} answers are graded" + (
        "" if graded == every else "; the last column counts the rest as wrong"
    )
    if found.undecided:
        told += f" ({len(found.undecided)} left to a person by the judge)"
    told += f". Answerable: {_READINGS[found.answerable]}."
    if any(each.name == "utility" for each in found.metrics):
        told += f" Weights: {', '.join(f'{name} {worth:g}' for name, worth in found.weights.items())}."
    rows = []
    for each in found.metrics:
        metric = derived()[each.name]
        least, most = metric.range
        rows.append(
            (
                each.label,
                _number(each.value),
                f"{least:g} to {'any' if most is None else f'{most:g}'}",
                "higher" if metric.higher_is_better else "lower",
                each.granularity,
                str(each.n - (each.undefined if each.granularity == "question" else 0)),
                *([_number(each.if_wrong)] if graded != every else []),
            )
        )
    head = ["", "value", "range", "better", "of a", "N"]
    head += ["rest wrong"] if graded != every else []
    return [
        *([Section("", [not_a_result], tone="unclear")] if not_a_result else []),
        Section("", [told]),
        Section("Metrics", (), head, rows, frozenset({0, 3, 4})),
        *(
            Section(
                each.label, (), ("", ""), [(name, _number(value)) for name, value in each.figures.items()]
            )
            for each in found.metrics
            if each.figures
        ),
    ]


_READINGS = {"retrieval": "the evidence was retrieved", "corpus": "the corpus states it"}


def _number(value: float | None) -> str:
    return "n/a" if value is None else f"{value:.3f}"
