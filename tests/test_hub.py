"""The hub's own client against a server that plays the hub: whole, broken, altered, absent."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from asked import ASKED, as_rows, as_structs, real_reports
from hub_server import Hub, Repository
from ragharness.corpus.loading import load_corpus
from ragquestions.recipes import facts_of

pytest.importorskip("datasets", reason="the extra hub is not installed")
pytestmark = [pytest.mark.model, pytest.mark.timeout(240)]


def table_rows(count: int) -> list[dict[str, str]]:
    """Return invented reports as rows of the hub."""
    return [
        {
            "id": f"CRS_R4{number:04}",
            "document": f"Report {number} of the Fernleigh Office. " * 60,
            "summary": "A summary.",
        }
        for number in range(count)
    ]


def pair_table(count: int, *, lists: bool = True) -> list[dict[str, Any]]:
    """Return what people asked of the first of them, as structs of lists or as lists of structs."""
    pair = {
        "question": "How many harbors did the Fernleigh Office repair in 2017?",
        "summary": "In 2017, the Fernleigh Office repaired 37 harbors.",
        "parent_pair_index": -1,
        "summary_paragraph_index": 0,
    }
    section = {"title": "Introduction", "paragraphs": "A paragraph.", "depth": 1, "alignment": "h0_title"}
    return [
        {
            "doc_id": f"CRS_R4{number:04}",
            "document_sections": {name: [value] for name, value in section.items()},
            "question_summary_pairs": {name: [value] for name, value in pair.items()} if lists else [pair],
        }
        for number in range(count)
    ]


def parquet_of(table: list[dict[str, Any]]) -> bytes:
    """Return a Parquet file as the hub converts it."""
    from pyarrow import Table, parquet

    written = io.BytesIO()
    parquet.write_table(Table.from_pylist(table), written)
    return written.getvalue()


def rows(count: int) -> bytes:
    """Return so many reports as a file."""
    return parquet_of(table_rows(count))


def pair_rows(count: int = 172, *, lists: bool = True) -> bytes:
    """Return the pairs of so many reports as a file."""
    return parquet_of(pair_table(count, lists=lists))


def asked_for(hub: Hub, name: str) -> int:
    """Count how often the rows of a data set were asked for."""
    return sum(
        1
        for each in hub.asked
        if each.startswith("GET") and each.endswith(".parquet") and f"/{name}/" in each
    )


def fetch(hub: Hub, folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run ``corpus fetch govreport`` in a process of its own: the client reads its settings once."""
    environment = {
        name: value for name, value in os.environ.items() if not name.startswith(("HF_", "RAGHARNESS_"))
    }
    environment |= {
        "HF_ENDPOINT": hub.url,
        "HF_HOME": str(folder / "hf"),
        "RAGHARNESS_CACHE": str(folder / "cache"),
    }
    command = [
        sys.executable,
        "-c",
        "from ragharness.cli import main; main()",
        "corpus",
        "fetch",
        "govreport",
        *arguments,
    ]
    return subprocess.run(
        command, env=environment, capture_output=True, text=True, check=False, timeout=120, cwd=folder
    )


@pytest.fixture(scope="module")
def whole() -> bytes:
    return rows(973)


def test_rows_come_whole_and_only_once(tmp_path: Path, whole: bytes) -> None:
    with Hub() as hub:
        hub.repositories["launch/gov_report"] = Repository({"plain_text/test/0000.parquet": whole})
        hub.repositories["launch/gov_report_qs"] = Repository({"document/test/0000.parquet": pair_rows()})
        first = fetch(hub, tmp_path)
        asked = len(hub.asked)
        second = fetch(hub, tmp_path)
    assert first.returncode == 0, first.stderr
    assert "120 documents" in first.stdout
    assert "recorded sha256" in first.stderr
    assert asked_for(hub, "gov_report") == asked_for(hub, "gov_report_qs") == 1
    assert (second.returncode, len(hub.asked)) == (0, asked)
    lines = (tmp_path / "cache/corpora/govreport/test.jsonl").read_bytes().splitlines()
    assert len(lines) == 973
    assert lines[8].startswith(b'{"document": "Report 8 of the Fernleigh Office.')
    pairs = (tmp_path / "cache/corpora/govreport/test_pairs.jsonl").read_bytes().splitlines()
    assert len(pairs) == 172
    assert pairs[3].startswith(b'{"doc_id": "CRS_R40003", "question_summary_pairs": {')
    assert not any("agent" in each or "telemetry" in each for each in hub.asked)


