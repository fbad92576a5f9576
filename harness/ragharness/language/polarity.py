"""What a clause says of a proposition: it affirms it, denies it, is silent on it, or cannot be read."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple, cast

from ragharness.language.modality import Modality, Polarity, find_cues, is_negated, negate, negations, verdict
from ragharness.language.patterns import regex
from ragharness.language.propositions import WORD, Frame, frame
from ragharness.language.sentences import clauses
from ragharness.language.tables import pattern, table
from ragharness.language.words import concept, content, generic_concepts

if TYPE_CHECKING:
    from collections.abc import Iterable

_LEFT_OPEN = r"\b{}(?:\s+\w+){0,3}?\s+(?:whether|if)\b(?!\s+or\s+not)[^.;]*"
_SILENCE = (
    r"\bsilent\s+(?:on|about|as\s+to)\b"
    r"|\b(?:not|n['’]t|never|no|nothing|none|nowhere|nobody|nor|without|neither)\b[^.;]{0,40}?\b{}"
)
_NOTHING = regex(r"no|nobody|none|nothing", re.IGNORECASE)
_YEAR = regex(r"(?:\b|FY\s?)((?:19|20)\d\d)\b", re.IGNORECASE)
FACTS = ("fact", "not_fact")


class Statement(NamedTuple):
    """What a clause says of a proposition."""

    polarity: Polarity
    strong: bool = False
    """Whether it names the action together with its object, so that it cannot be about something else."""


def read_statement(clause: str, proposition: str) -> Statement:
    """Return what a clause states of a proposition in plain English, and how surely it is about it.

    A statement that something is not addressed is "silent"; so is a clause about something else.
    """
    shared = frozenset(content(proposition)) & frozenset(content(clause))
    if _says("universal").search(proposition) and _says("partly").search(clause) and len(shared) >= 2:
        return Statement("denies", strong=True)
    clause = asserted(clause)
    said = frame(proposition)
    return combined(read_part(clause[start:end], said) for start, end in clauses(clause))


def asserted(clause: str) -> str:
    """Return a clause without what it leaves open ("... whether ..."), exceptions joined to their rule."""
    clause = pattern("polarity", "leave_open", _LEFT_OPEN).sub(" ", clause)
    return _says("exception_for").sub(" except for ", clause)


def _says(key: str) -> re.Pattern[str]:
    return pattern("polarity", key)


def combined(readings: Iterable[Statement]) -> Statement:
    """Return what the parts of a clause state together: those that name what they are about count first."""
    heard = [reading for reading in readings if reading.polarity != "silent"]
    decided = [reading for reading in heard if reading.polarity != "unclear"]
    decided = [reading for reading in decided if reading.strong] or decided
    if len({reading.polarity for reading in decided}) == 1:
        return decided[0]
    return Statement("unclear" if heard else "silent")


def read_part(part: str, said: Frame) -> Statement:
    """Return what one part of a clause states of a proposition that is taken apart."""
    if not touches(part, said) or is_silence(part):
        return Statement("silent")
    if said.modality in FACTS and (is_conditional(part) or _of_another_year(part, said)):
        return Statement("silent")
    turned = _antonym(part, said)
    return weighed(polarity_of(part, turned), part, turned)


def is_conditional(text: str) -> bool:
    """Return whether a text says what would be the case if something else were."""
    return _says("conditional").search(text) is not None


def _of_another_year(part: str, said: Frame) -> bool:
    years = frozenset(_YEAR.findall(part))
    return bool(years) and bool(said.years) and years.isdisjoint(said.years)


def _antonym(part: str, said: Frame) -> Frame:
    """The proposition said with the contrary word, where a part uses that one and not its own."""
    if said.modality not in FACTS:
        return said
    held = frozenset(content(part))
    for side, other in _antonyms():
        own, used = said.predicates & side, held & side or held & other
        if own and used and not held & own:
            modality = said.modality if held & side else negate(said.modality)
            return said._replace(predicates=said.predicates - own | used, modality=modality)
    return said


@lru_cache(maxsize=1)
def _antonyms() -> tuple[tuple[frozenset[str], frozenset[str]], ...]:
    listed = cast("dict[str, str]", table("polarity")["antonyms"]).values()
    sides = [frozenset(map(concept, words.split())) for words in listed]
    pairs = list(zip(sides[::2], sides[1::2], strict=True))
    return (*pairs, *((other, side) for side, other in pairs))


def weighed(polarity: Polarity, part: str, said: Frame) -> Statement:
    """Return a polarity with whether the part surely is about the proposition."""
    if polarity not in ("affirms", "denies"):
        return Statement(polarity)
    concepts = frozenset(content(part))
    if said.modality in FACTS:
        of_any = pattern("polarity", "of_any", r"(?:^|,\s+and\s+)\W*{}\s(?!of\b)").search(part)
        named = len(said.predicates & concepts) * 5 >= len(said.predicates) * 4
        return Statement(polarity, named and (not of_any or bool(said.names & concepts)))
    named = said.objects <= concepts or _says("pronoun").search(part) is not None
    pointed = len(concepts - generic_concepts()) <= 2 and _says("plain_cue").search(part) is not None
    return Statement(polarity, pointed or (named and not said.predicates.isdisjoint(concepts)))


def touches(part: str, said: Frame) -> bool:
    """Return, cheaply, whether a part can be about a proposition: it shares a word or points to something."""
    shared = said.concepts | said.predicates | said.objects
    return not shared.isdisjoint(content(part)) or _says("pointer").search(part) is not None


def is_silence(part: str) -> bool:
    """Return whether a part says that something is not addressed."""
    return pattern("polarity", "silent_verbs", _SILENCE).search(part) is not None


def polarity_of(part: str, said: Frame) -> Polarity:
    """Return what a part states of a proposition, by the modality it gives to the proposition's action."""
    exception = _says("exception").search(part)
    main = part[: exception.start()] if exception else part
    narrowed = _read_only(part, said)
    if narrowed:
        return narrowed
    place = place_of(main, said)
    if exception and not said.exception:
        read = _read_exception(main, part[exception.end() :], place, said)
        if read:
            return read
    if place is None:
        return "silent"
    modality = modality_at(main, place)
    if said.modality in FACTS and modality == "permit" and _says("possible").search(main):
        return "unclear"
    return verdict(modality, said.modality)


