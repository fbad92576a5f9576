"""The gate: may the candidate ship in the place of the base?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from ragharness.analysis.comparison.attempts import Attempts, digest_of, override, remember
from ragharness.analysis.comparison.gates import Gates, check_calibration, check_thresholds
from ragharness.analysis.comparison.information import Information, NewlyWrong, inform, newly_wrong
from ragharness.analysis.comparison.rules import RuleResult, check_rules
from ragharness.analysis.comparison.sides import Pairs, Side, common, differences, read_side
from ragharness.errors import UsageError
from ragharness.runner.run_folder import RunFolder

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
