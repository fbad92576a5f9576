"""The engine ``ray``: the same records as without it, on real workers that are really killed."""

from __future__ import annotations

import importlib
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

import ragharness as rh
from commands import FIRST_SENTENCE, PROGRAM, pipeline
from ragharness.errors import MissingExtra, PipelineNotUsable, UsageError
from ragharness.runner.run_folder import RunFolder

# Ray's own warnings are not ours.
pytestmark = pytest.mark.filterwarnings("ignore")

MORE = """
    def seek(question, retrieve):
        return answer(question, retrieve(question, 2) + retrieve("Delaware", 1))

    async def own(question):
        if "How" in question:
            raise ValueError("no how")
        return {"text": "It says so.", "passages": ["Delaware law governs."]}

    def strange(question, passages):
        return {"text": question, "citations": 5, "confidence": float("nan")}
"""
ANSWERS = f"{FIRST_SENTENCE}{MORE}"


def library() -> Any:
    try:
        return importlib.import_module("ray")
    except ImportError:
        return pytest.skip("needs ray, of the extra 'ray'")


def patiently(start: Callable[[], Any]) -> Any:
    """Start a node of Ray, which gives up after half a minute, on a loaded machine too."""
    for _ in range(3):
        with suppress(Exception):
            return start()
    return start()


