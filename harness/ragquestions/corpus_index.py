"""One corpus for builder and checks: its passages, what it is silent on, further statements of answers."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal
from functools import cache, cached_property, lru_cache
from itertools import count
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from ragharness.corpus.loading import Corpus
from ragharness.corpus.passages import EvidenceIndex, PassageSet, build_passages, withhold
from ragharness.errors import QuestionsNotUsable
from ragharness.language.numbers import find_quantities
from ragharness.language.units import read_unit
from ragharness.language.words import concepts_of, content, words
from ragharness.records import Document, Evidence, Passage, Question
from ragquestions.derivations import derived
from ragquestions.recipes import Fact, Facts, facts_of
from ragquestions.statements import ALIKE, Place, Search

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_RARE = 10  # a kind of answer that fewer than one in so many facts have is not asked as often as the others


class CorpusIndex:
    """One corpus with the answers to what the builder and the checks ask of it; remembers them."""

    def __init__(self, corpus: Corpus) -> None:
        self.corpus = corpus
        self.evidence = EvidenceIndex(corpus)
        self._silent = cache(self._is_silent)
        self._searched = cache(lambda document: Searched(corpus.document(document).text))

    @cached_property
    def stated(self) -> Facts:
        """What the corpus's recipe knows of its documents, with its notes."""
        return facts_of(self.corpus)

    @property
    def facts(self) -> tuple[Fact, ...]:
        """Facts of the corpus in the order of its documents."""
        return self.stated.stated

    @cached_property
    def passages(self) -> PassageSet:
        """The whole index, at its default size."""
        return build_passages(self.corpus.documents)

    @cached_property
    def alike(self) -> frozenset[str]:
        """Documents that have a near-duplicate."""
        return near_duplicates(self.corpus.documents)

    @cached_property
    def completion(self) -> Completion:
        """The search for further statements of answers."""
        return Completion(self)

    def family(self, question: Question) -> tuple[str, str]:
        """Genre of the document and the kind of the answer, over which every row is spread.

        A document that does not exist has the genre of the one it resembles. A corpus of one genre, or with
        facts of one kind, has nothing to spread over there: an empty name.
        """
        resembled = (span.document for each in question.distractors for span in each.evidence)
        about = question.document or next(resembled, "")
        genre = self.corpus.document(about).genre if about and self._many_genres else ""
        return genre, question.kind if self._many_kinds else ""

    @cached_property
    def _many_genres(self) -> bool:
        return len({each.genre for each in self.corpus.documents}) > 1

    @cached_property
    def _many_kinds(self) -> bool:
        kinds = Counter(each.kind for each in self.facts)
        return sum(count * _RARE >= len(self.facts) for count in kinds.values()) > 1

    def hits(self, question: Question) -> list[str]:
        """Absence patterns that do match in the question's scope; raises QuestionsNotUsable."""
        scope = question.document if question.absence_scope == "document" else ""
        return [each for each in question.absence_patterns if not self._silent(each, scope)]

    def covered(self, question: Question, passages: Iterable[Passage]) -> bool:
        """Whether the question has evidence and the passages hold every span of it."""
        return bool(question.evidence) and all(self.evidence.covered(question, passages))

    def left_by_clause(self, question: Question) -> int:
        """How many passages of its document stay when the question's evidence is withheld."""
        own = self.passages.of(question.document)
        return len(withhold(type(self.passages)(own, self.passages.words), (), question.evidence).passages)

    def _is_silent(self, pattern: str, document: str) -> bool:
        documents = [document] if document else [each.id for each in self.corpus.documents]
        try:
            return not any(self._searched(each).holds(pattern) for each in documents)
        except re.error as error:
            raise QuestionsNotUsable(
                f"expected a regular expression among the absence patterns, found {pattern!r}: {error}"
            ) from error


_FEW_TITLES = 4  # titles that share a word which tells that their documents are about the same
_CERTAIN = 0.75  # share of a question's words from which another statement of its figure or date is evidence
# A name of a program, or its property, in a question without what it quotes.
_NAMED = re.compile(r"--\w[\w-]*|\w+_\w+|[A-Z]?[a-z]+[A-Z]\w+|\b(?:default|version|deprecated)\b")
_OPTION = re.compile(r"--\w[\w-]*|\w+_\w+")
_QUOTED = re.compile(r"\"[^\"]*\"|“[^”]*”")


