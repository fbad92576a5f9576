"""What a clause says of a proposition: it affirms it, denies it, is silent on it, or cannot be read."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Literal, NamedTuple

from ragharness.language.clauses import clauses
from ragharness.language.modality import Modality, find_cues, is_negated, negations
from ragharness.language.vocabulary import STOPWORDS, concept, content, generic_concepts

Polarity = Literal["affirms", "denies", "silent", "unclear"]

_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)?")
_EXCEPTION = re.compile(
    r"\b(?:except(?:\s+(?:that|for|as|to|where|when|if|in))?|other\s+than|unless|save\s+(?:for|that|as|to)|apart\s+from|aside\s+from|"
    r"with\s+the\s+exception\s+of|excluding|but\s+for|beyond)\b",
    re.IGNORECASE,
)
_CONSENT = re.compile(
    r"\b(?:consents?|approv\w+|authori[sz]\w+|permission|agree[sd]?)\b", re.IGNORECASE
)
_WITHOUT_CONSENT = re.compile(
    r"\bwithout\s+(?:\w+\s+){0,3}?(?:consent|permission|approval|authori[sz]ation|agreement|asking|leave)\b", re.IGNORECASE
)
_NEEDS_CONSENT = re.compile(
    r"\b(?:only\s+(?:if|with|when|where|after|upon)|unless|provided|subject\s+to|requires?|needs?|without|must\s+(?:first\s+)?(?:ask|obtain|get|have)|needed|required|once)\b[^.;]{0,80}\b"
    r"(?:consents?|permission|approv\w+|authori[sz]\w+|agree[sd]?|agreement|leave)\b|\b(?:consent|permission|approval|authori[sz]ation)\s+(?:is|are)(?:n['’]t|\s+not)?\s+(?:needed|required|necessary)\b",
    re.IGNORECASE,
)
_NO_NEED = re.compile(
    r"\b(?:no|not|neither|never)\b[^.;]{0,40}\b(?:need|requir|necess)|n['’]t\s+(?:need|requir|necess)|\bwithout\b(?![^.;]{0,60}\b(?:not|no)\b)", re.IGNORECASE
)
_ONLY = re.compile(
    r"\b(?:only|solely|exclusively|nothing\s+but|strictly\s+(?:for|to)|(?:limited|restricted|confined)\s+to|limits?|restricts?)\b",
    re.IGNORECASE,
)
_NOT_ONLY = re.compile(
    r"\b(?:not|n['’]t|never)\s+(?:\w+\s+)?(?:only|solely|exclusively|limited|restricted|confined|just)\b|\bwithout\s+limit|\bbeyond\b|\balso\b|\bas\s+well\b"
    r"|\bnon-?technical\b|\bbroad(?:er|ly)?\b",
    re.IGNORECASE,
)
_EXEMPTION = re.compile(
    r"\b(?:not|n['’]t|never|no)\s+(?:\w+\s+)?(?:include|appl(?:y|ies)|extend|cover|impose|breach|violat)\w*|\b(?:excludes?|excluded|exempt\w*|exception|carve[sd]?)\b",
    re.IGNORECASE,
)
_SILENCE = re.compile(
    r"\b(?:not|n['’]t|never|no|nothing|none|nowhere|nobody|nor|without|neither)\b[^.;]{0,40}?\b(?:mention|address(?:es|ed)?\b|specif(?:y|ies|ied)|stat(?:es?|ed|ing)\b(?!\s+(?:law|agenc))|discuss|says?\b|said\b|cover\w*\s+(?:this|the\s+(?:topic|issue|question))|speak|"
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
    r",?\s*\b(?:but|and|though)\s+(?:it\s+|the\s+\w+\s+)?(?:makes?|provides?|contains?|allows?)\s+an?\s+exceptions?\s+for\s+", re.IGNORECASE
)
_UNMARKED = re.compile(
    r"\b(?:not|n['’]t|nobody|no\s+one|without|never)\W+(?:\w+\W+){0,4}?(?:mark|label|identif|designat|stamp)\w*\b.{0,80}?\b(?:still|also|nevertheless|protected|covered|qualif\w+|counts?|included)\b"
    r"|\b(?:unmarked|unlabell?ed)\b|\b(?:protected|covered|confidential)\b.{0,60}\b(?:whether|even\s+(?:if|when)|regardless)\b",
    re.IGNORECASE,
)
_EXCLUDED = re.compile(r"\b(?:exclud\w+|outside|unprotected|exempt\w*)\b", re.IGNORECASE)
_ENDS = re.compile(r"\b(?:obligations?|dut(?:y|ies)|everything|all|restrictions?|secrecy|confidentiality|provisions?|covenants?|they)\b[^.;]{0,40}\b(?:ends?|ended|laps(?:es?|ed)|ceas(?:es?|ed)|expires?|stops?|fall\s+away|over|die[sd]?)\b", re.IGNORECASE)
_TO_NOBODY = re.compile(r"(?<!and )\b(?:to|with|for)\s+[\"“'‘]?(?:no\b|nobody|no\s+one|none)", re.IGNORECASE)
_OBJECT_PRONOUN = re.compile(r"\b(?:it|them|this|that|these|those)\b", re.IGNORECASE)
_PLAIN_CUE = re.compile(r"\b(?:it|this|that|so|which)\b.*\b(?:prohibited|forbidden|allowed|permitted|required|barred|banned|permissible|from\s+doing\s+so)\b", re.IGNORECASE)
_FREE_FROM = re.compile(r"\b(?:free\s+from|outside|exempt\s+from|excluded\s+from|not\s+subject\s+to)\b", re.IGNORECASE)
_LIGHT_VERBS = frozenset(concept(word) for word in ("make", "create", "take", "engage", "perform", "carry"))
_AUDIENCES = frozenset(
    concept(word)
    for word in [
        "employee",
        "consultant",
        "affiliate",
        "competitor",
        "public",
        "anyone",
        "anybody",
        "subsidiary",
        "lender",
        "customer",
    ]
)
_WEAK = frozenset(
    concept(word)
    for word in [
        "confidential",
        "proprietary",
        "receive",
        "recipient",
        "disclose",
        "discloser",
        "sensitive",
        "certain",
        "circumstances",
        "case",
        "expressly",
        "purpose",
        "time",
        "right",
        "obligation",
        "object",
        "fact",
        "embody",
        "evaluation",
        "person",
        "value",
        "representative",
    ]
)
"""Words that a proposition may hold without setting it apart from its neighbours."""


_CONFIDENTIAL = frozenset((concept("confidential"), concept("proprietary"), "secret"))


class Frame(NamedTuple):
    """A proposition taken apart."""

    modality: Modality
    predicates: frozenset[str]
    """Concepts of the verb (alternatives joined by "or" are all in it)."""
    objects: frozenset[str]
    """What distinguishes it from other statements with the same verb."""
    only: bool
    exception: bool
    unconditional: bool
    """It says "without consent", so that a condition of consent denies it."""
    concepts: frozenset[str]


@lru_cache(maxsize=4096)
def frame(proposition: str) -> Frame:
    """Take a proposition apart into modality, verb and objects."""
    exception = _EXCEPTION.search(proposition)
    main = proposition[: exception.start()] if exception else proposition
    only = bool(_ONLY.search(main)) and not _NOT_ONLY.search(main)
    cues = find_cues(main)
    if cues:
        cue = next((each for each in cues if main[each.start : each.end].islower()), cues[0])
        modality, rest = cue.modality, main[cue.end :]
    else:
        free = _FREE_FROM.search(main) is not None
        modality, rest = ("not_fact" if is_negated(main, negations(main)) != free else "fact"), _FREE_FROM.sub(" ", main)
    predicates = _verbs(rest) if cues else frozenset()
    everything = frozenset(content(main)) - generic_concepts()
    objects = (everything if not cues else frozenset(content(rest)) - generic_concepts()) - predicates - _WEAK
    if not cues:
        everything = frozenset(content(rest)) - generic_concepts()
        predicates = everything - _WEAK or everything
    elif predicates <= _CONFIDENTIAL:
        predicates |= {"include"}
    unconditional = _WITHOUT_CONSENT.search(proposition) is not None
    if unconditional:
        objects -= {"consent", "prior", "special", "specif"}
    return Frame(modality, predicates, objects, only, exception is not None, unconditional, everything)


def _verbs(rest: str) -> frozenset[str]:
    found: list[str] = []
    words = _WORD.findall(rest.casefold())
    for place, word in enumerate(words):
        if word in ("or", "and", "and/or") and found:
            following = [each for each in words[place + 1 : place + 2] if each not in STOPWORDS]
            return frozenset([*found, *(concept(each) for each in following)])
        if (
            word in STOPWORDS
            or word.endswith("ly")
            or (word == "reverse" and "reverse" not in found and found)
        ):
            if found and found[-1] not in _LIGHT_VERBS:
                break
            continue
        if found and found[-1] not in _LIGHT_VERBS and found[-1] != "reverse":
            break
        found.append(concept(word))
        if found[0] in _LIGHT_VERBS and len(found) > 1:
            return frozenset(found[1:])
    return frozenset(found[:2] if found[:1] == ["reverse"] else found)


_AUXILIARY = re.compile(
    r"(?:^|,\s+|\bthat\s+)(?:and\s+|so\s+)?(?P<aux>may|might|can|could|must|shall|should|will|would|is|are|was|were|does|do|did|has|have)\s+", re.IGNORECASE
)
_SUBJECTS = frozenset(
    """the a an any some all of and or its their his her own each either both every party parties recipient recipients discloser receiving
    disclosing receiver provider owner other side agreement contract nda document company employee it they there we you i under this that such
    information confidential proprietary""".split()
)


@lru_cache(maxsize=1024)
def question_frame(question: str) -> Frame | None:
    """Take a yes/no question apart as if it were the statement that "yes" affirms; None when it is no such question."""
    found = _AUXILIARY.search(question)
    if not found:
        return None
    rest = question[found.end() :].rstrip("? ")
    auxiliary = found["aux"].casefold()
    if auxiliary in ("may", "might", "can", "could", "must", "shall", "should", "will", "would"):
        verb = re.search(r"\bbe\b", rest) or next(
            (word for word in _WORD.finditer(rest) if word.group().islower() and word.group() not in _SUBJECTS), None
        )
        if verb is None:
            return None
        modal = {"might": "may", "could": "can", "would": "will"}.get(auxiliary, auxiliary)
        rest = f"{rest[: verb.start()]}{modal} {rest[verb.start() :]}"
    return frame(rest)


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
    return read_frame(clause, frame(proposition))


def read_frame(clause: str, said: Frame) -> Statement:
    """Say what a clause states of a proposition that is already taken apart."""
    clause = _EXCEPTION_FOR.sub(" except for ", clause)
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
    if said.modality in ("fact", "not_fact"):
        return Statement(polarity, len(said.predicates & concepts) * 5 >= len(said.predicates) * 4)
    named = bool(said.predicates & concepts) and (said.objects <= concepts or _OBJECT_PRONOUN.search(part) is not None)
    pointed = len(concepts - generic_concepts()) <= 2 and _PLAIN_CUE.search(part) is not None
    strong = named or pointed
    return Statement(polarity, strong)


def _polarity(part: str, said: Frame) -> Polarity:
    if _silence(part):
        return "silent"
    exception = _EXCEPTION.search(part)
    main = part[: exception.start()] if exception else part
    special = _read_special(part, main, said)
    if special:
        return special
    place = _place(main, part, said)
    if exception and not said.exception:
        verdict = _read_exception(main, part[exception.end() :], exception.group(), place, said)
        if verdict:
            return verdict
    return "silent" if place is None else _compare(_modality_at(main, place, said), said)


def _read_exception(main: str, rest: str, joint: str, place: tuple[int, int] | None, said: Frame) -> Polarity | None:
    """Read "not ... except X": what X names is permitted; a condition of consent leaves the ban."""
    held = frozenset(content(rest))
    inside, outside = said.objects & held, said.objects & frozenset(content(main))
    if place is None:
        if said.predicates & held:
            return _read_part(rest, said).polarity
        banned = any(cue.modality == "forbid" for cue in find_cues(main))
        return _compare("permit", said) if inside and not outside and banned else None
    if _modality_at(main, place, said) not in ("forbid", "not_fact") or joint.casefold().strip(", ").startswith("but not"):
        return None
    if "circumstanc" in said.concepts or (inside and not outside):
        return _compare("permit", said)
    if _CONSENT.search(rest):
        return None
    if joint.casefold().startswith("unless"):
        # A condition that is no consent: "not unless it is marked" permits what is marked.
        return _compare("permit", said) if said.modality in ("permit", "fact") else "unclear"
    return "unclear" if inside else None


def _read_special(part: str, main: str, said: Frame) -> Polarity | None:
    words = [word.casefold() for word in _WORD.findall(main)]
    concepts = frozenset(content(part))
    if said.unconditional and ("consent" in concepts or _CONSENT.search(part)):
        needed = _NEEDS_CONSENT.search(part)
        if needed and not needed.group().casefold().startswith("without"):
            return _compare("permit" if _NO_NEED.search(part) else "forbid", said)
        if is_negated(part, negations(part)) and "consent" in concepts and not find_cues(part):
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


def _silence(main: str) -> bool:
    found = _SILENCE.search(main) or _SILENT_WORD.search(main)
    return found is not None


def _read_only(part: str, said: Frame) -> Polarity | None:
    concepts = frozenset(content(part))
    relevant = said.predicates & concepts or said.objects & concepts
    if said.only:
        if _NOT_ONLY.search(part):
            return "denies"
        if _ONLY.search(part) and relevant:
            return "denies" if len(negations(part)) % 2 else "affirms"
        return "unclear" if relevant else None
    if said.exception and said.modality == "forbid" and said.predicates & concepts and _ONLY.search(part):
        return "unclear" if _NOT_ONLY.search(part) else "affirms"
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
        nots = len(negations(main[cue.end : place[0]]))
        if nots % 2 and modality in ("permit", "require"):
            return "forbid"
    elif after:
        modality = after[0].modality
    else:
        if _EXEMPTION.search(main[: place[0]]) and "include" not in said.predicates:
            return "permit"
        modality = "not_fact" if is_negated(main, negations(main[: place[0]])) else "fact"
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
"""What a clause of the second modality says of a proposition of the first about the same action."""


def _compare(modality: Modality, said: Frame) -> Polarity:
    return _VERDICTS[said.modality, modality]


__all__ = ["Frame", "Polarity", "Statement", "frame", "question_frame", "read_frame", "read_polarity", "read_statement"]
