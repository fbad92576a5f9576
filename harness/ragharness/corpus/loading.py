"""Loads a corpus, built-in, cached, downloaded or your own: its documents and facts."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from pathlib import Path

import msgspec

from ragharness.corpus.download.obtaining import files_in, obtain, pages_in
from ragharness.corpus.download.pinned import DownloadRequest, Listener, hash_file, is_remote, named_source
from ragharness.corpus.download.remote import fetched
from ragharness.corpus.manifests import (
    Manifest,
    choose_split,
    download_request,
    folder_path,
    is_own,
    manifest,
    own_card,
)
from ragharness.errors import CorruptDownload, RagharnessError, UnknownName
from ragharness.records import Document, Fact
from ragharness.support import resources
from ragharness.support.files import cache_folder, keep, kept


@dataclass(frozen=True)
class Corpus:
    """The documents of one split, in the order of their source, and what people say about them."""

    id: str
    split: str
    """Empty when the corpus has none."""
    documents: tuple[Document, ...]
    facts: tuple[Fact, ...]
    license: str = ""
    attribution: str = ""
    folder: str = ""
    """For documents of the user's own: where they were read; empty for a corpus of the shelf."""
    notices: tuple[str, ...] = ()
    """A sentence for each file that was left out, or read otherwise than its name says."""

    def document(self, document_id: str) -> Document:
        """Return a document by its id; raises UnknownName."""
        try:
            return self._by_id[document_id]
        except KeyError:
            raise UnknownName(f"document of {self.id}", document_id, self._by_id) from None

    def canonical(self, document_id: str) -> str:
        """Return the id of the first document with the same text: itself unless it is a twin or unknown."""
        return self.twins.get(document_id, document_id)

    @cached_property
    def counts(self) -> dict[str, int]:
        """How much it holds, in the words of the manifest."""
        return {
            "documents": len(self.documents),
            "words": sum(len(each.text.split()) for each in self.documents),
            "segments": sum(len(each.segments) for each in self.documents),
            "facts": len(self.facts),
        }

    @cached_property
    def hash(self) -> str:
        """The sha256 of all that passages and questions are built from: ids, names, texts, segments."""
        digest = sha256()
        for each in self.documents:
            row = (each.id, each.title, each.handle, each.paraphrase, each.text, each.segments)
            digest.update(msgspec.json.encode(row))
        return digest.hexdigest()

    @cached_property
    def twins(self) -> dict[str, str]:
        """Each document that repeats an earlier one's text, with the id of the first."""
        first: dict[str, str] = {}
        pairs = [(each.id, first.setdefault(each.text, each.id)) for each in self.documents]
        return {document: original for document, original in pairs if document != original}

    @cached_property
    def _by_id(self) -> dict[str, Document]:
        return {each.id: each for each in self.documents}


def load_corpus(
    name: str,
    *,
    split: str = "",
    source: str = "",
    offline: bool = False,
    complete: bool = False,
    on_progress: Listener | None = None,
) -> Corpus:
    """Return one split of a corpus: embedded, cached, or fetched.

    ``source`` names a folder, an archive or a URL to read instead of the published one. ``complete``
    fetches what is missing of a cached corpus that can be read without it.

    A name that is a path means a folder of the user's own documents, read where it is.

    ``on_progress`` is told what is read, and of the corpus' notices those that no earlier command told.

    Raises UnknownName, UsageError, CorpusUnavailable, CorruptDownload or StorageError.
    """
    for place in (name, source):
        if is_remote(place):
            fetched(place, offline=offline)
    if is_own(name):
        corpus = _own_corpus(name, split, folder_path(source or name), on_progress)
    else:
        corpus = _shelved_corpus(name, split, source, on_progress, offline=offline, complete=complete)
    _check(corpus.id, corpus.documents, corpus.facts)
    if on_progress:
        _tell(corpus, name, source, on_progress)
    return corpus


def _shelved_corpus(
    name: str, split: str, source: str, on_progress: Listener | None, *, offline: bool, complete: bool
) -> Corpus:
    card = manifest(name)
    source = named_source(name, str(folder_path(source)) if is_remote(source) else source)
    split = choose_split(card, split, source)
    asked = download_request(card, split, source)
    home = folder = resources.folder("corpora", name)
    if not card.embedded:
        folder = obtain(asked, source=source, offline=offline, complete=complete, on_progress=on_progress)
    content = _read(card, asked, home, folder, split)
    return Corpus(
        card.id,
        split,
        tuple(content.documents),
        tuple(content.facts),
        card.license,
        card.attribution,
        notices=tuple(content.notices),
    )


def _own_corpus(name: str, split: str, path: Path, on_progress: Listener | None) -> Corpus:
    card = own_card(name, path)
    choose_split(card, split)
    from ragharness.corpus.folders.reading import read_folder

    contents = read_folder(path, on_progress, cache_folder() / "parsed")
    return Corpus(card.id, "", contents.documents, (), folder=str(path), notices=contents.notices)


