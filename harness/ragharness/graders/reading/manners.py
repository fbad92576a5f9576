# ruff: noqa: E501 (a pattern reads better with one group of alternatives a line)
"""The axes that do not depend on the bucket: what is a claim, what supports it, and how well a refusal is made."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Literal, NamedTuple

from ragharness.graders.reading.answer import is_bare_answer
from ragharness.graders.reading.silence import denies_premise, leaves_out, verdicts
from ragharness.graders.reading.support import entails, quotes
from ragharness.graders.reading.yesno import leading_word
from ragharness.language import acts
from ragharness.language.citations import MARK
from ragharness.language.declines import find_decline, is_disclaimer
from ragharness.language.patterns import regex
from ragharness.language.words import content, raw_words
from ragharness.records import Sentence

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ragharness.graders.reading.answer import AnswerSentence, ParsedAnswer
    from ragharness.graders.reading.outcome import Outcome
    from ragharness.graders.reading.profile import Profile
    from ragharness.records import Passage

Role = Literal["answer", "claim", "decline", "pointer", "advice", "nothing"]

_FLAT = regex(
    r"^\W*(?:(?:i['’]?m|i\s+am)?\s*(?:very\s+|so\s+|really\s+)?(?:sorry|afraid)\b[\s,.]*|unfortunately[\s,]*|apologies[\s,.]*|but\s+|that\s+|leider\s+|lo\s+siento[\s,.]*|d[eé]sol[eé]\w*[\s,.]*|je\s+suis\s+|es\s+tut\s+mir\s+leid[\s,.]*|entschuldigung[\s,.]*)*"
    r"(?:i\s+(?:really\s+|simply\s+|just\s+|honestly\s+)?(?:do\s+not|don['’]t)\s+know(?:\s+(?:this|that|the\s+answer(?:\s+to\s+(?:this|that|your)(?:\s+question)?)?|it))?|i\s+(?:cannot|can['’]t|can\s+not|am\s+unable\s+to|am\s+not\s+able\s+to|could\s+not|couldn['’]t)\s+(?:answer|help|assist|respond|say|tell|find\s+(?:it|that|this|the\s+answer|an\s+answer))"
    r"(?:\s+(?:with\s+)?(?:that|this|it|the\s+question|this\s+question|that\s+question|your\s+question|you(?:\s+with\s+(?:that|this))?))?|unknown|n/?a|no\s+(?:answer|idea)|not\s+(?:found|known)|unclear|i\s+have\s+no\s+idea|(?:i\s+am|i['’]m)\s+not\s+sure|cannot\s+answer|can['’]t\s+answer|unanswerable|i\s+(?:must\s+)?(?:decline|refuse|abstain)(?:\s+to\s+answer(?:\s+(?:this|that)(?:\s+question)?)?)?|"
    r"no\s+(?:lo\s+)?s[eé]|no\s+puedo\s+responder(?:\s+a?\s*(?:eso|esto|esa\s+pregunta|esta\s+pregunta|la\s+pregunta))?|ich\s+wei(?:ß|ss)\s+(?:es\s+|das\s+)?nicht|(?:das\s+|dies\s+)?(?:kann|wei(?:ß|ss))\s+ich\s+(?:das\s+|es\s+|dies\s+)?(?:leider\s+)?nicht(?:\s+beantworten)?|ich\s+kann\s+(?:das|dies|diese\s+frage|die\s+frage)\s+(?:leider\s+)?nicht\s+beantworten|je\s+ne\s+sais\s+pas|je\s+ne\s+peux\s+pas\s+(?:r[eé]pondre|y\s+r[eé]pondre)(?:\s+[aà]\s+(?:cela|cette\s+question|la\s+question))?)\W*$",
    re.IGNORECASE,
)
_NOTHING_RETRIEVED = regex(
    r"(?:\b(?:no|nothing|zero|not\s+(?:have\s+|been\s+given\s+|given\s+)?any|none|empty|without(?:\s+any)?|not\s+(?:return|find|retrieve)|aucun\w*|ning[uú]n\w*|kein\w*|nada|rien)|n['’]t\s+(?:(?:have|been\s+given|get|receive|see)\s+)?(?:any|return|find|retrieve))\b[^.;!?]{0,60}\b(?:passages?|documents?|results?|sources?|context|excerpts?|retriev\w*|returned|search|pasajes?|documentos?|resultados?|passagen|dokumente?|treffer|ergebnisse?|extraits?|r[eé]sultats?)\b"
    r"|\b(?:retriev\w*|search|retriever|b[uú]squeda|suche|recherche)\b[^.;!?]{0,60}\b(?:nothing|no\b|none|empty|zero|nada|ning|kein|nichts|rien|aucun)|\b(?:passage|document|result|context)\w*\s+(?:list\s+|set\s+)?(?:is|was|were|are|came\s+back)\s+empty\b|\bempty\s+(?:context|retrieval|result|list|set|search)",
    re.IGNORECASE,
)
_WHICH_COVER = regex(
    r",\s+which\s+(?:only\s+|instead\s+|rather\s+|mainly\s+|all\s+)?(?:(?:are|is)\s+about|covers?|concerns?|deals?\s+with|discuss(?:es)?|address(?:es)?|relates?\s+to|focus(?:es)?\s+on)\b",
    re.IGNORECASE,
)
_SEE = regex(
    r"^\W*(?:see|cf|as\s+(?:stated|per|set\s+out|provided)|per|refer|this\s+is|that\s+is)\b", re.IGNORECASE
)


_NOT_KNOWING = regex(
    r"\b(?:do\s+not|don['’]t)\s+know\b|\b(?:cannot|can['’]t|can\s+not|unable\s+to|not\s+able\s+to)\s+(?:answer|say|tell|help)\b|\bnot\s+sure\b",
    re.IGNORECASE,
)
_WHERE = regex(
    r"\b(?:passages?|documents?|evidence|information|context|sources?|data|excerpts?|corpus|retriev\w*|mention\w*|material|text|records?)\b",
    re.IGNORECASE,
)


def _is_flat(clause: str) -> bool:
    """Say whether a decline gives no reason: "I don't know", with or without the question's own words."""
    if _FLAT.match(clause):
        return True
    return _NOT_KNOWING.search(clause) is not None and not _WHERE.search(clause)


