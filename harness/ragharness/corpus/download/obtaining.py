"""Finds the files of a corpus: those the user names, else the cached ones, else the network."""

from __future__ import annotations

import shlex
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from pathlib import Path

from ragharness.corpus.download.pinned import (
    HUB,
    DownloadRequest,
    Listener,
    Pinned,
    altered,
    hash_file,
    is_offline,
    is_on_hub,
    named_source,
    source_variable,
)
from ragharness.corpus.download.storage import HASHES, condition, locked, record_hashes
from ragharness.errors import CorpusUnavailable
from ragharness.support.files import cache_folder, expanded
from ragharness.support.privacy import public

_PAGES = frozenset({".htm", ".html", ".xhtml", ".txt"})
"""Pages, and complete submissions."""


def obtain(
    request: DownloadRequest,
    *,
    source: str = "",
    offline: bool = False,
    complete: bool = False,
    on_progress: Listener | None = None,
) -> Path:
    """Return a folder that holds the wanted files with the pinned content, or the one file that was named.

    ``source`` (or the corpus' environment variable) is a folder, a zip, a JSON file or a URL to use
    instead of the published one. ``complete`` fetches what may be missing beside the wanted files, too.
    Raises CorpusUnavailable, CorruptDownload or StorageError.
    """
    source = named_source(request.corpus, source)
    wanted = _Obtaining(request, source, on_progress or _silent)
    if source and not (source.startswith(("http://", "https://")) or is_on_hub(source)):
        return wanted.from_path(expanded(source))
    offline = offline or is_offline("HF_HUB_OFFLINE")
    return wanted.from_cache_or_network(offline=offline, complete=complete)


def is_cached(request: DownloadRequest) -> bool:
    """Tell whether the cache holds the wanted files unaltered."""
    return _Obtaining(request, "", _silent).is_cached()