def test_a_broken_connection_goes_on(tmp_path: Path, whole: bytes) -> None:
    with Hub() as hub:
        hub.repositories["launch/gov_report"] = Repository(
            {"plain_text/test/0000.parquet": whole}, troubles=["elsewhere", "cut"]
        )
        done = fetch(hub, tmp_path)
    assert done.returncode == 0, done.stderr
    asked = [each for each in hub.asked if each.startswith("GET") and ".parquet" in each]
    assert len(asked) == 3
    assert "/cdn/" in asked[1]


@pytest.mark.parametrize("trouble", ["flip", "html", "503"])
def test_what_is_false_is_refused_and_fetched_anew(tmp_path: Path, whole: bytes, trouble: str) -> None:
    with Hub() as hub:
        hub.repositories["launch/gov_report"] = Repository(
            {"plain_text/test/0000.parquet": whole}, troubles=[trouble]
        )
        refused = fetch(hub, tmp_path)
        again = fetch(hub, tmp_path)
    assert refused.returncode == 3
    assert refused.stderr.count("error: ") == 1
    assert "Traceback" not in refused.stderr
    assert "corpus fetch govreport" in refused.stderr
    assert again.returncode == 0, again.stderr


def test_reports_are_read_without_pairs_and_these_come_later(tmp_path: Path, whole: bytes) -> None:
    with Hub() as hub:
        hub.repositories["launch/gov_report"] = Repository({"plain_text/test/0000.parquet": whole})
        without = fetch(hub, tmp_path)
        asked = len(hub.asked)
        offline = fetch(hub, tmp_path, "--offline")
        assert len(hub.asked) == asked
        hub.repositories["launch/gov_report_qs"] = Repository(
            {"document/test/0000.parquet": pair_rows(lists=False)}, troubles=["cut"]
        )
        complete = fetch(hub, tmp_path)
        reports = asked_for(hub, "gov_report")
        kept = tmp_path / "cache/corpora/govreport/test_pairs.jsonl"
        kept.write_bytes(kept.read_bytes().replace(b"37 harbors", b"38 harbors"))
        altered = fetch(hub, tmp_path, "--offline")
    told = " ".join(without.stderr.split())
    assert "govreport is read without test_pairs.jsonl: the hub has no rows of launch/gov_report_qs" in told
    assert (without.returncode, offline.returncode, complete.returncode) == (0, 0, 0), complete.stderr
    assert "120 documents" in without.stdout
    assert "GovReport-QS" not in offline.stderr
    assert reports == 1
    assert altered.returncode == 0
    assert "test_pairs.jsonl was altered since it was fetched" in " ".join(altered.stderr.split())
    assert not kept.exists()


