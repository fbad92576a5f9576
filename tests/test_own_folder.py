"""Folders of the user's own: what is read of them, what is left out aloud, and that nothing ends in a trace."""

from __future__ import annotations

import json
import os
import sys
import zipfile
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING
from unicodedata import normalize

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from own_folder import sentences_of, write_folder
from ragharness.config import RunConfig
from ragharness.corpus.folders import formats, reading
from ragharness.corpus.folders.formats import ParsedFile
from ragharness.corpus.folders.reading import FoundFile, find_files, read_folder
from ragharness.corpus.folders.text import decode, unwrapped
from ragharness.corpus.loading import folder_name, load_corpus
from ragharness.errors import QuestionsNotUsable, UsageError
from ragharness.questions.questionset import FEWEST, is_cloze, shortfall
from ragharness.runner.session import load_context
from ragquestions.building import build_questions
from ragquestions.checks import check_questions
from ragquestions.folder.rows import cloze
from ragquestions.folder.statements import statements
from ragquestions.picking import CLOZE_SHARE
from test_instrument import World, false_answer, misfits, oracle, outside_knowledge, uncited, wanted

if TYPE_CHECKING:
    from commands import Verb


def pdf_of(lines: list[str], *, title: str = "") -> bytes:
    """Return the bytes of a PDF with one page of text."""
    shown = "".join(f"({line}) Tj T* " for line in lines)
    return pdf_around(f"BT /F1 12 Tf 14 TL 72 720 Td {shown}ET".encode(), title=title)


def pdf_around(stream: bytes, *, title: str = "", packed: bool = False) -> bytes:
    """Return the bytes of a PDF whose one page is drawn by ``stream``."""
    packing = b" /Filter /FlateDecode" if packed else b""
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        (
            b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R"
            b" /Resources << /Font << /F1 5 0 R >> >> >>"
        ),
        b"<< /Length %d%b >>\nstream\n%b\nendstream" % (len(stream), packing, stream),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
        b"<< /Title (%b) >>" % title.encode(),
    ]
    content = b"%PDF-1.4\n"
    places = []
    for number, each in enumerate(objects, start=1):
        places.append(len(content))
        content += b"%d 0 obj\n%b\nendobj\n" % (number, each)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    start = len(content)
    head = b"xref\n0 7\n0000000000 65535 f \n" + table
    return content + head + b"trailer << /Size 7 /Root 1 0 R /Info 6 0 R >>\nstartxref\n%d\n%%%%EOF\n" % start


def test_every_format_is_read_with_its_title_and_its_own_words(tmp_path: Path) -> None:
    pytest.importorskip("pypdf", reason="needs the extra pdf")
    (tmp_path / "a.txt").write_text(
        "The rope was\nlong and the night was short, as all of them inter-\nnational say."
    )
    (tmp_path / "b.md").write_text(
        "---\ntitle: 'Of Ropes'\n---\n# Other\n\nA [rope](http://x.y) is *long*.\n\n|a|b|\n|-|-|\n|1|2|\n"
    )
    (tmp_path / "c.html").write_text(
        "<html><title>Of Nets</title><nav>Home</nav><p>A net<script>no</script> is wide.</p></html>"
    )
    (tmp_path / "d.jsonl").write_text(
        '{"id": 7, "title": "Of Oars", "text": "An oar is stiff."}\n{"text": 5}\n'
    )
    (tmp_path / "e.pdf").write_bytes(
        pdf_of(["A mast is high and stands in the middle of", "the boat."], title="Of Masts")
    )
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "b.md").write_text("# Of Ropes\n\nAnother rope is short.")
    found = read_folder(tmp_path)
    told = {each.id: (each.title, each.text, each.source) for each in found.documents}
    assert told == {
        "a": ("a", "The rope was\nlong and the night was short, as all of them inter-national say.", "a.txt"),
        "b": ("Of Ropes (b.md)", "Other\n\nA rope is long.\n\na | b\n1 | 2", "b.md"),
        "c": ("Of Nets", "A net is wide.", "c.html"),
        "7": ("Of Oars", "An oar is stiff.", "d.jsonl:1"),
        "e": ("Of Masts", "A mast is high and stands in the middle of the boat.", "e.pdf"),
        "sub.b": ("Of Ropes (sub/b.md)", "Of Ropes\n\nAnother rope is short.", "sub/b.md"),
    }
    assert len(found.notices) == 1
    assert found.notices[0].startswith("d.jsonl: line 2 is no object with a text")


