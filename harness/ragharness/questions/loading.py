"""Questions for a corpus: those of a file, the frozen ones, or ones built now; and whether they fit it."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

import msgspec

from ragharness.config import DEFAULT_SEED, DEFAULT_SIZE
from ragharness.corpus.loading import Corpus, manifest
from ragharness.errors import QuestionsNotUsable, StorageError, UnknownName
from ragharness.language.words import words
from ragharness.questions import makers
from ragharness.questions.questionset import (
    CARD,
    EXAMPLE,
    LINES,
    NumberedQuestions,
    QuestionSet,
    frozen_in,
    frozen_set,
    listed,
    of_another_state,
    own_place,
    read_card,
    read_file,
    read_lines,
    shipped_priors,
)
from ragharness.records import ROWS, Question
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
}  # what is said of golds that the rules cannot decide, by the reason


def load_questions(
    corpus: Corpus, *, path: Path | None = None, size: int = DEFAULT_SIZE, seed: int = DEFAULT_SEED
) -> QuestionSet:
    """Questions of ``path`` (a file or a frozen set's folder), else the frozen or a built set.

    The shipped set is taken for the default size and seed when it was made from this very corpus,
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
    """Frozen set about a folder, or one that is built and frozen; ``notes`` says where.

    Raises QuestionsNotUsable for a set that was edited, or whose documents have changed since.
    """
    folder = own_place(corpus.id, size, seed)
    if (folder / CARD).is_file():
        frozen = frozen_in(folder)
        if frozen.corpus_hash != corpus.hash:
            raise of_another_state(corpus, folder)
        return frozen
    built = makers.build_and_probe(corpus, size, seed)
    note = (
        f"{len(built.questions)} questions built and frozen in {folder}: read them before you trust a score"
    )
    try:
        makers.freeze(built, folder, corpus)
    except StorageError as error:
        note = f"built now, and not frozen: {error}"
    return replace(built, notes=(*built.notes, note))


def _why_not(frozen: QuestionSet, corpus: Corpus) -> str:
    """Why a frozen set is not the one to ask a corpus; empty: it would be made of it again."""
    if frozen.split != corpus.split:
        return f"built now: the frozen set belongs to another split of {corpus.id}"
    if len(corpus.documents) != manifest(corpus.id).counts.get(corpus.split, {}).get("documents"):
        return f"built now: the frozen set is about other documents of {corpus.id}"
    if not (changed := makers.not_made_again(frozen, corpus)):
        return ""
    return (
        f"built now: the frozen set belongs to another state of {corpus.id}, in which {len(changed)} of its"
        f" {len(frozen.questions)} questions are others ({listed(changed, _NAMED)})"
    )


def stored_set(path: Path, corpus: str) -> QuestionSet:
    """Questions of a file or a frozen set's folder without looking at their corpus."""
    return _stored(path, corpus, None)


def questions_about(corpus: Corpus, path: Path) -> QuestionSet:
    """Questions of a file or a frozen set's folder as asked about a corpus, fitting or not.

    A table of questions and answers gets its evidence from the corpus.
    """
    questions = _stored(path, corpus.id, corpus)
    return questions if questions.frozen else replace(questions, split=corpus.split, corpus_hash=corpus.hash)


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
    reasons: Counter[str] = Counter(map(undecidable, questions))
    counts = ((reasons[why], advice) for why, advice in _UNDECIDABLE.items())
    notes = tuple(f"{count} of {len(questions)} golds {advice}" for count, advice in counts if count)
    if refusals := sum(question.wanted == "refused" for question in questions):
        notes = (f"{refusals} of {len(questions)} questions should be refused: they have no answer", *notes)
    priors = shipped_priors(name)
    size = len(questions)
    return QuestionSet(name, "", "", DEFAULT_SEED, size, questions, notes=notes, places=places, priors=priors)


def _table(content: bytes, path: Path, corpus: Corpus | None) -> NumberedQuestions:
    """Questions of a table, read or cached: its evidence is looked for in the whole corpus."""
    from ragharness.questions.import_table import read_table

    if corpus is None:
        return read_table(content, path)
    package = Path(__file__).parents[1]
    code = hash_code(*(package / room for room in ("language", "corpus/alignment.py", "questions")))
    key = sha256(f"{code} {corpus.hash} {path.suffix}\n".encode() + content).hexdigest()[:32]
    cached = cache_folder() / "tables" / f"{key}.msgpack"
    if (packed := read_cached(cached)) is not None:
        return msgspec.msgpack.decode(packed, type=NumberedQuestions)
    questions = read_table(content, path, corpus)
    write_cached(cached, msgspec.msgpack.encode(questions), most=_KEPT)
    return questions


_KEPT = 12  # tables of questions in the cache; the longest unused ones go first


def fitting(path: Path, corpus: Corpus) -> QuestionSet:
    """Questions of a file or a folder; raises QuestionsNotUsable where they do not fit."""
    questions = questions_about(corpus, path)
    if findings := misfits(questions, corpus):
        finding = findings[0]
        raise QuestionsNotUsable(
            f"expected questions about {corpus.id} in {path}, found {len(findings)} that do not fit;"
            f" {finding.question or 'the set'}: {finding.message}",
            help=f"ragharness questions check --corpus {shlex.quote(corpus.id)}"
            f" --questions {shlex.quote(str(path))} lists them",
        )
    return questions


def accepted(folder: Path, corpus: Corpus) -> QuestionSet:
    """Questions of a frozen set as they were edited, with a note; raises QuestionsNotUsable."""
    card = read_card(folder)
    edited = fitting(folder / LINES, corpus)
    note = "edited by hand after it was built"
    notes = (*(text for text in card.notes if text != note), note)
    return replace(edited, seed=card.seed, size=card.size, notes=notes, left_out=card.left_out)


_QUOTED = 40  # characters of a text that are quoted in a finding
_LISTED = 20  # lines with the same id or text that are told


class Finding(NamedTuple):
    """A property that does not hold; ``question`` is empty when it concerns the whole set."""

    rule: str
    question: str
    message: str


def misfits(questions: QuestionSet, corpus: Corpus) -> list[Finding]:
    """What makes a set unusable with a corpus: doubles, unknown rows, documents or spans."""
    expected = f"expected a stratum and target of {', '.join(ROWS)}"
    rows = [
        Finding("row", question.id, f"{expected}, found {question.row}")
        for question in questions.questions
        if question.row not in ROWS
    ]
    return [*_unique(questions), *rows, *_strangers(questions, corpus)]


def _strangers(questions: QuestionSet, corpus: Corpus) -> Iterator[Finding]:
    for question in questions.questions:
        for name in sorted({question.document, *(span.document for span in question.evidence)} - {""}):
            try:
                length = len(corpus.document(name).text)
            except UnknownName:
                yield Finding("evidence", question.id, f"expected a document of {corpus.id}, found {name!r}")
                continue
            for span in question.evidence:
                if span.document == name and not 0 <= span.start < span.end <= length:
                    outside = f"the span {span.start}-{span.end} is outside {name}, of {length} characters"
                    yield Finding("evidence", question.id, outside)


def _unique(questions: QuestionSet) -> Iterator[Finding]:
    """No id or text is missing or there twice."""
    places = questions.places or range(1, len(questions.questions) + 1)
    unit = "line" if questions.places else "question"
    numbered = list(zip(places, questions.questions, strict=True))
    for number, question in numbered:
        if not question.id:
            yield Finding("ids", "", f"expected an id in {unit} {number}, found none")
        if not words(question.text):
            message = f"expected a question with words, found {question.text[:_QUOTED]!r}"
            yield Finding("texts", question.id, message)
    texts = (" ".join(words(question.text)) for question in questions.questions)
    for what, keys in (("id", (question.id for question in questions.questions)), ("text", texts)):
        alike: dict[str, list[tuple[int, Question]]] = {}
        for key, member in zip(keys, numbered, strict=True):
            alike.setdefault(key, []).append(member)
        for key, members in alike.items():
            if key and len(members) > 1:
                *most, last = [str(number) for number, _ in members[:_LISTED]]
                last = last if len(members) <= _LISTED else f"{len(members) - _LISTED + 1} more"
                message = f"the same {what} stands in {unit}s {', '.join(most)} and {last}"
                yield Finding(f"unique {what}s", members[0][1].id, message)
