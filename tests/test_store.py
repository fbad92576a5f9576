"""The run folder: what was finished is never lost, never doubled, never misread."""

from __future__ import annotations

import errno
import json
import os
import re
import shutil
import subprocess
import sys
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import run_fakes as fake
from commands import process
from ragharness.errors import RunNotUsable, StorageError, UnknownName, UsageError
from ragharness.runner.run_folder import FORMAT, RunFolder, differences
from ragharness.runner.run_search import find_run, find_unfinished, new_folder, slug

QUESTIONS = fake.questions()
RECORDS = [fake.record(question, question.wanted) for question in QUESTIONS]


def make(path: Path, **changes: Any) -> RunFolder:
    return RunFolder.create(path, fake.run(**changes), QUESTIONS)


def fill(folder: RunFolder, n: int) -> None:
    with folder.writing(fake.session()) as journals:
        for record in RECORDS[:n]:
            assert journals.records.append(record)


def test_a_run_reads_back_as_it_was_written(tmp_path: Path) -> None:
    fill(make(tmp_path / "r"), 130)
    folder = RunFolder.open(tmp_path / "r")
    assert folder.run == fake.run()
    assert folder.questions() == tuple(QUESTIONS)
    assert list(folder.records()) == RECORDS
    assert [session.answered for session in folder.sessions()] == [0]
    assert folder.finished


def test_a_question_is_recorded_once(tmp_path: Path) -> None:
    folder = make(tmp_path / "r")
    fill(folder, 3)
    with folder.writing(fake.session()) as journals:
        assert not journals.records.append(RECORDS[1])
        assert journals.records.append(RECORDS[3])
    assert [record.question for record in folder.records()] == ["q001", "q002", "q003", "q004"]
    assert [session.answered for session in folder.sessions()] == [0, 3]


def test_doubled_lines_of_another_hand_count_once(tmp_path: Path) -> None:
    folder = make(tmp_path / "r")
    fill(folder, 3)
    path = folder.path / "records.jsonl"
    path.write_bytes(path.read_bytes() * 2)
    assert list(folder.records()) == RECORDS[:3]


@pytest.mark.parametrize("whole", [False, True])
def test_a_file_that_is_deleted_is_noticed_with_the_next_record(tmp_path: Path, whole: bool) -> None:
    folder = make(tmp_path / "r")
    with folder.writing(fake.session()) as journals:
        for record in RECORDS[:3]:
            journals.records.append(record)
        shutil.rmtree(folder.path) if whole else (folder.path / "records.jsonl").unlink()
        with pytest.raises(StorageError, match="the 3 records in it and 1 that could not be stored are lost"):
            journals.records.append(RECORDS[3])
        with pytest.raises(StorageError, match="found it deleted: the 3 records in it are lost") as seen:
            journals.records.check()
    assert "repeat the command" in seen.value.help


def test_a_file_that_is_cut_is_noticed_with_the_next_record(tmp_path: Path) -> None:
    folder = make(tmp_path / "r")
    first, second, *_ = fake.questions()
    with folder.writing(fake.session()) as journals:
        journals.records.append(fake.record(first, "correct"))
        os.truncate(folder.path / "records.jsonl", 5)
        with pytest.raises(StorageError, match="found it cut from"):
            journals.records.append(fake.record(second, "correct"))


def test_a_run_that_is_moved_is_noticed_at_its_end(tmp_path: Path) -> None:
    folder = make(tmp_path / "r")
    with folder.writing(fake.session()) as journals:
        journals.records.append(RECORDS[0])
        journals.records.check()
        folder.path.rename(tmp_path / "s")
        assert journals.records.append(RECORDS[1])
        with pytest.raises(StorageError, match="found it moved: it holds 2 records"):
            journals.records.check()
    assert list(RunFolder.open(tmp_path / "s").records()) == RECORDS[:2]


