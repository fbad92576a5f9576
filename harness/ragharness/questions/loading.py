"""Which questions a corpus is asked: those of a file, the frozen ones, or ones that are built now; what unfits them."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

import msgspec

from ragharness.config import DEFAULT_SEED, DEFAULT_SIZE
from ragharness.corpus.loading import Corpus
from ragharness.errors import QuestionsNotUsable, StorageError, UnknownName
from ragharness.language.words import words
from ragharness.questions import makers
from ragharness.questions.freezing import (
    CARD,
    LINES,
    frozen_in,
    frozen_set,
    listed,
    of_another_state,
    own_place,
    read_card,
    read_priors,
)
from ragharness.questions.import_jsonl import EXAMPLE, NumberedQuestions, read_file, read_lines
from ragharness.questions.questionset import QuestionSet
from ragharness.records import ROWS
from ragharness.support import resources
from ragharness.support.files import cache_folder, hash_code, read_cached, write_cached

_NAMED = 3  # questions that are named where a set is not the frozen one; the rest is counted
_UNDECIDABLE = {
    "sentence": (
        "are sentences, which the rules leave to review unless an answer holds their words: give a short gold"
        " (a name, a figure, yes or no) as a further accepted answer, or let a judge or a person decide"
    ),
    "no unit": (
        "are amounts of money without their unit, which the rules cannot compare: name it in the column unit"
        ' ("USD million") or in the question'
    ),
}
"""What is said of golds that the rules cannot decide, by the reason."""


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
        return _own_questions(corpus, size, seed)
    note = ""
    if (size, seed) == (DEFAULT_SIZE, DEFAULT_SEED) and corpus.id in resources.names("questionsets"):
        frozen = frozen_set(corpus.id)
        if (frozen.split, frozen.corpus_hash) == (corpus.split, corpus.hash):
            return frozen
        note = _why_not(frozen, corpus)
        if not note:
            note = "texts differ from those of the frozen set; each question was made again and is the same"
            return replace(frozen, notes=(*frozen.notes, note))
    built = makers.build_questions(corpus, size, seed)
    return replace(built, notes=(*built.notes, note)) if note else built


def _own_questions(corpus: Corpus, size: int, seed: int) -> QuestionSet:
    """Return the frozen set about a folder, or build and freeze it; ``notes`` says where.

    Raises QuestionsNotUsable for a set that was edited, or whose documents have changed since.
    """
    place = own_place(corpus.id, size, seed)
    if (place / CARD).is_file():
        found = frozen_in(place)
        if found.corpus_hash != corpus.hash:
            raise of_another_state(corpus, place)
        return found
    built = makers.build_and_probe(corpus, size, seed)
    try:
        makers.freeze(built, place, corpus)
    except StorageError as error:
        return replace(built, notes=(*built.notes, f"built now, and not frozen: {error}"))
    told = f"{len(built.questions)} questions built and frozen in {place}: read them before you trust a score"
    return replace(built, notes=(*built.notes, told))


def _why_not(frozen: QuestionSet, corpus: Corpus) -> str:
    """Return why a frozen set is not the one to ask a corpus; empty: it would be made of it again."""
    from ragharness.corpus.manifests import manifest

    if frozen.split != corpus.split:
        return f"built now: the frozen set belongs to another split of {corpus.id}"
    if len(corpus.documents) != manifest(corpus.id).counts.get(corpus.split, {}).get("documents"):
        return f"built now: the frozen set is about other documents of {corpus.id}"
    other = makers.not_made_again(frozen, corpus)
    if not other:
        return ""
    return (
        f"built now: the frozen set belongs to another state of {corpus.id}, in which {len(other)} of its"
        f" {len(frozen.questions)} questions are others ({listed(other, _NAMED)})"
    )


def stored_set(path: Path, corpus: str) -> QuestionSet:
    """Return the questions of a file or a frozen set's folder without looking at their corpus."""
    return _stored(path, corpus, None)


def questions_about(corpus: Corpus, path: Path) -> QuestionSet:
    """Return the questions of a file or a frozen set's folder as asked about a corpus, fitting or not.

    A table of questions and answers gets its evidence from the corpus.
    """
    found = _stored(path, corpus.id, corpus)
    return found if found.frozen else replace(found, split=corpus.split, corpus_hash=corpus.hash)


