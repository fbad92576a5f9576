"""What `score` shows beside a run's report: metrics of others, traces, logs without gold, baselines."""

from __future__ import annotations

from collections.abc import Sequence

from ragharness.analysis.derived import derived
from ragharness.analysis.measuring import Drift, LogScores, Metrics
from ragharness.analysis.metrics import Share, share
from ragharness.analysis.scores import Scores
from ragharness.records import BUCKETS
from ragharness.reports.text import Section, Tone, counted, fraction, ids, limits
from ragharness.traces.scorer import Rate, TraceScores


def metric_sections(found: Metrics, not_a_result: str = "") -> list[Section]:
    """How many answers were graded, the metrics, and the figures of each that has some."""
    graded = len(found.questions)
    every = graded + found.ungraded + len(found.undecided)
    note = f"{graded} of {every} answers are graded"
    note += "" if graded == every else "; the last column counts the rest as wrong"
    if found.undecided:
        note += f" ({len(found.undecided)} left to a person by the judge)"
    note += f". Answerable: {_READINGS[found.answerable]}."
    if any(metric.name == "utility" for metric in found.metrics):
        note += f" Weights: {', '.join(f'{name} {worth:g}' for name, worth in found.weights.items())}."
    rows = []
    for metric in found.metrics:
        declared = derived()[metric.name]
        least, most = declared.range
        rows.append(
            (
                metric.label,
                fraction(metric.value),
                f"{least:g} to {'any' if most is None else f'{most:g}'}",
                "higher" if declared.higher_is_better else "lower",
                metric.granularity,
                str(metric.n - (metric.undefined if metric.granularity == "question" else 0)),
                *([fraction(metric.if_wrong)] if graded != every else []),
            )
        )
    head = ["", "value", "range", "better", "of a", "N", *(["rest wrong"] if graded != every else [])]
    return [
        *([Section("", [not_a_result], tone="unclear")] if not_a_result else []),
        Section("", [note]),
        Section("Metrics", (), head, rows, frozenset({0, 3, 4})),
        *(
            Section(metric.label, (), (), [(name, fraction(value)) for name, value in metric.figures.items()])
            for metric in found.metrics
            if metric.figures
        ),
    ]


_READINGS = {"retrieval": "the evidence was retrieved", "corpus": "the corpus states it"}
_NAMED = 8  # questions that are named; JSON has all
_SENTENCES: dict[str, tuple[str, Tone]] = {
    "pass": ("Passes: every gate holds", "good"),
    "fail": ("Does not pass", "bad"),
    "open": ("Not a result", "unclear"),
}


def trace_sections(found: TraceScores) -> list[Section]:
    """Verdict, the rates beside their gates, and the questions that count in none of them."""
    sentence, tone = _SENTENCES[found.verdict]
    n = found.answerable + found.unanswerable
    if found.verdict == "fail":
        missed = (gate.name for gate in found.gates if gate.state == "fail")
        sentence += ": " + ", ".join(f"{name} is {_counted(found.rates[name])}" for name in missed)
    elif found.verdict == "open":
        unread = len(found.missing) + len(found.unread)
        sentence += f": {unread} of {n} questions have no answer that can be read"
        sentence += f", {len(found.unchecked)} cannot be checked" if found.unchecked else ""
    gates = {gate.name: (f"{gate.sign} {gate.limit:g}", gate.state) for gate in found.gates}
    rows = [(name, _counted(rate), *gates.get(name, ("", ""))) for name, rate in found.rates.items()]
    apart = (
        ("without a trace", found.missing),
        ("no answer that can be read", found.unread),
        ("nothing in the gold to check by", found.unchecked),
    )
    listed = [(what, str(len(names)), ids(names, _NAMED)) for what, names in apart if names]
    if found.unknown:
        listed.append(("traces of other questions", str(found.unknown), ""))
    counts = f"answered {found.answered}   refused {found.refused}   of {n}, {found.answerable} answerable"
    sections = [Section("", [sentence], tone=tone), Section("", [counts])]
    sections.append(Section("Rates", (), ("", "of", "gate", "holds"), rows, frozenset({0, 2, 3})))
    if listed:
        sections.append(Section("Counted apart", (), ("", "N", "questions"), listed, frozenset({0, 2})))
    return sections


_RATES = {
    "refused": "refused",
    "cited": "with citations, of answers given",
    "citations_exist": "citations exist: all were retrieved",
    "citations_support": "citations support their sentences",
    "uncited_claims": "with a claim that cites nothing",
}
_NOT_GRADED = "Not a result: no answer is graded, as there is no gold (--gold FILE)"


def log_sections(found: LogScores, moved: Sequence[Drift] = ()) -> list[Section]:
    """What is not known, the rates, what is in none of them, and how they moved."""
    rates = [(label, _counted(getattr(found, name))) for name, label in _RATES.items()]
    apart = (
        ("without an answer", found.empty),
        ("not certain whether it refuses", found.unread),
        ("what was retrieved is not in the log: citations not checked", found.unknown_retrieval),
        ("cites a passage without text: support not known", found.unknown_texts),
        ("support of a citation undetermined: none of those that support", found.undetermined_support),
        ("rows without a question, or of another shape", found.left_out),
    )
    sections = [
        Section("", [_NOT_GRADED], tone="unclear"),
        Section("", [f"{found.answers} answer{'' if found.answers == 1 else 's'}, read as {found.format}"]),
        Section("Rates", (), ("", "of"), rates, frozenset({0})),
    ]
    if listed := [(what, str(n)) for what, n in apart if n]:
        sections.append(Section("Counted apart", (), ("", "N"), listed))
    if moved:
        rows = []
        for drift in moved:
            change = "n/a"
            if drift.low is not None and drift.high is not None:
                change = limits((drift.low, drift.high))
            rates_of = _RATES[drift.name], _counted(drift.before), _counted(drift.after)
            rows.append((*rates_of, change, "moved" if drift.moved else ""))
        note = f"{len(moved)} intervals of 95 % each: one in twenty moves by chance."
        head = ("", "before", "after", "points", "")
        sections.append(Section("Drift", [note], head, rows, frozenset({0, 4})))
    return sections


def _counted(rate: Rate | Share) -> str:
    return counted(share(rate.count, rate.n)) if rate.n else "n/a"


def baseline_section(baselines: Sequence[tuple[str, Scores]]) -> Section:
    """Table of names and scores, the fewest unacceptable answers first."""

    def rank(baseline: tuple[str, Scores]) -> tuple[int, int, str]:
        name, scores = baseline
        return scores.intervals.unacceptable.most, -scores.desired.total.count, name

    rows = []
    for name, scores in sorted(baselines, key=rank):
        row = [name, *(str(scores.buckets[bucket]) for bucket in BUCKETS), str(scores.ungraded)]
        for count in (scores.intervals.unacceptable, scores.desired.total):
            ends = ""
            if count.low is not None and count.high is not None:
                ends = f" [{100 * count.low:.0f}-{100 * count.high:.0f} %]"
            row.append(f"{count.count} of {count.n}{ends}")
        rows.append(row)
    return Section("", (), ["baseline", *BUCKETS, "ungraded", "unacceptable", "as desired"], rows)
