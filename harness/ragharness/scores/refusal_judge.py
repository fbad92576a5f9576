"""A model that says whether an answer refuses, in the place of the grader's own reading."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ragharness.adapters import described, find
from ragharness.errors import CodeNotUsable

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ragharness.scores.items import Item

ATTEMPTS = 2
"""Calls for one judgement before it is left to a person."""

PROMPT = """Does this answer refuse the question?

It is REFUSED if any part of it says that the question cannot be answered, even if an answer follows.
It is NOT REFUSED if it answers, rightly or wrongly, and says nothing of the kind.

Question: {question}
Answer: {answer}

Write three lines:
Reasoning: one sentence
Span: the words of the answer that decide, or none
Judgement: REFUSED or NOT REFUSED
"""

_DECORATION = str.maketrans("", "", '*_[]"`')
_JUDGEMENT = re.compile(r"\bjudge?ment\s*:\s*(NOT\s+REFUSED|REFUSED)\b", re.IGNORECASE)


def judgement(reply: str) -> bool | None:
    """Whether a reply's last judgement is REFUSED; None where it has none: free text is not guessed at."""
    found = _JUDGEMENT.findall(reply.translate(_DECORATION))
    return found[-1].upper() == "REFUSED" if found else None


def load_judge(judge: object) -> Callable[[str], str]:
    """Return what answers a prompt: a function, an object with ``invoke``, or ``FILE.py:NAME`` of either.

    Raises CodeNotUsable.
    """
    found: Any = find(judge).value
    call = getattr(found, "invoke", found)
    if not callable(call):
        raise CodeNotUsable(
            f"expected a function or an object with invoke as the judge, found {described(found)}",
            help="it takes a prompt and returns the reply: docs/metrics.md",
        )

    def ask(prompt: str) -> str:
        reply = call(prompt)
        return str(getattr(reply, "content", reply))

    return ask


def judged(found: Sequence[Item], ask: Callable[[str], str]) -> tuple[list[Item], list[Item]]:
    """Return the answers as the judge has them, and those that it leaves to a person."""
    read, left = [], []
    for item in found:
        prompt = PROMPT.format(question=item.asked, answer=item.text)
        said = next((each for _ in range(ATTEMPTS) if (each := judgement(ask(prompt))) is not None), None)
        if said is None:
            left.append(item)
        else:
            read.append(replace(item, refused=said))
    return read, left