def _stored(path: Path, name: str, corpus: Corpus | None) -> QuestionSet:
    from ragharness.questions.import_table import is_table
    from ragharness.questions.values import undecidable

    if path.is_dir():
        if not (path / CARD).is_file():
            raise QuestionsNotUsable(
                f"expected a question file or the folder of a frozen set, found the folder {path.resolve()}"
                f" without {CARD}",
                help=EXAMPLE,
            )
        return frozen_in(path)
    content = read_file(path)
    if is_table(content, path):
        questions, places = _table(content, path, corpus)
    else:
        questions, places = read_lines(content, path, examine=True)
    found: Counter[str] = Counter(map(undecidable, questions))
    counts = ((found[why], told) for why, told in _UNDECIDABLE.items())
    notes = tuple(f"{count} of {len(questions)} golds {told}" for count, told in counts if count)
    if refusals := sum(each.wanted == "refused" for each in questions):
        notes = (f"{refusals} of {len(questions)} questions should be refused: they have no answer", *notes)
    shelf = resources.root() / "questionsets" / name if name in resources.names("questionsets") else None
    return QuestionSet(
        name,
        "",
        "",
        DEFAULT_SEED,
        len(questions),
        questions,
        notes=notes,
        places=places,
        priors=read_priors(shelf) if shelf else {},
    )


def _table(content: bytes, path: Path, corpus: Corpus | None) -> NumberedQuestions:
    """Read a table, or take what was kept of it: its evidence is looked for in the whole corpus."""
    from ragharness.questions.import_table import read_table

    if corpus is None:
        return read_table(content, path)
    package = Path(__file__).parents[1]
    code = hash_code(*(package / room for room in ("language", "corpus/alignment.py", "questions")))
    key = sha256(f"{code} {corpus.hash} {path.suffix}\n".encode() + content).hexdigest()[:32]
    place = cache_folder() / "tables" / f"{key}.msgpack"
    if (packed := read_cached(place)) is not None:
        return msgspec.msgpack.decode(packed, type=NumberedQuestions)
    found = read_table(content, path, corpus)
    write_cached(place, msgspec.msgpack.encode(found), most=_KEPT)
    return found


_KEPT = 12  # tables of questions in the cache; the longest unused ones go first


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


def accepted(place: Path, corpus: Corpus) -> QuestionSet:
    """Return the questions of a frozen set as they were edited, with a note; raises QuestionsNotUsable."""
    card = read_card(place)
    edited = fitting(place / LINES, corpus)
    note = "edited by hand after it was built"
    notes = (*(each for each in card.notes if each != note), note)
    return replace(edited, seed=card.seed, size=card.size, notes=notes, left_out=card.left_out)


_QUOTED = 40  # characters of a text that are quoted in a finding
_LISTED = 20  # lines with the same id or text that are told


class Finding(NamedTuple):
    """A property that does not hold; ``question`` is empty when it concerns the whole set."""

    rule: str
    question: str
    message: str


def misfits(questions: QuestionSet, corpus: Corpus) -> list[Finding]:
    """Return what makes a set unusable with a corpus: doubles, unknown rows, documents or spans."""
    return [*_unique(questions), *_rows(questions), *_strangers(questions, corpus)]


def _rows(questions: QuestionSet) -> Iterator[Finding]:
    for each in questions.questions:
        if each.row not in ROWS:
            expected = f"expected a stratum and target of {', '.join(ROWS)}"
            yield Finding("row", each.id, f"{expected}, found {each.row}")


def _strangers(questions: QuestionSet, corpus: Corpus) -> Iterator[Finding]:
    for each in questions.questions:
        for name in sorted({each.document, *(span.document for span in each.evidence)} - {""}):
            try:
                length = len(corpus.document(name).text)
            except UnknownName:
                yield Finding("evidence", each.id, f"expected a document of {corpus.id}, found {name!r}")
                continue
            for span in each.evidence:
                if span.document == name and not 0 <= span.start < span.end <= length:
                    found = f"{span.start}-{span.end} of {length} characters"
                    yield Finding("evidence", each.id, f"expected a span inside {name}, found {found}")


def _unique(questions: QuestionSet) -> Iterator[Finding]:
    """No id or text is missing or there twice."""
    every = questions.questions
    for place, each in zip(_places(questions), every, strict=True):
        if not each.id:
            yield Finding("ids", "", f"expected an id in {_unit(questions)} {place}, found none")
        if not words(each.text):
            yield Finding("texts", each.id, f"expected a question with words, found {each.text[:_QUOTED]!r}")
    yield from _doubles("id", [each.id for each in every], questions)
    yield from _doubles("text", [" ".join(words(each.text)) for each in every], questions)


def _doubles(what: str, keys: Sequence[str], questions: QuestionSet) -> Iterator[Finding]:
    found: dict[str, list[int]] = {}
    for number, key in enumerate(keys):
        found.setdefault(key, []).append(number)
    places = _places(questions)
    for key, numbers in found.items():
        if key and len(numbers) > 1:
            *most, last = [str(places[number]) for number in numbers[:_LISTED]]
            last = last if len(numbers) <= _LISTED else f"{len(numbers) - _LISTED + 1} more"
            told = f"{_unit(questions)}s {', '.join(most)} and {last}"
            first = questions.questions[numbers[0]].id
            yield Finding(f"unique {what}s", first, f"the same {what} stands in {told}")


def _places(questions: QuestionSet) -> Sequence[int]:
    return questions.places or range(1, len(questions.questions) + 1)


def _unit(questions: QuestionSet) -> str:
    return "line" if questions.places else "question"
