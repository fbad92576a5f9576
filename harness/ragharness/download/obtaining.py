"""Finds the files of a corpus: those the user names, else the cached ones, else the network."""

from __future__ import annotations

import os
import shlex
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

from ragharness.download.pinned import (
    HUB,
    altered,
    hash_file,
    is_on_hub,
    named_source,
    source_variable,
)
from ragharness.download.storage import cache_folder, cached_hashes, locked, record_hashes, storage_errors
from ragharness.download.transfer import discard, fetch, public
from ragharness.errors import CorpusUnavailable

if TYPE_CHECKING:
    from collections.abc import Collection

    from ragharness.download.pinned import Listener, Wish

_PAGES = frozenset({".htm", ".html", ".xhtml", ".txt"})
"""Pages, and complete submissions."""
_OFFLINE = "RAGHARNESS_OFFLINE"
_OFFLINE_VARIABLES = (_OFFLINE, "HF_HUB_OFFLINE")


def obtain(
    wish: Wish,
    *,
    source: str = "",
    offline: bool = False,
    complete: bool = False,
    listener: Listener | None = None,
) -> Path:
    """Return a folder that holds the wanted files with the pinned content, or the one file that was named.

    ``source`` (or the corpus' environment variable) is a folder, a zip, a JSON file or a URL to use
    instead of the published one. ``complete`` fetches what may be missing beside the wanted files, too.
    Raises CorpusUnavailable, CorruptDownload or StorageError.
    """
    tell = listener or _silent
    source = named_source(wish.corpus, source)
    folder = _home(wish)
    if source and not (source.startswith(("http://", "https://")) or is_on_hub(source)):
        return _from_path(wish, Path(source).expanduser(), folder, tell)
    here, published = _cached(wish, folder, source, tell), not source or source == wish.url
    lacking = _lacking(wish, folder, tell) if published else []
    if here and not (lacking and complete):
        return folder
    if offline or _offline_by_environment(*_OFFLINE_VARIABLES):
        if here:
            return folder
        raise _not_here(wish, folder, source)
    with locked(folder, tell):
        # Another process may have fetched it while this one waited for the lock.
        if not _cached(wish, folder, source, _silent):
            _from_url(wish, source or wish.url, folder, tell)
        if published and (lacking := _lacking(wish, folder, _silent)):
            from ragharness.download.hub import fetch_besides

            record_hashes(folder, fetch_besides(wish, lacking, folder, tell), _label(wish.url))
    return folder


def _lacking(wish: Wish, folder: Path, tell: Listener) -> list[str]:
    """Return the files beside the wanted ones that the cache does not hold; an altered one is dropped."""
    known, lacking = cached_hashes(folder), []
    for name in wish.besides:
        with storage_errors(folder):
            found = hash_file(folder / name) if (folder / name).is_file() else ""
        if not found or found != known.get(name, {}).get("sha256", ""):
            lacking.append(name)
        # What is not recorded yet another process may be about to record.
        if found and name in lacking and name in known:
            discard(folder / name)
            tell(f"{name} was altered since it was fetched, and is left out; {wish.fetch_command}", 0, 0)
    return lacking


def _not_here(wish: Wish, folder: Path, source: str) -> CorpusUnavailable:
    """Return the error for a corpus that the cache does not hold, or holds from elsewhere."""
    offline = "and the network is not to be used (offline)"
    if source and is_cached(wish):
        return CorpusUnavailable(
            f"the cache holds {wish.corpus}, but not from {public(source)}, {offline}",
            help=f"leave --from out to use what is cached, or unset {source_variable(wish.corpus)}",
        )
    return CorpusUnavailable(
        f"{wish.corpus} is not in the cache ({folder}), {offline}",
        help=f"{wish.fetch_command}, or --from PATH with a copy that you have",
    )


def is_cached(wish: Wish) -> bool:
    """Tell whether the cache holds the wanted files unaltered."""
    return _cached(wish, _home(wish), "", _silent)


def _home(wish: Wish) -> Path:
    """Return the folder of the cache for the files of a corpus."""
    return cache_folder() / "corpora" / (wish.place or wish.corpus)


def _from_path(wish: Wish, path: Path, folder: Path, tell: Listener) -> Path:
    try:
        if path.is_dir():
            return _in_place(wish, path)
        if path.is_file():
            path.open("rb").close()
    except OSError as error:
        raise CorpusUnavailable(f"cannot read {error.filename or path}: {error.strerror}") from error
    if not path.is_file():
        raise CorpusUnavailable(
            f"expected a folder, a zip, a JSON file or a URL (http, https) of {wish.corpus}, found no {path}",
            help=f"--from PATH|URL, or unset {source_variable(wish.corpus)}",
        )
    if wish.pages and path.suffix.casefold() in _PAGES:
        raise CorpusUnavailable(
            f"expected a folder of filings, found the file {path.name}",
            help=f"--from {shlex.quote(str(path.parent))}: every filing in it is read",
        )
    if wish.pages and path.suffix.casefold() in wish.suffixes and not _packed(wish, path):
        return path
    with locked(folder, tell):
        _keep(wish, path, path.name, str(path.resolve()), folder, tell)
    return folder


