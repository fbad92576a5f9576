"""Labels with the run whose answers they are of."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ragharness.calibration.correcting import Pair, weights
from ragharness.calibration.note import Disagreement
from ragharness.errors import RunNotUsable
from ragharness.labelling import answered, read_design, read_people
from ragharness.store import RunFolder

if TYPE_CHECKING:
    from pathlib import Path

    from ragharness.labelling import Answered, Design, Label, People
    from ragharness.store.lines import Key

REVIEW = "needs_review"


class Source(NamedTuple):
    """Labels, and the run whose answers they are of."""

    folder: RunFolder
    answers: list[Answered]
    design: Design | None
    people: People
    standing: dict[Key, Label]
    stale: int


def read_source(folder: RunFolder, answers: list[Answered], place: Path) -> Source:
    """Return the labels in a file or folder with their run; raises RunNotUsable, UsageError."""
    home = place if place.is_dir() else place.parent
    design = read_design(home)
    if design is not None and design.created != folder.run.created:
        if not (home.parent / "run.json").is_file():
            raise RunNotUsable(
                f"expected the labels in {place} within the folder of their run {design.run}, found none:"
                " its verdicts say what the grader makes of labelled answers",
                help="put the labels back into runs/RUN/labels",
            )
        folder = RunFolder.open(home.parent)
        answers = answered(folder.records())
    digests = {each.key: each.digest for each in answers}
    people, stale = read_people(place, digests)
    sampled = {each.key for each in design.items} if design else digests.keys()
    standing = {key: label for key, label in people.standing().items() if key in sampled}
    return Source(folder, answers, design, people, standing, stale)


def pairs_of(source: Source) -> list[Pair]:
    """Return people's bucket and the grader's of each labelled answer, with its weight."""
    strata = {each.key: each.stratum for each in source.design.items} if source.design else {}
    outcomes = {each.key: each.outcome for each in source.answers}
    keys = [key for key in outcomes if key in source.standing]
    drawn = [strata.get(key, "all") for key in keys]
    heavy = weights(source.design, drawn) if source.design else [1.0] * len(keys)
    return [
        Pair(bucket, outcomes[key], stratum, weight)
        for key, stratum, weight in zip(keys, drawn, heavy, strict=True)
        if (bucket := source.standing[key].bucket) is not None
    ]


def unlabelled(source: Source) -> list[str]:
    """Return the questions of the sample without a label that stands, in the order of labelling."""
    items = source.design.items if source.design else ()
    return [each.question for each in items if each.key not in source.standing]


def disagreements(source: Source) -> list[Disagreement]:
    """Return the answers on which people and the grader differ, those about *wrong* first, reviews last."""
    asked = {each.id: each for each in source.folder.each_question()}
    found = []
    for record in source.folder.records():
        label = source.standing.get((record.question, record.epoch))
        outcome = (record.verdict and record.verdict.bucket) or REVIEW
        if label is None or label.bucket is None or label.bucket == outcome or record.answer is None:
            continue
        question, verdict = asked[record.question], record.verdict
        found.append(
            Disagreement(
                question=record.question,
                epoch=record.epoch,
                asked=question.text,
                gold=" | ".join(question.answers) or "none",
                answer=record.answer.text,
                people=label.bucket,
                comment=label.comment,
                grader=outcome,
                reason=verdict.reason if verdict else "",
                why=verdict.why if verdict else "",
            )
        )
    return sorted(found, key=_worst_first)


def _worst_first(each: Disagreement) -> tuple[bool, bool, str, int]:
    return each.grader == REVIEW, "wrong" not in (each.people, each.grader), each.question, each.epoch
