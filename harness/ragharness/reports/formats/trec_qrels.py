"""Which passages hold gold evidence as a TREC qrels file."""

from __future__ import annotations

from ragharness.analysis.scores import RunOnDisk, Scores
from ragharness.reports.formats.trec_run import qrels_lines


def render(scores: Scores, *, run: RunOnDisk, **_: object) -> str:
    """Lines; raises UsageError where the corpus is not on this machine."""
    return "".join(qrels_lines(run))
