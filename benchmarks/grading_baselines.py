"""Plain graders that ours must beat: each says whether an answer holds the gold."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable
from typing import NamedTuple

from rapidfuzz import fuzz

from ragharness.analysis.labelled import Labelled

FUZZY = 90.0
"""Ratio from which rapidfuzz's measures count as correct."""
HALF = 0.5
"""Token F1 from which an answer counts as correct."""


class Opinion(NamedTuple):
    """Outcome of a grader for an answer, and how sure it is, 0 to 1."""

    outcome: str
    confidence: float | None = 1.0
    """None: unknown; then it is as sure as verdicts of the same ground were right on other questions."""
    ground: str = ""
    leaning: bool = False
    """Whether it would say correct if it had to decide what it leaves to review."""


System = Callable[[Labelled], Opinion]


def tokens(text: str) -> list[str]:
    """Words of a text in small letters, without accents and articles."""
    letters = unicodedata.normalize("NFKD", text.casefold())
    words = re.findall(r"\w+", "".join(letter for letter in letters if not unicodedata.combining(letter)))
    return [word for word in words if word not in {"a", "an", "the"}]


def golds(answer: Labelled) -> list[str]:
    """Golds as written and as they are compared."""
    return list(dict.fromkeys((*answer.golds, *answer.question.answers)))


def _by_score(score: float, enough: float) -> Opinion:
    """Correct from ``enough`` on, the surer the farther from it."""
    if score >= enough:
        return Opinion("correct", (score - enough) / (1 - enough) if enough < 1 else 1.0)
    return Opinion("wrong", (enough - score) / enough)


def exact(answer: Labelled) -> Opinion:
    """Correct if the answer is a gold, word for word."""
    words = tokens(answer.answer.text)
    return _by_score(float(any(words == tokens(gold) for gold in golds(answer))), 1.0)


def contained(answer: Labelled) -> Opinion:
    """Correct if the words of a gold stand in the answer in a row."""
    text = f" {' '.join(tokens(answer.answer.text))} "
    if any(f" {' '.join(tokens(gold))} " in text for gold in golds(answer) if tokens(gold)):
        return _by_score(1.0, 1.0)
    return _by_score(0.99 * max((_share(tokens(gold), text) for gold in golds(answer)), default=0), 1.0)


def _share(words: list[str], text: str) -> float:
    return sum(f" {word} " in text for word in words) / max(1, len(words))


def f1(answer: Labelled) -> Opinion:
    """Correct if the words of answer and gold overlap enough: the measure of SQuAD."""
    return _by_score(max((_f1(answer.answer.text, gold) for gold in golds(answer)), default=0.0), HALF)


def _f1(answer: str, gold: str) -> float:
    answer_words, gold_words = Counter(tokens(answer)), Counter(tokens(gold))
    shared = (answer_words & gold_words).total()
    return 2 * shared / (answer_words.total() + gold_words.total()) if shared else 0.0


def _fuzzy(ratio: Callable[[str, str], float]) -> System:
    def system(answer: Labelled) -> Opinion:
        text = " ".join(tokens(answer.answer.text))
        best = max((ratio(text, " ".join(tokens(gold))) for gold in golds(answer)), default=0.0)
        return _by_score(best / 100, FUZZY / 100)

    return system


# The plain reader: at most 60 lines, no rule beyond these.

_DECLINES = re.compile(
    r"(?:cannot|can['’]t|can not|could not|couldn['’]t|unable to) (?:\w+ )?(?:find|answer|determine|provide)"
    r"|(?:do|does|did)(?: not|n['’]t) (?:\w+ )?(?:provide|contain|specify|mention|state|include|have|know)"
    r"|(?:is|are|was)(?: not|n['’]t) (?:\w+ )?(?:provided|available|possible|mentioned|specified|stated)"
    r"|(?:no|not enough|insufficient) (?:\w+ )?(?:information|data|context)|i['’]m sorry|it['’]s impossible",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"(?<![\w.])-?\(?[$£€]?(\d[\d,]*(?:\.\d+)?|\.\d+)")
_SCALES = (1.0, 1e-9, 1e-6, 1e-3, 0.01, 100.0, 1e3, 1e6, 1e9)
_CLOSE = 0.005
_LONG = 6


def plain(answer: Labelled) -> Opinion:
    """Opinion of a plain reader, which leaves to review what it does not read."""
    text, kind = answer.answer.text, answer.question.kind
    if not tokens(text):
        return Opinion("no_answer")
    if kind == "yesno":
        return _yes_or_no(text, answer.question.answers)
    if kind == "number" and _has_value(text, answer.question.answers):
        return Opinion("correct")
    if kind != "number" and contained(answer).outcome == "correct":
        return Opinion("correct")
    if _DECLINES.search(text):
        return Opinion("refused")
    if all(len(gold.split()) > _LONG for gold in golds(answer)):
        return Opinion("needs_review", 0.0)
    return Opinion("wrong", contained(answer).confidence)


def _yes_or_no(text: str, accepted: tuple[str, ...]) -> Opinion:
    words = [word for word in tokens(text)[:3] if word in {"yes", "no"}]
    if words:
        return Opinion("correct" if words[0] in accepted else "wrong")
    return Opinion("refused") if _DECLINES.search(text) else Opinion("needs_review", 0.0)


def _has_value(text: str, accepted: tuple[str, ...]) -> bool:
    values = [float(figure.replace(",", "")) for figure in _NUMBER.findall(text)]
    return any(_same(value, gold) for value in values for gold in accepted) or bool(
        set(tokens(text)) & set(accepted)
    )


def _same(value: float, gold: str) -> bool:
    """Whether a figure is the gold or rounds to it, whatever its scale, percent and sign."""
    meant, digits = abs(float(gold)), len(gold.partition(".")[2])
    near = (abs(value * scale - meant) <= _CLOSE * meant for scale in _SCALES)
    return any(near) or round(value, digits) == meant


SYSTEMS: dict[str, System] = {
    "exact match": exact,
    "gold contained": contained,
    "token F1": f1,
    "token_set_ratio": _fuzzy(fuzz.token_set_ratio),
    "partial_ratio": _fuzzy(fuzz.partial_ratio),
    "plain reader": plain,
}
"""The baselines by the names under which the result lists them."""
