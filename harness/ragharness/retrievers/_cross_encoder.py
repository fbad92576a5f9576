"""Cross-encoders: a model that reads a query and a passage together and returns one number.

A folder with ``model.onnx`` and ``tokenizer.json`` and without a ``config.json`` is run by onnxruntime, any
other folder or name by sentence-transformers. Both are loaded when the first pair is to be scored.
"""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from pathlib import Path
from threading import Lock
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from ragharness.errors import MissingExtra, RagharnessError
from ragharness.retrievers._embedding import first_line, without_bars
from ragharness.retrievers._models import Model, find_model, hub_folder

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
