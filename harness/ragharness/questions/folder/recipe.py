"""All candidate questions of a folder, from its statements, absent topics and similar documents."""

from __future__ import annotations

import re
from collections import Counter
from functools import lru_cache
from typing import TYPE_CHECKING

from msgspec.structs import replace

from ragharness.language.dates import find_dates
from ragharness.language.tokens import words
from ragharness.passages import build_passages, withhold
from ragharness.questions.asking.dates import iso
from ragharness.questions.folder.absent_topics import OF_BODIES, OF_CONTRACTS, OF_NAMES
from ragharness.questions.folder.content_words import content_words
from ragharness.questions.folder.definitions import LETTERS
from ragharness.questions.folder.facts import AGREEMENT_FORMS, NAME, is_name
from ragharness.questions.folder.traps import Traps, body_in
from ragharness.questions.folder.wording import draw, worded
from ragharness.records import Distractor, Evidence, Question

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from ragharness.corpus import Corpus
    from ragharness.passages import PassageSet
    from ragharness.questions.folder.absent_topics import Topic
    from ragharness.questions.folder.statements import Statement
    from ragharness.records import Document, Passage

_DRAWN = 16
"""Documents of its kind of which one is asked what another one states."""

_DOCUMENTS = 20
"""Documents that topics which nothing touches are asked of."""

_NAMES = 3
"""Names of a document of which something is asked that nothing says."""

_MARKED = re.compile(r"[._()]|^--")
"""What tells the name of a function or a setting from that of a product."""

_NO_BODY = re.compile(
    r"^(?:The|A|An|All|Although|While|When|As|In|On|At|By|With|For|From|To|Under|If|Since|After|Before|Both)\b"
    r"|\bActs?\b|\bfor\b|^[A-Z]{2,}\d|^[A-Z]+&[A-Z]$"
)

_ATTRIBUTES = 3
"""Attributes of a name that are asked about."""

_NEAR = 300
"""Characters around a name in which what is said of it stands."""

_NAMES_ONLY = frozenset({LETTERS, "organised"})
"""Forms that are not asked of another document: names, and quotes, that only their own one has."""

_BY_PATTERN = frozenset({"law", "dated"})
"""Forms that every document of the folder may have: whether one has it, a pattern says."""

_SENTENCES = frozenset({"subject", "actor", "does", "gap"})
_HISTORY = frozenset({"release", "change"})

_NAME = re.compile(r"\b[A-Z][\w&'’-]*(?:\s+[A-Z][\w&'’-]*)*")
_PROGRAM_NAME = re.compile(NAME)
_MONTHS = frozenset(
    "january february march april may june july august september october november december".split()  # noqa: SIM905
)


def candidates_about(found: Iterable[Statement], corpus: Corpus) -> list[Question]:
    """Return what can be asked about some statements, and of what the folder lacks."""
    named = [each for each in corpus.documents if each.handle]
    content = {each.id: content_words(each.text) for each in named}
    questions: list[Question] = []
    found = sorted(found, key=lambda each: each.document.id)  # document by document: see _passages
    kinds: dict[str, list[str]] = {}
    for each in found:
        if each.document.id not in kinds.setdefault(_kind_of(each), []):
            kinds[_kind_of(each)].append(each.document.id)
    for form in _BY_PATTERN:
        kinds.pop(form, None)
    traps = Traps(found, corpus)
    for each in found:
        questions += _stated(each)
        if each.form not in _NAMES_ONLY:
            others = _others(each, kinds.get(_kind_of(each), list(content)), content)
            questions += next(
                filter(None, (list(_silent(each, corpus.document(other))) for other in others)), ()
            )
            questions += traps.about(each)
    names = _names(found)
    if 3 * sum(each.form in AGREEMENT_FORMS for each in found) > len(found):
        for document in sorted(named, key=lambda each: draw(each.id))[:_DOCUMENTS]:
            for topic in OF_CONTRACTS:
                questions += _unsaid(document, topic, topic.stems)
    else:
        # Documents that state little first: those that state much are asked for it.
        stated = Counter(each.document.id for each in found)
        for document in sorted(named, key=lambda each: (stated[each.id], draw(each.id))):
            for name in [
                each for each in names if each.removeprefix("the ").removesuffix("()") in document.text
            ][:_NAMES]:
                questions += _attributes(name, document, corpus)
    return [each for each in questions if not _tells(each)]


def _unsaid(document: Document, topic: Topic, patterns: Sequence[str], name: str = "") -> Iterator[Question]:
    """Yield the question about something that no document says."""
    asked = topic.asked._replace(question=topic.asked.question.replace("{name}", name))
    for each in worded(document, f"unsaid {topic.name}", asked):
        yield replace(each, stratum="unanswerable", absence_patterns=tuple(patterns), absence_scope="corpus")


