"""Checks every property of a question set against its corpus; returns findings."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from msgspec.structs import replace

from ragharness.corpus.loading import Corpus
from ragharness.corpus.passages import PassageSet, withhold
from ragharness.language.words import words
from ragharness.questions.loading import Finding, misfits
from ragharness.questions.questionset import QuestionSet, part_of, quotas
from ragharness.records import Passage, Question
from ragharness.reports.text import aligned, clean, labelled, paragraph
from ragquestions.corpus_index import CorpusIndex
from ragquestions.picking import UNEVEN
from ragquestions.probe import Probed, probe, probe_lines
from ragquestions.recipes import candidates_of

Rules = tuple[tuple[str, Callable[["_Checks", Question], Iterator[str]]], ...]
_SHOWN, _MOST_PLACES = 120, 3  # characters of a further statement, statements of one answer, that are told


def check_questions(questions: QuestionSet, corpus: Corpus) -> list[Finding]:
    """Every property of the design that the set does not have, in a fixed order; none is good.

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
    """Properties of built sets that a file of the user's does not have; it need not."""
    if not questions.places or any(finding.rule == "evidence" for finding in misfits(questions, corpus)):
        return []
    index = CorpusIndex(corpus)
    passages = withhold(index.passages, questions.withheld_documents, questions.withheld_spans)
    own = _Checks(index, passages).of_each(questions, (*_OF_A_BUILT_QUESTION, *_SEARCHED))
    return [*own, *_of_the_set(questions, index)]


def _compiles(pattern: str) -> bool:
    try:
        return bool(re.compile(pattern))
    except re.error:
        return False


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
        """Passages of documents, and of those with the same text, that are in the index."""
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
        text = f" {' '.join(words(question.text))} "
        for answer in question.answers if question.kind != "yesno" else ():
            if f" {' '.join(words(answer))} " in text:
                yield f"expected a question that does not contain its answer, found {answer!r} in it"

    def named(self, question: Question) -> Iterator[str]:
        """The question names the document that it asks about."""
        document = self.index.corpus.document(question.document) if question.document else None
        if document and document.handle:
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


def _counts(questions: QuestionSet) -> Iterator[Finding]:
    """The design's proportions, in row order."""
    found = Counter(map(part_of, questions.questions))
    for part, wanted in quotas(len(questions.questions), questions.left_out).items():
        if found[part] != wanted:
            yield Finding("counts", "", f"expected {wanted} questions of {part.name}, found {found[part]}")
    order = list(quotas(0))
    places = [order.index(part) if part in order else -1 for part in map(part_of, questions.questions)]
    if places != sorted(places):
        yield Finding("counts", "", "the questions do not stand in row order")


def _once(questions: QuestionSet, index: CorpusIndex) -> Iterator[Finding]:
    """No topic of a document twice; nothing but what is withheld is asked about a document that is."""
    pairs: dict[tuple[str, str], str] = {}
    carried: dict[str, list[Question]] = {}
    for each in questions.questions:
        if not each.document:
            continue
        place = index.corpus.canonical(each.document)
        carried.setdefault(place, []).append(each)
        other = pairs.setdefault((place, each.topic), each.id)
        if each.topic and other != each.id:
            yield Finding("once", each.id, f"asks {each.topic} of {each.document} again, after {other}")
    for group in carried.values():
        whole = [each for each in group if each.withheld == "document"]
        if whole and len(whole) < len(group):
            ids = ", ".join(each.id for each in group if each.withheld != "document")
            message = f"expected nothing else about a withheld document, found {ids}"
            yield Finding("once", group[0].id, message)


def _balance(questions: QuestionSet) -> Iterator[Finding]:
    """Neither "always yes" nor a topic's usual answer gains: within every topic, and over every row."""
    asked = [each for each in questions.questions if each.kind == "yesno"]
    answerable = [each for each in asked if each.wanted == "correct"]
    slack = len(answerable) % 2
    for topic in sorted({each.topic for each in answerable}):
        group = [each for each in answerable if each.topic == topic]
        affirmed = Counter((each.answers == ("yes",)) == each.yes_means for each in group)
        yield from _even(f"{topic}: gold", affirmed, slack)
        yield from _even(f"{topic}: yes", Counter(each.answers for each in group), slack)
        yield from _even(f"{topic}: wording", Counter(each.form for each in group), UNEVEN)
    yield from _even("answerable: wording", Counter(each.form for each in answerable), UNEVEN + slack)
    rest = [each for each in asked if each.wanted == "refused" and each.form]
    for row in sorted({(each.row, each.withheld) for each in rest}):
        forms = Counter(each.form for each in rest if (each.row, each.withheld) == row)
        yield from _even(f"{' '.join(filter(None, row))}: wording", forms, UNEVEN)
    yield from _even("rows that want a refusal: wording", Counter(each.form for each in rest), UNEVEN)


