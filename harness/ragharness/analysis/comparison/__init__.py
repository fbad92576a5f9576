"""Runs side by side, question by question: the gate that says whether a change may ship, and comparison."""