@dataclass(frozen=True)
class _Obtaining:
    """The ways to the files of one corpus."""

    request: DownloadRequest
    source: str
    on_progress: Listener

    @cached_property
    def folder(self) -> Path:
        """The folder of the cache for the files of the corpus."""
        return cache_folder() / "corpora" / (self.request.place or self.request.corpus)

    def from_cache_or_network(self, *, offline: bool, complete: bool) -> Path:
        """Return the folder of the cache, filled where it lacks something."""
        published = not self.source or self.source == self.request.url
        here = self.is_cached()
        lacking = self._lacking() if published else []
        if here and not (lacking and complete and not offline):
            return self.folder
        if offline:
            raise self._not_here()
        with locked(self.folder, self.on_progress):
            # Another process may have fetched it while this one waited for the lock.
            again = _Obtaining(self.request, self.source, _silent)
            if not again.is_cached():
                self._fetch(self.source or self.request.url)
            if published and (lacking := again._lacking()):
                from ragharness.corpus.download.hub import fetch_besides

                fetched = fetch_besides(self.request, lacking, self.folder, self.on_progress)
                record_hashes(self.folder, fetched, _label(self.request.url))
        return self.folder

    def is_cached(self) -> bool:
        """Tell whether the cache holds the wanted files unaltered (and from that mirror, if one is named)."""
        origin = _label(self.source) if self.source else ""
        for name, pinned in self.request.wanted.items():
            found = condition(self.folder, name, pinned, origin)
            if found == "altered":
                told = f"{self.folder / name} was altered since it was fetched; fetching it again"
                self.on_progress(told, 0, 0)
            if found != "whole":
                return False
        return True

    def _lacking(self) -> list[str]:
        """Return the files beside the wanted ones that the cache does not hold; an altered one is dropped."""
        lacking = []
        for name in self.request.besides:
            found = condition(self.folder, name, Pinned())
            lacking += [] if found == "whole" else [name]
            if found == "altered":
                (self.folder / name).unlink(missing_ok=True)
                told = f"{name} was altered since it was fetched, and is left out"
                self.on_progress(f"{told}; {self.request.fetch_command}", 0, 0)
        return lacking

    def _not_here(self) -> CorpusUnavailable:
        """Return the error for a corpus that the cache does not hold, or holds from elsewhere."""
        corpus, offline = self.request.corpus, "and the network is not to be used (offline)"
        if self.source and is_cached(self.request):
            return CorpusUnavailable(
                f"the cache holds {corpus}, but not from {public(self.source)}, {offline}",
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
            fetch_filings(request, root, folder, self.on_progress, source=_label(url))
            return
        if request.publisher == "hub" and (url == request.url or url.startswith(HUB)):
            from ragharness.corpus.download.hub import fetch_rows

            fetched = fetch_rows(request, url.removeprefix(HUB), folder, self.on_progress)
            record_hashes(folder, fetched, _label(url))
            return
        from ragharness.corpus.download.transfer import discard, fetch

        part = folder / f"{sha256(url.encode()).hexdigest()[:16]}.part"
        fetch(url, part, on_progress=self.on_progress, space=request.space)
        try:
            self._keep(part, public(url).rpartition("/")[2], _label(url))
        finally:
            # Whole but wrong is not worth going on from.
            discard(part)

    def from_path(self, path: Path) -> Path:
        """Return the folder or file that the user named, or where the files of an archive were unpacked."""
        request = self.request
        try:
            if path.is_dir():
                return self._in_place(path)
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
        if request.pages and path.suffix.casefold() in request.suffixes and not self._packed(path):
            return path
        with locked(self.folder, self.on_progress):
            self._keep(path, path.name, str(path.resolve()))
        return self.folder

    def _packed(self, path: Path) -> bool:
        """Whether a file is an archive with published files, which are unpacked; raises for a damaged one."""
        from ragharness.corpus.download.archives import is_zip, plain_names

        return is_zip(path) and bool(plain_names(path) & self.request.wanted.keys())

    def _in_place(self, folder: Path) -> Path:
        """Return the folder that holds the wanted files: this one, or the one below it that does."""
        request, command = self.request, self.request.fetch_command
        if request.pages and not (pages_in(folder) or files_in(folder, request.suffixes)):
            rows = f"; in items as {', '.join(request.suffixes)}" if request.suffixes else ""
            raise CorpusUnavailable(
                f"expected filings (.htm, .html, .xhtml, submissions as .txt{rows}) in {folder}, found none",
                help=f"{command}; a folder of other documents is read with --corpus FOLDER",
            )
        if request.suffixes and not request.pages and not files_in(folder, request.suffixes):
            kinds = ", ".join(request.suffixes)
            raise CorpusUnavailable(
                f"expected files of {request.corpus} ({kinds}) in {folder}, found none", help=command
            )
        if request.pages or request.suffixes:
            return folder
        first = next(iter(request.wanted))
        below = (path for path in _within(folder) if path.name == first and path.parent != folder)
        found = [folder / first] if (folder / first).is_file() else list(below)
        if len(found) != 1:
            raise CorpusUnavailable(
                f"expected one file {first} in {folder}, found {len(found)}", help=command
            )
        home = found[0].parent
        for name, pinned in request.wanted.items():
            if not (home / name).is_file():
                raise CorpusUnavailable(f"expected {name} in {home}, found none", help=command)
            content = hash_file(home / name)
            if pinned.sha256 and content != pinned.sha256:
                raise altered(str(home / name), name, pinned, content, (home / name).stat().st_size, request)
        return home

    def _keep(self, path: Path, name: str, source: str) -> None:
        from ragharness.corpus.download.archives import install

        installed = install(path, self.request, self.folder, self.on_progress, name=name)
        record_hashes(self.folder, installed, source)
        for each, found in installed.items():
            if not self.request.welcome[each].sha256:
                self.on_progress(f"{each} has no published hash; recorded sha256 {found}", 0, 0)


def pages_in(folder: Path) -> list[Path]:
    """Return the files that may hold filings in a folder and up to three levels below it, by their names."""
    return files_in(folder, _PAGES)


def files_in(folder: Path, suffixes: Collection[str]) -> list[Path]:
    """Return the files of some kinds in a folder and up to three levels below it, by their names.

    A file in place of the folder is the one there is.
    """
    if folder.is_file():
        return [folder] if folder.suffix.casefold() in suffixes else []
    files = (path for path in _within(folder) if path.suffix.casefold() in suffixes and path.is_file())
    theirs = (path for path in files if path.name != HASHES and not path.name.startswith("."))
    return sorted(theirs, key=lambda path: path.parts)


def _within(folder: Path) -> Iterator[Path]:
    # Three levels below it, not all: the folder may be somebody's home.
    return (path for stars in ("*", "*/*", "*/*/*", "*/*/*/*") for path in folder.glob(stars))


def _label(url: str) -> str:
    """Return what the cache remembers of a URL: what may be shown, and a hash that tells secrets apart."""
    return f"{public(url)} {sha256(url.encode()).hexdigest()[:8]}"


def _silent(what: str, done: int, total: int) -> None:
    """Listen to nothing."""
