"""Outputs scored by a rubric: every dimension of every output, then each dimension over all of them."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import reduce
from statistics import fmean
from typing import TYPE_CHECKING, Any, Protocol

from msgspec.structs import replace

from ragharness.errors import UsageError
from ragharness.rubrics.claims import grounded, invented
from ragharness.rubrics.items import Marked, Opinion
from ragharness.rubrics.judge import Taken, take_votes
from ragharness.rubrics.rubric import JUDGED, SCALE, Header, weighed
from ragharness.rubrics.rules import apply
from ragharness.rubrics.scores import DimensionScore, ItemScore, Mark, RubricScores

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ragharness.rubrics.items import Item
    from ragharness.rubrics.judge import Judge
    from ragharness.rubrics.rubric import Check, Dimension, Rubric
    from ragharness.rubrics.scores import Status, Verdict

GATE_KEPT = 8.0
"""A judge's mean from which on it finds a gate kept; a person must find so, too."""

_WORKERS = 8


class Embeds(Protocol):
    """What compares texts by meaning."""

    @property
    def name(self) -> str:
        """The model and its version: scores are reproducible up to it."""

    def cosine(self, one: str, other: str) -> float:
        """Return the cosine of two texts."""


@dataclass(frozen=True)
class Means:
    """What methods need besides the outputs."""

    judge: Judge | None = None
    embeds: Embeds | None = None
    people: Iterable[Opinion] = ()
    by_item: dict[tuple[str, str], Opinion] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.by_item.update({(each.item, each.dimension): each for each in self.people})


def score(rubric: Rubric, items: Sequence[Item], means: Means | None = None) -> RubricScores:
    """Return the scores of outputs; raises UsageError where a method lacks its model."""
    means = needs(rubric, means or Means())
    with ThreadPoolExecutor(_WORKERS if means.judge else 1) as pool:
        scored = tuple(pool.map(lambda item: _item(rubric, item, means), items))
    dimensions = [
        _over_all(each, [mark for item in scored for mark in item.marks if mark.dimension == each.id])
        for each in rubric.dimensions
    ]
    weights = rubric.normalised
    means_of = {each.id: each.mean for each in dimensions if each.mean is not None and each.id in weights}
    shares = {name: weights[name] / sum(weights[each] for each in means_of) for name in means_of}
    complete = all(each.mean is not None or _left_out(each) for each in dimensions if each.id in weights)
    return RubricScores(
        rubric=Header.of(rubric),
        verdict=_verdict([each.passes for each in dimensions if not _left_out(each)]),
        total=weighed(means_of, weights) if complete else None,
        outputs=len(items),
        dimensions=tuple(replace(each, share=shares.get(each.id)) for each in dimensions),
        items=scored,
        judge=means.judge.name if means.judge else "",
        embedding=means.embeds.name if means.embeds else "",
        notes=tuple(_notes(dimensions)),
    )


def needs(rubric: Rubric, means: Means) -> Means:
    """Return the means with the default embedding model where one is needed; raises UsageError."""
    methods = {each.method for each in rubric.asked}
    if JUDGED in methods and means.judge is None:
        raise UsageError(f"expected a judge for {rubric.title}, found none", help="--judge model=NAME")
    if "semantic_similarity" in methods and means.embeds is None:
        from ragharness.rubrics.similarity import Embeddings

        return Means(means.judge, Embeddings(), means.people)
    return means


def _left_out(each: DimensionScore) -> bool:
    return each.outputs.get("not_applicable", 0) == sum(each.outputs.values())


def _notes(dimensions: Sequence[DimensionScore]) -> Iterable[str]:
    for each in dimensions:
        for status, count in each.outputs.items():
            of = f"{count} of {sum(each.outputs.values())} outputs"
            if status == "not_applicable":
                sum_of = "" if each.gate else ": it leaves their sum, the other weights are normalised again"
                yield f"{each.id} does not apply to {of}{sum_of}"
            elif status != "scored":
                yield f"{each.id}: {of} not scored ({status.replace('_', ' ')})"


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
    opinion = means.by_item.get((item.id, asked.id))
    people = (opinion,) if opinion else ()
    beside: dict[str, Any] = {"people": people, "human100": SCALE * opinion.score if opinion else None}
    if asked.method == "human":
        if opinion is None:
            return Mark(dimension=asked.id, status="open", told="waits for a person")
        return Mark(dimension=asked.id, status="scored", score100=SCALE * opinion.score, **beside)
    if asked.method == JUDGED:
        assert means.judge is not None
        votes = take_votes(means.judge, asked, item)
        if votes.mean is None:
            told = "a reply of the judge cannot be read"
            return Mark(dimension=asked.id, status="invalid", votes=(votes,), told=told, **beside)
        found: Marked | None = Marked(votes.mean, votes.rationale)
        beside["votes"] = (votes,)
    else:
        found = _computed(asked, item, means)
    if found is None:
        return Mark(dimension=asked.id, status="not_applicable", **beside)
    return Mark(dimension=asked.id, status="scored", score100=SCALE * found.score, told=found.told, **beside)


