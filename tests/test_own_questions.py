"""The user's own questions as a table: what is read, guessed and located, and that every bad row is named."""

from __future__ import annotations

import json
import re
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from own_folder import write_folder
from ragharness.corpus.loading import Corpus, load_corpus
from ragharness.errors import QuestionsNotUsable
from ragharness.questions import import_table
from ragharness.questions.import_table import read_table
from ragharness.questions.loading import load_questions
from ragquestions.checks import check_questions, remarks

if TYPE_CHECKING:
    from commands import Verb

TABLE = (
    "Question;Expected answer;Evidence;Distractors;Document\r\n"
    "How many inspectors did the Aldermere Harbor Office employ?;31;;;\r\n"
    "How much did the Aldermere Harbor Office spend on dredging?;$2.1 million;;$9 million|$4 million;account-0000\r\n"
    "When was the Aldermere Harbor Office founded?;1850;;;\r\n"
    'Did the Aldermere Harbor Office employ inspectors?;Yes;"The Aldermere Harbor Office\r\nemployed 31 inspectors in 1980.";;\r\n'
    "Which office employed 31 inspectors?;Aldermere Harbor Office|the harbour office;;;Annual Account of Aldermere\r\n"
    "How many windmills are there?;;;;\r\n"
)


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    return load_corpus(str(write_folder(tmp_path_factory.mktemp("reports"), 6)))


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
def test_a_table_is_read_guessed_and_located(corpus: Corpus, tmp_path: Path, encoding: str) -> None:
    path = tmp_path / "mine.csv"
    path.write_bytes(TABLE.encode(encoding))
    found = load_questions(corpus, path=path)
    told = [(each.id, each.row, each.kind, each.answers, each.unit) for each in found.questions]
    assert told == [
        ("r2", "grounded/correct", "number", ("31",), ""),
        ("r3", "grounded/wrong", "number", ("2.1",), "USD million"),
        ("r4", "grounded/correct", "date", ("1850",), ""),
        ("r5", "grounded/correct", "yesno", ("yes",), ""),
        ("r7", "grounded/correct", "text", ("Aldermere Harbor Office", "the harbour office"), ""),
        ("r8", "unanswerable", "text", (), ""),
    ]
    assert [each.value for each in found.questions[1].distractors] == ["9", "4"]
    for each in found.questions[:5]:
        (span,) = each.evidence
        stated = corpus.document(span.document).text[span.start : span.end]
        assert stated.startswith("The Aldermere Harbor Office")


def test_a_table_is_located_once_for_the_same_documents(
    corpus: Corpus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RAGHARNESS_CACHE", str(tmp_path))
    path = tmp_path / "mine.csv"
    path.write_text(TABLE)
    first = load_questions(corpus, path=path)
    assert first.questions[0].evidence
    monkeypatch.setattr(import_table, "Locator", None)
    assert load_questions(corpus, path=path) == first
    with pytest.raises(TypeError):
        load_questions(replace(corpus, documents=corpus.documents[::-1]), path=path)
    path.write_text(path.read_text().replace("windmills", "mills"))
    with pytest.raises(TypeError):
        load_questions(corpus, path=path)


def test_what_a_table_cannot_give_is_no_fault(corpus: Corpus, tmp_path: Path) -> None:
    path = tmp_path / "mine.csv"
    path.write_bytes(TABLE.encode())
    found = load_questions(corpus, path=path)
    assert check_questions(found, corpus) == []
    assert {each.rule for each in remarks(found, corpus)} >= {"silence"}


def test_json_lines_of_the_same_columns(corpus: Corpus, tmp_path: Path) -> None:
    path = tmp_path / "mine.jsonl"
    rows = [
        {"question": "When was the Aldermere Harbor Office founded?", "answers": ["1850"], "kind": "date"},
        {"question": "Who paints the boats?", "answerable": False},
    ]
    path.write_text("\n".join(map(json.dumps, rows)))
    assert [each.answerable for each in load_questions(corpus, path=path).questions] == [True, False]


def test_every_bad_row_is_named_with_its_line(corpus: Corpus, tmp_path: Path) -> None:
    rows = [
        ("", "5", "", "", "", ""),
        ("How tall is it?", "12 or 13", "number", "", "", ""),
        ("Who wrote it?", "Zebedee Quax", "", "", "", ""),
        ("What is x?", "5", "colour", "", "", ""),
        ("What is y?", "5", "", "No such sentence stands here.", "", ""),
        ("What is z?", "5", "", "", "no such file", ""),
        ("Is it so?", "yes", "", "", "", ""),
        ("Is it?", "5", "", "", "", "no"),
        ("Good: who was founded?", "", "", "", "", ""),
    ]
    path = tmp_path / "bad.csv"
    names = "question,answer,kind,evidence,document,answerable"
    path.write_text("\n".join([names, *(",".join(row) for row in rows)]))
    with pytest.raises(QuestionsNotUsable) as caught:
        load_questions(corpus, path=path)
    said = str(caught.value)
    assert "1 of 9 rows can be asked" in said
    for line in range(2, 10):
        assert f"\nline {line}: " in said
    path.write_text("answer\n5\n")
    with pytest.raises(QuestionsNotUsable, match='a column "question"'):
        load_questions(corpus, path=path)


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        (
            "a.csv",
            "question,anwser\nHow many?,31\n",
            "unknown column 'anwser' (did you mean 'answer'?) in line 1",
        ),
        ("a.csv", "sep=;\nquestion;answer;evidense\nHow many?;31;\n", "(did you mean 'evidence'?) in line 2"),
        ("a.csv", "question,answer,author\nHow many?,31,me\n", "name it 'note author' to keep it"),
        ("a.csv", "question\nHow many?\n", 'expected a column "answer"'),
        (
            "a.csv",
            "question,answer,expected\nHow many?,31,32\n",
            "'answer' and 'expected' both mean 'answer'",
        ),
        ("a.csv", "question,answer,\nHow many?,31,13\n", "line 2: a cell stands in a column without a name"),
        (
            "a.jsonl",
            '{"question": "How many?", "anwser": 31}\n',
            "line 1: unknown column 'anwser' (did you mean 'answer'?)",
        ),
        ("a.jsonl", '{"question": "How many?"}\n', 'line 1: expected a field "answer"'),
    ],
)
def test_no_column_is_overlooked(tmp_path: Path, name: str, content: str, said: str) -> None:
    with pytest.raises(QuestionsNotUsable) as caught:
        read_table(content.encode(), tmp_path / name)
    assert said in str(caught.value)


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("a.csv", b'question,answer\n"How many?,3\nWho?,4\n', "line 2: a cell begins with a quotation mark"),
        (
            "a.jsonl",
            b'{"question": "x?", "answer": 5}\nplain',
            "line 2: expected a JSON object, found 'plain'",
        ),
        ("a.csv", b"question,answer\n\n", "below the first line"),
        ("a.csv", "question,answer\n契約は何年ですか,二年間".encode("shift_jis"), "save it as UTF-8"),
    ],
)
def test_a_malformed_table_is_refused_with_what_to_mend(
    tmp_path: Path, name: str, content: bytes, said: str
) -> None:
    with pytest.raises(QuestionsNotUsable) as caught:
        read_table(content, tmp_path / name)
    assert said in str(caught.value)


