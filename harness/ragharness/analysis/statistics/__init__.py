"""Intervals, tests of paired counts, agreement and corrected rates: arithmetic that knows nothing of runs."""
