"""Heuristics for the kind of value that a question asks for, and whether a sentence has one."""

from __future__ import annotations

import re

from ragharness.language.tables import regex
from ragharness.pipelines._proposition import core, proposition

_CUES = {
    "date": regex(r"\b(?:when|what date|which date|what day|which year|what year)\b", re.IGNORECASE),
    "percent": regex(r"\b(?:percentage|percent|rate|(?<!per )share of|ratio)\b", re.IGNORECASE),
    "count": regex(r"\b(?:how many|number of)\b", re.IGNORECASE),
    "money": regex(
        r"""\b(?:what|how)\b.*\b(?:cost|price|value|worth|cash|income|revenues?|sales|expenses?|earn(?:ed|ings)?
            |profits?|debts?|assets|liabilit(?:y|ies)|equity|payable|receivable|inventor(?:y|ies)|goodwill
            |dividends?|allowance|authorization|reserve|benefits|provision|property|spen[dt]|pa(?:y|id)|owe)\b""",
        re.IGNORECASE | re.VERBOSE | re.DOTALL,
    ),
    "amount": regex(
        r"\bhow\s+(?:much|long|high|large|big|often|soon|old|far)\b|\b(?:amount|number|total)\b",
        re.IGNORECASE,
    ),
}
"""The words of a question that ask for each kind of value, the more telling ones first."""

_CHANGE = regex(r"\b(?:in|de)creased?\b(?!.*\bto \$)", re.IGNORECASE)


def kind_asked(question: str) -> str:
    """Return date, percent, count, money or amount; claim for a yes/no question; "" for anything else."""
    if proposition(question):
        return "claim"
    asked = core(question)
    return next((kind for kind, cue in _CUES.items() if cue.search(asked)), "")


def holds(sentence: str, kind: str) -> bool:
    """Return whether a sentence holds a value of a kind; a claim, or what is no value, any sentence can."""
    from ragharness.language.dates import find_dates
    from ragharness.language.numbers import find_quantities
    from ragharness.language.units import is_currency

    if kind in ("", "claim"):
        return True
    if kind == "date":
        return bool(find_dates(sentence))
    amounts = [each for each in find_quantities(sentence) if not each.year]
    if kind == "money":
        # By how much something changed is not how much it was.
        return not _CHANGE.search(sentence) and any(each.scaled or is_currency(each.unit) for each in amounts)
    if kind == "count":
        return any(each.unit != "percent" and not is_currency(each.unit) for each in amounts)
    return any(kind == "amount" or each.unit == kind for each in amounts)
