"""Free text against accepted answers: what was read of it, and how likely people are to call it right.

It is a mean of logistic regression and boosted trees over measures. ``benchmarks/train_scorer.py``
makes ``weights.json``: the weights, and for each error rate the probability from which, or up to which, that
rate was kept on answers that the weights had not seen.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path

import msgspec
from rapidfuzz.distance import JaroWinkler

from ragharness.errors import UsageError
from ragharness.graders.reading.candidates import accepted, value_kinds
from ragharness.graders.reading.measures import BRACKETS, Tree, measure
from ragharness.graders.reading.records import AnswerSentence, Outcome, Profile
from ragharness.graders.reading.refusal import find_decline
from ragharness.graders.reading.support import support
from ragharness.language.matching import find_alias, fold, is_code, own_words, states_in_full, tokens
from ragharness.language.polarity import contrary
from ragharness.language.tables import phrases, regex
from ragharness.language.words import concept, concepts_of, content, generic_concepts, raw_words
from ragharness.questions.values import undecidable
from ragharness.records import Match, Passage, Question, Score

BOOSTED = 0.7  # share of the trees in the likelihood
FALSE_CORRECT = 0.0095  # the share of *correct* verdicts that may be false, unless the user names another


class Point(msgspec.Struct, frozen=True):
    """An operating point, as measured on answers that the weights had not seen."""

    false_correct: float  # the share of *correct* verdicts that may be false
    correct_from: float  # the least probability of a *correct*
    review: float  # the share of answers between the two thresholds
    agreement: float  # the share of the others on which people agree whether they are right


class Weights(msgspec.Struct, frozen=True):
    """What ``weights.json`` holds."""

    source: str
    answers: int
    intercept: float
    weights: dict[str, float]
    means: dict[str, float]
    base: float  # log-odds before the first tree
    trees: tuple[Tree, ...]
    wrong_up_to: float  # the greatest probability of a *wrong*: at most 3 % of the right answers lie below it
    points: tuple[Point, ...]  # by rising rate of false corrects


@lru_cache(maxsize=1)
def load_weights() -> Weights:
    """Committed weights."""
    return msgspec.json.decode(Path(__file__).with_name("weights.json").read_bytes(), type=Weights)


def score(measures: Mapping[str, float]) -> Score:
    """Probability that people would call an answer with these measures right."""
    known = load_weights()
    logit = known.intercept + sum(weight * measures.get(name, 0.0) for name, weight in known.weights.items())
    added: dict[str, float] = {}
    for name, weight in known.weights.items():
        group = name.partition(":")[0]
        added[group] = added.get(group, 0.0) + weight * (measures.get(name, 0.0) - known.means[name])
    heaviest = sorted(added, key=lambda group: -abs(added[group]))
    measured = [measures.get(name, 0.0) for name in known.weights]
    boosted = known.base + sum(tree.value(measured) for tree in known.trees)
    probability = (1 - BOOSTED) * _logistic(logit) + BOOSTED * _logistic(boosted)
    return Score(round(probability, 3), tuple((group, round(added[group], 2)) for group in heaviest))


def _logistic(logit: float) -> float:
    return 1 / (1 + math.exp(-max(-30.0, min(30.0, logit))))


def operating_point(false_correct: float = FALSE_CORRECT) -> tuple[float, float]:
    """Probability up to which an answer is wrong and the one from which it is correct.

    Between measured error rates the probability is interpolated; raises ``UsageError`` outside them.
    """
    known = load_weights()
    points = known.points
    if not points[0].false_correct <= false_correct <= points[-1].false_correct:
        raise UsageError(
            f"expected a rate of false corrects from {points[0].false_correct:g} to"
            f" {points[-1].false_correct:g}, found {false_correct:g}",
            help="the rate is a fraction: 0.01 is one in a hundred",
        )
    place = next(place for place, point in enumerate(points) if point.false_correct >= false_correct)
    below, above = points[max(0, place - 1)], points[place]
    width = above.false_correct - below.false_correct
    share = (false_correct - below.false_correct) / width if width else 0.0
    return known.wrong_up_to, below.correct_from + share * (above.correct_from - below.correct_from)


ENOUGH = 0.5  # share of the words of a gold's reasons that an answer must hold beside its yes or no
FEW_WORDS = 4  # own words of a yes or no with no more behind it than the question says
ANOTHER_WORD = 0.8  # the Jaro-Winkler similarity below which a word is no spelling of another one
_VERSION = regex(r"\d+(?:\.\d+)+")  # "3.2" may be 3.2.0
_NAME_WORD = regex(r"\b(?!(?:The|Sir|Dr|Mr|Mrs)\b)(?:[A-Z]\w*|\d+)")
_NAME = regex(r"(?:[A-Z]\w*|\d+)(?:[ .]+(?:(?:of|the|and|on|for|&) )*(?:[A-Z]\w*|\d+))+")


def weigh_text(
    parts: Sequence[AnswerSentence],
    question: Question,
    profile: Profile,
    read: Outcome,
    thresholds: tuple[float, float],
    *,
    declined: bool = False,
) -> Outcome:
    """Outcome confirmed, overruled or left open by the likeness of an answer to the golds.

    Golds that are amounts, dates or codes, alternatives, known false answers and denied golds
    stand as they were read, and so does an answer that declines something (``declined``).
    """
    gold = accepted(question)
    if not question.answers:
        return read
    whole = "\n".join(part.text for part in parts)
    if undecidable(question) == "sentence":
        if states(whole, question.answers) and not differs(whole, question, named=True):
            return _commit(read, parts, question, "match")
        # What it commits to stays: beside a decline that is a thing to read, not a refusal.
        read.match = "none"
        read.unreadable = "the accepted answer is a sentence, and the answer holds too little of it to tell"
        return read
    settled = (
        read.unreadable
        or read.contradiction
        or read.imprecise
        or read.denied
        or read.match in ("distractor", "world")
    )
    if declined or settled or value_kinds(gold) or any(map(is_code, gold)):
        return read
    said = states_in_full(whole, gold)
    if _letters(said).isalpha() and _letters(said) in map(_letters, gold):
        return _commit(read, parts, question, "match")
    read.score = score(text_measures(parts, question, read))
    likely, (wrong_up_to, correct_from) = read.score.probability, thresholds
    other = "" if read.match == "match" else another_name(said, gold)
    beaten = read.match == "mismatch" and any(each.right and each.slot == "out" for each in read.entries)
    apart = len(gold) == 1 and of_another(parts, gold, profile)
    if likely >= correct_from and not (other or beaten or apart):
        if read.match == "match" or not differs(said, question, named=True):
            return _commit(read, parts, question, "match")
        likely = (wrong_up_to + correct_from) / 2
    responsive = not frozenset(tokens(fold(said))).isdisjoint(own_words(question.text, frozenset()))
    coarser = any(f"{word}." in text for word in _VERSION.findall(said) for text in gold)
    if other or (likely <= wrong_up_to and not coarser):
        read.value = other or read.value
        return _commit(read, parts, question, "mismatch") if read.committed or responsive or other else read
    read.committed, read.match = False, "none"
    read.unreadable = f"its similarity to the accepted answers ({likely:.2f}) is inconclusive"
    return read


def _letters(text: str) -> str:
    """Text without case, blanks and points: "Jkl." is "J K L"."""
    return re.sub(r"[\s.]", "", text.casefold())


def text_measures(parts: Sequence[AnswerSentence], question: Question, read: Outcome) -> dict[str, float]:
    """Measures of an answer, what was read in it among them."""
    said = states_in_full("\n".join(dict.fromkeys(part.text for part in parts)), accepted(question))
    return {
        **measure(question.text, accepted(question), said),
        "as read: declines": float(any(find_decline(part.text) is not None for part in parts)),
        "as read: right": float(read.match == "match"),
        "as read: another": float(read.committed and read.match == "mismatch"),
    }


def weigh_reasons(parts: Sequence[AnswerSentence], question: Question, read: Outcome) -> Outcome:
    """Right yes or no, left open where its gold gives reasons that the answer does not."""
    asked = frozenset(tokens(fold(question.text)))
    given = (gold for word in question.answers for gold in question.aliases.get(word, ()))
    reasons = [gold for gold in given if _gives_reasons(gold, asked)]
    if read.match == "match" and reasons and not shares_words(parts, question.text, reasons):
        read.committed, read.match = False, "none"
        read.unreadable = f"it says {read.value}, as the gold does, and does not give the gold's reasons"
    return read


def _gives_reasons(gold: str, asked: frozenset[str]) -> bool:
    """Whether a gold says more than yes or no: a figure, a name, or more than a few words."""
    own = own_words(gold, asked)
    return len(own) > FEW_WORDS or any(word[0].isdigit() for word in own) or bool(names_in(gold) - asked)


def shares_words(parts: Sequence[AnswerSentence], question: str, golds: Sequence[str]) -> bool:
    """Whether an answer holds the figures and half of the words of a gold, the question's apart."""
    asked = frozenset(tokens(fold(question)))
    said = frozenset(token for part in parts for token in tokens(fold(part.text)))
    for own in (set(own_words(gold, asked)) for gold in golds):
        figures = {word for word in own if word[0].isdigit()}
        if own and figures <= said and len((own - figures) & said) >= ENOUGH * len(own - figures):
            return True
    return False


