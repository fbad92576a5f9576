"""Outputs scored by a rubric: every dimension of every output, then each dimension over all of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import fmean
from typing import Literal

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from ragharness.errors import UsageError
from ragharness.graders.judging import Taken
from ragharness.rubrics.judge import Judge, Votes, take_votes
from ragharness.rubrics.rubric import (
    JUDGED,
    SCALE,
    Check,
    Dimension,
    Header,
    Item,
    Opinion,
    Opinions,
    Rubric,
    normalise,
    weighed,
)
from ragharness.rubrics.rules import RULES, Embeddings, apply
from ragharness.support.concurrency import map_in_order

GATE_KEPT = 8.0  # lowest mean of a judge at which a gate passes; a person must pass it, too
_WORKERS = 8
_SETTLED = {"scored", "not_applicable"}
NOT_ALIKE = "not apples-to-apples: the scores are by different rubrics or versions; shared dimensions only"

Status = Literal["scored", "not_applicable", "invalid", "open", "no_output"]
RubricVerdict = Literal["pass", "fail", "incomplete"]


class Mark(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Score of one output on one dimension."""

    dimension: str
    status: Status
    score100: float | None = None
    passes: bool | None = None
    told: str = ""
    votes: tuple[Votes, ...] = ()
    people: tuple[Opinion, ...] = ()
    human100: float | None = None  # the score by people, beside that of the method


class ItemScore(Struct, frozen=True):
    """Scores of one output."""

    id: str
    verdict: RubricVerdict
    total: float | None
    marks: tuple[Mark, ...]


class DimensionScore(Struct, frozen=True, kw_only=True):
    """Scores of one dimension over all outputs."""

    id: str
    name: str
    method: str
    gate: bool
    weight: float | None  # as the rubric has it; ``share`` is its part of the weights that have a score
    share: float | None
    threshold: float | None
    outputs: dict[str, int]  # number of outputs by status
    mean: float | None  # from 0 to 100, over the scored outputs; for a gate the share that passes
    passed: int
    passes: bool | None
    effective: float | None  # the mean with people's scores replacing the method's where there are any
    variance: float | None  # mean sample variance of the judge's votes, from 0 to 10
    taken: Taken


class RubricScores(Struct, frozen=True, kw_only=True):
    """Everything in a report by a rubric."""

    rubric: Header
    verdict: RubricVerdict
    total: float | None
    outputs: int
    dimensions: tuple[DimensionScore, ...]
    items: tuple[ItemScore, ...]
    judge: str = ""
    embedding: str = ""
    notes: tuple[str, ...] = ()


class Means(Struct, frozen=True):
    """The judge, embedding model and opinions that methods need."""

    judge: Judge | None = None
    embeds: Embeddings | None = None
    people: Opinions = {}


def needs(rubric: Rubric, means: Means) -> Means:
    """The means with the default embedding model where one is needed; raises UsageError without a judge."""
    for check in (check for check in rubric.all_checks if check.method == JUDGED):
        if means.judge is None or check.model not in ("", means.judge.name):
            model = f" with the model {check.model}" if check.model else ""
            judge = means.judge.name if means.judge else "none"
            message = f"{check.id} of {rubric.title} needs a judge{model}; given: {judge}"
            raise UsageError(message, help=f"--judge model={check.model or 'NAME'}, in Python judge=...")
    embeds = any(check.method == "semantic_similarity" for check in rubric.all_checks)
    return replace(means, embeds=Embeddings()) if embeds and means.embeds is None else means


