"""Tests and intervals beside the gate's rules: they do not change the verdict."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import replace

from ragharness.analysis.intervals import (
    cluster_intervals,
    false_alarm,
    fewest_significant,
    flip_rate,
    holm,
    majority_chance,
    mcnemar,
    paired_interval,
    sign_flip,
    smallest_mean,
    smallest_rise,
)
from ragharness.analysis.rules import Gates
from ragharness.analysis.sides import Mark, Side, common, settle
from ragharness.records import BUCKETS

POLICY = (
    "One more wrong answer can never be significant (exact McNemar p = 1): that it is rejected all the same"
    " is policy, not inference."
)


class Change(Struct, frozen=True, kw_only=True):
    """How the share of one outcome moved, over questions graded in both runs."""

    outcome: str
    gained: int
    """Questions that have it in the candidate only."""
    lost: int
    """Questions that have it in the base only."""
    difference: float | None
    """Candidate's share less the base's; null without questions."""
    newcombe: tuple[float, float] | None
    cluster: tuple[float, float] | None
    """Bootstrap over documents; null where no question changed."""
    p: float
    """Exact McNemar, two-sided."""
    mid_p: float
    p_holm: float | None
    """Adjusted for the other rows; null for ``wrong``, which is the primary one."""
    always_valid_p: float


class Quality(Struct, frozen=True, kw_only=True):
    """How the refusal quality moved, over questions refused in both runs; its grades are ordinal."""

    n: int
    difference: float | None
    cluster: tuple[float, float] | None
    p: float
    """Sign-flip permutation test, two-sided."""
    p_holm: float
    smallest: float | None
    """The mean difference that so many would show with power 0.8."""
    base_mean: float | None
    """Over all refusals of the base: it also moves when other questions are refused."""
    candidate_mean: float | None


class Noise(Struct, frozen=True, kw_only=True):
    """How much the runs vary by themselves, from their epochs."""

    epochs: int
    base_flips: float
    """The chance that two epochs of a question of the base disagree."""
    candidate_flips: float
    base_unstable: list[str]
    """Questions whose bucket differs between epochs of the base."""
    candidate_unstable: list[str]
    false_alarm: float
    """The estimated chance that the count of wrong rises between two runs of the base."""
    false_alarm_once: float
    """The same if each question were asked once."""


class NewlyWrong(Struct, frozen=True, kw_only=True):
    """A question that is wrong in the candidate and was not in the base."""

    question: str
    was: str
    """Its bucket in the base."""
    base: str
    """In how many epochs it was wrong, as ``1/3``."""
    candidate: str
    stable: bool | None
    """Whether every epoch of the candidate is wrong and none of the base; null: asked once."""


class Information(Struct, frozen=True, kw_only=True):
    """What does not change the verdict."""

    n: int
    """Questions graded in both runs."""
    documents: int
    """Clusters of the bootstrap: documents asked about."""
    changes: list[Change]
    refusal_quality: Quality
    smallest_rise: float | None
    """The rise of the wrong rate that n questions show with power 0.8, with as many fixed as here."""
    needed: int
    """Newly wrong questions that would be significant, with as many fixed as here."""
    noise: Noise | None
    """Null where each question was asked once."""
    policy: str = POLICY


def inform(base: Side, candidate: Side, gates: Gates) -> Information:
    """Tests and intervals."""
    rule = gates.epochs
    graded: list[tuple[str, str, str]] = []
    refused: list[tuple[str, float]] = []
    for name in common(base, candidate):
        before, after = settle(base.marks[name], rule), settle(candidate.marks[name], rule)
        if len(before.buckets) == len(after.buckets) == 1:
            (was,), (now,) = before.buckets, after.buckets
            document = base.asked[name].document or name
            graded.append((document, was, now))
            if before.quality and after.quality:
                refused.append((document, after.quality[0] - before.quality[0]))
    n = len(graded)
    changes = _changes(graded)
    better = changes[0].lost
    quality = _quality(refused, base, candidate)
    adjusted = holm([*(each.p for each in changes[1:]), quality.p])
    return Information(
        n=n,
        documents=len({document for document, _, _ in graded}),
        changes=[
            changes[0],
            *(replace(each, p_holm=p) for each, p in zip(changes[1:], adjusted, strict=False)),
        ],
        refusal_quality=replace(quality, p_holm=adjusted[-1]),
        smallest_rise=smallest_rise(n, better / n) if n else None,
        needed=fewest_significant(better),
        noise=_noise(base, candidate, gates),
    )


def newly_wrong(base: Side, candidate: Side, gates: Gates) -> list[NewlyWrong]:
    """Questions that are surely wrong in the candidate and surely were not in the base."""
    found = []
    for name in common(base, candidate):
        before, after = settle(base.marks[name], gates.epochs), settle(candidate.marks[name], gates.epochs)
        if after.buckets == {"wrong"} and "wrong" not in before.buckets:
            old, new = (_times_wrong(side.marks[name]) for side in (base, candidate))
            once = len(base.marks[name]) == len(candidate.marks[name]) == 1
            found.append(
                NewlyWrong(
                    question=name,
                    was=" or ".join(each for each in BUCKETS if each in before.buckets),
                    base=f"{old}/{len(base.marks[name])}",
                    candidate=f"{new}/{len(candidate.marks[name])}",
                    stable=None if once else old == 0 and new == len(candidate.marks[name]),
                )
            )
    return found


def _times_wrong(marks: Sequence[Mark]) -> int:
    return sum(each.bucket == "wrong" for each in marks)


_OUTCOMES = {
    "wrong": ("wrong",),
    "unsupported": ("unsupported",),
    "correct": ("correct",),
    "refused": ("refused",),
    "unacceptable": ("wrong", "unsupported"),
}
"""The buckets of each outcome."""


def _changes(graded: Sequence[tuple[str, str, str]]) -> list[Change]:
    """Row of each outcome, the primary one first."""
    moved = [[(now in held) - (was in held) for held in _OUTCOMES.values()] for _, was, now in graded]
    clusters = _by_cluster([document for document, _, _ in graded], moved)
    rows = []
    for place, (outcome, held) in enumerate(_OUTCOMES.items()):
        gained = sum(each[place] > 0 for each in moved)
        lost = sum(each[place] < 0 for each in moved)
        both = sum(was in held and now in held for _, was, now in graded)
        n, tests = len(graded), mcnemar(gained, lost)
        rows.append(
            Change(
                outcome=outcome,
                gained=gained,
                lost=lost,
                difference=(gained - lost) / n if n else None,
                newcombe=paired_interval(both, gained, lost, n - both - gained - lost) if n else None,
                cluster=clusters[place] if gained or lost else None,
                p=tests.exact,
                mid_p=tests.mid,
                p_holm=None,
                always_valid_p=tests.always_valid,
            )
        )
    return rows


def _by_cluster(documents: Sequence[str], moved: Sequence[Sequence[float]]) -> list[tuple[float, float]]:
    sums: dict[str, list[float]] = {}
    sizes: dict[str, int] = {}
    for document, values in zip(documents, moved, strict=True):
        held = sums.setdefault(document, [0.0] * len(values))
        sums[document] = [one + other for one, other in zip(held, values, strict=True)]
        sizes[document] = sizes.get(document, 0) + 1
    # Sorted, so that the same draw falls on the same document whatever the order of the records.
    names = sorted(sums)
    return cluster_intervals([sums[name] for name in names], [sizes[name] for name in names])


def _quality(refused: Sequence[tuple[str, float]], base: Side, candidate: Side) -> Quality:
    moved = [each for _, each in refused]
    n = len(moved)
    mean = sum(moved) / n if n else None
    spread = (sum((each - (mean or 0)) ** 2 for each in moved) / (n - 1)) ** 0.5 if n > 1 else 0.0
    clusters = _by_cluster([document for document, _ in refused], [[each] for each in moved])
    return Quality(
        n=n,
        difference=mean,
        cluster=clusters[0] if any(moved) else None,
        p=sign_flip(moved),
        p_holm=1.0,
        smallest=smallest_mean(spread, n) if spread else None,
        base_mean=_mean_quality(base),
        candidate_mean=_mean_quality(candidate),
    )


def _mean_quality(side: Side) -> float | None:
    found = [each.quality for marks in side.marks.values() for each in marks if each.quality is not None]
    return sum(found) / len(found) if found else None


def _noise(base: Side, candidate: Side, gates: Gates) -> Noise | None:
    if base.epochs == 1 or candidate.epochs == 1:
        return None
    flips, unstable = [], []
    for side in (base, candidate):
        seen = {name: [mark.bucket for mark in marks] for name, marks in side.marks.items()}
        flips.append(sum(map(flip_rate, seen.values())) / len(seen) if seen else 0.0)
        unstable.append([name for name, buckets in seen.items() if len(set(buckets)) > 1])
    epochs = base.epochs
    chances = [_times_wrong(marks) / epochs for marks in base.marks.values()]
    wavering = [each for each in chances if 0 < each < 1]
    return Noise(
        epochs=epochs,
        base_flips=flips[0],
        candidate_flips=flips[1],
        base_unstable=unstable[0],
        candidate_unstable=unstable[1],
        false_alarm=false_alarm(
            majority_chance(each, epochs) if gates.epochs == "majority" else 1 - (1 - each) ** epochs
            for each in wavering
        ),
        false_alarm_once=false_alarm(wavering),
    )
