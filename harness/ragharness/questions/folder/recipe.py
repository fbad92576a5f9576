"""All candidate questions of a folder, from its statements, absent topics and similar documents."""

from __future__ import annotations

import re
from functools import lru_cache
from hashlib import sha256
from typing import TYPE_CHECKING, Literal

from msgspec.structs import replace

from ragharness.language.dates import find_dates
from ragharness.language.tokens import words
from ragharness.passages import build_passages, withhold
from ragharness.questions.asking.dates import iso
from ragharness.questions.folder.absent_topics import BODIES, TOPICS
from ragharness.questions.folder.content_words import content_words
from ragharness.records import Distractor, Evidence, Question

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from ragharness.corpus import Corpus
    from ragharness.passages import PassageSet
    from ragharness.questions.asking.statement import Asked
    from ragharness.questions.folder.statements import Statement
    from ragharness.records import Document, Passage

_DRAWN = 4
"""Documents of which one is asked what another one states."""

_DOCUMENTS = 20
"""Documents that topics which nothing touches are asked of."""

_VOLUMES = (
    ("addendum to", r"\baddend(?:um|a)\b"),
    ("errata sheet for", r"\berrat(?:um|a)\b"),
    ("companion volume to", r"\bcompanion\b"),
    ("abridged edition of", r"\babridged\b"),
)
"""Texts beside a document that do not exist, with what would name them."""

_YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")
_NAME = re.compile(r"\b[A-Z][\w&'’-]*(?:\s+[A-Z][\w&'’-]*)*")
_BODY = re.compile(
    r"(?<=[ “])(?P<article>the )?(?P<name>(?:[A-Z][\w&’'-]*\s+(?:of\s+|for\s+|and\s+|on\s+|the\s+)*)*(?:[A-Z][A-Z&]{1,7}|Department|Office|Agency|Bureau|Commission|Administration|Service|Board|Council|Committee|Institute|Company|Corporation|Corp|Inc|Group|Bank|Center|Court|Congress|University|Association|Foundation|Ministry|Treasury|Authority)(?:\s+(?:of|for|on)\s+(?:the\s+)?[A-Z][\w&-]*(?:\s+(?:and\s+)?[A-Z][\w&-]*)*)?)(?P<own>['’]s)?(?= [a-z])"
)
_MONTHS = frozenset(
    "january february march april may june july august september october november december".split()  # noqa: SIM905
)
_AFTER = re.compile(r"\b(?:did|does|do|was|were|has|had|have|will) $|“$")
"""What stands before the subject of a question, or of a statement that it quotes."""


def candidates_about(found: Iterable[Statement], corpus: Corpus) -> list[Question]:
    """Return what can be asked about some statements, and of what the folder lacks."""
    named = [each for each in corpus.documents if each.handle]
    content = {each.id: content_words(each.text) for each in named}
    questions: list[Question] = []
    for each in sorted(found, key=lambda each: each.document.id):  # document by document: see _passages
        questions += _stated(each)
        if each.asked.kind != "text":
            other = _other(each, content)
            questions += _silent(each, corpus.document(other)) if other else ()
            questions += _swapped(each, corpus)
    for document in sorted(named, key=lambda each: _draw(each.id))[:_DOCUMENTS]:
        for topic in TOPICS:
            questions += (
                replace(each, stratum="unanswerable", absence_patterns=topic.stems, absence_scope="corpus")
                for each in _worded(document, f"strange {topic.name}", topic.asked)
            )
    return [each for each in questions if not _tells(each)]


def _stated(statement: Statement) -> Iterator[Question]:
    """Yield a statement as a question to be answered, withheld, and asked of an empty retrieval."""
    document = statement.document
    false = tuple(
        Distractor(value, "another figure near by", (Evidence(document.id, start, end),))
        for value, start, end in dict.fromkeys(statement.tempting)
    )
    lonely = not statement.elsewhere
    by_clause = lonely and _leaves_silence(statement)
    for plain in _worded(document, statement.topic, statement.asked):
        known = replace(
            plain, answerable=True, answers=(statement.asked.answer,), evidence=statement.evidence
        )
        if false:
            note = "tempting: another figure near by"
            yield replace(known, target="wrong", distractors=false[:3], note=note)
        yield replace(known, target="correct")
        if lonely:
            yield replace(known, target="unsupported", withheld="document")
        if by_clause:
            yield replace(known, target="unsupported", withheld="clause")
        yield replace(known, stratum="null_retrieval")


def _leaves_silence(statement: Statement) -> bool:
    """Whether the rest of the document lacks a content word of the question, once its passage is withheld."""
    rest = withhold(_passages(statement.document), (), statement.evidence).passages
    if statement.asked.kind == "text":
        return all(statement.asked.answer not in each.text for each in rest)
    wanted = content_words(statement.asked.about)
    return all(len(wanted & _content(each)) < len(wanted) for each in rest)


@lru_cache(maxsize=64)
def _passages(document: Document) -> PassageSet:
    """Statements come document by document, or in turns of a few documents."""
    return build_passages([document])


