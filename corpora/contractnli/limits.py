"""What a part of a clause states of limits ("only ...", "except ...") and of coverage."""

from __future__ import annotations

import re
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple, cast

import msgspec

from ragharness.language.polarity import (
    Frame,
    Polarity,
    find_cues,
    is_negated,
    modality_at,
    negations,
    place_of,
    polarity_of,
    says,
    verdict,
)
from ragharness.language.tables import any_of
from ragharness.language.words import clauses, concepts_of, content, generic_concepts

_TABLE = msgspec.toml.decode(Path(__file__).with_name("words.toml").read_bytes())


@lru_cache(maxsize=64)
def phrases(family: str, entry: str) -> re.Pattern[str]:
    """Return the pattern of the phrases of an entry, with word boundaries where they mark none themselves."""
    listed = cast("list[str]", _TABLE[family][entry])
    marked = any("\\b" in each[:8] or each.startswith("n’") for each in listed)
    return re.compile(any_of(listed) if marked else rf"\b{any_of(listed)}\b", re.IGNORECASE)


def entry_concepts(entry: str) -> frozenset[str]:
    """Return the concepts of the words of an entry."""
    return concepts_of(cast("str", _TABLE[entry]))


def verbs() -> list[str]:
    """Return the verbs that have other wordings."""
    return list(_TABLE["verbs"])


def without_exception(text: str) -> tuple[str, str]:
    """Return a rule and its exception, empty where it has none."""
    found = says("exception").search(text)
    return (text[: found.start()], text[found.end() :]) if found else (text, "")


def narrows(text: str) -> bool:
    """Return whether a text confines a rule to something ("only for the purpose")."""
    return phrases("limits", "only").search(text) is not None


def widens(text: str) -> bool:
    """Return whether a text extends a rule beyond something ("not only for the purpose")."""
    return phrases("limits", "not_only").search(text) is not None


def read_limited(part: str, said: Frame, *, only: bool, exception: bool) -> Polarity:
    """Return what a part states of a proposition, which itself has a limit, an exception or neither."""
    limited = _read_only(part, said, only=only, exception=exception)
    if limited:
        return limited
    main, excepted = without_exception(part)
    read_so = _read_exception(main, excepted, said) if excepted and not exception else None
    return read_so or polarity_of(main, said)


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


_LIMITED_TO_TECHNICAL = re.compile(
    r"\b(?:only|limited|restricted|confined)\b[^.]*\btechnical\b", re.IGNORECASE
)
_UNLESS = re.compile(r"\b(?:unless|until|except)\b", re.IGNORECASE)
_UNDER_CONDITION = re.compile(r"(?<!not\s)\b(?:unless|only|until|solely)\b", re.IGNORECASE)
_LOST = re.compile(r"\b(?:excluded|unprotected|loses?|outside)\b", re.IGNORECASE)
_SHIELDED = re.compile(r"\bconfidential\b", re.IGNORECASE)


def _says(entry: str, text: str) -> re.Match[str] | None:
    return phrases("coverage", entry).search(text)


class Coverage(NamedTuple):
    """A proposition that says of a kind of information whether it is protected."""

    kind: str
    """``kind``: a kind of information; ``marking``: what is marked; ``technical``: what is technical only."""
    covered: bool
    subject: frozenset[str]


def read_coverage(clause: str, proposition: str) -> bool | None:
    """Return whether a text affirms (or denies) a proposition of coverage; None: neither, or both."""
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
    if said.kind == "marking":
        return _marking(clause)
    if said.kind == "technical":
        return _technical(clause)
    if not said.subject & concepts_of(clause):
        return None
    covered = _covered(clause)
    return None if covered is None else covered == said.covered


def _covered(clause: str) -> bool | None:
    """Whether what a clause speaks of is protected."""
    left_out = _says("left_out", clause)
    if left_out:
        return is_negated(clause[max(0, left_out.start() - 24) : left_out.start()])
    is_covered = phrases("coverage", "covered")
    if is_covered.search(clause):
        return not is_negated(clause) or _UNLESS.search(clause) is not None
    return None


def _marking(clause: str) -> bool | None:
    """Whether a clause makes marking a condition of protection."""
    unmarked = _says("unmarked", clause)
    if "mark" not in content(clause) and not unmarked:
        return None
    if _says("mark_not_needed", clause):
        return False
    condition = _UNDER_CONDITION.search(clause)
    if condition:
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
    left_out = _says("left_out", clause)
    if left_out:
        return not is_negated(clause[: left_out.start()])
    return is_negated(clause) if _says("covered", clause) or _SHIELDED.search(clause) else None
