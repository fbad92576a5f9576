"""The share of an answer's sentences that their citations support together."""

from __future__ import annotations

from collections.abc import Sequence

from ragharness.analysis.derived import Cited, Derived


def citation_recall(sentences: Sequence[Cited]) -> float:
    """Share of supported sentences."""
    return sum(sentence.jointly for sentence in sentences) / len(sentences)


METRIC = Derived(
    label="ALCE citation recall",
    formula="supported sentences / sentences; 0 for a sentence that cites nothing, or a passage that was not"
    " retrieved; three citations of a sentence count",
    source="Gao et al. 2023, ALCE, arXiv 2305.14627",
    from_texts=True,
    remark="From records, only sentences that claim something count; answers without one are left out.",
    of=lambda item, _: citation_recall(item.sentences) if item.sentences else None,
)
