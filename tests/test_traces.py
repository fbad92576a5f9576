"""Traces against a gold set: our rates with their bounds, and another scorer's output to the byte."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conftest import SHARED
from ragharness.graders.rules import declines
from ragharness.traces import scorer as traces

if TYPE_CHECKING:
    from commands import Verb

CASES = SHARED / "spec" / "cases" / "trace_score_cases.json"
BRIEF = SHARED / "brief" / "rag-eval.txt"
DEPTHS = "0000123301122310111001111111112211111222222222222233334423223334111111122121222222222101"
"""How far each line of the page's scorer is indented: the page has lost it."""

GOLD: list[dict[str, Any]] = [
    {"qid": "a", "answerable": True, "gold_claim_substr": ["rejects null keys"], "gold_citations": ["p1#2"]},
    {"qid": "b", "answerable": False, "gold_claim_substr": [], "gold_citations": []},
    {"qid": "c", "answerable": True, "gold_claim_substr": ["example.com"], "gold_citations": ["pB#1"]},
]


def trace(
    qid: str, claim: str, *cited: str, retrieved: Sequence[str] = ("p1#1", "p1#2", "pB#1")
) -> dict[str, Any]:
    return {
        "qid": qid,
        "retrieved_ids": list(retrieved),
        "answer_json": {"claim": claim, "citations": list(cited)},
    }


RIGHT = [
    trace("a", "X rejects null keys.", "p1#2"),
    trace("b", "not in context"),
    trace("c", "Only EXAMPLE.com is allowed.", "pB#1"),
]


def written(path: Path, rows: Sequence[object]) -> Path:
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    return path


def files(folder: Path, gold: Sequence[object], found: Sequence[object]) -> tuple[str, ...]:
    return (
        "--gold",
        str(written(folder / "gold.jsonl", gold)),
        "--trace",
        str(written(folder / "t.jsonl", found)),
    )


