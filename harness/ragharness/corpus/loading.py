"""Loads a corpus, built-in, cached, downloaded or your own: its documents."""

from __future__ import annotations

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
from ragharness.corpus.download.pinned import DownloadRequest, Listener, hash_file, is_remote, named_source
from ragharness.corpus.download.remote import fetch_folder
from ragharness.corpus.manifests import (
    Manifest,
    choose_split,
    download_request,
    folder_manifest,
    folder_path,
    is_own,
    manifest,
)
from ragharness.errors import CorruptDownload, RagharnessError, UnknownName
from ragharness.records import Document
from ragharness.support import resources
from ragharness.support.files import cache_folder, hash_code, read_cached, write_cached


@dataclass(frozen=True)
class Corpus:
    """Documents of one split, in the order of their source."""

    id: str
    split: str  # empty when the corpus has none
    documents: tuple[Document, ...]
    license: str = ""
    attribution: str = ""
    folder: str = ""  # for documents of the user's own: where they were read; empty for a listed corpus
    notices: tuple[str, ...] = ()
    """A sentence for each file that was left out, or read otherwise than its name says."""
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

    ``source`` names a folder, an archive or a URL to read instead of the published one. ``complete``
    fetches what is missing of a cached corpus that can be read without it.

    A name that is a path means a folder of the user's own documents, read where it is.

    ``on_progress`` is told what is read, and of the corpus' notices those that no earlier command told.

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
    return Corpus(
        card.id,
        split,
        tuple(content.documents),
        card.license,
        card.attribution,
        notices=tuple(content.notices),
        files=folder,
        files_hash=files_hash,
    )


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
    """Hash of the files of a corpus by name and content."""
    pinned = [folder / name for name in (*request.required, *request.optional) if (folder / name).is_file()]
    # In the cache other splits lie beside; of a folder of the user's all is read.
    cached = folder.parent == cache_folder() / "corpora"
    rows = files_in(folder, request.suffixes)
    files = pages_in(folder) + rows if request.pages else pinned if cached else rows
    return sha256("".join(f"{path.name} {hash_file(path)}\n" for path in files).encode()).hexdigest()


def _parser_hash(home: Path) -> str:
    """Hash of the code that parses a corpus, with the word lists of the language beside it."""
    package = Path(__file__).parents[1]
    parser = [path for path in sorted(home.iterdir()) if path.suffix in (".py", ".toml")]
    code = hash_code(*parser, package / "corpus/filings", package / "language")
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
