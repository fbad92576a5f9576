"""The gate: the five rules literally, ungraded answers bounded, and nothing that can be talked round."""

from __future__ import annotations

import json
import random
from collections.abc import Iterable, Sequence
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

import ragharness as rh
import run_fakes as fake
from gate_fakes import epochs_of, folder, mark, outcomes, side, written
from ragharness.analysis.gate import Decision, decide, gate
from ragharness.analysis.rules import Gates, Limits, read_gates
from ragharness.analysis.sides import Mark, Side, bucket_of, mark_of, settle
from ragharness.errors import UnknownName, UsageError
from ragharness.records import BUCKETS, Answer, Question, Record, Sentence
from ragharness.reports.compare import gate_sections
from ragharness.reports.text import render
from test_memory import peak_mb

if TYPE_CHECKING:
    from commands import Verb

STRICT = Gates(no_new_wrong=True)


def judged(base: str, candidate: str, gates: Gates | None = None) -> Decision:
    return decide(side(outcomes(base)), side(outcomes(candidate)), gates or Gates())


def rule(found: Decision, name: str) -> Any:
    return next(each for each in found.rules if each.name == name)


@pytest.mark.parametrize(
    ("base", "candidate", "verdict", "failing"),
    [
        ("ccrw", "ccrw", "ship", []),
        ("ccrw", "cccw", "ship", []),
        ("crrr", "cccw", "reject", ["wrong"]),  # 2 more correct, 1 more wrong: the brief's own example
        ("cwrr", "wcrr", "ship", []),  # a swap: the literal rule is on the count
        ("ccrr", "ccru", "reject", ["unsupported"]),
        ("ccww", "ccuu", "reject", ["unsupported"]),
        ("ccww", "crrr", "reject", ["correct"]),
        ("ccuu", "ccww", "reject", ["wrong"]),
        ("wwuu", "rrrr", "ship", []),
    ],
)
def test_the_rules_are_on_the_counts(base: str, candidate: str, verdict: str, failing: list[str]) -> None:
    found = judged(base, candidate)
    assert found.verdict == verdict
    assert found.ships is (verdict == "ship")
    assert [each.name for each in found.rules if each.passes is False] == failing
    assert len(found.reasons) == len(failing)


def test_a_swap_ships_by_the_letter_and_not_without_new_wrong_answers() -> None:
    literal, strict = judged("cwrr", "wcrr"), judged("cwrr", "wcrr", STRICT)
    assert (literal.verdict, strict.verdict) == ("ship", "reject")
    assert [each.question for each in literal.newly_wrong] == ["q001"], "named although it ships"
    text = " ".join(render(gate_sections(literal), "text").split())
    assert "G1 wrong worse 1 q001 G1 wrong better 1 q002" in text
    assert rule(strict, "newly wrong").worse == ["q001"]


def test_refusal_quality_is_compared_where_both_refuse() -> None:
    base = side({"a": mark("refused", 3), "b": mark("refused", 1), "c": mark("refused", 0)})
    better_mean = side({"a": mark("refused", 2), "b": mark("refused", 1), "c": mark("correct")})
    found = decide(base, better_mean, Gates())
    quality = rule(found, "refusal quality")
    assert (quality.base.low, quality.candidate.low, quality.passes) == (2.0, 1.5, False)
    assert (quality.worse, quality.better) == (["a"], [])
    plain = rule(decide(base, better_mean, Gates(quality="all")), "refusal quality")
    assert (plain.base.low, plain.candidate.low, plain.passes) == (pytest.approx(4 / 3), 1.5, True)
    assert plain.difference.low == pytest.approx(1.5 - 4 / 3)
    lower = side({"a": mark("refused", 3), "b": mark("refused", 1), "c": mark("wrong"), "d": mark("correct")})
    more = side(
        {"a": mark("refused", 3), "b": mark("refused", 1), "c": mark("refused", 0), "d": mark("correct")}
    )
    literal = rule(decide(lower, more, Gates(quality="all")), "refusal quality")
    assert (literal.passes, rule(decide(lower, more, Gates()), "refusal quality").passes) == (False, True)
    unread = side({**more.marks, "d": (mark("needs_review"),)})
    assert rule(decide(lower, unread, Gates(quality="all")), "refusal quality").passes is None
    nothing = rule(judged("cccc", "cccc"), "refusal quality")
    assert (nothing.evaluated, nothing.passes) == (False, True)
    assert "nothing to compare" in render(gate_sections(judged("cccc", "cccc")), "text")


def test_uncited_claims_are_summed_where_both_runs_answer() -> None:
    base = side({"a": mark("correct", claims=2), "b": mark("correct", claims=0)})
    same = side({"a": mark("correct", claims=0), "b": mark("correct", claims=2)})
    more = side({"a": mark("correct", claims=2), "b": mark("correct", claims=1)})
    assert decide(base, same, Gates()).ships
    found = decide(base, more, Gates())
    assert (found.verdict, rule(found, "uncited claims").worse) == ("reject", ["b"])


def test_answering_more_is_not_blamed_for_saying_more() -> None:
    """Ten needless refusals become right answers, one of them with an uncited claim: G5 asks for that."""
    refused = {f"r{number}": mark("refused", 2) for number in range(10)}
    answered = {name: mark("correct", claims=int(name == "r3")) for name in refused}
    shared = {"a": mark("correct", claims=1)}
    found = decide(side({**shared, **refused}), side({**shared, **answered}), Gates())
    assert (found.verdict, rule(found, "uncited claims").candidate) == ("ship", Limits(1, 1))
    back = decide(side({**shared, **answered}), side({**shared, **refused}), Gates())
    assert [each.name for each in back.rules if each.passes is False] == ["correct"]


