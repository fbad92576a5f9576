"""Candidates of a recipe, grouped by question: what a set is picked from."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from ragharness.questions.questionset import RowPart, is_cloze, part_of
from ragharness.records import Question
from ragquestions.corpus_index import CorpusIndex

Family = tuple[str, str]  # a genre and a kind of answer


class Shortage(Exception):
    """The corpus does not carry as many questions of a part as asked."""

    def __init__(self, part: RowPart) -> None:
        super().__init__(f"the corpus yields no more questions for {part.name}")
        self.part = part


@dataclass(frozen=True, eq=False)
class Group:
    """All wordings of one question: one document, one topic, one part."""

    place: str
    """The document, twins counted as one; for a document that does not exist the question's own text."""
    topic: str
    variants: tuple[Question, ...]
    family: Family

    @property
    def pair(self) -> tuple[str, str]:
        """Asked at most once in a set."""
        return self.place, self.topic

    @property
    def resembles(self) -> frozenset[str]:
        """The documents whose statements tempt to a false answer."""
        first = self.variants[0]
        return frozenset(span.document for each in first.distractors for span in each.evidence)

    @property
    def cloze(self) -> bool:
        """Whether a statement is quoted with a gap."""
        return is_cloze(self.variants[0])

    @property
    def affirmed(self) -> bool | None:
        """Whether the gold answer affirms the proposition; None for other kinds than yes/no."""
        first = self.variants[0]
        if first.kind != "yesno" or not first.answers:
            return None
        return (first.answers == ("yes",)) == first.yes_means


class Pool:
    """The candidates of a recipe, grouped, in an order that depends on nothing but themselves."""

    def __init__(
        self,
        candidates: Iterable[Question],
        index: CorpusIndex,
        weights: Mapping[str, int] | None = None,
        *,
        both_sides: bool = False,
    ) -> None:
        self.index = index
        self.both_sides = both_sides
        """Whether topics that are asked with an answer are preferred where none is wanted, and back."""
        self.weights = weights or {}
        """How many turns a kind of answer gives to the others for each of its own; one where not told."""
        groups: dict[tuple[RowPart, str, str], list[Question]] = {}
        for each in candidates:
            place = index.corpus.canonical(each.document) if each.document else each.text
            groups.setdefault((part_of(each), place, each.topic), []).append(each)
        self._groups: dict[RowPart, list[Group]] = {}
        self._about: dict[RowPart, dict[tuple[Family, str], list[Group]]] = {}
        for (part, place, topic), variants in sorted(groups.items(), key=lambda item: item[0]):
            ordered = sorted(variants, key=lambda each: (each.form, each.wording, each.text))
            group = Group(place, topic, tuple(ordered), index.family(ordered[0]))
            self._groups.setdefault(part, []).append(group)

    def of(self, part: RowPart) -> list[Group]:
        """Groups of a part, sorted by document and topic."""
        return self._groups.get(part, [])

    def about(self, part: RowPart, family: Family, topic: str) -> list[Group]:
        """Groups of a part that are of a family and a topic, sorted by document."""
        if part not in self._about:
            self._about[part] = {}
            for each in self.of(part):
                self._about[part].setdefault((each.family, each.topic), []).append(each)
        return self._about[part].get((family, topic), [])

    def scarce(self) -> Counter[str]:
        """Count for each document the answerable questions that few other documents could replace.

        These are the rarer gold answer of each yes/no topic, and others with a tempting false answer.
        """
        wrong = self.of(RowPart("grounded", "wrong"))
        answerable = [*self.of(RowPart("grounded", "correct")), *wrong]
        sides = Counter((group.topic, group.affirmed) for group in answerable if group.affirmed is not None)
        rare = [each for each in wrong if each.affirmed is None]
        for each in answerable:
            if each.affirmed is not None:
                other = sides[each.topic, not each.affirmed]
                rare += [each] if other >= sides[each.topic, each.affirmed] else []
        return Counter(group.place for group in rare)

    def plenty(self) -> Counter[str]:
        """Count for each document the answerable questions of kinds that are not made rarer than others."""
        answerable = [
            each for target in ("correct", "wrong") for each in self.of(RowPart("grounded", target))
        ]
        return Counter(each.place for each in answerable if self.weights.get(each.family[1], 1) == 1)

    def places(self) -> set[str]:
        """All documents that some question is about."""
        return {
            group.place for groups in self._groups.values() for group in groups if group.variants[0].document
        }
