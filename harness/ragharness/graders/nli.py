"""The ``nli`` grader: a cross-encoder scores whether one text states another.

Settings, as ``--grader-option nli.NAME=VALUE``: ``model`` (a folder or a name on the hub), ``revision``,
``accept`` (probability from which an answer states a gold), ``support`` (from which a passage supports a
sentence), ``batch-size``, ``device``. It only ever finds that a text answer is right: what it does not find
needs review, and so do figures, dates, and yes or no, which such models misread.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain, islice
from threading import Lock
from typing import Any

from msgspec.structs import replace
from numpy.typing import NDArray

from ragharness.errors import MissingExtra, RagharnessError, UsageError
from ragharness.graders import GraderContext
from ragharness.graders.reading.answer import claim_citations_by, parse_answer, read_citations
from ragharness.records import Answer, Passage, Question, Reading, Score
from ragharness.retrievers.models import Model, find_model

VERSION = "1"
ACCEPT = 0.9
SUPPORT = 0.5
BATCH_SIZE = 32
LONGEST = 512  # tokens of a pair where the model does not say how many it reads
_BETWEEN = 6  # tokens that a model puts around and between the two texts, and places that some leave unused
_LEAST = 16  # tokens of a window, however long the sentence is

Pair = tuple[str, str]


class NliGrader:
    """Looks for the gold in the answer, and for sentences in the passages that they cite."""

    name = "nli"

    def __init__(
        self, scorer: Scorer, version: str, accept: float, support: float, *, strict: bool = False
    ) -> None:
        self.version = version
        self._scorer = scorer
        self._accept = accept
        self._support = support
        self._strict = strict

    def read(
        self, question: Question, answer: Answer, retrieved: Sequence[Passage], supporting: frozenset[str]
    ) -> Reading:
        """Reading that an answer states a gold, or that this is open."""
        parsed, reading = read_citations(question, answer, retrieved, supporting, strict=self._strict)
        if parsed.blank:
            return reading
        if question.kind not in ("text", "list") or not (question.answerable and question.answers):
            return _open(reading, f"no model is asked about a {question.kind} or without a gold")
        golds = [f"{question.text} {gold}" for gold in question.answers]
        scores = self._scorer.scores([(f"{question.text} {parsed.text}", gold) for gold in golds])
        probability = min(scores) if question.kind == "list" else max(scores)
        reading = replace(reading, score=Score(probability, ()))
        if probability < self._accept:
            return _open(reading, f"it states the gold with a probability of {probability:.2f}")
        claimed = claim_citations_by("", parsed)
        return replace(
            reading,
            committed=True,
            match="match",
            claim_cited=bool(claimed) if parsed.citations else None,
            any_valid_support=not parsed.supporting(supporting).isdisjoint(claimed),
        )

    def read_axis(
        self, axis: str, reading: Reading, question: Question, answer: Answer, retrieved: Sequence[Passage]
    ) -> Reading:
        """Reading with whether every citation supports its sentence; raises UsageError otherwise."""
        if axis != "citation_supports":
            raise UsageError(f"expected the axis citation_supports for nli, found {axis!r}")
        parsed = parse_answer(answer, question.text, retrieved, strict=self._strict)
        passages = parsed.cited_texts(retrieved)
        cited = [(part.text, mark) for part in parsed.sentences for mark in part.citations]
        known = [(passages[mark], sentence) for sentence, mark in cited if mark in passages]
        pairs = [(f"{passage.title}\n{passage.text}", sentence) for passage, sentence in known]
        scores = self._scorer.scores(pairs)
        supported = len(pairs) == len(cited) and all(score >= self._support for score in scores)
        return replace(reading, all_cited_support=supported if cited else None)


@dataclass
class Scorer:
    """A cross-encoder, loaded when it is first needed."""

    model: Model
    device: str
    batch_size: int
    offline: bool
    _loaded: Any = None
    _lock: Lock = field(default_factory=Lock)

    def scores(self, pairs: Sequence[Pair]) -> list[float]:
        """Probability that each first text states the second, of a long one its best window's."""
        if not pairs:
            return []
        # A tokenizer is no place for two threads.
        with self._lock:
            encoder = self._encoder()
            windows = [list(_windows(encoder, *pair)) for pair in pairs]
            logits = self._logits(encoder, list(chain.from_iterable(windows)))
        scores = iter(_probabilities(logits, _entailment(encoder)))
        return [max(0.0, *map(float, islice(scores, len(texts)))) for texts in windows]

    def _logits(self, encoder: Any, pairs: list[Pair]) -> NDArray[Any]:
        import torch

        names = inspect.signature(encoder.predict).parameters
        activation = "activation_fn" if "activation_fn" in names else "activation_fct"
        keywords: Any = {activation: torch.nn.Identity()}
        logits = encoder.predict(pairs, batch_size=self.batch_size, show_progress_bar=False, **keywords)
        return logits.reshape(len(pairs), -1)  # type: ignore[no-any-return]

    def _encoder(self) -> Any:
        if self._loaded is None:
            try:
                from sentence_transformers import CrossEncoder
            except ImportError as error:
                raise MissingExtra("the grader 'nli'", "dense") from error
            try:
                self._loaded = CrossEncoder(
                    self.model.source,
                    device=self.device or None,
                    revision=self.model.revision or None,
                    local_files_only=self.offline,
                )
            except Exception as error:
                raise RagharnessError(
                    f"expected a cross-encoder at {self.model.name}, found: {error}",
                    help="--grader-option nli.model=cross-encoder/nli-deberta-v3-small",
                ) from error
        return self._loaded