class Manners(NamedTuple):
    """How a refusal is made."""

    explained: bool
    nearest: bool
    next_step: bool
    urgency: bool


NO_MANNERS = Manners(explained=False, nearest=False, next_step=False, urgency=False)


def role_of(part: AnswerSentence, outcome: Outcome, profile: Profile, *, refusing: bool) -> Role:
    """Say what a sentence does in its answer."""
    if outcome.committed and outcome.holds(part):
        return "nothing" if _is_bare_answer(part.text) else "answer"
    text = part.text
    if part.heading or is_bare_answer(text) or not content(text):
        return "nothing"
    if acts.is_attribution(text) and part.citations:
        return "pointer"
    if text.rstrip(" \"'*").endswith("?"):
        return "advice"
    if acts.is_greeting(text) or acts.is_introduction(text) or is_disclaimer(text):
        return "nothing"
    if (
        part.decline is not None
        or acts.corrects_premise(text)
        or (refusing and denies_premise(text, profile))
    ):
        return _rest_of_decline(text, profile, refusing=refusing)
    if text.rstrip().endswith(":") and len(raw_words(text)) <= 12:
        return "nothing"
    if (refusing and (acts.is_pointer(text) or part.citations)) or acts.is_about_the_others(text):
        return "pointer"
    pressing = refusing and acts.is_urgent(text)
    return "advice" if (acts.is_advice(text) or pressing) and not part.citations else "claim"


def _is_bare_answer(text: str) -> bool:
    word, rest = leading_word(text)
    if word is None:
        return is_bare_answer(text)
    left = text[rest:].strip(" .,;:!—–-")
    return not left or bool(_SEE.match(left) and len(raw_words(left)) <= 8)


def _rest_of_decline(text: str, profile: Profile, *, refusing: bool) -> Role:
    """A sentence that declines is a claim only when another clause of it asserts something."""
    for clause, verdict in verdicts(text, profile):
        if find_decline(clause) or acts.corrects_premise(clause) or acts.is_advice(clause):
            continue
        if refusing or acts.is_pointer(clause) or leading_word(clause)[0] or len(raw_words(clause)) < 4:
            continue
        if verdict is None:
            return "claim"
    return "decline"


