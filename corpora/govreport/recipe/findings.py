"""What a report states once and for all, each with its question and its sentence: figures, dates, agencies, officials.

A finding is kept only if no other sentence of the report answers its question, with the same value or with
another one. Sentences that come near, with another figure, are kept beside it: they tempt.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator

from ragharness.language.words import words
from ragquestions.grammar import Asked
from ragquestions.wording import ask, common_words

from .lines import MOST_PLACES, Found, Line, Value, abbreviations, lines, overlap, stems
from .names import addressed
from .names import named as named_agencies

_SAME, _LIKE = 0.9, 0.75
"""Share of a question's words from which a sentence with the same value says the same again, or may."""
_TOLD_AGAIN = 0.8
"""Share of a summary's question from which a sentence of the report with its value says the same."""
_ANSWERS_TOO = 0.9  # share of a question's words from which a sentence with another value could be the answer
_NEAR, _NEAR_COUNT = 0.5, 0.65
"""Share of a question's words from which another value tempts; a bare count may be of anything."""
_TELLING = 3  # words below which a question fits too much
_NAME = re.compile(r"\b(?:[A-Z][\w&.-]*|\d[\d,]*)")
_HYPHENATED = re.compile(r"\b[a-z]{2,}(?:-[a-z]{2,})+\b", re.IGNORECASE)
"""Words that a line's end may have glued together: "third-party", "thirdparty"."""
_COUNTED = re.compile(
    r"How many (?:of the )?(?P<nouns>[\w’' -]+?) (?:did|do|does|was|were|is|are|has|have|had|would|will|\w+ed)\b"
)
_LESS_NEAR = 0.25  # share of a question's words by which what tempts may come behind what tempts most
_SHAPE, _MOST_OF_SHAPE = 6, 2
"""Words with which questions about a report begin alike, and how many of them may."""
_RECOMMENDED = re.compile(
    r"How many recommendations did \w+ (?:make|issue)(?: (?:to|for) (?P<whom>(?:the|and|[A-Z]\S*|\s)+))?(?P<about>.*)\?"
)
_VAGUE = 3  # words about their subject below which it is not said which of many recommendations are meant
_LARGE = 10  # a count, or a sum in its unit, from which two sentences hardly give it by chance
_EXACT_NEAR, _DIGITS, _MANY = 0.25, 4, 1000
"""The same for figures of so many digits, and for counts from there."""
_LIKELY = 20  # how many times larger or smaller a figure may be to be taken for another
_MOST_TEMPTING = 3
_NOTE = re.compile(r"[a-z]\.\s")  # a note below a table: it speaks of a cell


def findings(body: str, summary: str, author: str, title: str) -> Iterator[Found]:
    """Yield what a report states about once: from its sentences, and from its summary's where the body says it too."""
    own, official = lines(body), lines(summary)
    lower = common_words(body)
    glued = {each.casefold().replace("-", "") for each in _HYPHENATED.findall(body)}
    stated: set[int] = set()
    shapes: Counter[str] = Counter()

    def new(found: Found) -> bool:
        known = any(start in stated for start, _ in found.places)
        shapes[shape := " ".join(found.ask.split()[:_SHAPE])] += 1
        stated.update(start for start, _ in found.places)
        counted = _RECOMMENDED.match(found.ask)
        vague = counted is not None and len(counted["about"].split()) < _VAGUE
        return not (
            known
            or vague
            or (not found.sort and shapes[shape] > _MOST_OF_SHAPE)
            or glued & set(words(found.ask))
        )

    yield from filter(new, _figures_and_dates(own, official, lower, set(), author))
    yield from filter(new, named_agencies(own, official, body, title, author))
    yield from filter(new, addressed(own, official, author, title))
    yield from abbreviations(own, official, body, title)


def _figures_and_dates(
    own: list[Line], official: list[Line], lower: Callable[[str], bool], seen: set[str], author: str
) -> Iterator[Found]:
    for line in own:
        if _NOTE.match(line.text):
            continue
        for asked in ask(line.text, lower, author=author):
            yield from checked(asked, line, own, official, seen, author)
    for line in official:
        for asked in ask(line.text, lower, author=author):
            wanted = stems(asked.question)
            value = _value(asked)
            holders = [each for each in own if value in each.values and overlap(wanted, each) >= _TOLD_AGAIN]
            if holders:
                yield from checked(asked, holders[0], own, official, seen, author)


def _value(asked: Asked) -> Value:
    return ("date" if asked.kind == "date" else asked.unit), asked.answer