@settings(max_examples=40)
@given(cut=st.integers(1, 400))
def test_a_torn_end_loses_nothing_that_was_whole(tmp_path_factory: pytest.TempPathFactory, cut: int) -> None:
    folder = make(tmp_path_factory.mktemp("torn") / "r")
    fill(folder, 5)
    path = folder.path / "records.jsonl"
    whole = path.read_bytes()
    path.write_bytes(whole[:-cut])
    # Only its newline missing: the record itself is there.
    kept = sum(line.endswith(b"\n") for line in whole[:-cut].splitlines(keepends=True)) + (cut == 1)
    assert list(folder.records()) == RECORDS[:kept]
    with folder.writing(fake.session()) as journals:
        assert journals.recovered == (not whole[:-cut].endswith(b"\n") and cut > 1)
        for record in RECORDS:
            journals.records.append(record)
    assert list(folder.records()) == [*RECORDS[:kept], *RECORDS[kept:]]
    assert path.read_bytes().count(b"\n") == len(RECORDS)


def test_a_damaged_line_in_the_middle_is_named(tmp_path: Path) -> None:
    folder = make(tmp_path / "r")
    fill(folder, 3)
    path = folder.path / "records.jsonl"
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(lines[0] + b"\0\0\0\n" + lines[2])
    with pytest.raises(RunNotUsable, match=r"line 2 of .*records\.jsonl"):
        list(folder.records())


def test_a_closed_journal_takes_nothing(tmp_path: Path) -> None:
    folder = make(tmp_path / "r")
    with folder.writing(fake.session()) as journals:
        pass
    assert not journals.records.append(RECORDS[0])
    assert list(folder.records()) == []


def test_a_full_disk_keeps_whole_lines_only(tmp_path: Path) -> None:
    folder = make(tmp_path / "r")
    fill(folder, 2)
    program = (
        "import resource, sys; from pathlib import Path; import run_fakes as fake\n"
        "from ragharness.runner.run_folder import RunFolder\n"
        "folder = RunFolder.open(Path(sys.argv[1]))\n"
        "size = (folder.path / 'records.jsonl').stat().st_size\n"
        "questions = fake.questions()\n"
        "with folder.writing(fake.session()) as journals:\n"
        "    resource.setrlimit(resource.RLIMIT_FSIZE, (size + 700, size + 700))\n"
        "    for question in questions[2:]:\n"
        "        journals.records.append(fake.record(question, question.wanted))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, str(folder.path)],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": os.path.dirname(__file__)},  # noqa: PTH120
        check=False,
    )
    assert "StorageError: expected to write in" in done.stderr
    content = (folder.path / "records.jsonl").read_bytes()
    assert content.endswith(b"\n")
    kept = list(folder.records())
    assert 2 <= len(kept) < 5
    assert kept == RECORDS[: len(kept)]


def test_a_second_writer_is_refused_with_a_sentence(tmp_path: Path) -> None:
    folder = make(tmp_path / "r")
    program = (
        "import sys; from pathlib import Path; import run_fakes as fake\n"
        "from ragharness.runner.run_folder import RunFolder\n"
        "with RunFolder.open(Path(sys.argv[1])).writing(fake.session()): print('in')"
    )
    command = [sys.executable, "-c", program, str(folder.path)]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    with folder.writing(fake.session()):
        with pytest.raises(StorageError, match=f"process {os.getpid()} is writing there"):
            folder.writing(fake.session()).__enter__()
        other = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
        assert f"process {os.getpid()} is writing there" in other.stderr
    again = subprocess.run(command, capture_output=True, text=True, env=environment, check=True)
    assert again.stdout == "in\n"


def test_the_lock_outlives_a_reader_of_its_file_and_a_copy_of_this_process(tmp_path: Path) -> None:
    folder = make(tmp_path / "r")
    program = "import sys, fcntl; fcntl.flock(open(sys.argv[1]), fcntl.LOCK_EX | fcntl.LOCK_NB)"
    command = [sys.executable, "-c", program, str(folder.path / "lock")]
    with folder.writing(fake.session()):
        (folder.path / "lock").read_bytes()
        assert subprocess.run(command, capture_output=True, check=False).returncode == 1
        ready, gate = os.pipe()
        if not os.fork():
            os.close(gate)
            os.read(ready, 1)
            os._exit(0)
    assert subprocess.run(command, capture_output=True, check=False).returncode == 0
    os.close(gate)
    os.wait()


def test_another_version_s_folder_is_refused(tmp_path: Path) -> None:
    folder = make(tmp_path / "r")
    path = folder.path / "run.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), "format": FORMAT + 1}))
    with pytest.raises(RunNotUsable, match=f"format {FORMAT}, found format {FORMAT + 1}"):
        RunFolder.open(folder.path)


