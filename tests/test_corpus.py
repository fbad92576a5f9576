"""Corpora: manifests of all, golden rows of the real one, and what a damaged file is answered with."""

from __future__ import annotations

import copy
import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from ragharness.corpus.loading import Corpus, Manifest, load_corpus, manifest
from ragharness.errors import CorruptDownload, RagharnessError, UnknownName
from ragharness.records import Document, Evidence
from ragharness.support import resources
from ragquestions.recipes import facts_of


@pytest.fixture(scope="module")
def contracts(contractnli_folder: Path) -> Corpus:
    return load_corpus("contractnli", source=str(contractnli_folder))


@pytest.mark.parametrize("name", resources.names("corpora"))
def test_every_corpus_has_a_complete_card(name: str) -> None:
    card = manifest(name)
    home = resources.folder("corpora", name)
    assert card.id == name
    assert (home / "README.md").is_file()
    assert (home / "parse.py").is_file()
    assert card.license
    assert card.attribution
    assert card.embedded or card.url.startswith("https://")
    assert not card.splits or card.default_split in card.splits
    assert card.embedded or {file.split for file in card.files.values()} == set(card.splits or ("",))
    assert all(re.fullmatch(r"[0-9a-f]{64}", file.sha256) or not file.sha256 for file in card.files.values())


@pytest.mark.parametrize("name", [name for name in resources.names("corpora") if manifest(name).embedded])
def test_embedded_corpora_load_without_network(name: str) -> None:
    corpus = load_corpus(name, offline=True)
    assert corpus.documents
    assert facts_of(corpus).stated
    assert len({each.title for each in corpus.documents}) == len(corpus.documents)


def test_counts_of_the_real_corpus(contracts: Corpus) -> None:
    card = manifest("contractnli")
    segments = sum(len(each.segments) for each in contracts.documents)
    facts = facts_of(contracts).stated
    assert (len(contracts.documents), segments, len(facts)) == (123, 10_061, 2_091)
    assert card.counts["test"] == {"documents": 123, "segments": segments, "facts": 2_091}
    labels = Counter(fact.answers for fact in facts)
    assert labels == {("yes",): 968, ("no",): 220, (): 903}
    assert all(bool(fact.evidence) == bool(fact.answers) for fact in facts)
    assert len({fact.topic for fact in facts}) == 17


def test_golden_rows_of_the_real_corpus(contracts: Corpus) -> None:
    rows = [contracts.documents[place] for place in (0, 8, -1)]
    told = [
        (each.id, len(each.text), len(each.segments), each.segments[-1], each.title.split()[0])
        for each in rows
    ]
    assert told == [
        ("cnli-1", 16632, 118, (16618, 16631), "JEA"),
        ("cnli-21", 12238, 98, (12216, 12237), "NSK"),
        ("cnli-611", 22377, 146, (22330, 22376), "CEDC"),
    ]
    facts = [facts_of(contracts).stated[place] for place in (0, 8, -1)]
    assert [(fact.document, fact.topic, fact.answers, fact.evidence) for fact in facts] == [
        ("cnli-1", "nda-11", (), ()),
        ("cnli-1", "nda-20", ("yes",), (Evidence("cnli-1", 8307, 8874),)),
        ("cnli-611", "nda-4", ("yes",), (Evidence("cnli-611", 4170, 4506),)),
    ]


def test_twins_are_kept_apart_and_named(contracts: Corpus) -> None:
    assert contracts.twins == {"cnli-97": "cnli-52"}
    assert contracts.canonical("cnli-97") == contracts.canonical("cnli-52") == "cnli-52"
    assert contracts.canonical("cnli-1") == "cnli-1"
    assert contracts.canonical("no such document") == "no such document"
    assert contracts.document("cnli-97").title != contracts.document("cnli-52").title


def test_the_hash_is_that_of_the_content(contracts: Corpus, contractnli_folder: Path) -> None:
    assert load_corpus("contractnli", source=str(contractnli_folder / "test.json")).hash == contracts.hash
    first, *others = contracts.documents
    renamed = Document(id=first.id, title="Another", text=first.text, segments=first.segments)
    assert Corpus("contractnli", "test", (renamed, *others)).hash != contracts.hash


