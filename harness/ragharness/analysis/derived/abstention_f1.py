"""How well refusals are the refusals that are called for."""

from __future__ import annotations

from ragharness.analysis.derived import (
    Answerable,
    Derived,
    Figures,
    Items,
    MetricOptions,
    harmonic,
    prefixed,
    ratio,
)


def _abstention(items: Items, where: Answerable) -> Figures:
    called_for = [not item.answerable(where) for item in items]
    hits = sum(item.refused and called for item, called in zip(items, called_for, strict=True))
    fitting = sum(
        item.refused == called and (called or item.bucket == "correct")
        for item, called in zip(items, called_for, strict=True)
    )
    precision, recall = ratio(hits, sum(item.refused for item in items)), ratio(hits, sum(called_for))
    f1, appropriate = harmonic(precision, recall), ratio(fitting, len(items))
    return {"f1": f1, "precision": precision, "recall": recall, "appropriate": appropriate}


def _both(items: Items, _: MetricOptions) -> Figures:
    readings = {"corpus": _abstention(items, "corpus"), "retrieval": _abstention(items, "retrieval")}
    return {"value": readings["corpus"]["f1"], **prefixed(readings)}


METRIC = Derived(
    label="AbstentionBench F1",
    formula="F1 of refusing questions that the corpus does not answer; appropriate = refused where called"
    " for, else correct, of all",
    source="Kirichenko et al. 2025, AbstentionBench, arXiv 2506.09038",
    remark="Its value takes the reading *corpus*, whatever the settings say.",
    over=_both,
)
