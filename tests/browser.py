"""A real headless browser for tests of the page; where there is none, they are skipped and say so."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

NEEDED = "needs a browser: pip install playwright, and Chromium (`playwright install chromium`, or a package)"
_NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")


@contextmanager
def browser() -> Iterator[Any]:
    """Yield a browser; the test is skipped without one."""
    sync = pytest.importorskip("playwright.sync_api", reason=NEEDED)
    found = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, _NAMES)), None)
    with sync.sync_playwright() as played:
        try:
            started = played.chromium.launch(executable_path=found, args=["--no-sandbox"])
        except sync.Error:
            pytest.skip(NEEDED)
        with started:
            yield started


class Watched:
    """A page that remembers what it printed, what failed, and what it asked for."""

    def __init__(self, browser: Any, path: Any, **options: Any) -> None:
        self.page = browser.new_page(**{"viewport": {"width": 1280, "height": 900}, **options})
        self.printed: list[str] = []
        self.requests: list[str] = []
        self.page.on("console", lambda told: self.printed.append(told.text))
        self.page.on("pageerror", lambda error: self.printed.append(str(error)))
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.on("dialog", lambda dialog: self.printed.append(f"dialog {dialog.message}"))
        self.address = path.absolute().as_uri()
        self.page.goto(self.address)

    def rows(self) -> list[str]:
        """Return the rows in sight."""
        return [" ".join(each.split()) for each in self.page.locator(".row").all_inner_texts()]

    def count(self) -> str:
        """Return how many questions are shown, of how many."""
        return str(self.page.locator("#count").inner_text())

    def until(self, selector: str, text: str) -> None:
        """Wait until an element begins with a text."""
        self.page.locator(selector, has_text=re.compile(f"^{re.escape(text)}")).wait_for()

    def is_quiet(self) -> bool:
        """Whether nothing was printed, and nothing asked for but the file itself."""
        return not self.printed and {each.partition("#")[0] for each in self.requests} == {self.address}
