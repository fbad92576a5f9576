"""Cached vectors: what was embedded once is not embedded again, and what is damaged is never believed."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ragharness.errors import RagharnessError, UnknownName, UsageError
from ragharness.retrievers import models
from ragharness.retrievers.models import Model, embedding, find_model
from ragharness.retrievers.models.embedding import Embedder, EmbeddingOptions, Vectors, VectorStore, text_key

WIDTH = 5


def vector(text: str) -> Vectors:
    """Return the vector that the fake model gives a text."""
    halves = np.frombuffer(text_key(text)[: 2 * WIDTH], dtype=np.uint16)
    return (halves / 65536).astype(np.float32)


class FakeEncoder:
    """Stands for the model: its vectors are hashes, and it notes what it was asked for."""

    def __init__(self, fails_after: int = 10**9) -> None:
        self.asked: list[tuple[str, str]] = []
        self.fails_after = fails_after

    def encode(self, texts: Sequence[str], role: str, embedding: EmbeddingOptions) -> Vectors:
        if len(self.asked) >= self.fails_after:
            raise RagharnessError("the model failed")
        self.asked += [(role, text) for text in texts]
        return np.stack([vector(text) for text in texts])


MODEL = Model("m", "m", identity="hash of m")
OPTIONS = EmbeddingOptions(normalize=True)


def embed(
    folder: Path | None,
    texts: Sequence[str],
    model: Model = MODEL,
    embedding: EmbeddingOptions = OPTIONS,
    encoder: FakeEncoder | None = None,
) -> list[str]:
    """Embed the texts with what an earlier call left in the folder; return those that the model saw."""
    encoder = encoder or FakeEncoder()
    found = Embedder(model, embedding, folder, encoder).passages(texts)
    assert np.array_equal(found, np.stack([vector(text) for text in texts]))
    return sorted(text for _, text in encoder.asked)


TEXTS = ["one", "two", "three", "", "ñ", "two", "lone \ud800"]


def test_the_second_time_nothing_is_embedded_and_then_only_what_is_new(tmp_path: Path) -> None:
    assert embed(tmp_path, TEXTS) == sorted(set(TEXTS)), "equal texts are embedded once"
    assert embed(tmp_path, TEXTS[::-1]) == []
    assert embed(tmp_path, [*TEXTS, "four"]) == ["four"]
    assert embed(tmp_path, ["one", "two, changed"]) == ["two, changed"]


@pytest.mark.parametrize(
    ("model", "embedding"),
    [
        (Model("m", "m", identity="other weights"), OPTIONS),
        (MODEL, EmbeddingOptions(normalize=False)),
        (MODEL, EmbeddingOptions(normalize=True, passage_prompt="passage: ")),
    ],
)
def test_another_model_or_other_options_have_their_own_vectors(
    tmp_path: Path, model: Model, embedding: EmbeddingOptions
) -> None:
    embed(tmp_path, TEXTS)
    assert embed(tmp_path, TEXTS, model, embedding) == sorted(set(TEXTS))
    faster = EmbeddingOptions(normalize=True, device="cpu", batch_size=3)
    assert embed(tmp_path, TEXTS, embedding=faster) == [], "speed is not what a vector depends on"


def test_a_query_is_embedded_once_for_all_runs_and_apart_from_an_equal_passage(tmp_path: Path) -> None:
    for expected in ([("query", "one")], []):
        encoder = FakeEncoder()
        embedder = Embedder(MODEL, OPTIONS, tmp_path, encoder)
        for _ in range(3):
            assert np.array_equal(embedder.query("one"), vector("one"))
        assert encoder.asked == expected
    assert embed(tmp_path, ["one"]) == ["one"]


def test_what_was_embedded_before_a_failure_is_kept(tmp_path: Path) -> None:
    texts = [f"text {number:04}" for number in range(50)]
    small = EmbeddingOptions(normalize=True, batch_size=2)
    with pytest.raises(RagharnessError, match="the model failed"):
        embed(tmp_path, texts, embedding=small, encoder=FakeEncoder(fails_after=30))
    assert 0 < len(embed(tmp_path, texts)) < len(texts)


def test_progress_says_how_many_passages(tmp_path: Path) -> None:
    said: list[tuple[object, ...]] = []
    embedding = EmbeddingOptions(normalize=True, batch_size=1)
    encoder = FakeEncoder()
    embedder = Embedder(MODEL, embedding, tmp_path, encoder, lambda *it: said.append(it))
    embedder.passages([str(number) for number in range(20)])
    assert said == [("embedding", done, 20, "passages") for done in (0, 8, 16, 20)]


@pytest.mark.parametrize("damage", ["a file", "no folder"])
def test_a_folder_that_cannot_be_used_is_no_error(tmp_path: Path, damage: str) -> None:
    (tmp_path / "a file").write_text("in the way")
    for _ in range(2):
        assert embed(None if damage == "no folder" else tmp_path / damage, ["one"]) == ["one"]


# -- the files


def stored(folder: Path, texts: Sequence[str], space: str = "s") -> VectorStore:
    store = VectorStore(folder, space)
    for text in texts:
        store.append([text_key(text)], vector(text)[None, :])
    return store


def known(folder: Path, texts: Sequence[str], space: str = "s") -> set[str]:
    """Return which texts have a vector; each must be the right one."""
    found = dict(VectorStore(folder, space).records())
    by_key = {text_key(text): text for text in texts}
    assert set(found) <= set(by_key)
    for key, each in found.items():
        assert np.array_equal(each, vector(by_key[key]))
    return {by_key[key] for key in found}


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=200)
@given(data=st.data())
def test_any_damage_costs_the_damaged_record_alone(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    folder = tmp_path_factory.mktemp("vectors")
    texts = ["a", "b", "c", "d"]
    stored(folder, texts)
    (path,) = folder.glob("*.bin")
    whole = path.read_bytes()
    size = (len(whole) - 16) // len(texts)
    if data.draw(st.booleans(), label="cut"):
        length = data.draw(st.integers(0, len(whole) - 1))
        path.write_bytes(whole[:length])
        assert known(folder, texts) == set(texts[: max(0, length - 16) // size])
    else:
        at = data.draw(st.integers(0, len(whole) - 1))
        path.write_bytes(whole[:at] + bytes([whole[at] ^ data.draw(st.integers(1, 255))]) + whole[at + 1 :])
        lost = set(texts) if at < 16 else {texts[(at - 16) // size]}
        assert known(folder, texts) == set(texts) - lost
    assert set(embed(folder, texts)) == set(texts), "another space must not profit"


def test_damaged_vectors_are_embedded_anew_and_then_stay(tmp_path: Path) -> None:
    embed(tmp_path, TEXTS)
    (path,) = tmp_path.glob("vectors-*.bin")
    whole = bytearray(path.read_bytes())
    whole[20] ^= 1
    path.write_bytes(whole)
    assert len(embed(tmp_path, TEXTS)) == 1
    assert embed(tmp_path, TEXTS) == []


def test_a_file_under_the_name_of_another_space_is_not_believed(tmp_path: Path) -> None:
    stored(tmp_path, ["a"], "s")
    (path,) = tmp_path.glob("*.bin")
    path.rename(tmp_path / path.name.replace("vectors-s-", "vectors-t-"))
    assert known(tmp_path, ["a"], "t") == set()


def test_vectors_of_another_width_are_left_aside(tmp_path: Path) -> None:
    stored(tmp_path, ["a"])
    VectorStore(tmp_path, "s").append([text_key("b")], np.ones((1, WIDTH + 1), dtype=np.float32))
    matrix, missing = VectorStore(tmp_path, "s").read([text_key("a"), text_key("b")])
    assert matrix is not None
    assert len(missing) == 1
    assert matrix.shape[0] == 2


WRITER = """
import sys
import numpy as np
from pathlib import Path
from ragharness.retrievers.models.embedding import VectorStore, text_key
store = VectorStore(Path(sys.argv[1]), "s")
for number in range(200):
    text = f"{sys.argv[2]} {number}"
    halves = np.frombuffer(text_key(text)[:10], dtype=np.uint16)
    store.append([text_key(text)], halves[None, :] / 65536)
    if number % 20 == 0:
        store.tidy()
