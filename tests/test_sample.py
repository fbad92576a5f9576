"""The sample corpus: consistent in itself, and asked about only what it can bear."""

from __future__ import annotations

import re
from collections import Counter
from functools import cache
from hashlib import sha256
from itertools import pairwise
from typing import Any

import pytest

from ragharness.corpus.loading import Corpus, load_corpus, manifest
from ragharness.records import Question
from ragharness.support import resources
from ragquestions.corpus_index import CorpusIndex, near_duplicates
from ragquestions.recipes import Fact, candidates_of, facts_of

HOME = resources.root() / "corpora" / "sample"
SPELLING: Any = resources.load_module(HOME / "recipe" / "__init__.py")
TOPICS = resources.load_module(HOME / "recipe" / "__init__.py").WORDINGS.topics


@cache
def sample() -> Corpus:
    return load_corpus("sample")


@cache
def candidates() -> tuple[Question, ...]:
    return tuple(candidates_of(sample()))


def excerpts(fact: Fact) -> list[str]:
    return [sample().document(span.document).text[span.start : span.end] for span in fact.evidence]


def test_manifest_pins_what_is_committed() -> None:
    card = manifest("sample")
    for name, file in card.files.items():
        content = (HOME / name).read_bytes()
        assert (file.bytes, file.sha256) == (len(content), sha256(content).hexdigest())
    words = sum(len(each.text.split()) for each in sample().documents)
    assert card.counts[""] == {
        "documents": len(sample().documents),
        "facts": len(facts_of(sample()).stated),
        "words": words,
    }


def test_size_and_kinds() -> None:
    genres = Counter(each.genre for each in sample().documents)
    assert genres == {"non-disclosure agreement": 16, "government report": 13, "annual report extract": 13}
    assert sum(len(each.text.split()) for each in sample().documents) > 35_000
    kinds = Counter(fact.kind for fact in facts_of(sample()).stated if fact.answers)
    assert min(kinds[kind] for kind in ("yesno", "number", "date", "text", "list")) >= 60


def test_names_are_unique_and_used() -> None:
    for field in ("title", "handle", "paraphrase"):
        names = [getattr(each, field) for each in sample().documents]
        assert all(names)
        assert len(set(names)) == len(names)


def test_facts_at_known_positions() -> None:
    facts = facts_of(sample()).stated
    first = facts[0]
    assert (first.document, first.topic, first.answers) == ("nda-01", "reverse_engineering", ("no",))
    assert excerpts(first)[0].startswith("No equipment, software or material furnished")
    last = facts[-1]
    assert (last.document, last.topic) == ("annual-13", "plants")
    assert last.answers == ("Stanner Point", "Cape Adair")
    sales = next(fact for fact in facts if (fact.document, fact.topic) == ("annual-02", "sales"))
    assert sales.answers == ("273.1",)
    assert excerpts(sales) == [
        "Net sales | 273.1 | 259.1 | 238.2",
        "Net sales rose by 5.4 percent in fiscal 2023, to $273.1 million from $259.1 million.",
        "Total | 273.1 | 259.1 | 238.2",
    ]


def test_every_evidence_states_its_answer() -> None:
    for fact in facts_of(sample()).stated:
        for pattern in SPELLING.spellings(fact) if fact.kind != "yesno" else ():
            for text in excerpts(fact):
                assert re.search(pattern, text, re.IGNORECASE), (fact.document, fact.topic, text)


def test_every_yes_or_no_is_seen_by_the_patterns_that_prove_silence() -> None:
    for fact in facts_of(sample()).stated:
        patterns = TOPICS[fact.topic].silence if fact.kind == "yesno" and fact.answers else ()
        if patterns:
            assert any(
                re.search(pattern, text, re.IGNORECASE) for pattern in patterns for text in excerpts(fact)
            ), (fact.document, fact.topic, excerpts(fact))


def test_both_answers_of_every_topic_occur() -> None:
    found = Counter((fact.topic, fact.answers) for fact in facts_of(sample()).stated if fact.kind == "yesno")
    for topic in TOPICS:
        assert found[topic, ("yes",)], topic
        assert found[topic, ("no",)], topic


def test_no_line_is_repeated_in_a_document_and_no_mark_is_left() -> None:
    for document in sample().documents:
        lines = [line for line in document.text.splitlines() if len(line) > 50]
        assert len(set(lines)) == len(lines), document.id
        assert not re.search(r"[{}\[\]]|  |\ba [aeio]", document.text), document.id


def test_near_duplicates_are_near_but_not_the_same() -> None:
    assert not near_duplicates(sample().documents)
    assert near_duplicates(sample().documents, 0.5) >= {"nda-01", "nda-02", "nda-09", "nda-10"}


def rows_of(text: str) -> dict[str, list[float]]:
    rows: dict[str, list[float]] = {}
    for line in text.splitlines():
        label, *cells = line.split(" | ")
        if cells and re.fullmatch(r"[\d.,()]+", cells[0]):
            rows[label] = [float(re.sub(r"\((.*)\)", r"-\1", cell).replace(",", "")) for cell in cells]
    return rows


