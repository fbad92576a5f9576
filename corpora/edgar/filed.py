"""One filing with what is tagged in it, and how questions name it."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Literal

from ragharness.questions.corpus_index import Searched
from ragharness.records import Question

from .tables import Silence

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ragharness.corpus import Corpus
    from ragharness.records import Document, Fact

    from .tables import Concept

_OFTEN = 5000
"""Words of a filing among which one must be of what the question presumes."""


class Filed:
    """One filing with its facts by concept and end of period."""

    def __init__(self, document: Document, facts: Iterable[Fact]) -> None:
        self.document = document
        self.searched = Searched(document.text)
        self.words = document.text.count(" ")
        self.facts: dict[str, dict[str, Fact]] = defaultdict(dict)
        for fact in facts:
            self.facts[fact.topic][fact.details["end"]] = fact
        known = next((fact.details for each in self.facts.values() for fact in each.values()), {})
        self.cik = known.get("cik", "")
        self.short = known.get("short", "")
        self.end = known.get("period", "")

    def now(self, tag: str) -> Fact | None:
        """Return what a tag says of the year reported on; of a number on the cover whatever its date."""
        each = self.facts.get(tag, {})
        if tag.startswith("dei:"):
            return next(iter(each.values()), None) if len(each) == 1 else None
        return each.get(self.end)

    def before(self, tag: str) -> Fact | None:
        """Return what a tag says of the year before."""
        earlier = [end for end in self.facts.get(tag, {}) if end < self.end]
        return self.facts[tag][max(earlier)] if earlier and not tag.startswith("dei:") else None


def read_filings(corpus: Corpus) -> list[Filed]:
    """Return the annual reports of a corpus with their facts."""
    facts: dict[str, list[Fact]] = defaultdict(list)
    for fact in corpus.facts:
        facts[fact.document].append(fact)
    return [Filed(each, facts[each.id]) for each in corpus.documents if each.handle and facts[each.id]]


def wordings(filed: Filed, texts: list[str], **also: str) -> Iterator[tuple[int, str]]:
    """Yield the number and the text of each wording; ``title`` and ``paraphrase`` may be given otherwise.

    Every question names the filing, not the year alone: a later filing compares with it and would answer too.
    """
    names = {
        "title": filed.document.title,
        "paraphrase": filed.document.paraphrase,
        **also,
    }
    for number, text in enumerate(texts, start=1):
        asked = text.format(**names)
        if "{title}" not in text and "10-K" not in text:
            form = filed.document.title.partition(" for the ")[0].rpartition(" ")[2]
            asked = f"{asked.removesuffix('?')}, according to the {form} for that year?"
        yield number, asked


def lacking(filed: Filed, key: str, concept: Concept) -> Iterator[Question]:
    """Yield a concept that the filing lacks, worded as where others state it."""
    if not concept.absent or any(filed.facts.get(tag) for tag in concept.tags):
        return
    assets = filed.now("us-gaap:Assets")
    unit = concept.unit or (assets.unit if assets else "USD million")
    silence = Silence(patterns=concept.absent, ask=concept.ask, kind="number", unit=unit)
    yield from silent(filed, key, silence, "document")


def silent(
    filed: Filed, key: str, silence: Silence, scope: Literal["document", "corpus"]
) -> Iterator[Question]:
    """Yield a silence of a filing that is silent; of the whole corpus that is tested when it is picked."""
    if scope == "document" and any(map(filed.searched.holds, silence.patterns)):
        return
    if silence.needs and filed.searched.count(silence.needs) * _OFTEN < filed.words:
        return
    for number, text in wordings(filed, silence.ask):
        yield Question(
            id="",
            text=text,
            stratum="unanswerable" if scope == "corpus" else "grounded",
            target="" if scope == "corpus" else "refused",
            kind=silence.kind,
            answerable=False,
            document=filed.document.id,
            topic=key,
            wording=number,
            unit=silence.unit,
            date_precision="year" if silence.kind == "date" else "",
            absence_patterns=tuple(silence.patterns),
            absence_scope=scope,
        )
