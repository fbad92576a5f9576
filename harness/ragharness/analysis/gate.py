"""The gate: may the candidate ship in the place of the base? And what a run's folder remembers of it.

``gate.jsonl`` lies in the candidate's folder and is only ever appended to: attempts, and overrides.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from contextlib import suppress
from datetime import datetime, timezone
from typing import Literal

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from ragharness.analysis.rules import (
    Gates,
    RuleResult,
    Statistics,
    check_calibration,
    check_citations,
    check_counts,
    check_rates,
    check_thresholds,
)
from ragharness.analysis.sides import Pairs, Side, common, differences, read_side
from ragharness.errors import RagharnessError, StorageError, UsageError
from ragharness.records import BUCKETS
from ragharness.runner.run_folder import RunFolder
from ragharness.support.files import read_plain

Verdict = Literal["ship", "reject", "incomplete", "not comparable"]
FORMAT = 1
_REPEATING = ("extractive", "refuse", "blind", "replay", "scripted")
"""Pipelines of our own whose answers are the same at every run."""


class Waiting(Struct, frozen=True):
    """An answer without a bucket on which the verdict depends."""

    question: str
    run: Literal["base", "candidate"]
    status: str


class Decision(Struct, frozen=True, kw_only=True):
    """The verdict on a candidate with everything that it rests on: the JSON of ``ragharness gate``."""

    format: int = FORMAT
    verdict: Verdict
    ships: bool
    base: str
    candidate: str
    questions: int  # questions that both runs were asked: the denominator of everything
    epochs: int
    judged_by: Literal["counts", "rates"] = "counts"
    """The rules literally, where epochs agree; or a test of rates over epochs, where they differ."""
    asked_once: bool = False  # of a pipeline that is not known to repeat itself: counts may be luck
    gates: Gates
    reasons: list[str]  # why it is rejected, incomplete or not comparable
    allowed: list[str]  # differences between the runs that were allowed by name
    buckets: dict[str, dict[str, int]] = {}  # questions by bucket, of the base and of the candidate
    rules: list[RuleResult] = []
    newly_wrong: list[NewlyWrong] = []
    settles: list[Waiting] = []  # answers whose grading would settle an incomplete verdict
    ungraded: dict[str, int] = {}
    attempts: Attempts | None = None
    statistics: Statistics | None = None  # the test that decides between rates
    wavering: dict[str, list[str]] = {}  # questions whose epochs differ, of the base and of the candidate


def gate(
    base: RunFolder,
    candidate: RunFolder,
    gates: Gates | None = None,
    *,
    record: bool = True,
    by: str = "",
    why: str = "",
) -> Decision:
    """Verdict on a candidate; the attempt and an override of it are kept in the candidate's folder.

    Raises RunNotUsable for damaged runs, UsageError for thresholds of unknown figures, for one run given
    twice, and where there is nothing to override.
    """
    gates = gates or Gates()
    if base.path.resolve() == candidate.path.resolve():
        raise UsageError(f"expected two runs, found {base.name} twice", help="ragharness runs")
    first, second, decision = judge(base, candidate, gates)
    if (by or why) and decision.verdict not in ("reject", "incomplete"):
        raise UsageError(f"expected a verdict to override, found {decision.verdict!r}")
    if decision.verdict == "not comparable":
        return decision
    digest = digest_of(first, second, gates)
    if by or why:
        who, why = by.strip(), why.strip()
        if not who or not why:
            raise UsageError("expected --override WHY and --by WHO, found only one of them")
        entry = Entry(kind="override", when=_now(), base=base.name, digest=digest, verdict=decision.verdict)
        _append(candidate, replace(entry, who=who, why=why))
    return replace(decision, attempts=remember(candidate, base.name, digest, decision.verdict, record))


def judge(base: RunFolder, candidate: RunFolder, gates: Gates) -> tuple[Side, Side, Decision]:
    """Both runs as they were read, and the verdict, of which nothing is kept; raises as ``gate`` does."""
    first = read_side(base)
    second = read_side(candidate, first)
    thresholds = [*check_thresholds(gates, candidate), *check_citations(gates, first, second)]
    thresholds += check_calibration(gates, base, candidate)
    return first, second, decide(first, second, gates, thresholds)


def decide(base: Side, candidate: Side, gates: Gates, thresholds: Sequence[RuleResult] = ()) -> Decision:
    """Verdict on two runs that were read: a pure function of their records."""
    differing = differences(base.run, candidate.run)
    allowed = [phrase for name, phrase in differing.items() if name in gates.allow]
    refused = [phrase for name, phrase in differing.items() if name not in gates.allow]
    names = list(common(base, candidate))
    if differing and not refused and not names:
        refused = ["no question was asked in both runs"]
    decision = Decision(
        verdict="not comparable",
        ships=False,
        base=base.name,
        candidate=candidate.name,
        questions=len(names),
        epochs=base.epochs,
        gates=gates,
        reasons=refused,
        allowed=allowed,
    )
    if refused:
        return decision
    wavering = {"base": base.wavering, "candidate": candidate.wavering}
    pipelines = {side.run.settings.pipeline.partition(":")[0] for side in (base, candidate)}
    repeating = gates.deterministic or pipelines.issubset(_REPEATING)
    literal = gates.deterministic or gates.epochs != "rates" or not any(wavering.values())
    settled = Pairs(base, candidate, "majority" if gates.epochs == "rates" else gates.epochs)
    if literal:
        rules, statistics = check_counts(settled, gates), None
    else:
        rules, statistics = check_rates(Pairs(base, candidate, "rates"), gates)
    rules += thresholds
    passes = {rule.passes for rule in rules}
    verdict: Verdict = "reject" if False in passes else "incomplete" if None in passes else "ship"
    deciding = [rule for rule in rules if rule.passes is (False if verdict == "reject" else None)]
    ungraded = {"base": base.ungraded(), "candidate": candidate.ungraded()}
    undecided = {name for rule in rules for name in rule.undecided if verdict == "incomplete"}
    return replace(
        decision,
        verdict=verdict,
        ships=verdict == "ship",
        judged_by="counts" if literal else "rates",
        asked_once=literal and min(base.epochs, candidate.epochs) == 1 and not repeating,
        reasons=[f"{rule.rule} {rule.name}: {rule.text}" for rule in deciding],
        buckets=settled.tally(),
        rules=rules,
        newly_wrong=newly_wrong(settled),
        settles=[
            Waiting(name, run, statuses[name])  # type: ignore[arg-type]
            for name in base.asked
            if name in undecided
            for run, statuses in ungraded.items()
            if name in statuses
        ],
        ungraded={run: len(statuses) for run, statuses in ungraded.items()},
        statistics=statistics,
        wavering=wavering,
    )


NAME = "gate.jsonl"


class Entry(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One line: a verdict on these records, or an override of it."""

    kind: Literal["attempt", "override"]
    when: str
    base: str
    digest: str
    """Of both runs' graded answers and the gates: where any of them differs, it is another attempt."""
    verdict: str
    who: str = ""  # who ships in spite of the verdict, and why; empty for an attempt
    why: str = ""


