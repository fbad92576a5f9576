"""Annual reports split into items: rows of both styles, real ones by position, bent ones, and the hub's."""

from __future__ import annotations

import io
import json
import os
import re
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from hub_server import Hub, Repository
from ixbrl import annual_report
from own_folder import filler, place_of, sentences_of
from ragharness.corpus.loading import Corpus, load_corpus
from ragharness.corpus.passages import build_passages, faults
from ragharness.errors import CorruptDownload, UsageError
from ragquestions.building import build_questions
from ragquestions.checks import check_questions
from ragquestions.recipes import candidates_of, facts_of

if TYPE_CHECKING:
    from commands import Verb

CRAWLED: dict[str, Any] = {
    "cik": "901",
    "company": "QUILLFEATHER INSTRUMENTS CORP /DE/",
    "filing_type": "10-K",
    "filing_date": "2010-02-25",
    "period_of_report": "2010-01-03",
    "filename": "901_10K_2010_0000000901-10-000008.htm",
    "item_7": "ITEM 7.\nMANAGEMENT'S DISCUSSION\n•\nRevenue of QuillFeather Instruments rose by 12%.\n"
    "F - 3\n$\nTable of Contents\nPART III",
    "item_1": "ITEM 1. BUSINESS\n" + "We make instruments for weather stations in Oregon. " * 20,
    "item_1A": "",
    "item_10": "The directors are named in the proxy statement.",
    "item_9B": None,
}
"""A row as edgar-crawler writes it, its items out of order."""


def hub_row(cik: int, year: int = 2020, **also: Any) -> dict[str, Any]:
    """Return a row of EDGAR-CORPUS."""
    sections = {"section_1": f"Item 1. Business\nCompany {cik} makes {year - 1900} sorts of kettles. " * 12}
    return {
        "filename": f"{cik}_{year}.txt",
        "cik": str(cik),
        "year": str(year),
        "section_1A": "",
        **sections,
        **also,
    }


def written(folder: Path, **rows: Any) -> Path:
    """Write each row as a file of JSON."""
    for name, row in rows.items():
        (folder / f"{name}.json").write_text(row if isinstance(row, str) else json.dumps(row))
    return folder


def read(source: Path, split: str = "") -> Corpus:
    return load_corpus("edgar", split=split, source=str(source))


def parquet_of(table: list[dict[str, Any]]) -> bytes:
    from pyarrow import Table, parquet

    content = io.BytesIO()
    parquet.write_table(Table.from_pylist(table), content)
    return content.getvalue()


def test_items_come_in_order_under_their_headings(tmp_path: Path) -> None:
    (document,) = read(written(tmp_path, one=CRAWLED)).documents
    assert document.id == "quillfeather-instruments-2010-01"
    assert document.title == "QuillFeather Instruments 10-K for the fiscal year ended January 3, 2010"
    assert document.handle == document.title
    assert document.source == "one.json"
    lines = document.text.split("\n")
    assert lines[0] == "ITEM 1. BUSINESS"
    assert lines[2:] == [
        "",
        "ITEM 7. MANAGEMENT'S DISCUSSION",
        "• Revenue of QuillFeather Instruments rose by 12%.",
        "",
        "Item 10. Directors and Officers",
        "The directors are named in the proxy statement.",
    ]


def test_the_heads_of_pages_are_left_out(tmp_path: Path) -> None:
    pages = [
        f"Table of Contents QUILLFEATHER CORP\nNotes to Financial Statements (Continued)\nPage {word}."
        for word in "abcdefghi"
    ]
    lines = ["The kettles are made with great care in the old", "town of Oakmere and sold in Norway."]
    wrapped = "\n".join(lines * 12)
    row = CRAWLED | {"item_8": "ITEM 8.\n" + "\n".join(pages), "item_3": wrapped}
    text = read(written(tmp_path, one=row)).documents[0].text
    assert "QUILLFEATHER CORP" not in text
    assert "Continued" not in text
    assert "\nPage i." in text
    assert " ".join(lines) in text