def score(rubric: Rubric, items: Sequence[Item], means: Means | None = None) -> RubricScores:
    """Scores of outputs; raises UsageError where a method lacks its model."""
    means = needs(rubric, means or Means())
    threads = _WORKERS if means.judge else 1
    scored = tuple(map_in_order(lambda item: _score_item(rubric, item, means), items, threads))
    columns = zip(*(item.marks for item in scored), strict=True)
    dimensions = [_over_all(*column) for column in zip(rubric.dimensions, columns, strict=True)]
    weights = rubric.normalised
    scores = {row.id: row.mean for row in dimensions if row.mean is not None and row.id in weights}
    shares = normalise({name: weights[name] for name in scores})
    applicable = [row for row in dimensions if row.outputs.keys() != {"not_applicable"}]
    complete = all(row.mean is not None for row in applicable if row.id in weights)
    return RubricScores(
        rubric=rubric.header,
        verdict=_verdict([row.passes for row in applicable]),
        total=weighed(scores, weights) if complete else None,
        outputs=len(items),
        dimensions=tuple(replace(row, share=shares.get(row.id)) for row in dimensions),
        items=scored,
        judge=means.judge.name if means.judge else "",
        embedding=means.embeds.name if means.embeds else "",
        notes=tuple(_notes(rubric, items, dimensions, means)),
    )


def _notes(
    rubric: Rubric, items: Sequence[Item], dimensions: Sequence[DimensionScore], means: Means
) -> Iterator[str]:
    for row in dimensions:
        for status, count in row.outputs.items():
            outputs = f"{count} of {len(items)} outputs"
            if status == "not_applicable":
                effect = "" if row.gate else ": it leaves their sum, the other weights are normalised again"
                yield f"{row.id} does not apply to {outputs}{effect}"
            elif status != "scored":
                yield f"{row.id}: {outputs} not scored ({status.replace('_', ' ')})"
    scored = {(item.id, check.id) for item in items for check in rubric.all_checks}
    if stray := [", ".join(pair) for pair in means.people if pair not in scored]:
        yield f"{len(stray)} scores by people are of no output and dimension here, the first: {stray[0]}"


def _verdict(passes: Sequence[bool | None]) -> RubricVerdict:
    """A failure counts whatever else is open; nothing at all is no pass."""
    return "fail" if False in passes else "pass" if passes and all(passes) else "incomplete"


def _score_item(rubric: Rubric, item: Item, means: Means) -> ItemScore:
    marks = tuple(_mark(dimension, rubric, item, means) for dimension in rubric.dimensions)
    scores = {mark.dimension: mark.score100 for mark in marks if mark.score100 is not None}
    complete = all(mark.status in _SETTLED for mark in marks)
    total = weighed(scores, rubric.normalised) if complete else None
    passes = [mark.passes for mark in marks if mark.status != "not_applicable"]
    return ItemScore(item.id, _verdict(passes), total, marks)


def _mark(dimension: Dimension, rubric: Rubric, item: Item, means: Means) -> Mark:
    if item.output is None:
        return Mark(dimension=dimension.id, status="no_output")
    if not dimension.gate:
        return _scored(dimension, item, means, dimension.threshold)
    checks = rubric.safety_policy.checks if dimension.method == "safety_layer" else (dimension,)
    return _gate(dimension, [_gate_check(check, item, means) for check in checks])


def _scored(check: Check, item: Item, means: Means, threshold: float | None) -> Mark:
    """Score by the method of a check, with people's beside it."""
    mark = Mark(dimension=check.id, status="not_applicable")
    opinion = means.people.get((item.id, check.id))
    if opinion is not None:
        mark = replace(mark, people=(opinion,), human100=SCALE * opinion.score)
    if check.method in RULES:
        marked = apply(check, item, means.embeds)
        if marked is None:
            return mark
        points, reason = marked
    elif check.method == JUDGED and means.judge is not None:
        votes = take_votes(means.judge, check, item)
        mark = replace(mark, votes=(votes,))
        if votes.mean is None:
            return replace(mark, status="invalid", told="a reply of the judge cannot be read")
        points, reason = votes.mean, votes.rationale
    elif opinion is None:
        return replace(mark, status="open", told="waits for a person")
    else:
        points, reason = opinion.score, ""
    # Ten times 7.7 is less than 77 in binary fractions.
    passes = None if threshold is None else round(SCALE * points, 9) >= threshold
    return replace(mark, status="scored", score100=SCALE * points, told=reason, passes=passes)


