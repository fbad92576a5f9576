"""The page in a real browser: what it shows, what it filters, and what hostile answers cannot do to it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from msgspec.structs import replace

import ragharness as rh
import run_fakes as fake
from browser import Watched, browser
from gate_fakes import folder, written
from ragharness.records import Answer, Failure, Retrieved
from ragharness.reports.page import page
from ragharness.results import Run

if TYPE_CHECKING:
    from commands import Verb

HIT = "document.title='HIT'"
HOSTILE = {
    "q001": f'<script>{HIT}</script><img src=x onerror="{HIT}"><b>bold</b>',
    "q002": f"</script><script>{HIT}</script><!--<script>",
    "q003": "safe \u202egnp.exe\u202c \x1b[31mred\x1b[0m \u2066hidden\u2069 \x00\x07\u2028 end",
    "q004": "{{ 7 * 7 }} {% for x in y %} ${7 * 7} [x](javascript:alert(1)) [d1#1] [d1#2, gone#9]",
    "q005": "long answer " + "\u00e4b\U0001f600" * 1_700_000,
}
NAME = '<script>document.title="HIT"</script>'


def hostile_run(path: Path) -> Run:
    asked = [replace(each, text=f"{each.text} {NAME}") for each in fake.questions()]
    records = []
    for each in asked:
        made = fake.record(each, "wrong" if each.id in HOSTILE else each.wanted)
        had = (Retrieved("d1#1", 2.5), Retrieved("d1#2", 1.0))
        told = Answer(text=HOSTILE.get(each.id, "An answer [d1#1]."))
        verdict = made.verdict and replace(made.verdict, why=NAME, flags=(NAME,), value=NAME)
        records.append(replace(made, answer=told, retrieved=had, verdict=verdict, problems=(NAME,)))
    failure = Failure(NAME, f"\u202e{NAME}", NAME, f"File {NAME}")
    records[50] = replace(records[50], status="error", answer=None, verdict=None, failure=failure)
    return Run(written(path, asked, records, pipeline=NAME, retriever=NAME))


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    with browser() as found:
        yield found


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("hostile")
    made = home / "page.html"
    made.write_text(page([hostile_run(home / "run")]), encoding="utf-8")
    return made


@pytest.fixture(scope="module")
def real(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[Run]]:
    """Two runs of a reference generator on the sample corpus, and the page that compares them."""
    home = tmp_path_factory.mktemp("real")
    runs = [rh.run("extractive", k=k, out=home / f"k{k}", progress=False) for k in (1, 5)]
    made = home / "page.html"
    made.write_text(page(runs), encoding="utf-8")
    return made, runs


def held(text: str) -> Any:
    (found,) = re.findall(r'<script type="application/json" id="data">(.*?)</script>', text, re.DOTALL)
    return json.loads(found)


def test_the_page_holds_every_answer_as_it_is_and_one_script(hostile: Path) -> None:
    text = hostile.read_text(encoding="utf-8")
    answers = {each[0]: each[2].get("text") for each in held(text)["records"]}
    assert [answers[place] for place in range(5)] == list(HOSTILE.values())
    assert text.count("<script") == 2
    assert text.count("</script>") == 2
    assert not re.search(r"""(?:src|href)=["']?(?:https?:)?//|@import|url\(""", text)
    assert '<script>document.title="HIT"' not in text


def test_the_policy_allows_one_script_and_one_style_by_their_content(hostile: Path) -> None:
    text = hostile.read_text(encoding="utf-8")
    policy = re.findall(r'Content-Security-Policy" content="([^"]*)"', text)[0].replace("&#39;", "'")
    assert policy.startswith("default-src 'none'; script-src 'sha256-")
    assert "unsafe" not in policy
    assert " style=" not in text


def test_hostile_texts_are_shown_as_text(chromium: Any, hostile: Path) -> None:
    shown = Watched(chromium, hostile)
    title = shown.page.title()
    for name, answer in list(HOSTILE.items())[:4]:
        shown.page.evaluate("name => { location.hash = '#q=' + name }", name)
        shown.until("#asked", name)
        told = shown.page.locator(".answer").inner_text()
        assert told.startswith(answer[:5])
        assert shown.page.locator("article script, article img, article b:not(summary b)").count() == 0
        if name == "q003":
            assert not re.search("[\u202e\u2066\x1b\x00\x07]", told)
            assert "\u27e8U+202E\u27e9gnp.exe" in told
            assert "\u27e8U+001B\u27e9[31m" in told
    assert shown.page.title() == title
    assert shown.is_quiet(), shown.printed