def test_what_cannot_be_read_is_named_and_the_rest_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "home"
    home.mkdir()
    (home / "good.txt").write_text("Good words.")
    (home / "twin.txt").write_text("Good words.")
    (home / "empty.md").write_bytes(b"")
    (home / "binary.txt").write_bytes(bytes(range(256)) * 9)
    (home / "broken.pdf").write_bytes(b"%PDF-1.4 nothing")
    (home / "zipped.html").write_bytes(b"PK\x03\x04" + bytes(99))
    (home / "old.txt").write_bytes("Caf\xe9 \x93quoted\x94".encode("latin-1"))
    (home / "wide.txt").write_bytes("Wide words are here.".encode("utf-16-le"))
    (home / "table.xlsx").write_bytes(b"PK")
    (home / ".hidden.txt").write_text("Hidden.")
    (tmp_path / "secret.txt").write_text("Secret.")
    (home / "link.txt").symlink_to(tmp_path / "secret.txt")
    (home / "loop").symlink_to(home)
    found = read_folder(home)
    assert [each.id for each in found.documents] == ["good", "old", "twin", "wide"]
    assert [each.text for each in found.documents][1::2] == ["Café “quoted”", "Wide words are here."]
    told = "\n".join(found.notices)
    for name in (
        "empty.md",
        "binary.txt",
        "broken.pdf",
        "zipped.html",
        "link.txt",
        "old.txt",
        "twin.txt",
        "1 .xlsx",
    ):
        assert name in told
    assert "Secret" not in repr(found)
    monkeypatch.setattr("ragharness.corpus.folders.reading.can_read", lambda ending: ending != "pdf")
    assert "pip install 'ragharness[folders]'" in "\n".join(read_folder(home).notices)


def test_a_folder_without_documents_is_refused_with_the_kinds(tmp_path: Path) -> None:
    (tmp_path / "a.bin").write_bytes(b"x")
    with pytest.raises(UsageError, match="has no text, Markdown"):
        read_folder(tmp_path)
    with pytest.raises(UsageError, match="found nothing"):
        load_corpus(str(tmp_path / "none"))
    with pytest.raises(UsageError, match="found a file"):
        load_corpus(str(tmp_path / "a.bin"))


@pytest.mark.parametrize("ending", ["txt", "md", "html", "jsonl", "pdf"])
@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(content=st.binary(max_size=400), text=st.text(max_size=400))
def test_any_bytes_are_read_or_named(ending: str, content: bytes, text: str, tmp_path: Path) -> None:
    (tmp_path / "good.txt").write_text("Good words.")
    for held in (
        content,
        text.encode("utf-8", "surrogatepass"),
        b"<html>" + content,
        b'{"text": "' + content,
    ):
        (tmp_path / f"odd.{ending}").write_bytes(held)
        found = read_folder(tmp_path)
        assert "good" in {each.id for each in found.documents}
        names = {each.source.partition(":")[0] for each in found.documents}
        assert f"odd.{ending}" in names or any(f"odd.{ending}" in each for each in found.notices)
        for each in found.documents:
            each.text.encode("utf-8")


@given(st.text(max_size=300))
@example("ﬁrst oﬀer")
def test_unwrapping_keeps_every_visible_letter(text: str) -> None:
    """Those of a ligature are letters of their own then, as people type them."""
    kept = [letter for letter in unwrapped(text) if letter.isalnum()]
    for ligature in ("ﬀ", "ﬁ", "ﬂ", "ﬃ", "ﬄ"):
        text = text.replace(ligature, normalize("NFKC", ligature))
    assert kept == [letter for letter in text if letter.isalnum()]


@pytest.mark.parametrize(
    "encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "cp1252"]
)
def test_encodings(encoding: str) -> None:
    text = "Der Müller sprach: “Genug – für heute.”"
    assert decode(text.encode(encoding))[0] == text


