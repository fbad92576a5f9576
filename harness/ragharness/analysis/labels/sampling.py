"""``Design``: which answers of a run people label, drawn at random and kept."""

from __future__ import annotations

import hashlib
import math
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Literal

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from ragharness.analysis.labels.labels import FOLDER, Answered, Label
from ragharness.analysis.statistics.correcting import neyman
from ragharness.errors import UsageError
from ragharness.runner.journal import Key, disk
from ragharness.runner.run_folder import RunFolder
from ragharness.support.files import exclusive, new_file

Strata = Literal["none", "row", "bucket"]
STRATA: tuple[Strata, ...] = ("none", "row", "bucket")
DEFAULT_SAMPLE = 60
LEAST = 5
"""Answers of each stratum, where it has so many."""

_FORMAT = 1
_FILE = "design.json"


class Drawn(Struct, frozen=True, array_like=True):
    """One answer of the sample."""

    question: str
    epoch: int
    stratum: str

    @property
    def key(self) -> Key:
        """The answer."""
        return self.question, self.epoch


class Design(Struct, frozen=True, kw_only=True):
    """How a sample was drawn: what correcting a rate by it needs to know."""

    format: int = _FORMAT
    run: str
    created: str
    """When the run was made, by which a folder with another name is known again."""
    question_set: str
    grader: str
    """Whose buckets the strata are, where they are buckets."""
    population: str
    """A digest of the answers that it was drawn from."""
    strata: Strata
    seed: int
    sizes: dict[str, int]
    """Answers in each stratum."""
    drawn: dict[str, int]
    """Answers of each stratum in the sample."""
    items: tuple[Drawn, ...]
    """In the order in which they are labelled."""


def population_digest(answers: Sequence[Answered]) -> str:
    """Return a digest of which answers a run has, whatever their verdicts."""
    told = msgspec.json.encode([(each.key, each.digest) for each in answers])
    return hashlib.blake2b(told, digest_size=16).hexdigest()


def read_design(path: Path) -> Design | None:
    """Return the design beside some labels; None where there is none. Raises UsageError if unreadable."""
    file = path / _FILE
    if not file.is_file():
        return None
    with disk(file, "read"):
        content = file.read_bytes()
    try:
        return msgspec.json.decode(content, type=Design)
    except msgspec.MsgspecError as error:
        raise UsageError(
            f"expected the design of a sample in {file}, found: {error}", help=_ANEW.format(path)
        ) from error


def open_design(
    folder: RunFolder,
    answers: Sequence[Answered],
    *,
    sample: int = 0,
    strata: str = "",
    seed: int | None = None,
    deviations: Mapping[str, float] | None = None,
) -> Design:
    """Return the sample of a run, drawn now where there is none, and enlarged to ``sample`` answers.

    ``deviations`` of the grader's errors by stratum decide where it grows. Raises UsageError for another way
    of drawing than the one that was begun with, and where the answers have changed since.
    """
    place = folder.path / FOLDER
    if strata and strata not in STRATA:
        raise UsageError(f"expected --strata {', '.join(STRATA)}, found {strata!r}")
    if sample < 0:
        raise UsageError(f"expected --sample of at least 1, found {sample}")
    if not answers:
        raise UsageError(f"expected answers to label in {folder.path}, found none", help="ragharness run")
    with disk(place):
        place.mkdir(exist_ok=True)
    with exclusive(place / "lock", help="repeat the command: somebody was drawing the sample"):
        known = read_design(place)
        if known is not None:
            _same(known, strata, seed, answers, place)
            if sample <= len(known.items):
                return known
            if known.strata == "bucket" and known.grader != folder.run.settings.grader:
                raise UsageError(
                    f"expected verdicts of {known.grader}, by whose buckets the sample was drawn,"
                    f" found those of {folder.run.settings.grader}",
                    help=f"ragharness grade {folder.name} --grader NAME, or {_ANEW.format(place)}",
                )
        begun = known or _empty(folder, answers, strata or "none", seed or 0)
        design = enlarged(begun, answers, sample or DEFAULT_SAMPLE, deviations or {})
        with disk(place), new_file(place / _FILE, durable=True) as file:
            file.write(msgspec.json.format(msgspec.json.encode(design)) + b"\n")
    return design


