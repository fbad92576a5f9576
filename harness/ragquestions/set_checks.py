"""Checks of a built question set as a whole: proportions, balance, no duplicates."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from ragharness.questions.questionset import QuestionSet, part_of, quotas
from ragharness.records import Question
from ragquestions.corpus_index import CorpusIndex
from ragquestions.pairs import UNEVEN


class Finding(NamedTuple):
    """A property that does not hold; ``question`` is empty when it concerns the whole set."""

    rule: str
    question: str
    message: str


def _counts(questions: QuestionSet, index: CorpusIndex) -> Iterator[Finding]:  # noqa: ARG001
    """The design's proportions, in row order."""
    found = Counter(map(part_of, questions.questions))
    for part, wanted in quotas(len(questions.questions), questions.left_out).items():
        if found[part] != wanted:
            yield Finding("counts", "", f"expected {wanted} questions of {part.name}, found {found[part]}")
    order = list(quotas(0))
    places = [order.index(part) if part in order else -1 for part in map(part_of, questions.questions)]
    if places != sorted(places):
        yield Finding("counts", "", "expected the questions in row order, found otherwise")


def _once(questions: QuestionSet, index: CorpusIndex) -> Iterator[Finding]:
    """No topic of a document twice; nothing but what is withheld is asked about a document that is."""
    pairs: dict[tuple[str, str], str] = {}
    carried: dict[str, list[Question]] = {}
    for each in questions.questions:
        if not each.document:
            continue
        place = index.corpus.canonical(each.document)
        carried.setdefault(place, []).append(each)
        other = pairs.setdefault((place, each.topic), each.id)
        if each.topic and other != each.id:
            yield Finding("once", each.id, f"asks {each.topic} of {each.document} again, after {other}")
    for group in carried.values():
        whole = [each for each in group if each.withheld == "document"]
        if whole and len(whole) < len(group):
            ids = ", ".join(each.id for each in group if each.withheld != "document")
            yield Finding(
                "once", group[0].id, f"expected nothing else about a withheld document, found {ids}"
            )


def _balance(questions: QuestionSet, index: CorpusIndex) -> Iterator[Finding]:  # noqa: ARG001
    """Neither "always yes" nor a topic's usual answer gains: within every topic, and over every row."""
    asked = [each for each in questions.questions if each.kind == "yesno"]
    answerable = [each for each in asked if each.wanted == "correct"]
    slack = len(answerable) % 2
    for topic in sorted({each.topic for each in answerable}):
        group = [each for each in answerable if each.topic == topic]
        yield from _even(f"{topic}: gold", Counter(_affirms(each) for each in group), slack)
        yield from _even(f"{topic}: yes", Counter(each.answers for each in group), slack)
        yield from _even(f"{topic}: wording", Counter(each.form for each in group), UNEVEN)
    yield from _even("answerable: wording", Counter(each.form for each in answerable), UNEVEN + slack)
    rest = [each for each in asked if each.wanted == "refused" and each.form]
    for row in sorted({(each.row, each.withheld) for each in rest}):
        group = [each for each in rest if (each.row, each.withheld) == row]
        yield from _even(
            f"{row[0]} {row[1]}".strip() + ": wording", Counter(each.form for each in group), UNEVEN
        )
    yield from _even("rows that want a refusal: wording", Counter(each.form for each in rest), UNEVEN)


def _even(what: str, counts: Counter[object], slack: int) -> Iterable[Finding]:
    values = sorted(counts.values())
    low = values[0] if len(values) > 1 else 0
    if values and values[-1] - low > slack:
        yield Finding("balance", "", f"expected {what} to be even, found {values[-1]} to {low}")


def _affirms(question: Question) -> bool:
    return (question.answers == ("yes",)) == question.yes_means


OF_THE_SET = (_counts, _once, _balance)
"""What only a built set as a whole can have: its proportions, its balance, no question twice."""
