"""Every question that could be asked about ContractNLI: its labels in our wording, and the traps.

``questions.toml`` holds the wordings, ``doubtful.toml`` the pairs of contract and topic that are never asked
about because the contract's own words do not give their label beyond doubt.
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from functools import cache, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from ragharness.passages import build_passages, withhold
from ragharness.questions.corpus_index import near_duplicates
from ragharness.records import Distractor, Evidence, Fact, Kind, Question

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ragharness.corpus import Corpus
    from ragharness.passages import PassageSet
    from ragharness.records import Document

VERSION = 2
"""Raised whenever the candidates change; kept with every frozen set."""

HERE = Path(__file__).parent

_SKEWED = 1 / 3
"""A label is against the usual answer when at most this share of the contracts that settle it have it."""

_TELLING = 5
"""Words from which a span states something: shorter ones are numbers and headings of clauses."""

_STEM = (":", "-", "\N{EN DASH}", "\N{EM DASH}")
"""How a span ends that only leads into a list."""

_SISTERS = 0.5
"""Share of common shingles from which two contracts are forms of one drafter.

The clause that is withheld from one would stand in the other word for word. All other contracts of the test
split have less than a third in common.
"""


class Topic(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How one hypothesis is asked about."""

    proposition: str
    positive: list[str]
    negative: list[str]
    affirmed: list[str]
    denied: list[str]
    silence: list[str] = []
    silence_asked: bool = True
    exception: list[str] = []


