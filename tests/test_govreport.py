"""Government reports: every layout read alike, golden rows of the real ones, questions that hold."""

from __future__ import annotations

import json
import re
from collections import Counter
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ragharness.corpus.loading import Corpus, choose_split, load_corpus, manifest
from ragharness.errors import CorpusUnavailable, CorruptDownload, UnknownName, UsageError
from ragharness.support import resources
from ragquestions.building import build_questions
from ragquestions.checks import check_questions
from ragquestions.recipes import Fact, candidates_of, facts_of
from reports import Invented, as_audit, as_congress_page, as_row, invented, write_archive

if TYPE_CHECKING:
    from commands import Verb

HOME = resources.folder("corpora", "govreport")


def write_pages(folder: Path, count: int = 14) -> Path:
    """Write half of the reports as pages of congress.gov and half as audits."""
    for place, report in enumerate(invented(count)):
        text = as_congress_page(report) if place % 2 else as_audit(report)
        (folder / f"{report.number}.md").write_text(text, encoding="utf-8")
    (folder / "README.md").write_text("# No report\n\nOnly a word.", encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_pages(tmp_path_factory.mktemp("pages"))


@pytest.fixture(scope="module")
def corpus(pages: Path) -> Corpus:
    return load_corpus("govreport", source=str(pages))


def stated(corpus: Corpus, document: str) -> list[tuple[str, str, str]]:
    return sorted(
        (f.details["ask"], f.answers[0], f.unit) for f in facts_of(corpus).stated if f.document == document
    )


def test_pages_lose_their_furniture(corpus: Corpus) -> None:
    assert len(corpus.documents) == 14
    crs, gao = corpus.document("r90001"), corpus.document("gao-25-10002")
    assert crs.title == "Harbors of Dunmere: Repair and Staffing (CRS Report R90001)"
    assert crs.paraphrase == "CRS Report R90001 of April 22, 2025"
    assert gao.paraphrase == "GAO-25-10002 of March 9, 2025"
    for each in (crs, gao):
        assert "999" not in each.text
        assert "http" not in each.text
        assert "[" not in each.text
        assert "\n\n\n" not in each.text
    bodies = [report.paragraphs for report in invented()]
    assert [line for line in crs.text.split("\n\n") if line != "Introduction"] == bodies[1]
    assert gao.text.split("\n\n") == bodies[2]


def test_every_layout_states_the_same(tmp_path: Path, corpus: Corpus) -> None:
    reports = invented()
    write_archive(tmp_path / "archive", reports)
    (tmp_path / "rows").mkdir()
    rows = "\n".join(as_row(each) for each in reports)
    (tmp_path / "rows/test.jsonl").write_text(rows + "\n" + as_row(reports[3]), encoding="utf-8")
    (tmp_path / "rows/train.jsonl").write_text(as_row(reports[0]), encoding="utf-8")
    archive = load_corpus("govreport", source=str(tmp_path / "archive"))
    hub = load_corpus("govreport", source=str(tmp_path / "rows"))
    assert len(archive.documents) == 13
    assert len(hub.documents) == 14
    wanted = stated(corpus, "r90001")
    assert len(wanted) >= 7
    assert stated(archive, "r90001") == wanted
    assert stated(hub, "r90001") == wanted
    assert len(load_corpus("govreport", split="train", source=str(tmp_path / "archive")).documents) == 1


def test_facts_say_where_they_stand(corpus: Corpus) -> None:
    for fact in facts_of(corpus).stated:
        text = corpus.document(fact.document).text
        for span in fact.evidence:
            sentence = text[span.start : span.end]
            assert sentence[0].isupper()
            assert sentence.endswith(".")
    in_summary = Counter(f.details["stated"] for f in facts_of(corpus).stated if f.document == "r90001")
    assert in_summary == {"summary and body": 2, "body": 6}


def test_a_set_holds_every_property(corpus: Corpus) -> None:
    built = build_questions(corpus, 65)
    assert len(built.questions) == 65
    assert check_questions(built, corpus) == []
    assert {each.topic for each in built.questions if each.stratum == "adversarial"} >= {
        "absent report",
        "person",
        "year",
    }
    absent = sum(each.topic == "absent report" for each in built.questions)
    assert absent < sum(each.stratum == "adversarial" for each in built.questions)
    assert build_questions(corpus, 65).lines == built.lines


def test_what_two_sentences_answer_differently_is_not_asked(tmp_path: Path) -> None:
    report = invented(1)[0]
    other = report.paragraphs[1].rpartition("The ")[2].replace("$41", "$58")
    twice = report._replace(paragraphs=[*report.paragraphs, f"Later on, the {other}"])
    (tmp_path / "a.md").write_text(as_congress_page(twice), encoding="utf-8")
    asked = [fact.details["ask"] for fact in facts_of(load_corpus("govreport", source=str(tmp_path))).stated]
    assert asked
    assert not any("for repairs" in each for each in asked)


def asked_of(folder: Path, report: Invented) -> dict[str, Fact]:
    (folder / "a.md").write_text(as_congress_page(report), encoding="utf-8")
    return {
        fact.details["ask"]: fact for fact in facts_of(load_corpus("govreport", source=str(folder))).stated
    }


def test_a_sentence_that_says_the_same_is_evidence_and_one_that_may_is_a_doubt(tmp_path: Path) -> None:
    report = invented(1)[0]
    asked = "How much did the Fernleigh Road Act provide for repairs of roads in FY2021?"
    again = "In FY2021, the Fernleigh Road Act provided $41 million for repairs of roads."
    told = asked_of(tmp_path, report._replace(paragraphs=[*report.paragraphs, again]))
    assert len(told[asked].evidence) == 2
    other = "The Fernleigh Harbor Act provided $41 million for repairs of piers in FY2021."
    assert asked not in asked_of(tmp_path, report._replace(paragraphs=[*report.paragraphs, other]))


def test_differences_and_ranges_tempt_nobody(tmp_path: Path) -> None:
    report = invented(1)[0]
    asked = "How much did the Fernleigh Road Act provide for repairs of roads in FY2021?"
    lines = [
        "The Fernleigh Road Act changed repairs of roads by $55 million, $66 million, and $77 million.",
        "The Fernleigh Road Act has repairs of roads between $33 million and $44 million.",
        "The Fernleigh Road Act provided $88 million for repairs of bridges in FY2021.",
    ]
    told = asked_of(tmp_path, report._replace(paragraphs=[*report.paragraphs, *lines]))
    near = {value.split()[0] for name, value in told[asked].details.items() if name.startswith("near")}
    assert "88" in near
    assert not near & {"33", "44", "55", "66", "77"}


ADVICE = (
    "The Lane Safety Agency (LSA) and the Toll Road Commission (TRC) look after lanes. "
    "LSA enforces speed limits on narrow lanes of coastal towns in winter. TRC answers letters. "
    "{more} "
    "GAO recommends that the Secretary of Lanes publish yearly maps of narrow lanes in towns with signs. "
    "The Director of Tolls should collect yearly letters about unpaid tolls from every crossing of rivers."
)


def asked_for_names(more: str, title: str = "Towns") -> dict[str, tuple[str, tuple[str, ...], list[str]]]:
    reader = resources.load_module(HOME / "recipe" / "findings.py")
    found = reader.findings(ADVICE.format(more=more), "", "GAO", title)
    named = [each for each in found if each.sort in {"agency", "official"}]
    return {each.ask: (each.answer, each.also, [value for value, *_ in each.near]) for each in named}


def test_who_did_it_and_who_should_are_asked_for() -> None:
    agency = "Which agency enforces speed limits on narrow lanes of coastal towns in winter?"
    advice = "publish yearly maps of narrow lanes in towns with signs"
    official = f"To whom does GAO direct the recommendation to {advice}?"
    plain = "TRC writes to LSA now and then."
    told = asked_for_names(plain)
    assert told[agency] == ("Lane Safety Agency", ("LSA",), ["TRC"])
    assert told[official][0] == "Secretary of Lanes"
    assert {"Lanes Secretary", "Department of Lanes"} <= set(told[official][1])
    assert told[official][2] == ["Director of Tolls"]
    twice = asked_for_names("TRC enforces speed limits on narrow lanes of coastal towns in winter too.")
    assert agency not in twice
    assert official not in asked_for_names(plain, "What the Secretary of Lanes Should Do")


def test_an_official_is_accepted_by_every_name_of_the_body() -> None:
    wanted = "offer yearly courses on mending of nets to the towns at the shore"
    more = f"The Harbor Review Board (HRB) meets in May. GAO recommends that the Chair of HRB {wanted}."
    answer, also, _ = asked_for_names(more)[f"To whom does GAO direct the recommendation to {wanted}?"]
    assert answer == "Chair of HRB"
    assert {"Chair of Harbor Review Board", "HRB", "Harbor Review Board"} <= set(also)


def test_what_is_said_near_a_thing_is_not_asked_for() -> None:
    reader = resources.load_module(HOME / "recipe" / "lines.py")
    text = (
        "The Fernleigh Road Authority (FRA) looks after roads.\n\nFRA has 57 inspectors.\n\n"
        "They are based in Dunmere.\n\nNobody else employs people.\n\nFRA answers letters."
    )
    (thing,) = reader.things(text)
    assert (thing.name, thing.short, thing.sort) == ("Fernleigh Road Authority", "FRA", "agency")
    silent = {
        words: not any(re.search(each, text, re.IGNORECASE) for each in reader.apart(thing, words))
        for words in ("inspector", "based in", "employ", "letters")
    }
    assert silent == {"inspector": False, "based in": False, "employ": True, "letters": False}
    assert "based in" in reader.near(thing, text)
    assert "employ" not in reader.near(thing, text)
    renamed = text.replace("The Fernleigh", "The Lane Board was once called the Fernleigh")
    assert reader.things(renamed) == []
    assert reader.things(text.replace("FRA answers", "It answers").replace("FRA has", "It has")) == []


def test_traps_name_what_is_not_there(corpus: Corpus) -> None:
    traps = [each for each in candidates_of(corpus) if each.stratum == "adversarial"]
    absent = [each.text for each in traps if each.topic == "absent number"]
    assert absent
    titles = " ".join(f"{each.title} {each.paraphrase}" for each in corpus.documents)
    for text in absent:
        (number,) = re.findall(r"(?:R9\d+|GAO-25-\d+)", text)
        assert number not in titles
    years = [each for each in traps if each.topic == "year"]
    assert years
    assert not any(re.search(r"\bsince (?:19|20)\d\d", each.text) for each in years)


def test_a_run_over_reports(verb: Verb, pages: Path) -> None:
    done = verb("run", "--corpus", "govreport", "--from", str(pages), "--size", "39", "--pipeline", "refuse")
    assert done.code == 0, done.errors
    assert "39" in done.output


def test_a_subset_is_chosen_by_ids_alone(verb: Verb, pages: Path) -> None:
    five = load_corpus("govreport", split="test:5", source=str(pages))
    nine = load_corpus("govreport", split="test:9", source=str(pages))
    assert len(five.documents) == 5
    assert {each.id for each in five.documents} < {each.id for each in nine.documents}
    done = verb("corpus", "show", "govreport", "--from", str(pages), "--subset", "5", "--json")
    assert json.loads(done.output)["split"] == "test:5"
    for wrong in ("0", "-3", "many", ""):
        with pytest.raises(UsageError):
            choose_split(manifest("govreport"), f"test:{wrong}")
    with pytest.raises(UsageError, match="always read whole"):
        choose_split(manifest("sample"), ":5")
    with pytest.raises(UnknownName):
        choose_split(manifest("govreport"), "tset:5")


def test_folders_without_reports_are_said(tmp_path: Path) -> None:
    with pytest.raises(CorpusUnavailable, match="found none"):
        load_corpus("govreport", source=str(tmp_path))
    (tmp_path / "a.md").write_text("# A letter\n\nDear reader.", encoding="utf-8")
    (tmp_path / "b.json").write_text("{", encoding="utf-8")
    with pytest.raises(CorruptDownload, match="expected government reports"):
        load_corpus("govreport", source=str(tmp_path))


GOLDEN = {
    "crs-reports": (
        18,
        [("98-317", "382b4d8b93b4"), ("r48863", "b492945692b9"), ("rs22331", "90c95e2cfceb")],
    ),
    "gao-reports": (
        16,
        [
            ("gao-05-927", "ffdee89a8aa9"),
            ("gao-26-107896", "3fd3d8809273"),
            ("gao-26-109034", "c8d2d12a8fce"),
        ],
    ),
    "govreport-leval": (
        13,
        [
            ("report-063b7a13", "063b7a1355f6"),
            ("report-8f3065e5", "8f3065e53b3b"),
            ("report-ea5727d8", "ea5727d83f8c"),
        ],
    ),
}


@pytest.mark.parametrize("name", GOLDEN)
def test_golden_rows_of_the_real_reports(shared: Path, name: str) -> None:
    corpus = load_corpus("govreport", source=str(shared / "data" / name))
    count, rows = GOLDEN[name]
    assert len(corpus.documents) == count
    found = [corpus.documents[place] for place in (0, 8, -1)]
    assert [(each.id, sha256(each.text.encode()).hexdigest()[:12]) for each in found] == rows


@pytest.mark.slow
def test_the_real_reports_carry_a_set(shared: Path) -> None:
    corpus = load_corpus("govreport", source=str(shared / "data/crs-reports"))
    built = build_questions(corpus)
    assert len(built.questions) >= 104
    assert check_questions(built, corpus) == []


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_mutated_pages_are_survived(data: st.DataObject, tmp_path: Path) -> None:
    reader = resources.load_module(HOME / "parse.py")
    whole = as_congress_page(invented(2)[1]) if data.draw(st.booleans()) else as_audit(invented(1)[0])
    cut = data.draw(st.integers(0, len(whole)))
    piece = data.draw(st.text(max_size=40))
    (tmp_path / "a.md").write_text(
        whole[:cut] + piece + whole[cut + len(piece) :], encoding="utf-8", errors="replace"
    )
    for _, report in reader.reports_in([tmp_path / "a.md"]):
        assert report is None or isinstance(report.body, str)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(
                ["id", "reports", "report", "summary", "highlight", "document", "paragraphs", "subsections"]
            ),
            inner,
            max_size=5,
        )
    ),
    max_leaves=25,
)


@settings(max_examples=80, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(content=JSON)
def test_any_json_is_survived(content: object, tmp_path: Path) -> None:
    reader = resources.load_module(HOME / "parse.py")
    for name in ("a.json", "a.jsonl"):
        (tmp_path / name).write_text(json.dumps(content), encoding="utf-8")
        for _, report in reader.reports_in([tmp_path / name]):
            assert report is None or report.number