def _read_only(part: str, said: Frame) -> Polarity | None:
    """Read what a part says of a limit: "only", "not only"."""
    concepts = frozenset(content(part))
    narrow, wide = _says("only").search(part), pattern("polarity", "not_only", "{}").search(part)
    if said.only:
        relevant = (said.predicates | said.objects) & concepts
        if wide:
            return "denies"
        if narrow and relevant:
            return "denies" if len(negations(part)) % 2 else "affirms"
        return "unclear" if relevant else None
    if narrow and said.exception and said.modality == "forbid" and said.predicates & concepts:
        return "unclear" if wide else "affirms"
    return None


def _read_exception(main: str, rest: str, place: tuple[int, int] | None, said: Frame) -> Polarity | None:
    """Read "not ... except X": what X names is permitted."""
    held = frozenset(content(rest))
    inside, outside = said.objects & held, said.objects & frozenset(content(main))
    if place is None:
        if said.predicates & held:
            return read_part(rest, said).polarity
        banned = any(cue.modality == "forbid" for cue in find_cues(main))
        return verdict("permit", said.modality) if inside and not outside and banned else None
    if modality_at(main, place) not in ("forbid", "not_fact"):
        return None
    if inside and not outside:
        return verdict("permit", said.modality)
    return "unclear" if inside else None


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
    return (len(main), len(main)) if cues and few and _says("pointer").search(main) else None


def modality_at(main: str, place: tuple[int, int]) -> Modality:
    """Return the modality that a part gives to what stands at a place."""
    cues = find_cues(main)
    before = [cue for cue in cues if cue.start < place[0]]
    after = [cue for cue in cues if cue.start >= place[1]]
    if before:
        cue = before[-1]
        modality: Modality = cue.modality
        nots = sum(cue.end <= each.start() < place[0] for each in negations(main))
        if nots % 2 and modality in ("permit", "require"):
            return "forbid"
    elif after:
        modality = after[0].modality
    else:
        modality = "not_fact" if is_negated(main[: place[0]]) else "fact"
    following = negations(main[place[1] : place[1] + 40])
    nothing = bool(following) and _NOTHING.fullmatch(following[0].group())
    if nothing and modality in ("permit", "require", "fact"):
        return "forbid" if modality != "fact" else "not_fact"
    return modality
