"""True statements turned into what nothing says: of another year, of somebody else, of a body that does not exist."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING

from ragharness.corpus.loading import Corpus
from ragharness.records import Document
from ragquestions.folder.facts import content_words
from ragquestions.folder.silences import NEAR, Silence, draw, said_of
from ragquestions.wording.dates import without_named_years

if TYPE_CHECKING:
    from ragquestions.folder.statements import Statement

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
)
"""Bodies that do not exist; one whose name occurs in the folder is not used."""

_BODY = re.compile(
    r"(?P<article>the )?(?P<name>(?P<title>Representative|Senator|Secretary|Judge) [A-Z][a-z]+ [A-Z][a-z]+"
    r"|(?:[A-Z][\w&’'-]*\s+(?:of\s+|for\s+|and\s+|on\s+|the\s+)*)*(?:[A-Z][A-Z&]{2,7}|Department|Office|Agency|Bureau|Commission|Administration"
    r"|Service|Board|Council|Committee|Institute|Corporation|Bank|Center|Court|University|Association|Foundation|Ministry|Authority)"
    r"(?:\s+(?:of|for|on)\s+(?:the\s+)?[A-Z][\w&-]*(?:\s+(?:and\s+)?[A-Z][\w&-]*)*)?)(?P<own>['’]s)?(?= (?![a-z]+[^s]s\b)[a-z])"
)
_AFTER = re.compile(r"\b(?:did|does|has|had|have|will) $|“$")
"""What stands before the subject of a question, or of a statement that it quotes."""

_YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")
_IN_YEAR = re.compile(
    r"\b(?:in|for|during)(?: the)?(?: fiscal year| fiscal| calendar year| year| FY)? ?$|\bas of (?:December 31|June 30|September 30), $",
    re.IGNORECASE,
)
"""What stands before a year to which a figure belongs."""
_YEARS = 6
"""Years from the one that is stated within which another is looked for."""

_QUOTED = re.compile(r"“([^”]+)”")

_LIKE = 12
"""Names of a kind that are looked at."""
_TELLING = 4
"""Rare words of a question of which one must be far from another name, or year, wherever that stands."""


class Swaps:
    """Changes one thing in a question, so that no text of the folder speaks of it."""

    def __init__(self, corpus: Corpus) -> None:
        self._texts = [each.text for each in corpus.documents]
        self._lower = [each.casefold() for each in self._texts]
        self._tables: dict[str, list[str]] = {}
        """Tables by the years that head their columns: what is listed for those may stand far below."""
        for table in (each for text in self._lower for each in text.split("\n\n") if " | " in each):
            heads = (set(_YEAR.findall(line)) for line in table.split("\n") if " | " in line)
            for year in {year for years in heads if len(years) > 1 for year in years}:
                self._tables.setdefault(year, []).append(table)

    def of_another(self, statement: Statement) -> Iterator[Silence]:
        """Yield the question of somebody else whom the document names, and of a body that does not exist."""
        document, text = statement.document, statement.asked.question
        found = next((each for each in _BODY.finditer(text) if _AFTER.search(text[: each.start()])), None)
        if not found:
            return
        before, after = text[: found.start()], f"{found['own'] or ''}{text[found.end() :]}"
        about = content_words(f"{statement.asked.left or text}") - content_words(found[0])
        counted = text.lower().startswith("how many")  # of a body that is named, none is an answer
        for name in () if counted else self._like(found, document):
            if name not in text and (pattern := self._apart(re.escape(name), about, document)):
                article = found["article"] or ""
                asked = statement.asked._replace(question=f"{before}{article}{name}{after}")
                note = f"stated of {found['name']}, not of {name}"
                yield Silence(document, f"{statement.topic} of {name}", asked, pattern, note, "corpus")
                break
        first = int(draw(document.id + statement.topic), 16)
        names = (BODIES[(first + step) % len(BODIES)] for step in range(len(BODIES)))
        name = next((each for each in names if not any(each in other for other in self._texts)), "")
        if name and not found["title"]:
            article = "The" if before.endswith("“") else "the"
            asked = statement.asked._replace(question=f"{before}{article} {name}{after}")
            topic, note = f"{statement.topic} of another body", f"no such body: {name}"
            yield Silence(document, topic, asked, re.escape(name), note, "corpus")

    def _like(self, found: re.Match[str], document: Document) -> list[str]:
        """Return the names in a document that are of a kind with one in a question, the most frequent first."""
        if found["title"]:
            pattern = rf"\b{found['title']} [A-Z][a-z]+ [A-Z][a-z]+\b"
        elif found["name"].isupper():
            pattern = r"\b[A-Z]{3,6}(?= (?:officials|reported|issued|awarded|announced|published|established|proposed|estimated|told|said)\b)"
        else:
            return []
        counts = Counter(re.findall(pattern, document.text))
        return [name for name, count in counts.most_common(_LIKE) if found["title"] or count > 1]

    def _apart(self, name: str, about: frozenset[str], document: Document, year: str = "") -> str:
        """Return a pattern that nothing in the folder matches: a telling word near a name, or headed by a year."""
        text = document.text.casefold()
        telling = sorted(
            (each for each in about if each.isalnum()), key=lambda each: (text.count(each), each)
        )
        other = re.compile(name.lower())
        for word in telling[:_TELLING]:
            listed = any(word in each for each in self._tables.get(year, ()))
            if not listed and not any(_beside(word, other, each) for each in self._lower):
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


_LONGEST = 60
"""Letters of a word and a name beside it."""
