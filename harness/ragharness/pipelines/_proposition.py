"""What a question asks for: rules of thumb, enough for a reference pipeline.

A yes/no question as a plain sentence ("May the tenant sublet?" is "the tenant may sublet"), any other as the
kind of value that would answer it.
"""

from __future__ import annotations

import re

from ragharness.language.tables import regex
from ragharness.language.tokens import words

_AUXILIARY = r"(?:is|are|was|were|can|could|may|might|must|shall|should|will|would|do|does|did|has|have|had)"

_OPENING = (
    rf"(?:(?:at|by|for|from|in|on|to|until|up\ to)\s+)?(?:{_AUXILIARY}|wh(?:at|en|ere|ich|om?|ose|y)|how)"
)

_LEAD = regex(rf"^(?:according to|under|in|by|per|as for)\s.*?,\s+(?={_OPENING}\b)", re.IGNORECASE)
_MIDDLE = regex(rf",\s+(?:under|according to)\s[^?]*?,\s+(?={_AUXILIARY}\b)", re.IGNORECASE)
_TAIL = regex(r",?\s+(?:under(?! (?:its|their|his|her|our)\b)|according to)\s[^?]*$", re.IGNORECASE)
_TELLS = regex(
    r"\s*\b(?:does|do|did)\s[^?]*\b(?:say|state|find|give|(?<!the )(?:report|name|list))\b(?: that\b| as\b)?",
    re.IGNORECASE,
)
"""What asks for the words of a document: "does the report say that"."""
_TELLS_THAT = regex(rf"^{_TELLS.pattern}(?<=that)\s+(?=\w)", re.IGNORECASE)
_ASKED = regex(rf"^({_AUXILIARY})\s+(.+)$", re.IGNORECASE | re.DOTALL)
_SUBJECT = regex(
    r"""(?:(?:at\ least|there|the|an?|any|some|all|every|each|both|either|its|their|only)\s+)*
        (?:(?:receiving|disclosing|other|third|outside|confidential|express|independently|orally)\s+)*
        (?:[A-Z][\w.&’'-]*\s+)*
        [\w’'-]+
        (?:\s+(?:of|by)\s+(?:the\s+)?(?:receiving|disclosing|other)\s+\w+)?""",
    re.VERBOSE,
)
"""The first noun with what stands before it: a rule of thumb, enough for a reference pipeline."""

_DROPPED = frozenset({"do", "does", "did"})

_CUES = {
    "date": regex(
        r"\bwhen\b|\b(?:what|which) (?:\w+ )?(?:date|day|month|year)\b|\bdate\b.*\bof\b", re.IGNORECASE
    ),
    "percent": regex(r"\b(?:percentage|percent|rate|(?<!per )share of|ratio)\b", re.IGNORECASE),
    "count": regex(r"\b(?:how many|number of)\b", re.IGNORECASE),
    "money": regex(
        r"""\b(?:what|how)\b.*\b(?:cost|price|value|worth|cash|income|revenues?|sales|expenses?|earn(?:ed|ings)?
            |profits?|debts?|assets|liabilit(?:y|ies)|equity|payable|receivable|inventor(?:y|ies)|goodwill
            |dividends?|allowance|authorization|reserve|benefits|provision|property|spen[dt]|pa(?:y|id)|owe)\b""",
        re.IGNORECASE | re.VERBOSE | re.DOTALL,
    ),
    "amount": regex(
        r"""\bhow\s+(?:much|long|high|large|big|often|soon|old|far)\b
            |\b(?:amount|number|total|term\ of|what\ (?:period|time))\b""",
        re.IGNORECASE | re.VERBOSE,
    ),
    "list": regex(r"^(?:which|what)\s+(?:(?:two|three|four|five|six)\s+)?[a-z]{4,}s\b", re.IGNORECASE),
    "place": regex(
        r"\b(?:where|(?:which|what) (?:city|state|country|town|places?|locations?))\b", re.IGNORECASE
    ),
    "name": regex(r"\b(?:who|whom|whose|which)\b", re.IGNORECASE),
}
"""The words of a question that ask for each kind of value, the more telling ones first."""

_ENUMERATION = regex(r",[^.;]*\band\b|\b[A-Z]\w+ and (?:the )?[A-Z]")
_PLACE = regex(r"\b(?:in|at|to|of|is|are|:) (?:the )?[A-Z][a-z]")
_SUM = regex(r"what (?!is\b|are\b).*\bdoes\b.*\breport\?$|.*\bat (?:fiscal )?year-end\b", re.IGNORECASE)
_CHANGE = regex(r"\b(?:in|de)creased?\b(?!.*\bto \$)", re.IGNORECASE)


CODE = regex(r"\b(?:[A-Z]{3,}|\w*\d{3,}\w*)\b")
"""An abbreviation, or a word with a number."""

