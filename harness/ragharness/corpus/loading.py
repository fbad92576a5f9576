"""Corpora, built-in, cached, downloaded or your own: their manifests (``corpus.toml``) and documents."""

from __future__ import annotations

import os
import re
import shlex
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from operator import attrgetter
from pathlib import Path

import msgspec

from ragharness.corpus.download.obtaining import files_in, obtain, pages_in
from ragharness.corpus.download.pinned import (
    DownloadRequest,
    Listener,
    Pinned,
    hash_file,
    is_on_hub,
    is_remote,
    named_source,
)
from ragharness.corpus.download.remote import fetch_folder
from ragharness.errors import CorruptDownload, RagharnessError, UnknownName, UsageError
from ragharness.records import Document
from ragharness.support import resources
from ragharness.support.files import cache_folder, expand_home, hash_code, read_cached, write_cached
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
    pages: bool = False  # a folder of the user's may hold other web pages than the published: all are read
    suffixes: tuple[str, ...] = ()  # a folder of the user's may hold any files of these kinds (".jsonl")
    subsets: bool = False  # a split may be read in part: ``test`` as usual, or "test:300", "test:all"
    keep_parsed: bool = False  # reading the files takes long: what they hold is kept in the cache
    splits: tuple[str, ...] = ()
    default_split: str = ""
    space: int = 0  # bytes on disk that fetching and unpacking need together, roughly
    files: dict[str, File] = {}
    hub: OnHub | None = None  # where the hub has such documents, too
    counts: dict[str, dict[str, int]] = {}  # expected documents, segments, facts, words; by split


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
    if (hub := card.hub) and is_on_hub(source):
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
    published: Manifest | OnHub = card.hub if card.hub and is_on_hub(source) else card
    name, mark, part = split.partition(":")
    chosen = name or published.default_split
    if mark and not (card.subsets and (part == "all" or (part.isdecimal() and part.strip("0")))):
        if card.subsets:
            raise UsageError(f"expected a number or all for --subset, found {part!r}", help="leave it out")
        raise UsageError(f"{card.id} is always read whole, found --subset {part}", help="leave --subset out")
    if chosen and chosen not in published.splits:
        if not published.splits:
            advice = f"leave --split out, or --from hub:{card.hub.name}" if card.hub else "leave --split out"
            raise UsageError(f"{card.id} has no splits, found --split {chosen}", help=advice)
        help_command = f"ragharness corpus show {card.id}"
        raise UnknownName(f"split of {card.id}", chosen, published.splits, help=help_command)
    return f"{chosen}{mark}{part}"


@dataclass(frozen=True)
class Corpus:
    """Documents of one split, in the order of their source."""

    id: str
    split: str  # empty when the corpus has none
    documents: tuple[Document, ...]
    license: str = ""
    attribution: str = ""
    folder: str = ""  # for documents of the user's own: where they were read; empty for a listed corpus
    notices: tuple[str, ...] = ()  # a sentence for each file left out, or read otherwise than its name says
    files: Path | None = None  # folder of the files that a listed corpus was parsed from
    files_hash: str = ""  # hash of those files, where parsing them takes long

    def document(self, document_id: str) -> Document:
        """Document by its id; raises UnknownName."""
        try:
            return self._by_id[document_id]
        except KeyError:
            raise UnknownName(f"document of {self.id}", document_id, self._by_id) from None

    def canonical(self, document_id: str) -> str:
        """Id of the first document with the same text: its own unless it is a twin or unknown."""
        return self.twins.get(document_id, document_id)

    @cached_property
    def counts(self) -> dict[str, int]:
        """How much it holds, in the words of the manifest."""
        return {
            "documents": len(self.documents),
            "words": sum(len(document.text.split()) for document in self.documents),
            "segments": sum(len(document.segments) for document in self.documents),
        }

    @cached_property
    def hash(self) -> str:
        """The sha256 of all that passages and questions are built from: ids, names, texts, segments."""
        digest = sha256()
        fields = attrgetter("id", "title", "handle", "paraphrase", "text", "segments")
        for document in self.documents:
            digest.update(msgspec.json.encode(fields(document)))
        return digest.hexdigest()

    @cached_property
    def twins(self) -> dict[str, str]:
        """Each document that repeats an earlier one's text, with the id of the first."""
        by_text: dict[str, str] = {}
        pairs = [(document.id, by_text.setdefault(document.text, document.id)) for document in self.documents]
        return {document: original for document, original in pairs if document != original}

    @cached_property
    def _by_id(self) -> dict[str, Document]:
        return {document.id: document for document in self.documents}


def load_corpus(
    name: str,
    *,
    split: str = "",
    source: str = "",
    offline: bool = False,
    complete: bool = False,
    on_progress: Listener | None = None,
) -> Corpus:
    """One split of a corpus: embedded, cached, or fetched.

    A name that is a path means a folder of the user's own documents, read where it is. ``source`` names a
    folder, an archive or a URL to read instead of the published one. ``complete`` fetches what is missing of
    a cached corpus that can be read without it. ``on_progress`` is told what is read, and of the corpus'
    notices those that no earlier command told.

    Raises UnknownName, UsageError, CorpusUnavailable, CorruptDownload or StorageError.
    """
    for address in filter(is_remote, (name, source)):
        fetch_folder(address, offline=offline)
    if is_own(name):
        corpus = _own_corpus(name, split, folder_path(source or name), on_progress)
    else:
        corpus = _listed_corpus(name, split, source, on_progress, offline=offline, complete=complete)
    _check(corpus.id, corpus.documents)
    if on_progress:
        _report_notices(corpus, name, source, on_progress)
    return corpus