@lru_cache(maxsize=4096)
def _content(passage: Passage) -> frozenset[str]:
    return content_words(passage.text)


def _silent(statement: Statement, other: Document) -> Iterator[Question]:
    """Yield the question of one document asked of another, which does not have a name that it turns on."""
    found = _NAME.findall(statement.asked.about)[1:]
    names = (each for each in found if len(each) > 2 and each.lower() not in _MONTHS)
    absent = [each for each in names if each.casefold() not in other.text.casefold()]
    if not absent:
        return
    home = statement.document.id
    for plain in _worded(other, f"of {home} {statement.topic}", statement.asked):
        yield replace(
            plain,
            target="refused",
            absence_patterns=(re.escape(max(absent, key=len)),),
            absence_scope="document",
            note=f"stated in {home}, not here",
        )


def _other(statement: Statement, named: Mapping[str, frozenset[str]]) -> str:
    """Return the document beside which the question looks most at home, of some that are drawn; "" of none."""
    others = [each for each in named if each != statement.document.id]
    if not others:
        return ""
    first = int(_draw(statement.document.id + statement.topic), 16)
    drawn = [others[(first + step * 7919) % len(others)] for step in range(_DRAWN)]
    wanted = content_words(statement.asked.about)
    return max(drawn, key=lambda each: (len(wanted & named[each]), each))


def _swapped(statement: Statement, corpus: Corpus) -> Iterator[Question]:
    """Yield the question with a body that does not exist, or with a year of which the document says nothing."""
    document, text = statement.document, statement.asked.question
    for body in _BODY.finditer(text):
        if _AFTER.search(text[: body.start()]):
            invented = _invented(statement, corpus)
            if invented:
                before, after = text[: body.start()], text[body.end() :]
                article = "The" if before.endswith("“") else "the"
                swapped = f"{before}{article} {invented}{body['own'] or ''}{after}"
                note = f"no such body: {invented}"
                yield from _trap(statement, swapped, re.escape(invented), note, scope="corpus")
            return
    volume, pattern = _VOLUMES[int(_draw(statement.topic + document.id), 16) % len(_VOLUMES)]
    yield from _trap(statement, text, pattern, f"there is no {volume} it", volume=volume)
    years = _YEAR.findall(text)
    if len(years) == 1 and statement.asked.kind == "number":
        other = next((each for each in _years(int(years[0])) if each not in document.text), "")
        if other:
            swapped, pattern = text.replace(years[0], other), rf"(?<!\d){other}(?!\d)"
            yield from _trap(statement, swapped, pattern, f"nothing is said of {other}")


def _trap(
    statement: Statement,
    text: str,
    pattern: str,
    note: str,
    *,
    scope: Literal["document", "corpus"] = "document",
    volume: str = "",
) -> Iterator[Question]:
    asked = statement.asked
    true = Distractor(asked.answer, "what was really asked about", statement.evidence)
    for plain in _worded(statement.document, statement.topic, asked._replace(question=text), volume):
        yield replace(
            plain,
            stratum="adversarial",
            distractors=(true,),
            absence_patterns=(pattern,),
            absence_scope=scope,
            note=note,
        )


def _years(year: int) -> list[str]:
    """Return the years around one, the nearest first; a later one only where the time has come."""
    return [str(each) for step in range(1, 12) for each in (year - step, year + step)]


def _invented(statement: Statement, corpus: Corpus) -> str:
    """Return the name of a body that no document of the folder mentions; empty where all are."""
    first = int(_draw(statement.document.id + statement.topic), 16)
    for step in range(len(BODIES)):
        name = BODIES[(first + step) % len(BODIES)]
        if not any(name.split()[0] in each.text for each in corpus.documents):
            return name
    return ""


def _worded(document: Document, topic: str, asked: Asked, volume: str = "") -> Iterator[Question]:
    """Yield the two wordings of a question: the document named first, and last."""
    name = f'the {volume} "{document.handle}"' if volume else f'"{document.handle}"'
    begin = asked.question[0].lower() + asked.question[1:]
    end = asked.question[0].upper() + asked.question[1:].rstrip("?")
    for number, text in enumerate((f"According to {name}, {begin}", f"{end}, according to {name}?"), start=1):
        yield Question(
            id="",
            text=text,
            stratum="grounded",
            target="",
            kind=asked.kind,
            answerable=False,
            document=document.id,
            topic=topic,
            wording=number,
            unit=asked.unit,
            date_precision=asked.precision,
        )


def _tells(question: Question) -> bool:
    """Whether the wording holds the answer, or the false one: in the document's name, say."""
    text = f" {' '.join(words(question.text))} "
    values = (*question.answers, *(each.value for each in question.distractors))
    if any(f" {' '.join(words(each))} " in text for each in values):
        return True
    if question.kind != "date":
        return False
    named = [iso(each) for each in find_dates(question.text) if each.year]
    return any(each.startswith(value) for each in named for value in values)


def _draw(text: str) -> str:
    return sha256(text.encode()).hexdigest()[:12]
