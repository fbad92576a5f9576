"""``ragharness questions``: build, check, show and freeze, as a person types them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from typer.testing import CliRunner

from ragharness.cli import build_app
from ragharness.errors import QuestionsNotUsable, StorageError, UnknownName, UsageError
from ragharness.questions.questionset import write

if TYPE_CHECKING:
    from typer.testing import Result


@pytest.fixture
def home(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """An empty cache, so that nothing of this machine is found."""
    monkeypatch.setenv("RAGHARNESS_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path


def ask(*words: str) -> Result:
    return CliRunner().invoke(build_app(), ["questions", *words])


def test_the_frozen_questions_are_shown_without_the_corpus(home: Path) -> None:
    done = ask("show", "--corpus", "contractnli")
    lines = done.stdout.splitlines()
    assert done.exit_code == 0
    assert lines[0].split() == ["ID", "TYPE", "GOLD"]
    assert sum(line.startswith("q") for line in lines) == 130
    assert max(map(len, lines)) <= 80
    assert " ".join(line.strip() for line in lines).count("?") >= 130


def test_one_question_is_shown_whole(home: Path, contractnli_folder: Path) -> None:
    alone = ask("show", "q041", "--corpus", "contractnli").stdout
    assert "grounded/wrong" in alone
    assert "tempting    Vermont: where a party was incorporated" in alone
    assert "evidence    cnli-392" in alone
    beside = ask("show", "q041", "--corpus", "contractnli", "--from", str(contractnli_folder)).stdout
    assert len(beside) > len(alone)
    assert max(map(len, beside.splitlines())) <= 80


def test_an_unknown_question_is_named_with_its_nearest(home: Path) -> None:
    done = ask("show", "q0411", "--corpus", "contractnli")
    assert isinstance(done.exception, UnknownName)
    assert "did you mean q041" in str(done.exception)


def test_build_writes_what_check_and_show_read(home: Path, contractnli_folder: Path) -> None:
    source = ["--corpus", "contractnli", "--from", str(contractnli_folder)]
    out = home / "sub" / "mine.jsonl"
    done = ask("build", *source, "--size", "26", "--out", str(out))
    assert done.exit_code == 0
    assert done.stdout.splitlines()[-1] == f"written to {out}"
    assert len(out.read_text().splitlines()) == 26
    checked = ask("check", *source, "--questions", str(out))
    assert (checked.exit_code, checked.stdout.splitlines()[-1]) == (
        0,
        "ok: every property of a question holds",
    )
    shown = json.loads(ask("show", "--corpus", "contractnli", "--questions", str(out), "--json").stdout)
    assert shown["rows"]["grounded/correct"] == 8
    assert [each["wanted"] for each in shown["questions"]].count("correct") == 12


def test_check_ends_with_1_and_names_what_is_wrong(home: Path, contractnli_folder: Path) -> None:
    source = ["--corpus", "contractnli", "--from", str(contractnli_folder)]
    out = home / "mine.jsonl"
    ask("build", *source, "--size", "26", "--out", str(out))
    out.write_text(out.read_text().replace('"answers":["yes"]', '"answers":["no"]', 1))
    done = ask("check", *source, "--questions", str(out))
    assert done.exit_code == 0, "the balance of a file of one's own is its own affair"
    assert "note: not met, but required of built sets only: expected " in done.stdout
    out.write_text(out.read_text().replace('"proposition":"', '"note":"'))
    done = ask("check", *source, "--questions", str(out))
    assert done.exit_code == 1
    assert "findings" in done.stdout
    found = json.loads(ask("check", *source, "--questions", str(out), "--json").stdout)
    assert {each["rule"] for each in found["findings"]} == {"wording"}
    assert {each["rule"] for each in found["remarks"]} == {"balance"}


def test_freeze_writes_a_set_that_loads(home: Path, contractnli_folder: Path) -> None:
    folder = home / "frozen"
    source = ["--corpus", "contractnli", "--from", str(contractnli_folder)]
    done = ask("freeze", *source, "--size", "13", "--out", str(folder))
    assert (done.exit_code, done.stdout.splitlines()[-1]) == (0, f"frozen in {folder}")
    assert ask("check", *source, "--questions", str(folder)).exit_code == 0
    (folder / "questions.jsonl").write_text("")
    assert isinstance(ask("check", *source, "--questions", str(folder)).exception, QuestionsNotUsable)


def test_the_index_of_a_set_is_written_without_what_it_withholds(home: Path) -> None:
    from ragharness.corpus.loading import load_corpus
    from ragharness.questions.loading import load_questions

    done = ask("passages", "-o", str(home / "index.jsonl"), "--passage-words", "60")
    written = [json.loads(line) for line in (home / "index.jsonl").read_text(encoding="utf-8").splitlines()]
    assert done.stdout.startswith(f"{len(written)} passages written to {home / 'index.jsonl'}, ")
    assert [
        json.loads(line) for line in ask("passages", "--passage-words", "60").stdout.splitlines()
    ] == written
    corpus = load_corpus("sample")
    questions = load_questions(corpus)
    assert not {each["document"] for each in written} & set(questions.withheld_documents)
    for span in questions.withheld_spans:
        over = [each for each in written if each["document"] == span.document and each["end"] > span.start]
        assert not [each for each in over if each["start"] < span.end]
    texts = {each.id: each.text for each in corpus.documents}
    assert all(texts[each["document"]][each["start"] : each["end"]] == each["text"] for each in written)


def test_mistakes_end_in_a_sentence(home: Path, contractnli_folder: Path) -> None:
    source = ["--corpus", "contractnli", "--from", str(contractnli_folder)]
    small = ask("build", *source, "--size", "3")
    assert isinstance(small.exception, UsageError)
    assert str(small.exception) == "a set needs at least 13 questions, found --size 3"
    unknown = ask("show", "--corpus", "contractnl")
    assert isinstance(unknown.exception, UnknownName)
    assert "did you mean contractnli?" in str(unknown.exception)


def test_a_file_that_cannot_be_put_in_its_place_leaves_no_draft(home: Path) -> None:
    taken = home / "taken"
    taken.mkdir()
    with pytest.raises(StorageError, match="expected to write"):
        write(taken, b"what does not fit")
    assert [each.name for each in home.iterdir()] == ["taken"]
