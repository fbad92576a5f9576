"""Logs of production without gold: each export as it comes, what it shows, a sample to label, drift."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import ragharness as rh
from ragharness.analysis.intervals import difference_interval
from ragharness.analysis.measuring import drift, score_log
from ragharness.errors import UsageError
from ragharness.records import Passage
from ragharness.reports.formats import load_format
from ragharness.traces import scorer as traces
from ragharness.traces.logs import Entry, log_formats, read_log, sample

if TYPE_CHECKING:
    from commands import Verb

ASKED = "When does the lease of the depot end?"
PASSAGES = (
    ("lease#4", "The lease of the depot ends on 30 June 2031."),
    ("lease#9", "The depot has six bays."),
)
ANSWER = "The lease of the depot ends on 30 June 2031 [lease#4]."


def attribute(key: str, value: Any) -> dict[str, Any]:
    return {"key": key, "value": typed(value)}


def typed(value: Any) -> dict[str, Any]:
    if isinstance(value, list):
        return {"arrayValue": {"values": [typed(each) for each in value]}}
    if isinstance(value, dict):
        return {"kvlistValue": {"values": [attribute(*each) for each in value.items()]}}
    if isinstance(value, float):
        return {"doubleValue": value}
    return {"intValue": str(value)} if isinstance(value, int) else {"stringValue": value}


def span(name: str, parent: str, started: int, attributes: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {
        "traceId": "5b8efff798038103d269b633813fc60c",
        "spanId": name,
        "parentSpanId": parent,
        "name": name,
        "startTimeUnixNano": str(started),
        "attributes": [attribute(*each) for each in attributes.items()],
        **more,
    }


def otlp(*spans: dict[str, Any]) -> list[Any]:
    return [{"resourceSpans": [{"resource": {"attributes": []}, "scopeSpans": [{"spans": list(spans)}]}]}]


DOCUMENTS = [{"id": name, "score": 0.9, "content": text} for name, text in PASSAGES]


def message(role: str, text: str) -> dict[str, Any]:
    return {"role": role, "parts": [{"type": "text", "content": text}]}


GEN_AI = otlp(
    span("root", "", 1, {"gen_ai.operation.name": "invoke_agent"}),
    span("get", "root", 2, {"gen_ai.operation.name": "retrieval", "gen_ai.retrieval.documents": DOCUMENTS}),
    span(
        "chat",
        "root",
        3,
        {
            "gen_ai.operation.name": "chat",
            "gen_ai.input.messages": json.dumps([message("system", "Cite."), message("user", ASKED)]),
            "gen_ai.output.messages": [{**message("assistant", ANSWER), "finish_reason": "stop"}],
            "gen_ai.usage.input_tokens": 12,
        },
    ),
)
GEN_AI_EVENTS = otlp(
    span("get", "", 1, {"gen_ai.retrieval.documents": json.dumps(DOCUMENTS)}),
    span(
        "chat",
        "get",
        3,
        {"gen_ai.operation.name": "chat"},
        events=[
            {"name": "gen_ai.system.message", "attributes": [attribute("content", "Cite.")]},
            {"name": "gen_ai.user.message", "attributes": [attribute("content", ASKED)]},
            {
                "name": "gen_ai.choice",
                "attributes": [attribute("index", 0), attribute("message", {"content": ANSWER})],
            },
        ],
    ),
)
OPENLLMETRY = otlp(
    span("get", "", 1, {"gen_ai.retrieval.documents": DOCUMENTS}),
    span(
        "chat",
        "",
        2,
        {
            "gen_ai.operation.name": "chat",
            "gen_ai.prompt.0.role": "system",
            "gen_ai.prompt.0.content": "Cite.",
            "gen_ai.prompt.1.role": "user",
            "gen_ai.prompt.1.content": ASKED,
            "gen_ai.completion.0.role": "assistant",
            "gen_ai.completion.0.content": ANSWER,
        },
    ),
)
SPREAD = {
    f"retrieval.documents.{place}.document.{key}": value
    for place, (name, text) in enumerate(PASSAGES)
    for key, value in (("id", name), ("content", text), ("score", 0.5))
}
OPENINFERENCE = otlp(
    span(
        "chain",
        "",
        1,
        {
            "openinference.span.kind": "CHAIN",
            "input.value": json.dumps({"query": ASKED}),
            "output.value": ANSWER,
        },
    ),
    span("get", "chain", 2, {"openinference.span.kind": "RETRIEVER", "input.value": ASKED, **SPREAD}),
)


def phoenix_span(name: str, parent: str | None, kind: str, attributes: dict[str, Any]) -> dict[str, Any]:
    return {
        "id": f"U3Bhbjo{name}",
        "name": name,
        "context": {"trace_id": "t1", "span_id": name},
        "span_kind": kind,
        "parent_id": parent,
        "start_time": f"2026-01-01T00:00:0{len(name)}+00:00",
        "attributes": attributes,
    }


PHOENIX = [
    phoenix_span(
        "llm",
        "query",
        "LLM",
        {
            "llm": {
                "input_messages": [
                    {"message": {"role": "system", "content": "Cite."}},
                    {"message": {"role": "user", "content": ASKED}},
                ],
                "output_messages": [{"message": {"role": "assistant", "content": ANSWER}}],
            }
        },
    ),
    phoenix_span("query", None, "CHAIN", {}),
    phoenix_span(
        "retrieve",
        "query",
        "RETRIEVER",
        {
            "input": {"value": ASKED},
            "retrieval": {
                "documents": [{"document": {"id": name, "content": text}} for name, text in PASSAGES]
            },
        },
    ),
]
PHOENIX_FRAME = [
    {
        "name": "query",
        "span_kind": "CHAIN",
        "parent_id": None,
        "context.trace_id": "t1",
        "context.span_id": "a",
        "start_time": "2026-01-01",
        "attributes.input.value": ASKED,
        "attributes.output.value": ANSWER,
    },
    {
        "name": "retrieve",
        "span_kind": "RETRIEVER",
        "parent_id": "a",
        "context.trace_id": "t1",
        "context.span_id": "b",
        "start_time": "2026-01-02",
        "attributes.input.value": ASKED,
        "attributes.retrieval.documents": [
            {"document.id": name, "document.content": text, "document.score": 0.4} for name, text in PASSAGES
        ],
    },
]
LANGFUSE_ROWS: list[dict[str, Any]] = [
    {
        "id": "o1",
        "traceId": "t1",
        "type": "RETRIEVER",
        "name": "retrieve",
        "parentObservationId": None,
        "startTime": "2026-01-01T00:00:01Z",
        "input": ASKED,
        "output": [{"id": name, "text": text} for name, text in PASSAGES],
    },
    {
        "id": "o2",
        "traceId": "t1",
        "type": "GENERATION",
        "name": "answer",
        "parentObservationId": None,
        "startTime": "2026-01-01T00:00:02Z",
        "input": [{"role": "system", "content": "Cite."}, {"role": "user", "content": ASKED}],
        "output": {"role": "assistant", "content": ANSWER},
    },
]
LANGFUSE_PAGE = {
    "data": [
        *LANGFUSE_ROWS,
        {"id": "o0", "traceId": "t1", "type": "TOOL", "name": "clock", "input": "now", "output": "noon"},
    ],
    "meta": {"limit": 100},
}
LANGFUSE_BLOB = [
    {
        **{
            key: value
            for key, value in row.items()
            if key not in ("traceId", "parentObservationId", "startTime")
        },
        "trace_id": row["traceId"],
        "parent_observation_id": None,
        "start_time": row["startTime"],
        "input": json.dumps(row["input"]),
        "output": json.dumps(row["output"]),
    }
    for row in LANGFUSE_ROWS
]
LANGFUSE_TRACE = [
    {
        "trace": {"id": "t1", "input": {"question": ASKED}, "output": {"answer": ANSWER}},
        "observations": LANGFUSE_ROWS[:1],
        "scores": [],
    }
]
LANGFUSE_FETCHED = [{"id": "t1", "input": ASKED, "output": ANSWER, "observations": LANGFUSE_ROWS[:1]}]


def run(name: str, kind: str, parent: str | None, inputs: Any, outputs: Any) -> dict[str, Any]:
    return {
        "id": name,
        "trace_id": "r0",
        "parent_run_id": parent,
        "run_type": kind,
        "name": name,
        "start_time": "2026-01-01T00:00:00",
        "dotted_order": f"2026{name}",
        "inputs": inputs,
        "outputs": outputs,
    }


HELD = [
    {"page_content": text, "type": "Document", "metadata": {"id": name, "source": "lease.pdf"}}
    for name, text in PASSAGES
]
CHAT = {
    "generations": [
        [
            {
                "text": ANSWER,
                "message": {
                    "lc": 1,
                    "type": "constructor",
                    "id": ["langchain", "schema", "messages", "AIMessage"],
                    "kwargs": {"content": ANSWER},
                },
            }
        ]
    ]
}
ASKING = {
    "messages": [
        [
            {
                "lc": 1,
                "id": ["langchain", "schema", "messages", "SystemMessage"],
                "kwargs": {"content": "Cite."},
            },
            {
                "lc": 1,
                "id": ["langchain", "schema", "messages", "HumanMessage"],
                "kwargs": {"content": ASKED},
            },
        ]
    ]
}
LANGSMITH = [
    run("r0", "chain", None, {}, {}),
    run("r1", "retriever", "r0", {"query": ASKED}, {"documents": HELD}),
    run("r2", "llm", "r0", ASKING, CHAT),
]
LANGSMITH_NESTED = [
    {
        **run("r0", "chain", None, {"input": ASKED}, {"output": ANSWER}),
        "child_runs": [run("r1", "retriever", None, {"query": ASKED}, {"output": HELD})],
    }
]
PLAIN = [
    {
        "question": ASKED,
        "answer": ANSWER,
        "citations": ["lease#4"],
        "passages": [{"id": name, "text": text} for name, text in PASSAGES],
    }
]
EXPORTS = {
    "plain": (PLAIN,),
    "opentelemetry": (GEN_AI, GEN_AI_EVENTS, OPENLLMETRY, OPENINFERENCE),
    "phoenix": (PHOENIX, PHOENIX_FRAME),
    "langfuse": (LANGFUSE_ROWS, LANGFUSE_BLOB, LANGFUSE_TRACE, LANGFUSE_FETCHED),
    "langsmith": (LANGSMITH, LANGSMITH_NESTED),
}
ALL = [(name, rows) for name, exports in EXPORTS.items() for rows in exports]


def written(path: Path, rows: Any, *, whole: bool = False) -> Path:
    text = json.dumps(rows, indent=1) if whole else "\n".join(map(json.dumps, rows))
    path.write_text(text, encoding="utf-8")
    return path


def test_every_format_has_an_export_here() -> None:
    assert set(EXPORTS) == set(log_formats())


def test_a_page_of_an_api_is_its_data_and_no_tool_answers(tmp_path: Path) -> None:
    (found,) = read_log(written(tmp_path / "page.json", LANGFUSE_PAGE, whole=True)).entries
    assert (found.question, found.answer, len(found.passages or ())) == (ASKED, ANSWER, 2)


@pytest.mark.parametrize("whole", [False, True])
@pytest.mark.parametrize(("name", "rows"), ALL, ids=[f"{name}-{at}" for at, (name, _) in enumerate(ALL)])
def test_an_export_is_read_as_it_comes(tmp_path: Path, name: str, rows: Any, whole: bool) -> None:
    log = read_log(written(tmp_path / "log", rows, whole=whole))
    assert (log.format, log.left_out, len(log.entries)) == (name, 0, 1)
    (entry,) = log.entries
    assert (entry.question, entry.answer) == (ASKED, ANSWER)
    assert [(each.id, each.text) for each in entry.passages or ()] == list(PASSAGES)
    found = score_log(log)
    assert (found.refused.count, found.cited.count, found.citations_exist.count) == (0, 1, 1)
    assert (found.citations_support.count, found.citations_support.n, found.uncited_claims.count) == (1, 1, 0)


RECORDED = sorted((Path(__file__).parent / "exports").glob("*.json*"))
UNKNOWN = {"opentelemetry-openllmetry", "opentelemetry-genai-no-retrieval"} | {
    f"opentelemetry-genai-{name}" for name in ("events", "details")
}
"""Exports that do not say what was retrieved, or not by which ids."""


@pytest.mark.parametrize("path", RECORDED, ids=[path.stem for path in RECORDED])
def test_what_real_tools_export_is_read_as_it_comes(path: Path) -> None:
    log = read_log(path)
    assert (log.format, log.left_out, len(log.entries)) == (path.name.partition("-")[0], 0, 1)
    (entry,) = log.entries
    assert (entry.question, entry.answer) == (ASKED, ANSWER)
    found = score_log(log)
    known = path.stem not in UNKNOWN
    assert found.cited.count == 1
    assert (found.citations_exist.count, found.citations_exist.n) == ((1, 1) if known else (0, 0))
    assert found.unknown_retrieval == (not known)
    texts = tuple((each.id, each.text) for each in entry.passages or ())
    if path.stem == "opentelemetry-genai-retrieval":
        assert (texts, found.unknown_texts) == (tuple((name, "") for name, _ in PASSAGES), 1)
    elif path.stem == "opentelemetry-openllmetry":
        assert texts == tuple((str(place), text) for place, (_, text) in enumerate(PASSAGES, 1))
    else:
        assert texts == (PASSAGES if known else ())
        assert found.citations_support.count == known


def test_a_decorated_function_is_read_by_its_arguments_and_what_it_returned(tmp_path: Path) -> None:
    attributes = {
        "traceloop.span.kind": "workflow",
        "traceloop.entity.input": json.dumps({"args": [], "kwargs": {"k": 5, "asked": ASKED}}),
        "traceloop.entity.output": json.dumps(ANSWER),
    }
    (found,) = read_log(written(tmp_path / "log", otlp(span("root", "", 1, attributes)))).entries
    assert (found.question, found.answer, found.passages) == (ASKED, ANSWER, None)


def test_where_retrieval_is_unknown_citations_are_not_checked(tmp_path: Path, verb: Verb) -> None:
    bare = {"question": ASKED, "answer": ANSWER}
    texts = [text for _, text in PASSAGES]
    rows = [
        bare,
        {**bare, "passages": texts},
        {**bare, "passages": [], "answer": "It ends on 30 June 2031 [7]."},
        {**bare, "passages": texts, "answer": "The lease of the depot ends on 30 June 2031 [1]."},
    ]
    done = verb("score", "--trace", str(written(tmp_path / "log", rows)))
    assert "what was retrieved is not in the log: citations not checked" in done.output
    found = score_log(read_log(tmp_path / "log"))
    assert (found.cited.count, found.unknown_retrieval) == (4, 2)
    assert (found.citations_exist.count, found.citations_exist.n) == (1, 2)


def entry(name: str, answer: str, **changes: Any) -> Entry:
    passages = tuple(Passage(each, "", "", 0, len(text), text) for each, text in PASSAGES)
    return Entry(**{"id": name, "question": ASKED, "answer": answer, "passages": passages, **changes})


MIXED = [
    entry("a", ANSWER),
    entry("b", "The lease of the depot ends on 30 June 2031 [lease#9]."),
    entry("c", "The lease of the depot ends on 30 June 2031 [other#1]."),
    entry("d", "The lease of the depot ends on 30 June 2031."),
    entry("e", "I could not find this in the passages."),
    entry("f", "not in context"),
    entry("g", ""),
]


def log_of(entries: list[Entry]) -> Any:
    from ragharness.traces.logs import Log

    return Log("plain", entries, 0)


def test_what_answers_show_without_gold() -> None:
    found = score_log(log_of(MIXED))
    assert (found.answers, found.empty, found.unread) == (7, 1, 0)
    assert (found.refused.count, found.refused.n) == (2, 6)
    assert (found.cited.count, found.cited.n) == (3, 4)
    assert (found.citations_exist.count, found.citations_exist.n) == (2, 3)
    assert (found.citations_support.count, found.citations_support.n) == (1, 3)
    assert (found.uncited_claims.count, found.uncited_claims.n) == (1, 4)


def test_support_is_unknown_where_the_log_has_no_text() -> None:
    bare = entry("a", ANSWER, passages=(Passage("lease#4", "", "", 0, 0, ""),))
    found = score_log(log_of([bare]))
    assert (found.citations_exist.count, found.citations_support.n, found.unknown_texts) == (1, 0, 1)


def test_the_command_says_first_what_is_not_graded(tmp_path: Path, verb: Verb) -> None:
    path = written(tmp_path / "log.jsonl", [*PLAIN, {"question": "Who?", "answer": ""}, {"other": 1}])
    done = verb("score", "--trace", str(path))
    assert done.code == 2
    assert done.output.startswith("Not a result: no answer is graded, as there is no gold (--gold FILE)\n")
    assert "2 answers, read as plain" in done.output
    told = json.loads(verb("score", "--trace", str(path), "--json").output)
    assert (told["graded"], told["result"], told["empty"], told["left_out"]) == (False, False, 1, 1)


def test_drift_between_two_weeks_has_newcombe_s_intervals(tmp_path: Path, verb: Verb) -> None:
    low, high = difference_interval(7, 130, 4, 130)
    assert (round(low, 4), round(high, 4)) == (-0.0302, 0.0794)
    assert difference_interval(0, 0, 1, 2)[0] < 0 < difference_interval(0, 0, 1, 2)[1]
    refusing = [entry(str(number), "I could not find this in the passages.") for number in range(20)]
    answering = [entry(str(number), ANSWER) for number in range(20)]
    before, after = (
        score_log(log_of([*answering, *refusing[:2]])),
        score_log(log_of([*refusing, *answering[:2]])),
    )
    moved = {each.name: each for each in drift(before, after)}
    assert moved["refused"].moved
    assert not moved["citations_exist"].moved
    nothing = {each.name: each for each in drift(before, score_log(log_of(refusing)))}
    assert (nothing["cited"].low, nothing["cited"].moved) == (None, False)
    paths = []
    for name, answer in (("first", ANSWER), ("second", "I could not find this in the passages.")):
        rows = [{**PLAIN[0], "id": str(number), "answer": answer, "citations": []} for number in range(20)]
        paths.append(str(written(tmp_path / name, rows)))
    done = verb("score", "--trace", paths[1], "--against", paths[0])
    assert "DRIFT" in done.output
    assert any(line.startswith("refused") and line.endswith("moved") for line in done.output.splitlines())


@given(st.integers(0, 30), st.integers(1, 30), st.integers(0, 30), st.integers(1, 30))
def test_the_interval_of_a_difference_joins_scipy_s_limits(one: int, n: int, other: int, m: int) -> None:
    stats = pytest.importorskip("scipy.stats", reason="needs scipy to compare with")
    one, other = min(one, n), min(other, m)
    first, second = (
        stats.binomtest(count, of).proportion_ci(method="wilson") for count, of in ((one, n), (other, m))
    )
    difference = one / n - other / m
    low = difference - math.hypot(one / n - first.low, second.high - other / m)
    high = difference + math.hypot(first.high - one / n, other / m - second.low)
    assert difference_interval(one, n, other, m) == pytest.approx((low, high))


def test_a_sample_is_labelled_and_calibrates(tmp_path: Path, verb: Verb) -> None:
    rows = [{**PLAIN[0], "id": f"q{number}"} for number in range(9)]
    path, out = str(written(tmp_path / "log.jsonl", rows)), tmp_path / "sample.jsonl"
    done = verb("score", "--trace", path, "--sample", "4", "-o", str(out))
    assert (done.code, "4 answers to label" in done.errors) == (2, True)
    drawn = [json.loads(line) for line in out.read_text().splitlines()]
    assert len({each["id"] for each in drawn}) == 4
    assert drawn == sample(read_log(tmp_path / "log.jsonl").entries, 4)
    assert "expected" in verb("calibrate", "--answers", str(out)).errors
    filled = [{**each, "answers": ["30 June 2031"], "label": "correct"} for each in drawn]
    assert verb("calibrate", "--answers", str(written(out, filled))).code == 0


@pytest.mark.parametrize(
    "options",
    [("--sample", "3"), ("-o", "x"), ("--gold", "g", "--against", "x"), ("--sample", "-1", "-o", "x")],
)
def test_options_that_cannot_be_meant(tmp_path: Path, verb: Verb, options: tuple[str, ...]) -> None:
    path = str(written(tmp_path / "log.jsonl", PLAIN))
    done = verb("score", "--trace", path, *options)
    assert (done.code, "expected --sample N -o FILE" in done.errors) == (3, True)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "holds no answers of a system"),
        ("[]", "holds no answers of a system"),
        ('{"a": 1}', "neither rows with a question and an answer nor spans"),
        ('{"question": "a", "answer": "b"}\n{', "is not JSON: '{'"),
        ('{\n"question": "a",\n"answer": "b"}\n{\n"x": "\\ud800"}', "is not JSON: '{'"),
    ],
)
def test_what_cannot_be_read_is_a_sentence(tmp_path: Path, text: str, sentence: str) -> None:
    path = tmp_path / "log"
    path.write_text(text)
    with pytest.raises(UsageError) as error:
        read_log(path)
    assert sentence in str(error.value)


@pytest.mark.parametrize(
    "bad", [1, "x", None, [], {}, {"traceId": 1, "type": "SPAN"}, {"run_type": 1, "id": None}]
)
def test_odd_rows_are_left_out_and_never_an_error(tmp_path: Path, bad: Any) -> None:
    log = read_log(written(tmp_path / "log", [*PLAIN, bad]))
    assert (len(log.entries), log.left_out) == (1, 1)


ODD: st.SearchStrategy[Any] = st.sampled_from(
    [None, 0, "", "x", "[", "{}", [], [1], {}, {"a": {}}, True, [["x"]], {"0": {"1": 2}}]
)


def altered(value: Any, data: st.DataObject) -> Any:
    """Return a value in which something odd stands in the place of a part."""
    if not isinstance(value, (dict, list)) or not value or data.draw(st.integers(0, 5)) == 0:
        return data.draw(ODD)
    if isinstance(value, list):
        at = data.draw(st.integers(0, len(value) - 1))
        return [altered(each, data) if place == at else each for place, each in enumerate(value)]
    at = data.draw(st.sampled_from(sorted(value)))
    return {key: altered(each, data) if key == at else each for key, each in value.items()}


@settings(max_examples=400, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.sampled_from([rows for _, rows in ALL]), st.data())
def test_a_damaged_export_is_read_or_refused_in_a_sentence(
    tmp_path: Path, rows: Any, data: st.DataObject
) -> None:
    path = written(tmp_path / "log", altered(rows, data), whole=True)
    try:
        score_log(read_log(path))
    except UsageError:
        return


def test_records_leave_as_traces(tmp_path: Path, verb: Verb) -> None:
    done = rh.run("extractive", out=tmp_path / "r", progress=False)
    printed = verb("report", str(tmp_path / "r"), "--format", "traces").output
    assert printed == load_format("traces")(done.scores)
    rows = [json.loads(line) for line in printed.splitlines()]
    records = {record.question: record for each in done for record in each.records}
    assert len(rows) == 130
    for row in rows:
        record = records[row["qid"]]
        refused = record.verdict is not None and record.verdict.bucket == "refused"
        assert traces.refuses(row["answer_json"]["claim"]) == refused
        assert row["retrieved_ids"] == [each.id for each in record.retrieved]
    gold = [
        {
            "qid": each.question.id,
            "question": each.question.text,
            "answerable": each.question.wanted == "correct",
            "gold_claim_substr": list(each.question.answers),
            "gold_citations": rows[0]["retrieved_ids"],
        }
        for each in done
    ]
    found = traces.score(gold, rows)
    assert found.refused == done.scores.buckets["refused"]
    assert not found.missing
