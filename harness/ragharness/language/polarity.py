# ruff: noqa: E501 (a pattern reads better with one group of alternatives a line)
"""What a clause says of a proposition: it affirms it, denies it, is silent on it, or cannot be read."""

from __future__ import annotations

import re
from typing import Literal, NamedTuple

from ragharness.language.clauses import clauses
from ragharness.language.coverage import coverage_of, read_coverage
from ragharness.language.modality import Modality, find_cues, is_negated, negations
from ragharness.language.opposites import mirrored, plain_verbs
from ragharness.language.propositions import EXCEPTION, FREE_FROM, NOT_ONLY, ONLY, Frame, frame
from ragharness.language.vocabulary import concept, content, generic_concepts

_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)?")
Polarity = Literal["affirms", "denies", "silent", "unclear"]
_CONSENT = re.compile(r"\b(?:consents?|approv\w+|authori[sz]\w+|permission|agree[sd]?)\b", re.IGNORECASE)
_NEEDS_CONSENT = re.compile(
    r"\b(?:only\s+(?:if|with|when|where|after|upon)|unless|provided|subject\s+to|requires?|needs?|without|must\s+(?:first\s+)?(?:ask|obtain|get|have)|needed|required|once)\b[^.;]{0,80}\b"
    r"(?:consents?|permission|approv\w+|authori[sz]\w+|(?:prior|written|express)\s+agreement|agreement\s+(?:in\s+writing|of\s+the|from)|leave|(?:discloser|disclosing\s+party|provider|owner|other\s+(?:party|side)|company)\s+(?:\w+\s+)?(?:consents|agree[sd]?))\b"
    r"|\b(?:consent|permission|approval|authori[sz]ation)\s+(?:is|are)(?:n['’]t|\s+not)?\s+(?:needed|required|necessary)\b",
    re.IGNORECASE,
)
_NO_NEED = re.compile(
    r"\b(?:no|not|neither|never)\b[^.;]{0,40}\b(?:need|requir|necess)|n['’]t\s+(?:need|requir|necess)|\bwithout\b(?![^.;]{0,60}\b(?:not|no)\b)",
    re.IGNORECASE,
)
_EXEMPTION = re.compile(
    r"\b(?:not|n['’]t|never|no)\s+(?:\w+\s+)?(?:include|appl(?:y|ies)|extend|cover|impose|breach|violat)\w*|\b(?:excludes?|excluded|exempt\w*|exception|carve[sd]?)\b",
    re.IGNORECASE,
)
_SILENCE = re.compile(
    r"\b(?:not|n['’]t|never|no|nothing|none|nowhere|nobody|nor|without|neither)\b[^.;]{0,40}?\b(?:mention|address(?:es|ed)?\b|specif(?:y|ies|ied)|stat(?:es?|ed|ing)\b(?!\s+(?:law|agenc))|discuss(?:es|ed)?\b|says?\b|said\b|cover\w*\s+(?:this|the\s+(?:topic|issue|question))|speak|"
    r"deals?\s+with|refers?\s+to|reference\s+to|touch|indicates?\b|contain\w*\s+(?:any\s+)?(?:information|mention|reference|provision|language|clause)|silent)",
    re.IGNORECASE,
)
_SILENT_WORD = re.compile(
    r"\b(?:is|are|remains?)\s+silent\b|\bsilent\s+(?:on|about|as\s+to)\b", re.IGNORECASE
)
_DEICTIC = re.compile(
    r"\b(?:this|that|it|so|such|doing\s+so|do\s+so|the\s+(?:answer|practice|action|activity|conduct)|these|those|they|which)\b",
    re.IGNORECASE,
)
_EXCEPTION_FOR = re.compile(
    r",?\s*\b(?:but|and|though)\s+(?:it\s+|the\s+\w+\s+)?(?:makes?|provides?|contains?|allows?)\s+an?\s+exceptions?\s+for\s+",
    re.IGNORECASE,
)
_ITSELF = re.compile(
    r"\b(?:is|are|being)\s+(?:\w+\s+)?(?:not\s+)?(?:\w+\s+)?(?:confidential|secret|protected|covered)\b|\bconfidential\s+information\b|\bincludes?\b",
    re.IGNORECASE,
)
_UNIVERSAL = re.compile(r"\b(?:all|every|each)\b", re.IGNORECASE)
_PARTLY = re.compile(
    r"(?<!every\s)(?<!each\s)\b(?:one|two|three|four|five|six|seven|eight|nine|ten|\d+|some|most|half|several|many|part)\s+of\s+(?:the|our|its|their|these|those|them|\w+)\b|\b(?:all|everything|every\s+\w+|each\s+\w+)\s+(?:but|except)\b|\bnot\s+(?:all|every)\b",
    re.IGNORECASE,
)
_NEEDLESS = re.compile(
    r"(?:\b(?:no|not|never|without)\b|n['’]t\b)[^.;]{0,25}\b(?:need\w*|requir(?:e|ed|es|ing)|necessary)\b",
    re.IGNORECASE,
)
_OUT_OF_REACH = re.compile(
    r"\b(?:restriction|prohibition|ban|limitation|obligation|dut(?:y|ies)|rule)s?\b[^.;]{0,40}\b(?:not|n['’]t|never)\s+(?:\w+\s+)?(?:apply|extend|cover|reach|bind|concern)\b|n['’]t\s+(?:apply|extend|cover|reach)\b",
    re.IGNORECASE,
)
_ANYONE = re.compile(
    r"\b(?:third\s+(?:part(?:y|ies)|persons?)|outsiders?|any(?:one|body)|(?:any\s+)?other\s+(?:part(?:y|ies)|persons?|people))\b",
    re.IGNORECASE,
)
_RIGHTS = re.compile(
    r"\b(?:licen[cs]es?|licen[cs]ing|rights?(?!\s+to\b)|title|ownership|property\s+of)\b", re.IGNORECASE
)
_KEPT_BACK = re.compile(
    r"\b(?:den(?:y|ies|ied)|withh[eo]ld\w*|remains?|reserv\w+|retains?|belongs?|stays?)\b", re.IGNORECASE
)
_WITHOUT = re.compile(r"\bwithout\s+((?:[\w’'-]+\s*){1,6})", re.IGNORECASE)
_AFTER = re.compile(
    r"\b(?:only\s+(?:after|if|when|once|upon)|provided|on\s+(?:the\s+)?condition|(?:as|so)\s+long\s+as|subject\s+to|after|unless|until)\b",
    re.IGNORECASE,
)
_ELSEWHERE = re.compile(
    r"\b(?:other|another|any|own|else|beyond|outside|unrelated|different|whatever|further)\b|\bexcept\b|\bpurposes\s+for\b",
    re.IGNORECASE,
)
_UNMARKED = re.compile(
    r"\b(?:not|n['’]t|nobody|no\s+one|without|never)\W+(?:\w+\W+){0,4}?(?:mark|label|identif|designat|stamp)\w*\b.{0,80}?\b(?:still|also|nevertheless|protected|covered|qualif\w+|counts?|included)\b"
    r"|\b(?:unmarked|unlabell?ed)\b|\b(?:protected|covered|confidential)\b.{0,60}\b(?:whether|even\s+(?:if|when)|regardless)\b",
    re.IGNORECASE,
)
_EXCLUDED = re.compile(r"\b(?:exclud\w+|outside|unprotected|exempt\w*)\b", re.IGNORECASE)
_ENDS = re.compile(
    r"\b(?:obligations?|dut(?:y|ies)|everything|all|restrictions?|secrecy|confidentiality|provisions?|covenants?|they)\b[^.;]{0,40}\b(?:ends?|ended|laps(?:es?|ed)|ceas(?:es?|ed)|expires?|stops?|fall\s+away|over|die[sd]?)\b",
    re.IGNORECASE,
)
_INDIRECT = frozenset(("mark", "survive", "include"))
"""Verbs that a clause may speak of without naming them ("unmarked", "ends", "excluded")."""
_TO_NOBODY = re.compile(r"(?<!and )\b(?:to|with|for)\s+[\"“'‘]?(?:no\b|nobody|no\s+one|none)", re.IGNORECASE)
_OBJECT_PRONOUN = re.compile(r"\b(?:it|them|this|that|these|those)\b", re.IGNORECASE)
_PLAIN_CUE = re.compile(
    r"\b(?:it|this|that|so|which)\b.*\b(?:prohibited|forbidden|allowed|permitted|required|barred|banned|permissible|from\s+doing\s+so)\b",
    re.IGNORECASE,
)
_AUDIENCES = frozenset(
    content(
        """
    employee consultant affiliate competitor public anyone anybody subsidiary lender customer
    """
    )
)


