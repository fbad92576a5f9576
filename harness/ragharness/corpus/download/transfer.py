"""Download of one URL into one file: resumed if interrupted, restarted if the file has changed."""

from __future__ import annotations

import json
import re
import time
from itertools import chain
from pathlib import Path

import httpx

from ragharness.corpus.download.pinned import Listener, new_file, require_space, storage_errors
from ragharness.errors import CorpusUnavailable, CorruptDownload
from ragharness.support.http import Unpacker, exponential_wait
from ragharness.support.messages import public_url

CONNECT_SECONDS = 10.0
READ_SECONDS = 30.0  # how long a server may be silent
ATTEMPTS = 4
PAUSE_SECONDS = 0.5  # before the second attempt; doubled before each further one
LARGEST = 4 << 30  # bytes above which no corpus archive is believed
SLOWEST = 100  # bytes a second below which a server is taken to have stopped, measured over ``READ_SECONDS``
_WEB_PAGE = (b"<!doctype", b"<html")
_RANGE = re.compile(r"bytes (\d+)-\d+/(\d+)")
_MIRROR = "--from PATH|URL names a mirror"


class _CutError(Exception):
    """The connection broke off: what arrived is kept, the remainder is asked for."""


def new_client(headers: dict[str, str]) -> httpx.Client:
    """HTTP client that follows redirects and does not wait for ever; raises CorpusUnavailable."""
    timeout = httpx.Timeout(READ_SECONDS, connect=CONNECT_SECONDS)
    try:
        # No proxy stands between this machine and itself.
        direct = {f"all://{host}": None for host in ("127.0.0.1", "[::1]", "localhost")}
        return httpx.Client(follow_redirects=True, timeout=timeout, headers=headers, mounts=direct)
    except (ImportError, ValueError, httpx.InvalidURL) as error:
        raise CorpusUnavailable(f"the proxy settings of the environment do not work: {error}") from error


def unreachable(url: str, error: Exception) -> CorpusUnavailable:
    """Error for a server that gives no answer at all."""
    return CorpusUnavailable(
        f"cannot reach {public_url(url)}: {str(error) or type(error).__name__}",
        help="check the network, or --from PATH|URL names a copy that you have",
    )


def refused(url: str, response: httpx.Response, help: str = _MIRROR) -> CorpusUnavailable:  # noqa: A002
    """Error for a status that is no success."""
    status = f"{response.status_code} {response.reason_phrase}".rstrip()
    return CorpusUnavailable(f"{public_url(url)} answered {status}", help=help)


def fetch(url: str, part: Path, *, on_progress: Listener, space: int = 0) -> None:
    """Download a URL into the file ``part``, going on from what an earlier call left there.

    ``space`` is what the caller needs on that disk besides. Raises CorpusUnavailable when the server
    cannot be reached or refuses, CorruptDownload for a web page, StorageError for the disk.
    """
    if part.exists() and _read_notes(part).get("total") == str(part.stat().st_size):
        return  # an earlier call got everything and ended before its caller could use it
    with new_client({"Accept-Encoding": "identity", "User-Agent": "ragharness"}) as client:
        for attempt in range(ATTEMPTS):
            if attempt:
                time.sleep(exponential_wait(PAUSE_SECONDS, attempt))
            try:
                _receive(client, url, part, on_progress, space)
            except (_CutError, httpx.ReadError, httpx.RemoteProtocolError, httpx.ReadTimeout):
                on_progress(f"the connection to {public_url(url)} was cut; asking for the rest", 0, 0)
            except ValueError as error:
                raise CorruptDownload(f"{public_url(url)}: {error}", help=_MIRROR) from error
            except (httpx.HTTPError, httpx.InvalidURL) as error:
                raise unreachable(url, error) from error
            else:
                return
    arrived = part.stat().st_size if part.exists() else 0
    raise CorpusUnavailable(
        f"the connection to {public_url(url)} was cut {ATTEMPTS} times, last after {arrived} bytes",
        help="the same command continues where it stopped; --from PATH|URL names a mirror",
    )


