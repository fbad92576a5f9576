"""Builds a question set from the candidates of a corpus's recipe in the design's proportions, and freezes it."""

from __future__ import annotations

import json
import shlex
from collections import Counter
from collections.abc import Iterable
from itertools import product
from pathlib import Path

import msgspec
from msgspec.structs import replace

from ragharness.config import DEFAULT_SEED, DEFAULT_SIZE
from ragharness.corpus.loading import Corpus
from ragharness.errors import QuestionsNotUsable, UsageError
from ragharness.questions.questionset import (
    CARD,
    LINES,
    PRIORS,
    SHARES,
    STATES,
    QuestionSet,
    QuestionSetMetadata,
    RowPart,
    document_hashes,
    frozen_in,
    is_cloze,
    quotas,
    write,
)
from ragharness.records import ROWS, Question
from ragharness.support.options import to_toml
from ragquestions.corpus_index import CorpusIndex
from ragquestions.picking import PATIENCE, Picker, Pool, Shortage, level_forms, pick_answerable
from ragquestions.recipes import load_recipe, usual_answers

SMALLEST = 13  # one question of each kind and a few to balance: below this a set says nothing
_EASE = (1, 3, 9)  # how many times its share a document may carry, in turn: some state more than others
_LOOK_ABOVE = 4  # sizes above a failing one that are tried before it is believed to be the end
_NEEDED = RowPart("grounded", "correct")  # without it a set says nothing; a folder may lack all else
_OF_SEVERAL = ("grounded/unsupported/document", "grounded/refused")  # they need another document
# Parts that are given up, in this order, where plain questions are short.
_MAKE_ROOM = ("grounded/unsupported/document", "grounded/unsupported/clause", "null_retrieval")


def build_questions(corpus: Corpus, size: int = DEFAULT_SIZE, seed: int = DEFAULT_SEED) -> QuestionSet:
    """Set of ``size`` questions, or of the largest size below it that the corpus carries.

    Where it carries not even the smallest set with all rows, those that it lacks are left out. The same
    corpus, size and seed give the same bytes on any machine. Raises UsageError for a size under 13 and
    QuestionsNotUsable when the corpus does not even carry that.
    """
    if size < SMALLEST:
        raise UsageError(
            f"a set needs at least {SMALLEST} questions, found --size {size}",
            help="ragharness questions build --size 130",
        )
    recipe = load_recipe(corpus)
    if corpus.folder:
        return compose(corpus, recipe.candidates(corpus, size), size, seed)
    index = CorpusIndex(corpus)
    every = recipe.candidates(corpus, index.facts)
    weights, both_sides = getattr(recipe, "WEIGHTS", None), getattr(recipe, "BOTH_SIDES", False)
    pool = Pool(every, index, weights, both_sides=both_sides)
    outcome, short = _largest(pool, size, seed)
    if isinstance(outcome, Shortage):
        try:
            # A single filing of the user's, say, carries some rows only.
            return compose(corpus, every, size, seed, index)
        except QuestionsNotUsable:
            raise QuestionsNotUsable(
                f"expected candidates for {SMALLEST} questions about {corpus.id}, found too few: {outcome}",
                help=f"ragharness corpus show {corpus.id}",
            ) from None
    return _set_of(pool, outcome, size, seed, short)


def compose(
    corpus: Corpus, candidates: Iterable[Question], size: int, seed: int, index: CorpusIndex | None = None
) -> QuestionSet:
    """Set about few documents, or the user's own, without the rows that they do not carry.

    A row is left out when neither the smallest set nor a larger one can have it; ``notes`` says which.
    Raises QuestionsNotUsable where not even the plain questions suffice.
    """
    pool = Pool(candidates, index or CorpusIndex(corpus))
    left_out: tuple[str, ...] = () if len(pool.places()) > 1 else _OF_SEVERAL
    while True:
        outcome, stopped = _largest(pool, size, seed, left_out)
        if not isinstance(outcome, Shortage):
            return _set_of(pool, outcome, size, seed, stopped, left_out)
        short = _picked(pool, SMALLEST, seed, left_out)
        if not isinstance(short, Shortage):
            return _set_of(pool, short, size, seed, stopped, left_out)
        room = [name for name in _MAKE_ROOM if name not in left_out]
        name = room[0] if short.part == _NEEDED and room else short.part.name
        if name == _NEEDED.name or name in left_out:
            raise QuestionsNotUsable(
                f"expected at least {SMALLEST} questions with certain answers in {corpus.id}, found too few"
                " plain statements of figures and dates",
                help=f"let a model write them: ragharness questions build --corpus {corpus.id} --model NAME;"
                " or give your own: --questions FILE",
            )
        left_out = (*left_out, name)


