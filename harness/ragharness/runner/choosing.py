"""Selects a part of a question set: by id, or a sample that keeps the row proportions."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from dataclasses import replace
from typing import TYPE_CHECKING

from ragharness.errors import UnknownName, UsageError

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from ragharness.questions import QuestionSet
    from ragharness.records import Question


def choose(questions: QuestionSet, only: Iterable[str] = (), limit: int = 0, seed: int = 0) -> QuestionSet:
    """Return the questions named in ``only`` (commas part them), at most ``limit`` of them, in their order.

    An empty ``only`` and a ``limit`` of 0 leave all. Raises UnknownName for an id that is not in the set.
    """
    wanted = {name for part in only for name in map(str.strip, part.split(",")) if name}
    for name in sorted(wanted - questions.by_id.keys()):
        raise UnknownName("question", name, questions.by_id, help="ragharness questions show")
    if only and not wanted:
        raise UsageError("expected --only ID,... with the id of a question, found none")
    chosen = wanted or questions.by_id.keys()
    if limit:
        chosen = sample([each for each in questions.questions if each.id in chosen], limit, seed)
    if len(chosen) == len(questions.questions):
        return questions
    return _narrowed(questions, chosen)


def sample(questions: Sequence[Question], n: int, seed: int = 0) -> set[str]:
    """Return the ids of at most ``n`` questions, the rows in proportion.

    The questions of each row are shuffled by the hash of seed and id and spread evenly from 0 to 1; the first
    ``n`` in that order are taken. A larger sample of the same seed holds every smaller one.
    """
    rows: dict[str, list[str]] = defaultdict(list)
    for question in questions:
        rows[question.row].append(question.id)
    placed = []
    for row, ids in rows.items():
        shuffled = sorted(ids, key=lambda name: hashlib.sha256(f"{seed}:{name}".encode()).digest())
        placed += [((place + 0.5) / len(ids), -len(ids), row, name) for place, name in enumerate(shuffled)]
    return {name for *_, name in sorted(placed)[:n]}


def _narrowed(questions: QuestionSet, chosen: Collection[str]) -> QuestionSet:
    kept = [place for place, each in enumerate(questions.questions) if each.id in chosen]
    return replace(
        questions,
        questions=tuple(questions.questions[place] for place in kept),
        places=tuple(questions.places[place] for place in kept) if questions.places else (),
    )
