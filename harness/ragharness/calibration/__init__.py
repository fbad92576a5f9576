"""Calibration: agreement of a grader with human labels, as counts and rates."""

from ragharness.calibration.labelled import LABELS, Labelled, labelled_answer, read_labelled
from ragharness.calibration.mapping import Mapping
from ragharness.calibration.measuring import (
    OUTCOMES,
    Calibration,
    Difference,
    Rates,
    calibrate,
    judge,
    rates,
    with_support_given,
)

__all__ = [
    "LABELS",
    "OUTCOMES",
    "Calibration",
    "Difference",
    "Labelled",
    "Mapping",
    "Rates",
    "calibrate",
    "judge",
    "labelled_answer",
    "rates",
    "read_labelled",
    "with_support_given",
]
