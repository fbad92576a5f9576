"""Two or more runs side by side: what differs, what came out, and which questions flipped."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import Any

from msgspec import Struct, to_builtins

from ragharness.analysis.intervals import paired_interval, sign_test
from ragharness.analysis.scores import Scores
from ragharness.analysis.scoring import score_folder
from ragharness.analysis.sides import Side, differences, read_side, settle
from ragharness.errors import NotComparable, UsageError
from ragharness.records import BUCKETS
from ragharness.runner.run_folder import RunFolder

FORMAT = 1
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
UNGRADED = "ungraded"
OUTCOMES = (*BUCKETS, UNGRADED)
_BADNESS = {"correct": 1, "refused": 1, UNGRADED: 2, "unsupported": 3, "wrong": 4}  # where not desired
_HASH = re.compile(r"\A([0-9a-f]{12})[0-9a-f]{20,}\Z")  # its first characters are shown
_MOVES = {
    **{bucket: (bucket,) for bucket in ("wrong", "unsupported", "correct", "refused")},
    "unacceptable": ("wrong", "unsupported"),
}


class Change(Struct, frozen=True, kw_only=True):
    """How the share of one outcome moved, over questions graded in both runs."""

    outcome: str
    gained: int  # questions that have it in the candidate only
    lost: int  # questions that have it in the base only
    difference: float | None  # candidate's share less the base's; null without questions
    newcombe: tuple[float, float] | None
    p: float  # exact McNemar, two-sided


class Flip(Struct, frozen=True):
    """A question that came out otherwise."""

    question: str
    row: str
    wanted: str
    was: str
    now: str
    worse: bool


class Against(Struct, frozen=True, kw_only=True):
    """One run against the first."""

    letter: str
    changes: list[Change]
    flips: list[Flip]  # worse first
    flows: dict[str, dict[str, int]]  # questions by their outcome in the first run, then in this one


class Comparison(Struct, frozen=True, kw_only=True):
    """Runs side by side: the JSON of ``ragharness compare``."""

    format: int = FORMAT
    runs: dict[str, Scores]  # by letter, A first: the scores of each, as ``run --json`` prints them
    settings: dict[str, list[str]]  # settings that differ, a value for each run
    warnings: list[str]
    against: list[Against]


def compare(folders: Sequence[RunFolder]) -> Comparison:
    """Runs side by side, the others against the first; raises NotComparable, UsageError for one alone."""
    if not 2 <= len(folders) <= len(LETTERS):
        message = f"expected 2 to {len(LETTERS)} runs, found {len(folders)}"
        raise UsageError(message, help="ragharness compare RUN RUN")
    lettered = dict(zip(LETTERS, folders, strict=False))
    first, *others = lettered.items()
    warnings = [phrase for pair in others for phrase in _warnings(first[1], *pair)]
    base = read_side(first[1])
    return Comparison(
        runs={letter: score_folder(folder) for letter, folder in lettered.items()},
        settings=_differing([folder.run.settings for folder in folders]),
        warnings=warnings,
        against=[_against(letter, base, read_side(folder, base)) for letter, folder in others],
    )


def _warnings(first: RunFolder, letter: str, folder: RunFolder) -> list[str]:
    """What makes two runs hard to compare; raises NotComparable where it is impossible."""
    found = differences(first.run, folder.run)
    fatal = [told for name, told in found.items() if name in ("question_set", "corpus")]
    if fatal:
        told = "; ".join(fatal).replace("the base", first.name).replace("the candidate", folder.name)
        advice = "run both pipelines with the same --corpus, --questions and --size"
        raise NotComparable(f"expected runs on the same questions, found {told}", help=advice)
    return [told.replace("the base", "A").replace("the candidate", letter) for told in found.values()]


def _against(letter: str, base: Side, other: Side) -> Against:
    flips, flows = [], Counter[tuple[str, str]]()
    for name, asked in base.asked.items():
        was, now = _outcome(base, name), _outcome(other, name)
        flows[was, now] += 1
        if was != now:
            before, after = (0 if outcome == asked.wanted else _BADNESS[outcome] for outcome in (was, now))
            flip = Flip(name, asked.row, asked.wanted, was, now, after > before)
            flips.append((before - after, -after, flip))
    return Against(
        letter=letter,
        changes=[_change(outcome, buckets, flows) for outcome, buckets in _MOVES.items()],
        flips=[flip for _, _, flip in sorted(flips, key=lambda each: each[:2])],
        flows={was: {now: flows[was, now] for now in OUTCOMES} for was in OUTCOMES},
    )


def _change(outcome: str, buckets: tuple[str, ...], flows: Counter[tuple[str, str]]) -> Change:
    """One outcome's move over the questions that are graded in both runs."""
    counts = Counter[tuple[bool, bool]]()
    for (was, now), times in flows.items():
        if UNGRADED not in (was, now):
            counts[was in buckets, now in buckets] += times
    gained, lost, n = counts[False, True], counts[True, False], counts.total()
    interval = paired_interval(counts[True, True], gained, lost, counts[False, False])
    return Change(
        outcome=outcome,
        gained=gained,
        lost=lost,
        difference=(gained - lost) / n if n else None,
        newcombe=interval if n else None,
        p=sign_test(lost, gained),
    )


def _outcome(side: Side, name: str) -> str:
    buckets = settle(side.marks[name], "majority").buckets
    return next(iter(buckets)) if len(buckets) == 1 else UNGRADED


def _differing(settings: Sequence[Any]) -> dict[str, list[str]]:
    """Settings that are not the same in all runs, those of pipelines and retrievers one by one."""
    flat = []
    for each in settings:
        values: dict[str, str] = {}
        for name, value in to_builtins(each).items():
            inner = value if isinstance(value, dict) else {"": value}
            values |= {f"{name} {key}".strip().replace("_", " "): str(one) for key, one in inner.items()}
        flat.append(values)
    names = dict.fromkeys(name for values in flat for name in values)
    return {
        name: [_HASH.sub(r"\1", values.get(name, "")) for values in flat]
        for name in names
        if len({values.get(name, "") for values in flat}) > 1
    }