@pytest.mark.parametrize("number", range(1, 14))
def test_figures_of_annual_reports_add_up(number: int) -> None:
    document = sample().document(f"annual-{number:02d}")
    rows = rows_of(document.text)
    named = {label.replace(" (loss)", ""): cells for label, cells in rows.items()}
    sales = named["Total"]
    for column in range(3):
        gross = sales[column] - named["Cost of sales"][column]
        research = named.get("Research and development", [0.0] * 3)[column]
        overhead = named["Selling, general and administrative expense"][column]
        operating = named["Operating income"][column]
        before = named["Income before income taxes"][column]
        assert named["Gross profit"][column] == pytest.approx(gross, abs=0.01)
        assert operating == pytest.approx(gross - overhead - research, abs=0.01)
        assert before == pytest.approx(operating - named["Interest expense"][column], abs=0.01)
        after = before - named["Income tax expense"][column]
        assert named["Net income"][column] == pytest.approx(after, abs=0.01)


@pytest.mark.parametrize("number", range(1, 14))
def test_tables_of_reports_add_up(number: int) -> None:
    rows = list(rows_of(sample().document(f"report-{number:02d}").text).values())[1:]
    *parts, total = rows
    for column in range(3):
        assert total[column] == pytest.approx(sum(part[column] for part in parts), abs=0.01)


def test_agreements_are_signed_before_they_apply_and_secrecy_outlasts_them() -> None:
    for document in sample().documents:
        facts = {fact.topic: fact for fact in facts_of(sample()).stated if fact.document == document.id}
        if "effective_date" in facts:
            effective = facts["effective_date"]
            assert effective.details["signed"] <= effective.answers[0]
            survival = SPELLING.in_unit(facts["survival"].answers[0], facts["survival"].unit, "months")
            term = SPELLING.in_unit(facts["term"].answers[0], facts["term"].unit, "months")
            assert int(survival) > int(term)


def test_two_years_of_a_company_agree() -> None:
    documents = [each for each in sample().documents if each.id.startswith("annual")]
    for one, two in pairwise(documents):
        if one.title.split(" Annual")[0] == two.title.split(" Annual")[0]:
            earlier, later = rows_of(one.text), rows_of(two.text)
            for label in earlier.keys() & later.keys() - {""}:
                if not label.startswith("Fiscal year"):
                    assert earlier[label][:2] == later[label][1:], (two.id, label)


def test_there_are_candidates_enough_for_every_row() -> None:
    rows: dict[str, set[tuple[str, str]]] = {}
    for each in candidates():
        rows.setdefault(f"{each.row} {each.withheld}", set()).add((each.document or each.text, each.topic))
    wanted = {
        "grounded/correct ": 120,
        "grounded/wrong ": 60,
        "grounded/unsupported document": 60,
        "grounded/unsupported clause": 60,
        "grounded/refused ": 60,
        "unanswerable ": 30,
        "adversarial ": 30,
        "null_retrieval ": 30,
    }
    assert {row: len(rows[row]) for row in wanted if len(rows[row]) < wanted[row]} == {}
    assert rows.keys() == wanted.keys()


def test_silence_is_real() -> None:
    index = CorpusIndex(sample())
    for each in candidates():
        if not each.answerable:
            assert each.absence_patterns, each.text
            assert index.hits(each) == [], each.text
            assert not each.evidence
            assert not each.answers


def test_withheld_evidence_is_all_there_is() -> None:
    facts = {(fact.document, fact.evidence): fact for fact in facts_of(sample()).stated}
    for each in candidates():
        if each.withheld == "clause" and each.kind != "yesno":
            text = sample().document(each.document).text
            for span in sorted(each.evidence, reverse=True):
                text = text[: span.start] + text[span.end :]
            fact = facts[each.document, each.evidence]
            if fact.answers == each.answers:
                for pattern in SPELLING.spellings(fact):
                    assert not re.search(pattern, text, re.IGNORECASE), each.text


def test_temptations_are_false_and_stand_in_the_corpus() -> None:
    for each in candidates():
        for distractor in each.distractors:
            assert distractor.value not in each.answers, each.text
            if each.target == "wrong" and each.kind != "yesno":
                assert distractor.evidence, each.text


def test_wordings_name_the_document_and_come_in_both_forms() -> None:
    forms: dict[tuple[str, str], set[tuple[str, int]]] = {}
    for each in candidates():
        if not each.document:
            continue
        document = sample().document(each.document)
        named = document.paraphrase if each.wording == 3 else document.handle
        assert named in each.text, each.text
        if each.kind == "yesno" and each.answerable:
            forms.setdefault((each.document, each.topic), set()).add((each.form, each.wording))
    everything = {(form, wording) for form in ("positive", "negative") for wording in (1, 2, 3)}
    assert all(found == everything for found in forms.values())


def test_reworded_yes_and_no_answers_follow_the_form() -> None:
    facts = {(fact.document, fact.topic): fact.answers for fact in facts_of(sample()).stated}
    for each in candidates():
        if each.kind == "yesno" and each.answerable:
            affirmed = facts[each.document, each.topic] == ("yes",)
            assert each.answers == (("yes",) if affirmed == (each.form == "positive") else ("no",))


def test_questions_are_plain_sentences() -> None:
    for each in candidates():
        assert re.fullmatch(r"[A-Z\"].*\?", each.text), each.text
        assert not re.search(r"[{}]|  |the the |\bthe The\b", each.text), each.text