def test_unknown_corpus_split_and_document(contracts: Corpus) -> None:
    with pytest.raises(UnknownName, match="did you mean contractnli"):
        load_corpus("contract-nli")
    with pytest.raises(UnknownName, match="no split of contractnli is named 'tset'; did you mean test"):
        load_corpus("contractnli", split="tset")
    with pytest.raises(UnknownName, match="cnli-52"):
        contracts.document("cnli-5x2")


def miniature() -> dict[str, Any]:
    """A training split of our own in ContractNLI's format: the one whose hash is not pinned."""
    text = "AGREEMENT\nThe parties keep quiet. They do not reverse engineer."
    annotations = {
        "nda-11": {"choice": "Entailment", "spans": [2]},
        "nda-16": {"choice": "NotMentioned", "spans": []},
        "nda-20": {"choice": "Contradiction", "spans": [2, 1]},
    }
    contract = {
        "id": 9001,
        "file_name": "Two%20Parties_NDA-final.pdf",
        "text": text,
        "spans": [[0, 9], [10, 34], [34, 63]],
        "annotation_sets": [{"annotations": annotations}],
        "document_type": "search-pdf",
        "url": "https://example.org/nda.pdf",
    }
    other = copy.deepcopy(contract) | {
        "id": 9002,
        "text": text + "\nSigned.",
        "file_name": "123_0000950123-00-009565_x.txt",
    }
    labels = {topic: {"short_description": "short", "hypothesis": "Long."} for topic in annotations}
    return {"documents": [contract, other], "labels": labels}


def load(folder: Path, content: str | dict[str, Any]) -> Corpus:
    text = content if isinstance(content, str) else json.dumps(content)
    (folder / "train.json").write_text(text, encoding="utf-8")
    return load_corpus("contractnli", split="train", source=str(folder))


def test_a_contract_becomes_a_document_and_facts(tmp_path: Path) -> None:
    corpus = load(tmp_path, miniature())
    first, second = corpus.documents
    assert (first.id, first.title, first.handle) == (
        "cnli-9001",
        "Two Parties NDA final",
        "Two Parties NDA final",
    )
    assert (second.title, second.handle) == ("AGREEMENT".capitalize(), "")
    assert first.segments == ((0, 9), (10, 34), (34, 63))
    assert first.source == "https://example.org/nda.pdf"
    assert [
        (fact.topic, fact.answers, [(span.start, span.end) for span in fact.evidence])
        for fact in facts_of(corpus).stated[:3]
    ] == [
        ("nda-11", ("yes",), [(34, 63)]),
        ("nda-16", (), []),
        ("nda-20", ("no",), [(10, 34), (34, 63)]),
    ]
    assert facts_of(corpus).stated[0].details["hypothesis"] == "Long."


def test_names_that_repeat_get_the_id(tmp_path: Path) -> None:
    content = miniature()
    content["documents"][1]["file_name"] = content["documents"][0]["file_name"]
    corpus = load(tmp_path, content)
    assert [each.title for each in corpus.documents] == [
        "Two Parties NDA final (cnli-9001)",
        "Two Parties NDA final (cnli-9002)",
    ]
    assert [each.handle for each in corpus.documents] == ["", ""]


def without(*path: Any) -> dict[str, Any]:
    content = miniature()
    place: Any = content
    for key in path[:-1]:
        place = place[key]
    del place[path[-1]]
    return content


def with_value(value: Any, *path: Any) -> dict[str, Any]:
    content = miniature()
    place: Any = content
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value
    return content


