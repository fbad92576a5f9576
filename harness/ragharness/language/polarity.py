"""A proposition or yes/no question taken apart, and what a clause says of it: so, not so, or nothing."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from functools import lru_cache
from itertools import islice, pairwise
from typing import Literal, NamedTuple, cast

from ragharness.language.tables import WHOLE, finds, pattern, phrases, regex, table, words_of
from ragharness.language.words import (
    STOPWORDS,
    clauses,
    concept,
    concepts_of,
    content,
    generic_concepts,
    remembered,
)

Modality = Literal["permit", "forbid", "require", "optional", "fact", "not_fact"]
Polarity = Literal["affirms", "denies", "silent", "unclear"]

_JOINED = regex(r"(?:,|\b(?:and|or|nor))(?:\s+[\w'’]+){0,2}$", re.IGNORECASE)
_BRIDGE = regex(r"\s*(?:be|been|that|it|they|\w+ly|\s)*\s*", re.IGNORECASE)
_MODAL = regex(r"may|can|could|might|must|shall|should|will", re.IGNORECASE)
_WORD = regex(r"[^\W\d_]+(?:['’][^\W\d_]+)?")
_CUES = regex("|".join(
    rf"(?P<{kind}>\b{phrases('modality', f'cues.{kind}')}\b)" for kind in table("modality")["cues"]
))  # fmt: skip
"""For lower-case text: matching case for case is three times faster."""
_SIDES = [
    frozenset(map(concept, words.split()))
    for words in cast("dict[str, str]", table("polarity")["antonyms"]).values()
]
_ANTONYMS = (*zip(_SIDES[::2], _SIDES[1::2], strict=True), *zip(_SIDES[1::2], _SIDES[::2], strict=True))
_APART = [
    frozenset(map(concept, side.split()))
    for pair in cast("list[list[str]]", table("polarity")["apart"])
    for side in pair
]
_CONTRARIES = (
    *_ANTONYMS,
    *zip(_APART[::2], _APART[1::2], strict=True),
    *zip(_APART[1::2], _APART[::2], strict=True),
)
_OPPOSED = frozenset[str]().union(*_SIDES, *_APART)
_CONTRARY: dict[Modality, Modality] = {"permit": "forbid", "require": "optional", "fact": "not_fact"}
NEGATED = _CONTRARY | {other: one for one, other in _CONTRARY.items()}
_MEANS: dict[Modality, dict[Polarity, str]] = {
    "permit": {"affirms": "permit require fact", "denies": "forbid not_fact"},
    "forbid": {"affirms": "forbid not_fact", "denies": "permit require fact optional"},
    "require": {"affirms": "require fact", "denies": "optional forbid not_fact"},
    "optional": {"affirms": "optional permit not_fact", "denies": "require"},
    "fact": {"affirms": "fact require permit", "denies": "not_fact forbid optional"},
    "not_fact": {"affirms": "not_fact forbid optional", "denies": "fact require permit"},
}
"""Of each thing that can be said: which statements affirm it and which deny it."""


class Cue(NamedTuple):
    """A word that sets a modality, with the negation around it resolved."""

    start: int
    end: int
    modality: Modality


def verdict(stated: Modality, wanted: Modality) -> Polarity:
    """Return what a stated modality makes of a statement with another one: a permission denies a ban."""
    for polarity, modalities in _MEANS[wanted].items():
        if stated in modalities.split():
            return polarity
    return "unclear"


@remembered
def negations(text: str) -> tuple[re.Match[str], ...]:
    """Return the negating words of a text, idioms such as "not only" left out."""
    nots = tuple(finds("modality", "negators", text))
    idioms = (
        [each.span() for each in pattern("modality", "denies_nothing", WHOLE).finditer(text)] if nots else []
    )
    return tuple(each for each in nots if not any(low <= each.start() < high for low, high in idioms))


def is_negated(text: str, nots: Sequence[re.Match[str]] | None = None) -> bool:
    """Return whether a clause is negated: two negations cancel out unless something joins them."""
    nots = negations(text) if nots is None else nots
    apart = sum(not _JOINED.search(text, one.end(), other.end()) for one, other in pairwise(nots))
    return bool(nots) and apart % 2 == 0


@remembered
def find_cues(text: str) -> tuple[Cue, ...]:
    """Return the modality cues of a clause in order, each with the negations before it resolved."""
    cues: list[Cue] = []
    nots = negations(text)
    start = 0
    lowered = text.lower().replace("’", "'")
    for found in _CUES.finditer(lowered if len(lowered) == len(text) else text):
        kind = found.lastgroup or ""
        modality: Modality = "forbid" if kind in ("may_not", "not_among") else cast("Modality", kind)
        if is_negated(text, [each for each in nots if start <= each.start() < found.start()]):
            modality = "forbid" if _MODAL.fullmatch(found.group()) else NEGATED[modality]
        outer = cues[-1] if cues and _BRIDGE.fullmatch(text, cues[-1].end, found.start()) else None
        if outer and outer.modality in ("forbid", "optional"):
            # "shall not be required to", "does not require that it must": the outer negation governs.
            modality = NEGATED[modality]
        cues.append(Cue(found.start(), found.end(), modality))
        start = found.end()
    return tuple(cues)


def negated(text: str, start: int) -> bool:
    """Return whether a negation in the four words before ``start`` denies it; "not more than" does not."""
    before = text[max(0, start - 80) : start].lower().replace("’", "'")
    own = pattern("modality", "clause_starts", r"[;:!?\n,]|\.(?=\s)|\b{}\b").split(before)[-1]
    words = _WORD.findall(own)[-4:]
    nots, states_anyway = words_of("modality", "of_values"), words_of("modality", "states_anyway")
    return any(
        (word in nots or word.endswith("n't")) and states_anyway.isdisjoint(words[place + 1 :])
        for place, word in enumerate(words)
    )


WORD = regex(r"[^\W_]+(?:['’][^\W_]+)?")
"""A word as the readings see it."""
_NAME = regex(r"(?<!^)(?<![.!?]\s)\b(?:[A-Z][\w’'&.-]*|\w*\d\w*)")
"""What identifies a statement's subject or its time: an answer may leave it out or say it otherwise."""
YEAR = regex(r"(?:\b|FY\s?)((?:19|20)\d\d)\b", re.IGNORECASE)


