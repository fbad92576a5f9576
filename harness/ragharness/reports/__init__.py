"""Reports: scores and records in, text out; nothing here prints."""

from ragharness.reports.calibration import calibration_facts, calibration_lines
from ragharness.reports.formats import load_format
from ragharness.reports.formats.json import read_scores
from ragharness.reports.progress import fetching_line, progress_line
from ragharness.reports.show import show_question

__all__ = [
    "calibration_facts",
    "calibration_lines",
    "fetching_line",
    "load_format",
    "progress_line",
    "read_scores",
    "show_question",
]
