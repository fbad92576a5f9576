"""The wordings of all questions, and the open ones: how long, within how many days, which law."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from decimal import Decimal
from functools import cache, lru_cache
from pathlib import Path

import msgspec

from ragharness.corpus.passages import PassageSet, build_passages, withhold
from ragharness.records import Distractor, Document, Evidence, Kind, Question
from ragquestions.candidates import silent, unanswered, ways

HERE = Path(__file__).parent
_MOST_TEMPTING = 3
_MONTHS_OF_A_YEAR = 12
_LAW = "law"
_TERM = "term"
_AFTER = re.compile(
    r"surviv|(?:after|following|from)\s(?:the\s)?(?:\w+\s)?(?:terminat|expir|end\b|cessation)", re.IGNORECASE
)
"""A period that begins when the agreement ends."""
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
        """Spans that state it, each with the rest of a sentence that it breaks off in."""
        spans = (Evidence(document.id, start, end) for start, end in self.at)
        return tuple(_unbroken(document, each, self.answers[0]) for each in spans)


def _unbroken(document: Document, span: Evidence, answer: str) -> Evidence:
    """Span of "sixty days (60) written notice" whole: the figure in brackets looks like a new item.

    One of a single digit may be a new item indeed.
    """
    rest = (last for first, last in document.segments if span.end <= first <= span.end + 1)
    goes_on = len(answer) > 1 and document.text.startswith(f"({answer})", span.end)
    return Evidence(document.id, span.start, next(rest, span.end) if goes_on else span.end)


class Clause(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How one clause is asked about; see ``clauses.toml``."""

    kind: Kind
    about: str
    asked: list[str]
    silence: tuple[str, ...]
    stated: dict[str, Stated]
    silence_asked: bool = True
    asked_after: list[str] = []


@cache
def load_wordings() -> Wordings:
    """Content of ``questions.toml``."""
    return msgspec.toml.decode((HERE / "questions.toml").read_bytes(), type=Wordings)


@cache
def load_doubtful() -> dict[str, dict[str, str]]:
    """Pairs that are never asked about: topic, document, reason."""
    return msgspec.toml.decode((HERE / "doubtful.toml").read_bytes(), type=dict[str, dict[str, str]])


@cache
def load_clauses() -> dict[str, Clause]:
    """Content of ``clauses.toml``."""
    return msgspec.toml.decode((HERE / "clauses.toml").read_bytes(), type=dict[str, Clause])


def open_questions(documents: Iterable[Document]) -> Iterator[Question]:
    """Yield every open question about contracts with a name, document by document, in all wordings."""
    for document in documents:
        for topic, clause in load_clauses().items():
            if document.id in clause.stated:
                yield from _stated(document, topic, clause)
            elif clause.silence_asked and not matches(clause.silence, document.text):
                for asked in _asked(document, topic, clause):
                    yield silent(asked, clause.silence, "document")


def _stated(document: Document, topic: str, clause: Clause) -> Iterator[Question]:
    """Yield a clause as a question to be answered, withheld, and asked of an empty retrieval."""
    stated = clause.stated[document.id]
    evidence = stated.evidence(document)
    words = "\n".join(document.text[each.start : each.end] for each in evidence)
    unit = f"business {stated.unit}" if _BUSINESS_DAYS.search(words) else stated.unit
    false = _tempting(document, topic, clause)
    silent_rest = leaves_silence(document, evidence, clause.silence)
    after = topic != _TERM and document.id in load_clauses()[_TERM].stated and _AFTER.search(words)
    for asked in _asked(document, topic, clause, after=bool(after)):
        if clause.kind == "text" and any(each in asked.text for each in stated.answers):
            continue  # the contract is named by the place asked for
        known = msgspec.structs.replace(
            asked, answerable=True, answers=stated.answers, unit=unit, evidence=evidence
        )
        note = f"tempting: the contract also states {false[0].about}" if false else ""
        yield from ways(known, false=false, note=note, clause=evidence if silent_rest else ())


def _asked(document: Document, topic: str, clause: Clause, *, after: bool = False) -> Iterator[Question]:
    texts = clause.asked_after if after and clause.asked_after else clause.asked
    for wording, called in names(document):
        yield unanswered(texts[wording - 1].format(name=called), clause.kind, document.id, topic, wording)


def _tempting(document: Document, topic: str, clause: Clause) -> tuple[Distractor, ...]:
    """What the contract states of others in the same measure, each with its place.

    Of the governing law it is where a party was incorporated, of a figure what other clauses set.
    """
    own = clause.stated[document.id]
    found: dict[str, Distractor] = {}
    for match in _INCORPORATED.finditer(document.text) if topic == _LAW else ():
        if match[1] not in own.answers:
            place = Evidence(document.id, *match.span())
            found.setdefault(match[1], Distractor(match[1], "where a party was incorporated", (place,)))
    for name, other in load_clauses().items():
        stated = other.stated.get(document.id)
        if name == topic or stated is None or {clause.kind, other.kind} != {"number"}:
            continue
        value = _converted(stated, own.unit)
        if value and value not in own.answers:
            found.setdefault(value, Distractor(value, other.about, stated.evidence(document)))
    return tuple(found.values())[:_MOST_TEMPTING]


def _converted(stated: Stated, unit: str) -> str:
    """Duration in another unit; empty: days do not compare with months."""
    value = Decimal(stated.answers[0])
    if stated.unit != unit:
        if "days" in (stated.unit, unit):
            return ""
        value = value * _MONTHS_OF_A_YEAR if unit == "months" else value / _MONTHS_OF_A_YEAR
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
