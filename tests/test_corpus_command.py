"""``ragharness corpus`` as a user meets it: what is printed where, exit codes."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from loopback import Loopback, Resource
from ragharness.cli import main
from ragharness.support import resources

REAL = "contractnli"


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.lower().endswith("_proxy")}
    kept = {name: value for name, value in kept.items() if "OFFLINE" not in name}
    return kept | {"RAGHARNESS_CACHE": str(tmp_path / "cache")}


@dataclass
class Done:
    """How a command ended."""

    returncode: int
    stdout: str
    stderr: str


@pytest.fixture
def corpus(
    environment: dict[str, str], monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> Callable[..., Done]:
    """Run ``ragharness corpus ...`` in this process: starting one costs more than most of its commands."""
    for name in set(os.environ) - set(environment):
        monkeypatch.delenv(name)
    monkeypatch.setenv("RAGHARNESS_CACHE", environment["RAGHARNESS_CACHE"])

    def run(*words: str | Path) -> Done:
        monkeypatch.setattr(sys, "argv", ["ragharness", "corpus", *map(str, words)])
        with pytest.raises(SystemExit) as ended:
            main()
        told = capfd.readouterr()
        assert isinstance(ended.value.code, int)
        return Done(ended.value.code, told.out, told.err)

    return run


def in_a_process(environment: dict[str, str], *words: str | Path) -> Done:
    command = [sys.executable, "-c", "from ragharness.cli import main; main()", "corpus", *map(str, words)]
    done = subprocess.run(
        command, env=environment, capture_output=True, text=True, encoding="utf-8", check=False, timeout=60
    )
    return Done(done.returncode, done.stdout, done.stderr)


def read(done: Done) -> Any:
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_list_names_every_corpus_with_licence_and_state(corpus: Callable[..., Done]) -> None:
    done = corpus("list")
    assert done.stdout.startswith("CORPUS")
    assert max(map(len, done.stdout.splitlines())) <= 80
    rows = read(corpus("list", "--json"))
    assert [row["id"] for row in rows] == resources.names("corpora")
    assert all(row["id"] in done.stdout and row["license"] in done.stdout for row in rows)
    assert "not downloaded" in done.stdout


def test_fetch_show_check_over_http(
    corpus: Callable[..., Done], environment: dict[str, str], contractnli_folder: Path, tmp_path: Path
) -> None:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.write(contractnli_folder / "test.json", "contract-nli/test.json")
    with Loopback() as server:
        server["/nli.zip"] = Resource(buffer.getvalue(), cuts=[100_000])
        done = in_a_process(environment, "fetch", REAL, "--from", server.url("/nli.zip"))
        assert server.asked_ranges() == ["", "bytes=100000-"]
    assert done.returncode == 0, done.stderr
    assert "CC BY 4.0" in done.stderr
    assert "downloading it accepts them" in done.stderr
    assert "was cut; asking for the rest" in done.stderr
    assert done.stdout.startswith("contractnli test: 123 documents")
    assert "\x1b" not in done.stdout + done.stderr

    card = read(corpus("show", REAL, "--json"))
    assert card["holds"]["facts"] == 2091
    assert card["twins"] == {"cnli-97": "cnli-52"}
    assert card["here"] == ["test"]
    shown = corpus("show", REAL)
    assert card["hash"] in shown.stdout
    assert "cnli-97 = cnli-52" in shown.stdout

    checked = corpus("check", REAL)
    assert (checked.returncode, "FAULT" in checked.stdout) == (0, False)
    assert "2404 of 2404 spans" in checked.stdout
    # What was altered in the cache is no corpus any more, and nothing is fetched behind one's back.
    cached = tmp_path / "cache" / "corpora" / REAL / "test.json"
    cached.write_bytes(cached.read_bytes()[:-1])
    broken = corpus("check", REAL)
    assert broken.returncode == 3
    assert "was altered" in broken.stderr
    assert "help:  ragharness corpus fetch contractnli" in broken.stderr


def test_show_a_document(corpus: Callable[..., Done], contractnli_folder: Path) -> None:
    done = corpus("show", REAL, "cnli-52", "--from", contractnli_folder)
    assert done.returncode == 0, done.stderr
    assert "same text  cnli-97" in done.stdout
    assert "cnli-52#1 " in done.stdout
    told = read(corpus("show", REAL, "cnli-52", "--from", contractnli_folder, "--json"))
    assert told["passages"][0]["start"] == 0
    few = ("show", REAL, "cnli-52", "--from", contractnli_folder, "--json", "--passage-words", "400")
    assert len(read(corpus(*few))["passages"]) < len(told["passages"])


def test_show_without_the_texts_says_the_next_command(corpus: Callable[..., Done]) -> None:
    done = corpus("show", REAL)
    assert done.returncode == 0, done.stderr
    assert "CC BY 4.0" in done.stdout
    assert done.stdout.endswith("next       ragharness corpus fetch contractnli\n")
    assert "hash" not in done.stdout


def test_check_finds_what_does_not_fit_the_card(
    corpus: Callable[..., Done], tmp_path: Path, shared: Path
) -> None:
    content = json.loads((shared / "data/contractnli/train_part.json").read_text(encoding="utf-8"))
    (tmp_path / "train.json").write_text(json.dumps(content), encoding="utf-8")
    done = corpus("check", REAL, "--split", "train", "--from", tmp_path)
    assert done.returncode == 1
    assert "FAULT  counts" in done.stdout
    assert f"expected 423 documents, found {len(content['documents'])}" in done.stdout
    rows = json.loads(corpus("check", REAL, "--split", "train", "--from", tmp_path, "--json").stdout)
    assert [row["check"] for row in rows if row["faults"]] == ["counts"]


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["fetch", "contractnil"], "did you mean contractnli?"),
        (["fetch", REAL, "--offline"], "network is not to be used"),
        (["fetch", REAL, "--split", "validation"], "no split of contractnli is named 'validation'"),
        (["fetch", REAL, "--from", "/no/such/place"], "found no /no/such/place"),
        (["check", REAL], "is not in the cache"),
        (["show", REAL, "cnli-1"], "is not in the cache"),
        (["fetch"], "NAME"),
        (["fetsch", REAL], "fetsch"),
    ],
)
def test_mistakes_end_in_a_sentence(corpus: Callable[..., Done], words: list[str], told: str) -> None:
    done = corpus(*words)
    assert done.returncode == 3
    assert done.stdout == ""
    assert told in done.stderr
    assert done.stderr.startswith("error: ")
    assert "\nhelp:  " in done.stderr
    assert "Traceback" not in done.stderr


def test_what_a_folder_leaves_out_is_said_once(corpus: Callable[..., Done], tmp_path: Path) -> None:
    home = tmp_path / "my reports"
    home.mkdir()
    (home / "plain.txt").write_text("The tower is 12 metres high. It was built in 1990.\n")
    (home / "bad.jsonl").write_text("{}\n")
    first, again = corpus("fetch", home), corpus("fetch", home)
    assert "bad.jsonl" in first.stderr
    assert "listed by" not in first.stderr
    assert again.stderr == f"1 remark about a file, listed by: ragharness corpus show '{home}'\n"
    (home / "worse.jsonl").write_text("{}\n")
    changed = corpus("fetch", home)
    assert "worse.jsonl" in changed.stderr
    assert "bad.jsonl" not in changed.stderr
    command = f"ragharness corpus show '{home}'"
    assert changed.stderr.endswith(f"1 more remark about a file, listed by: {command}\n")
    listed = corpus("show", home)
    assert listed.stderr == ""
    assert listed.stdout.count(".jsonl is left out") == 2
    assert len(read(corpus("show", home, "--json"))["notices"]) == 2
    for name in ("bad", "worse"):
        (home / f"{name}.jsonl").unlink()
    assert corpus("fetch", home).stderr == ""
