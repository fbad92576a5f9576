"""Graders: each reads an answer into primitives; found by the name of its file.

Several are chained by commas: the first that can decide does. ``axis=name`` gives one axis another grader,
and ``confirm`` names one that may send what the others decided to review.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol, cast

import msgspec
from msgspec.structs import replace

from ragharness.errors import CodeNotUsable, UnknownName, UsageError
from ragharness.records import Answer, Passage, Question, Reading
from ragharness.support import plugins
from ragharness.support.options import Options

FLAG = "--grader-option"

AXES: dict[str, tuple[str, ...]] = {
    "citation_exists": ("n_citations", "all_cited_retrieved"),
    "citation_supports": ("all_cited_support",),
    "refusal_quality": ("explained", "nearest", "next_step", "urgency", "quality_unknown"),
    "extra_claim_count": ("extra",),
}  # axis -> the primitives that it is made of


def _holds(axis: str, reading: Reading) -> bool:
    """Whether a reading says anything of an axis."""
    last = getattr(reading, AXES[axis][-1])
    return not last if axis == "refusal_quality" else last is not None


class Grader(Protocol):
    """Reader of answers; deciding the bucket is the same for all (``verdicts.buckets``).

    One that has a true ``waits`` is read from several threads at once. One that has ``read_axis`` can give an
    axis to what another one read, and one that has ``cost_lines`` says what its calls took.
    """

    name: str  # under which it is chosen and recorded
    version: str  # changes whenever the same answer could be read differently

    def read(
        self, question: Question, answer: Answer, retrieved: Sequence[Passage], supporting: frozenset[str]
    ) -> Reading:
        """Primitives of an answer; ``supporting``: ids of the passages that hold gold evidence."""


def waits(grader: Grader) -> bool:
    """Whether a grader waits for a service, so that several answers are read at once."""
    return bool(getattr(grader, "waits", False))


def cost_lines(grader: Grader) -> list[str]:
    """Cost of a grader's calls so far, as lines of text; empty where it makes none."""
    method = getattr(grader, "cost_lines", None)
    return list(method()) if method else []


@dataclass(frozen=True)
class GraderContext:
    """Options of a grader; ``cache``: folder for replies of services; ``dry_run``: calls are only counted."""

    options: Options = field(default_factory=lambda: Options(flag=FLAG))
    cache: Path | None = None
    dry_run: bool = False
    strict: bool = False  # whether passages are cited by id alone (``--citations passage``)


def grader_names() -> list[str]:
    """Names of all graders: the modules beside this one, and entry points of ``ragharness.graders``."""
    return plugins.names("graders", __name__)


def load_grader(
    spec: str = "rules",
    false_correct: float | None = None,
    settings: Iterable[str] = (),
    *,
    confirm: str = "",
    ask_all: bool = False,
    offline: bool = False,
    cache: Path | None = None,
    dry_run: bool = False,
    citations: str = "auto",
) -> Grader:
    """Grader by name, or a chain of them: ``rules,judge,citation_supports=nli``.

    ``settings`` are ``GRADER.NAME=VALUE``; ``false_correct`` is that of the rules. ``confirm`` is the last of
    the chain, and asked about what the others may have got wrong. With ``ask_all`` every grader of the chain
    is asked, and the first that can decide still does. Raises UnknownName with the nearest names, UsageError
    for a setting that cannot be meant, and CodeNotUsable for the user's own.
    """
    values = _settings(settings, false_correct)
    loaded: dict[str, Grader] = {}
    parts = [part.strip() for part in spec.split(",")]
    names, axes = [], {}
    for part in parts:
        axis, equals, name = part.partition("=")
        if not part or (equals and not name):
            raise UsageError(f"expected graders separated by commas, found {spec!r}", help="--grader rules")
        if equals and axis not in AXES:
            raise UnknownName("axis", axis, AXES)
        if equals:
            axes[axis] = name
        elif part in names:
            raise UsageError(f"expected each grader once, found {part!r} twice in {spec!r}")
        else:
            names.append(part)
    if not names:
        raise UsageError(f"expected a grader for the bucket, found only axes in {spec!r}")
    names += [confirm] if confirm and confirm not in names else []
    if confirm and (len(names) == 1 or names[-1] != confirm):
        raise UsageError(f"expected other graders before {confirm!r}, which confirms them, found {spec!r}")
    for name in (*names, *axes.values()):
        if name not in loaded:
            options = Options(values.pop(name, {}), flag=FLAG, offline=offline, prefix=f"{name}.")
            loaded[name] = _load(name, GraderContext(options, cache, dry_run, citations == "passage"))
            options.finish(f"the grader {name!r}")
    for name in values:
        raise UnknownName(f"grader in {spec!r}, of {FLAG} {name}.NAME,", name, loaded)
    if len(names) == 1 and not axes:
        return loaded[names[0]]
    by_axis = {axis: loaded[name] for axis, name in axes.items()}
    confirms = loaded[confirm] if confirm else None
    return Chain(
        [loaded[name] for name in names], by_axis, confirm=confirms, ask_all=ask_all, dry_run=dry_run
    )


