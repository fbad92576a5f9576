"""Scores: from questions and records to every number of a report, by counting alone.

The denominator is always the question set. What has no bucket is *not graded*, counted and never dropped.
"""

from ragharness.scores.schema import FORMAT, Scores
from ragharness.scores.scoring import score, score_folder, with_blind

__all__ = ["FORMAT", "Scores", "score", "score_folder", "with_blind"]