class Frame(NamedTuple):
    """A proposition taken apart."""

    modality: Modality
    predicates: frozenset[str]
    """The concept of the verb; of a plain fact, all of its concepts."""
    objects: frozenset[str]
    """What distinguishes it from other statements with the same verb."""
    names: frozenset[str] = frozenset()
    years: frozenset[str] = frozenset()
    core: tuple[frozenset[str], frozenset[str]] = (frozenset(), frozenset())
    """Of the statement of a question: its concepts up to a preposition, and those that say what is asked."""


@lru_cache(maxsize=4096)
def frame(proposition: str, weak: frozenset[str] = frozenset()) -> Frame:
    """Return a proposition taken apart; ``weak`` concepts distinguish nothing."""
    weak |= frozenset(map(concept, words_of("propositions", "weak"))) | generic_concepts()
    cues = find_cues(proposition)
    if not cues:
        modality: Modality = "not_fact" if is_negated(proposition) else "fact"
        everything = concepts_of(proposition) - weak
        named = concepts_of(" ".join(_NAME.findall(proposition)))
        years = frozenset(YEAR.findall(proposition))
        core = _core(proposition) if proposition.startswith("that ") else (frozenset[str](), frozenset[str]())
        return Frame(modality, everything - named or everything, frozenset(), named, years, core)
    rest = proposition[cues[0].end :]
    # The first word that says something, adverbs passed over.
    verbs = (
        word for word in WORD.findall(rest.casefold()) if word not in STOPWORDS and not word.endswith("ly")
    )
    predicates = frozenset(map(concept, islice(verbs, 1)))
    return Frame(cues[0].modality, predicates, concepts_of(rest) - predicates - weak)


