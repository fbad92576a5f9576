"""Finds the files of a corpus: those the user names, else the cached ones, else the network."""

from __future__ import annotations

import shlex
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from pathlib import Path

from ragharness.corpus.download.pinned import (
    HASHES,
    HUB,
    DownloadRequest,
    Listener,
    Pinned,
    cached_state,
    hash_file,
    is_offline,
    is_on_hub,
    locked,
    named_source,
    record_hashes,
    source_variable,
)
from ragharness.errors import CorpusUnavailable
from ragharness.support.files import cache_folder, expand_home
from ragharness.support.messages import public_url

_PAGES = frozenset({".htm", ".html", ".xhtml", ".txt"})  # pages, and complete submissions


def obtain(
    request: DownloadRequest,
    *,
    source: str = "",
    offline: bool = False,
    complete: bool = False,
    on_progress: Listener | None = None,
) -> Path:
    """Folder that holds the required files with the pinned content, or the one file that was named.

    ``source`` (or the corpus' environment variable) is a folder, a zip, a JSON file or a URL to use
    instead of the published one. ``complete`` fetches the missing optional files, too.
    Raises CorpusUnavailable, CorruptDownload or StorageError.
    """
    source = named_source(request.corpus, source)
    search = _Search(request, source, on_progress or _silent)
    if source and not (source.startswith(("http://", "https://")) or is_on_hub(source)):
        return search.in_path(expand_home(source))
    offline = offline or is_offline("HF_HUB_OFFLINE")
    return search.in_cache_or_network(offline=offline, complete=complete)


def is_cached(request: DownloadRequest) -> bool:
    """Whether the cache holds the required files unaltered."""
    return _Search(request, "", _silent).is_cached()


