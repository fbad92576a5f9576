"""Fixtures that every test may use."""

from __future__ import annotations

from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
SHARED = ROOT.parent / "shared"


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of real data beside the checkout; the test is skipped where it is absent."""
    if not (SHARED / "data").is_dir():
        pytest.skip("needs the real data in ../shared, which is not part of the project")
    return SHARED


@pytest.fixture(scope="session")
def contractnli_folder(shared: Path) -> Path:
    """The folder with ContractNLI's real test.json."""
    return shared / "data" / "contractnli"
