"""Every question that could be asked about ContractNLI: its labels in our wording, and the traps.

``questions.toml`` holds the wordings, ``doubtful.toml`` the pairs of contract and topic that are never asked
about because the contract's own words do not give their label beyond doubt. ``clauses.py`` asks the contracts
that were read for them open questions.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from ragharness.corpus.loading import Corpus
from ragharness.records import Distractor, Document, Evidence, Question
from ragquestions.candidates import silent, trap, unanswered, ways
from ragquestions.corpus_index import near_duplicates
from ragquestions.recipes import Fact, Facts

from ..parse import document_id, read_split
from .clauses import (
    Absent,
    Topic,
    Trap,
    Wordings,
    leaves_silence,
    load_clauses,
    load_doubtful,
    load_wordings,
    matches,
    names,
    open_questions,
)

VERSION = 4  # raised whenever the candidates change; kept with every frozen set
_TELLING = 5  # words from which a span states something: shorter ones are numbers and headings of clauses
_RULE = "the rule without its exception"
"""What the false answer to a question belongs to that an exception decides."""

_ADJACENT = 20  # characters between a rule and its exception: the number of a clause
_STEM = (":", "-", "\N{EN DASH}", "\N{EM DASH}")  # how a span ends that only leads into a list
_SISTERS = 0.5
"""Share of common shingles from which two contracts are forms of one drafter.

The clause that is withheld from one would stand in the other word for word. All other contracts of the test
split have less than a third in common.
"""


_ANSWERS: dict[str, tuple[str, ...]] = {"Entailment": ("yes",), "Contradiction": ("no",), "NotMentioned": ()}


def facts(corpus: Corpus) -> Facts:
    """One fact for each contract and hypothesis: its topic is the hypothesis' key."""
    if corpus.files is None:
        return Facts()
    content = read_split(corpus.files, corpus.split)
    documents = {document.id for document in corpus.documents}
    stated: list[Fact] = []
    for contract in content.documents:
        document = document_id(contract)
        for topic, label in content.labels.items() if document in documents else ():
            annotation = contract.annotation_sets[0].annotations[topic]
            spans = [contract.spans[number] for number in sorted(annotation.spans)]
            stated.append(
                Fact(
                    document=document,
                    topic=topic,
                    kind="yesno",
                    answers=_ANSWERS[annotation.choice],
                    evidence=tuple(Evidence(document, start, end) for start, end in spans),
                    details={"hypothesis": label.hypothesis, "short_description": label.short_description},
                )
            )
    return Facts(tuple(stated))


def candidates(corpus: Corpus, facts: Sequence[Fact]) -> list[Question]:
    """Every question about the contracts that have a handle, in all wordings."""
    wordings = load_wordings()
    named = {document.id: document for document in corpus.documents if document.handle}
    read = any(each in named for clause in load_clauses().values() for each in clause.stated)
    sisters = near_duplicates(corpus.documents, _SISTERS)
    found: list[Question] = []
    for fact in facts:
        document = named.get(fact.document)
        if document is None or fact.document in load_doubtful().get(fact.topic, {}):
            continue
        topic = wordings.topics[fact.topic]
        if read and fact.topic not in wordings.beside_open:
            continue
        if fact.answers:
            found += _labelled(document, fact, topic)
        elif topic.silence and topic.silence_asked and not read:
            found += (silent(each, topic.silence, "document") for each in _asked(document, fact.topic, topic))
    found += open_questions(named.values())
    for name, absent in wordings.unanswerable.items():
        for document in named.values():
            if matches([absent.where], document.text):
                found += _unanswerable(document, name, absent)
    known = {"", *(document.id for document in corpus.documents)}
    fitting = [each for each in wordings.adversarial if {*each.near, each.document} <= known]
    traps = [_trap(each, wordings) for each in fitting]
    found += traps or [each for document in named.values() for each in _amended(document, wordings)]
    if read:
        found = [
            each for each in found if each.stratum != "null_retrieval" or each.topic in wordings.of_nothing
        ]
    # What falls when another document says what its own does not say in the index.
    return [
        each
        for each in found
        if each.document not in sisters or not (each.withheld or each.stratum == "adversarial")
    ]


