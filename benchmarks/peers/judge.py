"""A judge that never errs: a server on loopback with OpenAI's API that knows what is true of the ten answers.

The first line printed is its base URL. It finds in a prompt which of the ten answers is meant and what is
asked, and replies as ``answers.jsonl`` has it: a refusal and an empty answer hold no claim, every other one
holds one; a claim is supported, an answer correct, as marked there.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from run import CASES, Case, contexts, plain


def letters(text: str) -> str:
    """Letters and digits of a text: prompts escape and wrap what they quote."""
    return re.sub(r"[\W_]+", "", re.sub(r"\\[nrt\"]", " ", text))


def case_of(prompt: str) -> Case:
    """Case whose question, answer or passage a prompt holds last; of none, the empty answer."""
    text, positions = letters(prompt), {}
    for case in CASES:
        texts = map(letters, (case["question"], plain(case["answer"] or ""), *contexts(case)))
        positions[max(text.rfind(part) for part in texts if part)] = case
    last = max(positions)
    return positions[last] if last >= 0 else next(case for case in CASES if case["answer"] == "")


def claims(case: Case) -> list[str]:
    """Claims of an answer."""
    return [] if case["supported"] is None else [plain(case["answer"])]


def supported(case: Case) -> bool:
    """Whether the passages support what the answer claims."""
    return bool(case["supported"])


def cited_well(case: Case) -> bool:
    """Whether the cited passages hold the evidence; true of a refusal, as it claims nothing."""
    return refuses(case) or (supported(case) and set(case["citations"]) <= set(case["gold_passages"]))


def refuses(case: Case) -> bool:
    """Whether an answer is a refusal."""
    return bool(case["answer"]) and case["supported"] is None


def answerable(case: Case) -> bool:
    """Whether the pipeline had a passage with the evidence."""
    return not {passage["id"] for passage in case["passages"]}.isdisjoint(case["gold_passages"])


def _statements(case: Case, prompt: str) -> object:
    # A statement is judged by the passages, or, where the prompt has none, by the reference.
    by_passages = any(letters(text)[:80] in letters(prompt) for text in contexts(case))
    verdict = int(case["supported" if by_passages else "correct"] or 0)
    rows = [{"statement": claim, "reason": "", "verdict": verdict} for claim in claims(case)]
    return {"statements": rows or [{"statement": "", "reason": "", "verdict": 0}]}


def _overlap(case: Case) -> object:
    evidence = "ABSTENTION" if refuses(case) else "the source"
    score = 3 if refuses(case) or supported(case) else 0
    return {"criteria": "the statement", "supporting_evidence": evidence, "score": score}


def _verdicts(case: Case) -> object:
    verdict = {"verdict": "yes" if supported(case) else "no", "reason": ""}
    return {"verdicts": [verdict for _ in claims(case)]}


REPLIES: dict[str, Callable[[Case], object]] = {
    # ragas
    "analyze the complexity of each sentence": lambda case: {"statements": claims(case)},
    "Decompose and break down each of the input sentences": lambda case: {"claims": claims(case)},
    # DeepEval
    "indicate whether EACH claim contradicts": _verdicts,
    'with the "claims" key': lambda case: {"claims": claims(case)},
    'with the "truths" key': lambda case: {"truths": contexts(case)},
    "You are a faithfulness judge": lambda case: {
        "verdict": "faithful" if cited_well(case) else "unfaithful",
        "reasoning": "",
    },
    "return a JSON object with two fields": lambda case: {"score": 10 * case["correct"], "reason": ""},
    # TruLens
    "Split the following statement": lambda case: plain(case["answer"] or ""),
    "remove sentences that are stylistic": lambda case: repr([plain(case["answer"] or "")]),
    "INFORMATION OVERLAP classifier": _overlap,
    "how semantically similar the responses are": lambda case: "10" if case["correct"] else "0",
    "CITATION-ATTRIBUTION classifier": lambda case: {"score": int(cited_well(case))},
    "ABSTENTION classifier": lambda case: {"score": int(refuses(case))},
    "ANSWERABILITY classifier": lambda case: {"score": int(answerable(case))},
    # promptfoo
    "create one or more statements from each sentence": lambda case: "\n".join(claims(case)) or "\n",
    "Final verdict for each statement in order": lambda case: (
        f"Final verdict for each statement in order: {'Yes' if supported(case) else 'No'}."
    ),
    "precise factuality evaluator": lambda case: {"category": "C" if case["correct"] else "D", "reason": ""},
    # Inspect
    "GRADE: $LETTER": lambda case: f"GRADE: {'C' if case['correct'] else 'I'}",
}
"""Replies by the words that a prompt holds, the first that it holds first."""


def reply(prompt: str) -> str | None:
    """Reply to a prompt; None if the judge does not know it."""
    case = case_of(prompt)
    if "judge the faithfulness of a series of statements" in prompt:  # ragas
        return json.dumps(_statements(case, prompt))
    for words, answer in REPLIES.items():
        if words in prompt:
            value = answer(case)
            return value if isinstance(value, str) else json.dumps(value)
    return None


_NUMBERS = ("prompt_tokens", "completion_tokens", "input_tokens", "output_tokens")
_DETAILS = {"input_tokens_details": {"cached_tokens": 0}, "output_tokens_details": {"reasoning_tokens": 0}}
_HEAD: dict[str, Any] = {
    "id": "1", "created": 0, "created_at": 0, "model": "scripted", "parallel_tool_calls": False,
    "tool_choice": "none", "tools": [],
    "usage": {**dict.fromkeys(_NUMBERS, 1), "total_tokens": 2, **_DETAILS},
}  # fmt: skip


class Handler(BaseHTTPRequestHandler):
    """Chat completions and responses; ``GET`` returns how many there were."""

    calls = 0

    def do_GET(self) -> None:
        self._send(200, Handler.calls)

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        turns = body.get("messages") or body.get("input", ())
        prompt = "\n".join(_text(turn.get("content")) for turn in turns)
        text = reply(prompt)
        Handler.calls += 1
        if text is None:
            self._send(404, {"error": {"message": "the scripted judge does not know this prompt"}})
        elif self.path.endswith("/responses"):
            content = [{"type": "output_text", "text": text, "annotations": []}]
            message = {"id": "1", "type": "message", "role": "assistant", "status": "completed"}
            output = [{**message, "content": content}]
            self._send(200, {**_HEAD, "object": "response", "status": "completed", "output": output})
        else:
            answer = {"role": "assistant", "content": text}
            choices = [{"index": 0, "finish_reason": "stop", "message": answer}]
            self._send(200, {**_HEAD, "object": "chat.completion", "choices": choices})

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
        return "\n".join(str(part.get("text", "")) for part in content)
    return str(content or "")


def main() -> None:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    print(f"http://127.0.0.1:{server.server_address[1]}/v1", flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main()
