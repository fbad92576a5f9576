"""Files that hang a reader or fill memory: each is named, in bounded time, and the rest is read."""

from __future__ import annotations

import sys
import time
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ragharness.corpus.folders.formats import SMALL, parse
from ragharness.corpus.folders.reading import SubprocessReader, find_files, read_folder
from ragharness.corpus.folders.text import read_markdown, unwrapped
from ragharness.language.words import sentences
from ragquestions.folder import rows
from test_own_folder import pdf_around, pdf_of

SOON = 20.0
"""Seconds that a file of these may take on a slow machine; without its guard it takes minutes."""


def endless_pdf() -> bytes:
    """Return a small PDF whose page draws millions of letters."""
    stream = zlib.compress(b"BT /F1 12 Tf " + b"1 0 0 1 72 720 Tm (a) Tj " * 1_500_000 + b"ET")
    return pdf_around(stream, packed=True)


def test_a_pdf_that_takes_minutes_is_named_and_the_next_one_is_read(tmp_path: Path) -> None:
    pytest.importorskip("pypdf", reason="needs the extra pdf")
    (tmp_path / "a endless.pdf").write_bytes(endless_pdf())
    (tmp_path / "b.pdf").write_bytes(pdf_of(["A mast is high."], title="Of Masts"))
    began = time.monotonic()
    with SubprocessReader(seconds=2.0) as reader:
        hostile, good = (reader.read(each.name, each.path, "pdf") for each in find_files(tmp_path)[0])
    assert time.monotonic() - began < SOON
    assert hostile.notices == ["a endless.pdf is left out: it takes longer than 2 seconds to read"]
    assert [each.text for each in good.drafts] == ["A mast is high."]


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux keeps the limit of a process' memory")
def test_a_file_that_fills_memory_is_named_and_the_next_one_is_read(tmp_path: Path) -> None:
    pytest.importorskip("pypdf", reason="needs the extra pdf")
    (tmp_path / "a.html").write_text("<html><body>" + "<p>a<b>b</b></p>" * 2_000_000)
    (tmp_path / "b.html").write_text("<html><body><p>" + "A net is wide. " * SMALL)
    with SubprocessReader(memory=700 * 1024**2) as reader:
        hostile, good = (reader.read(each.name, each.path, "html") for each in find_files(tmp_path)[0])
    assert hostile.drafts == []
    assert "a.html is left out" in hostile.notices[0]
    assert good.drafts[0].text.startswith("A net is wide.")


def test_a_reader_that_dies_is_named_and_the_next_file_gets_another(tmp_path: Path) -> None:
    big = "<html><body><p>" + "A net is wide. " * SMALL
    (tmp_path / "a.html").write_text(big)
    (tmp_path / "b.html").write_text(big)
    first, second = find_files(tmp_path)[0]
    with SubprocessReader() as reader:
        process = reader._start()
        process.end()
        assert (
            "a.html is left out: its reader broke down"
            in reader.read(first.name, first.path, "html").notices[0]
        )
        assert reader.read(second.name, second.path, "html").drafts


def test_a_library_of_that_name_in_the_working_folder_is_not_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("lxml.py", "msgspec.py", "ragharness.py"):
        (tmp_path / name).write_text("import pathlib; pathlib.Path('touched').touch()")
    (tmp_path / "a.html").write_text("<html><body><p>" + "A net is wide. " * SMALL)
    monkeypatch.chdir(tmp_path)
    assert read_folder(tmp_path).documents
    assert not (tmp_path / "touched").exists()


