"""The reports of a made-up run, word by word; foreign texts stay text."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

import run_fakes as fake
from conftest import ROOT
from ragharness.analysis.metrics import share
from ragharness.analysis.scores import Scores, read_scores
from ragharness.analysis.scoring import score
from ragharness.corpus.loading import Corpus
from ragharness.records import (
    Answer,
    Distractor,
    Document,
    Evidence,
    Failure,
    Passage,
    Question,
    Record,
    Retrieved,
    Sentence,
    Verdict,
)
from ragharness.reports.formats import load_format
from ragharness.reports.progress import fetching_line, progress_line
from ragharness.reports.show import show_question
from ragharness.reports.text import clean, duration, flow, interval, milliseconds, money, one_line, rate
from ragharness.runner.limits import Progress

if TYPE_CHECKING:
    from commands import Verb
from ragharness.analysis.intervals import wilson

terminal_report, markdown_report, json_report = map(load_format, ("terminal", "markdown", "json"))

GOLDEN = Path(__file__).parent / "golden"

CAME_OUT = {
    "grounded/correct": {"correct": 31, "wrong": 3, "unsupported": 4, "refused": 2},
    "grounded/wrong": {"correct": 11, "wrong": 6, "unsupported": 2, "refused": 1},
    "grounded/unsupported": {"wrong": 2, "unsupported": 4, "refused": 14},
    "grounded/refused": {"wrong": 1, "unsupported": 5, "refused": 13, "error": 1},
    "unanswerable": {"unsupported": 1, "refused": 9},
    "adversarial": {"wrong": 2, "unsupported": 1, "refused": 6, "timeout": 1},
    "null_retrieval": {"wrong": 1, "refused": 9},
}
"""The counts of the drawing that the report was designed after."""


def made_up(folder: str = "runs/20261121-120000_made-up_mine.answer", **changes: Any) -> Scores:
    questions = fake.questions()
    left = {row: [name for name, n in counts.items() for _ in range(n)] for row, counts in CAME_OUT.items()}
    records = [
        fake.record(question, left[question.row].pop(0), found=number % 7 != 3)
        for number, question in enumerate(questions)
    ]
    return score(
        fake.run(**changes),
        [fake.session()],
        questions,
        records,
        name="20261121-120000_made-up_mine.answer",
        folder=folder,
        blind=48,
    )


@pytest.mark.parametrize("width", [80, 60])
def test_the_terminal_report_word_by_word(width: int) -> None:
    expected = (GOLDEN / f"report_{width}.txt").read_text(encoding="utf-8")
    assert terminal_report(made_up(), width=width) == expected


def test_the_markdown_report_word_by_word() -> None:
    assert markdown_report(made_up()) == (GOLDEN / "report.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("width", [80, 72, 66, 60, 50])
def test_no_line_is_wider_than_the_screen_and_names_stay_whole(width: int) -> None:
    text = terminal_report(made_up(), width=width)
    assert text.isascii()
    assert max(map(len, text.splitlines())) <= max(width, 55)
    for name in ("does-not-say", "unanswerable", "adversarial", "withheld"):
        assert re.search(rf"^{name} ", text, re.MULTILINE)


def test_colours_say_good_bad_and_unclear() -> None:
    coloured = terminal_report(made_up(), colour=True)
    found = {
        tone: [text.strip() for text in re.findall(rf"\x1b\[1;{code}m(.*?)\x1b\[0m", coloured)]
        for tone, code in (("good", 32), ("bad", 31), ("unclear", 33))
    }
    sentence = made_up().sentence
    assert found["good"] == ["31*", "11*", "14*", "13*", "9*", "6*", "9*"]
    assert found["bad"][:6] == ["3", "4", "6", "2", "2", "4"]
    assert found["unclear"] == [sentence, "1", "1", "2", sentence]
    assert re.sub(r"\x1b\[[0-9;]*m", "", coloured) == terminal_report(made_up())


def test_a_perfect_run_says_what_zero_means() -> None:
    questions = fake.questions()
    records = [fake.record(question, question.wanted) for question in questions]
    text = terminal_report(score(fake.run(), [], questions, records, name="r"))
    assert text.splitlines()[0] == text.splitlines()[-3] == "Answers 60 of 60 and none of 130 would mislead"
    assert "unacceptable 0 of 130  0% [0-3]" in text
    assert "None of 130 was unacceptable: the true rate may still be up to 2.8%" in markdown_report(
        score(fake.run(), [], questions, records, name="r")
    )
    assert "MISSES" not in text
    assert "WORST" not in text


def outcomes(*counts: tuple[str, int], rest: str = "") -> Scores:
    """Return the scores of a run whose first questions came out so, the others as wanted or as ``rest``."""
    questions = fake.questions()
    names = [name for name, count in counts for _ in range(count)]
    names += [rest or question.wanted for question in questions[len(names) :]]
    records = [fake.record(question, name) for question, name in zip(questions, names, strict=True)]
    return score(fake.run(), [], questions, records, name="r")


def test_a_run_that_is_mostly_ungraded_never_looks_good() -> None:
    sentence = "Not a result: 27 of 130 answers need review: a judge or a person has to decide"
    poor, enough = (outcomes(("needs_review", n), rest="refused") for n in (27, 26))
    assert terminal_report(poor).splitlines()[0] == sentence
    assert f"**{sentence}**" in markdown_report(poor)
    for text in (terminal_report(poor), markdown_report(poor)):
        assert "0 to 27 of 130" in text
    document = json.loads(json_report(poor))
    assert (document["result"], document["verdict"]) == (False, "not_a_result")
    assert (document["sentence"], document["reasons"]) == (sentence, [sentence.partition(": ")[2]])
    assert document["intervals"]["unacceptable"]["most"] == 27
    assert document["intervals"]["unacceptable"]["high"] == wilson(27, 130)[1]
    assert enough.result
    assert "Not a result" not in terminal_report(enough) + markdown_report(enough)
    everything = terminal_report(outcomes(("error", 130)))
    assert re.search(r"^unacceptable +0 to 130 of 130 ", everything, re.MULTILINE)
    assert "median" not in everything


@pytest.mark.parametrize(
    ("counts", "kind", "sentence"),
    [
        (
            [("refused", 130)],
            "not_better",
            "Not better than refusing everything: 70 against 70 of 130 as desired",
        ),
        (
            [("correct", 4), ("refused", 56)],
            "not_clearly_better",
            "Not clearly better than refusing everything: 74 against 70 of 130 as desired",
        ),
        ([("correct", 6), ("refused", 54)], "good", "Answers 6 of 60 and none of 130 would mislead"),
        (
            [("correct", 41), ("wrong", 1), ("refused", 18)],
            "misleads",
            "Answers 41 of 60, but 1 of 130 answers would mislead",
        ),
        (
            [("correct", 60), ("unsupported", 11)],
            "misleads",
            "Answers 60 of 60, but 11 of 130 answers would mislead",
        ),
        (
            [("error", 130)],
            "not_a_result",
            "Not a result: every call failed with ValueError: it broke [c1#3]",
        ),
        ([("no_answer", 30), ("correct", 30)], "not_a_result", "Not a result: 30 of 130 answers are empty"),
    ],
)
def test_the_verdict_is_one_sentence(counts: Any, kind: str, sentence: str) -> None:
    scores = outcomes(*counts)
    assert (scores.verdict, scores.sentence, scores.result) == (kind, sentence, kind != "not_a_result")
    lines = terminal_report(scores).splitlines()
    assert " ".join(lines[:2]).startswith(sentence)
    assert lines.count(lines[0]) == 2


def test_a_run_that_was_broken_off_is_no_result() -> None:
    records = [fake.record(question, question.wanted) for question in fake.questions()[:129]]
    scores = score(fake.run(), [], fake.questions(), records, name="r")
    assert scores.sentence == ("Not a result: 1 of 130 questions were not asked: the same command continues")


def test_passages_of_other_documents_are_said_first() -> None:
    def scored(*problems: str, passages: int) -> Scores:
        records = [
            replace(
                fake.record(question, "unsupported", found=False),
                problems=problems,
                document_rank=0,
                retrieved=tuple(Retrieved(f"x{number}", 0.0) for number in range(passages)),
            )
            for question in fake.questions()
        ]
        return score(fake.run(takes="own"), [], fake.questions(), records, name="r")

    lost = scored(
        "passages that the corpus does not hold, so that they support nothing: 2 of 2 (x0, x1)", passages=2
    )
    assert lost.sentence.startswith("Not a result: no passage of the pipeline is in the corpus")
    bare = scored(passages=0)
    assert bare.sentence.startswith("Not a result: 130 of 130 answers came without the passages")
    assert scored(passages=2).result


def test_what_can_be_mended_comes_first_where_it_is_the_most() -> None:
    mended = terminal_report(outcomes(("wrong", 10), ("error", 4), ("needs_review", 11)))
    assert "WORST      needs review q015" in mended
    assert "ragharness show q015" in mended
    false = terminal_report(outcomes(("wrong", 10), ("error", 4), ("needs_review", 9)))
    assert "WORST      wrong q001" in false


def test_an_error_is_printed_whole_with_its_questions_below() -> None:
    message = "the service said: " + "no more requests for this account today, " * 8 + "at all"
    failure = Failure("ServiceError", message)
    records = [
        Record(question=q.id, row=q.row, wanted=q.wanted, status="error", failure=failure)
        for q in fake.questions()[:7]
    ]
    scores = score(fake.run(), [], fake.questions(), records, name="r")
    flat = " ".join(terminal_report(scores).split())
    assert f"7x ServiceError: {message} q001, q002, q003, q004, q005 and 2 more" in flat
    assert message in markdown_report(scores)


def test_reports_of_nothing_can_be_printed() -> None:
    empty = score(fake.run(), [], fake.questions(), [], name="r")
    for text in (terminal_report(empty), markdown_report(empty), json_report(empty)):
        assert not re.search(r"\bnan\b", text.casefold())
    assert "130 not asked" in terminal_report(empty)


def test_a_report_names_the_model_the_address_and_the_prompt() -> None:
    told = {"model": "m-1", "api": "openai", "base_url": "http://h:1/v1", "prompt": "p version 1", "seed": 0}
    for spec in ("llm", "llm:m-1"):
        scores = made_up(settings=fake.settings(pipeline=spec, pipeline_settings=told))
        terminal, markdown = terminal_report(scores), markdown_report(scores)
        for text in (" ".join(terminal.split("\n\n")[1].split()), markdown):
            assert "m-1" in text
            assert "at http://h:1/v1" in text
            assert "prompt p version 1" in text
            assert text.count("m-1") == 1
        assert "pipeline: api openai   seed 0" in terminal
        assert "- pipeline: api openai, seed 0" in markdown
        assert max(map(len, terminal.splitlines())) <= 80
        assert json.loads(json_report(scores))["pipeline_settings"] == told


def test_all_that_is_compared_has_one_base() -> None:
    records = [fake.record(question, "refused") for question in fake.questions()[30:70]]
    part = score(fake.run(), [], fake.questions(), records, name="r", blind=3)
    told = "baselines: of the 40 asked refusing everything 10 blind (no documents) 3 best possible 40"
    assert told in " ".join(terminal_report(part).split())
    assert "as desired of the 40 asked: refusing everything 10" in markdown_report(part)
    unknown = score(fake.run(), [], fake.questions(), records, name="r", blind_note="not finished")
    assert "blind is n/a: not finished" in terminal_report(unknown)
    assert "asked" not in next(
        line for line in terminal_report(made_up()).splitlines() if "baselines" in line
    )


def test_columns_stay_aligned_whatever_the_names_are_long() -> None:
    for takes in ("passages", "retrieve"):
        lines = terminal_report(made_up(takes=takes), detail=True).splitlines()
        first = next(place for place, line in enumerate(lines) if line.startswith("RETRIEVAL"))
        names = ("gold ", "all gold ", "mean 1/rank (MRR)", "nDCG")
        column = 11 + (18 if takes == "retrieve" else 17) + 1
        for line, name in zip(lines[first : first + 4], names, strict=True):
            assert line[11:].startswith(name)
            assert re.match(r" [\dn]", line[column - 1 :])
        assert len({lines[first].index("gold first"), lines[first + 1].index("right document")}) == 1


def test_few_and_no_time_at_all() -> None:
    few = fake.questions()[:10]
    scores = score(fake.run(), [], few, [fake.record(each, "correct") for each in few], name="r")
    assert re.search(r"^total .*n<20$", terminal_report(scores), re.MULTILINE)
    assert re.search(r"^\| total .* n<20 \|$", markdown_report(scores), re.MULTILINE)
    assert "0.0s" not in terminal_report(scores)
    assert milliseconds(0.00001) == "under 0.1ms"
    assert milliseconds(0.0) == "under 0.1ms"


def test_another_run_is_named_in_the_commands() -> None:
    assert "ragharness show q032 20261121" in terminal_report(made_up(), reference="20261121")


def test_the_json_is_read_back() -> None:
    for scores in (made_up(), score(fake.run(), [], fake.questions(), [], name="r")):
        assert read_scores(json_report(scores).encode()) == scores


def test_the_json_has_the_promised_keys() -> None:
    document = json.loads(json_report(made_up()))
    promised = {
        "run",
        "corpus",
        "questions",
        "ungraded",
        "buckets",
        "result",
        "rows",
        "verdict",
        "axes",
        "retrieval",
        "seconds",
    }
    assert promised <= set(document)
    assert document["buckets"] == {"correct": 42, "wrong": 15, "unsupported": 17, "refused": 54}
    row = document["rows"]["does-not-say"]
    assert (row.pop("desired")["count"], row) == (
        13, {"n": 20, "correct": 0, "wrong": 1, "unsupported": 5, "refused": 13, "ungraded": 1},
    )  # fmt: skip


# -- foreign texts


@given(st.text())
def test_nothing_that_steers_a_terminal_survives(text: str) -> None:
    cleaned = clean(text)
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", cleaned)
    cleaned.encode("utf-8")
    assert "\n" not in one_line(text)
    assert len(one_line(text, 20)) <= 20


def test_ids_in_square_brackets_survive() -> None:
    text = show(answer="See [c1#3] and [/red] [bold]so[/bold].")
    assert "See [c1#3] and [/red] [bold]so[/bold]." in text


def test_markdown_of_an_error_stays_text() -> None:
    questions = fake.questions()
    failure = Failure("Evil|Error", "<b>x</b> [a](http://b) `c`\n# d")
    record = Record(
        question="q001", row="grounded/correct", wanted="correct", status="error", failure=failure
    )
    text = markdown_report(score(fake.run(), [], questions, [record], name="a|b"))
    assert r"Evil\|Error: \<b\>x\</b\> \[a\](http://b) \`c\` \# d" in text
    assert text.startswith("# a\\|b\n")


# -- one question


TEXT = "The term is two years. Nothing else is said about it."
CORPUS = Corpus("made-up", "", (Document(id="d1", title="First Deed", text=TEXT),))
PASSAGES = {
    "d1#1": Passage("d1#1", "d1", "First Deed", 0, 22, TEXT[:22]),
    "d1#2": Passage("d1#2", "d1", "First Deed", 23, 53, TEXT[23:]),
}
QUESTION = Question(
    id="q041",
    text="How long is the term in the First Deed?",
    stratum="grounded",
    target="wrong",
    kind="number",
    answerable=True,
    document="d1",
    answers=("2",),
    unit="years",
    evidence=(Evidence("d1", 0, 22),),
    distractors=(Distractor("3", "the Second Deed"),),
)


def show(answer: str = "The term is three years [d1#2].", width: int = 80, **changes: Any) -> str:
    values: dict[str, Any] = {
        "question": "q041",
        "row": "grounded/wrong",
        "wanted": "correct",
        "status": "ok",
        "retrieved": (Retrieved("d1#2", 7.25), Retrieved("d1#1", 3.0)),
        "evidence_ranks": (2,),
        "answer": Answer(text=answer),
        "verdict": Verdict(
            status="ok",
            bucket="wrong",
            reason="DISTRACTOR",
            flags=("over_refusal",),
            decided_by=12,
            why="3 years belongs to the Second Deed",
            match="distractor",
            evidence_retrieved=True,
            value="3 years",
            grader="rules 1",
            citation_exists="yes",
            citation_supports="no",
            extra_claim_count=0,
            sentences=(Sentence("The term is three years.", True, ("d1#2", "d9#9")),),
        ),
        "seconds": 0.25,
    }
    record = Record(**{**values, **changes})
    return show_question(QUESTION, record, corpus=CORPUS, passages=PASSAGES, gold={"d1#1"}, width=width)


def test_one_question_word_by_word() -> None:
    assert show() == (GOLDEN / "show_80.txt").read_text(encoding="utf-8")


def test_a_question_can_be_shown_without_texts_without_an_answer_and_after_an_error() -> None:
    assert "answer     none yet: not asked, or still running" in show_question(QUESTION, None)
    bare = show_question(QUESTION, None, width=40)
    assert "d1 characters 0-22" in bare
    assert max(map(len, bare.splitlines())) <= 60
    waiting = show(status="needs_review", verdict=None)
    assert "type tempting, not graded yet, should be answered" in waiting
    assert "verdict none yet: continuing the run grades it" in " ".join(waiting.split())
    failed = show(answer="x", status="error", verdict=None, failure=Failure("ValueError", "boom"))
    assert "failed     ValueError: boom" in failed
    assert "verdict    none: error" in failed
    assert "why        it raised an exception: the answer is kept" in failed
    late = show(
        status="timeout", verdict=None, answer="", failure=Failure("TimeoutError", "no answer after 1 s")
    )
    assert "why        the call exceeded the time limit" in late
    assert "nothing" in show(retrieved=())


def test_how_each_sentence_was_read_and_where_the_marks_stand() -> None:
    sentences = (
        Sentence("It is two years.", True),
        Sentence("See the deed.", False, ("d1#1",), joint_support=True),
        Sentence("It began in May.", True, ("d1#2",), joint_support=False),
        *(Sentence(f"Line {number}.", True) for number in range(10)),
    )
    verdict = Verdict(
        status="ok", bucket="unsupported", reason="UNCITED", why="Nothing cited.", sentences=sentences
    )
    text = show(verdict=verdict)
    assert "why        Nothing cited." in text
    assert "sentences  claim, uncited: It is two years." in text
    assert "no claim, cites d1#1, which supports it: See the deed." in text
    assert "claim, cites d1#2, which does not support it: It began in May." in text
    assert "and 1 more" in text


# -- small forms


@pytest.mark.parametrize(
    ("count", "n", "expected"),
    [(0, 130, "0%"), (1, 1000, "<1%"), (999, 1000, ">99%"), (130, 130, "100%"), (1, 3, "33%"), (0, 0, "n/a")],
)
def test_a_rate_is_never_rounded_to_what_it_is_not(count: int, n: int, expected: str) -> None:
    assert rate(share(count, n)) == expected


def test_small_forms() -> None:
    assert interval(share(93, 130)) == "[63-79]"
    assert interval(share(0, 0)) == ""
    times = (0.04, 9.97, 59.6, 192, 7500)
    assert [duration(seconds) for seconds in times] == ["0.0s", "10s", "1m00s", "3m12s", "2h05m"]
    assert [milliseconds(each) for each in (0.0004, 0.0123, 0.9999, 1.26)] == [
        "0.4ms",
        "12ms",
        "1.0s",
        "1.3s",
    ]
    assert [money(cost) for cost in (None, 0.0, 0.0004, 0.41, 12.0)] == [
        "",
        "$0.00",
        "$0.0004",
        "$0.41",
        "$12.00",
    ]
    assert flow([], 80, "LABEL ") == []
    assert fetching_line("x.zip", 1_500_000, 3_000_000) == "x.zip  1.5 of 3.0 MB"
    line = fetching_line("embedding", 500, 1_500, "passages", 20.0)
    assert line == "embedding  500 of 1,500 passages  25/s  ~40s left"
    assert fetching_line("embedding", 0, 1_500, "passages", 3.0) == "embedding  0 of 1,500 passages"


def test_the_live_line() -> None:
    progress = Progress(130, answered=30)
    questions = fake.questions()
    for question in questions[:30]:
        progress.count(fake.record(question, "error"))
    progress.began -= 60
    assert progress_line(progress) == "30/130  0 as desired  30 ungraded  1m00s  Ctrl-C stops and saves"
    for question in questions[30:60]:
        progress.answered += 1
        progress.count(fake.record(question, "correct"))
    line = "60/130  30 as desired  30 ungraded  1m00s  ~2m20s left  Ctrl-C stops and saves"
    assert progress_line(progress) == line
    assert progress_line(progress, 40) == "60/130  30 as desired  30 ungraded"
    progress.answered = 66
    assert "60 graded" not in progress_line(progress)
    progress.answered = 67
    assert progress_line(progress, 40) == "67/130  60 graded  30 as desired"
    progress.answered = 130
    assert progress_line(progress, 40) == "130/130  60 graded  30 as desired"


def test_the_footer_says_how_often_the_grader_errs(verb: Verb) -> None:
    measured = json.loads((ROOT / "benchmarks" / "own_answers.json").read_text())
    right, n, _, _ = measured["parts"]["unseen"]["rates"]["precision of correct"]
    verb("run", "--limit", "13", "--out", "graded")
    for form in ("terminal", "markdown", "html"):
        verb("report", "graded", "--format", form, "--out", f"report.{form}")
        shown = " ".join(Path(f"report.{form}").read_text().split())
        assert f"right in calling {right} of {n} correct" in shown, form
    run = Path("graded/run.json")
    run.write_text(run.read_text().replace(measured["grader"], "another@1"))
    assert "right in calling" not in verb("report", "graded").output