def build(context: GraderContext) -> NliGrader:
    """Grader; raises UsageError without a model, or for a setting that cannot be meant."""
    options = context.options
    name = options.text("model")
    if not name:
        raise UsageError(
            "expected a cross-encoder for the grader 'nli', found none",
            help=f"{options.written('model')}cross-encoder/nli-deberta-v3-small",
        )
    model = find_model(name if "/" in name else f"./{name}", options.text("revision"), context.cache)
    accept, support = options.number("accept", ACCEPT), options.number("support", SUPPORT)
    if max(accept, support) > 1:
        raise UsageError(f"expected {options.written('accept')} and support to be from 0 to 1")
    batch_size = options.whole("batch-size", BATCH_SIZE, least=1)
    scorer = Scorer(model, options.text("device"), batch_size, offline=options.offline)
    which = f"{model.name} {model.identity[-12:]}".strip()
    version = f"{VERSION} ({which}, accept {accept:g}, support {support:g})"
    return NliGrader(scorer, version, accept, support, strict=context.strict)


def _open(reading: Reading, why: str) -> Reading:
    return replace(reading, status="needs_review", unreadable=why)


def _windows(encoder: Any, text: str, sentence: str) -> Iterator[Pair]:
    """Yield a text in pieces that the model can read beside a sentence, each half in the one before."""
    tokenizer = encoder.tokenizer
    limit = getattr(encoder.config, "max_position_embeddings", LONGEST)
    longest = min(LONGEST, limit, tokenizer.model_max_length)
    room = max(_LEAST, longest - len(tokenizer.tokenize(sentence)) - _BETWEEN)
    words = text.split()
    sizes = [max(1, len(tokenizer.tokenize(word))) for word in words]
    start = 0
    while True:
        end, used = start, 0
        while end < len(words) and (used + sizes[end] <= room or end == start):
            used += sizes[end]
            end += 1
        yield " ".join(words[start:end]), sentence
        if end >= len(words):
            return
        start = max(start + 1, (start + end) // 2)


def _entailment(encoder: Any) -> int | None:
    """Which of several labels says that one text states the other; None: there is one score."""
    labels: dict[int, str] = encoder.config.id2label
    if len(labels) < 2:
        return None
    for index, label in labels.items():
        if "entail" in str(label).casefold() and "not" not in str(label).casefold():
            return int(index)
    raise UsageError(
        f"expected a cross-encoder with one score or a label 'entailment', found {', '.join(labels.values())}"
    )


def _probabilities(logits: NDArray[Any], entailment: int | None) -> NDArray[Any]:
    import numpy as np

    values = logits.astype(np.float64)
    if entailment is None:
        single: NDArray[Any] = 1 / (1 + np.exp(-values[:, 0]))
        return single
    raised = np.exp(values - values.max(axis=1, keepdims=True))
    softmax: NDArray[Any] = raised[:, entailment] / raised.sum(axis=1)
    return softmax
