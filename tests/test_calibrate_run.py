"""A run calibrated by people's labels: what is corrected, what is refused, the note, reports and the gate."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from msgspec.structs import replace

import gate_fakes
import ragharness as rh
import run_fakes as fake
from ragharness.analysis.agreement import Part, difference, ppi
from ragharness.analysis.calibrating import calibrate_run, standing
from ragharness.analysis.labels import Label, answered, append_label, labels_folder, open_design
from ragharness.records import BUCKETS
from ragharness.reports.people import people_sections
from ragharness.reports.text import render
from ragharness.results import calibrated, scores_of
from ragharness.runner.run_folder import RunFolder

if TYPE_CHECKING:
    from commands import Verb

WRONG = {f"q{place:03d}": "wrong" for place in range(1, 21)}
"""What the grader makes of the first questions; the others come out as desired."""


def made(path: Path, buckets: Mapping[str, Any] | None = None, **settings: Any) -> RunFolder:
    """Return a run of 130 questions; each has a time of its own, by which it is known."""
    folder = gate_fakes.folder(path, WRONG if buckets is None else buckets, **settings)
    with folder.rewriting():
        return folder.with_run(replace(folder.run, created=f"2026-11-22 {path.name}"))


def label(
    folder: RunFolder,
    said: Mapping[str, str],
    name: str = "ann",
    *,
    sample: int = 60,
    strata: str = "",
    n: int = 0,
) -> list[str]:
    """Label a sample: as graded, but for what is said; returns the questions in their order."""
    answers = answered(folder.records())
    outcomes = {each.key: each for each in answers}
    design = open_design(folder, answers, sample=sample, strata=strata)
    items = design.items[: n or None]
    for each in items:
        known = outcomes[each.key]
        graded = known.outcome if known.outcome in BUCKETS else "refused"
        bucket: Any = said.get(each.question, graded)
        line = Label(question=each.question, epoch=each.epoch, bucket=bucket, by=name, answer=known.digest)
        append_label(labels_folder(folder) / f"{name}.jsonl", line)
    return [each.question for each in items]


def some(folder: RunFolder, bucket: str, n: int, sample: int = 60, strata: str = "") -> list[str]:
    """Return some questions of the sample that the grader put into a bucket."""
    answers = answered(folder.records())
    outcomes = {each.key: each.outcome for each in answers}
    design = open_design(folder, answers, sample=sample, strata=strata)
    return [each.question for each in design.items if outcomes[each.key] == bucket][:n]


def parts(folder: RunFolder, said: Mapping[str, str], questions: list[str], bucket: str) -> Part:
    outcomes = {each.key[0]: each.outcome for each in answered(folder.records())}
    return Part(
        len(outcomes),
        sum(each == bucket for each in outcomes.values()),
        [int(said.get(name, outcomes[name]) == bucket) for name in questions],
        [int(outcomes[name] == bucket) for name in questions],
    )


def test_counts_are_corrected_by_the_errors_of_the_sample(tmp_path: Path) -> None:
    folder = made(tmp_path / "run")
    missed = dict.fromkeys(some(folder, "refused", 3), "wrong")
    questions = label(folder, missed)
    note = calibrate_run(folder)
    assert note.calibrated
    assert note.method == "difference"
    assert (note.labelled, note.answers, note.questions) == (60, 130, 130)
    for bucket in BUCKETS:
        figures, part = note.buckets[bucket], parts(folder, missed, questions, bucket)
        if sum(part.people) < 5:
            assert figures.corrected is None
            assert figures.why_not.startswith("too few")
            continue
        expected, far = difference([part]), ppi([part])
        assert figures.corrected is not None
        assert figures.long_run is not None
        assert figures.corrected.value == pytest.approx(130 * expected.value)
        assert figures.corrected.high == pytest.approx(min(130, 130 * expected.high))
        assert figures.long_run.value == pytest.approx(far.value)
    wrong = note.buckets["wrong"]
    assert wrong.people == wrong.recall.n
    assert wrong.recall.n - wrong.recall.count == 3
    assert wrong.precision.rate == 1
    assert note.confusion["wrong"]["refused"] == 3
    assert [each.people for each in note.disagreements] == ["wrong"] * 3
    assert note.disagreements[0].answer == "An answer [c1#3]."
    assert f"{wrong.recall.count}/{wrong.recall.n} wrong answers found" in note.sentence


def test_an_answer_left_to_review_counts_against_recall_and_not_in_agreement(tmp_path: Path) -> None:
    folder = made(tmp_path / "run", WRONG | {f"q{place:03d}": "needs_review" for place in range(21, 41)})
    reviews = some(folder, "needs_review", 99)
    label(folder, dict.fromkeys(reviews, "wrong"))
    note = calibrate_run(folder)
    assert reviews
    assert note.confusion["wrong"]["needs_review"] == len(reviews)
    assert note.agreement.n == 60 - len(reviews)
    assert note.agreement.accuracy.rate == 1
    recall = note.buckets["wrong"].recall
    assert recall.count == recall.n - len(reviews)
    assert note.buckets["wrong"].corrected is not None
    assert note.buckets["wrong"].corrected.value > note.buckets["wrong"].grader


def test_strata_weigh_what_they_stand_for(tmp_path: Path) -> None:
    folder = made(tmp_path / "run", dict.fromkeys(list(WRONG)[:8], "wrong"))
    strata = "bucket"
    missed = dict.fromkeys(some(folder, "refused", 2, 30, strata), "wrong")
    questions = label(folder, missed, sample=30, strata=strata)
    note = calibrate_run(folder)
    outcomes = {each.key[0]: each.outcome for each in answered(folder.records())}
    sizes = {bucket: sum(each == bucket for each in outcomes.values()) for bucket in ("wrong", "refused")}
    drawn = {bucket: sum(outcomes[name] == bucket for name in questions) for bucket in sizes}
    assert drawn["wrong"] / sizes["wrong"] > drawn["refused"] / sizes["refused"]
    found = sizes["wrong"] / (sizes["wrong"] + 2 * sizes["refused"] / drawn["refused"])
    assert note.buckets["wrong"].recall.rate == pytest.approx(found)
    assert found < drawn["wrong"] / (drawn["wrong"] + 2)
    assert any("stands for" in each for each in note.notes)
    corrected = note.buckets["wrong"].corrected
    assert corrected is not None
    assert corrected.value == pytest.approx(sizes["wrong"] + 2 * sizes["refused"] / drawn["refused"])


def test_all_labelled_is_certain(tmp_path: Path) -> None:
    folder = made(tmp_path / "run")
    label(folder, dict.fromkeys(some(folder, "refused", 4, 130), "wrong"), sample=130)
    note = calibrate_run(folder)
    wrong = note.buckets["wrong"].corrected
    assert wrong is not None
    assert (wrong.low, wrong.value, wrong.high) == pytest.approx((24, 24, 24))
    assert note.more == 0
    assert "Enough labels" in render(people_sections(note), "text")


def test_missing_labels_are_counted_and_named(tmp_path: Path) -> None:
    folder = made(tmp_path / "run")
    questions = label(folder, dict.fromkeys(some(folder, "refused", 6, 40), "wrong"), sample=40)
    note = calibrate_run(folder)
    assert note.more is not None
    assert note.more > 0
    assert note.more == max(each.needed or 0 for each in note.buckets.values()) - 40
    design = open_design(folder, answered(folder.records()), sample=40 + note.more)
    assert note.next == [each.question for each in design.items if each.question not in questions][:10]
    assert f"--sample {40 + note.more}" in render(people_sections(note), "text")


def test_what_cannot_be_corrected_is_not(tmp_path: Path) -> None:
    folder = made(tmp_path / "few")
    label(folder, {}, n=20)
    assert "at least 30 are needed" in calibrate_run(folder).sentence

    folder = made(tmp_path / "strata")
    label(folder, {}, strata="row", n=35)
    assert any("of the stratum" in each for each in calibrate_run(folder).reasons)

    folder = made(tmp_path / "design")
    label(folder, {})
    (labels_folder(folder) / "design.json").unlink()
    note = calibrate_run(folder)
    assert "design.json" in note.sentence
    assert note.buckets["wrong"].recall.rate == 1
    assert note.buckets["wrong"].corrected is None

    folder = made(tmp_path / "disagree")
    (wrong,) = some(folder, "wrong", 1)
    label(folder, {})
    label(folder, {wrong: "refused"}, "bo")
    note = calibrate_run(folder)
    assert note.reasons == ["annotators disagree on 1 answers: ragharness label disagree --adjudicate"]
    digest = next(each.digest for each in answered(folder.records()) if each.key[0] == wrong)
    line = Label(question=wrong, bucket="refused", by="cy", answer=digest)
    append_label(labels_folder(folder) / "adjudicated.jsonl", line)
    note = calibrate_run(folder)
    assert note.calibrated
    assert note.labelled == 60
    assert [each.question for each in note.disagreements] == [wrong]
    assert calibrate_run(folder, labels_folder(folder) / "ann.jsonl").disagreements == []

    folder = made(tmp_path / "changed")
    label(folder, {})
    lines = [json.loads(line) for line in (folder.path / "records.jsonl").read_text().splitlines()]
    for line in lines[:90]:
        line["answer"]["text"] += " Truly."
    (folder.path / "records.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    note = calibrate_run(folder)
    assert "have changed since" in note.sentence
    assert 0 < note.labelled < 60
    assert any(f"changed since: {60 - note.labelled}, left out" in each for each in note.notes)


def test_no_labels_at_all_are_a_mistake(tmp_path: Path) -> None:
    folder = made(tmp_path / "run")
    with pytest.raises(rh.RagharnessError, match="found none") as error:
        calibrate_run(folder)
    assert "ragharness label" in error.value.help


GRADED = {
    **WRONG,
    **{f"q{place:03d}": "unsupported" for place in range(21, 41)},
}


def test_labels_of_another_run_calibrate_and_correct_no_counts(tmp_path: Path) -> None:
    other, folder = (
        made(tmp_path / "other", GRADED),
        made(tmp_path / "run", dict.fromkeys(list(WRONG)[:9], "wrong")),
    )
    label(other, dict.fromkeys(some(other, "refused", 4, 130), "wrong"), sample=130)
    note = calibrate_run(folder, labels_folder(other))
    assert note.calibrated
    assert note.method == ""
    assert note.labels_of == "other"
    wrong = note.buckets["wrong"]
    assert (wrong.recall.count, wrong.recall.n) == (20, 24)
    assert wrong.corrected is None
    assert wrong.why_not == "n/a: labels of another run correct no counts"
    assert wrong.long_run is None
    assert note.more is None

    few = made(tmp_path / "few")
    label(few, {})
    assert "no labelled answer is unsupported" in calibrate_run(folder, labels_folder(few)).sentence

    missed = made(tmp_path / "missed", GRADED)
    label(missed, dict.fromkeys(some(missed, "refused", 30, 130), "wrong"), sample=130)
    note = calibrate_run(folder, labels_folder(missed))
    assert note.sentence.endswith("the grader recognises 20 of 50 wrong, at most half")

    stricter = made(tmp_path / "stricter", grader="rules 2")
    assert (
        "was graded by rules 1, this one by rules 2" in calibrate_run(stricter, labels_folder(other)).sentence
    )

    shutil.copytree(labels_folder(other), tmp_path / "elsewhere")
    with pytest.raises(rh.RagharnessError, match="within the folder of their run"):
        calibrate_run(folder, tmp_path / "elsewhere")


def test_a_note_holds_for_what_it_is_of(tmp_path: Path) -> None:
    folder = made(tmp_path / "run")
    assert standing(folder) == (False, "NOT calibrated")
    assert scores_of(folder).calibration == "NOT calibrated"
    label(folder, {})
    note = calibrated(folder)
    assert standing(folder) == (True, note.sentence)
    assert note.sentence.startswith("calibrated: 60 of 130 answers labelled by 1 person")
    assert scores_of(folder).calibration == note.sentence
    assert note.sentence in " ".join(repr(rh.load_run(folder.path)).split())
    markdown = (folder.path / "calibration.md").read_text(encoding="utf-8")
    assert note.sentence.replace("[", "\\[").replace("]", "\\]") in markdown
    for changes in (
        {"grader": "rules 2"},
        {"question_set": "e" * 64},
        {"corpus_hash": "f" * 64},
        {"pipeline_settings": {"model": "m2"}},
        {"pipeline_settings": {"prompt": "p2"}},
    ):
        other = RunFolder(folder.path, replace(folder.run, settings=replace(folder.run.settings, **changes)))
        holds, told = standing(other)
        assert not holds
        assert told.startswith("NOT calibrated: the labels are for")
    (folder.path / "calibration.json").write_text("{")
    assert standing(folder) == (False, "NOT calibrated")


def test_labels_never_change_a_verdict(tmp_path: Path) -> None:
    folder = made(tmp_path / "run")
    before = (folder.path / "records.jsonl").read_bytes()
    scores = scores_of(folder)
    label(folder, dict.fromkeys(some(folder, "refused", 5), "wrong"))
    calibrated(folder)
    assert (folder.path / "records.jsonl").read_bytes() == before
    assert replace(scores_of(folder), calibration=scores.calibration) == scores


def test_a_gate_may_demand_it(tmp_path: Path) -> None:
    base, candidate = made(tmp_path / "base"), made(tmp_path / "candidate")
    assert rh.gate(base.path, candidate.path).ships
    found = rh.gate(base.path, candidate.path, "calibrated=yes")
    assert found.verdict == "incomplete"
    assert found.reasons == ["C calibrated: base is NOT calibrated; candidate is NOT calibrated"]
    assert "may replace base once the grader is calibrated: base is NOT" in " ".join(repr(found).split())
    label(base, {})
    calibrated(base)
    assert "base is" not in rh.gate(base.path, candidate.path, "calibrated=yes").reasons[0]
    label(candidate, {})
    calibrated(candidate)
    assert rh.gate(base.path, candidate.path, "calibrated=yes").ships


def test_the_command(tmp_path: Path, verb: Verb) -> None:
    folder = made(tmp_path / "run")
    assert verb("calibrate", "run").code == 3
    label(folder, dict.fromkeys(some(folder, "refused", 3), "wrong"))
    done = verb("calibrate", "run", "--show", "1")
    assert done.code == 0
    assert done.output.startswith("calibrated: 60 of 130 answers")
    assert done.output.index("wrong   ") < done.output.index("unsupported   ")
    assert done.output.count("question: What does") == 1
    assert max(map(len, done.output.splitlines())) <= 80
    facts = json.loads(verb("calibrate", "run", "--json").output)
    assert facts == json.loads((folder.path / "calibration.json").read_text()) | {"made": facts["made"]}
    assert verb("calibrate", "run", "--answers", "x.csv").code == 3
    assert verb("calibrate", "--labels", "run/labels", "run").code == 0
    empty = made(tmp_path / "empty")
    label(empty, {}, n=3)
    done = verb("calibrate", "empty")
    assert done.code == 2
    assert done.output.startswith("NOT calibrated: 3 answers are labelled")


def test_from_python(tmp_path: Path) -> None:
    folder = made(tmp_path / "run")
    label(folder, {})
    found = rh.calibrate(folder.path)
    assert found.calibrated
    assert found.reasons == []
    assert found.buckets["wrong"].recall.rate == 1
    assert found.to_dict()["labelled"] == 60
    assert "<table>" in found._repr_html_()
    assert repr(found).startswith("calibrated:")


def test_failed_questions_are_in_the_denominator_and_cannot_be_labelled(tmp_path: Path) -> None:
    folder = made(tmp_path / "run", WRONG | {f"q{place:03d}": "error" for place in range(100, 110)})
    assert len(answered(folder.records())) == 120
    label(folder, {})
    note = calibrate_run(folder)
    assert (note.questions, note.answers) == (130, 120)
    wrong = note.buckets["wrong"].corrected
    assert wrong is not None
    assert wrong.value == pytest.approx(20)
    assert fake.settings().questions == note.questions
