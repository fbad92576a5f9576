"""What six tools make of the same ten answers: writes ``benchmarks/peers.json``.

    python benchmarks/peers/run.py --venvs FOLDER [--only NAME]

FOLDER holds a virtual environment for each tool (``python -m venv FOLDER/NAME``, then the ``pip`` line of
``TOOLS``) and ``FOLDER/promptfoo`` (``npm install promptfoo``). No key and no network is needed: what asks a
model asks ``judge.py``. A tool that is not there or fails is kept with its error. ``--tool NAME`` is the
process within a tool's environment: it prints, as its last line, what the tool says.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import platform
import re
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import Any

Case = dict[str, Any]
Scores = dict[str, dict[str, object]]
"""From a metric to the id of the question to what the tool says; "(judge)" marks those that ask the judge."""

HERE = Path(__file__).resolve().parent
RESULT = HERE.parent / "peers.json"
CASES: list[Case] = [
    json.loads(line) for line in (HERE / "answers.jsonl").read_text(encoding="utf-8").splitlines()
]
TOOLS = {
    "ragharness": "",
    "ragas": "pip install ragas 'langchain-community<0.4' rapidfuzz",
    "deepeval": "pip install deepeval",
    "trulens": "pip install trulens trulens-providers-openai",
    "promptfoo": "npm install promptfoo",
    "inspect": "pip install inspect-ai openai",
}
QUIET = {
    "DEEPEVAL_TELEMETRY_OPT_OUT": "YES",
    "RAGAS_DO_NOT_TRACK": "true",
    "TRULENS_OTEL_TRACING": "0",
    "PROMPTFOO_DISABLE_TELEMETRY": "1",
    "PROMPTFOO_DISABLE_UPDATE": "1",
}
LIMIT = 600
JUDGE = os.environ.get("JUDGE", "")


def contexts(case: Case) -> list[str]:
    """Texts of the passages that a case's pipeline had."""
    return [passage["text"] for passage in case["passages"]]


def source(case: Case) -> str:
    """Passages that a case's pipeline had, as one text."""
    return "\n\n".join(contexts(case))


def plain(text: str) -> str:
    """Answer without its citation marks."""
    return re.sub(r"\s*\[[\w-]+#\d+\]", "", text)


def response(case: Case) -> str | None:
    """Answer without its citation marks; None of the one that never came."""
    return None if case["answer"] is None else plain(case["answer"])


def numbered(case: Case) -> str | None:
    """Answer whose citations are the numbers of its passages."""
    ids = [passage["id"] for passage in case["passages"]]
    answer: str | None = case["answer"]
    return answer and re.sub(r"\[([\w-]+#\d+)\]", lambda mark: f"[{ids.index(mark[1]) + 1}]", answer)


def attempt(score: Callable[[], object]) -> object:
    """Value of a call, or the exception that it raises, as a text."""
    try:
        return score()
    except Exception as error:  # noqa: BLE001 (what a tool raises is the finding)
        return f"{type(error).__name__}: {' '.join(str(error).split())[:120]}"


def each_case(metrics: dict[str, Callable[[Case], object]]) -> Scores:
    """Scores of every answer by every metric, an answer at a time."""
    scores: Scores = {name: {} for name in metrics}
    for case in CASES:
        for name, metric in metrics.items():
            scores[name][case["id"]] = attempt(lambda metric=metric, case=case: metric(case))  # type: ignore[misc]
    return scores


def ragharness() -> tuple[str, Scores]:
    """The real questions of the frozen set, and a pipeline that replays the answers."""
    import msgspec

    import ragharness as rh
    from ragharness.corpus.loading import load_corpus
    from ragharness.questions.loading import load_questions

    by_question, timeout = {case["question"]: case for case in CASES}, 1.0

    def answer(question: str) -> dict[str, Any]:
        case = by_question[question]
        if case["answer"] is None:
            time.sleep(3 * timeout)
        return {"text": case["answer"], "passages": case["passages"]}

    asked = [row for row in load_questions(load_corpus("sample")).questions if row.text in by_question]
    scores: Scores = {"bucket": {}, "reason": {}}
    with tempfile.TemporaryDirectory() as home:
        questions, out = Path(home) / "questions.jsonl", Path(home) / "run"
        questions.write_bytes(b"\n".join(map(msgspec.json.encode, asked)))
        run = rh.run(answer, corpus="sample", questions=questions, out=out, timeout=timeout, progress=False)
        for record in (result.records[0] for result in run):
            verdict = record.verdict
            scores["bucket"][record.question] = (verdict and verdict.bucket) or f"ungraded: {record.status}"
            scores["reason"][record.question] = verdict.reason if verdict else ""
    return rh.__version__, scores


