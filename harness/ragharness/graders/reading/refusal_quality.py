"""What does not depend on the bucket: claims, what supports them, and how well a refusal is made."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Literal, NamedTuple

from ragharness.graders.reading.answer import is_bare_answer
from ragharness.graders.reading.declining import denies_premise, verdicts
from ragharness.graders.reading.support import entails, quotes
from ragharness.graders.reading.yesno import leading_word
from ragharness.language import acts
from ragharness.language.declines import find_decline
from ragharness.language.patterns import regex
from ragharness.language.tables import phrases
from ragharness.language.words import content
from ragharness.records import Sentence

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ragharness.graders.reading.answer import AnswerSentence, ParsedAnswer
    from ragharness.graders.reading.outcome import Outcome
    from ragharness.graders.reading.profile import Profile
    from ragharness.records import Passage

Role = Literal["answer", "claim", "decline", "pointer", "advice", "nothing"]

_FLAT = regex(
    rf"^\W*(?:{phrases('refusals', 'regrets')}\b[\s,.]*)*{phrases('refusals', 'flat')}\W*$", re.IGNORECASE
)
_NOT_KNOWING = regex(rf"\b{phrases('refusals', 'not_knowing')}\b", re.IGNORECASE)
_GROUNDS = regex(rf"\b{phrases('refusals', 'grounds')}\b", re.IGNORECASE)
_NONE = phrases("refusals", "none")
_NOTHING_RETRIEVED = regex(
    rf"(?:\b{_NONE}|n['’]t\s+(?:(?:have|been\s+given|get|receive|see)\s+)?(?:any|return|find|retrieve))\b"
    rf"[^.;!?]{{0,60}}\b{phrases('refusals', 'retrieved_things')}\b"
    rf"|\b{phrases('refusals', 'searching')}\b[^.;!?]{{0,60}}\b{_NONE}\b"
    rf"|\b{phrases('refusals', 'came_empty')}",
    re.IGNORECASE,
)
_POINTING = regex(rf"^\W*{phrases('refusals', 'pointing')}\b", re.IGNORECASE)
_PIECES = regex("([^\ue000-\uf8ff]+)([\ue000-\uf8ff]+)")


class RefusalQuality(NamedTuple):
    """How a refusal is made."""

    explained: bool = False
    nearest: bool = False
    next_step: bool = False
    urgency: bool = False


def role_of(sentence: AnswerSentence, outcome: Outcome, profile: Profile, *, refusing: bool) -> Role:
    """Say what a sentence does in its answer."""
    text = sentence.text
    if outcome.committed and outcome.holds(sentence):
        return "nothing" if _is_bare(text) else "answer"
    if sentence.heading or is_bare_answer(text) or not content(text):
        return "nothing"
    if _asks(text):
        return "advice"
    if acts.is_greeting(text) or acts.is_introduction(text):
        return "nothing"
    if sentence.decline or (refusing and denies_premise(text, profile)):
        return "decline"
    if (refusing and (acts.is_pointer(text) or sentence.citations)) or acts.is_about_the_others(text):
        return "pointer"
    return "advice" if (acts.is_advice(text) or acts.is_urgent(text)) and not sentence.citations else "claim"


def _is_bare(text: str) -> bool:
    """Say whether an answer is a yes or no that at most says where it stands."""
    word, rest = leading_word(text)
    left = text[rest:].strip(" .,;:!—–-")
    return word is not None and (not left or (_POINTING.match(left) is not None and len(left.split()) <= 8))


def _asks(text: str) -> bool:
    return text.rstrip(" \"'*").endswith("?")


def refusal_quality(answer: ParsedAnswer, profile: Profile, *, retrieved: bool) -> RefusalQuality:
    """Read a refusal: why, what there is instead, what to do next, and whether it presses the reader."""
    explained = nearest = next_step = False
    for sentence in answer.sentences:
        text = sentence.text
        explained = explained or acts.corrects_premise(text) or denies_premise(text, profile)
        if not retrieved and _NOTHING_RETRIEVED.search(text):
            explained = nearest = True
        for clause, verdict in verdicts(text, profile):
            if verdict == "about" or find_decline(clause):
                explained = explained or not _is_flat(clause)
            elif acts.is_advice(clause):
                next_step = True
            else:
                cited = bool(sentence.citations) and verdict is None
                nearest = nearest or cited or acts.is_pointer(clause)
        next_step = next_step or _asks(text)
    urgency = any(acts.is_urgent(each.text) and not acts.is_pointer(each.text) for each in answer.sentences)
    return RefusalQuality(explained, nearest, next_step, urgency)


def _is_flat(clause: str) -> bool:
    """Say whether a decline gives no reason: "I don't know", with or without the question's own words."""
    if _FLAT.match(clause):
        return True
    return _NOT_KNOWING.search(clause) is not None and not _GROUNDS.search(clause)


def supported(
    sentence: AnswerSentence,
    role: Role,
    outcome: Outcome,
    passages: Mapping[str, Passage],
    supporting: frozenset[str],
    *,
    answerable: bool,
) -> tuple[bool, ...]:
    """Say of each citation of a sentence whether it supports it."""
    right = answerable and outcome.match in ("match", "partial") and not outcome.contradiction

    def supports(place: int, citation: str) -> bool:
        passage = passages.get(citation)
        if passage is None or role in ("decline", "pointer", "advice"):
            return passage is not None
        if not (outcome.committed and outcome.holds(sentence)):
            return entails(passage, sentence.text)
        if quotes(passage, sentence.text) or (right and citation in supporting):
            return True
        if right and entails(passage, _piece_before(sentence, place)):
            return True
        # A coarser answer may still be true.
        return answerable and (right or outcome.imprecise) and entails(passage, sentence.text)

    return tuple(supports(place, citation) for place, citation in enumerate(sentence.citations))


def _piece_before(sentence: AnswerSentence, place: int) -> str:
    """The later piece of a sentence that a citation stands behind; empty for its first piece."""
    pieces = [piece for piece, marks in _PIECES.findall(sentence.marked) for _ in marks]
    return pieces[place] if place < len(pieces) and pieces[place] != pieces[0] else ""


def describe(sentence: AnswerSentence, role: Role, support: tuple[bool, ...]) -> Sentence:
    """Return a sentence of the verdict."""
    others = (support[:place] + support[place + 1 :] for place in range(len(support)))
    return Sentence(
        text=sentence.text,
        is_claim=role in ("answer", "claim"),
        citations=sentence.citations,
        joint_support=any(support) if sentence.citations else None,
        citation_support=support,
        leave_one_out_support=tuple(map(any, others)) if len(support) > 1 else (),
    )
