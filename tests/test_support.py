"""Files whole or not at all, kept results, and what services ask to wait."""

from __future__ import annotations

import os
import sys
import tracemalloc
import zlib
from pathlib import Path
from typing import Any

import httpx
import pytest

from ragharness.support import files
from ragharness.support.http import Unpacker, exponential_wait, retry_after


def test_a_file_that_fails_leaves_the_old_one_and_nothing_beside(tmp_path: Path) -> None:
    target = tmp_path / "it"
    files.write_atomic(target, b"old")

    def interrupted() -> None:
        with files.atomic_file(target, durable=True) as file:
            file.write(b"half of the ne")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert [path.name for path in tmp_path.iterdir()] == ["it"]
    assert target.read_bytes() == b"old"


def test_a_reader_sees_the_old_file_until_the_new_one_is_whole(tmp_path: Path) -> None:
    target = tmp_path / ("x" * 250)
    files.write_atomic(target, b"old")
    with files.atomic_file(target) as file:
        file.write(b"new")
        file.flush()
        assert target.read_bytes() == b"old"
    assert target.read_bytes() == b"new"


def test_where_writers_take_turns_what_a_killed_one_left_is_overwritten(tmp_path: Path) -> None:
    (tmp_path / "it.new").write_bytes(b"much longer than what comes now")
    with files.atomic_file(tmp_path / "it", name="it.new") as file:
        file.write(b"short")
    assert [(path.name, path.read_bytes()) for path in tmp_path.iterdir()] == [("it", b"short")]


@pytest.mark.skipif(sys.platform == "win32", reason="files have no modes there")
def test_a_private_file_is_for_its_owner_alone(tmp_path: Path) -> None:
    before = os.umask(0o022)
    try:
        files.write_atomic(tmp_path / "mine", b"", private=True)
        files.write_atomic(tmp_path / "ours", b"")
    finally:
        os.umask(before)
    assert [(tmp_path / name).stat().st_mode & 0o777 for name in ("mine", "ours")] == [0o600, 0o644]


def test_what_is_kept_is_believed_only_whole_and_under_its_name(tmp_path: Path) -> None:
    path = tmp_path / "kept" / "one"
    files.write_cached(path, b"content", most=2)
    assert files.read_cached(path) == b"content"
    content = path.read_bytes()
    path.with_name("two").write_bytes(content)
    assert files.read_cached(path.with_name("two")) is None
    path.write_bytes(content[:-1])
    assert files.read_cached(path) is None
    for number in range(4):
        files.write_cached(path.with_name(f"more{number}"), b"", most=2, alike="more*")
        os.utime(path.with_name(f"more{number}"), (number, number))
    assert {each.name for each in path.parent.iterdir()} == {"one", "two", "more2", "more3"}


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"Retry-After": "3"}, 3.0),
        ({"retry-after-ms": "1500", "retry-after": "9"}, 1.5),
        ({"Retry-After": "Sun, 22 Nov 2020 12:00:00 GMT"}, 0.0),
        (httpx.Headers({"Retry-After": " 7 "}), 7.0),
        ({"Retry-After": "soon"}, None),
        ({"Retry-After-Ms": "inf"}, None),
        ({}, None),
        (None, None),
        ("Retry-After: 3", None),
    ],
)
def test_what_headers_ask_to_wait(headers: Any, seconds: float | None) -> None:
    assert retry_after(headers) == seconds


def test_waits_double_up_to_a_bound() -> None:
    assert [exponential_wait(0.5, attempt) for attempt in (1, 2, 3)] == [0.5, 1.0, 2.0]
    assert exponential_wait(1.0, 10_000) == exponential_wait(1.0, 11)


def test_a_body_is_unpacked_in_blocks_however_much_it_stands_for() -> None:
    packed = zlib.compress(b"a" * (200 << 20))
    tracemalloc.start()
    reader = Unpacker(httpx.Headers({"Content-Encoding": "DEFLATE"}))
    assert sum(map(len, reader.blocks(packed))) == 200 << 20
    assert reader.whole
    assert tracemalloc.get_traced_memory()[1] < 8 << 20
    tracemalloc.stop()


@pytest.mark.parametrize("named", ["gzip, gzip", "deflate,deflate", "br", "martian"])
def test_bodies_in_what_was_not_asked_for_are_refused(named: str) -> None:
    with pytest.raises(ValueError, match="not as gzip or deflate"):
        Unpacker(httpx.Headers({"Content-Encoding": named}))


def test_what_is_kept_is_for_this_user_alone(tmp_path: Path) -> None:
    path = tmp_path / "cache" / "parsed" / "it"
    files.write_cached(path, b"private", most=2)
    assert [each.stat().st_mode & 0o777 for each in (path, path.parent, path.parent.parent)] == [
        0o600,
        0o700,
        0o700,
    ]


def test_a_home_that_nobody_has_is_left_as_it_is_written(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/me")
    assert files.expand_home("~/x") == Path("/home/me/x")
    assert files.expand_home("~nobody-at-all/x") == Path("~nobody-at-all/x")
