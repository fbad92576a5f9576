"""Every question that could be asked about ContractNLI: its labels, open questions, and the traps.

``questions.toml`` holds the wordings, ``doubtful.toml`` the pairs of contract and topic that are never asked
about because the contract's own words do not give their label beyond doubt. ``clauses.toml`` holds what the
contracts that were read for them answer to open ones: how long, within how many days, which law.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal
from functools import lru_cache
from pathlib import Path

import msgspec

from ragharness.corpus.loading import Corpus
from ragharness.corpus.passages import PassageSet, build_passages, withhold
from ragharness.records import Distractor, Document, Evidence, Kind, Question
from ragquestions.corpus_index import near_duplicates
from ragquestions.recipes import Fact, Facts, silent, trap, unanswered, ways

from ..parse import document_id, read_split

VERSION = 4  # raised whenever the candidates change; kept with every frozen set
_TELLING = 5  # words from which a span states something: shorter ones are numbers and headings of clauses
_RULE = "the rule without its exception"  # whose the false answer is where an exception decides
_ADJACENT = 20  # characters between a rule and its exception: the number of a clause
_STEM = (":", "-", "\N{EN DASH}", "\N{EM DASH}")  # how a span ends that only leads into a list
_SISTERS = 0.5  # share of shingles of one drafter's forms: what one withholds stands in the other
_ANSWERS: dict[str, tuple[str, ...]] = {"Entailment": ("yes",), "Contradiction": ("no",), "NotMentioned": ()}
_TERM = "term"
_AFTER = re.compile(
    r"surviv|(?:after|following|from)\s(?:the\s)?(?:\w+\s)?(?:terminat|expir|end\b|cessation)", re.IGNORECASE
)  # a period that begins when the agreement ends
_BUSINESS_DAYS = re.compile(r"\bbusiness\s+days?\b", re.IGNORECASE)
_INCORPORATED = re.compile(
    r"\ban? ((?:New |North |South )?[A-Z][a-z]+) (?:corporation|limited (?:liability company|partnership))\b"
)


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
    proposition: str = ""
    where: str = ""  # a pattern of the contracts whose readers might ask for it


class Trap(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A question that looks as if its answer were there: a name that misleads, or a text of its own."""

    topic: str
    patterns: list[str]
    note: str
    name: str = ""
    asks: str = ""
    wording: int = 1
    yes_means: bool = True
    text: str = ""
    near: list[str] = []
    document: str = ""
    kind: Kind = "number"
    unit: str = ""


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
    further: dict[str, dict[str, list[tuple[int, int]]]]
    unanswerable: dict[str, Absent]
    adversarial: list[Trap]
    beside_open: list[str]
    of_nothing: list[str]
    amendment: Amendment