def discard(part: Path) -> None:
    """Remove a partial download and its notes."""
    part.unlink(missing_ok=True)
    _notes_path(part).unlink(missing_ok=True)


def _receive(client: httpx.Client, url: str, part: Path, on_progress: Listener, space: int) -> None:
    validator = _read_notes(part).get("validator")
    arrived = part.stat().st_size if validator and part.exists() else 0
    headers = {"Range": f"bytes={arrived}-", "If-Range": validator or ""} if arrived else {}
    with client.stream("GET", url, headers=headers) as response:
        begin, total = _begin(response, arrived, url, part)
        if total > LARGEST:
            raise CorruptDownload(f"{public_url(url)} announces {total} bytes, more than any corpus has")
        require_space(part.parent, total - begin + space)
        if not begin:
            # Emptied before the notes change, or a crash here would join two files later.
            with storage_errors(part.parent):
                part.write_bytes(b"")
        _write_notes(part, response, total)
        _write(response, part, begin, total, url, on_progress)


def _begin(response: httpx.Response, arrived: int, url: str, part: Path) -> tuple[int, int]:
    """Offset of the first byte that comes, and bytes in all or 0; raises when no data comes."""
    if response.status_code == 416:
        discard(part)
        raise _CutError
    if not response.is_success:
        raise refused(url, response)
    if "text/html" in response.headers.get("Content-Type", ""):
        raise _web_page(url)
    if response.status_code == 206:
        announced = _RANGE.fullmatch(response.headers.get("Content-Range", ""))
        if announced is None or int(announced[1]) != arrived:
            discard(part)
            raise _CutError
        return arrived, int(announced[2])
    length = response.headers.get("Content-Length", "")
    return 0, int(length) if length.isdecimal() and not _is_encoded(response) else 0


def _write(
    response: httpx.Response, part: Path, begin: int, total: int, url: str, on_progress: Listener
) -> None:
    done = begin
    task = f"fetching {public_url(url).rpartition('/')[2]}"
    unpacker = Unpacker(response.headers)
    chunks = chain.from_iterable(map(unpacker.blocks, response.iter_raw()))
    chunk = next(chunks, b"")
    if not begin and chunk.lstrip()[:9].lower().startswith(_WEB_PAGE):
        raise _web_page(url)
    checkpoint, done_before = time.monotonic() + READ_SECONDS, done
    with storage_errors(part.parent), part.open("ab") as file:
        while chunk:
            file.write(chunk)
            done += len(chunk)
            if time.monotonic() > checkpoint:
                if done - done_before < SLOWEST * READ_SECONDS:
                    raise _CutError
                checkpoint, done_before = time.monotonic() + READ_SECONDS, done
            on_progress(task, done, total)
            if done > (total or LARGEST):
                raise CorruptDownload(
                    f"{public_url(url)} sent more than the {total or LARGEST} bytes it may have"
                )
            chunk = next(chunks, b"")
    if (total and done < total) or not unpacker.whole:
        raise _CutError


def _read_notes(part: Path) -> dict[str, str]:
    """``validator`` of the partial file, under which it may be resumed, and ``total`` bytes."""
    try:
        notes = json.loads(_notes_path(part).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return notes if isinstance(notes, dict) else {}


def _write_notes(part: Path, response: httpx.Response, total: int) -> None:
    tag = response.headers.get("ETag", "")
    # A weak tag promises equal meaning, not equal bytes, so it cannot guard a continuation.
    validator = tag if tag and not tag.startswith("W/") else response.headers.get("Last-Modified", "")
    notes = {"validator": "" if _is_encoded(response) else validator, "total": str(total or "")}
    with new_file(_notes_path(part)) as file:
        file.write(json.dumps(notes).encode())


def _notes_path(part: Path) -> Path:
    return part.with_name(part.name + ".json")


def _is_encoded(response: httpx.Response) -> bool:
    return bool(response.headers.get("Content-Encoding", "identity") != "identity")


def _web_page(url: str) -> CorruptDownload:
    return CorruptDownload(
        f"expected data from {public_url(url)}, found a web page (a login, a proxy or an error page?)",
        help="--from with the address of the file itself, or with the file, saved from a browser",
    )
