"""Intervals, quantiles and tests of paired counts: arithmetic that knows nothing of runs."""

from ragharness.statistics.intervals import binomial_cdf, clopper_pearson, quantile, sign_test, wilson
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
    "McNemar",
    "binomial_cdf",
    "clopper_pearson",
    "cluster_intervals",
    "cluster_totals",
    "false_alarm",
    "fewest_significant",
    "flip_rate",
    "holm",
    "majority_chance",
    "mcnemar",
    "paired_interval",
    "quantile",
    "sign_flip",
    "sign_test",
    "smallest_mean",
    "smallest_rise",
    "wilson",
]
