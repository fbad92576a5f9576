"""Causes of misses, groups of errors, and the verdict on a run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from ragharness.analysis.intervals import sign_test
from ragharness.analysis.metrics import Outcome, Tally, how_many
from ragharness.analysis.scores import Desired, ErrorGroup, Failures, Miss, ProblemGroup, VerdictKind
from ragharness.records import Failure
from ragharness.support.messages import error_line, message_kind

_SEVERITY = ("wrong", "unsupported", "error", "timeout", "no_answer", "needs_review", "refused", "correct")
"""The order in which misses are worth reading: false answers before missing ones."""


def failures(outcomes: Counter[Outcome]) -> Failures:
    """Number of misses by cause; each miss has exactly one."""
    causes: Counter[str] = Counter()
    for outcome, times in outcomes.items():
        if not outcome.as_wanted:
            causes[_cause(outcome)] += times
    return Failures(**causes)


def _cause(outcome: Outcome) -> str:
    if outcome.bucket is None:
        return "pipeline_error" if outcome.status == "error" else outcome.status
    if outcome.wanted == "refused":
        return "answered_without_evidence"
    if not outcome.evidence_found:
        return "retriever_missed"
    return {"wrong": "misread", "unsupported": "miscited"}.get(outcome.bucket, "refused_though_found")


def error_groups(tally: Tally) -> list[ErrorGroup]:
    """Failures by type and message, most frequent first, with their first message."""
    first: dict[str, Failure] = {}
    texts: dict[Failure, str] = {}
    failed = []
    for question, outcome in tally.named(lambda outcome: outcome.failure):
        if outcome.failure:
            # Outcomes share what failed alike: so do the texts made of it, in long runs too.
            failure = tally.failure(outcome.failure)
            text = texts.setdefault(outcome.failure, f"{failure.type} {failure.where}: {failure.message}")
            first.setdefault(text, failure)
            failed.append((text, question))
    return [
        ErrorGroup(type=first[text].type, message=first[text].message, where=first[text].where, questions=ids)
        for text, ids in _grouped(failed)
    ]


def problem_groups(tally: Tally) -> list[ProblemGroup]:
    """Malformed results by kind, most frequent first, with the first of each."""
    named = tally.named(lambda outcome: outcome.problems)
    groups = _grouped([(problem, question) for question, outcome in named for problem in outcome.problems])
    return [ProblemGroup(problem=text, questions=ids) for text, ids in groups]


def _grouped(texts: Sequence[tuple[str, str]]) -> list[tuple[str, list[str]]]:
    """The first of the texts that differ only in quotations and numbers, with the ids of all."""
    groups: dict[str, tuple[str, list[str]]] = {}
    for text, question in texts:
        _, ids = groups.setdefault(message_kind(text), (text, []))
        if question not in ids[-1:]:
            ids.append(question)
    return sorted(groups.values(), key=lambda group: -len(group[1]))


def misses(tally: Tally) -> list[Miss]:
    """Misses among the questions asked, worst first.

    What came of one question in the same way in several epochs is named once.
    """
    found = dict.fromkeys(
        Miss(
            question=question,
            row=outcome.row,
            came_out=outcome.bucket or outcome.status,
            reason=outcome.failure.type if outcome.failure else outcome.reason,
        )
        for question, outcome in tally.named(
            lambda outcome: not outcome.as_wanted and outcome.status != "not_asked"
        )
    )
    return sorted(found, key=lambda miss: _SEVERITY.index(miss.came_out))


MOST_UNGRADED = 0.2
"""The share of ungraded answers above which a run is no result [choice]."""

ALPHA = 0.05
"""The p value up to which a pipeline counts as clearly better than refusing everything [choice]."""

NOT_IN_CORPUS = "passages that the corpus does not hold"
"""How the problem of a passage begins that was not found in the corpus."""


class Conclusion(NamedTuple):
    """The verdict of a run."""

    kind: VerdictKind
    sentence: str
    reasons: list[str]
    """Why it is no result, and what to do about it; empty for a result."""


def conclude(
    outcomes: Counter[Outcome],
    desired: Desired,
    unacceptable: int,
    errors: Sequence[ErrorGroup],
    takes: str,
    shortfall: str = "",
) -> Conclusion:
    """Verdict on a run; ``shortfall`` is why its questions can carry no result.

    A result is compared with refusing everything, question by question (sign test): what it answers correctly
    is gained, what it should refuse and does not is lost.
    """
    n = outcomes.total()
    reasons = _no_result(outcomes, errors, takes) + ([shortfall] if shortfall else [])
    if reasons:
        return Conclusion("not_a_result", f"Not a result: {reasons[0]}", reasons)
    gained, lost = desired.answer.count, desired.refusal.n - desired.refusal.count
    against = f"{desired.total.count} against {desired.refusal.n} of {n} as desired"
    if gained <= lost:
        return Conclusion("not_better", f"Not better than refusing everything: {against}", [])
    if sign_test(gained, lost) > ALPHA:
        return Conclusion("not_clearly_better", f"Not clearly better than refusing everything: {against}", [])
    answers = f"Answers {gained} of {desired.answer.n}"
    if unacceptable:
        return Conclusion("misleads", f"{answers}, but {unacceptable} of {n} answers would mislead", [])
    return Conclusion("good", f"{answers} and none of {n} would mislead", [])


def _no_result(outcomes: Counter[Outcome], errors: Sequence[ErrorGroup], takes: str) -> list[str]:
    reasons = _whose_passages(outcomes) if takes == "own" else []
    ungraded = how_many(outcomes, lambda outcome: outcome.bucket is None)
    unasked = any(outcome.status == "not_asked" for outcome in outcomes)
    if unasked or ungraded > MOST_UNGRADED * outcomes.total():
        reasons += _why_ungraded(outcomes, errors)
    return reasons


def _whose_passages(outcomes: Counter[Outcome]) -> list[str]:
    """What is wrong with the passages that a pipeline brings, if all of them are without use."""
    brought = [outcome for outcome in outcomes if outcome.judged and outcome.passages]
    unknown = [
        outcome for outcome in brought if any(note.startswith(NOT_IN_CORPUS) for note in outcome.problems)
    ]
    if brought and len(unknown) == len(brought) and not any(outcome.document_rank for outcome in brought):
        return ["no passage of the pipeline is in the corpus. If it has documents of its own: --corpus PATH"]
    claimed = how_many(outcomes, lambda outcome: outcome.judged and outcome.bucket != "refused")
    if claimed and not brought:
        without = f"{claimed} of {claimed} answers came without the passages that they rest on."
        return [f"{without} Return the documents too: docs/pipelines.md"]
    return []


def _why_ungraded(outcomes: Counter[Outcome], errors: Sequence[ErrorGroup]) -> list[str]:
    n = outcomes.total()
    counts: Counter[str] = Counter()
    for outcome, times in outcomes.items():
        if outcome.bucket is None:
            counts[outcome.status] += times
    failed, unasked = counts["error"] + counts["timeout"], counts["not_asked"]
    reasons = []
    if failed:
        calls = "every call" if failed == n - unasked else f"{failed} of {n} calls"
        first, most = errors[0], "" if len(errors) == 1 else ", most often"
        reasons.append(f"{calls} failed{most} with {error_line(first.type, first.message, first.where)}")
    texts = {
        "needs_review": "{0} of {1} answers need review: a judge or a person has to decide",
        "no_answer": "{0} of {1} answers are empty",
        "not_asked": "{0} of {1} questions were not asked: the same command continues",
    }
    met = sorted(filter(counts.__getitem__, texts), key=lambda status: -counts[status])
    return reasons + [texts[status].format(counts[status], n) for status in met]
