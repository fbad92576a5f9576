"""A scripted judge: it reads the quoted lines of a prompt, and obeys only what stands outside of them."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from answering import Answering, Asked, Reply
from ragharness.graders import Grader, load_grader
from ragharness.graders.judging import DECISIONS, MARK, load_prompts

PARTS = {"reason": "as quoted", "evidence": ""}
PROMPTS = load_prompts()
BLOCK = re.compile(r"(?m)^(\S.*):\n((?:\| .*\n?)+)")


def labelled(label: str, evidence: str = "") -> dict[str, str]:
    """Reply with a label."""
    return {**PARTS, "evidence": evidence, "label": label}


def said(value: object, *, prompt: int = 100, completion: int = 20) -> Reply:
    text = value if isinstance(value, str) else json.dumps(value)
    message = {"role": "assistant", "content": text}
    usage = {"prompt_tokens": prompt, "completion_tokens": completion}
    return Reply({"choices": [{"message": message, "finish_reason": "stop"}], "usage": usage})


def asked_text(asked: Asked) -> str:
    """The turn of the user."""
    return str(asked.json["messages"][-1]["content"])


def outside(prompt: str) -> str:
    """Lines of a prompt that are not quoted."""
    return "\n".join(line for line in prompt.split("\n") if not line.startswith(MARK.rstrip()))


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
            return {**labelled("agrees"), "supported": True}
        if decision == "answer":
            return labelled(self.label(texts["What is true"], texts["Answer to judge"]))
        if decision == "support":
            sentence, passage = texts["The sentence that cites it"], texts["The cited passage"]
            same = sentence.rstrip(".").split()[-2:] == passage.rstrip(".").split()[-2:]
            return labelled("supported" if same else "not supported")
        if decision == "claims":
            claims = [{"claim": "a", "supported": True}, {"claim": "b", "supported": False}]
            return {**PARTS, "claims": claims}
        return {**PARTS, "explained": True, "nearest": False, "next_step": True, "urgency": False}

    def label(self, truth: str, answer: str) -> str:
        if "cannot" in answer:
            return "refuses"
        gold = truth.rpartition(": ")[2].rstrip(".")
        return "agrees" if gold in answer else "differs"


def judge(server: Answering, *settings: str, cache: Path | None = None, wanted: str = "judge") -> Grader:
    """The grader that asks a server."""
    given = [f"judge.{each}" for each in ("model=m", f"base-url={server.url('/v1')}", *settings)]
    return load_grader(wanted, settings=given, cache=cache)
