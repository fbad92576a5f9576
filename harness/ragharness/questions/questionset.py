"""``QuestionSet``: the questions of one set in row order, with what they were built from."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

import msgspec
from msgspec.structs import replace

from ragharness.config import DEFAULT_SEED, DEFAULT_SIZE
from ragharness.corpus.loading import Corpus
from ragharness.errors import QuestionsNotUsable, StorageError
from ragharness.questions.import_jsonl import read_file, read_lines
from ragharness.records import Evidence, Question, Stratum, Target
from ragharness.support import resources
from ragharness.support.files import write_atomic

_ENCODER = msgspec.json.Encoder(order="deterministic")


class RowPart(NamedTuple):
    """A row, or one half of grounded/unsupported (documents, clauses): a set holds a fixed share of it."""

    stratum: Stratum
    target: Target = ""
    withheld: str = ""

    @property
    def name(self) -> str:
        """The part as a reader calls it: grounded/unsupported/clause."""
        return "/".join(filter(None, self))


SHARES: dict[RowPart, int] = {
    RowPart("grounded", "correct"): 40,
    RowPart("grounded", "wrong"): 20,
    RowPart("grounded", "unsupported", "document"): 10,
    RowPart("grounded", "unsupported", "clause"): 10,
    RowPart("grounded", "refused"): 20,
    RowPart("unanswerable"): 10,
    RowPart("adversarial"): 10,
    RowPart("null_retrieval"): 10,
}  # questions of each row, or part of one, in a set of 130, in row order


def _plain(question: Question) -> Question:
    """Question with ``()`` itself for every empty tuple.

    CPython 3.10 has several empty tuples, and the encoder leaves out a default only if it is the very object.
    """
    fields = ((name, getattr(question, name)) for name in question.__struct_fields__)
    tuples = {name: value or () for name, value in fields if isinstance(value, tuple)}
    distractors = (
        replace(distractor, evidence=distractor.evidence or ()) for distractor in question.distractors
    )
    return replace(question, **{**tuples, "distractors": tuple(distractors) or ()})


GAP = "____"  # what stands for the word or figure that a cloze question leaves out of a statement


def is_cloze(question: Question) -> bool:
    """Whether a question quotes a statement with a gap."""
    return GAP in question.text


FEWEST = 60
"""Questions of a set about a folder of the user's below which its shares are too uncertain to be a result."""


def shortfall(questions: QuestionSet) -> str:
    """Why a set that was built about a folder cannot carry a result, and what to do; empty: it can."""
    lacking = [name for name in questions.left_out if name.partition("/")[2] != "unsupported/document"]
    few = (
        f"{len(questions.questions)} questions instead of {FEWEST}"
        if len(questions.questions) < FEWEST
        else ""
    )
    none = f"none of {', '.join(lacking)}" if lacking else ""
    if not (few or none):
        return ""
    return (
        f"the documents of {questions.corpus} carry {' and '.join(filter(None, (few, none)))}. Let a model write"
        f" them: ragharness questions build --corpus {questions.corpus} --model NAME; or give your own:"
        " --questions FILE"
    )


def part_of(question: Question) -> RowPart:
    """Part that a question belongs to."""
    return RowPart(question.stratum, question.target, question.withheld)


def quotas(size: int, left_out: Iterable[str] = ()) -> dict[RowPart, int]:
    """How many questions of each part a set of ``size`` holds: largest remainders, rows in order.

    A part that is left out, by its name, holds none; the others keep their proportions.
    """
    gone = frozenset(left_out)
    shares = {part: 0 if part.name in gone else share for part, share in SHARES.items()}
    total = sum(shares.values())
    counts = {part: size * share // total for part, share in shares.items()}
    rests = sorted(shares, key=lambda part: -(size * shares[part] % total))
    for part in rests[: size - sum(counts.values())]:
        counts[part] += 1
    return counts


@dataclass(frozen=True)
class QuestionSet:
    """Questions in row order; ``size`` is what was asked for, ``notes`` says where it stopped short."""

    corpus: str
    split: str
    corpus_hash: str
    seed: int
    size: int
    questions: tuple[Question, ...]
    frozen: bool = False
    notes: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()
    """Names of the parts of which the documents carry none; ``notes`` says so."""
    places: tuple[int, ...] = ()
    """For a file of the user's, which need not be built as ours are: the line of each question."""
    priors: Mapping[str, str] = field(default_factory=dict)
    """Answer that the documents give most often on a topic, by the topic; none where no two agree."""

    @cached_property
    def hash(self) -> str:
        """The sha256 of the questions as they are written, one JSON object a line."""
        return sha256(self.lines).hexdigest()

    @cached_property
    def lines(self) -> bytes:
        """The questions as JSON lines: the same bytes on every machine."""
        return b"".join(_ENCODER.encode(_plain(question)) + b"\n" for question in self.questions)

    @cached_property
    def by_id(self) -> dict[str, Question]:
        """The questions by their ids."""
        return {question.id: question for question in self.questions}

    @cached_property
    def withheld_documents(self) -> tuple[str, ...]:
        """Documents that must not be in the index, sorted."""
        return tuple(
            sorted({question.document for question in self.questions if question.withheld == "document"})
        )

    @cached_property
    def withheld_spans(self) -> tuple[Evidence, ...]:
        """Spans that no passage of the index may overlap, sorted."""
        spans = {
            span for question in self.questions if question.withheld == "clause" for span in question.evidence
        }
        return tuple(sorted(spans))


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
    """Shipped frozen set of a corpus; raises UnknownName or QuestionsNotUsable."""
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