def test_a_shift_to_refusals_can_be_allowed_and_nothing_else_is() -> None:
    allowed = Gates(allow_refusal_shift=True)
    assert judged("cccc", "ccrr").verdict == "reject"
    assert judged("cccc", "ccrr", allowed).verdict == "ship"
    assert judged("ccww", "rwcw", allowed).verdict == "ship"
    assert judged("cccw", "ccwr", allowed).verdict == "reject", "a correct one became wrong"


def test_citation_support_may_not_fall_where_that_is_wanted() -> None:
    base = side({"a": Mark("correct", "ok", None, 0, True), "b": Mark("correct", "ok", None, 0, True)})
    worse = side({"a": Mark("correct", "ok", None, 0, True), "b": Mark("correct", "ok", None, 0, False)})
    assert decide(base, worse, Gates()).ships
    found = decide(base, worse, Gates(citation_supports=True))
    assert (found.verdict, rule(found, "citation supports").worse) == ("reject", ["b"])
    assert decide(worse, base, Gates(citation_supports=True)).ships
    cited = [Mark("correct", "ok", None, 0, supports) for supports in (True, True, False)]
    thirds = side(dict(zip("abc", cited, strict=True)))
    unread = side(dict(zip("abc", (cited[0], mark("needs_review"), cited[2]), strict=True)))
    open_one = rule(decide(thirds, unread, Gates(citation_supports=True)), "citation supports")
    assert (open_one.passes, open_one.undecided) == (None, ["b"])
    none = side({"a": mark("refused"), "b": mark("refused")})
    assert not rule(decide(none, none, Gates(citation_supports=True)), "citation supports").evaluated


def test_an_ungraded_answer_can_leave_it_open_or_change_nothing() -> None:
    found = judged("cccc", "ccc?")
    assert found.verdict == "incomplete"
    assert [(each.question, each.run, each.status) for each in found.settles] == [
        ("q004", "candidate", "needs_review")
    ]
    assert judged("cccc", "cww?").verdict == "reject", "however it turns out"
    assert judged("ccc?", "cccw").verdict == "incomplete", "the base's may be wrong too"
    assert judged("cccc", "cccc").settles == []


def test_an_answer_that_failed_can_never_ship() -> None:
    marks = outcomes("wwww")
    for status in ("error", "timeout", "no_answer", "not_asked"):
        found = decide(side(marks), side({**outcomes("cccc"), "q004": mark(status)}), Gates())
        assert found.verdict == "incomplete", "what it would claim without a citation is not known"


def test_an_unread_answer_that_can_do_no_harm_ships() -> None:
    """Wrong or unsupported, it would be no more than the base had; its claims are known."""
    unread = Mark(None, "needs_review", None, 0, None, "")
    found = decide(side(outcomes("wuw")), side({**outcomes("ccc"), "q003": unread}), Gates())
    assert found.verdict == "ship"
    assert rule(found, "wrong").candidate == Limits(0, 1)


def test_equal_answers_turn_out_alike() -> None:
    unread = mark("needs_review", content="abc")
    base = side({**outcomes("cc"), "q003": unread})
    assert decide(base, base, Gates(no_new_wrong=True, citation_supports=True)).verdict == "ship"
    other = side({**outcomes("cc"), "q003": mark("needs_review", content="abd")})
    assert decide(base, other, Gates()).verdict == "incomplete"
    failed = side({**outcomes("cc"), "q003": mark("error")})
    assert decide(failed, failed, Gates()).verdict == "incomplete"


def test_rules_are_judged_one_by_one_so_that_an_answer_wanted_by_two_leaves_both_open() -> None:
    """It would have to be correct for G5 and a good refusal for G3."""
    base = side({"a": mark("refused", 1), "b": mark("refused", 3), "c": mark("correct")})
    candidate = side({"a": mark("needs_review"), "b": mark("refused", 2), "c": mark("refused", 3)})
    found = decide(base, candidate, Gates())
    assert [each.passes for each in found.rules].count(False) == 0
    assert found.verdict == "incomplete"
    assert [each.question for each in found.settles] == ["a"]


BUCKET = st.sampled_from(["correct", "wrong", "unsupported", "refused"])
GRADED = st.builds(mark, BUCKET, st.integers(0, 3), st.integers(0, 2)).map(
    lambda each: each if each.bucket == "refused" else each._replace(quality=None)
)
ANY = st.one_of(GRADED, GRADED, GRADED, st.just(mark("needs_review")), st.just(mark("error")))
GATES = st.builds(Gates, no_new_wrong=st.booleans(), allow_refusal_shift=st.booleans())
FREE = [mark(each, None if each != "refused" else quality, claims)
        for each, quality, claims in product(("correct", "wrong", "unsupported", "refused"), (0, 3), (0, 99))
        if each == "refused" or not quality]  # fmt: skip
"""How an open answer may turn out, at its extremes."""


def runs(marks: st.SearchStrategy[Mark], most: int) -> st.SearchStrategy[list[tuple[Mark, Mark]]]:
    return st.lists(st.tuples(marks, marks), min_size=1, max_size=most)


def both(pairs: Sequence[tuple[Mark, Mark]]) -> tuple[Side, Side]:
    names = [f"q{place}" for place in range(len(pairs))]
    base, candidate = (
        side({name: pair[place] for name, pair in zip(names, pairs, strict=True)}) for place in (0, 1)
    )
    return base, candidate