def test_citations_lead_to_their_passages(chromium: Any, hostile: Path) -> None:
    shown = Watched(chromium, hostile)
    shown.page.goto(f"{shown.address}#q=q004")
    links = shown.page.locator(".answer a.cite")
    assert links.all_inner_texts() == ["d1#1", "d1#2"]
    links.last.click()
    assert shown.page.locator(".passage.shown summary b").inner_text() == "d1#2"
    assert shown.page.evaluate("location.hash") == "#q=q004"


def test_five_megabytes_are_shown_in_parts(chromium: Any, hostile: Path) -> None:
    shown = Watched(chromium, hostile)
    shown.page.goto(f"{shown.address}#q=q005")
    answer = shown.page.locator(".answer")
    assert len(answer.inner_text()) < 21_000
    answer.get_by_role("button").click()
    assert 300_000 < len(answer.inner_text()) < 600_000
    assert "\u27e8U+D83D\u27e9" not in answer.inner_text()
    assert shown.is_quiet(), shown.printed


def test_filters_and_links_of_the_table_agree_with_the_records(
    chromium: Any, real: tuple[Path, list[Run]], tmp_path: Path
) -> None:
    run = real[1][1]
    path = tmp_path / "one.html"
    path.write_text(page([run]), encoding="utf-8")
    shown = Watched(chromium, path)
    scores = run.scores
    missed = scores.questions - scores.desired.total.count
    assert shown.page.locator("h1").inner_text() == scores.sentence
    assert shown.count() == f"{missed} of 130"
    assert [each.split()[0] for each in shown.rows()[:2]] == [each.question for each in scores.misses[:2]]
    cell = shown.page.locator('.cell a[data-row="plain"][data-outcome="refused"]')
    assert cell.inner_text() == str(scores.rows["plain"].refused)
    cell.click()
    assert shown.count() == f"{cell.inner_text()} of 130"
    shown.page.get_by_role("button", name="Clear").click()
    shown.until("#count", "130 of 130")
    document = run["q026"].question.document
    shown.page.select_option("[name=document]", document)
    about = sum(
        document in {each.question.document, *(span.document for span in each.question.evidence)}
        for each in run
    )
    assert shown.count() == f"{about} of 130"
    shown.page.select_option("[name=document]", "")
    reason = run["q026"].records[0].verdict.reason  # type: ignore[union-attr]
    shown.page.select_option("[name=reason]", reason)
    same = sum(bool(each.records[0].verdict and each.records[0].verdict.reason == reason) for each in run)
    assert shown.count() == f"{same} of 130"
    assert shown.is_quiet(), shown.printed


def test_a_question_opens_with_the_keyboard_and_tells_all(
    chromium: Any, real: tuple[Path, list[Run]]
) -> None:
    shown = Watched(chromium, real[0])
    press = shown.page.keyboard.press
    name = next(each for each, (_, now) in rh.compare(*real[1]).flips.items() if now == "correct")
    press("/")
    shown.page.keyboard.type(name)
    shown.until("#count", "1 of")
    press("Escape")
    press("Enter")
    told = shown.page.locator("dialog").inner_text()
    asked = real[1][1][name]
    evidence = asked.question.evidence[0]
    corpus = rh.load_corpus("sample")
    assert (
        shown.page.locator(".context mark").first.inner_text()
        == (corpus.document(evidence.document).text[evidence.start : evidence.end])
    )
    for part in (asked.question.text, asked.question.answers[0], asked.records[0].answer.text.split(" [")[0]):  # type: ignore[union-attr]
        assert part in told
    assert {"GOLD", "CITED", "ONLY B"} <= set(shown.page.locator(".tag").all_inner_texts())
    assert shown.page.locator(".passage mark").count() > 0
    press("Escape")
    assert not shown.page.locator("dialog").is_visible()
    assert shown.is_quiet(), shown.printed


def test_two_runs_begin_with_the_verdict_and_what_flipped(
    chromium: Any, real: tuple[Path, list[Run]]
) -> None:
    path, runs = real
    flips = rh.compare(*runs).flips
    worse = len(rh.compare(*runs).worse)
    shown = Watched(chromium, path)
    assert (
        shown.page.locator("h1").inner_text() == repr(rh.gate(runs[0], runs[1], record=False)).splitlines()[0]
    )
    text = f"{worse} questions worse, {len(flips) - worse} better"
    assert text in shown.page.locator("header p.verdict").inner_text()
    assert [each.split()[0] for each in shown.rows()] == list(flips)
    shown.page.locator('.flows a[data-from="refused"][data-to="correct"]').click()
    assert {each.split()[0] for each in shown.rows()} == {
        name for name, flip in flips.items() if flip == ("refused", "correct")
    }
    shown.page.keyboard.press("Enter")
    assert shown.page.locator(".sides > div").count() == 2


