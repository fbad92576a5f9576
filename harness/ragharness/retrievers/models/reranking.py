"""Reranking: a cross-encoder reads the query beside each of the first passages of any retriever.

The first ``DEPTH`` hits are put in the order of both scores, the model's and the retriever's, as ``hybrid``
adds them; what it found beyond them follows as it came. The model's scores are kept on disk by the content of
query and passage, as vectors are.
"""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from threading import Lock
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from ragharness.errors import MissingExtra, RagharnessError
from ragharness.records import Hit, Question
from ragharness.retrievers import Retriever
from ragharness.retrievers.bm25 import indexed_text
from ragharness.retrievers.hybrid import fuse
from ragharness.retrievers.models import Model, find_model, hub_folder
from ragharness.retrievers.models.embedding import VectorStore, first_line, space_name, text_key, without_bars

DEPTH = 50
"""Passages of the retriever that are read again."""

WEIGHT = 0.7
"""Of the model's scores, the retriever's having the rest; chosen on other questions: docs/retrieval.md."""

_DECIMALS = 4
"""Of a score: the last bits depend on how many pairs a model is given at once."""

_REMEMBERED = 500_000
"""Scores that are held in memory; the oldest go first."""


class RerankedRetriever:
    """A retriever whose first hits a cross-encoder puts in order; asking is safe from many threads."""

    waits = True
    """A model is asked: beside an event loop, not on it."""

    def __init__(self, retriever: Retriever, model: Model, scores: PairScores) -> None:
        self.name = f"{retriever.name}+rerank"
        self.settings: dict[str, str | int | float] = {
            **retriever.settings,
            "rerank": model.name,
            "rerank_identity": model.identity[-12:],
            "rerank_depth": DEPTH,
            "rerank_weight": WEIGHT,
        }
        self._retriever = retriever
        self._scores = scores

    def retrieve(self, query: str, k: int, question: Question | None = None) -> list[Hit]:
        """Return the ``k`` best of the retriever's hits in their new order."""
        found = self._retriever.retrieve(query, max(k, DEPTH), question)
        first = found[:DEPTH]
        # In place, as the hits of a retriever of the user's also say what was wrong with the others.
        found[:DEPTH] = reordered(first, self._scores.of(query, [indexed_text(hit.passage) for hit in first]))
        del found[max(k, 0) :]
        return found


def reordered(hits: Sequence[Hit], scores: Sequence[float], weight: float = WEIGHT) -> list[Hit]:
    """Return hits in the order of a model's scores and their own; ties in the model's order, then in theirs.

    Scores of theirs that do not fall from hit to hit are not added (distances, a list in another order):
    there the model alone decides.
    """
    by_model = [Hit(hit.passage, score) for hit, score in zip(hits, scores, strict=True)]
    by_model.sort(key=lambda hit: -hit.score)
    falling = all(one.score >= other.score for one, other in pairwise(hits))
    fused = fuse([(by_model, weight), (hits if falling else (), 1 - weight)])
    return sorted(fused, key=lambda hit: -hit.score)


class PairScores:
    """The scores of a cross-encoder, each computed once; asking is safe from many threads."""

    def __init__(self, model: Model, scorer: Scorer, folder: Path | None) -> None:
        self._scorer = scorer
        self._store = VectorStore(folder, space_name(model.identity, "rerank", "f4"))
        self._store.tidy()
        self._lock = Lock()
        self._known: dict[bytes, float] = {}
        for key, vector in self._store.records():
            self._remember(key, float(vector[0]))

    def of(self, query: str, texts: Sequence[str]) -> list[float]:
        """Return the score of the query with each text; only pairs that nobody has scored are computed."""
        keys = [text_key(f"{len(query)}\0{query}{text}") for text in texts]
        # A tokenizer is no place for two threads, and one pair is scored once.
        with self._lock:
            found = {key: self._known[key] for key in keys if key in self._known}
            unknown = {key: text for key, text in zip(keys, texts, strict=True) if key not in found}
            if unknown:
                scores = self._scorer.score(query, list(unknown.values())).round(_DECIMALS)
                self._store.append(list(unknown), scores[:, np.newaxis])
                for key, score in zip(unknown, scores, strict=True):
                    found[key] = float(score)
                    self._remember(key, found[key])
        return [found[key] for key in keys]

    def _remember(self, key: bytes, score: float) -> None:
        while len(self._known) >= _REMEMBERED:
            self._known.pop(next(iter(self._known)))
        self._known[key] = score


def reranked(retriever: Retriever, name: str, cache: Path | None, *, offline: bool) -> RerankedRetriever:
    """Return the retriever reranked by the cross-encoder of that name or folder.

    Raises UsageError for a path that is none, MissingExtra, or RagharnessError where no model can be had.
    """
    from ragharness.retrievers.models.reranking import locate_scorer

    folder = cache and cache / "vectors"
    model, scorer = locate_scorer(name, folder, offline=offline)
    return RerankedRetriever(retriever, model, PairScores(model, scorer, folder))


Scores = NDArray[np.float32]

OWNER = "cross-encoder"
"""Whose a model on the hub is that is named without an owner."""

_BATCH_SIZE = 32
_TOKENS = 512
"""Of a pair at most, where a tokenizer does not say."""