def _listed_corpus(
    name: str, split: str, source: str, on_progress: Listener | None, *, offline: bool, complete: bool
) -> Corpus:
    card = manifest(name)
    source = named_source(name, str(folder_path(source)) if is_remote(source) else source)
    split = choose_split(card, split, source)
    request = download_request(card, split, source)
    home = folder = resources.folder("corpora", name)
    if not card.embedded:
        folder = obtain(request, source=source, offline=offline, complete=complete, on_progress=on_progress)
    files_hash = _files_hash(request, folder) if card.keep_parsed else ""
    content = _parse(card, home, folder, split, files_hash)
    documents, notices = tuple(content.documents), tuple(content.notices)
    return Corpus(card.id, split, documents, card.license, card.attribution, "", notices, folder, files_hash)


def _own_corpus(name: str, split: str, path: Path, on_progress: Listener | None) -> Corpus:
    card = folder_manifest(name, path)
    choose_split(card, split)
    from ragharness.corpus.folders.reading import read_folder

    contents = read_folder(path, on_progress, cache_folder() / "parsed")
    return Corpus(card.id, "", contents.documents, folder=str(path), notices=contents.notices)


def _report_notices(corpus: Corpus, name: str, source: str, listener: Listener) -> None:
    """Say each notice once: those that were not said of this corpus before; the others are counted."""
    about = str(Path(corpus.folder).resolve()) if corpus.folder else f"{name} {corpus.split} {source}"
    path = cache_folder() / "told" / f"{sha256(about.encode()).hexdigest()[:32]}.json"
    reported = msgspec.json.decode(read_cached(path) or b"[]", type=list[str])
    new = [notice for notice in corpus.notices if notice not in reported][:_TOLD_AT_ONCE]
    for notice in new:
        listener(notice, 0, 0)
    remaining = len(corpus.notices) - len(new)
    if remaining:
        split, _, subset = corpus.split.partition(":")
        options = {"--split": split, "--subset": subset, "--from": source}
        words = [name, *(word for pair in options.items() if pair[1] for word in pair)]
        remarks = "remark about a file" if remaining == 1 else "remarks about files"
        more = "more " if new else ""
        listener(f"{remaining} {more}{remarks}, listed by: ragharness corpus show {shlex.join(words)}", 0, 0)
    if set(reported) != set(corpus.notices):
        write_cached(path, msgspec.json.encode(corpus.notices), most=_KEPT_TOLD)


class Content(msgspec.Struct, frozen=True):
    """Documents of a parser, and sentences about files that it left out."""

    documents: Sequence[Document]
    notices: Sequence[str] = ()


_CONTENT = 2  # raised when the cached form of parsed documents changes
_KEPT = 6  # parsed corpora in the cache; the longest unused ones go first
_KEPT_TOLD = 100  # corpora and folders of which the cache knows what was said about their files
_TOLD_AT_ONCE = 20  # notices that a command says one by one; the rest is counted


def _parse(card: Manifest, home: Path, folder: Path, split: str, files_hash: str) -> Content:
    """Parse the files in a folder, or read the cached documents of the very same files and parser."""
    cached = None
    if files_hash:
        key = sha256(f"{files_hash} {_parser_hash(home)} {split}".encode()).hexdigest()[:32]
        cached = cache_folder() / "parsed" / f"{card.id}-{key}.msgpack"
    if cached and (packed := read_cached(cached)) is not None:
        return msgspec.msgpack.decode(packed, type=Content)
    try:
        content = Content(*resources.load_module(home / "parse.py").parse(folder, split))
    except (OSError, ValueError, msgspec.MsgspecError) as error:
        raise CorruptDownload(
            f"cannot read the files of {card.id} in {folder}: {error}",
            help=f"ragharness corpus check {card.id}",
        ) from error
    if cached:
        write_cached(cached, msgspec.msgpack.encode(content), most=_KEPT)
    return content


def _files_hash(request: DownloadRequest, folder: Path) -> str:
    pinned = [folder / name for name in (*request.required, *request.optional) if (folder / name).is_file()]
    # In the cache other splits lie beside; of a folder of the user's all is read.
    cached = folder.parent == cache_folder() / "corpora"
    rows = files_in(folder, request.suffixes)
    files = pages_in(folder) + rows if request.pages else pinned if cached else rows
    return sha256("".join(f"{path.name} {hash_file(path)}\n" for path in files).encode()).hexdigest()


def _parser_hash(home: Path) -> str:
    """Hash of the code that parses a corpus, with the word lists of the language beside it."""
    room = Path(__file__).parent
    parser = [path for path in sorted(home.iterdir()) if path.suffix in (".py", ".toml")]
    code = hash_code(*parser, room / "filings.py", room / "pages.py", room.parent / "language")
    return f"{code} {_CONTENT} {sys.version_info[:2]}"


def _check(name: str, documents: Sequence[Document]) -> None:
    """Raise when a parser broke the contract of the records: everything later relies on it."""
    ids = {document.id for document in documents}
    titles = {document.title.casefold() for document in documents}
    if not documents or len(ids) < len(documents) or len(titles) < len(documents):
        raise RagharnessError(f"the documents of {name} need unique ids and titles")
    for document in documents:
        position = 0
        for start, end in document.segments:
            if not position <= start < end <= len(document.text):
                raise RagharnessError(
                    f"a segment of {document.id} is not in order inside its text: {start}-{end}"
                )
            position = end
