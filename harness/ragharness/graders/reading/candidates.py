# ruff: noqa: E501 (a pattern reads better with one group of alternatives a line)
"""Values of a question's kind in a sentence, compared with the gold, the distractors and the world's answer."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ragharness.graders.reading.candidate import Candidate, Relation
from ragharness.graders.reading.figures import BETWEEN, find_figures, in_range
from ragharness.graders.reading.rivals import is_denied_after, is_namesake, is_relation_only, rival_of
from ragharness.language.dates import DateMention, compare_date, find_dates
from ragharness.language.matching import find_alias, is_code, negated
from ragharness.language.numbers import find_quantities
from ragharness.language.patterns import regex
from ragharness.language.units import is_currency, is_duration
from ragharness.language.words import content, raw_words

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ragharness.records import Question

_NEGATION = regex(r"\b(?:not|never|cannot)\b|n['’]t\b", re.IGNORECASE)
_DENIED_VERB = regex(
    r"\b(?:(?:does|do|did|is|was|are|were|will|would|has|have|had|shall)(?:\s+not|n['’]t|\s+never)|never)\b"
    r"(?:[ ](?!(?:more|less|fewer|later|earlier|only|necessarily|longer|exceed|exceeding|greater|just|merely|but)\b)[\w'’-]+){0,7}[ ]*(?:[$€£(]\s?)?$",
    re.IGNORECASE,
)
_DOUBTED = regex(
    r"\b(?:(?:den(?:y|ies|ied|ying)|disagree\w*|doubt\w*|disput\w*|unlikely|untrue|false|incorrect|mistaken|not\s+(?:true|correct|the\s+case))\s+that\b(?:[ ](?!but\b)[\w'’-]+){0,9}"
    r"|(?:reject\w*|rul(?:e|es|ed|ing)\s+out|dismiss\w*|disput\w*|refut\w*|den(?:y|ies|ied|ying))(?:[ ](?!(?:on|in|by|for|at|of|from|to|with|and|but|as)\b)[\w'’-]+){0,3})[ ]*(?:[$€£(\"“]\s?)?$",
    re.IGNORECASE,
)
"""A denial by the verb: whether it denies the value depends on what was asked."""
_PERIOD_TO = regex(r"\b(?:years?|months|quarters?)\s+(?:end(?:ed|ing|s)?|to)(?:\s+on)?\s+$", re.IGNORECASE)
_PERIODS = regex(
    r"\b(?:fiscal\s+years?|FYs?)\s+(?:\d{4}\s*(?:,|-|–|and|through|to)+\s*)+(?:and\s+)?(?:FY\s?)?$",
    re.IGNORECASE,
)
_MORE_PERIODS = regex(r"\s*(?:-|–|through|to)\s*(?:FY\s?)?(?:19|20)\d\d\b", re.IGNORECASE)
"""A span of business years is the day of nothing."""
_ASKS_PERIOD = regex(
    r"\b(?:which|what|first|last|latest)\s+(?:fiscal|financial|calendar|business)?\s*(?:year|quarter)\b|\bwhen\b",
    re.IGNORECASE,
)
_MOST_NAMES = 40
_RANGE_AFTER = regex(r"\s?[-–—/]\s?(?:(?:19|20)?\d\d)\b")
_RANGE_BEFORE = regex(r"(?:19|20)\d\d\s?[-–—/]\s?$")
_NAME_OF_LAW = regex(
    r"\b(?:Act|Law|Code|Order|Regulations?|Directive|Statute|Bill|Treaty|Convention|Protocol|Plan|Programme?|Strategy|Gesetz|Ley|Loi)(?:,|\s+of)?\s+$"
)
"""A year behind it is part of a name ("the Appropriations Act, 2021")."""


def find_candidates(text: str, question: Question, kind: str) -> list[Candidate]:
    """Return the values of the question's kind that a sentence states, in order of place."""
    if kind == "number":
        found = find_figures(text, question)
    elif kind == "date":
        found = _dates(text, question)
    else:
        found = _texts(text, question)
    denied_already = _NEGATION.search(question.text) is not None
    for candidate in found:
        before = text[max(0, candidate.start - 120) : candidate.start]
        candidate.negated = candidate.negated or (
            not denied_already and (negated(text, candidate.start) or _DENIED_VERB.search(before) is not None)
        )
        doubt = None if candidate.negated else _DOUBTED.search(before)
        candidate.doubted = doubt is not None and not _knows(question.text, doubt[0])
        if candidate.relation == "match":
            candidate.elsewhere = tuple(each.about for each in question.distractors if each.about)
    return found


def _dates(text: str, question: Question) -> list[Candidate]:
    found: list[Candidate] = []
    for mention in find_dates(text):
        if not mention.month and _NAME_OF_LAW.search(text, max(0, mention.start - 40), mention.start):
            continue
        relation, about = _compare_date(mention, question)
        if relation != "match" and _names_a_period(text, mention, question):
            continue
        if relation == "match" and _is_bound(text, mention):
            relation = "mismatch"
        found.append(
            Candidate(mention.start, mention.end, relation, text[mention.start : mention.end], about=about)
        )
    return found or [each for each in _texts(text, question) if each.relation != "mismatch"]


def _names_a_period(text: str, mention: DateMention, question: Question) -> bool:
    """Say whether a date only names a business year or quarter that was not asked for."""
    before = text[max(0, mention.start - 40) : mention.start]
    if _PERIODS.search(before) or (mention.fiscal and _MORE_PERIODS.match(text, mention.end)):
        return True
    if mention.fiscal or mention.quarter:
        return _ASKS_PERIOD.search(question.text) is None
    return _PERIOD_TO.search(text, max(0, mention.start - 40), mention.start) is not None


def _is_bound(text: str, mention: DateMention) -> bool:
    """Say whether a date is one end of "between 1 and 5 March"; the start of "from ... to ..." may be what was asked."""
    if not mention.month and (
        _RANGE_AFTER.match(text, mention.end)
        or _RANGE_BEFORE.search(text, max(0, mention.start - 8), mention.start)
    ):
        return True
    if not BETWEEN.search(text, 0, mention.start):
        return False
    return len([each for each in find_dates(text) if each.start > text.casefold().find("between")]) > 1


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
    ranged = [each for each in find_quantities(text) if in_range(text, each)] if found else []
    for candidate in found:
        if (
            candidate.relation == "match"
            and not is_code(candidate.written)
            and any(each.start < candidate.end and candidate.start < each.end for each in ranged)
        ):
            candidate.relation = "mismatch"
    kinds = value_kinds(gold)
    if not kinds:
        _read_company(text, found, gold, question)
    if kinds:
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


def _read_company(text: str, found: Sequence[Candidate], gold: Sequence[str], question: Question) -> None:
    """Look at what stands beside names: a second name, a relation, a denial."""
    words = frozenset(word for each in gold for word in raw_words(each))
    for candidate in found[:_MOST_NAMES]:
        place = (text, candidate.start, candidate.end)
        candidate.named = True
        candidate.related = is_relation_only(*place, question.text)
        if candidate.relation != "match":
            continue
        candidate.rival = rival_of(*place, words, question.text)
        if is_namesake(text, candidate.start, candidate.written, gold):
            candidate.relation = "mismatch"
        if is_denied_after(text, candidate.end, question.text):
            candidate.negated = True


def _knows(asked: str, denial: str) -> bool:
    """Say whether a question speaks of the denial itself ("Which claim did the court reject?")."""
    return not frozenset(content(asked)).isdisjoint(content(denial.split(maxsplit=1)[0]))


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