def literally(pairs: Iterable[tuple[Mark, ...]], gates: Gates) -> bool:
    """The five rules once more, as the rubric words them, on graded answers."""
    pairs = list(pairs)
    count = [
        {name: sum(pair[place].bucket == name for pair in pairs) for name in BUCKETS} for place in (0, 1)
    ]
    refused = [(b.quality or 0, c.quality or 0) for b, c in pairs if b.bucket == c.bucket == "refused"]
    answered = [(b, c) for b, c in pairs if "refused" not in (b.bucket, c.bucket)]
    shifted = (
        sum(b.bucket == "correct" and c.bucket == "refused" for b, c in pairs) * gates.allow_refusal_shift
    )
    return (
        count[1]["wrong"] <= count[0]["wrong"]
        and count[1]["unsupported"] <= count[0]["unsupported"]
        and sum(c for _, c in refused) >= sum(b for b, _ in refused)
        and sum(c.claims or 0 for _, c in answered) <= sum(b.claims or 0 for b, _ in answered)
        and count[1]["correct"] + shifted >= count[0]["correct"]
        and not (gates.no_new_wrong and any(c.bucket == "wrong" != b.bucket for b, c in pairs))
    )


UNREAD = mark("needs_review", content="the same answer")
SAME = st.just((UNREAD, UNREAD))


@pytest.mark.slow
@settings(max_examples=300)
@given(st.lists(st.one_of(st.tuples(ANY, ANY), st.tuples(ANY, ANY), SAME), min_size=1, max_size=5), GATES)
def test_the_verdict_is_that_of_every_way_to_turn_out(pairs: list[tuple[Mark, Mark]], gates: Gates) -> None:
    marks = [each for pair in pairs for each in pair]
    assume(sum(each.bucket is None for each in marks) <= 3)
    ways = []
    for before, after in pairs:
        free = [FREE if each.bucket is None else [each] for each in (before, after)]
        alike = before is UNREAD and after is UNREAD
        ways.append([(each, each) for each in FREE] if alike else list(product(*free)))
    found = {literally(chosen, gates) for chosen in product(*ways)}
    verdict = decide(*both(pairs), gates).verdict
    assert (verdict == "ship") == (found == {True})
    assert verdict != "reject" or found == {False}


@settings(max_examples=50)
@given(runs(GRADED, 12), GATES)
def test_a_run_may_replace_itself(pairs: list[tuple[Mark, Mark]], gates: Gates) -> None:
    base, _ = both(pairs)
    assert decide(base, base, gates).ships


@settings(max_examples=50)
@given(runs(GRADED, 12))
def test_nothing_newly_wrong_ships_where_that_is_forbidden(pairs: list[tuple[Mark, Mark]]) -> None:
    found = decide(*both(pairs), STRICT)
    if any(c.bucket == "wrong" != b.bucket for b, c in pairs):
        assert found.verdict == "reject"
        assert found.newly_wrong
    else:
        assert not found.newly_wrong


def again(marks: dict[str, tuple[Mark, ...]]) -> dict[str, tuple[Mark, ...]]:
    """Return a second epoch in which every fourth question is wrong."""
    return {
        name: (*each, mark("wrong") if not place % 4 else each[0])
        for place, (name, each) in enumerate(marks.items())
    }


@settings(max_examples=40)
@given(runs(ANY, 8), st.randoms(use_true_random=False))
def test_the_order_of_the_questions_changes_no_figure(
    pairs: list[tuple[Mark, Mark]], drawn: random.Random
) -> None:
    base, candidate = (each._replace(marks=again(each.marks)) for each in both(pairs))
    mixed = list(base.marks)
    drawn.shuffle(mixed)
    other = [
        each._replace(marks={n: each.marks[n] for n in mixed}, asked={n: each.asked[n] for n in mixed})
        for each in (base, candidate)
    ]
    first, second = decide(base, candidate, Gates()), decide(other[0], other[1], Gates())
    told = [
        each.statistics and replace(each.statistics, confirmed=sorted(each.statistics.confirmed))
        for each in (first, second)
    ]
    assert (first.verdict, told[0]) == (second.verdict, told[1])
    assert [(each.passes, each.difference) for each in first.rules] == [
        (each.passes, each.difference) for each in second.rules
    ]


def test_the_signs_of_documents_are_the_same_in_any_order() -> None:
    drawn = random.Random(8)
    base, candidate = (
        side({f"q{n:03d}": [*outcomes("".join(drawn.choices("cwur", k=3))).values()] for n in range(150)})
        for _ in range(2)
    )
    turned = [
        each._replace(marks=dict(reversed(each.marks.items())), asked=dict(reversed(each.asked.items())))
        for each in (base, candidate)
    ]
    first, second = decide(base, candidate, Gates()), decide(turned[0], turned[1], Gates())
    assert first.judged_by == "rates"
    assert [(each.p, each.largest) for each in first.rules] == [
        (each.p, each.largest) for each in second.rules
    ]


@pytest.mark.parametrize(
    ("buckets", "majority", "worst"),
    [
        (("correct", "correct", "wrong"), "correct", "wrong"),
        (("correct", "wrong"), "wrong", "wrong"),
        (("correct", "refused", "unsupported"), "unsupported", "unsupported"),
        (("correct", "correct", "refused", "unsupported"), "unsupported", "unsupported"),
        (("refused", "refused", "correct"), "refused", "refused"),
        (("wrong",), "wrong", "wrong"),
    ],
)
def test_epochs_come_to_the_majority_or_the_worst(
    buckets: tuple[str, ...], majority: str, worst: str
) -> None:
    assert bucket_of(buckets, "majority") == majority
    assert bucket_of(buckets, "any") == worst


def test_a_majority_stands_whatever_the_open_epoch_is() -> None:
    two = (mark("correct"), mark("correct"), mark("error"))
    assert settle(two, "majority").buckets == {"correct"}
    assert settle(two, "any").buckets == {"correct", "wrong", "unsupported", "refused"}


