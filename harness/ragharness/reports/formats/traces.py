"""The records as traces, an object a line, for scorers of docs/traces.md."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from ragharness.analysis.scores import Scores
from ragharness.runner.run_folder import RunFolder
from ragharness.traces.scorer import TOKEN


def render(scores: Scores, *, run: Any = None, **_: object) -> str:
    """Line for each record, a refusal as the token of the scorers; without ``run`` its folder is opened."""
    folder = run.folder if run is not None else RunFolder.open(Path(scores.folder))
    lines = []
    for record in folder.records():
        refused = record.verdict is not None and record.verdict.bucket == "refused"
        text = record.answer.text if record.answer else ""
        trace = {
            "qid": record.question,
            "retrieved_ids": [hit.id for hit in record.retrieved],
            "answer_json": {"claim": TOKEN if refused else text, "citations": sorted(record.cited)},
        }
        lines.append(f"{json.dumps(trace, ensure_ascii=False)}\n")
    return "".join(lines)
