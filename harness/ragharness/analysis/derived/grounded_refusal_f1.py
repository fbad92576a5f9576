"""Refuses what cannot be answered and answers what can: the mean of both F1 scores (F1_GR)."""

from __future__ import annotations

from ragharness.analysis.derived import Answerable, Derived, Figures, Items, both_readings, harmonic, ratio


def grounded_refusal(items: Items, where: Answerable) -> Figures:
    """Precision, recall and F1 of refusing and of answering; None without a question of that side."""
    answerable = sum(item.answerable(where) for item in items)
    answered = sum(not item.refused for item in items)
    both = sum(item.answerable(where) and not item.refused for item in items)
    neither = len(items) - answerable - answered + both
    refused, unanswerable = len(items) - answered, len(items) - answerable
    p_ref, r_ref = ratio(neither, refused), ratio(neither, unanswerable)
    p_ans, r_ans = ratio(both, answered), ratio(both, answerable)
    f1_ref = harmonic(p_ref, r_ref) if unanswerable else None
    f1_ans = harmonic(p_ans, r_ans) if answerable else None
    f1 = None if f1_ref is None or f1_ans is None else (f1_ref + f1_ans) / 2
    return {
        "f1_gr": f1,
        "f1_ref": f1_ref,
        "p_ref": p_ref,
        "r_ref": r_ref,
        "f1_ans": f1_ans,
        "p_ans": p_ans,
        "r_ans": r_ans,
        "answered_ratio": ratio(answered, len(items)),
    }


METRIC = Derived(
    label="F1_GR",
    formula="(F1 of refusing unanswerable questions + F1 of answering answerable ones) / 2; 0/0 is 0",
    source="Song et al. 2025, Trust-Score, arXiv 2409.11242",
    from_texts=True,
    remark="None where the set has no answerable or no unanswerable question; the paper's code then has 0 for"
    " that half, so that a perfect system reaches 50 of 100. `--compat` prints that.",
    over=both_readings(grounded_refusal, "f1_gr"),
)
