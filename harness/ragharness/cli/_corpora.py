"""Corpora for commands: loaded with progress, or only if here; cards, documents, checks as text or JSON."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ragharness.corpus.download.obtaining import is_cached
from ragharness.corpus.download.pinned import hash_file, named_source, source_variable
from ragharness.corpus.loading import download_request
from ragharness.corpus.passages import ENOUGH, EvidenceIndex, build_passages, faults, split_document
from ragharness.records import Document
from ragharness.reports.text import aligned, labelled, one_line, paragraph
from ragharness.support import resources

if TYPE_CHECKING:
    from ragharness.corpus.loading import Corpus, Manifest
    from ragharness.corpus.passages import PassageSet
    from ragharness.questions.makers import Fact
    from ragharness.questions.questionset import QuestionSet

_LABEL = 11
_HEAD_LINES = 12  # lines of a document's text that are shown
_HEAD_CHARACTERS = 4000
_NAMED = 6  # files that are named one by one
_SHORTEST = 10  # characters of a passage under which its beginning says nothing

Check = tuple[str, str, list[str]]  # what was checked, what was found, and the faults


def table(cards: Sequence[Manifest], width: int) -> list[str]:
    """Line for each corpus with its summary below."""
    heads = ("CORPUS", "LICENCE", "DOCUMENTS", "LOCAL COPY")
    counts = (card.counts.get(card.default_split, {}).get("documents", "?") for card in cards)
    rows = [(card.id, card.license, str(n), whereabouts(card)) for card, n in zip(cards, counts, strict=True)]
    head, *lines_of_cards = aligned([heads, *rows], left=range(len(heads)))
    lines = [head]
    for card, row in zip(cards, lines_of_cards, strict=True):
        lines += [row, *paragraph(card.summary, width, "  ")]
    return lines


def card_lines(card: Manifest, corpus: Corpus | None, width: int) -> list[str]:
    """Card, and what the corpus holds if it is here."""
    rows = [
        ("what", card.summary),
        ("licence", f"{card.license} {card.license_url}".strip()),
        ("by", card.attribution),
        ("cite", card.citation),
        ("home", card.homepage),
        ("source", card.url),
        ("splits", ", ".join(card.splits)),
        ("local copy", whereabouts(card)),
    ]
    if corpus:
        rows += [
            ("split", corpus.split),
            ("holds", holdings(corpus)),
            ("hash", corpus.hash),
            ("same text", ", ".join(_twins(corpus))),
            *(("files" if not number else " ", notice) for number, notice in enumerate(corpus.notices)),
        ]
    else:
        rows.append(("next", f"ragharness corpus fetch {card.id}"))
    return [*paragraph(f"{card.id}  {card.title}", width), *_labelled(rows, width)]


def card_facts(card: Manifest, corpus: Corpus | None) -> dict[str, Any]:
    """Card as a JSON value, with what the corpus holds if it is here."""
    from msgspec import to_builtins

    facts: dict[str, Any] = to_builtins(card) | {"here": splits_here(card)}
    if corpus:
        facts |= {"split": corpus.split, "holds": _holds(corpus), "hash": corpus.hash}
        facts |= {"twins": corpus.twins, "notices": corpus.notices}
    return facts


def document_lines(corpus: Corpus, document: Document, words: int, width: int) -> list[str]:
    """Document's names, the first lines of its text, and the beginning of each passage."""
    passages = split_document(document, words)
    size = f"{len(document.text)} characters, {len(document.segments)} segments, {len(passages)} passages"
    same = [twin.id for twin in corpus.documents if twin.text == document.text and twin != document]
    rows = [("handle", document.handle), ("also", document.paraphrase), ("source", document.source)]
    rows += [("same text", ", ".join(same)), ("size", size)]
    lines = [*paragraph(f"{document.id}  {document.title}", width), *_labelled(rows, width), ""]
    lines += [*paragraph(document.text[:_HEAD_CHARACTERS], width)[:_HEAD_LINES], ""]
    for passage in passages:
        span = f"{passage.id:<14} {passage.start:>7}-{passage.end:<7} "
        room = width - len(span)
        lines.append((span + one_line(passage.text, room)) if room > _SHORTEST else span.rstrip())
    return lines


def document_facts(document: Document, words: int) -> dict[str, Any]:
    """Document and its passages as a JSON value."""
    names = ("id", "title", "handle", "paraphrase", "source")
    passages = [
        {"id": passage.id, "start": passage.start, "end": passage.end, "text": passage.text}
        for passage in split_document(document, words)
    ]
    facts: dict[str, Any] = {name: getattr(document, name) for name in names}
    return facts | {"characters": len(document.text), "passages": passages}


def checks(corpus: Corpus, card: Manifest, words: int) -> list[Check]:
    """Check content, counts, names, passages and evidence of a corpus."""
    passages = build_passages(corpus.documents, words)
    lost = [fault for document in corpus.documents for fault in faults(document, passages.of(document.id))]
    summary = f"{len(passages.passages)} of about {words} words cover every character once"
    return [
        _content(card, corpus.split),
        _counts(corpus, card),
        ("titles", f"unique; same text: {', '.join(_twins(corpus)) or 'none'}", []),
        ("passages", summary, lost),
        _evidence(corpus, passages),
    ]


