"""Fixtures that every test may use."""

from __future__ import annotations

import signal
import sys
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import hypothesis
import pytest

from commands import Done
from ragharness import cli
from ragharness.support.files import cache_folder

if TYPE_CHECKING:
    from commands import Verb

ROOT = Path(__file__).resolve().parents[1]
SHARED = ROOT.parent / "shared"
FETCHED = cache_folder() / "corpora"
"""What whoever runs the tests has fetched."""

ABSENT = (
    "needs real data: `ragharness corpus fetch contractnli` and `... fetch edgar` get the contracts and the"
    " filings; the rest lies in ../shared, which is not part of the project"
)

# A loaded machine is slow, which is no fault of the code under test.
hypothesis.settings.register_profile("house", hypothesis.settings.default, deadline=None)
hypothesis.settings.load_profile("house")

# A shell that starts the suite in the background has it ignore Ctrl-C, and its children would too.
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
if signal.getsignal(signal.SIGHUP) == signal.SIG_IGN:
    signal.signal(signal.SIGHUP, signal.SIG_DFL)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Let all tests that lack real data skip at one place: the summary has one line for them."""
    report = yield
    if report.skipped and isinstance(report.longrepr, tuple) and report.longrepr[2].endswith(ABSENT):
        report.longrepr = (__file__, first_with.__code__.co_firstlineno, report.longrepr[2])
    return report


@pytest.fixture(scope="session", autouse=True)
def no_cache_of_the_user(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """The program neither reads nor writes the cache of whoever runs the tests; children inherit that."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RAGHARNESS_CACHE", str(tmp_path_factory.mktemp("cache")))
        yield


def first_with(name: str, *folders: Path) -> Path:
    """Return the first folder that has such a file; the test is skipped where none has it."""
    found = next((each for each in folders if (each / name).exists()), None)
    return found or pytest.skip(ABSENT)


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of real data beside the checkout."""
    return first_with("data", SHARED)


@pytest.fixture(scope="session")
def contractnli_folder() -> Path:
    """A folder with ContractNLI's real test.json."""
    return first_with("test.json", SHARED / "data" / "contractnli", FETCHED / "contractnli")


@pytest.fixture(scope="session")
def edgar_folder() -> Path:
    """A folder with the pinned filings."""
    return first_with("WMT_FY2025_10-K.html", SHARED / "data" / "edgar-10k", FETCHED / "edgar")


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
