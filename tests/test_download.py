"""Fetching from a real server on loopback: cut, changed, altered and hostile downloads, mirrors, disks."""

from __future__ import annotations

import io
import json
import os
import shutil
import socket
import stat
import subprocess
import sys
import tempfile
import threading
import zipfile
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from loopback import Loopback, Resource
from ragharness.corpus.download import transfer
from ragharness.corpus.download.archives import install
from ragharness.corpus.download.obtaining import obtain
from ragharness.corpus.download.pinned import DownloadRequest, Pinned, cached_hashes
from ragharness.errors import CorpusUnavailable, CorruptDownload, RagharnessError, StorageError

GOOD = json.dumps({"documents": [f"contract {number} of many" for number in range(4000)]}).encode()
DEV = b'{"documents": ["the development split"]}'
TRAIN = b'{"documents": ["the training split"]}'


def pin(data: bytes) -> Pinned:
    return Pinned(sha256=sha256(data).hexdigest(), bytes=len(data))


FILES = {"test.json": pin(GOOD), "dev.json": pin(DEV), "train.json": Pinned()}


def wanted(url: str = "http://127.0.0.1:9/never.zip", name: str = "test.json") -> DownloadRequest:
    return DownloadRequest("toy", url, {name: FILES[name]}, FILES, terms="terms of the toy corpus")


