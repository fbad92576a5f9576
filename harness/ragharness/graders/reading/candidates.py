# ruff: noqa: E501 (a pattern reads better with one group of alternatives a line)
"""Values of a question's kind in a sentence, compared with the gold, the distractors and the world's answer."""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, Literal

import msgspec

from ragharness.language.dates import DateMention, compare_date, find_dates
from ragharness.language.matching import find_alias, negated
from ragharness.language.numbers import Quantity, compare_quantity, find_quantities
from ragharness.language.units import is_currency, is_duration, read_unit
from ragharness.language.vocabulary import STOPWORDS, content, raw_words

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ragharness.records import Question

_LOSS = re.compile(r"\b(?:loss(?:es)?|deficit|shortfall|p[eé]rdidas?|verluste?|pertes?)\b", re.IGNORECASE)
_PARENTHESES = re.compile(r"\([^()]*\)")
_NEGATION = re.compile(r"\b(?:not|never|cannot)\b|n['’]t\b", re.IGNORECASE)
_DENIED_VERB = re.compile(
    r"\b(?:(?:does|do|did|is|was|are|were|will|would|has|have|had|shall)(?:\s+not|n['’]t|\s+never)|never)\b"
    r"(?:[ ](?!(?:more|less|fewer|later|earlier|only|necessarily|longer|exceed|exceeding|greater|just|merely|but)\b)[\w'’-]+){0,7}[ ]*(?:[$€£(]\s?)?$",
    re.IGNORECASE,
)
_DOUBTED = re.compile(
    r"\b(?:(?:den(?:y|ies|ied|ying)|disagree\w*|doubt\w*|disput\w*|unlikely|untrue|false|incorrect|mistaken|not\s+(?:true|correct|the\s+case))\s+that\b(?:[ ](?!but\b)[\w'’-]+){0,9}"
    r"|(?:reject\w*|rul(?:e|es|ed|ing)\s+out|dismiss\w*|disput\w*|refut\w*|den(?:y|ies|ied|ying))(?:[ ](?!(?:on|in|by|for|at|of|from|to|with|and|but|as)\b)[\w'’-]+){0,3})[ ]*(?:[$€£(\"“]\s?)?$",
    re.IGNORECASE,
)
"""A denial by the verb: whether it denies the value depends on what was asked."""
_BETWEEN = re.compile(r"\b(?:between|zwischen|entre)\b[^.;]*$", re.IGNORECASE)
_YEAR_LABEL = re.compile(r"\b(?:19|20)\d\d\s*[-–—]\s*\W?$")
_FOLLOWING = re.compile(r"(?:[ -][^\W\d_]+){1,3}")
Relation = Literal["match", "mismatch", "distractor", "world", "imprecise", "ambiguous"]
_COARSE = Decimal("0.2")


@dataclass
class Candidate:
    """A value in a sentence and how it compares."""

    start: int
    end: int
    relation: Relation
    written: str
    negated: bool = False
    scale_implied: bool = False
    unit: str = ""
    loose: bool = False
    """A bare number where the question wants money or a percentage: it counts only when nothing better is there."""
    foreign_unit: bool = False
    doubted: bool = False
    """It follows a verb of denying that the question does not know."""
    about: str = ""
    """What the distractor that it equals belongs to."""


def find_candidates(text: str, question: Question, kind: str) -> list[Candidate]:
    """Return the values of the question's kind that a sentence states, in order of place."""
    if kind == "number":
        found = _numbers(text, question)
    elif kind == "date":
        found = _dates(text, question)
    else:
        found = _texts(text, question)
    denied_already = _NEGATION.search(question.text) is not None
    for candidate in found:
        before = text[max(0, candidate.start - 120) : candidate.start]
        candidate.negated = not denied_already and (
            negated(text, candidate.start) or _DENIED_VERB.search(before) is not None
        )
        doubt = None if candidate.negated else _DOUBTED.search(before)
        candidate.doubted = doubt is not None and not _knows(question.text, doubt[0])
    return found


def _knows(asked: str, denial: str) -> bool:
    """Say whether a question speaks of the denial itself ("Which claim did the court reject?")."""
    return not frozenset(content(asked)).isdisjoint(content(denial.split()[0]))