def ragas() -> tuple[str, Scores]:
    """Its metrics without a model, and two with the judge."""
    from openai import AsyncOpenAI
    from ragas.dataset_schema import SingleTurnSample
    from ragas.llms import llm_factory
    from ragas.metrics import NonLLMStringSimilarity
    from ragas.metrics.collections import ExactMatch, FactualCorrectness, Faithfulness

    llm = llm_factory("scripted", client=AsyncOpenAI(base_url=JUDGE, api_key="none", max_retries=0))

    def value(coroutine: Any) -> Any:
        result = asyncio.run(coroutine)
        return getattr(result, "value", result)

    def texts(case: Case) -> dict[str, Any]:
        return {"response": response(case), "reference": case["gold"]}

    exact, faithfulness = ExactMatch(), Faithfulness(llm=llm)
    factual, likeness = FactualCorrectness(llm=llm, mode="precision"), NonLLMStringSimilarity()
    return version("ragas"), each_case({
        "exact match": lambda case: value(exact.ascore(**texts(case))),
        "string similarity": lambda case: value(likeness.single_turn_ascore(SingleTurnSample(**texts(case)))),
        "faithfulness (judge)": lambda case: value(faithfulness.ascore(
            user_input=case["question"], response=response(case), retrieved_contexts=contexts(case)
        )),
        "factual correctness (judge)": lambda case: value(factual.ascore(**texts(case))),
    })  # fmt: skip


def deepeval() -> tuple[str, Scores]:
    """Exact match, and three metrics with the judge."""
    from deepeval.metrics import ExactMatchMetric, FaithfulnessMetric, GEval
    from deepeval.metrics.community import CitationFaithfulnessMetric
    from deepeval.models import LocalModel
    from deepeval.test_case import LLMTestCase, SingleTurnParams

    model = LocalModel(model="scripted", base_url=JUDGE, api_key="none")
    options: dict[str, Any] = {"model": model, "async_mode": False}

    def metric(score: Any, answer: Callable[[Case], str | None] = response) -> Callable[[Case], object]:
        def measure(case: Case) -> object:
            test = LLMTestCase(
                input=case["question"],
                actual_output=answer(case),
                expected_output=case["gold"],
                retrieval_context=contexts(case),
            )
            return score.measure(test, _show_indicator=False)

        return measure

    correctness = GEval(
        name="Correctness",
        evaluation_steps=["The actual output says what the expected output says."],
        evaluation_params=[SingleTurnParams.ACTUAL_OUTPUT, SingleTurnParams.EXPECTED_OUTPUT],
        **options,
    )
    cited = CitationFaithfulnessMetric(include_reason=False, **options)
    return version("deepeval"), each_case({
        "exact match": metric(ExactMatchMetric()),
        "faithfulness (judge)": metric(FaithfulnessMetric(include_reason=False, **options)),
        "citation faithfulness (judge)": metric(cited, numbered),
        "correctness, GEval (judge)": metric(correctness),
    })  # fmt: skip


