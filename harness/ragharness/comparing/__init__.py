"""Runs side by side, question by question: the gate that says whether a change may ship, and comparison."""

from ragharness.comparing.compare import Comparison, compare
from ragharness.comparing.gate import Decision, gate
from ragharness.comparing.gates import Gates, read_gates

__all__ = ["Comparison", "Decision", "Gates", "compare", "gate", "read_gates"]