NAME = regex(r"(?<=[a-z,] )[A-Z][a-z]\w+")
_DATED = regex(
    r"(?:January|February|March|April|May|June|July|August|September|October|November|December)|.*(?<!\d)(?:19|20)\d\d(?!\d).*"
)


_NAMES = r"(?:the\s+)?[A-Z][\w&.-]*(?:(?:\s+(?:and|of|the|&))*\s+[A-Z][\w&.-]*)*"
_WORD = r"(?![a-z]+ed\b)[a-z]+"
_PLAIN = rf"(?:the\s+)?(?:{_WORD}\s+){{0,2}}{_WORD}(?=\s+(?:at|of|with)\s|\s*$)"
_THE_DOCUMENT = regex(
    rf"""\bthe\s+(?P<named>
        (?:(?!(?:{_AUXILIARY}|the|an?|of|in|to|by|for|on|at|that|which|and|or|with|under|from|its?|as)\b)
            [\w’'-]+\s+){{0,6}}?
        (?:agreement|report|review|audit|letter|deed|undertaking|contract|filing|study|brief|10-K|NDA)\b
        (?:\s+\([^)]*\d[^)]*\))?
        (?:\s+(?:of|between|with|at|on)\s+(?:{_NAMES}(?:['’]s(?:\s+{_WORD}){{0,2}})?|{_PLAIN}))*
    )""",
    re.VERBOSE,
)
"""A phrase that speaks of a document, as "the May 2021 review of the Pension Office"."""
_NAMING = regex(r"[A-Z\d]")
"""What such a phrase has if it says which document: a name or a number."""
_APPLIES = regex(r"^from (?:which|what) (?=day|date)(.*) appl(?:y|ies)$", re.IGNORECASE)
_HELD = regex(r"\b((?:title|post|position|office|rank)\b.*) hold$", re.IGNORECASE)


def subject(question: str) -> str:
    """Return the core of a question without a phrase that names a document by a name or a number."""
    text = _APPLIES.sub(r"start \1", _HELD.sub(r"\1", core(question)))
    text = _THE_DOCUMENT.sub(lambda found: "" if _NAMING.search(found["named"]) else found[0], text)
    return " ".join(text.split())


def names_in(question: str) -> frozenset[str]:
    """Return the words of a question that name one thing alone: abbreviations, numbers, proper names."""
    found = [*CODE.findall(question), *NAME.findall(question)]
    return frozenset(word for each in found if not _DATED.fullmatch(each) for word in words(each))


def core(question: str) -> str:
    """Return the question without its question mark and without the name of the document it is about."""
    text = _MIDDLE.sub(" ", _LEAD.sub("", question.strip().rstrip("?").strip()))
    text = _TAIL.sub("", text)
    return text if _TELLS.match(text) else _TELLS.sub("", text)


def proposition(question: str) -> str:
    """Return what "yes" to the question would state; empty when it is not a yes/no question."""
    text = core(question)
    if told := _TELLS_THAT.match(text):
        return text[told.end() :]
    asked = _ASKED.match(text)
    if asked is None:
        return ""
    auxiliary, rest = asked[1].lower(), asked[2]
    found = _SUBJECT.match(rest)
    subject, predicate = (found[0], rest[found.end() :].strip()) if found else ("", rest)
    return " ".join(word for word in (subject, "" if auxiliary in _DROPPED else auxiliary, predicate) if word)


def kind_asked(question: str) -> str:
    """Return a key of ``_CUES``; claim for a yes/no question; "" for anything else."""
    if proposition(question):
        return "claim"
    asked = core(question)
    other = "amount" if _SUM.match(question) else ""
    return next((kind for kind, cue in _CUES.items() if cue.search(asked)), other)


def holds(sentence: str, kind: str, question: str) -> bool:
    """Return whether a sentence holds a value of a kind that the question does not; any can be a claim."""
    from ragharness.language.numbers import find_quantities
    from ragharness.language.units import is_currency

    if kind in ("", "claim", "name"):
        return True
    if kind == "list":
        return bool(_ENUMERATION.search(sentence))
    if kind == "place":
        return bool(_PLACE.search(sentence))
    if kind == "date":
        return not _dates_of(sentence) <= _dates_of(question)
    said = {each.value for each in find_quantities(question)}
    amounts = [each for each in find_quantities(sentence) if not each.year and each.value not in said]
    if kind == "money":
        # By how much something changed is not how much it was.
        return not _CHANGE.search(sentence) and any(each.scaled or is_currency(each.unit) for each in amounts)
    if kind == "count":
        return any(each.unit != "percent" and not is_currency(each.unit) for each in amounts)
    return any(kind == "amount" or each.unit == kind for each in amounts)


def _dates_of(text: str) -> frozenset[tuple[int | None, ...]]:
    from ragharness.language.dates import find_dates

    return frozenset((each.year, each.month, each.day) for each in find_dates(text))