class Statement(NamedTuple):
    """What a clause says of a proposition."""

    polarity: Polarity
    strong: bool = False
    """Whether it names the action together with its object, so that it cannot be about something else."""


def read_polarity(clause: str, proposition: str) -> Polarity:
    """Say what a clause, an answer's or a contract's, states of a proposition in plain English.

    A statement that something is not addressed is "silent"; so is a clause about something else.
    """
    return read_statement(clause, proposition).polarity


def read_statement(clause: str, proposition: str) -> Statement:
    """Say what a clause states of a proposition, and how surely it is about it."""
    covered = coverage_of(proposition)
    if covered is not None:
        affirmed = read_coverage(clause, covered)
        if affirmed is not None:
            return Statement("affirms" if affirmed else "denies", strong=True)
    if (
        _UNIVERSAL.search(proposition)
        and _PARTLY.search(clause)
        and len(frozenset(content(proposition)) & frozenset(content(clause))) >= 2
    ):
        return Statement("denies", strong=True)
    return read_frame(clause, frame(proposition))


def read_frame(clause: str, said: Frame) -> Statement:
    """Say what a clause states of a proposition that is already taken apart."""
    clause = plain_verbs(_EXCEPTION_FOR.sub(" except for ", clause))
    readings = [
        reading
        for start, end in clauses(clause)
        if (reading := _read_part(clause[start:end], said)).polarity != "silent"
    ]
    decided = [reading for reading in readings if reading.polarity != "unclear"]
    decided = [reading for reading in decided if reading.strong] or decided
    if len({reading.polarity for reading in decided}) == 1:
        return decided[0]
    return Statement("unclear" if readings else "silent")


