"""How well each retriever finds evidence: writes ``retrieval.json`` beside it.

    python benchmarks/retrieval.py --contractnli FOLDER_WITH_TEST_JSON [--retrievers bm25,oracle]
        [--edgar FOLDER] [--govreport FOLDER] [--items FOLDER_WITH_10-K_ZIP]

Gold among the best five on the frozen sets and on others; all measures on ContractNLI's frozen questions
that want an answer; the task of that corpus's own paper (``contractnli.py``). The other sets for choosing
settings have another seed and half of other documents, those held out a third seed and the other half.
Figures of retrievers left out stay. ``dense`` and ``hybrid`` need the extra ``dense``.
"""

from __future__ import annotations

import json
import platform
import tempfile
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import contractnli
from bench import HERE, parser, read_result, rounded, show_progress, write_result
from ragharness import __version__
from ragharness.analysis.metrics import Outcome
from ragharness.analysis.scoring import retrieval
from ragharness.corpus.loading import Corpus, load_corpus
from ragharness.corpus.passages import ENOUGH, EvidenceIndex, build_passages, withhold
from ragharness.questions.loading import load_questions
from ragharness.questions.questionset import QuestionSet
from ragharness.records import Hit, Question
from ragharness.retrievers import Retriever, build_retriever
from ragharness.support.files import cache_folder
from ragharness.support.options import Options
from ragquestions.building import build_questions

RESULT = HERE / "retrieval.json"
NAMES = ("fields", "bm25", "dense", "hybrid", "oracle")
KS = (1, 3, 5, 10)
BEST = 5
SEEDS = {"choosing": 101, "held out": 102}
HALF_SEED = 7
"""Of the sets from halves of other documents."""

Figures = dict[str, dict[str, dict[str, int]]]
"""From the kind of set to a corpus to the counts of each retriever, and of the ``questions``."""


class Ground:
    """Questions of a set that want an answer, and the passages that a run over the whole set would index."""

    def __init__(self, corpus: Corpus, questions: QuestionSet) -> None:
        self.corpus, self.evidence = corpus, EvidenceIndex(corpus)
        self.questions = [question for question in questions.questions if question.wanted == "correct"]
        self.passages = build_passages(corpus.documents)
        self.indexed = withhold(self.passages, questions.withheld_documents, questions.withheld_spans)

    def holds_gold(self, question: Question, hits: Sequence[Hit]) -> bool:
        """Whether a retrieved passage holds gold evidence."""
        return bool(self.evidence.supporting(question, [hit.passage for hit in hits]))

    def counts(self, names: Sequence[str], cache: Path) -> dict[str, int]:
        """Number of questions, and for each retriever of those with gold among the best."""
        counts = {"questions": len(self.questions)}
        for name in names:
            retriever = build_retriever(name, self.indexed, self.evidence, cache)
            rankings = [retriever.retrieve(question.text, BEST, question) for question in self.questions]
            counts[name] = sum(map(self.holds_gold, self.questions, rankings))
        return counts

    def figures(self, retriever: Retriever) -> dict[str, Any]:
        """Measures of the report at each k, and recall among the right document's passages."""
        longest = [retriever.retrieve(question.text, max(KS), question) for question in self.questions]
        everything = len(self.indexed.passages)
        inside = [
            [
                hit
                for hit in retriever.retrieve(question.text, everything, question)
                if self._same(hit, question)
            ]
            for question in self.questions
        ]
        return {
            "k": {str(k): self._measured(longest, k) for k in KS},
            "document_only": {str(k): self._measured(inside, k)["any_evidence"] for k in KS},
        }

    def _same(self, hit: Hit, question: Question) -> bool:
        canonical = self.corpus.canonical
        return canonical(hit.passage.document) == canonical(question.document)

    def _measured(self, rankings: Sequence[Sequence[Hit]], k: int) -> dict[str, Any]:
        """Measures of the report over the first ``k`` hits of each question."""
        pairs = zip(self.questions, rankings, strict=True)
        values = retrieval([self._outcome(question, hits[:k]) for question, hits in pairs], k)
        names = ("any_evidence", "all_evidence", "document", "evidence_in_document")
        counts = {name: getattr(values, name).count for name in names}
        assert values.mrr is not None
        assert values.ndcg is not None
        return {**counts, **rounded({"mrr": values.mrr, "ndcg": values.ndcg})}

    def _outcome(self, question: Question, hits: Sequence[Hit]) -> Outcome:
        rows = [
            [self.evidence.coverage(hit.passage, span) >= ENOUGH for hit in hits]
            for span in question.evidence
        ]
        return Outcome(
            question.row,
            question.wanted,
            bool(question.withheld),
            bool(question.evidence),
            "ok",
            evidence_ranks=tuple(row.index(True) + 1 if any(row) else 0 for row in rows),
            document_rank=next((rank for rank, hit in enumerate(hits, 1) if self._same(hit, question)), 0),
            evidence_passages=self.evidence.holders(question, self.passages),
        )


