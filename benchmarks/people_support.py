"""Whether a passage supports a claim, as a cross-encoder and as embeddings see it; every score is kept.

A reranker says how near a passage is to a question, not that it states a claim: it stands in for the
cross-encoder of the grader ``nli`` where no such model is at hand, and its scale means nothing. So the
threshold comes from one half of the sample, and what is told is measured on the other.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from hashlib import sha256
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ragharness.graders.nli import BATCH_SIZE, LONGEST, Scorer
from ragharness.retrievers._cross_encoder import locate_scorer
from ragharness.retrievers._models import DEFAULT_MODEL, find_model

if TYPE_CHECKING:
    from numpy.typing import NDArray

WORDS = 100
"""Words of a window whose vector is compared: what small embedding models read."""


class Claim(NamedTuple):
    """A claim with the passages that may state it, and what people say of them."""

    text: str
    passages: tuple[str, ...]
    label: str

    @property
    def digest(self) -> str:
        """Return what tells it from others."""
        return sha256(json.dumps([self.text, self.passages]).encode()).hexdigest()


class _Tokens:
    """What the grader wants of a tokenizer."""

    model_max_length = LONGEST

    def __init__(self, tokenizer: Any) -> None:
        self._tokenizer = tokenizer

    def tokenize(self, text: str) -> list[str]:
        tokens: list[str] = self._tokenizer.encode(text, add_special_tokens=False).tokens
        return tokens


class _One:
    """The labels of a model with one score."""

    def __init__(self) -> None:
        self.id2label = {0: "LABEL_0"}


class Reranker:
    """A reranker as the grader ``nli`` takes a cross-encoder: the claim is its query."""

    def __init__(self, folder: str) -> None:
        self.config = _One()
        _, self._model = locate_scorer(folder, None, offline=True)
        loaded = self._model.load()
        self.tokenizer = _Tokens(loaded[0]) if isinstance(loaded, tuple) else loaded.tokenizer

    def predict(self, pairs: Sequence[tuple[str, str]], **_: Any) -> NDArray[Any]:
        return np.array([self._model.score(said, [text])[0] for text, said in pairs])


def by_reranker(folder: str) -> Callable[[Claim], float]:
    """Return how the grader's scorer sees a claim: the best window of the best passage."""
    model = find_model(folder)
    scorer = Scorer(model, "", BATCH_SIZE, offline=True, _loaded=Reranker(folder))
    return lambda each: max(scorer.scores([(text, each.text) for text in each.passages]), default=0.0)


def by_cosine(name: str = DEFAULT_MODEL) -> Callable[[Claim], float]:
    """Return the cosine of a claim and the nearest window of its passages."""
    from sentence_transformers import SentenceTransformer

    model = SentenceTransformer(find_model(name).source)

    def score(each: Claim) -> float:
        words = [text.split() for text in each.passages]
        windows = [
            " ".join(said[at : at + WORDS]) for said in words for at in range(0, max(1, len(said)), WORDS)
        ]
        first, *others = model.encode([each.text, *windows], normalize_embeddings=True)
        return float(max(np.dot(first, other) for other in others))

    return score