def _settings(settings: Iterable[str], false_correct: float | None) -> dict[str, dict[str, str]]:
    by_grader: dict[str, dict[str, str]] = {}
    if false_correct is not None:
        by_grader["rules"] = {"false-correct": repr(false_correct)}
    for text in settings:
        whole, equals, value = text.partition("=")
        # The user's own grader has points in its name.
        grader, point, name = whole.rpartition(".")
        if not (equals and point and grader and name):
            raise UsageError(
                f"expected {FLAG} GRADER.NAME=VALUE, found {text!r}", help=f"{FLAG} judge.model=NAME"
            )
        name = name.strip().replace("_", "-").lower()
        if name in by_grader.setdefault(grader, {}):
            raise UsageError(f"expected {FLAG} {grader}.{name}=... once, found it twice")
        by_grader[grader][name] = value
    return by_grader


def _load(name: str, context: GraderContext) -> Grader:
    if ":" in name:
        return OwnGrader(name)
    if name not in grader_names():
        raise UnknownName("grader", name, grader_names(), help="or your own: --grader package.module:name")
    return cast("Grader", plugins.load("graders", __name__, name, "build").build(context))


_LEADING = re.compile(r"\W*(?:yes|no)\b", re.IGNORECASE)


class Chain:
    """Asks its graders in order until one decides, and ``confirm`` whether it decided rightly."""

    def __init__(
        self,
        graders: Sequence[Grader],
        axes: Mapping[str, Grader],
        *,
        confirm: Grader | None = None,
        ask_all: bool = False,
        dry_run: bool = False,
    ) -> None:
        """``dry_run``: an answer that nobody decides may yet be decided, so its axes are asked for too."""
        self._graders = graders
        self._axes = axes
        self._confirm = confirm
        self._ask_all = ask_all
        self._dry_run = dry_run
        links = [(grader.name, grader.version) for grader in graders]
        links += [(f"{axis}={grader.name}", grader.version) for axis, grader in axes.items()]
        self.name = ",".join(name for name, _ in links)
        self.version = ",".join(version for _, version in links) + (" (all asked)" if ask_all else "")
        self.version += f" ({confirm.name} confirms)" if confirm else ""
        self.waits = any(map(waits, (*graders, *axes.values())))

    def read(
        self, question: Question, answer: Answer, retrieved: Sequence[Passage], supporting: frozenset[str]
    ) -> Reading:
        """First reading that decides, with what the others said; without one, the first."""
        inputs = (question, answer, retrieved, supporting)
        readings: list[Reading] = []
        for grader in self._graders:
            readings.append(_read(grader, inputs))
            # What is no answer is none to any grader.
            if (readings[-1].decides and not self._ask_all) or readings[-1].status == "no_answer":
                break
        decided = next((reading for reading in readings if reading.decides), None)
        chosen = decided or readings[0]
        confirm = _identity(self._confirm) if self._confirm else ""
        if self._confirm and chosen.by != confirm and decided and _is_doubtful(decided, answer):
            if confirm not in [reading.by for reading in readings]:
                readings.append(_read(self._confirm, inputs))
            chosen = replace(chosen, confirmed_by=confirm)
        others = tuple(reading for reading in readings if reading.by != chosen.by)
        if decided is None and others:
            # Nobody decided: what each said is among the others, the first one's words are the reason.
            others = tuple(readings)
            chosen = replace(chosen, by="", judgements=())
        flags = dict.fromkeys(flag for reading in (chosen, *readings) for flag in reading.flags)
        chosen = _completed(replace(chosen, others=others, flags=tuple(flags)), readings)
        for axis, grader in self._axes.items():
            if chosen.status != "no_answer" and (chosen.decides or self._dry_run):
                chosen = _with_axis(axis, grader, chosen, inputs)
        return chosen

    def cost_lines(self) -> list[str]:
        """Cost of the calls of its graders so far, as lines of text."""
        graders = {id(grader): grader for grader in (*self._graders, *self._axes.values())}
        return [line for grader in graders.values() for line in cost_lines(grader)]