def test_a_refusal_that_may_not_come_about_does_not_raise_the_quality() -> None:
    refused = [mark("refused", quality) for quality in range(4)]
    base = side({"a": [refused[1]] * 3, "b": [refused[2]] * 3})
    candidate = side(
        {"a": [refused[3], mark("error"), mark("correct")], "b": [refused[2], refused[2], refused[1]]}
    )
    assert rule(decide(base, candidate, Gates(epochs="majority")), "refusal quality").passes is None


def test_newly_wrong_questions_are_stable_or_flaky_and_the_noise_is_told() -> None:
    base = side({
        "a": [mark("correct")] * 3,
        "b": [mark("correct"), mark("wrong"), mark("correct")],
        "c": [mark("correct"), mark("wrong"), mark("correct")],
    })  # fmt: skip
    candidate = side({
        "a": [mark("wrong")] * 3,
        "b": [mark("wrong"), mark("wrong"), mark("correct")],
        "c": [mark("wrong")] * 3,
    })  # fmt: skip
    found = decide(base, candidate, Gates())
    assert [(each.question, each.base, each.candidate, each.stable) for each in found.newly_wrong] == [
        ("a", "0/3", "3/3", True),
        ("b", "1/3", "2/3", False),
        ("c", "1/3", "3/3", False),
    ]
    assert found.judged_by == "rates"
    assert found.wavering == {"base": ["b", "c"], "candidate": ["b"]}
    assert found.statistics is not None
    assert found.statistics.confirmed == ["a"]
    text = render(gate_sections(found), "text")
    assert "a correct 3/3 0/3 stable b correct 2/3 1/3 flaky" in " ".join(text.split())


def noisy(drawn: random.Random, wrong: float, refused: float = 0.2, epochs: int = 3) -> Side:
    """Return a run that draws its errors anew each time it is asked."""

    def answer() -> Mark:
        number = drawn.random()
        return mark("wrong" if number < wrong else "refused" if number < wrong + refused else "correct")

    return side({f"q{number:03d}": [answer() for _ in range(epochs)] for number in range(130)})


@pytest.mark.slow
@pytest.mark.parametrize(
    ("base", "candidate", "rejected", "shipped"),
    [
        (0.05, 0.05, (0, 0.1), (0.8, 1)),
        (0.05, 0.12, (0.85, 1), (0, 0.01)),
        (0.12, 0.05, (0, 0.05), (0.85, 1)),
    ],
)
def test_noise_is_told_from_a_change(
    base: float, candidate: float, rejected: tuple[float, float], shipped: tuple[float, float]
) -> None:
    """Three epochs of 130 questions; benchmarks/noisy_gate.py tries more."""
    drawn = random.Random(3)
    verdicts = [decide(noisy(drawn, base), noisy(drawn, candidate), Gates()).verdict for _ in range(100)]
    assert rejected[0] <= verdicts.count("reject") / 100 <= rejected[1]
    assert shipped[0] <= verdicts.count("ship") / 100 <= shipped[1]


def test_epochs_that_agree_are_judged_literally() -> None:
    thrice = {name: [each] * 3 for name, each in outcomes("c" * 40 + "w").items()}
    worse = {**thrice, "q001": [mark("wrong")] * 3}
    found = decide(side(thrice), side(worse), Gates())
    assert (found.verdict, found.judged_by, found.asked_once, found.statistics) == (
        "reject",
        "counts",
        False,
        None,
    )
    assert decide(side(thrice), side(thrice), Gates()).ships
    failed = {**thrice, "q001": [mark("correct"), mark("error"), mark("correct")]}
    assert decide(side(thrice), side(failed), Gates()).judged_by == "counts", (
        "a failed call is no disagreement"
    )


def test_one_question_that_is_always_wrong_rejects_where_noise_is_small_and_not_where_it_is_large() -> None:
    def runs_with(flaky: int) -> Decision:
        base = {f"q{number:03d}": [mark("correct")] * 3 for number in range(130)}
        base |= {
            f"q{number:03d}": [mark("correct"), mark("wrong"), mark("correct")]
            for number in range(1, flaky + 1)
        }
        return decide(side(base), side({**base, "q100": [mark("wrong")] * 3}), Gates())

    alone, among = runs_with(1), runs_with(30)
    assert (alone.verdict, alone.judged_by) == ("reject", "rates")
    assert alone.newly_wrong[0].question == "q100"
    assert "In every epoch, and before in none: q100." in " ".join(
        render(gate_sections(alone), "text").split()
    )
    assert among.verdict == "ship"
    assert among.newly_wrong[0].question == "q100", "named first, although it ships"
    assert among.statistics is not None
    assert alone.statistics is not None
    assert alone.statistics.by_noise < 0.025 < among.statistics.by_noise
    base = side(among_marks(30))
    candidate = side({**among_marks(30), "q100": [mark("wrong")] * 3})
    strict = rule(decide(base, candidate, STRICT), "newly wrong")
    assert (strict.passes, strict.worse) == (True, ["q100"])


def among_marks(flaky: int) -> dict[str, list[Mark]]:
    marks = {f"q{number:03d}": [mark("correct")] * 3 for number in range(130)}
    return marks | {
        f"q{n:03d}": [mark("correct"), mark("wrong"), mark("correct")] for n in range(1, flaky + 1)
    }


def test_too_few_questions_cannot_decide_and_say_how_many_would() -> None:
    drawn = random.Random(5)
    few = [
        each._replace(marks=dict(list(each.marks.items())[:30]), asked=dict(list(each.asked.items())[:30]))
        for each in (noisy(drawn, 0.1), noisy(drawn, 0.1))
    ]
    found = decide(few[0], few[1], Gates())
    assert found.verdict == "incomplete"
    assert found.statistics is not None
    needed = found.statistics.questions_needed
    assert needed is not None
    assert needed > 30
    text = " ".join(render(gate_sections(found), "text").split())
    assert f"about {needed} questions would decide" in text
    assert "cannot be decided" in text


