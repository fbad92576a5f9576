"""Builds a question set: picks from the candidates of the corpus recipe in the design's proportions."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, cast

import msgspec

from ragharness import shelf
from ragharness.config import DEFAULT_SEED, DEFAULT_SIZE
from ragharness.errors import QuestionsNotUsable, UsageError
from ragharness.questions.ground import Ground
from ragharness.questions.picking import Picker, Shortage
from ragharness.questions.questionset import SHARES, QuestionSet, Slot, quotas, slot_of
from ragharness.questions.units import PATIENCE, level_forms, pick_answerable

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from ragharness.corpus import Corpus
    from ragharness.records import Question

SMALLEST = 13
"""One question of each kind and a few to balance: below this a set says nothing."""

Family = tuple[str, str]
"""A genre and a kind of answer."""


class Recipe(Protocol):
    """A corpus' ``recipe.py``; a mapping ``WEIGHTS`` makes kinds of answer rarer, ``NOTE`` is a card's."""

    VERSION: int

    def candidates(self, corpus: Corpus) -> Sequence[Question]:
        """Return every question that could be asked, in all its wordings, without id."""
        ...


_EASE = (1, 3)
"""How many times its share a document may carry, tried in turn: some documents state more than others."""

_LOOK_ABOVE = 4
"""Sizes above a failing one that are tried before it is believed to be the end."""

_NEEDED = Slot("grounded", "correct")
"""Without questions that can be answered a set says nothing; a user's documents may lack all else."""

_OF_SEVERAL = ("grounded/unsupported/document", "grounded/refused")
"""Slots for which there must be another document."""

_MAKE_ROOM = ("grounded/unsupported/document", "grounded/unsupported/clause", "null_retrieval")
"""Slots that are given up, in this order, where plain questions are short."""


def load_recipe(corpus: str) -> Recipe:
    """Return the recipe of a corpus on the shelf; raises QuestionsNotUsable when it has none."""
    path = shelf.folder("corpora", corpus) / "recipe.py"
    if not path.is_file():
        raise QuestionsNotUsable(
            f"expected a recipe for questions about {corpus}, found none at {path}",
            help="give a question file with --questions FILE",
        )
    return cast("Recipe", shelf.load_module(path))


def build_questions(corpus: Corpus, size: int = DEFAULT_SIZE, seed: int = DEFAULT_SEED) -> QuestionSet:
    """Return a set of ``size`` questions, or of the largest size below it that the corpus carries.

    Where it carries not even the smallest set with all rows, those that it lacks are left out. The same
    corpus, size and seed give the same bytes on any machine. Raises UsageError for a size under 13 and
    QuestionsNotUsable when the corpus does not even carry that.
    """
    if size < SMALLEST:
        raise UsageError(
            f"a set needs at least {SMALLEST} questions, found --size {size}",
            help="ragharness questions build --size 130",
        )
    if corpus.folder:
        from ragharness.questions.folder import candidates

        return compose(corpus, candidates(corpus, size), size, seed)
    ground = Ground(corpus)
    recipe = load_recipe(corpus.id)
    every = recipe.candidates(corpus)
    pool = Pool(every, ground, getattr(recipe, "WEIGHTS", None))
    outcome, short = _largest(pool, ground, size, seed)
    if isinstance(outcome, Shortage):
        try:
            # A single filing of the user's, say, carries some rows only.
            return compose(corpus, every, size, seed)
        except QuestionsNotUsable:
            raise QuestionsNotUsable(
                f"expected candidates for {SMALLEST} questions about {corpus.id}, found too few: {outcome}",
                help=f"ragharness corpus show {corpus.id}",
            ) from None
    return QuestionSet(
        corpus.id, corpus.split, corpus.hash, seed, size, outcome, notes=_stopped(outcome, size, short)
    )