def _core(statement: str) -> tuple[frozenset[str], frozenset[str]]:
    """The concepts of "that is X Y" or "that X verb Y" up to a preposition; those of Y, or verb and Y."""
    head = pattern("propositions", "prepositions", r"\s{}\s").split(statement.removeprefix("that "))[0]
    words = content(head)
    asked = words[-1:]
    if not head.startswith("is "):
        verb = verb_at(head)
        asked = (*asked, *content(head[verb:])[:1]) if verb is not None else ()
    return frozenset(words), frozenset(asked)


def verb_at(text: str) -> int | None:
    """Return where the verb stands behind its subject: at the first word that can be none of its words."""
    subjects, articles = words_of("propositions", "subjects"), words_of("propositions", "articles")
    before = ""
    for word in WORD.finditer(text):
        if word.group().islower() and word.group() not in subjects and before not in articles:
            return word.start()
        before = word.group().casefold()
    return None


_LEFT_OPEN = r"\b{}(?:\s+\w+){0,3}?\s+(?:whether|if)\b(?!\s+or\s+not)[^.;]*"
_OF_NOTHING: dict[Modality, Modality] = {"permit": "forbid", "require": "forbid", "fact": "not_fact"}
FACTS = ("fact", "not_fact")


class Statement(NamedTuple):
    """What a clause says of a proposition."""

    polarity: Polarity
    strong: bool = False
    """Whether it names the action together with its object, so that it cannot be about something else."""


def read_statement(clause: str, proposition: str) -> Statement:
    """Return what a clause states of a proposition in plain English, and how surely it is about it."""
    shared = concepts_of(proposition) & concepts_of(clause)
    if shared and says("universal").search(proposition) and says("partly").search(clause):
        return Statement("denies", strong=True)
    clause = asserted(clause)
    said = frame(proposition)
    return combined(_read_part(clause[start:end], said) for start, end in clauses(clause))


@remembered
def asserted(clause: str) -> str:
    """Return a clause without what it leaves open ("... whether ...") and what its condition denies."""
    return says("in_condition").sub(" ", pattern("polarity", "leave_open", _LEFT_OPEN).sub(" ", clause))


def says(key: str) -> re.Pattern[str]:
    """Return the pattern of an entry of the table of polarity."""
    return pattern("polarity", key, WHOLE)


def combined(readings: Iterable[Statement]) -> Statement:
    """Return what the parts of a clause state together: those that name what they are about count first."""
    heard = [reading for reading in readings if reading.polarity != "silent"]
    decided = [reading for reading in heard if reading.polarity != "unclear"]
    decided = [reading for reading in decided if reading.strong] or decided
    if len({reading.polarity for reading in decided}) == 1:
        return decided[0]
    return Statement("unclear" if heard else "silent")


def _read_part(part: str, said: Frame) -> Statement:
    """What one part of a clause states; a limit or an exception is left open."""
    years = frozenset(YEAR.findall(part))
    if said.modality in FACTS and years and said.years and years.isdisjoint(said.years):
        return Statement("silent")
    if says("exception").search(part) and said.modality not in FACTS:
        return Statement("unclear")
    said = _in_contrary_words(said, concepts_of(part))
    return weighed(polarity_of(part, said), part, said)


def contrary(asked: frozenset[str], said: frozenset[str]) -> bool:
    """Say whether concepts say the contrary of others, and nothing of what those say ("fell": "increase")."""
    if _OPPOSED.isdisjoint(asked) or _OPPOSED.isdisjoint(said):
        return False
    return any(
        asked & side and said & other and not (asked & other or said & side) for side, other in _CONTRARIES
    )