NESTS: dict[str, Callable[[int], str]] = {
    "brackets": lambda size: "[" * size,
    "pictures": lambda size: "![" * (size // 2),
    "quotes": lambda size: "> " * (size // 2),
    "emphasis": lambda size: "*a **b_" * (size // 7),
    "ticks": lambda size: "".join("`" * each + "a" for each in range(1, int((2 * size) ** 0.5))),
    "comments": lambda size: "<!--" * (size // 4),
    "tags": lambda size: "<a " * (size // 3),
    "lists": lambda size: "".join(" " * (2 * each) + "- a\n" for each in range(int(size**0.5))),
    "table": lambda size: "|a" * (size // 8) + "|\n" + "|-" * (size // 8) + "|\n" + "|b|\n" * (size // 16),
    "links": lambda size: "[a](" * (size // 4),
    "references": lambda size: "[a]: b\n" * (size // 7),
    "front matter": lambda size: "---\ntitle: " + "-" * size,
}


@pytest.mark.parametrize("name", sorted(NESTS))
def test_markdown_that_is_read_here_is_read_soon(name: str) -> None:
    began = time.monotonic()
    read_markdown(NESTS[name](SMALL))
    assert time.monotonic() - began < SOON


def test_a_paragraph_of_any_length_is_joined_in_linear_time() -> None:
    line = "A line that goes on in the next one, as all of them do here,\n"
    began = time.monotonic()
    assert len(unwrapped(line * 100_000)) == len(line) * 100_000 - 1
    assert time.monotonic() - began < SOON


PIECES = st.lists(
    st.tuples(
        st.integers(0, 10**6),
        st.integers(0, 400),
        st.one_of(
            st.binary(max_size=40),
            st.sampled_from(
                [b"<table><tr>", b"[![[", b"\r", b"\x00", b"endobj", b"<<", b"\xff\xfe", b"</", b"|", b"```"]
            ),
        ),
        st.integers(1, 50),
    ),
    min_size=1,
    max_size=8,
)
"""Where a file is cut, how much of it goes, what comes in its place, and how often."""


def broken(content: bytes, pieces: list[tuple[int, int, bytes, int]]) -> bytes:
    for place, gone, new, times in pieces:
        start = place % max(1, len(content))
        content = content[:start] + new * times + content[start + gone :]
    return content


def real_files(shared: Path) -> dict[str, tuple[str, bytes]]:
    data = shared / "data"
    page = (data / "edgar-10k" / "GME_FY2023_10-K.html").read_bytes()
    lines = (data / "govreport-leval" / "gov_report_summ.jsonl").read_bytes().splitlines(keepends=True)
    report = (data / "crs-reports" / "98317-types-of-committee-hearings.md").read_bytes()
    text = " ".join(report.decode().split()[:150]).replace("(", "").replace(")", "").replace("\\", "")
    shown = [text[place : place + 80] for place in range(0, len(text), 80)]
    plain = [each.encode("ascii", "replace").decode() for each in shown]
    return {
        "md": ("md", report),
        "html": ("html", page[:4000] + page[400_000:425_000]),
        "jsonl": ("jsonl", b"".join(lines[:2])[:60_000]),
        "txt": ("txt", report),
        "pdf": (
            "pdf",
            pdf_of(plain, title="Of Hearings"),
        ),
    }


@pytest.mark.parametrize("kind", ["md", "html", "jsonl", "txt", "pdf"])
@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(pieces=PIECES)
def test_a_real_file_broken_anywhere_is_read_or_named_soon(
    kind: str, pieces: list[tuple[int, int, bytes, int]], shared: Path, tmp_path: Path
) -> None:
    if kind == "pdf":
        pytest.importorskip("pypdf", reason="needs the extra pdf")
    ending, content = real_files(shared)[kind]
    path = tmp_path / f"odd.{ending}"
    path.write_bytes(broken(content, pieces))
    began = time.monotonic()
    parsed = parse(path.name, path, ending)
    assert time.monotonic() - began < SOON
    assert parsed.drafts or any("odd." in each for each in parsed.notices)
    for each in parsed.drafts:
        each.text.encode("utf-8")
        assert len(each.text) <= 4 * path.stat().st_size + 1000


@pytest.mark.parametrize("mark", "`«‘“„")
def test_quotations_that_never_end_are_split_in_linear_time(mark: str) -> None:
    began = time.monotonic()
    assert sentences(f"{mark}a " * 100_000)
    assert rows._plain("1." * 100_000) == ""
    assert time.monotonic() - began < 20
