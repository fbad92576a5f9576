"""Support of a sentence by passages, read alone: yes, no, or undetermined.

A learnt scorer weighs how the closest sentences of the passages say it; a figure or date that they lack and
another name in a name's place are vetoes. ``benchmarks/train_support.py`` makes the weights.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
from msgspec.structs import replace

from ragharness.graders.reading.measures import Tree
from ragharness.graders.reading.records import AnswerSentence
from ragharness.language.dates import DateMention, find_dates
from ragharness.language.matching import compare_quantity
from ragharness.language.numbers import Quantity, find_quantities
from ragharness.language.polarity import negations
from ragharness.language.tables import regex, word_set
from ragharness.language.words import (
    STOPWORDS,
    concept,
    concepts_of,
    content,
    generic_concepts,
    remembered,
    whole_sentences,
)
from ragharness.records import Passage

_WORD = regex(r"\d+(?:[.,]\d+)+|[^\W_]+(?:['’][^\W_]+)?")
_YEAR = regex(r"(?:19|20)\d\d")
_JOINED_NAME = regex(r"[A-Z](?<!\w.)\w+[–-][A-Z]\w+")  # two parties for their contract, as nobody else says
_PIECES = regex("([^\ue000-\uf8ff]+)([\ue000-\uf8ff]+)")
_NOUN = regex(r"\W{1,2}([a-z]{3,})")
_FLIPS = word_set(
    "before after above below over under up down on off more less with without to from most few all some "
    "only both either none may must shall will can could should would first last"
)  # function words that change what a sentence says
_MODALS = dict.fromkeys(("shall", "will", "would", "should"), "must") | {"can": "may", "could": "may"}
_ARTICLES = word_set("the a an this that its their his her our")
_SOURCE = frozenset(map(concept, ("according", "states", "says", "stated", "reported")))
_MOST_SENTENCES = 3  # of the passages that are read together
_GAIN = 0.08  # share of a claim's words that a further sentence must add
_LEAST = 0.4  # share of its words below which it is not stated: so were 9 of 82 stated claims there
_NEAR = 0.3  # share of them that a sentence must hold to be aligned
_WORD_FOR_WORD = 0.8  # share of them in the same order, from which another name in a place is a veto
_NEARLY_ALL = 0.75  # share of them that a sentence must hold to contradict a figure
_FEW = 2  # content words of a claim that is no more than a value


class Word(NamedTuple):
    """One content word of a sentence."""

    name: str  # its concept
    proper: bool  # a name, as far as capitals tell
    figure: bool
    before: frozenset[str]  # function words between it and the content word before
    denied: bool


class Line(NamedTuple):
    """One sentence of a text."""

    text: str
    words: tuple[Word, ...]
    concepts: frozenset[str]  # of its words, figures left out
    joined: frozenset[tuple[str, str]]  # neighbouring words
    after: frozenset[str]  # function words behind the last of them


class Support(NamedTuple):
    """Whether passages state a claim; ``verdict`` None: undetermined."""

    verdict: bool | None
    probability: float
    why: str = ""


class Weights(msgspec.Struct, frozen=True):
    """Learnt scorer: boosted trees over ``measures``, and how telling common words are."""

    source: str
    yes_from: float
    no_up_to: float
    base: float
    measures: tuple[str, ...]
    rarity: dict[str, float]  # of common concepts, from 0; others: 1
    trees: tuple[Tree, ...]


@lru_cache(maxsize=1)
def weights() -> Weights:
    """Weights beside this file."""
    return msgspec.json.decode(Path(__file__).with_name("support.json").read_bytes(), type=Weights)


@lru_cache(maxsize=2048)
def support(claim: str, passages: tuple[Passage, ...]) -> Support:
    """Whether passages together state a claim."""
    said = read_line(_JOINED_NAME.sub(" ", claim))
    words = read_line(_without_values(said.text))
    measured = measures(said, passages)
    if measured["figures_absent"]:
        return Support(False, 0.0, "a figure or date of it is not there")
    if held(words.concepts, passages) < _LEAST:
        return Support(None if measured["figures"] else False, 0.0, "hardly a word of it is there")
    probability = score(measured)
    if measured["other_period"]:
        return Support(False, probability, "a figure of it is said of another period")
    if measured["other_name"] or (measured["replaced_names"] and measured["aligned"] > _WORD_FOR_WORD):
        return Support(False, probability, "another name stands in its place")
    whole = measured["recall"] == 1
    if len(words.words) <= _FEW and not measured["denied"] and (measured["figures"] or whole):
        whole = whole or not words.words
        return Support(True if whole and said.words else None, 1.0 if whole else 0.5)
    learnt = weights()
    if probability >= learnt.yes_from:
        return Support(True, probability)
    return Support(False if probability <= learnt.no_up_to else None, probability)


def held(concepts: frozenset[str], passages: Iterable[Passage]) -> float:
    """Weighted share of concepts that passages and their titles hold; 1 of none."""
    texts = (text for passage in passages for text in (passage.text, passage.title, passage.heading))
    there = generic_concepts().union(*map(concepts_of, texts))
    return _weight(concepts & there) / (_weight(concepts) or 1.0) if concepts else 1.0


def _without_values(text: str) -> str:
    spans = [(value.start, value.end) for value in find_quantities(text)]
    spans += [(date.start, date.end) for date in find_dates(text)]
    for start, end in sorted(spans, reverse=True):
        text = f"{text[:start]} {text[end:]}"
    return text


def score(measured: Mapping[str, float]) -> float:
    """Probability that passages state a claim."""
    learnt = weights()
    values = [measured[name] for name in learnt.measures]
    return 1 / (1 + math.exp(-learnt.base - sum(tree.value(values) for tree in learnt.trees)))


class CitedSupport(NamedTuple):
    """Support of a sentence by what it cites; None: undetermined."""

    alone: tuple[bool | None, ...] = ()  # by each citation, of the sentence or the piece before it
    joint: bool | None = None  # by all of them
    others: tuple[bool, ...] = ()  # by the others without this one; empty: there is one, or none


def cited_support(claim: str, part: AnswerSentence, passages: Mapping[str, Passage]) -> CitedSupport:
    """Support of what a sentence claims by each of its citations and by all of them."""
    cited = [passages.get(mark) for mark in part.citations]
    pieces = [piece for piece, marks in _PIECES.findall(part.marked) for _ in marks]
    whole = [False if passage is None else support(claim, (passage,)).verdict for passage in cited]
    alone = list(whole)
    apart = len(pieces) == len(cited) and len(set(pieces)) > 1
    for place, passage in enumerate(cited):
        if apart and passage and not whole[place] and len(read_line(pieces[place]).words) > 1:
            alone[place] = support(pieces[place], (passage,)).verdict
    joint = True if any(whole) or (apart and all(alone)) else _together(claim, cited)
    others: list[bool] = []
    for place in range(len(cited) if len(cited) > 1 else 0):
        rest = whole[:place] + whole[place + 1 :]
        remaining = cited[:place] + cited[place + 1 :]
        others.append(any(rest) or bool(joint and len(rest) > 1 and _together(claim, remaining)))
    return CitedSupport(tuple(alone), joint, tuple(others))


def _together(claim: str, cited: Sequence[Passage | None]) -> bool | None:
    passages = tuple(filter(None, cited))
    return support(claim, passages).verdict if passages else False


@lru_cache(maxsize=4096)
def read_line(text: str) -> Line:
    """Content words of a sentence, with the function words and the denials before each."""
    words: list[Word] = []
    before: list[str] = []
    nots = [negator.start() for negator in negations(text)]
    generic, rarity = generic_concepts(), weights().rarity
    spans = [(match[0], match.start()) for match in _WORD.finditer(text)]
    last = -1
    for place, (written, start) in enumerate(spans):
        name, function = _meaning(written)
        if function:
            before.append(function)
            continue
        proper = written[0].isupper() and name not in generic
        if proper and (place == 0 or text[start - 2] in ".:;?!"):
            proper = name not in rarity or (place + 1 < len(spans) and spans[place + 1][0][0].isupper())
        denied = bool(nots) and sum(last < negator < start for negator in nots) % 2 == 1
        figure = written[0].isdigit()
        words.append(Word(name, proper, figure, frozenset(before) if before else frozenset[str](), denied))
        last = start
        before = []
    concepts = frozenset(word.name for word in words if not word.figure)
    joined = frozenset((one.name, other.name) for one, other in pairwise(words))
    return Line(text, tuple(words), concepts, joined, frozenset(before))


@lru_cache(maxsize=16384)
def _meaning(written: str) -> tuple[str, str]:
    """Concept of a content word, or a function word."""
    if written[0].isdigit():
        return written.replace(",", ""), ""
    base = written.casefold().partition("'")[0].partition("’")[0]
    meaning = content(written)
    if base in _FLIPS or not meaning:
        return "", _MODALS.get(base, base)
    return meaning[0], ""


@lru_cache(maxsize=1024)
def lines_of(text: str) -> tuple[Line, ...]:
    """Sentences of a passage."""
    return tuple(read_line(text[start:end]) for start, end in whole_sentences(text))


def _weight(concepts: Iterable[str]) -> float:
    rarity = weights().rarity
    # Exact, so that the order of a set, which differs from run to run, decides nothing.
    return math.fsum([rarity.get(name, 1.0) for name in concepts])


def measures(said: Line, passages: Sequence[Passage]) -> dict[str, float]:
    """Measures of how the closest sentences of passages say a claim."""
    lines = [line for passage in passages for line in lines_of(passage.text)]
    titles = [text for passage in passages for text in (passage.title, passage.heading) if text]
    context = generic_concepts().union(*(read_line(title).concepts for title in titles))
    chosen = _closest(said, lines)
    window = frozenset[str]().union(*(line.concepts for line in chosen))
    lead = _lead(said.words, context - window)
    words = said.words[lead:] or said.words
    wanted = frozenset(word.name for word in words if not word.figure)
    total = _weight(wanted) or 1.0
    first = chosen[0] if chosen else Line("", (), frozenset(), frozenset(), frozenset())
    shared = _weight(wanted & first.concepts)
    joints = frozenset[tuple[str, str]]().union(*(line.joined for line in chosen))
    pairs = _align(words, first.words) if shared >= _NEAR * total else []
    ends_alike = bool(pairs) and words[-1].name == first.words[-1].name
    order = _order(words, first.words, pairs)
    order["flips"] += bool(ends_alike and (said.after ^ first.after) & _FLIPS)
    return {
        "recall": _weight(wanted & (window | context)) / total if wanted else 1.0,
        "sourced": float(lead),
        "precision": shared / (_weight(first.concepts) or 1.0),
        "sentences": float(len(chosen)),
        "length": math.log1p(len(words)),
        "joined": len(said.joined & joints) / (len(said.joined) or 1),
        **_figures(said.text, [*(line.text for line in chosen), *titles], passages),
        "other_period": float(bool(pairs) and _other_period(words, first.words)),
        **order,
    }


def _closest(said: Line, lines: Sequence[Line]) -> list[Line]:
    """Sentences that together hold most of the concepts of a claim, the closest first."""
    chosen: list[Line] = []
    missing = said.concepts - generic_concepts() or said.concepts
    weighs = {name: weights().rarity.get(name, 1.0) for name in missing}
    total = math.fsum(weighs.values())
    while missing and len(chosen) < _MOST_SENTENCES:
        best, gain = None, 0.0
        for line in lines:
            if shared := missing & line.concepts:
                worth = math.fsum(map(weighs.__getitem__, shared)) - 0.002 * len(line.words)
                if not chosen:
                    worth += len(said.joined & line.joined)
                if worth > gain:
                    best, gain = line, worth
        if best is None or (chosen and gain < _GAIN * total):
            break
        chosen.append(best)
        missing -= best.concepts
    return chosen


def _lead(words: Sequence[Word], source: frozenset[str]) -> int:
    """Number of words that only name the source, at the beginning ("According to the report, ...")."""
    for number, word in enumerate(words):
        if not (word.name in source or word.name in _SOURCE or word.figure):
            return number if any(named.name in source for named in words[:number]) else 0
    return 0


def _align(claim: Sequence[Word], line: Sequence[Word]) -> list[tuple[int, int]]:
    """Heaviest common subsequence of two sentences, as pairs of places."""
    names = [word.name for word in line]
    rows = [[0.0] * (len(line) + 1)]
    for word in claim:
        last, row, best = rows[-1], [0.0], 0.0
        worth, name = 3.0 if word.proper else 2.0, word.name
        for column, other in enumerate(names):
            value = last[column + 1]
            if other == name and last[column] + worth > value:
                value = last[column] + worth
            best = max(best, value)
            row.append(best)
        rows.append(row)
    pairs: list[tuple[int, int]] = []
    i, j = len(claim), len(line)
    while i and j:
        if claim[i - 1].name == names[j - 1] and rows[i][j] > rows[i - 1][j - 1] + 1:
            i, j = i - 1, j - 1
            pairs.append((i, j))
        elif rows[i][j] == rows[i - 1][j]:
            i -= 1
        else:
            j -= 1
    return pairs[::-1]


def _other_period(claim: Sequence[Word], line: Sequence[Word]) -> bool:
    """Whether a sentence gives the one figure of a claim for another year than the one year of the claim."""
    (values, years), (figures, periods) = _parted(claim), _parted(line)
    if len(values) != 1 or len(years) != 1 or len(figures) != len(periods) or len(figures) < 2:
        return False
    # "$5 in 2022 and $4 in 2021", "$5 and $4 in 2022 and 2021", or the columns of a table.
    paired = [(figure, period) for (_, figure), (_, period) in zip(figures, periods, strict=True)]
    stated = [period for figure, period in paired if figure == values[0][1]]
    return bool(stated) and years[0][1] not in stated and any(years[0][1] == period for _, period in paired)


def _parted(words: Sequence[Word]) -> tuple[list[tuple[int, str]], list[tuple[int, str]]]:
    figures = [(place, word.name) for place, word in enumerate(words) if word.figure]
    years = [figure for figure in figures if _YEAR.fullmatch(figure[1])]
    return [figure for figure in figures if figure not in years], years


def _order(claim: Sequence[Word], line: Sequence[Word], pairs: list[tuple[int, int]]) -> dict[str, float]:
    """Measures of the order of words, of what stands in the place of others, and of denials."""
    there: dict[str, list[Word]] = {}
    for word in line:
        there.setdefault(word.name, []).append(word)
    replaced = names = other = passed = inserted = flips = bigrams = moved = shifted = 0
    for (i, j), (k, m) in pairwise([(-1, -1), *pairs, (len(claim), len(line))]):
        ours, theirs = claim[i + 1 : k], line[j + 1 : m]
        if not ours:
            if k < len(claim) and m == j + 1:
                bigrams += i >= 0
                flips += bool(_differing(claim[k], line[m]))
            elif k < len(claim) and i >= 0:
                passed += any(
                    (word.proper and claim[k].proper) or (word.figure and claim[k].figure) for word in theirs
                )
            continue
        if i < 0:
            theirs = theirs[-len(ours) - 1 :]
        if k == len(claim):
            theirs = theirs[: len(ours) + 1]
        absent = sum(word.name not in there for word in ours)
        replaced += min(absent, len(theirs))
        inserted += absent
        moved += len(ours) - absent
        mine = {word.name for word in ours}
        if any(word.proper for word in ours):
            names += any(word.proper and word.name not in mine for word in theirs)
        other += bool(theirs) and _is_other_name(ours, theirs, there, -1 if i < 0 else 0)
        for place, word in enumerate(ours):
            if word.name in there and not (place and ours[place - 1].name in there):
                plain = word.before - _ARTICLES
                shifted += all(plain != other.before - _ARTICLES for other in there[word.name])
    span = line[pairs[0][1] : pairs[-1][1] + 1] if pairs else ()
    denied = sum(word.denied for word in claim)
    count = len(claim) or 1
    return {
        "aligned": len(pairs) / count,
        "bigrams": bigrams / max(1, len(claim) - 1),
        "replaced": float(min(replaced, 5)),
        "replaced_names": float(min(names, 2)),
        "other_name": float(other > 0 and len(pairs) > 1),
        "passed": float(min(passed, 2)),
        "inserted": float(min(inserted, 5)),
        "moved": moved / count,
        "shifted": float(min(shifted, 3)),
        "flips": float(min(flips, 3)),
        "denials": float(min(2, sum(claim[i].denied != line[j].denied for i, j in pairs))),
        "parity": float((denied - sum(word.denied for word in span)) % 2),
        "denied": float(denied),
    }


def _differing(ours: Word, theirs: Word) -> frozenset[str]:
    """Function words before one of two words alone that change what is said; "may not" is "must not"."""
    differing = (ours.before ^ theirs.before) & _FLIPS
    return differing - {"may", "must"} if ours.denied and theirs.denied else differing


def _is_other_name(
    ours: Sequence[Word], theirs: Sequence[Word], there: Mapping[str, Sequence[Word]], end: int
) -> bool:
    """Whether a name stands where a sentence that lacks it has another one, at one end of what differs."""
    one, other = ours[end], theirs[end]
    alike = end == -1 or one.before - _ARTICLES == other.before - _ARTICLES
    initials = ["".join(word.name[0] for word in words if word.proper) for words in (ours, theirs)]
    shortened = initials[0] == other.name or initials[1].startswith(one.name)
    return alike and one.proper and other.proper and one.name not in there and not shortened


def _figures(claim: str, near: Sequence[str], passages: Sequence[Passage]) -> dict[str, float]:
    """Whether a claim has figures or dates, and how many of them the passages lack."""
    quantities = [quantity for quantity in find_quantities(claim) if not quantity.year]
    dates = find_dates(claim)
    texts = [*near, *(passage.text for passage in passages)]
    # Of a row of a table the unit may stand elsewhere.
    rows = (line for passage in passages for line in lines_of(passage.text) if "|" in line.text)
    cells = {word.name for line in rows for word in line.words if word.figure}
    absent = sum(
        not _states(texts, find_quantities, quantity, _same)
        and cells.isdisjoint(word.name for word in read_line(claim[quantity.start : quantity.end]).words)
        for quantity in quantities
    )
    absent += sum(not _states(texts, find_dates, date, _within) for date in dates)
    return {"figures": float(bool(quantities or dates)), "figures_absent": float(absent)}


def _states(
    texts: Iterable[str], find: Callable[[str], Sequence[Any]], value: Any, equal: Callable[[Any, Any], bool]
) -> bool:
    return any(equal(stated, value) for text in texts for stated in find(text))


def _same(stated: Quantity, said: Quantity) -> bool:
    # A loss may be written as a negative figure, and a table may name its scale elsewhere.
    said, value = replace(said, value=abs(said.value)), abs(stated.value)
    scales = (1,) if stated.scaled or not said.scaled else (1, 10**3, 10**6, 10**9)
    unit = stated.unit or said.unit
    return any(compare_quantity(value * scale, unit, said)[0] == "match" for scale in scales)


def _within(day: DateMention, said: DateMention) -> bool:
    """Whether a date is the one said; a coarser one is as true: "in March 2021" for 1 March 2021."""
    fields = ((said.year, day.year), (said.month, day.month), (said.day, day.day))
    return all(coarse in (None, exact) for coarse, exact in fields)


def contradicts(passage: Passage, claim: str, *, counts: bool = False) -> bool:
    """Whether one sentence of a passage states another value, or count, of what a claim is about."""
    said, amounts = read_line(claim), _amounts(claim)
    if counts:
        amounts = {kind: listed for kind, listed in amounts.items() if kind and not listed[0].unit}
    named = generic_concepts().union(concept(word) for kind in amounts for word in kind.split())
    words = {word.name for word in said.words if not word.figure or _YEAR.fullmatch(word.name)} - named
    if not amounts or len(words) < 2:
        return False
    for line in lines_of(passage.text):
        shared = words.intersection(word.name for word in line.words)
        if len(shared) < _NEARLY_ALL * len(words):
            continue
        stated = _amounts(line.text)
        pairs = ((stated[kind], amount) for kind in stated.keys() & amounts for amount in amounts[kind])
        if any(not any(_same(other, amount) for other in others) for others, amount in pairs):
            return True
    return False


@remembered
def _amounts(text: str) -> Mapping[str, list[Quantity]]:
    """Amounts of a text by their unit, or by the noun behind a bare one."""
    amounts: dict[str, list[Quantity]] = {}
    for quantity in find_quantities(text):
        noun = _NOUN.match(text, quantity.end)
        kind = quantity.unit or (concept(noun[1]) if noun and noun[1] not in STOPWORDS else "")
        if not quantity.year:
            amounts.setdefault(kind, []).append(quantity)
    return amounts
