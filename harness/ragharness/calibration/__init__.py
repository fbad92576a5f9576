"""Calibration: agreement of a grader with human labels, as counts and rates, and the note that keeps it."""

from ragharness.calibration.labelled import LABELS, Labelled, Mapping, labelled_answer, read_labelled
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
from ragharness.calibration.note import Note, read_note, standing, write_note

__all__ = [
    "LABELS",
    "OUTCOMES",
    "Calibration",
    "Difference",
    "Labelled",
    "Mapping",
    "Note",
    "Rates",
    "calibrate",
    "judge",
    "labelled_answer",
    "rates",
    "read_labelled",
    "read_note",
    "standing",
    "with_support_given",
    "write_note",
]
