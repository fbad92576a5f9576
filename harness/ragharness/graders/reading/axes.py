"""What does not depend on the bucket: claims, what supports them, and how well a refusal is made."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple

from ragharness.graders.reading.acts import INFORMING
from ragharness.graders.reading.answer import ParsedAnswer
from ragharness.graders.reading.records import AnswerSentence, Outcome, Profile
from ragharness.graders.reading.refusal import denies_premise, does, find_decline, is_question, verdicts
from ragharness.graders.reading.support import CitedSupport, cited_support, held
from ragharness.graders.reading.yesno import leading_word
from ragharness.language.polarity import negations, read_statement
from ragharness.language.tables import regex
from ragharness.language.words import concepts_of, content, raw_words
from ragharness.records import Passage, Sentence

Passages = Mapping[str, Passage]

Role = Literal["answer", "claim", "decline", "pointer", "advice", "nothing"]

_HALF = 0.5  # share of a proposition's words that a passage must hold to be about it
_HEADLINE = 8  # words of an opening that only sums up what a cited sentence then says
_NAMED = regex(r"\d|(?<=[a-z,] )[A-Z]")
"""What makes an opening a statement of its own: a figure or a name."""


def roles_of(
    parts: Sequence[AnswerSentence], outcome: Outcome, profile: Profile, *, refusing: bool
) -> list[Role]:
    """What each sentence does in its answer."""
    roles = [_role_of(part, outcome, profile, refusing=refusing) for part in parts]
    if len(parts) > 1 and roles[0] == "answer" and roles[1] in ("answer", "claim"):
        # As in "Yes, but only within narrow limits." before the sentence that explains it.
        opening = parts[0].text
        headline = leading_word(opening)[0] and len(opening.split()) <= _HEADLINE
        if headline and not parts[0].citations and parts[1].citations and not _NAMED.search(opening):
            roles[0] = "nothing"
    return roles


def _role_of(sentence: AnswerSentence, outcome: Outcome, profile: Profile, *, refusing: bool) -> Role:
    text = sentence.text
    if outcome.committed and outcome.holds(sentence) and not does("courtesy", text):
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
    idle = does("advice", text) or does("urgency", text) or (refusing and does("method", text))
    return "advice" if idle else "claim"


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
        for clause, verdict in verdicts(text, profile):
            grounds = does("grounds", clause)
            if verdict is not None:
                # "I don't know who" alone gives no reason, nor does "Not specified".
                told = any(len(word) > 1 for word in concepts_of(clause) - INFORMING)
                told = told and not does("flat", clause)
                explained = explained or grounds or told
                # Where nothing was retrieved, to say so is all that there is.
                last = max((found.start() for found in negations(clause)), default=0)
                nearest = nearest or (not retrieved and does("grounds", clause[last:]))
            elif does("advice", clause) or (does("method", clause) and "you" in raw_words(clause)):
                next_step = True
            else:
                nearest = nearest or bool(sentence.citations) or does("pointer", clause)
    urgent = any(does("urgency", each.text) for each in answer.sentences)
    return RefusalQuality(explained, nearest, next_step, urgent)


def supported(
    part: AnswerSentence, role: Role, outcome: Outcome, passages: Passages, profile: Profile
) -> CitedSupport:
    """Support of a sentence by what it cites; of what claims nothing, whether that was retrieved."""
    if part.quotation:
        return CitedSupport((True,) * len(part.citations), joint=True)
    word, rest = leading_word(part.text)
    bare = word and not content(part.text[rest:])
    if bare and profile.kind == "yesno" and outcome.holds(part):
        stated = [_answers(passages.get(mark), word == "yes", profile) for mark in part.citations]
        joint = True if any(stated) else False if all(each is False for each in stated) else None
        return CitedSupport(tuple(stated), joint)
    claim = part.text[rest:].lstrip(" ,.;:!—–-") if word else part.text
    support = cited_support(claim, part, passages)
    if role not in ("answer", "claim"):
        # A pointer or a piece of advice needs no support; it may be a statement all the same.
        return CitedSupport(tuple(mark in passages for mark in part.citations), support.joint or None)
    return support


def _answers(passage: Passage | None, yes: bool, profile: Profile) -> bool | None:
    """Whether a passage gives a bare yes or no to the question; None: it is not clear."""
    if passage is None:
        return False
    statement = read_statement(passage.text, profile.proposition)
    about = statement.strong or held(concepts_of(profile.proposition), (passage,)) >= _HALF
    if not about or statement.polarity not in ("affirms", "denies"):
        return None
    return (statement.polarity == "affirms") == (yes == profile.yes_means)


def describe(sentence: AnswerSentence, role: Role, support: CitedSupport) -> Sentence:
    """Sentence of the verdict."""
    claims = role in ("answer", "claim")
    return Sentence(
        text=sentence.text,
        is_claim=claims,
        citations=sentence.citations,
        joint_support=support.joint,
        citation_support=support.alone if claims else (),
        leave_one_out_support=support.others,
    )
