"""How early the relevant passages are retrieved: average precision of the ranking."""

from __future__ import annotations

from collections.abc import Sequence

from ragharness.analysis.derived import Derived

_EPSILON = 1e-10  # what the source adds to the denominator


def average_precision(relevant: Sequence[bool]) -> float:
    """Mean of the precision at each relevant rank; 0 without one."""
    hits = [sum(relevant[: rank + 1]) / (rank + 1) for rank, each in enumerate(relevant) if each]
    return sum(hits) / (len(hits) + _EPSILON)


METRIC = Derived(
    label="RAGAS context precision",
    formula="sum over ranks k of (precision@k x relevant at k) / (relevant passages + 1e-10)",
    source="Es et al. 2024, RAGAS, arXiv 2309.15217; its collections of metrics",
    remark="Over answerable questions with passages. A passage is relevant if it is the first to hold a gold"
    " span: further passages with the same span are not known to be.",
    of=lambda item, _: (
        average_precision(item.relevant) if item.relevant and item.gold_passages and item.in_corpus else None
    ),
)
