"""Features of a question's wording: the clause that asks, and the unit it asks for."""

from __future__ import annotations

import re

from ragharness.language.sentences import sentences

_AUXILIARY = r"(?:is|are|was|were|do|does|did|has|have|had|can|could|may|must|should|will|would)(?:n['’]t)?"
_ASKING = r"\b(?:wh(?:at|ich|om?|ose|en|ere|y)|how)\b"
_POLAR = re.compile(rf"(?:(?!{_ASKING})[^?])*?(?:^|[,;]\s+){_AUXILIARY}\s", re.IGNORECASE)
_MOMENT = re.compile(r"\b(?:when|years?|dates?)\b", re.IGNORECASE)
_HOW_MANY = re.compile(
    r"\b(?:how many|number of)\s+(?:\w+\s+)?(seconds|minutes|hours|days|weeks|months|years)\b",
    re.IGNORECASE,
)

_CURRENCIES = {
    "usd": "USD", "us$": "USD", "$": "USD", "dollars": "USD", "us dollars": "USD", "u.s. dollars": "USD",
    "eur": "EUR", "€": "EUR", "euros": "EUR", "gbp": "GBP", "£": "GBP", "pounds sterling": "GBP",
    "pounds": "GBP",
}  # fmt: skip
_CURRENCY = "|".join(re.escape(each) for each in sorted(_CURRENCIES, key=len, reverse=True))
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


def interrogative(question: str) -> str:
    """Return the clause that asks, without what introduces it or follows it ("If not, say why.")."""
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
    """Return the unit in which a question wants its number ("USD million", "percent"); empty: none."""
    found = _STATED.search(question)
    if found:
        currency = _CURRENCIES.get((found["before"] or found["after"] or "").lower(), "")
        return f"{currency} {found['scale'].lower()}".strip()
    if _IN_PERCENT.search(question):
        return "percent"
    if found := _IN_CURRENCY.search(question):
        return _CURRENCIES[found[1].lower()]
    asked = _HOW_MANY.search(question)
    return asked[1].lower() if asked else ""
