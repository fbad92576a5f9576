"""``ragharness corpus``: list, fetch, show and check the corpora."""

from __future__ import annotations

import typer

from ragharness.cli import _options as shared
from ragharness.cli import add_group
from ragharness.cli._options import columns, completion, print_facts, print_json, print_lines

_NAME = typer.Argument(
    ...,
    metavar="NAME",
    help="A listed corpus, or a folder of your documents.",
    autocompletion=completion("corpus"),
)

_MOST_FAULTS = 5  # faults of one check that are printed; JSON has them all


def register(app: typer.Typer) -> None:
    """Add the group ``corpus`` to the command line."""
    group = add_group(app, "corpus", "List, fetch, show and check the corpora.", "corpus fetch contractnli")
    group.command("list")(list_corpora)
    for verb in (fetch, show, check):
        group.command(verb.__name__)(verb)


def list_corpora(as_json: bool = shared.JSON) -> None:
    """List the corpora and whether they are on this machine.

    Example: ragharness corpus list
    """
    from ragharness.cli._corpora import card_facts, table
    from ragharness.corpus.loading import manifest
    from ragharness.support import resources

    cards = [manifest(name) for name in resources.names("corpora")]
    print_facts([card_facts(card, None) for card in cards], table(cards, columns()), as_json=as_json)


def fetch(
    name: str = _NAME,
    split: str = shared.SPLIT,
    subset: str = shared.SUBSET,
    source: str = shared.SOURCE,
    offline: bool = shared.OFFLINE,
    as_json: bool = shared.JSON,
) -> None:
    """Download a corpus, or verify a copy given with --from.

    Example: ragharness corpus fetch contractnli
    """
    from ragharness.cli._corpora import card_facts, holdings, load, part, splits_here
    from ragharness.corpus.loading import manifest

    corpus = load(name, part(split, subset), source, offline=offline, complete=True)
    card = manifest(name)
    if as_json:
        print_json(card_facts(card, corpus))
        return
    # A folder is read where it is, so the next command needs its name again.
    again = f" --from {source}" if source and corpus.split not in splits_here(card) else ""
    print_lines(
        [
            f"{corpus.id} {corpus.split}".rstrip() + f": {holdings(corpus)}",
            f"licence  {card.license}  {card.license_url}".rstrip(),
            f"by       {card.attribution}",
            f"next     ragharness run --corpus {name}{again}",
        ]
    )


def show(
    name: str = _NAME,
    document: str = typer.Argument("", metavar="[DOCUMENT]", help="Document id."),
    split: str = shared.SPLIT,
    subset: str = shared.SUBSET,
    source: str = shared.SOURCE,
    passage_words: int = shared.WORDS,
    as_json: bool = shared.JSON,
) -> None:
    """Show a corpus, or one document and its passages.

    Downloads nothing.

    Example: ragharness corpus show sample nda-07
    """
    from ragharness.cli._corpora import (
        card_facts,
        card_lines,
        document_facts,
        document_lines,
        load,
        load_if_here,
        part,
    )
    from ragharness.corpus.loading import manifest

    card = manifest(name)
    if not document:
        corpus = load_if_here(name, part(split, subset), source, notices=False)
        print_facts(card_facts(card, corpus), card_lines(card, corpus, columns()), as_json=as_json)
        return
    corpus = load(name, part(split, subset), source, offline=True, notices=False)
    record = corpus.document(document)
    lines = document_lines(corpus, record, passage_words, columns())
    print_facts(document_facts(record, passage_words), lines, as_json=as_json)


def check(
    name: str = _NAME,
    split: str = shared.SPLIT,
    subset: str = shared.SUBSET,
    source: str = shared.SOURCE,
    passage_words: int = shared.WORDS,
    as_json: bool = shared.JSON,
) -> None:
    """Check a corpus on this machine; exit code 1 on a fault.

    Checks content, counts, passages and evidence; downloads nothing.

    Example: ragharness corpus check sample
    """
    from ragharness.cli._corpora import checks, load, part
    from ragharness.corpus.loading import manifest

    results = checks(load(name, part(split, subset), source, offline=True), manifest(name), passage_words)
    if as_json:
        print_json([{"check": what, "found": finding, "faults": faults} for what, finding, faults in results])
    else:
        for what, finding, faults in results:
            line = f"{'FAULT' if faults else 'ok':<6} {what:<9} {finding}"
            print_lines([line, *(f"       {fault}" for fault in faults[:_MOST_FAULTS])])
    if any(faults for _, _, faults in results):
        raise typer.Exit(1)
