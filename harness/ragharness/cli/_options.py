"""Options that several verbs share: one name, one default, one help text."""

from __future__ import annotations

import typer

SPLIT = typer.Option("", "--split", help="Which split; the corpus' default when left out.")
SUBSET = typer.Option(
    "",
    "--subset",
    metavar="N|all",
    help="How many documents of a large corpus; its own choice when left out.",
)
SOURCE = typer.Option(
    "", "--from", metavar="PATH|URL", help="A folder, zip, JSON file or URL to read instead."
)
WORDS = typer.Option(120, "--passage-words", help="Words that a passage aims at.")
OFFLINE = typer.Option(False, "--offline", help="Never use the network.")
JSON = typer.Option(False, "--json", help="Print JSON.")
