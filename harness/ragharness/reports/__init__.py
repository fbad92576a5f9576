"""Reports: scores and records in, text out; nothing here prints."""

from ragharness.reports.calibration import calibration_facts, calibration_lines
from ragharness.reports.json import json_report, read_scores
from ragharness.reports.markdown import markdown_report
from ragharness.reports.progress import fetching_line, progress_line
from ragharness.reports.show import show_question
from ragharness.reports.terminal import terminal_report

__all__ = [
    "calibration_facts",
    "calibration_lines",
    "fetching_line",
    "json_report",
    "markdown_report",
    "progress_line",
    "read_scores",
    "show_question",
    "terminal_report",
]
