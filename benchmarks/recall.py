"""How many questions have gold evidence among the best five: the frozen sets, and sets of other questions.

Settings are chosen on sets built from the same documents with another seed and from half of other documents;
sets with a third seed and from the other half are held out.
"""

from __future__ import annotations

import json
import tempfile
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from ragharness.corpus.evidence import EvidenceIndex
from ragharness.corpus.loading import Corpus, load_corpus
from ragharness.corpus.passages import build_passages, withhold
from ragharness.questions.loading import load_questions
from ragharness.questions.questionset import QuestionSet
from ragharness.retrievers import build_retriever
from ragquestions.building import build_questions

K = 5
SEEDS = {"choosing": 101, "held out": 102}
HALVES = {"choosing": 0, "held out": 1}
HALF_SEED = 7
"""Of the sets from halves of other documents."""

Figures = dict[str, dict[str, dict[str, int]]]
"""From the kind of set to a corpus to the counts of each retriever, and of the ``questions``."""


def measured(names: Sequence[str], sources: Mapping[str, Path], cache: Path) -> Figures:
    """Return the figures for retrievers by name; ``sources``: folders by corpus or ``items``."""
    found: Figures = {"frozen": {}, **{role: {} for role in SEEDS}}
    for name in ("sample", "contractnli", "edgar", "govreport"):
        if name != "sample" and name not in sources:
            continue
        corpus = load_corpus(name, source=str(sources.get(name, "")))
        found["frozen"][name] = counts(corpus, load_questions(corpus), names, cache)
        for role, seed in SEEDS.items():
            found[role][name] = counts(corpus, build_questions(corpus, seed=seed), names, cache)
    for role, name, corpus in _halves(sources):
        found[role][name] = counts(corpus, build_questions(corpus, seed=HALF_SEED), names, cache)
    return found


def counts(corpus: Corpus, questions: QuestionSet, names: Sequence[str], cache: Path) -> dict[str, int]:
    """Return for each retriever how many questions that want an answer have gold among the best."""
    asked = [each for each in questions.questions if each.wanted == "correct"]
    every = build_passages(corpus.documents)
    indexed = withhold(every, questions.withheld_documents, questions.withheld_spans)
    evidence = EvidenceIndex(corpus)
    found = {"questions": len(asked)}
    for name in names:
        retriever = build_retriever(name, indexed, evidence, cache)
        found[name] = sum(
            bool(evidence.supporting(each, [hit.passage for hit in retriever.retrieve(each.text, K, each)]))
            for each in asked
        )
    return found


def _halves(sources: Mapping[str, Path]) -> Iterator[tuple[str, str, Corpus]]:
    """Yield role, name and corpus of other filings and other contracts, each second document in one half."""
    for role, half in HALVES.items():
        with tempfile.TemporaryDirectory() as folder:
            if "items" in sources:
                with zipfile.ZipFile(sources["items"] / "10-K.zip") as packed:
                    members = sorted(name for name in packed.namelist() if name.endswith(".json"))
                    for member in members[half::2]:
                        (Path(folder) / Path(member).name).write_bytes(packed.read(member))
                yield role, "other filings", load_corpus("edgar", source=folder)
        with tempfile.TemporaryDirectory() as folder:
            if "contractnli" in sources:
                data = json.loads((sources["contractnli"] / "train_part.json").read_text(encoding="utf-8"))
                data["documents"] = data["documents"][half::2]
                (Path(folder) / "train.json").write_text(json.dumps(data), encoding="utf-8")
                yield role, "other contracts", load_corpus("contractnli", split="train", source=folder)