@dataclass(frozen=True)
class _Search:
    request: DownloadRequest
    source: str
    on_progress: Listener

    @cached_property
    def folder(self) -> Path:
        return cache_folder() / "corpora" / (self.request.cache_name or self.request.corpus)

    def in_cache_or_network(self, *, offline: bool, complete: bool) -> Path:
        """The folder of the cache, filled where it lacks something."""
        published = not self.source or self.source == self.request.url
        cached = self.is_cached()
        missing = self._missing_optional() if published else []
        if cached and not (missing and complete and not offline):
            return self.folder
        if offline:
            raise self._not_cached()
        with locked(self.folder, self.on_progress):
            # Another process may have fetched it while this one waited for the lock.
            again = _Search(self.request, self.source, _silent)
            if not again.is_cached():
                self._fetch(self.source or self.request.url)
            if published and (missing := again._missing_optional()):
                from ragharness.corpus.download.hub import fetch_optional

                hashes = fetch_optional(self.request, missing, self.folder, self.on_progress)
                record_hashes(self.folder, hashes, _origin(self.request.url))
        return self.folder

    def is_cached(self) -> bool:
        """Whether the cache holds the required files unaltered (and from that mirror, if one is named)."""
        origin = _origin(self.source) if self.source else ""
        for name, pinned in self.request.required.items():
            state = cached_state(self.folder, name, pinned, origin)
            if state == "altered":
                notice = f"{self.folder / name} was altered since it was fetched; fetching it again"
                self.on_progress(notice, 0, 0)
            if state != "whole":
                return False
        return True

    def _missing_optional(self) -> list[str]:
        """The optional files that the cache does not hold; an altered one is dropped."""
        missing = []
        for name in self.request.optional:
            state = cached_state(self.folder, name, Pinned())
            missing += [] if state == "whole" else [name]
            if state == "altered":
                (self.folder / name).unlink(missing_ok=True)
                notice = f"{name} was altered since it was fetched, and is left out"
                self.on_progress(f"{notice}; {self.request.fetch_command}", 0, 0)
        return missing

    def _not_cached(self) -> CorpusUnavailable:
        """Error for a corpus that the cache does not hold, or holds from elsewhere."""
        corpus, offline = self.request.corpus, "and the network is not to be used (offline)"
        if self.source and is_cached(self.request):
            return CorpusUnavailable(
                f"the cache holds {corpus}, but not from {public_url(self.source)}, {offline}",
                help=f"leave --from out to use what is cached, or unset {source_variable(corpus)}",
            )
        return CorpusUnavailable(
            f"{corpus} is not in the cache ({self.folder}), {offline}",
            help=f"{self.request.fetch_command}, or --from PATH with a copy that you have",
        )

    def _fetch(self, url: str) -> None:
        request, folder = self.request, self.folder
        if request.terms:
            self.on_progress(request.terms, 0, 0)
        if request.publisher == "sec":
            from ragharness.corpus.download.sec import fetch_filings

            root = "" if url == request.url else url
            fetch_filings(request, root, folder, self.on_progress, source=_origin(url))
            return
        if request.publisher == "hub" and (url == request.url or url.startswith(HUB)):
            from ragharness.corpus.download.hub import fetch_rows

            hashes = fetch_rows(request, url.removeprefix(HUB), folder, self.on_progress)
            record_hashes(folder, hashes, _origin(url))
            return
        from ragharness.corpus.download.transfer import discard, fetch

        part = folder / f"{sha256(url.encode()).hexdigest()[:16]}.part"
        fetch(url, part, on_progress=self.on_progress, space=request.space)
        try:
            self._install(part, public_url(url).rpartition("/")[2], _origin(url))
        finally:
            # Whole but wrong is not worth going on from.
            discard(part)

    def _install(self, path: Path, name: str, source: str) -> None:
        from ragharness.corpus.download.archives import install

        hashes = install(path, self.request, self.folder, self.on_progress, name=name)
        record_hashes(self.folder, hashes, source)
        for file, digest in hashes.items():
            if not self.request.published[file].sha256:
                self.on_progress(f"{file} has no published hash; recorded sha256 {digest}", 0, 0)

    def in_path(self, path: Path) -> Path:
        """The folder or file that the user named, or the folder into which an archive was unpacked."""
        request = self.request
        try:
            if path.is_dir():
                return self._in_folder(path)
            if path.is_file():
                path.open("rb").close()
        except OSError as error:
            raise CorpusUnavailable(f"cannot read {error.filename or path}: {error.strerror}") from error
        if not path.is_file():
            raise CorpusUnavailable(
                f"expected a folder, a zip, a JSON file or a URL (http, https) of {request.corpus},"
                f" found no {path}",
                help=f"--from PATH|URL, or unset {source_variable(request.corpus)}",
            )
        if request.pages and path.suffix.casefold() in _PAGES:
            raise CorpusUnavailable(
                f"expected a folder of filings, found the file {path.name}",
                help=f"--from {shlex.quote(str(path.parent))}: every filing in it is read",
            )
        if request.pages and path.suffix.casefold() in request.suffixes:
            from ragharness.corpus.download.archives import member_names

            # An archive with published files is unpacked.
            if not member_names(path) & request.required.keys():
                return path
        with locked(self.folder, self.on_progress):
            self._install(path, path.name, str(path.resolve()))
        return self.folder

    def _in_folder(self, folder: Path) -> Path:
        """The folder that holds the required files: this one, or the one below it that does."""
        request, command = self.request, self.request.fetch_command
        if request.pages or request.suffixes:
            if files_in(folder, request.suffixes) or (request.pages and pages_in(folder)):
                return folder
            kinds, advice = ", ".join(request.suffixes), command
            sought = f"files of {request.corpus} ({kinds})"
            if request.pages:
                rows = f"; in items as {kinds}" if kinds else ""
                sought = f"filings (.htm, .html, .xhtml, submissions as .txt{rows})"
                advice = f"{command}; a folder of other documents is read with --corpus FOLDER"
            raise CorpusUnavailable(f"expected {sought} in {folder}, found none", help=advice)
        name = next(iter(request.required))
        below = (path for path in _within(folder) if path.name == name and path.parent != folder)
        copies = [folder / name] if (folder / name).is_file() else list(below)
        if len(copies) != 1:
            raise CorpusUnavailable(
                f"expected one file {name} in {folder}, found {len(copies)}", help=command
            )
        home = copies[0].parent
        for name, pinned in request.required.items():
            path = home / name
            if not path.is_file():
                raise CorpusUnavailable(f"{home} has no {name}", help=command)
            digest = hash_file(path)
            if pinned.sha256 and digest != pinned.sha256:
                raise request.altered(str(path), name, pinned, digest, path.stat().st_size)
        return home


def pages_in(folder: Path) -> list[Path]:
    """Files that may hold filings in a folder and up to three levels below it, by their names."""
    return files_in(folder, _PAGES)


def files_in(folder: Path, suffixes: Collection[str]) -> list[Path]:
    """Files of some kinds in a folder and up to three levels below, or the one in its place, by name."""
    if folder.is_file():
        return [folder] if folder.suffix.casefold() in suffixes else []
    files = (path for path in _within(folder) if path.suffix.casefold() in suffixes and path.is_file())
    visible = (path for path in files if path.name != HASHES and not path.name.startswith("."))
    return sorted(visible, key=lambda path: path.parts)


def _within(folder: Path) -> Iterator[Path]:
    # Three levels below it, not all: the folder may be somebody's home.
    return (path for stars in ("*", "*/*", "*/*/*", "*/*/*/*") for path in folder.glob(stars))


def _origin(url: str) -> str:
    """What the cache remembers of a URL: what may be shown, and a hash that tells secrets apart."""
    return f"{public_url(url)} {sha256(url.encode()).hexdigest()[:8]}"


def _silent(what: str, done: int, total: int) -> None:
    """Listen to nothing."""
