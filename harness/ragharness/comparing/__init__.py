"""Runs side by side, question by question: the gate that says whether a change may ship, and comparison."""

from ragharness.comparing.compare import Comparison, compare
from ragharness.comparing.gate import Decision, gate
from ragharness.comparing.gates import Gates, check_thresholds, limits_of, read_gates
from ragharness.comparing.matrix import Matrix, MatrixCell, main_effects

__all__ = [
    "Comparison",
    "Decision",
    "Gates",
    "Matrix",
    "MatrixCell",
    "check_thresholds",
    "compare",
    "gate",
    "limits_of",
    "main_effects",
    "read_gates",
]
