"""Runs a pipeline on a question set: asking writes answers, grading writes records."""
