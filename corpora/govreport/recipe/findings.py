"""What a report states once and for all, each with its question and its sentence: figures, dates, agencies, officials.

A finding is kept only if no other sentence of the report answers its question, with the same value or with
another one. Sentences that come near, with another figure, are kept beside it: they tempt. Of people's
questions those count that ask for one figure or date which the report states, too.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import islice
from typing import Literal

from ragharness.language.dates import DateMention, find_dates, iso
from ragharness.language.numbers import Quantity, find_quantities
from ragharness.language.units import is_currency
from ragharness.language.words import sentences, words
from ragquestions.grammar import Asked, points_elsewhere
from ragquestions.wording import ask, common_words, plain, unit, without_named_years

from ..parse import Pair
from .lines import MOST_PLACES, Found, Line, Value, abbreviations, lines, overlap, stems
from .names import addressed
from .names import named as named_agencies

_SAME, _LIKE = 0.9, 0.75  # shares of a question's words: with the same value says the same, or may
_TOLD_AGAIN = 0.8  # share of words from which the report says what its summary's question asks for
_ANSWERS_TOO = 0.9  # share of a question's words from which a sentence with another value could be the answer
_NEAR, _NEAR_COUNT = 0.5, 0.65  # shares from which another value tempts; a bare count may be of anything
_TELLING = 3  # words below which a question fits too much
_NAME = re.compile(r"\b(?:[A-Z][\w&.-]*|\d[\d,]*)")
_HYPHENATED = re.compile(r"\b[a-z]{2,}(?:-[a-z]{2,})+\b", re.IGNORECASE)  # a line's end may glue them
_COUNTED = re.compile(
    r"How many (?:of the )?(?P<nouns>[\w’' -]+?) (?:did|do|does|was|were|is|are|has|have|had|would|will|\w+ed)\b"
)
_LESS_NEAR = 0.25  # share of a question's words by which what tempts may come behind what tempts most
_SHAPE, _MOST_OF_SHAPE = 6, 2  # words with which questions begin alike, and how many of them may
_RECOMMENDED = re.compile(
    r"How many recommendations did \w+ (?:make|issue)(?: (?:to|for) (?P<whom>(?:the|and|[A-Z]\S*|\s)+))?(?P<about>.*)\?"
)
_VAGUE = 3  # words about their subject below which it is not said which of many recommendations are meant
_LARGE = 10  # a count, or a sum in its unit, from which two sentences hardly give it by chance
_EXACT_NEAR, _DIGITS, _MANY = 0.25, 4, 1000  # the share for figures of so many digits, for counts from there
_LIKELY = 20  # how many times larger or smaller a figure may be to be taken for another
_MOST_TEMPTING, _MOST_ABBREVIATIONS = 3, 5
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
        often = not found.sort and shapes[shape] > _MOST_OF_SHAPE
        return not (known or vague or often or glued.intersection(words(found.ask)))

    yield from filter(new, _figures_and_dates(own, official, lower, set(), author))
    yield from filter(new, named_agencies(own, official, body, title, author))
    yield from filter(new, addressed(own, official, author, title))
    yield from islice(abbreviations(own, official, body, title), _MOST_ABBREVIATIONS)


def _figures_and_dates(
    own: list[Line], official: list[Line], lower: Callable[[str], bool], seen: set[str], author: str
) -> Iterator[Found]:
    for line in own:
        for asked in ask(line.text, lower, author=author) if not _NOTE.match(line.text) else ():
            yield from checked(asked, line, own, official, seen, author)
    for line in official:
        for asked in ask(line.text, lower, author=author):
            wanted, value = stems(asked.question), _value(asked)
            holders = (each for each in own if value in each.values and overlap(wanted, each) >= _TOLD_AGAIN)
            for holder in islice(holders, 1):
                yield from checked(asked, holder, own, official, seen, author)


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
    stated = asked.question, asked.kind, asked.answer, asked.unit, asked.precision
    yield Found(*stated, tuple(places), tuple(_unlike(near))[:_MOST_TEMPTING], also, alone)


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
    return asked.precision != "year" if asked.kind == "date" else float(asked.answer) >= _LARGE


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
    least = min((share for share, *_ in near), default=0.0) + _LESS_NEAR
    seen: set[str] = set()
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


Sort = Literal["money", "count", "share", "date"]
_ASKS: dict[Sort, re.Pattern[str]] = {
    "money": re.compile(
        r"How much\b|What (?:is|was|are|were) the (?:[\w-]+ ){0,5}(?:amounts?|costs?|budget|funding|appropriations?|spending|price|value)\b"
    ),
    "count": re.compile(r"How many\b|What (?:is|was) the (?:[\w-]+ ){0,5}number\b"),
    "share": re.compile(
        r"What (?:percentage|percent|share|proportion)\b|What (?:is|was) the (?:[\w-]+ ){0,5}(?:percentage|share|proportion|rate)\b"
    ),
    "date": re.compile(
        r"When\b|In (?:what|which) (?:year|month)\b|(?:What|Which) year\b|On (?:what|which) (?:date|day)\b"
    ),
}
_TWO = re.compile(
    r"(?i)\b(?:and|or|but)\s+(?:\w+\s+)?(?:how|why|what|when|who|whom|which|where|did|does|do|was|were|is|are)\b|[?;].",
)  # two questions in one
_KNOWN = re.compile(
    r"\b(?:would|will|did|does) it (?=(?:cost|take)\b.* to\b)|\bboth\b(?=.* and\b)|\bthe Administration\b(?=.*\b(?:FY ?)?(?:19|20)\d\d\b)"
)  # what points to no other sentence: "would it cost to", and the President's people in a year
_LED_BY_TIME = re.compile(
    r"(?:In|As of|During|From|Between|For|At the end of) (?!what\b|which\b)[^,?]*\d[^,?]*(?:, (?:19|20)\d\d)?, (?=how\b|what\b)"
)
_PRECISE = re.compile(r"(?:(?:In|On) )?(?:what|which) (year|month|date|day)\b", re.IGNORECASE)
_AROUND = re.compile(
    r"(?i)\b(?:before|prior to|until|till|by|after|through|since|between|from|to|and|or|late|early|mid|around|about)[- ](?:the )?(?:(?:end|beginning|start|middle|spring|summer|fall|autumn|winter) of )?$",
)  # what makes a date one side of a span: nobody says "in 1990" of what was done by 1990
_SAYS_WHO = re.compile(r"^According to [^,?]{2,60}, |,? according to [^,?]{2,60}(?=\?$)", re.IGNORECASE)
"""A question is worded with its report named: nobody asks what one says according to another."""
_OWNED = re.compile(r"\b(?:its|their|his|her)\b")
_DEFINITE = re.compile(r"\bthe((?: [a-z][\w’'-]*){1,3})")
_PROPER = re.compile(r"(?<=\s)(?:[A-Z]|\d)")
_SHORTEST, _LONGEST = 4, 40  # words of a question that can be asked as it stands
_YEAR = re.compile(r"\b(?:FY ?)?(?:1[89]|20)\d\d\b")
_OF_A_LAW = re.compile(r"(?<=Act of )\d{4}|(?<=Act, )\d{4}|(?<=Amendments of )\d{4}")  # part of a name
_IN_QUESTION, _IN_ANSWER = 0.6, 0.5  # shares of their words that the stating sentence has
_WORD_FOR_WORD = 0.9  # share of a question's words from which the sentence that answers it has its very words
_NOUNS = 4  # words behind "How many", and behind a figure, among which stands what is counted
_ENDED = 4  # letters from which a word with an ending is the same word
NO_VALUE = "ask for no figure or date"
TWO = "ask for two things"
LEANS = "need another question to be understood"
NO_YEAR = "do not say for which year"
SEVERAL = "are answered by no value, or by several"
ITSELF = "hold their answer"
UNSAID = "have an answer that the report's text does not give in like words"
DOUBTFUL = "could be answered by another passage as well"
TWICE = "ask for what another one asks for"
NAMELESS = "ask of a report that has no name"
REASONS = (NAMELESS, NO_VALUE, TWO, LEANS, NO_YEAR, SEVERAL, ITSELF, UNSAID, DOUBTFUL, TWICE)  # in this order


def certain(pairs: list[Pair], body: str, summary: str, author: str) -> tuple[list[Found], Counter[str]]:
    """Pairs of a report whose answer its body states once and for all, and how many are left out why."""
    own, official = lines(body), lines(summary)
    found: list[Found] = []
    left_out: Counter[str] = Counter()
    taken: set[int] = set()
    seen: set[str] = set()
    often = Counter(pair.question.casefold() for pair in pairs)
    for pair in pairs:
        asked = _asked(pair) if often[pair.question.casefold()] == 1 else DOUBTFUL
        if isinstance(asked, str):
            left_out[asked] += 1
            continue
        line = _stating(asked, pair.answer, own)
        if line is None:
            left_out[UNSAID] += 1
            continue
        if line.start in taken or asked.question.casefold() in seen:
            left_out[TWICE] += 1
            continue
        finding = next(checked(asked, line, own, official, seen, author), None)
        if finding is None or _rivalled(asked, line, own):
            left_out[DOUBTFUL] += 1
            continue
        places = {start for start, _ in finding.places}
        if taken & places:
            left_out[TWICE] += 1
            continue
        taken |= places
        found.append(finding)
    return found, left_out


def _asked(pair: Pair) -> Asked | str:
    """Pair as a question with its one value, or why it is none."""
    bare = _SAYS_WHO.sub("", pair.question)
    text = f"{bare[:1].upper()}{bare[1:]}"
    sort = next((sort for sort, pattern in _ASKS.items() if pattern.match(_without_time(text))), None)
    if sort is None or not _SHORTEST <= len(text.split()) <= _LONGEST or not text.endswith("?"):
        return NO_VALUE
    if _TWO.search(text[:-1]):
        return TWO
    if _leans(text, pair.before):
        return LEANS
    if sort != "date" and _YEAR.search(_OF_A_LAW.sub("", pair.answer)) and not _YEAR.search(text):
        return NO_YEAR
    if sort == "date":
        date = _only_date(pair.answer)
        precision: Literal["year", "month", "day"] = (
            "day" if date and date.day else "month" if date and date.month else "year"
        )
        named = _PRECISE.match(text)
        if date is None or (named and named[1].replace("date", "day").casefold() != precision):
            return SEVERAL
        asked = Asked(text, "date", iso(date), "", precision)
        return ITSELF if (asked.answer[:4] in text and precision != "day") or asked.answer in text else asked
    if (figure := _only_figure(pair.answer, sort, text)) is None:
        return SEVERAL
    asked = Asked(text, "number", plain(figure), unit(figure), "")
    values = {(unit(each), plain(each)) for each in find_quantities(text)}
    return ITSELF if (asked.unit, asked.answer) in values else asked


def _without_time(question: str) -> str:
    """Question without a time in front of it: "In 2019, how much ...?"."""
    rest = _LED_BY_TIME.sub("", question)
    return f"{rest[:1].upper()}{rest[1:]}"


def _leans(question: str, before: str) -> bool:
    """Whether words of a question mean what only another one says."""
    if points_elsewhere(_KNOWN.sub("", question.rstrip("?"))):
        return True
    owner = _OWNED.search(question)
    if owner and not _PROPER.search(question[: owner.start()]):
        return True
    if not before:
        return False
    known = stems(before)
    # "the grants" may be those that the question before was about; a name is the same everywhere.
    definite = (stems(each[1]) for each in _DEFINITE.finditer(question))
    return any(each & known for each in definite) or not _PROPER.search(question)


def _only_date(answer: str) -> DateMention | None:
    dates = find_dates(without_named_years(answer))
    if len(dates) != 1:
        return None
    (date,) = dates
    odd = date.fiscal or date.quarter or date.ambiguous or _AROUND.search(answer[: date.start])
    return date if date.year and not odd else None


def _only_figure(answer: str, sort: Sort, question: str) -> Quantity | None:
    """One figure of a sort in an answer; what is counted must be what is asked for."""
    figures = [each for each in find_quantities(answer) if not each.year and _is_of(each, sort)]
    if len(figures) != 1:
        return None
    (figure,) = figures
    if figure.bound or figure.range or figure.value <= 0:
        return None
    counts = Line(answer, 0, len(answer)).counts
    return figure if sort != "count" or counts(plain(figure), _counted(question)) else None


def _is_of(figure: Quantity, sort: Sort) -> bool:
    units = {"money": is_currency(figure.unit), "share": figure.unit == "percent"}
    return units.get(sort, not figure.unit and figure.value > 1)


def _counted(question: str) -> frozenset[str]:
    """Stems of what "How many" asks for."""
    bare = _without_time(question)
    asked = _ASKS["count"].match(bare)
    behind = bare[asked.end() :] if asked else bare
    return stems(" ".join(behind.rstrip("?").split()[:_NOUNS]))


def _stating(asked: Asked, answer: str, own: list[Line]) -> Line | None:
    """Sentence of the report that states the value in words nearest to the pair's; None where none does."""
    value = _value(asked)
    said = [answer[start:end] for start, end in sentences(answer)]
    told = next((each for each in said if value in Line(each, 0, len(each)).values), answer)
    wanted, repeated = stems(asked.question), stems(told)
    counted = asked.kind == "number" and not asked.unit
    near = [
        (_share(wanted, line) + _share(repeated, line), line)
        for line in own
        if value in line.values
        and "|" not in line.text
        and _share(wanted, line) >= _IN_QUESTION
        and _share(repeated, line) >= _IN_ANSWER
        and _plainly(asked, line.text)
        and not (counted and not line.counts(asked.answer, _counted(asked.question)))
    ]
    return max(near, key=lambda each: each[0])[1] if near else None