def _names(found: Iterable[Statement]) -> list[str]:
    """Return the names of a program, or of bodies, that statements are about, in an order of their own."""
    names: list[str] = []
    for each in found:
        text = each.asked.question
        body = body_in(text)
        if not body:
            names += (name for name in _PROGRAM_NAME.findall(text) if _MARKED.search(name) and is_name(name))
        elif not _NO_BODY.search(body["name"]):
            names.append(f"{body['article'] or ''}{body['name']}")
    return sorted(dict.fromkeys(names), key=draw)


def _attributes(name: str, document: Document, corpus: Corpus) -> Iterator[Question]:
    """Yield what might be said of a name, and is nowhere near it in any document."""
    bare = name.removeprefix("the ").removesuffix("()")
    around = " ".join(_near(bare, corpus))
    if re.search(rf"\bAct\b[^.()]{{0,40}}\({re.escape(bare)}\)", around):
        return  # a law
    of_program = _PROGRAM_NAME.fullmatch(name) is not None
    other = "call " if bare.startswith("--") or bare.isupper() else "setting "
    left = _ATTRIBUTES
    for topic in sorted(OF_NAMES if of_program else OF_BODIES, key=lambda each: draw(each.name + name)):
        stems = "|".join(topic.stems)
        if not (topic.name.startswith(other) or re.search(stems, around, re.IGNORECASE)):
            there = re.escape(bare)
            patterns = (
                rf"{there}(?s:.{{0,{_NEAR}}})(?:{stems})",
                rf"(?:{stems})(?s:.{{0,{_NEAR}}}){there}",
            )
            yield from _unsaid(document, topic, patterns, name)
            left -= 1
        if not left:
            return


def _near(name: str, corpus: Corpus) -> Iterator[str]:
    """Yield what stands around a name, wherever a document has it."""
    for document in corpus.documents:
        for found in re.finditer(re.escape(name), document.text, re.IGNORECASE):
            yield document.text[max(0, found.start() - _NEAR - 40) : found.end() + _NEAR + 40]


def _stated(statement: Statement) -> Iterator[Question]:
    """Yield a statement as a question to be answered, withheld, and asked of an empty retrieval."""
    document = statement.document
    false = tuple(
        Distractor(value, "another of its kind near by", (Evidence(document.id, start, end),))
        for value, start, end in dict.fromkeys(statement.tempting)
    )
    lonely = not statement.elsewhere
    by_clause = lonely and _leaves_silence(statement)
    for plain in worded(document, statement.topic, statement.asked):
        known = replace(
            plain,
            answerable=True,
            answers=(statement.asked.answer, *statement.also),
            evidence=statement.evidence,
        )
        if false:
            note = "tempting: another of its kind near by"
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
    if statement.form in {LETTERS, "party"}:
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


def _kind_of(statement: Statement) -> str:
    """Return the sort of text that states such things."""
    form = statement.form
    return "sentence" if form in _SENTENCES else "history" if form in _HISTORY else form


def _silent(statement: Statement, other: Document) -> Iterator[Question]:
    """Yield the question of one document asked of another, which does not have what it turns on."""
    turns_on = statement.turns_on or _absent_name(statement, other)
    if not turns_on or re.search(turns_on, other.text, re.IGNORECASE):
        return
    home = statement.document.id
    for plain in worded(other, f"of another {draw(statement.asked.question)}", statement.asked):
        yield replace(
            plain,
            target="refused",
            absence_patterns=(turns_on,),
            absence_scope="document",
            note=f"stated in {home}, not here",
        )


def _absent_name(statement: Statement, other: Document) -> str:
    """Return a pattern for the longest name of a question that another document does not have."""
    text = statement.asked.about
    found = _NAME.findall(text)[1:] + [each[0] for each in _PROGRAM_NAME.finditer(text)]
    names = (each for each in found if len(each) > 2 and each.lower() not in _MONTHS)
    absent = [each for each in names if each.casefold() not in other.text.casefold()]
    return re.escape(max(absent, key=len)) if absent else ""


def _others(statement: Statement, kind: Sequence[str], named: Mapping[str, frozenset[str]]) -> list[str]:
    """Return documents that state things of its sort, those first beside which the question looks at home."""
    others = [each for each in kind if each != statement.document.id]
    if not others:
        return []
    first = int(draw(statement.document.id + statement.topic), 16)
    drawn = dict.fromkeys(others[(first + step * 7919) % len(others)] for step in range(_DRAWN))
    wanted = content_words(statement.asked.about)
    shared = {each: len(wanted & named[each]) for each in drawn}
    # A quote is at home only where its words are.
    least = len(wanted) * _AT_HOME if statement.asked.left else 0
    return sorted((each for each in drawn if shared[each] >= least), key=lambda each: (-shared[each], each))


_AT_HOME = 0.4
"""Share of the words of a quoted statement that the other document must have."""


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
