"""Questions that only look answerable: another year, agency, bill, sponsor or report."""

from __future__ import annotations

import re
from collections import defaultdict
from typing import TYPE_CHECKING, Any, Literal, Protocol

import msgspec

from ragharness.records import Distractor, Question

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from ragharness.records import Document, Fact


class Book(Protocol):
    """The recipe's view of the corpus."""

    documents: dict[str, Document]
    facts: dict[str, list[Fact]]
    stems: dict[str, frozenset[str]]


class Ask(Protocol):
    """Words a fact's question."""

    def __call__(
        self, fact: Fact, document: Document, topic: str, ask: str = "", name: str = ""
    ) -> Iterator[Question]:
        """Yield all wordings."""
        ...


Sisters = dict[str, list[tuple[str, str]]]
Scope = Literal["document", "corpus"]

_YEAR = re.compile(r"(?<![\d-])(?P<fiscal>FY)?(?P<year>(?:19|20)\d\d)(?![\d-])")
_NUMBERED = re.compile(
    r"(?P<kind>\b(?:H\.R\. |S\. |H\.Res\. |S\.Res\. |P\.L\. \d{2,3}-))(?P<number>\d{1,4})\b"
)
_MEMBER = re.compile(
    r"\b(?P<office>Senator|Representative) (?P<name>[A-Z][\w.’'-]+(?: [A-Z][\w.’'-]+){1,2})(?= )"
)
_COUNTED = re.compile(
    r"(?P<fiscal>FY ?)?(?<!\d)(?P<year>20\d\d)(?![\d-])|\b(?P<number>\d{2,3})(?:st|nd|rd|th) Congress"
)
"""What makes a title one of a series."""
_NAME = re.compile(
    r"\b[A-Z][A-Z&]{2,7}\b|(?<=[a-z] )[A-Z][a-z]+(?:\s+(?:(?:of|the|and|for)\s+)?[A-Z][a-z]+)+"
)
_WRITTEN_OUT = re.compile(
    r"(?P<name>[A-Z][\w’'-]+(?:\s+(?:(?:of|the|and|for|in|on|to)\s+)?[A-Z][\w’'-]+){1,6})\s+\((?P<short>[A-Z][A-Z&]{1,7})\)"
)
_EVERYWHERE = frozenset(
    [
        "FY",
        "GAO",
        "CRS",
        "Congress",
        "House",
        "Senate",
        "President",
        "Trump",
        "Biden",
        "Representative",
        "Senator",
        "P.L",
    ]
)
_BY_AUTHOR = re.compile(r"\b(?:GAO|CRS)\b")
_FARTHEST = 26
"""Years back among which one is looked for that a report never names."""
_EDITIONS_BACK = 7
_MOST_NAMESAKES = 2
"""Statements of a report that its namesakes are asked for."""
_NEAREST = 1
"""Reports that a statement of another one is asked of."""
_OF_THE_SUBJECT = 0.7
"""Share of a question's words that a report must have for it to be a likely one to ask."""


def traps(book: Book, ask: Ask, sisters: Sisters, people: Mapping[str, Sequence[str]]) -> list[Question]:
    """Return every adversarial question, and what is asked of a report that only another one says."""
    found: list[Question] = []
    long_names = _long_names(book.documents.values())
    titles = " ".join(each.title for each in book.documents.values())
    for document, facts in book.facts.items():
        own = book.documents[document]
        valued = [fact for fact in facts if fact.kind != "text"]
        for fact in valued:
            found += _borrowed(book, ask, fact, long_names)
            found += _other_year(ask, fact, own)
            found += _sister(ask, fact, own, sisters)
            found += _other_number(ask, fact, own)
            found += _other_person(ask, fact, own, people)
        for place, fact in enumerate(valued[:_MOST_NAMESAKES]):
            # One wording: nothing but its text tells such a question from another.
            wording = 1 + place % 2
            found += (each for each in _other_reports(ask, fact, own, titles) if each.wording == wording)
    return found


