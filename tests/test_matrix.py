"""Every combination of some options: read, costed, run, continued after a kill, and compared axis by axis."""

from __future__ import annotations

import csv
import io
import json
import os
import random
import re
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from msgspec import convert

import ragharness as rh
import run_fakes as fake
from answering import Answering
from commands import PROGRAM, pipeline
from conftest import ROOT
from gate_fakes import folder, written
from ragharness.analysis.matrix import Matrix, main_effects, read_grid
from ragharness.errors import NotComparable, UsageError
from ragharness.reports.compare import matrix_sections
from ragharness.reports.text import render
from ragharness.runner.run_folder import RunFolder
from ragharness.runner.run_search import list_runs
from test_llm import chat

if TYPE_CHECKING:
    from answering import Asked, Reply
    from commands import Verb

SMALL = """
[run]
limit = 26

[axes]
pipeline = ["refuse", "blind"]
k = [2, 5]
"""


def file(folder: Path, text: str = SMALL, name: str = "matrix.toml") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def test_cells_are_every_combination_in_the_order_of_the_file(tmp_path: Path) -> None:
    grid = read_grid(
        file(
            tmp_path,
            """
            [run]
            limit = 26
            tag = "night"
            from = "mirror"
            pipeline = "llm"
            pipeline-option.structured = "off"
            [axes]
            model = ["a", "b"]
            pipeline_option.prompt = ["open-0shot", "refusal-0shot"]
            retriever_option = ["model=x", ["model=y", "limit=3"]]
            """,
        )
    )
    assert list(grid.axes) == ["model", "prompt", "retriever_option"]
    assert [each.name for each in grid.cells][:2] == [
        "model=a prompt=open-0shot retriever_option=model=x",
        "model=a prompt=open-0shot retriever_option=model=y limit=3",
    ]
    assert len(grid.cells) == len({each.config for each in grid.cells}) == 8
    config = grid.cells[-1].config
    assert (config.limit, config.tag, config.pipeline, config.model) == (26, ("night",), "llm", "b")
    assert config.source == "mirror"
    assert config.pipeline_option == ("structured=off", "prompt=refusal-0shot")
    assert config.retriever_option == ("model=y", "limit=3")


def test_the_example_of_the_docs_is_read(tmp_path: Path) -> None:
    page = (ROOT / "docs" / "matrix.md").read_text(encoding="utf-8")
    found = re.search(r"^```toml\n(.*?)^```$", page, re.DOTALL | re.MULTILINE)
    assert found is not None
    assert len(read_grid(file(tmp_path, found[1])).cells) == 16


def test_axes_of_one_name_keep_their_option(tmp_path: Path) -> None:
    text = "[axes]\npipeline_option.model = ['a']\nretriever_option.model = ['x', 'y']"
    assert list(read_grid(file(tmp_path, text)).axes) == ["pipeline_option.model", "retriever_option.model"]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", r"expected a table \[axes\]"),
        ("[axes\n", "cannot read"),
        ("axes = 3", r"expected a table \[axes\], found 3"),
        ("[axis]\nk = [1]", "no table of .* is named 'axis'; did you mean axes"),
        ("[axes]\nseed = [1, 2]", "leaves the questions as they are"),
        ("[axes]\nk = 5", "expected different values of k, found 5"),
        ("[axes]\nk = []", "expected different values of k"),
        ("[axes]\nk = [1, 1]", "expected different values of k"),
        ("[axes]\nk = ['1']", "expected k to be int, found '1'"),
        ("[axes]\nk = [true]", "expected k to be int, found True"),
        ("[axes]\nk = [0]", "--k must be at least 1"),
        ("[run]\nout = 'here'\n[axes]\nk = [1]", "no option of a cell is named 'out'"),
        ("[run]\ntemprature = 1\n[axes]\nk = [1]", "no option of a cell is named 'temprature'"),
        ("[run]\ntag = [3]\n[axes]\nk = [1]", "expected tag to be str or list"),
    ],
)
def test_files_that_cannot_be_meant(tmp_path: Path, verb: Verb, text: str, told: str) -> None:
    path = file(tmp_path, text)
    with pytest.raises(UsageError, match=told):
        read_grid(path)
    done = verb("matrix", str(path))
    assert (done.code, done.output) == (3, "")
    assert "help: " in done.errors


