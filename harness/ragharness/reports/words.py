"""The words that every report uses for rows and for where failures belong."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ragharness.records import ROW_NAMES
from ragharness.reports.text import counted, duration, fraction, milliseconds, money, yes_of
from ragharness.scores.layout import Row
from ragharness.scores.metrics import metrics
from ragharness.scores.notes import RECORDED
from ragharness.scores.values import Share, YesNoAxis

if TYPE_CHECKING:
    from ragharness.scores import Scores
    from ragharness.scores.metrics import Metric, Part

BUILT_FOR = {
    "grounded/correct": "the evidence is in the index, nothing misleading near it",
    "grounded/wrong": "the evidence is in the index, and so is a tempting false answer",
    "grounded/unsupported": "the answer exists, its evidence is withheld from the index",
    "grounded/refused": "the document is in the index and does not say",
    "unanswerable": "nothing in the whole corpus touches it",
    "adversarial": "looks as if it were in the corpus, and is not",
    "null_retrieval": "the retriever is made to return nothing",
}
WANTED_IN_ROW = {
    name: "correct" if name in {"grounded/correct", "grounded/wrong"} else "refused" for name in ROW_NAMES
}
FAILURE_NAMES = {
    "retriever_missed": "retrieval missed",
    "misread": "had it, misread",
    "miscited": "had it, cited badly",
    "refused_though_found": "refused though found",
    "answered_without_evidence": "no evidence, answered anyway",
    "pipeline_error": "pipeline error",
    "timeout": "timed out",
    "no_answer": "no answer",
    "needs_review": "needs review",
    "not_asked": "not asked",
}
STATUS_NAMES = {
    "error": ("error", "errors"),
    "timeout": ("time-out", "time-outs"),
    "no_answer": ("empty answer", "empty answers"),
    "needs_review": ("needs review", "need review"),
    "not_asked": ("not asked", "not asked"),
}
MATCH_NAMES = {
    "match": "which is the gold",
    "mismatch": "which is not the gold",
    "distractor": "which is the tempting false answer",
    "world": "which is right in the world and not in the corpus",
    "partial": "which is a part of the gold",
    "none": "",
}
FLAG_NAMES = {
    "over_refusal": "refused although the evidence was retrieved",
    "under_refusal": "answered where a refusal was wanted",
    "retrieval_miss": "the evidence was not retrieved",
    "hedged": "declines and answers at once",
    "mixed": "part evidence, part outside knowledge",
    "elsewhere": "declines and answers from another document",
}
"""What flags say in words; others are shown by their names."""

FEW = 20
"""Below this n a row is marked: its interval is too wide to decide anything."""

MOST_UNGRADED = 0.2
"""Above this share of ungraded answers a run is announced as no result: its counts say too little."""

_NAMED_ABOVE = ("model", "base_url", "prompt")
"""Settings of a pipeline without which no report can be attributed: they stand in its heading."""

_MENDABLE = ("error", "timeout", "no_answer", "needs_review")
"""What came out otherwise for want of a grade: where it is the most, it is to be mended first."""


def few(n: int, scores: Scores) -> bool:
    """Whether a row of n answers is too small to decide: epochs add answers, not questions."""
    return 0 < n < FEW * scores.epochs


def rows(scores: Scores) -> list[tuple[str, Row, Share, str]]:
    """Return the rows in use and the total: name, counts, how many came out as wanted, the wanted bucket."""
    total = Row(n=scores.questions, **scores.buckets, not_graded=scores.not_graded)
    used = [
        (ROW_NAMES[name], row, scores.wanted.rows[name], WANTED_IN_ROW[name])
        for name, row in scores.by_target.items()
        if row.n
    ]
    return [*used, ("total", total, scores.wanted.total, "")]


def missed(scores: Scores) -> list[tuple[str, int]]:
    """Return where the questions that did not come out as wanted belong, and how many."""
    counts = [(name, getattr(scores.failures, field)) for field, name in FAILURE_NAMES.items()]
    return [(name, count) for name, count in counts if count]


def no_result(scores: Scores) -> str:
    """Return that too much is not graded for a result; empty where it is not."""
    if scores.not_graded <= MOST_UNGRADED * scores.questions:
        return ""
    return f"NOT A RESULT  {scores.not_graded} of {scores.questions} not graded"


def worst(scores: Scores) -> list[tuple[str, list[str]]]:
    """Return the questions to read by what came out: false answers first, or what keeps most from a grade."""
    kinds: dict[str, list[str]] = {}
    for miss in scores.misses:
        kinds.setdefault(miss.came_out, []).append(miss.question)
    largest = max(kinds, key=lambda kind: len(kinds[kind]), default="")
    # The sort is stable: the others keep their order.
    ordered = sorted(kinds, key=lambda kind: kind != largest or kind not in _MENDABLE)
    return [(kind.replace("_", " "), kinds[kind]) for kind in ordered]


def oddities(scores: Scores) -> list[tuple[str, list[str]]]:
    """Return what failed and what was odd, each with its questions."""
    groups = [(f"{group.type}: {group.message}", group.questions) for group in scores.errors]
    return groups + [(group.problem, group.questions) for group in scores.problems]


def compared(scores: Scores) -> str:
    """Return over how many answers the references are counted, where that is not all of them."""
    return f"of the {scores.asked} asked" if scores.asked < scores.questions else ""


def pace(scores: Scores) -> list[str]:
    """Return how long calls took; nothing where no call returned or was given up."""
    timing = scores.timing
    if timing.median is None or timing.p95 is None:
        return []
    most = milliseconds(timing.p95).removeprefix("under ")
    return [f"median {milliseconds(timing.median)} a question, 95% under {most}"]


def was_graded(scores: Scores) -> str:
    """Return how many answers were graded and what kept the others from it."""
    parts = [f"{scores.questions - scores.not_graded} graded"]
    for status, (one, many) in STATUS_NAMES.items():
        if count := scores.statuses[status]:
            parts.append(f"{count} {one if count == 1 else many}")
    return ", ".join(parts)


def setting(scores: Scores) -> list[str]:
    """Return what was run, in short phrases."""
    k = f" k={scores.retrieval.k}" if scores.retrieval.k else ""
    retriever = _whose_passages(scores) if scores.takes == "own" else f"{scores.retriever}{k}"
    tags = [f"[{', '.join(scores.tags)}]"] if scores.tags else []
    return [
        f"{scores.corpus} {scores.split}".strip(),
        scores.pipeline,
        *_asked_what(scores),
        retriever,
        *tags,
    ]


def other_settings(scores: Scores) -> list[str]:
    """Return the settings of the pipeline that ``setting`` does not name."""
    return [
        f"{name.replace('_', ' ')} {value}"
        for name, value in scores.pipeline_settings.items()
        if name not in _NAMED_ABOVE
    ]


def _asked_what(scores: Scores) -> list[str]:
    """Return which model answered, at which address and by which prompt."""
    told = scores.pipeline_settings
    model, url, prompt = (str(told.get(name, "")) for name in _NAMED_ABOVE)
    named = scores.pipeline.partition(":")[2]
    return [
        *([f"model {model}"] if model and model != named else []),
        *([f"at {url}"] if url else []),
        *([f"prompt {prompt}"] if prompt else []),
    ]


def _whose_passages(scores: Scores) -> str:
    recorded = scores.pipeline_settings.get(RECORDED) in ("passages", "retrieve")
    return "recorded passages" if recorded else "its own passages"


def asked(scores: Scores) -> str:
    """Return the denominator of everything, in words."""
    if scores.epochs == 1:
        return f"{scores.questions} questions"
    return f"{scores.questions // scores.epochs} questions x {scores.epochs} epochs"


def stability(scores: Scores) -> list[tuple[str, str]]:
    """Return how alike the epochs came out, as names and counts; nothing for a single one."""
    found = scores.stability
    if found is None:
        return []
    return [
        ("same bucket", f"{counted(found.same_bucket)} graded, and alike, in all {found.epochs} epochs"),
        ("as wanted", f"{counted(found.always_as_wanted)} in all, {counted(found.ever_as_wanted)} in some"),
    ]


def effort(scores: Scores) -> list[str]:
    """Return time, where it took any, and money."""
    return [
        *([took] if (took := duration(scores.seconds)) != "0.0s" else []),
        *([money(scores.spending.cost)] if scores.spending.cost is not None else []),
    ]


def measured(scores: Scores, part: Part) -> list[tuple[Metric, Any]]:
    """Return the metrics of a part of the scores with their values, in the order of the JSON."""
    return [(each, getattr(getattr(scores, part), each.name)) for each in metrics(part)]


def named(name: str, scores: Scores) -> str:
    """Return the name of a metric with where retrieved evidence was looked for in it."""
    k = scores.retrieval.k
    return name.format(top=f"in top {k}" if k else "retrieved", at_k=f"@{k}" if k else "")


def figure(metric: Metric, value: Any) -> str:
    """Return the value of a metric in its own words, or as every value of its type is written."""
    if metric.words:
        return metric.words(value)
    if isinstance(value, Share):
        return counted(value)
    if isinstance(value, YesNoAxis):
        return yes_of(value)
    return str(value) if isinstance(value, int) else fraction(value)
