"""Sets about folders of the user's own: built once, frozen beside the runs and used from then on.

They lie in ``questionsets/`` of the working folder, never among the user's documents.
"""

from __future__ import annotations

import json
import re
import shlex
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

from ragharness.config import DEFAULT_SEED, DEFAULT_SIZE
from ragharness.errors import QuestionsNotUsable, StorageError
from ragharness.questions.freezing import CARD, LINES, freeze, frozen_in, write

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ragharness.corpus import Corpus
    from ragharness.questions.questionset import QuestionSet

HOME = Path("questionsets")
_STATES = "documents.json"
"""Beside a set: the hash of each document, so that a change can be named."""

_LONGEST = 60
_NAMED = 5
"""Changed documents that are named; the rest is counted."""


def own_place(corpus: str, size: int = DEFAULT_SIZE, seed: int = DEFAULT_SEED) -> Path:
    """Return the folder of the frozen set about a folder of the user's, whether it is there or not."""
    name = re.sub(r"[^\w.-]+", "-", corpus).strip("-.")
    if len(name) > _LONGEST or not name:
        name = f"{name[-_LONGEST:].strip('-.')}-{sha256(corpus.encode()).hexdigest()[:6]}".lstrip("-")
    parts = [name]
    parts += [f"{size}"] if size != DEFAULT_SIZE else []
    parts += [f"seed{seed}"] if seed != DEFAULT_SEED else []
    return HOME / "_".join(parts)


def own_questions(corpus: Corpus, size: int, seed: int) -> QuestionSet:
    """Return the frozen set about a folder, or build and freeze it; ``notes`` says where.

    Raises QuestionsNotUsable for a set that was edited, or whose documents have changed since.
    """
    place = own_place(corpus.id, size, seed)
    if (place / CARD).is_file():
        found = frozen_in(place)
        if found.corpus_hash != corpus.hash:
            raise _of_another_state(corpus, place)
        return found
    from ragharness.questions.building import build_questions
    from ragharness.questions.probe import warning

    built = build_questions(corpus, size, seed)
    built = replace(built, notes=(*built.notes, *warning(built.questions)))
    try:
        keep_own(built, place, corpus)
    except StorageError as error:
        return replace(built, notes=(*built.notes, f"built now, and not frozen: {error}"))
    told = f"{len(built.questions)} questions built and frozen in {place}: read them before you trust a score"
    return replace(built, notes=(*built.notes, told))


def keep_own(questions: QuestionSet, place: Path, corpus: Corpus, *, edited: bool = False) -> None:
    """Freeze a set about a folder; raises QuestionsNotUsable where edits would be lost, StorageError."""
    if not edited and (place / CARD).is_file():
        _spare_edits(place, corpus)
    freeze(questions, place, corpus)
    write(place / _STATES, json.dumps(_states(corpus), indent=1, sort_keys=True).encode() + b"\n")


def _states(corpus: Corpus) -> dict[str, str]:
    """Return a short hash of each document by its id."""
    return {
        each.id: sha256(f"{each.title}\n{each.text}".encode()).hexdigest()[:16] for each in corpus.documents
    }


def _spare_edits(place: Path, corpus: Corpus) -> None:
    try:
        frozen_in(place)
    except QuestionsNotUsable as error:
        raise QuestionsNotUsable(
            f"expected no edits in {place / LINES} that a new set would overwrite, found some",
            help=f"ragharness questions freeze --corpus {shlex.quote(corpus.id)}"
            f" --out {shlex.quote(str(place))} --accept-edits keeps them; to drop them, remove {place}",
        ) from error


def _of_another_state(corpus: Corpus, place: Path) -> QuestionsNotUsable:
    named = shlex.quote(corpus.id)
    return QuestionsNotUsable(
        f"expected the documents of {corpus.id} as they were when {place} was frozen,"
        f" found {_difference(corpus, place)}",
        help=f"ragharness questions freeze --corpus {named} builds and freezes the set again;"
        f" ragharness questions check --corpus {named} --questions {shlex.quote(str(place / LINES))}"
        " says which questions still fit",
    )


def _difference(corpus: Corpus, place: Path) -> str:
    try:
        before = json.loads((place / _STATES).read_bytes())
    except (OSError, ValueError):
        before = None
    if not isinstance(before, dict):
        return "other contents"
    now = _states(corpus)
    groups = {
        "changed": [each for each in now if each in before and before[each] != now[each]],
        "new": [each for each in now if each not in before],
        "gone": [each for each in before if each not in now],
    }
    told = [f"{len(names)} {what} ({listed(names, _NAMED)})" for what, names in groups.items() if names]
    return ", ".join(told) or "another order or other names"


def listed(names: Sequence[str], most: int) -> str:
    """Return the first names, and how many more there are."""
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more
