"""Filings from a server that plays the SEC: its rules kept, its moods survived, its bytes verified."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from hashlib import sha256
from itertools import pairwise
from pathlib import Path

import msgspec
import pytest

from ixbrl import annual_report
from ragharness.corpus.download import sec as rules
from ragharness.corpus.download.obtaining import files_in, obtain
from ragharness.corpus.download.pinned import DownloadRequest, Pinned
from ragharness.errors import CorpusUnavailable, CorruptDownload
from ragharness.support.concurrency import Pace
from sec_server import Page, Sec

CONTACT = "Jane Doe jane@example.com"
REPORT = annual_report("Quillfeather Instruments Inc.", "901", "2023-12-31", 1013)
PATH = "/Archives/edgar/data/901/000090124000001/q-2023.htm"


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(rules, "PAUSES", (0.01, 0.02, 0.03, 0.04, 0.05))
    monkeypatch.setenv(rules.CONTACT, CONTACT)
    monkeypatch.setenv("RAGHARNESS_CACHE", str(tmp_path / "cache"))


@pytest.fixture
def server() -> Iterator[Sec]:
    with Sec() as running:
        running.pages[PATH] = Page(REPORT)
        yield running


def pinned(content: bytes = REPORT, **other: str) -> Pinned:
    told = {"cik": "901", "accession": "0000901-24-000001", "document": "q-2023.htm", **other}
    known = {"sha256": sha256(content).hexdigest() if content else "", "bytes": len(content)}
    return msgspec.convert({**known, **told}, Pinned)


def wanted(**files: Pinned) -> DownloadRequest:
    named = {f"{name}.html": file for name, file in (files or {"one": pinned()}).items()}
    return DownloadRequest("edgar", "https://www.sec.gov/", named, named, publisher="sec", pages=True)


def test_a_filing_comes_compressed_and_named_once(server: Sec) -> None:
    folder = obtain(wanted(), source=server.url)
    assert (folder / "one.html").read_bytes() == REPORT
    assert obtain(wanted(), source=server.url) == folder
    assert server.paths == [PATH]
    assert server.asked[0][2].startswith(CONTACT)


def test_many_workers_keep_one_pace(server: Sec) -> None:
    """The server would ban more than ten in a second; the gaps show that no worker counts for itself."""
    files = {}
    for number in range(24):
        name = f"f{number}"
        server.pages[f"/Archives/edgar/data/901/000090124000001/{name}.htm"] = Page(REPORT)
        files[name] = pinned(document=f"{name}.htm")
    obtain(wanted(**files), source=server.url)
    moments = sorted(moment for moment, _, _ in server.asked)
    assert not server.banned
    assert len(moments) == 24
    assert all(late - early > 0.9 for early, late in zip(moments, moments[8:], strict=False))
    assert min(late - early for early, late in pairwise(moments)) > 0.01


def test_a_faster_client_is_banned(server: Sec, monkeypatch: pytest.MonkeyPatch) -> None:
    """The server is no pushover: the same fetch at forty a second ends in its ban."""
    monkeypatch.setattr(rules, "REQUESTS_A_SECOND", 40.0)
    files = {}
    for number in range(24):
        server.pages[f"/Archives/edgar/data/901/000090124000001/f{number}.htm"] = Page(REPORT)
        files[f"f{number}"] = pinned(document=f"f{number}.htm")
    with pytest.raises(CorpusUnavailable, match="answered 403"):
        obtain(wanted(**files), source=server.url)
    assert server.banned


@pytest.mark.parametrize("trouble", ["429", "403", "503", "cut", "half"])
def test_what_passes_is_waited_for(server: Sec, trouble: str) -> None:
    server.pages[PATH].troubles = [trouble, trouble]
    notices: list[str] = []
    folder = obtain(wanted(), source=server.url, on_progress=lambda what, done, total: notices.append(what))
    assert (folder / "one.html").read_bytes() == REPORT
    assert len(server.paths) == 3
    assert sum("waiting" in notice for notice in notices) == 2


def test_what_stays_refused_ends_in_a_sentence(server: Sec) -> None:
    server.pages[PATH].troubles = ["403"] * 20
    with pytest.raises(CorpusUnavailable, match=r"refused 6 times, last: .* answered 403") as caught:
        obtain(wanted(), source=server.url)
    assert "goes on where it stopped" in caught.value.help
    assert len(server.paths) == 6


def test_whole_filings_stay_when_another_fails(server: Sec) -> None:
    files = {"one": pinned(), "two": pinned(document="absent.htm")}
    with pytest.raises(CorpusUnavailable, match="answered 404"):
        obtain(wanted(**files), source=server.url)
    server.pages["/Archives/edgar/data/901/000090124000001/absent.htm"] = Page(REPORT)
    obtain(wanted(**files), source=server.url)
    assert server.paths.count(PATH) == 1


def test_other_bytes_are_refused(server: Sec, tmp_path: Path) -> None:
    server.pages[PATH].data = REPORT.replace(b"Oregon", b"Nevada")
    with pytest.raises(CorruptDownload, match=r"is not the published one\.html: expected sha256"):
        obtain(wanted(), source=server.url)
    assert not (tmp_path / "cache" / "corpora" / "edgar" / "one.html").exists()


@pytest.mark.parametrize("known", [REPORT, b""])
def test_an_error_page_is_no_filing(server: Sec, known: bytes) -> None:
    server.pages[PATH].troubles = ["html"]
    with pytest.raises(CorruptDownload):
        obtain(wanted(one=pinned(known)), source=server.url)


def test_a_filing_without_number_is_looked_up(server: Sec) -> None:
    """By form and period, in the older pages of the list too; a hash that is not pinned is recorded."""
    none: dict[str, list[str]] = {"form": [], "reportDate": [], "accessionNumber": [], "primaryDocument": []}
    older = {
        "form": ["10-Q", "10-K", "10-K"],
        "reportDate": ["2023-12-31", "2022-12-31", "2023-12-31"],
        "accessionNumber": ["0000901-24-000009", "0000901-23-000001", "0000901-24-000001"],
        "primaryDocument": ["x.htm", "y.htm", "q-2023.htm"],
    }
    first = {"filings": {"recent": none, "files": [{"name": "CIK0000000901-submissions-001.json"}]}}
    server.pages["/submissions/CIK0000000901.json"] = Page(json.dumps(first).encode())
    server.pages["/submissions/CIK0000000901-submissions-001.json"] = Page(json.dumps(older).encode())
    asked = pinned(b"", accession="", form="10-K", period="2023-12-31")
    folder = obtain(wanted(one=asked), source=server.url)
    assert (folder / "one.html").read_bytes() == REPORT
    assert sha256(REPORT).hexdigest() in (folder / "hashes.json").read_text()
    assert files_in(folder, (".json",)) == [], "our own list of hashes is none of the filings"
    assert obtain(wanted(one=asked), source=server.url, offline=True) == folder


def test_a_list_cannot_lead_elsewhere(server: Sec) -> None:
    rows = {
        "form": ["10-K"],
        "reportDate": ["2023-12-31"],
        "accessionNumber": ["../../etc"],
        "primaryDocument": ["passwd"],
    }
    server.pages["/submissions/CIK0000000901.json"] = Page(json.dumps({"filings": {"recent": rows}}).encode())
    with pytest.raises(CorruptDownload, match="which is no file name"):
        obtain(wanted(one=pinned(accession="", form="10-K", period="2023-12-31")), source=server.url)


@pytest.mark.parametrize(
    "contact", ["", "Jane Doe", "jane@example", "Jané jane@example.com", "a\nb@example.com"]
)
def test_without_a_contact_nothing_is_asked(
    server: Sec, monkeypatch: pytest.MonkeyPatch, contact: str
) -> None:
    monkeypatch.setenv(rules.CONTACT, contact)
    with pytest.raises(CorpusUnavailable, match=rules.CONTACT) as caught:
        obtain(wanted(), source=server.url)
    assert "export RAGHARNESS_SEC_CONTACT" in caught.value.help
    assert server.paths == []


def test_the_pace_holds_for_all_threads() -> None:
    pace = Pace(50)
    moments: list[float] = []

    def work() -> None:
        import time

        for _ in range(5):
            pace.turn()
            moments.append(time.monotonic())

    workers = [threading.Thread(target=work) for _ in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert max(moments) - min(moments) >= 19 / 50 * 0.95
