"""Folders of technical pages: their formats, and what is asked of settings, versions, changes and contracts."""

from __future__ import annotations

import io
import re
import zipfile
from pathlib import Path

import pytest

from ragharness.corpus.folders.reading import read_folder
from ragharness.corpus.loading import load_corpus
from ragquestions.corpus_index import CorpusIndex
from ragquestions.folder import candidates
from ragquestions.folder.facts import OF_PARTIES, parties
from ragquestions.folder.statements import SentenceIndex, facts, statements

RST = """
Settings
========

.. setting:: RETRY_TIMES

RETRY_TIMES
-----------

.. versionadded:: 2.1

How often :func:`~shop.fetch` tries again. See |nothing| and :doc:`the guide <guide>`.

Default: ``3``

.. note:: The server listens on port 8080.

.. include:: secret.txt

.. raw:: html

   <b>raw</b>
"""

ADOC = """= Of Ports
:toc: left

The *timeout* is `30` seconds.

|===
|Name |Default

|timeout |30
|===
"""


def docx_of(*paragraphs: str) -> bytes:
    """Return the bytes of a Word document of plain paragraphs, the first of them its heading."""
    space = "http://schemas.openxmlformats.org"
    style = '<w:pPr><w:pStyle w:val="Heading1"/></w:pPr>'
    body = "".join(
        f"<w:p>{style if not number else ''}<w:r><w:t>{each}</w:t></w:r></w:p>"
        for number, each in enumerate(paragraphs)
    )
    held = {
        "[Content_Types].xml": (
            f'<Types xmlns="{space}/package/2006/content-types"><Default Extension="rels" ContentType='
            '"application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/word/document.xml"'
            ' ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>'
        ),
        "_rels/.rels": (
            f'<Relationships xmlns="{space}/package/2006/relationships"><Relationship Id="r1" Type='
            f'"{space}/officeDocument/2006/relationships/officeDocument" Target="word/document.xml"/></Relationships>'
        ),
        "word/document.xml": (
            f'<w:document xmlns:w="{space}/wordprocessingml/2006/main"><w:body>{body}</w:body></w:document>'
        ),
    }
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name, text in held.items():
            archive.writestr(name, text)
    return packed.getvalue()


def test_pages_of_other_tools_are_read_as_their_readers_see_them(tmp_path: Path) -> None:
    for library in ("docutils", "mammoth"):
        pytest.importorskip(library, reason="needs the extra folders")
    (tmp_path / "secret.txt").write_text("Secret words.")
    (tmp_path / "a.rst").write_text(RST)
    (tmp_path / "b.adoc").write_text(ADOC)
    (tmp_path / "c.docx").write_bytes(docx_of("Of Leave", "Nobody works on Sundays."))
    (tmp_path / "d.docx").write_bytes(b"PK nothing")
    (tmp_path / "CHANGES.md").write_text("# Version 1.2.0\n\nReleased 2024-03-01\n")
    found = read_folder(tmp_path)
    told = {each.id: each for each in found.documents}
    settings = told["a"].text
    for line in ("RETRY_TIMES", "Added in version 2.1", "Default: 3", "The server listens on port 8080."):
        assert line in settings.split("\n")
    assert "How often fetch tries again." in settings
    assert "the guide" in settings
    assert "Secret" not in settings
    assert "raw" not in settings
    assert told["b"].title == "Of Ports"
    assert "timeout | 30" in told["b"].text
    assert (told["c"].title, told["c"].text) == ("Of Leave", "Of Leave\n\nNobody works on Sundays.")
    assert told["CHANGES"].title == "CHANGES"
    assert any("d.docx is left out: it is damaged" in each for each in found.notices)


def asked(text: str) -> dict[str, str]:
    """Return the questions of a technical text with their answers."""
    every = SentenceIndex(text)
    found = facts(text, every, technical=True)
    return {each.asked.question: each.asked.answer for each in found if not every.repeats(each)}


SETTINGS = """RETRY_TIMES

Added in version 2.1

Default: 3

RETRY_DELAY

Default: None

LOG_FILE

Default: the name of it

The --verbose option prints the name of every file before the upload begins.

To list the users of a group, use list_members().

Shop requires Python 3.9 or newer.
"""


def test_settings_and_sentences_about_names() -> None:
    assert asked(SETTINGS) == {
        "What is the default of RETRY_TIMES?": "3",
        "In which version was RETRY_TIMES added?": "2.1",
        "Which option prints the name of every file before the upload begins?": "--verbose",
        "What is the minimum version of Python that Shop requires?": "3.9",
    }


def test_a_default_that_is_stated_again_is_not_asked() -> None:
    again = f"{SETTINGS}\nThe default of RETRY_TIMES may change.\n"
    assert "What is the default of RETRY_TIMES?" not in asked(again)


CHANGES = """Version 1.2.0

Released 2024-03-01

- Added the option of reading orders from a queue. #123
- Fix crash.
- Removed it from the list of orders for customers.

Version 1.1.0

Released 2024-01-15

Version 1.0.0

Released 2023-11-02
"""


def test_releases_and_changes() -> None:
    assert asked(CHANGES) == {
        "When was version 1.2.0 released?": "2024-03-01",
        "When was version 1.1.0 released?": "2024-01-15",
        "When was version 1.0.0 released?": "2023-11-02",
        "Which version added the option of reading orders from a queue?": "1.2.0",
    }


