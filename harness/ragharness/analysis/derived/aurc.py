"""The area under risk against coverage: errors among the most confident answers, averaged over all depths."""

from __future__ import annotations

from itertools import groupby

from ragharness.analysis.derived import Derived, Figures, Item, Items, MetricOptions, ratio


def risks(items: Items) -> list[float]:
    """Expected errors among the first k answers, for each k; ties are averaged over their orders.

    The most confident come first, refusals last: a refusal counts as an error.
    """

    def rank(item: Item) -> tuple[bool, float]:
        return item.refused, -(item.confidence or 0.0)

    errors, before = [], 0.0
    for _, tied in groupby(sorted(items, key=rank), key=rank):
        block = [item.bucket != "correct" for item in tied]
        errors += [before + sum(block) * k / len(block) for k in range(1, len(block) + 1)]
        before += sum(block)
    return errors


def _areas(items: Items, _: MetricOptions) -> Figures:
    n = len(items)
    answered = [item for item in items if not item.refused]
    wrong = sum(item.bucket != "correct" for item in answered)
    risk = wrong / len(answered) if answered else None
    figures: Figures = {"value": None, "coverage": ratio(len(answered), n), "selective_risk": risk}
    if not answered or any(item.confidence is None for item in answered):
        return figures
    right = sum(item.bucket == "correct" for item in items)
    errors = risks(items)
    area = sum(error / k for k, error in enumerate(errors, 1)) / n
    oracle = sum((k - right) / k for k in range(right + 1, n + 1)) / n
    augrc = sum(errors) / (n * n)
    return {**figures, "value": area, "oracle": oracle, "e_aurc": area - oracle, "augrc": augrc}


METRIC = Derived(
    label="AURC",
    formula="(1/n) sum over k of errors among the k most confident / k; E-AURC = AURC - that of the best"
    " order; AUGRC = (1/n) sum of errors / n",
    source="Geifman and El-Yaniv 2017, arXiv 1705.08500; AUGRC: Traub et al. 2024, arXiv 2407.01032",
    higher_is_better=False,
    remark="Needs a confidence with each answer, else only coverage and selective risk are given. A refusal"
    " is an error and comes last; ties are averaged over their orders.",
    over=_areas,
)
