"""The report as Markdown: the terminal report, ready to paste into a pull request or a page."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ragharness.analysis.scores import RunOnDisk, Scores
from ragharness.records import BUCKETS
from ragharness.reports import words
from ragharness.reports.rubric import rubrics_of
from ragharness.reports.text import counted, duration, escaped, ids, interval, printable, rate

_LONGEST = 2100  # characters of an error's message: more than a record keeps of one


def render(scores: Scores, *, run: RunOnDisk | None = None, **_: object) -> str:
    """Whole report, ending with a line break; markup in foreign texts is escaped."""
    parts = [
        _heading(scores),
        _headline(scores),
        _table(scores),
        _findings(scores),
        _misses(scores),
        _errors(scores),
        rubrics_of(run.folder, "markdown") if run is not None else [],
        _made(scores),
    ]
    return printable("\n\n".join("\n".join(part) for part in parts if part) + "\n")


def _heading(scores: Scores) -> list[str]:
    what = ", ".join(escaped(part) for part in words.setting(scores))
    effort = ", ".join(words.effort(scores))
    return [
        f"# {escaped(scores.run)}",
        "",
        f"**{escaped(scores.sentence, 400)}**",
        *(f"  \n{escaped(reason, 400)}" for reason in scores.reasons[1:]),
        "",
        f"{what}: {words.asked(scores)}, {words.was_graded(scores)}; {effort}.",
    ]


def _headline(scores: Scores) -> list[str]:
    bad, desired, others = scores.intervals.unacceptable, scores.desired, scores.references
    blind = "n/a" if others.blind is None else str(others.blind)
    base = f" {basis}" if (basis := words.compared(scores)) else ""
    buckets, total = scores.buckets, desired.total
    lines = [
        (
            f"Correct {buckets['correct']}, refused {buckets['refused']} ({desired.needless_refusals}"
            f" needlessly), wrong {buckets['wrong']}, unsupported {buckets['unsupported']},"
            f" ungraded {scores.ungraded}."
        ),
        f"**Unacceptable: {words.spanned(bad)}.**",
        (
            f"As desired: {total.count} of {total.n}, {rate(total)} {interval(total)};"
            f" should answer {counted(desired.answer)}, should refuse {counted(desired.refusal)}."
        ),
        (
            f"Baselines, as desired{base}: refusing everything {others.refuse}, blind (no documents) {blind},"
            f" best possible {others.best_possible}. In brackets: 95 % confidence intervals."
        ),
    ]
    if "unacceptable" in scores.intervals.at_most:
        limit = 100 * scores.intervals.at_most["unacceptable"]
        lines.append(f"None of {bad.n} was unacceptable: the true rate may still be up to {limit:.1f}%.")
    return ["  \n".join(lines)]


def _table(scores: Scores) -> list[str]:
    rows = []
    for name, row, share, desired in words.rows(scores):
        few = f" n<{words.FEW * scores.epochs}" if words.few(row.n, scores) else ""
        cells = ((bucket, str(getattr(row, bucket))) for bucket in BUCKETS)
        counts = [f"**{count}**" if bucket == desired else count for bucket, count in cells]
        result = [str(row.ungraded), f"{share.count}/{share.n}", f"{interval(share)}{few}"]
        rows.append([name, str(row.n), *counts, *result])
    head = ["question type", "n", *BUCKETS, "ungraded", "desired", "95% CI"]
    legend = (
        "Bold: the desired outcome. n: questions asked; ungraded answers count as misses. 95% CI: Wilson's"
        f" interval. n<{words.FEW * scores.epochs}: too few questions to decide."
    )
    return [*_grid(head, rows), "", legend]


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
    missed = scores.questions - scores.desired.total.count
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
    sessions = f"{scores.sessions} session{'s' * (scores.sessions != 1)}, {duration(scores.seconds)}"
    made = f"ragharness {versions.ragharness}, python {versions.python}, grader {versions.grader}"
    notes = [f"- {escaped(note, 700)}" for note in scores.notes]
    settings = ", ".join(map(escaped, words.other_settings(scores)))
    return [
        "## Versions and settings",
        "",
        *notes,
        f"- {escaped(made)}",
        f"- {escaped(scores.calibration)}",
        *([f"- {escaped(error, 700)}"] if (error := words.grader_error(scores)) else []),
        *([f"- pipeline: {settings}"] if settings else []),
        f"- {'; '.join([*words.pace(scores), sessions])}",
        f"- records in {escaped(scores.folder)}",
    ]