def test_ungraded_epochs_leave_a_rate_open_only_where_they_matter() -> None:
    base, candidate = noisy(random.Random(1), 0.02), noisy(random.Random(2), 0.02)
    assert decide(base, candidate, Gates()).ships
    waiting = {
        **candidate.marks,
        "q001": (mark("needs_review", content="x")._replace(claims=0), *candidate.marks["q001"][1:]),
    }
    assert decide(base, candidate._replace(marks=waiting), Gates()).ships, "one of 390"
    failed = {**candidate.marks, "q001": (mark("error"), *candidate.marks["q001"][1:])}
    found = decide(base, candidate._replace(marks=failed), Gates())
    assert (found.verdict, [each.question for each in found.settles]) == ("incomplete", ["q001"])
    many = {
        name: (mark("needs_review", content=name)._replace(claims=0), *each[1:])
        for name, each in candidate.marks.items()
    }
    assert decide(base, candidate._replace(marks=many), Gates()).verdict == "incomplete"


def test_asked_once_is_warned_of_as_luck_unless_the_pipeline_repeats_itself() -> None:
    text = render(gate_sections(judged("ccw", "cww")), "text")
    first = " ".join(text.partition("\n\n")[0].split())
    assert first.startswith("REJECT: ")
    assert "may be luck. Ask both again: ragharness run --epochs 3;" in first
    declared = judged("ccw", "cww", Gates(deterministic=True))
    assert (declared.verdict, declared.asked_once) == ("reject", False)
    known = [side(outcomes(letters), pipeline="extractive") for letters in ("ccw", "cww")]
    assert not decide(known[0], known[1], Gates()).asked_once


def test_every_rule_is_tested_where_epochs_differ() -> None:
    """Claims, quality, unsupported answers and lost correct ones, each alone."""
    drawn = random.Random(9)

    def run(**chances: float) -> Side:
        def answer(number: int) -> Mark:
            if number % 3 == 0:
                return mark("refused", 3 - (drawn.random() < chances.get("quality", 0.05)))
            chance = drawn.random()
            for bucket in ("unsupported", "refused"):
                if chance < chances.get(bucket, 0.03):
                    return mark(bucket, 3 if bucket == "refused" else None)
            return mark("correct", claims=int(drawn.random() < chances.get("claims", 0.05)))

        return side({f"q{number:03d}": [answer(number) for _ in range(3)] for number in range(130)})

    for change, failing in (
        ({"quality": 0.6}, "refusal quality"),
        ({"claims": 0.4}, "uncited claims"),
        ({"unsupported": 0.2}, "unsupported"),
        ({"refused": 0.3}, "correct"),
    ):
        found = decide(run(), run(**change), Gates())
        assert rule(found, failing).passes is False, change
        assert decide(run(**change), run(), Gates()).verdict == "ship", change
    plain = decide(run(), run(quality=0.6), Gates(quality="all"))
    assert rule(plain, "refusal quality").passes is False


def test_an_equal_candidate_with_few_documents_is_tested_by_question() -> None:
    base, candidate = noisy(random.Random(1), 0.05), noisy(random.Random(2), 0.05)
    one = {name: each._replace(document="d") for name, each in base.asked.items()}
    found = decide(base._replace(asked=one), candidate._replace(asked=one), Gates())
    assert found.statistics is not None
    assert (found.statistics.unit, found.statistics.units) == ("question", 130)


@pytest.mark.parametrize(
    ("name", "changes"),
    [
        ("corpus", {"corpus_hash": "a" * 64}),
        ("question_set", {"question_set": "a" * 64}),
        ("grader", {"grader": "rules 2"}),
    ],
)
def test_runs_that_differ_are_not_comparable_unless_allowed_by_name(
    name: str, changes: dict[str, Any]
) -> None:
    base, candidate = side(outcomes("cc")), side(outcomes("cc"), **changes)
    found = decide(base, candidate, Gates())
    assert (found.verdict, found.ships, found.rules) == ("not comparable", False, [])
    assert found.reasons[0].startswith(name.replace("_", " "))
    allowed = decide(base, candidate, Gates(allow=(name,)))
    assert allowed.ships
    assert "ALLOWED DIFFERENCE" in render(gate_sections(allowed), "text")
    assert decide(base, candidate, Gates(allow=("epochs",))).verdict == "not comparable"


def test_other_epochs_and_other_pipelines() -> None:
    once, thrice = side(outcomes("cc")), side({name: [each] * 3 for name, each in outcomes("cc").items()})
    assert decide(once, thrice, Gates()).verdict == "not comparable"
    assert decide(once, thrice, Gates(allow=("epochs",))).ships
    assert decide(once, side(outcomes("cc"), pipeline="other:answer", k=9, retriever="dense"), Gates()).ships


def test_allowed_question_sets_are_compared_over_common_questions_only() -> None:
    base = side(outcomes("ccw"))
    candidate = side(outcomes("ccww"), question_set="a" * 64)
    found = decide(base, candidate, Gates(allow=("question_set",)))
    assert (found.questions, found.verdict) == (3, "ship")
    reworded = {**candidate.asked, "q001": candidate.asked["q001"]._replace(content=1)}
    found = decide(base, candidate._replace(asked=reworded), Gates(allow=("question_set",)))
    assert (found.questions, found.verdict) == (2, "ship"), "the same id, but another question"
    none = decide(base, side({"z": mark("correct")}, question_set="a" * 64), Gates(allow=("question_set",)))
    assert none.verdict == "not comparable"


