"""``Fact``: what a document states that is asked for by a name; names and content words of texts."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from ragharness.language.dates import find_dates, iso
from ragharness.language.words import sentences, words
from ragquestions.grammar import Asked, points_elsewhere
from ragquestions.wording import precision

FIGURE = re.compile(r"\d[\d,.]*\d|\d")
_SHORTEST = 4  # shortest content word, in letters
_DULL = frozenset(
    "what when many much percentage does were have been that this with from during into than under amount fiscal year total million billion percent".split()  # noqa: SIM905
)
_STATED = re.compile(
    r"\d|\b(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|\w+teen|\w+ty|hundred|percent)\b",
    re.IGNORECASE,
)


def states_figure(sentence: str) -> bool:
    """Whether a sentence has a figure in it, in digits or in words."""
    return _STATED.search(sentence) is not None


def content_words(text: str) -> frozenset[str]:
    """Content words of a text in the singular."""
    return frozenset(
        word.removesuffix("s") for word in words(text) if len(word) >= _SHORTEST and word not in _DULL
    )


class Fact(NamedTuple):
    """A question that a place of a document answers."""

    asked: Asked
    start: int
    end: int
    form: str  # what sort of question it is: only another of its sort is taken for it
    turns_on: str = ""  # the name without which a document says nothing of it
    marks: tuple[str, ...] = ()  # words that say the same together, in lower case; else content words do


AGREEMENT_FORMS = frozenset({"law", "dated", "organised"})  # forms that only contracts have
# A footnote or a row of a table: what it names is not what its document is about.
NOTE = re.compile(r"^[|^\[]|https?:|\bet al\b|\bibid\b", re.IGNORECASE)
LETTERS = "letters"  # the form of abbreviations
NAME = (
    r"(?:--[a-z][\w-]*[a-z0-9]|[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+|[a-z]+(?:_[a-z0-9]+)+(?:\(\))?|[a-z]\w+\(\)"
    r"|[A-Z]?[a-zA-Z_]\w+(?:\.[a-zA-Z_]\w+)+(?:\(\))?|[A-Z][a-z0-9]+(?:[A-Z][a-z0-9]+)+(?:\(\))?)"
)  # a name that only a program has: an option, a setting, a function, a class, a module
VERSION = r"\d{1,4}(?:\.\d{1,4}){1,3}(?:\.?(?:a|b|rc|post|dev)\d{1,3})?"

_NAMED = re.compile(NAME)
_SIGNATURE = re.compile(
    rf"(?:class |async |def |@)?(?P<name>{NAME}|[a-z]\w+(?=\())(?P<call>\((?:[^()]|\([^()]*\))*\))?"
)
_FILE = re.compile(
    r"\.(?:py|com|org|net|io|html?|txt|md|rst|cfg|toml|ini|json|ya?ml|e\.g|i\.e)\b", re.IGNORECASE
)


class Line(NamedTuple):
    """A line of a text, and the name that it consists of, if any."""

    text: str
    start: int
    end: int
    name: str = ""  # empty: the line is no heading of a name
    calls: bool = False


def lines_of(text: str) -> Iterator[Line]:
    """Yield the lines of a text that are not blank."""
    for line in re.finditer(r"[^\n]+", text):
        if said := line[0].strip():
            start = line.start() + line[0].index(said)
            short = len(said) < _LONGEST_HEADING and not _EXAMPLE.search(said)
            heading = _SIGNATURE.fullmatch(said) if short else None
            name = heading["name"] if heading and not _FILE.search(heading["name"]) else ""
            calls = bool(heading and (heading["call"] or heading["name"].endswith("()")))
            yield Line(said, start, start + len(said), name.removesuffix("()"), calls)


_LONGEST_HEADING = 160
_EXAMPLE = re.compile(r"\(\s|\([\"']")  # what calls a function, and does not define it


def is_name(words: str) -> bool:
    """Whether words are one name of a program, and not that of a file or a site."""
    return _NAMED.fullmatch(words) is not None and not _FILE.search(words)


_LEANING = re.compile(
    r"\b(?:you|your|we|our|us|it|its|they|them|their|this|these|those|he|she|his|her|such|above|below|following|same|here|"
    r"former|latter|respectively|therefore|however|otherwise|instead|see|e\.g|i\.e|etc|example|now|also|too|again|then|so|another|other|others|both|either)\b"
    r"|\bthe (?:first|second|third|last|next|previous|new|given|specified|resulting|corresponding|current|above|block|note|section|code|snippet|tutorial|page)\b|n['’]t\b",
    re.IGNORECASE,
)
_THAT = re.compile(
    r"\bthat (?:function|method|class|file|object|value|name|option|setting|way|case|study|survey|review|program|one)\b"
)
_UNPAIRED = re.compile(r"[()\[\]{}\"“”<>|\\`*=;:]|--\s|\s[-–—]\s|—|\.\.|https?|\?")
_DANGLING = re.compile(
    r"\b(?:a|an|the|of|in|on|for|to|by|with|from|at|as|and|or|is|are|be|via|using|like|into|if|when|that|which)$"
)
_TWICE = re.compile(r"\b(\w+) \1\b", re.IGNORECASE)


def stands_alone(words: str) -> bool:
    """Whether words say what they mean without the text around them, and are plain running text."""
    faults = (_LEANING, _THAT, _UNPAIRED, _DANGLING, _TWICE)
    return not any(fault.search(words) for fault in faults) and not points_elsewhere(words)


_KIND = re.compile(r"\b(?:agreement|contract|lease|licen[cs]e)\b", re.IGNORECASE)
_LAW = re.compile(
    r"\b(?:governed|construed|interpreted)\b[^.\n]{0,80}?\b(?:with|by|under)\s+the\s+(?:internal\s+|substantive\s+)?laws?\s+of\s+(?:the\s+)?(?P<of>(?:State|Commonwealth|Province|Republic|Kingdom)\s+of\s+(?:the\s+)?)?(?P<where>[A-Z][a-z]+(?:\s+[A-Z][a-z]+){0,2}(?:\s+and\s+Wales)?)\b"
)
_OF_LAW = r"govern(?:ed|ing)|\blaws? of\b|(?-i:\b[A-Z])[a-z]+ laws?\b|legislation"
_OF_DATE = r"\bdated\b|\bas of\b|\bthis\s+\d|\bday of\b|\b(?:19|20)\d\d\b"
_NO_PLACE = frozenset(
    "The State District Country Jurisdiction Company Parties Party Owner Buyer Seller Law".split()  # noqa: SIM905
)
_MADE = re.compile(
    r"\b(?:dated|made|entered\s+into|effective)(?:\s+and\s+(?:entered\s+into|effective|is\s+effective))?(?:\s+(?:as\s+of|on|this|the|effective|date))*\s+$"
)
_ORGANISED = re.compile(
    r"(?P<name>[A-Z][\w&.’'-]*(?:\s+(?:of\s+|and\s+|&\s+)?[A-Z][\w&.’'-]*){0,6}(?:,\s+(?:Inc|INC|L\.?L\.?C|Ltd|LTD|L\.?P|Corp|Co)\b\.?)?),?\s+(?:is\s+)?an?\s+(?P<where>[A-Z][a-z]+(?:\s[A-Z][a-z]+)?)\s+"
    r"(?P<kind>corporation|limited\s+liability\s+company|limited\s+partnership|company|partnership|non-?profit\s+corporation)\b"
)
_PEOPLE = re.compile(
    r"(?:ish|ese|wiss|ian|can|ench|utch|ean|erman|elsh)$|^(?:Public|Private|Limited|Holding|New Jersey Public)\b"
)  # of what country somebody is, not which it is: "a Swiss company"
_HEAD = 2500  # characters of a contract in which it names its date and its parties
_LEADING = re.compile(r"^(?:(?:By|And|Between|Among|With|This|The|Agreement)\s+)+", re.IGNORECASE)


def agreement_facts(text: str) -> Iterator[Fact]:
    """Yield the facts of a contract; nothing of another text."""
    if not _KIND.search(text[:_HEAD]):
        return
    laws = [each for span in sentences(text) for each in _law(text[slice(*span)], span[0])]
    if len({each.asked.answer for each in laws}) == 1:
        yield laws[0]
    head = [(start, text[start:end]) for start, end in sentences(text[:_HEAD])]
    dated = [each for start, sentence in head for each in _made(sentence, start)]
    if len({each.asked.answer for each in dated}) == 1:
        yield dated[0]
    for start, sentence in head:
        yield from _organised(" ".join(sentence.split()), start, len(sentence))


def _law(sentence: str, start: int) -> Iterator[Fact]:
    places = {each["where"]: each for each in _LAW.finditer(sentence)}
    if len(places) != 1:
        return
    ((where, found),) = places.items()
    if where.split()[0] not in _NO_PLACE:
        what = "state" if found["of"] and found["of"].startswith(("State", "Common")) else "state or country"
        asked = Asked(f"The laws of which {what} govern the agreement?", "text", where)
        yield Fact(asked, start, start + len(sentence), "law", _OF_LAW, ("laws of", where.lower()))


def _made(sentence: str, start: int) -> Iterator[Fact]:
    dates = [each for each in find_dates(sentence) if each.year]
    if len(dates) != 1 or not _KIND.search(sentence):
        return
    [date] = dates
    before, marks = sentence[: date.start], (sentence[date.start : date.end].lower(),)
    if precision(date) == "day" and not date.ambiguous and _MADE.search(before) and len(before) <= _HEAD:
        asked = Asked("What date does the agreement bear?", "date", iso(date), "", "day")
        yield Fact(asked, start, start + len(sentence), "dated", _OF_DATE, marks)


def _organised(sentence: str, start: int, length: int) -> Iterator[Fact]:
    for found in _ORGANISED.finditer(sentence):
        name, where = _LEADING.sub("", found["name"]), found["where"]
        is_place = not _PEOPLE.search(where) and where.split()[0] not in _NO_PLACE
        if len(name.split()) > 1 and is_place and where not in name:
            asked = Asked(f"Under the laws of which state or country is {name} organized?", "text", where)
            yield Fact(asked, start, start + length, "organised", name, (name.lower(), where.lower()))


TERMS = {
    "notice of termination": (
        Asked("How many days' notice does a termination of the agreement need?", "number", "", "days"),
        r"terminat|cancel|withdraw|rescind|\bend(?:s|ed)?\b",
    ),
    "term": (
        Asked("For how many years do the obligations under the agreement last?", "number", "", "years"),
        r"\byears?\b|\bmonths?\b|perpetu|indefinite|surviv|terminat|expir|\bterm\b|as long as|permanent|forever|at any time|thereafter|\bduring and after|\bduration",
    ),
    "notices": (
        Asked("To what address must notices under the agreement be sent?", "text", ""),
        r"\bnotices?\b|\bnotif|\baddress|e-?mail",
    ),
    "courts": (
        Asked("The courts of which place have jurisdiction over disputes under the agreement?", "text", ""),
        r"\bcourts?\b|jurisdiction|arbitrat|venue|tribunal|forum",
    ),
    "fees of lawyers": (
        Asked("Which party bears the legal fees of a dispute under the agreement?", "text", ""),
        r"attorney|legal (?:fees|costs|expenses)|\bcosts?\b|\bexpenses?\b|indemn|\bfees\b",
    ),
}  # a question and the pattern of what would answer it, by topic: most contracts have a clause on each
OF_PARTIES = {
    "organised": (
        Asked("Under the laws of which state or country is {name} organized?", "text", ""),
        r"corporation|compan(?:y|ies)\b|partnership|organi[sz]|incorporated|registered|existing under|entity",
    ),
    "address": (
        Asked("At what address does {name} have its principal office?", "text", ""),
        r"\boffice|\baddress|located|street|\broad\b|avenue|\bsuite\b|place of business|\bat \d|\b\d{5}\b|boulevard|\bplaza\b|\bdrive\b|(?-i:\b\d+[A-Za-z]? [A-Z][\w.’']+ [A-Z]\w)",
    ),
}  # the same of a party, with what stands near its name where the contract says so
_PARTY = re.compile(
    r"\b(?P<name>(?:[A-Z][\w&’'-]*\s+){1,4}(?:Inc|LLC|Ltd|Limited|Corp|Corporation|L\.L\.C|L\.P|LLP)\b)"
)
_NAMED_IN = 3000  # characters of a contract in which it names its parties
_PARTIAL = frozenset({"the", "this", "between", "and", "proprietary", "private", "pty"})


def parties(text: str) -> list[str]:
    """The first two parties that the head of a contract names by their whole names."""
    names = (each["name"].split() for each in _PARTY.finditer(text[:_NAMED_IN]))
    return list(dict.fromkeys(" ".join(name) for name in names if name[0].lower() not in _PARTIAL))[:2]