def test_a_format_that_is_none_is_said_before_anything_is_asked(tmp_path: Path, verb: Verb) -> None:
    assert verb("matrix", str(file(tmp_path)), "--format", "latx").code == 3
    assert list_runs() == []
    assert verb("matrix", str(tmp_path / "none.toml")).code == 3


AXES = {"prompt": ("open", "strict"), "model": ("a", "b", "c")}


def cells(tmp_path: Path, **buckets: dict[str, str]) -> list[tuple[dict[str, str], RunFolder]]:
    """Return cells by name (``open_a``); what is not named of one came out as desired."""
    return [
        ({"prompt": prompt, "model": model}, folder(tmp_path / name, buckets[name]))
        for prompt in AXES["prompt"]
        for model in AXES["model"]
        if (name := f"{prompt}_{model}") in buckets
    ]


def wrong(*numbers: int) -> dict[str, str]:
    return {f"q{number:03d}": "wrong" for number in numbers}


def test_an_effect_is_the_mean_over_the_cells_that_differ_in_nothing_else(tmp_path: Path) -> None:
    found = main_effects(
        AXES,
        cells(
            tmp_path,
            open_a=wrong(*range(61, 91)),
            strict_a=wrong(*range(61, 65)),
            open_b=wrong(*range(61, 91), 1),
            strict_b={**wrong(1), "q061": "needs_review"},
        ),
    )
    prompt, model = found
    assert (prompt.axis, prompt.base, prompt.value, prompt.pairs) == ("prompt", "open", "strict", 2)
    assert prompt.n == 2 * 130 - 1, "an answer without a bucket makes no pair"
    changes = {each.bucket: each for each in prompt.changes}
    # 26 fewer for model a; for model b 29, as q061 is not graded under the strict prompt.
    assert changes["wrong"].difference == pytest.approx(-(26 + 29) / 259)
    assert changes["refused"].difference == pytest.approx(55 / 259)
    assert changes["correct"].difference == 0
    assert prompt.moved == pytest.approx(55 / 259)
    assert (model.axis, model.value, model.pairs, model.n) == ("model", "b", 2, 259)
    moves = {each.bucket: each.difference for each in model.changes}
    # q001 became wrong twice; q062 to q064 are no longer wrong under the strict prompt.
    assert moves == pytest.approx(
        {"correct": -2 / 259, "wrong": -1 / 259, "refused": 3 / 259, "unsupported": 0}
    )
    assert model.less == pytest.approx(prompt.moved - model.moved)


def test_intervals_hold_whole_documents_together(tmp_path: Path) -> None:
    """All made-up questions are about one document, so that nothing can be said with certainty."""
    made = main_effects(AXES, cells(tmp_path, open_a=wrong(*range(61, 91)), strict_a={}))
    (effect,) = made
    assert effect.documents == 1
    assert all(each.p == 1 for each in effect.changes)
    # One document is drawn every time: the bootstrap has nothing to vary, and the report says how few there are.
    assert effect.interval == pytest.approx((effect.moved, effect.moved))


def test_axes_are_told_apart_where_documents_are_many(tmp_path: Path) -> None:
    from msgspec.structs import replace

    asked = [replace(each, document=f"d{number // 2}") for number, each in enumerate(fake.questions())]

    def cell(prompt: str, model: str, bad: Sequence[int]) -> tuple[dict[str, str], RunFolder]:
        records = [
            fake.record(each, "wrong" if number in bad else each.wanted) for number, each in enumerate(asked)
        ]
        return {"prompt": prompt, "model": model}, written(tmp_path / f"{prompt}{model}", asked, records)

    many = range(60, 100)
    found = main_effects(
        AXES,
        [
            cell("open", "a", many),
            cell("open", "b", [*many, 3]),
            cell("strict", "a", [60]),
            cell("strict", "b", [61]),
        ],
    )
    assert [each.axis for each in found] == ["prompt", "model"]
    prompt, model = found
    low, high = prompt.interval
    assert low < prompt.moved < high
    assert {each.bucket: each.p < 0.001 for each in prompt.changes} == {
        "correct": False,
        "wrong": True,
        "unsupported": False,
        "refused": True,
    }
    assert model.less_interval is not None
    assert 0 < model.less_interval[0] < model.less < model.less_interval[1]
    assert prompt.less_interval is None