class Completion:
    """Completes the evidence of questions about one corpus; remembers what it found."""

    def __init__(self, index: CorpusIndex) -> None:
        self.corpus = index.corpus
        self._index = index
        self._passages = index.passages
        self._search = Search(index.corpus)
        self._completed: dict[tuple[object, ...], Question | None] = {}
        self._kin: dict[str, list[str]] = {}

    def completed(self, question: Question) -> Question | None:
        """Question with all statements of its answer as evidence, exact figures accepted.

        None where a passage may state the answer, but not beyond doubt, or where what is withheld is left.
        """
        key = (question.text, question.answers, question.evidence, question.withheld, question.stratum)
        if key not in self._completed:
            self._completed[key] = self._complete(question)
        found = self._completed[key]
        return found and replace(question, answers=found.answers, evidence=found.evidence)

    def elsewhere(self, question: Question) -> list[Place]:
        """Passages that state an answer and hold no evidence of it.

        Of a yes or no only sentences alike the evidence: what settles it in other words takes a reader.
        """
        if not question.answers:
            return []
        documents = self.copies(question.document) if question.document else ()
        pool = list(self._of(documents)) if documents else self._passages.passages
        golds = self._search.evidence.supporting(question, pool)
        found = self._search.places(question, [each for each in pool if each.id not in golds])
        return [each for each in found if self._is_about(question, each)]

    def _is_about(self, question: Question, place: Place) -> bool:
        """Whether a place speaks of what is asked: of a program's name, the name and its property by name."""
        if question.kind == "yesno":
            return self._certain(question, place)
        asked = _NAMED.findall(_QUOTED.sub("", question.text)) if question.kind == "text" else ()
        after = self.corpus.document(place.passage.document).text[place.end : place.end + 1].strip()
        cut = question.kind == "text" and after  # out of a longer name
        return not cut and all(each in place.text for each in asked)

    def left(self, question: Question, index: PassageSet | None = None) -> str:
        """Where what is withheld still stands, or follows from what does; empty: it is gone.

        ``index``: what passages there are; without it those that the question leaves by itself.
        """
        if not question.withheld or question.kind == "yesno":
            return ""
        own = self.copies(question.document)
        gone = own if question.withheld == "document" else ()
        kin = [name for name in (*own, *self.alike(question.document)) if name not in gone]
        near = PassageSet(tuple(self._of(dict.fromkeys(kin))), self._passages.words)
        left = withhold(near, gone, question.evidence).passages
        if index is not None:
            there = {passage.id for name in kin for passage in index.of(name)}
            left = tuple(each for each in left if each.id in there)
        named = _OPTION.findall(_QUOTED.sub("", question.text)) if question.kind == "text" else ()
        for place in self._search.places(question, left):
            # Another option may have the same default.
            if all(name in place.passage.text for name in named):
                return f"stated in {place.passage.id}"
        for how, text in derived(question, self.corpus.document(question.document).text, left):
            return f"{how}: {text}"
        return ""

    def _complete(self, question: Question) -> Question | None:
        # Of a document that is gone, or is never retrieved, nothing can be cited.
        citable = question.withheld != "document" and question.stratum != "null_retrieval"
        places = self.elsewhere(question) if citable else []
        if question.document and any(not self._certain(question, each) for each in places):
            return None
        spans = {Evidence(each.passage.document, each.start, each.end) for each in places}
        exact = (value for each in places if (value := _exact(question, each)))
        whole = replace(
            question,
            evidence=(*question.evidence, *sorted(spans - set(question.evidence))),
            answers=tuple(dict.fromkeys((*question.answers, *exact))),
        )
        return None if self.left(whole) else whole

    def _certain(self, question: Question, place: Place) -> bool:
        """Whether a place says what the evidence says, or states the figure with the question's words."""
        said = set(content(place.text))
        golds = (
            set(content(self.corpus.document(span.document).text[span.start : span.end]))
            for span in question.evidence
        )
        if any(len(said & gold) >= ALIKE * len(said | gold) for gold in golds):
            return True
        if question.kind not in ("number", "date") or place.share < _CERTAIN:
            return False
        # Much is said of one year, and a row that is rounded may be of another date.
        rounded = "|" in place.text and _digits(place.stated) < _digits(question.answers[0])
        return question.date_precision != "year" and not (question.kind == "number" and rounded)

    def copies(self, document: str) -> tuple[str, ...]:
        """Ids of all documents with the same text, the document itself among them."""
        first = self.corpus.canonical(document)
        return (first, *(twin for twin, other in self.corpus.twins.items() if other == first))

    def _of(self, documents: Iterable[str]) -> Iterable[Passage]:
        return (passage for name in documents for passage in self._passages.of(name))

    def alike(self, asked: str) -> Sequence[str]:
        """Documents that may state the same: of one filer, or with a word that few titles have."""
        if asked not in self._kin:
            facts = self._index.facts
            filers = {each.document: each.details["company"] for each in facts if "company" in each.details}
            titles = {each.id: concepts_of(each.title) for each in self.corpus.documents}
            common = Counter(word for title in titles.values() for word in title)
            rare = {word for word in titles[asked] if common[word] <= _FEW_TITLES}
            self._kin[asked] = sorted(
                name
                for name, title in titles.items()
                if (filers.get(name) == filers[asked] if asked in filers else title & rare)
            )
        return self._kin[asked]


def _digits(text: str) -> int:
    return sum(map(str.isdigit, text))


def _exact(question: Question, place: Place) -> str:
    """Figure of a place in the question's unit where it is more exact than the gold; else empty."""
    if question.kind != "number" or not place.stated:
        return ""
    factor = read_unit(question.unit).factor
    gold = Decimal(question.answers[0].replace(",", ""))
    for amount in find_quantities(place.stated):
        for scale in (1, 1000, 1_000_000):
            value = abs(amount.value) * (1 if amount.scaled else scale) / factor
            digits = len(gold.normalize().as_tuple().digits)
            if amount.significant > digits and f"{value:.{digits - 1}e}" == f"{gold:.{digits - 1}e}":
                return f"{value.normalize():f}"
    return ""


