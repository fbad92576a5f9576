"""Outputs scored by a rubric: every dimension of every output, then each dimension over all of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from statistics import fmean

from msgspec import Struct
from msgspec.structs import replace

from ragharness.errors import UsageError
from ragharness.graders.judging.votes import Taken
from ragharness.rubrics.items import (
    DimensionScore,
    Item,
    ItemScore,
    Mark,
    Opinions,
    RubricScores,
    RubricVerdict,
)
from ragharness.rubrics.judge import Judge, take_votes
from ragharness.rubrics.methods import RULES, Embeddings, apply
from ragharness.rubrics.rubric import JUDGED, SCALE, Check, Dimension, Rubric, normalise, weighed
from ragharness.support.calls import in_order

GATE_KEPT = 8.0
"""A judge's mean from which on it finds a gate kept; a person must find so, too."""

_WORKERS = 8
_SETTLED = {"scored", "not_applicable"}


class Means(Struct, frozen=True):
    """What methods need besides the outputs."""

    judge: Judge | None = None
    embeds: Embeddings | None = None
    people: Opinions = {}


def needs(rubric: Rubric, means: Means) -> Means:
    """Return the means with the default embedding model where one is needed; raises UsageError."""
    for each in (each for each in rubric.asked if each.method == JUDGED):
        found = means.judge.name if means.judge else "none"
        if means.judge is None or each.model not in ("", found):
            of = f" with the model {each.model}" if each.model else ""
            told = f"expected a judge for {rubric.title}{of} ({each.id}), found {found}"
            raise UsageError(told, help=f"--judge model={each.model or 'NAME'}, in Python judge=...")
    embeds = any(each.method == "semantic_similarity" for each in rubric.asked)
    return replace(means, embeds=Embeddings()) if embeds and means.embeds is None else means


def score(rubric: Rubric, items: Sequence[Item], given: Means | None = None) -> RubricScores:
    """Return the scores of outputs; raises UsageError where a method lacks its model."""
    means = needs(rubric, given or Means())
    scored = tuple(in_order(lambda item: _item(rubric, item, means), items, _WORKERS if means.judge else 1))
    columns = zip(*(item.marks for item in scored), strict=True)
    dimensions = [_over_all(*each) for each in zip(rubric.dimensions, columns, strict=True)]
    weights = rubric.normalised
    scores = {each.id: each.mean for each in dimensions if each.mean is not None and each.id in weights}
    shares = normalise({name: weights[name] for name in scores})
    applied = [each for each in dimensions if each.outputs.keys() != {"not_applicable"}]
    complete = all(each.mean is not None for each in applied if each.id in weights)
    return RubricScores(
        rubric=rubric.header,
        verdict=_verdict([each.passes for each in applied]),
        total=weighed(scores, weights) if complete else None,
        outputs=len(items),
        dimensions=tuple(replace(each, share=shares.get(each.id)) for each in dimensions),
        items=scored,
        judge=means.judge.name if means.judge else "",
        embedding=means.embeds.name if means.embeds else "",
        notes=tuple(_notes(rubric, items, dimensions, means)),
    )


def _notes(
    rubric: Rubric, items: Sequence[Item], dimensions: Sequence[DimensionScore], means: Means
) -> Iterator[str]:
    for each in dimensions:
        for status, count in each.outputs.items():
            of = f"{count} of {len(items)} outputs"
            if status == "not_applicable":
                sum_of = "" if each.gate else ": it leaves their sum, the other weights are normalised again"
                yield f"{each.id} does not apply to {of}{sum_of}"
            elif status != "scored":
                yield f"{each.id}: {of} not scored ({status.replace('_', ' ')})"
    known = {(item.id, each.id) for item in items for each in rubric.asked}
    if stray := [", ".join(each) for each in means.people if each not in known]:
        yield f"{len(stray)} scores by people are of no output and dimension here, the first: {stray[0]}"


def _verdict(passes: Sequence[bool | None]) -> RubricVerdict:
    """A failure counts whatever else is open; nothing at all is no pass."""
    return "fail" if False in passes else "pass" if passes and all(passes) else "incomplete"


def _item(rubric: Rubric, item: Item, means: Means) -> ItemScore:
    marks = tuple(_mark(each, rubric, item, means) for each in rubric.dimensions)
    scores = {each.dimension: each.score100 for each in marks if each.score100 is not None}
    complete = all(each.status in _SETTLED for each in marks)
    total = weighed(scores, rubric.normalised) if complete else None
    passes = [each.passes for each in marks if each.status != "not_applicable"]
    return ItemScore(item.id, _verdict(passes), total, marks)


