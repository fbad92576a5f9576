"""Makers of question sets: facts of documents, questions about them, the choice of a set, and its checks.

Nothing in ``ragharness`` imports this package but ``ragharness.questions.makers``, the one door.
"""