@pytest.mark.parametrize(
    ("encoding", "text"),
    [
        ("shift_jis", "この契約は二年間有効とする。会社は毎年報告書を提出する。"),
        ("gb18030", "本协议自签署之日起两年内有效。公司每年提交报告。"),
        ("cp1251", "Договор действует два года со дня подписания."),
    ],
)
@pytest.mark.parametrize("ending", ["txt", "md", "html", "jsonl"])
def test_no_encoding_is_taken_for_another_in_silence(
    encoding: str, text: str, ending: str, tmp_path: Path
) -> None:
    (tmp_path / "good.txt").write_text("Good words.")
    held = {"html": f"<html><body><p>{text}</p></body></html>", "jsonl": f'{{"text": "{text}"}}'}
    (tmp_path / f"foreign.{ending}").write_bytes(held.get(ending, text).encode(encoding) * 9)
    found = read_folder(tmp_path)
    assert [each.id for each in found.documents] == ["good"]
    assert f"foreign.{ending} is left out" in found.notices[0]
    assert "save it as UTF-8" in found.notices[0]


def test_a_page_that_says_its_encoding_is_believed(tmp_path: Path) -> None:
    page = '<html><head><meta charset="{}"></head><body><p>この契約は有効。</p></body></html>'
    (tmp_path / "a.html").write_bytes(page.format("shift_jis").encode("shift_jis"))
    (tmp_path / "b.html").write_bytes("<html><body><p>Caf\xe9 open.</p></body></html>".encode("latin-1"))
    (tmp_path / "c.html").write_bytes("<html><body><p>Wide words.</p></body></html>".encode("utf-16"))
    found = read_folder(tmp_path)
    assert [each.text for each in found.documents] == ["この契約は有効。", "Café open.", "Wide words."]
    assert found.notices == ("b.html is not UTF-8: read as Windows-1252",)


def test_tags_without_an_end_are_html(tmp_path: Path) -> None:
    head = '<!DOCTYPE html><html><head><meta charset="utf-8"><link rel="x" href="y"><title>Of Nets</title>'
    (tmp_path / "a.html").write_text(
        f"{head}</head><body><p>A net<br>is wide.<hr><p>It floats.</body></html>"
    )
    (document,) = read_folder(tmp_path).documents
    assert (document.title, document.text) == ("Of Nets", "A net\n\nis wide.\n\nIt floats.")


def test_odd_names_and_deep_folders_are_read(tmp_path: Path) -> None:
    for name in ("a b.txt", "ä ö.txt", "ビール.md", "100%.txt", "a'b\"c.txt", "-rf.txt", "x" * 200 + ".txt"):
        (tmp_path / name).write_text(f"Words of {len(name)} {name[0]}.")
    deep = tmp_path.joinpath(*["d"] * 70)
    deep.mkdir(parents=True)
    (deep / "deep.txt").write_text("Deep words.")
    (tmp_path.joinpath(*["d"] * 60) / "high.txt").write_text("High words.")
    found = read_folder(tmp_path)
    assert len(found.documents) == 8
    assert len({each.id for each in found.documents}) == 8
    assert [each for each in found.notices if "folders deep: not read" in each]
    assert not any("Deep" in each.text for each in found.documents)


def test_paths_name_a_folder_in_one_way() -> None:
    assert [folder_name(each) for each in ("docs", "./docs/", "a/../docs", "/x/y/", ".", "..")] == [
        "./docs", "./docs", "./docs", "/x/y", ".", "..",
    ]  # fmt: skip


