"""A grader against people's labels: files in, counts and rates out."""

from __future__ import annotations

import contextlib
import json
import re
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from commands import PROGRAM
from ragharness.analysis.intervals import wilson
from ragharness.analysis.labelled import (
    LABELS,
    OUTCOMES,
    Mapping,
    agrees,
    calibrate,
    judge,
    rates,
    read_labelled,
)
from ragharness.errors import UsageError
from ragharness.graders import load_grader
from ragharness.records import Answer, Passage, Question, Reading

if TYPE_CHECKING:
    from commands import Verb

KEYS = (
    "n", "confusion", "false_correct", "false_wrong", "needs_review", "refusal_recall", "refusal_precision",
    "agreement_all", "agreement_graded",
)  # fmt: skip
READINGS = {
    "right": Reading(committed=True, match="match", value="right"),
    "false": Reading(committed=True, match="mismatch", value="false"),
    "decline": Reading(refusal=True),
    "odd": Reading(status="needs_review", unreadable="it is odd"),
    "": Reading(status="no_answer"),
}


class Told:
    """A grader that reads what the answer says to read."""

    name = "told"
    version = "0"

    def read(
        self, question: Question, answer: Answer, retrieved: Sequence[Passage], supporting: frozenset[str]
    ) -> Reading:
        return READINGS[answer.text]


def line(label: object = "correct", answer: object = "right", **fields: Any) -> dict[str, Any]:
    return {
        "id": "a", "question": "Who wrote it?", "answers": ["Ann Lee"], "answer": answer, "label": label,
    } | fields  # fmt: skip


