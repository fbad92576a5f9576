"""The grader's error on our own ground: natural answers to the frozen questions, labelled before any verdict.

    python benchmarks/own_answers.py contractnli=FOLDER edgar=FOLDER govreport=FOLDER [--part seen] [--show]

``own_answers.jsonl`` holds the answers, a line each: corpus, question and the ids of the passages that the
writer saw, the answer, the writer's labels, and for every fourth answer those of a second reader; the card is
docs/calibration.md. Writers and readers are language models that knew no rule of the grader; the rules were
mended on the part *seen*, and the part *unseen* was not read. Writes ``own_answers.json`` and what the footer
of reports quotes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

import msgspec

import ragharness as rh
from bench import HERE, json_lines, parser, proportion, read_result, write_result
from ragharness.corpus.passages import cached_passages
from ragharness.graders import load_grader
from ragharness.graders.verdicts import grade
from ragharness.records import Answer, Verdict

ANSWERS, RESULT = HERE / "own_answers.jsonl", HERE / "own_answers.json"
FOOTER = HERE.parent / "harness" / "ragharness" / "reports" / "grader_error.json"
BUCKETS = ("correct", "wrong", "unsupported", "refused")
AXES = ("citation_supports", "refusal_quality", "extra_claim_count")
Row = dict[str, Any]


def graded(folders: dict[str, str], part: str) -> Iterator[tuple[Row, Verdict]]:
    """Rows of a part (empty: all), each with the verdict of the rules."""
    grader = load_grader()
    rows = [row for row in json_lines(ANSWERS) if part in ("", row["part"])]
    for name, folder in {"sample": "", **folders}.items():
        corpus = rh.load_corpus(name, source=folder)
        questions = {question.id: question for question in rh.load_questions(corpus).questions}
        passages = cached_passages(corpus).by_id
        for row in (row for row in rows if row["corpus"] == name):
            retrieved = [passages[id_] for id_ in row["passages"]]
            answer, evidence = Answer(text=row["answer"]), frozenset(row["evidence"])
            yield row, grade(grader, questions[row["question"]], answer, retrieved, evidence)


def figures(pairs: list[tuple[Row, Verdict]]) -> dict[str, Any]:
    """Confusion of the buckets, their rates, and the agreement of the axes."""
    counts: Counter[tuple[str, str]] = Counter(
        (row["bucket"], verdict.bucket or "needs_review") for row, verdict in pairs
    )

    def total(label: str = "", verdict: str = "") -> int:
        return sum(n for (a, b), n in counts.items() if label in ("", a) and verdict in ("", b))

    right, refusals, review = total("correct"), total("refused"), total("", "needs_review")
    matches = sum(total(bucket, bucket) for bucket in BUCKETS)
    condemned = right - total("correct", "correct") - total("correct", "needs_review")
    false_refusals = refusals - total("refused", "refused") - total("refused", "needs_review")
    called = total("", "correct")
    rates = {
        "false correct": proportion(called - total("correct", "correct"), called),
        "right ones condemned": proportion(condemned, right),
        "refusals condemned": proportion(false_refusals, refusals),
        "needs review": proportion(review, len(pairs)),
        "bucket agrees, graded": proportion(matches, len(pairs) - review),
        **{f"recall of {name}": proportion(total(name, name), total(name)) for name in BUCKETS},
        **{f"precision of {name}": proportion(total(name, name), total("", name)) for name in BUCKETS},
    }
    for axis in AXES:
        both = [
            (row[axis], getattr(verdict, axis))
            for row, verdict in pairs
            if row[axis] is not None and getattr(verdict, axis) is not None
        ]
        rates[f"{axis} agrees"] = proportion(sum(a == b for a, b in both), len(both))
    confusion = {a: {b: counts[a, b] for b in (*BUCKETS, "needs_review")} for a in BUCKETS}
    return {"answers": len(pairs), "confusion": confusion, "rates": rates}


def readers(rows: list[Row]) -> list[Any]:
    """Share of the answers with two readers that both put into one bucket."""
    twice = [row for row in rows if "second" in row]
    return proportion(sum(row["second"]["bucket"] == row["bucket"] for row in twice), len(twice))


def main() -> None:
    arguments = parser(__doc__)
    arguments.add_argument("corpora", nargs="*", metavar="CORPUS=FOLDER")
    arguments.add_argument("--part", choices=("seen", "unseen"), default="")
    arguments.add_argument("--show", action="store_true", help="print what the grader puts elsewhere")
    options = arguments.parse_args()
    pairs = list(graded(dict(pair.split("=", 1) for pair in options.corpora), options.part))
    for row, verdict in pairs if options.show else ():
        if row["bucket"] != verdict.bucket:
            print(f"{row['id']} {row['bucket']}, graded {verdict.bucket}: {row['answer']}\n    {verdict.why}")
    if options.part:
        print(msgspec.json.format(msgspec.json.encode(figures(pairs)["rates"])).decode())
        return
    grader = f"rules@{load_grader().version}"
    parts = {part: [pair for pair in pairs if pair[0]["part"] == part] for part in ("seen", "unseen")}
    result = {
        "grader": grader,
        "readers agree": readers([row for row, _ in pairs]),
        "parts": {part: figures(pairs) for part, pairs in parts.items()},
    }
    write_result(RESULT, result)
    unseen = figures(parts["unseen"])
    precision = {name: unseen["rates"][f"precision of {name}"][:2] for name in BUCKETS}
    slot = read_result(HERE / "wrong_slot.json")["families"]["all of others, unseen"]["called correct"][:2]
    footer = {"grader": grader, "answers": unseen["answers"], "precision": precision, "wrong_slot": slot}
    write_result(FOOTER, footer)
    print(msgspec.json.format(msgspec.json.encode(result["parts"])).decode())


if __name__ == "__main__":
    main()
