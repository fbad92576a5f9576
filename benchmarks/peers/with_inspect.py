"""The ten answers through Inspect: a replaying solver, scorers without a model, and one with the judge."""

from __future__ import annotations

import asyncio
import os
import tempfile
from importlib.metadata import version

from common import CASES, hand_back, plain
from inspect_ai import Task
from inspect_ai import eval as evaluate
from inspect_ai.dataset import Sample
from inspect_ai.model import ModelOutput, get_model
from inspect_ai.scorer import exact, f1, includes, match, model_graded_qa
from inspect_ai.solver import Generate, Solver, TaskState, solver

KNOWN = {case["id"]: case for case in CASES}
TIME_LIMIT = 20


@solver  # type: ignore[untyped-decorator, unused-ignore]
def replay() -> Solver:
    """Answer as recorded; the answer that is missing takes too long."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:  # noqa: ARG001
        answer = KNOWN[str(state.sample_id)]["answer"]
        if answer is None:
            await asyncio.sleep(3 * TIME_LIMIT)
        state.output = ModelOutput.from_content("recorded", plain(answer))
        return state

    return solve


def main() -> None:
    judge = get_model("openai-api/judge/scripted", base_url=os.environ["JUDGE"], api_key="none")
    task = Task(
        dataset=[Sample(input=case["question"], target=case["gold"], id=case["id"]) for case in CASES],
        solver=replay(),
        scorer=[match(location="any"), includes(), exact(), f1(), model_graded_qa(model=judge)],
        time_limit=TIME_LIMIT,
    )
    with tempfile.TemporaryDirectory() as logs:
        (log,) = evaluate(task, model="mockllm/model", log_dir=logs, display="none", fail_on_error=False)
        samples = log.samples or []
    scores: dict[str, dict[str, object]] = {}
    for sample in samples:
        for name, score in (sample.scores or {}).items():
            named = f"{name.removeprefix('inspect_ai/')}{' (judge)' if 'model' in name else ''}"
            scores.setdefault(named, {})[str(sample.id)] = score.value
        ended = f"{sample.limit.type} limit" if sample.limit else sample.error and sample.error.message
        scores.setdefault("sample", {})[str(sample.id)] = ended or "ok"
    hand_back(version("inspect-ai"), scores, [f"status of the evaluation: {log.status}"])


if __name__ == "__main__":
    main()