def zipped(members: dict[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", method) as archive:
        for name, data in members.items():
            archive.writestr(zipfile.ZipInfo(name), data, method)
    return buffer.getvalue()


ARCHIVE = zipped(
    {"toy/README.md": b"hello", "toy/data/test.json": GOOD, "toy/data/dev.json": DEV, "toy/train.json": TRAIN}
)


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in list(os.environ):
        if name.lower().endswith("_proxy") or name in ("HF_HUB_OFFLINE", "RAGHARNESS_OFFLINE"):
            monkeypatch.delenv(name)
    monkeypatch.setenv("RAGHARNESS_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(transfer, "PAUSE_SECONDS", 0.01)
    return tmp_path / "cache" / "corpora" / "toy"


@pytest.fixture
def server() -> Iterator[Loopback]:
    with Loopback() as running:
        running["/toy.zip"] = Resource(ARCHIVE, content_type="application/zip")
        yield running


def left_behind(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_fetches_once_then_reads_the_cache(server: Loopback, cache: Path) -> None:
    heard: list[str] = []
    folder = obtain(wanted(server.url("/toy.zip")), on_progress=lambda what, done, total: heard.append(what))
    assert (folder / "test.json").read_bytes() == GOOD
    assert heard[0] == "terms of the toy corpus"
    assert any("train.json has no published hash; recorded" in what for what in heard)
    assert left_behind(cache) == [".lock", "dev.json", "hashes.json", "test.json", "train.json"]
    assert obtain(wanted(server.url("/toy.zip")), offline=True) == folder
    assert obtain(wanted(server.url("/toy.zip"), "train.json")) == folder
    assert len(server.seen) == 1


@pytest.mark.parametrize("cut", [0, 1, 200, len(ARCHIVE) - 1])
def test_a_cut_connection_is_resumed_where_it_broke(server: Loopback, cut: int) -> None:
    server["/toy.zip"].cuts = [cut]
    folder = obtain(wanted(server.url("/toy.zip")))
    assert (folder / "test.json").read_bytes() == GOOD
    assert server.asked_ranges() == ["", f"bytes={cut}-" if cut else ""]


def test_the_next_call_goes_on_from_what_is_left(server: Loopback, cache: Path) -> None:
    server["/toy.zip"].cuts = [100, 50, 50, 50]
    with pytest.raises(CorpusUnavailable, match="last after 250 bytes") as caught:
        obtain(wanted(server.url("/toy.zip")))
    assert "continues" in caught.value.help
    obtain(wanted(server.url("/toy.zip")))
    assert server.asked_ranges() == ["", "bytes=100-", "bytes=150-", "bytes=200-", "bytes=250-"]
    assert not list(cache.glob("*.part*"))


@pytest.mark.parametrize("etag", ['"second"', 'W/"first"', ""])
def test_a_file_that_changed_or_cannot_be_recognised_is_fetched_anew(server: Loopback, etag: str) -> None:
    server["/toy.zip"] = Resource(
        zipped({"test.json": GOOD + b" "}), etag=etag if etag != '"second"' else '"first"', cuts=[99, 0, 0, 0]
    )
    with pytest.raises(CorpusUnavailable):
        obtain(wanted(server.url("/toy.zip")))
    server["/toy.zip"] = Resource(ARCHIVE, etag=etag)
    assert (obtain(wanted(server.url("/toy.zip"))) / "test.json").read_bytes() == GOOD


@pytest.mark.parametrize("fault", [{"ranges": False}, {"shift": 7}, {"announce": False}])
def test_a_server_that_ignores_or_botches_ranges(server: Loopback, fault: dict[str, int]) -> None:
    server["/toy.zip"] = Resource(ARCHIVE, cuts=[300], **fault)  # type: ignore[arg-type]
    if "announce" in fault:
        # Without a length a cut looks like the end: the archive itself tells.
        with pytest.raises(CorruptDownload, match="truncated"):
            obtain(wanted(server.url("/toy.zip")))
    assert (obtain(wanted(server.url("/toy.zip"))) / "test.json").read_bytes() == GOOD


def test_altered_content_is_refused_and_not_kept(server: Loopback, cache: Path) -> None:
    server["/toy.zip"] = Resource(zipped({"test.json": GOOD.replace(b"many", b"MANY", 1)}))
    with pytest.raises(CorruptDownload, match=f"expected sha256 {pin(GOOD).sha256[:12]}"):
        obtain(wanted(server.url("/toy.zip")))
    assert left_behind(cache) == [".lock"]
    server["/toy.zip"] = Resource(ARCHIVE)
    obtain(wanted(server.url("/toy.zip")))


def test_another_altered_split_is_left_out_and_said(server: Loopback, cache: Path) -> None:
    server["/toy.zip"] = Resource(zipped({"test.json": GOOD, "dev.json": b"{}"}))
    heard: list[str] = []
    obtain(wanted(server.url("/toy.zip")), on_progress=lambda what, done, total: heard.append(what))
    assert any(what.startswith("left out: dev.json") for what in heard)
    assert not (cache / "dev.json").exists()


def test_the_true_file_is_found_among_namesakes(tmp_path: Path) -> None:
    path = tmp_path / "many.zip"
    path.write_bytes(zipped({"test.json": b"{}", "__MACOSX/test.json": b"\0", "deep/down/test.json": GOOD}))
    assert (obtain(wanted(), source=str(path)) / "test.json").read_bytes() == GOOD


@pytest.mark.parametrize("size", [0, 3, 100, len(ARCHIVE) - 30])
def test_a_truncated_archive(server: Loopback, cache: Path, size: int) -> None:
    server["/toy.zip"] = Resource(ARCHIVE[:size])
    with pytest.raises(CorruptDownload, match=r"truncated|empty file"):
        obtain(wanted(server.url("/toy.zip")))
    assert left_behind(cache) == [".lock"]


@pytest.mark.parametrize("content_type", ["text/html; charset=utf-8", "application/zip"])
def test_a_web_page_instead_of_data(server: Loopback, content_type: str) -> None:
    server["/toy.zip"] = Resource(b"\n<!DOCTYPE html><title>Sign in</title>", content_type=content_type)
    with pytest.raises(CorruptDownload, match="found a web page"):
        obtain(wanted(server.url("/toy.zip")))


def test_a_web_page_does_not_cost_what_had_arrived(server: Loopback, cache: Path) -> None:
    server["/toy.zip"].cuts = [100, 0, 0, 0]
    with pytest.raises(CorpusUnavailable):
        obtain(wanted(server.url("/toy.zip")))
    server["/toy.zip"] = Resource(b"<html>", content_type="text/html", etag='"login"')
    with pytest.raises(CorruptDownload):
        obtain(wanted(server.url("/toy.zip")))
    [part] = cache.glob("*.part")
    assert part.read_bytes() == ARCHIVE[:100]


def link() -> zipfile.ZipInfo:
    info = zipfile.ZipInfo("test.json")
    info.external_attr = (stat.S_IFLNK | 0o777) << 16
    return info


@pytest.mark.parametrize(
    "member",
    ["../test.json", "a/../../test.json", "/etc/test.json", "..\\test.json", "C:\\test.json", link()],
    ids=str,
)
def test_a_member_that_leaves_the_folder(tmp_path: Path, cache: Path, member: str | zipfile.ZipInfo) -> None:
    path = tmp_path / "slip.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(member, GOOD)
        archive.writestr("fine/test.json", GOOD)
    with pytest.raises(CorruptDownload, match="leaves the folder"):
        obtain(wanted(), source=str(path))
    assert left_behind(cache) == [".lock"]
    assert left_behind(tmp_path) == ["cache", "slip.zip"]


@pytest.mark.parametrize("name", ["train.json", "other/huge.bin"])
def test_a_member_that_explodes(tmp_path: Path, cache: Path, name: str) -> None:
    path = tmp_path / "bomb.zip"
    path.write_bytes(zipped({name: b"\0" * (20 << 20), "test.json": GOOD}))
    with pytest.raises(CorruptDownload, match="would grow from"):
        obtain(wanted(), source=str(path))
    assert left_behind(cache) == [".lock"]


@settings(max_examples=150)
@given(data=st.data())
def test_no_damage_passes_or_escapes_as_another_error(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    small = zipped(
        {"a/test.json": GOOD[:500]}, data.draw(st.sampled_from([zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED]))
    )
    damaged = bytearray(small[: data.draw(st.integers(0, len(small)))] if data.draw(st.booleans()) else small)
    for _ in range(data.draw(st.integers(0, 3)) if damaged else 0):
        damaged[data.draw(st.integers(0, len(damaged) - 1))] = data.draw(st.integers(0, 255))
    files = {"test.json": pin(GOOD[:500])}
    folder = tmp_path_factory.mktemp("damage")
    path = folder / "toy.zip"
    path.write_bytes(damaged)
    try:
        install(path, DownloadRequest("toy", "", files, files), folder, lambda what, done, total: None)
    except CorpusUnavailable:
        assert left_behind(folder) == ["toy.zip"]
    else:
        assert (folder / "test.json").read_bytes() == GOOD[:500]
    shutil.rmtree(folder)


def test_nobody_listens() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
    with pytest.raises(CorpusUnavailable, match=f"cannot reach http://127.0.0.1:{port}/toy.zip") as caught:
        obtain(wanted(f"http://127.0.0.1:{port}/toy.zip"))
    assert "--from" in caught.value.help


def test_a_server_that_falls_silent(server: Loopback, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(transfer, "READ_SECONDS", 0.1)
    monkeypatch.setattr(transfer, "ATTEMPTS", 2)
    server["/toy.zip"].gate = threading.Event()
    with pytest.raises(CorpusUnavailable, match="cut 2 times"):
        obtain(wanted(server.url("/toy.zip")))


def test_status_and_redirects(server: Loopback) -> None:
    with pytest.raises(CorpusUnavailable, match="answered 404"):
        obtain(wanted(server.url("/absent.zip")))
    server["/moved"] = Resource(status=302, location="/toy.zip")
    assert obtain(wanted(server.url("/moved"))).is_dir()
    server["/round"] = Resource(status=302, location="/round")
    with pytest.raises(CorpusUnavailable, match="redirects"):
        obtain(wanted(), source=server.url("/round"))


@pytest.mark.parametrize("variable", ["RAGHARNESS_OFFLINE", "HF_HUB_OFFLINE", ""])
def test_offline_asks_nobody(server: Loopback, monkeypatch: pytest.MonkeyPatch, variable: str) -> None:
    if variable:
        monkeypatch.setenv(variable, "1")
    with pytest.raises(CorpusUnavailable, match="offline") as caught:
        obtain(wanted(server.url("/toy.zip")), offline=not variable)
    assert "ragharness corpus fetch toy" in caught.value.help
    assert not server.seen


def test_no_space_is_said_before_anything_is_written(
    server: Loopback, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    usage = shutil.disk_usage("/")._replace(free=1000)
    monkeypatch.setattr("shutil.disk_usage", lambda path: usage)
    with pytest.raises(StorageError, match="MB free"):
        obtain(wanted(server.url("/toy.zip")))
    assert left_behind(cache) == [".lock"]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
def test_a_disk_that_fills_up_meanwhile(server: Loopback, cache: Path) -> None:
    url = server.url("/toy.zip")
    cache.mkdir(parents=True)
    (cache / f"{sha256(url.encode()).hexdigest()[:16]}.part").symlink_to("/dev/full")
    with pytest.raises(StorageError, match="is full") as caught:
        obtain(wanted(url))
    assert "RAGHARNESS_CACHE" in caught.value.help


@pytest.fixture
def somebody_else() -> Iterator[None]:
    """Run as a user without special powers where the tests run as root."""
    if sys.platform == "win32":
        pytest.skip("needs POSIX permissions")
    powerful = os.geteuid() == 0
    if powerful:
        os.seteuid(65534)
    yield
    if powerful:
        os.seteuid(0)


@pytest.fixture
def read_only_cache(monkeypatch: pytest.MonkeyPatch, server: Loopback) -> Iterator[Path]:
    # Not below tmp_path: its parents are closed to everybody else.
    with tempfile.TemporaryDirectory() as folder:
        monkeypatch.setenv("RAGHARNESS_CACHE", folder)
        cached = obtain(wanted(server.url("/toy.zip")))
        for path in (cached, cached.parent, Path(folder)):
            path.chmod(0o555)
        yield cached
        for path in (cached, cached.parent, Path(folder)):
            path.chmod(0o755)


def test_a_read_only_cache_can_be_read(read_only_cache: Path, somebody_else: None) -> None:
    assert obtain(wanted()) == read_only_cache


def test_a_read_only_cache_cannot_be_written(
    server: Loopback, read_only_cache: Path, somebody_else: None
) -> None:
    with pytest.raises(StorageError, match="read-only") as caught:
        obtain(wanted(), source=server.url("/toy.zip?mirror"))
    assert "RAGHARNESS_CACHE" in caught.value.help


@pytest.fixture
def closed_cache(tmp_path: Path) -> Iterator[None]:
    (tmp_path / "cache").mkdir(mode=0o000)
    yield
    (tmp_path / "cache").chmod(0o700)


def test_a_cache_that_is_closed(closed_cache: None, somebody_else: None) -> None:
    with pytest.raises(StorageError, match="Permission denied"):
        obtain(wanted())


def test_a_cache_that_is_a_file(tmp_path: Path, server: Loopback) -> None:
    (tmp_path / "cache").write_text("a file")
    with pytest.raises(StorageError, match="cannot use"):
        obtain(wanted(server.url("/toy.zip")))


FETCHER = """
import sys
from test_download import obtain, wanted
obtain(wanted(sys.argv[1]), on_progress=lambda what, done, total: print(what, flush=True))
"""


def test_two_processes_fetch_at_once(server: Loopback, cache: Path) -> None:
    server["/toy.zip"].gate = threading.Event()
    command = [sys.executable, "-c", FETCHER, server.url("/toy.zip")]
    here = Path(__file__).parent
    first = subprocess.Popen(command, cwd=here, stdout=subprocess.PIPE, text=True)
    assert first.stdout is not None
    assert first.stdout.readline() == "terms of the toy corpus\n"
    second = subprocess.Popen(command, cwd=here, stdout=subprocess.PIPE, text=True)
    assert second.stdout is not None
    assert "waiting for it" in second.stdout.readline()
    server["/toy.zip"].gate.set()
    first.communicate(timeout=30)
    second.communicate(timeout=30)
    assert (first.returncode, second.returncode, len(server.seen)) == (0, 0, 1)
    assert (cache / "test.json").read_bytes() == GOOD


def test_a_fetch_that_was_killed_leaves_no_lock(server: Loopback, cache: Path) -> None:
    server["/toy.zip"].gate = threading.Event()
    command = [sys.executable, "-c", FETCHER, server.url("/toy.zip")]
    with subprocess.Popen(command, cwd=Path(__file__).parent, stdout=subprocess.PIPE, text=True) as first:
        assert first.stdout is not None
        assert first.stdout.readline() == "terms of the toy corpus\n"
        first.kill()
    server["/toy.zip"].gate.set()
    assert (obtain(wanted(server.url("/toy.zip"))) / "test.json").read_bytes() == GOOD


def test_a_download_that_was_whole_before_a_crash_is_not_repeated(
    server: Loopback, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as crash:
        crash.setattr("ragharness.corpus.download.archives.install", lambda *given, **named: {})
        crash.setattr("ragharness.corpus.download.transfer.discard", lambda part: None)
        obtain(wanted(server.url("/toy.zip")))
    assert (obtain(wanted(server.url("/toy.zip"))) / "test.json").read_bytes() == GOOD
    assert len(server.seen) == 1


def test_a_folder_is_read_in_place(tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = tmp_path / "copy" / "inner"
    home.mkdir(parents=True)
    (home / "test.json").write_bytes(GOOD)
    assert obtain(wanted(), source=str(tmp_path / "copy")) == home
    monkeypatch.setenv("RAGHARNESS_TOY_FROM", str(home))
    assert obtain(wanted(), offline=True) == home
    with pytest.raises(CorpusUnavailable, match=r"one file dev.json .* found 0"):
        obtain(wanted(name="dev.json"))
    (home / "test.json").write_bytes(GOOD + b"\n")
    with pytest.raises(CorruptDownload, match=r"is not the published test\.json"):
        obtain(wanted())
    assert not cache.exists()


def test_a_single_file_is_known_by_its_content(tmp_path: Path) -> None:
    path = tmp_path / "anything.txt"
    path.write_bytes(GOOD)
    assert (obtain(wanted(), source=str(path)) / "test.json").read_bytes() == GOOD
    with pytest.raises(CorpusUnavailable, match=r"expected dev.json in anything.txt, found test.json"):
        obtain(wanted(name="dev.json"), source=str(path))
    path.write_bytes(b'{"documents": []}')
    with pytest.raises(CorruptDownload, match=r"is not the published test\.json"):
        obtain(wanted(), source=str(path))


def test_a_single_file_without_a_published_hash_is_known_by_its_name(tmp_path: Path) -> None:
    path = tmp_path / "train.json"
    path.write_bytes(TRAIN)
    assert (obtain(wanted(name="train.json"), source=str(path)) / "train.json").read_bytes() == TRAIN


@pytest.mark.parametrize("source", ["nowhere", "ftp://127.0.0.1/toy.zip"])
def test_a_source_that_is_none(source: str) -> None:
    with pytest.raises(CorpusUnavailable, match="expected a folder, a zip, a JSON file or a URL"):
        obtain(wanted(), source=source)


def test_a_named_mirror_is_asked_although_the_cache_is_full(server: Loopback) -> None:
    obtain(wanted(server.url("/toy.zip")))
    server["/mirror.zip"] = Resource(zipped({"test.json": b"{}"}))
    with pytest.raises(CorruptDownload):
        obtain(wanted(), source=server.url("/mirror.zip"))
    server["/mirror.zip"] = Resource(zipped({"test.json": GOOD}))
    obtain(wanted(), source=server.url("/mirror.zip"))
    obtain(wanted(), source=server.url("/mirror.zip"))
    assert [seen.path for seen in server.seen] == ["/toy.zip", "/mirror.zip", "/mirror.zip"]


@pytest.mark.parametrize("name", ["test.json", "train.json"])
def test_a_cached_file_that_was_altered_is_fetched_again(server: Loopback, cache: Path, name: str) -> None:
    obtain(wanted(server.url("/toy.zip"), name))
    (cache / name).write_bytes(b"{}")
    heard: list[str] = []
    obtain(wanted(server.url("/toy.zip"), name), on_progress=lambda what, done, total: heard.append(what))
    assert "was altered since it was fetched" in heard[0]
    assert sha256((cache / name).read_bytes()).hexdigest() == cached_hashes(cache)[name]["sha256"]
    assert len(server.seen) == 2


def test_secrets_of_a_url_are_neither_kept_nor_shown(server: Loopback, cache: Path) -> None:
    url = server.url("/toy.zip?token=planted").replace("http://", "http://user:planted@")
    heard: list[str] = []
    obtain(wanted(), source=url, on_progress=lambda what, done, total: heard.append(what))
    shown = " ".join(heard) + "".join(path.read_text() for path in cache.glob("*.json"))
    with pytest.raises(CorpusUnavailable) as caught:
        obtain(wanted(), source=url.replace("toy.zip", "absent.zip"))
    assert "planted" not in shown + str(caught.value) + caught.value.help


def test_every_failure_names_the_next_command(server: Loopback, tmp_path: Path) -> None:
    server["/broken"] = Resource(b"PK\3\4 and no more")
    server["/plain"] = Resource(b"just words")
    for source in (
        server.url("/broken"),
        server.url("/plain"),
        server.url("/absent"),
        str(tmp_path / "none"),
    ):
        with pytest.raises(RagharnessError) as caught:
            obtain(wanted(), source=source)
        assert caught.value.help


@pytest.mark.parametrize("named", ["gzip, gzip", "br", "gzip"])
def test_a_body_in_an_encoding_that_it_cannot_have_is_refused(named: str, tmp_path: Path) -> None:
    with Loopback() as server:
        server["/a.zip"] = Resource(ARCHIVE, more={"Content-Encoding": named})
        with pytest.raises(CorruptDownload, match=r"/a\.zip: "):
            transfer.fetch(server.url("/a.zip"), tmp_path / "part", on_progress=lambda *_: None)


def test_a_server_that_trickles_is_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(transfer, "READ_SECONDS", 0.5)
    monkeypatch.setattr(transfer, "SLOWEST", 10**9)
    monkeypatch.setattr(transfer, "PAUSE_SECONDS", 0)
    with Loopback() as server:
        server["/a.zip"] = Resource(ARCHIVE, trickle=0.1)
        with pytest.raises(CorpusUnavailable, match="cut 4 times"):
            transfer.fetch(server.url("/a.zip"), tmp_path / "part", on_progress=lambda *_: None)


def test_no_proxy_stands_between_this_machine_and_itself(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
    with Loopback() as server:
        server["/a.zip"] = Resource(ARCHIVE)
        transfer.fetch(server.url("/a.zip"), tmp_path / "part", on_progress=lambda *_: None)
    assert (tmp_path / "part").read_bytes() == ARCHIVE


def test_members_that_share_their_bytes(tmp_path: Path) -> None:
    """Each alone is small; the list of members names one of them three hundred times."""
    path = tmp_path / "overlap.zip"
    path.write_bytes(zipped({"toy/test.json": b" " * (9 << 20)}))
    with zipfile.ZipFile(path, "a") as archive:
        archive.filelist += archive.filelist * 300
        archive._didModify = True  # type: ignore[attr-defined]
    with pytest.raises(CorruptDownload, match=r"overlap\.zip is refused: it would grow from"):
        install(path, wanted(), tmp_path, lambda *_: None)
