"""The words that every report uses for rows and for where failures belong."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragharness.reports.text import duration, money

if TYPE_CHECKING:
    from ragharness.scores import Scores

ROW_NAMES = {
    "grounded/correct": "correct",
    "grounded/wrong": "wrong",
    "grounded/unsupported": "withheld",
    "grounded/refused": "does-not-say",
    "unanswerable": "unanswerable",
    "adversarial": "adversarial",
    "null_retrieval": "null",
}
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
}
"""What flags say in words; others are shown by their names."""

FEW = 20
"""Below this n a row is marked: its interval is too wide to decide anything."""


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
    retriever = "its own passages" if scores.takes == "own" else f"{scores.retriever}{k}"
    return [f"{scores.corpus} {scores.split}".strip(), scores.pipeline, retriever]


def effort(scores: Scores) -> list[str]:
    """Return time and money."""
    return [
        duration(scores.seconds),
        *([money(scores.spending.cost)] if scores.spending.cost is not None else []),
    ]


def top(scores: Scores) -> str:
    """Return where retrieved evidence was looked for."""
    return f"in top {scores.retrieval.k}" if scores.retrieval.k else "retrieved"
