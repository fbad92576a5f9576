"""The wording shared by all reports: names of rows, causes of misses, statuses and flags."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import Any

from ragharness.analysis.metrics import Metric, Part, Share, Span, YesNoAxis, metrics
from ragharness.analysis.scores import ROW_NAMES, Row, Scores, VerdictKind
from ragharness.analysis.scoring import RECORDED
from ragharness.reports import text
from ragharness.reports.text import Tone

BUILT_FOR = {
    "grounded/correct": "the evidence is in the index, with nothing misleading nearby",
    "grounded/wrong": "the evidence is in the index, and so is a tempting false answer",
    "grounded/unsupported": "the corpus has the answer, but its evidence is withheld from the index",
    "grounded/refused": "the document is in the index, but does not contain the answer",
    "unanswerable": "nothing in the corpus is about it",
    "adversarial": "seems answerable from the corpus, but is not",
    "null_retrieval": "answerable, but the retriever is forced to return nothing",
}
_DESIRED = {name: "correct" if name in {"plain", "tempting"} else "refused" for name in ROW_NAMES.values()}
_ERROR = Path(__file__).with_name("grader_error.json")  # written by benchmarks/own_answers.py
TONES: dict[VerdictKind, Tone] = {
    "not_a_result": "bad",
    "not_better": "bad",
    "not_clearly_better": "unclear",
    "misleads": "unclear",
    "good": "good",
}
FAILURE_NAMES = {
    "retriever_missed": "evidence not retrieved",
    "misread": "wrong despite evidence",
    "miscited": "badly cited",
    "refused_though_found": "refused despite evidence",
    "answered_without_evidence": "answered without evidence",
    "pipeline_error": "call failed",
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
    "match": "which is the gold answer",
    "mismatch": "which is not the gold answer",
    "distractor": "which is the tempting false answer",
    "world": "which is true, but not stated in the corpus",
    "partial": "which is part of the gold answer",
    "none": "",
}
FLAG_NAMES = {  # descriptions of flags; a flag without one is shown by its name
    "over_refusal": "refused although the evidence was retrieved",
    "under_refusal": "answered where it should refuse",
    "retrieval_miss": "the evidence was not retrieved",
    "hedged": "refuses and also answers",
    "mixed": "partly from the passages, partly from outside knowledge",
    "elsewhere": "refuses, then answers from another document",
    "disagreement": "graders differ: ragharness review",
}
FEW = 20  # rows with fewer questions are marked: their interval is too wide to decide anything
_NAMED_ABOVE = ("model", "base_url", "prompt")  # pipeline settings in the heading of the report
_MENDABLE = ("error", "timeout", "no_answer", "needs_review")  # listed first where most frequent


def few(n: int, scores: Scores) -> bool:
    """Whether a row of n answers has too few questions to decide; epochs add answers, not questions."""
    return 0 < n < FEW * scores.epochs


def rows(scores: Scores) -> list[tuple[str, Row, Share, str]]:
    """Rows in use and the total: name, counts, share as desired, the desired bucket."""
    total = Row(n=scores.questions, ungraded=scores.ungraded)
    for bucket, count in scores.buckets.items():
        setattr(total, bucket, count)
    used = [(name, row, row.desired, _DESIRED[name]) for name, row in scores.rows.items() if row.n]
    return [*used, ("total", total, scores.desired.total, "")]


def missed(scores: Scores) -> list[tuple[str, int]]:
    """Causes of the misses with their counts."""
    counts = [(name, getattr(scores.failures, field)) for field, name in FAILURE_NAMES.items()]
    return [(name, count) for name, count in counts if count]


def spanned(found: Span) -> str:
    """Count with its rate and interval; a span where ungraded answers may add to it."""
    if found.most > found.count:
        return f"{found.count} to {found.most} of {found.n}  {text.interval(found)}"
    return f"{found.count} of {found.n}  {text.rate(found)} {text.interval(found)}".rstrip()


def worst(scores: Scores) -> list[tuple[str, list[str]]]:
    """Misses by outcome: wrong answers first, or the most frequent reason for no grade."""
    kinds: dict[str, list[str]] = {}
    for miss in scores.misses:
        kinds.setdefault(miss.came_out, []).append(miss.question)
    largest = max(kinds, key=lambda kind: len(kinds[kind]), default="")
    # The sort is stable: the others keep their order.
    ordered = sorted(kinds, key=lambda kind: kind != largest or kind not in _MENDABLE)
    return [(kind.replace("_", " "), kinds[kind]) for kind in ordered]


def oddities(scores: Scores) -> list[tuple[str, list[str]]]:
    """Errors and the malformed results, each with its questions."""
    groups = [
        (f"{group.type}: {group.message}" + (f" ({group.where})" if group.where else ""), group.questions)
        for group in scores.errors
    ]
    return groups + [(group.problem, group.questions) for group in scores.problems]


def compared(scores: Scores) -> str:
    """How many answers the baselines are counted over; empty if all of them."""
    return f"of the {scores.asked} asked" if scores.asked < scores.questions else ""


def pace(scores: Scores) -> list[str]:
    """Median and 95th percentile of the call times; empty without any call."""
    timing = scores.timing
    if timing.median is None or timing.p95 is None:
        return []
    most = text.milliseconds(timing.p95).removeprefix("under ")
    return [f"median {text.milliseconds(timing.median)} per question, 95% under {most}"]


def was_graded(scores: Scores) -> str:
    """How many answers were graded, and the statuses of the others."""
    parts = [f"{scores.questions - scores.ungraded} graded"]
    for status, names in STATUS_NAMES.items():
        if count := scores.statuses[status]:
            parts.append(f"{count} {names[count != 1]}")
    return ", ".join(parts)


def setting(scores: Scores) -> list[str]:
    """Corpus, pipeline, model, retriever and tags as short phrases."""
    k = f" k={scores.retrieval.k}" if scores.retrieval.k else ""
    retriever = f"{scores.retriever}{k}"
    if scores.takes == "own":
        recorded = scores.pipeline_settings.get(RECORDED) in ("passages", "retrieve")
        retriever = "recorded passages" if recorded else "its own passages"
    tags = [f"[{', '.join(scores.tags)}]"] if scores.tags else []
    model, url, prompt = (str(scores.pipeline_settings.get(name, "")) for name in _NAMED_ABOVE)
    return [
        f"{scores.corpus} {scores.split}".strip(),
        scores.pipeline,
        *([f"model {model}"] if model and model != scores.pipeline.partition(":")[2] else []),
        *([f"at {url}"] if url else []),
        *([f"prompt {prompt}"] if prompt else []),
        retriever,
        *tags,
    ]


def other_settings(scores: Scores) -> list[str]:
    """Settings of the pipeline that ``setting`` does not name."""
    settings = ((name, value) for name, value in scores.pipeline_settings.items() if name not in _NAMED_ABOVE)
    return [f"{name.replace('_', ' ')} {value}" for name, value in settings]


def asked(scores: Scores) -> str:
    """Number of questions and epochs in words."""
    if scores.epochs == 1:
        return f"{scores.questions} questions"
    return f"{scores.questions // scores.epochs} questions x {scores.epochs} epochs"


def stability(scores: Scores) -> list[tuple[str, str]]:
    """How stable the outcomes were across epochs, as names and counts; empty for one epoch."""
    if (stable := scores.stability) is None:
        return []
    alike = f"{text.counted(stable.same_bucket)} questions graded alike in all {stable.epochs} epochs"
    desired = f"{text.counted(stable.always_desired)} in all, {text.counted(stable.ever_desired)} in some"
    return [("same bucket", alike), ("as desired", desired)]


def effort(scores: Scores) -> list[str]:
    """Wall time and cost, where known, and the replies of a judge with theirs."""
    took, cost = text.duration(scores.seconds), scores.spending.cost
    effort = [*([took] if took != "0.0s" else []), *([text.money(cost)] if cost is not None else [])]
    if judging := scores.judging:
        cached = f" ({judging.from_cache} kept)" if judging.from_cache else ""
        price = "" if judging.cost is None else f", {text.money(judging.cost)}"
        effort.append(f"judge {judging.replies} replies{cached}{price}")
    return effort


def judging_options(scores: Scores) -> list[str]:
    """Options with which the model of the pipeline judges its answers; empty: none, or they are judged."""
    settings = {name: scores.pipeline_settings.get(name) for name in ("model", "base_url")}
    if not settings["model"] or "judge" in scores.versions.grader:
        return []
    chain = "--grader rules,judge" if scores.statuses["needs_review"] else "--confirm judge"
    options = (f"judge.{name.replace('_', '-')}={value}" for name, value in settings.items() if value)
    return [chain, *(f"--grader-option {shlex.quote(option)}" for option in options)]


def measured(scores: Scores, part: Part) -> list[tuple[Metric, Any]]:
    """Metrics of one part with their values, in JSON order; those that the scores lack are left out."""
    values = getattr(scores, part)
    return [(metric, values[metric.name]) for metric in metrics(part) if metric.name in values]


def named(name: str, scores: Scores) -> str:
    """Name of a metric with ``k`` filled in."""
    k = scores.retrieval.k
    return name.format(top=f"in top {k}" if k else "retrieved", at_k=f"@{k}" if k else "")


def figure(metric: Metric, value: Any) -> str:
    """Value of a metric as text, by its own formatter or by its type."""
    if metric.words and value is not None:
        return metric.words(value)
    if isinstance(value, Share):
        return text.counted(value)
    if isinstance(value, YesNoAxis):
        return text.yes_of(value)
    return str(value) if isinstance(value, int) else text.fraction(value)


def grader_error(scores: Scores) -> str:
    """How often the grader erred on labelled answers of other runs; empty for another grader."""
    error = json.loads(_ERROR.read_bytes())
    if error["grader"] != scores.versions.grader:
        return ""
    buckets = ", ".join(f"{right} of {n} {name}" for name, (right, n) in error["precision"].items())
    called, n = error["wrong_slot"]
    return (
        f"this grader on {error['answers']} answers that a language model wrote and labelled, not of this"
        f" run: right in calling {buckets}; of right values said of something else it calls {called / n:.0%}"
        " correct"
    )