def test_what_people_asked_of_real_reports(
    tmp_path: Path, shared: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    reports = real_reports(shared)
    whole = parquet_of([*reports.values(), *table_rows(973 - len(reports))])
    pairs = parquet_of([*as_rows(reports), *pair_table(172 - len(reports))])
    with Hub() as hub:
        hub.repositories["launch/gov_report"] = Repository({"plain_text/test/0000.parquet": whole})
        hub.repositories["launch/gov_report_qs"] = Repository({"document/test/0000.parquet": pairs})
        done = fetch(hub, tmp_path, "--subset", "all")
    assert done.returncode == 0, done.stderr
    monkeypatch.setenv("RAGHARNESS_CACHE", str(tmp_path / "cache"))
    corpus = load_corpus("govreport", split="test:all", offline=True)
    facts = facts_of(corpus)
    found = sorted(fact.answers[0] for fact in facts.stated if "worded" in fact.details)
    assert found == sorted(each.gold for asked in ASKED.values() for each in asked if each.gold)
    every = sum(map(len, ASKED.values())) + 172 - len(reports)
    assert any(f"{len(found)} of {every} pairs of GovReport-QS" in note for note in facts.notes)


@pytest.mark.parametrize(
    ("trouble", "count", "told"),
    [
        ("flip", 172, "expected sha256"),
        ("html", 172, "launch/gov_report_qs"),
        ("", 171, "expected 172 rows in test_pairs of launch/gov_report_qs, found 171"),
    ],
)
def test_false_pairs_are_refused_and_the_reports_stay(
    tmp_path: Path, whole: bytes, trouble: str, count: int, told: str
) -> None:
    with Hub() as hub:
        hub.repositories["launch/gov_report"] = Repository({"plain_text/test/0000.parquet": whole})
        hub.repositories["launch/gov_report_qs"] = Repository(
            {"document/test/0000.parquet": pair_rows(count)}, always=trouble
        )
        done = fetch(hub, tmp_path)
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr
    assert "govreport is read without test_pairs.jsonl: " in " ".join(done.stderr.split())
    assert told in " ".join(done.stderr.split())
    assert not (tmp_path / "cache/corpora/govreport/test_pairs.jsonl").exists()


def test_another_number_of_rows_is_another_data_set(tmp_path: Path) -> None:
    with Hub() as hub:
        hub.repositories["launch/gov_report"] = Repository({"plain_text/test/0000.parquet": rows(972)})
        refused = fetch(hub, tmp_path)
    assert refused.returncode == 3
    assert "expected 973 rows in test of launch/gov_report, found 972" in " ".join(refused.stderr.split())


def test_a_mirror_by_its_name(tmp_path: Path) -> None:
    with Hub() as hub:
        files = {
            "document/test-00000-of-00001.parquet": rows(30),
            "document/train-00000-of-00001.parquet": rows(3),
        }
        hub.repositories["ccdv/govreport-summarization"] = Repository(files, revision="main")
        done = fetch(hub, tmp_path, "--from", "hub:ccdv/govreport-summarization")
        missing = fetch(hub, tmp_path, "--from", "hub:nobody/nothing")
    assert done.returncode == 0, done.stderr
    assert "30 documents" in done.stdout
    assert missing.returncode == 3
    assert "Traceback" not in missing.stderr


def test_offline_asks_nobody(tmp_path: Path) -> None:
    with Hub() as hub:
        refused = fetch(hub, tmp_path, "--offline")
    assert refused.returncode == 3
    assert hub.asked == []


@pytest.mark.parametrize("lists", [True, False])
def test_parquet_in_a_folder_is_read_as_it_comes(tmp_path: Path, shared: Path, *, lists: bool) -> None:
    reports = real_reports(shared)
    table = as_rows(reports)
    if not lists:
        name = "question_summary_pairs"
        table = [each | {name: as_structs(each[name])} for each in table]
    (tmp_path / "document/test").mkdir(parents=True)
    (tmp_path / "document/test/0000.parquet").write_bytes(parquet_of(table))
    strange = [{"doc_id": number, "question_summary_pairs": [number]} for number in range(2)]
    (tmp_path / "document/test/0001.parquet").write_bytes(parquet_of(strange))
    corpus = load_corpus("govreport", source=str(tmp_path))
    facts = facts_of(corpus)
    found = sorted(fact.answers[0] for fact in facts.stated if "worded" in fact.details)
    assert found == sorted(each.gold for asked in ASKED.values() for each in asked if each.gold)
    assert any(
        "0001.parquet:1: expected the id of a report in doc_id, found 0" in each for each in corpus.notices
    )