@pytest.fixture(scope="module")
def ray(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """A cluster of two CPUs, whose workers alone can import what lies in the folder ``far``."""
    found, far = library(), tmp_path_factory.mktemp("far")
    (far / "only_there.py").write_text("def answer(question):\n    return 'I could not find it.'\n")
    paths = os.pathsep.join([str(far), os.environ.get("PYTHONPATH", "")])
    patiently(
        lambda: found.init(
            num_cpus=2,
            include_dashboard=False,
            logging_level="ERROR",
            runtime_env={"env_vars": {"PYTHONPATH": paths}},
        )
    )
    yield found
    found.shutdown()


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(source: str, out: str, **options: Any) -> rh.Run:
    return rh.run(source, out=out, progress=False, **options)


def timeless(folder: Path | str) -> list[str]:
    """Return the records in the order of their questions, without the times that they took."""
    records = rh.load_run(folder).folder.records()
    return sorted(repr(replace(each, seconds=0.0, started="")) for each in records)


@pytest.mark.model
def test_a_node_that_joins_late_takes_part(here: Path) -> None:
    library()
    from ray.cluster_utils import Cluster

    cluster = patiently(lambda: Cluster(initialize_head=True, head_node_args={"num_cpus": 0}))
    try:
        started = subprocess.Popen(
            [sys.executable, "-c", PROGRAM, "run", "--pipeline", pipeline(here, ANSWERS), "--engine", "ray",
             "--engine-option", f"address={cluster.address}", "--out", "r", "--limit", "26"],
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
        time.sleep(5)
        assert started.poll() is None
        patiently(lambda: cluster.add_node(num_cpus=2))
        _, errors = started.communicate(timeout=200)
        assert len(list(RunFolder.open(here / "r").records())) == 26, errors
    finally:
        cluster.shutdown()


@pytest.mark.model
@pytest.mark.parametrize("name", ["answer", "seek", "own", "strange"])
def test_records_are_those_of_the_built_in_loop(ray: Any, here: Path, name: str) -> None:
    pipeline(here, ANSWERS)
    options: dict[str, Any] = {"limit": 39, "grader": "rules"}
    run(f"mine.py:{name}", "near", **options)
    far = run(f"mine.py:{name}", "far", engine="ray", concurrency=3, **options)
    assert len(timeless("near")) == 39
    assert timeless("near") == timeless("far")
    assert far.settings == rh.load_run("near").settings


@pytest.mark.model
def test_a_run_that_was_begun_here_is_continued_there(ray: Any, here: Path) -> None:
    pipeline(here, ANSWERS)
    run("mine.py:answer", "all")
    lines = (here / "all" / "records.jsonl").read_text().splitlines(keepends=True)
    run("mine.py:answer", "part")
    (here / "part" / "records.jsonl").write_text("".join(lines[:70]))
    run("mine.py:answer", "part", engine="ray")
    assert (here / "part" / "records.jsonl").read_text().startswith("".join(lines[:70]))
    assert timeless("part") == timeless("all")


MARKED = """
    import os, time
    def answer(question):
        name = f"{os.getcwd()}/pid"
        if not os.path.exists(name):
            with open(name, "x") as file:
                file.write(str(os.getpid()))
            time.sleep(60)
        return "I could not find it."
"""


@pytest.mark.model
def test_a_worker_that_is_killed_costs_no_answer(ray: Any, here: Path) -> None:
    started = subprocess.Popen(
        [sys.executable, "-c", PROGRAM, "run", "--pipeline", pipeline(here, MARKED), "--engine", "ray",
         "--engine-option", f"address={ray.get_runtime_context().gcs_address}", "--out", "r", "--concurrency", "2"],
        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    told = here / "pid"
    while not (told.exists() and told.read_text()):
        assert started.poll() is None, started.communicate()
        time.sleep(0.05)
    os.kill(int(told.read_text()), signal.SIGKILL)
    _, errors = started.communicate(timeout=200)
    folder = RunFolder.open(here / "r")
    records = list(folder.history())
    assert Counter(each.question for each in records) == Counter(each.id for each in folder.questions()), (
        errors
    )
    assert [each.failure for each in records if each.failure] == []
    assert sorted(each.attempts for each in records) == [1] * 129 + [2]


@pytest.mark.model
def test_a_worker_that_dies_every_time_is_an_error_of_its_question(ray: Any, here: Path) -> None:
    source = """
        import os
        def answer(question):
            if "Which" in question: os._exit(3)
            return "I could not find it."
        """
    done = run(pipeline(here, source), "r", engine="ray", limit=20, retries=1, max_failures=0)
    died = [record for each in done for record in each.records if record.failure]
    assert died
    assert {each.failure.type for each in died if each.failure} == {"ProcessDied"}
    assert {each.attempts for each in died} == {2}


@pytest.mark.model
def test_a_call_that_takes_too_long_is_ended(ray: Any, here: Path) -> None:
    source = """
        import time
        def answer(question):
            time.sleep(60 if "Which" in question else 0)
            return "I could not find it."
        """
    done = run(pipeline(here, source), "r", engine="ray", limit=8, timeout=1, concurrency=2)
    statuses = Counter(record.status for each in done for record in each.records)
    late = sum("Which" in each.question.text for each in done)
    assert late
    assert statuses == {"timeout": late, "ok": 8 - late}


@pytest.mark.model
def test_the_pipeline_is_imported_by_the_workers_alone(ray: Any, here: Path) -> None:
    with pytest.raises(PipelineNotUsable):
        run("only_there:answer", "near", limit=4)
    done = run("only_there:answer", "r", engine="ray", limit=4)
    assert done.scores.asked == 4
    assert "only_there" not in sys.modules


@pytest.mark.model
def test_calls_in_flight_are_no_more_than_concurrency(ray: Any, here: Path) -> None:
    source = """
        import os, time
        def answer(question):
            with open("log", "a") as file: file.write("+")
            time.sleep(0.2)
            with open("log", "a") as file: file.write("-")
            return "I could not find it."
        """
    options = ("cpus=0.1",)
    run(pipeline(here, source), "r", engine="ray", engine_option=options, concurrency=3)
    flying = most = 0
    for each in (here / "log").read_text():
        flying += 1 if each == "+" else -1
        most = max(most, flying)
    assert 1 < most <= 3


@pytest.mark.model
@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"pipeline": "extractive"}, "with --engine ray, found 'extractive'"),
        ({"pipeline": lambda question: question}, "expected an importable pipeline with --engine ray"),
        ({"pipeline": "nowhere:answer"}, "nowhere"),
        ({"pipeline": "m:a", "engine_option": ("cpu=1",)}, "cpus"),
    ],
)
def test_what_cannot_be_run_there_is_said(ray: Any, here: Path, options: Any, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        rh.run(progress=False, engine="ray", **options)


def test_without_ray_the_extra_is_named(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(MissingExtra, match="'ray'"):
        run("m:answer", "r", engine="ray")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"engine": "spark"}, "--engine is local or ray, not 'spark'"),
        ({"engine": "ray", "isolate": True}, "exclude each other"),
        ({"engine_option": "cpus=1"}, "--engine-option needs --engine ray"),
    ],
)
def test_options_that_contradict_each_other_are_refused(options: Any, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        rh.RunConfig(**options)
