"""Reads the question that a model wrote out of its reply, or gives the reason why it cannot be used."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, NamedTuple

from ragharness.language.tokens import words
from ragharness.placing.naming import fold
from ragharness.questions.asking.statement import Asked
from ragharness.questions.values import kind_of, read_answers

if TYPE_CHECKING:
    from ragharness.records import Passage

LONGEST_ANSWER = 8
"""Words of an answer that rules can compare."""

_LONGEST_QUESTION = 60
_SHORTEST_QUOTE = 15
"""Letters and digits."""

_POINTS = re.compile(
    r"\b(?:passages?|excerpts?|the text|above|below|the following"
    r"|this (?:document|report|section|table|year))\b",
    re.IGNORECASE,
)
_OBJECT = re.compile(r"\{.*\}", re.DOTALL)


class Written(NamedTuple):
    """A question as the model wrote it, its answer as it is compared, and the quote that states it."""

    asked: Asked
    quote: str


def read_written(reply: str, passage: Passage) -> Written | str:
    """Return the question of a reply, or the reason why it cannot be used."""
    found = _OBJECT.search(reply)
    try:
        row = json.loads(found[0]) if found else None
    except (ValueError, RecursionError):
        row = None
    if not isinstance(row, dict):
        return "no JSON object came back"
    question, answer, quote = (_text(row.get(name)) for name in ("question", "answer", "quote"))
    if not question:
        return "the passage states nothing to ask about"
    return _fault(question, answer, quote, passage) or _read(question, answer, quote)


def _text(value: object) -> str:
    return " ".join(str(value).split()) if isinstance(value, (str, int, float)) else ""


def _fault(question: str, answer: str, quote: str, passage: Passage) -> str:
    if not question.endswith("?") or len(question.split()) > _LONGEST_QUESTION:
        return "it is no single question"
    if _POINTS.search(question):
        return "the question points to the passage"
    if not answer or len(answer.split()) > LONGEST_ANSWER:
        return "the answer is missing or too long to be compared"
    if f" {' '.join(words(answer))} " in f" {' '.join(words(question))} ":
        return "the question holds its answer"
    if len(fold(quote)) < _SHORTEST_QUOTE or fold(quote) not in fold(passage.text):
        return "the quote does not stand in the passage"
    if fold(answer) not in fold(quote):
        return "the quote does not state the answer"
    return ""


def _read(question: str, answer: str, quote: str) -> Written | str:
    kind = kind_of("", [answer], question)
    if kind == "yesno" or kind == "list":
        return "a yes or no is not asked for"
    try:
        values, unit, precision = read_answers(kind, [answer], "")
    except ValueError as error:
        return str(error)
    return Written(Asked(question, kind, values[0], unit, precision), quote)
