"""Question sets: built from a corpus by its recipe, checked, frozen and loaded.

A corpus' ``recipe.py`` offers every question that could be asked; the builder picks, seeded, the proportions
of the design (40/20/20/20 grounded, 10 unanswerable, 10 adversarial, 10 with an empty retrieval) so that no
shortcut answers them. The frozen set holds our wording, ids, offsets and labels, never a corpus' text.
"""

from ragharness.questions.building import build_questions
from ragharness.questions.checks import check_questions, remarks
from ragharness.questions.freezing import freeze, frozen_set, questions_about, read_questions
from ragharness.questions.keeping import load_questions
from ragharness.questions.questionset import QuestionSet
from ragharness.questions.whole import Finding

__all__ = [
    "Finding",
    "QuestionSet",
    "build_questions",
    "check_questions",
    "freeze",
    "frozen_set",
    "load_questions",
    "questions_about",
    "read_questions",
    "remarks",
]
