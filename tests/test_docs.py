"""The documentation says what the program does: blocks are current, names exist, links lead somewhere."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from conftest import ROOT
from ragharness.analysis.derived import derived
from ragharness.analysis.intervals import sign_test, wilson
from ragharness.analysis.scores import Scores
from ragharness.corpus.loading import load_corpus, manifest
from ragharness.graders.verdicts import TABLE
from ragharness.questions.loading import load_questions
from ragharness.records import Question, Reading, Record
from ragharness.runner.run_folder import Run, Session, Settings
from ragharness.support import resources
from ragquestions.checks import check_questions

DOCS: Any = resources.load_module(ROOT / "docs" / "update.py")
PAGES: tuple[Path, ...] = (
    *DOCS.PAGES,
    ROOT / "CONTRIBUTING.md",
    *sorted(ROOT.glob("docs/metrics/*.md")),
    *sorted(ROOT.glob("corpora/*/README.md")),
    ROOT / "tests" / "cases" / "README.md",
)
BLOCKS = [(page, name) for page in DOCS.PAGES for name in DOCS.blocks(page)]
PLACEHOLDERS = (
    "path/",
    "pkg.",
    "mymod",
    "package.",
    "runs/",
    "FILE",
    "<",
    "module:",
    "gate.toml",
    "matrix.toml",
    "pipeline.py",
    ".github/",
    "metrics.toml",
)
CODE = re.compile(r"`([^`\n]+)`")
FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.DOTALL | re.MULTILINE)


def text_of(page: Path) -> str:
    return page.read_text(encoding="utf-8")


def prose_of(page: Path) -> str:
    return FENCE.sub("", text_of(page))


def names(pages: list[tuple[Path, str]]) -> list[str]:
    return [f"{page.name}-{name}" for page, name in pages]


@pytest.mark.parametrize(("page", "name"), BLOCKS, ids=names(BLOCKS))
def test_blocks_are_what_the_program_prints(page: Path, name: str) -> None:
    shown = DOCS.blocks(page)[name]
    assert DOCS.masked(shown) == DOCS.masked(DOCS.BLOCKS[name](shown)), "run python docs/update.py"


def test_every_kind_of_block_stands_on_some_page() -> None:
    assert {name for _, name in BLOCKS} == set(DOCS.BLOCKS)


def test_the_worked_example_of_the_gate_is_more_accurate_and_rejected() -> None:
    shown = DOCS.blocks(ROOT / "docs" / "gate.md")["shipping"]
    assert "\nREJECT: " in shown
    correct = next(line for line in shown.splitlines() if line.startswith("G5  correct"))
    assert re.search(r"\+\d+(?: to \+\d+)?  pass$", correct), correct


def test_masking_hides_times_and_nothing_else() -> None:
    first = "run 20260102-030405_sample  6/60  q001  0.6ms  2s\npython 3.10.1, grader rules@1"
    again = "run 20270102-030405_sample  6/60  q001  12ms  1.5s  python 3.13, grader rules@1"
    assert DOCS.masked(first) == DOCS.masked(again)
    for change in (("6/60", "7/60"), ("q001", "q002"), ("rules@1", "rules@2")):
        assert DOCS.masked(first) != DOCS.masked(again.replace(*change))


def commands() -> Iterator[tuple[str, Any]]:
    from typer.main import get_command

    from ragharness.cli import build_app

    waiting = [("ragharness", get_command(build_app()))]
    while waiting:
        name, command = waiting.pop()
        yield name, command
        waiting += [(f"{name} {part}", below) for part, below in getattr(command, "commands", {}).items()]


COMMANDS = dict(commands())


@pytest.mark.parametrize("name", COMMANDS)
def test_every_help_ends_with_an_example_that_parses(name: str) -> None:
    (*_, last) = COMMANDS[name].help.strip().splitlines()
    shown = last.strip().removeprefix("Example: ")
    assert last.strip() == f"Example: {shown}", last
    assert len(f"  {last.strip()}") <= 80, "help breaks the line"
    known = max((each for each in COMMANDS if f"{shown} ".startswith(f"{each} ")), key=len)
    assert known == name or COMMANDS[name].commands, shown
    assert f"{known} ".startswith(f"{name} "), shown
    words = shlex.split(shown)[len(known.split()) :]
    COMMANDS[known].make_context(known, words)  # raises for what is unknown or lacking


def test_every_verb_and_option_is_documented() -> None:
    page = text_of(ROOT / "docs" / "command-line.md")
    sections = dict(re.findall(r"^## `([^`]+)`\n(.*?)(?=^## |\Z)", page, re.DOTALL | re.MULTILINE))
    found = dict(commands())
    assert set(sections) == set(found)
    for name, command in found.items():
        for each in command.params:
            for option in (
                each.opts if each.param_type_name == "option" else [each.metavar or each.name.upper()]
            ):
                assert re.search(rf"`[^`]*{re.escape(option)}\b|`{re.escape(option)}`", sections[name]), (
                    name,
                    option,
                )


def commands_in(page: Path) -> Iterator[str]:
    for line in re.findall(r"(?:^ {4}|`|\$ |&& |=\S+ )(ragharness [^`#\n]*)", text_of(page), re.MULTILINE):
        yield line.strip()


def test_every_metric_of_others_has_its_page() -> None:
    told = {page.name: text_of(page) for page in DOCS.METRICS.iterdir()}
    assert told == DOCS.metric_pages(), "run python docs/update.py"
    for name in derived():
        assert f"](metrics/{name}.md)" in text_of(ROOT / "docs" / "metrics.md")
        assert re.search(r"^\| granularity \| (question|data set): ", told[f"{name}.md"], re.MULTILINE)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_commands_in_the_text_exist(page: Path) -> None:
    known = dict(commands())
    for line in commands_in(page):
        words = line.split()
        name = max((each for each in known if f"{line} ".startswith(f"{each} ")), key=len)
        if len(words) > 1 and not words[1].startswith(("-", "VERB", "0", "[")):
            assert name != "ragharness", line
        options = {option for each in known[name].params for option in each.opts} | {"--help"}
        used = {word.strip("[],;") for word in words if word.startswith("-")}
        assert used <= options, line


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_to_files_and_headings(page: Path) -> None:
    for target in re.findall(r"\]\(([^()\s]+)\)", prose_of(page)):
        if target.startswith(("http://", "https://")):
            continue
        name, _, anchor = target.partition("#")
        found = (page.parent / name).resolve() if name else page
        assert found.exists(), target
        if anchor:
            headings = re.findall(r"^#+ (.+)$", text_of(found), re.MULTILINE)
            assert anchor in {re.sub(r"[^\w\- ]", "", each.lower()).replace(" ", "-") for each in headings}, (
                target
            )


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_files_and_folders_that_are_named_exist(page: Path) -> None:
    homes = (ROOT, ROOT / "harness" / "ragharness", page.parent)
    anywhere = {
        path.name
        for home in ("harness", "corpora", "questionsets", "baselines")
        for path in (ROOT / home).rglob("*.*")
    }
    for code in CODE.findall(prose_of(page)):
        if code.startswith(PLACEHOLDERS) or code == "indexes/":
            continue
        if re.fullmatch(r"\w[\w-]*\.(?:py|toml)", code):
            assert code in anywhere, code
        elif re.fullmatch(r"(?:[\w.<>-]+/)+(?:[\w.-]+\.\w+)?", code):
            pattern = re.sub(r"<\w+>", "*", code).rstrip("/")
            assert any(any(home.glob(pattern)) for home in homes), code


def test_every_reason_of_the_decision_table_is_explained() -> None:
    lines = text_of(ROOT / "docs/scoring.md").splitlines()
    rows = {int(line.split("|")[1]): line for line in lines if re.match(r"\| \d+ \|", line)}
    assert sorted(rows) == [row.number for row in TABLE]
    question = Question(id="q", text="?", stratum="grounded", kind="yesno", answerable=True)
    readings = [
        Reading(status="timeout"), Reading(status="error"), Reading(), Reading(match="distractor"),
        Reading(imprecise=True), Reading(match="partial"), Reading(n_citations=1),
        Reading(n_citations=1, all_cited_retrieved=False),
    ]  # fmt: skip
    for row in TABLE:
        assert f"| {row.bucket or 'none'} " in rows[row.number]
        possible = {
            row.reason(question, reading) for reading in readings if row.number or reading.status != "ok"
        }
        named = set(re.findall(r"`([A-Z_]+)`", rows[row.number]))
        impossible = {"IMPRECISE", "INCOMPLETE"} if row.number == 9 else set()
        assert named == possible - impossible, row.number


def test_choices_are_marked_in_the_table_and_under_matching() -> None:
    text = text_of(ROOT / "docs/scoring.md")
    rows = re.findall(r"^\| (\d+) \|.*\*\*\[choice\]\*\*", text, re.MULTILINE)
    assert [int(row) for row in rows] == [5, 6, 11, 12, 13, 15, 16]
    matching = text[text.index("## Matching") : text.index("## The question set")]
    for topic in (
        "separators",
        "zeros",
        "Durations",
        "Percent",
        "Currency",
        "Parentheses",
        "Numeric dates",
        "Fiscal",
        "counts",
    ):
        assert re.search(rf"^- \*[^*]*{topic}[^*]*\* \*\*\[choice\]\*\*", matching, re.MULTILINE), topic


@pytest.mark.parametrize(
    ("page", "record"),
    [("runs.md", Record), ("runs.md", Scores), ("questions.md", Question)],
    ids=["record", "scores", "question"],
)
def test_every_field_is_documented(page: str, record: type[msgspec.Struct]) -> None:
    named = set(CODE.findall(text_of(ROOT / "docs" / page)))
    assert set(record.__struct_fields__) - named == set()


def test_what_a_run_remembers_is_documented() -> None:
    text = text_of(ROOT / "docs" / "runs.md")
    for record, words in (
        (Settings, "corpus split hash question retriever k passage pipeline grader"),
        (Session, "when command concurrency timeout answered"),
        (Run, "format versions command settings"),
    ):
        assert record.__struct_fields__
        assert all(word in text for word in words.split())


def examples() -> list[str]:
    return [code for language, code in FENCE.findall(text_of(ROOT / "README.md")) if language == "python"]


@pytest.mark.parametrize("number", range(3))
def test_example_pipelines_run(number: int, tmp_path: Path) -> None:
    code = examples()[number]
    assert len([line for line in code.splitlines() if line.strip()]) <= 10
    (tmp_path / "mymod.py").write_text(code, encoding="utf-8")
    program = "from ragharness.cli import main; main()"
    command = [sys.executable, "-c", program, "run", "--pipeline", "mymod:answer", "--size", "26", "--json"]
    done = subprocess.run(command, cwd=tmp_path, check=True, capture_output=True)
    scores = json.loads(done.stdout)
    assert scores["takes"] == ("passages", "retrieve", "own")[number]
    assert scores["statuses"]["error"] == 0
    assert scores["problems"] == []
    assert scores["questions"] - scores["ungraded"] > 0


def test_the_counts_in_the_text_are_those_of_the_corpora_and_sets() -> None:
    text = text_of(ROOT / "README.md")
    assert f"| {manifest('sample').counts['']['documents']} contracts, government reports" in text
    assert f"| {manifest('contractnli').counts['test']['documents']} real non-disclosure agreements" in text
    lines = (ROOT / "questionsets/contractnli/questions.jsonl").read_text(encoding="utf-8").splitlines()
    questions = [json.loads(line) for line in lines]
    assert len(questions) == 130
    counts = Counter(
        "/".join(part for part in (each["stratum"], each.get("target", "")) if part) for each in questions
    )
    for row, count in counts.items():
        assert f"| `{row}` | {count} |" in text_of(ROOT / "docs/questions.md")


def test_the_intervals_and_the_sign_test_of_the_page_are_what_they_say() -> None:
    page = text_of(ROOT / "docs" / "statistics.md")
    rows = re.findall(r"^\| (\d+) \|((?: \[\d+-\d+\] \|)+)$", page, re.MULTILINE)
    assert len(rows) == 3
    for n, cells in rows:
        for share, cell in zip((0, 0.05, 0.2), re.findall(r"\[(\d+)-(\d+)\]", cells), strict=True):
            low, high = wilson(round(share * int(n) + 0.01), int(n))
            assert cell == (f"{100 * low:.0f}", f"{100 * high:.0f}")
    for better, worse in ((1, 8), (3, 5)):
        wanted = f"{better} better and {worse} worse happens by chance in" if better == 1 else "3 and 5 in"
        assert f"{wanted} {100 * sign_test(better, worse):.0f}" in page


def test_the_picture_shows_what_a_run_prints() -> None:
    drawn = text_of(ROOT / "docs" / "report.svg").replace("&#160;", " ")
    shown = DOCS.blocks(ROOT / "docs" / "index.md")["session"]
    (verdict,) = {line for line in shown.splitlines() if line.startswith("Answers ")}
    assert verdict in drawn


def test_every_page_is_on_the_site() -> None:
    listed = set(re.findall(r": (\S+\.md)$", text_of(ROOT / "mkdocs.yml"), re.MULTILINE))
    assert listed == {page.name for page in (ROOT / "docs").glob("*.md")}


def test_readme_is_short_and_speaks_of_the_project_only() -> None:
    assert len(text_of(ROOT / "README.md").split()) < 900
    for page in PAGES:
        assert not re.search(r"/work/|/tmp/|issue #?\d|\bsession \d|helper", text_of(page)), page


def test_the_example_of_a_question_of_one_s_own_is_without_fault(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    blocks = dict(FENCE.findall(text_of(ROOT / "docs" / "questions.md")))
    (tmp_path / "mine.jsonl").write_text(json.dumps(json.loads(blocks["json"])), encoding="utf-8")
    corpus = load_corpus("sample")
    (question,) = (own := load_questions(corpus, path=tmp_path / "mine.jsonl")).questions
    assert check_questions(own, corpus) == []
    exec(blocks["python"])
    assert capsys.readouterr().out == f"{question.evidence[0].start} {question.evidence[0].end}\n"
