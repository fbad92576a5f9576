"""The ten answers through ragas: its metrics without a model, and two with the judge."""

from __future__ import annotations

import asyncio
import os
from typing import Any

import ragas
from common import CASES, attempt, contexts, hand_back, plain
from openai import AsyncOpenAI
from ragas.dataset_schema import SingleTurnSample
from ragas.llms import llm_factory
from ragas.metrics import IDBasedContextPrecision, IDBasedContextRecall, NonLLMStringSimilarity
from ragas.metrics.collections import ExactMatch, FactualCorrectness, Faithfulness


def main() -> None:
    client = AsyncOpenAI(base_url=os.environ["JUDGE"], api_key="none", max_retries=0)
    llm = llm_factory("scripted", client=client)
    faithfulness, factual = Faithfulness(llm=llm), FactualCorrectness(llm=llm, mode="precision")
    exact, likeness = ExactMatch(), NonLLMStringSimilarity()
    recall, precision = IDBasedContextRecall(), IDBasedContextPrecision()

    def once(coroutine: Any) -> Any:
        found = asyncio.run(coroutine)
        return getattr(found, "value", found)

    def of(case: dict[str, Any]) -> dict[str, object]:
        said, gold = plain(case["answer"]) if case["answer"] is not None else None, case["gold"]
        ids = SingleTurnSample(
            retrieved_context_ids=[each["id"] for each in case["passages"]],
            reference_context_ids=case["gold_passages"],
        )
        texts = SingleTurnSample(response=said, reference=gold)
        return {
            "exact match": attempt(lambda: once(exact.ascore(reference=gold, response=said))),
            "string similarity": attempt(lambda: once(likeness.single_turn_ascore(texts))),
            "context recall by ids": attempt(lambda: once(recall.single_turn_ascore(ids))),
            "context precision by ids": attempt(lambda: once(precision.single_turn_ascore(ids))),
            "faithfulness (judge)": attempt(
                lambda: once(
                    faithfulness.ascore(
                        user_input=case["question"], response=said, retrieved_contexts=contexts(case)
                    )
                )
            ),
            "factual correctness (judge)": attempt(
                lambda: once(factual.ascore(response=said, reference=gold))
            ),
        }

    rows = {case["id"]: of(case) for case in CASES}
    hand_back(
        ragas.__version__, {name: {id_: row[name] for id_, row in rows.items()} for name in rows["q008"]}
    )


if __name__ == "__main__":
    main()
