"""The floor: the same job in the fewest lines, the standard library alone. ``python floor.py INPUT OUT``.

Reads the questions, takes the answer that is given, sorts it by one pattern into four buckets, and writes and
flushes a line a question. It retrieves nothing and reads no meaning.
"""

from __future__ import annotations

import json
import re
import sys
from collections import Counter
from pathlib import Path
from typing import Any

_CITATION = re.compile(r"\[([^\[\]]+)\]")


def bucket(gold: str, answer: str, retrieved: set[str]) -> str:
    low = answer.lower()
    if "i do not know" in low:
        return "refused"
    cited = _CITATION.findall(answer)
    if not cited or any(each not in retrieved for each in cited):
        return "unsupported"
    return "correct" if gold.lower() in low else "wrong"


def floor(questions: Path, out: Path) -> Counter[str]:
    """Score every question of a job's ``input.jsonl`` and write a line for each."""
    counts: Counter[str] = Counter()
    with questions.open(encoding="utf-8") as lines, out.open("w", encoding="utf-8") as written:
        for line in lines:
            row: dict[str, Any] = json.loads(line)
            found = bucket(row["gold"], row["canned"], {each["id"] for each in row["passages"]})
            counts[found] += 1
            record = {key: row[key] for key in ("id", "canned", "passages")}
            written.write(json.dumps({**record, "bucket": found}) + "\n")
            written.flush()
    return counts


if __name__ == "__main__":
    print(json.dumps(floor(Path(sys.argv[1]), Path(sys.argv[2]))))
