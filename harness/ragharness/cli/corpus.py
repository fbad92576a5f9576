"""``ragharness corpus``: list, fetch, show and check the corpora."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING, Any

import typer

from ragharness.errors import CorpusUnavailable, CorruptDownload

if TYPE_CHECKING:
    from ragharness.cli._console import Live
    from ragharness.corpus import Corpus, Manifest
    from ragharness.download import Listener
    from ragharness.passages import PassageSet
    from ragharness.records import Document

_NAME = typer.Argument(..., metavar="NAME", help="A corpus of the list.")
_SPLIT = typer.Option("", "--split", help="Which split; the corpus' default when left out.")
_FROM = typer.Option(
    "", "--from", metavar="PATH|URL", help="A folder, zip, JSON file or URL to read instead."
)
_WORDS = typer.Option(120, "--passage-words", help="Words that a passage aims at.")
_JSON = typer.Option(False, "--json", help="Print JSON.")
_OFFLINE = typer.Option(False, "--offline", help="Never use the network.")

_HEAD_LINES = 12
"""Lines of a document's text that ``show`` prints."""

_PROGRESS_SECONDS = 0.2
_PROGRESS_SECONDS_PIPED = 10.0


def register(app: typer.Typer) -> None:
    """Add the group ``corpus`` to the command line."""
    group = typer.Typer(help="List, fetch, show and check the corpora.", no_args_is_help=True)
    group.command("list")(list_corpora)
    group.command("fetch")(fetch)
    group.command("show")(show)
    group.command("check")(check)
    app.add_typer(group, name="corpus")


def list_corpora(as_json: bool = _JSON) -> None:
    """List the corpora: licence, size, and what is on this machine."""
    from ragharness import shelf
    from ragharness.corpus import manifest
    from ragharness.reports.text import paragraph

    cards = [manifest(name) for name in shelf.names("corpora")]
    if as_json:
        _print_json([_card(card) for card in cards])
        return
    rows = [(card.id, card.license, _documents(card), _where(card)) for card in cards]
    heads = ("CORPUS", "LICENCE", "DOCUMENTS", "HERE")
    widths = [max(len(row[column]) for row in (heads, *rows)) for column in range(4)]
    typer.echo(_aligned(heads, widths))
    for card, row in zip(cards, rows, strict=True):
        typer.echo(_aligned(row, widths))
        typer.echo("\n".join(paragraph(card.summary, 78, "  ")))


def fetch(
    name: str = _NAME,
    split: str = _SPLIT,
    source: str = _FROM,
    offline: bool = _OFFLINE,
    as_json: bool = _JSON,
) -> None:
    """Fetch a corpus into the cache, or verify the copy that --from names."""
    from ragharness.corpus import manifest

    corpus = _load(name, split, source, offline=offline)
    card = manifest(name)
    if as_json:
        _print_json(_facts(corpus, card))
        return
    typer.echo(f"{_named(corpus)}: {_counted(corpus)}")
    typer.echo(f"licence  {card.license}  {card.license_url}".rstrip())
    typer.echo(f"by       {card.attribution}")
    # A folder is read where it is, so the next command needs its name again.
    again = f" --from {source}" if source and not _splits_here(card) else ""
    typer.echo(f"next     ragharness run --corpus {name}{again}")


def show(
    name: str = _NAME,
    document: str = typer.Argument("", metavar="[DOCUMENT]", help="The id of a document of it."),
    split: str = _SPLIT,
    source: str = _FROM,
    passage_words: int = _WORDS,
    as_json: bool = _JSON,
) -> None:
    """Show a corpus' card, or the head and the passages of one document; fetches nothing."""
    from ragharness.corpus import manifest

    card = manifest(name)
    if document:
        corpus = _load(name, split, source, offline=True)
        _show_document(corpus, corpus.document(document), passage_words, as_json=as_json)
        return
    corpus_or_none = _load_if_here(name, split, source)
    if as_json:
        _print_json(_facts(corpus_or_none, card) if corpus_or_none else _card(card))
        return
    _show_card(card, corpus_or_none)