def test_rows_of_the_hub_are_named_by_number_and_year(tmp_path: Path) -> None:
    lines = [hub_row(718413, 1993), hub_row(20), hub_row(320193)]
    (tmp_path / "test.jsonl").write_text("\n".join(map(json.dumps, lines)))
    found = read(tmp_path).documents
    assert [each.title for each in found] == [
        "10-K of 1993 of the company with CIK 718413",
        "10-K of 2020 of the company with CIK 20",
        "Apple 10-K of 2020",
    ]
    assert [each.id for each in found] == ["cik-718413-1993", "cik-20-2020", "apple-2020"]
    assert [each.source for each in found] == [f"test.jsonl:{number}" for number in (1, 2, 3)]


@pytest.mark.parametrize(
    ("told", "form", "period"),
    [
        ("10-K405", "10-K405", "fiscal year"),
        ("10K405", "10-K405", "fiscal year"),
        ("10-KSB", "10-KSB", "fiscal year"),
        ("10-K/A", "10-K/A", "fiscal year"),
        ("10KSB40-A", "10-KSB40/A", "fiscal year"),
        ("10-KT", "10-KT", "transition period"),
        ("", "10-K", "fiscal year"),
    ],
)
def test_forms_are_named_as_the_register_does(tmp_path: Path, told: str, form: str, period: str) -> None:
    row = CRAWLED | {"filing_type": told, "filename": ""}
    (document,) = read(written(tmp_path, one=row)).documents
    assert document.title == f"QuillFeather Instruments {form} for the {period} ended January 3, 2010"


def test_names_are_written_as_the_filing_writes_them(tmp_path: Path) -> None:
    names = {
        "ESTEL AUDEN COMPANIES INC": ("Estél Auden Companies", "Estél Auden"),
        "TARNWALK COM GROUP INC": ("Tarnwalk.com Group", "Tarnwalk.com Group"),
        "HOME CARE CORP OF OBERLAND INC": ("nobody", "Home Care Corp of Oberland"),
        "HAZELMOOR Corp \\WA\\": ("Hazelmoor", "Hazelmoor"),
        "WARDLE DIZZY CO/": ("Wardle Dizzy", "Wardle Dizzy"),
        "Pinnock, Inc.": ("PINNOCK", "Pinnock"),
    }
    for number, (company, (written_so, _)) in enumerate(names.items()):
        text = f"{written_so} sells soap. " * 30
        row = CRAWLED | {"cik": 10 + number, "company": company, "item_1": text, "item_7": ""}
        written(tmp_path, **{f"f{number}": row})
    assert [each.title.partition(" 10-K")[0] for each in read(tmp_path).documents] == [
        short for _, short in names.values()
    ]


BENT = {
    "empty": (CRAWLED | {key: "" for key in CRAWLED if key.startswith("item")}, "its items have fewer than"),
    "quarterly": (CRAWLED | {"filing_type": "10-Q"}, "its form is 10-Q, no annual report"),
    "nobody": (
        CRAWLED | {"cik": None, "company": ["x"], "filename": 7},
        "it says neither its company nor its register number",
    ),
    "never": (
        CRAWLED | {"period_of_report": "2010-13-99", "filename": "x.htm"},
        "it says neither its period nor its year",
    ),
    "again": (dict(reversed(CRAWLED.items())), "it says the same as"),
}


def test_bent_rows_are_named_and_left_out(tmp_path: Path) -> None:
    rows = [CRAWLED, *(row for row, _ in BENT.values())]
    text = "\n".join([*map(json.dumps, rows), "{", "[1, 2]", "null", '"\\ud800"', '{"item_1": {}}'])
    (tmp_path / "rows.jsonl").write_text(text)
    corpus = read(tmp_path)
    assert len(corpus.documents) == 1
    told = "\n".join(corpus.notices)
    for number, (_, problem) in enumerate(BENT.values(), 2):
        assert f"rows.jsonl:{number} is left out: {problem}" in told
    assert "rows.jsonl:7 is left out: it is no JSON" in told
    for number in (8, 9):
        assert f"rows.jsonl:{number} is left out: it holds no items of a filing" in told
    assert len(corpus.notices) == 10