def _even(what: str, counts: Counter[Any], slack: int) -> Iterable[Finding]:
    values = sorted(counts.values())
    low = values[0] if len(values) > 1 else 0
    if values and values[-1] - low > slack:
        yield Finding("balance", "", f"expected {what} to be even, found {values[-1]} to {low}")


def _of_the_set(questions: QuestionSet, index: CorpusIndex) -> list[Finding]:
    """What only a built set as a whole can have: its proportions, its balance, no question twice."""
    return [*_counts(questions), *_once(questions, index), *_balance(questions)]


class Examination(NamedTuple):
    """Findings about a set; remarks and the text-only probe are no findings."""

    questions: QuestionSet
    findings: list[Finding]
    remarks: list[Finding]
    probed: list[Probed]

    def lines(self, head: list[str], width: int) -> list[str]:
        """Lines for a terminal below those that describe the set."""
        lines = list(head)
        if self.remarks:
            named = self.remarks[:_MOST_REMARKS]
            remarks = [f"{each.question}: {each.message}".removeprefix(": ") for each in named]
            count = len(self.remarks) - _MOST_REMARKS
            remarks += [f"and {count} more"] if count > 0 else []
            text = f"not met, but required of built sets only: {'; '.join(remarks)}"
            lines += ["", *labelled("note:", text, width, 6)]
        lines += ["", *probe_lines(self.probed, width)] if self.probed else []
        if not self.findings:
            subject = "a question" if self.questions.places else "the construction"
            return [*lines, "", f"ok: every property of {subject} holds"]
        rows = [(each.rule, each.question or "-", each.message) for each in self.findings[:_MOST_FINDINGS]]
        count = len(self.findings) - len(rows)
        return [
            *lines,
            "",
            f"{len(self.findings)} findings" if len(self.findings) > 1 else "1 finding",
            *_table([("RULE", "QUESTION", "FINDING"), *rows], width),
            *([f"and {count} more; --json has them all"] if count else []),
        ]

    def facts(self) -> dict[str, Any]:
        """JSON values by their names."""
        return {
            "findings": [finding._asdict() for finding in self.findings],
            "remarks": [remark._asdict() for remark in self.remarks],
            "text_only_probe": [{**each._asdict(), "tells": each.tells} for each in self.probed],
        }


_MOST_REMARKS = 5
_MOST_FINDINGS = 20  # findings of a check that are printed; JSON has them all
_READABLE = 30  # columns that a wrapped text needs beside its names


def _table(rows: Sequence[tuple[str, str, str]], width: int) -> list[str]:
    """Aligned rules and questions with the findings beside them, or below where it is narrow."""
    names = aligned([(rule, clean(question)) for rule, question, _ in rows], left=(0, 1))
    size = max(map(len, names)) + 2
    lines: list[str] = []
    for name, (_, _, message) in zip(names, rows, strict=True):
        beside = labelled(name, message, width, size)
        lines += beside if width - size >= _READABLE else [name, *paragraph(message, width, "  ")]
    return lines


def examine(questions: QuestionSet, corpus: Corpus, *, whole: bool = True) -> Examination:
    """Check of every property of a set; ``whole``: with remarks and the text-only probe."""
    findings = check_questions(questions, corpus)
    if not whole:
        return Examination(questions, findings, [], [])
    return Examination(questions, findings, remarks(questions, corpus), probe(questions.questions))


def not_made_again(frozen: QuestionSet, corpus: Corpus) -> list[str]:
    """Ids of the frozen questions that the recipe does not make of a corpus, or that lack a property."""
    index = CorpusIndex(corpus)
    made = {_slot(candidate): candidate for candidate in candidates_of(corpus, index.facts)}
    faulty = {finding.question for finding in check_questions(frozen, corpus)}

    def is_made(question: Question) -> bool:
        candidate, bare = made.get(_slot(question)), replace(question, id="")
        return candidate == bare or (candidate is not None and index.completion.completed(candidate) == bare)

    return [each.id for each in frozen.questions if each.id in faulty or not is_made(each)]


def _slot(question: Question) -> tuple[str, ...]:
    """What no other candidate has: the words of a question and its place in a set."""
    return question.text, question.stratum, question.target, question.withheld
