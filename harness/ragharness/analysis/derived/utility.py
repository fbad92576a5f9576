"""What the answers are worth on average, by stated weights."""

from ragharness.analysis.derived import Derived

METRIC = Derived(
    label="utility",
    formula="sum over buckets of weight x answers / n; weights 1, -3, -3, 0 for correct, wrong, unsupported,"
    " refused unless `weights` says otherwise",
    source="Kalai et al. 2025, arXiv 2509.04664: answer only if more than 75 % confident",
    range=(-3, 1),
    of=lambda item, options: options.weights[item.bucket],
)
