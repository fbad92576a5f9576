"""What clauses say of non-disclosure: consent, secrecy, rights, notice, limits, survival."""

from __future__ import annotations

import re
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple, cast

import msgspec

from ragharness.language.polarity import (
    FACTS,
    Frame,
    Modality,
    Polarity,
    Statement,
    asserted,
    combined,
    find_cues,
    frame,
    is_negated,
    modality_at,
    negations,
    place_of,
    polarity_of,
    says,
    verdict,
    weighed,
)
from ragharness.language.tables import any_of
from ragharness.language.words import clauses, concepts_of, content, generic_concepts

_OPPOSITES = {"return": "retain", "retain": "return", "disclose": "conceal", "conceal": "disclose"}
_DUAL: dict[Modality, Modality] = {
    "permit": "optional",
    "optional": "permit",
    "forbid": "require",
    "require": "forbid",
    "fact": "not_fact",
    "not_fact": "fact",
}  # what a duty to do one thing makes of its opposite: who must return may not retain


class _Asked(NamedTuple):
    said: Frame
    only: bool  # it confines what it allows to something
    exception: bool  # it excepts something from what it forbids
    unconditional: bool  # it says "without consent", so that a condition of consent denies it
    concepts: frozenset[str]


def read(clause: str, proposition: str) -> Statement | None:
    """What a clause states of a proposition on non-disclosure; None: it is of another kind."""
    covered = read_coverage(clause, proposition)
    if covered is not None:
        return Statement("affirms" if covered else "denies", strong=True)
    asked = _take_apart(proposition)
    if asked is None:
        return None
    clause = phrases("limits", "exception_for").sub(" except for ", asserted(clause))
    clause = _plain_verbs(clause)
    return combined(_read_part(clause[start:end], asked) for start, end in clauses(clause))


@lru_cache(maxsize=1024)
def _take_apart(proposition: str) -> _Asked | None:
    unconditional = phrases("consent", "without").search(proposition) is not None
    plain = _plain_verbs(phrases("consent", "without").sub(" ", proposition))
    main, exception = without_exception(plain)
    said = frame(main, entry_concepts("weak"))
    named = concepts_of(plain)
    if not (unconditional or named & entry_concepts("actions")):
        return None
    if said.modality in FACTS and not named & entry_concepts("contract"):
        return None
    if said.modality not in FACTS and said.predicates <= entry_concepts("confidential"):
        said = said._replace(predicates=said.predicates | {"include"})
    if unconditional:
        said = said._replace(objects=said.objects - {"consent", "prior", "special", "specif"})
    only = narrows(main) and not widens(main)
    return _Asked(said, only, bool(exception), unconditional, concepts_of(main) - generic_concepts())


def _plain_verbs(text: str) -> str:
    """Text with "keep ... secret", "hand back" and the like made one verb, freedom a negation."""
    for verb in _TABLE["verbs"]:
        text = phrases("verbs", verb).sub(verb, text)
    text = phrases("coverage", "free_from").sub("not under", text)
    kept = phrases("secrecy", "kept")
    return kept.sub(lambda match: f"{' '.join(match[0].split()[1:-1])} conceal ", text)


def _read_part(part: str, asked: _Asked) -> Statement:
    said = asked.said
    special = _read_special(part, asked)
    if special and said.modality in FACTS:
        return Statement(special, strong=True)
    stated = weighed(special or _polarity(part, asked), part, _mirrored(said, part) or said)
    # Nothing else in such an agreement is said to survive.
    survives = "survive" in said.predicates and "survive" in content(part)
    return stated._replace(strong=stated.strong or (survives and stated.polarity in ("affirms", "denies")))


