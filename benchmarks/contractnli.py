"""ContractNLI on the scales of its paper, Koreeda and Manning (2021), Table 4: writes ``contractnli.json``.

    python benchmarks/contractnli.py --contractnli FOLDER_WITH_TEST_JSON

A pair is a contract and a hypothesis that it entails or contradicts. A ranker scores every span (sentence or
list item) of the contract for the text of the hypothesis; relevant are those that hold annotated evidence.

    mAP     mean over the pairs of the average precision of the contract's spans
    P@R80   precision where, over the spans of all pairs in one pool, recall first reaches .8

The paper gives .381 and .057 for "Span TF-IDF + cosine". One a mean over pairs, the other pooled: only under
these readings of its evaluation does the row come out.

"Majority vote" gives each hypothesis its most frequent label. Accuracy and F1 are means over the hypotheses;
one that no contract of the test split contradicts has no F1 of contradiction, which leaves ten of 17. The
vote is learned from each split in the folder; from the test split itself it is the best that a vote can do.
"""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bench import HERE, parser, rounded, write_result
from ragharness.corpus.loading import Corpus, load_corpus
from ragharness.corpus.passages import ENOUGH, EvidenceIndex, PassageSet
from ragharness.records import Passage
from ragharness.retrievers import Retriever
from ragharness.support import resources
from ragquestions.recipes import Fact, facts_of, load_recipe

RESULT = HERE / "contractnli.json"
RECALL = 0.8
SPLITS = ("train", "train_part", "test")
LABELS = {("yes",): "entailment", ("no",): "contradiction", (): "not mentioned"}
PUBLISHED = {
    "majority vote": {"accuracy": 0.674, "f1_contradiction": 0.083, "f1_entailment": 0.428},
    "span TF-IDF + cosine": {"map": 0.381, "precision_at_recall_80": 0.057},
}

Ranker = Callable[[str], NDArray[np.float64]]
"""From a query to a score for each span of the corpus, in order."""
Votes = dict[str, Counter[str]]
"""How often each label was given to each hypothesis."""


@dataclass(frozen=True)
class Pair:
    """One hypothesis about one contract, whose spans are ``start`` to ``end`` of the corpus."""

    hypothesis: str
    start: int
    end: int
    relevant: NDArray[np.bool_]


@dataclass(frozen=True)
class Task:
    """Spans of all contracts as passages, and for each pair its hypothesis and relevant spans."""

    spans: PassageSet
    pairs: tuple[Pair, ...]


def span_task(corpus: Corpus) -> Task:
    """Task of a split of ContractNLI."""
    spans = tuple(
        Passage(f"{document.id}#{number}", document.id, "", start, end, document.text[start:end])
        for document in corpus.documents
        for number, (start, end) in enumerate(document.segments, start=1)
    )
    passages, evidence = PassageSet(spans, 0), EvidenceIndex(corpus)
    rows: dict[str, list[int]] = {}
    for row, span in enumerate(spans):
        rows.setdefault(span.document, []).append(row)
    pairs = []
    for fact in facts_of(corpus).stated:
        if fact.answers:
            relevant = [
                any(evidence.coverage(passage, gold) >= ENOUGH for gold in fact.evidence)
                for passage in passages.of(fact.document)
            ]
            start, end = rows[fact.document][0], rows[fact.document][-1] + 1
            pairs.append(Pair(fact.details["hypothesis"], start, end, np.array(relevant)))
    return Task(passages, tuple(pairs))


def ranking_figures(task: Task, rank: Ranker) -> dict[str, float]:
    """Return mAP and P@R80 of a ranker."""
    by_hypothesis = {text: rank(text) for text in dict.fromkeys(pair.hypothesis for pair in task.pairs)}
    scores = [by_hypothesis[pair.hypothesis][pair.start : pair.end] for pair in task.pairs]
    relevant = [pair.relevant for pair in task.pairs]
    precisions = list(map(average_precision, relevant, scores))
    pooled = precision_at_recall(np.concatenate(relevant), np.concatenate(scores))
    return {"map": math.fsum(precisions) / len(precisions), "precision_at_recall_80": pooled}


def average_precision(relevant: NDArray[np.bool_], scores: NDArray[np.float64]) -> float:
    """Sum over thresholds of precision times the recall gained; equal scores are one threshold."""
    hits, taken = _steps(relevant, scores)
    gained = np.diff(hits, prepend=0) / hits[-1]
    return float((gained * hits / taken).sum())


def precision_at_recall(relevant: NDArray[np.bool_], scores: NDArray[np.float64]) -> float:
    """Precision at the highest threshold whose recall reaches ``RECALL``."""
    hits, taken = _steps(relevant, scores)
    step = int(np.argmax(hits >= RECALL * hits[-1]))
    return float(hits[step] / taken[step])


