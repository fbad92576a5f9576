"""Recipe of a corpus: the facts that its documents state, and every question that could be asked about them.

``corpora/<id>/recipe/`` makes the facts from the corpus's documents and the files it was parsed from. A folder
of the user's own has the recipe ``ragquestions.folder``, and no facts.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from hashlib import sha256
from importlib import import_module
from pathlib import Path
from typing import Literal, Protocol, cast

import msgspec
from msgspec.structs import replace

import ragharness
from ragharness.corpus.loading import Corpus
from ragharness.errors import QuestionsNotUsable
from ragharness.records import Distractor, Evidence, Kind, Question
from ragharness.support import resources
from ragharness.support.files import cache_folder, hash_code, read_cached, write_cached

_OF_FOLDERS = "ragquestions.folder"
_CACHED = 6  # corpora whose facts are in the cache; the longest unused ones go first


class Fact(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What people say that a document states, denies or does not mention: the source of gold answers."""

    document: str
    topic: str  # what it is about, the same name in every document (a hypothesis, a concept, a clause)
    kind: Kind
    answers: tuple[str, ...] = ()  # for ``yesno`` to the topic's proposition; empty: not stated
    evidence: tuple[Evidence, ...] = ()
    unit: str = ""
    date_precision: Literal["", "year", "month", "day"] = ""
    details: dict[str, str] = {}


class Facts(msgspec.Struct, frozen=True):
    """Facts of a corpus in the order of its documents; ``notes`` says which sources gave none."""

    stated: tuple[Fact, ...] = ()
    notes: tuple[str, ...] = ()


class Recipe(Protocol):
    """Module ``recipe``; a mapping ``WEIGHTS`` makes kinds of answer rarer, ``NOTE`` is for a set's metadata.

    ``BOTH_SIDES``: whether topics asked with an answer are preferred where a refusal is wanted.
    """

    VERSION: int

    facts: Callable[[Corpus], Facts]
    """Facts of a corpus, from its documents and the files in ``corpus.files``; a folder's recipe has none."""

    candidates: Callable[..., Sequence[Question]]
    """Every question that could be asked, in all wordings, without id; takes the corpus and its facts, for a
    folder of the user's own the corpus and the size of the set."""


def load_recipe(corpus: Corpus) -> Recipe:
    """Recipe of a corpus, found by its name; raises QuestionsNotUsable when it has none."""
    if corpus.folder:
        return cast("Recipe", import_module(_OF_FOLDERS))
    path = resources.folder("corpora", corpus.id) / "recipe" / "__init__.py"
    if not path.is_file():
        raise QuestionsNotUsable(
            f"the corpus {corpus.id} has no recipe for questions at {path.parent}",
            help="give a question file with --questions FILE",
        )
    return cast("Recipe", resources.load_module(path))


def facts_of(corpus: Corpus) -> Facts:
    """Facts of a corpus, computed or cached; none of a corpus that was not parsed from files."""
    if corpus.folder or corpus.files is None:
        return Facts()
    recipe = load_recipe(corpus)
    if not corpus.files_hash:
        return recipe.facts(corpus)
    package = Path(ragharness.__file__).parent
    corpora = resources.folder("corpora", corpus.id)
    rooms = (corpora, Path(__file__).parent, package / "language", package / "corpus")
    key = sha256(f"{hash_code(*rooms)} {corpus.files_hash} {corpus.split} {corpus.hash}".encode())
    path = cache_folder() / "facts" / f"{corpus.id}-{key.hexdigest()[:32]}.msgpack"
    if (packed := read_cached(path)) is not None:
        return msgspec.msgpack.decode(packed, type=Facts)
    facts = recipe.facts(corpus)
    write_cached(path, msgspec.msgpack.encode(facts), most=_CACHED)
    return facts


def candidates_of(corpus: Corpus, facts: Sequence[Fact] | None = None) -> Sequence[Question]:
    """Every question that the recipe of a listed corpus makes."""
    stated = facts_of(corpus).stated if facts is None else facts
    return load_recipe(corpus).candidates(corpus, stated)


def usual_answers(facts: Iterable[Fact]) -> dict[str, str]:
    """Most common stated answer of each topic on which two documents or more agree, topics sorted."""
    counts: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for fact in facts:
        counts[fact.topic].update(fact.answers[:1])
    # Equal counts are decided by the answer itself, so that the order of the facts does not matter.
    best = {
        topic: max(answers.items(), key=lambda pair: (pair[1], pair[0]))
        for topic, answers in sorted(counts.items())
        if answers
    }
    return {topic: answer for topic, (answer, count) in best.items() if count > 1}


Scope = Literal["document", "corpus"]
Precision = Literal["", "year", "month", "day"]


def unanswered(
    text: str,
    kind: Kind,
    document: str,
    topic: str,
    wording: int = 0,
    *,
    unit: str = "",
    precision: Precision = "",
) -> Question:
    """Question as it is worded, without an id, an answer or a reason why it has none."""
    return Question(
        id="",
        text=text,
        stratum="grounded",
        kind=kind,
        answerable=False,
        document=document,
        topic=topic,
        wording=wording,
        unit=unit,
        date_precision=precision,
    )


def silent(question: Question, patterns: Iterable[str], scope: Scope) -> Question:
    """Question about what a document, or the whole corpus, is silent on: no pattern matches there."""
    return replace(
        question,
        stratum="unanswerable" if scope == "corpus" else "grounded",
        target="" if scope == "corpus" else "refused",
        absence_patterns=tuple(patterns),
        absence_scope=scope,
    )


def trap(
    question: Question, patterns: Iterable[str], scope: Scope, note: str, *false: Distractor
) -> Question:
    """Question that only looks answerable, with the answers that tempt."""
    return replace(
        question,
        stratum="adversarial",
        target="",
        absence_patterns=tuple(patterns),
        absence_scope=scope,
        distractors=false,
        note=note,
    )


def ways(
    known: Question,
    *,
    false: tuple[Distractor, ...] = (),
    note: str = "",
    document: bool = True,
    clause: tuple[Evidence, ...] = (),
) -> Iterator[Question]:
    """Yield a question that has an answer as it is asked: to be answered, withheld, of an empty retrieval.

    ``false`` are answers that tempt; ``document``: whether the answer is gone where its document is withheld,
    ``clause``: what is withheld of the document for the answer to be gone; nothing where that does not do.
    """
    yield replace(known, target="wrong" if false else "correct", distractors=false, note=note)
    if document:
        yield replace(known, target="unsupported", withheld="document")
    if clause:
        yield replace(known, target="unsupported", withheld="clause", evidence=clause)
    yield replace(known, stratum="null_retrieval")
