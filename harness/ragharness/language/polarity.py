"""A proposition or yes/no question taken apart, and what a clause says of it: so, not so, or nothing."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
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
_WORD = regex(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
_CUES = regex("|".join(  # for lower-case text: matching case for case is three times faster
    rf"(?P<{kind}>\b{phrases('modality', f'cues.{kind}')}\b)" for kind in table("modality")["cues"]
))  # fmt: skip
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
NEGATED = _CONTRARY | {denial: claim for claim, denial in _CONTRARY.items()}
_MEANS: dict[Modality, dict[Polarity, str]] = {
    "permit": {"affirms": "permit require fact", "denies": "forbid not_fact"},
    "forbid": {"affirms": "forbid not_fact", "denies": "permit require fact optional"},
    "require": {"affirms": "require fact", "denies": "optional forbid not_fact"},
    "optional": {"affirms": "optional permit not_fact", "denies": "require"},
    "fact": {"affirms": "fact require permit", "denies": "not_fact forbid optional"},
    "not_fact": {"affirms": "not_fact forbid optional", "denies": "fact require permit"},
}  # of each thing that can be said: which statements affirm it and which deny it


class Cue(NamedTuple):
    """A word that sets a modality, with the negation around it resolved."""

    start: int
    end: int
    modality: Modality


def verdict(stated: Modality, wanted: Modality) -> Polarity:
    """What a stated modality makes of a statement with another one: a permission denies a ban."""
    means = _MEANS[wanted].items()
    return next((polarity for polarity, modalities in means if stated in modalities.split()), "unclear")


@remembered
def negations(text: str) -> tuple[re.Match[str], ...]:
    """Negating words of a text, idioms such as "not only" left out."""
    nots = tuple(finds("modality", "negators", text))
    idioms = pattern("modality", "denies_nothing", WHOLE).finditer(text) if nots else ()
    spans = [idiom.span() for idiom in idioms]
    return tuple(word for word in nots if not any(low <= word.start() < high for low, high in spans))


def is_negated(text: str, nots: Sequence[re.Match[str]] | None = None) -> bool:
    """Whether a clause is negated: two negations cancel out unless something joins them."""
    nots = negations(text) if nots is None else nots
    apart = sum(not _JOINED.search(text, earlier.end(), later.end()) for earlier, later in pairwise(nots))
    return bool(nots) and apart % 2 == 0


@remembered
def find_cues(text: str) -> tuple[Cue, ...]:
    """Modality cues of a clause in order, each with the negations before it resolved."""
    cues: list[Cue] = []
    nots = negations(text)
    start = 0
    lowered = text.lower().replace("’", "'")
    for match in _CUES.finditer(lowered if len(lowered) == len(text) else text):
        kind = match.lastgroup or ""
        modality: Modality = "forbid" if kind in ("may_not", "not_among") else cast("Modality", kind)
        if is_negated(text, [negator for negator in nots if start <= negator.start() < match.start()]):
            modality = "forbid" if _MODAL.fullmatch(match.group()) else NEGATED[modality]
        outer = cues[-1] if cues and _BRIDGE.fullmatch(text, cues[-1].end, match.start()) else None
        if outer and outer.modality in ("forbid", "optional"):
            # "shall not be required to", "does not require that it must": the outer negation governs.
            modality = NEGATED[modality]
        cues.append(Cue(match.start(), match.end(), modality))
        start = match.end()
    return tuple(cues)


def negated(text: str, start: int) -> bool:
    """Whether a negation in the four words before ``start`` denies it; "not more than" does not."""
    before = text[max(0, start - 80) : start].lower().replace("’", "'")
    clause = pattern("modality", "clause_starts", r"[;:!?\n,]|\.(?=\s)|\b{}\b").split(before)[-1]
    words = _WORD.findall(clause)[-4:]
    nots, states_anyway = words_of("modality", "of_values"), words_of("modality", "states_anyway")
    return any(
        (word in nots or word.endswith("n't")) and states_anyway.isdisjoint(words[index + 1 :])
        for index, word in enumerate(words)
    )


WORD = regex(r"[^\W_]+(?:['’][^\W_]+)?")
_NAME = regex(r"(?<!^)(?<![.!?]\s)\b(?:[A-Z][\w’'&.-]*|\w*\d\w*)")
"""What identifies a statement's subject or its time: an answer may leave it out or say it otherwise."""
YEAR = regex(r"(?:\b|FY\s?)((?:19|20)\d\d)\b", re.IGNORECASE)