def compose(corpus: Corpus, candidates: Iterable[Question], size: int, seed: int) -> QuestionSet:
    """Return a set about few documents, or the user's own, without the rows that they do not carry.

    A row is left out when even the smallest set cannot have it; ``notes`` says which. Raises
    QuestionsNotUsable where not even the plain questions suffice.
    """
    ground = Ground(corpus)
    pool = Pool(candidates, ground)
    left_out: tuple[str, ...] = () if len(pool.places()) > 1 else _OF_SEVERAL
    while isinstance(short := _compose_patiently(pool, ground, SMALLEST, seed, left_out), Shortage):
        room = [name for name in _MAKE_ROOM if name not in left_out]
        name = room[0] if short.slot == _NEEDED and room else short.slot.name
        if name == _NEEDED.name or name in left_out:
            raise QuestionsNotUsable(
                f"expected at least {SMALLEST} questions with certain answers in {corpus.id}, found too few"
                " plain statements of figures and dates",
                help=f"let a model write them: ragharness questions build --corpus {corpus.id} --model NAME;"
                " or give your own: --questions FILE",
            )
        left_out = (*left_out, name)
    outcome, stopped = _largest(pool, ground, size, seed, left_out)
    if isinstance(outcome, Shortage):
        outcome = short
    gaps = (f"no questions of {name}: the documents carry too few" for name in left_out)
    notes = (*_stopped(outcome, size, stopped), *gaps)
    return QuestionSet(
        corpus.id, corpus.split, corpus.hash, seed, size, outcome, notes=notes, left_out=left_out
    )


def _stopped(built: Sequence[Question], size: int, short: Shortage | None) -> tuple[str, ...]:
    if short is None:
        return ()
    return (f"{size} questions were asked for, {len(built)} are built: {short}",)


def _largest(
    pool: Pool, ground: Ground, size: int, seed: int, left_out: tuple[str, ...] = ()
) -> tuple[tuple[Question, ...] | Shortage, Shortage | None]:
    """Return a set of ``size``, or a large one below it and what kept it from more; a Shortage for none.

    Found by halving, then upwards: which documents are withheld depends on the size, so that a larger set
    may succeed where a smaller one fails.
    """
    outcome = _compose_patiently(pool, ground, size, seed, left_out)
    if not isinstance(outcome, Shortage):
        return outcome, None
    short = outcome
    best: tuple[Question, ...] | None = None
    most = _most(pool, size, left_out) // SMALLEST
    low, high = 0, most
    while low < high:
        middle = (low + high + 1) // 2
        outcome = _compose_patiently(pool, ground, middle * SMALLEST, seed, left_out)
        if isinstance(outcome, Shortage):
            high, short = middle - 1, outcome
        else:
            low, best = middle, outcome
    above = low
    while above < min(low + _LOOK_ABOVE, most):
        above += 1
        outcome = _compose_patiently(pool, ground, above * SMALLEST, seed, left_out)
        if isinstance(outcome, Shortage):
            short = outcome
        else:
            low, best = above, outcome
    return best or short, short


def _compose_patiently(
    pool: Pool, ground: Ground, size: int, seed: int, left_out: tuple[str, ...] = ()
) -> tuple[Question, ...] | Shortage:
    outcome: tuple[Question, ...] | Shortage = ()
    # Where some kinds of answer are to be rare, the documents that state the others are not given away.
    spare = bool(pool.weights)
    for ease in _EASE:
        for patience in PATIENCE:
            outcome = _compose(pool, ground, size, seed, patience, ease, left_out, spare=spare)
            if not isinstance(outcome, Shortage):
                return outcome
    return outcome