def test_files_without_items_are_counted_and_nothing_at_all_is_an_error(tmp_path: Path) -> None:
    written(tmp_path, other={"a": 1}, broken="{")
    (tmp_path / "torn.zip").write_bytes(b"PK\x03\x04 no zip")
    (tmp_path / "odd.parquet").write_bytes(b"no rows")
    with pytest.raises(CorruptDownload, match=r"found none; broken\.json is left out: it is no JSON"):
        read(tmp_path)
    written(tmp_path, one=CRAWLED)
    corpus = read(tmp_path)
    assert len(corpus.documents) == 1
    assert "other files are left out (2 .json, 1 .parquet, 1 .zip)" in corpus.notices[0]


def test_one_file_is_read_where_it_is(tmp_path: Path) -> None:
    row = json.dumps(CRAWLED)
    (tmp_path / "one.json").write_text(row)
    (tmp_path / "list.json").write_text(f"\ufeff[{row}]")
    (tmp_path / "rows.JSONL").write_text(row + "\n\n")
    with zipfile.ZipFile(tmp_path / "packed.zip", "w") as archive:
        archive.writestr("10-K/one.json", row)
        archive.writestr("10-K/notes.txt", "nothing")
    hashes = {read(tmp_path / name).hash for name in ("one.json", "list.json", "rows.JSONL", "packed.zip")}
    assert len(hashes) == 1
    assert read(tmp_path / "packed.zip").documents[0].source == "packed.zip/10-K/one.json"
    torn = (tmp_path / "packed.zip").read_bytes()[:-40]
    (tmp_path / "torn.zip").write_bytes(torn)
    with pytest.raises(CorruptDownload, match=r"expected a whole zip archive in torn\.zip"):
        read(tmp_path / "torn.zip")