def test_cells_without_a_partner_have_no_effect_and_others_are_not_lost(tmp_path: Path) -> None:
    assert main_effects(AXES, cells(tmp_path, open_a={}, strict_b={})) == []
    assert main_effects(AXES, []) == []
    found = main_effects(AXES, cells(tmp_path / "more", open_a={}, open_c=wrong(61), strict_b={}))
    assert [(each.axis, each.base, each.value, each.pairs) for each in found] == [("model", "a", "c", 1)]


def test_cells_on_other_questions_are_not_compared(tmp_path: Path) -> None:
    first = {"prompt": "open", "model": "a"}, folder(tmp_path / "a", {})
    other = {"prompt": "open", "model": "b"}, folder(tmp_path / "b", {}, question_set="a" * 64)
    with pytest.raises(NotComparable, match="question set"):
        main_effects(AXES, [first, other])


def test_a_matrix_is_run_once_and_printed_in_every_format(tmp_path: Path, verb: Verb) -> None:
    path = str(file(tmp_path))
    plan = verb("matrix", path, "--dry-run")
    assert plan.code == 0
    assert "4 of 4 cells are left to ask: 104 calls, cost not known." in plan.output
    assert list_runs() == []
    done = verb("matrix", path)
    assert done.code == 0, done.errors
    assert done.errors.index("104 calls") < done.errors.index("cell 1 of 4: pipeline=refuse k=2")
    first, *_, last = done.output.strip().split("\n\n")
    assert first == last
    assert first.startswith("Pipeline moves the buckets most: ")
    assert max(map(len, done.output.splitlines())) <= 80
    runs = [each.name for each in list_runs()]
    assert len(runs) == 4
    again = verb("matrix", path, "--json")
    assert again.code == 0
    assert "Nothing is left to ask." in again.errors
    assert [each.name for each in list_runs()] == runs
    found = json.loads(again.output)
    assert [each["calls"] for each in found["cells"]] == [0] * 4
    assert [each["values"] for each in found["cells"]][1] == {"pipeline": "refuse", "k": "5"}
    for each in found["cells"]:
        kept = rh.load_run(each["run"]).scores
        assert each["scores"]["buckets"] == kept.buckets
    refuse, blind = (found["cells"][place]["scores"]["buckets"] for place in (0, 2))
    pipelines = next(each for each in found["effects"] if each["axis"] == "pipeline")
    changes = {each["bucket"]: each["difference"] for each in pipelines["changes"]}
    assert pipelines["n"] == 2 * 26
    # The blind pipeline is told how many passages there may be, so its answers differ with k.
    assert changes["wrong"] == pytest.approx((blind["wrong"] - refuse["wrong"]) / 26, abs=3 / 26)
    sections = matrix_sections(convert(found, Matrix))
    assert render(sections, "text") == done.output
    shown = {form: render(sections, form) for form in ("csv", "markdown")}
    rows = list(csv.reader(io.StringIO(shown["csv"])))
    assert next(row[1:6] for row in rows if row[0] == "What came out") == ["1", *map(str, refuse.values())]
    assert shown["markdown"].count("| ---") + shown["markdown"].count("| ---:") >= 6


