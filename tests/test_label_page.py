"""The labelling page in a real browser: keys, a second tab, a reload, a server that is gone, two annotators."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import ragharness as rh
from commands import PROGRAM
from ragharness.analysis.labels import read_labels

pytestmark = pytest.mark.browser
HOW = "the labelling page is not tried: pip install playwright, apt-get install chromium"


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """A headless Chromium."""
    driver: Any = pytest.importorskip("playwright.sync_api", reason=HOW)
    path = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if path is None:
        pytest.skip(HOW)
    with driver.sync_playwright() as started:
        found = started.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield found
        found.close()


@pytest.fixture(scope="module")
def asked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path_factory.mktemp("asked"))
        return rh.run("extractive", corpus="sample", progress=False, out="run").path.absolute()


@pytest.fixture
def start(asked: Path, tmp_path: Path) -> Iterator[Callable[..., tuple[str, subprocess.Popen[str]]]]:
    """Start ``ragharness label`` on a copy of the run; returns the address that it prints and the process."""
    shutil.copytree(asked, tmp_path / "run")
    running: list[subprocess.Popen[str]] = []

    def started(name: str, *options: str) -> tuple[str, subprocess.Popen[str]]:
        command = [sys.executable, "-c", PROGRAM, "label", "run", "--as", name, *options]
        process = subprocess.Popen(
            command,
            cwd=tmp_path,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            env=os.environ,
        )
        running.append(process)
        assert process.stdout is not None
        process.stdout.readline()
        return process.stdout.readline().strip(), process

    yield started
    for process in running:
        process.kill()
        process.wait()
        if process.stdout:
            process.stdout.close()


@pytest.fixture
def tab(browser: Any) -> Iterator[Callable[..., Any]]:
    """Open a tab; the page's own errors, and anything that its policy blocks, fail the test."""
    complaints: list[str] = []
    pages: list[Any] = []

    def opened(url: str, **options: Any) -> Any:
        page = browser.new_page(**options)
        pages.append(page)
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on(
            "console",
            lambda told: complaints.append(told.text) if "Content Security" in told.text else None,
        )
        page.goto(url)
        page.wait_for_selector("#main:not([hidden]), #done:not([hidden])")
        return page

    yield opened
    for page in pages:
        page.close()
    assert not complaints


def until(holds: Callable[[], bool]) -> None:
    """Wait until something holds; the page's policy allows no evaluated conditions."""
    end = time.monotonic() + 15
    while not holds():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.01)


def name_of(page: Any) -> str:
    return str(page.inner_text("#name"))


def await_next(page: Any, shown: str) -> None:
    """Wait until another answer shows, or the end."""
    until(lambda: name_of(page) != shown or page.locator("#done").is_visible())


def labels(folder: Path, name: str) -> dict[str, str | None]:
    path = folder / "run" / "labels" / f"{name}.jsonl"
    return {key[0]: label.bucket for key, label in read_labels(path).items()} if path.exists() else {}


def test_a_person_labels_with_keys_alone(start: Any, tab: Any, tmp_path: Path) -> None:
    url, process = start("ann", "--sample", "4")
    page = tab(url)
    shown = []
    for key in ("1", "2", "3", "4"):
        name = name_of(page)
        shown.append(name)
        page.keyboard.press(key)
        assert page.locator("[aria-checked=true]").count() == 1
        if key == "4":
            assert page.locator("[data-axis=citation_supports]").is_hidden()
            for _ in range(4):
                page.keyboard.press("q")
            page.keyboard.press("Shift+Q")
            page.keyboard.press("c")
            page.keyboard.type("1 is no bucket here")
            page.keyboard.press("Control+Enter")
        else:
            page.keyboard.press("s")
            page.keyboard.press("x")
            page.keyboard.press("x")
            page.keyboard.press("Enter" if key == "1" else key)
        await_next(page, name)
        # On the disk by the time that the next one shows.
        assert name in labels(tmp_path, "ann")
    page.wait_for_selector("#done:not([hidden])")
    assert "4 of 4" in page.inner_text("#summary")
    kept = read_labels(tmp_path / "run" / "labels" / "ann.jsonl")
    assert [kept[name, 0].bucket for name in shown] == ["correct", "wrong", "unsupported", "refused"]
    assert (kept[shown[0], 0].citation_supports, kept[shown[0], 0].extra_claim_count) == ("yes", 1)
    assert (kept[shown[3], 0].refusal_quality, kept[shown[3], 0].comment) == (2, "1 is no bucket here")
    page.keyboard.press("z")
    until(lambda: page.locator("#main").is_visible())
    assert name_of(page) == shown[3]
    assert page.input_value("#comment") == "1 is no bucket here"
    assert page.get_attribute("[data-bucket=refused]", "aria-checked") == "true"
    page.keyboard.press("?")
    page.wait_for_selector("#keys[open]")
    page.keyboard.press("2")
    page.keyboard.press("Enter")
    page.wait_for_selector("#keys:not([open])", state="attached")
    assert page.get_attribute("[data-bucket=refused]", "aria-checked") == "true"
    process.send_signal(signal.SIGINT)
    assert process.wait(10) == 0


