"""What an answer and the accepted answers share: plain measures, most of them from 0 to 1, for the scorer."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import msgspec
from rapidfuzz import process
from rapidfuzz.distance import JaroWinkler

from ragharness.language.dates import DateMention, find_dates
from ragharness.language.matching import fold, new_words, tokens
from ragharness.language.tables import phrases, regex

MOST_GOLDS = 100  # accepted answers that are looked at; lists of aliases can be endless
CUT = 0.9  # what the likeness to an accepted answer counts where a part of it was cut off
SAME_SPELLING = 0.92  # the Jaro-Winkler similarity from which two words of four letters or more are one
BRACKETS = regex(r"\s*\([^()]*\)")
_FIRST_SENTENCE = regex(r"(?<=[.!?])\s+(?=[A-Z\"“(])|\n+")
_CAPITALS = regex(r"[A-Z][\w'’.&-]*(?:\s+(?:of|the|and|de|von|van|&)?\s*[A-Z][\w'’.&-]*)*")
_PERSON = regex(r"[A-ZÀ-Ý][\w'’-]+(?:\s+[A-ZÀ-Ý](?:[\w'’-]+|\.))*\s+[A-ZÀ-Ý][\w'’-]+")
_SUFFIX = regex(r",?\s+(?:Jr|Sr|I{1,3})\.?$")
_BREAKS = regex(rf"[,(;:]|\b{phrases('measures', 'breaks')}\b| [-–—] ")
_DECADE = regex(r"\b(\d{3})0s\b")
_CENTURY = regex(r"\b(\d{1,2})(?:st|nd|rd|th)[ -]century")


class Tree(msgspec.Struct, frozen=True, array_like=True):
    """Whole binary tree: the measure and threshold of each node, row by row, and its leaves."""

    measures: tuple[int, ...]
    thresholds: tuple[float, ...]
    leaves: tuple[float, ...]

    def value(self, measured: Sequence[float]) -> float:
        """Leaf that measures lead to."""
        places, thresholds, node = self.measures, self.thresholds, 0
        inner = len(places)
        while node < inner:
            node = 2 * node + 1 + (measured[places[node]] > thresholds[node])
        return self.leaves[node - inner]


class Gold(NamedTuple):
    """One accepted answer made ready for comparison."""

    tokens: list[str]
    words: list[str]  # its tokens without function words
    dates: tuple[DateMention, ...]
    trigrams: frozenset[str]
    weight: float  # 1 as written, less where something was cut off it
    name: tuple[str, ...]  # the words of a person's name, without "Jr."; none for anything else


class _Seen(NamedTuple):
    asked: frozenset[str]
    said: list[str]
    row: str  # the tokens, a blank around each
    words: frozenset[str]
    long: list[str]  # new words of four letters or more
    new: list[str]
    new_first: list[str]  # those of the first sentence
    last: frozenset[str]  # new words of the first sentence's last phrase that has any
    letters: str
    trigrams: frozenset[str]


def measure(question: str, golds: Sequence[str], answer: str) -> dict[str, float]:
    """Every measure by name."""
    asked = frozenset(tokens(fold(question)))
    first = _FIRST_SENTENCE.split(answer, maxsplit=1)[0]
    said, said_first = tokens(fold(answer)), tokens(fold(first))
    new, new_first = new_words(said, asked), new_words(said_first, asked)
    phrases_new = (new_words(tokens(fold(phrase)), asked) for phrase in reversed(_BREAKS.split(first)))
    seen = _Seen(
        asked, said, f" {' '.join(said)} ", frozenset(said),
        [word for word in set(new) if len(word) > 3 and not word[0].isdigit()],
        new, new_first, frozenset(next(filter(None, phrases_new), ())),
        "".join(said[:800]), _trigrams(said_first),
    )  # fmt: skip
    ready = [gold for text in golds[:MOST_GOLDS] for gold in variants(text) if gold.tokens]
    best: defaultdict[str, float] = defaultdict(float)
    for gold in ready:
        for name, value in _likeness(gold, seen).items():
            best[name] = max(best[name], value)
    accepted = frozenset(token for gold in ready for token in gold.tokens)
    dates = [date for gold in ready for date in gold.dates]
    stated, short, many = best["stated: word for word"], float(len(said) <= 6), math.log1p(len(golds))
    names = [new_words(tokens(fold(run)), frozenset()) for run in _CAPITALS.findall(first)[:12]]
    others = sum(bool(name) and not asked.issuperset(name) and accepted.isdisjoint(name) for name in names)
    none, little = float(best["words: share"] == 0), best["beyond it: little in its sentence"]
    return {
        **best,
        "stated: one gold of many": stated * many,
        "stated: in a long answer": stated * math.log1p(len(said)),
        "words: all": float(best["words: share"] >= CUT),
        "words: none": none,
        "words: none in a short answer": short * none,
        "words: letters alone": best["words: letters"] * none,
        "stated: blanks aside alone": best["stated: blanks aside"] * none,
        "beyond it: little and short": short * little,
        "beyond it: nothing": float(little == 1),
        "beyond it: other names": min(5, others) / 5,
        "figures: in a gold": float(any(token[0].isdigit() for token in accepted)),
        "figures: its decade": float(_within_decade(fold(answer), accepted, seen.words)),
        **_dates_differ(dates, find_dates(answer) if dates else [], seen),
        "question: golds": many,
        "question: who": float("who" in asked or "whom" in asked),
        "question: which": float("which" in asked),
    }


def _likeness(gold: Gold, seen: _Seen) -> dict[str, float]:
    """Measures of one accepted answer; the best over all of them counts."""
    own = [word for word in gold.words if word not in seen.asked] or gold.words
    at = seen.row.find(f" {' '.join(gold.tokens)} ")
    fresh = own is not gold.words or not seen.asked.issuperset(own)
    stated = gold.weight * (at >= 0 and fresh)
    letters = "".join(gold.tokens)
    figures = [token for token in gold.tokens if token[0].isdigit()]
    members = frozenset(gold.tokens)
    overlap = len(set(seen.new_first).intersection(own))
    surname = gold.tokens[-1]
    named = len(gold.tokens) > 1 and not surname[0].isdigit() and surname not in seen.asked
    return {
        "stated: word for word": stated,
        "stated: early": stated * (1 - seen.row.count(" ", 0, max(0, at)) / max(1, len(seen.said))),
        "stated: length": stated * min(24, len(letters)) / 24,
        "stated: blanks aside": gold.weight * (len(letters) > 3 and letters in seen.letters),
        "words: share": gold.weight * (sum(_has(word, seen) for word in own) / len(own)),
        "words: letters": len(gold.trigrams & seen.trigrams) / max(1, len(gold.trigrams)),
        "beyond it: little in its sentence": _share(seen.new_first, members),
        "beyond it: little in all": _share(seen.new, members),
        "words: F1": 2 * overlap / max(1, len(set(seen.new_first)) + len(own)),
        "words: last phrase": gold.weight * sum(word in seen.last for word in own) / len(own),
        "words: surname": float(named and _has(surname, seen)),
        "words: first and last name": float(at < 0 and _is_named(gold.name, seen.said)),
        "figures: share": _share(figures, seen.words),
        "figures: new ones": _share(figures, frozenset(seen.new)),
    }


def _is_named(name: Sequence[str], said: Sequence[str]) -> bool:
    """Whether a person is named, with or without middle names and initials."""
    first, *middle, last = name if len(name) > 1 else ("", "")
    for place, word in enumerate(said):
        near = said[place + 1 : place + 4]
        if word == first and last in near:
            few, many = sorted((near[: near.index(last)], middle), key=len)
            if all(any(one.startswith(each) or each.startswith(one) for one in many) for each in few):
                return True
    return False


def _share(words: Sequence[str], of: frozenset[str]) -> float:
    return sum(word in of for word in words) / len(words) if words else 0.0


def _has(word: str, seen: _Seen) -> bool:
    """Whether an answer has a word, its spelling aside."""
    if word in seen.words or len(word) < 4 or word[0].isdigit():
        return word in seen.words
    near = process.extractOne(word, seen.long, scorer=JaroWinkler.similarity, score_cutoff=SAME_SPELLING)
    return near is not None


def _dates_differ(golds: Sequence[DateMention], said: Sequence[DateMention], seen: _Seen) -> dict[str, float]:
    """Whether an answer gives another day or month than the golds, or a part of a gold's date."""
    exact, months = [date for date in golds if date.month], [date for date in said if date.month]
    pairs = [(one, other) for one in golds for other in said]
    alike = [(one, other) for one, other in pairs if (one.year, one.month) == (other.year, other.month)]
    if months:
        part = any(one.month and not other.day for one, other in alike)
    else:
        part = any(str(date.year) in seen.words for date in exact)
    differ = not any(one.day in (None, other.day) for one, other in alike)
    another = bool(exact and months) and not part
    return {
        "figures: another date": float(another and differ),
        "figures: part of the date": float(part and differ),
    }


