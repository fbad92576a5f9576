"""Opens the labelling of a run: its sample, its answers, and the corpus that they are shown with."""

from __future__ import annotations

import math
from collections import defaultdict
from typing import TYPE_CHECKING

from ragharness.errors import UsageError
from ragharness.labelling.consensus import read_people
from ragharness.labelling.labels import answered, labels_folder
from ragharness.labelling.sampling import open_design, read_design
from ragharness.labelling.session import Labelling

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ragharness.labelling.labels import Answered, Label
    from ragharness.labelling.sampling import Design
    from ragharness.runner import GradingContext
    from ragharness.store import RunFolder
    from ragharness.store.lines import Key


def open_labelling(
    folder: RunFolder,
    annotator: str,
    *,
    sample: int = 0,
    strata: str = "",
    seed: int | None = None,
    adjudicate: bool = False,
    grading: GradingContext | None = None,
    source: str = "",
    offline: bool = False,
) -> Labelling:
    """Return one person's labelling of a run; with ``adjudicate`` of the answers that others disagree on.

    Raises UsageError for another sample than the one that was drawn, and where nothing is to be settled;
    RunNotUsable without the corpus.
    """
    from ragharness.runner import grading_context

    grading = grading or grading_context(folder, source=source, offline=offline)
    answers = answered(folder.records())
    place = labels_folder(folder)
    known = read_design(place)
    grown = {}
    if known and sample > len(known.items) and any(place.glob("*.jsonl")):
        grown = spread_of(known, answers, read_people(place)[0].standing())
    design = open_design(folder, answers, sample=sample, strata=strata, seed=seed, deviations=grown)
    keys = [each.key for each in design.items]
    if adjudicate:
        people, _ = read_people(place, {each.key: each.digest for each in answers})
        disputed = set(people.disputed())
        keys = [key for key in keys if key in disputed]
        if not keys:
            raise UsageError(
                f"expected answers to settle, found none that {len(people.names)} annotators disagree on",
                help=f"ragharness label {folder.name} --as NAME",
            )
    wanted = set(keys)
    records = {
        (each.question, each.epoch): each
        for each in folder.records()
        if (each.question, each.epoch) in wanted
    }
    return Labelling(place, annotator, keys, records, grading, adjudicate=adjudicate)


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