"""


def test_processes_that_write_at_the_same_time_do_not_harm_each_other(tmp_path: Path) -> None:
    names = ["p", "q", "r", "s"]
    children = [subprocess.Popen([sys.executable, "-c", WRITER, str(tmp_path), name]) for name in names]
    assert [child.wait() for child in children] == [0] * len(names)
    texts = [f"{name} {number}" for name in names for number in range(200)]
    assert known(tmp_path, texts) == set(texts)


def test_many_files_are_joined_into_one_without_loss(tmp_path: Path) -> None:
    texts = [f"text {number}" for number in range(embedding.KEPT_FILES + 1)]
    for text in texts:
        stored(tmp_path, [text])
    store = stored(tmp_path, [texts[0]])
    assert len(list(tmp_path.iterdir())) == embedding.KEPT_FILES + 2
    store.tidy()
    assert len(list(tmp_path.iterdir())) == 1, "nothing unfinished may stay"
    assert known(tmp_path, texts) == set(texts)
    store.append([text_key("more")], vector("more")[None, :])
    assert known(tmp_path, [*texts, "more"]) == {*texts, "more"}


def test_the_folder_is_bounded_and_the_space_in_use_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(embedding, "KEPT_BYTES", 400)
    for space in ("s", "t", "u", "v"):
        stored(tmp_path, ["a", "b"], space).tidy()
    assert known(tmp_path, ["a", "b"], "v") == {"a", "b"}
    assert sum(path.stat().st_size for path in tmp_path.iterdir()) <= 400
    assert known(tmp_path, ["a", "b"], "s") == set()


# -- which model it is


def model_folder(folder: Path, weights: bytes = b"weights", config: str = "{}") -> Path:
    (folder / "1_Pooling").mkdir(parents=True)
    (folder / "model.safetensors").write_bytes(weights)
    (folder / "1_Pooling" / "config.json").write_text("{}")
    (folder / "config_sentence_transformers.json").write_text(config)
    return folder


def test_a_model_is_what_its_files_hold_not_where_it_lies(tmp_path: Path) -> None:
    first = find_model(str(model_folder(tmp_path / "a")), cache=tmp_path / "cache")
    assert first.identity == find_model(str(model_folder(tmp_path / "b"))).identity
    assert first.identity != find_model(str(model_folder(tmp_path / "c", b"weightz"))).identity
    (tmp_path / "a" / "README.md").write_text("another card")
    assert first.identity == find_model(str(tmp_path / "a"), cache=tmp_path / "cache").identity


def test_unchanged_files_are_not_read_again_and_changed_ones_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, cache = model_folder(tmp_path / "a"), tmp_path / "cache"
    first = find_model(str(folder), cache=cache).identity
    (memory,) = cache.iterdir()
    with monkeypatch.context() as patch:
        patch.setattr(models, "_hash", lambda *_: pytest.fail("the weights were read again"))
        assert find_model(str(folder), cache=cache).identity == first
    for damaged in (b"", b"[]", b"{", memory.read_bytes()[:-9], b'{"stamps": 1}'):
        memory.write_bytes(damaged)
        assert find_model(str(folder), cache=cache).identity == first
    (folder / "model.safetensors").write_bytes(b"weights, trained further")
    assert find_model(str(folder), cache=cache).identity != first


def test_a_hub_model_in_the_cache_is_known_by_its_commit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for variable in ("SENTENCE_TRANSFORMERS_HOME", "HUGGINGFACE_HUB_CACHE"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path))
    assert find_model("owner/model").identity == ""
    home = tmp_path / "models--owner--model"
    (home / "snapshots" / "c0ffee").mkdir(parents=True)
    (home / "snapshots" / "c0ffee" / "modules.json").write_text("[]")
    (home / "refs").mkdir()
    (home / "refs" / "main").write_text("c0ffee")
    found = find_model("owner/model")
    assert (found.source, found.revision, found.identity) == (
        "owner/model",
        "c0ffee",
        "owner/model@c0ffee",
    )
    assert find_model("owner/model", "c0ffee") == found
    assert find_model("owner/model", "beef").identity == ""


@pytest.mark.parametrize("name", ["./absent", "/absent/model", "~/absent", "a/b/c", " "])
def test_a_path_that_is_none_is_a_sentence(name: str) -> None:
    with pytest.raises(UsageError, match="is neither a folder with a model nor a name on the hub"):
        find_model(name)


def test_declared_prompts_are_taken_by_role_or_by_name(tmp_path: Path) -> None:
    config = '{"prompts": {"query": "q: ", "passage": "p: ", "other": "o: ", "document": null}}'
    model = find_model(str(model_folder(tmp_path / "a", config=config)))
    assert (model.prompt("query"), model.prompt("passage"), model.prompt("query", "other")) == (
        "q: ",
        "p: ",
        "o: ",
    )
    with pytest.raises(UnknownName, match="did you mean other"):
        model.prompt("query", "othr")
    assert MODEL.prompt("query") == MODEL.prompt("passage") == ""


def test_a_model_trained_for_dot_products_keeps_its_lengths(tmp_path: Path) -> None:
    assert MODEL.by_cosine
    assert not find_model(str(model_folder(tmp_path / "a", config='{"similarity_fn_name": "dot"}'))).by_cosine


def test_a_model_with_an_unreadable_declaration_is_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="config_sentence_transformers"):
        find_model(str(model_folder(tmp_path / "a", config="[")))
