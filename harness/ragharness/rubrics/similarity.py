"""The method ``semantic_similarity``: the cosine of two texts by a model that is recorded."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


class Embeddings:
    """An embedding model of the extra ``dense``."""

    def __init__(self, name: str = "", *, cache: Path | None = None, offline: bool = False) -> None:
        """Raises RagharnessError for a model that cannot be found; MissingExtra without the extra."""
        from ragharness.retrievers._embedding import locate
        from ragharness.retrievers._models import DEFAULT_MODEL

        model, self._encoder = locate(name or DEFAULT_MODEL, "", cache, "", offline=offline)
        self.name = f"{model.name}@{model.identity[:60]}"

    def cosine(self, one: str, other: str) -> float:
        """Return the cosine of two texts."""
        from ragharness.retrievers._embedding import EmbeddingOptions

        first, second = self._encoder.encode([one, other], "passage", EmbeddingOptions(normalize=True))
        return float(first @ second)
