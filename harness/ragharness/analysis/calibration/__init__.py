"""Calibration: agreement of a grader with human labels, as counts and rates, and the note that keeps it."""
