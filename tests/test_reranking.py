"""Reranking: the order, the cache and the models, with a real cross-encoder of one layer."""

from __future__ import annotations

import json
import subprocess
import sys
import warnings
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from ragharness.corpus.passages import PassageSet
from ragharness.errors import MissingExtra, RagharnessError, UsageError
from ragharness.records import Hit, Question
from ragharness.retrievers import build_retriever
from ragharness.retrievers.bm25 import indexed_text
from ragharness.retrievers.models import Model, reranking
from ragharness.retrievers.models.reranking import (
    DEPTH,
    WEIGHT,
    PairScores,
    RerankedRetriever,
    locate_scorer,
    reordered,
)
from ragharness.support.options import Options
from test_dense import WORDS, needed, passage_set

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from commands import Verb

MODEL = Model("made", "nowhere", "", "identity")


class Found:
    """A retriever that finds the passages in their order."""

    name = "found"

    def __init__(self, passages: PassageSet) -> None:
        self.settings: dict[str, str | int | float] = {"own": 1}
        self._passages = passages

    def retrieve(self, query: str, k: int, question: Question | None = None) -> list[Hit]:
        return [Hit(passage, 0.5) for passage in self._passages.passages[:k]]


class Shortest:
    """Scores a text by its length, the shortest best, and keeps what it was given."""

    def __init__(self) -> None:
        self.given: list[tuple[str, str]] = []

    def score(self, query: str, texts: Sequence[str]) -> NDArray[np.float32]:
        self.given += [(query, text) for text in texts]
        return np.array([-len(text) for text in texts], dtype=np.float32)


def by_length(passages: PassageSet, folder: Path | None = None) -> tuple[RerankedRetriever, Shortest]:
    scorer = Shortest()
    return RerankedRetriever(Found(passages), MODEL, PairScores(MODEL, scorer, folder)), scorer


def ids(hits: Sequence[Hit]) -> list[str]:
    return [hit.passage.id for hit in hits]


# -- the order


@pytest.mark.parametrize("k", [0, 1, 5, DEPTH, DEPTH + 7, 200])
def test_the_first_fifty_are_put_in_order_and_the_rest_follows_as_it_came(k: int) -> None:
    passages = passage_set(DEPTH + 20)
    first, rest = passages.passages[:DEPTH], passages.passages[DEPTH:]
    retriever, scorer = by_length(passages)
    wanted = [*sorted(first, key=lambda each: len(each.text)), *rest][:k]
    assert ids(retriever.retrieve("query", k)) == [each.id for each in wanted]
    assert {text for _, text in scorer.given} == {indexed_text(each) for each in first}


@pytest.mark.parametrize(
    ("own", "scores", "weight", "order", "first"),
    [
        ((9.0, 7.0, 5.0), (0.0, 4.0, 2.0), 0.7, "d#1 d#2 d#0", 0.7 + 0.3 * 0.5),  # each from 0 to 1
        ((9.0, 7.0, 5.0), (0.0, 4.0, 2.0), 0.2, "d#0 d#1 d#2", 0.8),
        ((9.0, 7.0, 5.0), (0.0, 4.0, 2.0), 1.0, "d#1 d#2 d#0", 1.0),
        ((9.0, 7.0, 5.0), (0.0, 4.0, 2.0), 0.0, "d#0 d#1 d#2", 1.0),
        ((0.5, 0.5, 0.5), (0.0, 4.0, 2.0), 0.2, "d#1 d#2 d#0", 0.2),  # no scores, all alike
        ((0.1, 0.2, 0.9), (0.0, 4.0, 2.0), 0.2, "d#1 d#2 d#0", 0.2),  # distances
        ((9.0, 8.0, 8.0), (2.0, 2.0, 2.0), 0.7, "d#0 d#1 d#2", 0.3),
    ],
)
def test_the_model_s_scores_and_the_retriever_s_are_added_each_from_0_to_1(
    own: tuple[float, ...], scores: tuple[float, ...], weight: float, order: str, first: float
) -> None:
    hits = [Hit(each, score) for each, score in zip(passage_set(3).passages, own, strict=True)]
    found = reordered(hits, scores, weight)
    assert " ".join(ids(found)) == order
    assert found[0].score == pytest.approx(first)


def test_what_was_wrong_with_hits_of_the_user_s_own_is_still_said(tmp_path: Path) -> None:
    (tmp_path / "own.py").write_text("def mine(query, k): return ['d#4', 'nowhere#9', 'd#0']")
    own = build_retriever(f"{tmp_path}/own.py:mine", passage_set(5))
    retriever = RerankedRetriever(own, MODEL, PairScores(MODEL, Shortest(), None))
    hits: Any = retriever.retrieve("query", 1)
    assert ids(hits) == ["d#0"]
    assert "nowhere#9" in hits.problems[0]


def test_name_and_settings_say_what_the_order_depends_on() -> None:
    retriever, _ = by_length(passage_set(1))
    assert retriever.name == "found+rerank"
    assert retriever.settings == {
        "own": 1,
        "rerank": "made",
        "rerank_identity": "identity",
        "rerank_depth": DEPTH,
        "rerank_weight": WEIGHT,
    }


# -- the cache


def test_no_pair_is_scored_twice_in_this_run_or_a_later_one(tmp_path: Path) -> None:
    passages = passage_set(30)
    retriever, scorer = by_length(passages, tmp_path)
    first = retriever.retrieve("query", 9)
    assert len(scorer.given) == len({indexed_text(each) for each in passages.passages})
    given = len(scorer.given)
    assert retriever.retrieve("query", 9) == first
    assert len(scorer.given) == given
    again, unasked = by_length(passages, tmp_path)
    assert again.retrieve("query", 9) == first
    assert unasked.given == []
    again.retrieve("another query", 1)
    assert {query for query, _ in unasked.given} == {"another query"}


