"""What does not depend on the bucket: claims, what supports them, and how well a refusal is made."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, NamedTuple

from ragharness.graders.reading.answer import ParsedAnswer
from ragharness.graders.reading.records import AnswerSentence, Outcome, Profile
from ragharness.graders.reading.refusal import denies_premise, does, find_decline, is_question, verdicts
from ragharness.graders.reading.yesno import leading_word
from ragharness.language.dates import DateMention, find_dates
from ragharness.language.matching import compare_quantity
from ragharness.language.numbers import Quantity, find_quantities
from ragharness.language.polarity import find_cues, read_statement
from ragharness.language.tables import WHOLE, pattern, regex
from ragharness.language.words import (
    STOPWORDS,
    concept,
    concepts_of,
    generic_concepts,
    raw_words,
    remembered,
    sentences,
)
from ragharness.records import Passage, Sentence

Passages = Mapping[str, Passage]

Role = Literal["answer", "claim", "decline", "pointer", "advice", "nothing"]

ENOUGH = 0.5  # share of a claim's content words that a passage must hold to entail it
_QUOTED = 6  # words from which on a wording is a quotation, not a turn of phrase that stands there by chance
_NEARLY_ALL = 0.75  # share of a claim's words that one sentence must hold to contradict its figure
_JOINED_NAME = regex(r"[A-Z](?<!\w.)\w+[–-][A-Z]\w+")
"""Names of two parties stand for their contract, which no passage of it repeats."""
_NOUN = regex(r"\W{1,2}([a-z]{3,})")
_PIECES = regex("([^\ue000-\uf8ff]+)([\ue000-\uf8ff]+)")


def role_of(sentence: AnswerSentence, outcome: Outcome, profile: Profile, *, refusing: bool) -> Role:
    """What a sentence does in its answer."""
    text = sentence.text
    if outcome.committed and outcome.holds(sentence):
        # A yes or no that at most says where it stands.
        word, rest = leading_word(text)
        left = text[rest:].strip(" .,;:!—–-")
        return "nothing" if word and (not left or does("attribution", left)) else "answer"
    if is_question(text):
        return "advice"
    if sentence.heading or not concepts_of(text) or does("courtesy", text):
        return "nothing"
    if find_decline(text) or (refusing and denies_premise(text, profile)):
        return "decline"
    if refusing and (does("pointer", text) or sentence.citations):
        return "pointer"
    return "advice" if does("advice", text) or does("urgency", text) else "claim"


class RefusalQuality(NamedTuple):
    """How a refusal is made."""

    explained: bool = False
    nearest: bool = False
    next_step: bool = False
    urgency: bool = False


def refusal_quality(answer: ParsedAnswer, profile: Profile, *, retrieved: bool) -> RefusalQuality:
    """Read a refusal: why, what there is instead, what to do next, and whether it presses the reader."""
    explained = nearest = next_step = False
    for sentence in answer.sentences:
        text = sentence.text
        explained = explained or does("premise", text) or denies_premise(text, profile)
        next_step = next_step or is_question(text)
        if not retrieved and _tells("none", text) and _tells("retrieved", text):
            explained = nearest = True
        for clause, verdict in verdicts(text, profile):
            if verdict is not None:
                # "I don't know" alone gives no reason.
                explained = explained or not _tells("flat", clause) or _tells("grounds", clause)
            elif does("advice", clause):
                next_step = True
            else:
                nearest = nearest or bool(sentence.citations) or does("pointer", clause)
    urgent = any(does("urgency", each.text) for each in answer.sentences)
    return RefusalQuality(explained, nearest, next_step, urgent)


def _tells(entry: str, text: str) -> bool:
    return pattern("refusals", entry, WHOLE).search(text) is not None


def supported(
    part: AnswerSentence, role: Role, outcome: Outcome, passages: Passages, supporting: frozenset[str]
) -> tuple[bool, ...]:
    """Whether each citation of a sentence supports it."""
    answers = outcome.committed and outcome.holds(part)
    right = outcome.match in ("match", "partial") and not outcome.contradiction

    def supports(place: int, citation: str) -> bool:
        passage = passages.get(citation)
        if passage is None or role in ("decline", "pointer", "advice"):
            return passage is not None
        if answers and ((right and citation in supporting) or quotes(passage, part.text)):
            return True
        # A coarser answer may still be true. A value alone does not say what it is a value of.
        told = right and bool(_subject(part.text) - _subject(outcome.value))
        # The later piece of the sentence that the citation stands behind.
        pieces = [piece for piece, marks in _PIECES.findall(part.marked) for _ in marks]
        later = answers and right and place < len(pieces) and pieces[place] != pieces[0]
        true = told or outcome.imprecise or not answers
        return (true and entails(passage, part.text)) or (later and entails(passage, pieces[place]))

    return tuple(supports(place, citation) for place, citation in enumerate(part.citations))


def describe(sentence: AnswerSentence, role: Role, support: tuple[bool, ...]) -> Sentence:
    """Sentence of the verdict."""
    others = (support[:place] + support[place + 1 :] for place in range(len(support)))
    return Sentence(
        text=sentence.text,
        is_claim=role in ("answer", "claim"),
        citations=sentence.citations,
        joint_support=any(support) if sentence.citations else None,
        citation_support=support,
        leave_one_out_support=tuple(map(any, others)) if len(support) > 1 else (),
    )


def entails(passage: Passage, claim: str) -> bool:
    """Whether a passage states a claim: its values, most of its words (half beside values), no denial."""
    words = _subject(_JOINED_NAME.sub(" ", claim))
    held_words, enough = len(words & concepts_of(passage.text)), ENOUGH * len(words)
    values = find_quantities(claim) if held_words >= enough else []
    if held_words <= enough and not values:
        return False
    for value in values:
        if not (value.year or any(_same(each, value) for each in find_quantities(passage.text))):
            return False
    if not all(any(_within(each, date) for each in find_dates(passage.text)) for date in find_dates(claim)):
        return False
    return not find_cues(claim) or read_statement(passage.text, claim).polarity != "denies"


def quotes(passage: Passage, claim: str) -> bool:
    """Whether a claim of some length stands in a passage word for word."""
    said = raw_words(claim)
    return len(said) >= _QUOTED and f" {' '.join(said)} " in f" {' '.join(raw_words(passage.text))} "


def contradicts(passage: Passage, claim: str) -> bool:
    """Whether one sentence of a passage states another value of what a claim is about."""
    said = _amounts(claim)
    if not said:
        return False
    figures = " ".join(claim[each.start : each.end] for listed in said.values() for each in listed)
    words = _subject(claim) - concepts_of(figures)
    if len(words) < 2:
        return False
    enough, stated = _NEARLY_ALL * len(words), _sentences(passage.text)
    return any(len(words & concepts_of(each)) >= enough and _differ(_amounts(each), said) for each in stated)


def miscounts(passage: Passage, claim: str, unit: str = "") -> bool:
    """Whether a passage counts the same things otherwise ("28 operators" where it states 22 and 19).

    What the question's ``unit`` names is measured, not counted: a report has many numbers of shares.
    """
    measured = {"", *map(concept, unit.split())}
    said = {noun: each for noun, each in _amounts(claim).items() if noun not in measured and not each[0].unit}
    return bool(said) and _differ(_amounts(passage.text), said)


@remembered
def _sentences(passage: str) -> tuple[str, ...]:
    return tuple(passage[start:end] for start, end in sentences(passage))


@remembered
def _subject(text: str) -> frozenset[str]:
    """What a text is about: its content words without figures and without words for any document."""
    return frozenset(word for word in concepts_of(text) if not word.isdigit()) - generic_concepts()


@remembered
def _amounts(text: str) -> Mapping[str, list[Quantity]]:
    """The amounts of a text by their unit, or by the noun behind a bare one."""
    found: dict[str, list[Quantity]] = {}
    for quantity in find_quantities(text):
        noun = _NOUN.match(text, quantity.end)
        kind = quantity.unit or (concept(noun[1]) if noun and noun[1] not in STOPWORDS else "")
        if not quantity.year:
            found.setdefault(kind, []).append(quantity)
    return found


def _differ(stated: Mapping[str, list[Quantity]], said: Mapping[str, list[Quantity]]) -> bool:
    return any(
        kind in stated and not any(_same(each, quantity) for each in stated[kind])
        for kind, quantities in said.items()
        for quantity in quantities
    )


def _same(stated: Quantity, said: Quantity) -> bool:
    return compare_quantity(stated.value, stated.unit or said.unit, said)[0] == "match"


def _within(day: DateMention, said: DateMention) -> bool:
    """Whether a date is the one said; a coarser one is as true: "in March 2021" for 1 March 2021."""
    fields = ((said.year, day.year), (said.month, day.month), (said.day, day.day))
    return all(coarse in (None, exact) for coarse, exact in fields)
