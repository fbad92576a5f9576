"""Verdicts: the decision table, and labelled cases to check a grader against."""
