"""RAGChecker's figures of one answer, from which claims follow from which texts (Ru et al. 2024)."""

from __future__ import annotations

from collections.abc import Sequence

from ragharness.analysis.derived import harmonic, ratio

Matrix = Sequence[Sequence[bool]]
"""For each claim, whether each passage entails it."""


def ragchecker(
    right: Sequence[bool], told: Sequence[bool], of_answer: Matrix, of_gold: Matrix
) -> dict[str, float]:
    """Return its eleven figures; 0 where there is nothing to count.

    ``right``: for each claim of the answer, whether the gold answer entails it; ``told``: for each gold
    claim, whether the answer does; ``of_answer`` and ``of_gold``: whether each passage entails these claims.
    """
    relevant = [any(column) for column in zip(*of_gold, strict=True)]
    recalled, faithful = list(map(any, of_gold)), list(map(any, of_answer))
    claims = list(zip(right, faithful, of_answer, strict=True))

    def misled(kind: bool) -> float:
        """Return the share of false claims that a passage of this kind of relevance entails."""
        held = (
            [row and is_ == kind for row, is_ in zip(rows, relevant, strict=True)] for _, _, rows in claims
        )
        return ratio(sum(any(each) and not good for each, good in zip(held, right, strict=True)), len(claims))

    precision, recall = ratio(sum(right), len(right)), ratio(sum(told), len(told))
    return {
        "precision": precision,
        "recall": recall,
        "f1": harmonic(precision, recall),
        "claim_recall": ratio(sum(recalled), len(recalled)),
        "context_precision": ratio(sum(relevant), len(relevant)),
        "context_utilization": ratio(
            sum(known and used for known, used in zip(recalled, told, strict=True)), sum(recalled)
        ),
        "hallucination": ratio(sum(not held and not good for good, held, _ in claims), len(claims)),
        "self_knowledge": ratio(sum(not held and good for good, held, _ in claims), len(claims)),
        "faithfulness": ratio(sum(faithful), len(faithful)),
        "noise_sensitivity_in_relevant": misled(True),
        "noise_sensitivity_in_irrelevant": misled(False),
    }
