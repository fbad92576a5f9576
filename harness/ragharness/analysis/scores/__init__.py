"""Scores: from questions and records to every number of a report, by counting alone.

The denominator is always the question set. What has no bucket is *not graded*, counted and never dropped.
"""
