"""The report for a terminal: 80 columns, ASCII; colours say good, bad, unclear."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from typing import Any, Literal

from ragharness.analysis.metrics import Metric, Part
from ragharness.analysis.scores import RunOnDisk, Scores
from ragharness.records import BUCKETS
from ragharness.reports import text, words
from ragharness.reports.formats import WIDTH
from ragharness.reports.text import Tone


def render(
    scores: Scores,
    *,
    width: int = WIDTH,
    colour: bool = False,
    reference: str = "",
    detail: bool = False,
    run: RunOnDisk | None = None,
    **_: object,
) -> str:
    """Whole report, ending with a line break: the verdict first and again at the end.

    ``detail`` adds axes and retrieval. Under 80 columns the ungraded column becomes a note, then the
    intervals go; names never do.
    """
    width = min(width, WIDTH)
    rubrics: list[str] = []
    if run is not None:
        from ragharness.reports.rubric import rubrics_of

        rubrics = rubrics_of(run.folder, "text", width)
    setting = [*map(text.one_line, words.setting(scores)), words.asked(scores), words.was_graded(scores)]
    parts = [
        [*_verdict(scores, width, colour), *_baselines(scores, width)],
        text.flow([*setting, *words.effort(scores)], width, gap="  "),
        _table(scores, width, colour),
        findings(scores, width, wide=width >= WIDTH, detail=detail),
        _next(scores, width, reference),
        rubrics,
        _verdict(scores, width, colour),
    ]
    return text.printable("\n\n".join("\n".join(part) for part in parts if part) + "\n")


def _verdict(scores: Scores, width: int, colour: bool) -> list[str]:
    """Verdict, the four buckets and what is unacceptable: the lines to quote."""
    tone = words.TONES[scores.verdict]
    sentences = [
        line for part in (scores.sentence, *scores.reasons[1:]) for line in text.paragraph(part, width)
    ]
    needless = scores.desired.needless_refusals
    buckets = [
        f"correct {scores.buckets['correct']}",
        f"refused {scores.buckets['refused']}" + (f" ({needless} needlessly)" if needless else ""),
        f"wrong {scores.buckets['wrong']}",
        f"unsupported {scores.buckets['unsupported']}",
        *([f"ungraded {scores.ungraded}"] if scores.ungraded else []),
    ]
    total = scores.desired.total
    counts = [
        f"unacceptable {words.spanned(scores.intervals.unacceptable)}",
        f"as desired {total.count} of {total.n}  {text.rate(total)} {text.interval(total)}",
    ]
    coloured_lines = (text.coloured(line, tone, colour) for line in sentences)
    return [*coloured_lines, *text.flow(buckets, width), *text.flow(counts, width)]


def _baselines(scores: Scores, width: int) -> list[str]:
    """How many answers as desired the baselines reach, and the best possible count."""
    references = scores.references
    blind = "n/a" if references.blind is None else references.blind
    counts = [
        *filter(None, [words.compared(scores)]),
        f"refusing everything {references.refuse}",
        f"blind (no documents) {blind}",
        f"best possible {references.best_possible}",
    ]
    return text.flow(counts, width, "baselines: ", "  ")


def _table(scores: Scores, width: int, colour: bool) -> list[str]:
    for ungraded, intervals in ((True, True), (False, True), (False, False)):
        rows = _cells(scores, ungraded, intervals)
        lines = _columns(rows, colour=False)
        if max(map(len, lines)) <= width:
            break
    lines = _columns(rows, colour=colour)
    if not ungraded and scores.ungraded:
        counts = [f"{row.ungraded} in row {name}" for name, row in scores.rows.items() if row.ungraded]
        lines += text.flow(counts, width, "ungraded   ", ", ")
    legend = ["* = desired outcome.", "Ungraded answers count as misses.", "[]: 95% intervals."]
    if intervals and any(words.few(row.n, scores) for row in scores.rows.values()):
        legend.append(f"n<{words.FEW * scores.epochs}: too few questions to decide.")
    return [*lines, *text.flow(legend, width, gap=" ")]


def _cells(scores: Scores, ungraded: bool, intervals: bool) -> list[list[str]]:
    head = ["QUESTION TYPE", "N", "correct", "wrong", "unsupp", "refused"]
    head += (["ungraded"] if ungraded else []) + ["DESIRED"] + (["95% CI"] if intervals else [])
    rows = [head]
    for name, row, share, desired in words.rows(scores):
        few = f" n<{words.FEW * scores.epochs}" if words.few(row.n, scores) else ""
        cells = [name, str(row.n)]
        cells += [f"{getattr(row, bucket)}{'*' if bucket == desired else ' '}" for bucket in BUCKETS]
        cells += ([str(row.ungraded)] if ungraded else []) + [f"{share.count}/{share.n}"]
        rows.append(cells + ([f"{text.interval(share)}{few}"] if intervals else []))
    return rows


def _columns(rows: Sequence[Sequence[str]], *, colour: bool) -> list[str]:
    """Align names and intervals left, counts right; headings of counts leave room for the star."""
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    head = rows[0]
    desired = head.index("DESIRED")
    lines = []
    for row in rows:
        parts = []
        for column, (cell, size) in enumerate(zip(row, widths, strict=True)):
            padded = cell.ljust(size) if column in {0, desired + 1} else cell.rjust(size)
            if row is head and 2 <= column <= 5:
                padded = f"{cell} ".rjust(size)[-size:] if len(cell) < size else cell
            tone = "" if row is head else _tone(head[column], cell)
            parts.append(text.coloured(padded, tone, colour and bool(tone)))
        # A wider gap stands before the intervals.
        ends = "".join(f"  {part}" for part in parts[desired + 1 :]).rstrip()
        lines.append(" ".join(parts[: desired + 1]).rstrip() + ends)
    return lines


def _tone(column: str, cell: str) -> Tone | Literal[""]:
    """Tone of a count that is not zero: good as desired, bad where an answer misleads."""
    if not cell.strip(" *").isdigit() or cell.strip(" *") == "0":
        return ""
    if column in {"wrong", "unsupp"}:
        return "bad"
    if column == "ungraded":
        return "unclear"
    return "good" if cell.endswith("*") else ""


def _next(scores: Scores, width: int, reference: str) -> list[str]:
    run = f" {shlex.quote(reference)}" if reference else ""
    question = shlex.quote(next((names[0] for _, names in words.worst(scores)), "q001"))
    steps = [
        (f"ragharness show {question}{run}", "one question and its verdict"),
        (f"ragharness report{run} --all", "axes and retrieval"),
    ]
    size = max(len(command) for command, _ in steps)
    labels = zip(("next", ""), steps, strict=True)
    lines = [f"{label:<7}{command:<{size}}   {what}" for label, (command, what) in labels]
    lines = [line if len(line) <= width else line[: 7 + size].rstrip() for line in lines]
    if options := words.judging_options(scores):
        command = " \\\n  ".join([f"ragharness grade{run}", *options])
        lines += [f"       {part}" for part in command.split("\n")]
    made = [
        f"ragharness {scores.versions.ragharness}",
        f"grader {scores.versions.grader}",
        *text.paragraph(scores.calibration, width),
    ]
    return [
        *lines,
        *text.flow([*words.pace(scores), *made], width),
        *(text.paragraph(error, width) if (error := words.grader_error(scores)) else []),
        *text.flow(map(text.one_line, words.other_settings(scores)), width, "pipeline: "),
        *text.flow([f"records in {scores.folder}"], width),
    ]


_GROUPS = 5  # kinds of errors that are listed; the rest is counted
_LONGEST_PROBLEM = 2100  # characters of an error's message: more than a record keeps of one
_INDENT = 11
_NAME = 17


def findings(scores: Scores, width: int, *, wide: bool, detail: bool) -> list[str]:
    """Lines; ``wide`` puts two short figures on one line, ``detail`` adds axes and retrieval."""
    missed = scores.questions - scores.desired.total.count
    causes = [f"{name} {count}" for name, count in words.missed(scores)]
    worst = [f"{kind} {text.ids(names, 5 if wide else 3)}" for kind, names in words.worst(scores)[:3]]
    return [
        *_grid("EPOCHS", words.stability(scores), wide=False),
        *(text.flow(causes, width, f"{f'{missed} MISSES':<{_INDENT - 1}} ") if missed else []),
        *text.flow(worst, width, "WORST      "),
        *_errors(scores, width),
        *(line for note in scores.notes for line in text.labelled("NOTE", note, width, _INDENT)),
        *(_details(scores, width, wide=wide) if detail else []),
    ]


def _details(scores: Scores, width: int, *, wide: bool) -> list[str]:
    axes = _figures(scores, "axes")
    if cited := scores.axes.get("citation_exists"):
        axes.insert(2, ("no citation", f"{cited.null} answer{'s' * (cited.null != 1)}"))
    desired = scores.desired
    shares = [
        ("should answer", text.counted(desired.answer)),
        ("should refuse", text.counted(desired.refusal)),
    ]
    return [
        "",
        *_grid("DESIRED", shares, wide=wide),
        *_grid("AXES", axes, wide=wide),
        *_explained(scores, "axes", width),
        *_grid("RETRIEVAL", _figures(scores, "retrieval"), wide=wide),
        *_explained(scores, "retrieval", width),
    ]


_ORDER = ("any_evidence", "evidence_first", "all_evidence", "document", "mrr", "evidence_in_document", "ndcg")
"""Metrics of retrieval in their order here; others follow as in the JSON."""


def _measured(scores: Scores, part: Part) -> list[tuple[Metric, Any]]:
    measured = [(metric, value) for metric, value in words.measured(scores, part) if metric.short]
    ranks = {name: rank for rank, name in enumerate(_ORDER)}
    return sorted(measured, key=lambda pair: ranks.get(pair[0].name, len(ranks)))


def _figures(scores: Scores, part: Part) -> list[tuple[str, str]]:
    """Names and values of the metrics without a remark."""
    measured = (pair for pair in _measured(scores, part) if not pair[0].remark)
    return [(words.named(metric.short, scores), words.figure(metric, value)) for metric, value in measured]


def _explained(scores: Scores, part: Part, width: int) -> list[str]:
    size = _INDENT + _NAME + 1
    lines: list[str] = []
    for metric, value in _measured(scores, part):
        if metric.remark:
            label = f"{'':<{_INDENT}}{words.named(metric.short, scores):<{_NAME}} "
            lines += text.labelled(label, f"{words.figure(metric, value)} {metric.remark}", width, size)
    return lines


def _grid(label: str, cells: Sequence[tuple[str, str]], *, wide: bool) -> list[str]:
    per_line = 2 if wide else 1
    longest = max((len(name) for name, _ in cells[::per_line]), default=0)
    # What the names of the first column need more, those of the second have to spare.
    more = max(0, longest - _NAME)
    sizes = (_NAME + more, _NAME - more)
    lines = []
    for first in range(0, len(cells), per_line):
        pairs = zip(cells[first : first + per_line], sizes, strict=False)
        texts = [f"{name:<{size}} {value:<17}" for (name, value), size in pairs]
        head = label if first == 0 else ""
        lines.append(f"{head:<{_INDENT}}{''.join(texts)}".rstrip())
    return lines


def _errors(scores: Scores, width: int) -> list[str]:
    lines: list[str] = []
    groups = words.oddities(scores)
    for message, questions in groups[:_GROUPS]:
        error = f"{len(questions)}x {text.one_line(message, _LONGEST_PROBLEM)}"
        lines += text.labelled("" if lines else "ERRORS", error, width, _INDENT)
        lines += text.paragraph(text.ids(questions), width, " " * (_INDENT + 3))
    if len(groups) > _GROUPS:
        lines.append(f"{'':<{_INDENT}}and {len(groups) - _GROUPS} other kinds (see --json)")
    return lines