def _numbers(text: str, question: Question) -> list[Candidate]:
    wanted = read_unit(question.unit).unit
    found: list[Candidate] = []
    named = frozenset(content(f"{question.text} {question.unit}"))
    losing = _LOSS.search(_PARENTHESES.sub("", question.text)) is None
    for written in find_quantities(text):
        quantity = written
        if losing and quantity.value > 0 and _LOSS.search(text, max(0, quantity.start - 40), quantity.end):
            quantity = msgspec.structs.replace(quantity, value=-quantity.value)
        if quantity.year and not _wants_year(question) and not _is_gold(quantity, question):
            continue
        relation, implied, about, other_unit = _compare_number(quantity, question)
        if relation == "match" and _in_range(text, quantity):
            relation = "mismatch"
        candidate = Candidate(
            quantity.start, quantity.end, relation, text[quantity.start : quantity.end], scale_implied=implied,
            unit=quantity.unit, foreign_unit=other_unit, about=about,
        )  # fmt: skip
        bare = not quantity.unit and not quantity.scaled and relation == "mismatch"
        candidate.loose = bare and (is_currency(wanted) or wanted == "percent" or is_duration(wanted))
        if not wanted and relation != "match" and _counts_something_else(text, quantity, named):
            candidate.foreign_unit = True
        found.append(candidate)
    return found


def _in_range(text: str, quantity: Quantity) -> bool:
    """Say whether an amount is one end of a range ("between three and five years"), not of a movement ("rose from 3 to 5")."""
    if not quantity.range:
        return False
    before = text[max(0, quantity.start - 60) : quantity.start]
    joint = text[quantity.end : quantity.end + 3].strip() if quantity.range == "low" else before.rstrip()[-1:]
    if _YEAR_LABEL.search(before):
        return False
    return _BETWEEN.search(before) is not None or joint[:1] in ("-", "–", "—")


def _counts_something_else(text: str, quantity: Quantity, named: frozenset[str]) -> bool:
    """Say whether a bare number counts things that the question does not ask for ("in 14 countries")."""
    if quantity.unit or quantity.scaled:
        return False
    following = _FOLLOWING.match(text, quantity.end)
    nouns = content(following[0]) if following else []
    return (
        bool(nouns)
        and raw_words(following[0] if following else "")[0] not in STOPWORDS
        and not named & frozenset(nouns)
    )


def _is_gold(quantity: Quantity, question: Question) -> bool:
    return any(compare_quantity(gold, question.unit, quantity)[0] == "match" for gold in question.answers)


def _wants_year(question: Question) -> bool:
    return "year" in question.unit.casefold()


def _compare_number(quantity: Quantity, question: Question) -> tuple[Relation, bool, str, bool]:
    other_unit = bool(question.answers or question.unit)
    for gold in question.answers:
        relation, implied = compare_quantity(gold, question.unit, quantity)
        if relation == "match":
            return "match", implied, "", False
        other_unit = other_unit and relation == "other_unit"
        if relation == "mismatch" and _is_coarse(gold, question.unit, quantity):
            return "imprecise", False, "", False
    if not question.answers:
        other_unit = (
            bool(question.unit and quantity.unit)
            and compare_quantity("1", question.unit, quantity)[0] == "other_unit"
        )
    for value in question.world_answers:
        if _same_number(value, question.unit, quantity):
            return "world", False, "", False
    for distractor in question.distractors:
        if _same_number(distractor.value, question.unit, quantity):
            return "distractor", False, distractor.about, False
    return "mismatch", False, "", other_unit


def _same_number(value: str, unit: str, quantity: Quantity) -> bool:
    if value.replace(",", "").replace(".", "").replace("-", "").isdigit():
        return compare_quantity(value, unit, quantity)[0] == "match"
    return any(
        compare_quantity(each.value, each.unit or unit, quantity)[0] == "match"
        for each in find_quantities(value)
    )


def _is_coarse(gold: str, unit: str, quantity: Quantity) -> bool:
    """Say whether a value is the gold one rounded further than the tolerance allows ("about 400 billion" for 391)."""
    measure = read_unit(unit)
    try:
        wanted = Decimal(gold.replace(",", "")) * measure.factor
    except ArithmeticError:
        return False
    if wanted == 0 or quantity.value == 0 or quantity.significant > 2 or is_duration(measure.unit):
        return False
    if not (quantity.approximate or quantity.scaled) or (quantity.unit and quantity.unit != measure.unit):
        return False
    rounded = wanted.quantize(Decimal(1).scaleb(quantity.value.adjusted() - quantity.significant + 1))
    return rounded == quantity.value and abs(wanted - quantity.value) <= _COARSE * abs(wanted)


