"""``Label``: what one person says of one answer, and the append-only files that keep it."""

from __future__ import annotations

import os
from hashlib import blake2b
from typing import TYPE_CHECKING, NamedTuple

import msgspec
from msgspec import Struct

from ragharness.errors import UsageError
from ragharness.records import Bucket, YesNo
from ragharness.store.disk import disk
from ragharness.store.lines import UNREADABLE, Key, line_of, mend, open_to_append, write_whole
from ragharness.store.search import slug

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from ragharness.records import Record
    from ragharness.store import RunFolder

FOLDER = "labels"
"""The folder of a run that holds its sample and a file for each annotator."""

ADJUDICATED = "adjudicated"
"""The name of the file that settles disagreements."""

MOST_QUALITY = 3
LONGEST_COMMENT = 4000


class Label(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One line of an annotator's file; the last line about an answer stands."""

    question: str
    epoch: int = 0
    bucket: Bucket | None = None
    """None: the answer was skipped, or its label taken back."""
    skipped: bool = False
    citation_supports: YesNo | None = None
    refusal_quality: int | None = None
    extra_claim_count: int | None = None
    comment: str = ""
    by: str
    at: str = ""
    answer: str = ""
    """A digest of the answer's text: the label is of this answer, not of one that came later."""

    @property
    def key(self) -> Key:
        """The answer that it is about."""
        return self.question, self.epoch


class Answered(NamedTuple):
    """One answer of a run that people can label."""

    key: Key
    row: str
    outcome: str
    """The grader's bucket, or ``needs_review``."""
    digest: str


_LABEL = msgspec.json.Decoder(Label)


def digest_of(text: str) -> str:
    """Return the digest by which a label knows its answer."""
    return blake2b(text.encode("utf-8", "replace"), digest_size=8).hexdigest()


def answered(records: Iterable[Record]) -> list[Answered]:
    """Return the answers with a text of a run, by question and epoch: what a sample is drawn from."""
    found = [
        Answered(
            (each.question, each.epoch),
            each.row,
            (each.verdict and each.verdict.bucket) or "needs_review",
            digest_of(each.answer.text),
        )
        for each in records
        if each.answer is not None and each.answer.text.strip()
    ]
    return sorted(found, key=lambda each: each.key)


def labels_folder(folder: RunFolder) -> Path:
    """Return where the labels of a run lie."""
    return folder.path / FOLDER


def path_of(folder: Path, annotator: str) -> Path:
    """Return the file of an annotator; raises UsageError for a name that no file can have."""
    name = slug(annotator, "")
    if not name:
        raise UsageError(f"expected a name with letters or digits, found {annotator!r}", help="--as NAME")
    return folder / f"{name}.jsonl"


def read_labels(path: Path) -> dict[Key, Label]:
    """Return the labels of one file as they stand, skipped ones and those taken back included.

    A torn last line counts as not written. Raises UsageError with the line that cannot be read.
    """
    with disk(path, "read"):
        *lines, _ = path.read_bytes().split(b"\n")
    found: dict[Key, Label] = {}
    number = 0
    try:
        for number, line in enumerate(lines, start=1):  # noqa: B007
            label = _LABEL.decode(line)
            # The latest comes last, so that undoing takes it back first.
            found.pop(label.key, None)
            found[label.key] = label
    except UNREADABLE as error:
        raise UsageError(
            f"expected a label in line {number} of {path}, found: {error}",
            help="remove that line; its answer is then shown again",
        ) from error
    return found


def append_label(path: Path, label: Label) -> None:
    """Write one label so that it is on the disk when this returns; raises StorageError."""
    with disk(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        mend(path, _LABEL)
        file = open_to_append(path)
        try:
            write_whole(file, line_of(label))
            os.fsync(file)
        finally:
            os.close(file)
