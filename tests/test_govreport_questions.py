"""The frozen questions about government reports: rebuilt, checked, and read by a person."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from calendar import month_name
from collections import Counter
from dataclasses import replace
from decimal import Decimal
from hashlib import sha256
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

from ragharness.corpus.loading import Corpus, load_corpus
from ragharness.language.numbers import find_quantities
from ragharness.language.units import read_unit
from ragharness.language.words import words
from ragharness.questions.loading import load_questions
from ragharness.questions.questionset import QuestionSet, frozen_set
from ragharness.support import resources
from ragquestions.building import build_questions
from ragquestions.checks import check_questions
from ragquestions.probe import LIMIT_ALL, probe
from ragquestions.recipes import facts_of
from readings import words_of_readers
from reports import real_reports

FOLDER = resources.root() / "questionsets" / "govreport"


@pytest.fixture(scope="module")
def frozen() -> QuestionSet:
    return frozen_set("govreport")


@pytest.fixture(scope="module")
def folder(shared: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return real_reports(shared, tmp_path_factory.mktemp("reports"))


@pytest.fixture(scope="module")
def corpus(folder: Path) -> Corpus:
    return load_corpus("govreport", source=str(folder))


def rows(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (FOLDER / name).read_text(encoding="utf-8").splitlines()]


def test_the_frozen_set_is_what_the_builder_makes(corpus: Corpus, frozen: QuestionSet) -> None:
    assert frozen.notes == ()
    assert frozen.corpus_hash == corpus.hash
    built = build_questions(corpus)
    assert (built.lines, built.priors) == (frozen.lines, frozen.priors)
    assert load_questions(corpus).frozen


def test_the_frozen_set_has_every_property(corpus: Corpus, frozen: QuestionSet) -> None:
    assert check_questions(frozen, corpus) == []
    assert Counter(each.row for each in frozen.questions) == {
        "grounded/correct": 40,
        "grounded/wrong": 20,
        "grounded/unsupported": 20,
        "grounded/refused": 20,
        "unanswerable": 10,
        "adversarial": 10,
        "null_retrieval": 10,
    }


def test_no_topic_and_no_report_fills_a_row(frozen: QuestionSet) -> None:
    silent = [each for each in frozen.questions if each.row == "grounded/refused"]
    assert max(Counter(each.document for each in silent).values()) <= 3
    assert max(Counter(each.topic for each in silent).values()) <= 3
    unanswerable = [each.document for each in frozen.questions if each.stratum == "unanswerable"]
    assert len(set(unanswerable)) == len(unanswerable)
    traps = Counter(each.topic for each in frozen.questions if each.stratum == "adversarial")
    assert len(traps) >= 6
    assert max(traps.values()) <= 2
    asked = Counter(each.document for each in frozen.questions if each.document)
    assert max(asked.values()) <= 6
    assert sum("stand for" in each.text for each in frozen.questions) <= 5


def test_no_two_questions_are_alike(corpus: Corpus, frozen: QuestionSet) -> None:
    """Asked of another report, or with another name in it, a question is another one; else its words are its own."""
    names = {name for each in corpus.documents for name in (each.handle, each.paraphrase) if name}
    bare: list[frozenset[str]] = []
    for each in frozen.questions:
        if each.stratum == "adversarial":
            continue
        text = each.text
        for name in sorted(names, key=len, reverse=True):
            text = text.replace(name, "")
        bare.append(frozenset(words(text)) - {"according", "to"})
    alike = [(one, two) for one, two in combinations(bare, 2) if len(one & two) > 0.85 * len(one | two)]
    assert alike == []


def test_the_wording_alone_tells_nothing(frozen: QuestionSet) -> None:
    probed = probe(frozen.questions)
    assert [each.row for each in probed if each.tells] == []
    assert next(each.auc or 0 for each in probed if each.row == "all") <= LIMIT_ALL


def test_what_people_read_is_there(corpus: Corpus) -> None:
    """Every line of ``read.jsonl``: the text that was read, the value in each of its places, nothing where none is."""
    file = resources.folder("corpora", "govreport") / "recipe" / "read.jsonl"
    lines = file.read_text(encoding="utf-8").splitlines()
    for row in map(json.loads, lines):
        text = corpus.document(row["report"]).text
        assert sha256(text.encode()).hexdigest().startswith(row["text"])
        for pattern in row.get("absent", ()):
            searched = [each.text for each in corpus.documents] if row.get("nowhere") else [text]
            assert not any(re.search(pattern, each, re.IGNORECASE) for each in searched), row["ask"]
        for start, end in row.get("evidence", ()):
            told = (row["answer"], *(row.get("also", ()) if row["kind"] == "number" else ()))
            unit = row.get("unit", "")
            assert any(holds(text[start:end], row["kind"], each, unit) for each in told), row["ask"]
        for value, start, end in row.get("near", ()):
            assert holds(text[start:end], row["kind"], value, row.get("unit", "")), row["ask"]
            assert value != row["answer"]


def holds(sentence: str, kind: str, value: str, unit: str) -> bool:
    """Whether a sentence gives a value, in digits, words or as a cell of a table."""
    if kind == "text":
        return value.split()[-1] in sentence or "".join(word[0] for word in value.split()) in sentence
    if kind == "date":
        return value[:4] in sentence
    factor = read_unit(unit).factor
    written = rf"(?<![\d.,]){re.escape(f'{float(value):,.10g}')}(?![\d,]|\.\d)"
    if (factor == 1 or "|" in sentence) and re.search(written, sentence):
        return True
    scales = (1, 1000, 1_000_000) if "|" in sentence else (1,)
    stated = {each.value * scale for each in find_quantities(sentence) for scale in scales}
    return Decimal(value) * factor in stated


def test_the_reports_are_those_that_are_pinned(corpus: Corpus) -> None:
    pinned = {each["id"]: each["sha256_of_text"] for each in rows("reports.jsonl")}
    assert {each.id: sha256(each.text.encode()).hexdigest() for each in corpus.documents} == pinned


# The question, its answer, and the sentence that states it: where it stands and its sha256.
GOLDEN = [
    ("q003", "2005-01", "gao-05-927", 17294, 17487, "f9ccc1e7458e"),
    ("q012", "1974-07", "report-41014af7", 21905, 22089, "28f4e5414bdd"),
    ("q017", "2024-05", "gao-26-107955", 42098, 42234, "bcee9aed2ef3"),
    ("q036", "Michael Chertoff", "report-8f3065e5", 5594, 5708, "9408ea2d3329"),
    ("q045", "1926", "report-1d0fe470", 5235, 5351, "d167e73ed3aa"),
    ("q052", "1.3", "r48863", 21586, 21655, "b77afa38349a"),
    ("q060", "Ron Wyden", "r48447", 27439, 27573, "04dbf0c924fd"),
    ("q064", "300000", "gao-26-108745", 1346, 1546, "84bc5311b27e"),
    ("q076", "2016", "gao-26-107650", 27704, 27849, "6e64bbcc6b37"),
]


@pytest.mark.parametrize(("name", "answer", "document", "start", "end", "text"), GOLDEN)
def test_golden_rows_by_position(
    corpus: Corpus,
    frozen: QuestionSet,
    name: str,
    answer: str,
    document: str,
    start: int,
    end: int,
    text: str,
) -> None:
    question = next(each for each in frozen.questions if each.id == name)
    span = question.evidence[0]
    assert (question.answers[0], span.document, span.start, span.end) == (answer, document, start, end)
    stated = corpus.document(document).text[start:end]
    assert sha256(stated.encode()).hexdigest()[:12] == text


def test_what_is_withheld_is_said_nowhere_in_the_index(corpus: Corpus, frozen: QuestionSet) -> None:
    """The report shows a day, a sum or a large count nowhere but in the withheld sentences."""
    for question in frozen.questions:
        if question.withheld != "clause" or question.kind == "text" or question.date_precision == "year":
            continue
        answer = question.answers[0]
        if question.kind == "date":
            year, month, *day = (int(part) for part in answer.split("-"))
            shown = " ".join([month_name[month], *(f"{each}," for each in day), str(year)])
        elif float(answer) < 10:
            continue
        else:
            shown = f"{float(answer):,.10g}"
            shown = {"percent": f"{shown} percent", "": shown}.get(question.unit, f"${shown}")
        text = corpus.document(question.document).text
        places = [found.start() for found in re.finditer(rf"(?<![\d,.]){re.escape(shown)}(?![\d,])", text)]
        assert all(any(span.start <= place < span.end for span in question.evidence) for place in places), (
            question.id
        )


@pytest.mark.slow
@pytest.mark.parametrize("seed", ["0", "77"])
def test_another_process_makes_the_same_bytes(folder: Path, frozen: QuestionSet, seed: str) -> None:
    program = (
        "import sys; from ragharness.corpus.loading import load_corpus;"
        "from ragquestions.building import build_questions;"
        "print(build_questions(load_corpus('govreport', source=sys.argv[1])).hash)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, str(folder)],
        env={**os.environ, "PYTHONHASHSEED": seed},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == frozen.hash


@pytest.mark.slow
def test_other_reports_have_questions_of_their_own(corpus: Corpus) -> None:
    fewer = tuple(each for each in corpus.documents if not each.id.startswith("report-"))
    kept = {each.id for each in fewer}
    other = replace(corpus, documents=fewer)
    assert {fact.document for fact in facts_of(other).stated} <= kept
    found = load_questions(other)
    assert not found.frozen
    assert found.notes[-1] == "built now: the frozen set is about other documents of govreport"


def test_remarks_and_what_reports_do_not_say_are_our_own_words(corpus: Corpus, frozen: QuestionSet) -> None:
    """What a report states is asked in its words; no nine words in a row of anything else stand in one."""
    said = words_of_readers("govreport")
    said += [each.note for each in frozen.questions]
    said += [each.text for each in frozen.questions if each.stratum == "unanswerable"]
    named = sorted(
        (name for each in corpus.documents for name in (each.handle, each.paraphrase) if name), key=len
    )
    for name in reversed(named):
        said = [text.replace(name, "…") for text in said]
    ours = {tuple(tokens[at : at + 9]) for tokens in map(words, said) for at in range(len(tokens) - 8)}
    for document in corpus.documents:
        tokens = words(document.text)
        assert ours.isdisjoint(zip(*(tokens[start:] for start in range(9)), strict=False)), document.id
