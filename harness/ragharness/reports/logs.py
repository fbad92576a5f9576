"""Logs without gold as tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragharness.reports.tables import Section, limits
from ragharness.reports.text import counted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ragharness.scores.production import Drift, LogScores
    from ragharness.scores.values import Share

_SAID = {
    "refused": "refused",
    "cited": "with citations, of answers given",
    "citations_exist": "citations exist: all were retrieved",
    "citations_support": "citations support their sentences",
    "uncited_claims": "with a claim that cites nothing",
}
NOT_GRADED = "Not a result: no answer is graded, as there is no gold (--gold FILE)"


def log_sections(found: LogScores, moved: Sequence[Drift] = ()) -> list[Section]:
    """Return what is not known, the rates, what is in none of them, and how they moved."""
    rates = [(said, _counted(getattr(found, name))) for name, said in _SAID.items()]
    apart = (
        ("without an answer", found.empty),
        ("not certain whether it refuses", found.unread),
        ("what was retrieved is not in the log: citations not checked", found.unknown_retrieval),
        ("cites a passage without text: support not known", found.unknown_texts),
        ("rows without a question, or of another shape", found.left_out),
    )
    sections = [
        Section("", [NOT_GRADED], tone="unclear"),
        Section("", [f"{found.answers} answer{'' if found.answers == 1 else 's'}, read as {found.format}"]),
        Section("Rates", (), ("", "of"), rates, frozenset({0})),
    ]
    if listed := [(what, str(n)) for what, n in apart if n]:
        sections.append(Section("Counted apart", (), ("", "N"), listed))
    if moved:
        rows = [
            (
                _SAID[each.name],
                _counted(each.before),
                _counted(each.after),
                limits((each.low, each.high)) if each.low is not None and each.high is not None else "n/a",
                "moved" if each.moved else "",
            )
            for each in moved
        ]
        told = f"{len(moved)} intervals of 95 % each: one in twenty moves by chance."
        head = ("", "before", "after", "points", "")
        sections.append(Section("Drift", [told], head, rows, frozenset({0, 4})))
    return sections


def _counted(rate: Share) -> str:
    return counted(rate) if rate.n else "n/a"
