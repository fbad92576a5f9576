"""The ten answers through promptfoo: a replaying provider, assertions without a model and with the judge."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from pathlib import Path
from typing import Any

from common import CASES, contexts, hand_back, plain

TIMEOUT_MS = 3000
PROVIDER = """
const answers = require("./answers.json");
module.exports = class {
  id() { return "replay"; }
  async callApi(prompt) {
    if (answers[prompt] === null) await new Promise((done) => setTimeout(done, 9000));
    return { output: answers[prompt] };
  }
};
"""


def named(kind: str) -> str:
    """Return an assertion's name in the table."""
    return f"{kind}{' (judge)' if kind in ('context-faithfulness', 'factuality') else ''}"


def config() -> dict[str, Any]:
    """Return the configuration: a test for each answer, each with the same assertions."""
    judge = {
        "id": "openai:chat:scripted",
        "config": {"apiBaseUrl": os.environ["JUDGE"], "apiKey": "none"},
    }
    return {
        "prompts": ["{{question}}"],
        "providers": ["file://provider.cjs"],
        "defaultTest": {"options": {"provider": judge}},
        "evaluateOptions": {"timeoutMs": TIMEOUT_MS, "maxConcurrency": 1, "cache": False},
        "tests": [
            {
                "description": case["id"],
                "vars": {
                    "question": case["question"],
                    "query": case["question"],
                    "context": "\n\n".join(contexts(case)),
                },
                "assert": [
                    {"type": "icontains", "value": case["gold"]},
                    {"type": "is-refusal"},
                    {"type": "context-faithfulness", "threshold": 0.5},
                    {"type": "factuality", "value": case["gold"]},
                ],
            }
            for case in CASES
        ],
    }


def main() -> None:
    binary = os.environ["PROMPTFOO"]
    with tempfile.TemporaryDirectory() as place:
        home = Path(place)
        recorded = {case["question"]: case["answer"] and plain(case["answer"]) for case in CASES}
        (home / "answers.json").write_text(json.dumps(recorded), encoding="utf-8")
        (home / "provider.cjs").write_text(PROVIDER, encoding="utf-8")
        (home / "promptfooconfig.json").write_text(json.dumps(config()), encoding="utf-8")
        quiet = {
            "PROMPTFOO_DISABLE_TELEMETRY": "1",
            "PROMPTFOO_DISABLE_UPDATE": "1",
            "PROMPTFOO_CONFIG_DIR": place,
        }
        command = [binary, "eval", "-c", "promptfooconfig.json", "-o", "out.json", "--no-progress-bar"]
        done = subprocess.run(
            command, cwd=place, env={**os.environ, **quiet}, capture_output=True, text=True, check=False
        )
        if not (home / "out.json").is_file():
            raise SystemExit(f"{done.stdout[-2000:]}\n{done.stderr[-2000:]}")
        found = json.loads((home / "out.json").read_text(encoding="utf-8"))
        version = subprocess.run([binary, "--version"], capture_output=True, text=True, check=True).stdout
    scores: dict[str, dict[str, object]] = {}
    for row in found["results"]["results"]:
        name = row["testCase"]["description"]
        graded = (row.get("gradingResult") or {}).get("componentResults") or ()
        scores.setdefault("sample", {})[name] = (
            "ok" if graded else "timed out" if "timed out" in row["error"] else row["error"]
        )
        for each in graded:
            scores.setdefault(named(each["assertion"]["type"]), {})[name] = each["score"]
    hand_back(version.strip(), scores)


if __name__ == "__main__":
    main()
