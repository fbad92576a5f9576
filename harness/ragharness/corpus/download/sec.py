"""Download of filings from the SEC by its rules: a contact address, few requests per second, gzip, retries.

The rules are those of https://www.sec.gov/os/accessing-edgar-data: at most ten requests a second, and a
User-Agent that names a person or company with an e-mail address; who asks faster is blocked for ten minutes.
"""

from __future__ import annotations

import json
import os
import re
import threading
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from contextlib import suppress
from dataclasses import dataclass, field
from hashlib import sha256
from itertools import chain
from pathlib import Path
from typing import Any

import httpx

from ragharness.corpus.download.pinned import (
    DownloadRequest,
    Listener,
    Pinned,
    cached_state,
    new_file,
    record_hashes,
    require_space,
)
from ragharness.corpus.download.transfer import new_client, refused, unreachable
from ragharness.errors import CorpusUnavailable, CorruptDownload
from ragharness.support.concurrency import Pace
from ragharness.support.http import TRANSIENT, Unpacker, retry_after
from ragharness.support.messages import public_url

CONTACT = "RAGHARNESS_SEC_CONTACT"  # the environment variable that names who asks
REQUESTS_A_SECOND = 8.0  # below the ten that the SEC allows, for all workers together
WORKERS = 4
PAUSES = (1.0, 5.0, 30.0, 120.0, 600.0)  # seconds after a refusal that names none: the SEC blocks for minutes
LONGEST_PAUSE = 900.0
LARGEST = 200_000_000  # bytes above which no filing is believed
_ARCHIVES = "https://www.sec.gov"
_DATA = "https://data.sec.gov"
_EMAIL = re.compile(r"[^\s@<>]+@[^\s@<>]+\.[A-Za-z]{2,}")
_BUSY = TRANSIENT | {403}  # the SEC refuses with 403 whoever asked too fast
_OWN_COPY = "--from FOLDER with filings that you have"


class _AgainError(Exception):
    """The request is worth repeating: busy, cut, or half of a compressed answer."""

    def __init__(self, reason: str, seconds: float | None = None) -> None:
        super().__init__(reason)
        self.seconds = seconds


def fetch_filings(
    request: DownloadRequest, root: str, folder: Path, on_progress: Listener, *, source: str
) -> None:
    """Download the required filings into a folder; what is there already, unaltered, is not asked for again.

    ``root`` is the address of a mirror with the SEC's paths, empty for the SEC itself; ``source`` is what the
    cache is to remember of it. Raises CorpusUnavailable without a contact, when the SEC refuses for good or
    cannot be reached, CorruptDownload for other content.
    """
    mirror = source if root else ""
    missing = {
        name: pinned
        for name, pinned in request.required.items()
        if cached_state(folder, name, pinned, mirror) != "whole"
    }
    if not missing:
        return
    headers = {"User-Agent": f"{_contact()} ragharness", "Accept-Encoding": "gzip, deflate"}
    require_space(folder, request.space)
    with new_client(headers) as client:
        _Fetch(request, root.rstrip("/"), folder, on_progress, client, source).run(missing)


def _contact() -> str:
    """Who asks, as the SEC wants it; raises CorpusUnavailable with how to say so."""
    contact = os.environ.get(CONTACT, "").strip()
    if not _EMAIL.search(contact) or not contact.isascii() or not contact.isprintable():
        problem = "has none, or characters that no header may have" if contact else "is not set"
        raise CorpusUnavailable(
            "the SEC asks every program to name a person or company with an e-mail address:"
            f" {CONTACT} {problem}",
            help=f'export {CONTACT}="Jane Doe jane@example.com", or {_OWN_COPY}',
        )
    return contact


