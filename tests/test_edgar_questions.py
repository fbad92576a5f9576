"""The frozen questions about EDGAR: rebuilt, checked against the filings, and read by a person."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections import Counter
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest

from ragharness.corpus.loading import Corpus, load_corpus
from ragharness.language.words import words
from ragharness.questions.loading import load_questions
from ragharness.questions.questionset import QuestionSet, frozen_set
from ragharness.records import Document, Evidence
from ragharness.support import resources
from ragquestions import corpus_index
from ragquestions.building import build_questions
from ragquestions.checks import check_questions
from ragquestions.probe import probe
from ragquestions.recipes import Fact, Facts, facts_of
from readings import words_of_readers

FOLDER = resources.root() / "questionsets" / "edgar"


@pytest.fixture(scope="module")
def frozen() -> QuestionSet:
    return frozen_set("edgar")


@pytest.fixture(scope="module")
def corpus(edgar_folder: Path) -> Corpus:
    return load_corpus("edgar", source=str(edgar_folder))


def test_the_frozen_set_is_what_the_builder_makes(corpus: Corpus, frozen: QuestionSet) -> None:
    assert frozen.notes == ()
    assert frozen.corpus_hash == corpus.hash
    built = build_questions(corpus)
    assert (built.lines, built.priors) == (frozen.lines, frozen.priors)
    assert load_questions(corpus).frozen


def altered(corpus: Corpus, document: str) -> Corpus:
    """Return the corpus with another last word in one filing, as in another copy of it."""
    documents = [
        msgspec.structs.replace(each, text=f"{each.text[:-1]}x") if each.id == document else each
        for each in corpus.documents
    ]
    return replace(corpus, documents=tuple(documents))


@pytest.mark.slow
def test_another_copy_of_a_filing_keeps_the_frozen_set_where_it_makes_the_same_questions(
    corpus: Corpus, frozen: QuestionSet
) -> None:
    """One of the pinned filings is known from an altered copy only: the SEC's own has other bytes."""
    other = altered(corpus, "nvda-2023-01")
    assert other.hash != corpus.hash
    found = load_questions(other)
    assert (found.frozen, found.hash, found.lines) == (True, frozen.hash, frozen.lines)
    assert found.notes == (
        "texts differ from those of the frozen set; each question was made again and is the same",
    )


@pytest.mark.slow
def test_a_frozen_question_that_another_copy_does_not_carry_has_the_set_built_anew(
    corpus: Corpus, monkeypatch: pytest.MonkeyPatch
) -> None:
    without = [
        fact
        for fact in facts_of(corpus).stated
        if (fact.document, fact.topic) != ("nvda-2023-01", "us-gaap:PaymentsForRepurchaseOfCommonStock")
    ]
    monkeypatch.setattr(corpus_index, "facts_of", lambda _: Facts(tuple(without)))
    other = altered(corpus, "nvda-2023-01")
    found = load_questions(other)
    assert not found.frozen
    assert check_questions(found, other) == []
    (note,) = found.notes
    assert note == (
        "built now: the frozen set belongs to another state of edgar,"
        " in which 1 of its 130 questions are others (q011)"
    )


@pytest.mark.slow
def test_other_filings_have_questions_of_their_own(corpus: Corpus) -> None:
    fewer = [each for each in corpus.documents if not each.id.startswith("nvda")]
    kept = {each.id for each in fewer}
    other = replace(corpus, documents=tuple(fewer))
    assert {fact.document for fact in facts_of(other).stated} <= kept
    found = load_questions(other)
    assert found.notes[-1] == "built now: the frozen set is about other documents of edgar"


def test_the_frozen_set_has_every_property(corpus: Corpus, frozen: QuestionSet) -> None:
    assert check_questions(frozen, corpus) == []


@pytest.mark.slow
def test_the_hash_seed_changes_nothing(edgar_folder: Path, corpus: Corpus, frozen: QuestionSet) -> None:
    program = (
        "import sys\n"
        "from ragharness.corpus.loading import load_corpus\n"
        "from ragquestions.building import build_questions\n"
        "print(build_questions(load_corpus('edgar', source=sys.argv[1])).hash)"
    )
    assert corpus.documents  # parsed and kept: the other process need not do it again
    command = [sys.executable, "-c", program, str(edgar_folder)]
    environment = {**os.environ, "PYTHONHASHSEED": "77"}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == frozen.hash


def test_rows(frozen: QuestionSet) -> None:
    assert Counter(each.wanted for each in frozen.questions) == {"correct": 60, "refused": 70}
    assert Counter(each.withheld for each in frozen.questions) == {"": 110, "document": 10, "clause": 10}
    assert len({each.topic for each in frozen.questions if each.answerable}) >= 40
    assert Counter(each.wording for each in frozen.questions).keys() == {1, 2, 3}
    assert frozen.withheld_documents == (
        "aapl-2024-09",
        "amd-2023-12",
        "gme-2024-02",
        "googl-2024-12",
        "pg-2025-06",
    )


