"""Dense retrieval: passages and queries as vectors of a sentence-transformers model, compared by FAISS.

What is embedded of a passage is what BM25 indexes: its title, a newline and its text; a model reads as many
tokens of it as it was made for. Scores are inner products, which are cosines while vectors are normalised,
rounded to six decimals. Ties: the higher score first, then the lower passage index.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragharness.options import Options
from ragharness.records import Hit
from ragharness.retrievers._embedding import BATCH_SIZE, Embedder, Manner, locate
from ragharness.retrievers._models import DEFAULT_MODEL
from ragharness.retrievers._nearest import Nearest, asked_kind, require_faiss
from ragharness.retrievers.bm25 import indexed_text

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from ragharness.evidence import EvidenceIndex
    from ragharness.passages import PassageSet
    from ragharness.records import Passage, Question
    from ragharness.retrievers._models import Model


class DenseRetriever:
    """The passages whose vectors are nearest to the query's; asking is safe from many threads."""

    name = "dense"
    waits = True
    """A query is embedded: asked beside an event loop, not on it."""

    def __init__(
        self,
        passages: Sequence[Passage],
        embedder: Embedder,
        nearest: Nearest,
        settings: dict[str, str | int | float],
    ) -> None:
        self.settings = settings
        self._passages = passages
        self._embedder = embedder
        self._nearest = nearest

    def retrieve(self, query: str, k: int, question: Question | None = None) -> list[Hit]:  # noqa: ARG002
        """Return the ``k`` best passages (all of them when there are fewer), ties in index order."""
        if k <= 0 or not self._passages:
            return []
        found = self._nearest.search(self._embedder.query(query), k)
        return [Hit(self._passages[row], score) for row, score in found]


def build(
    passages: PassageSet, evidence: EvidenceIndex | None, cache: Path | None, options: Options | None = None
) -> DenseRetriever:
    """Return dense retrieval over ``passages``, embedding only what ``cache`` does not hold.

    Raises MissingExtra, UsageError, or RagharnessError where the model cannot be had.
    """
    options = options or Options()
    kind = asked_kind(options)
    folder = cache and cache / "vectors"
    device = options.text("device")
    model, encoder = locate(
        options.text("model", DEFAULT_MODEL),
        options.text("revision"),
        folder,
        device,
        offline=options.offline,
    )
    manner = _manner(options, model, device)
    embedder = Embedder(model, manner, folder, encoder, options.on_progress)
    # Said before minutes are spent: a setting that nobody knows, an index that cannot be built.
    options.finish("this retriever")
    require_faiss()
    vectors = embedder.passages([indexed_text(passage) for passage in passages.passages])
    settings: dict[str, str | int | float] = {
        "model": model.name,
        "model_identity": model.identity[-12:],
        "normalize": str(manner.normalize).lower(),
        "query_prompt": manner.query_prompt,
        "passage_prompt": manner.passage_prompt,
        "index": kind,
    }
    return DenseRetriever(passages.passages, embedder, Nearest(vectors, kind), settings)


def _manner(options: Options, model: Model, device: str) -> Manner:
    normalize = options.choice("normalize", "auto", ("auto", "yes", "no"))
    prompts = {
        role: options.text(f"{role}-prompt", model.prompt(role, options.text(f"{role}-prompt-name")))
        for role in ("query", "passage")
    }
    return Manner(
        normalize=model.by_cosine if normalize == "auto" else normalize == "yes",
        query_prompt=prompts["query"],
        passage_prompt=prompts["passage"],
        batch_size=options.whole("batch-size", BATCH_SIZE, least=1),
        device=device,
    )
