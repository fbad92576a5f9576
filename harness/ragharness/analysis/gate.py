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

from ragharness.analysis.intervals import (
    cluster_intervals,
    false_alarm,
    fewest_significant,
    flip_rate,
    holm,
    majority_chance,
    mcnemar,
    paired_interval,
    sign_flip,
    smallest_mean,
    smallest_rise,
)
from ragharness.analysis.rules import (
    Gates,
    RuleResult,
    check_calibration,
    check_citations,
    check_rules,
    check_thresholds,
)
from ragharness.analysis.sides import Mark, Pairs, Side, common, differences, read_side, settle
from ragharness.errors import RagharnessError, StorageError, UsageError
from ragharness.records import BUCKETS
from ragharness.runner.run_folder import RunFolder
from ragharness.support.files import read_plain

Verdict = Literal["ship", "reject", "incomplete", "not comparable"]
FORMAT = 1


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
    gates: Gates
    reasons: list[str]  # why it is rejected, incomplete or not comparable
    allowed: list[str]  # differences between the runs that were allowed by name
    buckets: dict[str, dict[str, int]] = {}  # questions by bucket, of the base and of the candidate
    rules: list[RuleResult] = []
    newly_wrong: list[NewlyWrong] = []
    settles: list[Waiting] = []  # answers whose grading would settle an incomplete verdict
    ungraded: dict[str, int] = {}
    attempts: Attempts | None = None
    information: Information | None = None


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
    first = read_side(base)
    second = read_side(candidate, first)
    thresholds = [*check_thresholds(gates, candidate), *check_citations(gates, first, second)]
    thresholds += check_calibration(gates, base, candidate)
    decision = decide(first, second, gates, thresholds)
    if (by or why) and decision.verdict not in ("reject", "incomplete"):
        raise UsageError(f"expected a verdict to override, found {decision.verdict!r}")
    if decision.verdict == "not comparable":
        return decision
    digest = digest_of(first, second, gates)
    if by or why:
        override(candidate, base.name, digest, decision.verdict, by, why)
    return replace(decision, attempts=remember(candidate, base.name, digest, decision.verdict, record))


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
    pairs = Pairs(base, candidate, gates.epochs)
    rules = [*check_rules(base, candidate, pairs, gates), *thresholds]
    passes = {rule.passes for rule in rules}
    verdict: Verdict = "reject" if False in passes else "incomplete" if None in passes else "ship"
    deciding = [rule for rule in rules if rule.passes is (False if verdict == "reject" else None)]
    ungraded = {"base": base.ungraded(), "candidate": candidate.ungraded()}
    undecided = {name for rule in rules for name in rule.undecided if verdict == "incomplete"}
    return replace(
        decision,
        verdict=verdict,
        ships=verdict == "ship",
        reasons=[f"{rule.rule} {rule.name}: {rule.text}" for rule in deciding],
        buckets=pairs.tally(),
        rules=rules,
        newly_wrong=newly_wrong(base, candidate, gates),
        settles=[
            Waiting(name, run, statuses[name])  # type: ignore[arg-type]
            for name in base.asked
            if name in undecided
            for run, statuses in ungraded.items()
            if name in statuses
        ],
        ungraded={run: len(statuses) for run, statuses in ungraded.items()},
        information=inform(base, candidate, gates),
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


def override(folder: RunFolder, base: str, digest: str, verdict: str, who: str, why: str) -> None:
    """Record that somebody ships in spite of a verdict; raises UsageError without a name or a reason."""
    who, why = who.strip(), why.strip()
    if not who or not why:
        raise UsageError("expected --override WHY and --by WHO, found only one of them")
    overriding = Entry(
        kind="override", when=_now(), base=base, digest=digest, verdict=verdict, who=who, why=why
    )
    _append(folder, overriding)


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


def _now() -> str:
    return datetime.now(timezone.utc).isoformat(timespec="seconds")


POLICY = (
    "One more wrong answer can never be significant (exact McNemar p = 1): that it is rejected all the same"
    " is policy, not inference."
)


class Change(Struct, frozen=True, kw_only=True):
    """How the share of one outcome moved, over questions graded in both runs."""

    outcome: str
    gained: int  # questions that have it in the candidate only
    lost: int  # questions that have it in the base only
    difference: float | None  # candidate's share less the base's; null without questions
    newcombe: tuple[float, float] | None
    cluster: tuple[float, float] | None  # bootstrap over documents; null where no question changed
    p: float  # exact McNemar, two-sided
    mid_p: float
    p_holm: float | None  # adjusted for the other rows; null for ``wrong``, which is the primary one
    always_valid_p: float


class Quality(Struct, frozen=True, kw_only=True):
    """How the refusal quality moved, over questions refused in both runs; its grades are ordinal."""

    n: int
    difference: float | None
    cluster: tuple[float, float] | None
    p: float  # sign-flip permutation test, two-sided
    p_holm: float
    smallest: float | None  # the mean difference that so many would show with power 0.8
    base_mean: float | None  # over all refusals of the base: it also moves when other questions are refused
    candidate_mean: float | None


class Noise(Struct, frozen=True, kw_only=True):
    """How much the runs vary by themselves, from their epochs."""

    epochs: int
    base_flips: float  # the chance that two epochs of a question of the base disagree
    candidate_flips: float
    base_unstable: list[str]  # questions whose bucket differs between epochs of the base
    candidate_unstable: list[str]
    false_alarm: float  # the estimated chance that the count of wrong rises between two runs of the base
    false_alarm_once: float  # the same if each question were asked once


class NewlyWrong(Struct, frozen=True, kw_only=True):
    """A question that is wrong in the candidate and was not in the base."""

    question: str
    was: str  # its bucket in the base
    base: str  # in how many epochs it was wrong, as ``1/3``
    candidate: str
    stable: bool | None
    """Whether every epoch of the candidate is wrong and none of the base; null: asked once."""


class Information(Struct, frozen=True, kw_only=True):
    """What does not change the verdict."""

    n: int  # questions graded in both runs
    documents: int  # clusters of the bootstrap: documents asked about
    changes: list[Change]
    refusal_quality: Quality
    smallest_rise: float | None
    """The rise of the wrong rate that n questions show with power 0.8, with as many fixed as here."""
    needed: int  # newly wrong questions that would be significant, with as many fixed as here
    noise: Noise | None  # null where each question was asked once
    policy: str = POLICY


def inform(base: Side, candidate: Side, gates: Gates) -> Information:
    """Tests and intervals."""
    rule = gates.epochs
    graded: list[tuple[str, str, str]] = []
    refused: list[tuple[str, float]] = []
    for name in common(base, candidate):
        before, after = settle(base.marks[name], rule), settle(candidate.marks[name], rule)
        if len(before.buckets) == len(after.buckets) == 1:
            (was,), (now,) = before.buckets, after.buckets
            document = base.asked[name].document or name
            graded.append((document, was, now))
            if before.quality and after.quality:
                refused.append((document, after.quality[0] - before.quality[0]))
    n = len(graded)
    primary, *others = _changes(graded)
    better = primary.lost
    quality = _quality(refused, base, candidate)
    adjusted = holm([*(change.p for change in others), quality.p])
    return Information(
        n=n,
        documents=len({document for document, _, _ in graded}),
        changes=[primary, *(replace(other, p_holm=p) for other, p in zip(others, adjusted, strict=False))],
        refusal_quality=replace(quality, p_holm=adjusted[-1]),
        smallest_rise=smallest_rise(n, better / n) if n else None,
        needed=fewest_significant(better),
        noise=_noise(base, candidate, gates),
    )


def newly_wrong(base: Side, candidate: Side, gates: Gates) -> list[NewlyWrong]:
    """Questions that are surely wrong in the candidate and surely were not in the base."""
    newly = []
    for name in common(base, candidate):
        was, now = (settle(side.marks[name], gates.epochs).buckets for side in (base, candidate))
        if now == {"wrong"} and "wrong" not in was:
            old, new = (_times_wrong(side.marks[name]) for side in (base, candidate))
            before, after = (len(side.marks[name]) for side in (base, candidate))
            newly.append(
                NewlyWrong(
                    question=name,
                    was=" or ".join(bucket for bucket in BUCKETS if bucket in was),
                    base=f"{old}/{before}",
                    candidate=f"{new}/{after}",
                    stable=None if before == after == 1 else old == 0 and new == after,
                )
            )
    return newly


def _times_wrong(marks: Sequence[Mark]) -> int:
    return sum(each.bucket == "wrong" for each in marks)


_OUTCOMES: dict[str, tuple[str, ...]] = {b: (b,) for b in ("wrong", "unsupported", "correct", "refused")}
_OUTCOMES["unacceptable"] = ("wrong", "unsupported")


def _changes(graded: Sequence[tuple[str, str, str]]) -> list[Change]:
    moved = [[(now in held) - (was in held) for held in _OUTCOMES.values()] for _, was, now in graded]
    clusters = _by_cluster([document for document, _, _ in graded], moved)
    rows = []
    for place, (outcome, held) in enumerate(_OUTCOMES.items()):
        gained = sum(each[place] > 0 for each in moved)
        lost = sum(each[place] < 0 for each in moved)
        both = sum(was in held and now in held for _, was, now in graded)
        n, tests = len(graded), mcnemar(gained, lost)
        rows.append(
            Change(
                outcome=outcome,
                gained=gained,
                lost=lost,
                difference=(gained - lost) / n if n else None,
                newcombe=paired_interval(both, gained, lost, n - both - gained - lost) if n else None,
                cluster=clusters[place] if gained or lost else None,
                p=tests.exact,
                mid_p=tests.mid,
                p_holm=None,
                always_valid_p=tests.always_valid,
            )
        )
    return rows


def _by_cluster(documents: Sequence[str], moved: Sequence[Sequence[float]]) -> list[tuple[float, float]]:
    sums: dict[str, list[float]] = {}
    sizes: dict[str, int] = {}
    for document, values in zip(documents, moved, strict=True):
        held = sums.setdefault(document, [0.0] * len(values))
        sums[document] = [one + other for one, other in zip(held, values, strict=True)]
        sizes[document] = sizes.get(document, 0) + 1
    # Sorted, so that the same draw falls on the same document whatever the order of the records.
    names = sorted(sums)
    return cluster_intervals([sums[name] for name in names], [sizes[name] for name in names])


def _quality(refused: Sequence[tuple[str, float]], base: Side, candidate: Side) -> Quality:
    moved = [each for _, each in refused]
    n = len(moved)
    mean = sum(moved) / n if n else None
    spread = (sum((each - (mean or 0)) ** 2 for each in moved) / (n - 1)) ** 0.5 if n > 1 else 0.0
    clusters = _by_cluster([document for document, _ in refused], [[each] for each in moved])
    return Quality(
        n=n,
        difference=mean,
        cluster=clusters[0] if any(moved) else None,
        p=sign_flip(moved),
        p_holm=1.0,
        smallest=smallest_mean(spread, n) if spread else None,
        base_mean=_mean_quality(base),
        candidate_mean=_mean_quality(candidate),
    )


def _mean_quality(side: Side) -> float | None:
    found = [each.quality for marks in side.marks.values() for each in marks if each.quality is not None]
    return sum(found) / len(found) if found else None


def _noise(base: Side, candidate: Side, gates: Gates) -> Noise | None:
    if base.epochs == 1 or candidate.epochs == 1:
        return None
    flips, unstable = [], []
    for side in (base, candidate):
        seen = {name: [mark.bucket for mark in marks] for name, marks in side.marks.items()}
        flips.append(sum(map(flip_rate, seen.values())) / len(seen) if seen else 0.0)
        unstable.append([name for name, buckets in seen.items() if len(set(buckets)) > 1])
    epochs = base.epochs
    chances = [_times_wrong(marks) / epochs for marks in base.marks.values()]
    wavering = [each for each in chances if 0 < each < 1]
    return Noise(
        epochs=epochs,
        base_flips=flips[0],
        candidate_flips=flips[1],
        base_unstable=unstable[0],
        candidate_unstable=unstable[1],
        false_alarm=false_alarm(
            majority_chance(each, epochs) if gates.epochs == "majority" else 1 - (1 - each) ** epochs
            for each in wavering
        ),
        false_alarm_once=false_alarm(wavering),
    )
