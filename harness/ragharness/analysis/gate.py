"""The gate: may the candidate ship in the place of the base?"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from contextlib import suppress
from datetime import datetime, timezone
from typing import Literal

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from ragharness.analysis.information import Information, NewlyWrong, inform, newly_wrong
from ragharness.analysis.rules import (
    Gates,
    RuleResult,
    check_calibration,
    check_rules,
    check_thresholds,
)
from ragharness.analysis.sides import Pairs, Side, common, differences, read_side
from ragharness.errors import RagharnessError, StorageError, UsageError
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
    questions: int
    """Questions that both runs were asked: the denominator of everything."""
    epochs: int
    gates: Gates
    reasons: list[str]
    """Why it is rejected, incomplete or not comparable."""
    allowed: list[str]
    """Differences between the runs that were allowed by name."""
    buckets: dict[str, dict[str, int]] = {}
    """Questions by bucket, of the base and of the candidate."""
    rules: list[RuleResult] = []
    newly_wrong: list[NewlyWrong] = []
    settles: list[Waiting] = []
    """Answers whose grading would settle an incomplete verdict."""
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
    """Return the verdict; the attempt and an override of it are kept in the candidate's folder.

    Raises RunNotUsable for damaged runs, UsageError for thresholds of unknown figures, for one run given
    twice, and where there is nothing to override.
    """
    gates = gates or Gates()
    if base.path.resolve() == candidate.path.resolve():
        raise UsageError(f"expected two runs, found {base.name} twice", help="ragharness runs")
    first = read_side(base)
    second = read_side(candidate, first)
    thresholds = [*check_thresholds(gates, candidate), *check_calibration(gates, base, candidate)]
    found = decide(first, second, gates, thresholds)
    if (by or why) and found.verdict not in ("reject", "incomplete"):
        raise UsageError(f"expected a verdict to override, found {found.verdict!r}")
    if found.verdict == "not comparable":
        return found
    digest = digest_of(first, second, gates)
    if by or why:
        override(candidate, base.name, digest, found.verdict, by, why)
    return replace(found, attempts=remember(candidate, base.name, digest, found.verdict, record))


def decide(base: Side, candidate: Side, gates: Gates, thresholds: Sequence[RuleResult] = ()) -> Decision:
    """Return the verdict on two runs that were read: a pure function of their records."""
    differing = differences(base.run.settings, candidate.run.settings)
    allowed = [phrase for name, phrase in differing.items() if name in gates.allow]
    refused = [phrase for name, phrase in differing.items() if name not in gates.allow]
    names = list(common(base, candidate))
    if differing and not refused and not names:
        refused = ["no question was asked in both runs"]
    found = Decision(
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
        return found
    pairs = Pairs(base, candidate, gates.epochs)
    rules = [*check_rules(base, candidate, pairs, gates), *thresholds]
    verdict = verdict_of(rules)
    chosen = {"reject": False, "incomplete": None}.get(verdict, True)
    reasons = [_reason(each) for each in rules if verdict != "ship" and each.passes is chosen]
    return replace(
        found,
        verdict=verdict,
        ships=verdict == "ship",
        reasons=reasons,
        buckets=pairs.tally(),
        rules=rules,
        newly_wrong=newly_wrong(base, candidate, gates),
        settles=_settles(rules, base, candidate) if verdict == "incomplete" else [],
        ungraded={"base": len(base.ungraded()), "candidate": len(candidate.ungraded())},
        information=inform(base, candidate, gates),
    )


def verdict_of(rules: Sequence[RuleResult]) -> Verdict:
    """Return what the rules come to: one that fails rejects, one that is undecided leaves it open."""
    if any(each.passes is False for each in rules):
        return "reject"
    return "ship" if all(each.passes for each in rules) else "incomplete"


def _reason(rule: RuleResult) -> str:
    return f"{rule.rule} {rule.name}: {rule.text}"


def _settles(rules: Sequence[RuleResult], base: Side, candidate: Side) -> list[Waiting]:
    """Return the answers without a bucket on which undecided rules depend, in the order of the questions."""
    wanted = {name for rule in rules for name in rule.undecided}
    sides = (("base", base.ungraded()), ("candidate", candidate.ungraded()))
    return [
        Waiting(name, which, waiting[name])  # type: ignore[arg-type]
        for name in base.asked
        if name in wanted
        for which, waiting in sides
        if name in waiting
    ]


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
