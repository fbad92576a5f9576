"""Corpora and runs on an object store: a real server of the S3 protocol, started here."""

from __future__ import annotations

import importlib
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import ragharness as rh
from commands import FIRST_SENTENCE, pipeline
from ragharness.corpus.download import remote
from ragharness.corpus.download.pinned import is_remote
from ragharness.errors import MissingExtra, StorageError, UsageError
from ragharness.runner.run_folder import RunFolder
from ragharness.support.files import cache_folder

if TYPE_CHECKING:
    from commands import Verb

pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.fixture(scope="module")
def store() -> Iterator[Any]:
    """The file system of an S3 server with the empty bucket ``lab``."""
    try:
        s3fs = importlib.import_module("s3fs")
        importlib.import_module("moto.server")
    except ImportError:
        pytest.skip("needs s3fs, of the extra 'remote', and moto[server]")
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    server = subprocess.Popen(
        [sys.executable, "-m", "moto.server", "-p", str(port)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("AWS_ENDPOINT_URL", f"http://127.0.0.1:{port}")
        patch.setenv("AWS_ACCESS_KEY_ID", "anybody")
        patch.setenv("AWS_SECRET_ACCESS_KEY", "anything")
        patch.setenv("AWS_DEFAULT_REGION", "us-east-1")
        files = s3fs.S3FileSystem(skip_instance_cache=True)
        until = time.monotonic() + 60
        while time.monotonic() < until and not files.exists("lab"):
            with suppress(Exception):  # it is still starting
                files.mkdir("lab")
            time.sleep(0.3)
        yield files
    server.kill()
    server.wait()


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("RAGHARNESS_CACHE", str(tmp_path / "cache"))
    pipeline(tmp_path, FIRST_SENTENCE)
    monkeypatch.setattr(remote, "_MIRRORS", {})
    return tmp_path


def elsewhere() -> None:
    """Be another machine: nothing is copied yet."""
    remote._MIRRORS.clear()
    shutil.rmtree(cache_folder() / "remote")


def text_of(store: Any, place: str) -> str:
    store.invalidate_cache()
    content: bytes = store.cat_file(place)
    return content.decode()


@pytest.mark.model
def test_documents_of_a_bucket_are_those_of_the_folder(store: Any, here: Path) -> None:
    (here / "docs").mkdir()
    for name in ("one", "two"):
        (here / "docs" / f"{name}.txt").write_text(
            f"The {name} clause ends on 3 May 2024. It is governed by law.\n"
        )
    store.put(str(here / "docs"), "lab/docs", recursive=True)
    far, near = rh.load_corpus("s3://lab/docs"), rh.load_corpus(here / "docs")
    assert far.hash == near.hash
    assert rh.load_corpus("sample").hash != far.hash
    store.pipe_file("lab/docs/three.txt", b"A third text, which came later, says nothing about it.\n")
    store.rm_file("lab/docs/one.txt")
    remote._MIRRORS.clear()
    assert [each.title for each in rh.load_corpus("s3://lab/docs").documents] == ["three", "two"]


@pytest.mark.model
def test_a_run_in_a_bucket_is_that_of_a_folder(store: Any, here: Path) -> None:
    options: dict[str, Any] = {"limit": 26, "progress": False}
    far = rh.run("mine.py:answer", out="s3://lab/runs/first", **options)
    near = rh.run("mine.py:answer", out="near", **options)
    names = {each.rpartition("/")[2] for each in store.find("lab/runs/first")}
    assert names == {"questions.jsonl", "records.jsonl", "run.json", "scores.json", "sessions.jsonl"}
    assert text_of(store, "lab/runs/first/records.jsonl") == (far.path / "records.jsonl").read_text()
    elsewhere()
    again = rh.load_run("s3://lab/runs/first")
    assert again.scores.buckets == near.scores.buckets
    assert len(again) == 26


@pytest.mark.model
def test_a_run_that_was_broken_off_is_continued_elsewhere(store: Any, here: Path) -> None:
    rh.run("mine.py:answer", out="s3://lab/runs/cut", progress=False)
    lines = text_of(store, "lab/runs/cut/records.jsonl").splitlines(keepends=True)
    store.pipe_file("lab/runs/cut/records.jsonl", "".join(lines[:50]).encode())
    elsewhere()
    rh.run("mine.py:answer", out="s3://lab/runs/cut", progress=False)
    after = text_of(store, "lab/runs/cut/records.jsonl").splitlines(keepends=True)
    assert after[:50] == lines[:50]
    assert len(after) == 130


@pytest.mark.model
def test_what_a_killed_run_had_not_copied_is_kept_and_copied_later(store: Any, here: Path) -> None:
    run = rh.run("mine.py:answer", out="s3://lab/runs/killed", limit=26, progress=False)
    records = run.path / "records.jsonl"
    whole = records.read_text()
    store.pipe_file("lab/runs/killed/records.jsonl", b"")
    remote._MIRRORS.clear()
    records.write_text(whole + "\n")
    with pytest.raises(StorageError, match="was changed both in"):
        rh.load_run("s3://lab/runs/killed")
    assert records.read_text() == whole + "\n"
    shutil.rmtree(run.path.parent)
    store.pipe_file("lab/runs/killed/records.jsonl", "".join(whole.splitlines(keepends=True)[:3]).encode())
    held = rh.load_run("s3://lab/runs/killed").path
    # A process that died before it copied anything leaves more here than there.
    (held / "records.jsonl").write_text(whole)
    remote._MIRRORS.clear()
    rh.run("mine.py:answer", out="s3://lab/runs/killed", limit=26, progress=False)
    assert text_of(store, "lab/runs/killed/records.jsonl") == whole


@pytest.mark.model
def test_the_report_of_a_remote_run_is_printed(store: Any, here: Path, verb: Verb) -> None:
    done = verb("run", "--pipeline", "mine.py:answer", "--limit", "26", "--out", "s3://lab/runs/printed")
    assert done.code == 0, done.errors
    elsewhere()
    assert (
        verb("report", "s3://lab/runs/printed").output.partition("\nnext")[0]
        == done.output.partition("\nnext")[0]
    )


@pytest.mark.model
@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("s3://nowhere/runs/x", "cannot read s3://nowhere"),
        ("strange://lab/x", "fsspec cannot open the URL strange:"),
    ],
)
def test_a_place_that_is_none_is_said(store: Any, here: Path, url: str, message: str) -> None:
    with pytest.raises((StorageError, UsageError), match=message):
        rh.run("mine.py:answer", out=url, limit=3, progress=False)


@pytest.mark.model
def test_a_name_that_leads_out_of_the_folder_is_refused(store: Any, here: Path) -> None:
    store.pipe_file("lab/out/../../secret.txt", b"no")
    with pytest.raises(StorageError, match="leads out of it"):
        rh.load_corpus("s3://lab/out")
    assert not list(here.rglob("secret.txt"))


def test_without_fsspec_the_extra_is_named(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "fsspec", None)
    with pytest.raises(MissingExtra, match="'remote'"):
        rh.load_run("s3://lab/runs/first")


@pytest.mark.parametrize(
    "name", ["runs/first", "https://host/runs", "HTTP://host/x", "mine.py:answer", "s3://", ""]
)
def test_what_is_no_url_of_a_file_system_is_left_alone(name: str) -> None:
    assert not is_remote(name)


def test_a_local_run_is_sent_nowhere(here: Path) -> None:
    run = rh.run("mine.py:answer", limit=3, out="r", progress=False)
    assert remote._MIRRORS == {}
    assert RunFolder.open(run.path).finished
