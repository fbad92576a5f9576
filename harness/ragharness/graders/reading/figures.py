# ruff: noqa: E501 (a pattern reads better with one group of alternatives a line)
"""Amounts in a sentence, compared with the gold, the distractors and the world's answer."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import TYPE_CHECKING

import msgspec

from ragharness.graders.reading.candidate import Candidate, Relation
from ragharness.language.comparing import compare_quantity
from ragharness.language.numbers import Quantity, find_quantities
from ragharness.language.patterns import regex
from ragharness.language.units import is_currency, is_duration, read_unit
from ragharness.language.words import STOPWORDS, content, raw_words

if TYPE_CHECKING:
    from ragharness.records import Question

_LOSS = regex(
    r"\b(?:lost(?=\s+(?:\w+\s+)?[$€£\d])|loss(?:es)?|deficit|shortfall|p[eé]rdidas?|verluste?|pertes?)\b",
    re.IGNORECASE,
)
_EITHER = regex(r"\(\s*loss(?:es)?\s*\)|(?<=[a-z])\s?(?:/|or|and)\s?\(?loss(?:es)?\b\)?", re.IGNORECASE)
"""Of a label that suits both signs, "Net income (loss)": the figure says which it is."""
_OUTFLOW = regex(
    r"\b(?:spen[dt]\w*|paid|pa(?:y|ys|id)|paying|repurchas\w+|bought|buy\w*|purchas\w+|outflows?|disburs\w+|cost|costs|expenses?|allowances?|provisions?|depreciation|amorti[sz]ation)\b",
    re.IGNORECASE,
)
"""Asks for what is taken away, which statements put in parentheses: money that went out, an allowance."""
_BRACKETED = ("(", "$(", "€(", "£(", "$ (", "€ (", "£ (")
_PARENTHESES = regex(r"\([^()]*\)")
BETWEEN = regex(r"\b(?:between|zwischen|entre)\b[^.;]*$", re.IGNORECASE)
_JOINT_AFTER = regex(r"\s?(-|–|—|to\b|through\b|bis\b|à\b|hasta\b)")
_JOINT_BEFORE = regex(r"(-|–|—|\bto|\bthrough|\bbis|\bà|\bhasta)\s?$")
_MOVED = regex(
    r"\b(?:increas|decreas|ris|rose|gr[eo]w|f[ae]ll|declin|improv|drop|climb|jump|chang|went|extend|shorten|reduc|rais|amend|mov|lengthen|cut|up|down|stieg|sank|erhöht|gestiegen|gesunken)\w*",
    re.IGNORECASE,
)
_YEAR_LABEL = regex(r"\b(?:19|20)\d\d\s*[-–—]\s*\W?$")
_FOLLOWING = regex(r"(?:[ -][^\W\d_]+){1,3}")
_OR_BARE = regex(
    r"[\d\w)%][\s,;.…—–-]*\b(?:or|oder|ou|o)\s+(?:else\s+|perhaps\s+|maybe\s+|possibly\s+)?$", re.IGNORECASE
)
_ENDS_BARE = regex(r"\s*(?:[.,;:!?…)\n]|$)")
_COARSE = Decimal("0.2")


def find_figures(text: str, question: Question) -> list[Candidate]:
    """Return the amounts of a sentence, each compared."""
    wanted = read_unit(question.unit).unit
    found: list[Candidate] = []
    named = frozenset(content(f"{question.text} {question.unit}"))
    signs = _EITHER.sub(lambda found: " " * len(found[0]), text)
    losing = _LOSS.search(_PARENTHESES.sub("", question.text)) is None
    paid = _OUTFLOW.search(question.text) is not None
    for written in find_quantities(text):
        quantity = written
        alternative = bool(found) and _is_alternative(text, found[-1].end, quantity)
        if losing and quantity.value > 0 and _LOSS.search(signs, max(0, quantity.start - 40), quantity.end):
            quantity = msgspec.structs.replace(quantity, value=-quantity.value)
        if paid and quantity.value < 0 and text[quantity.start : quantity.end].startswith(_BRACKETED):
            quantity = msgspec.structs.replace(quantity, value=-quantity.value)
        if quantity.year and not (alternative or _wants_year(question) or _is_gold(quantity, question)):
            continue
        relation, implied, about, other_unit = _compare_number(quantity, question)
        if relation == "match" and in_range(text, quantity):
            relation = "mismatch"
        candidate = Candidate(
            quantity.start, quantity.end, relation, text[quantity.start : quantity.end], scale_implied=implied,
            unit=quantity.unit, foreign_unit=other_unit, about=about,
        )  # fmt: skip
        bare = not (quantity.unit or quantity.scaled or alternative) and relation == "mismatch"
        candidate.loose = bare and (is_currency(wanted) or wanted == "percent" or is_duration(wanted))
        if not wanted and relation != "match" and _counts_something_else(text, quantity, named):
            candidate.foreign_unit = True
        found.append(candidate)
    return found


def _is_alternative(text: str, before: int, quantity: Quantity) -> bool:
    """Say whether a bare number is set beside an amount as what it may be instead ("$19 million or 21")."""
    joined = _OR_BARE.search(text, before - 1, quantity.start)
    return (
        joined is not None
        and joined.start() == before - 1
        and _ENDS_BARE.match(text, quantity.end) is not None
    )


def in_range(text: str, quantity: Quantity) -> bool:
    """Say whether an amount is one end of a range ("between three and five years"), not of a movement ("rose from 3 to 5")."""
    if not quantity.range:
        return False
    before = text[max(0, quantity.start - 60) : quantity.start]
    if _YEAR_LABEL.search(before):
        return False
    joint = (
        _JOINT_AFTER.match(text, quantity.end) if quantity.range == "low" else _JOINT_BEFORE.search(before)
    )
    if BETWEEN.search(before) or (joint and not joint[1].isalpha()):
        return True
    # "three to five years" is a range, "rose from 3 to 5" a movement.
    return joint is not None and not _MOVED.search(text, 0, quantity.start)


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
