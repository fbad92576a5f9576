"""The report for a terminal: 80 columns, ASCII, one accent colour, on the DESIRED column only."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragharness.records import BUCKETS
from ragharness.reports import words
from ragharness.reports.findings import findings
from ragharness.reports.formats import WIDTH
from ragharness.reports.text import accented, flow, interval, one_line, rate
from ragharness.scores.schema import ROW_NAMES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ragharness.scores import Scores


def render(scores: Scores, *, width: int = WIDTH, colour: bool = False, reference: str = "") -> str:
    """Return the whole report, ending with a line break.

    Under 80 columns the ungraded column becomes a note, then the intervals go; names never do.
    """
    width = min(width, WIDTH)
    parts = [
        _heading(scores, width),
        _headline(scores, width),
        _table(scores, width, colour),
        findings(scores, width, wide=width >= WIDTH),
        _next(scores, width, reference),
    ]
    return "\n\n".join("\n".join(part) for part in parts if part) + "\n"


def _heading(scores: Scores, width: int) -> list[str]:
    asked = words.asked(scores)
    warning = words.no_result(scores)
    run = [f"ragharness {scores.versions.ragharness}", f"run {scores.run}"]
    what = [*map(one_line, words.setting(scores)), asked, words.was_graded(scores), *words.effort(scores)]
    told = [*flow(run, width, gap="  "), *flow(what, width, gap="  ")]
    return [warning, "", *told] if warning else told


def _headline(scores: Scores, width: int) -> list[str]:
    bad, wanted = scores.intervals.unacceptable, scores.wanted
    pairs = [
        (
            f"unacceptable  {_unacceptable(scores)}",
            (
                f"wrong {scores.buckets['wrong']}  unsupported {scores.buckets['unsupported']}  "
                f"not graded {scores.not_graded}"
            ),
        ),
        (
            (
                f"as desired    {_of(wanted.total.count, wanted.total.n)}  {rate(wanted.total)} "
                f"{interval(wanted.total)}"
            ),
            "in brackets: 95% confidence intervals",
        ),
        (
            f"  should answer {_share(scores, 'answer')}",
            f"should refuse {_share(scores, 'refusal')}",
        ),
    ]
    lines = _side_by_side(pairs, width)
    lines += flow(_others(scores), width, "  baselines     ", "  ")
    if "unacceptable" in scores.intervals.at_most and not scores.not_graded:
        limit = 100 * scores.intervals.at_most["unacceptable"]
        text = f"none of {bad.n} was unacceptable: the true rate may still be up to {limit:.1f}%"
        lines += flow(text.split(" "), width, "  ", " ")
    return lines


def _unacceptable(scores: Scores) -> str:
    bad = scores.intervals.unacceptable
    if words.no_result(scores):
        # A rate of what was graded would make the ungraded look acceptable.
        return f"{bad.count} to {bad.count + scores.not_graded} of {bad.n}"
    return f"{_of(bad.count, bad.n)}  {rate(bad)} {interval(bad)}"


def _others(scores: Scores) -> list[str]:
    """Return the answers as desired that the baselines reach, and the best possible count."""
    others = scores.references
    blind = "n/a" if others.blind is None else others.blind
    base = words.compared(scores)
    return [
        *([base] if base else []),
        f"always refusing {others.refuse}",
        f"blind (no documents) {blind}",
        f"best possible {others.best_possible}",
    ]


def _of(count: int, n: int) -> str:
    return f"{count:>{len(str(n))}} of {n}"


def _share(scores: Scores, which: str) -> str:
    share = getattr(scores.wanted, which)
    return f"{share.count:>2}/{share.n}  {rate(share)} {interval(share)}".rstrip()


def _side_by_side(pairs: Sequence[tuple[str, str]], width: int) -> list[str]:
    """Return two columns if both fit, else the second below the first."""
    size = max(len(left) for left, _ in pairs)
    if max(size + 2 + len(right) for _, right in pairs) <= width:
        size = max(size, 38)
        return [f"{left:<{size}}  {right}" for left, right in pairs]
    return [line for left, right in pairs for line in (left, f"  {right.strip()}")]


def _table(scores: Scores, width: int, colour: bool) -> list[str]:
    for ungraded, intervals in ((True, True), (False, True), (False, False)):
        rows = _cells(scores, ungraded, intervals)
        lines = _columns(rows, colour=False)
        if max(map(len, lines)) <= width:
            break
    lines = _columns(rows, colour=colour)
    if not ungraded and scores.not_graded:
        counts = [
            f"{row.not_graded} in row {ROW_NAMES[name]}"
            for name, row in scores.by_target.items()
            if row.not_graded
        ]
        lines += flow(counts, width, "not graded   ", ", ")
    legend = [
        "* = desired outcome.",
        "N = questions asked; ungraded answers count as misses.",
        *(
            [f"n<{words.FEW * scores.epochs}: too few questions to decide."]
            if intervals and _has_few(scores)
            else []
        ),
    ]
    return [*lines, *flow(legend, width, gap=" ")]


def _has_few(scores: Scores) -> bool:
    return any(words.few(row.n, scores) for row in scores.by_target.values())


def _cells(scores: Scores, ungraded: bool, intervals: bool) -> list[list[str]]:
    head = ["QUESTION TYPE", "N", "correct", "wrong", "unsupp", "refused"]
    head += (["ungraded"] if ungraded else []) + ["DESIRED"] + (["95% CI"] if intervals else [])
    rows = [head]
    for name, row, share, wanted in words.rows(scores):
        few = f" n<{words.FEW * scores.epochs}" if words.few(row.n, scores) else ""
        cells = [name, str(row.n)]
        cells += [f"{getattr(row, bucket)}{'*' if bucket == wanted else ' '}" for bucket in BUCKETS]
        cells += ([str(row.not_graded)] if ungraded else []) + [f"{share.count}/{share.n}"]
        rows.append(cells + ([f"{interval(share)}{few}"] if intervals else []))
    return rows


def _columns(rows: Sequence[Sequence[str]], *, colour: bool) -> list[str]:
    """Align names and intervals left, counts right; headings of counts leave room for the star."""
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    accent = rows[0].index("DESIRED")
    lines = []
    for row in rows:
        parts = []
        for column, (cell, size) in enumerate(zip(row, widths, strict=True)):
            heading = row is rows[0]
            text = cell.ljust(size) if column in {0, accent + 1} else cell.rjust(size)
            if heading and 2 <= column <= 5:
                text = f"{cell} ".rjust(size)[-size:] if len(cell) < size else cell
            parts.append(accented(text, colour and column == accent and not heading))
        lines.append(_joined(parts, accent))
    return lines


def _joined(parts: Sequence[str], accent: int) -> str:
    """Join cells, with a wider gap before the intervals."""
    return (
        " ".join(parts[: accent + 1]).rstrip() + "".join(f"  {part}" for part in parts[accent + 1 :]).rstrip()
    )


def _next(scores: Scores, width: int, reference: str) -> list[str]:
    run = f" {reference}" if reference else ""
    question = next((names[0] for _, names in words.worst(scores)), "q001")
    steps = [
        (f"ragharness show {question}{run}", "one question with verdict and passages"),
        (f"ragharness report{run} --markdown", "this report as Markdown"),
    ]
    size = max(len(command) for command, _ in steps)
    lines = [
        f"{'next' if number == 0 else '':<7}{command:<{size}}   {what}"
        for number, (command, what) in enumerate(steps)
    ]
    lines = [line if len(line) <= width else line[: 7 + size].rstrip() for line in lines]
    made = f"python {scores.versions.python}, grader {scores.versions.grader}"
    return [
        *lines,
        "",
        *flow([*words.pace(scores), made], width),
        *flow([one_line(each) for each in words.other_settings(scores)], width, "pipeline: "),
        *flow([f"records in {scores.folder}"], width),
    ]
