"""What people asked of the reports: joined by id, asked only where one value of the text answers, all counted."""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterable
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from asked import ASKED, as_rows, as_structs, real_reports
from ragharness.corpus.loading import Corpus, load_corpus
from ragharness.support import resources
from ragquestions.building import build_questions
from ragquestions.checks import check_questions
from ragquestions.recipes import Fact, candidates_of, facts_of
from reports import as_row, invented

if TYPE_CHECKING:
    from commands import Verb

HOME = resources.folder("corpora", "govreport")
PAIRS = "question_summary_pairs"


def write(path: Path, rows: Iterable[object]) -> Path:
    path.write_text("\n".join(json.dumps(each) for each in rows), encoding="utf-8")
    return path.parent


def people(corpus: Corpus) -> dict[str, Fact]:
    """Return what is asked in people's words, by their questions."""
    return {fact.details["ask"]: fact for fact in facts_of(corpus).stated if "worded" in fact.details}


def pair(question: str, summary: str, parent: int = -1, paragraph: int = 0) -> dict[str, Any]:
    values = (question, summary, parent, paragraph)
    names = ("question", "summary", "parent_pair_index", "summary_paragraph_index")
    return dict(zip(names, values, strict=True))


ROADS = pair(
    "How much did the Fernleigh Road Act provide for repairs of roads in FY2021?",
    "For repairs of roads the Fernleigh Road Act provided $41 million in FY2021.",
)
FEES = pair(
    "How much did FRTX collect in road fees in 2022?", "FRTX collected $61 million in road fees in 2022."
)


def of_invented(folder: Path, *pairs: dict[str, Any], count: int = 1) -> Corpus:
    """Return invented reports with what is asked of the first one."""
    reports = invented(count)
    (folder / "test.jsonl").write_text("\n".join(as_row(each) for each in reports), encoding="utf-8")
    write(folder / "asked.jsonl", [{"doc_id": f"CRS_{reports[0].number}", PAIRS: list(pairs)}])
    return load_corpus("govreport", source=str(folder))


def told(corpus: Corpus) -> str:
    """What was said of the pairs when their files were read, and when they were looked at one by one."""
    notes = (*corpus.notices, *facts_of(corpus).notes)
    return "\n".join(note for note in notes if "GovReport-QS" in note)


def test_golden_questions_of_the_real_reports(shared: Path, tmp_path: Path) -> None:
    reports = real_reports(shared)
    write(tmp_path / "test.jsonl", reports.values())
    write(tmp_path / "pairs.jsonl", as_rows(reports, sections=False))
    corpus = load_corpus("govreport", source=str(tmp_path))
    # Who says so goes: the report that is asked is named in its place.
    wanted = {
        each.question.replace(", according to CBO?", "?"): each.gold
        for pairs in ASKED.values()
        for each in pairs
        if each.gold
    }
    found = people(corpus)
    assert {question: fact.answers[0] for question, fact in found.items()} == wanted
    for question, fact in found.items():
        text = corpus.document(fact.document).text
        number = next(
            n for n, pairs in ASKED.items() if any(question[:-1] in each.question for each in pairs)
        )
        assert fact.document == f"r450{number:02}"
        stating = [text[each.start : each.end] for each in fact.evidence]
        shown = fact.answers[0].removesuffix("000")
        assert any(shown in each or "$1.41 billion" in each or "January 3, 2018" in each for each in stating)
    every = sum(map(len, ASKED.values()))
    assert f"{len(wanted)} of {every} pairs of GovReport-QS give questions; of the others " in told(corpus)


def test_both_layouts_and_both_parts_say_the_same(shared: Path, tmp_path: Path) -> None:
    reports = real_reports(shared)
    plain, whole, parts = (tmp_path / name for name in ("plain", "whole", "parts"))
    for folder in (plain, whole, parts):
        folder.mkdir()
        write(folder / "test.jsonl", reports.values())
    rows = as_rows(reports)
    write(plain / "asked.jsonl", rows)
    (whole / "asked.json").write_text(
        json.dumps([each | {PAIRS: as_structs(each[PAIRS])} for each in rows]), encoding="utf-8"
    )
    # The other way in which they are published: each paragraph of a summary is a row.
    split = [
        {
            "doc_id": each["doc_id"],
            "summary_paragraph_index": paragraph,
            PAIRS: [
                {name: value for name, value in one.items() if name != "summary_paragraph_index"}
                for one in as_structs(each[PAIRS])
                if one["summary_paragraph_index"] == paragraph
            ],
        }
        for each in rows
        for paragraph in sorted(set(each[PAIRS]["summary_paragraph_index"]))
    ]
    write(parts / "asked.jsonl", [*split, *rows])
    corpora = [load_corpus("govreport", source=str(each)) for each in (plain, whole, parts)]
    assert facts_of(corpora[0]).stated == facts_of(corpora[1]).stated == facts_of(corpora[2]).stated
    assert people(corpora[0])


