"""What a clause says of coverage: protected or left out, marked or unmarked, technical only or more."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from ragharness.language.modality import find_cues, is_negated
from ragharness.language.sentences import clauses
from ragharness.language.words import content, generic_concepts

from . import words

_LIMITED_TO_TECHNICAL = re.compile(
    r"\b(?:only|limited|restricted|confined)\b[^.]*\btechnical\b", re.IGNORECASE
)
_UNLESS = re.compile(r"\b(?:unless|until|except)\b", re.IGNORECASE)
_UNDER_CONDITION = re.compile(r"(?<!not\s)\b(?:unless|only|until|solely)\b", re.IGNORECASE)
_LOST = re.compile(r"\b(?:excluded|unprotected|loses?|outside)\b", re.IGNORECASE)
_SHIELDED = re.compile(r"\bconfidential\b", re.IGNORECASE)


def _says(entry: str, text: str) -> re.Match[str] | None:
    return words.says("coverage", entry).search(text)


class Coverage(NamedTuple):
    """A proposition that says of a kind of information whether it is protected."""

    kind: str
    """``kind``: a kind of information; ``marking``: what is marked; ``technical``: what is technical only."""
    covered: bool
    subject: frozenset[str]


def read(clause: str, proposition: str) -> bool | None:
    """Return whether a text affirms (or denies) a proposition of coverage; None: neither, or both."""
    said = _coverage_of(proposition)
    if said is None:
        return None
    readings = {_read(clause[start:end], said) for start, end in clauses(clause)} - {None}
    return readings.pop() if len(readings) == 1 else None


@lru_cache(maxsize=1024)
def _coverage_of(proposition: str) -> Coverage | None:
    """What a proposition says of coverage; None when it is about something else."""
    if _LIMITED_TO_TECHNICAL.search(proposition):
        return Coverage("technical", True, frozenset(("technical",)))
    named = frozenset(content(proposition))
    subject = named - words.concepts("duty") - generic_concepts()
    if "mark" in named and _says("protected", proposition) and _says("condition", proposition):
        return Coverage("marking", True, frozenset(("mark",)))
    if "mark" in named or not subject:
        return None
    if _says("free_from", proposition):
        return Coverage("kind", False, subject)
    if "oral" in subject and _says("protected", proposition):
        return Coverage("kind", True, frozenset(("oral",)))
    return None


def _read(clause: str, said: Coverage) -> bool | None:
    if said.kind == "marking":
        return _marking(clause)
    if said.kind == "technical":
        return _technical(clause)
    if not said.subject & frozenset(content(clause)):
        return None
    covered = _covered(clause)
    return None if covered is None else covered == said.covered


def _covered(clause: str) -> bool | None:
    """Whether what a clause speaks of is protected."""
    left_out = _says("left_out", clause)
    if left_out:
        return is_negated(clause[max(0, left_out.start() - 24) : left_out.start()])
    is_covered = words.says("coverage", "covered")
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