def _polarity(part: str, asked: _Asked) -> Polarity:
    said = asked.said
    other = _mirrored(said, part)
    if other is not None:
        turned = asked._replace(said=other)
        return _read_special(part, turned) or _polarity(part, turned)
    main, exception = without_exception(part)
    place = place_of(main, said)
    audiences = entry_concepts("audiences")
    named = audiences & concepts_of(part)
    if place and named and said.objects & audiences and not said.objects & named:
        return "silent"
    exempts = place and phrases("limits", "exempts").search(main[: place[0]])
    if exempts and not find_cues(main) and "include" not in said.predicates:
        return verdict("permit", said.modality)
    if exception and place and not asked.exception and modality_at(main, place) in ("forbid", "not_fact"):
        if "circumstanc" in asked.concepts:
            return verdict("permit", said.modality)
        if phrases("consent", "any").search(exception):
            # A condition of consent leaves the ban.
            return polarity_of(main, said)
        if asked.unconditional and not said.objects & concepts_of(part):
            return verdict("permit", said.modality)
    return read_limited(part, said, only=asked.only, exception=asked.exception)


def _mirrored(said: Frame, clause: str) -> Frame | None:
    """Proposition said with the contrary verb, when a clause uses that one and not its own."""
    concepts = concepts_of(clause)
    if said.predicates & concepts:
        return None
    facing = frozenset(_OPPOSITES[each] for each in said.predicates if each in _OPPOSITES) & concepts
    if not facing or ("retain" in facing and phrases("limits", "only_some").search(clause)):
        return None
    if not facing <= {"return", "retain"} and said.objects and not said.objects & concepts:
        return None
    return said._replace(predicates=facing, modality=_DUAL[said.modality], objects=said.objects - facing)


def _read_special(part: str, asked: _Asked) -> Polarity | None:
    """Read a part by the kind of proposition that is asked about; None: it is of no such kind."""
    return next(filter(None, (read_kind(part, asked) for read_kind in _KINDS)), None)


def _read_secrecy(part: str, asked: _Asked) -> Polarity | None:
    """Read "the existence of the talks is confidential"."""
    concepts = concepts_of(part)
    if asked.said.predicates != {"conceal"}:
        return None
    about = (asked.said.objects | {"existence", "negotiation"}) & concepts
    if not about and not says("pronoun").search(part):
        return "silent"
    if about and not concepts & {"conceal", "disclose"} and phrases("secrecy", "itself").search(part):
        return verdict("optional" if is_negated(part) else "require", asked.said.modality)
    return None


def _read_rights(part: str, asked: _Asked) -> Polarity | None:
    """Read a part about the licence or right that a proposition gives or withholds."""
    said, rights = asked.said, phrases("rights", "named")
    if said.modality not in FACTS or "grant" not in said.predicates or not rights.search(part):
        return None
    named = frozenset(word for found in rights.finditer(part) for word in content(found[0]))
    about = named & asked.concepts and len(asked.concepts & concepts_of(part)) >= 2
    if said.predicates != {"grant"} and not about:
        return None
    given = not is_negated(part) and not phrases("rights", "kept_back").search(part)
    return verdict("fact" if given else "not_fact", said.modality)


def _read_manner(part: str, asked: _Asked) -> Polarity | None:
    """Read "may ... without notice" and "may ... only after notice" where notice is the duty asked about."""
    said = asked.said
    if said.modality != "require":
        return None
    without = phrases("limits", "without").search(part)
    told = {"disclose"} if "notify" in said.predicates else frozenset[str]()
    if without and (said.predicates | told) & concepts_of(without[1]):
        cues = find_cues(part[: without.start()])
        if cues and cues[-1].modality in ("permit", "forbid"):
            return verdict("optional" if cues[-1].modality == "permit" else "require", said.modality)
    after = phrases("limits", "after").search(part)
    if not after or said.predicates.isdisjoint(content(part[after.end() :])):
        return None
    allowed = any(cue.modality in ("permit", "forbid") for cue in find_cues(part[: after.start()]))
    return verdict("require", said.modality) if allowed else None


def _read_elsewhere(part: str, asked: _Asked) -> Polarity | None:
    """Read what a part says of doing something beyond the limit that the proposition sets."""
    said = asked.said
    within = not asked.only or said.modality != "permit" or said.predicates.isdisjoint(content(part))
    if within or not phrases("limits", "elsewhere").search(part):
        return None
    free = phrases("consent", "not_needed").search(part)
    if asked.unconditional and phrases("consent", "needed").search(part) and not free:
        return "affirms"
    only = phrases("limits", "only").search(part)
    modalities = {cue.modality for cue in find_cues(part)}
    if modalities and only and not widens(part) and not negations(part[: only.start()]):
        return "affirms"
    return "affirms" if "forbid" in modalities else "denies" if modalities & {"permit", "optional"} else None


