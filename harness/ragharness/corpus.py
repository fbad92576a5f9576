"""Corpora: a manifest that pins where the texts come from, and the documents and facts that they hold."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from ragharness import shelf
from ragharness.download import Pinned, Wish, files_in, hash_file, keep, kept, obtain, pages_in
from ragharness.errors import CorruptDownload, RagharnessError, UnknownName, UsageError
from ragharness.folders.paths import folder_name, folder_path, is_folder
from ragharness.records import Document, Fact

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

if TYPE_CHECKING:
    from ragharness.download import Listener
    from ragharness.folders.reading import Contents


class File(Pinned, frozen=True, kw_only=True):
    """One file of a corpus with its split."""

    split: str = ""


class Manifest(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What ``corpus.toml`` says: source, licence, files with their hashes, splits, size."""

    id: str
    title: str
    summary: str
    license: str
    attribution: str
    embedded: bool = False
    """The texts lie in the shelf itself; nothing is fetched."""
    folder: str = ""
    """For documents of the user's own: where they are read."""
    homepage: str = ""
    url: str = ""
    license_url: str = ""
    citation: str = ""
    terms: str = ""
    """Shown before a download: what the user accepts by it."""
    publisher: str = ""
    """By whose rules the files are fetched: "sec", "hub"; empty: one archive at ``url``."""
    pages: bool = False
    """A folder of the user's may hold other web pages than the published ones: what it holds is read."""
    suffixes: tuple[str, ...] = ()
    """A folder of the user's may hold any files of these kinds (".jsonl"): what it holds is read."""
    subsets: bool = False
    """A split may be read in part: ``test`` is the usual part of it, "test:300" and "test:all" are others."""
    keep_parsed: bool = False
    """Reading the files takes long: what they hold is kept in the cache."""
    splits: tuple[str, ...] = ()
    default_split: str = ""
    space: int = 0
    """Bytes on disk that fetching and unpacking need together, roughly."""
    files: dict[str, File] = {}
    counts: dict[str, dict[str, int]] = {}
    """Expected documents, segments, facts and words, by split; by "" in a corpus without splits."""


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


def manifest(name: str) -> Manifest:
    """Return what the shelf says of a corpus; raises UnknownName with the nearest names.

    The name of a folder of the user's gives a card that says so.
    """
    if is_own(name):
        return _own_card(name, folder_path(name))
    path = shelf.folder("corpora", name) / "corpus.toml"
    try:
        return msgspec.convert(tomllib.loads(path.read_text(encoding="utf-8")), Manifest)
    except (tomllib.TOMLDecodeError, msgspec.ValidationError) as error:
        raise RagharnessError(f"expected a corpus manifest in {path}, found otherwise: {error}") from error


def load_corpus(
    name: str,
    *,
    split: str = "",
    source: str = "",
    offline: bool = False,
    on_progress: Listener | None = None,
) -> Corpus:
    """Return one split of a corpus: embedded, cached, or fetched.

    ``source`` names a folder, an archive or a URL to read instead of the published one.

    A name that is a path means a folder of the user's own documents, read where it is.

    Raises UnknownName, UsageError, CorpusUnavailable, CorruptDownload or StorageError.
    """
    if is_own(name):
        return _own_corpus(name, split, folder_path(source or name), on_progress)
    card = manifest(name)
    split = choose_split(card, split)
    home = folder = shelf.folder("corpora", name)
    if not card.embedded:
        folder = obtain(wish(card, split), source=source, offline=offline, listener=on_progress)
    content = _read(card, home, folder, split)
    for notice in content.notices:
        if on_progress:
            on_progress(notice, 0, 0)
    _check(name, content.documents, content.facts)
    documents, facts = tuple(content.documents), tuple(content.facts)
    return Corpus(card.id, split, documents, facts, card.license, card.attribution)


def is_own(name: str) -> bool:
    """Whether a name means a folder of the user's: it is a path, or a folder here and no corpus."""
    return is_folder(name) or (name not in shelf.names("corpora") and Path(name).is_dir())


def _own_card(name: str, path: Path) -> Manifest:
    return Manifest(
        id=folder_name(name),
        title=path.resolve().name,
        summary="documents of your own, read where they are",
        license="your own",
        attribution="",
        embedded=True,
        folder=str(path),
    )