def states(answer: str, golds: Sequence[str]) -> bool:
    """Whether an answer says what a gold says: its names, figures and directions, who does what to whom."""
    passage = Passage("", "", "", 0, len(answer), answer)
    return any(support(gold, (passage,)).verdict for gold in golds)


def _commit(read: Outcome, parts: Sequence[AnswerSentence], question: Question, match: Match) -> Outcome:
    """Outcome with another relation to the gold, carried by the sentences nearest to it."""
    if not read.parts:
        wanted = frozenset(word for gold in accepted(question) for word in tokens(fold(gold)))
        shared = [len(wanted.intersection(tokens(fold(part.text)))) for part in parts]
        most = max(shared)
        read.parts = [part for part, count in zip(parts, shared, strict=True) if count == most]
        read.value = read.value or read.parts[0].text[:120]
    read.committed, read.match, read.unreadable = True, match, ""
    return read


def another_name(answer: str, golds: Sequence[str]) -> str:
    """First name in an answer that is a gold but for one word of three or more; empty: none is.

    "The House Committee on Coasts" is another body than "the Senate Committee on Coasts", and 21 Quay Street
    another address than 12; a spelling or an initial makes no other name.
    """
    said = [_NAME_WORD.findall(run) for run in _NAME.findall(answer)]
    for wanted in (_NAME_WORD.findall(gold) for gold in golds if _NAME.fullmatch(gold)):
        for here in said if len(wanted) > 2 else ():
            unlike = [pair for pair in zip(wanted, here, strict=False) if pair[0] != pair[1]]
            if len(here) == len(wanted) and len(unlike) == 1 and _is_other_word(*unlike[0]):
                return " ".join(here)
    return ""