def checked(
    asked: Asked, line: Line, own: list[Line], official: list[Line], seen: set[str], author: str
) -> Iterator[Found]:
    """Yield a question that a sentence of a report answers, if no other sentence answers it otherwise."""
    key = asked.question.casefold()
    if key in seen:
        return
    seen.add(key)
    wanted, (measure, answer) = stems(asked.question), _value(asked)
    if len(wanted - {author.casefold()}) < _TELLING:
        return
    needed = names(asked.question, author)
    near: list[tuple[float, str, int, int]] = []
    places, alone = [(line.start, line.end)], True
    counted = _COUNTED.match(asked.question)
    nouns = stems(counted["nouns"]) if counted else frozenset()
    for other in own:
        if asked.kind == "date" and answer[:4] in other.fiscal_years and overlap(wanted, other) >= _LIKE:
            return  # it tells the same by fiscal years
        if asked.kind == "number" and "|" in other.text and _row_gives(answer, other.text, wanted):
            places.append((other.start, other.end))
            continue
        share = overlap(wanted, other) if other.values else 0.0
        repeated = other is not line and (measure, answer) in other.values
        alone = alone and not (repeated and _seldom(asked))
        if repeated and "|" in other.text and any(each.isdigit() and each in other.stems for each in wanted):
            return  # a table gives it for the same year, under headings that the row does not repeat
        if share < (_EXACT_NEAR if repeated and _exact(asked) else _NEAR):
            continue
        of_kind = [value for unit_, value in other.values if unit_ == measure]
        alike = [value for value in of_kind if not _fits(value, answer, asked.kind)]
        if other is not line and alike and share >= _ANSWERS_TOO and answer not in of_kind:
            return
        if repeated:
            named = needed <= other.stems
            if share >= _SAME and named:
                places.append((other.start, other.end))
                continue
            if share >= _doubtful_from(asked, named=named):
                return  # it may say the same or be about something else: only a person can tell
            alone = False
        if share >= (_NEAR if measure else _NEAR_COUNT):
            near += [
                (-share, value, other.start, other.end)
                for value in alike
                if _comparable(value, asked)
                and value not in asked.question
                and (measure or other.counts(value, nouns))
                and (measure, value) not in other.untempting
            ]
    if len(places) > MOST_PLACES:
        return
    also = any((measure, answer) in each.values and overlap(wanted, each) >= _TOLD_AGAIN for each in official)
    yield Found(
        asked.question,
        asked.kind,
        asked.answer,
        asked.unit,
        asked.precision,
        tuple(places),
        tuple(_unlike(near))[:_MOST_TEMPTING],
        also,
        alone,
    )


def _row_gives(answer: str, row: str, wanted: frozenset[str]) -> bool:
    """Whether a row of a table, named by words of the question, has its figure in one of its cells."""
    label, *cells = (each.strip() for each in row.strip(" |").split("|"))
    named = stems(label)
    figures = (re.sub(r"[$,%]|(?<=\d)\.0+$", "", each) for each in cells)
    return bool(named) and named <= wanted and answer in figures


def _doubtful_from(asked: Asked, *, named: bool) -> float:
    """Share of a question's words from which a sentence has its value hardly by chance."""
    if _exact(asked):
        return _EXACT_NEAR
    if asked.unit == "percent":
        return _NEAR_COUNT
    return _NEAR if _seldom(asked) else _LIKE if named else _SAME


def _seldom(asked: Asked) -> bool:
    """Whether a report hardly states such a value twice by chance: a day, a month, a sum, a large count."""
    if asked.kind == "date":
        return asked.precision != "year"
    return float(asked.answer) >= _LARGE


def _exact(asked: Asked) -> bool:
    """Whether a figure is as exact as those that are given of one thing only: 21,535."""
    if asked.kind == "date":
        return False
    counted = not asked.unit and float(asked.answer) >= _MANY
    return counted or len(re.sub(r"[.,]|0+$", "", asked.answer)) >= _DIGITS


def names(question: str, author: str) -> frozenset[str]:
    """Stems of names, abbreviations and numbers: a sentence without them is about something else."""
    named = (each for each in _NAME.findall(question[1:]) if each != author)
    return stems(" ".join(named))


def _unlike(near: list[tuple[float, str, int, int]]) -> Iterator[tuple[str, int, int]]:
    """Yield each tempting value once, where it comes nearest."""
    seen: set[str] = set()
    least = min((each[0] for each in near), default=0.0) + _LESS_NEAR
    for share, value, start, end in sorted(near):
        if value not in seen and share <= least:
            seen.add(value)
            yield value, start, end


def _fits(value: str, answer: str, kind: str) -> bool:
    """Whether two values are the same, or one a coarser form of the other."""
    if kind == "date":
        return value.startswith(answer) or answer.startswith(value)
    return abs(float(value) - float(answer)) <= 0.005 * max(abs(float(value)), abs(float(answer)))


def _comparable(value: str, asked: Asked) -> bool:
    """Whether a false value is one that a careless reader would give: as precise, and clearly another."""
    if asked.kind == "date":
        return len(value) == len(asked.answer)
    one, other = float(value), float(asked.answer)
    if not asked.unit and one != int(one):
        return False
    larger, smaller = max(abs(one), abs(other)), min(abs(one), abs(other))
    return (larger - smaller) / larger > 0.02 and one > 1 and larger < _LIKELY * smaller
