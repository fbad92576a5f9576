"""Sentences whose subject, purpose, bound or law is asked for; what is asked is copied, so that its grammar holds."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ragharness.language.numbers import find_quantities
from ragharness.questions.asking.grammar import is_subject, lowered
from ragharness.questions.asking.statement import Asked
from ragharness.questions.folder.content_words import content_words
from ragharness.questions.folder.facts import NAME, Fact, is_name, stands_alone

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_NOUNS = (
    "option|setting|parameter|argument|attribute|property|method|function|class|command|module|package|flag|variable|"
    "environment variable|decorator|exception|header|middleware|field|key|object|library|signal|hook|extension|filter|"
    "context manager|config key|configuration value|type|interface|subcommand|plugin|directive|handler|backend|fixture|keyword|test|tag"
)
_VERBS = (
    "is used to|is used for|is raised when|is called when|is called|is sent when|is a|is an|is the|returns|specifies|controls|sets|determines|"
    "defines|provides|creates|allows|enables|disables|contains|represents|holds|stores|takes|accepts|raises|handles|reads|"
    "writes|loads|makes|adds|removes|generates|implements|supports|runs|starts|stops|shows|prints|displays|tells|indicates|"
    "configures|registers|converts|parses|wraps|sends|opens|closes|checks|ensures|gives|turns|means|maps|renders|manages|lets|requires"
)
_SUBJECT = re.compile(
    rf"(?:The\s+)?(?P<name>{NAME})(?:\s+(?P<noun>{_NOUNS}))?\s+(?P<does>(?:{_VERBS})\s[^\n]{{12,170}}?)\.?"
)
_TO_DO = re.compile(
    rf"(?:To\s+(?P<aim>[a-z][^,\n]{{10,90}}?),\s+(?:you\s+can\s+|you\s+should\s+|simply\s+|just\s+)?(?:use|call|run|set|pass)\s+(?:the\s+)?(?P<what>{NAME})(?:\s+(?:{_NOUNS}))?"
    rf"|(?:You\s+can\s+)?[Uu]se\s+(?:the\s+)?(?P<used>{NAME})(?:\s+(?:{_NOUNS}))?\s+to\s+(?P<end>[a-z][^,\n]{{10,90}}?))\.?"
)
_NO_AIM = re.compile(r"(?:be|do|get|see|use|make)\b|\w+ed\b")

_AT_LEAST = re.compile(
    r"(?:\b(?:requires?|supports?|needs?|works?\s+with|runs?\s+on)\s+)(?:at\s+least\s+)?(?P<what>[A-Z][\w.-]*[a-z])\s+(?:version\s+)?(?:>=\s*)?(?P<version>\d+\.\d+(?:\.\d+)?)(?:\s*\+|\s+(?:and|or)\s+(?:newer|later|higher|above|up))"
)

_WITHIN = re.compile(
    r"(?P<subject>(?:[A-Z]|\(?[a-z]\)\s)[\w’' -]{2,80}?)\s+(?P<modal>shall|must|will|agrees\s+to)\s+(?P<promptly>promptly\s+|immediately\s+)?(?P<does>[a-z][^.;:\n]{4,160}?),?\s+"
    r"(?:no\s+later\s+than|not\s+later\s+than|within)\s+(?P<amount>(?:[a-z-]+\s+)?\(?\d{1,3}\)?|[a-z]+(?:-[a-z]+)?)\s+(?P<kind>business\s+|calendar\s+|working\s+)?(?P<unit>days?|months?|years?|hours?)(?P<rest>\s+(?:of|after|from|following)\s[^.;:\n,]{4,90})?[.,;]"
)
_LASTS = re.compile(
    r"(?P<subject>(?:[A-Z]|\(?[a-z]\)\s)[\w’', -]{2,110}?)\s+(?P<modal>shall|will)\s+(?P<does>(?:remain|continue|survive|be|terminate|expire|last)\b[^.;:\n]{0,80}?)\s*(?:for\s+)?(?:a\s+period\s+of\s+|a\s+term\s+of\s+|for\s+)"
    r"(?P<amount>(?:[a-z-]+\s+)?\(?\d{1,3}\)?|[a-z]+(?:-[a-z]+)?)\s+(?P<unit>months?|years?)(?P<rest>\s+(?:from|after|following|as\s+of)\s[^.;:\n,]{4,90})?[.,;]"
)
_EXCEEDS = re.compile(
    r"(?P<subject>(?:The|Each|Every|A|An)\s[\w’' -]{3,60}?)\s+(?P<modal>may|must|can|should|shall)\s*not\s+(?:exceed|be\s+(?:longer|larger|more|greater)\s+than)\s+(?P<amount>\d[\d,]*)\s+(?P<unit>[a-z]+)(?P<rest>(?:\s+(?:in|per|of|for)\s[\w\s-]{3,40})?)\."
)
_NUMBER = re.compile(r"^(?:\(?[a-z0-9]{1,3}[.)]\s+|\d{1,2}(?:\.\d{1,2})*\.?\s+)")
_SHORTEST_ABOUT = 3


def asked_of(sentence: str, start: int, lower: Callable[[str], bool]) -> Iterator[Fact]:
    """Yield the facts of one sentence."""
    for read in (_subject, _purpose, _requirement, _bound):
        yield from read(sentence, start, lower)


def _subject(sentence: str, start: int, _: object) -> Iterator[Fact]:
    found = _SUBJECT.fullmatch(sentence)
    if not found or not is_name(found["name"]):
        return
    name, does = found["name"].removesuffix("()"), found["does"]
    if name.rsplit(".", 1)[-1].lower() in does.lower() or not _tells(does):
        return
    yield Fact(Asked(f"{_which(found)} {does}?", "text", name), start, start + len(sentence), "subject", name)


def _which(found: re.Match[str]) -> str:
    if found["noun"]:
        return f"Which {found['noun']}"
    if found["name"].startswith("--"):
        return "Which option"
    return "Which function or method" if found["name"].endswith("()") else "What"


def _purpose(sentence: str, start: int, _: object) -> Iterator[Fact]:
    found = _TO_DO.fullmatch(sentence)
    if not found:
        return
    name, aim = found["what"] or found["used"], found["aim"] or found["end"]
    name = name.removesuffix("()")
    if is_name(name) and name.lower() not in aim.lower() and _tells(aim) and not _NO_AIM.match(aim):
        asked = Asked(f"What can be used to {aim}?", "text", name)
        yield Fact(asked, start, start + len(sentence), "subject", name)


def _requirement(sentence: str, start: int, _: object) -> Iterator[Fact]:
    found = _AT_LEAST.search(sentence)
    if found:
        what = found["what"]
        asked = Asked(f"What is the minimum version of {what} required?", "text", found["version"])
        yield Fact(asked, start, start + len(sentence), "requirement", what, (what.lower(), found["version"]))


def _bound(sentence: str, start: int, lower: Callable[[str], bool]) -> Iterator[Fact]:
    said = _NUMBER.sub("", sentence, count=1)
    for pattern, ask in ((_WITHIN, _within), (_LASTS, _lasts), (_EXCEEDS, _exceeds)):
        found = pattern.match(said)
        if not found or len([each for each in find_quantities(said) if not each.year]) != 1:
            continue
        subject = lowered(found["subject"].strip(), lower)
        value = _amount(found["amount"])
        question = ask(found, subject) if value and is_subject(found["subject"].strip()) else ""
        if question and stands_alone(question.rstrip("?")) and len(question.split()) <= _LONGEST:
            unit = found["unit"] if found["unit"].endswith("s") else f"{found['unit']}s"
            unit = "" if pattern is _EXCEEDS else unit
            yield Fact(Asked(question, "number", value, unit), start, start + len(sentence), "bound")
        return


_LONGEST = 40


def _within(found: re.Match[str], subject: str) -> str:
    kind, unit = found["kind"] or "", _plural(found["unit"])
    modal = "must" if found["modal"].startswith("agrees") else found["modal"]
    return f"Within how many {kind}{unit}{found['rest'] or ''} {modal} {subject} {found['does']}?"


def _lasts(found: re.Match[str], subject: str) -> str:
    does = found["does"].strip()
    if does.split()[-1] in {"for", "after", "until", "upon"} or does in {"be", "terminate", "expire"}:
        return ""
    return f"For how many {_plural(found['unit'])} {found['modal']} {subject} {does}{found['rest'] or ''}?"


def _exceeds(found: re.Match[str], subject: str) -> str:
    modal, unit = found["modal"], _plural(found["unit"])
    return f"At most how many {unit} {modal} {subject} have{found['rest']}?"


def _plural(unit: str) -> str:
    return unit if unit.endswith("s") else f"{unit}s"


def _amount(words: str) -> str:
    """Return the number of "30", "thirty" or "thirty (30)"; empty: none."""
    found = re.search(r"\d+", words)
    if found:
        return str(int(found[0]))
    amounts = find_quantities(f"{words} items")
    return f"{amounts[0].value:f}" if len(amounts) == 1 else ""


def _tells(words: str) -> bool:
    least = _SHORTEST_ABOUT + words.startswith("is ")
    return stands_alone(words) and len(content_words(words)) >= least and len(words.split()) <= _LONGEST
