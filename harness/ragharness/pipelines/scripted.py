"""The reference generator that says what it is told: the fake for tests. It is ``replay`` by another name."""

from ragharness.pipelines.replay import build

__all__ = ["build"]