def _read_part(part: str, said: Frame) -> Statement:
    polarity = _polarity(part, said)
    if polarity not in ("affirms", "denies"):
        return Statement(polarity)
    concepts = frozenset(content(part))
    said = mirrored(said, part) or said
    if said.modality in ("fact", "not_fact"):
        return Statement(polarity, len(said.predicates & concepts) * 5 >= len(said.predicates) * 4)
    named = bool(said.predicates & concepts) and (
        said.objects <= concepts or _OBJECT_PRONOUN.search(part) is not None
    )
    pointed = len(concepts - generic_concepts()) <= 2 and _PLAIN_CUE.search(part) is not None
    strong = named or pointed
    return Statement(polarity, strong)


def _polarity(part: str, said: Frame) -> Polarity:
    if not _touches(part, said) or _silence(part):
        return "silent"
    exception = EXCEPTION.search(part)
    main = part[: exception.start()] if exception else part
    special = _read_special(part, main, said)
    if special:
        return special
    other = mirrored(said, part)
    if other is not None:
        return _polarity(part, other)
    place = _place(main, part, said)
    if exception and not said.exception:
        verdict = _read_exception(main, part[exception.end() :], exception.group(), place, said)
        if verdict:
            return verdict
    return "silent" if place is None else _compare(_modality_at(main, place, said), said)


def _touches(part: str, said: Frame) -> bool:
    """Say, cheaply, whether a clause can be about a proposition at all: it shares a word or points to something."""
    if said.unconditional or said.only or not _INDIRECT.isdisjoint(said.predicates):
        return True
    shared = said.concepts | said.predicates | said.objects
    return not shared.isdisjoint(content(part)) or _DEICTIC.search(part) is not None


