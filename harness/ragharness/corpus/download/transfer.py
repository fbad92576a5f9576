"""Downloads one URL into one file: resumed if interrupted, restarted if the file has changed."""

from __future__ import annotations

import json
import re
import time
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

from ragharness.corpus.download.pinned import Listener
from ragharness.corpus.download.storage import new_file, require_space, storage_errors
from ragharness.errors import CorpusUnavailable, CorruptDownload
from ragharness.support.http import Unpacker, doubled
from ragharness.support.privacy import public

if TYPE_CHECKING:
    import httpx

CONNECT_SECONDS = 10.0
READ_SECONDS = 30.0
"""How long a server may be silent."""


def new_client(headers: dict[str, str]) -> httpx.Client:
    """Return a client that follows redirects and does not wait for ever; raises CorpusUnavailable."""
    import httpx

    timeout = httpx.Timeout(READ_SECONDS, connect=CONNECT_SECONDS)
    try:
        # No proxy stands between this machine and itself.
        own = {f"all://{host}": None for host in ("127.0.0.1", "[::1]", "localhost")}
        return httpx.Client(follow_redirects=True, timeout=timeout, headers=headers, mounts=own)
    except (ImportError, ValueError, httpx.InvalidURL) as error:
        raise CorpusUnavailable(f"the proxy settings of the environment do not work: {error}") from error


def unreachable(url: str, error: Exception) -> CorpusUnavailable:
    """Return the error for a server that gives no answer at all."""
    reason = str(error) or type(error).__name__
    return CorpusUnavailable(
        f"cannot reach {public(url)}: {reason}",
        help="check the network, or --from PATH|URL names a copy that you have",
    )


ATTEMPTS = 4
PAUSE_SECONDS = 0.5
"""Before the second attempt; doubled before each further one."""

LARGEST = 4 << 30
"""Bytes above which no corpus archive is believed."""

SLOWEST = 100
"""Bytes a second below which a server is taken to have stopped, measured over ``READ_SECONDS``."""

_WEB_PAGE = (b"<!doctype", b"<html")
_AGAIN = "the same command continues where it stopped; --from PATH|URL names a mirror"
_RANGE = re.compile(r"bytes (\d+)-\d+/(\d+)")


class _CutError(Exception):
    """The connection broke off: what arrived is kept, the rest is asked for."""


def fetch(url: str, part: Path, *, on_progress: Listener, space: int = 0) -> None:
    """Download a URL into the file ``part``, going on from what an earlier call left there.

    ``space`` is what the caller needs on that disk besides. Raises CorpusUnavailable when the server
    cannot be reached or refuses, CorruptDownload for a web page, StorageError for the disk.
    """
    import httpx

    if _whole(part):
        return
    with new_client({"Accept-Encoding": "identity", "User-Agent": "ragharness"}) as client:
        for attempt in range(ATTEMPTS):
            if attempt:
                time.sleep(doubled(PAUSE_SECONDS, attempt))
            try:
                _receive(client, url, part, on_progress, space)
            except (_CutError, httpx.ReadError, httpx.RemoteProtocolError, httpx.ReadTimeout):
                on_progress(f"the connection to {public(url)} was cut; asking for the rest", 0, 0)
            except ValueError as error:
                raise CorruptDownload(
                    f"{public(url)}: {error}", help="--from PATH|URL names a mirror"
                ) from error
            except (httpx.HTTPError, httpx.InvalidURL) as error:
                raise unreachable(url, error) from error
            else:
                return
    arrived = part.stat().st_size if part.exists() else 0
    raise CorpusUnavailable(
        f"expected all of {public(url)}, found the connection cut {ATTEMPTS} times,"
        f" last after {arrived} bytes",
        help=_AGAIN,
    )


def discard(part: Path) -> None:
    """Remove a partial download and what is known of it."""
    part.unlink(missing_ok=True)
    _notes(part).unlink(missing_ok=True)