def test_columns_of_the_user_s_own_begin_with_note(tmp_path: Path) -> None:
    table = b"question,answer,note author,Note-2,note,\nHow many?,31,me,x,seen,\n"
    (question,) = read_table(table, tmp_path / "a.csv").questions
    assert (question.answers, question.note) == (("31",), "seen")
    row = b'{"question": "How many?", "answer": 31, "note_tags": ["a"], "note": "seen"}'
    (question,) = read_table(row, tmp_path / "a.jsonl").questions
    assert (question.answers, question.note) == (("31",), "seen")


@given(st.binary(max_size=200), st.sampled_from(["a.csv", "a.jsonl", "a.tsv"]), st.booleans())
def test_any_bytes_are_a_table_or_refused_in_a_sentence(content: bytes, name: str, headed: bool) -> None:
    from pathlib import Path

    head = b"question,answer\n" if name != "a.jsonl" else b'{"question": "x?", "answer": 5}\n'
    with suppress(QuestionsNotUsable):
        assert read_table((head if headed else b"") + content, Path(name)).questions


def test_a_run_over_own_questions(verb: Verb, tmp_path: Path) -> None:
    write_folder(tmp_path / "docs", 6)
    (tmp_path / "mine.csv").write_text(TABLE)
    done = verb(
        "run", "--corpus", "docs", "--questions", "mine.csv", "--retriever", "oracle", "--all", "--quiet"
    )
    assert done.code == 0, done.errors
    assert "6 questions" in done.output
    told = dict(re.findall(r"(gold in top 5|right document|gold if right doc) +(\d+/\d+)", done.output))
    assert told == {"gold in top 5": "5/5", "right document": "5/5", "gold if right doc": "5/5"}
    assert not (tmp_path / "questionsets").exists()
    kept = verb("questions", "freeze", "--corpus", "docs", "--questions", "mine.csv", "--out", "kept")
    assert kept.code in (0, 1)


def test_short_quotes_and_other_spellings_are_found_and_refusals_counted(tmp_path: Path) -> None:
    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / "a.txt").write_text(
        "The office keeps five boats in the harbor. The bridge was opened on 1 March 1994.\n\nColour: red."
    )
    path = tmp_path / "mine.csv"
    path.write_text(
        "question,answer,evidence\nHow many boats does the office keep?,5,\nWhen was the bridge opened?,1994-03-01,\n"
        "What colour is it?,red,red\nWho owns the moon?,,\n"
    )
    corpus = load_corpus(str(folder))
    found = load_questions(corpus, path=path)
    text = corpus.documents[0].text
    held = [text[span.start : span.end] for each in found.questions for span in each.evidence]
    assert [each.split()[1] for each in held] == ["office", "bridge", "red."]
    assert found.notes[0] == "1 of 4 questions should be refused: they have no answer"