def manners_of(anatomy: ParsedAnswer, profile: Profile, *, retrieved: bool) -> Manners:
    """Read a refusal: why, what there is instead, what to do next, and whether it presses the reader."""
    explained = nearest = next_step = urgency = False
    for part in anatomy.parts:
        if acts.corrects_premise(part.text) or denies_premise(part.text, profile):
            explained = True
        if not retrieved and _NOTHING_RETRIEVED.search(part.text):
            explained = nearest = True
        pointed = False
        for clause, verdict in verdicts(part.text, profile):
            if verdict == "about" or find_decline(clause):
                # "I have only the notices clause, so I cannot say": what there is explains the decline.
                explained = explained or not _is_flat(clause) or (pointed and "so " in part.text)
                nearest = nearest or _WHICH_COVER.search(clause) is not None or leaves_out(clause, profile)
                urgency = urgency or acts.is_urgent(clause)
                continue
            advice = acts.is_advice(clause)
            pointer = acts.is_pointer(clause)
            next_step = next_step or advice
            pointed = pointed or (pointer and not advice)
            nearest = nearest or pointed
            urgency = urgency or (acts.is_urgent(clause) and not (pointer and not advice))
        if part.citations and not part.borrowed and not acts.is_advice(part.text):
            nearest = nearest or any(
                verdict is None and not find_decline(clause)
                for clause, verdict in verdicts(part.text, profile)
            )
        next_step = next_step or part.text.rstrip(" \"'*").endswith("?")
    urgency = urgency or acts.is_urgent(
        "\n".join(part.text for part in anatomy.parts if not acts.is_pointer(part.text))
    )
    return Manners(explained, nearest, next_step, urgency)


def supported(
    part: AnswerSentence,
    role: Role,
    outcome: Outcome,
    passages: Mapping[str, Passage],
    supporting: frozenset[str],
    *,
    answerable: bool,
) -> tuple[bool, ...]:
    """Say of each citation of a sentence whether it supports it."""
    agrees = outcome.match in ("match", "partial") and not outcome.contradiction
    verdicts = []
    for place, citation in enumerate(part.citations):
        passage = passages.get(citation)
        if passage is None:
            verdicts.append(False)
        elif role in ("decline", "pointer", "advice"):
            verdicts.append(True)
        elif outcome.committed and outcome.holds(part):
            own = answerable and agrees and citation in supporting
            # Further sentences of the same drift explain the answer; a coarser answer may still be true.
            explains = part is not outcome.parts[0] or outcome.imprecise
            verdicts.append(
                own
                or quotes(passage, part.text)
                or (answerable and agrees and _aside(part, place, passage))
                or (answerable and (agrees or outcome.imprecise) and explains and entails(passage, part.text))
            )
        else:
            verdicts.append(
                (citation in supporting and entails(passage, part.text)) or entails(passage, part.text)
            )
    return tuple(verdicts)


def _aside(part: AnswerSentence, place: int, passage: Passage) -> bool:
    """Say whether a citation stands behind a later piece of its sentence and supports that piece."""
    if part.borrowed:
        return False
    pieces = re.split("[\ue000-\uf8ff]+", part.marked)
    marks = [len(MARK.findall(run)) for run in re.findall("[\ue000-\uf8ff]+", part.marked)]
    seen = 0
    for index, count in enumerate(marks):
        seen += count
        if place < seen:
            return index > 0 and len(raw_words(pieces[index])) >= 3 and entails(passage, pieces[index])
    return False


def describe(part: AnswerSentence, role: Role, support: Sequence[bool]) -> Sentence:
    """Return a sentence of the verdict."""
    joint = None if not part.citations else any(support)
    return Sentence(
        text=part.text,
        is_claim=role in ("answer", "claim"),
        citations=part.citations,
        joint_support=joint,
        citation_support=tuple(support),
        leave_one_out_support=tuple(
            any(each for other, each in enumerate(support) if other != place) for place in range(len(support))
        )
        if len(support) > 1
        else (),
    )