def _trap(question: Question, patterns: Sequence[str], scope: Scope, note: str, fact: Fact) -> Question:
    return msgspec.structs.replace(
        question,
        stratum="adversarial",
        document="" if scope == "corpus" else question.document,
        absence_patterns=tuple(patterns),
        absence_scope=scope,
        distractors=(Distractor(fact.answers[0], f"{fact.topic} of {fact.document}", fact.evidence),),
        note=note,
    )


def _other_year(ask: Ask, fact: Fact, document: Document) -> Iterator[Question]:
    """Yield a question about a year of which the report has nothing at all."""
    years = list(_YEAR.finditer(fact.details["ask"]))
    if len(years) != 1 or fact.kind == "date":
        return
    stated = int(years[0]["year"])
    earlier = range(stated - 1, stated - _FARTHEST, -1)
    other = next((year for year in earlier if str(year) not in document.text), None)
    if other is None:
        return
    text = _YEAR.sub(lambda found: f"{found['fiscal'] or ''}{other}", fact.details["ask"])
    for question in ask(fact, document, "year", text):
        yield _trap(
            question, [str(other)], "document", f"the report speaks of {stated}, never of {other}", fact
        )


def _sister(ask: Ask, fact: Fact, document: Document, sisters: Sisters) -> Iterator[Question]:
    """Yield a question about an agency that the report does not know, in place of the one it speaks of."""
    for family in sisters.values():
        for short, _ in family:
            place = re.compile(rf"(?<![\w.]){short}\b(?!['’]s\s[A-Z])")
            if len(place.findall(fact.details["ask"])) != 1:
                continue
            strangers = [
                (other, name)
                for other, name in family
                if other != short and not re.search(rf"\b{other}\b|{name}", document.text, re.IGNORECASE)
            ]
            if strangers:
                other, name = strangers[len(fact.details["ask"]) % len(strangers)]
                text = place.sub(other, fact.details["ask"])
                for question in ask(fact, document, "sister", text):
                    note = f"the report speaks of {short}, never of {other}"
                    yield _trap(question, [rf"\b{other}\b", name], "document", note, fact)
            return


def _other_number(ask: Ask, fact: Fact, document: Document) -> Iterator[Question]:
    """Yield a question about a bill or a law of which the report has nothing at all."""
    numbers = list(_NUMBERED.finditer(fact.details["ask"]))
    if len(numbers) != 1:
        return
    found = numbers[0]
    kind, stated = found["kind"], int(found["number"])
    others = (stated + step * sign for step in range(17, 400, 13) for sign in (-1, 1))
    other = next((each for each in others if each > 1 and not re.search(rf"\b{each}\b", document.text)), None)
    if other is None:
        return
    text = (
        f"{fact.details['ask'][: found.start('number')]}{other}{fact.details['ask'][found.end('number') :]}"
    )
    for question in ask(fact, document, "number", text):
        note = f"the report speaks of {kind}{stated}, never of {kind}{other}"
        yield _trap(question, [rf"\b{other}\b"], "document", note, fact)


def _other_person(
    ask: Ask, fact: Fact, document: Document, people: Mapping[str, Sequence[str]]
) -> Iterator[Question]:
    """Yield a question about what another member of Congress did, of whom the report has nothing."""
    member = _MEMBER.search(fact.details["ask"])
    if member is None:
        return
    known = people["senators" if member["office"] == "Senator" else "representatives"]
    strangers = [
        each for each in known if not re.search(rf"\b{each.split()[-1]}\b", document.text, re.IGNORECASE)
    ]
    if not strangers:
        return
    other = strangers[len(fact.details["ask"]) % len(strangers)]
    text = fact.details["ask"].replace(member["name"], other)
    for question in ask(fact, document, "person", text):
        note = f"the report speaks of {member['name']}, never of {other}"
        yield _trap(question, [rf"\b{other.split()[-1]}\b"], "document", note, fact)