def _set_of(
    pool: Pool,
    built: tuple[Question, ...],
    size: int,
    seed: int,
    short: Shortage | None,
    left_out: tuple[str, ...] = (),
) -> QuestionSet:
    """Set with a note on where it stopped, and on each row that it lacks."""
    notes = [f"{size} questions were asked for, {len(built)} are built: {short}"] if short else []
    notes += [f"no questions of {name}: the documents yield too few" for name in left_out]
    if cloze := sum(map(is_cloze, built)):
        notes += [f"{cloze} of {len(built)} questions are cloze questions, which are easier to retrieve for"]
    corpus = pool.index.corpus
    topics = {group.topic for part in SHARES for group in pool.of(part)}
    priors = usual_answers(fact for fact in pool.index.facts if fact.topic in topics)
    notes += pool.index.stated.notes
    card = corpus.id, corpus.split, corpus.hash, seed, size, built
    return QuestionSet(*card, notes=tuple(notes), left_out=left_out, priors=priors)


def _largest(
    pool: Pool, size: int, seed: int, left_out: tuple[str, ...] = ()
) -> tuple[tuple[Question, ...] | Shortage, Shortage | None]:
    """Set of ``size``, or a large one below it and what kept it from more; a Shortage for none.

    Found by halving, then upwards: which documents are withheld depends on the size, so that a larger set
    may succeed where a smaller one fails.
    """
    outcome = _picked(pool, size, seed, left_out)
    if not isinstance(outcome, Shortage):
        return outcome, None
    short = outcome
    best: tuple[Question, ...] | None = None
    # A multiple of 13 has exact proportions.
    total = sum(SHARES.values())
    shares = ((part, share) for part, share in SHARES.items() if part.name not in left_out)
    most = min(size - 1, *(len(pool.of(part)) * total // share for part, share in shares)) // SMALLEST
    low, high = 0, most
    while low < high:
        middle = (low + high + 1) // 2
        outcome = _picked(pool, middle * SMALLEST, seed, left_out)
        if isinstance(outcome, Shortage):
            high, short = middle - 1, outcome
        else:
            low, best = middle, outcome
    for above in range(low + 1, min(low + _LOOK_ABOVE, most) + 1):
        outcome = _picked(pool, above * SMALLEST, seed, left_out)
        short, best = (outcome, best) if isinstance(outcome, Shortage) else (short, outcome)
    return best or short, short


def _picked(pool: Pool, size: int, seed: int, left_out: tuple[str, ...]) -> tuple[Question, ...] | Shortage:
    """Set of exactly that size, with as much patience and ease as it takes."""
    outcome: tuple[Question, ...] | Shortage = ()
    for ease, patience in product(_EASE, PATIENCE):
        outcome = _picked_once(pool, size, seed, patience, ease, left_out)
        if not isinstance(outcome, Shortage):
            break
    return outcome


def _picked_once(
    pool: Pool, size: int, seed: int, patience: int, ease: int, left_out: tuple[str, ...]
) -> tuple[Question, ...] | Shortage:
    """Pick scarce rows before plentiful ones, after withholding documents that no scarce row needs."""
    counts = quotas(size, left_out)
    picker = Picker(pool, seed, counts, ease)
    correct, wrong, document, clause, refused, unanswerable, adversarial, null = counts
    try:
        picker.withhold(document, counts[document])
        picker.withhold(clause, counts[clause])
        pick_answerable(picker, correct, wrong, counts, patience)
        for part in (refused, null, adversarial, unanswerable):
            picker.fill(part, counts[part])
    except Shortage as short:
        return short
    level_forms(picker, (document, clause, refused, unanswerable, adversarial, null))
    ordered = [question for part in counts for question in picker.picked(part)]
    width = max(3, len(str(len(ordered))))
    return tuple(replace(each, id=f"q{number:0{width}}") for number, each in enumerate(ordered, start=1))


_OURS = (
    "The wording of the questions is this project's (Apache-2.0). Ids, offsets and labels come from"
    " the corpus under its licence; none of its text is included."
)


def freeze(
    questions: QuestionSet, folder: Path, corpus: Corpus, *, edited: bool = False
) -> QuestionSetMetadata:
    """Write a set, its metadata and the usual answers into a folder, and return the metadata.

    Raises StorageError, and QuestionsNotUsable where a set about a folder was edited and is not accepted.
    """
    if corpus.folder and not edited and (folder / CARD).is_file():
        try:
            frozen_in(folder)
        except QuestionsNotUsable as error:
            raise QuestionsNotUsable(
                f"{folder / LINES} holds edits that a new set would overwrite",
                help=f"ragharness questions freeze --corpus {shlex.quote(corpus.id)}"
                f" --out {shlex.quote(str(folder))} --accept-edits keeps them; to drop them, remove {folder}",
            ) from error
    recipe = load_recipe(corpus)
    counts = Counter(question.row for question in questions.questions)
    metadata = QuestionSetMetadata(
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
    write(folder / CARD, to_toml(msgspec.to_builtins(metadata)).encode())
    if questions.priors:
        write(folder / PRIORS, json.dumps(dict(questions.priors), indent=1).encode() + b"\n")
    if corpus.folder:
        hashes = json.dumps(document_hashes(corpus), indent=1, sort_keys=True)
        write(folder / STATES, hashes.encode() + b"\n")
    return metadata
