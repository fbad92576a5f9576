"""The ten answers through DeepEval: exact match, and three metrics with the judge."""

from __future__ import annotations

import os
from importlib.metadata import version
from typing import Any

from common import CASES, attempt, contexts, hand_back, numbered, plain
from deepeval.metrics import ExactMatchMetric, FaithfulnessMetric, GEval
from deepeval.metrics.community import CitationFaithfulnessMetric
from deepeval.models import LocalModel
from deepeval.test_case import LLMTestCase, SingleTurnParams


def main() -> None:
    model = LocalModel(model="scripted", base_url=os.environ["JUDGE"], api_key="none")
    told = {"model": model, "async_mode": False}
    metrics = {
        "exact match": ExactMatchMetric(),
        "faithfulness (judge)": FaithfulnessMetric(include_reason=False, **told),
        "citation faithfulness (judge)": CitationFaithfulnessMetric(include_reason=False, **told),
        "correctness, GEval (judge)": GEval(
            name="Correctness",
            evaluation_steps=["The actual output says what the expected output says."],
            evaluation_params=[SingleTurnParams.ACTUAL_OUTPUT, SingleTurnParams.EXPECTED_OUTPUT],
            **told,
        ),
    }
    scores: dict[str, dict[str, object]] = {name: {} for name in metrics}
    for case in CASES:
        for name, metric in metrics.items():

            def measured(case: dict[str, Any] = case, name: str = name, metric: Any = metric) -> object:
                answer = case["answer"]
                if answer:
                    answer = numbered(case) if "citation" in name else plain(answer)
                return metric.measure(
                    LLMTestCase(
                        input=case["question"],
                        actual_output=answer,
                        expected_output=case["gold"],
                        retrieval_context=contexts(case),
                    ),
                    _show_indicator=False,
                )

            scores[name][case["id"]] = attempt(measured)
    hand_back(version("deepeval"), scores)


if __name__ == "__main__":
    main()
