"""What differs between two versions of a rubric, and how large a change that is."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from msgspec.structs import replace

from ragharness.rubrics.rubric import JUDGED

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ragharness.rubrics.rubric import ChangeClass, Dimension, Rubric

TWEAK = 5.0
"""Points that a threshold may move in a patch."""

MATERIAL = 0.05
"""A normalised weight that moves by more is re-weighted materially."""

_ROUNDING = 1e-9
ORDER: tuple[ChangeClass, ...] = ("patch", "minor", "major")


class Change(NamedTuple):
    """One difference."""

    weight: ChangeClass
    told: str


def change_class(old: Rubric, new: Rubric) -> ChangeClass | None:
    """Return the class of the largest difference; None where nothing differs."""
    found = {each.weight for each in changes(old, new)}
    return next((each for each in reversed(ORDER) if each in found), None)


def changes(old: Rubric, new: Rubric) -> list[Change]:
    """Return every difference, the largest first; a version is no difference from another."""
    found = sorted(_found(old, new), key=lambda each: -ORDER.index(each.weight))
    versioned = replace(old, version=new.version, parent=new.parent, change_class=new.change_class)
    if not found and versioned.hash != new.hash:
        found.append(Change("patch", "the order, or all weights in the same proportion"))
    return found


def _found(old: Rubric, new: Rubric) -> Iterator[Change]:
    for name in ("id", "name", "owner"):
        before, after = getattr(old, name), getattr(new, name)
        if before != after:
            yield Change("patch", f"{name}: {before!r} -> {after!r}")
    if old.safety_policy != new.safety_policy:
        yield Change("major", "the safety policy")
    before, after = ({each.id: each for each in rubric.dimensions} for rubric in (old, new))
    for name in [*before, *(each for each in after if each not in before)]:
        if name not in after or name not in before:
            yield Change("minor", f"{name}: {'added' if name in after else 'removed'}")
        else:
            yield from _within(before[name], after[name])
    for name in (each for each in old.normalised if each in new.normalised):
        moved = new.normalised[name] - old.normalised[name]
        if abs(moved) > _ROUNDING:
            size: ChangeClass = "minor" if abs(moved) > MATERIAL + _ROUNDING else "patch"
            yield Change(size, f"{name}: normalised weight {old.normalised[name]:.3f} {moved:+.3f}")


def _within(old: Dimension, new: Dimension) -> Iterator[Change]:
    name = old.id
    if old.gate != new.gate:
        yield Change("major", f"{name}: {'a gate now' if new.gate else 'no gate any more'}")
    if old.human != new.human or "human" in {old.method, new.method} - ({old.method} & {new.method}):
        yield Change("major", f"{name}: human review {old.human or old.method} -> {new.human or new.method}")
    elif old.method != new.method:
        yield Change("minor", f"{name}: method {old.method} -> {new.method}")
    if (old.weight is None or new.weight is None) and old.weight != new.weight and old.gate == new.gate:
        yield Change("minor", f"{name}: weight {old.weight} -> {new.weight}")
    if old.threshold != new.threshold:
        both = old.threshold is not None and new.threshold is not None
        small = both and abs((new.threshold or 0) - (old.threshold or 0)) <= TWEAK
        yield Change("patch" if small else "minor", f"{name}: threshold {old.threshold} -> {new.threshold}")
    for field in ("rule", "votes", "model"):
        if getattr(old, field) != getattr(new, field):
            told = f"{field} of the judge" if old.method == JUDGED else field
            yield Change("minor", f"{name}: {told} {getattr(old, field)} -> {getattr(new, field)}")
    for field in ("name", "description", "prompt", "method_from"):
        if getattr(old, field) != getattr(new, field):
            yield Change("patch", f"{name}: wording of the {field}")
