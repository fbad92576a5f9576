"""Frozen question sets: written once and loaded only if unchanged; other files are read line by line."""

from __future__ import annotations

import json
import shlex
import sys
from collections import Counter
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from ragharness import shelf
from ragharness.config import DEFAULT_SEED
from ragharness.errors import QuestionsNotUsable, StorageError
from ragharness.questions.building import load_recipe
from ragharness.questions.checks import misfits
from ragharness.questions.own import EXAMPLE, Lines, read_lines
from ragharness.questions.questionset import QuestionSet
from ragharness.questions.tables import is_table, read_table
from ragharness.questions.values import review_notes
from ragharness.records import ROWS, Question
from ragharness.support.files import write_whole

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

if TYPE_CHECKING:
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
    counts = Counter(each.row for each in questions.questions)
    card = Card(
        id=folder.name,
        corpus=questions.corpus,
        split=questions.split,
        corpus_hash=questions.corpus_hash,
        recipe_version=_version(corpus),
        seed=questions.seed,
        size=questions.size,
        sha256=questions.hash,
        license=corpus.license,
        attribution=corpus.attribution,
        note=_OWN if corpus.folder else getattr(load_recipe(corpus.id), "NOTE", _OURS),
        notes=questions.notes,
        left_out=questions.left_out,
        rows={row: counts[row] for row in ROWS},
    )
    write(folder / LINES, questions.lines)
    write(folder / CARD, _toml(card).encode())
    return card


_OURS = (
    "The wording of the questions is this project's (Apache-2.0). Ids, offsets and labels come from"
    " the corpus under its licence; none of its text is included."
)
_OWN = "Made from your own documents: the questions repeat words of theirs."


def _version(corpus: Corpus) -> int:
    if corpus.folder:
        from ragharness.questions.folder import VERSION

        return VERSION
    return load_recipe(corpus.id).VERSION


def frozen_set(name: str) -> QuestionSet:
    """Return the frozen set of the shelf as it was written; raises UnknownName or QuestionsNotUsable."""
    folder = shelf.folder("questionsets", name)
    return _frozen(folder, read_card(folder))


def frozen_in(folder: Path) -> QuestionSet:
    """Return the frozen set of a folder as it was written; raises QuestionsNotUsable."""
    return _frozen(folder, read_card(folder))


def stored_set(path: Path, corpus: str) -> QuestionSet:
    """Return the questions of a file or a frozen set's folder without looking at their corpus."""
    if path.is_dir():
        if not (path / CARD).is_file():
            raise QuestionsNotUsable(
                f"expected a question file or the folder of a frozen set, found the folder {path.resolve()}"
                f" without {CARD}",
                help=EXAMPLE,
            )
        return _frozen(path, read_card(path))
    content = _read(path)
    rows = read_table(content, path) if is_table(content, path) else None
    return _own(rows or read_lines(content, path, examine=True), corpus)


def questions_about(corpus: Corpus, path: Path) -> QuestionSet:
    """Return the questions of a file or a frozen set's folder as asked about a corpus, fitting or not.

    A table of questions and answers gets its evidence from the corpus.
    """
    if not path.is_dir() and is_table(content := _read(path), path):
        found = _own(read_table(content, path, corpus), corpus.id)
        return replace(found, split=corpus.split, corpus_hash=corpus.hash)
    found = stored_set(path, corpus.id)
    return found if found.frozen else replace(found, split=corpus.split, corpus_hash=corpus.hash)


def _own(lines: Lines, corpus: str) -> QuestionSet:
    """Return the questions of a user's file; ``notes`` says how many golds the rules cannot decide."""
    questions, places = lines
    notes = review_notes(questions)
    return QuestionSet(corpus, "", "", DEFAULT_SEED, len(questions), questions, notes=notes, places=places)


def write(path: Path, content: bytes) -> None:
    """Write a file that is never seen half; raises StorageError."""
    try:
        write_whole(path, content)
    except OSError as error:
        raise StorageError(
            f"expected to write {path}, found: {error.strerror}",
            help="name another folder with --out",
        ) from error


def read_questions(path: Path) -> tuple[Question, ...]:
    """Return the questions of a JSON Lines file; raises QuestionsNotUsable with the bad lines' numbers."""
    return read_lines(_read(path), path, examine=True).questions


def read_card(folder: Path) -> Card:
    """Return the card of a frozen set; raises QuestionsNotUsable."""
    path = folder / CARD
    try:
        return msgspec.convert(tomllib.loads(_read(path).decode()), Card)
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, msgspec.ValidationError) as error:
        raise QuestionsNotUsable(
            f"expected the card of a question set in {path}, found otherwise: {error}"
        ) from error


def fitting(path: Path, corpus: Corpus) -> QuestionSet:
    """Return the questions of a file or a folder; raises QuestionsNotUsable where they do not fit."""
    found = questions_about(corpus, path)
    wrong = misfits(found, corpus)
    if wrong:
        first = wrong[0]
        raise QuestionsNotUsable(
            f"expected questions about {corpus.id} in {path}, found {len(wrong)} that do not fit;"
            f" {first.question or 'the set'}: {first.message}",
            help=f"ragharness questions check --corpus {shlex.quote(corpus.id)}"
            f" --questions {shlex.quote(str(path))} lists them",
        )
    return found


def _frozen(folder: Path, card: Card) -> QuestionSet:
    content = _read(folder / LINES)
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


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise QuestionsNotUsable(
            f"expected a question file or the folder of a frozen set, found no {path} that can be read:"
            f" {error.strerror}",
            help=EXAMPLE,
        ) from error


def _toml(card: Card) -> str:
    values: dict[str, Any] = msgspec.to_builtins(card)
    rows = values.pop("rows")
    # A JSON string or list is a TOML string or array.
    lines = [f"{key} = {json.dumps(value, ensure_ascii=False)}" for key, value in values.items()]
    return "\n".join([*lines, "", "[rows]", *(f'"{row}" = {count}' for row, count in rows.items()), ""])
