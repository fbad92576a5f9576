"""The mean of grounded refusal, answer correctness and grounded citation (TRUST)."""

from __future__ import annotations

from ragharness.analysis.derived import Answerable, Derived, Figures, How, Items
from ragharness.analysis.derived.answer_correctness_f1 import answer_correctness
from ragharness.analysis.derived.grounded_citation_f1 import grounded_citation
from ragharness.analysis.derived.grounded_refusal_f1 import grounded_refusal


def _trust(found: Items, how: How) -> Figures:
    cited = grounded_citation(found)["value"]
    readings: tuple[Answerable, ...] = ("retrieval", "corpus")
    told: Figures = {}
    for where in readings:
        parts = (
            grounded_refusal(found, where)["f1_gr"],
            answer_correctness(found, where)["f1_ac"],
            cited,
        )
        known = [each for each in parts if each is not None]
        told[f"{where}.trust"] = sum(known) / 3 if len(known) == 3 else None
        told |= {
            f"{where}.{name}": each for name, each in zip(("f1_gr", "f1_ac", "f1_gc"), parts, strict=True)
        }
    return {"value": told[f"{how.answerable}.trust"], **told}


METRIC = Derived(
    label="TRUST",
    formula="(F1_GR + F1_AC + F1_GC) / 3",
    source="Song et al. 2025, Trust-Score, arXiv 2409.11242",
    from_texts=True,
    remark="None where one of the three is. From 0 to 1; the paper has 0 to 100.",
    over=_trust,
)
