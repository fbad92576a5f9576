"""Checks every property of a question set against its corpus; returns findings."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain

from ragharness.corpus.loading import Corpus
from ragharness.corpus.passages import PassageSet, withhold
from ragharness.errors import UnknownName
from ragharness.language.words import words
from ragharness.questions.questionset import QuestionSet
from ragharness.records import ROWS, Passage, Question
from ragquestions.corpus_index import CorpusIndex
from ragquestions.set_checks import OF_THE_SET, Finding

Rules = tuple[tuple[str, Callable[["_Checks", Question], Iterator[str]]], ...]


_QUOTED = 40
"""Characters of a text that are quoted in a finding."""
_LISTED = 20
"""Lines with the same id or text that are told."""
_SHOWN, _MOST_PLACES = 120, 3
"""Characters of a further statement, and statements of one answer, that are told."""


def check_questions(questions: QuestionSet, corpus: Corpus) -> list[Finding]:
    """Return every property of the design that the set does not have, in a fixed order; none is good.

    The proportions and balance of a built set, proofs of silence and names of documents are not asked of a
    file of the user's (see ``remarks``).
    """
    findings = misfits(questions, corpus)
    if any(finding.rule == "evidence" for finding in findings):
        # Nothing can be checked about documents that are not there.
        return findings
    index = CorpusIndex(corpus)
    passages = withhold(index.passages, questions.withheld_documents, questions.withheld_spans)
    every = _OF_A_QUESTION if questions.places else (*_OF_A_QUESTION, *_OF_A_BUILT_QUESTION, *_SEARCHED)
    findings += _Checks(index, passages).of_each(questions, every)
    return findings if questions.places else findings + _of_the_set(questions, index)


def remarks(questions: QuestionSet, corpus: Corpus) -> list[Finding]:
    """Return the properties of built sets that a file of the user's does not have; it need not."""
    if not questions.places or any(finding.rule == "evidence" for finding in misfits(questions, corpus)):
        return []
    index = CorpusIndex(corpus)
    passages = withhold(index.passages, questions.withheld_documents, questions.withheld_spans)
    own = _Checks(index, passages).of_each(questions, (*_OF_A_BUILT_QUESTION, *_SEARCHED))
    return [*own, *_of_the_set(questions, index)]


def _of_the_set(questions: QuestionSet, index: CorpusIndex) -> list[Finding]:
    return list(chain.from_iterable(check(questions, index) for check in OF_THE_SET))


def misfits(questions: QuestionSet, corpus: Corpus) -> list[Finding]:
    """Return what makes a set unusable with a corpus: doubles, unknown rows, documents or spans."""
    return [*_unique(questions), *_rows(questions), *_strangers(questions, corpus)]


def _rows(questions: QuestionSet) -> Iterator[Finding]:
    for each in questions.questions:
        if each.row not in ROWS:
            expected = f"expected a stratum and target of {', '.join(ROWS)}"
            yield Finding("row", each.id, f"{expected}, found {each.row}")


def _strangers(questions: QuestionSet, corpus: Corpus) -> Iterator[Finding]:
    for each in questions.questions:
        for name in sorted({each.document, *(span.document for span in each.evidence)} - {""}):
            try:
                length = len(corpus.document(name).text)
            except UnknownName:
                yield Finding("evidence", each.id, f"expected a document of {corpus.id}, found {name!r}")
                continue
            for span in each.evidence:
                if span.document == name and not 0 <= span.start < span.end <= length:
                    found = f"{span.start}-{span.end} of {length} characters"
                    yield Finding("evidence", each.id, f"expected a span inside {name}, found {found}")


def _unique(questions: QuestionSet) -> Iterator[Finding]:
    """No id or text is missing or there twice."""
    every = questions.questions
    for place, each in zip(_places(questions), every, strict=True):
        if not each.id:
            yield Finding("ids", "", f"expected an id in {_unit(questions)} {place}, found none")
        if not words(each.text):
            yield Finding("texts", each.id, f"expected a question with words, found {each.text[:_QUOTED]!r}")
    yield from _doubles("id", [each.id for each in every], questions)
    yield from _doubles("text", [" ".join(words(each.text)) for each in every], questions)


def _doubles(what: str, keys: Sequence[str], questions: QuestionSet) -> Iterator[Finding]:
    found: dict[str, list[int]] = {}
    for number, key in enumerate(keys):
        found.setdefault(key, []).append(number)
    places = _places(questions)
    for key, numbers in found.items():
        if key and len(numbers) > 1:
            *most, last = [str(places[number]) for number in numbers[:_LISTED]]
            last = last if len(numbers) <= _LISTED else f"{len(numbers) - _LISTED + 1} more"
            told = f"{_unit(questions)}s {', '.join(most)} and {last}"
            first = questions.questions[numbers[0]].id
            yield Finding(f"unique {what}s", first, f"the same {what} stands in {told}")


def _places(questions: QuestionSet) -> Sequence[int]:
    return questions.places or range(1, len(questions.questions) + 1)


def _unit(questions: QuestionSet) -> str:
    return "line" if questions.places else "question"


def _compiles(pattern: str) -> bool:
    try:
        re.compile(pattern)
    except re.error:
        return False
    return True