def _packed(wish: Wish, path: Path) -> bool:
    """Whether a file is an archive with published files, which are unpacked; raises for a damaged one."""
    from ragharness.download.archives import is_zip, plain_names

    return is_zip(path) and bool(plain_names(path) & wish.wanted.keys())


def pages_in(folder: Path) -> list[Path]:
    """Return the files that may hold filings in a folder and up to three levels below it, by their names."""
    return files_in(folder, _PAGES)


def files_in(folder: Path, suffixes: Collection[str]) -> list[Path]:
    """Return the files of some kinds in a folder and up to three levels below it, by their names.

    A file in place of the folder is the one there is.
    """
    if folder.is_file():
        return [folder] if folder.suffix.casefold() in suffixes else []
    # Three levels, not all: the folder may be somebody's home.
    found = (path for stars in ("*", "*/*", "*/*/*", "*/*/*/*") for path in folder.glob(stars))
    files = (path for path in found if path.suffix.casefold() in suffixes and path.is_file())
    return sorted((path for path in files if not path.name.startswith(".")), key=lambda path: path.parts)


def _in_place(wish: Wish, folder: Path) -> Path:
    """Return the folder that holds the wanted files: this one, or the one below it that does."""
    if wish.pages:
        if not pages_in(folder) and not files_in(folder, wish.suffixes):
            rows = f"; in items as {', '.join(wish.suffixes)}" if wish.suffixes else ""
            raise CorpusUnavailable(
                f"expected filings (.htm, .html, .xhtml, submissions as .txt{rows}) in {folder}, found none",
                help=f"{wish.fetch_command}; a folder of other documents is read with --corpus FOLDER",
            )
        return folder
    if wish.suffixes:
        if not files_in(folder, wish.suffixes):
            kinds = ", ".join(wish.suffixes)
            raise CorpusUnavailable(
                f"expected files of {wish.corpus} ({kinds}) in {folder}, found none", help=wish.fetch_command
            )
        return folder
    first = next(iter(wish.wanted))
    found = [folder / first] if (folder / first).is_file() else _below(folder, first)
    if len(found) != 1:
        raise CorpusUnavailable(
            f"expected one file {first} in {folder}, found {len(found)}", help=wish.fetch_command
        )
    home = found[0].parent
    for name, pinned in wish.wanted.items():
        if not (home / name).is_file():
            raise CorpusUnavailable(f"expected {name} in {home}, found none", help=wish.fetch_command)
        content = hash_file(home / name)
        if pinned.sha256 and content != pinned.sha256:
            raise altered(str(home / name), name, pinned, content, (home / name).stat().st_size, wish)
    return home


def _below(folder: Path, name: str) -> list[Path]:
    # Three levels, not all: the folder may be somebody's home.
    return sorted(path for stars in ("*", "*/*", "*/*/*") for path in folder.glob(f"{stars}/{name}"))


def _cached(wish: Wish, folder: Path, source: str, tell: Listener) -> bool:
    """Tell whether the cache holds the wanted files unaltered (and from that mirror, if one is named)."""
    known = cached_hashes(folder)
    for name, pinned in wish.wanted.items():
        row = known.get(name, {})
        expected = pinned.sha256 or row.get("sha256", "")
        with storage_errors(folder):
            found = hash_file(folder / name) if (folder / name).is_file() else ""
        if not expected or not found or (source and row.get("source") != _label(source)):
            return False
        if found != expected:
            tell(f"{folder / name} was altered since it was fetched; fetching it again", 0, 0)
            return False
    return True


def _from_url(wish: Wish, url: str, folder: Path, tell: Listener) -> None:
    if wish.terms:
        tell(wish.terms, 0, 0)
    if wish.publisher == "sec":
        from ragharness.download.sec import fetch_filings

        fetch_filings(wish, "" if url == wish.url else url, folder, tell, source=_label(url))
        return
    if wish.publisher == "hub" and (url == wish.url or url.startswith(HUB)):
        from ragharness.download.hub import fetch_rows

        record_hashes(folder, fetch_rows(wish, url.removeprefix(HUB), folder, tell), _label(url))
        return
    part = folder / f"{sha256(url.encode()).hexdigest()[:16]}.part"
    fetch(url, part, tell=tell, space=wish.space)
    try:
        _keep(wish, part, public(url).rpartition("/")[2], _label(url), folder, tell)
    finally:
        # Whole but wrong is not worth going on from.
        discard(part)


def _keep(wish: Wish, path: Path, name: str, source: str, folder: Path, tell: Listener) -> None:
    from ragharness.download.archives import install

    installed = install(path, wish, folder, tell, name=name)
    record_hashes(folder, installed, source)
    for each, found in installed.items():
        if not wish.welcome[each].sha256:
            tell(f"{each} has no published hash; recorded sha256 {found}", 0, 0)


def _label(url: str) -> str:
    """Return what the cache remembers of a URL: what may be shown, and a hash that tells secrets apart."""
    return f"{public(url)} {sha256(url.encode()).hexdigest()[:8]}"


def is_offline() -> bool:
    """Whether the environment says that nothing outside this machine may be spoken to."""
    return _offline_by_environment(_OFFLINE)


def _offline_by_environment(*names: str) -> bool:
    values = (os.environ.get(name, "").strip().lower() for name in names)
    return any(value not in ("", "0", "false", "no", "off") for value in values)


def _silent(what: str, done: int, total: int) -> None:
    """Listen to nothing."""
