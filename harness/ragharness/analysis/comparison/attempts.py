"""What a run's folder remembers of the gate: attempts at it as a candidate, and overrides of the verdict.

``gate.jsonl`` lies in the candidate's folder and is only ever appended to.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import suppress
from datetime import datetime, timezone
from typing import Literal

import msgspec
from msgspec import Struct

from ragharness.analysis.comparison.gates import Gates
from ragharness.analysis.comparison.sides import Side
from ragharness.errors import RagharnessError, StorageError, UsageError
from ragharness.runner.run_folder import RunFolder
from ragharness.support.files import read_plain

NAME = "gate.jsonl"


class Entry(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One line: a verdict on these records, or an override of it."""

    kind: Literal["attempt", "override"]
    when: str
    base: str
    digest: str
    """Of both runs' graded answers and the gates: where any of them differs, it is another attempt."""
    verdict: str
    who: str = ""
    """Who ships in spite of the verdict, and why; empty for an attempt."""
    why: str = ""


class Attempts(Struct, frozen=True, kw_only=True):
    """Which attempt at the same pipeline on the same questions this is."""

    number: int
    same_settings: int
    """Of them with the same settings: the same candidate, asked again."""
    overrides: list[Entry]
    """Those of this very verdict."""
    note: str = ""
    """Why this attempt could not be recorded."""


def digest_of(base: Side, candidate: Side, gates: Gates) -> str:
    """Return a digest of what the verdict rests on; the order of the records does not matter."""
    found = hashlib.sha256(msgspec.json.encode(gates))
    for side in (base, candidate):
        found.update(msgspec.json.encode((side.run.created, side.run.settings)))
        for each in side.marks.items():
            found.update(msgspec.json.encode(each))
    return found.hexdigest()[:16]


def remember(folder: RunFolder, base: str, digest: str, verdict: str, record: bool = True) -> Attempts:
    """Count the attempts at a candidate in the runs beside it, and record this one where it is new."""
    note, mine = "", _entries(folder)
    if record and not any(each.digest == digest and each.kind == "attempt" for each in mine):
        entry = Entry(kind="attempt", when=_now(), base=base, digest=digest, verdict=verdict)
        try:
            _append(folder, entry)
        except StorageError as error:
            note = f"this attempt is not recorded: {error}"
        mine.append(entry)
    settings, all_of, same = folder.run.settings, {digest}, {digest}
    for other in _beside(folder):
        theirs = other.run.settings
        if (theirs.question_set, theirs.pipeline) == (settings.question_set, settings.pipeline):
            found = {each.digest for each in _entries(other)}
            all_of |= found
            same |= found if theirs == settings else set()
    return Attempts(
        number=len(all_of),
        same_settings=len(same),
        overrides=[each for each in mine if each.kind == "override" and each.digest == digest],
        note=note,
    )


def override(folder: RunFolder, base: str, digest: str, verdict: str, who: str, why: str) -> None:
    """Record that somebody ships in spite of a verdict; raises UsageError without a name or a reason."""
    if not who.strip() or not why.strip():
        raise UsageError("expected --override WHY and --by WHO, found only one of them")
    entry = Entry(
        kind="override",
        when=_now(),
        base=base,
        digest=digest,
        verdict=verdict,
        who=who.strip(),
        why=why.strip(),
    )
    _append(folder, entry)


def _append(folder: RunFolder, entry: Entry) -> None:
    folder.write(NAME, b"".join(msgspec.json.encode(each) + b"\n" for each in (*_entries(folder), entry)))


def _entries(folder: RunFolder) -> list[Entry]:
    path = folder.path / NAME
    try:
        return msgspec.json.decode(b"[" + b",".join(read_plain(path).splitlines()) + b"]", type=list[Entry])
    except FileNotFoundError:
        return []
    except (OSError, msgspec.MsgspecError) as error:
        raise StorageError(
            f"expected a readable {path}, found: {error}", help="mend its lines, or move the file away"
        ) from error


def _beside(folder: RunFolder) -> Iterator[RunFolder]:
    for path in sorted(folder.path.absolute().parent.glob(f"*/{NAME}")):
        with suppress(RagharnessError):
            yield RunFolder.open(path.parent)


def _now() -> str:
    return datetime.now(timezone.utc).isoformat(timespec="seconds")