class _Checks:
    """What a question must have, each as sentences about what it lacks."""

    def __init__(self, index: CorpusIndex, passages: PassageSet) -> None:
        """``passages``: the index without what is withheld."""
        self.index = index
        self.passages = passages

    def of_each(self, questions: QuestionSet, rules: Rules) -> Iterator[Finding]:
        """Yield the findings of some rules, question by question."""
        for question in questions.questions:
            for rule, check in rules:
                yield from (Finding(rule, question.id, message) for message in check(self, question))

    def _left(self, documents: Iterable[str]) -> list[Passage]:
        """Return the passages of documents, and of those with the same text, that are in the index."""
        copies = (copy for each in documents for copy in self.index.completion.copies(each))
        return [passage for copy in copies for passage in self.passages.of(copy)]

    def answerable(self, question: Question) -> Iterator[str]:
        """What wants an answer has its evidence in the index; what has none says so."""
        if question.answerable != bool(question.answers):
            yield "expected accepted answers exactly when the question is answerable"
        if question.wanted == "correct" or question.stratum == "null_retrieval":
            spans = question.evidence
            about = [question.document] if question.document else [each.document for each in spans]
            if not self.index.covered(question, self._left(about)):
                yield "expected passages of the index that hold all of its evidence, found none for some span"
        if not question.answerable and question.evidence:
            yield "expected no evidence for a question without answer"

    def withheld(self, question: Question) -> Iterator[str]:
        """What is withheld is out of the index, and nothing but it."""
        if (question.target == "unsupported") != bool(question.withheld):
            yield "expected evidence to be withheld exactly in grounded/unsupported"
        if not question.withheld:
            return
        left = self._left([question.document])
        if question.withheld == "document" and left:
            yield f"expected no passage of {question.document} in the index, found {len(left)}"
        for span in question.evidence:
            if any(passage.start < span.end and span.start < passage.end for passage in left):
                place = f"{span.document} {span.start}-{span.end}"
                yield f"expected no passage of the index over {place}, found one"
        if question.withheld == "clause" and not left:
            yield "expected the rest of the document in the index, found nothing of it"

    def silent(self, question: Question) -> Iterator[str]:
        """What nothing answers stores the patterns that prove it."""
        if question.answerable or not (question.absence_patterns and question.absence_scope):
            return
        unreadable = [each for each in question.absence_patterns if not _compiles(each)]
        if unreadable:
            yield f"expected regular expressions, found {', '.join(map(repr, unreadable))}"
            return
        for pattern in self.index.hits(question):
            yield f"expected no text to match {pattern!r}, found one that does"
        if question.stratum == "unanswerable" and question.absence_scope != "corpus":
            yield "expected a topic that nothing in the corpus touches, found patterns of one document"

    def proven(self, question: Question) -> Iterator[str]:
        """A question without an answer stores why."""
        if not question.answerable and not (question.absence_patterns and question.absence_scope):
            yield "expected stored absence patterns and their scope, found none"

    def complete(self, question: Question) -> Iterator[str]:
        """Every passage that states an answer holds evidence of it."""
        if question.wanted == "correct":
            for place in self.index.completion.elsewhere(question)[:_MOST_PLACES]:
                told = f"{place.passage.id}: {place.text[-_SHOWN:]!r}"
                yield f"expected evidence wherever the answer is stated, found another statement in {told}"

    def gone(self, question: Question) -> Iterator[str]:
        """What is withheld neither stands elsewhere nor follows from what does."""
        if found := self.index.completion.left(question, self.passages):
            yield f"expected the withheld answer to be gone, found it {found}"

    def tempting(self, question: Question) -> Iterator[str]:
        """A question that tempts stores its temptation, which is no accepted answer."""
        if question.target == "wrong" and not question.distractors:
            yield "expected the tempting false answer, found no distractor"
        for each in question.distractors:
            if each.value in question.answers:
                yield f"expected a false answer as distractor, found the accepted {each.value!r}"

    def own_wording(self, question: Question) -> Iterator[str]:
        """The question does not give its answer away."""
        if question.kind == "yesno" and not question.proposition:
            yield "expected the proposition that yes affirms or denies, found none"
        if question.kind != "yesno":
            text = f" {' '.join(words(question.text))} "
            for each in question.answers:
                if f" {' '.join(words(each))} " in text:
                    yield f"expected a question that does not contain its answer, found {each!r} in it"

    def named(self, question: Question) -> Iterator[str]:
        """The question names the document that it asks about."""
        if question.document and self.index.corpus.document(question.document).handle:
            document = self.index.corpus.document(question.document)
            names = (document.title, document.handle, document.paraphrase)
            folded = question.text.casefold()
            if not any(name and name.casefold() in folded for name in names):
                yield f"expected the document's title, handle or paraphrase in it, found none of {names}"

    def alike(self, question: Question) -> Iterator[str]:
        """A document with a near-duplicate is neither withheld nor a trap."""
        if (question.withheld or question.stratum == "adversarial") and question.document in self.index.alike:
            yield f"expected a document without near-duplicate, found {question.document}"


_OF_A_QUESTION: Rules = (
    ("answerable", _Checks.answerable),
    ("withheld", _Checks.withheld),
    ("silence", _Checks.silent),
    ("temptation", _Checks.tempting),
    ("wording", _Checks.own_wording),
    ("near-duplicates", _Checks.alike),
)
_OF_A_BUILT_QUESTION: Rules = (("silence", _Checks.proven), ("wording", _Checks.named))
"""What a table of questions and answers cannot give, and a file of the user's need not."""
_SEARCHED: Rules = (("evidence elsewhere", _Checks.complete), ("withheld", _Checks.gone))
"""What the documents say besides the evidence; of a file of the user's a remark."""
