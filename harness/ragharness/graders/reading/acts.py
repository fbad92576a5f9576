"""What a clause does in an answer, and whether an answer declines, by learnt weights.

Of a clause each act has a logistic regression over words and sequences of word classes ("the passages do not
say" is DOC DO NEG INFO); an answer has one over what its clauses do. ``benchmarks/train_acts.py`` makes the
weights, ``acts.json``.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Literal, cast, get_args

import msgspec

from ragharness.language.tables import regex, table, words_of
from ragharness.language.words import STOPWORDS, concept, generic_concepts, remembered

Learnt = Literal["advice", "pointer", "method", "courtesy", "background"]
WEIGHTS = Path(__file__).with_name("acts.json")
LEARNT: tuple[Learnt, ...] = get_args(Learnt)
"""Acts that are told by the words of a clause alone."""
ANSWERING = frozenset(map(concept, words_of("acts", "answering")))  # they say nothing of what is asked
INFORMING = ANSWERING.union(map(concept, words_of("acts", "informing"))) | generic_concepts()
"""The same and words for what documents hold: a sentence of them alone states nothing."""
_CLASSES = {
    word: kind
    for kind, words in cast("dict[str, str]", table("acts")["classes"]).items()
    for word in words.split()
}
_CONTRACTIONS = cast("dict[str, str]", table("acts")["contractions"])
_TOKEN = regex(r"[^\W\d_]+|\d[\d,.]*|[?:=!;,]")
_QUOTED = regex(r"(?<=\w\s)[\"“][^\"“”]{1,200}[\"”]")
_LONGEST = 60  # words of a clause that are looked at
_REACH = 8  # classes behind a negation in which what it governs may stand


class Weights(msgspec.Struct, frozen=True):
    """What ``acts.json`` holds."""

    source: str
    intercepts: dict[str, float]  # of each act of a clause
    weights: dict[str, dict[str, float]]
    refusal: dict[str, float]  # weights of the measures of an answer
    refusal_intercept: float


@lru_cache(maxsize=1)
def load_weights() -> Weights:
    """Committed weights."""
    return msgspec.json.decode(WEIGHTS.read_bytes(), type=Weights)


@lru_cache(maxsize=1)
def weights_by_feature() -> dict[str, list[tuple[str, float]]]:
    """Acts for which a feature weighs, each with its weight."""
    weighed: dict[str, list[tuple[str, float]]] = {}
    for act, weights in load_weights().weights.items():
        for feature, weight in weights.items():
            weighed.setdefault(feature, []).append((act, weight))
    return weighed


def log_odds(measures: Mapping[str, float]) -> float:
    """Log odds that an answer with these measures declines."""
    known = load_weights()
    weighed = (known.refusal.get(name, 0.0) * value for name, value in measures.items())
    return known.refusal_intercept + sum(weighed)


@remembered
def act_scores(clause: str) -> Mapping[str, float]:
    """Log odds of each act of a clause."""
    scores = dict(load_weights().intercepts)
    by_feature = weights_by_feature()
    for feature in features(clause):
        for act, weight in by_feature.get(feature, ()):
            scores[act] += weight
    return scores


def features(clause: str) -> set[str]:
    """Words of a clause, their sequences of up to three, and sequences of up to five word classes."""
    words = _tokens(clause)
    named = ["^", *map(_name, words), "$"]
    features = set(named[1:-1])
    for first, second, third in zip(named, named[1:], [*named[2:], ""], strict=False):
        features |= {f"{first} {second}", f"{first} {second} {third}", f"{first} _ {third}"}
    classes = ["^"]
    for kind in map(_class, words):
        if kind and not kind == classes[-1] == "*":
            classes.append(kind)
    classes.append("$")
    for start, kind in enumerate(classes):
        features.update("<" + " ".join(classes[start : start + length]) + ">" for length in range(2, 6))
        if kind in ("NEG", "LACK", "I", "DOC"):
            near = classes[start + 1 : start + 1 + _REACH]
            governed = {"INFO", "DOC", "NEG", "LACK", "BE"}.intersection(near)
            features.update(f"<{kind}..{other}>" for other in governed)
    features.add(f"length {min(5, len(words) // 4)}")
    return features


def _tokens(clause: str) -> list[str]:
    """Words, figures and marks of a clause in small letters, contractions written out."""
    text = _QUOTED.sub(" ", clause).lower().replace("’", "'")
    for short, full in _CONTRACTIONS.items():
        text = text.replace(short, full)
    return _TOKEN.findall(text)[:_LONGEST]


@lru_cache(maxsize=16384)
def _name(word: str) -> str:
    """Concept of a word, or what stands for it in a sequence of words."""
    if word[0].isdigit():
        return "#"
    if not word[0].isalpha() or word in STOPWORDS or len(word) < 3:
        return word
    return "DOC" if concept(word) in generic_concepts() else concept(word)


@lru_cache(maxsize=16384)
def _class(word: str) -> str:
    """Class of a word: ``*`` for one that says something, empty for one that is passed over."""
    meaning = concept(word)
    if word in _CLASSES or not word[0].isalnum():
        return _CLASSES.get(word, word)
    if meaning in INFORMING:
        return "DOC" if meaning in generic_concepts() else "INFO"
    return "" if word in STOPWORDS else "*"
