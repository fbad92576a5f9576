"""Frozen question sets: written once with their metadata, and loaded only if their questions are unchanged.

Sets about folders of the user's own are frozen when they are first built, in ``questionsets/`` of the working
folder, never among the user's documents.
"""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path

import msgspec

from ragharness.config import DEFAULT_SEED, DEFAULT_SIZE
from ragharness.corpus.loading import Corpus
from ragharness.errors import QuestionsNotUsable, StorageError
from ragharness.questions.import_jsonl import read_file, read_lines
from ragharness.questions.questionset import QuestionSet
from ragharness.support import resources
from ragharness.support.files import write_atomic

CARD = "questionset.toml"
LINES = "questions.jsonl"
PRIORS = "priors.json"
"""Answer that the corpus gives most often on each topic: what a pipeline that reads nothing may guess."""


class QuestionSetMetadata(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Metadata of a frozen set, ``questionset.toml`` beside its questions."""

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


def frozen_set(name: str) -> QuestionSet:
    """Frozen set of the shelf as it was written; raises UnknownName or QuestionsNotUsable."""
    return frozen_in(resources.folder("questionsets", name))


def frozen_in(folder: Path) -> QuestionSet:
    """Frozen set of a folder as it was written; raises QuestionsNotUsable."""
    card = read_card(folder)
    content = read_file(folder / LINES)
    digest = sha256(content).hexdigest()
    if digest != card.sha256:
        raise QuestionsNotUsable(
            f"expected the frozen questions {card.sha256[:12]} in {folder / LINES}, found {digest[:12]}:"
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
        priors=read_priors(folder),
    )


def read_priors(folder: Path) -> dict[str, str]:
    """Usual answers beside a frozen set; none where it has no such file. Raises QuestionsNotUsable."""
    path = folder / PRIORS
    try:
        return msgspec.json.decode(path.read_bytes(), type=dict[str, str])
    except FileNotFoundError:
        return {}
    except (OSError, msgspec.DecodeError) as error:
        raise QuestionsNotUsable(f"cannot read the usual answers in {path}: {error}") from error


def shipped_priors(corpus: str) -> dict[str, str]:
    """Usual answers beside the frozen set that is shipped for a corpus; none where there is no such set."""
    if corpus not in resources.names("questionsets"):
        return {}
    return read_priors(resources.root() / "questionsets" / corpus)


def read_card(folder: Path) -> QuestionSetMetadata:
    """Metadata of a frozen set; raises QuestionsNotUsable."""
    path = folder / CARD
    try:
        return msgspec.toml.decode(read_file(path), type=QuestionSetMetadata)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise QuestionsNotUsable(f"{path} is no card of a question set: {error}") from error


def write(path: Path, content: bytes) -> None:
    """Write a file that is never seen half; raises StorageError."""
    try:
        write_atomic(path, content)
    except OSError as error:
        raise StorageError(
            f"expected to write {path}, found: {error.strerror}", help="name another folder with --out"
        ) from error


HOME = Path("questionsets")
STATES = "documents.json"
"""Beside a set about a folder: the hash of each document, so that a change can be named."""

_LONGEST = 60
_NAMED = 5  # changed documents that are named; the rest is counted


def own_place(corpus: str, size: int = DEFAULT_SIZE, seed: int = DEFAULT_SEED) -> Path:
    """Folder of the frozen set about a folder of the user's, whether it is there or not."""
    name = re.sub(r"[^\w.-]+", "-", corpus).strip("-.")
    if len(name) > _LONGEST or not name:
        name = f"{name[-_LONGEST:].strip('-.')}-{sha256(corpus.encode()).hexdigest()[:6]}".lstrip("-")
    parts = [name]
    parts += [f"{size}"] if size != DEFAULT_SIZE else []
    parts += [f"seed{seed}"] if seed != DEFAULT_SEED else []
    return HOME / "_".join(parts)


def document_hashes(corpus: Corpus) -> dict[str, str]:
    """Short hash of each document by its id."""
    return {
        document.id: sha256(f"{document.title}\n{document.text}".encode()).hexdigest()[:16]
        for document in corpus.documents
    }


def of_another_state(corpus: Corpus, folder: Path) -> QuestionsNotUsable:
    """Error for a frozen set whose documents have changed since."""
    named = shlex.quote(corpus.id)
    return QuestionsNotUsable(
        f"expected the documents of {corpus.id} as they were when {folder} was frozen,"
        f" found {_difference(corpus, folder)}",
        help=f"ragharness questions freeze --corpus {named} builds and freezes the set again;"
        f" ragharness questions check --corpus {named} --questions {shlex.quote(str(folder / LINES))}"
        " says which questions still fit",
    )


def _difference(corpus: Corpus, folder: Path) -> str:
    try:
        before = json.loads((folder / STATES).read_bytes())
    except (OSError, ValueError):
        before = None
    if not isinstance(before, dict):
        return "other contents"
    now = document_hashes(corpus)
    groups = {
        "changed": [name for name in now if name in before and before[name] != now[name]],
        "new": [name for name in now if name not in before],
        "gone": [name for name in before if name not in now],
    }
    parts = [f"{len(names)} {what} ({listed(names, _NAMED)})" for what, names in groups.items() if names]
    return ", ".join(parts) or "another order or other names"


def listed(names: Sequence[str], most: int) -> str:
    """The first names, and how many more there are."""
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more