def _other_reports(ask: Ask, fact: Fact, document: Document, titles: str) -> Iterator[Question]:
    """Yield reports that are not there: an earlier edition, last year's, another office's of that title."""
    quoted = re.search(r"“(.+)”", document.handle)
    if quoted is None:
        about = document.handle.partition(" report on ")[2]
        if about:
            name = f"the Congressional Budget Office report on {about}"
            for question in ask(fact, document, "absent report", name=name):
                pattern = f"Congressional Budget Office report on {re.escape(about)}"
                yield _trap(question, [pattern], "corpus", "another office's report on this subject", fact)
        return
    title = quoted[1]
    year = _YEAR.search(document.paraphrase)
    if year and document.handle.startswith("the CRS"):
        earlier = int(year["year"]) - _EDITIONS_BACK
        name = f"the {earlier} edition of {document.handle}"
        for question in ask(fact, document, "absent report", name=name):
            yield _trap(question, [f"{earlier} edition"], "corpus", "no such edition is in the corpus", fact)
    before = _COUNTED.sub(_one_less, title)
    if before != title and before not in titles and not _COUNTED.search(fact.details["ask"]):
        for question in ask(fact, document, "absent report", name=document.handle.replace(title, before)):
            yield _trap(question, [re.escape(before)], "corpus", "the corpus holds the next one only", fact)
    for question in ask(
        fact, document, "absent report", name=f"the Congressional Budget Office report “{title}”"
    ):
        pattern = f"Congressional Budget Office report .?{re.escape(title)}"
        yield _trap(question, [pattern], "corpus", "another office's report has this title", fact)


def _one_less(found: re.Match[str]) -> str:
    """Return the year, or the number of the Congress, before."""
    if found["year"]:
        return f"{found['fiscal'] or ''}{int(found['year']) - 1}"
    number = int(found["number"]) - 1
    ending = "th" if number // 10 % 10 == 1 else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{ending} Congress"


def _long_names(documents: Any) -> dict[str, set[str]]:
    found: dict[str, set[str]] = defaultdict(set)
    for document in documents:
        for each in _WRITTEN_OUT.finditer(document.text):
            found[each["short"]].add(" ".join(each["name"].split()[-3:]))
    return found


def _borrowed(book: Book, ask: Ask, fact: Fact, long_names: Mapping[str, set[str]]) -> Iterator[Question]:
    """Yield what only this report says, asked of reports on like subjects that lack what it is about."""
    text = fact.details["ask"]
    if _BY_AUTHOR.search(text):
        return
    wanted = frozenset(book.stems[fact.document] & _stems(text))
    ranked = sorted(
        (-len(wanted & known), name) for name, known in book.stems.items() if name != fact.document
    )
    given = 0
    for shared, name in ranked:
        other = book.documents[name]
        if given == _NEAREST or -shared < _OF_THE_SUBJECT * len(wanted):
            return
        patterns = _missing(text, other, long_names)
        if not other.handle or not patterns or other.genre != book.documents[fact.document].genre:
            continue
        given += 1
        for question in ask(fact, other, f"borrowed-{fact.document}-{fact.topic}"):
            yield msgspec.structs.replace(
                question,
                target="refused",
                absence_patterns=tuple(patterns),
                absence_scope="document",
                note=f"only {fact.document} says so",
            )


def _missing(text: str, document: Document, long_names: Mapping[str, set[str]]) -> list[str]:
    """Return patterns of a name in the question that a report does not have, in short or written out."""
    for found in _NAME.finditer(text):
        name = found[0]
        if name in _EVERYWHERE or name.split()[0] in _EVERYWHERE:
            continue
        patterns = [
            rf"\b{re.escape(name)}\b",
            *(re.escape(each) for each in sorted(long_names.get(name, ()))),
        ]
        if not any(re.search(each, document.text, re.IGNORECASE) for each in patterns):
            return patterns
    return []


def _stems(text: str) -> frozenset[str]:
    return frozenset(word[:6].casefold() for word in re.findall(r"\w{3,}", text))