def splits_here(card: Manifest) -> list[str]:
    """Splits that the cache holds ("" where there are none); an embedded corpus needs no cache."""
    splits = () if card.embedded else card.splits or ("",)
    return [split for split in splits if is_cached(download_request(card, split))]


def whereabouts(card: Manifest) -> str:
    """Whether a corpus is on this machine, in words."""
    if card.folder:
        return f"your folder {card.folder}"
    if named_source(card.id, ""):
        return f"${source_variable(card.id)}"
    splits = splits_here(card)
    cached = ": ".join(filter(None, ("cached", ", ".join(splits))))
    return "embedded" if card.embedded else cached if splits else "not downloaded"


def holdings(corpus: Corpus) -> str:
    """How much a corpus holds, in words."""
    return ", ".join(f"{value} {what}" for what, value in _holds(corpus).items() if value)


def _holds(corpus: Corpus) -> dict[str, int]:
    """How much a corpus holds, in the words of the manifest; facts where their makers are installed."""
    facts = _facts(corpus)
    return corpus.counts if facts is None else {**corpus.counts, "facts": len(facts)}


def _facts(corpus: Corpus) -> Sequence[Fact] | None:
    from ragharness.errors import QuestionsNotUsable
    from ragharness.questions import makers

    try:
        return makers.facts_of(corpus)
    except QuestionsNotUsable:
        return None


def _content(card: Manifest, split: str) -> Check:
    if card.folder:
        return "content", f"your folder {card.folder}, as it is now", []
    pinned = {name: file for name, file in card.files.items() if file.split == split and file.sha256}
    home = resources.folder("corpora", card.id)
    # Files of a corpus that is not embedded are verified whenever they are read.
    altered = [
        f"the content of {name} does not match its sha256"
        for name, file in pinned.items()
        if card.embedded and hash_file(home / name) != file.sha256
    ]
    files = ", ".join(pinned) if len(pinned) <= _NAMED else f"{len(pinned)} files"
    return "content", f"pinned by sha256: {files or 'no file'}", altered


def _counts(corpus: Corpus, card: Manifest) -> Check:
    sources = {document.source for document in corpus.documents}
    # Of other pages than the published ones nothing is known beforehand.
    expected = {} if card.pages and sources != set(card.files) else card.counts.get(corpus.split, {})
    counts = _holds(corpus)
    differing = [
        f"expected {value} {what}, found {counts.get(what, 0)}"
        for what, value in expected.items()
        if counts.get(what, 0) != value and (what != "facts" or what in counts)
    ]
    return "counts", holdings(corpus), differing


def _evidence(corpus: Corpus, passages: PassageSet) -> Check:
    index = EvidenceIndex(corpus)
    spans = [span for fact in _facts(corpus) or () for span in fact.evidence]
    whole = [
        any(index.coverage(passage, span) >= ENOUGH for passage in passages.of(span.document))
        for span in spans
    ]
    summary = f"{sum(whole)} of {len(spans)} spans have {ENOUGH:.0%} or more of their words in one passage"
    # A span longer than a passage cannot be whole in one: worth knowing, and no fault.
    return "evidence", summary, []


def _twins(corpus: Corpus) -> list[str]:
    return [f"{twin} = {original}" for twin, original in corpus.twins.items()]


def _labelled(rows: Iterable[tuple[str, str]], width: int) -> list[str]:
    return [line for label, value in rows if value for line in labelled(label, value, width, _LABEL)]


def load(
    name: str, split: str, source: str, *, offline: bool, notices: bool = True, complete: bool = False
) -> Corpus:
    """Corpus; what is fetched for it, and ``notices`` about its files, go to standard error."""
    from ragharness.corpus.loading import load_corpus
    from ragharness.reports.progress import Live

    live = Live()
    listener = live.fetching if notices else live.working
    try:
        return load_corpus(
            name, split=split, source=source, offline=offline, complete=complete, on_progress=listener
        )
    finally:
        live.clear()


def part(split: str, subset: str) -> str:
    """Split and how much of it as the one name that a corpus knows it by."""
    return f"{split}:{subset}" if subset else split


def load_if_here(name: str, split: str, source: str, *, notices: bool = True) -> Corpus | None:
    """Corpus that is on this machine, else None; raises where a named or a damaged one is not."""
    from ragharness.errors import CorpusUnavailable, CorruptDownload

    try:
        return load(name, split, source, offline=True, notices=notices)
    except CorruptDownload:
        raise
    except CorpusUnavailable:
        if source:
            raise
        return None


def stored(corpus: str, path: Path | None, size: int, seed: int) -> QuestionSet:
    """Questions of a file, else the frozen set of a corpus or of a folder of the user's."""
    from ragharness.corpus.loading import folder_name, is_own
    from ragharness.errors import QuestionsNotUsable
    from ragharness.questions.loading import stored_set
    from ragharness.questions.questionset import CARD, frozen_in, frozen_set, own_place

    if path is not None:
        return stored_set(path, corpus)
    if not is_own(corpus):
        return frozen_set(corpus)
    folder = own_place(folder_name(corpus), size, seed)
    if not (folder / CARD).is_file():
        message = f"expected a frozen set about {corpus} in {folder}, found none"
        raise QuestionsNotUsable(message, help=f"ragharness questions freeze --corpus {corpus}")
    return frozen_in(folder)
