"""Of the claims that the passages support, those that the answer states (F1_AC)."""

from __future__ import annotations

from ragharness.analysis.derived import Answerable, Derived, Figures, Items, both_readings, harmonic, ratio


def answer_correctness(items: Items, where: Answerable) -> Figures:
    """Precision over what was answered, recall over what is answerable, and their F1."""
    answerable = sum(item.answerable(where) for item in items)
    answered = sum(not item.refused for item in items)
    stated = sum(item.found for item in items if item.answerable(where) and not item.refused)
    p, r = ratio(stated, answered), ratio(stated, answerable)
    return {"f1_ac": harmonic(p, r) if answerable else None, "p_ac": p, "r_ac": r}


METRIC = Derived(
    label="F1_AC",
    formula="AC = share of the recoverable gold claims in the answer; P = sum AC / answered,"
    " R = sum AC / answerable, F1 = 2PR / (P + R); answers to unanswerable questions add 0",
    source="Song et al. 2025, Trust-Score, arXiv 2409.11242",
    from_texts=True,
    remark="A record has one gold claim, its whole answer: a list that is right in part adds 0.",
    over=both_readings(answer_correctness, "f1_ac"),
)
