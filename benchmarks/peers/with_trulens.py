"""The ten answers through TruLens: what needs no model, and four of its feedback functions with the judge."""

from __future__ import annotations

import os
from importlib.metadata import version
from typing import Any

import pandas as pd
from common import CASES, attempt, contexts, hand_back, numbered, plain
from trulens.core.feedback.feedback import GroundednessConfigs
from trulens.feedback import GroundTruthAgreement
from trulens.providers.openai import OpenAI


def main() -> None:
    provider = OpenAI(model_engine="scripted", base_url=os.environ["JUDGE"], api_key="none")
    texts = {each["id"]: each["text"] for case in CASES for each in case["passages"]}
    truth = GroundTruthAgreement(
        pd.DataFrame(
            [
                {
                    "query": case["question"],
                    "expected_response": case["gold"],
                    "expected_chunks": [
                        {"text": texts.get(each, each), "expect_score": 1} for each in case["gold_passages"]
                    ],
                }
                for case in CASES
            ]
        ),
        provider=provider,
    )
    configs = GroundednessConfigs(use_sent_tokenize=False, filter_trivial_statements=False)

    def first(found: Any) -> Any:
        return float(found[0] if isinstance(found, tuple) else found)

    def of(case: dict[str, Any]) -> dict[str, object]:
        question, found = case["question"], contexts(case)
        said = plain(case["answer"]) if case["answer"] is not None else None
        source = "\n\n".join(found)
        return {
            "retrieval hit rate": attempt(lambda: first(truth.ir_hit_rate(question, found))),
            "groundedness (judge)": attempt(
                lambda: first(
                    provider.groundedness_measure_with_cot_reasons(source, said, groundedness_configs=configs)
                )
            ),
            "groundedness, answerability considered (judge)": attempt(
                lambda: first(
                    provider.groundedness_measure_with_cot_reasons_consider_answerability(
                        source, said, question, groundedness_configs=configs
                    )
                )
            ),
            "citation attribution (judge)": attempt(
                lambda: first(
                    provider.citation_attribution(question, found, None if said is None else numbered(case))
                )
            ),
            "agreement (judge)": attempt(lambda: first(truth.agreement_measure(question, said))),
        }

    rows = {case["id"]: of(case) for case in CASES}
    hand_back(
        version("trulens"), {name: {id_: row[name] for id_, row in rows.items()} for name in rows["q008"]}
    )


if __name__ == "__main__":
    main()
