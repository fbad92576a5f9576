"""The one door to ``ragquestions``, the makers of question sets: imported where a set is made or checked."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, Protocol, cast

from ragharness.corpus.loading import Corpus
from ragharness.errors import QuestionsNotUsable
from ragharness.questions.questionset import QuestionSet, QuestionSetMetadata
from ragharness.records import Evidence


class Fact(Protocol):
    """What a document states, as the makers know it."""

    @property
    def evidence(self) -> tuple[Evidence, ...]:
        """Spans that state it."""


class Examination(Protocol):
    """Findings about a set, as lines and as JSON values."""

    findings: Sequence[Any]

    def lines(self, head: list[str], width: int) -> list[str]:
        """Lines for a terminal below those that describe the set."""

    def facts(self) -> dict[str, Any]:
        """JSON values by their names."""


def build_questions(corpus: Corpus, size: int, seed: int) -> QuestionSet:
    """Set of ``size`` questions, or of the largest size below it that the corpus carries."""
    return cast("QuestionSet", _maker("building").build_questions(corpus, size, seed))


def build_and_probe(corpus: Corpus, size: int, seed: int) -> QuestionSet:
    """Set with a note where the wording of its questions tells which should be refused."""
    return cast("QuestionSet", _maker("probe").warned(build_questions(corpus, size, seed)))


def write_with_model(corpus: Corpus, size: int, seed: int, **options: Any) -> QuestionSet | None:
    """Set whose questions a model wrote; None where only its cost was asked for."""
    written = _maker("llm_author").write_set(corpus, size, seed, **options)
    return None if written is None else cast("QuestionSet", _maker("probe").warned(written))


def freeze(
    questions: QuestionSet, folder: Path, corpus: Corpus, *, edited: bool = False
) -> QuestionSetMetadata:
    """Write a set and its metadata into a folder."""
    return cast("QuestionSetMetadata", _maker("building").freeze(questions, folder, corpus, edited=edited))


def examine(questions: QuestionSet, corpus: Corpus, *, whole: bool = True) -> Examination:
    """Check of every property of a set; ``whole``: with remarks and the text-only probe."""
    return cast("Examination", _maker("checks").examine(questions, corpus, whole=whole))


def not_made_again(frozen: QuestionSet, corpus: Corpus) -> list[str]:
    """Ids of the frozen questions that the recipe does not make of a corpus, or that lack a property."""
    return cast("list[str]", _maker("checks").not_made_again(frozen, corpus))


def facts_of(corpus: Corpus) -> Sequence[Fact]:
    """Facts that the corpus's recipe knows."""
    return cast("Sequence[Fact]", _maker("recipes").facts_of(corpus).stated)


def _maker(name: str) -> Any:
    """Module of the makers; raises QuestionsNotUsable where they are not installed."""
    try:
        return import_module(f"ragquestions.{name}")
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] != "ragquestions":
            raise
        raise QuestionsNotUsable(
            "question sets are made and checked by the package ragquestions, which is not installed",
            help="pip install --force-reinstall ragharness; or give your own questions: --questions FILE",
        ) from error