@pytest.mark.parametrize("content", ["", "{", '{"format": 1}', "[]"])
def test_a_damaged_run_json_is_refused(tmp_path: Path, content: str) -> None:
    folder = make(tmp_path / "r")
    (folder.path / "run.json").write_text(content)
    with pytest.raises(RunNotUsable, match=r"run\.json"):
        RunFolder.open(folder.path)


def test_a_folder_with_other_things_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "thesis.doc").write_text("mine")
    with pytest.raises(RunNotUsable, match=r"found thesis\.doc"):
        make(tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["thesis.doc"]


def test_a_start_that_died_early_does_not_block_its_folder(tmp_path: Path) -> None:
    (tmp_path / "questions.jsonl").write_text("")
    assert make(tmp_path).questions() == tuple(QUESTIONS)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_read_only_place_is_a_sentence(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    with pytest.raises(StorageError, match="Permission denied"):
        make(tmp_path / "r")


def test_the_operating_system_s_words_reach_the_user(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> int:
        raise OSError(errno.EROFS, os.strerror(errno.EROFS))

    folder = make(tmp_path / "r")
    with folder.writing(fake.session()) as journals:
        monkeypatch.setattr(os, "write", refuse)
        with pytest.raises(StorageError, match="Read-only file system") as caught:
            journals.records.append(RECORDS[0])
    assert "--out FOLDER" in caught.value.help


def test_differences_are_named() -> None:
    ours, theirs = fake.settings(k=3, pipeline_fingerprint="a" * 64), fake.settings()
    assert differences(ours, theirs) == [
        "k 3 instead of 5",
        "pipeline fingerprint aaaaaaaa instead of eeeeeeee",
    ]
    assert differences(ours, ours) == []


def test_new_folders_never_clash(tmp_path: Path) -> None:
    now = datetime(2026, 11, 21, 12, 0, 0, tzinfo=timezone.utc)
    paths = [new_folder(("sample", "", "my mod:answer"), now, tmp_path) for _ in range(3)]
    name = "20261121-120000_sample_my-mod-answer"
    assert [path.name for path in paths] == [name, f"{name}_2", f"{name}_3"]


@pytest.mark.parametrize(
    ("name", "expected"),
    [("a/b/../c.py:x", "a-b-..-c.py-x"), ("../..", "pipeline"), ("", "pipeline"), ("x" * 99, "x" * 40)],
)
def test_a_slug_is_a_safe_name(name: str, expected: str) -> None:
    assert slug(name) == expected


def test_the_newest_unfinished_run_with_equal_settings_is_found(tmp_path: Path) -> None:
    others: list[dict[str, Any]] = [
        {},
        {"settings": fake.settings(k=3)},
        {},
        {"created": "2026-11-21T13:00:00+00:00"},
    ]
    for number, changes in enumerate(others):
        fill(make(tmp_path / f"r{number}", **changes), 130 if number == 3 else 5)
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / "run.json").write_text("{")
    found = find_unfinished(fake.settings(), tmp_path)
    assert found is not None
    assert found.name == "r2"
    assert find_unfinished(fake.settings(k=7), tmp_path) is None


def test_a_run_is_found_by_path_name_and_beginning(tmp_path: Path) -> None:
    make(tmp_path / "20261121_a")
    make(tmp_path / "20261121_ab", created="2026-11-21T13:00:00+00:00")
    make(tmp_path / "20261122_c")
    assert find_run("", tmp_path).name == "20261121_ab"
    assert find_run("20261122", tmp_path).name == "20261122_c"
    assert find_run("20261121_a", tmp_path).name == "20261121_a"
    assert find_run(str(tmp_path / "20261122_c"), tmp_path / "nowhere").name == "20261122_c"
    with pytest.raises(UsageError, match="matches 20261121_ab, 20261121_a"):
        find_run("20261121", tmp_path)
    with pytest.raises(UnknownName, match="did you mean 20261122_c"):
        find_run("20261123_c", tmp_path)
    with pytest.raises(RunNotUsable, match="expected a run in the folder"):
        find_run("", tmp_path / "nowhere")


def test_records_are_streamed(tmp_path: Path) -> None:
    folder = make(tmp_path / "r")
    fill(folder, 130)
    stream = folder.records()
    assert next(stream) == RECORDS[0]
    stream.close()  # type: ignore[attr-defined]


@pytest.fixture(scope="module")
def half(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of which half is answered."""
    folder = tmp_path_factory.mktemp("half")
    done = process(folder, "run", "--pipeline", "refuse", "--limit", "13", "--out", "r", "--quiet")
    assert done.returncode == 0, done.stderr
    lines = (folder / "r" / "records.jsonl").read_bytes().splitlines(keepends=True)
    (folder / "r" / "records.jsonl").write_bytes(b"".join(lines[:6]))
    return folder


AGAIN = ("run", "--pipeline", "refuse", "--limit", "13", "--quiet", "--out")


@pytest.mark.parametrize(
    ("name", "verb"),
    [
        ("scores.json.new", ("score",)),
        ("scores.json.new", ("grade",)),
        ("scores.json.new", AGAIN),
        ("records.jsonl.new", ("grade",)),
        ("run.json.new", ("grade",)),
        ("lock", ("grade",)),
        ("lock", AGAIN),
        ("records.jsonl", ("grade",)),
        ("records.jsonl", AGAIN),
        ("answers.jsonl", AGAIN),
        ("sessions.jsonl", AGAIN),
        ("gone/lock", AGAIN),
        ("gone/run.json.new", AGAIN),
        ("gone/questions.jsonl.new", AGAIN),
        ("answers.jsonl", ("show", "q100")),
        ("scores.json", ("report",)),
        ("scores.json", ("score",)),
        ("scores.json.new", ("report",)),
    ],
)
@pytest.mark.skipif(sys.platform == "win32", reason="links need a right of their own there")
@pytest.mark.parametrize("there", [True, False])
def test_nothing_is_written_through_a_link_in_a_run_folder(
    tmp_path: Path, half: Path, name: str, verb: tuple[str, ...], there: bool
) -> None:
    shutil.copytree(half, tmp_path, dirs_exist_ok=True)
    folder, precious, link = tmp_path / "r", tmp_path / "precious", (tmp_path / "r" / name)
    if name.startswith("gone/"):
        shutil.rmtree(folder)
        folder.mkdir()
        link = folder / link.name
    content = (link.read_bytes() if link.is_file() else b"") + b'{"half": '
    if there:
        precious.write_bytes(content)
    link.unlink(missing_ok=True)
    link.symlink_to(precious)
    done = process(tmp_path, *verb, "r")
    assert (precious.read_bytes() if precious.exists() else None) == (content if there else None)
    reads = verb[0] in {"show", "report"} or (name, verb) == ("scores.json", ("score",))
    assert "Traceback" not in done.stderr
    if reads:
        # Half a run is no result.
        assert done.returncode == (0 if verb[0] == "show" else 2), done.stderr
        return
    assert done.returncode == 3
    sentence = r"error: (.*) is a symbolic link, not a plain file: nothing is written through it"
    match = re.search(sentence, done.stderr)
    assert match, done.stderr
    assert match[1].endswith(f"r/{link.name}")
    assert f"rm {match[1]}" in done.stderr
    assert link.is_symlink()


@pytest.mark.skipif(sys.platform == "win32", reason="links need a right of their own there")
def test_a_run_folder_that_the_user_reaches_through_a_link_is_fine(tmp_path: Path, half: Path) -> None:
    shutil.copytree(half / "r", tmp_path / "elsewhere")
    (tmp_path / "mine").symlink_to(tmp_path / "elsewhere")
    for verb in (AGAIN, ("grade",), ("score",)):
        done = process(tmp_path, *verb, "mine")
        assert done.returncode == 0, done.stderr
    assert len(list(RunFolder.open(tmp_path / "elsewhere").records())) == 13


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes here")
def test_a_named_pipe_in_a_run_folder_is_refused_and_not_waited_for(tmp_path: Path, half: Path) -> None:
    shutil.copytree(half, tmp_path, dirs_exist_ok=True)
    os.mkfifo(tmp_path / "r" / "scores.json.new")
    done = process(tmp_path, "score", "r")
    assert done.returncode == 3
    assert "scores.json.new is a folder, device or pipe" in done.stderr