@pytest.fixture(scope="module")
def reports(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_folder(tmp_path_factory.mktemp("reports"), 36)


@pytest.mark.parametrize(
    ("sentence", "question", "answer"),
    [
        (
            "However, the initial term of this Agreement with the Board is two (2) years from its signature.",
            (
                "Which period of time completes the statement “The initial term of this Agreement with the Board"
                " is ____ from its signature”?"
            ),
            ("2", "years"),
        ),
        (
            "Sales abroad accounted in all for approximately 53% of our consolidated revenues in 2023.",
            (
                "Which percentage completes the statement “Sales abroad accounted in all for approximately ____"
                " of our consolidated revenues in 2023”?"
            ),
            ("53", "percent"),
        ),
        (
            "The committee on harbors has met in the old town hall since March 1994.",
            (
                "Which month and year completes the statement “The committee on harbors has met in the old town"
                " hall since ____”?"
            ),
            ("1994-03", ""),
        ),
    ],
)
def test_a_gap_asks_for_the_one_figure_of_a_statement(
    sentence: str, question: str, answer: tuple[str, str]
) -> None:
    asked = cloze(sentence)
    assert asked is not None
    assert (asked.question, (asked.answer, asked.unit)) == (question, answer)


@pytest.mark.parametrize(
    "sentence",
    [
        "It has been in force in all of the northern counties for 12 years.",  # who has?
        "The share rose from 12 percent in the first year to 15 percent in the third one.",  # two shares
        "The figures of the northern counties may not add up to 100 percent because of rounding.",
        "The shop sells a pound of its own butter to every member of the council.",
        "Members of the plan under section 401(k) may defer up to 90 percent of their eligible pay.",
        "Smith, John, The Harbors of the North, University Press, 12 April 1994.",  # a note
        "a The committee on harbors has met in the old town hall since March 1994.",  # below a table
        "The margin of all the northern counties rose by six percentage points over the year before.",
        "The council has met under the Harbors and Waterways Act of 1994 in the old town hall.",  # a name
        "Oil from the north came to the market, 19 according to the studies that we reviewed.",  # a footnote
    ],
)
def test_no_gap_where_something_else_could_be_meant(sentence: str) -> None:
    assert cloze(sentence) is None


def test_a_gap_is_not_asked_for_where_the_statement_comes_again(tmp_path: Path) -> None:
    once = "The committee on harbors has met in the old town hall of Lindholm since March 1994."
    other = "The committee on harbors has met in the old town hall of Lindholm since May 1997."
    for name, text in (("once", once), ("again", f"{once} {other}")):
        (tmp_path / f"{name}.txt").write_text(f"{text} The weather was fair, and nobody came.")
    found = statements(load_corpus(str(tmp_path)).documents, 10)
    assert [each.document.id for each in found] == ["once"]


def test_a_set_is_built_with_all_its_properties_and_the_same_bytes(reports: Path) -> None:
    corpus = load_corpus(str(reports))
    questions = build_questions(corpus)
    assert check_questions(questions, corpus) == []
    assert len(questions.questions) == 130
    assert questions.left_out == ()
    assert build_questions(load_corpus(str(reports))).lines == questions.lines
    for each in questions.questions:
        if each.answerable:
            (span,) = each.evidence
            stated = corpus.document(span.document).text[span.start : span.end]
            assert stated.endswith(".")
            assert each.kind != "number" or each.answers[0] in stated


def test_the_instrument_is_right_over_a_folder(
    reports: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    world = World(load_context(RunConfig(corpus=str(reports), retriever="oracle")))
    assert misfits(world.run(oracle), world, wanted) == []
    answers = [each for each in world.questions if each.wanted == "correct"]
    for behaviour, bucket in ((uncited, "unsupported"), (false_answer, "wrong")):
        assert misfits(world.run(behaviour, answers), world, lambda _, bucket=bucket: bucket) == []  # type: ignore[misc]
    out = Counter(each.verdict.bucket for each in world.run(outside_knowledge).values() if each.verdict)
    assert out == {"correct": 60, "unsupported": 30, "refused": 40}


def test_rows_that_a_small_folder_cannot_carry_are_left_out_and_said(tmp_path: Path) -> None:
    folder = tmp_path / "few"
    folder.mkdir()
    text = "\n\n".join(" ".join(sentences_of(number)) for number in (2, 5, 8, 11))
    (folder / "one.txt").write_text(text)
    corpus = load_corpus(str(folder))
    questions = build_questions(corpus)
    assert questions.left_out
    assert all(any(name in note for note in questions.notes) for name in questions.left_out)
    assert check_questions(questions, corpus) == []
    (tmp_path / "none").mkdir()
    (tmp_path / "none" / "a.txt").write_text("Nothing is said here.")
    with pytest.raises(QuestionsNotUsable, match="expected at least 13 questions"):
        build_questions(load_corpus(str(tmp_path / "none")))


def test_a_new_user_runs_edits_and_changes_a_folder(verb: Verb, tmp_path: Path) -> None:
    write_folder(tmp_path / "docs", 8)
    first = verb("run", "--corpus", "docs", "--quiet")
    assert first.code == 2
    said = " ".join(first.output.split())
    assert said.startswith("Not a result: the documents of ./docs carry 39 questions instead of 60.")
    assert "--model NAME" in said
    assert "--questions FILE" in said
    assert "questions built and frozen in questionsets/docs" in " ".join(first.output.split())
    second = verb("run", "--corpus", "./docs/", "--json")
    assert second.code == 2
    frozen = tmp_path / "questionsets" / "docs" / "questions.jsonl"
    assert json.loads(second.output)
    frozen.write_text(frozen.read_text().replace("According to", "Under"))
    refused = verb("run", "--corpus", "docs")
    assert refused.code == 3
    assert "changed after the freeze" in refused.errors
    assert "--out questionsets/docs --accept-edits" in " ".join(refused.errors.split())
    assert "that a new set would overwrite" in verb("questions", "freeze", "--corpus", "docs").errors
    assert verb("questions", "freeze", "--corpus", "docs", "--accept-edits").code == 0
    assert "edited by hand" in " ".join(verb("run", "--corpus", "docs", "--quiet").output.split())
    (tmp_path / "docs" / "new.txt").write_text("Something new was found in 1999.")
    changed = verb("run", "--corpus", "docs")
    assert changed.code == 3
    assert "1 new (new)" in changed.errors
    assert verb("questions", "freeze", "--corpus", "docs").code == 0
    assert verb("run", "--corpus", "docs", "--quiet").code == 2
    assert verb("grade", next(iter(sorted((tmp_path / "runs").glob("2*")))).name).code == 3


def test_the_card_of_a_folder(verb: Verb, tmp_path: Path) -> None:
    write_folder(tmp_path / "docs", 4)
    shown = verb("corpus", "show", "docs")
    assert "4 documents" in shown.output
    assert verb("corpus", "check", "./docs").code == 0
    assert "Annual Account of Brackwater" in verb("corpus", "show", "docs", "account-0001").output


@pytest.mark.slow
def test_real_reports_give_a_sound_set(shared: Path, tmp_path: Path) -> None:
    for name in ("crs-reports", "gao-reports"):
        for each in sorted((shared / "data" / name).glob("*.md")):
            (tmp_path / each.name).write_bytes(each.read_bytes())
    corpus = load_corpus(str(tmp_path))
    questions = build_questions(corpus)
    assert len(questions.questions) >= FEWEST
    assert shortfall(questions) == ""
    assert sum(map(is_cloze, questions.questions)) <= len(questions.questions) / CLOZE_SHARE
    assert any("are cloze questions" in note for note in questions.notes)
    assert check_questions(questions, corpus) == []


def test_changed_files_alone_are_read_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAGHARNESS_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(reading, "_SETTLED", 0)
    read: list[str] = []

    def watched(name: str, path: Path, ending: str) -> ParsedFile:
        read.append(name)
        return formats.parse(name, path, ending)

    monkeypatch.setattr(reading, "parse", watched)
    home = tmp_path / "docs"
    home.mkdir()
    for name in ("a", "b", "c"):
        (home / f"{name}.txt").write_text(f"The words of {name}.")
    (home / "d.jsonl").write_text(
        '{"text": "One of two."}\n{"text": "Two of two.", "title": "Second"}\nno json\n'
    )
    (home / "e.bin").write_text("no text")

    def loaded() -> list[str]:
        read.clear()
        corpus = load_corpus(str(home))
        again = read_folder(home)
        assert (corpus.documents, corpus.notices) == (again.documents, again.notices)
        assert len(read) >= len(list(home.iterdir())) - 1, "the second time nothing is known"
        return read[: len(read) - len(list(home.iterdir())) + 1]

    assert loaded() == ["a.txt", "b.txt", "c.txt", "d.jsonl"]
    assert loaded() == []
    before = (home / "b.txt").stat()
    (home / "b.txt").write_text("Other words b. ")
    os.utime(home / "b.txt", ns=(before.st_atime_ns, before.st_mtime_ns))
    assert (home / "b.txt").stat().st_size == before.st_size
    assert loaded() == ["b.txt"]
    os.utime(home / "a.txt")
    assert loaded() == [], "its content is the same"
    (home / "a.txt").unlink()
    (home / "aa.txt").write_text("New words.")
    assert loaded() == ["aa.txt"]
    for kept in (tmp_path / "cache" / "parsed").iterdir():
        kept.write_bytes(kept.read_bytes()[:-1])
    assert loaded() == ["aa.txt", "b.txt", "c.txt", "d.jsonl"]


def test_a_file_that_changes_within_the_clock_s_grain_is_noticed(tmp_path: Path) -> None:
    home = tmp_path / "docs"
    home.mkdir()
    (home / "a.txt").write_text("The first.")
    assert read_folder(home, cache=tmp_path).documents[0].text == "The first."
    (home / "a.txt").write_text("The other.")
    assert read_folder(home, cache=tmp_path).documents[0].text == "The other."


def test_a_real_filing_and_items_are_just_documents(shared: Path, tmp_path: Path) -> None:
    filing = shared / "data" / "edgar-10k" / "GME_FY2023_10-K.html"
    (tmp_path / filing.name).write_bytes(filing.read_bytes())
    with zipfile.ZipFile(shared / "data" / "edgar-items" / "10-K.zip") as archive:
        member = next(each for each in sorted(archive.namelist()) if each.endswith(".json"))
        items = json.loads(archive.read(member))
    rows = [{"id": key, "text": value} for key, value in items.items() if key.startswith("item") and value]
    (tmp_path / "items.jsonl").write_text("\n".join(map(json.dumps, rows)))
    found = read_folder(tmp_path)
    assert len(found.documents) == 1 + len(rows)
    assert "GameStop" in found.documents[0].text


if sys.platform != "win32":

    def test_a_file_that_may_not_be_opened_is_named(tmp_path: Path) -> None:
        (tmp_path / "good.txt").write_text("Good words.")
        (tmp_path / "bad.txt").symlink_to(tmp_path / "gone.txt")
        (tmp_path / "round").symlink_to(tmp_path / "round")
        told = "\n".join(read_folder(tmp_path).notices)
        assert "bad.txt is no regular file" in told
        assert "round is no regular file" in told

    @contextmanager
    def somebody() -> Iterator[None]:
        """Go on as a user who owns nothing: nothing is shut to root."""
        root = os.geteuid() == 0
        if root:
            os.seteuid(65534)
        try:
            yield
        finally:
            if root:
                os.seteuid(0)

    def test_what_may_not_be_entered_or_read_is_named() -> None:
        with TemporaryDirectory() as name:
            folder = Path(name)
            folder.chmod(0o755)
            (folder / "good.txt").write_text("Good words.")
            (folder / "shut.txt").write_text("Shut.")
            for below, mode in (("closed", 0), ("listed", 0o444)):
                (folder / below).mkdir()
                (folder / below / "inner.txt").write_text("Inner.")
                (folder / below).chmod(mode)
            (folder / "shut.txt").chmod(0)
            read_folder(folder)  # what is loaded at the first file is root's
            with somebody():
                found = read_folder(folder)
            for below in ("closed", "listed"):
                (folder / below).chmod(0o700)
        assert [each.id for each in found.documents] == ["good"]
        assert found.notices == (
            "closed/ cannot be opened: Permission denied",
            "listed/inner.txt cannot be opened: Permission denied",
            "shut.txt is left out: it cannot be opened (Permission denied)",
        )

    def test_a_file_that_goes_while_the_folder_is_read_is_named(
        tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        (tmp_path / "good.txt").write_text("Good words.")
        listed = find_files(tmp_path)[0]
        gone = FoundFile("gone.md", tmp_path / "gone.md", 30_000)
        monkeypatch.setattr("ragharness.corpus.folders.reading.find_files", lambda _: ([gone, *listed], []))
        found = read_folder(tmp_path)
        assert [each.id for each in found.documents] == ["good"]
        assert found.notices == ("gone.md is left out: it cannot be opened (No such file or directory)",)
