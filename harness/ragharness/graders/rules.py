# ruff: noqa: E501 (a pattern reads better with one group of alternatives a line)
"""The ``rules`` grader: reads an answer's text into primitives, with no model and no network."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from msgspec.structs import replace

from ragharness.graders.reading.answer import ParsedAnswer, parse_answer
from ragharness.graders.reading.copies import own_sentences
from ragharness.graders.reading.declining import verdicts
from ragharness.graders.reading.lists import read_list
from ragharness.graders.reading.outcome import Outcome
from ragharness.graders.reading.profile import Profile, profile_of
from ragharness.graders.reading.refusal import read_refusal
from ragharness.graders.reading.refusal_quality import (
    RefusalQuality,
    describe,
    refusal_quality,
    role_of,
    supported,
)
from ragharness.graders.reading.scorer import FALSE_CORRECT, operating_point
from ragharness.graders.reading.support import contradicts, miscounts
from ragharness.graders.reading.texts import text_measures, weigh_reasons, weigh_text
from ragharness.graders.reading.values import read_values
from ragharness.graders.reading.yesno import read_yesno
from ragharness.language import acts
from ragharness.language.citations import without_labels
from ragharness.language.patterns import regex
from ragharness.language.words import content
from ragharness.records import Reading

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ragharness.graders.reading.answer import AnswerSentence
    from ragharness.records import Answer, Passage, Question

VERSION = "2"
FIRST_CITATIONS = 3
"""Only so many citations of the answer claim count: citing everything must not win."""

_UNDECIDED = regex(
    r"^\W*(?:partial(?:ly)?|partly|in\s+part|maybe|perhaps|possibly|it\s+depends|depends|sometimes|somewhat|to\s+some\s+extent|to\s+an\s+extent|mixed|not\s+entirely|both|either|neither|more\s+or\s+less|limited(?:ly)?|conditional(?:ly)?|"
    r"parcialmente|teilweise|partiellement|en\s+partie|quiz[aá]s?|tal\s+vez|vielleicht|peut-[eê]tre|depende|es\s+kommt\s+darauf\s+an|[cç]a\s+d[eé]pend)\b",
    re.IGNORECASE,
)


class RulesGrader:
    """Reads answers by patterns; what the patterns cannot read it leaves to a person."""

    name = "rules"

    def __init__(self, false_correct: float = FALSE_CORRECT) -> None:
        self.thresholds = operating_point(false_correct)
        self.version = (
            VERSION if false_correct == FALSE_CORRECT else f"{VERSION} (false correct {false_correct:g})"
        )

    def read(
        self, question: Question, answer: Answer, retrieved: Sequence[Passage], supporting: frozenset[str]
    ) -> Reading:
        """Return the primitives of an answer; ``supporting`` are the ids of passages that hold gold evidence."""
        passages = {passage.id: passage for passage in retrieved}
        evidence = any(id_ in passages for id_ in supporting)
        unlabelled = replace(answer, text=without_labels(answer.text, [each.title for each in retrieved]))
        parsed = parse_answer(unlabelled, question.text, [passage.id for passage in retrieved])
        if parsed.blank:
            return Reading(status="no_answer", evidence_retrieved=evidence, flags=tuple(parsed.flags))
        return _Reader(question, parsed, passages, supporting, evidence, self.thresholds).read()


def build(false_correct: float = FALSE_CORRECT) -> RulesGrader:
    """Return the grader; at most this share of its *correct* verdicts on free text should be false."""
    return RulesGrader(false_correct)


class _Reader:
    """One reading: what is known of the answer so far."""

    def __init__(
        self,
        question: Question,
        answer: ParsedAnswer,
        passages: dict[str, Passage],
        supporting: frozenset[str],
        evidence: bool,
        thresholds: tuple[float, float],
    ) -> None:
        self.question = question
        self.answer = answer
        self.passages = passages
        self.supporting = supporting
        self.evidence = evidence
        self.thresholds = thresholds
        self.profile: Profile = profile_of(question)
        self.own = own_sentences(answer.sentences, tuple(passages.values()))
        self.refusal = read_refusal([part.text for part in self.own], question)
        self.declined, self.declined_nearly, self.declined_other = self._declines()
        self.declined_nearly = self.declined_nearly or self.refusal.declined

    def _declines(self) -> tuple[bool, bool, bool]:
        about = near = other = False
        for part in self.own:
            for _clause, verdict in verdicts(part.text, self.profile):
                about = about or verdict == "about"
                near = near or verdict == "near"
                other = other or verdict == "other"
        return about, near, other

    def read(self) -> Reading:
        outcome = self._outcome(self.own)
        dumped = len(self.own) < len(self.answer.sentences)
        cited = any(part.citations for part in self.answer.sentences)
        if dumped and cited and outcome.committed and not any(part.citations for part in outcome.parts):
            # "Three years." above a copied passage with its mark: the mark is the answer's too.
            whole = self._outcome(self.answer.sentences)
            outcome = whole if whole.committed and whole.match == outcome.match else outcome
        # A yes or no against its own clause neither corrects nor declines.
        torn = self.question.kind == "yesno" and bool(outcome.unreadable)
        premise = not outcome.committed and not torn and self.refusal.premise_corrected
        clarifies = not outcome.committed and self.refusal.clarification
        refusal = self.declined or (self.declined_nearly and not outcome.committed) or self._silent()
        if not (outcome.committed or torn or refusal or premise or clarifies):
            refusal = self._lone_decline()
        unreadable, stray = "", False
        if dumped and not (outcome.committed or refusal or premise or clarifies):
            outcome = Outcome(unreadable="it copies passages and says nothing of its own that answers")
        if not self.answer.english:
            outcome, refusal = Outcome(unreadable="it is not in English"), False
            premise = clarifies = False
        if not outcome.committed and not (premise or refusal or clarifies):
            unreadable, stray = self._left_over(outcome)
        return self._assemble(outcome, refusal, premise, clarifies, unreadable or outcome.unreadable, stray)

    def _outcome(self, parts: Sequence[AnswerSentence]) -> Outcome:
        question, profile = self.question, self.profile
        if self.refusal.sure or self._silent():
            return Outcome()
        declined = self.declined or self.declined_nearly
        if question.kind == "yesno":
            read = read_yesno(parts, question, profile, declined=declined)
            return weigh_reasons(parts, question, read)
        declined = declined or self.refusal.premise_corrected
        if question.kind == "list":
            return read_list(parts, question, profile, declined=declined)
        read = read_values(parts, question, profile, declined=declined)
        if question.kind == "text" and not declined:
            return weigh_text(parts, question, read, self.thresholds)
        return read

    def _silent(self) -> bool:
        """Silence is a refusal where the question has no answer, and the answer "no" where it has one."""
        cited = any(part.citations for part in self.own)
        return self.refusal.silent and not cited and not self.question.answerable

    def _lone_decline(self) -> bool:
        """A decline whose object shares nothing with the question still declines when the speaker says so of itself."""
        parts = self.own
        if any(part.decline is not None and part.decline.kind != "silence" for part in parts):
            return not self._answers_something()
        if parts and all(acts.is_advice(part.text) and not part.citations for part in parts):
            # "Please upload the report so that I can answer."
            return True
        # "The passages mention only Borealis": what they hold is set against what was asked.
        return any(acts.is_mere_pointer(part.text) and " only " in f" {part.text} " for part in parts)

    def _answers_something(self) -> bool:
        return any(part.decline is None and part.citations for part in self.answer.sentences)

    def _left_over(self, outcome: Outcome) -> tuple[str, bool]:
        """What neither answers nor declines: unreadable, or beside the point."""
        text = self.answer.text
        if outcome.unreadable:
            return outcome.unreadable, False
        if self.declined_other:
            return "it declines something else than what was asked", False
        if _UNDECIDED.match(text):
            return "it neither affirms nor denies", False
        if outcome.seen or frozenset(content(text)) & (self.profile.words | self.profile.kindred):
            return "no answer in the question's slot, and no decline, could be read", False
        return "", True

    def _assemble(
        self, outcome: Outcome, refusal: bool, premise: bool, clarifies: bool, unreadable: str, stray: bool
    ) -> Reading:
        refusing = not outcome.committed and (refusal or premise or clarifies)
        parts = self.answer.sentences
        if outcome.committed and not outcome.contradiction:
            outcome.contradiction = self._contradicted(
                outcome, [role_of(part, outcome, self.profile, refusing=refusing) for part in parts]
            )
        roles = [role_of(part, outcome, self.profile, refusing=refusing) for part in parts]
        supports = [
            supported(
                part, role, outcome, self.passages, self.supporting, answerable=self.question.answerable
            )
            for part, role in zip(parts, roles, strict=True)
        ]
        cited = self.answer.citations
        quality = RefusalQuality()
        if refusing or outcome.partial_then_declined:
            quality = refusal_quality(self.answer, self.profile, retrieved=bool(self.passages))
        claim_citations = [part.citations[:FIRST_CITATIONS] for part in outcome.parts]
        return Reading(
            status="needs_review" if unreadable and not refusing else "ok",
            unreadable=unreadable if not refusing else "",
            refusal=refusal,
            committed=outcome.committed,
            match=outcome.match,
            contradiction=outcome.contradiction,
            imprecise=outcome.imprecise,
            incomplete=outcome.incomplete,
            partial_then_declined=outcome.partial_then_declined,
            premise_corrected=premise,
            clarification=clarifies,
            non_responsive=stray,
            evidence_retrieved=self.evidence,
            n_citations=len(cited),
            claim_cited=any(claim_citations) if outcome.committed else None,
            all_cited_retrieved=all(id_ in self.passages for id_ in cited) if cited else None,
            all_cited_support=all(all(each) for each in supports) if cited else None,
            any_valid_support=any(
                id_ in self.supporting and id_ in self.passages for each in claim_citations for id_ in each
            ),
            explained=quality.explained,
            nearest=quality.nearest,
            next_step=quality.next_step,
            urgency=quality.urgency,
            extra=sum(
                role in ("answer", "claim") and not part.citations
                for part, role in zip(parts, roles, strict=True)
            ),
            flags=self._flags(outcome, roles),
            sentences=tuple(
                describe(part, role, each) for part, role, each in zip(parts, roles, supports, strict=True)
            ),
            value=outcome.value,
            score=outcome.score,
        )

    def _contradicted(self, outcome: Outcome, roles: Sequence[str]) -> bool:
        """Say whether a cited passage states otherwise what a further claim says, or what the right answer says."""
        for part, role in zip(self.answer.sentences, roles, strict=True):
            if role not in ("answer", "claim") or (role == "answer" and outcome.match != "match"):
                continue
            for citation in part.citations:
                passage = self.passages.get(citation)
                if passage is None:
                    continue
                if outcome.match == "match" and miscounts(passage, part.text, self.question.unit):
                    return True
                if role == "answer" and citation in self.supporting:
                    continue
                if self.question.kind == "yesno" and role == "answer":
                    continue
                if contradicts(passage, part.text):
                    return True
        return False

    def _flags(self, outcome: Outcome, roles: Sequence[str]) -> tuple[str, ...]:
        flags = [*self.answer.flags, *outcome.flags]
        parts = self.answer.sentences
        outside = any(acts.is_outside_knowledge(part.text) and not part.citations for part in parts)
        inside = any(
            role in ("answer", "claim") and part.citations for part, role in zip(parts, roles, strict=True)
        )
        if outcome.committed and outside and inside:
            flags.append("mixed")
        return tuple(flags)


def measures_of(question: Question, answer: Answer) -> dict[str, float]:
    """Return the measures of an answer to a text question, for the scorer to be trained on."""
    parts = parse_answer(answer, question.text, ()).sentences
    return text_measures(parts, question, read_values(parts, question, profile_of(question), declined=False))
