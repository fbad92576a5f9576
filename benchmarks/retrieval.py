"""How well each retriever finds evidence in ContractNLI's test split: writes ``retrieval.json`` beside it.

    python benchmarks/retrieval.py --contractnli FOLDER_WITH_TEST_JSON [--retrievers bm25,oracle]
        [--edgar FOLDER] [--govreport FOLDER] [--items FOLDER_WITH_10-K_ZIP]

Three scales: gold among the best five on all frozen sets and on others (``recall``); on ContractNLI's frozen
questions, of which those count that want an answer, all measures over the passages that a run indexes; and
the task of that corpus's own paper, its spans ranked for its hypotheses (``spans``). Of retrievers
that are left out the figures stay as they are in the file. ``dense`` and ``hybrid`` need the extra ``dense``;
vectors are kept in the cache folder, so that only the first time takes minutes.
"""

from __future__ import annotations

import argparse
import json
import platform
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import recall
import spans
from ragharness import __version__
from ragharness.analysis.scores.schema import MetricValues
from ragharness.analysis.scores.scoring import retrieval
from ragharness.analysis.scores.tally import Outcome
from ragharness.corpus.loading import Corpus, load_corpus
from ragharness.corpus.passages import ENOUGH, EvidenceIndex, build_passages, withhold
from ragharness.questions.loading import load_questions
from ragharness.records import Hit, Question
from ragharness.retrievers import Retriever, build_retriever
from ragharness.support.files import cache_folder
from ragharness.support.options import Options

RESULT = Path(__file__).with_name("retrieval.json")
NAMES = ("fields", "bm25", "dense", "hybrid", "oracle")
KS = (1, 3, 5, 10)


class Ground:
    """The frozen questions that want an answer, and the passages that a run over all of them would index."""

    def __init__(self, corpus: Corpus) -> None:
        every = load_questions(corpus)
        self.corpus, self.evidence = corpus, EvidenceIndex(corpus)
        self.questions = [each for each in every.questions if each.wanted == "correct"]
        self.whole = build_passages(corpus.documents)
        self.indexed = withhold(self.whole, every.withheld_documents, every.withheld_spans)

    def figures(self, retriever: Retriever) -> dict[str, Any]:
        """Return the measures of the report at each k, and recall among the right document's passages."""
        longest = [retriever.retrieve(each.text, max(KS), each) for each in self.questions]
        everything = len(self.indexed.passages)
        ranked = [retriever.retrieve(each.text, everything, each) for each in self.questions]
        own = [self._of_document(hits, each) for hits, each in zip(ranked, self.questions, strict=True)]
        return {
            "k": {str(k): _told(self.measured(longest, k)) for k in KS},
            "document_only": {str(k): self.measured(own, k).any_evidence.count for k in KS},
        }

    def _of_document(self, hits: Sequence[Hit], question: Question) -> list[Hit]:
        return [hit for hit in hits if self._same(hit, question)]

    def _same(self, hit: Hit, question: Question) -> bool:
        canonical = self.corpus.canonical
        return canonical(hit.passage.document) == canonical(question.document)

    def measured(self, rankings: Sequence[Sequence[Hit]], k: int) -> MetricValues:
        """Return the measures of the report over the first ``k`` hits of each question."""
        pairs = zip(self.questions, rankings, strict=True)
        return retrieval([self._outcome(question, hits[:k]) for question, hits in pairs], k)

    def _outcome(self, question: Question, hits: Sequence[Hit]) -> Outcome:
        held = [
            [self.evidence.coverage(hit.passage, span) >= ENOUGH for hit in hits]
            for span in question.evidence
        ]
        return Outcome(
            question.row,
            question.wanted,
            bool(question.withheld),
            bool(question.evidence),
            "ok",
            evidence_ranks=tuple(row.index(True) + 1 if any(row) else 0 for row in held),
            document_rank=next((rank for rank, hit in enumerate(hits, 1) if self._same(hit, question)), 0),
            evidence_passages=self.evidence.holders(question, self.whole),
        )


