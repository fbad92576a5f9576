"""The ``rules`` grader: reads an answer's text into primitives, with no model and no network."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

from msgspec.structs import replace

from ragharness.graders import GraderContext
from ragharness.graders.reading.acts import ANSWERING
from ragharness.graders.reading.answer import (
    ParsedAnswer,
    claim_citations,
    is_copied,
    lend_citations,
    own_sentences,
    parse_answer,
)
from ragharness.graders.reading.axes import (
    RefusalQuality,
    Role,
    describe,
    refusal_quality,
    roles_of,
    supported,
)
from ragharness.graders.reading.proof import licence, prove
from ragharness.graders.reading.records import AnswerSentence, Outcome, profile_of
from ragharness.graders.reading.refusal import (
    Refusal,
    does,
    is_guess,
    of_another_document,
    read_refusal,
    says_nothing,
)
from ragharness.graders.reading.support import contradicts
from ragharness.graders.reading.texts import (
    FALSE_CORRECT,
    operating_point,
    text_measures,
    weigh_reasons,
    weigh_text,
)
from ragharness.graders.reading.values import commits_to_gold, read_list, read_values
from ragharness.graders.reading.yesno import read_yesno
from ragharness.language.markup import without_labels
from ragharness.language.numbers import find_quantities
from ragharness.language.tables import holds
from ragharness.language.words import content
from ragharness.questions.values import undecidable
from ragharness.records import Answer, Passage, Question, Reading, Sentence

VERSION = "4"

_LONGEST = 200_000  # characters of an answer in a log above which it is not read: a million take ten seconds


class RulesGrader:
    """Reads answers by patterns; what the patterns cannot read it leaves to a person."""

    name = "rules"

    def __init__(self, false_correct: float = FALSE_CORRECT, *, strict: bool = False) -> None:
        self.strict = strict  # whether passages are cited by id alone
        self.thresholds = operating_point(false_correct)
        usual = false_correct == FALSE_CORRECT
        self.version = VERSION if usual else f"{VERSION} (false correct {false_correct:g})"

    def read(
        self, question: Question, answer: Answer, retrieved: Sequence[Passage], supporting: frozenset[str]
    ) -> Reading:
        """Primitives of an answer; ``supporting``: ids of the passages that hold gold evidence."""
        passages = {passage.id: passage for passage in retrieved}
        parsed = _taken_apart(question.text, answer, retrieved, strict=self.strict)
        if parsed.blank or _is_nothing(parsed, question):
            evidence = not supporting.isdisjoint(passages)
            return Reading(status="no_answer", evidence_retrieved=evidence, flags=tuple(parsed.flags))
        reader = partial(_Reader, question, parsed, passages, supporting, self.thresholds)
        if any(part.quotation for part in parsed.sentences):
            # What is quoted as a citation is no second answer; where nothing else answers, it is the answer.
            reading = reader(unquoted=True).read()
            if reading.committed and reading.decides:
                return reading
        return reader().read()


def build(context: GraderContext) -> RulesGrader:
    """Grader; at most ``false-correct`` of its *correct* verdicts on free text should be false."""
    return RulesGrader(context.options.number("false-correct", FALSE_CORRECT), strict=context.strict)


def declines(question: str, text: str) -> bool | None:
    """Whether an answer declines a question of which nothing else is known; None where it is not certain."""
    return read_alone(question, Answer(text=text), ()).declines


class UngroundedReading(NamedTuple):
    """What an answer says without any gold."""

    declines: bool | None  # None: it is empty, too long, or not certain
    sentences: tuple[Sentence, ...] = ()
    citations: tuple[str, ...] = ()


def read_alone(question: str, answer: Answer, retrieved: Sequence[Passage]) -> UngroundedReading:
    """Whether an answer declines, what it claims, and whether the cited passages support that."""
    if len(answer.text) > _LONGEST:
        return UngroundedReading(None)
    asked = Question(id="", text=question, stratum="grounded", kind="text", answerable=True)
    parsed = _taken_apart(question, answer, retrieved)
    own = own_sentences(parsed.sentences, retrieved)
    refusal = read_refusal([part.text for part in own], asked)
    if parsed.blank or (refusal.declines and not refusal.sure):
        return UngroundedReading(None)
    declined = refusal.sure or refusal.premise_corrected or refusal.clarification
    nothing, profile = Outcome(), profile_of(asked)
    roles = roles_of(parsed.sentences, nothing, profile, refusing=declined)
    read = zip(parsed.sentences, roles, strict=True)
    texts = parsed.cited_texts(retrieved)
    told = [(part, role, supported(part, role, nothing, texts, profile)) for part, role in read]
    cited = (id_ for name in parsed.citations for id_ in parsed.members.get(name, (name,)))
    return UngroundedReading(declined, tuple(describe(*each) for each in told), tuple(dict.fromkeys(cited)))


def _taken_apart(
    question: str, answer: Answer, retrieved: Sequence[Passage], *, strict: bool = False
) -> ParsedAnswer:
    unlabelled = replace(answer, text=without_labels(answer.text, [each.title for each in retrieved]))
    return parse_answer(unlabelled, question, retrieved, strict=strict)


def _is_nothing(parsed: ParsedAnswer, question: Question) -> bool:
    """Whether an answer is the text of a value that was never set, and no gold says that there are none."""
    said = {part.text.strip(" .\"'").casefold() for part in parsed.sentences}
    golds = {gold.casefold() for gold in question.answers}
    return said in ({"none"}, {"null"}) and golds.isdisjoint(("none", "nothing", "zero", "0"))


def measures_of(question: Question, answer: Answer) -> dict[str, float]:
    """Measures of an answer to a text question, for the scorer to be trained on."""
    parts = parse_answer(answer, question.text, ()).sentences
    return text_measures(parts, question, read_values(parts, question, profile_of(question), declined=False))


@dataclass
class _Reader:
    """One reading of one answer."""

    question: Question
    answer: ParsedAnswer
    passages: dict[str, Passage]
    supporting: frozenset[str]
    thresholds: tuple[float, float]
    unquoted: bool = False  # whether quotations are left out

    def __post_init__(self) -> None:
        asked = profile_of(self.question)
        gold_passages = (self.passages[id_] for id_ in self.supporting if id_ in self.passages)
        self.licence = licence(self.question, asked, gold_passages)
        self.profile = asked._replace(years=asked.years.union(map(int, self.licence.only_years)))
        parts = [part for part in self.answer.sentences if not (self.unquoted and part.quotation)]
        self.own = own_sentences(parts, tuple(self.passages.values()))

    def read(self) -> Reading:
        """Primitives: is it a refusal, what does it commit to, what supports that."""
        if not self.answer.english:
            return self._assemble(Outcome(unreadable="it is not in English"), Refusal())
        cited = any(part.citations for part in self.own)
        refusal = read_refusal([part.text for part in self.own], self.question, cited=cited)
        if refusal.declines and is_copied(self.own, self.passages.values()):
            refusal = Refusal()  # a passage does not decline for the author
        outcome = Outcome() if refusal.sure else self._commitment(refusal)
        if refusal.declines and not outcome.committed and self.question.kind in ("number", "date", "text"):
            # What stands beside a decline may be the answer.
            beside = self._commitment(refusal if refusal.sure else Refusal())
            elsewhere = all(of_another_document(part.text) for part in beside.parts)
            sentence = undecidable(self.question) == "sentence"
            if beside.committed and beside.match == "match" and not (elsewhere or sentence):
                outcome.leave(f"it says {beside.value!r}, and declines")
                refusal = Refusal()
        if refusal.beside and outcome.match == "mismatch" and self.question.kind != "yesno":
            # What is neither a guess nor a conclusion may be said of something else beside a decline.
            texts = [part.text for part in outcome.parts]
            if not any(is_guess(text) or does("guesses", text) or does("concludes", text) for text in texts):
                outcome.leave(f"it declines the question, and says {outcome.value!r}")
        open_ended = outcome.match in ("mismatch", "none") and self.question.kind in ("text", "list")
        if open_ended and outcome.value and not outcome.unreadable:
            whole = outcome.value.rstrip(".")
            lacking = self._lacking() and any(part.text.startswith(whole) for part in self.own)
            if lacking or (refusal.unable and self.question.kind == "list"):
                outcome.leave("it may be saying that the documents do not contain this")
        if not (outcome.committed or refusal.refuses or outcome.unreadable):
            known = self.profile.words | self.profile.kindred | ANSWERING
            if does("undecided", self.answer.text):
                outcome.unreadable = "it neither affirms nor denies"
            elif (
                self._may_imply(outcome) or self._lacking() or not known.isdisjoint(content(self.answer.text))
            ):
                outcome.unreadable = "no answer in the question's slot, and no decline, could be read"
        if outcome.committed and outcome.match == "mismatch" and commits_to_gold(outcome):
            outcome.leave(f"it says {outcome.value!r}, the accepted answer, in a sentence with a denial")
        return self._assemble(outcome, refusal)

    def _may_imply(self, outcome: Outcome) -> bool:
        """Whether it may imply yes or no, or its figure be a gold that names no unit."""
        question = self.question
        if question.kind != "number" or question.unit or outcome.entries:
            return question.kind == "yesno"
        figures = () if holds("values", "asks_count", question.text) else find_quantities(self.answer.text)
        return any(not each.year for each in figures)

    def _lacking(self) -> bool:
        """Whether a sentence speaks of what the documents hold, or of answering, in words not known."""
        return any(does("lacking", part.text) or says_nothing(part.text) for part in self.own)

    def _commitment(self, refusal: Refusal) -> Outcome:
        """What the answer commits to, read by the kind of the question."""
        parts, question, profile = self.own, self.question, self.profile
        if question.kind == "yesno":
            read = read_yesno(parts, question, profile, declined=refusal.declined)
            return weigh_reasons(parts, question, read)
        declined = refusal.declined or refusal.limited or refusal.premise_corrected
        listed = read_list(parts, question, profile) if question.kind == "list" else None
        read = read_values(parts, question, profile, declined=declined) if listed is None else listed
        if question.kind == "text":
            declined = declined or refusal.clarification
            read = weigh_text(parts, question, profile, read, self.thresholds, declined=declined)
        return prove(read, parts, question, profile, self.licence)

    def _assemble(self, outcome: Outcome, refusal: Refusal) -> Reading:
        parts, cited = self.answer.sentences, self.answer.citations
        refusing = not outcome.committed and refusal.refuses
        roles = roles_of(parts, outcome, self.profile, refusing=refusing)
        texts = self.answer.cited_texts(tuple(self.passages.values()))
        valid = self.answer.supporting(self.supporting) & texts.keys()
        lend_citations(
            parts,
            [role in ("answer", "claim") for role in roles],
            [role == "nothing" for role in roles],
            lambda place: supported(parts[place], roles[place], outcome, texts, self.profile).alone,
        )
        claims = [pair for pair in zip(parts, roles, strict=True) if pair[1] in ("answer", "claim")]
        outcome.contradiction = outcome.contradiction or self._contradicted(outcome, claims)
        supports = [
            supported(part, role, outcome, texts, self.profile)
            for part, role in zip(parts, roles, strict=True)
        ]
        alone = [stated for support in supports for stated in support.alone]
        quality = RefusalQuality()
        if refusing or outcome.partial_then_declined:
            quality = refusal_quality(self.answer, self.profile, retrieved=bool(self.passages))
        claimed = claim_citations(outcome.parts, parts)
        unreadable = "" if refusing else outcome.unreadable
        return Reading(
            status="needs_review" if unreadable else "ok",
            unreadable=unreadable,
            refusal=(refusal.declined or refusal.unable) if outcome.committed else refusal.declines,
            committed=outcome.committed,
            match=outcome.match,
            contradiction=outcome.contradiction,
            imprecise=outcome.imprecise,
            incomplete=outcome.match == "partial" and not outcome.partial_then_declined,
            partial_then_declined=outcome.partial_then_declined,
            premise_corrected=not outcome.committed and refusal.premise_corrected,
            clarification=not outcome.committed and refusal.clarification,
            non_responsive=not (outcome.committed or refusing or unreadable),
            evidence_retrieved=not self.supporting.isdisjoint(self.passages),
            n_citations=len(cited),
            claim_cited=bool(claimed) if outcome.committed else None,
            all_cited_retrieved=all(id_ in texts for id_ in cited) if cited else None,
            all_cited_support=False if False in alone else None if None in alone or not cited else True,
            any_valid_support=not valid.isdisjoint(claimed),
            explained=quality.explained,
            nearest=quality.nearest,
            next_step=quality.next_step,
            urgency=quality.urgency,
            extra=sum(not part.citations for part, _ in claims),
            flags=self._flags(outcome, refusal, claims),
            sentences=tuple(map(describe, parts, roles, supports)),
            members=self.answer.members,
            value=outcome.value,
            score=outcome.score,
        )

    def _contradicted(self, outcome: Outcome, claims: Sequence[tuple[AnswerSentence, Role]]) -> bool:
        """Whether a cited passage speaks against a further claim, or against the right answer."""
        right, yesno = outcome.match == "match", self.question.kind == "yesno"
        for part, role in claims if outcome.committed else ():
            answers = role == "answer"
            if part.quotation or (answers and not right):
                continue
            for passage in filter(None, map(self.passages.get, part.citations)):
                settled = answers and (yesno or passage.id in self.supporting)
                if contradicts(passage, part.text, counts=settled):
                    return True
        return False

    def _flags(
        self, outcome: Outcome, refusal: Refusal, claims: Sequence[tuple[AnswerSentence, Role]]
    ) -> tuple[str, ...]:
        parts = self.answer.sentences
        outside = any(not part.citations and does("outside", part.text) for part in parts)
        mixed = outcome.committed and outside and any(part.citations for part, _ in claims)
        own = [flag for flag, holds in (("mixed", mixed), ("elsewhere", refusal.elsewhere)) if holds]
        return (*self.answer.flags, *outcome.flags, *own)
