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
from hashlib import sha256
from pathlib import Path
from typing import Any

import ragharness as rh
from ragharness.analysis.metrics import share
from ragharness.runner.grading import came_out

HERE = Path(__file__).parent
FOOTER = HERE.parent / "harness" / "ragharness" / "reports" / "grader_error.json"
BUCKETS = ("correct", "wrong", "unsupported", "refused")


def labels_of(run: rh.Run) -> dict[str, dict[str, str]]:
    """Return the buckets of each question by reader, in the order of their names."""
    found: dict[str, dict[str, str]] = {}
    for number, path in enumerate(sorted((run.path / "labels").glob("*.jsonl")), 1):
        for each in map(json.loads, path.read_text(encoding="utf-8").splitlines()):
            if each.get("bucket"):
                found.setdefault(each["question"], {})[f"reader {number}"] = each["bucket"]
    return found


def rows_of(run: rh.Run) -> list[dict[str, Any]]:
    """Return a line for each labelled answer of a run."""
    settings, grading, said = run.settings, run.grading, labels_of(run)
    if grading is None:
        sys.exit(f"{run.path}: the corpus {settings.corpus} is not on this machine")
    kept = settings.pipeline_settings
    about = {
        "corpus": settings.corpus,
        "model": kept.get("model", settings.pipeline),
        "prompt": str(kept.get("prompt", "")).partition(" ")[0],
    }
    return [
        {
            **about,
            "question": record.question,
            "answer": sha256(record.answer.text.encode()).hexdigest()[:16],
            "labels": said[record.question],
            "verdict": came_out(grading.graded(record)),
        }
        for record in run.folder.records()
        if record.question in said and record.answer is not None
    ]


def main() -> None:
    runs = [rh.load_run(each) for each in sys.argv[1:]]
    rows = [row for run in runs for row in rows_of(run)]
    agreed = [row for row in rows if len({*row["labels"].values()}) == 1]
    counts = Counter((next(iter(row["labels"].values())), row["verdict"]) for row in agreed)

    def of(label: str = "", verdict: str = "") -> int:
        return sum(n for (a, b), n in counts.items() if label in ("", a) and verdict in ("", b))

    rates = {
        "readers agree": share(len(agreed), len(rows)),
        "false wrong": share(of("correct", "wrong"), of("correct")),
        "false correct": share(of("", "correct") - of("correct", "correct"), of("", "correct")),
        "needs review": share(of("", "needs_review"), len(agreed)),
        "bucket agrees, graded": share(
            sum(of(each, each) for each in BUCKETS), len(agreed) - of("", "needs_review")
        ),
        **{f"recall of {each}": share(of(each, each), of(each)) for each in BUCKETS},
        **{f"precision of {each}": share(of(each, each), of("", each)) for each in BUCKETS},
    }
    (grader,) = {f"{run.grading.grader.name}@{run.grading.grader.version}" for run in runs if run.grading}
    found = {
        "grader": grader,
        "answers": len(rows),
        "confusion": {a: {b: counts[a, b] for b in (*BUCKETS, "needs_review")} for a in BUCKETS},
        "rates": {name: [each.count, each.n, each.low, each.high] for name, each in rates.items()},
    }
    (HERE / "own_answers.json").write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    lines = "".join(json.dumps(row, sort_keys=True) + "\n" for row in rows)
    (HERE / "own_answers.jsonl").write_text(lines, encoding="utf-8")
    short = {
        "grader": grader,
        "answers": len(agreed),
        "called_wrong": of("correct", "wrong"),
        "right": of("correct"),
        "not_right": of("", "correct") - of("correct", "correct"),
        "called_correct": of("", "correct"),
    }
    FOOTER.write_text(json.dumps(short, indent=1) + "\n", encoding="utf-8")
    print(json.dumps(found["rates"], indent=1))


if __name__ == "__main__":
    main()