@pytest.mark.parametrize("width", [390, 1280])
def test_nothing_is_cut_on_any_screen_and_contrast_holds(
    chromium: Any, real: tuple[Path, list[Run]], width: int
) -> None:
    for scheme in ("light", "dark"):
        options: Any = {"viewport": {"width": width, "height": 800}, "color_scheme": scheme}
        shown = Watched(chromium, real[0], **options)
        assert shown.page.evaluate("document.documentElement.scrollWidth") <= width
        right = "each => each.getBoundingClientRect().right"
        for told in (".metrics .told", ".flows tr > :last-child", ".matrix .cell.ungraded"):
            places = [each.evaluate(right) for each in shown.page.locator(told).all()]
            assert max(places) <= width - 14, told
        shown.page.locator(".row").first.click()
        assert shown.page.evaluate("document.querySelector('dialog').scrollWidth") <= width
        colours = shown.page.evaluate(
            "[getComputedStyle(document.body).color, getComputedStyle(document.body).backgroundColor]"
        )
        ink, paper = (_luminance(each) for each in colours)
        assert (max(ink, paper) + 0.05) / (min(ink, paper) + 0.05) > 7


def _luminance(colour: str) -> float:
    parts = [int(each) / 255 for each in re.findall(r"\d+", colour)[:3]]
    linear = [each / 12.92 if each <= 0.04045 else ((each + 0.055) / 1.055) ** 2.4 for each in parts]
    return sum(weight * each for weight, each in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def test_it_prints_with_its_questions_and_can_be_read_without_a_script(
    chromium: Any, real: tuple[Path, list[Run]]
) -> None:
    shown = Watched(chromium, real[0])
    shown.page.select_option("[name=which]", "")
    assert shown.page.locator(".row").count() < 60
    shown.page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert shown.page.locator(".row").count() == 130
    assert len(shown.page.pdf()) > 10_000
    still = chromium.new_context(java_script_enabled=False).new_page()
    still.goto(real[0].as_uri())
    assert "needs JavaScript" in still.locator("noscript").inner_text()
    assert still.locator(".matrix").count() == 3


@pytest.mark.slow
def test_a_hundred_thousand_records_stay_usable(chromium: Any, tmp_path: Path) -> None:
    asked = [
        replace(each, id=f"q{number:06}")
        for number, each in enumerate(each for _ in range(770) for each in fake.questions())
    ][:100_000]
    records = (fake.record(each, "wrong" if number % 3 else each.wanted) for number, each in enumerate(asked))
    path = tmp_path / "page.html"
    path.write_text(page([Run(written(tmp_path / "run", asked, records))]), encoding="utf-8")
    shown = Watched(chromium, path)
    shown.page.select_option("[name=which]", "")
    assert shown.count() == "100,000 of 100,000"
    drawn = "() => { const from = performance.now(); %s; return performance.now() - from }"
    for step in (
        "list.scrollTop = 2e6; draw()",
        "field('row').value = 'plain'; filter()",
        "move(40); open()",
    ):
        assert shown.page.evaluate(drawn % step) < 1000, step
    assert shown.page.locator(".row").count() < 100
    assert shown.is_quiet(), shown.printed


def test_view_writes_one_page_of_several_runs(tmp_path: Path, verb: Verb) -> None:
    for name, outcomes in (("a", {"q001": "wrong"}), ("b", {"q002": "wrong"}), ("c", {})):
        folder(tmp_path / name, outcomes)
    names = [str(tmp_path / name) for name in "abc"]
    done = verb("view", *names, "--no-open", "--out", str(tmp_path / "page.html"))
    assert (done.code, done.output) == (0, f"{tmp_path / 'page.html'}\n")
    text = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert held(text)["letters"] == ["A", "B", "C"]
    assert held(text)["flips"] == {"q002": 1, "q001": 0}
    assert verb("report", names[0], "--html").output.startswith("<!doctype html>")
    (tmp_path / "folder").mkdir()
    failed = verb("view", names[0], "--no-open", "--out", str(tmp_path / "folder"))
    assert failed.code == 3
    assert "help:  name another file with --out" in failed.errors