def check(
    name: str = _NAME,
    split: str = _SPLIT,
    source: str = _FROM,
    passage_words: int = _WORDS,
    as_json: bool = _JSON,
) -> None:
    """Check a corpus on this machine: content, counts, passages, evidence; exit code 1 on a fault."""
    from ragharness.corpus import manifest

    corpus = _load(name, split, source, offline=True)
    results = _checks(corpus, manifest(name), passage_words)
    if as_json:
        _print_json([{"check": what, "ok": not bad, "found": told} for what, told, bad in results])
    else:
        for what, told, bad in results:
            typer.echo(f"{'FAULT' if bad else 'ok':<6} {what:<9} {told}")
            for fault in bad[:5]:
                typer.echo(f"       {fault}")
    if any(bad for _, _, bad in results):
        raise typer.Exit(1)


def _load(name: str, split: str, source: str, *, offline: bool) -> Corpus:
    from ragharness.cli._console import Live
    from ragharness.corpus import load_corpus

    live = Live()
    try:
        return load_corpus(name, split=split, source=source, offline=offline, on_progress=_listener(live))
    finally:
        live.clear()


def _load_if_here(name: str, split: str, source: str) -> Corpus | None:
    try:
        return _load(name, split, source, offline=True)
    except CorruptDownload:
        raise
    except CorpusUnavailable:
        if source:
            raise
        return None


def _listener(live: Live) -> Listener:
    """Return a listener that prints notices at once and how far a download is now and then."""
    import sys

    pause = _PROGRESS_SECONDS if sys.stderr.isatty() else _PROGRESS_SECONDS_PIPED
    started: dict[str, tuple[float, int]] = {}
    due = time.monotonic() + pause

    def listen(what: str, done: int, total: int) -> None:
        nonlocal due
        now = time.monotonic()
        if not done and not total:
            live.say(what)
            return
        begun, had = started.setdefault(what, (now, done))
        if now >= due:
            due = now + pause
            live.show(_progress(what, done, total, (done - had) / max(now - begun, 1e-9)))

    return listen


def _progress(what: str, done: int, total: int, rate: float) -> str:
    from ragharness.reports.text import duration

    told = f"{what}  {done / 1e6:.1f}"
    told += f" of {total / 1e6:.1f} MB  {100 * done // total}%" if total else " MB"
    told += f"  {rate / 1e6:.1f} MB/s"
    return told + (f"  ~{duration((total - done) / rate)} left" if total and rate > 0 else "")


def _show_card(card: Manifest, corpus: Corpus | None) -> None:
    from ragharness.reports.text import paragraph

    rows = [
        ("what", card.summary),
        ("licence", f"{card.license} {card.license_url}".strip()),
        ("by", card.attribution),
        ("cite", card.citation),
        ("home", card.homepage),
        ("source", card.url),
        ("splits", ", ".join(card.splits)),
        ("here", _where(card)),
    ]
    if corpus:
        twins = ", ".join(f"{twin} = {first}" for twin, first in corpus.twins.items())
        rows += [
            ("split", corpus.split),
            ("holds", _counted(corpus)),
            ("hash", corpus.hash),
            ("same text", twins),
        ]
    typer.echo(f"{card.id}  {card.title}")
    for label, value in rows:
        if value:
            first, *rest = paragraph(value, 80, " " * 11)
            typer.echo("\n".join([f"{label:<11}{first.strip()}", *rest]))
    if not corpus:
        typer.echo(f"next       ragharness corpus fetch {card.id}")


def _show_document(corpus: Corpus, document: Document, words: int, *, as_json: bool) -> None:
    from ragharness.passages import split_document
    from ragharness.reports.text import clean, one_line, paragraph

    passages = split_document(document, words)
    if as_json:
        rows = [{"id": each.id, "start": each.start, "end": each.end, "text": each.text} for each in passages]
        facts = {
            "id": document.id,
            "title": document.title,
            "handle": document.handle,
            "source": document.source,
        }
        _print_json(facts | {"characters": len(document.text), "passages": rows})
        return
    typer.echo(f"{document.id}  {one_line(document.title, 200)}")
    twin = [other for other in corpus.documents if other.text == document.text and other.id != document.id]
    for label, value in (
        ("handle", document.handle),
        ("also", document.paraphrase),
        ("source", document.source),
        ("same text", ", ".join(other.id for other in twin)),
        (
            "size",
            f"{len(document.text)} characters, {len(document.segments)} segments, {len(passages)} passages",
        ),
    ):
        if value:
            typer.echo(f"{label:<11}{clean(value)}")
    typer.echo()
    typer.echo("\n".join(paragraph(document.text[:4000], 80)[:_HEAD_LINES]))
    typer.echo()
    for each in passages:
        place = f"{each.id:<14} {each.start:>7}-{each.end:<7} "
        typer.echo(place + one_line(each.text, 80 - len(place)))