def _own_corpus(name: str, split: str, path: Path, on_progress: Listener | None) -> Corpus:
    card = _own_card(name, path)
    choose_split(card, split)
    contents = _read_own(path, on_progress)
    for notice in contents.notices:
        if on_progress:
            on_progress(notice, 0, 0)
    _check(card.id, contents.documents, ())
    return Corpus(card.id, "", contents.documents, (), folder=str(path))


def _read_own(path: Path, on_progress: Listener | None) -> Contents:
    """Read a folder, or take what was kept of the very same files."""
    from ragharness.folders.reading import Contents, read_folder, state_of

    name = f"folder-{state_of(path)}.msgpack"
    if (packed := kept("parsed", name)) is not None:
        return msgspec.msgpack.decode(packed, type=Contents)
    contents = read_folder(path, on_progress)
    keep("parsed", name, msgspec.msgpack.encode(contents), most=_KEPT)
    return contents


class Content(msgspec.Struct, frozen=True):
    """What a parser returns: documents, facts, and sentences about files that it left out."""

    documents: Sequence[Document]
    facts: Sequence[Fact]
    notices: Sequence[str] = ()


_CONTENT = 1
"""Raised when kept contents change their meaning."""

_KEPT = 6
"""Parsed corpora in the cache; the longest unused ones go first."""


def _read(card: Manifest, home: Path, folder: Path, split: str) -> Content:
    """Parse the files in a folder, or take what was kept of the very same files and parser."""
    name = f"{card.id}-{_key(card, home, folder, split)}.msgpack" if card.keep_parsed else ""
    if name and (packed := kept("parsed", name)) is not None:
        return msgspec.msgpack.decode(packed, type=Content)
    try:
        content = Content(*shelf.load_module(home / "parse.py").parse(folder, split))
    except (OSError, ValueError, msgspec.MsgspecError) as error:
        raise CorruptDownload(
            f"cannot read the files of {card.id} in {folder}: {error}",
            help=f"ragharness corpus check {card.id}",
        ) from error
    if name:
        keep("parsed", name, msgspec.msgpack.encode(content), most=_KEPT)
    return content


def _key(card: Manifest, home: Path, folder: Path, split: str) -> str:
    """Return a hash of all that parsing depends on: the files and the code that reads them."""
    wanted = [folder / each for each in wish(card, split).wanted if (folder / each).is_file()]
    files = pages_in(folder) if card.pages else wanted or files_in(folder, card.suffixes)
    rooms = [Path(__file__).parent / room for room in ("filings", "language", "questions/asking")]
    code = [*home.glob("*.py"), *home.glob("*.toml"), *(path for room in rooms for path in room.glob("*.py"))]
    digest = sha256(repr((_CONTENT, split, sys.version_info[:2])).encode())
    for path in (*files, *sorted(code)):
        digest.update(f"{path.name} {hash_file(path)}\n".encode())
    return digest.hexdigest()[:32]


def wish(card: Manifest, split: str) -> Wish:
    """Return what reading one split of a corpus needs."""
    whole = split.partition(":")[0]
    wanted = {name: file for name, file in card.files.items() if file.split == whole}
    return Wish(
        card.id,
        card.url,
        wanted,
        card.files,
        card.terms,
        card.space,
        card.publisher,
        card.pages,
        card.suffixes,
    )


def choose_split(card: Manifest, split: str) -> str:
    """Return the split to read: the asked one, or the manifest's default; raises UnknownName or UsageError.

    ":300" or ":all" behind it asks for a part of another size than the usual one.
    """
    name, mark, part = split.partition(":")
    chosen = name or card.default_split
    if mark and not (card.subsets and (part == "all" or (part.isdecimal() and int(part)))):
        if card.subsets:
            raise UsageError(f"expected a number or all for --subset, found {part!r}", help="leave it out")
        raise UsageError(f"{card.id} is always read whole, found --subset {part}", help="leave --subset out")
    if chosen and chosen not in card.splits:
        if not card.splits:
            raise UsageError(f"{card.id} has no splits, found --split {chosen}", help="leave --split out")
        raise UnknownName(
            f"split of {card.id}", chosen, card.splits, help=f"ragharness corpus show {card.id}"
        )
    return f"{chosen}{mark}{part}"


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