def _dates(text: str, question: Question) -> list[Candidate]:
    found: list[Candidate] = []
    for mention in find_dates(text):
        relation, about = _compare_date(mention, question)
        found.append(
            Candidate(mention.start, mention.end, relation, text[mention.start : mention.end], about=about)
        )
    if not found:
        found = _texts(text, question)
    return found


def _compare_date(mention: DateMention, question: Question) -> tuple[Relation, str]:
    relations = [
        compare_date(gold, question.date_precision, mention)
        for gold in question.answers
        if gold[:4].isdigit()
    ]
    if "match" in relations:
        return "match", ""
    for value in question.world_answers:
        if _same_date(value, mention):
            return "world", ""
    for distractor in question.distractors:
        if _same_date(distractor.value, mention):
            return "distractor", distractor.about
    if "ambiguous" in relations:
        return "ambiguous", ""
    if "coarser" in relations:
        return "imprecise", ""
    return "mismatch", ""


def _same_date(value: str, mention: DateMention) -> bool:
    if value[:4].isdigit() and len(value) in (4, 7, 10):
        return compare_date(value, "", mention) == "match"
    return any(
        (each.year, each.month, each.day) == (mention.year, mention.month, mention.day)
        for each in find_dates(value)
    )


def accepted(question: Question) -> list[str]:
    """Return every spelling of the gold answers, those of other languages included."""
    names = list(question.answers)
    for spellings in question.aliases.values():
        names += spellings
    for spellings in question.aliases_by_lang.values():
        names += spellings
    return names


def _texts(text: str, question: Question) -> list[Candidate]:
    gold = accepted(question)
    found = [
        Candidate(hit.start, hit.end, "match", text[hit.start : hit.end])
        for hit in find_alias(text, gold, foreign_articles=bool(question.aliases_by_lang))
    ]
    for hit in find_alias(text, question.world_answers):
        _put(found, Candidate(hit.start, hit.end, "world", text[hit.start : hit.end]))
    for distractor in question.distractors:
        for hit in find_alias(text, [distractor.value]):
            _put(
                found,
                Candidate(
                    hit.start, hit.end, "distractor", text[hit.start : hit.end], about=distractor.about
                ),
            )
    ranged = [each for each in find_quantities(text) if _in_range(text, each)] if found else []
    for candidate in found:
        if candidate.relation == "match" and any(
            each.start < candidate.end and candidate.start < each.end for each in ranged
        ):
            candidate.relation = "mismatch"
    if kinds := value_kinds(gold):
        for quantity in find_quantities(text) if "date" not in kinds else ():
            if _family(quantity.unit) in kinds and not quantity.year:
                _put(
                    found,
                    Candidate(
                        quantity.start,
                        quantity.end,
                        "mismatch",
                        text[quantity.start : quantity.end],
                        unit=quantity.unit,
                    ),
                )
        for mention in find_dates(text) if "date" in kinds else ():
            _put(found, Candidate(mention.start, mention.end, "mismatch", text[mention.start : mention.end]))
    return sorted(found, key=lambda each: each.start)


def _put(found: list[Candidate], candidate: Candidate) -> None:
    """Add a candidate unless a better one covers its place."""
    if all(candidate.start >= other.end or candidate.end <= other.start for other in found):
        found.append(candidate)


def _family(unit: str) -> str:
    return "duration" if is_duration(unit) else "money" if is_currency(unit) else unit or "plain"


def value_kinds(answers: Sequence[str]) -> frozenset[str]:
    """Return the sorts of value that text answers are ("three years": a duration); empty for names and phrases."""
    kinds = set()
    for answer in answers:
        dates = [each for each in find_dates(answer) if each.month]
        if dates and dates[0].end - dates[0].start >= 0.6 * len(answer):
            kinds.add("date")
            continue
        quantities = find_quantities(answer)
        if len(quantities) == 1 and quantities[0].end - quantities[0].start >= 0.6 * len(answer):
            family = _family(quantities[0].unit)
            if family != "plain":
                kinds.add(family)
    return frozenset(kinds)
