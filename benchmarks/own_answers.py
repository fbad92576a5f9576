"""The grader's error on our own ground: answers of small models that two readers labelled.

    python benchmarks/own_answers.py RUN...

Each RUN was labelled by ``ragharness label RUN --as NAME --tsv FILE``, by two readers or more. Every answer
is graded anew; those that readers put into different buckets are counted apart. Writes ``own_answers.jsonl``
(a line an answer: run, labels, verdict, the digest of its text), ``own_answers.json``, and what the footer of
reports says.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from typing import Any

import ragharness as rh
from bench import HERE, digest, json_lines, proportion, write_result
from ragharness.runner.grading import came_out

FOOTER = HERE.parent / "harness" / "ragharness" / "reports" / "grader_error.json"
BUCKETS = ("correct", "wrong", "unsupported", "refused")


def rows_of(run: rh.Run) -> list[dict[str, Any]]:
    """A line for each labelled answer of a run."""
    settings, grading = run.settings, run.grading
    if grading is None:
        sys.exit(f"{run.path}: the corpus {settings.corpus} is not on this machine")
    labels: dict[str, dict[str, str]] = {}
    for number, path in enumerate(sorted((run.path / "labels").glob("*.jsonl")), 1):
        for label in json_lines(path):
            if label.get("bucket"):
                labels.setdefault(label["question"], {})[f"reader {number}"] = label["bucket"]
    options = settings.pipeline_settings
    about = {
        "corpus": settings.corpus,
        "model": options.get("model", settings.pipeline),
        "prompt": str(options.get("prompt", "")).partition(" ")[0],
    }
    return [
        {
            **about,
            "question": record.question,
            "answer": digest(record.answer.text)[:16],
            "labels": labels[record.question],
            "verdict": came_out(grading.graded(record)),
        }
        for record in run.folder.records()
        if record.question in labels and record.answer is not None
    ]


def main() -> None:
    runs = [rh.load_run(name) for name in sys.argv[1:]]
    rows = [row for run in runs for row in rows_of(run)]
    agreed = [row for row in rows if len({*row["labels"].values()}) == 1]
    counts = Counter((next(iter(row["labels"].values())), row["verdict"]) for row in agreed)

    def total(label: str = "", verdict: str = "") -> int:
        return sum(n for (a, b), n in counts.items() if label in ("", a) and verdict in ("", b))

    called, right, review = total("", "correct"), total("correct"), total("", "needs_review")
    false_correct, false_wrong = called - total("correct", "correct"), total("correct", "wrong")
    matches = sum(total(bucket, bucket) for bucket in BUCKETS)
    rates = {
        "readers agree": proportion(len(agreed), len(rows)),
        "false wrong": proportion(false_wrong, right),
        "false correct": proportion(false_correct, called),
        "needs review": proportion(review, len(agreed)),
        "bucket agrees, graded": proportion(matches, len(agreed) - review),
        **{f"recall of {name}": proportion(total(name, name), total(name)) for name in BUCKETS},
        **{f"precision of {name}": proportion(total(name, name), total("", name)) for name in BUCKETS},
    }
    (grader,) = {f"{run.grading.grader.name}@{run.grading.grader.version}" for run in runs if run.grading}
    confusion = {a: {b: counts[a, b] for b in (*BUCKETS, "needs_review")} for a in BUCKETS}
    result = {"grader": grader, "answers": len(rows), "confusion": confusion, "rates": rates}
    write_result(HERE / "own_answers.json", result)
    lines = "".join(json.dumps(row, sort_keys=True) + "\n" for row in rows)
    (HERE / "own_answers.jsonl").write_text(lines, encoding="utf-8")
    footer = {
        "grader": grader,
        "answers": len(agreed),
        "called_wrong": false_wrong,
        "right": right,
        "not_right": false_correct,
        "called_correct": called,
    }
    write_result(FOOTER, footer)
    print(json.dumps(rates, indent=1))


if __name__ == "__main__":
    main()
