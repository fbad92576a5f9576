"""What a model replies to the benchmarks of people's labels: asked once, every reply kept.

A line of the replies' file is one request: the digest of the model's file and of what was sent, and the
log probabilities of the first token. A broken-off measurement goes on where it stopped.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

import httpx

from ragharness.graders.judging.prompts import fenced, load_prompts
from ragharness.pipelines._llm.prompting import read_sections

SAME = Path(__file__).with_name("people_same.txt")
LONGEST = 500
"""Characters of a text that are shown: three quarters of them from its beginning, the others from its end."""

_SECONDS = 600.0
_TOP = 10
_REFUSED = "Judgement:"
"""How the reply to the judge's prompt on refusals is begun for the model, so that one token tells."""
_PIECES = ("ref", "refused")
"""How models write the first token of REFUSED."""


class NotAsked(Exception):
    """The reply is not kept, and there is no service to ask."""


class Prompt(NamedTuple):
    """A prompt with examples, its last turn to be filled."""

    name: str
    turns: tuple[tuple[str, str], ...]

    def messages(self, texts: Mapping[str, str]) -> list[dict[str, str]]:
        """Return the turns, each text quoted line by line."""
        *before, (role, last) = self.turns
        for name, text in texts.items():
            last = last.replace(f"{{{name}}}", fenced(shortened(text)), 1)
        return [{"role": who, "content": said.strip()} for who, said in (*before, (role, last))]


def prompt_of(path: Path = SAME) -> Prompt:
    """Return the prompt of a file; its name holds its version and digest."""
    content = path.read_bytes()
    version, sections = read_sections(content.decode(), path)
    return Prompt(f"{path.stem} {version} ({sha256(content).hexdigest()[:8]})", tuple(sections))


def shortened(text: str) -> str:
    """Return a text of which the middle is left out where it is long."""
    if len(text) <= LONGEST:
        return text
    return f"{text[: LONGEST * 3 // 4]} ... {text[-LONGEST // 4 :]}"


class Model:
    """One model, by the digest of its file; without a service only what is kept is told."""

    def __init__(self, digest: str, replies: Path, base_url: str = "") -> None:
        self.digest = digest
        self._path = replies
        self._url = base_url.rstrip("/")
        self._kept: dict[str, dict[str, Any]] = {}
        if replies.is_file():
            for line in replies.read_text(encoding="utf-8").splitlines():
                held = json.loads(line)
                self._kept[held["key"]] = held

    def yes(self, prompt: Prompt, texts: Mapping[str, str]) -> float:
        """Return the probability of Yes against No as the first word; raises NotAsked."""
        return self._first(prompt.messages(texts), ("yes",), ("no",))

    def refuses(self, texts: Mapping[str, str]) -> float:
        """Return the probability of REFUSED against NOT by the judge's own prompt; raises NotAsked."""
        prompt = load_prompts()["refusal"]
        asked = prompt.messages({name: shortened(text) for name, text in texts.items()})
        turns = [("system", prompt.system), ("user", asked[0].text), ("assistant", _REFUSED)]
        return self._first([{"role": role, "content": text} for role, text in turns], _PIECES, ("not",))

    def _first(self, messages: list[dict[str, str]], ones: Sequence[str], others: Sequence[str]) -> float:
        """Return how likely the first token is one of ``ones``, of both."""
        mass = dict.fromkeys((*ones, *others), 0.0)
        for token, logarithm in self._ask(messages)["top"]:
            word = token.strip().casefold()
            if word in mass:
                mass[word] += math.exp(logarithm)
        whole = sum(mass.values())
        return sum(mass[each] for each in ones) / whole if whole else 0.5

    def _ask(self, messages: list[dict[str, str]]) -> dict[str, Any]:
        body = {
            "messages": messages,
            "max_tokens": 1,
            "temperature": 0,
            "logprobs": True,
            "top_logprobs": _TOP,
        }
        key = sha256(json.dumps([self.digest, body], sort_keys=True).encode()).hexdigest()
        if key not in self._kept:
            if not self._url:
                raise NotAsked(key)
            got = httpx.post(f"{self._url}/chat/completions", json=body, timeout=_SECONDS)
            got.raise_for_status()
            told = got.json()
            first = told["choices"][0]["logprobs"]["content"][0]["top_logprobs"]
            top = [(each["token"], round(each["logprob"], 4)) for each in first]
            self._kept[key] = {"key": key, "top": top, "tokens": told["usage"]["prompt_tokens"]}
            with self._path.open("a", encoding="utf-8") as file:
                file.write(json.dumps(self._kept[key]) + "\n")
        return self._kept[key]
