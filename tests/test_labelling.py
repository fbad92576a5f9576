"""Labels of people: the sample, what is shown, what is kept, who agrees, tables, and who may reach the page."""

from __future__ import annotations

import csv
import http.client
import json
import shutil
import threading
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ragharness as rh
from ragharness.analysis.label_forms import LabelServer, read_table, write_table
from ragharness.analysis.labelling import Given, Labelling, open_labelling
from ragharness.analysis.labels import (
    Answered,
    Design,
    answered,
    enlarged,
    labels_folder,
    read_design,
    read_labels,
    read_people,
)
from ragharness.errors import AlreadyLabelled, StorageError, UsageError
from ragharness.records import BUCKETS
from ragharness.runner.grading import GradingContext, grading_context
from ragharness.runner.run_folder import RunFolder
from ragharness.runner.run_search import find_run
from ragharness.support.files import text_digest

if TYPE_CHECKING:
    from commands import Verb


@pytest.fixture(scope="module")
def asked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A finished run of the sample corpus."""
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path_factory.mktemp("asked"))
        return rh.run("extractive", corpus="sample", progress=False, out="run").path.absolute()


@pytest.fixture(scope="module")
def grading(asked: Path) -> GradingContext:
    return grading_context(RunFolder.open(asked))


@pytest.fixture
def folder(asked: Path, tmp_path: Path) -> RunFolder:
    """A copy of it without labels."""
    shutil.copytree(asked, tmp_path / "run")
    return RunFolder.open(tmp_path / "run")


def opened(folder: RunFolder, name: str, grading: GradingContext, **options: Any) -> Labelling:
    return open_labelling(folder, name, grading=grading, **options)


def made_up(outcomes: str) -> list[Answered]:
    names = {"c": "correct", "w": "wrong", "u": "unsupported", "r": "refused", "?": "needs_review"}
    return [
        Answered((f"q{place:03d}", 0), f"row {place % 3}", names[letter], f"{place}")
        for place, letter in enumerate(outcomes)
    ]


def empty(answers: list[Answered], strata: Any, seed: int = 0) -> Design:
    kind = {"row": lambda each: each.row, "bucket": lambda each: each.outcome}.get(strata, lambda _: "all")
    return Design(
        run="r", created="c", question_set="s", grader="g", population="p", strata=strata, seed=seed,
        sizes=dict(Counter(map(kind, answers))), drawn={}, items=(),
    )  # fmt: skip


letters = st.text("cwur?", min_size=1, max_size=80)


@given(letters, st.sampled_from(["none", "row", "bucket"]), st.integers(1, 90), st.integers(0, 20))
def test_a_larger_sample_holds_the_smaller_one(outcomes: str, strata: str, n: int, more: int) -> None:
    answers = made_up(outcomes)
    small = enlarged(empty(answers, strata), answers, n, {})
    large = enlarged(small, answers, n + more, {})
    assert {each.key for each in small.items} <= {each.key for each in large.items}
    assert len({each.key for each in large.items}) == len(large.items)
    assert len(large.items) >= min(n + more, len(answers))
    assert sum(large.drawn.values()) == len(large.items)
    several = len(large.sizes) > 1
    assert all(large.drawn[name] >= min(5, size) or not several for name, size in large.sizes.items())
    assert small == enlarged(empty(answers, strata), answers, n, {})


def test_every_answer_is_as_likely_to_be_drawn() -> None:
    answers = made_up("c" * 20)
    counts = Counter(
        each.key
        for seed in range(2000)
        for each in enlarged(empty(answers, "none", seed), answers, 5, {}).items
    )
    assert len(counts) == 20
    assert all(400 < count < 600 for count in counts.values())


def test_a_sample_grows_where_the_grader_errs() -> None:
    answers = made_up("c" * 40 + "w" * 40)
    begun = enlarged(empty(answers, "bucket"), answers, 10, {})
    assert begun.drawn == {"correct": 5, "wrong": 5}
    grown = enlarged(begun, answers, 30, {"correct": 0.1, "wrong": 0.5})
    assert grown.drawn["wrong"] > 3 * grown.drawn["correct"] > 0


def test_the_design_is_kept_and_another_one_refused(folder: RunFolder, grading: GradingContext) -> None:
    opened(folder, "ann", grading, sample=12, strata="row", seed=3)
    design = read_design(labels_folder(folder))
    assert design is not None
    assert (design.strata, design.seed, sum(design.sizes.values())) == ("row", 3, 130)
    # Five of each of seven rows are more than twelve.
    assert design.drawn == dict.fromkeys(design.sizes, 5)
    assert len(opened(folder, "bo", grading).keys) == 35
    assert len(opened(folder, "bo", grading, sample=40).keys) == 40
    assert len(opened(folder, "bo", grading, sample=10).keys) == 40
    for options in ({"seed": 4}, {"strata": "bucket"}):
        with pytest.raises(UsageError, match="with which the sample was drawn"):
            opened(folder, "bo", grading, **options)
    with pytest.raises(UsageError, match="none, row, bucket"):
        opened(folder, "bo", grading, strata="rows")
    lines = (folder.path / "records.jsonl").read_bytes().splitlines(keepends=True)
    (folder.path / "records.jsonl").write_bytes(b"".join(lines[1:]))
    with pytest.raises(UsageError, match="expected the 130 answers"):
        opened(folder, "bo", grading)


def test_nothing_of_the_verdict_is_shown(folder: RunFolder, grading: GradingContext) -> None:
    labelling = opened(folder, "ann", grading, sample=130)
    found = {(each.question, each.epoch): each for each in folder.records()}
    for key in labelling.keys:
        shown = labelling.item(key)
        verdict = found[key].verdict
        assert verdict is not None
        text = msgspec.json.encode(shown).decode()
        for told in (verdict.reason, verdict.why, verdict.grader, '"verdict"', '"bucket"', '"row"'):
            assert told not in text, (key, told)


def test_evidence_and_citations_are_marked_where_they_stand(
    folder: RunFolder, grading: GradingContext
) -> None:
    labelling = opened(folder, "ann", grading, sample=130)
    gold = cited = 0
    for key in labelling.keys:
        shown = labelling.item(key)
        record = next(each for each in folder.records() if (each.question, each.epoch) == key)
        question = grading.questions.by_id[key[0]]
        assert record.answer is not None
        assert "".join(piece.text for piece in shown.answer) == record.answer.text
        for span, each in zip(question.evidence, shown.evidence, strict=True):
            marked = "".join(piece.text for piece in each.text if piece.gold)
            assert marked == grading.corpus.document(span.document).text[span.start : span.end]
        for passage, each in zip(grading.passages_of(record), shown.passages, strict=True):
            assert "".join(piece.text for piece in each.text) == passage.text
            gold += any(piece.gold for piece in each.text)
            cited += each.cited
            assert not each.gold or any(piece.gold for piece in each.text)
    assert gold > 30
    assert cited > 100


def test_each_label_is_on_disk_before_the_next_answer(folder: RunFolder, grading: GradingContext) -> None:
    labelling = opened(folder, "Ann Lee", grading, sample=5)
    for place, key in enumerate(labelling.keys, start=1):
        assert labelling.next() is not None
        assert labelling.next().question == key[0]  # type: ignore[union-attr]
        labelling.save(key[0], Given(bucket="wrong", comment="no"), key[1])
        lines = (labels_folder(folder) / "Ann-Lee.jsonl").read_text(encoding="utf-8").splitlines()
        assert len(lines) == place
        assert json.loads(lines[-1])["question"] == key[0]
    assert labelling.next() is None
    again = opened(folder, "Ann Lee", grading)
    assert (again.progress.labelled, again.progress.total) == (5, 5)
    assert again.next() is None


def test_skipped_answers_come_last_and_undo_takes_back_one_step_after_another(
    folder: RunFolder, grading: GradingContext
) -> None:
    labelling = opened(folder, "ann", grading, sample=3)
    first, second, third = (key[0] for key in labelling.keys)
    assert not labelling.undo()
    labelling.skip(first)
    labelling.save(second, Given(bucket="refused", refusal_quality=3))
    assert labelling.undo()
    state = labelling.state()
    assert state.item is not None
    assert state.draft is not None
    assert (state.item.question, state.draft.bucket, state.draft.refusal_quality) == (second, "refused", 3)
    assert labelling.undo()
    assert labelling.next().question == first  # type: ignore[union-attr]
    labelling.skip(first)
    labelling.save(second, "correct")
    labelling.save(third, "wrong")
    assert labelling.next().question == first  # type: ignore[union-attr]
    assert labelling.progress.skipped == 1
    labelling.save(first, "unsupported")
    assert labelling.next() is None
    kept = read_labels(labelling.path)
    assert [kept[key].bucket for key in labelling.keys] == ["unsupported", "correct", "wrong"]
    assert len(labelling.path.read_bytes().splitlines()) == 8


def test_nothing_is_overwritten(folder: RunFolder, grading: GradingContext) -> None:
    labelling = opened(folder, "ann", grading, sample=2)
    question = labelling.keys[0][0]
    labelling.save(question, "correct")
    with pytest.raises(AlreadyLabelled, match="already labelled correct"):
        labelling.save(question, "wrong")
    with pytest.raises(AlreadyLabelled, match="already labelled correct"):
        labelling.skip(question)
    assert [label.bucket for label in labelling.labels] == ["correct"]
    with pytest.raises(UsageError, match="of the sample"):
        labelling.save("q999", "wrong")


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"bucket": "good"}, "Invalid enum value"),
        ({"bucket": "refused", "refusal_quality": 4}, "from 0 to 3"),
        ({"bucket": "wrong", "extra_claim_count": -1}, "from 0 up"),
        ({"bucket": "wrong", "comment": "x" * 4001}, "at most 4000"),
    ],
)
def test_what_is_no_label_is_refused(
    given: dict[str, Any], told: str, folder: RunFolder, grading: GradingContext
) -> None:
    labelling = opened(folder, "ann", grading, sample=2)
    with pytest.raises(UsageError, match=told):
        labelling.save(labelling.keys[0][0], given["bucket"] if len(given) == 1 else Given(**given))
    assert not labelling.path.exists()


def test_a_torn_line_and_a_changed_answer_are_labelled_again(
    folder: RunFolder, grading: GradingContext
) -> None:
    labelling = opened(folder, "ann", grading, sample=3)
    for key in labelling.keys:
        labelling.save(key[0], "refused")
    lines = labelling.path.read_bytes().splitlines(keepends=True)
    changed = lines[0].replace(b'"answer":"', b'"answer":"0')
    labelling.path.write_bytes(changed + lines[1] + lines[2][:-20])
    again = opened(folder, "ann", grading)
    assert again.progress.labelled == 1
    assert again.next().question == labelling.keys[0][0]  # type: ignore[union-attr]
    again.save(labelling.keys[0][0], "wrong")
    assert opened(folder, "ann", grading).progress.labelled == 2
    labelling.path.write_bytes(b"{}\n" + lines[1])
    with pytest.raises(UsageError, match=r"line 1 of .*ann\.jsonl"):
        opened(folder, "ann", grading)


def test_one_process_holds_an_annotator(folder: RunFolder, grading: GradingContext) -> None:
    ann, bo = (opened(folder, name, grading, sample=3) for name in ("ann", "bo"))
    with ann.held(), bo.held(), pytest.raises(StorageError) as error, opened(folder, "ann", grading).held():
        pass
    assert "--as NAME" in error.value.help


def disagreeing(folder: RunFolder, grading: GradingContext) -> list[str]:
    """Two annotators label four answers and agree on three."""
    ann, bo = (opened(folder, name, grading, sample=4) for name in ("ann", "bo"))
    names = [key[0] for key in ann.keys]
    for place, name in enumerate(names):
        ann.save(name, "wrong" if place == 1 else "refused")
        bo.save(name, Given(bucket="refused", comment="declines"))
    return names


def test_annotators_are_compared_and_disagreements_settled(
    folder: RunFolder, grading: GradingContext
) -> None:
    names = disagreeing(folder, grading)
    people, _ = read_people(labels_folder(folder))
    assert people.names == ("ann", "bo")
    assert people.open() == [(names[1], 0)]
    assert (names[1], 0) not in people.standing()
    (pair,) = people.pairs()
    assert (pair.n, pair.agreed) == (4, 3)
    assert people.alpha() == pytest.approx(0)
    judge = opened(folder, "cy", grading, adjudicate=True)
    state = judge.state()
    assert state.item is not None
    assert state.item.question == names[1]
    assert [(each.by, each.bucket, each.comment) for each in state.said] == [
        ("ann", "wrong", ""),
        ("bo", "refused", "declines"),
    ]
    judge.save(names[1], "wrong")
    people, _ = read_people(labels_folder(folder))
    assert not people.open()
    assert people.names == ("ann", "bo")
    assert people.standing()[names[1], 0].bucket == "wrong"
    assert people.standing()[names[1], 0].by == "cy"
    told = rh.load_run(folder.path)[names[1]].explain()
    assert told.endswith(
        "people     ann: wrong\n           bo: refused (declines)\n           settled by cy: wrong\n"
    )
    unlabelled = next(each.question for each in folder.records() if each.question not in names)
    assert "people  " not in rh.load_run(folder.path)[unlabelled].explain()


def test_nothing_to_settle_is_said(folder: RunFolder, grading: GradingContext) -> None:
    opened(folder, "ann", grading, sample=4).save(opened(folder, "ann", grading).keys[0][0], "wrong")
    with pytest.raises(UsageError, match="none that 1 annotators"):
        opened(folder, "cy", grading, adjudicate=True)
    with pytest.raises(UsageError, match="expected a name of yours"):
        opened(folder, "adjudicated", grading)
    with pytest.raises(UsageError, match="letters or digits"):
        opened(folder, "../..", grading)


def test_a_table_is_filled_in_and_read_back(
    folder: RunFolder, grading: GradingContext, tmp_path: Path
) -> None:
    labelling, table = opened(folder, "ann", grading, sample=6), tmp_path / "labels.tsv"
    assert write_table(table, labelling) == 6
    with table.open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file, dialect="excel-tab"))
    assert [(row["question"], int(row["epoch"])) for row in rows] == list(labelling.keys)
    assert all("«" in row["evidence"] or not row["evidence"] for row in rows)
    for row, bucket in zip(rows, ("Correct", "wrong", "refused"), strict=False):
        row["bucket"] = bucket
        row["comment"] = "so"
    rows[2]["refusal_quality"] = "2"

    def write(changed: list[dict[str, str]]) -> None:
        with table.open("w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, rows[0].keys(), dialect="excel-tab")
            writer.writeheader()
            writer.writerows(changed)

    write([{**rows[0], "bucket": "good"}, {**rows[1], "question": "q999"}, {**rows[2], "bucket": ""}])
    with pytest.raises(UsageError, match=r"line 2: .*line 3: .*is not an answer of the sample.*line 4"):
        read_table(table, labelling)
    assert not labelling.labels
    write(rows)
    assert read_table(table, labelling) == (3, 3)
    assert read_table(table, labelling) == (0, 3)
    kept = read_labels(labelling.path)
    assert [kept[key].bucket for key in labelling.keys[:3]] == ["correct", "wrong", "refused"]
    assert kept[labelling.keys[2]].refusal_quality == 2
    write([{**rows[0], "bucket": "wrong"}])
    with pytest.raises(UsageError, match="already labelled correct"):
        read_table(table, labelling)
    assert write_table(tmp_path / "rest.tsv", labelling) == 3


def test_a_table_of_formulas_is_only_text(folder: RunFolder, grading: GradingContext, tmp_path: Path) -> None:
    labelling = opened(folder, "ann", grading, sample=1)
    key = labelling.keys[0]
    record = labelling._records[key]
    assert record.answer is not None
    answer = msgspec.structs.replace(record.answer, text='=HYPERLINK("http://x")\n\tB')
    labelling._records[key] = msgspec.structs.replace(record, answer=answer)  # type: ignore[index]
    write_table(tmp_path / "t.tsv", labelling)
    with (tmp_path / "t.tsv").open(encoding="utf-8-sig", newline="") as file:
        (row,) = csv.DictReader(file, dialect="excel-tab")
    assert row["answer"] == '\'=HYPERLINK("http://x") B'


def test_the_command_labels_by_table_and_tells_how_far_everybody_is(
    folder: RunFolder, verb: Verb, tmp_path: Path
) -> None:
    done = verb("label", "run", "--as", "ann", "--sample", "4", "--tsv", "a.tsv")
    assert (done.code, done.output) == (0, "4 answers written to a.tsv\n")
    text = (tmp_path / "a.tsv").read_text(encoding="utf-8-sig")
    head, *rows = text.splitlines()
    at = head.split("\t").index("bucket")
    filled = [
        "\t".join(cell if place != at else "refused" for place, cell in enumerate(row.split("\t")))
        for row in rows
    ]
    (tmp_path / "a.tsv").write_text("\n".join([head, *filled]), encoding="utf-8")
    done = verb("label", "run", "--as", "ann", "--tsv", "a.tsv")
    assert done.output == "4 labels read from a.tsv; 0 rows have none\n4 of 4 labelled\n"
    status = json.loads(verb("label", "run", "--status", "--json").output)
    assert status["annotators"] == {"ann": 4}
    assert status["sample"]["n"] == 4
    assert "4 of 130 answers, seed 0" in verb("label", "run", "--status").output
    for wrong in (("--json",), ("--adjudicate", "--tsv", "b.tsv"), ("--port", "99999")):
        assert verb("label", "run", "--as", "ann", *wrong).code == 3


def test_from_python(folder: RunFolder) -> None:
    ann = rh.label(folder.path, "ann", sample=3)
    while item := ann.next():
        ann.save(item.question, "refused")
    assert ann.progress.labelled == 3
    assert not rh.calibrate(folder.path).calibrated


def test_only_answers_with_a_text_can_be_labelled(folder: RunFolder) -> None:
    found = answered(folder.records())
    assert len(found) == 130
    assert {each.outcome for each in found} <= {*BUCKETS, "needs_review"}
    assert text_digest("a") != text_digest("b")
    assert find_run(str(folder.path)).name == "run"


class Client:
    """Speaks to the page's server as a browser does, or as no browser would."""

    def __init__(self, server: LabelServer) -> None:
        self.server = server
        self.host = f"127.0.0.1:{server.server_port}"
        self.base = f"/{server.token}/"

    def ask(
        self, path: str = "", body: Any = None, *, method: str = "", token: str | None = None, **headers: str
    ) -> tuple[int, dict[str, str], bytes]:
        """Return status, headers and body."""
        connection = http.client.HTTPConnection("127.0.0.1", self.server.server_port, timeout=10)
        sent = body if isinstance(body, bytes) or body is None else json.dumps(body).encode()
        told = {"Host": self.host}
        if sent is not None:
            told |= {"Origin": f"http://{self.host}", "Content-Type": "application/json"}
        told |= {name.replace("_", "-"): value for name, value in headers.items()}
        base = self.base if token is None else f"/{token}/"
        connection.request(method or ("GET" if sent is None else "POST"), base + path, sent, told)
        reply = connection.getresponse()
        found = reply.status, dict(reply.getheaders()), reply.read()
        connection.close()
        return found


