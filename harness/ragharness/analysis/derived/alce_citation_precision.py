"""The share of an answer's citations that their sentences need."""

from __future__ import annotations

from collections.abc import Sequence

from ragharness.analysis.derived import Cited, Derived, ratio


def citation_precision(sentences: Sequence[Cited]) -> float:
    """Share of useful citations; 0 where nothing is cited."""
    return ratio(
        sum(sentence.useful for sentence in sentences), sum(len(sentence.alone) for sentence in sentences)
    )


METRIC = Derived(
    label="ALCE citation precision",
    formula="useful citations / citations; useful: its sentence is supported, and it supports it alone or the"
    " others do not without it",
    source="Gao et al. 2023, ALCE, arXiv 2305.14627",
    from_texts=True,
    remark="From records, only sentences that claim something count; answers without one are left out.",
    of=lambda item, _: citation_precision(item.sentences) if item.sentences else None,
)