def test_statistics_are_told_in_plain_words_and_only_where_they_apply() -> None:
    base, candidate = noisy(random.Random(1), 0.05), noisy(random.Random(2), 0.05)
    found = decide(base, candidate, Gates())
    short, whole = (render(gate_sections(found, detail=detail), "text", 80) for detail in (False, True))
    assert "STATISTICS" not in short
    assert whole.startswith(short.rstrip("\n"))
    assert "What varies independently: 44 documents." in whole
    assert max(map(len, whole.splitlines())) <= 80
    literal = render(gate_sections(judged("ccw", "cww"), detail=True), "text", 80)
    assert "the rules are literal, and no test applies" in literal


# Settings and thresholds


def test_gates_are_read_from_a_line_and_from_a_file(tmp_path: Path) -> None:
    line = read_gates("no-new-wrong=yes, over_refusal<=10%, precision=0.8, allow=grader+epochs, epochs=any")
    path = tmp_path / "gate.toml"
    path.write_text(
        'no_new_wrong = true\nepochs = "any"\nallow = ["grader", "epochs"]\n'
        '[thresholds]\nover_refusal = "<=10%"\nprecision = "0.8"\n'
    )
    assert line == read_gates(str(path))
    assert read_gates("") == Gates()


@pytest.mark.parametrize(
    ("text", "error", "told"),
    [
        ("no_new_wrong", UsageError, "expected name=value, found 'no_new_wrong'"),
        ("no_new_wrong=maybe", UsageError, "expected no_new_wrong=yes or no"),
        ("wrong=1,wrong=2", UsageError, "once, found it twice"),
        ("wrong=few", UsageError, "expected wrong with a limit"),
        ("epochs=most", UsageError, "expected gates in --gates"),
        ("allow=weather", UnknownName, "no difference to allow is named 'weather'"),
        ("missing.toml", UsageError, "cannot read missing.toml"),
    ],
)
def test_gates_that_cannot_be_read(text: str, error: type[Exception], told: str) -> None:
    with pytest.raises(error, match=told):
        read_gates(text)


def test_a_file_with_an_unknown_setting_names_the_nearest(tmp_path: Path) -> None:
    path = tmp_path / "gate.toml"
    path.write_text("no_new_worng = true")
    with pytest.raises(UnknownName, match="no_new_wrong"):
        read_gates(str(path))
    path.write_text("no_new_wrong = [")
    with pytest.raises(UsageError, match="cannot read"):
        read_gates(str(path))


def threshold(tmp_path: Path, text: str, **buckets: str) -> Any:
    base, run = (folder(tmp_path / f"{len(list(tmp_path.iterdir()))}-{name}", buckets) for name in "ab")
    (found,) = gate(base, run, read_gates(text), record=False).rules[5:]
    return found


@pytest.mark.parametrize(
    ("text", "passes"),
    [
        ("wrong=0.02", True),
        ("wrong=0.01", False),
        ("wrong>=0.01", True),
        ("unacceptable<=1%", False),
        ("precision=0.96", True),
        ("precision=0.97", False),
        ("as_desired=0.98", True),
        ("over=0.05", True),
        ("over_refusal=0.01", True),
        ("under=0", True),
        ("refusal_quality=2", True),
        ("refusal_quality>=2.5", False),
        ("extra_claim_count=0", True),
        ("mrr=0.9", True),
        ("mrr<=0.9", False),
        ("refused<=0.5", False),
        ("chr=0.5", False),
        ("ungraded=0", True),
    ],
)
def test_thresholds_hold_in_either_direction(tmp_path: Path, text: str, passes: bool) -> None:
    assert threshold(tmp_path, text, q001="wrong", q002="wrong").passes is passes


def test_thresholds_are_left_open_by_ungraded_answers_and_by_nothing_to_count(tmp_path: Path) -> None:
    assert threshold(tmp_path, "wrong=0", q001="needs_review").passes is None
    assert threshold(tmp_path, "wrong=0.01", q001="needs_review").passes is True
    assert threshold(tmp_path, "wrong=0.01", q001="needs_review", q002="wrong", q003="wrong").passes is False
    assert threshold(tmp_path, "ungraded=0", q001="needs_review").passes is False
    assert threshold(tmp_path, "ungraded=0.01", q001="needs_review").passes is True
    assert threshold(tmp_path, "hedged=0", q001="needs_review").passes is None
    everything = {each.id: "refused" for each in fake.questions()}
    nothing = threshold(tmp_path, "precision=0.1", **everything)
    assert (nothing.passes, nothing.evaluated) == (None, False), "not 1.0, as where nothing was shipped"


def test_support_that_is_undetermined_is_no_yes(tmp_path: Path) -> None:
    asked = fake.questions()[:4]
    supports = ("yes", "yes", "yes", "undetermined")
    records = [
        fake.record(question, "correct", citation_supports=value)
        for question, value in zip(asked, supports, strict=True)
    ]
    base, run = (written(tmp_path / name, asked, records) for name in "ab")
    gates = Gates(thresholds={"citation_supports": ">= 0.8"})
    (found,) = gate(base, run, gates, record=False).rules[5:]
    assert (found.candidate, found.passes) == (Limits(0.75, 0.75), False)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("wrnog=0.1", "did you mean wrong"),
        ("wrong<=3", "a number from 0 to 1"),
        ("refused=0.1", "expected refused<=... or refused>=..."),
    ],
)
def test_thresholds_that_make_no_sense(tmp_path: Path, text: str, told: str) -> None:
    with pytest.raises(UsageError, match=told):
        threshold(tmp_path, text)


# Folders, attempts, the command


