"""Scores by a rubric: of every output, of every dimension, and those of two versions side by side."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import msgspec
from msgspec import Struct

from ragharness.errors import UsageError
from ragharness.graders.judging.votes import Taken
from ragharness.rubrics.items import Opinion
from ragharness.rubrics.rubric import Header

NOT_ALIKE = "not apples-to-apples: the scores are by different rubrics or versions; shared dimensions only"

Status = Literal["scored", "not_applicable", "invalid", "open", "no_output"]
Verdict = Literal["pass", "fail", "incomplete"]


class Votes(Struct, frozen=True):
    """The votes on one output: a vote that cannot be read makes them invalid, never 0."""

    scores: tuple[float, ...]
    mean: float | None
    variance: float | None
    """Of the sample; None for one vote."""
    raw: tuple[str, ...]
    """Every reply, those too that cannot be read."""
    rationale: str = ""
    taken: Taken = Taken()


class Mark(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One dimension of one output."""

    dimension: str
    status: Status
    score100: float | None = None
    passes: bool | None = None
    told: str = ""
    votes: tuple[Votes, ...] = ()
    people: tuple[Opinion, ...] = ()
    human100: float | None = None
    """What people say, beside the score."""


class ItemScore(Struct, frozen=True):
    """One output."""

    id: str
    verdict: Verdict
    total: float | None
    marks: tuple[Mark, ...]


class DimensionScore(Struct, frozen=True, kw_only=True):
    """One dimension over all outputs."""

    id: str
    name: str
    method: str
    gate: bool
    weight: float | None
    """As the rubric has it; ``share`` is that of the sum of those that have a score."""
    share: float | None
    threshold: float | None
    outputs: dict[str, int]
    """How many outputs are of each status."""
    mean: float | None
    """From 0 to 100, over the scored outputs; of a gate the share that passes."""
    passed: int
    passes: bool | None
    effective: float | None
    """The mean with the score of a person in the place of the method's where there is one."""
    variance: float | None
    """Mean sample variance of the judge's votes, from 0 to 10."""
    taken: Taken


class RubricScores(Struct, frozen=True, kw_only=True):
    """Everything that a report says."""

    rubric: Header
    verdict: Verdict
    total: float | None
    outputs: int
    dimensions: tuple[DimensionScore, ...]
    items: tuple[ItemScore, ...]
    judge: str = ""
    embedding: str = ""
    notes: tuple[str, ...] = ()


def read_scores(path: Path) -> RubricScores:
    """Return scores that were kept as JSON; raises UsageError."""
    try:
        return msgspec.json.decode(path.read_bytes(), type=RubricScores)
    except (OSError, msgspec.MsgspecError) as error:
        raise UsageError(f"expected scores by a rubric in {path}, found: {error}") from error


class ScoresBeside(Struct, frozen=True):
    """Two scores; totals only where the rubric is the same."""

    rubrics: tuple[Header, Header]
    banner: str
    dimensions: dict[str, tuple[float | None, float | None]]
    totals: tuple[float | None, float | None] | None


def compare_scores(first: RubricScores, second: RubricScores) -> ScoresBeside:
    """Return two scores side by side: across versions under a banner, and only what they share."""
    same = first.rubric == second.rubric
    theirs = {each.id: each.mean for each in second.dimensions}
    shared = {each.id: (each.mean, theirs[each.id]) for each in first.dimensions if each.id in theirs}
    totals = (first.total, second.total) if same else None
    return ScoresBeside((first.rubric, second.rubric), "" if same else NOT_ALIKE, shared, totals)