def test_rows_without_their_report_are_one(shared: Path, tmp_path: Path) -> None:
    reports = real_reports(shared)
    write(tmp_path / "document.jsonl", as_rows(reports))
    corpus = load_corpus("govreport", source=str(tmp_path))
    assert [each.id for each in corpus.documents] == [
        "r45001",
        "r45002",
        "r45004",
        "r45007",
        "r45011",
        "r45012",
    ]
    wanted = [each.gold for pairs in ASKED.values() for each in pairs if each.gold]
    assert sorted(fact.answers[0] for fact in people(corpus).values()) == sorted(wanted)


def test_reports_without_pairs_are_asked_as_before(tmp_path: Path) -> None:
    reports = invented(3)
    rows = "\n".join(as_row(each) for each in reports)
    (tmp_path / "alone").mkdir()
    (tmp_path / "alone/test.jsonl").write_text(rows, encoding="utf-8")
    alone = load_corpus("govreport", source=str(tmp_path / "alone"))
    (tmp_path / "asked").mkdir()
    asked = of_invented(tmp_path / "asked", ROADS, count=3)
    assert asked.hash == alone.hash
    assert [each for each in facts_of(asked).stated if each.document != "r90000"] == [
        each for each in facts_of(alone).stated if each.document != "r90000"
    ]
    assert not any("GovReport-QS" in each for each in alone.notices)


def test_ids_join_however_they_are_written(tmp_path: Path) -> None:
    report = invented(1)[0]
    row = json.loads(as_row(report))
    for mine, theirs in (("CRS_R90000", "R90000"), ("R90000", "crs_r90000"), ("GAO-18-4", "GAO_GAO-18-4")):
        write(tmp_path / "test.jsonl", [row | {"id": mine}])
        write(tmp_path / "asked.jsonl", [{"doc_id": theirs, PAIRS: [FEES]}])
        assert set(people(load_corpus("govreport", source=str(tmp_path)))) == {FEES["question"]}


