"""What a grader must beat: plain ways to say whether an answer holds the gold."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable
from typing import NamedTuple

from rapidfuzz import fuzz

from ragharness.analysis.calibration.labelled import Labelled

FUZZY = 90.0
"""Ratio from which rapidfuzz's measures count as correct."""
HALF = 0.5
"""Token F1 from which an answer counts as correct."""


class Opinion(NamedTuple):
    """What a system says of an answer, and how sure it is, 0 to 1."""

    outcome: str
    confidence: float | None = 1.0
    """None: it does not say; then it is as sure as such verdicts were right on other questions."""
    ground: str = ""
    """What a verdict rests on: those of the same ground are equally sure."""
    leaning: bool = False
    """Whether it would say correct if it had to decide what it leaves to review."""


def tokens(text: str) -> list[str]:
    """Return the words of a text in small letters, without accents and articles."""
    plain = unicodedata.normalize("NFKD", text.casefold())
    words = re.findall(r"\w+", "".join(each for each in plain if not unicodedata.combining(each)))
    return [word for word in words if word not in {"a", "an", "the"}]


def golds(each: Labelled) -> list[str]:
    """Return the golds as written and as they are compared."""
    return list(dict.fromkeys((*each.golds, *each.question.answers)))


def _scored(score: float, enough: float) -> Opinion:
    """Return correct from ``enough`` on; sure is what is far from it."""
    if score >= enough:
        return Opinion("correct", (score - enough) / (1 - enough) if enough < 1 else 1.0)
    return Opinion("wrong", (enough - score) / enough)


def exact(each: Labelled) -> Opinion:
    """Say correct where the answer is a gold, word for word."""
    said = tokens(each.answer.text)
    return _scored(float(any(said == tokens(gold) for gold in golds(each))), 1.0)


def contained(each: Labelled) -> Opinion:
    """Say correct where the words of a gold stand in the answer in a row."""
    said = f" {' '.join(tokens(each.answer.text))} "
    found = any(f" {' '.join(tokens(gold))} " in said for gold in golds(each) if tokens(gold))
    return _scored(1.0 if found else 0.99 * max((_share(gold, said) for gold in golds(each)), default=0), 1.0)


def _share(gold: str, said: str) -> float:
    wanted = tokens(gold)
    return sum(f" {word} " in said for word in wanted) / max(1, len(wanted))


def f1(each: Labelled) -> Opinion:
    """Say correct where the words of answer and gold overlap enough: the measure of SQuAD."""
    return _scored(max((_f1(each.answer.text, gold) for gold in golds(each)), default=0.0), HALF)


def _f1(answer: str, gold: str) -> float:
    said, wanted = Counter(tokens(answer)), Counter(tokens(gold))
    both = (said & wanted).total()
    return 2 * both / (said.total() + wanted.total()) if both else 0.0


def _fuzzy(ratio: Callable[[str, str], float]) -> Callable[[Labelled], Opinion]:
    def system(each: Labelled) -> Opinion:
        said = " ".join(tokens(each.answer.text))
        best = max((ratio(said, " ".join(tokens(gold))) for gold in golds(each)), default=0.0)
        return _scored(best / 100, FUZZY / 100)

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


def plain(each: Labelled) -> Opinion:
    """Return the opinion of a plain reader, which leaves to review what it does not read."""
    text, kind = each.answer.text, each.question.kind
    if not tokens(text):
        return Opinion("no_answer")
    if kind == "yesno":
        return _yes_or_no(text, each.question.answers)
    if kind == "number" and _has_value(text, each.question.answers):
        return Opinion("correct")
    if kind != "number" and contained(each).outcome == "correct":
        return Opinion("correct")
    if _DECLINES.search(text):
        return Opinion("refused")
    if all(len(gold.split()) > _LONG for gold in golds(each)):
        return Opinion("needs_review", 0.0)
    return Opinion("wrong", contained(each).confidence)


def _yes_or_no(text: str, wanted: tuple[str, ...]) -> Opinion:
    said = [word for word in tokens(text)[:3] if word in {"yes", "no"}]
    if said:
        return Opinion("correct" if said[0] in wanted else "wrong")
    return Opinion("refused") if _DECLINES.search(text) else Opinion("needs_review", 0.0)


def _has_value(text: str, wanted: tuple[str, ...]) -> bool:
    said = [float(found.replace(",", "")) for found in _NUMBER.findall(text)]
    return any(_same(value, gold) for value in said for gold in wanted) or bool(
        set(tokens(text)) & set(wanted)
    )


def _same(value: float, gold: str) -> bool:
    """Whether a figure is the gold or rounds to it, whatever its scale, percent and sign."""
    meant, digits = abs(float(gold)), len(gold.partition(".")[2])
    near = (abs(value * scale - meant) <= _CLOSE * meant for scale in _SCALES)
    return any(near) or round(value, digits) == meant


SYSTEMS: dict[str, Callable[[Labelled], Opinion]] = {
    "exact match": exact,
    "gold contained": contained,
    "token F1": f1,
    "token_set_ratio": _fuzzy(fuzz.token_set_ratio),
    "partial_ratio": _fuzzy(fuzz.partial_ratio),
    "plain reader": plain,
}
"""The baselines by the names under which they are told."""