def _receive(client: httpx.Client, url: str, part: Path, on_progress: Listener, space: int) -> None:
    have, validator = _kept(part)
    asked = {"Range": f"bytes={have}-", "If-Range": validator} if have else {}
    with client.stream("GET", url, headers=asked) as response:
        begin, total = _begin(response, have, url, part)
        if total > LARGEST:
            raise CorruptDownload(f"{public(url)} announces {total} bytes, more than any corpus has")
        require_space(part.parent, total - begin + space)
        if not begin:
            # Emptied before the notes change, or a crash here would join two files later.
            with storage_errors(part.parent):
                part.write_bytes(b"")
        _note(part, response, total)
        _write(response, part, begin, total, url, on_progress)


def _begin(response: httpx.Response, have: int, url: str, part: Path) -> tuple[int, int]:
    """Return (offset of the first byte that comes, bytes in all or 0); raises when no data comes."""
    if response.status_code == 416:
        discard(part)
        raise _CutError
    if not response.is_success:
        raise CorpusUnavailable(
            f"{public(url)} answered {response.status_code} {response.reason_phrase}".rstrip(),
            help="--from PATH|URL names a mirror",
        )
    if "text/html" in response.headers.get("Content-Type", ""):
        raise _web_page(url)
    if response.status_code == 206:
        told = _RANGE.fullmatch(response.headers.get("Content-Range", ""))
        if told is None or int(told[1]) != have:
            discard(part)
            raise _CutError
        return have, int(told[2])
    length = response.headers.get("Content-Length", "")
    return 0, int(length) if length.isdecimal() and not _encoded(response) else 0


def _write(
    response: httpx.Response, part: Path, begin: int, total: int, url: str, on_progress: Listener
) -> None:
    done = begin
    what = f"fetching {public(url).rpartition('/')[2]}"
    reader = Unpacker(response.headers)
    chunks = chain.from_iterable(map(reader.blocks, response.iter_raw()))
    first = next(chunks, b"")
    if not begin and first.lstrip()[:9].lower().startswith(_WEB_PAGE):
        raise _web_page(url)
    moment, mark = time.monotonic() + READ_SECONDS, done
    with storage_errors(part.parent), part.open("ab") as file:
        while first:
            file.write(first)
            done += len(first)
            if time.monotonic() > moment:
                if done - mark < SLOWEST * READ_SECONDS:
                    raise _CutError
                moment, mark = time.monotonic() + READ_SECONDS, done
            on_progress(what, done, total)
            if done > (total or LARGEST):
                raise CorruptDownload(
                    f"{public(url)} sent more than the {total or LARGEST} bytes it may have"
                )
            first = next(chunks, b"")
    if (total and done < total) or not reader.whole:
        raise _CutError


def _kept(part: Path) -> tuple[int, str]:
    """Return (bytes of an earlier attempt, the validator under which they may be gone on from)."""
    told = _read_notes(part)
    return (part.stat().st_size, told["validator"]) if told.get("validator") and part.exists() else (0, "")


def _whole(part: Path) -> bool:
    """Tell whether an earlier call got everything and ended before its caller could use it."""
    total = _read_notes(part).get("total", "")
    return part.exists() and total == str(part.stat().st_size)


def _read_notes(part: Path) -> dict[str, str]:
    try:
        told = json.loads(_notes(part).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return told if isinstance(told, dict) else {}


def _note(part: Path, response: httpx.Response, total: int) -> None:
    tag = response.headers.get("ETag", "")
    # A weak tag promises equal meaning, not equal bytes, so it cannot guard a continuation.
    validator = tag if tag and not tag.startswith("W/") else response.headers.get("Last-Modified", "")
    told = {"validator": "" if _encoded(response) else validator, "total": str(total or "")}
    with new_file(_notes(part)) as file:
        file.write(json.dumps(told).encode())


def _notes(part: Path) -> Path:
    return part.with_name(part.name + ".json")


def _encoded(response: httpx.Response) -> bool:
    return bool(response.headers.get("Content-Encoding", "identity") != "identity")


def _web_page(url: str) -> CorruptDownload:
    return CorruptDownload(
        f"expected data from {public(url)}, found a web page (a login, a proxy or an error page?)",
        help="--from with the address of the file itself, or with the file, saved from a browser",
    )
