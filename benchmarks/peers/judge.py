"""A judge that never errs: a server on loopback with OpenAI's API that knows what is true of the ten answers.

    python benchmarks/peers/judge.py [LOG]

The first line printed is its base URL. It finds in a prompt which of the ten answers is meant and what is
asked, and replies as ``answers.jsonl`` has it: a refusal and an empty answer hold no claim, every other one
holds one; a claim is supported, an answer correct, as marked there.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from common import CASES, Case, plain

GOOD, BAD = "It agrees.", "It does not."


def letters(text: str) -> str:
    """Return the letters and digits of a text: prompts escape and wrap what they quote."""
    return re.sub(r"[\W_]+", "", re.sub(r"\\[nrt\"]", " ", text))


def case_of(prompt: str) -> Case:
    """Return the case whose question, answer or passage a prompt holds last; of none, the empty answer."""
    text = letters(prompt)
    found: dict[int, Case] = {}
    for case in CASES:
        known = [case["question"], plain(case["answer"] or ""), *(each["text"] for each in case["passages"])]
        places = [text.rfind(each) for each in map(letters, known) if each]
        found[max(places)] = case
    last = max(found)
    return found[last] if last >= 0 else next(case for case in CASES if case["answer"] == "")


def claims(case: Case) -> list[str]:
    """Return the claims of an answer."""
    return [] if case["supported"] is None else [plain(case["answer"])]


def supported(case: Case) -> bool:
    """Whether the passages support what the answer claims."""
    return bool(case["supported"])


def cited_well(case: Case) -> bool:
    """Whether the cited passages hold the evidence; true of a refusal, as it claims nothing."""
    return refuses(case) or (supported(case) and set(case["citations"]) <= set(case["gold_passages"]))


def correct(case: Case) -> bool:
    """Whether the answer says what the reference says."""
    return bool(case["correct"])


def _statements(case: Case, prompt: str) -> object:
    judged = [
        {"statement": each, "reason": "", "verdict": int(_holds(case, prompt, each))} for each in claims(case)
    ]
    return {"statements": judged or [{"statement": "", "reason": "", "verdict": 0}]}


def _holds(case: Case, prompt: str, claim: str) -> bool:
    """Whether a statement holds by a context: the passages, or, where they are not given, the reference."""
    by_passages = any(letters(each["text"])[:80] in letters(prompt) for each in case["passages"])
    return (supported if by_passages and claim else correct)(case)


REPLIES: tuple[tuple[str, Callable[[Case, str], object]], ...] = (
    # ragas
    ("analyze the complexity of each sentence", lambda case, _: {"statements": claims(case)}),
    ("judge the faithfulness of a series of statements", _statements),
    ("Decompose and break down each of the input sentences", lambda case, _: {"claims": claims(case)}),
    # DeepEval
    (
        "indicate whether EACH claim contradicts",
        lambda case, _: {
            "verdicts": [{"verdict": "yes" if supported(case) else "no", "reason": BAD} for _ in claims(case)]
        },
    ),
    ('with the "claims" key', lambda case, _: {"claims": claims(case)}),
    ('with the "truths" key', lambda case, _: {"truths": truths(case)}),
    (
        "You are a faithfulness judge",
        lambda case, _: {"verdict": "faithful" if cited_well(case) else "unfaithful", "reasoning": ""},
    ),
    (
        "return a JSON object with two fields",
        lambda case, _: {"score": 10 if correct(case) else 0, "reason": ""},
    ),
    # TruLens
    ("Split the following statement", lambda case, _: plain(case["answer"] or "")),
    ("remove sentences that are stylistic", lambda case, _: repr([plain(case["answer"] or "")])),
    (
        "INFORMATION OVERLAP classifier",
        lambda case, _: {
            "criteria": "the statement",
            "supporting_evidence": "ABSTENTION" if refuses(case) else "the source",
            "score": 3 if refuses(case) or supported(case) else 0,
        },
    ),
    ("how semantically similar the responses are", lambda case, _: "10" if correct(case) else "0"),
    ("CITATION-ATTRIBUTION classifier", lambda case, _: {"score": int(cited_well(case))}),
    ("ABSTENTION classifier", lambda case, _: {"score": int(refuses(case))}),
    ("ANSWERABILITY classifier", lambda case, _: {"score": int(bool(held(case)))}),
    # promptfoo
    ("create one or more statements from each sentence", lambda case, _: "\n".join(claims(case)) or "\n"),
    ("Final verdict for each statement in order", lambda case, _: _in_order(case)),
    (
        "precise factuality evaluator",
        lambda case, _: {"category": "C" if correct(case) else "D", "reason": GOOD if correct(case) else BAD},
    ),
    # Inspect
    ("GRADE: $LETTER", lambda case, _: f"GRADE: {'C' if correct(case) else 'I'}"),
)


def _in_order(case: Case) -> str:
    return f"Final verdict for each statement in order: {'Yes' if supported(case) else 'No'}."


def truths(case: Case) -> list[str]:
    """Return what the passages say."""
    return [each["text"] for each in case["passages"]]


def refuses(case: Case) -> bool:
    """Whether an answer is a refusal."""
    return bool(case["answer"]) and case["supported"] is None


def held(case: Case) -> set[str]:
    """Return the passages with the evidence that the pipeline had."""
    return set(case["gold_passages"]) & {each["id"] for each in case["passages"]}


def reply(prompt: str) -> str | None:
    """Return the judge's reply; None: it does not know the prompt."""
    case = case_of(prompt)
    for words, told in REPLIES:
        if words in prompt:
            value = told(case, prompt)
            return value if isinstance(value, str) else json.dumps(value)
    return None


_HEAD: dict[str, Any] = {
    "id": "1",
    "created": 0,
    "created_at": 0,
    "model": "scripted",
    "parallel_tool_calls": False,
    "tool_choice": "none",
    "tools": [],
    "usage": {
        "prompt_tokens": 1,
        "completion_tokens": 1,
        "input_tokens": 1,
        "output_tokens": 1,
        "total_tokens": 2,
        "input_tokens_details": {"cached_tokens": 0},
        "output_tokens_details": {"reasoning_tokens": 0},
    },
}


class Handler(BaseHTTPRequestHandler):
    """Chat completions and responses; ``GET`` tells how many there were."""

    calls = 0

    def do_GET(self) -> None:
        self._send(200, Handler.calls)

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        prompt = "\n".join(
            _text(each.get("content")) for each in body.get("messages") or body.get("input", ())
        )
        said = reply(prompt)
        Handler.calls += 1
        if len(sys.argv) > 1:
            with open(sys.argv[1], "a", encoding="utf-8") as log:  # noqa: PTH123
                log.write(f"==== {self.path} {sorted(body)}\n{prompt}\n---- {said}\n")
        if said is None:
            self._send(404, {"error": {"message": "the scripted judge does not know this prompt"}})
            return
        if self.path.endswith("/responses"):
            text = {"type": "output_text", "text": said, "annotations": []}
            message = {
                "id": "1",
                "type": "message",
                "role": "assistant",
                "status": "completed",
                "content": [text],
            }
            self._send(200, {**_HEAD, "object": "response", "status": "completed", "output": [message]})
            return
        choice = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": said}}
        self._send(200, {**_HEAD, "object": "chat.completion", "choices": [choice]})

    def _send(self, status: int, value: object) -> None:
        content = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


def _text(content: object) -> str:
    if isinstance(content, list):
        return "\n".join(str(each.get("text", "")) for each in content)
    return str(content or "")


def main() -> None:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    print(f"http://127.0.0.1:{server.server_address[1]}/v1", flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main()