Inputs = tuple[Question, Answer, Sequence[Passage], frozenset[str]]  # of a reading


def _identity(grader: Grader) -> str:
    return f"{grader.name}@{grader.version}"


def _read(grader: Grader, inputs: Inputs) -> Reading:
    return replace(grader.read(*inputs), by=_identity(grader))


def _is_doubtful(reading: Reading, answer: Answer) -> bool:
    """Whether one that confirms is asked: of what may be correct or unsupported, and of every yes and no."""
    apart = reading.match in ("mismatch", "distractor", "partial")
    faulty = apart or reading.contradiction or reading.imprecise
    leads = reading.status == "ok" and _LEADING.match(answer.text)
    return bool(leads) or (reading.committed and not faulty)


def _completed(chosen: Reading, readings: Sequence[Reading]) -> Reading:
    """Reading with the axes that it says nothing of, from the first that does."""
    fields: dict[str, Any] = {}
    by = dict(chosen.axes_by)
    for axis, names in AXES.items():
        if not _holds(axis, chosen):
            source = next((reading for reading in readings if _holds(axis, reading)), None)
            # A decline's quality is not read where none was seen.
            if source is not None and (axis != "refusal_quality" or source.refusal):
                fields |= {name: getattr(source, name) for name in names}
                by[axis] = source.by
    if not chosen.sentences:
        source = next((reading for reading in readings if reading.sentences), chosen)
        fields |= {"sentences": source.sentences, "members": source.members}
    return replace(chosen, axes_by=tuple(by.items()), **fields) if fields else chosen


def _with_axis(axis: str, grader: Grader, reading: Reading, inputs: Inputs) -> Reading:
    if axis == "refusal_quality" and reading.committed:
        return reading
    by = {**dict(reading.axes_by), axis: _identity(grader)}
    read_axis = getattr(grader, "read_axis", None)
    if read_axis is not None:
        scored: Reading = read_axis(axis, reading, *inputs[:3])
        return replace(scored, axes_by=tuple(by.items()))
    read = grader.read(*inputs)
    return replace(reading, axes_by=tuple(by.items()), **{name: getattr(read, name) for name in AXES[axis]})


_OWN_HELP = "docs/graders.md shows one: it returns a Reading, a dict of its fields, or None"


class OwnGrader:
    """The user's own grader: an object with ``read``, or a function of the same four arguments."""

    def __init__(self, spec: str) -> None:
        """Raises CodeNotUsable for what cannot be imported, found or called."""
        from ragharness.pipelines.adapters import described, find

        code = find(spec)
        grader = code.value() if isinstance(code.value, type) else code.value
        function = getattr(grader, "read", grader)
        if not callable(function):
            raise CodeNotUsable(f"expected a grader in {spec}, found {described(code.value)}", help=_OWN_HELP)
        self.name = spec
        self.version = str(getattr(grader, "version", code.fingerprint[:12]))
        self.waits = bool(getattr(grader, "waits", False))
        self._read = cast("Callable[..., object]", function)
        self._described = described

    def read(
        self, question: Question, answer: Answer, retrieved: Sequence[Passage], supporting: frozenset[str]
    ) -> Reading:
        """Reading by the user's code; None from it leaves the answer open.

        Raises CodeNotUsable for what is no reading, and what the code raises.
        """
        read: Any = self._read(question, answer, retrieved, supporting)
        if read is None:
            return Reading(status="needs_review", unreadable=f"{self.name} leaves it open")
        try:
            return msgspec.convert(msgspec.to_builtins(read), Reading, strict=True)
        except (msgspec.ValidationError, TypeError) as error:
            raise CodeNotUsable(
                f"expected a reading from {self.name}, found {self._described(read)}: {error}", help=_OWN_HELP
            ) from error
