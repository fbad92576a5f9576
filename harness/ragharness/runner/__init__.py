"""Runs a pipeline on a question set: asks, grades, and emits each record as soon as it is complete."""

from ragharness.runner.allowance import Allowance, Progress
from ragharness.runner.context import RunContext, load_context
from ragharness.runner.examiner import Examiner
from ragharness.runner.execution import execute
from ragharness.runner.ground import Ground, came_out, ground_of, regrade, regrade_folder
from ragharness.runner.reference import blind_count
from ragharness.runner.session import Ended, ask_all, choose_folder, how_far

__all__ = [
    "Allowance",
    "Ended",
    "Examiner",
    "Ground",
    "Progress",
    "RunContext",
    "ask_all",
    "blind_count",
    "came_out",
    "choose_folder",
    "execute",
    "ground_of",
    "how_far",
    "load_context",
    "regrade",
    "regrade_folder",
]
