"""Pipelines behind URLs, against real servers: what is sent, what is read, and every way to fail."""

from __future__ import annotations

import asyncio
import gzip
import json
import socket
import time
import zlib
from datetime import datetime, timezone
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from answering import Answering, Asked, Reply
from ragharness.errors import AccessRefused, PipelineNotUsable, TemporaryFailure, UnknownName, UnusableReply
from ragharness.pipelines import Context, Pipeline, load_pipeline, read_answer
from ragharness.pipelines._services import REPLY_LIMIT, excerpt
from ragharness.pipelines.http import Template, at_path
from ragharness.records import Answer, Passage, Usage
from ragharness.support.http import parse_retry_after
from ragharness.support.options import Options

if TYPE_CHECKING:
    from commands import Verb

PASSAGES = (
    Passage("nda#1", "nda", "Acme NDA", 0, 12, 'Say "yes" {k}'),
    Passage("nda#2", "nda", "Acme NDA", 13, 20, "Never."),
)
FULL = (
    '{"q": "{question}", "passages": "{passages}", "n": "{k}", "note": "top {k}: {context}",'
    ' "keep": [1, null]}'
)
KEY = "sk-planted-0123456789"


def load(url: str, **chosen: str) -> Pipeline:
    options = Options({name.replace("_", "-"): value for name, value in chosen.items()})
    nothing = cast("Any", None)
    return load_pipeline(url, Context(nothing, nothing, nothing, options, k=5))


def ask(pipeline: Pipeline, question: str = "Why?", passages: tuple[Passage, ...] = PASSAGES) -> Any:
    async def call() -> Any:
        return await cast("Any", pipeline.call(question, passages))

    return asyncio.run(call())


def answer(pipeline: Pipeline, question: str = "Why?") -> Answer:
    read, problems = read_answer(ask(pipeline, question))
    assert read is not None
    assert problems == ()
    return read


# -- what is sent


