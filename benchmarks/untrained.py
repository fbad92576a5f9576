"""The rows of ContractNLI's paper that need no training, beside its figures: writes ``untrained.json``.

    python benchmarks/untrained.py --contractnli FOLDER_WITH_TEST_JSON

Koreeda and Manning (2021), Table 4, on the test split:

    Majority vote           each hypothesis gets its most frequent label
    Span TF-IDF + cosine    each span is scored by its likeness to the hypothesis: see ``spans.py``

Accuracy and F1 are means over the hypotheses; one that no contract of the test split contradicts has no F1 of
contradiction, which leaves ten of 17. The vote is learned from each of the splits that are in the folder:
``train.json``, the part of it ``train_part.json``, and the test split itself, the best that a vote can do.
"""

from __future__ import annotations

import argparse
import json
import math
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import spans
from ragharness.corpus.loading import load_corpus
from ragharness.records import Fact
from ragharness.support import resources

RESULT = Path(__file__).with_suffix(".json")
SPLITS = ("train", "train_part", "test")
LABELS = {("yes",): "entailment", ("no",): "contradiction", (): "not mentioned"}
PUBLISHED = {
    "majority vote": {"accuracy": 0.674, "f1_contradiction": 0.083, "f1_entailment": 0.428},
    "span TF-IDF + cosine": {"map": 0.381, "precision_at_recall_80": 0.057},
}

Votes = dict[str, Counter[str]]
"""How often each label was given to each hypothesis."""


def votes(facts: Iterable[Fact]) -> Votes:
    """Return the labels of a split, counted."""
    counted: Votes = {}
    for fact in facts:
        counted.setdefault(fact.topic, Counter())[LABELS[fact.answers]] += 1
    return counted


def majority(learned: Votes, told: Votes) -> dict[str, float]:
    """Return accuracy and F1 of giving each hypothesis of ``told`` the label it has most in ``learned``."""
    chosen = {topic: learned[topic].most_common(1)[0][0] for topic in told}
    return {
        "accuracy": _mean([labels[chosen[topic]] / labels.total() for topic, labels in told.items()]),
        **{
            f"f1_{label}": _mean(
                [_f1(chosen[topic], label, labels) for topic, labels in told.items() if labels[label]]
            )
            for label in ("contradiction", "entailment")
        },
    }


def _f1(chosen: str, label: str, labels: Mapping[str, int]) -> float:
    """Return the F1 of a label if every answer is ``chosen``: 2 TP / (positives + answers of the label)."""
    if chosen != label:
        return 0.0
    return 2 * labels[label] / (labels[label] + sum(labels.values()))


def _mean(values: list[float]) -> float:
    return math.fsum(values) / len(values)


def measured(folder: Path) -> dict[str, Any]:
    """Return both rows, the vote once for each split of the folder."""
    corpus = load_corpus("contractnli", source=str(folder))
    parse = resources.load_module(Path(__file__).parents[1] / "corpora" / "contractnli" / "parse.py").parse
    told = votes(corpus.facts)
    learned = {}
    for split in (each for each in SPLITS if (folder / f"{each}.json").is_file()):
        documents, facts = parse(folder, split)
        learned[split] = {"contracts": len(documents), **_rounded(majority(votes(facts), told))}
    task = spans.task(corpus)
    ranked = spans.measured(task, spans.tf_idf([each.text for each in task.spans.passages]))
    return {
        "contracts": len(corpus.documents),
        "published": PUBLISHED,
        "majority vote": learned,
        "span TF-IDF + cosine": {
            "spans": len(task.spans.passages),
            "pairs": len(task.pairs),
            **_rounded(ranked),
        },
    }


def _rounded(found: dict[str, float]) -> dict[str, float]:
    return {name: round(value, 4) for name, value in found.items()}


def main() -> None:
    """Measure, print and write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--contractnli", required=True, type=Path, help="a folder with test.json")
    text = json.dumps(measured(parser.parse_args().contractnli), indent=2) + "\n"
    RESULT.write_text(text, encoding="utf-8")
    print(text, end="")


if __name__ == "__main__":
    main()