def _plainly(asked: Asked, sentence: str) -> bool:
    """Whether a sentence gives the value as such, not as a bound or the end of a span."""
    if asked.kind == "date":
        dates = find_dates(without_named_years(sentence))
        same = (date for date in dates if date.year and iso(date) == asked.answer)
        return any(not _AROUND.search(sentence[: date.start]) for date in same)
    plainly = (figure for figure in find_quantities(sentence) if not (figure.bound or figure.range))
    return any((unit(figure), plain(figure)) == (asked.unit, asked.answer) for figure in plainly)


def _rivalled(asked: Asked, line: Line, own: list[Line]) -> bool:
    """Whether another sentence, with another value of the sort, has what the question is asked by.

    A question that is worded more freely than its answer may mean a sentence, too, that lacks one word of
    it, if that word is no year or number.
    """
    every = stems(asked.question)
    wanted = _shared(every, line)
    may_lack = int(len(wanted) < _WORD_FOR_WORD * len(every))
    sort = _sort_of(_value(asked)[0])
    for other in own:
        values = {value for name, value in other.values if _sort_of(name) == sort} - {asked.answer}
        if other is line or not values:
            continue
        lacking = wanted - _shared(wanted, other)
        if len(lacking) > may_lack or any(each.isdigit() or each[:2] == "fy" for each in lacking):
            continue
        measured = asked.unit or asked.kind == "date"
        if measured or any(other.counts(value, _counted(asked.question)) for value in values):
            return True
    return False


def _sort_of(measure: str) -> str:
    return measure.removesuffix(" million")


def _share(wanted: frozenset[str], line: Line) -> float:
    return len(_shared(wanted, line)) / max(1, len(wanted))


def _shared(wanted: frozenset[str], line: Line) -> frozenset[str]:
    """Words that a sentence has too, if need be with an ending: "sign", "signed"."""
    more = tuple(each for each in wanted - line.stems if len(each) >= _ENDED)
    ended = frozenset(each for each in more if any(stem.startswith(each) for stem in line.stems))
    return wanted & (ended | line.stems)
