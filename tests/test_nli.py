"""The grader ``nli``: windows, batches and thresholds with a scripted encoder, and a tiny real model."""

from __future__ import annotations

import importlib
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ragharness.errors import RagharnessError, UsageError
from ragharness.graders import GraderContext, load_grader, nli
from ragharness.graders.verdicts import grade
from ragharness.records import Answer, Passage, Question
from ragharness.support.options import Options

WORDS = ["the", "deed", "lasts", "two", "six", "years", "how", "long", "tenant", "keeps", "."]
QUESTION = Question(
    id="q", text="How long?", stratum="grounded", target="correct", kind="text", answerable=True,
    answers=("two years",),
)  # fmt: skip


def needed(name: str) -> Any:
    """Return a heavy library, or skip; its own warnings at import are not ours."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return importlib.import_module(name)
        except ImportError:
            return pytest.skip(f"needs {name}, of the extra 'dense'")


class Words:
    """A tokenizer of words."""

    model_max_length = 24

    def tokenize(self, text: str) -> list[str]:
        return text.split()


class Labels:
    def __init__(self) -> None:
        self.id2label = {0: "contradiction", 1: "entailment", 2: "neutral"}


class Encoder:
    """Scores by shared words: the first text must hold every word of the second."""

    def __init__(self) -> None:
        self.tokenizer = Words()
        self.config = Labels()
        self.pairs: list[tuple[str, str]] = []
        self.batches = 0

    def predict(self, pairs: list[tuple[str, str]], **_: Any) -> Any:
        self.batches += 1
        self.pairs += pairs
        return np.array([self._logits(*pair) for pair in pairs])

    def _logits(self, text: str, said: str) -> list[float]:
        held = set(said.strip(".").split()) <= set(text.replace(".", "").split())
        return [0.0, 4.0, 0.0] if held else [4.0, 0.0, 0.0]


@pytest.fixture
def encoder(monkeypatch: pytest.MonkeyPatch) -> Encoder:
    made = Encoder()
    monkeypatch.setattr(nli.Scorer, "_encoder", lambda self: made)
    monkeypatch.setattr(nli.Scorer, "_logits", lambda self, encoder, pairs: encoder.predict(pairs))
    return made


def grader(tmp_path: Path, *settings: str, wanted: str = "nli") -> Any:
    (tmp_path / "model").mkdir(exist_ok=True)
    given = [f"nli.{each}" for each in (f"model={tmp_path / 'model'}", *settings)]
    return load_grader(wanted, settings=given)


def passages(*texts: str) -> list[Passage]:
    return [Passage(f"d#{n}", "d", "", 0, len(text), text) for n, text in enumerate(texts, start=1)]


def test_a_gold_that_is_stated_is_right_and_all_else_is_open(encoder: Encoder, tmp_path: Path) -> None:
    one = grader(tmp_path)
    given = passages("It lasts two years.")
    right = grade(one, QUESTION, Answer(text="The deed lasts two years [d#1]."), given, frozenset({"d#1"}))
    assert (right.bucket, right.reason) == ("correct", "SUPPORTED")
    assert right.score is not None
    assert right.score.probability > 0.9
    other = grade(one, QUESTION, Answer(text="The deed lasts six years [d#1]."), given, frozenset({"d#1"}))
    assert (other.status, other.bucket) == ("needs_review", None)


@pytest.mark.parametrize("kind", ["yesno", "number", "date"])
def test_what_such_models_misread_is_not_asked(encoder: Encoder, tmp_path: Path, kind: Any) -> None:
    question = Question(id="q", text="?", stratum="grounded", kind=kind, answerable=True, answers=("2",))
    found = grade(grader(tmp_path), question, Answer(text="It is 2."), [], frozenset())
    assert (found.status, encoder.pairs) == ("needs_review", [])


def test_every_item_of_a_list_must_be_stated(encoder: Encoder, tmp_path: Path) -> None:
    question = Question(
        id="q", text="Who?", stratum="grounded", kind="list", answerable=True, answers=("Ann", "Bob")
    )
    one = grader(tmp_path)
    assert one.read(question, Answer(text="Ann and Bob ."), [], frozenset()).match == "match"
    assert one.read(question, Answer(text="Ann and Cid ."), [], frozenset()).match == "none"


def test_each_citation_must_support_its_sentence_and_all_are_one_batch(
    encoder: Encoder, tmp_path: Path
) -> None:
    chain = grader(tmp_path, wanted="rules,citation_supports=nli")
    said = "The deed lasts two years [d#1]. The tenant keeps the boathouse [d#2]."
    held = passages("The deed lasts two years .", "The tenant keeps the boathouse .")
    found = grade(chain, QUESTION, Answer(text=said), held, frozenset({"d#1"}))
    assert (found.bucket, found.citation_supports, encoder.batches) == ("correct", "yes", 1)
    other = passages("The deed lasts two years .", "Rent is due at spring tide .")
    assert grade(chain, QUESTION, Answer(text=said), other, frozenset({"d#1"})).citation_supports == "no"


def test_a_phantom_supports_nothing(encoder: Encoder, tmp_path: Path) -> None:
    chain = grader(tmp_path, wanted="rules,citation_supports=nli")
    said = Answer(text="The deed lasts two years [d#1] [d#9].")
    found = grade(chain, QUESTION, said, passages("The deed lasts two years ."), frozenset({"d#1"}))
    assert found.citation_supports == "no"


def test_a_long_passage_is_read_in_windows_that_overlap(encoder: Encoder, tmp_path: Path) -> None:
    one = grader(tmp_path)
    words = [f"w{n}" for n in range(100)]
    for place in range(0, 96, 7):
        said = " ".join(words[place : place + 4])
        assert one._scorer.scores([(" ".join(words), said)])[0] > 0.9
    assert max(len(text.split()) for text, _ in encoder.pairs) <= Words.model_max_length
    assert one._scorer.scores([(" ".join(words), "w3 w90")])[0] < 0.1


@pytest.mark.parametrize("settings", [["accept=2"], ["nothing=1"], ["batch-size=0"], ["support=x"]])
def test_a_setting_that_cannot_be_meant(tmp_path: Path, settings: list[str]) -> None:
    with pytest.raises(UsageError):
        grader(tmp_path, *settings)


def test_an_axis_that_it_cannot_read(encoder: Encoder, tmp_path: Path) -> None:
    chain = grader(tmp_path, wanted="rules,extra_claim_count=nli")
    with pytest.raises(UsageError, match="citation_supports"):
        grade(
            chain, QUESTION, Answer(text="The deed lasts two years [d#1]."), passages("x"), frozenset({"d#1"})
        )


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Cross-encoders of one layer and random weights: one with a score, one with three labels."""
    needed("sentence_transformers")
    transformers, torch = needed("transformers"), needed("torch")
    home = tmp_path_factory.mktemp("models")
    vocabulary = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *WORDS, *"abcdefghijklmnopqrstuvwxyz"]
    (home / "vocab.txt").write_text("\n".join(vocabulary))
    size = {"hidden_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 16}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name, labels in (("score", ["LABEL_0"]), ("labels", ["contradiction", "entailment", "neutral"])):
            torch.manual_seed(7)
            config = transformers.BertConfig(
                vocab_size=len(vocabulary), max_position_embeddings=64,
                id2label=dict(enumerate(labels)), label2id={each: n for n, each in enumerate(labels)}, **size,
            )  # fmt: skip
            transformers.BertForSequenceClassification(config).save_pretrained(home / name)
            tokenizer = transformers.BertTokenizerFast(vocab=str(home / "vocab.txt"))
            tokenizer.model_max_length = 64
            tokenizer.save_pretrained(home / name)
    return home


def real(models: Path, name: str, *settings: str) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        given = dict(each.split("=") for each in settings)
        options = Options({"model": str(models / name), **given}, offline=True)
        made = nli.build(GraderContext(options))
        made._scorer.scores([("the deed", "the deed")])
        return made


@pytest.mark.model
@pytest.mark.parametrize("name", ["score", "labels"])
def test_a_real_model_scores_alike_alone_and_in_a_batch(models: Path, name: str) -> None:
    made = real(models, name)
    pairs: Sequence[tuple[str, str]] = [
        ("the deed lasts two years .", "the deed lasts"),
        ("how long", "six years"),
        ("the tenant keeps the deed . " * 30, "two years"),
    ]
    together = made._scorer.scores(pairs)
    alone = [made._scorer.scores([pair])[0] for pair in pairs]
    assert together == pytest.approx(alone, abs=1e-5)
    assert all(0 < score < 1 for score in together)
    assert len(set(together)) == 3


@pytest.mark.model
def test_the_probability_is_that_of_entailment(models: Path) -> None:
    torch = needed("torch")
    made = real(models, "labels")
    pair = ("the deed lasts two years .", "the deed lasts")
    encoder = made._scorer._encoder()
    logits = encoder.predict([pair], activation_fn=torch.nn.Identity(), show_progress_bar=False)[0]
    expected = float(torch.softmax(torch.tensor(logits), 0)[1])
    assert made._scorer.scores([pair])[0] == pytest.approx(expected, abs=1e-5)


@pytest.mark.model
def test_a_real_model_grades(models: Path) -> None:
    made = real(models, "score", "accept=0.0001", "support=0.0001")
    given = passages("The deed lasts two years.")
    found = grade(made, QUESTION, Answer(text="The deed lasts two years [d#1]."), given, frozenset({"d#1"}))
    assert found.bucket == "correct"
    assert made.version.startswith("1 (")


@pytest.mark.model
def test_a_folder_without_a_model_gets_a_sentence(tmp_path: Path) -> None:
    needed("sentence_transformers")
    (tmp_path / "empty").mkdir()
    with pytest.raises(RagharnessError, match="expected a cross-encoder at"):
        real(tmp_path, "empty")
