"""Every format of a run's report is equal to its records, and valid by the rules of those who read it."""

from __future__ import annotations

import csv
import io
import json
import re
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree
from msgspec.structs import replace

import ragharness as rh
import run_fakes as fake
from gate_fakes import epochs_of, written
from ragharness.analysis.scores import ROW_NAMES
from ragharness.records import Answer, Failure
from ragharness.reports.formats import COLUMNS, flat_records, format_names, load_format
from ragharness.reports.formats.trec_run import one_word, within
from ragharness.results import Run

if TYPE_CHECKING:
    from commands import Verb

TEXT = 'He said "=1+1", \x1b[31m<b>&amp;</b>\U0001f600\nand left.'
OUTCOMES = {
    "q001": "wrong",
    "q002": "unsupported",
    "q003": "refused",
    "q004": "error",
    "q005": "needs_review",
}

JUNIT = """
<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema">
  <xs:simpleType name="seconds">
    <xs:restriction base="xs:string"><xs:pattern value="[0-9]+\\.[0-9]{3}"/></xs:restriction>
  </xs:simpleType>
  <xs:complexType name="result" mixed="true">
    <xs:attribute name="message" type="xs:string"/><xs:attribute name="type" type="xs:string"/>
  </xs:complexType>
  <xs:complexType name="skip" mixed="true"><xs:attribute name="message" type="xs:string"/></xs:complexType>
  <xs:element name="testsuites"><xs:complexType>
    <xs:sequence><xs:element name="testsuite" maxOccurs="unbounded"><xs:complexType>
      <xs:sequence><xs:element name="testcase" maxOccurs="unbounded"><xs:complexType>
        <xs:choice minOccurs="0">
          <xs:element name="skipped" type="skip"/>
          <xs:element name="error" type="result"/><xs:element name="failure" type="result"/>
        </xs:choice>
        <xs:attribute name="name" type="xs:string" use="required"/>
        <xs:attribute name="classname" type="xs:string" use="required"/>
        <xs:attribute name="time" type="seconds" use="required"/>
      </xs:complexType></xs:element></xs:sequence>
      <xs:attribute name="name" type="xs:string" use="required"/>
      <xs:attribute name="tests" type="xs:nonNegativeInteger" use="required"/>
      <xs:attribute name="failures" type="xs:nonNegativeInteger" use="required"/>
      <xs:attribute name="errors" type="xs:nonNegativeInteger" use="required"/>
      <xs:attribute name="skipped" type="xs:nonNegativeInteger" use="required"/>
      <xs:attribute name="time" type="seconds" use="required"/>
    </xs:complexType></xs:element></xs:sequence>
    <xs:attribute name="name" type="xs:string"/>
  </xs:complexType></xs:element>
</xs:schema>
"""
"""A part of what Jenkins' xUnit plugin accepts (its junit-10.xsd): whatever is valid here is valid there."""


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """A run of two epochs with every outcome, the last question not asked the second time."""
    asked = fake.questions()
    first = [fake.record(each, OUTCOMES.get(each.id, each.wanted)) for each in asked]
    first[0] = replace(first[0], answer=Answer(text=TEXT))
    both = [record for each in first for record in epochs_of(each, each)][:-1]
    return Run(written(tmp_path / "run", asked, both, epochs=2))


@pytest.fixture(scope="module")
def retrieved(tmp_path_factory: pytest.TempPathFactory) -> Run:
    home = tmp_path_factory.mktemp("retrieved")
    return rh.run("extractive", k=5, out=home / "run", progress=False)


def rendered(name: str, run: Run) -> Any:
    return load_format(name)(run.scores, run=run, detail=True)


def test_csv_is_the_records(run: Run) -> None:
    head, *lines = csv.reader(io.StringIO(rendered("csv", run), newline=""))
    assert head == list(COLUMNS)
    rows = flat_records(run)
    assert len(rows) == len(lines) == 259
    for line, row in zip(lines, rows, strict=True):
        for cell, value in zip(line, row.values(), strict=True):
            assert (json.loads(cell) if isinstance(value, list) else cell) == (
                value if isinstance(value, list) else "" if value is None else str(value)
            )
    assert rows[0]["answer"] == TEXT


def test_junit_counts_what_the_scores_count(run: Run) -> None:
    text = rendered("junit", run)
    schema = etree.XMLSchema(etree.fromstring(JUNIT))
    schema.assertValid(etree.fromstring(text.encode()))
    suites = {each.get("name"): each for each in ET.fromstring(text)}
    scores = run.scores
    assert list(suites) == list(ROW_NAMES.values())
    for name, row in scores.rows.items():
        suite = suites[name]
        bad = sum(int(suite.get(kind, "")) for kind in ("failures", "errors", "skipped"))
        assert (int(suite.get("tests", "")), row.n - row.desired.count) == (row.n, bad)
    plain = suites["plain"]
    assert [plain.get(kind) for kind in ("failures", "errors", "skipped")] == ["6", "2", "2"]
    failure = plain[0][0]
    assert (failure.tag, failure.get("type"), plain[0].get("name")) == ("failure", "WRONG", "q001 epoch 1")
    assert "<b>&amp;</b>" in (failure.text or "")