def test_the_oldest_scores_leave_the_memory_and_are_not_missed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reranking, "_REMEMBERED", 3)
    scores = PairScores(MODEL, Shortest(), None)
    texts = ["a" * number for number in range(1, 9)]
    assert scores.of("query", texts) == [-len(text) for text in texts]
    assert scores.of("query", texts[::-1]) == [-len(text) for text in texts[::-1]]


def test_where_a_query_ends_and_a_text_begins_matters() -> None:
    scorer = Shortest()
    scores = PairScores(MODEL, scorer, None)
    assert scores.of("ab", ["c"]) != scores.of("a", ["bc"])


def test_many_threads_score_a_pair_once() -> None:
    retriever, scorer = by_length(passage_set(40))
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda _: ids(retriever.retrieve("query", 4)), range(40)))
    assert all(each == found[0] for each in found)
    assert len(scorer.given) == len(set(scorer.given))


# -- models of sentence-transformers


@pytest.fixture(scope="session")
def cross_encoder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a BERT of one layer, random weights and one number a pair, as the library saves it."""
    return made_cross_encoder(tmp_path_factory.mktemp("cross"), 1)


def made_cross_encoder(folder: Path, labels: int) -> Path:
    library, transformers, torch = map(needed, ("sentence_transformers", "transformers", "torch"))
    vocabulary = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *WORDS, *"abcdefghijklmnopqrstuvwxyz"]
    (folder / "vocab.txt").write_text("\n".join(vocabulary))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.manual_seed(7)
        size = {"hidden_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 16}
        config = transformers.BertConfig(
            vocab_size=len(vocabulary),
            max_position_embeddings=64,
            num_labels=labels,
            initializer_range=3.0,
            **size,
        )
        transformers.BertForSequenceClassification(config).save_pretrained(folder / "bert")
        transformers.BertTokenizerFast(vocab=str(folder / "vocab.txt")).save_pretrained(folder / "bert")
        library.CrossEncoder(str(folder / "bert"), device="cpu").save_pretrained(str(folder / "made"))
    return folder / "made"


@pytest.mark.model
def test_scores_are_the_model_s_own_before_any_sigmoid(cross_encoder: Path) -> None:
    library, torch = map(needed, ("sentence_transformers", "torch"))
    passages = passage_set(12)
    texts = [indexed_text(each) for each in passages.passages]
    bare = library.CrossEncoder(str(cross_encoder), device="cpu")
    scores = bare.predict([("keep the notice", text) for text in texts], activation_fn=torch.nn.Identity())
    found = PairScores(*locate_scorer(str(cross_encoder), None, offline=True), None)
    assert found.of("keep the notice", texts) == pytest.approx(list(scores), abs=2e-4)
    assert min(scores) < 0


AGAIN = """
import sys
from pathlib import Path
from ragharness.retrievers import build_retriever
from test_dense import passage_set
retriever = build_retriever("bm25", passage_set(30), None, Path(sys.argv[1]), rerank=sys.argv[2])
print([(hit.passage.id, hit.score) for hit in retriever.retrieve("keep the notice", 7)])
print(sorted({"torch", "transformers", "sentence_transformers", "huggingface_hub"} & set(sys.modules)))
"""


@pytest.mark.model
def test_with_every_score_in_the_cache_no_model_library_is_imported(
    cross_encoder: Path, tmp_path: Path
) -> None:
    retriever = build_retriever("bm25", passage_set(30), None, tmp_path, rerank=str(cross_encoder))
    first = retriever.retrieve("keep the notice", 7)
    done = subprocess.run(
        [sys.executable, "-c", AGAIN, str(tmp_path), str(cross_encoder)],
        capture_output=True,
        text=True,
        check=True,
        cwd=Path(__file__).parent,
    )
    hits, loaded = done.stdout.splitlines()
    assert loaded == "[]"
    assert hits == str([(hit.passage.id, hit.score) for hit in first])


@pytest.mark.model
def test_a_model_with_several_numbers_a_pair_is_none(tmp_path: Path) -> None:
    retriever = build_retriever("bm25", passage_set(5), rerank=str(made_cross_encoder(tmp_path, 3)))
    with pytest.raises(RagharnessError, match=r"expected one finite number a pair .* shape \(4, 3\)"):
        retriever.retrieve("keep the notice", 2)


@pytest.mark.model
def test_a_run_can_be_reranked_and_says_so(cross_encoder: Path, verb: Verb) -> None:
    done = verb("run", "--rerank", str(cross_encoder), "--limit", "3", "--out", "run", "--json")
    assert json.loads(done.output)["retriever"] == "fields+rerank"


@pytest.mark.model
def test_a_model_that_cannot_be_had_is_a_sentence_with_a_way_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    needed("sentence_transformers")
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "hub"))
    (tmp_path / "config.json").write_text("{}")
    for name in (str(tmp_path), "owner/model"):
        with pytest.raises(RagharnessError, match="cannot load the cross-encoder") as raised:
            build_retriever("bm25", passage_set(3), None, None, Options(offline=True), name).retrieve(
                "keep", 1
            )
        assert "--rerank" in raised.value.help


def test_without_the_extra_the_command_that_installs_it_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    with pytest.raises(MissingExtra) as raised:
        build_retriever("bm25", passage_set(3), rerank="owner/of-no-such-model")
    assert raised.value.help.endswith("pip install 'ragharness[dense]'")


def test_a_path_that_is_no_folder_is_refused() -> None:
    with pytest.raises(UsageError, match=r"'\./away' is neither a folder") as raised:
        build_retriever("bm25", passage_set(3), rerank="./away")
    assert "--rerank" in raised.value.help
