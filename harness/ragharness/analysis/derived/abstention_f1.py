"""How well refusals are the refusals that are called for."""

from __future__ import annotations

from ragharness.analysis.derived import Answerable, Derived, Figures, How, Items, harmonic, prefixed, ratio


def _abstention(found: Items, where: Answerable) -> Figures:
    called_for = [not each.answerable(where) for each in found]
    hits = sum(each.refused and called for each, called in zip(found, called_for, strict=True))
    fitting = sum(
        each.refused == called and (called or each.bucket == "correct")
        for each, called in zip(found, called_for, strict=True)
    )
    precision, recall = ratio(hits, sum(each.refused for each in found)), ratio(hits, sum(called_for))
    return {
        "f1": harmonic(precision, recall),
        "precision": precision,
        "recall": recall,
        "appropriate": ratio(fitting, len(found)),
    }


def _both(items: Items, _: How) -> Figures:
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
