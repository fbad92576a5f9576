"""The tables of the comparison with other tools, from ``benchmarks/peers.json``."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

BENCHMARKS = Path(__file__).resolve().parents[1] / "benchmarks"
NAMES = {
    "ragharness": "ragharness",
    "ragas": "ragas",
    "deepeval": "DeepEval",
    "trulens": "TruLens",
    "promptfoo": "promptfoo",
    "inspect": "Inspect",
}
REFERENCE = (
    ("ragharness", "bucket"),
    ("ragas", "factual correctness (judge)"),
    ("deepeval", "correctness, GEval (judge)"),
    ("trulens", "agreement (judge)"),
    ("promptfoo", "factuality (judge)"),
    ("inspect", "model_graded_qa (judge)"),
)
SUPPORT = (
    ("ragharness", "bucket"),
    ("ragas", "faithfulness (judge)"),
    ("deepeval", "faithfulness (judge)"),
    ("trulens", "groundedness (judge)"),
    ("trulens", "groundedness, answerability considered (judge)"),
    ("promptfoo", "context-faithfulness (judge)"),
    ("deepeval", "citation faithfulness (judge)"),
    ("trulens", "citation attribution (judge)"),
)
ALONE = (
    ("ragharness", "bucket"),
    ("ragas", "string similarity"),
    ("ragas", "exact match"),
    ("deepeval", "exact match"),
    ("promptfoo", "icontains"),
    ("promptfoo", "is-refusal"),
    ("inspect", "includes"),
    ("inspect", "f1"),
)

COSTED = 1_300
"""Questions of the runs whose cost is shown."""
COARSE = 100
"""Seconds from which on tenths say nothing."""


def tools() -> str:
    """Each tool with its version, how it was installed, and how often it asked the judge."""
    rows = [["tool", "version", "installed by", "calls of the judge"], ["---"] * 4]
    for name, result in _results().items():
        cells = [
            result["version"],
            f"`{result['install']}`" if result["install"] else "",
            str(result["judge_calls"]),
        ]
        rows.append([NAMES[name], *(cells if "error" not in result else [result["error"], "", ""])])
    return _drawn(rows)


def costs() -> str:
    """CPU seconds of each tool over 1,300 questions, by the kind of answer, and until it is there."""
    result = json.loads((BENCHMARKS / "figures.json").read_text(encoding="utf-8"))
    names = {**NAMES, "inspect-ai": "Inspect", "pydantic-evals": "pydantic-evals"}
    start = result["start-up"]
    cpu = {
        (row["tool"], row["answers"]): row["cpu"]
        for row in result["side by side"]
        if row["questions"] == COSTED and "cpu" in row
    }
    kinds = {"noop": "refusal", "sentence": "sentence", "long": "200 words"}
    rows = [["", *kinds.values(), "start-up"], ["---"] * (2 + len(kinds))]
    tools = sorted({tool for tool, _ in cpu} - {"floor"}, key=lambda tool: cpu[tool, "sentence"])
    for tool in tools:
        seconds = [*(cpu[tool, kind] for kind in kinds), start[tool]["cpu"]]
        cells = [f"{value:.1f}" if value < COARSE else f"{value:.0f}" for value in seconds]
        rows.append([names[tool], *cells])
    return _drawn(rows)


def table(metrics: tuple[tuple[str, str], ...]) -> str:
    """What each metric said of each of the ten answers."""
    lines = (BENCHMARKS / "peers" / "answers.jsonl").read_text(encoding="utf-8").splitlines()
    results = _results()
    heads = [f"{NAMES[tool]} {metric.removesuffix(' (judge)')}" for tool, metric in metrics]
    rows = [["the answer is", *heads], ["---"] * (1 + len(heads))]
    for case in map(json.loads, lines):
        cells = [_cell(results[tool], metric, case["id"]) for tool, metric in metrics]
        rows.append([case["what"], *cells])
    return _drawn(rows)


def _cell(tool: dict[str, Any], metric: str, case: str) -> str:
    if "error" in tool:
        return "not run"
    value = tool["scores"][metric].get(case)
    if value is None:
        return str(tool["scores"]["sample"][case])
    if isinstance(value, str):
        return f"raises {value.partition(':')[0]}" if "Error: " in value else value.replace("nan", "NaN")
    return f"{value:.2f}".rstrip("0").rstrip(".")


def _results() -> dict[str, dict[str, Any]]:
    results: dict[str, dict[str, Any]] = json.loads((BENCHMARKS / "peers.json").read_text("utf-8"))["tools"]
    return results


def _drawn(rows: list[list[str]]) -> str:
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)