def test_a_zip_that_would_do_harm_is_not_read(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "harm.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("one.json", json.dumps(CRAWLED))
        archive.writestr("bomb.json", b" " * (64 << 20))
    with pytest.raises(CorruptDownload, match=r"harm\.zip is refused: it would grow"):
        read(tmp_path / "harm.zip")


def test_pages_give_facts_and_items_documents(tmp_path: Path) -> None:
    page = annual_report("Oberland Mills Inc.", "902", "2023-12-31", 1013)
    (tmp_path / "902.htm").write_bytes(page)
    same = CRAWLED | {"cik": "902", "company": "Oberland Mills Inc.", "period_of_report": "2023-12-31"}
    corpus = read(written(tmp_path, one=CRAWLED, same=same | {"item_1": "Other words. " * 60}))
    assert [each.source for each in corpus.documents] == ["902.htm", "one.json"]
    assert {fact.document for fact in facts_of(corpus).stated} == {corpus.documents[0].id}
    assert any("same.json is left out: the same filing is there as a page" in each for each in corpus.notices)
    alone = tmp_path / "alone"
    alone.mkdir()
    (alone / "902.htm").write_bytes(page)
    assert read(alone).documents[0] == corpus.documents[0]


def test_a_part_is_the_same_everywhere_and_lies_in_the_larger_ones(tmp_path: Path) -> None:
    rows = [json.dumps(hub_row(number)) for number in range(1, 21)]
    (tmp_path / "a.jsonl").write_text("\n".join(rows))
    (tmp_path / "b.jsonl").write_text("\n".join(reversed(rows)))
    parts = [{each.id for each in read(tmp_path / "a.jsonl", f":{most}").documents} for most in (5, 9, "all")]
    assert [len(each) for each in parts] == [5, 9, 20]
    assert parts[0] < parts[1] < parts[2]
    assert {each.id for each in read(tmp_path / "b.jsonl", ":5").documents} == parts[0]
    assert "5 of 20 filings in items are read" in read(tmp_path / "a.jsonl", ":5").notices[-1]


def test_pages_have_no_parts_and_no_splits(tmp_path: Path) -> None:
    (tmp_path / "902.htm").write_bytes(annual_report("Oberland Mills Inc.", "902", "2023-12-31", 1013))
    with pytest.raises(UsageError, match="always read whole, found --subset 5"):
        read(tmp_path, ":5")
    with pytest.raises(UsageError, match="edgar has no splits, found --split test") as caught:
        read(tmp_path, "test")
    assert "hub:eloukas/edgar-corpus" in caught.value.help


def stated_row(number: int, begin: str = "") -> dict[str, Any]:
    """Return an invented filing that states plain things."""
    said = [*sentences_of(number), *(filler(number, each) for each in range(9))]
    return CRAWLED | {
        "cik": 900 + number,
        "company": f"{place_of(number)} Kettles Inc",
        "period_of_report": f"{2003 + number}-06-30",
        "item_1": f"Item 1. Business{begin}\n" + "\n".join(said),
        "item_7": f"On June 30, {2003 + number}, the Quill Bank renewed"
        f" the loan of the {place_of(number)} mill.",
        "item_10": "",
    }


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    """Eight invented filings in items that state plain things."""
    folder = tmp_path_factory.mktemp("plain")
    return read(written(folder, **{f"f{number}": stated_row(number) for number in range(8)}))


def test_questions_come_from_plain_statements(plain: Corpus) -> None:
    questions = build_questions(plain, size=26)
    assert check_questions(questions, plain) == []
    handles = {each.handle for each in plain.documents}
    assert all(any(f'"{handle}"' in each.text for handle in handles) for each in questions.questions)
    answered = [each for each in questions.questions if each.answers]
    assert len(answered) > 10
    for each in answered:
        (span,) = each.evidence
        said = plain.document(span.document).text[span.start : span.end]
        number = [document.id for document in plain.documents].index(span.document)
        assert said in (*sentences_of(number), stated_row(number)["item_7"])


def test_a_bare_amount_in_thousands_is_not_asked_for(tmp_path: Path) -> None:
    """A note of such a filing says $2,623 and means 2.6 million."""
    rows = {f"f{number}": stated_row(number) for number in range(4)}
    for number, row in enumerate(rows.values()):
        row["item_8"] = f"In 1999, the {place_of(number)} Water Board paid $2,{623 + number} for a barge."
    told = {}
    for begin in ("", "\n(Amounts in thousands)"):
        for row in rows.values():
            row["item_1"] = row["item_1"].replace("Item 1. Business", f"Item 1. Business{begin}")
        corpus = read(written(tmp_path, **rows))
        found = candidates_of(corpus)
        told[begin] = {each.unit for each in found if "barge" in each.text or "dredging" in each.text}
    assert told == {"": {"USD", "USD million"}, "\n(Amounts in thousands)": {"USD million"}}


def test_the_date_of_a_title_is_not_asked_for(plain: Corpus) -> None:
    """The title says it: "for the fiscal year ended June 30, 2003"."""
    found = candidates_of(plain)
    assert "Quill Bank" in plain.documents[0].text
    assert found
    for each in found:
        assert not ("Quill Bank" in each.text and each.answers), each.text


GOLDEN = {
    "sandisk-2010-01": ("SanDisk 10-K for the fiscal year ended January 3, 2010", "Item 1"),
    "walmart-1995-01": ("Walmart 10-K for the fiscal year ended January 31, 1995", "Item 1"),
    "estee-lauder-2012-06": (
        "Estée Lauder 10-K for the fiscal year ended June 30, 2012",
        "Item 1",
    ),
    "xetel-1996-03": ("XeTel 10-K for the fiscal year ended March 30, 1996", "Item 1"),
    "stockwalk-com-group-2000-03": (
        "Stockwalk.com Group 10-K for the fiscal year ended March 31, 2000",
        "Item 1",
    ),
    "fedex-2023-05": ("FedEx 10-K for the fiscal year ended May 31, 2023", "Item 1"),
    "astrotech-2010-06": ("Astrotech 10-K for the fiscal year ended June 30, 2010", "Item 1"),
}


@pytest.fixture(scope="module")
def real(shared: Path) -> Corpus:
    return read(shared / "data/edgar-items/10-K.zip")


def test_real_filings_by_position(real: Corpus) -> None:
    assert real.counts["documents"] == 61
    for name, (title, begin) in GOLDEN.items():
        document = real.document(name)
        assert (document.title, document.handle) == (title, title)
        assert document.text[: len(begin)].casefold() == begin.casefold(), name
    assert sum("it says the same as" in each for each in real.notices) == len(real.notices) == 1
    passages = build_passages(real.documents)
    assert [fault for each in real.documents for fault in faults(each, passages.of(each.id))] == []
    for each in real.documents:
        assert not re.search(r"\n(?:PART (?:I|II|III|IV)|F ?- ?\d*)\n", each.text), each.id


def test_real_statements_stand_where_they_are_said(real: Corpus) -> None:
    text = real.document("sandisk-2010-01").text
    said = "As of February 1, 2010, we had approximately 389 stockholders of record."
    assert text.count(said) == 1
    assert text.rindex("\nITEM 5. MARKET FOR REGISTRANT", 0, text.index(said)) > text.index(
        "\nITEM 2. PROPERTIES\n"
    )
    walmart = real.document("walmart-1995-01").text
    assert "approximately 622,000 full- and part-time associates" in walmart


def fetch(hub: Hub, folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run ``corpus fetch edgar`` in a process of its own: the client reads its settings once."""
    environment = {
        name: value for name, value in os.environ.items() if not name.startswith(("HF_", "RAGHARNESS_"))
    }
    environment |= {
        "HF_ENDPOINT": hub.url,
        "HF_HOME": str(folder / "hf"),
        "RAGHARNESS_CACHE": str(folder / "cache"),
    }
    command = [sys.executable, "-c", "from ragharness.cli import main; main()", "corpus", "fetch", "edgar"]
    return subprocess.run(
        [*command, *arguments],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
        cwd=folder,
    )


NAME = "eloukas/edgar-corpus"


@pytest.fixture
def hub() -> Hub:
    """A hub with two years of the data set, at the revision that the hub itself writes."""
    pytest.importorskip("datasets", reason="the extra hub is not installed")
    found = Hub()
    files = {
        f"year_{year}/{split}/0000.parquet": parquet_of([hub_row(number, year) for number in range(1, count)])
        for year in (2019, 2020)
        for split, count in (("test", 13), ("partial-train", 31))
    }
    found.repositories[NAME] = Repository(files)
    return found


@pytest.mark.model
@pytest.mark.timeout(240)
def test_a_year_of_the_hub(hub: Hub, tmp_path: Path) -> None:
    with hub:
        usual = fetch(hub, tmp_path, "--from", f"hub:{NAME}", "--subset", "5")
        asked = len(hub.asked)
        again = fetch(hub, tmp_path, "--from", f"hub:{NAME}")
        cached = len(hub.asked)
        other = fetch(hub, tmp_path, "--from", f"hub:{NAME}/year_2019", "--split", "train")
        wrong = fetch(hub, tmp_path, "--from", f"hub:{NAME}/year_1871")
        split = fetch(hub, tmp_path, "--from", f"hub:{NAME}", "--split", "tset")
    assert usual.returncode == 0, usual.stderr
    assert "edgar test:5: 5 documents" in usual.stdout
    assert (
        f"{NAME} at refs/convert/parquet, test (year_2020/test): the rows come from the hub" in usual.stderr
    )
    assert "5 of 12 filings in items are read" in usual.stderr
    assert (again.returncode, cached) == (0, asked)
    assert "edgar test: 12 documents" in again.stdout
    assert "edgar train: 30 documents" in other.stdout
    for refused in (wrong, split):
        assert refused.returncode != 0
        assert "Traceback" not in refused.stderr
    assert "expected Parquet of test in eloukas/edgar-corpus/year_1871, found year_2019/" in " ".join(
        wrong.stderr.split()
    )
    assert "did you mean test" in " ".join(split.stderr.split())


@pytest.mark.model
@pytest.mark.timeout(240)
@pytest.mark.parametrize(("trouble", "told"), [("flip", "expected sha256"), ("html", "edgar-corpus")])
def test_false_rows_are_refused(hub: Hub, tmp_path: Path, trouble: str, told: str) -> None:
    hub.repositories[NAME].always = trouble
    with hub:
        refused = fetch(hub, tmp_path, "--from", f"hub:{NAME}")
    assert refused.returncode == 3
    assert told in " ".join(refused.stderr.split())
    assert "Traceback" not in refused.stderr


def test_the_command_reads_a_zip_and_runs(verb: Verb, tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "rows.zip", "w") as archive:
        for number in range(8):
            archive.writestr(f"{number}.json", json.dumps(stated_row(number)))
    done = verb("run", "--corpus", "edgar", "--from", "rows.zip", "--size", "26", "--out", "r")
    assert done.code == 0, done.errors
    shown = verb("corpus", "show", "edgar", "aldermere-kettles-2003-06", "--from", "rows.zip")
    assert "Aldermere Kettles 10-K for the fiscal year ended June 30, 2003" in shown.output