def _in_contrary_words(said: Frame, held: frozenset[str]) -> Frame:
    """The proposition said with the contrary word, where a part uses that one and not its own."""
    for side, other in _ANTONYMS:
        own, used = said.predicates & side, held & side or held & other
        if own and used and not held & own:
            modality = said.modality if held & side else NEGATED[said.modality]
            return said._replace(predicates=said.predicates - own | used, modality=modality)
    return said


def weighed(polarity: Polarity, part: str, said: Frame) -> Statement:
    """Return a polarity with whether the part surely is about the proposition."""
    concepts = concepts_of(part)
    if said.modality in FACTS:
        of_any = pattern("polarity", "of_any", r"(?:^|,\s+and\s+)\W*{}\s(?!of\b)").search(part)
        named = len(said.predicates & concepts) * 5 >= len(said.predicates) * 4
        named = named or _says_asked(said, concepts)
        return Statement(polarity, named and (not of_any or bool(said.names & concepts)))
    named = said.objects <= concepts or says("pronoun").search(part) is not None
    pointed = len(concepts - generic_concepts()) <= 2 and says("plain_cue").search(part) is not None
    return Statement(polarity, pointed or (named and not said.predicates.isdisjoint(concepts)))


def _says_asked(said: Frame, concepts: Collection[str]) -> bool:
    """Say whether concepts hold what is asked of a subject ("the stipend is taxable": "the work stipend")."""
    core, asked = said.core
    return (
        bool(asked) and asked.issubset(concepts) and len(core.intersection(concepts)) * 2 >= max(4, len(core))
    )


def polarity_of(part: str, said: Frame) -> Polarity:
    """Return what a part states of a proposition, by the modality it gives to the proposition's action."""
    place = place_of(part, said)
    if place is None:
        return "silent"
    modality = modality_at(part, place)
    if said.modality in FACTS and modality == "permit" and says("possible").search(part):
        return "unclear"
    return verdict(modality, said.modality)


def place_of(main: str, said: Frame) -> tuple[int, int] | None:
    """Return where a part speaks of the proposition's action: at its verb, its objects, or a pointer."""
    found = _concepts_at(main)
    present = {name for _, _, name in found}
    verbs = [(start, end) for start, end, name in found if name in said.predicates]
    half = len(said.predicates & present) * 2 >= len(said.predicates)
    if verbs and (len(said.predicates) < 3 or half or _says_asked(said, present)):
        return verbs[-1 if said.modality in FACTS and len(said.predicates) > 1 else 0]
    cues = find_cues(main)
    if len(said.objects & present) * 2 > len(said.objects) and (cues or said.modality == "fact"):
        return next((start, end) for start, end, name in found if name in said.objects)
    few = len(concepts_of(main) - generic_concepts()) <= 6
    return (len(main), len(main)) if cues and few and says("pointer").search(main) else None


@remembered
def _concepts_at(text: str) -> tuple[tuple[int, int, str], ...]:
    """Where the words of a text stand, each with its concept."""
    return tuple((word.start(), word.end(), concept(word[0].casefold())) for word in WORD.finditer(text))


def modality_at(main: str, place: tuple[int, int]) -> Modality:
    """Return the modality that a part gives to what stands at a place."""
    cues = find_cues(main)
    before = [cue for cue in cues if cue.start < place[0]]
    after = [cue for cue in cues if cue.start >= place[1]]
    if before:
        modality: Modality = before[-1].modality
        nots = sum(before[-1].end <= each.start() < place[0] for each in negations(main))
        if nots % 2 and modality in ("permit", "require"):
            return "forbid"
    elif after:
        modality = after[0].modality
    else:
        modality = "not_fact" if is_negated(main[: place[0]]) else "fact"
    following = negations(main[place[1] : place[1] + 40])
    nothing = following and says("nothing").fullmatch(following[0].group())
    return _OF_NOTHING.get(modality, modality) if nothing else modality