def _steps(
    relevant: NDArray[np.bool_], scores: NDArray[np.float64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """For each distinct score, highest first, how many relevant spans and how many in all reach it."""
    order = np.argsort(-scores, kind="stable")
    last = np.append(np.diff(scores[order]) != 0, True)
    return np.cumsum(relevant[order])[last], np.arange(1, len(scores) + 1)[last]


def tf_idf(texts: Sequence[str]) -> Ranker:
    """Cosines of TF-IDF vectors fitted on the texts.

    Words of two characters or more in lower case, raw counts, idf = ln((1 + n) / (1 + n(word))) + 1, vectors
    of length 1: what scikit-learn's TfidfVectorizer does unless told otherwise.
    """
    counted = [_words(text) for text in texts]
    documents = Counter(word for counts in counted for word in counts)
    idf = {word: math.log((1 + len(texts)) / (1 + n)) + 1 for word, n in documents.items()}
    vectors = [_unit(counts, idf) for counts in counted]

    def rank(query: str) -> NDArray[np.float64]:
        weights = _unit(_words(query), idf)
        return np.array(
            [sum(weights[word] * vector.get(word, 0.0) for word in weights) for vector in vectors]
        )

    return rank


def _words(text: str) -> Counter[str]:
    return Counter(re.findall(r"\b\w\w+\b", text.lower()))


def _unit(counts: Counter[str], idf: dict[str, float]) -> dict[str, float]:
    weights = {word: n * idf[word] for word, n in counts.items() if word in idf}
    length = math.sqrt(sum(weight * weight for weight in weights.values())) or 1.0
    return {word: weight / length for word, weight in weights.items()}


def ranker_of(retriever: Retriever, spans: PassageSet) -> Ranker:
    """Scores of a retriever that is asked for everything."""
    row = {passage.id: number for number, passage in enumerate(spans.passages)}

    def rank(query: str) -> NDArray[np.float64]:
        scores = np.full(len(row), -np.inf)
        for hit in retriever.retrieve(query, len(row)):
            scores[row[hit.passage.id]] = hit.score
        return scores

    return rank


def votes(facts: Iterable[Fact]) -> Votes:
    """Labels of a split, counted."""
    counted: Votes = {}
    for fact in facts:
        counted.setdefault(fact.topic, Counter())[LABELS[fact.answers]] += 1
    return counted


def majority(learned: Votes, true: Votes) -> dict[str, float]:
    """Accuracy and F1 of giving each hypothesis the label that it has most in ``learned``."""
    chosen = {topic: learned[topic].most_common(1)[0][0] for topic in true}
    accuracies = [labels[chosen[topic]] / labels.total() for topic, labels in true.items()]
    figures = {"accuracy": math.fsum(accuracies) / len(accuracies)}
    for label in ("contradiction", "entailment"):
        scores = [_f1(chosen[topic], label, labels) for topic, labels in true.items() if labels[label]]
        figures[f"f1_{label}"] = math.fsum(scores) / len(scores)
    return figures


def _f1(chosen: str, label: str, labels: Mapping[str, int]) -> float:
    """F1 of a label if every answer is ``chosen``: 2 TP / (positives + answers of the label)."""
    return 2 * labels[label] / (labels[label] + sum(labels.values())) if chosen == label else 0.0


def measured(folder: Path) -> dict[str, Any]:
    """Both rows of the table, the vote once for each split of the folder."""
    corpus = load_corpus("contractnli", source=str(folder))
    parse = resources.load_module(HERE.parent / "corpora" / "contractnli" / "parse.py").parse
    true, vote = votes(facts_of(corpus).stated), {}
    for split in (name for name in SPLITS if (folder / f"{name}.json").is_file()):
        documents = tuple(parse(folder, split)[0])
        facts = load_recipe(corpus).facts(replace(corpus, documents=documents, split=split)).stated
        vote[split] = {"contracts": len(documents), **rounded(majority(votes(facts), true))}
    task = span_task(corpus)
    figures = rounded(ranking_figures(task, tf_idf([span.text for span in task.spans.passages])))
    return {
        "contracts": len(corpus.documents),
        "published": PUBLISHED,
        "majority vote": vote,
        "span TF-IDF + cosine": {"spans": len(task.spans.passages), "pairs": len(task.pairs), **figures},
    }


def main() -> None:
    """Measure, print and write."""
    arguments = parser(__doc__)
    arguments.add_argument("--contractnli", required=True, type=Path, help="a folder with test.json")
    result = measured(arguments.parse_args().contractnli)
    print(json.dumps(result, indent=2))
    write_result(RESULT, result, indent=2)


if __name__ == "__main__":
    main()