@given(st.text(st.characters(codec="utf-8")))
def test_any_answer_can_be_told_in_every_format(text: str) -> None:
    with tempfile.TemporaryDirectory() as home:
        asked = fake.questions()[:2]
        first = replace(fake.record(asked[0], "wrong", why=text), answer=Answer(text=text))
        failed = replace(fake.record(asked[1], "error"), failure=Failure(text, text, text))
        told = Run(written(Path(home) / "run", asked, [first, failed]))
        assert len(etree.fromstring(rendered("junit", told).encode())[0]) == 2
        assert (
            list(csv.reader(io.StringIO(rendered("csv", told), newline="")))[1][list(COLUMNS).index("answer")]
            == text
        )
        held = re.findall(r'id="data">(.*?)</script>', rendered("html", told), re.DOTALL)
        assert json.loads(held[0])["records"][0][2].get("text", "") == text


def test_parquet_and_datasets_are_the_records(run: Run, tmp_path: Path) -> None:
    parquet = pytest.importorskip(
        "pyarrow.parquet", reason="needs pyarrow: pip install 'ragharness[parquet]'"
    )
    table = parquet.read_table(io.BytesIO(rendered("parquet", run)))
    assert table.to_pylist() == flat_records(run)
    datasets = pytest.importorskip("datasets", reason="needs datasets: pip install 'ragharness[hub]'")
    home = tmp_path / "exported"
    home.mkdir()
    for name, content in rendered("datasets", run).items():
        (home / name).write_bytes(content)
    loaded = {
        name: datasets.load_dataset(str(home), name, split="train", cache_dir=str(tmp_path / "cache"))
        for name in ("questions", "records")
    }
    assert loaded["records"].to_list() == flat_records(run)
    asked = run.folder.questions()
    assert loaded["questions"]["id"][:] == [each.id for each in asked]
    assert loaded["questions"][0]["evidence_ends"] == [span.end for span in asked[0].evidence]


def test_a_question_set_is_a_table_where_its_file_says_so(verb: Verb, tmp_path: Path) -> None:
    parquet = pytest.importorskip(
        "pyarrow.parquet", reason="needs pyarrow: pip install 'ragharness[parquet]'"
    )
    path = tmp_path / "questions.parquet"
    assert verb("questions", "build", "--out", str(path)).code == 0
    table = parquet.read_table(path).to_pylist()
    asked = rh.load_questions(rh.load_corpus("sample")).questions
    assert [each["id"] for each in table] == [each.id for each in asked]
    assert [each["answers"] for each in table] == [list(each.answers) for each in asked]
    assert [each["evidence_starts"] for each in table] == [
        [span.start for span in each.evidence] for each in asked
    ]


def test_other_tools_compute_our_retrieval_numbers_from_the_trec_files(retrieved: Run) -> None:
    reason = "needs ir_measures and pytrec_eval: pip install ir_measures pytrec_eval-terrier"
    pytest.importorskip("pytrec_eval", reason=reason)
    measures = pytest.importorskip("ir_measures", reason=reason)
    qrels = list(measures.read_trec_qrels(rendered("trec_qrels", retrieved)))
    ranked = list(measures.read_trec_run(rendered("trec_run", retrieved)))
    ours = retrieved.scores.retrieval
    expected = {
        "RR": ours.mrr,
        "nDCG@5": ours.ndcg,
        "Success@5": ours.any_evidence.count / ours.n,
        "P@1": ours.evidence_first.count / ours.n,
    }
    wanted = [measures.parse_measure(name) for name in expected]
    found = measures.pytrec_eval.calc_aggregate(wanted, qrels, ranked)
    assert {str(name): value for name, value in found.items()} == pytest.approx(expected)
    assert 0.3 < expected["RR"] < 0.9
    assert len({each.query_id for each in qrels}) == ours.n


def test_topics_of_several_epochs_and_names_with_spaces_stay_apart(run: Run) -> None:
    topics = [topic for topic, *_ in within(run)]
    assert topics[:3] == ["q001_1", "q001_2", "q002_1"]
    assert len(topics) == len(set(topics)) == 120
    assert one_word("a b\tc\n") == "a_b_c_"


def test_qrels_need_the_corpus(run: Run) -> None:
    with pytest.raises(
        rh.RagharnessError, match="expected the corpus made-up as it was in the run, found none"
    ):
        rendered("trec_qrels", run)


def test_every_format_renders_a_run_and_names_itself(retrieved: Run, verb: Verb, tmp_path: Path) -> None:
    for name in format_names():
        if name in {"parquet", "datasets"}:
            continue
        path = tmp_path / name
        assert verb("report", str(retrieved.path), "--format", name, "-o", str(path)).code == 0
        assert path.stat().st_size > 1000


def test_what_cannot_be_printed_asks_for_a_file(retrieved: Run, verb: Verb, tmp_path: Path) -> None:
    pytest.importorskip("pyarrow", reason="needs pyarrow: pip install 'ragharness[parquet]'")
    failed = verb("report", str(retrieved.path), "--format", "parquet")
    assert failed.code == 3
    assert failed.errors.startswith(
        "error: expected --out with the format parquet, found none\nhelp:  ragharness report"
    )
    made = tmp_path / "exported"
    assert verb("report", str(retrieved.path), "--format", "datasets", "--out", str(made)).code == 0
    assert {each.name for each in made.iterdir()} == {"README.md", "questions.parquet", "records.parquet"}