def recall(names: Sequence[str], sources: Mapping[str, Path], cache: Path) -> Figures:
    """Counts of retrievers on every kind of set; ``sources``: folders by corpus or ``items``."""
    figures: Figures = {"frozen": {}, **{role: {} for role in SEEDS}}
    for name in ("sample", "contractnli", "edgar", "govreport"):
        if name == "sample" or name in sources:
            corpus = load_corpus(name, source=str(sources.get(name, "")))
            figures["frozen"][name] = Ground(corpus, load_questions(corpus)).counts(names, cache)
            for role, seed in SEEDS.items():
                figures[role][name] = Ground(corpus, build_questions(corpus, seed=seed)).counts(names, cache)
    for role, name, corpus in _halves(sources):
        figures[role][name] = Ground(corpus, build_questions(corpus, seed=HALF_SEED)).counts(names, cache)
    return figures


def _halves(sources: Mapping[str, Path]) -> Iterator[tuple[str, str, Corpus]]:
    """Role, name and corpus of other filings and other contracts, each second document in one half."""
    for half, role in enumerate(SEEDS):
        with tempfile.TemporaryDirectory() as folder:
            if "items" in sources:
                with zipfile.ZipFile(sources["items"] / "10-K.zip") as packed:
                    members = sorted(name for name in packed.namelist() if name.endswith(".json"))
                    for member in members[half::2]:
                        Path(folder, Path(member).name).write_bytes(packed.read(member))
                yield role, "other filings", load_corpus("edgar", source=folder)
        with tempfile.TemporaryDirectory() as folder:
            if "contractnli" in sources:
                data = json.loads((sources["contractnli"] / "train_part.json").read_text(encoding="utf-8"))
                data["documents"] = data["documents"][half::2]
                Path(folder, "train.json").write_text(json.dumps(data), encoding="utf-8")
                yield role, "other contracts", load_corpus("contractnli", split="train", source=folder)


def span_figures(name: str, task: contractnli.Task, cache: Path) -> dict[str, float]:
    """Return mAP and P@R80 of a retriever over the spans, which are indexed without a title."""
    # Every span must have a rank: fusing only the first hundred would leave most without one.
    settings = {"depth": str(len(task.spans.passages))} if name == "hybrid" else {}
    retriever = build_retriever(name, task.spans, None, cache, Options(settings, on_progress=show_progress))
    return rounded(contractnli.ranking_figures(task, contractnli.ranker_of(retriever, task.spans)))


def _joined(before: Figures, after: Figures) -> Figures:
    """Figures of both, the newer ones where both have some."""
    return {
        role: {name: before.get(role, {}).get(name, {}) | sets.get(name, {}) for name in names}
        for role, sets in after.items()
        if (names := dict.fromkeys((*before.get(role, {}), *sets)))
    }


def main() -> None:
    """Measure the retrievers named, print their figures, and put them into the file."""
    arguments = parser(__doc__)
    arguments.add_argument("--contractnli", required=True, type=Path, help="a folder with test.json")
    arguments.add_argument("--retrievers", default=",".join(NAMES))
    for name in ("edgar", "govreport", "items"):
        arguments.add_argument(f"--{name}", type=Path, help="figures of the best five there, too")
    options = arguments.parse_args()
    names = options.retrievers.split(",")
    corpus, cache = load_corpus("contractnli", source=str(options.contractnli)), cache_folder() / "indexes"
    ground, task = Ground(corpus, load_questions(corpus)), contractnli.span_task(corpus)
    result = read_result(RESULT) or {"retrievers": {}}
    result |= {
        "corpus": corpus.hash,
        "made_with": {"ragharness": __version__, "python": platform.python_version()},
        "questions": len(ground.questions),
        "passages": len(ground.indexed.passages),
        "spans": {"spans": len(task.spans.passages), "pairs": len(task.pairs)},
    }
    sources = {name: folder for name, folder in vars(options).items() if isinstance(folder, Path)}
    ranked = [name for name in names if name != "oracle"]
    result["recall"] = _joined(result.get("recall", {}), recall(ranked, sources, cache))
    progress = Options(on_progress=show_progress)
    for name in names:
        retriever = build_retriever(name, ground.indexed, ground.evidence, cache, progress)
        figures = {"settings": retriever.settings, **ground.figures(retriever)}
        if name != "oracle":
            figures["spans"] = span_figures(name, task, cache)
        print(f"\r{name:8} {json.dumps(figures)}", flush=True)
        rows = result["retrievers"] | {name: figures}
        result["retrievers"] = {known: rows[known] for known in NAMES if known in rows}
        write_result(RESULT, result, indent=2)  # at once: the next one may take minutes


if __name__ == "__main__":
    main()