NDA11 = ("documents", 0, "annotation_sets", 0, "annotations", "nda-11")


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ('{"documents": [', "truncated"),
        ("[]", "Expected `object`"),
        ('{"documents": [], "labels": {}} trailing', "malformed"),
        (without("documents"), "missing required field `documents`"),
        (without("documents", 0, "text"), r"missing required field `text` - at `\$.documents"),
        (without("documents", 1, "annotation_sets", 0), "9002 has no annotation of nda-11"),
        (without(*NDA11), "9001 has no annotation of nda-11"),
        (with_value("Maybe", *NDA11, "choice"), "unknown choice 'Maybe' for nda-11"),
        (with_value([3], *NDA11, "spans"), "names a span that it does not have for nda-11"),
        (with_value([-1], *NDA11, "spans"), "names a span that it does not have for nda-11"),
        (with_value("0-9", "documents", 0, "spans", 0), "Expected `array`"),
        ('{"documents": [], "labels": {"a": {"hypothesis": "\\ud800 and more"}}}', "malformed|surrogate"),
    ],
)
def test_a_damaged_file_is_named(tmp_path: Path, content: str | dict[str, Any], told: str) -> None:
    with pytest.raises(CorruptDownload, match=told) as caught:
        load(tmp_path, content)
    assert "train.json" in str(caught.value)
    assert caught.value.help == "ragharness corpus fetch contractnli"


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ({"documents": [], "labels": {}}, "unique ids"),
        (with_value(9002, "documents", 0, "id"), "unique ids"),
        (with_value([[0, 9], [5, 20], [34, 63]], "documents", 0, "spans"), "in order inside its text"),
        (with_value([[0, 9], [10, 34], [34, 999]], "documents", 0, "spans"), "in order inside its text"),
    ],
)
def test_a_parser_s_nonsense_is_refused(tmp_path: Path, content: dict[str, Any], told: str) -> None:
    with pytest.raises(RagharnessError, match=told):
        load(tmp_path, content)


def test_an_altered_copy_is_refused(tmp_path: Path, contractnli_folder: Path) -> None:
    data = (contractnli_folder / "test.json").read_bytes()
    (tmp_path / "test.json").write_bytes(data.replace(b"Entailment", b"NotMentioned", 1))
    with pytest.raises(CorruptDownload, match="expected sha256 460267b56052"):
        load_corpus("contractnli", source=str(tmp_path))


def test_a_manifest_with_an_unknown_field(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = tmp_path / "_data" / "corpora" / "odd"
    home.mkdir(parents=True)
    (home / "corpus.toml").write_text('id = "odd"\ncolour = "red"\n')
    monkeypatch.setattr(resources, "_PACKAGE", tmp_path)
    with pytest.raises(RagharnessError, match="is no manifest of a corpus"):
        manifest("odd")
    assert Manifest(id="a", title="", summary="", license="", attribution="").embedded is False


HEADED = """EXHIBIT 10
MUTUAL SECRECY AGREEMENT
This Agreement is made between Northwind Pumps, Inc. ("NPI") and Ada."""


@pytest.mark.parametrize(
    ("file_name", "text", "title", "handle"),
    [
        ("Harbor%20Cranes_NDA-2019.pdf", "", "Harbor Cranes NDA 2019", "Harbor Cranes NDA 2019"),
        (
            "ZYXConfidentialityAgreement.docx",
            "",
            "ZYX Confidentiality Agreement",
            "ZYX Confidentiality Agreement",
        ),
        ("5bfb0627e70bdcfc5b32_orchard nda.html", "", "orchard nda", "orchard nda"),
        ("Mutual-NDA-template-v2.pdf", "Agreement of two.", "Agreement of two", ""),
        (
            "nda_3.pdf",
            HEADED,
            "Mutual Secrecy Agreement of Northwind Pumps",
            "Mutual Secrecy Agreement of Northwind Pumps",
        ),
        (
            "1234_0000950123-00-009565_ex99.txt",
            HEADED,
            "Mutual Secrecy Agreement of Northwind Pumps",
            "Mutual Secrecy Agreement of Northwind Pumps",
        ),
        ("41629_1.pdf", "", "Agreement", ""),
    ],
)
def test_names_by_rule(file_name: str, text: str, title: str, handle: str) -> None:
    titles = resources.load_module(resources.folder("corpora", "contractnli") / "parse.py")
    [name] = titles.name_documents([("cnli-0", file_name, text)])
    assert (name.title, name.handle) == (title, handle)
