"""Reports: scores and records in, text out; nothing here prints."""

from ragharness.reports.calibration import calibration_facts, calibration_lines
from ragharness.reports.compare import (
    compare_sections,
    matrix_headline,
    matrix_sections,
    plan_sections,
)
from ragharness.reports.formats import load_format
from ragharness.reports.formats.json import read_scores
from ragharness.reports.gate import gate_sections, headline, threshold_section
from ragharness.reports.labelling import labelling_facts, labelling_lines, review_facts, review_lines
from ragharness.reports.measures import baseline_section, log_sections, metric_sections, trace_sections
from ragharness.reports.page import notebook, page
from ragharness.reports.page.content import bars
from ragharness.reports.people import people_sections
from ragharness.reports.show import show_question
from ragharness.reports.tables import render, table_formats

__all__ = [
    "bars",
    "baseline_section",
    "calibration_facts",
    "calibration_lines",
    "compare_sections",
    "gate_sections",
    "headline",
    "labelling_facts",
    "labelling_lines",
    "load_format",
    "log_sections",
    "matrix_headline",
    "matrix_sections",
    "metric_sections",
    "notebook",
    "page",
    "people_sections",
    "plan_sections",
    "read_scores",
    "render",
    "review_facts",
    "review_lines",
    "show_question",
    "table_formats",
    "threshold_section",
    "trace_sections",
]
