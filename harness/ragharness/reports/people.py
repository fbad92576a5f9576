"""The calibration of a run by people's labels, as tables and sentences."""

from __future__ import annotations

from collections.abc import Sequence

from ragharness.analysis.calibration.note import LEAST_GOLD, BucketFigures, Disagreement, Interval, Note, Rate
from ragharness.records import BUCKETS
from ragharness.reports.tables import Section

_ORDER = ("wrong", "unsupported", "correct", "refused")
"""Buckets as they are told: a missed wrong answer costs the most."""

_METHODS = {
    "difference": "finite-population difference: the grader's count and its errors in the sample, scaled up",
    "rogan-gladen": "Rogan-Gladen, from labels of another run",
}


def people_sections(note: Note, *, show: int | None = None) -> list[Section]:
    """Return the verdict, recall and precision, corrected counts, agreement, and ``show`` disagreements."""
    head = [note.sentence, *note.reasons[1:]]
    by = "" if note.strata in ("none", "unknown") else f", drawn from each {note.strata}"
    who = ", ".join(note.annotators) or "nobody"
    how = f"{note.labelled} answers of {note.labels_of} labelled by {who}{by}; grader {note.bound.grader}"
    return [
        Section(told=[head[0], *head[1:]], tone="good" if note.calibrated else "unclear"),
        Section(told=[how, *(f"{each[:1].upper()}{each[1:]}." for each in note.notes)]),
        _found(note),
        _counts(note),
        _confusion(note),
        _agreement(note),
        _next(note),
        *_disagreements(note.disagreements, len(note.disagreements) if show is None else show),
    ]


def _found(note: Note) -> Section:
    rows = [
        (bucket, *_share(note.buckets[bucket].recall), *_share(note.buckets[bucket].precision))
        for bucket in _ORDER
    ]
    return Section(
        title="Does the grader find what people find?",
        told=("Recall: of those that people put there. Precision: of those that the grader put there.",),
        head=("bucket", "recall", "95% CI", "", "precision", "95% CI", ""),
        rows=rows,
        left=frozenset({0, 2, 5}),
    )


def _share(rate: Rate) -> tuple[str, str, str]:
    if rate.rate is None or rate.low is None or rate.high is None:
        return "n/a", "", "none"
    return (
        f"{100 * rate.rate:.0f}%",
        f"[{100 * rate.low:.0f}-{100 * rate.high:.0f}]",
        f"{rate.count}/{rate.n}",
    )


def _counts(note: Note) -> Section:
    told = [f"By {_METHODS[note.method]}."] if note.method else []
    if any(each.why_not.startswith("too few") for each in note.buckets.values()):
        told.append(f"Too few: under {LEAST_GOLD} labelled answers.")
    rows = [(bucket, str(each.grader), *_corrected(each)) for bucket, each in _in_order(note)]
    return Section(
        title=f"How many there are, of {note.questions} questions",
        told=told,
        head=("bucket", "grader", "corrected", "95% CI", "long run", "+-5 needs"),
        rows=rows,
        left=frozenset({0, 3, 4}),
    )


def _in_order(note: Note) -> list[tuple[str, BucketFigures]]:
    return [(bucket, note.buckets[bucket]) for bucket in _ORDER]


def _corrected(each: BucketFigures) -> tuple[str, str, str, str]:
    needed = "" if each.needed is None else str(each.needed)
    if each.corrected is None:
        return each.why_not.partition(":")[0], "", "", needed
    low, high = each.corrected.low, each.corrected.high
    return f"{each.corrected.value:.1f}", f"[{low:.1f}-{high:.1f}]", _percent(each.long_run), needed


def _percent(found: Interval | None) -> str:
    if found is None:
        return ""
    return f"{100 * found.value:.0f}% [{100 * found.low:.0f}-{100 * found.high:.0f}]"


def _confusion(note: Note) -> Section:
    met = [*BUCKETS, "needs_review"]
    rows = [
        (people, *(str(row[each]) for each in met), str(sum(row.values())))
        for people, row in note.confusion.items()
    ]
    head = ("people", *(each.replace("needs_review", "review") for each in met), "all")
    return Section(title="Confusion", head=head, rows=rows)


def _agreement(note: Note) -> Section:
    found = note.agreement
    rows = [("accuracy", *_share(found.accuracy)[:2])]
    for name, value, limits in (
        ("Cohen's kappa", found.kappa, found.kappa_interval),
        ("Gwet's AC1", found.ac1, found.ac1_interval),
        ("Krippendorff's alpha", found.alpha, None),
    ):
        told = "n/a" if value is None else f"{value:.2f}"
        rows.append((name, told, f"[{limits[0]:.2f}-{limits[1]:.2f}]" if limits else ""))
    return Section(
        title=f"Agreement, {found.n} answers with a bucket",
        head=("", "", "95% CI"),
        rows=rows,
        left=frozenset({0, 2}),
    )


def _next(note: Note) -> Section:
    told = []
    if note.more:
        told.append(
            f"{note.more} more labels for +-5 points in every bucket:"
            f" ragharness label {note.labels_of} --sample {note.labelled + note.more}"
        )
    elif note.more == 0:
        told.append("Enough labels for +-5 points in every bucket of this run.")
    if note.next:
        told.append(f"Next: {', '.join(note.next)}")
    return Section(title="Labels" if told else "", told=told)


def _disagreements(found: Sequence[Disagreement], show: int) -> list[Section]:
    if not found:
        return []
    title = f"{len(found)} answers on which people and the grader differ"
    rows = [(each.question, each.people, each.grader.replace("_", " "), each.reason) for each in found]
    sections = [
        Section(
            title=title, head=("question", "people", "grader", "reason"), rows=rows, left=frozenset(range(4))
        )
    ]
    for each in found[:show]:
        told = [
            ("people", f"{each.people}" + (f": {each.comment}" if each.comment else "")),
            ("grader", f"{each.grader.replace('_', ' ')} ({each.reason}): {each.why}"),
            ("question", each.asked),
            ("gold", each.gold),
            ("answer", each.answer),
        ]
        sections.append(Section(title=each.question, told=[f"{name}: {text}" for name, text in told]))
    return sections
