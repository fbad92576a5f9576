"""The EDGAR corpus: invented filings through the main command, real ones by position, and its questions."""

from __future__ import annotations

import random
import re
import shutil
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import pytest

from ixbrl import annual_report
from ragharness.corpus import loading
from ragharness.corpus.download import sec as rules
from ragharness.corpus.download.obtaining import obtain
from ragharness.corpus.loading import Corpus, download_request, load_corpus, manifest
from ragharness.corpus.passages import build_passages, faults
from ragharness.errors import CorpusUnavailable, CorruptDownload
from ragharness.records import Question
from ragharness.support import resources
from ragquestions.building import build_questions
from ragquestions.checks import check_questions
from ragquestions.recipes import Fact, candidates_of, facts_of
from sec_server import Page, Sec

if TYPE_CHECKING:
    from commands import Verb

COMPANIES = (
    ("Quillfeather Instruments Inc.", "901"),
    ("OBERLAND MILLS CORP", "902"),
    ("Tarn & Fell Co", "903"),
    ("Hazelmoor Energy, Inc.", "904"),
    ("Pinnock Foods Inc.", "905"),
)


@pytest.fixture(scope="module")
def invented(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the annual reports of five invented companies for two years."""
    folder = tmp_path_factory.mktemp("filings")
    for number, (company, cik) in enumerate(COMPANIES):
        for year in (2022, 2023):
            page = annual_report(company, cik, f"{year}-12-31", 1013 + number * 397 + (year - 2022) * 113)
            (folder / f"{cik}-{year}.htm").write_bytes(page)
    return folder


@pytest.fixture(scope="module")
def corpus(invented: Path) -> Corpus:
    return load_corpus("edgar", source=str(invented))


def test_any_filings_become_documents_and_facts(corpus: Corpus) -> None:
    one = corpus.document("oberland-mills-2023-12")
    assert one.title == "Oberland Mills 10-K for the fiscal year ended December 31, 2023"
    assert one.paraphrase == "Oberland Mills' fiscal year ended December 31, 2023"
    assert len(corpus.documents) == 10
    fact = told(corpus, one.id, "us-gaap:Revenues", "2023-12-31")
    assert fact.unit == "USD million"
    assert row(corpus, fact).startswith(f"Total revenue | ${int(fact.answers[0]):,} | $")
    assert told(corpus, one.id, "us-gaap:Revenues", "2022-12-31").answers != fact.answers


def test_every_character_is_in_one_passage(corpus: Corpus) -> None:
    passages = build_passages(corpus.documents)
    assert [fault for each in corpus.documents for fault in faults(each, passages.of(each.id))] == []


def test_what_is_no_filing_is_left_out_aloud(invented: Path, tmp_path: Path) -> None:
    (tmp_path / "deep" / "er").mkdir(parents=True)
    (tmp_path / "deep" / "er" / "report.HTM").write_bytes((invented / "901-2023.htm").read_bytes())
    (tmp_path / "letter.html").write_text("<html><body><p>Dear stockholders</p></body></html>")
    (tmp_path / "empty.htm").write_bytes(b"")
    (tmp_path / "notes.txt").write_text("no page")
    for name in ("one.zip", "two.ZIP", "report.pdf", "MANIFEST.csv"):
        (tmp_path / name).write_bytes(b"no page")
    notices: list[str] = []
    corpus = load_corpus(
        "edgar", source=str(tmp_path), on_progress=lambda what, done, total: notices.append(what)
    )
    assert [each.source for each in corpus.documents] == ["deep/er/report.HTM"]
    assert any("letter.html is left out: it carries no Inline XBRL" in each for each in notices)
    assert any("empty.htm is left out" in each for each in notices)
    assert any("notes.txt is left out: it is no web page" in each for each in notices)
    assert any("other files are left out (1 .pdf, 2 .zip)" in each for each in notices)


@pytest.mark.parametrize("name", ["letter.html", "notes.txt"])
def test_a_folder_without_filings(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text("<html><body><p>Dear stockholders</p></body></html>")
    with pytest.raises((CorpusUnavailable, CorruptDownload), match="expected"):
        load_corpus("edgar", source=str(tmp_path))


def test_two_filings_of_one_name_are_told_apart_and_not_asked_about(invented: Path, tmp_path: Path) -> None:
    page = (invented / "901-2023.htm").read_bytes()
    (tmp_path / "a.htm").write_bytes(page)
    (tmp_path / "b.htm").write_bytes(page.replace(b"Oregon", b"Nevada"))
    corpus = load_corpus("edgar", source=str(tmp_path))
    assert [each.handle for each in corpus.documents] == ["", ""]
    assert len({each.title for each in corpus.documents}) == 2


def test_a_filing_that_is_there_twice_counts_once(invented: Path, tmp_path: Path) -> None:
    """As programs that fetch filings leave it: the page, and the complete submission around it."""
    page = (invented / "901-2023.htm").read_bytes()
    (tmp_path / "primary-document.html").write_bytes(page)
    (tmp_path / "full-submission.txt").write_bytes(submission(("EX-99", LETTER), ("10-K", page)))
    (tmp_path / "other.txt").write_bytes(
        submission(("10-K", (invented / "902-2023.htm").read_bytes()), ("EX-21", LETTER))
    )
    corpus = load_corpus("edgar", source=str(tmp_path))
    assert [each.source for each in corpus.documents] == ["full-submission.txt", "other.txt"]
    assert corpus.notices == ("primary-document.html is left out: it says the same as full-submission.txt",)
    assert all(each.handle for each in corpus.documents)
    alone = load_corpus("edgar", source=str(invented)).document("quillfeather-instruments-2023-12")
    assert corpus.documents[0].text == alone.text


def test_what_was_cut_is_left_out_aloud(invented: Path, tmp_path: Path) -> None:
    """It would seem to be silent about what stood in the rest."""
    whole = (invented / "901-2023.htm").read_bytes()
    cut = (invented / "902-2023.htm").read_bytes()
    cut = cut[: cut.index(b"Total comprehensive income")]
    (tmp_path / "whole.htm").write_bytes(whole.replace(b"</body></html>", b"</BODY></HTML >"))
    (tmp_path / "cut.htm").write_bytes(cut)
    (tmp_path / "cut.txt").write_bytes(submission(("10-K", cut)))
    corpus = load_corpus("edgar", source=str(tmp_path))
    assert [each.source for each in corpus.documents] == ["whole.htm"]
    assert [each.partition(":")[0] for each in corpus.notices] == [
        "cut.htm is left out",
        "cut.txt is left out",
    ]
    assert all("it is cut off: its end (</html>) is missing" in each for each in corpus.notices)


def test_a_file_is_no_folder(invented: Path) -> None:
    with pytest.raises(
        CorpusUnavailable, match=r"expected a folder of filings, found the file 901-2023\.htm"
    ) as caught:
        load_corpus("edgar", source=str(invented / "901-2023.htm"))
    assert caught.value.help == f"--from {invented}: every filing in it is read"


def test_other_forms_are_left_out_aloud(invented: Path, tmp_path: Path) -> None:
    """A quarterly report repeats the balance sheet of the year before: it would answer what is withheld."""
    page = (invented / "901-2023.htm").read_bytes()
    (tmp_path / "annual.htm").write_bytes(page)
    (tmp_path / "quarter.htm").write_bytes(page.replace(b">10-K<", b">10-Q<").replace(b"Oregon", b"Ohio"))
    (tmp_path / "unnamed.htm").write_bytes(page.replace(b"dei:DocumentType", b"dei:Other"))
    corpus = load_corpus("edgar", source=str(tmp_path))
    assert [each.source for each in corpus.documents] == ["annual.htm"]
    assert corpus.notices == (
        "quarter.htm is left out: its form is 10-Q, no annual report",
        "unnamed.htm is left out: its form is not named, no annual report",
    )


def test_a_report_and_its_amendment_are_told_apart(invented: Path, tmp_path: Path) -> None:
    page = (invented / "901-2023.htm").read_bytes()
    (tmp_path / "first.htm").write_bytes(page)
    (tmp_path / "amended.htm").write_bytes(page.replace(b">10-K<", b">10-K/A<"))
    (tmp_path / "moved.htm").write_bytes(
        (invented / "902-2023.htm").read_bytes().replace(b">10-K<", b">10-KT<")
    )
    corpus = load_corpus("edgar", source=str(tmp_path))
    assert {each.handle: each.paraphrase for each in corpus.documents} == {
        "Quillfeather Instruments 10-K for the fiscal year ended December 31, 2023": (
            "Quillfeather Instruments' fiscal year ended December 31, 2023 (10-K)"
        ),
        "Quillfeather Instruments 10-K/A for the fiscal year ended December 31, 2023": (
            "Quillfeather Instruments' fiscal year ended December 31, 2023 (10-K/A)"
        ),
        "Oberland Mills 10-KT for the transition period ended December 31, 2023": (
            "Oberland Mills' transition period ended December 31, 2023"
        ),
    }


@pytest.mark.parametrize(
    ("registrant", "written", "short"),
    [
        ("UNITEDHEALTH GROUP INCORPORATED", "UnitedHealth Group pays.", "UnitedHealth Group"),
        ("AT&amp;T INC.", "AT&amp;T pays.", "AT&T"),
        ("3M CO", "3M pays.", "3M"),
        ("HP INC", "HP pays.", "HP"),
        ("TARGET CORP", "They target growth. Target pays.", "Target"),
        ("COSTCO WHOLESALE CORP /NEW", "", "Costco Wholesale"),
        ("The Quill Company", "THE QUILL PAYS", "Quill"),
    ],
)
def test_names_in_capitals_are_written_as_people_write_them(
    tmp_path: Path, registrant: str, written: str, short: str
) -> None:
    page = annual_report("NAME", "906", "2023-12-31", 700).replace(b"NAME", registrant.encode())
    (tmp_path / "one.htm").write_bytes(page.replace(b"<h3>", f"<p>{written}</p><h3>".encode(), 1))
    corpus = load_corpus("edgar", source=str(tmp_path))
    assert corpus.documents[0].title == f"{short} 10-K for the fiscal year ended December 31, 2023"


def test_a_part_of_revenue_is_not_taken_for_all_of_it(tmp_path: Path) -> None:
    """A bank's fees are revenue from contracts, beside its interest."""
    page = annual_report("Harrow Bank Corp", "907", "2023-12-31", 811)
    fees = page.replace(b"us-gaap:Revenues", b"us-gaap:RevenueFromContractWithCustomerExcludingAssessedTax")
    interest = fees.replace(b"us-gaap:GrossProfit", b"us-gaap:NoninterestIncome")
    net = interest.replace(b"us-gaap:CostOfRevenue", b"us-gaap:RevenuesNetOfInterestExpense")
    asked = {}
    for name, content in {"fees": fees, "interest": interest, "net": net}.items():
        folder = tmp_path / name
        folder.mkdir()
        (folder / "one.htm").write_bytes(content)
        corpus = load_corpus("edgar", source=str(folder))
        asked[name] = {each.answers for each in candidates(corpus) if each.topic == "revenue"}
    assert asked == {"fees": {("6462",)}, "interest": set(), "net": {("3686",)}}


def test_dollars_are_asked_for_where_there_are_dollars(tmp_path: Path) -> None:
    page = annual_report("Pell Corp", "908", "2023-12-31", 811).replace(b"iso4217:USD", b"iso4217:EUR")
    (tmp_path / "one.htm").write_bytes(page.replace(b"<td>$</td>", "<td>€</td>".encode()))
    corpus = load_corpus("edgar", source=str(tmp_path))
    asked = candidates(corpus)
    assert {each.unit for each in asked if each.topic == "revenue"} == {"EUR million"}
    assert not [each.text for each in asked if each.answerable and "dollars" in each.text]


LETTER = b"<html><body><p>Dear stockholders</p></body></html>"


def submission(*documents: tuple[str, bytes]) -> bytes:
    """Return documents as the SEC keeps them together: one file of text."""
    parts = [b"<SEC-DOCUMENT>0000901-24-000001.txt : 20240201\n<SEC-HEADER>\n</SEC-HEADER>\n"]
    for number, (kind, content) in enumerate(documents, start=1):
        head = f"<DOCUMENT>\n<TYPE>{kind}\n<SEQUENCE>{number}\n<FILENAME>{number}.htm\n<TEXT>\n"
        parts.append(head.encode() + b"<XBRL>\n" + content + b"\n</XBRL>\n</TEXT>\n</DOCUMENT>\n")
    return b"".join(parts) + b"</SEC-DOCUMENT>\n"


def test_what_was_parsed_is_kept_until_a_file_changes(
    invented: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RAGHARNESS_CACHE", str(tmp_path / "cache"))
    page = tmp_path / "pages" / "one.htm"
    page.parent.mkdir()
    page.write_bytes((invented / "901-2023.htm").read_bytes())
    first = load_corpus("edgar", source=str(page.parent))
    kept = list((tmp_path / "cache" / "parsed").iterdir())
    assert len(kept) == 1
    reader = resources.load_module(resources.folder("corpora", "edgar") / "parse.py")
    monkeypatch.setattr(reader, "parse", lambda folder, split: pytest.fail("parsed again"))
    assert load_corpus("edgar", source=str(page.parent)).hash == first.hash
    monkeypatch.undo()
    monkeypatch.setenv("RAGHARNESS_CACHE", str(tmp_path / "cache"))
    kept[0].write_bytes(kept[0].read_bytes()[:-1] + b"x")
    assert load_corpus("edgar", source=str(page.parent)).hash == first.hash
    page.write_bytes(page.read_bytes().replace(b"Oregon", b"Nevada"))
    assert load_corpus("edgar", source=str(page.parent)).hash != first.hash


def test_what_was_parsed_is_read_again_where_the_words_of_a_language_change(
    invented: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RAGHARNESS_CACHE", str(tmp_path / "cache"))
    package = Path(loading.__file__).parents[1]
    for room in ("corpus", "language"):
        shutil.copytree(package / room, tmp_path / room)
    monkeypatch.setattr(loading, "__file__", str(tmp_path / "corpus" / "loading.py"))
    load_corpus("edgar", source=str(invented))
    with (tmp_path / "language" / "en" / "sentences.toml").open("a") as table:
        table.write("# another word\n")
    load_corpus("edgar", source=str(invented))
    assert len(list((tmp_path / "cache" / "parsed").iterdir())) == 2


def test_the_main_command(verb: Verb, invented: Path) -> None:
    done = verb("run", "--corpus", "edgar", "--from", str(invented), "--size", "26", "--pipeline", "refuse")
    assert done.code == 0, done.errors
    assert "26 questions" in done.output
    assert "26 graded" in done.output


def test_built_questions_hold_every_property(corpus: Corpus) -> None:
    questions = build_questions(corpus, 26)
    assert len(questions.questions) == 26
    assert check_questions(questions, corpus) == []
    assert build_questions(corpus, 26).lines == questions.lines
    assert len(questions.withheld_documents) <= 2


def test_a_single_filing_has_the_questions_that_it_carries(invented: Path, tmp_path: Path) -> None:
    """Nothing can be withheld whole where nothing else is left."""
    (tmp_path / "one.htm").write_bytes((invented / "901-2023.htm").read_bytes())
    corpus = load_corpus("edgar", source=str(tmp_path))
    questions = build_questions(corpus)
    assert len(questions.questions) >= 13
    assert {"grounded/unsupported/document", "grounded/refused"} <= set(questions.left_out)
    assert any(note.startswith("no questions of grounded/refused") for note in questions.notes)
    assert check_questions(questions, corpus) == []


def test_withheld_figures_stand_nowhere_else(corpus: Corpus) -> None:
    """In no later filing of the company, and in no other line of this one."""
    withheld = [each for each in candidates(corpus) if each.withheld]
    assert {each.document[-7:] for each in withheld} == {"2023-12"}
    for question in withheld:
        if question.withheld != "clause":
            continue
        text = corpus.document(question.document).text
        rest = list(text)
        for span in question.evidence:
            rest[span.start : span.end] = " " * (span.end - span.start)
        figure = f"{int(question.answers[0]):,}" if question.unit == "USD million" else question.answers[0]
        assert not re.search(rf"(?<![\d,]){re.escape(figure)}(?![\d,])", "".join(rest)), question.text


def test_temptations_are_no_answers(corpus: Corpus) -> None:
    for question in candidates(corpus):
        for each in question.distractors:
            assert each.value not in question.answers
            if question.target == "wrong":
                gold = float(question.answers[0])
                assert abs(float(each.value) - gold) > 0.02 * gold


def test_questions_name_company_and_period(corpus: Corpus) -> None:
    for question in candidates(corpus):
        assert re.search(r"\b[A-Z][a-z]+ \d{1,2}, \d{4}\b", question.text)
        if question.document:
            document = corpus.document(question.document)
            assert document.title in question.text or document.paraphrase in question.text


WILD = (
    "", "0", "-1", "2024-13-45", "2023-02-29", "0001-01-01", "9999-12-31", "9" * 23, "1e5", "NaN", "\\", "--",
    "{title}", "<b>x</b>", "&amp;", "A" * 999, "10-K", "USD", "\u00bd", "1,2,3", "0.00001", "(?P<", "\u200b",
)  # fmt: skip
"""What may stand where a filing has a name, a date or a figure."""

PLACES = (r'="([^"]*)"', r">([^<>]{1,80})<", r">([\d-]{10})<", r'scale="6"[^>]*>([\d,]+)<')
"""Attributes, texts, dates, figures."""


@pytest.mark.parametrize("seed", range(40))
def test_bent_values_make_questions_or_a_sentence(invented: Path, tmp_path: Path, seed: int) -> None:
    chosen = random.Random(seed)
    for page in sorted(invented.glob("90[12]*.htm")):
        text = page.read_text(encoding="utf-8")
        for _ in range(chosen.randint(1, 6)):
            places = list(re.finditer(chosen.choice(PLACES), text))
            first, last = chosen.choice(places).span(1)
            text = f"{text[:first]}{chosen.choice(WILD)}{text[last:]}"
        (tmp_path / page.name).write_text(text, encoding="utf-8")
    try:
        corpus = load_corpus("edgar", source=str(tmp_path))
    except CorruptDownload:
        return
    for question in candidates(corpus):
        assert question.answerable == bool(question.answers)
        assert all(corpus.document(each.document).text[each.start : each.end] for each in question.evidence)


def told(corpus: Corpus, document: str, topic: str, end: str) -> Fact:
    found = [
        fact
        for fact in facts_of(corpus).stated
        if (fact.document, fact.topic, fact.details["end"]) == (document, topic, end)
    ]
    assert len(found) == 1
    return found[0]


def row(corpus: Corpus, fact: Fact) -> str:
    return corpus.document(fact.document).text[fact.evidence[0].start : fact.evidence[0].end]


def candidates(corpus: Corpus) -> list[Question]:
    return list(candidates_of(corpus))


@pytest.fixture(scope="module")
def real(edgar_folder: Path) -> Corpus:
    """The 25 pinned filings."""
    return load_corpus("edgar", source=str(edgar_folder))


def test_the_pinned_filings(real: Corpus) -> None:
    assert len(real.documents) == len(manifest("edgar").files) == 25
    assert len({each.handle for each in real.documents}) == 25
    assert [each.id for each in real.documents[:3]] == ["aapl-2024-09", "adbe-2023-12", "adbe-2024-11"]
    assert real.documents[24].title == "Walmart 10-K for the fiscal year ended January 31, 2025"
    ends = {each.source: each.id[-7:] for each in real.documents}
    assert all(file.period[:7] == ends[name] for name, file in manifest("edgar").files.items())


GOLDEN = [
    ("aapl-2024-09", "us-gaap:RevenueFromContractWithCustomerExcludingAssessedTax", "2024-09-28", "391035",
     "USD million", "Total net sales | 391,035 | 383,285 | 394,328"),
    ("aapl-2024-09", "us-gaap:EarningsPerShareDiluted", "2024-09-28", "6.08", "USD per share",
     "Diluted | $6.08 | $6.13 | $6.11"),
    ("aapl-2024-09", "dei:EntityPublicFloat", "2024-03-29", "2628553000000", "USD",
     "The aggregate market value of the voting and non-voting stock"),
    ("amzn-2024-12", "us-gaap:OperatingIncomeLoss", "2024-12-31", "68593", "USD million",
     "Operating income | 12,248 | 36,852 | 68,593"),
    ("gme-2024-02", "us-gaap:OperatingIncomeLoss", "2024-02-03", "-34.5", "USD million",
     "Operating loss | (34.5) | (311.6) | (368.5)"),
    ("nvda-2023-01", "us-gaap:Revenues", "2023-01-29", "26974", "USD million", "Revenue | $26,974 | $26,914"),
    ("nflx-2024-12", "us-gaap:Revenues", "2024-12-31", "39000966", "USD thousand", "Revenues | $39,000,966"),
    ("pg-2025-06", "us-gaap:PaymentsForRepurchaseOfCommonStock", "2025-06-30", "6500", "USD million",
     "Treasury stock purchases | (6,500) | (5,006) | (7,353)"),
    ("hd-2024-01", "us-gaap:Goodwill", "2024-01-28", "8455", "USD million", "Goodwill | 8,455 | 7,444"),
    ("tsla-2024-12", "dei:EntityIncorporationStateCountryCode", "2024-12-31", "Texas", "",
     "Texas | 91-2197729"),
    ("ibm-2023-12", "dei:EntityCommonStockSharesOutstanding", "2024-02-09", "916744848", "shares",
     "The registrant had 916,744,848 shares of common stock outstanding"),
    ("wmt-2025-01", "us-gaap:Revenues", "2025-01-31", "680985", "USD million", "Total revenues | 680,985"),
]  # fmt: skip


@pytest.mark.parametrize(("document", "topic", "end", "answer", "unit", "stated"), GOLDEN)
def test_golden_facts(
    real: Corpus, document: str, topic: str, end: str, answer: str, unit: str, stated: str
) -> None:
    fact = told(real, document, topic, end)
    assert (fact.answers, fact.unit) == ((answer,), unit)
    rows = [real.document(document).text[each.start : each.end] for each in fact.evidence]
    assert any(each.startswith(stated) for each in rows), rows


def test_figures_stand_in_their_rows(real: Corpus) -> None:
    """Every one of the thousands of facts: what is displayed is in the evidence."""
    numbers = [fact for fact in facts_of(real).stated if fact.kind == "number"]
    assert len(numbers) > 10_000
    assert all(fact.details["text"] in row(real, fact) for fact in numbers)
    assert Counter(fact.document for fact in numbers)["ibm-2023-12"] == 2


def test_readable_text(real: Corpus) -> None:
    for each in real.documents:
        assert not re.search(r"<[a-z/]+[^>]*>|&#\d+;|xbrl|us-gaap:", each.text)
        assert "Item 1A" in each.text or "ITEM 1A" in each.text
        assert "\u00a0" not in each.text
    apple = real.document("aapl-2024-09").text
    assert "Apple Inc. | 2024 Form 10-K |" not in apple
    assert "Years ended\nSeptember 28, 2024 | September 30, 2023 | September 24, 2022\nNet sales:" in apple


@pytest.mark.slow
def test_real_questions_hold_every_property(real: Corpus) -> None:
    questions = build_questions(real)
    assert (len(questions.questions), questions.notes) == (130, ())
    assert check_questions(questions, real) == []
    assert len({each.topic for each in questions.questions if each.answerable}) >= 40


@pytest.mark.slow
def test_all_of_it_from_a_server_that_plays_the_sec(
    edgar_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Filings without a known number are looked up; nothing is asked for twice."""
    monkeypatch.setenv("RAGHARNESS_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv(rules.CONTACT, "Jane Doe jane@example.com")
    card = manifest("edgar")
    lists: dict[str, list[tuple[str, str, str]]] = {}
    with Sec() as server:
        for number, (name, file) in enumerate(card.files.items()):
            accession = file.accession or f"{file.cik.zfill(10)}-25-{number:06d}"
            lists.setdefault(file.cik, []).append((file.period, accession, file.document))
            path = f"/Archives/edgar/data/{file.cik}/{accession.replace('-', '')}/{file.document}"
            server.pages[path] = Page((edgar_folder / name).read_bytes())
        for cik, rows in lists.items():
            periods, accessions, documents = zip(*rows, strict=True)
            recent = {
                "form": ["10-K"] * len(rows),
                "reportDate": periods,
                "accessionNumber": accessions,
                "primaryDocument": documents,
            }
            server.pages[f"/submissions/CIK{cik.zfill(10)}.json"] = Page(
                msgspec.json.encode({"filings": {"recent": recent, "files": []}})
            )
        folder = obtain(download_request(card, ""), source=server.url)
        assert not server.banned
    assert sorted(each.name for each in folder.glob("*.html")) == sorted(card.files)
    assert load_corpus("edgar", source=server.url, offline=True).counts["documents"] == 25
