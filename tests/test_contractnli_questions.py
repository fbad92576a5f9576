"""The frozen questions about ContractNLI: rebuilt, checked against the contracts, and read by a person."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from ragharness.corpus.loading import Corpus, load_corpus
from ragharness.corpus.passages import EvidenceIndex, build_passages, withhold
from ragharness.language.numbers import find_quantities
from ragharness.language.words import words
from ragharness.questions.loading import load_questions
from ragharness.questions.questionset import QuestionSet, frozen_set
from ragharness.support import resources
from ragharness.support.resources import load_module
from ragquestions.building import build_questions
from ragquestions.checks import check_questions
from ragquestions.corpus_index import near_duplicates
from ragquestions.probe import probe
from ragquestions.recipes import facts_of
from readings import words_of_readers

FOLDER = resources.root() / "questionsets" / "contractnli"
RECIPE = load_module(resources.root() / "corpora" / "contractnli" / "recipe" / "__init__.py")
_ORDINARY = {"1": "one", "4": "fourth", "7": "seventh", "10": "tenth", "18": "eighteen"}
HYPOTHESES = {f"nda-{n}" for n in (1, 2, 3, 4, 5, 7, 8, 10, 11, 12, 13, 15, 16, 17, 18, 19, 20)}


@pytest.fixture(scope="module")
def frozen() -> QuestionSet:
    return frozen_set("contractnli")


@pytest.fixture(scope="module")
def corpus(contractnli_folder: Path) -> Corpus:
    return load_corpus("contractnli", source=str(contractnli_folder))


def test_the_frozen_set_is_what_the_builder_makes(corpus: Corpus, frozen: QuestionSet) -> None:
    assert frozen.notes == ()
    assert frozen.corpus_hash == corpus.hash
    built = build_questions(corpus)
    assert (built.lines, built.priors) == (frozen.lines, frozen.priors)
    loaded = load_questions(corpus)
    assert (loaded.frozen, loaded.hash) == (True, frozen.hash)


def test_the_frozen_set_has_every_property(corpus: Corpus, frozen: QuestionSet) -> None:
    assert check_questions(frozen, corpus) == []


def test_the_hash_seed_changes_nothing(contractnli_folder: Path, frozen: QuestionSet) -> None:
    program = (
        "import sys\n"
        "from ragharness.corpus.loading import load_corpus\n"
        "from ragquestions.building import build_questions\n"
        "print(build_questions(load_corpus('contractnli', source=sys.argv[1])).hash)"
    )
    environment = {**os.environ, "PYTHONHASHSEED": "77"}
    command = [sys.executable, "-c", program, str(contractnli_folder)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == frozen.hash


def test_rows(frozen: QuestionSet) -> None:
    assert Counter(each.row for each in frozen.questions) == {
        "grounded/correct": 40,
        "grounded/wrong": 20,
        "grounded/unsupported": 20,
        "grounded/refused": 20,
        "unanswerable": 10,
        "adversarial": 10,
        "null_retrieval": 10,
    }
    assert Counter(each.wanted for each in frozen.questions) == {"correct": 60, "refused": 70}
    assert Counter(each.withheld for each in frozen.questions) == {"": 110, "document": 10, "clause": 10}
    titles = sum(each.wording in (1, 2) for each in frozen.questions)
    assert (titles, sum(each.wording == 3 for each in frozen.questions)) == (83, 37)


@pytest.mark.parametrize(
    ("number", "document", "topic", "answers", "evidence"),
    [
        (1, "cnli-493", "confirmation", ("15",), (1370, 1598)),
        (55, "cnli-30", "solicitation", ("12",), (17517, 17826)),
        (130, "cnli-127", "return", ("7",), (3337, 3580)),
    ],
)
def test_golden_questions(
    frozen: QuestionSet, number: int, document: str, topic: str, answers: Any, evidence: Any
) -> None:
    question = frozen.questions[number - 1]
    assert (question.id, question.document, question.topic) == (f"q{number:03}", document, topic)
    assert question.answers == answers
    if evidence:
        assert (question.evidence[0].start, question.evidence[0].end) == evidence


def test_no_shortcut_gains(frozen: QuestionSet) -> None:
    """Always yes, or the usual answer to a clause: each is right on half of the yes/no questions."""
    asked = [each for each in frozen.questions if each.wanted == "correct" and each.kind == "yesno"]
    label = [(each.answers == ("yes",)) == each.yes_means for each in asked]
    assert 2 * sum(each.answers == ("yes",) for each in asked) == len(asked) == 2 * sum(label)
    forms = Counter(each.form for each in asked)
    assert abs(forms["positive"] - forms["negative"]) <= 2
    answerable = [each for each in frozen.questions if each.wanted == "correct"]
    assert Counter(each.topic for each in answerable).most_common(1)[0][1] <= 8
    assert 30 <= sum(each.kind != "yesno" for each in answerable) <= 45


def test_the_wording_does_not_tell_what_wants_a_refusal(frozen: QuestionSet) -> None:
    every, *rows = probe(frozen.questions)
    assert every.auc is not None
    assert every.auc <= 0.60
    assert [each.row for each in rows if each.auc is None or each.auc > 0.70] == []


def test_every_tempting_falsehood_has_its_place_in_the_contract(frozen: QuestionSet) -> None:
    for question in frozen.questions:
        if question.row == "grounded/wrong":
            for each in question.distractors:
                assert {span.document for span in each.evidence} == {question.document}


def test_silences_are_asked_in_the_words_of_clauses_that_others_have(frozen: QuestionSet) -> None:
    answered = {each.topic for each in frozen.questions if each.wanted == "correct"}
    silent = [each for each in frozen.questions if each.row == "grounded/refused"]
    assert {each.topic for each in silent} <= answered
    assert all(not re.search(r"\b(may|must)\b.*\?", each.text) or each.kind != "yesno" for each in silent)


def test_clauses_are_stated_where_they_are_said_to_be(corpus: Corpus) -> None:
    """Every span lies in its contract and holds its answer, as a name or as a figure."""
    for clause in RECIPE.CLAUSES.values():
        assert len(clause.asked) == len({each for each in clause.asked if each.count("{name}") == 1}) == 3
        for name, stated in clause.stated.items():
            text = corpus.document(name).text
            for start, end in stated.at:
                held = text[start:end]
                spelled = {*stated.answers, *(_ORDINARY.get(each, each) for each in stated.answers)}
                found = {f"{each.value.normalize():f}" for each in find_quantities(held)}
                assert spelled & found or any(each in held for each in spelled), name


def test_withheld_evidence_is_out_of_the_index_and_all_other_evidence_in_it(
    corpus: Corpus, frozen: QuestionSet
) -> None:
    evidence = EvidenceIndex(corpus)
    whole = build_passages(corpus.documents)
    index = withhold(whole, frozen.withheld_documents, frozen.withheld_spans)
    for question in frozen.questions:
        own = index.of(question.document)
        if question.withheld == "document":
            assert not own
        elif question.withheld == "clause":
            assert 3 <= len(own) < len(whole.of(question.document))
            known = {**RECIPE.WORDINGS.topics, **RECIPE.CLAUSES}
            for pattern in known[question.topic].silence:
                assert not any(re.search(pattern, passage.text, re.IGNORECASE) for passage in own)
        else:
            assert all(evidence.covered(question, own))


def test_only_the_known_documents_are_near_duplicates(corpus: Corpus) -> None:
    pairs = {"cnli-52", "cnli-97", "cnli-537", "cnli-539", "cnli-395", "cnli-444", "cnli-49", "cnli-53"}
    assert near_duplicates(corpus.documents) == pairs


def test_no_form_of_the_same_drafter_stands_in_for_what_is_withheld(
    corpus: Corpus, frozen: QuestionSet
) -> None:
    sisters = near_duplicates(corpus.documents, 0.5)
    assert sisters - near_duplicates(corpus.documents) == {"cnli-117", "cnli-321"}
    assert near_duplicates(corpus.documents, 0.35) == sisters
    indexed = {
        document.id: " ".join(words(document.text))
        for document in corpus.documents
        if document.id not in frozen.withheld_documents
    }
    for question in frozen.questions:
        if question.withheld or question.stratum == "adversarial":
            assert question.document not in sisters
        for span in question.evidence if question.withheld else ():
            sentence = " ".join(words(corpus.document(span.document).text[span.start : span.end]))
            assert not [
                name for name, text in indexed.items() if name != span.document and sentence in text
            ], question.id


def test_surplus_spans_were_marked_and_are_no_evidence(corpus: Corpus, frozen: QuestionSet) -> None:
    marked = {
        (fact.topic, span.document, span.start) for fact in facts_of(corpus).stated for span in fact.evidence
    }
    surplus = {
        (topic, document, start)
        for topic, rows in RECIPE.WORDINGS.surplus.items()
        for document, starts in rows.items()
        for start in starts
    }
    assert surplus <= marked
    assert not surplus & {
        (each.topic, span.document, span.start) for each in frozen.questions for span in each.evidence
    }


def test_no_text_of_the_data_set_is_frozen(corpus: Corpus, frozen: QuestionSet) -> None:
    """No nine words in a row of a question, a note or a remark stand in a contract; names may."""
    said = [part for each in frozen.questions for part in (each.text, each.proposition, each.note)]
    said += words_of_readers("contractnli")
    said += [reason for rows in RECIPE.DOUBTFUL.values() for reason in rows.values()]
    ours = {tuple(tokens[at : at + 9]) for tokens in map(words, said) for at in range(len(tokens) - 8)}
    for document in corpus.documents:
        tokens = words(document.text)
        assert ours.isdisjoint(zip(*(tokens[start:] for start in range(9)), strict=False)), document.id


def test_every_hypothesis_has_six_wordings(corpus: Corpus) -> None:
    topics = RECIPE.WORDINGS.topics
    assert set(topics) == HYPOTHESES == {fact.topic for fact in facts_of(corpus).stated}
    texts = [text for each in topics.values() for text in (*each.positive, *each.negative)]
    assert len(texts) == len(set(texts)) == 102
    for topic in topics.values():
        assert (len(topic.positive), len(topic.negative)) == (3, 3)
        assert topic.proposition.endswith(".")
    for text in texts:
        assert text.count("{name}") == 1
        assert text.endswith("?")
        assert text[0].isupper()


def test_handles_are_unique_and_complete(corpus: Corpus) -> None:
    named = [document for document in corpus.documents if document.handle]
    assert len(named) == 110
    assert len({document.handle.casefold() for document in named}) == 110
    assert len({document.paraphrase.casefold() for document in named}) == 110
    assert all(document.paraphrase for document in named)


def test_doubtful_pairs_exist_and_are_never_asked(corpus: Corpus, frozen: QuestionSet) -> None:
    doubtful = {(document, topic) for topic, rows in RECIPE.DOUBTFUL.items() for document in rows}
    assert doubtful <= {(fact.document, fact.topic) for fact in facts_of(corpus).stated}
    assert not doubtful & {(each.document, each.topic) for each in frozen.questions}


@pytest.mark.slow
def test_a_larger_set_stops_where_the_contracts_do(corpus: Corpus) -> None:
    large = build_questions(corpus, 260)
    assert check_questions(large, corpus) == []
    assert len(large.questions) == 221
    (note,) = large.notes
    assert note.startswith(
        "260 questions were asked for, 221 are built: the corpus yields no more questions for"
    )


def test_another_split_is_built_anew(contractnli_folder: Path, tmp_path: Path) -> None:
    content = json.loads((contractnli_folder / "test.json").read_text(encoding="utf-8"))
    for number, contract in enumerate(content["documents"]):
        contract["id"] = 10_000 + number
    (tmp_path / "train.json").write_text(json.dumps(content), encoding="utf-8")
    train = load_corpus("contractnli", split="train", source=str(tmp_path))
    built = load_questions(train, size=130)
    assert not built.frozen
    assert built.notes[-1] == "built now: the frozen set belongs to another split of contractnli"
    assert check_questions(built, train) == []
    assert {each.topic for each in built.questions if each.stratum == "adversarial"} == {"amendment"}
