# ruff: noqa: E501 (a pattern reads better with one group of alternatives a line)
"""What a clause says of coverage: protected or left out, marked or unmarked, this kind only or others too."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from ragharness.language.modality import find_cues, is_negated, negations
from ragharness.language.patterns import regex
from ragharness.language.sentences import clauses
from ragharness.language.words import content, generic_concepts

_LEFT_OUT = regex(
    r"\b(?:excluded|excludes?|excluding|exclusions?|exempt(?:s|ed|ion|ions)?|exceptions?|carved?(?:\s+|-)outs?|outside\s+(?:of\s+)?(?:the|its|this|any)|free\s+(?:from|of)|unprotected|shut\s+out)\b",
    re.IGNORECASE,
)
_COVERED = regex(
    r"\b(?:confidential(?!\s+information\b)|secret|protected|protects?|protection|cover(?:s|ed)?|includ(?:es?|ed|ing)|encompass(?:es)?|appl(?:y|ies|ied)|extends?|reach(?:es)?|subject\s+to|counts?|qualif(?:y|ies)|attach(?:es)?|falls?\s+(?:within|under)|means?|considered|deemed|"
    r"treated\s+as|(?:is|are|be)\s+(?:\w+\s+)?confidential)\b",
    re.IGNORECASE,
)
_UNMARKED = regex(
    r"\b(?:not|nobody|no\s+one|never|without|lacks?|lacking|no|bears?\s+no|absence\s+of|fail\w*\s+to)\b(?:\W+\w+){0,5}?\W+(?:mark|label|identif|designat|stamp|legend)\w*|n['’]t\W+(?:\w+\W+){0,3}?(?:mark|label|identif|designat|stamp)\w*|\b(?:unmarked|unlabell?ed|unidentified)\b",
    re.IGNORECASE,
)
_STILL = regex(r"\b(?:whether|even|regardless|irrespective|although|though|despite)\b", re.IGNORECASE)
_CONDITION = regex(
    r"\b(?:unless|only|until|provided|solely|must|shall|need(?:s|ed)?|requir\w+|necessary|condition\w*|has\s+to|have\s+to)\b",
    re.IGNORECASE,
)
_NOT_NEEDED = regex(
    r"\b(?:not|no|never|nothing)\b[^.;]{0,40}\b(?:need\w*|requir\w*|necessary|condition\w*|obligat\w*|oblig\w*|have\s+to|depend\w*)\b|n['’]t\s+(?:\w+\s+)?(?:need|require|have\s+to|depend|necessary|required)|\bneed(?:\s+not|n['’]t)\b|\b(?:unnecessary|optional|(?:does|do|shall|will)\s+not\s+(?:matter|remove|affect|deprive|lose|mean))\b",
    re.IGNORECASE,
)
_WRITTEN_ONLY = regex(
    r"\b(?:only|solely|exclusively|must\s+be|limited\s+to|has\s+to\s+be)\b[^.;]{0,60}\b(?:writ(?:ten|ing)|tangible|documentary|recorded)\b",
    re.IGNORECASE,
)
_UNTECHNICAL = regex(
    r"\b(?:non-?technical|not\s+technical|business|financial|commercial|marketing|customers?|pric(?:es?|ing)|strateg\w+|sales|personnel|plans)\b",
    re.IGNORECASE,
)
_FREE_FROM = regex(
    r"\b(?:free\s+from|outside\s+(?:of\s+)?(?:the|any)|exempt\s+from|excluded\s+from|not\s+subject\s+to)\b",
    re.IGNORECASE,
)
_LIMITED_TO_TECHNICAL = regex(r"\b(?:only|limited|restricted|confined)\b[^.]*\btechnical\b", re.IGNORECASE)
_PROTECTED = regex(
    r"\b(?:confidential|protected|protect|included?|covered?|excluded|counts?)\b", re.IGNORECASE
)
_AND_MORE = regex(r",?\s*(?:without\s+limitation|but\s+(?:is\s+)?not\s+limited\s+to)\b,?", re.IGNORECASE)
_UNCONDITIONAL = regex(
    r"\bwithout\s+(?:any\s+)?(?:\w+\s+)?(?:restrictions?|obligations?|limitations?|breach)\b", re.IGNORECASE
)
_UNLESS = regex(r"\b(?:unless|until|except)\b", re.IGNORECASE)
_WHICHEVER = regex(r"\bwhether\s+or\s+not\b|\bregardless\b|\birrespective\b", re.IGNORECASE)
_UNDER_CONDITION = regex(r"(?<!not\s)\b(?:unless|only|until|solely)\b", re.IGNORECASE)
_LOST = regex(r"\b(?:excluded|unprotected|loses?|outside)\b", re.IGNORECASE)
_SHIELDED = regex(r"\bconfidential\b", re.IGNORECASE)
_NOT_LIMITED = regex(r"\b(?:not|n['’]t)\s+(?:\w+\s+)?(?:limited|restricted|confined)\b", re.IGNORECASE)
_ELSEWHERE = regex(r"\b(?:independent|other|another|outside)\s+sources?\b", re.IGNORECASE)
_DUTY_WORDS = frozenset(
    content(
        "confidential confidentiality duty obligation free outside exempt excluded protected protect information similar subject confidence secret rightfully proprietary however also even always shut stay still breach"
    )
)


class Coverage(NamedTuple):
    """A proposition that says of a kind of information whether it is protected."""

    kind: str
    """``kind``: a kind of information; ``marking``: only what is marked; ``technical``: only technical information."""
    covered: bool
    subject: frozenset[str]


@lru_cache(maxsize=1024)
def coverage_of(proposition: str) -> Coverage | None:
    """Return what a proposition says of coverage; None when it is about something else."""
    if _LIMITED_TO_TECHNICAL.search(proposition):
        return Coverage("technical", True, frozenset(("technical",)))
    words = frozenset(content(proposition))
    subject = words - _DUTY_WORDS - generic_concepts() - {"disclose", "acquire", "include"}
    if "mark" in words and _PROTECTED.search(proposition) and _CONDITION.search(proposition):
        return Coverage("marking", True, frozenset(("mark",)))
    if "mark" in words or not subject:
        return None
    if _FREE_FROM.search(proposition):
        return Coverage("kind", False, subject)
    if "oral" in subject and _PROTECTED.search(proposition):
        return Coverage("kind", True, frozenset(("oral",)))
    return None


def read_coverage(clause: str, said: Coverage) -> bool | None:
    """Say whether a text affirms (True) or denies (False) a proposition of coverage; None: it does not say.

    Clauses that disagree say nothing.
    """
    clause = _AND_MORE.sub(" ", clause)
    readings = {_read(clause[start:end], said) for start, end in clauses(clause)} - {None}
    return readings.pop() if len(readings) == 1 else None


def _read(clause: str, said: Coverage) -> bool | None:
    if said.kind == "marking":
        return _marking(clause)
    if said.kind == "technical":
        return _technical(clause)
    if "oral" in said.subject and _WRITTEN_ONLY.search(clause):
        return not said.covered
    if not said.subject & frozenset(content(_ELSEWHERE.sub("third", clause))):
        return None
    covered = _covered(clause, said.subject)
    return None if covered is None else covered == said.covered


def _negated(text: str) -> bool:
    return is_negated(text, negations(text))


def _covered(clause: str, subject: frozenset[str]) -> bool | None:
    """Whether what a clause speaks of is protected."""
    left_out = _LEFT_OUT.search(clause)
    if left_out:
        clause = _UNCONDITIONAL.sub(lambda found: " " * len(found.group()), clause)
        return _negated(clause[max(0, left_out.start() - 24) : left_out.start()])
    acts = [cue for cue in find_cues(clause) if not _COVERED.match(clause[cue.end :].lstrip(" "))]
    develops = {"develop", "acquire"} & frozenset(content(clause))
    if develops and acts and "oral" not in subject and not _COVERED.search(clause):
        modality = acts[0].modality
        return {"permit": False, "forbid": True}.get(modality)
    covered = _COVERED.search(clause)
    if covered:
        return not _negated(clause) or _UNLESS.search(clause) is not None
    return None


def _marking(clause: str) -> bool | None:
    """Whether a clause makes marking a condition of protection."""
    if "mark" not in content(clause) and not _UNMARKED.search(clause):
        return None
    if _NOT_NEEDED.search(clause) or _WHICHEVER.search(clause):
        return False
    if _UNDER_CONDITION.search(clause):
        return True
    unmarked = _UNMARKED.search(clause)
    if unmarked:
        if _STILL.search(clause):
            return False
        rest = f"{clause[: unmarked.start()]} {clause[unmarked.end() :]}"
        gone = _negated(rest) != (_LOST.search(rest) is not None)
        return gone if any(each.search(rest) for each in (_COVERED, _LEFT_OUT, _SHIELDED)) else None
    cues = find_cues(clause)
    modality = next((cue.modality for cue in cues if cue.modality in ("require", "optional")), None)
    return {"require": True, "optional": False, None: None}[modality]


def _technical(clause: str) -> bool | None:
    """Whether a clause confines protection to technical information."""
    other = _UNTECHNICAL.search(clause)
    if other:
        left_out = _LEFT_OUT.search(clause)
        if left_out:
            return not _negated(clause[: left_out.start()])
        if _NOT_LIMITED.search(clause):
            return False
        if _COVERED.search(clause) or _SHIELDED.search(clause):
            return _negated(clause)
    return None
