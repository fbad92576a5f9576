"""List every verdict that differs between two versions of the grader, on labelled cases and answers.

    python benchmarks/verdicts.py dump NEW.json --answers ../shared/data/human-labels/evouna/answers.jsonl
    python benchmarks/verdicts.py diff OLD.json NEW.json benchmarks/verdict_changes.tsv

``dump`` runs in the checkout of each version. The list holds ids, labels, verdicts and reasons, no text.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from ragharness.analysis.calibration.labelled import read_labelled
from ragharness.analysis.calibration.measuring import judge
from ragharness.graders import load_grader
from ragharness.graders.verdicts.labelled_cases import check_cases

CASES = Path(__file__).resolve().parents[1] / "tests" / "cases"


def dump(out: Path, answers: Path | None) -> None:
    """Write id -> [label, kind, outcome, reason, why] of every case and labelled answer."""
    grader = load_grader()
    found: dict[str, list[str]] = {}
    for path in sorted(CASES.glob("*.json")):
        for result in check_cases(path, grader):
            verdict = result.verdict
            label = str(result.case.expected.get("bucket") or result.case.expected.get("status") or "")
            row = [
                label,
                result.case.question.kind,
                verdict.bucket or verdict.status,
                verdict.reason,
                verdict.why,
            ]
            found[f"{path.stem}:{result.case.id}"] = row
    for each in read_labelled(answers) if answers else ():
        verdict = judge(grader, each)
        row = [each.label, each.shape, verdict.bucket or verdict.status, verdict.reason]
        found[f"answer:{each.question.id}"] = [*row, verdict.why if verdict.status == "needs_review" else ""]
    out.write_text(json.dumps(found), encoding="utf-8")


def diff(old: Path, new: Path, out: Path) -> None:
    """Write what differs, a line each, and print how often each change was made."""
    before, after = json.loads(old.read_text("utf-8")), json.loads(new.read_text("utf-8"))
    lines = ["id\tlabel\tkind\tbefore\tafter\twhy"]
    for name in sorted(before.keys() & after.keys()):
        was, now = before[name], after[name]
        if was[2] != now[2]:
            why = now[4].removeprefix("The rules cannot read the answer: ").partition("'")[0].strip()
            cells = [name, now[0], now[1], f"{was[2]} {was[3]}", f"{now[2]} {now[3]}", why or now[3]]
            lines.append("\t".join(cells))
    out.write_text("\n".join(lines) + "\n", encoding="utf-8")
    print(f"{len(lines) - 1} of {len(before.keys() & after.keys())} verdicts differ: {out}")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("verb", choices=("dump", "diff"))
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--answers", type=Path)
    given = parser.parse_args()
    if given.verb == "dump":
        dump(given.files[0], given.answers)
    else:
        diff(*given.files)


if __name__ == "__main__":
    main()