def test_an_error_in_a_cell_stays_there_and_is_said_at_the_end(tmp_path: Path, verb: Verb) -> None:
    broken = pipeline(tmp_path, "def answer(question, passages):\n    raise KeyError('context')\n")
    text = f"[run]\nlimit = 26\n[axes]\npipeline = ['nowhere.py:answer', '{broken}', 'refuse']\nk = [2, 5]"
    path = str(file(tmp_path, text))
    done = verb("matrix", path, "--json")
    assert done.code == 2
    found = json.loads(done.output)["cells"]
    assert [bool(each["error"]) for each in found] == [True] * 2 + [False] * 4
    assert "nowhere.py" in found[0]["error"]
    assert [each["scores"]["result"] for each in found[2:]] == [False, False, True, True]
    told = render(matrix_sections(convert(json.loads(done.output), Matrix)), "text")
    assert "4 of 6 cells have no result" in told
    ending = " ".join(told.partition("WITHOUT A RESULT")[2].split())
    assert re.search(r"Cells 1, 2: .*nowhere.*Cells 3, 4: Not a result: .*KeyError", ending)
    plan = verb("matrix", path, "--dry-run")
    assert plan.code == 2
    assert "cannot begin" in plan.output


SLOW = """
import os, time

ASKED = os.open("asked.log", os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)


def {name}(question, passages):
    os.write(ASKED, f"{name} {{len(passages)}} {{question}}\\n".encode())
    time.sleep(0.02)
    return f"{{passages[0].text[:200]}} [{{passages[0].id}}]" if passages and {name!r} == "bold" else "I do not know."
"""


@pytest.mark.skipif(sys.platform == "win32", reason="Windows knows no SIGKILL")
def test_a_killed_matrix_goes_on_where_it_was(tmp_path: Path) -> None:
    text = (
        "[run]\nlimit = 26\nconcurrency = 2\n[axes]\npipeline = ['bold.py:bold', 'meek.py:meek']\nk = [2, 5]"
    )
    kills, drawn = 0, random.Random(7)

    def start(where: Path) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, "-c", PROGRAM, "matrix", "matrix.toml", "--json"],
            cwd=where,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, "RAGHARNESS_CACHE": str(tmp_path / "cache")},
        )

    def log(where: Path) -> list[str]:
        path = where / "asked.log"
        return path.read_text().splitlines() if path.exists() else []

    beds = [tmp_path / name for name in ("killed", "calm")]
    for bed in beds:
        bed.mkdir()
        file(bed, text)
        for name in ("bold", "meek"):
            (bed / f"{name}.py").write_text(SLOW.format(name=name))
    killed, calm = beds
    for _ in range(3):
        before, process = len(log(killed)), start(killed)
        wanted = before + drawn.randrange(5, 25)
        while process.poll() is None and len(log(killed)) < wanted:
            time.sleep(0.005)
        if process.poll() is None:
            process.send_signal(signal.SIGKILL)
            kills += 1
        process.communicate(timeout=60)
    assert kills == 3, "it ended before it was killed"
    ended = []
    for bed in beds:
        process = start(bed)
        output, errors = process.communicate(timeout=120)
        assert process.returncode in (0, 2), errors
        ended.append(json.loads(output))
        assert len(list_runs(bed / "runs")) == 4
    mine, theirs = ended
    assert mine["effects"] == theirs["effects"]
    assert [each["scores"]["buckets"] for each in mine["cells"]] == [
        each["scores"]["buckets"] for each in theirs["cells"]
    ]
    asked, once = Counter(log(killed)), Counter(log(calm))
    assert asked.keys() == once.keys()
    assert asked.total() - once.total() <= 2 * kills, "only what was under way is asked again"
    before = len(log(killed))
    process = start(killed)
    process.communicate(timeout=60)
    assert len(log(killed)) == before, "what is finished is not asked again"