def _is_other_word(gold: str, said: str) -> bool:
    """Whether a word of a name is another one, not a spelling or an initial of it."""
    if gold[0].isdigit() or said[0].isdigit():
        return gold[0].isdigit() and said[0].isdigit()
    similarity = JaroWinkler.similarity(gold.casefold(), said.casefold())
    return min(len(gold), len(said)) > 2 and similarity < ANOTHER_WORD


_INNER_NAME = regex(r"(?<=[a-z,] )[A-Z]\w+")
_CONTRASTS = regex(
    rf"(?:;|,?\s{phrases('sentences', 'contrasts')}\b|,\swhich\s(?:can|may|could)\b)\s", re.IGNORECASE
)
_OPENING = 4  # characters that a title before a name takes


def of_another(parts: Sequence[AnswerSentence], gold: Sequence[str], profile: Profile) -> bool:
    """Whether the gold stands in a clause that says less of what is asked than one with another answer.

    "Ash LLP was counsel to the underwriters, while Oak LLP advised the issuer" names Ash, and Oak besides.
    """
    if len(parts) == 1 and not _CONTRASTS.search(parts[0].text):
        return contrary(concepts_of(profile.question), concepts_of(parts[0].text))
    own = [part.text for part in parts if find_alias(part.text, gold)]
    told = any(_answers(part.text, profile) for part in parts if part.text not in own)
    return bool(own) and all(_says_of_another(text, gold, profile, told=told) for text in own)


def _answers(text: str, profile: Profile) -> bool:
    """Whether a piece of a text says something new of what is asked."""
    words = concepts_of(text) - generic_concepts()
    return len(words & profile.focus) > 1 and bool(words - profile.words - profile.kindred)


def _says_of_another(text: str, gold: Sequence[str], profile: Profile, *, told: bool) -> bool:
    """Whether a sentence gives a gold for something else; ``told``: another one says what is asked."""
    apart = answering = begins = False
    for part in _CONTRASTS.split(text):
        found, said = find_alias(part, gold), content(part)
        if not found:
            answering |= _answers(part, profile)
        elif contrary(concepts_of(profile.question), frozenset(said)):
            return True
        elif not profile.focus.isdisjoint(said):
            return False
        else:
            own = frozenset(said) - generic_concepts() - profile.words - profile.kindred
            apart |= len(own) > max(len(content(each)) for each in gold)
            begins |= found[0].start <= _OPENING
    return apart and (answering or (told and begins))


def differs(said: str, question: Question, *, named: bool = False) -> bool:
    """Whether an answer lacks a figure of every gold, or has the contrary of a word of it.

    ``named``: or names something else and lacks a name of the gold ("the Aviation unit", "the Marine unit").
    """
    folded, asked = fold(said), frozenset(tokens(fold(question.text)))
    here = frozenset(tokens(folded))
    concepts, names = frozenset(map(concept, raw_words(said))), names_in(said) - asked
    for gold in (BRACKETS.sub("", gold) for gold in accepted(question)):
        own, wanted = own_words(gold, asked), names_in(gold) - asked
        # A year may have the number of a source behind it ("20011").
        lacking = any(word[0].isdigit() and word not in (folded if len(word) > 3 else here) for word in own)
        other = named and not wanted <= here and not names <= frozenset(own)
        if not (lacking or other or contrary(frozenset(map(concept, raw_words(gold))), concepts)):
            return False
    return True


def names_in(text: str) -> frozenset[str]:
    """Words of a text that are capitalised within a sentence, as they are compared."""
    return frozenset(tokens(fold(" ".join(_INNER_NAME.findall(text)))))
