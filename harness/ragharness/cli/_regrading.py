"""Regrades a run, for ``ragharness grade``."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ragharness.graders import Grader
    from ragharness.records import Record

_LISTED = 20
"""Changed verdicts that are named; the rest is counted."""


def grade_run(
    run: str, grader: Grader, *, source: str = "", offline: bool = False, as_json: bool = False
) -> None:
    """Give every answer of a run the verdict of a grader of today, and print what changed and the report."""
    from ragharness.cli._console import print_scores, results_only
    from ragharness.console import Live
    from ragharness.results import count
    from ragharness.runner import ground_of, regrade_folder
    from ragharness.store import find_run

    live = Live()
    folder = find_run(run)
    ground = ground_of(folder, source=source, offline=offline, grader=grader)
    folder, changed = regrade_folder(folder, ground)
    live.say(_summary(changed))
    scores = count(folder, ground, cache=False)
    with results_only() as output:
        print_scores(scores, output, as_json=as_json, reference=run)


def _summary(changed: list[tuple[Record, Record]]) -> str:
    from ragharness.runner import came_out

    lines = [f"{len(changed)} verdicts changed"]
    lines += [
        f"  {before.question}  {came_out(before)} -> {came_out(after)}" for before, after in changed[:_LISTED]
    ]
    more = len(changed) - _LISTED
    return "\n".join([*lines, *([f"  and {more} more"] if more > 0 else [])])
