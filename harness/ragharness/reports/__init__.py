"""Reports: scores and records in, text out; nothing here prints."""

from ragharness.reports.calibration import calibration_facts, calibration_lines
from ragharness.reports.compare import compare_sections
from ragharness.reports.formats import load_format
from ragharness.reports.formats.json import read_scores
from ragharness.reports.gate import gate_sections, headline, threshold_section
from ragharness.reports.page import notebook, page
from ragharness.reports.picture import bars
from ragharness.reports.progress import fetching_line, progress_line
from ragharness.reports.sections import FORMATS, render
from ragharness.reports.show import show_question

__all__ = [
    "FORMATS",
    "bars",
    "calibration_facts",
    "calibration_lines",
    "compare_sections",
    "fetching_line",
    "gate_sections",
    "headline",
    "load_format",
    "notebook",
    "page",
    "progress_line",
    "read_scores",
    "render",
    "show_question",
    "threshold_section",
]
