"""How much review a judge settles, and at what error.

The answers of labelled files that the rules leave to review are sampled (by the sha256 of their id), given to
the judge, and kept one a line, so that a broken-off measurement goes on. ``--report`` prints the curve.

    python benchmarks/judge_curve.py evouna=EVOUNA.jsonl --sample 40 -s model=NAME -s base-url=URL
    python benchmarks/judge_curve.py --report judge_curve.jsonl
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from hashlib import sha256
from pathlib import Path
from typing import Any

from ragharness.analysis.calibration.labelled import read_labelled
from ragharness.analysis.calibration.measuring import judge
from ragharness.graders import cost_lines, load_grader

HERE = Path(__file__).parent
THRESHOLDS = ((10, 0), (9, 1), (8, 2), (7, 3), (6, 4))
OUTCOMES = ("correct", "wrong", "refused")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("files", nargs="*", metavar="NAME=FILE")
    parser.add_argument("--sample", type=int, default=40, help="answers of each file")
    parser.add_argument("--out", type=Path, default=HERE / "judge_curve.jsonl")
    parser.add_argument("--cache", type=Path, default=None)
    parser.add_argument("-s", dest="settings", action="append", default=[], metavar="NAME=VALUE")
    parser.add_argument("--report", action="store_true", help="print the curve of --out and ask nothing")
    chosen = parser.parse_args()
    if not chosen.report:
        measure(chosen.files, chosen.sample, chosen.out, chosen.settings, chosen.cache)
    print(json.dumps(report(rows_of(chosen.out)), indent=1))


def measure(files: list[str], sample: int, out: Path, settings: list[str], cache: Path | None) -> None:
    """Ask the judge about every sampled answer that has no line in ``out`` yet."""
    grader = load_grader("judge", settings=[f"judge.{each}" for each in settings], cache=cache)
    done = {(row["file"], row["id"]) for row in rows_of(out)} if out.is_file() else set()
    chosen: list[tuple[str, Any, int, int]] = []
    for text in files:
        name, _, path = text.partition("=")
        answers = read_labelled(Path(path))
        rules = load_grader()
        review = [each for each in answers if judge(rules, each).status == "needs_review"]
        review.sort(key=lambda each: sha256(each.question.id.encode()).digest())
        chosen += [(name, each, len(review), len(answers)) for each in review[:sample]]
    # Files in turn, so that what is measured of each grows alike.
    places: Counter[str] = Counter()
    turns = []
    for row in chosen:
        places[row[0]] += 1
        turns.append((places[row[0]], row))
    with out.open("a", encoding="utf-8") as file:
        for _, (name, each, review_count, all_count) in sorted(turns, key=lambda turn: turn[0]):
            if (name, each.question.id) in done:
                continue
            verdict = judge(grader, each)
            scores = {made.decision: made.mean for made in verdict.judgements}
            told = {
                "file": name, "id": each.question.id, "kind": each.shape, "label": each.label,
                "outcome": verdict.bucket or verdict.status, "refusal": scores.get("refusal"),
                "answer": scores.get("answer"), "grader": verdict.grader,
                "review": review_count, "answers": all_count,
            }  # fmt: skip
            file.write(json.dumps(told) + "\n")
            file.flush()
    print("\n".join(cost_lines(grader)))


def rows_of(out: Path) -> list[dict[str, Any]]:
    """Return the lines of a measurement."""
    return [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]


def report(rows: list[dict[str, Any]]) -> dict[str, Any]:
    """Return for each file what the judge settles at each pair of thresholds, and how often it errs."""
    found: dict[str, Any] = {}
    for name in sorted({row["file"] for row in rows}):
        own = [row for row in rows if row["file"] == name]
        found[name] = {
            "grader": own[0]["grader"],
            "sampled": len(own),
            "review": own[0]["review"],
            "answers": own[0]["answers"],
            "labels": dict(sorted(Counter(row["label"] for row in own).items())),
            "unreadable": sum(row["refusal"] is None for row in own),
            "auc": auc(own),
            "curve": [
                at(own, accept, reject) for accept, reject in ((10, 0), (9, 1), (8, 2), (7, 3), (6, 4))
            ],
        }
    return found


def at(rows: list[dict[str, Any]], accept: float, reject: float) -> dict[str, Any]:
    """Return the counts at one pair of thresholds."""
    said: Counter[tuple[str, str]] = Counter()
    for row in rows:
        said[row["label"], _outcome(row, accept, reject)] += 1
    of = {
        out: sum(n for (_, each), n in said.items() if each == out) for out in ("correct", "wrong", "refused")
    }
    return {
        "accept": accept,
        "reject": reject,
        "settled": sum(of.values()),
        "correct": of["correct"],
        "false_correct": of["correct"] - said["correct", "correct"],
        "wrong": of["wrong"],
        "false_wrong": said["correct", "wrong"],
        "refused": of["refused"],
        "false_refused": of["refused"] - said["refusal", "refused"],
    }


def _outcome(row: dict[str, Any], accept: float, reject: float) -> str:
    if row["refusal"] == 1:
        return "refused"
    score = row["answer"]
    if row["refusal"] is None or score is None:
        return "review"
    return "correct" if score >= accept else "wrong" if score <= reject else "review"


def auc(rows: list[dict[str, Any]]) -> float | None:
    """Return how often a right answer has the higher score, of all pairs with a wrong one; ties are half."""
    scored = [(row["answer"], row["label"] == "correct") for row in rows if row["answer"] is not None]
    right = [score for score, is_right in scored if is_right]
    wrong = [score for score, is_right in scored if not is_right]
    pairs = [(a > b) + (a == b) / 2 for a in right for b in wrong]
    return round(sum(pairs) / len(pairs), 3) if pairs else None


if __name__ == "__main__":
    main()