def by_itself(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the module as a program, with nothing but the standard library in reach."""
    command = [sys.executable, "-I", "-S", traces.__file__, *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)


@pytest.mark.skipif(not CASES.exists(), reason="needs ../shared, which is not part of the project")
def test_the_output_of_the_page_s_scorer_to_the_byte(tmp_path: Path, verb: Verb) -> None:
    cases = json.loads(CASES.read_text(encoding="utf-8"))["cases"]
    assert len(cases) > 10
    for case in cases:
        asked = (
            *files(tmp_path, case["gold"], case["trace"]),
            "--k",
            str(case["k"]),
            "--gates",
            case["gates"],
        )
        wanted = f"{json.dumps(case['expected'], indent=2)}\n" if case["expected"] else ""
        alone, ours = by_itself(*asked, "--compat"), verb("score", *asked, "--compat")
        assert (alone.stdout, ours.output) == (wanted, wanted), case["name"]
        assert alone.returncode == ours.code == case["exit_code"], case["name"]
        if case["stderr_last_line"]:
            assert alone.stderr.strip() == ours.errors.strip() == case["stderr_last_line"]


IDS = st.sampled_from(["p1", "p2", "p3", ""])
TEXTS = st.sampled_from(
    ["", "not in context", " Not In Context ", "not in context.", "It rejects NULLS", "abcd", "nulls"]
)
ANY = st.none() | st.booleans() | st.integers(0, 1) | TEXTS
SOME_IDS = st.lists(IDS, max_size=3) | st.none() | IDS
GOLDS = st.lists(
    st.fixed_dictionaries(
        {"qid": st.sampled_from("abcd")},
        optional={
            "answerable": ANY,
            "gold_citations": SOME_IDS,
            "gold_claim_substr": st.lists(TEXTS, max_size=2) | st.none(),
        },
    ),
    max_size=5,
)
TRACES = st.lists(
    st.fixed_dictionaries(
        {},
        optional={
            "qid": st.sampled_from("abcde"),
            "q_id": st.sampled_from("abcd"),
            "retrieved_ids": SOME_IDS,
            "answer_json": st.none()
            | st.fixed_dictionaries({}, optional={"claim": TEXTS | st.none(), "citations": SOME_IDS}),
        },
    ),
    max_size=6,
)


@pytest.mark.skipif(not BRIEF.exists(), reason="needs ../shared, which is not part of the project")
@settings(max_examples=300)
@given(
    GOLDS,
    TRACES,
    st.integers(0, 3),
    st.sampled_from([traces.GATES, "precision=0.5,chr=1,under=0,over=1", "precision=1"]),
)
def test_any_input_gives_what_the_page_s_scorer_gives(
    gold: list[dict[str, Any]], found: list[dict[str, Any]], k: int, gates: str
) -> None:
    wanted = page_s_scorer(gold, found, k, gates)
    try:
        ours = json.dumps(traces.compat(gold, found, k, gates), indent=2)
    except Exception as error:  # noqa: BLE001 (the same error, whichever it is)
        ours = type(error).__name__
    assert ours == wanted


def page_s_scorer(gold: list[dict[str, Any]], found: list[dict[str, Any]], k: int, gates: str) -> str:
    """Return what the scorer printed on the page gives, or the name of its error."""
    lines = BRIEF.read_text(encoding="utf-8").splitlines()
    first = lines.index("#!/usr/bin/env python3")
    code = "\n".join(4 * " " * int(depth) + line for depth, line in zip(DEPTHS, lines[first:], strict=False))
    told: list[str] = []
    inputs = {"gold": gold, "trace": found}
    world: dict[str, Any] = {"__name__": "page", "print": told.append}
    exec(compile(code, "page", "exec"), world)
    world["load_jsonl"] = inputs.__getitem__
    arguments = ["page", "--gold", "gold", "--trace", "trace", "--k", str(k), "--gates", gates]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "argv", arguments)
        try:
            world["main"]()
        except Exception as error:  # noqa: BLE001 (the same error, whichever it is)
            return type(error).__name__
    return told[0]


def test_our_own_rates_and_gates() -> None:
    found = traces.score(GOLD, RIGHT)
    assert {name: (each.count, each.n) for name, each in found.rates.items()} == {
        "precision": (2, 2), "chr": (2, 2), "under": (0, 1), "over": (0, 2), "recall@5": (2, 2),
    }  # fmt: skip
    assert (found.verdict, traces.exit_code(found), found.answered, found.refused) == ("pass", 0, 2, 1)
    wrong = traces.score(GOLD, [*RIGHT[1:], trace("a", "X accepts null keys.", "p1#2")])
    assert (wrong.verdict, traces.exit_code(wrong)) == ("fail", 1)
    assert [each.name for each in wrong.gates if each.state == "fail"] == ["precision"]
    assert traces.score(GOLD, [*RIGHT, trace("a", "It is so.", "p9")]).rates["chr"].count == 1


def test_nothing_answered_has_no_precision() -> None:
    """Where the page's scorer prints 1.0."""
    refused = [trace(str(each["qid"]), "not in context") for each in GOLD]
    found = traces.score(GOLD, refused)
    assert found.rates["precision"].value is None
    assert (found.verdict, traces.compat(GOLD, refused, 5, traces.GATES)["precision"]) == ("fail", 1.0)
    alone = traces.score(GOLD[1:2], refused)
    assert alone.verdict == "open"
    assert traces.json_of(alone)["result"] is False


def test_what_is_missing_is_bounded_and_never_right() -> None:
    found = traces.score(GOLD, RIGHT[:2])
    assert found.missing == ("c",)
    precision = found.rates["precision"]
    assert (precision.count, precision.n, precision.low, precision.high) == (1, 1, 0.5, 1.0)
    assert (found.rates["over"].low, found.rates["over"].high) == (0.0, 0.5)
    assert found.verdict == "open"
    empty = traces.score(GOLD, [*RIGHT[:2], trace("c", "  ")])
    assert (empty.missing, empty.unread, empty.verdict) == ((), ("c",), "open")
    unsure = [
        *GOLD,
        {"qid": "d", "answerable": True, "gold_claim_substr": ["abc"], "gold_citations": ["p1#1"]},
    ]
    checked = traces.score(unsure, [*RIGHT, trace("d", "abc", "p1#1")])
    assert (checked.unchecked, checked.rates["precision"].low, checked.verdict) == (("d",), 2 / 3, "open")


def test_a_missing_trace_cannot_save_what_fails() -> None:
    gold = [{**GOLD[0], "qid": str(number)} for number in range(20)]
    found = traces.score(gold, [trace(str(number), "It accepts all.", "p1#2") for number in range(19)])
    assert (len(found.missing), found.verdict) == (1, "fail")


@settings(max_examples=200)
@given(st.lists(st.sampled_from(["right", "wrong", "refused", "missing"]), min_size=1, max_size=6), st.data())
def test_bounds_hold_whatever_becomes_of_what_is_missing(kinds: list[str], data: st.DataObject) -> None:
    ways = {"right": RIGHT[0]["answer_json"], "wrong": {"claim": "No.", "citations": []}}
    ways["refused"] = {"claim": "not in context", "citations": []}
    gold = [{**GOLD[0], "qid": str(number)} for number in range(len(kinds))]

    def told(kinds: Sequence[str]) -> list[dict[str, Any]]:
        rows = enumerate(kinds)
        return [
            {**RIGHT[0], "qid": str(n), "answer_json": ways[kind]} for n, kind in rows if kind != "missing"
        ]

    before = traces.score(gold, told(kinds))
    became = [each if each != "missing" else data.draw(st.sampled_from(sorted(ways))) for each in kinds]
    after = traces.score(gold, told(became))
    for name in ("precision", "chr", "over"):
        rate, then = before.rates[name], after.rates[name].value
        if then is not None and rate.low is not None and rate.high is not None:
            assert rate.low <= then <= rate.high
    for was, now in zip(before.gates, after.gates, strict=True):
        assert was.state in (now.state, "open")


def test_refusals_in_other_words_are_read(tmp_path: Path, verb: Verb) -> None:
    other = [*RIGHT[:1], trace("b", "I could not find this in the passages."), RIGHT[2]]
    assert traces.score(GOLD, other).verdict == "fail"
    assert traces.score(GOLD, other, reads_refusal=declines).refused == 1
    done = verb("score", *files(tmp_path, GOLD, other))
    assert (done.code, done.output.splitlines()[0]) == (0, "Passes: every gate holds")


def test_the_command_says_what_came_out(tmp_path: Path, verb: Verb) -> None:
    asked = files(tmp_path, GOLD, RIGHT[:2])
    done = verb("score", *asked)
    assert done.code == 2
    assert done.output.startswith("Not a result: 1 of 3 questions have no answer that can be read")
    assert "without a trace  1  c" in done.output
    told = json.loads(verb("score", *asked, "--json").output)
    assert (told["result"], told["missing"]) == (False, ["c"])
    assert json.loads(by_itself(*asked).stdout) == told
    assert by_itself(*asked).returncode == 2


@pytest.mark.parametrize(
    ("gold", "options", "sentence"),
    [
        ([], (), "the gold set has no question"),
        ([{"qid": "a"}], (), "answerable of a must be true or false, not null"),
        ([GOLD[0], GOLD[0]], (), "duplicate qid 'a' on line 2"),
        ([["a"]], (), "gold.jsonl is no JSON object: '[\"a\"]'"),
        (GOLD, ("--gates", "precision"), "cannot read --gates 'precision'; write them as precision=0.80"),
        (
            GOLD,
            ("--gates", "accuracy=1"),
            "no gate 'accuracy'; choose among precision, chr, under, over, recall@5",
        ),
    ],
)
def test_what_cannot_be_read_is_a_sentence(
    tmp_path: Path, verb: Verb, gold: list[Any], options: tuple[str, ...], sentence: str
) -> None:
    asked = (*files(tmp_path, gold, RIGHT), *options)
    done, alone = verb("score", *asked), by_itself(*asked)
    assert (done.code, done.output, alone.returncode, alone.stdout) == (3, "", 3, "")
    assert sentence in done.errors
    assert sentence in alone.stderr
    assert "Traceback" not in done.errors + alone.stderr


def test_one_file_asks_for_the_other(tmp_path: Path, verb: Verb) -> None:
    gold = str(written(tmp_path / "g", GOLD))
    assert "expected --gold FILE --trace FILE" in verb("score", "--gold", gold).errors
    assert "as JSON Lines: " in verb("score", "--gold", gold, "--trace", str(tmp_path / "no")).errors
