"""A judge whose replies are scripted by dimension."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field

from ragharness.records import Usage
from ragharness.rubrics.judge import Said

_DIMENSION = re.compile(r"(?m)^Dimension: (.*)$")


@dataclass
class ScriptedJudge:
    """Scores each dimension as it is told to, "*" all others; a text is replied as it is."""

    scores: dict[str, float | str]
    name: str = "scripted"
    prompts: list[str] = field(default_factory=list)

    def ask(self, prompt: str, vote: int = 0) -> Said:
        self.prompts.append(prompt)
        found = _DIMENSION.search(prompt)
        assert found
        key = found[1].lower().replace("-", "_").replace(" ", "_")
        score = self.scores.get(key, self.scores.get("*", ""))
        if isinstance(score, str):
            return Said(score)
        reply = {"flaw": "none", "rationale": "read", "evidence": ["all"], "score": score}
        return Said(json.dumps(reply), Usage(prompt_tokens=100, completion_tokens=20, cost=0.01))