def trulens() -> tuple[str, Scores]:
    """What needs no model, and four of its feedback functions with the judge."""
    import pandas as pd
    from trulens.core.feedback.feedback import GroundednessConfigs
    from trulens.feedback import GroundTruthAgreement
    from trulens.providers.openai import OpenAI

    provider = OpenAI(model_engine="scripted", base_url=JUDGE, api_key="none")
    rows = [{"query": case["question"], "expected_response": case["gold"]} for case in CASES]
    truth = GroundTruthAgreement(pd.DataFrame(rows), provider=provider)
    configs = GroundednessConfigs(use_sent_tokenize=False, filter_trivial_statements=False)
    grounded = provider.groundedness_measure_with_cot_reasons
    considered = provider.groundedness_measure_with_cot_reasons_consider_answerability

    metrics: dict[str, Callable[[Case], Any]] = {
        "groundedness (judge)": lambda case: grounded(
            source(case), response(case), groundedness_configs=configs
        ),
        "groundedness, answerability considered (judge)": lambda case: considered(
            source(case), response(case), case["question"], groundedness_configs=configs
        ),
        "citation attribution (judge)": lambda case: provider.citation_attribution(
            case["question"], contexts(case), numbered(case)
        ),
        "agreement (judge)": lambda case: truth.agreement_measure(case["question"], response(case)),
    }

    def number(metric: Callable[[Case], Any]) -> Callable[[Case], object]:
        def measure(case: Case) -> object:
            result = metric(case)
            return float(result[0] if isinstance(result, tuple) else result)

        return measure

    return version("trulens"), each_case({name: number(metric) for name, metric in metrics.items()})


_PROVIDER = """
const answers = require("./answers.json");
module.exports = class {
  id() { return "replay"; }
  async callApi(prompt) {
    if (answers[prompt] === null) await new Promise((done) => setTimeout(done, 9000));
    return { output: answers[prompt] };
  }
};
"""


def promptfoo() -> tuple[str, Scores]:
    """A replaying provider, assertions without a model and with the judge."""
    judge = {"id": "openai:chat:scripted", "config": {"apiBaseUrl": JUDGE, "apiKey": "none"}}
    tests = [
        {
            "description": case["id"],
            "vars": {**dict.fromkeys(("question", "query"), case["question"]), "context": source(case)},
            "assert": [
                {"type": "icontains", "value": case["gold"]},
                {"type": "is-refusal"},
                {"type": "context-faithfulness", "threshold": 0.5},
                {"type": "factuality", "value": case["gold"]},
            ],
        }
        for case in CASES
    ]  # fmt: skip
    config = {
        "prompts": ["{{question}}"],
        "providers": ["file://provider.cjs"],
        "defaultTest": {"options": {"provider": judge}},
        "evaluateOptions": {"timeoutMs": 3000, "maxConcurrency": 1, "cache": False},
        "tests": tests,
    }
    program = os.environ["PROMPTFOO"]
    with tempfile.TemporaryDirectory() as home:
        answers = {case["question"]: response(case) for case in CASES}
        (Path(home) / "answers.json").write_text(json.dumps(answers), encoding="utf-8")
        (Path(home) / "provider.cjs").write_text(_PROVIDER, encoding="utf-8")
        (Path(home) / "config.json").write_text(json.dumps(config), encoding="utf-8")
        command = [program, "eval", "-c", "config.json", "-o", "out.json", "--no-progress-bar"]
        variables = {**os.environ, "PROMPTFOO_CONFIG_DIR": home}
        done = subprocess.run(command, cwd=home, env=variables, capture_output=True, text=True, check=False)
        out = Path(home) / "out.json"
        if not out.is_file():
            raise SystemExit(f"{done.stdout[-2000:]}\n{done.stderr[-2000:]}")
        rows = json.loads(out.read_text(encoding="utf-8"))["results"]["results"]
    scores: Scores = {"sample": {}}
    for row in rows:
        name, graded = (
            row["testCase"]["description"],
            (row.get("gradingResult") or {}).get("componentResults"),
        )
        late = "timed out" in (row.get("error") or "")
        scores["sample"][name] = "ok" if graded else "timed out" if late else row["error"]
        for result in graded or ():
            kind = result["assertion"]["type"]
            asks = " (judge)" if kind in ("context-faithfulness", "factuality") else ""
            scores.setdefault(kind + asks, {})[name] = result["score"]
    found = subprocess.run([program, "--version"], capture_output=True, text=True, check=True)
    return found.stdout.strip(), scores


