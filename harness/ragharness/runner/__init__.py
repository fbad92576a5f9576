"""Runs a pipeline on a question set: asking writes answers, grading writes records."""

from ragharness.runner.context import RunContext, load_context
from ragharness.runner.execution import execute
from ragharness.runner.grading import (
    GradingContext,
    blind_count,
    came_out,
    dry_run,
    grading_context,
    had,
    regrade,
)
from ragharness.runner.limits import Limits, Progress
from ragharness.runner.question import QuestionRunner
from ragharness.runner.session import (
    Plan,
    SessionResult,
    ask_all,
    choose_folder,
    open_run,
    plan,
    progress_summary,
)

__all__ = [
    "GradingContext",
    "Limits",
    "Plan",
    "Progress",
    "QuestionRunner",
    "RunContext",
    "SessionResult",
    "ask_all",
    "blind_count",
    "came_out",
    "choose_folder",
    "dry_run",
    "execute",
    "grading_context",
    "had",
    "load_context",
    "open_run",
    "plan",
    "progress_summary",
    "regrade",
]