def test_how_far_the_refusal_licence_moves_the_buckets_against_another_model(
    tmp_path: Path, verb: Verb
) -> None:
    """Two models behind a service: both obey the prompt, and differ in one answer of eight."""

    def reply(asked: Asked) -> Reply:
        system, *_, last = (each["content"] for each in asked.json["messages"])
        cited = re.search(r'<passage id="([^"]+)"', last)
        may_refuse = "reply only: I cannot answer" in system
        odd = asked.json["model"] == "b" and len(last) % 8 == 0
        if (may_refuse and not odd) or cited is None:
            return chat("I cannot answer this: the passages do not state it.")
        return chat(f"Yes, it is 12 percent [{cited[1]}].")

    with Answering(reply) as server:
        text = f"""
            [run]
            pipeline = "llm"
            base_url = "{server.url("/v1")}"
            limit = 52
            pipeline_option.structured = "off"
            pipeline_option.prices = "prices.toml"
            [axes]
            model = ["a", "b"]
            pipeline_option.prompt = ["open-0shot", "refusal-0shot"]
        """
        (tmp_path / "prices.toml").write_text(
            "".join(f'[[price]]\nmodel = "{name}"\ninput = 1\noutput = 2\n' for name in "ab")
        )
        path = str(file(tmp_path, text))
        plan = json.loads(verb("matrix", path, "--dry-run", "--json").output)
        assert server.asked == []
        done = verb("matrix", path, "--json")
        assert done.code == 0, done.errors
        found = json.loads(done.output)
        for before, after in zip(plan["cells"], found["cells"], strict=True):
            spent = after["scores"]["spending"]["cost"]
            assert 0 < spent < before["cost"], "an estimate from above"
            assert before["calls"] == 52
        assert "at most $" in done.errors
        asked = len(server.asked)
        kept = file(
            tmp_path, text.replace("limit = 52", "limit = 52\nepochs = 1\ntag = 'again'"), "again.toml"
        )
        for run in list_runs():
            (run.path / "run.json").unlink()
        plan = json.loads(verb("matrix", str(kept), "--dry-run", "--json").output)
        assert [(each["calls"], each["cost"]) for each in plan["cells"]] == [(0, 0.0)] * 4, "answers are kept"
        assert len(server.asked) == asked
    prompt, model = found["effects"]
    assert (prompt["axis"], model["axis"]) == ("prompt", "model")
    assert prompt["moved"] > 3 * model["moved"] > 0
    assert model["less_interval"][0] > 0
    moved = {each["bucket"]: each for each in prompt["changes"]}
    assert moved["refused"]["interval"][0] > 0
    assert moved["refused"]["p"] < 0.001


def test_python_has_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    path = file(tmp_path)
    plan = rh.matrix(path, dry_run=True, progress=False)
    assert [each.calls for each in plan.cells] == [26] * 4
    assert (plan.result, plan.effects) == (False, [])
    found = rh.matrix(path, progress=False)
    assert found.result
    assert {each.axis for each in found.effects} == {"pipeline", "k"}
    assert found.to_dict()["cells"][3]["values"] == {"pipeline": "blind", "k": "5"}
    assert "WHAT CAME OUT" in repr(found)
    assert "<svg" in found._repr_html_()


def test_failed_answers_are_asked_again_where_that_is_wanted(tmp_path: Path, verb: Verb) -> None:
    mine = pipeline(
        tmp_path,
        """
        import os

        def answer(question, passages):
            if len(question) % 3 == 0 and not os.path.exists("up"):
                raise ValueError("down")
            return "I do not know."
        """,
    )
    text = f"[run]\nlimit = 26\nretry_errors = true\nretries = 0\n[axes]\npipeline = ['{mine}']\nk = [2, 5]"
    path = str(file(tmp_path, text))
    first: Any = json.loads(verb("matrix", path, "--json").output)
    failed = first["cells"][0]["scores"]["statuses"]["error"]
    assert 0 < failed < 26
    (tmp_path / "up").touch()
    plan = json.loads(verb("matrix", path, "--dry-run", "--json").output)
    assert [each["calls"] for each in plan["cells"]] == [failed] * 2
    done = verb("matrix", path, "--json")
    assert done.code == 0, done.errors
    assert [each["scores"]["statuses"]["error"] for each in json.loads(done.output)["cells"]] == [0, 0]
    assert len(list_runs()) == 2
