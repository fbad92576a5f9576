"""Runs side by side, and the cells and axes of a matrix, as tables."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ragharness.analysis.compare import OUTCOMES, Against, Comparison
from ragharness.analysis.matrix import Effect, Matrix, MatrixCell
from ragharness.analysis.metrics import PARTS
from ragharness.analysis.scores import ROW_NAMES, Scores
from ragharness.records import BUCKETS
from ragharness.reports import words
from ragharness.reports.text import Section, counted, duration, limits, milliseconds, money, p_value, rate

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
    for part in PARTS:
        for metric, _ in words.measured(runs[0], part):
            name = (metric.short or metric.name.replace("_", " ")).format(top="retrieved", at_k="")
            values = [
                _cell(words.figure(metric, getattr(scores, part).get(metric.name)).partition(",")[0], runs)
                for scores in runs
            ]
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


def plan_sections(found: Matrix) -> list[Section]:
    """Return what is left to ask of each cell and what that costs at most."""
    axes = list(found.axes)
    rows = [
        (str(number), *(each.values[axis] for axis in axes), *_left(each))
        for number, each in enumerate(found.cells, 1)
    ]
    left = [each for each in found.cells if each.calls]
    calls, known = (
        sum(each.calls or 0 for each in left),
        [each.cost for each in left if each.cost is not None],
    )
    cost = f"at most {money(sum(known))}" if known else "cost not known"
    if known and len(known) < len(left):
        cost += f" for {len(known)} of {len(left)} cells; of the others it is not known"
    told = f"{len(left)} of {len(found.cells)} cells are left to ask: {calls} calls, {cost}."
    if not left:
        told = "Nothing is left to ask."
    heads = ("", *axes, "calls", "cost at most")
    return [Section("Cells", (told,), heads, rows, frozenset(range(1, len(axes) + 1))), *_errors(found)]


def _left(cell: MatrixCell) -> tuple[str, str]:
    if cell.calls is None:
        return "cannot begin", ""
    return (str(cell.calls), money(cell.cost) or "not known") if cell.calls else ("0", "")


def matrix_sections(found: Matrix) -> list[Section]:
    """Return how far each axis moves the buckets, every cell, each effect, and the cells without a result."""
    axes = list(found.axes)
    cells = [
        (str(number), *(each.values[axis] for axis in axes)) for number, each in enumerate(found.cells, 1)
    ]
    missing = sum(not each.result for each in found.cells)
    told = [f"{missing} of {len(found.cells)} cells have no result: see the end."] if missing else []
    runs = [(str(number), each.run) for number, each in enumerate(found.cells, 1) if each.run]
    return [
        Section(told=(matrix_headline(found),)),
        *([Section(told=told, tone="bad")] if missing else []),
        *([_moves(found.effects)] if found.effects else []),
        Section("Cells", (), ("", *axes), cells, frozenset(range(1, len(axes) + 1))),
        _cells_came_out(found.cells),
        *map(_effect, found.effects),
        *([Section("Runs", (), ("", "folder"), runs, frozenset({0, 1}))] if runs else []),
        *_errors(found),
        Section(told=(matrix_headline(found),)),
    ]


def matrix_headline(found: Matrix) -> str:
    """Return in a sentence which axis moves the buckets most, and how far the next one does."""
    if not found.effects:
        return "Nothing to compare: no two cells that differ in one axis have graded answers."
    first = found.effects[0]
    told = f"{first.axis[:1].upper()}{first.axis[1:]} moves the buckets most: {_points(first.moved)} points"
    told += f" ({first.base} to {first.value})"
    others = {each.axis: each for each in reversed(found.effects) if each.axis != first.axis}
    if not others:
        return f"{told}."
    second = max(others.values(), key=lambda each: each.moved)
    told += f", {second.axis} {_points(second.moved)} ({second.base} to {second.value})"
    low = second.less_interval[0] if second.less_interval else 0.0
    return f"{told}; the difference {'is clear' if low > 0 else 'may be chance'}."


def _moves(effects: Sequence[Effect]) -> Section:
    rows = [
        (
            each.axis,
            each.base,
            each.value,
            _points(each.moved),
            _span(each.interval),
            _points(each.less) if each.less_interval else "",
            limits(each.less_interval),
        )
        for each in effects
    ]
    told = (
        "Points: answers of 100 that are in another bucket on balance, all other axes being equal. A"
        " distance is never below 0, so its interval is no test; those of the single buckets are."
    )
    heads = ("axis", "from", "to", "points", "95% CI", "less by", "95% CI")
    return Section("How far each axis moves the buckets", (told,), heads, rows, frozenset({0, 1, 2}))


def _cells_came_out(cells: Sequence[MatrixCell]) -> Section:
    rows = []
    for number, each in enumerate(cells, 1):
        scores = each.scores
        if scores is None:
            rows.append((str(number), *[""] * (len(BUCKETS) + 4), "no run"))
            continue
        unacceptable = scores.intervals.unacceptable
        most = "" if unacceptable.most == unacceptable.count else f" to {unacceptable.most}"
        rows.append(
            (
                str(number),
                *(str(scores.buckets[bucket]) for bucket in BUCKETS),
                str(scores.ungraded),
                f"{scores.desired.total.count}/{scores.desired.total.n}",
                f"{unacceptable.count}{most}",
                money(scores.spending.cost),
                "" if each.result else "no result",
            )
        )
    heads = ("", *BUCKETS, "ungraded", "desired", "unaccept.", "cost", "")
    return Section("What came out", (), heads, rows, frozenset({0, len(heads) - 1}))


def _effect(found: Effect) -> Section:
    rows = [
        (each.bucket, f"{100 * each.difference:+.1f}", limits(each.interval), p_value(each.p))
        for each in found.changes
    ]
    told = (
        f"{found.pairs} {'pair' if found.pairs == 1 else 'pairs'} of cells, {found.n} pairs of answers about"
        f" {found.documents} documents."
    )
    title = f"{found.axis}: {found.value} against {found.base}"
    return Section(title, (told,), ("share of", "points", "95% CI by document", "p"), rows)


def _errors(found: Matrix) -> list[Section]:
    cells: dict[str, list[str]] = {}
    for number, each in enumerate(found.cells, 1):
        if told := each.error or (each.scores.sentence if each.scores and not each.result else ""):
            cells.setdefault(told, []).append(str(number))
    sentences = [f"Cell{'s' * (len(ns) > 1)} {', '.join(ns)}: {each}" for each, ns in cells.items()]
    return [Section("Without a result", sentences, tone="bad")] if sentences else []


def _points(share: float) -> str:
    return f"{100 * share:.1f}"


def _span(found: tuple[float, float]) -> str:
    return f"[{100 * found[0]:.1f},{100 * found[1]:.1f}]"
