"""What a clause says of a proposition: it affirms it, denies it, is silent on it, or cannot be read."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple, cast

from ragharness.language.modality import NEGATED, find_cues, is_negated, negations, verdict
from ragharness.language.propositions import WORD, YEAR, Frame, frame
from ragharness.language.sentences import clauses
from ragharness.language.tables import WHOLE, pattern, table
from ragharness.language.words import concept, content, generic_concepts

if TYPE_CHECKING:
    import re
    from collections.abc import Iterable

    from ragharness.language.modality import Modality, Polarity

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
    shared = frozenset(content(proposition)) & frozenset(content(clause))
    if shared and says("universal").search(proposition) and says("partly").search(clause):
        return Statement("denies", strong=True)
    clause = asserted(clause)
    said = frame(proposition)
    return combined(_read_part(clause[start:end], said) for start, end in clauses(clause))


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
    said = _in_contrary_words(said, frozenset(content(part)))
    return weighed(polarity_of(part, said), part, said)


def _in_contrary_words(said: Frame, held: frozenset[str]) -> Frame:
    """The proposition said with the contrary word, where a part uses that one and not its own."""
    for side, other in _antonyms():
        own, used = said.predicates & side, held & side or held & other
        if own and used and not held & own:
            modality = said.modality if held & side else NEGATED[said.modality]
            return said._replace(predicates=said.predicates - own | used, modality=modality)
    return said


@lru_cache(maxsize=1)
def _antonyms() -> tuple[tuple[frozenset[str], frozenset[str]], ...]:
    listed = cast("dict[str, str]", table("polarity")["antonyms"]).values()
    sides = [frozenset(map(concept, words.split())) for words in listed]
    return (*zip(sides[::2], sides[1::2], strict=True), *zip(sides[1::2], sides[::2], strict=True))


def weighed(polarity: Polarity, part: str, said: Frame) -> Statement:
    """Return a polarity with whether the part surely is about the proposition."""
    concepts = frozenset(content(part))
    if said.modality in FACTS:
        of_any = pattern("polarity", "of_any", r"(?:^|,\s+and\s+)\W*{}\s(?!of\b)").search(part)
        named = len(said.predicates & concepts) * 5 >= len(said.predicates) * 4
        return Statement(polarity, named and (not of_any or bool(said.names & concepts)))
    named = said.objects <= concepts or says("pronoun").search(part) is not None
    pointed = len(concepts - generic_concepts()) <= 2 and says("plain_cue").search(part) is not None
    return Statement(polarity, pointed or (named and not said.predicates.isdisjoint(concepts)))


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
    found = [(word.start(), word.end(), concept(word.group().casefold())) for word in WORD.finditer(main)]
    present = {name for _, _, name in found}
    verbs = [(start, end) for start, end, name in found if name in said.predicates]
    if verbs and (len(said.predicates) < 3 or len(said.predicates & present) * 2 >= len(said.predicates)):
        return verbs[-1 if said.modality in FACTS and len(said.predicates) > 1 else 0]
    cues = find_cues(main)
    if len(said.objects & present) * 2 > len(said.objects) and (cues or said.modality == "fact"):
        return next((start, end) for start, end, name in found if name in said.objects)
    few = len(frozenset(content(main)) - generic_concepts()) <= 6
    return (len(main), len(main)) if cues and few and says("pointer").search(main) else None


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