@pytest.mark.parametrize(
    ("number", "document", "topic", "answers", "unit"),
    [
        (1, "hd-2024-01", "amortization_ahead", ("207",), "USD million"),
        (17, "tsla-2024-12", "headquarters", ("Austin",), ""),
        (48, "nvda-2023-01", "equity", ("22101",), "USD million"),
        (130, "nvda-2025-01", "backlog", ("1.7",), "USD billion"),
    ],
)
def test_golden_questions(
    frozen: QuestionSet, number: int, document: str, topic: str, answers: tuple[str, ...], unit: str
) -> None:
    question = frozen.questions[number - 1]
    found = (question.id, question.document, question.topic, question.answers, question.unit)
    assert found == (f"q{number:03}", document, topic, answers, unit)


def test_what_is_withheld_is_said_nowhere_in_the_index(corpus: Corpus, frozen: QuestionSet) -> None:
    """No filing of the company that is indexed shows the figure outside of the withheld lines."""
    for question in frozen.questions:
        if not question.withheld:
            continue
        company = question.document.partition("-")[0]
        gone = {(span.document, span.start, span.end) for span in question.evidence}
        shown = re.compile(
            rf"(?<![\d,.]){re.escape(f'{float(question.answers[0]):,.10g}')}(?![\d,]|\.\d)".replace(
                "\\,", ","
            )
        )
        for document in corpus.documents:
            if document.id.partition("-")[0] != company or document.id in frozen.withheld_documents:
                continue
            places = [found.start() for found in shown.finditer(document.text)]
            assert all(
                any(name == document.id and start <= place < end for name, start, end in gone)
                for place in places
            ), (question.id, document.id)


def test_the_wording_does_not_tell(frozen: QuestionSet) -> None:
    """Neither upwards nor, where a model would only have to be turned around, far downwards."""
    found = probe(frozen.questions)
    assert [each.row for each in found if each.tells] == []
    assert all(each.auc is not None and each.auc >= 0.4 for each in found)


def test_plain_figures_stand_alone_and_tempting_ones_name_what_tempts(
    corpus: Corpus, frozen: QuestionSet
) -> None:
    for each in frozen.questions:
        if each.target == "correct":
            assert each.distractors == ()
        if each.target == "wrong":
            assert each.note.startswith(f"tempting: {each.distractors[0].value} is ")
            assert {span.document for other in each.distractors for span in other.evidence} == {each.document}


def test_no_date_is_said_twice_and_no_unanswerable_topic(frozen: QuestionSet) -> None:
    for each in frozen.questions:
        assert len(re.findall(r"\b(?:19|20)\d\d\b", each.text)) == 1, each.text
    topics = [each.topic for each in frozen.questions if each.stratum == "unanswerable"]
    assert len(set(topics)) == len(topics)


def test_what_is_silent_is_asked_as_where_it_is_answered(frozen: QuestionSet) -> None:
    recipe = resources.load_module(resources.folder("corpora", "edgar") / "recipe" / "__init__.py")
    silent = {each.topic for each in frozen.questions if each.target == "refused"}
    assert silent <= recipe.CONCEPTS.keys()


def table(*rows: str) -> tuple[Document, Fact, Evidence]:
    """Return a filing whose last row but one is withheld, and the fact of that row."""
    text = "\n".join(("Revenue and costs", *rows, "The end."))
    start = text.rindex("Operating income")
    row = Evidence("one", start, text.index("\n", start))
    fact = Fact(
        document="one",
        topic="us-gaap:OperatingIncomeLoss",
        kind="number",
        answers=("7076",),
        evidence=(row,),
        unit="USD million",
    )
    return Document(id="one", title="One", text=text), fact, row


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        (("Gross profit | 17,450", "Research | 4,540", "Selling | 5,150", "Other | 684"), True),
        (("Gross profit | 17,450", "Research | 4,540", "Selling | 5,151", "Other | 684"), False),
        (("Our operating income decreased $1,815 million compared to 2023.",), True),
        (("Our operating income decreased $1,215 million compared to 2023.",), False),
        (("Operating income was 7.2% of revenue.",), True),
        (("Interest income was 7.2% of revenue.",), False),
    ],
)
def test_a_figure_that_follows_from_others_is_not_withheld(rows: tuple[str, ...], expected: bool) -> None:
    recipe = resources.load_module(resources.folder("corpora", "edgar") / "recipe" / "__init__.py")
    document, fact, row = table(*rows, "Operating income | 7,076 | 8,891")
    assert recipe.follows(document, fact, [row], "", None) is expected


def test_no_text_of_a_filing_is_frozen(corpus: Corpus, frozen: QuestionSet) -> None:
    """No nine words in a row of a question, a note or a remark stand in a filing; names of filings may."""
    said = [part for each in frozen.questions for part in (each.text, each.note)]
    said += [each.about for question in frozen.questions for each in question.distractors]
    said += words_of_readers("edgar")
    said = [re.sub(r"(?:10-K for the )?fiscal year ended \w+ \d+, \d{4}", "…", text) for text in said]
    ours = {tuple(tokens[at : at + 9]) for tokens in map(words, said) for at in range(len(tokens) - 8)}
    for document in corpus.documents:
        tokens = words(document.text)
        assert ours.isdisjoint(zip(*(tokens[start:] for start in range(9)), strict=False)), document.id
