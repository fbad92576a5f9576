"""``QuestionSet``: the questions of one set in row order, with what they were built from, as files hold them.

A mistake in a question file of the user's is reported with its line.
"""

from __future__ import annotations

import codecs
import difflib
import json
import re
import shlex
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
from msgspec.structs import replace

from ragharness.config import DEFAULT_SEED, DEFAULT_SIZE
from ragharness.corpus.loading import Corpus
from ragharness.errors import QuestionsNotUsable, StorageError
from ragharness.records import Distractor, Evidence, Question, Stratum, Target
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


FEWEST = 60  # questions of a set about a folder below which its shares are too uncertain to be a result


def shortfall(questions: QuestionSet) -> str:
    """Why a set that was built about a folder cannot carry a result, and what to do; empty: it can."""
    lacking = [name for name in questions.left_out if name.partition("/")[2] != "unsupported/document"]
    count = len(questions.questions)
    short = [f"{count} questions instead of {FEWEST}"] if count < FEWEST else []
    short += [f"none of {', '.join(lacking)}"] if lacking else []
    if not short:
        return ""
    return (
        f"the documents of {questions.corpus} carry {' and '.join(short)}. Let a model write"
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
    left_out: tuple[str, ...] = ()  # names of the parts of which the documents carry none
    places: tuple[int, ...] = ()  # for a file of the user's: the line of each question
    priors: Mapping[str, str] = field(default_factory=dict)  # by topics, as ``usual_answers`` gives them

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
        withheld = (question for question in self.questions if question.withheld == "document")
        return tuple(sorted({question.document for question in withheld}))

    @cached_property
    def withheld_spans(self) -> tuple[Evidence, ...]:
        """Spans that no passage of the index may overlap, sorted."""
        withheld = (question for question in self.questions if question.withheld == "clause")
        return tuple(sorted({span for question in withheld for span in question.evidence}))


CARD = "questionset.toml"
LINES = "questions.jsonl"
PRIORS = "priors.json"  # the usual answer to each topic: what a pipeline that reads nothing may guess


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
    if (digest := sha256(content).hexdigest()) != card.sha256:
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
STATES = "documents.json"  # beside a set about a folder: the hash of each document, so that a change is named
_LONGEST = 60
_NAMED = 5  # changed documents that are named; the rest is counted


def own_place(corpus: str, size: int = DEFAULT_SIZE, seed: int = DEFAULT_SEED) -> Path:
    """Folder of the frozen set about a folder of the user's, whether it is there or not."""
    name = re.sub(r"[^\w.-]+", "-", corpus).strip("-.")
    if len(name) > _LONGEST or not name:
        name = f"{name[-_LONGEST:].strip('-.')}-{sha256(corpus.encode()).hexdigest()[:6]}".lstrip("-")
    name += f"_{size}" if size != DEFAULT_SIZE else ""
    return HOME / (name + (f"_seed{seed}" if seed != DEFAULT_SEED else ""))


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


EXAMPLE = "ragharness questions build --out FILE writes one to compare with"

_SHOWN = 5  # problems of a malformed file that are named one by one
_DERIVED = ("row", "wanted")  # what ``questions show --json`` tells beside the fields: it follows from them
_DATE = re.compile(r"\d{4}(?:-\d\d(?:-\d\d)?)?")


class NumberedQuestions(NamedTuple):
    """Questions, and the lines of the file in which they stand."""

    questions: tuple[Question, ...]
    places: tuple[int, ...]


def read_file(path: Path) -> bytes:
    """Bytes of a question file; raises QuestionsNotUsable where they cannot be read."""
    try:
        return path.read_bytes()
    except OSError as error:
        raise QuestionsNotUsable(
            f"expected a question file or the folder of a frozen set, found no {path} that can be read:"
            f" {error.strerror}",
            help=EXAMPLE,
        ) from error


def read_lines(content: bytes, path: Path, *, examine: bool) -> NumberedQuestions:
    """Questions of a JSON Lines file; raises QuestionsNotUsable with the bad lines' numbers.

    ``examine`` looks at the values too, which a frozen set has behind it.
    """
    decoder = msgspec.json.Decoder(Question)
    questions: list[Question] = []
    places: list[int] = []
    problems: list[str] = []
    # Some editors begin a file with a byte order mark.
    for number, line in enumerate(content.removeprefix(codecs.BOM_UTF8).splitlines(), start=1):
        if not line.strip():
            continue
        try:
            question = decoder.decode(line)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            problems.append(f"line {number}: {error}")
            continue
        questions.append(question)
        places.append(number)
        mistakes = _mistakes(question, msgspec.json.decode(line)) if examine else ()
        problems += (f"line {number}: {mistake}" for mistake in mistakes)
    if problems:
        raise _malformed(content, path, problems, len(questions))
    if not questions:
        raise QuestionsNotUsable(f"expected questions in {path}, found none", help=EXAMPLE)
    return NumberedQuestions(tuple(questions), tuple(places))


def _malformed(content: bytes, path: Path, problems: list[str], good: int) -> QuestionsNotUsable:
    """Error for lines that are no questions; a file of another kind is named, not its lines."""
    begin = content.removeprefix(codecs.BOM_UTF8).lstrip()[:1]
    if begin == b"[":
        content_kind, advice = "a JSON array", f"jq -c '.[]' {shlex.quote(str(path))} > questions.jsonl"
    elif not good and begin != b"{":
        content_kind, advice = "a file of another kind", EXAMPLE
    else:
        more = f"; and {len(problems) - _SHOWN} more" if len(problems) > _SHOWN else ""
        content_kind, advice = "; ".join(problems[:_SHOWN]) + more, EXAMPLE
    return QuestionsNotUsable(
        f"expected one question a line (JSON Lines, UTF-8) in {path}, found {content_kind}", help=advice
    )


def _mistakes(question: Question, written: dict[str, Any]) -> Iterator[str]:
    """Yield what would make a question count for something else than its writer meant."""
    yield from _strange(written, (*Question.__struct_fields__, *_DERIVED), "")
    for name in _DERIVED:
        follows = getattr(question, name)
        if written.get(name, follows) != follows:
            yield f"{name!r} follows from the other fields: expected {follows}, found {written[name]}"
    distractors = written.get("distractors", ())
    for distractor in distractors:
        yield from _strange(distractor, Distractor.__struct_fields__, " of a distractor")
    for holder in (written, *distractors):
        for span in holder.get("evidence", ()):
            yield from _strange(span, Evidence.__struct_fields__, " of evidence")
    fits, expected = _READABLE.get(question.kind, (lambda _: True, ""))
    tempting = (distractor.value for distractor in question.distractors)
    for value in (*question.answers, *question.world_answers, *tempting):
        if not fits(value):
            yield f"expected {expected}, found {value!r}"
    if question.kind == "yesno" and len(set(question.answers)) > 1:
        yield "the answer is yes or no, not both"
    if question.answerable and not question.answers:
        yield "expected answers, as it is answerable, found none"
    if question.answers and not question.answerable:
        yield "expected no answers (but perhaps world_answers), as it is not answerable, found some"
    if question.wanted == "correct" and not question.evidence:
        yield "expected evidence, without which no answer can be correct, found none"


def _strange(written: dict[str, Any], known: tuple[str, ...], of: str) -> Iterator[str]:
    for name in written:
        if name not in known:
            near = difflib.get_close_matches(name, known, n=1, cutoff=0.6)
            yield f"no field{of} is named {name!r}" + (f", did you mean {near[0]}?" if near else "")


def _is_number(value: str) -> bool:
    try:
        number = Decimal(value.replace(",", ""))
        # With an exponent it can have a billion digits.
        return number.is_finite() and abs(number.adjusted()) < 400
    except InvalidOperation:
        return False


_READABLE: dict[str, tuple[Callable[[str], object], str]] = {
    "yesno": (lambda value: value in {"yes", "no"}, "the answer yes or no"),
    "number": (_is_number, "a plain decimal like 391035 or 21.4"),
    "date": (_DATE.fullmatch, "a date like 2024, 2024-03 or 2024-03-01"),
}
