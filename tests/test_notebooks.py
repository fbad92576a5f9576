"""Every notebook runs top to bottom in a clean kernel and prints what is committed."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from conftest import ROOT

NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))


def printed(notebook: Any) -> list[list[str]]:
    """Return the lines that each cell prints, without paths and times, which differ from run to run."""
    shown = []
    for cell in notebook.cells:
        # A kernel sends what is printed in pieces that may end within a line.
        lines = "".join(each.get("text", "") for each in cell.get("outputs", ())).splitlines()
        shown.append([line for line in lines if "runs" not in line and not line.endswith("s")])
    return shown


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_prints_what_is_committed(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("matplotlib", reason="pip install -e '.[notebooks]'")
    nbformat = pytest.importorskip("nbformat", reason="pip install -e '.[notebooks]'")
    nbclient = pytest.importorskip("nbclient", reason="pip install -e '.[notebooks]'")
    monkeypatch.setenv("RAGHARNESS_CACHE", str(tmp_path / "cache"))
    shutil.copy(path, tmp_path)
    committed, fresh = (nbformat.read(path, as_version=4) for _ in range(2))
    for cell in fresh.cells:
        cell.pop("outputs", None)
        if cell.cell_type == "code":
            cell.outputs = []
    nbclient.NotebookClient(fresh, timeout=120, resources={"metadata": {"path": str(tmp_path)}}).execute()
    assert printed(fresh) == printed(committed)
    pictures = [
        len([o for o in cell.get("outputs", ()) if "image/png" in o.get("data", {})]) for cell in fresh.cells
    ]
    assert sum(pictures) == path.read_text(encoding="utf-8").count('"image/png"')


def test_there_are_notebooks() -> None:
    assert NOTEBOOKS