class Attempts(Struct, frozen=True, kw_only=True):
    """Which attempt at the same pipeline on the same questions this is."""

    number: int
    same_settings: int  # of them with the same settings: the same candidate, asked again
    overrides: list[Entry]  # those of this very verdict
    note: str = ""  # why this attempt could not be recorded


def digest_of(base: Side, candidate: Side, gates: Gates) -> str:
    """Digest of what the verdict rests on; the order of the records does not matter."""
    digest = hashlib.sha256(msgspec.json.encode(gates))
    for side in (base, candidate):
        for part in ((side.run.created, side.run.settings), *side.marks.items()):
            digest.update(msgspec.json.encode(part))
    return digest.hexdigest()[:16]


def remember(folder: RunFolder, base: str, digest: str, verdict: str, record: bool = True) -> Attempts:
    """Count the attempts at a candidate in the runs beside it, and record this one where it is new."""
    note, entries = "", _entries(folder)
    if record and not any(entry.digest == digest and entry.kind == "attempt" for entry in entries):
        entry = Entry(kind="attempt", when=_now(), base=base, digest=digest, verdict=verdict)
        try:
            _append(folder, entry)
        except StorageError as error:
            note = f"this attempt is not recorded: {error}"
        entries.append(entry)
    settings, attempts, same = folder.run.settings, {digest}, {digest}
    for path in sorted(folder.path.absolute().parent.glob(f"*/{NAME}")):
        with suppress(RagharnessError):
            other = RunFolder.open(path.parent)
            theirs = other.run.settings
            if (theirs.question_set, theirs.pipeline) == (settings.question_set, settings.pipeline):
                digests = {entry.digest for entry in _entries(other)}
                attempts |= digests
                same |= digests if theirs == settings else set()
    return Attempts(
        number=len(attempts),
        same_settings=len(same),
        overrides=[entry for entry in entries if entry.kind == "override" and entry.digest == digest],
        note=note,
    )


def _append(folder: RunFolder, entry: Entry) -> None:
    folder.write(NAME, b"".join(msgspec.json.encode(each) + b"\n" for each in (*_entries(folder), entry)))


def _entries(folder: RunFolder) -> list[Entry]:
    path = folder.path / NAME
    try:
        return msgspec.json.decode(b"[" + b",".join(read_plain(path).splitlines()) + b"]", type=list[Entry])
    except FileNotFoundError:
        return []
    except (OSError, msgspec.MsgspecError) as error:
        message = f"expected a readable {path}, found: {error}"
        raise StorageError(message, help="mend its lines, or move the file away") from error


def _now() -> str:
    return datetime.now(timezone.utc).isoformat(timespec="seconds")


class NewlyWrong(Struct, frozen=True, kw_only=True):
    """A question that is wrong in the candidate and was not in the base."""

    question: str
    was: str  # its bucket in the base
    base: str  # in how many epochs it was wrong, as ``1/3``
    candidate: str
    stable: bool | None
    """Whether every epoch of the candidate is wrong and none of the base; null: asked once."""


def newly_wrong(pairs: Pairs) -> list[NewlyWrong]:
    """Questions that are surely wrong in the candidate and surely were not in the base, the stable first."""
    rows = []
    for name, pair in pairs.by_question.items():
        was, now = pair.base.buckets, pair.candidate.buckets
        if now == {"wrong"} and "wrong" not in was:
            runs = (pairs.base.marks[name], pairs.candidate.marks[name])
            old, new = (sum(mark.bucket == "wrong" for mark in marks) for marks in runs)
            before, after = map(len, runs)
            rows.append(
                NewlyWrong(
                    question=name,
                    was=" or ".join(bucket for bucket in BUCKETS if bucket in was),
                    base=f"{old}/{before}",
                    candidate=f"{new}/{after}",
                    stable=None if before == after == 1 else old == 0 and new == after,
                )
            )
    return sorted(rows, key=lambda row: row.stable is False)
