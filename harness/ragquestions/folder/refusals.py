"""The wordings of a question, and ``Silence``: one without an answer, with the pattern that proves it."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from itertools import product
from typing import Any, NamedTuple

from msgspec.structs import replace

from ragharness.corpus.loading import Corpus
from ragharness.records import Distractor, Document, Question
from ragquestions.folder.facts import (
    NAME,
    OF_PARTIES,
    TERMS,
    VERSION,
    content_words,
    is_name,
    lines_of,
    parties,
)
from ragquestions.folder.rows import AMOUNT
from ragquestions.folder.statements import Statement, draw
from ragquestions.grammar import Asked
from ragquestions.recipes import Scope, unanswered
from ragquestions.wording import without_named_years


def worded(document: Document, topic: str, asked: Asked, volume: str = "") -> Iterator[Question]:
    """Yield the two wordings of a question: the document named first, and last."""
    name = f'the {volume} "{document.handle}"' if volume else f'"{document.handle}"'
    begin = asked.question[0].lower() + asked.question[1:]
    end = asked.question[0].upper() + asked.question[1:].rstrip("?")
    for number, text in enumerate((f"According to {name}, {begin}", f"{end}, according to {name}?"), start=1):
        bare = unanswered(text, asked.kind, document.id, topic, number)
        yield replace(bare, unit=asked.unit, date_precision=asked.precision)


NEAR = 300  # characters around a name or a year in which what is said of it stands


class Silence(NamedTuple):
    """A question with the pattern that nothing in its scope matches."""

    document: Document
    topic: str
    asked: Asked
    pattern: str
    note: str
    scope: Scope = "document"
    volume: str = ""


def said_of(name: str, stems: str) -> str:
    """Pattern of a name with what would say something of it before or behind it."""
    return rf"{name}(?s:.{{0,{NEAR}}})(?:{stems})|(?:{stems})(?s:.{{0,{NEAR}}}){name}"


def _silent(silence: Silence, **changes: Any) -> Iterator[Question]:
    proof = {"absence_patterns": (silence.pattern,), "absence_scope": silence.scope, "note": silence.note}
    for question in worded(silence.document, silence.topic, silence.asked, silence.volume):
        yield replace(question, **{**proof, **changes})


def refused(silence: Silence) -> Iterator[Question]:
    """Yield a question that its document does not answer."""
    return _silent(silence, target="refused", absence_scope="document")


def unanswerable(silence: Silence) -> Iterator[Question]:
    """Yield a question of which no document says anything."""
    return _silent(silence, stratum="unanswerable")


def trap(silence: Silence, statement: Statement) -> Iterator[Question]:
    """Yield a question that the answer of a true statement tempts to."""
    true = Distractor(statement.asked.answer, "what was really asked about", statement.evidence)
    return _silent(silence, stratum="adversarial", distractors=(true,))


def either(silence: Silence, statement: Statement) -> Iterator[Question]:
    """Yield a trap, and, where nothing in the folder is about it, an unanswerable question."""
    yield from trap(silence, statement)
    if silence.scope == "corpus":
        yield from unanswerable(silence)


BODIES = (
    "Calderbrook Institute",
    "Marwick Bureau",
    "Ostrander Commission",
    "Tarleton Agency",
    "Vandermeer Foundation",
    "Brackenridge Authority",
    "Lorimer Trust",
    "Hesketh Office",
    "Pellworth Committee",
)  # bodies that do not exist; one whose name occurs in the folder is not used
_BODY = re.compile(
    r"(?P<article>the )?(?P<name>(?P<title>Representative|Senator|Secretary|Judge) [A-Z][a-z]+ [A-Z][a-z]+"
    r"|(?:[A-Z][\w&’'-]*\s+(?:of\s+|for\s+|and\s+|on\s+|the\s+)*)*(?:[A-Z][A-Z&]{2,7}|Department|Office|Agency|Bureau|Commission|Administration"
    r"|Service|Board|Council|Committee|Institute|Corporation|Bank|Center|Court|University|Association|Foundation|Ministry|Authority)"
    r"(?:\s+(?:of|for|on)\s+(?:the\s+)?[A-Z][\w&-]*(?:\s+(?:and\s+)?[A-Z][\w&-]*)*)?)(?P<own>['’]s)?(?= (?![a-z]+[^s]s\b)[a-z])"
)
_AFTER = re.compile(r"\b(?:did|does|has|had|have|will) $|“$")  # before a subject, or that of a quotation

_YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")
_IN_YEAR = re.compile(
    r"\b(?:in|for|during)(?: the)?(?: fiscal year| fiscal| calendar year| year| FY)? ?$|\bas of (?:December 31|June 30|September 30), $",
    re.IGNORECASE,
)  # what stands before a year to which a figure belongs
_YEARS = 6  # years from the one that is stated within which another is looked for
_QUOTED = re.compile(r"“([^”]+)”")

_LIKE = 12  # names of a kind that are looked at
_TELLING = 4  # rare words of a question of which one must be far from another name, or year, wherever that is


class Swaps:
    """Changes one thing in a question, so that no text of the folder speaks of it."""

    def __init__(self, corpus: Corpus) -> None:
        self._texts = [each.text for each in corpus.documents]
        self._lower = [each.casefold() for each in self._texts]
        # Tables by the years that head their columns: what is listed for those may stand far below.
        self._tables: defaultdict[str, list[str]] = defaultdict(list)
        for table in (each for text in self._lower for each in text.split("\n\n") if " | " in each):
            heads = (set(_YEAR.findall(line)) for line in table.split("\n") if " | " in line)
            for year in {year for years in heads if len(years) > 1 for year in years}:
                self._tables[year].append(table)

    def of_another(self, statement: Statement) -> Iterator[Silence]:
        """Yield the question of somebody else whom the document names, and of a body that does not exist."""
        document, text = statement.document, statement.asked.question
        found = next((each for each in _BODY.finditer(text) if _AFTER.search(text[: each.start()])), None)
        if not found:
            return
        before, after = text[: found.start()], f"{found['own'] or ''}{text[found.end() :]}"
        about = content_words(statement.asked.about) - content_words(found[0])
        counted = text.lower().startswith("how many")  # of a body that is named, none is an answer
        for name in () if counted else self._like(found, document):
            if name not in text and (pattern := self._apart(re.escape(name), about, document)):
                article = found["article"] or ""
                asked = statement.asked._replace(question=f"{before}{article}{name}{after}")
                note = f"stated of {found['name']}, not of {name}"
                yield Silence(document, f"{statement.topic} of {name}", asked, pattern, note, "corpus")
                break
        first = int(draw(document.id + statement.topic)[:12], 16)
        names = (BODIES[(first + step) % len(BODIES)] for step in range(len(BODIES)))
        name = next((each for each in names if not any(each in other for other in self._texts)), "")
        if name and not found["title"]:
            article = "The" if before.endswith("“") else "the"
            asked = statement.asked._replace(question=f"{before}{article} {name}{after}")
            topic, note = f"{statement.topic} of another body", f"no such body: {name}"
            yield Silence(document, topic, asked, re.escape(name), note, "corpus")

    def _like(self, found: re.Match[str], document: Document) -> list[str]:
        """Names in a document that are of a kind with one in a question, the most frequent first."""
        if found["title"]:
            pattern = rf"\b{found['title']} [A-Z][a-z]+ [A-Z][a-z]+\b"
        elif found["name"].isupper():
            pattern = r"\b[A-Z]{3,6}(?= (?:officials|reported|issued|awarded|announced|published|established|proposed|estimated|told|said)\b)"
        else:
            return []
        counts = Counter(re.findall(pattern, document.text))
        return [name for name, count in counts.most_common(_LIKE) if found["title"] or count > 1]

    def _apart(self, name: str, about: frozenset[str], document: Document, year: str = "") -> str:
        """Pattern that nothing in the folder matches: a telling word near a name, or headed by a year."""
        text = document.text.casefold()
        telling = sorted(filter(str.isalnum, about), key=lambda word: (text.count(word), word))
        other = re.compile(name.lower())
        for word in telling[:_TELLING]:
            listed = any(word in table for table in self._tables.get(year, ()))
            if not listed and not any(_beside(word, other, lower) for lower in self._lower):
                return said_of(word, name)
        return ""

    def of_another_year(self, statement: Statement) -> Iterator[Silence]:
        """Yield a figure of another year, of which nothing is said near its words."""
        document, asked = statement.document, statement.asked
        told = without_named_years(asked.question)
        found = list(_YEAR.finditer(told))
        if len(found) != 1 or not _IN_YEAR.search(told[: found[0].start()]):
            return
        year, ((latest, _),) = int(found[0][0]), Counter(_YEAR.findall(document.text)).most_common(1)
        label = None if asked.left else _QUOTED.search(told)
        about = content_words(label[1] if label else asked.about) - {str(year)}
        for other in (each for step in range(1, _YEARS) for each in (year - step, year + step)):
            if other > int(latest) and other > year:
                continue
            years = rf"(?<!\d){other}(?!\d)|\bFY ?{other % 100:02d}\b"
            if pattern := self._apart(f"(?:{years})", about, document, str(other)):
                text = asked.question[: found[0].start()] + str(other) + asked.question[found[0].end() :]
                topic, note = f"{statement.topic} of another year", f"nothing is said of {other}"
                yield Silence(document, topic, asked._replace(question=text), pattern, note, "corpus")
                return


def _beside(word: str, other: re.Pattern[str], text: str) -> bool:
    """Whether a name or a year stands near a word in a text: as the pattern says, but by places."""
    place = text.find(word)
    while place >= 0:
        if other.search(text, max(0, place - NEAR - _LONGEST), place + NEAR + _LONGEST):
            return True
        place = text.find(word, place + 1)
    return False


_LONGEST = 60  # letters of a word and a name beside it


VOLUMES = (
    ("addendum to", r"\baddend(?:um|a)\b"),
    ("first amendment to", r"\b(?:first|second) amendment\b|\bamendment (?:no|number)\b|\bas amended\b"),
)  # texts beside a contract that do not exist, with what would name them
_OTHERS = 8  # documents of which one statement is asked
_STEMS = {
    "default": r"default|initial|unless|\b(?:en|dis)abl",
    "version": r"version|\bnew in\b|\bsince\b|\d\.\d",
    "removed": r"remov|delet|drop|\bgone\b|no longer|deprecat|obsolet|replac|renam",
}  # what would say something of a name, by what is asked of it
_HEADING = re.compile(rf"^\W*(?:[Vv]ersion |[A-Z]\w+ )?v?({VERSION})\b", re.MULTILINE)
_HISTORY = 4  # headings with a version from which a text is a history of changes
_BESIDE = r"{name}[^\n]*(?:{stems})|(?:{stems})[^\n]*(?::\s*(?:\n[^\n]{{0,80}}){{0,12}}?)?{name}"
"""What is said of a name in its paragraph, or above a list that it stands in."""

_SAYS = re.compile(r"Default|(?:\S+\s+){5}")  # a line on the name above it: another heading is shorter
_SECTION = r"\n(?!default)[^\n_()]{3,60}\n+(?:added|new) in (?:version )?v?\d[^\n]*(?s:.{0,4000})"
"""A version under the heading of a section that a name stands in."""

_ADDED = re.compile(
    rf"Which version (?:added|introduced) (?:the |an? )?(?P<name>{NAME})(?= (?:parameter|argument|option|method|function|class|decorator|attribute|to|for|as|which)\b|\?)"
)


class Refusals:
    """Makes questions without an answer out of the statements of a folder."""

    def __init__(self, found: Sequence[Statement], corpus: Corpus, *, contracts: bool) -> None:
        """``contracts``: whether the folder is one of agreements."""
        self._corpus = corpus
        self._contracts = contracts
        self._swaps = Swaps(corpus)
        self._named = [each for each in corpus.documents if each.handle]
        self._history = {each.id for each in corpus.documents if len(_HEADING.findall(each.text)) >= _HISTORY}
        self._rows: defaultdict[tuple[str, str], set[str]] = defaultdict(set)
        self._versions: dict[str, set[str]] = {}
        told = {each.document.id for each in found if each.form in {"default", "version"}}
        self._references = told - self._history
        for each in found:
            if each.form.startswith("row"):
                self._rows[each.document.id, each.form].add(each.turns_on)
            elif each.form == "release":
                self._versions[each.document.id] = set(_HEADING.findall(each.document.text))

    def about(self, statement: Statement) -> Iterator[Question]:
        """Yield the questions that a statement gives."""
        for each in self._elsewhere(statement):
            yield from refused(each)
        if statement.form == "release":
            for each in self._unreleased(statement):
                yield from either(each, statement)
        elif statement.form == "version":
            for each in self._never(statement):
                yield from trap(each, statement)
        elif statement.form in {"", AMOUNT}:
            for each in self._swaps.of_another_year(statement) if statement.asked.kind == "number" else ():
                yield from (*refused(each), *either(each, statement))
            for each in () if statement.form else self._swaps.of_another(statement):
                yield from trap(each, statement)
                if not statement.asked.left:
                    yield from (*refused(each), *unanswerable(each))
        elif self._contracts and statement.form in {"law", "dated", "organised"}:
            for volume, pattern in VOLUMES:
                topic, note = f"{statement.topic} {volume}", f"there is no {volume} it"
                silence = Silence(statement.document, topic, statement.asked, pattern, note, volume=volume)
                yield from trap(silence, statement)

    def of_documents(self) -> Iterator[Question]:
        """Yield what documents of the folder's kind are asked, and these do not say."""
        for document in self._named:
            if self._contracts:
                for topic, (asked, pattern) in TERMS.items():
                    yield from refused(Silence(document, topic, asked, pattern, "not agreed here"))
                for party, (topic, (asked, stems)) in product(parties(document.text), OF_PARTIES.items()):
                    told = asked._replace(question=asked.question.replace("{name}", party))
                    pattern = said_of(r"\s+".join(map(re.escape, party.split())), stems)
                    note = f"nothing of it is said of {party}"
                    yield from unanswerable(
                        Silence(document, f"{topic} {party}", told, pattern, note, "corpus")
                    )
            elif self._history and document.id in self._references:
                for silence in self._unversioned(document):
                    yield from refused(silence)
                    if silence.scope == "corpus":
                        yield from unanswerable(silence)

    def _elsewhere(self, statement: Statement) -> Iterator[Silence]:
        """Yield the question of one document asked of others, those first that speak most of its subject."""
        home, asked = statement.document.id, statement.asked
        if statement.form == "change" and (added := _ADDED.match(asked.question)):
            asked = asked._replace(question=f"In which version was {added['name']} added?")
            statement = statement._replace(form="version", turns_on=re.escape(added["name"]))
        fits = ((each, self._fit(statement, each)) for each in self._named if each.id != home)
        found = [(-fit[0], draw(each.id + statement.topic), each, fit[1]) for each, fit in fits if fit]
        for _, _, document, pattern in sorted(found, key=lambda each: each[:2])[:_OTHERS]:
            topic = f"of another {draw(asked.question)[:12]}"
            yield Silence(document, topic, asked, pattern, f"stated in {home}, not here")

    def _fit(self, statement: Statement, other: Document) -> tuple[int, str] | None:
        """How much another document speaks of a statement's subject, and a pattern of what it lacks."""
        form, turns_on = statement.form.split(" ")[0], statement.turns_on
        if form in {"default", "version"}:
            if other.id in self._history:
                return None
            count = len(re.findall(rf"(?<![\w.]){turns_on}(?!\w)", other.text))
            return (count, said_of(turns_on, _STEMS[form])) if count else None
        if form == "release":
            series = re.escape(_plain(turns_on).rpartition(".")[0])
            near = sum(
                re.match(rf"{series}\.\d+$", each) is not None for each in self._versions.get(other.id, ())
            )
            return (near, rf"(?<![\d.]){turns_on}(?![\d.])") if near > 1 else None
        if form == "row":
            own, theirs = (self._rows[each.id, statement.form] for each in (statement.document, other))
            return (len(own & theirs), turns_on) if len(own & theirs) > 1 else None
        return (1, turns_on) if form in {"law", "dated"} else None

    def _unreleased(self, statement: Statement) -> Iterator[Silence]:
        """Yield the release of a version that would follow the last one of a series that has ended."""
        version, own = _plain(statement.turns_on), self._versions.get(statement.document.id, ())
        head, _, last = version.rpartition(".")
        newest = max(own, key=_parts, default="")
        invented = f"{head}.{int(last) + 1}" if last.isdecimal() else ""
        later = [each for each in own if each.startswith(f"{head}.") and _parts(each) > _parts(version)]
        if not invented or later or _parts(version) >= _parts(newest) or newest.startswith(f"{head}."):
            return
        asked = statement.asked._replace(question=statement.asked.question.replace(version, invented))
        pattern = rf"(?<![\d.]){re.escape(invented)}(?!\d)"
        topic, note = f"release {invented}", f"nothing is said of a version {invented}"
        there = any(re.search(pattern, each.text) for each in self._corpus.documents)
        scope: Scope = "document" if there else "corpus"
        yield Silence(statement.document, topic, asked, pattern, note, scope)

    def _never(self, statement: Statement) -> Iterator[Silence]:
        """Yield the question when a name was removed that is still there."""
        if not statement.asked.question.endswith(" added?") or " of " in statement.asked.question:
            return
        name, stems = statement.turns_on, _STEMS["removed"]
        # A name may stand on a line of its own: below what is said of several, or above it.
        below = rf"(?:{stems})[^\n]*(?:\n[^\n]{{0,60}}){{0,12}}?{name}"
        pattern = rf"{name}[^\n]*(?:\n[^\n]*){{0,2}}?(?:{stems})|{below}"
        for what in ("removed", "deprecated"):
            question = statement.asked.question.replace(" added?", f" {what}?")
            asked = statement.asked._replace(question=question)
            topic, note = f"{statement.topic} {what}", f"it is not said to be {what}"
            yield Silence(statement.document, topic, asked, pattern, note, "corpus")

    def _unversioned(self, document: Document) -> Iterator[Silence]:
        """Yield the version that added a name with a heading of its own, below which none is said."""
        version = re.compile(_STEMS["version"], re.IGNORECASE)
        lines = list(lines_of(document.text))
        heads = [number for number, line in enumerate(lines) if line.name]
        below = zip(heads, [*heads[1:], len(lines)], strict=True)
        dated = [any(version.search(each.text) for each in lines[start:end]) for start, end in below]
        told_of = {lines[number].name for number, told in zip(heads, dated, strict=True) if told}
        of_new = False  # whether the last class is said to be of a version, so that its methods are, too
        for number, told_here in zip(heads, dated, strict=True):
            line = lines[number]
            if line.name[0].isupper() and not line.name.isupper():
                of_new = told_here
            said = any(_SAYS.match(each.text) for each in lines[number + 1 : number + 2])
            asks = said and is_name(line.name)
            if not asks or line.name in told_of or (of_new and line.name.islower()):
                continue
            bare = rf"(?<![\w.]){re.escape(line.name)}(?!\w)"
            listed = any(re.search(bare, self._corpus.document(each).text) for each in self._history)
            told = f"{line.name}()" if line.calls else line.name
            asked = Asked(f"In which version was {told} added?", "text", "")
            beside = _BESIDE.format(name=bare, stems=_STEMS["version"])
            topic, note = f"version of {line.name}", f"no version is said of {told}"
            scope: Scope = "document" if listed else "corpus"
            yield Silence(document, topic, asked, f"{beside}|{_SECTION}{bare}", note, scope)


def _plain(pattern: str) -> str:
    """Name that an escaped pattern stands for."""
    return re.sub(r"\\(.)", r"\1", pattern)


def _parts(version: str) -> tuple[int, ...]:
    return tuple(map(int, re.findall(r"\d+", version)))