def test_the_order_of_records_and_superseded_ones_do_not_matter(tmp_path: Path) -> None:
    asked = fake.questions()
    records = [fake.record(each, each.wanted) for each in asked]
    failed = [fake.record(each, "error") for each in asked[:5]]
    one = written(tmp_path / "one", asked, records)
    other = written(tmp_path / "other", asked, [*failed, *random.Random(1).sample(records, len(records))])
    found = gate(one, other, record=False)
    assert found.ships
    assert found.ungraded == {"base": 0, "candidate": 0}


def test_marks_hold_what_an_unread_answer_claims() -> None:
    asked = fake.question("q1")
    sentences = (Sentence("One.", True), Sentence("Two.", True, ("c#1",)), Sentence("Hm?", False))
    found = mark_of(fake.record(asked, "needs_review", extra_claim_count=None, sentences=sentences))
    assert (found.bucket, found.claims) == (None, 1)
    assert found.content
    assert mark_of(fake.record(asked, "error")).content == ""


def test_attempts_are_counted_once_each_and_reruns_apart(tmp_path: Path) -> None:
    base = folder(tmp_path / "base", {}, pipeline="old:answer")
    gate(base, folder(tmp_path / "set", {}, question_set="b" * 64), Gates(allow=("question_set",)))
    first = folder(tmp_path / "first", {"q001": "wrong"})
    for _ in range(2):
        found = gate(base, first).attempts
        assert found is not None
        assert (found.number, found.same_settings) == (1, 1)
    strict = gate(base, first, STRICT).attempts
    assert strict is not None
    assert strict.number == 2, "other gates are another attempt"
    again = gate(base, folder(tmp_path / "second", {})).attempts
    changed = gate(base, folder(tmp_path / "third", {}, pipeline_fingerprint="f" * 64)).attempts
    assert again is not None
    assert changed is not None
    assert (again.number, again.same_settings) == (3, 3)
    assert (changed.number, changed.same_settings) == (4, 1)
    unrecorded = gate(base, folder(tmp_path / "fourth", {"q003": "wrong"}), record=False).attempts
    assert unrecorded is not None
    assert not (tmp_path / "fourth" / "gate.jsonl").exists()


def test_an_override_is_signed_and_leaves_the_verdict(tmp_path: Path, verb: Verb) -> None:
    folder(tmp_path / "runs" / "base", {})
    bad = folder(tmp_path / "runs" / "bad", {"q001": "wrong"})
    done = verb("gate", "base", "bad", "--override", "the answer key is wrong", "--by", "Ann Lee")
    assert done.code == 1
    assert "REJECT" in done.output
    assert "Overridden by Ann Lee on 20" in done.output
    assert "the answer key is wrong" in verb("gate", "base", "bad").output
    bad.replace_records([fake.record(each, "wrong") for each in fake.questions()])
    assert "Overridden" not in verb("gate", "base", "bad").output, "it was of other answers"
    assert verb("gate", "base", "bad", "--override", "why").code == 3
    folder(tmp_path / "runs" / "good", {})
    nothing = verb("gate", "base", "good", "--override", "why", "--by", "Ann Lee")
    assert (nothing.code, nothing.output) == (3, "")
    assert "expected a verdict to override, found 'ship'" in nothing.errors


