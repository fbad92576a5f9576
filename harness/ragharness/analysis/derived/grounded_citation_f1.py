"""Sentences of answers supported by their citations, and citations needed by their sentences (F1_GC)."""

from __future__ import annotations

from ragharness.analysis.derived import Derived, Figures, Items, MetricOptions, harmonic
from ragharness.analysis.derived.alce_citation_precision import citation_precision
from ragharness.analysis.derived.alce_citation_recall import citation_recall
from ragharness.analysis.metrics import mean


def grounded_citation(items: Items, _: MetricOptions | None = None) -> Figures:
    """Mean recall and precision of the answers' citations, and their F1; None without an answer."""
    answered = [item for item in items if item.sentences and not item.refused]
    recall = mean([citation_recall(item.sentences) for item in answered])
    precision = mean([citation_precision(item.sentences) for item in answered])
    f1 = None if recall is None or precision is None else harmonic(recall, precision)
    return {"value": f1, "recall": recall, "precision": precision}


METRIC = Derived(
    label="F1_GC",
    formula="harmonic mean of citation recall and citation precision, each averaged over the answers",
    source="Song et al. 2025, Trust-Score, arXiv 2409.11242, after ALCE",
    from_texts=True,
    remark="From records, citations support a sentence together if one of them does, and only sentences that"
    " claim something count.",
    over=grounded_citation,
)
