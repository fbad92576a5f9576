"""Options that several verbs share, as ``RunConfig`` declares them."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import typer

from ragharness.config import RunConfig, flag_of


def option_of(name: str) -> Any:
    """Return the option of a field of ``RunConfig``."""
    declared = next(each for each in fields(RunConfig) if each.name == name)
    told = declared.metadata
    several = isinstance(declared.default, tuple)
    default = None if several else declared.default
    return typer.Option(default, flag_of(name), metavar=told["metavar"] or None, help=told["help"])


CORPUS = option_of("corpus")
SPLIT = option_of("split")
SUBSET = option_of("subset")
SOURCE = option_of("source")
QUESTIONS = option_of("questions")
SIZE = option_of("size")
SEED = option_of("seed")
WORDS = option_of("passage_words")
OFFLINE = option_of("offline")
JSON = typer.Option(False, "--json", help="Print JSON.")
RUN = typer.Argument(
    "", metavar="[RUN]", help="Run folder, or a part of its name, or a tag (default: the newest)."
)
FALSE_CORRECT = typer.Option(
    None,
    "--false-correct",
    metavar="RATE",
    help="Share of 'correct' verdicts that may be false (default: 0.01).",
)