def test_a_folder_that_cannot_be_written_still_has_a_verdict(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from ragharness.errors import StorageError
    from ragharness.runner.run_folder import RunFolder

    def refuse(*_: Any, **__: Any) -> None:
        raise StorageError("expected to write, found: Read-only file system")

    base = folder(tmp_path / "base", {})
    other = folder(tmp_path / "other", {})
    monkeypatch.setattr(RunFolder, "write", refuse)
    found = gate(other, base)
    assert found.ships
    assert found.attempts is not None
    assert "not recorded" in found.attempts.note


def test_a_damaged_record_of_attempts_is_named(tmp_path: Path, verb: Verb) -> None:
    folder(tmp_path / "runs" / "base", {})
    (tmp_path / "runs" / "base" / "gate.jsonl").write_text("{")
    folder(tmp_path / "runs" / "other", {})
    done = verb("gate", "other", "base")
    assert done.code == 3
    assert "gate.jsonl" in done.errors


def test_a_run_is_not_gated_against_itself(tmp_path: Path, verb: Verb) -> None:
    folder(tmp_path / "runs" / "base", {})
    done = verb("gate", "base", "base")
    assert (done.code, done.output) == (3, "")
    assert "expected two runs, found base twice" in done.errors


@pytest.mark.parametrize(
    ("buckets", "settings_", "code", "word"),
    [
        ({}, {}, 0, "SHIP"),
        ({"q001": "wrong"}, {}, 1, "REJECT"),
        ({"q001": "needs_review"}, {}, 2, "INCOMPLETE"),
        ({}, {"grader": "rules 2"}, 2, "NOT COMPARABLE"),
    ],
)
def test_the_command_says_it_first_and_in_its_exit_code(
    tmp_path: Path, verb: Verb, buckets: dict[str, str], settings_: dict[str, Any], code: int, word: str
) -> None:
    folder(tmp_path / "runs" / "base", {})
    folder(tmp_path / "runs" / "candidate", buckets, **settings_)
    done = verb("gate", "base", "candidate")
    assert done.code == code, done.errors
    lines = done.output.splitlines()
    assert lines[0].startswith(f"{word}: ")
    assert done.output.count(f"{word}: ") == 1
    shown = json.loads(verb("gate", "base", "candidate", "--json").output)
    assert shown["verdict"] == word.lower()
    assert shown["ships"] is (code == 0)
    found = rh.gate(tmp_path / "runs" / "base", rh.load_run(tmp_path / "runs" / "candidate"))
    assert (found.ships, found.verdict) == (code == 0, word.lower())
    assert found.to_dict()["rules"] == shown["rules"]
    assert verb("gate", "base", "candidate", "--markdown").output.count("| ---") >= (3 if found.rules else 0)
    told = verb("gate", "base", "candidate", "--format", "csv")
    assert told.code == code
    assert f"{word}: " in told.output.splitlines()[0]
    assert ("uncited claims" in told.output) is bool(found.rules)
    assert f"{word}: " in repr(found)
    assert f"{word}: " in found._repr_html_()
    assert ("<svg" in found._repr_html_()) is bool(found.rules)


def test_the_page_of_two_runs_begins_with_the_verdict_and_links_its_questions(
    tmp_path: Path, verb: Verb
) -> None:
    asked = [replace(each, id=f"<b>{each.id}") for each in fake.questions()]
    folder(tmp_path / "runs" / "base", {}, asked)
    folder(tmp_path / "runs" / "candidate", {"<b>q001": "wrong"}, asked)
    path = tmp_path / "page.html"
    assert verb("view", "base", "candidate", "--no-open", "--out", str(path)).code == 0
    html = path.read_text(encoding="utf-8")
    assert '<h1 class="verdict bad">REJECT: candidate may not replace base. Wrong 0 -&gt; 1; ' in html
    assert html.index("REJECT: ") < html.index("B against A")
    assert html.index('href="#q=%3Cb%3Eq001">&lt;b&gt;q001</a>') < html.index("From A to B")
    strict = ("--gates", "wrong<=0.5,allow=grader", "--no-open", "--out", str(path))
    assert verb("view", "base", "candidate", *strict).code == 0
    assert "wrong &lt;= 0.5" in path.read_text(encoding="utf-8")
    assert verb("view", "base", "--no-open", "--out", str(path)).code == 0
    assert "may not replace" not in path.read_text(encoding="utf-8")


def test_an_unfinished_candidate_lists_a_screenful(tmp_path: Path) -> None:
    asked = fake.questions()
    base = folder(tmp_path / "base", {})
    candidate = written(tmp_path / "half", asked, [fake.record(each, each.wanted) for each in asked[:50]])
    found = gate(base, candidate)
    assert (found.verdict, len(found.settles)) == ("incomplete", 80)
    assert "40 more are not shown" in " ".join(render(gate_sections(found), "text").split())


def test_names_of_foreign_things_are_escaped(tmp_path: Path) -> None:
    asked = [replace(each, id=f"<b>{each.id}|") for each in fake.questions()]
    base = folder(tmp_path / "base", {}, asked)
    bad = folder(tmp_path / "bad", {"<b>q001|": "wrong"}, asked)
    shown = rh.gate(base.path, bad.path)._repr_html_()
    assert "<b>" not in shown
    assert rh.gate(base.path, bad.path).newly_wrong == ["<b>q001|"]


def test_many_wavering_questions_fit_the_width() -> None:
    names = [f"q{number:03d}" for number in range(130)]
    wavering = {name: (mark("correct"), mark("wrong"), mark("correct")) for name in names}
    text = render(gate_sections(decide(side(wavering), side(wavering), Gates())), "text")
    whole = render(gate_sections(decide(side(wavering), side(wavering), Gates()), detail=True), "text")
    assert "and 124 more" in " ".join(whole.split())
    assert max(map(len, text.splitlines())) <= 80


def test_the_gate_with_epochs_on_disk(tmp_path: Path) -> None:
    asked = fake.questions()[:4]
    made = [
        [each for q in asked for each in epochs_of(*(fake.record(q, bucket) for bucket in buckets))]
        for buckets in (("correct", "correct", "correct"), ("correct", "wrong", "correct"))
    ]
    base, candidate = (
        written(tmp_path / str(number), asked, records, epochs=3) for number, records in enumerate(made)
    )
    assert gate(base, candidate).verdict == "incomplete", "four questions tell nothing of a rate"
    assert gate(base, candidate, Gates(epochs="majority")).ships
    assert gate(base, candidate, Gates(deterministic=True)).ships
    assert gate(base, candidate, Gates(epochs="any")).verdict == "reject"


def test_the_last_two_runs_are_judged_where_none_is_named(tmp_path: Path, verb: Verb) -> None:
    for day, name in enumerate(("old", "base", "candidate"), 1):
        made = folder(tmp_path / "runs" / name, {"q001": "wrong"} if name == "candidate" else {})
        path = made.path / "run.json"
        path.write_text(path.read_text().replace(made.run.created, f"2026-01-0{day}T00:00:00+00:00"))
    assert "candidate may not replace base" in verb("gate").output
    assert "candidate may not replace old" in verb("gate", "old").output
    assert rh.gate(record=False).report.base == "base"
    alone = verb("gate", "--json", "base")
    assert json.loads(alone.output)["candidate"] == "candidate"


@pytest.mark.slow
def test_a_hundred_thousand_records_take_little_memory(tmp_path: Path) -> None:
    """The peak grows with the marks of each question, not with the answers, which are 200 MB on either side."""
    long = "It says so. " * 160

    def records(asked: Sequence[Question], bucket: str) -> Iterable[Record]:
        for each in asked:
            made = fake.record(each, bucket)
            yield replace(made, answer=Answer(text=long))

    peaks = []
    for n in (1_000, 100_000):
        asked = [fake.question(f"q{number:06d}") for number in range(n)]
        names = [f"{n}-{bucket}" for bucket in ("refused", "correct")]
        for name in names:
            written(tmp_path / name, asked, records(asked, name.partition("-")[2]))
        peaks.append(peak_mb(tmp_path, 0, "gate", *names))
    assert peaks[1] - peaks[0] < 120, peaks
