"""The report as Markdown: the terminal report, ready to paste into a pull request or a page."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ragharness.records import BUCKETS
from ragharness.reports import words
from ragharness.reports.formats import WIDTH
from ragharness.reports.text import counted, duration, ids, interval, one_line, rate

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ragharness.scores import Scores

_LONGEST = 2100
"""Characters of an error's message: more than a record keeps of one."""

_SPECIAL = re.compile(r"([\\`*_{}\[\]<>#|~$&!])")


def render(scores: Scores, *, width: int = WIDTH, colour: bool = False, reference: str = "") -> str:
    """Return the whole report, ending with a line break; markup in foreign texts is escaped."""
    parts = [
        _heading(scores),
        _headline(scores),
        _table(scores),
        _findings(scores),
        _misses(scores),
        _errors(scores),
        _made(scores),
    ]
    return "\n\n".join("\n".join(part) for part in parts if part) + "\n"


def escaped(text: str, width: int = 200) -> str:
    """Return a foreign text on one line with Markdown's special characters escaped."""
    return _SPECIAL.sub(r"\\\1", one_line(text, width))


def _heading(scores: Scores) -> list[str]:
    what = ", ".join(escaped(part) for part in words.setting(scores))
    effort = ", ".join(words.effort(scores))
    warning = words.no_result(scores)
    return [
        f"# {escaped(scores.run)}",
        "",
        *([f"**{warning}**", ""] if warning else []),
        f"{what}: {words.asked(scores)}, {words.was_graded(scores)}; {effort}.",
    ]


def _headline(scores: Scores) -> list[str]:
    bad, wanted, others = scores.intervals.unacceptable, scores.wanted, scores.references
    blind = "n/a" if others.blind is None else str(others.blind)
    base = f" {told}" if (told := words.compared(scores)) else ""
    lines = [
        (
            f"**Unacceptable: {_unacceptable(scores)} "
            f"(wrong {scores.buckets['wrong']}, unsupported {scores.buckets['unsupported']}); "
            f"not graded {scores.not_graded}."
        ),
        (
            f"As desired: {wanted.total.count} of {wanted.total.n}, {rate(wanted.total)} "
            f"{interval(wanted.total)}; "
            f"should answer {counted(wanted.answer)}, should refuse {counted(wanted.refusal)}."
        ),
        (
            f"Baselines, as desired{base}: always refusing {others.refuse}, "
            f"blind (no documents) {blind}, best possible {others.best_possible}. "
            "In brackets: 95 % confidence intervals."
        ),
    ]
    if "unacceptable" in scores.intervals.at_most and not scores.not_graded:
        limit = 100 * scores.intervals.at_most["unacceptable"]
        lines.append(f"None of {bad.n} was unacceptable: the true rate may still be up to {limit:.1f}%.")
    return ["  \n".join(lines)]


def _unacceptable(scores: Scores) -> str:
    bad = scores.intervals.unacceptable
    if words.no_result(scores):
        # A rate of what was graded would make the ungraded look acceptable.
        return f"{bad.count} to {bad.count + scores.not_graded} of {bad.n}**"
    return f"{bad.count} of {bad.n}**, {rate(bad)} {interval(bad)}"


def _table(scores: Scores) -> list[str]:
    rows = []
    for name, row, share, wanted in words.rows(scores):
        few = f" n<{words.FEW * scores.epochs}" if words.few(row.n, scores) else ""
        counts = [_marked(getattr(row, bucket), bucket == wanted) for bucket in BUCKETS]
        result = [str(row.not_graded), f"{share.count}/{share.n}", f"{interval(share)}{few}"]
        rows.append([name, str(row.n), *counts, *result])
    head = ["question type", "n", *BUCKETS, "not graded", "desired", "95% CI"]
    return [
        *_grid(head, rows),
        "",
        (
            f"Bold: the desired outcome. n: questions asked; ungraded answers count as misses. "
            f"95% CI: Wilson's interval. n<{words.FEW * scores.epochs}: too few questions to decide."
        ),
    ]


def _marked(count: int, wanted: bool) -> str:
    return f"**{count}**" if wanted else str(count)


def _grid(head: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    rule = ["---" if column == 0 else "---:" for column in range(len(head))]
    return [f"| {' | '.join(cells)} |" for cells in (head, rule, *rows)]


def _findings(scores: Scores) -> list[str]:
    rows = words.stability(scores)
    for metric, value in words.measured(scores, "axes") + words.measured(scores, "retrieval"):
        absent = f", {value.null} {metric.absent}" if metric.absent else ""
        rows.append((words.named(metric.label, scores), f"{words.figure(metric, value)}{absent}"))
    return ["## Axes and retrieval", "", *_grid(["measure", "value"], rows)]


def _misses(scores: Scores) -> list[str]:
    missed = scores.questions - scores.wanted.total.count
    if not missed:
        return []
    rows = [(name, str(count)) for name, count in words.missed(scores)]
    lists = [f"- {kind}: {escaped(ids(names, 20), 400)}" for kind, names in words.worst(scores)]
    return [f"## Causes of {missed} misses", "", *_grid(["cause", "questions"], rows), "", *lists]


def _errors(scores: Scores) -> list[str]:
    groups = words.oddities(scores)
    lines = [f"- {len(names)}x {escaped(text, _LONGEST)}: {escaped(ids(names))}" for text, names in groups]
    return ["## Errors and malformed results", "", *lines] if lines else []


def _made(scores: Scores) -> list[str]:
    versions = scores.versions
    notes = [f"- {escaped(note, 700)}" for note in scores.notes]
    settings = ", ".join(escaped(each) for each in words.other_settings(scores))
    return [
        "## Versions and settings",
        "",
        *notes,
        f"- ragharness {versions.ragharness}, python {versions.python}, grader {escaped(versions.grader)}",
        *([f"- pipeline: {settings}"] if settings else []),
        f"- {'; '.join([*words.pace(scores), _sessions(scores)])}",
        f"- records in {escaped(scores.folder)}",
    ]


def _sessions(scores: Scores) -> str:
    return f"{scores.sessions} session{'s' if scores.sessions != 1 else ''}, {duration(scores.seconds)}"
