"""Runs side by side as tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragharness.comparing.compare import OUTCOMES
from ragharness.records import BUCKETS
from ragharness.reports.sections import Section, limits, p_value
from ragharness.reports.text import counted, duration, milliseconds, money, rate
from ragharness.scores.metrics import metrics
from ragharness.scores.schema import ROW_NAMES

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ragharness.comparing.compare import Against, Column, Comparison

_SHOWN = 40
"""Flips that are listed; JSON has all."""


def compare_sections(found: Comparison, most: int = _SHOWN) -> list[Section]:
    """Return the runs, what differs, what came out, and each run against the first."""
    columns = found.columns
    letters = [each.letter for each in columns]
    named = [(each.letter, each.run, each.pipeline, each.retriever, ", ".join(each.tags)) for each in columns]
    settings = [(name, *values) for name, values in found.settings.items()]
    warnings = [f"DIFFERENT GRADING OR EPOCHS, so read with care: {each}." for each in found.warnings]
    return [
        Section("Runs", warnings, ("", "run", "pipeline", "retriever", "tags"), named, frozenset(range(5))),
        *(
            [Section("Settings that differ", (), ("", *letters), settings, frozenset(range(9)))]
            if settings
            else []
        ),
        Section("What came out", (), ("", *letters), _outcomes(columns)),
        Section("As desired, by question type", (), ("", *letters), _rows(columns)),
        Section("Metrics", (), ("", *letters, "better"), _metrics(columns)),
        Section("Time and cost", (), ("", *letters), _effort(columns)),
        *(section for each in found.against for section in _against(each, most)),
    ]


def _each(name: str, columns: Sequence[Column], cell: Callable[[Column], str]) -> Sequence[str]:
    return name, *map(cell, columns)


def _outcomes(columns: Sequence[Column]) -> list[Sequence[str]]:
    return [
        _each("questions", columns, lambda each: str(each.questions)),
        *(_each(name, columns, lambda each, name=name: str(each.buckets[name])) for name in BUCKETS),  # type: ignore[misc]
        _each("not graded", columns, lambda each: str(each.not_graded)),
        _each("as desired", columns, lambda each: counted(each.as_desired)),
        _each("unacceptable", columns, lambda each: counted(each.unacceptable)),
    ]


def _rows(columns: Sequence[Column]) -> list[Sequence[str]]:
    names = dict.fromkeys(name for each in columns for name in each.rows)
    return [
        _each(
            ROW_NAMES[name],
            columns,
            lambda each, name=name: f"{each.rows[name].count}/{each.rows[name].n} {rate(each.rows[name])}",  # type: ignore[misc]
        )
        for name in names
    ]


def _metrics(columns: Sequence[Column]) -> list[Sequence[str]]:
    rows: list[Sequence[str]] = []
    for part in ("axes", "retrieval"):
        for metric in metrics(part):
            label = (metric.short or metric.label).format(top="retrieved", at_k="")
            values = [each.metrics[metric.name] for each in columns]
            told = ["n/a" if value is None else f"{value:.3f}".removesuffix(".000") for value in values]
            rows.append((label, *told, "higher" if metric.higher_is_better else "lower"))
    return rows


def _effort(columns: Sequence[Column]) -> list[Sequence[str]]:
    def median(each: Column) -> str:
        return "n/a" if each.median_seconds is None else milliseconds(each.median_seconds)

    return [
        _each("wall time", columns, lambda each: duration(each.seconds)),
        _each("median call", columns, median),
        _each("cost", columns, lambda each: money(each.cost) or "not reported"),
        _each("tokens", columns, lambda each: "not reported" if each.tokens is None else f"{each.tokens:,}"),
    ]


def _against(found: Against, most: int) -> list[Section]:
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
    flows = [(was, *(str(found.flows[was][now] or "") for now in OUTCOMES)) for was in OUTCOMES]
    flips = [
        ("worse" if each.worse else "", each.question, ROW_NAMES[each.row], each.was, each.now)
        for each in found.flips[:most]
    ]
    more = len(found.flips) - len(flips)
    told = [f"Questions that came out otherwise: {len(found.flips)}{f', {more} not shown' if more else ''}."]
    return [
        Section(
            f"{pair}: shares of all questions, paired",
            (),
            ("share of", "gained", "lost", "points", "95% CI", "p"),
            changes,
        ),
        Section(f"{pair}: from (rows) to (columns)", (), ("", *OUTCOMES), flows),
        Section(
            f"{pair}: questions that flipped, worse first",
            told,
            ("", "question", "type", "A", found.letter),
            flips,
            frozenset(range(5)),
        ),
    ]
