"""The comparison with other tools: our own row is what the harness says today, and the scripted judge never errs."""

from __future__ import annotations

import json
import subprocess
import sys
import urllib.error
import urllib.request
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest

from conftest import ROOT

PEERS = ROOT / "benchmarks" / "peers"
CASES = {
    case["id"]: case for case in map(json.loads, (PEERS / "answers.jsonl").read_text("utf-8").splitlines())
}


def test_the_ten_answers_are_of_every_kind() -> None:
    kinds = Counter(case["what"].partition(":")[0].partition(",")[0] for case in CASES.values())
    assert kinds == {"right": 2, "wrong": 2, "unsupported": 2, "refused": 2, "empty": 1, "time-out": 1}


def test_our_row_is_what_the_harness_says_today() -> None:
    command = [sys.executable, str(PEERS / "run.py"), "--tool", "ragharness"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    found = json.loads(done.stdout.strip().splitlines()[-1])
    told = json.loads((ROOT / "benchmarks" / "peers.json").read_text("utf-8"))["tools"]["ragharness"]
    assert found["scores"] == told["scores"], "run benchmarks/peers/run.py --only ragharness"
    for name, bucket in found["scores"]["bucket"].items():
        kind = CASES[name]["what"].partition(":")[0].partition(",")[0]
        wanted = {"right": "correct", "empty": "ungraded: no_answer", "time-out": "ungraded: timeout"}
        assert bucket == wanted.get(kind, kind)


@pytest.fixture(scope="module")
def judge() -> Iterator[str]:
    command = [sys.executable, str(PEERS / "judge.py")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        yield server.stdout.readline().strip()
        server.terminate()


def said(judge: str, prompt: str) -> Any:
    body = json.dumps({"messages": [{"role": "user", "content": prompt}]}).encode()
    request = urllib.request.Request(f"{judge}/chat/completions", body)
    with urllib.request.urlopen(request, timeout=20) as reply:
        return json.load(reply)["choices"][0]["message"]["content"]


@pytest.mark.parametrize("case", CASES.values(), ids=list(CASES))
def test_the_judge_says_what_is_marked(judge: str, case: dict[str, Any]) -> None:
    passages = "\n".join(each["text"] for each in case["passages"])
    asked = "judge the faithfulness of a series of statements" + json.dumps([case["answer"], passages])
    verdicts = [each["verdict"] for each in json.loads(said(judge, asked))["statements"]]
    assert verdicts == [int(bool(case["supported"]))]
    graded = said(judge, f"{case['question']} {case['answer']} reply with 'GRADE: $LETTER'")
    assert graded == f"GRADE: {'C' if case['correct'] else 'I'}"


def test_a_prompt_that_the_judge_does_not_know_is_no_verdict(judge: str) -> None:
    with pytest.raises(urllib.error.HTTPError, match="404"):
        said(judge, "Is this fine?")