# What means something else in a pattern that is put into lower case: classes, ranges, groups with a flag.
_DEPENDS_ON_CASE = re.compile(r"\\[A-Z]|\(\?|\[[^\]]*[A-Z]")

# Letters that ``re.IGNORECASE`` takes for an i or an s although lower case leaves them as they are.
_FOLDED = frozenset("\u0130\u0131\u017f")


class Searched:
    """A text that many patterns are looked for in, as by ``re.IGNORECASE``; its lower case is made once."""

    def __init__(self, text: str) -> None:
        self._text = text
        lower = text.lower()
        self._lower = None if len(lower) != len(text) or _FOLDED & frozenset(text) else lower

    def holds(self, pattern: str) -> bool:
        """Whether a case-insensitive regular expression matches somewhere; raises re.error for none."""
        return next(self._matches(pattern), None) is not None

    def count(self, pattern: str) -> int:
        """How often it matches; raises re.error for no regular expression."""
        return sum(1 for _ in self._matches(pattern))

    def _matches(self, pattern: str) -> Iterator[re.Match[str]]:
        plain, quick = _compiled(pattern)
        if quick is not None and self._lower is not None:
            return quick.finditer(self._lower)
        return plain.finditer(self._text)


@lru_cache(maxsize=4096)
def _compiled(pattern: str) -> tuple[re.Pattern[str], re.Pattern[str] | None]:
    """Pattern for any text, and for one in lower case where that is the same."""
    quick = pattern.isascii() and not _DEPENDS_ON_CASE.search(pattern)
    return re.compile(pattern, re.IGNORECASE), re.compile(pattern.lower()) if quick else None


# Words in a row that are compared: long enough that shared legal phrases alone weigh little; a power of two,
# as shingles are numbered by doubling.
_SHINGLE = 8
NEAR = 0.8  # share of common shingles (Jaccard) from which two documents are near-duplicates


def near_duplicates(documents: Iterable[Document], threshold: float = NEAR) -> frozenset[str]:
    """Ids of documents that share at least ``threshold`` of their shingles with another one.

    Shingles that the same documents hold (a paragraph that was copied) are counted as one, with their number
    for its weight: each document is compared with those alone that hold something of it.
    """
    import numpy as np

    names, texts = zip(*((each.id, each.text) for each in documents), strict=True)
    shingles = _shingles(texts)
    sizes = np.array([each.size for each in shingles])
    every = np.concatenate(shingles)
    order = every.argsort(kind="stable")
    holders, every = np.repeat(np.arange(len(names)), sizes)[order], every[order]
    starts = np.flatnonzero(np.diff(every, prepend=~every[:1]))
    counts = np.diff(starts, append=every.size)
    # What stands in one document alone counts towards its size only.
    several = counts > 1
    holding = np.add.reduceat(_mixed(holders), starts)[several] if several.any() else starts[:0]
    _, firsts, weights = np.unique(holding, return_index=True, return_counts=True)
    held = [
        holders[start : start + count]
        for start, count in zip(starts[several][firsts], counts[several][firsts], strict=True)
    ]
    groups: list[list[int]] = [[] for _ in names]
    for group, each in enumerate(held):
        for document in each.tolist():
            groups[document].append(group)
    found = []
    for document, own in enumerate(groups):
        if weights[own].sum() < threshold * sizes[document]:
            continue
        others = [held[group] for group in own]
        times = np.repeat(weights[own], [each.size for each in others])
        common = np.bincount(np.concatenate(others), times, len(names)) if others else np.zeros(len(names))
        common[document] = 0
        if np.any((common > 0) & (common >= threshold * (sizes[document] + sizes - common))):
            found.append(names[document])
    return frozenset(found)


def _shingles(texts: Iterable[str]) -> list[NDArray[np.uint64]]:
    """Number of 64 bits for each of a text's shingles, sorted; equal shingles have equal numbers.

    Numbers of single words become those of pairs, fours and eights: two neighbours, one number.
    """
    import numpy as np

    known: defaultdict[str, int] = defaultdict(count(1).__next__)
    found = []
    for text in texts:
        numbers = _mixed(np.array([known[word] for word in words(text)], dtype=np.uint64))
        width = 1
        while width < _SHINGLE:
            numbers = _mixed(numbers[:-width] * np.uint64(3) + numbers[width:])
            width *= 2
        found.append(np.unique(numbers))
    return found


def _mixed(numbers: NDArray[np.integer[Any]]) -> NDArray[np.uint64]:
    """Numbers of which each bit depends on all of the given ones (SplitMix64's last step)."""
    import numpy as np

    mixed: NDArray[np.uint64] = numbers.astype(np.uint64) + np.uint64(0x9E3779B97F4A7C15)
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    mixed ^= mixed >> np.uint64(31)
    return mixed
