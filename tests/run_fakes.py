"""A small made-up world for tests of runs: documents, questions, a pipeline, a grader."""

from __future__ import annotations

from typing import Any

from ragharness.records import Answer, Failure, Question, Record, Usage, Verdict
from ragharness.runner.run_folder import FORMAT, Run, Session, Settings

PLAN = (
    ("grounded", "correct", 40, True, ""),
    ("grounded", "wrong", 20, True, ""),
    ("grounded", "unsupported", 20, True, "document"),
    ("grounded", "refused", 20, False, ""),
    ("unanswerable", "", 10, False, ""),
    ("adversarial", "", 10, False, ""),
    ("null_retrieval", "", 10, True, ""),
)


def questions(scale: int = 1) -> list[Question]:
    """Return a question set of the usual proportions with made-up texts."""
    made: list[Question] = []
    for stratum, target, n, answerable, withheld in PLAN:
        for _ in range(n * scale):
            made.append(question(f"q{len(made) + 1:03d}", stratum, target, answerable, withheld))
    return made


def question(
    name: str, stratum: Any = "grounded", target: Any = "correct", answerable: bool = True, withheld: Any = ""
) -> Question:
    """Return one question about document d1, whose first sentence answers it."""
    from ragharness.records import Evidence

    return Question(
        id=name,
        text=f"What does {name} ask?",
        stratum=stratum,
        target=target,
        kind="text",
        answerable=answerable,
        withheld=withheld,
        document="d1",
        answers=("gold",) if answerable else (),
        evidence=(Evidence("d1", 0, 30),) if answerable else (),
    )


def settings(**changes: Any) -> Settings:
    """Return settings of a run over the made-up questions."""
    values: dict[str, Any] = {
        "corpus": "made-up",
        "split": "",
        "corpus_hash": "c" * 64,
        "question_set": "d" * 64,
        "questions": 130,
        "retriever": "bm25",
        "retriever_settings": {},
        "k": 5,
        "passage_words": 120,
        "pipeline": "mine:answer",
        "pipeline_fingerprint": "e" * 64,
        "grader": "rules 1",
    }
    return Settings(**{**values, **changes})


def run(**changes: Any) -> Run:
    """Return what run.json says."""
    values: dict[str, Any] = {
        "format": FORMAT,
        "ragharness": "0.1.0",
        "python": "3.11.7",
        "platform": "Linux",
        "created": "2026-11-21T12:00:00+00:00",
        "command": ("ragharness", "run"),
        "settings": settings(),
        "pipeline_name": "mine.answer",
        "takes": "passages",
    }
    return Run(**{**values, **changes})


def session(**changes: Any) -> Session:
    """Return one start of a run."""
    values: dict[str, Any] = {
        "started": "2026-11-21T12:00:00+00:00",
        "command": ("ragharness", "run"),
        "concurrency": 8,
        "timeout": 60.0,
        "answered": 0,
    }
    return Session(**{**values, **changes})


def record(asked: Question, outcome: Any, *, found: bool = True, **verdict: Any) -> Record:
    """Return a record that came out as a bucket or as a status without one."""
    ranks = tuple(1 if found else 0 for _ in asked.evidence)
    common: dict[str, Any] = {
        "question": asked.id,
        "row": asked.row,
        "wanted": asked.wanted,
        "evidence_ranks": ranks,
        "document_rank": 1 if found else 0,
        "seconds": 0.5,
        "started": "2026-11-21T12:00:10+00:00",
    }
    if outcome in {"error", "timeout"}:
        failure = Failure("TimeoutError" if outcome == "timeout" else "ValueError", "it broke [c1#3]")
        return Record(**common, status=outcome, failure=failure)
    bucket = outcome if outcome in {"correct", "wrong", "unsupported", "refused"} else None
    values: dict[str, Any] = {
        "status": "ok" if bucket else outcome,
        "bucket": bucket,
        "reason": outcome.upper(),
        "extra_claim_count": 0,
        "grader": "rules 1",
        "evidence_retrieved": found,
    }
    if bucket == "refused":
        values["refusal_quality"] = 2
    elif bucket:
        values |= {"citation_exists": "yes", "citation_supports": "yes" if bucket == "correct" else "no"}
    return Record(
        **common,
        status="ok" if bucket else outcome,
        answer=Answer(text="An answer [c1#3].", usage=Usage(prompt_tokens=100, cost=0.001)),
        verdict=Verdict(**{**values, **verdict}),
    )