@pytest.fixture
def client(folder: RunFolder, grading: GradingContext) -> Iterator[Client]:
    with LabelServer(opened(folder, "ann", grading, sample=3)) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield Client(server)
        server.shutdown()
        thread.join()


def test_the_page_comes_from_here_alone(client: Client) -> None:
    status, headers, page = client.ask()
    assert status == 200
    policy = headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert headers["Referrer-Policy"] == "no-referrer"
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Cache-Control"] == "no-store"
    for name in ("page.js", "page.css"):
        status, _, content = client.ask(name)
        assert status == 200
        assert name.encode() in page
        assert b"http" not in content
        assert b"innerHTML" not in content
    assert b"http" not in page
    assert client.server.server_address[0] == "127.0.0.1"


@pytest.mark.parametrize("path", ["", "state", "page.js", "label"])
def test_without_the_token_there_is_nothing(client: Client, path: str) -> None:
    for token in ("", "x", client.server.token[:-1], client.server.token + "a", "%2e%2e"):
        assert client.ask(path, token=token)[0] == 404
    for host in ("evil.example", f"evil.example:{client.server.server_port}", "127.0.0.1", ""):
        assert client.ask(path, Host=host)[0] == 403
    assert client.ask("../../etc/passwd")[0] == 404
    assert client.ask(path, method="PUT")[0] == 501


