"""What was retrieved as a TREC run file, for trec_eval, ir_measures or pytrec_eval."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ragharness.analysis.scores import RunOnDisk, Scores
from ragharness.errors import UsageError
from ragharness.records import Question, Record
from ragharness.reports.formats import answered


def render(scores: Scores, *, run: RunOnDisk, **_: object) -> str:
    """Line for each retrieved passage: topic, Q0, passage, rank, score, name."""
    name = one_word(run.folder.name)
    # trec_eval orders by score and looks at no rank: scores of two retrievers need not fall with it.
    return "".join(
        f"{topic} Q0 {one_word(hit.id)} {rank} {1 / rank:.6f} {name}\n"
        for topic, _, record in within(run)
        for rank, hit in enumerate(record.retrieved if record else (), start=1)
    )


_SPACE = re.compile(r"\s+")


def within(run: RunOnDisk) -> Iterator[tuple[str, Question, Record | None]]:
    """Yield the topics of the retrieval metrics: questions whose gold evidence is in reach, by epoch."""
    epochs = run.folder.run.settings.epochs
    epoch_of: dict[str, int] = {}
    for question, record in answered(run):
        epoch_of[question.id] = epoch = epoch_of.get(question.id, 0) + 1
        if question.wanted == "correct" and question.evidence:
            yield one_word(question.id) + (f"_{epoch}" if epochs > 1 else ""), question, record


def qrels_lines(run: RunOnDisk) -> Iterator[str]:
    """Yield one line for each passage that holds gold evidence; raises UsageError without the corpus."""
    grading = run.grading
    if grading is None:
        message = f"expected the corpus {run.folder.run.settings.corpus} as it was in the run, found none"
        raise UsageError(message, help="ragharness corpus list")
    for topic, question, record in within(run):
        homes = dict.fromkeys(span.document for span in question.evidence)
        pool = [passage for home in homes for passage in grading.passages.of(home)]
        holders = grading.evidence.supporting(question, pool)
        found = grading.evidence.supporting(question, grading.passages_of(record) if record else ())
        for name in sorted(holders | found):
            yield f"{topic} 0 {one_word(name)} 1\n"


def one_word(name: str) -> str:
    """Name without white space, which parts the columns."""
    return _SPACE.sub("_", name)
