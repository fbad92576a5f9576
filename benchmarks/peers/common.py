"""The ten answers, and how a script hands back what its tool said of them."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

Case = dict[str, Any]

CASES: list[Case] = [
    json.loads(line)
    for line in (Path(__file__).with_name("answers.jsonl")).read_text(encoding="utf-8").splitlines()
]


def contexts(case: Case) -> list[str]:
    """Return the texts of the passages that a case's pipeline had."""
    return [each["text"] for each in case["passages"]]


def plain(text: str) -> str:
    """Return an answer without its citation marks."""
    return re.sub(r"\s*\[[\w-]+#\d+\]", "", text)


def numbered(case: Case) -> str:
    """Return an answer whose citations are the numbers of its passages."""
    ids = [each["id"] for each in case["passages"]]
    return re.sub(r"\[([\w-]+#\d+)\]", lambda found: f"[{ids.index(found[1]) + 1}]", case["answer"])


def told(value: object) -> object:
    """Return a score as a table can show it: three digits, and NaN by its name."""
    if isinstance(value, float):
        return "nan" if value != value else round(value, 3)
    return value


def hand_back(version: str, scores: dict[str, dict[str, object]], notes: list[str] | None = None) -> None:
    """Print the result as the last line, as JSON: metric -> id of the question -> what the tool said."""
    found = {metric: {id_: told(value) for id_, value in each.items()} for metric, each in scores.items()}
    sys.stdout.write("\n" + json.dumps({"version": version, "scores": found, "notes": notes or []}) + "\n")


def attempt(score: Any, *arguments: Any) -> object:
    """Return what a call returns, or the exception that it raises, as a text."""
    try:
        return score(*arguments)
    except Exception as error:  # noqa: BLE001 (what a tool raises is the finding)
        return f"{type(error).__name__}: {' '.join(str(error).split())[:120]}"
