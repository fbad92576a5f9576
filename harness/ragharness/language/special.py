# ruff: noqa: E501 (a pattern reads better with one group of alternatives a line)
"""Readings of propositions of a kind of their own: consent, secrecy, rights, notice, limits of use, marking, survival."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ragharness.language.modality import find_cues, is_negated, negations
from ragharness.language.patterns import regex
from ragharness.language.propositions import NOT_ONLY, ONLY, Frame
from ragharness.language.verdicts import compare
from ragharness.language.words import concept, content

if TYPE_CHECKING:
    from ragharness.language.modality import Modality
    from ragharness.language.verdicts import Polarity

WORD = regex(r"[^\W_]+(?:['’][^\W_]+)?")
"""A word as the readings see it."""
CONSENT = regex(r"\b(?:consents?|approv\w+|authori[sz]\w+|permission|agree[sd]?)\b", re.IGNORECASE)
"""Any word of consent."""
OBJECT_PRONOUN = regex(r"\b(?:it|them|this|that|these|those)\b", re.IGNORECASE)
"""A pronoun that stands for the object asked about."""
_NEEDS_CONSENT = regex(
    r"\b(?:only\s+(?:if|with|when|where|after|upon)|unless|provided|subject\s+to|requires?|needs?|without|must\s+(?:first\s+)?(?:ask|obtain|get|have)|needed|required|once)\b[^.;]{0,80}\b"
    r"(?:consents?|permission|approv\w+|authori[sz]\w+|(?:prior|written|express)\s+agreement|agreement\s+(?:in\s+writing|of\s+the|from)|leave|(?:discloser|disclosing\s+party|provider|owner|other\s+(?:party|side)|company)\s+(?:\w+\s+)?(?:consents|agree[sd]?))\b"
    r"|\b(?:consent|permission|approval|authori[sz]ation)\s+(?:is|are)(?:n['’]t|\s+not)?\s+(?:needed|required|necessary)\b",
    re.IGNORECASE,
)
_NO_NEED = regex(
    r"\b(?:no|not|neither|never)\b[^.;]{0,40}\b(?:need|requir|necess)|n['’]t\s+(?:need|requir|necess)|\bwithout\b(?![^.;]{0,60}\b(?:not|no)\b)",
    re.IGNORECASE,
)
_ITSELF = regex(
    r"\b(?:is|are|being)\s+(?:\w+\s+)?(?:not\s+)?(?:\w+\s+)?(?:confidential|secret|protected|covered)\b|\bconfidential\s+information\b|\bincludes?\b",
    re.IGNORECASE,
)
_NEEDLESS = regex(
    r"(?:\b(?:no|not|never|without)\b|n['’]t\b)[^.;]{0,25}\b(?:need\w*|requir(?:e|ed|es|ing)|necessary)\b",
    re.IGNORECASE,
)
_OUT_OF_REACH = regex(
    r"\b(?:restriction|prohibition|ban|limitation|obligation|dut(?:y|ies)|rule)s?\b[^.;]{0,40}\b(?:not|n['’]t|never)\s+(?:\w+\s+)?(?:apply|extend|cover|reach|bind|concern)\b|n['’]t\s+(?:apply|extend|cover|reach)\b",
    re.IGNORECASE,
)
_RIGHTS = regex(
    r"\b(?:licen[cs]es?|licen[cs]ing|rights?(?!\s+to\b)|title|ownership|property\s+of)\b", re.IGNORECASE
)
_KEPT_BACK = regex(
    r"\b(?:den(?:y|ies|ied)|withh[eo]ld\w*|remains?|reserv\w+|retains?|belongs?|stays?)\b", re.IGNORECASE
)
_WITHOUT = regex(r"\bwithout\s+((?:[\w’'-]+\s*){1,6})", re.IGNORECASE)
_AFTER = regex(
    r"\b(?:only\s+(?:after|if|when|once|upon)|provided|on\s+(?:the\s+)?condition|(?:as|so)\s+long\s+as|subject\s+to|after|unless|until)\b",
    re.IGNORECASE,
)
_ELSEWHERE = regex(
    r"\b(?:other|another|any|own|else|beyond|outside|unrelated|different|whatever|further)\b|\bexcept\b|\bpurposes\s+for\b",
    re.IGNORECASE,
)
_UNMARKED = regex(
    r"\b(?:not|n['’]t|nobody|no\s+one|without|never)\W+(?:\w+\W+){0,4}?(?:mark|label|identif|designat|stamp)\w*\b.{0,80}?\b(?:still|also|nevertheless|protected|covered|qualif\w+|counts?|included)\b"
    r"|\b(?:unmarked|unlabell?ed)\b|\b(?:protected|covered|confidential)\b.{0,60}\b(?:whether|even\s+(?:if|when)|regardless)\b",
    re.IGNORECASE,
)
_EXCLUDED = regex(r"\b(?:exclud\w+|outside|unprotected|exempt\w*)\b", re.IGNORECASE)
_ENDS = regex(
    r"\b(?:obligations?|dut(?:y|ies)|everything|all|restrictions?|secrecy|confidentiality|provisions?|covenants?|they)\b[^.;]{0,40}\b(?:ends?|ended|laps(?:es?|ed)|ceas(?:es?|ed)|expires?|stops?|fall\s+away|over|die[sd]?)\b",
    re.IGNORECASE,
)


def read_special(part: str, main: str, said: Frame) -> Polarity | None:
    """Read a clause by the kind of proposition that is asked about; None: it is of no such kind."""
    words = [word.casefold() for word in WORD.findall(main)]
    concepts = frozenset(content(part))
    if said.predicates == {"conceal"}:
        about = (said.objects | {"existence", "negotiation"}) & concepts
        if not about and not OBJECT_PRONOUN.search(part):
            return "silent"
        if about and not concepts & {"conceal", "disclose"} and _ITSELF.search(part):
            return compare("optional" if is_negated(part, negations(part)) else "require", said)
    if said.modality in ("fact", "not_fact") and _speaks_of_rights(part, said):
        kept = _KEPT_BACK.search(part)
        given = not is_negated(part, negations(part)) and not kept
        return compare("fact" if given else "not_fact", said)
    if said.modality == "require":
        manner = _read_manner(part, said)
        if manner:
            return manner
    if said.only and said.modality == "permit" and said.predicates & concepts and _ELSEWHERE.search(part):
        return _read_elsewhere(part, said)
    if said.unconditional and ("consent" in concepts or CONSENT.search(part)):
        needed = _NEEDS_CONSENT.search(part)
        if needed and not needed.group().casefold().startswith("without"):
            return compare("permit" if _NO_NEED.search(part) else "forbid", said)
        if is_negated(part, negations(part)) and "consent" in concepts and not find_cues(part):
            return compare("permit", said)
    if said.modality in ("permit", "forbid"):
        if _OUT_OF_REACH.search(part) and said.objects & concepts:
            return compare("permit", said)
        if "consent" in concepts and said.predicates & concepts and _NEEDLESS.search(part):
            return compare("permit", said)
    if said.modality == "require" and "mark" in said.predicates and _UNMARKED.search(part):
        return "denies"
    if any(word[:2] == "un" and concept(word[2:]) in said.predicates for word in words):
        return compare("optional" if said.modality == "require" else "not_fact", said)
    turned: Modality = "fact" if is_negated(main, negations(main)) else "not_fact"
    if "include" in said.predicates and _EXCLUDED.search(main) and said.objects & concepts:
        return compare(turned, said)
    if "survive" in said.predicates and "survive" not in concepts and _ENDS.search(main):
        return compare(turned, said)
    return _read_only(part, said)


def _speaks_of_rights(part: str, said: Frame) -> bool:
    """Say whether a clause is about the licence or right that a proposition gives or withholds."""
    if "grant" not in said.predicates or not _RIGHTS.search(part):
        return False
    if said.predicates == {"grant"}:
        return True
    named = frozenset(word for found in _RIGHTS.finditer(part) for word in content(found[0]))
    return bool(named & said.concepts) and len(said.concepts & frozenset(content(part))) >= 2


def _read_manner(part: str, said: Frame) -> Polarity | None:
    """Read "may ... without notice" and "may ... only after notice" where notice is the duty asked about."""
    without = _WITHOUT.search(part)
    told = {"disclose"} if "notify" in said.predicates else frozenset[str]()
    if without and (said.predicates | told) & frozenset(content(without[1])):
        cues = find_cues(part[: without.start()])
        if cues and cues[-1].modality in ("permit", "forbid"):
            return compare("optional" if cues[-1].modality == "permit" else "require", said)
    after = _AFTER.search(part)
    if (
        after
        and said.predicates & frozenset(content(part[after.end() :]))
        and any(cue.modality in ("permit", "forbid") for cue in find_cues(part[: after.start()]))
    ):
        return compare("require", said)
    return None


def _read_elsewhere(part: str, said: Frame) -> Polarity | None:
    """Read what a clause says of doing something beyond the limit that the proposition sets."""
    if said.unconditional and _NEEDS_CONSENT.search(part) and not _NO_NEED.search(part):
        return "affirms"
    cues = find_cues(part)
    if not cues:
        return None
    if any(cue.modality == "forbid" for cue in cues):
        return "affirms"
    only = ONLY.search(part)
    if only and not NOT_ONLY.search(part) and not negations(part[: only.start()]):
        return "affirms"
    return "denies" if any(cue.modality in ("permit", "optional") for cue in cues) else None


def _read_only(part: str, said: Frame) -> Polarity | None:
    concepts = frozenset(content(part))
    relevant = said.predicates & concepts or said.objects & concepts
    if said.only:
        if NOT_ONLY.search(part):
            return "denies"
        if ONLY.search(part) and relevant:
            return "denies" if len(negations(part)) % 2 else "affirms"
        return "unclear" if relevant else None
    if said.exception and said.modality == "forbid" and said.predicates & concepts and ONLY.search(part):
        return "unclear" if NOT_ONLY.search(part) else "affirms"
    return None