def test_a_skipped_answer_comes_again_and_a_reload_keeps_what_was_begun(
    start: Any, tab: Any, tmp_path: Path
) -> None:
    page = tab(start("ann", "--sample", "2")[0])
    first = name_of(page)
    page.keyboard.press("n")
    until(lambda: name_of(page) != first)
    second = name_of(page)
    page.keyboard.press("2")
    page.keyboard.press("c")
    page.keyboard.type("half a thought")
    page.reload()
    page.wait_for_selector("#main:not([hidden])")
    assert name_of(page) == second
    assert page.input_value("#comment") == "half a thought"
    assert page.get_attribute("[data-bucket=wrong]", "aria-checked") == "true"
    assert page.inner_text("#count") == "0 of 2, 1 skipped"
    page.keyboard.press("Enter")
    until(lambda: name_of(page) == first)
    assert page.input_value("#comment") == ""
    assert labels(tmp_path, "ann")[second] == "wrong"


def test_a_second_tab_overwrites_nothing(start: Any, tab: Any, tmp_path: Path) -> None:
    url, _ = start("ann", "--sample", "3")
    one, other = tab(url), tab(url)
    first = name_of(one)
    assert name_of(other) == first
    one.keyboard.press("1")
    one.keyboard.press("1")
    until(lambda: name_of(one) != first)
    other.keyboard.press("2")
    other.keyboard.press("2")
    until(lambda: name_of(other) != first)
    assert "Nothing was overwritten" in other.inner_text("#notice")
    assert name_of(other) == name_of(one)
    assert labels(tmp_path, "ann") == {first: "correct"}


def test_a_killed_server_loses_nothing_and_says_so(start: Any, tab: Any, tmp_path: Path) -> None:
    url, process = start("ann", "--sample", "3")
    page = tab(url)
    first = name_of(page)
    page.keyboard.press("3")
    page.keyboard.press("3")
    until(lambda: name_of(page) != first)
    second = name_of(page)
    process.kill()
    process.wait()
    page.mouse.wheel(0, 900)
    page.keyboard.press("4")
    page.keyboard.press("4")
    until(lambda: page.locator("#notice").is_visible())
    box = page.locator("#notice").bounding_box()
    assert 0 < box["y"] < 200
    assert "not saved" in page.inner_text("#notice")
    assert name_of(page) == second
    assert labels(tmp_path, "ann") == {first: "unsupported"}
    again = tab(start("ann")[0])
    assert name_of(again) == second
    assert again.inner_text("#count") == "1 of 3"


def test_two_annotators_at_once_keep_to_their_own_files(start: Any, tab: Any, tmp_path: Path) -> None:
    pages = {name: tab(start(name, "--sample", "4")[0]) for name in ("ann", "bo")}
    for place in range(4):
        for name, page in pages.items():
            shown = name_of(page)
            page.keyboard.press("2" if name == "bo" and place == 1 else "4")
            page.keyboard.press("Enter")
            await_next(page, shown)
    found = {name: labels(tmp_path, name) for name in pages}
    assert found["ann"].keys() == found["bo"].keys()
    assert sum(found["ann"][key] != found["bo"][key] for key in found["ann"]) == 1
    page = tab(start("cy", "--adjudicate")[0])
    assert page.locator("#said p").all_inner_texts() == ["ann: refused", "bo: wrong"]
    page.keyboard.press("2")
    page.keyboard.press("2")
    page.wait_for_selector("#done:not([hidden])")
    assert list(labels(tmp_path, "adjudicated").values()) == ["wrong"]


def test_what_a_pipeline_says_is_shown_as_text(start: Any, tab: Any, tmp_path: Path, asked: Path) -> None:
    evil = "<img src=x onerror=document.title='owned'><script>document.title='owned'</script> [nda-01#1]"
    url, process = start("ann", "--sample", "1")
    page = tab(url)
    name = name_of(page)
    process.kill()
    process.wait()
    path = tmp_path / "run" / "records.jsonl"
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    for line in lines:
        line["answer"]["text"] = evil
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    shutil.rmtree(tmp_path / "run" / "labels")
    page = tab(start("ann", "--sample", "1")[0])
    assert name_of(page) == name
    assert page.inner_text("#answer") == evil
    assert page.locator("#answer img, #answer script").count() == 0
    assert page.title() == "0/1 labelled"


@pytest.mark.parametrize(("scheme", "width"), [("light", 1360), ("dark", 1360), ("light", 420)])
def test_everything_is_in_reach_and_legible(start: Any, tab: Any, scheme: str, width: int) -> None:
    url, _ = start("ann", "--sample", "3")
    page = tab(url, viewport={"width": width, "height": 900}, color_scheme=scheme)
    for selector in ("#save", "#skip", "[data-bucket=refused]", "#comment"):
        box = page.locator(selector).bounding_box()
        assert box is not None
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= width
        assert box["y"] + box["height"] <= 900, selector
    wide = page.locator("html").evaluate("node => node.scrollWidth")
    assert wide <= width
    for selector in ("#asked", "#answer", "#gold", "#count", ".buckets small", ".buckets b", ".shown"):
        place = page.locator(selector).first
        if place.is_visible():
            assert contrast(place) >= 4.5, selector


def contrast(place: Any) -> float:
    """Return the contrast of a text with what it stands on (WCAG 2)."""
    ink, ground = place.evaluate(
        """node => {
            const solid = (each) => {
                const found = getComputedStyle(each).backgroundColor;
                return found.endsWith(", 0)") ? solid(each.parentElement) : found;
            };
            return [getComputedStyle(node).color, solid(node)];
        }"""
    )
    light = sorted(luminance(colour) for colour in (ink, ground))
    return (light[1] + 0.05) / (light[0] + 0.05)


def luminance(colour: str) -> float:
    parts = [float(each) / 255 for each in colour[colour.index("(") + 1 : -1].split(",")[:3]]
    linear = [each / 12.92 if each <= 0.03928 else ((each + 0.055) / 1.055) ** 2.4 for each in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