def test_rows_of_tables_with_labels_of_their_own() -> None:
    table = "Extra | Provides | Since\npdf | Portable pages | v2\ndocs | Word files | v3\ndocs | Twice | v4\n"
    assert asked(table) == {
        "What does the table list under “Provides” for “pdf”?": "Portable pages",
        "What does the table list under “Since” for “pdf”?": "v2",
    }


def test_contracts_give_their_law_date_and_parties() -> None:
    text = (
        "This Agreement is made and entered into as of March 5, 2012 by Harbor Tools, Inc., a Delaware corporation"
        " and others.\n\nThis Agreement shall be governed by the laws of the State of Ohio.\n\n"
        "Receiving Party shall return all samples within thirty (30) days of termination.\n"
    )
    assert asked(text) == {
        "The laws of which state govern the agreement?": "Ohio",
        "What date does the agreement bear?": "2012-03-05",
        "Under the laws of which state or country is Harbor Tools, Inc. organized?": "Delaware",
    }


HISTORY = "# Changes\n\n" + "".join(
    f"## Version 1.{each}.0\n\nReleased 2024-0{each + 1}-12\n\n- Fix the {word} of the first page.\n\n"
    for each, word in enumerate(("margins", "colors", "borders", "shadows", "corners"))
)
PROSE = "Whether a file that was sent before is sent once more when its owner asks. " * 6
PAGE = f"""# Settings

RETRY_TIMES

Added in version 1.2

How often a file is sent again.

Default: 3

SEND_AGAIN

{PROSE}

Added in version 1.3

LOG_FILE

Where the lines of the log are written to on this machine.

Default: out.log

LOG_LEVEL

How much of what happens is written to the log.

DEFAULT_LISTS

What the lists are sent with if nobody says so.

Added in version 1.1: DEFAULT_LISTS
"""


def test_a_version_is_refused_only_of_names_whose_section_says_none(tmp_path: Path) -> None:
    (tmp_path / "CHANGES.md").write_text(HISTORY)
    (tmp_path / "settings.md").write_text(PAGE)
    corpus = load_corpus(str(tmp_path))
    index = CorpusIndex(corpus)
    silent = [each for each in candidates(corpus, 130) if each.note.startswith("no version is said of")]
    names = {each.note.rpartition(" ")[2] for each in silent if not index.hits(each)}
    assert names == {"LOG_FILE", "LOG_LEVEL"}
    assert {each.target or each.stratum for each in silent} == {"refused", "unanswerable"}


def test_a_release_date_is_withheld_with_its_heading(tmp_path: Path) -> None:
    (tmp_path / "CHANGES.md").write_text(HISTORY)
    told = "Shop 1.2.0 came out in March 2024, and 1.3.0 soon after it."
    (tmp_path / "news.md").write_text(f"# News\n\n{told}\n")
    held = {each.answers for each in candidates(load_corpus(str(tmp_path)), 130) if each.withheld == "clause"}
    assert ("2024-04-12",) in held
    assert ("2024-03-12",) not in held


@pytest.mark.parametrize(
    "text",
    [
        "Custom pytest plugin commandline arguments may include a path, as in pytest --log-output ../../test.log args.",
        "The builtin pytest.mark.parametrize ref decorator enables parametrization of arguments for a function.",
        "CONFIDENTIALITY AGREEMENT\n\nIt is governed by the laws of the District of Columbia.",
    ],
)
def test_what_is_cut_out_of_something_longer_is_not_asked_about(text: str) -> None:
    assert asked(text) == {}


def test_names_of_python_are_not_asked_about_without_their_underscores(tmp_path: Path) -> None:
    said = "PyPy retains {} passes due to object resurrection via {}."
    (tmp_path / "alpha.txt").write_text(said.format(5, "__del__"))
    (tmp_path / "beta.txt").write_text(said.format(7, "finalizers"))
    found = statements(load_corpus(str(tmp_path)).documents, 99)
    assert {each.document.id for each in found} == {"beta"}


def test_a_form_of_company_is_no_party() -> None:
    head = "Agreement between Grindrod (South Africa) Proprietary Limited and Harbor Savings Limited"
    assert list(parties(head)) == ["Harbor Savings Limited"]


@pytest.mark.parametrize("said", ["of 28 Blanche St, St Kilda, Victoria 3182", "34b Astoria Cct, Maroubra"])
def test_an_address_without_a_word_for_it_is_an_address(said: str) -> None:
    told = re.compile(OF_PARTIES["address"][1], re.IGNORECASE)
    assert told.search(said)
    assert not told.search("made on 3 March 2024 between Harbor Savings Limited and Elm of the 2 Parties")


@pytest.mark.parametrize(("listed", "withheld"), [("", {"", "document"}), ("- Add RETRY_TIMES.", {""})])
def test_a_version_that_a_list_of_changes_tells_is_not_withheld(
    tmp_path: Path, listed: str, withheld: set[str]
) -> None:
    (tmp_path / "CHANGES.md").write_text(f"{HISTORY}\n{listed}\n")
    (tmp_path / "settings.md").write_text(PAGE)
    every = candidates(load_corpus(str(tmp_path)), 130)
    asked_for = [each for each in every if "was RETRY_TIMES added" in each.text and each.answers]
    assert {each.answers for each in asked_for} == {("1.2", "1.2.0")}
    assert {each.withheld for each in asked_for} - {"clause"} == withheld