def test_the_whole_request_is_as_the_settings_say(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_KEY", f" {KEY}\n")
    with Answering(lambda _: Reply()) as server:
        pipeline = load(
            server.url("/ask?index=2"),
            template=FULL,
            method="PUT",
            header_authorization="Bearer ENV:MY_KEY",
            header_x_run="night",
        )
        assert (pipeline.takes, pipeline.is_async, pipeline.name) == ("passages", True, f"{server.host}/ask")
        assert answer(pipeline, 'Is "it" so? {k}').text == "Yes."
    (asked,) = server.asked
    assert (asked.method, asked.path) == ("PUT", "/ask?index=2")
    assert asked.headers["Authorization"] == f"Bearer {KEY}"
    assert (asked.headers["X-Run"], asked.headers["Content-Type"]) == ("night", "application/json")
    assert asked.json == {
        "q": 'Is "it" so? {k}',
        "passages": [
            {
                "id": "nda#1",
                "document": "nda",
                "title": "Acme NDA",
                "start": 0,
                "end": 12,
                "text": 'Say "yes" {k}',
            },
            {"id": "nda#2", "document": "nda", "title": "Acme NDA", "start": 13, "end": 20, "text": "Never."},
        ],
        "n": 5,
        "note": 'top 5: [nda#1] Say "yes" {k}\n\n[nda#2] Never.',
        "keep": [1, None],
    }


def test_without_a_template_the_question_goes_alone_and_passages_are_its_own() -> None:
    with Answering(lambda _: Reply({"answer": "Yes.", "sources": ["nda#1"], "confidence": 0.5})) as server:
        pipeline = load(server.url())
        assert pipeline.takes == "own"
        assert answer(pipeline) == Answer(text="Yes.", citations=("nda#1",), confidence=0.5)
    assert server.asked[0].json == {"question": "Why?"}


def test_get_puts_the_template_into_the_query() -> None:
    with Answering(lambda _: Reply()) as server:
        ask(
            load(
                server.url("/find?index=2"),
                method="GET",
                template='{"q": "{question}", "id": "{ids}", "n": "{k}"}',
            ),
            "Ä & b?",
        )
    assert server.asked[0].path == "/find?index=2&q=%C3%84+%26+b%3F&id=nda%231&id=nda%232&n=5"


def test_a_template_may_be_a_file(tmp_path: Path) -> None:
    (tmp_path / "body.json").write_text('{"text": "{{question}} is {question}"}', encoding="utf-8")
    template = Template(f"@{tmp_path / 'body.json'}")
    assert template.fill("what") == {"text": "{question} is what"}
    assert not template.takes_passages


@pytest.mark.parametrize(
    ("written", "message"),
    [
        ("{", "the template is no JSON"),
        ("[" * 100_000, "the template is no JSON"),
        ('{"q": "why"}', "lacks {question}"),
        (
            '{"q": "{question}", "x": "{quesion}"}',
            "{quesion} in the template is not known; it may hold {question}, {context}, {k}, {p",
        ),
        (
            '{"q": "{question} {passages}"}',
            "{passages} in the template is a list, but is embedded in other text",
        ),
        ("@nowhere.json", "cannot read the template nowhere.json: No such file"),
    ],
)
def test_a_template_that_cannot_be_meant_is_refused(written: str, message: str) -> None:
    with pytest.raises(PipelineNotUsable) as caught:
        Template(written)
    assert message in str(caught.value)
    assert caught.value.help


@given(st.text(), st.text(), st.sampled_from(["{question}", 'a "{question}" {k}', "{{k}}{question}"]))
def test_any_question_keeps_to_its_place(question: str, text: str, place: str) -> None:
    template = Template(json.dumps({"deep": [{"q": place}], "texts": "{texts}", "other": "é\\n"}))
    filled = template.fill(question, [Passage("a#1", "a", "", 0, 0, text)], 3)
    want = place.replace("{{k}}", "\0").replace("{k}", "3").replace("\0", "{k}").partition("{question}")
    assert filled == {"deep": [{"q": want[0] + question + want[2]}], "texts": [text], "other": "é\\n"}


def test_any_question_arrives_byte_for_byte() -> None:
    with Answering(lambda asked: Reply({"text": asked.json["question"]})) as server:
        pipeline = load(server.url())

        @settings(max_examples=10)
        @given(st.lists(st.text(st.characters(exclude_categories=["Cs"]), min_size=1), min_size=5))
        def arrive(questions: list[str]) -> None:
            async def all_of_them() -> list[Any]:
                return [await cast("Any", pipeline.call(question)) for question in questions]

            assert asyncio.run(all_of_them()) == [{"text": question} for question in questions]

        arrive()


# -- what is read


@pytest.mark.parametrize(
    ("reply", "text"),
    [
        (Reply("Yes."), "Yes."),
        (Reply("Ünd 5 €".encode("latin-1", "replace"), kind="text/plain; charset=latin-1"), "Ünd 5 ?"),
        (Reply(b"\xef\xbb\xbf" + '{"text": "Ü"}'.encode()), "Ü"),
        (Reply('{"text": "sent as text"}'), "sent as text"),
        (Reply("Yes."[:3] + " [1]"), "Yes [1]"),
        (Reply(b'"quoted"'), "quoted"),
        (Reply({"response": {"content": "of a message"}}), "of a message"),
        (Reply({"choices": [{"message": {"role": "assistant", "content": "chat"}}]}), "chat"),
        (Reply({"choices": [{"text": "completion"}]}), "completion"),
        (Reply({"message": {"role": "assistant", "content": "ollama"}}), "ollama"),
        (
            Reply({"content": [{"type": "text", "text": "in "}, {"type": "text", "text": "blocks"}]}),
            "in blocks",
        ),
        (Reply([{"generated_text": "generated"}]), "generated"),
        (Reply({"output": {"answer": "nested"}}), "nested"),
        (Reply(gzip.compress(b'{"text": "packed"}'), headers={"Content-Encoding": "gzip"}), "packed"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_usual_replies_are_read_without_a_path(reply: Reply, text: str) -> None:
    with Answering(lambda _: reply) as server:
        assert answer(load(server.url())).text == text


def test_paths_find_the_parts() -> None:
    reply = {
        "data": {
            "hits": [{"doc": {"id": "nda#2"}}, {"none": 1}, {"doc": {"id": "nda#1"}}],
            "say": ["No.", "Yes."],
        },
        "docs": [{"id": "nda#1", "text": "Never."}],
        "meta": {"sure": 0.25, "tokens": {"input_tokens": 7, "output_tokens": 2}},
    }
    with Answering(lambda _: Reply(reply)) as server:
        pipeline = load(
            server.url(),
            answer="$.data.say.-1",
            citations="data.hits.*.doc.id",
            passages="docs",
            confidence="meta.sure",
            usage="meta.tokens",
        )
        read = answer(pipeline)
    assert (read.text, read.citations, read.confidence) == ("Yes.", ("nda#2", "nda#1"), 0.25)
    assert read.usage == Usage(7, 2)
    assert [(each.id, each.text) for each in read.passages or ()] == [("nda#1", "Never.")]
    assert pipeline.settings["citations"] == "data.hits.*.doc.id"


def test_a_path_that_leads_nowhere_says_what_is_there() -> None:
    with Answering(lambda _: Reply({"answr": "Yes.", "n": 1})) as server:
        pipeline = load(server.url(), answer="data.answer")
        with pytest.raises(UnusableReply, match=r"the answer at data\.answer, found an object with answr, n"):
            ask(pipeline)
        with pytest.raises(PipelineNotUsable, match=r"the path usage='a\.\.b' is not made of keys"):
            load(server.url(), usage="a..b")
    with Answering(lambda _: Reply({"choices": [{"message": {"said": "Yes."}}]})) as server:
        pipeline = load(server.url(), answer="choices.0.message.content.0")
        with pytest.raises(UnusableReply, match=r"found an object with said at choices\.0\.message$"):
            ask(pipeline)


def test_sources_that_are_named_as_the_passages_are_no_citations_too() -> None:
    with Answering(lambda _: Reply({"answer": "Yes. [1]", "sources": [{"text": "Never."}]})) as server:
        read = answer(load(server.url(), passages="sources"))
    assert [each.text for each in read.passages or ()] == ["Never."]
    assert read.citations is None


@given(st.recursive(st.none() | st.text(max_size=3) | st.integers(), lambda inner: st.lists(inner, max_size=3)
       | st.dictionaries(st.text(max_size=3), inner, max_size=3), max_leaves=8),
       st.lists(st.sampled_from(["*", "0", "-1", "9", "a", "²", ""]), max_size=4))  # fmt: skip
def test_no_path_raises_on_any_value(value: Any, steps: list[str]) -> None:
    at_path(value, steps)


# -- how it fails


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (401, AccessRefused), (403, AccessRefused), (408, TemporaryFailure), (429, TemporaryFailure),
        (500, TemporaryFailure), (502, TemporaryFailure), (503, TemporaryFailure), (599, TemporaryFailure),
        (400, UnusableReply), (404, UnusableReply), (422, UnusableReply), (302, UnusableReply),
    ],
)  # fmt: skip
def test_every_status_becomes_the_failure_that_the_run_acts_upon(status: int, kind: type[Exception]) -> None:
    with Answering(lambda _: Reply({"error": "no\x1b[31m way"}, status=status)) as server:
        pipeline = load(server.url("/ask?secret=1"))
        with pytest.raises(kind) as caught:
            ask(pipeline)
    assert str(caught.value).startswith(f"{server.url()} replied {status}")
    assert "\x1b" not in str(caught.value)
    assert "secret" not in str(caught.value)


def test_the_wait_that_a_service_asks_for_is_told() -> None:
    now = datetime(2026, 11, 22, 12, 0, 0, tzinfo=timezone.utc)
    assert parse_retry_after("7") == 7
    assert parse_retry_after("0.5") == 0.5
    assert parse_retry_after("Sun, 22 Nov 2026 12:01:30 GMT", now) == 90
    assert parse_retry_after("Sun, 22 Nov 2026 11:00:00 GMT", now) == 0
    assert [parse_retry_after(odd) for odd in ("", "soon", "-3", "nan", "inf", "1e999")] == [None] * 6
    busy = Reply("busy", 429, {"Retry-After": "3"})
    with Answering(lambda _: busy) as server, pytest.raises(TemporaryFailure) as caught:
        ask(load(server.url()))
    assert caught.value.retry_after == 3


BOMB = gzip.compress(b'"' + b"a" * (REPLY_LIMIT + 2**20) + b'"')
STACKED = "deflate, deflate, deflate"
"""Each layer packs a thousandfold: 233 bytes would be gigabytes."""


@pytest.mark.parametrize(
    ("reply", "kind", "message"),
    [
        (Reply(b'{"text": "Ye'), UnusableReply, "expected one JSON value"),
        (Reply(b'{"text": "a"}\n{"text": "b"}'), UnusableReply, "found more than one"),
        (Reply(b"[" * 200_000), UnusableReply, "nested too deeply|expected one JSON value"),
        (Reply(b'{"text": ' + b"9" * 5000 + b"}"), UnusableReply, "expected one JSON value"),
        (Reply('{"text": "Größe"}'.encode("latin-1")), UnusableReply, "not in utf-8: it has the bytes f6 df 65"),
        (Reply("Ü", kind="text/plain; charset=martian"), UnusableReply, "an unknown encoding"),
        (Reply("x", kind="text/plain; charset=hex"), UnusableReply, "encoding"),
        (Reply("<!DOCTYPE html><title>Sign\nin</title>"), UnusableReply, "found a web page: Sign in"),
        (Reply("<html><title>Oh</title>", 502), TemporaryFailure, "502 Bad Gateway: Oh"),
        (Reply("data: {}\n\n", kind="text/event-stream"), UnusableReply, "a stream of events"),
        (Reply(b" " * (REPLY_LIMIT + 1)), UnusableReply, "longer than 16 MiB"),
        (Reply(BOMB, headers={"Content-Encoding": "gzip"}), UnusableReply, "longer than 16 MiB"),
        (Reply(b"no gzip", headers={"Content-Encoding": "gzip"}), UnusableReply, "incorrect header"),
        (Reply(zlib.compress(b"x"), headers={"Content-Encoding": STACKED}), UnusableReply, "as gzip or deflate"),
        (Reply({"text": "Yes."}, cut=5), TemporaryFailure, "peer closed connection"),
        (Reply({"text": "Yes."}, cut=-1), TemporaryFailure, "disconnected without"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)  # fmt: skip
def test_a_strange_reply_is_the_failure_of_its_question_alone(
    reply: Reply, kind: type[Exception], message: str
) -> None:
    waiting = [Reply("Yes."), reply]
    with Answering(lambda _: waiting.pop()) as server:
        pipeline = load(server.url())
        with pytest.raises(kind, match=message) as caught:
            ask(pipeline)
        assert len(str(caught.value)) < 1000
        assert answer(pipeline).text == "Yes."


def test_a_redirect_is_not_followed_and_takes_no_key_along(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_KEY", KEY)
    with (
        Answering(lambda _: Reply()) as other,
        Answering(lambda _: Reply("", 307, {"Location": other.url("/steal")})) as server,
    ):
        pipeline = load(server.url(), header_x_api_key="ENV:MY_KEY")
        with pytest.raises(UnusableReply, match="/steal, which is not followed: use that address directly"):
            ask(pipeline)
    assert other.asked == []


def test_no_question_sends_what_another_was_told_to_remember() -> None:
    with Answering(lambda _: Reply(headers={"Set-Cookie": "memory=1"})) as server:
        pipeline = load(server.url())

        async def twice() -> None:
            for _ in range(2):
                await cast("Any", pipeline.call("Why?"))

        asyncio.run(twice())
    assert [asked.headers["Cookie"] for asked in server.asked] == [None, None]


# -- what is refused before any question


def free_port() -> int:
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        return int(held.getsockname()[1])


@pytest.mark.parametrize(
    ("url", "message"),
    [
        (
            "http://127.0.0.1:{free}/ask",
            "nothing listens at 127.0.0.1:{free}: Connection",
        ),
        ("http://nowhere.invalid/ask", "nothing listens at nowhere.invalid:80: "),
        ("https://127.0.0.1:{free}", "nothing listens at 127.0.0.1:{free}"),
        ("http://user:pass@127.0.0.1/", "the URL for 127.0.0.1 holds a login"),
        ("http:", "names no host"),
        ("http:///ask", "names no host"),
        ("http://127.0.0.1:99999/", "names no host"),
        ("http://127.0.0.1:http/", "is no URL"),
    ],
)
def test_a_url_at_which_nobody_can_be_is_refused_at_once(
    url: str, message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("http_proxy", "https_proxy", "all_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)
    free = str(free_port())
    with pytest.raises(PipelineNotUsable) as caught:
        load(url.replace("{free}", free))
    assert message.replace("{free}", free) in str(caught.value)
    assert caught.value.help
    assert "pass" not in str(caught.value)


def test_keys_come_from_the_environment_and_stay_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HARMLESS", KEY)
    with Answering(lambda asked: Reply(f"you sent {asked.headers['X-Api-Key']}", 400)) as server:
        pipeline = load(server.url(), header_x_api_key="ENV:HARMLESS")
        with pytest.raises(UnusableReply, match=r"you sent \[HARMLESS\]"):
            ask(pipeline)
        server.reply = lambda asked: Reply({"text": f"Your key is {asked.headers['X-Api-Key']}."})
        assert answer(pipeline).text == "Your key is [HARMLESS]."
        assert KEY not in repr(pipeline)
        assert pipeline.settings["header-x-api-key"] == "ENV:HARMLESS"
        for value, message in (
            ("ENV:NOT_THERE", "environment variable NOT_THERE.* is not set"),
            (KEY, "from the environment, not in plain text"),
            ("ENV:BROKEN", "holds characters that a header cannot"),
        ):
            monkeypatch.setenv("BROKEN", "a\r\nHost: elsewhere")
            with pytest.raises(PipelineNotUsable, match=message) as caught:
                load(server.url(), header_x_api_key=value)
            assert KEY not in str(caught.value) + caught.value.help


@pytest.mark.parametrize(
    "name", ["api_key", "apiKey", "x-api-key", "password", "clientSecret", "access_token", "token"]
)
def test_a_key_that_is_written_into_the_template_is_refused(name: str) -> None:
    with pytest.raises(
        PipelineNotUsable, match=f"the template, .*holds the secret '{name}' in plain text"
    ) as caught:
        load("http://127.0.0.1/", template=json.dumps({"q": "{question}", "deep": [{name: KEY}]}))
    assert KEY not in str(caught.value) + caught.value.help


def test_a_template_may_speak_of_tokens_and_keys() -> None:
    kept = {"max_tokens": "100000000", "tokenizer": "cl100k_base", "key": "{question}", "secret": ""}
    assert Template(json.dumps(kept)).fill("Why?") == {**kept, "key": "Why?"}


def test_settings_that_nothing_reads_are_refused_before_anybody_is_called() -> None:
    with pytest.raises(UnknownName, match="did you mean template"):
        load(f"http://127.0.0.1:{free_port()}/", tempalte="{}")
    with pytest.raises(UnknownName, match="no method is named 'POKE'"):
        load("http://127.0.0.1/", method="POKE")


@given(st.text(max_size=700), st.integers(10, 300))
def test_excerpts_are_short_and_harmless(text: str, limit: int) -> None:
    shown = excerpt(text, limit)
    assert len(shown) <= limit
    assert not any(ord(letter) < 32 or 127 <= ord(letter) < 160 for letter in shown)


# -- whole runs


def test_a_run_over_http_keeps_no_key_and_loses_no_question(
    verb: Verb, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SERVICE_LOGIN", KEY)

    def reply(asked: Asked) -> Reply:
        cited = asked.json["ids"]
        return Reply({"text": f"I do not know: {asked.headers['Authorization']}", "citations": cited[:1]})

    with Answering(reply) as server:
        done = verb(
            "run", "--quiet", "--size", "13", "--json", "--out", "run",
            "--pipeline", server.url("/ask?key=hidden-in-query"),
            "--pipeline-option", 'template={"question": "{question}", "ids": "{ids}"}',
            "--pipeline-option", "header-authorization=Bearer ENV:SERVICE_LOGIN",
        )  # fmt: skip
        scores = json.loads(done.output)
        assert done.code == 0
        assert (scores["takes"], scores["questions"], scores["statuses"]["error"]) == ("passages", 13, 0)
        assert len(server.asked) == 13
        assert {asked.headers["Authorization"] for asked in server.asked} == {f"Bearer {KEY}"}
    for file in (tmp_path / "run").iterdir():
        content = file.read_bytes()
        assert KEY.encode() not in content
        assert b"hidden-in-query" not in content


def test_sixteen_questions_wait_at_once_on_one_thread(verb: Verb) -> None:
    delay = 0.05

    def reply(_: Asked) -> Reply:
        time.sleep(delay)
        return Reply("I could not find it in the documents.")

    with Answering(reply) as server:
        done = verb(
            "run", "--quiet", "--json", "--out", "run", "--concurrency", "16", "--size", "130",
            "--pipeline", server.url(),
        )  # fmt: skip
    assert done.code == 0
    records = [json.loads(line) for line in Path("run/records.jsonl").read_bytes().splitlines()]
    begun = sorted(datetime.fromisoformat(record["started"]).timestamp() for record in records)
    ended = max(datetime.fromisoformat(each["started"]).timestamp() + each["seconds"] for each in records)
    # One after the other they would take 6.5 seconds; sixteen at once 0.45, and machines that test are busy.
    assert len(records) == 130
    assert ended - begun[0] < 3


@pytest.mark.parametrize("told", ["--offline", "RAGHARNESS_OFFLINE"])
@pytest.mark.parametrize(
    "named", ["http://example.invalid/answer", "https://example.invalid/answer", "llm:m"]
)
def test_offline_nothing_outside_this_machine_is_asked(
    verb: Verb, monkeypatch: pytest.MonkeyPatch, told: str, named: str
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    options = ["--offline"] if told == "--offline" else []
    if not options:
        monkeypatch.setenv(told, "1")
    done = verb("run", "--pipeline", named, *options)
    assert done.code == 3
    assert "is not on this machine, and --offline or RAGHARNESS_OFFLINE is set" in done.errors
    # One of this machine is asked as ever.
    local = verb("run", "--pipeline", "http://127.0.0.1:9/answer", *options)
    assert "nothing listens at 127.0.0.1:9" in " ".join(local.errors.split())