def _checks(corpus: Corpus, card: Manifest, words: int) -> list[tuple[str, str, list[str]]]:
    """Return (what, what was found, its faults) of each check."""
    from ragharness.passages import build_passages, faults

    expected = card.counts.get(corpus.split, {})
    counts = corpus.counts
    passages = build_passages(corpus.documents, words)
    lost = [fault for each in corpus.documents for fault in faults(each, passages.of(each.id))]
    twins = [f"{twin} = {first}" for twin, first in corpus.twins.items()]
    return [
        ("content", *_content(card, corpus.split)),
        (
            "counts",
            _counted(corpus),
            [
                f"expected {value} {what}, found {counts.get(what, 0)}"
                for what, value in expected.items()
                if counts.get(what, 0) != value
            ],
        ),
        ("titles", f"unique; same text: {', '.join(twins) or 'none'}", []),
        ("passages", f"{len(passages.passages)} of about {words} words hold every character once", lost),
        ("evidence", _evidence(corpus, passages), []),
    ]


def _content(card: Manifest, split: str) -> tuple[str, list[str]]:
    """Return which files are pinned, and which embedded ones differ (others are verified when read)."""
    from ragharness import shelf
    from ragharness.download import hash_file

    pinned = {name: file for name, file in card.files.items() if file.split == split and file.sha256}
    home = shelf.folder("corpora", card.id)
    altered = [
        f"{name} is not the pinned content"
        for name, file in pinned.items()
        if card.embedded and hash_file(home / name) != file.sha256
    ]
    return f"pinned by sha256: {', '.join(pinned) or 'no file'}", altered


def _evidence(corpus: Corpus, passages: PassageSet) -> str:
    """Return how many gold spans are whole in one passage: longer ones cannot be, which is no fault."""
    from ragharness.evidence import ENOUGH, EvidenceIndex

    index = EvidenceIndex(corpus)
    spans = [span for fact in corpus.facts for span in fact.evidence]
    whole = [
        any(index.coverage(each, span) >= ENOUGH for each in passages.of(span.document)) for span in spans
    ]
    return f"{sum(whole)} of {len(spans)} spans have {ENOUGH:.0%} or more of their words in one passage"


def _facts(corpus: Corpus, card: Manifest) -> dict[str, Any]:
    held = {"split": corpus.split, "counts": corpus.counts, "hash": corpus.hash, "twins": corpus.twins}
    return _card(card) | held


def _card(card: Manifest) -> dict[str, Any]:
    from msgspec import to_builtins

    facts: dict[str, Any] = to_builtins(card)
    return facts | {"here": _splits_here(card)}


def _splits_here(card: Manifest) -> list[str]:
    from ragharness.corpus import wish
    from ragharness.download import is_cached

    return [] if card.embedded else [split for split in card.splits if is_cached(wish(card, split))]


def _where(card: Manifest) -> str:
    if card.embedded:
        return "embedded"
    here = _splits_here(card)
    return f"cached: {', '.join(here)}" if here else "not fetched"


def _documents(card: Manifest) -> str:
    return str(card.counts.get(card.default_split, {}).get("documents", "?"))


def _counted(corpus: Corpus) -> str:
    return ", ".join(f"{value} {what}" for what, value in corpus.counts.items() if value)


def _named(corpus: Corpus) -> str:
    return f"{corpus.id} {corpus.split}".rstrip()


def _aligned(cells: tuple[str, ...], widths: list[int]) -> str:
    return "  ".join(f"{cell:<{width}}" for cell, width in zip(cells, widths, strict=True)).rstrip()


def _print_json(value: object) -> None:
    typer.echo(json.dumps(value, indent=2, ensure_ascii=False))
