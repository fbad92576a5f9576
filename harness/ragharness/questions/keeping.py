"""Which questions a corpus is asked: those of a file, the frozen ones, or ones that are built now.

Sets about folders of the user's own are built once, frozen beside the runs and used from then on. They lie in
``questionsets/`` of the working folder, never among the user's documents.
"""

from __future__ import annotations

import json
import re
import shlex
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from ragharness import shelf
from ragharness.config import DEFAULT_SEED, DEFAULT_SIZE
from ragharness.errors import QuestionsNotUsable, StorageError
from ragharness.manifests import manifest
from ragharness.questions.building import build_questions, load_recipe
from ragharness.questions.checks import check_questions
from ragharness.questions.freezing import (
    CARD,
    LINES,
    fitting,
    freeze,
    frozen_in,
    frozen_set,
    read_card,
    write,
)
from ragharness.questions.questionset import QuestionSet

if TYPE_CHECKING:
    from ragharness.corpus import Corpus

HOME = Path("questionsets")
STATES = "documents.json"
"""Beside a set: the hash of each document, so that a change can be named."""

_LONGEST = 60
_NAMED = 5
"""Changed documents that are named; the rest is counted."""

_OTHERS_NAMED = 3
"""Questions that are named where a set is not the frozen one; the rest is counted."""


def load_questions(
    corpus: Corpus, *, path: Path | None = None, size: int = DEFAULT_SIZE, seed: int = DEFAULT_SEED
) -> QuestionSet:
    """Return the questions of ``path`` (a file or a frozen set's folder), else the frozen or a built set.

    The frozen set of the shelf is taken for the default size and seed when it was made from this very corpus,
    or from one of as many documents of which the recipe makes every question of it again, to the last offset
    (an altered copy of one filing, say); ``notes`` says when it was not this very one. A set about a folder
    of the user's is frozen when it is first built. Raises QuestionsNotUsable.
    """
    if path is not None:
        return fitting(path, corpus)
    if corpus.folder:
        return own_questions(corpus, size, seed)
    if (size, seed) != (DEFAULT_SIZE, DEFAULT_SEED) or corpus.id not in shelf.names("questionsets"):
        return build_questions(corpus, size, seed)
    frozen = frozen_set(corpus.id)
    if (frozen.split, frozen.corpus_hash) == (corpus.split, corpus.hash):
        return frozen
    if frozen.split != corpus.split:
        note = f"built now: the frozen set belongs to another split of {corpus.id}"
    elif len(corpus.documents) != manifest(corpus.id).counts.get(corpus.split, {}).get("documents"):
        note = f"built now: the frozen set is about other documents of {corpus.id}"
    else:
        other = _others(frozen, corpus)
        if not other:
            note = "texts differ from those of the frozen set; each question was made again and is the same"
            return replace(frozen, notes=(*frozen.notes, note))
        named = ", ".join(other[:_OTHERS_NAMED]) + (
            f" and {len(other) - _OTHERS_NAMED} more" if other[_OTHERS_NAMED:] else ""
        )
        note = (
            f"built now: the frozen set belongs to another state of {corpus.id},"
            f" in which {len(other)} of its {len(frozen.questions)} questions are others ({named})"
        )
    built = build_questions(corpus, size, seed)
    return replace(built, notes=(*built.notes, note))


def _others(frozen: QuestionSet, corpus: Corpus) -> list[str]:
    """Return the ids of the questions that the recipe does not make of a corpus, or that lack a property."""
    encode = msgspec.json.encode
    made = {encode(each) for each in load_recipe(corpus.id).candidates(corpus)}
    found = {each.question for each in check_questions(frozen, corpus)}
    return [
        each.id
        for each in frozen.questions
        if each.id in found or encode(msgspec.structs.replace(each, id="")) not in made
    ]


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
    built = build_questions(corpus, size, seed)
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
    write(place / STATES, json.dumps(states(corpus), indent=1, sort_keys=True).encode() + b"\n")


def accepted(place: Path, corpus: Corpus) -> QuestionSet:
    """Return the questions of a frozen set as they were edited, with a note; raises QuestionsNotUsable."""
    card = read_card(place)
    edited = fitting(place / LINES, corpus)
    note = "edited by hand after it was built"
    notes = (*(each for each in card.notes if each != note), note)
    return replace(edited, seed=card.seed, size=card.size, notes=notes, left_out=card.left_out)


def states(corpus: Corpus) -> dict[str, str]:
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
        before = json.loads((place / STATES).read_bytes())
    except (OSError, ValueError):
        before = None
    if not isinstance(before, dict):
        return "other contents"
    now = states(corpus)
    groups = {
        "changed": [each for each in now if each in before and before[each] != now[each]],
        "new": [each for each in now if each not in before],
        "gone": [each for each in before if each not in now],
    }
    told = [f"{len(names)} {what} ({_listed(names)})" for what, names in groups.items() if names]
    return ", ".join(told) or "another order or other names"


def _listed(names: list[str]) -> str:
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    return ", ".join(names[:_NAMED]) + more
