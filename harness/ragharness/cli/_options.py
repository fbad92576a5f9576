"""Options that several verbs share: one name, one default, one help text."""

from __future__ import annotations

import typer

CORPUS = typer.Option("sample", "--corpus", help="A corpus of the list, or a folder of yours.")
SPLIT = typer.Option("", "--split", help="Which split; the corpus' default when left out.")
SUBSET = typer.Option(
    "",
    "--subset",
    metavar="N|all",
    help="How many documents of a large corpus; its own choice if left out.",
)
SOURCE = typer.Option(
    "", "--from", metavar="PATH|URL", help="A folder, zip, JSON file or URL to read the corpus from instead."
)
QUESTIONS = typer.Option(
    None, "--questions", metavar="FILE", help="Questions of yours: CSV, JSONL, or a frozen set."
)
SIZE = typer.Option(130, "--size", help="Questions; the proportions stay.")
SEED = typer.Option(20261121, "--seed", help="Another one chooses other questions.")
WORDS = typer.Option(120, "--passage-words", help="Words that a passage aims at.")
OFFLINE = typer.Option(False, "--offline", help="Fetch nothing, ask no service elsewhere.")
JSON = typer.Option(False, "--json", help="Print JSON.")
RUN = typer.Argument("", metavar="[RUN]", help="Path or beginning of a name; default: the newest.")
FALSE_CORRECT = typer.Option(
    None,
    "--false-correct",
    metavar="RATE",
    help="Share of the corrects that may be false; 0.01 unless named.",
)