class Absent(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A topic that no contract touches."""

    kind: Kind
    text: str
    patterns: list[str]
    unit: str = ""


class Trap(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A question that looks as if its answer were there."""

    topic: str
    text: str
    patterns: list[str]
    note: str
    near: list[str] = []
    document: str = ""
    kind: Kind = "yesno"
    unit: str = ""
    proposition: str = ""
    yes_means: bool = True


class Amendment(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A trap that can be set beside any contract."""

    name: str
    patterns: list[str]
    note: str
    topics: list[str]


class Wordings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """``questions.toml``."""

    topics: dict[str, Topic]
    surplus: dict[str, dict[str, list[int]]]
    unanswerable: dict[str, Absent]
    adversarial: list[Trap]
    amendment: Amendment


def candidates(corpus: Corpus) -> list[Question]:
    """Return every question about the contracts that have a handle, in all wordings."""
    wordings = load_wordings()
    named = {document.id: document for document in corpus.documents if document.handle}
    usual = Counter((fact.topic, fact.answers) for fact in corpus.facts)
    sisters = near_duplicates(corpus.documents, _SISTERS)
    found: list[Question] = []
    for fact in corpus.facts:
        document = named.get(fact.document)
        if document is None or fact.document in load_doubtful().get(fact.topic, {}):
            continue
        topic = wordings.topics[fact.topic]
        if fact.answers:
            found += _labelled(document, fact, topic, usual)
        elif topic.silence and topic.silence_asked:
            found += _silent(document, fact, topic)
    for name, absent in wordings.unanswerable.items():
        for document in named.values():
            found += _unanswerable(document, name, absent)
    known = {"", *(document.id for document in corpus.documents)}
    traps = [_trap(each) for each in wordings.adversarial if {*each.near, each.document} <= known]
    found += traps or [trap for document in named.values() for trap in _amended(document, wordings)]
    return [each for each in found if not (each.document in sisters and _hangs_on_one(each))]


def _hangs_on_one(question: Question) -> bool:
    """Whether the question falls when another document says what its own does not say in the index."""
    return bool(question.withheld) or question.stratum == "adversarial"


@cache
def load_wordings() -> Wordings:
    """Return the content of ``questions.toml``."""
    return msgspec.convert(tomllib.loads((HERE / "questions.toml").read_text(encoding="utf-8")), Wordings)


@cache
def load_doubtful() -> dict[str, dict[str, str]]:
    """Return the pairs that are never asked about: topic, document, reason."""
    content = tomllib.loads((HERE / "doubtful.toml").read_text(encoding="utf-8"))
    return msgspec.convert(content, dict[str, dict[str, str]])


def _labelled(
    document: Document, fact: Fact, topic: Topic, usual: Counter[tuple[str, tuple[str, ...]]]
) -> Iterator[Question]:
    """Yield a label as a question to be answered, withheld, and asked of an empty retrieval."""
    affirmed = fact.answers == ("yes",)
    evidence = _telling(document, fact)
    stated = "\n".join(document.text[span.start : span.end] for span in evidence)
    if not _matches(topic.affirmed if affirmed else topic.denied, stated):
        return
    temptation = _temptation(fact, topic, stated, usual)
    silent_rest = _leaves_silence(document, evidence, topic)
    for asked in _asked(document, fact.topic, topic):
        answers = ("yes",) if affirmed == asked.yes_means else ("no",)
        known = msgspec.structs.replace(asked, answerable=True, answers=answers, evidence=evidence)
        yield _answerable(known, temptation)
        yield msgspec.structs.replace(known, target="unsupported", withheld="document")
        if silent_rest:
            yield msgspec.structs.replace(known, target="unsupported", withheld="clause")
        yield msgspec.structs.replace(known, stratum="null_retrieval")


def _leaves_silence(document: Document, evidence: tuple[Evidence, ...], topic: Topic) -> bool:
    """Whether nothing else in the contract touches the topic once its passages are withheld."""
    rest = withhold(_passages(document), (), evidence).passages
    return bool(topic.silence) and not _matches(topic.silence, "\n".join(each.text for each in rest))


@lru_cache(maxsize=1)
def _passages(document: Document) -> PassageSet:
    """Facts come document by document: the last one is all that needs keeping."""
    return build_passages([document])


def _answerable(known: Question, temptation: str) -> Question:
    if not temptation:
        return msgspec.structs.replace(known, target="correct")
    opposite = "no" if known.answers == ("yes",) else "yes"
    false = Distractor(opposite, about=temptation)
    return msgspec.structs.replace(
        known, target="wrong", distractors=(false,), note=f"tempting: {temptation}"
    )


def _temptation(fact: Fact, topic: Topic, stated: str, usual: Counter[tuple[str, tuple[str, ...]]]) -> str:
    """Return why a careless reader would answer otherwise; empty when nothing misleads."""
    opposite = ("no",) if fact.answers == ("yes",) else ("yes",)
    same, others = usual[fact.topic, fact.answers], usual[fact.topic, opposite]
    if same <= _SKEWED * (same + others):
        return f"{others} of the {same + others} contracts that settle this say otherwise"
    if fact.answers == ("yes",) and topic.exception and _matches(topic.exception, stated):
        return "the rule says otherwise, an exception to it decides"
    return ""


def _silent(document: Document, fact: Fact, topic: Topic) -> Iterator[Question]:
    """Yield a contract's silence; whether the text is silent indeed is tested when the question is picked."""
    for asked in _asked(document, fact.topic, topic):
        yield msgspec.structs.replace(
            asked,
            target="refused",
            absence_patterns=tuple(topic.silence),
            absence_scope="document",
        )


def _asked(document: Document, name: str, topic: Topic, frame: str = "{name}") -> Iterator[Question]:
    for wording, called in _names(document):
        subject = frame.format(name=called)
        plain = Question(
            id="",
            text=topic.positive[wording - 1].format(name=subject),
            stratum="grounded",
            kind="yesno",
            answerable=False,
            document=document.id,
            topic=name,
            form="positive",
            wording=wording,
            proposition=topic.proposition,
        )
        yield plain
        text = topic.negative[wording - 1].format(name=subject)
        yield msgspec.structs.replace(plain, text=text, form="negative", yes_means=False)


def _unanswerable(document: Document, name: str, absent: Absent) -> Iterator[Question]:
    for wording, called in _names(document):
        yield Question(
            id="",
            text=absent.text.format(name=called),
            stratum="unanswerable",
            kind=absent.kind,
            answerable=False,
            document=document.id,
            topic=name,
            wording=wording,
            unit=absent.unit,
            absence_patterns=tuple(absent.patterns),
            absence_scope="corpus",
        )


def _trap(trap: Trap) -> Question:
    return Question(
        id="",
        text=trap.text,
        stratum="adversarial",
        kind=trap.kind,
        answerable=False,
        document=trap.document,
        topic=trap.topic,
        form=("positive" if trap.yes_means else "negative") if trap.kind == "yesno" else "",
        unit=trap.unit,
        proposition=trap.proposition,
        yes_means=trap.yes_means,
        absence_patterns=tuple(trap.patterns),
        absence_scope="document" if trap.document else "corpus",
        note=trap.note,
    )


def _amended(document: Document, wordings: Wordings) -> Iterator[Question]:
    """Yield questions about an amendment that does not exist, for corpora without traps of their own."""
    amendment = wordings.amendment
    for topic in amendment.topics:
        for asked in _asked(document, topic, wordings.topics[topic], amendment.name):
            yield msgspec.structs.replace(
                asked,
                stratum="adversarial",
                document="",
                topic="amendment",
                absence_patterns=tuple(amendment.patterns),
                absence_scope="corpus",
                note=amendment.note,
            )


def _names(document: Document) -> Iterator[tuple[int, str]]:
    """Yield the number of a wording and how it calls the document: two by its title, one in other words."""
    title = f"the {document.title}"
    yield from ((1, title), (2, title))
    if document.paraphrase:
        yield 3, document.paraphrase


def _telling(document: Document, fact: Fact) -> tuple[Evidence, ...]:
    """Return the spans without headings, numbers, stems of lists and surplus, unless nothing else is left."""
    surplus = load_wordings().surplus.get(fact.topic, {}).get(document.id, [])
    told = tuple(
        span
        for span in fact.evidence
        if len(_text(document, span).split()) >= _TELLING
        and not _text(document, span).endswith(_STEM)
        and span.start not in surplus
    )
    return told or fact.evidence


def _text(document: Document, span: Evidence) -> str:
    return document.text[span.start : span.end].strip()


def _matches(patterns: list[str], text: str) -> bool:
    return any(re.search(pattern, text, re.IGNORECASE | re.DOTALL) for pattern in patterns)
