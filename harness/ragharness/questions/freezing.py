"""Frozen question sets: written once with a card, and loaded only if their questions are unchanged."""

from __future__ import annotations

import shlex
import sys
from collections import Counter
from hashlib import sha256
from typing import TYPE_CHECKING

import msgspec

from ragharness import shelf
from ragharness.errors import QuestionsNotUsable, StorageError
from ragharness.questions.import_jsonl import read_file, read_lines
from ragharness.questions.questionset import QuestionSet
from ragharness.records import ROWS
from ragharness.support.files import write_whole
from ragharness.support.toml import to_toml

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

if TYPE_CHECKING:
    from pathlib import Path

    from ragharness.corpus import Corpus

CARD = "questionset.toml"
LINES = "questions.jsonl"


class Card(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What ``questionset.toml`` says about the questions beside it."""

    id: str
    corpus: str
    split: str
    corpus_hash: str
    recipe_version: int
    seed: int
    size: int
    sha256: str
    license: str
    attribution: str
    note: str = ""
    notes: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()
    rows: dict[str, int] = {}


def freeze(questions: QuestionSet, folder: Path, corpus: Corpus) -> Card:
    """Write the questions and their card into a folder and return the card; raises StorageError."""
    from ragharness.questions.candidates import load_recipe

    recipe = load_recipe(corpus)
    counts = Counter(each.row for each in questions.questions)
    card = Card(
        id=folder.name,
        corpus=questions.corpus,
        split=questions.split,
        corpus_hash=questions.corpus_hash,
        recipe_version=recipe.VERSION,
        seed=questions.seed,
        size=questions.size,
        sha256=questions.hash,
        license=corpus.license,
        attribution=corpus.attribution,
        note=getattr(recipe, "NOTE", _OURS),
        notes=questions.notes,
        left_out=questions.left_out,
        rows={row: counts[row] for row in ROWS},
    )
    write(folder / LINES, questions.lines)
    write(folder / CARD, to_toml(msgspec.to_builtins(card)).encode())
    return card


_OURS = (
    "The wording of the questions is this project's (Apache-2.0). Ids, offsets and labels come from"
    " the corpus under its licence; none of its text is included."
)


def frozen_set(name: str) -> QuestionSet:
    """Return the frozen set of the shelf as it was written; raises UnknownName or QuestionsNotUsable."""
    return frozen_in(shelf.folder("questionsets", name))


def frozen_in(folder: Path) -> QuestionSet:
    """Return the frozen set of a folder as it was written; raises QuestionsNotUsable."""
    card = read_card(folder)
    content = read_file(folder / LINES)
    found = sha256(content).hexdigest()
    if found != card.sha256:
        raise QuestionsNotUsable(
            f"expected the frozen questions {card.sha256[:12]} in {folder / LINES}, found {found[:12]}:"
            " they were changed after the freeze",
            help=f"ragharness questions freeze --corpus {shlex.quote(card.corpus)}"
            f" --out {shlex.quote(str(folder))} --accept-edits",
        )
    questions = read_lines(content, folder / LINES, examine=False).questions
    return QuestionSet(
        card.corpus,
        card.split,
        card.corpus_hash,
        card.seed,
        card.size,
        questions,
        frozen=True,
        notes=card.notes,
        left_out=card.left_out,
    )


def read_card(folder: Path) -> Card:
    """Return the card of a frozen set; raises QuestionsNotUsable."""
    path = folder / CARD
    try:
        return msgspec.convert(tomllib.loads(read_file(path).decode()), Card)
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, msgspec.ValidationError) as error:
        raise QuestionsNotUsable(
            f"expected the card of a question set in {path}, found otherwise: {error}"
        ) from error


def write(path: Path, content: bytes) -> None:
    """Write a file that is never seen half; raises StorageError."""
    try:
        write_whole(path, content)
    except OSError as error:
        raise StorageError(
            f"expected to write {path}, found: {error.strerror}",
            help="name another folder with --out",
        ) from error