def _told(found: MetricValues) -> dict[str, Any]:
    assert found.mrr is not None
    assert found.ndcg is not None
    return {
        "any_evidence": found.any_evidence.count,
        "all_evidence": found.all_evidence.count,
        "document": found.document.count,
        "evidence_in_document": found.evidence_in_document.count,
        "mrr": round(found.mrr, 4),
        "ndcg": round(found.ndcg, 4),
    }


def _rounded(found: dict[str, float]) -> dict[str, float]:
    return {name: round(value, 4) for name, value in found.items()}


def span_figures(name: str, task: spans.Task, cache: Path) -> dict[str, Any]:
    """Return mAP and P@R80 of a retriever over the spans, which are indexed without a title."""
    # Every span must have a rank: fusing only the first hundred would leave most without one.
    given = {"depth": str(len(task.spans.passages))} if name == "hybrid" else {}
    retriever = build_retriever(name, task.spans, None, cache, Options(given, on_progress=_say))
    return _rounded(spans.measured(task, spans.of_retriever(retriever, task.spans)))


def _say(what: str, done: int, total: int, unit: str) -> None:
    print(f"\r{what} {done} of {total} {unit} ", end="", file=sys.stderr, flush=True)


def main() -> None:
    """Measure the asked retrievers, print them, and put them into the file."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument(
        "--contractnli", required=True, type=Path, help="a folder with ContractNLI's test.json"
    )
    parser.add_argument("--retrievers", default=",".join(NAMES))
    for name in ("edgar", "govreport", "items"):
        parser.add_argument(f"--{name}", type=Path, help="figures of the best five there, too")
    asked = parser.parse_args()
    corpus = load_corpus("contractnli", source=str(asked.contractnli))
    cache = cache_folder() / "indexes"
    ground, task = Ground(corpus), spans.task(corpus)
    result: dict[str, Any] = json.loads(RESULT.read_text()) if RESULT.is_file() else {"retrievers": {}}
    result |= {
        "corpus": corpus.hash,
        "made_with": {"ragharness": __version__, "python": platform.python_version()},
        "questions": len(ground.questions),
        "passages": len(ground.indexed.passages),
        "spans": {"spans": len(task.spans.passages), "pairs": len(task.pairs)},
    }
    names = asked.retrievers.split(",")
    sources = {name: folder for name, folder in vars(asked).items() if isinstance(folder, Path)}
    result["recall"] = _joined(
        result.get("recall", {}),
        recall.measured([name for name in names if name != "oracle"], sources, cache),
    )
    for name in names:
        retriever = build_retriever(name, ground.indexed, ground.evidence, cache, Options(on_progress=_say))
        known = result["retrievers"].get(name, {})
        found = {"settings": retriever.settings, **ground.figures(retriever)}
        _keep(result, name, {**known, **found})
    for name in names:
        if name != "oracle":
            found = {"spans": span_figures(name, task, cache)}
            _keep(result, name, {**result["retrievers"][name], **found})


def _joined(known: recall.Figures, found: recall.Figures) -> recall.Figures:
    """Return the figures of both, the newer ones where both have some."""
    return {
        role: {name: known.get(role, {}).get(name, {}) | found[role].get(name, {}) for name in names}
        for role, each in found.items()
        if (names := dict.fromkeys((*known.get(role, {}), *each)))
    }


def _keep(result: dict[str, Any], name: str, figures: dict[str, Any]) -> None:
    """Print and write what is known so far: what comes next may take minutes."""
    print(f"\r{name:8} {json.dumps(figures)}", flush=True)
    known = {**result["retrievers"], name: figures}
    result["retrievers"] = {each: known[each] for each in NAMES if each in known}
    RESULT.write_text(json.dumps(result, indent=2) + "\n")


if __name__ == "__main__":
    main()
