"""Pytest fixture and marker for assertions on a run, in the user's own suite."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from ragharness.results import Run


def pytest_configure(config: pytest.Config) -> None:
    """Register the marker."""
    marker = "ragharness(**options): options of the runs of this test, as for run()"
    config.addinivalue_line("markers", marker)


@pytest.fixture
def ragharness(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[..., Run]:
    """Function that runs a pipeline and returns its ``Run``.

    Options are those of ``ragharness.run``; those of the test's markers apply where a call does not set them,
    the nearest marker first. Run folders are those of the test, unless ``out`` names one.
    """
    from ragharness.api import run

    marker_options: dict[str, Any] = {}
    for marker in request.node.iter_markers("ragharness"):
        marker_options = {**marker.kwargs, **marker_options}

    def call(pipeline: str | Callable[..., Any] = "extractive", **options: Any) -> Run:
        folder = tmp_path / f"run-{len(list(tmp_path.glob('run-*'))) + 1}"
        return run(pipeline, **{"progress": False, "out": folder, **marker_options, **options})

    return call