def _read_consent(part: str, asked: _Asked) -> Polarity | None:
    """Read "only with consent" and "no consent is needed"."""
    said, concepts = asked.said, concepts_of(part)
    if asked.unconditional and phrases("consent", "any").search(part):
        needed = phrases("consent", "needed").search(part)
        if needed and not needed.group().casefold().startswith("without"):
            free = phrases("consent", "not_needed").search(part)
            return verdict("permit" if free else "forbid", said.modality)
        if is_negated(part) and "consent" in concepts and not find_cues(part):
            return verdict("permit", said.modality)
    needless = said.modality in ("permit", "forbid") and phrases("consent", "needless").search(part)
    if needless and "consent" in concepts and said.predicates & concepts:
        return verdict("permit", said.modality)
    return None


def _read_reach(part: str, asked: _Asked) -> Polarity | None:
    """Read "the restriction does not extend to ...", "all duties end"."""
    said, concepts = asked.said, concepts_of(part)
    if said.modality in ("permit", "forbid") and said.objects & concepts:
        return verdict("permit", said.modality) if phrases("limits", "out_of_reach").search(part) else None
    main, _ = without_exception(part)
    if "survive" in said.predicates - concepts and phrases("limits", "ends").search(main):
        return verdict("fact" if is_negated(main) else "not_fact", said.modality)
    return None


_KINDS = (_read_secrecy, _read_rights, _read_manner, _read_elsewhere, _read_consent, _read_reach)
_TABLE = msgspec.toml.decode(Path(__file__).with_name("words.toml").read_bytes())


@lru_cache(maxsize=64)
def phrases(family: str, entry: str) -> re.Pattern[str]:
    """Pattern of the phrases of an entry, with word boundaries where they mark none themselves."""
    listed = cast("list[str]", _TABLE[family][entry])
    marked = any("\\b" in each[:8] or each.startswith("n’") for each in listed)
    return re.compile(any_of(listed) if marked else rf"\b{any_of(listed)}\b", re.IGNORECASE)


def entry_concepts(entry: str) -> frozenset[str]:
    """Concepts of the words of an entry."""
    return concepts_of(cast("str", _TABLE[entry]))


def without_exception(text: str) -> tuple[str, str]:
    """Rule and its exception, empty where it has none."""
    found = says("exception").search(text)
    return (text[: found.start()], text[found.end() :]) if found else (text, "")


def narrows(text: str) -> bool:
    """Whether a text confines a rule to something ("only for the purpose")."""
    return phrases("limits", "only").search(text) is not None


def widens(text: str) -> bool:
    """Whether a text extends a rule beyond something ("not only for the purpose")."""
    return phrases("limits", "not_only").search(text) is not None


def read_limited(part: str, said: Frame, *, only: bool, exception: bool) -> Polarity:
    """What a part states of a proposition, which itself has a limit, an exception or neither."""
    main, excepted = without_exception(part)
    return (
        _read_only(part, said, only=only, exception=exception)
        or (_read_exception(main, excepted, said) if excepted and not exception else None)
        or polarity_of(main, said)
    )


def _read_only(part: str, said: Frame, *, only: bool, exception: bool) -> Polarity | None:
    held = concepts_of(part)
    if only:
        relevant = (said.predicates | said.objects) & held
        if widens(part):
            return "denies"
        if narrows(part) and relevant:
            return "denies" if len(negations(part)) % 2 else "affirms"
        return "unclear" if relevant else None
    if narrows(part) and exception and said.modality == "forbid" and said.predicates & held:
        return "unclear" if widens(part) else "affirms"
    return None