_HELP = "--rerank FOLDER, or --rerank cross-encoder/ms-marco-MiniLM-L6-v2 from the hub"


class Scorer(Protocol):
    """Whatever scores pairs."""

    def score(self, query: str, texts: Sequence[str]) -> Scores:
        """Return a finite float32 for each text: the higher, the nearer to the query."""
        ...


class CrossEncoderModel:
    """A model that is loaded when it is first needed; one thread at a time may score."""

    def __init__(self, model: Model, *, offline: bool = False) -> None:
        self._model = model
        self._offline = offline
        self._loaded: Any = None
        self._loading = Lock()

    def load(self) -> Any:
        """Return the loaded model; raises MissingExtra or RagharnessError where it cannot be had."""
        with self._loading:
            if self._loaded is None:
                try:
                    with without_bars():
                        self._loaded = self._load()
                except RagharnessError:
                    raise
                except Exception as error:  # (whatever a library raises about a model)
                    raise RagharnessError(
                        f"expected the cross-encoder {self._model.name} in a folder, in the hub's cache or "
                        f"on the hub, found none that loads: {type(error).__name__}: {first_line(error)}",
                        help=_HELP,
                    ) from error
            return self._loaded

    def score(self, query: str, texts: Sequence[str]) -> Scores:
        """Return a float32 for each text; raises RagharnessError for what a model must not do."""
        model = self.load()
        try:
            found = np.asarray(self._scored(model, query, texts), dtype=np.float32)
        except Exception as error:  # (whatever a library raises about a text)
            raise RagharnessError(
                f"the cross-encoder {self._model.name} failed on {len(texts)} pairs: {first_line(error)}"
            ) from error
        if found.shape != (len(texts),) or not np.isfinite(found).all():
            raise RagharnessError(
                f"expected one finite number a pair from the cross-encoder {self._model.name}, found an "
                f"array of the shape {found.shape}",
                help=_HELP,
            )
        return found

    def _load(self) -> Any:
        try:
            from sentence_transformers import CrossEncoder
        except ImportError as error:
            raise MissingExtra(f"the cross-encoder {self._model.name}", "dense") from error
        on_hub = bool(not self._model.identity or self._model.revision)
        return CrossEncoder(
            self._model.source,
            revision=self._model.revision or None,
            local_files_only=self._offline or not on_hub,
        )

    def _scored(self, model: Any, query: str, texts: Sequence[str]) -> Any:
        from torch.nn import Identity

        # Without the sigmoid that older models end in: near 1 it makes different scores equal.
        known = inspect.signature(model.predict).parameters
        plain = {"activation_fn" if "activation_fn" in known else "activation_fct": Identity()}
        pairs = [(query, text) for text in texts]
        return model.predict(pairs, batch_size=_BATCH_SIZE, show_progress_bar=False, **plain)


class OnnxModel(CrossEncoderModel):
    """A folder with ``model.onnx`` and ``tokenizer.json``, on the CPU.

    Pair by pair: a quantised model measures its numbers by the whole batch, so that a score would depend on
    the other pairs (by up to .7), and a batch saves a tenth of the time at most.
    """

    def _load(self) -> Any:
        try:
            import onnxruntime
            from tokenizers import Tokenizer
        except ImportError as error:
            raise RagharnessError(
                f"the cross-encoder {self._model.name} needs onnxruntime and tokenizers, of which one is not "
                "installed",
                help="pip install onnxruntime tokenizers",
            ) from error
        folder = Path(self._model.source)
        tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        tokenizer.no_padding()
        if tokenizer.truncation is None:
            tokenizer.enable_truncation(_TOKENS)
        return tokenizer, onnxruntime.InferenceSession(
            folder / "model.onnx", providers=["CPUExecutionProvider"]
        )

    def _scored(self, model: Any, query: str, texts: Sequence[str]) -> Any:
        tokenizer, session = model
        taken = {each.name for each in session.get_inputs()}
        scores = []
        for text in texts:
            read = tokenizer.encode(query, text)
            given = {
                "input_ids": read.ids,
                "attention_mask": read.attention_mask,
                "token_type_ids": read.type_ids,
            }
            arrays = {name: np.array([value]) for name, value in given.items() if name in taken}
            scores.append(session.run(None, arrays)[0].reshape(-1))
        return np.concatenate(scores)


def locate_scorer(name: str, cache: Path | None, *, offline: bool) -> tuple[Model, CrossEncoderModel]:
    """Return a model whose identity is known, fetched if it must be; raises RagharnessError."""
    model = find_model(name, "", cache, owner=OWNER, help=_HELP)
    kind = OnnxModel if _is_bare_onnx(Path(model.source)) else CrossEncoderModel
    scorer = kind(model, offline=offline)
    if model.identity:
        return model, scorer
    scorer.load()
    fetched = find_model(name, "", cache, owner=OWNER, help=_HELP)
    if not fetched.identity:
        raise RagharnessError(f"expected the fetched model {name} in {hub_folder()}, found nothing there")
    return fetched, scorer


def _is_bare_onnx(folder: Path) -> bool:
    held = {each: (folder / each).is_file() for each in ("model.onnx", "tokenizer.json", "config.json")}
    return held["model.onnx"] and held["tokenizer.json"] and not held["config.json"]
