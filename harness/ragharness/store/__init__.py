"""The run folder: questions and records on disk as soon as they are known.

    run.json          format, versions, settings: written before the first question
    questions.jsonl   the questions as they were asked
    sessions.jsonl    one line whenever the run was started or continued
    records.jsonl     one line a record, appended
    answers.jsonl     answers that wait for their verdict: while a run is written, and after it was broken off
    scores.json       the last scores
    lock              held by the process that writes

Records are only ever appended. An answer is on disk, as a record or as one that waits, before its worker
takes the next question.
"""

from ragharness.store.folder import RunFolder
from ragharness.store.journal import Journal
from ragharness.store.layout import FORMAT, Call, Run, Session, Settings, differences
from ragharness.store.search import find_run, find_unfinished, new_folder

__all__ = [
    "FORMAT",
    "Call",
    "Journal",
    "Run",
    "RunFolder",
    "Session",
    "Settings",
    "differences",
    "find_run",
    "find_unfinished",
    "new_folder",
]