def written(path: Path, rows: list[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


COUNTS = {
    ("correct", "right"): 6, ("correct", "false"): 2, ("correct", "decline"): 1, ("correct", "odd"): 1,
    ("incorrect", "right"): 1, ("incorrect", "false"): 4, ("incorrect", ""): 1,
    ("refusal", "decline"): 3, ("refusal", "false"): 1,
}  # fmt: skip


@pytest.fixture
def file(tmp_path: Path) -> Path:
    rows = [line(label, answer) for (label, answer), n in COUNTS.items() for _ in range(n)]
    return written(tmp_path / "answers.jsonl", rows)


def test_a_confusion_counted_by_hand(file: Path) -> None:
    found = calibrate(Told(), read_labelled(file))
    none = dict.fromkeys(OUTCOMES, 0)
    assert found.n == 20
    assert found.confusion == {
        "correct": none | {"correct": 6, "wrong": 2, "refused": 1, "needs_review": 1},
        "incorrect": none | {"correct": 1, "wrong": 4, "no_answer": 1},
        "refusal": none | {"refused": 3, "wrong": 1},
    }
    told = {
        name: share and (share.count, share.n) for name, share in rates(found.confusion)._asdict().items()
    }
    assert told == {
        "false_correct": (1, 7),
        "false_wrong": (2, 10),
        "needs_review": (1, 20),
        "refusal_recall": (3, 4),
        "refusal_precision": (3, 4),
        "agreement_all": (15, 20),
        "agreement_graded": (15, 19),
    }


def test_intervals_are_those_of_wilson(file: Path) -> None:
    for share in rates(calibrate(Told(), read_labelled(file)).confusion):
        assert share is not None
        assert (share.low, share.high) == wilson(share.count, share.n)


@given(st.dictionaries(st.tuples(st.sampled_from(LABELS), st.sampled_from(OUTCOMES)), st.integers(0, 50)))
@settings(max_examples=60)
def test_rates_hold_together(cells: dict[tuple[str, str], int]) -> None:
    confusion = {label: {each: cells.get((label, each), 0) for each in OUTCOMES} for label in LABELS}
    found = rates(confusion)
    n = sum(cells.values())
    assert found.agreement_all.n == n == found.needs_review.n
    assert found.agreement_graded.n == n - found.needs_review.count
    assert found.agreement_graded.count == found.agreement_all.count
    assert (found.refusal_recall is None) == (sum(confusion["refusal"].values()) == 0)
    assert found.agreement_all.count == sum(
        n for (label, outcome), n in cells.items() if agrees(label, outcome)
    )


def test_a_grader_that_agrees_with_everything(tmp_path: Path) -> None:
    rows = [line("correct", "right"), line("incorrect", "false"), line("refusal", "decline")]
    found = calibrate(Told(), read_labelled(written(tmp_path / "perfect.jsonl", rows)), show=9)
    shares = rates(found.confusion)
    assert shares.agreement_all.count == shares.agreement_graded.count == 3
    assert shares.false_correct.count == shares.false_wrong.count == shares.needs_review.count == 0
    assert not found.differences


def test_the_worst_differences_come_first(file: Path) -> None:
    found = calibrate(Told(), read_labelled(file), show=99)
    seen = [(each.labelled.label, each.verdict.bucket or each.verdict.status) for each in found.differences]
    assert seen == [
        ("correct", "wrong"), ("correct", "wrong"), ("incorrect", "correct"), ("correct", "refused"),
        ("refusal", "wrong"), ("correct", "needs_review"),
    ]  # fmt: skip
    assert len(calibrate(Told(), read_labelled(file), show=2).differences) == 2


def test_without_passages_the_answer_alone_is_judged(tmp_path: Path) -> None:
    lone, cited, uncited = read_labelled(
        written(
            tmp_path / "a.jsonl",
            [
                line(),
                line(passages=[{"id": "d#1", "text": "Ann Lee wrote it."}]),
                line(passages=["Ann Lee wrote it.", {"text": "Bo", "evidence": False}], citations=["p1"]),
            ],
        )
    )
    assert judge(Told(), lone).reason == "SUPPORTED"
    assert judge(Told(), cited).bucket == "unsupported"
    assert cited.supporting == {"d#1"}
    assert uncited.supporting == {"p1"}
    assert uncited.answer.citations == ("p1",)
    (mistaken,) = read_labelled(written(tmp_path / "b.jsonl", [line(answer="false")]))
    assert judge(Told(), mistaken).match == "mismatch"


PAPER = {"id": "p1", "text": "Ann Lee wrote it."}


def bucketed(bucket: object, answer: str, **fields: Any) -> dict[str, Any]:
    row = line(answer=answer, bucket=bucket, passages=[PAPER, {"id": "p2", "text": "Bo Ray drew it."}])
    return {name: value for name, value in row.items() if name != "label"} | fields


def test_buckets_and_axes_of_people_are_compared(verb: Verb, tmp_path: Path) -> None:
    rows = [
        bucketed("correct", "Ann Lee [p1].", evidence=["p1"], citation_supports="yes", extra_claim_count=0),
        bucketed(
            "unsupported", "Ann Lee [p2].", evidence=["p1"], citation_supports="no", extra_claim_count=2
        ),
        bucketed("Wrong", "Bo Ray [p2].", evidence=["p1"], citation_exists=""),
        bucketed(
            "refused", "I could not find who wrote it.", label="", refusal_quality=1, citation_exists="no"
        ),
        bucketed("correct", "Ann Lee [p2].", evidence="p1", refusal_quality=None),
        line("correct", "Ann Lee.", bucket=None),
    ]
    path = written(tmp_path / "a.jsonl", rows)
    answers = read_labelled(path)
    assert [each.label for each in answers] == [
        "correct", "incorrect", "incorrect", "refusal", "correct", "correct",
    ]  # fmt: skip
    assert [sorted(each.supporting) for each in answers[:4]] == [["p1"]] * 3 + [["p1", "p2"]]
    facts = json.loads(verb("calibrate", "--answers", "a.jsonl", "--json", "--show", "9").output)
    none = dict.fromkeys(("correct", "wrong", "unsupported", "refused", "review", "no_answer"), 0)
    assert facts["buckets"] == {
        "correct": none | {"correct": 1, "unsupported": 1},
        "wrong": none | {"wrong": 1},
        "unsupported": none | {"unsupported": 1},
        "refused": none | {"refused": 1},
    }
    assert facts["axes"]["citation_supports"] == {
        "n": 2, "agree": 2, "unread": 0, "confusion": {"no": {"no": 1, "yes": 0}, "yes": {"no": 0, "yes": 1}},
    }  # fmt: skip
    counts = {name: (axis["n"], axis["agree"], axis["unread"]) for name, axis in facts["axes"].items()}
    assert counts["extra_claim_count"] == (2, 1, 0)
    assert counts["citation_exists"] == (0, 0, 1)
    assert counts["refusal_quality"][0] == 1
    (difference,) = facts["differences"]
    assert (difference["bucket"], difference["verdict"]) == ("correct", "unsupported")
    told = verb("calibrate", "--answers", "a.jsonl").output
    assert re.search(r"(?m)^BUCKET +correct +wrong", told)
    assert re.search(r"(?m)^same bucket +4/5", told)
    assert re.search(r"(?m)^extra claim count +2 +1 +50% +0", told)


def test_an_answer_with_evidence_elsewhere_is_not_judged_alone(tmp_path: Path) -> None:
    rows = [bucketed("unsupported", "Ann Lee.", passages=[], evidence=[]), line(answer="Ann Lee.")]
    path = written(tmp_path / "a.jsonl", rows)
    empty, lone = read_labelled(path)
    assert judge(load_grader(), empty).bucket == "unsupported"
    assert judge(load_grader(), lone).bucket == "correct"


@pytest.mark.parametrize("kind", ["number", "date", "yesno", "text", "list"])
def test_a_kind_may_be_named_where_there_is_no_gold(tmp_path: Path, kind: str) -> None:
    row = line("refusal", "I could not find it.", answers=[], kind=kind, unit="")
    (found,) = read_labelled(written(tmp_path / "a.jsonl", [row]))
    assert (found.question.kind, found.question.answers, found.question.answerable) == (kind, (), False)
    assert judge(load_grader(), found).bucket == "refused"


def test_the_shipped_grader_reads_plain_answers(tmp_path: Path) -> None:
    rows = [
        line(answer="Ann Lee wrote it."),
        line("refusal", "I do not know who wrote it."),
        line(question="How many pages has it?", answers="12", answer="It has 12 pages."),
        line(question="When was it written?", answers=["1981-01-17"], answer="On January 17, 1981."),
        line(question="Is it long?", answers=["Yes, it has 900 pages."], answer="Yes, 900 pages."),
    ]
    found = calibrate(load_grader(), read_labelled(written(tmp_path / "a.jsonl", rows)))
    assert found.confusion["correct"]["correct"] == 4
    assert found.confusion["refusal"]["refused"] == 1
    assert list(found.by_kind) == ["date", "number", "text", "yesno"]


def test_kinds_are_guessed_named_and_given_up(tmp_path: Path) -> None:
    rows = [
        line(answers="12|13", question="How many?"),
        line(answers=["12"], kind="text"),
        line(answers=["$5", "5 euros"], question="How much?"),
        line(answers=["It was written by nobody whom we know of."]),
        line(answers=[], label="refusal"),
        line(answers=3.0, question="How many?"),
    ]
    found = read_labelled(written(tmp_path / "a.jsonl", rows))
    assert [each.shape for each in found] == ["number", "text", "text", "sentence", "no gold", "number"]
    assert [each.question.answerable for each in found] == [True, True, True, True, False, True]
    assert found[0].question.answers == ("12", "13")


# --- the command ---


def test_the_keys_of_the_json(verb: Verb, tmp_path: Path) -> None:
    written(
        tmp_path / "a.jsonl", [line(answer="Ann Lee"), line("incorrect", "Bo Ray"), line(answer="Bo Ray")]
    )
    done = verb("calibrate", "--answers", "a.jsonl", "--json", "--show", "5")
    facts = json.loads(done.output)
    assert done.code == 0
    assert set(KEYS) <= set(facts)
    assert facts["n"] == 3
    assert list(facts["confusion"]) == list(LABELS)
    assert all(list(row) == list(OUTCOMES) for row in facts["confusion"].values())
    assert facts["refusal_recall"] is None
    assert facts["refusal_precision"] is None
    assert facts["grader"].startswith("rules@")
    assert set(KEYS) <= set(facts["by_kind"]["text"])
    for key in KEYS[2:]:
        told = facts["intervals"][key]
        assert facts[key] == (told["count"] / told["n"] if told and told["n"] else None)
    assert [(each["label"], each["answer"]) for each in facts["differences"]] == [("correct", "Bo Ray")]


def test_a_rate_of_nothing_is_null(verb: Verb, tmp_path: Path) -> None:
    written(tmp_path / "a.jsonl", [line("refusal", "I do not know who wrote it.")])
    facts = json.loads(verb("calibrate", "--answers", "a.jsonl", "--json").output)
    assert (facts["false_correct"], facts["false_wrong"]) == (None, None)
    assert (facts["refusal_recall"], facts["agreement_all"]) == (1.0, 1.0)
    assert "differences" not in facts


def test_the_report_fits_a_terminal(verb: Verb, tmp_path: Path) -> None:
    rows = [line(answer="Ann Lee"), line("incorrect", "Bo Ray"), line(answer="Bo Ray " + "and more " * 200)]
    written(tmp_path / "a.jsonl", rows * 5)
    done = verb("calibrate", "--answers", "a.jsonl", "--show", "1")
    assert done.code == 0
    assert re.search(r"^refusal recall +n/a +no such human label$", done.output, re.MULTILINE)
    assert re.search(
        r"^false wrong +5/10 +50\.0% +\[23\.7-76\.3\] +of people's corrects$", done.output, re.MULTILINE
    )
    assert "[...]" in done.output
    assert max(map(len, done.output.splitlines())) <= 80


def test_the_report_fits_sixty_columns(verb: Verb, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    rows = [
        line(label, answer) for label in LABELS for answer in ("Ann Lee", "Bo Ray", "I could not find it.")
    ]
    written(tmp_path / "a.jsonl", rows * 200)
    done = verb("calibrate", "--answers", "a.jsonl", "--show", "1")
    assert "false wrong" in done.output
    assert max(map(len, done.output.splitlines())) <= 60


def test_an_interrupted_calibration_says_so(tmp_path: Path) -> None:
    written(tmp_path / "a.jsonl", [line()] * 100_000)
    running = subprocess.Popen(
        [sys.executable, "-c", f"print(flush=True)\n{PROGRAM}", "calibrate", "--answers", "a.jsonl"],
        cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert running.stdout is not None
    running.stdout.readline()
    time.sleep(1.5)
    running.send_signal(signal.SIGINT)
    output, errors = running.communicate(timeout=20)
    assert (running.returncode, output, errors) == (130, "", "error: interrupted\n")


def test_answers_written_without_a_look_at_the_rules() -> None:
    """As measured: a change may decide more of these answers, not more of them falsely."""
    grader = load_grader()
    answers = read_labelled(Path(__file__).with_name("cases") / "labelled.jsonl")
    found = calibrate(grader, answers).confusion
    refused = {label: row["refused"] for label, row in found.items()}
    assert sum(sum(row.values()) for row in found.values()) == 400
    assert found["incorrect"]["correct"] + found["refusal"]["correct"] <= 2
    assert found["correct"]["wrong"] <= 1
    assert found["refusal"]["wrong"] <= 4
    assert refused["refusal"] >= 133
    assert refused["correct"] + refused["incorrect"] <= 18
    assert sum(row["needs_review"] for row in found.values()) <= 91


def test_answers_a_word_away_from_right() -> None:
    """As measured, rounds 3 and 5 unseen: a change may decide more of these, not more of them falsely."""
    grader = load_grader()
    answers = read_labelled(Path(__file__).with_name("cases") / "near_misses.jsonl")
    found = calibrate(grader, answers).confusion
    assert sum(sum(row.values()) for row in found.values()) == 1434
    assert found["correct"]["wrong"] <= 16
    assert found["incorrect"]["correct"] <= 134
    assert (found["correct"]["refused"], found["refusal"]["correct"]) <= (2, 0)
    assert found["incorrect"]["refused"] <= 9
    assert found["refusal"]["wrong"] <= 11
    assert sum(row["needs_review"] for row in found.values()) <= 255


BAD = [
    ('{"question": "Who?"', "line 1: expected a JSON object, found '{\"question\": \"Who?\"'"),
    ("[1]\n", "found a JSON array"),
    ("3\n", "line 1: expected a JSON object, found '3'"),
    ("", "expected labelled answers in a.jsonl, found none"),
    ("\n\n", "expected labelled answers in a.jsonl, found none"),
    (json.dumps({"question": "Who?"}), "line 1: expected a field 'answers', found question"),
    (json.dumps(line(label="good")), "line 1: expected the label correct, incorrect, refusal, found 'good'"),
    (json.dumps(line(bucket="right")), "line 1: expected the bucket correct, wrong, unsupported, refused, found"),
    (json.dumps(line(evidence=[["p"]])), "line 1: expected texts as evidence, found [[\"p\"]]"),
    (json.dumps(line(label=None)), "line 1: expected the label correct, incorrect, refusal, found ''"),
    (json.dumps(line(question=" ")), "line 1: expected a question, found ''"),
    (json.dumps(line(answer=["x"])), "line 1: expected a text as answer, found [\"x\"]"),
    (json.dumps(line(answers={"a": 1})), "line 1: expected texts as answers, found {\"a\": 1}"),
    (json.dumps(line(kind="song")), "line 1: expected a kind of yesno, number, date, text, list, found"),
    (json.dumps(line(kind="date")), "line 1: expected a date like 2024-03-01, found 'Ann Lee'"),
    (json.dumps(line(passages="x")), "line 1: expected a list of passages, found \"x\""),
    (json.dumps(line(passages=[3])), "line 1: expected passages with a text, found 3"),
    (f"{json.dumps(line())}\n\nx\n", "line 3: expected a JSON object, found 'x'"),
    ("[" * 100_000, "found a JSON array"),
    ("x\n" * 9, "; and 4 more"),
]  # fmt: skip


@pytest.mark.parametrize(("content", "told"), BAD)
def test_bad_lines_are_said_in_a_sentence(verb: Verb, tmp_path: Path, content: str, told: str) -> None:
    (tmp_path / "a.jsonl").write_text(content, encoding="utf-8")
    done = verb("calibrate", "--answers", "a.jsonl")
    assert done.code == 3
    assert told in done.errors
    assert "Traceback" not in done.errors
    assert not done.output


def test_half_a_character_harms_nothing(verb: Verb, tmp_path: Path) -> None:
    written(tmp_path / "a.jsonl", [line(answer="Bo \ud800", id="\ud800")])
    done = verb("calibrate", "--answers", "a.jsonl", "--show", "1")
    assert (done.code, done.errors) == (0, "")


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ((), "expected a run or --answers FILE, found none"),
        (("--answers", "none.jsonl"), "expected labelled answers in none.jsonl, found: No such file"),
        (("--answers", "."), "expected labelled answers in ., found: Is a directory"),
        (("--answers", "a.jsonl", "--grader", "rule"), "no grader is named 'rule'; did you mean rules?"),
        (("--answers", "a.jsonl", "--show", "-1"), "--show must be at least 0, not -1"),
        (
            ("--answers", "a.jsonl", "--false-correct", "2"),
            "expected a rate of false corrects",
        ),
        (("--answers", "a.jsonl", "--map", "answer"), "expected --map NAME=THEIRS, found 'answer'"),
        (("--answers", "a.jsonl", "--map", "anser=x"), "no column is named 'anser'; did you mean answer"),
        (("--answers", "a.jsonl", "--map", "label.good=x"), "no column is named 'label.good'"),
        (
            ("--answers", "a.jsonl", "--map", "id=x", "--map", "id=y"),
            "expected 'id' once in --map, found it twice",
        ),
        (
            ("--answers", "a.jsonl", "--map", "label.correct=1", "--map", "label.refusal=1"),
            "expected '1' to mean one label, found correct and refusal",
        ),
    ],
)
def test_bad_options_are_said_in_a_sentence(
    verb: Verb, tmp_path: Path, arguments: tuple[str, ...], told: str
) -> None:
    written(tmp_path / "a.jsonl", [line(answer="Ann Lee")])
    done = verb("calibrate", *arguments)
    assert done.code == 3
    assert told in done.errors


# --- files of others ---


def test_columns_and_labels_of_others() -> None:
    mapping = Mapping.parse(
        ["answer=response", "label=score", "label.correct=1, TRUE,yes", "label.incorrect=0"]
    )
    assert mapping.columns["answer"] == "response"
    assert [mapping.label(each) for each in (1, 1.0, True, "Yes", "0", 0)] == [
        *["correct"] * 4,
        *["incorrect"] * 2,
    ]
    assert mapping.label("refusal") == "refusal"
    with pytest.raises(
        ValueError, match="expected the label 1, true, yes, 0, correct, incorrect, refusal, found"
    ):
        mapping.label("maybe")


def test_json_lines_of_others(tmp_path: Path) -> None:
    rows = [{"q": "Who wrote it?", "gold": "Ann Lee", "response": "Ann Lee", "ok": True, "model": "x"}]
    given = ["question=q", "answers=gold", "answer=response", "label=ok", "label.correct=true"]
    (found,) = read_labelled(written(tmp_path / "a.jsonl", rows), Mapping.parse(given))
    assert (found.label, found.question.id, found.golds) == ("correct", "line 1", ("Ann Lee",))


@pytest.mark.parametrize(("name", "delimiter"), [("a.csv", ","), ("a.csv", ";"), ("a.tsv", "\t")])
def test_tables_of_others(tmp_path: Path, name: str, delimiter: str) -> None:
    rows = [
        ["id", "Question", "Golden", "Model answer", "Acceptable?"],
        ["1", "Who wrote it?", "Ann Lee/A. Lee", '"Ann Lee,\nI think"', "Yes"],
        ["2", "Who drew it?", "Bo Ray", "Ann Lee", "No"],
    ]
    text = "\n".join(delimiter.join(cells) for cells in rows)
    (tmp_path / name).write_text(f"\ufeff{text}\n", encoding="utf-8")
    given = ["question=Question", "answers=Golden", "answer=Model answer", "label=Acceptable?"]
    given += ["label.correct=Yes", "label.incorrect=No", "answers.separator=/"]
    first, second = read_labelled(tmp_path / name, Mapping.parse(given))
    assert first.golds == ("Ann Lee", "A. Lee")
    assert first.answer.text == "Ann Lee,\nI think"
    assert (first.label, second.label) == ("correct", "incorrect")


def test_a_file_without_golds_tells_refusals_apart(tmp_path: Path) -> None:
    rows = [
        {"prompt": "How is a process ended?", "completion": "I cannot help with that.", "final": "2_refusal"}
    ]
    given = ["question=prompt", "answer=completion", "label=final", "label.refusal=2_refusal", "answers=-"]
    path = written(tmp_path / "a.jsonl", rows)
    (found,) = read_labelled(path, Mapping.parse(given))
    assert (found.label, found.shape, found.question.answerable) == ("refusal", "no gold", False)
    with pytest.raises(UsageError, match="expected a field 'answers', found prompt, completion, final"):
        read_labelled(path, Mapping.parse(given[:-1]))


def test_a_table_names_the_line_in_which_a_row_begins(tmp_path: Path) -> None:
    head = 'question,answers,answer,label\n"Who\nwrote it?",Ann,Ann,correct\n'
    text = f"{head}Who?,Ann,Ann,fine\nWho?,A,B,correct,5\n"
    (tmp_path / "a.csv").write_text(text, encoding="utf-8")
    with pytest.raises(
        UsageError, match=r"line 4: expected the label .*'fine'; line 5: expected 4 columns, found 5"
    ):
        read_labelled(tmp_path / "a.csv")


@given(st.binary(max_size=200), st.sampled_from(["a.csv", "a.tsv", "a.jsonl"]), st.booleans())
@settings(max_examples=80)
def test_any_bytes_are_labels_or_refused_in_a_sentence(content: bytes, name: str, headed: bool) -> None:
    import tempfile

    head = b"question,answers,answer,label\n" if headed else b""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / name
        path.write_bytes(head + content)
        with contextlib.suppress(UsageError):
            assert read_labelled(path)


_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=12),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=2),
    max_leaves=4,
)


@given(st.sampled_from(sorted(line())) | st.sampled_from(["kind", "unit", "passages", "citations"]), _VALUES)
@settings(max_examples=200)
def test_any_value_of_a_field_is_taken_or_refused_in_a_sentence(name: str, value: Any) -> None:
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        path = written(Path(folder) / "a.jsonl", [line() | {"answer": "Ann Lee", name: value}])
        with contextlib.suppress(UsageError):
            (found,) = read_labelled(path)
            assert calibrate(load_grader(), [found], show=1).n == 1