def _tell(corpus: Corpus, name: str, source: str, listener: Listener) -> None:
    """Say each notice once: those that were not said of this corpus before; the others are counted."""
    about = str(Path(corpus.folder).resolve()) if corpus.folder else f"{name} {corpus.split} {source}"
    memory = cache_folder() / "told" / f"{sha256(about.encode()).hexdigest()[:32]}.json"
    known = msgspec.json.decode(kept(memory) or b"[]", type=list[str])
    new = [each for each in corpus.notices if each not in known][:_TOLD_AT_ONCE]
    for each in new:
        listener(each, 0, 0)
    rest = len(corpus.notices) - len(new)
    if rest:
        split, _, subset = corpus.split.partition(":")
        given = {"--split": split, "--subset": subset, "--from": source}
        words = [name, *(word for pair in given.items() if pair[1] for word in pair)]
        remarks = "remark about a file" if rest == 1 else "remarks about files"
        more = "more " if new else ""
        listener(f"{rest} {more}{remarks}, listed by: ragharness corpus show {shlex.join(words)}", 0, 0)
    if set(known) != set(corpus.notices):
        keep(memory, msgspec.json.encode(corpus.notices), most=_KEPT_TOLD)


class Content(msgspec.Struct, frozen=True):
    """What a parser returns: documents, facts, and sentences about files that it left out."""

    documents: Sequence[Document]
    facts: Sequence[Fact]
    notices: Sequence[str] = ()


_CONTENT = 1
"""Raised when kept contents change their meaning."""

_KEPT = 6
"""Parsed corpora in the cache; the longest unused ones go first."""

_KEPT_TOLD = 100
"""Corpora and folders of which the cache knows what was said about their files."""

_TOLD_AT_ONCE = 20
"""Notices that a command says one by one; the rest is counted."""


def _read(card: Manifest, asked: DownloadRequest, home: Path, folder: Path, split: str) -> Content:
    """Parse the files in a folder, or take what was kept of the very same files and parser."""
    place = None
    if card.keep_parsed:
        place = cache_folder() / "parsed" / f"{card.id}-{_key(asked, home, folder, split)}.msgpack"
    if place and (packed := kept(place)) is not None:
        return msgspec.msgpack.decode(packed, type=Content)
    try:
        content = Content(*resources.load_module(home / "parse.py").parse(folder, split))
    except (OSError, ValueError, msgspec.MsgspecError) as error:
        raise CorruptDownload(
            f"cannot read the files of {card.id} in {folder}: {error}",
            help=f"ragharness corpus check {card.id}",
        ) from error
    if place:
        keep(place, msgspec.msgpack.encode(content), most=_KEPT)
    return content


def _key(asked: DownloadRequest, home: Path, folder: Path, split: str) -> str:
    """Return a hash of all that parsing depends on: the files and the code that reads them."""
    known = [folder / each for each in (*asked.wanted, *asked.besides) if (folder / each).is_file()]
    # In the cache other splits lie beside; of a folder of the user's all is read.
    cached = folder.parent == cache_folder() / "corpora"
    rows = files_in(folder, asked.suffixes)
    files = pages_in(folder) + rows if asked.pages else known if cached else rows
    package = Path(__file__).parents[1]
    rooms = (package / "corpus/filings", package / "language", package.parent / "ragquestions/wording")
    # The words of a language are tables beside its code.
    code = [path for room in (home, *rooms) for path in room.rglob("*") if path.suffix in (".py", ".toml")]
    digest = sha256(repr((_CONTENT, split, sys.version_info[:2])).encode())
    for path in (*files, *sorted(code)):
        digest.update(f"{path.name} {hash_file(path)}\n".encode())
    return digest.hexdigest()[:32]


def _check(name: str, documents: Sequence[Document], facts: Sequence[Fact]) -> None:
    """Raise when a parser broke the contract of the records: everything later relies on it."""
    lengths = {each.id: len(each.text) for each in documents}
    titles = {each.title.casefold() for each in documents}
    if not documents or len(lengths) < len(documents) or len(titles) < len(documents):
        raise RagharnessError(f"expected documents with unique ids and titles in {name}, found otherwise")
    for each in documents:
        position = 0
        for start, end in each.segments:
            if not position <= start < end <= lengths[each.id]:
                raise RagharnessError(
                    f"expected the segments of {each.id} in order inside its text, found {start}-{end}"
                )
            position = end
    for fact in facts:
        for span in fact.evidence:
            if not 0 <= span.start < span.end <= lengths.get(span.document, 0):
                raise RagharnessError(f"expected evidence inside a document of {name}, found {span}")