def _compose(
    pool: Pool,
    ground: Ground,
    size: int,
    seed: int,
    patience: int,
    ease: int,
    left_out: tuple[str, ...],
    *,
    spare: bool,
) -> tuple[Question, ...] | Shortage:
    """Pick scarce rows before plentiful ones, after withholding documents that no scarce row needs."""
    counts = quotas(size, left_out)
    picker = Picker(pool, ground, seed, counts, ease, spare=spare)
    correct, wrong, document, clause, refused, unanswerable, adversarial, null = counts
    try:
        picker.withhold(document, counts[document])
        picker.withhold(clause, counts[clause])
        pick_answerable(picker, correct, wrong, counts, patience)
        for slot in (refused, null, adversarial, unanswerable):
            picker.fill(slot, counts[slot])
    except Shortage as short:
        return short
    level_forms(picker, (document, clause, refused, unanswerable, adversarial, null))
    ordered = [question for slot in counts for question in picker.picked(slot)]
    width = max(3, len(str(len(ordered))))
    return tuple(
        msgspec.structs.replace(question, id=f"q{number:0{width}}")
        for number, question in enumerate(ordered, start=1)
    )


def _most(pool: Pool, size: int, left_out: tuple[str, ...] = ()) -> int:
    """Return the first size below ``size`` worth trying: a multiple of 13 has exact proportions."""
    total = sum(SHARES.values())
    bounds = [
        len(pool.of(slot)) * total // share for slot, share in SHARES.items() if slot.name not in left_out
    ]
    return min(size - 1, *bounds) // SMALLEST * SMALLEST


@dataclass(frozen=True, eq=False)
class Group:
    """All wordings of one question: one document, one topic, one slot."""

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
    def affirmed(self) -> bool | None:
        """Whether the gold answer affirms the proposition; None for other kinds than yes/no."""
        first = self.variants[0]
        if first.kind != "yesno" or not first.answers:
            return None
        return (first.answers == ("yes",)) == first.yes_means


class Pool:
    """The candidates of a recipe, grouped, in an order that depends on nothing but themselves."""

    def __init__(
        self, candidates: Iterable[Question], ground: Ground, weights: Mapping[str, int] | None = None
    ) -> None:
        self.weights = weights or {}
        """How many turns a kind of answer gives to the others for each of its own; one where not told."""
        groups: dict[tuple[Slot, str, str], list[Question]] = {}
        for each in candidates:
            place = ground.corpus.canonical(each.document) if each.document else each.text
            groups.setdefault((slot_of(each), place, each.topic), []).append(each)
        self._groups: dict[Slot, list[Group]] = {}
        for (slot, place, topic), variants in sorted(groups.items(), key=lambda item: item[0]):
            ordered = sorted(variants, key=lambda each: (each.form, each.wording, each.text))
            group = Group(place, topic, tuple(ordered), ground.family(ordered[0]))
            self._groups.setdefault(slot, []).append(group)

    def of(self, slot: Slot) -> list[Group]:
        """Return the groups of a slot, sorted by document and topic."""
        return self._groups.get(slot, [])

    def scarce(self) -> Counter[str]:
        """Count for each document the answerable questions that few other documents could replace.

        These are the rarer gold answer of each yes/no topic, and others with a tempting false answer.
        """
        wrong = self.of(Slot("grounded", "wrong"))
        answerable = [*self.of(Slot("grounded", "correct")), *wrong]
        sides = Counter((group.topic, group.affirmed) for group in answerable if group.affirmed is not None)
        rare = [each for each in wrong if each.affirmed is None]
        for each in answerable:
            if each.affirmed is not None:
                other = sides[each.topic, not each.affirmed]
                rare += [each] if other >= sides[each.topic, each.affirmed] else []
        return Counter(group.place for group in rare)

    def plenty(self) -> Counter[str]:
        """Count for each document the answerable questions of kinds that are not made rarer than others."""
        answerable = [each for target in ("correct", "wrong") for each in self.of(Slot("grounded", target))]
        return Counter(each.place for each in answerable if self.weights.get(each.family[1], 1) == 1)

    def places(self) -> set[str]:
        """Return all documents that some question is about."""
        return {
            group.place for groups in self._groups.values() for group in groups if group.variants[0].document
        }
