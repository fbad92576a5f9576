"""What several annotators say together: their agreement, and the label that stands for each answer."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple

from ragharness.errors import UsageError
from ragharness.labelling.labels import ADJUDICATED, digest_of, labels_folder, read_labels
from ragharness.records import BUCKETS
from ragharness.statistics import Coefficient, ac1, alpha, kappa

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from ragharness.labelling.labels import Label
    from ragharness.records import Record
    from ragharness.store import RunFolder
    from ragharness.store.lines import Key

Labels = dict["Key", "Label"]


class Pair(NamedTuple):
    """Two annotators over the answers that both labelled."""

    one: str
    other: str
    n: int
    agreed: int
    kappa: Coefficient | None
    ac1: Coefficient | None


class People(NamedTuple):
    """Everybody's labels of a run."""

    by_annotator: dict[str, Labels]
    """Labels with a bucket, by annotator; those that settle disagreements are not among them."""
    adjudicated: Labels

    @property
    def names(self) -> tuple[str, ...]:
        """The annotators."""
        return tuple(self.by_annotator)

    def of(self, key: Key) -> list[Label]:
        """Return the labels of one answer, those that settle it left out."""
        return [labels[key] for labels in self.by_annotator.values() if key in labels]

    def disputed(self) -> list[Key]:
        """Return the answers that annotators put into different buckets, settled or not."""
        keys = dict.fromkeys(key for labels in self.by_annotator.values() for key in labels)
        return [key for key in keys if len({label.bucket for label in self.of(key)}) > 1]

    def open(self) -> list[Key]:
        """Return the disputed answers that nobody has settled."""
        return [key for key in self.disputed() if key not in self.adjudicated]

    def standing(self) -> Labels:
        """Return the label that stands for each answer; a disputed one has none until it is settled."""
        disputed = set(self.disputed())
        found = {
            key: label
            for labels in reversed(self.by_annotator.values())
            for key, label in labels.items()
            if key not in disputed
        }
        return found | self.adjudicated

    def alpha(self) -> float | None:
        """Return Krippendorff's alpha over the answers that two annotators or more labelled."""
        keys = dict.fromkeys(key for labels in self.by_annotator.values() for key in labels)
        return alpha([[label.bucket for label in self.of(key)] for key in keys])

    def pairs(self) -> list[Pair]:
        """Return the agreement of each two annotators who labelled an answer in common."""
        found = []
        for one, other in combinations(self.by_annotator, 2):
            first, second = self.by_annotator[one], self.by_annotator[other]
            common = [key for key in first if key in second]
            table = [[0] * len(BUCKETS) for _ in BUCKETS]
            for key in common:
                a, b = first[key].bucket, second[key].bucket
                if a is not None and b is not None:
                    table[BUCKETS.index(a)][BUCKETS.index(b)] += 1
            agreed = sum(table[place][place] for place in range(len(BUCKETS)))
            if common:
                found.append(Pair(one, other, len(common), agreed, kappa(table), ac1(table)))
        return found


def labels_told(folder: RunFolder, record: Record) -> list[str]:
    """Return what each annotator said of an answer, and how a disagreement was settled, in words."""
    place = labels_folder(folder)
    if record.answer is None or not any(place.glob("*.jsonl")):
        return []
    key = record.question, record.epoch
    people, _ = read_people(place, {key: digest_of(record.answer.text)})
    settled = [people.adjudicated[key]] if key in people.adjudicated else []
    told = [(each.by, each) for each in people.of(key)]
    told += [(f"settled by {each.by}", each) for each in settled]
    return [f"{who}: {each.bucket}" + (f" ({each.comment})" if each.comment else "") for who, each in told]


def read_people(path: Path, digests: Mapping[Key, str] | None = None) -> tuple[People, int]:
    """Return the labels in a file or in all files of a folder, and how many are left out.

    ``digests``: of the answers as they are; a label of an answer that changed since, or of none, is left out.
    Raises UsageError where there is no such file, and for lines that cannot be read.
    """
    files = sorted(path.glob("*.jsonl")) if path.is_dir() else [path]
    if not files or not files[0].is_file():
        raise UsageError(f"expected labels in {path}, found none", help="ragharness label RUN")
    stale = 0
    found: dict[str, Labels] = {}
    for file in files:
        kept: Labels = {}
        for key, label in read_labels(file).items():
            if label.bucket is not None and (digests is None or digests.get(key) == label.answer):
                kept[key] = label
            elif label.bucket is not None:
                stale += 1
        found[file.stem] = kept
    settled = found.pop(ADJUDICATED, {}) if path.is_dir() else {}
    return People(found, settled), stale
