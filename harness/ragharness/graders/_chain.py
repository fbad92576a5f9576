"""``Chain``: several graders, of which the first that can decide does."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from ragharness.graders._protocol import cost_lines, waits

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from ragharness.graders._protocol import Grader
    from ragharness.records import Answer, Passage, Question, Reading

AXES: dict[str, tuple[str, ...]] = {
    "citation_exists": ("n_citations", "all_cited_retrieved"),
    "citation_supports": ("all_cited_support",),
    "refusal_quality": ("explained", "nearest", "next_step", "urgency", "quality_unknown"),
    "extra_claim_count": ("extra",),
}
"""Axis -> the primitives that it is made of."""

_HOLDS: dict[str, Callable[[Reading], bool]] = {
    "citation_exists": lambda each: each.all_cited_retrieved is not None,
    "citation_supports": lambda each: each.all_cited_support is not None,
    "refusal_quality": lambda each: not each.quality_unknown,
    "extra_claim_count": lambda each: each.extra is not None,
}
"""Axis -> whether a reading says anything of it."""


class Chain:
    """Asks its graders in order until one decides."""

    def __init__(
        self,
        graders: Sequence[Grader],
        axes: Mapping[str, Grader],
        *,
        ask_all: bool = False,
        dry_run: bool = False,
    ) -> None:
        """``dry_run``: what nobody decides may yet be decided, so its axes are asked for too."""
        self._graders = graders
        self._axes = axes
        self._ask_all = ask_all
        self._dry_run = dry_run
        told = [(each.name, each.version) for each in graders]
        told += [(f"{axis}={each.name}", each.version) for axis, each in axes.items()]
        self.name = ",".join(name for name, _ in told)
        self.version = ",".join(version for _, version in told) + (" (all asked)" if ask_all else "")
        self.waits = any(map(waits, (*graders, *axes.values())))

    def read(
        self, question: Question, answer: Answer, retrieved: Sequence[Passage], supporting: frozenset[str]
    ) -> Reading:
        """Return the first reading that decides, with what the others said; without one, the first."""
        readings: list[Reading] = []
        for grader in self._graders:
            read = grader.read(question, answer, retrieved, supporting)
            readings.append(replace(read, by=_identity(grader)))
            # What is no answer is none to any grader.
            if (read.decides and not self._ask_all) or read.status == "no_answer":
                break
        decided = next((each for each in readings if each.decides), None)
        chosen = decided or readings[0]
        others = tuple(each for each in readings if each is not chosen)
        if decided is None and others:
            # Nobody decided: what each said is among the others, the first one's words are the reason.
            others = tuple(readings)
            chosen = replace(chosen, by="", judgements=())
        chosen = replace(chosen, others=others, flags=_flags(chosen, readings))
        chosen = _completed(chosen, readings)
        for axis, grader in self._axes.items():
            if chosen.status != "no_answer" and (chosen.decides or self._dry_run):
                chosen = _with_axis(axis, grader, chosen, question, answer, retrieved, supporting)
        return chosen

    def cost_lines(self) -> list[str]:
        """Return what the calls of its graders took so far."""
        asked = {id(each): each for each in (*self._graders, *self._axes.values())}
        return [line for each in asked.values() for line in cost_lines(each)]


def _identity(grader: Grader) -> str:
    return f"{grader.name}@{grader.version}"


def _flags(chosen: Reading, readings: Sequence[Reading]) -> tuple[str, ...]:
    """Return what any of them noticed."""
    return tuple(dict.fromkeys(flag for each in (chosen, *readings) for flag in each.flags))


def _completed(chosen: Reading, readings: Sequence[Reading]) -> Reading:
    """Return a reading with the axes that it says nothing of, from the first that does."""
    fields: dict[str, Any] = {}
    by = dict(chosen.axes_by)
    for axis, names in AXES.items():
        if not _HOLDS[axis](chosen):
            source = next((each for each in readings if _HOLDS[axis](each)), None)
            # A decline's quality is not read where none was seen.
            if source is not None and (axis != "refusal_quality" or source.refusal):
                fields |= {name: getattr(source, name) for name in names}
                by[axis] = source.by
    if not chosen.sentences:
        fields["sentences"] = next((each.sentences for each in readings if each.sentences), ())
    return replace(chosen, axes_by=tuple(by.items()), **fields) if fields else chosen


def _with_axis(
    axis: str,
    grader: Grader,
    reading: Reading,
    question: Question,
    answer: Answer,
    retrieved: Sequence[Passage],
    supporting: frozenset[str],
) -> Reading:
    """Return a reading with one axis of another grader."""
    if axis == "refusal_quality" and reading.committed:
        return reading
    by = {**dict(reading.axes_by), axis: _identity(grader)}
    read_axis = getattr(grader, "read_axis", None)
    if read_axis is not None:
        given: Reading = read_axis(axis, reading, question, answer, retrieved)
        return replace(given, axes_by=tuple(by.items()))
    read = grader.read(question, answer, retrieved, supporting)
    return replace(reading, axes_by=tuple(by.items()), **{name: getattr(read, name) for name in AXES[axis]})
