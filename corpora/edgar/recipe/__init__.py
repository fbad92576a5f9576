"""Every question that could be asked about the filings: tagged figures in our wording, silences, traps.

``filed.py`` reads the wordings: of what is tagged in ``concepts.toml``, of what no filing answers in
``silences.toml``, and makes the questions that only look answerable; ``figures.py`` finds where else a filing
states a figure.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal
from itertools import combinations

import msgspec

from ragharness.corpus.loading import Corpus
from ragharness.records import Distractor, Document, Evidence, Question
from ragquestions.derivations import ABOVE, BELOW, value_of
from ragquestions.recipes import Fact, unanswered, ways

from ..parse import spoken
from .figures import CAMEL, Places, read_facts, words_of
from .filed import (
    CONCEPTS,
    LINES,
    SILENCES,
    Concept,
    Filed,
    lacking,
    plainly_stated,
    read_filings,
    silent,
    traps,
    wordings,
)

VERSION = 3  # raised whenever the candidates change; kept with every frozen set
BOTH_SIDES = True  # a topic is asked on both sides: what is asked does not tell what is wanted
_ALIKE = 0.02  # a figure that differs by less from another is no temptation: a rounded answer would fit both
_SAME = 0.005  # what differs by less passes for the figure on the cover, of a later day
_TEMPTS = 3  # a figure that many times as large, or as small, tempts nobody
_LAST = "the figure for"  # what a distractor is called that is last year's
_ENOUGH = 60  # figures that stand alone from which no other ones are asked as plain
_MOST_PLACES = 6  # places that state a figure above which withholding it would hollow out the filing
_BARE = re.compile(r"\d[\d,.]*")
_AMOUNTS = {
    "USD": re.compile(r"\$\s?\d[\d,.]*"),
    "percent": re.compile(r"\d[\d.]*\s?(?:%|percent)"),
    "shares": re.compile(r"\d[\d,.]*(?:\s[a-z]+){0,5}\sshares"),
}  # how a sentence writes amounts of a kind
_AUDITORS = {
    "ernst": ("Ernst & Young", "EY"),
    "kpmg": ("KPMG",),
    "pricewaterhouse": ("PricewaterhouseCoopers", "PwC"),
    "deloitte": ("Deloitte & Touche", "Deloitte"),
}
facts = read_facts


def candidates(corpus: Corpus, facts: Sequence[Fact]) -> list[Question]:
    """Every question about the filings, in all wordings, without ids."""
    filings = read_filings(corpus, facts)
    places = Places(corpus, {each.document.id: (each.cik, each.end) for each in filings})
    found: list[Question] = []
    of_filer: dict[str, list[Filed]] = {}
    for filed in filings:
        of_filer.setdefault(filed.cik, []).append(filed)
    for filed in filings:
        for number, (key, concept) in enumerate(CONCEPTS.items()):
            if (stated := _stated(filed, concept)) is not None:
                found += _asked(filed, key, concept, *stated, places)
            # What one of a company's filings lacks its others mostly lack too: one of them is asked.
            same = of_filer[filed.cik]
            if same[number % len(same)] is filed:
                found += lacking(filed, key, concept)
        for key, silence in SILENCES.unasked.items():
            found += silent(filed, key, silence, "corpus")
    found += _plain_too(found)
    found += traps(filings)
    return [*(each for each in found if not gives_itself_away(each)), *plainly_stated(corpus, facts)]


def _plain_too(found: list[Question]) -> list[Question]:
    """Figures that only last year's tempts for, as plain ones, where few filings state others."""
    plain = {(each.document, each.topic) for each in found if each.target == "correct"}
    wrong = [each for each in found if each.target == "wrong"] if len(plain) < _ENOUGH else []
    tempted = (each for each in wrong if all(false.about.startswith(_LAST) for false in each.distractors))
    return [msgspec.structs.replace(each, target="correct") for each in tempted]


def gives_itself_away(question: Question) -> bool:
    """Whether the words of the question hold its answer (Texas in the name of the filer, say)."""
    text = question.text.casefold()
    return any(answer.casefold() in text for answer in question.answers)


def _stated(filed: Filed, concept: Concept) -> tuple[Fact, list[Distractor]] | None:
    """Fact that answers a concept, with what tempts near it; None: no fact, or two with different values."""
    tag = next((tag for tag in concept.tags if filed.now(tag) is not None), "")
    fact = filed.now(tag)
    if fact is None or (tag == concept.tags[-1] and any(map(filed.now, concept.beside))):
        return None
    if fact.kind == "text":
        return fact, []
    if (value := _value(fact)) <= 0 or is_part(filed.document, fact):
        return None
    others = [filed.now(other) for other in concept.differs if other != tag]
    if any(_value(each) != value for each in others if each and each.kind == "number"):
        return None
    near = [each for other in concept.near if other != tag and (each := filed.now(other))]
    if tag.startswith("dei:") and any(0 < abs(_value(each) - value) < _SAME * value for each in near):
        return None
    rivals = [(other, _line(other)) for other in near]
    last = filed.before(tag)
    before = [(last, f"{_LAST} {spoken(last.details['end'])}")] if last else []
    return fact, [*_tempting(fact, rivals), *_tempting(fact, before)]