def _within_decade(folded: str, accepted: frozenset[str], said: frozenset[str]) -> bool:
    """Whether an answer names the decade or century of a gold's year, and not the year."""
    years = {token for token in accepted if len(token) == 4 and token.isdigit()}
    if not years or not years.isdisjoint(said):
        return False
    decades, centuries = set(_DECADE.findall(folded)), {int(found) for found in _CENTURY.findall(folded)}
    return any(year[:3] in decades or int(year[:2]) + 1 in centuries for year in years)


@lru_cache(maxsize=8192)
def variants(text: str) -> tuple[Gold, ...]:
    """Accepted answer as written, without its brackets, and without what follows its only comma."""
    bare = BRACKETS.sub("", text).strip(" .,;\"'") or text
    written = [text, bare]
    if len(bare.split()) <= 8 and bare.count(",") == 1 and " and " not in bare:
        written.append(bare.partition(",")[0])
    return tuple(_ready(each, CUT if place else 1.0) for place, each in enumerate(dict.fromkeys(written)))


def _ready(text: str, weight: float) -> Gold:
    found = tokens(fold(text))
    words = new_words(found, frozenset()) or found
    person = _PERSON.fullmatch(_SUFFIX.sub("", text)) is not None
    name = tuple(each for each in found if each not in ("jr", "sr")) if person else ()
    return Gold(found, words, find_dates(text), _trigrams(found), weight, name)


def _trigrams(found: Sequence[str]) -> frozenset[str]:
    text = " ".join(found)
    return frozenset(text[place : place + 3] for place in range(len(text) - 2))
