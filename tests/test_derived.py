"""Metrics that others published: worked numbers, their own scorers' output, and what a run shows of them."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import replace
from itertools import permutations
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import ragharness as rh
import run_fakes as fake
from conftest import SHARED
from ragharness.analysis.derived import WEIGHTS, Cited, Item, MetricOptions, derived, items, measure, wrong
from ragharness.analysis.derived.alce_citation_precision import citation_precision
from ragharness.analysis.derived.alce_citation_recall import citation_recall
from ragharness.analysis.derived.aurc import risks
from ragharness.analysis.derived.ragas_context_precision import average_precision
from ragharness.analysis.measuring import (
    PROMPT,
    Metrics,
    judged,
    judgement,
    metrics_of_outputs,
    ragchecker,
    read_wanted,
)
from ragharness.analysis.trust_eval import FLAG, compat, normalise, outputs, partial_ratio
from ragharness.errors import CodeNotUsable, RagharnessError, UsageError
from ragharness.records import Answer, Retrieved, Sentence
from ragharness.reports.measures import metric_sections
from ragharness.reports.text import render

if TYPE_CHECKING:
    from commands import Verb

CASES = SHARED / "spec" / "cases"
SHARED_ONLY = pytest.mark.skipif(
    not CASES.exists(), reason="needs ../shared, which is not part of the project"
)


def worked() -> Any:
    return json.loads((CASES / "derived_cases.json").read_text(encoding="utf-8"))


def trust_cases() -> Any:
    return json.loads((CASES / "trust_score_cases.json").read_text(encoding="utf-8"))


def item(**changes: Any) -> Item:
    values = {"question": "q", "refused": False, "in_corpus": True, "in_retrieval": True, "bucket": "correct"}
    return Item(**{**values, **changes})


def in_bucket(bucket: str, **changes: Any) -> Item:
    right = bucket == "correct"
    return item(bucket=bucket, refused=bucket == "refused", matched=right, found=float(right), **changes)


def twelve() -> list[Item]:
    return [
        item(
            question=each["id"],
            refused=each["bucket"] == "refused",
            in_corpus=bool(each["answerable_in_corpus"]),
            in_retrieval=bool(each["evidence_in_retrieval"]),
            bucket=each["bucket"],
            matched=bool(each["answer_match"]),
            found=float(each["answer_match"]),
            confidence=each["confidence"],
        )
        for each in worked()["records"]
    ]


def figures(name: str, found: Sequence[Item], how: MetricOptions | None = None) -> dict[str, float | None]:
    (measured,) = measure([name], found, how)
    return {"value": measured.value, **measured.figures}


@SHARED_ONLY
def test_the_worked_numbers_of_trust_score() -> None:
    cases, found = worked(), twelve()
    refusal = figures("grounded_refusal_f1", found)
    for where, key in (("retrieval", "evidence_in_retrieval"), ("corpus", "in_corpus")):
        wanted = cases[f"{'trust_' if where == 'retrieval' else ''}F1_GR(answerable={key})"]
        for name, value in wanted.items():
            assert refusal[f"{where}.{name.lower()}"] == pytest.approx(value), (where, name)
    assert refusal["value"] == refusal["retrieval.f1_gr"]
    assert figures("grounded_refusal_f1", found, MetricOptions("corpus"))["value"] == refusal["corpus.f1_gr"]
    assert refusal["corpus.answered_ratio"] == pytest.approx(cases["answered_ratio"])
    correctness, wanted = figures("answer_correctness_f1", found), cases["trust_F1_AC"]
    assert correctness["value"] == pytest.approx(wanted["F1_AC"])
    assert correctness["retrieval.p_ac"] == pytest.approx(wanted["P_AC"])
    assert correctness["retrieval.r_ac"] == pytest.approx(wanted["R_AC"])


@SHARED_ONLY
def test_the_worked_numbers_of_the_other_metrics() -> None:
    cases, found = worked(), twelve()
    crag = cases["crag"]
    assert figures("crag_truthfulness", found)["value"] == pytest.approx(crag["truthfulness"])
    assert crag["accuracy"] - crag["hallucination"] == pytest.approx(crag["truthfulness"])
    simple = figures("simpleqa_f1", found)
    for mapping in ("grounded(bucket==correct)", "world(answer_match)"):
        where = mapping.partition("(")[0]
        for name, value in cases[f"simpleqa_{mapping}"].items():
            assert simple[f"{where}.{name}"] == pytest.approx(value), (where, name)
    abstention = figures("abstention_f1", found)
    for name, value in cases["abstentionbench(should_abstain=not in corpus)"].items():
        assert abstention[f"corpus.{name}"] == pytest.approx(value)
    unanswered = figures("unanswered_ratio", found)
    assert unanswered["value"] == cases["uaeval4rag"]["unanswered_ratio"]
    assert unanswered["answerable_accuracy"] == cases["uaeval4rag"]["answerable_accuracy"]
    rates, wanted = figures("rag_eval_precision", found), cases["wfgy_like"]
    assert (rates["value"], rates["under_refusal"], rates["over_refusal"]) == tuple(wanted.values())


@SHARED_ONLY
def test_the_worked_numbers_of_risk_against_coverage() -> None:
    cases, found = worked(), twelve()
    area, wanted = figures("aurc", found), cases["aurc_loss=not_correct"]
    point = cases["risk_coverage_point"]
    assert (area["coverage"], area["selective_risk"]) == pytest.approx(tuple(point.values()))
    assert area["value"] == pytest.approx(wanted["aurc"])
    assert area["oracle"] == pytest.approx(wanted["aurc_oracle"])
    assert area["e_aurc"] == pytest.approx(wanted["eaurc"])
    at_k = [errors / k for k, errors in enumerate(risks(found), 1)]
    assert at_k == pytest.approx(wanted["risk_at_k"])
    assert at_k[-1] == pytest.approx(wanted["random_baseline"])


@SHARED_ONLY
def test_the_worked_numbers_of_utility_and_of_two_systems() -> None:
    cases, found = worked(), twelve()
    for weights, key in (
        ((1, -1, -1, 0), "crag(+1,-1,-1,0)"),
        ((1, -3, -3, 0), "t=0.75(+1,-3,-3,0)"),
        ((1, -4, -2, 0), "example(+1,-4,-2,0)"),
    ):
        how = MetricOptions(weights=dict(zip(WEIGHTS, map(float, weights), strict=True)))
        assert figures("utility", found, how)["value"] == pytest.approx(cases["utility"][key])
    both = cases["seed_A_vs_B"]
    systems = {
        name: [in_bucket(bucket) for bucket, part in both[name].items() for _ in range(round(100 * part))]
        for name in "AB"
    }
    for name, system in systems.items():
        assert figures("crag_truthfulness", system)["value"] == pytest.approx(both[f"crag_{name}"])
        assert figures("simpleqa_f1", system)["value"] == pytest.approx(both[f"simpleqa_f1_{name}"])
        wanted = both[f"precision_answered_{name}"]
        assert figures("rag_eval_precision", system)["value"] == pytest.approx(wanted)
        misled = sum(each.bucket in ("wrong", "unsupported") for each in system) / 100
        assert 1 - misled == pytest.approx(both[f"acceptable_{name}"])
    penalty = both["break_even_penalty"]
    assert both["break_even_t"] == pytest.approx(penalty / (1 + penalty))
    how = MetricOptions(weights={"correct": 1, "wrong": -penalty, "unsupported": -penalty, "refused": 0})
    a, b = (figures("utility", system, how)["value"] for system in systems.values())
    assert a == pytest.approx(b)
    a, b = (figures("utility", system)["value"] or 0 for system in systems.values())
    assert a > b, "the usual weights rank the two as the rubric does"


@SHARED_ONLY
def test_the_worked_numbers_of_ragas_and_alce() -> None:
    cases = worked()
    ragas, alce = cases["ragas_context"], cases["alce"]
    relevant = tuple(each in ragas["gold"] for each in ragas["retrieved"])
    assert [int(each) for each in relevant] == ragas["verdicts"]
    assert average_precision(relevant) == pytest.approx(ragas["context_precision_ap"], abs=1e-15)
    found = [item(relevant=relevant, gold_passages=len(ragas["gold"]))]
    assert figures("ragas_context_precision", found)["value"] == pytest.approx(ragas["context_precision_ap"])
    assert figures("ragas_id_context_precision", found)["value"] == ragas["id_context_precision"]
    assert figures("ragas_id_context_recall", found)["value"] == pytest.approx(ragas["id_context_recall"])
    claims = (Cited(True, (True,)),) * 3 + (Cited(),)
    assert figures("ragas_faithfulness", [item(sentences=claims)])["value"] == ragas["faithfulness_3_of_4"]
    for name, case in alce["cases"].items():
        (read,) = outputs([{"question": "", "answers": [], "docs": alce["docs"], "output": case["output"]}])
        sentences = read.sentences(shared=False)
        if case["citation_rec"] == "NaN":
            assert sentences == ()
            assert figures("alce_citation_recall", [item()])["value"] is None
        else:
            assert 100 * citation_recall(sentences) == case["citation_rec"], name
            assert 100 * citation_precision(sentences) == case["citation_prec"], name


@SHARED_ONLY
def test_the_worked_numbers_of_ragchecker() -> None:
    cases = worked()["ragchecker"]
    matrices = (cases[f"retrieved2{name}[claim][passage]"] for name in ("response", "answer"))
    told = ragchecker(cases["answer2response"], cases["response2answer"], *matrices)
    assert told == pytest.approx({name: cases[name] for name in told})
    assert told == pytest.approx(worked()["ragchecker_reference_run"])
    noisy = ragchecker([False, False], [False], [[True, False], [False, True]], [[True, False]])
    assert noisy["noise_sensitivity_in_relevant"] == noisy["noise_sensitivity_in_irrelevant"] == 0.5
    assert set(ragchecker([], [], [], []).values()) == {0.0}


@SHARED_ONLY
def test_compat_is_what_trust_eval_gives() -> None:
    cases = trust_cases()["cases"]
    assert len(cases) > 10
    for case in cases:
        read = outputs(case["data"], mode=case["config"]["eval_type"])
        if case["reference_error"]:
            with pytest.raises(UsageError, match="expected passages"):
                compat(read)
            continue
        told = compat(read)
        assert {name: round(value, 6) for name, value in told.items()} == case["expected"], case["name"]
        assert list(told) == list(case["expected"])


@SHARED_ONLY
def test_compat_looks_for_claims_by_entailment_too() -> None:
    data = trust_cases()["cases"][0]["data"]
    plain, entailed = compat(outputs(data)), compat(outputs(data, mode="cm"))
    assert [name for name in entailed if name not in plain] == [
        "regular_claims_nli", "answered_claims_nli", "calib_answered_claims_nli", "calib_answerable_claims_nli",
        "parametric_answered_claims_nli", "calib_claims_nli_f1",
    ]  # fmt: skip
    assert entailed["calib_claims_nli_f1"] == plain["calib_str_em_f1"]
    never = compat(outputs(data, mode="cm", entails=lambda premise, claim: False))
    assert (never["regular_claims_nli"], never["answered_citation_f1"]) == (0, 0)


def test_an_empty_output_is_an_answer_to_trust_eval_and_none_of_ours(tmp_path: Path) -> None:
    doc = {"title": "Zed", "text": "Ann runs Zed.", "answers_found": [1]}
    rows = [
        {"question": "Who runs Zed?", "answers": [["Ann"]], "docs": [doc], "output": ""},
        {
            "question": "Who runs Y?",
            "answers": [["Bob"]],
            "docs": [{**doc, "answers_found": [0]}],
            "output": f"{FLAG} to your question in the search results.",
        },
    ]
    told = compat(outputs(rows))
    assert (told["macro_f1"], round(told["trust_score"], 2)) == (100, 33.33)
    path = tmp_path / "outputs.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)))
    found = metrics_of_outputs(path, read_wanted("trust_score"))
    assert (found.questions, found.ungraded) == (["Who runs Y?"], 1)


@SHARED_ONLY
def test_its_fuzzy_refusals_and_why_they_are_not_ours() -> None:
    probes = trust_cases()["refusal_rule"]["probes"]
    assert len(probes) == 16
    for probe in probes:
        assert normalise(probe["output"]) == probe["normalized"]
        ratio = partial_ratio(normalise(FLAG), normalise(probe["output"]))
        assert ratio == probe["fuzzywuzzy_partial_ratio"], probe["output"]
        assert (ratio > 85) == probe["is_refusal"]


@SHARED_ONLY
def test_texts_without_compat_are_read_as_answers_are(tmp_path: Path) -> None:
    cases = {each["name"]: each for each in trust_cases()["cases"]}
    path = tmp_path / "outputs.json"

    def trust(name: str) -> Any:
        path.write_text(json.dumps(cases[name]["data"]), encoding="utf-8")
        return metrics_of_outputs(path, read_wanted("trust_score,grounded_refusal_f1"))

    assert trust("perfect")["trust_score"].value == pytest.approx(1.0)
    assert trust("balanced_2x2")["trust_score"].value == pytest.approx(0.5)
    # Nothing unanswerable was asked: compat has 0 for refusing.
    assert trust("union_over_documents")["grounded_refusal_f1"].value is None
    # Without passages nothing is answerable, and refusing is right.
    assert trust("no_documents_retrieved")["grounded_refusal_f1"].value == pytest.approx(1.0)


@SHARED_ONLY
def test_the_plan_s_own_cases() -> None:
    cases = {each["name"]: each for each in trust_cases()["autorag_research_cases"]["cases"]}
    for name in ("upstream_test_gr", "upstream_test_ac", "no_retrieval_unanswerable_refused"):
        rows = cases[name]["rows"]
        found = []
        for row in rows:
            golds, text = row["generation_gt"] or [], row["generated_texts"]
            told = sum(gold in text for gold in golds)
            held = " ".join(" ".join(each) for each in row.get("retrieval_gt_contents", []))
            known = [gold for gold in golds if gold in held] if held else golds
            found.append(
                item(
                    refused=text.startswith("I apologize"),
                    in_corpus=bool(golds),
                    found=told / len(known) if known else 0.0,
                )
            )
        wanted = cases[name]["expected_builtin_phrase_mode_0_1"]
        how = MetricOptions("corpus")
        assert figures("grounded_refusal_f1", found, how)["value"] == pytest.approx(
            wanted["grounded_refusal_f1"]
        )
        correct = figures("answer_correctness_f1", found, how)["value"]
        assert correct == pytest.approx(wanted["answer_correctness_f1"])


JUDGED = {
    "Reasoning: x\nSpan: y\nJudgement: REFUSED": True,
    "Judgement: NOT REFUSED": False,
    "judgement : not refused": False,
    "**Judgement:** REFUSED": True,
    "Judgement: REFUSED\n...\nJudgement: NOT REFUSED": False,
    "Judgment: REFUSED": True,
    "Judgement: [REFUSED]": True,
    "Reasoning: NOT REFUSED would need an attempt.\n**Judgement:** REFUSED": True,
    "Judgement:\nNOT  REFUSED": False,
    "I think it is NOT REFUSED": None,
    "REFUSED? yes": None,
    "Judgement: UNREFUSED": None,
    "no idea": None,
}


@pytest.mark.parametrize("reply", JUDGED)
def test_a_judgement_is_a_labelled_line(reply: str) -> None:
    assert judgement(reply) is JUDGED[reply]


@SHARED_ONLY
def test_every_reply_of_the_cases_is_judged_here() -> None:
    replies = trust_cases()["autorag_research_cases"]["refusal_judge_parser"]
    assert {each["judge_output"] for each in replies} == set(JUDGED)


def test_an_unreadable_judgement_is_asked_for_again_then_left_to_a_person() -> None:
    asked: list[str] = []

    def judge(prompt: str) -> str:
        asked.append(prompt)
        if "first" in prompt:
            return "Judgement: REFUSED" if len(asked) > 1 else "hm"
        return "hm"

    read, left = judged([item(text="first", asked="a?"), item(question="r", text="other")], judge)
    assert [each.refused for each in read] == [True]
    assert ([each.question for each in left], len(asked)) == (["r"], 4)
    assert asked[0] == PROMPT.format(question="a?", answer="first")


def test_granularity_is_declared_and_a_data_set_s_value_is_that_of_every_row() -> None:
    known = derived()
    assert {name for name, each in known.items() if each.granularity == "question"} >= {
        "crag_truthfulness", "utility", "alce_citation_recall", "ragas_id_context_recall",
    }  # fmt: skip
    assert (
        known["grounded_refusal_f1"].granularity == known["answer_correctness_f1"].granularity == "data set"
    )
    found = [
        in_bucket("correct"),
        in_bucket("refused", in_corpus=False, in_retrieval=False),
        in_bucket("wrong"),
    ]
    for measured in measure(known, found):
        assert len(measured.rows) == 3
        if measured.granularity == "data set":
            assert measured.rows == [measured.value] * 3
        else:
            told = [each for each in measured.rows if each is not None]
            assert measured.value == (pytest.approx(sum(told) / len(told)) if told else None)
    assert measure(["crag_truthfulness"], found)[0].rows == [1.0, 0.0, -1.0]


@pytest.mark.parametrize("name", derived())
def test_failing_raises_no_score_unseen(name: str) -> None:
    held = {"sentences": (Cited(True, (True,)),), "relevant": (True,), "gold_passages": 1, "confidence": 0.9}
    found = [in_bucket("correct", **held), in_bucket("refused", in_corpus=False, in_retrieval=False)]
    (measured,) = measure([name], found, ungraded=[wrong("x", True, True), wrong("y", False, False)])
    assert measured.ungraded == 2
    assert measured.value is not None
    assert measured.if_wrong is not None
    if name.startswith(("alce", "ragas", "grounded_citation")):
        assert measured.if_wrong == measured.value
    elif derived()[name].higher_is_better:
        assert measured.if_wrong < measured.value
    else:
        assert measured.if_wrong > measured.value


def test_a_metric_of_the_data_set_sees_all_answers_in_one_pass(monkeypatch: pytest.MonkeyPatch) -> None:
    passes: list[int] = []
    real = derived()["grounded_refusal_f1"]

    def over(found: Sequence[Item], how: MetricOptions) -> dict[str, float | None]:
        passes.append(len(found))
        assert real.over is not None
        return real.over(found, how)

    monkeypatch.setitem(derived(), "grounded_refusal_f1", replace(real, over=over))
    measure(["grounded_refusal_f1"], [item()] * 7)
    assert passes == [7]


@pytest.mark.parametrize("name", derived())
def test_every_metric_declares_itself_and_keeps_its_range(name: str) -> None:
    metric = derived()[name]
    assert metric.sentence.endswith((".", ")."))
    assert metric.label
    assert metric.formula
    assert metric.source
    least, most = metric.range
    for bucket in WEIGHTS:
        value = measure([name], [in_bucket(bucket, confidence=0.5)] * 3)[0].value
        assert value is None or (least <= value and (most is None or value <= most))
    assert measure([name], [])[0].value in (None, 0.0)


ITEMS = st.lists(
    st.builds(
        lambda bucket, corpus, retrieval, confidence: in_bucket(
            bucket, in_corpus=corpus, in_retrieval=retrieval, confidence=confidence
        ),
        st.sampled_from(sorted(WEIGHTS)),
        st.booleans(),
        st.booleans(),
        st.sampled_from([0.1, 0.5, 0.9]),
    ),
    min_size=1,
    max_size=12,
)


@given(ITEMS)
def test_scikit_learn_agrees(found: list[Item]) -> None:
    metrics = pytest.importorskip("sklearn.metrics", reason="needs scikit-learn to compare with")
    refused = [each.refused for each in found]
    unanswerable = [not each.in_retrieval for each in found]
    ours = figures("grounded_refusal_f1", found)
    if len(set(unanswerable)) == 2:
        wanted = metrics.f1_score(
            unanswerable, refused, average="macro", labels=[True, False], zero_division=0
        )
        assert ours["value"] == pytest.approx(wanted)
    else:
        assert ours["value"] is None
    called_for = [not each.in_corpus for each in found]
    p, r, f1, _ = metrics.precision_recall_fscore_support(
        called_for, refused, average="binary", zero_division=0
    )
    told = figures("abstention_f1", found)
    assert (told["corpus.precision"], told["corpus.recall"], told["value"]) == pytest.approx((p, r, f1))


@given(st.lists(st.booleans(), min_size=1, max_size=8).filter(any))
def test_average_precision_is_that_of_scikit_learn(relevant: list[bool]) -> None:
    metrics = pytest.importorskip("sklearn.metrics", reason="needs scikit-learn to compare with")
    wanted = metrics.average_precision_score(relevant, range(len(relevant), 0, -1))
    assert average_precision(relevant) == pytest.approx(wanted, abs=1e-8)


@given(ITEMS)
def test_ties_of_confidence_are_averaged_over_their_orders(found: list[Item]) -> None:
    found = found[:6]
    orders = []
    for order in permutations(found):
        ranked = sorted(order, key=lambda each: (each.refused, -(each.confidence or 0)))
        errors = [each.bucket != "correct" for each in ranked]
        orders.append([sum(errors[:k]) for k in range(1, len(errors) + 1)])
    means = [sum(column) / len(orders) for column in zip(*orders, strict=True)]
    assert risks(found) == pytest.approx(means)


def test_an_answer_without_confidence_leaves_the_point_and_no_curve() -> None:
    told = figures("aurc", [in_bucket("correct"), in_bucket("wrong", confidence=0.4)])
    assert (told["value"], told["coverage"], told["selective_risk"]) == (None, 1.0, 0.5)
    assert figures("aurc", [in_bucket("refused")])["selective_risk"] is None


def test_records_become_items() -> None:
    asked, withheld = fake.question("a"), fake.question("b", "grounded", "unsupported", withheld="document")
    sentences = (
        Sentence("It is gold.", True, ("p1", "p2"), True, (True, False), (False, True)),
        Sentence("It shines.", True, ("p9",), False, (False,)),
        Sentence("See below.", False),
    )
    record = fake.record(asked, "correct", match="match", sentences=sentences)
    hits = (Retrieved("p1", 2.0), Retrieved("p2", 1.0))
    (found,) = items(
        [asked], [_with(record, retrieved=hits, answer=Answer(text="It is gold.", confidence=0.7))]
    ).graded
    assert found.sentences == (Cited(True, (True, False), (False, True)), Cited())
    assert (found.sentences[0].useful, found.sentences[1].useful) == (1, 0)
    assert (found.relevant, found.gold_passages, found.confidence) == ((True, False), 1, 0.7)
    assert (found.in_corpus, found.in_retrieval, found.matched, found.found) == (True, True, True, 1.0)
    (kept_back,) = items([withheld], [fake.record(withheld, "refused", found=False)]).graded
    assert (kept_back.in_corpus, kept_back.in_retrieval, kept_back.refused) == (False, False, True)
    lost = items([asked, withheld], [fake.record(asked, "needs_review"), fake.record(asked, "error")])
    assert lost.graded == []
    assert [(each.question, each.bucket, each.in_corpus, each.in_retrieval) for each in lost.ungraded] == [
        ("a", "wrong", True, True), ("b", "wrong", False, False),
    ]  # fmt: skip
    # The last record of a question counts.
    assert [each.bucket for each in items([asked], [record, fake.record(asked, "wrong")]).graded] == ["wrong"]
    with pytest.raises(RagharnessError, match="found one of 'b'"):
        items([asked], [fake.record(withheld, "refused")])


def _with(record: Any, **changes: Any) -> Any:
    from msgspec.structs import replace as changed

    return changed(record, **changes)


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> rh.Run:
    return rh.run("extractive", out=tmp_path_factory.mktemp("runs") / "r", progress=False)


def test_a_run_measures_itself_in_python(finished: rh.Run) -> None:
    found = finished.metrics()
    assert [each.name for each in found.metrics] == list(derived())
    assert len(found.questions) + found.ungraded == 130
    graded = finished.scores.buckets
    crag = (graded["correct"] - graded["wrong"] - graded["unsupported"]) / len(found.questions)
    assert found["crag_truthfulness"].value == pytest.approx(crag)
    assert all(len(each.rows) == len(found.questions) for each in found.metrics)
    assert all(each.ungraded == found.ungraded for each in found.metrics)
    worst = (graded["correct"] - (130 - graded["correct"] - graded["refused"])) / 130
    assert found["crag_truthfulness"].if_wrong == pytest.approx(worst)
    some = finished.metrics("utility", "crag_truthfulness", weights={"wrong": -1, "unsupported": -1})
    assert [each.value for each in some.metrics] == pytest.approx([crag, crag])
    with pytest.raises(
        UsageError, match="no metric is named 'crag_truthful'; did you mean crag_truthfulness"
    ):
        finished.metrics("crag_truthful")
    with pytest.raises(UsageError, match="answerable"):
        finished.metrics(answerable="somewhere")
    with pytest.raises(UsageError, match="no metric of this result"):
        some["aurc"]


class Model:
    """A chat model as LangChain has it."""

    def __init__(self, reply: str) -> None:
        self.reply = reply

    def invoke(self, prompt: str) -> Any:
        return type("Message", (), {"content": self.reply if "Judgement" in prompt else ""})()


def test_a_judge_takes_the_grader_s_place(finished: rh.Run, tmp_path: Path) -> None:
    refused = finished.metrics("grounded_refusal_f1", judge=Model("Judgement: REFUSED"))
    assert refused["grounded_refusal_f1"].figures["retrieval.answered_ratio"] == 0
    silent = finished.metrics("grounded_refusal_f1", judge=lambda _: "I would say so")
    graded = len(finished.metrics("utility").questions)
    assert (silent.questions, len(silent.undecided)) == ([], graded)
    assert silent["grounded_refusal_f1"].value is None
    (tmp_path / "judges.py").write_text("def ask(prompt):\n    return 'Judgement: NOT REFUSED'\n")
    named = finished.metrics("grounded_refusal_f1", judge=f"{tmp_path}/judges.py:ask")
    assert named["grounded_refusal_f1"].figures["retrieval.answered_ratio"] == 1
    assert named.judge.endswith("judges.py:ask")
    with pytest.raises(CodeNotUsable, match="expected a function"):
        finished.metrics(judge=3)


def test_the_command_prints_metrics_and_keeps_them_beside_the_scores(finished: rh.Run, verb: Verb) -> None:
    run, kept = str(finished.path), finished.path / "metrics.json"
    before = finished.path.joinpath("scores.json").read_bytes()
    done = verb("score", run, "--metrics", "crag_truthfulness,trust_score")
    assert done.code == 0
    assert "CRAG truthfulness" in done.output
    assert "TRUST" in done.output
    assert "answers are graded" in done.output.splitlines()[0]
    told = json.loads(verb("score", run, "--metrics", "all", "--json").output)
    assert told == json.loads(kept.read_text())
    assert [each["name"] for each in told["metrics"]] == list(derived())
    assert finished.path.joinpath("scores.json").read_bytes() == before
    plain = verb("score", run).output
    assert not any(each.label in plain for each in derived().values() if each.label != "utility")
    assert "no metric is named 'trust'" in verb("score", run, "--metrics", "trust").errors


def test_the_table_fits_and_has_a_column_for_what_is_ungraded() -> None:
    def told(ungraded: int) -> list[str]:
        found = Metrics(
            run="r",
            questions=["q"] * 1000,
            ungraded=ungraded,
            undecided=[],
            answerable="retrieval",
            weights=WEIGHTS,
            judge="",
            metrics=measure(derived(), [item()] * 1000, ungraded=[wrong("x", True, True)] * ungraded),
        )
        return render(metric_sections(found, "Not a result: x"), "text").splitlines()

    assert told(0)[0] == told(2)[0] == "Not a result: x"
    assert max(map(len, told(2))) <= 80
    assert any(line.endswith("REST WRONG") for line in told(2))
    assert not any("REST WRONG" in line for line in told(0))


def test_settings_come_from_a_file(finished: rh.Run, tmp_path: Path, verb: Verb) -> None:
    path = tmp_path / "metrics.toml"
    path.write_text('metrics = ["utility", "trust_score"]\nanswerable = "corpus"\n[weights]\nwrong = -9\n')
    told = json.loads(verb("score", str(finished.path), "--metrics", str(path), "--json").output)
    assert (told["answerable"], told["weights"]["wrong"], told["weights"]["correct"]) == ("corpus", -9, 1)
    trust = told["metrics"][1]
    assert trust["value"] == trust["figures"]["corpus.trust"]
    for text, sentence in (
        ("answerabel = 1", "no setting of metrics is named 'answerabel'"),
        ('answerable = "x"', "expected settings of metrics"),
        ("[weights]\nright = 1", "no bucket is named 'right'"),
        ("metrics = [", "cannot read"),
    ):
        path.write_text(text)
        done = verb("score", str(finished.path), "--metrics", str(path))
        assert (done.code, sentence in done.errors) == (3, True), done.errors


def test_metrics_fit_a_narrow_terminal(finished: rh.Run, verb: Verb, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    lines = verb("score", str(finished.path), "--metrics", "all").output.splitlines()
    assert max(map(len, lines)) <= 60
    assert any("UAEval4RAG" in line for line in lines)


@SHARED_ONLY
def test_the_command_scores_outputs_of_other_systems(tmp_path: Path, verb: Verb) -> None:
    case = trust_cases()["cases"][0]
    for text in (
        json.dumps(case["data"]),
        json.dumps({"data": case["data"]}, indent=1),
        "\n".join(map(json.dumps, case["data"])),
    ):
        path = tmp_path / "outputs.json"
        path.write_text(text)
        printed = json.loads(
            verb("score", "--metrics", "trust_score", "--trace", str(path), "--compat").output
        )
        assert {name: round(value, 6) for name, value in printed.items()} == case["expected"]
    told = json.loads(verb("score", "--metrics", "all", "--trace", str(path), "--json").output)
    assert {each["name"] for each in told["metrics"]} == {
        name for name, each in derived().items() if each.from_texts
    }
    assert math.isclose(told["metrics"][-1]["value"], 0.5)
    needs = verb("score", "--metrics", "crag_truthfulness", "--trace", str(path))
    assert "expected a metric that texts give, found crag_truthfulness" in needs.errors
    for bad, sentence in (("[1]", "in item 1, found 1"), ("[", "is not JSON"), ("", "holds no outputs")):
        path.write_text(bad)
        done = verb("score", "--metrics", "trust_score", "--trace", str(path))
        assert (done.code, sentence in done.errors) == (3, True), done.errors
