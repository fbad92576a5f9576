"""Runs side by side as tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragharness.comparing.compare import OUTCOMES
from ragharness.records import BUCKETS
from ragharness.reports import words
from ragharness.reports.tables import Section, limits, p_value
from ragharness.reports.text import counted, duration, milliseconds, money, rate
from ragharness.scores.schema import ROW_NAMES

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ragharness.comparing.compare import Against, Comparison
    from ragharness.scores import Scores
    from ragharness.scores.metrics import Part

_SHOWN = 40
"""Flips that are listed; JSON has all."""

_WITH_INTERVALS = 2
"""Runs that are shown with their intervals; the JSON has them for all."""

_NONE = "not reported"


def compare_sections(found: Comparison) -> list[Section]:
    """Return the runs, what differs, what came out, and each run against the first."""
    runs, letters = list(found.runs.values()), list(found.runs)
    named = [(letter, each.run, ", ".join(words.setting(each))) for letter, each in found.runs.items()]
    settings = [(name, *values) for name, values in found.settings.items()]
    warnings = [f"DIFFERENT GRADING OR EPOCHS, so read with care: {each}." for each in found.warnings]
    return [
        Section("Runs", warnings, ("", "run", "setting"), named, frozenset({0, 1, 2})),
        *([Section("Settings that differ", (), ("", *letters), settings)] if settings else []),
        Section("What came out", (), ("", *letters), _outcomes(runs)),
        Section("As desired, by question type", (), ("", *letters), _rows(runs)),
        Section("Metrics", (), ("", *letters, "better"), _metrics(runs)),
        Section("Time and cost", (), ("", *letters), _effort(runs)),
        *(section for each in found.against for section in _against(each)),
    ]


def _cell(told: str, runs: Sequence[Scores]) -> str:
    """Return a figure with its interval, where there are few enough runs for both to fit a line."""
    return told if len(runs) <= _WITH_INTERVALS else told.split(maxsplit=1)[0]


def _each(name: str, runs: Sequence[Scores], cell: Callable[[Scores], str]) -> Sequence[str]:
    return name, *map(cell, runs)


def _outcomes(runs: Sequence[Scores]) -> list[Sequence[str]]:
    return [
        _each("questions", runs, lambda each: str(each.questions)),
        *((bucket, *(str(each.buckets[bucket]) for each in runs)) for bucket in BUCKETS),
        _each("ungraded", runs, lambda each: str(each.ungraded)),
        _each("as desired", runs, lambda each: _cell(counted(each.desired.total), runs)),
        _each("unacceptable", runs, lambda each: _cell(counted(each.intervals.unacceptable), runs)),
    ]


def _rows(runs: Sequence[Scores]) -> list[Sequence[str]]:
    first, *_ = runs
    return [
        (
            name,
            *(
                f"{share.count}/{share.n} {rate(share)}"
                for share in (each.rows[name].desired for each in runs)
            ),
        )
        for name, row in first.rows.items()
        if row.n
    ]


def _metrics(runs: Sequence[Scores]) -> list[Sequence[str]]:
    rows: list[Sequence[str]] = []
    parts: tuple[Part, ...] = ("axes", "retrieval")
    for part in parts:
        for column in zip(*(words.measured(each, part) for each in runs), strict=True):
            metric = column[0][0]
            name = (metric.short or metric.name.replace("_", " ")).format(top="retrieved", at_k="")
            values = [_cell(words.figure(metric, value).partition(",")[0], runs) for _, value in column]
            rows.append((name, *values, "higher" if metric.higher_is_better else "lower"))
    return rows


def _effort(runs: Sequence[Scores]) -> list[Sequence[str]]:
    def median(each: Scores) -> str:
        return "n/a" if each.timing.median is None else milliseconds(each.timing.median)

    def tokens(each: Scores) -> str:
        known = [each.spending.prompt_tokens, each.spending.completion_tokens]
        return _NONE if known == [None, None] else f"{sum(filter(None, known)):,}"

    return [
        _each("wall time", runs, lambda each: duration(each.seconds)),
        _each("median call", runs, median),
        _each("cost", runs, lambda each: money(each.spending.cost) or _NONE),
        _each("tokens", runs, tokens),
    ]


def _against(found: Against) -> list[Section]:
    pair = f"{found.letter} against A"
    changes = [
        (
            each.outcome,
            str(each.gained),
            str(each.lost),
            "n/a" if each.difference is None else f"{100 * each.difference:+.1f}",
            limits(each.newcombe),
            p_value(each.p),
        )
        for each in found.changes
    ]
    head = ("share of", "gained", "lost", "points", "95% CI", "p")
    flows = [(was, *(str(found.flows[was][now] or "") for now in OUTCOMES)) for was in OUTCOMES]
    flips = [
        ("worse" if each.worse else "", each.question, ROW_NAMES[each.row], each.was, each.now)
        for each in found.flips[:_SHOWN]
    ]
    more = len(found.flips) - len(flips)
    told = f"Questions that came out otherwise: {len(found.flips)}{f', {more} not shown' if more else ''}."
    heads = ("", "question", "type", "A", found.letter)
    return [
        Section(f"{pair}: paired, over questions graded in both", (), head, changes),
        Section(f"{pair}: from (rows) to (columns)", (), ("", *OUTCOMES), flows),
        Section(f"{pair}: flips, worse first", (told,), heads, flips, frozenset(range(5))),
    ]