def _mark(dimension: Dimension, rubric: Rubric, item: Item, means: Means) -> Mark:
    if item.output is None:
        return Mark(dimension=dimension.id, status="no_output")
    if not dimension.gate:
        return _scored(dimension, item, means, dimension.threshold)
    checks = rubric.safety_policy.checks if dimension.method == "safety_layer" else (dimension,)
    return _gate(dimension, [_checked(each, item, means) for each in checks])


def _scored(asked: Check, item: Item, means: Means, threshold: float | None) -> Mark:
    """Return what a method scores; people stand beside it."""
    mark = Mark(dimension=asked.id, status="not_applicable")
    said = means.people.get((item.id, asked.id))
    if said is not None:
        mark = replace(mark, people=(said,), human100=SCALE * said.score)
    if asked.method in RULES:
        found = apply(asked, item, means.embeds)
        if found is None:
            return mark
        score, told = found
    elif asked.method == JUDGED and means.judge is not None:
        votes = take_votes(means.judge, asked, item)
        mark = replace(mark, votes=(votes,))
        if votes.mean is None:
            return replace(mark, status="invalid", told="a reply of the judge cannot be read")
        score, told = votes.mean, votes.rationale
    elif said is None:
        return replace(mark, status="open", told="waits for a person")
    else:
        score, told = said.score, ""
    # Ten times 7.7 is less than 77 in binary fractions.
    passes = None if threshold is None else round(SCALE * score, 9) >= threshold
    return replace(mark, status="scored", score100=SCALE * score, told=told, passes=passes)


def _checked(asked: Check, item: Item, means: Means) -> Mark:
    """Return one check of a gate: passed or failed, and open until a person has looked where one must."""
    mark = _scored(asked, item, means, SCALE * (GATE_KEPT if asked.method == JUDGED else SCALE))
    if mark.score100 is None:
        return mark
    if asked.human == "required" and asked.method != "human":
        if mark.human100 is None:
            told = f"{asked.id} waits for a person; {mark.told}".rstrip("; ")
            return replace(mark, status="open", told=told, passes=None)
        mark = replace(mark, passes=mark.passes and mark.human100 >= SCALE * SCALE)
    flagged = "; a person must look" if asked.human == "on_flag" and not mark.people else ""
    return mark if mark.passes else replace(mark, told=f"{asked.id}: {mark.told or 'broken'}{flagged}")


def _gate(dimension: Dimension, checks: Sequence[Mark]) -> Mark:
    """Return the gate of several checks: one failure fails it, one open one leaves it open."""
    known = [each for each in checks if each.status != "not_applicable"]
    failed = [each for each in known if each.passes is False]
    decides = failed or [each for each in known if each.passes is None] or known
    return Mark(
        dimension=dimension.id,
        status=decides[0].status if decides else "not_applicable",
        passes=decides[0].passes if decides else None,
        told="; ".join(each.told for each in decides if each.told),
        votes=tuple(votes for each in checks for votes in each.votes),
        people=tuple(opinion for each in checks for opinion in each.people),
        human100=min((each.human100 for each in checks if each.human100 is not None), default=None),
    )


def _over_all(dimension: Dimension, marks: Sequence[Mark]) -> DimensionScore:
    outputs: Counter[str] = Counter(mark.status for mark in marks)
    scored = [mark for mark in marks if mark.status == "scored"]
    values = [100.0 * bool(mark.passes) if mark.score100 is None else mark.score100 for mark in scored]
    people = [mark.human100 for mark in scored]
    effective = [value if said is None else said for value, said in zip(values, people, strict=True)]
    passed = sum(mark.passes is True for mark in scored)
    mean = fmean(values) if values else None
    good = passed == len(scored) if dimension.gate else round(mean or 0.0, 9) >= (dimension.threshold or 0.0)
    waits = not scored or (good and not outputs.keys() <= _SETTLED)
    votes = [each for mark in marks for each in mark.votes]
    spread = [each.variance for each in votes if each.variance is not None]
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
        passes=None if waits else good,
        effective=fmean(effective) if any(mark.people for mark in scored) else None,
        variance=fmean(spread) if spread else None,
        taken=sum((each.taken for each in votes), Taken()),
    )
