"""Outputs scored by a rubric: every dimension of every output, then each dimension over all of them."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from statistics import fmean
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from ragharness.errors import UsageError
from ragharness.graders.judging.votes import Taken
from ragharness.rubrics.judge import take_votes
from ragharness.rubrics.methods import METHOD_RULES, Embeddings, cosine
from ragharness.rubrics.rubric import JUDGED, SCALE, normalise, weighed
from ragharness.rubrics.rules import Marked, apply
from ragharness.rubrics.scores import DimensionScore, ItemScore, Mark, RubricScores

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ragharness.rubrics.items import Item, Opinion
    from ragharness.rubrics.judge import Judge
    from ragharness.rubrics.rubric import Check, Dimension, Rubric
    from ragharness.rubrics.scores import Verdict

GATE_KEPT = 8.0
"""A judge's mean from which on it finds a gate kept; a person must find so, too."""

_WORKERS = 8


@dataclass(frozen=True)
class Means:
    """What methods need besides the outputs."""

    judge: Judge | None = None
    embeds: Embeddings | None = None
    people: Iterable[Opinion] = ()

    @cached_property
    def by_item(self) -> dict[tuple[str, str], Opinion]:
        """The opinion on each dimension or check of an output."""
        return {(each.item, each.dimension): each for each in self.people}


def score(rubric: Rubric, items: Sequence[Item], means: Means | None = None) -> RubricScores:
    """Return the scores of outputs; raises UsageError where a method lacks its model."""
    means = needs(rubric, means or Means())
    with ThreadPoolExecutor(_WORKERS if means.judge else 1) as pool:
        scored = tuple(pool.map(lambda item: _item(rubric, item, means), items))
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
        notes=(*_notes(dimensions), *_strays(rubric, items, means)),
    )


def needs(rubric: Rubric, means: Means) -> Means:
    """Return the means with the default embedding model where one is needed; raises UsageError."""
    for each in (each for each in rubric.asked if each.method == JUDGED):
        if means.judge is None or each.model not in ("", means.judge.name):
            model, found = each.model or "NAME", means.judge.name if means.judge else "none"
            of = f" with the model {each.model}" if each.model else ""
            told = f"expected a judge for {rubric.title}{of} ({each.id}), found {found}"
            raise UsageError(told, help=f"--judge model={model}")
    embeds = any(each.method == "semantic_similarity" for each in rubric.asked)
    return Means(means.judge, means.embeds or (Embeddings() if embeds else None), means.people)


def _notes(dimensions: Sequence[DimensionScore]) -> Iterable[str]:
    for each in dimensions:
        for status, count in each.outputs.items():
            of = f"{count} of {sum(each.outputs.values())} outputs"
            if status == "not_applicable":
                sum_of = "" if each.gate else ": it leaves their sum, the other weights are normalised again"
                yield f"{each.id} does not apply to {of}{sum_of}"
            elif status != "scored":
                yield f"{each.id}: {of} not scored ({status.replace('_', ' ')})"


def _strays(rubric: Rubric, items: Sequence[Item], means: Means) -> Iterable[str]:
    names, ids = {each.id for each in rubric.asked}, {each.id for each in items}
    stray = [f"{item}, {name}" for item, name in means.by_item if item not in ids or name not in names]
    if stray:
        yield f"{len(stray)} scores by people are of no output and dimension here, the first: {stray[0]}"


def _verdict(passes: Sequence[bool | None]) -> Verdict:
    """A failure counts whatever else is open; nothing at all is no pass."""
    if any(each is False for each in passes):
        return "fail"
    return "pass" if passes and all(passes) else "incomplete"


def _item(rubric: Rubric, item: Item, means: Means) -> ItemScore:
    marks = tuple(_mark(each, rubric, item, means) for each in rubric.dimensions)
    scores = {each.dimension: each.score100 for each in marks if each.score100 is not None}
    complete = not any(each.status in ("invalid", "open", "no_output") for each in marks)
    total = weighed(scores, rubric.normalised) if complete else None
    passes = [each.passes for each in marks if each.status != "not_applicable"]
    return ItemScore(item.id, _verdict(passes), total, marks)


