"""Fixtures that every test may use."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from commands import Done
from ragharness import cli

if TYPE_CHECKING:
    from collections.abc import Iterator

    from commands import Verb

ROOT = Path(__file__).resolve().parents[1]
SHARED = ROOT.parent / "shared"


@pytest.fixture(scope="session", autouse=True)
def no_cache_of_the_user(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Nothing is read from the cache of whoever runs the tests, or written to it; children inherit that."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RAGHARNESS_CACHE", str(tmp_path_factory.mktemp("cache")))
        yield


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


@pytest.fixture
def verb(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Verb:
    """Run a command in this process, in an empty folder."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("RAGHARNESS_CACHE", str(tmp_path / "cache"))
    for name in ("COLUMNS", "NO_COLOR"):
        monkeypatch.delenv(name, raising=False)

    def call(*arguments: str) -> Done:
        monkeypatch.setattr(sys, "argv", ["ragharness", *arguments])
        code = cli._run()
        captured = capfd.readouterr()
        return Done(code, captured.out, captured.err)

    return call
