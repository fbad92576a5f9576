"""Graders: each reads an answer into primitives; found by the name of its file.

Several are chained by commas: the first that can decide does. ``axis=name`` gives one axis another grader.
"""

from __future__ import annotations

import pkgutil
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any, Protocol, cast

from msgspec.structs import replace

from ragharness.errors import UnknownName, UsageError
from ragharness.records import Answer, Passage, Question, Reading
from ragharness.support.options import Options

FLAG = "--grader-option"

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


class Grader(Protocol):
    """What reads an answer; deciding the bucket is the same for all (``verdicts.buckets``).

    One that has a true ``waits`` is read from several threads at once. One that has ``read_axis`` can give an
    axis to what another one read, and one that has ``cost_lines`` says what its calls took.
    """

    @property
    def name(self) -> str:
        """The name under which it is chosen and recorded."""

    @property
    def version(self) -> str:
        """Changes whenever the same answer could be read differently."""

    def read(
        self, question: Question, answer: Answer, retrieved: Sequence[Passage], supporting: frozenset[str]
    ) -> Reading:
        """Return the primitives of an answer; ``supporting``: ids of the passages that hold gold evidence."""


def waits(grader: Grader) -> bool:
    """Whether a grader waits for others, so that several answers are read at once."""
    return bool(getattr(grader, "waits", False))


def cost_lines(grader: Grader) -> list[str]:
    """Return what the calls of a grader took so far; empty: it makes none."""
    told = getattr(grader, "cost_lines", None)
    return list(told()) if told else []


@dataclass(frozen=True)
class GraderContext:
    """What a grader is built from."""

    options: Options = field(default_factory=lambda: Options(flag=FLAG))
    """Its settings."""
    cache: Path | None = None
    """A folder in which replies of services may be kept; None: nothing is kept."""
    dry_run: bool = False
    """Calls of services are counted, not made."""


def grader_names() -> list[str]:
    """Return the names of all graders: the modules beside this one."""
    return sorted(
        found.name
        for found in pkgutil.iter_modules(__path__)
        if not found.ispkg and not found.name.startswith("_")
    )


def load_grader(
    wanted: str = "rules",
    false_correct: float | None = None,
    settings: Iterable[str] = (),
    *,
    ask_all: bool = False,
    offline: bool = False,
    cache: Path | None = None,
    dry_run: bool = False,
) -> Grader:
    """Return a grader by name, or a chain of them: ``rules,judge,citation_supports=nli``.

    ``settings`` are ``GRADER.NAME=VALUE``; ``false_correct`` is that of the rules. With ``ask_all`` every
    grader of the chain is asked, and the first that can decide still does. Raises UnknownName with the
    nearest names, UsageError for a setting that cannot be meant, and CodeNotUsable for the user's own.
    """
    values = _settings(settings, false_correct)
    loaded: dict[str, Grader] = {}
    parts = [part.strip() for part in wanted.split(",")]
    names, axes = [], {}
    for part in parts:
        axis, equals, name = part.partition("=")
        if not part or (equals and not name):
            raise UsageError(f"expected graders separated by commas, found {wanted!r}", help="--grader rules")
        if equals and axis not in AXES:
            raise UnknownName("axis", axis, AXES)
        if equals:
            axes[axis] = name
        elif part in names:
            raise UsageError(f"expected each grader once, found {part!r} twice in {wanted!r}")
        else:
            names.append(part)
    if not names:
        raise UsageError(f"expected a grader for the bucket, found only axes in {wanted!r}")
    for name in (*names, *axes.values()):
        if name not in loaded:
            options = Options(values.pop(name, {}), flag=FLAG, offline=offline, prefix=f"{name}.")
            loaded[name] = _load(name, GraderContext(options, cache, dry_run))
            options.finish(f"the grader {name!r}")
    for name in values:
        raise UnknownName(f"grader in {wanted!r}, of {FLAG} {name}.NAME,", name, loaded)
    if len(names) == 1 and not axes:
        return loaded[names[0]]
    by_axis = {axis: loaded[name] for axis, name in axes.items()}
    return Chain([loaded[name] for name in names], by_axis, ask_all=ask_all, dry_run=dry_run)


def _settings(settings: Iterable[str], false_correct: float | None) -> dict[str, dict[str, str]]:
    found: dict[str, dict[str, str]] = {}
    if false_correct is not None:
        found["rules"] = {"false-correct": repr(false_correct)}
    for text in settings:
        whole, equals, value = text.partition("=")
        # The user's own grader has points in its name.
        grader, point, name = whole.rpartition(".")
        if not (equals and point and grader and name):
            raise UsageError(
                f"expected {FLAG} GRADER.NAME=VALUE, found {text!r}", help=f"{FLAG} judge.model=NAME"
            )
        name = name.strip().replace("_", "-").lower()
        if name in found.setdefault(grader, {}):
            raise UsageError(f"expected {FLAG} {grader}.{name}=... once, found it twice")
        found[grader][name] = value
    return found


def _load(name: str, context: GraderContext) -> Grader:
    if ":" in name:
        from ragharness.graders._own import OwnGrader

        return OwnGrader(name)
    if name not in grader_names():
        raise UnknownName("grader", name, grader_names(), help="or your own: --grader package.module:name")
    return cast("Grader", import_module(f"{__name__}.{name}").build(context))


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
