# ruff: noqa: E501 (a pattern reads better with one group of alternatives a line)
"""The committed number, date or text of an answer."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ragharness.graders.reading.answer import is_quoted_row, is_quoted_table
from ragharness.graders.reading.beside import (
    IT_IS,
    is_guess,
)
from ragharness.graders.reading.candidate import Candidate
from ragharness.graders.reading.candidates import accepted, value_kinds
from ragharness.graders.reading.choosing import Entry, choose
from ragharness.graders.reading.copies import own_words
from ragharness.graders.reading.gathering import gather
from ragharness.graders.reading.outcome import Outcome
from ragharness.graders.reading.silence import speaks_of_question
from ragharness.language import acts
from ragharness.language.dates import find_dates
from ragharness.language.numbers import find_quantities
from ragharness.language.patterns import regex
from ragharness.language.sentences import clauses
from ragharness.language.words import content, generic_concepts, raw_words

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ragharness.graders.reading.answer import AnswerSentence
    from ragharness.graders.reading.profile import Profile
    from ragharness.records import Passage, Question


_NAME = r"[A-ZÀ-Ý][\w'’.-]+"
_NAMED = regex(rf"(?<!^)(?<![.!?]\s)\b{_NAME}")
_IS_A_NAME = regex(
    rf"\b(?:is|was|are|were|be)\s+(?:the\s+|a\s+|an\s+)?(?:{_NAME}(?:\s|\W*$))+"
    rf"|^\W*(?:{_NAME}\s+)+(?:is|was|are|were|appears\s+to\s+be|serves\s+as|acts\s+as)\s+(?:the|its|an?)\b"
)
_ELSEWHERE = regex(
    r"\b(?:covered|found|located|stated|addressed|set\s+out|contained|documented|available|listed|recorded|dealt\s+with|described|mentioned)\s+(?:in|on|under|elsewhere|at)\b"
    r"|\b(?:in|by|under|from|see)\s+(?:an?\s+|the\s+|another\s+|some\s+|other\s+|its\s+|a\s+different\s+)?(?:\w+\s+){0,2}?(?:documents?|schedules?|annex(?:es)?|appendix|exhibits?|sections?|reports?|filings?|agreements?|letters?|sources?|parts?|passages?|pages?|elsewhere)\b",
    re.IGNORECASE,
)


_ANSWERS = regex(
    r"^\W*(?:(?:so|thus|therefore|hence),?\s+)?(?:(?:based\s+on|according\s+to|in|per|as\s+stated\s+in|from)\b[^,]{1,60},\s+)?(?:the\s+(?:(?:correct|final|short)\s+)?(?:answer|value|name|result)(?:\s+to\s+(?:the|this|your)\s+question)?\s+(?:is|was|would\s+be)|(?:it|this|that|they|he|she)\s+(?:is|was|are|were))\s+(?!not\b|important\b|worth\b|noted?\b|clear\b|possible\b|stated\b|given\b|mentioned\b|described\b|unclear\b)",
    re.IGNORECASE,
)
"""The frame of a plain answer: whatever follows is what it commits to."""


_ASKS_WHY = regex(r"\bwhy\b|\b(?:for\s+)?what\s+(?:reason|cause)s?\b", re.IGNORECASE)
_REASON = regex(
    r"^\W*(?:because|due\s+to|owing\s+to|as\s+a\s+result\s+of|on\s+account\s+of)\b", re.IGNORECASE
)


def read_values(
    parts: Sequence[AnswerSentence],
    question: Question,
    profile: Profile,
    *,
    declined: bool,
    passages: Sequence[Passage] = (),
) -> Outcome:
    """Find the values asserted in the question's slot and compare them; ``declined``: the text declines the question.

    ``passages`` are those that the pipeline got: what is copied from them at length singles out no value.
    """
    entries = gather(parts, question, profile, declined=declined)
    outcome = Outcome(seen=bool(entries))
    chosen = choose(entries, question)
    if chosen and all(is_quoted_table(each.part.text) for each in chosen):
        outcome.unreadable = "it quotes a table of several rows and names none of its figures"
        return outcome
    if _holds_it_somewhere(entries, chosen):
        outcome.unreadable = "it quotes a row with the right figure behind another one and names neither"
        return outcome
    stated = own_words(chosen, passages)
    if chosen and not stated:
        outcome.unreadable = "it copies passages with several values and names none of them"
        return outcome
    chosen = stated
    if chosen:
        _compare(chosen, question, outcome)
        if outcome.match == "match":
            # "In summary: two years [x]": a restated answer brings its citations along.
            _carry(
                outcome,
                [
                    each
                    for each in entries
                    if each.slot != "out"
                    and each.candidate.relation == "match"
                    and not each.candidate.negated
                ],
            )
    elif any(each.candidate.relation == "match" and not each.candidate.related for each in entries):
        return outcome
    elif question.kind in ("text", "list") or not (question.answers or entries):
        _unknown(parts, question, profile, outcome, declined=declined)
    return outcome


def _holds_it_somewhere(entries: Sequence[Entry], chosen: Sequence[Entry]) -> bool:
    """Say whether all that is asserted is one row of a table, the right figure in it, but not its first."""
    rows = {id(each.part): each.part for each in chosen}
    if len(rows) != 1 or not all(is_quoted_row(part.text) for part in rows.values()):
        return False
    figures = [each.candidate for each in entries if id(each.part) in rows]
    figures.sort(key=lambda each: each.start)
    return figures[0].relation != "match" and any(each.relation == "match" for each in figures)


def _compare(chosen: Sequence[Entry], question: Question, outcome: Outcome) -> None:
    stated = [each for each in chosen if not each.candidate.negated]
    denied = [each for each in chosen if each.candidate.negated]
    if not stated and not any(each.candidate.relation == "match" for each in denied):
        if denied and not question.answerable:
            return
        if denied:
            outcome.unreadable = f"it only says what the answer is not ({denied[0].candidate.written})"
        return
    outcome.committed = True
    right = [each for each in stated if each.candidate.relation == "match"]
    # "About 100, exactly 90" rounds one value; "either 90 or 100" offers two.
    two = any(each.candidate.alternative for each in stated)
    same = ("match", "ambiguous") if two else ("match", "imprecise", "ambiguous")
    others = [
        each
        for each in stated
        if each.candidate.relation not in same
        and not any(_fits_better(one.candidate, each.candidate) for one in right)
    ]
    leading = right or stated or denied
    outcome.value = leading[0].candidate.written
    _carry(outcome, leading)
    if right and all(each.candidate.doubted for each in right):
        outcome.committed = False
        outcome.unreadable = f"it may deny {right[0].candidate.written!r}"
        return
    if right:
        outcome.match = "match"
        outcome.contradiction = any(_incompatible(each, right) for each in others)
        rivals = [each.candidate.rival for each in right if each.candidate.rival]
        if outcome.contradiction:
            outcome.value = f"{outcome.value} and {others[0].candidate.written}"
            _carry(outcome, others)
        elif rivals:
            outcome.contradiction = True
            outcome.value = f"{outcome.value} and {rivals[0]}"
        if all(each.candidate.scale_implied for each in right):
            outcome.flags.append("scale_implied")
        return
    _mismatch(stated, question, outcome)


def _fits_better(right: Candidate, other: Candidate) -> bool:
    """Say whether another value is that of a neighbour: it is introduced by fewer words of the question, and by its own."""
    return bool(other.fit) and other.fit < right.fit and (other.strange or other.relation == "distractor")


def _carry(outcome: Outcome, entries: Sequence[Entry]) -> None:
    for each in entries:
        if id(each.part) not in outcome.spans:
            outcome.parts.append(each.part)
        places = outcome.spans.setdefault(id(each.part), [])
        if (each.candidate.start, each.candidate.end) not in places:
            places.append((each.candidate.start, each.candidate.end))


def _incompatible(entry: Entry, right: Sequence[Entry]) -> bool:
    sure = "in" if any(each.slot == "in" for each in right) else "weak"
    return entry.slot == sure and not entry.candidate.foreign_unit


def _mismatch(stated: Sequence[Entry], question: Question, outcome: Outcome) -> None:
    relations = [each.candidate.relation for each in stated]
    if "ambiguous" in relations:
        outcome.unreadable = f"day and month of {stated[0].candidate.written!r} may change places"
        outcome.committed = False
    elif "world" in relations:
        outcome.match = "world"
    elif relations and relations[0] == "imprecise":
        outcome.match, outcome.imprecise = "mismatch", True
    elif "distractor" in relations:
        outcome.match = "distractor"
        outcome.value = next(
            each.candidate.written for each in stated if each.candidate.relation == "distractor"
        )
    elif question.answerable or question.world_answers:
        outcome.match = "mismatch"


def _unknown(
    parts: Sequence[AnswerSentence], question: Question, profile: Profile, outcome: Outcome, *, declined: bool
) -> None:
    """Find an answer that is none of the known ones: new words said of what was asked."""
    valued = bool(value_kinds(accepted(question))) or question.kind in ("number", "date")
    for part in parts:
        if (
            part.text.rstrip(" \"'*").endswith("?")
            or acts.is_greeting(part.text)
            or acts.is_introduction(part.text)
        ):
            continue
        for start, end in clauses(part.text):
            clause = part.text[start:end]
            if speaks_of_question(clause, profile) is not None or acts.corrects_premise(clause):
                continue
            if acts.is_advice(clause) or (declined and acts.is_pointer(clause)) or valued:
                continue
            if _asserts(clause, profile, declined=declined, whole=clause.strip() == part.text.strip()):
                outcome.committed = True
                outcome.match = "mismatch" if question.answerable or question.world_answers else "none"
                outcome.value = clause.strip(" .")[:120]
                outcome.parts.append(part)
                return


def _guesses(clause: str, words: frozenset[str], profile: Profile) -> bool:
    """Say whether a clause beside a decline commits all the same: it guesses, or it states what was asked."""
    valued = bool(find_quantities(clause) or find_dates(clause) or _NAMED.search(clause))
    if is_guess(clause):
        return not _ELSEWHERE.search(clause) and (valued or bool(words & (profile.focus | profile.kindred)))
    if IT_IS.match(clause):
        return valued and not _ELSEWHERE.search(clause)
    covered = len(words & profile.focus)
    if _IS_A_NAME.search(clause):
        return covered > 0 and covered == len(profile.focus)
    return covered * 2 >= max(2, len(profile.focus)) and bool(find_quantities(clause) or find_dates(clause))


def _asserts(clause: str, profile: Profile, *, declined: bool, whole: bool) -> bool:
    words = frozenset(content(clause)) - generic_concepts()
    new = words - profile.words - profile.kindred
    if not new:
        return False
    if declined:
        return _guesses(clause, words, profile)
    if words & (profile.focus | profile.kindred) or _ANSWERS.match(clause):
        return True
    if _ASKS_WHY.search(profile.question) and _REASON.match(clause):
        return True
    count = len(raw_words(clause))
    pronoun = raw_words(clause)[:1] in (["it"], ["this"], ["that"], ["they"], ["he"], ["she"])
    return (whole and count <= 5) or (pronoun and count <= 10)