class Stated(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What one contract states of a clause, and where."""

    answers: tuple[str, ...]
    at: tuple[tuple[int, int], ...]
    unit: str = ""

    def evidence(self, document: Document) -> tuple[Evidence, ...]:
        """Spans that state it, "sixty days (60) notice" whole: a figure in brackets looks like a new item."""
        answer, spans = self.answers[0], []
        for start, end in self.at:
            ends = (last for first, last in document.segments if end <= first <= end + 1)
            # One of a single digit may be a new item indeed.
            goes_on = len(answer) > 1 and document.text.startswith(f"({answer})", end)
            spans.append(Evidence(document.id, start, next(ends, end) if goes_on else end))
        return tuple(spans)


class Clause(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How one clause is asked about; see ``clauses.toml``."""

    kind: Kind
    about: str
    asked: list[str]
    silence: tuple[str, ...]
    stated: dict[str, Stated]
    silence_asked: bool = True
    asked_after: list[str] = []


HERE = Path(__file__).parent
WORDINGS = msgspec.toml.decode((HERE / "questions.toml").read_bytes(), type=Wordings)
DOUBTFUL = msgspec.toml.decode((HERE / "doubtful.toml").read_bytes(), type=dict[str, dict[str, str]])
CLAUSES = msgspec.toml.decode((HERE / "clauses.toml").read_bytes(), type=dict[str, Clause])


def facts(corpus: Corpus) -> Facts:
    """One fact for each contract and hypothesis: its topic is the hypothesis' key."""
    if corpus.files is None:
        return Facts()
    content = read_split(corpus.files, corpus.split)
    documents = {document.id for document in corpus.documents}
    stated = (
        Fact(
            document=document,
            topic=topic,
            kind="yesno",
            answers=_ANSWERS[annotation.choice],
            evidence=tuple(Evidence(document, *contract.spans[place]) for place in sorted(annotation.spans)),
            details={"hypothesis": label.hypothesis, "short_description": label.short_description},
        )
        for contract in content.documents
        if (document := document_id(contract)) in documents
        for topic, label in content.labels.items()
        for annotation in (contract.annotation_sets[0].annotations[topic],)
    )
    return Facts(tuple(stated))


def candidates(corpus: Corpus, facts: Sequence[Fact]) -> list[Question]:
    """Every question about the contracts that have a handle, in all wordings."""
    named = {document.id: document for document in corpus.documents if document.handle}
    read = any(each in named for clause in CLAUSES.values() for each in clause.stated)
    sisters = near_duplicates(corpus.documents, _SISTERS)
    found: list[Question] = []
    for fact in facts:
        document = named.get(fact.document)
        if document is None or fact.document in DOUBTFUL.get(fact.topic, {}):
            continue
        topic = WORDINGS.topics[fact.topic]
        if read and fact.topic not in WORDINGS.beside_open:
            continue
        if fact.answers:
            found += _labelled(document, fact, topic)
        elif topic.silence and topic.silence_asked and not read:
            found += (silent(each, topic.silence, "document") for each in _asked(document, fact.topic, topic))
    found += open_questions(named.values())
    for name, absent in WORDINGS.unanswerable.items():
        for document in named.values():
            if matches([absent.where], document.text):
                found += _unanswerable(document, name, absent)
    ids = {"", *(document.id for document in corpus.documents)}
    traps = [_trap(each) for each in WORDINGS.adversarial if {*each.near, each.document} <= ids]
    found += traps or [each for document in named.values() for each in _amended(document)]
    # What falls when another document says what its own does not say in the index.
    return [
        question
        for question in found
        if (not read or question.stratum != "null_retrieval" or question.topic in WORDINGS.of_nothing)
        and not (question.document in sisters and (question.withheld or question.stratum == "adversarial"))
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
    for wording, title in names(document):
        text = absent.text.format(name=title)
        asked = unanswered(text, absent.kind, document.id, name, wording, unit=absent.unit)
        proposed = msgspec.structs.replace(asked, proposition=absent.proposition)
        yield silent(proposed, absent.patterns, "corpus")


def _trap(told: Trap) -> Question:
    """Trap in its own words, or in those of its topic with a name that misleads."""
    bare = unanswered(told.text, told.kind, told.document, told.topic, unit=told.unit)
    plain = trap(bare, told.patterns, "document" if told.document else "corpus", told.note)
    if not told.asks:
        return plain
    if (topic := WORDINGS.topics.get(told.asks)) is None:
        clause = CLAUSES[told.asks]
        text = clause.asked[told.wording - 1].format(name=told.name)
        return msgspec.structs.replace(plain, text=text, kind=clause.kind)
    texts, form = (topic.positive, "positive") if told.yes_means else (topic.negative, "negative")
    return msgspec.structs.replace(
        plain,
        text=texts[told.wording - 1].format(name=told.name),
        kind="yesno",
        form=form,
        proposition=topic.proposition,
        yes_means=told.yes_means,
    )


def _amended(document: Document) -> Iterator[Question]:
    """Yield questions about an amendment that does not exist, for corpora without traps of their own."""
    amendment = WORDINGS.amendment
    for topic in amendment.topics:
        for asked in _asked(document, topic, WORDINGS.topics[topic], amendment.name):
            moved = msgspec.structs.replace(asked, document="", topic="amendment")
            yield trap(moved, amendment.patterns, "corpus", amendment.note)


def _telling(document: Document, fact: Fact) -> tuple[Evidence, ...]:
    """Spans without headings, numbers, stems of lists and surplus, unless nothing else is left."""
    surplus = WORDINGS.surplus.get(fact.topic, {}).get(document.id, [])
    texts = [(span, document.text[span.start : span.end].strip()) for span in fact.evidence]
    full = [span for span, text in texts if len(text.split()) >= _TELLING and not text.endswith(_STEM)]
    telling = tuple(span for span in full if span.start not in surplus)
    further = WORDINGS.further.get(fact.topic, {}).get(document.id, [])
    return (*(telling or fact.evidence), *(Evidence(document.id, start, end) for start, end in further))


def open_questions(documents: Iterable[Document]) -> Iterator[Question]:
    """Yield every open question about contracts with a name, document by document, in all wordings."""
    for document in documents:
        for topic, clause in CLAUSES.items():
            if document.id in clause.stated:
                yield from _stated(document, topic, clause)
            elif clause.silence_asked and not matches(clause.silence, document.text):
                for asked in _asked_open(document, topic, clause, clause.asked):
                    yield silent(asked, clause.silence, "document")


def _stated(document: Document, topic: str, clause: Clause) -> Iterator[Question]:
    """Yield a clause as a question to be answered, withheld, and asked of an empty retrieval."""
    stated = clause.stated[document.id]
    evidence = stated.evidence(document)
    words = "\n".join(document.text[each.start : each.end] for each in evidence)
    unit = f"business {stated.unit}" if _BUSINESS_DAYS.search(words) else stated.unit
    told = {"answerable": True, "answers": stated.answers, "unit": unit, "evidence": evidence}
    false = _tempting(document, topic, clause)
    gone = evidence if leaves_silence(document, evidence, clause.silence) else ()
    after = topic != _TERM and document.id in CLAUSES[_TERM].stated and _AFTER.search(words)
    note = f"tempting: the contract also states {false[0].about}" if false else ""
    for question in _asked_open(document, topic, clause, (after and clause.asked_after) or clause.asked):
        if clause.kind == "text" and any(answer in question.text for answer in stated.answers):
            continue  # the contract is named by the place asked for
        yield from ways(msgspec.structs.replace(question, **told), false=false, note=note, clause=gone)


def _asked_open(document: Document, topic: str, clause: Clause, texts: list[str]) -> Iterator[Question]:
    for wording, called in names(document):
        yield unanswered(texts[wording - 1].format(name=called), clause.kind, document.id, topic, wording)


def _tempting(document: Document, topic: str, clause: Clause) -> tuple[Distractor, ...]:
    """What the contract states of others in the same measure, each with its place.

    Of the governing law it is where a party was incorporated, of a figure what other clauses set.
    """
    own = clause.stated[document.id]
    found: dict[str, Distractor] = {}
    for match in _INCORPORATED.finditer(document.text) if topic == "law" else ():
        if match[1] not in own.answers:
            place = Evidence(document.id, *match.span())
            found.setdefault(match[1], Distractor(match[1], "where a party was incorporated", (place,)))
    for name, other in CLAUSES.items():
        stated = other.stated.get(document.id)
        if name == topic or stated is None or {clause.kind, other.kind} != {"number"}:
            continue
        value = _converted(stated, own.unit)
        if value and value not in own.answers:
            found.setdefault(value, Distractor(value, other.about, stated.evidence(document)))
    return tuple(found.values())[:3]


def _converted(stated: Stated, unit: str) -> str:
    """Duration in another unit; empty: days do not compare with months."""
    value = Decimal(stated.answers[0])
    if stated.unit != unit:
        if "days" in (stated.unit, unit):
            return ""
        value = value * 12 if unit == "months" else value / 12
    return f"{value.normalize():f}"


def names(document: Document) -> Iterator[tuple[int, str]]:
    """Yield the number of a wording and how it calls the document: two by its title, one in other words."""
    title = f"the {document.title}"
    yield from ((1, title), (2, title))
    if document.paraphrase:
        yield 3, document.paraphrase


def leaves_silence(document: Document, evidence: tuple[Evidence, ...], silence: Iterable[str]) -> bool:
    """Whether nothing else in the contract touches the topic once its passages are withheld."""
    rest = withhold(_passages(document), (), evidence).passages
    return bool(silence) and not matches(silence, "\n".join(each.text for each in rest))


@lru_cache(maxsize=1)
def _passages(document: Document) -> PassageSet:
    """Facts come document by document: the last one is all that needs keeping."""
    return build_passages([document])


def matches(patterns: Iterable[str], text: str) -> bool:
    """Whether one of some case-insensitive patterns has a hit."""
    return any(re.search(pattern, text, re.IGNORECASE | re.DOTALL) for pattern in patterns)
