"""Manifests: the content of ``corpus.toml``, and the download request that follows from it."""

from __future__ import annotations

import os
import re
from pathlib import Path

import msgspec

from ragharness.corpus.download.pinned import DownloadRequest, Pinned, is_on_hub, is_remote
from ragharness.corpus.download.remote import fetch_folder
from ragharness.errors import RagharnessError, UnknownName, UsageError
from ragharness.support import resources
from ragharness.support.files import expand_home
from ragharness.support.options import read_toml


class File(Pinned, frozen=True, kw_only=True):
    """One file of a corpus with its split."""

    split: str = ""


class OnHub(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Another collection of the same documents, which ``--from hub:OWNER/NAME`` fetches in rows."""

    name: str
    part: str = ""  # its folder that is read where the name tells none
    splits: tuple[str, ...]
    default_split: str
    space: int = 0


class Manifest(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What ``corpus.toml`` says: source, licence, files with their hashes, splits, size."""

    id: str
    title: str
    summary: str
    license: str
    attribution: str
    embedded: bool = False  # the texts lie beside the manifest; nothing is fetched
    folder: str = ""  # for documents of the user's own: where they are read
    homepage: str = ""
    url: str = ""
    license_url: str = ""
    citation: str = ""
    terms: str = ""  # shown before a download: what the user accepts by it
    publisher: str = ""  # by whose rules the files are fetched: "sec", "hub"; empty: one archive at ``url``
    pages: bool = False
    """A folder of the user's may hold other web pages than the published ones: what it holds is read."""
    suffixes: tuple[str, ...] = ()
    """A folder of the user's may hold any files of these kinds (".jsonl"): what it holds is read."""
    subsets: bool = False
    """A split may be read in part: ``test`` is the usual part of it, "test:300" and "test:all" are others."""
    keep_parsed: bool = False  # reading the files takes long: what they hold is kept in the cache
    splits: tuple[str, ...] = ()
    default_split: str = ""
    space: int = 0  # bytes on disk that fetching and unpacking need together, roughly
    files: dict[str, File] = {}
    hub: OnHub | None = None
    """For a corpus that is published elsewhere: where the hub has such documents, too."""
    counts: dict[str, dict[str, int]] = {}
    """Expected documents, segments, facts and words, by split; by "" in a corpus without splits."""


def manifest(name: str) -> Manifest:
    """Manifest of a corpus, or of a folder of the user's; raises UnknownName with the nearest names."""
    if is_own(name):
        return folder_manifest(name, folder_path(name))
    path = resources.folder("corpora", name) / "corpus.toml"
    try:
        return msgspec.convert(read_toml(path, "ragharness doctor"), Manifest)
    except msgspec.ValidationError as error:
        raise RagharnessError(f"{path} is no manifest of a corpus: {error}") from error


def folder_manifest(name: str, path: Path) -> Manifest:
    """Manifest of a folder of the user's."""
    return Manifest(
        id=folder_name(name),
        title=path.resolve().name,
        summary="documents of your own, read where they are",
        license="your own",
        attribution="",
        embedded=True,
        folder=str(path),
    )


def is_own(name: str) -> bool:
    """Whether a name means a folder of the user's: it is a path, or a folder here and no corpus."""
    written = name.strip()
    separators = {os.sep, os.altsep or os.sep, "/"}
    if written in {".", ".."} or written.startswith("~") or any(mark in written for mark in separators):
        return True
    return name not in resources.names("corpora") and Path(name).is_dir()


def folder_name(name: str) -> str:
    """The one way to write the path of a folder: ``./docs`` for ``docs/``."""
    if is_remote(name):
        return name.rstrip("/")
    path = Path(os.path.normpath(expand_home(name.strip())))
    written = path.as_posix()
    return written if path.is_absolute() or written.startswith(".") else f"./{written}"


def folder_path(name: str) -> Path:
    """The folder that a name means, or the copy of a remote one; raises UsageError for none."""
    path = fetch_folder(name) if is_remote(name) else expand_home(name)
    if path.is_dir():
        return path
    advice = "ragharness corpus show ./FOLDER shows what is read from a folder"
    if path.is_file():
        advice = f"give the folder that holds it: --corpus {path.parent}"
    kind = "a file" if path.exists() else "nothing"
    raise UsageError(f"expected a folder of documents at {path}, found {kind}", help=advice)


def download_request(card: Manifest, split: str, source: str = "") -> DownloadRequest:
    """Request for what reading one split of a corpus needs, from where the user wants it."""
    whole = split.partition(":")[0]
    if (hub := _on_hub(card, source)) is not None:
        rows = {f"{whole}.jsonl": Pinned()}
        cache_name = re.sub(r"[^\w.-]+", "-", f"{card.id}-{source.partition(':')[2]}")
        return DownloadRequest(
            card.id, "", rows, rows, space=hub.space, publisher="hub", cache_name=cache_name, part=hub.part
        )
    files = {name: file for name, file in card.files.items() if file.split == whole}
    return DownloadRequest(
        card.id,
        card.url,
        required={name: file for name, file in files.items() if not file.optional},
        published=card.files,
        terms=card.terms,
        space=card.space,
        publisher=card.publisher,
        pages=card.pages,
        suffixes=card.suffixes,
        optional={name: file for name, file in files.items() if file.optional},
    )


def choose_split(card: Manifest, split: str, source: str = "") -> str:
    """The split to read: the named one, or the default; raises UnknownName or UsageError.

    ":300" or ":all" behind it asks for a part of another size than the usual one.
    """
    hub = _on_hub(card, source)
    splits, default = (hub.splits, hub.default_split) if hub else (card.splits, card.default_split)
    name, mark, part = split.partition(":")
    chosen = name or default
    if mark and not (card.subsets and (part == "all" or (part.isdecimal() and part.strip("0")))):
        if card.subsets:
            raise UsageError(f"expected a number or all for --subset, found {part!r}", help="leave it out")
        raise UsageError(f"{card.id} is always read whole, found --subset {part}", help="leave --subset out")
    if chosen and chosen not in splits:
        if not splits:
            advice = f"leave --split out, or --from hub:{card.hub.name}" if card.hub else "leave --split out"
            raise UsageError(f"{card.id} has no splits, found --split {chosen}", help=advice)
        raise UnknownName(f"split of {card.id}", chosen, splits, help=f"ragharness corpus show {card.id}")
    return f"{chosen}{mark}{part}"


def _on_hub(card: Manifest, source: str) -> OnHub | None:
    return card.hub if is_on_hub(source) else None