def _computed(asked: Check, item: Item, means: Means) -> Marked | None:
    if asked.method == "groundedness":
        return grounded(item, **asked.rule["claims"])
    if asked.method == "claim_pipeline":
        return invented(item, **asked.rule["claims"])
    if asked.method == "semantic_similarity":
        arguments = asked.rule["cosine"]
        reference = getattr(item, arguments["to"])
        if not reference or means.embeds is None:
            return None
        low, high = arguments["zero_at"], arguments["ten_at"]
        cosine = means.embeds.cosine(item.text, reference)
        return Marked(SCALE * min(1.0, max(0.0, (cosine - low) / (high - low))), f"cosine {cosine:.3f}")
    return apply(asked.rule, item)


def _checked(asked: Check, item: Item, means: Means) -> Mark:
    """Return one check of a gate: passed or failed, and open until a person has looked where one must."""
    mark = _scored(asked, item, means)
    if mark.score100 is None:
        return mark
    kept = mark.score100 >= SCALE * (GATE_KEPT if asked.method == JUDGED else SCALE)
    if asked.human == "required" and asked.method != "human":
        if mark.human100 is None:
            return replace(
                mark, status="open", told=f"{asked.id} waits for a person; {mark.told}".rstrip("; ")
            )
        kept = kept and mark.human100 >= SCALE * SCALE
    told = mark.told if kept else f"{asked.id}: {mark.told or 'broken'}"
    return replace(mark, passes=kept, told=told)


def _gate(dimension: Dimension, checks: Sequence[Mark]) -> Mark:
    """Return the gate of several checks: one failure fails it, one open one leaves it open."""
    known = [each for each in checks if each.status != "not_applicable"]
    failed = [each for each in known if each.passes is False]
    waiting = [each for each in known if each.passes is None]
    decides = failed or waiting or known
    people = tuple(opinion for each in checks for opinion in each.people)
    said = [each.human100 for each in checks if each.human100 is not None]
    status: Status = "scored" if failed or (known and not waiting) else "not_applicable"
    return Mark(
        dimension=dimension.id,
        status=waiting[0].status if waiting and not failed else status,
        passes=False if failed else None if waiting or not known else True,
        told="; ".join(each.told for each in decides if each.told),
        votes=tuple(votes for each in checks for votes in each.votes),
        people=people,
        human100=min(said, default=None),
    )


def _over_all(dimension: Dimension, marks: Sequence[Mark]) -> DimensionScore:
    statuses: list[str] = [mark.status for mark in marks]
    outputs = {name: statuses.count(name) for name in dict.fromkeys(statuses)}
    scored = [mark for mark in marks if mark.status == "scored"]
    values = [_value(mark) for mark in scored]
    effective = [_value(mark) if mark.human100 is None else mark.human100 for mark in scored]
    mean = fmean(values) if values else None
    left = outputs.keys() - {"scored", "not_applicable"}
    if dimension.gate:
        missed = any(mark.passes is False for mark in scored)
    else:
        missed = mean is not None and round(mean, 9) < (dimension.threshold or 0.0)
    spread = [v.variance for mark in marks for v in mark.votes if v.variance is not None]
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
        passed=sum(mark.passes is True for mark in scored),
        passes=False if missed else None if left or mean is None else True,
        effective=fmean(effective) if any(mark.people for mark in scored) else None,
        variance=fmean(spread) if spread else None,
        taken=reduce(Taken.__add__, (v.taken for mark in marks for v in mark.votes), Taken()),
    )


def _value(mark: Mark) -> float:
    if mark.score100 is not None:
        return mark.score100
    return 100.0 if mark.passes else 0.0
