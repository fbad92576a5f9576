"""Loading the user's code again in the same process: what is run is what the files say now."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from ragharness.pipelines import load_pipeline


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An empty folder in which the test works; what it loads is forgotten."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    known = set(sys.modules)
    yield tmp_path
    for name in set(sys.modules) - known:
        del sys.modules[name]


@pytest.mark.parametrize("spec", ["fickle.py:answer", "fickle:answer"])
def test_an_edited_pipeline_runs_its_new_code(folder: Path, spec: str) -> None:
    # The same second and the same size: compiled code cannot tell them apart.
    for text in ("one", "two"):
        (folder / "fickle.py").write_text(f"def answer(question): return {text!r}\n")
        assert load_pipeline(spec).call("?") == text


@pytest.mark.parametrize("spec", ["fickle.py:answer", "fickle:answer"])
def test_an_edited_module_beside_it_counts_too(folder: Path, spec: str) -> None:
    (folder / "fickle.py").write_text("from beside_it import text\ndef answer(question): return text\n")
    for text in ("one", "two"):
        (folder / "beside_it.py").write_text(f"text = {text!r}\n")
        assert load_pipeline(spec).call("?") == text


def test_what_has_not_changed_is_not_run_again(folder: Path) -> None:
    (folder / "counted.py").write_text(
        "import sys\nsys.counted = getattr(sys, 'counted', 0) + 1\ndef answer(question): return sys.counted\n"
    )
    assert [load_pipeline("counted.py:answer").call("?") for _ in range(3)] == [1, 1, 1]
    del sys.counted  # type: ignore[attr-defined]