class Frame(NamedTuple):
    """A proposition taken apart."""

    modality: Modality
    predicates: frozenset[str]  # the concept of the verb; of a plain fact, all of its concepts
    objects: frozenset[str]  # what distinguishes it from other statements with the same verb
    names: frozenset[str] = frozenset()
    years: frozenset[str] = frozenset()
    core: tuple[frozenset[str], frozenset[str]] = (frozenset(), frozenset())
    """Of the statement of a question: its concepts up to a preposition, and those that say what is asked."""


@lru_cache(maxsize=4096)
def frame(proposition: str, weak: frozenset[str] = frozenset()) -> Frame:
    """Proposition taken apart; ``weak`` concepts distinguish nothing."""
    weak |= frozenset(map(concept, words_of("propositions", "weak"))) | generic_concepts()
    cues = find_cues(proposition)
    if not cues:
        modality: Modality = "not_fact" if is_negated(proposition) else "fact"
        everything = concepts_of(proposition) - weak
        named = concepts_of(" ".join(_NAME.findall(proposition)))
        years = frozenset(YEAR.findall(proposition))
        core = _core(proposition) if proposition.startswith("that ") else (frozenset[str](), frozenset[str]())
        return Frame(modality, everything - named or everything, frozenset(), named, years, core)
    tail = proposition[cues[0].end :]
    # The first word that says something, adverbs passed over.
    words = WORD.findall(tail.casefold())
    verbs = (word for word in words if word not in STOPWORDS and not word.endswith("ly"))
    predicates = frozenset(map(concept, islice(verbs, 1)))
    return Frame(cues[0].modality, predicates, concepts_of(tail) - predicates - weak)


def _core(statement: str) -> tuple[frozenset[str], frozenset[str]]:
    """The concepts of "that is X Y" or "that X verb Y" up to a preposition; those of Y, or verb and Y."""
    head = pattern("propositions", "prepositions", r"\s{}\s").split(statement.removeprefix("that "))[0]
    words = content(head)
    slot = words[-1:]
    if not head.startswith("is "):
        verb = verb_at(head)
        slot = (*slot, *content(head[verb:])[:1]) if verb is not None else ()
    return frozenset(words), frozenset(slot)


def verb_at(text: str) -> int | None:
    """Where the verb stands behind its subject: at the first word that can be none of its words."""
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
    strong: bool = False  # whether it names action and object, so that it cannot be about something else


def read_statement(clause: str, proposition: str) -> Statement:
    """What a clause states of a proposition in plain English, and how surely it is about it."""
    shared = concepts_of(proposition) & concepts_of(clause)
    if shared and says("universal").search(proposition) and says("partly").search(clause):
        return Statement("denies", strong=True)
    clause = asserted(clause)
    framed = frame(proposition)
    return combined(_read_part(clause[start:end], framed) for start, end in clauses(clause))


@remembered
def asserted(clause: str) -> str:
    """Clause without what it leaves open ("... whether ...") and what its condition denies."""
    return says("in_condition").sub(" ", pattern("polarity", "leave_open", _LEFT_OPEN).sub(" ", clause))


def says(key: str) -> re.Pattern[str]:
    """Pattern of an entry of the table of polarity."""
    return pattern("polarity", key, WHOLE)


def combined(readings: Iterable[Statement]) -> Statement:
    """What the parts of a clause state together: those that name what they are about count first."""
    heard = [reading for reading in readings if reading.polarity != "silent"]
    decided = [reading for reading in heard if reading.polarity != "unclear"]
    decided = [reading for reading in decided if reading.strong] or decided
    if len({reading.polarity for reading in decided}) == 1:
        return decided[0]
    return Statement("unclear" if heard else "silent")


def _read_part(part: str, framed: Frame) -> Statement:
    """What one part of a clause states; a limit or an exception is left open."""
    years = frozenset(YEAR.findall(part))
    if framed.modality in FACTS and years and framed.years and years.isdisjoint(framed.years):
        return Statement("silent")
    if says("exception").search(part) and framed.modality not in FACTS:
        return Statement("unclear")
    framed = _in_contrary_words(framed, concepts_of(part))
    return weighed(polarity_of(part, framed), part, framed)