def _read_exception(main: str, exception: str, said: Frame) -> Polarity | None:
    """Read "not ... except X": what X names is permitted."""
    held = concepts_of(exception)
    inside, outside = said.objects & held, said.objects & concepts_of(main)
    place = place_of(main, said)
    if place is None:
        if said.predicates & held:
            return polarity_of(exception, said)
        banned = any(cue.modality == "forbid" for cue in find_cues(main))
        return verdict("permit", said.modality) if inside and not outside and banned else None
    if not inside or modality_at(main, place) not in ("forbid", "not_fact"):
        return None
    return "unclear" if outside else verdict("permit", said.modality)


_LIMITED_TO_TECHNICAL = re.compile(r"(?i)\b(?:only|limited|restricted|confined)\b[^.]*\btechnical\b")
_UNLESS = re.compile(r"\b(?:unless|until|except)\b", re.IGNORECASE)
_UNDER_CONDITION = re.compile(r"(?<!not\s)\b(?:unless|only|until|solely)\b", re.IGNORECASE)
_LOST = re.compile(r"\b(?:excluded|unprotected|loses?|outside)\b", re.IGNORECASE)
_SHIELDED = re.compile(r"\bconfidential\b", re.IGNORECASE)


def _says(entry: str, text: str) -> re.Match[str] | None:
    return phrases("coverage", entry).search(text)


class Coverage(NamedTuple):
    """A proposition that says of a kind of information whether it is protected."""

    kind: str  # a kind of information; marking: what is marked; technical: what is technical only
    covered: bool
    subject: frozenset[str]


def read_coverage(clause: str, proposition: str) -> bool | None:
    """Whether a text affirms (or denies) a proposition of coverage; None: neither, or both."""
    said = _coverage_of(proposition)
    if said is None:
        return None
    readings = {_covers(clause[start:end], said) for start, end in clauses(clause)} - {None}
    return readings.pop() if len(readings) == 1 else None


@lru_cache(maxsize=1024)
def _coverage_of(proposition: str) -> Coverage | None:
    """What a proposition says of coverage; None when it is about something else."""
    if _LIMITED_TO_TECHNICAL.search(proposition):
        return Coverage("technical", True, frozenset(("technical",)))
    named = concepts_of(proposition)
    subject = named - entry_concepts("duty") - generic_concepts()
    if "mark" in named and _says("protected", proposition) and _says("condition", proposition):
        return Coverage("marking", True, frozenset(("mark",)))
    if "mark" in named or not subject:
        return None
    if _says("free_from", proposition):
        return Coverage("kind", False, subject)
    if "oral" in subject and _says("protected", proposition):
        return Coverage("kind", True, frozenset(("oral",)))
    return None


def _covers(clause: str, said: Coverage) -> bool | None:
    if said.kind in ("marking", "technical"):
        return _marking(clause) if said.kind == "marking" else _technical(clause)
    if not said.subject & concepts_of(clause):
        return None
    if left_out := _says("left_out", clause):
        return is_negated(clause[max(0, left_out.start() - 24) : left_out.start()]) == said.covered
    if _says("covered", clause):
        return (not is_negated(clause) or _UNLESS.search(clause) is not None) == said.covered
    return None


def _marking(clause: str) -> bool | None:
    """Whether a clause makes marking a condition of protection."""
    unmarked = _says("unmarked", clause)
    if "mark" not in content(clause) and not unmarked:
        return None
    if _says("mark_not_needed", clause):
        return False
    if condition := _UNDER_CONDITION.search(clause):
        narrows = condition.group().casefold() in ("only", "solely")
        return not (narrows and is_negated(clause[: condition.start()]))
    if unmarked:
        rest = f"{clause[: unmarked.start()]} {clause[unmarked.end() :]}"
        if not (_says("covered", rest) or _says("left_out", rest) or _SHIELDED.search(rest)):
            return None
        return is_negated(rest) != (_LOST.search(rest) is not None)
    modalities = [cue.modality for cue in find_cues(clause) if cue.modality in ("require", "optional")]
    return modalities[0] == "require" if modalities else None


def _technical(clause: str) -> bool | None:
    """Whether a clause confines protection to technical information."""
    if not _says("untechnical", clause):
        return None
    if left_out := _says("left_out", clause):
        return not is_negated(clause[: left_out.start()])
    return is_negated(clause) if _says("covered", clause) or _SHIELDED.search(clause) else None