def inspect() -> tuple[str, Scores]:
    """A replaying solver, scorers without a model, and one with the judge."""
    from inspect_ai import Task
    from inspect_ai import eval as evaluate
    from inspect_ai.dataset import Sample
    from inspect_ai.model import ModelOutput, get_model
    from inspect_ai.scorer import f1, includes, model_graded_qa
    from inspect_ai.solver import solver

    answers, limit = {case["id"]: response(case) for case in CASES}, 20

    @solver  # type: ignore[untyped-decorator, unused-ignore]
    def replay() -> Any:
        async def solve(state: Any, generate: Any) -> Any:  # noqa: ARG001
            answer = answers[str(state.sample_id)]
            if answer is None:
                await asyncio.sleep(3 * limit)
            state.output = ModelOutput.from_content("recorded", answer)
            return state

        return solve

    judge = get_model("openai-api/judge/scripted", base_url=JUDGE, api_key="none")
    task = Task(
        dataset=[Sample(input=case["question"], target=case["gold"], id=case["id"]) for case in CASES],
        solver=replay(),
        scorer=[includes(), f1(), model_graded_qa(model=judge)],
        time_limit=limit,
    )
    with tempfile.TemporaryDirectory() as logs:
        (log,) = evaluate(task, model="mockllm/model", log_dir=logs, display="none", fail_on_error=False)
        samples = log.samples or ()  # read from the log file
    scores: Scores = {"sample": {}}
    for sample in samples:
        ended = f"{sample.limit.type} limit" if sample.limit else sample.error and sample.error.message
        scores["sample"][str(sample.id)] = ended or "ok"
        for name, score in (sample.scores or {}).items():
            metric = f"{name.removeprefix('inspect_ai/')}{' (judge)' if 'model' in name else ''}"
            scores.setdefault(metric, {})[str(sample.id)] = score.value
    return version("inspect-ai"), scores


def shown(value: object) -> object:
    """Score as a table can show it: three digits, and NaN by its name."""
    if isinstance(value, float):
        return "nan" if value != value else round(value, 3)
    return value


def measured(name: str, venvs: Path) -> dict[str, Any]:
    """What a tool says of the answers, and how often it asked the judge."""
    ours = name in ("ragharness", "promptfoo")
    python = Path(sys.executable) if ours else venvs / name / "bin" / "python"
    if not python.is_file():
        return {"error": f"not installed: {TOOLS[name]}"}
    with subprocess.Popen([sys.executable, HERE / "judge.py"], stdout=subprocess.PIPE, text=True) as judge:
        assert judge.stdout is not None
        address = judge.stdout.readline().strip()
        promptfoo_path = venvs / "promptfoo" / "node_modules" / ".bin" / "promptfoo"
        variables = {**os.environ, **QUIET, "JUDGE": address, "PROMPTFOO": str(promptfoo_path)}
        if not ours:
            variables.pop("PYTHONPATH", None)
        command = [str(python), "-W", "ignore", str(HERE / "run.py"), "--tool", name]
        with tempfile.TemporaryDirectory() as home:
            done = subprocess.run(
                command, cwd=home, env=variables, capture_output=True, text=True, timeout=LIMIT, check=False
            )
        with urllib.request.urlopen(address) as reply:
            calls = json.load(reply)
        judge.terminate()
    if done.returncode:
        return {"error": done.stderr.strip().splitlines()[-1][:300]}
    result: dict[str, Any] = json.loads(done.stdout.strip().splitlines()[-1])
    return {"install": TOOLS[name], "judge_calls": calls, **result}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--venvs", type=Path, default=Path())
    parser.add_argument("--only", choices=TOOLS, action="append")
    parser.add_argument("--tool", choices=TOOLS, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.tool:
        tool_version, scores = globals()[options.tool]()
        rows = {metric: {id_: shown(score) for id_, score in row.items()} for metric, row in scores.items()}
        print("\n" + json.dumps({"version": tool_version, "scores": rows}))
        return
    result = json.loads(RESULT.read_text(encoding="utf-8")) if RESULT.is_file() else {"tools": {}}
    result["python"] = platform.python_version()
    for name in options.only or TOOLS:
        result["tools"][name] = measured(name, options.venvs.absolute())
        print(name, json.dumps(result["tools"][name])[:300])
    result["tools"] = {name: result["tools"][name] for name in TOOLS if name in result["tools"]}
    RESULT.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
