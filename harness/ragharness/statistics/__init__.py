"""Intervals, tests of paired counts, agreement and corrected rates: arithmetic that knows nothing of runs."""

from ragharness.statistics.agreement import Coefficient, ac1, alpha, kappa
from ragharness.statistics.correcting import (
    Estimate,
    Part,
    correlation,
    difference,
    labels_needed,
    neyman,
    ppi,
)
from ragharness.statistics.intervals import (
    binomial_cdf,
    clopper_pearson,
    difference_interval,
    quantile,
    sign_test,
    wilson,
)
from ragharness.statistics.misclassification import Mix, rogan_gladen, why_not
from ragharness.statistics.paired import (
    McNemar,
    fewest_significant,
    holm,
    mcnemar,
    paired_interval,
    sign_flip,
    smallest_mean,
    smallest_rise,
)
from ragharness.statistics.resampling import (
    cluster_intervals,
    cluster_totals,
    false_alarm,
    flip_rate,
    majority_chance,
)

__all__ = [
    "Coefficient",
    "Estimate",
    "McNemar",
    "Mix",
    "Part",
    "ac1",
    "alpha",
    "binomial_cdf",
    "clopper_pearson",
    "cluster_intervals",
    "cluster_totals",
    "correlation",
    "difference",
    "difference_interval",
    "false_alarm",
    "fewest_significant",
    "flip_rate",
    "holm",
    "kappa",
    "labels_needed",
    "majority_chance",
    "mcnemar",
    "neyman",
    "paired_interval",
    "ppi",
    "quantile",
    "rogan_gladen",
    "sign_flip",
    "sign_test",
    "smallest_mean",
    "smallest_rise",
    "why_not",
    "wilson",
]
