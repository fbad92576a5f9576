"""Picks questions one by one from candidates that are grouped by question, balancing all that could tell."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from hashlib import sha256
from itertools import product
from math import ceil, log

from ragharness.corpus.passages import PassageSet, withhold
from ragharness.questions.questionset import RowPart, is_cloze, part_of
from ragharness.records import Evidence, Question
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

    place: str  # the document, twins counted as one; of one that does not exist the question's own text
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
        """``weights``: how many turns a kind of answer gives to the others for each of its own, else one.

        ``both_sides``: whether topics asked with an answer are preferred where none is wanted, and back.
        """
        self.index = index
        self.both_sides = both_sides
        self.weights = weights or {}
        groups: dict[tuple[RowPart, str, str], list[Question]] = {}
        for each in candidates:
            place = index.corpus.canonical(each.document) if each.document else each.text
            groups.setdefault((part_of(each), place, each.topic), []).append(each)
        self._groups: dict[RowPart, list[Group]] = {}
        self._about: dict[RowPart, dict[tuple[Family, str], list[Group]]] = {}
        for (part, place, topic), variants in sorted(groups.items(), key=lambda item: item[0]):
            variants.sort(key=lambda each: (each.form, each.wording, each.text))
            group = Group(place, topic, tuple(variants), index.family(variants[0]))
            self._groups.setdefault(part, []).append(group)

    def of(self, part: RowPart) -> list[Group]:
        """Groups of a part, sorted by document and topic."""
        return self._groups.get(part, [])

    def about(self, part: RowPart, family: Family, topic: str) -> list[Group]:
        """Groups of a part that are of a family and a topic, sorted by document."""
        if part not in self._about:
            self._about[part] = defaultdict(list)
            for group in self.of(part):
                self._about[part][group.family, group.topic].append(group)
        return self._about[part].get((family, topic), [])

    def scarce(self) -> Counter[str]:
        """Count for each document the answerable questions that few other documents could replace.

        These are the rarer gold answer of each yes/no topic, and others with a tempting false answer.
        """
        wrong = self.of(RowPart("grounded", "wrong"))
        sided = [
            group
            for group in (*self.of(RowPart("grounded", "correct")), *wrong)
            if group.affirmed is not None
        ]
        sides = Counter((group.topic, group.affirmed) for group in sided)
        rare = [group for group in wrong if group.affirmed is None]
        rare += (
            group
            for group in sided
            if sides[group.topic, not group.affirmed] >= sides[group.topic, group.affirmed]
        )
        return Counter(group.place for group in rare)

    def plenty(self) -> Counter[str]:
        """Count for each document the answerable questions of kinds that are not made rarer than others."""
        answerable = (*self.of(RowPart("grounded", "correct")), *self.of(RowPart("grounded", "wrong")))
        return Counter(group.place for group in answerable if self.weights.get(group.family[1], 1) == 1)

    def places(self) -> set[str]:
        """All documents that some question is about."""
        return {
            group.place for groups in self._groups.values() for group in groups if group.variants[0].document
        }


WHOLLY_WITHHELD = 5  # of so many documents of a small corpus one may be withheld: the others carry the rest
_SPREAD = (
    3  # documents with a clause to withhold, for each that is: fewer are needed for other questions, too
)
LEFT_IN_INDEX = (
    3  # passages of a document that stay where a clause is withheld: its name has to match something
)
_DRAWN = (
    "grounded",
    "null_retrieval",
)  # rows that want a refusal, of topics that are also asked with an answer
_UNASKED = 0.3  # answers that a topic without any counts for when topics are drawn
CLOZE_SHARE = 3  # of so many questions one may be a cloze question, which is easier to retrieve for


@dataclass
class _Tally:
    """What a row already has, so that the next question can be another."""

    genres: Counter[str] = field(default_factory=Counter)
    kinds: Counter[str] = field(default_factory=Counter)
    topics: Counter[str] = field(default_factory=Counter)
    forms: Counter[str] = field(default_factory=Counter)
    answers: Counter[tuple[str, ...]] = field(default_factory=Counter)
    # By genre too: genres and wordings that take turns together would tell the rows.
    wordings: Counter[tuple[str, int]] = field(default_factory=Counter)


class Picker:
    """The state of one build: what is picked, how often each document is used, which ones are closed."""

    def __init__(self, pool: Pool, seed: int, counts: Mapping[RowPart, int], ease: int) -> None:
        """``ease``: how many times its share a document may carry."""
        self.pool = pool
        self._seed = seed
        # Where kinds of answer are to be rare, the documents that state least are withheld first.
        self._spare = bool(pool.weights)
        self._index = pool.index
        # Draws from the seed and the group alone: one candidate less leaves all other ranks alone.
        self.ranks = {
            group: sha256("|".join((str(seed), *part, *group.pair)).encode()).hexdigest()
            for part in counts
            for group in pool.of(part)
        }
        self._fits = cache(self._fit)
        self._in_sight = cache(self._sees)
        self._picked: defaultdict[RowPart, list[tuple[Group, Question]]] = defaultdict(list)
        # Both ways of withholding share one tally: they are one row.
        self._tallies: defaultdict[tuple[str, str], _Tally] = defaultdict(_Tally)
        self._topics: Counter[str] = Counter()
        self._answered: Counter[str] = Counter()
        self._taken: set[tuple[str, str]] = set()
        self._closed: set[str] = set()
        self.load: Counter[str] = Counter()
        self._hidden: dict[str, list[Evidence]] = {}
        self._cloze = sum(counts.values()) // CLOZE_SHARE  # cloze questions that may still be asked
        withheld = sum(count for part, count in counts.items() if part.withheld)
        places = len(pool.places())
        clauses = {part: count for part, count in counts.items() if part.withheld == "clause"}
        lacking = {group.place for part in clauses for group in pool.of(part)}
        # Whether a document for every withheld question would leave too few for all others.
        self.crowded = 2 * withheld > places or len(lacking) < _SPREAD * sum(clauses.values())
        self._whole = ceil(places / WHOLLY_WITHHELD) if self.crowded else withheld
        open_places = max(1, places - self._whole)
        others = sum(counts.values()) - (0 if self.crowded else withheld)
        self.most = 1 + ease * ceil(others / open_places)  # questions that one document may carry

    def picked(self, part: RowPart) -> list[Question]:
        """Questions picked for a part, in the order of picking."""
        return [question for _, question in self._picked[part]]

    def usable(self, group: Group, *, closing: bool = False) -> bool:
        """Whether the group may still be asked; the dear tests come last and are remembered."""
        if group.pair in self._taken or self.load[group.place] >= self.most:
            return False
        if is_cloze(group.variants[0]) and not self._cloze:
            return False
        if group.place in self._closed and not (closing and self.crowded):
            return False
        if group.resembles & self._closed:  # what is not in the index tempts nobody
            return False
        if group.place in self._hidden and not self._in_sight(group):
            return False
        return self._fits(group)

    def reserve(self, part: RowPart, group: Group) -> None:
        """Count the group as asked; its wording may be chosen later."""
        tally = self._tallies[part.stratum, part.target]
        genre, kind = group.family
        tally.genres[genre] += 1
        tally.kinds[kind] += self.pool.weights.get(kind, 1)
        self._taken.add(group.pair)
        self._cloze -= is_cloze(group.variants[0])
        self.load[group.place] += 1

    def fullness(self, part: RowPart, family: Family) -> tuple[int, int]:
        """How often the row has the genre, and the kind, of a family already."""
        tally = self._tallies[part.stratum, part.target]
        return tally.genres[family[0]], tally.kinds[family[1]]

    def add(self, part: RowPart, group: Group, form: str | None = None) -> None:
        """Take that wording of a reserved group of which its row has least, in the given form if any."""
        tally = self._tallies[part.stratum, part.target]
        genre = group.family[0]
        variants = [each for each in group.variants if form in (None, each.form)] or list(group.variants)
        variants.sort(
            key=lambda each: (
                tally.forms[each.form],
                tally.answers[each.answers],
                tally.wordings[genre, each.wording],
            )
        )
        whole = (self._completed(each) for each in (*variants, *group.variants))
        best = next(each for each in whole if each is not None)
        tally.topics[group.topic] += 1
        tally.forms[best.form] += 1
        tally.answers[best.answers] += 1
        tally.wordings[genre, best.wording] += 1
        self._topics[group.topic] += 1
        self._answered[group.topic] += best.wanted == "correct"
        self._picked[part].append((group, best))

    def fill(self, part: RowPart, count: int) -> None:
        """Pick ``count`` questions of a part: genres, kinds, topics, documents in turn; raises Shortage."""
        tally = self._tallies[part.stratum, part.target]

        def cost(group: Group) -> tuple[float, ...]:
            form = min(tally.forms[each.form] for each in group.variants)
            turns = tally.topics[group.topic], self.load[group.place], self._topics[group.topic], form
            if self.pool.both_sides and part.stratum in _DRAWN:
                return self._draw(part, group.topic), *turns
            return turns

        self._pick(part, count, cost)

    def _draw(self, part: RowPart, topic: str) -> float:
        """Place in a seeded order, another one for every pick: what has more answers is earlier.

        Topics drawn one by one in the proportion in which answers are wanted tell nothing; spread evenly, a
        topic that is asked once is known by the one time it was asked before.
        """
        drawn = "|".join((str(self._seed), *part, str(len(self._picked[part])), topic))
        chance = (int(sha256(drawn.encode()).hexdigest()[:13], 16) + 1) / 16**13
        return -log(chance) / (self._answered[topic] + _UNASKED)

    def withhold(self, part: RowPart, count: int) -> None:
        """Pick questions whose evidence is kept out of the index, and close their documents to all others.

        In a crowded corpus several share a document that is withheld, and one that lacks passages carries
        other questions whose evidence is left.
        """
        scarce = self.pool.scarce()
        tempted = {each.pair for each in self.pool.of(RowPart("grounded", "wrong"))} if self._spare else set()
        plenty = self.pool.plenty() if self._spare else scarce
        tally = self._tallies[part.stratum, part.target]

        def cost(group: Group) -> tuple[float, ...]:
            loaded = self.load[group.place] if self.crowded else 0
            turns = tally.topics[group.topic], loaded, scarce[group.place]
            if self.pool.both_sides:
                return self._draw(part, group.topic), *turns
            return (group.pair in tempted, loaded, plenty[group.place], *turns) if self._spare else turns

        if self.crowded and part.withheld == "clause":
            self._pick(part, count, cost)
            for each in self.picked(part):
                self._hidden.setdefault(self._index.corpus.canonical(each.document), []).extend(each.evidence)
            self._in_sight.cache_clear()
            return
        self._pick(part, count, cost, close=True)

    def reword(self, part: RowPart, form: str, other: str) -> bool:
        """Ask one question of a part in the other form; False: none of them can be."""
        for place, (group, question) in enumerate(self._picked[part]):
            variants = [each for each in group.variants if each.form == other]
            if question.kind == "yesno" and question.form == form and variants:
                self._picked[part][place] = group, variants[0]
                return True
        return False

    def _may_close(self, group: Group) -> bool:
        """Whether the document of a question may be withheld: nothing else is asked about it."""
        if self.load[group.place]:
            return self.crowded and group.place in self._closed
        return not self.crowded or len(self._closed) < self._whole

    def _sees(self, group: Group) -> bool:
        """Whether a question wants nothing from the passages that are withheld of its document."""
        if not (first := group.variants[0]).answerable or first.withheld:
            return True
        # No other passage can hold its evidence; few of a long document are near it.
        first = self._completed(first) or first
        near = tuple(
            passage
            for passage in self._index.passages.of(first.document)
            if any(passage.start < span.end and span.start < passage.end for span in first.evidence)
        )
        left = withhold(PassageSet(near, self._index.passages.words), (), self._hidden[group.place])
        return self._index.covered(first, left.passages)

    def _pick(
        self, part: RowPart, count: int, cost: Callable[[Group], tuple[float, ...]], *, close: bool = False
    ) -> None:
        for _ in range(count):
            order = sorted(
                self.pool.of(part),
                key=lambda group: (self.fullness(part, group.family), cost(group), self.ranks[group]),
            )
            may = filter(self._may_close, order) if close else order
            group = next((each for each in may if self.usable(each, closing=close)), None)
            if group is None:
                raise Shortage(part)
            self.reserve(part, group)
            self.add(part, group)
            if close:
                self._closed.add(group.place)

    def _fit(self, group: Group) -> bool:
        first = group.variants[0]
        if (first.withheld or first.stratum == "adversarial") and first.document in self._index.alike:
            return False
        if self._index.hits(first) or (
            first.answerable and not self._index.covered(first, self._index.passages.of(first.document))
        ):
            return False
        whole = self._completed(first)
        return whole is not None and (
            whole.withheld != "clause" or self._index.left_by_clause(whole) >= LEFT_IN_INDEX
        )

    def _completed(self, question: Question) -> Question | None:
        """Question with all that states its answer as evidence; None: that is not certain."""
        return self._index.completion.completed(question) if question.answerable else question


Unit = list[tuple[RowPart, Group]]  # a pair of opposite golds of a topic, or one question that is no yes/no
UNEVEN = 2  # questions by which a form may be ahead, within a row and over all that want a refusal
PATIENCE = (2, 4, 99)
"""Turns that a topic waits in the scarcer row when it can fill the other row by itself: few keep the topics
even, more carry larger sets."""


def pick_answerable(
    picker: Picker, correct: RowPart, wrong: RowPart, counts: Mapping[RowPart, int], patience: int
) -> None:
    """Pick both answerable rows together, topics in turn; raises Shortage."""
    room = {wrong: counts[wrong], correct: counts[correct]}
    turns: Counter[str] = Counter()
    affirmed, denied = (
        {group.topic for group in picker.pool.of(correct) if group.affirmed is side} for side in (True, False)
    )
    waiting = dict.fromkeys(affirmed & denied, patience)
    units: dict[str, list[Unit]] = {}
    for first in (wrong, correct):
        if first == correct:
            waiting = {}
        while room[first]:
            unit = _next_unit(picker, first, correct, room, turns + Counter(waiting))
            if not unit:
                raise Shortage(first)
            for part, group in unit:
                picker.reserve(part, group)
                room[part] -= 1
            topic = unit[0][1].topic
            turns[topic] += 1
            units.setdefault(topic, []).append(unit)
    _choose_forms(picker, units)


def level_forms(picker: Picker, parts: Iterable[RowPart]) -> None:
    """Reword yes/no questions until no form is ahead over all parts by more than it may be within one.

    Each row is even but for one question; where they all lean to the same side they add up.
    """
    parts = list(parts)
    while True:
        lead = _lead([question for part in parts for question in picker.picked(part)])
        if abs(lead) <= UNEVEN:
            return
        forms = ("positive", "negative") if lead > 0 else ("negative", "positive")
        side = 1 if lead > 0 else -1
        leaning = sorted(parts, key=lambda part: -side * _lead(picker.picked(part)))
        # A row that is even may lean to the other side by one question, not by more.
        may = (part for part in leaning if side * _lead(picker.picked(part)) >= 0)
        if not any(picker.reword(part, *forms) for part in may):
            return


def _lead(questions: Iterable[Question]) -> int:
    """By how many questions the positive form is ahead of the negative one."""
    forms = Counter(each.form for each in questions if each.kind == "yesno")
    return forms["positive"] - forms["negative"]


def _next_unit(
    picker: Picker, first: RowPart, correct: RowPart, room: Mapping[RowPart, int], turns: Mapping[str, int]
) -> Unit:
    """Unit of what the row has least of, its partner from the easier row if it can."""
    ranks: dict[tuple[Family, str], str] = {}
    for group in picker.pool.of(first):
        key = group.family, group.topic
        ranks[key] = min(picker.ranks[group], ranks.get(key, "g"))
    topics = sorted(ranks, key=lambda key: (picker.fullness(first, key[0]), turns.get(key[1], 0), ranks[key]))
    partners = [part for part in dict.fromkeys((correct, first)) if room[part] >= 1 + (part == first)]
    for partner, (family, topic) in product(partners, topics):
        if unit := next(_units(picker, family, topic, first, partner), None):
            return unit
    # The last question of an odd number has no partner.
    lone = (_best(picker, first, *topic, (None, True, False)) for topic in (() if partners else topics))
    return next(([(first, group)] for group in lone if group is not None), [])


def _units(picker: Picker, family: Family, topic: str, first: RowPart, partner: RowPart) -> Iterator[Unit]:
    if (single := _best(picker, first, family, topic, (None,))) is not None:
        yield [(first, single)]
    for label in (False, True):
        group = _best(picker, first, family, topic, (label,))
        other = _best(picker, partner, family, topic, (not label,))
        if group is not None and other is not None:
            yield [(first, group), (partner, other)]


def _best(
    picker: Picker, part: RowPart, family: Family, topic: str, labels: tuple[bool | None, ...]
) -> Group | None:
    """Usable group of the document with the fewest questions so far."""
    groups = [group for group in picker.pool.about(part, family, topic) if group.affirmed in labels]
    groups.sort(key=lambda group: (picker.load[group.place], picker.ranks[group]))
    return next(filter(picker.usable, groups), None)


def _choose_forms(picker: Picker, units: Mapping[str, list[Unit]]) -> None:
    """Give each topic as many positive wordings of affirmed as of denied golds: "yes" is right half the time.

    With an odd number of pairs one form is ahead by a pair; topics take turns in which.
    """
    ahead = 0
    for topic in sorted(units):
        members = [member for unit in units[topic] for member in unit]
        sides = [[each for each in members if each[1].affirmed is label] for label in (True, False)]
        for part, group in (each for each in members if each[1].affirmed is None):
            picker.add(part, group)
        for side in sides:
            for number, (part, group) in enumerate(side):
                picker.add(part, group, "positive" if (number + ahead) % 2 == 0 else "negative")
        ahead ^= len(sides[0]) % 2