def _read_exception(
    main: str, rest: str, joint: str, place: tuple[int, int] | None, said: Frame
) -> Polarity | None:
    """Read "not ... except X": what X names is permitted; a condition of consent leaves the ban."""
    held = frozenset(content(rest))
    inside, outside = said.objects & held, said.objects & frozenset(content(_ANYONE.sub(" ", main)))
    if place is None:
        if said.predicates & held:
            return _read_part(rest, said).polarity
        banned = any(cue.modality == "forbid" for cue in find_cues(main))
        return _compare("permit", said) if inside and not outside and banned else None
    if _modality_at(main, place, said) not in ("forbid", "not_fact") or joint.casefold().strip(
        ", "
    ).startswith("but not"):
        return None
    if "circumstanc" in said.concepts or (inside and not outside):
        return _compare("permit", said)
    if _CONSENT.search(rest):
        return None
    if said.unconditional and not inside and not outside:
        return _compare("permit", said)
    if joint.casefold().startswith("unless"):
        # A condition that is no consent: "not unless it is marked" permits what is marked.
        return _compare("permit", said) if said.modality in ("permit", "fact") else "unclear"
    return "unclear" if inside else None


def _read_special(part: str, main: str, said: Frame) -> Polarity | None:
    words = [word.casefold() for word in _WORD.findall(main)]
    concepts = frozenset(content(part))
    if said.predicates == {"conceal"}:
        about = (said.objects | {"existence", "negotiation"}) & concepts
        if not about and not _OBJECT_PRONOUN.search(part):
            return "silent"
        if about and not concepts & {"conceal", "disclose"} and _ITSELF.search(part):
            return _compare("optional" if is_negated(part, negations(part)) else "require", said)
    if said.predicates == {"grant"} and said.modality in ("fact", "not_fact") and _RIGHTS.search(part):
        kept = _KEPT_BACK.search(part)
        given = not is_negated(part, negations(part)) and not kept
        return _compare("fact" if given else "not_fact", said)
    if said.modality == "require":
        manner = _read_manner(part, said)
        if manner:
            return manner
    if said.only and said.modality == "permit" and said.predicates & concepts and _ELSEWHERE.search(part):
        return _read_elsewhere(part, said)
    if said.unconditional and ("consent" in concepts or _CONSENT.search(part)):
        needed = _NEEDS_CONSENT.search(part)
        if needed and not needed.group().casefold().startswith("without"):
            return _compare("permit" if _NO_NEED.search(part) else "forbid", said)
        if is_negated(part, negations(part)) and "consent" in concepts and not find_cues(part):
            return _compare("permit", said)
    if said.modality in ("permit", "forbid"):
        if _OUT_OF_REACH.search(part) and said.objects & concepts:
            return _compare("permit", said)
        if "consent" in concepts and said.predicates & concepts and _NEEDLESS.search(part):
            return _compare("permit", said)
    if said.modality == "require" and "mark" in said.predicates and _UNMARKED.search(part):
        return "denies"
    if any(word[:2] == "un" and concept(word[2:]) in said.predicates for word in words):
        return _compare("optional" if said.modality == "require" else "not_fact", said)
    turned: Modality = "fact" if is_negated(main, negations(main)) else "not_fact"
    if "include" in said.predicates and _EXCLUDED.search(main) and said.objects & concepts:
        return _compare(turned, said)
    if "survive" in said.predicates and "survive" not in concepts and _ENDS.search(main):
        return _compare(turned, said)
    return _read_only(part, said)


def _read_manner(part: str, said: Frame) -> Polarity | None:
    """Read "may ... without notice" and "may ... only after notice" where notice is the duty asked about."""
    without = _WITHOUT.search(part)
    told = {"disclose"} if "notify" in said.predicates else frozenset[str]()
    if without and (said.predicates | told) & frozenset(content(without[1])):
        cues = find_cues(part[: without.start()])
        if cues and cues[-1].modality in ("permit", "forbid"):
            return _compare("optional" if cues[-1].modality == "permit" else "require", said)
    after = _AFTER.search(part)
    if (
        after
        and said.predicates & frozenset(content(part[after.end() :]))
        and any(cue.modality in ("permit", "forbid") for cue in find_cues(part[: after.start()]))
    ):
        return _compare("require", said)
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


def _silence(main: str) -> bool:
    found = _SILENCE.search(main) or _SILENT_WORD.search(main)
    return found is not None


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