def contrary(asked: frozenset[str], said: frozenset[str]) -> bool:
    """Whether concepts say the contrary of others, and nothing of what those say ("fell": "increase")."""
    if _OPPOSED.isdisjoint(asked) or _OPPOSED.isdisjoint(said):
        return False
    return any(
        asked & side and said & opposite and not (asked & opposite or said & side)
        for side, opposite in _CONTRARIES
    )


def _in_contrary_words(framed: Frame, concepts: frozenset[str]) -> Frame:
    """The proposition said with the contrary word, where a part uses that one and not its own."""
    for side, opposite in _ANTONYMS:
        replaced, replacing = framed.predicates & side, concepts & side or concepts & opposite
        if replaced and replacing and not concepts & replaced:
            modality = framed.modality if concepts & side else NEGATED[framed.modality]
            return framed._replace(predicates=framed.predicates - replaced | replacing, modality=modality)
    return framed


def weighed(polarity: Polarity, part: str, framed: Frame) -> Statement:
    """Polarity with whether the part surely is about the proposition."""
    concepts = concepts_of(part)
    if framed.modality in FACTS:
        of_any = pattern("polarity", "of_any", r"(?:^|,\s+and\s+)\W*{}\s(?!of\b)").search(part)
        named = len(framed.predicates & concepts) * 5 >= len(framed.predicates) * 4
        named = named or _says_asked(framed, concepts)
        return Statement(polarity, named and (not of_any or bool(framed.names & concepts)))
    named = framed.objects <= concepts or says("pronoun").search(part) is not None
    pointed = len(concepts - generic_concepts()) <= 2 and says("plain_cue").search(part) is not None
    return Statement(polarity, pointed or (named and not framed.predicates.isdisjoint(concepts)))


def _says_asked(framed: Frame, concepts: frozenset[str] | set[str]) -> bool:
    """Whether concepts hold what is asked of a subject ("the stipend is taxable": "the work stipend")."""
    core, slot = framed.core
    return bool(slot) and slot <= concepts and len(core & concepts) * 2 >= max(4, len(core))


def polarity_of(part: str, framed: Frame) -> Polarity:
    """What a part states of a proposition, by the modality it gives to the proposition's action."""
    span = place_of(part, framed)
    if span is None:
        return "silent"
    modality = modality_at(part, span)
    if framed.modality in FACTS and modality == "permit" and says("possible").search(part):
        return "unclear"
    return verdict(modality, framed.modality)


def place_of(main: str, framed: Frame) -> tuple[int, int] | None:
    """Where a part speaks of the proposition's action: at its verb, its objects, or a pointer."""
    located = _concepts_at(main)
    present = {name for _, _, name in located}
    verbs = [(start, end) for start, end, name in located if name in framed.predicates]
    half = len(framed.predicates & present) * 2 >= len(framed.predicates)
    if verbs and (len(framed.predicates) < 3 or half or _says_asked(framed, present)):
        return verbs[-1 if framed.modality in FACTS and len(framed.predicates) > 1 else 0]
    cues = find_cues(main)
    if len(framed.objects & present) * 2 > len(framed.objects) and (cues or framed.modality == "fact"):
        return next((start, end) for start, end, name in located if name in framed.objects)
    few = len(concepts_of(main) - generic_concepts()) <= 6
    return (len(main), len(main)) if cues and few and says("pointer").search(main) else None


@remembered
def _concepts_at(text: str) -> tuple[tuple[int, int, str], ...]:
    return tuple((word.start(), word.end(), concept(word[0].casefold())) for word in WORD.finditer(text))


def modality_at(main: str, span: tuple[int, int]) -> Modality:
    """Modality that a part gives to what stands at a place."""
    cues = find_cues(main)
    before = [cue for cue in cues if cue.start < span[0]]
    after = [cue for cue in cues if cue.start >= span[1]]
    if before:
        modality: Modality = before[-1].modality
        nots = sum(before[-1].end <= negator.start() < span[0] for negator in negations(main))
        if nots % 2 and modality in ("permit", "require"):
            return "forbid"
    elif after:
        modality = after[0].modality
    else:
        modality = "not_fact" if is_negated(main[: span[0]]) else "fact"
    following = negations(main[span[1] : span[1] + 40])
    nothing = following and says("nothing").fullmatch(following[0].group())
    return _OF_NOTHING.get(modality, modality) if nothing else modality
