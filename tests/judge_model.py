"""A scripted judge: it reads the quoted lines of a prompt, and obeys only what stands outside of them."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from answering import Answering, Asked, Reply
from ragharness.graders import Grader, load_grader
from ragharness.graders.judging import DECISIONS, load_prompts, outside

PARTS = {"flaw": "none", "rationale": "as quoted", "evidence": ""}
PROMPTS = load_prompts()
BLOCK = re.compile(r"(?m)^(\S.*):\n((?:\| .*\n?)+)")


def said(value: object, *, prompt: int = 100, completion: int = 20) -> Reply:
    text = value if isinstance(value, str) else json.dumps(value)
    message = {"role": "assistant", "content": text}
    usage = {"prompt_tokens": prompt, "completion_tokens": completion}
    return Reply({"choices": [{"message": message, "finish_reason": "stop"}], "usage": usage})


def asked_text(asked: Asked) -> str:
    """The turn of the user."""
    return str(asked.json["messages"][-1]["content"])


def decision_of(text: str) -> str:
    """Which prompt a text was made of; empty: something stands outside of the quoted lines."""
    return next((name for name in DECISIONS if outside(text) == outside(_blank(name)).strip("\n")), "")


def _blank(decision: str) -> str:
    return re.sub(r"(?m)^\{[a-z]+\}$", "| ", PROMPTS[decision].user)


def quoted(text: str) -> dict[str, str]:
    """The first line of each quoted text, by the words before it."""
    return {head: lines.split("\n")[0].removeprefix("| ") for head, lines in BLOCK.findall(text)}


class Model:
    """Answers by the first quoted lines; ``replies`` overrule it in turn, by decision."""

    def __init__(self) -> None:
        self.replies: dict[str, list[Any]] = {}
        self.decisions: list[str] = []

    def __call__(self, asked: Asked) -> Reply:
        text = asked_text(asked)
        decision = decision_of(text)
        self.decisions.append(decision)
        if waiting := self.replies.get(decision):
            reply = waiting.pop(0)
            return reply if isinstance(reply, Reply) else said(reply)
        return said(self.honest(decision, quoted(text)))

    def honest(self, decision: str, texts: dict[str, str]) -> object:
        if not decision:
            return {**PARTS, "score": 10, "judgement": "REFUSED", "reasoning": "", "span": ""}
        answer = texts.get("The answer that is judged") or texts.get("Answer to judge", "")
        if decision == "refusal":
            refused = "cannot" in answer
            return {"reasoning": "r", "span": answer, "judgement": "REFUSED" if refused else "NOT REFUSED"}
        if decision == "answer":
            gold = next(text for head, text in texts.items() if head.startswith("Correct answer"))
            return {**PARTS, "score": 10 if gold in answer else 0}
        if decision == "support":
            sentence, passage = texts["The sentence that cites it"], texts["The cited passage"]
            return {
                **PARTS,
                "score": 10 if sentence.rstrip(".").split()[-2:] == passage.rstrip(".").split()[-2:] else 0,
            }
        if decision == "claims":
            claims = [{"claim": "a", "supported": True}, {"claim": "b", "supported": False}]
            return {**PARTS, "claims": claims}
        return {**PARTS, "explained": True, "nearest": False, "next_step": True, "urgency": False}


def judge(server: Answering, *settings: str, cache: Path | None = None, wanted: str = "judge") -> Grader:
    """The grader that asks a server."""
    given = [f"judge.{each}" for each in ("model=m", f"base-url={server.url('/v1')}", *settings)]
    return load_grader(wanted, settings=given, cache=cache)