def test_another_page_cannot_label(client: Client) -> None:
    item = json.loads(client.ask("state")[2])["item"]
    label = {"question": item["question"], "epoch": 0, "label": {"bucket": "wrong"}}
    for headers in (
        {"Origin": "http://evil.example"},
        {"Origin": "null"},
        {"Origin": ""},
        {"Origin": client.host},
        {"Origin": f"https://{client.host}"},
    ):
        assert client.ask("label", label, **headers)[0] == 403
    assert client.ask("label", label, Content_Type="text/plain")[0] == 415
    assert client.ask("label", b"x" * 70_000)[0] == 413
    for bad in (
        b"{",
        b"[]",
        b'{"question":1}',
        {**label, "label": {"bucket": "good"}},
        {**label, "by": "bo"},
    ):
        status, _, told = client.ask("label", bad)
        assert status == 400
        assert b"this is not a label" in told
    assert not client.server.labelling.labels
    assert client.ask("label", label)[0] == 200
    assert client.ask("label", label)[0] == 409
    assert client.ask("nothing", label)[0] == 404
    status, _, state = client.ask("undo", {})
    assert status == 200
    assert json.loads(state)["draft"]["bucket"] == "wrong"


def test_two_tabs_at_once_label_each_answer_once(client: Client) -> None:
    question = json.loads(client.ask("state")[2])["item"]["question"]
    found: list[int] = []

    def label(bucket: str) -> None:
        sent = {"question": question, "epoch": 0, "label": {"bucket": bucket}}
        found.append(client.ask("label", sent)[0])

    threads = [threading.Thread(target=label, args=(BUCKETS[place % 4],)) for place in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(found) == [200] + [409] * 11
    assert len(client.server.labelling.path.read_bytes().splitlines()) == 1


def test_a_full_disk_is_said_and_the_answer_stays(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    before = json.loads(client.ask("state")[2])["item"]["question"]

    def refuse(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("ragharness.analysis.labels.write_whole", refuse)
    sent = {"question": before, "epoch": 0, "label": {"bucket": "wrong"}}
    status, _, told = client.ask("label", sent)
    assert status == 507
    assert b"No space left" in told
    assert json.loads(client.ask("state")[2])["item"]["question"] == before
