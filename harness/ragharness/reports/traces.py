"""Traces against a gold set as tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragharness.reports.tables import Section
from ragharness.reports.text import counted
from ragharness.scores.values import share

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ragharness.reports.text import Tone
    from ragharness.traces import Rate, TraceScores

_NAMED = 8
"""Questions that are named; JSON has all."""

_SAID: dict[str, tuple[str, Tone]] = {
    "pass": ("Passes: every gate holds", "good"),
    "fail": ("Does not pass", "bad"),
    "open": ("Not a result", "unclear"),
}


def trace_sections(found: TraceScores) -> list[Section]:
    """Return the verdict, the rates beside their gates, and the questions that count in none of them."""
    said, tone = _SAID[found.verdict]
    n = found.answerable + found.unanswerable
    if found.verdict == "fail":
        missed = (each.name for each in found.gates if each.state == "fail")
        said += ": " + ", ".join(f"{name} is {_counted(found.rates[name])}" for name in missed)
    elif found.verdict == "open":
        said += f": {len(found.missing) + len(found.unread)} of {n} questions have no answer that can be read"
        said += f", {len(found.unchecked)} cannot be checked" if found.unchecked else ""
    gates = {each.name: each for each in found.gates}
    rows = [
        (name, _counted(rate), *((f"{gate.sign} {gate.limit:g}", gate.state) if gate else ("", "")))
        for name, rate in found.rates.items()
        for gate in [gates.get(name)]
    ]
    apart = (
        ("without a trace", found.missing),
        ("no answer that can be read", found.unread),
        ("nothing in the gold to check by", found.unchecked),
    )
    listed = [(what, str(len(names)), _listed(names)) for what, names in apart if names]
    if found.unknown:
        listed.append(("traces of other questions", str(found.unknown), ""))
    return [
        Section("", [said], tone=tone),
        Section(
            "",
            [f"answered {found.answered}   refused {found.refused}   of {n}, {found.answerable} answerable"],
        ),
        Section("Rates", (), ("", "of", "gate", "holds"), rows, frozenset({0, 2, 3})),
        *(
            [Section("Counted apart", (), ("", "N", "questions"), listed, frozenset({0, 2}))]
            if listed
            else []
        ),
    ]


def _counted(rate: Rate) -> str:
    return counted(share(rate.count, rate.n)) if rate.n else "n/a"


def _listed(names: Sequence[str]) -> str:
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    return ", ".join(names[:_NAMED]) + more