def _labelled(document: Document, fact: Fact, topic: Topic) -> Iterator[Question]:
    """Yield a label as a question to be answered, withheld, and asked of an empty retrieval."""
    affirmed = fact.answers == ("yes",)
    evidence = _telling(document, fact)
    stated = "\n".join(document.text[span.start : span.end] for span in evidence)
    if not matches(topic.affirmed if affirmed else topic.denied, stated):
        return
    excepted = affirmed and bool(topic.exception) and matches(topic.exception, stated)
    rule = _rule_before(document, evidence, topic) if excepted else evidence
    silent_rest = leaves_silence(document, evidence, topic.silence)
    gone = tuple(dict.fromkeys((*rule, *evidence))) if silent_rest else ()
    for asked in _asked(document, fact.topic, topic):
        answers = ("yes",) if affirmed == asked.yes_means else ("no",)
        known = msgspec.structs.replace(asked, answerable=True, answers=answers, evidence=evidence)
        # What the rule alone would answer.
        false = (Distractor("no" if answers == ("yes",) else "yes", _RULE, rule),) if excepted else ()
        note = "tempting: the rule says otherwise, an exception decides" if excepted else ""
        yield from ways(known, false=false, note=note, clause=gone)


def _rule_before(document: Document, evidence: tuple[Evidence, ...], topic: Topic) -> tuple[Evidence, ...]:
    """Sentence that states the rule, right before its exception; without one the evidence."""
    first = min(span.start for span in evidence)
    before = [each for each in document.segments if each[1] <= first and first - each[1] < _ADJACENT]
    if before and matches(topic.denied, document.text[slice(*before[-1])]):
        return (Evidence(document.id, *before[-1]),)
    return evidence


def _asked(document: Document, name: str, topic: Topic, frame: str = "{name}") -> Iterator[Question]:
    for wording, called in names(document):
        subject = frame.format(name=called)
        text = topic.positive[wording - 1].format(name=subject)
        bare = unanswered(text, "yesno", document.id, name, wording)
        plain = msgspec.structs.replace(bare, form="positive", proposition=topic.proposition)
        yield plain
        text = topic.negative[wording - 1].format(name=subject)
        yield msgspec.structs.replace(plain, text=text, form="negative", yes_means=False)


def _unanswerable(document: Document, name: str, absent: Absent) -> Iterator[Question]:
    for wording, called in names(document):
        text = absent.text.format(name=called)
        bare = unanswered(text, absent.kind, document.id, name, wording, unit=absent.unit)
        asked = msgspec.structs.replace(bare, proposition=absent.proposition)
        yield silent(asked, absent.patterns, "corpus")


def _trap(told: Trap, wordings: Wordings) -> Question:
    """Trap in its own words, or in those of its topic with a name that misleads."""
    bare = unanswered(told.text, told.kind, told.document, told.topic, unit=told.unit)
    plain = trap(bare, told.patterns, "document" if told.document else "corpus", told.note)
    asked = wordings.topics.get(told.asks)
    if not told.asks:
        return plain
    if asked is None:
        clause = load_clauses()[told.asks]
        return msgspec.structs.replace(
            plain, text=clause.asked[told.wording - 1].format(name=told.name), kind=clause.kind
        )
    texts = asked.positive if told.yes_means else asked.negative
    return msgspec.structs.replace(
        plain,
        text=texts[told.wording - 1].format(name=told.name),
        kind="yesno",
        form="positive" if told.yes_means else "negative",
        proposition=asked.proposition,
        yes_means=told.yes_means,
    )


def _amended(document: Document, wordings: Wordings) -> Iterator[Question]:
    """Yield questions about an amendment that does not exist, for corpora without traps of their own."""
    amendment = wordings.amendment
    for topic in amendment.topics:
        for asked in _asked(document, topic, wordings.topics[topic], amendment.name):
            moved = msgspec.structs.replace(asked, document="", topic="amendment")
            yield trap(moved, amendment.patterns, "corpus", amendment.note)


def _telling(document: Document, fact: Fact) -> tuple[Evidence, ...]:
    """Spans without headings, numbers, stems of lists and surplus, unless nothing else is left."""
    surplus = load_wordings().surplus.get(fact.topic, {}).get(document.id, [])
    told = tuple(
        span
        for span in fact.evidence
        if len(_text(document, span).split()) >= _TELLING
        and not _text(document, span).endswith(_STEM)
        and span.start not in surplus
    )
    further = load_wordings().further.get(fact.topic, {}).get(document.id, [])
    return (*(told or fact.evidence), *(Evidence(document.id, start, end) for start, end in further))


def _text(document: Document, span: Evidence) -> str:
    return document.text[span.start : span.end].strip()