@dataclass
class _Fetch:
    """One fetch: workers that share a pace, and the count of what has arrived."""

    request: DownloadRequest
    root: str
    folder: Path
    on_progress: Listener
    client: httpx.Client
    source: str
    pace: Pace = field(default_factory=lambda: Pace(REQUESTS_A_SECOND))
    lock: threading.Lock = field(default_factory=threading.Lock)
    done: int = 0
    total: int = 0

    def run(self, missing: dict[str, Pinned]) -> None:
        """Fetch all, or raise the earliest failure; what is whole stays."""
        self.total = sum(pinned.bytes for pinned in missing.values())
        with ThreadPoolExecutor(max_workers=WORKERS) as pool:
            futures = [pool.submit(self._fetch, name, pinned) for name, pinned in missing.items()]
            try:
                finished, _ = wait(futures, return_when=FIRST_EXCEPTION)
            finally:
                # Also when a person interrupts: no further request goes out.
                self.pace.stopped.set()
                pool.shutdown(wait=True, cancel_futures=True)
        for future in finished:
            future.result()

    def _fetch(self, name: str, pinned: Pinned) -> None:
        accession, document = pinned.accession, pinned.document
        if not (accession and document):
            accession, document = self._look_up(name, pinned)
        path = f"/Archives/edgar/data/{pinned.cik}/{accession.replace('-', '')}/{document}"
        url = (self.root or _ARCHIVES) + path
        content = self._get(url, pinned.bytes)
        digest = sha256(content).hexdigest()
        if pinned.sha256 and digest != pinned.sha256:
            raise self.request.altered(public_url(url), name, pinned, digest, len(content))
        if b"http://www.xbrl.org/" not in content:
            raise CorruptDownload(
                f"{public_url(url)} is not the filing {name} but another web page (an error page, a login?)",
                help="open it in a browser, then --from FOLDER with the page that you saved",
            )
        with self.lock:
            with new_file(self.folder / name) as file:
                file.write(content)
            record_hashes(self.folder, {name: digest}, self.source)

    def _look_up(self, name: str, pinned: Pinned) -> tuple[str, str]:
        """Accession number and main document of a filing, by who filed it, its form and its period."""
        base = (self.root or _DATA) + "/submissions/"
        pages = [f"CIK{pinned.cik.zfill(10)}.json"]
        while pages:
            page = self._json(base + pages.pop(0))
            filings = page.get("filings", {})
            recent = filings.get("recent", page) if "filings" in page else page
            keys = ("form", "reportDate", "accessionNumber", "primaryDocument")
            rows = zip(*(recent.get(key, []) for key in keys), strict=False)
            for form, period, accession, document in rows:
                if (form, period) == (pinned.form, pinned.period):
                    return _file_name(accession), _file_name(document)
            older = (entry for entry in filings.get("files", []) if isinstance(entry, dict))
            pages += [_file_name(entry.get("name", "")) for entry in older]
        raise CorpusUnavailable(
            f"no {pinned.form} for {pinned.period} is among the filings of CIK {pinned.cik} ({name})",
            help=_OWN_COPY,
        )

    def _json(self, url: str) -> dict[str, Any]:
        with suppress(ValueError):
            if isinstance(content := json.loads(self._get(url, 0)), dict):
                return content
        raise CorruptDownload(f"{public_url(url)} sent something else than a JSON object")

    def _get(self, url: str, size: int) -> bytes:
        """Content of a URL, asked for again while the SEC is busy; raises when it stays so."""
        reason = ""
        for attempt in range(len(PAUSES) + 1):
            self.pace.turn()
            if self.pace.stopped.is_set():
                raise CorpusUnavailable(
                    f"{public_url(url)} is not asked for any more: another request failed"
                )
            try:
                return self._receive(url, size)
            except _AgainError as again:
                reason = str(again)
                self._pause(attempt, again.seconds, reason)
            except (httpx.ReadError, httpx.RemoteProtocolError, httpx.TimeoutException) as error:
                reason = f"the connection was cut ({type(error).__name__})"
                self._pause(0, None, reason)
            except (httpx.HTTPError, httpx.InvalidURL) as error:
                raise unreachable(url, error) from error
        raise CorpusUnavailable(
            f"{public_url(url)} was refused {len(PAUSES) + 1} times, last: {reason}",
            help="wait ten minutes and give the same command again: it goes on where it stopped",
        )

    def _pause(self, attempt: int, asked: float | None, reason: str) -> None:
        if attempt >= len(PAUSES):
            return
        seconds = min(LONGEST_PAUSE, PAUSES[attempt] if asked is None else asked)
        self.pace.pause(seconds)
        with self.lock:
            self.on_progress(f"{reason}; waiting {seconds:g} s", 0, 0)

    def _receive(self, url: str, size: int) -> bytes:
        """The body; half of a compressed one is seen here, where the length alone would fit."""
        with self.client.stream("GET", url) as response:
            if response.status_code in _BUSY:
                raise _AgainError(
                    f"{public_url(url)} answered {response.status_code}", retry_after(response.headers)
                )
            if not response.is_success:
                raise refused(url, response, _OWN_COPY)
            content = bytearray()
            try:
                unpacker = Unpacker(response.headers)
                for block in chain.from_iterable(map(unpacker.blocks, response.iter_raw())):
                    content += block
                    if len(content) > LARGEST:
                        raise CorruptDownload(
                            f"{public_url(url)} sent more than the {LARGEST} bytes it may have"
                        )
            except ValueError as error:
                raise _AgainError(f"{public_url(url)} sent {error}") from error
        if not unpacker.whole:
            raise _AgainError(f"{public_url(url)} sent half of its compressed data")
        if size:
            with self.lock:
                self.done += len(content)
                self.on_progress("fetching filings", min(self.done, self.total), self.total)
        return bytes(content)


def _file_name(name: object) -> str:
    """A name from outside as a part of an address: it must be a plain file name."""
    text = str(name)
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]{0,100}", text) or ".." in text:
        raise CorruptDownload(f"the SEC's list of filings holds {text[:60]!r}, which is no file name")
    return text