def _gate_check(check: Check, item: Item, means: Means) -> Mark:
    """One check of a gate: passed or failed, and open until a person has looked where one must."""
    mark = _scored(check, item, means, SCALE * (GATE_KEPT if check.method == JUDGED else SCALE))
    if mark.score100 is None:
        return mark
    if check.human == "required" and check.method != "human":
        if mark.human100 is None:
            reason = f"{check.id} waits for a person; {mark.told}".rstrip("; ")
            return replace(mark, status="open", told=reason, passes=None)
        mark = replace(mark, passes=mark.passes and mark.human100 >= SCALE * SCALE)
    flagged = "; a person must look" if check.human == "on_flag" and not mark.people else ""
    return mark if mark.passes else replace(mark, told=f"{check.id}: {mark.told or 'broken'}{flagged}")


def _gate(dimension: Dimension, checks: Sequence[Mark]) -> Mark:
    """The gate over several checks: one failure fails it, one open one leaves it open."""
    applicable = [mark for mark in checks if mark.status != "not_applicable"]
    failed = [mark for mark in applicable if mark.passes is False]
    deciding = failed or [mark for mark in applicable if mark.passes is None] or applicable
    return Mark(
        dimension=dimension.id,
        status=deciding[0].status if deciding else "not_applicable",
        passes=deciding[0].passes if deciding else None,
        told="; ".join(mark.told for mark in deciding if mark.told),
        votes=tuple(votes for mark in checks for votes in mark.votes),
        people=tuple(opinion for mark in checks for opinion in mark.people),
        human100=min((mark.human100 for mark in checks if mark.human100 is not None), default=None),
    )


def _over_all(dimension: Dimension, marks: Sequence[Mark]) -> DimensionScore:
    outputs: Counter[str] = Counter(mark.status for mark in marks)
    scored = [mark for mark in marks if mark.status == "scored"]
    values = [100.0 * bool(mark.passes) if mark.score100 is None else mark.score100 for mark in scored]
    pairs = zip(values, (mark.human100 for mark in scored), strict=True)
    effective = [value if human100 is None else human100 for value, human100 in pairs]
    passed = sum(mark.passes is True for mark in scored)
    mean = fmean(values) if values else None
    good = passed == len(scored) if dimension.gate else round(mean or 0.0, 9) >= (dimension.threshold or 0.0)
    undecided = not scored or (good and not outputs.keys() <= _SETTLED)
    votes = [vote for mark in marks for vote in mark.votes]
    variances = [vote.variance for vote in votes if vote.variance is not None]
    return DimensionScore(
        id=dimension.id,
        name=dimension.name or dimension.id,
        method=dimension.method,
        gate=dimension.gate,
        weight=dimension.weight,
        share=None,
        threshold=dimension.threshold,
        outputs=dict(outputs),
        mean=mean,
        passed=passed,
        passes=None if undecided else good,
        effective=fmean(effective) if any(mark.people for mark in scored) else None,
        variance=fmean(variances) if variances else None,
        taken=sum((vote.taken for vote in votes), Taken()),
    )


def read_scores(path: Path) -> RubricScores:
    """Scores that were kept as JSON; raises UsageError."""
    try:
        return msgspec.json.decode(path.read_bytes(), type=RubricScores)
    except (OSError, msgspec.MsgspecError) as error:
        raise UsageError(f"{path} holds no scores by a rubric: {error}") from error


class ScoresBeside(Struct, frozen=True):
    """Two scores side by side; totals only where the rubric is the same."""

    rubrics: tuple[Header, Header]
    banner: str
    dimensions: dict[str, tuple[float | None, float | None]]
    totals: tuple[float | None, float | None] | None


def compare_scores(first: RubricScores, second: RubricScores) -> ScoresBeside:
    """Two scores side by side: across versions under a banner, and only the dimensions they share."""
    same = first.rubric == second.rubric
    means = {row.id: row.mean for row in second.dimensions}
    shared = {row.id: (row.mean, means[row.id]) for row in first.dimensions if row.id in means}
    totals = (first.total, second.total) if same else None
    return ScoresBeside((first.rubric, second.rubric), "" if same else NOT_ALIKE, shared, totals)
