"""Reads golds as they are compared: kind, value, unit, and what the wording of a question asks for."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Literal, NamedTuple, cast

from ragharness.language.dates import find_dates
from ragharness.language.numbers import find_quantities
from ragharness.language.units import is_currency, read_unit
from ragharness.language.words import sentences, words
from ragharness.records import Kind, Question

KINDS = ("yesno", "number", "date", "text", "list")
Precision = Literal["", "year", "month", "day"]

LONGEST_TEXT = (
    6  # words up to which a text can be looked for in an answer; longer ones are said in other words
)
_SHORTEST_CLAUSE = (
    5  # words from which a text with a clause is a sentence: "There are none" is a plain answer
)
_LONGEST_NAME, _SHORT_WORD = 10, 3  # words of a name ("the High Court of England and Wales"), letters of "of"

_YES_NO = {"yes": "yes", "no": "no", "true": "yes", "false": "no"}
_LEADING = re.compile(r"(yes|no)(?=\s*(?:$|[,;:!—–-]|\.(?!\s*\d)))", re.IGNORECASE)
_LEAD_IN = re.compile(
    r"(?:(?:in|on|since|around|about|circa|c\.|the year|(?:mon|tues|wednes|thurs|fri|satur|sun)day,?)\s+)+",
    re.IGNORECASE,
)
_CLAUSE = re.compile(
    r"[a-z]\s+(?:is|are|was|were|has|have|had|did|does|because|due to|which|that)\s+[a-z0-9$]"
)
_ASKS_DAY = re.compile(r"\b(?:date|day)\b", re.IGNORECASE)
_ASKS_MONTH = re.compile(r"\bmonth\b", re.IGNORECASE)
_RATE = re.compile(r"\b(?:per|an?|each|every)\s(?:year|quarter|month|week|day|hour)\b", re.IGNORECASE)
_ASKS_VERSION = re.compile(r"\b(?:version|release)\b", re.IGNORECASE)
_VERSION = re.compile(r"v?\d+(?:\.\d+)+", re.IGNORECASE)
_BESIDE = re.compile(
    r"\W*(?:(?:approximately|about|around|roughly|circa)\s)?(?:x\W*)?"
    r"(?:\([a-z]+\)|(?<=\s)(?:in|of|per|an?|net|plus|each|every|annually|monthly)\b(?:\s[a-z]+){0,3}\W*)?"
)
"""What may stand beside the amount of a number: marks, the x of "9.5x", "$5 million in cash", "$50 per month"."""

_AUXILIARY = r"(?:is|are|was|were|do|does|did|has|have|had|can|could|may|must|should|will|would)(?:n['’]t)?"
_ASKING = r"\b(?:wh(?:at|ich|om?|ose|en|ere|y)|how)\b"
_POLAR = re.compile(rf"(?:(?!{_ASKING})[^?])*?(?:^|[,;]\s+){_AUXILIARY}\s", re.IGNORECASE)
_MOMENT = re.compile(r"\b(?:when|years?|dates?)\b", re.IGNORECASE)
_HOW_MANY = re.compile(
    r"\b(?:how many|number of)\s+(?:\w+\s+)?(seconds|minutes|hours|days|weeks|months|years)\b", re.IGNORECASE
)

_CURRENCIES = {
    "usd": "USD", "us$": "USD", "$": "USD", "dollars": "USD", "us dollars": "USD", "u.s. dollars": "USD",
    "eur": "EUR", "€": "EUR", "euros": "EUR", "gbp": "GBP", "£": "GBP", "pounds sterling": "GBP",
    "pounds": "GBP",
}  # fmt: skip
_CURRENCY = "|".join(re.escape(name) for name in sorted(_CURRENCIES, key=len, reverse=True))
_STATED = re.compile(
    rf"\bin\s+(?:units?\s+of\s+)?(?P<before>{_CURRENCY})?\s?(?P<scale>thousand|million|billion|trillion)s?\b"
    rf"(?:\s+(?:of\s+)?(?P<after>{_CURRENCY})(?!\w))?(?!\s+of\b)",
    re.IGNORECASE,
)
_IN_CURRENCY = re.compile(rf"\bin\s+({_CURRENCY})(?!\w)", re.IGNORECASE)
_IN_PERCENT = re.compile(r"\bin\s+(?:units?\s+of\s+)?(?:percents?|per\s?cent|percentages?|%)", re.IGNORECASE)
_MONEY = re.compile(
    r"\b(?:how much (?:money|did|does|do|was|were|is|are|will|has|have)|price|costs?|revenues?|sales|income"
    r"|profits?|expen(?:se|ditures?)s?|capex|payables?|receivables?|debt|salary|fees?|assets|liabilities"
    r"|dividends?|dollars?|usd|euros?)\b",
    re.IGNORECASE,
)
_NO_MONEY = re.compile(
    r"\b(?:how (?:many|long|old|far|tall|often)|ratio|margin|percent(?:age)?|per\s?cent|rate|turnover|growth"
    r"|share|days|times|return on|year|when|which|who)\b|%",
    re.IGNORECASE,
)


class Typed(NamedTuple):
    """The golds of a question as they are compared."""

    kind: Kind
    answers: tuple[str, ...]
    unit: str
    precision: Precision
    proposition: str
    reasons: dict[str, tuple[str, ...]]  # for ``yesno``: the golds that give reasons behind their yes or no


def typed(named: str, golds: list[str], unit: str, question: str) -> Typed:
    """Golds of a question by the kind that is named or guessed; raises ValueError.

    Golds whose guessed kind they do not fit are texts.
    """
    kind = kind_of(named, golds, question)
    answers: tuple[str, ...] = ()
    precision: Precision = ""
    try:
        if golds:
            answers, unit, precision = read_answers(kind, golds, unit, question)
    except ValueError:
        if named:
            raise
        kind, (answers, unit, precision) = "text", read_answers("text", golds, unit, question)
    proposition = interrogative(question).rstrip("? ") if kind == "yesno" else ""
    full = tuple(gold for gold in golds if kind == "yesno" and gold.lower() not in _YES_NO)
    return Typed(kind, answers, unit, precision, proposition, dict.fromkeys(answers, full) if full else {})


def kind_of(named: str, answers: list[str], question: str) -> Kind:
    """Kind that a row names, or the one that all its answers are; without any it is asked as."""
    if named in KINDS:
        return cast("Kind", named)
    if named:
        raise ValueError(f"expected a kind of {', '.join(KINDS)}, found {named!r}")
    if not answers:
        return "yesno" if is_polar(question) else "text"
    if all(answer.lower() in _YES_NO for answer in answers):
        return "yesno"
    if is_polar(question) and all(map(_LEADING.match, answers)):
        return "yesno"
    if _are_dates(answers, question):
        return "date"
    numbers = all(read_amount(answer, "") or _counted(answer, question) for answer in answers)
    return "number" if numbers and not is_version(answers, question) else "text"


def read_answers(
    kind: Kind, golds: list[str], unit: str, question: str = ""
) -> tuple[tuple[str, ...], str, Precision]:
    """Answers as they are compared, their unit and the precision of a date; raises ValueError.

    A number whose row names no unit takes the one that only the question states ("in USD millions"). A date
    has a precision only where the question asks for a day or a month: a gold may say more than was asked.
    """
    if kind == "yesno":
        leads = ((gold, _LEADING.match(gold)) for gold in golds)
        values = {_YES_NO.get((lead[1] if lead else gold).lower(), gold) for gold, lead in leads}
        if len(values) > 1 or not values <= {"yes", "no"}:
            raise ValueError(f"expected the answer yes or no, found {' | '.join(golds)[:80]!r}")
        return tuple(values), "", ""
    if kind == "date":
        dates = [read_date(gold) for gold in golds if not _is_short_year(gold)]
        if not dates or not all(dates):
            raise ValueError(f"expected a date like 2024-03-01, found {' | '.join(golds)[:80]!r}")
        return tuple(dict.fromkeys(dates)), "", _precision(dates, question)
    if kind == "number":
        return _numbers(golds, unit, question)
    if is_version(golds, question):
        golds = [spelling for gold in golds for spelling in (gold, f"{gold}.0", f"v{gold}", f"v{gold}.0")]
    return tuple(dict.fromkeys(golds)), unit, ""


def is_version(golds: list[str], question: str) -> bool:
    """Whether golds are versions of something ("3.2"), which are no numbers."""
    return bool(_ASKS_VERSION.search(question)) and all(map(_VERSION.fullmatch, golds))


def undecidable(question: Question) -> Literal["", "sentence", "no unit"]:
    """Why the rules leave answers to a question to review; empty: its golds can be compared."""
    if question.kind == "text" and question.answers and all(map(_is_sentence, question.answers)):
        return "sentence"
    if question.kind == "number" and not question.unit and asks_money(question.text):
        return "no unit"
    return ""


def _is_sentence(gold: str) -> bool:
    """Whether a gold is too long, or has a clause of its own, to be found word by word."""
    terms = gold.split()
    count = len(terms)
    named = "," not in gold and all(term[0].isupper() for term in terms if len(term) > _SHORT_WORD)
    if named and count <= _LONGEST_NAME:
        return False
    return count > LONGEST_TEXT or (count >= _SHORTEST_CLAUSE and bool(_CLAUSE.search(gold)))


def _are_dates(answers: list[str], question: str) -> bool:
    dates = [answer for answer in answers if read_date(answer)]
    if not dates or not all(answer in dates or _is_short_year(answer) for answer in answers):
        return False
    bare = all(answer.isdecimal() for answer in answers)
    return asks_when(question) if bare or len(dates) < len(answers) else True


def _precision(dates: list[str], question: str) -> Precision:
    """Precision of the coarsest date, where it is a year or what the question asks for."""
    coarsest: Precision = ("year", "month", "day")[min(map(len, dates)) // 3 - 1]
    exact = _ASKS_DAY.search(question) or (coarsest == "month" and _ASKS_MONTH.search(question))
    return coarsest if exact or coarsest == "year" else ""


def _is_short_year(gold: str) -> bool:
    """Whether a gold may be a year without its century ("81"), beside the whole year."""
    return bool(re.fullmatch(r"['’]?\d\d", gold))


def _numbers(golds: list[str], unit: str, question: str) -> tuple[tuple[str, ...], str, Precision]:
    bare = [_counted(gold, question) or gold for gold in golds]
    stated = unit or _fitting(stated_unit(question), bare)
    amounts = [amount for number in bare if (amount := read_amount(number, stated))]
    if len(amounts) < len(golds):
        raise ValueError(f"expected a number like 391035 or 21.4, found {' | '.join(golds)[:80]!r}")
    units = {amount[1] for amount in amounts}
    if len(units) > 1:
        raise ValueError(f"expected answers in one unit, found {', '.join(sorted(units))}")
    return tuple(dict.fromkeys(amount[0] for amount in amounts)), units.pop(), ""


def _fitting(stated: str, golds: list[str]) -> str:
    """Unit of the question where no gold names another one; a currency of theirs is taken."""
    named = {amount.unit for gold in golds for amount in find_quantities(gold) if amount.unit}
    measure = read_unit(stated)
    if not stated or named <= {measure.unit}:
        return stated
    if len(named) == 1 and not measure.unit and is_currency(currency := named.pop()):
        return f"{currency} {stated}"
    return ""


def _counted(gold: str, question: str) -> str:
    """Number of "291 episodes" where episodes are asked about; empty: none."""
    match = re.fullmatch(r"([\d,.]+|[a-z-]+)\s+([a-z]{3,})", gold, re.IGNORECASE)
    if not match or not read_amount(match[1], "") or match[2].lower() not in words(question):
        return ""
    return match[1] if not read_unit(match[2]).unit else ""


def read_date(text: str) -> str:
    """Date as it is compared, as precise as it is written; empty for what is no single date."""
    if re.fullmatch(r"\d{4}(?:-\d\d(?:-\d\d)?)?", text):
        return text if text[0] in "12" else ""
    text = _LEAD_IN.sub("", text, count=1) if _LEAD_IN.match(text) else text
    dates = [date for date in find_dates(text) if date.year]
    if len(dates) != 1:
        return ""
    [date] = dates
    if date.fiscal or date.quarter or date.end - date.start < len(text.strip()) - 1:
        return ""
    return "-".join([f"{date.year:04d}", *(f"{part:02d}" for part in (date.month, date.day) if part)])


def read_amount(text: str, unit: str) -> tuple[str, str] | None:
    """Plain decimal and its unit; None for what is no single amount."""
    text = re.sub(r"^the\s+", "", text, flags=re.IGNORECASE)
    plain = text.replace(",", "").replace(" ", "")
    if re.fullmatch(r"-?\d{1,30}(?:\.\d{1,30})?", plain):
        return f"{Decimal(plain):f}", unit
    quantities = find_quantities(text)
    if len(quantities) != 1:
        return None
    [amount] = quantities
    beside = text[: amount.start] + text[amount.end :]
    if amount.range or amount.bound or "°" in text or not _BESIDE.fullmatch(beside):
        return None
    rate = _RATE.search(text, amount.end)
    value, named, factor = amount.value, amount.unit, read_unit(unit).factor
    if factor > 1 and (amount.scaled or abs(value) >= max(factor, Decimal(1_000_000))):
        value /= factor
    elif not unit and is_currency(named) and abs(value) >= 1_000_000:
        value, named = value / 1_000_000, f"{named} million"
    return f"{value.normalize():f}", unit or f"{named} {rate[0]}".strip() if rate else unit or named


def interrogative(question: str) -> str:
    """Clause that asks, without what introduces it or follows it ("If not, say why.")."""
    asking, mark, _ = question.partition("?")
    if not mark:
        return question.strip()
    last = [asking[start:end] for start, end in sentences(asking)][-1:]
    return re.split(r":\s+", "".join(last))[-1].strip() + mark


def is_polar(question: str) -> bool:
    """Whether a question asks for yes or no: its clause begins with a verb such as does, is or has."""
    return bool(_POLAR.match(f"{interrogative(question)} "))


def asks_when(question: str) -> bool:
    """Whether a date is asked for; "how many years" is a number."""
    return bool(_MOMENT.search(question)) and not _HOW_MANY.search(question)


def asks_money(question: str) -> bool:
    """Whether an amount of money is asked for, as far as its words show."""
    clause = interrogative(question)
    return bool(_MONEY.search(clause)) and not _NO_MONEY.search(clause)


def stated_unit(question: str) -> str:
    """Unit in which a question wants its number ("USD million", "percent"); empty: none."""
    if match := _STATED.search(question):
        currency = _CURRENCIES.get((match["before"] or match["after"] or "").lower(), "")
        return f"{currency} {match['scale'].lower()}".strip()
    if _IN_PERCENT.search(question):
        return "percent"
    if match := _IN_CURRENCY.search(question):
        return _CURRENCIES[match[1].lower()]
    counted = _HOW_MANY.search(question)
    return counted[1].lower() if counted else ""


def gold_words(question: Question) -> str:
    """Gold answers of a question in words; empty where the documents state none."""
    if not question.answers:
        return ""
    unit = f" {question.unit}" if question.unit else ""
    text = (" and " if question.kind == "list" else " or ").join(question.answers) + unit
    if question.proposition:
        holds = (question.answers[0] == "yes") == question.yes_means
        text += f", which {'affirms' if holds else 'denies'}: {question.proposition}"
    return text
