"""The run folder: questions and records on disk as soon as they are known.

    run.json          format, versions, settings: written before the first question
    questions.jsonl   the questions as they were asked
    sessions.jsonl    one line whenever the run was started or continued
    answers.jsonl     one line an answer, appended by asking; removed once all are graded
    records.jsonl     one line a record, an answer with its verdict, appended by grading
    scores.json       the last scores
    lock              held by the process that writes

Both are only ever appended to. An answer is on disk before its worker takes the next question.
"""