def _value(fact: Fact) -> float:
    return float(fact.details["value"])


def _in_unit_of(fact: Fact, other: Fact) -> str:
    """Another fact's value as the first one counts it."""
    factor = _value(fact) / float(fact.answers[0])
    return f"{_value(other) / factor:.6f}".rstrip("0").rstrip(".")


def _line(fact: Fact) -> str:
    """How an analyst calls a line: its name in ``lines.toml``, else the words of its tag."""
    return LINES.get(fact.topic) or CAMEL.sub(" ", fact.topic.rpartition(":")[2]).casefold()


def _tempting(fact: Fact, rivals: Iterable[tuple[Fact, str]]) -> Iterator[Distractor]:
    """Yield rivals that are near enough, and that no rounding makes the right answer, each value once."""
    gold = float(fact.answers[0])
    told = [Distractor(_in_unit_of(fact, rival), about, rival.evidence[:1]) for rival, about in rivals]
    unlike = {
        false.value: false
        for false in reversed(told)
        if abs(float(false.value) - gold) > _ALIKE * abs(gold)
        and gold <= _TEMPTS * float(false.value) <= _TEMPTS * _TEMPTS * gold
    }
    return reversed(unlike.values())


def _asked(
    filed: Filed, key: str, concept: Concept, fact: Fact, false: list[Distractor], places: Places
) -> Iterator[Question]:
    """Yield a fact as a question to be answered, withheld, and asked of an empty retrieval."""
    numeric = fact.kind == "number"
    stating = places.stating(fact, [concept.also])
    if not stating:
        return
    gone = numeric and not places.elsewhere(fact)
    everywhere = _everywhere(filed, fact, concept, places) if gone else ()
    note = f"tempting: {false[0].value} is {false[0].about}" if false else ""
    plain = not numeric or stands_alone(filed.document.text, fact)
    for number, text in wordings(filed, concept.ask):
        if "dollars" in text and not fact.unit.startswith("USD"):
            continue
        question = msgspec.structs.replace(
            unanswered(text, fact.kind, fact.document, key, number, unit=fact.unit),
            answerable=True,
            answers=fact.answers,
            aliases=_aliases(fact),
            evidence=stating,
        )
        every = ways(question, false=tuple(false), note=note, document=gone, clause=everywhere)
        yield from (each for each in every if plain or each.target != "correct")


def _everywhere(filed: Filed, fact: Fact, concept: Concept, places: Places) -> tuple[Evidence, ...]:
    """What must be withheld of the filing for the value to be gone; nothing where it cannot be."""
    if concept.rolls or fact.unit == "percent" or "per share" in fact.unit:
        return ()
    lines = places.own(fact, [concept.also]) or ()
    last = filed.before(fact.topic)
    before = Decimal(_in_unit_of(fact, last)) if last else None
    gone = len(lines) <= _MOST_PLACES and not follows(filed.document, fact, lines, concept.also, before)
    return lines if gone else ()


def stands_alone(text: str, fact: Fact) -> bool:
    """Whether the rows and sentences with a figure give no other one of its kind."""
    kind = fact.unit.split()[0] if fact.unit else ""
    amount = _AMOUNTS.get("shares" if "shares" in fact.unit else kind, _BARE)
    rows = (text[span.start : span.end].split("|") for span in fact.evidence)
    counts = (len(amount.findall(label)) + sum(map(bool, map(_BARE.search, cells))) for label, *cells in rows)
    return all(count <= 1 for count in counts)


def _aliases(fact: Fact) -> dict[str, tuple[str, ...]]:
    """Other spellings of a text that mean the same."""
    if fact.kind != "text":
        return {}
    answer = fact.answers[0]
    if fact.topic == "dei:AuditorName":
        found = next((names for stem, names in _AUDITORS.items() if stem in answer.casefold()), ())
        return {answer: found} if found else {}
    city = answer.split(",")[0].strip()
    return {answer: (city,)} if city != answer and fact.topic == "dei:AuditorLocation" else {}


_REACH = 6000  # characters in which those rows stand
_TOLD = re.compile(r"(\d[\d,]*(?:\.\d+)?)(?:\s(million|billion))?")
_SCALES = {"": 0, "thousand": 3, "million": 6, "billion": 9, "trillion": 12}
_ROUGH = Decimal("0.05")  # a change that is off by more says nothing about the figure
_FEW = 3  # digits from which a bare figure may be a stated change
_SHARED_WORDS = 2  # words that a line must share with the withheld row to speak of it