def test_cached_reports_need_neither_pairs_nor_their_client(
    tmp_path: Path, verb: Verb, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "cache/corpora/govreport"
    folder.mkdir(parents=True)
    content = "\n".join(as_row(each) for each in invented(3)).encode()
    (folder / "test.jsonl").write_bytes(content)
    known = {"test.jsonl": {"sha256": sha256(content).hexdigest(), "source": "here"}}
    (folder / "hashes.json").write_text(json.dumps(known), encoding="utf-8")
    monkeypatch.setitem(sys.modules, "datasets", None)
    fetched = verb("corpus", "fetch", "govreport")
    told = " ".join(fetched.errors.split())
    assert fetched.code == 0
    assert "3 documents" in fetched.output
    assert "govreport is read without test_pairs.jsonl: " in told
    assert "pip install 'ragharness[hub]'" in told
    assert "test_pairs" not in verb("corpus", "check", "govreport").errors


def test_a_statement_is_asked_for_once_and_in_peoples_words(tmp_path: Path) -> None:
    again = ROADS | {
        "question": "What was the amount that the Fernleigh Road Act provided for repairs of roads in FY2021?"
    }
    corpus = of_invented(tmp_path, ROADS, again, FEES)
    assert set(people(corpus)) == {ROADS["question"], FEES["question"]}
    places = Counter(fact.evidence[0].start for fact in facts_of(corpus).stated)
    assert set(places.values()) == {1}
    assert people(corpus)[ROADS["question"]].details["stated"] == "summary and body"
    assert "1 ask for what another one asks for" in told(corpus)


@pytest.mark.parametrize(
    ("asked", "reason"),
    [
        (pair("Why are roads repaired?", "They are old."), "ask for no figure or date"),
        (ROADS | {"question": f"{ROADS['question'][:-1]} and why did it?"}, "ask for two things"),
        (
            ROADS | {"question": "How much did this act provide for repairs of roads in FY2021?"},
            "need another",
        ),
        (ROADS | {"question": "How much did it provide for repairs of roads in FY2021?"}, "need another"),
        (
            ROADS | {"question": "How much did the act provide for repairs of roads in FY2021?"},
            "need another",
        ),
        (
            ROADS | {"question": "How much did their Fernleigh Road Act provide for repairs of roads?"},
            "need another",
        ),
        (
            ROADS | {"question": "How much did the Fernleigh Road Act provide for repairs?"},
            "do not say for which year",
        ),
        (
            ROADS | {"summary": "It provided $41 million for repairs and $230 million for construction."},
            "by several",
        ),
        (ROADS | {"summary": "It provided at least $41 million for repairs."}, "by several"),
        (ROADS | {"summary": "It provided 41 inspectors for repairs."}, "by several"),
        (
            ROADS | {"question": "How much of the $41 million was for repairs of roads in FY2021?"},
            "hold their answer",
        ),
        (
            ROADS
            | {"summary": "The Fernleigh Road Act provided $42 million for repairs of roads in FY2021."},
            "like words",
        ),
        (ROADS | {"question": "How much did the Fernleigh Road Act provide in FY2021?"}, "another passage"),
        (pair("When was the Fernleigh Road Board established?", "In 1950 or in 1951."), "by several"),
        (
            pair("In what year, after 1950, was the Fernleigh Road Board established?", "In 1950."),
            "hold their answer",
        ),
        (
            pair("How many roads did FRTX employ in 2019?", "FRTX employed 310 inspectors in 2019."),
            "by several",
        ),
        (pair("When was the Fernleigh Road Board established?", "Before 1950."), "by several"),
        (pair("On what date was the Fernleigh Road Board established?", "In 1950."), "by several"),
        (
            pair(
                "In what year did Representative Fernleigh Hale introduce the Fernleigh Road Act?",
                "On March 3, 2018.",
            ),
            "by several",
        ),
    ],
)
def test_what_rules_cannot_grade_for_certain_is_counted(
    tmp_path: Path, asked: dict[str, Any], reason: str
) -> None:
    corpus = of_invented(tmp_path, asked)
    assert people(corpus) == {}
    assert "0 of 1 pairs of GovReport-QS give questions; of the others 1 " in told(corpus)
    assert reason in told(corpus)


def test_a_question_with_two_answers_is_not_asked(tmp_path: Path) -> None:
    other = FEES | {"summary": "In 2022 FRTX collected road fees of about $60 million."}
    assert people(of_invented(tmp_path, FEES, other)) == {}
    assert set(people(of_invented(tmp_path, FEES, FEES))) == {FEES["question"]}


def test_a_bound_in_the_report_is_no_answer(tmp_path: Path) -> None:
    report = invented(1)[0]
    asked = pair(
        "When did the Fernleigh Road Trust begin to pay for road signs?",
        "The Fernleigh Road Trust began to pay for road signs in 1987.",
    )
    for when, count in (("In 1987", 1), ("By 1987", 0)):
        line = f"{when} the Fernleigh Road Trust began to pay for road signs."
        longer = report._replace(paragraphs=[*report.paragraphs, line])
        (tmp_path / "test.jsonl").write_text(as_row(longer), encoding="utf-8")
        write(tmp_path / "asked.jsonl", [{"doc_id": f"CRS_{report.number}", PAIRS: [asked]}])
        assert len(people(load_corpus("govreport", source=str(tmp_path)))) == count


def test_a_question_asked_on_must_stand_by_itself(tmp_path: Path) -> None:
    first = pair("Who pays for the road fees of FRTX?", "Drivers pay the road fees that FRTX collects.")
    on = pair("How much in the road fees did FRTX collect in 2022?", FEES["summary"], parent=0)
    corpus = of_invented(tmp_path, first, on)
    assert people(corpus) == {}
    assert "1 need another question" in told(corpus)
    assert set(people(of_invented(tmp_path, first, FEES | {"parent_pair_index": 0}))) == {FEES["question"]}


@pytest.mark.parametrize("words", ["According to GAO, {}{}", "{}{}, according to the report"])
def test_who_says_so_is_the_report(tmp_path: Path, words: str) -> None:
    first = "h" if words.startswith("According") else "H"
    asked = FEES | {"question": f"{words.format(first, FEES['question'][1:-1])}?"}
    assert set(people(of_invented(tmp_path, asked))) == {FEES["question"]}


@pytest.mark.parametrize(
    ("question", "answer", "gold"),
    [
        ("In 2022, how much did FRTX collect in road fees?", FEES["summary"], "61"),
        ("In 2019, how many inspectors did FRTX employ?", "FRTX employed 310 inspectors in 2019.", "310"),
    ],
)
def test_a_time_may_stand_in_front(tmp_path: Path, question: str, answer: str, gold: str) -> None:
    corpus = of_invented(tmp_path, pair(question, answer))
    assert people(corpus)[question].answers == (gold,)
    texts = {each.text for each in candidates_of(corpus) if each.topic == people(corpus)[question].topic}
    name = corpus.documents[0].handle
    assert f"According to {name}, {question[:1].lower()}{question[1:]}" in texts


def test_a_set_of_peoples_questions_holds_every_property(tmp_path: Path) -> None:
    corpus = of_invented(tmp_path, ROADS, FEES, count=14)
    built = build_questions(corpus, 65)
    assert check_questions(built, corpus) == []
    worded = [each for each in candidates_of(corpus) if "GovReport-QS" in each.note]
    assert {each.target for each in worded} >= {"wrong", "unsupported"}
    for each in worded:
        assert (
            corpus.document("r90000").handle in each.text or corpus.document("r90000").paraphrase in each.text
        )
    tempting = [each for each in worded if each.target == "wrong" and ROADS["question"][1:-1] in each.text]
    assert {each.value for question in tempting for each in question.distractors} == {"230"}


BAD = [
    ({"doc_id": "", PAIRS: []}, "asked.jsonl:1: expected the id of a report in doc_id, found ''"),
    ({"doc_id": 7, PAIRS: []}, "expected the id of a report in doc_id, found 7"),
    ({PAIRS: []}, "expected the id of a report in doc_id, found None"),
    ({"doc_id": "CRS_R90000", PAIRS: "none"}, "expected a list, found 'none'"),
    (
        {"doc_id": "CRS_R90000", PAIRS: {"question": ["How?"], "summary": ["So."]}},
        "found none of parent_pair_index",
    ),
    ({"doc_id": "CRS_R90000", PAIRS: [{"question": "How?"}]}, "found none of summary, parent_pair_index"),
    ({"doc_id": "CRS_R90000", PAIRS: [4]}, "expected question, summary, parent_pair_index in each"),
    (
        {
            "doc_id": "CRS_R90000",
            PAIRS: {"question": ["How?", "Who?"], "summary": ["So."], "parent_pair_index": [-1]},
        },
        "expected lists of one length, found 2 of question, 1 of summary, 1 of parent_pair_index",
    ),
    ({"doc_id": "CRS_R90000", PAIRS: [pair("", "So.")]}, "pair 0: expected words in question, found ''"),
    ({"doc_id": "CRS_R90000", PAIRS: [pair("How?", None)]}, "pair 0: expected words in summary, found None"),  # type: ignore[arg-type]
    (
        {"doc_id": "CRS_R90000", PAIRS: [pair("How?", "So.", 4)]},
        "expected -1 or the place of another pair of 1",
    ),
    ({"doc_id": "CRS_R90000", PAIRS: [pair("How?", "So.", 0)]}, "its parents cannot be read, or go round"),
    ({"doc_id": "CRS_R90000", PAIRS: [pair("How?", "So.", "x")]}, "found 'x'"),  # type: ignore[arg-type]
    (
        {"doc_id": "CRS_R90000", PAIRS: [pair("How?", "So.") | {"summary_paragraph_index": None}]},
        "expected a number",
    ),
    (
        {"doc_id": "CRS_R90000", "document_sections": 5, PAIRS: []},
        "document_sections: expected a list, found 5",
    ),
    (
        {"doc_id": "X", "document_sections": [{"title": 1, "paragraphs": "p"}], PAIRS: []},
        "the sections of the report are no texts",
    ),
    ({"doc_id": "GAO_999", PAIRS: [ROADS]}, "asks of reports that are not here: GAO_999"),
]


@pytest.mark.parametrize(("row", "named"), BAD)
def test_bad_rows_are_named_and_the_rest_is_used(tmp_path: Path, row: dict[str, Any], named: str) -> None:
    reports = invented(1)
    (tmp_path / "test.jsonl").write_text(as_row(reports[0]), encoding="utf-8")
    write(tmp_path / "asked.jsonl", [row, {"doc_id": "CRS_R90000", PAIRS: [FEES]}])
    corpus = load_corpus("govreport", source=str(tmp_path))
    assert named in told(corpus)
    assert set(people(corpus)) == {FEES["question"]}


JUNK = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 3) | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["question", "summary", "parent_pair_index", "summary_paragraph_index", "title", "paragraphs"]
            ),
            inner,
            max_size=5,
        )
    ),
    max_leaves=20,
)


@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(pairs=JUNK, sections=JUNK, name=JUNK)
def test_any_row_is_survived(pairs: object, sections: object, name: object) -> None:
    reader = resources.load_module(HOME / "parse.py")
    row = reader.read_pairs({"doc_id": name, "document_sections": sections, PAIRS: pairs}, "a.jsonl:1")
    assert isinstance(row.body, str)
    assert all(each.question and each.answer for each in row.pairs)
    assert all(each.startswith("a.jsonl:1") for each in row.faults)