def _mark(dimension: Dimension, rubric: Rubric, item: Item, means: Means) -> Mark:
    if item.output is None:
        return Mark(dimension=dimension.id, status="no_output")
    if dimension.gate:
        checks = rubric.safety_policy.checks if dimension.method == "safety_layer" else (dimension,)
        return _gate(dimension, [_checked(each, item, means) for each in checks])
    mark = _scored(dimension, item, means)
    if mark.score100 is None or dimension.threshold is None:
        return mark
    # Ten times 7.7 is less than 77 in binary fractions.
    return replace(mark, passes=round(mark.score100, 9) >= dimension.threshold)


def _scored(asked: Check, item: Item, means: Means) -> Mark:
    """Return what a method scores; people stand beside it."""
    mark = Mark(dimension=asked.id, status="not_applicable")
    found: Marked | None
    said = means.by_item.get((item.id, asked.id))
    if said is not None:
        mark = replace(mark, people=(said,), human100=SCALE * said.score)
    if asked.method == "human":
        if said is None:
            return replace(mark, status="open", told="waits for a person")
        found = Marked(said.score)
    elif asked.method == JUDGED and means.judge is not None:
        votes = take_votes(means.judge, asked, item)
        mark = replace(mark, votes=(votes,))
        if votes.mean is None:
            return replace(mark, status="invalid", told="a reply of the judge cannot be read")
        found = Marked(votes.mean, votes.rationale)
    elif asked.method in METHOD_RULES:
        name, rule = METHOD_RULES[asked.method]
        given: tuple[Any, ...] = (item, means.embeds) if rule is cosine else (item,)
        found = rule(*given, **asked.rule[name])
    else:
        found = apply(asked.rule, item)
    return replace(mark, status="scored", score100=SCALE * found.score, told=found.told) if found else mark


def _checked(asked: Check, item: Item, means: Means) -> Mark:
    """Return one check of a gate: passed or failed, and open until a person has looked where one must."""
    mark = _scored(asked, item, means)
    if mark.score100 is None:
        return mark
    kept = mark.score100 >= SCALE * (GATE_KEPT if asked.method == JUDGED else SCALE)
    if asked.human == "required" and asked.method != "human":
        if mark.human100 is None:
            told = f"{asked.id} waits for a person; {mark.told}".rstrip("; ")
            return replace(mark, status="open", told=told)
        kept = kept and mark.human100 >= SCALE * SCALE
    told = mark.told if kept else f"{asked.id}: {mark.told or 'broken'}"
    return replace(mark, passes=kept, told=told)


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
    statuses: list[str] = [mark.status for mark in marks]
    outputs = {name: statuses.count(name) for name in dict.fromkeys(statuses)}
    scored = [mark for mark in marks if mark.status == "scored"]
    values = [100.0 * bool(mark.passes) if mark.score100 is None else mark.score100 for mark in scored]
    people = [mark.human100 for mark in scored]
    effective = [value if said is None else said for value, said in zip(values, people, strict=True)]
    mean = fmean(values) if values else None
    passed = sum(mark.passes is True for mark in scored)
    if dimension.gate:
        missed = passed < len(scored)
    else:
        missed = mean is not None and round(mean, 9) < (dimension.threshold or 0.0)
    open_ones = outputs.keys() - {"scored", "not_applicable"}
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
        outputs=outputs,
        mean=mean,
        passed=passed,
        passes=False if missed else None if open_ones or mean is None else True,
        effective=fmean(effective) if any(mark.people for mark in scored) else None,
        variance=fmean(spread) if spread else None,
        taken=sum((each.taken for each in votes), Taken()),
    )