def follows(
    document: Document, fact: Fact, withheld: Sequence[Evidence], also: str, before: Decimal | None
) -> bool:
    """Whether figures outside the withheld lines give the fact's value to one who calculates.

    Passages are withheld whole, so that less is left than is assumed here. ``also``: words for the fact;
    ``before``: its value a year earlier.
    """
    text = document.text
    gold = Decimal(fact.answers[0])
    rows = list(_rows(text, withheld, gold))
    if any(_adds_up(gold, [row[at] for row in around if len(row) > at]) for (_, around), at in rows):
        return True
    others = {each for (own, _), column in rows for at, each in enumerate(own) if each and at != column}
    others |= {before} if before else set()
    labels = words_of(" ".join([also, *(text[each.start : each.end].split("|")[0] for each in withheld)]))
    changes = {abs(gold - each) for each in others if each != gold}
    power = _SCALES[next((each for each in fact.unit.split() if each in _SCALES), "")]
    return any(
        _gives(line, changes, power)
        for line in _left(text, withheld)
        if len(words_of(line) & labels) >= min(_SHARED_WORDS, len(labels))
    )


def _rows(
    text: str, withheld: Sequence[Evidence], gold: Decimal
) -> Iterator[tuple[tuple[list[Decimal | None], list[list[Decimal | None]]], int]]:
    """Yield each withheld row with the rows around it, as values, and the column of the gold figure."""
    for span in withheld:
        cells = [value_of(cell) for cell in text[span.start : span.end].split("|")]
        if gold not in cells:
            continue
        start = text.rfind("\n", 0, span.start) + 1
        above = text[max(0, start - _REACH) : start].split("\n")[-ABOVE - 1 : -1]
        end = text.find("\n", span.end - 1)
        below = text[end : end + _REACH].split("\n")[1 : BELOW + 1] if end >= 0 else []
        around = [[value_of(cell) for cell in line.split("|")] for line in (*above, *below)]
        yield (cells, around), cells.index(gold)


def _adds_up(gold: Decimal, figures: Iterable[Decimal | None]) -> bool:
    """Whether two to four figures make the gold one, each added or taken away."""
    terms = sorted({each for each in figures if each and each != gold})
    signed = [(index, sign * each) for index, each in enumerate(terms) for sign in (1, -1)]
    pairs: dict[Decimal, list[frozenset[int]]] = defaultdict(list)
    for (one, first), (other, second) in combinations(signed, 2):
        if one != other:
            pairs[first + second].append(frozenset((one, other)))
    if gold in pairs or any(at not in each for at, value in signed for each in pairs.get(gold - value, ())):
        return True
    rest = ((some, pairs.get(gold - total, ())) for total, some in pairs.items())
    return any(one.isdisjoint(other) for some, others in rest for other in others for one in some)


def _left(text: str, withheld: Sequence[Evidence]) -> Iterator[str]:
    """Yield the lines of a text with a figure that no withheld span touches."""
    position = 0
    for line in text.split("\n"):
        end = position + len(line)
        if _TOLD.search(line) and not any(each.start < end and position < each.end for each in withheld):
            yield line
        position = end + 1


def _gives(line: str, changes: set[Decimal], power: int) -> bool:
    """Whether a line that speaks of the figure says how it changed, or what share of another one it is."""
    if "%" in line or " percent" in line:
        return True
    for found in _TOLD.finditer(line):
        told = Decimal(found[1].replace(",", ""))
        if found[2]:
            told = told.scaleb(_SCALES[found[2]] - power)
        elif sum(map(str.isdigit, found[1])) < _FEW:
            continue
        if any(abs(told - each) <= (_ROUGH * each if found[2] else 0) for each in changes):
            return True
    return False


_SOME = re.compile(r"(?i)\bcertain (?:of|subsidiaries|awards|grants|contracts)\b|\bnon-performance\b")
_AMOUNT = re.compile(r"\$\s?\d[\d,.]*\d(?:\s(?:million|billion))?")
_SAME_OF_TWO = 0.75  # share of words that two sentences have in common that state the same of two parts


def is_part(document: Document, fact: Fact) -> bool:
    """Whether a sentence says that its figure is of some only, or another one says the same with another."""
    told = [document.text[each.start : each.end] for each in fact.evidence]
    if any("|" in each for each in told):
        return False
    if any(map(_SOME.search, told)):
        return True
    known = min((words_of(each) for each in told), key=len, default=frozenset())
    amounts = {each for text in told for each in _AMOUNT.findall(text)}
    return bool(amounts) and any(
        len(known & words) >= _SAME_OF_TWO * len(known | words)
        for text in (document.text[start:end] for start, end in document.segments)
        if "$" in text and "|" not in text and amounts.isdisjoint(found := _AMOUNT.findall(text)) and found
        for words in [words_of(text)]
    )