def _place(main: str, whole: str, said: Frame) -> tuple[int, int] | None:
    """Where a clause speaks of the proposition's action: the verb, its objects, or a word that points to it."""
    concepts = [
        (found.start(), found.end(), concept(found.group().casefold())) for found in _WORD.finditer(main)
    ]
    present = {name for _, _, name in concepts}
    around = frozenset(content(whole))
    verbs = [(start, end) for start, end, name in concepts if name in said.predicates]
    if verbs and (len(said.predicates) < 3 or len(said.predicates & present) * 2 >= len(said.predicates)):
        rivals = (around & _AUDIENCES) - said.objects
        if rivals and said.objects & _AUDIENCES and not said.objects & around:
            return None
        last = said.modality in ("fact", "not_fact") and len(said.predicates) > 1
        return verbs[-1 if last else 0]
    if (
        said.objects
        and len(said.objects & present) * 2 > len(said.objects)
        and (find_cues(main) or said.modality == "fact" or said.predicates == {"include"})
    ):
        return next((start, end) for start, end, name in concepts if name in said.objects)
    if find_cues(main) and len(frozenset(content(main)) - generic_concepts()) <= 6:
        pointed = _DEICTIC.search(main)
        if pointed:
            return (len(main), len(main))
    return None


def _modality_at(main: str, place: tuple[int, int], said: Frame) -> Modality:
    cues = find_cues(main)
    before = [cue for cue in cues if cue.start < place[0]]
    after = [cue for cue in cues if cue.start >= place[1]]
    following = negations(main[place[1] : place[1] + 25])
    if before:
        cue = before[-1]
        modality: Modality = cue.modality
        nots = sum(cue.end <= each.start() < place[0] for each in negations(main))
        if nots % 2 and modality in ("permit", "require"):
            return "forbid"
    elif after:
        modality = after[0].modality
    else:
        if _EXEMPTION.search(main[: place[0]]) and "include" not in said.predicates:
            return "permit"
        freed = said.modality in ("fact", "not_fact") and FREE_FROM.search(main) is not None
        modality = "not_fact" if is_negated(main, negations(main[: place[0]])) != freed else "fact"
    if _TO_NOBODY.search(main, place[1]) and modality in ("permit", "require", "fact"):
        return "forbid" if modality != "fact" else "not_fact"
    if (
        following
        and following[0].group().lower() in ("no", "nobody", "none", "nothing")
        and modality in ("permit", "require", "fact")
    ):
        return "forbid" if modality != "fact" else "not_fact"
    return modality


_VERDICTS: dict[tuple[str, str], Polarity] = {
    ("permit", "permit"): "affirms",
    ("permit", "require"): "affirms",
    ("permit", "fact"): "affirms",
    ("permit", "forbid"): "denies",
    ("permit", "not_fact"): "denies",
    ("permit", "optional"): "unclear",
    ("forbid", "forbid"): "affirms",
    ("forbid", "not_fact"): "affirms",
    ("forbid", "permit"): "denies",
    ("forbid", "require"): "denies",
    ("forbid", "fact"): "denies",
    ("forbid", "optional"): "denies",
    ("require", "require"): "affirms",
    ("require", "fact"): "affirms",
    ("require", "optional"): "denies",
    ("require", "forbid"): "denies",
    ("require", "not_fact"): "denies",
    ("require", "permit"): "unclear",
    ("optional", "optional"): "affirms",
    ("optional", "require"): "denies",
    ("optional", "permit"): "affirms",
    ("optional", "forbid"): "unclear",
    ("optional", "fact"): "unclear",
    ("optional", "not_fact"): "affirms",
    ("fact", "fact"): "affirms",
    ("fact", "require"): "affirms",
    ("fact", "permit"): "affirms",
    ("fact", "not_fact"): "denies",
    ("fact", "forbid"): "denies",
    ("fact", "optional"): "denies",
    ("not_fact", "not_fact"): "affirms",
    ("not_fact", "forbid"): "affirms",
    ("not_fact", "fact"): "denies",
    ("not_fact", "require"): "denies",
    ("not_fact", "permit"): "denies",
    ("not_fact", "optional"): "affirms",
}


def verdict(stated: Modality, wanted: Modality) -> Polarity:
    """Say what a modality makes of a statement with another one: a permission denies a ban."""
    return _VERDICTS[wanted, stated]


def _compare(modality: Modality, said: Frame) -> Polarity:
    return verdict(modality, said.modality)
