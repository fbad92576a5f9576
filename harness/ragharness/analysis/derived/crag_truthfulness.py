"""Right answers less hallucinations: 1 for a correct answer, 0 for a refusal, -1 for any other."""

from ragharness.analysis.derived import Derived

METRIC = Derived(
    label="CRAG truthfulness",
    formula="(2 correct + refused) / n - 1 = accuracy - hallucination",
    source="Yang et al. 2024, CRAG, arXiv 2406.04744; its automatic scorer",
    range=(-1, 1),
    remark="Wrong and unsupported answers are hallucinations. A hallucination costs what a right answer"
    " earns: see [which system is better](#which-system-is-better).",
    of=lambda item, _: 0.0 if item.refused else 1.0 if item.bucket == "correct" else -1.0,
)