def stratum_of(answer: Answered, strata: str) -> str:
    """Return the stratum of an answer."""
    return {"row": answer.row, "bucket": answer.outcome}.get(strata, "all")


def allocation(
    sizes: Mapping[str, int], n: int, deviations: Mapping[str, float], least: Mapping[str, int]
) -> dict[str, int]:
    """Return how many answers of each stratum a sample of ``n`` has; never fewer than ``least``."""
    spread = [deviations.get(name, 1.0) for name in sizes]
    found = neyman(list(sizes.values()), spread, n, LEAST if len(sizes) > 1 else 0)
    return {name: max(count, least.get(name, 0)) for name, count in zip(sizes, found, strict=True)}


def enlarged(design: Design, answers: Sequence[Answered], n: int, deviations: Mapping[str, float]) -> Design:
    """Return the sample with more answers, ``n`` altogether as far as the strata allow."""
    held = Counter(each.stratum for each in design.items)
    wanted = allocation(design.sizes, n, deviations, held)
    members = {each.key: stratum_of(each, design.strata) for each in answers}
    taken = {each.key: each for each in design.items}
    order = sorted(members, key=lambda key: _ticket(design.seed, key))
    for key in order:
        name = members[key]
        if key not in taken and held[name] < wanted.get(name, 0):
            taken[key] = Drawn(*key, name)
            held[name] += 1
    return replace(
        design,
        drawn={name: held[name] for name in design.sizes},
        items=tuple(taken[key] for key in order if key in taken),
    )


def _empty(folder: RunFolder, answers: Sequence[Answered], strata: Strata, seed: int) -> Design:
    settings = folder.run.settings
    sizes = Counter(stratum_of(each, strata) for each in answers)
    return Design(
        run=folder.name,
        created=folder.run.created,
        question_set=settings.question_set,
        grader=settings.grader,
        population=population_digest(answers),
        strata=strata,
        seed=seed,
        sizes=dict(sorted(sizes.items())),
        drawn={},
        items=(),
    )


def _ticket(seed: int, key: Key) -> bytes:
    return hashlib.sha256(f"{seed}:{key[0]}:{key[1]}".encode()).digest()


_ANEW = "keep the folder {0} elsewhere and repeat the command: it draws a new sample"


def _same(known: Design, strata: str, seed: int | None, answers: Sequence[Answered], place: Path) -> None:
    for name, asked, begun in (("--strata", strata or None, known.strata), ("--seed", seed, known.seed)):
        if asked is not None and asked != begun:
            raise UsageError(
                f"expected {name} {begun}, with which the sample was drawn, found {asked}",
                help=_ANEW.format(place),
            )
    if known.population != population_digest(answers):
        raise UsageError(
            f"expected the {sum(known.sizes.values())} answers from which the sample in {place} was drawn,"
            f" found {len(answers)} answers, or others",
            help=_ANEW.format(place),
        )


def spread_of(design: Design, answers: Sequence[Answered], labels: Mapping[Key, Label]) -> dict[str, float]:
    """Return the deviation of being labelled otherwise than graded, by stratum; rates are never 0 or 1."""
    outcomes = {each.key: each.outcome for each in answers}
    found: dict[str, list[bool]] = defaultdict(list)
    for each in design.items:
        if each.key in labels and each.key in outcomes:
            found[each.stratum].append(labels[each.key].bucket != outcomes[each.key])
    return {name: _deviation(sum(found[name]), len(found[name])) for name in design.sizes}


def _deviation(apart: int, n: int) -> float:
    rate = (apart + 1) / (n + 2)
    return math.sqrt(rate * (1 - rate))
